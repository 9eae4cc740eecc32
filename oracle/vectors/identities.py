"""The groups' quantities by identities that neither the enclosures nor the reference use.

Each function takes an mpmath context and the exact inputs and returns the value at the context's
precision; `verify` raises the precision until two of them agree. Groups without a function here are
verified by the reference, whose formula or algorithm is another one than the enclosures' (`WHICH`
says which).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["FAR", "IDENTITIES", "PROFILES", "WHICH", "far_epsilon", "mu_of"]

Real = Any
Context = Any
Given = Mapping[str, Fraction]

FAR = 10**30
"""Beyond this μ, ε is μ²/2 + μz, z = −Φ⁻¹(δ), to 50 digits."""


def _real(ctx: Context, value: Fraction) -> Real:
    return ctx.mpf(value.numerator) / value.denominator


def _reals(ctx: Context, given: Given, *names: str) -> tuple[Real, ...]:
    return tuple(_real(ctx, given[name]) for name in names)


def _zcdp_rho(ctx: Context, given: Given) -> Real:
    """μ²/2 as the fraction that it is."""
    return _real(ctx, given["mu"] * given["mu"] / 2)


def _zcdp_sigma(ctx: Context, given: Given) -> Real:
    """Return e^{ln D − ln(2ρ)/2}."""
    rho, distance = _reals(ctx, given, "rho", "sensitivity")
    return ctx.exp(ctx.log(distance) - ctx.log(2 * rho) / 2)


def _zcdp_delta(ctx: Context, given: Given) -> Real:
    """Mironov's δ = e^{(α−1)(αρ−ε)} at its best order α = (ε+ρ)/2ρ."""
    epsilon, mu = given["epsilon"], given["mu"]
    rho = mu * mu / 2
    if epsilon <= rho:
        return ctx.one
    order = _real(ctx, (epsilon + rho) / (2 * rho))
    return ctx.exp((order - 1) * (order * _real(ctx, rho) - _real(ctx, epsilon)))


def _rho_epsilon(ctx: Context, given: Given) -> Real:
    """Mironov's ε = αρ/2 + ln(1/δ)/(α−1) at its best order (the lecture's ρ is μ²)."""
    rho, delta = _reals(ctx, given, "rho", "delta")
    excess = ctx.sqrt(-2 * ctx.log(delta) / rho)
    return (1 + excess) * rho / 2 - ctx.log(delta) / excess


def _rho_sigma(ctx: Context, given: Given) -> Real:
    """D/μ, where μ > 0 solves μ²/2 + μ√(2L) = ε."""
    epsilon, delta, distance = _reals(ctx, given, "epsilon", "delta", "sensitivity")
    tail = ctx.sqrt(-2 * ctx.log(delta))
    return distance / (ctx.sqrt(tail * tail + 2 * epsilon) - tail)


def _rdp(ctx: Context, given: Given) -> Real:
    """Return ln E[e^{(α−1)L}]/(α−1), L ~ N(η, 2η), by its moment generating function."""
    order, mu = given["order"], given["mu"]
    if order == 1:
        return _zcdp_rho(ctx, given)
    eta, t = _real(ctx, mu * mu / 2), _real(ctx, order - 1)
    return (t * eta + t * t * eta) / t


def _gdp_tradeoff(ctx: Context, given: Given) -> Real:
    """1 − δ(ε) − e^ε α at the ε at which the line of slope −e^ε touches the curve."""
    alpha, mu = _reals(ctx, given, "alpha", "mu")
    z = ctx.sqrt(2) * (ctx.erfinv(1 - 2 * alpha) if alpha > 1e-3 else _erfc_inverse(ctx, 2 * alpha))
    epsilon = mu * z - mu * mu / 2
    first = ctx.ncdf(epsilon / mu - mu / 2)  # 1 − Φ(μ/2 − ε/μ)
    return first + ctx.exp(epsilon) * (ctx.ncdf(-mu / 2 - epsilon / mu) - alpha)


def _erfc_inverse(ctx: Context, value: Real) -> Real:
    x = ctx.sqrt(-ctx.log(value))
    for _ in range(8 + ctx.prec.bit_length() * 2):
        ratio = ctx.erfc(x) / value
        step = ctx.log(ratio) * ctx.erfc(x) * ctx.sqrt(ctx.pi) * ctx.exp(x * x) / 2
        x += step
        if abs(step) < x * ctx.ldexp(1, 8 - ctx.prec):
            break
    return x


def _tails_of_the_loss(ctx: Context, epsilon: Real, eta: Real) -> Real:
    """Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] for L ~ N(η, 2η), by erfc."""
    width = 2 * ctx.sqrt(eta)
    above, below = ctx.erfc((epsilon - eta) / width), ctx.erfc((epsilon + eta) / width)
    return (above - ctx.exp(epsilon) * below) / 2


def _gdp_delta(ctx: Context, given: Given) -> Real:
    """Return Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε] for L ~ N(μ²/2, μ²), by erfc."""
    epsilon, mu = _reals(ctx, given, "epsilon", "mu")
    return _tails_of_the_loss(ctx, epsilon, mu * mu / 2)


def _repeated_delta(ctx: Context, given: Given) -> Real:
    """The losses of independent releases add: L ~ N(kη, 2kη)."""
    epsilon, sigma, distance = _reals(ctx, given, "epsilon", "sigma", "sensitivity")
    eta = _real(ctx, given["releases"]) * (distance / sigma) ** 2 / 2
    return _tails_of_the_loss(ctx, epsilon, eta)


def _delta_at_epsilon(ctx: Context, given: Given) -> Real:
    """Return it for one release."""
    return _repeated_delta(ctx, {**given, "releases": Fraction(1)})


def mu_of(inputs: Mapping[str, int | float]) -> Fraction:
    """Return μ = D/σ of one release, exactly."""
    if "mu" in inputs:
        return Fraction(inputs["mu"])
    return Fraction(inputs["sensitivity"]) / Fraction(inputs["sigma"])


def far_epsilon(ctx: Context, inputs: Mapping[str, int | float]) -> Real:
    """Return μ²/2 + μz, z = −Φ⁻¹(δ): ε is less than that, by at most 1.

    With y = ε/μ − μ/2 and w = y + μ, δ = Φ(−y) − φ(y)m(w) and m(w) < 1/w: y is below z by less
    than about 1/w, which at y ≥ −40 is less than 1/μ but for a part in 10²⁸.
    """
    mu, delta = _real(ctx, mu_of(inputs)), Fraction(inputs["delta"])
    size = ctx.sqrt(2) * _erfc_inverse(ctx, _real(ctx, 2 * min(delta, 1 - delta)))
    return mu * mu / 2 + mu * (size if 2 * delta < 1 else -size)


def _repeated_mu(ctx: Context, given: Given) -> Real:
    """Return e^{ln μ + ln(k)/2}."""
    mu, releases = _reals(ctx, given, "mu", "releases")
    return ctx.exp(ctx.log(mu) + ctx.log(releases) / 2)


def _max_error_probability(ctx: Context, given: Given) -> Real:
    """1 − (1 − p)^k, p the probability of one larger error."""
    error, sigma = _reals(ctx, given, "error", "sigma")
    return 1 - (1 - ctx.erfc(error / (sigma * ctx.sqrt(2)))) ** int(given["queries"])


def _max_error_bound(ctx: Context, given: Given) -> Real:
    """Return σ√(2(ln 2 + ln k − ln β))."""
    queries, beta, sigma = _reals(ctx, given, "queries", "beta", "sigma")
    return sigma * ctx.sqrt(2 * (ctx.log(2) + ctx.log(queries) - ctx.log(beta)))


def _theta(ctx: Context, sigma: Real) -> tuple[Real, Real]:
    """Σ e^{−x²/2σ²} over the integers by Poisson's formula, and its derivative in ln σ."""
    total, slope, k = ctx.one, ctx.zero, 1
    while True:
        power = 2 * (ctx.pi * sigma * k) ** 2
        term = 2 * ctx.exp(-power)
        total += term
        slope += -2 * power * term
        if (power + 1) * term < ctx.ldexp(1, -ctx.prec):
            break
        k += 1
    scale = sigma * ctx.sqrt(2 * ctx.pi)
    return scale * total, scale * (total + slope)


def _weights(ctx: Context, sigma: Real, count: int) -> list[Real]:
    """Return e^{−x²/2σ²} for the first integers x from 0 on."""
    return [ctx.exp(-((x / sigma) ** 2) / 2) for x in range(count)]


def _reach(ctx: Context, sigma: Fraction) -> int:
    """Integers beyond this carry less than 2^−2·precision."""
    return math.ceil(sigma * math.isqrt(4 * ctx.prec)) + 2


def _discrete_delta(ctx: Context, given: Given) -> Real:
    """Σ max(0, p(x) − e^ε p(x + D)) over the integers, outcome by outcome."""
    epsilon, sigma = given["epsilon"], given["sigma"]
    distance, reach = int(given["sensitivity"]), _reach(ctx, given["sigma"])
    first = epsilon * sigma * sigma / distance - Fraction(distance, 2)  # p(x) = e^ε p(x + D) here
    last = max(reach, math.ceil(first) + reach) + distance
    weights = _weights(ctx, _real(ctx, sigma), last + distance + 1)
    factor = ctx.exp(_real(ctx, epsilon))
    gains = (
        weights[abs(x)] - factor * weights[abs(x + distance)]
        for x in range(math.floor(first) - 1, last)
    )
    return ctx.fsum(g for g in gains if g > 0) / _theta(ctx, _real(ctx, sigma))[0]


def _inside(ctx: Context, given: Given, error: int) -> Real:
    """Pr[|Y| ≤ a], counted from the middle."""
    sigma = _real(ctx, given["sigma"])
    return (1 + 2 * ctx.fsum(_weights(ctx, sigma, error + 1)[1:])) / _theta(ctx, sigma)[0]


def _discrete_tail(ctx: Context, given: Given) -> Real:
    """Return 1 − Pr[|Y| ≤ a], with Poisson's formula for the normaliser."""
    return 1 - _inside(ctx, given, int(given["error"]))


def _discrete_accuracy(ctx: Context, given: Given) -> Real:
    """Count outcomes from the middle until what is left is at most α."""
    sigma = _real(ctx, given["sigma"])
    left, error = 1 - 1 / _theta(ctx, sigma)[0], 0
    norm = _theta(ctx, sigma)[0]
    while left > _real(ctx, given["alpha"]):
        error += 1
        left -= 2 * ctx.exp(-((error / sigma) ** 2) / 2) / norm
    return ctx.mpf(error)


def _discrete_variance(ctx: Context, given: Given) -> Real:
    """σ²·d ln Z/d ln σ."""
    sigma = _real(ctx, given["sigma"])
    norm, slope = _theta(ctx, sigma)
    return sigma * sigma * slope / norm


def _pinsker_sigma(ctx: Context, given: Given) -> Real:
    """Return the fraction D/δ/2."""
    return _real(ctx, given["sensitivity"] / given["delta"] / 2)


def _linear(constant: Callable[[Context], Real]) -> Callable[[Context, Given], Real]:
    """D·c/ε, c from a difference of logarithms."""

    def sigma(ctx: Context, given: Given) -> Real:
        """Return √2·√(ln a − ln δ)·D/ε."""
        epsilon, delta, distance = _reals(ctx, given, "epsilon", "delta", "sensitivity")
        return ctx.sqrt(2) * ctx.sqrt(ctx.log(constant(ctx)) - ctx.log(delta)) * distance / epsilon

    return sigma


def _vinterbo_sigma(ctx: Context, given: Given) -> Real:
    """D/((√(az+ε) − s√(az))·√2), the other form of the sum of roots."""
    epsilon, delta, distance = _reals(ctx, given, "epsilon", "delta", "sensitivity")
    z = -ctx.log(4 * delta * (1 - delta))
    a, s = (ctx.one, 1) if 2 * given["delta"] <= 1 else (ctx.pi / 4, -1)
    root = ctx.sqrt(a * max(z, ctx.zero))
    return distance / ((ctx.sqrt(root * root + epsilon) - s * root) * ctx.sqrt(2))


def _bayes_risk(ctx: Context, given: Given) -> Real:
    """d/(1/w² + 1/σ²)."""
    dimension, width, sigma = _reals(ctx, given, "dimension", "prior_sigma", "sigma")
    return dimension / (1 / (width * width) + 1 / (sigma * sigma))


def _james_stein_prior_risk(ctx: Context, given: Given) -> Real:
    """The Bayes risk and 2σ⁴/(w²+σ²) on top."""
    _, width, sigma = _reals(ctx, given, "dimension", "prior_sigma", "sigma")
    return _bayes_risk(ctx, given) + 2 * sigma**4 / (width * width + sigma * sigma)


def _james_stein_risk(ctx: Context, given: Given) -> Real:
    """dσ² − (d−2)σ²·₁F₁(1; d/2; −‖θ‖²/2σ²), by mpmath's own ₁F₁."""
    dimension, norm, sigma = _reals(ctx, given, "dimension", "norm", "sigma")
    confluent = ctx.hyp1f1(1, dimension / 2, -((norm / sigma) ** 2) / 2)
    return sigma * sigma * (dimension - (dimension - 2) * confluent)


def _universal_threshold(ctx: Context, given: Given) -> Real:
    """Return σ√(ln d²)."""
    dimension, sigma = _reals(ctx, given, "dimension", "sigma")
    return ctx.sqrt(ctx.log(dimension**2)) * sigma


IDENTITIES: Mapping[str, Callable[[Context, Given], Real]] = {
    "zcdp_rho": _zcdp_rho,
    "zcdp_sigma": _zcdp_sigma,
    "zcdp_delta": _zcdp_delta,
    "rho_epsilon": _rho_epsilon,
    "rho_sigma": _rho_sigma,
    "rdp": _rdp,
    "gdp_tradeoff": _gdp_tradeoff,
    "gdp_delta": _gdp_delta,
    "repeated_mu": _repeated_mu,
    "repeated_delta": _repeated_delta,
    "max_error_probability": _max_error_probability,
    "max_error_bound": _max_error_bound,
    "discrete_delta_at_epsilon": _discrete_delta,
    "discrete_tail": _discrete_tail,
    "discrete_accuracy": _discrete_accuracy,
    "discrete_variance": _discrete_variance,
    "pinsker_sigma": _pinsker_sigma,
    "dwork_2006_sigma": _linear(lambda ctx: ctx.mpf(2)),
    "dwork_roth_sigma": _linear(lambda ctx: ctx.exp(ctx.mpf(4) / 9) * ctx.sqrt(2 / ctx.pi)),
    "vinterbo_sigma": _vinterbo_sigma,
    "bayes_risk": _bayes_risk,
    "james_stein_prior_risk": _james_stein_prior_risk,
    "james_stein_risk": _james_stein_risk,
    "universal_threshold": _universal_threshold,
}
"""Group -> its quantity by another identity."""

PROFILES: Mapping[str, Callable[[Context, Given], Real]] = {
    "epsilon_at_delta": _delta_at_epsilon,
    "gdp_epsilon": _gdp_delta,
    "repeated_epsilon": _repeated_delta,
}
"""Group of an ε -> the falling δ(ε), which must pass the δ asked for between the two ends."""

WHICH: Mapping[str, str] = {
    "calibrate_sigma": "Algorithm 1 of the paper; at ε = 0, Newton's method on δ(0) = δ",
    "delta_at_epsilon": "the two Φ of Theorem 8, where the enclosures use Mills ratios",
    "repeated_sigma": "√k times Algorithm 1; at ε = 0, Newton's method",
    "accuracy": "Newton's method on the log-odds of erfc; the enclosures use erfc⁻¹",
    "alpha_at_accuracy": "mpmath's erfc, where the enclosures use Arb's",
    "sigma_at_accuracy": "Newton's method on the log-odds of erfc; the enclosures use erfc⁻¹",
    "classical_sigma": "mpmath's logarithm and root, where the enclosures use Arb's",
    "rdp_delta": "the general bound at its best order, where the enclosures use its value there",
    "max_error_quantile": "Newton's method on the log-odds of erfc; the enclosures use erf⁻¹",
    "discrete_calibrate_sigma": "a search and Newton's method; the enclosures prove box by box",
    "plrv_tail_sigma": "Newton's method for the quantile; the enclosures use erfc⁻¹",
    "positive_part_risk": "a series summed downwards to a Chernoff bound; the enclosures bound it",
    "soft_threshold_coordinate_risk": "the formula in Φ and φ; the enclosures use partial moments",
}
"""Group without a function here -> the reference's way, and the enclosures'."""
