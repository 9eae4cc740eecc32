"""The two derivations of the rank-one mechanism's privacy profile (X.R1.PROFILE).

Distances are in units of the sensitivity, s = σ*/Δ², K = M − 1. The noise n has density
∝ ‖n‖^−K e^{−‖n‖²/2s}; at distance r from one input and ρ from the other an output's privacy loss
is g(ρ) − g(r), g(t) = K ln t + t²/2s. Seen from either input its direction is uniform, so that the
cosine c of its angle with any axis has density f(c) = (1 − c²)^{(K−2)/2}/B(1/2, K/2).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from dporacle.reference.numerics.precision import Context, Real, real
from dporacle.reference.papers.rank_one.caps import density, norm, tail

_NARROW = 0.125  # a peak of this many cosines and more is seen without being cut out


def _bisect(ctx: Context, falls: Callable[[Real], Real], low: Real, high: Real) -> Real:
    """Return where a function that is positive at the low end passes 0."""
    for _ in range(ctx.prec + 32):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if falls(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def point(ctx: Context, power: int, eps: Real, s: Real, v: Real) -> tuple[Real, ...]:
    """Return q, w, r² and c₁ at q = 2εs/(1 + e^{−v}), w = (2ε − q/s)/K, r² = q/(e^w − 1)."""
    x = ctx.exp(v)
    q, w = 2 * eps * s * x / (1 + x), 2 * eps / (power * (1 + x))
    r2 = q / ctx.expm1(w)
    return q, w, r2, (1 - q) / (2 * ctx.sqrt(r2))


def stretches(ctx: Context, power: int, eps: Real, s: Real) -> list[tuple[Real, Real]]:
    """Return the v between which −1 < c₁ < 1 and something counts; r and ρ rise with v.

    c₁ falls through 1 once. It is −1 where g(r+1) − g(r) = ε, twice if the minimum of that,
    at r(r+1) = Ks, is below ε, else never. The last interval ends where both tails are below
    the precision. In many dimensions nearly all directions are across, |c₁| < 1/√K or so: where
    c₁ falls through 0 there is a peak, which no interval has but at its end.
    """

    def at(v: Real) -> tuple[Real, ...]:
        return point(ctx, power, eps, s, v)

    def is_far(v: Real) -> bool:
        q, _, r2, _ = at(v)
        return bool(max(-r2, 2 * eps * s - r2 - q) < -2 * s * (ctx.prec + 8) * ctx.ln2)

    def passes(cosine: Real, low: Real, high: Real) -> Real:
        return _bisect(ctx, lambda v: at(v)[3] - cosine, low, high)

    low, end = -ctx.one, ctx.one
    while not is_far(end):
        end *= 2
    while at(low)[3] < 1 or is_far(low):
        low *= 2
    end = _bisect(ctx, lambda v: -1 if is_far(v) else 1, low, end)
    start = passes(ctx.one, low, end)
    turn_r = 2 * power * s / (1 + ctx.sqrt(1 + 4 * power * s))
    high = end
    while at(high)[2] < turn_r**2:
        high = abs(high) * 2
    turn = _bisect(ctx, lambda v: turn_r**2 - at(v)[2], low, high)
    last = (turn, end)
    if power * ctx.log1p(1 / turn_r) + (1 + 2 * turn_r) / (2 * s) >= eps:
        whole = [(start, end)]
    else:
        first = passes(-ctx.one, start, turn)
        while at(high)[3] < -1:
            high = abs(high) * 2
        second = _bisect(ctx, lambda v: -1 - at(v)[3], turn, high)
        last = (second, max(second, end))
        whole = [(start, min(first, end)), last]
    # Until turn c₁ falls; beyond this (1 − c₁²)^{(K−2)/2} is below the precision.
    across = ctx.sqrt(2 * (ctx.prec + 16) * ctx.ln2 / max(power - 2, 1))
    if across > _NARROW or at(min(turn, whole[0][1]))[3] > -across:
        return whole
    before, after = (passes(c, start, min(turn, whole[0][1])) for c in (across, -across))
    peak = passes(ctx.zero, before, after)
    return [(before, peak), (peak, after), last]


def radii(ctx: Context, power: int, eps: Real, s: Real) -> list[tuple[Real, Real]]:
    """Return the ln r at the ends of the stretches."""
    return [
        tuple(ctx.log(point(ctx, power, eps, s, v)[2]) / 2 for v in ends)
        for ends in stretches(ctx, power, eps, s)
    ]


def outer(ctx: Context, power: int, eps: Real, s: Real, r: Real) -> Real:
    """Return ρ with g(ρ) = g(r) + ε: ρ²/(Ks) = W(x), x e^{−ln x} turned into Lambert's form."""
    scale = power * s
    log = 2 * eps / power + 2 * ctx.log(r) + r * r / scale - ctx.log(scale)
    return ctx.sqrt(scale * ctx.lambertw(ctx.exp(log)))


_PIECE = 3  # of ln r or of v: the integrands bend over a distance of 1


def _quad(ctx: Context, function: Callable[[Real], Real], low: Real, high: Real) -> Real:
    if not low < high:
        return ctx.zero
    pieces = max(1, int(ctx.ceil((high - low) / _PIECE)))
    points = ctx.linspace(low, high, 16 * pieces + 1)
    # mpmath stops at an absolute error, so that the integrand is made to be of order 1.
    size = max(abs(function(y)) for y in points[1:-1])
    if size == 0:
        return ctx.zero
    return size * ctx.quad(lambda y: function(y) / size, points[::16])


def elementary(
    ctx: Context, power: int, epsilon: Fraction | Real, variance: Fraction | Real
) -> tuple[Real, Real, Real]:
    """Return 1, ∫ erfc(r/√2s) f(c₁) c₁' dq and −e^ε ∫ erfc(ρ/√2s) f(c₂) c₂' dq: they add to δ.

    r² = q/(e^{(2ε−q/s)/K} − 1), ρ² = r² + q, c₁ = (1−q)/(2r), c₂ = −(1+q)/(2ρ), over the q with
    |c₁| < 1, q = 2εs/(1 + e^{−v}).
    """
    eps, s = real(ctx, epsilon), real(ctx, variance)
    if eps == 0:
        return _at_zero(ctx, power, s), ctx.zero, ctx.zero
    width, whole = ctx.sqrt(2 * s), norm(ctx, power)
    factor = ctx.exp(eps)

    @cache  # both integrals are taken over the same nodes
    def parts(v: Real) -> tuple[Real, Real]:
        q, w, r2, c1 = point(ctx, power, eps, s, v)
        x, r, rho = ctx.exp(v), ctx.sqrt(r2), ctx.sqrt(r2 + q)
        c2 = -(1 + q) / (2 * rho)
        dq = q / (1 + x)
        dr = r * (1 + x * w / -ctx.expm1(-w)) / (1 + x) / 2
        drho = (r * dr + dq / 2) / rho
        dc1 = -dq / (2 * r) - c1 * dr / r
        dc2 = -dq / (2 * rho) - c2 * drho / rho
        first = ctx.erfc(r / width) * density(ctx, power, c1) * dc1
        second = ctx.erfc(rho / width) * density(ctx, power, c2) * dc2
        return first, second

    first, second = ctx.zero, ctx.zero
    for ends in stretches(ctx, power, eps, s):
        first += _quad(ctx, lambda v: parts(v)[0], *ends)
        second += _quad(ctx, lambda v: parts(v)[1], *ends)
    return ctx.one, first / whole, -factor * second / whole


def _at_zero(ctx: Context, power: int, s: Real) -> Real:
    """δ(0) = 2 ∫₀¹ erf(1/(2c√2s)) f(c) dc, with c = sin t."""
    a = 1 / ctx.sqrt(8 * s)

    def function(u: Real) -> Real:
        c = ctx.exp(u)
        return c * ctx.erf(a / c) * density(ctx, power, c)

    low = -ctx.prec * ctx.ln2 + min(ctx.zero, ctx.log(a))
    return 2 * _quad(ctx, function, low, ctx.zero) / norm(ctx, power)


def slope_epsilon(ctx: Context, power: int, epsilon: Real, variance: Fraction | Real) -> Real:
    """∂δ/∂ε = −e^ε Q(L > ε)."""
    return elementary(ctx, power, epsilon, variance)[2]


def by_radius(
    ctx: Context, power: int, epsilon: Fraction | Real, variance: Fraction | Real
) -> tuple[Real, ...]:
    """Return P(L > ε) and −e^ε Q(L > ε), in pieces: each an integral of a Beta CDF over a radius.

    Given the distance from an input, the loss falls with the cosine, so that {L > ε} is a cap.
    """
    eps, s = real(ctx, epsilon), real(ctx, variance)
    width, beyond = ctx.sqrt(2 * s), tail(ctx, power)

    def cap(c: Real) -> Real:
        """F(c), the share of directions of cosine at most c."""
        return beyond(-c) if c < 0 else 1 - beyond(c)

    def law(t: Real) -> Real:  # of ln t, t half-normal
        return 2 * t / (width * ctx.sqrt(ctx.pi)) * ctx.exp(-t * t / (2 * s))

    if eps == 0:
        inside = ctx.erf(0.5 / width)
        end = ctx.log(width) + ctx.log(ctx.prec)
        rest = _quad(ctx, lambda y: law(ctx.exp(y)) * (2 * cap(ctx.exp(-y) / 2) - 1), -ctx.ln2, end)
        return inside, rest

    def first(y: Real) -> Real:
        r = ctx.exp(y)
        rho = outer(ctx, power, eps, s, r)
        return law(r) * cap((1 + r * r - rho * rho) / (2 * r))

    def second(y: Real) -> Real:
        rho = ctx.exp(y)
        r = outer(ctx, power, -eps, s, rho)
        return law(rho) * cap((r * r - 1 - rho * rho) / (2 * rho))

    ends_of_r = radii(ctx, power, eps, s)
    terms = [ctx.erf(ctx.exp(ends_of_r[0][0]) / width)]
    for low, high in ends_of_r:
        terms.append(_quad(ctx, first, low, high))
        ends = (ctx.log(outer(ctx, power, eps, s, ctx.exp(y))) for y in (low, high))
        terms.append(-ctx.exp(eps) * _quad(ctx, second, *ends))
    return tuple(terms)


def slope_log_variance(ctx: Context, power: int, epsilon: Fraction | Real, variance: Real) -> Real:
    """∂δ/∂ln s = −½ ∂δ/∂Δ, by the areas of the discs in which two moving balls meet.

    ∂δ/∂Δ = √(2/πs)/(K·B) ∫ (1 − c₁²)^{K/2} e^{−r²/2s} (K/r + r/s) dr over the r with |c₁| < 1.
    """
    eps, s = real(ctx, epsilon), real(ctx, variance)
    if eps == 0:
        a = 1 / ctx.sqrt(8 * s)

        def tilt(u: Real) -> Real:
            c = ctx.exp(u)
            return ctx.exp(-((a / c) ** 2)) * density(ctx, power, c)

        low = ctx.log(a) - ctx.log(ctx.prec)
        return -2 * a / ctx.sqrt(ctx.pi) * _quad(ctx, tilt, low, ctx.zero) / norm(ctx, power)

    def function(y: Real) -> Real:
        r = ctx.exp(y)
        rho = outer(ctx, power, eps, s, r)
        square = max(ctx.zero, 1 - ((1 + r * r - rho * rho) / (2 * r)) ** 2)
        return square ** (ctx.mpf(power) / 2) * ctx.exp(-r * r / (2 * s)) * (power + r * r / s)

    total = sum(_quad(ctx, function, *ends) for ends in radii(ctx, power, eps, s))
    return -total / ctx.sqrt(2 * ctx.pi * s) / (power * norm(ctx, power))
