"""Claims that are decided twice: by the judge in balls, and by the digits of the reference."""

import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from dporacle import reference
from dporacle.claims import judge, make
from dporacle.claims.assertions.inequality import INEQUALITIES
from dporacle.common.randomness import chance
from dporacle.dev.exploration.checks import Checked
from dporacle.dev.exploration.inputs import number
from dporacle.vocabulary.formulas import FORMULAS

KINDS = ("formula-range", "inequality")
"""Kinds of claims that are no quantity of any witness."""

_DIGITS = 40
_POINTS = 6
_MOST = {"dimension": 6, "nonzero": 3, "queries": 9}
_STYLES = ("usual", "typed", "mixed", "anywhere")
_RANGED = tuple(row.name for row in FORMULAS.values() if row.claimed and row.ranged)

Real = Any
mp = mpmath.MPContext()
mp.dps = 2 * _DIGITS


def draw_claim(generator: random.Random, kind: str) -> dict[str, Any]:
    """Draw what a claim of a kind asserts."""
    style = generator.choice(_STYLES)
    if kind == "inequality":
        statement = generator.choice(sorted(INEQUALITIES))
        at = {name: _parameter(generator, name, style) for name in INEQUALITIES[statement][0]}
        return {"kind": kind, "statement": statement, "at": at}
    name = generator.choice(_RANGED)
    spans = {each: _span(generator, each, style) for each in ("epsilon", "delta")}
    more = {"constant": 1 + 10 ** generator.uniform(-3, 1)} if name == "linear" else {}
    return {"kind": kind, "name": name, **spans, **more}


def _parameter(generator: random.Random, name: str, style: str) -> float | int:
    if name in _MOST:
        return 2 + int(10 ** generator.uniform(0, _MOST[name]))
    return abs(number(generator, "", name, style))


def _span(generator: random.Random, name: str, style: str) -> dict[str, float]:
    low = number(generator, "", name, generator.choice((style, "usual")))
    high = min(low * 10 ** generator.uniform(0, 3), 1.0 if name == "delta" else 1e300)
    return {"from": 0.0 if generator.random() < 0.3 else min(low, high), "to": high}


def check_claim(said: dict[str, Any]) -> Checked:
    """Decide a claim, and ask the reference whether the verdict is right."""
    try:
        claim = make({"id": "drawn", "asserts": said})
    except ValueError:
        return "refused", ""
    found = judge.decide(claim)
    if found.verdict == "UNDECIDED":
        return "no answer", found.reason
    if said["kind"] == "inequality":
        return _check_inequality(said, str(found.verdict))
    spans = {name: (Fraction(said[name]["from"]), Fraction(said[name]["to"])) for name in _ENDS}
    if found.verdict == "HOLDS":
        generator = chance("points of a claim", repr(said))
        points = [_inside(generator, spans) for _ in range(_POINTS)]
        wrong = [where for where in points if not _private(said, *where)]
        return ("finding", f"HOLDS, but not at {wrong[0]}") if wrong else ("checked", "")
    words = re.findall(r"[εδ] = ([-+0-9.e/]+)", found.proof)
    epsilon, delta = (Fraction(word.rstrip(".,")) for word in words)
    inside = all(
        low <= value <= high
        for value, (low, high) in zip((epsilon, delta), spans.values(), strict=True)
    )
    if not inside or _private(said, epsilon, delta):
        return "finding", f"{found.proof}, which is none"
    return "checked", ""


_ENDS = ("epsilon", "delta")


def _inside(
    generator: random.Random, spans: dict[str, tuple[Fraction, Fraction]]
) -> tuple[Fraction, Fraction]:
    """A point of a rectangle: often of its border, and near its open ends."""
    found = []
    for name, (low, high) in spans.items():
        least = low or high / 10 ** generator.choice((1, 3, 30))
        share = Fraction(generator.choice((0.0, 1.0, generator.random())))
        value = least + share * (high - least)
        found.append(value if value < 1 or name != "delta" else Fraction(1) - Fraction(1, 2**60))
    return found[0], found[1]


def _private(said: dict[str, Any], epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the formula's noise is private at a point, up to the reference's digits."""
    row = FORMULAS[said["name"]]
    # ln δ changes by less than ε times what σ does, relatively.
    digits = 2 * _DIGITS + len(str(math.ceil(epsilon)))
    if row.quantity:
        sigma = getattr(reference, row.quantity)(epsilon=epsilon, delta=delta, digits=digits)
    else:
        with mp.workdps(digits):
            sigma = mp.sqrt(2 * mp.log(_real(Fraction(said["constant"]) / delta))) / _real(epsilon)
    true = reference.delta_at_epsilon(epsilon=epsilon, sigma=_exact(sigma), digits=_DIGITS)
    return bool(mp.mpf(true) <= _real(delta) * (1 + mp.mpf(10) ** (5 - _DIGITS)))


def _exact(value: Real) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if sign else size


def _real(value: Fraction) -> Real:
    return mp.mpf(value.numerator) / value.denominator


def _check_inequality(said: dict[str, Any], verdict: str) -> Checked:
    at = {name: value if name in _MOST else Fraction(value) for name, value in said["at"].items()}
    sides = _SIDES[said["statement"]](**at)
    if sides is None:
        return ("checked", "") if verdict == "HOLDS" else ("finding", "its premise is false")
    left, right = (mp.mpf(side) for side in sides)
    if abs(left - right) <= abs(right) * mp.mpf(10) ** (10 - _DIGITS):
        return "checked", "too close for the reference"
    if (left < right) == (verdict == "HOLDS"):
        return "checked", ""
    return "finding", f"{verdict}, but the sides are {mp.nstr(left, 20)} and {mp.nstr(right, 20)}"


Sides = tuple[Real, Real] | None


def _of(name: str) -> Callable[..., Real]:
    function: Callable[..., Real] = getattr(reference, name)
    return lambda **where: mp.mpf(function(**where, digits=_DIGITS))


def _both(left: str, right: str) -> Callable[..., Sides]:
    return lambda **at: (_of(left)(**at), _of(right)(**at))


def _implied(threshold: str) -> Callable[..., Sides]:
    def sides(epsilon: Fraction, delta: Fraction) -> Sides:
        edge = _of(threshold)(epsilon=epsilon)
        if mp.almosteq(_real(delta), edge, mp.mpf(10) ** (10 - _DIGITS)):
            return edge, edge  # whether the premise is true is too close for the reference
        if _real(delta) > edge:
            return None
        least = _of("calibrate_sigma")(epsilon=epsilon, delta=delta)
        return 1 / mp.sqrt(2 * _real(epsilon)), least

    return sides


def _third(**at: Fraction) -> Sides:
    return _of("calibrate_sigma")(**at) ** 2, 2 * _of("classical_sigma")(**at) ** 2 / 3


def _thresholding(dimension: int, nonzero: int, mean: Fraction, sigma: Fraction) -> Sides:
    cut = reference.universal_threshold(dimension=dimension, sigma=sigma, digits=2 * _DIGITS)
    risk = _of("soft_threshold_coordinate_risk")
    where = {"threshold": _exact(cut), "sigma": sigma}
    total = nonzero * risk(mean=mean, **where) + (dimension - nonzero) * risk(mean=0, **where)
    oracle = sigma**2 + nonzero * min(mean**2, sigma**2)
    return total, (2 * mp.log(dimension) + 1) * _real(oracle)


def _conversion(rho: Fraction, delta: Fraction) -> Sides:
    digits = 4 * _DIGITS
    epsilon = reference.rho_epsilon(rho=rho, delta=delta, digits=digits)
    with mp.workdps(digits):
        mu = _exact(mp.sqrt(_real(rho)))
    return _of("gdp_delta")(epsilon=_exact(epsilon), mu=mu), _real(delta)


def _root_sum(epsilon: Fraction, delta: Fraction) -> Sides:
    bound = _of("analytic_loss_bound")(epsilon=epsilon, delta=delta, dimension=1)
    return bound, _of("calibrate_sigma")(epsilon=epsilon, delta=delta) ** 2


def _reversed(epsilon: Fraction, delta: Fraction) -> Sides:
    left, right = _root_sum(epsilon, delta) or (0, 0)
    return right, left


def _converted(name: str) -> Callable[..., Sides]:
    return lambda epsilon, sigma: (
        _of("delta_at_epsilon")(epsilon=epsilon, sigma=sigma),
        _of(name)(epsilon=epsilon, mu=1 / sigma),
    )


_SIDES: dict[str, Callable[..., Sides]] = {
    "BW18.C1": _third,
    "BW18.O1": _both("delta_at_epsilon", "loss_upper_tail"),
    "BW18.T4": _implied("low_privacy_threshold"),
    "BW18.T4.closed": _implied("low_privacy_threshold_closed"),
    "BW18.T4.misquoted": _implied("low_privacy_threshold_misquoted"),
    "BW18.T11": lambda dimension, norm, sigma: (
        _of("james_stein_risk")(dimension=dimension, norm=norm, sigma=sigma),
        dimension * _real(sigma**2),
    ),
    "BW18.T12": _thresholding,
    "GN.A1": lambda queries, beta: (
        _of("max_error_quantile")(queries=queries, beta=beta, sigma=1),
        _of("max_error_bound")(queries=queries, beta=beta, sigma=1),
    ),
    "GN.L1": _both("noise_tail", "noise_tail_bound"),
    "GN.T1": _conversion,
    "JL24.D1": _both("loss_upper_tail", "delta_at_epsilon"),
    "JL24.L2": _root_sum,
    "JL24.L2.reversed": _reversed,
    "JL24.T3.extremes": lambda dimension, factor: (
        _of("loss_tail")(dimension=1, factor=factor),
        _of("loss_tail")(dimension=dimension, factor=factor),
    ),
    "X.RDP": _converted("rdp_delta"),
    "X.ZCDP": _converted("zcdp_delta"),
}
