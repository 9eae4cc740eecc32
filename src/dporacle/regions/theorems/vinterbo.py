"""Vinterbo's closed form of 2020 (X.CF): private everywhere, and below the classical σ for ε ≤ 1.

It puts z′ in the place of z = −Φ⁻¹(δ): √(2ζ) for δ ≤ 1/2, −√(πζ/2) above, ζ = −ln(4δ(1−δ)). With
P(t) = 4Φ(t)Φ(−t), z′ ≥ z is P(t) ≤ e^{−t²/2} at t = z′, or P(t) ≥ e^{−2t²/π} at t = −z′.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Literal

from flint import arb, arb_series

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions._forms import hull, mills, mills_range, normal_tail
from dporacle.regions.theorem import (
    CLOSED,
    Axis,
    Box,
    BoxOutcome,
    Check,
    Lemma,
    Part,
    Theorem,
    proved,
    unknown,
)
from dporacle.regions.theorems._line import keeps_sign
from dporacle.regions.theorems.tails import TAIL

_NEAR, _FAR = Fraction(1, 32), Fraction(5)
_BITS = 128

Number = Callable[[], arb]


def _one() -> arb:
    return arb(1)


def _four_over_pi() -> arb:
    return 4 / arb.pi()


def theorems() -> Iterator[Theorem]:
    """Yield the statements."""
    yield Theorem(
        id="X.CF.vinterbo-2020",
        statement="for all ε > 0 and 0 < δ < 1, σ = (√(az+ε) + s√(az))·D/(ε√2), "
        "z = −ln(4δ(1−δ)), (a,s) = (1,1) for δ ≤ 1/2 and (π/4,−1) above, is (ε,δ)-DP",
        spec={"id": "X.CF.vinterbo-2020"},
        parts=(
            _part("δ < 1/2: ln P(t) + t²/2 < 0", _one, -1),
            _part("δ > 1/2: ln P(t) + 2t²/π > 0", _four_over_pi, 1),
        ),
        lemmas=(
            TAIL,
            Lemma(
                "larger",
                "z′ ≥ z makes σ at least the tail's, which is private; at δ = 1/2 both are 0",
            ),
            Lemma(
                "near",
                "ln P(t) is even and begins with −(2/π)t², so that by Taylor's theorem t² or t⁴ "
                "times one coefficient over [0, 1/32] is left",
                (
                    Check("coefficient of t² in ln P(t) + t²/2 on [0, 1/32]", _taylor(_one, 2), -1),
                    Check(
                        "coefficient of t⁴ in ln P(t) + 2t²/π on [0, 1/32]",
                        _taylor(_four_over_pi, 4),
                    ),
                ),
            ),
            Lemma(
                "far",
                "for t ≥ 5, P(t) ≤ 4m(5)φ(t), and P(t) ≥ 2Φ(5)φ(t)/t, as m(t) ≥ t/(1+t²)",
                (
                    Check("ln(4m(5)/√(2π))", _above, -1),
                    Check("ln(2Φ(5)/(5√(2π))) + 25(2/π − 1/2)", _below),
                    Check("the slope 10(2/π − 1/2) − 1/5 of that bound", _below_slope),
                ),
            ),
        ),
        covering="t = |z′| runs through (0, ∞): Taylor's theorem up to 1/32, boxes to 5, a lemma "
        "beyond; δ = 1/2 is t = 0",
    )
    yield Theorem(
        id="X.CF.vinterbo-below-classical",
        statement="for all 0 < ε ≤ 1 and 0 < δ < 1, Vinterbo's σ is below D√(2 ln(1.25/δ))/ε",
        spec={"id": "X.CF.vinterbo-below-classical"},
        parts=(
            Part(
                name="δ ≥ 1/2",
                axes=(Axis("delta", Fraction(1, 2), Fraction(1), below="squares", above=CLOSED),),
                decide=_is_below,
            ),
        ),
        lemmas=(
            Lemma("rise", "σε rises with ε for one, is fixed for the other: ε = 1 decides"),
            Lemma(
                "squares",
                "for δ ≤ 1/2, (√(z+1)+√z)² < 4z + 2, and 4 ln(1.25/δ) − 4z = 4 ln(5(1−δ)) "
                "is at least 4 ln 2.5",
                (Check("4 ln 2.5 − 2", lambda: 4 * (arb(5) / 2).log() - 2),),
            ),
        ),
        covering="(ε, δ) with ε = 1: δ ≤ 1/2 by the lemma, boxes above",
    )


def _part(name: str, scale: Number, sign: Literal[-1, 1]) -> Part:
    def value(t: arb) -> arb:
        return (4 * normal_tail(t) * normal_tail(-t)).log() + scale() * t * t / 2

    def slope(t: arb) -> arb:
        return 1 / mills_range(-t) - 1 / mills_range(t) + scale() * t

    return Part(
        name=name,
        axes=(Axis("t", _NEAR, _FAR, below="near", above="far"),),
        decide=keeps_sign(value, slope, sign),
    )


def _taylor(scale: Number, order: int) -> Number:
    def coefficient() -> arb:
        t = arb_series([hull(Fraction(0), _NEAR), 1], order + 1)
        e = (t / arb(2).sqrt()).erf()
        return ((1 - e * e).log() + scale() * t * t / 2)[order]

    return coefficient


def _above() -> arb:
    return (4 * mills(ball(_FAR)) / (2 * arb.pi()).sqrt()).log()


def _rate() -> arb:
    return 2 / arb.pi() - arb(1) / 2


def _below() -> arb:
    t = ball(_FAR)
    return (2 * normal_tail(-t) / (t * (2 * arb.pi()).sqrt())).log() + t * t * _rate()


def _below_slope() -> arb:
    t = ball(_FAR)
    return 2 * t * _rate() - 1 / t


def _is_below(box: Box) -> BoxOutcome:
    """√(az+1) − √(az) falls with δ, and so does 2√(ln(1.25/δ)): two corners decide."""
    ((low, high),) = box
    with precision(_BITS):
        az = -arb.pi() / 4 * ball(4 * low * (1 - low)).log()
        least = 2 * (ball(Fraction(5, 4) / high)).log().sqrt()
        root = az.sqrt() if az > 0 else arb(0)
        return proved() if 1 / ((az + 1).sqrt() + root) < least else unknown()
