"""Enclosures for the analytic Gaussian mechanism (BW18.T2, L7, T8, T9, X.EPS).

Every function returns an `arb` that contains the exact value: a proof that a verdict may rest
on. The profile is used in its Mills form (see `arithmetic.normal`), and the two inverse problems
are solved in y = ε/μ − μ/2, in which neither huge nor tiny arguments cancel.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.floats import FLOAT_BITS, float_root
from dporacle.enclosures.arithmetic.roots import decreasing_root

__all__ = [
    "calibrate_sigma",
    "delta_at_epsilon",
    "delta_slope_epsilon",
    "delta_slope_mu",
    "epsilon_at_delta",
    "log_delta_at_epsilon",
    "pinsker_sigma",
]

_DECISION_BITS = 1 << 16  # an exact equality is given up at this precision


def _mu(sigma: Exact, sensitivity: Exact) -> Fraction:
    return arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)


def _y_w(epsilon: Fraction, mu: Fraction) -> tuple[arb, arb]:
    length = fmpq(mu.numerator, mu.denominator)
    h, t = fmpq(epsilon.numerator, epsilon.denominator) / length, length / 2
    return arb(h - t), arb(h + t)


def delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (BW18.T8).

    Args:
        epsilon: in [0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞), in the unit of sigma.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)
    return tighten(lambda: normal.profile(*_y_w(eps, mu))[0], arguments.digits(digits))


def log_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose ln δ(ε), tight even where δ(ε) is close to 1 (BW18.T8).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)

    def formula() -> arb:
        value, rest = normal.profile(*_y_w(eps, mu))
        return value.log() if value.mid() < 0.5 else (-rest).log1p()

    return tighten(formula, arguments.digits(digits))


def delta_slope_mu(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose ∂δ/∂μ = φ(y) > 0 (BW18.L7).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)
    return tighten(lambda: normal.normal_density(_y_w(eps, mu)[0]), arguments.digits(digits))


def delta_slope_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose ∂δ/∂ε = −e^ε Φ(−w) = −φ(y)·m(w) < 0 (BW18.L7).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)

    def formula() -> arb:
        y, w = _y_w(eps, mu)
        return -normal.normal_density(y) * normal.mills(w)

    return tighten(formula, arguments.digits(digits))


def calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the smallest σ for which the mechanism is (ε,δ)-DP (BW18.T8, BW18.T9).

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)
    asked = arguments.digits(digits)

    twice = fmpq(2 * eps.numerator, eps.denominator)

    def w_of(y: arb) -> arb:
        return (y * y + arb(twice)).sqrt()

    def mu_of(y: arb, w: arb) -> arb:
        return arb(twice) / (w + y) if y > 0 else w - y

    def profile(y: arb) -> tuple[arb, arb, arb]:
        w = w_of(y)
        return *normal.profile(y, w), slope(y, w)

    def slope(y: arb, w: arb) -> arb:
        return -normal.normal_density(y) * mu_of(y, w) / w  # dδ/dμ · dμ/dy

    start, known = float_root(eps, target), FLOAT_BITS
    if start is None:
        with precision(64):
            start, known = _smaller(_tail_point(target), _slope_point(eps, target)).mid(), 0
    low, high = decreasing_root(
        profile,
        target=target,
        start=start,
        scale=lambda y: _smaller(arb(1), w_of(y)),
        # d ln μ/dy = −1/w
        tolerance=lambda y: w_of(y) / arb(10) ** (asked + 2),
        slope=lambda y: slope(y, w_of(y)),
        known=known,
    )
    with precision(bits_for(asked) + 64):
        # μ falls in y, so σ = D/μ rises: its values at the two ends hold those between.
        ends = (ball(distance) / mu_of(y, w_of(y)) for y in (low, high))
        return next(ends).union(next(ends))


def _smaller(a: arb, b: arb) -> arb:
    return a if a < b else b


def _tail_point(target: Fraction) -> arb:
    """Return some y with Φ(−y) ≤ δ, by Φ(−y) ≤ e^{−y²/2}/2 for δ < 1/2."""
    return (-2 * ball(2 * target).log()).sqrt() if 2 * target < 1 else arb(0)


def _slope_point(epsilon: Fraction, target: Fraction) -> arb:
    """Return y at μ = δ√(2π), which lies above the root since δ(ε) ≤ μ/√(2π)."""
    mu = ball(target) * (2 * arb.pi()).sqrt()
    return ball(epsilon) / mu - mu / 2


def epsilon_at_delta(
    *, delta: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.EPS).

    It is 0 exactly when δ ≥ δ(0) = erf(μ/(2√2)) (BW18.T2).

    Args:
        delta: in (0, 1].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞), in the unit of sigma.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    target, mu = arguments.delta(delta, one_allowed=True), _mu(sigma, sensitivity)
    asked = arguments.digits(digits)
    if target == 1 or not _exceeds_at_zero(target, mu):
        return arb(0)

    def profile(y: arb) -> tuple[arb, arb, arb]:
        w = y + ball(mu)
        slope = -ball(mu) * normal.normal_density(y) * normal.mills(w)
        return *normal.profile(y, w), slope

    def epsilon_of(y: arb) -> arb:
        return ball(mu) * (y + ball(mu) / 2)

    with precision(64):
        start = _tail_point(target).mid()
    low, high = decreasing_root(
        profile,
        target=target,
        start=start,
        scale=lambda y: _smaller(arb(1), y + ball(mu)),
        tolerance=lambda y: abs(epsilon_of(y)) / ball(mu) / arb(10) ** (asked + 2),
    )
    return tighten(lambda: epsilon_of(low).union(epsilon_of(high)), asked)


def _exceeds_at_zero(target: Fraction, mu: Fraction) -> bool:
    """Decide whether δ(0) > δ."""
    bits = 64
    while bits <= _DECISION_BITS:
        with precision(bits):
            half = ball(mu / 2) / arb(2).sqrt()
            gap = half.erf() - ball(target) if 2 * target < 1 else ball(1 - target) - half.erfc()
            if gap > 0 or gap < 0:
                return bool(gap > 0)
        bits *= 2
    raise ArithmeticError("delta cannot be told from delta_at_epsilon(epsilon=0)")


def pinsker_sigma(*, delta: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose D/(2δ), a σ that is enough for (0,δ)-DP by Pinsker's inequality (BW18.T2).

    Args:
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = arguments.positive("sensitivity", sensitivity) / (2 * arguments.delta(delta))
    return tighten(lambda: ball(ratio), arguments.digits(digits))
