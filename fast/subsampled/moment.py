"""ln M(s) at complex s, by the trapezoid rule on a path through the saddles of the integrand.

At large s the integrand φ(t)w₊(t)^α w₋(t)^β turns fast on the real line and cancels. The saddles
obey t = (α/σ)ρ(t), where ρ is the chance that a step which gave t had the record: near the real
line where ρ is small, at Im t = Im α/σ where it is 1. The path follows that rise. It stays below
the zeros of w₊ (at Re t = σv₀, Im t = πσ), so that no branch of the logarithm is crossed.

The rule is taken on a grid and on every second point of it. Their difference bounds the error of
the finer one, which is about its square.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import log1p as complex_log1p

from dporacle.fast._broadcast import Array, quiet
from dporacle.fast.subsampled.losses import (
    FloatPhase,
    exponents,
    first_saddle,
    last,
    log_odds,
    mean_share,
    odds,
    shift,
    tilt,
)

_REACH = 9.0  # e^{−9²/2} is 3e-18
_NEGLIGIBLE = 50.0  # the second saddle is left out where it gives less than e^{−50}
_CANCELS = 3.0  # 1 + αη₊ + βη₋ is subtracted where it stays below this on the path
_END = 1e-17  # and where its ends do not count
_SERIES = 0.125  # below it the differences log1p(η) − η and expm1(E) − E are summed as series
_TERMS = 17  # 0.125^17 < 2^-52
_LONG = 300  # points of a grid from which on it is first looked where they count
_POINTS = 400_000  # in one block of nodes × points


class Moments(NamedTuple):
    """ln M at the nodes, a bound of the rule's error in it, ∫|integrand|/|M|, and the work."""

    log: Array
    error: Array
    size: Array
    work: int


def moments(
    s: Array, phase: FloatPhase, direction: str, refine: int = 0, *, from_end: bool = False
) -> Moments:
    """Return ln M(s) for complex nodes with Im s ≥ 0; NaN where the rule does not see M.

    From the end: ln E[(w₊/(1−q))^−s], of losses told from the largest of the direction add.
    """
    if phase.rate == 1.0:
        log = (shift(direction) / phase.sigma) ** 2 / 2 * s * (1 + s)
        return Moments(log, np.zeros(len(s)), np.zeros(len(s)), 0)
    # The path is made for exponents that turn upwards.
    nodes = np.conj(s) if direction == "add" else s
    step = min(0.2, 0.1 * phase.sigma * phase.strip) / 2**refine
    found = np.empty((3, len(nodes)), complex)
    ends = [_range(each, phase, direction, from_end) for each in nodes]
    start = work = 0
    points = _POINTS // (1 + len(phase.shares))
    while start < len(nodes):
        stop, low, high = start, 0.0, 0.0
        while stop < len(nodes):
            wide = (min(low, ends[stop][0]), max(high, ends[stop][1]))
            if stop > start and (stop + 1 - start) * (wide[1] - wide[0]) / step > points:
                break
            (low, high), stop = wide, stop + 1
        count = min(max((high - low) / step, 16.0), float(points))
        t = (np.arange(-(count * -low) // (high - low), count * high // (high - low) + 1)) * step
        second = np.array([each[2] for each in ends[start:stop]])
        if len(t) > _LONG:
            t = _alive(nodes[start:stop], t, step, second, phase, direction, from_end)
        block = nodes[start:stop]
        found[:, start:stop] = _block(block, t, step, second, phase, direction, from_end)
        work += (stop - start) * len(t) * (1 + len(phase.shares) // 4)
        start = stop
    log, error, size = found
    log = np.conj(log) if direction == "add" else log
    return Moments(log, error.real, size.real, work)


def _range(
    s: complex, phase: FloatPhase, direction: str, from_end: bool
) -> tuple[float, float, bool]:
    """Return where the integrand counts on the real line, and whether it has a second saddle."""
    alpha, beta = (complex(each) for each in exponents(np.complex128(s), direction))
    sigma, q = phase.sigma, phase.rate
    spare, least = 0.0, _NEGLIGIBLE
    if from_end:  # M itself may be small
        spare, least = -alpha.real * math.log1p(-q), 3 * _NEGLIGIBLE
    curve = (alpha * alpha - alpha).real / (2 * sigma**2)
    sizes = [
        size
        for size, log in phase.shares or ((1.0, 0.0),)
        if curve * size * size + alpha.real * (math.log(q) + log) + spare > -least
    ]
    second = alpha.real > 0 and bool(sizes)
    # The first saddle, t = (α/σ)ρ(t): to the left ρ ≤ q, to the right ρ < eq until it is lost.
    left = -first_saddle(abs(alpha), phase) if direction == "add" else 0.0
    right = (max(alpha.real, 0.0) - min(beta.real, 0.0)) / sigma
    if second:
        right *= sizes[-1]
    else:
        right = min(math.e * q * right, max(sigma * odds(phase), 0.0))
    high = _REACH + right
    if not second:
        high = max(high, sigma * (odds(phase) + 4.0))
    return -_REACH - left, high, second


def _path(t: Array, s: Array, phase: FloatPhase, direction: str) -> tuple[Array, Array]:
    """Return the height θ of t/σ on the path, and dθ/d(t/σ); s is a column."""
    rise = s.imag if direction != "add" else -s.imag
    rise = np.abs(rise) / phase.sigma**2
    wide = phase.spread
    # Near w₊'s zeros θ < π. Left of them w₊^α is about e^{αe^{v+iθ}}, which is to be small.
    most: Array = np.full(rise.shape, (0.4 if direction == "replace" else 0.6) * math.pi)
    late = 1.0
    if direction == "add":
        turned = math.pi - np.abs(np.angle(s))  # the angle of α = −s
        most, late = np.minimum(most, 1.25 * math.pi - turned), 3.0
    most = most * phase.strip
    late *= wide
    if direction == "replace":
        late += max(0.0, -odds(phase) - last(phase))  # past the zeros of w₋ too
    v = (t / phase.sigma - last(phase) - late) / wide

    def capped(x: Array) -> tuple[Array, Array]:
        """Return the saddle's height rise·mean, with most as its limit, and its slope."""
        mean, spread = mean_share(phase, x)
        less = most / (rise * mean + most)
        return rise * mean * less, rise * spread * less**2

    height, slope = capped(t / phase.sigma)
    # Past the zeros it rises to the last saddle.
    rest = np.maximum(rise - rise * most / (rise + most), 1e-300)
    steep = 2.0 if direction == "remove" else 1.0
    left = -steep * wide * np.logaddexp(0.0, v) / rest
    height = height - rest * np.expm1(left)  # 1 − e^… would cancel: rest may be 10^5
    slope = slope + steep * np.exp(left) / (1 + np.exp(-v))
    if direction == "replace":
        other, fall = capped(-t / phase.sigma)
        height, slope = height + other, slope - fall
    return height, slope


def _ratio(tau: Array, phase: FloatPhase) -> tuple[Array, Array]:
    """Return ln w and w − 1 for w = 1 − q + q·e^τ, on the branch that is real for real τ."""
    q = phase.rate
    # expm1 of a complex number, without its cancellation near 0.
    growth = np.expm1(tau.real)
    bend = -2 * np.sin(tau.imag / 2) ** 2
    eta = q * (growth + (growth + 1) * bend + 1j * (growth + 1) * np.sin(tau.imag))
    odds_of = log_odds(phase)
    far = (
        tau
        + math.log(q)
        + complex_log1p(np.exp(np.minimum(odds_of - tau.real, 0.0) - 1j * tau.imag))
    )
    near = complex_log1p(eta)
    if q > 0.5:  # 1 + η cancels where w is near 1 − q
        small = math.log1p(-q) + complex_log1p(
            np.exp(np.minimum(tau.real, odds_of) - odds_of + 1j * tau.imag)
        )
        near = np.where(eta.real < -0.5, small, near)
    return np.where(tau.real > odds_of, far, near), eta


@quiet
def _alive(
    s: Array,
    t: Array,
    step: float,
    second: Array,
    phase: FloatPhase,
    direction: str,
    from_end: bool,
) -> Array:
    """Return the part of a long grid on which the integrand counts, seen at every eighth point."""
    seen = np.abs(_integrand(s, t[::8], 8 * step, second, phase, direction, from_end)[0])
    counts = np.flatnonzero((seen > 1e-20 * seen.max(axis=1, keepdims=True)).any(axis=0))
    if not len(counts):
        return t
    return t[max(8 * counts[0] - 16, 0) : 8 * counts[-1] + 17]


@quiet
def _block(
    s: Array,
    t: Array,
    step: float,
    second: Array,
    phase: FloatPhase,
    direction: str,
    from_end: bool,
) -> tuple[Array, Array, Array]:
    value, gentle = _integrand(s, t, step, second, phase, direction, from_end)
    total = value.sum(axis=1)
    coarse = 2 * value[:, ::2].sum(axis=1)
    size = np.abs(value).sum(axis=1)
    log, rough = (np.where(gentle, complex_log1p(x), np.log(x)) for x in (total, coarse))
    modulus = np.exp(log.real)
    # Beyond the ends of the grid the terms fall at least as fast as those of normal noise.
    ends = (np.abs(value[:, 0]) + np.abs(value[:, -1])) / step / modulus
    size = size / modulus
    # The finer rule's error is about the square of the other's; a power 3/2 is on the safe side.
    share = np.minimum(np.abs(log - rough) / size, 1.0)
    return log, share**1.5 * size + ends, size


def _integrand(
    s: Array,
    t: Array,
    step: float,
    second: Array,
    phase: FloatPhase,
    direction: str,
    from_end: bool,
) -> tuple[Array, Array]:
    """Return the terms of the rule, and for which nodes they are those of M − 1."""
    height, slope = _path(t[None, :], s[:, None], phase, direction)
    w = t / phase.sigma + 1j * height  # t/σ on the path
    alpha, beta = (each[:, None] for each in exponents(s, direction))
    if from_end:
        off = tilt(phase, w) - log_odds(phase)
        growth = np.exp(np.where(off.real > 0, -off, off))
        power = alpha * (np.where(off.real > 0, off, 0.0) + complex_log1p(growth))
        value = np.exp(power - (phase.sigma * w) ** 2 / 2) * (1 + 1j * slope)
        value *= step / math.sqrt(2 * math.pi)
        return _without_far_end(value, t, second, phase), np.zeros(len(s), bool)
    plus, up = _ratio(tilt(phase, w), phase)
    power, linear = alpha * plus, alpha * up
    rest = alpha * _log_rest(up, plus)
    if direction == "replace":
        minus, down = _ratio(tilt(phase, -w), phase)
        power, linear = power + beta * minus, linear + beta * down
        rest = rest + beta * _log_rest(down, minus)
    density = np.exp(-((phase.sigma * w) ** 2) / 2)
    whole = np.exp(power - (phase.sigma * w) ** 2 / 2)
    # E[1 + αη₊ + βη₋] = 1: without it ln M near 0 keeps its digits.
    plain = density * (1 + linear)
    size = np.abs(plain)
    gentle = (size.max(axis=1) < _CANCELS) & (np.maximum(size[:, 0], size[:, -1]) < _END)
    small = np.abs(power) < _SERIES
    less = np.where(small, density * (_exp_rest(np.where(small, power, 0)) + rest), whole - plain)
    value = np.where(gentle[:, None], less, whole) * (1 + 1j * slope)
    value *= step / math.sqrt(2 * math.pi)
    return _without_far_end(value, t, second, phase), gentle


def _without_far_end(value: Array, t: Array, second: Array, phase: FloatPhase) -> Array:
    """Leave out what lies past the valley before a second saddle that is negligible."""
    modulus = np.abs(value)
    modulus = np.where(np.isfinite(modulus), modulus, np.inf)
    past = (t > 0) & (t / phase.sigma > odds(phase) - 4.0)
    seen = np.maximum.accumulate(np.where(np.isfinite(modulus), modulus, 0.0), axis=1)
    far = (modulus < 1e-18 * seen) & past & ~second[:, None]
    return np.where(np.maximum.accumulate(far, axis=1), 0.0, value)


def _log_rest(eta: Array, log: Array) -> Array:
    """Return log1p(η) − η."""
    small = np.abs(eta) < _SERIES
    x = np.where(small, eta, 0.0)
    total = np.zeros_like(x)
    for k in range(_TERMS, 1, -1):
        total = total * x + (-1) ** (k + 1) / k
    return np.where(small, total * x * x, log - eta)


def _exp_rest(power: Array) -> Array:
    """Return expm1(E) − E for |E| below the series' reach."""
    total = np.zeros_like(power)
    for k in range(_TERMS - 3, 1, -1):
        total = total * power + 1 / math.factorial(k)
    return total * power * power
