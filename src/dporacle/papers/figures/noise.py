"""Figures on denoising, losses, other currencies and the discrete Gaussian."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures import composition, conversions
from dporacle.enclosures import discrete_gaussian as discrete
from dporacle.enclosures.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.enclosures.papers import accuracy_loss, denoising
from dporacle.papers.figures._common import TINIER, TINY, middle, profile_at


def _sigma_squared(epsilon: int, delta: Fraction) -> arb:
    return accuracy_loss.expected_loss(
        dimension=1, sigma=middle(calibrate_sigma(epsilon=epsilon, delta=delta))
    )


FIGURES: tuple[tuple[str, str, str, Callable[[], arb | int]], ...] = (
    (
        "denoising",
        "BW18.T11",
        "James–Stein risk, d = 10, ‖θ‖ = 3σ = 3",
        lambda: denoising.james_stein_risk(dimension=10, norm=3),
    ),
    (
        "denoising",
        "BW18.T11",
        "positive-part risk, d = 10, ‖θ‖ = 3σ = 3",
        lambda: denoising.positive_part_risk(dimension=10, norm=3),
    ),
    (
        "denoising",
        "BW18.T11",
        "positive-part risk, d = 10, θ = 0",
        lambda: denoising.positive_part_risk(dimension=10, norm=0),
    ),
    (
        "denoising",
        "BW18.T12",
        "soft-threshold risk, d = 1000, θ = 0",
        lambda: denoising.soft_threshold_risk(means=[0] * 1000),
    ),
    (
        "denoising",
        "BW18.T12",
        "its oracle bound",
        lambda: denoising.soft_threshold_oracle_bound(means=[0] * 1000),
    ),
    (
        "accuracy_loss",
        "JL24.L2",
        "E[L]/M of the analytic mechanism at (1, 1e-5)",
        lambda: _sigma_squared(1, TINY),
    ),
    (
        "accuracy_loss",
        "JL24.L2",
        "C_A/M, said to be below it",
        lambda: accuracy_loss.analytic_loss_bound(epsilon=1, delta=TINY, dimension=1),
    ),
    (
        "accuracy_loss",
        "JL24.T2",
        "E[L] of R1SMG at (1e-5, 1e-7), M = 7921",
        lambda: accuracy_loss.r1smg_expected_loss(epsilon=TINY, delta=TINIER, dimension=7921),
    ),
    *(
        (
            "accuracy_loss",
            "JL24.T3",
            f"Pr[L > 10 E L], M = {m}",
            lambda m=m: accuracy_loss.loss_tail(dimension=m, factor=10),
        )
        for m in (1, 2, 10, 100)
    ),
    *(
        (
            "conversions",
            statement,
            f"{what} at ε = {epsilon}, μ = 1",
            lambda epsilon=epsilon, compute=compute: compute(epsilon),
        )
        for epsilon in (1, 3, 6)
        for statement, what, compute in (
            ("BW18.T8", "exact δ", profile_at),
            ("X.RDP", "rdp_delta", lambda e: conversions.rdp_delta(epsilon=e, mu=1)),
            ("X.ZCDP", "zcdp_delta", lambda e: conversions.zcdp_delta(epsilon=e, mu=1)),
        )
    ),
    (
        "composition",
        "X.GROUP",
        "exact δ(3) of three records, μ = 1/2",
        lambda: delta_at_epsilon(epsilon=3, sigma=2, sensitivity=3),
    ),
    (
        "composition",
        "X.GROUP",
        "the general bound from δ(1)",
        lambda: composition.group_delta_bound(
            epsilon=1, delta=middle(delta_at_epsilon(epsilon=1, sigma=2)), size=3
        ),
    ),
    *(
        (
            "discrete_gaussian",
            "X.DG",
            f"δ(2) at σ = {float(sigma)}",
            lambda sigma=sigma: discrete.discrete_delta_at_epsilon(epsilon=2, sigma=sigma),
        )
        for sigma in (Fraction(1, 2), Fraction(11, 20))
    ),
    (
        "discrete_gaussian",
        "X.DG",
        "σ from which on all are private at (1, 1e-5)",
        lambda: discrete.discrete_calibrate_sigma(epsilon=1, delta=TINY, digits=12),
    ),
    (
        "discrete_gaussian",
        "X.DG",
        "the continuous mechanism's σ there",
        lambda: calibrate_sigma(epsilon=1, delta=TINY),
    ),
    (
        "discrete_gaussian",
        "X.DG",
        "variance at σ = 0.5",
        lambda: discrete.discrete_variance(sigma=Fraction(1, 2)),
    ),
)
