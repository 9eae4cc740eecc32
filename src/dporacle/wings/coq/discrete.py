"""Discrete Gaussian noise: errors within a bound or not, privacy refuted (`Discrete.v`)."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from dporacle.wings.coq.propositions import NotCoveredError, Proposition
from dporacle.wings.coq.reals import Real, number, sqrt

_NEEDS = ("Discrete",)
_MOST_TERMS = 8000  # as many exponentials take some seconds
_MOST_EXPONENT = 10**5  # the checker's exponential takes time in proportion
_DIGITS = 50
_NEGLIGIBLE = mpf(2) ** -10  # of the distance of the two sides, for what is not summed

Data = Mapping[str, Any]


class _Noise:
    """The noise of one count.

    Attributes:
        sigma: its parameter.
        variance: σ².
    """

    def __init__(self, about: Data) -> None:
        if about.get("sigma") is not None:
            self.sigma = number(Fraction(about["sigma"]))
            self.variance = Fraction(about["sigma"]) ** 2
        else:
            if about.get("rho") is not None:
                square = Fraction(about["sensitivity"]) ** 2 / (2 * Fraction(about["rho"]))
            else:
                square = Fraction(about["sigma_squared"])
            self.sigma, self.variance = sqrt(number(square)), square

    def onwards(self, start: int, terms: int) -> mpf:
        """Return the sum of so many weights from a number on."""
        scale = -mpf(self.variance.denominator) / (2 * self.variance.numerator)
        return mp.fsum(mp.exp(scale * x * x) for x in range(start, start + terms))

    def window(self, most: int) -> mpf:
        """Return the sum of the weights up to a number, on both sides."""
        return 1 + 2 * self.onwards(1, most)

    def beyond(self, most: int) -> mpf:
        """Return an upper bound of the weights above a number."""
        sigma = self.sigma.value()
        return sigma * mp.sqrt(2 * mp.pi) * mp.ncdf(-most / sigma)

    def far(self, rest: mpf) -> int:
        """Return a number beyond which less than that is left of the weights, on both sides.

        Raises:
            NotCoveredError: if it is large.
        """
        sigma = self.sigma.value()
        most = math.ceil(sigma * mp.sqrt(2 * mp.log1p((1 + 4 * sigma) / rest)))
        return self.summable(most)

    def summable(self, most: int) -> int:
        """Return a number up to which the weights can be summed.

        Raises:
            NotCoveredError: if it is large, or its weight too small.
        """
        if most > _MOST_TERMS:
            raise NotCoveredError(f"sums of more than {_MOST_TERMS} weights of noise on integers")
        if most**2 > 2 * self.variance * _MOST_EXPONENT:
            raise NotCoveredError(f"weights of noise on integers below e^-{_MOST_EXPONENT}")
        return most

    def far_off(self, most: int) -> Real:
        """Return where Φ is asked for."""
        return Real("", lambda: most / self.sigma.value())


def accuracy(said: Data, about: Data, *, holds: bool) -> Proposition:
    """Return "the largest error of so many counts exceeds this with probability ≤ alpha"."""
    noise, alpha = _Noise(about), number(Fraction(said["alpha"]))
    error, queries = math.floor(Fraction(said["at_most"])), said.get("queries", 1)
    noise.summable(error)
    with mp.workdps(_DIGITS - min(int(mp.log10(alpha.value())), 0)):
        everything = noise.window(noise.far(mp.eps))
        gap = abs(1 - alpha.value() - (noise.window(error) / everything) ** queries)
        if not gap:
            raise NotCoveredError("a probability that is the claimed one to fifty digits")
        most = noise.far(min(gap, 1) * _NEGLIGIBLE / queries)

    def within() -> mpf:
        left = 2 * noise.beyond(most) if holds else 0
        return (noise.window(error) / (noise.window(most) + left)) ** queries

    return Proposition(
        f"discrete_accuracy {error} {alpha.text} {noise.sigma.text} {queries}",
        (number(1) - alpha, Real("", within)),
        ((noise.far_off(most), lambda: mpf(16 * queries)),),
        operations=64 * (error + most) * queries,
        tactic=f"by_sums {most}%nat {{bits}}%positive {{terms}}%nat.",
        needs=_NEEDS,
    )


def refuted(said: Data, about: Data, sensitivity: int) -> Proposition:
    """Return the privacy that large outputs refute."""
    noise = _Noise(about)
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    half = Fraction(sensitivity, 2)
    start = math.floor(Fraction(said["epsilon"]) * noise.variance / sensitivity - half) + 1

    def sides(terms: int, most: int) -> tuple[mpf, mpf]:
        second = noise.onwards(start + sensitivity, terms)
        everything = noise.window(most) + 2 * noise.beyond(most)
        weighed = mp.exp(epsilon.value()) * second + delta.value() * everything
        return weighed, noise.onwards(start, terms)

    with mp.workdps(_DIGITS):
        every = noise.far(mp.eps) + abs(start)
        if every > _MOST_TERMS:
            raise NotCoveredError(f"sums of more than {_MOST_TERMS} weights of noise on integers")
        left, right = sides(every, every)
        gap = right - left
        if gap <= 0:
            raise NotCoveredError("noise on integers that no event refutes to fifty digits")
        most = noise.far(gap * _NEGLIGIBLE)
        terms = max(most - start, 1)
        noise.summable(start + terms + sensitivity)
    return Proposition(
        f"discrete_dp {epsilon.text} {delta.text} {sensitivity} {noise.sigma.text}",
        (Real("", lambda: sides(terms, most)[0]), Real("", lambda: noise.onwards(start, terms))),
        ((noise.far_off(most), lambda: mpf(16)),),
        epsilon,
        operations=64 * (terms + most),
        tactic=f"by_tail ({start})%Z {terms}%nat {most}%nat {{bits}}%positive {{terms}}%nat.",
        needs=_NEEDS,
    )
