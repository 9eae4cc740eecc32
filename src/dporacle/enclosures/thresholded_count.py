"""Enclosures for counts that are shown from a threshold on (X.TAU, X.LAPTAU).

Of k counts of 1 one reaches τ with probability 1 − (1−p)^k, p that of a single one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail

__all__ = [
    "count_threshold",
    "count_threshold_delta",
    "laplace_count_threshold",
    "laplace_count_threshold_delta",
]


def count_threshold(*, delta: Exact, sigma: Exact, contributions: int = 1, digits: int = 50) -> arb:
    """Enclose the least τ that one of k counts of 1 reaches with probability δ at most (X.TAU).

    Args:
        delta: in (0, 1).
        sigma: standard deviation of the noise on each count, in (0, ∞).
        contributions: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    scale = arguments.positive("sigma", sigma)
    target, k = arguments.delta(delta), arguments.count("contributions", contributions)

    def quantile(hidden: arb) -> arb:
        """Φ⁻¹ of e to this."""
        shown = -hidden.expm1()
        if shown.mid() < 0.25:
            return arb(2).sqrt() * (2 * shown).erfcinv()
        if shown.mid() > 0.75:
            return -arb(2).sqrt() * (2 * hidden.exp()).erfcinv()
        return arb(2).sqrt() * (1 - 2 * shown).erfinv()

    return _threshold(target, k, lambda hidden: ball(scale) * quantile(hidden), digits)


def _threshold(target: Fraction, count: int, beyond: Callable[[arb], arb], digits: int) -> arb:
    """Enclose 1 and what the noise adds, from ln of the probability that a count is hidden."""
    if _even(target, count):
        return arb(1)
    # ln(1−δ) is needed relative to its distance from −k ln 2, too: precision rises until it is.
    return tighten(lambda: 1 + beyond((-ball(target)).log1p() / count), arguments.digits(digits))


def _even(target: Fraction, count: int) -> bool:
    """Whether a count of 1 is hidden with probability exactly 1/2: the noise adds 0."""
    rest = 1 - target
    size = rest.denominator.bit_length() - 1
    return rest.numerator == 1 and size == count and rest.denominator == 1 << size


def count_threshold_delta(
    *, threshold: Exact, sigma: Exact, contributions: int = 1, digits: int = 50
) -> arb:
    """Enclose 1 − Φ((τ−1)/σ)^k, the probability that one of k counts of 1 reaches τ (X.TAU).

    Args:
        threshold: τ, any number.
        sigma: standard deviation of the noise on each count, in (0, ∞).
        contributions: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    tau, scale = arguments.exact("threshold", threshold), arguments.positive("sigma", sigma)
    k, ratio = arguments.count("contributions", contributions), (tau - 1) / scale

    def hidden() -> arb:
        z = ball(ratio)
        return (-normal_tail(z)).log1p() if ratio > 0 else normal_tail(-z).log()

    return tighten(lambda: -(k * hidden()).expm1(), arguments.digits(digits))


def laplace_count_threshold(
    *, epsilon: Exact, delta: Exact, contributions: int = 1, digits: int = 50
) -> arb:
    """Enclose the least τ at which k counts with Laplace noise k/ε are (ε,δ)-DP (X.LAPTAU).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        contributions: k, in how many counts one person is counted, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.positive("epsilon", epsilon)
    target, k = arguments.delta(delta), arguments.count("contributions", contributions)

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
        return k * log / ball(eps)

    return _threshold(target, k, beyond, digits)


def laplace_count_threshold_delta(
    *, threshold: Exact, epsilon: Exact, contributions: int = 1, digits: int = 50
) -> arb:
    """Enclose the probability that one of k counts of 1 with noise k/ε reaches τ (X.LAPTAU).

    Args:
        threshold: τ, any number.
        epsilon: in (0, ∞).
        contributions: k, at least 1.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    tau, eps = arguments.exact("threshold", threshold), arguments.positive("epsilon", epsilon)
    k = arguments.count("contributions", contributions)
    power = (tau - 1) * eps / k

    def formula() -> arb:
        if power > 0:
            return -(k * (-(-ball(power)).exp() / 2).log1p()).expm1()
        return -(k * (ball(power) - arb(2).log())).expm1()

    return tighten(formula, arguments.digits(digits))
