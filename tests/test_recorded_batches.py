"""Recorded batches: no scheme is refuted that was used, and the others are."""

import importlib.util
import io
import itertools
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dporacle.cli import main
from dporacle.recorded_batches.compatibility import SCHEMES, compare, epoch_length
from dporacle.recorded_batches.likelihoods import Models
from dporacle.recorded_batches.recording import Recording, read
from support.cases import table

Batches = list[list[int]]


def drawn(scheme: str, seed: int, *, records: int, size: int, epochs: int) -> Batches:
    """Batches of a scheme, as a loader gives them: the last incomplete one is dropped."""
    rng = np.random.default_rng([seed, 0xBA7C4E5])
    count = records // size

    def cut(order: np.ndarray) -> Batches:
        return [sorted(each.tolist()) for each in np.split(order[: count * size], count)]

    once = cut(rng.permutation(records))
    found: Batches = []
    for _ in range(epochs):
        if scheme == "poisson":
            chances = rng.random((count, records))
            found += [np.flatnonzero(each < 1 / count).tolist() for each in chances]
        elif scheme == "shuffled":
            found += cut(rng.permutation(records))
        elif scheme == "shuffled-once":
            found += once
        elif scheme == "cyclic":
            found += cut(np.arange(records))
        elif scheme == "balls-and-bins":
            bins = rng.integers(0, count, records)
            found += [np.flatnonzero(bins == each).tolist() for each in range(count)]
        elif scheme == "fixed-size":
            found += [rng.choice(records, size, replace=False).tolist() for _ in range(count)]
        else:
            found += [rng.integers(0, records, size).tolist() for _ in range(count)]
    return found


def judged(batches: Batches, **options: float) -> dict[str, bool]:
    lines = [json.dumps(each) for each in batches]
    return {each.scheme: each.compatible for each in compare(read(lines, **options))}


# A scheme is wrongly refuted with probability 10^-6 at most: 10^-4 in all of these draws.
@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 80), st.integers(1, 4))
@example(seed=0, records=1, size=1, epochs=4)
@example(seed=0, records=80, size=3, epochs=4)
def test_the_scheme_that_was_used_is_compatible(
    scheme: str, seed: int, records: int, size: int, epochs: int
) -> None:
    assume(size <= records)
    batches = drawn(scheme, seed, records=records, size=size, epochs=epochs)
    assume(any(batches))
    assert judged(batches, records=records)[scheme]


# What is left of 30 batches an epoch, 3 epochs of 600 records; what cannot be told apart stays.
LEFT = {
    "poisson": {"poisson"},
    "shuffled": {"shuffled"},
    "shuffled-once": {"shuffled-once", "cyclic"},
    "balls-and-bins": {"balls-and-bins"},
    "cyclic": {"cyclic"},
    "fixed-size": {"fixed-size"},
    "with-replacement": {"with-replacement"},
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_was_not_used_is_refuted(scheme: str, seed: int) -> None:
    """The least evidence is some 10^9, of drawing with replacement against a fixed size."""
    batches = drawn(scheme, seed, records=600, size=20, epochs=3)
    found = judged(batches, records=600)
    assert {each for each, left in found.items() if left} == LEFT[scheme]


def test_one_batch_says_little() -> None:
    found = judged([[3, 1]], records=4)
    assert all(found.values()), found


def test_a_shuffle_buffer_is_no_shuffle() -> None:
    rng = np.random.default_rng(5)
    left, order = list(range(600)), []
    while left:
        order.append(left.pop(int(rng.integers(min(64, len(left))))))
    batches = [sorted(order[start : start + 20]) for start in range(0, 600, 20)]
    recording = read([json.dumps(each) for each in batches * 2])
    assert [each.scheme for each in compare(recording) if each.compatible] == ["cyclic"]
    assert epoch_length(recording) == 30
    again = [order[i] for i in rng.permutation(600)]
    assert epoch_length(read([json.dumps(again[:400]), json.dumps(again[:400])])) == 1


def _outcomes(records: int, count: int, *, most: int) -> Iterator[Batches]:
    """Every sequence of batches: multisets of at most so many records."""
    every: list[list[int]] = []
    for size in range(most + 1):
        every += map(list, itertools.combinations_with_replacement(range(records), size))
    return map(list, itertools.product(every, repeat=count))


def _probability(scheme: str, batches: Batches, records: int) -> float:
    """The likeliest member of a scheme, by counting its runs with these batches."""
    sets = [set(each) for each in batches]
    plain = all(len(each) == len(whole) for each, whole in zip(sets, batches, strict=True))
    sizes = {len(each) for each in batches}
    size = len(batches[0])
    if scheme == "with-replacement":
        ways = [
            math.factorial(len(each)) / math.prod(math.factorial(each.count(i)) for i in set(each))
            for each in batches
        ]
        return math.prod(ways) / records ** (size * len(batches)) if len(sizes) == 1 else 0.0
    if not plain:
        return 0.0
    if scheme == "poisson":
        taken, count = sum(map(len, batches)), len(batches) * records
        rate = Fraction(taken, count)
        return float(rate**taken * (1 - rate) ** (count - taken))
    if scheme == "fixed-size":
        return math.comb(records, size) ** -len(batches) if len(sizes) == 1 else 0.0
    if scheme == "balls-and-bins":
        return max(_bins(sets, records, length) for length in range(1, 6))
    found = [0.0]
    for length in {records // size, -(-records // size)} if size else ():
        orders = list(itertools.permutations(range(records)))
        runs = [[set(o[t * size : (t + 1) * size]) for t in range(length)] for o in orders]
        epochs = [sets[start : start + length] for start in range(0, len(sets), length)]
        fits = [[run[: len(epoch)] == epoch for run in runs] for epoch in epochs]
        if scheme == "shuffled":
            found.append(math.prod(sum(each) / len(runs) for each in fits))
        else:
            same = sum(map(all, zip(*fits, strict=True)))
            found.append(same / len(runs) if scheme == "shuffled-once" else float(same > 0))
    return max(found)


def _bins(sets: list[set[int]], records: int, length: int) -> float:
    chance = 1.0
    for start in range(0, len(sets), length):
        epoch = sets[start : start + length]
        fits = 0
        for bins in itertools.product(range(length), repeat=records):
            fits += all({i for i, b in enumerate(bins) if b == t} == s for t, s in enumerate(epoch))
        chance *= fits / length**records
    return chance


@pytest.mark.parametrize(("records", "count", "most"), [(2, 2, 2), (3, 2, 3), (2, 3, 2)])
def test_the_likelihoods_are_those_of_a_count_of_all_runs(
    records: int, count: int, most: int
) -> None:
    totals: dict[str, float] = {}
    for batches in _outcomes(records, count, most=most):
        recording = read(map(json.dumps, batches), records=records)
        models = Models(recording, None)
        for scheme in SCHEMES:
            own, impossible, _ = models.null(scheme)
            expected = _probability(scheme, batches, records)
            assert (expected == 0) == bool(impossible), (scheme, batches)
            if impossible:
                continue
            if scheme == "balls-and-bins" and len({i for each in batches for i in each}) < records:
                assert math.exp(own) >= expected * (1 - 1e-12)  # more than five bins are likelier
            else:
                assert math.exp(own) == pytest.approx(expected, rel=1e-12), (scheme, batches)
        for name, log in models.rivals().items():
            totals[name] = totals.get(name, 0.0) + math.exp(log)
    # Each rival is a law of the batches, so that Markov's inequality holds.
    assert len(totals) >= 8
    assert all(0 < total <= 1 + 1e-12 for total in totals.values()), totals


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [*table("what_is_no_recording_is_refused"), (["[" * 10**5], {}, "line 1 is not a JSON list")],
)
def test_what_is_no_recording_is_refused(
    lines: list[str], options: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(lines, **options)


@pytest.mark.parametrize(
    ("name", "value"), [("rate", 0.0), ("rate", math.nan), ("false_alarm", 1.0)]
)
def test_what_is_no_probability_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        compare(read(["[1]"]), **{name: value})


def test_a_rate_that_was_not_used_is_refuted() -> None:
    batches = drawn("poisson", 3, records=600, size=20, epochs=3)
    recording = read(map(json.dumps, batches), records=600)
    for rate, kept in ((1 / 30, True), (1 / 20, False), (1.0, False)):
        found = {each.scheme: each.compatible for each in compare(recording, rate=rate)}
        assert found["poisson"] == kept


def test_the_command(tmp_path) -> None:
    file = tmp_path / "batches.jsonl"
    epochs = [drawn("shuffled", each, records=600, size=20, epochs=1) for each in range(3)]
    file.write_text("".join(json.dumps(each) + "\n" for each in epochs))
    run = CliRunner().invoke
    result = run(main, ["batches", str(file), "--claimed", "poisson"])
    assert result.exit_code == 1
    assert "Accounting for poisson batches does not cover these." in result.output
    assert "--sampling shuffled --batches-per-epoch 30 --epochs 3" in result.output
    assert "estimated" not in result.output
    result = run(main, ["batches", "-", "--claimed", "shuffled", "--json"], file.read_text())
    assert result.exit_code == 0
    found = json.loads(result.output)["schemes"]
    assert [each for each in found if found[each]["compatible"]] == ["shuffled"]
    assert found["cyclic"] == {
        "compatible": False,
        "impossible": True,
        "log10_evidence": None,
        "reason": "batch 31 differs from batch 1",
        "accounting": None,
    }
    result = run(main, ["batches", str(file), "--dataset-size", "20"])
    assert result.exit_code == 2
    assert "records is 20" in result.output


def test_batches_that_do_not_divide_the_data_are_told() -> None:
    for records, told in ((600, False), (607, True)):
        batches = drawn("shuffled", 1, records=records, size=20, epochs=3)
        text = "".join(json.dumps(each) + "\n" for each in batches)
        words = ["batches", "-", "--dataset-size", str(records)]
        result = CliRunner().invoke(main, words, text)
        assert "--sampling shuffled" in result.output
        assert ("does not divide the data set" in result.output) == told


def test_no_scheme_is_left_of_what_nobody_claims() -> None:
    """Batches of two sizes by turns, with repeats: no scheme gives them, and the status says so."""
    batches = [[i, i + 1, 7] if i % 2 else [7] for i in range(60)]
    recording = Recording(tuple(np.array(sorted(set(each))) for each in batches), 100)
    assert not any(each.compatible for each in compare(recording) if each.scheme != "poisson")
    result = CliRunner().invoke(main, ["batches", "-"], "".join(f"{each}\n" for each in batches))
    assert result.exit_code in (0, 1)
    assert ("No scheme is left" in result.output) == (result.exit_code == 1)


def test_the_example_writes_what_the_command_reads() -> None:
    """The recorder stands between any batch sampler and its loader, and changes nothing."""
    file = Path(__file__).parents[1] / "examples" / "record_batches.py"
    specification = importlib.util.spec_from_file_location("record_batches", file)
    assert specification is not None
    assert specification.loader is not None
    example = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(example)
    batches = drawn("shuffled", 1, records=40, size=7, epochs=1)
    written = io.StringIO()
    recorded = example.RecordedBatches([[np.int64(i) for i in each] for each in batches], written)
    assert len(recorded) == len(batches)
    assert list(recorded) == batches
    found = read(written.getvalue().splitlines(), records=40)
    assert [each.tolist() for each in found.batches] == batches
