"""Figures on calibrations and many queries."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures import closed_forms
from dporacle.enclosures import simultaneous_accuracy as simultaneous
from dporacle.enclosures.analytic_gaussian import calibrate_sigma
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.privacy_loss import loss_upper_tail
from dporacle.papers.figures._common import BITS, DIGITS, TINY, middle, profile_at, variance_ratio


def _misquoted_crossing() -> arb:
    """The root of k, between two points at which balls have opposite signs."""
    low, high = Fraction(1, 10), Fraction(1)
    while high - low > Fraction(1, 10 ** (DIGITS + 3)):
        middle = (low + high) / 2
        false = closed_forms.low_privacy_threshold_misquoted(epsilon=middle)
        if false > closed_forms.low_privacy_threshold(epsilon=middle):
            high = middle
        else:
            low = middle
    with precision(BITS):
        return ball(low).union(ball(high))


def _dwork_roth_constant() -> arb:
    with precision(BITS):
        return (2 * ball(Fraction(8, 9)).exp() / arb.pi()).sqrt()


def _sample_size(name: Callable[..., int]) -> int:
    multiplier = middle(calibrate_sigma(epsilon=1, delta=Fraction(1, 10**6)))
    return name(
        queries=1000, error=Fraction(1, 100), beta=Fraction(1, 20), noise_multiplier=multiplier
    )


FIGURES: tuple[tuple[str, str, str, Callable[[], arb | int]], ...] = (
    *(
        (
            "closed_forms",
            statement,
            f"largest ε of {name} at δ = 1e-5",
            lambda name=name: getattr(closed_forms, f"{name}_epsilon_max")(delta=TINY),
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
        lambda: profile_at(closed_forms.rho_epsilon(rho=1, delta=TINY)),
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
        "ε beyond which low_privacy_threshold_misquoted is false",
        _misquoted_crossing,
    ),
    ("closed_forms", "GMA.R1", "√(2e^{8/9}/π)", _dwork_roth_constant),
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
    *(
        (
            "closed_forms",
            "BW18.C2",
            f"δ of the factor of 2 at ε = {float(epsilon)}",
            lambda epsilon=epsilon: closed_forms.variance_half_boundary(epsilon=epsilon),
        )
        for epsilon in (Fraction(1), Fraction(1, 2))
    ),
    (
        "closed_forms",
        "BW18.C1",
        "exact over classical variance at ε = 1, δ = 1e-8",
        lambda: variance_ratio(Fraction(1), Fraction(1, 10**8)),
    ),
    (
        "closed_forms",
        "JL24.D1",
        "Pr[L ≥ 1] at the exact σ for (1, 1e-5)",
        lambda: loss_upper_tail(epsilon=1, sigma=middle(calibrate_sigma(epsilon=1, delta=TINY))),
    ),
    *(
        (
            "closed_forms",
            "X.CF",
            f"{name} at ε = 1, δ = 1e-5",
            lambda name=name: getattr(closed_forms, name)(epsilon=1, delta=TINY),
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
)
