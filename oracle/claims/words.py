"""Verdicts in words and decimals, each rounded to the side that keeps it true."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

from dporacle import enclosures
from dporacle.claims import quantities
from dporacle.claims.model import Accuracy, Claim, Composition, Formula, Loss, Privacy
from dporacle.enclosures import rounding
from dporacle.verdicts import Decision, Verdict

__all__ = ["NEGLIGIBLE", "describe", "ends", "figures", "round_decimal"]

NEGLIGIBLE = "1e-2000"
"""What is shown as the upper end of a positive number below it; no bound is as small."""

_DIGITS = 20
_MOST_DIGITS = 20_000
_SIGMA_DIGITS = 17  # of a σ that is shown


def round_decimal(value: Fraction, digits: int, *, up: bool) -> str:
    """Return a decimal of so many digits, not below a number (or not above)."""
    context = decimal.Context(
        prec=digits,
        rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR,
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
    )
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    shown = context.divide(numerator, denominator)
    if shown == shown.to_integral_value() and abs(shown) < 10**6:
        return str(int(shown))
    return f"{shown.normalize(context):e}" if not -5 < shown.adjusted() < 6 else f"{shown:f}"


def ends(decision: Decision, bound: Fraction, *, ceiling: int | None) -> tuple[str, str]:
    """Return decimals below and above the enclosed number, on the bound's side like the ball.

    Args:
        decision: the decision.
        bound: what the number was compared with.
        ceiling: what the number is known not to exceed.
    """
    low, high = _bounds(decision)
    high = high if ceiling is None else min(high, Fraction(ceiling))
    if high == Fraction(NEGLIGIBLE):
        return "0", NEGLIGIBLE
    digits = decision.digits + 5
    while True:
        texts = round_decimal(low, digits, up=False), round_decimal(high, digits, up=True)
        sides = [_side(Fraction(low), Fraction(high), bound)]
        sides.append(_side(Fraction(texts[0]), Fraction(texts[1]), bound))
        if sides[0] == sides[1] or digits > _MOST_DIGITS:
            return texts
        digits *= 2


def figures(text: str) -> int:
    """Return how many significant digits a decimal has."""
    return len(Decimal(text).as_tuple().digits)


def _side(low: Fraction, high: Fraction, bound: Fraction) -> int:
    return -1 if high < bound else 1 if low > bound else 0


def _bounds(decision: Decision) -> tuple[Fraction, Fraction]:
    try:
        low, high = rounding.bounds(decision.enclosure)
    except ArithmeticError:  # positive and too small to be written out
        return Fraction(0), Fraction(NEGLIGIBLE)
    return max(low, Fraction(0)), high


def describe(claim: Claim, decision: Decision, *, doubled: bool) -> tuple[str, str]:
    """Return how far off a claim is, and the σ that is its limit, in words."""
    said = claim.asserts
    if isinstance(said, Privacy | Formula):
        return _describe_privacy(claim, decision, doubled=doubled)
    about = claim.mechanism
    assert about is not None
    assert not isinstance(about, Composition)
    if isinstance(said, Accuracy):
        return _describe_accuracy(said, about.variance(), decision)
    return _describe_loss(said, about.variance(), decision)


def _compare(what: str, decision: Decision, bound: Fraction) -> str:
    """Say how many times its bound a quantity is."""
    if bound == 0:
        return f"{what} is never 0"
    low, high = _bounds(decision)
    holds = decision.verdict is Verdict.HOLDS
    ratio = (high if holds else low) / bound
    if decision.verdict is Verdict.UNDECIDED or ratio == 1:
        return f"{what} is what is claimed"
    if Fraction(1, 2) < ratio < Fraction(11, 10):
        percent = round_decimal(abs(1 - ratio) * 100, 3, up=False)
        return f"{what} is {percent} % {'below' if holds else 'above'} what is claimed"
    almost = "less than " if high == Fraction(NEGLIGIBLE) else ""
    return f"{what} is {almost}{round_decimal(ratio, 3, up=holds)} times what is claimed"


def _scale(ratio: Fraction) -> str:
    """Say what the least σ, as a multiple of the present one, means for it."""
    if ratio <= Fraction(1, 2):
        return f"σ could be {round_decimal(1 / ratio, 3, up=False)} times smaller"
    if ratio < 1:
        return f"σ could be {round_decimal((1 - ratio) * 100, 3, up=False)} % smaller"
    if ratio < 2:
        return f"σ must be {round_decimal((ratio - 1) * 100, 3, up=True)} % larger"
    return f"σ must be {round_decimal(ratio, 3, up=True)} times larger"


def _describe_privacy(claim: Claim, decision: Decision, *, doubled: bool) -> tuple[str, str]:
    said, about = claim.asserts, claim.mechanism
    assert isinstance(said, Privacy | Formula)
    margin = _compare("true δ", decision, said.delta)
    if said.delta == 0:
        return f"{margin} for Gaussian noise", ""
    if said.delta == 1:
        return f"{margin}; with δ = 1 every σ would do", ""
    least = enclosures.calibrate_sigma(epsilon=said.epsilon, delta=said.delta, digits=_DIGITS)
    _, unit = rounding.bounds(least)  # the least σ for sensitivity 1
    if isinstance(said, Formula):
        _, mu_squared = quantities.formula_mu_squared(said, _DIGITS)
    else:
        assert about is not None
        mu_squared = about.mu_squared() * (4 if doubled else 1)
    _, mu = quantities.root_bounds(mu_squared, _DIGITS)
    if decision.verdict is not Verdict.UNDECIDED:
        margin = f"{margin}; {_scale(unit * mu)}"
    if isinstance(said, Formula):
        return margin, f"σ = {round_decimal(unit, _SIGMA_DIGITS, up=True)}·Δ would do"
    if isinstance(about, Composition):
        if doubled:
            margin = f"with twice the sensitivities {margin}"
        return margin, f"every σ × {round_decimal(unit * mu, _SIGMA_DIGITS, up=True)} would do"
    assert about is not None
    distance_squared = about.distance_squared() * (4 if doubled else 1)
    _, distance = quantities.root_bounds(distance_squared, _DIGITS)
    sigma = round_decimal(unit * distance, _SIGMA_DIGITS, up=True)
    if doubled:
        margin = f"with twice the sensitivity {margin}"
    return margin, f"σ = {sigma}{_unit(about.unit)} would do"


def _describe_accuracy(said: Accuracy, variance: Fraction, decision: Decision) -> tuple[str, str]:
    margin = _compare("the probability of a larger error", decision, said.alpha)
    if said.alpha == 1:
        return margin, ""
    _, sigma = quantities.root_bounds(variance, _DIGITS)
    _, error = rounding.bounds(enclosures.accuracy(alpha=said.alpha, sigma=sigma, digits=_DIGITS))
    unit = _unit(said.unit)
    margin = f"{margin}; at this α the error is at most {round_decimal(error, 6, up=True)}{unit}"
    if said.at_most == 0:
        return margin, ""
    most, _ = rounding.bounds(
        enclosures.sigma_at_accuracy(accuracy=said.at_most, alpha=said.alpha, digits=_DIGITS)
    )
    return margin, f"σ up to {round_decimal(most, _SIGMA_DIGITS, up=False)}{unit} would do"


def _describe_loss(said: Loss, variance: Fraction, decision: Decision) -> tuple[str, str]:
    margin = _compare("the expected squared error", decision, said.at_most)
    if said.at_most == 0:
        return margin, ""
    most, _ = quantities.root_bounds(said.at_most / said.dimension, _DIGITS)
    shown = round_decimal(most, _SIGMA_DIGITS, up=False)
    return margin, f"σ up to {shown}{_unit(said.unit)} would do"


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""
