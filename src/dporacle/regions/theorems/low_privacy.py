"""BW18.T4: below which δ is σ ≥ D/√(2ε) needed? Three forms of the threshold.

In x = √(2ε) the exact one is τ = 1/2 − m(x)/√(2π), the closed one 1/2 − 1/(x√(2π)), the misquoted
one 1/2 − e^{−3x²/2}/(x√(2π)).
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from flint import arb

from dporacle.arguments import decimal
from dporacle.enclosures import calibrate_sigma, low_privacy_threshold_misquoted
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions._forms import gap, hull, mills, mills_range, normal_density
from dporacle.regions.theorem import (
    UNCOVERED,
    Axis,
    Box,
    BoxOutcome,
    Check,
    Counterexample,
    Lemma,
    Parameters,
    Part,
    Point,
    Theorem,
    proved,
    unknown,
)
from dporacle.regions.theorems._line import keeps_sign

_BITS = 128
_DIGITS = 30
_LAST = Fraction(16)
_ROOT: Final = Fraction("0.216282108700067562304745424234")
_STEP = Fraction(1, 10**30)

_SIXTEENTH = Fraction(1, 16)


def theorems() -> Iterator[Theorem]:
    """Yield the statements."""
    yield _exact()
    yield _closed()
    yield _misquoted()
    yield _misquoted_region()


def _exact() -> Theorem:
    x = (Fraction(1, 8), Fraction(8))
    near, far = Fraction(1, 2), Fraction(2)

    def part(name: str, low: Fraction, high: Fraction, sign: int) -> Part:
        return Part(
            name=name,
            axes=(
                Axis("x = √(2ε)", *x, below="threshold", above="threshold", geometric=True),
                Axis("μ/x", low, high, below="threshold", above="threshold"),
            ),
            decide=lambda box: _compare(box, sign),
        )

    return Theorem(
        id="BW18.T4.exact",
        statement="for all ε > 0 and 0 < δ < 1, (ε,δ)-DP needs σ ≥ D/√(2ε) if and only if "
        "δ ≤ 1/2 − e^ε Φ(−√(2ε))",
        spec={"id": "BW18.T4.exact"},
        parts=(
            part("less privacy: δ(ε) > τ", 1 + _SIXTEENTH, far, 1),
            part("more privacy: δ(ε) < τ", near, 1 - _SIXTEENTH, -1),
        ),
        lemmas=(
            Lemma(
                "threshold",
                "at μ = √(2ε), y = 0 and w = √(2ε), so δ(ε) = 1/2 − e^ε Φ(−√(2ε)); "
                "δ(ε) falls strictly with σ (BW18.L7)",
            ),
        ),
        covering="the lemma proves the statement; the boxes check δ(ε) against τ at μ from half "
        "to twice √(2ε), 1/16 away from it, for ε from 1/128 to 32",
        role="check",
    )


def _compare(box: Box, sign: int) -> BoxOutcome:
    """Decide sign·(δ(ε) − τ) > 0; δ(ε) rises with μ, so that one end of μ/x is the worse."""
    (low, high), ends = box
    scale = ends[0] if sign > 0 else ends[1]
    with precision(_BITS):
        rate = ball(scale)
        centre = ball((low + high) / 2)

        def value(x: arb) -> arb:
            y, mu = x * (1 / rate - rate) / 2, x * rate
            root = (2 * arb.pi()).sqrt()
            return normal_density(y) * gap(y, mu) - arb(1) / 2 + mills(x) / root

        x = hull(low, high)
        y, w = x * (1 / rate - rate) / 2, x * (1 / rate + rate) / 2
        slope = (
            normal_density(y) * (rate - x * mills_range(w))
            + (x * mills_range(x) - 1) / (2 * arb.pi()).sqrt()
        )
        bound = sign * value(centre) - abs(slope) * ball((high - low) / 2)
        return proved() if bound > 0 else unknown(0)


def _closed() -> Theorem:
    def value(x: arb) -> arb:
        return 1 - x * mills(x)

    def slope(x: arb) -> arb:
        return x - (1 + x * x) * mills_range(x)

    return Theorem(
        id="BW18.T4.closed",
        statement="for all ε > 0 and 0 < δ ≤ 1/2 − 1/√(4πε), (ε,δ)-DP needs σ > D/√(2ε)",
        spec={"id": "BW18.T4.closed"},
        parts=(
            Part(
                name="x·m(x) < 1",
                axes=(Axis("x = √(2ε)", _SIXTEENTH, _LAST, "near", "mills", geometric=True),),
                decide=keeps_sign(value, slope, 1),
            ),
        ),
        lemmas=(
            Lemma("threshold", "BW18.T4.exact: it is enough that the form is below τ, x·m(x) < 1"),
            Lemma(
                "near",
                "for x ≤ 1/16, x·m(x) ≤ m(0)/16, as m falls",
                (Check("1 − m(0)/16", lambda: 1 - mills(arb(0)) / 16),),
            ),
            Lemma("mills", "m(x) < 1/x for every x > 0"),
        ),
        covering="x = √(2ε) runs through (0, ∞): a lemma up to 1/16, boxes to 16, a lemma beyond",
    )


def _log_ratio(epsilon: arb) -> arb:
    """ln(e^{−3ε}/(x·m(x))): positive where the misquoted form is below τ."""
    x = (2 * epsilon).sqrt()
    return -3 * epsilon - (x * mills(x)).log()


def _log_ratio_slope(epsilon: arb) -> arb:
    x = (2 * epsilon.lower()).sqrt().union((2 * epsilon.upper()).sqrt())
    return 1 / (x * mills_range(x)) - 4 - 1 / (2 * epsilon)


def _misquoted() -> Theorem:
    def candidates(point: Point) -> Iterator[Parameters]:
        (epsilon,) = point
        high = rounding.bounds(low_privacy_threshold_misquoted(epsilon=epsilon, digits=_DIGITS))[0]
        yield {"epsilon": epsilon, "delta": Fraction(int(high * 100), 100)}
        yield {"epsilon": epsilon, "delta": high}

    return Theorem(
        id="BW18.T4.misquoted",
        statement="for all ε > 0 and 0 < δ ≤ 1/2 − e^(−3ε)/√(4πε), (ε,δ)-DP needs σ ≥ D/√(2ε)",
        spec={"id": "BW18.T4.misquoted"},
        parts=(
            Part(
                name="e^(−3ε) ≥ x·m(x)",
                axes=(Axis("epsilon", Fraction(0), Fraction(2), UNCOVERED, UNCOVERED),),
                decide=keeps_sign(_log_ratio, _log_ratio_slope, 1),
                candidates=candidates,
                certify=_certify,
            ),
        ),
        lemmas=(),
        covering="a part of the domain is enough to refute it",
        true=False,
    )


def _certify(at: Parameters) -> Counterexample | None:
    """Certify that less noise than D/√(2ε) is enough at a δ below the misquoted threshold."""
    epsilon, delta = at["epsilon"], at["delta"]
    if not (epsilon > 0 and 0 < delta < 1):
        return None
    threshold = low_privacy_threshold_misquoted(epsilon=epsilon, digits=_DIGITS)
    sigma = calibrate_sigma(epsilon=epsilon, delta=delta, digits=_DIGITS)
    high = rounding.bounds(sigma)[1]
    if rounding.side(threshold, delta) <= 0 or not 2 * epsilon * high**2 < 1:
        return None
    least, _ = rounding.decimal_bounds(threshold, _DIGITS)
    _, most = rounding.decimal_bounds(sigma, _DIGITS)
    with precision(_BITS):
        bound, _ = rounding.decimal_bounds(1 / (2 * ball(epsilon)).sqrt(), 8)
    return Counterexample(
        at,
        f"the threshold is at least {least} > δ, yet σ = {most}·D, less than D/√(2ε) = {bound}·D, "
        "is enough",
    )


def _misquoted_region() -> Theorem:
    above = _ROOT + _STEP
    low, high = decimal(_ROOT), decimal(above)
    first = Fraction(1, 64)
    falls = "falls"
    return Theorem(
        id="BW18.T4.misquoted-region",
        statement="what the misquoted threshold says is true for every δ if "
        f"0 < ε ≤ {low}, and for no ε ≥ {high} for every δ",
        spec={"id": "BW18.T4.misquoted-region"},
        parts=(
            Part(
                name="below τ",
                axes=(Axis("epsilon", first, _ROOT, below=falls, geometric=True),),
                decide=keeps_sign(_log_ratio, _log_ratio_slope, 1),
            ),
            Part(
                name="above τ",
                axes=(Axis("epsilon", above, _LAST, above=falls, geometric=True),),
                decide=keeps_sign(_log_ratio, _log_ratio_slope, -1),
            ),
        ),
        lemmas=(
            Lemma("threshold", "BW18.T4.exact: the form is right at ε if and only if it is ≤ τ"),
            Lemma(
                falls,
                "ln(e^(−3ε)/(x·m(x))) falls with ε, as 1/m(x) < x + 1/x: beyond a part its sign "
                "is that at the part's end",
            ),
        ),
        covering="ε in (0, ∞): the lemma up to 1/64, boxes to the lower number, boxes from the "
        "upper number to 16, the lemma beyond",
    )
