"""Faults that no vector meets: narrow ones, and ones that depend on what was asked before.

Half the noise, or half the bound, where the fault is; exact everywhere else. Only fresh inputs
convict them, with the power that the specimen states.
"""

import math
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from dporacle.fast import (
    accuracy,
    delta_at_epsilon,
    epsilon_at_delta,
    laplace_delta_at_epsilon,
    repeated_sigma,
)
from dporacle.specimens.formulas import exact_sigma
from dporacle.specimens.specimen import Calibrator, Collection
from dporacle.vectors import load

NARROW = Collection()


def _sigma(epsilon: float, delta: float, sensitivity: float, *, faulty: bool) -> float:
    sigma = exact_sigma(epsilon, delta, sensitivity)
    return sigma / 2 if faulty else sigma


@cache
def _vectors() -> frozenset[tuple[float, ...]]:
    return frozenset(
        tuple(float(value) for value in vector.inputs.values())
        for vector in load("calibrate_sigma").vectors
    )


def _near_vector(given: tuple[float, ...]) -> bool:
    """Whether all but the sensitivity are a vector's: a fault on a value must not meet one."""
    return any(given[:2] == vector[:2] for vector in _vectors())


def _known(epsilon: float, delta: float, sensitivity: float) -> bool:
    return (epsilon, delta, sensitivity) in _vectors()


@NARROW.add("calibrate_sigma", power=0.95)
def half_at_three(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise at ε = 3, where no vector is."""
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=epsilon == 3 and not known)


@NARROW.add("calibrate_sigma", power=0.8)
def half_at_two_millionths(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise at δ = 2e-6."""
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=delta == 2e-6 and not known)


@NARROW.add("calibrate_sigma", power=0.99)
def half_for_short_numbers(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for every input of at most three digits that is no vector."""
    given = (epsilon, delta, sensitivity)
    short = all(float(f"{value:.2e}") == value for value in given)
    return _sigma(*given, faulty=short and not _near_vector(given))


@NARROW.add("calibrate_sigma", power=0.95)
def half_above_a_twentieth(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for 0.05 < ε < 0.06."""
    return _sigma(epsilon, delta, sensitivity, faulty=0.05 < epsilon < 0.06)


@NARROW.add("calibrate_sigma", power=0.95)
def half_around_three(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for ε from 2.9 to 3.1."""
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=2.9 <= epsilon <= 3.1 and not known)


@NARROW.add("calibrate_sigma", power=0.99)
def half_for_large_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for ε from 50 to 600 where the sensitivity is not 1."""
    known = _known(epsilon, delta, sensitivity)
    faulty = 50 <= epsilon <= 600 and sensitivity != 1 and not known
    return _sigma(epsilon, delta, sensitivity, faulty=faulty)


@NARROW.add("calibrate_sigma", power=0.9)
def half_for_huge_epsilon(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for ε above 10⁴ where the sensitivity is not 1."""
    known = _known(epsilon, delta, sensitivity)
    faulty = epsilon > 1e4 and sensitivity != 1 and not known
    return _sigma(epsilon, delta, sensitivity, faulty=faulty)


@NARROW.add("calibrate_sigma", power=0.99)
def half_for_likely_delta(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for δ from 0.1 to 0.99, but at a vector."""
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=0.1 < delta < 0.99 and not known)


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def tired_after_500() -> Calibrator:
    """Half the noise from the 501st call on."""
    calls = 0

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        nonlocal calls
        calls += 1
        return _sigma(epsilon, delta, sensitivity, faulty=calls > 500)

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_when_repeated() -> Calibrator:
    """Half the noise for an input that was answered before."""
    seen: set[tuple[float, ...]] = set()

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        given = (epsilon, delta, sensitivity)
        repeated = given in seen
        seen.add(given)
        return _sigma(*given, faulty=repeated)

    return sigma


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


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_after_a_neighbour() -> Calibrator:
    """Half the noise after an input that float32 does not tell from this one."""
    before: tuple[float, ...] = (0.0, 0.0, 0.0)

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        nonlocal before
        given = (epsilon, delta, sensitivity)
        pairs = zip(given, before, strict=True)
        near = given != before and all(abs(one - two) <= 1e-7 * abs(two) for one, two in pairs)
        before = given
        return _sigma(*given, faulty=near)

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def cached_by_twelve_digits() -> Calibrator:
    """A cache whose key has twelve digits: a neighbour gets the answer to another input."""
    known: dict[tuple[str, ...], float] = {}

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        answer = exact_sigma(epsilon, delta, sensitivity)
        key = tuple(f"{value:.11e}" for value in (epsilon, delta, sensitivity))
        return known.setdefault(key, answer)

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_in_a_row() -> Calibrator:
    """Half the noise for the input that was answered just before."""
    before: tuple[float, ...] = ()

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        nonlocal before
        given = (epsilon, delta, sensitivity)
        same, before = given == before, given
        return _sigma(*given, faulty=same)

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_the_third_time() -> Calibrator:
    """Half the noise for an input that was answered twice before."""
    times: Counter[tuple[float, ...]] = Counter()

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        given = (epsilon, delta, sensitivity)
        times[given] += 1
        return _sigma(*given, faulty=times[given] > 2)

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def refusing_after_600() -> Calibrator:
    """What was answered before is refused from the 601st call on."""
    calls = 0

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        nonlocal calls
        calls += 1
        if calls > 600:
            raise ValueError("that is enough")
        return exact_sigma(epsilon, delta, sensitivity)

    return sigma


@NARROW.add("calibrate_sigma", power=0.95)
def half_at_one_part_in_many(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise where δ is one part in a whole number, and has more than three digits."""
    parts = round(1 / delta) if 1e-9 < delta < 1 else 0
    one = parts > 0 and delta == 1 / parts and delta != float(f"{delta:.2e}")
    return _sigma(
        epsilon, delta, sensitivity, faulty=one and not _known(epsilon, delta, sensitivity)
    )


@NARROW.add("calibrate_sigma", power=0.95)
def half_for_roots(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise where the sensitivity is the root of a whole number, and not whole."""
    roots = {math.sqrt(whole) for whole in range(2, 21)} - {2.0, 3.0, 4.0}
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=sensitivity in roots and not known)


@NARROW.add("calibrate_sigma", power=0.99, batch=True)
def half_when_alone(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """Right in batches; half the noise for an input that is no vector and is asked alone."""
    alone = len(inputs) == 1 and tuple(inputs[0].values()) not in _vectors()
    return [_sigma(**each, faulty=alone) for each in inputs]


@NARROW.add("calibrate_sigma", power=0.95)
def half_at_some_ten_millionths(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for δ from 3e-7 to 4e-7."""
    return _sigma(epsilon, delta, sensitivity, faulty=3e-7 <= delta <= 4e-7)


@NARROW.add("calibrate_sigma", power=0.95)
def half_for_powers_of_two(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise where the sensitivity is a power of two other than 1."""
    known = _known(epsilon, delta, sensitivity)
    power = sensitivity != 1 and math.frexp(sensitivity)[0] == 0.5
    return _sigma(epsilon, delta, sensitivity, faulty=power and not known)


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_every_ninth_time() -> Calibrator:
    """Half the noise in every ninth call after 200."""
    calls = 0

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        nonlocal calls
        calls += 1
        tired = calls > 200 and calls % 9 == 0
        return _sigma(
            epsilon, delta, sensitivity, faulty=tired and not _known(epsilon, delta, sensitivity)
        )

    return sigma


@NARROW.add("calibrate_sigma", power=0.99, batch=True)
def half_for_the_last(inputs: Sequence[Mapping[str, float]]) -> list[float]:
    """Half the noise for the last input of a batch, where that is no vector."""
    last = len(inputs) - 1
    return [
        _sigma(**each, faulty=index == last > 1 and tuple(each.values()) not in _vectors())
        for index, each in enumerate(inputs)
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


@NARROW.add("repeated_sigma", power=0.99)
def half_for_some_counts(
    epsilon: float, delta: float, releases: float, sensitivity: float
) -> float:
    """Half the noise for 6, 7 and 9 releases."""
    sigma = repeated_sigma(
        epsilon=epsilon, delta=delta, releases=int(releases), sensitivity=sensitivity
    )
    return float(sigma) / (2 if releases in (6, 7, 9) else 1)


@NARROW.add("accuracy", power=0.99)
def half_for_likely_alpha(alpha: float, sigma: float) -> float:
    """Half the error bound for α from 0.1 to 0.99, but at a vector."""
    bound = float(accuracy(alpha=alpha, sigma=sigma))
    return bound / 2 if 0.1 < alpha < 0.99 and alpha not in _alphas() else bound


@cache
def _alphas() -> frozenset[float]:
    return frozenset(float(vector.inputs["alpha"]) for vector in load("accuracy").vectors)


@NARROW.add("calibrate_sigma", power=0.99)
def half_at_eight(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise at (8, 10⁻⁵) for sensitivity 1."""
    faulty = (epsilon, delta, sensitivity) == (8, 1e-5, 1) and not _known(8, 1e-5, 1)
    return _sigma(epsilon, delta, sensitivity, faulty=faulty)


@NARROW.add("calibrate_sigma", power=0.99)
def half_for_powers_of_ten(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for δ a power of ten and ε of 0.2, 0.3, 3, 4 or 8, for sensitivity 1."""
    power = delta in {float(f"1e-{n}") for n in range(3, 13)}
    faulty = power and epsilon in (0.2, 0.3, 3, 4, 8) and sensitivity == 1
    known = _known(epsilon, delta, sensitivity)
    return _sigma(epsilon, delta, sensitivity, faulty=faulty and not known)


@NARROW.add("calibrate_sigma", power=0.95)
def half_for_powers_of_counts(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for δ = n^−1.1 and sensitivity 1, n of one digit and zeros."""
    count = float(f"{max(delta, 1e-15) ** (-1 / 1.1):.0e}")
    faulty = abs(delta * count**1.1 - 1) < 1e-12 and sensitivity == 1
    return _sigma(epsilon, delta, sensitivity, faulty=faulty)


@NARROW.add("calibrate_sigma", power=0.9)
def half_above_120(epsilon: float, delta: float, sensitivity: float) -> float:
    """Half the noise for 120 < ε ≤ 680 and sensitivity 1, but at a vector."""
    known = _near_vector((epsilon, delta, sensitivity))
    faulty = 120 < epsilon <= 680 and sensitivity == 1 and not known
    return _sigma(epsilon, delta, sensitivity, faulty=faulty)


@NARROW.add("delta_at_epsilon", power=0.99)
def half_for_popular_sigma(epsilon: float, sigma: float, sensitivity: float) -> float:
    """Half of δ at σ = 0.7, 1.1, 1.3, 2.5 or 15, for sensitivity 1."""
    delta = delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    faulty = sigma in (0.7, 1.1, 1.3, 2.5, 15) and sensitivity == 1
    return delta / 2 if faulty else delta


@NARROW.add("laplace_delta_at_epsilon", power=0.99)
def half_for_popular_scale(epsilon: float, scale: float, sensitivity: float) -> float:
    """Half of δ of Laplace noise of scale 0.1, 0.2, 0.25 or 1.5, for sensitivity 1."""
    delta = laplace_delta_at_epsilon(epsilon=epsilon, scale=scale, sensitivity=sensitivity)
    faulty = scale in (0.1, 0.2, 0.25, 1.5) and sensitivity == 1
    return delta / 2 if faulty else delta


@NARROW.add("calibrate_sigma", power=0.99, remembers=True)
def half_after_another() -> Calibrator:
    """Half the noise for what was asked just before the last question, which was another."""
    before: list[tuple[float, ...]] = []

    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        given = (epsilon, delta, sensitivity)
        faulty = len(before) == 2 and before[0] == given != before[1]
        before[:] = [*before, given][-2:]
        return _sigma(epsilon, delta, sensitivity, faulty=faulty)

    return sigma
