"""Selections that are made again and again: the end from above of δ and ε (X.ADAPTIVE, X.FLIPS).

Of n permute-and-flips it is that of Laplace releases. Of n exponential mechanisms whose scores may
depend on earlier answers, it is a game on a grid through ε that no other witness has.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from dporacle.interface import witness
from dporacle.reference.exponential_mechanism import (
    exponential_mechanism_delta,
    exponential_mechanism_epsilon,
)
from dporacle.reference.laplace import laplace_epsilon_at_delta
from dporacle.reference.laplace_composition import laplace_repeated_delta
from dporacle.reference.numerics.functions import exp, expm1
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    bits_for,
    freeze,
    once,
    real,
    settle,
    working,
)

_GRID = 400  # so many points to all ranges together
_FEWEST, _MOST = 16, 50  # and to one of them
_DIGITS = 5  # of an ε, where the grid's error is larger


@witness
def exponential_mechanism_adaptive_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> Real:
    """Return an upper end of δ(ε) of n exponential mechanisms that may see earlier answers.

    With M_r(x) = e^{−x/2}(1 − V_r(x)), V_r what an adversary reaches in r of them (X.ADAPTIVE), it
    is 1 − e^{ε/2}M_n(ε), where M₀(x) = e^{−|x|/2} and

        M_{r+1}(x) = min over t in [0, η] of
            (sinh((η−t)/2) M_r(x−t) + sinh(t/2) M_r(x−t+η))/sinh(η/2).

    On a grid M_r is replaced by what is not above it, such means of neighbouring values.
    """
    n, eta = releases, selection_epsilon
    if epsilon >= n * eta:
        return ZERO
    if n == 1:
        return exponential_mechanism_delta(epsilon=epsilon, scale=2, sensitivity=eta, digits=digits)
    if epsilon >= (n - 1) * eta:
        return settle(lambda ctx: _all_of_the_larger_loss(ctx, epsilon, eta, n), digits)
    steps = min(max(_GRID // n, _FEWEST), _MOST)

    def terms(ctx: Context) -> tuple[Real, ...]:
        return ctx.one, -exp(ctx, epsilon / 2) * _error(ctx, epsilon, eta, n, steps)

    return once(terms, digits)  # a number of the grid, whatever its bits


def _all_of_the_larger_loss(
    ctx: Context, epsilon: Fraction, eta: Fraction, n: int
) -> tuple[Real, Real]:
    """Return p^n and −e^ε q^n at t = (ε+η)/(n+1): no other answers have a loss above ε."""
    t = (epsilon + eta) / (n + 1)
    p = expm1(ctx, t - eta) / expm1(ctx, -eta)
    return p**n, -exp(ctx, epsilon) * (p * exp(ctx, -t)) ** n


def _error(ctx: Context, epsilon: Fraction, eta: Fraction, n: int, steps: int) -> Real:
    """Return what is not above M_n(ε), on the grid ε + jη/steps."""
    game = _Errors(ctx, eta, steps)
    place, size = epsilon * steps / eta, n * steps
    # What nothing is left to play for: no better than to say which law is likelier.
    first = [exp(ctx, -abs(epsilon + j * game.step) / 2) for j in range(-size, size + 1)]
    row = first
    for stage in range(1, n + 1):
        span = size - stage * steps
        low = max(-span, floor(-stage * steps - place) + 1)
        high = min(span, ceil(stage * steps - place) - 1)
        row = [
            game.least(row, size + j) if low <= j <= high else first[size + j]
            for j in range(-size, size + 1)
        ]
    return row[size]


class _Errors:
    """One selection before what follows."""

    def __init__(self, ctx: Context, eta: Fraction, steps: int) -> None:
        self.ctx, self.steps, self.step = ctx, steps, eta / steps
        half = [ctx.sinh(real(ctx, i * self.step / 2)) for i in range(steps + 1)]
        self.early, self.late = half[::-1], half  # sinh((η−t)/2), sinh(t/2)
        self.whole, self.cell = half[-1], half[1]
        # e^{±t/2} from −h to η.
        self.power = [exp(ctx, (i - 1) * self.step / 2) for i in range(steps + 2)]
        self.most = exp(ctx, self.step)

    def least(self, row: list[Real], at: int) -> Real:
        """Return the minimum over t of a row's means at one of its places."""
        m = self.steps
        here, there = row[at - m : at + 1][::-1], row[at : at + m + 1][::-1]
        means = [
            one * a + other * b
            for one, other, a, b in zip(self.early, self.late, here, there, strict=True)
        ]
        best = min(means)
        cells = {
            cell
            for k, each in enumerate(means)
            if (k == 0 or each <= means[k - 1]) and (k == m or each <= means[k + 1])
            for cell in range(max(0, k - 2), min(m, k + 2))
        }
        for cell in cells:
            inside = self._inside(here[cell : cell + 2], there[cell : cell + 2], cell)
            if inside is not None and inside < best:
                best = inside
        return best / self.whole

    def _inside(self, early: list[Real], late: list[Real], cell: int) -> Real | None:
        """Return the least value strictly inside a cell, where t = ih + s; None if there is none.

        The products of sinh are C + (Pe^s + Ne^{−s})/2, which is least where e^{2s} = N/P.
        """
        (a, a1), (b, b1) = early, late
        up, back = self.power[cell + 1], self.power[cell]  # e^{t/2}, e^{(t−h)/2}
        left, further = self.power[-1] / up, self.power[-1] / back  # e^{(η−t)/2}, e^{(η−t+h)/2}
        rising = a / further - a1 / left - b * back + b1 * up
        falling = a * further - a1 * left - b / back + b1 / up
        if not (rising > 0 and rising < falling < rising * self.most**2):
            return None
        near, step = self.power[2], self.power[2]

        def cosh(x: Real) -> Real:
            return (x + 1 / x) / 2

        constant = -a * cosh(left / step) + a1 * cosh(left) + b * cosh(up * near) - b1 * cosh(up)
        return (constant + self.ctx.sqrt(rising * falling)) / (2 * self.cell)


@witness
def exponential_mechanism_adaptive_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> Real:
    """Return an upper end of the least ε ≥ 0 of such exponential mechanisms (X.ADAPTIVE)."""
    most = releases * selection_epsilon
    if releases == 1:
        return exponential_mechanism_epsilon(
            delta=delta, scale=2, sensitivity=selection_epsilon, digits=digits
        )

    def value(epsilon: Fraction) -> Real:
        return exponential_mechanism_adaptive_delta(
            epsilon=epsilon, selection_epsilon=selection_epsilon, releases=releases, digits=8
        )

    return _passing(value, delta, most, most - selection_epsilon, min(digits, _DIGITS))


@witness
def permute_and_flip_repeated_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> Real:
    """Return an upper end of δ(ε) of n permute-and-flips: that of n Laplace releases (X.FLIPS)."""
    return laplace_repeated_delta(
        epsilon=epsilon, scale=1, sensitivity=selection_epsilon, releases=releases, digits=digits
    )


@witness
def permute_and_flip_repeated_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> Real:
    """Return an upper end of the least ε ≥ 0 of n permute-and-flips (X.FLIPS)."""
    most = releases * selection_epsilon
    if releases == 1:
        return laplace_epsilon_at_delta(
            delta=delta, scale=1, sensitivity=selection_epsilon, digits=digits
        )

    def value(epsilon: Fraction) -> Real:
        return permute_and_flip_repeated_delta(
            epsilon=epsilon,
            selection_epsilon=selection_epsilon,
            releases=releases,
            digits=digits + 4,
        )

    return _passing(value, delta, most, most / 2, digits)


def _passing(
    falling: Callable[[Fraction], Real],
    delta: Fraction,
    most: Fraction,
    known: Fraction,
    digits: int,
) -> Real:
    """Return a point at which a falling function is at most δ, and less by 10^-digits of it only.

    By false position in its logarithm; what stays twice counts half.

    Args:
        falling: is 0 at `most`.
        delta: δ, positive.
        most: nη.
        known: a point between, which is tried before 0 is.
        digits: of δ.
    """
    with working(bits_for(digits) + 64) as ctx:
        goal, close = ctx.log(real(ctx, delta)), ctx.mpf(10) ** -digits

        def excess(at: Fraction) -> Real:
            value = falling(at)
            return ctx.log(real(ctx, value)) - goal if value > 0 else -ctx.inf

        low, high, first, last = known, most, excess(known), -ctx.inf
        if first <= 0:
            low, high, first, last = Fraction(0), known, excess(Fraction(0)), first
        if first <= 0:
            return ZERO
        found, before = last, 0
        while found < -close and (high - low) * 10 ** (digits + 2) > high:
            lean = ctx.mpf(1) / 2
            if last > -ctx.inf:  # a little aside, so that the upper side comes close
                lean = min(first / (first - last) + close / 100, 1 - close)
            at = low + (high - low) * Fraction(*map(int, freeze(lean).as_integer_ratio()))
            unit = Fraction(most, 10 ** (digits + 20))
            at = max(at // unit, 1) * unit
            value = excess(at)
            side = 1 if value <= 0 else -1
            if side > 0:
                high, last, found = at, value, value
                first = first / 2 if before == side else first
            else:
                low, first = at, value
                last = last / 2 if before == side else last
            before = side
        return settle(lambda fine: real(fine, high), digits)
