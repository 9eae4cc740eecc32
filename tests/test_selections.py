"""Selections that are made again and again: no adversary is above an end, and some are near it."""

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_claims_compositions import LAWS

from dporacle import enclosures, fast, reference
from dporacle.enclosures import selections
from dporacle.enclosures.arithmetic.rounding import bounds

WITNESSES = (reference, fast, enclosures)


def ends(name: str, **where: Any) -> tuple[float, float]:
    low, high = bounds(getattr(enclosures, name)(**where))
    return float(low), float(high)


def uppers(name: str, **where: Any) -> list[float]:
    """The ends from above of all witnesses."""
    others = [float(getattr(each, name)(**where)) for each in (reference, fast)]
    return [ends(name, **where)[1], *others]


def value(x: float, eta: float, left: int, cuts: int) -> float:
    """What an adversary reaches who chooses among so many pairs, by the game's own definition."""
    if left == 0:
        return max(-math.expm1(x), 0.0)
    found = 0.0
    for i in range(cuts + 1):
        t = eta * i / cuts
        p = math.expm1(t - eta) / math.expm1(-eta)
        after = [value(x - t + each, eta, left - 1, cuts) for each in (0, eta)]
        found = max(found, p * after[0] + (1 - p) * after[1])
    return found


@pytest.mark.statement("X.ADAPTIVE")
@pytest.mark.parametrize(
    ("eta", "n", "epsilon", "cuts"),
    [(1.0, 2, 0.0, 300), (1.0, 2, 0.25, 300), (2.0, 2, 1.5, 300), (1.0, 3, 0.5, 24)],
)
def test_the_game_of_few_selections(eta: float, n: int, epsilon: float, cuts: int) -> None:
    """Two of them are known exactly, and a dense search meets that from below."""
    where = {"epsilon": epsilon, "selection_epsilon": eta, "releases": n}
    low, high = ends("exponential_mechanism_adaptive_delta", **where)
    reached = value(epsilon, eta, n, cuts)
    assert reached <= high * (1 + 1e-14)
    assert reached >= low * (1 - 1e-3)
    for each in uppers("exponential_mechanism_adaptive_delta", **where):
        assert reached * (1 - 1e-14) <= each <= high * (1 + 1e-3)
    assert high - low <= (1e-9 if n == 2 else 1e-3) * high
    fixed = float(fast.exponential_mechanism_repeated_delta(**where))
    assert fixed <= high * (1 + 1e-11)


@pytest.mark.statement("X.ADAPTIVE")
def test_float64_is_above_between_the_points_of_its_grid() -> None:
    """Of two selections, whose δ is known."""
    for k in range(24):
        where = {"epsilon": 0.07 * k, "selection_epsilon": 1.0, "releases": 2}
        low, _ = ends("exponential_mechanism_adaptive_delta", **where)
        found = float(fast.exponential_mechanism_adaptive_delta(**where))
        assert low * (1 - 1e-14) <= found <= low * (1 + 2e-3)
        back = fast.exponential_mechanism_adaptive_epsilon(delta=low, **rest(where))
        assert where["epsilon"] * (1 - 1e-9) <= back <= where["epsilon"] + 1e-3


@pytest.mark.statement("X.ADAPTIVE")
@pytest.mark.parametrize(
    ("eta", "n", "epsilon", "least", "most"),
    [  # ends of an earlier prototype with 32 steps to a range, and nested maxima
        (1, 10, 4, 0.0176630, 0.0177461),
        (0.5, 20, 2.5, 0.0162056, 0.0162729),
        (1, 3, 1, 0.0997704, 0.0998066),
    ],
)
def test_figures_of_the_game(eta: float, n: int, epsilon: float, least: float, most: float) -> None:
    where = {"epsilon": epsilon, "selection_epsilon": eta, "releases": n}
    low, high = ends("exponential_mechanism_adaptive_delta", **where)
    assert least < low < high < most
    fixed = float(fast.exponential_mechanism_repeated_delta(**where))
    assert fixed < low
    floated = float(fast.exponential_mechanism_adaptive_delta(**where))
    assert low < floated < most * 1.001
    # The least ε at a δ is where that δ is passed.
    back = ends("exponential_mechanism_adaptive_epsilon", delta=high, **rest(where))
    assert back[0] <= epsilon * (1 + 1e-6)
    assert back[1] >= epsilon * (1 - 1e-6)
    assert back[1] - back[0] < 0.01 * back[1]


def rest(where: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in where.items() if name != "epsilon"}


@pytest.mark.statement("X.ADAPTIVE")
@pytest.mark.parametrize(("n", "eta"), [(3, 0.5), (64, 2.0)])
def test_near_the_top_earlier_answers_are_of_no_use(n: int, eta: float) -> None:
    where: dict[str, Any] = {"epsilon": (n - 0.5) * eta, "selection_epsilon": eta, "releases": n}
    exact = float(enclosures.exponential_mechanism_repeated_delta(**where))
    for witness in WITNESSES:
        found = float(witness.exponential_mechanism_adaptive_delta(**where))
        assert exact * (1 - 1e-14) <= found <= exact * (1 + 1e-9)
        place = {"delta": exact, **rest(where)}
        back = float(witness.exponential_mechanism_adaptive_epsilon(**place))
        assert back == pytest.approx(where["epsilon"], rel=2e-5)


Strategy = Callable[[list[int]], list[tuple[float, float]]]


def played(choose: Strategy, n: int, epsilon: float) -> float:
    """δ(ε) of n releases, each chosen by the answers before."""

    def total(answers: list[int], p: float, q: float) -> float:
        if len(answers) == n:
            return max(p - math.exp(epsilon) * q, 0.0)
        pair = choose(answers)
        return sum(total([*answers, k], p * a, q * b) for k, (a, b) in enumerate(pair))

    return total([], 1.0, 1.0)


@pytest.mark.statement("X.ADAPTIVE", "X.FLIPS")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("exponential", "exponential_mechanism_adaptive_delta"),
        ("permute-and-flip", "permute_and_flip_repeated_delta"),
    ],
)
def test_no_adversary_is_above_the_upper_end(kind: str, name: str, seed: int) -> None:
    """Whose scores are drawn anew after each history, of two or three candidates."""
    source = random.Random(seed)
    eta, n = source.choice([0.25, 1.0, 1.5]), source.choice([2, 3, 4])
    epsilon = eta * source.choice([0.0, 0.5, 1.25])
    where = {"epsilon": epsilon, "selection_epsilon": eta, "releases": n}
    least = min(uppers(name, **where))
    line = {"kind": kind, "epsilon": eta}
    for _ in range(40):
        known: dict[tuple[int, ...], list[tuple[float, float]]] = {}

        def choose(answers: list[int], known: Any = known) -> list[tuple[float, float]]:
            return known.setdefault(tuple(answers), LAWS.drawn(line, source))  # type: ignore[no-any-return]

        assert played(choose, n, epsilon) <= least * (1 + 1e-12)


@pytest.mark.statement("X.FLIPS")
@pytest.mark.parametrize(("eta", "n", "epsilon"), [(1.0, 1, 0.5), (1.0, 2, 1.0), (2.0, 4, 0.0)])
def test_two_candidates_reach_the_lower_end(eta: float, n: int, epsilon: float) -> None:
    where = {"epsilon": epsilon, "selection_epsilon": eta, "releases": n}
    low, high = ends("permute_and_flip_repeated_delta", **where)
    reached = 0.0
    for k in range(161):
        gap = eta * (k / 80 - 1)
        wins = [LAWS.flipped([gap + move, 0.0]) for move in (eta / 2, -eta / 2)]
        reached = max(reached, LAWS.delta([list(zip(*wins, strict=True))] * n, epsilon))
    assert low * (1 - 1e-3) <= reached <= low * (1 + 1e-9)
    assert (low == pytest.approx(high, rel=1e-12)) is (n == 1)
    if n == 1:
        assert high == pytest.approx(-math.expm1((epsilon - eta) / 2), rel=1e-12)
    place = ends("permute_and_flip_repeated_epsilon", delta=low, **rest(where))
    assert place[0] == pytest.approx(epsilon, rel=1e-6, abs=1e-6)
    assert place[1] >= place[0]


@pytest.mark.parametrize("eta", [1e-300, 800.0, 5000.0])
def test_far_from_where_people_work_an_end_is_an_end(eta: float) -> None:
    """Cells of so wide a grid say nothing, and no δ is above 1."""
    where = {"epsilon": eta / 2, "selection_epsilon": eta, "releases": 3}
    low, high = ends("exponential_mechanism_adaptive_delta", **where)
    found = float(fast.exponential_mechanism_adaptive_delta(**where))
    assert 0 < low <= high <= 1
    assert low <= found * (1 + 1e-14)
    assert found <= min(2 * low, 1)
    back = float(fast.exponential_mechanism_adaptive_epsilon(delta=0.5, **rest(where)))
    assert 0 <= back <= 3 * eta * (1 + 1e-15)
    assert back >= ends("exponential_mechanism_adaptive_epsilon", delta=0.5, **rest(where))[0]


def test_permute_and_flip_is_no_exponential_mechanism() -> None:
    """Of the same ε₀ and ten of them it has fifteen times its δ."""
    given = {"epsilon": 4, "selection_epsilon": 1, "releases": 10}
    least, _ = ends("permute_and_flip_repeated_delta", **given)
    _, most = ends("exponential_mechanism_adaptive_delta", **given)
    assert least > 15 * most


rising = st.lists(st.integers(0, 10**6), min_size=14, max_size=14)


@settings(max_examples=40)
@given(steps=rising, at=st.integers(0, 4))
@example(steps=[0, 10**6, 10**6, 0, 0] * 2 + [0, 10**6, 10**6, 0], at=3)
def test_no_window_between_two_is_above_their_bound(steps: list[int], at: int) -> None:
    """Of any falling values on a grid of ratio 2^(1/4), windows of four cells."""
    cuts, ratio = 4, 2**0.25
    values = [sum(steps[k:]) for k in range(len(steps))]
    knots = [ratio**k for k in range(len(steps))]
    whole = ratio**cuts
    rise, fall = (ratio - 1) * whole / (whole - 1), (ratio - 1) / (whole - 1)
    place = cuts + at  # of the point
    bends, dots = [], []
    for k in range(at, place + 1):
        weight = (knots[place] - knots[k]) / (knots[k + cuts] - knots[k])
        dots.append(math.ceil(values[k] + weight * (values[k + cuts] - values[k])) + 1)
    for k in range(at, place):
        drop = (values[k] - values[k + 1]) * rise
        bends.append(max(0, math.ceil(drop - (values[k + cuts] - values[k + cuts + 1]) * fall)) + 1)
    best = selections._between(dots, bends)
    for k, part in itertools.product(range(at, place), range(17)):
        share = part / 16
        start = (1 - share) * knots[k] + share * knots[k + 1]
        first, last = ((1 - share) * values[j] + share * values[j + 1] for j in (k, k + cuts))
        weight = (knots[place] - start) / (start * (whole - 1))
        # Ten roundings of floats that are at most the first value, of which each is 2^-53.
        assert first + weight * (last - first) <= best + 10 * 2.0**-53 * values[0]
