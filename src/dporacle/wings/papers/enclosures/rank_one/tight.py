"""The rank-one profile to a wanted tightness.

The quadrature aims at an absolute error, so that the size of δ is estimated first. A bad estimate
costs time; what was reached is read from the ball.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from flint import acb, arb

from dporacle.enclosures.arithmetic.balls import MAX_BITS, bits_for, precision
from dporacle.wings.papers.enclosures.rank_one.curve import OUTSIDE, Curve, beta
from dporacle.wings.papers.enclosures.rank_one.layout import Layout, UndecidedError
from dporacle.wings.papers.enclosures.rank_one.scale import closeness, near_ball, scale
from dporacle.wings.papers.enclosures.rank_one.stretch import StretchEnd, integral, integrate
from dporacle.wings.papers.enclosures.rank_one.work_limit import Work

_STRETCHES = 1 << 12  # the quadrature aims at its tolerance on each of its subintervals


def _slack(value: arb) -> arb:
    """Return a ball around 0 that reaches an upper bound."""
    return arb(0, value.upper())


def _start_slack(layout: Layout, start: StretchEnd) -> arb:
    """Bound what is left out before the start."""
    return arb(0) if start.exact else _slack(layout.start_bound(start.v, layout.form))


def _gap_slack(layout: Layout, before: StretchEnd, after: StretchEnd) -> arb:
    """Bound what the gap leaves out: F(c₁) in it is at most the larger cap of its two ends."""
    caps = [arb(0) if end.exact else layout.curve.cap(end.v) for end in (before, after)]
    cap = max(caps, key=lambda bound: bound.upper())
    return _slack(cap * layout.gap_factor(before.v))


def profile(curve: Curve, tolerance: arb, near: arb | None = None) -> tuple[arb, arb]:
    """Enclose (δ, 1 − δ).

    Args:
        curve: the law, at ε > 0.
        tolerance: the absolute error aimed at; the balls tell what was reached.
        near: what the outputs on this side of the gap contribute, if that is known.
    """
    try:
        return _profile(curve, tolerance, near)
    except UndecidedError:
        return arb.nan(), arb.nan()


def _profile(curve: Curve, tolerance: arb, near: arb | None) -> tuple[arb, arb]:
    accuracy = tolerance * curve.beta / _STRETCHES
    layout = Layout(curve, tolerance / 64)
    end = StretchEnd(layout.end, exact=False)
    outer = _slack(curve.beyond(end.v))
    if not layout.has_gap:
        if near is not None:
            raise UndecidedError
        if not curve.cosine(end.v) < 1:
            rest = outer + _start_slack(layout, end)
            return 1 - rest, rest
        start = layout.start()
        whole = integral(curve, OUTSIDE, start, end, accuracy) / curve.beta
        rest = outer + _start_slack(layout, start) - whole
        return 1 - rest, rest
    after = layout.gap_end()
    total = integral(curve, OUTSIDE, after, end, accuracy) / curve.beta + outer
    if near is not None:
        total += near + _gap_slack(layout, after, after)
        return total, 1 - total
    start, before = layout.start(), layout.gap_start()
    total += integral(curve, layout.form, start, before, accuracy) / curve.beta
    total += _start_slack(layout, start) + _gap_slack(layout, before, after)
    return (total, 1 - total) if layout.form.first_inside else (1 + total, -total)


_PIECES = 1 << 12


def _cut(power: int, spared: arb) -> arb:
    """Return a u in (0, 1] beyond which the integral of cos^{K−1}(πu/2) is at most `spared`."""
    if power == 1:
        return arb(1)
    cosine = (spared.log() / (power - 1)).exp()
    if not cosine < 1:
        return arb(1)
    return (2 * cosine.acos() / arb.pi()).mid()


def profile_at_zero(power: int, s: arb, tolerance: arb, work: Work) -> tuple[arb, arb]:
    """Enclose (δ(0), 1 − δ(0)); the error is aimed at.

    δ(0) = (π/B)∫ erf(a/sin θ) cos^{K−1}θ du, θ = πu/2, over 0 < u < 1, a = 1/(2√2s), and 1 − δ(0)
    is the same with erfc. Where a/sin θ is large, erf is 1; from there on the variable is ln u.
    """
    norm, a = beta(power) / arb.pi(), 1 / (8 * s).sqrt()
    spared = tolerance * norm / 64
    accuracy = tolerance * norm / _PIECES
    is_large = bool(a < 1)  # then δ(0) is integrated, else 1 − δ(0)

    def weight(u: acb) -> acb:
        work.spend()
        result: acb = (u / 2).cos_pi() ** (power - 1)
        return result

    def function(t: acb, analytic: bool) -> acb:
        u = t.exp()
        at = a / (u / 2).sin_pi()
        result: acb = u * (at.erf() if is_large else at.erfc()) * weight(u)
        return result

    end = _cut(power, spared)
    left_out = arb(0) if end == 1 else arb(0, ((end / 2).cos_pi() ** (power - 1)).upper())
    # erfc(x) ≤ e^{−x²}, and sin θ ≤ θ.
    change = (2 * a / arb.pi() / (1 - spared.log()).sqrt()).mid()
    faded = arb(0, (-((2 * a / (arb.pi() * change)) ** 2)).exp().upper())
    total = left_out
    if change < end:
        total += faded + integrate(function, change.log().mid(), end.log().mid(), accuracy, work)
        # The ends are moved by a rounding, over which the integrand is at most 1.
        total += arb(0, (end.log().rad() + change.log().rad() * change).upper())
        if is_large:
            total += integrate(lambda u, _: weight(u), arb(0), change, accuracy, work)
    elif is_large:
        total += faded + integrate(lambda u, _: weight(u), arb(0), end, accuracy, work)
    else:
        total += arb(0, (-((2 * a / arb.pi() / end) ** 2)).exp().upper())
    total /= norm
    return (total, 1 - total) if is_large else (1 - total, total)


_MAX_TRIES = 24  # the first one is enough for the certified vectors
_COARSE = 96  # bits at which sizes are estimated


@dataclass(frozen=True, slots=True)
class ProfileInputs:
    """A profile's inputs; epsilon and variance give their balls at the working precision.

    All that is asked of one law is done with the one bound of work.
    """

    power: int
    epsilon: Callable[[], arb]
    variance: Callable[[], arb]
    work: Work = field(default_factory=Work)


def _magnitude(value: arb) -> int:
    """Return the least k with |value| below about 2^k."""
    return int(value.mid().man_exp()[1]) + int(value.mid().bits()) if value.mid() != 0 else 0


def _cancelled(law: ProfileInputs) -> tuple[int, float]:
    """Return the bits that cancel whatever the law of the noise, and the bits of ρ/r."""
    with precision(_COARSE):
        epsilon, s = law.epsilon(), law.variance()
        near = closeness(law.power, epsilon, s) * 1.4427
        far = 0.0 if not near > 0 else float(near.mid()) if near < 1 << 40 else 2.0**40
        size = _magnitude(s)
        bits = max(0, size) // 2 + max(0, -3 * size) + max(0, _magnitude(epsilon))
    return bits + law.power.bit_length() + 48, far


def profile_pair(law: ProfileInputs, bits: int, size: arb, spare: int = 0) -> tuple[arb, arb]:
    """Enclose (δ, 1 − δ) with an error of about 2^-bits times `size`.

    Args:
        law: the inputs.
        bits: the accuracy aimed at.
        size: what the error is to be small against.
        spare: bits of working precision beyond those that are known to cancel.
    """
    lost, far = _cancelled(law)
    relative = arb(2) ** -(bits + 4)
    with precision(bits + lost + spare):
        is_zero = law.epsilon().is_zero()
        if is_zero:
            return profile_at_zero(law.power, law.variance(), size * relative, law.work)
    near = None
    if far > bits // 2:
        with precision(bits + lost + spare):
            near = near_ball(law.power, law.epsilon(), law.variance())
            if near is not None and not (
                near.rel_accuracy_bits() >= bits or near.rad() < size * relative
            ):
                near = None
    work = bits + lost + spare
    if near is None:
        work += int(min(3 * far, MAX_BITS))
    if work > MAX_BITS:
        raise ArithmeticError(
            f"about {work} bits would be needed to enclose delta, of which {MAX_BITS} are had"
        )
    with precision(work):
        curve = Curve(law.power, law.epsilon(), law.variance(), law.work)
        return profile(curve, size * relative, near)


def tight_profile(law: ProfileInputs, digits: int) -> arb:
    """Enclose δ(ε) with a radius of at most 10^-digits of it.

    Raises:
        ArithmeticError: if 2^18 bits, or the work that the law may take, do not do.
    """
    wanted = bits_for(digits) + 2
    size, spare = size_of(law), 0
    for _ in range(_MAX_TRIES):
        value = _near_zero(law, wanted, size)
        if value is None:
            value = profile_pair(law, wanted + 4, size, spare)[0]
        if value.rel_accuracy_bits() >= wanted:
            return value
        with precision(_COARSE):
            if value.lower() > 0:
                size = min(size, value.lower())
            elif value.is_finite():
                # δ is smaller than its size was taken to be, by how much is not yet seen.
                size = (min(size, value.upper()) * arb(2) ** -(8 + spare)).mid()
        spare = 2 * spare + 64
    raise ArithmeticError(f"no ball of {digits} digits of delta at {MAX_BITS} bits")


def size_of(law: ProfileInputs) -> arb:
    """Return about δ."""
    lost, _ = _cancelled(law)
    with precision(_COARSE + lost):
        epsilon, s = law.epsilon(), law.variance()
        if epsilon.is_zero():
            a = 1 / (8 * s).sqrt()
            return a.erf().mid()
        return scale(Curve(law.power, epsilon, s, law.work))


def _near_zero(law: ProfileInputs, wanted: int, size: arb) -> arb | None:
    """Enclose δ(ε) by δ(0) − (e^ε − 1) ≤ δ(ε) ≤ δ(0), or return None where that is not enough."""
    with precision(wanted + 64):
        drop = law.epsilon().expm1()
        if drop.is_zero() or not drop < size * arb(2) ** -(wanted + 4):
            return None
    value = profile_pair(
        ProfileInputs(law.power, lambda: arb(0), law.variance, law.work), wanted + 4, size
    )[0]
    with precision(wanted + 64):
        return value.union(value - drop)
