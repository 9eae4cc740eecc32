"""The rank-one profile to a wanted tightness.

The quadrature aims at an absolute error, so that the size of δ is estimated first. A bad estimate
costs time; what was reached is read from the ball.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from flint import arb

from dporacle.enclosures.arithmetic.balls import MAX_BITS, bits_for, precision
from dporacle.enclosures.papers.rank_one.curve import Curve
from dporacle.enclosures.papers.rank_one.profile import profile
from dporacle.enclosures.papers.rank_one.scale import closeness, near_ball, scale
from dporacle.enclosures.papers.rank_one.work_limit import Work
from dporacle.enclosures.papers.rank_one.zero import profile_at_zero

_MAX_TRIES = 24
_COARSE = 96  # bits at which sizes are estimated


@dataclass(frozen=True, slots=True)
class Law:
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


def _cancelled(law: Law) -> tuple[int, float]:
    """Return the bits that cancel whatever the law of the noise, and the bits of ρ/r."""
    with precision(_COARSE):
        epsilon, s = law.epsilon(), law.variance()
        near = closeness(law.power, epsilon, s) * 1.4427
        far = 0.0 if not near > 0 else float(near.mid()) if near < 1 << 40 else 2.0**40
        size = _magnitude(s)
        bits = max(0, size) // 2 + max(0, -3 * size) + max(0, _magnitude(epsilon))
    return bits + law.power.bit_length() + 48, far


def profile_pair(law: Law, bits: int, size: arb, spare: int = 0) -> tuple[arb, arb]:
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


def tight_profile(law: Law, digits: int) -> arb:
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


def size_of(law: Law) -> arb:
    """Return about δ."""
    lost, _ = _cancelled(law)
    with precision(_COARSE + lost):
        epsilon, s = law.epsilon(), law.variance()
        if epsilon.is_zero():
            a = 1 / (8 * s).sqrt()
            return a.erf().mid()
        return scale(Curve(law.power, epsilon, s, law.work))


def _near_zero(law: Law, wanted: int, size: arb) -> arb | None:
    """Enclose δ(ε) by δ(0) − (e^ε − 1) ≤ δ(ε) ≤ δ(0), or return None where that is not enough."""
    with precision(wanted + 64):
        drop = law.epsilon().expm1()
        if drop.is_zero() or not drop < size * arb(2) ** -(wanted + 4):
            return None
    value = profile_pair(Law(law.power, lambda: arb(0), law.variance, law.work), wanted + 4, size)[
        0
    ]
    with precision(wanted + 64):
        return value.union(value - drop)
