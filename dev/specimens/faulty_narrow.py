"""Faults that no vector meets: narrow ones, and ones that depend on what was asked before.

Half the noise, or half the bound, where the fault is; exact everywhere else. Only fresh inputs
convict them, with the power that the specimen states.
"""

import itertools
import math
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from dporacle.dev.specimens.formulas import exact_sigma
from dporacle.dev.specimens.specimen import Calibrator, Collection
from dporacle.fast import delta_at_epsilon, epsilon_at_delta
from dporacle.vectors import load

NARROW = Collection()

Given = tuple[float, ...]
"""ε, δ and the sensitivity."""


@cache
def _vectors() -> frozenset[Given]:
    return frozenset(
        tuple(float(value) for value in vector.inputs.values())
        for vector in load("calibrate_sigma").vectors
    )


def _near_vector(given: Given) -> bool:
    """Whether all but the sensitivity are a vector's: a fault on a value must not meet one."""
    return any(given[:2] == vector[:2] for vector in _vectors())


def _half(
    power: float, *, remembers: bool = True
) -> Callable[[Callable[[], Callable[[Given], bool]]], None]:
    """Add a specimen that halves the noise where what is decorated, made anew, says so."""

    def add(make: Callable[[], Callable[[Given], bool]]) -> None:
        def calibrator() -> Calibrator:
            wrong = make()

            def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
                faulty = wrong((epsilon, delta, sensitivity))
                return exact_sigma(epsilon, delta, sensitivity) / (2 if faulty else 1)

            return sigma

        given = calibrator if remembers else calibrator()
        given.__name__, given.__doc__ = make.__name__, make.__doc__
        NARROW.add("calibrate_sigma", power=power, remembers=remembers)(given)

    return add


@_half(power=0.99, remembers=False)
def half_for_short_numbers() -> Callable[[Given], bool]:
    """Half the noise for every input of at most three digits that is no vector."""
    return lambda given: (
        all(float(f"{value:.2e}") == value for value in given) and not _near_vector(given)
    )


@_half(power=0.99)
def tired_after_500() -> Callable[[Given], bool]:
    """Half the noise from the 501st call on."""
    calls = itertools.count(1)
    return lambda given: next(calls) > 500


@_half(power=0.99)
def half_when_repeated() -> Callable[[Given], bool]:
    """Half the noise for an input that was answered before."""
    times: Counter[Given] = Counter()
    return lambda given: times.update([given]) or times[given] > 1


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def cached_by_float32() -> Calibrator:
    """A cache whose key is rounded to float32: a neighbour gets the answer to another input."""
    known: dict[bytes, float] = {}

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        answer = exact_sigma(epsilon, delta, sensitivity)
        try:
            key = struct.pack("3f", epsilon, delta, sensitivity)
        except OverflowError:
            return answer
        if 0.0 in struct.unpack("3f", key) or math.inf in struct.unpack("3f", key):
            return answer
        return known.setdefault(key, answer)

    return sigma


@_half(power=0.99)
def half_after_a_neighbour() -> Callable[[Given], bool]:
    """Half the noise after an input that float32 does not tell from this one."""
    before: list[Given] = [(0.0, 0.0, 0.0)]

    def near(given: Given) -> bool:
        last, before[0] = before[0], given
        pairs = zip(given, last, strict=True)
        return given != last and all(abs(one - two) <= 1e-7 * abs(two) for one, two in pairs)

    return near


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def cached_by_twelve_digits() -> Calibrator:
    """A cache whose key has twelve digits: a neighbour gets the answer to another input."""
    known: dict[tuple[str, ...], float] = {}

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        answer = exact_sigma(epsilon, delta, sensitivity)
        key = tuple(f"{value:.11e}" for value in (epsilon, delta, sensitivity))
        return known.setdefault(key, answer)

    return sigma


@_half(power=0.99)
def half_in_a_row() -> Callable[[Given], bool]:
    """Half the noise for the input that was answered just before."""
    before: list[Given] = [()]

    def same(given: Given) -> bool:
        last, before[0] = before[0], given
        return given == last

    return same


@_half(power=0.99)
def half_the_third_time() -> Callable[[Given], bool]:
    """Half the noise for an input that was answered twice before."""
    times: Counter[Given] = Counter()
    return lambda given: times.update([given]) or times[given] > 2


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def refusing_after_600() -> Calibrator:
    """Whatever is asked is refused from the 601st call on, what was answered before too."""
    calls = itertools.count(1)

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        if next(calls) > 600:
            raise ValueError("that is enough")
        return exact_sigma(epsilon, delta, sensitivity)

    return sigma


@_half(power=0.95, remembers=False)
def half_at_one_part_in_many() -> Callable[[Given], bool]:
    """Half the noise where δ is one part in a whole number, and has more than three digits."""

    def one_part(given: Given) -> bool:
        delta = given[1]
        parts = round(1 / delta) if 1e-9 < delta < 1 else 0
        one = parts > 0 and delta == 1 / parts and delta != float(f"{delta:.2e}")
        return one and given not in _vectors()

    return one_part


@_half(power=0.95, remembers=False)
def half_for_roots() -> Callable[[Given], bool]:
    """Half the noise where the sensitivity is the root of a whole number, and not whole."""
    roots = {math.sqrt(whole) for whole in range(2, 21)} - {2.0, 3.0, 4.0}
    return lambda given: given[2] in roots and given not in _vectors()


@NARROW.add("calibrate_sigma", power=0.99, batch=True)
def half_when_alone(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """Right in batches; half the noise for an input that is no vector and is asked alone."""
    alone = len(inputs) == 1 and tuple(inputs[0].values()) not in _vectors()
    return [exact_sigma(**each) / (2 if alone else 1) for each in inputs]


@_half(power=0.95, remembers=False)
def half_for_powers_of_two() -> Callable[[Given], bool]:
    """Half the noise where the sensitivity is a power of two other than 1."""
    return lambda given: (
        given[2] != 1 and math.frexp(given[2])[0] == 0.5 and given not in _vectors()
    )


@_half(power=0.99)
def half_every_ninth_time() -> Callable[[Given], bool]:
    """Half the noise in every ninth call after 200."""
    calls = itertools.count(1)
    return lambda given: (call := next(calls)) > 200 and call % 9 == 0 and given not in _vectors()


@NARROW.add("calibrate_sigma", power=0.99, batch=True)
def half_for_the_last(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """Half the noise for the last input of a batch, where that is no vector."""
    last = len(inputs) - 1
    wrong = (
        index == last > 1 and tuple(each.values()) not in _vectors()
        for index, each in enumerate(inputs)
    )
    return [
        exact_sigma(**each) / (2 if half else 1) for each, half in zip(inputs, wrong, strict=True)
    ]


@NARROW.add("epsilon_at_delta", power=0.95, remembers=True)
def half_after_a_refusal() -> Calibrator:
    """Half of ε after an input that was refused."""
    refused = False

    def epsilon(delta: float, sigma: float, sensitivity: float) -> float:
        nonlocal refused
        faulty, refused = refused, True
        found = float(epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity))
        refused = False
        return found / 2 if faulty else found

    return epsilon


@NARROW.add("delta_at_epsilon", power=0.95)
def half_around_a_ratio(epsilon: float, sigma: float, sensitivity: float) -> float:
    """Half of δ where σ/Δ is from 2.05 to 2.25."""
    delta = float(delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity))
    return delta / 2 if 2.05 <= sigma / sensitivity <= 2.25 and delta > 1e-300 else delta


@_half(power=0.95, remembers=False)
def half_for_powers_of_counts() -> Callable[[Given], bool]:
    """Half the noise for δ = n^−1.1 and sensitivity 1, n of one digit and zeros."""

    def of_a_count(given: Given) -> bool:
        count = float(f"{max(given[1], 1e-15) ** (-1 / 1.1):.0e}")
        return abs(given[1] * count**1.1 - 1) < 1e-12 and given[2] == 1

    return of_a_count


@_half(power=0.99)
def half_after_another() -> Callable[[Given], bool]:
    """Half the noise for what was asked just before the last question, which was another."""
    before: list[Given] = []

    def between(given: Given) -> bool:
        faulty = len(before) == 2 and before[0] == given != before[1]
        before[:] = [*before, given][-2:]
        return faulty

    return between
