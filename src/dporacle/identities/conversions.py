"""The other currencies: zCDP, Rényi and Gaussian differential privacy."""

from collections.abc import Mapping

from dporacle.identities.arithmetic import Context, Given, Identity, Real, erfc_inverse, real, reals
from dporacle.identities.release import tails_of_the_loss


def _zcdp_rho(ctx: Context, given: Given) -> Real:
    """μ²/2 as the fraction that it is."""
    return real(ctx, given["mu"] * given["mu"] / 2)


def _zcdp_sigma(ctx: Context, given: Given) -> Real:
    """Return e^{ln D − ln(2ρ)/2}."""
    rho, distance = reals(ctx, given, "rho", "sensitivity")
    return ctx.exp(ctx.log(distance) - ctx.log(2 * rho) / 2)


def _zcdp_delta(ctx: Context, given: Given) -> Real:
    """Mironov's δ = e^{(α−1)(αρ−ε)} at its best order α = (ε+ρ)/2ρ."""
    epsilon, mu = given["epsilon"], given["mu"]
    rho = mu * mu / 2
    if epsilon <= rho:
        return ctx.one
    order = real(ctx, (epsilon + rho) / (2 * rho))
    return ctx.exp((order - 1) * (order * real(ctx, rho) - real(ctx, epsilon)))


def _zcdp_epsilon(ctx: Context, given: Given) -> Real:
    """Mironov's ε = αρ + ln(1/δ)/(α−1) at its best order."""
    rho, delta = reals(ctx, given, "rho", "delta")
    excess = ctx.sqrt(-ctx.log(delta) / rho)
    return (1 + excess) * rho - ctx.log(delta) / excess


def _repeated_rho(ctx: Context, given: Given) -> Real:
    """Return e^{2 ln μ + ln k}/2."""
    mu, releases = reals(ctx, given, "mu", "releases")
    return ctx.exp(2 * ctx.log(mu) + ctx.log(releases)) / 2


def _repeated_zcdp_epsilon(ctx: Context, given: Given) -> Real:
    """(√ρ + √ln(1/δ))² − ln(1/δ)."""
    delta, mu, releases = reals(ctx, given, "delta", "mu", "releases")
    log = -ctx.log(delta)
    return (mu * ctx.sqrt(releases / 2) + ctx.sqrt(log)) ** 2 - log


def _rho_epsilon(ctx: Context, given: Given) -> Real:
    """Mironov's ε = αρ/2 + ln(1/δ)/(α−1) at its best order (the lecture's ρ is μ²)."""
    rho, delta = reals(ctx, given, "rho", "delta")
    excess = ctx.sqrt(-2 * ctx.log(delta) / rho)
    return (1 + excess) * rho / 2 - ctx.log(delta) / excess


def _rho_sigma(ctx: Context, given: Given) -> Real:
    """D/μ, where μ > 0 solves μ²/2 + μ√(2L) = ε."""
    epsilon, delta, distance = reals(ctx, given, "epsilon", "delta", "sensitivity")
    tail = ctx.sqrt(-2 * ctx.log(delta))
    return distance / (ctx.sqrt(tail * tail + 2 * epsilon) - tail)


def _rdp(ctx: Context, given: Given) -> Real:
    """Return ln E[e^{(α−1)L}]/(α−1), L ~ N(η, 2η), by its moment generating function."""
    order, mu = given["order"], given["mu"]
    if order == 1:
        return _zcdp_rho(ctx, given)
    eta, t = real(ctx, mu * mu / 2), real(ctx, order - 1)
    return (t * eta + t * t * eta) / t


def _gdp_tradeoff(ctx: Context, given: Given) -> Real:
    """1 − δ(ε) − e^ε α at the ε at which the line of slope −e^ε touches the curve."""
    alpha, mu = reals(ctx, given, "alpha", "mu")
    z = ctx.sqrt(2) * (ctx.erfinv(1 - 2 * alpha) if alpha > 1e-3 else erfc_inverse(ctx, 2 * alpha))
    epsilon = mu * z - mu * mu / 2
    first = ctx.ncdf(epsilon / mu - mu / 2)  # 1 − Φ(μ/2 − ε/μ)
    return first + ctx.exp(epsilon) * (ctx.ncdf(-mu / 2 - epsilon / mu) - alpha)


def _gdp_delta(ctx: Context, given: Given) -> Real:
    """Return Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] for L ~ N(μ²/2, μ²), by erfc."""
    epsilon, mu = reals(ctx, given, "epsilon", "mu")
    return tails_of_the_loss(ctx, epsilon, mu * mu / 2)


IDENTITIES: Mapping[str, Identity] = {
    "zcdp_rho": _zcdp_rho,
    "zcdp_sigma": _zcdp_sigma,
    "zcdp_delta": _zcdp_delta,
    "zcdp_epsilon": _zcdp_epsilon,
    "repeated_rho": _repeated_rho,
    "repeated_zcdp_epsilon": _repeated_zcdp_epsilon,
    "rho_epsilon": _rho_epsilon,
    "rho_sigma": _rho_sigma,
    "rdp": _rdp,
    "gdp_tradeoff": _gdp_tradeoff,
    "gdp_delta": _gdp_delta,
}
PROFILES: Mapping[str, Identity] = {"gdp_epsilon": _gdp_delta}
