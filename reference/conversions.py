"""The Gaussian mechanism in other currencies, and the way back (X.GDP, X.RDP, X.ZCDP).

With μ = D/σ it is exactly μ-GDP, its Rényi divergence of order α is αμ²/2, and it is ρ-zCDP with
ρ = μ²/2. The exact way from μ to (ε,δ) is BW18.T8; the conversions here forget the distribution
and keep its moments, and are therefore loose.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.reference.gaussian.orders import best_order
from dporacle.reference.numerics.functions import exp, log, ncdf
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

__all__ = [
    "gdp_delta",
    "gdp_epsilon",
    "gdp_tradeoff",
    "rdp",
    "rdp_delta",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
    "zcdp_sigma",
]


def gdp_tradeoff(*, alpha: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP).

    Args:
        alpha: type I error, in (0, 1).
        mu: D/σ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, m = arguments.alpha(alpha), arguments.positive("mu", mu)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1")
    asked = arguments.digits(digits)
    sign = 1 if 2 * level < 1 else -1
    least = 2 * min(level, 1 - level)
    # Φ(x) magnifies an error of x by |x| + 1, relatively, and the size is below 80.
    spare = 8 + 2 * len(str(m.__ceil__()))
    size = accuracy(alpha=least, sigma=1, digits=asked + spare) if least < 1 else ZERO
    return settle(lambda ctx: ncdf(ctx, lambda c: (sign * real(c, size), -real(c, m))), asked)


def gdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) of μ-GDP, which loses nothing (X.GDP).

    Args:
        epsilon: in [0, ∞).
        mu: in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.positive("mu", mu)
    return delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=m, digits=digits)


def gdp_epsilon(*, delta: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP (X.GDP).

    Args:
        delta: in (0, 1].
        mu: in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.positive("mu", mu)
    return epsilon_at_delta(delta=delta, sigma=1, sensitivity=m, digits=digits)


def rdp(*, order: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP).

    Args:
        order: α, in (0, ∞); at 1 it is the Kullback-Leibler divergence.
        mu: D/σ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    value = arguments.positive("order", order) * arguments.positive("mu", mu) ** 2 / 2
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))


def zcdp_rho(*, mu: Exact, digits: int = 50) -> Real:
    """Return ρ = μ²/2, for which the mechanism is ρ-zCDP and for no smaller one (X.ZCDP).

    Args:
        mu: D/σ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    value = arguments.positive("mu", mu) ** 2 / 2
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))


def zcdp_sigma(*, rho: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP).

    Args:
        rho: in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r = arguments.positive("rho", rho)
    distance = arguments.positive("sensitivity", sensitivity)
    return settle(
        lambda ctx: real(ctx, distance) / ctx.sqrt(2 * real(ctx, r)), arguments.digits(digits)
    )


def zcdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP).

    The conversion of Bun and Steinke 2016; it is also the best that the conversion of Mironov
    2017, δ = e^{−(α−1)(ε − αρ)}, gives over all orders α, and GN.T1 read backwards.

    Args:
        epsilon: in [0, ∞).
        mu: D/σ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, rho = arguments.epsilon(epsilon), arguments.positive("mu", mu) ** 2 / 2
    power = max(Fraction(0), eps - rho) ** 2 / (4 * rho)
    return settle(lambda ctx: exp(ctx, -power), arguments.digits(digits))


def zcdp_epsilon(*, rho: Exact, delta: Exact, digits: int = 50) -> Real:
    """Return ε = ρ + 2√(ρ ln(1/δ)), at which every ρ-zCDP mechanism is (ε,δ)-DP (X.ZCDP).

    It is `zcdp_delta` solved for ε.

    Args:
        rho: in (0, ∞).
        delta: in (0, 1).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, target = arguments.positive("rho", rho), arguments.delta(delta)

    def formula(ctx: Context) -> Real:
        return real(ctx, r) + 2 * ctx.sqrt(-real(ctx, r) * log(ctx, target))

    return settle(formula, arguments.digits(digits))


def rdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> Real:
    """Return min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP).

    The conversion of Canonne, Kamath and Steinke 2020 at its best order: the
    root of (2α−1)ρ − ε + ln(1−1/α) = 0, whose left side rises.

    Arguments and errors as for `zcdp_delta`.
    """
    eps, rho = arguments.epsilon(epsilon), arguments.positive("mu", mu) ** 2 / 2
    asked = arguments.digits(digits)
    if rho - eps > 3 * (asked + 10):
        # ln of it is between −e^{ε−ρ} and 0: t(ρ − ε) + t²ρ + t ln t − (1 + t)ln(1 + t), t = α − 1,
        # is at least t(ρ − ε − 1) + t ln t for ρ ≥ 1/2, and that is least at t = e^{ε−ρ}.
        return settle(lambda ctx: ctx.one, asked)

    t = best_order(eps, rho, asked)

    def power(ctx: Context) -> tuple[Real, ...]:
        x = real(ctx, t)
        near = (x * x * real(ctx, rho), x * real(ctx, rho - eps))
        if x < 1:
            return *near, x * ctx.log(x), -(1 + x) * ctx.log1p(x)
        return *near, -ctx.log(x), -(1 + x) * ctx.log1p(1 / x)

    return settle(lambda ctx: exp(ctx, power), asked)
