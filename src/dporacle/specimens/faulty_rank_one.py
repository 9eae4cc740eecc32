"""Faulty functions for the rank-one Gaussian mechanism, as published and as it would be private."""

import functools
import math

from dporacle import fast
from dporacle.specimens.formulas import default_for_zero, magnitudes
from dporacle.specimens.specimen import Collection
from dporacle.vocabulary import QUANTITIES

RANK_ONE_NOISE = Collection()


@functools.lru_cache(maxsize=4096)
def _private(epsilon: float, delta: float, dimension: int, sensitivity: float) -> float:
    return float(
        fast.rank_one_private_sigma_star(
            epsilon=epsilon, delta=delta, dimension=dimension, sensitivity=sensitivity
        )
    )


def _published(epsilon: float, delta: float, dimension: int, sensitivity: float) -> float:
    return float(
        fast.rank_one_sigma_star(
            epsilon=epsilon, delta=delta, dimension=dimension, sensitivity=sensitivity
        )
    )


def _profile(epsilon: float, sigma_star: float, dimension: int, sensitivity: float) -> float:
    return float(
        fast.rank_one_delta_at_epsilon(
            epsilon=epsilon, sigma_star=sigma_star, dimension=dimension, sensitivity=sensitivity
        )
    )


@RANK_ONE_NOISE.add("rank_one_private_sigma_star", "core", "scaled")
def published_theorem_believed(
    epsilon: float, delta: float, dimension: int, sensitivity: float
) -> float:
    """The published σ* is given out as private."""
    return _published(epsilon, delta, dimension, sensitivity)


@RANK_ONE_NOISE.add("rank_one_private_sigma_star", "core", "zero-epsilon", "scaled")
def variance_of_gaussian_noise(
    epsilon: float, delta: float, dimension: int, sensitivity: float
) -> float:
    """Mσ²: the whole variance of the Gaussian noise that would be private."""
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return dimension * float(sigma) ** 2


@RANK_ONE_NOISE.add("rank_one_private_sigma_star", "zero-epsilon")
def search_from_published(
    epsilon: float, delta: float, dimension: int, sensitivity: float
) -> float:
    """The search starts at 2Δ²/(εψ), which there is none of at ε = 0."""
    exact = _private(epsilon, delta, dimension, sensitivity)
    return max(exact, 1e-300 / epsilon)


@RANK_ONE_NOISE.add("rank_one_sigma_star", "core", "many-dimensions", "scaled")
def half_the_exponent_of_psi(
    epsilon: float, delta: float, dimension: int, sensitivity: float
) -> float:
    """The exponent of ψ is 1/(M−2) and not 2/(M−2)."""
    fast.rank_one_sigma_star(
        epsilon=epsilon, delta=delta, dimension=dimension, sensitivity=sensitivity
    )
    psi = fast.rank_one_psi(delta=delta, dimension=dimension)
    return 2 * sensitivity**2 / (epsilon * math.sqrt(float(psi)))


@RANK_ONE_NOISE.add("rank_one_sigma_star", "many-dimensions")
def gamma_functions_overflow(
    epsilon: float, delta: float, dimension: int, sensitivity: float
) -> float:
    """Γ(M/2) is computed by itself, and is above every float64 from M = 344 on."""
    exact = _published(epsilon, delta, dimension, sensitivity)
    math.gamma(dimension / 2)
    return exact


@RANK_ONE_NOISE.add("rank_one_delta_at_epsilon", "core", "many-dimensions", "zero-epsilon")
def delta_of_gaussian_noise(
    epsilon: float, sigma_star: float, dimension: int, sensitivity: float
) -> float:
    """The δ of Gaussian noise with the same covariance, (σ*/M)·I."""
    exact = _profile(epsilon, sigma_star, dimension, sensitivity)
    sigma = math.sqrt(sigma_star / dimension)
    gaussian = fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    return min(exact, float(gaussian))


@RANK_ONE_NOISE.add("rank_one_delta_at_epsilon", "core", "scaled")
def inner_ball_alone(
    epsilon: float, sigma_star: float, dimension: int, sensitivity: float
) -> float:
    """A lower bound of δ(ε), that of a ball around the input, is given out as δ(ε)."""
    bound = fast.rank_one_inner_ball_delta(
        epsilon=epsilon, sigma_star=sigma_star, dimension=dimension, sensitivity=sensitivity
    )
    return max(0.0, float(bound))


@RANK_ONE_NOISE.add("rank_one_delta_at_epsilon", "zero-epsilon")
def curve_divided_by_epsilon(
    epsilon: float, sigma_star: float, dimension: int, sensitivity: float
) -> float:
    """The curve {L = ε} is run through by a parameter over ε."""
    exact = _profile(epsilon, sigma_star, dimension, sensitivity)
    return max(exact, 1e-300 / epsilon)


for _row in QUANTITIES.values():
    if _row.mechanism.law == "rank-one":
        RANK_ONE_NOISE.add(_row.name, "nonsense")(magnitudes(_row))
        for _name, _value in (("sensitivity", 2.0), ("delta", 1e-5)):
            if _name in _row.arguments:
                RANK_ONE_NOISE.add(_row.name, f"zero-{_name}")(
                    default_for_zero(_row, _name, _value)
                )
"""Faulty functions for rank-one noise."""
