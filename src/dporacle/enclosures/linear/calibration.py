"""Linear calibrations σ = D·c/ε, c = √(2 ln(a/δ)), and the largest ε at which each is private.

The reference takes the logarithm of a/δ; here c² is a sum of logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root

__all__ = [
    "LogConstant",
    "classical",
    "classical_epsilon_max",
    "dwork_2006",
    "dwork_2006_epsilon_max",
    "dwork_2006_sigma",
    "dwork_roth",
    "dwork_roth_epsilon_max",
    "dwork_roth_sigma",
]

LogConstant = Callable[[], arb]
"""ln a in c = √(2 (ln a − ln δ)), at the working precision."""


def classical() -> arb:
    """Ln 1.25."""
    return arb(5).log() - 2 * arb(2).log()


def dwork_roth() -> arb:
    """Ln √(2e^{8/9}/π)."""
    return (arb(2).log() + arb(8) / 9 - arb.pi().log()) / 2


def dwork_2006() -> arb:
    """Ln 2."""
    return arb(2).log()


def noise_multiplier(log_constant: LogConstant, target: Fraction) -> arb:
    """c, with σ = D·c/ε."""
    log = ball(Fraction(target.numerator)).log() - ball(Fraction(target.denominator)).log()
    return (2 * (log_constant() - log)).sqrt()


def _linear_sigma(
    log_constant: LogConstant, epsilon: Exact, delta: Exact, sensitivity: Exact, digits: int
) -> arb:
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)
    return tighten(
        lambda: noise_multiplier(log_constant, target) * ball(distance / eps),
        arguments.digits(digits),
    )


def dwork_roth_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε (GMA.R1).

    Args:
        epsilon: in (0, ∞); see `dwork_roth_epsilon_max` for where it is private.
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _linear_sigma(dwork_roth, epsilon, delta, sensitivity, digits)


def dwork_2006_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = D√(2 ln(2/δ))/ε, the calibration of Dwork et al. 2006 (X.CF).

    Arguments and errors as for `dwork_roth_sigma`; private up to `dwork_2006_epsilon_max`.
    """
    return _linear_sigma(dwork_2006, epsilon, delta, sensitivity, digits)


def classical_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP (BW18.T1).

    Args:
        delta: in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return _epsilon_max(classical, delta, digits)


def dwork_roth_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which `dwork_roth_sigma` is (ε,δ)-DP (GMA.R1).

    Arguments and errors as for `classical_epsilon_max`.
    """
    return _epsilon_max(dwork_roth, delta, digits)


def dwork_2006_epsilon_max(*, delta: Exact, digits: int = 50) -> arb:
    """Enclose the largest ε for which `dwork_2006_sigma` is (ε,δ)-DP (X.CF).

    Arguments and errors as for `classical_epsilon_max`.
    """
    return _epsilon_max(dwork_2006, delta, digits)


def _epsilon_max(log_constant: LogConstant, delta: Exact, digits: int) -> arb:
    target, asked = arguments.delta(delta), arguments.digits(digits)

    def profile(u: arb) -> tuple[arb, arb, arb]:
        # ε = e^{−u}; δ(ε) at μ = ε/c rises with ε (a lemma of the note), so it falls with u.
        eps, c = (-u).exp(), noise_multiplier(log_constant, target)
        y, w = c - eps / (2 * c), c + eps / (2 * c)
        slope = -eps * normal.normal_density(y) * (1 / c - normal.mills(w))
        return *normal.profile(y, w), slope

    low, high = decreasing_root(
        profile,
        target=target,
        start=arb(-1.5),
        scale=lambda _: arb(1),
        tolerance=lambda _: arb(10) ** -(asked + 2),
    )
    return tighten(lambda: (-low).exp().union((-high).exp()), asked)
