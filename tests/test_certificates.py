"""Certificates: checked by a program of its own, which finds every tampering."""

import ast
import copy
import hashlib
import json
import random
import subprocess
import sys
import types
import typing
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import OFFICER, formula, judged, privacy, release
from test_audit_kinds import rank_one_noise

from dporacle import claims, enclosures
from dporacle.claims import assertions, judge, mechanisms
from dporacle.claims.certificate import certify
from dporacle.cli import main
from dporacle.enclosures.arithmetic import rounding
from dporacle.wings.papers.rank_one_mechanism import PublishedPoint
from support.cases import rows, table
from support.dear import mostly_dear
from support.files import module_at
from support.strategies import deltas, epsilons, mus, positives

TOOL = Path(__file__).resolve().parent.parent / "tools" / "check_certificate.py"
checker = module_at(TOOL)


def certified(mechanism, asserts):
    claim = claims.make({"id": "x", "mechanism": mechanism, "asserts": asserts})
    return json.loads(json.dumps(certify(claim, judge.decide(claim))))


def confirm(mechanism, asserts):
    content = certified(mechanism, asserts)
    assert checker.check(json.dumps(content)) == content["verdict"]


def test_the_certificate_of_a_verdict_is_that_of_its_decision():
    mechanism, asserts = CASES[0]
    assert claims.certificate(judged(mechanism, asserts)) == certified(mechanism, asserts)


def seal(content):
    """Make the digest anew, as a careful forger would."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    packed = json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps({**rest, "sha256": hashlib.sha256(packed).hexdigest()})


def composed(*releases, **fields):
    return {"kind": "composition", "releases": list(releases), **fields}


def written_anew(content):
    """Return the judge's own certificate of a claim; None if it does not read the claim so."""
    try:
        claim = claims.make(content["claim"])
    except ValueError:
        return None
    ours = json.loads(json.dumps(certify(claim, judge.decide(claim))))
    told = (json.dumps(one["claim"], sort_keys=True) for one in (ours, content))
    return ours if next(told) == next(told) else None


def judge_reads(content):
    """Tell whether the judge reads the claim as it stands, and says of it what is said."""
    ours = written_anew(content)
    said = ("format", "quantity", "bound", "verdict", "supposes", "hypotheses", "standalone")
    if ours is None or any(ours[name] != content[name] for name in said):
        return False
    close = Fraction(1, 10**12)  # no forged end is as close as that
    return Fraction(content["low"]) <= Fraction(ours["low"]) * (1 + close) and Fraction(
        content["high"]
    ) >= Fraction(ours["high"]) * (1 - close)


def is_compatible(content):
    """Tell whether the judge finds the same, in an interval that meets the one that is said."""
    ours = written_anew(content)
    said = ("format", "quantity", "bound", "verdict", "supposes", "hypotheses", "standalone")
    return (
        ours is not None
        and all(ours[name] == content[name] for name in said)
        and Fraction(content["low"]) <= Fraction(ours["high"])
        and Fraction(ours["low"]) <= Fraction(content["high"])
    )


ZERO = {"kind": "gaussian", "sensitivity": 2, "neighbours": "zero-out", "noise_multiplier": 3}
MULTIPLIED = {"kind": "gaussian", "sensitivity": 3, "neighbours": "zero-out"}
TREE = {**MULTIPLIED, "kind": "tree-aggregation", "steps": 7, "trees": 3, "participations": 1}
BOUNDED = {"kind": "gaussian", "contribution": {"clipping_norm": 2}}
COUNTS = {
    "kind": "gaussian",
    "contribution": {"l0": 2, "linf": "1.5", "values": "nonnegative", "coordinates": 3},
}
CASES, EDGES, NOT_ALONE = (
    [case for kind, *case in rows("certified_claims") if kind == wanted]
    for wanted in ("certified", "edge", "elsewhere")
)
DISTINCT = [release(sigma=2), release(sigma=3, sensitivity="1.5"), release("gdp", mu="0.3")]
PLAIN_SUMS = [{**BOUNDED, "sigma": 5}, {**COUNTS, "sigma": 6}, {**BOUNDED, "sigma": 7}]
STATED = [one | {"neighbours": "replace-one"} for one in DISTINCT]
COMPOSED = [
    (composed(*parts, records=records), privacy(1, delta, relation))
    for records in ("same", "disjoint", "unknown")
    for parts, relation, delta in (
        (DISTINCT, "add-remove", "0.04"),
        (DISTINCT, "add-remove", "1e-9"),
        (DISTINCT, "replace-one", "0.05"),
        (PLAIN_SUMS, "replace-one", "0.1"),
        (STATED, "replace-one", "0.04"),
        ([composed(*DISTINCT, records="disjoint"), release(sigma=4)], "add-remove", "0.06"),
        ([TREE | {"noise_multiplier": 9}, ZERO], "zero-out", "0.1"),
    )
]


@pytest.mark.parametrize(("mechanism", "asserts"), CASES + COMPOSED + EDGES)
def test_certificates_are_confirmed(mechanism, asserts):
    confirm(mechanism, asserts)


@pytest.mark.parametrize(("mechanism", "asserts"), NOT_ALONE)
def test_what_has_no_stand_alone_certificate_says_so(mechanism, asserts):
    content = certified(mechanism, asserts)
    assert content["standalone"].startswith("no: ")
    with pytest.raises(ValueError, match=r"not for this program, but "):
        checker.check(json.dumps(content))
    with pytest.raises(ValueError, match=r"not"):
        checker.check(seal({**content, "standalone": "yes"}))


@given(positives(), positives(), epsilons(), deltas())
def test_privacy_over_the_whole_domain(sigma, sensitivity, epsilon, delta):
    confirm(release(sigma=sigma, sensitivity=sensitivity), privacy(epsilon, delta))


@settings(max_examples=40)
@given(epsilons(1e6), deltas(), st.sampled_from([-1, 1]), st.integers(2, 60))
def test_privacy_next_to_the_edge(epsilon, delta, side, digits):
    """σ within 10^-digits of the least one, on either side."""
    least = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=digits + 5)
    sigma = rounding.bounds(least)[0] * (1 + Fraction(side, 10**digits))
    confirm(release(sigma=sigma), privacy(epsilon, delta))


@settings(max_examples=30)
@given(
    st.sampled_from(["classical", "dwork-2006", "dwork-roth", "vinterbo-2020", "zcdp-conversion"]),
    epsilons(zero=False),
    deltas(),
)
def test_formulas_over_the_whole_domain(name, epsilon, delta):
    confirm(None, formula(name, epsilon, delta))


@given(positives(), positives(), deltas(), st.integers(1, 10**9) | st.just(1))
def test_accuracy_over_the_whole_domain(sigma, error, alpha, queries):
    said = {"kind": "accuracy", "at_most": error, "alpha": alpha, "queries": queries}
    confirm(release(sigma=sigma), said)


@settings(max_examples=60)
@given(epsilons(1e4), mus(), st.integers(10, 60))
@example(0.9240632787208886, 0.008681785462655875, 10)  # 4.6e-2467
def test_the_checker_s_intervals_hold_the_balls(epsilon, mu, digits):
    checker.DOWN.prec = checker.UP.prec = 2 * digits + 60
    value = checker.delta(Fraction(epsilon), Fraction(mu) ** 2)
    ball = enclosures.delta_at_epsilon(epsilon=epsilon, sigma=1, sensitivity=mu, digits=2 * digits)
    if value.hi < Fraction(1, 2**8000):  # below 2^-8192 no ball is written out
        assert ball < 1e-300
        return
    low, high = rounding.bounds(ball)
    assert value.lo <= high
    assert value.hi >= low
    assert Fraction(value.hi) - Fraction(value.lo) <= Fraction(value.hi) / 10**digits


def leaves(content, path=()):
    if isinstance(content, dict):
        return [leaf for key in content for leaf in leaves(content[key], (*path, key))]
    if isinstance(content, list):
        return [leaf for key, item in enumerate(content) for leaf in leaves(item, (*path, key))]
    return [path]


def tampered(content, path, value):
    other = copy.deepcopy(content)
    place = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return other


def other_values(value):
    """Close and far: the last digit changed, another word, another type."""
    if isinstance(value, int):
        return [value + 1, str(value), None]
    if value is None:
        return ["1", 1]
    words = {"add-remove": "replace-one", "HOLDS": "VIOLATED", "VIOLATED": "HOLDS"}
    try:
        number = Fraction(value)
    except ValueError:
        return [words.get(value, value + "x"), 1]
    close = number * Fraction(1, 10**9) or Fraction(1, 10**9)
    return [str(number + close), str(number - close), str(number + 1), str(-number - 1), None]


@pytest.mark.parametrize(("mechanism", "asserts"), CASES)
def test_every_change_breaks_the_seal(mechanism, asserts):
    content = certified(mechanism, asserts)
    for path in leaves(content):
        value = content
        for key in path:
            value = value[key]
        for other in other_values(value):
            with pytest.raises(ValueError, match="not"):
                checker.check(json.dumps(tampered(content, path, other)))


def proves(text):
    try:
        return bool(checker.check(text))
    except ValueError:
        return False


def test_a_tree_whose_worst_steps_are_uneven_is_not_proved_as_if_they_were_not():
    """On 16 steps, five of them 3 apart, 0, 3, 6, 9, 12 has 55 and 0, 3, 6, 12, 15 has 57."""
    about = {**TREE, "steps": 16, "participations": 5, "separation": 3, "epochs_fixed": True}
    content = certified(about | {"sigma": 200}, privacy(1, "1e-5", "zero-out"))
    assert proves(seal(content))
    forged = tampered(content, ("claim", "mechanism", "epochs_fixed"), False)
    said = [
        each.replace("each exactly 3 after the one before", "any two of them at least 3 apart")
        for each in content["hypotheses"]
    ]
    assert said != content["hypotheses"]
    forged |= {"hypotheses": said}
    assert not proves(seal(forged))
    assert not judge_reads(forged)
    even = {**about, "separation": 4, "epochs_fixed": False, "sigma": 200}
    assert proves(seal(certified(even, privacy(1, "1e-5", "zero-out"))))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("participations", 2), ("participations", 0), ("participations", "3"), ("separation", 5),
        ("separation", 0), ("epochs_fixed", False), ("epochs_fixed", 1), ("trees", 2),
    ],
)  # fmt: skip
def test_who_takes_part_when_cannot_be_forged(field, value):
    about = {**TREE, "steps": 40, "participations": 3, "separation": 4, "epochs_fixed": True}
    for sigma in (20, 100):
        content = certified(about | {"sigma": sigma}, privacy(1, "1e-5", "zero-out"))
        assert proves(seal(content))
        assert not proves(seal(tampered(content, ("claim", "mechanism", field), value)))


def parent(content, path):
    for key in path[:-1]:
        content = content[key]
    return content


# What a forger who seals anew may change is said nowhere else and proves nothing, or, for
# `digits`, asks the checker for more. Another witness that is accepted proves the same.
_FREE = {"id", "source", "unit", "digits", "sha256"}


@pytest.mark.parametrize(("mechanism", "asserts"), mostly_dear(CASES, 8))
def test_a_new_seal_does_not_help(mechanism, asserts):
    content = certified(mechanism, asserts)
    assert checker.check(seal(content)) == content["verdict"]
    for path in leaves(content):
        value = content
        for key in path:
            value = value[key]
        if path[-1] in _FREE or (path[-1] == "witness" and value is not None):
            continue
        if path[-1] in {"neighbours", "sensitivity"} and asserts["kind"] != "privacy":
            continue  # accuracy does not depend on them
        if (
            "sensitivity" in str(path[-1])
            and not {"sigma", "row_variances"} & parent(content, path).keys()
        ):
            continue  # nor does μ, where a privacy parameter sets the noise
        for other in other_values(value):
            if other and path[-1] == "low" and Fraction(other) < Fraction(value):
                continue  # a wider enclosure is true, though it says less
            if other and path[-1] == "high" and Fraction(other) > Fraction(value):
                continue
            forged = tampered(content, path, other)
            is_wide = Fraction(content["high"]) > 2 * Fraction(content["low"])
            only_one = "contribution" in path or "disjoint" in str(content)
            if (is_wide or only_one) and proves(seal(forged)):
                # A lower bound does, or the less of two: what is said then must be true as well.
                # The checker's own lower bound may be the sharper one: both hold the truth.
                assert is_compatible(forged) if is_wide else judge_reads(forged)
                continue
            with pytest.raises(ValueError, match=r"not|nvalid"):
                checker.check(seal(forged))


WIDE = {"low": "0", "high": "1"}
ACCURATE, PRIVATE = CASES[7], CASES[3]


@pytest.mark.parametrize(
    ("case", "changes"),
    [
        (ACCURATE, {("claim", "asserts", "at_most"): "-8"}),  # an error is always above it
        (PRIVATE, {("claim", "mechanism", "sensitivity"): "-1"}),
        (
            PRIVATE,
            {("claim", "mechanism", "neighbours"): "x", ("claim", "asserts", "neighbours"): "x"},
        ),
        (PRIVATE, {("claim", "asserts", "delta"): True, ("bound",): "1"}),
        (PRIVATE, {("claim", "asserts", "delta"): 1, ("bound",): "1"}),
        (PRIVATE, {("claim", "asserts", "epsilon"): float("inf")}),
        (PRIVATE, {("claim", "asserts", "epsilon"): 1.0}),
        (CASES[5], {("claim", "mechanism", "order"): "1"}),
        (CASES[0], {("claim", "asserts", "at_most"): float("inf"), ("high",): "Infinity"}),
    ],
)
def test_false_or_meaningless_claims_are_not_confirmed(case, changes):
    content = certified(*case)
    if content["quantity"] != "loss":
        content |= WIDE
    for path, value in changes.items():
        content = tampered(content, path, value)
    for verdict in ("HOLDS", "VIOLATED", "UNDECIDED"):
        with pytest.raises(ValueError, match=r"not as it must be: (?!verdict)|not a certificate"):
            checker.check(seal({**content, "verdict": verdict}))


@pytest.mark.parametrize("text", [*table("what_is_no_certificate_is_refused"), "[" * 100_000])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(ValueError, match=r"not|Expecting"):
        checker.check(text)


@given(st.data())
def test_a_damaged_certificate_is_refused(data):
    text = json.dumps(certified(*data.draw(st.sampled_from(CASES))))
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(codec="ascii"))
    damaged = text[:place] + other + text[place + 1 :]
    if json_or_none(damaged) != json.loads(text):
        with pytest.raises(ValueError, match=r"."):
            checker.check(damaged)


def json_or_none(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


@pytest.mark.parametrize(("path", "value"), table("the_checker_reads_strictly"))
def test_the_checker_reads_strictly(path, value):
    """Not even what would be true."""
    with pytest.raises(ValueError, match=r"not|nvalid"):
        checker.check(seal(tampered(certified(*PRIVATE), path, value)))


def test_a_published_variance_has_two_numbers_and_no_more():
    mechanism = rank_one_noise(dimension=100, published={"epsilon": "1", "delta": "1/100000"})
    content = certified(mechanism, privacy(1, "1e-5"))
    assert checker.check(seal(content)) == "VIOLATED"
    content["claim"]["mechanism"]["published"]["note"] = "x"
    with pytest.raises(ValueError, match="published"):
        checker.check(seal(content))


def test_a_long_text_is_not_even_read():
    with pytest.raises(ValueError, match="million"):
        checker.check("[" * 1_000_001)


CHEAP = [
    case for case in CASES + COMPOSED if "rank-one" not in str(case) and "r1smg" not in str(case)
]
CONTENTS = []
WEIRD = [
    None, True, 0, 1, -1, 2, 2.0, 10**18, 10**18 + 1, 10**9, 10**9 + 1, [], {}, "", "0", "1", "-1",
    "1/2", "2/4", "0.5", "1/0", "-0", "00", "x" * 200, "x" * 201, "x" * 2001, str(2**1100),
    str(2**1102), f"1/{2**1102}", f"{3**2800}/{2**4438}", "add-remove", "replace-one", "zero-out",
    "same", "disjoint", "unknown", "any", "nonnegative", "linear", "pinsker", "r1smg", "privacy",
    "loss", "accuracy", "gaussian", "zcdp", "rdp", "composition", "rank-one", "discrete-gaussian",
    "clipping_norm", [1], ["1"], ["0"], {"clipping_norm": "1", "values": "any"}, "UNDECIDED",
]  # fmt: skip


def forged(chosen):
    """Change some fields, leave one out or bring in one of another certificate; seal anew."""
    content = copy.deepcopy(chosen.choice(CONTENTS))
    other = chosen.choice(CONTENTS)
    for _ in range(chosen.choice((1, 1, 1, 2, 3))):
        path = chosen.choice(leaves(content["claim"]))
        place = parent(content["claim"], path)
        names = [one for one in leaves(other["claim"]) if one[-1] == path[-1]]
        match chosen.randrange(6):
            case 0 if isinstance(place, dict):
                del place[path[-1]]
            case 1 if isinstance(place, dict):
                place[chosen.choice(FIELD_NAMES)] = chosen.choice(WEIRD)
            case 2 if names:
                place[path[-1]] = copy.deepcopy(at(other["claim"], chosen.choice(names)))
            case 3:
                name = chosen.choice(["asserts", "mechanism"])
                content["claim"][name] = copy.deepcopy(other["claim"][name])
            case _:
                place[path[-1]] = chosen.choice(WEIRD)
    return content


def checker_reads(content):
    """Tell whether the checker finds something for the claim, whatever is said of it."""
    try:
        claim, witness = checker.read("claim", content["claim"]), content["witness"]
        checker.recompute(claim, None if witness is None else Fraction(witness))
    except (AttributeError, ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True


def at(content, path):
    for key in path:
        content = content[key]
    return content


FIELD_NAMES = sorted(
    {name.rstrip("?-") for names in checker.RECORDS.values() for name in names.split()}
)


@pytest.mark.parametrize("seed", mostly_dear(range(4), 4))
def test_judge_and_checker_read_the_same_claims(seed):
    """Of five hundred forged certificates: none is for one of them only."""
    if not CONTENTS:
        CONTENTS.extend(certified(*case) for case in CHEAP)
    chosen, both = random.Random(seed), 0
    for turn in range(500):
        content = forged(chosen)
        ours = written_anew(content)
        if ours is None:
            assert not checker_reads(content), json.dumps(content)
        elif ours["standalone"] == "yes":
            both += 1
            if turn % 5 == 0:
                assert checker.check(seal(ours)) == ours["verdict"]
            elif content["bound"] == ours["bound"]:
                assert proves(seal(content)) == judge_reads(content), json.dumps(content)
    assert 50 < both < 450


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("source",), 1), (("source",), None), (("source",), "x" * 2001), (("id",), ""),
        (("id",), "x" * 201), (("mechanism", "unit"), 1),
    ],
)  # fmt: skip
def test_what_the_judge_does_not_read_is_not_confirmed(path, value):
    content = tampered(certified(*PRIVATE), ("claim", *path), value)
    assert not proves(seal(content))
    assert not judge_reads(content)


def test_an_error_that_is_always_exceeded_has_no_probability_0():
    content = certified(release(sigma=1), {"kind": "accuracy", "at_most": 1, "alpha": "1e-9"})
    content = tampered(content, ("claim", "asserts", "alpha"), "0") | {"bound": "0"}
    assert not proves(seal(content))
    assert not judge_reads(content)


READ = {
    kind: struct
    for kinds in (mechanisms.MECHANISMS, assertions.ASSERTIONS)
    for kind, struct in kinds.items()
    if kind in checker.KINDS["mechanism" if kinds is mechanisms.MECHANISMS else "asserts"]
} | {"claim": claims.Claim, "contribution": mechanisms.Contribution, "published": PublishedPoint}


FILLED = {("composition", "times"), ("accuracy", "queries"), ("tree-aggregation", "trees")}
"""What a claim may leave out, and a certificate of it states."""

NOT_READ = {("claim", "evidence")}
"""What makes a certificate one that the checker does not check: it has no tails of binomials."""


@pytest.mark.parametrize("kind", checker.RECORDS)
def test_the_checker_reads_the_fields_that_the_judge_reads(kind):
    marks = {}
    for field in msgspec.structs.fields(READ[kind]):
        if (kind, field.encode_name) in NOT_READ:
            continue
        if field.encode_name == "statistic":
            continue  # a certificate of one says that the checker has none
        options = typing.get_args(field.type)
        may_be_null, may_be_absent = type(None) in options, msgspec.UnsetType in options
        if (kind, field.encode_name) in FILLED:
            may_be_absent = False
        marks[field.encode_name] = "?" if may_be_null else "-" if may_be_absent else ""
        rule_of(field.type, field.encode_name, kind)
    assert checker.RECORDS[kind].split() == [name + mark for name, mark in marks.items()]


def rule_of(type_, name, kind):
    """Compare the rule of a field in the checker with the judge's type."""
    options = [one for one in typing.get_args(type_) if one not in {type(None), msgspec.UnsetType}]
    if isinstance(type_, types.UnionType | typing._UnionGenericAlias) and len(options) == 1:
        type_ = options[0]
    if typing.get_origin(type_) is typing.Annotated:
        base, meta = typing.get_args(type_)
        least, most = (meta.min_length, meta.max_length) if meta.ge is None else (meta.ge, meta.le)
        if base is int:
            assert checker.COUNTS.get(f"{kind}.{name}", checker.COUNTS[name]) == (least, most)
        elif base is str:
            assert checker.LENGTHS[name] == range(least or 0, most + 1)
        else:
            assert (1, checker.LISTS[name]) == (least, most)
    elif typing.get_origin(type_) is typing.Literal:
        words = set(typing.get_args(type_))
        assert set(checker.WORDS[name]) == words - {"plrv-tail"}  # it has no normal quantile
    elif type_ is bool:
        assert checker.read(name, True) is True
        for other in (1, "true", None):
            with pytest.raises(ValueError, match=f"true or false as {name}"):
                checker.read(name, other)
    else:
        known = {*checker.LENGTHS, *checker.WORDS, *checker.COUNTS, *checker.LISTS}
        assert (type_ is Fraction) == (
            name not in known | checker.KINDS.keys() | checker.RECORDS.keys()
        )


def test_the_checker_stands_alone():
    source = TOOL.read_text()
    assert sum(bool(line.strip()) for line in source.splitlines()) < 500
    imported = {
        name.name.split(".")[0] if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported <= sys.stdlib_module_names
    assert "assert " not in source, "python -O drops assertions"


def test_the_commands(tmp_path):
    path, folder = tmp_path / "officer.toml", tmp_path / "certificates"
    path.write_text(OFFICER)
    result = CliRunner().invoke(main, ["audit", str(path), "--certificates", str(folder)])
    assert result.exit_code == 1
    files = sorted(map(str, folder.iterdir()))
    run = subprocess.run(
        [sys.executable, "-I", str(TOOL), *files], capture_output=True, text=True, check=True
    )
    *lines, summary = run.stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["VIOLATED", "HOLDS"]
    assert summary == "2 files: 1 HOLDS, 1 VIOLATED"
    again = CliRunner().invoke(main, ["audit", str(path), "--certificates", str(folder)])
    assert again.exit_code == 2
    assert "a new or an empty folder" in again.output
    Path(files[0]).write_text(Path(files[0]).read_text().replace("VIOLATED", "HOLDS"))
    run = subprocess.run(
        [sys.executable, "-I", str(TOOL), *files], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stdout.endswith("proves HOLDS\n2 files: 1 HOLDS, 1 prove nothing\n")  # it went on
