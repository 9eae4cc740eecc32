"""Enclosures of what the divisor of a noisy sum tells (X.AVG.SCALE), by integrals without a sign.

With w = |x|²/2s² under the first law, a Gamma(k) variable, k = D/2, the privacy loss is linear in
w: ℓ = ε ± B(w − w*). So δ = ∫γ_k(w)(1 − e^{−B|w−w*|})dw over one side of w*, a sum of what is not
negative. The variable of the integral is t = |√w − √w*|: the density of √w is log-concave and about
as wide as 1 for every k.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb, ctx

from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.interface import witness

_FEW = 400  # coordinates up to which the density is a power times an exponential
_DEEPEST = 20_000  # nats that a δ may lack
_NEAR = 0.5  # |u| up to which u − ln(1 + u) is its series


@dataclass(frozen=True)
class _Pair:
    """N(0, 1/b²) first, N(0, 1/b'²) second, in D coordinates.

    Attributes:
        ratio: the larger divisor over the smaller one, above 1.
        coordinates: D.
        narrow: whether the first law is the narrow one, b > b'.
    """

    ratio: Fraction
    coordinates: int
    narrow: bool

    @property
    def slope(self) -> Fraction:
        """B: by how much the loss changes with w."""
        square = self.ratio**2
        return 1 - 1 / square if self.narrow else square - 1

    def spare(self) -> int:
        """Return the bits that are lost where D ln r and Bk cancel, and ln Γ(k) and k ln k."""
        rise = self.ratio - 1
        closeness = max(0, rise.denominator.bit_length() - rise.numerator.bit_length())
        return 2 * self.coordinates.bit_length() + 2 * closeness + 32

    def crossing(self, epsilon: arb) -> arb:
        """Return w*, where the loss is ε: not positive beyond the largest loss of a narrow law."""
        level = self.coordinates * ball(self.ratio).log()
        return (level - epsilon if self.narrow else level + epsilon) / ball(self.slope)

    def epsilon(self, w: arb) -> arb:
        """Return the loss at w*."""
        level, rise = self.coordinates * ball(self.ratio).log(), ball(self.slope) * w
        return level - rise if self.narrow else rise - level

    def heights(self, w: arb) -> tuple[arb, arb]:
        """Enclose δ(ε) and −dδ/dε = e^ε·Q(ℓ > ε) at the ε of a w* above 0."""
        edge = w.sqrt()
        steep = ball(self.slope)
        sign = -1 if self.narrow else 1
        density = self._density(edge)

        def gap(t: acb) -> acb:
            """B|w − w*|."""
            return steep * t * (2 * edge + sign * t)

        if density(acb(0)).real < arb(-_DEEPEST).exp() and self._beyond(w):
            raise ArithmeticError(f"a δ below e^-{_DEEPEST} is not enclosed")
        near, far, rest = self._reach(edge)
        above = _integral(lambda t: -density(sign * t) * (-gap(t)).expm1(), near, far)
        slope = _integral(lambda t: density(sign * t) * (-gap(t)).exp(), near, far)
        # What is left out has a factor from 0 to 1.
        return above.union(above + rest), slope.union(slope + rest)

    def _density(self, edge: arb) -> Callable[[acb], acb]:
        """Return t -> the density of √w at √w* + t, 2v^{D−1}e^{−v²}/Γ(k)."""
        d = self.coordinates
        k = arb(d) / 2
        if d <= self._few():
            scale = 2 / k.gamma()
            return lambda t: scale * (edge + t) ** (d - 1) * (-((edge + t) ** 2)).exp()
        # v = √k + y = √k(1 + u): ln of the density is a constant − 2y² − 2y²(2g(u) − 1) − ln(1 + u)
        # with g = (u − ln(1 + u))/u². What is large has cancelled before a ball is formed.
        middle = k.sqrt()
        shift = edge - middle
        constant = arb(2).log() + k * k.log() - k - k.lgamma() - k.log() / 2

        def density(t: acb) -> acb:
            y = shift + t
            u = y / middle
            return (constant - y * y - 2 * y * y * _bend(u) - u.log1p()).exp()

        return density

    def _beyond(self, w: arb) -> bool:
        """Tell whether w* is on the side of the mode on which δ is small."""
        k = arb(self.coordinates) / 2
        return bool(w < k if self.narrow else w > k)

    def _few(self) -> int:
        """Return up to how many coordinates the density is a power times an exponential.

        From there on √k is beyond what `_reach` leaves out below the mode.
        """
        return max(_FEW, 4 * _bits())

    def _reach(self, edge: arb) -> tuple[arb, arb, arb]:
        """Return from where to where t goes, and a bound of the density's integral elsewhere.

        The density is log-concave: beyond v, where its logarithm falls with slope λ, it has at most
        1/λ of its height there. So it may be cut on both sides of its mode.
        """
        d = self.coordinates
        reach = (arb(_bits()) * arb(2).log() + 9).sqrt()
        mode = (arb(d - 1) / 2).sqrt()
        # Where the mode is outside, what is deep is deep relative to the height at the edge.
        low, high = edge.min(mode) - reach, edge.max(mode) + reach
        if not low > 0 and d > self._few():
            low = edge.min(mode) * (arb(2) ** (arb(-2 * _bits()) / (d - 1)))
        low, high = low.mid(), high.mid()
        rest = arb(0)
        if self.narrow:
            ends = [edge, low if low > 0 else arb(0)]
            if edge > mode + reach + 1:
                ends[0] = (mode + reach).mid()
                rest += self._tail(ends[0], edge)
            if low > 0:
                rest += self._tail(low, edge)
        else:
            ends = [edge, high]
            if edge < mode - reach - 1:
                ends[0] = (mode - reach).mid()
                rest += self._tail(ends[0], edge)
            rest += self._tail(high, edge)
        near, far = (abs(each - edge) if each is not edge else arb(0) for each in ends)
        return near, far, rest

    def _tail(self, v: arb, edge: arb) -> arb:
        """Bound the density's integral from v away from its mode."""
        slope = abs((self.coordinates - 1) / v - 2 * v)
        if not slope > 0:
            raise ArithmeticError("the density does not fall where it is cut")
        return (abs(self._density(edge)(acb(v - edge)).real) / slope).upper()


def _bits() -> int:
    return int(ctx.prec)


def _bend(u: acb) -> acb:
    """Return (u − ln(1 + u))/u², by its series near 0: balls of y do not swell with k."""
    if not abs(u) < _NEAR:
        return (u - u.log1p()) / (u * u)
    size = arb(abs(u).upper())
    terms = max(8, math.ceil(_bits() / max(1.0, -math.log2(max(float(size), 1e-300)))) + 2)
    total = acb(0)
    for n in range(terms, -1, -1):
        total = acb(1) / (n + 2) - u * total
    rest = (size ** (terms + 1) / ((terms + 3) * (1 - size))).upper()
    return total + acb(arb(0, rest), arb(0, rest))


def _integral(function: Callable[[acb], acb], start: arb, end: arb) -> arb:
    tolerance = arb(2) ** -_bits()
    # The relative tolerance ends it: the absolute one is below all that is asked for.
    found = acb.integral(
        lambda t, _: function(t), acb(start), acb(end), rel_tol=tolerance, abs_tol=arb(2) ** -40_000
    )
    return found.real.max(arb(0))


def _pair(divisor: Fraction, other: Fraction, coordinates: int) -> _Pair | None:
    """Return the pair of two divisors; None where they are one and nothing is told."""
    if divisor == other:
        return None
    return _Pair(max(divisor, other) / min(divisor, other), coordinates, narrow=divisor > other)


def _start(pair: _Pair, delta: Fraction) -> float:
    """Estimate ln w* for a δ: that of a Gamma(k) quantile, by Wilson and Hilferty."""
    k = pair.coordinates / 2
    z = _quantile(delta)
    z = -z if pair.narrow else z
    cube = 1 - 1 / (9 * k) + z / (3 * math.sqrt(k))
    if cube > 0.05:
        return math.log(k) + 3 * math.log(cube)
    return (_log(delta) + math.lgamma(k + 1)) / k


def _quantile(delta: Fraction) -> float:
    """Estimate z with Pr[N(0, 1) > z] = δ."""
    if delta > Fraction(1, 2):
        return -_quantile(1 - delta)
    depth, z = -_log(delta), 0.0
    for _ in range(60):  # ln Pr[N > z] ≈ −z²/2 − ln(z + √(z² + 2)) − ln √(π/2)
        z = math.sqrt(max(0.0, 2 * (depth - math.log((z + math.sqrt(z * z + 2)) * 1.25))))
    return z


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


@witness
def divisor_delta(
    *, epsilon: Fraction, divisor: Fraction, other_divisor: Fraction, coordinates: int, digits: int
) -> arb:
    """Enclose δ(ε) of N(0, (σ/b)²I) against N(0, (σ/b')²I), whatever σ (X.AVG.SCALE).

    By an integral over √w of what is not negative.
    """
    pair = _pair(divisor, other_divisor, coordinates)
    if pair is None:
        return arb(0)

    def formula() -> arb:
        w = pair.crossing(ball(epsilon))
        return pair.heights(w)[0] if w > 0 else arb(0) if w < 0 else arb(0, 1)

    return tighten(formula, digits, spare=pair.spare())


@witness
def divisor_epsilon(
    *, delta: Fraction, divisor: Fraction, other_divisor: Fraction, coordinates: int, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 with δ(ε) ≤ δ, by the root in ln w* (X.AVG.SCALE)."""
    pair = _pair(divisor, other_divisor, coordinates)
    if pair is None or not _above(pair, delta):
        return arb(0)
    spare = pair.spare()

    def w_of(y: arb) -> arb:
        return (-y).exp() if pair.narrow else y.exp()

    start = _start(pair, delta)
    bend = 1 / (2 * math.sqrt(pair.coordinates) + 4) / (1 + abs(_quantile(delta)))

    def profile(y: arb) -> tuple[arb, arb, arb]:
        w = w_of(y)
        with precision(_bits() + spare):
            value, slope = pair.heights(w)
            return value, 1 - value, -slope * ball(pair.slope) * w

    def tolerance(y: arb) -> arb:
        with precision(_bits() + spare):
            w = w_of(y)
            # Next to the largest loss w* hardly matters, but for the two signs.
            allowed = abs(pair.epsilon(w)) / (ball(pair.slope) * w) / (4 * arb(10) ** digits)
            return allowed.min(arb(bend) / 8)

    low, high = decreasing_root(
        profile,
        target=delta,
        start=arb(-start if pair.narrow else start),
        scale=lambda _: arb(bend),
        tolerance=tolerance,
    )
    with precision(bits_for(digits) + spare + 64):
        return pair.epsilon(w_of(low)).union(pair.epsilon(w_of(high)))


def _above(pair: _Pair, delta: Fraction) -> bool:
    """Tell whether δ(0) is above a δ: ε is above 0 then."""
    bits = 64
    while bits <= MAX_BITS:
        with precision(bits + pair.spare()):
            gap = pair.heights(pair.crossing(arb(0)))[0] - ball(delta)
            if not gap.contains(0):
                return bool(gap > 0)
        bits *= 2
    raise ArithmeticError(f"δ(0) agrees with the target to {MAX_BITS} bits")
