"""What the counts of an attack prove (X.AUDIT), in float64.

Scalars or arrays that broadcast. A tail of a binomial law is its outermost term, by Loader's
saddle point, times the integral of a log-concave function, by the rule of Clenshaw and Curtis. Its
relative error is at most (128 + 16·E)·2^-52, E ≤ 745 the exponent of that term. A limit is a number
that the tail has shown to be on the safe side of the root. Every p-value and upper limit is not
below the exact one, every lower limit not above it; `proofs_notes/audit_statistics.md` has the
bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from dporacle.fast._broadcast import ULP, Array, each_of, give, witness
from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.rounding import LEAST


def _rule(cells: int) -> tuple[Array, Array]:
    """Return the places in [0, 1] and the weights of the rule of Clenshaw and Curtis.

    Those of Gauss are known to numpy to eleven digits only.
    """
    angles = np.arange(cells + 1) * (math.pi / cells)
    weights = []
    for j in range(cells + 1):
        terms = [
            -(1 if 2 * k == cells else 2)
            / (4 * k * k - 1)
            * math.cos(2 * k * j % (2 * cells) * math.pi / cells)
            for k in range(1, cells // 2 + 1)
        ]
        weights.append(math.fsum([1.0, *terms]) / cells / (2 if j in (0, cells) else 1))
    return np.sin(angles / 2) ** 2, np.array(weights)


_PLACES, _SHARES = _rule(128)
_DEPTH = 44.0  # where the integrand is e^−44, it ends: no more of the integral is left out
_CUTS = 16  # of Newton's steps to that place, from beyond it, where it is left
_ENOUGH = 1 / 8  # so near e^−44 it may stay: the nodes see an interval that is a 300th longer
_INWARDS, _NEARLY = 0.999, 0.9  # where they start at most; from where on the end is 1
_ERRORS = (128, 16)  # ulps of a tail: at least, and for each unit of its exponent
_FAR = 600.0  # from such an ε on the one rate is next to 0, and its tail is 1
_INSIDE = 1 - 8 * ULP  # of a point on a line of numbers that are right to 4 ulps
_ROUNDS = 80  # of Newton's steps to a limit: a dozen are in use
_STEP = 60.0  # of log-odds at most
_LEAST_ODDS = 600.0  # where a line begins: there a first rate is still a normal number
_NEAR = 2.0**-46  # of the last step, which leaves its square
_HALF = math.log(2 * math.pi) / 2
_STIRLING = np.array(  # ln n! − (n ln n − n + ½ ln 2πn) for n < 16
    [
        math.inf,
        0.08106146679532726,
        0.0413406959554093,
        0.02767792568499834,
        0.020790672103765093,
        0.016644691189821193,
        0.013876128823070748,
        0.01189670994589177,
        0.010411265261972096,
        0.009255462182712733,
        0.00833056343336287,
        0.007573675487951841,
        0.00694284010720953,
        0.006408994188004207,
        0.0059513701127588475,
        0.005554733551962801,
    ]
)
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


class _Share(NamedTuple):
    """A probability p and 1 − p, each a float64 and what it lacks: the smaller one is exact."""

    p: Array
    p_rest: Array
    q: Array
    q_rest: Array

    @property
    def turned(self) -> _Share:
        return _Share(self.q, self.q_rest, self.p, self.p_rest)


class _Tails(NamedTuple):
    """P[W ≤ k] and P[W > k], and of the smaller one, which is summed, some more.

    Its relative error, whether it is P[W > k], its logarithm, and P[W = k] over it.
    """

    below: Array
    above: Array
    error: Array
    is_above: Array
    log: Array
    hazard: Array

    def most(self, *, above: bool) -> Array:
        """Return a number that one of them is not above."""
        value, other = (self.above, self.below) if above else (self.below, self.above)
        own = value * (1 + self.error) + 2 * LEAST
        rest = 1 - other * (1 - self.error) + ULP
        return np.minimum(np.where(self.is_above == above, own, rest), 1.0)


@witness
def binomial_tail(*, successes: Array, trials: Array, probability: Array) -> Any:
    """Return P[W ≥ k], W ~ Bin(n, p), not below it (X.AUDIT.LIMIT)."""
    k, n, p = np.broadcast_arrays(successes, trials, probability)
    inside = (k > 0) & (p > 0) & (p < 1)
    tails = _tails(np.where(inside, k, 1) - 1, n, _share(np.where(inside, p, 0.5)))
    ends = np.where((k == 0) | (p == 1), 1.0, 0.0)
    return give(np.where(inside, tails.most(above=True), ends))


@witness
def binomial_upper(*, successes: Array, trials: Array, alpha: Array) -> Any:
    """Return the largest p with P[W ≤ k] ≥ α, W ~ Bin(n, p), not below it (X.AUDIT.LIMIT)."""
    return give(_up(_limit(successes, trials, alpha)))


@witness
def monte_carlo_delta(*, successes: Array, trials: Array, alpha: Array) -> Any:
    """Return the limit of δ from draws that are each kept or not, not below it (X.AUDIT.DRAWS)."""
    return give(_up(_limit(successes, trials, alpha)))


@witness
def monte_carlo_mean_delta(*, mean: Array, trials: Array, alpha: Array) -> Any:
    """Return the u ≥ x̄ with n·kl(x̄, u) = ln 1/α, not below it (X.AUDIT.DRAWS)."""
    x, n, a = np.broadcast_arrays(mean, trials, alpha)
    inside = (x > 0) & (x < 1)
    given = _share(np.where(inside, x, 0.5))
    nats = -np.log(a) / n

    def lost(y: Array) -> tuple[Array, Array]:
        u = _at(y)
        found = _deviance(given.p, given.p_rest, u.p, u.p_rest)
        return found + _deviance(given.q, given.q_rest, u.q, u.q_rest), u.p - given.p

    about = given.p + np.sqrt(2 * given.p * given.q * nats) + nats
    about = np.where(about < (1 + given.p) / 2, about, 1 - given.q / 2)
    y = np.log(about) - np.log1p(-about)

    def step(y: Array) -> Array:
        value, slope = lost(y)
        return (nats - value) / slope

    y = _settled(y, step)
    slope = lost(y)[1]
    # The safe side is above: the divergence is right to 64 ulps, and so is the logarithm.
    y = _safely(y, nats * 64 * ULP / slope, lambda at: lost(at)[0] >= nats * (1 + 64 * ULP))
    alone = -np.expm1(np.log(a) / n)
    value = np.where(x == 0, np.nextafter(alone * (1 + 8 * ULP), np.inf), _up(_at(y)))
    return give(np.where(x == 1, 1.0, np.minimum(value, 1.0)))


@witness
def audit_epsilon(
    *,
    false_positives: Array,
    negatives: Array,
    false_negatives: Array,
    positives: Array,
    alpha: Array,
    delta: Array,
) -> Any:
    """Return the largest of 0 and the two ln((1 − δ − b)/a), not above it (X.AUDIT.COUNTS)."""

    def gain(lack: Array, rate: Array) -> Array:
        ratio = np.maximum(lack - delta, 0.0) * (1 - 4 * ULP) / rate
        return np.log(np.maximum(ratio, 1.0)) * (1 - 4 * ULP)

    limits = _two(false_positives, negatives, false_negatives, positives, alpha)
    return give(_larger(gain, *limits))


@witness
def audit_delta(
    *,
    false_positives: Array,
    negatives: Array,
    false_negatives: Array,
    positives: Array,
    alpha: Array,
    epsilon: Array,
) -> Any:
    """Return the largest of 0 and the two 1 − b − e^ε a, not above it (X.AUDIT.COUNTS)."""

    def gain(lack: Array, rate: Array) -> Array:
        lost = np.exp(epsilon) * rate * (1 + 8 * ULP)
        return np.maximum((lack - lost) - 2 * ULP * lack, 0.0)

    limits = _two(false_positives, negatives, false_negatives, positives, alpha)
    return give(_larger(gain, *limits))


@witness
def audit_mu(
    *,
    false_positives: Array,
    negatives: Array,
    false_negatives: Array,
    positives: Array,
    alpha: Array,
) -> Any:
    """Return max(0, Φ⁻¹(1 − a) − Φ⁻¹(b)), not above it (X.AUDIT.COUNTS)."""
    limits = _two(false_positives, negatives, false_negatives, positives, alpha)
    sizes = [np.abs(ndtri(np.minimum(each.p, each.q))) for each in limits]
    signs = [np.where(each.p <= each.q, 1.0, -1.0) for each in limits]
    found, size = signs[0] * sizes[0] + signs[1] * sizes[1], sizes[0] + sizes[1]
    # The inverse of the normal law is within 16 ulps; at −∞ of a rate of 1 nothing is proved.
    low = np.where(np.isfinite(found), found - (size + 1) * 32 * ULP, 0.0)
    return give(np.maximum(low, 0.0))


@witness
def audit_p_value(
    *,
    false_positives: Array,
    negatives: Array,
    false_negatives: Array,
    positives: Array,
    epsilon: Array,
    delta: Array,
) -> Any:
    """Return the least α at which both limits refute (ε, δ), not below it (X.AUDIT.COUNTS)."""
    first, second = (false_positives, negatives), (false_negatives, positives)
    found = [_common_tail(*each, epsilon, delta) for each in ((first, second), (second, first))]
    return give(np.minimum(np.minimum(*found), 1.0))


@witness
def audit_joint_p_value(
    *,
    false_positives: Array,
    negatives: Array,
    false_negatives: Array,
    positives: Array,
    epsilon: Array,
    delta: Array,
) -> Any:
    """Return u(1 − ln u), u the largest product of both tails, not below it (X.AUDIT.JOINT)."""
    first, second = (false_positives, negatives), (false_negatives, positives)
    each = [
        _largest_product(*order, epsilon, delta) for order in ((first, second), (second, first))
    ]
    product = np.minimum(np.maximum(*each) * (1 + 4 * ULP) + 2 * LEAST, 1.0)
    return give(np.minimum(product * (1 - np.log(product)) * (1 + 8 * ULP) + 2 * LEAST, 1.0))


@witness
def one_run_p_value(
    *, guesses: Array, correct: Array, canaries: Array, epsilon: Array, delta: Array
) -> Any:
    """Return P[W ≥ v] + 2mδ·max P[v > W ≥ v − i]/i, not below it (X.AUDIT.ONERUN)."""
    return each_of(_one_run, (guesses, correct, canaries, epsilon, delta))


@witness
def one_run_epsilon(
    *, guesses: Array, correct: Array, canaries: Array, alpha: Array, delta: Array
) -> Any:
    """Return the largest ε ≥ 0 whose p-value is at most α, not above it (X.AUDIT.ONERUN)."""
    return each_of(_refuted, (guesses, correct, canaries, alpha, delta))


def binomial_around(k: float, n: float, p: float) -> tuple[float, float, float]:
    """Return P[W < k], P[W = k] and P[W > k], 0 ≤ k < n, each within 2^-38 of itself.

    That is what (128 + 16·E)·2^-52 is at most, of numbers that float64 tells from 0.
    """
    at, trials, share = np.float64(k), np.float64(n), _share(np.float64(p))
    less = float(_tails(at - 1, trials, share).below) if k else 0.0
    exact = math.exp(-float(_exponent(at, trials, share)[0]))
    return less, exact, float(_tails(at, trials, share).above)


def _share(p: Array) -> _Share:
    """Return an exact probability and what it lacks to 1."""
    q, rest = two_sum(1.0, -p)
    return _Share(p, 0.0 * p, q, rest)


def _at(y: Array) -> _Share:
    """Return about the probability of log-odds y; of p and 1 − p the smaller one is exact."""
    small = _share(np.exp(-np.abs(y)) / (1 + np.exp(-np.abs(y))))
    turned = small.turned
    return _Share(*(np.where(y < 0, a, b) for a, b in zip(small, turned, strict=True)))


def _up(share: _Share) -> Array:
    """Return p, not below it."""
    return np.where(share.p_rest > 0, np.nextafter(share.p, 2.0), share.p)


def _lack(share: _Share) -> Array:
    """Return 1 − p, not above it."""
    return np.where(share.q_rest < 0, np.nextafter(share.q, -1.0), share.q)


def _log(share: _Share) -> Array:
    return np.where(share.p < 0.5, np.log(share.p), np.log1p(-share.q))


def _log1p_less(x: Array) -> Array:
    """Return ln(1 + x) − x within 8 ulps: near 0 by 2 artanh r, r = x/(2 + x)."""
    near = np.where(np.abs(x) < 0.5, x, 0.0)
    r = near / (2 + near)
    square, total = r * r, 0.0
    for odd in range(35, 1, -2):
        total = total * square + 1 / odd
    series = r * (2 * square * total - near)
    return np.where(np.abs(x) < 0.5, series, np.log1p(x) - x)


def _deviance(x: Array, x_rest: Array, y: Array, y_rest: Array) -> Array:
    """Return x ln(x/y) + y − x, of numbers with what they lack."""
    t = ((y - x) + (y_rest - x_rest)) / x
    rare = t < -0.5  # where 1 + t has lost digits of y
    return -x * np.where(rare, np.log(np.where(rare, y, x) / x) - t, _log1p_less(t))


def _stirling(n: Array) -> Array:
    """Return ln n! − (n ln n − n + ½ ln 2πn)."""
    large = np.maximum(n, 16.0)
    square, total = 1 / (large * large), 0.0
    for factor in reversed(_SERIES):
        total = total * square + factor
    small = _STIRLING[np.minimum(n, 15).astype(int)]
    return np.where(n < 16, small, total / large)


def _exponent(k: Array, n: Array, share: _Share) -> tuple[Array, Array]:
    """Return −ln P[W = k] of n trials and the part of it that is not a root of counts."""
    inner = (k > 0) & (k < n)
    j, m = np.where(inner, k, 1.0), np.where(inner, n, 2.0)
    hits, hits_rest = two_product(m, share.p)
    misses, misses_rest = two_product(m, share.q)
    lost = _deviance(j, 0.0, hits, hits_rest + m * share.p_rest)
    lost = lost + _deviance(m - j, 0.0, misses, misses_rest + m * share.q_rest)
    lost = lost + (_stirling(j) + _stirling(m - j) - _stirling(m))
    root = _HALF - np.log(m / (j * (m - j))) / 2
    ends = -np.where(k == n, n * _log(share), n * _log(share.turned))
    return np.where(inner, lost + root, ends), np.where(inner, lost, ends)


def _tails(k: Array, n: Array, share: _Share) -> _Tails:
    """Return P[W ≤ k] and P[W > k] for 0 ≤ k < n: that away from the mean is summed."""
    k, n, *both = np.broadcast_arrays(k, n, *share)
    share = _Share(*both)
    product, rest = two_product(n - 1, share.p)
    gap = ((k - product) - rest) - (n - 1) * share.p_rest  # k − (n−1)p
    above = gap >= 0
    turned = share.turned
    way = _Share(*(np.where(above, a, b) for a, b in zip(share, turned, strict=True)))
    m = np.where(above, k + 1, n - k)  # P[W ≥ m] of n trials with probability `way`
    size, exponent = _exponent(m, n, way)
    share_of_first = _beyond(m, n, way, np.abs(gap) / way.q)
    log = np.log(share_of_first) - size
    next_to = (k + 1) / (n - k) * (share.q / share.p)
    hazard = np.where(above, next_to, 1.0) / share_of_first
    # At either end both are powers.
    first, last = k == 0, k == n - 1
    powers = np.where(first, n * _log(turned), n * _log(share))
    lacks = np.log(-np.expm1(powers))
    one_end, is_above = first | last, np.where(first, lacks <= powers, powers <= lacks)
    log = np.where(one_end, np.minimum(powers, lacks), log)
    at = np.where(first, n * _log(turned), np.log(n) + (n - 1) * _log(share) + _log(turned))
    hazard = np.where(one_end, np.exp(at - log), hazard)
    above = np.where(one_end, is_above, above)
    tail, rest = np.exp(log), -np.expm1(log)
    units = _ERRORS[0] + _ERRORS[1] * np.where(one_end, np.abs(powers), np.abs(exponent))
    below, reached = np.where(above, rest, tail), np.where(above, tail, rest)
    return _Tails(below, reached, units * ULP, above, log, hazard)


def _beyond(m: Array, n: Array, share: _Share, fall: Array) -> Array:
    """Return P[W ≥ m]/P[W = m], m ∫₀¹ e^g, g = (m−1) ln(1−s) + (n−m) ln(1+ρs), ρ = p/q.

    It is concave, and falls from 0 with the slope −fall.
    """
    a, c, ratio = m - 1, n - m, share.p / share.q

    def exponent(
        less: Callable[[Array], Array], s: Array, a: Array, c: Array, ratio: Array, fall: Array
    ) -> Array:
        bent = np.where(a > 0, a * less(-s), 0.0) + c * less(ratio * s)
        return bent - fall * s

    end = 2 * _DEPTH / (fall + np.sqrt(fall * fall + 2 * _DEPTH * a))
    end = np.fmin(end, _INWARDS)
    for _ in range(_CUTS):
        # Where it ends is no part of the value: the digits that cancel here, √n ulps, do not count.
        height = exponent(lambda x: np.log1p(x) - x, end, a, c, ratio, fall)
        beyond = height < -_DEPTH - _ENOUGH
        if not beyond.any():
            break
        slope = fall + a * end / (1 - end) + c * ratio * (ratio * end / (1 + ratio * end))
        end = np.where(beyond, end + (height + _DEPTH) / slope, end)
    end = np.where(end > _NEARLY, 1.0, end)
    wide = [np.asarray(each)[..., None] for each in (a, c, ratio, fall)]
    places = end[..., None] * _PLACES
    return m * end * np.sum(np.exp(exponent(_log1p_less, places, *wide)) * _SHARES, axis=-1)


def _limit(k: Array, n: Array, alpha: Array) -> _Share:
    """Return a p at which P[W ≤ k] is at most α, W ~ Bin(n, p), not much above the least."""
    k, n, alpha = np.broadcast_arrays(k, n, alpha)
    whole = k == n
    j, m = np.where(whole, 0.0, k), n
    target = np.log(alpha) - np.log1p(-alpha)
    y = np.log((j + 1) / (m - j))

    def step(y: Array) -> Array:
        at = _at(y)
        tails = _tails(j, m, at)
        other = np.log(np.where(tails.is_above, tails.below, tails.above))
        gap = np.where(tails.is_above, other - tails.log, tails.log - other) - target
        slope = (m - j) * at.p * tails.hazard  # of the logarithm of the one that is summed
        return gap * np.exp(other) / slope

    y = _settled(y, step)
    at = _at(y)
    tails = _tails(j, m, at)
    error = tails.error + ULP / np.where(tails.is_above, tails.above, 1.0)
    room = error / ((m - j) * at.p * tails.hazard)
    y = _safely(y, room, lambda y: _tails(j, m, _at(y)).most(above=False) <= alpha)
    found = _at(y)
    ones = np.ones_like(y)
    return _Share(
        *(
            np.where(whole, end * ones, each)
            for end, each in zip((1.0, 0.0, 0.0, 0.0), found, strict=True)
        )
    )


def _common_tail(
    first: tuple[Array, Array], second: tuple[Array, Array], epsilon: Array, delta: Array
) -> Array:
    """Return twice the larger of both tails at a point with e^ε x + y ≤ 1 − δ, where they meet.

    At any such point it is not below what is asked for: both fall in x and in y.
    """
    k, n, j, m, e, d = np.broadcast_arrays(*first, *second, epsilon, delta)
    a, b = _limit(k, n, 0.5 + 0 * e).p, _limit(j, m, 0.5 + 0 * e).p
    # Where both tails are above 1/2 where they meet, and where e^ε a is beyond the floats.
    whole = ~(np.exp(e) * a + b <= (1 - d) * (1 + 2.0**-30)) | (e > _FAR)
    if whole.all():
        return np.ones(k.shape)
    k, j = np.where(whole, 0.0, k), np.where(whole, 0.0, j)
    most = (1 - d) * np.exp(np.where(whole, 0.0, -e)), 1 - d

    def points(y: Array) -> list[tuple[Array, _Tails]]:
        """Return how ln p moves P[W ≤ k], in log-odds of t, and the tails, of both."""
        t = _at(y)
        shares = [_share(end * part * _INSIDE) for end, part in zip(most, (t.p, t.q), strict=True)]
        each = zip((k, j), (n, m), (t.q, t.p), shares, strict=True)
        return [
            (by * (total - count) * share.p / share.q, _tails(count, total, share))
            for count, total, by, share in each
        ]

    def step(y: Array) -> Array:
        logs: list[Array] = []
        slope = 0.0
        for by, tails in points(y):
            log = np.where(tails.is_above, np.log(tails.below), tails.log)
            # P[W = k] over P[W ≤ k], of which the other tail may be the one that is summed.
            hazard = tails.hazard * np.where(tails.is_above, tails.above / tails.below, 1.0)
            logs.append(log)
            slope = slope + by * hazard
        return (logs[0] - logs[1]) / slope

    y = _settled(np.zeros(k.shape), step)
    ends = [tails.most(above=False) for _, tails in points(y)]
    return np.where(whole, 1.0, 2 * np.maximum(*ends))


def _largest_product(
    first: tuple[Array, Array], second: tuple[Array, Array], epsilon: Array, delta: Array
) -> Array:
    """Return P[W ≤ k] at x times P[W ≤ j] at y, at two ends between which it is largest.

    As the one falls along the line and the other rises, the product of both, each at the end where
    it is larger, is not below any product between them.
    """
    k, n, j, m, e, d = np.broadcast_arrays(*first, *second, epsilon, delta)
    whole = (k == n) | (j == m) | (e > _FAR)
    k, j, e = np.where(whole, 0.0, k), np.where(whole, 0.0, j), np.where(whole, 0.0, e)
    most = (1 - d) * np.exp(-e), 1 - d

    def tails(y: Array) -> list[tuple[_Share, _Tails]]:
        t = _at(y)
        shares = [_share(end * part * _INSIDE) for end, part in zip(most, (t.p, t.q), strict=True)]
        return [
            (share, _tails(count, total, share))
            for count, total, share in zip((k, j), (n, m), shares, strict=True)
        ]

    def gap(y: Array) -> Array:
        """Return a number that falls along the line, and is 0 where the product is largest."""
        falls = []
        for end, count, total, (share, each) in zip(most, (k, j), (n, m), tails(y), strict=True):
            hazard = each.hazard * np.where(each.is_above, each.above / each.below, 1.0)
            falls.append(end * (total - count) * hazard / share.q)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(falls[1] / falls[0])
        # Where the one factor is 1 to all digits it does not fall.
        return np.nan_to_num(found, nan=_FAR, posinf=_FAR, neginf=-_FAR)

    end, start = e * np.ones(k.shape), np.full(k.shape, -_LEAST_ODDS)
    low, high, first_gap, last_gap = start, end, gap(start), gap(end)
    moving = (first_gap > 0) & (last_gap < 0)
    found = np.where(moving, np.nan, np.where(last_gap >= 0, end, start))
    for turn in range(_ROUNDS):  # the method of Illinois, and each third step halves
        if not moving.any():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = (low * last_gap - high * first_gap) / (last_gap - first_gap)
        inside = (chord > low) & (chord < high) & (turn % 3 > 0)
        middle = np.where(moving, np.where(inside, chord, (low + high) / 2), found)
        near = np.abs(middle - found) <= _NEAR * (1 + np.abs(middle))
        found, value = middle, gap(middle)
        moving &= ~near
        up = value > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
        first_gap, last_gap = np.where(up, value, first_gap / 2), np.where(up, last_gap / 2, value)
    wide = 4 * _NEAR * (1 + np.abs(found))
    low, high = np.maximum(found - wide, start), np.minimum(found + wide, end)
    for _ in range(_ROUNDS):
        lower, higher = gap(low) < 0, gap(high) > 0
        if not np.any((lower & (low > start)) | (higher & (high < end))):
            break
        wide = 2 * wide
        low = np.where(lower, np.maximum(low - wide, start), low)
        high = np.where(higher, np.minimum(high + wide, end), high)
    one, other = tails(low)[0][1].most(above=False), tails(high)[1][1].most(above=False)
    return np.where(whole, 1.0, one * other)


def _settled(y: Array, step: Callable[[Array], Array]) -> Array:
    """Return log-odds after Newton's steps, each until it is small."""
    moving = np.ones(np.shape(y), dtype=bool)
    for _ in range(_ROUNDS):
        change = np.where(moving, np.clip(step(y), -_STEP, _STEP), 0.0)
        y = y + change
        moving &= np.abs(change) > _NEAR * (1 + np.abs(y))
        if not moving.any():
            break
    return y


def _safely(y: Array, room: Array, safe: Callable[[Array], Array]) -> Array:
    """Return log-odds that are safe, by steps that double."""
    room = np.where(np.isfinite(room), room, 1.0) + 4 * ULP * (1 + np.abs(y))
    for _ in range(_ROUNDS):
        good = safe(y)
        if np.all(good):
            return y
        y = np.where(good, y, y + room)
        room = np.where(good, room, 2 * room)
    return np.where(safe(y), y, np.inf)


def _two(fp: Array, n0: Array, fn: Array, n1: Array, alpha: Array) -> tuple[_Share, _Share]:
    return _limit(fp, n0, alpha / 2), _limit(fn, n1, alpha / 2)


def _larger(gain: Callable[[Array, Array], Array], a: _Share, b: _Share) -> Array:
    """Return the larger of what 1 − b and a, and 1 − a and b, give."""
    return np.maximum(gain(_lack(b), _up(a)), gain(_lack(a), _up(b)))


def _one_run(r: float, v: float, m: float, epsilon: float, delta: float) -> float:
    if v == 0:
        return 1.0
    share = _at(np.float64(epsilon))
    if share.q == 0:
        return 1.0
    rough = 4 * ULP * abs(v - r * float(share.p))  # the probability is right to 4 ulps
    tails = _tails(np.float64(v - 1), np.float64(r), share)
    reached = float(tails.most(above=True)) * (1 + rough)
    weight = 2 * m * delta * (1 + 4 * ULP)
    if not weight:
        return min(reached, 1.0)
    j = np.arange(v - 1, -1, -1)
    size, exponent = _exponent(j, np.full_like(j, r), share)
    units = _ERRORS[0] + _ERRORS[1] * np.abs(exponent) + 4 * np.abs(j - r * float(share.p))
    terms = np.exp(-size) * (1 + units * ULP) + LEAST
    means = np.cumsum(terms) / np.arange(1, v + 1)
    return min(reached + weight * float(means.max()) * (1 + 2 * v * ULP), 1.0) * (1 + ULP)


def _refuted(r: float, v: float, m: float, alpha: float, delta: float) -> float:
    def excess(epsilon: float) -> float:
        p = _one_run(r, v, m, epsilon, delta)
        return math.log(p / alpha) if p > 0 else -math.inf

    low, high = 0.0, 1.0
    before = excess(low)
    if before > 0:
        return 0.0
    while (after := excess(high)) <= 0:
        low, before, high = high, after, 2 * high
    turns = 0
    while high - low > ULP * high and turns < _ROUNDS:
        turns += 1
        # Between the ends by the chord, and by halves where that is slow.
        share = before / (before - after) if turns % 3 and math.isfinite(before) else 0.5
        middle = low + (high - low) * min(max(share, 2.0**-20), 1 - 2.0**-20)
        if not low < middle < high:
            break
        here = excess(middle)
        if here <= 0:
            low, before = middle, here
        else:
            high, after = middle, here
    return low
