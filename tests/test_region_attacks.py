"""Region proofs under attack: false statements, and files made to hang, to crash or to pass."""

import itertools
import json
import math
from fractions import Fraction

import pytest

from dporacle import regions
from dporacle.enclosures.arithmetic.balls import ball
from dporacle.regions._linear import Linear
from dporacle.regions.boxes import TilingError, prove_tiling
from dporacle.regions.theorem import ProofStatus
from dporacle.regions.theorems import load, rank_one
from dporacle.regions.theorems._line import keeps_sign
from dporacle.regions.theorems.low_privacy import _log_ratio, _log_ratio_slope
from support.cases import table

SMALL = "X.CF.vinterbo-below-classical"


@pytest.fixture
def whole(tmp_path):
    """The lines of a proof, per theorem."""

    def make(id_):
        path = tmp_path / "whole.jsonl"
        regions.prove(id_, output=path, workers=1)
        return path.read_text().splitlines()

    return make


def written(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def changed(lines, index, change):
    held = json.loads(lines[index])
    change(held)
    return [*lines[:index], json.dumps(held), *lines[index + 1 :]]


# False statements.


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        *table("a_claim_over_large_epsilon_is_refuted_inside_its_rectangle"),
        ((20, 50), (0, Fraction(1, 2))),
        ((60, 90), (0, Fraction(1, 10**1000))),
        ((0, 10**9), (Fraction(1, 2), 1)),
    ],
)
@pytest.mark.statement("X.CFMAX")
def test_a_claim_over_large_epsilon_is_refuted_inside_its_rectangle(epsilon, delta):
    found = regions.decide_formula("classical", epsilon=epsilon, delta=delta)
    assert found.verdict == "VIOLATED"
    at = found.counterexample.at
    assert epsilon[0] <= at["epsilon"] <= epsilon[1]
    assert delta[0] < at["delta"] <= delta[1]


@pytest.mark.parametrize(
    ("name", "epsilon", "delta"),
    [
        ("vinterbo-2020", ("0.001", "1000"), ("1e-12", "0.999")),
        ("plrv-tail", ("1e-9", "1e-8"), ("1e-9", "0.5")),
        ("zcdp-conversion", ("1", "1e6"), ("0.5", "0.999999999999")),
        ("root-sum", ("0.001", "1e6"), ("1e-30", "0.999")),
    ],
)
def test_a_part_of_what_is_proved_everywhere_is_proved(name, epsilon, delta):
    """Too wide for balls alone, and inside a claim that the theorem decides."""
    inner = [tuple(Fraction(end) for end in ends) for ends in (epsilon, delta)]
    for eps, target in ((inner[0], inner[1]), ((0, inner[0][1]), (0, 1))):
        assert regions.decide_formula(name, epsilon=eps, delta=target).verdict == "HOLDS"


@pytest.mark.thorough("a region proof")
def test_epsilon_beyond_all_counterexamples_proves_nothing():
    """At ε = 2^4000 every δ of use is far from the one that was asked."""
    found = regions.decide_formula(
        "classical", epsilon=(1, 2**4000), delta=(0, Fraction(1, 2**4000))
    )
    assert found.verdict == "UNDECIDED"


@pytest.mark.statement("X.CFMAX")
def test_smaller_constants_are_refuted_and_larger_are_proved():
    """The least a of σ = D√(2 ln(a/δ))/ε that is private for ε ≤ 1 has one sign on each side."""
    verdicts = [
        regions.decide_formula(
            "linear", epsilon=(0, 1), delta=(0, 1), constant=Fraction(step, 100)
        ).verdict
        for step in range(100, 126)
    ]
    proved = verdicts.index("HOLDS")
    assert verdicts == ["VIOLATED"] * proved + ["HOLDS"] * (len(verdicts) - proved)
    assert proved > 0


@pytest.mark.parametrize("top", ["3.786860193160808524370501428637", "3.79", "5"])
def test_a_threshold_too_high_is_not_proved(top):
    """1e-30 beyond the upper decimal, and farther."""
    kind = regions.catalogue()["X.CFMAX.classical"]
    least = kind.parts[0].axes[1].low
    plan = Linear(lambda: ball(Fraction(5, 4)), "σ", least, Fraction(top))
    whole = plan.part().box
    assert plan.decide(whole).kind != "proved"
    peak = Fraction("0.815717463409531749408108167966")
    assert plan.decide(((Fraction(0), Fraction(top)), (peak, peak))).kind == "refuted"


@pytest.mark.statement("X.R1.COROLLARY")
def test_a_smaller_constant_than_166_fails(monkeypatch):
    """F(4) − 1 = 0.12, so that 132 is too small and 133 is not."""
    first = (Fraction(4), Fraction(4) + Fraction(1, 10**6))
    real = rank_one._factor
    for constant, kind in ((132, "unknown"), (133, "proved")):
        scale = Fraction(constant, 166)
        monkeypatch.setattr(rank_one, "_factor", lambda m, s=scale: real(m) * ball(s).sqrt())
        theorem = next(iter(rank_one.theorems()))
        assert theorem.parts[0].decide((first,)).kind == kind
        assert theorem.lemmas[0].checks[0].run().holds == (kind == "proved")


@pytest.mark.statement("BW18.T4")
def test_the_misquoted_threshold_is_not_proved_beyond_its_root():
    root = regions.catalogue()["BW18.T4.misquoted-region"].parts[0].axes[0].high
    below = keeps_sign(_log_ratio, _log_ratio_slope, 1)
    assert below(((root / 2, root),)).kind == "proved"
    assert below(((root / 2, root + Fraction(1, 10**30)),)).kind == "refuted"
    assert (
        below(((Fraction(0), root),)).kind == "unknown"
    )  # balls that are not finite prove nothing


def test_a_box_that_fails_without_a_certificate_is_bisected_where_it_helps():
    """Of a rectangle with one ε, only δ can be bisected."""
    claim = regions.formulas.theorem("classical", epsilon=(8, 8), delta=(1e-9, Fraction(1, 2)))
    box = (claim.parts[0].box[0], (Fraction(1, 20), Fraction(1, 2)))
    outcome = claim.parts[0].decide(box)
    assert (outcome.kind, outcome.axis) == ("refuted", 1)


# Files.


@pytest.mark.parametrize("id_", ["GN.T1", "BW18.T1", "X.R1.COROLLARY", SMALL])
def test_a_box_upside_down_is_convicted(whole, id_, tmp_path):
    lines = whole(id_)
    for first in range(0, len(json.loads(lines[1])[3]), 2):

        def flip(box, first=first):
            ends = box[3]
            ends[first], ends[first + 1] = ends[first + 1], ends[first]

        found = regions.verify(written(tmp_path / "t.jsonl", changed(lines, 1, flip)))
        assert found.status is ProofStatus.UNDECIDED
        assert found.faults


@pytest.mark.parametrize("end", ["0", "-1", "1" + "0" * 4000, "1/1" + "0" * 4000])
@pytest.mark.parametrize("id_", ["GN.T1", SMALL])
def test_a_corner_anywhere_else_is_convicted(whole, id_, end, tmp_path):
    lines = whole(id_)
    for index in range(len(json.loads(lines[1])[3])):

        def move(box, index=index):
            box[3][index] = end

        found = regions.verify(written(tmp_path / "t.jsonl", changed(lines, 1, move)))
        assert found.status is ProofStatus.UNDECIDED
        assert found.faults


def test_corners_without_a_short_common_denominator_are_refused():
    zero, one = Fraction(0), Fraction(1)
    cuts = [zero, *(Fraction(1, 10**3000 + k) for k in range(40, 0, -1)), one]
    boxes = [((low, high),) for low, high in itertools.pairwise(cuts)]
    with pytest.raises(TilingError, match="halvings"):
        prove_tiling(((zero, one),), boxes)
    assert math.lcm(*(cut.denominator for cut in cuts)).bit_length() > 1 << 17


@pytest.mark.parametrize("id_", ["BW18.T1.any-epsilon", "BW18.T4.misquoted"])
@pytest.mark.parametrize(
    "at",
    [
        *table("a_counterexample_at_a_strange_point_is_convicted"),
        {"epsilon": "1" + "0" * 3000, "delta": "1/2"},
        {"epsilon": "1/1" + "0" * 3000, "delta": "1/1" + "0" * 3000},
    ],
)
def test_a_counterexample_at_a_strange_point_is_convicted(whole, id_, at, tmp_path):
    def move(header):
        header["counterexample"]["at"] = at

    path = written(tmp_path / "t.jsonl", changed(whole(id_), 0, move))
    found = regions.verify(path)
    assert found.status is ProofStatus.UNDECIDED
    assert found.faults
    with pytest.raises(regions.ArtefactError, match="cannot be resumed"):
        regions.prove(id_, output=path, resume=True)


def test_a_counterexample_below_the_claimed_epsilon_is_none():
    """At ε = 15 and 20 the formula fails at this δ, and the claim is about ε ≥ 20."""
    claim = regions.formulas.theorem("classical", epsilon=(20, 30), delta=(0, 1))
    delta = Fraction("8.55e-54")
    found = [
        claim.parts[0].certify({"epsilon": Fraction(epsilon), "delta": delta})
        for epsilon in (15, 20, 31)
    ]
    assert [each is not None for each in found] == [False, True, False]


@pytest.mark.parametrize("spec", table("a_spec_of_wrong_types_is_refused"))
def test_a_spec_of_wrong_types_is_refused(whole, spec, tmp_path):
    with pytest.raises(ValueError, match=r"not a theorem|fineness"):
        load(spec)
    path = written(
        tmp_path / "t.jsonl", changed(whole(SMALL), 0, lambda header: header.update(theorem=spec))
    )
    with pytest.raises(regions.ArtefactError, match="line 1"):
        regions.verify(path)


def test_a_run_with_a_lost_box_is_not_gone_on_with(whole, tmp_path):
    lines = whole("BW18.T1")
    del lines[2]
    lines[-1] = json.dumps({"boxes": len(lines) - 2})
    path = written(tmp_path / "t.jsonl", lines)
    before = path.read_text()
    with pytest.raises(regions.ArtefactError, match="cannot be resumed"):
        regions.prove("BW18.T1", output=path, resume=True)
    assert path.read_text() == before


def test_a_file_of_another_statement_is_not_gone_on_with(whole, tmp_path):
    path = written(tmp_path / "t.jsonl", whole(SMALL))
    for other in ("BW18.T1", "GN.T1"):
        with pytest.raises(regions.ArtefactError, match="another statement"):
            regions.prove(other, output=path, resume=True)
