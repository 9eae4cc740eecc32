"""Region proofs: every theorem ends as expected, and its artefact convicts whoever changes it."""

import gzip
import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest
from click.testing import CliRunner
from flint import arb

from dporacle import enclosures, regions
from dporacle.cli import main
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.regions import artefact
from dporacle.regions.boxes import prove_tiling
from dporacle.regions.engine import Limits, ProofRun, run
from dporacle.regions.theorem import (
    OUTSIDE,
    UNCOVERED,
    Axis,
    Check,
    Lemma,
    Part,
    ProofStatus,
    Theorem,
    proved,
)
from dporacle.regions.theorems import formula, load

ROOT = Path(__file__).resolve().parent.parent
THEOREMS = regions.catalogue()
SMALL = "X.CFMAX.classical"
LONG = "X.CF.vinterbo-2020"
MANY_BOXES = {"GN.T1", "X.CF.plrv-tail", "JL24.L2.reversed"}


@cache
def ended(id_):
    return regions.prove(id_, workers=1)


@pytest.mark.parametrize("id_", THEOREMS)
def test_theorem_ends_as_expected(id_):
    found, theorem = ended(id_), THEOREMS[id_]
    assert found.status is (ProofStatus.PROVED if theorem.true else ProofStatus.REFUTED)
    assert not found.given_up
    if theorem.true:
        assert theorem.covered
        for index, part in enumerate(theorem.parts):
            prove_tiling(part.box, [leaf.box for leaf in found.leaves if leaf.part == index])
    else:
        assert found.counterexample is not None


@pytest.mark.parametrize("id_", THEOREMS)
def test_note_has_the_theorem_and_its_lemmas(id_):
    note = (ROOT / "proofs_notes" / "region_proofs.md").read_text()
    assert id_.removesuffix(".any-epsilon") in note
    for lemma in THEOREMS[id_].lemmas:
        assert f"**{lemma.id}**" in note, lemma.id


@pytest.mark.parametrize("id_", [each for each in THEOREMS if each not in MANY_BOXES])
def test_artefact_is_verified_without_searching(id_, tmp_path):
    assert len(ended(id_).leaves) < 500
    path = tmp_path / "proof.jsonl.gz"
    artefact.write(path, ended(id_))
    found = regions.verify(path)
    assert (found.faults, found.status) == ((), ended(id_).status)
    assert found.boxes == len(ended(id_).leaves)
    if found.status is ProofStatus.PROVED:
        assert ended(id_).share == 1


def test_thresholds_are_those_of_the_enclosures():
    """The statements' 30 decimals, computed by another proof (proofs_notes/closed_forms.md)."""
    for name, function in (
        ("classical", enclosures.classical_epsilon_threshold),
        ("dwork-roth", enclosures.dwork_roth_epsilon_threshold),
        ("dwork-2006", enclosures.dwork_2006_epsilon_threshold),
    ):
        low, high = rounding.bounds(function(digits=40))
        top = THEOREMS[f"X.CFMAX.{name}"].parts[0].axes[0].high
        assert top < low
        assert high < top + Fraction(1, 10**30)


def test_misquoted_threshold_changes_where_the_statement_says():
    low, high = THEOREMS["BW18.T4.misquoted-region"].parts
    for epsilon, below in ((low.axes[0].high, True), (high.axes[0].low, False)):
        exact = enclosures.low_privacy_threshold(epsilon=epsilon, digits=60)
        form = enclosures.low_privacy_threshold_misquoted(epsilon=epsilon, digits=60)
        with precision(256):
            assert (form < exact) if below else (form > exact)


@pytest.mark.parametrize("id_", [each for each in THEOREMS if not THEOREMS[each].true])
def test_counterexamples_are_real(id_):
    """By the witnesses, apart from the code that found them."""
    at = ended(id_).counterexample.at
    sigma = rounding.bounds(enclosures.calibrate_sigma(**at))
    if id_ == "BW18.T4.misquoted":
        assert 2 * at["epsilon"] * sigma[1] ** 2 < 1
        form = enclosures.low_privacy_threshold_misquoted(epsilon=at["epsilon"])
        assert rounding.side(form, at["delta"]) > 0
        return
    name = {"BW18.T1": "classical", "GMA.R1": "dwork_roth", "X.CF.dwork-2006": "dwork_2006"}
    closed = getattr(enclosures, name[id_.removesuffix(".any-epsilon")] + "_sigma")(**at)
    assert rounding.bounds(closed)[1] < sigma[0]


def test_a_wider_claim_than_the_threshold_is_refuted():
    """ε up to one part in 10^9 beyond the threshold, around the δ that decides it."""
    delta = (Fraction(89, 100), Fraction(9, 10))
    top = THEOREMS[SMALL].parts[0].axes[0].high
    for factor, expected in ((1, "HOLDS"), (1 + Fraction(1, 10**9), "VIOLATED")):
        found = regions.decide_formula(
            "classical", epsilon=(Fraction(1, 10), top * factor), delta=delta
        )
        assert found.verdict == expected


def lines(path):
    return path.read_text().splitlines()


@pytest.fixture
def proof(tmp_path):
    path = tmp_path / "proof.jsonl"
    artefact.write(path, ended(SMALL))
    return path


def faults_of(path, changed):
    path.write_text("\n".join(changed) + "\n")
    found = regions.verify(path)
    assert found.status is ProofStatus.UNDECIDED
    return " ".join(found.faults)


def announced(changed, by):
    """Correct the number of boxes in the last line."""
    end = json.loads(changed[-1])
    return [*changed[:-1], json.dumps({"boxes": end["boxes"] + by})]


def test_a_lost_box_is_convicted(proof):
    for index in (1, 7, -2):
        changed = lines(proof)
        whole = proof.read_text()
        del changed[index]
        assert "ε and c" in faults_of(proof, announced(changed, -1))
        proof.write_text(whole)


def test_a_moved_corner_is_convicted(proof):
    changed = lines(proof)
    box = json.loads(changed[5])
    box[3][3] = str(Fraction(box[3][3]) + Fraction(1, 10**30))
    changed[5] = json.dumps(box)
    assert "should" in faults_of(proof, changed) or "overlap" in faults_of(proof, changed)


def test_a_box_too_wide_for_balls_is_convicted(proof):
    """One box over the whole part tiles it, and is not proved."""
    changed = lines(proof)
    part = THEOREMS[SMALL].parts[0]
    whole = ["proved", 0, 0, [str(end) for side in part.box for end in side], ""]
    changed = [changed[0], json.dumps(whole), json.dumps({"boxes": 1})]
    assert "balls do not prove the box" in faults_of(proof, changed)


def test_another_statement_in_the_header_is_convicted(proof):
    for name, value in (
        ("statement", "everything is private"),
        ("covering", ""),
        ("lemmas", []),
        ("parts", []),
        ("role", "check"),
    ):
        changed = lines(proof)
        header = {**json.loads(changed[0]), name: value}
        assert "the header says something else" in faults_of(
            proof, [json.dumps(header), *changed[1:]]
        )
        artefact.write(proof, ended(SMALL))


def test_a_status_that_the_boxes_do_not_bear_is_convicted(proof):
    changed = lines(proof)
    changed[3] = changed[3].replace('"proved"', '"given-up"', 1)
    assert "the header says proved, the boxes say undecided" in faults_of(proof, changed)


def test_another_label_is_convicted(proof):
    changed = lines(proof)
    box = json.loads(changed[5])
    changed[5] = json.dumps([*box[:4], "2"])
    assert "balls do not prove" in faults_of(proof, changed)


def test_a_changed_counterexample_is_convicted(tmp_path):
    path = tmp_path / "proof.jsonl"
    artefact.write(path, ended("BW18.T1.any-epsilon"))
    whole = lines(path)
    header = json.loads(whole[0])
    for at, says in (
        ({"epsilon": "1", "delta": "1/100"}, "not certified"),
        ({"epsilon": "-1", "delta": "1/100"}, "not certified"),
        ({"epsilon": "64", "delta": "2"}, "not certified"),
        ({"epsilon": "32", "delta": "1/100"}, "something else"),
    ):
        failure = {**header["counterexample"], "at": at}
        changed = [json.dumps({**header, "counterexample": failure}), *whole[1:]]
        assert says in faults_of(path, changed)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "", "header"),
        (lambda text: "\n".join(text.splitlines()[:-1]), "line 22"),
        (lambda text: text.replace('{"boxes":21}', '{"boxes":20}'), "20 boxes are announced"),
        (lambda text: text.replace('"proved",0,', '"proved",9,'), "there is no part 9"),
        (lambda text: text.replace('"status":', '"surprise":1,"status":'), "surprise"),
        (lambda text: text.replace('["proved",0', '["maybe",0'), "line 2"),
        (lambda text: text.replace("21/32", "21/0"), "not a rational number"),
        (lambda text: text.replace('{"id":', '{"name":'), "not a theorem"),
        (lambda text: text.replace("X.CFMAX.classical", "X.CFMAX.clasical"), "no theorem"),
        (lambda text: "[" * 10000 + "\n{}", "line 1"),
        (lambda text: "\x1f\x8b not gzip", "header"),
    ],
)
def test_a_file_that_is_no_artefact_is_named(proof, change, says):
    proof.write_text(change(proof.read_text()))
    with pytest.raises(regions.ArtefactError, match=says):
        regions.verify(proof)


def test_a_broken_gzip_file_is_named(proof):
    packed = gzip.compress(proof.read_bytes())
    for content in (packed[:-20], packed[:50] + b"\0" * 50 + packed[100:]):
        proof.write_bytes(content)
        with pytest.raises(regions.ArtefactError, match="gzip"):
            regions.verify(proof)


@pytest.mark.parametrize("tries", [1, 100, 650])
def test_a_resumed_run_is_the_uninterrupted_one(tries, tmp_path):
    """Byte by byte, wherever the run was stopped."""
    id_, path, other = LONG, tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    artefact.write(other, ended(id_))
    stopped = run(ProofRun.start(THEOREMS[id_]), workers=1, limits=Limits(boxes=tries))
    assert stopped.status is ProofStatus.UNDECIDED
    assert stopped.given_up
    artefact.write(path, stopped)
    assert regions.verify(path).status is ProofStatus.UNDECIDED
    regions.prove(id_, output=path, resume=True, workers=1)
    assert path.read_bytes() == other.read_bytes()


def test_an_interruption_loses_no_box(tmp_path):
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    artefact.write(other, ended(LONG))

    def stop(state):
        if state.tried > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        regions.prove(LONG, output=path, workers=1, progress=stop)
    found = artefact.read(path)
    assert found.status == "running"
    held = [*found.run.leaves, *found.run.todo]
    for index, part in enumerate(THEOREMS[LONG].parts):
        prove_tiling(part.box, [item.box for item in held if item.part == index])
    with pytest.raises(regions.ArtefactError, match="another statement"):
        regions.prove(SMALL, output=path, resume=True)
    regions.prove(LONG, output=path, resume=True, workers=1)
    assert path.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_any_executor_gives_the_same_boxes(kind):
    pool = (
        ThreadPoolExecutor(2)
        if kind == "threads"
        else ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    )
    with pool:
        found = regions.prove(LONG, executor=pool, workers=2)
    assert found.leaves == ended(LONG).leaves
    with ThreadPoolExecutor(1) as pool:
        found = regions.prove("BW18.T1.any-epsilon", executor=pool)
    assert found.status is ProofStatus.REFUTED


def test_boxes_are_given_up_at_the_depth_and_reported():
    found = regions.decide_formula(
        "classical", epsilon=(1, 3), delta=(1e-12, 0.9), limits=Limits(depth=2)
    )
    assert found.verdict == "UNDECIDED"
    held = [*found.run.leaves, *found.run.given_up]
    prove_tiling(found.run.theorem.parts[0].box, [item.box for item in held])
    assert all(item.depth == 2 for item in found.run.given_up)


def test_a_part_with_an_open_end_proves_nothing():
    def plan(above, *lemmas):
        side = Axis("x", Fraction(0), Fraction(1), below=OUTSIDE, above=above)
        part = Part("", (side,), lambda _: proved())
        return Theorem("t", "", {}, (part,), lemmas, "")

    assert not plan(UNCOVERED).covered
    assert ProofRun(theorem=plan(UNCOVERED)).status is ProofStatus.UNDECIDED
    with pytest.raises(ValueError, match="nothing covers what is beyond x"):
        plan("far")
    assert plan("far", Lemma("far", "")).covered


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_that_is_0_is_neither_positive_nor_negative(sign):
    assert not Check("0", lambda: arb(0), sign).run().holds
    assert Check("±1", lambda: arb(sign), sign).run().holds
    assert not Check("±1", lambda: arb(-sign), sign).run().holds


def test_a_lemma_whose_number_fails_proves_nothing():
    theorem = load({"id": "BW18.T1"})
    found = run(ProofRun.start(theorem), workers=1)
    held = found.checked[0]
    found.checked = (*found.checked, type(held)(held.says, held.low, held.high, holds=False))
    assert found.status is ProofStatus.UNDECIDED


def invoke(*arguments):
    return CliRunner().invoke(main, ["prove", *arguments])


def test_command_line(tmp_path):
    path = str(tmp_path / "proof.jsonl")
    found = invoke("BW18.T1", "--output", path, "--workers", "1")
    assert (found.exit_code, "PROVED" in found.output) == (0, True)
    assert invoke("--verify", path).exit_code == 0
    found = invoke("X.CF.dwork-2006.any-epsilon")
    assert found.exit_code == 1
    assert "at         epsilon = 64, delta = 0.0175" in found.output
    found = invoke("--list")
    assert found.exit_code == 0
    assert all(id_ in found.output for id_ in THEOREMS)
    rectangle = ("--epsilon", "1/10", "8", "--delta", "1e-9", "0.9")
    assert invoke("--formula", "classical", *rectangle).exit_code == 1
    assert invoke("--formula", "zcdp-conversion", *rectangle, "--workers", "1").exit_code == 0
    linear = ("--formula", "linear", "--constant", "2", "--epsilon", "0", "6", "--delta", "0", "1")
    found = invoke(*linear)
    assert (found.exit_code, "0 < ε ≤ 6 and 0 < δ < 1" in found.output) == (0, True)
    assert invoke("BW18.T1", "--output", path, "--resume").exit_code == 0
    whole = Path(path).read_text().splitlines()
    Path(path).write_text("\n".join([whole[0], *whole[2:-1], json.dumps({"boxes": 6})]))
    found = invoke("--verify", path)
    assert (found.exit_code, "fault" in found.output) == (3, True)


def test_theorems_of_files_are_made_with_care():
    for spec in (
        {},
        {"id": 1},
        {"id": "BW18.T1", "more": 1},
        {"formula": "classical"},
        {"formula": 1, "epsilon": ["1", "2"], "delta": ["1/4", "1/2"]},
        {"formula": "zcdp-conversion", "epsilon": ["1", 2], "delta": ["1/4", "1/2"]},
        {"formula": "zcdp-conversion", "epsilon": "12", "delta": ["1/4", "1/2"]},
        {"formula": "zcdp-conversion", "epsilon": ["1"], "delta": ["1/4", "1/2"]},
        {"formula": "zcdp-conversion", "epsilon": ["1", "2"], "delta": ["0", "2"]},
        {"formula": "linear", "epsilon": ["1", "2"], "delta": ["0", "1"]},
        {"formula": "linear", "epsilon": ["1", "2"], "delta": ["0", "1"], "constant": 2},
        {"map": "zcdp-conversion", "epsilon": ["1", "2"], "delta": ["1/4", "1/2"], "loose": ["1"]},
    ):
        with pytest.raises(ValueError, match=r".+"):
            load(spec)
    assert formula.from_spec(
        {"formula": "zcdp-conversion", "epsilon": ["1", "2"], "delta": ["1/4", "1/2"]}
    ).statement.startswith("σ = D/√ρ")
