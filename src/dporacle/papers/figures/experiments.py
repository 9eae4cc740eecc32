"""Figures on the experiments."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.enclosures.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.enclosures.classical_gaussian import classical_sigma
from dporacle.enclosures.papers import accuracy_loss
from dporacle.enclosures.papers import rank_one_gaussian as rank_one
from dporacle.papers.figures._common import HALF, TINIER, TINY, middle, variance_ratio

CASE_STUDY: dict[str, Any] = {"epsilon": TINY, "delta": TINIER, "dimension": 89 * 89}


FIGURES: tuple[tuple[str, str, str, Callable[[], arb | int]], ...] = (
    *(
        (
            "rank_one_gaussian",
            "JL24.R1",
            f"exact δ at ε = 1/(2M), σ* for δ = 1e-7, M = {m}",
            lambda m=m: rank_one.rank_one_published_delta(
                epsilon=Fraction(1, 2 * m), delta=TINIER, dimension=m, digits=12
            ),
        )
        for m in (10, 100, 7921)
    ),
    *(
        (
            "experiments",
            "BW18.F1",
            f"classical over analytic variance at ε = 1, δ = {float(delta):g}",
            lambda delta=delta: variance_ratio(Fraction(1), delta, inverse=True),
        )
        for delta in (TINY, TINIER, Fraction(1, 10**9))
    ),
    (
        "experiments",
        "JL24.F1",
        "exact δ of R1SMG at ε = 1e-5, σ* for δ = 1e-7, M = 7921",
        lambda: rank_one.rank_one_published_delta(**CASE_STUDY),
    ),
    (
        "experiments",
        "JL24.F1",
        "E‖noise‖² of R1SMG there",
        lambda: accuracy_loss.r1smg_expected_loss(**CASE_STUDY),
    ),
    (
        "experiments",
        "JL24.F1",
        "smallest private σ* = E‖noise‖² of R1SMG there",
        lambda: rank_one.rank_one_private_sigma_star(**CASE_STUDY, digits=12),
    ),
    (
        "experiments",
        "JL24.F1",
        "E‖noise‖² of the classical mechanism at ε = 0.5",
        lambda: accuracy_loss.classical_expected_loss(
            epsilon=HALF, delta=TINIER, dimension=CASE_STUDY["dimension"]
        ),
    ),
    *(
        (
            "experiments",
            "JL24.F1",
            f"E‖noise‖² of the analytic mechanism at ε = {float(epsilon):g}",
            lambda epsilon=epsilon: accuracy_loss.expected_loss(
                dimension=CASE_STUDY["dimension"],
                sigma=middle(calibrate_sigma(epsilon=epsilon, delta=TINIER)),
            ),
        )
        for epsilon in (HALF, TINY)
    ),
    (
        "experiments",
        "JL24.F1",
        "exact δ of the classical mechanism at ε = 0.5",
        lambda: delta_at_epsilon(
            epsilon=HALF, sigma=middle(classical_sigma(epsilon=HALF, delta=TINIER))
        ),
    ),
)
