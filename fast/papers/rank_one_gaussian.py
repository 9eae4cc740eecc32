"""The rank-one Gaussian mechanism R1SMG (JL24.T1, T2, T3, X.R1.*) in float64.

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal; σ* is a variance. Scalars and arrays broadcast. The published σ*, the smallest private one
and δ(ε) are rounded up, as far as the error analysis goes that is stated with each; all others are
rounded to nearest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize, special

from dporacle.fast._broadcast import Array, give, integers, reals, witness
from dporacle.fast._scaled import exponential, product, scaled, scaled_above
from dporacle.fast.papers.rank_one.interval import LEAST, MOST, around, delta_above


@witness
def rank_one_cotangent_tail(*, dimension: Array, threshold: Array) -> Any:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2)."""
    return _tail(dimension, threshold)


def _tail(dimension: Array, t: Array) -> Any:
    half = (dimension - 1) / 2
    # cos²θ = t/(1+t) exactly: its complement would lose a small t, and it a large one.
    near, far = special.betaincc(0.5, half, t / (1 + t)), special.betainc(half, 0.5, 1 / (1 + t))
    return give(np.where(t > 1, far, near))


@witness
def rank_one_cosecant_tail(*, dimension: Array, threshold: Array) -> Any:
    """Return Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2)."""
    return _tail(dimension, np.maximum(threshold - 1, 0))


@witness
def rank_one_loss(*, radius: Array, distance: Array, sigma_star: Array, dimension: Array) -> Any:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3)."""
    gap = (distance - radius) / radius
    ratio = np.where(
        (np.abs(gap) < 0.5) & (radius > 1e-300), np.log1p(gap), np.log(distance) - np.log(radius)
    )
    rest = scaled(product(distance - radius, distance / 2 + radius / 2, over=(sigma_star,)))
    return give((dimension - 1) * ratio + rest)


@witness
def rank_one_loss_bound(
    *, radius: Array, distance: Array, sigma_star: Array, sensitivity: Array
) -> Any:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3)."""
    # sides sorted as Kahan does, so that no difference of rounded sums is left
    c, b, a = np.sort(np.stack(np.broadcast_arrays(radius, distance, sensitivity)), axis=0)
    # a − b is exact, or above a/2 and then above c: no rounding decides.
    if not np.all(a - b < c):
        raise ValueError(
            "distance must be a side of the triangle with sides radius and sensitivity, "
            f"got {distance!r:.80}"
        )
    sides = product(a + (b + c), c - (a - b), c + (a - b), a + (b - c))
    lengths = (sensitivity, sensitivity, radius, radius, distance, distance)
    head, power = product(8.0, *lengths, over=(sigma_star, sides[0]))
    return scaled((head, power - sides[1]))


__all__ = [
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_interval",
    "rank_one_inner_ball_delta",
    "rank_one_loss",
    "rank_one_loss_bound",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_sample",
    "rank_one_sample_marginal",
    "rank_one_sigma_star",
]


@witness
def rank_one_psi(*, delta: Array, dimension: Array) -> Any:
    """Return ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1), to 1e-13 relatively."""
    return give(np.exp(_log_psi(delta, dimension)))


def _log_psi(delta: Array, dimension: Array) -> Array:
    return _log_psi_and_error(delta, dimension)[0]


def _log_psi_and_error(delta: Array, m: Array) -> tuple[Array, Array]:
    """Return ln ψ and a bound of its error in units of 2^-52."""
    a = (m - 1) / 2
    # Γ((M−1)/2)/Γ(M/2) = 1/(M/2 − 1/2)_{1/2}: the Pochhammer symbol does not cancel for large M.
    log, other = np.log(delta), np.log(special.poch(a, 0.5) * math.sqrt(math.pi))
    value = (log - other) * 2 / (m - 2)
    # Up to a = 10^4 the symbol is e to a difference of ln Γ ≤ a ln a, each good to two units.
    inside = np.abs(log) + np.abs(other) + np.where(a < 2e4, 4 * a * np.log(a + 1), 0) + 8
    return value, 2 * inside * 2 / (m - 2) + 2 * np.abs(value)


@witness
def rank_one_sigma_star(
    *, epsilon: Array, delta: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return 2Δ²/(εψ), the σ* of the published theorem (JL24.T1), rounded up.

    At most 1e-13 of it above where δ ≥ 1e-12; infinity where it is above the largest float64.
    """
    log, error = _log_psi_and_error(delta, dimension)
    head, power = exponential(-log)
    mantissa, exponent = product(2.0, sensitivity, sensitivity, head, over=(epsilon,))
    return give(scaled_above((mantissa, exponent + power), error + 8))


@witness
def rank_one_inner_ball_delta(
    *, epsilon: Array, sigma_star: Array, dimension: Array, ratio: Array, sensitivity: Array
) -> Any:
    """Return (1 − e^ε λ^{1−M})·erf(Δ/(√2σ* (1 + λ))) ≤ δ(ε) (X.R1.LEMMA).

    To 1e-12 + 2^-50·ε relatively, unless e^ε λ^{1−M} is close to 1.
    """
    gap = epsilon - (dimension - 1) * np.log(ratio)
    head, power = exponential(gap)
    far = gap > 40  # where e^gap may overflow, and −1 is nothing
    more = np.where(far, head, np.expm1(np.minimum(gap, 40)))
    reach, small = product(sensitivity, over=(np.sqrt(2), np.sqrt(sigma_star), 1 + ratio))
    # erf x is 2x/√π there to x²/3 relatively, and x² < 2^-70.
    near = small < -40
    erf = np.where(near, reach * (2 / math.sqrt(math.pi)), special.erf(scaled((reach, small))))
    mantissa, exponent = product(more, erf)
    return -scaled((mantissa, exponent + np.where(far, power, 0) + np.where(near, small, 0)))


@witness
def rank_one_delta_at_epsilon(
    *, epsilon: Array, sigma_star: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return a number not below δ(ε), the smallest δ of (ε,δ)-DP (X.R1.PROFILE).

    The upper end of `rank_one_delta_interval`, on the private side as far as that interval is: no
    proof. For M ≥ 3, ε ≤ 8, δ(ε) ≥ 1e-7 and σ*/Δ² from 0.1 to 10^14 it is less than 1e-5 of δ(ε)
    too large; at larger ε more in few dimensions (at M = 3 a ten-thousandth at ε = 10, and four
    times at ε = 20); anywhere in 10^-6 ≤ σ*/Δ² ≤ 10^20, ε ≤ 10^4 less than 1e-5 in all (compared
    with the enclosures, not proved). Beyond these ends it is the δ(ε) at them, or 1; where a larger
    ε is no small part of M, up to 1. Some milliseconds each.
    """
    return give(_each(delta_above, epsilon, sigma_star, dimension, sensitivity))


@witness
def rank_one_private_sigma_star(
    *, epsilon: Array, delta: Array, dimension: Array, sensitivity: Array
) -> Any:
    """Return a σ* at which the upper end of `rank_one_delta_interval` is at most δ (X.R1.PRIVATE).

    So it is on the private side as far as that interval is: no proof. For M ≥ 3, ε ≤ 8, δ ≥ 1e-7 no
    more than 1e-5 of it above the smallest private σ* (compared with the enclosures, not proved);
    where an ε above 10^4 is no small part of M, by any factor. Some hundredths of a second for each
    number.

    Raises:
        OverflowError: if it is outside 1e-6·Δ² to 1e20·Δ², where the interval is known. Infinity
            where only Δ² makes it larger than all float64.
    """
    each = np.broadcast_arrays(dimension - 1, epsilon, delta)
    rows = zip(*(map(float, np.ravel(part)) for part in each), strict=True)
    ratio = np.array([least_variance(*row) for row in rows]).reshape(each[0].shape)
    return give(scaled_above(product(ratio, sensitivity, sensitivity), 4))


@witness
def rank_one_delta_interval(
    *, epsilon: Array, sigma_star: Array, dimension: Array, sensitivity: Array
) -> tuple[Any, Any]:
    """Return (low, high) with low ≤ δ(ε) ≤ high; high is on the private side (X.R1.PROFILE).

    What the integral leaves out is bounded by a proof, roundings are carried through to first
    order, and the error of the quadrature is the measured change when its step is halved: an
    estimate with a wide margin, not a proof. For M = 2 it is about 1e-6 wide. σ*/Δ² is rounded to
    nearest, and taken as exact. Some milliseconds for each.
    """
    both = _each(around, epsilon, sigma_star, dimension, sensitivity)
    return give(both[..., 0]), give(both[..., 1])


def _each(
    function: Callable[[float, float, float], Any],
    epsilon: Array,
    sigma_star: Array,
    dimension: Array,
    sensitivity: Array,
) -> Array:
    """Call a function of K, ε and σ*/Δ² at each element."""
    s = scaled(product(sigma_star, over=(sensitivity, sensitivity)))
    each = np.broadcast_arrays(dimension - 1, epsilon, s)
    values = np.array(
        [function(*map(float, row)) for row in zip(*map(np.ravel, each), strict=True)]
    )
    return values.reshape(each[0].shape + values.shape[1:])


def _dimension(value: Any, least: int) -> Array:
    return integers("dimension", value, least=least, most=10**9)


def rank_one_sample(
    *, sigma_star: float, dimension: int, size: int, generator: np.random.Generator
) -> Any:
    """Draw noise vectors u·√σ*·z, an array of shape (size, M) (JL24.T1).

    Args:
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 1 to 10^9.
        size: how many.
        generator: where the randomness comes from.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    s = float(reals("sigma_star", sigma_star))
    directions = generator.standard_normal((size, int(_dimension(dimension, 1))))
    lengths = math.sqrt(s) * generator.standard_normal((size, 1))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths


def rank_one_sample_marginal(
    *, sigma_star: float, dimension: int, size: int, generator: np.random.Generator
) -> tuple[Any, Any]:
    """Draw (r, cos θ): the noise's length, the cosine of its angle with a fixed axis (JL24.T1).

    Exactly the law of the full vector's: r = √σ*·|z|; cos² θ ~ Beta(1/2, (M−1)/2), either sign.
    The cost does not depend on M. Arguments and errors as for `rank_one_sample`, M from 2.
    """
    s = float(reals("sigma_star", sigma_star))
    power = float(_dimension(dimension, 2)) - 1
    radius = math.sqrt(s) * np.abs(generator.standard_normal(size))
    along, across = generator.standard_normal(size), generator.chisquare(power, size)
    return radius, along / np.sqrt(along * along + across)


_NUDGE = 2.0**-44  # of ln σ*, from the root on: twice as far each time until δ is met


def least_variance(power: float, epsilon: float, target: float) -> float:
    """Return a σ*/Δ² at which δ(ε) is at most a target, M = power + 1.

    Raises:
        OverflowError: if it is outside the reach of the interval.
    """

    def excess(log: float) -> float:
        return math.log(delta_above(power, epsilon, math.exp(log))) - math.log(target)

    low, high = math.log(LEAST) + 1e-9, math.log(MOST) - 1e-9
    if excess(low) < 0 or excess(high) > 0:
        raise OverflowError("the smallest private sigma_star is out of reach in float64")
    root = optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-14)
    step = _NUDGE
    while excess(root) > 0:
        root += step
        step *= 2
    return math.exp(root)
