"""The root of a decreasing profile, proved by two signs or by one step of Newton's on balls.

Newton's method proposes; only the signs of two balls on either side of the proposal are
believed. With the monotonicity of the profile (BW18.L7) they prove that the root lies between.
Where balls of the slope are at hand too, one evaluation does: by the mean value theorem, the root
lies in y − (δ(y) − target)/δ′(Y) if that lies inside of the ball Y about y.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, precision

Profile = Callable[[arb], tuple[arb, arb, arb]]
"""y -> (δ, 1 − δ, dδ/dy), as balls at the working precision; δ decreases in y."""

_COARSE = 30  # bits of accuracy of the first Newton steps
_NEAR = 20  # the bits at least that are right where all go on being doubled
# The certified vectors take six at most: where all are taken there is no such root.
_MAX_STEPS = 1000


def decreasing_root(
    profile: Profile,
    *,
    target: Fraction,
    start: arb,
    scale: Callable[[arb], arb],
    tolerance: Callable[[arb], arb],
    slope: Callable[[arb], arb] | None = None,
    known: int = 0,
) -> tuple[arb, arb]:
    """Return exact numbers below and above the y at which δ = target, not far apart.

    Args:
        profile: the decreasing function and its slope.
        target: the δ asked for, in (0, 1).
        start: where Newton's method begins.
        scale: y -> the distance over which the profile bends near y.
        tolerance: y -> half the width that the result may have.
        slope: a ball Y -> a ball that contains dδ/dy at every point of it.
        known: about how many bits of `start` are right, measured by `scale`, if many are.

    Raises:
        ArithmeticError: if the precision reaches its cap first.
    """
    if slope and known:
        found = _swiftly(profile, slope, target, start, known, scale, tolerance)
        if found:
            return found
    y = _approach(profile, target, start, scale)
    if slope and (found := _swiftly(profile, slope, target, y, _COARSE, scale, tolerance)):
        return found
    bits = _COARSE
    for bits in _ladder(y, _COARSE, scale, tolerance):
        _, y = _newton(profile, target, y, bits + 16)
    while not _is_fine(y, bits, scale, tolerance):
        bits *= 2
        _, y = _newton(profile, target, y, bits + 16)
    while bits <= MAX_BITS:
        with precision(bits + 64):
            allowed = tolerance(y)
            low, high = (y - allowed).mid(), (y + allowed).mid()
        if _side(profile, target, low, bits) > 0 > _side(profile, target, high, bits):
            return low, high
        # δ of a tiny μ loses as many bits as μ has zeros: the last steps may have been blind.
        bits *= 2
        _, y = _newton(profile, target, y, bits + 16)
    raise ArithmeticError("the root is not bracketed by its two signs")


def _swiftly(
    profile: Profile,
    slope: Callable[[arb], arb],
    target: Fraction,
    y: arb,
    known: int,
    scale: Callable[[arb], arb],
    tolerance: Callable[[arb], arb],
) -> tuple[arb, arb] | None:
    """Return what `decreasing_root` does from a y that is near; None if it is not."""
    *steps, last = _ladder(y, known, scale, tolerance) or [known]
    for bits in steps:
        _, proposal = _newton(profile, target, y, bits + 16)
        with precision(_COARSE + 64):
            if not abs(proposal - y) < scale(y) / 2**_NEAR:
                return None
        y = proposal
    with precision(last + 48):
        value, rest, guess = profile(y)
        gap = value - ball(target) if 2 * target < 1 else ball(1 - target) - rest
        allowed = tolerance(y)
        around = arb(y, 2 * (gap / guess).abs_upper() + allowed)
        root = y - gap / slope(around)
        if not around.contains_interior(root):
            return None
        middle = root.mid()
        low, high = (middle - allowed).mid(), (middle + allowed).mid()
        return (low, high) if low < root < high else None


def _ladder(
    y: arb, known: int, scale: Callable[[arb], arb], tolerance: Callable[[arb], arb]
) -> list[int]:
    """Return the bits of Newton's steps, each twice those before, to those that are needed."""
    with precision(_COARSE + 64):
        ratio = (scale(y) / tolerance(y)).upper()
        mantissa, exponent = ratio.man_exp() if ratio.is_finite() else (0, 0)
        needed = int(mantissa).bit_length() + int(exponent) + 2
    found: list[int] = []
    while needed > known:
        found.append(needed)
        needed = needed // 2 + 1
    return found[::-1]


def _is_fine(
    y: arb, bits: int, scale: Callable[[arb], arb], tolerance: Callable[[arb], arb]
) -> bool:
    with precision(bits + 64):
        return bool(arb(2) ** -bits * scale(y) < tolerance(y))


def _approach(profile: Profile, target: Fraction, start: arb, scale: Callable[[arb], arb]) -> arb:
    """Return y with some 30 good bits, from Newton steps kept inside the signs seen so far."""
    low, high, y = None, None, start
    for _ in range(_MAX_STEPS):
        residual, proposal = _newton(profile, target, y, _COARSE + 16)
        with precision(_COARSE + 64):
            if residual.mid() > 0:
                low = y
            else:
                high = y
            if low is not None and high is not None and not low < proposal < high:
                proposal = ((low + high) / 2).mid()
            close = abs(proposal - y) < scale(proposal) / 2**_NEAR
        y = proposal
        if close:
            break
    return y


def _newton(profile: Profile, target: Fraction, y: arb, bits: int) -> tuple[arb, arb]:
    """Return the miss in the log-odds of δ, near-linear in y at both ends, and the next y."""
    value, rest, slope = _evaluate(profile, y, bits)
    with precision(bits + 64):
        miss = (value / ball(target)).log() - (rest / ball(1 - target)).log()
        return miss, (y - miss * value * rest / slope).mid()


def _evaluate(profile: Profile, y: arb, bits: int) -> tuple[arb, arb, arb]:
    work = bits + 32
    while work <= MAX_BITS:
        with precision(work):
            balls = profile(y)
            if min(each.rel_accuracy_bits() for each in balls) >= bits:
                return balls
        work += work // 2 + 64
    raise ArithmeticError(f"the profile has no {bits} good bits at {MAX_BITS} bits")


def _side(profile: Profile, target: Fraction, y: arb, bits: int) -> int:
    """Return the proved sign of δ − target, or 0 when this precision proves none."""
    with precision(bits + 64):
        value, rest, _ = profile(y)
        gap = value - ball(target) if 2 * target < 1 else ball(1 - target) - rest
        return 1 if gap > 0 else -1 if gap < 0 else 0
