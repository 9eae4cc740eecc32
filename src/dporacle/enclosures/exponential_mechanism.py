"""Enclosures for noisy max with Gumbel noise, the exponential mechanism (X.EXPMECH).

Written with tanh, artanh and Bessel functions, where the reference has exponentials.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.laplace import lack
from dporacle.interface import witness

_CLOSE = 8  # below this η, of two numbers that agree nothing is subtracted


@witness
def exponential_mechanism_delta(
    *, epsilon: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) = 2T²(1 + U)/((1 + T)²U), T = tanh((η−ε)/4), U = tanh(η/2) (X.EXPMECH)."""
    eta = 2 * sensitivity / scale
    if epsilon >= eta:
        return arb(0)
    return tighten(lambda: lack(ball((eta - epsilon) / 2)) ** 2 / lack(ball(eta)), digits)


@witness
def exponential_mechanism_epsilon(
    *, delta: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 with (ε,δ)-DP, max(0, η − 4 artanh(r/(2 − r))) (X.EXPMECH).

    Here r² = δ(1 − e^{−η}).
    """
    eta = 2 * sensitivity / scale
    if delta == 1:
        return arb(0)

    def formula() -> arb:
        root = (ball(delta) * lack(ball(eta))).sqrt()
        return ball(eta) - 4 * (root / (2 - root)).atanh()

    # η is rational and the rest is not, unless it is 0: the sign shows in the end.
    value = tighten(formula, digits)
    return value if value > 0 else arb(0)


@witness
def exponential_mechanism_zcdp_rho(*, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the least ρ of zCDP, the largest Kullback-Leibler divergence (X.EXPMECH).

    For small η by modified Bessel functions of η/2, of orders 1/2 and 3/2; else of the pair itself.
    """
    eta = 2 * sensitivity / scale
    return tighten(lambda: _by_bessel(eta) if eta < _CLOSE else _of_the_pair(eta), digits)


def _by_bessel(eta: Fraction) -> arb:
    """(z/3)·₀F₁(5/2; z/4)/₀F₁(3/2; z/4) + ln ₀F₁(3/2; z/4), z = η²/4.

    The logarithm by ₀F₁(3/2; x) − 1 = (2x/3)·₁F₂(1; 2, 5/2; x), all positive.
    """
    x = ball(eta * eta / 16)
    first = x * 2 / 3 * x.hypgeom([arb(1)], [arb(2), arb(5) / 2])
    return 4 * x / 3 * x.hypgeom_0f1(arb(5) / 2) / (1 + first) + first.log1p()


def _of_the_pair(eta: Fraction) -> arb:
    """P ln(P/Q) + (1−P) ln((1−P)/(1−Q)) of the two candidates that tell most."""
    fall = (-ball(eta)).exp()
    rest = 1 / ball(eta) - fall / (1 - fall)  # 1 − P
    share = ball(eta) * fall / (1 - fall)  # Q/P
    ratio = ball(eta) - (ball(eta) / (1 - fall)).log()  # ln(P/Q)
    return (1 - rest) * ratio + rest * (rest / (1 - (1 - rest) * share)).log()
