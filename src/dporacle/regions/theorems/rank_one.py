"""The corollary on the rank-one mechanism (X.R1.COROLLARY): JL24.T1 is false for every M ≥ 4.

By the lemma of the note, δ(ε)/δ ≥ F(M) := (1 − e·2^{1−M})·√166·erf(1/6)·h_M on the corollary's
whole domain, h_M = (B(1/2, (M−1)/2)/π)^{1/(M−2)}. The boxes prove F > 1 for every real M from 4 to
64.
"""

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions.theorem import (
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

_BITS = 128
_FIRST, _LAST = Fraction(4), Fraction(64)


def theorems() -> Iterator[Theorem]:
    """Yield the statement."""
    yield Theorem(
        id="X.R1.COROLLARY",
        statement="for every integer M ≥ 4, 0 < δ < 1 and 166·δ^(2(M−3)/(M−2)) ≤ ε ≤ 1, "
        "R1SMG with σ* = 2D²/(εψ) is not (ε,δ)-DP",
        spec={"id": "X.R1.COROLLARY"},
        parts=(
            Part(name="F(M) > 1", axes=(Axis("M", _FIRST, _LAST, above="large"),), decide=_decide),
        ),
        lemmas=(
            Lemma(
                "reduce",
                "the inner ball with λ = 2 and the concavity of erf on [0, 1/6] give "
                "δ(ε)/δ ≥ F(M) for all ε and δ of the domain",
                (Check("F(4) − 1", lambda: _factor(arb(4)) * _h(arb(4)) - 1),),
            ),
            Lemma("corners", "B(1/2, (M−1)/2) < π falls with M, 1 − e·2^(1−M) rises"),
            Lemma(
                "large",
                "for M ≥ 64, ln h_M ≥ −ln(πK/2)/(2(K−1)), K = M−1, which rises with M",
                (Check("(1 − e·2^(−63))·√166·erf(1/6)·(63π/2)^(−1/124) − 1", _large),),
            ),
        ),
        covering="ε and δ are gone by the first lemma; M ≥ 4: boxes to 64, a lemma beyond",
    )


def _factor(m: arb) -> arb:
    """(1 − e·2^{1−M})·√166·erf(1/6)."""
    return (1 - (1 - (m - 1) * arb(2).log()).exp()) * arb(166).sqrt() * (arb(1) / 6).erf()


def _log_beta(m: arb) -> arb:
    """ln(B(1/2, (M−1)/2)/π) = ln Γ((M−1)/2) − ln Γ(M/2) − ln(π)/2."""
    return ((m - 1) / 2).lgamma() - (m / 2).lgamma() - arb.pi().log() / 2


def _h(m: arb) -> arb:
    return (_log_beta(m) / (m - 2)).exp()


def _decide(box: Box) -> BoxOutcome:
    """Bound F from below over [M₁, M₂]: rising factors at M₁, the falling B at M₂."""
    ((low, high),) = box
    with precision(_BITS):
        first, last = ball(low), ball(high)
        h = (_log_beta(last) / (first - 2)).exp()
        return proved() if _factor(first) * h > 1 else unknown()


def _large() -> arb:
    k = ball(_LAST - 1)
    return _factor(ball(_LAST)) * (-(arb.pi() * k / 2).log() / (2 * (k - 1))).exp() - 1
