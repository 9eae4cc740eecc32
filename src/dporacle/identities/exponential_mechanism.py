"""Noisy max with Gumbel noise: by two candidates' probabilities, and by power series."""

from collections.abc import Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _eta(ctx: Context, given: Given) -> Real:
    return real(ctx, 2 * given["sensitivity"] / given["scale"])


def _spare(ctx: Context, given: Given) -> int:
    """Return the bits that numbers next to 1 lose where η is small."""
    return int(3 * max(0, -ctx.mag(_eta(ctx, given))))


def _delta(ctx: Context, given: Given) -> Real:
    """P − e^ε Q of two candidates, one of them named with odds of v to 1, then of e^η v to 1."""
    if given["epsilon"] >= 2 * given["sensitivity"] / given["scale"]:
        return ctx.zero
    with ctx.extraprec(_spare(ctx, given)):
        eta, epsilon = _eta(ctx, given), real(ctx, given["epsilon"])
        half = ctx.exp(-(eta + epsilon) / 2)
        v = (1 - half) / (ctx.exp((eta - epsilon) / 2) - 1)
        return 1 / (1 + v) - ctx.exp(epsilon) / (1 + ctx.exp(eta) * v)


def _epsilon(ctx: Context, given: Given) -> Real:
    """2 ln a of the root a of (a − e^{η/2})² = δ(e^η − 1) below e^{η/2}, or 0."""
    if given["delta"] == 1:
        return ctx.zero
    with ctx.extraprec(_spare(ctx, given)):
        eta, delta = _eta(ctx, given), real(ctx, given["delta"])
        top = ctx.exp(eta / 2)
        root = top - ctx.sqrt(delta * (top - 1) * (top + 1))
        return 2 * ctx.log(root) if root > 1 else ctx.zero


def _rho(ctx: Context, given: Given) -> Real:
    """Σ B_2n η^2n (1 + 1/2n)/(2n)! below η = 2, else η − 1 − ln η + Σ e^{−kη}(η − 1/k)."""
    eta = _eta(ctx, given)
    if eta < 2:
        return ctx.fsum(
            ctx.bernoulli(n) * eta**n / ctx.factorial(n) * (1 + ctx.one / n)
            for n in range(2, ctx.prec + 8, 2)
        )
    terms = int(ctx.prec / eta) + 8
    tail = (ctx.exp(-k * eta) * (eta - ctx.one / k) for k in range(1, terms))
    return eta - 1 - ctx.log(eta) + ctx.fsum(tail)


IDENTITIES: Mapping[str, Identity] = {
    "exponential_mechanism_delta": _delta,
    "exponential_mechanism_epsilon": _epsilon,
    "exponential_mechanism_zcdp_rho": _rho,
}
