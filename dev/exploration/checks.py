"""What must hold of one input: balls meet, with the reference in them, floats on the safe side."""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from dporacle import enclosures, fast, reference
from dporacle.vocabulary import QUANTITIES

Checked = tuple[str, str]
"""(what became of an input: "checked", "refused", "no answer" or "finding", in words why)."""

WAITING = "waiting for the reference"
COARSE, FINE, DIGITS = 8, 30, 20
_BITS = 512
_WIDEST = 1e150  # the widest discrete noise that the float64 functions take
_MULTIPLIERS = 0.1, 1e3  # the noise multipliers of DP-SGD that they take and find
_RAREST = 1e-8  # the least sampling rate that they take
_LARGEST = sys.float_info.max
# A float64 result is right to far more digits than this where the exact value is a normal float.
_GROSS = 1e-6
_NORMAL, _LEAST = 1e-290, 5e-324
_MAGNIFIED = 1e6
# float64 functions that state what is exact at inputs that are this share of themselves worse.
_BACKWARD = {"laplace_gaussian_delta": Fraction(1, 2**48)}
# Where less than these, only the safe side of a float64 is asked for: the docstrings tell how near
# they are above them. Of DP-SGD, Chernoff's bound may be all there is.
_SAMPLED = ("subsampled_", "fixed_size_")
_BINS = "balls_and_bins_"
_LEAST_DELTA = {**dict.fromkeys(_SAMPLED, 1e-12), "rank_one_private": 1e-7, _BINS: 1e-3}
_LEAST_SIGMA, _LEAST_RATE, _LEAST_STEPS = 0.5, 1e-3, 1000
_MOST_SIGMA = 20.0  # of balls-and-bins
_LAST_BITS = Fraction(1, 2**46)  # of ε, in which the float64 functions tell no loss from it
_KNOWN_RATIOS = 1e-6, 1e20  # σ*/Δ² between which they find one
_OFF = {"rank_one_private_sigma_star": 1e-5}  # where the docstring states more than is gross
# The ε up to which these are as near as they say.
_NEAR = {
    "discrete_delta_at_epsilon": 1e4,
    "rank_one_delta_at_epsilon": 1e4,
    "rank_one_private_sigma_star": 8.0,
}
# float64 functions that are as near as their module says, on either side.
_NEAREST = ("discrete_variance", "universal_threshold", "bayes", "james", "positive")
# Differences whose error is told as a share of their terms.
_OF_THE_TERMS = (
    "finite_",
    "low_privacy",
    "rank_one_inner_ball",
    "rank_one_delta",
    "rank_one_total",
)


def check(
    name: str, where: dict[str, Any], tell: Callable[[str], None] = lambda _: None
) -> Checked:
    """Ask every witness for a quantity at one input and compare the answers.

    Args:
        name: of the quantity.
        where: its arguments.
        tell: called with WAITING before the reference is asked.
    """
    try:
        fine = _ball(name, where, FINE)
    except (ValueError, TypeError) as refusal:
        return _refused(name, where, refusal)
    except ArithmeticError as lost:
        return "no answer", f"enclosures: {lost}"
    with ctx.workprec(_BITS):
        complaints: tuple[Callable[..., str], ...] = (_nested, _floated, _referred)
        if _has_ends(name):
            fine = fine.upper() if QUANTITIES[name].safe == "up" else fine.lower()
            complaints = _floated_end, _referred  # any digits have the same two ends
        for complaint in complaints:
            if complaint is _referred:
                tell(WAITING)
            try:
                said = complaint(name, where, fine)
            except ArithmeticError as lost:
                return "no answer", str(lost)
            if said:
                return "finding", said
    return "checked", ""


def _ball(name: str, where: dict[str, Any], digits: int) -> arb:
    """An enclosure at some digits; a function that takes none gives an integer."""
    function: Callable[..., Any] = getattr(enclosures, name)
    try:
        found: arb = function(**where, digits=digits)
        return found
    except TypeError as error:
        if "digits" not in str(error):
            raise
        return arb(function(**where))


def _refused(name: str, where: dict[str, Any], refusal: Exception) -> Checked:
    """What one witness refuses the reference refuses too."""
    try:
        value = _referred_value(name, where)
    except (ValueError, TypeError):
        return "refused", ""
    except ArithmeticError:
        return "no answer", ""
    return "finding", f"enclosures refuse ({refusal}), the reference says {value}"


def _has_ends(name: str) -> bool:
    return name in QUANTITIES and QUANTITIES[name].ends


def _floated_end(name: str, where: dict[str, Any], end: arb) -> str:
    """A float64 is beyond the end on the safe side, as far as its row says or its last digits."""
    row = QUANTITIES[name]
    assert row.float64
    value = arb(float(getattr(fast, name)(**where)))
    if abs(end) < _NORMAL:  # of which no share is told
        end = arb(0)
        safe = value >= end if row.safe == "up" else value <= _NORMAL
        return "" if safe and abs(value) <= 2 * _NORMAL else f"float64 {value}, the end is 0"
    beyond = (value - end if row.safe == "up" else end - value) / abs(end)
    cancelled = row.cancels * math.exp(min(where.get("epsilon", 0.0), 700.0)) / abs(end)
    short = max(10.0 ** (2 - row.certified), row.float64[0])
    if -short <= beyond <= row.float64[1] + cancelled:
        return ""
    return f"float64 {value} is not beyond the end {end}, or far beyond"


def _nested(name: str, where: dict[str, Any], fine: arb) -> str:
    coarse = _ball(name, where, COARSE)
    if not coarse.overlaps(fine):
        return f"balls apart: {coarse} and {fine}"
    if (not fine.is_zero() and not abs(fine) >= 0) or not fine.rad() <= abs(fine) * arb(10) ** (
        1 - FINE
    ):
        return f"ball too wide: {fine}"
    return ""


def _referred_value(name: str, where: dict[str, Any]) -> arb:
    function: Callable[..., Any] = getattr(reference, name)
    try:
        value = function(**where, digits=DIGITS)
    except TypeError as error:
        if "digits" not in str(error):
            raise
        return arb(function(**where))
    sign, mantissa, exponent, _ = value._mpf_
    return arb((-int(mantissa) if sign else int(mantissa), int(exponent)))


def _referred(name: str, where: dict[str, Any], fine: arb) -> str:
    try:
        value = _referred_value(name, where)
    except (ValueError, TypeError) as refusal:
        return f"the reference refuses ({refusal}), enclosures say {fine}"
    digits = QUANTITIES[name].certified if _has_ends(name) else DIGITS
    if abs(value - fine) <= abs(value) * arb(10) ** (1 - min(digits, DIGITS)):
        return ""
    return f"reference {value}, enclosure {fine}"


def _floated(name: str, where: dict[str, Any], fine: arb) -> str:
    function = getattr(fast, name, None)
    values = [v for each in where.values() for v in (each if isinstance(each, list) else [each])]
    if function is None or any(isinstance(value, Fraction) for value in values):
        return ""
    outside = not arb(_LEAST) <= abs(fine) <= arb(_LARGEST) * (1 - _GROSS)
    try:
        value = float(np.asarray(function(**where)))
    except OverflowError:
        if name == "rank_one_private_sigma_star":
            ratio = fine / arb(where["sensitivity"]) ** 2
            outside = outside or not _KNOWN_RATIOS[0] < ratio < _KNOWN_RATIOS[1]
        return "" if outside else f"float64 overflows, exact {fine}"
    except (ValueError, TypeError) as refusal:
        if name.startswith("discrete") and where.get("sigma", fine) > _WIDEST:
            return ""
        if name.startswith(_SAMPLED) and _beyond_float64(name, where, fine):
            return ""
        return "" if outside else f"float64 refuses ({refusal}), exact {fine}"
    if math.isnan(value):
        return f"float64 is NaN, exact {fine}"
    safe = QUANTITIES[name].safe if name in QUANTITIES else None
    if name.startswith((*_NEAREST, "soft")):
        safe = None
    if math.isinf(value):
        fits = safe != "down" and (fine > 0) == (value > 0) and abs(fine) > _LARGEST * (1 - _GROSS)
        return "" if fits else f"float64 is {value}, exact {fine}"
    exact = arb(fmpq(*value.as_integer_ratio()))
    if safe == "up" and exact < fine:
        return f"float64 {value!r} is below the exact {fine}"
    if safe == "down" and exact > fine:
        return f"float64 {value!r} is above the exact {fine}"
    if name in _NEAR and where["epsilon"] > _NEAR[name]:
        return ""
    if name in ("repeated_delta", "repeated_epsilon") and _magnifies(where, fine):
        return ""
    if name.startswith("finite_loss") and _tied(name, where):
        return ""
    if name == "discrete_accuracy" and _between(name, where, exact):
        return ""
    if name in _BACKWARD and _worse(name, where) * (1 + _GROSS) + _LEAST >= exact:
        return ""
    least = (each for part, each in _LEAST_DELTA.items() if name.startswith(part))
    if where.get("delta", fine) < next(least, 0.0):
        return ""
    if name.startswith(_SAMPLED) and _unusual(where):
        return ""
    if name.startswith(_BINS) and not _LEAST_SIGMA < where["sigma"] < _MOST_SIGMA:
        return ""
    size = arb(max(abs(fine), _scale(name, where)))
    cancels = QUANTITIES[name].cancels if name in QUANTITIES else 0.0
    off = cancels * math.exp(min(where.get("epsilon", 0.0), 700.0))  # of terms that hardly differ
    allowed = _OFF.get(name, _GROSS) * size + off
    if not outside and size > _NORMAL and not abs(exact - fine) <= allowed:
        return f"float64 {value!r} is far from the exact {fine}"
    if not size > _NORMAL and not abs(exact) <= 2 * _NORMAL + off:
        return f"float64 {value!r} is far from the exact {fine}"
    return ""


def _beyond_float64(name: str, where: dict[str, Any], fine: arb) -> bool:
    """Whether a setting of DP-SGD is outside of what the float64 functions take or find."""
    half = 2 if name.startswith("fixed_size_") else 1
    least, most = (half * each for each in _MULTIPLIERS)
    if name.endswith("_sigma") and not least < fine < most:
        return True
    phases = _phases(where)
    return any(rate < _RAREST or not least <= sigma <= most for sigma, rate, _ in phases)


def _unusual(where: dict[str, Any]) -> bool:
    """Whether there are few steps, little noise or records sampled rarely."""
    sigmas, rates, steps = zip(*_phases(where), strict=True)
    return bool(min(sigmas) < _LEAST_SIGMA or min(rates) < _LEAST_RATE or sum(steps) < _LEAST_STEPS)


def _phases(where: dict[str, Any]) -> list[tuple[float, float, int]]:
    return where.get("phases") or [(where.get("sigma", 1.0), where["rate"], where["steps"])]


def _magnifies(where: dict[str, Any], fine: arb) -> bool:
    """Whether the rounding of √k·D, which these say they carry, outweighs their other errors."""
    square = where["releases"] * (arb(where["sensitivity"]) / arb(where["sigma"])) ** 2
    if "delta" in where:
        return bool((square + 1) / fine > _MAGNIFIED) if not fine.is_zero() else False
    epsilon = arb(where["epsilon"])
    return bool(epsilon**2 / square + epsilon + square / 4 > _MAGNIFIED)


def _worse(name: str, where: dict[str, Any]) -> arb:
    """The exact value at inputs that are a little less private, times e^{2^-49(ε + μ²)}."""
    row, share = QUANTITIES[name], _BACKWARD[name]
    sides = {key: row.rises(key) - row.falls(key) for key in where}
    less = {key: Fraction(value) * (1 + sides[key] * share) for key, value in where.items()}
    size = arb(where["epsilon"]) + arb(where["mu"]) ** 2
    return _ball(name, less, FINE) * (size * arb(2) ** -49).exp()


def _tied(name: str, where: dict[str, Any]) -> bool:
    """Whether an output's loss is ε to the last bits: it may be counted on either side."""
    near = [Fraction(where["epsilon"]) + side * _LAST_BITS for side in (-1, 1)]
    if near[0] < 0:
        return True
    low, high = (_ball(name, where | {"epsilon": each}, FINE) for each in near)
    return bool(low != high)


def _between(name: str, where: dict[str, Any], value: arb) -> bool:
    """Whether a value is right at a level within the share of α that this says it may be off."""
    shares = Fraction(1, 2**39), -Fraction(1, 2**39)
    low, high = (
        _ball(
            name, where | {"alpha": min(Fraction(where["alpha"]) * (1 + share), Fraction(1))}, FINE
        )
        for share in shares
    )
    return bool(low <= value <= high)


def _scale(name: str, where: dict[str, Any]) -> arb:
    """What an error is told as a share of, where that is not the value itself."""
    if name.endswith("count_threshold"):  # 1 and what the noise adds
        noise = where.get("sigma") or arb(where["contributions"]) / arb(where["epsilon"])
        return 1 + arb(noise)
    if name.startswith(_OF_THE_TERMS):
        return arb(1)
    if name == "laplace_epsilon_at_delta":  # a difference from D/b
        return arb(where["sensitivity"]) / arb(where["scale"])
    if name.startswith(("james", "positive")):
        found: arb = where["dimension"] * arb(where["sigma"]) ** 2
        return found
    return arb(0)
