"""The root of a monotone function: bracketed, by Newton's method, checked on both sides."""

from collections.abc import Callable

from dporacle.reference.numerics.precision import Context, Real, bits_for, freeze, real, working

Newton = Callable[[Real, int], tuple[Real, Real]]
"""(u, digits) -> (residual, next u). The residual rises through 0 at the root, and its sign is
right; the next u is Newton's, in whatever coordinate suits the problem."""

_START_DIGITS = 12
_SPARE_DIGITS = 4
_QUADRATIC = 5  # digits from which on Newton's steps are taken to double them
_MAX_STEPS = 400  # the certified vectors take 30 at most
_INSIDE_DIGITS = 8  # where Newton's step from a side of the last digit is good
_EXTRA_DIGITS = (0, 30, 120, 480)  # for functions that lose more inside than their terms show


def positive_root(
    newton: Newton, *, start: Real, digits: int, sharp: int = 0, known: int = 0
) -> Real:
    """Return the positive root of an increasing function to `digits` correct digits.

    Newton's steps are kept inside the bracket that the signs seen so far give. How far the last
    one went tells how many digits the next gives, and so how many it must carry. In the end, from
    either side of the root's last digit, the residual must have its sign and Newton's step must
    lead back: two evaluations at two precisions that say the same. If they do not, all is done
    again with more digits. Where the function turns from one end of its range to the other within
    a relative 10^-sharp of the root, that many digits are carried on top, and a few are found.
    The first step carries what it can give where some digits of the start are known to be right.

    Raises:
        ArithmeticError: if that last check still fails.
    """
    digits = max(digits, sharp + _INSIDE_DIGITS)
    for extra in _EXTRA_DIGITS:
        try:
            root = _search(newton, start, digits, sharp, known, extra)
        except ArithmeticError:
            continue
        if root is not None:
            return root
    raise ArithmeticError(f"the root is not bracketed to {digits} digits")


def _search(
    newton: Newton, start: Real, digits: int, sharp: int, known: int, extra: int
) -> Real | None:
    """Return the root if it passes the check, carrying some extra digits everywhere."""
    low, high, root = None, None, start
    carried = max(_START_DIGITS, 2 * known + _SPARE_DIGITS) + sharp
    for _ in range(_MAX_STEPS):
        residual, proposal = newton(root, carried + extra)
        if residual < 0:
            low = root
        else:
            high = root
        inside = (low is None or proposal >= low) and (high is None or proposal <= high)
        if not (inside and proposal > 0 and _near(proposal, root)):
            proposal = _between(low, high)
        steady = _common_digits(root, proposal, carried) - sharp
        root = proposal
        if steady < _QUADRATIC:
            continue
        # The step was wrong by its square, relative to the width in which the function turns.
        if min(2 * steady + sharp, carried - 2) >= digits + 2:
            return root if _is_root(newton, root, digits, extra) else None
        carried = min(4 * steady + sharp, digits) + _SPARE_DIGITS
    return None


def _near(proposal: Real, root: Real) -> bool:
    """Whether a step leads no farther than functions can follow in bounded time."""
    with working(64) as context:
        size = abs(context.mag(root))
        return bool(abs(context.mag(proposal)) <= 2 * size + 128)


def scaled(context: Context, value: Real, change: Real) -> Real:
    """Return x·e^c, a step in ln x; the bracket needs none that is larger than e^±50."""
    return value * context.exp(max(-50, min(50, change)))


def _is_root(newton: Newton, root: Real, digits: int, extra: int) -> bool:
    """Whether the function says, on both sides of the last digit, that this is its root."""
    with working(bits_for(digits) + 32) as context:
        width = context.mpf(10) ** -(digits + 1)
        sides = [freeze(real(context, root) * (1 + side * width)) for side in (-1, 1)]
    for sign, side in zip((-1, 1), sides, strict=True):
        # The second side is seen with other bits than the first.
        residual, back = newton(side, digits + _SPARE_DIGITS + 8 * (sign > 0) + extra)
        if not sign * residual > 0 or _common_digits(back, root, digits + 8) < digits + 2:
            return False
    return True


def _common_digits(first: Real, second: Real, most: int) -> int:
    """Return how many digits two numbers share, at most so many."""
    with working(bits_for(most) + 32) as context:
        gap = abs(real(context, first) / real(context, second) - 1)
        return most if gap == 0 else min(most, int(-context.log10(gap)))


def _between(low: Real | None, high: Real | None) -> Real:
    """Return a point inside a bracket, halving its logarithm; an open end is moved eightfold."""
    with working(64) as context:
        if low is None:
            return freeze(real(context, high) / 8)
        if high is None:
            return freeze(real(context, low) * 8)
        return freeze(context.sqrt(low) * context.sqrt(high))
