"""Violations by rank-one noise that the inner ball proves (`RankOne.v`)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from dporacle.claims.decision import INNER_BALL
from dporacle.wings.coq.propositions import NotCoveredError, Proposition
from dporacle.wings.coq.reals import Real, exp, normal, number, power, sqrt

_MOST_DIMENSION = 20_000  # Coq counts it in strokes
_NEEDS = ("RankOne", "RankOneChecker")

Data = Mapping[str, Any]


def of_formula(said: Data, proof: str, proof_at: Fraction | None) -> Proposition:
    """Return "the published noise is (ε,δ)-DP at its own parameters", for its refutation."""
    at = {"epsilon": said["epsilon"], "delta": said["delta"]}
    variance = _published(at, said["dimension"], number(1))
    return _proposition(said, said["dimension"], number(1), variance, proof, proof_at)


def of_mechanism(said: Data, about: Data, proof: str, proof_at: Fraction | None) -> Proposition:
    """Return "rank-one noise is (ε,δ)-DP", for its refutation."""
    if about.get("sensitivity") is not None:
        sensitivity = number(Fraction(about["sensitivity"]))
    else:
        sensitivity = sqrt(number(Fraction(about["sensitivity_squared"])))
    if about.get("published") is not None:
        variance = _published(about["published"], about["dimension"], sensitivity)
    else:
        variance = number(Fraction(about["sigma_star"]))
    return _proposition(said, about["dimension"], sensitivity, variance, proof, proof_at)


def _published(at: Data, dimension: int, sensitivity: Real) -> Real:
    epsilon, delta = number(Fraction(at["epsilon"])), number(Fraction(at["delta"]))

    def value() -> mpf:
        half = mpf(dimension) / 2
        ratio = mp.exp(mp.loggamma(half - mpf(1) / 2) - mp.loggamma(half)) / mp.sqrt(mp.pi)
        psi = (delta.value() * ratio) ** (mpf(2) / (dimension - 2))
        return 2 * sensitivity.value() ** 2 / (epsilon.value() * psi)

    parts = f"{dimension}%nat {epsilon.text} {delta.text} {sensitivity.text}"
    return Real(f"(published_variance {parts})", value)


def _proposition(
    said: Data,
    dimension: int,
    sensitivity: Real,
    variance: Real,
    proof: str,
    proof_at: Fraction | None,
) -> Proposition:
    if proof != INNER_BALL or proof_at is None:
        raise NotCoveredError(f"rank-one noise is refuted by its inner ball only, not: {proof}")
    if dimension > _MOST_DIMENSION:
        raise NotCoveredError(f"rank-one noise in more than {_MOST_DIMENSION} dimensions")
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    ratio = number(proof_at)
    argument = (number(0) - sensitivity / (number(1) + ratio)) / sqrt(variance)
    inside = number(1) - number(2) * normal(argument)
    bound = (number(1) - exp(epsilon) / power(ratio, dimension - 1)) * inside
    space = f"rank_one_space {dimension}%nat {variance.text}"
    points = f"{epsilon.text} {delta.text} {sensitivity.text}"
    return Proposition(
        f"forall S : {space}, rank_one_dp S {points}",
        (bound, delta),
        ((argument, lambda: mpf(2)),),
        epsilon,
        operations=dimension,
        negation=f"forall S : {space}, ~ rank_one_dp S {points}",
        tactic=f"by_inner_ball {ratio.text} {{bits}}%positive {{terms}}%nat.",
        needs=_NEEDS,
    )
