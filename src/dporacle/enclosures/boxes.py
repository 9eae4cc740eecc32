"""Enclosures for equal (ε₀, δ₀) boxes and reports by randomised response (X.BOXES, X.REPORTS).

Of the boxes by their number of unlikely answers, of the reports by the powers of a polynomial;
every term is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb, arb_poly

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness

_SHORT = 1 << 16  # bits of λ, in which it may be a float64


@witness
def box_composition_delta(
    *, epsilon: Fraction, box_epsilon: Fraction, box_delta: Fraction, releases: int, digits: int
) -> arb:
    """Enclose the least δ(ε) of k equal (ε₀, δ₀) boxes together, whatever is in them (X.BOXES).

    It is λ + (1−λ) Σ_j C(k,j) x^j (1+x)^{−k} (1 − e^{ε−(k−2j)ε₀}), x = e^{−ε₀}, over the j with
    (k−2j)ε₀ > ε; 1 − λ = (1−δ₀)^k.
    """
    gaps = _gaps(epsilon, box_epsilon, releases, 2)
    if not gaps and releases * box_delta.denominator.bit_length() < _SHORT:
        leaked = 1 - (1 - box_delta) ** releases  # rational, and short enough to be a point
        return tighten(lambda: ball(leaked), digits)

    def formula() -> arb:
        x = (-ball(box_epsilon)).exp()
        weight, total = arb(1), arb(0)
        for j, gap in enumerate(gaps):
            total += weight * _gain(gap)
            weight *= x * (releases - j) / (j + 1)
        kept = releases * (-ball(box_delta)).log1p()
        return -kept.expm1() + kept.exp() * total / (1 + x) ** releases

    return tighten(formula, digits)


@witness
def box_composition_epsilon(
    *, delta: Fraction, box_epsilon: Fraction, box_delta: Fraction, releases: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 at which k equal (ε₀, δ₀) boxes together are (ε,δ)-DP (X.BOXES).

    The sum beside λ has to be (δ−λ)/(1−λ), 1 − λ = (1−δ₀)^k.

    Raises:
        ValueError: if δ is below λ, which is lost whatever ε is.
    """
    kept = (1 - box_delta) ** releases
    if delta < 1 - kept:
        raise ValueError(
            f"delta must be at least 1 - (1 - box_delta)^releases, got {arguments.show(delta)}"
        )
    left = 1 - (1 - delta) / kept

    def weights(x: arb) -> list[arb]:
        found = [1 / (1 + x) ** releases]
        for j in range(releases // 2):
            found.append(found[-1] * x * (releases - j) / (j + 1))
        return found

    return _least(left, box_epsilon, range(releases, 0, -2), weights, digits)


@witness
def randomised_response_epsilon(
    *, delta: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 at which n reports on k values are (ε,δ)-DP (X.REPORTS)."""

    def weights(x: arb) -> list[arb]:
        powers = arb_poly([arb(1), (kinds - 2) * x, x]) ** releases
        whole = (1 + (kinds - 1) * x) ** releases
        return [powers[j] / whole for j in range(releases)]

    return _least(delta, report_epsilon, range(releases, 0, -1), weights, digits)


def _least(
    delta: Fraction,
    one: Fraction,
    nets: Sequence[int],
    weights: Callable[[arb], list[arb]],
    digits: int,
) -> arb:
    """Enclose the largest ε at which Σ_{j≤J} w_j(1 − e^{ε−g_j}) is δ for some J, g_j = net_j·ε₀.

    δ(ε) is the largest of these sums, each of which falls in ε: so is the ε. None is below 0.
    """
    if not delta or not one:
        return tighten(lambda: ball(nets[0] * one), digits)

    def formula() -> arb:
        target, gains, second, best = ball(delta), arb(0), arb(0), arb(0)
        for net, weight in zip(nets, weights((-ball(one)).exp()), strict=False):
            fall = (-ball(net * one)).exp()
            gains += weight * _gain(net * one)
            second += weight * fall
            share = (gains - target) / second
            if not share <= 0:
                best = best.max(share.max(arb(0)).log1p())
        return best

    return tighten(formula, digits)


@witness
def randomised_response_delta(
    *, epsilon: Fraction, report_epsilon: Fraction, kinds: int, releases: int, digits: int
) -> arb:
    """Enclose the least δ(ε) of n reports by randomised response on k values (X.REPORTS).

    By the coefficients of (1 + (k−2)x z + x z²)ⁿ, x = e^{−ε₀}: that of z^j belongs to the loss
    (n−j)ε₀.
    """
    gaps = _gaps(epsilon, report_epsilon, releases, 1)
    if not gaps:
        return arb(0)

    def formula() -> arb:
        x = (-ball(report_epsilon)).exp()
        powers = arb_poly([arb(1), (kinds - 2) * x, x]) ** releases
        total = sum((powers[j] * _gain(gap) for j, gap in enumerate(gaps)), arb(0))
        return total / (1 + (kinds - 1) * x) ** releases

    return tighten(formula, digits)


def _gaps(epsilon: Fraction, one: Fraction, releases: int, step: int) -> list[Fraction]:
    """How far the losses k·ε₀, (k − step)·ε₀, … are above ε, as long as they are."""
    found = []
    for net in range(releases, 0, -step):
        gap = net * one - epsilon
        if gap <= 0:
            break
        found.append(gap)
    return found


def _gain(gap: Fraction) -> arb:
    return -(-ball(gap)).expm1()
