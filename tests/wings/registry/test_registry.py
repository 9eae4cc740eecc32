"""Descriptions of deployments: what is planted is found, what is right is let be, nothing fails."""

import json
import os
import re
import time
from contextlib import chdir
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import claims
from dporacle.claims.topics import QUESTIONS, TopicStatus, of_claims
from dporacle.cli import main
from dporacle.wings.registry import audit, page, read
from dporacle.wings.registry.checks import CONTRADICTION, QUESTION
from dporacle.wings.registry.mentions import Mention, mentions, number, plain, sums
from dporacle.wings.registry.reading import MAX_BYTES, READ, UNREAD
from support.cases import rows, table

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "registry"
FILES = {path.stem: path.read_text("utf-8") for path in sorted(DATA.glob("*.yaml"))}


def audited(text):
    return audit(read(text.encode(), name="it.yaml"))


def kinds(found, kind=CONTRADICTION):
    return [f"{each.topic}: {each.text}" for each in found.findings if each.kind == kind]


def called(*words):
    return CliRunner().invoke(main, ["registry", *words])


@pytest.mark.parametrize("name", FILES)
def test_a_true_description_is_let_be(name):
    found = audited(FILES[name])
    assert kinds(found) == []
    assert all(each.verdict != "VIOLATED" for each in found.verdicts)
    states = {each.name: each.level for each in page.topics(found)}
    stated = {"unit of privacy", "neighbours", "mechanism"}
    assert {states[each] for each in stated} == {TopicStatus.STATED}
    assert states["side channels"] is TopicStatus.MISSING


def test_what_can_be_stated_formally_is_proved():
    census = audited(FILES["census"])
    verdicts = {each.claim.id: str(each.verdict) for each in census.verdicts}
    assert verdicts == {"parts-1": "HOLDS", "conversion-2": "UNDECIDED", "conversion-3": "HOLDS"}
    assert {each.name: each.level for each in page.topics(census)}[
        "composition"
    ] is TopicStatus.PROVED
    (conversations,) = audited(FILES["conversations"]).verdicts
    assert conversations.verdict == "UNDECIDED"
    (conversations,) = audited(FILES["conversations"].replace("1.782696", "1.7")).verdicts
    assert conversations.verdict == "HOLDS"


@pytest.mark.parametrize(("name", "old", "new", "told"), rows("registry_contradictions"))
def test_a_planted_contradiction_is_found(name, old, new, told):
    assert old in FILES[name]
    assert not any(told in each for each in kinds(audited(FILES[name])))
    found = kinds(audited(FILES[name].replace(old, new, 1)))
    assert any(told in each for each in found), found


@pytest.mark.parametrize(("name", "old", "new", "told"), rows("registry_questions"))
def test_what_may_be_meant_otherwise_is_a_question(name, old, new, told):
    assert old in FILES[name]
    before, found = audited(FILES[name]), audited(FILES[name].replace(old, new, 1))
    assert kinds(found) == []
    assert any(told in each for each in kinds(found, QUESTION)), kinds(found, QUESTION)
    assert not any(told in each for each in kinds(before, QUESTION))
    assert all(each.verdict != "VIOLATED" for each in found.verdicts)


SHORT = """
deployment:
  name: Short
  dp_flavor: {{name: "{kind}"}}
  privacy_loss:
    privacy_unit: User-level
    privacy_unit_description: "{unit}"
    privacy_parameters: {parameters}
    privacy_parameters_description: "{words}"
  model: {{release_type: One release}}
  accounting: {{composition: "{composition}"}}
  implementation: {{mechanisms: "{noise}"}}
"""
RIGHT = {
    "kind": "Pure DP",
    "unit": "Adding or removing one user.",
    "parameters": "{epsilon: 2}",
    "words": "ε = 2 in all.",
    "composition": "Basic composition.",
    "noise": "Laplace noise.",
}


@pytest.mark.parametrize(("changed", "told"), rows("registry_shapes"))
def test_the_same_in_other_shapes_is_found_alone(changed, told):
    assert kinds(audited(SHORT.format(**RIGHT))) == []
    (found,) = kinds(audited(SHORT.format(**RIGHT | changed)))
    assert told in found


@pytest.mark.parametrize(("what", "changed"), rows("registry_honest"))
def test_an_honest_description_is_not_accused(what, changed):
    found = audited(SHORT.format(**RIGHT | changed))
    assert kinds(found) == [], what
    assert all(each.verdict != "VIOLATED" for each in found.verdicts), what


def test_of_a_long_calculation_both_ends_are_shown():
    details = "0.11 * 2 + " * 2000 + "0.22 = 0.54"
    loss = f"privacy_loss:\n  privacy_parameters_details: |\n    {details}\n"
    (said,) = kinds(audited(f"deployment: {{name: x}}\n{loss}"))
    assert len(said) < 300
    assert "composition: 0.11 * 2 + " in said
    assert " … " in said
    assert "0.22 = 0.54: the left side is 440.22" in said


def test_prose_alone_accuses_nobody():
    """The same numbers, as keys and as words: only those that were parsed contradict each other."""
    keys = audited(SHORT.format(**RIGHT | {"parameters": "{epsilon: 2, delta: 1e-6}"}))
    assert len(kinds(keys)) == 1
    words = audited(SHORT.format(**RIGHT | {"parameters": "ε = 2 and δ = 1e-6"}))
    assert kinds(words) == []
    assert any("pure DP, and δ is 1e-6" in each for each in kinds(words, QUESTION))
    spoken = Mention("ε", Fraction(1), "1")
    parsed = Mention("ε", Fraction(1), "1", parsed=True)
    for numbers in ([], [parsed], [parsed, spoken], [spoken, spoken]):
        assert not words.accuse("ε and δ", "it is so", numbers)
    assert kinds(words) == []
    assert words.accuse("ε and δ", "it is so", [parsed, parsed])
    assert kinds(words) == ["ε and δ: it is so"]


def test_files_without_a_deployment_are_no_entries(tmp_path):
    schema = (
        "properties: {deployment: {properties: {epsilon: {type: number}, rho: {type: number}}}}"
    )
    workflow = "on: [push]\njobs: {test: {steps: [{run: make}]}}"
    (tmp_path / "good.yaml").write_text(FILES["mobility"], "utf-8")
    (tmp_path / "schema.yaml").write_text(schema, "utf-8")
    (tmp_path / "test.yml").write_text(workflow, "utf-8")
    done = called(str(tmp_path), "--output", str(tmp_path / "page.md"))
    assert done.exit_code == 0
    told = "skipped, for they describe no deployment: schema.yaml, test.yml"
    assert told in done.output
    assert told in (tmp_path / "page.md").read_text("utf-8")
    assert "1 read; 0 contradictions" in done.output
    written = json.loads(called(str(tmp_path), "--json").output)
    assert written["skipped"] == ["schema.yaml", "test.yml"]
    alone = called(str(tmp_path / "schema.yaml"))
    assert alone.exit_code == 2
    assert "schema.yaml: it has no key deployment" in alone.output
    (tmp_path / "good.yaml").unlink()
    none = called(str(tmp_path))
    assert none.exit_code == 2
    assert "no file describes a deployment" in none.output
    (tmp_path / "two.yaml").write_text("deployment: [{name: a}, {name: b}]", "utf-8")
    two = called(str(tmp_path))
    assert two.exit_code == 2
    assert "two.yaml: deployment is a list" in two.output


def test_the_oldest_shape_has_its_parameters_at_the_root():
    found = audited(
        "title: Visits\nepsilon: 1.76\ndelta: 0\nrho: null\nmechanism: Laplace\nyear: 2020"
    )
    assert found.entry.title == "Visits"
    assert {name: each.written for name, each in found.total.items()} == {"ε": "1.76", "δ": "0"}
    assert not any("no check reads" in each for each in kinds(found, QUESTION))


def test_every_key_is_read_or_known_to_be_unread():
    """No check reads a key that is not listed; each listed one is told apart from unknown ones."""
    assert not READ & UNREAD
    with pytest.raises(KeyError, match="privacy_unit_dtails"):
        read(FILES["census"].encode(), name="it").find("privacy_unit_dtails")
    for name in sorted(READ | UNREAD):
        assert read(f"deployment: {{{name}: 'x'}}".encode(), name="it").unknown == []
    for text in FILES.values():
        assert read(text.encode(), name="it").unknown == []
    page_text = (ROOT / "docs" / "registry.md").read_text("utf-8")
    listed = page_text.partition("## What is not read")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == UNREAD


def test_a_topic_says_more_than_a_colon():
    colon = "The noise is floating-point safe:\n        it is drawn on the integers."
    found = audited(SHORT.format(**RIGHT | {"noise": colon.replace("\n        ", "\\n")}))
    states = {each.name: each.note for each in page.topics(found)}
    assert "drawn on the integers" in states["floating point"]
    wrong = audited("deployment: {privacy_loss: {privacy_parameters: {epsilon: -1}}}")
    wrong.accuse("composition", "a is not b", [wrong.total["ε"]] * 2)
    assert kinds(wrong)
    for each in page.topics(wrong):
        assert not each.note.rstrip().endswith(":"), each
    assert not any(each.rstrip().endswith(":") for each in page.to_text([wrong]).splitlines())


def test_what_only_holds_a_place_is_no_number():
    for parameters in (
        "{epsilon: [null, 2]}",
        "{epsilon: {a: null, b: 2}}",
        "{epsilon: 2, delta:}",
    ):
        assert kinds(audited(SHORT.format(**RIGHT | {"parameters": parameters}))) == []


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path):
    (tmp_path / "good.yaml").write_text(FILES["mobility"], "utf-8")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.yaml")
    done = called(str(tmp_path))
    assert done.exit_code == 2
    assert "Mobility reports" in done.output
    assert "folder.yaml" in done.output
    assert "gone.yaml" in done.output
    assert ("pipe.yaml: not a file" in done.output) is hasattr(os, "mkfifo")


ODD = [
    "\ufeffa: 1".encode(),
    "a: 1".encode("utf-16"),
    b"a: \xe9",
    b"a: \x00",
    b"",
    b"# nothing",
    b"a: 1\r\nb: {epsilon: 1}\r\n",
    b"x: &a {epsilon: 1}\ny: {<<: *a}",
    b"privacy_parameters: !!set {epsilon, delta}",
    b"epsilon: !!binary aGVsbG8=",
    b"privacy_parameters: {epsilon: 2021-01-01, delta: 12:30:45}",
    b"privacy_parameters: &p {epsilon: 2}",
    b"a: " + b"x" * (10 << 20),
    b"- a\n" * 2_500_000,
    b"deployment: {name: ~, dp_flavor: {name: ~}, privacy_loss: [~, ~], model: ~}",
    b"privacy_parameters: [[[[{epsilon: [[1]]}]]]]",
    b"privacy_parameters: {epsilon: " + b"9" * 5000 + b"}",
]


@pytest.mark.parametrize("data", ODD, ids=range(len(ODD)))
def test_odd_files_are_read_or_refused(data, tmp_path):
    (tmp_path / "it.yaml").write_bytes(data)
    done = called(str(tmp_path), "--json")
    assert done.exit_code in {0, 1, 2}
    assert isinstance(done.exception, SystemExit | None)


def test_parts_with_keys_of_their_own_are_compared():
    parts = "{total: {rho: 2.63}, persons: {rho: 2.56}, units: {rho: 0.17}}"
    (text,) = kinds(audited(FILES["census"].replace("{rho: 2.63}", parts)))
    assert "2.56 + 0.17 add up to ρ = 2.73" in text
    text = FILES["census"].replace("{rho: 2.63}", parts).replace("in two", "in disjoint")
    assert not any("add up" in each for each in kinds(audited(text)))
    assert any("add up" in each for each in kinds(audited(text), QUESTION))


SHAPES = [
    "{}",
    "a: [",
    "",
    "- list",
    "just text",
    "deployment: null",
    "deployment: [1, {privacy_loss: x}]",
    "privacy_parameters: [1, [2, {epsilon: [1, {a: 2}]}], null]",
    "privacy_parameters: ε = 1 and δ = 10−5",
    "privacy_parameters: {epsilon: {a: 1, b: [2]}, delta: 99999-99-99, rho: .inf, δ: .nan}",
    "{? [a, b] : c}",
    "{? {a: b} : c}",
    "a: 1\na: 2",
    "a: &x [1]\nb: *x",
    "a: !!python/object/apply:os.system [ls]",
    "<<: {a: 1}",
    "epsilon: 10^99999999999999",
    "deployment: {dp_flavor: {name: [Pure DP, {x: 1}]}, privacy_loss: {privacy_unit: {a: b}}}",
    "[" * 5000,
    "a: " * 3000,
    "\t",
    "\x00",
    "--- 1\n--- 2",
]


@pytest.mark.parametrize("text", SHAPES)
def test_no_shape_makes_a_traceback(text, tmp_path):
    file = tmp_path / "it.yaml"
    file.write_text(text, "utf-8")
    for options in ([], ["--json"], ["--output", str(tmp_path / "page.md")]):
        done = called(str(file), *options)
        assert done.exit_code in {0, 1, 2, 3}, done.output
        assert isinstance(done.exception, SystemExit | None)
        assert "Traceback" not in done.output


NAMES = ["deployment", "dp_flavor", "name", "privacy_loss", "privacy_unit", "privacy_parameters"]
NAMES += [
    "epsilon",
    "delta",
    "rho",
    "privacy_parameters_description",
    "composition",
    "release_type",
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.dates(),
    st.text(max_size=20),
    st.sampled_from(
        ["Pure DP", "zCDP", "- ε = 1\n- ε = 2", "ρ = 0.1 split in ρ = 2 and ρ = 3", "10%"]
    ),
)
TREES = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=4) | st.dictionaries(st.sampled_from(NAMES), below, max_size=5)
    ),
    max_leaves=12,
)


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(NAMES), TREES, max_size=5))
def test_any_tree_is_audited(tree):
    try:
        entry = read(yaml.dump(tree, Dumper=_Plain, allow_unicode=True).encode(), name="it")
    except ValueError:
        return
    found = audit(entry)
    json.loads(page.to_json([found]))
    assert page.to_text([found]).count("\n") >= len(QUESTIONS)
    assert page.to_markdown([found])


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def test_a_bomb_is_refused_at_once(tmp_path):
    rows = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    started = time.process_time()
    for text in ("\n".join(rows), "a: " + "x" * MAX_BYTES, "[" * MAX_BYTES, "{a: " * 60_000):
        (tmp_path / "bomb.yaml").write_text(text)
        assert called(str(tmp_path)).exit_code == 2
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    "piece",
    [
        "δ ",
        "change (",
        "not ",
        "no information ",
        "floating ",
        "1 + ",
        "ρ of ",
        "ε = 1 per day ",
        "- ε = 1\n      ",
        "total ε = 1 is split ",
        "0.1 + 0.1 = ",
        "for a ",
        "30 days ",
    ],
)
def test_long_prose_is_read_in_time(piece):
    words = piece * (40_000 // len(piece))
    entry = read(SHORT.format(**RIGHT | {"noise": "x"}).encode(), name="it.yaml")
    loss = entry.content["deployment"]["privacy_loss"]
    loss["privacy_parameters_description"] = loss["privacy_unit_description"] = words
    entry.content["deployment"]["accounting"]["composition"] = words
    entry.content["deployment"]["implementation"]["mechanisms"] = words
    started = time.process_time()
    page.to_text([audit(entry)])
    assert time.process_time() - started < 4


def test_the_command_writes_a_page_and_claims(tmp_path):
    options = ["--output", str(tmp_path / "page.md"), "--claims", str(tmp_path / "formal")]
    done = called(str(DATA), *options)
    assert done.exit_code == 3, done.output
    assert "3 read; 0 contradictions in 0; 4 formal claims" in done.output
    assert (tmp_path / "page.md").read_text("utf-8").count("\n## ") == len(FILES)
    written = sorted((tmp_path / "formal").iterdir())
    assert [each.name for each in written] == ["census.json", "conversations.json"]
    assert [len(claims.load(each).claims) for each in written] == [3, 1]
    assert called(str(DATA / "mobility.yaml")).exit_code == 0
    assert called(str(tmp_path / "formal")).exit_code == 2


def test_a_file_that_cannot_be_read_is_named_beside_the_others(tmp_path):
    (tmp_path / "good.yaml").write_text(FILES["mobility"], "utf-8")
    (tmp_path / "bad.yml").write_text("a: [", "utf-8")
    done = called(str(tmp_path))
    assert done.exit_code == 2
    assert "bad.yml: line 1" in done.output
    assert "Mobility reports" in done.output


@pytest.mark.parametrize(("text", "found"), table("numbers_in_prose"))
def test_numbers_in_prose(text, found):
    assert [(each.name, each.value) for each in mentions(plain(text))] == [
        (name, number(value)) for name, value in found
    ]


def test_what_stands_around_a_number_is_what_is_written_next_to_it():
    """At most sixty characters on each side, and nothing of the number of the same name before."""
    words = " ".join(f"word{place}" for place in range(40))
    text = f"{words} ε = 2 and {words} ε = 3 or ε = 0.1 {words}"
    for written, length in (("2", 60), ("3", 60), ("0.1", 4)):
        (found,) = (each for each in mentions(text) if each.written == written)
        start, end = text.index(f"ε = {written}"), text.index(f"ε = {written}") + 4 + len(written)
        assert (found.before, found.after) == (text[start - length : start], text[end : end + 60])
    (alone,) = mentions("ε = 3")
    assert (alone.before, alone.after) == ("", "")


def test_calculations_in_prose():
    text = "2020-04 = 3; 0.11 * 2 + 0.22 = 0.44, 4 × 0.44 = 1.77. 1 + 1 = 3 * 4; x * 2 = 5"
    assert [(str(each.left.value), each.right.written) for each in sums(plain(text))] == [
        ("11/25", "0.44"),
        ("44/25", "1.77"),
    ]


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("0.5 + 0.5 = 2", True),
        ("Levels: 0.5 + 0.5 = 2; more", True),
        ("ε = 0.5 + 0.5 = 2.", True),
        ("half of 0.5 + 0.5 = 2", False),
        ("0.5 + 0.5 = 2 (in years)", False),
        ("0.5 + 0.5 = 2 percent", False),
    ],
)
def test_a_calculation_is_parsed_where_it_stands_alone(text, parsed):
    assert [each.left.parsed for each in sums(plain(text))] in (
        [parsed],
        [] if not parsed else None,
    )


def test_the_terms_of_a_calculation_may_be_rounded():
    (each,) = sums("0.33 * 3 = 1.00")
    assert each.slack >= abs(each.left.value - each.right.value) == Fraction(1, 100)
    (each,) = sums("2 * 3 = 7")
    assert each.slack == Fraction(1, 2)


def test_the_profile_of_claims(tmp_path):
    runner = CliRunner()
    with chdir(tmp_path):
        runner.invoke(main, ["audit", "--example", "composition"])
        done = runner.invoke(main, ["audit", "composition.toml", "--profile", "sp800-226"])
        assert runner.invoke(main, ["audit", "composition.toml"]).exit_code == done.exit_code
    assert [line[:16].strip() for line in done.output.splitlines()] == list(QUESTIONS)
    both = ["--epsilon", "1", "--delta", "1e-5", "--sigma", "4", "--profile", "sp800-226"]
    assert "ε and δ          proved" in runner.invoke(main, ["audit", *both]).output
    levels = {
        each.name: each.level
        for each in of_claims([claims.audit({"id": "a", "asserts": ASSERTED})])
    }
    unit = next(iter(levels))
    assert levels[unit] is TopicStatus.MISSING
    with chdir(tmp_path):
        runner.invoke(main, ["audit", "--example", "dp-sgd"])
        done = runner.invoke(main, ["audit", "dp-sgd.toml", "--profile", "sp800-226"])
    assert f"{unit}  stated        a user with at most 8 records\n" in done.output
    assert levels["ε and δ"] is TopicStatus.PROVED
    assert (
        levels["neighbours"] is levels["mechanism"] is levels["composition"] is TopicStatus.MISSING
    )


def profile(*pairs):
    """Return the topics of claims of mechanisms and assertions."""
    found = [
        claims.audit({"id": str(place), "mechanism": about, "asserts": said})
        for place, (about, said) in enumerate(pairs)
    ]
    return {each.name: each for each in of_claims(found)}


def test_the_profile_names_the_relation_that_is_claimed():
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5"}
    run = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.01", "steps": 10}
    sums = {"kind": "gaussian", "sigma": 9, "contribution": {"clipping_norm": 1}}
    plain = {"kind": "gaussian", "sigma": 9, "sensitivity": 1, "neighbours": "add-remove"}
    for relation in ("add-remove", "replace-one", "zero-out"):
        claimed = said | {"neighbours": relation}
        assert profile((run, claimed))["neighbours"].note == relation
        assert profile((sums, claimed))["neighbours"].note == relation
    doubled = profile((plain, said | {"neighbours": "replace-one"}))["neighbours"]
    assert doubled.note == "replace-one (sensitivity for add-remove)"
    error = {"kind": "accuracy", "at_most": 30, "alpha": "0.1", "queries": 1}
    assert profile((plain, error))["neighbours"].note == "add-remove"
    assert profile((sums, error))["neighbours"].level is TopicStatus.MISSING


def test_two_mechanisms_on_the_same_people_have_no_total():
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    one = {"kind": "gaussian", "sigma": 9, "sensitivity": 1, "neighbours": "add-remove"}
    other = one | {"sigma": 10}
    both = {"kind": "composition", "releases": [one, other], "records": "same", "times": 1}
    apart = profile((one, said), (other, said))["composition"]
    assert apart.level is TopicStatus.MISSING
    assert "2 mechanisms in claims of their own (gaussian, gaussian)" in apart.note
    assert profile((one, said), (one, said | {"epsilon": 2}))["composition"].note == "one release"
    assert (
        profile((one, said), (other, said), (both, said))["composition"].level is TopicStatus.PROVED
    )
    third = {"kind": "laplace", "scale": 2, "sensitivity": 1, "neighbours": "add-remove"}
    beside = profile((third, said | {"delta": 0}), (both, said))["composition"]
    assert beside.level is TopicStatus.MISSING
    assert "(laplace, composition)" in beside.note


ASSERTED = {
    "kind": "conversion",
    "given": {"kind": "zcdp", "rho": "0.07"},
    "epsilon": "2.47",
    "delta": "1e-10",
}
