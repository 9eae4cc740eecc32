"""DP-SGD: amplification by sampling for one step; for more, inversions in fixed-point integers.

H_a(P‖Q) = 1 − a + a·H_{1/a}(Q‖P) gives the direction remove from the transform E w^{−s} of add, of
which the loss is bounded. Replace-one is inverted on the line Re s = −1/2, where its transform is
real. The moments are sums over real t, of powers that are multiplied up in integers; each precision
chooses its own line, period and mesh, so that two which agree have little in common.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, NamedTuple

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real
from dporacle.identities.release import tails_of_the_loss

__all__ = ["IDENTITIES", "PROFILES"]

_QUIET = 24  # terms below the error, one after the other, that end a sum
_MOST_TERMS = 20_000
_KEPT = 8
_MARGIN = 12.0  # nats by which an estimate of ln δ may be too large


class _Phase(NamedTuple):
    sigma: Fraction
    rate: Fraction
    steps: int


def _phases(given: Given) -> list[_Phase]:
    return [
        _Phase(given[f"{when}sigma"], given[f"{when}rate"], int(given[f"{when}steps"]))
        for when in ("", "later_")
        if f"{when}sigma" in given
    ]


def _both(ctx: Context, given: Given) -> Real:
    """δ(ε) of add or remove: each from the transform of the loss under add, by fixed-point sums."""
    phases, epsilon = _phases(given), given["epsilon"]
    removed = _remove(ctx, given)
    return max(removed, _of_add(ctx, phases, epsilon, _estimate(phases, float(epsilon), _removed)))


def _add(ctx: Context, given: Given) -> Real:
    """δ(ε) of add, from the transform of its bounded loss, by fixed-point sums."""
    return _of_add(ctx, _phases(given), given["epsilon"], None)


def _remove(ctx: Context, given: Given) -> Real:
    """1 − e^ε + e^ε·δ(−ε) of add, by fixed-point sums."""
    phases, epsilon = _phases(given), given["epsilon"]
    a = ctx.exp(real(ctx, epsilon))
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 1)
    if len(phases) == phases[0].steps == 1:
        return _amplified(ctx, phases[0], a)
    size = _estimate(phases, float(epsilon), _removed)
    extra = int(max(0.0, float(epsilon) - size) / math.log(2)) + 8
    ctx.prec += extra
    try:
        a = ctx.exp(real(ctx, epsilon))
        return 1 - a + a * _of_add(ctx, phases, -epsilon, size - float(epsilon))
    finally:
        ctx.prec -= extra


def _of_add(ctx: Context, phases: Sequence[_Phase], epsilon: Fraction, size: float | None) -> Real:
    """Return δ(ε) of add at any real ε; `size` is ln of what its error is measured against."""
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 1)
    a = ctx.exp(real(ctx, epsilon))
    if len(phases) == phases[0].steps == 1:
        if 1 / a <= 1 - real(ctx, phases[0].rate):
            return ctx.zero
        return 1 - a + a * _amplified(ctx, phases[0], 1 / a)
    if size is None:
        size = _estimate(phases, float(epsilon), _added)
    return _inverted(ctx, phases, epsilon, size)


def _replaced(ctx: Context, given: Given) -> Real:
    """δ(ε) of replace-one, from its transform on Re s = −1/2, by fixed-point sums."""
    phases, epsilon = _phases(given), given["epsilon"]
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 2)
    if len(phases) == phases[0].steps == 1:
        return _antipodal(ctx, phases[0], ctx.exp(real(ctx, epsilon)))
    return _central(ctx, phases, epsilon, _estimate(phases, float(epsilon), _exchanged))


def _plain(ctx: Context, phases: Sequence[_Phase], epsilon: Fraction, distance: int) -> Real:
    eta = sum(distance**2 * each.steps / each.sigma**2 for each in phases) / 2
    return tails_of_the_loss(ctx, real(ctx, epsilon), real(ctx, Fraction(eta)))


def _amplified(ctx: Context, phase: _Phase, a: Real) -> Real:
    """Return q·δ(ε′) of the release without sampling, e^ε′ = 1 + (a − 1)/q (Balle et al., 2018)."""
    inside = 1 + (a - 1) / real(ctx, phase.rate)
    eta = real(ctx, 1 / (2 * phase.sigma**2))
    return real(ctx, phase.rate) * tails_of_the_loss(ctx, ctx.log(inside), eta)


def _antipodal(ctx: Context, phase: _Phase, a: Real) -> Real:
    """Return it beyond the root of the quadratic in e^{x/σ²}."""
    sigma, q = real(ctx, phase.sigma), real(ctx, phase.rate)
    e = ctx.exp(-1 / (2 * sigma**2))
    half = (a - 1) * (1 - q) / (2 * q * e)
    x = sigma**2 * ctx.log(half + ctx.sqrt(half**2 + a))
    above = [ctx.erfc((x - mean) / (sigma * ctx.sqrt(2))) / 2 for mean in (-1, 0, 1)]
    return q * above[2] - (a - 1) * (1 - q) * above[1] - a * q * above[0]


# What follows designs in float64, and sums in integers.


def _grid(low: float, high: float, step: float) -> list[float]:
    return [low + k * step for k in range(int((high - low) / step) + 1)]


def _log_w(sigma: float, rate: float, t: float) -> float:
    size = math.log(rate) + t / sigma - 0.5 / sigma**2
    rest = math.log1p(-rate) if rate < 1 else -math.inf
    return max(size, rest) + math.log1p(math.exp(-abs(size - rest)))


def _moment(
    phases: Sequence[_Phase], c: float, exponents: Callable[[float], tuple[float, float]]
) -> float:
    """Return ln of the product of E w(t)^x w(−t)^y over the steps."""
    total = 0.0
    plus, minus = exponents(c)
    for phase in phases:
        sigma, rate = float(phase.sigma), float(phase.rate)
        step = min(0.06, sigma / 12)
        found = []
        for t in _grid(-12.0, 12.0 + max(plus, 0.0) / sigma, step):
            each = -t * t / 2 + plus * _log_w(sigma, rate, t)
            found.append(each + minus * _log_w(sigma, rate, -t) if minus else each)
        top = max(found)
        width = step / math.sqrt(2 * math.pi)
        total += phase.steps * (top + math.log(math.fsum(math.exp(f - top) for f in found) * width))
    return total


def _added(c: float) -> tuple[float, float]:
    return -c, 0.0


def _removed(c: float) -> tuple[float, float]:
    return 1 + c, 0.0


def _exchanged(c: float) -> tuple[float, float]:
    return 1 + c, -c


_CS = tuple(10 ** (k / 5 - 2) for k in range(31))


def _estimate(
    phases: Sequence[_Phase], epsilon: float, exponents: Callable[[float], tuple[float, float]]
) -> float:
    """Return ln δ, or somewhat less."""
    best = 0.0
    for c in _CS[:25]:
        bound = (
            _moment(phases, c, exponents) - c * epsilon + c * math.log(c) - (1 + c) * math.log1p(c)
        )
        if bound > best + 50:
            break
        best = min(best, bound)
    return float(best) - _MARGIN


def _inverted(ctx: Context, phases: Sequence[_Phase], epsilon: Fraction, size: float) -> Real:
    """Return δ(ε) of add, which is 0 beyond its largest loss."""
    y, error = float(epsilon), size - ctx.prec * math.log(2)
    most = -sum(each.steps * math.log1p(-float(each.rate)) for each in phases if each.rate < 1)
    if any(each.rate == 1 for each in phases):
        most = math.inf
    # Aliases from below are 1 at most, times e^{−cW}; those from above end at the largest loss.
    best = (math.inf, 1.0)
    moments = [_moment(phases, c, _added) for c in _CS]
    for place, c in enumerate(_CS):
        period = (2 - error) / c
        above = most - y + 1e-6 * abs(most)
        for other in range(place + 1, len(_CS)):
            gap = _CS[other] - c
            above = min(above, (moments[other] - _CS[other] * y - error) / gap)
        best = min(best, (max(period, above), c))
    period, c = best
    amplitude = _moment(phases, c, _added) - c * y
    if amplitude < error:
        return ctx.zero
    sums = _Sums(ctx, phases, c, period, amplitude - error, _added)
    return sums.total(epsilon)


def _central(ctx: Context, phases: Sequence[_Phase], epsilon: Fraction, size: float) -> Real:
    """Return δ(ε) of replace-one, with the geometric series of what is known of its aliases."""
    y, error = float(epsilon), size - ctx.prec * math.log(2)
    period = math.inf
    for c in _CS[:25]:
        # Above: e^{−W/2}δ(y+W); below, by symmetry, e^{W/2}π(y−W) = e^{y−W/2}δ(W−y).
        bound = _moment(phases, c, _exchanged)
        here = max((bound - c * y - error) / (c + 0.5), (bound + (c + 1) * y - error) / (c + 0.5))
        period = min(period, here + abs(y))
    amplitude = _moment(phases, -0.5, _exchanged) + y / 2
    sums = _Sums(ctx, phases, -0.5, period, amplitude - error, _exchanged)
    shrink = ctx.exp(-sums.period / 2)
    series = shrink / (1 - shrink)
    return 1 + sums.total(epsilon) + series * (1 + ctx.exp(real(ctx, epsilon)))


class _Sums:
    """The moments at c + 2πin/W, one n after the other, and their sum.

    They are kept for the other end of an enclosure, at which they are the same.
    """

    kept: ClassVar[dict[object, list[Real]]] = {}

    def __init__(
        self,
        ctx: Context,
        phases: Sequence[_Phase],
        c: float,
        period: float,
        nats: float,
        exponents: Callable[[float], tuple[float, float]],
    ) -> None:
        self.ctx, self.c = ctx, ctx.mpf(c)
        steps = sum(each.steps for each in phases)
        self.bits = int(nats / math.log(2)) + steps.bit_length() + 32
        self.saved, ctx.prec = ctx.prec, self.bits
        self.period, self.small = ctx.mpf(period), -nats - 2.0
        self.key = (tuple(phases), c, period, nats, exponents)
        self.tables: list[tuple[list[list[int]], Real, int]] = []
        if self.key in self.kept:
            ctx.prec = self.saved
            return
        frequency = 2 * math.pi / period
        reach = _last(phases, c, exponents, -nats, frequency)
        self.tables += [
            self._table(each, exponents(c), exponents is _exchanged, frequency, reach, nats)
            for each in phases
        ]
        ctx.prec = self.saved

    def _table(
        self,
        phase: _Phase,
        powers: tuple[float, float],
        mirrored: bool,
        frequency: float,
        reach: float,
        nats: float,
    ) -> tuple[list[list[int]], Real, int]:
        """Return weights and turns, both in integers, and the weights' true sum."""
        ctx = self.ctx
        sigma, q = real(ctx, phase.sigma), real(ctx, phase.rate)
        h, low, high = _mesh(phase, powers, mirrored, reach, nats)
        rows = []
        turn = 2 * ctx.pi / self.period
        sign = 1 if mirrored or powers[0] > 0 else -1
        for k in range(low, high + 1):
            t = k * ctx.mpf(h)
            plus = ctx.log(1 - q + q * ctx.exp(t / sigma - 1 / (2 * sigma**2)))
            log, loss = -t * t / 2 + ctx.mpf(powers[0]) * plus, plus
            if mirrored:
                minus = ctx.log(1 - q + q * ctx.exp(-t / sigma - 1 / (2 * sigma**2)))
                log, loss = log + ctx.mpf(powers[1]) * minus, plus - minus
            rows.append((ctx.exp(log), sign * turn * loss))
        weight = ctx.fsum(each for each, _ in rows)
        table = [
            [
                int(ctx.floor(ctx.ldexp(each / weight, self.bits))),
                0,
                int(ctx.floor(ctx.ldexp(ctx.cos(angle), self.bits))),
                int(ctx.floor(ctx.ldexp(ctx.sin(angle), self.bits))),
            ]
            for each, angle in rows
        ]
        table = [row for row in table if row[0]]
        return table, weight * ctx.mpf(h) / ctx.sqrt(2 * ctx.pi), phase.steps

    def _all_moments(self) -> list[Real]:
        """Return K(c) and then K(c + 2πin/W)/K(c), n = 0, 1, …, until they have died out."""
        if self.key in self.kept:
            return self.kept[self.key]
        ctx = self.ctx
        found = [ctx.exp(ctx.fsum(steps * ctx.log(weight) for _, weight, steps in self.tables))]
        quiet, limit = 0, ctx.exp(self.small)
        for moment in self._moments():
            found.append(moment)
            quiet = quiet + 1 if abs(moment) < limit else 0
            if quiet > _QUIET:
                break
            if len(found) > _MOST_TERMS:
                raise ArithmeticError("the transform does not die out")
        if len(self.kept) >= _KEPT:
            self.kept.clear()
        self.kept[self.key] = found
        return found

    def _moments(self) -> Iterator[Real]:
        ctx, bits = self.ctx, self.bits
        while True:
            product = ctx.mpc(1)
            for table, _, steps in self.tables:
                re, im = sum(row[0] for row in table), sum(row[1] for row in table)
                mean = ctx.mpc(ctx.ldexp(ctx.mpf(re), -bits), ctx.ldexp(ctx.mpf(im), -bits))
                product *= mean**steps
            yield product
            for table, _, _ in self.tables:
                for row in table:
                    x, y, u, v = row
                    row[0], row[1] = (x * u - y * v) >> bits, (x * v + y * u) >> bits

    def total(self, epsilon: Fraction) -> Real:
        """Return e^{−cy}/W·ΣK(s)e^{−2πiny/W}/(s(s+1)), with n and −n together."""
        ctx = self.ctx
        ctx.prec = self.bits
        try:
            y, found = real(ctx, epsilon), ctx.zero
            turn = 2 * ctx.pi / self.period
            top, *moments = self._all_moments()
            for n, moment in enumerate(moments):
                s = ctx.mpc(self.c, n * turn)
                term = (moment * ctx.expjpi(-2 * n * y / self.period) / (s * (s + 1))).real
                found += term if n == 0 else 2 * term
            return top * ctx.exp(-self.c * y) / self.period * found
        finally:
            ctx.prec = self.saved


def _last(
    phases: Sequence[_Phase],
    c: float,
    exponents: Callable[[float], tuple[float, float]],
    small: float,
    frequency: float,
) -> float:
    """Return a frequency from which on |K(c+iu)|/K(c) stays small, by float64, with a margin."""
    plus, minus = exponents(c)
    grids = []
    for phase in phases:
        sigma, q = float(phase.sigma), float(phase.rate)
        reach = 9.0 + abs(plus) / sigma if plus > 0 else 9.0
        rows = []
        for t in _grid(-9.0, reach, min(0.02, sigma / 20)):
            up = _log_w(sigma, q, t)
            down = _log_w(sigma, q, -t) if exponents is _exchanged else 0.0
            rows.append((-t * t / 2 + plus * up + minus * down, up - down))
        top = max(log for log, _ in rows)
        weights = [(math.exp(log - top), loss) for log, loss in rows if log > top - 40]
        total = math.fsum(weight for weight, _ in weights)
        grids.append(([(weight / total, loss) for weight, loss in weights], phase.steps))
    u = last = frequency
    floor = max(small, -30.0 * sum(steps for _, steps in grids))
    while u < 60 * last and u < 1e7:
        sizes = (
            steps * math.log(max(abs(sum(w * cmath.rect(1.0, u * x) for w, x in rows)), 1e-13))
            for rows, steps in grids
        )
        if sum(sizes) > floor:
            last = u
        u *= 1.15
    return 2 * last


def _mesh(
    phase: _Phase, powers: tuple[float, float], mirrored: bool, reach: float, nats: float
) -> tuple[float, int, int]:
    """Return the step and the ends of the mesh in t."""
    sigma, q = float(phase.sigma), float(phase.rate)
    plus, minus = powers
    size = nats + math.log(phase.steps) + 8
    edge = math.sqrt(2 * size) + (abs(plus) + abs(minus)) / sigma + 1
    ts = _grid(-edge, edge, 0.05)
    flat = [
        -t * t / 2 + plus * _log_w(sigma, q, t) + (minus * _log_w(sigma, q, -t) if minus else 0.0)
        for t in ts
    ]
    top, best = max(flat), 0.0
    for share in (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93):
        b = share * math.pi * sigma
        most = -math.inf
        for t in ts:
            turned = _complex_log(sigma, q, t, b)
            log, angle = -t * t / 2 + plus * turned.real, abs(turned.imag)
            if mirrored:
                other = _complex_log(sigma, q, -t, -b)
                log, angle = log + minus * other.real, angle + abs(other.imag)
            most = max(most, log + reach * angle)
        growth = most - top + b * b / 2
        best = max(best, 2 * math.pi * b / (size + max(growth, 0.0)))
    wide = [t for t, each in zip(ts, flat, strict=True) if each - top > -size]
    return best, int(wide[0] / best) - 2, int(wide[-1] / best) + 2


def _complex_log(sigma: float, q: float, t: float, b: float) -> complex:
    turned = cmath.exp(min(t, 600 * sigma) / sigma - 0.5 / sigma**2 + 1j * b / sigma)
    return cmath.log(1 - q + q * turned)


_PROFILES_OF: Mapping[str, Identity] = {
    "": _both,
    "_add": _add,
    "_remove": _remove,
    "_replace": _replaced,
}
IDENTITIES: Mapping[str, Identity] = {
    **{f"subsampled_delta{name}": found for name, found in _PROFILES_OF.items()},
    "subsampled_phases_delta": _both,
}
PROFILES: Mapping[str, Identity] = {
    **{f"subsampled_epsilon{name}": found for name, found in _PROFILES_OF.items()},
    "subsampled_sigma": _both,
    "subsampled_sigma_replace": _replaced,
    "subsampled_phases_epsilon": _both,
}
"""An ε or a σ -> the falling δ, which must pass the δ asked for between an enclosure's two ends."""
