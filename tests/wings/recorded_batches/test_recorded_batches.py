"""Recorded batches: no scheme is refuted that was used, and the others are."""

import functools
import importlib.util
import io
import itertools
import json
import math
import re
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import binom

from dporacle.cli import main
from dporacle.wings.recorded_batches.likelihoods import Models
from dporacle.wings.recorded_batches.power import powers
from dporacle.wings.recorded_batches.recording import Recording, read
from dporacle.wings.recorded_batches.refutation import (
    FALSE_ALARM,
    RIVALS,
    SCHEMES,
    SchemeEvidence,
    compare,
    departures,
    epoch_length,
    evidence_against,
)
from dporacle.wings.recorded_batches.sizes import Sizes
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


def recorded(batches: Batches, records: int, epoch: int | None = None) -> Recording:
    return Recording(
        tuple(np.sort(np.array(each, dtype=np.int64)) for each in batches), records, epoch
    )


def about(
    scheme: str,
    recording: Recording,
    *,
    rate: float | None = None,
    cap: int | None = None,
    false_alarm: float = FALSE_ALARM,
) -> SchemeEvidence:
    """Return what `compare` says about one scheme; the others would cost as much each."""
    models = Models(recording, rate, cap)
    guessed = recording.guessed
    return evidence_against(models, scheme, guessed=guessed, false_alarm=false_alarm)


def judged(batches: Batches, **options: float) -> dict[str, bool]:
    """Return for each scheme whether it is not refuted."""
    lines = [json.dumps(each) for each in batches]
    return {each.scheme: not each.refuted for each in compare(read(lines, **options))}


# A scheme is wrongly refuted with probability 10^-6 at most: 10^-4 in all of these draws.
@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 80), st.integers(1, 4))
@example(seed=0, records=1, size=1, epochs=4)
@example(seed=0, records=80, size=3, epochs=4)
def test_the_scheme_that_was_used_is_not_refuted(
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


def test_one_scheme_is_judged_as_among_all() -> None:
    batches = drawn("shuffled", 3, records=60, size=7, epochs=3)
    for recording in (recorded(batches, 60), read(map(json.dumps, batches))):
        for options in ({}, {"rate": 0.1, "cap": 9, "false_alarm": 0.01}):
            among = compare(recording, **options)
            assert [each.scheme for each in among][:7] == [*SCHEMES]
            assert among == tuple(about(e.scheme, recording, **options) for e in among)


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
    assert [each.scheme for each in compare(recording) if not each.refuted] == ["cyclic"]
    assert epoch_length(recording) == 30
    again = [order[i] for i in rng.permutation(600)]
    assert epoch_length(read([json.dumps(again[:400]), json.dumps(again[:400])])) == 1


def _outcomes(records: int, count: int, *, most: int) -> Iterator[Batches]:
    """Every sequence of batches: multisets of at most so many records."""
    every: list[list[int]] = []
    for size in range(most + 1):
        every += map(list, itertools.combinations_with_replacement(range(records), size))
    return map(list, itertools.product(every, repeat=count))


def _of_one_size(sizes: list[int]) -> bool:
    """Whether all are equal, but for a smaller one at the end of each epoch of some length."""
    shorter = [
        [sizes[0]] * (length - 1) + [last]
        for length in range(1, len(sizes) + 1)
        for last in range(sizes[0] + 1)
    ]
    return any((each * len(sizes))[: len(sizes)] == sizes for each in shorter)


def _probability(scheme: str, batches: Batches, records: int) -> float:
    """The likeliest member of a scheme, by counting its runs with these batches."""
    sets = [set(each) for each in batches]
    plain = all(len(each) == len(whole) for each, whole in zip(sets, batches, strict=True))
    sizes = list(map(len, batches))
    size = len(batches[0])
    if scheme == "with-replacement":
        ways = [
            math.factorial(len(each)) / math.prod(math.factorial(each.count(i)) for i in set(each))
            for each in batches
        ]
        return math.prod(ways) / records ** sum(sizes) if _of_one_size(sizes) else 0.0
    if not plain:
        return 0.0
    if scheme == "poisson":
        taken, count = sum(map(len, batches)), len(batches) * records
        rate = Fraction(taken, count)
        return float(rate**taken * (1 - rate) ** (count - taken))
    if scheme == "fixed-size":
        ways = [math.comb(records, each) for each in sizes]
        return 1 / math.prod(ways) if _of_one_size(sizes) else 0.0
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
        for name, log in models.rivals.items():
            totals[name] = totals.get(name, 0.0) + math.exp(log)
    # Each rival is a law of the batches, so that Markov's inequality holds.
    assert len(totals) >= 8
    assert all(0 < total <= 1 + 1e-12 for total in totals.values()), totals


def test_a_byte_order_mark_is_no_part_of_a_recording(tmp_path):
    path = tmp_path / "batches.jsonl"
    path.write_bytes(b"\xef\xbb\xbf[0, 1]\n[2, 3]\n")
    found = CliRunner().invoke(main, ["batches", str(path), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["batches"] == 2
    again = CliRunner().invoke(main, ["batches", "-", "--json"], input=path.read_bytes())
    assert again.stdout == found.stdout


def test_so_many_records_as_no_memory_holds_are_refused():
    assert read(["[0, 1]"], records=10**8).records == 10**8
    with pytest.raises(ValueError, match=r"records must be in \[1, 100000000\]"):
        read(["[0, 1]"], records=10**8 + 1)
    with pytest.raises(ValueError, match=r"a whole number in \[0, 100000000\), got 100000000"):
        read(["[0, 100000000]"])


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
        found = {each.scheme: not each.refuted for each in compare(recording, rate=rate)}
        assert found["poisson"] == kept


def test_the_command(tmp_path) -> None:
    file = tmp_path / "batches.jsonl"
    epochs = [drawn("shuffled", each, records=600, size=20, epochs=1) for each in range(3)]
    file.write_text("".join(json.dumps(each) + "\n" for each in epochs))
    run = CliRunner().invoke
    result = run(main, ["batches", str(file), "--claimed", "poisson"])
    assert result.exit_code == 1
    assert "So an ε of poisson batches is not proved for them." in result.output
    assert "--sampling shuffled --batches-per-epoch 30 --epochs 3" in result.output
    assert "estimated" not in result.output
    result = run(main, ["batches", "-", "--claimed", "shuffled", "--json"], file.read_text())
    assert result.exit_code == 0
    found = json.loads(result.output)["schemes"]
    assert [each for each in found if not found[each]["refuted"]] == ["shuffled"]
    assert found["cyclic"] == {
        "refuted": True,
        "impossible": True,
        "log10_evidence": None,
        "reason": "batch 31 differs from batch 1",
        "accounting": None,
        "conditions": [],
        "found_with_probability_0.99": {},
    }
    assert found["shuffled"]["found_with_probability_0.99"] == {
        "batches are copies of earlier ones": "1 or more copies of batches of 20 records",
        "the order is that of the file, shuffled within a window": "windows of up to 256 records",
    }
    result = run(main, ["batches", str(file), "--dataset-size", "20"])
    assert result.exit_code == 2
    assert "records is 20" in result.output


def shown(batches: Batches, *options: str) -> str:
    text = "".join(json.dumps(each) + "\n" for each in batches)
    result = CliRunner().invoke(main, ["batches", "-", *options], text)
    assert result.exit_code in (0, 1), result.output
    return result.output


def accounted(batches: Batches, *options: str) -> dict[str, tuple[str, list[str]]]:
    """Return the command and its conditions for each scheme that is not refuted."""
    document = json.loads(shown(batches, "--json", *options))
    return {
        name: (each["accounting"], each["conditions"])
        for name, each in document["schemes"].items()
        if not each["refuted"]
    }


def test_no_scheme_is_left_of_what_nobody_claims() -> None:
    """Batches of two sizes by turns, with repeats: no scheme gives them, and the status says so."""
    batches = [[i, i + 1, 7] if i % 2 else [7] for i in range(60)]
    recording = Recording(tuple(np.array(sorted(set(each))) for each in batches), 100)
    assert all(each.refuted for each in compare(recording) if each.scheme != "poisson")
    result = CliRunner().invoke(main, ["batches", "-"], "".join(f"{each}\n" for each in batches))
    assert result.exit_code in (0, 1)
    assert ("No scheme is left" in result.output) == (result.exit_code == 1)


def test_the_example_writes_what_the_command_reads() -> None:
    """The recorder stands between any batch sampler and its loader, and changes nothing."""
    file = Path(__file__).parents[3] / "examples" / "record_batches.py"
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


# The laws of all recordings of a scheme, one by one, with their probabilities.


def _poisson(records: int, count: int, rate: float) -> Iterator[tuple[Batches, float]]:
    some = [list(c) for k in range(records + 1) for c in itertools.combinations(range(records), k)]
    for batches in itertools.product(some, repeat=count):
        taken = sum(map(len, batches))
        yield list(batches), rate**taken * (1 - rate) ** (records * count - taken)


def _of_sizes(records: int, sizes: list[int], *, replaced: bool) -> Iterator[tuple[Batches, float]]:
    if replaced:
        each = [itertools.product(range(records), repeat=size) for size in sizes]
        chance = 1 / records ** sum(sizes)
    else:
        each = [itertools.combinations(range(records), size) for size in sizes]
        chance = 1 / math.prod(math.comb(records, size) for size in sizes)
    for batches in itertools.product(*each):
        yield [sorted(batch) for batch in batches], chance


def _of_epochs(
    epochs: dict[tuple[tuple[int, ...], ...], float], count: int
) -> Iterator[tuple[Batches, float]]:
    for some in itertools.product(epochs.items(), repeat=count):
        yield [list(b) for epoch, _ in some for b in epoch], math.prod(p for _, p in some)


def _shuffles(records: int, size: int, length: int) -> dict[tuple[tuple[int, ...], ...], float]:
    orders = list(itertools.permutations(range(records)))
    found = Counter(
        tuple(tuple(sorted(o[t * size : (t + 1) * size])) for t in range(length)) for o in orders
    )
    return {epoch: times / len(orders) for epoch, times in found.items()}


def _balls(records: int, length: int) -> dict[tuple[tuple[int, ...], ...], float]:
    found = {}
    for bins in itertools.product(range(length), repeat=records):
        epoch = tuple(tuple(i for i, b in enumerate(bins) if b == t) for t in range(length))
        found[epoch] = length**-records
    return found


Law = tuple[str, int, float | None, Callable[[], Iterator[tuple[Batches, float]]]]

LAWS: dict[str, Law] = {
    "poisson": ("poisson", 3, None, lambda: _poisson(3, 2, 0.3)),
    "poisson, often": ("poisson", 2, None, lambda: _poisson(2, 3, 0.8)),
    "poisson, one batch": ("poisson", 4, None, lambda: _poisson(4, 1, 0.4)),
    "poisson, stated": ("poisson", 2, 0.25, lambda: _poisson(2, 3, 0.25)),
    "fixed size": ("fixed-size", 4, None, lambda: _of_sizes(4, [2] * 2, replaced=False)),
    "most records": ("fixed-size", 3, None, lambda: _of_sizes(3, [2, 2, 1, 2], replaced=False)),
    "replaced": ("with-replacement", 2, None, lambda: _of_sizes(2, [2] * 3, replaced=True)),
    "replaced, short": (
        "with-replacement",
        2,
        None,
        lambda: _of_sizes(2, [2, 2, 1], replaced=True),
    ),
    "shuffled": ("shuffled", 4, None, lambda: _of_epochs(_shuffles(4, 2, 2), 2)),
    "shuffled, dropped": ("shuffled", 3, None, lambda: _of_epochs(_shuffles(3, 2, 1), 4)),
    "shuffled, short": ("shuffled", 3, None, lambda: _of_epochs(_shuffles(3, 2, 2), 3)),
    "shuffled once": ("shuffled-once", 4, None, lambda: _of_epochs(_shuffles(4, 1, 4), 1)),
    "bins": ("balls-and-bins", 3, None, lambda: _of_epochs(_balls(3, 2), 2)),
}
LONGER: dict[str, Law] = {
    "poisson, often": ("poisson", 2, None, lambda: _poisson(2, 4, 0.8)),
    "three bins": ("balls-and-bins", 2, None, lambda: _of_epochs(_balls(2, 3), 2)),
}


@pytest.mark.parametrize("name", LAWS)
def test_no_bet_against_the_scheme_that_was_used_wins_in_the_mean(name: str) -> None:
    """Over all recordings, an e-value has mean at most 1: that is what Markov's inequality needs.

    The number of records is read off the batches, too, where nobody states it.
    """
    _check_means(*LAWS[name])


@pytest.mark.deep("each takes 4 to 8 s; shorter ones are asked in every change")
@pytest.mark.parametrize("name", LONGER)
def test_no_bet_wins_in_the_mean_over_longer_recordings(name: str) -> None:
    _check_means(*LONGER[name])


def _check_means(
    scheme: str,
    records: int,
    rate: float | None,
    law: Callable[[], Iterator[tuple[Batches, float]]],
    cap: int | None = None,
) -> None:
    means: Counter[str] = Counter()
    total = 0.0
    for batches, chance in law():
        total += chance
        recording = recorded(batches, records)
        models = Models(recording, rate, cap)
        assert not models.null(scheme)[1], batches
        for bet, log in departures(models, scheme, rate).items():
            means[bet] += chance * math.exp(log)
        found = evidence_against(models, scheme, guessed=False)
        means["all rivals"] += chance * 10**found.evidence
        if any(batches):
            found = about(scheme, read(map(json.dumps, batches)), rate=rate, cap=cap)
            means["all rivals, records guessed"] += chance * 10**found.evidence
    assert total == pytest.approx(1, rel=1e-12)
    assert len(means) >= 8
    assert all(mean <= 1 + 1e-9 for mean in means.values()), means


def _truncated(records: int, count: int, rate: float, cap: int) -> Iterator[tuple[Batches, float]]:
    some: dict[tuple[int, ...], float] = {}
    for size in range(records + 1):
        chance = rate**size * (1 - rate) ** (records - size)
        for batch in itertools.combinations(range(records), size):
            kept = [*itertools.combinations(batch, min(size, cap))]
            for each in kept:
                some[each] = some.get(each, 0.0) + chance / len(kept)
    for batches in itertools.product(some.items(), repeat=count):
        yield [list(batch) for batch, _ in batches], math.prod(p for _, p in batches)


@pytest.mark.parametrize(
    ("records", "count", "rate", "cap", "stated"),
    [(3, 2, 0.4, 2, None), (3, 2, 0.7, 1, None), (2, 3, 0.6, 1, 0.6), (2, 2, 0.5, 2, None)],
)
def test_no_bet_against_truncated_batches_wins_in_the_mean(
    records: int, count: int, rate: float, cap: int, stated: float | None
) -> None:
    law = functools.partial(_truncated, records, count, rate, cap)
    _check_means("truncated", records, stated, law, cap)


def test_the_likeliest_rate_of_truncated_batches() -> None:
    """Of 9 batches of at most 2 of 5 records; the chance is that of a grid of rates at the most."""
    counts = np.array([0.0, 1, 2, 2, 1, 2, 2, 0, 2])

    def chance(rate: float) -> float:
        masses = [binom.pmf(k, 5, rate) for k in (0, 1)]
        masses.append(1 - sum(masses))
        ways = [1, 5, 10]
        return math.prod(masses[int(k)] / ways[int(k)] for k in counts)

    own = math.exp(Sizes(counts, 5, None, 2).log())
    best = max(chance(k / 10000) for k in range(1, 10000))
    assert best <= own * (1 + 1e-12)
    assert own == pytest.approx(best, rel=1e-6)
    assert math.exp(Sizes(counts, 5, 0.3, 2).log()) == pytest.approx(chance(0.3), rel=1e-12)


CHANGED = 12  # records of a data set whose batches are changed after they are drawn


def _mean(sizes: tuple[int, ...], becomes: Callable[[int], int | None]) -> float:
    """The mean over all rates of the chance of sizes; what becomes nothing is drawn again."""
    total = 0.0
    for k in range(32):
        rate = math.sin(math.pi / 2 * (k + 0.5) / 32) ** 2
        chances = Counter[int | None]()
        for size, mass in enumerate(binom.pmf(range(CHANGED + 1), CHANGED, rate)):
            chances[becomes(size)] += mass
        stays = sum(mass for size, mass in chances.items() if size is not None)
        total += math.prod(chances[each] / stays for each in sizes)
    return total / 32


@pytest.mark.parametrize(
    "sizes", [(4, 8, 4), (6, 3, 9), (10, 5, 5), (2, 4, 2), (8, 8, 4), (3, 12, 6)]
)
def test_bets_on_changed_sizes_are_of_what_a_loader_does(sizes: tuple[int, ...]) -> None:
    """Each is of the law of sizes that are drawn, and then changed, by definition."""
    least, cap, unit = min(sizes), max(sizes), math.gcd(*sizes)
    found = Sizes(np.array(sizes, float), CHANGED, None)
    back = found.log() + sum(math.log(math.comb(CHANGED, each)) for each in sizes)

    def of(bet: float, costs: int) -> Any:
        """The law that is bet on; all numbers that might be bet on share one in all."""
        return pytest.approx(math.exp(bet + back) * costs, rel=1e-9)

    cut = _mean(sizes, lambda n: min(n, cap)), _mean(sizes, lambda n: n if n <= cap else None)
    if cap < CHANGED:
        assert sum(cut) / 2 == of(found.capped(), (cap + 1) * (cap + 2))
    else:
        assert found.capped() == -math.inf  # nothing is cut
    again = _mean(sizes, lambda n: n if n >= least else None)
    assert again == of(found.redrawn(), least * (least + 1))
    rounded = _mean(sizes, lambda n: n // unit * unit), _mean(sizes, lambda n: -(-n // unit) * unit)
    assert sum(rounded) / 2 == of(found.multiples(), unit * (unit - 1))


def test_nothing_is_bet_on_a_change_that_changes_nothing() -> None:
    assert Sizes(np.array([0.0, 5.0]), CHANGED, None).redrawn() == -math.inf
    assert Sizes(np.array([2.0, 3.0]), CHANGED, None).multiples() == -math.inf


def test_truncated_batches_are_told_by_their_cap(tmp_path: Path) -> None:
    rng = np.random.default_rng(57)
    batches = []
    for _ in range(100):
        batch = np.flatnonzero(rng.random(1000) < 0.05)
        batches.append(rng.permutation(batch)[:55].tolist())
    file = tmp_path / "batches.jsonl"
    file.write_text("\n".join(map(json.dumps, batches)))

    def asked(*words: str) -> tuple[int, dict[str, Any]]:
        words = ("batches", str(file), "--dataset-size", "1000", "--json", *words)
        result = CliRunner().invoke(main, words)
        return result.exit_code, json.loads(result.stdout) if result.stdout else {}

    code, found = asked("--batch-cap", "55", "--claimed", "truncated", "--sampling-rate", "0.05")
    assert code == 0
    assert [*found["schemes"]][-1] == "truncated"
    assert found["schemes"]["poisson"]["refuted"]
    told = "--sampling truncated --sampling-rate 1/20 --batch-cap 55 --dataset-size 1000"
    assert told in found["schemes"]["truncated"]["accounting"]
    assert any(found["schemes"]["truncated"]["found_with_probability_0.99"].values())
    code, found = asked("--batch-cap", "80", "--claimed", "truncated")
    assert (code, found["schemes"]["truncated"]["refuted"]) == (1, True)
    code, found = asked("--batch-cap", "54")
    assert "above the cap" in found["schemes"]["truncated"]["reason"]
    assert "truncated" not in asked()[1]["schemes"]
    assert asked("--claimed", "truncated")[0] == 2


def test_no_weight_depends_on_the_batches() -> None:
    """Each rival has the same share of weight 1, however many of them can give the batches."""
    assert len(set(RIVALS)) == len(RIVALS)
    counted = set()
    for batches in ([[0], [1]], [[0, 1], [2]], [[], [0]], [[0, 0], [1, 2]], [[2, 1, 0]]):
        recording = recorded(batches, 3)
        models = Models(recording, None)
        laws = models.rivals
        counted.add(len(laws))
        for found in compare(recording):
            own, impossible, _ = models.null(found.scheme)
            if impossible:
                continue
            bets = departures(models, found.scheme, None)
            assert {*laws, *bets} <= set(RIVALS)
            total = sum(math.exp(law - own) for law in laws.values())
            total += sum(map(math.exp, bets.values()))
            mean = math.log10(total / len(RIVALS))
            assert found.evidence == pytest.approx(mean, abs=1e-3)
            assert found.evidence <= mean
    assert len(counted) > 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_false_alarms_are_as_rare_as_stated(scheme: str) -> None:
    """Of 120 recordings at most 6 in the mean may be refuted at 1/20; 17 have probability 1e-4."""
    wrong = 0
    for seed in range(120):
        epochs, records, size = 1 + seed % 4, 20 + seed, 2 + seed % 9
        batches = drawn(scheme, seed, records=records, size=size, epochs=epochs)
        recording = recorded(batches, records)
        found = about(scheme, recording, false_alarm=0.05)
        assert not (found.refuted and found.evidence >= 6), (seed, found)
        wrong += found.refuted
    assert wrong <= 17


def _bernoulli(rng: np.random.Generator, rates: np.ndarray) -> list[int]:
    return np.flatnonzero(rng.random(len(rates)) < rates).tolist()


def _until(rng: np.random.Generator, rate: float, records: int, low: int, high: int) -> list[int]:
    while True:
        batch = _bernoulli(rng, np.full(records, rate))
        if low <= len(batch) <= high:
            return batch


def _cut(rng: np.random.Generator, batch: list[int], cap: int) -> list[int]:
    return batch if len(batch) <= cap else sorted(rng.choice(batch, cap, replace=False).tolist())


def _users(rng: np.random.Generator, count: int, size: int, *, neighbours: bool) -> Batches:
    users = np.arange(1000) // size if neighbours else rng.permutation(1000) // size
    rates = np.full(1000 // size, 0.05)
    return [np.flatnonzero((rng.random(len(rates)) < rates)[users]).tolist() for _ in range(count)]


def _limited(rng: np.random.Generator, *, most: int, rest: int) -> Batches:
    """Batches in which no record comes more often, or sooner again."""
    count, last, batches = np.zeros(1000), np.full(1000, -1000), []
    for step in range(100):
        batch = np.array(_bernoulli(rng, np.full(1000, 0.05)))
        batch = batch[(count[batch] < most) & (step - last[batch] > rest)]
        count[batch] += 1
        last[batch] = step
        batches.append(batch.tolist())
    return batches


def _riffled(rng: np.random.Generator, times: int) -> np.ndarray:
    order = np.arange(1000)
    for _ in range(times):
        upper = rng.random(1000) < 0.5
        order = np.concatenate([order[: upper.sum()], order[upper.sum() :]])[
            np.argsort(np.argsort(~upper, kind="stable"), kind="stable")
        ]
    return order


def _first(order: np.ndarray, record: int) -> np.ndarray:
    return np.append(record, order[order != record])


def _strata(rng: np.random.Generator) -> list[int]:
    return (np.arange(0, 1000, 20) + rng.integers(0, 20, 50)).tolist()


def _ways(rng: np.random.Generator) -> dict[str, tuple[str, Batches]]:
    """What is not drawn as claimed, though it looks like it: 100 batches of some 50 of 1,000."""
    some, steps = np.full(1000, 0.05), range(100)
    halves = rng.permutation(np.repeat([0.08, 0.02], 500))
    fresh = [_bernoulli(rng, some) for _ in steps]
    four = rng.integers(0, 4, 1000)
    heavy = rng.random(1000) ** 3
    window = [np.concatenate([np.arange(t * 10, t * 10 + 50) % 1000]) for t in steps]
    order = [rng.permutation(1000) for _ in range(6)]
    one, ten, never = some.copy(), some.copy(), some.copy()
    one[7], ten[:10], never[rng.permutation(1000)[:100]] = 1.0, 0.25, 0.0
    times = rng.random((100, 1000)).argsort(axis=0)
    active = rng.random((5, 1000)) < 0.5
    seeds = rng.integers(0, 1000, 100)
    alike = np.argsort(rng.random((4, 1000)) + 4 * rng.random(1000), axis=1)
    duplicated = rng.random(100) < 0.25
    stream = np.concatenate([rng.permutation(1000) for _ in range(5)])
    uneven = [fresh[t][: 30 if t % 2 else None] for t in steps]
    groups = [rng.permutation(20) for _ in range(6)]
    users = rng.permutation(1000).reshape(20, 50)
    pairs = rng.permutation(1000).reshape(500, 2)
    fixed = [rng.choice(1000, 50, replace=False).tolist() for _ in steps]
    return {
        "rates per record": ("poisson", [_bernoulli(rng, halves) for _ in steps]),
        "rates of neighbours": (
            "poisson",
            [_bernoulli(rng, 0.05 + 0.015 * np.repeat([1, -1], 500)) for _ in steps],
        ),
        "rates per step": (
            "poisson",
            [_bernoulli(rng, np.full(1000, 0.02 if t < 50 else 0.08)) for t in steps],
        ),
        "rates by turns": (
            "poisson",
            [_bernoulli(rng, np.full(1000, 0.06 if t % 2 else 0.04)) for t in steps],
        ),
        "rates of records and steps": (
            "poisson",
            [_bernoulli(rng, np.roll(np.repeat([0.08, 0.04], 500), 10 * t)) for t in steps],
        ),
        "each batch twice": ("poisson", [fresh[t // 2] for t in steps]),
        "one batch twice": ("poisson", [*fresh[:99], fresh[30]]),
        "a cycle of batches": ("poisson", [fresh[t % 4] for t in steps]),
        "a cycle of 37 batches": ("poisson", [fresh[t % 37] for t in steps]),
        "half of the batch before": (
            "poisson",
            [sorted({*fresh[t][::2], *fresh[t - 1][1::2]}) for t in steps],
        ),
        "a cycle of groups": ("poisson", [_bernoulli(rng, 0.2 * (four == t % 4)) for t in steps]),
        "sizes cut": ("poisson", [_cut(rng, each, 50) for each in fresh]),
        "large ones again": ("poisson", [_until(rng, 0.05, 1000, 0, 47) for _ in steps]),
        "sizes too even": ("poisson", [_until(rng, 0.05, 1000, 45, 55) for _ in steps]),
        "sizes too uneven": ("poisson", uneven),
        "empty ones again": ("poisson", [_until(rng, 0.001, 1000, 1, 1000) for _ in range(200)]),
        "whole users": ("poisson", _users(rng, 100, 4, neighbours=False)),
        "pairs of records": ("poisson", _users(rng, 100, 2, neighbours=False)),
        "pairs of neighbours": ("poisson", _users(rng, 20, 2, neighbours=True)),
        "each record rests": (
            "poisson",
            [_bernoulli(rng, 0.1 * ((np.arange(1000) * 7 + t) % 20 < 10)) for t in steps],
        ),
        "one record always": ("poisson", [_bernoulli(rng, one) for _ in steps]),
        "one record often": (
            "poisson",
            [_bernoulli(rng, np.where(one == 1, 0.5, 0.05)) for _ in steps],
        ),
        "ten records often": ("poisson", [_bernoulli(rng, ten) for _ in steps]),
        "some records never": ("poisson", [_bernoulli(rng, never) for _ in steps]),
        "five of the hundred": ("poisson", [np.flatnonzero(each < 5).tolist() for each in times]),
        "at most eight": ("poisson", _limited(rng, most=8, rest=0)),
        "not again for three": ("poisson", _limited(rng, most=100, rest=3)),
        "active for an epoch": ("poisson", [_bernoulli(rng, 0.1 * active[t // 20]) for t in steps]),
        "one of 1,000 seeds": (
            "poisson",
            [_bernoulli(np.random.default_rng(seed), some) for seed in seeds],
        ),
        "multiples of four": ("poisson", [each[: len(each) // 4 * 4] for each in fresh]),
        "workers on parts": (
            "fixed-size",
            [
                np.concatenate([250 * w + rng.choice(250, 12, replace=False) for w in range(4)])
                for _ in steps
            ],
        ),
        "workers on every second": (
            "fixed-size",
            [
                np.concatenate([w + 2 * rng.choice(500, 25, replace=False) for w in range(2)])
                for _ in steps
            ],
        ),
        "three of four without replacement": (
            "with-replacement",
            [
                (rng.integers(0, 1000, 50) if each else rng.choice(1000, 50, replace=False))
                for each in duplicated
            ],
        ),
        "weighted draws": (
            "with-replacement",
            [rng.choice(1000, 50, p=heavy / heavy.sum()).tolist() for _ in steps],
        ),
        "weighted sets": (
            "fixed-size",
            [rng.choice(1000, 50, replace=False, p=heavy / heavy.sum()).tolist() for _ in steps],
        ),
        "a window that moves": ("fixed-size", [each.tolist() for each in window]),
        "a shuffled stream": ("fixed-size", [each.tolist() for each in np.split(stream, 100)]),
        "one of each stratum": ("fixed-size", [_strata(rng) for _ in range(10)]),
        "a copied set": ("fixed-size", [*fixed, fixed[7]]),
        "a copied draw": ("with-replacement", [*fixed[:10], fixed[7]]),
        "fixed groups, shuffled": (
            "shuffled",
            [users[each].tolist() for epoch in groups for each in epoch],
        ),
        "two orders by turns": (
            "shuffled",
            [each.tolist() for t in range(6) for each in np.split(order[t % 2], 20)],
        ),
        "pairs shuffled": (
            "shuffled",
            [
                pairs[each].ravel().tolist()
                for _ in range(6)
                for each in np.split(rng.permutation(500), 20)
            ],
        ),
        "a sorted half first": (
            "shuffled",
            [
                each.tolist()
                for _ in range(2)
                for half in (np.arange(500), np.arange(500, 1000))
                for each in np.split(rng.permutation(half), 10)
            ],
        ),
        "six riffles": ("shuffled", [b for _ in range(3) for b in np.split(_riffled(rng, 6), 20)]),
        "affine orders": (
            "shuffled",
            [
                each
                for a, c in ((7, 3), (11, 500), (333, 1), (501, 77))
                for each in np.split(order[0][(np.arange(1000) * a + c) % 1000], 20)
            ],
        ),
        "back and forth": (
            "shuffled",
            [b for t in range(4) for b in np.split(order[0][:: 1 - t % 2 * 2], 20)],
        ),
        "one record first": (
            "shuffled",
            [b for _ in range(30) for b in np.split(_first(rng.permutation(1000), 7), 20)],
        ),
        "records of like length": (
            "shuffled",
            [np.split(each, 20)[t] for each in alike for t in rng.permutation(20)],
        ),
        "pairs in bins": (
            "balls-and-bins",
            [
                np.flatnonzero(each == t)
                for _ in range(6)
                for each in [rng.integers(0, 20, 500)[users.ravel() // 2]]
                for t in range(20)
            ],
        ),
        "bins too even": (
            "balls-and-bins",
            [
                each.tolist()
                for _ in range(6)
                for each in np.split(
                    rng.permutation(1000), np.arange(1, 20) * 50 + np.arange(19) % 2
                )
            ],
        ),
    }


WAYS = tuple(_ways(np.random.default_rng(0)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", WAYS)
def test_what_is_practically_impossible_is_refuted(way: str, seed: int) -> None:
    scheme, batches = _ways(np.random.default_rng([seed, 0xBE7]))[way]
    found = about(scheme, recorded(batches, 1000))
    assert found.refuted, found
    assert not found.impossible, found


# What a page of the output says is so, for the recordings for which it says it.


def _at(fault: str, found: str, rng: np.random.Generator, records: int, count: int) -> Batches:
    """Return a recording with a fault of the size from which on it is said to be found."""
    found = found.replace(",", "")
    rates = [float(each) for each in re.findall(r"\d[\d.]*(?:e-?\d+)?", found)]
    if fault.startswith("half of the records"):
        each = rng.permutation(np.resize(rates[1:], records))
        return [_bernoulli(rng, each) for _ in range(count)]
    if fault.startswith("the rate of the first half"):
        low, high = (np.full(records, rate) for rate in rates[1:])
        return [_bernoulli(rng, low if t < count // 2 else high) for t in range(count)]
    if fault.startswith("larger"):
        cap, rate = int(rates[0]), rates[1]
        return [_cut(rng, _bernoulli(rng, np.full(records, rate)), cap) for _ in range(count)]
    assert fault.startswith("empty")
    return [_until(rng, 2.0 / records, records, 1, records) for _ in range(count)]


@pytest.mark.parametrize(
    ("records", "rate", "count"), [(1000, 0.05, 100), (400, 0.7, 60), (60, 0.036, 400)]
)
def test_what_is_said_to_be_found_is_found(records: int, rate: float, count: int) -> None:
    rng = np.random.default_rng(77)
    recording = recorded([_bernoulli(rng, np.full(records, rate)) for _ in range(count)], records)
    own = about("poisson", recording)
    assert not own.refuted
    told = [each for each in powers(recording, own) if each.found and "copies" not in each.fault]
    assert len(told) >= 3
    for power in told:
        assert power.found is not None
        for _ in range(8):
            batches = _at(power.fault, power.found, rng, records, count)
            found = about("poisson", recorded(batches, records))
            assert found.refuted, (power, found)


@pytest.mark.parametrize("scheme", ["poisson", "fixed-size", "with-replacement", "shuffled"])
def test_so_many_copies_as_are_said_to_be_found_are_found(scheme: str) -> None:
    for records, size in ((1000, 50), (24, 2)):
        batches = drawn(scheme, 5, records=records, size=size, epochs=4)
        recording = recorded(batches, records)
        own = about(scheme, recording)
        told = [each.found for each in powers(recording, own) if "copies" in each.fault]
        if told == [None]:
            continue
        (found,) = told
        assert found is not None
        count = int(found.split()[0])
        half = len(batches) // 2
        copied = batches[:half] + batches[:count] + batches[half + count :]
        if scheme == "shuffled":
            assert count == 1
            copied = batches[: -records // size] + batches[-2 * records // size : -records // size]
        found_ = about(scheme, recorded(copied, records))
        assert found_.refuted, (found, found_)


@pytest.mark.parametrize("once", [False, True])
def test_windows_that_are_said_to_be_found_are_found(once: bool) -> None:
    scheme = "shuffled-once" if once else "shuffled"
    own = drawn(scheme, 1, records=600, size=20, epochs=3)
    found = about(scheme, recorded(own, 600))
    (told,) = (e.found for e in powers(recorded(own, 600), found) if "window" in e.fault)
    assert told is not None
    window = int(re.findall(r"\d+", told)[0])
    rng = np.random.default_rng(9)
    batches: Batches = []
    for _ in range(3):
        left, epoch = list(range(600)), []
        while left:
            near = left[: window + min(20, len(left)) - 1]
            epoch.append(sorted(rng.choice(near, min(20, len(left)), replace=False).tolist()))
            left = sorted({*left} - {*epoch[-1]})
        batches += batches[:30] if once and batches else epoch
    found = about(scheme, recorded(batches, 600))
    assert found.refuted


WHOLE = "But each epoch is all records cut into batches. If the order does not depend on the data, "
UPPER = "--neighbours zero-out --neighbours replace-one"


@pytest.mark.parametrize("claimed", ["cyclic", "shuffled-once"])
def test_the_upper_end_of_cyclic_batches_covers_shuffled_ones(claimed: str) -> None:
    batches = drawn("shuffled", 2, records=60, size=10, epochs=3)
    output = shown(batches, "--claimed", claimed, "--dataset-size", "60")
    assert f"These are not {claimed} batches.\n{WHOLE}" in output
    assert f"--sampling cyclic --batches-per-epoch 6 --epochs 3 {UPPER}" in output
    assert "not proved" not in output
    assert "No scheme is left" not in output


@pytest.mark.parametrize("claimed", [None, "cyclic", "shuffled", "poisson"])
def test_a_windowed_shuffle_is_said_to_be_covered_and_not_the_opposite(claimed: str | None) -> None:
    rng = np.random.default_rng(5)
    batches: Batches = []
    for _ in range(2):
        left, order = list(range(600)), []
        while left:
            order.append(left.pop(int(rng.integers(min(64, len(left))))))
        batches += [sorted(order[start : start + 20]) for start in range(0, 600, 20)]
    options = ["--claimed", claimed] if claimed else []
    output = shown(batches, "--dataset-size", "600", *options)
    assert f"No scheme is left.\n{WHOLE}" in output
    assert f"--sampling cyclic --batches-per-epoch 30 --epochs 2 {UPPER}" in output
    assert "no ε is proved for them here" not in output
    assert ("So an ε of poisson batches is not proved" in output) == (claimed == "poisson")


def test_batches_that_no_scheme_gives_are_said_to_have_no_proof() -> None:
    _, batches = _ways(np.random.default_rng(1))["rates per record"]
    output = shown(batches, "--dataset-size", "1000", "--claimed", "poisson")
    assert "These are not poisson batches." in output
    assert "So an ε of poisson batches is not proved for them." in output
    assert "No scheme is left." in output
    assert "None of these schemes gives such batches: no ε is proved for them here." in output
    assert "not refuted" not in output


def test_a_stated_rate_changes_the_answer() -> None:
    batches = drawn("poisson", 3, records=600, size=20, epochs=3)
    options = ["--dataset-size", "600", "--claimed", "poisson"]
    estimated = "the rate is estimated here: use the one that was configured"
    taken = Fraction(sum(map(len, batches)), 600 * len(batches))
    command = "dporacle dp-sgd --noise-multiplier Z --sampling-rate {} --steps 90 --delta D"
    assert accounted(batches, *options)["poisson"] == (command.format(taken), [estimated])
    stated = [*options, "--sampling-rate", "1/30"]
    assert accounted(batches, *stated)["poisson"] == (command.format("1/30"), [])
    assert "a rate of 1/30 is tested for poisson" in shown(batches, *stated)
    assert "estimated" not in shown(batches, *stated)
    wrong = shown(batches, *options, "--sampling-rate", "0.05")
    assert "These are not poisson batches of rate 0.05." in wrong
    assert f"Poisson sampling of another rate, about {float(taken):.4g}, is not refuted." in wrong
    assert "not proved" not in wrong.split("No scheme")[0]
    _, halves = _ways(np.random.default_rng(1))["rates per record"]
    output = shown(halves, "--claimed", "poisson", "--sampling-rate", "1/20")
    assert "Poisson sampling of any other rate is refuted too." in output


def test_a_short_last_batch_has_the_command_whose_conditions_it_meets() -> None:
    rng = np.random.default_rng(8)
    short = (
        "the command assumes batches of one size; your last batch is shorter: the upper end is "
        "proved for you, the lower end is not"
    )
    for epochs in (1, 3):
        found = accounted(_short_draws(rng, epochs), "--dataset-size", "600")
        assert [*found] == ["with-replacement"]
        told = (
            f"--sampling with-replacement --batch-size 64 --dataset-size 600 --steps {10 * epochs}"
        )
        assert told in found["with-replacement"][0]
        assert found["with-replacement"][1] == [short]
    sets = [rng.choice(600, 30 if (t + 1) % 8 else 11, replace=False).tolist() for t in range(24)]
    found = accounted(sets, "--dataset-size", "600")
    assert found["fixed-size"][1] == [short]


def _short_draws(rng: np.random.Generator, epochs: int) -> Batches:
    sizes = ([64] * 9 + [24]) * epochs
    return [rng.integers(0, 600, size).tolist() for size in sizes]


@pytest.mark.parametrize("kept", [False, True])
def test_epochs_that_are_not_of_one_size_get_the_upper_end_of_cyclic_batches(kept: bool) -> None:
    batches: Batches = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(607)
        cut = [each.tolist() for each in np.split(order, range(20, 607, 20))]
        batches += cut if kept else cut[:-1]
    found = accounted(batches, "--dataset-size", "607")
    assert [*found] == ["shuffled"]
    command, conditions = found["shuffled"]
    assert f"--sampling cyclic --batches-per-epoch {30 + kept} --epochs 3 {UPPER}" in command
    assert conditions == [
        "the batch size does not divide the data set: the upper end of cyclic batches is proved "
        "for you, if the order does not depend on the data; the lower end is not. For a loader "
        "with drop_last=True use --sampling drop-last"
    ]
    even = drawn("shuffled", 1, records=600, size=20, epochs=3)
    found = accounted(even[:-4], "--dataset-size", "600")
    assert "--sampling shuffled --batches-per-epoch 30 --epochs 3" in found["shuffled"][0]
    assert found["shuffled"][1] == [
        "the command counts your last epoch as a whole: the upper end is proved for you, the lower "
        "end may not be"
    ]


EDGES: dict[str, tuple[Batches, list[str]]] = {
    "one batch": ([[0, 3]], ["--dataset-size", "8"]),
    "one batch of all": ([[0, 1, 2]], []),
    "one record": ([[0]], []),
    "one record, many batches": ([[0], [], [0], [], [], [0]], []),
    "one record, always": ([[0]] * 30, []),
    "empty batches": ([[]] * 5, ["--dataset-size", "10"]),
    "an empty first batch": ([[], [3], [], [1, 2]], ["--dataset-size", "10"]),
    "empty batches, a rate": ([[]] * 5, ["--dataset-size", "10", "--sampling-rate", "1e-3"]),
    "all batches equal": ([[0, 1, 2]] * 40, ["--dataset-size", "9"]),
    "a rate of 1": ([[0, 1, 2, 3]] * 6, ["--sampling-rate", "1"]),
    "a rate of 1, and one missing": ([[0, 1, 2, 3]] * 5 + [[0, 1, 2]], ["--sampling-rate", "1"]),
    "a tiny rate": ([[], [7]], ["--dataset-size", "1000000", "--sampling-rate", "1e-9"]),
    "many records": ([[5, 6], [999_999]], ["--dataset-size", "1000000"]),
    "one batch twice": ([[1, 1], [0, 2]], []),
    "short last": ([[0, 1], [2, 3], [4]], ["--dataset-size", "5"]),
    "part of an epoch": ([[0, 1], [2, 3]], ["--dataset-size", "50", "--batches-per-epoch", "25"]),
    "guessed": ([[1, 4], [2, 3]], []),
}


@pytest.mark.parametrize("name", EDGES)
def test_the_edges_are_answered_with_commands_that_run(name: str) -> None:
    batches, options = EDGES[name]
    shown(batches, *options)
    for scheme, (command, conditions) in accounted(batches, *options).items():
        if command is None or " T " in command:
            assert conditions, scheme
            continue
        # Whether it runs depends on no δ, and a large one is proved in a tenth of the time.
        words = shlex.split(command.replace(" Z ", " 4 ").replace("--delta D", "--delta 0.5"))
        result = CliRunner().invoke(main, words[1:])
        assert result.exit_code == 0, (command, result.output)


def test_a_rate_of_one_leaves_no_record_out() -> None:
    for name, left in (("a rate of 1", True), ("a rate of 1, and one missing", False)):
        batches, options = EDGES[name]
        assert ("poisson" in accounted(batches, *options)) == left


def test_an_epoch_of_balls_and_bins_that_the_batches_do_not_tell_is_asked_for() -> None:
    command, conditions = accounted([[0], [2]], "--dataset-size", "9")["balls-and-bins"]
    assert "--batches-per-epoch T --epochs E" in command
    assert conditions == ["give --batches-per-epoch: these batches do not tell"]
    told = accounted([[0], [2]], "--dataset-size", "9", "--batches-per-epoch", "4")
    assert "--batches-per-epoch 4 --epochs 1" in told["balls-and-bins"][0]


def test_the_output_says_what_stays_unseen() -> None:
    batches = drawn("poisson", 4, records=1000, size=50, epochs=5)
    output = shown(batches, "--dataset-size", "1000")
    assert "Not refuted does not say that it was used." in output
    assert "│ not refuted" in output
    assert "compatible" not in output
    for line in (
        "Not poisson, and found with probability 0.99 in so many batches:",
        ": a factor of",
        ": 1 or more copies of batches of",
        "No recording shows:",
    ):
        assert line in output
    document = json.loads(shown(batches, "--dataset-size", "1000", "--json"))
    assert document["unseen"]
    assert document["schemes"]["poisson"]["found_with_probability_0.99"]


@pytest.mark.thorough("a million draws take some seconds")
@pytest.mark.parametrize("scheme", ["poisson", "shuffled", "with-replacement"])
def test_a_million_draws_take_seconds(scheme: str) -> None:
    batches = drawn(scheme, 1, records=50_000, size=500, epochs=20)
    recording = recorded(batches, 50_000)
    start = time.process_time()
    assert [e.scheme for e in compare(recording) if not e.refuted] == [scheme]
    assert time.process_time() - start < 15


@pytest.mark.thorough("the largest recording has 600,000 draws")
def test_the_page_has_the_sizes_that_are_found() -> None:
    page = (Path(__file__).parents[3] / "docs" / "batches.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\d,]+), ([\d./]+), ([\d,]+) \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 5
    for records, rate, count, cells in rows:
        rng = np.random.default_rng(2026)
        number, chance = int(records.replace(",", "")), float(Fraction(rate))
        batches = [
            np.flatnonzero(rng.random(number) < chance) for _ in range(int(count.replace(",", "")))
        ]
        own = SchemeEvidence("poisson", refuted=False, evidence=0.0, reason="")
        found = [each.found or "" for each in powers(Recording(tuple(batches), number), own)]
        halves, copies, steps, cap, empty = found
        told = [
            *(re.findall("rates of (.*)\\)", each)[0] for each in (halves, steps)),
            (re.findall("up to ([\\d,]+)", cap) or ["–"])[0],
            "found" if empty else "–",
        ]
        assert cells.split(" | ") == told
        assert copies.startswith("1 or more") == (number > 50)
