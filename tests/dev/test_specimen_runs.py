"""Specimens before the whole judge, with fresh inputs: convicted in every run, none accused."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.ask.fresh import BAD_EVENT, EARLIER, LISTED, REORDERED, RULES
from dporacle.conformance.ask.power import POWER, SHARE, power_of, rounds_for
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience
from dporacle.dev.specimens import CORRECT, FAULTY, NARROW, Specimen, runs
from dporacle.dev.specimens.runs import Tally, convicts, judged, many_runs
from support.cases import table

pytestmark = pytest.mark.thorough("specimens are judged like libraries, in processes")

ROUNDS = rounds_for(share=SHARE, power=POWER)
KNOWN = {each.name: each for each in (*FAULTY, *CORRECT) if each.function in QUANTITIES}
COSTLY = {name for name, each in KNOWN.items() if QUANTITIES[each.function].rounds is not None}
ERASED = "bad-event-erases-a-good-one-in-subsampled-phases-epsilon"
CHEAP = [each for each in NARROW if QUANTITIES[each.function].rounds is None]
SLOW = ("Algorithm 1 in mpmath", "Newton in mpmath", "bisection on balls", "decimals")


@pytest.mark.deep("200 specimens before the judge: 30 s; each change convicts each by its flags")
def test_one_run() -> None:
    """The same as `dporacle specimens --runs 1 --seed 4`, but for what takes long."""
    specimens = [each for name, each in KNOWN.items() if name not in {*SLOW, *COSTLY}]
    standings = many_runs(1, 4, specimens=specimens)
    assert [each.specimen for each in standings] == specimens
    assert [each.specimen.name for each in standings if not each.as_expected] == []
    assert all(each.runs == 1 for each in standings)
    by = Counter(check for each in standings if each.specimen.fault for check in each.by)
    # Nothing is asked again where there was no run before; what is asked of two events has dear
    # exact values, and tests of its own. One event more is asked of boxes too.
    apart = {EARLIER, BAD_EVENT, LISTED, REORDERED}
    assert set(by) == set(RULES) - apart, "each check convicts somebody"
    by_fresh = [each for each in standings if each.fresh == 1]
    assert len(by_fresh) > 30


def test_what_is_asked_beside_a_bad_event_convicts() -> None:
    """One round, as the exact values take long; the other laws of events are in `test_events`."""
    (specimen,) = (each for each in NARROW if each.name == ERASED)
    (item,) = (
        each
        for each in judged(specimen, Fresh(1, 4), vectors=False).functions
        if each.function.name == specimen.name
    )
    assert [v.case for v in item.judged if BAD_EVENT in v.flags and convicts(v)]
    found = {v.flags for v in item.judged if convicts(v)}
    assert all(BAD_EVENT in flags or "random-nonsense" in flags for flags in found), found


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_correct_one_is_not_accused_by_fresh_inputs(name: str) -> None:
    (item,) = judged(KNOWN[name], Fresh(4, 1), vectors=False).functions
    assert [v.case for v in item.judged if convicts(v)] == []
    assert any(v.answer for v in item.judged)


@pytest.mark.parametrize("name", ["second-term-dropped", "one-zero-zeroes-all"])
def test_a_process_answers_as_it_does_in_ours(name: str) -> None:
    fresh = Fresh(2, 11)
    ours = judged(KNOWN[name], fresh, vectors=False)
    theirs = judged(KNOWN[name], fresh, vectors=False, process=True)
    assert [item.function for item in ours.functions] == [
        item.function for item in theirs.functions
    ]
    for mine, other in zip(ours.functions, theirs.functions, strict=True):
        assert [(v.case, v.outcome, v.answer) for v in mine.judged] == [
            (v.case, v.outcome, v.answer) for v in other.judged
        ]


def test_an_endless_loop_is_a_hang_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dporacle.dev.specimens.runs._LIMITS", Patience(request=0.5, start=60))
    for process in (False, True):
        result = judged(KNOWN["endless-at-zero"], Fresh(40, 1), vectors=False, process=process)
        (item,) = result.functions
        found = {v.outcome.value for v in item.judged if convicts(v)}
        assert found == {"hang"}
        assert all(v.arguments["epsilon"] == "0x0.0p+0" for v in item.judged if convicts(v))


@pytest.mark.parametrize("specimen", CHEAP, ids=lambda each: each.name)
def test_a_narrow_fault_is_met_by_fresh_inputs(specimen: Specimen) -> None:
    """As often as its power says, which is measured in many more runs than these.

    One run, where the power is 0.95 or more; else so many that half of them are enough: with a
    power p fewer than half of six meet it with a probability below 2 % for p = 0.8, 0.2 % for 0.9.
    """
    vectors = specimen.name == "tired-after-500"
    seeds = range(3, 4) if specimen.power >= POWER else range(3, 9)
    met = 0
    for seed in seeds:
        result = judged(specimen, Fresh(ROUNDS, seed), vectors=vectors)
        found = any(convicts(v) for item in result.functions for v in item.judged)
        met += found
        if found and specimen.name != "refusing-after-600":  # a refusal harms nobody: a remark
            assert judgement([result]).status in (ExitStatus.FINDING, ExitStatus.NO_ANSWER)
    assert met >= len(seeds) / 2


def test_the_declared_power_is_that_of_the_rounds() -> None:
    assert ROUNDS == 149
    assert power_of(ROUNDS, share=SHARE) >= POWER > power_of(ROUNDS - 1, share=SHARE)
    plain = next(each for each in CORRECT if each.function == "calibrate_sigma")
    result = judged(plain, Fresh(ROUNDS, 8), vectors=True)
    assert not [v.case for item in result.functions for v in item.judged if convicts(v)]
    (each,) = judgement([result]).standings
    assert each.state == "conformant"
    assert each.power >= POWER


def test_who_is_dear_to_judge_gets_fresh_inputs_in_every_twentieth_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first run among them, so that `--runs 1` tries everybody."""

    def noted(seed: int | None, names: list[str]) -> list[object]:
        return [(name, 3, [("a/case", ("random",))]) for name in names]

    monkeypatch.setattr(runs, "ProcessPoolExecutor", lambda max_workers: ThreadPoolExecutor(1))
    monkeypatch.setattr(runs, "_run", noted)
    plain, dear = KNOWN["rounded-down"], KNOWN[min(COSTLY)]
    for number, seldom in ((1, 1), (20, 1), (21, 2), (200, 10)):
        found = many_runs(number, 7, specimens=[plain, dear])
        assert [(each.runs, each.fresh, each.vectors) for each in found] == [
            (number, number, 1),
            (seldom, seldom, 1),
        ]


def tally(specimen: Specimen, *, vectors: int, fresh: int) -> Tally:
    return Tally(specimen, vectors=vectors, asked=9, runs=5, fresh=fresh, cases=["a/case"])


@pytest.mark.parametrize(
    ("name", "vectors", "fresh", "good"), table("the_command_fails_when_one_escapes_or_is_accused")
)
def test_the_command_fails_when_one_escapes_or_is_accused(
    monkeypatch: pytest.MonkeyPatch, name: str, vectors: int, fresh: int, good: bool
) -> None:
    found = [tally(KNOWN[name], vectors=vectors, fresh=fresh)]
    monkeypatch.setattr("dporacle.dev.specimens.command.many_runs", lambda *args, **kwargs: found)
    result = CliRunner().invoke(main, ["specimens", "--runs", "5", "--seed", "1"])
    assert result.exit_code == (0 if good else 1), result.output
    assert ("not as expected: " + name in result.output) is not good
    assert "5 runs, --seed 1:" in result.output
