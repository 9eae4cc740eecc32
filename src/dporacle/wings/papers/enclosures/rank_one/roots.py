"""The two inverse problems of the rank-one profile.

The secant method proposes; only the signs of two balls on either side of the proposal are
believed. The profile is monotone, so that they prove that the root lies between (X.R1.INVERSE).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, precision
from dporacle.wings.papers.enclosures.rank_one.tight import (
    ProfileInputs,
    profile_pair,
    size_of,
    tight_profile,
)
from dporacle.wings.papers.enclosures.rank_one.work_limit import Work

_COARSE = 40  # bits of the first evaluations
_MAX_BITS = 1 << 13
_MAX_STEPS = 400  # the certified vectors take seven at most
_DECISION_BITS = 1 << 12


@dataclass(slots=True)
class _Search:
    """A falling function of y > 0: the log-odds of δ against those of its target.

    Attributes:
        law: the profile at y.
        target: the δ asked for.
        coordinate: what the log-odds are nearly linear in.
        back: its inverse.
    """

    law: Callable[[arb], ProfileInputs]
    target: Fraction
    coordinate: Callable[[arb], arb]
    back: Callable[[arb], arb]

    def miss(self, y: arb, bits: int) -> arb:
        """Enclose the log-odds of δ(y) less those of the target."""
        law = self.law(y)
        with precision(64):
            near = ball(min(self.target, 1 - self.target))
            if 2 * self.target < 1:
                size = size_of(law)
                near = size if size < near else near
        value, rest = profile_pair(law, bits, near)
        with precision(bits + 64):
            wanted = ball(self.target)
            if not (value.lower() > 0 and rest.lower() > 0):
                # Too far off to be resolved: the side is known.
                return arb(-64) if value < wanted / 2 else arb(64) if value > wanted else arb(0, 64)
            return (value / wanted).log() - (rest / (1 - wanted)).log()

    def resolved(self, y: arb, bits: int, most: int) -> tuple[arb, int]:
        """Return the miss at a precision that shows its sign, if one up to `most` bits does."""
        while True:
            found = self.miss(y, bits)
            if not found.contains(0) or bits >= most:
                return found, bits
            bits = min(2 * bits, most)

    def root(self, start: arb, digits: int) -> arb:
        """Return a proved ball around the root."""
        y = self._approach(start.mid(), bits_for(digits + 3))
        bits = bits_for(digits) + _COARSE
        with precision(bits + 64):
            reach = arb(10) ** -(digits + 2)
            low, high = (y * (1 - reach)).mid(), (y * (1 + reach)).mid()
        if self.resolved(low, bits, _MAX_BITS)[0] > 0 > self.resolved(high, bits, _MAX_BITS)[0]:
            return join(low, high, digits)
        raise ArithmeticError(f"the root is not bracketed to {digits} digits at {_MAX_BITS} bits")

    def _approach(self, y: arb, goal: int) -> arb:
        low: arb | None = None
        high: arb | None = None
        last: tuple[arb, arb] | None = None
        bits, slow = _COARSE, 0
        for _ in range(_MAX_STEPS):
            miss, bits = self.resolved(y, bits, goal + _COARSE)
            if miss.contains(0):
                break
            if miss > 0:
                low = y
            else:
                high = y
            with precision(bits + 64):
                following = (
                    None if last is None or slow > 4 else self._secant(last, (y, miss.mid()))
                )
                if following is None or not _inside(following, low, high):
                    following, slow = _between(low, high, y), 0
                slow += 1
                moved = abs(following / y - 1)
                depth = 0 if not moved > 0 else int(-float(moved.log().mid()) * 1.4427)
            last, y = (y, miss.mid()), following
            if depth > goal or not moved > 0:
                break
            if depth > 12:
                slow = 0
            bits = max(_COARSE, min(2 * depth + _COARSE, goal + _COARSE))
        return y

    def _secant(self, last: tuple[arb, arb], now: tuple[arb, arb]) -> arb | None:
        a, b = self.coordinate(last[0]), self.coordinate(now[0])
        change = now[1] - last[1]
        if change == 0:
            return None
        proposal = (b - now[1] * (b - a) / change).mid()
        result = self.back(proposal)
        return result.mid() if result.is_finite() and result > 0 else None


def _inside(y: arb, low: arb | None, high: arb | None) -> bool:
    return (low is None or bool(y > low)) and (high is None or bool(y < high))


def _between(low: arb | None, high: arb | None, y: arb) -> arb:
    """Return a point inside a bracket, halving its logarithm; an open end is moved."""
    if low is None:
        return (y / 4).mid()
    if high is None:
        return (y * 4).mid()
    return (low * high).sqrt().mid()


def calibrated_variance(power: int, epsilon: Fraction, target: Fraction, digits: int) -> arb:
    """Enclose the s at which δ(ε) = target; δ(ε) decreases in s."""
    work = Work()

    def law(s: arb) -> ProfileInputs:
        return ProfileInputs(power, lambda: ball(epsilon), lambda: s, work)

    with precision(64):
        # From √s·δ(ε) → √(2/π)·κ, κ ≈ e^{−ε/K}; below s = 1/2ε the typical loss exceeds ε.
        limit = (-2 * (ball(target).log() + ball(epsilon / power))).exp()
        start = limit + 1 / (2 * (1 + ball(epsilon)))
    return _Search(law, target, lambda y: y.log(), lambda z: z.exp()).root(start, digits)


def epsilon_root(power: int, s: Fraction, target: Fraction, digits: int) -> arb:
    """Enclose the smallest ε ≥ 0 with δ(ε) ≤ target; δ(ε) decreases in ε."""
    work = Work()
    if not _exceeds_at_zero(ProfileInputs(power, lambda: arb(0), lambda: ball(s), work), target):
        return arb(0)

    def law(epsilon: arb) -> ProfileInputs:
        return ProfileInputs(power, lambda: epsilon, lambda: ball(s), work)

    with precision(64):
        guess = power * -(ball(target).log() + ball(s).log() / 2)
        start = guess if guess > 1 else arb(1)
    return _Search(law, target, lambda y: y, lambda z: z).root(start, digits)


def _exceeds_at_zero(law: ProfileInputs, target: Fraction) -> bool:
    """Decide whether δ(0) exceeds the target."""
    digits = 10
    while bits_for(digits) <= _DECISION_BITS:
        value = tight_profile(law, digits)
        with precision(bits_for(digits) + 64):
            gap = value - ball(target)
            if gap > 0 or gap < 0:
                return bool(gap > 0)
        digits *= 2
    raise ArithmeticError(f"delta and delta(0) agree to {digits // 2} digits")
