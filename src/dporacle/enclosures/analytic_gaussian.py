"""Enclosures for the analytic Gaussian mechanism (BW18.T2, L7, T8, T9, X.EPS).

Every function returns an `arb` that contains the exact value: a proof that a verdict may rest
on. The profile is used in its Mills form (see `arithmetic.normal`), and the two inverse problems
are solved in y = ε/μ − μ/2, in which neither huge nor tiny arguments cancel.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.floats import FLOAT_BITS, float_root
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.interface import witness

_DECISION_BITS = 1 << 16  # an exact equality is given up at this precision


def _y_w(epsilon: Fraction, mu: Fraction) -> tuple[arb, arb]:
    length = fmpq(mu.numerator, mu.denominator)
    h, t = fmpq(epsilon.numerator, epsilon.denominator) / length, length / 2
    return arb(h - t), arb(h + t)


@witness
def delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (BW18.T8)."""
    mu = sensitivity / sigma
    return tighten(lambda: normal.profile(*_y_w(epsilon, mu))[0], digits)


@witness
def log_delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose ln δ(ε), tight even where δ(ε) is close to 1 (BW18.T8)."""
    mu = sensitivity / sigma

    def formula() -> arb:
        value, rest = normal.profile(*_y_w(epsilon, mu))
        return value.log() if value.mid() < 0.5 else (-rest).log1p()

    return tighten(formula, digits)


@witness
def delta_slope_mu(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose ∂δ/∂μ = φ(y) > 0 (BW18.L7)."""
    mu = sensitivity / sigma
    return tighten(lambda: normal.normal_density(_y_w(epsilon, mu)[0]), digits)


@witness
def delta_slope_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose ∂δ/∂ε = −e^ε Φ(−w) = −φ(y)·m(w) < 0 (BW18.L7)."""
    mu = sensitivity / sigma

    def formula() -> arb:
        y, w = _y_w(epsilon, mu)
        return -normal.normal_density(y) * normal.mills(w)

    return tighten(formula, digits)


@witness
def calibrate_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest σ for which the mechanism is (ε,δ)-DP (BW18.T8, BW18.T9)."""
    twice = fmpq(2 * epsilon.numerator, epsilon.denominator)

    def w_of(y: arb) -> arb:
        return (y * y + arb(twice)).sqrt()

    def mu_of(y: arb, w: arb) -> arb:
        return arb(twice) / (w + y) if y > 0 else w - y

    def profile(y: arb) -> tuple[arb, arb, arb]:
        w = w_of(y)
        return *normal.profile(y, w), slope(y, w)

    def slope(y: arb, w: arb) -> arb:
        return -normal.normal_density(y) * mu_of(y, w) / w  # dδ/dμ · dμ/dy

    start, known = float_root(epsilon, delta), FLOAT_BITS
    if start is None:
        with precision(64):
            start, known = _smaller(_tail_point(delta), _slope_point(epsilon, delta)).mid(), 0
    low, high = decreasing_root(
        profile,
        target=delta,
        start=start,
        scale=lambda y: _smaller(arb(1), w_of(y)),
        # d ln μ/dy = −1/w
        tolerance=lambda y: w_of(y) / arb(10) ** (digits + 2),
        slope=lambda y: slope(y, w_of(y)),
        known=known,
    )
    with precision(bits_for(digits) + 64):
        # μ falls in y, so σ = D/μ rises: its values at the two ends hold those between.
        ends = (ball(sensitivity) / mu_of(y, w_of(y)) for y in (low, high))
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


@witness
def epsilon_at_delta(
    *, delta: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.EPS).

    It is 0 exactly when δ ≥ δ(0) = erf(μ/(2√2)) (BW18.T2).

    Raises:
        ArithmeticError: if δ and δ(0) agree to about 20,000 digits.
    """
    mu = sensitivity / sigma
    if delta == 1 or not _exceeds_at_zero(delta, mu):
        return arb(0)

    def profile(y: arb) -> tuple[arb, arb, arb]:
        w = y + ball(mu)
        slope = -ball(mu) * normal.normal_density(y) * normal.mills(w)
        return *normal.profile(y, w), slope

    def epsilon_of(y: arb) -> arb:
        return ball(mu) * (y + ball(mu) / 2)

    with precision(64):
        start = _tail_point(delta).mid()
    low, high = decreasing_root(
        profile,
        target=delta,
        start=start,
        scale=lambda y: _smaller(arb(1), y + ball(mu)),
        tolerance=lambda y: abs(epsilon_of(y)) / ball(mu) / arb(10) ** (digits + 2),
    )
    return tighten(lambda: epsilon_of(low).union(epsilon_of(high)), digits)


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


@witness
def pinsker_sigma(*, delta: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose D/(2δ), a σ that is enough for (0,δ)-DP by Pinsker's inequality (BW18.T2)."""
    ratio = sensitivity / (2 * delta)
    return tighten(lambda: ball(ratio), digits)
