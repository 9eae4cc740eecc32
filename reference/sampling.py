"""Discrete Gaussian noise drawn exactly, by integers alone (X.DG); rank-one noise to any digits.

The algorithms of Canonne, Kamath and Steinke (2020), for a rational σ²: every decision is a
comparison of integers with uniform integers, so that the law is exact, whatever σ. A rank-one
vector is a function of uniform numbers that are drawn bit by bit until its digits are settled.
`proofs_notes/samplers.md` has the proofs.
"""

from __future__ import annotations

import math
import secrets
from fractions import Fraction
from typing import Protocol

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.numerics.precision import ZERO, Real, bits_for, freeze, real, working


class Randomness(Protocol):
    """Where uniform integers come from: `random.Random`, or `secrets.SystemRandom`."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform integer from 0 to `stop` − 1."""


def discrete_gaussian_sample(*, sigma: Exact, randomness: Randomness | None = None) -> int:
    """Draw an integer k with probability in proportion to e^{−k²/2σ²} (X.DG).

    Args:
        sigma: the parameter σ, in (0, ∞), exactly as given.
        randomness: by default the operating system's.

    Raises:
        TypeError, ValueError: if sigma is not such a number.
    """
    variance = arguments.positive("sigma", sigma) ** 2
    chance = secrets.SystemRandom() if randomness is None else randomness
    scale = math.isqrt(variance.numerator // variance.denominator) + 1
    while True:
        drawn = discrete_laplace(scale, chance)
        if bernoulli_exponential((abs(drawn) - variance / scale) ** 2 / (2 * variance), chance):
            return drawn


def discrete_laplace(scale: int, chance: Randomness) -> int:
    """Draw an integer k with probability in proportion to e^{−|k|/t}, for a whole scale t ≥ 1."""
    while True:
        rest = chance.randrange(scale)
        if not bernoulli_exponential(Fraction(rest, scale), chance):
            continue
        whole = 0
        while bernoulli_exponential(Fraction(1), chance):
            whole += 1
        size = rest + scale * whole
        negative = bool(chance.randrange(2))
        if size or not negative:  # one of the two zeros
            return -size if negative else size


def bernoulli_exponential(rate: Fraction, chance: Randomness) -> bool:
    """Return True with probability e^{−γ}, for a rational γ ≥ 0.

    For γ ≤ 1 the number of successes in a row with chances γ, γ/2, γ/3, … is even with
    probability 1 − γ + γ²/2! − …
    """
    for _ in range(int(rate)):
        if not _small(Fraction(1), chance):
            return False
    return _small(rate - int(rate), chance)


def _small(rate: Fraction, chance: Randomness) -> bool:
    successes = 0
    while _bernoulli(rate / (successes + 1), chance):
        successes += 1
    return successes % 2 == 0


def _bernoulli(rate: Fraction, chance: Randomness) -> bool:
    return chance.randrange(rate.denominator) < rate.numerator


def rank_one_sample(
    *, sigma_star: Exact, dimension: int, digits: int = 17, randomness: Randomness | None = None
) -> list[Real]:
    """Draw a vector √σ*·z·u, z standard normal and u uniform on the unit sphere (JL24.T1).

    The vector has exactly this law; what is returned are its coordinates, each to a relative
    10^-digits. Uniform numbers are drawn bit by bit, as many as settle that.

    Args:
        sigma_star: variance of the signed length, in (0, ∞), exactly as given.
        dimension: from 1 on.
        digits: correct decimal digits of each coordinate.
        randomness: by default the operating system's.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    variance = arguments.positive("sigma_star", sigma_star)
    count, asked = arguments.dimension(dimension), arguments.digits(digits)
    chance = secrets.SystemRandom() if randomness is None else randomness
    length = _HalfNormal(chance)
    sides = [_HalfNormal(chance) for _ in range(count)]
    signs = [-1 if chance.randrange(2) else 1 for _ in sides]
    spare = 2
    while True:
        found = _vector(variance, length, sides, asked, spare)
        if found is not None:
            return [sign * size for sign, size in zip(signs, found, strict=True)]
        spare *= 2


class _HalfNormal:
    """|z| of a standard normal z, between limits: Pr[|Z| > |z|] is uniform, drawn bit by bit."""

    def __init__(self, chance: Randomness) -> None:
        self._chance, self._top, self._bits = chance, 0, 0

    def limits(self, digits: int) -> tuple[Real, Real]:
        """Return limits that are so many digits of the uniform number apart."""
        more = bits_for(digits) - self._bits
        if more > 0:
            self._top = (self._top << more) + self._chance.randrange(1 << more)
            self._bits += more
        whole = 1 << self._bits
        below, above = Fraction(self._top, whole), Fraction(self._top + 1, whole)
        low = ZERO if above == 1 else accuracy(alpha=above, sigma=1, digits=digits)
        if below == 0:
            return low, None
        return low, accuracy(alpha=below, sigma=1, digits=digits)


def _vector(
    variance: Fraction, length: _HalfNormal, sides: list[_HalfNormal], digits: int, spare: int
) -> list[Real] | None:
    """Return the sizes of the coordinates, if so many bits settle them; else None.

    |zgᵢ|/‖g‖ rises with |z| and |gᵢ|, and falls with every other |gⱼ|.
    """
    finer = digits + spare
    pairs = [each.limits(finer) for each in (length, *sides)]
    if any(high is None for _, high in pairs):
        return None
    with working(bits_for(finer) + 32) as ctx:
        slack = ctx.mpf(10) ** (2 - finer)  # of the quantiles' digits and of what follows
        (low_z, high_z), *ends = [(real(ctx, a), real(ctx, b)) for a, b in pairs]
        squares = [ctx.fsum(end[side] ** 2 for end in ends) for side in (0, 1)]
        scale = ctx.sqrt(real(ctx, variance))
        found = []
        for low, high in ends:
            others = [max(squares[side] - ends_**2, 0) for side, ends_ in ((1, high), (0, low))]
            least = scale * low_z * low / ctx.sqrt(low**2 + others[0]) if low else ctx.zero
            most = scale * high_z * high / ctx.sqrt(high**2 + others[1])
            if not most * (1 + slack) - least * (1 - slack) <= least * ctx.mpf(10) ** -digits:
                return None
            found.append(freeze((least + most) / 2))
    return found
