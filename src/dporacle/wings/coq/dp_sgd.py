"""DP-SGD: proved by Rényi moments, refuted by its largest sum (`Sampling.v`, `Shuffled.v`)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any

from mpmath import mp, mpf

from dporacle.mechanisms.sampling import readings
from dporacle.mechanisms.training import read_training
from dporacle.wings.coq.propositions import NotCoveredError, Proposition
from dporacle.wings.coq.reals import Real, exp, normal, number, power

_NEEDS = ("Sampling", "Shuffled", "SamplingChecker")
_MOST_ORDER = 200
_DIGITS = 40
_OPERATIONS = 64  # for each step and term, at most

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Training:
    """What is trained, and what is said of it.

    Attributes:
        rate: of Poisson sampling, or one over the number of batches.
        steps: how many batches are released.
        size: of the batches, where they are shuffled.
        dropped: how many records each order of them leaves out.
    """

    relation: str
    epsilon: Fraction
    delta: Fraction
    sigma: Fraction
    rate: Fraction
    steps: int
    size: int | None = None
    dropped: int = 0

    def epochs(self) -> tuple[int, int]:
        """Return how many batches an epoch has where they are shuffled, and how many of these."""
        count = math.floor(1 / self.rate)
        return count, self.steps // count

    def kept(self) -> Fraction:
        """Return the part of the records that an epoch of shuffled batches has."""
        assert self.size is not None
        whole = self.epochs()[0] * self.size
        return Fraction(whole, whole + self.dropped)

    def text(self) -> str:
        """Return the proposition, as Coq reads it."""
        numbers = " ".join(number(each).text for each in (self.epsilon, self.delta, self.sigma))
        said = f"{self.relation.replace('-', '_')} {numbers}"
        if self.size is None:
            return f"dp_sgd_dp {said} {number(self.rate).text} {self.steps}"
        count, epochs = self.epochs()
        return f"shuffled_dp {said} {count} {self.size} {self.dropped} {epochs}"


def of_claim(said: Data, about: Data, *, holds: bool) -> Proposition:
    """Return "DP-SGD is (ε,δ)-DP", for its proof or its refutation.

    Raises:
        NotCoveredError: if neither a moment of a whole order proves it nor an event refutes it.
    """
    training = _read(said, about)
    with mp.workdps(_DIGITS):
        return _proved(training) if holds else _refuted(training)


def _read(said: Data, about: Data) -> _Training:
    names = set(signature(read_training).parameters)
    given = {name: value for name, value in about.items() if name in names}
    if about.keys() & {"group", "records_per_user"}:
        raise NotCoveredError("groups of records")
    run = read_training(**given)
    if not run.as_sums:
        raise NotCoveredError("divisors or rates that are computed from the data")
    if run.released != "every-step":
        raise NotCoveredError("a release of the last iterate alone")
    if run.microbatches > 1:
        raise NotCoveredError("several batches in one noisy sum")
    size, dropped = None, 0
    if run.sampling != "poisson":
        if readings(run.sampling) != ("shuffled",):
            raise NotCoveredError(
                f"batches that are neither Poisson's nor shuffled: {run.sampling}"
            )
        count = math.floor(1 / run.sampling_rate)
        if run.sizes is not None and run.last_batch == "short":
            raise NotCoveredError("shuffled batches of which the last is incomplete")
        if run.sizes is None or run.steps % count:
            raise NotCoveredError("shuffled batches that are not told to make whole epochs")
        size, records = map(int, run.sizes)
        dropped = records - size * count
        if said["neighbours"] == "add-remove" and not dropped:
            raise NotCoveredError("shuffled batches of which one is short")
    return _Training(
        said["neighbours"],
        Fraction(said["epsilon"]),
        Fraction(said["delta"]),
        run.noise_multiplier,
        run.sampling_rate,
        run.steps,
        size,
        dropped,
    )


def _proved(training: _Training) -> Proposition:
    if training.size is not None:
        raise NotCoveredError(
            "shuffled batches that are private: only their violations are proved in Coq"
        )
    if training.relation == "replace-one":
        raise NotCoveredError("DP-SGD that is private under replace-one: its moments are no sums")
    if training.rate == 1:
        raise NotCoveredError("DP-SGD whose batches have all records: claim the composition")
    least, order = _best_order(training)
    if least > _real(training.delta):
        raise NotCoveredError("a figure that no Rényi moment of a whole order proves")
    return Proposition(
        training.text(),
        (Real("", lambda: _bound(training, order)), number(training.delta)),
        (),
        number(order) * number(training.epsilon),
        operations=_OPERATIONS * order * training.steps,
        tactic=f"by_moments {order - 1}%nat {{bits}}%positive.",
        needs=_NEEDS,
    )


def _best_order(training: _Training) -> tuple[mpf, int]:
    """Return the least bound and its order: the logarithm of the bound is convex in the order."""
    low, high = 2, _MOST_ORDER
    while low < high:
        middle = (low + high) // 2
        if _bound(training, middle) <= _bound(training, middle + 1):
            high = middle
        else:
            low = middle + 1
    return _bound(training, low), low


def _real(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


def _bound(training: _Training, order: int) -> mpf:
    """Return the δ that the moments of one order prove, of the worse direction."""
    rate, variance = _real(training.rate), _real(training.sigma) ** 2
    stay = 1 - rate
    more = mp.fsum(
        mp.binomial(order, k) * stay ** (order - k) * rate**k * mp.exp(k * (k - 1) / (2 * variance))
        for k in range(order + 1)
    )
    less = 1 + (stay ** (1 - order) - 1 - (order - 1) * rate) * mp.expm1(1 / variance)
    slope = mp.exp(_real(training.epsilon)) * order / (order - 1)
    return max(more, less) ** training.steps / (order * slope ** (order - 1))


@dataclass(frozen=True, slots=True)
class _Event:
    """That all sums are at most a cut, or that one is above.

    Attributes:
        above: which of the two.
        first: what the record contributes to the first data set.
        second: what it, or the other one, contributes to the second.
    """

    training: _Training
    above: bool
    first: int
    second: int

    def gain(self, cut: mpf) -> mpf:
        """Return the event's P − e^ε Q."""
        grown = mp.exp(_real(self.training.epsilon))
        return self._probability(self.first, cut) - grown * self._probability(self.second, cut)

    def _probability(self, record: int, cut: mpf) -> mpf:
        training, sigma = self.training, _real(self.training.sigma)

        def below(*parts: tuple[mpf, int]) -> mpf:  # the logarithm, to all digits
            beyond = mp.fsum(part * mp.ncdf((shift - cut) / sigma) for part, shift in parts)
            if beyond < mpf("0.5"):
                return mp.log1p(-beyond)
            return mp.log(mp.fsum(part * mp.ncdf((cut - shift) / sigma) for part, shift in parts))

        if training.size is not None:  # the others contribute -1, and sums are counted from there
            count, epochs = training.epochs()
            kept, one = _real(training.kept()), mpf(1)
            all_below = epochs * (
                (count - 1) * below((one, 0)) + below((kept, record + 1), (one - kept, 0))
            )
        else:
            rate = _real(training.rate)
            all_below = training.steps * below((1 - rate, 0), (rate, record))
        return -mp.expm1(all_below) if self.above else mp.exp(all_below)

    def proposition(self, cut: Fraction) -> Proposition:
        """Return what the event refutes."""
        training, one = self.training, number(1)
        at, sigma, rate = number(cut), number(training.sigma), number(training.rate)
        moved = int(training.size is not None)

        def within(shift: int) -> Real:
            return normal((at - number(shift)) / sigma)

        def probability(record: int) -> Real:
            if training.size is None:
                below = power((one - rate) * within(0) + rate * within(record), training.steps)
            else:
                count, epochs = training.epochs()
                kept = number(training.kept())
                last = kept * within(record + 1) + (one - kept) * within(0)
                below = power(power(within(0), count - 1) * last, epochs)
            return one - below if self.above else below

        epsilon = number(training.epsilon)
        weighed = exp(epsilon) * probability(self.second) + number(training.delta)
        shifts = (0, self.first + moved, self.second + moved)
        arguments = [
            ((at - number(shift)) / sigma, lambda: 2 * training.steps * mp.exp(epsilon.value()))
            for shift in shifts
        ]
        whole = " ".join(f"({record})%Z" for record in (self.first, self.second))
        return Proposition(
            training.text(),
            (weighed, probability(self.first)),
            tuple(arguments),
            epsilon,
            operations=_OPERATIONS * training.steps,
            tactic=f"by_events {str(self.above).lower()} {whole} {at.text} {{bits}}%positive "
            "{terms}%nat {others}%nat {third}%nat.",
            needs=_NEEDS,
        )


def _refuted(training: _Training) -> Proposition:
    if training.relation == "replace-one":
        pairs = [(1, -1)]
    elif training.size is not None and training.relation == "add-remove":
        pairs = [(1, -1), (-1, 1)]  # without the record all sums are the others'
    else:
        pairs = [(1, 0), (0, 1)]
    events = [_Event(training, above, *pair) for above in (True, False) for pair in pairs]
    gain, event, cut = max(
        ((one.gain(at), one, at) for one in events for at in _cuts(training)),
        key=lambda found: found[0],
    )
    gain, cut = _climbed(event, gain, cut)
    delta = _real(training.delta)
    for digits in (3, 6, 12, 24):
        rounded = Fraction(mp.nstr(cut, digits, min_fixed=-mp.inf, max_fixed=mp.inf))
        if event.gain(_real(rounded)) > delta:
            return event.proposition(rounded)
    raise NotCoveredError("DP-SGD that no event about the largest of its sums refutes")


def _cuts(training: _Training) -> Iterator[mpf]:
    """Yield cuts to begin with: where one step's loss is ε, and many quantiles."""
    sigma, rate = _real(training.sigma), _real(training.rate)
    for loss in (_real(training.epsilon), -_real(training.epsilon)):
        odds = (mp.exp(loss) - 1 + rate) / rate
        if odds > 0:
            yield sigma**2 * mp.log(odds) + mpf(1) / 2
    if training.relation == "replace-one":
        half = _real(training.epsilon) / 2
        grown = mp.exp(1 / (2 * sigma**2)) * (1 - rate) / rate
        yield sigma**2 * (mp.asinh(grown * mp.sinh(half)) + half)
    for step in range(-20, 21):
        for contributed in (0, 1, 2):
            yield sigma * step / 2 + contributed


def _climbed(event: _Event, gain: mpf, cut: mpf) -> tuple[mpf, mpf]:
    """Return a larger gain near a cut, by steps that are halved."""
    step = _real(event.training.sigma) / 4
    while step > mpf(10) ** -9 * (abs(cut) + 1):
        near = max((event.gain(at), at) for at in (cut - step, cut + step))
        if near[0] > gain:
            gain, cut = near
        else:
            step /= 2
    return gain, cut
