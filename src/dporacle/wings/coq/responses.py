"""Equal black boxes together, and reports by randomised response (`Responses.v`).

Their δ(ε) is a finite sum over the losses. Coq proves from the definition that it is, for every
choice of boxes, and decides the sum by intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mpmath import mp, mpf

from dporacle.wings.coq.propositions import NotCoveredError, Proposition
from dporacle.wings.coq.reals import Real, number

_NEEDS = ("Responses",)
_MOST_RELEASES = 500  # the checker multiplies as often as their square; 500 take some seconds
_MOST_LOSS = 10**5  # the checker's exponential takes time in proportion
_BOX: Final = "black-box"
_REPORT: Final = "randomised-response"

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _One:
    """What is released several times.

    Attributes:
        epsilon: ε₀.
        delta: δ₀ of a box, and 0 of a report.
        kinds: how many values a report has; None for a box.
    """

    epsilon: Fraction
    delta: Fraction
    kinds: int | None

    def lost(self, count: int) -> Fraction:
        """Return the probability that something is told without a doubt."""
        return 1 - (1 - self.delta) ** count

    def price(self, epsilon: Fraction, count: int) -> mpf:
        """Return δ(ε) of so many, by the recursion of X.REPORTS."""
        size = mpf(self.epsilon.numerator) / self.epsilon.denominator
        x, others = mp.exp(-size), (self.kinds or 2) - 2
        asked = mpf(epsilon.numerator) / epsilon.denominator
        total, one, two = mpf(0), mpf(1), mpf(0)
        for j in range(count):
            if (count - j) * self.epsilon <= epsilon:
                break
            total += one * -mp.expm1(asked - (count - j) * size)
            # j·u_j = (n−j+1)(k−2)x·u_{j−1} + (2n−j+2)x·u_{j−2}, for the next j
            step = (count - j) * others * x * one + (2 * count - j + 1) * x * two
            one, two = step / (j + 1), one
        total /= (1 + (others + 1) * x) ** count
        kept = 1 - self.delta
        power = (mpf(kept.numerator) / kept.denominator) ** count
        return 1 - power + power * total


def is_about(mechanism: Data) -> bool:
    """Tell whether a black box or randomised response is released, alone or among others."""
    return any(one["kind"] in (_BOX, _REPORT) for one in mechanism.get("releases", [mechanism]))


def of_claim(said: Data, about: Data, *, holds: bool, every: bool) -> Proposition:
    """Return "so many of these releases are (ε,δ)-DP together".

    Args:
        said: the assertion.
        about: the releases.
        holds: whether it is so.
        every: whether it is about every mechanism with the parameters of the boxes, and not about
            one of them.

    Raises:
        NotCoveredError: if they are not all alike, too many, or of too large losses, or if one box
            is said to violate a claim.
    """
    one, count = _read(about, holds=holds)
    if one.kinds is None and not (every or holds):
        raise NotCoveredError("a violation by black boxes that may be better than their parameters")
    if count > _MOST_RELEASES:
        raise NotCoveredError(f"more than {_MOST_RELEASES} boxes or reports")
    epsilon, delta = Fraction(said["epsilon"]), Fraction(said["delta"])
    largest = count * one.epsilon
    if largest > _MOST_LOSS:
        raise NotCoveredError(f"boxes or reports whose loss may be above {_MOST_LOSS}")
    parts = f"{count}%nat {number(epsilon).text} {number(delta).text}"
    if one.kinds is None:
        text = f"boxes_dp {number(one.epsilon).text} {number(one.delta).text} {parts}"
    else:
        text = f"reports_dp {number(one.epsilon).text} {one.kinds} {parts}"
    tactic = "by_losses {bits}%positive."
    exact = holds and one.delta == 1  # δ = 1 ≤ 1: all else is 0, in points and not in intervals
    if holds and largest <= epsilon and one.lost(count) == delta:
        exact, tactic = True, "by_largest_loss."
    return Proposition(
        text,
        (Real("", lambda: one.price(epsilon, count)), number(delta)),
        (),
        number(max(epsilon, largest)),
        obvious=exact,
        operations=8 * (count + 2) ** 2,
        tactic=tactic,
        needs=_NEEDS,
    )


def _read(about: Data, *, holds: bool) -> tuple[_One, int]:
    """Return what is released, and how often."""
    stated, mode = about.get("releases", [about]), about.get("records", "same")
    found: set[_One] = set()
    for release in stated:
        if release["kind"] not in (_BOX, _REPORT):
            raise NotCoveredError(f"boxes or reports beside releases of the kind {release['kind']}")
        if "rho" in release:
            raise NotCoveredError("black boxes of which only ρ is known")
        of_box = release["kind"] == _BOX
        leak = Fraction(release["delta"]) if of_box else Fraction(0)
        kinds = None if of_box else release["kinds"]
        found.add(_One(Fraction(release["epsilon"]), leak, kinds))
    if len(found) > 1:
        raise NotCoveredError("boxes or reports of several kinds, or with several parameters")
    if len(stated) > 1 and mode == "disjoint":
        raise NotCoveredError("boxes or reports about disjoint parts of the data")
    if len(stated) > 1 and mode == "unknown" and not holds:
        raise NotCoveredError("boxes or reports that may not all be about one record")
    each = sum(release.get("times", 1) for release in stated)
    return found.pop(), each * (about.get("times", 1) if "releases" in about else 1)
