"""The curve H(a) = ∫(p − aq)₊ of an ordered pair of laws, at every a > 0.

At a = e^x with x ≥ 0 it is δ(x) of the pair, and with x < 0 it is 1 − a + a·δ(−x) of the pair in
the other order. It is convex in a, falls from H(0) = 1, and is at least (1 − a)₊.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds

BITS = 192
"""The precision of what is made of the values."""

DIGITS = 9
"""The tightness of every value, unless another is asked for."""

Delta = Callable[[Fraction, int], arb]
"""(ε ≥ 0, digits) -> an enclosure of δ(ε)."""


class Node:
    """The curve at one place.

    Attributes:
        x: ln a.
        a: a, a ball that is exact to the precision.
        height: H(a).
        other: δ(−x) of the other order where x < 0: 1 − H(a) is a·(1 − other).
    """

    __slots__ = ("a", "height", "other", "x")

    def __init__(self, x: Fraction, value: arb) -> None:
        self.x, self.a = x, ball(x).exp()
        self.other = value if x < 0 else None
        self.height = value if self.other is None else 1 - self.a * (1 - self.other)

    def missed(self, fpr: Fraction) -> arb:
        """Return 1 − H(a) − aα: no test of false positive rate α misses less."""
        if self.other is None:
            return 1 - self.height - self.a * ball(fpr)
        return self.a * (ball(1 - fpr) - self.other)

    def found(self, fpr: Fraction) -> arb:
        """Return H(a) + aα: no test of false positive rate α finds more."""
        if self.other is None:
            return self.height + self.a * ball(fpr)
        return 1 - self.missed(fpr)


class TradeoffCurve:
    """H of a pair (P, Q), each value remembered.

    Args:
        first: δ of P against Q.
        second: δ of Q against P.
        digits: the tightness of every δ.
        mu: an enclosure of μ, if the curve is that of N(μ, 1) and N(0, 1).
        about: x -> about δ(|x|) in float64, of the first order for x >= 0, else of the second.

    `prepare(places)` is called before many places are asked for, which may be quicker together.
    `area(digits)`, where there is one, encloses the area under TPR over FPR at once.
    """

    def __init__(
        self,
        first: Delta,
        second: Delta,
        *,
        digits: int = DIGITS,
        mu: arb | None = None,
        about: Callable[[float], float] | None = None,
    ) -> None:
        self._first, self._second, self.digits, self.mu = first, second, digits, mu
        self.about = about
        self.prepare: Callable[[Sequence[Fraction]], None] = lambda _: None
        self.area: Callable[[int], arb] | None = None
        self._nodes: dict[Fraction, tuple[int, Node]] = {}

    @property
    def swapped(self) -> TradeoffCurve:
        """The curve of the pair in the other order."""
        about = self.about
        turned = None if about is None else lambda x: about(-x)
        other = TradeoffCurve(
            self._second, self._first, digits=self.digits, mu=self.mu, about=turned
        )
        other.prepare = self.prepare
        return other

    def at(self, x: Fraction, digits: int = 0) -> Node:
        """Return the curve at a = e^x, to the curve's digits or more."""
        digits = max(digits, self.digits)
        known, node = self._nodes.get(x, (0, None))
        if node is None or known < digits:
            value = (self._first if x >= 0 else self._second)(abs(x), digits)
            with precision(BITS):
                node = Node(x, value)
            self._nodes[x] = digits, node
        return node

    def nodes(self) -> list[Node]:
        """Return the curve at all places at which it is known, from left to right."""
        return [self._nodes[x][1] for x in sorted(self._nodes)]

    def advantage(self) -> arb:
        """Enclose the largest TPR − FPR of a test, H(1)."""
        return self.at(Fraction(0)).height

    def bayes_success(self, prior: Fraction) -> arb:
        """Enclose the largest share of right answers of a test, 1 less the Bayes risk."""
        with precision(BITS):
            return 1 - self.bayes_risk(prior)

    def bayes_risk(self, prior: Fraction) -> arb:
        """Enclose the least share of wrong answers of a test, π − π·H((1−π)/π).

        Args:
            prior: π, in (0, 1), of the record to be in the data.
        """
        with precision(BITS):
            low, high = (Fraction(0),) * 2 if 2 * prior == 1 else bounds(ball(1 / prior - 1).log())
            # H falls: its values at the two ends hold the one between.
            ends = (self.at(x).missed(Fraction(0)) for x in (low, high))
            return ball(prior) * reduce(arb.union, ends)
