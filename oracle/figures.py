"""The figures of the notes, each computed again by the enclosures.

`dporacle statements --figures` prints them; a test finds each one in the note of its group. Where
a figure is taken at a number that is itself computed, that number is its ball's midpoint, good to
50 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.enclosures import accuracy_loss, closed_forms, composition, conversions, denoising
from dporacle.enclosures import discrete_gaussian as discrete
from dporacle.enclosures import rank_one_gaussian as rank_one
from dporacle.enclosures import simultaneous_accuracy as simultaneous
from dporacle.enclosures._balls import precision
from dporacle.enclosures.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.enclosures.classical_gaussian import classical_sigma
from dporacle.enclosures.privacy_loss import loss_upper_tail
from dporacle.enclosures.rounding import bounds

__all__ = ["Figure", "figures"]

_DIGITS = 10
_BITS = 256
_5, _7, _HALF = Fraction(1, 10**5), Fraction(1, 10**7), Fraction(1, 2)
_CASE_STUDY: dict[str, Any] = {"epsilon": _5, "delta": _7, "dimension": 89 * 89}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a note.

    Attributes:
        group: the note that has it.
        statement: the id of the statement that it is about.
        says: what it is.
        value: its digits.
    """

    group: str
    statement: str
    says: str
    value: str


def _show(value: arb | int) -> str:
    return value.str(_DIGITS, radius=False) if isinstance(value, arb) else str(value)


def _middle(value: arb) -> Fraction:
    """An exact number inside a ball, close enough for the digits that are shown."""
    low, high = bounds(value)
    return (low + high) / 2


def figures() -> Iterator[Figure]:
    """Compute all figures, in the order of the notes."""
    for group, statement, says, compute in _FIGURES:
        yield Figure(group, statement, says, _show(compute()))


def _profile_at(epsilon: arb | int, mu: int = 1) -> arb:
    eps = _middle(epsilon) if isinstance(epsilon, arb) else epsilon
    return delta_at_epsilon(epsilon=eps, sigma=1, sensitivity=mu)


def _sigma_squared(epsilon: int, delta: Fraction) -> arb:
    return accuracy_loss.expected_loss(
        dimension=1, sigma=_middle(calibrate_sigma(epsilon=epsilon, delta=delta))
    )


def _ratio(epsilon: Fraction, delta: Fraction, *, inverse: bool = False) -> arb:
    exact = calibrate_sigma(epsilon=epsilon, delta=delta)
    classical = classical_sigma(epsilon=epsilon, delta=delta)
    with precision(_BITS):
        return (classical / exact if inverse else exact / classical) ** 2


def _sample_size(name: Callable[..., int]) -> int:
    multiplier = _middle(calibrate_sigma(epsilon=1, delta=Fraction(1, 10**6)))
    return name(
        queries=1000, error=Fraction(1, 100), beta=Fraction(1, 20), noise_multiplier=multiplier
    )


_FIGURES: tuple[tuple[str, str, str, Callable[[], arb | int]], ...] = (
    *(
        (
            "closed_forms",
            statement,
            f"largest ε of {name} at δ = 1e-5",
            lambda name=name: getattr(closed_forms, f"{name}_epsilon_max")(delta=_5),
        )
        for statement, name in (
            ("X.CFMAX", "classical"),
            ("GMA.R1", "dwork_roth"),
            ("X.CFMAX", "dwork_2006"),
        )
    ),
    *(
        (
            "closed_forms",
            statement,
            f"largest ε of {name} for every δ",
            getattr(closed_forms, f"{name}_epsilon_threshold"),
        )
        for statement, name in (
            ("X.CFMAX", "classical"),
            ("GMA.R1", "dwork_roth"),
            ("X.CFMAX", "dwork_2006"),
        )
    ),
    (
        "closed_forms",
        "GN.T1",
        "exact δ(ε) at ρ = 1 and the ε for δ = 1e-5",
        lambda: _profile_at(closed_forms.rho_epsilon(rho=1, delta=_5)),
    ),
    *(
        (
            "closed_forms",
            "BW18.T4",
            f"{name} at ε = 1",
            lambda name=name: getattr(closed_forms, name)(epsilon=1),
        )
        for name in (
            "low_privacy_threshold",
            "low_privacy_threshold_closed",
            "low_privacy_threshold_misquoted",
        )
    ),
    (
        "closed_forms",
        "BW18.T4",
        "exact σ at ε = 1, δ = 0.4",
        lambda: calibrate_sigma(epsilon=1, delta=Fraction(2, 5)),
    ),
    *(
        (
            "closed_forms",
            "BW18.C1",
            f"δ of the saved third at ε = {float(epsilon)}",
            lambda epsilon=epsilon: closed_forms.variance_third_boundary(epsilon=epsilon),
        )
        for epsilon in (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100))
    ),
    (
        "closed_forms",
        "BW18.C1",
        "exact over classical variance at ε = 1, δ = 1e-8",
        lambda: _ratio(Fraction(1), Fraction(1, 10**8)),
    ),
    (
        "closed_forms",
        "JL24.D1",
        "Pr[L ≥ 1] at the exact σ for (1, 1e-5)",
        lambda: loss_upper_tail(epsilon=1, sigma=_middle(calibrate_sigma(epsilon=1, delta=_5))),
    ),
    *(
        (
            "closed_forms",
            "X.CF",
            f"{name} at ε = 1, δ = 1e-5",
            lambda name=name: getattr(closed_forms, name)(epsilon=1, delta=_5),
        )
        for name in ("plrv_tail_sigma", "vinterbo_sigma", "rho_sigma", "dwork_2006_sigma")
    ),
    (
        "simultaneous_accuracy",
        "GN.A1",
        "exact 95 % quantile of 1000 errors, σ = 1",
        lambda: simultaneous.max_error_quantile(queries=1000, beta=Fraction(1, 20), sigma=1),
    ),
    (
        "simultaneous_accuracy",
        "GN.A1",
        "its union bound",
        lambda: simultaneous.max_error_bound(queries=1000, beta=Fraction(1, 20), sigma=1),
    ),
    (
        "simultaneous_accuracy",
        "GN.A1",
        "records for error 0.01 at (1, 1e-6), exact",
        lambda: _sample_size(simultaneous.sample_size),
    ),
    (
        "simultaneous_accuracy",
        "GN.A1",
        "records for error 0.01 at (1, 1e-6), by the union bound",
        lambda: _sample_size(simultaneous.sample_size_bound),
    ),
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
        lambda: _sigma_squared(1, _5),
    ),
    (
        "accuracy_loss",
        "JL24.L2",
        "C_A/M, said to be below it",
        lambda: accuracy_loss.analytic_loss_bound(epsilon=1, delta=_5, dimension=1),
    ),
    (
        "accuracy_loss",
        "JL24.T2",
        "E[L] of R1SMG at (1e-5, 1e-7), M = 7921",
        lambda: accuracy_loss.r1smg_expected_loss(epsilon=_5, delta=_7, dimension=7921),
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
            ("BW18.T8", "exact δ", _profile_at),
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
            epsilon=1, delta=_middle(delta_at_epsilon(epsilon=1, sigma=2)), size=3
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
        lambda: discrete.discrete_calibrate_sigma(epsilon=1, delta=_5, digits=12),
    ),
    (
        "discrete_gaussian",
        "X.DG",
        "the continuous mechanism's σ there",
        lambda: calibrate_sigma(epsilon=1, delta=_5),
    ),
    (
        "discrete_gaussian",
        "X.DG",
        "variance at σ = 0.5",
        lambda: discrete.discrete_variance(sigma=Fraction(1, 2)),
    ),
    *(
        (
            "experiments",
            "BW18.F1",
            f"classical over analytic variance at ε = 1, δ = {float(delta):g}",
            lambda delta=delta: _ratio(Fraction(1), delta, inverse=True),
        )
        for delta in (_5, _7, Fraction(1, 10**9))
    ),
    (
        "experiments",
        "JL24.F1",
        "exact δ of R1SMG at ε = 1e-5, σ* for δ = 1e-7, M = 7921",
        lambda: rank_one.rank_one_published_delta(**_CASE_STUDY),
    ),
    (
        "experiments",
        "JL24.F1",
        "E‖noise‖² of R1SMG there",
        lambda: accuracy_loss.r1smg_expected_loss(**_CASE_STUDY),
    ),
    (
        "experiments",
        "JL24.F1",
        "smallest private σ* = E‖noise‖² of R1SMG there",
        lambda: rank_one.rank_one_private_sigma_star(**_CASE_STUDY, digits=12),
    ),
    (
        "experiments",
        "JL24.F1",
        "E‖noise‖² of the classical mechanism at ε = 0.5",
        lambda: accuracy_loss.classical_expected_loss(
            epsilon=_HALF, delta=_7, dimension=_CASE_STUDY["dimension"]
        ),
    ),
    *(
        (
            "experiments",
            "JL24.F1",
            f"E‖noise‖² of the analytic mechanism at ε = {float(epsilon):g}",
            lambda epsilon=epsilon: accuracy_loss.expected_loss(
                dimension=_CASE_STUDY["dimension"],
                sigma=_middle(calibrate_sigma(epsilon=epsilon, delta=_7)),
            ),
        )
        for epsilon in (_HALF, _5)
    ),
    (
        "experiments",
        "JL24.F1",
        "exact δ of the classical mechanism at ε = 0.5",
        lambda: delta_at_epsilon(
            epsilon=_HALF, sigma=_middle(classical_sigma(epsilon=_HALF, delta=_7))
        ),
    ),
)
