"""Linear calibrations σ = D·c/ε, c = √(2 ln(a/δ)), and the largest ε at which each is private.

The reference takes the logarithm of a/δ; here c² is a sum of logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.interface import witness

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


def _linear_sigma(log_constant: LogConstant, ratio: Fraction, delta: Fraction, digits: int) -> arb:
    return tighten(lambda: noise_multiplier(log_constant, delta) * ball(ratio), digits)


@witness
def dwork_roth_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε (GMA.R1)."""
    return _linear_sigma(dwork_roth, sensitivity / epsilon, delta, digits)


@witness
def dwork_2006_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose σ = D√(2 ln(2/δ))/ε, the calibration of Dwork et al. 2006 (X.CF)."""
    return _linear_sigma(dwork_2006, sensitivity / epsilon, delta, digits)


@witness
def classical_epsilon_max(*, delta: Fraction, digits: int) -> arb:
    """Enclose the largest ε for which σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP (X.CFMAX)."""
    return _epsilon_max(classical, delta, digits)


@witness
def dwork_roth_epsilon_max(*, delta: Fraction, digits: int) -> arb:
    """Enclose the largest ε for which `dwork_roth_sigma` is (ε,δ)-DP (GMA.R1)."""
    return _epsilon_max(dwork_roth, delta, digits)


@witness
def dwork_2006_epsilon_max(*, delta: Fraction, digits: int) -> arb:
    """Enclose the largest ε for which `dwork_2006_sigma` is (ε,δ)-DP (X.CFMAX)."""
    return _epsilon_max(dwork_2006, delta, digits)


def _epsilon_max(log_constant: LogConstant, target: Fraction, digits: int) -> arb:
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
        tolerance=lambda _: arb(10) ** -(digits + 2),
    )
    return tighten(lambda: (-low).exp().union((-high).exp()), digits)
