"""The Gaussian mechanism in other currencies, and the way back (X.GDP, X.RDP, X.ZCDP).

With μ = D/σ it is exactly μ-GDP, its Rényi divergence of order α is αμ²/2, and it is ρ-zCDP with
ρ = μ²/2. The exact way from μ to (ε,δ) is BW18.T8; the conversions here forget the distribution
and keep its moments, and are therefore loose.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.arguments import Exact
from dporacle.interface import witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.reference.numerics.functions import exp, fine, log, ncdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root, scaled


@witness
def gdp_tradeoff(*, alpha: Fraction, mu: Fraction, digits: int) -> Real:
    """Return G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP)."""
    sign = 1 if 2 * alpha < 1 else -1
    least = 2 * min(alpha, 1 - alpha)
    # Φ(x) magnifies an error of x by |x| + 1, relatively, and the size is below 80.
    spare = 8 + 2 * len(str(mu.__ceil__()))
    size = accuracy(alpha=least, sigma=1, digits=digits + spare) if least < 1 else ZERO
    return settle(lambda ctx: ncdf(ctx, lambda c: (sign * real(c, size), -real(c, mu))), digits)


@witness
def gdp_delta(*, epsilon: Exact, mu: Fraction, digits: int) -> Real:
    """Return δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) of μ-GDP, which loses nothing (X.GDP)."""
    return delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu, digits=digits)


@witness
def gdp_epsilon(*, delta: Exact, mu: Fraction, digits: int) -> Real:
    """Return the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP (X.GDP)."""
    return epsilon_at_delta(delta=delta, sigma=1, sensitivity=mu, digits=digits)


@witness
def rdp(*, order: Fraction, mu: Fraction, digits: int) -> Real:
    """Return αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP)."""
    value = order * mu**2 / 2
    return settle(lambda ctx: real(ctx, value), digits)


@witness
def zcdp_rho(*, mu: Fraction, digits: int) -> Real:
    """Return ρ = μ²/2, the least for which the mechanism is ρ-zCDP (X.ZCDP)."""
    value = mu**2 / 2
    return settle(lambda ctx: real(ctx, value), digits)


@witness
def zcdp_sigma(*, rho: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP)."""
    return settle(lambda ctx: real(ctx, sensitivity) / ctx.sqrt(2 * real(ctx, rho)), digits)


@witness
def zcdp_delta(*, epsilon: Fraction, mu: Fraction, digits: int) -> Real:
    """Return δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP).

    The conversion of Bun and Steinke 2016; it is also the best that the conversion of Mironov
    2017, δ = e^{−(α−1)(ε − αρ)}, gives over all orders α, and GN.T1 read backwards.
    """
    rho = mu**2 / 2
    power = max(Fraction(0), epsilon - rho) ** 2 / (4 * rho)
    return settle(lambda ctx: exp(ctx, -power), digits)


@witness
def zcdp_epsilon(*, rho: Fraction, delta: Fraction, digits: int) -> Real:
    """Return ε = ρ + 2√(ρ ln(1/δ)), at which every ρ-zCDP mechanism is (ε,δ)-DP (X.ZCDP).

    It is `zcdp_delta` solved for ε.
    """

    def formula(ctx: Context) -> Real:
        return real(ctx, rho) + 2 * ctx.sqrt(-real(ctx, rho) * log(ctx, delta))

    return settle(formula, digits)


@witness
def rdp_delta(*, epsilon: Fraction, mu: Fraction, digits: int) -> Real:
    """Return min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP).

    The conversion of Canonne, Kamath and Steinke 2020 at its best order: the
    root of (2α−1)ρ − ε + ln(1−1/α) = 0, whose left side rises.
    """
    rho = mu**2 / 2
    if rho - epsilon > 3 * (digits + 10):
        # ln of it is between −e^{ε−ρ} and 0: t(ρ − ε) + t²ρ + t ln t − (1 + t)ln(1 + t), t = α − 1,
        # is at least t(ρ − ε − 1) + t ln t for ρ ≥ 1/2, and that is least at t = e^{ε−ρ}.
        return settle(lambda ctx: ctx.one, digits)

    t = best_order(epsilon, rho, digits)

    def power(ctx: Context) -> tuple[Real, ...]:
        x = real(ctx, t)
        near = (x * x * real(ctx, rho), x * real(ctx, rho - epsilon))
        if x < 1:
            return *near, x * ctx.log(x), -(1 + x) * ctx.log1p(x)
        return *near, -ctx.log(x), -(1 + x) * ctx.log1p(1 / x)

    return settle(lambda ctx: exp(ctx, power), digits)


_SPARE = 12


def best_order(eps: Fraction, rho: Fraction, digits: int) -> Real:
    """Return the t = α − 1 > 0 at which (2t + 1)ρ − ε − ln(1 + 1/t) = 0, whose left side rises.

    At a minimum half of the digits are enough, so as many of t are found as an exponent to so many
    digits takes.
    """

    def excess(c: Context, x: Real) -> tuple[Real, ...]:
        return 2 * x * real(c, rho), real(c, rho - eps), -c.log1p(1 / x)

    def newton(t: Real, digits: int) -> tuple[Real, Real]:
        """With t = α − 1."""
        with working(4 * digits + 64) as ctx:
            x, r = real(ctx, t), real(ctx, rho)
            residual = real(ctx, fine(ctx, lambda c: excess(c, real(c, t))))
            slope = 2 * r * x + 1 / (1 + x)  # in ln t
            return freeze(residual), freeze(scaled(ctx, x, -residual / slope))

    with working(64) as ctx:
        start = freeze(_order(ctx, real(ctx, rho), real(ctx, eps - rho)))
        # A relative error of t adds half its square, times this, to the exponent.
        steep = int(ctx.log10(1 + 2 * real(ctx, rho) * (start + 1) ** 2))
    return positive_root(newton, start=start, digits=(digits + steep) // 2 + _SPARE)


def _order(ctx: Context, rho: Real, excess: Real) -> Real:
    """About the root t of 2tρ − ln(1 + 1/t) = ε − ρ, by 1/t for the logarithm or by −ln t."""
    large = (excess + ctx.sqrt(excess * excess + 8 * rho)) / (4 * rho)
    if large > 1:
        return large
    power = ctx.log(2 * rho) + excess  # 2ρt is Lambert's W of e to this
    return (power - ctx.log(power) if power > 1 else exp(ctx, power)) / (2 * rho)
