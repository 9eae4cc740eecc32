"""Equal (ε₀, δ₀) boxes, and reports by randomised response (X.BOXES, X.REPORTS).

Kairouz, Oh and Viswanath, "The composition theorem for differential privacy" (2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
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


@witness
def box_composition_delta(
    *, epsilon: Fraction, box_epsilon: Fraction, box_delta: Fraction, releases: int, digits: int
) -> Real:
    """Return the least δ(ε) of k equal (ε₀, δ₀) boxes together, whatever is in them (X.BOXES).

    It is λ + (1−λ)(Pr[X ≤ J] − e^ε Pr[Y ≤ J]), 1 − λ = (1−δ₀)^k, where X and Y count the k coins
    that fall with 1/(1+e^{ε₀}) and with 1/(1+e^{−ε₀}), and J is the last j with (k−2j)ε₀ > ε.
    """
    last = -1
    while 2 * (last + 1) < releases and (releases - 2 * (last + 1)) * box_epsilon > epsilon:
        last += 1
    if last < 0 and not box_delta:
        return ZERO

    def terms(ctx: Context) -> tuple[Real, ...]:
        kept = releases * ctx.log1p(-real(ctx, box_delta))
        if last < 0:
            return (-ctx.expm1(kept),)
        mine, other = _coins(ctx, box_epsilon, releases, last)
        rest = ctx.exp(kept)
        return -ctx.expm1(kept), rest * mine, -rest * exp(ctx, epsilon) * other

    return settle(terms, digits)


def _tail(ctx: Context, k: int, last: int, epsilon: Fraction) -> Real:
    """Return Σ_{j ≤ J} C(k,j) e^{−jε} by Horner's rule."""
    x, total = exp(ctx, -epsilon), ctx.one
    for j in range(last, 0, -1):
        total = 1 + total * x * (k - j + 1) / j
    return total


@witness
def box_composition_epsilon(
    *, delta: Fraction, box_epsilon: Fraction, box_delta: Fraction, releases: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 at which k equal (ε₀, δ₀) boxes together are (ε,δ)-DP (X.BOXES).

    That of k reports on two values at (δ−λ)/(1−λ), 1 − λ = (1−δ₀)^k.

    Raises:
        ValueError: if δ is below λ, which is lost whatever ε is.
    """
    kept = (1 - box_delta) ** releases
    if delta < 1 - kept:
        raise ValueError(f"delta must be at least {_LOST}, got {arguments.show(delta)}")
    nets = range(releases, 0, -2)

    def tails(ctx: Context, last: int) -> tuple[Real, Real]:
        return _coins(ctx, box_epsilon, releases, last)

    return _least(1 - (1 - delta) / kept, box_epsilon, nets, tails, digits)


_LOST = "1 - (1 - box_delta)^releases"


@witness
def randomised_response_epsilon(
    *, delta: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 at which n reports on k values are (ε,δ)-DP (X.REPORTS)."""

    def tails(ctx: Context, last: int) -> tuple[Real, Real]:
        laws = (
            _law(ctx, report_epsilon, kinds, releases, last + 1, true=true)
            for true in (True, False)
        )
        mine, other = map(ctx.fsum, laws)
        return mine, other

    return _least(delta, report_epsilon, range(releases, 0, -1), tails, digits)


def _least(
    delta: Fraction,
    one: Fraction,
    nets: Sequence[int],
    tails: Callable[[Context, int], tuple[Real, Real]],
    digits: int,
) -> Real:
    """Return the least ε ≥ 0 at which δ(ε) is at most δ, nets being the losses over ε₀, falling.

    Between two losses δ(ε) = Pr[X ≤ J] − e^ε Pr[Y ≤ J], the tails of the larger ones under both
    laws. It falls, so that halving finds the two losses; there e^ε is solved for.
    """
    if not delta or not one:
        return settle(lambda ctx: real(ctx, nets[0] * one), digits) if one else ZERO

    def above(last: int, epsilon: Fraction) -> bool:
        """Tell whether δ(ε) is above δ; they are not equal, as δ(ε) is transcendental."""

        def excess(ctx: Context) -> tuple[Real, ...]:
            mine, other = tails(ctx, last)
            return mine, -exp(ctx, epsilon) * other, -real(ctx, delta)

        return bool(once(excess, _FEW) > 0)

    most = len(nets) - 1
    if not above(most, Fraction(0)):
        return ZERO
    low, high = 0, len(nets)  # δ(ε) is 0 at the largest loss, and above δ at 0
    while high - low > 1:
        middle = (low + high) // 2
        if above(middle - 1, nets[middle] * one):
            high = middle
        else:
            low = middle

    def excess(ctx: Context) -> tuple[Real, ...]:
        """Return the terms of Pr[X ≤ J] − δ − Pr[Y ≤ J], which is (e^ε − 1)·Pr[Y ≤ J]."""
        mine, other = tails(ctx, low)
        return mine, -other, -real(ctx, delta)

    gain = once(excess, digits + 4)
    with working(bits_for(digits) + 64) as ctx:
        return freeze(ctx.log1p(real(ctx, gain) / tails(ctx, low)[1]))


_FEW = 12  # digits of a difference whose sign is looked at


def _coins(ctx: Context, one: Fraction, k: int, last: int) -> tuple[Real, Real]:
    """Return Pr[X ≤ J] and Pr[Y ≤ J], which count coins of 1/(1+e^{ε₀}) and of 1/(1+e^{−ε₀})."""
    whole = (1 + exp(ctx, -one)) ** k
    return (
        _tail(ctx, k, last, one) / whole,
        exp(ctx, -k * one) * _tail(ctx, k, last, -one) / whole,
    )


def _law(
    ctx: Context, one: Fraction, kinds: int, n: int, count: int, *, true: bool = True
) -> list[Real]:
    """Return the masses of the losses nε₀, (n−1)ε₀, …, so many of them, report by report.

    The loss rises by ε₀, stays or falls by it with e^{ε₀}, k − 2 and 1 over e^{ε₀} + k − 1, or
    under the other law with 1, k − 2 and e^{ε₀} over it.
    """
    x = exp(ctx, -one)
    whole = 1 + (kinds - 1) * x
    up, stay, down = 1 / whole, (kinds - 2) * x / whole, x / whole
    if not true:
        up, down = down, up
    found = [ctx.one]  # by how far the loss is below its largest value
    for _ in range(n):
        padded = [ctx.zero, ctx.zero, *found, ctx.zero, ctx.zero]
        found = [
            up * padded[j + 2] + stay * padded[j + 1] + down * padded[j]
            for j in range(min(len(found) + 2, count))
        ]
    return found


@witness
def randomised_response_delta(
    *, epsilon: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> Real:
    """Return the least δ(ε) of n reports by randomised response on k values (X.REPORTS).

    By the law of the loss, report by report.
    """
    gaps = [net * report_epsilon - epsilon for net in range(releases, 0, -1)]
    gaps = [gap for gap in gaps if gap > 0]
    if not gaps:
        return ZERO

    def formula(ctx: Context) -> Real:
        law = _law(ctx, report_epsilon, kinds, releases, len(gaps))
        return ctx.fsum(-mass * expm1(ctx, -gap) for mass, gap in zip(law, gaps, strict=False))

    return settle(formula, digits)
