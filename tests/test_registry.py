"""Descriptions of deployments: what is planted is found, what is right is let be, nothing fails."""

import json
import os
import time
from contextlib import chdir
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import claims
from dporacle.claims.topics import QUESTIONS, Level, of_claims
from dporacle.cli import main
from dporacle.registry import audit, page, read
from dporacle.registry.checks import CONTRADICTION, QUESTION
from dporacle.registry.mentions import mentions, number, plain, sums
from dporacle.registry.reading import MAX_BYTES
from support.cases import rows, table

DATA = Path(__file__).parent / "data" / "registry"
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
    assert {states[each] for each in stated} == {Level.STATED}
    assert states["side channels"] is Level.MISSING


def test_what_can_be_stated_formally_is_proved():
    census = audited(FILES["census"])
    verdicts = {each.claim.id: str(each.verdict) for each in census.verdicts}
    assert verdicts == {"parts-1": "HOLDS", "conversion-2": "UNDECIDED", "conversion-3": "HOLDS"}
    assert {each.name: each.level for each in page.topics(census)}["composition"] is Level.PROVED
    (conversations,) = audited(FILES["conversations"]).verdicts
    assert conversations.verdict == "UNDECIDED"
    (conversations,) = audited(FILES["conversations"].replace("1.782696", "1.7")).verdicts
    assert conversations.verdict == "HOLDS"


@pytest.mark.parametrize(("name", "old", "new", "told"), rows("registry_contradictions"))
def test_a_planted_contradiction_is_found(name, old, new, told):
    assert old in FILES[name]
    found = kinds(audited(FILES[name].replace(old, new, 1)))
    assert any(told in each for each in found), found


SHORT = """
deployment:
  name: Short
  dp_flavor: {{name: {kind}}}
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
    (text,) = kinds(audited(FILES["census"].replace("{rho: 2.63}", parts)))[:1]
    assert "2.56 + 0.17 add up to ρ = 2.73" in text
    text = FILES["census"].replace("in two parts", "in disjoint parts").replace("0.07", "0.17")
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


def test_calculations_in_prose():
    text = "2020-04 = 3; 0.11 * 2 + 0.22 = 0.44, 4 × 0.44 = 1.77. 1 + 1 = 3 * 4; x * 2 = 5"
    assert [(str(value), said.written) for _, value, said in sums(plain(text))] == [
        ("11/25", "0.44"),
        ("44/25", "1.77"),
    ]


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
    assert levels[unit] is Level.MISSING
    with chdir(tmp_path):
        runner.invoke(main, ["audit", "--example", "dp-sgd"])
        done = runner.invoke(main, ["audit", "dp-sgd.toml", "--profile", "sp800-226"])
    assert f"{unit}  stated        a user with at most 8 records\n" in done.output
    assert levels["ε and δ"] is Level.PROVED
    assert levels["neighbours"] is levels["mechanism"] is levels["composition"] is Level.MISSING


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
    assert profile((sums, error))["neighbours"].level is Level.MISSING


def test_two_mechanisms_on_the_same_people_have_no_total():
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    one = {"kind": "gaussian", "sigma": 9, "sensitivity": 1, "neighbours": "add-remove"}
    other = one | {"sigma": 10}
    both = {"kind": "composition", "releases": [one, other], "records": "same", "times": 1}
    apart = profile((one, said), (other, said))["composition"]
    assert apart.level is Level.MISSING
    assert "2 mechanisms in claims of their own (gaussian, gaussian)" in apart.note
    assert profile((one, said), (one, said | {"epsilon": 2}))["composition"].note == "one release"
    assert profile((one, said), (other, said), (both, said))["composition"].level is Level.PROVED
    third = {"kind": "laplace", "scale": 2, "sensitivity": 1, "neighbours": "add-remove"}
    beside = profile((third, said | {"delta": 0}), (both, said))["composition"]
    assert beside.level is Level.MISSING
    assert "(laplace, composition)" in beside.note


ASSERTED = {
    "kind": "conversion",
    "given": {"kind": "zcdp", "rho": "0.07"},
    "epsilon": "2.47",
    "delta": "1e-10",
}
