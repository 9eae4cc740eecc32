"""Laplace noise: by its distribution function, and by the law of its loss."""

from collections.abc import Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _below(ctx: Context, x: Real) -> Real:
    """Pr[X ≤ x] at scale 1."""
    return ctx.exp(x) / 2 if x < 0 else 1 - ctx.exp(-x) / 2


def _delta(ctx: Context, given: Given) -> Real:
    """F(t) − e^ε F(t − Δ/b) at the threshold t where the densities' ratio is e^ε."""
    m = given["sensitivity"] / given["scale"]
    if given["epsilon"] >= m:
        return ctx.zero
    t, epsilon = real(ctx, (m - given["epsilon"]) / 2), real(ctx, given["epsilon"])
    return _below(ctx, t) - ctx.exp(epsilon) * _below(ctx, t - real(ctx, m))


def _ln(ctx: Context, value: Fraction) -> Real:
    """2 arsinh of (x − 1)/2√x, the numerator exact."""
    return 2 * ctx.asinh(real(ctx, value - 1) / (2 * ctx.sqrt(real(ctx, value))))


def _epsilon(ctx: Context, given: Given) -> Real:
    """Δ/b + ln (1−δ)², or 0."""
    if given["delta"] == 1:
        return ctx.zero
    spent = _ln(ctx, (1 - given["delta"]) ** 2)
    return max(ctx.zero, real(ctx, given["sensitivity"] / given["scale"]) + spent)


def _scale(ctx: Context, given: Given) -> Real:
    """Δ/ln(e^ε/(1−δ)²), the logarithm by arsinh."""
    power = real(ctx, given["epsilon"]) - _ln(ctx, (1 - given["delta"]) ** 2)
    return real(ctx, given["sensitivity"]) / power


def _accuracy(ctx: Context, given: Given) -> Real:
    """b·ln(1/α), the logarithm by arsinh."""
    return -real(ctx, given["scale"]) * _ln(ctx, given["alpha"])


def _alpha(ctx: Context, given: Given) -> Real:
    """1 − 2(F(a) − 1/2)."""
    ratio = real(ctx, given["accuracy"] / given["scale"])
    return 2 - 2 * _below(ctx, ratio) if ratio < 1 else 2 * _below(ctx, -ratio)


def _scale_of_accuracy(ctx: Context, given: Given) -> Real:
    """a/ln(1/α), the logarithm by arsinh."""
    return -real(ctx, given["accuracy"]) / _ln(ctx, given["alpha"])


def _max_probability(ctx: Context, given: Given) -> Real:
    """1 − (1 − e^{−a/b})^k, multiplied out where it cancels."""
    tail, k = ctx.exp(-real(ctx, given["error"] / given["scale"])), int(given["queries"])
    if k * tail > ctx.mpf(2) ** -10:
        return 1 - (1 - tail) ** k
    return ctx.fsum(-((-tail) ** j) * ctx.binomial(k, j) for j in range(1, 4 + ctx.prec // 8))


def _max_quantile(ctx: Context, given: Given) -> Real:
    """−b·ln(1 − e^{ln(1−β)/k}), the inner logarithm by arsinh."""
    inside = _ln(ctx, 1 - given["beta"]) / int(given["queries"])
    return -real(ctx, given["scale"]) * ctx.log(-ctx.expm1(inside))


def _rdp(ctx: Context, given: Given) -> Real:
    """Return m + ln E e^{(α−1)(L−m)}/(α−1), from the loss's two atoms and its density."""
    m, alpha = real(ctx, given["sensitivity"] / given["scale"]), real(ctx, given["order"])
    if given["order"] == 1:
        return m - (1 - ctx.exp(-m))
    shrink, u = ctx.exp(-(2 * alpha - 1) * m), 2 * alpha - 1
    between = (1 - shrink) / (2 * u) if u else m / 2
    return m + ctx.log((1 + shrink) / 2 + between) / (alpha - 1)


def _rho(ctx: Context, given: Given) -> Real:
    """E L, the Kullback-Leibler divergence: m/2 − m e^{−m}/2 and the integral between."""
    m = real(ctx, given["sensitivity"] / given["scale"])
    shrink = ctx.exp(-m)
    return m * (1 - shrink) / 2 + (m + m * shrink - 2 * (1 - shrink)) / 2


IDENTITIES: Mapping[str, Identity] = {
    "laplace_delta_at_epsilon": _delta,
    "laplace_epsilon_at_delta": _epsilon,
    "laplace_calibrate_scale": _scale,
    "laplace_accuracy": _accuracy,
    "laplace_alpha_at_accuracy": _alpha,
    "laplace_scale_at_accuracy": _scale_of_accuracy,
    "laplace_max_error_probability": _max_probability,
    "laplace_max_error_quantile": _max_quantile,
    "laplace_rdp": _rdp,
    "laplace_zcdp_rho": _rho,
}
