"""Verdicts on the published privacy claim of the rank-one Gaussian mechanism (JL24.T1).

A claim is a triple (M, ε, δ): "with σ* = 2Δ²/(εψ) the mechanism is (ε,δ)-DP". What decides it is
`rank_one_claims` in this folder, the cheapest proof first; each is an enclosure that anybody can
compute again. The cheapest is the one-liner (1 − e^ε 2^{1−M})·erf(√(εψ)/6) ≤ δ(ε).
"""

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.claims.decision import EXACT, INNER_BALL, NOTHING
from dporacle.common import randomness
from dporacle.fast import binomial_upper, rank_one_sample_marginal
from dporacle.verdicts import Verdict
from dporacle.wings.papers import rank_one_claims as rank_one
from dporacle.wings.papers.enclosures.rank_one.work_limit import Work

CLAIM = "R1SMG with σ* = 2Δ²/(εψ) is (ε,δ)-DP (JL24.T1)"


@dataclass(frozen=True, slots=True)
class RankOneVerdict:
    """A verdict on one claim, and the certificate that decides it.

    Attributes:
        dimension: M.
        epsilon: the claimed ε.
        delta: the claimed δ.
        verdict: what was proved.
        certificate: the name of the certificate.
        bound: how the certificate's number stands to δ(ε): "≤", "≥" or "=".
        formula: the certificate's number, as a formula.
        ratio: its λ, if it has one.
        enclosure: the ball of that number.
    """

    dimension: int
    epsilon: Fraction
    delta: Fraction
    verdict: Verdict
    certificate: str
    bound: str
    formula: str
    ratio: Fraction | None
    enclosure: arb


_FORMULAS = {
    INNER_BALL: ("≤", "(1 − e^ε λ^(1−M))·erf(√(εψ)/(2(1+λ)))"),
    rank_one.APOLLONIUS: (
        "≤",
        "(1 − e^ε λ^(1−M))·(erf(X)/X)·(√(εψ)/2)·"
        "λ ₂F₁(−1/2, (M−1)/2; M/2; λ^−2)/(λ²−1), X = √(εψ)/(2(λ−1))",
    ),
    rank_one.TOTAL_VARIATION: (
        "≥",
        "(2/B)(erf(a) + (a/√π)E₁(a²)), a = √(εψ)/4, B = B(1/2, (M−1)/2)",
    ),
    rank_one.LARGE_LOSS: (
        "≥",
        "erf(√(εψ)/2·r₁) + erfc(√(εψ)/2·r₂), r₁ = 1/(e^(ε/(2M−2)) − 1), r₂ = 1/ψ − 1/2",
    ),
    EXACT: ("=", "δ(ε)"),
}
"""Proof -> how its number stands to δ(ε), and that number."""

_ONE_LINER = "(1 − e^ε 2^(1−M))·erf(√(εψ)/6)"


def judge_rank_one_claim(
    *, epsilon: Exact, delta: Exact, dimension: int, exact: bool = False
) -> RankOneVerdict:
    """Decide whether the published theorem is true at one (M, ε, δ), by the cheapest certificate.

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        exact: whether to go to the exact profile at once.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the exact profile is out of reach.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    size = arguments.dimension(dimension, least=3)
    found = rank_one.decide_rank_one(
        epsilon=eps,
        delta=target,
        dimension=size,
        variance=rank_one.published(eps, target, size),
        exact=exact,
        work=Work(),
    )
    if found.proof == NOTHING:
        raise ArithmeticError(found.reason)
    bound, formula = _FORMULAS[found.proof]
    name = "exact profile" if found.proof == EXACT else found.proof
    if found.proof == INNER_BALL and found.proof_at == 2:
        name, formula = f"{name}, λ = 2", _ONE_LINER
    return RankOneVerdict(
        dimension=size,
        epsilon=eps,
        delta=target,
        verdict=found.verdict,
        certificate=name,
        bound=bound,
        formula=formula,
        ratio=found.proof_at,
        enclosure=found.above if bound == "≥" else found.below,
    )


@dataclass(frozen=True, slots=True)
class SimulatedDelta:
    """What a simulation shows of δ(ε).

    Attributes:
        samples: how many outputs were drawn on each of the two inputs.
        hits: how many lay in the event {L > ε} when drawn on the first input.
        hits_other: the same on the second.
        low: a lower Clopper–Pearson confidence bound of Pr[event] − e^ε Pr'[event] = δ(ε).
        high: an upper one.
        alpha: the probability that [low, high] misses δ(ε) is at most this.
    """

    samples: int
    hits: int
    hits_other: int
    low: float
    high: float
    alpha: float


def _log_ratio(near: Any, change: Any) -> Any:
    """Return ln(ρ²/r²) for ρ² = r² + change; r² may be below the least float64."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        apart = np.log(change) - 2 * np.log(near)
        return np.where(near < 1e-100, apart, np.log1p(change / near**2))


def _count(
    dimension: int, epsilon: float, s: float, size: int, seed: np.random.SeedSequence
) -> tuple[int, int]:
    """Count how often {L > ε} happens on either input, at distance 1."""
    generator = np.random.default_rng(seed)
    power = dimension - 1
    counts = []
    for sign in (1, -1):
        near, c = rank_one_sample_marginal(
            sigma_star=s, dimension=dimension, size=size, generator=generator
        )
        # near: the distance from the input that the output was drawn on; other: from the other.
        change = 1 - 2 * near * c
        loss = sign * (power / 2 * _log_ratio(near, change) + change / (2 * s))
        counts.append(int(np.count_nonzero(loss > epsilon)))
    return counts[0], counts[1]


def simulate(
    *,
    epsilon: float,
    sigma_star: float,
    dimension: int,
    samples: int = 10**7,
    seed: int = 0,
    alpha: float = 1e-6,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> SimulatedDelta:
    """Estimate δ(ε) by drawing outputs on both inputs and counting the event {L > ε}.

    Both counts are binomial; each end of a Clopper–Pearson interval of each is allowed α/4.

    Args:
        epsilon: in [0, ∞).
        sigma_star: σ*/Δ², in (0, ∞).
        dimension: M, from 2 to 10^9.
        samples: outputs on each input.
        seed: of the random generator.
        alpha: error probability of the interval.
        executor: where chunks of a million are drawn; here, if there is none.
        progress: called with the number of outputs drawn on each input, chunk after chunk.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = float(arguments.epsilon(epsilon))
    s = float(arguments.positive("sigma_star", sigma_star))
    size, level = arguments.dimension(dimension, least=2), float(arguments.alpha(alpha))
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise ValueError(f"samples must be a positive integer, got {arguments.show(samples)}")
    chunk = 10**6
    sizes = [min(chunk, samples - start) for start in range(0, samples, chunk)]
    seeds = randomness.sequence("outputs of rank-one noise", seed).spawn(len(sizes))
    jobs = [(size, eps, s, count, each) for count, each in zip(sizes, seeds, strict=True)]
    results = (
        map(_count, *zip(*jobs, strict=True))
        if executor is None
        else executor.map(_count, *zip(*jobs, strict=True))
    )
    hits = hits_other = 0
    for count, (one, other) in zip(sizes, results, strict=True):
        hits, hits_other = hits + one, hits_other + other
        if progress is not None:
            progress(count)
    low, high = _clopper_pearson(hits, samples, level / 4)
    low_other, high_other = _clopper_pearson(hits_other, samples, level / 4)
    gain = math.exp(min(eps, 700.0))
    bounds = max(0.0, low - gain * high_other), min(1.0, high - gain * low_other)
    return SimulatedDelta(samples, hits, hits_other, *bounds, level)


def _clopper_pearson(hits: int, samples: int, tail: float) -> tuple[float, float]:
    """Return the two confidence bounds of a binomial probability, each wrong with `tail`."""
    lack, high = (
        float(binomial_upper(successes=each, trials=samples, alpha=tail))
        for each in (samples - hits, hits)
    )
    return max(math.nextafter(1 - lack, 0.0), 0.0), high
