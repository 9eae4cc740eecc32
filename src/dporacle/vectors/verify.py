"""Verify the vectors with other identities and another arithmetic than those that made them.

The enclosures made them, in ball arithmetic. Here mpmath computes each answer anew, by the fourth
witness (`dporacle.identities`) or, where that has no identity, by the reference, whose formula is
another one too.
Neighbouring floats are found by counting in their bit patterns, not by the code that rounded.
"""

import math
import struct
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from dporacle import arguments
from dporacle.identities import FAR, IDENTITIES, PROFILES, far_epsilon, mu_of
from dporacle.vectors.by_reference import WAYS, by_reference
from dporacle.vectors.vector_file import Rounded, Vector, VectorFile
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.kinds import NOISE_NEEDED

_DIGITS = 50
_BITS = 256
_MORE_BITS = 24  # where a value takes long
_MAX_BITS = 1 << 14
_TINY = Fraction(1, 10**44)
_own = threading.local()


def way(function: str) -> str:
    """Return how the vectors of a function are verified, in words."""
    if function in IDENTITIES:
        text = (IDENTITIES[function].__doc__ or "").strip().splitlines()[0]
        return text.removeprefix("Return ").rstrip(".")
    if function in PROFILES:
        return "δ(ε), by another identity, passes the δ asked for between the enclosure's two ends"
    return WAYS[function]


def disagreement(file: VectorFile, vector: Vector) -> str | None:
    """Return what another identity says against a vector, or None.

    Its answer, wrong by at most 10^-50 of itself, must lie inside the enclosure widened by that
    much, and the enclosure must be tight to 40 digits (or fewer, if the quantity's row says so);
    the floats must be next to it, on the sides that they claim.
    """
    low, high = vector.bounds()
    digits = _digits(file.function)
    if QUANTITIES[file.function].ends:
        return _off_the_end(file, vector)
    if file.function in PROFILES and not _far(vector):
        exact, slack = (low + high) / 2, high - low
        if not _passes_between(file.function, vector):
            return f"δ(ε) does not pass δ there: ε is outside [{vector.low}, {vector.high}]"
    else:
        exact = _answer(file.function, vector)
        slack = abs(exact) / 10**digits
        if not low - slack <= exact <= high + slack:
            return f"another identity says {float(exact)!r}, outside [{vector.low}, {vector.high}]"
    if high - low > abs(exact) / 10 ** (tight := digits - 10):
        return f"the enclosure [{vector.low}, {vector.high}] is wider than {tight} digits"
    for name, each in vector.rounded.items():
        if complaint := _wrong_rounding(each, 64 if name == "float64" else 32, exact, slack):
            return f"{name}: {complaint}"
    double = vector.rounded["float64"]
    safe = double.up if file.rounding == "up" else double.down
    if vector.float64 != (None if double.up is None else safe):
        return f"float64 {vector.float64!r} is not the one on the safe side"
    return None


def _off_the_end(file: VectorFile, vector: Vector) -> str | None:
    """Return what another formula of the safe end says against a vector of two ends."""
    row, (low, high) = QUANTITIES[file.function], vector.bounds()
    assert row.safe == "up"
    if not 0 <= low <= high:
        return f"[{vector.low}, {vector.high}] are not two ends"
    exact = by_reference(file.function, vector.inputs, row.certified)
    room = max(Fraction(row.apart), Fraction(2, 10 ** (row.certified - 1)))
    if abs(exact - high) > abs(exact) * room or exact < low * (1 - Fraction(2, 10**row.certified)):
        return f"the end is {float(exact)!r} by another formula, {vector.high} in the vector"
    for name, each in vector.rounded.items():
        size = 64 if name == "float64" else 32
        for value, side in ((each.down, -1), (each.up, 1)):
            if value is None or not _is_of_size(value, size):
                return f"{name}: {value!r} is not of this format"
            beside = high if side > 0 else low
            if not 0 <= (Fraction(value) - beside) * side < beside * _ulps(size) + _TINY:
                return f"{name}: [{each.down!r}, {each.up!r}] is not next to the ends"
    double = vector.rounded["float64"]
    if vector.float64 != (double.up if file.rounding == "up" else double.down):
        return f"float64 {vector.float64!r} is not the one on the safe side"
    return None


def _ulps(size: int) -> Fraction:
    return Fraction(1, 1 << (52 if size == 64 else 23))


def _digits(function: str) -> int:
    """Return to how many digits the answer is computed: some more than are certified."""
    return min(_DIGITS, QUANTITIES[function].certified + 5)


def _far(vector: Vector) -> bool:
    """Whether ε is so large that δ(ε) cannot be computed to find it: of one release."""
    named = set(vector.inputs)
    alone = "mu" in named or named - {"delta", "epsilon"} == {"sigma", "sensitivity"}
    return alone and mu_of(vector.inputs) >= FAR


def _answer(function: str, vector: Vector) -> Fraction:
    if function in IDENTITIES:
        given = {name: Fraction(value) for name, value in vector.inputs.items()}
        zero = vector.low == vector.high == "0"
        return _settled(lambda ctx: IDENTITIES[function](ctx, given), function, zero=zero)
    if function in PROFILES:
        return _settled(lambda ctx: far_epsilon(ctx, vector.inputs), function)
    return by_reference(function, vector.inputs, _digits(function))


def _passes_between(function: str, vector: Vector) -> bool:
    """Whether δ(low) ≥ δ ≥ δ(high) for an enclosure of ε or σ, or δ(0) ≤ δ for an ε of 0.

    Where δ = 0, the enclosure may be a point, at which δ is 0 too: then it is positive just before.
    """
    given = {name: Fraction(value) for name, value in vector.inputs.items()}
    target, row = given["delta"], QUANTITIES[function]
    unknown = row.mechanism.parameter if row.kind is NOISE_NEEDED else "epsilon"

    def delta(value: Fraction) -> Fraction:
        inputs = {**given, unknown: value}
        return _settled(lambda ctx: PROFILES[function](ctx, inputs), function, zero=not target)

    low, high = vector.bounds()
    if not target:
        return not delta(high) and (high == 0 or delta(low - low / 10 ** _digits(function)) > 0)
    slack = target / 10 ** _digits(function)
    falls = delta(high) <= target + slack
    return falls and (high == 0 or delta(low) >= target - slack)


def _settled(formula: Callable[[Any], Any], function: str, *, zero: bool = False) -> Fraction:
    """Return a formula's value at a precision at which a larger one no longer changes it.

    Twice the same zero is the look of complete cancellation too: it counts where it is expected.
    """
    context = _own.__dict__.setdefault("context", mpmath.MPContext())
    digits = _digits(function)
    costly = QUANTITIES[function].costly and digits < _DIGITS
    previous, bits = None, 4 * digits if costly else _BITS
    while bits <= _MAX_BITS:
        context.prec = bits
        value = formula(context)
        if previous is not None:
            context.prec = 2 * bits
            if (value or zero) and abs(value - previous) <= abs(value) / context.mpf(10) ** (
                digits + 1
            ):
                return arguments.exact("answer", value)
        previous, bits = value, bits + _MORE_BITS if costly else 2 * bits
    raise ArithmeticError(f"no agreement at {_MAX_BITS} bits")


def _wrong_rounding(rounded: Rounded, size: int, exact: Fraction, slack: Fraction) -> str | None:
    down, up = rounded.down, rounded.up
    largest = _largest(size)
    for end in (down, up):
        if end is not None and not _is_of_size(end, size):
            return f"{end!r} is not of this format"
    if down is None or (up is None and (down != largest or exact < Fraction(largest))):
        return "null although there is one"
    if Fraction(down) > exact + slack or (up is not None and Fraction(up) < exact - slack):
        return f"[{down!r}, {up!r}] does not hold the answer"
    if rounded.nearest == "exact":
        return None if down == up and abs(Fraction(down) - exact) <= slack else "not exact"
    if up is None:
        return None
    if _after(down, size) != up:
        return f"{down!r} and {up!r} are not next to each other"
    nearer = exact - Fraction(down) - (Fraction(up) - exact)  # positive: nearer to the upper one
    wrong = nearer > 2 * slack if rounded.nearest == "down" else nearer < -2 * slack
    return f"{rounded.nearest} is not the nearest" if wrong else None


def _largest(size: int) -> float:
    return math.nextafter(math.inf, 0) if size == 64 else _pattern(0x7F7FFFFF)


def _pattern(bits: int) -> float:
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    return float(value)


def _is_of_size(value: float, size: int) -> bool:
    try:
        return size == 64 or _pattern(_bits(value)) == value
    except OverflowError:
        return False


def _bits(value: float) -> int:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return int(bits)


def _after(value: float, size: int) -> float:
    """Return the number of the format after a nonnegative one."""
    return math.nextafter(value, math.inf) if size == 64 else _pattern(_bits(value) + 1)
