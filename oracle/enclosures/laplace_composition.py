"""Enclosures for Laplace releases together, and with Gaussian ones (X.LAPCOMP, X.LAPGAUSS)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import mills, normal_density, normal_tail

__all__ = ["laplace_gaussian_delta", "laplace_repeated_delta"]

_MOST = 256


def laplace_repeated_delta(
    *, epsilon: Exact, scale: Exact, releases: int, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε) of k equal Laplace releases together (X.LAPCOMP).

    By how many losses lie strictly between their two ends: d of them, the others at the ends.

    Args:
        epsilon: in [0, ∞), for all releases together.
        scale: b of the noise of each release, in (0, ∞).
        releases: k, from 1 to 256.
        sensitivity: ℓ1-sensitivity D of each release, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, k = arguments.epsilon(epsilon), arguments.count("releases", releases, most=_MOST)
    m = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    asked, top = arguments.digits(digits), (k * m - eps) / 2
    if top <= 0:
        return arb(0)
    steps = [j for j in range(k) if j * m < top]
    counts = {j: [_ways(k, d, j) for d in range(k + 1)] for j in steps}

    def formula() -> arb:
        total = arb(0)
        for j in steps:
            gains = _gains(ball(top - j * m), k)
            inner = sum((n * gain for n, gain in zip(counts[j], gains, strict=True)), arb(0))
            total += (-ball(j * m)).exp() * inner
        return total / arb(2) ** k

    return tighten(formula, asked, spare=2 * k)


def _ways(k: int, d: int, j: int) -> int:
    """Σ_q (−1)^q C(d,q) · k!/(d! c! (k−d−c)!), c = j − q of the others at the lower end.

    The d uniform lengths below m have the volume of Irwin and Hall, whose q-th term begins at qm.
    """
    return sum(
        (-1) ** q
        * comb(d, q)
        * (factorial(k) // (factorial(d) * factorial(j - q) * factorial(k - d - j + q)))
        for q in range(max(0, j - k + d), min(d, j) + 1)
    )


def _gains(a: arb, most: int) -> list[arb]:
    """∫₀^a t^{d−1}/(d−1)! (e^{−t} − e^{t−2a}) dt for d = 0, …, most; at d = 0, 1 − e^{−2a}.

    With Kummer's function, a^d e^{−a}/d! · (₁F₁(1; d+1; a) − ₁F₁(1; d+1; −a)).
    """
    gains, power = [], (-a).exp()
    for d in range(most + 1):
        if d:
            power *= a / d
        gains.append(power * (_confluent(d + 1, a) - _confluent(d + 1, -a)))
    return gains


def _confluent(b: int, x: arb) -> arb:
    return x.hypgeom_1f1(arb(1), arb(b))


def laplace_gaussian_delta(
    *, epsilon: Exact, scale: Exact, mu: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε) of a Laplace release and Gaussian releases together (X.LAPGAUSS).

    With a = (ε−m)/μ, c = (ε+m)/μ and m(·) the Mills ratio it is
    φ(a−μ/2)·(m(a−μ/2) − m(a)) + e^{−2εm/μ²}·φ(a−μ/2)·(m(c) − m(c+μ/2)), all positive.

    Args:
        epsilon: in [0, ∞), for all releases together.
        scale: b of the Laplace noise, in (0, ∞).
        mu: μ of all Gaussian releases, √Σ(Dᵢ/σᵢ)², in (0, ∞).
        sensitivity: ℓ1-sensitivity D of the Laplace release, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, g = arguments.epsilon(epsilon), arguments.positive("mu", mu)
    m = arguments.positive("sensitivity", sensitivity) / arguments.positive("scale", scale)
    a, c = (eps - m) / g, (eps + m) / g
    y = a - g / 2

    def formula() -> arb:
        density = normal_density(ball(y))
        far = density * ball(-2 * eps * m / (g * g)).exp()
        far *= mills(ball(c)) - mills(ball(c + g / 2))
        if y > Fraction(-1, 2):
            return density * (mills(ball(y)) - mills(ball(a))) + far
        # Far to the left the Mills ratios are beyond all bounds; the density times them is not.
        half = ball((eps - m) / 2 - g * g / 8).exp()
        return normal_tail(ball(y)) - half * normal_tail(ball(a)) + far

    return tighten(formula, arguments.digits(digits))
