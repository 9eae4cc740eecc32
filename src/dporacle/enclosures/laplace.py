"""Enclosures for the Laplace mechanism (X.LAP, X.LAPRDP).

Written with hyperbolic functions, where the reference has exponentials and logarithms.
"""

from __future__ import annotations

from fractions import Fraction

import flint
from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact, show
from dporacle.enclosures.arithmetic.balls import ball, tighten

__all__ = [
    "laplace_accuracy",
    "laplace_alpha_at_accuracy",
    "laplace_calibrate_scale",
    "laplace_delta_at_epsilon",
    "laplace_epsilon_at_delta",
    "laplace_max_error_probability",
    "laplace_max_error_quantile",
    "laplace_rdp",
    "laplace_scale_at_accuracy",
    "laplace_zcdp_rho",
]


def laplace_delta_at_epsilon(
    *, epsilon: Exact, scale: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε) = max(0, 1 − e^{(ε − D/b)/2}) (X.LAP).

    Args:
        epsilon: in [0, ∞).
        scale: b of the noise, in (0, ∞); its standard deviation is b√2.
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    gap = _ratio(sensitivity, scale) - arguments.epsilon(epsilon)
    asked = arguments.digits(digits)
    return tighten(lambda: _lack(ball(gap / 2)), asked) if gap > 0 else arb(0)


def laplace_epsilon_at_delta(
    *, delta: Exact, scale: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the smallest ε ≥ 0 with (ε,δ)-DP, max(0, D/b + 2 ln(1−δ)) (X.LAP).

    Args:
        delta: in [0, 1]; 0 gives D/b, the ε of pure differential privacy.
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m, keep = _ratio(sensitivity, scale), 1 - _delta(delta, one_allowed=True)
    asked = arguments.digits(digits)
    if keep == 0:
        return arb(0)
    # D/b is rational and the logarithm is not, unless it is 0: the sign shows in the end.
    value = tighten(lambda: ball(m) - 2 * _distance(keep), asked)
    return value if value > 0 else arb(0)


def laplace_calibrate_scale(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the least b that is (ε,δ)-DP, D/(ε − 2 ln(1−δ)) (X.LAP).

    Args:
        epsilon: in [0, ∞).
        delta: in [0, 1); 0, which is pure differential privacy, needs a positive epsilon.
        sensitivity: ℓ1-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, keep = arguments.epsilon(epsilon), 1 - _delta(delta)
    distance, asked = arguments.positive("sensitivity", sensitivity), arguments.digits(digits)
    if eps == 0 and keep == 1:
        raise ValueError("epsilon must be positive where delta is 0, got 0: no scale gives both")
    return tighten(lambda: ball(distance) / (ball(eps) + 2 * _distance(keep)), asked)


def laplace_accuracy(*, alpha: Exact, scale: Exact, digits: int = 50) -> arb:
    """Enclose the a that one error exceeds with probability α, b·ln(1/α) (X.LAP).

    Args:
        alpha: significance level, in (0, 1]; 1 gives 0.
        scale: b of the noise, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, b = arguments.alpha(alpha), arguments.positive("scale", scale)
    return tighten(lambda: ball(b) * _distance(level), arguments.digits(digits))


def laplace_alpha_at_accuracy(*, accuracy: Exact, scale: Exact, digits: int = 50) -> arb:
    """Enclose α = Pr[|y − f(x)| > a] = e^{−a/b} (X.LAP).

    Args:
        accuracy: the error a that is exceeded, in [0, ∞), in the unit of scale.
        scale: b of the noise, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = arguments.nonnegative("accuracy", accuracy) / arguments.positive("scale", scale)
    return tighten(lambda: 1 / ball(ratio).exp(), arguments.digits(digits))


def laplace_scale_at_accuracy(*, accuracy: Exact, alpha: Exact, digits: int = 50) -> arb:
    """Enclose the largest b with accuracy a at significance α, a/ln(1/α) (X.LAP).

    Args:
        accuracy: the error a that may be exceeded with probability α, in (0, ∞).
        alpha: significance level, in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound, level = arguments.positive("accuracy", accuracy), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every scale has that accuracy")
    return tighten(lambda: ball(bound) / _distance(level), asked)


def laplace_max_error_probability(
    *, queries: int, error: Exact, scale: Exact, digits: int = 50
) -> arb:
    """Enclose Pr[max |Xᵢ| > a] = 1 − (1 − e^{−a/b})^k (X.LAP).

    Args:
        queries: k, at least 1.
        error: a, in [0, ∞).
        scale: b of the noise on each answer, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k = arguments.count("queries", queries)
    ratio = arguments.nonnegative("error", error) / arguments.positive("scale", scale)
    asked = arguments.digits(digits)
    if ratio == 0:
        return arb(1)

    def formula() -> arb:
        if ratio < 1:
            return 1 - _lack(ball(ratio)) ** k
        # For small tails, nothing cancels here.
        return _lack(-k * (-1 / ball(ratio).exp()).log1p())

    return tighten(formula, asked)


def laplace_max_error_quantile(*, queries: int, beta: Exact, scale: Exact, digits: int = 50) -> arb:
    """Enclose the a that the largest of k errors exceeds with probability β (X.LAP).

    a = −b·ln(1 − (1−β)^{1/k}).

    Args:
        queries: k, at least 1.
        beta: in (0, 1).
        scale: b of the noise on each answer, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, keep = arguments.count("queries", queries), 1 - _beta(beta)
    b, asked = arguments.positive("scale", scale), arguments.digits(digits)
    return tighten(lambda: -ball(b) * _lack(_distance(keep) / k).log(), asked)


def laplace_rdp(*, order: Exact, scale: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose the Rényi divergence (ln(cosh sm + sinh(sm)/2s) − m/2)/(α − 1) (X.LAPRDP).

    Here s = α − 1/2. At α = 1 it is m − 1 + e^{−m}; at α = 1/2, sinh(sm)/2s is m/2.

    Args:
        order: α, in (0, ∞).
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    alpha, m = arguments.positive("order", order), _ratio(sensitivity, scale)
    asked, s = arguments.digits(digits), abs(alpha - Fraction(1, 2))
    if alpha == 1:
        return tighten(lambda: _kullback_leibler(m), asked)

    def formula() -> arb:
        # cosh x = e^x(1 + e^{−2x})/2 and so on: no power is larger than the answer.
        x = ball(s * m)
        lack = _lack(2 * x)
        inner = 1 - lack / 2 + (lack / ball(4 * s) if s else ball(m / 2))
        return (x - ball(m / 2) + inner.log()) / ball(alpha - 1)

    return tighten(formula, asked)


def laplace_zcdp_rho(*, scale: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose ρ = m − 1 + e^{−m}, for which it is ρ-zCDP and for no smaller one (X.LAPRDP).

    Args:
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = _ratio(sensitivity, scale)
    return tighten(lambda: _kullback_leibler(m), arguments.digits(digits))


def _kullback_leibler(m: Fraction) -> arb:
    """Enclose m − 1 + e^{−m}, for small m as (m²/2)·₁F₁(1; 3; −m), in which nothing cancels."""
    if m < 1:
        return ball(m * m / 2) * (-ball(m)).hypgeom_1f1(arb(1), arb(3))
    return ball(m) - _lack(ball(m))


def _lack(x: arb) -> arb:
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


def _ratio(sensitivity: Exact, scale: Exact) -> Fraction:
    """Return m = D/b."""
    distance = arguments.positive("sensitivity", sensitivity)
    return distance / arguments.positive("scale", scale)


def _delta(value: Exact, *, one_allowed: bool = False) -> Fraction:
    """Return δ ∈ [0, 1), or [0, 1]: noise that gives δ = 0 exists."""
    number = arguments.exact("delta", value)
    if not 0 <= number <= 1 or (number == 1 and not one_allowed):
        upper = "at most" if one_allowed else "less than"
        raise ValueError(f"delta must be at least 0 and {upper} 1, got {show(value)}")
    return number


def _beta(value: Exact) -> Fraction:
    number = arguments.exact("beta", value)
    if not 0 < number < 1:
        raise ValueError(f"beta must be positive and less than 1, got {show(value)}")
    return number
