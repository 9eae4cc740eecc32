"""Enclosures for counts that are shown from a threshold on (X.TAU, X.LAPTAU, X.INTTAU).

Of k counts of 1 one reaches τ with probability 1 − (1−p)^k, p that of a single one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.interface import witness


@witness
def count_threshold(*, delta: Fraction, sigma: Fraction, contributions: int, digits: int) -> arb:
    """Enclose the least τ that one of k counts of 1 reaches with probability δ at most (X.TAU)."""

    def quantile(hidden: arb) -> arb:
        """Φ⁻¹ of e to this."""
        shown = -hidden.expm1()
        if shown.mid() < 0.25:
            return arb(2).sqrt() * (2 * shown).erfcinv()
        if shown.mid() > 0.75:
            return -arb(2).sqrt() * (2 * hidden.exp()).erfcinv()
        return arb(2).sqrt() * (1 - 2 * shown).erfinv()

    return _threshold(delta, contributions, lambda hidden: ball(sigma) * quantile(hidden), digits)


def _threshold(target: Fraction, count: int, beyond: Callable[[arb], arb], digits: int) -> arb:
    """Enclose 1 and what the noise adds, from ln of the probability that a count is hidden."""
    if _even(target, count):
        return arb(1)
    # ln(1−δ) is needed relative to its distance from −k ln 2, too: precision rises until it is.
    return tighten(lambda: 1 + beyond((-ball(target)).log1p() / count), digits)


def _even(target: Fraction, count: int) -> bool:
    """Whether a count of 1 is hidden with probability exactly 1/2: the noise adds 0."""
    rest = 1 - target
    size = rest.denominator.bit_length() - 1
    return rest.numerator == 1 and size == count and rest.denominator == 1 << size


@witness
def count_threshold_delta(
    *, threshold: Fraction, sigma: Fraction, contributions: int, digits: int
) -> arb:
    """Enclose 1 − Φ((τ−1)/σ)^k, the probability that one of k counts of 1 reaches τ (X.TAU)."""
    ratio = (threshold - 1) / sigma

    def hidden() -> arb:
        z = ball(ratio)
        return (-normal_tail(z)).log1p() if ratio > 0 else normal_tail(-z).log()

    return tighten(lambda: -(contributions * hidden()).expm1(), digits)


@witness
def laplace_count_threshold(
    *, epsilon: Fraction, delta: Fraction, contributions: int, digits: int
) -> arb:
    """Enclose the least τ at which k counts with Laplace noise k/ε are (ε,δ)-DP (X.LAPTAU)."""

    def beyond(hidden: arb) -> arb:
        shown = -hidden.expm1()
        if shown.mid() < 0.25:
            log = -(2 * shown).log()
        elif shown.mid() > 0.75:
            log = (2 * hidden.exp()).log()
        else:  # 1 − 2p, whose sign says on which side of 1/2 the probability lies
            gap = 1 - 2 * shown
            log = -(-abs(gap)).log1p()
            if gap < 0:
                log = -log
            elif not gap > 0:
                return arb("nan")  # more precision is asked for
        return contributions * log / ball(epsilon)

    return _threshold(delta, contributions, beyond, digits)


@witness
def laplace_count_threshold_delta(
    *, threshold: Fraction, epsilon: Fraction, contributions: int, digits: int
) -> arb:
    """Enclose the probability that one of k counts of 1 with noise k/ε reaches τ (X.LAPTAU)."""
    power = (threshold - 1) * epsilon / contributions

    def formula() -> arb:
        if power > 0:
            return -(contributions * (-(-ball(power)).exp() / 2).log1p()).expm1()
        return -(contributions * (ball(power) - arb(2).log())).expm1()

    return tighten(formula, digits)


@witness
def integer_count_threshold_delta(
    *, threshold: int, scale: Fraction, contributions: int, digits: int
) -> arb:
    """Enclose the probability that one of k counts of 1 with whole noise reaches τ (X.INTTAU)."""
    far = threshold - 1

    def formula() -> arb:
        rest = (-ball(1 / scale)).exp().log1p()
        if far > 0:
            hidden = (-(-ball(far / scale) - rest).exp()).log1p()
        else:
            hidden = -ball((1 - far) / scale) - rest
        return -(contributions * hidden).expm1()

    return tighten(formula, digits)
