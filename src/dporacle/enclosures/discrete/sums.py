"""δ(ε) of integer noise that is a sum of independent noises (N1 to N4 of integer_noise.md).

A law is a list of masses, and a bound of all that the list leaves out. δ(ε) follows from the list,
between two ends that are as close as what is left out is small.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

import flint
from flint import arb, arb_poly

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.discrete.lattice import half_sums, normaliser

__all__ = ["Addends", "NoiseBound", "closeness", "integer_noise_delta", "law_of_sum"]

NoiseName = Literal["discrete-gaussian", "discrete-laplace", "skellam"]
Bounded = Literal["redrawn", "clamped"]

_MOST_POINTS = 100_000  # of a list
_MOST_TERMS = 1_000_000  # of the sums over all shifts
_MOST_BITS = 1 << 14  # of what a list may leave out
_LN2 = math.log(2)


class Addends(NamedTuple):
    """Independent noises of one law.

    Attributes:
        name: which law.
        parameter: σ² of Pr[x] ∝ e^{−x²/2σ²}, b of Pr[x] ∝ e^{−|x|/b}, or the variance λ of the
            difference of two Poisson variables of mean λ/2.
        times: how many there are.
    """

    name: NoiseName
    parameter: Fraction
    times: int


class NoiseBound(NamedTuple):
    """How the whole noise is kept within −at, …, at."""

    at: int
    by: Bounded


@dataclass(frozen=True, slots=True)
class ListedLaw:
    """Masses of a law on the integers.

    Attributes:
        masses: no mass is below its part of the list, which starts at `low`.
        low: the first integer of the list.
        lost: at least what the true masses have beyond those of the list, all together.
    """

    masses: list[arb]
    low: int
    lost: arb


def integer_noise_delta(
    *,
    epsilon: Fraction,
    addends: tuple[Addends, ...],
    sensitivity: int,
    digits: int,
    modulus: int | None = None,
    bound: NoiseBound | None = None,
) -> arb:
    """Enclose δ(ε) of an integer with this noise, over every change by at most the sensitivity.

    Args:
        epsilon: ε ≥ 0.
        addends: the noises that are added; none of them is no noise.
        sensitivity: Δ ≥ 1.
        digits: of the ball.
        modulus: what is released is the remainder modulo this, at least 2; None: the integer.
        bound: how the noise, before it is added, is kept within bounds.

    Raises:
        ArithmeticError: if that takes too many points.
    """
    tails = [each.parameter for each in addends if each.name == "discrete-laplace" and each.times]
    if tails and bound is None and epsilon * max(tails) >= sensitivity:
        return arb(0)  # N4

    def formula() -> arb:
        bits = flint.ctx.prec + math.ceil(epsilon / Fraction(_LN2)) + 8
        law = bounded(law_of_sum(addends, bits), bound)
        return _largest(law, ball(epsilon).exp(), sensitivity, modulus, bound)

    return tighten(formula, digits)


def law_of_sum(addends: Sequence[Addends], bits: int) -> ListedLaw:
    """Return the law of a sum, of which less than about 2^-bits is left out.

    Raises:
        ArithmeticError: if that takes too many points.
    """
    return _law_of_sum(tuple(addends), bits, flint.ctx.prec)


@lru_cache(maxsize=64)
def _law_of_sum(addends: tuple[Addends, ...], bits: int, _precision: int) -> ListedLaw:
    if bits > _MOST_BITS:
        raise ArithmeticError(f"masses below 2^-{_MOST_BITS} are not listed")
    law = ListedLaw([arb(1)], 0, arb(0))
    for each in addends:
        if each.times:
            law = _plus(law, _repeated(each, bits), bits)
    return law


def _repeated(addends: Addends, bits: int) -> ListedLaw:
    """Return the law of all noises of one kind together."""
    name, parameter, count = addends
    if name == "skellam":
        return _skellam(parameter * count, bits)
    if name == "discrete-gaussian" and count > 1:
        tau = closeness(parameter, count)
        if tau is not None and tau < arb(2) ** -bits:
            whole = _gaussian(parameter * count, bits)
            factor = arb(0, tau.upper()).exp()  # N2
            return ListedLaw(
                [mass * factor for mass in whole.masses], whole.low, (whole.lost * factor).upper()
            )
    square = (
        _gaussian(parameter, bits) if name == "discrete-gaussian" else _laplace(parameter, bits)
    )
    found: ListedLaw | None = None
    while True:
        if count & 1:
            found = square if found is None else _plus(found, square, bits)
        count >>= 1
        if not count:
            assert found is not None
            return found
        square = _plus(square, square, bits)


def closeness(variance: Fraction, count: int) -> arb | None:
    """Bound τ of a sum of discrete Gaussians (N2); None where its series is no bound."""
    x = (-(arb.pi() ** 2) * ball(variance)).exp()
    q = x / (1 - x)
    return (count - 1) * (4 * q / (1 - 2 * q)).log1p() if q < 0.25 else None


def _width(size: float) -> int:
    if not size < _MOST_POINTS:
        raise ArithmeticError(f"the noise has more than {_MOST_POINTS} points")
    return math.ceil(size)


def _both_sides(half: list[arb], tail: arb) -> ListedLaw:
    """Return a symmetric law by its masses at 0, 1, … and what it has beyond them on one side."""
    return ListedLaw([*half[:0:-1], *half], 1 - len(half), (2 * tail).upper())


def _gaussian(variance: Fraction, bits: int) -> ListedLaw:
    far = _width(math.sqrt(2 * _LN2 * bits * float(variance))) + 1
    s = ball(1 / (2 * variance))
    whole = normaliser(s)[0]
    half, term, step, ratio = [], 1 / whole, (-s).exp(), (-2 * s).exp()
    for _ in range(far + 1):
        half.append(term)
        term, step = term * step, step * ratio
    return _both_sides(half, half_sums(s, far + 1)[0] / whole)


def _laplace(scale: Fraction, bits: int) -> ListedLaw:
    far = _width(_LN2 * bits * float(scale)) + 1
    ratio = (-ball(1 / scale)).exp()
    half = [(ball(1 / scale) / 2).tanh()]  # (1 − a)/(1 + a)
    for _ in range(far):
        half.append(half[-1] * ratio)
    return _both_sides(half, half[-1] * ratio / (1 - ratio))


def _skellam(variance: Fraction, bits: int) -> ListedLaw:
    """By I_{y−1} = I_{y+1} + (2y/λ)I_y, downwards, in which nothing cancels."""
    rate = float(variance)
    far = 8
    # Chernoff's bound of the tail, as a guess: what is left out is enclosed below.
    while far * math.asinh(far / rate) - math.hypot(rate, far) + rate < _LN2 * bits:
        far = _width(far * 1.25)
    v = ball(variance)
    upper, term = ((-v).exp() * v.bessel_i(arb(y)) for y in (far + 1, far))
    half = [term]
    first = upper / term
    for y in range(far, 0, -1):
        upper, term = term, upper + 2 * y / v * term
        half.append(term)
    # The ratio of a mass to the one before falls (N1): a geometric series is a bound.
    return _both_sides(half[::-1], half[0] * first / (1 - first))


def _plus(one: ListedLaw, other: ListedLaw, bits: int) -> ListedLaw:
    """Return the law of the sum of two independent noises; tiny ends are left out."""
    if len(one.masses) + len(other.masses) > 4 * _MOST_POINTS:
        raise ArithmeticError(f"the noise has more than {_MOST_POINTS} points")
    masses = (arb_poly(one.masses) * arb_poly(other.masses)).coeffs()
    masses += [arb(0)] * (len(one.masses) + len(other.masses) - 1 - len(masses))
    tiny = arb(2) ** -(bits + 8)
    ends = []
    for side in (masses, masses[::-1]):
        left, count = arb(0), 0
        while count < len(side) - 1 and left + side[count].abs_upper() < tiny:
            left += side[count].abs_upper()
            count += 1
        ends.append((count, left))
    (first, below), (last, above) = ends
    kept = masses[first : len(masses) - last]
    lost = (one.lost + other.lost + below + above).upper()
    if len(kept) > 2 * _MOST_POINTS:
        raise ArithmeticError(f"the noise has more than {_MOST_POINTS} points")
    return ListedLaw(kept, one.low + other.low + first, lost)


def bounded(law: ListedLaw, bound: NoiseBound | None) -> ListedLaw:
    """Return the law of the noise that is kept within bounds (N3)."""
    if bound is None:
        return law
    at, by = bound
    if at > _MOST_POINTS:
        raise ArithmeticError(f"the noise has more than {_MOST_POINTS} points")
    masses = [arb(0)] * (2 * at + 1)
    for y, mass in enumerate(law.masses, law.low):
        if by == "clamped":
            masses[max(-at, min(at, y)) + at] += mass
        elif abs(y) <= at:
            masses[y + at] += mass
    if by == "clamped":
        return ListedLaw(masses, -at, law.lost)
    kept = sum(masses, arb(0))
    kept = kept.union(kept + law.lost)
    return ListedLaw([mass / kept for mass in masses], -at, (law.lost / kept).upper())


def _largest(
    law: ListedLaw, power: arb, sensitivity: int, modulus: int | None, bound: NoiseBound | None
) -> arb:
    """Enclose the largest δ of all shifts by at most the sensitivity."""
    clamped = bound is not None and bound.by == "clamped"
    if modulus is not None and len(law.masses) + sensitivity > modulus:
        shifts = range(1, min(sensitivity, modulus // 2) + 1)
        _limit(len(shifts) * modulus)
        residues = _residues(law, modulus)
        return _most([_of_residues(residues, power, shift) for shift in shifts])
    if not clamped:  # N1, N3, and N4 for a remainder
        return _of_integers(law, power, sensitivity)
    _limit(sensitivity * (len(law.masses) + sensitivity))
    return _most([_of_integers(law, power, shift) for shift in range(1, sensitivity + 1)])


def _limit(terms: int) -> None:
    if terms > _MOST_TERMS:
        raise ArithmeticError(f"all shifts together have more than {_MOST_TERMS} terms")


def _most(values: Sequence[arb]) -> arb:
    largest = values[0]
    for value in values[1:]:
        largest = largest.max(value)
    return largest


def _positive(value: arb) -> arb:
    if value > 0:
        return value
    return arb(0) if value <= 0 else value.union(arb(0)).max(arb(0))


def _of_integers(law: ListedLaw, power: arb, shift: int) -> arb:
    """Enclose Σ(p(y − d) − e^ε·p(y))₊ (N1)."""
    masses, size = law.masses, len(law.masses)
    _limit(size + min(shift, size))
    total = arb(0)
    for y in range(shift, size + shift):  # where p(y − d) is listed
        moved = masses[y - shift]
        total += _positive(moved - power * masses[y]) if y < size else moved
    return _between(total, power, law.lost)


def _between(total: arb, power: arb, lost: arb) -> arb:
    below = (total - power * lost).max(arb(0))
    return below.union((total + lost).min(arb(1)))


def _residues(law: ListedLaw, modulus: int) -> list[arb]:
    """Return the mass of each remainder."""
    found = [arb(0)] * modulus
    for y, mass in enumerate(law.masses, law.low):
        found[y % modulus] += mass
    more = arb(0).union(law.lost)
    return [mass + more for mass in found]


def _of_residues(masses: list[arb], power: arb, shift: int) -> arb:
    terms = (masses[y - shift] - power * masses[y] for y in range(len(masses)))
    return sum(map(_positive, terms), arb(0)).min(arb(1))
