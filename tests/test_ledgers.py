"""Ledgers: the lines of a run, as its composition, or within the cap of a filter."""

import cProfile
import functools
import json
import math
import subprocess
import sys
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from test_audit import Content, judged, privacy
from test_claims_boxes import REPLACED

import dporacle
from dporacle import claims
from dporacle.claims.losses import PrivacyLoss
from dporacle.claims.mechanisms import RecordedLedger
from dporacle.claims.mechanisms.ledger import FilterCap
from dporacle.verdicts import Verdict

RUN = {"kind": "dp-sgd", "noise_multiplier": 2, "sampling_rate": "0.05", "sampling": "poisson"}
LINES: dict[str, Content] = {
    "selection": {"kind": "exponential", "epsilon": "0.1", "adaptive": True, **REPLACED},
    "flip": {"kind": "permute-and-flip", "epsilon": "0.2", **REPLACED},
    "report": {"kind": "randomised-response", "epsilon": "0.5", "kinds": 4},
    "box": {"kind": "black-box", "epsilon": "0.25", "delta": "1e-7", **REPLACED},
    "answer": {"kind": "gaussian", "noise_multiplier": 2, **REPLACED},
    "count": {"kind": "laplace", "scale": 5, "sensitivity": 1, **REPLACED},
    "run": {**RUN, "steps": 20},
}
RHO = {"rho": "1/2", **REPLACED}


def lines(*releases: Content) -> str:
    return "\n".join(map(json.dumps, releases))


def ledger(*releases: Content, **fields: object) -> Content:
    return {"kind": "ledger", "parameters": "fixed", "records": "same", "lines": lines(*releases),
            **fields}  # fmt: skip


def filtered(*releases: Content, **cap: object) -> Content:
    return ledger(*releases, parameters="adaptive", cap=cap)


def found(mechanism: Content, epsilon: object, delta: object) -> tuple[str, str, Verdict]:
    verdict = judged(mechanism, privacy(epsilon, delta, "replace-one"))
    return verdict.low, verdict.high, verdict.verdict


@pytest.mark.statement("X.FILTER")
@pytest.mark.parametrize("records", ["same", "unknown"])
@pytest.mark.parametrize(
    "mixed",
    [
        "selection selection answer report answer selection",
        "flip answer flip count box count answer",
        "run answer answer run report",
        "box",
    ],
)
@pytest.mark.parametrize("delta", ["1e-3", "1e-5"])
def test_a_ledger_is_the_composition_of_its_lines(mixed: str, records: str, delta: str) -> None:
    releases = [LINES[name] for name in mixed.split()]
    once = [{**each, **({} if each["kind"] in {"laplace", "dp-sgd"} else {"times": 1})}
            for each in releases]  # fmt: skip
    written = {"kind": "composition", "times": 1, "records": records, "releases": once}
    assert found(ledger(*releases, records=records), 1, delta) == found(written, 1, delta)


@pytest.mark.parametrize(
    ("mixed", "why"),
    [
        ("answer selection", "adversary reaches who chooses scores"),
        ("selection report answer", "adversary reaches who chooses scores"),
        ("answer box", "of a black box nothing but its parameters is known"),
    ],
)
def test_why_a_ledger_is_open_is_what_its_first_line_between_two_ends_says(
    mixed: str, why: str
) -> None:
    about = ledger(*(LINES[name] for name in mixed.split()))
    low, high, _ = found(about, 1, "1e-3")
    between = (Fraction(low) + Fraction(high)) / 2
    verdict = judged(about, privacy(1, str(between), "replace-one"))
    assert verdict.verdict is Verdict.UNDECIDED
    assert why in verdict.reason


@pytest.mark.parametrize("turned", [False, True])
def test_a_filter_has_the_conditions_of_every_line_and_not_of_the_first(turned: bool) -> None:
    """Two Gaussian lines: one states its sensitivity, of the other it is that of a statistic."""
    plain = {"kind": "gaussian", "sigma": 9, "sensitivity": 1, **REPLACED}
    summed = {"kind": "gaussian", "sigma": 9, "statistic": {"kind": "sum", "lower": 0, "upper": 1}}
    bare = {"kind": "gaussian", "noise_multiplier": 9}
    said = [plain, summed, bare][:: -1 if turned else 1]
    verdict = judged(filtered(*said, **RHO), privacy(9, "0.9", "replace-one"))
    assert verdict.verdict is Verdict.HOLDS
    names = {each.id for each in verdict.hypotheses}
    assert {"sensitivity-of-statistic", "records-brought-within", "relation-of-the-claim"} <= names


@pytest.mark.parametrize("turned", [False, True])
def test_a_filter_has_lines_about_one_number_of_records(turned: bool) -> None:
    run = {**RUN, "sampling_rate": 1, "steps": 1, **REPLACED}
    pair = [{**run, "group": 2}, run][:: -1 if turned else 1]
    with pytest.raises(ValueError, match=r"group must be the same .*\(None, 2\)"):
        judged(filtered(*pair, mu=9, **REPLACED), privacy(9, "0.9", "replace-one"))


@pytest.mark.parametrize(
    "about",
    [
        filtered(LINES["answer"], mu=2, **REPLACED),
        ledger(LINES["answer"], LINES["answer"], records="unknown"),
        {"kind": "composition", "releases": [{**LINES["answer"], "times": 1}] * 2, "times": 1},
        {"kind": "composition", "releases": [LINES["box"]], "times": 1},
    ],
)
def test_what_is_known_from_above_only_is_not_far_from_a_gaussian_curve_nor_near(
    about: Content,
) -> None:
    """The true curve may be any that is between the ends: a regret counts both ways."""
    for mu, regret in ((2, "0.1"), ("0.01", "0.001"), ("0.71", "0.5")):
        near = {"kind": "gdp", "mu": mu, "regret": regret, "neighbours": "replace-one"}
        verdict = judged(about, near)
        assert verdict.verdict is Verdict.UNDECIDED


def test_a_mu_over_a_range_is_refuted_by_what_some_data_reach() -> None:
    """Each of two answers is (1/2)-GDP: together √2/2 at most, and 1/2 if they are about others."""
    two = ledger(LINES["answer"], LINES["answer"], records="unknown")
    for mu, expected in (("0.8", "HOLDS"), ("0.6", "UNDECIDED"), ("0.4", "VIOLATED")):
        claim = {"kind": "gdp", "mu": mu, "up_to_epsilon": 1, "neighbours": "replace-one"}
        verdict = judged(two, claim)
        assert verdict.verdict.name == expected
        assert float(verdict.low) <= 0.5 <= 0.7071 <= float(verdict.high)
    spent = filtered(LINES["answer"], mu=2, **REPLACED)
    claim = {"kind": "gdp", "mu": 1, "up_to_epsilon": 1, "neighbours": "replace-one"}
    assert judged(spent, claim).verdict is Verdict.UNDECIDED


def test_equal_lines_are_several_releases_not_one_that_is_repeated() -> None:
    """Where it is not known that one pair has all sensitivities, one line is all from below."""
    two = ledger(LINES["answer"], LINES["answer"], records="unknown")
    one = ledger(LINES["answer"])
    assert found(two, 1, "0.01")[0] == found(one, 1, "0.01")[0]
    assert found(two, 1, "0.01")[1] == found(ledger(*[LINES["answer"]] * 2), 1, "0.01")[1]


@pytest.mark.statement("X.FILTER")
def test_caps_have_the_upper_end_of_what_they_cap() -> None:
    pure = filtered(LINES["report"], LINES["selection"], epsilon="0.6", **REPLACED)
    assert found(pure, "0.6", "0")[2] is Verdict.HOLDS
    boxed = filtered(LINES["box"], epsilon="0.6", delta="1e-6", **REPLACED)
    assert found(boxed, "0.6", "1e-6")[2] is Verdict.HOLDS
    assert found(boxed, "0.6", "9e-7")[2] is Verdict.UNDECIDED
    exact = dporacle.delta_at_epsilon(epsilon=1, sigma=1, sensitivity=1)
    gaussian = filtered(*[LINES["answer"]] * 4, mu=1, **REPLACED)
    low, high, _ = found(gaussian, 1, "0.2")
    assert (float(low), float(high)) == (0, pytest.approx(exact, rel=1e-14))
    rho = filtered(*[LINES["answer"]] * 4, **RHO)
    assert exact < float(found(rho, 1, "0.3")[1]) < 3 * exact


@pytest.mark.parametrize(
    ("cap", "line", "times", "kept"),
    [
        ({"epsilon": "0.6"}, "flip", 3, True),  # exactly
        ({"epsilon": "0.6"}, "flip", 4, False),
        ({"mu": "1"}, "answer", 4, True),
        ({"mu": "1"}, "answer", 5, False),
        ({"rho": "0.5"}, "answer", 4, True),
        ({"epsilon": 1, "delta": "2e-7"}, "box", 2, True),
        ({"epsilon": 1, "delta": "2e-7"}, "box", 3, False),
    ],
)
def test_a_cap_is_kept_up_to_its_very_end(cap: Any, line: str, times: int, kept: bool) -> None:
    verdict = judged(
        filtered(*[LINES[line]] * times, **cap, **REPLACED), privacy(9, "0.9", "replace-one")
    )
    assert (verdict.verdict is Verdict.HOLDS) == kept
    if not kept:
        assert verdict.verdict is Verdict.UNDECIDED
        assert f"line {times} of lines takes the sum" in verdict.reason


def test_an_odometer_promises_nothing() -> None:
    run = ledger(LINES["report"], parameters="adaptive")
    verdict = judged(run, privacy(100, "0.99", "replace-one"))
    assert verdict.verdict is Verdict.UNDECIDED
    assert "odometer" in verdict.reason
    both = {"kind": "composition", "records": "same", "times": 1, "releases": [run, LINES["box"]]}
    assert judged(both, privacy(100, "0.99", "replace-one")).verdict is Verdict.UNDECIDED


def worst(budget: float, epsilon: float, choices: list[tuple[float, float]]) -> float:
    """Return δ(ε) of who chooses the next randomised response by all answers, within a budget."""

    @functools.cache
    def value(left: int, at: float) -> float:
        best = max(0.0, -math.expm1(at))
        for size, cost in choices:
            if (spent := round(cost * 10**9)) <= left:
                p = 1 / (1 + math.exp(-size))
                after = [value(left - spent, round(at - way * size, 9)) for way in (1, -1)]
                best = max(best, p * after[0] + (1 - p) * after[1])
        return best

    return value(round(budget * 10**9), epsilon)


@pytest.mark.statement("X.FILTER")
@pytest.mark.parametrize("epsilon", ["0", "0.5", "1", "1.5"])
def test_no_adversary_who_keeps_a_cap_is_above_its_upper_end(epsilon: str) -> None:
    """Who stops, or goes on with larger or smaller noise, as earlier answers were."""
    sizes = [0.25, 0.5, 0.75]
    for cap, cost in (
        ({"epsilon": "2"}, lambda size: size),
        ({"rho": "1/2"}, lambda size: size * math.tanh(size / 2) + 1e-9),
    ):
        budget = float(Fraction(*cap.values()))
        reached = worst(budget, float(epsilon), [(s, cost(s)) for s in sizes])
        above = float(found(filtered(LINES["flip"], **cap, **REPLACED), epsilon, "0.5")[1])
        assert reached <= above
        assert reached > above / 10  # the choices are few


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"kind": "gaussian", "noise_multiplier": 0}, "noise_multiplier must be positive"),
        ({"kind": "gaussian", "noise_multiplier": 1, "colour": 3}, "colour"),
        ({"kind": "composition", "releases": []}, "kind"),
        ({"kind": "ledger", "lines": ""}, "kind"),
        ("not a table", "table"),
        ({**LINES["answer"], "neighbours": "zero-out"}, "neighbours must be a relation"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(bad: Any, said: str, tmp_path: Path) -> None:
    text = lines(LINES["answer"], LINES["flip"]) + "\n\n" + json.dumps(bad) + "\n"
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    path = tmp_path / "claims.json"
    claim = {"id": "x", "asserts": privacy(1, "0.1", "replace-one"), "mechanism": {
        "kind": "ledger", "file": "run.jsonl", "parameters": "fixed"}}  # fmt: skip
    path.write_text(json.dumps({"format": "dporacle-claims/1", "claims": [claim]}), "utf-8")
    with pytest.raises(ValueError, match=r"file cannot be read: run\.jsonl: line 4: ") as refusal:
        claims.load(path)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"kind": "gaussian"', "line 1: not JSON"),
        ('{"kind": "rappor", "kind": "rappor", "epsilon": 1}', "line 1: a field appears twice"),
        ('{"kind": "rappor", "epsilon": NaN}', "line 1: NaN is not a number"),
        ("[" * 5000, "line 1: nested too deeply"),
        ("x" * 70_000, "line 1: longer than"),
        ("\n \n", "a ledger has one line at least"),
    ],
)
def test_text_that_is_no_line_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        judged({**ledger(), "lines": text}, privacy(1, "0.1", "replace-one"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"cap": RHO}, "cap must be absent where parameters are 'fixed'"),
        ({"file": "a.jsonl"}, "file or lines must be given, and only one of them"),
        ({"ignored": ["epsilon"]}, "ignored must have no field of a release, got 'epsilon'"),
        ({"parameters": "adaptive", "cap": {"mu": 1, **REPLACED}}, "kind must have a μ²"),
        ({"parameters": "adaptive", "cap": {**RHO, "mu": 1}}, "only one of them"),
        (
            {"parameters": "adaptive", "cap": {"rho": 1, "neighbours": "zero-out"}},
            "neighbours must",
        ),
    ],
)
def test_fields_that_contradict_each_other_are_refused(fields: Content, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        judged(ledger(LINES["flip"], **fields), privacy(1, "0.1", "replace-one"))
    with pytest.raises(ValueError, match="delta must be 0 where the cap has no delta"):
        judged(filtered(LINES["box"], **RHO), privacy(1, "0.1", "replace-one"))


def test_fields_to_be_ignored_do_not_tell_lines_apart() -> None:
    timed = [{**LINES["answer"], "time": place} for place in range(5)]
    mechanism = claims.make({"id": "x", "mechanism": ledger(*timed, ignored=["time"]),
                             "asserts": privacy(1, "0.1", "replace-one")}).mechanism  # fmt: skip
    assert isinstance(mechanism, RecordedLedger)
    assert [n for _, n in mechanism.read.parts] == [5]


def of_file(path: Path, **fields: object) -> RecordedLedger:
    claim = {"id": "x", "asserts": privacy(1, "0.1", "replace-one"), "mechanism": {
        "kind": "ledger", "file": path.name, **fields}}  # fmt: skip
    content = json.dumps({"format": "dporacle-claims/1", "claims": [claim]})
    (path.parent / "claims.json").write_text(content, encoding="utf-8")
    mechanism = claims.load(path.parent / "claims.json").claims[0].mechanism
    assert isinstance(mechanism, RecordedLedger)
    return mechanism


def test_many_lines_are_read_in_a_stream(tmp_path: Path) -> None:
    """200,000 equal and 2,000 different ones; a million take five times as long."""
    path = tmp_path / "run.jsonl"
    one, other = (lines(LINES[name]) + "\n" for name in ("answer", "selection"))
    with path.open("w", encoding="utf-8") as stream:
        for place in range(2_000):
            stream.write(one * 50 + other * 50)
            stream.write(lines({**LINES["flip"], "epsilon": f"0.{place + 1:05}"}) + "\n")
    start = time.process_time()
    mechanism = of_file(path, parameters="fixed", records="same")
    assert time.process_time() - start < 4
    assert mechanism.count() == 202_000
    (most,) = mechanism.extent("replace-one").most
    assert most.mu_squared == 25_000  # of the others, which have too many laws, ρ
    assert most.rho > Fraction("1.2e-3") * 100_000


def test_a_different_line_is_read_once_and_as_its_own_kind(tmp_path: Path) -> None:
    """Each was compared with all kinds, made twice and asked all relations: 27 s a million."""
    path = tmp_path / "run.jsonl"
    calls = []
    for size in (1, 100, 200):
        sizes = (f"{place + 97}/7" for place in range(size))
        path.write_text(lines(*({**LINES["answer"], "noise_multiplier": each} for each in sizes)))
        profile = cProfile.Profile()
        profile.enable()
        mechanism = of_file(path, parameters="adaptive", cap={"rho": 9, **REPLACED})
        assert mechanism.read.lines == size
        profile.disable()
        calls.append(sum(each.callcount for each in profile.getstats()))
    # Of the standard library too; a line took more than 400.
    assert calls[2] - calls[1] < 330 * 100


@pytest.mark.parametrize(
    "line",
    [
        LINES["answer"],
        {**LINES["answer"], "times": 3},
        {"kind": "gaussian", "sigma": 3, "sensitivity_squared": 2, "neighbours": "add-remove"},
        {"kind": "zcdp", "rho": "1/7", "sensitivity": 1, **REPLACED},
        {"kind": "gdp", "mu": "1/7", "sensitivity": 1, "neighbours": "zero-out"},
    ],
)
def test_a_line_spends_what_its_loss_says(line: Content) -> None:
    """That of Gaussian noise is told without its loss."""
    ((part, _),) = RecordedLedger(lines=lines(line), parameters="fixed").read.parts
    relation = "zero-out" if line["neighbours"] == "zero-out" else "replace-one"
    extent = part.extent(relation)
    assert extent is not None
    (loss,) = extent.most
    for name, spent in (("rho", loss.zcdp()), ("mu", loss.mu_squared)):
        cap = FilterCap(neighbours=relation, **{name: Fraction(9)})  # type: ignore[arg-type]
        assert cap.spent(part) == (spent, 0)


def test_one_line_too_many_is_named_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit was once seen only where read lines are forgotten, thousands of lines later."""
    monkeypatch.setattr("dporacle.claims.mechanisms.ledger._MOST_KINDS", 3)
    different = [lines({**LINES["answer"], "noise_multiplier": place + 1}) for place in range(5)]
    text = "\n".join([different[0], different[1], different[0], different[2], *different[3:]])
    with pytest.raises(ValueError, match=r"lines: line 5: .* 3 different releases at most"):
        RecordedLedger(lines=text, parameters="fixed")
    kept = RecordedLedger(lines="\n".join(text.split("\n")[:4]), parameters="fixed")
    assert [n for _, n in kept.read.parts] == [2, 1, 1]


def test_a_ledger_of_different_lines_needs_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    peaks = []
    for size in (4, 8):
        with path.open("w", encoding="utf-8") as stream:
            for place in range(size * 1000):
                stream.write(lines({**LINES["answer"], "noise_multiplier": f"{place + 97}/7"}))
                stream.write("\n")
        tracemalloc.start()
        mechanism = of_file(path, parameters="adaptive", cap={"rho": 9, **REPLACED})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert mechanism.read.lines == size * 1000
        assert not mechanism.read.exceeded
    assert peaks[1] < 2.5 * peaks[0]


def test_sums_are_rounded_up_where_they_are_long() -> None:
    from dporacle.claims.mechanisms.ledger import _Sum

    total, exact = _Sum(), Fraction(0)
    for place in range(1, 900):
        term = Fraction(1, 10**6 + place)
        exact += term
        total.add(term)
    assert total.value.denominator.bit_length() < 5000
    assert exact < total.value < exact * (1 + Fraction(1, 2**400))


def test_a_part_of_a_composition_may_be_a_ledger() -> None:
    inner = ledger(LINES["answer"], LINES["answer"])
    both = {"kind": "composition", "records": "same", "times": 1, "releases": [
        inner, {**LINES["answer"], "times": 2}]}  # fmt: skip
    assert found(both, 1, "0.1") == found(ledger(*[LINES["answer"]] * 4), 1, "0.1")


def test_the_cap_of_a_ledger_is_the_loss_it_bounds() -> None:
    mechanism = claims.make({"id": "x", "mechanism": filtered(LINES["flip"], **RHO),
                             "asserts": privacy(1, "0.1", "replace-one")}).mechanism  # fmt: skip
    assert isinstance(mechanism, RecordedLedger)
    extent = mechanism.extent("replace-one")
    assert extent.most == (PrivacyLoss(rho=Fraction(1, 2)),)
    assert extent.is_nothing
    assert mechanism.knows("add-remove") is None


def test_a_ledger_may_be_the_first_kind_that_is_imported() -> None:
    """In a process that has asked for no other mechanism: what it is made of is imported by it."""
    code = "import dporacle.claims.mechanisms as known; known.MECHANISMS['ledger']"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
