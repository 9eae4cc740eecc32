"""δ of discrete Gaussian noise for one element, and its logarithm (X.DG)."""

import math
from fractions import Fraction

import numpy as np
from scipy.special import erfcx, logsumexp, ndtr

from dporacle.fast import analytic_gaussian
from dporacle.fast.discrete.lattice import REACH, WIDE, norm


def delta(eps: float, sigma: float, distance: float) -> float:
    """Return δ(ε), and the least float where it is below every one."""
    if sigma >= WIDE:
        smooth = analytic_gaussian.delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
        height, change = _correction(eps, sigma, distance)
        return float(smooth) - math.exp(height) * change
    logarithm, share = _sum(eps, sigma, distance)
    return math.exp(logarithm) * share if share else 5e-324


def log_delta(eps: float, sigma: float, distance: float, member: int | None = None) -> float:
    """The logarithm of δ(ε), which has its digits where δ(ε) is below the floats.

    On the piece of a member, its first term is known, whatever σ at a bend was rounded to.
    """
    if sigma >= WIDE:
        smooth = float(
            analytic_gaussian.log_delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance)
        )
        height, change = _correction(eps, sigma, distance)
        return smooth + math.log1p(-math.exp(height - smooth) * change)
    logarithm, share = _sum(eps, sigma, distance, member)
    return logarithm + math.log(share) if share else -math.inf


def log_complement(eps: float, sigma: float, distance: float) -> float:
    """The logarithm of 1 − δ(ε) = Pr[Y ≤ c] + e^ε·Pr[Y > c + D], c = εσ²/D − D/2 < 0."""
    centre = centre_of(eps, sigma, distance)
    if sigma >= WIDE:
        t = float(centre / Fraction(sigma))
        height, change = _correction(eps, sigma, distance)
        far = erfcx((t + distance / sigma) / math.sqrt(2)) / 2 * math.exp(-t * t / 2)
        return math.log(float(ndtr(t)) + float(far) + math.exp(height) * change)
    first = math.floor(centre) + 1
    below = np.arange(1 - first, 1 - first + math.ceil(REACH * sigma) + 2, dtype=np.float64)
    above = np.arange(first, math.ceil(REACH * sigma) + 2, dtype=np.float64)
    past = (above - first) + float(first - centre)
    powers = np.concatenate(
        [
            -((below / sigma) ** 2) / 2,
            -((above / sigma) ** 2) / 2 - (distance / sigma / sigma) * past,
        ]
    )
    return float(logsumexp(powers)) - math.log(norm(sigma))


def _sum(
    eps: float, sigma: float, distance: float, member: int | None = None
) -> tuple[float, float]:
    """Logarithm of the largest weight and, in units of it, Σ p(x)(1 − e^{ε − (2x+D)D/2σ²}).

    Over the x at which the bracket is positive; 0 where float64 has no such weight.
    """
    # The bracket is 1 − e^{(D/σ²)(c − x)}; for large ε no float of c would be near enough.
    centre = centre_of(eps, sigma, distance)
    first = math.floor(centre) + 1 if member is None else member
    least = float(max(first, 0))
    top = -((least / sigma) * (least / sigma)) / 2
    if not math.isfinite(top):
        return 0.0, 0.0
    x = np.arange(first, least + math.ceil(REACH * sigma) + 1, dtype=np.float64)
    past = (x - first) + max(float(first - centre), 0.0)
    gain = -np.expm1(-(distance / sigma / sigma) * past)
    weights = np.exp(-((x / sigma) ** 2) / 2 - top)
    return top, float(np.sum((weights * gain)[::-1])) / norm(sigma)


def _correction(eps: float, sigma: float, distance: float) -> tuple[float, float]:
    """Logarithm of h²φ(t₀), and by how many of these δ(ε) is below ∫G, the continuous δ(ε).

    It is hΣG(kh) over kh > t₀, G(t) = φ(t) − e^ε φ(t+μ) and h = 1/σ.
    With θ from σt₀ up to the next integer, Σ = ∫ − Σ_j B_j(θ)/j!·h^j·G^{(j−1)}(t₀), and at t₀
    e^ε φ(w) = φ(t₀), w = t₀ + μ. The normaliser is 1 to within e^{−2π²σ²}.
    """
    scale, centre = Fraction(sigma), centre_of(eps, sigma, distance)
    if centre > REACH * scale:
        return -math.inf, 0.0
    theta = float(math.floor(centre) + 1 - centre)
    mu, t, h = distance / sigma, float(centre / scale), 1 / sigma
    w = t + mu
    second = theta * theta - theta + 1 / 6
    third = theta * (theta - 0.5) * (theta - 1)
    fourth = theta * theta * (theta - 1) ** 2 - 1 / 30
    # G′ = μφ(t₀), G″ = −(w² − t₀²)φ(t₀) and G‴ = (w³ − t₀³ − 3μ)φ(t₀), and w² − t₀² = 2ε.
    cubic = mu * (w * w + w * t + t * t - 3)
    change = second / 2 * mu - third / 6 * h * 2 * eps + fourth / 24 * h * h * cubic
    return -t * t / 2 - math.log(2 * math.pi) / 2 - 2 * math.log(sigma), change


def centre_of(eps: float, sigma: float, distance: float) -> Fraction:
    """εσ²/D − D/2."""
    size = Fraction(distance)
    return Fraction(eps) * Fraction(sigma) ** 2 / size - size / 2
