"""Closed-form calibrations as functions of (ε, δ) with their slopes, over balls of any width.

A calibration gives μ = D/σ. With E = ln(δ(ε)/δ) for δ < 1/2, and ln((1−δ)/(1−δ(ε))) above, it is
private where E ≤ 0. Along any coordinate x, by BW18.L7,

    dE/dx = (dμ/dx − m(w)·dε/dx)/N − k·d(ln δ)/dx,

with N = m(y) − m(w) and k = 1 below, N = m(−y) + m(w) and k = δ/(1−δ) above. The coordinates are
ln ε and ln δ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments, enclosures
from dporacle.arguments import decimal
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.normal import profile
from dporacle.regions._forms import gap, hull, mills_range, tail_point
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.formulas import FORMULAS

LINEAR = "linear"
"""The name of σ = D√(2 ln(a/δ))/ε with any a."""

_HALF = Fraction(1, 2)

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Local:
    """A calibration over a rectangle of ε and δ, as balls.

    Attributes:
        mu: D/σ.
        ratio: ε/μ.
        by_epsilon: dμ/d(ln ε).
        by_delta: dμ/d(ln δ).
    """

    mu: arb
    ratio: arb
    by_epsilon: arb
    by_delta: arb


@dataclass(frozen=True, slots=True)
class Calibration:
    """A closed form for σ.

    Attributes:
        name: what it is called.
        formula: σ in words.
        statement: the row of the catalogue that it belongs to.
        local: (range of ε, range of δ) -> μ and its slopes.
        sigma: the enclosure of σ by which failures are certified.
        rises: whether δ(ε) rises with ε at fixed δ (proofs_notes/closed_forms.md, the lemma).
        epsilon_max: where it does, the largest private ε of a δ.
        threshold: the least of these over all δ.
        constant: the a of σ = D√(2 ln(a/δ))/ε, if it is one of these.
        private_by: the region theorem that proves it private for every ε and δ, if one does.
    """

    name: str
    formula: str
    statement: str
    local: Callable[[Range, Range], Local]
    sigma: Callable[..., arb]
    rises: bool = False
    epsilon_max: Callable[..., arb] | None = None
    threshold: Callable[..., arb] | None = None
    private_by: str = ""
    constant: Callable[[], arb] | None = None


def _linear(constant: Callable[[], arb]) -> Callable[[Range, Range], Local]:
    def local(epsilon: Range, delta: Range) -> Local:
        eps = hull(*epsilon)
        c = _root_log(constant(), delta[1]).union(_root_log(constant(), delta[0]))
        mu = eps / c
        return Local(mu, c, mu, mu / (c * c))

    return local


def _root_log(constant: arb, delta: Fraction) -> arb:
    return (2 * (constant / ball(delta)).log()).sqrt()


def _tail(z_of: Callable[[Range], tuple[arb, arb]]) -> Callable[[Range, Range], Local]:
    """μ = √(z² + 2ε) − z, for which y = z; z_of gives z and dz/d(ln δ)."""

    def local(epsilon: Range, delta: Range) -> Local:
        eps = hull(*epsilon)
        z, slope = z_of(delta)
        w = (z * z + 2 * eps).sqrt()
        mu = _falling(z, eps)
        return Local(mu, z + mu / 2, eps / w, -mu / w * slope)

    return local


def _falling(z: arb, eps: arb) -> arb:
    """√(z² + 2ε) − z, which falls in z and rises with ε, without cancelling."""

    def at(z: arb, eps: arb) -> arb:
        w = (z * z + 2 * eps).sqrt()
        return 2 * eps / (w + z) if z > 0 else w - z

    return at(z.upper(), eps.lower()).union(at(z.lower(), eps.upper()))


def _quantile(delta: Range) -> tuple[arb, arb]:
    """Z = −Φ⁻¹(δ) and dz/d(ln δ) = −δ/φ(z) = −m(z)."""
    z = tail_point(delta[1]).union(tail_point(delta[0]))
    return z, -mills_range(z)


def _chernoff(delta: Range) -> tuple[arb, arb]:
    """Z = √(2 ln(1/δ)) and its slope −1/z."""
    z = _root_log(arb(1), delta[1]).union(_root_log(arb(1), delta[0]))
    return z, -1 / z


def _vinterbo(delta: Range) -> tuple[arb, arb]:
    """Z = k·v·√f, v = 1 − 2δ, f = −ln(1−v²)/v², and its slope −k/(2(1−δ)√f).

    k = √2 for δ ≤ 1/2 and √(π/2) above. f rises with v², from 1.
    """
    low, high = delta
    first, second = _vinterbo_end(low), _vinterbo_end(high)
    roots = first[1].union(second[1])
    if low < _HALF < high:
        roots = roots.union(arb(1))
    k = _vinterbo_scale(low < _HALF).union(_vinterbo_scale(high <= _HALF))
    return first[0].union(second[0]), -k / (2 * (1 - hull(low, high)) * roots)


def _vinterbo_scale(below: bool) -> arb:
    return arb(2).sqrt() if below else (arb.pi() / 2).sqrt()


def _vinterbo_end(delta: Fraction) -> tuple[arb, arb]:
    """Return z and √f at one δ."""
    if delta == _HALF:
        return arb(0), arb(1)
    v = ball(1 - 2 * delta)
    square = v * v
    log = -(-square).log1p() if square < 0.25 else -(4 * ball(delta) * ball(1 - delta)).log()
    root = (log / square).sqrt()
    return _vinterbo_scale(delta < _HALF) * v * root, root


def _root_sum(epsilon: Range, delta: Range) -> Local:
    """σ = D√(z² + ε)/ε, z = −Φ⁻¹(δ): the bound of JL24.L2, reversed."""
    eps = hull(*epsilon)
    z, slope = _quantile(delta)
    s = (z * z + eps).sqrt()
    mu = eps / s
    return Local(mu, s, mu * (1 - eps / (2 * s * s)), -mu * z / (s * s) * slope)


def _root_sum_sigma(*, epsilon: Fraction, delta: Fraction, digits: int = 50) -> arb:
    # C_A·D² is σ² per coordinate.
    square = enclosures.analytic_loss_bound(
        epsilon=epsilon, delta=delta, dimension=1, digits=digits
    )
    with precision(bits_for(digits) + 64):
        return square.sqrt()


def _classical() -> arb:
    return arb(5) / 4


def _dwork_2006() -> arb:
    return arb(2)


def _dwork_roth() -> arb:
    return (2 * (arb(8) / 9).exp() / arb.pi()).sqrt()


def _named(
    name: str,
    local: Callable[[Range, Range], Local],
    *,
    sigma: Callable[..., arb] | None = None,
    **facts: Any,
) -> Calibration:
    """Return the closed form of a formula's row; its σ is the row's quantity, if it has one."""
    row = FORMULAS[name]
    enclose = sigma or QUANTITIES[row.quantity].of(enclosures)
    return Calibration(name, row.says, row.statement, local, enclose, **facts)


CALIBRATIONS = {
    each.name: each
    for each in (
        _named(
            "classical",
            _linear(_classical),
            rises=True,
            epsilon_max=enclosures.classical_epsilon_max,
            threshold=enclosures.classical_epsilon_threshold,
            constant=_classical,
        ),
        _named(
            "dwork-roth",
            _linear(_dwork_roth),
            rises=True,
            epsilon_max=enclosures.dwork_roth_epsilon_max,
            threshold=enclosures.dwork_roth_epsilon_threshold,
            constant=_dwork_roth,
        ),
        _named(
            "dwork-2006",
            _linear(_dwork_2006),
            rises=True,
            epsilon_max=enclosures.dwork_2006_epsilon_max,
            threshold=enclosures.dwork_2006_epsilon_threshold,
            constant=_dwork_2006,
        ),
        _named("vinterbo-2020", _tail(_vinterbo), private_by="X.CF.vinterbo-2020"),
        _named("plrv-tail", _tail(_quantile), private_by="X.CF.plrv-tail"),
        _named("zcdp-conversion", _tail(_chernoff), private_by="GN.T1"),
        _named("root-sum", _root_sum, sigma=_root_sum_sigma, private_by="JL24.L2.reversed"),
    )
}
"""Name -> closed form."""


def calibration(name: str, constant: Fraction | None = None) -> Calibration:
    """Return a closed form by its name; "linear" is σ = D√(2 ln(constant/δ))/ε, constant ≥ 1.

    Raises:
        ValueError: naming what is wrong.
    """
    if (constant is not None) != (name == LINEAR):
        raise ValueError(f"constant must be given for {LINEAR}, and only for it")
    if constant is None:
        if name not in CALIBRATIONS:
            known = ", ".join((*CALIBRATIONS, LINEAR))
            raise ValueError(f"formula must be one of {known}, got {arguments.show(name)}")
        return CALIBRATIONS[name]
    if constant < 1:
        raise ValueError(f"constant must be at least 1, got {arguments.show(constant)}")

    def a() -> arb:
        return ball(constant)

    def sigma(*, epsilon: Fraction, delta: Fraction, digits: int = 50) -> arb:
        return tighten(lambda: _root_log(a(), delta) / ball(epsilon), digits)

    formula = f"σ = D√(2 ln({decimal(constant)}/δ))/ε"
    statement = FORMULAS[LINEAR].statement
    return Calibration(LINEAR, formula, statement, _linear(a), sigma, rises=True, constant=a)


def excess(local: Local, delta: Fraction, scale: arb, *, below: bool) -> arb:
    """Return E at one point, for σ divided by `scale`, in the form for δ below 1/2 or above."""
    mu, ratio = local.mu * scale, local.ratio / scale
    value, rest = profile(ratio - mu / 2, ratio + mu / 2)
    return value.log() - ball(delta).log() if below else ball(1 - delta).log() - rest.log()


def slopes(
    local: Local, epsilon: Range, delta: Range, scale: arb, *, below: bool
) -> tuple[arb, arb]:
    """Return dE/d(ln ε) and dE/d(ln δ) over a rectangle, for σ divided by `scale`."""
    mu, ratio = local.mu * scale, local.ratio / scale
    y, tail = ratio - mu / 2, mills_range(ratio + mu / 2)
    if below:
        size, weight = gap(y, mu), arb(1)
    else:
        size, weight = mills_range(-y) + tail, hull(*delta) / (1 - hull(*delta))
    return (
        (local.by_epsilon * scale - tail * hull(*epsilon)) / size,
        local.by_delta * scale / size - weight,
    )
