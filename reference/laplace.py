"""The Laplace mechanism: pure and approximate privacy, accuracy, divergences (X.LAP, X.LAPRDP).

Noise of density e^{−|x|/b}/2b on every coordinate of an answer of ℓ1-sensitivity D. Everything
depends on m = D/b alone.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact, show
from dporacle.reference.numerics.functions import exp, expm1, log
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle

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
) -> Real:
    """Return δ(ε) = max(0, 1 − e^{(ε − D/b)/2}) (X.LAP).

    Args:
        epsilon: in [0, ∞).
        scale: b of the noise, in (0, ∞); its standard deviation is b√2.
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    gap = _ratio(sensitivity, scale) - arguments.epsilon(epsilon)
    asked = arguments.digits(digits)
    return settle(lambda ctx: -expm1(ctx, -gap / 2), asked) if gap > 0 else ZERO


def laplace_epsilon_at_delta(
    *, delta: Exact, scale: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the smallest ε ≥ 0 with (ε,δ)-DP, max(0, D/b + 2 ln(1−δ)) (X.LAP).

    Args:
        delta: in [0, 1]; 0 gives D/b, the ε of pure differential privacy.
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m, keep = _ratio(sensitivity, scale), 1 - _delta(delta, one_allowed=True)
    asked = arguments.digits(digits)
    if keep == 0:
        return ZERO
    value = settle(lambda ctx: (real(ctx, m), 2 * log(ctx, keep)), asked)
    return value if value > 0 else ZERO


def laplace_calibrate_scale(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the least b that is (ε,δ)-DP, D/(ε − 2 ln(1−δ)) (X.LAP).

    Args:
        epsilon: in [0, ∞).
        delta: in [0, 1); 0, which is pure differential privacy, needs a positive epsilon.
        sensitivity: ℓ1-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, keep = arguments.epsilon(epsilon), 1 - _delta(delta)
    distance, asked = arguments.positive("sensitivity", sensitivity), arguments.digits(digits)
    if eps == 0 and keep == 1:
        raise ValueError("epsilon must be positive where delta is 0, got 0: no scale gives both")
    return settle(lambda ctx: real(ctx, distance) / (real(ctx, eps) - 2 * log(ctx, keep)), asked)


def laplace_accuracy(*, alpha: Exact, scale: Exact, digits: int = 50) -> Real:
    """Return the a that one error exceeds with probability α, b·ln(1/α) (X.LAP).

    Args:
        alpha: significance level, in (0, 1]; 1 gives 0.
        scale: b of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, b = arguments.alpha(alpha), arguments.positive("scale", scale)
    asked = arguments.digits(digits)
    return ZERO if level == 1 else settle(lambda ctx: -real(ctx, b) * log(ctx, level), asked)


def laplace_alpha_at_accuracy(*, accuracy: Exact, scale: Exact, digits: int = 50) -> Real:
    """Return α = Pr[|y − f(x)| > a] = e^{−a/b} (X.LAP).

    Args:
        accuracy: the error a that is exceeded, in [0, ∞), in the unit of scale.
        scale: b of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = arguments.nonnegative("accuracy", accuracy) / arguments.positive("scale", scale)
    return settle(lambda ctx: exp(ctx, -ratio), arguments.digits(digits))


def laplace_scale_at_accuracy(*, accuracy: Exact, alpha: Exact, digits: int = 50) -> Real:
    """Return the largest b with accuracy a at significance α, a/ln(1/α) (X.LAP).

    Args:
        accuracy: the error a that may be exceeded with probability α, in (0, ∞).
        alpha: significance level, in (0, 1).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound, level = arguments.positive("accuracy", accuracy), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every scale has that accuracy")
    return settle(lambda ctx: -real(ctx, bound) / log(ctx, level), asked)


def laplace_max_error_probability(
    *, queries: int, error: Exact, scale: Exact, digits: int = 50
) -> Real:
    """Return Pr[max |Xᵢ| > a] = 1 − (1 − e^{−a/b})^k (X.LAP).

    Args:
        queries: k, at least 1.
        error: a, in [0, ∞).
        scale: b of the noise on each answer, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k = arguments.count("queries", queries)
    ratio = arguments.nonnegative("error", error) / arguments.positive("scale", scale)
    asked = arguments.digits(digits)
    if ratio == 0:
        return settle(lambda ctx: ctx.one, asked)

    def inside(ctx: Context) -> Real:
        """Return ln Pr[|X| ≤ a], from the end of (0, 1) that loses nothing."""
        tail = exp(ctx, -ratio)
        return ctx.log1p(-tail) if 2 * tail < 1 else ctx.log(-expm1(ctx, -ratio))

    return settle(lambda ctx: -ctx.expm1(k * inside(ctx)), asked)


def laplace_max_error_quantile(
    *, queries: int, beta: Exact, scale: Exact, digits: int = 50
) -> Real:
    """Return the a that the largest of k errors exceeds with probability β (X.LAP).

    a = −b·ln(1 − (1−β)^{1/k}).

    Args:
        queries: k, at least 1.
        beta: in (0, 1).
        scale: b of the noise on each answer, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    k, keep = arguments.count("queries", queries), 1 - _beta(beta)
    b, asked = arguments.positive("scale", scale), arguments.digits(digits)

    def tail(ctx: Context) -> Real:
        """Return ln of the probability that one error may have of being larger."""
        inside = log(ctx, keep) / k
        share = ctx.exp(inside)
        return ctx.log1p(-share) if 2 * share < 1 else ctx.log(-ctx.expm1(inside))

    return settle(lambda ctx: -real(ctx, b) * tail(ctx), asked)


def laplace_rdp(*, order: Exact, scale: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return the Rényi divergence m − ln(1 + (1−α)v)/(1−α), v = (1 − e^{−um})/u (X.LAPRDP).

    Here u = 2α − 1. At α = 1 it is m − v, the Kullback-Leibler divergence; at α = 1/2, v is m.

    Args:
        order: α, in (0, ∞).
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    alpha, m = arguments.positive("order", order), _ratio(sensitivity, scale)
    u, rest = 2 * alpha - 1, 1 - alpha

    def terms(ctx: Context) -> tuple[Real, Real]:
        v = -expm1(ctx, -u * m) / real(ctx, u) if u else real(ctx, m)
        if rest == 0:
            return real(ctx, m), -v
        return real(ctx, m), -ctx.log1p(real(ctx, rest) * v) / real(ctx, rest)

    return settle(terms, arguments.digits(digits))


def laplace_zcdp_rho(*, scale: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return ρ = m − 1 + e^{−m}, for which it is ρ-zCDP and for no smaller one (X.LAPRDP).

    Args:
        scale: b of the noise, in (0, ∞).
        sensitivity: ℓ1-sensitivity D, in (0, ∞), in the unit of scale.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    m = _ratio(sensitivity, scale)
    return settle(lambda ctx: (real(ctx, m), expm1(ctx, -m)), arguments.digits(digits))


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
