"""What the divisor of a noisy sum tells (X.AVG.SCALE), in arbitrary precision.

A sum with noise N(0, σ²I) is divided by b on one data set and by b' on its neighbour. Where all
contributions vanish, the outputs are N(0, (σ/b)²I) and N(0, (σ/b')²I). With r the larger divisor
over the smaller one, D coordinates in all, k = D/2 and β = 1 − r⁻², the first law narrow or wide,

    narrow   δ(ε) = Γ_k(w) − e^ε Γ_k(w/r²),               w = (D ln r − ε)/β,
    wide     δ(ε) = 1 − Γ_k(w/r²) − e^ε(1 − Γ_k(w)),      w = (D ln r + ε)/β,

with the incomplete gamma function Γ_k, 0 below 0. For many coordinates the same δ is the inverse
Laplace transform of the loss, which is linear in a Gamma(k) variable.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.precision import ZERO, Context, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root

_FEW = 1000  # coordinates up to which mpmath's incomplete gamma functions are asked
_BELOW = 4  # standard deviations below the mean loss from which on 1 − δ is computed
_DEEPEST = 20_000  # nats that a δ may lack


class _Pair:
    """The two laws.

    Attributes:
        ratio: r, above 1.
        coordinates: D.
        narrow: whether the first law is the narrow one.
        slope: by how much the loss changes with the Gamma(k) variable of the first law.
    """

    def __init__(self, divisor: Fraction, other: Fraction, coordinates: int) -> None:
        self.ratio = max(divisor, other) / min(divisor, other)
        self.coordinates, self.narrow = coordinates, divisor > other
        self.slope = 1 - 1 / self.ratio**2 if self.narrow else self.ratio**2 - 1
        rise = self.ratio - 1
        close = max(0, rise.denominator.bit_length() - rise.numerator.bit_length())
        self.spare = 2 * coordinates.bit_length() + 2 * close + 32

    def level(self, ctx: Context) -> Real:
        """D ln r: the largest loss where the first law is narrow, and −1 times the least else."""
        return self.coordinates * ctx.log1p(real(ctx, self.ratio - 1))

    def crossing(self, ctx: Context, epsilon: Fraction | Real) -> Real:
        """The Gamma(k) variable at which the loss is ε; below 0 where none is so large."""
        level = self.level(ctx)
        shift = -real(ctx, epsilon) if self.narrow else real(ctx, epsilon)
        return (level + shift) / real(ctx, self.slope)

    def delta(self, epsilon: Fraction | Real, digits: int, power: int = 0) -> Real:
        """δ(ε), or with a power 1 −dδ/dε."""
        if self.coordinates <= _FEW:
            return settle(lambda ctx: self._closed(ctx, epsilon, power), digits)
        return settle(lambda ctx: self._inverted(ctx, epsilon, power), digits)

    def _closed(self, ctx: Context, epsilon: Fraction | Real, power: int) -> tuple[Real, ...]:
        k = ctx.mpf(self.coordinates) / 2
        with working(ctx.prec + self.spare) as finer:
            w = self.crossing(finer, epsilon)
            square = real(finer, self.ratio**2)
            own, others = freeze(w), freeze(w / square if self.narrow else w * square)
        if self.narrow:
            first, second = (ctx.gammainc(k, 0, x, regularized=True) for x in (own, others))
        else:
            first, second = (ctx.gammainc(k, x, regularized=True) for x in (own, others))
        weighed = exp(ctx, epsilon) * second
        return (weighed,) if power else (first, -weighed)

    def _inverted(self, ctx: Context, epsilon: Fraction | Real, power: int) -> tuple[Real, ...]:
        """(1/2π)∫e^{K(s) − sε}/(s(s+1)) over Re s = c > 0, by the trapezoid rule.

        Its error is what δ is at ε ± P, ε ± 2P, …, times e^{±cP}, …: P is so large that this is
        below the precision. With −dδ/dε the integrand is multiplied by s. Below the mean loss
        −1 < c < 0, where the integral is δ − 1.
        """
        with working(ctx.prec + self.spare) as finer:
            k = finer.mpf(self.coordinates) / 2
            w, slope = self.crossing(finer, epsilon), real(finer, self.slope)
            gap = slope * (w - k)  # how far ε is from the mean loss
            c = finer.mpf(self._saddle(float(gap), float(slope), float(k)))
            total = self._summed(finer, gap, slope, k, c, ctx.prec, power)
            return (total,) if c > 0 or power else (ctx.one, total)

    def _summed(
        self, ctx: Context, gap: Real, slope: Real, k: Real, c: Real, bits: int, power: int
    ) -> Real:
        sign = -1 if self.narrow else 1

        def log_transform(s: Real) -> Real:
            """K(s) − sε, as ln E e^{s(ℓ − ε)}: ℓ − ε = ±B(w − w*)."""
            return -sign * s * (gap + slope * k) - k * ctx.log1p(-sign * slope * s)

        base = log_transform(c)
        if base < -_DEEPEST:
            if c < 0 and not power:
                return ctx.zero  # 1 − δ = E min(1, e^{ε−ℓ}) ≤ e^{K(c) − cε}, as −1 < c < 0
            raise ArithmeticError(f"a δ below e^-{_DEEPEST} is not computed")
        if c < 0:
            further = (c - 1) / 2
        else:
            further = 2 * c if self.narrow else min(2 * c, (c + 1 / slope) / 2)
        rise = log_transform(further) - base
        nats = bits * ctx.ln2 + 16
        # What is computed is about e^{K(c) − cε} over a few standard deviations times c.
        thin = ctx.log(abs(c) * (c + 1) * slope * ctx.sqrt(k) + 1) + 4
        period = max((nats - base + thin) / abs(c), (nats + rise + thin) / abs(further - c))
        step = 2 * ctx.pi / period
        total, n = ctx.zero, 0
        while True:
            s = ctx.mpc(c, n * step)
            height = ctx.exp(log_transform(s) - base) / (s + 1)
            term = height if power else height / s
            total += term.real if n else term.real / 2
            # The integrand falls from its peak on, as |1 ± Bs| to the power −k.
            if n > 4 and abs(term) < ctx.ldexp(abs(total), -bits - 16):
                return freeze(ctx.exp(base) * total * step / ctx.pi)
            n += 1

    def _saddle(self, gap: float, slope: float, k: float) -> float:
        """About where K(s) − sε − ln|s| − ln(1 + s) is least, in floats: any c would do."""
        sign = -1 if self.narrow else 1
        mean = -sign * gap  # of the loss, less ε
        spread = slope * math.sqrt(k)
        below = mean > _BELOW * spread
        low, high = (-1.0, 0.0) if below else (0.0, 1e15 if self.narrow else (1 - 1e-9) / slope)
        for _ in range(200):
            c = math.sqrt(low * high) if low > 0 else (low + high) / 2
            bent = slope * k * slope * c / (1 - sign * slope * c)
            rise = mean + bent - 1 / c - 1 / (1 + c)
            low, high = (low, c) if rise > 0 else (c, high)
            if high - low < 1e-6 * abs(high):
                break
        c = (low + high) / 2
        # Near the mean a line farther right, for a few bits that cancel, needs fewer nodes.
        return c if below else max(c, min(1 / spread, high, (low + 1 / slope) / 2))


def _pair(divisor: Fraction, other: Fraction, coordinates: int) -> _Pair | None:
    """Return the pair; None where the divisors are one and nothing is told."""
    return None if divisor == other else _Pair(divisor, other, coordinates)


@witness
def divisor_delta(
    *, epsilon: Fraction, divisor: Fraction, other_divisor: Fraction, coordinates: int, digits: int
) -> Real:
    """Return δ(ε) of N(0, (σ/b)²I) against N(0, (σ/b')²I), whatever σ (X.AVG.SCALE)."""
    pair = _pair(divisor, other_divisor, coordinates)
    if pair is None:
        return ZERO
    with working(64 + pair.spare) as ctx:
        if pair.crossing(ctx, epsilon) < 0:
            return ZERO
    return pair.delta(epsilon, digits)


@witness
def divisor_epsilon(
    *, delta: Fraction, divisor: Fraction, other_divisor: Fraction, coordinates: int, digits: int
) -> Real:
    """Return the smallest ε ≥ 0 with δ(ε) ≤ δ (X.AVG.SCALE)."""
    pair = _pair(divisor, other_divisor, coordinates)
    if pair is None:
        return ZERO
    with working(64) as ctx:
        if pair.delta(Fraction(0), digits) <= real(ctx, delta):
            return ZERO

    def newton(point: Real, digits: int) -> tuple[Real, Real]:
        with working(4 * digits + 64 + pair.spare) as ctx:
            most = pair.level(ctx)
            if pair.crossing(ctx, point) <= 0:
                return ctx.one, freeze(most)  # beyond the largest loss: the root is just below it
            value = real(ctx, pair.delta(point, digits))
            slope = real(ctx, pair.delta(point, digits, power=1))
            miss = ctx.log(real(ctx, delta) / value)
            step = miss * value / slope
            proposal = real(ctx, point) - step
            gap = most - real(ctx, point)
            # Of few coordinates δ ends there like a power of the gap, which is what is sought.
            if pair.narrow and abs(step) * 8 > gap:
                proposal = most - gap * ctx.exp(step / gap)
            return freeze(miss), freeze(proposal)

    return positive_root(newton, start=_start(pair, delta), digits=digits)


def _start(pair: _Pair, delta: Fraction) -> Real:
    """Return about the ε: the mean loss and some standard deviations."""
    log = math.log(delta.numerator) - math.log(delta.denominator)
    z = math.sqrt(max(0.0, -2 * log - math.log(max(1.0, -12 * log))))
    with working(64 + pair.spare) as ctx:
        slope, k = real(ctx, pair.slope), ctx.mpf(pair.coordinates) / 2
        most = pair.level(ctx)
        mean = (most - slope * k) * (1 if pair.narrow else -1)
        start = mean + z * slope * ctx.sqrt(k)
        if pair.narrow:
            start = min(start, most * 15 / 16)
        return freeze(max(start, slope * ctx.sqrt(k) / 16))
