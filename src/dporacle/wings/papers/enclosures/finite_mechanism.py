"""Enclosures for mechanisms with finitely many outputs (BW18.T5, GN.S3)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, precision, tighten
from dporacle.interface import Numbers, witness


@witness
def finite_delta(*, epsilon: Fraction, first: Numbers, second: Numbers, digits: int) -> arb:
    """Enclose Σ max(0, P − e^ε Q), the least δ of the pair for this ε (BW18.T5)."""
    pairs = _pairs(first, second)
    kept = [(p, q) for p, q in pairs if _reaches(epsilon, p, q) and p != q]

    def formula() -> arb:
        # P·(1 − e^{ε−L}) at each output, where the reference subtracts two sums.
        return sum((_share(epsilon, p, q) for p, q in kept), arb(0))

    return tighten(formula, digits)


def _share(eps: Fraction, p: Fraction, q: Fraction) -> arb:
    if not q:
        return ball(p)
    return -ball(p) * (ball(eps) - ball(p / q).log()).expm1()


def _pairs(first: Numbers, second: Numbers) -> list[tuple[Fraction, Fraction]]:
    laws = []
    for name, weights in (("first", first), ("second", second)):
        total = sum(weights)
        if not total:
            raise ValueError(f"{name} must have a positive weight, got only zeros")
        laws.append([each / total for each in weights])
    p, q = laws
    if len(p) != len(q):
        raise ValueError(f"second must have as many weights as first, {len(p)}, got {len(q)}")
    return list(zip(p, q, strict=True))


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


@witness
def finite_loss_upper_tail(
    *, epsilon: Fraction, first: Numbers, second: Numbers, digits: int
) -> arb:
    """Enclose Pr[L ≥ ε] for an output of P (BW18.T5); an output that Q never has counts."""
    pairs = _pairs(first, second)
    found = 1 - sum((p for p, q in pairs if not _reaches(epsilon, p, q)), Fraction(0))
    return tighten(lambda: ball(found), digits)


@witness
def finite_loss_lower_tail(
    *, epsilon: Fraction, first: Numbers, second: Numbers, digits: int
) -> arb:
    """Enclose Pr[L' ≤ −ε] for an output of Q, L' = −L (BW18.T5)."""
    pairs = _pairs(first, second)
    found = 1 - sum((q for p, q in pairs if not _reaches(epsilon, p, q)), Fraction(0))
    return tighten(lambda: ball(found), digits)


@witness
def name_and_shame_exposure(*, records: int, delta: Fraction, digits: int) -> arb:
    """Enclose 1 − (1−δ)ⁿ, the probability that some record is named (GN.S3)."""
    # By the power itself, where the others go by log1p.
    spare = max(0, delta.denominator.bit_length() - delta.numerator.bit_length()) + 8
    return tighten(lambda: 1 - ball(1 - delta) ** records, digits, spare=spare)
