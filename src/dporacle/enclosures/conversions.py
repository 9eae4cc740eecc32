"""Enclosures for the other currencies of privacy (X.GDP, X.RDP, X.ZCDP)."""

from __future__ import annotations

from fractions import Fraction

import flint
from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.analytic_gaussian import delta_at_epsilon, epsilon_at_delta
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail

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


def gdp_tradeoff(*, alpha: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose G_μ(α) = Φ(Φ⁻¹(1−α) − μ), the least type II error of a test of level α (X.GDP).

    Args:
        alpha: type I error, in (0, 1).
        mu: D/σ, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, m = arguments.alpha(alpha), arguments.positive("mu", mu)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1")

    def formula() -> arb:
        least = 2 * min(level, 1 - level)
        size = arb(2).sqrt() * ball(least).erfcinv() if least < 1 else arb(0)
        return normal_tail(ball(m) - size if 2 * level < 1 else ball(m) + size)

    return tighten(formula, arguments.digits(digits))


def gdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose δ(ε) of μ-GDP (X.GDP).

    Args:
        epsilon: in [0, ∞).
        mu: in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = arguments.positive("mu", mu)
    return delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=m, digits=digits)


def gdp_epsilon(*, delta: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose the smallest ε ≥ 0 for which μ-GDP gives (ε,δ)-DP (X.GDP).

    Args:
        delta: in (0, 1].
        mu: in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    m = arguments.positive("mu", mu)
    return epsilon_at_delta(delta=delta, sigma=1, sensitivity=m, digits=digits)


def rdp(*, order: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose αμ²/2, the Rényi divergence of order α of the two outputs (X.RDP).

    Args:
        order: α, in (0, ∞).
        mu: D/σ, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    value = arguments.positive("order", order) * arguments.positive("mu", mu) ** 2 / 2
    return tighten(lambda: ball(value), arguments.digits(digits))


def zcdp_rho(*, mu: Exact, digits: int = 50) -> arb:
    """Enclose ρ = μ²/2, for which the mechanism is ρ-zCDP and for no smaller one (X.ZCDP).

    Args:
        mu: D/σ, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    value = arguments.positive("mu", mu) ** 2 / 2
    return tighten(lambda: ball(value), arguments.digits(digits))


def zcdp_sigma(*, rho: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose the least σ that is ρ-zCDP, D/√(2ρ) (X.ZCDP).

    Args:
        rho: in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    double = 2 * arguments.positive("rho", rho)
    distance = arguments.positive("sensitivity", sensitivity)
    return tighten(lambda: ball(distance) / ball(double).sqrt(), arguments.digits(digits))


def zcdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose δ = e^{−(ε−ρ)²/4ρ}, ρ = μ²/2, or 1 if ε ≤ ρ (X.ZCDP).

    Args:
        epsilon: in [0, ∞).
        mu: D/σ, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, rho = arguments.epsilon(epsilon), arguments.positive("mu", mu) ** 2 / 2
    power = max(Fraction(0), eps - rho) ** 2 / (4 * rho)
    return tighten(lambda: ball(-power).exp(), arguments.digits(digits))


def zcdp_epsilon(*, rho: Exact, delta: Exact, digits: int = 50) -> arb:
    """Enclose ε = ρ + 2√(ρ ln(1/δ)), at which ρ-zCDP is (ε,δ)-DP (X.ZCDP).

    It is the ε > ρ with (ε − ρ)² = 4ρ ln(1/δ).

    Args:
        rho: in (0, ∞).
        delta: in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, target = arguments.positive("rho", rho), arguments.delta(delta)

    def formula() -> arb:
        root, tail = ball(r).sqrt(), (1 / ball(target)).log().sqrt()
        return root * (root + 2 * tail)

    return tighten(formula, arguments.digits(digits))


def rdp_delta(*, epsilon: Exact, mu: Exact, digits: int = 50) -> arb:
    """Enclose min over α > 1 of e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1), ρ = μ²/2 (X.RDP).

    At the best order α = 1 + t it is e^{−t²ρ}/(1+t).

    Arguments and errors as for `zcdp_delta`.
    """
    eps, rho = arguments.epsilon(epsilon), arguments.positive("mu", mu) ** 2 / 2

    def formula() -> arb:
        e, r = ball(eps), ball(rho)
        gap = r - e
        if gap > 2 * flint.ctx.prec + 64:
            # ln(1 + 1/t) ≥ ρ − ε, so that t ≤ 2e^{ε−ρ}; and as 2tρ = ln(1 + 1/t) − ρ + ε, the
            # value lies between 1 − t(1 + ln(1 + 1/t)) > 1 − √t and 1.
            return 1 - arb(arb(1) / 2, arb(1) / 2) * ((e - r) / 2 + 1).exp()
        t = _best_order(e, r)
        return (-t * t * r).exp() / (1 + t)

    return tighten(formula, arguments.digits(digits))


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
