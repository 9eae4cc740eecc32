"""DP-SGD: what is released of Poisson-subsampled steps, and the tails of its privacy loss."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.wings.samplers.exact_tails import Limits, clipped
from dporacle.wings.samplers.law import Releases, Rows, counted, positive

_OTHER = {"add": "remove", "remove": "add", "replace": "replace"}
"""The direction in which the two inputs change places."""
_STEP = Fraction(1, 2**17)
"""Of ε, between the points of δ(ε) whose slope bounds a tail."""
_DIGITS, _BITS = 12, 128
_ALIKE = 13
"""Significant digits to which two steps' noise multipliers have to be the same for one phase."""
_MOST_NOISE = 10**300
_FINE = 80
"""Bits behind the point of a noise multiplier's limits."""

_Phases = tuple[tuple[Fraction, float, int], ...]


@dataclass(frozen=True, kw_only=True)
class SubsampledGaussian(Releases):
    """Gaussian noise on the sum over each of T batches, into which each record comes by chance.

    A row is what is released in all steps, one after the other, less what the other records
    contribute. The shift is what the one record contributes to each step that it is drawn in.

    Attributes:
        phases: triples (σ, q, T): the noise's standard deviation, the sampling rate and the steps.
        direction: "remove" (the first input has the record), "add" (the second has it) or
            "replace" (the first has it, the second another one that contributes the opposite).
        dimension: numbers in a row: those of a step, times the steps.
    """

    name: ClassVar[str] = "subsampled"
    phases: tuple[tuple[float, float, int], ...]
    direction: str

    def __post_init__(self) -> None:
        super().__post_init__()
        for sigma, rate, steps in self.phases:
            positive("sigma", sigma)
            counted("steps", steps, 1)
            if not 0 < rate <= 1:
                raise ValueError(f"rate must be in (0, 1], got {rate!r}")
        if self.direction not in _OTHER:
            raise ValueError(
                f"direction must be one of {', '.join(_OTHER)}, got {self.direction!r}"
            )
        if not self.phases or self.dimension % self._steps:
            raise ValueError(
                f"dimension must be a multiple of {self._steps} steps, got {self.dimension}"
            )

    @property
    def _steps(self) -> int:
        return sum(steps for _, _, steps in self.phases)

    def _each(self, place: int) -> Rows:
        """Return σ (0) or q (1) of each step."""
        values = [phase[place] for phase in self.phases]
        return np.repeat(values, [steps for _, _, steps in self.phases]).astype(np.float64)

    def _by_step(self, rows: Rows) -> Rows:
        return rows.reshape(-1, self._steps, self.dimension // self._steps)

    def simulate(
        self, count: int, shift: Rows, generator: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Return rows for either input, each step's batch drawn anew."""
        record = self._by_step(shift)
        shares = {"remove": (1, 0), "add": (0, 1), "replace": (1, -1)}[self.direction]

        def rows(share: int) -> Rows:
            drawn = generator.random((count, self._steps, 1)) < self._each(1)[:, None]
            noise = generator.standard_normal((count, *record.shape[1:]))
            noise *= self._each(0)[:, None]
            noise += share * drawn * record
            return noise.reshape(count, self.dimension)

        return rows(shares[0]), rows(shares[1])

    def losses(self, first: Rows, second: Rows, shift: Rows) -> tuple[Rows, Rows]:
        """Return the sum of ln((1 − q) + q·e^{(⟨y, g⟩ − ‖g‖²/2)/σ²}) over the steps.

        To add a record it has the other sign, to replace one that of −g is taken away.
        """
        (record,), variance, rate = self._by_step(shift), self._each(0) ** 2, self._each(1)
        half = np.sum(record**2, axis=1) / 2
        with np.errstate(divide="ignore"):  # q = 1
            spared, drawn = np.log1p(-rate), np.log(rate)

        def of(rows: Rows) -> Rows:
            inner = np.einsum("ntd,td->nt", self._by_step(rows), record)
            logs = [
                np.logaddexp(spared, drawn + (sign * inner - half) / variance) for sign in (1, -1)
            ]
            if self.direction == "replace":
                logs[0] -= logs[1]
            losses: Rows = np.sum(logs[0], axis=1)
            return -losses if self.direction == "add" else losses

        return of(first), of(second)

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits from enclosures of δ(ε), a convex function of e^ε.

        Its slope there is −Pr[L ≥ ε] at the second input's releases, and lies between those of
        the chords to either side; Pr[L ≥ ε] at the first's is δ(ε) and e^ε times that.

        Raises:
            ValueError: if the record contributes to more than 64 phases in different ways.
            ArithmeticError: if an enclosure would need too much work.
        """
        (record,) = self._by_step(shift)
        least_noise, most_noise = self._phases(record)

        def delta(epsilon: Fraction) -> arb:
            """δ falls with the noise: more of it is less of it, and further noise thereafter."""
            most = _delta(epsilon, least_noise, self.direction)
            if most_noise == least_noise:
                return most
            return most.union(_delta(epsilon, most_noise, self.direction))

        def tails(epsilon: float) -> tuple[Limits, Limits]:
            points = [Fraction(epsilon) + side * _STEP for side in (-1, 0, 1)]
            with precision(_BITS):
                before, here, after = map(delta, points)
                least, ratio, most = (ball(point).exp() for point in points)
                second = (here - after) / (most - ratio), (before - here) / (ratio - least)
                first = [here + ratio * slope for slope in second]
            ends = [(float(low.lower()), float(high.upper())) for low, high in (first, second)]
            return clipped(*ends[0]), clipped(*ends[1])

        return [tails(epsilon) for epsilon in epsilons]

    def _phases(self, record: Rows) -> tuple[_Phases, _Phases]:
        """Return the phases with at most as much noise as there is, and with at least as much.

        The multiplier of a step is σ/‖g‖, between two rational numbers. Steps whose multipliers
        agree to `_ALIKE` digits are one phase: with the least of them, and with the largest.
        """
        alike: dict[tuple[str, float], list[tuple[Fraction, Fraction]]] = {}
        for sigma, rate, step in zip(self._each(0), self._each(1).tolist(), record, strict=True):
            square = sum((Fraction(x) ** 2 for x in step.tolist()), Fraction(0))
            if square:
                low, high = _root(Fraction(float(sigma)) ** 2 / square)
                if high > _MOST_NOISE:
                    words = f"at least σ/{_MOST_NOISE:g} long in each step that is not 0"
                    raise ValueError(f"shift must be {words}, got {step.tolist()}")
                name = f"{float(low):.{_ALIKE}g}", rate
                alike.setdefault(name, []).append((low, high))
        items = list(alike.items())
        return (
            tuple((min(low for low, _ in ends), rate, len(ends)) for (_, rate), ends in items),
            tuple((max(high for _, high in ends), rate, len(ends)) for (_, rate), ends in items),
        )


@lru_cache(maxsize=256)
def _delta(epsilon: Fraction, phases: _Phases, direction: str) -> arb:
    if epsilon < 0:  # the two inputs change places
        ratio = ball(epsilon).exp()
        return 1 - ratio + ratio * _delta(-epsilon, phases, _OTHER[direction])
    return enclosures.subsampled_schedule_delta(
        epsilon=epsilon, phases=phases, direction=direction, digits=_DIGITS
    )


def _root(square: Fraction) -> tuple[Fraction, Fraction]:
    """Return rational limits of a square root, to 2^-80 of it or exact."""
    shift = max(0, _FINE - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    low = Fraction(math.isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)
    return low, low if low**2 == square else low + Fraction(1, 1 << shift)
