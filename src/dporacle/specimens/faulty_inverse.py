"""Faulty functions for δ, ε, accuracy and the classical formula."""

import math

import dporacle
from dporacle.specimens.formulas import NORMAL, errors_become_zero, naive_delta, phi
from dporacle.specimens.specimen import Collection

OTHERS = Collection()


@OTHERS.add(
    "epsilon_at_delta", "zero-answer", "large-delta", source="pytorch/opacus#585, opendp/opendp#621"
)
def negative_epsilon(delta: float, sigma: float, sensitivity: float) -> float:
    """Where δ exceeds δ(0), the root of δ(ε) = δ is returned although it is negative."""
    epsilon = float(dporacle.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity))
    mu = sensitivity / sigma
    if epsilon > 0 or not 1e-5 < mu < 30 or delta == 1:
        return epsilon
    low, high = -100.0, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if naive_delta(middle, mu) <= delta else (middle, high)
    return high


@OTHERS.add("epsilon_at_delta", "core")
def classical_epsilon(delta: float, sigma: float, sensitivity: float) -> float:
    """The classical formula solved for ε, used where ε comes out above 1."""
    exact = dporacle.epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity)
    classical = math.sqrt(2 * math.log(1.25 / max(delta, 1e-300))) * (sensitivity / sigma)
    return classical if 1 < classical < float(exact) else float(exact)


@OTHERS.add("delta_at_epsilon", "small-epsilon", "wide-bracket")
def naive_difference(epsilon: float, sigma: float, sensitivity: float) -> float:
    """δ(ε) as a difference of two Φ, which cancels to 0 under much noise."""
    exact = float(dporacle.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity))
    mu = sensitivity / sigma
    return exact if epsilon > 700 or mu > 1e150 else naive_delta(epsilon, mu)


@OTHERS.add("delta_at_epsilon", "core")
def second_term_dropped(epsilon: float, sigma: float, sensitivity: float) -> float:
    """δ(ε) without its second term: safe, and far from the smallest δ."""
    exact = float(dporacle.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity))
    mu = sensitivity / sigma
    return max(exact, phi(mu / 2 - epsilon / mu)) if 1e-150 < mu < 1e150 else exact


@OTHERS.add("delta_at_epsilon", "core")
def sigma_read_as_variance(epsilon: float, sigma: float, sensitivity: float) -> float:
    """The caller's variance is taken for a standard deviation."""
    dporacle.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    variance = min(max(sigma * sigma, 5e-324), 1.7e308)
    return float(
        dporacle.delta_at_epsilon(epsilon=epsilon, sigma=variance, sensitivity=sensitivity)
    )


@OTHERS.add("accuracy", "alpha-matters", source="opendp/smartnoise-sdk#399")
def same_accuracy_for_every_alpha(alpha: float, sigma: float) -> float:
    """α is checked and then forgotten: the accuracy is the one for 0.05."""
    dporacle.accuracy(alpha=alpha, sigma=min(sigma, 1.0))
    return float(dporacle.accuracy(alpha=0.05, sigma=sigma))


@OTHERS.add("accuracy", "alpha-matters", source="opendifferentialprivacy/smartnoise-core#316")
def accuracy_of_laplace(alpha: float, sigma: float) -> float:
    """The accuracy of Laplace noise with the same variance."""
    exact = float(dporacle.accuracy(alpha=alpha, sigma=sigma))
    return -math.log(alpha) * sigma / math.sqrt(2) if 0 < exact < 1e300 else exact


@OTHERS.add("accuracy", "tiny-delta", "subnormal")
def quantile_near_one(alpha: float, sigma: float) -> float:
    """The quantile at 1 − α/2, which is 1 in float64 for a small α and is clipped to below 1."""
    exact = float(dporacle.accuracy(alpha=alpha, sigma=sigma))
    if alpha > 1e-15:
        return exact
    return sigma * NORMAL.inv_cdf(min(1 - alpha / 2, 1 - 2.0**-53))


@OTHERS.add("alpha_at_accuracy", "core", "underflow")
def complement_of_phi(accuracy: float, sigma: float) -> float:
    """2·(1 − Φ(x)), which is 0 in float64 from x = 8.3 on."""
    exact = float(dporacle.alpha_at_accuracy(accuracy=accuracy, sigma=sigma))
    return 0.0 if accuracy / sigma > 8.3 else exact


@OTHERS.add("classical_sigma", "core")
def constant_forgotten(epsilon: float, delta: float, sensitivity: float) -> float:
    """√(2 ln(1/δ)) in place of √(2 ln(1.25/δ))."""
    exact = dporacle.classical_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    ratio = math.log(delta) / (math.log(delta) - math.log(1.25))
    return float(exact) * math.sqrt(ratio)


_OVERFLOW, _NO_SENSITIVITY = ("nonsense", "overflow"), ("nonsense", "zero-sensitivity")
for _function, _expected in {
    "delta_at_epsilon": _NO_SENSITIVITY,
    "epsilon_at_delta": (*_OVERFLOW, "zero-sensitivity"),
    "accuracy": _OVERFLOW,
    "alpha_at_accuracy": ("nonsense",),
    "sigma_at_accuracy": _OVERFLOW,
    "classical_sigma": _NO_SENSITIVITY,
}.items():
    OTHERS.add(_function, *_expected, name=f"errors_become_zero_in_{_function}")(
        errors_become_zero(getattr(dporacle, _function))
    )
