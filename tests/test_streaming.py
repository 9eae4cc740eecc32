"""Streams of claims: the verdicts of one by one, however they are read, cut, resumed or shared."""

import io
import json
import math
import os
import signal
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import claims, enclosures, fast
from dporacle.claims import streaming
from dporacle.claims.streaming import deciding, reading, running
from dporacle.claims.streaming.deciding import HOLDS, OPEN, VIOLATED, by_balls, by_floats
from dporacle.cli import main
from dporacle.enclosures.arithmetic.rounding import bounds
from support.cases import table
from support.strategies import positives

STATED = {"sensitivity": 1, "neighbours": "add-remove"}
OPTIONS = ("--sensitivity", "1", "--neighbours", "add-remove")


def drawn(count, seed):
    """Claims as people type them; a third are calibrated, to a few digits or to the last."""
    random = Random(seed)
    found = []
    for place in range(count):
        epsilon = f"{10 ** random.uniform(-3, 1.5):.{random.randint(1, 4)}g}"
        delta = f"{10 ** random.uniform(-14, -0.1):.{random.randint(1, 4)}g}"
        sigma = f"{10 ** random.uniform(-0.7, 2):.4g}"
        if place % 3 == 0:
            least = fast.calibrate_sigma(epsilon=float(epsilon), delta=float(delta))
            sigma = f"{least:.{random.choice((4, 9, 13, 16, 17))}g}"
        found.append({"epsilon": epsilon, "delta": delta, "sigma": sigma})
    return found


def one_by_one(row):
    mechanism = {"kind": "gaussian", "sigma": row["sigma"], "neighbours": "add-remove"}
    said = {"kind": "privacy", "neighbours": "add-remove"}
    claim = {
        "id": "row",
        "mechanism": mechanism | {"sensitivity": row.get("sensitivity", "1")},
        "asserts": said | {name: row[name] for name in ("epsilon", "delta")},
    }
    return str(claims.audit(claim).verdict)[0]


def json_lines(rows, path):
    text = (", ".join(f'"{name}": {value}' for name, value in row.items()) for row in rows)
    path.write_text("".join(f"{{{each}}}\n" for each in text))
    return path


def verdicts(path, *, stated=STATED, ignored=(), columns=None, **options):
    kind = reading.FORMATS[path.suffix]
    source = streaming.Source(str(path), kind, columns or {}, stated, ignored)
    return "".join(part.verdicts for part in streaming.audit_stream([source], **options))


def test_streamed_and_one_by_one_are_the_same(tmp_path):
    rows = drawn(240, seed=1)
    found = verdicts(json_lines(rows, tmp_path / "rows.jsonl"))
    assert found == "".join(map(one_by_one, rows))
    assert min(found.count("H"), found.count("V")) > 40


def test_every_format_says_the_same(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = drawn(100, seed=2)
    found = verdicts(json_lines(rows, tmp_path / "rows.jsonl"))
    table = tmp_path / "rows.csv"
    lines = [f'"{n}, or so",{row["sigma"]},{row["delta"]},{row["epsilon"]}\n'
             for n, row in enumerate(rows)]  # fmt: skip
    table.write_text("name,sigma,delta,epsilon\n" + "".join(lines))
    assert verdicts(table, ignored=["name"]) == found
    table.write_text(table.read_text().replace('"', "").replace(", or so", ""))
    assert verdicts(table, ignored=["name"]) == found
    table.write_bytes(table.read_bytes().replace(b"\n", b"\r\n"))
    assert verdicts(table, ignored=["name"]) == found
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet", row_group_size=30)
    assert verdicts(tmp_path / "rows.parquet") == found


def test_floats_are_floats_and_decimals_decimals(tmp_path):
    """ε = 0.1 as a float is above one tenth, and δ(ε) falls: a δ between tells them apart."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    least, most = (
        bounds(enclosures.delta_at_epsilon(epsilon=epsilon, sigma=2, digits=40))[0]
        for epsilon in (Fraction(0.1), Fraction(1, 10))
    )
    delta = str(Decimal(int((least + most) / 2 * 10**30)).scaleb(-30))
    json_lines([{"epsilon": "0.1", "delta": delta, "sigma": "2"}], tmp_path / "rows.jsonl")
    assert verdicts(tmp_path / "rows.jsonl") == "V"
    columns = {"epsilon": [0.1], "delta": [delta], "sigma": ["2"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet")
    assert verdicts(tmp_path / "rows.parquet") == "H"
    (part,) = streaming.audit_stream(
        [streaming.Source(str(tmp_path / "rows.jsonl"), "jsonl", stated=STATED)]
    )
    assert '"true_delta":' in "".join(part.lines())


magnitudes = positives() | positives(1e-6, 1e6) | st.just(1.0)


@settings(max_examples=300)
@given(
    epsilon=st.one_of(st.just(0.0), magnitudes),
    sigma=magnitudes,
    sensitivity=magnitudes,
    shift=st.floats(-14, 0),
    near=st.booleans(),
    claimed=st.floats(5e-324, 1),
)
@example(epsilon=0.0, sigma=1.0, sensitivity=1.0, shift=-14.0, near=True, claimed=0.5)
@example(epsilon=1e300, sigma=5e-324, sensitivity=1.0, shift=0.0, near=False, claimed=0.5)
def test_the_filter_is_right_wherever_it_answers(epsilon, sigma, sensitivity, shift, near, claimed):
    """For every number that rounds to its inputs: the two halves of a unit to each side."""
    delta = claimed
    if near:
        value = fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
        delta = min(value * (1 + math.copysign(10.0**shift, claimed - 0.5)), 1.0)
    given = [np.array([x]) for x in (epsilon, delta, sigma, sensitivity)]
    ((found,), _) = by_floats(*given)
    if found == OPEN:
        return
    for signs in ((1, 1), (-1, -1)):
        half = Fraction(1, 2**54)
        e, s, d, most = (
            Fraction(x) * (1 + sign * half)
            for x, sign in (
                (epsilon, signs[0]), (sigma, signs[0]), (sensitivity, -signs[0]), (delta, signs[1])
            )
        )  # fmt: skip
        exact = by_balls(epsilon=e, delta=most, sigma=s, sensitivity=d)
        assert exact == {HOLDS: "HOLDS", VIOLATED: "VIOLATED"}[int(found)]


def next_to_the_edge(count, seed):
    """Claims whose δ is some units off the exact one, on either side."""
    random = Random(seed)
    rows = []
    for _ in range(count):
        epsilon, sigma = 10 ** random.uniform(-3, 1.5), 10 ** random.uniform(-0.7, 1.5)
        value = fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma)
        shift = random.choice((-1, 1)) * 2.0 ** random.uniform(-53, -30)
        rows.append((epsilon, min(value * (1 + shift), 1.0), sigma, 1.0))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def answers(columns):
    """Decide rows of exact floats as a stream does."""
    found, _ = by_floats(*columns)
    names = ("epsilon", "delta", "sigma", "sensitivity")
    return [
        {HOLDS: "HOLDS", VIOLATED: "VIOLATED"}.get(code)
        or str(by_balls(**dict(zip(names, map(Fraction, row), strict=True))))
        for code, row in zip(found.tolist(), zip(*columns, strict=True), strict=True)
    ]


def test_any_delta_within_the_theorem_s_error_gives_the_same(monkeypatch):
    """δ̂ is at most 2⁻⁵⁰ above the exact δ: a stream may not depend on where in between."""
    columns = next_to_the_edge(600, seed=8)
    true = fast.delta_at_epsilon
    expected = answers(columns)
    assert {"HOLDS", "VIOLATED"} == set(expected)

    def replaced_by(factor):
        def wrong(**given):
            return true(**given) * factor

        monkeypatch.setattr(deciding, "float_delta", wrong)
        return answers(columns)

    for factor in (1 - 2.0**-50, 1 - 2.0**-52, 1 + 2.0**-52, 1 + 2.0**-50):
        assert replaced_by(factor) == expected
    assert replaced_by(1 - 2.0**-34) != expected  # of which a wrong function is told


def test_a_violation_in_a_stream_says_what_it_supposes(tmp_path):
    path = json_lines([{"epsilon": "1", "delta": "1e-5", "sigma": "3.73"}], tmp_path / "a.jsonl")
    (part,) = running.audit_stream([reading.Source(str(path), "jsonl", stated=STATED)])
    (line,) = part.lines()
    claim = {
        "id": "x",
        "mechanism": {
            "kind": "gaussian", "sigma": "3.73", "sensitivity": 1, "neighbours": "add-remove"
        },
        "asserts": {
            "kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"
        },
    }  # fmt: skip
    assert json.loads(line)["supposes"] == claims.audit(claim).supposes != ""


def test_the_filter_answers_what_people_claim():
    rows = drawn(3000, seed=3)
    arrays = [
        np.array([float(row[name]) for row in rows]) for name in ("epsilon", "delta", "sigma")
    ]
    found, _ = by_floats(*arrays, np.ones(len(rows)))
    short = np.array([len(row["sigma"]) <= 8 for row in rows])
    assert (found[short] == OPEN).mean() < 1e-3


WHOLE = {"epsilon": "1", "delta": "1e-5", "sigma": "4", "sensitivity": "1",
         "neighbours": "add-remove"}  # fmt: skip
OTHERS = [*table("what_no_verdict_reads_is_refused")]


def written(rows, kind, path):
    """Write rows of texts as a file of a kind: numbers where that has numbers."""
    names = list(rows[0])
    if kind == "csv":
        lines = [names, *([row[name] for name in names] for row in rows)]
        path.write_text("".join(",".join(line) + "\n" for line in lines))
    elif kind == "jsonl":
        quoted = [{n: v if v[:1].isdigit() else f'"{v}"' for n, v in row.items()} for row in rows]
        json_lines(quoted, path)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {name: [row[name] for row in rows] for name in names}
        for name in names:
            if name != "neighbours" and all(each[:1].isdigit() for each in columns[name]):
                columns[name] = list(map(float, columns[name]))
        parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(("name", "value", "told"), OTHERS)
def test_what_no_verdict_reads_is_refused(tmp_path, kind, name, value, told):
    """With the sensitivity 100 the claim fails: it may not hold because of how that is spelt."""
    path = written([WHOLE | {name: value}], kind, tmp_path / f"rows.{kind}")
    with pytest.raises(streaming.StreamError, match=r"unknown (column|field)") as refused:
        verdicts(path, stated={})
    assert f"{name!r}" in str(refused.value)
    assert told in str(refused.value)
    assert "--ignore" in str(refused.value)
    assert verdicts(path, stated={}, ignored=[name]) == "H"
    found = CliRunner().invoke(main, ["audit", "--stream", str(path)])
    assert found.exit_code == 2
    assert (
        CliRunner().invoke(main, ["audit", "--stream", str(path), "--ignore", name]).exit_code == 0
    )


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("missing", list(WHOLE))
def test_what_a_claim_needs_is_stated_once(tmp_path, kind, missing):
    """By a column or for all rows: neither is a fault, and so are both."""
    rest = {name: value for name, value in WHOLE.items() if name != missing}
    path = written([rest], kind, tmp_path / f"rest.{kind}")
    with pytest.raises(streaming.StreamError, match=f"{missing} is missing"):
        verdicts(path, stated={})
    assert verdicts(path, stated={missing: WHOLE[missing]}) == "H"
    whole = written([WHOLE], kind, tmp_path / f"whole.{kind}")
    with pytest.raises(streaming.StreamError, match="stated for all rows"):
        verdicts(whole, stated={missing: WHOLE[missing]})
    with pytest.raises(streaming.StreamError, match=f"no (column|field) 'L2' for {missing}"):
        verdicts(path, stated={}, columns={missing: "L2"})
    other = written([rest | {"L2": WHOLE[missing]}], kind, tmp_path / f"other.{kind}")
    assert verdicts(other, stated={}, columns={missing: "L2"}) == "H"
    with pytest.raises(
        streaming.StreamError, match=f"unknown (column|field) '{missing}'; {missing}"
    ):
        verdicts(
            written([WHOLE | {"L2": "1"}], kind, tmp_path / f"both.{kind}"),
            stated={}, columns={missing: "L2"},
        )  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_may_change_their_names(tmp_path, kind):
    swapped = {"sigma": "1", "sensitivity": "4"}
    path = written([WHOLE | swapped], kind, tmp_path / f"rows.{kind}")
    assert verdicts(path, stated={}) == "V"
    names = {"sigma": "sensitivity", "sensitivity": "sigma"}
    assert verdicts(path, stated={}, columns=names) == "H"
    with pytest.raises(streaming.StreamError, match="sigma is read from 'sensitivity'"):
        verdicts(path, stated={"sensitivity": 1}, columns={"sigma": "sensitivity"})


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_noise_multiplier_needs_no_sensitivity(tmp_path, kind):
    rows = drawn(40, seed=9)
    named = [
        {"epsilon": row["epsilon"], "delta": row["delta"], "noise_multiplier": row["sigma"]}
        for row in rows
    ]
    path = written(named, kind, tmp_path / f"rows.{kind}")
    plain = written(rows, kind, tmp_path / f"plain.{kind}")
    relation = {"neighbours": "replace-one"}
    assert verdicts(path, stated=relation) == verdicts(plain)
    for name in ("sigma", "sensitivity"):
        with pytest.raises(streaming.StreamError, match=f"and {name} says it again"):
            verdicts(path, stated=relation | {name: 1})


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_sensitivity_in_a_column_is_that_of_its_row(tmp_path, kind):
    rows = [WHOLE | {"sensitivity": each} for each in ("1", "100", "1", "1.08")]
    rows[2] |= {"neighbours": "bounded"}
    path = written(rows, kind, tmp_path / f"rows.{kind}")
    assert verdicts(path, stated={}) == "HVIV"
    (part,) = streaming.audit_stream([streaming.Source(str(path), kind)])
    assert "is it 'replace-one'?" in list(part.lines())[1]
    rows[2] |= {"neighbours": "replace-one"}
    assert verdicts(written(rows, kind, path), stated={}) == "HVHV"


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_what_is_to_be_ignored_states_nothing(tmp_path, kind):
    path = written([WHOLE], kind, tmp_path / f"rows.{kind}")
    for name in WHOLE:
        with pytest.raises(streaming.StreamError, match=f"{name} is missing"):
            verdicts(path, stated={}, ignored=[name])
        assert verdicts(path, stated={name: WHOLE[name]}, ignored=[name]) == "H"
    assert verdicts(path, stated={"sensitivity": 100}, ignored=["sensitivity"]) == "V"
    if kind != "jsonl":  # of which another row may have the field
        with pytest.raises(streaming.StreamError, match="no column 'sigam', which is to be ign"):
            verdicts(path, stated={}, ignored=["sigam"])


def test_other_marks_between_columns_are_named(tmp_path):
    path = tmp_path / "rows.csv"
    for mark, told in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        path.write_text(f"{mark.join(WHOLE)}\n{mark.join(WHOLE.values())}\n")
        with pytest.raises(streaming.StreamError, match=f"separated by {told}; write commas"):
            verdicts(path, stated={})


@pytest.mark.parametrize(("suffix", "text"), [("csv", "epsilon,delta,sigma\n"), ("jsonl", "\n\n")])
def test_no_rows_are_no_claims_that_hold(tmp_path, suffix, text):
    path = tmp_path / f"rows.{suffix}"
    path.write_text(text)
    assert audit(str(path)).startswith("3: no rows")


def test_a_name_that_stands_twice_in_a_row_is_no_claim(tmp_path):
    """Of two values of σ the last would have been taken, also where the first spells it \\u0073."""
    good = '{"epsilon": 1, "delta": 1e-5, "sigma": 4}\n'
    path = tmp_path / "rows.jsonl"
    for twice in ('"sigma"', '"\\u0073igma"'):
        row = f'{{"epsilon": 1, "delta": 1e-5, "sigma": 1, {twice}: 4}}\n'
        path.write_text(good + row + good)
        assert verdicts(path) == "HIH"
    path.write_text(good + '{"epsilon": 1, "delta": 1e-5, "sigma": 4, "steps": 10}\n' + good)
    assert verdicts(path) == "HIH"
    path.write_text(good + '{"epsilon": 1, "delta": 1e-5, "sigma": 4, "note": "sigma"}\n' + good)
    assert verdicts(path, ignored=["note"]) == "HHH"


@pytest.mark.parametrize("piece", [1 << 20, 100])
def test_empty_lines_at_the_end_are_no_rows(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(reading, "_PIECE", piece)
    row = '{"epsilon": 1, "delta": 1e-5, "sigma": 4}'
    path = tmp_path / "rows.jsonl"
    mark = "\ufeff"
    for ending in ("", "\n", "\n\n", "\r\n\r\n", "\n \n\t\n"):
        path.write_text(f"{mark}{row}\n{row}\n\n{row}{ending}", encoding="utf-8", newline="")
        assert verdicts(path) == "HHIH"
    table = tmp_path / "rows.csv"
    table.write_text("epsilon, delta, sigma\n1,1e-5,4\n1,1e-5,3\n\n")
    assert verdicts(table) == "HV"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"columns": {"sensitivty": "a"}}, "'sensitivty' is none of epsilon"),
        ({"stated": {"steps": 3}}, "'steps' is none of epsilon"),
        ({"stated": {"sensitivity": 0}}, "sensitivity must be positive"),
        ({"stated": {"neighbours": "bounded"}}, "is it 'replace-one'"),
        ({"columns": {"sigma": "s", "epsilon": "s"}}, "the same column"),
        ({"columns": {"sigma": "s"}, "stated": {"sigma": 1}}, "stated for all rows"),
        ({"columns": {"sigma": "s"}, "ignored": ["s"]}, "to be ignored"),
        ({"ignored": "name"}, "ignored must be several names"),
        ({"kind": "tsv"}, "kind must be one of csv"),
    ],
)
def test_a_source_that_contradicts_itself_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        streaming.Source("rows.csv", **{"kind": "csv", **given})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        *table("a_row_that_says_nothing_is_invalid_and_no_other_is"),
        ('{"epsilon": 1' + "0" * 500 + ', "delta": 1e-5, "sigma": 4}', "too long"),
        ("[" * 5000, "not JSON"),
    ],
)
def test_a_row_that_says_nothing_is_invalid_and_no_other_is(tmp_path, line, reason):
    good = '{"epsilon": 1, "delta": 1e-5, "sigma": 4}'
    path = tmp_path / "rows.jsonl"
    path.write_bytes(f"{good}\n{line}\n{good}\n".encode("utf-8", "surrogateescape"))
    (part,) = streaming.audit_stream([streaming.Source(str(path), "jsonl", stated=STATED)])
    assert part.verdicts == "HIH"
    (shown,) = part.lines()
    entry = json.loads(shown)
    assert (entry["row"], entry["verdict"]) == (2, "INVALID")
    assert reason in entry["reason"]


@pytest.mark.parametrize(
    ("delta", "sigma", "expected"),
    [("0", "1e9", "V"), ("1", "1e-9", "H"), ("1e-300", "1", "V"), ("1/3", "0x1p4", "H")],
)
def test_ends_and_other_notations(tmp_path, delta, sigma, expected):
    path = tmp_path / "rows.csv"
    path.write_text(f"epsilon,delta,sigma\n1,{delta},{sigma}\n")
    assert verdicts(path) == expected
    path.write_text("epsilon,delta,sigma\n1,2\n1,0.5,3\n1,0.5,3,4\n")
    assert verdicts(path) == "IHI"


class Immediate(Executor):
    """Runs at once, and counts how many answers wait."""

    def __init__(self):
        self.waiting = self.most = 0

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        future = Future()
        future.set_result(fn(*args, **kwargs))
        taken = future.result

        def result(timeout=None):
            self.waiting -= 1
            return taken(timeout)

        future.result = result  # type: ignore[method-assign]
        return future


def test_any_executor_gives_the_same_and_little_waits(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_PIECE", 500)
    path = json_lines(drawn(120, seed=4), tmp_path / "rows.jsonl")
    alone = verdicts(path)
    executor = Immediate()
    assert verdicts(path, executor=executor, workers=3) == alone
    assert executor.most == 3 * running._ADVANCE
    with ThreadPoolExecutor(2) as pool:
        assert verdicts(path, executor=pool, workers=2) == alone


def audit(*words, **options):
    given = OPTIONS[2:] if "--sensitivity" in words else OPTIONS
    words = ("audit", "--stream", *given, *words)
    result = CliRunner().invoke(main, words, **options)  # type: ignore[arg-type]
    status = options.get("status")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return f"{result.exit_code}: {result.output}" if status is None else result.output


def test_a_killed_run_goes_on_wherever_it_was_killed(tmp_path, monkeypatch):
    """The journal is cut at every kind of place; the end is the uninterrupted one, byte by byte."""
    monkeypatch.setattr(reading, "_PIECE", 400)
    first = json_lines(drawn(40, seed=5), tmp_path / "a.jsonl")
    second = tmp_path / "b.csv"
    rows = drawn(30, seed=6)
    cells = [",".join(row.values()) for row in rows]
    second.write_text("\n".join(["epsilon,delta,sigma", *cells]))
    whole = tmp_path / "whole"
    said = audit(str(first), str(second), "--output", str(whole))
    assert said.startswith("1: ")
    content = whole.read_bytes()
    assert content.count(b'{"done":') > 6
    marks = [json.loads(line)["done"] for line in content.splitlines() if b'{"done":' in line]
    assert sum(len(mark["verdicts"]) for mark in marks) == 70
    cuts = [content.index(b"\n") + 1, *range(content.index(b"\n") + 40, len(content), 617)]
    for cut in [*cuts, len(content)]:
        journal = tmp_path / f"cut-{cut}"
        journal.write_bytes(content[:cut])
        again = audit(str(first), str(second), "--output", str(journal), "--resume")
        assert again == said
        assert journal.read_bytes() == content


def test_a_killed_process_of_the_command_is_told(tmp_path):
    journal = tmp_path / "journal"
    path = json_lines(drawn(3, seed=7), tmp_path / "rows.jsonl")
    assert audit(str(path), "--output", str(journal))[0] in "01"
    assert "exists already" in audit(str(path), "--output", str(journal))
    path.write_text(path.read_text() * 2)
    assert "other sources" in audit(str(path), "--output", str(journal), "--resume")
    journal.unlink()
    audit(str(path), "--output", str(journal))
    words = (str(path), "--output", str(journal), "--resume", "--sensitivity", "2")
    assert "other sources" in audit(*words)
    assert audit(*words[:-2])[0] in "01"
    assert "give --resume with --output" in audit(str(path), "--resume")


def test_standard_input_and_other_columns():
    rows = '{"eps": 1, "d": 1e-5, "noise": 3.73}\n{"eps": 1, "d": 1e-5, "noise": 3.74}\n'
    words = ["-", "--format", "jsonl", "--columns", "epsilon=eps,delta=d,sigma=noise"]
    found = audit(*words, input=rows)
    assert found.startswith('1: {"row":1,"verdict":"VIOLATED"')
    assert "1 HOLDS, 1 VIOLATED; a row HOLDS if its release is made once" in found
    found = audit(*words, input=rows.splitlines()[1])
    assert found.startswith("0: 1 HOLDS")
    assert audit(*words, input=rows.splitlines()[1] + '\n{"eps": 2}').startswith("3: ")


def test_a_line_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "_PIECE", 1 << 16)
    source = streaming.Source("-", "jsonl", stated=STATED)
    with pytest.raises(streaming.StreamError, match="a line of more than"):
        list(reading.pieces(source, io.BytesIO(b"1" * 300_000)))


class DiesOnce:
    """Decides pieces; the first worker that is asked beyond a place is killed."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, piece):
        if piece.end > 1500 and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return running.decided(piece)


@pytest.mark.thorough("a cluster on this machine")
def test_a_cluster_that_loses_a_worker_loses_no_row(tmp_path, monkeypatch):
    """Two processes of Dask's; one is killed with a piece in its hands, which is decided again."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(reading, "_PIECE", 500)
    path = json_lines(drawn(60, seed=8), tmp_path / "rows.jsonl")
    alone = verdicts(path)
    marker = tmp_path / "killed"
    monkeypatch.setattr(running, "decided", DiesOnce(marker))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert verdicts(path, executor=client.get_executor(), workers=2) == alone
    assert marker.exists()
    assert len(alone) == 60


def test_balls_alone_decide_as_all_digits_do():
    """At, below and above the exact δ, by one part in 10^20 to 10^130."""
    for epsilon, sigma in ((Fraction(1), Fraction(4)), (Fraction(0), Fraction(1, 3))):
        exact = enclosures.delta_at_epsilon(epsilon=epsilon, sigma=sigma, digits=200)
        low, high = bounds(exact)
        for digits in (20, 40, 80, 130):
            step = low / 10**digits
            where = {"epsilon": epsilon, "sigma": sigma, "sensitivity": Fraction(1)}
            assert by_balls(delta=high + step, **where) == "HOLDS"
            assert by_balls(delta=low - step, **where) == "VIOLATED"
    assert deciding.LETTERS.keys() == {"HOLDS", "VIOLATED", "UNDECIDED"}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_number_is_what_a_file_of_claims_would_read(kind, tmp_path):
    texts = ["4", "4_0", "\u0664", "\uff14", "4\u00a0", "+4", "8/2", "0x4"]
    rows = [WHOLE | {"sigma": text} for text in texts]
    expected = ""
    for row in rows:
        try:
            expected += one_by_one(row)
        except ValueError:
            expected += "I"
    path = tmp_path / f"rows.{kind}"
    if kind == "jsonl":
        json_lines([{n: json.dumps(each) for n, each in row.items()} for row in rows], path)
    else:
        written(rows, kind, path)
    assert verdicts(path, stated={}) == expected
    assert expected.startswith("HIII")


def test_a_file_of_parquet_without_rows_has_none(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    names = ("epsilon", "delta", "sigma", "sensitivity")
    columns = {name: pyarrow.array([], pyarrow.float64()) for name in names}
    columns["neighbours"] = pyarrow.array([], pyarrow.string())
    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    found = CliRunner().invoke(main, ["audit", "--stream", str(path)])
    assert found.exit_code == 3, found.output
    assert "no rows" in found.output
