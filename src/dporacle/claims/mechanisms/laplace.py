"""One release with Laplace noise (X.LAP)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments, enclosures
from dporacle.claims.decision import FIRST_DIGITS, Decided, exactly
from dporacle.claims.losses import LaplaceLoss, PrivacyLoss
from dporacle.claims.mechanisms.contribution import CountsStatistic, Norm, NumberStatistics
from dporacle.claims.mechanisms.mechanism import LeastNoise, NumberNoise
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.wording import least_noise, round_decimal, scale, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Decision, Verdict

_DIGITS = 20
_SCALE_DIGITS = 17  # so many tell every float64 from the next
_SHORT_DIGITS = 6
_MOST_MOVED = 256  # coordinates whose δ is enclosed


class LaplaceMechanism(NumberNoise, frozen=True, kw_only=True, tag="laplace"):
    """A release of f(x) with noise of density e^{−|z|/b}/2b on each coordinate.

    Attributes:
        neighbours: the relation that the sensitivity is for.
        sensitivity: the ℓ1-sensitivity Δ of f, reached or approached in one coordinate.
        statistic: what f is, instead, for every relation that it has a sensitivity for: one number,
            or counts, of which several move at once.
        scale: b; the standard deviation is b√2.
        unit: what b and Δ are counted in.
    """

    noun: ClassVar[str] = "Laplace noise"
    example: ClassVar[Mapping[str, object]] = {
        "scale": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    detail: ClassVar[str] = "of Laplace noise, in one coordinate"
    norm: ClassVar[Norm] = 1

    sensitivity: Fraction | UnsetType = UNSET
    statistic: NumberStatistics | CountsStatistic | UnsetType = UNSET
    scale: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.statistic, CountsStatistic) and self.statistic.total is not UNSET:
            raise ValueError(
                "total must be absent: under Laplace noise its worst counts are unknown"
            )
        arguments.positive("scale", self.scale)

    def _moved(self, neighbours: Neighbours) -> int:
        """Return how many coordinates move at once, each by the same: for numbers it is one."""
        if isinstance(self.statistic, CountsStatistic):
            return self.statistic.moved(neighbours)
        return 1

    def _distance(self, neighbours: Neighbours) -> Fraction:
        """Return by how much a coordinate moves for a relation, or a bound of it."""
        if isinstance(self.statistic, CountsStatistic):
            return self.statistic.linf
        return self.moved_by(neighbours)

    def largest_loss(self, neighbours: Neighbours) -> Fraction:
        """Return the ε from which on it is ε-DP, or a bound of it."""
        return self._moved(neighbours) * self._distance(neighbours) / self.scale

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss:
        """Return its privacy loss."""
        one = LaplaceLoss(self._distance(neighbours) / self.scale)
        return PrivacyLoss(others={one: self._moved(neighbours)})

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        moved, distance = self._moved(neighbours), self._distance(neighbours)
        if moved == 1:
            return enclosures.laplace_delta_at_epsilon(
                epsilon=epsilon, scale=self.scale, sensitivity=distance, digits=digits
            )
        if moved > _MOST_MOVED:
            raise ArithmeticError(f"δ of more than {_MOST_MOVED} counts at once is not enclosed")
        return enclosures.laplace_repeated_delta(
            epsilon=epsilon, scale=self.scale, releases=moved, sensitivity=distance, digits=digits
        )

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP; from the largest loss on it is, whatever δ."""
        if self.largest_loss(neighbours) <= epsilon:
            doubled = not self.knows(neighbours)
            decision = Decision(Verdict.HOLDS, arb(0), FIRST_DIGITS)
            return exactly(decision, "delta", delta, doubled=doubled)
        return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least b that is (ε,δ)-DP."""
        if delta == 1 or epsilon == delta == 0:
            return None
        if self._moved(neighbours) > 1:
            return (
                None if delta else self._least(self.scale * self.largest_loss(neighbours) / epsilon)
            )
        ball = enclosures.laplace_calibrate_scale(
            epsilon=epsilon, delta=delta, sensitivity=self._distance(neighbours), digits=_DIGITS
        )
        return self._least(rounding.bounds(ball)[1])

    def _least(self, scale: Fraction) -> LeastNoise:
        """Name a scale from which on a claim holds, rounded up."""
        told, held = (
            f"scale = {with_unit(shown, self.unit)} would do"
            for at in (None, self.scale)
            for shown in [least_noise(scale, _SCALE_DIGITS, holds_at=at)]
        )
        return LeastNoise(told, scale / self.scale, "the scale", held)

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the scale that would do."""
        if delta > 0:
            return super().describe_privacy(
                decided, epsilon=epsilon, delta=delta, neighbours=neighbours
            )
        pure = round_decimal(
            self.largest_loss(neighbours), _SHORT_DIGITS, up=decided.verdict is Verdict.HOLDS
        )
        side = "at most" if decided.verdict is Verdict.HOLDS else "at least"
        margin = f"it is ε-DP for an ε of {side} {pure}"
        least = self.least_noise(epsilon=epsilon, delta=delta, neighbours=neighbours)
        if least is None or least.ratio is None:
            return self.with_steps(margin, decided), ""
        margin = f"{margin}; {scale(least.ratio, least.name, verdict=decided.verdict)}"
        return self.with_steps(margin, decided), least.told(decided.verdict)

    def error_tail(self, *, error: Fraction, queries: int, digits: int) -> arb:
        """Enclose Pr[the largest error of so many coordinates > error]."""
        return enclosures.laplace_max_error_probability(
            queries=queries, error=error, scale=self.scale, digits=digits
        )

    def least_error(self, *, alpha: Fraction, queries: int) -> str:
        """Return an error that is exceeded with probability α at most, as a decimal."""
        return round_decimal(_quantile(alpha, queries) * self.scale, _SHORT_DIGITS, up=True)

    def noise_for_error(self, *, error: Fraction, alpha: Fraction, queries: int) -> str:
        """Say up to which b an error is exceeded with probability α at most."""
        if error == 0:
            return ""
        most = round_decimal(error / _quantile(alpha, queries), _SCALE_DIGITS, up=False)
        return f"scale up to {with_unit(most, self.unit)} would do"

    def rational_loss(self, *, dimension: int) -> Fraction:
        """Return dimension·2b²."""
        return 2 * dimension * self.scale**2

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program does not know this noise."""
        return "the checker has no Laplace noise"


def _quantile(alpha: Fraction, queries: int) -> Fraction:
    """Return the largest error at b = 1 that is exceeded with probability α, rounded up."""
    quantile = enclosures.laplace_max_error_quantile(
        queries=queries, beta=alpha, scale=1, digits=_DIGITS
    )
    return rounding.bounds(quantile)[1]
