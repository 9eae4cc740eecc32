"""Frozen noise: own programs with the typical faults are convicted, right ones are not accused."""

import builtins
import json
import random
import re
import sys
import threading
import types
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from dporacle import frozen
from dporacle.cli import main
from dporacle.common import extras
from dporacle.frozen import drawing, pairs
from dporacle.frozen.calls import is_same
from dporacle.frozen.tape import run

CHANCE = random.Random(7)


class Noise:
    """A library of one's own: Laplace and Gaussian noise, which declares a sensitivity."""

    def laplace(self, value: Any, sensitivity: float, epsilon: float) -> Any:
        shape = np.shape(value)
        draws = [CHANCE.expovariate(1) - CHANCE.expovariate(1) for _ in range(int(np.prod(shape)))]
        return value + np.reshape(draws, shape) * sensitivity / epsilon

    @staticmethod
    def gauss(value: float, sensitivity: float, sigma: float) -> float:
        return value + CHANCE.gauss(0, sigma)


NOISE = Noise()


def laplace_call(_: Noise, value: Any, sensitivity: float, epsilon: float) -> frozen.NoisyCall:
    return frozen.NoisyCall(
        kind="laplace",
        value=value,
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=0,
        scale=sensitivity / epsilon,
    )


def gauss_call(value: float, sensitivity: float, sigma: float) -> frozen.NoisyCall:
    return frozen.NoisyCall(
        kind="gaussian", value=value, sensitivity=sensitivity, scale=sigma, norm=2
    )


HOOKS = [
    frozen.Hook(owner=Noise, attribute="laplace", read=laplace_call),
    frozen.Hook(owner=Noise, attribute="gauss", read=gauss_call),
]
ANY = st.sampled_from([-3.0, 0.0, 1.0, 5.0]) | st.floats(-5, 5)
UNIT = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)


def checked(function: Callable[[Any], Any], **given: Any) -> frozen.FrozenCheck:
    usual = {"make_record": ANY, "sizes": (1, 2, 4), "relation": "replace-one", "tries": 30}
    if "neighbours" in given:
        usual = {"relation": "replace-one"}
    return frozen.check(function, hooks=HOOKS, **(usual | given))


def clipped(data: list[float], lower: float = 0, upper: float = 1) -> Any:
    return np.clip(np.array(data, dtype=float), lower, upper)


# ---- faults: what is found, and whether it is proved


def forgets_to_clip(data: list[float]) -> Any:
    return NOISE.laplace(sum(data), 1, 1)


def clips_at_the_lower_bound_twice(data: list[float]) -> Any:
    return NOISE.laplace(clipped(data).sum(), 0 - 0, 1)  # 1 − 0 was meant


def takes_the_size_for_the_number_of_records(rows: list[tuple[float, float]]) -> Any:
    table = np.array(rows)
    return NOISE.laplace(table.sum() / len(table), 2 / table.size, 1)


def spends_the_budget_twice(data: list[float]) -> Any:
    total = clipped(data).sum()
    return [NOISE.laplace(total, 1, 1), NOISE.laplace(total, 1, 1)]


def scales_noise_by_the_data(data: list[float]) -> Any:
    return NOISE.laplace(clipped(data).sum(), 1 + max(clipped(data)), 1)


def smooth(data: list[float]) -> Any:
    return NOISE.gauss(clipped(data).sum(), 1, 1 + max(clipped(data)))


def omits_the_noise(data: list[float]) -> Any:
    return clipped(data).sum()


def has_no_noise_for_a_budget_without_end(data: list[float]) -> Any:
    return NOISE.laplace(clipped(data).sum(), 1, float("inf"))


def asks_as_often_as_the_data_say(data: list[float]) -> Any:
    return [NOISE.laplace(0.0, 1, 1) for each in data if each > 0]


def tells_beside_the_noise(data: list[float]) -> Any:
    return {"mean": NOISE.laplace(clipped(data).sum(), 1, 1), "largest": max(data)}


def counts_bins_of_which_two_change(data: list[float]) -> Any:
    bins = [sum(lower <= each < lower + 0.5 for each in data) for lower in (0, 0.5)]
    return [NOISE.laplace(float(each), 1, 1) for each in bins]


def fails_on_large_values(data: list[float]) -> Any:
    if max(data) > 4:
        raise RuntimeError("too large")
    return NOISE.laplace(clipped(data).sum(), 1, 1)


PAIRS = st.tuples(UNIT, UNIT)
FAULTS = [
    (forgets_to_clip, ANY, "sensitivity", True),
    (clips_at_the_lower_bound_twice, ANY, "no-noise", True),
    (takes_the_size_for_the_number_of_records, PAIRS, "sensitivity", True),
    (spends_the_budget_twice, ANY, "budget", True),
    (scales_noise_by_the_data, ANY, "scale", True),
    (smooth, ANY, "scale", False),  # a theorem covers it, or not
    (omits_the_noise, ANY, "no-noise", True),
    (has_no_noise_for_a_budget_without_end, ANY, "no-noise", True),
    (asks_as_often_as_the_data_say, ANY, "sequence", False),
    (tells_beside_the_noise, ANY, "result", False),
    (counts_bins_of_which_two_change, UNIT, "budget", True),
    (fails_on_large_values, ANY, "error", False),
]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ([1, 2], [1], False), ([1], [1, 2], False), ({"a": 1}, {"b": 1}, False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True), ((1, 2), (1, 2), True),
    ],
)  # fmt: skip
def test_values_in_containers_are_the_same_where_all_of_them_are(
    first: object, second: object, same: bool
) -> None:
    assert is_same(first, second) is same


@pytest.mark.parametrize(
    ("kind", "scale"), [("cauchy", 1.0), ("gaussian", 0.0), ("gaussian", None), ("laplace", np.inf)]
)
def test_noise_of_no_claim_or_of_no_scale_is_left_out(kind: str, scale: float | None) -> None:
    call = types.SimpleNamespace(kind=kind, scale=scale, value=None)
    tapes = [types.SimpleNamespace(calls=[call])] * 2
    said = pairs._reason([tapes], 0, pure=False)
    assert said == "noise that claims do not have, or of no known scale"


@pytest.mark.parametrize(("function", "record", "kind", "proved"), FAULTS)
def test_a_fault_is_found(function: Any, record: Any, kind: str, proved: bool) -> None:
    found = checked(function, make_record=record, epsilon=1, delta=0)
    about = [each for each in found.findings if each.kind == kind]
    assert [each.proved for each in about] == [proved], found
    assert bool(about[0].hypotheses) == proved
    assert bool(about[0].why_asked) != proved
    assert f"{'PROVED' if proved else 'ASKED'} {kind}: " in str(found)
    with pytest.raises(AssertionError, match=kind):
        found.require()


# ---- right ones


def adds_up(data: list[float]) -> Any:
    return NOISE.laplace(clipped(data).sum(), 1, 1)


def averages(data: list[float]) -> Any:
    return NOISE.laplace(clipped(data).mean(), 1 / len(data), 1)


def counts_bins(data: list[float]) -> Any:
    return NOISE.laplace(np.histogram(clipped(data), bins=4, range=(0, 1))[0].astype(float), 2, 1)


def adapts(data: list[float]) -> Any:
    """The bound of the second sum is a noisy answer; how often it asks is one too."""
    upper = max(0.1, NOISE.laplace(clipped(data).sum(), 1, 0.5))
    rounds = 1 + (upper > 1)
    return [
        NOISE.laplace(clipped(data, 0, upper).sum(), upper, 0.5 / rounds) for _ in range(rounds)
    ]


def adds_tenths(data: list[float]) -> Any:
    return NOISE.laplace(sum(0.1 * each for each in clipped(data)) * 3, 0.3, 1)


@pytest.mark.parametrize("function", [adds_up, averages, counts_bins, adapts, adds_tenths])
def test_a_right_one_is_not_accused(function: Any) -> None:
    found = checked(function, epsilon=1, delta=0)
    assert not found.proofs, found
    assert {each.kind for each in found.questions} <= {"budget"}, found
    if found.questions:  # only the one whose later values hang on a noisy output
        assert function is adapts
    else:
        assert "nothing found" in str(found.require())
        assert max(found.largest.values()) == pytest.approx(1)  # the power: the full sensitivity


def test_rounding_is_no_change() -> None:
    """The sum of the second data set is 0.30000000004656613."""
    cancel = [([1e6, 0.0, -1e6], [1e6, 0.3, -1e6])]
    assert not checked(lambda data: NOISE.laplace(sum(data), 0.3, 1), neighbours=cancel).findings


@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1.0, 1e200, 1e307])
@pytest.mark.parametrize("norm", [1, 2, "largest", "spectral"])
def test_a_change_is_seen_in_every_unit(unit: float, norm: Any) -> None:
    """Squares of such numbers vanish or overflow; warnings are errors here."""
    exact = {1: 7.0, 2: 5.0, "largest": 4.0, "spectral": 5.0}[norm]
    owner = types.SimpleNamespace(add=lambda value, declared: value)

    def found(declared: float) -> Any:
        def read(value: Any, declared: float) -> frozen.NoisyCall:
            return frozen.NoisyCall(kind="other", value=value, sensitivity=declared, norm=norm)

        hook = frozen.Hook(owner=owner, attribute="add", read=read)
        return frozen.check(
            lambda data: owner.add(np.array([[3.0 * data[0], -4.0 * data[0]]]), declared),
            relation="replace-one",
            hooks=[hook],
            neighbours=[([0.0], [unit])],
        )

    assert not found(exact * unit).proofs
    assert [each.kind for each in found(exact * unit * (1 - 2**-20)).proofs] == ["sensitivity"]


def test_a_change_that_overflows_is_infinite() -> None:
    pair = [([1.5e308], [-1.5e308])]
    (fault,) = checked(lambda data: NOISE.laplace(data[0], 1, 1), neighbours=pair).proofs
    assert "changes by inf" in str(fault)


@pytest.mark.parametrize(
    ("delta", "bounds", "sensitivity", "proved"),
    [
        (0, None, 1, True),
        (None, None, 1, False),  # promises nothing
        (1e-6, None, 1, False),  # smooth sensitivity
        (0, (-9, 9), 1, False),  # clamped: the loss is bounded
        (0, None, 0, False),  # the sensitivity depends on the data, the scale does not
    ],
)
def test_another_scale_is_a_proof_for_pure_noise_alone(
    delta: Any, bounds: Any, sensitivity: float, proved: bool
) -> None:
    def read(value: float) -> frozen.NoisyCall:
        scale = 1 + sensitivity * value
        given: Any = {"delta": delta, "bounds": bounds, "scale": scale}
        return frozen.NoisyCall(kind="laplace", value=value, sensitivity=1 + value, **given)

    owner = types.SimpleNamespace(add=lambda value: value)
    hook = frozen.Hook(owner=owner, attribute="add", read=read)
    pair = ([0.0], [1.0])
    found = frozen.check(
        lambda data: owner.add(data[0]), relation="replace-one", hooks=[hook], neighbours=[pair]
    )
    assert [(each.kind, each.proved) for each in found.findings] == [("scale", proved)]


@pytest.mark.parametrize(("declared", "seen"), [(1, False), (0.99, True)])
@pytest.mark.parametrize("relation", ["add-remove", "zero-out"])
def test_one_percent_too_little_is_seen(declared: float, seen: bool, relation: str) -> None:
    zero = {"zero_record": 0.0} if relation == "zero-out" else {}
    found = checked(
        lambda data: NOISE.laplace(clipped(data).sum(), declared, declared),
        relation=relation,
        **zero,
    )
    assert bool(found.proofs) == seen
    if seen:  # shrunk: one record makes the difference
        (fault,) = found.proofs
        assert len(fault.data) == 1
        assert fault.shown == fault.histories == 4


def test_a_finding_is_made_simpler_for_a_while_only() -> None:
    """A function may take seconds: no finding has more than as many runs again as the search."""
    ran = []

    def condition(pair: Any) -> bool:
        ran.append(pair)
        return sum(each[0] for each in pair[0]) % 7 > 1

    record = st.tuples(st.integers(0, 10**9), st.lists(st.integers(), max_size=9))
    strategy = drawing.pairs_of(record, [3, 9], "replace-one", None)
    found = drawing.shrunk(strategy, condition, 30, 1)
    assert 30 < len(ran) <= 60
    assert condition(found)
    assert drawing.shrunk(strategy, lambda _: False, 30, 1) is None


def test_a_call_that_declares_nothing_is_told() -> None:
    found = frozen.check(
        lambda data: 3 * sum(data) + np.random.laplace(),  # noqa: NPY002
        relation="replace-one",
        hooks=frozen.numpy(),
        neighbours=[([0.0], [1.0]), ([0.0], [0.5])],
    )
    said = " ".join(str(found).split())
    assert "declares no sensitivity; the largest change is 3 the largest sum" in said


# ---- one history is none


def second_of_the_note(data: list[float]) -> Any:
    """With y₁ above 8 the next value changes by 50, which has probability e⁻⁷/2 at most."""
    first = NOISE.laplace(data[0], 1, 1)
    return first, NOISE.laplace(50 * data[0] if first > 8 else 0.0, 1, 1)


def by_the_sign(data: list[float]) -> Any:
    first = NOISE.laplace(data[0], 1, 1)
    return first, NOISE.laplace(3 * data[0] if first > 0.5 else 0.0, 1, 1)


def test_an_observed_change_belongs_to_one_history(monkeypatch: pytest.MonkeyPatch) -> None:
    rare = checked(second_of_the_note, neighbours=[([0.0], [1.0])], epsilon=2, delta=0.4)
    assert not rare.proofs
    often = checked(by_the_sign, make_record=UNIT, sizes=[1], epsilon=2, delta=0, histories=30)
    assert not often.proofs, often
    (asked,) = (each for each in often.questions if each.kind == "sensitivity")
    assert 0 <= asked.shown < asked.histories == 30
    assert "belongs to one history" in asked.why_asked
    assert any("depend on a noisy output" in each for each in often.left_out)
    # The claim is about the first call alone: it holds, though 4 is the sum that was seen.
    (release,) = json.loads(often.claims(epsilon=1, delta=0))["claims"][0]["mechanism"]["releases"]
    assert Fraction(release["releases"][0]["sensitivity"]) <= 1


# ---- another order is no change


def counts_words_in_the_order_of_the_data(data: list[str]) -> Any:
    words = dict.fromkeys([*data, "a", "b"])  # a and b are public
    return {word: NOISE.laplace(float(data.count(word)), 1, 1) for word in words}


def adds_noisy_counts(data: list[float]) -> Any:
    return sum(counts_bins_of_which_two_change(data))


def adds_noisy_counts_with_half(data: list[float]) -> Any:
    return 0.0 + sum(NOISE.laplace(float(count), 0.5, 0.5) for count in (len(data), len(data)))


def test_calls_in_another_order_are_no_proof() -> None:
    """By place a count changes by 2 and two counts by 1; by name one changes by 1."""
    found = checked(
        counts_words_in_the_order_of_the_data,
        make_record=st.sampled_from(["a", "b"]),
        relation="add-remove",
        epsilon=1,
        delta=0,
    )
    assert not found.proofs, found
    assert {each.kind for each in found.questions} == {"order", "result"}
    assert "is kept by what is added up" in found.promise  # of a pair in the same order


def test_what_a_result_does_not_show_of_each_call_is_no_proof() -> None:
    """The sum of the counts does not change at all."""
    found = checked(adds_noisy_counts, make_record=UNIT, epsilon=1, delta=0)
    assert [(each.kind, each.proved) for each in found.findings] == [("budget", False)], found
    assert "does not show which output is of which call" in found.questions[0].why_asked
    halves = checked(adds_noisy_counts_with_half, relation="add-remove")
    assert [(each.kind, each.proved) for each in halves.findings] == [("sensitivity", False)]


# ---- the claim


def test_a_budget_spent_twice_is_a_claim_that_the_audit_refutes(tmp_path: Any) -> None:
    found = checked(spends_the_budget_twice)
    file = tmp_path / "pair.json"
    file.write_text(found.claims(epsilon=1, delta="1e-5"), encoding="utf-8")
    done = CliRunner().invoke(main, ["audit", str(file)])
    assert done.exit_code == 1
    assert "VIOLATED" in done.output
    assert "delta ∈ [0.2418" in done.output
    told = " ".join(str(found.audit(epsilon=1, delta="1e-5")).split())
    assert "each noisy call draws the noise that its hook names" in told
    assert "that was so in 4 histories" in told
    kept = checked(spends_the_budget_twice, epsilon=2, delta=0)
    assert not kept.findings
    assert "is kept by what is added up of that pair" in kept.promise


def test_a_vector_is_as_many_releases_as_coordinates_change() -> None:
    def two(data: list[float]) -> Any:
        return NOISE.laplace(np.array([data[0], data[0], 7.0]), 2, 2)

    found = checked(two, neighbours=[([0.0], [1.0])])
    (one,) = json.loads(found.claims(epsilon=1, delta=0.3))["claims"][0]["mechanism"]["releases"]
    assert one["times"] == 2
    assert found.audit(epsilon=1, delta=0.3).verdict == "HOLDS"  # 0.2418, not 0.3935
    assert found.audit(epsilon=1, delta=0.24).verdict == "VIOLATED"
    odd = checked(lambda data: NOISE.laplace(0.1 * data[0], 1, 1.5), neighbours=[([0.0], [1.0])])
    (one,) = json.loads(odd.claims(epsilon=1, delta=0))["claims"][0]["mechanism"]["releases"]
    assert Fraction(one["releases"][0]["scale"]) >= Fraction(1 / 1.5)  # rounded to the safe side
    assert Fraction(one["releases"][0]["sensitivity"]) <= Fraction(0.1)


def test_gaussian_changes_are_added_as_squares() -> None:
    def two(data: list[float]) -> Any:
        return [Noise.gauss(data[0] * factor, 4, 5) for factor in (3, 4)]

    found = checked(two, neighbours=[([0.0], [1.0])])
    releases = json.loads(found.claims(epsilon=1, delta=0.1))["claims"][0]["mechanism"]["releases"]
    assert sum(Fraction(each["sensitivity_squared"]) for each in releases) == 25
    assert found.audit(epsilon=1, delta=0.1).verdict == "VIOLATED"  # μ = 1: 0.126937
    assert found.audit(epsilon=1, delta=0.127).verdict == "HOLDS"


def clamped(low: float, high: float) -> frozen.FrozenCheck:
    def read(value: float, epsilon: float) -> frozen.NoisyCall:
        return frozen.NoisyCall(kind="laplace", value=value, scale=1 / epsilon, bounds=(low, high))

    owner = types.SimpleNamespace(add=lambda value, epsilon: min(max(value, low), high))
    hook = frozen.Hook(owner=owner, attribute="add", read=read)
    pair = ([0.0], [1.0])
    return frozen.check(
        lambda data: owner.add(data[0], 1), relation="replace-one", hooks=[hook], neighbours=[pair]
    )


def test_clamped_noise_counts_within_the_clamps_only() -> None:
    assert clamped(0, 1).audit(epsilon=0.5, delta=0.2).verdict == "VIOLATED"  # 1 − e^(−1/4)
    with pytest.raises(ValueError, match="outside of the clamps"):
        clamped(0.5, 2).claims(epsilon=0.5, delta=0.2)
    # Both values lie below the upper clamp, which is met with probabilities e times apart.
    assert clamped(0.5, 2).audit(epsilon=0.99, delta=0).verdict == "VIOLATED"
    with pytest.raises(ValueError, match="outside of the clamps"):
        clamped(0.4, 0.5).claims(epsilon=0.5, delta=0)


@pytest.mark.parametrize(
    ("by", "said"), [("data", "on the other data set"), ("noise", "depend on")]
)
def test_clamps_that_depend_on_the_data_or_the_noise_are_left_out(by: str, said: str) -> None:
    def read(value: float, high: float) -> frozen.NoisyCall:
        return frozen.NoisyCall(kind="laplace", value=value, scale=1, bounds=(-9, 3 + high))

    owner = types.SimpleNamespace(add=lambda value, high: value + CHANCE.random())
    hook = frozen.Hook(owner=owner, attribute="add", read=read)

    def program(data: list[float]) -> Any:
        first = owner.add(data[0], 0)
        return first, owner.add(data[0], data[0] if by == "data" else abs(first))

    pair = ([0.0], [1.0])
    found = frozen.check(program, relation="replace-one", hooks=[hook], neighbours=[pair])
    assert [said in each for each in found.left_out] == [True], found.left_out
    assert [each.kind for each in found.findings] == ["scale"] * (by == "data")


def test_discrete_noise_is_claimed_where_claims_have_it() -> None:
    def read(value: float) -> frozen.NoisyCall:
        return frozen.NoisyCall(kind="geometric", value=value, scale=1, sensitivity=1)

    owner = types.SimpleNamespace(add=lambda value: value)
    given: Any = {"hooks": [frozen.Hook(owner=owner, attribute="add", read=read)]}
    given["neighbours"] = [([0], [1])]
    bins = lambda data: [owner.add(float(each in data)) for each in (0, 1)]  # noqa: E731
    found = frozen.check(bins, relation="replace-one", **given)
    assert found.audit(epsilon=1, delta=1e-5).verdict == "VIOLATED"
    assert found.audit(epsilon=1.9, delta=0).verdict == "VIOLATED"
    assert found.audit(epsilon=2, delta=0).verdict == "HOLDS"
    with pytest.raises(ValueError, match="only changes of 1 under replace-one"):
        frozen.check(bins, relation="zero-out", **given).claims(epsilon=1, delta=1e-5)


# ---- what else is random


def test_what_no_hook_sees_makes_no_proof() -> None:
    def hidden(data: list[float]) -> Any:
        return NOISE.laplace(5 * sum(data) + CHANCE.random(), 1, 1)

    def shared(data: list[float]) -> Any:
        return NOISE.laplace(5 * sum(data) + np.random.random(), 1, 1)  # noqa: NPY002

    def after(data: list[float]) -> Any:
        noisy = 5 * sum(data) + np.random.laplace()  # noqa: NPY002
        return [noisy, np.random.random()]  # noqa: NPY002

    said = "with the same noise differ"
    drawn = "drawn from `numpy.random`; `numpy.random.seed(1)` at the function's beginning"
    for function, told, hooks in (
        (hidden, said, HOOKS),
        (shared, drawn, HOOKS),
        (after, drawn, frozen.numpy(sensitivity=1)),
    ):
        found = frozen.check(
            function, relation="replace-one", hooks=hooks, neighbours=[([0.0], [1.0])]
        )
        assert not found.proofs
        assert told in " ".join(str(found).split())
        with pytest.raises(ValueError, match="something else is random"):
            found.claims(epsilon=1, delta=0)


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        (lambda: None, True),
        (lambda: random.seed(1), False),
        (lambda: np.random.seed(1), True),  # noqa: NPY002 - of the other generator
        (lambda: random.seed(), True),  # the system's own
        (lambda: random.seed(None), True),
        (lambda: random.seed(version=2), True),
        (lambda: random.seed(a=1), False),
        (lambda: (random.random(), random.seed(1)), True),  # too late
    ],
)
def test_what_a_function_seeds_is_a_part_of_it(first: Any, asked: bool) -> None:
    def sampled(data: list[float]) -> Any:
        first()
        random.choice(data)
        return NOISE.laplace(2 * sum(data), 1, 1)

    state = random.getstate()
    found = checked(sampled, neighbours=[([0.0], [1.0])])
    assert ("randomness" in {each.kind for each in found.questions}) == asked
    assert bool(found.proofs) != asked
    if asked:
        said = str(checked(sampled, neighbours=[([0.0], [1.0])], epsilon=1, delta=0))
        assert "ASKED budget: do the calls of one run together keep the promise?" in said
        assert "not added up: something else is random" in " ".join(said.split())
    assert random.getstate() == state
    assert random.seed.__self__ is random._inst  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [1, 2])
def test_noise_that_a_function_seeds_is_asked_about(size: int) -> None:
    def constant(data: list[float]) -> Any:
        np.random.seed(5)  # noqa: NPY002
        return sum(data) / size + np.random.laplace(scale=1)  # noqa: NPY002

    found = frozen.check(
        constant,
        relation="replace-one",
        hooks=frozen.numpy(sensitivity=1),
        neighbours=[([0.0], [2.0])],
    )
    (asked,) = [each for each in found.questions if each.kind == "randomness"]
    assert "seeds the generator" in asked.says
    assert not found.proofs


@pytest.mark.parametrize(
    ("make", "asked"),
    [
        (lambda: np.random.default_rng(5), True),
        (lambda: np.random.default_rng(seed=5), True),
        (lambda: np.random.default_rng(np.random.default_rng(5)), True),
        (lambda: np.random.default_rng(), False),
        (lambda: np.random.default_rng(None), False),
    ],
)
def test_a_generator_made_with_a_seed_is_asked_about(make: Any, asked: bool) -> None:
    found = frozen.check(
        lambda data: sum(data) + make().laplace(scale=1),
        relation="replace-one",
        hooks=frozen.numpy(sensitivity=1),
        neighbours=[([0.0], [2.0])],
    )
    assert ("randomness" in {each.kind for each in found.questions}) == asked
    assert bool(found.proofs) != asked


def test_calls_of_other_threads_are_asked_about() -> None:
    def threaded(data: list[float]) -> Any:
        one = threading.Thread(target=NOISE.laplace, args=(sum(data), 1, 1))
        one.start()
        one.join()
        return NOISE.laplace(clipped(data).sum(), 1, 1)

    found = checked(threaded)
    assert [each.kind for each in found.findings] == ["threads"], found


def test_a_hook_that_nobody_calls_is_said() -> None:
    found = checked(lambda _: "nothing")
    assert [each.kind for each in found.findings] == ["no-calls"]


# ---- hooks


class Parent:
    def inherited(self) -> float:
        return 0.0

    @classmethod
    def of_class(cls) -> float:
        return 0.0

    @staticmethod
    def static() -> float:
        return 0.0


class Child(Parent):
    pass


@pytest.mark.parametrize("name", ["inherited", "of_class", "static"])
@pytest.mark.parametrize("owner", [Parent, Child, Child()])
def test_hooks_are_taken_back_whatever_happens(owner: Any, name: str) -> None:
    before = {each: dict(vars(each)) for each in (Parent, Child)} | {owner: dict(vars(owner))}
    hook = frozen.Hook(
        owner=owner, attribute=name, read=lambda *_: frozen.NoisyCall(kind="any", value=1)
    )
    states = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    subject = Child() if isinstance(owner, type) else owner

    def interrupted(_: Any) -> None:
        assert getattr(subject, name)() == 0
        raise KeyboardInterrupt

    tape = run(lambda _: getattr(subject, name)(), [], [hook], seed=1)
    assert (tape.result, len(tape.calls)) == (0, 1)
    with pytest.raises(KeyboardInterrupt):
        run(interrupted, [], [hook], seed=1)
    assert {each: dict(vars(each)) for each in before} == before
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states  # type: ignore[index]  # noqa: NPY002


def test_outputs_and_data_are_copies() -> None:
    def careless(data: list[float]) -> Any:
        noisy = NOISE.laplace(np.array(clipped(data)), 1, 1)
        noisy += 1
        data.clear()
        return noisy.tolist()

    pair = [0.0, 1.0], [1.0, 1.0]
    assert not checked(careless, neighbours=[pair]).findings
    assert pair == ([0.0, 1.0], [1.0, 1.0])


# ---- numpy


def legacy(data: list[float]) -> Any:
    return clipped(data).sum() + np.random.laplace(scale=1)  # noqa: NPY002


def modern(data: list[float]) -> Any:
    return np.random.default_rng().normal(0, 2, 3) + np.array([clipped(data).sum(), 0, 0])


def as_centre(data: list[float]) -> Any:
    return np.random.laplace(clipped(data).sum(), 1)  # noqa: NPY002


def in_place(data: list[float]) -> Any:
    total = np.array([clipped(data).sum()])
    total -= np.random.default_rng().laplace(size=1)
    return total


def shares_noise(data: list[float]) -> Any:
    return np.array([clipped(data).sum(), 0.0]) + np.random.default_rng().laplace()


@pytest.mark.parametrize("function", [legacy, modern, as_centre, in_place])
def test_noise_of_numpy_is_known_by_what_it_is_added_to(function: Any) -> None:
    for sensitivity, kinds in ((1, set()), (0.9, {"sensitivity"})):
        found = frozen.check(
            function,
            make_record=UNIT,
            sizes=[2],
            relation="add-remove",
            hooks=frozen.numpy(sensitivity=sensitivity),
            tries=20,
        )
        assert {each.kind for each in found.findings} == kinds, found
        assert all(each.proved for each in found.findings)


def test_noise_is_drawn_afresh_and_repeats_by_its_seed() -> None:
    draws = [
        run(lambda _: [legacy([0.0]), legacy([0.0])], [], frozen.numpy(), seed=seed).result
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1]
    assert len({*draws[0], *draws[2]}) == 4


def test_noise_that_coordinates_share_is_asked_about() -> None:
    found = frozen.check(
        shares_noise, relation="replace-one", hooks=frozen.numpy(), neighbours=[([0.0], [1.0])]
    )
    assert [each.kind for each in found.findings] == ["unseen"]


# ---- ready hooks, on stand-ins that have what they read


class _Mechanism:
    def __init__(self, **given: Any) -> None:
        vars(self).update({"delta": 0.0} | given)

    def randomise(self, value: Any = None) -> Any:
        return 0.0


def library(monkeypatch: pytest.MonkeyPatch, name: str, **parts: Any) -> None:
    module = types.ModuleType(name)
    vars(module).update(parts)
    monkeypatch.setitem(sys.modules, name, module)


def test_mechanisms_of_diffprivlib_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("Laplace", "GeometricTruncated", "GaussianAnalytic", "Exponential", "Bingham")
    made: Any = {name: type(name, (_Mechanism,), dict(vars(_Mechanism))) for name in names}
    library(monkeypatch, "diffprivlib", mechanisms=types.SimpleNamespace(**made))

    def all_of_them(_: Any) -> Any:
        made["Laplace"](epsilon=1.0, delta=0.5, sensitivity=2.0).randomise(3)
        box = {"epsilon": 0.5, "sensitivity": 1, "lower": 0, "upper": 9}
        made["GeometricTruncated"](**box).randomise(4)
        made["GaussianAnalytic"](epsilon=1.0, sensitivity=1.0, _scale=2.5).randomise(5)
        made["Exponential"](epsilon=1.0, sensitivity=1.0, utility=[1, 2]).randomise()
        made["Bingham"](epsilon=1.0, sensitivity=1.0).randomise([[1, 0], [0, 1]])

    tape = run(all_of_them, [], frozen.diffprivlib(), seed=1)
    assert tape.error is None
    laplace, geometric, gaussian, scores, matrix = tape.calls
    assert (laplace.kind, laplace.value) == ("laplace", 3)
    assert laplace.scale == pytest.approx(2 / (1 + np.log(2)))
    assert (geometric.kind, geometric.scale, geometric.bounds) == ("geometric", 2, (0, 9))
    assert (gaussian.kind, gaussian.scale) == ("gaussian", 2.5)
    assert (scores.norm, list(scores.value)) == ("largest", [1, 2])
    assert (matrix.norm, matrix.value.shape) == ("spectral", (2, 2))


class _Made:
    """What a constructor of OpenDP made."""

    def __init__(self, function: str, call: Any = None, distance: Any = None, **given: Any) -> None:
        self.__opendp_dict__ = {"__function__": function, "__kwargs__": given}
        self._call, self.map = call, lambda far: distance * far
        self.input_domain, self.output_measure = "AtomDomain(T=f64)", "MaxDivergence"
        self.input_metric = "AbsoluteDistance(f64)"

    def __call__(self, value: Any) -> Any:
        return self._call(value)


def test_chains_of_opendp_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Queryable:
        def __call__(self, query: Any) -> float:
            return 0.0

    composes = lambda this, arg: Queryable() if this is context else 0.0  # noqa: E731
    core = types.SimpleNamespace(measurement_invoke=composes)
    mod = types.SimpleNamespace(Queryable=Queryable, Measurement=_Made)
    library(monkeypatch, "opendp", core=core, mod=mod)
    context = _Made("make_adaptive_composition")
    noise = _Made("make_laplace", scale=2.0)
    chain = _Made("make_chain_mt", measurement1=noise, transformation0=_Made("", sum, 3.0))
    after = _Made("make_chain_pm", postprocess1=None, measurement0=chain)
    whole = _Made("make_laplace", scale=2.0)
    whole.input_domain = "AtomDomain(T=i32)"
    other = _Made("make_randomized_response_bool")
    within: dict[str, Any] = {"__name__": "opendp.mod", "core": core}
    exec(  # a line of the library that hands the call on: nobody looks for it
        compile("def invoke(*given): return core.measurement_invoke(*given)", "mod.py", "exec"),
        within,
    )

    def all_of_them(data: Any) -> Any:
        for this, arg in ((after, data), (noise, 4.0), (whole, 5), (other, True)):
            within["invoke"](this, arg)
        core.measurement_invoke(context, data)(chain)

    tape = run(all_of_them, [1.0, 2.0], frozen.opendp(distance=2), seed=1)
    assert tape.error is None
    chained, alone, discrete, unknown, asked = tape.calls
    assert {each.where.partition(":")[0] for each in tape.calls[:4]} == {Path(__file__).name}
    assert (chained.value, chained.sensitivity, chained.scale) == (3, 6, 2)
    assert (chained.kind, chained.delta) == ("laplace", 0)
    assert asked.declared == chained.declared
    assert asked.value == chained.value
    assert (alone.value, alone.sensitivity) == (4, None)
    assert discrete.kind == "geometric"
    assert (unknown.kind, unknown.value) == ("make_randomized_response_bool", None)


def test_mechanisms_of_pipeline_dp_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Additive:
        def __init__(self, name: str, sensitivity: float, parameter: float) -> None:
            self.noise_kind = types.SimpleNamespace(name=name)
            self.sensitivity, self.noise_parameter = sensitivity, parameter

        def add_noise(self, value: float) -> float:
            return 0.0

        @classmethod
        def create_from_epsilon(cls, epsilon: float, sensitivity: float) -> "Additive":
            return cls("LAPLACE", sensitivity, sensitivity / epsilon)

        @classmethod
        def create_from_epsilon_delta(cls, eps: float, delta: float, far: float) -> "Additive":
            return cls("GAUSSIAN", far, 3.5)

    owner = types.SimpleNamespace(AdditiveMechanism=Additive, LaplaceMechanism=Additive)
    owner.GaussianMechanism = Additive
    owner.apply_laplace_mechanism = owner.apply_gaussian_mechanism = lambda *_: 0.0
    library(monkeypatch, "pipeline_dp", dp_computations=owner)

    def all_of_them(_: Any) -> Any:
        Additive("GAUSSIAN", 2.0, 4.0).add_noise(1)
        owner.apply_laplace_mechanism(2, 0.5, 3.0)
        owner.apply_gaussian_mechanism(3, 1.0, 1e-5, 2.0)

    tape = run(all_of_them, [], frozen.pipeline_dp(), seed=1)
    assert tape.error is None
    told = [(each.kind, float(each.value), each.sensitivity, each.scale) for each in tape.calls]
    assert told == [("gaussian", 1, 2, 4), ("laplace", 2, 3, 6), ("gaussian", 3, 2, 3.5)]
    assert [each.delta for each in tape.calls] == [None, 0, None]


# ---- what is refused


GIVEN: dict[str, Any] = {"neighbours": [([0.0], [1.0])], "relation": "replace-one", "hooks": HOOKS}
DRAWN = {"neighbours": None, "make_record": UNIT, "sizes": [1]}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"relation": "swap"}, "relation must be one of add-remove, replace-one, zero-out, got 'swap'"),
    ({"hooks": []}, "hooks must be"),
    ({"hooks": [len]}, "hooks must be"),
    ({"histories": 1}, "histories must be from 2"),
    ({"tries": 0}, "tries must be"),
    ({"seed": -1}, "seed must be"),
    ({"epsilon": 1}, "epsilon and delta must be given together"),
    ({"epsilon": -1, "delta": 0}, "epsilon must be at least 0, got -1"),
    ({"epsilon": 1, "delta": 2}, "delta must be at least 0 and at most 1, got 2"),
    ({"neighbours": None}, "neighbours, or make_record with sizes"),
    ({"make_record": UNIT, "sizes": [1]}, "neighbours, or make_record with sizes"),
    ({"neighbours": []}, "neighbours must be one pair at least"),
    ({"neighbours": [([0],)]}, "neighbours[0] must be two replace-one neighbours, got ([0],)"),
    ({"neighbours": [([0, 1], [1, 0])]}, "neighbours[0] must be two replace-one neighbours"),
    ({"relation": "add-remove"}, "neighbours[0] must be two add-remove neighbours"),
    (DRAWN | {"sizes": []}, "sizes must be numbers from 1"),
    (DRAWN | {"sizes": [0]}, "sizes must be numbers from 1"),
    (DRAWN | {"relation": "zero-out"}, "zero_record must be given"),
    (DRAWN | {"zero_record": 0.0}, "zero_record must be given"),
    (DRAWN | {"make_record": 3}, "make_record must be a strategy or a function, got 3"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_bad_input_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        frozen.check(adds_up, **(GIVEN | given))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitivity": -1}, "sensitivity of a laplace call must be ≥ 0, got -1"),
        ({"scale": float("nan")}, "scale of a laplace call must be ≥ 0, got nan"),
        ({"norm": 3}, "norm must be 1, 2, 'largest' or 'spectral', got 3"),
    ],
)
def test_a_bad_call_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        frozen.NoisyCall(kind="laplace", **given)


def test_bad_hooks_are_named() -> None:
    with pytest.raises(ValueError, match="'nothing' is not there"):
        frozen.Hook(owner=Noise, attribute="nothing", read=gauss_call)
    with pytest.raises(ValueError, match="read or instead must be given for 'gauss'"):
        frozen.Hook(owner=Noise, attribute="gauss")
    generator = frozen.Hook(owner=np.random.Generator, attribute="normal", read=gauss_call)
    with pytest.raises(ValueError, match=r"'normal' of .* cannot be replaced"):
        frozen.check(adds_up, **(GIVEN | {"hooks": [generator]}))
    wrong = frozen.Hook(owner=Noise, attribute="laplace", read=lambda *_: 3)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="must return a NoisyCall"):
        frozen.check(adds_up, **(GIVEN | {"hooks": [wrong]}))


def test_given_neighbours_need_no_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "hypothesis":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "dporacle.frozen.drawing", raising=False)
    monkeypatch.delattr(frozen, "drawing", raising=False)
    assert not frozen.check(adds_up, **GIVEN).findings
    more = {"relation": "add-remove", "neighbours": [([1.0, 2.0, 2.0], [1.0, 2.0, 9.0, 2.0])]}
    (fault,) = frozen.check(forgets_to_clip, **(GIVEN | more)).proofs
    assert "frozen-neighbours-given" in {each.id for each in fault.hypotheses}
    with pytest.raises(ImportError) as told:
        frozen.check(adds_up, **(GIVEN | DRAWN | {"make_record": lambda _: 0.0}))
    assert str(extras.advice(ImportError(name="hypothesis"))) in str(told.value)


# ---- what is told


def test_the_answer_says_what_it_saw_and_what_not() -> None:
    found = checked(tells_beside_the_noise, epsilon=1, delta=0)
    content = json.loads(found.to_json())
    assert content["format"] == "dporacle-frozen/1"
    assert content["tried"] == 30
    assert [each["kind"] for each in content["questions"]] == ["result"]
    assert content["proofs"] == []
    for line in content["cannot_see"]:
        assert line in " ".join(str(found).split())
    assert "30 pairs of replace-one neighbours, drawn with 1 to 4 records, seed 1" in str(found)
    found.require({"result": "the largest value is public"})
    for accept in ({"result": " "}, {"scale": "why"}):
        with pytest.raises(ValueError, match="accept"):
            found.require({"result": "public"} | accept)
    with pytest.raises(AssertionError):
        checked(forgets_to_clip).require()


def test_a_function_of_a_generator_makes_records_too() -> None:
    found = checked(forgets_to_clip, make_record=lambda chance: chance.choice([0.0, 3.0]))
    assert [each.kind for each in found.proofs] == ["sensitivity"]


PROJECT = """
import numpy as np
from dporacle import frozen
from hypothesis import strategies as st

GIVEN = dict(make_record=st.sampled_from([0.0, 1.0, 2.0]), sizes=[2], relation="add-remove",
             hooks=frozen.numpy(sensitivity=1), tries=20)

def test_right(frozen_noise):
    frozen_noise(lambda data: np.clip(data, 0, 1).sum() + np.random.laplace(), **GIVEN)

def test_wrong(frozen_noise):
    frozen_noise(lambda data: np.sum(data) + np.random.laplace(), **GIVEN)

def test_asked(frozen_noise):
    release = lambda data: (np.random.laplace() + len(data), len(data))
    found = frozen_noise(release, accept={"result": "the number of records is public"}, **GIVEN)
    assert not found.proofs
"""


def test_the_fixture_fails_with_what_was_found(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_scratch=PROJECT)
    result = pytester.runpytest("-q", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*PROVED sensitivity: a value changes by more*"])
