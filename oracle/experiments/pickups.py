"""JL24.F1: the case study of the rank-one mechanism, with its exact privacy beside it."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb

from dporacle import rank_one
from dporacle.enclosures import (
    calibrate_sigma,
    classical_expected_loss,
    classical_sigma,
    delta_at_epsilon,
    loss_tail,
    mvg_loss_bound,
    r1smg_expected_loss,
    rank_one_private_sigma_star,
    rank_one_published_delta,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.experiments.data import SIDE
from dporacle.experiments.heat_map import heat_map
from dporacle.experiments.measured import (
    FALSE_ALARM,
    Line,
    Measured,
    Result,
    binomial,
    chi_square_mean,
    generator,
    repeated,
)
from dporacle.fast import rank_one_sample, rank_one_sample_marginal

__all__ = ["DELTA", "EPSILON", "RANK_ONE_EPSILON", "run"]

DELTA = Fraction(1, 10**7)
EPSILON = Fraction(1, 2)
RANK_ONE_EPSILON = Fraction(1, 10**5)

_CELLS = SIDE * SIDE
_OUTPUTS = 200_000
_DIGITS, _BITS = 12, 128
_TIMES = 10


def run(*, seed: int = 0, repetitions: int = 300, data: Path | None = None) -> Result:
    """Release the counts by R1SMG at ε = 1e-5 and by the Gaussian mechanisms at ε = 0.5.

    For each its exact δ at the ε that it claims and its exact expected loss E‖noise‖², beside what
    simulated releases show; for R1SMG also the probability of ten times that loss.

    Args:
        seed: of the random generator.
        repetitions: releases, from 10 to 2000.
        data: a CSV file of pickups; a synthetic heat map without it.

    Raises:
        OSError, TypeError, ValueError: naming the argument or the line that is wrong.
    """
    runs, rng = repeated(repetitions, 2000), generator(seed)
    shown = heat_map(data, seed)
    claim: dict[str, Any] = {"epsilon": EPSILON, "delta": DELTA, "digits": _DIGITS}
    ours: dict[str, Any] = {"epsilon": RANK_ONE_EPSILON, "delta": DELTA, "digits": _DIGITS}
    star = float(r1smg_expected_loss(**ours, dimension=_CELLS))
    classical, analytic = classical_sigma(**claim), calibrate_sigma(**claim)
    lines: list[Line] = []
    images = {"original": shown.counts}

    def line(epsilon: Fraction, mechanism: str, quantity: str, **values: Any) -> None:
        setting = f"ε = {float(epsilon):g}"
        lines.append(Line(setting=setting, mechanism=mechanism, quantity=quantity, **values))

    noise = rank_one_sample(sigma_star=star, dimension=_CELLS, size=runs, generator=rng)
    images["R1SMG"] = shown.counts + noise[0].reshape(SIDE, SIDE)
    losses = np.sum(noise**2, axis=1)
    measured = chi_square_mean(losses, freedom=1)
    line(RANK_ONE_EPSILON, "R1SMG", "E‖noise‖²", exact=star, measured=measured)
    # Rare events want more draws; a length costs one number, where a vector costs 7921.
    lengths, _ = rank_one_sample_marginal(
        sigma_star=star, dimension=_CELLS, size=_OUTPUTS, generator=rng
    )
    line(
        RANK_ONE_EPSILON,
        "R1SMG",
        f"Pr[‖noise‖² > {_TIMES}·E]",
        exact=float(loss_tail(dimension=1, factor=_TIMES, digits=_DIGITS)),
        measured=binomial(int(np.count_nonzero(lengths**2 > _TIMES * star)), _OUTPUTS),
    )
    true_delta = float(rank_one_published_delta(**ours, dimension=_CELLS))
    seen = rank_one.simulate(
        epsilon=float(RANK_ONE_EPSILON),
        sigma_star=star,
        dimension=_CELLS,
        samples=_OUTPUTS,
        seed=seed,
        alpha=FALSE_ALARM,
    )
    frequency = (seen.hits - seen.hits_other * math.exp(RANK_ONE_EPSILON)) / _OUTPUTS
    measured = Measured(value=frequency, low=seen.low, high=seen.high)
    line(RANK_ONE_EPSILON, "R1SMG", "δ(ε)", exact=true_delta, measured=measured)

    for name, sigma, loss in (
        ("classic", classical, float(classical_expected_loss(**claim, dimension=_CELLS))),
        ("analytic", analytic, _loss(analytic)),
    ):
        noise = float(sigma) * rng.standard_normal((runs, _CELLS))
        images[name] = shown.counts + noise[0].reshape(SIDE, SIDE)
        measured = chi_square_mean(np.sum(noise**2, axis=1), freedom=_CELLS)
        line(EPSILON, name, "E‖noise‖²", exact=loss, measured=measured)
        low, high = rounding.bounds(sigma)
        exact = delta_at_epsilon(epsilon=EPSILON, sigma=(low + high) / 2, digits=8)
        line(EPSILON, name, "δ(ε)", exact=float(exact))
    private = {
        epsilon: float(
            rank_one_private_sigma_star(epsilon=epsilon, delta=DELTA, dimension=_CELLS, digits=6)
        )
        for epsilon in (RANK_ONE_EPSILON, EPSILON)
    }
    for epsilon, value in private.items():
        line(epsilon, "R1SMG made private", "E‖noise‖²", exact=value)
    line(RANK_ONE_EPSILON, "analytic", "E‖noise‖²", exact=_loss(calibrate_sigma(**ours)))
    bound = mvg_loss_bound(epsilon=EPSILON, rows=SIDE, columns=SIDE, digits=_DIGITS)
    line(EPSILON, "MVG (C_M·D²)", "E‖noise‖² ≥", exact=float(bound))
    facts = [
        f"The heat map: {shown.source}, {shown.outside} more outside the box; D = 1.",
        f"R1SMG claims δ = {float(DELTA):g} at ε = {float(RANK_ONE_EPSILON):g}; its exact δ there "
        f"is {true_delta:.10g}, {true_delta / float(DELTA):.3g} times that.",
        f"Made private at the same (ε,δ), its expected loss is {private[RANK_ONE_EPSILON]:.6g}, "
        f"{private[RANK_ONE_EPSILON] / star:.3g} times what the case study shows.",
    ]
    return Result(
        name="pickups",
        statement="JL24.F1",
        title=f"counts on {SIDE}×{SIDE} cells, δ = {float(DELTA):g}, {runs} releases",
        lines=lines,
        facts=facts,
        series={"images": images},
    )


def _loss(sigma: arb) -> float:
    """E‖noise‖² = M·σ² of Gaussian noise."""
    with precision(_BITS):
        return float(_CELLS * sigma**2)
