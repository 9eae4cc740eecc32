"""Counts released at or above a threshold: by the distribution of the largest of k."""

from collections.abc import Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, reals


def _count_threshold(ctx: Context, given: Given) -> Real:
    """1 + σz, z by Newton's method on k ln Φ(z) = ln(1−δ), Φ by erfc."""
    delta, sigma = reals(ctx, given, "delta", "sigma")
    count = int(given["contributions"])
    goal = ctx.log1p(-delta) / count
    z = ctx.sqrt(-2 * ctx.log(-goal)) if goal > -0.1 else ctx.zero
    for _ in range(40 + 4 * ctx.prec.bit_length()):
        below = ctx.erfc(-z / ctx.sqrt(2)) / 2
        slope = ctx.exp(-z * z / 2) / ctx.sqrt(2 * ctx.pi) / below
        log = ctx.log(below) if z < 0 else ctx.log1p(-ctx.erfc(z / ctx.sqrt(2)) / 2)
        # Far out ln(1−p) bends: Newton's step in ln of it.
        step = ctx.log(log / goal) * log / slope if z > 1 else (log - goal) / slope
        z -= step
        if abs(step) < ctx.ldexp(1, 8 - ctx.prec) * (1 + abs(z)):
            break
    return 1 + sigma * z


def _count_threshold_delta(ctx: Context, given: Given) -> Real:
    """1 − (1 − p)^k, p by erfc, as a difference."""
    threshold, sigma = reals(ctx, given, "threshold", "sigma")
    below = ctx.erfc((1 - threshold) / sigma / ctx.sqrt(2)) / 2
    return 1 - below ** int(given["contributions"])


def _laplace_count_threshold(ctx: Context, given: Given) -> Real:
    """1 − b·sgn(u − 1/2)·ln(1 − |2u − 1|), u = (1−δ)^{1/k}: the inverse of the distribution."""
    epsilon, delta = reals(ctx, given, "epsilon", "delta")
    count = int(given["contributions"])
    gap = 2 * ctx.root(1 - delta, count) - 1
    return 1 - count / epsilon * ctx.sign(gap) * ctx.log(1 - abs(gap))


def _laplace_count_threshold_delta(ctx: Context, given: Given) -> Real:
    """1 − F^k, F = (1 + sgn(x)(1 − e^{−|x|}))/2, x = (τ−1)ε/k."""
    threshold, epsilon = reals(ctx, given, "threshold", "epsilon")
    count = int(given["contributions"])
    x = (threshold - 1) * epsilon / count
    return 1 - ((1 + ctx.sign(x) * (1 - ctx.exp(-abs(x)))) / 2) ** count


def _integer_count_threshold_delta(ctx: Context, given: Given) -> Real:
    """1 − (1 − p)^k, p = tanh(1/2b)·Σ e^{−|x|/b} over x ≥ τ − 1, the sum a geometric series."""
    (scale,) = reals(ctx, given, "scale")
    far = int(given["threshold"]) - 1
    ratio, gap = ctx.exp(-1 / scale), -ctx.expm1(-1 / scale)
    weight = ratio**far if far > 0 else 1 + ratio - ratio ** (1 - far)
    return 1 - (1 - ctx.tanh(1 / (2 * scale)) * weight / gap) ** int(given["contributions"])


IDENTITIES: Mapping[str, Identity] = {
    "count_threshold": _count_threshold,
    "count_threshold_delta": _count_threshold_delta,
    "integer_count_threshold_delta": _integer_count_threshold_delta,
    "laplace_count_threshold": _laplace_count_threshold,
    "laplace_count_threshold_delta": _laplace_count_threshold_delta,
}
