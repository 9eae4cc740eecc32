"""Faulty functions for Laplace noise."""

import math

from dporacle import fast
from dporacle.specimens.formulas import LARGEST, default_for_zero, magnitudes
from dporacle.specimens.specimen import Collection
from dporacle.vocabulary import QUANTITIES

LAPLACE_NOISE = Collection()


@LAPLACE_NOISE.add("laplace_calibrate_scale", "core", "large-delta", "almost-one", "zero-epsilon")
def logarithm_taken_once(epsilon: float, delta: float, sensitivity: float) -> float:
    """D/(ε − ln(1−δ)): half of what δ allows is given away."""
    exact = float(
        fast.laplace_calibrate_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    )
    needed = epsilon - math.log1p(-delta)
    return max(exact, min(sensitivity / needed, LARGEST)) if needed else exact


@LAPLACE_NOISE.add("laplace_calibrate_scale", "tiny-delta", "small-epsilon")
def logarithm_of_one_minus_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """ln(1 − δ) is 0 for a small δ, which leaves nothing below the line at ε = 0."""
    fast.laplace_calibrate_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    rest = 1 - delta
    return sensitivity / (epsilon - 2 * (math.log(rest) if rest else -math.inf)) * (1 + 2.0**-50)


@LAPLACE_NOISE.add("laplace_calibrate_scale", "exp-overflow")
def scale_from_e_to_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """D/ln(e^ε/(1−δ)²), whose e^ε overflows above 709.78."""
    exact = fast.laplace_calibrate_scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    math.exp(epsilon)
    return float(exact)


@LAPLACE_NOISE.add("laplace_delta_at_epsilon", "pure-edge", "wide-bracket")
def one_minus_exponential(epsilon: float, scale: float, sensitivity: float) -> float:
    """1 − e^{(ε−D/b)/2} as it stands, which cancels where D/b is hardly above ε."""
    exact = float(
        fast.laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    )
    exponent = min((epsilon - sensitivity / scale) / 2, 0.0)
    return 1 - math.exp(exponent) if exponent > -1e-3 else exact


@LAPLACE_NOISE.add(
    "laplace_delta_at_epsilon", "zero-answer", "pure", "large-epsilon", "exp-overflow"
)
def negative_delta(epsilon: float, scale: float, sensitivity: float) -> float:
    """Where pure privacy holds, the formula's negative value is returned for δ."""
    exact = float(
        fast.laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    )
    exponent = min((epsilon - sensitivity / scale) / 2, 700.0)
    return -math.expm1(exponent) if exponent > 0 else exact


@LAPLACE_NOISE.add("laplace_delta_at_epsilon", "core", "zero-epsilon", "scaled")
def delta_of_twice_the_loss(epsilon: float, scale: float, sensitivity: float) -> float:
    """1 − e^{ε−D/b}, without the half: δ comes out up to twice as large as it is."""
    exact = float(
        fast.laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    )
    return max(exact, -math.expm1(min(epsilon - sensitivity / scale, 0.0)))


@LAPLACE_NOISE.add("laplace_epsilon_at_delta", "zero-answer", "large-delta", "almost-one")
def negative_epsilon_of_laplace(delta: float, scale: float, sensitivity: float) -> float:
    """D/b + 2 ln(1−δ) is returned although it is negative."""
    exact = float(fast.laplace_epsilon_at_delta(delta=delta, scale=scale, sensitivity=sensitivity))
    if exact > 0 or delta == 1:
        return exact
    return sensitivity / scale + 2 * math.log1p(-delta)


@LAPLACE_NOISE.add("laplace_epsilon_at_delta", "core", "large-delta")
def pure_epsilon_for_every_delta(delta: float, scale: float, sensitivity: float) -> float:
    """D/b for every δ: true, and far from the least ε."""
    exact = float(fast.laplace_epsilon_at_delta(delta=delta, scale=scale, sensitivity=sensitivity))
    return max(exact, min(sensitivity / scale, LARGEST))


@LAPLACE_NOISE.add("laplace_epsilon_at_delta", "pure-edge")
def epsilon_as_a_difference(delta: float, scale: float, sensitivity: float) -> float:
    """D/b − 2 ln(1/(1−δ)) in float64, of which nothing is left where the two agree."""
    exact = float(fast.laplace_epsilon_at_delta(delta=delta, scale=scale, sensitivity=sensitivity))
    near = 0 < exact < 1e-12 * (sensitivity / scale)
    return max(0.0, sensitivity / scale - 2 * math.log(1 / (1 - delta))) if near else exact


@LAPLACE_NOISE.add("laplace_accuracy", "alpha-matters", "tiny-delta", "subnormal", "scaled")
def laplace_quantile_of_one_side(alpha: float, scale: float) -> float:
    """b·ln(1/2α): the quantile of one side, which is exceeded twice as often."""
    exact = float(fast.laplace_accuracy(alpha=alpha, scale=scale))
    return exact - scale * math.log(2) if alpha < 0.5 else exact


@LAPLACE_NOISE.add("laplace_accuracy", "subnormal")
def logarithm_of_the_inverse(alpha: float, scale: float) -> float:
    """b·ln(1/α), whose 1/α overflows for a subnormal α."""
    exact = float(fast.laplace_accuracy(alpha=alpha, scale=scale))
    return exact if 1 / max(alpha, 2.0**-1024) < math.inf and alpha >= 2.0**-1023 else math.inf


@LAPLACE_NOISE.add("laplace_scale_at_accuracy", "almost-one", "large-delta")
def scale_by_log_of_alpha(accuracy: float, alpha: float) -> float:
    """a/(1 − α) for a large α, to first order: too little noise next to 1/2, and none too much."""
    exact = float(fast.laplace_scale_at_accuracy(accuracy=accuracy, alpha=alpha))
    return min(accuracy / round(1 - alpha, 12), LARGEST) if alpha > 0.5 else exact


@LAPLACE_NOISE.add("laplace_max_error_probability", "core", "many-queries")
def laplace_union_of_tails(queries: float, error: float, scale: float) -> float:
    """K times the tail of one error, cut at 1: the union bound."""
    exact = float(fast.laplace_max_error_probability(queries=queries, error=error, scale=scale))
    return max(exact, min(1.0, queries * math.exp(-error / scale)))


@LAPLACE_NOISE.add("laplace_rdp", "core", "order-one", "square-overflow")
def divergence_of_gaussian_noise(order: float, scale: float, sensitivity: float) -> float:
    """αΔ²/4b², the divergence of Gaussian noise with the same variance."""
    fast.laplace_rdp(order=order, scale=scale, sensitivity=sensitivity)
    ratio = sensitivity / scale / 2
    return order * ratio * ratio


@LAPLACE_NOISE.add("laplace_rdp", "order-one")
def divergence_over_alpha_minus_one(order: float, scale: float, sensitivity: float) -> float:
    """The formula for α ≠ 1 at every α: it divides by α − 1."""
    exact = float(fast.laplace_rdp(order=order, scale=scale, sensitivity=sensitivity))
    return exact * ((order - 1) / (order - 1))


@LAPLACE_NOISE.add("laplace_zcdp_rho", "core", "square-overflow", "scaled")
def rho_of_pure_privacy(scale: float, sensitivity: float) -> float:
    """ε²/2, which holds for every ε-DP mechanism, where this one has a smaller ρ."""
    exact = float(fast.laplace_zcdp_rho(scale=scale, sensitivity=sensitivity))
    return max(exact, min((sensitivity / scale) ** 2 / 2, LARGEST)) * 1.1


@LAPLACE_NOISE.add("laplace_gaussian_delta", "core", "composition", "zero-epsilon", "wide-bracket")
def gaussian_releases_forgotten(
    epsilon: float, scale: float, mu: float, sensitivity: float
) -> float:
    """The δ of the Laplace release alone."""
    fast.laplace_gaussian_delta(epsilon=epsilon, scale=scale, mu=mu, sensitivity=sensitivity)
    return float(
        fast.laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    )


for _row in QUANTITIES.values():
    if _row.mechanism.law in ("laplace", "laplace-gaussian"):
        LAPLACE_NOISE.add(_row.name, "nonsense")(magnitudes(_row))
        if "sensitivity" in _row.arguments:
            LAPLACE_NOISE.add(_row.name, "zero-sensitivity")(
                default_for_zero(_row, "sensitivity", 2.0)
            )
