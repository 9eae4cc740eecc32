"""The curve {L = ε} on which the rank-one mechanism's privacy loss is ε.

Distances are in units of the sensitivity, s = σ*/Δ², K = M − 1. The noise n has density
∝ ‖n‖^−K e^{−‖n‖²/2s}; at distance r from one input and ρ from the other an output's privacy loss
is g(ρ) − g(r), g(t) = K ln t + t²/2s. Seen from either input its direction is uniform, so that the
cosine c of its angle with any axis has density f(c) = (1 − c²)^{(K−2)/2}/B(1/2, K/2).
"""

from collections.abc import Callable

from dporacle.reference.numerics.precision import Context, Real

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
