"""One step in closed form, and two by quadrature over it."""

import math
from collections.abc import Callable
from fractions import Fraction

from dporacle.reference.numerics.precision import Context, Real, freeze, real, settle, working
from dporacle.reference.subsampled.moments import Phase, Plan

Density = Callable[[Real], Real]

_PIECES = 16  # of the quadrature


def vanishes(eps: Fraction, plan: Plan) -> bool:
    """Say whether ε is beyond the largest loss of the direction add, −ΣT ln(1 − q)."""
    if any(rate == 1 for _, rate, _ in plan):
        return False
    with working(256) as ctx:
        most = -sum(steps * ctx.log(1 - real(ctx, rate)) for _, rate, steps in plan)
        return bool(real(ctx, eps) >= most)


def one_step(ctx: Context, e: Real, phase: Phase, way: str) -> tuple[Real, Real]:
    """P(x > x*) − e^ε Q(x > x*), x* where the loss is ε (for add: x < x*), for any real ε."""
    x = place_of(ctx, e, phase, way)
    if x is None:
        first = second = ctx.one if way == "remove" else ctx.zero
    else:
        first, second = _one_step_tails(ctx, x, phase, way)
    return first, -ctx.exp(e) * second


def _one_step_tails(ctx: Context, x: Real, phase: Phase, way: str) -> tuple[Real, Real]:
    """Return P and Q of a noisy sum beyond x (for add: below it)."""
    sigma, q = real(ctx, phase[0]), real(ctx, phase[1])

    def tail(x: Real) -> Real:
        return ctx.erfc(x / (sigma * ctx.sqrt(2))) / 2

    if way == "add":
        return tail(-x), (1 - q) * tail(-x) + q * tail(1 - x)
    sampled = (1 - q) * tail(x) + q * tail(x - 1)
    return sampled, tail(x) if way == "remove" else (1 - q) * tail(x) + q * tail(x + 1)


def place_of(ctx: Context, e: Real, phase: Phase, way: str) -> Real | None:
    """Return x*, the noisy sum of one step at which the loss is ε; None if it never is."""
    sigma, q = real(ctx, phase[0]), real(ctx, phase[1])
    if way == "replace":
        alpha = ctx.exp(1 / (2 * sigma**2)) * (1 - q) / q
        return sigma**2 * (ctx.asinh(alpha * ctx.sinh(e / 2)) + e / 2)
    a = ctx.exp(e if way == "remove" else -e)
    return None if a <= 1 - q else sigma**2 * ctx.log((a - 1 + q) / q) + ctx.mpf(1) / 2


def two_steps(eps: Fraction, plan: Plan, way: str, bits: int) -> Real:
    """δ₂(ε) = E[δ₁(ε − L)] over the loss L of the other step, by quadrature over its noise."""
    first = plan[0]
    # One step says less than two: its δ tells how many bits the quadrature has to hold.
    held = 400
    if not (way == "add" and vanishes(eps, [(*first[:2], 1)])):
        least = settle(lambda ctx: one_step(ctx, real(ctx, eps), first, way), 12)
        held = max(0, -math.frexp(float(least))[1]) if float(least) > 0 else 2000
    with working(bits + 64 + held) as ctx:
        e = real(ctx, eps)

        def apart(ahead: Real, behind: Real) -> Real:
            return ahead - ctx.exp(e) * behind

        return freeze(_over_noise(ctx, e, plan, way, apart))


def few_steps_tail(ctx: Context, x: Real, phase: Phase, way: str, law: int) -> Real:
    """Return P (law = 0) or Q (1) of a loss above that of all sums at x (for add: below it).

    Of one step, or of two.
    """
    if phase[2] == 1:
        return _one_step_tails(ctx, x, phase, way)[law]
    t, (ahead, behind) = x / real(ctx, phase[0]), _ratios(ctx, phase, way)
    e = 2 * ctx.log(ahead(t) / behind(t))
    return _over_noise(ctx, e, [phase], way, lambda *laws: laws[law])


def _ratios(ctx: Context, phase: Phase, way: str) -> tuple[Density, Density]:
    """Return P's and Q's densities of a noisy sum over that of the noise, in its deviations."""
    sigma, q = real(ctx, phase[0]), real(ctx, phase[1])

    def sampled(t: Real) -> Real:
        return 1 - q + q * ctx.exp(t / sigma - 1 / (2 * sigma**2))

    def none(_: Real) -> Real:
        return ctx.one

    if way == "replace":
        return sampled, lambda t: sampled(-t)
    return (none, sampled) if way == "add" else (sampled, none)


def _over_noise(
    ctx: Context, e: Real, plan: Plan, way: str, figure: Callable[[Real, Real], Real]
) -> Real:
    """Integrate over the other step's noise what P and Q of L > ε say together."""
    first, last = plan[0], plan[-1]
    sigma, q = real(ctx, last[0]), real(ctx, last[1])
    ahead, behind = _ratios(ctx, last, way)

    def integrand(t: Real) -> Real:
        p, r = ahead(t), behind(t)
        x = place_of(ctx, e - ctx.log(p / r), first, way)
        if x is None:
            tails = (ctx.one,) * 2 if way == "remove" else (ctx.zero,) * 2
        else:
            tails = _one_step_tails(ctx, x, first, way)
        return figure(p * tails[0], r * tails[1]) * ctx.exp(-t * t / 2)

    edge = ctx.sqrt(2 * ctx.prec * ctx.ln2)
    low, high = -edge - 1 / sigma, edge + 1 / sigma
    places = [low + (high - low) * k / _PIECES for k in range(_PIECES + 1)]
    # Where the loss that is left passes the end of the other step's, nothing is analytic.
    first_q = real(ctx, first[1])
    end = ctx.exp(e) / (1 - first_q) if way == "remove" else ctx.exp(-e) / (1 - first_q)
    if way != "replace" and end > 1 - q:
        places.append(sigma * ctx.log((end - 1 + q) / q) + 1 / (2 * sigma))
    # Where one step does it all, the integrand is a narrow hill.
    if (alone := place_of(ctx, e, last, way)) is not None:
        places += [alone / sigma + ctx.mpf(k) / 4 for k in (-4, -2, -1, 0, 1, 2, 4)]
    places = sorted(each for each in places if low <= each <= high)
    return ctx.quad(integrand, places) / ctx.sqrt(2 * ctx.pi)
