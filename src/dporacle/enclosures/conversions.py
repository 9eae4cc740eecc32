"""Enclosures for the other currencies of privacy (X.GDP, X.RDP, X.ZCDP)."""

from __future__ import annotations

from fractions import Fraction

import flint
from flint import arb

from dporacle.arguments import Exact
from dporacle.enclosures.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.interface import witness


@witness
def gdp_tradeoff(*, alpha: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP)."""

    def formula() -> arb:
        least = 2 * min(alpha, 1 - alpha)
        size = arb(2).sqrt() * ball(least).erfcinv() if least < 1 else arb(0)
        return normal_tail(ball(mu) - size if 2 * alpha < 1 else ball(mu) + size)

    return tighten(formula, digits)


@witness
def gdp_delta(*, epsilon: Exact, mu: Fraction, digits: int) -> arb:
    """Enclose δ(ε) of μ-GDP (X.GDP)."""
    return delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu, digits=digits)


@witness
def gdp_epsilon(*, delta: Exact, mu: Fraction, digits: int) -> arb:
    """Enclose the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP (X.GDP).

    Raises:
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    return epsilon_at_delta(delta=delta, sigma=1, sensitivity=mu, digits=digits)


@witness
def rdp(*, order: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP)."""
    value = order * mu**2 / 2
    return tighten(lambda: ball(value), digits)


@witness
def zcdp_rho(*, mu: Fraction, digits: int) -> arb:
    """Enclose ρ = μ²/2, the least for which the mechanism is ρ-zCDP (X.ZCDP)."""
    value = mu**2 / 2
    return tighten(lambda: ball(value), digits)


@witness
def zcdp_sigma(*, rho: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP)."""
    double = 2 * rho
    return tighten(lambda: ball(sensitivity) / ball(double).sqrt(), digits)


@witness
def zcdp_delta(*, epsilon: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP)."""
    rho = mu**2 / 2
    power = max(Fraction(0), epsilon - rho) ** 2 / (4 * rho)
    return tighten(lambda: ball(-power).exp(), digits)


@witness
def zcdp_epsilon(*, rho: Fraction, delta: Fraction, digits: int) -> arb:
    """Enclose ε = ρ + 2√(ρ ln(1/δ)), at which ρ-zCDP is (ε,δ)-DP (X.ZCDP).

    It is the ε > ρ with (ε − ρ)² = 4ρ ln(1/δ).
    """

    def formula() -> arb:
        root, tail = ball(rho).sqrt(), (1 / ball(delta)).log().sqrt()
        return root * (root + 2 * tail)

    return tighten(formula, digits)


@witness
def rdp_delta(*, epsilon: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP).

    At the best order α = 1 + t it is e^{−t²ρ}/(1+t).
    """
    rho = mu**2 / 2

    def formula() -> arb:
        e, r = ball(epsilon), ball(rho)
        gap = r - e
        if gap > 2 * flint.ctx.prec + 64:
            # ln(1 + 1/t) ≥ ρ − ε, so that t ≤ 2e^{ε−ρ}; and as 2tρ = ln(1 + 1/t) − ρ + ε, the
            # value lies between 1 − t(1 + ln(1 + 1/t)) > 1 − √t and 1.
            return 1 - arb(arb(1) / 2, arb(1) / 2) * ((e - r) / 2 + 1).exp()
        t = _best_order(e, r)
        return (-t * t * r).exp() / (1 + t)

    return tighten(formula, digits)


def _best_order(eps: arb, rho: arb) -> arb:
    """Enclose the t > 0 at which (2t+1)ρ − ε = ln(1+1/t); the left side rises, the right falls."""

    def excess(t: arb) -> arb:
        return (2 * t + 1) * rho - eps - (1 / t).log1p()

    low = high = 0
    while excess(arb(2) ** low) > 0:
        low = 2 * low - 1
    while excess(arb(2) ** high) < 0:
        high = 2 * high + 1
    left, right = arb(low), arb(high)
    for _ in range(24):  # on ln t, until Newton's method is at home
        middle = (left + right) / 2
        if excess(arb(2) ** middle) > 0:
            right = middle.mid()
        else:
            left = middle.mid()
    t = (arb(2) ** ((left + right) / 2)).mid()
    for _ in range(6 + flint.ctx.prec.bit_length()):
        slope = 2 * rho * t + 1 / (1 + t)
        t = (t * (-excess(t) / slope).exp()).mid()
    # The rounding of the excess is that of its largest part, and its slope is in ln t.
    size = eps + (2 * t + 1) * rho + (1 / t).log1p() + 1
    width = t * arb(2) ** (10 - flint.ctx.prec) * size / (2 * rho * t + 1 / (1 + t))
    if excess((t - width).mid()) < 0 < excess((t + width).mid()):
        return t + arb(0, (2 * width).upper())
    return arb("nan")  # more precision is asked for
