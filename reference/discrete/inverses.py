"""The discrete profile δ(ε) solved for σ: the last σ at which it is δ.

δ(ε) does not always fall as σ rises: it bends where εσ²/D − D/2 is an integer, and may have a hump
between two bends. So the last crossing is looked for downwards, from a σ from which on a bound
that falls in σ is below δ, in steps that are short beside the distance of two bends; then Newton's
method finds its digits. The enclosure of the same name proves that no σ was stepped over.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import mpmath

from dporacle import arguments
from dporacle.reference.analytic_gaussian import delta_at_epsilon
from dporacle.reference.numerics.precision import Context, Real, freeze, once, real, settle, working
from dporacle.reference.numerics.roots import positive_root

__all__ = ["Profile", "last_sigma"]

Height = Callable[[Fraction, int], Fraction]
"""(σ, digits) -> δ(ε)."""

_LEAST = mpmath.ldexp(1, -arguments.LIMIT_BITS)
"""Below every δ that can be asked for."""

_FEW = 12
"""Digits of δ(ε) while a bracket is looked for."""

_WIDEST = Fraction(1, 256)
"""The longest step, relative to σ; where 2ε ≤ D, δ(ε) falls across the bends of noise so wide."""

_PER_BEND = 16
"""Steps between two bends, which are a relative D/2εσ² apart."""

_SHORTEST = Fraction(1, 2**16)
"""The shortest step, which bounds the work."""

_PARTS = 2**20
"""A hump's top is found to one in so many parts of its bracket, by thirds."""

_LOWER = 1024
_HALVINGS = 24
"""The start is lowered by up to this factor, to a relative 2^-14 of where the bound is δ."""

_SLACK = -40
"""Bounds are compared with a relative 2^_SLACK to spare."""


class Profile(NamedTuple):
    """δ(ε) at fixed ε and D, as functions of a context and σ².

    Attributes:
        value: δ(ε), as terms.
        slope: dδ/ds for s = 1/2σ², from δ(ε) too.
        whole: whether most of the noise counts, so that δ(ε) is close to linear in s; else its
            logarithm is. Of σ² alone.
    """

    value: Callable[[Context, Fraction], tuple[Real, ...]]
    slope: Callable[[Context, Fraction, Real], Real]
    whole: Callable[[Fraction], bool]


def last_sigma(
    profile: Profile, eps: Fraction, target: Fraction, distance: int, digits: int
) -> Real:
    """Return the last σ at which δ(ε) is δ."""

    def height(sigma: Fraction, digits: int = _FEW) -> Fraction:
        value = once(lambda ctx: profile.value(ctx, sigma**2), digits)
        return arguments.exact("delta", value) if value > _LEAST else Fraction(0)

    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        # ln δ turns with ε and with ln δ itself: within that part of u = 1/σ.
        sharp = 1 + len(str(int(log + real(ctx, eps))))
    private = _all_private(eps, target, distance, _bounded(eps, target, distance))
    following, private = _last_crossing(height, private, eps, target, distance)
    for _ in range(4 * sharp):
        middle = (private + following) / 2
        if height(middle) > target:
            following = middle
        else:
            private = middle

    whole = profile.whole(following**2)

    def newton(u: Real, digits: int) -> tuple[Real, Real]:
        """In u = 1/σ."""
        # Far from the bracket, where δ(ε) may turn, nothing is asked.
        variance = 1 / min(max(arguments.exact("u", u), 1 / private), 1 / following) ** 2
        value = once(lambda ctx: profile.value(ctx, variance), digits)
        # A step half as long as the digits carried asks no more of its slope.
        with working(2 * digits + 64) as ctx:
            rise = freeze(profile.slope(ctx, variance, value))  # in s = u²/2
        with working(4 * digits + 64) as ctx:
            x = real(ctx, u)
            d, goal = real(ctx, value), real(ctx, target)
            residual = (d - goal) / d if whole else ctx.log(d / goal)
            return freeze(residual), freeze(x - residual * d / (real(ctx, rise) * x))

    with working(64) as ctx:
        start = freeze(real(ctx, 2 / (private + following)))
    try:
        u = positive_root(newton, start=start, digits=digits + 2, sharp=sharp)
    except ArithmeticError:  # a root beside a bend of δ(ε), which Newton's steps leave
        return _halved(height, target, following, private, digits)
    return settle(lambda ctx: 1 / real(ctx, u), digits)


def _bounded(eps: Fraction, target: Fraction, distance: int) -> Fraction:
    """A σ from which on Pinsker's D/2σ or the zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = D²/2σ², is below δ."""
    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        sigma = distance / (2 * real(ctx, target))
        if eps:
            e = real(ctx, eps)
            sigma = min(sigma, distance * (ctx.sqrt(log + e) + ctx.sqrt(log)) / (e * ctx.sqrt(2)))
        return arguments.exact("sigma", freeze(sigma * (1 + ctx.ldexp(1, _SLACK))))


def _all_private(eps: Fraction, target: Fraction, distance: int, high: Fraction) -> Fraction:
    """Lower the bound `high` towards the σ at which δ_cont + b is δ: both fall in σ."""

    def private(sigma: Fraction) -> bool:
        smooth = delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance, digits=15)
        with working(64) as ctx:
            bound = real(ctx, smooth) + _discretisation(ctx, eps, sigma, distance)
            return bool(bound <= real(ctx, target) * (1 - ctx.ldexp(1, _SLACK)))

    if not private(high):
        return high
    low = high / _LOWER
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


def _discretisation(ctx: Context, eps: Fraction, sigma: Fraction, distance: int) -> Real:
    """b(σ) ≥ δ(ε) − δ_cont(ε) (X.DG): V/8σ², V a bound of the variation of the summand's slope.

    It is μ(4.4 + 2|t₀| + μ) with t₀ = ε/μ − μ/2, so that μ|t₀| ≤ ε + μ²/2; and for t₀ ≥ 1 also
    μφ(t₀)(4 + μ/t₀).
    """
    mu = real(ctx, distance / sigma)
    t = real(ctx, eps) / mu - mu / 2
    variation = (4.4 + 2 * mu) * mu + 2 * real(ctx, eps)
    if t >= 1:
        density = ctx.exp(-t * t / 2) / ctx.sqrt(2 * ctx.pi)
        variation = min(variation, mu * density * (4 + mu / t))
    return variation / (8 * real(ctx, sigma**2))


def _last_crossing(
    height: Callable[[Fraction], Fraction],
    private: Fraction,
    eps: Fraction,
    target: Fraction,
    distance: int,
) -> tuple[Fraction, Fraction]:
    """Return a σ that is not private, and one above it from which on all are."""
    older, before = private, height(private)
    last = before
    while True:
        share = _WIDEST
        if 2 * eps > distance:
            bend = distance / (2 * eps * private**2)
            share = min(share, max(bend / _PER_BEND, _SHORTEST))
        with working(96) as ctx:
            following = arguments.exact("sigma", freeze(real(ctx, private * (1 - share))))
        value = height(following)
        if value > target:
            return following, private
        if before < last > value and height(peak := _peak(height, following, older)) > target:
            return peak, older
        older, before, private, last = private, last, following, value


def _peak(height: Callable[[Fraction], Fraction], low: Fraction, high: Fraction) -> Fraction:
    """Where the only hump in a bracket is highest, to a millionth of its width."""
    first, last = 0, _PARTS

    def at(part: int) -> Fraction:
        return low + (high - low) * Fraction(part, _PARTS)

    while last - first > 2:
        third = (last - first) // 3
        left, right = first + third, last - third
        if height(at(left)) < height(at(right)):
            first = left
        else:
            last = right
    return at((first + last) // 2)


def _halved(height: Height, target: Fraction, low: Fraction, high: Fraction, digits: int) -> Real:
    """The root in a bracket by halving it, each time with all digits."""
    while (high - low) * 10 ** (digits + 2) > high:
        middle = (low + high) / 2
        above = height(middle, digits + 10) > target
        low, high = (middle, high) if above else (low, middle)
    return settle(lambda ctx: real(ctx, (low + high) / 2), digits)
