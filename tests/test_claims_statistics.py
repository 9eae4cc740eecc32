"""Claims that say what is computed, in place of a sensitivity (X.SENS)."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from test_audit import Content, judged, privacy, release
from test_certificates import certified, proves, seal

from dporacle import claims, enclosures
from dporacle.claims import mechanisms
from dporacle.claims.mechanisms.contribution import Statistic
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.verdicts import Verdict
from support.files import module_at

tool = module_at(Path(__file__).resolve().parent.parent / "tools" / "check_any_certificate.py")

ENDS: Content = {"lower": -1, "upper": 3}
RELATIONS = ("add-remove", "replace-one", "zero-out")
STATISTICS: dict[str, Content] = {
    "sum": ENDS,
    "mean": {**ENDS, "divisor": "own", "records": 10},
    "variance": {**ENDS, "ddof": 1, "records": 10},
    "squared-deviations": {**ENDS, "records": 10},
    "covariance": {"clipping_norm": 2, "ddof": 0, "records": 10},
    "second-moments": {"clipping_norm": 2},
    "regression": {"clipping_norm": 2, "target_bound": 1},
    "counts": {"l0": 3, "linf": 2, "total": 5, "coordinates": 7},
    "rounded-sum": {"clipping_norm": 3, "grid": 1, "coordinates": 5},
    "quantile-score": {"quantile": "0.9"},
}


def said(kind: str, **changed: Any) -> Content:
    return {"kind": kind, **{k: v for k, v in (STATISTICS[kind] | changed).items() if v != ""}}


def sensitivity(statistic: Content | None, relation: str, at_most: Any, norm: Any = 2) -> Content:
    found = {"kind": "sensitivity", "norm": norm, "at_most": str(at_most), "neighbours": relation}
    return found if statistic is None else found | {"statistic": statistic}


def made(statistic: Content, relation: str = "add-remove") -> Statistic:
    norm = "max" if statistic["kind"] == "quantile-score" else 2
    claim = claims.make({"id": "x", "asserts": sensitivity(statistic, relation, 1, norm)})
    found: Statistic = claim.asserts.statistic  # type: ignore[union-attr, assignment]
    return found


def _squares() -> Iterator[tuple[str, str, Any, str, Content, bool]]:
    """Yield a statistic, a relation, a norm, and the quantity; whether that is a square."""
    ends = {name: Fraction(value) for name, value in ENDS.items()}
    sized = {**ends, "records": 10}
    counts = {"l0": 3, "linf": 2, "total": 5, "dimension": 7}
    rows = {"clipping_norm": 2, "target_bound": 1}
    alone = {**rows, "target_bound": 0}
    for relation in RELATIONS:
        turned = "_replace" * (relation == "replace-one")
        many = {"dimension": 3} if turned else {}
        yield "sum", relation, 1, f"sum_sensitivity{turned}", ends, False
        rows_of = f"regression_sensitivity_squared{turned}"
        yield "second-moments", relation, 2, rows_of, alone | many, True
        yield "regression", relation, 2, rows_of, rows | many, True
        yield "counts", relation, 1, f"counts_sensitivity{turned}", counts, False
        yield "counts", relation, 2, f"counts_sensitivity_squared{turned}", counts, True
    for relation in RELATIONS[:2]:
        yield "mean", relation, 2, "mean_sensitivity", sized, False
        yield "variance", relation, 2, "variance_sensitivity", {**sized, "ddof": 1}, False
        name = "squared_deviations_sensitivity"
        yield "squared-deviations", relation, 1, name, sized, False
        ball = {"clipping_norm": 2, "records": 10, "ddof": 0}
        yield "covariance", relation, 2, "covariance_sensitivity", ball, False
    grid = {"clipping_norm": 3, "grid": 1, "dimension": 5}
    yield "rounded-sum", "zero-out", 2, "rounded_norm_squared", grid, True
    quantile = {"quantile": Fraction(9, 10)}
    yield "quantile-score", "add-remove", "max", "quantile_score_sensitivity", quantile, False


@pytest.mark.parametrize(
    ("kind", "relation", "norm", "quantity", "given", "squared"), [*_squares()]
)
def test_a_claim_has_the_sensitivity_of_its_quantity_and_a_little_less_is_violated(
    kind: str, relation: str, norm: Any, quantity: str, given: Content, squared: bool
) -> None:
    low, high = bounds(getattr(enclosures, quantity)(**given, digits=30))
    square = made(said(kind), relation).distance_squared(relation, norm)  # type: ignore[arg-type]
    ends = (low, high) if squared else (low**2, high**2)
    assert ends[0] <= square <= ends[1]
    for share, verdict in ((1 + 1e-4, Verdict.HOLDS), (1 - 1e-4, Verdict.VIOLATED)):
        root = Fraction(float(square) ** 0.5 * share)
        found = judged(None, sensitivity(said(kind), relation, root, norm))
        assert found.verdict is verdict
        assert f"the sensitivity for {relation} is that of" in found.hypotheses[0].says
        assert bool(found.supposes) == (verdict is Verdict.VIOLATED)


def test_the_exact_sensitivity_holds() -> None:
    for kind, at_most in (("sum", 4), ("mean", "0.4"), ("variance", "1.6")):
        asked = sensitivity(said(kind), "replace-one", at_most, 1)
        assert judged(None, asked).verdict is Verdict.HOLDS
    found = judged(None, sensitivity(said("variance"), "replace-one", "1.59"))
    assert found.supposes == "10 records are all -1, and one of them is replaced by 3"
    found = judged(None, sensitivity(said("regression"), "replace-one", 6))
    assert "whose scalar product with it is 0.5" in found.supposes
    assert "√2·(C² + Y²/2) = √40.5, of two features or more" in found.hypotheses[0].says


def test_the_relation_of_the_claim_selects_the_formula() -> None:
    """σ = 3.73Δ is too little for (1, 1e-5), and 3.74Δ is enough."""
    for relation, distance in (("add-remove", 3), ("zero-out", 3), ("replace-one", 4)):
        for sigma in (distance * Fraction("3.74"), distance * Fraction("3.73")):
            about = {"kind": "gaussian", "sigma": str(sigma), "statistic": said("sum")}
            stated = release(sigma=str(sigma), sensitivity=distance, neighbours=relation)
            asserts = privacy(1, "1e-5", relation)
            assert judged(about, asserts).verdict is judged(stated, asserts).verdict
            assert judged(about, asserts).low == judged(stated, asserts).low
    noise = {"kind": "gaussian", "sigma": 9, "statistic": said("mean")}
    told = [each.id for each in judged(noise, privacy(1, "1e-5", "add-remove")).hypotheses]
    assert told[2:] == ["noise-apart-from-records"]
    laplace = {"kind": "laplace", "scale": 4, "statistic": said("sum")}
    assert judged(laplace, privacy(1, 0, "replace-one")).verdict is Verdict.HOLDS
    broken = judged(laplace | {"scale": "3.99"}, privacy(1, 0, "replace-one"))
    assert broken.supposes == "a record of -1 is replaced by one of 3"


WHOLE: dict[str, Content] = {
    "discrete-gaussian": {"sigma_squared": 9},
    "integer-noise": {
        "parts": [
            {"law": "discrete-laplace", "scale": 5, "parties": 2, "dropouts": 0, "colluders": 0}
        ]
    },
    "laplace": {"scale": 5},
    "gaussian": {"sigma": 5},
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_sum_has_the_same_noise_as_its_sensitivity(kind: str) -> None:
    for relation, distance in (("add-remove", 3), ("zero-out", 3), ("replace-one", 4)):
        noise = {"kind": kind, **WHOLE[kind]}
        stated = noise | {"sensitivity": distance, "neighbours": relation}
        for epsilon in ("0.3", "0.9"):
            asserts = privacy(epsilon, "0.1", relation)
            found = judged(noise | {"statistic": said("sum")}, asserts)
            same = judged(stated, asserts)
            assert (found.verdict, found.low, found.high) == (same.verdict, same.low, same.high)
            assert [each.id for each in found.hypotheses][:2] == [
                "sensitivity-of-statistic",
                "records-brought-within",
            ]
            if found.verdict is Verdict.VIOLATED:
                assert "a record of " in found.supposes
        if kind != "integer-noise":  # of which it has nothing
            record = certified(noise | {"statistic": said("sum")}, privacy("0.5", "0.1", relation))
            assert tool.check(json.dumps(record)).startswith(record["verdict"])
    with pytest.raises(ValueError, match="neighbours must be absent"):
        judged(
            {"kind": kind, **WHOLE[kind], "statistic": said("sum"), "neighbours": "add-remove"},
            privacy(1, "0.1"),
        )


@pytest.mark.parametrize("kind", ["discrete-gaussian", "integer-noise"])
def test_whole_noise_takes_sums_of_integers(kind: str) -> None:
    noise = {"kind": kind, **WHOLE[kind]}
    for changed, wrong in (
        ({"lower": "-0.5"}, "lower of the statistic must be an integer"),
        ({"upper": 10**30}, "upper of the statistic must be within"),
        ({"lower": 3, "upper": 3}, "must change with a record"),
    ):
        with pytest.raises(ValueError, match=wrong):
            judged(noise | {"statistic": said("sum", **changed)}, privacy(1, "0.1", "replace-one"))
    with pytest.raises(ValueError, match="unknown word 'mean'"):
        judged(noise | {"statistic": said("mean")}, privacy(1, "0.1"))
    with pytest.raises(ValueError, match=r"only one|must be absent"):
        judged(noise | {"statistic": said("sum"), "sensitivity": 3}, privacy(1, "0.1"))
    if kind == "integer-noise":
        above = noise | {"modulus": 1024, "statistic": said("sum", lower=1)}
        with pytest.raises(ValueError, match="0 must lie between lower and upper"):
            judged(above, privacy(1, "0.1"))
    else:
        rho = {"kind": kind, "rho": 1, "statistic": said("sum")}
        with pytest.raises(ValueError, match="rho must be absent where a statistic is given"):
            judged(rho, privacy(1, "0.1"))


OTHERWISE = {
    "tree-aggregation": "of one step of many, of which a record takes part in several",
    "matrix-variate": "of a matrix, whose noise has two covariances",
    "above-threshold": "of many queries",
    "rank-one": "of a vector, whose noise has a direction",
}


def test_what_has_a_sensitivity_takes_a_statistic() -> None:
    for kind in get_args(mechanisms.Mechanisms):
        fields = {each.name for each in msgspec.structs.fields(kind)}
        name = kind.__struct_config__.tag
        if "sensitivity" in fields:
            assert ("statistic" in fields) != (name in OTHERWISE), name


def test_counts_with_laplace_noise_move_together() -> None:
    """Two bins change where a record is replaced: δ is that of two releases, not of one with 2Δ."""
    bins = said("counts", l0=1, linf=1, coordinates=9, total="")
    noise = {"kind": "laplace", "scale": 2, "statistic": bins}
    one = {"kind": "laplace", "scale": 2, "sensitivity": 1, "neighbours": "replace-one"}
    twice = {"kind": "composition", "records": "same", "times": 1, "releases": [one, one]}
    for epsilon, delta in ((1, 0), ("0.99", 0), ("0.5", "0.13"), ("0.5", "0.12"), ("0.5", "0.2")):
        asserts = privacy(epsilon, delta, "replace-one")
        assert judged(noise, asserts).verdict is judged(twice, asserts).verdict
        record = certified(noise, asserts)
        assert tool.check(json.dumps(record)).startswith(record["verdict"])
    assert judged(noise, privacy("0.5", 0)).verdict is Verdict.HOLDS
    assert judged(noise, privacy("0.49", 0)).verdict is Verdict.VIOLATED
    many = {**noise, "scale": 600, "statistic": bins | {"l0": 300, "coordinates": 999}}
    assert judged(many, privacy(1, 0, "replace-one")).verdict is Verdict.HOLDS
    assert judged(many, privacy("0.9", 0, "replace-one")).verdict is Verdict.VIOLATED


def test_scores_of_a_quantile_are_not_monotonic() -> None:
    """What half of the range gives is VIOLATED."""
    scores = {"kind": "exponential", "times": 1, "statistic": said("quantile-score")}
    for relation, step in (("add-remove", "0.9"), ("replace-one", 1)):
        pure = privacy(1, 0, relation)
        for times, verdict in ((2, Verdict.HOLDS), (1, Verdict.VIOLATED)):
            scale = str(times * Fraction(step))
            about = scores | {"scale": scale, "neighbours": relation}
            assert judged(about, pure).verdict is verdict
            same = {**about, "sensitivity": step, "monotonic": False}
            del same["statistic"]
            assert judged(same, pure).verdict is verdict


def test_at_least_so_many_records() -> None:
    """The variance of one record says nothing of two; squared deviations rise with the records."""
    one = said("variance", ddof=0, records="", least_records=1)
    assert made(one, "replace-one").distance_squared("replace-one") == 4**2
    assert made(one).distance_squared("add-remove") == 4**2
    many = said("variance", ddof=1, records="", least_records=9)
    assert made(many).distance_squared("add-remove") == Fraction(16, 10) ** 2
    sums = said("squared-deviations", records="", least_records=9)
    assert made(sums).distance_squared("add-remove") == 16**2
    assert "limit for many records" in made(sums).hypotheses("add-remove")[0].says


REFUSED = [
    (said("mean"), "zero-out", 2, "neighbours must be add-remove or replace-one"),
    (said("mean", divisor="public"), "add-remove", 2, "must be replace-one or zero-out"),
    (said("mean", records=1), "add-remove", 2, "records must be at least 2"),
    (said("variance", records=2), "add-remove", 2, "records must be at least 3"),
    (said("variance", records=1, ddof=0), "replace-one", 2, "records must be at least 2"),
    (said("variance", records="", least_records=1), "replace-one", 2, "least_records must be at"),
    (said("variance", records=""), "replace-one", 2, "records or least_records must be given"),
    (said("variance", least_records=3), "replace-one", 2, "only one of them"),
    (said("variance", ddof=2), "replace-one", 2, r"ddof: unknown word '2' \(one of 0, 1\)"),
    (said("variance", lower=4), "replace-one", 2, "lower must be at most upper, 3, got 4"),
    (said("covariance"), "zero-out", 2, "neighbours must be"),
    (said("covariance"), "replace-one", 1, "norm must be 2 for a covariance matrix"),
    (said("quantile-score"), "zero-out", "max", "neighbours must be"),
    (said("quantile-score"), "add-remove", 2, "norm must be max"),
    (said("quantile-score", quantile=1), "add-remove", "max", r"quantile must be in \(0, 1\)"),
    (said("sum", lower=1, upper=1), "replace-one", 1, "must change with a record"),
    (said("sum", records=3), "replace-one", 1, "unknown field `records`"),
    (said("rounded-sum", grid="1e-9"), "add-remove", 2, "65536 steps of grid"),
    ({"kind": "median"}, "add-remove", 1, "unknown word 'median'"),
]


@pytest.mark.parametrize(("statistic", "relation", "norm", "said_so"), REFUSED)
def test_what_has_no_sensitivity_is_refused(
    statistic: Content, relation: str, norm: Any, said_so: str
) -> None:
    with pytest.raises(ValueError, match=said_so):
        judged(None, sensitivity(statistic, relation, 1, norm))


def test_a_mechanism_has_one_sensitivity() -> None:
    noise = {"kind": "gaussian", "sigma": 9, "statistic": said("sum")}
    asserts = privacy(1, "1e-5")
    scores = {"kind": "exponential", "scale": 1, "statistic": said("quantile-score")}
    for about, wrong in (
        (noise | {"sensitivity": 1}, "sensitivity must be absent"),
        (noise | {"contribution": {"clipping_norm": 1}}, "contribution must be absent"),
        (noise | {"neighbours": "add-remove"}, "neighbours must be absent: the statistic"),
        ({**noise, "noise_multiplier": 3, "sigma": None}, "noise_multiplier must be absent"),
        (noise | {"statistic": said("quantile-score")}, "unknown word 'quantile-score'"),
        ({"kind": "laplace", "scale": 1, "statistic": said("covariance")}, "unknown word 'cova"),
        ({"kind": "laplace", "scale": 1, "statistic": said("counts")}, "total must be absent"),
        ({"kind": "laplace", "scale": 1, "sensitivity": 1, "statistic": said("sum")}, "only one"),
        ({"kind": "hierarchical-tree", "scale": 1, "children": 2, "height": 2,
          "statistic": said("sum")}, "statistic must be absent"),
        ({"kind": "tree-aggregation", "steps": 2, "participations": 1, "sigma": 1,
          "statistic": said("sum")}, "statistic"),
        (scores, "neighbours must be given"),
        (scores | {"monotonic": True, "neighbours": "add-remove"}, "monotonic must be absent"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=wrong):
            judged({k: v for k, v in about.items() if v is not None}, asserts)
    with pytest.raises(ValueError, match="what is stated for replace-one says nothing about it"):
        judged(scores | {"neighbours": "replace-one"}, asserts)
    asked = sensitivity(None, "add-remove", 3)
    assert judged(noise, asked).verdict is Verdict.HOLDS
    with pytest.raises(ValueError, match="mechanism must be absent"):
        judged(noise, sensitivity(said("sum"), "add-remove", 3))
    with pytest.raises(ValueError, match="statistic must be given"):
        judged(release(sigma=1), asked)


def test_statistics_add_up_and_disjoint_parts_keep_their_numbers() -> None:
    parts = [
        {"kind": "gaussian", "sigma": 3, "statistic": said("sum", lower=1, upper=1)},
        {"kind": "gaussian", "sigma": 6, "statistic": said("variance")},
    ]
    about = {"kind": "composition", "records": "same", "times": 1, "releases": parts}
    found = judged(about, {"kind": "gdp", "mu": "0.43", "neighbours": "add-remove"})
    assert found.verdict is Verdict.HOLDS  # (1/3)² + (1.6/6)² = 0.1822…
    assert "of a statistic, up to the bounds" in judged(about, privacy("0.1", "1e-9")).supposes
    with pytest.raises(ValueError, match="divides by a number of records"):
        judged(about | {"records": "disjoint"}, privacy(1, "1e-5"))


def test_a_sensitivity_of_adding_beside_a_statistic_is_what_leaves_replacing_open() -> None:
    law = {"law": "discrete-gaussian", "sigma_squared": 4, "parties": 3}
    noise = {"kind": "integer-noise", "parts": [law | {"dropouts": 0, "colluders": 0}]}
    parts = [
        noise | {"sensitivity": 1, "neighbours": "add-remove"},
        noise | {"statistic": said("sum", lower=0, upper=1)},
    ]
    about = {"kind": "composition", "records": "same", "times": 1, "releases": parts}
    found = judged(about, privacy(1, "1e-4", "replace-one"))
    assert found.verdict is Verdict.UNDECIDED
    assert "state the sensitivity for replace-one" in found.decided.reason


@pytest.mark.parametrize("kind", STATISTICS)
def test_the_other_program_confirms_them_by_the_reference(kind: str) -> None:
    norm = "max" if kind == "quantile-score" else 2
    for relation in made(said(kind)).relations:
        root = float(made(said(kind)).distance_squared(relation)) ** 0.5
        for at_most in (root * 1.001, root * 0.999):
            record = certified(None, sensitivity(said(kind), relation, Fraction(at_most), norm))
            assert tool.check(json.dumps(record)).startswith(record["verdict"])
            other = record | {"verdict": "HOLDS" if at_most < root else "VIOLATED"}
            with pytest.raises(ValueError, match="the verdict does not follow"):
                tool.check(seal(other))
    if kind != "quantile-score":
        noise = {"kind": "gaussian", "sigma": 30, "statistic": said(kind)}
        record = certified(noise, privacy("0.5", "1e-5"))
        assert tool.check(json.dumps(record)).startswith(record["verdict"])
        record["claim"]["mechanism"]["sigma"] = "29"
        with pytest.raises(ValueError, match="not in the enclosure"):
            tool.check(seal(record))


def test_the_stand_alone_program_refuses_them() -> None:
    content = certified(
        {"kind": "gaussian", "sigma": 9, "statistic": said("sum")}, privacy(1, "1e-3")
    )
    assert content["standalone"] == "no: the checker has no statistics"
    assert not proves(seal(content | {"standalone": "yes"}))
    assert json.dumps(content)
