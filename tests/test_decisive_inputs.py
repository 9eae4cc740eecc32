"""The table of every input of what gives verdicts: no default turns a verdict in silence.

A row of `decisive_inputs.jsonl` has the place, the name, the default, what is done about it, and a
note. What is done is one of `ANSWERS`. A new field, column, option or keyword that has a default
fails here until it has a row; a field that a record has from a base has that of the base.
"""

import copy
import itertools
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import fields

from dporacle import claims
from dporacle.claims import streaming
from dporacle.claims.mechanisms import MECHANISMS
from dporacle.claims.mechanisms.mechanism import NumberNoise
from dporacle.cli import main
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import HYPOTHESES
from dporacle.wings import samplers
from support import decisive

TABLE = list(decisive.table())
ANSWERS = {
    "no default": "it has to be given, or another field in its place",
    "worst case": "a claim that holds without it holds with every value",
    "condition": "a verdict that holds says so in its first line; the note is the hypothesis",
    "printed": "the answer shows the value that was taken; the note is how",
    "stated": "what is asserted states it, in a field that has no default",
    "nothing": "no value changes a verdict",
    "open": "another value may turn a verdict, and nothing says so yet",
}
MOST_OPEN = 27  # it only shrinks

ADD = {"neighbours": "add-remove"}
PLAIN = {"sensitivity": 1, **ADD}
LOOSE = {"kind": "privacy", "epsilon": 20, "delta": "0.5", **ADD}
CLIPPED = {"clipping_norm": 1}
RUN = {"kind": "dp-sgd", "noise_multiplier": 4, "sampling_rate": "0.1", "steps": 9}
BATCH = {"batch_size": 10, "dataset_size": 100}
CUT = {"kind": "dp-sgd", "noise_multiplier": 4, "sampling_rate": "0.5", "steps": 50,
       "sampling": "truncated", "batch_cap": 5, "dataset_size": 100}  # fmt: skip
PHASE = {"noise_multiplier": 4, "steps": 9}
DRAWN = [{"sensitivity": 1, "probability": "0.1"}]
STATED: list[tuple[str, dict[str, Any]]] = [
    ("Zcdp", {"kind": "zcdp", "rho": "0.1"}),
    ("Gdp", {"kind": "gdp", "mu": "0.1"}),
    ("Rdp", {"kind": "rdp", "order": 2, "epsilon": "0.1"}),
    ("MatrixVariate", {"kind": "matrix-variate", "row_variances": [9], "column_variances": [9]}),
    ("RankOne", {"kind": "rank-one", "dimension": 5, "sigma_star": 100}),
]
TREE = {"kind": "tree-aggregation", "steps": 4, "sigma": 9, "participations": 1}
MATRIX = {"kind": "matrix", "noise_multiplier": 9, "matrix": "tree", "size": 4,
          "participations": 1}  # fmt: skip
BLT = {"matrix": "blt", "buffer_decay": ["0.5"], "output_scale": ["0.1"]}
BANDED = {"kind": "matrix", "noise_multiplier": 30, "matrix": "tree", "size": 8,
          "participations": 2, "separation": 4}  # fmt: skip
TWICE = {"kind": "tree-aggregation", "noise_multiplier": 30, "steps": 8, "trees": 1, **PLAIN,
         "participations": 2, "separation": 4}  # fmt: skip


def chosen(answer: str) -> list[tuple[str, str]]:
    """Return the inputs that a claim has, and the command, with an answer."""
    return [row[:2] for row in TABLE if row[3] == answer]


SUMMED = {"kind": "integer-noise", "sensitivity": 1, **ADD}
NOISY = {"kind": "noisy-max", "noise": "laplace"}
SUM = '{"kind": "gaussian", "noise_multiplier": 4, "neighbours": "add-remove"}'
SELECTION = '{"kind": "exponential", "epsilon": 0.1, "neighbours": "add-remove"}'
LEDGER = {"kind": "ledger", "parameters": "fixed", "lines": SELECTION}


def needed() -> Iterator[tuple[str, str, Any, Any]]:
    """Yield fields that have to be given, with a claim that gives them: mechanism, assertion."""
    asked = {row[:2] for row in TABLE if row[3] == "no default" and row[2] != decisive.REQUIRED}
    for kind, each in MECHANISMS.items():
        for name in each.example:
            if (each.__name__, name) in asked:
                yield each.__name__, name, {"kind": kind, **each.example}, LOOSE
        if issubclass(each, NumberNoise) and (each.__name__, "statistic") in asked:
            noise = {name: value for name, value in each.example.items() if name not in PLAIN}
            yield each.__name__, "statistic", {"kind": kind, **noise, "statistic": TOTAL}, LOOSE
    for place, about in [*STATED, ("GaussianMechanism", {"kind": "gaussian", "sigma": 9}),
                         ("TreeAggregation", TREE)]:  # fmt: skip
        yield place, "sensitivity", about | PLAIN, LOOSE
        yield place, "neighbours", about | PLAIN, LOOSE
        yield place, "sensitivity_squared", about | {"sensitivity_squared": 2, **ADD}, LOOSE
        relation = {} if place in {"GaussianMechanism", "TreeAggregation"} else ADD
        yield place, "contribution", about | {"contribution": CLIPPED, **relation}, LOOSE
    for name in ("sigma", "noise_multiplier"):
        yield "GaussianMechanism", name, {"kind": "gaussian", name: 9, **PLAIN}, LOOSE
        tree = {**{k: v for k, v in TREE.items() if k != "sigma"}, name: 9, **PLAIN}
        yield "TreeAggregation", name, tree, LOOSE
    for bounds in (CLIPPED, {"l0": 2, "linf": 1},
                   {"clipping_norm": 1, "values": "nonnegative", "coordinates": 3}):  # fmt: skip
        for name in sorted(bounds.keys() - {"values"}):
            mechanism = {"kind": "gaussian", "sigma": 9, "contribution": bounds}
            yield "Contribution", f"contribution.{name}", mechanism, LOOSE
    yield from needed_of_statistics()
    for name in ("sigma", "sigma_squared", "rho"):
        mechanism = {"kind": "discrete-gaussian", name: 9, **PLAIN}
        yield "DiscreteGaussianMechanism", name, mechanism, LOOSE
    for law, name in (("discrete-gaussian", "sigma_squared"), ("discrete-laplace", "scale"),
                      ("skellam", "variance")):  # fmt: skip
        parts = [{"law": law, name: 9, "parties": 1}]
        yield "PartyNoise", f"parts.0.{name}", SUMMED | {"parts": parts}, LOOSE
    yield "IntegerNoise", "sensitivity", SUMMED | {"parts": parts}, LOOSE
    vector = without(SUMMED, "sensitivity") | {"sensitivity_squared": 4, "dimension": 3}
    for name in ("sensitivity_squared", "dimension"):
        yield "IntegerNoise", name, vector | {"parts": parts}, LOOSE
    for name in ("epsilon", "delta"):
        box = {"kind": "black-box", "epsilon": "0.1", "delta": "1e-9"}
        yield "PrivacyBox", name, box, LOOSE
    yield "PrivacyBox", "rho", {"kind": "black-box", "rho": "0.001"}, LOOSE
    scaled = {"scale": 99, "sensitivity": 1, "monotonic": True}
    for place, kind in (("Exponential", {"kind": "exponential"}), ("NoisyMax", NOISY),
                        ("PermuteAndFlip", {"kind": "permute-and-flip"})):  # fmt: skip
        yield place, "epsilon", kind | {"epsilon": "0.1"}, LOOSE
        for name in scaled:
            yield place, name, kind | scaled, LOOSE
    yield "RankOne", "sigma_star", dict(STATED)["RankOne"] | PLAIN, LOOSE
    published = {"kind": "rank-one", "dimension": 5, "published": {"epsilon": 1, "delta": "0.1"}}
    yield "RankOne", "published", published | PLAIN, LOOSE
    for part, mechanism, names in (
        ("GaussianPart", {"kind": "gaussian", "sigma": 9, **PLAIN}, ("sigma", "sensitivity")),
        ("GaussianPart", {"kind": "gaussian", "noise_multiplier": 9}, ("noise_multiplier",)),
        ("GaussianPart", {"kind": "gaussian", "sigma": 9, "sensitivity_squared": 2, **ADD},
         ("sensitivity_squared",)),
        ("GaussianPart", {"kind": "gaussian", "sigma": 9, "contribution": CLIPPED},
         ("contribution",)),
        ("DpSgdPart", RUN, ("sampling_rate", "steps")),
        ("DpSgdPart", {"kind": "dp-sgd", "noise_multiplier": 4, "steps": 9, **BATCH},
         ("batch_size", "dataset_size")),
        ("DpSgdPart", {"kind": "dp-sgd", "noise_multiplier": 4, "epochs": 1, "rounding": "up",
                       **BATCH}, ("epochs", "rounding")),
        ("DpSgdPart", CUT, ("batch_cap",)),
        ("DpSgdPart", {"kind": "dp-sgd", "noise_multiplier": 4, "steps": 10, **BATCH,
                       "sampling": "random-allocation", "participations": 1},
         ("participations",)),
    ):  # fmt: skip
        for name in names:
            yield (
                part,
                f"releases.0.{name}",
                {"kind": "composition", "releases": [mechanism]},
                LOOSE,
            )
    yield "RecordedLedger", "lines", LEDGER, LOOSE
    for name in ("rho", "mu", "epsilon"):
        capped = LEDGER | {"parameters": "adaptive", "cap": {name: 9, **ADD}}
        yield "FilterCap", f"cap.{name}", capped | ({"lines": SUM} if name == "mu" else {}), LOOSE
    leaking = LEDGER | {"parameters": "adaptive", "cap": {"epsilon": 9, "delta": "0.1", **ADD}}
    box = '{"kind": "black-box", "epsilon": 0.1, "delta": 1e-9}'
    yield "FilterCap", "cap.delta", leaking | {"lines": box}, LOOSE
    for name in ("sampling_rate", "steps"):
        yield "DpSgd", name, RUN, LOOSE
    sized = {"kind": "dp-sgd", "noise_multiplier": 4, "steps": 9, **BATCH}
    epochs = {"kind": "dp-sgd", "noise_multiplier": 4, "epochs": 1, "rounding": "up", **BATCH}
    for name in ("batch_size", "dataset_size"):
        yield "DpSgd", name, sized, LOOSE
    for name in ("epochs", "rounding"):
        yield "DpSgd", name, epochs, LOOSE
    yield "DpSgd", "batch_cap", CUT, LOOSE
    allocated = sized | {"sampling": "random-allocation", "participations": 1, "steps": 10}
    yield "DpSgd", "participations", allocated, LOOSE
    yield "DpSgd", "dimension", sized | {"divisor": "from-n", "dimension": 1}, LOOSE
    for name, value in (("sampling_rate", "0.1"), ("drawn_sensitivity", DRAWN)):
        phases = {"kind": "dp-sgd-schedule", "phases": [PHASE | {name: value}]}
        yield "Phase", f"phases.0.{name}", phases, LOOSE
    yield "Matrix", "size", MATRIX, LOOSE
    yield "Matrix", "separation", BANDED, LOOSE
    yield "TreeAggregation", "separation", TWICE, LOOSE
    for name in ("buffer_decay", "output_scale"):
        yield "Matrix", name, MATRIX | BLT, LOOSE
    linear = {"kind": "formula", "name": "linear", "constant": 2, "epsilon": 1, "delta": "0.1"}
    yield "Formula", "constant", None, linear
    yield "Formula", "dimension", None, linear | {"name": "r1smg", "dimension": 5, "constant": None}
    ends = {"from": "0.1", "to": "0.2"}
    ranged = linear | {"kind": "formula-range", "epsilon": ends, "delta": ends}
    yield "FormulaRange", "constant", None, ranged


TOTAL = {"kind": "sum", "lower": 0, "upper": 1}
ENDS = {"lower": 0, "upper": 1}
OF_RECORDS = {
    "MeanStatistic": {"kind": "mean", "divisor": "own", **ENDS},
    "VarianceStatistic": {"kind": "variance", "ddof": 1, **ENDS},
    "DeviationsStatistic": {"kind": "squared-deviations", **ENDS},
    "CovarianceStatistic": {"kind": "covariance", "clipping_norm": 1, "ddof": 1},
}


def needed_of_statistics() -> Iterator[tuple[str, str, Any, Any]]:
    """Yield the same about statistics, and what has them."""
    for place, record in OF_RECORDS.items():
        for name in ("records", "least_records"):
            mechanism = {"kind": "gaussian", "sigma": 99, "statistic": {**record, name: 9}}
            yield place, f"statistic.{name}", mechanism, LOOSE
    for place, about in [*STATED[:3], ("GaussianMechanism", {"kind": "gaussian", "sigma": 9})]:
        relation = {} if place == "GaussianMechanism" else ADD
        yield place, "statistic", about | {"statistic": TOTAL, **relation}, LOOSE
    inner = {"kind": "gaussian", "sigma": 9, "statistic": TOTAL}
    yield (
        "GaussianPart",
        "releases.0.statistic",
        {"kind": "composition", "releases": [inner]},
        LOOSE,
    )
    summed = without(without(SUMMED, "sensitivity"), "neighbours") | {"statistic": TOTAL}
    parts = [{"law": "skellam", "variance": 9, "parties": 1}]
    yield "IntegerNoise", "statistic", summed | {"parts": parts}, LOOSE
    for place, kind in (("Exponential", {"kind": "exponential"}), ("NoisyMax", NOISY),
                        ("PermuteAndFlip", {"kind": "permute-and-flip"})):  # fmt: skip
        scores = {"scale": 99, "statistic": {"kind": "quantile-score", "quantile": "0.5"}, **ADD}
        yield place, "statistic", kind | scores, LOOSE
    said = {"kind": "sensitivity", "norm": 1, "at_most": 1, "statistic": TOTAL, **ADD}
    yield "HasSensitivity", "statistic", None, said


def made(mechanism: Any, asserts: Any) -> claims.Claim:
    content = {"id": "x", "asserts": {k: v for k, v in asserts.items() if v is not None}}
    return claims.make(content if mechanism is None else content | {"mechanism": mechanism})


def without(record: Any, path: str) -> Any:
    """Return a record without one field."""
    found = inner = copy.deepcopy(record)
    *parents, name = path.split(".")
    for parent in parents:
        inner = inner[int(parent)] if parent.isdigit() else inner[parent]
    del inner[name]
    return found


def test_every_input_with_a_default_has_its_row_and_every_row_its_input() -> None:
    assert len({row[:2] for row in TABLE}) == len(TABLE)
    assert [row[:3] for row in TABLE if row[3] == "without a row"] == []
    used = {row[:2] for each in decisive.inputs() if (row := decisive.row_of(each))}
    assert used == set(decisive.ROWS), "a row of no input, or of another default"
    assert all(row[2] != decisive.REQUIRED for row in decisive.ROWS.values())


def test_no_row_repeats_what_the_row_of_a_base_says() -> None:
    for record in decisive.records():
        for each in fields(record):
            found = [
                decisive.ROWS.get((base.__name__, each.encode_name)) for base in record.__mro__
            ]
            said = [row[2:] for row in found if row]
            assert all(one != other for one, other in itertools.pairwise(said)), each


def test_every_row_says_what_is_done() -> None:
    for place, name, default, answer, note in TABLE:
        assert answer in ANSWERS, (place, name)
        assert bool(note) == (default != decisive.REQUIRED), (place, name)
        assert answer == "no default" or default != decisive.REQUIRED, (place, name)
        if answer == "condition":
            assert HYPOTHESES[note].condition, (place, name)
    assert len(chosen("open")) <= MOST_OPEN


def test_what_has_no_default_is_asked_for() -> None:
    seen = {("Claim", "mechanism"), ("Claim", "evidence")}
    with pytest.raises(ValueError, match="mechanism is missing"):
        made(None, LOOSE)
    with pytest.raises(ValueError, match="file or lines must be given"):
        made(without(LEDGER, "lines"), LOOSE)
    seen.add(("RecordedLedger", "file"))
    with pytest.raises(ValueError, match="evidence is missing"):
        made(None, {"kind": "lower-bound", "epsilon": 1, "delta": 0, "confidence": "0.95"})
    for place, path, mechanism, asserts in needed():
        made(mechanism, asserts)
        less = (
            mechanism and without(mechanism, path),
            asserts if mechanism else without(asserts, path),
        )
        with pytest.raises(
            ValueError, match=r"must be (given|0)|must have|needs|must state|missing"
        ):
            made(*less)
        seen.add((place, path.rpartition(".")[2]))
    records = {record.__name__ for record in decisive.records()}
    optional = {row[:2] for row in TABLE if row[3] == "no default" and row[2] != decisive.REQUIRED}
    assert {row for row in optional if row[0] in records} <= seen


TIGHT = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", **ADD}
ONE = {"kind": "gaussian", "sigma": "3.74", **PLAIN}
ERROR = {"kind": "accuracy", "at_most": "7.4", "alpha": "0.05"}
COUNTS = {"kind": "thresholded-histogram", "sigma": 10, "threshold": 60, "l0": 4}
REPLACED = {"neighbours": "replace-one"}
MAX = {"kind": "noisy-max", "noise": "laplace", "epsilon": 1, "candidates": 2, **REPLACED}
VECTOR = {"kind": "above-threshold", "threshold_scale": "8/7", "query_scale": 8, "positives": 1,
          "sensitivity": 1, "monotonic": True, **REPLACED}  # fmt: skip
FLIPS = [  # place, name, part, mechanism, assertion, what the default means, another value
    ("Composition", "times", "mechanism", {"kind": "composition", "releases": [ONE]}, TIGHT, 1, 2),
    ("Accuracy", "queries", "asserts", ONE | {"sigma": "3.7"}, ERROR, 1, 2),
    ("ThresholdedHistogram", "linf", "mechanism", COUNTS, TIGHT | {"delta": "1e-6"}, 1, 9),
    ("GaussianMechanism", "sensitivity", "mechanism",
     {"kind": "gaussian", "noise_multiplier": "3.7", **ADD}, ERROR | {"queries": 1}, 1, 2),
    ("RandomisedResponse", "times", "mechanism",
     {"kind": "randomised-response", "epsilon": 1, "kinds": 4}, TIGHT | REPLACED, 1, 2),
    ("Rappor", "times", "mechanism", {"kind": "rappor", "epsilon": 1}, TIGHT | REPLACED, 1, 2),
    ("Exponential", "times", "mechanism",
     {"kind": "exponential", "epsilon": 1, **REPLACED}, TIGHT | REPLACED, 1, 2),
    ("PermuteAndFlip", "times", "mechanism",
     {"kind": "permute-and-flip", "epsilon": 1, **REPLACED}, TIGHT | REPLACED, 1, 2),
    ("NoisyMax", "times", "mechanism", MAX, TIGHT | REPLACED, 1, 2),
    ("TreeAggregation", "trees", "mechanism",
     TREE | PLAIN | {"sigma": 7}, TIGHT, 1, 2),
]  # fmt: skip
STEPS = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.1", "steps": 10}
DRAWN_SO = STEPS | {"sampling": "poisson"}
NEAR = {"neighbours": "add-remove"}
FIGURES = [  # as above, of what no certificate states
    ("DpSgd", "sampling", "mechanism", STEPS, LOOSE | {"epsilon": 5, "delta": "1e-5"},
     "poisson", "fixed-size"),
    ("DpSgd", "kept", "mechanism", CUT, LOOSE | {"epsilon": "3.5", "delta": "1e-5"},
     "uniform", "first-come"),
    ("DpSgd", "divisor", "mechanism", DRAWN_SO, LOOSE | {"epsilon": 5, "delta": "1e-5"},
     "public", {"divisor": "from-n", "dataset_size": 1000, "dimension": 10**6}),
    ("Risk", "neighbours", "asserts", DRAWN_SO,
     {"kind": "risk", "fpr": "0.05", "tpr": "0.12", "direction": "remove"},
     "add-remove", "replace-one"),
    ("Advantage", "neighbours", "asserts", DRAWN_SO,
     {"kind": "advantage", "advantage": "0.15"}, "add-remove", "replace-one"),
    ("BayesSuccess", "neighbours", "asserts", DRAWN_SO,
     {"kind": "bayes-success", "prior": "0.6", "success": "0.61", "direction": "remove"},
     "add-remove", "replace-one"),
    ("Auc", "neighbours", "asserts", DRAWN_SO, {"kind": "auc", "auc": "0.61"},
     "add-remove", "replace-one"),
    ("Risk", "direction", "asserts", DRAWN_SO,
     {"kind": "risk", "fpr": "0.8", "tpr": "0.88", **NEAR}, "remove", "add"),
    ("BayesSuccess", "direction", "asserts", DRAWN_SO,
     {"kind": "bayes-success", "prior": "0.6", "success": "0.61", **NEAR}, "remove", "add"),
]  # fmt: skip
COMMANDS = [
    ("sensitivity", "--sensitivity", "audit --epsilon 1 --delta 1e-5 --sigma 3.74 --releases 1", 2),
    ("releases", "--releases", "audit --epsilon 1 --delta 1e-5 --sigma 3.74 --sensitivity 1", 2),
    ("releases", "--releases", "audit --epsilon 1 --delta 1e-5 --noise-multiplier 3.74", 2),
    ("releases", "--releases", "audit --mechanism laplace --field scale=1 --field sensitivity=1 "
     "--field neighbours=add-remove --epsilon 1 --delta 0 --neighbours add-remove", 2),
]  # fmt: skip


def judged(part: str, mechanism: Any, asserts: Any, **more: Any) -> claims.AuditVerdict:
    content = {"mechanism": mechanism, "asserts": asserts}
    said: Mapping[str, Any] = {**content, part: {**content[part], **more}}
    return claims.audit({"id": "x", **said})


@pytest.mark.parametrize(
    ("place", "name", "part", "mechanism", "asserts", "same", "other"), [*FLIPS, *FIGURES]
)
def test_a_condition_is_printed_where_another_value_turns_the_verdict(
    place: str, name: str, part: str, mechanism: Any, asserts: Any, same: Any, other: Any
) -> None:
    (note,) = (row[4] for row in TABLE if row[:2] == (place, name))
    said = HYPOTHESES[note].condition.partition("{")[0]
    silent = judged(part, mechanism, asserts)
    assert silent.verdict is Verdict.HOLDS
    assert f"{said}" in silent.told
    stated = judged(part, mechanism, asserts, **{name: same})
    assert stated.verdict is Verdict.HOLDS
    assert said not in stated.told
    turned = other if isinstance(other, dict) else {name: other}
    assert judged(part, mechanism, asserts, **turned).verdict is Verdict.VIOLATED


PARTIES = [("PartyNoise", "dropouts"), ("PartyNoise", "colluders"), ("IntegerNoise", "neighbours")]


@pytest.mark.parametrize(("place", "name"), PARTIES)
def test_a_condition_is_printed_of_parties_that_are_not_spoken_of(place: str, name: str) -> None:
    (note,) = (row[4] for row in TABLE if row[:2] == (place, name))
    said = HYPOTHESES[note].condition.partition("{")[0]
    part = {"law": "skellam", "variance": 1, "parties": 9, "dropouts": 0, "colluders": 0}
    full = SUMMED | {"parts": [part], "neighbours": "replace-one"}
    asserts = LOOSE | {"epsilon": 2, "delta": "1e-3", "neighbours": "replace-one"}
    path = name if place == "IntegerNoise" else f"parts.0.{name}"
    silent = judged("mechanism", without(full, path), asserts)
    assert silent.verdict is Verdict.HOLDS
    assert said in silent.told
    assert judged("mechanism", full, asserts).told == "HOLDS"
    certified = claims.certificate(silent)
    if name == "neighbours":
        assert judged("mechanism", full, asserts, **ADD).decided.doubled
    else:
        few = [part | {name: 8}]
        assert judged("mechanism", full, asserts, parts=few).verdict is Verdict.VIOLATED
        assert certified["claim"]["mechanism"]["parts"][0][name] in {0, "0"}
        assert HYPOTHESES[note].says not in certified["hypotheses"]


BOX = {"kind": "black-box", "epsilon": 1, "delta": "1e-6"}
BOXES = [  # place, name, mechanism, what the default means
    ("PrivacyBox", "times", BOX | REPLACED, 1),
    ("AboveThreshold", "times", VECTOR, 1),
    *[
        (
            place,
            "neighbours",
            {k: v for k, v in box.items() if k != "neighbours"} | {"times": 1},
            "replace-one",
        )
        for place, box in (
            ("PrivacyBox", BOX),
            ("Exponential", {"kind": "exponential", "epsilon": 1}),
            ("PermuteAndFlip", {"kind": "permute-and-flip", "epsilon": 1}),
            ("NoisyMax", MAX),
            ("AboveThreshold", VECTOR),
        )
    ],
]


PARTS = [  # place, name, release, what the default means, another value
    ("GaussianPart", "neighbours", {"kind": "gaussian", "noise_multiplier": 9}, "replace-one",
     "add-remove"),
    ("DpSgdPart", "sampling", {**RUN, "noise_multiplier": 99, "divisor": "public"},
     "poisson", "with-replacement"),
    ("DpSgdPart", "kept", {**CUT, "noise_multiplier": 999, "divisor": "public"},
     "uniform", "first-come"),
    ("DpSgdPart", "divisor", {**RUN, "noise_multiplier": 99, "sampling": "poisson"},
     "public", "drawn"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "name", "release", "same", "other"), PARTS)
def test_a_release_of_a_composition_has_the_same_conditions(
    place: str, name: str, release: Any, same: str, other: str
) -> None:
    (note,) = (row[4] for row in TABLE if row[:2] == (place, name))
    said = HYPOTHESES[note].condition.partition("{")[0]

    def told(**more: Any) -> claims.AuditVerdict:
        mechanism = {"kind": "composition", "releases": [release | more], "times": 1}
        return claims.audit({"id": "x", "mechanism": mechanism, "asserts": TIGHT | REPLACED})

    assert said in told().told
    assert said not in told(**{name: same}).told
    assert told(**{name: same}).verdict is Verdict.HOLDS
    if name == "neighbours":  # twice the sensitivity
        assert told(**{name: other}).decided.doubled
    elif name == "kept":  # that may turn a verdict, as alone
        assert told(**{name: other}).verdict is Verdict.HOLDS
    else:
        needed = {"dataset_size": 1000} if other == "drawn" else {}
        with pytest.raises(ValueError, match=f"{name} must be .* in a composition"):
            told(**{name: other}, **needed)


@pytest.mark.parametrize(("place", "name", "mechanism", "same"), BOXES)
def test_a_condition_is_printed_where_nothing_is_known_from_below(
    place: str, name: str, mechanism: Any, same: Any
) -> None:
    """Another number of times is UNDECIDED, another relation is refused."""
    (note,) = (row[4] for row in TABLE if row[:2] == (place, name))
    said = HYPOTHESES[note].condition.partition("{")[0]
    asserts = TIGHT | REPLACED
    assert said in judged("mechanism", mechanism, asserts).told
    stated = judged("mechanism", mechanism, asserts, **{name: same})
    assert (stated.verdict, stated.told) == (Verdict.HOLDS, "HOLDS")
    if name == "times":
        assert judged("mechanism", mechanism, asserts, times=2).verdict is Verdict.UNDECIDED
    else:
        with pytest.raises(ValueError, match=r"must state its .* for replace-one"):
            judged("mechanism", mechanism, asserts, neighbours="add-remove")


@pytest.mark.parametrize(("place", "name", "part", "mechanism", "asserts", "same", "_"), FLIPS)
def test_a_certificate_states_what_the_claim_leaves_out(
    place: str, name: str, part: str, mechanism: Any, asserts: Any, same: int, _: int
) -> None:
    """It needs no condition."""
    (note,) = (row[4] for row in TABLE if row[:2] == (place, name))
    found = claims.certificate(judged(part, mechanism, asserts))
    assert found["claim"][part][name] in {same, str(same)}
    assert HYPOTHESES[note].says not in found["hypotheses"]


def test_a_composition_has_the_conditions_of_its_releases() -> None:
    inner = {"kind": "composition", "releases": [ONE | {"sigma": 99}]}
    outer = {"kind": "composition", "releases": [inner], "times": 1}
    assert claims.audit({"id": "x", "mechanism": outer, "asserts": TIGHT}).told == (
        "HOLDS if each release is made once"
    )
    tree = {"kind": "composition", "releases": [TREE | PLAIN], "times": 1}
    own = claims.audit({"id": "x", "mechanism": TREE | PLAIN, "asserts": LOOSE})
    found = claims.audit({"id": "x", "mechanism": tree, "asserts": LOOSE})
    assert found.hypotheses == own.hypotheses != ()


@pytest.mark.parametrize(("name", "option", "line", "other"), COMMANDS)
def test_an_option_that_is_left_out_is_a_condition(
    name: str, option: str, line: str, other: int
) -> None:
    (note,) = (row[4] for row in TABLE if row[:2] == ("dporacle audit", name))
    words = shlex.split(line)
    done = CliRunner().invoke(main, words, env={"COLUMNS": "300"})
    assert done.exit_code == 0
    assert f"HOLDS if {HYPOTHESES[note].condition}" in " ".join(done.output.split())
    done = CliRunner().invoke(main, [*words, option, "1"], env={"COLUMNS": "300"})
    assert done.exit_code == 0
    assert HYPOTHESES[note].condition not in done.output
    assert CliRunner().invoke(main, [*words, option, str(other)]).exit_code == 1


def test_every_condition_is_flipped_here() -> None:
    flipped = {flip[:2] for flip in (*FLIPS, *FIGURES)} | {
        ("dporacle audit", name) for name, *_ in COMMANDS
    }
    parts = {row[:2] for row in PARTS}
    assert set(chosen("condition")) == flipped | {row[:2] for row in BOXES} | parts | set(PARTIES)


BOTH = {"kind": "composition", "times": 1,
        "releases": [ONE | {"sigma": 6}, ONE | {"sigma": 6, "unit": "m"}]}  # fmt: skip
SUMS = {"kind": "gaussian", "sigma": 8, "contribution": {"l0": 2, "linf": 1}}
REPLACED = TIGHT | {"neighbours": "replace-one"}
GROUP = RUN | {"group": 3}
PHASES = {"kind": "dp-sgd-schedule", "phases": [PHASE | {"sampling_rate": "0.1"}], "group": 3}
WORST: list[tuple[str, str, Any, Any, list[Any]]] = [
    ("HasGdp", "asserts.up_to_epsilon", ONE, {"kind": "gdp", "mu": "0.3", **ADD}, [1, 3]),
    ("Composition", "records", BOTH, TIGHT, ["same", "disjoint"]),
    ("RecordedLedger", "records", LEDGER | {"lines": f"{SUM}\n{SUM}"}, LOOSE, ["same"]),
    ("RecordedLedger", "cap", LEDGER | {"parameters": "adaptive"}, LOOSE | {"delta": 1},
     [{"rho": 1, **ADD}]),
    ("Contribution", "contribution.values", SUMS | {"contribution": {
        "l0": 2, "linf": 1, "coordinates": 3}}, REPLACED | {"delta": "0.01"}, ["nonnegative"]),
    ("CountsStatistic", "statistic.total", {"kind": "gaussian", "sigma": 9, "statistic": {
        "kind": "counts", "l0": 2, "linf": 1, "coordinates": 3}}, LOOSE, [1, 2, 9]),
    ("IntegerNoise", "modulus", SUMMED | {"sensitivity": 3, "parts": [
        {"law": "skellam", "variance": 9, "parties": 1}]}, TIGHT | {"delta": "0.27"},
     [2, 3, 5, 20, 1 << 32]),
    ("DpSgd", "group_cap", GROUP, LOOSE, [1, 2, 3]),
    ("DpSgdSchedule", "group_cap", PHASES, LOOSE, [1, 2, 3]),
    ("Phase", "phases.0.group_cap", PHASES, LOOSE, [1, 2, 3]),
    ("DpSgd", "released", RUN, LOOSE, ["last-iterate"]),
    ("DpSgdSchedule", "released", PHASES, LOOSE, ["last-iterate"]),
    ("Matrix", "epochs_fixed", BANDED, LOOSE, [True]),
    ("TreeAggregation", "epochs_fixed", TWICE, LOOSE, [True]),
    ("Exponential", "adaptive", {"kind": "exponential", "epsilon": 1, "times": 3}, REPLACED | {
        "kind": "privacy", "epsilon": 2, "delta": "0.05"}, [True]),
    ("DpSgdPart", "releases.0.group_cap", {"kind": "composition", "releases": [GROUP]}, LOOSE,
     [1, 2, 3]),
    ("DpSgdPart", "releases.0.released", {"kind": "composition", "releases": [RUN]}, LOOSE,
     ["last-iterate"]),
    ("NoisyMax", "candidates", NOISY | {"epsilon": 1}, REPLACED | {
        "kind": "privacy", "epsilon": "0.5", "delta": "0.23"}, [1, 2, 3, 99]),
]  # fmt: skip


@pytest.mark.parametrize(("place", "path", "mechanism", "asserts", "others"), WORST)
def test_a_default_that_is_the_worst_case_holds_for_every_value(
    place: str, path: str, mechanism: Any, asserts: Any, others: list[Any]
) -> None:
    assert claims.audit(made(mechanism, asserts)).verdict is Verdict.HOLDS
    for other in others:
        content = copy.deepcopy({"mechanism": mechanism, "asserts": asserts})
        at: Any = content["asserts" if path.startswith("asserts.") else "mechanism"]
        *parents, name = path.removeprefix("asserts.").split(".")
        for parent in parents:
            at = at[int(parent)] if parent.isdigit() else at[parent]
        assert name not in at
        at[name] = other
        assert claims.audit(made(**content)).verdict is Verdict.HOLDS, (place, path, other)


def test_every_worst_case_is_tried_here() -> None:
    tried = {(place, path.rpartition(".")[2]) for place, path, *_ in WORST}
    assert set(chosen("worst case")) == tried


def test_a_unit_is_the_same_in_both_or_refused() -> None:
    error = ERROR | {"queries": 1}
    plain = claims.audit(made(ONE, error))
    named = claims.audit(made(ONE | {"unit": "m"}, error | {"unit": "m"}))
    assert (plain.verdict, plain.low, plain.high) == (named.verdict, named.low, named.high)
    for mechanism, asserts in ((ONE | {"unit": "m"}, error), (ONE, error | {"unit": "m"})):
        with pytest.raises(ValueError, match="unit must be"):
            made(mechanism, asserts)


def test_what_changes_nothing_changes_nothing() -> None:
    for mechanism in (RUN, MATRIX):
        plain = claims.audit(made(mechanism, LOOSE))
        for more in ({"clipping_norm": 100}, {"neighbours": "replace-one"}):
            found = claims.audit(made(mechanism | more, LOOSE))
            assert (found.told, found.low, found.high) == (plain.told, plain.low, plain.high)
    for relation in ("add-remove", "replace-one", "zero-out"):
        words = "audit --epsilon 1 --delta 1e-5 --sigma 3.74 --sensitivity 1 --releases 1"
        done = CliRunner().invoke(main, [*words.split(), "--neighbours", relation])
        assert done.exit_code == 0


def test_what_is_printed_is_printed(tmp_path: Any) -> None:
    batches = tmp_path / "batches.jsonl"
    batches.write_text("[0, 2]\n[1]\n")
    unstarted = ["conform", "--adapter", "false", "--json"]  # it is asked nothing
    releases = [str(tmp_path / name) for name in ("first.csv", "second.csv")]
    for name in releases:
        Path(name).write_text("".join(f"{each}\n" for each in range(20)))
    counted = ["events", "--epsilon", "1", "--delta", "0", "--file", *releases]
    whole = ["--law", "skellam", "--variance", "9"]
    few = ["sample", "numpy", *whole, "--limit", "100"]
    shown = {
        "dporacle events": CliRunner().invoke(main, counted).output
        + CliRunner().invoke(main, [*counted, *whole]).output,
        "dporacle rank-one verdict": CliRunner().invoke(main, ["rank-one", "verdict"]).output,
        "dporacle sample": CliRunner().invoke(main, ["sample", "numpy", "--sigma", "3"]).output
        + CliRunner().invoke(main, few).output,
        "dporacle batches": CliRunner().invoke(main, ["batches", str(batches)]).output,
        "dporacle conform": CliRunner().invoke(main, unstarted).output,
        "DpSgd": " ".join(each.says for each in claims.audit(made(RUN, LOOSE)).hypotheses),
    }
    drawn = made(RUN | {"divisor": "drawn", "dataset_size": 50}, LOOSE)
    shown["DpSgd"] += " ".join(each.says for each in drawn.asserts.hypotheses(drawn.about))
    parts = [{"law": "discrete-gaussian", "sigma_squared": 9, "parties": 9}]
    noisy = claims.audit(made(SUMMED | {"parts": parts}, LOOSE))
    shown["IntegerNoise"] = " ".join(each.says for each in noisy.hypotheses)
    refuted = samplers.refute([0.0] * 9, [1.0] * 9, epsilon=1, delta=0)
    shown["samplers.refute"] = " ".join(each.says for each in refuted.hypotheses)
    part = {"kind": "composition", "releases": [RUN]}
    shown["DpSgdPart"] = " ".join(each.says for each in claims.audit(made(part, LOOSE)).hypotheses)
    for place, _, _, answer, note in TABLE:
        if answer == "printed":
            assert note in shown[place]


def test_a_stream_assumes_nothing(tmp_path: Any) -> None:
    """Without a column each of them has to be stated."""
    whole = {"epsilon": 1, "delta": "1e-5", "sigma": 4, **PLAIN}
    empty = tmp_path / "rows.jsonl"
    empty.write_text("{}\n")
    assert streaming.Source(str(empty), "jsonl", stated=whole).layout(()) == {}
    for name in whole:
        stated = {other: value for other, value in whole.items() if other != name}
        with pytest.raises(ValueError, match=f"{name} is missing"):
            streaming.Source(str(empty), "jsonl", stated=stated).layout(())
