"""The Gaussian functions that the enclosures are built from, as balls.

The privacy profile is written with the Mills ratio m(x) = Φ(−x)/φ(x): with h = ε/μ, t = μ/2,
y = h − t and w = h + t,

    δ = φ(y)·(m(y) − m(w)),    1 − δ = φ(y)·(m(−y) + m(w)),

because e^ε φ(w) = φ(y). No power of e^ε appears, so that no ε is too large. Up to w = 32 the
products are formed first, φ(y)·m(x) = e^{(x² − y²)/2} erfc(x/√2)/2, at half the cost.
"""

from flint import arb, fmpq

_HALF = fmpq(1, 2)
_SMALL = fmpq(-7, 10)  # the y from which on δ is formed, not 1 − δ
_FAR = 32  # from here on `arb.erfc` loses more bits than it is asked for


def normal_density(x: arb) -> arb:
    """Return φ(x)."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def normal_tail(x: arb) -> arb:
    """Return Φ(−x)."""
    if x.mid() > _FAR:
        return normal_density(x) * mills(x)
    return (x / arb(2).sqrt()).erfc() / 2


def mills(x: arb) -> arb:
    """Return m(x) = Φ(−x)/φ(x).

    For large x as U(1/2, 1/2, x²/2)/√2, Tricomi's function, which meets no overflow: e^{x²/2}
    and erfc(x/√2) would need as many bits as x² has.
    """
    if x.mid() > _FAR:
        return arb.hypgeom_u(x * x / 2, arb(_HALF), arb(_HALF)) / arb(2).sqrt()
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc()


def profile(y: arb, w: arb) -> tuple[arb, arb]:
    """Return (δ, 1 − δ), each without cancelling against 1."""
    small = y.mid() > _SMALL
    if w.mid() < _FAR and y.mid() > -_FAR:
        root = arb(_HALF).sqrt()
        a, b = y * root, w * root
        far = ((b - a) * (b + a)).exp() * b.erfc()
        part = (a.erfc() - far) / 2 if small else ((-a).erfc() + far) / 2
    elif small:
        part = normal_density(y) * (mills(y) - mills(w))
    else:
        part = normal_density(y) * (mills(-y) + mills(w))
    return (part, 1 - part) if small else (1 - part, part)
