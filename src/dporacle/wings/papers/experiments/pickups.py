"""JL24.F1: the case study of the rank-one mechanism, with its exact privacy beside it."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb

from dporacle.enclosures import (
    calibrate_sigma,
    classical_expected_loss,
    classical_sigma,
    delta_at_epsilon,
    laplace_delta_at_epsilon,
    laplace_repeated_delta,
    loss_tail,
    mvg_loss_bound,
    r1smg_expected_loss,
    rank_one_private_sigma_star,
    rank_one_published_delta,
)
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.fast import rank_one_sample, rank_one_sample_marginal
from dporacle.wings.papers import rank_one
from dporacle.wings.papers.experiments.baselines import (
    CountTree,
    Mvg,
    hierarchical_release,
    hierarchical_variance,
    mvg_release,
)
from dporacle.wings.papers.experiments.data import SIDE
from dporacle.wings.papers.experiments.heat_map import heat_map
from dporacle.wings.papers.experiments.measured import (
    FALSE_ALARM,
    Line,
    Measured,
    Result,
    binomial,
    chi_square_mean,
    generator,
    repeated,
    student_mean,
)

DELTA = Fraction(1, 10**7)
EPSILON = Fraction(1, 2)
RANK_ONE_EPSILON = Fraction(1, 10**5)

PICKUPS_AT_MOST = 5000
"""What MVG has to know of all data beforehand: a public bound of ‖f‖_F."""

TREE = CountTree(branching=10, height=2, scale=4.0)
"""A record is in one node of each of two levels: scale 2·Δ/ε is (0.5, 0)-DP."""

_CELLS = SIDE * SIDE
_OUTPUTS = 200_000
_DIGITS, _BITS = 12, 128
_TIMES = 10
_FEW = 60  # releases of the mechanisms whose noise is long to draw
_PRIVATE = "R1SMG made private"


def run(*, seed: int = 0, repetitions: int = 300, data: Path | None = None) -> Result:
    """Release the counts by R1SMG at ε = 1e-5 and by the other mechanisms at ε = 0.5.

    For each its exact δ at the ε that it claims and its exact expected loss E‖noise‖², beside what
    simulated releases show; for R1SMG also the probability of ten times that loss, and the same
    mechanism with the smallest σ* that keeps the promise. MVG has the least noise that its
    published sufficient condition allows, for answers of a length up to PICKUPS_AT_MOST.

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
    losses = np.sum(noise**2, axis=1)
    # Its loss is that of one normal number: the median release is shown, not the first.
    middle = noise[np.argsort(losses)[runs // 2]]
    images["R1SMG"] = shown.counts + middle.reshape(SIDE, SIDE)
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

    def released(
        name: str, epsilon: Fraction, noise: Any, exact: float, delta: float, freedom: int | None
    ) -> None:
        losses = np.array([float(np.sum(each**2)) for each in noise])
        images[name] = shown.counts + noise[0]
        measured = (
            student_mean(losses) if freedom is None else chi_square_mean(losses, freedom=freedom)
        )
        line(epsilon, name, "E‖noise‖²", exact=exact, measured=measured)
        line(epsilon, name, "δ(ε)", exact=delta)

    few = range(min(runs, _FEW))
    scale = 1 / float(EPSILON)
    flat = [rng.laplace(scale=scale, size=(SIDE, SIDE)) for _ in few]
    pure = float(laplace_delta_at_epsilon(epsilon=EPSILON, scale=Fraction(scale)))
    released("Laplace", EPSILON, flat, 2 * _CELLS * scale**2, pure, None)
    trees = [hierarchical_release(shown.counts, TREE, rng) - shown.counts for _ in few]
    of_tree = laplace_repeated_delta(
        epsilon=EPSILON, scale=Fraction(TREE.scale), releases=TREE.height
    )
    released("H_b", EPSILON, trees, _CELLS * hierarchical_variance(TREE), float(of_tree), None)
    mvg = Mvg(
        rows=SIDE,
        columns=SIDE,
        epsilon=float(EPSILON),
        delta=float(DELTA),
        largest=float(PICKUPS_AT_MOST),
    )
    least = math.sqrt(float(np.min(mvg.row_variances())))
    true_mvg = float(delta_at_epsilon(epsilon=EPSILON, sigma=least, digits=8))
    drawn = [mvg_release(mvg, rng) for _ in few]
    released("MVG", EPSILON, drawn, mvg.expected_loss(), true_mvg, _CELLS)

    private = {
        epsilon: float(
            rank_one_private_sigma_star(epsilon=epsilon, delta=DELTA, dimension=_CELLS, digits=6)
        )
        for epsilon in (RANK_ONE_EPSILON, EPSILON)
    }
    for epsilon, value in private.items():
        if epsilon == EPSILON:
            line(epsilon, _PRIVATE, "E‖noise‖²", exact=value)
            continue
        wide = rank_one_sample(sigma_star=value, dimension=_CELLS, size=runs, generator=rng)
        wide = wide[np.argsort(np.sum(wide**2, axis=1))]
        images[_PRIVATE] = shown.counts + wide[runs // 2].reshape(SIDE, SIDE)
        measured = chi_square_mean(np.sum(wide**2, axis=1), freedom=1)
        line(epsilon, _PRIVATE, "E‖noise‖²", exact=value, measured=measured)
        line(epsilon, _PRIVATE, "δ(ε)", exact=float(DELTA))
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
        series={
            "images": {name: images[name] for name in ("original", *_ORDER)},
            "captions": _captions(lines),
        },
    )


_ORDER = ("R1SMG", _PRIVATE, "classic", "analytic", "Laplace", "H_b", "MVG")


def _captions(lines: list[Line]) -> dict[str, tuple[list[str], bool]]:
    """What stands beside each map: ε, the δ that is claimed, the exact one, the error."""
    found = {}
    for name in _ORDER:
        rows = [each for each in lines if each.mechanism == name]
        loss = next(each for each in rows if each.quantity == "E‖noise‖²" and each.measured)
        exact = next(
            each.exact for each in rows if each.quantity == "δ(ε)" and each.setting == loss.setting
        )
        assert exact is not None
        assert loss.exact is not None
        claimed = 0.0 if name in {"Laplace", "H_b"} else float(DELTA)
        broken = exact > claimed * 1.000001
        found[name] = (
            [
                name,
                f"{loss.setting}, δ = {claimed:g}",
                (
                    "exact δ below 1e-300"
                    if 0 <= exact < 1e-300 < claimed
                    else f"exact δ = {exact:.4g}"
                )
                + (": NOT private" if broken else ""),
                f"RMSE {math.sqrt(loss.exact / _CELLS):.4g}",
            ],
            broken,
        )
    return found


def _loss(sigma: arb) -> float:
    """E‖noise‖² = M·σ² of Gaussian noise."""
    with precision(_BITS):
        return float(_CELLS * sigma**2)
