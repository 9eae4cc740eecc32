"""The reference's ways to the quantities of which the fourth witness has no identity.

Each is another formula or algorithm than the enclosures', which made the vectors.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath

from dporacle import arguments, reference
from dporacle.vocabulary import QUANTITIES

WAYS: Mapping[str, str] = {
    "calibrate_sigma": "Algorithm 1 of the paper; at ε = 0, Newton's method on δ(0) = δ",
    "delta_at_epsilon": "the two Φ of Theorem 8, where the enclosures use Mills ratios",
    "repeated_sigma": "√k times Algorithm 1; at ε = 0, Newton's method",
    "accuracy": "Newton's method on the log-odds of erfc; the enclosures use erfc⁻¹",
    "alpha_at_accuracy": "mpmath's erfc, where the enclosures use Arb's",
    "sigma_at_accuracy": "Newton's method on the log-odds of erfc; the enclosures use erfc⁻¹",
    "classical_sigma": "mpmath's logarithm and root, where the enclosures use Arb's",
    "rdp_delta": "the general bound at its best order, where the enclosures use its value there",
    "max_error_quantile": "Newton's method on the log-odds of erfc; the enclosures use erf⁻¹",
    "laplace_repeated_delta": "powers of p ± 1 and series of sinh; the enclosures use ₁F₁",
    "laplace_gaussian_delta": "three Φ, where the enclosures use differences of Mills ratios",
    "balls_and_bins_delta": "two distribution functions, of the sum's law without and with the "
    "record, by Mellin's integral; the enclosures invert the price E(a − W)₊ alone",
    "balls_and_bins_epsilon": "Newton's method on that δ; the enclosures' tangents bound it",
    "random_allocation_delta": "the upper end, by Mellin's transform of each block's likelihood "
    "ratio on a line; the enclosures sum prices on a lattice",
    "random_allocation_epsilon": "the secant on that δ; the enclosures prove two signs",
    "truncated_delta": "the upper end, by quadrature of one step, or by trapezoid sums of its "
    "moments over the real line; the enclosures take panels of a path above it",
    "truncated_epsilon": "the secant on that δ, or tails that the quadrature confirms; the "
    "enclosures prove two signs",
    "exponential_mechanism_adaptive_delta": "the upper end, by means of hyperbolic sines on a grid "
    "of its own; the enclosures take chords in e^ε, in integers",
    "exponential_mechanism_adaptive_epsilon": "false position on that δ",
    "permute_and_flip_repeated_delta": "the upper end, by powers of p ± 1 and series of sinh; the "
    "enclosures use ₁F₁",
    "permute_and_flip_repeated_epsilon": "false position on that δ",
    "rank_one_sigma_star": "mpmath's loggamma, where the enclosures use Arb's",
    "rank_one_delta_at_epsilon": "Beta distribution functions over the radius; the enclosures "
    "integrate densities over the difference of squares",
    "rank_one_private_sigma_star": "Newton's method; the enclosures bracket by signs of balls",
    "rounded_norm_squared": "triangular numbers fill what a budget leaves; the enclosures seek "
    "odd numbers by their sum and their squares",
    "discrete_calibrate_sigma": "a search and Newton's method; the enclosures prove box by box",
    "plrv_tail_sigma": "Newton's method for the quantile; the enclosures use erfc⁻¹",
    "binomial_tail": "the continued fraction of the incomplete beta function; the enclosures sum",
    "binomial_upper": "Newton's method on it, in the odds; the enclosures sum and prove two signs",
    "monte_carlo_delta": "Newton's method on it, in the odds; the enclosures prove two signs",
    "monte_carlo_mean_delta": "Newton's method on the logarithms; the enclosures prove two signs",
    "audit_epsilon": "roots of incomplete beta functions; the enclosures' are of sums of terms",
    "audit_delta": "roots of incomplete beta functions; the enclosures' are of sums of terms",
    "audit_p_value": "Newton's method on incomplete beta functions; the enclosures prove two signs",
    "audit_joint_p_value": "incomplete beta functions, and equal products on both sides of the "
    "largest one; the enclosures bound by tangents",
    "audit_mu": "Newton's method on the normal law; the enclosures use erfc⁻¹",
    "one_run_p_value": "differences of incomplete beta functions, the largest mean by halving; the "
    "enclosures pass by every term",
    "one_run_epsilon": "Newton's method on it; the enclosures prove two signs of sums of terms",
    "positive_part_risk": "a series summed downwards to a Chernoff bound; the enclosures bound it",
    "soft_threshold_coordinate_risk": "the formula in Φ and φ; the enclosures use partial moments",
}
"""Quantity -> the reference's way, and the enclosures'."""


def by_reference(quantity: str, inputs: Mapping[str, Any], digits: int) -> Fraction:
    """Return a quantity by the reference, wrong by at most 10^-digits of itself."""
    return _answer(quantity, tuple(inputs.items()), digits)


@lru_cache(maxsize=1 << 10)
def _answer(quantity: str, given: tuple[tuple[str, Any], ...], digits: int) -> Fraction:
    """Return the same; some answers take seconds, and are asked for again."""
    inputs = dict(given)
    function: Callable[..., Any] = _OWN.get(quantity) or QUANTITIES[quantity].of(reference)
    return arguments.exact("answer", function(**inputs, digits=digits))


def _algorithm_1(*, releases: int = 1, digits: int, **inputs: Any) -> Any:
    calibrate = reference.algorithm_1 if inputs["epsilon"] > 0 else reference.calibrate_sigma
    with mpmath.workdps(digits + 10):
        return calibrate(**inputs, digits=digits + 4) * mpmath.sqrt(releases)


_OWN: Mapping[str, Callable[..., Any]] = {
    "calibrate_sigma": _algorithm_1,
    "repeated_sigma": _algorithm_1,
    "rank_one_delta_at_epsilon": lambda **given: reference.rank_one_delta_by_radius(**given),
}
"""Those whose own function in the reference goes the enclosures' way, or has no other."""
