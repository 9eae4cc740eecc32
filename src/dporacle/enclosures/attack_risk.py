"""Enclosures for what a test of a record's membership reaches (X.RISK.POWER).

Of one release a test is a threshold on the output. Of DP-SGD the figures are read from δ(ε) of both
orders, which is what `enclosures.tradeoff` does for every mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.tradeoff.area import area
from dporacle.enclosures.tradeoff.curve import DIGITS, TradeoffCurve
from dporacle.enclosures.tradeoff.gaussian import Fit, best_fit, mu_at, mu_over
from dporacle.enclosures.tradeoff.pairs import steps as curve_of
from dporacle.enclosures.tradeoff.power import rates
from dporacle.interface import Direction, orders_of, witness

_GUARD_BITS = 64  # so that the largest of some balls is rounded far below their digits
_SPARE = (4, 12, 40)  # digits of δ beyond those of the figure, one after the other


@witness
def gdp_power(*, alpha: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose Φ(μ − Φ⁻¹(1−α)), the largest power of a test of level α (X.RISK.POWER)."""

    def formula() -> arb:
        least = 2 * min(alpha, 1 - alpha)
        size = arb(2).sqrt() * ball(least).erfcinv() if least < 1 else arb(0)
        return normal_tail(size - ball(mu) if 2 * alpha < 1 else -size - ball(mu))

    return tighten(formula, digits)


@witness
def gdp_bayes_success(*, prior: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose the largest share of right answers at a prior π (X.RISK.POWER)."""
    return tighten(lambda: _gaussian_share(prior, mu, 1), digits)


@witness
def gdp_bayes_risk(*, prior: Fraction, mu: Fraction, digits: int) -> arb:
    """Enclose the least share of wrong answers at a prior π (X.RISK.POWER)."""
    return tighten(lambda: _gaussian_share(prior, mu, -1), digits)


def _gaussian_share(prior: Fraction, mu: Fraction, right: int) -> arb:
    """Return the share of right answers (1) or wrong ones (−1) of the best threshold.

    That is where the odds of the two laws are those of the prior.
    """
    u, half = ball((1 - prior) / prior).log() / ball(mu), ball(mu) / 2
    found = ball(prior) * normal_tail(right * (u - half))
    return found + ball(1 - prior) * normal_tail(-right * (u + half))


@witness
def laplace_tradeoff(
    *, alpha: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the least type II error of a test of level α of Laplace noise (X.RISK.POWER)."""
    return tighten(lambda: _laplace_tail(ball(sensitivity / scale) - _place(alpha)), digits)


@witness
def laplace_power(*, alpha: Fraction, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the largest power of a test of level α of Laplace noise (X.RISK.POWER)."""
    return tighten(lambda: _laplace_tail(_place(alpha) - ball(sensitivity / scale)), digits)


def _place(alpha: Fraction) -> arb:
    """Return the threshold that noise of scale 1 exceeds with probability α."""
    least = ball(2 * min(alpha, 1 - alpha)).log()
    return -least if 2 * alpha < 1 else least


def _laplace_tail(x: arb) -> arb:
    """Return the probability of noise of scale 1 to exceed x."""
    half = (-abs(x)).exp() / 2
    if x >= 0:
        return half
    return 1 - half if x <= 0 else half.union(1 - half)


@witness
def laplace_bayes_success(
    *, prior: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the largest share of right answers at a prior π, Laplace noise (X.RISK.POWER)."""
    less, more = sorted((prior, 1 - prior))

    def formula() -> arb:
        gain = 1 - (ball(more / less).log() / 2 - ball(sensitivity / scale) / 2).exp()
        return ball(more) + ball(less) * gain.max(arb(0))

    return tighten(formula, digits)


@witness
def gdp_auc(*, mu: Fraction, digits: int) -> arb:
    """Enclose Φ(μ/√2), the area under the largest power over the level (X.RISK.AUC)."""
    return tighten(lambda: normal_tail(-ball(mu) / arb(2).sqrt()), digits)


@witness
def laplace_auc(*, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose 1 − e^{−m}(2 + m)/4, m = D/b, the area under the power (X.RISK.AUC)."""
    m = sensitivity / scale
    return tighten(lambda: 1 - (-ball(m)).exp() * ball(2 + m) / 4, digits)


@witness
def subsampled_tradeoff(
    *,
    alpha: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the least type II error of a test of level α of T subsampled steps (X.RISK.POWER)."""
    given = sigma, rate, steps, direction
    return _worst(
        arb.min,
        _tight(lambda curve: rates(curve, alpha, digits=digits + 1).missed, given, digits),
        digits,
    )


@witness
def subsampled_power(
    *,
    alpha: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the largest power of a test of level α of T subsampled steps (X.RISK.POWER)."""
    given = sigma, rate, steps, direction
    return _worst(
        arb.max,
        _tight(lambda curve: rates(curve, alpha, digits=digits + 1).found, given, digits),
        digits,
    )


@witness
def subsampled_bayes_success(
    *,
    prior: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the largest share of right answers at a prior, T subsampled steps (X.RISK.POWER)."""
    given = sigma, rate, steps, direction
    found = _tight(lambda curve: curve.bayes_success(prior), given, digits)
    return _worst(arb.max, found, digits)


@witness
def subsampled_bayes_risk(
    *,
    prior: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the least share of wrong answers at a prior, T subsampled steps (X.RISK.POWER)."""
    given = sigma, rate, steps, direction
    found = _tight(lambda curve: curve.bayes_risk(prior), given, digits)
    return _worst(arb.min, found, digits)


@witness
def subsampled_auc(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 12) -> arb:
    """Enclose the area under the power over the level of T subsampled steps (X.RISK.AUC)."""
    return area(_curve(sigma, rate, steps, "remove", digits), digits=digits)


@witness
def subsampled_mu(
    *, epsilon: Fraction, sigma: Fraction, rate: Fraction, steps: int, digits: int = 12
) -> arb:
    """Enclose the μ of Gaussian noise with the same δ at an ε (X.RISK.REGRET)."""
    given = sigma, rate, steps, "both"
    found = _tight(lambda curve: mu_at(curve, epsilon, digits=digits + 2), given, digits)
    return _worst(arb.max, found, digits)


@witness
def subsampled_mu_up_to(
    *, epsilon: Fraction, sigma: Fraction, rate: Fraction, steps: int, digits: int = 4
) -> arb:
    """Enclose the least μ whose δ is enough at every ε up to one (X.RISK.REGRET)."""
    curve = _curve(sigma, rate, steps, "both", max(DIGITS, 2 * digits))
    return mu_over(curve, Fraction(0), epsilon, digits=digits)


@witness
def subsampled_nearest_mu(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 4) -> arb:
    """Enclose the μ whose trade-off curve is the nearest (X.RISK.REGRET).

    Args:
        digits: about how many are proved, where the curve is not too close to Gaussian.

    Raises:
        ArithmeticError: if no two signs are proved.
    """
    return _nearest(sigma, rate, steps, digits).mu


@witness
def subsampled_regret(*, sigma: Fraction, rate: Fraction, steps: int, digits: int = 4) -> arb:
    """Enclose how far the nearest Gaussian trade-off curve is (X.RISK.REGRET).

    Args:
        digits: about how many are proved, where the curve is not too close to Gaussian.

    Raises:
        ArithmeticError: if no two signs are proved.
    """
    return _nearest(sigma, rate, steps, digits).regret


@lru_cache(maxsize=64)
def _nearest(sigma: Fraction, rate: Fraction, steps: int, digits: int) -> Fit:
    return best_fit(_curve(sigma, rate, steps, "both", max(DIGITS, 2 * digits)), digits=digits)


def _tight(
    figure: Callable[[TradeoffCurve], arb], given: tuple[Fraction, Fraction, int, str], digits: int
) -> list[arb]:
    """Return a figure of each order's curve whose δ has as many digits as it needs."""
    *noise, direction = given
    return [_figure(figure, (*noise, each), digits) for each in orders_of(direction)]


def _worst(worse: Callable[[arb, arb], arb], figures: list[arb], digits: int) -> arb:
    with precision(bits_for(digits) + _GUARD_BITS):
        return reduce(worse, figures)


def _figure(figure: Callable[[TradeoffCurve], arb], given: tuple[Any, ...], digits: int) -> arb:
    for spare in _SPARE:
        try:
            found = figure(_curve(*given, digits + spare))
        except ArithmeticError:
            if spare == _SPARE[-1]:
                raise
            continue
        if found.rad() * 10**digits <= abs(found):
            return found
    raise ArithmeticError(f"no ball of {digits} digits is enclosed")


@lru_cache(maxsize=64)
def _curve(
    sigma: Fraction, rate: Fraction, steps: int, direction: str, digits: int
) -> TradeoffCurve:
    return curve_of([(sigma, rate, steps)], direction, digits=digits)
