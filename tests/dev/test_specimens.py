"""The specimens: every fault is convicted by the flags that should, no correct one is accused."""

import contextlib
import functools
import json
import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.conformance.grade.asked_vector import AskedVector, VectorError, spell
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.dev.specimens import (
    CORRECT,
    FAULTY,
    EndlessLoopError,
    Report,
    Trial,
    power,
    report_of,
    steps,
    try_specimen,
)
from dporacle.dev.specimens.claimants import CLAIMANTS, Claimant, judge
from dporacle.vectors import Vector, load
from support.dear import mostly_dear

# What libraries have done and the specimens reproduce.
KNOWN = (
    "opendifferentialprivacy/smartnoise-core#316",
    "opendp/smartnoise-sdk#462",
    "opendp/opendp#429",
    "yuxiangw/autodp#39",
    "pytorch/opacus#346",
    "pytorch/opacus#585",
    "pytorch/opacus#775",
    "google/differential-privacy#430",
    "opendp/smartnoise-sdk#399",
    "the script published with the analytic Gaussian mechanism",
    "tmodel-ccs2018/privcount#400",
    "opendp/opendp#428",
    "pytorch/opacus#601",
    "microsoft/prv_accountant#36",
)

# Accountants whose answers bound the exact one: loose, and nowhere wrong.
SOUND = (
    "too-few-orders",
    "deltas-of-the-steps-added",
    "removing-for-adding",
    "delta-of-removing-for-adding",
    "epsilons-of-the-phases-added",
    "worst-phase-for-all-delta",
    "distance-two-in-subsampled-delta",
    "distance-two-in-subsampled-epsilon",
    "worst-phase-for-all-epsilon",
    "twice-the-norm",
    "many-features-for-one",
    "counts-without-their-total",
)


PLAIN_RUN = {
    "noise_multiplier": 4,
    "sampling": "poisson",
    "sampling_rate": "0.1",
    "steps": 9,
    "divisor": "public",
}
SPECIMENS = {each.name: each for each in (*FAULTY, *CORRECT)}


@functools.cache
def trial_of(name: str) -> Trial:
    """One trial: those of all take half a minute, which several processes share."""
    return try_specimen(SPECIMENS[name], load(SPECIMENS[name].function))


def report() -> Report:
    return report_of([trial_of(name) for name in SPECIMENS])


def test_there_is_one_for_every_known_bug() -> None:
    sources = " ".join(each.source for each in FAULTY)
    assert all(known in sources for known in KNOWN)
    assert len(FAULTY) >= 25
    names = [each.name for each in (*FAULTY, *CORRECT)]
    assert len(set(names)) == len(names)
    assert all(each.expected for each in FAULTY)


@pytest.mark.parametrize("name", mostly_dear([each.name for each in FAULTY], 6))
def test_a_faulty_one_is_convicted_by_the_flags_that_should(name: str) -> None:
    trial = trial_of(name)
    assert trial.as_expected
    if trial.specimen.limit:
        assert trial.convictions == [], "its answer is true as a limit"
    else:
        assert trial.convictions
        assert set(trial.specimen.expected) <= set(trial.flags)


@pytest.mark.parametrize("name", mostly_dear([each.name for each in CORRECT], 6))
def test_a_correct_one_is_not_accused(name: str) -> None:
    trial = trial_of(name)
    assert trial.convictions == []
    file = load(trial.specimen.function)
    assert trial.asked == len(file.vectors[:: trial.specimen.every]) + len(file.refusals)
    styles = [each for each in CORRECT if each.function == "calibrate_sigma"]
    assert len(styles) == 7


def test_how_they_are_convicted() -> None:
    for name, result in (
        ("endless-at-zero", Outcome.HANG),
        ("divides-by-epsilon", Outcome.CRASH),
        ("clipped-epsilon", Outcome.LOOSE),
        ("product-of-inf-and-zero", Outcome.NON_FINITE),
        ("default-for-zero-delta", Outcome.ACCEPTS_INVALID),
        ("rounded-down", Outcome.VIOLATING),
        ("one-zero-zeroes-all", Outcome.VIOLATING),
    ):
        assert trial_of(name).results[result], name


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_one_is_called_loose_and_never_violating(name: str) -> None:
    assert set(trial_of(name).results) == {Outcome.LOOSE}


def claimant_of(name: str) -> Claimant:
    (found,) = (each for each in CLAIMANTS if each.name == name)
    return found


@pytest.mark.thorough("two proved ends of eleven runs")
@pytest.mark.parametrize("name", [each.name for each in CLAIMANTS])
def test_what_accountants_claim_is_judged(name: str) -> None:
    found = judge(claimant_of(name))
    assert found.as_expected, found.verdicts


def test_a_claimant_that_is_misjudged_is_noticed() -> None:
    """A true claim of one that should be refuted, and one that is refuted of a correct one."""
    true = Claimant(name="true", fault="none", says=lambda _: 9.0, runs=(PLAIN_RUN,))
    false = Claimant(name="false", fault="", says=lambda _: 0.01, runs=(PLAIN_RUN,))
    assert [judge(each).as_expected for each in (true, false)] == [False, False]
    dear = replace(true, fault="dear", sound=True)
    assert judge(dear).as_expected
    assert not judge(replace(dear, says=lambda _: 0.01)).as_expected


def test_the_command_judges_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Claimant(name="wrong", fault="none", says=lambda _: 9.0, runs=(PLAIN_RUN,))
    right = replace(wrong, name="right", fault="")
    monkeypatch.setattr("dporacle.dev.specimens.command.CLAIMANTS", (right,))
    fine = CliRunner().invoke(main, ["specimens", "--claims"])
    assert (fine.exit_code, fine.output.splitlines()[-1]) == (
        *(0, "1 of 1 accountants judged as expected"),
    )
    monkeypatch.setattr("dporacle.dev.specimens.command.CLAIMANTS", (right, wrong))
    found = CliRunner().invoke(main, ["specimens", "--claims", "--json"])
    assert found.exit_code == 1
    assert [each["as_expected"] for each in json.loads(found.output)["claimants"]] == [True, False]


def test_the_flipped_sign_gives_the_published_number() -> None:
    (specimen,) = (each for each in FAULTY if each.name == "flipped-alpha")
    sigma = specimen.make()(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    assert sigma == pytest.approx(0.134, abs=5e-4)


def test_an_escape_and_an_accusation_are_noticed() -> None:
    """The tester of the tester: a fault that is none, and a correct one with a fault."""
    wrong = next(each for each in FAULTY if each.name == "overflow-clipped")
    harmless = replace(wrong, name="harmless", make=CORRECT[0].make)
    accused = replace(wrong, name="accused", fault="")
    found = power([wrong, harmless, accused])
    assert found.escaped == ("harmless",)
    assert found.accused == ("accused",)
    assert "calibrate_sigma/core" in found.idle
    assert found.convicts["calibrate_sigma", "overflow"] == ("overflow-clipped",)


def test_an_endless_loop_ends() -> None:
    with pytest.raises(EndlessLoopError, match="no end after"):
        sum(steps())


@pytest.mark.thorough("all faulty specimens, twice")
def test_no_flag_is_idle_and_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = report()
    assert whole.idle == ()
    assert whole.escaped == whole.accused == ()
    monkeypatch.setattr("dporacle.dev.specimens.command.power", lambda: whole)
    result = CliRunner().invoke(main, ["specimens", "--faults"])
    assert result.exit_code == 0, result.output
    assert f"{len(FAULTY)} of {len(FAULTY)} faulty specimens convicted" in result.output
    assert f"0 of {len(CORRECT)} correct ones accused" in result.output
    assert "convict nothing: none" in result.output


def core() -> AskedVector:
    file = load("calibrate_sigma")
    vector = next(v for v in file.vectors if "algorithm-1-sign" in v.flags)
    return AskedVector(file=file, vector=vector, fixed={}, gate=Gate(fail_on=Level.LAST_DIGITS))


def said(asked: AskedVector, answer: object) -> Outcome:
    with contextlib.suppress(VectorError):
        asked.check(answer)
    return asked.found[-1].outcome


@pytest.mark.parametrize("kind", [float, np.float64, Fraction, Decimal, str, np.array])
def test_every_kind_of_number_is_read_exactly(kind: type) -> None:
    asked = core()
    assert isinstance(asked.vector, Vector)
    assert asked.vector.float64 is not None
    asked.check(kind(asked.vector.float64))
    with pytest.raises(VectorError, match="rounded: below the exact value, by"):
        asked.check(kind(math.nextafter(asked.vector.float64, 0)))


def test_a_fraction_is_compared_to_the_last_digit() -> None:
    asked = core()
    assert isinstance(asked.vector, Vector)
    low, high = asked.vector.bounds()
    assert said(asked, high) is Outcome.TIGHT
    assert said(asked, low - Fraction(1, 10**60)) is Outcome.ROUNDED
    assert asked.found[-1].answer is not None
    assert "/" in asked.found[-1].answer


def test_what_is_no_number() -> None:
    for answer in (None, "many", True, 1j, [1.0]):
        assert said(core(), answer) is Outcome.CRASH
    for answer in (math.nan, "inf", np.float32("nan"), Decimal("Infinity")):
        assert said(core(), answer) is Outcome.NON_FINITE


def test_tolerances() -> None:
    asked = core()
    assert isinstance(asked.vector, Vector)
    exact = asked.vector.float64
    assert exact is not None
    below = math.nextafter(exact, 0)
    replace(asked, gate=Gate(fail_on=Level.LAST_DIGITS, unsafe_ulp=1)).check(below)
    replace(asked, gate=Gate()).check(below)
    with pytest.raises(VectorError):
        replace(asked, gate=Gate(fail_on=Level.LAST_DIGITS, unsafe_ulp=0.01)).check(below)
    with pytest.raises(VectorError, match="loose: on the safe side, by 100 %"):
        replace(asked, excess=0.5).check(2 * exact)
    replace(asked, excess=0.5).check(1.4 * exact)
    asked.check(1e300)


def test_infinite_noise_does_give_zero_delta() -> None:
    for group in ("calibrate_sigma", "epsilon_at_delta"):
        file = load(group)
        (zero,) = (each for each in file.refusals if "zero-delta" in each.flags)
        asked = AskedVector(file=file, vector=zero, fixed={}, gate=Gate(fail_on=Level.INVALID))
        for answer in (math.inf, "inf", None):
            asked.check(answer)
        for answer in (1e308, -math.inf, math.nan):
            assert said(asked, answer) is Outcome.ACCEPTS_INVALID


def test_refusals_and_spelling() -> None:
    file = load("calibrate_sigma")
    strict = Gate(fail_on=Level.INVALID)
    asked = AskedVector(file=file, vector=file.refusals[0], fixed={}, gate=strict)
    with pytest.raises(VectorError, match=r"answer  1\.5 \(0x1\.8000000000000p\+0\)"):
        asked.check(1.5)
    assert spell(np.float64(1.5)) == "1.5 (0x1.8000000000000p+0)"
    assert spell("x" * 100).endswith("(100 characters)")
