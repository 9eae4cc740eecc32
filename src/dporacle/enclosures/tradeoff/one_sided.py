"""The least μ whose Gaussian curve is a bound wherever both errors of a test are large enough.

A point (α, β) of a curve is on the Gaussian curve of m = Φ⁻¹(1 − α) + Φ⁻¹(1 − β). A convex curve
lies above the lines 1 − H(a) − aα, and a Gaussian one below its chords: if it is not above a line
at two places it is a bound between them (X.RISK.CUT). The pair in the other order has the same
points with α and β changed, and so the same μ.
"""

import itertools
import math
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.tradeoff.curve import BITS, Node, TradeoffCurve
from dporacle.enclosures.tradeoff.power import rates

_FIRST = 24  # cells between the ends, at first
_ROUNDS = 80  # of new places; it ends where μ is as narrow as is asked
_MOST = 600  # places: each is an inversion
_SPARE = 2  # digits of the rates at the ends, beyond those of μ
_LEAST_GAIN = 1e-30  # a curve without any advantage does not ask for digits without end
# Any place is good, and a short fraction is the same at every precision.
_UNIT = Fraction(1, 1 << 60)


def mu_above(curve: TradeoffCurve, least: Fraction, *, digits: int = 4) -> arb:
    """Enclose the least μ with f_μ(α) ≤ f(α) wherever α and f(α) are at least a number.

    Args:
        curve: that of either order, or of both.
        least: in (0, 1/2).
        digits: the radius is at most 10^-digits of it.

    Raises:
        ArithmeticError: if every test has an error below `least`, or if that takes too many values.
    """
    with precision(BITS):
        gain = max(float(curve.advantage().mid()), _LEAST_GAIN)
    fine = digits + _SPARE - math.floor(math.log10(gain))  # μ is a difference of two quantiles
    other = curve.swapped
    ends = [rates(each, least, digits=fine) for each in (curve, other)]
    if not all(bounds(end.missed)[0] > least for end in ends):
        raise ArithmeticError(f"a test of type I error {least} has about as small a type II error")
    if curve.mu is not None:
        return curve.mu
    places = _first(curve, other, least)
    with precision(BITS):
        low = arb(0)
        for end in ends:
            low = low.max(_mu(ball(least), end.missed, end.found).lower())
        last = bounds(ends[1].missed)[1]
    for _ in range(_ROUNDS):
        nodes = [curve.at(x) for x in places]
        with precision(BITS):
            corners = list(_corners(nodes, least, last))
            high = low
            for _, value, _ in corners:
                high = high.max(value.upper())
            if (high - low) * 10**digits <= low:
                return low.union(high)
            worst = max(corners, key=lambda corner: bounds(corner[1].mid())[0])
            wished = [x for _, value, x in corners if not (value - low) * 10**digits <= low]
        at = rates(curve, worst[0], digits=fine)
        with precision(BITS):
            low = low.max(_mu(ball(worst[0]), at.missed, at.found).lower())
        places = sorted({*places, *wished})
        if len(places) > _MOST:
            break
    raise ArithmeticError(f"no μ of {digits} digits is enclosed where errors are above {least}")


def _first(curve: TradeoffCurve, other: TradeoffCurve, least: Fraction) -> list[Fraction]:
    """Return places from the line that touches the curve at its one end to that at the other."""
    with precision(BITS):

        def found(node: Node) -> Fraction:
            return bounds(node.found(least).mid())[0]

        high, low = min(curve.nodes(), key=found).x, -min(other.nodes(), key=found).x
    step = (high - low) / _FIRST
    inner = (round((low + k * step) / _UNIT) * _UNIT for k in range(1, _FIRST))
    return sorted({low, *inner, high})


def _corners(
    nodes: list[Node], least: Fraction, last: Fraction
) -> list[tuple[Fraction, arb, Fraction]]:
    """Return α about each corner, m of the lower of its two lines there, and a place between them.

    Every line is looked at in two of these, and what is between them covers [least, last].
    """
    found = []
    for node, at in ((nodes[0], last), (nodes[-1], least)):
        found.append((at, _mu(ball(at), node.missed(at), node.found(at)), node.x))
    for left, right in itertools.pairwise(nodes):
        at = bounds(((left.height - right.height) / (right.a - left.a)).mid())[0]
        at = min(max(at, least), last)
        missed = left.missed(at).min(right.missed(at))
        value = _mu(ball(at), missed, left.found(at).max(right.found(at)))
        found.append((at, value, (left.x + right.x) / 2))
    return found


def _mu(alpha: arb, missed: arb, found: arb) -> arb:
    """Return Φ⁻¹(1 − α) + Φ⁻¹(1 − β), the second from the smaller of β and 1 − β."""
    second = _quantile(missed) if missed < 0.5 else -_quantile(found)
    return _quantile(alpha) + second


def _quantile(share: arb) -> arb:
    """Return Φ⁻¹(1 − p)."""
    if not share > 0:
        return arb.pos_inf()
    half = (2 * share).erfcinv() if share < 0.5 else -(2 * (1 - share)).erfcinv()
    return arb(2).sqrt() * half
