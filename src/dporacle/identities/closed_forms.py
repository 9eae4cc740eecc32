"""The closed formulas."""

from collections.abc import Callable, Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real, reals


def _pinsker_sigma(ctx: Context, given: Given) -> Real:
    """Return the fraction D/δ/2."""
    return real(ctx, given["sensitivity"] / given["delta"] / 2)


def _linear(constant: Callable[[Context], Real]) -> Callable[[Context, Given], Real]:
    """D·c/ε, c from a difference of logarithms."""

    def sigma(ctx: Context, given: Given) -> Real:
        """Return √2·√(ln a − ln δ)·D/ε."""
        epsilon, delta, distance = reals(ctx, given, "epsilon", "delta", "sensitivity")
        return ctx.sqrt(2) * ctx.sqrt(ctx.log(constant(ctx)) - ctx.log(delta)) * distance / epsilon

    return sigma


def _vinterbo_sigma(ctx: Context, given: Given) -> Real:
    """D/((√(az+ε) − s√(az))·√2), the other form of the sum of roots."""
    epsilon, delta, distance = reals(ctx, given, "epsilon", "delta", "sensitivity")
    z = -ctx.log(4 * delta * (1 - delta))
    a, s = (ctx.one, 1) if 2 * given["delta"] <= 1 else (ctx.pi / 4, -1)
    root = ctx.sqrt(a * max(z, ctx.zero))
    return distance / ((ctx.sqrt(root * root + epsilon) - s * root) * ctx.sqrt(2))


IDENTITIES: Mapping[str, Identity] = {
    "pinsker_sigma": _pinsker_sigma,
    "dwork_2006_sigma": _linear(lambda ctx: ctx.mpf(2)),
    "dwork_roth_sigma": _linear(lambda ctx: ctx.exp(ctx.mpf(4) / 9) * ctx.sqrt(2 / ctx.pi)),
    "vinterbo_sigma": _vinterbo_sigma,
}
