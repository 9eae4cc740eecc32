"""Counts of categories that the data name, with Gaussian noise, shown from a threshold on."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Self

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims import quantities
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.record import Neighbours, Unit
from dporacle.claims.wording import least_noise, with_unit
from dporacle.enclosures.arithmetic import normal, rounding
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_DIGITS = 20
_SHORT_DIGITS = 6
_MOST_CALIBRATED = 50  # L0 up to which a threshold is looked for
_STEPS = 24  # of the bisection for a threshold
_FAR = 1000  # standard deviations

_CENSORED = (
    "out of scope: the error of a count that may be left out; the nearest claim that can be "
    "decided is the same claim about `gaussian` noise, for counts that are always shown"
)


class ThresholdedHistogram(Mechanism, frozen=True, kw_only=True, tag="thresholded-histogram"):
    """Each count above 0 is released with N(0, σ²), if that is at least a threshold.

    Its δ(ε) is proved in C3 of proofs_notes/claims.md.

    Attributes:
        sigma: σ.
        threshold: τ.
        l0: in how many categories a record counts, at most.
        linf: how much it counts in each, at most; 1 if absent, which a verdict then says.
        unit: what σ, τ and the counts are in.
    """

    noun: ClassVar[str] = "a histogram with Gaussian noise and a threshold"
    example: ClassVar[Mapping[str, object]] = {"sigma": 1, "threshold": 3, "l0": 1}
    only_relation: ClassVar[bool] = True
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _CENSORED, "loss": _CENSORED}

    sigma: Fraction
    threshold: Fraction
    l0: Annotated[int, msgspec.Meta(ge=1, le=1000)]
    linf: Fraction | UnsetType = UNSET
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.positive("sigma", self.sigma)
        arguments.positive("threshold", self.threshold)
        arguments.positive("linf", self.most())

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        return msgspec.structs.replace(self, linf=self.most())

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return that a record counts by one, if nobody says how much."""
        return (hypothesis("counts-by-one"),) if self.linf is UNSET else ()

    def most(self) -> Fraction:
        """Return how much a record counts in a category, at most."""
        return self.linf if isinstance(self.linf, Fraction) else Fraction(1)

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist where a claim is VIOLATED."""
        return (
            "a record may count in l0 categories, linf in each, of which some are in no other "
            "record and the others in many, or nearly"
        )

    def relation(self) -> Neighbours:
        """Return add-remove."""
        return "add-remove"

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether it is about this relation: no sensitivity could be doubled for another."""
        return True if neighbours == "add-remove" else None

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        return self._delta(epsilon, self.threshold, digits)

    def _delta(self, epsilon: Fraction, threshold: Fraction, digits: int) -> arb:
        return tighten(lambda: self._formula(epsilon, threshold), digits)

    def _formula(self, epsilon: Fraction, threshold: Fraction) -> arb:
        z = ball((threshold - self.most()) / self.sigma)
        # ln(1 − p), p the probability that a category of this record alone is shown.
        kept = (-normal.normal_tail(z)).log1p() if z > 0 else normal.normal_tail(-z).log()
        largest = arb(0)
        for shared in range(self.l0 + 1):
            hidden = (self.l0 - shared) * kept
            mu = arb(shared).sqrt() * ball(self.most() / self.sigma)
            removed = -hidden.expm1() + hidden.exp() * _profile(ball(epsilon) - hidden, mu)
            added = _profile(ball(epsilon) + hidden, mu)
            largest = largest.max(removed).max(added)
        return largest

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return a threshold that is enough at this σ, close to the least one."""
        if not quantities.ordinary(epsilon, delta) or self.l0 > _MOST_CALIBRATED:
            return None
        square = self.l0 * (self.most() / self.sigma) ** 2
        known = quantities.delta_of(epsilon=epsilon, mu_squared=square, digits=_DIGITS)
        if rounding.side(known, delta) >= 0:
            return LeastNoise("no threshold would do with this σ")

        def enough(threshold: Fraction) -> bool:
            return rounding.side(self._delta(epsilon, threshold, _DIGITS), delta) < 0

        # δ is 10⁻¹² at least, and a threshold at 40 σ adds less than 10⁻³⁰⁰ to that of the noise.
        low, high = Fraction(0), self.most() + 40 * self.sigma
        if not enough(high):
            return None
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        told, held = (
            f"every τ from {with_unit(shown, self.unit)} on would do"
            for at in (None, self.threshold)
            for shown in [least_noise(high, _SHORT_DIGITS, holds_at=at)]
        )
        return LeastNoise(told, held=held)

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program does not know this mechanism."""
        return "the checker has no thresholds"


def _profile(epsilon: arb, mu: arb) -> arb:
    """Enclose δ(ε) of the Gaussian mechanism, for every real ε and μ ≥ 0."""
    if epsilon.mid() < 0:  # H_γ(P, Q) = 1 − γ + γ·H_{1/γ}(Q, P)
        return -epsilon.expm1() + epsilon.exp() * _profile(-epsilon, mu)
    if mu.is_zero():
        return (-epsilon.expm1()).max(arb(0))
    y, w = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if y > _FAR:  # 0 ≤ δ ≤ Φ(−y) ≤ e^{−y²/2}
        return arb(0).union((-y * y / 2).exp())
    return normal.profile(y, w)[0]
