"""Enclosures for mechanisms with finitely many outputs (BW18.T5, GN.S3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, precision, tighten

__all__ = [
    "finite_delta",
    "finite_loss_lower_tail",
    "finite_loss_upper_tail",
    "name_and_shame_exposure",
]


def finite_delta(*, epsilon: Exact, first: Any, second: Any, digits: int = 50) -> arb:
    """Enclose Σ max(0, P − e^ε Q), the least δ of the pair for this ε (BW18.T5).

    Args:
        epsilon: in [0, ∞).
        first: the weights of P, nonnegative, not all 0.
        second: the weights of Q on the same outputs.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, pairs = _pairs(epsilon, first, second)
    kept = [(p, q) for p, q in pairs if _reaches(eps, p, q) and p != q]

    def formula() -> arb:
        # P·(1 − e^{ε−L}) at each output, where the reference subtracts two sums.
        return sum((_share(eps, p, q) for p, q in kept), arb(0))

    return tighten(formula, arguments.digits(digits))


def _share(eps: Fraction, p: Fraction, q: Fraction) -> arb:
    if not q:
        return ball(p)
    return -ball(p) * (ball(eps) - ball(p / q).log()).expm1()


def _pairs(
    epsilon: Exact, first: Any, second: Any
) -> tuple[Fraction, list[tuple[Fraction, Fraction]]]:
    laws = []
    for name, values in (("first", first), ("second", second)):
        weights = [
            arguments.nonnegative(f"{name}[{i}]", each)
            for i, each in enumerate(arguments.vector(name, values))
        ]
        total = sum(weights)
        if not total:
            raise ValueError(f"{name} must have a positive weight, got only zeros")
        laws.append([each / total for each in weights])
    p, q = laws
    if len(p) != len(q):
        raise ValueError(f"second must have as many weights as first, {len(p)}, got {len(q)}")
    return arguments.epsilon(epsilon), list(zip(p, q, strict=True))


def _reaches(eps: Fraction, p: Fraction, q: Fraction) -> bool:
    """Whether p ≥ e^ε q, decided: e^ε is irrational for a rational ε > 0."""
    if not (eps and p and q):
        return p >= q
    bits = 64
    while bits <= MAX_BITS:
        with precision(bits):
            gap = ball(p / q).log() - ball(eps)
            if gap > 0 or gap < 0:
                return bool(gap > 0)
        bits *= 2
    raise ArithmeticError("a privacy loss is too close to epsilon")


def finite_loss_upper_tail(*, epsilon: Exact, first: Any, second: Any, digits: int = 50) -> arb:
    """Enclose Pr[L ≥ ε] for an output of P (BW18.T5); an output that Q never has counts.

    Arguments and errors as for `finite_delta`.
    """
    eps, pairs = _pairs(epsilon, first, second)
    found = 1 - sum((p for p, q in pairs if not _reaches(eps, p, q)), Fraction(0))
    return tighten(lambda: ball(found), arguments.digits(digits))


def finite_loss_lower_tail(*, epsilon: Exact, first: Any, second: Any, digits: int = 50) -> arb:
    """Enclose Pr[L' ≤ −ε] for an output of Q, L' = −L (BW18.T5).

    Arguments and errors as for `finite_delta`.
    """
    eps, pairs = _pairs(epsilon, first, second)
    found = 1 - sum((q for p, q in pairs if not _reaches(eps, p, q)), Fraction(0))
    return tighten(lambda: ball(found), arguments.digits(digits))


def name_and_shame_exposure(*, records: int, delta: Exact, digits: int = 50) -> arb:
    """Enclose 1 − (1−δ)ⁿ, the probability that some record is named (GN.S3).

    Args:
        records: n, at least 1.
        delta: the probability with which a record is published, in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    n, share = arguments.count("records", records), arguments.delta(delta)
    # By the power itself, where the others go by log1p.
    spare = max(0, share.denominator.bit_length() - share.numerator.bit_length()) + 8
    return tighten(lambda: 1 - ball(1 - share) ** n, arguments.digits(digits), spare=spare)
