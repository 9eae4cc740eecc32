"""Many answers at once."""

from collections.abc import Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, reals


def _max_error_probability(ctx: Context, given: Given) -> Real:
    """1 − (1 − p)^k, p the probability of one larger error."""
    error, sigma = reals(ctx, given, "error", "sigma")
    return 1 - (1 - ctx.erfc(error / (sigma * ctx.sqrt(2)))) ** int(given["queries"])


def _max_error_bound(ctx: Context, given: Given) -> Real:
    """Return σ√(2(ln 2 + ln k − ln β))."""
    queries, beta, sigma = reals(ctx, given, "queries", "beta", "sigma")
    return sigma * ctx.sqrt(2 * (ctx.log(2) + ctx.log(queries) - ctx.log(beta)))


IDENTITIES: Mapping[str, Identity] = {
    "max_error_probability": _max_error_probability,
    "max_error_bound": _max_error_bound,
}
