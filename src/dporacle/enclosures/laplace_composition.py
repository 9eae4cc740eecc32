"""Enclosures for Laplace releases together, and with Gaussian ones (X.LAPCOMP, X.LAPGAUSS)."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import mills, normal_density, normal_tail
from dporacle.interface import witness


@witness
def laplace_repeated_delta(
    *, epsilon: Fraction, scale: Fraction, releases: int, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) of k equal Laplace releases together (X.LAPCOMP).

    By how many losses lie strictly between their two ends: d of them, the others at the ends.
    """
    m = sensitivity / scale
    top = (releases * m - epsilon) / 2
    if top <= 0:
        return arb(0)
    steps = [j for j in range(releases) if j * m < top]
    counts = _ways(releases)

    def formula() -> arb:
        total = arb(0)
        for j in steps:
            gains = _gains(ball(top - j * m), releases)
            inner = sum((row[j] * gain for row, gain in zip(counts, gains, strict=True)), arb(0))
            total += (-ball(j * m)).exp() * inner
        return total / arb(2) ** releases

    return tighten(formula, digits, spare=2 * releases)


def _ways(k: int) -> list[list[int]]:
    """In row d and column j, Σ_q (−1)^q C(d,q) · k!/(d! c! (k−d−c)!), c = j − q of the others low.

    The d uniform lengths below m have the volume of Irwin and Hall, whose q-th term begins at qm.
    It is C(k,d) times the coefficient of x^j in (1−x)^d (1+x)^{k−d}; from one d to the next,
    (1 + x) times the new polynomial is (1 − x) times the old.
    """
    row = [comb(k, j) for j in range(k + 1)]
    rows = [row]
    for d in range(1, k + 1):
        before = following = 0
        changed = []
        for each in row:
            following = each - before - following
            before = each
            changed.append(following)
        row = changed
        rows.append([comb(k, d) * each for each in row])
    return rows


def _gains(a: arb, most: int) -> list[arb]:
    """∫₀^a t^{d−1}/(d−1)! (e^{−t} − e^{t−2a}) dt for d = 0, …, most; at d = 0, 1 − e^{−2a}.

    It is e^{−a} times Σ_{n≥d} aⁿ/n! less Σ_{n≥d} (−1)^{n−d} aⁿ/n!, which are aᵈ/d! times Kummer's
    ₁F₁(1; d+1; ±a). The first grows downwards in d without cancellation, the second downwards
    while d > a and upwards below.
    """
    powers = [(-a).exp()]
    for n in range(1, most + 1):
        powers.append(powers[-1] * a / n)
    same, other = ([arb(0)] * (most + 1) for _ in range(2))
    same[most] = powers[most] * _confluent(most + 1, a)
    other[most] = powers[most] * _confluent(most + 1, -a)
    turn = next((d for d in range(most + 1) if a < d), most)
    for d in range(most, 0, -1):
        same[d - 1] = powers[d - 1] + same[d]
    for d in range(most, turn, -1):
        other[d - 1] = powers[d - 1] - other[d]
    if turn:
        other[0] = (-2 * a).exp()
    for d in range(1, turn):
        other[d] = powers[d - 1] - other[d - 1]
    return [one - two for one, two in zip(same, other, strict=True)]


def _confluent(b: int, x: arb) -> arb:
    return x.hypgeom_1f1(arb(1), arb(b))


@witness
def laplace_gaussian_delta(
    *, epsilon: Fraction, scale: Fraction, mu: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) of a Laplace release and Gaussian releases together (X.LAPGAUSS).

    With a = (ε−m)/μ, c = (ε+m)/μ and m(·) the Mills ratio it is
    φ(a−μ/2)·(m(a−μ/2) − m(a)) + e^{−2εm/μ²}·φ(a−μ/2)·(m(c) − m(c+μ/2)), all positive.
    """
    m = sensitivity / scale
    a, c = (epsilon - m) / mu, (epsilon + m) / mu
    y = a - mu / 2

    def formula() -> arb:
        density = normal_density(ball(y))
        far = density * ball(-2 * epsilon * m / (mu * mu)).exp()
        far *= mills(ball(c)) - mills(ball(c + mu / 2))
        if y > Fraction(-1, 2):
            return density * (mills(ball(y)) - mills(ball(a))) + far
        # Far to the left the Mills ratios are beyond all bounds; the density times them is not.
        half = ball((epsilon - m) / 2 - mu * mu / 8).exp()
        return normal_tail(ball(y)) - half * normal_tail(ball(a)) + far

    return tighten(formula, digits)
