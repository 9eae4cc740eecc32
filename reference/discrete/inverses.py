"""The discrete profile δ(ε) solved for σ: the last σ at which it is δ.

δ(ε) does not always fall as σ rises: it bends where εσ²/D − D/2 is an integer, and may have a hump
between two bends, but only one (proofs_notes/discrete_gaussian.md). So the last crossing is looked
for downwards, piece after piece, from a σ from which on a bound that falls in σ is below δ: the
ends and the top of each piece are enough. Newton's method finds its digits.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import mpmath

from dporacle import arguments
from dporacle.reference.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.reference.numerics.precision import (
    Context,
    Real,
    bits_for,
    freeze,
    once,
    real,
    settle,
    working,
)
from dporacle.reference.numerics.roots import positive_root

_LEAST = mpmath.ldexp(1, -arguments.LIMIT_BITS)
"""Below every δ that can be asked for."""

_FEW = 12
"""Digits of δ(ε) while a bracket is looked for."""

_HALVINGS = 40
"""Binary digits of its piece to which the top of a hump is found."""

_SLACK = -40
"""Bounds are compared with a relative 2^_SLACK to spare."""


class DiscreteProfile(NamedTuple):
    """δ(ε) at fixed ε and D, as functions of a context and σ².

    Attributes:
        value: δ(ε), as terms; with a third argument t, the member h_t.
        slope: dh_t/ds for s = 1/2σ², as terms.
        first: the t whose member is δ(ε). Of σ² alone.
    """

    value: Callable[[Context, Fraction, int | None], tuple[Real, ...]]
    slope: Callable[[Context, Fraction, int], tuple[Real, ...]]
    first: Callable[[Fraction], int]


def last_sigma(
    profile: DiscreteProfile, eps: Fraction, target: Fraction, distance: int, digits: int
) -> Real:
    """Return the last σ at which δ(ε) is δ."""
    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        # ln δ turns with ε and with ln δ itself: within that part of u = 1/σ.
        sharp = 1 + len(str(int(log + real(ctx, eps))))
    private, smooth = _all_private(eps, target, distance, _bounded(eps, target, distance), digits)
    if smooth is not None:
        return smooth
    pieces = _Pieces(profile, eps, target, distance, places=_places(private**2))
    member, low, high = pieces.last_crossing(private**2)
    for _ in range(4 * sharp):
        if _narrow(low, high, digits):
            return _halved(pieces.exceeds, low, high, digits)
        middle = (low + high) / 2
        low, high = (middle, high) if pieces.exceeds(middle, digits) else (low, middle)

    def newton(u: Real, digits: int) -> tuple[Real, Real]:
        """In u = 1/σ."""
        # Outside of the bracket the member is not δ(ε), and nothing is asked.
        variance = min(max(1 / arguments.exact("u", u) ** 2, low), high)
        value = once(lambda ctx: profile.value(ctx, variance, member), digits)
        rise = once(lambda ctx: profile.slope(ctx, variance, member), digits)
        with working(4 * digits + 64) as ctx:
            x = real(ctx, u)
            d, goal = real(ctx, value), real(ctx, target)
            # Where most of the noise counts, δ is close to linear in s; else its logarithm is.
            residual = (d - goal) / d if member <= 0 else ctx.log(d / goal)
            return freeze(residual), freeze(x - residual * d / (real(ctx, rise) * x))

    with working(64) as ctx:
        start = freeze(1 / ctx.sqrt(real(ctx, (low + high) / 2)))
    try:
        u = positive_root(newton, start=start, digits=digits + 2, sharp=sharp)
    except ArithmeticError:  # a root beside a bend of δ(ε), which Newton's steps leave
        return _halved(pieces.exceeds, low, high, digits)
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


def _places(value: Fraction) -> int:
    """Return about the decimal logarithm of a number, 0 for one below 1."""
    return int(value).bit_length() * 3 // 10


def _all_private(
    eps: Fraction, target: Fraction, distance: int, far: Fraction, asked: int
) -> tuple[Fraction, Real | None]:
    """Lower the bound `far` to a σ at which the continuous δ and an excess are at most δ.

    The trapezoidal rule is above the integral by at most V/8σ², V the variation of the
    integrand's slope; both fall in σ where t₀ ≥ 0. The second number is the result, where discrete
    and continuous noise do not differ in the digits asked for: by less than 1/σ² of σ.
    """
    if far < 1 or eps == 0:
        return far, None
    root = calibrate_sigma(epsilon=eps, delta=target, sensitivity=distance, digits=asked + 10)
    smooth = arguments.exact("sigma", root)
    if smooth**2 > 10 ** (asked + 5) and 2 * eps * smooth**2 >= distance**2:
        return far, settle(lambda ctx: real(ctx, root), asked)
    digits = asked + 15 + _places(smooth**2)

    def excess(ctx: Context, sigma: Fraction) -> Real | None:
        mu = real(ctx, distance / sigma)
        t = real(ctx, eps) / mu - mu / 2
        if t < 0:
            return None
        kink = mu * ctx.exp(-t * t / 2) / ctx.sqrt(2 * ctx.pi)
        variation = 2 * kink + min(ctx.mpf("0.485"), ctx.mpf("0.59") * mu)
        if t >= 1:
            variation = min(variation, ctx.mpf("3.2") * kink)
        return variation / (8 * real(ctx, sigma**2))

    def private(sigma: Fraction) -> bool:
        value = delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance, digits=digits)
        with working(bits_for(digits) + 64) as ctx:
            more = excess(ctx, sigma)
            bound = None if more is None else real(ctx, value) + more * (1 + ctx.mpf(2) ** -20)
            return bound is not None and bool(bound <= real(ctx, target))

    step = 1 / (8 * max(smooth, Fraction(1)) ** 2)
    while (near := smooth * (1 + step)) < far:
        if private(near):
            return near, None
        step *= 2
    return far, None


class _Pieces:
    """δ(ε) over σ², in pieces between the σ² at which its first term changes.

    On the piece of the first term t it is a member h_t, which rises and then falls as σ rises, and
    only falls where t ≤ 0 (proofs_notes/discrete_gaussian.md).
    """

    def __init__(
        self, profile: DiscreteProfile, eps: Fraction, target: Fraction, distance: int, places: int
    ) -> None:
        self.profile, self.eps, self.target, self.distance = profile, eps, target, distance
        self._places = places  # so many digits tell a piece from the next

    def exceeds(self, variance: Fraction, more: int = 0) -> bool:
        """Return whether δ(ε) is above the target, by a few digits and more."""
        value = once(lambda ctx: self.profile.value(ctx, variance, None), _FEW + more)
        # Below every δ that can be asked for.
        return bool(value > _LEAST) and arguments.exact("delta", value) > self.target

    def end(self, member: int) -> Fraction:
        """Return the σ² from which on another term is the first: εσ²/D − D/2 = t."""
        return self.distance * (2 * member + self.distance) / (2 * self.eps)

    def last_crossing(self, above: Fraction) -> tuple[int, Fraction, Fraction]:
        """Return a member, and two σ² of its piece: δ(ε) passes the target between them, last.

        Args:
            above: a σ² from which on all are private.
        """
        member = self.profile.first(above)
        if member > 0 and 2 * self.target >= 1:
            member, above = 0, min(above, self.end(0))  # Pr[Y ≥ 1] is below a half
        while member > 0:
            low = self.end(member - 1)
            found = self._top(member, low, above)
            if found is not None:
                return member, found, above
            member, above = member - 1, low
        # From here down δ(ε) rises only.
        low_member, high_member = -((self.distance - 1) // 2), member
        while low_member < high_member:
            middle = (low_member + high_member + 1) // 2
            if self.exceeds(self.end(middle - 1)):
                low_member = middle
            else:
                high_member = middle - 1
        if low_member < member:
            above = self.end(low_member)
        if low_member > -((self.distance - 1) // 2):
            return low_member, self.end(low_member - 1), above
        low = above / 4
        while not self.exceeds(low):
            low, above = low / 4, low
        return low_member, low, above

    def _top(self, member: int, low: Fraction, high: Fraction) -> Fraction | None:
        """Return a σ² in the piece at which δ(ε) is above the target, if there is one."""
        if self.exceeds(low, self._places):
            return low
        if self._falls(member, low) or not self._falls(member, high):
            return None  # the piece is highest at one of its ends
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.exceeds(middle, self._places):
                return middle
            low, high = (low, middle) if self._falls(member, middle) else (middle, high)
        return middle if self.exceeds(middle, self._places + _HALVINGS) else None

    def _falls(self, member: int, variance: Fraction) -> bool:
        """Return whether the member falls as σ rises: it rises in s = 1/2σ²."""
        slope = once(lambda ctx: self.profile.slope(ctx, variance, member), _FEW)
        return bool(slope > 0)


def _narrow(low: Fraction, high: Fraction, digits: int) -> bool:
    return bool((high - low) * 10 ** (digits + 2) <= high)


def _halved(
    exceeds: Callable[[Fraction, int], bool], low: Fraction, high: Fraction, asked: int
) -> Real:
    """The root in a bracket of σ² by halving it, each time with all digits."""
    while not _narrow(low, high, asked):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle, asked + 10) else (low, middle)
    return settle(lambda ctx: ctx.sqrt(real(ctx, (low + high) / 2)), asked)
