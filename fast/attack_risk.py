"""What a test of a record's membership reaches, in float64 (X.RISK.POWER).

A gain is at least the exact one, a type II error at most. Of one release they are closed forms, to
2^-38 of themselves (2^-40 with Laplace noise). Of DP-SGD H(a) + aα at any a bounds the power: a
search finds an a at which it is flat, and what is above the exact figure is the error of δ(ε) (see
`subsampled_gaussian`) and 10^-9 or so of the search. Of a type II error that is a small difference
of such bounds little may be left; it is 0 where nothing is.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, special

from dporacle.fast._broadcast import (
    Array,
    Number,
    above,
    below,
    give,
    quiet,
    quiet_down,
    reals,
    witness,
)
from dporacle.fast.subsampled_gaussian import subsampled_delta

_ULP = 2.0**-52
_POWER_ULPS = 2.0**12
_ULPS = 16
_DIRECTIONS = {"add": "remove", "remove": "add", "replace": "replace"}
_REACH, _MOVES = 2.0, 4  # of the search, in such widths
_FLAT = 1e-4  # of a width of the loss: the place of the least value, which errs by its square
_WORST = 700.0


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
    u = np.log((1 - prior) / prior) / mu
    right = prior * special.ndtr(mu / 2 - u) + (1 - prior) * special.ndtr(mu / 2 + u)
    return _share(above(np.maximum(right, np.maximum(prior, 1 - prior)), _ULPS))


@witness
def gdp_bayes_risk(*, prior: Array, mu: Array) -> Any:
    """Return the least share of wrong answers at a prior π (X.RISK.POWER)."""
    u = np.log((1 - prior) / prior) / mu
    wrong = prior * special.ndtr(u - mu / 2) + (1 - prior) * special.ndtr(-u - mu / 2)
    return give(below(np.minimum(wrong, np.minimum(prior, 1 - prior)), _POWER_ULPS))


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
    return m, half * alpha * half, 1 / half / (4 * alpha) / half, (1 - alpha) / half / half


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


@quiet_down
def subsampled_tradeoff(
    *, alpha: Number, sigma: Number, rate: Number, steps: Number, direction: str
) -> Any:
    """Return the least type II error of a test of level α, not above it (X.RISK.POWER).

    Args:
        alpha: in (0, 1).
        sigma: the noise multiplier, in [0.1, 1000].
        rate: the chance q of a record to be in a batch, in [10^-8, 1].
        steps: T, integers from 1 to 10^8.
        direction: "remove" (it looks for a record that was used), "add", "replace", or "both": the
            one of the first two with which an attacker gains more.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each("alpha", alpha, (sigma, rate, steps), direction, _Curve.missed)


@quiet
def subsampled_power(
    *, alpha: Number, sigma: Number, rate: Number, steps: Number, direction: str
) -> Any:
    """Return the largest power of a test of level α, not below it (X.RISK.POWER).

    Args:
        alpha: in (0, 1).
        sigma: the noise multiplier, in [0.1, 1000].
        rate: the chance q of a record to be in a batch, in [10^-8, 1].
        steps: T, integers from 1 to 10^8.
        direction: "remove" (it looks for a record that was used), "add", "replace", or "both": the
            one of the first two with which an attacker gains more.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each("alpha", alpha, (sigma, rate, steps), direction, _Curve.found)


@quiet
def subsampled_bayes_success(
    *, prior: Number, sigma: Number, rate: Number, steps: Number, direction: str
) -> Any:
    """Return the largest share of right answers at a prior π, not below it (X.RISK.POWER).

    Args:
        prior: in (0, 1).
        sigma: the noise multiplier, in [0.1, 1000].
        rate: the chance q of a record to be in a batch, in [10^-8, 1].
        steps: T, integers from 1 to 10^8.
        direction: "remove" (π is that of the record to be used), "add", "replace", or "both": the
            one of the first two with which an attacker gains more.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each("prior", prior, (sigma, rate, steps), direction, _Curve.bayes)


@quiet_down
def subsampled_bayes_risk(
    *, prior: Number, sigma: Number, rate: Number, steps: Number, direction: str
) -> Any:
    """Return the least share of wrong answers at a prior π, not above it (X.RISK.POWER).

    Args:
        prior: in (0, 1).
        sigma: the noise multiplier, in [0.1, 1000].
        rate: the chance q of a record to be in a batch, in [10^-8, 1].
        steps: T, integers from 1 to 10^8.
        direction: "remove" (π is that of the record to be used), "add", "replace", or "both": the
            one of the first two with which an attacker gains more.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _each("prior", prior, (sigma, rate, steps), direction, _Curve.wrong)


def _each(name: str, value: Any, noise: tuple[Any, ...], direction: str, figure: Any) -> Any:
    if direction == "both":
        worse = np.minimum if figure in (_Curve.missed, _Curve.wrong) else np.maximum
        return give(worse(*(_each(name, value, noise, way, figure) for way in ("add", "remove"))))
    if direction not in _DIRECTIONS:
        known = ", ".join((*_DIRECTIONS, "both"))
        raise ValueError(f"direction must be one of {known}, got {direction!r:.80}")
    # δ(0) reads the noise, and refuses what is none.
    least = subsampled_delta(
        epsilon=0.0, sigma=noise[0], rate=noise[1], steps=noise[2], direction=direction
    )
    values = reals(name, value, high=1.0)
    arrays = np.broadcast_arrays(values, *map(np.asarray, noise), least)
    found = [
        figure(_Curve(sigma, rate, steps, direction, float(advantage)), float(x))
        for x, sigma, rate, steps, advantage in zip(*(a.ravel() for a in arrays), strict=True)
    ]
    return give(np.array(found).reshape(arrays[0].shape))


class _Curve:
    """Bounds of δ(ε) of the two orders."""

    def __init__(self, sigma: Any, rate: Any, steps: Any, direction: str, advantage: float) -> None:
        given = {"sigma": sigma, "rate": rate, "steps": steps}
        self._at_zero = advantage

        @cache
        def delta(x: float) -> float:
            if x == 0:
                return advantage
            way = direction if x > 0 else _DIRECTIONS[direction]
            return float(subsampled_delta(epsilon=abs(x), **given, direction=way))

        self._delta = delta

    def _at(self, x: float, alpha: float) -> tuple[float, float]:
        """Return bounds of H + aα and of 1 − H − aα at a = e^x, but for rounding."""
        if x >= 0:
            found = self._delta(x) + math.exp(x) * alpha
            return found, 1 - found
        missed = math.exp(x) * (1 - alpha - self._delta(x))
        return 1 - missed, missed

    def _best(self, alpha: float) -> tuple[float, float, float]:
        """Return both at about the x at which they say most, and what rounding makes of them."""
        half = min(max((1 + self._at_zero) / 2, 0.5 + 1e-9), 1 - 1e-12)
        mu = 2 * float(special.ndtri(half))
        place = mu * float(-special.ndtri(alpha)) - mu * mu / 2

        @cache
        def odds(t: float) -> float:
            found, missed = self._at(min(max(place + mu * t, -_WORST), _WORST), alpha)
            return math.log(found) - math.log(missed) if missed > 0 else _WORST + found

        low, high = -_REACH, 2 * _REACH
        for _ in range(_MOVES):
            found = optimize.minimize_scalar(
                odds, bounds=(low, high), method="bounded", options={"xatol": _FLAT}
            )
            if low + _REACH / 8 < found.x < high - _REACH / 8:
                break
            low, high = found.x - 4 * _REACH, found.x + 4 * _REACH
        x = min(max(place + mu * float(found.x), -_WORST), _WORST)
        return *self._at(x, alpha), (8 + 2 * abs(x)) * _ULP * math.exp(min(x, 0.0))

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
        x = math.log((1 - prior) / prior)
        near = abs(x) - 2.0**-48 * (1 + abs(x))  # δ falls
        less, more = min(prior, 1 - prior), max(prior, 1 - prior)
        value = more + less * self._delta(math.copysign(max(near, 0.0), x))
        return min(1.0, value * (1 + _ULPS * _ULP))

    def wrong(self, prior: float) -> float:
        """Return a lower bound of the share of wrong answers at a prior."""
        x = math.log((1 - prior) / prior)
        near = abs(x) - 2.0**-48 * (1 + abs(x))  # δ falls
        left = 1 - self._delta(math.copysign(max(near, 0.0), x))
        return max(0.0, min(prior, 1 - prior) * (left - _ULP)) * (1 - _ULPS * _ULP)
