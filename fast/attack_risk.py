"""What a test of a record's membership reaches, in float64 (X.RISK.POWER).

A gain is at least the exact one, a type II error at most. Of one release they are closed forms, to
2^-38 of themselves (2^-40 with Laplace noise). Of DP-SGD H(a) + aα at any a bounds the power: a
search finds an a at which it is flat, and what is above the exact figure is the error of δ(ε) (see
`subsampled_gaussian`) and 10^-9 or so of the search. Of a type II error that is a small difference
of such bounds little may be left; it is 0 where nothing is.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np
from scipy import optimize, special

from dporacle.fast._broadcast import Array, above, below, each_of, give, witness
from dporacle.fast.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.fast.subsampled.area import area
from dporacle.fast.subsampled.losses import FloatPhase
from dporacle.fast.subsampled_gaussian import delta_of, epsilon_of, of_steps
from dporacle.interface import Direction, orders_of

_ULP = 2.0**-52  # the spacing of float64 from 1 on
_POWER_ULPS = 2.0**12  # Φ(z) has z² times the relative error of z: up to 1500 times
_ULPS = 16  # of a few operations on shares that are not small
_TURNED = {"add": "remove", "remove": "add", "replace": "replace"}
_REACH, _MOVES = 2.0, 9  # of the search, in such widths
_FLAT = 1e-4  # of a width of the loss: the place of the least value, which errs by its square
_WORST = 700.0  # e^700 is a float64, e^710 is none
_RARE = 1e-300  # a probability below which 1 − π is 1
_MIDDLE = 0.5  # of a δ, at which a μ is told where δ(0) does not tell it
_TOLD_APART = 13.0  # μ from which on 1 − δ(0) is below 10^-10
_CUTS = 6  # of a range of losses
_CELLS = 32  # of the first grid of a largest difference
_PARTS = 16  # of a range of ε
_DEGREE = 20  # of a polynomial in the place of a curve
_NEAR = 1e-4  # of a regret: a search to _FLAT of a cell errs by its square, times the bend there


@witness
def gdp_power(*, alpha: Array, mu: Array) -> Any:
    """Return Φ(μ − Φ⁻¹(1−α)), the largest power of a test of level α (X.RISK.POWER)."""
    z = special.ndtri(alpha) + mu
    # ndtr is 0 below −37.7, where the power is still a float.
    power = np.where(z < -37, np.exp(special.log_ndtr(z)), special.ndtr(z))
    return _share(above(power, _POWER_ULPS))


@witness
def gdp_bayes_success(*, prior: Array, mu: Array) -> Any:
    """Return the largest share of right answers at a prior π (X.RISK.POWER)."""
    # At the best threshold the share is flat: what ln(odds) lacks in digits is squared.
    u = _log_odds(prior) / mu
    right = prior * special.ndtr(mu / 2 - u) + (1 - prior) * special.ndtr(mu / 2 + u)
    return _share(above(np.maximum(right, np.maximum(prior, 1 - prior)), _ULPS))


@witness
def gdp_bayes_risk(*, prior: Array, mu: Array) -> Any:
    """Return the least share of wrong answers at a prior π (X.RISK.POWER)."""
    u = _log_odds(prior) / mu
    wrong = prior * special.ndtr(u - mu / 2) + (1 - prior) * special.ndtr(-u - mu / 2)
    wrong = np.nextafter(wrong, 0.0)  # two products of which each may gain half the least float
    least = below(np.minimum(wrong, np.minimum(prior, 1 - prior)), _POWER_ULPS)
    return give(np.maximum(least, 0.0))


def _log_odds(prior: Any) -> Any:
    """Return ln((1−π)/π), also where (1−π)/π is no float."""
    return np.where(prior < _RARE, -np.log(prior), np.log((1 - prior) / prior))


@witness
def laplace_tradeoff(*, alpha: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the least type II error of a test of level α of Laplace noise (X.RISK.POWER)."""
    m, low, middle, high = _laplace(alpha, scale, sensitivity)
    value = np.where(low < 0.5, 1 - low, np.where(alpha <= 0.5, middle, high))
    return give(np.maximum(below(value, _ULPS + 4 * np.minimum(m, 1e3)), 0.0))


@witness
def laplace_power(*, alpha: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the largest power of a test of level α of Laplace noise (X.RISK.POWER)."""
    m, low, middle, high = _laplace(alpha, scale, sensitivity)
    value = np.where(low < 0.5, low, np.where(alpha <= 0.5, 1 - middle, 1 - high))
    return _share(above(value, _ULPS + 4 * np.minimum(m, 1e3)))


def _laplace(alpha: Array, scale: Array, sensitivity: Array) -> tuple[Array, Array, Array, Array]:
    """Return m = D/b, e^m·α, e^{−m}/4α and e^{−m}(1−α)."""
    m = sensitivity / scale
    half = np.exp(np.minimum(m, 1500.0) / 2)  # its square is no float where this one is
    # A product with a subnormal α would lose bits before the last one.
    lifted = np.where(alpha < 2.0**-900, 2.0**64, 1.0)
    low = half * (alpha * lifted) * half / lifted
    return m, low, 1 / half / (4 * alpha) / half, (1 - alpha) / half / half


@witness
def laplace_bayes_success(*, prior: Array, scale: Array, sensitivity: Array) -> Any:
    """Return the largest share of right answers at a prior π, Laplace noise (X.RISK.POWER)."""
    less, more = np.minimum(prior, 1 - prior), np.maximum(prior, 1 - prior)
    # √(less·more)·e^{−m/2} is what of the smaller one is lost.
    lost = np.sqrt(less) * np.sqrt(more) * np.exp(-sensitivity / scale / 2)
    return _share(above(more + np.maximum(less - lost, 0.0), _ULPS))


@witness
def gdp_auc(*, mu: Array) -> Any:
    """Return Φ(μ/√2), the area under the largest power over the level (X.RISK.AUC)."""
    return _share(above(special.ndtr(mu / math.sqrt(2)), _ULPS))


@witness
def laplace_auc(*, scale: Array, sensitivity: Array) -> Any:
    """Return 1 − e^{−m}(2 + m)/4, m = D/b, the area under the power (X.RISK.AUC)."""
    m = np.minimum(sensitivity / scale, 1500.0)
    return _share(above(1 - np.exp(-m) * (2 + m) / 4, _ULPS))


def _share(value: Any) -> Any:
    return give(np.minimum(value, 1.0))


@of_steps
def subsampled_tradeoff(
    *, alpha: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the least type II error of a test of level α, not above it (X.RISK.POWER)."""
    return _each(alpha, (sigma, rate, steps), direction, _Curve.missed)


@of_steps
def subsampled_power(
    *, alpha: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the largest power of a test of level α, not below it (X.RISK.POWER)."""
    return _each(alpha, (sigma, rate, steps), direction, _Curve.found)


@of_steps
def subsampled_bayes_success(
    *, prior: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the largest share of right answers at a prior π, not below it (X.RISK.POWER)."""
    return _each(prior, (sigma, rate, steps), direction, _Curve.bayes)


@of_steps
def subsampled_bayes_risk(
    *, prior: Array, sigma: Array, rate: Array, steps: Array, direction: Direction
) -> Any:
    """Return the least share of wrong answers at a prior π, not above it (X.RISK.POWER)."""
    return _each(prior, (sigma, rate, steps), direction, _Curve.wrong)


@of_steps
def subsampled_auc(*, sigma: Array, rate: Array, steps: Array) -> Any:
    """Return the area under the power over the level, not below it (X.RISK.AUC)."""
    return each_of(lambda s, q, t: area(FloatPhase(s, q, t)), (sigma, rate, steps))


@of_steps
def subsampled_mu(*, epsilon: Array, sigma: Array, rate: Array, steps: Array) -> Any:
    """Return the μ of Gaussian noise with the same δ at an ε, not below it (X.RISK.REGRET)."""
    return each_of(_mu, (epsilon, sigma, rate, steps))


def _mu(epsilon: float, sigma: float, rate: float, steps: float) -> float:
    delta = delta_of(epsilon, [FloatPhase(sigma, rate, steps)], "both")
    if delta >= 1:
        return math.inf
    noise = calibrate_sigma(epsilon=epsilon, delta=max(delta, 5e-324))
    return float(above(1 / noise, _POWER_ULPS))


@of_steps
def subsampled_mu_up_to(*, epsilon: Array, sigma: Array, rate: Array, steps: Array) -> Any:
    """Return the least μ whose δ is enough at every ε up to one, not below it (X.RISK.REGRET).

    Where it is that of an ε inside the range, it is as good as the search for that ε.
    """
    return each_of(_largest_mu, (epsilon, sigma, rate, steps))


def _largest_mu(end: float, *run: float) -> float:
    def mu(x: float) -> float:
        return _mu(x, *run)

    places = end * (np.arange(_PARTS + 1) / _PARTS)
    heights = [*map(mu, places)]
    best = int(np.argmax(heights))
    if best in (0, _PARTS):  # it rises or falls towards there
        return heights[best]
    inner = optimize.minimize_scalar(
        lambda x: -mu(x),
        bounds=(places[best - 1], places[best + 1]),
        method="bounded",
        options={"xatol": end / _PARTS * _FLAT},
    )
    return max(heights[best], -float(inner.fun)) * (1 + _PARTS * _FLAT**2)


@of_steps
def subsampled_nearest_mu(*, sigma: Array, rate: Array, steps: Array) -> Any:
    """Return about the μ whose trade-off curve is the nearest (X.RISK.REGRET)."""
    return each_of(lambda *run: _nearest(*run)[0], (sigma, rate, steps))


@of_steps
def subsampled_regret(*, sigma: Array, rate: Array, steps: Array) -> Any:
    """Return the distance of the nearest Gaussian trade-off curve, not below it (X.RISK.REGRET)."""
    return each_of(lambda *run: _nearest(*run)[1], (sigma, rate, steps))


def _mu_of(advantage: float) -> float:
    half = min(max((1 + advantage) / 2, 0.5 + 1e-9), 1 - 1e-12)
    return 2 * float(special.ndtri(half))


@lru_cache(maxsize=64)
def _nearest(sigma: float, rate: float, steps: float) -> tuple[float, float]:
    """Return about the best μ, and more than how far its curve is.

    The regret is the least such distance: that of any μ is not below it, but for the search in x.
    """
    if rate == 1:
        return math.sqrt(steps) / sigma, 0.0
    ways = [_Curve(FloatPhase(sigma, rate, steps), way) for way in ("add", "remove")]
    start = _mu_of(max(way.advantage for way in ways))
    if start >= _TOLD_APART:
        return _all_told(FloatPhase(sigma, rate, steps))
    reach = min(start * start / 2 + 4 * start, _WORST)
    grid = np.linspace(0.0, reach, _CELLS + 1)

    @cache
    def own(x: float) -> float:
        return max(way.at(x, 0.0)[0] for way in ways)

    # The δ(ε) of one step is found at once; else a polynomial in its place says where to look.
    rest = np.polynomial.Chebyshev.interpolate(
        lambda x: np.array([0.0 if steps == 1 else own(y) - _gaussian(y, start) for y in x]),
        _DEGREE,
        [0.0, reach],
    )

    def about(x: float) -> float:
        return own(x) if steps == 1 else float(rest(x) + _gaussian(x, start))

    heights = np.array([about(x) for x in grid])

    def largest(mu: float, sign: int) -> tuple[float, float]:
        gaps = sign * (_gaussian(grid, mu) - heights) / (1 + np.exp(grid))
        best = int(np.argmax(gaps))
        inner = optimize.minimize_scalar(
            lambda x: sign * (about(x) - _gaussian(x, mu)) / (1 + math.exp(x)),
            bounds=(grid[max(best - 1, 0)], grid[min(best + 1, _CELLS)]),
            method="bounded",
            options={"xatol": reach / _CELLS * _FLAT},
        )
        return max((gaps[best], grid[best]), (-float(inner.fun), float(inner.x)))

    def turn(mu: float) -> float:
        return largest(mu, 1)[0] - largest(mu, -1)[0]

    low, high = start / 1.25, start * 1.25
    while turn(low) > 0:
        low /= 2
    while turn(high) < 0:
        high *= 2
    mu = float(optimize.brentq(turn, low, high, xtol=start * 1e-9, rtol=1e-9))
    places = (largest(mu, sign)[1] for sign in (1, -1))
    regret = max(abs(own(x) - _gaussian(x, mu)) / (1 + math.exp(x)) for x in places)
    return mu, regret * (1 + _NEAR) + 1e-9


def _all_told(phase: FloatPhase) -> tuple[float, float]:
    """Return the same where the laws are told apart but for 10^-10: the μ of the middle of δ(ε).

    The difference at a = e^x is at most 1/(1 + a), and at most half of what the lesser δ(x) lacks
    to 1, which rises with x ≥ 0.
    """
    high = epsilon_of(_MIDDLE, [phase], "both")
    mu = 1 / float(calibrate_sigma(epsilon=high, delta=delta_of(high, [phase], "both")))

    def apart(x: float) -> float:
        """Bound the difference left of x and right of it."""
        missed: float = 1 - min(
            min(delta_of(x, [phase], way) for way in ("add", "remove")), _gaussian(x, mu)
        )
        return max(float(missed) / 2, 1 / (1 + math.exp(x)))

    places = np.linspace(0.0, min(high, _WORST), _CUTS + 1)[1:]
    return mu, min(1.0, min(map(apart, map(float, places))) + 1e-9)


def _gaussian(x: Any, mu: float) -> Any:
    return delta_at_epsilon(epsilon=x, sigma=1 / mu)


def _each(value: Array, run: tuple[Array, ...], direction: str, figure: Any) -> Any:
    worse = min if figure in (_Curve.missed, _Curve.wrong) else max
    ways = orders_of(direction)
    return each_of(
        lambda x, *noise: worse(figure(_Curve(FloatPhase(*noise), way), x) for way in ways),
        (value, *run),
    )


class _Curve:
    """Bounds of δ(ε) of the two orders."""

    def __init__(self, phase: FloatPhase, direction: str) -> None:
        @cache
        def delta(x: float) -> float:
            way = direction if x >= 0 else _TURNED[direction]
            return delta_of(abs(x), [phase], way)

        self._delta = delta
        self.advantage = delta(0.0)

    def at(self, x: float, alpha: float) -> tuple[float, float]:
        """Return bounds of H + aα and of 1 − H − aα at a = e^x, but for rounding."""
        if x >= 0:
            found = self._delta(x) + math.exp(x) * alpha
            return found, 1 - found
        missed = math.exp(x) * (1 - alpha - self._delta(x))
        return 1 - missed, missed

    def _best(self, alpha: float) -> tuple[float, float, float]:
        """Return both at about the x at which they say most, and what rounding makes of them."""
        mu = _mu_of(self.advantage)
        place = mu * float(-special.ndtri(alpha)) - mu * mu / 2

        @cache
        def odds(t: float) -> float:
            found, missed = self.at(min(max(place + mu * t, -_WORST), _WORST), alpha)
            return math.log(found) - math.log(missed) if missed > 0 else _WORST + found

        low, high, width = -_REACH, 2 * _REACH, 4 * _REACH
        for _ in range(_MOVES):
            found = optimize.minimize_scalar(
                odds, bounds=(low, high), method="bounded", options={"xatol": _FLAT}
            )
            if low + _REACH / 8 < found.x < high - _REACH / 8:
                break
            # One rare step of little noise has losses that are far beyond a Gaussian's of its δ(0).
            low, high, width = found.x - width, found.x + width, 4 * width
        x = min(max(place + mu * float(found.x), -_WORST), _WORST)
        return *self.at(x, alpha), (8 + 2 * abs(x)) * _ULP * math.exp(min(x, 0.0))

    def missed(self, alpha: float) -> float:
        """Return a lower bound of the type II error at α."""
        _, missed, slack = self._best(alpha)
        return max(0.0, missed - slack)

    def found(self, alpha: float) -> float:
        """Return an upper bound of the power at α."""
        found, _, slack = self._best(alpha)
        more = max(found, alpha) + max(slack * found, slack if found > 0.5 else 0.0)
        return min(1.0, math.nextafter(more, math.inf))  # 1 − missed is rounded too

    def bayes(self, prior: float) -> float:
        """Return an upper bound of the share of right answers at a prior."""
        x = float(_log_odds(prior))
        near = abs(x) - 2.0**-48 * (1 + abs(x))  # δ falls
        less, more = min(prior, 1 - prior), max(prior, 1 - prior)
        value = more + less * self._delta(math.copysign(max(near, 0.0), x))
        return min(1.0, value * (1 + _ULPS * _ULP))

    def wrong(self, prior: float) -> float:
        """Return a lower bound of the share of wrong answers at a prior."""
        x = float(_log_odds(prior))
        near = abs(x) - 2.0**-48 * (1 + abs(x))  # δ falls
        left = 1 - self._delta(math.copysign(max(near, 0.0), x))
        least = max(0.0, min(prior, 1 - prior) * (left - _ULP)) * (1 - _ULPS * _ULP)
        return math.nextafter(least, 0.0)  # two products: each may gain half the least float
