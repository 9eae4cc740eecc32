"""Decisions on claims about every mechanism with a parameter of another notion of privacy.

No such mechanism is worse than a proved conversion says, and the Gaussian mechanism with this
very parameter is one of them: a claim below the first holds, one above the second does not.
Between the two lies what is not known. For μ-GDP both are the same (X.GDP).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.claims import quantities
from dporacle.claims.assertions import Conversion, GivenGdp, GivenRdp
from dporacle.claims.decided import Decided, decide_probability
from dporacle.claims.discrete import almost_zero
from dporacle.enclosures import conversions
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.verdicts import Verdict

__all__ = [
    "AT_ORDER",
    "GAUSSIAN",
    "PINSKER",
    "decide_conversion",
    "given_mu_squared",
    "proved_epsilon",
]

AT_ORDER = "Rényi conversion"
PINSKER = "Pinsker"
GAUSSIAN = "Gaussian mechanism"

_DIGITS = (20, 80, 320, 1500)
_ORDER_BITS = 40
_FAR = 10**6  # e to the minus this is below all that a file can state

_OPEN = (
    "the Gaussian mechanism with this parameter does not break it, and the best conversion that "
    "is tried here does not prove it for every such mechanism"
)


def given_mu_squared(said: Conversion) -> Fraction:
    """Return the μ² of the Gaussian mechanism with exactly the given parameter."""
    given = said.given
    if isinstance(given, GivenGdp):
        return given.mu**2
    return 2 * given.epsilon / given.order if isinstance(given, GivenRdp) else 2 * given.rho


def decide_conversion(said: Conversion) -> Decided:
    """Decide a conversion."""
    mu_squared = given_mu_squared(said)

    def gaussian(digits: int) -> arb:
        return quantities.delta_of(epsilon=said.epsilon, mu_squared=mu_squared, digits=digits)

    if isinstance(said.given, GivenGdp) or said.delta in (0, 1):
        return decide_probability(gaussian, "delta", said.delta)
    step = _best_step(said)
    for digits in _DIGITS:
        below, above = gaussian(digits), _pinsker(said, digits)
        proof, witness = PINSKER, None
        if step is not None:
            at_order = _at_step(said, step, digits)
            if at_order < above:
                proof, witness, above = AT_ORDER, 1 + step, at_order
        low, high = rounding.side(below, said.delta), rounding.side(above, said.delta)
        if low > 0:
            return _found(Verdict.VIOLATED, said, below, above, digits, GAUSSIAN, None)
        if high < 0:
            return _found(Verdict.HOLDS, said, below, above, digits, proof, witness)
        if low < 0 < high:
            return _found(Verdict.UNDECIDED, said, below, above, digits, proof, witness, _OPEN)
    reason = f"the bound is met to {digits} digits"
    return _found(Verdict.UNDECIDED, said, below, above, digits, proof, witness, reason)


def _found(
    verdict: Verdict,
    said: Conversion,
    below: arb,
    above: arb,
    digits: int,
    proof: str,
    witness: Fraction | None,
    reason: str = "",
) -> Decided:
    return Decided(
        verdict,
        "delta",
        said.delta,
        below,
        above,
        digits,
        proof=proof,
        witness=witness,
        reason=reason,
    )


def _pinsker(said: Conversion, digits: int) -> arb:
    """Enclose √(ρ/2) ≥ δ(0) ≥ δ(ε); Rényi divergences rise with the order."""
    given = said.given
    assert not isinstance(given, GivenGdp)
    divergence = given.epsilon if isinstance(given, GivenRdp) else given.rho
    return tighten(lambda: (ball(divergence) / 2).sqrt(), digits)


def _best_step(said: Conversion) -> Fraction | None:
    """Return a good t = α − 1; every t > 0, for RDP up to the given order, is allowed."""
    given = said.given
    with precision(128):
        if isinstance(given, GivenRdp):
            most = ball(given.order - 1)
            gap = ball(given.epsilon - said.epsilon)
            best = 1 / gap.expm1() if given.epsilon > said.epsilon else most
            best = best if best < most else most
        else:
            assert not isinstance(given, GivenGdp)
            best = conversions._best_order(ball(said.epsilon), ball(given.rho))
        if not (best.is_finite() and arb(2) ** -8000 < best < arb(2) ** 8000):
            return None
        middle = rounding.bounds(best.mid())[0]
    if isinstance(given, GivenRdp) and middle >= given.order - 1:
        return given.order - 1
    scale = Fraction(2) ** (
        _ORDER_BITS - middle.numerator.bit_length() + middle.denominator.bit_length()
    )
    return int(middle * scale) / scale


def _at_step(said: Conversion, step: Fraction, digits: int) -> arb:
    """Enclose e^{tD − tε}·t^t/(1+t)^(1+t), D the divergence of order 1 + t (X.RDP)."""
    given = said.given
    assert not isinstance(given, GivenGdp)
    divergence = given.epsilon if isinstance(given, GivenRdp) else (1 + step) * given.rho
    slope = step * (divergence - said.epsilon)
    if slope < -_FAR:
        return almost_zero()

    def formula() -> arb:
        t = ball(step)
        return (ball(slope) - t * (1 / t).log1p() - (1 + t).log()).exp()

    return tighten(formula, digits)


def proved_epsilon(said: Conversion) -> Fraction | None:
    """Return an ε that is proved at this δ for every such mechanism, close to the least one.

    None if float64 finds no order for it.
    """
    given = said.given
    assert not isinstance(given, GivenGdp)
    most = given.order - 1 if isinstance(given, GivenRdp) else None

    def at(step: Fraction) -> arb:
        divergence = given.epsilon if isinstance(given, GivenRdp) else (1 + step) * given.rho
        t = ball(step)
        rest = -ball(said.delta).log() - (1 + t).log()
        return ball(divergence) - (1 / t).log1p() + rest / t

    def proved(step: Fraction) -> Fraction:
        with precision(160):
            return max(rounding.bounds(at(step))[1], Fraction(0))

    if rounding.side(_pinsker(said, 20), said.delta) < 0:
        return Fraction(0)
    steps = [Fraction(2) ** exponent for exponent in range(-30, 60)]
    steps = [step for step in steps if most is None or step < most] + ([most] if most else [])
    if not steps:
        return None
    best = min(steps, key=proved)
    for halvings in range(1, 20):  # a parabola's walk: the minimum is flat
        factor = 1 + Fraction(1, 2**halvings)
        near = [best * factor, best / factor]
        best = min([best, *(s for s in near if most is None or s <= most)], key=proved)
    return proved(best)
