"""Integers with equal noises of several parties, in float64 (X.PARTIES, X.BOUNDED).

Scalars or arrays that broadcast. Every result is at least the exact one: each loss is taken to be
as large as its error allows. It is at most 2^-32 of it above in the usual ranges, or next to it
among the subnormal numbers; δ below all floats is the least one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from dporacle.fast._broadcast import Array, above, give, witness
from dporacle.fast.gaussian.rounding import LEAST
from dporacle.fast.laplace import shortfall

_U = 2.0**-53
_DEEP = 760.0  # e^−760 is below all floats
_MARGIN = 2.0**18  # in units of 2^-52: what a mass may lose, an exponential of up to 760


def _gained(logs: Array, gaps: Array, slip: Array) -> float:
    """Σ p(y − Δ)(1 − e^{ε−L(y)})₊, from ln p(y − Δ) and L − ε, known to within `slip`."""
    return float(np.sum(np.exp(logs) * -np.expm1(-np.maximum(gaps + slip, 0.0))))


def _up(value: Array) -> Any:
    # What is left out lies below the least float.
    return np.minimum(np.maximum(above(value, _MARGIN), LEAST), 1.0)


@witness
def discrete_laplace_sum_delta(
    *, epsilon: Array, scale: Array, parties: Array, sensitivity: Array
) -> Any:
    """Return δ(ε) of an integer with discrete Laplace noise of n parties (X.PARTIES)."""
    value = np.vectorize(_laplace, otypes=[float])(epsilon, scale, parties, sensitivity)
    pure = ~(shortfall(epsilon, scale, sensitivity) > 0)
    return give(np.where(pure, 0.0, _up(value)))


_NARROW = 2.0**-11  # e^−2048 is below all floats: of narrower noise all is at 0


class _Pfaff:
    """Logarithms of the masses of n discrete Laplace noises, by Pfaff's form (N7)."""

    def __init__(self, scale: float, parties: int) -> None:
        half = 1 / (2 * max(scale, _NARROW))
        self._half, self._n = half, parties
        self.whole = parties * float(np.log1p(-2 * np.exp(-2 * half) / (1 + np.exp(-2 * half))))
        if scale > 1:
            self.whole = parties * math.log(math.tanh(half))
        self._share = float(np.exp(-4 * half) / -np.expm1(-4 * half))  # a²/(1 − a²)

    def parts(self, y: Array) -> tuple[Array, Array]:
        """Ln C(n−1+y, n−1), and ln of Pfaff's sum over it."""
        n = self._n
        term, total = np.ones_like(y), np.ones_like(y)
        for i in range(n - 1):
            term = term * ((n + i) * (n - 1 - i) / (i + 1)) * (self._share / (y + 1 + i))
            total = total + term
        return sum((np.log1p(y / j) for j in range(1, n)), np.zeros_like(y)), np.log(total)

    def masses(self, y: Array) -> Array:
        """Their logarithms at y ≥ 0."""
        return self.whole - 2 * self._half * y + sum(self.parts(y))


def _laplace(epsilon: float, scale: float, parties: float, distance: float) -> float:
    """From the first output whose loss is above ε, a part of the outputs after the other."""
    n, d = int(parties), int(distance)
    law = _Pfaff(scale, n)
    parts, masses = law.parts, law.masses

    def gaps(y: Array) -> tuple[Array, Array]:
        """L(y) − ε and its error, y above Δ/2."""
        moved = np.abs(y - d)
        first = shortfall(np.float64(epsilon), np.float64(scale), y - moved)
        falls = [np.log1p((moved - y) / (j + y)) for j in range(1, n)]
        count = sum(falls, np.zeros_like(y))
        rest = parts(moved)[1] - parts(y)[1] if n > 1 else np.zeros_like(y)
        slip = _U * (8 * np.abs(first) + 16 * np.abs(count) + (12 * n * (n > 1)))
        return first + count + rest, slip

    def gains(y: float) -> bool:
        gap, slip = gaps(np.array([y]))
        return bool(gap[0] + slip[0] > 0)

    below, above_ = float(d // 2), float(d // 2 + 1)
    while not gains(above_):
        below, above_ = above_, 2 * above_
        if masses(np.array([abs(below - d)]))[0] < -_DEEP and below > 2 * d + n * scale:
            return 0.0
    while above_ - below > 1:
        middle = (below + above_) // 2
        below, above_ = (below, middle) if gains(middle) else (middle, above_)
    total, start, length = 0.0, above_, math.ceil(4 * scale) + d + 8
    while True:
        y = start + np.arange(length)
        logs = masses(np.abs(y - d))
        found = _gained(logs, *gaps(y))
        total, start = total + found, start + length
        # The mass at y and y + 1, beyond which the ratio falls to a at most: what is left.
        fall = float(logs[-1] - logs[-2]) if y[-2] > d else 0.0
        if fall < 0 and logs[-1] - math.log(-math.expm1(fall)) < max(
            math.log(max(total, 1e-320)) - 45, -_DEEP
        ):
            return total


@witness
def discrete_gaussian_sum_delta(
    *, epsilon: Array, sigma: Array, parties: Array, sensitivity: Array
) -> Any:
    """Return δ(ε) of an integer with discrete Gaussian noise of n parties (X.PARTIES)."""
    value = np.vectorize(_gaussian, otypes=[float])(epsilon, sigma, parties, sensitivity)
    return give(_up(value))


_SMOOTH = 5.0  # from this variance on, the sum is one discrete Gaussian to within 2^-60


def _gaussian(epsilon: float, sigma: float, parties: float, distance: float) -> float:
    """With p(y) ∝ w(y mod n)·e^{−y²/2nv}."""
    n, d, variance = int(parties), int(distance), sigma * sigma
    whole = n * variance
    weights = _weights(variance, n) if variance < _SMOOTH else np.zeros(n)
    last = math.ceil(math.sqrt(2 * _DEEP * whole)) + n + 1

    def logs(y: Array) -> Array:
        return weights[y.astype(np.int64) % n] - y * y / (2 * whole)

    norm = math.log(1 + 2 * float(np.sum(np.exp(logs(np.arange(1.0, last)) - weights[0]))))
    norm += float(weights[0])
    y = np.arange(float(d // 2 + 1), last + d)
    loss = d * (2 * y - d) / (2 * whole)
    bend = weights[np.abs(y - d).astype(np.int64) % n] - weights[y.astype(np.int64) % n]
    size = float(np.max(np.abs(weights)))
    slip = _U * (8 * (loss + epsilon) + 4 * n * (size + 4) * (size > 0))
    return _gained(logs(np.abs(y - d)) - norm, loss - epsilon + bend, slip)


def _weights(variance: float, n: int) -> Array:
    """Return ln w of n noises, up to a constant, noise by noise; w(0) of one noise is 1."""
    logs = np.zeros(1)
    reach = math.ceil(math.sqrt(80 * variance)) + 3  # around the largest term, next to the centre
    for k in range(1, n):
        y = np.arange(k + 1)[:, None]
        x = (y * k) // (k + 1) + np.arange(-reach, reach + 1)
        away = x - y * (k / (k + 1))
        terms = logs[x % k] - away * away * ((k + 1) / (2 * variance * k))
        most = terms.max(axis=1)
        logs = most + np.log(np.exp(terms - most[:, None]).sum(axis=1))
    return logs


@witness
def skellam_delta(*, epsilon: Array, variance: Array, sensitivity: Array) -> Any:
    """Return δ(ε) of an integer with Skellam noise, of however many parties (X.PARTIES)."""
    return give(_up(np.vectorize(_skellam, otypes=[float])(epsilon, variance, sensitivity)))


def _farthest(variance: float, depth: float) -> int:
    """From where on Chernoff's bound of a tail is below e to the minus so much."""
    last = 8.0
    while last * math.asinh(last / variance) - math.hypot(last, variance) + variance < depth:
        last *= 1.1
    return math.ceil(last)


def _falls(variance: float, last: int) -> Array:
    """Return ln p(y + 1) − ln p(y) for y = 0, …, last − 1, from far above downwards."""
    far, kept = last, 0.0
    while kept < 45:  # by r² each the error of the first ratio falls
        kept += 2 * math.asinh(far / variance)
        far += 1
    ratio = variance / (far + 0.5 + math.hypot(far + 1.5, variance))
    rest = 1 - ratio
    ratios, rests = [], []
    for at in range(far, 0, -1):
        a = 2 * at / variance
        ratio = 1 / (a + ratio)
        rest = (a - rest) / (a + 1 - rest)
        ratios.append(ratio)
        rests.append(rest)
    r, q = np.array(ratios)[::-1], np.array(rests)[::-1]
    return np.where(r < 0.6, np.log(r), np.log1p(-q))[:last]


def _skellam(epsilon: float, variance: float, distance: float) -> float:
    """With the ratios r of masses, and 1 − r."""
    d, last = int(distance), _farthest(variance, _DEEP)
    steps = _falls(variance, last + d)
    sums = np.concatenate([[0.0], _sums(steps)])
    y = np.arange(d // 2 + 1, last + d)
    moved = np.abs(y - d)
    loss = sums[moved] - sums[y]
    if d < 64:
        # As few steps, not as a difference of long sums.
        loss = -sum(
            (np.where(y - j - 1 >= 0, 1.0, -1.0) * steps[_step(y, j)] for j in range(d)),
            np.zeros(len(y)),
        )
        slip = _U * (16 * d + (d + 2) * np.abs(loss) + 2 * epsilon)
    else:
        slip = _U * (16 * d + 1024 * np.abs(sums[y]) + 2 * epsilon)
    first = math.log(float(special.ive(0, variance)))
    return _gained(first + sums[moved], loss - epsilon, slip)


def _step(y: Array, j: int) -> Array:
    """Where in the list of steps the one from y − j − 1 to y − j stands, or its mirror image."""
    below = y - j - 1
    return np.where(below >= 0, below, -below - 1)


_BLOCK = 256


def _sums(steps: Array) -> Array:
    """Partial sums, in two levels: an error of (256 + their number/256) roundings."""
    rows = np.concatenate([steps, np.zeros(-len(steps) % _BLOCK)]).reshape(-1, _BLOCK)
    inner = np.cumsum(rows, axis=1)
    before = np.concatenate([[0.0], np.cumsum(inner[:, -1])[:-1]])
    return (inner + before[:, None]).ravel()[: len(steps)]


_LIFT = 600.0  # masses are multiplied by e^600: then none that counts is below all floats


class _Logs:
    """Logarithms of the masses of a symmetric law, and bounds of their errors in units of 2^-53."""

    def __init__(self, logs: Array, errors: Array) -> None:
        self.logs, self.errors = logs, errors

    def folded(self, modulus: int) -> _Logs:
        """Return those of the remainders 0, …, m − 1."""
        last = len(self.logs) - 1
        rounds = last // modulus + 1
        turns = modulus * np.arange(-rounds, rounds + 1)
        half = []
        for r in range(modulus // 2 + 1):
            at = np.abs(turns + r)
            half.append(self._together(at[at <= last]))
        ends = np.minimum(np.arange(modulus), modulus - np.arange(modulus))
        logs, errors = np.array(half)[ends].T
        return _Logs(logs, errors)

    def clamped(self, bound: int) -> _Logs:
        """Return those of −M, …, M, all beyond at its end."""
        end = self._together(np.arange(bound, len(self.logs)))
        logs = np.append(self.logs[:bound], end[0])
        errors = np.append(self.errors[:bound], end[1])
        ends = np.abs(np.arange(-bound, bound + 1))
        return _Logs(logs[ends], errors[ends])

    def _together(self, at: Array) -> tuple[float, float]:
        """Return the logarithm of a sum of masses, and a bound of its error."""
        if not len(at):
            return -np.inf, 0.0
        logs = self.logs[at]
        top = float(logs.max())
        shares = np.exp(logs - top)
        total = float(shares.sum())
        log = top + math.log(total)
        error = float((shares * self.errors[at]).sum()) / total
        return log, error + 4 * abs(log) + math.log2(len(at)) + 8


_Told = tuple[Array, Array, Array, Array]
"""Of each output ln p, the loss, the loss's error, and that of ln p."""


def _around(law: _Logs, distance: int, modulus: int) -> list[_Told]:
    """Return what is known of each remainder, for all changes (N4)."""
    whole, found = law.folded(modulus), []
    for d in range(1, min(distance, modulus // 2) + 1):
        moved, off = np.roll(whole.logs, d), np.roll(whole.errors, d)
        loss = moved - whole.logs
        found.append((moved, loss, _U * (off + whole.errors + np.abs(loss)), _U * off))
    return found


def _within(law: _Logs, distance: int, bound: int) -> list[_Told]:
    """Return the same of clamped noise; where only one law has an output the loss is endless."""
    whole, found = law.clamped(bound), []
    for d in range(1, distance + 1):
        nothing = np.full(d, -np.inf)
        moved, still = np.append(nothing, whole.logs), np.append(whole.logs, nothing)
        off, on = np.append(0 * nothing, whole.errors), np.append(whole.errors, 0 * nothing)
        with np.errstate(invalid="ignore"):
            loss = moved - still
            slip = _U * (np.nan_to_num(off + on, nan=0.0) + np.abs(loss))
        has = moved > -np.inf
        endless = still[has] == -np.inf
        found.append((moved[has], loss[has], np.where(endless, 0.0, slip[has]), _U * off[has]))
    return found


def _bounded_delta(epsilon: float, changes: list[_Told]) -> float:
    value = max(
        _gained(moved, loss - epsilon, slip + 2 * _U * epsilon) for moved, loss, slip, _ in changes
    )
    told = any(np.any(loss + slip + 2 * _U * epsilon > epsilon) for _, loss, slip, _ in changes)
    return max(float(_up(np.float64(value))), 0.0) if told else 0.0


_BLUR = 2.0**-43  # relative, of sums of 600 masses


def _bounded_epsilon(delta: float, changes: list[_Told]) -> float:
    """The largest ln((P(S) − δ)/Q(S)) of sets of outputs with the largest losses.

    Raises:
        ValueError: if float64 does not tell that no more than δ is lost whatever ε is.
    """
    if delta == 1:
        return 0.0
    best = 0.0
    target = delta * math.exp(_LIFT) * (1 - _BLUR)
    for moved, loss, slip, off in changes:
        told = loss + slip > 0
        order = np.argsort(-(loss[told] + slip[told]))
        losses, logs = (loss[told] + slip[told])[order], moved[told][order]
        errors = off[told][order]
        if not len(losses):
            continue
        masses = np.exp(logs + _LIFT) * (1 + errors + 2 * _BLUR)
        endless = losses == np.inf
        sure = float(masses[endless].sum())
        blur = float(errors.max()) + 8 * _BLUR
        if sure > target or (not delta and endless.any()):  # sure may be below all floats
            is_near = delta and sure * (1 - 2 * blur) <= target / (1 - _BLUR)
            raise ValueError(
                "delta must be at least what clamped noise loses at every epsilon, "
                f"{'which float64 does not tell from it, ' if is_near else ''}got {delta!r}"
            )
        losses, masses = losses[~endless], masses[~endless]
        if not len(losses):
            continue
        if not delta:
            best = max(best, float(losses[0]))
            continue
        gains = sure + np.cumsum(masses * -np.expm1(-losses))
        seconds, second, before = [], 0.0, losses[0]
        for p, g in zip(masses.tolist(), losses.tolist(), strict=True):
            second = second * math.exp(g - before) + p  # e^g Σ p e^{−g_j}
            seconds.append(second)
            before = g
        over = np.maximum(gains - target, 0.0) / (np.array(seconds) * (1 - 2 * blur))
        # e^ε = 1 + (D − δ)/Q, Q = e^{−g}·second
        low = np.minimum(losses, 30.0)
        near = np.log1p(over * np.exp(low))
        deep = losses + np.log(over + np.exp(-np.minimum(losses, 700.0)))
        found = np.where(losses > 30, deep, near)
        best = max(best, float(np.max(np.where(over > 0, found, 0.0))))
    return float(np.nextafter(best * (1 + 2.0**-46), np.inf)) if best else 0.0


def _laplace_table(scale: float, parties: float, reach: float) -> _Logs:
    n, narrow = int(parties), max(scale, _NARROW)
    law = _Pfaff(narrow, n)
    last = max(math.ceil(narrow * (_DEEP + _LIFT + 4 * n)) + 16, int(reach))
    y = np.arange(float(last + 1))
    count, rest = law.parts(y)
    sizes = abs(law.whole) + y / narrow + np.abs(count)
    return _Logs(law.whole - y / narrow + count + rest, 8 * sizes + 12 * n + 8)


def _gaussian_table(sigma: float, parties: float, reach: float) -> _Logs:
    n, variance = int(parties), sigma * sigma
    weights = _weights(variance, n) if variance < _SMOOTH else np.zeros(n)
    last = math.ceil(math.sqrt(2 * (_DEEP + _LIFT + n / (8 * variance)) * n * variance)) + n + 1
    last = max(last, int(reach))
    y = np.arange(float(last + 1))
    bend = weights[y.astype(np.int64) % n]
    logs = bend - y * y / (2 * n * variance)
    norm = float(weights[0]) + math.log(1 + 2 * float(np.sum(np.exp(logs[1:] - weights[0]))))
    size = float(np.max(np.abs(weights)))
    sizes = y * y / (2 * n * variance) + np.abs(bend) + abs(norm)
    return _Logs(logs - norm, 8 * sizes + 4 * n * (size + 4))


def _skellam_table(variance: float, reach: float) -> _Logs:
    last = max(_farthest(variance, _DEEP + _LIFT), int(reach))
    sums = np.concatenate([[0.0], _sums(_falls(variance, last))])
    first = math.log(float(special.ive(0, variance)))
    y = np.arange(len(sums))
    sizes = 8 * y + (_BLOCK + len(y) / _BLOCK) * np.abs(sums) + 8 * abs(first) + 64
    return _Logs(first + sums, sizes)


@witness
def wrapped_laplace_sum_delta(
    *, epsilon: Array, scale: Array, parties: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return δ(ε) modulo m with discrete Laplace noise of n parties (X.BOUNDED)."""

    def one(
        epsilon: float, scale: float, parties: float, sensitivity: float, modulus: float
    ) -> float:
        law = _laplace_table(scale, parties, modulus)
        return _bounded_delta(epsilon, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(epsilon, scale, parties, sensitivity, modulus))


@witness
def wrapped_laplace_sum_epsilon(
    *, delta: Array, scale: Array, parties: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return the least ε ≥ 0 modulo m with discrete Laplace noise of n parties (X.BOUNDED)."""

    def one(
        delta: float, scale: float, parties: float, sensitivity: float, modulus: float
    ) -> float:
        law = _laplace_table(scale, parties, modulus)
        return _bounded_epsilon(delta, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(delta, scale, parties, sensitivity, modulus))


@witness
def wrapped_gaussian_sum_delta(
    *, epsilon: Array, sigma: Array, parties: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return δ(ε) modulo m with discrete Gaussian noise of n parties (X.BOUNDED)."""

    def one(
        epsilon: float, sigma: float, parties: float, sensitivity: float, modulus: float
    ) -> float:
        law = _gaussian_table(sigma, parties, modulus)
        return _bounded_delta(epsilon, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(epsilon, sigma, parties, sensitivity, modulus))


@witness
def wrapped_gaussian_sum_epsilon(
    *, delta: Array, sigma: Array, parties: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return the least ε ≥ 0 modulo m with discrete Gaussian noise of n parties (X.BOUNDED)."""

    def one(
        delta: float, sigma: float, parties: float, sensitivity: float, modulus: float
    ) -> float:
        law = _gaussian_table(sigma, parties, modulus)
        return _bounded_epsilon(delta, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(delta, sigma, parties, sensitivity, modulus))


@witness
def wrapped_skellam_delta(
    *, epsilon: Array, variance: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return δ(ε) modulo m with Skellam noise (X.BOUNDED)."""

    def one(epsilon: float, variance: float, sensitivity: float, modulus: float) -> float:
        law = _skellam_table(variance, modulus)
        return _bounded_delta(epsilon, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(epsilon, variance, sensitivity, modulus))


@witness
def wrapped_skellam_epsilon(
    *, delta: Array, variance: Array, sensitivity: Array, modulus: Array
) -> Any:
    """Return the least ε ≥ 0 modulo m with Skellam noise (X.BOUNDED)."""

    def one(delta: float, variance: float, sensitivity: float, modulus: float) -> float:
        law = _skellam_table(variance, modulus)
        return _bounded_epsilon(delta, _around(law, int(sensitivity), int(modulus)))

    return give(np.vectorize(one, otypes=[float])(delta, variance, sensitivity, modulus))


@witness
def clamped_laplace_sum_delta(
    *, epsilon: Array, scale: Array, parties: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return δ(ε) with clamped discrete Laplace noise of n parties (X.BOUNDED)."""

    def one(
        epsilon: float, scale: float, parties: float, sensitivity: float, bound: float
    ) -> float:
        law = _laplace_table(scale, parties, bound)
        return _bounded_delta(epsilon, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(epsilon, scale, parties, sensitivity, bound))


@witness
def clamped_laplace_sum_epsilon(
    *, delta: Array, scale: Array, parties: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return the least ε ≥ 0 with clamped discrete Laplace noise of n parties (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """

    def one(delta: float, scale: float, parties: float, sensitivity: float, bound: float) -> float:
        law = _laplace_table(scale, parties, bound)
        return _bounded_epsilon(delta, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(delta, scale, parties, sensitivity, bound))


@witness
def clamped_gaussian_sum_delta(
    *, epsilon: Array, sigma: Array, parties: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return δ(ε) with clamped discrete Gaussian noise of n parties (X.BOUNDED)."""

    def one(
        epsilon: float, sigma: float, parties: float, sensitivity: float, bound: float
    ) -> float:
        law = _gaussian_table(sigma, parties, bound)
        return _bounded_delta(epsilon, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(epsilon, sigma, parties, sensitivity, bound))


@witness
def clamped_gaussian_sum_epsilon(
    *, delta: Array, sigma: Array, parties: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return the least ε ≥ 0 with clamped discrete Gaussian noise of n parties (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """

    def one(delta: float, sigma: float, parties: float, sensitivity: float, bound: float) -> float:
        law = _gaussian_table(sigma, parties, bound)
        return _bounded_epsilon(delta, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(delta, sigma, parties, sensitivity, bound))


@witness
def clamped_skellam_delta(
    *, epsilon: Array, variance: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return δ(ε) with clamped Skellam noise (X.BOUNDED)."""

    def one(epsilon: float, variance: float, sensitivity: float, bound: float) -> float:
        law = _skellam_table(variance, bound)
        return _bounded_delta(epsilon, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(epsilon, variance, sensitivity, bound))


@witness
def clamped_skellam_epsilon(
    *, delta: Array, variance: Array, sensitivity: Array, bound: Array
) -> Any:
    """Return the least ε ≥ 0 with clamped Skellam noise (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """

    def one(delta: float, variance: float, sensitivity: float, bound: float) -> float:
        law = _skellam_table(variance, bound)
        return _bounded_epsilon(delta, _within(law, int(sensitivity), int(bound)))

    return give(np.vectorize(one, otypes=[float])(delta, variance, sensitivity, bound))
