"""Enclosures for the Laplace mechanism (X.LAP, X.LAPRDP).

Written with hyperbolic functions, where the reference has exponentials and logarithms.
"""

from __future__ import annotations

from fractions import Fraction

import flint
from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness


@witness
def laplace_delta_at_epsilon(
    *, epsilon: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) = max(0, 1 − e^{(ε − D/b)/2}) (X.LAP)."""
    gap = sensitivity / scale - epsilon
    return tighten(lambda: lack(ball(gap / 2)), digits) if gap > 0 else arb(0)


@witness
def laplace_epsilon_at_delta(
    *, delta: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 with (ε,δ)-DP, max(0, D/b + 2 ln(1−δ)) (X.LAP)."""
    m, keep = sensitivity / scale, 1 - delta
    if keep == 0:
        return arb(0)
    # D/b is rational and the logarithm is not, unless it is 0: the sign shows in the end.
    value = tighten(lambda: ball(m) - 2 * _distance(keep), digits)
    return value if value > 0 else arb(0)


@witness
def laplace_calibrate_scale(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the least b that is (ε,δ)-DP, D/(ε − 2 ln(1−δ)) (X.LAP)."""
    keep = 1 - delta
    if epsilon == 0 and keep == 1:
        raise ValueError("epsilon must be positive where delta is 0, got 0: no scale gives both")
    return tighten(lambda: ball(sensitivity) / (ball(epsilon) + 2 * _distance(keep)), digits)


@witness
def laplace_accuracy(*, alpha: Fraction, scale: Fraction, digits: int) -> arb:
    """Enclose the a that one error exceeds with probability α, b·ln(1/α) (X.LAP)."""
    return tighten(lambda: ball(scale) * _distance(alpha), digits)


@witness
def laplace_alpha_at_accuracy(*, accuracy: Fraction, scale: Fraction, digits: int) -> arb:
    """Enclose α = Pr[|y − f(x)| > a] = e^{−a/b} (X.LAP)."""
    ratio = accuracy / scale
    return tighten(lambda: 1 / ball(ratio).exp(), digits)


@witness
def laplace_scale_at_accuracy(*, accuracy: Fraction, alpha: Fraction, digits: int) -> arb:
    """Enclose the largest b with accuracy a at significance α, a/ln(1/α) (X.LAP)."""
    return tighten(lambda: ball(accuracy) / _distance(alpha), digits)


@witness
def laplace_max_error_probability(
    *, queries: int, error: Fraction, scale: Fraction, digits: int
) -> arb:
    """Enclose Pr[max |Xᵢ| > a] = 1 − (1 − e^{−a/b})^k (X.LAP)."""
    ratio = error / scale
    if ratio == 0:
        return arb(1)

    def formula() -> arb:
        if ratio < 1:
            return 1 - lack(ball(ratio)) ** queries
        # For small tails, nothing cancels here.
        return lack(-queries * (-1 / ball(ratio).exp()).log1p())

    return tighten(formula, digits)


@witness
def laplace_max_error_quantile(
    *, queries: int, beta: Fraction, scale: Fraction, digits: int
) -> arb:
    """Enclose the a that the largest of k errors exceeds with probability β (X.LAP).

    a = −b·ln(1 − (1−β)^{1/k}).
    """
    keep = 1 - beta
    return tighten(lambda: -ball(scale) * lack(_distance(keep) / queries).log(), digits)


@witness
def laplace_rdp(*, order: Fraction, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the Rényi divergence (ln(cosh sm + sinh(sm)/2s) − m/2)/(α − 1) (X.LAPRDP).

    Here s = α − 1/2. At α = 1 it is m − 1 + e^{−m}; at α = 1/2, sinh(sm)/2s is m/2.
    """
    m = sensitivity / scale
    s = abs(order - Fraction(1, 2))
    if order == 1:
        return tighten(lambda: _kullback_leibler(m), digits)

    def formula() -> arb:
        # cosh x = e^x(1 + e^{−2x})/2 and so on: no power is larger than the answer.
        x = ball(s * m)
        rest = lack(2 * x)
        inner = 1 - rest / 2 + (rest / ball(4 * s) if s else ball(m / 2))
        return (x - ball(m / 2) + inner.log()) / ball(order - 1)

    return tighten(formula, digits)


@witness
def laplace_zcdp_rho(*, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose ρ = m − 1 + e^{−m}, the least for which it is ρ-zCDP (X.LAPRDP)."""
    m = sensitivity / scale
    return tighten(lambda: _kullback_leibler(m), digits)


def _kullback_leibler(m: Fraction) -> arb:
    """Enclose m − 1 + e^{−m}, for small m as (m²/2)·₁F₁(1; 3; −m), in which nothing cancels."""
    if m < 1:
        return ball(m * m / 2) * (-ball(m)).hypgeom_1f1(arb(1), arb(3))
    return ball(m) - lack(ball(m))


def lack(x: arb) -> arb:
    """Enclose 1 − e^{−x} for x ≥ 0, as 2t/(1 + t) with t = tanh(x/2).

    For tiny x it lies in [x − x², x].
    """
    if x < arb(2) ** -flint.ctx.prec:
        return x * (1 - x * arb(0.5, 0.5))
    t = (x / 2).tanh()
    return 2 * t / (1 + t)


def _distance(level: Fraction) -> arb:
    """Enclose ln(1/p) for an exact p in (0, 1], as 2 artanh((1−p)/(1+p))."""
    return 2 * ball((1 - level) / (1 + level)).atanh()
