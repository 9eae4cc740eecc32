"""Equal (ε₀, δ₀) boxes, and reports by randomised response (X.BOXES, X.REPORTS).

Kairouz, Oh and Viswanath, "The composition theorem for differential privacy" (2015).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, expm1
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    bits_for,
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
        whole = ctx.exp(kept) / (1 + exp(ctx, -box_epsilon)) ** releases
        mine = whole * _tail(ctx, releases, last, box_epsilon)
        other = exp(ctx, epsilon - releases * box_epsilon) * whole
        return -ctx.expm1(kept), mine, -other * _tail(ctx, releases, last, -box_epsilon)

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
    return _least(1 - (1 - delta) / kept, box_epsilon, 2, releases, digits)


_LOST = "1 - (1 - box_delta)^releases"


@witness
def randomised_response_epsilon(
    *, delta: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 at which n reports on k values are (ε,δ)-DP (X.REPORTS)."""
    return _least(delta, report_epsilon, kinds, releases, digits)


def _law(ctx: Context, one: Fraction, kinds: int, n: int) -> list[Real]:
    """Return the chances that n reports lose j·ε₀ less than the most, for j below n.

    A report's loss rises by ε₀, stays or falls by ε₀, with e^{ε₀}, k − 2 and 1 over e^{ε₀} + k − 1.
    The n-th power of that polynomial is Miller's recurrence: of these terms all are positive.
    """
    x = exp(ctx, -one)
    whole = 1 + (kinds - 1) * x
    up, stay, down = 1 / whole, (kinds - 2) * x / whole, x / whole
    found = [up**n, n * stay * up ** (n - 1)][:n]
    for j in range(2, n):
        one_back = (n + 1 - j) * stay * found[j - 1]
        two_back = (2 * n + 2 - j) * down * found[j - 2]
        found.append((one_back + two_back) / (j * up))
    return found


def _least(delta: Fraction, one: Fraction, kinds: int, n: int, digits: int) -> Real:
    """Return the ε in whose piece δ(ε) is δ: there it is Σ_{j≤J} p_j − e^ε Σ_{j≤J} q_j."""
    if not delta or not one:
        return settle(lambda ctx: real(ctx, n * one), digits) if one else ZERO

    def formula(ctx: Context) -> Real:
        first, second, best, target = ctx.zero, ctx.zero, ctx.zero, real(ctx, delta)
        for net, p in zip(range(n, 0, -1), _law(ctx, one, kinds, n), strict=False):
            first += p * -expm1(ctx, -net * one)  # p − q
            second += p * exp(ctx, -net * one)
            # The ε that gives δ by the losses so far: that of the right ones is the largest.
            if first > target:
                best = max(best, ctx.log1p((first - target) / second))
        return best

    with working(bits_for(digits) + 64) as ctx:
        if not formula(ctx):
            return ZERO
    return settle(formula, digits)


@witness
def randomised_response_delta(
    *, epsilon: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> Real:
    """Return the least δ(ε) of n reports by randomised response on k values (X.REPORTS)."""
    gaps = [net * report_epsilon - epsilon for net in range(releases, 0, -1)]
    gaps = [gap for gap in gaps if gap > 0]
    if not gaps:
        return ZERO

    def formula(ctx: Context) -> Real:
        law = _law(ctx, report_epsilon, kinds, releases)
        return ctx.fsum(-mass * expm1(ctx, -gap) for mass, gap in zip(law, gaps, strict=False))

    return settle(formula, digits)
