"""Mechanisms with finitely many outputs: (ε,δ)-DP from its definition on (BW18.T5, GN.S3).

A pair of neighbours is a pair of distributions P, Q on the same outputs, given by weights that are
divided by their sum. Its privacy loss at an output is L = ln(P/Q).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import Numbers, witness
from dporacle.reference.numerics.functions import exp, log
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

_SIGN_DIGITS = 12  # a sign wants no digits; `settle` finds as many as it needs


@witness
def finite_delta(*, epsilon: Fraction, first: Numbers, second: Numbers, digits: int) -> Real:
    """Return Σ max(0, P − e^ε Q), the least δ with P(S) ≤ e^ε Q(S) + δ for all S (BW18.T5)."""
    p, q = _pair(first, second)
    kept = [i for i in range(len(p)) if _side(epsilon, p[i], q[i]) > 0]
    if not kept:
        return ZERO
    # The sum over the outputs where it is positive, which are decided exactly.
    heads, tails = (sum(each[i] for i in kept) for each in (p, q))

    def formula(ctx: Context) -> tuple[Real, Real]:
        return real(ctx, heads), -exp(ctx, epsilon) * real(ctx, tails)

    return settle(formula, digits)


def _pair(first: Numbers, second: Numbers) -> tuple[list[Fraction], list[Fraction]]:
    laws = []
    for name, weights in (("first", first), ("second", second)):
        total = sum(weights)
        if not total:
            raise ValueError(f"{name} must have a positive weight, got only zeros")
        laws.append([each / total for each in weights])
    p, q = laws
    if len(p) != len(q):
        raise ValueError(f"second must have as many weights as first, {len(p)}, got {len(q)}")
    return p, q


def _side(eps: Fraction, p: Fraction, q: Fraction) -> int:
    """The sign of p − e^ε q. For a rational ε > 0 and p, q > 0 it is never 0 (Lindemann)."""
    if not (eps and p and q):
        return (p > q) - (p < q)
    return 1 if settle(lambda ctx: (log(ctx, p / q), -real(ctx, eps)), _SIGN_DIGITS) > 0 else -1


@witness
def finite_loss_upper_tail(
    *, epsilon: Fraction, first: Numbers, second: Numbers, digits: int
) -> Real:
    """Return Pr[L ≥ ε] for an output of P (BW18.T5); an output that Q never has counts."""
    p, q = _pair(first, second)
    found = sum((a for a, b in zip(p, q, strict=True) if _side(epsilon, a, b) >= 0), Fraction(0))
    return _rational(found, digits)


@witness
def finite_loss_lower_tail(
    *, epsilon: Fraction, first: Numbers, second: Numbers, digits: int
) -> Real:
    """Return Pr[L' ≤ −ε] for an output of Q, L' = ln(Q/P) = −L (BW18.T5)."""
    p, q = _pair(first, second)
    found = sum((b for a, b in zip(p, q, strict=True) if _side(epsilon, a, b) >= 0), Fraction(0))
    return _rational(found, digits)


def _rational(value: Fraction, digits: int) -> Real:
    return settle(lambda ctx: real(ctx, value), digits) if value else ZERO


@witness
def name_and_shame_exposure(*, records: int, delta: Fraction, digits: int) -> Real:
    """Return 1 − (1−δ)ⁿ: the chance that one record is named, if each is with δ (GN.S3)."""

    def formula(ctx: Context) -> Real:
        exponent = records * log(ctx, 1 - delta)
        return -ctx.expm1(exponent)

    return settle(formula, digits)
