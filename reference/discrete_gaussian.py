"""The discrete Gaussian mechanism of Canonne, Kamath and Steinke 2020 (X.DG).

An integer answer of sensitivity D is released with noise Y of Pr[Y = x] ∝ e^{−x²/2σ²} on the
integers. It is (ε,δ)-DP if and only if (their theorem 7)

    δ(ε) := Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] ≤ δ.

Unlike the continuous mechanism's, this δ(ε) does not always fall as σ rises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.accuracy import accuracy
from dporacle.reference.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.reference.numerics.lattice import half_sums, normaliser
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

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_tail",
    "discrete_variance",
]


_LEAST = mpmath.ldexp(1, -arguments.LIMIT_BITS)
_HALVINGS = 40


def _first(eps: Fraction, variance: Fraction, distance: int) -> int:
    """The least integer above εσ²/D − D/2."""
    return math.floor(eps * variance / distance - Fraction(distance, 2)) + 1


def discrete_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter σ of the noise, in (0, ∞).
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, variance = arguments.epsilon(epsilon), arguments.positive("sigma", sigma) ** 2
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    return settle(lambda ctx: _profile(ctx, eps, variance, distance), arguments.digits(digits))


def _profile(
    ctx: Context, eps: Fraction, variance: Fraction, distance: int, member: int | None = None
) -> tuple[Real, ...]:
    """The terms Pr[Y ≥ t] and −e^ε Pr[Y ≥ t + D] of δ(ε), the first as 1 − Pr[Y > −t] if t ≤ 0."""
    first = _first(eps, variance, distance) if member is None else member
    norm = normaliser(ctx, variance)[0]
    far = half_sums(ctx, variance, first + distance, eps)[0] / norm
    if first > 0:
        return half_sums(ctx, variance, first)[0] / norm, -far
    return ctx.one, -half_sums(ctx, variance, 1 - first)[0] / norm, -far


def discrete_calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return the least σ from which on every σ is private (X.DG).

    It is the last σ at which δ(ε) = δ, looked for downwards from the σ at which a bound that falls
    in σ is δ: the zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = D²/2σ², Pinsker's D/2σ, or the continuous δ and
    how far the trapezoidal rule may be above it. Between two bends δ(ε) has one hump at most, so
    that the ends of each piece and its top are enough.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    asked = arguments.digits(digits)
    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        # ln δ turns with ε and with ln δ itself: within that part of u = 1/σ.
        sharp = 1 + len(str(int(log + real(ctx, eps))))
        sigma = distance / (2 * real(ctx, target))
        if eps:
            e = real(ctx, eps)
            sigma = min(sigma, distance * (ctx.sqrt(log + e) + ctx.sqrt(log)) / (e * ctx.sqrt(2)))
        far = arguments.exact("sigma", freeze(sigma * (1 + ctx.mpf(2) ** -40)))
    private, smooth = _all_private(eps, target, distance, far, asked)
    if smooth is not None:
        return smooth

    pieces = _Pieces(eps, target, distance, places=_places(private**2))
    member, low, high = pieces.last_crossing(private**2)
    for _ in range(4 * sharp):
        if _narrow(low, high, asked):
            return _halved(pieces.exceeds, low, high, asked)
        middle = (low + high) / 2
        low, high = (middle, high) if pieces.exceeds(middle, asked) else (low, middle)

    def newton(u: Real, digits: int) -> tuple[Real, Real]:
        """In u = 1/σ."""
        # Outside of the bracket the member is not δ(ε), and nothing is asked.
        variance = min(max(1 / arguments.exact("u", u) ** 2, low), high)
        value = once(lambda ctx: _profile(ctx, eps, variance, distance, member), digits)
        rise = once(lambda ctx: _slope(ctx, eps, variance, distance, member), digits)
        with working(4 * digits + 64) as ctx:
            x = real(ctx, u)
            d, goal = real(ctx, value), real(ctx, target)
            # Where most of the noise counts, δ is close to linear in s; else its logarithm is.
            residual = (d - goal) / d if member <= 0 else ctx.log(d / goal)
            return freeze(residual), freeze(x - residual * d / (real(ctx, rise) * x))

    with working(64) as ctx:
        start = freeze(1 / ctx.sqrt(real(ctx, (low + high) / 2)))
    try:
        u = positive_root(newton, start=start, digits=asked + 2, sharp=sharp)
    except ArithmeticError:  # a root beside a bend of δ(ε), which Newton's steps leave
        return _halved(pieces.exceeds, low, high, asked)
    return settle(lambda ctx: 1 / real(ctx, u), asked)


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

    def __init__(self, eps: Fraction, target: Fraction, distance: int, places: int) -> None:
        self.eps, self.target, self.distance = eps, target, distance
        self._places = places  # so many digits tell a piece from the next

    def exceeds(self, variance: Fraction, more: int = 0) -> bool:
        """Return whether δ(ε) is above the target, by 12 digits and more."""
        value = once(lambda ctx: _profile(ctx, self.eps, variance, self.distance), 12 + more)
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
        member = _first(self.eps, above, self.distance)
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
        slope = once(lambda ctx: _slope(ctx, self.eps, variance, self.distance, member), 12)
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


def _slope(
    ctx: Context, eps: Fraction, variance: Fraction, distance: int, first: int
) -> tuple[Real, ...]:
    """The terms of dδ/ds for s = 1/2σ², of the member with this first term."""
    norm, spread = normaliser(ctx, variance)
    far = half_sums(ctx, variance, first + distance, eps)[1]
    if first > 0:
        near: tuple[Real, ...] = (-half_sums(ctx, variance, first)[1],)
    else:
        near = -spread, half_sums(ctx, variance, 1 - first)[1]
    value = _profile(ctx, eps, variance, distance, first)
    return tuple(term / norm for term in (far, *near)) + tuple(
        spread * term / norm for term in value
    )


def discrete_tail(*, error: int, sigma: Exact, digits: int = 50) -> Real:
    """Return Pr[|Y| > a] (X.DG).

    Args:
        error: a, at least 0.
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, variance = arguments.count("error", error, least=0), arguments.positive("sigma", sigma) ** 2

    return _tail(a, variance, arguments.digits(digits))


def _tail(error: int, variance: Fraction, digits: int) -> Real:
    def formula(ctx: Context) -> Real:
        return 2 * half_sums(ctx, variance, error + 1)[0] / normaliser(ctx, variance)[0]

    return settle(formula, digits)


def discrete_accuracy(*, alpha: Exact, sigma: Exact) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Args:
        alpha: significance level, in (0, 1].
        sigma: the parameter σ of the noise, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if α agrees with a tail to some 300 digits.
    """
    level, scale = arguments.alpha(alpha), arguments.positive("sigma", sigma)
    if level == 1:
        return 0

    def exceeds(error: int) -> bool:
        for digits in (20, 80, 320):
            tail = _tail(error, scale**2, digits)
            with working(bits_for(digits) + 24) as ctx:
                gap = real(ctx, tail) / real(ctx, level) - 1
                if abs(gap) > ctx.mpf(10) ** (1 - digits):
                    return bool(gap > 0)
        raise ArithmeticError("alpha cannot be told from a tail")

    near = accuracy(alpha=level, sigma=scale, digits=15 + _places(scale))
    guess = math.floor(arguments.exact("accuracy", near))
    low, high, step = max(guess - 2, -1), guess + 2, 2
    while exceeds(high):
        low, high, step = high, high + step, 2 * step
    while low >= 0 and not exceeds(low):
        low, high, step = max(low - step, -1), low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def discrete_variance(*, sigma: Exact, digits: int = 50) -> Real:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    variance = arguments.positive("sigma", sigma) ** 2

    def formula(ctx: Context) -> Real:
        total, square = normaliser(ctx, variance)
        return square / total

    return settle(formula, arguments.digits(digits))
