"""δ(ε) where records are rarely sampled: a contour that bends away from the quasi-atom.

On a vertical line the moments of a rarely sampled record do not die out: its loss is almost an
atom. On a hyperbola through the saddle e^{−sε} outweighs the atom. There |s| is large and so is
what cancels in E[w^s] over real t: the mean is taken over a path in t that rises from the real
line, where the record is not in the batch, to Im t = Im s/σ, where it is, past the zeros of w.

Both sums are trapezoid rules in a variable in which they fall doubly exponentially, with spacings
that shrink as the precision grows; the caller compares two precisions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dporacle.reference.numerics.precision import Context, Real, real, working
from dporacle.reference.subsampled.moments import Phase, Plan, log_moments

Over = Callable[[Real], Real]

_SLOPE = 0.7  # of the asymptotes: below 1, where a normal loss decays
_FIRST = 24
_MOST = 1536  # six doublings of the first rule
_MOST_TERMS = 1_500_000


class Bent:
    """The moments on a hyperbola that fits one ε; it serves the ε near it.

    Raises:
        ArithmeticError: if the moments have not died out within the bound of work.
    """

    def __init__(self, ctx: Context, plan: Plan, way: str, c: float, epsilon: float):
        self.ctx, self._plan, self._way, self._terms = ctx, plan, way, 0
        c = _before_far_jumps(plan, way, c)
        self._size = ctx.prec * math.log(2)
        second, third = self._shape(c)
        self._centre = c
        # Positive: to the side on which e^{−sε} outweighs the atom, a little of it at least.
        self._side = -1.0 if way == "add" else 1.0
        bend = self._side * third / (6 * second)
        bend = min(
            max(bend, 1e-12 if bend > 0 else 0.1 / (c + 1)),
            (1.0 if way == "add" else 0.5) / (c + 1),
        )
        self._radius = _SLOPE / (2 * bend)
        self._width = 2 / math.sqrt(second)
        self._cache: dict[Fraction, tuple[Real, Real, Real]] = {}
        self._shared: dict[Phase, tuple[Real, ...]] = {}
        self._intervals = _FIRST
        self._top = self._end(epsilon)
        before, small = None, ctx.ldexp(1, -(2 * (ctx.prec - 24)) // 3)
        while self._intervals <= _MOST:
            total = self._sum(ctx.mpf(epsilon))
            # Twice the points square the error; two precisions are compared besides.
            if before is not None and abs(total - before) <= abs(total) * small:
                return
            before = total
            self._intervals *= 2
        raise ArithmeticError("the sum over the contour does not settle")

    def delta(self, epsilon: Real) -> Real:
        """Return δ(ε)."""
        return self._sum(epsilon)

    def tail(self, epsilon: Real, law: int) -> Real:
        """Return P(L > ε) (law = 0) or Q(L > ε) (law = 1)."""
        return self._sum(epsilon, lambda s: s + law) * self.ctx.exp(-law * epsilon)

    def _shape(self, c: float) -> tuple[float, float]:
        """Return the second and the third derivative of the exponent at the saddle."""
        with working(96) as rough:
            log = log_moments(rough, self._plan, self._way, rough.mpf(c), rough.mpf(2))
            step = c / 32
            at = [log(rough.mpc(c + k * step)).real for k in (-2, -1, 0, 1, 2)]
            variance = float((at[1] - 2 * at[2] + at[3]) / step**2)
            third = float((at[4] - 2 * at[3] + 2 * at[1] - at[0]) / (2 * step**3))
        return max(variance, 0.0) + 1 / c**2 + 1 / (1 + c) ** 2, third

    def _point(self, y: Fraction) -> tuple[Real, Real, Real]:
        """Return s, ds/dy and ln K(s) at a place y of the contour."""
        if y not in self._cache:
            ctx = self.ctx
            u = self._width * ctx.sinh(real(ctx, y))
            far = ctx.hypot(self._radius, u)
            s = ctx.mpc(self._centre + self._side * _SLOPE * u * u / (far + self._radius), u)
            turn = ctx.mpc(self._side * _SLOPE * u / far, 1)
            turn *= self._width * ctx.cosh(real(ctx, y))
            log = ctx.zero
            for sigma, rate, steps in self._plan:
                log += steps * self._log_moment(s, sigma, rate)
            self._cache[y] = s, turn, log
        return self._cache[y]

    def _term(self, y: Fraction, epsilon: Real, over: Over) -> Real:
        s, turn, log = self._point(y)
        return (self.ctx.exp(log - s * epsilon) / over(s) * turn).imag

    def _end(self, epsilon: float) -> Fraction:
        """Return a y beyond which nothing counts."""
        peak, small, y = self.ctx.zero, 0, Fraction(0)
        while small < 2:
            s, turn, log = self._point(y)
            value = abs(self.ctx.exp(log - s * epsilon) / (s * (s + 1)) * turn)
            small = small + 1 if value < peak * self.ctx.ldexp(1, -self.ctx.prec) else 0
            peak = max(peak, value)
            y += Fraction(1, 4)
            if y > 30:
                raise ArithmeticError("the moments do not die out on the contour")
        return y

    def _sum(self, epsilon: Real, over: Over = lambda s: s * (s + 1)) -> Real:
        step = self._top / self._intervals
        total = self._term(Fraction(0), epsilon, over) / 2
        for k in range(1, self._intervals + 1):
            total += self._term(k * step, epsilon, over)
        return total * real(self.ctx, step) / self.ctx.pi

    def _log_moment(self, s: Real, sigma_exact: Fraction, rate: Fraction) -> Real:
        """Return ln E[w₊^α w₋^β] by a path in t that passes the saddles of the integrand."""
        ctx, way = self.ctx, self._way
        sigma, q = real(ctx, sigma_exact), real(ctx, rate)
        if way == "add":
            s = ctx.conj(s)  # so that the exponent turns upwards
        if rate == 1:
            size = 2 if way == "replace" else 1
            value = s * (s + 1) * size**2 / (2 * sigma**2)
            return ctx.conj(value) if way == "add" else value
        alpha = -s if way == "add" else 1 + s
        beta = -s if way == "replace" else ctx.zero
        path = _Path(ctx, sigma, q, way, s, self._size)
        step = ctx.mpf(min(0.2, 0.1 * float(sigma)) * 53 / ctx.prec)
        half, log_q = 1 / (2 * sigma**2), ctx.log(q)
        odds = ctx.log((1 - q) / q)

        def log_ratio(tau: Real) -> Real:
            if tau.real > odds:
                return tau + log_q + ctx.log(1 + ctx.exp(odds - tau))
            return ctx.log(1 - q + q * ctx.exp(tau))

        total, peak, past = ctx.zero, 0.0, ctx.ldexp(1, -ctx.prec - 12)
        for j in range(int(path.low / step), int(path.high / step) + 1):
            self._terms += 1
            v = step * j / sigma
            height, slope = path.at(self._grown(sigma_exact, rate, path, v, j))
            w = ctx.mpc(v, height)
            power = alpha * log_ratio(w - half) - (sigma * w) ** 2 / 2
            if way == "replace":
                power += beta * log_ratio(-w - half)
            term = ctx.exp(power) * ctx.mpc(1, slope)
            total += term
            size = abs(term)
            peak = max(peak, size)
            if v > path.valley and not path.second and size < peak * past:
                break
        if self._terms > _MOST_TERMS:
            raise ArithmeticError("the contour needs too much work")
        log = ctx.log(total * step / ctx.sqrt(2 * ctx.pi))
        return ctx.conj(log) if way == "add" else log

    def _grown(
        self, sigma: Fraction, rate: Fraction, path: _Path, v: Real, j: int
    ) -> tuple[Real, ...]:
        """Return the exponentials of a path's height, which all paths of a phase share."""
        key = sigma, rate, j
        if key not in self._shared:
            self._shared[key] = path.grown(v)
        return self._shared[key]


class _Path:
    """The height of t/σ above the real line."""

    def __init__(self, ctx: Context, sigma: Real, q: Real, way: str, s: Real, size: float):
        self._ctx, self._way = ctx, way
        alpha = complex(-s if way == "add" else 1 + s)
        beta = complex(-s if way == "replace" else 0)
        self._odds = ctx.log((1 - q) / q) + 1 / (2 * sigma**2)
        noise, odds = float(sigma), float(self._odds)
        lognormal = ((alpha * alpha - alpha) / (2 * noise**2)).real
        lognormal += alpha.real * math.log(q)
        self.second = alpha.real > 0 and lognormal > -size - 12
        reach = math.sqrt(2 * size) + 1
        left = max(-alpha.real, 0.0) * float(q) / noise
        right = (max(alpha.real, 0.0) - min(beta.real, 0.0)) / noise
        self.valley = odds - 4.0
        self.low = -reach - left
        self.high = reach + right
        if not self.second:
            self.high = max(reach + min(right, max(noise * odds, 0.0)), noise * (odds + 4.0))
        self._rise = abs(s.imag) / sigma**2
        most, self._late = ctx.pi * (4 if way == "replace" else 6) / 10, self._odds + 1
        if way == "add":
            turned = ctx.pi - abs(ctx.arg(s))
            most, self._late = min(most, ctx.pi * 5 / 4 - turned), self._odds + 3
        if way == "replace":
            self._late += max(0, -2 * self._odds)
        self._cap = self._rise * most / (self._rise + most)
        self._share = most / (self._rise + most)
        self._rest = max(self._rise - self._cap, ctx.ldexp(1, -1000))
        self._steep = 2 if way == "remove" else 1

    def grown(self, v: Real) -> tuple[Real, ...]:
        """Return what the height at v is made of, whatever s."""
        ctx = self._ctx
        up, grown = ctx.exp(self._odds - v), ctx.exp(v - self._late)
        down = ctx.exp(v + self._odds) if self._way == "replace" else ctx.zero
        return up, down, ctx.log(1 + grown), grown / (1 + grown)

    def at(self, parts: tuple[Real, ...]) -> tuple[Real, Real]:
        """Return the height where these are its parts, and its derivative in v."""
        ctx, cap = self._ctx, self._cap
        if self._rise == 0:
            return ctx.zero, ctx.zero
        up, down, log_grown, late = parts
        share = 1 / (1 + self._share * up)
        height, slope = cap * share, cap * share * (1 - share)
        if self._way == "replace":
            share = 1 / (1 + self._share * down)
            height, slope = height + cap * share, slope - cap * share * (1 - share)
        left = ctx.exp(-self._steep * log_grown / self._rest)
        height += self._rest * (1 - left)
        return height, slope + self._steep * left * late


def _before_far_jumps(plan: Plan, way: str, c: float) -> float:
    """Return a smaller c, if the loss's far jumps rule the moment there."""
    if way == "add":
        return c
    less = c
    for sigma_exact, rate, steps in plan:
        if rate < 1:
            sigma, slope = float(sigma_exact), -math.log(rate)
            far = sigma**2 * slope
            if c > far:
                room = 2 * sigma**2 * (45 + math.log(steps) - slope)
                root = far - 0.5 + math.sqrt(max((far - 0.5) ** 2 - room, 0.0))
                less = min(less, max(root, 0.5 * c))
    return less
