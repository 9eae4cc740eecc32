"""The privacy profile of a schedule in one direction, to any accuracy that is within reach."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.design import Habits, Model
from dporacle.enclosures.subsampled.inversion import Spectrum
from dporacle.enclosures.subsampled.one_step import one_step
from dporacle.enclosures.subsampled.transform import Step

_ATTEMPTS = 6  # the first one is enough for the certified vectors; each more expects a smaller δ
_BUDGET = 1 << 30  # of all the contours of one profile, one after the other
# Of a group, of which two ends are proved sooner where this is not enough.
_BUDGET_OF_GROUP = 1 << 27
_FARTHEST = 1e12  # an ε beyond which no float64 estimate is made
_DEEPEST = 1e4  # of −ln δ(ε), where that alone is asked: beyond it no line was found in a minute
_LN10 = math.log(10)
_END_BITS = 256  # more than the 60 digits that may be asked for
_PLACES = [k / 2 for k in range(13)]  # of a single t, in standard deviations
_NOTHING = Fraction(0)


class Profile:
    """δ(ε) of a schedule, without the record (`add`) or with it (`remove`) in the first place.

    δ of the add direction is e^ε·π(−ε): both directions are read from one transform.

    Args:
        steps: the kinds of steps.
        add: the direction; replace-one has only one.
        habits: of the search for a contour, from a profile that is much like this one.
        lost: the probability that a run has a shift which the steps leave out; δ(ε) is larger then.
        odds: the sum of those probabilities, each over that of no shift in its step.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        add: bool,
        habits: Habits | None = None,
        lost: Fraction = _NOTHING,
        odds: Fraction = _NOTHING,
    ) -> None:
        self.lost, self.odds = lost, odds
        self.steps, self.add = tuple(steps), add
        self.single = len(self.steps) == 1 and self.steps[0].times == 1
        self.model = Model(self.steps, habits=habits)
        of_group = any(len(each.parts) > 1 for each in self.steps)
        self._budget, self._spent = _BUDGET_OF_GROUP if of_group else _BUDGET, 0.0
        self._off = 0.0  # of the last estimate, which is much the same elsewhere
        self._spectrum: tuple[Spectrum, int] | None = None

    def most(self) -> float:
        """Estimate the ε at which δ is 0 from there on; infinite where there is none."""
        return -self.model.lowest if self.add else math.inf

    def end(self) -> arb:
        """Enclose the ε of the add direction from which on δ is 0, where every rate is below 1."""
        with precision(_END_BITS):
            return sum((s.times * -ball(1 - s.rate).log() for s in self.steps), arb(0))

    def log_estimate(self, epsilon: float) -> float:
        """Estimate ln δ(ε) in float64; −∞ far out."""
        if epsilon > _FARTHEST:
            return -math.inf
        if self.add:
            return epsilon + self.model.log_divergence(-epsilon, True)
        return self.model.log_divergence(epsilon, False)

    def least_at_zero(self) -> arb:
        """Bound δ(0) from below: by how often a t lies beyond a place, in either law."""
        best = arb(0)
        with precision(_END_BITS):
            for place in _PLACES:
                none, none_of_other = arb(1), arb(1)
                for s in self.steps:
                    beyond = normal_tail(arb(place))
                    still = ball(1 - s.rate) * beyond
                    more = still + s.moved(_beyond(place, -1))
                    if s.antipodal:
                        beyond = still + s.moved(_beyond(place, 1))
                    none *= (1 - more) ** s.times
                    none_of_other *= (1 - beyond) ** s.times
                best = best.max((none_of_other - none).lower())
        return best

    def left_out(self, epsilon: arb) -> arb:
        """Bound what δ(ε) has beyond that of the steps."""
        with precision(_END_BITS):
            lost = ball(self.lost)
            second = (lost * epsilon.exp()).min(ball(self.odds).expm1())
            if self.add:
                return second
            return lost + second if self.steps[0].antipodal else lost

    def delta(self, epsilon: arb, digits: int, *, floor: float = -math.inf) -> arb:
        """Enclose δ(ε) to a relative radius of 10^-digits; exactly 0 where it vanishes.

        Args:
            epsilon: a point, not negative.
            digits: the tightness asked for.
            floor: a logarithm; where δ(ε) is seen to lie far below, any ball will do.

        Raises:
            ArithmeticError: if that would need too much work.
        """
        value = self._delta(epsilon, digits, floor)
        if self.lost:
            more = self.left_out(epsilon)
            with precision(4 * bits_for(digits) + _END_BITS):
                value = value.union(value + more)
        return value

    def _delta(self, epsilon: arb, digits: int, floor: float) -> arb:
        wanted = bits_for(digits) + 1
        if self.single:
            return one_step(self.steps[0], epsilon, digits, add=self.add)
        if self._spectrum is not None:
            value = self._read(*self._spectrum, epsilon)
            if value.rel_accuracy_bits() >= wanted:
                return value
        if self.add and self._vanishes(epsilon):
            return arb(0)
        where = float(epsilon)
        estimate = self.log_estimate(where)
        if not estimate > -_DEEPEST and floor == -math.inf:
            raise ArithmeticError(
                f"epsilon is too large to enclose so small a δ, got {where:.6g}: δ must be above "
                f"10^-{_DEEPEST / _LN10:.0f}"
            )
        guess = estimate + self._off
        for attempt in range(_ATTEMPTS):
            y, shift = (-where, -where) if self.add else (where, 0.0)
            margin = 2.0 * (attempt + 1)  # the parts of the error are estimated, and add up
            contour = self.model.contour(y, guess + shift - digits * _LN10 - margin, self.add)
            self._spent += contour.work
            if self._spent > self._budget:
                raise ArithmeticError("the search needs too much work")
            with precision(contour.bits):
                self._spectrum = Spectrum(self.steps, contour), contour.bits
            value = self._read(*self._spectrum, epsilon)
            with precision(64):
                least = value.lower()
                most = value.upper()
                if least > 0:
                    self._off = float(least.log()) - estimate
                if value.rel_accuracy_bits() >= wanted:
                    return value
                if not most > 0 or float(most.log()) < floor - 6.0:
                    return value
                if least > 0:
                    guess = float(least.log())
                elif attempt == 0 and most > 0 and most < 1:
                    guess = min(guess, float(most.log())) - 6.0
                else:
                    guess -= 12.0 * (attempt + 1)
        raise ArithmeticError(f"no enclosure of {digits} digits within the bound of work")

    def _vanishes(self, epsilon: arb) -> bool:
        if not math.isfinite(self.model.lowest):
            return False
        return bool(epsilon >= self.end())

    def _read(self, spectrum: Spectrum, bits: int, epsilon: arb) -> arb:
        with precision(bits):
            if self.add:
                return spectrum.put(-epsilon) * epsilon.exp()
            return spectrum.call(epsilon)


def _beyond(place: float, side: int) -> Callable[[arb], arb]:
    """Return g -> the mass of N(−side·g, 1) beyond a place."""
    return lambda gap: normal_tail(place + side * gap)
