"""Numbers in words and decimals, each rounded to the side that keeps what is said true."""

import sys
from decimal import Decimal
from fractions import Fraction

from flint import arb

from dporacle.arguments import decimal as decimal_of
from dporacle.claims.decision import Decided
from dporacle.claims.quantities import Ends, root_bounds
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.rounding import round_decimal as round_decimal
from dporacle.verdicts import Verdict

NEGLIGIBLE = "1e-2000"
"""What is shown as the upper end of a positive number below it; no bound is as small."""

ENORMOUS = "1e+2000"
"""What is shown as the lower end of a number above it; no bound is as large."""

INFINITE = "Infinity"
"""What is shown as the upper end of a number that is too large to be written out."""

_LEAST, _MOST = Fraction(NEGLIGIBLE), Fraction(ENORMOUS)
_MOST_DIGITS = 20_000  # of an end, until what is shown is on its side of the claim
_SHORT_DIGITS = 6
_SIGMA_DIGITS = 17  # of a σ that is shown: so many tell every float64 from the next
_ROOT_DIGITS = 20  # of the root of a variance, a few more
_NEAR = Fraction(1, 2), Fraction(11, 10)  # quotients that are told by what they differ from 1
_GROUPED = range(1000, 10**12)  # quotients that are written out


def supports(confidence: Fraction, bound: str) -> str:
    """Say that counts support a bound: the words of every audit by counts (X.AUDIT)."""
    return f"with confidence {readable(confidence)} these counts support {bound}"


def exact_text(value: Fraction) -> str:
    """Write a number exactly: as a decimal where a short one is, else as a ratio."""
    shown = round_decimal(value, 40, up=True)
    return shown if Fraction(shown) == value else f"{value.numerator}/{value.denominator}"


def readable(value: Fraction) -> str:
    """Write a number for a reader: exactly, or a float64 that is no short decimal as Python does.

    Such a float64 is the only one with these digits.
    """
    text = exact_text(value)
    if "/" in text and abs(value) < sys.float_info.max and Fraction(float(value)) == value:
        return repr(float(value))
    return text


def figures(text: str) -> int:
    """Return how many significant digits a decimal has."""
    return len(Decimal(text).as_tuple().digits)


def bounds_of(value: arb) -> tuple[Fraction, Fraction | None]:
    """Return rationals below and above a ball of a number that is not negative.

    The upper one is None where the number is too large to be written out, or the ball not finite.
    """
    try:
        low, high = rounding.bounds(value)
    except ArithmeticError:  # out of the magnitudes that are written out
        if rounding.side(value, _LEAST) < 0:
            return Fraction(0), _LEAST
        return _MOST if rounding.side(value, _MOST) > 0 else Fraction(0), None
    return max(low, Fraction(0)), high


def span(decided: Decided) -> tuple[Fraction, Fraction | None]:
    """Return rationals below and above a quantity, from 0 to 1 for a probability."""
    low, high = bounds_of(decided.below)
    if decided.is_between:
        high = bounds_of(decided.above)[1]
    if decided.quantity in {"delta", "alpha"}:
        high = Fraction(1) if high is None else min(high, Fraction(1))
    # The verdict is proved: a radius that reaches over the bound says nothing. A verdict that rests
    # on a premise alone leaves the quantity where it is.
    bound, verdict = decided.bound, decided.verdict
    if verdict is Verdict.HOLDS and high is not None and low <= bound:
        high = min(high, bound)
    if verdict is Verdict.VIOLATED and decided.is_between and (high is None or high >= bound):
        low = max(low, bound)
    return low, high


def ends(decided: Decided) -> tuple[str, str]:
    """Return decimals below and above a quantity, on the same side of the bound as the balls."""
    low, high = span(decided)
    if decided.doubled:  # of the quantity itself that bounds nothing from below
        low = Fraction(0)
    if high is None:
        return ENORMOUS if low == _MOST else "0", INFINITE
    if high == _LEAST:
        return "0", NEGLIGIBLE
    digits = decided.digits + 5
    while True:
        texts = round_decimal(low, digits, up=False), round_decimal(high, digits, up=True)
        sides = [_side(low, high, decided.bound)]
        shown = Fraction(Decimal(texts[0])), Fraction(Decimal(texts[1]))
        sides.append(_side(*shown, decided.bound))
        if sides[0] == sides[1] or digits > _MOST_DIGITS:
            return texts
        digits *= 2


def _side(low: Fraction, high: Fraction, bound: Fraction) -> int:
    return -1 if high < bound else 1 if low > bound else 0


def interval(found: Ends | None) -> str:
    """Return proved ends to a few digits, rounded outwards; nothing of none."""
    if found is None:
        return ""
    low = round_decimal(found.low, _SHORT_DIGITS, up=False)
    if found.high is None:
        return f"[{low}, ∞)"
    high = round_decimal(found.high, _SHORT_DIGITS, up=True)
    return low if low == high else f"[{low}, {high}]"


_BESIDE_0 = {
    Verdict.HOLDS: "is 0",
    Verdict.VIOLATED: "is above 0",
    Verdict.UNDECIDED: "may be 0, or above it",
}


def compare(what: str, decided: Decided, claimed: str = "what is claimed") -> str:
    """Say how many times its bound a quantity is."""
    if decided.bound == 0:
        return f"{what} {_BESIDE_0[decided.verdict]}"
    low, high = span(decided)
    if high == 0:
        return f"{what} is 0"
    if high is None and low > decided.bound:
        return (
            f"{what} is more than {round_decimal(low / decided.bound, 3, up=False)} times {claimed}"
        )
    is_below = high is not None and high < decided.bound
    ratio = (high if high is not None and is_below else low) / decided.bound
    if decided.verdict is Verdict.HOLDS and low < decided.bound and not is_below:
        return f"{what} is at most {claimed}"
    if decided.is_between and low <= decided.bound and not is_below:
        least = round_decimal(low, _SHORT_DIGITS, up=False)
        if high is None:
            return f"{what} is at least {least}"
        return f"{what} is between {least} and {round_decimal(high, _SHORT_DIGITS, up=True)}"
    if ratio == 1 or not (is_below or low > decided.bound):
        return f"{what} equals {claimed}"
    almost = ""
    if decided.is_between:
        almost = "at most " if is_below else "at least "
    if _NEAR[0] < ratio < _NEAR[1]:
        percent = round_decimal(abs(1 - ratio) * 100, 3, up=False)
        almost = "at least " if almost else ""
        return f"{what} is {almost}{percent} % {'below' if is_below else 'above'} {claimed}"
    if high == _LEAST:
        almost = "less than "
    if int(ratio) in _GROUPED and not is_below:
        return f"{what} is {almost}{int(ratio):,} times {claimed}"
    return f"{what} is {almost}{round_decimal(ratio, 3, up=is_below)} times {claimed}"


def scale(ratio: Fraction, name: str = "σ", *, verdict: Verdict) -> str:
    """Say what the least noise means for the present one.

    Args:
        ratio: the least noise, rounded up, as a multiple of the present one.
        name: what the noise is called.
        verdict: on the claim; where it holds, a ratio above 1 is only rounding.
    """
    if 2 * ratio <= 1:
        return f"{name} could be {round_decimal(1 / ratio, 3, up=False)} times smaller"
    if ratio < 1:
        return f"{name} could be {round_decimal((1 - ratio) * 100, 3, up=False)} % smaller"
    if verdict is Verdict.HOLDS or ratio == 1:
        return f"{name} could hardly be smaller"
    if ratio < 2:
        return f"{name} must be {round_decimal((ratio - 1) * 100, 3, up=True)} % larger"
    return f"{name} must be {round_decimal(ratio, 3, up=True)} times larger"


def least_noise(least: Fraction, digits: int, *, holds_at: Fraction | None = None) -> str:
    """Return a decimal of a least noise, rounded up, but not above a noise that is known to do.

    Args:
        least: the least noise, or a number a little above it.
        digits: how many to show.
        holds_at: a noise for which the claim holds; None where none is known.
    """
    shown = round_decimal(least, digits, up=True)
    if holds_at is not None and Fraction(shown) > holds_at:
        return decimal_of(holds_at)
    return shown


def sigma_would_do(sigma: Fraction, variance: Fraction, unit: str, *, holds: bool) -> str:
    """Name a σ from which on a claim holds.

    Args:
        sigma: it, rounded up.
        variance: the square of the present one.
        unit: what σ is counted in, if anything.
        holds: whether the claim holds at the present σ: then none above that one is named.
    """
    least, most = root_bounds(variance, _ROOT_DIGITS)
    at = least if holds and least == most else None
    shown = least_noise(sigma, _SIGMA_DIGITS, holds_at=at)
    if holds and Fraction(shown) ** 2 > variance:  # a root, which no decimal is
        return "the σ that it has would do"
    return f"σ = {with_unit(shown, unit)} would do"


def with_unit(number: str, unit: str) -> str:
    """Return a number with its unit, if it has one."""
    return f"{number} {unit}" if unit else number
