"""Mutants of a sample: the command makes them, and the tests that run their lines kill them."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import mutate
import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULE = "src/dporacle/enclosures/conversions.py"
NO_ENCLOSURE = "test_fast_reads_no_other_number_than_was_written"  # is what it asks


def tried(*words, **more):
    """Run the command on three mutants of one module."""
    command = [sys.executable, ROOT / "tools/mutate.py", "--seed", "7", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, **more
    )  # fmt: skip


@pytest.mark.thorough("a test run of its own, in a copy of the tree")
def test_mutants_are_killed_by_the_tests_that_run_them(tmp_path):
    record = tmp_path / "mutants.jsonl"
    words = ["--count", "3", "--only", MODULE, "--no-dear", "--record", record]
    found = tried(*words, "--tests", "tests/test_conversions.py")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "3 mutants, 3 killed, 0 survived" in found.stdout
    said = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert len(said) == 3
    for each in said:
        assert each["killed by"].startswith("tests/test_conversions.py::")
        assert each["text"] == (ROOT / MODULE).read_text().splitlines()[each["line"] - 1].strip()

    # The tests that killed them still do, and another one would not.
    still = ["--still", "--record", record, "--tests", "tests/test_conversions.py"]
    found = tried(*still)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.startswith("0 of 3 are of lines that are not there today\n")
    assert "3 mutants, 3 killed, 0 survived" in found.stdout
    said[0]["text"] = "a line that has gone"
    said[2]["killed by"] = f"tests/test_conversions.py::{NO_ENCLOSURE}"
    record.write_text("".join(f"{json.dumps(each)}\n" for each in said), "utf-8")
    found = tried(*still)
    assert found.returncode == 1, found.stdout + found.stderr
    assert found.stdout.startswith("1 of 3 are of lines that are not there today\n")
    assert "2 mutants, 1 killed, 1 survived" in found.stdout


@pytest.mark.thorough("a test run of its own, in a copy of the tree")
def test_mutants_that_no_test_runs_survive():
    words = ["--count", "3", "--only", MODULE, "--no-dear", "--tests", "tests/test_sources.py"]
    found = tried(*words)
    assert found.returncode == 1
    assert found.stdout.count("SURVIVED") == 3
    assert "0 killed, 3 survived" in found.stdout


def test_a_listed_survivor_is_a_line_of_today():
    """A reason for a line that has changed would excuse whatever stands there next."""
    listed = tomllib.loads((ROOT / "tools/mutation_survivors.toml").read_text("utf-8"))["survivor"]
    assert len({(each["module"], each["line"], each["operator"]) for each in listed}) == len(listed)
    for each in listed:
        assert each["line"] in (ROOT / each["module"]).read_text("utf-8"), each
        assert each["reason"]


def test_the_record_has_what_became_of_two_hundred_mutants(capsys):
    """Each killed by a test that is there, or as it cannot be imported; the note has the counts."""
    found = mutate.read(ROOT / "tests/data/mutants.jsonl")
    assert len(found) >= 195
    for mutant, by in found:
        if by not in ("", "import"):
            file, _, test = by.partition("::")
            named = f"def {test.partition('[')[0]}(" if test else ""
            assert named in (ROOT / file).read_text("utf-8"), mutant
    mutate.show(found)
    note = (ROOT / "proofs_notes/trusted_base.md").read_text("utf-8")
    assert capsys.readouterr().out in note


def test_a_test_that_fails_without_a_change_kills_nothing(tmp_path):
    """In a process of its own too, where a test lacks what the copy of the tree has not."""
    thing, tests = tmp_path / "thing.py", tmp_path / "tests" / "test_thing.py"
    tests.parent.mkdir()
    tests.write_text(
        "import thing\n\ndef test_never():\n    assert False\n"
        "\ndef test_thing():\n    assert thing.X == 1\n"
    )
    names = [f"tests/test_thing.py::{name}" for name in ("test_never", "test_thing")]
    found = {}
    for changed in ("X = 1 + 0", "X = 2", "X = 1 / 0"):
        thing.write_text(changed)
        found[changed] = mutate.notices_anew(names, tmp_path, 20, thing, "X = 1")
        assert thing.read_text() == changed
    assert found == {"X = 1 + 0": "", "X = 2": names[1], "X = 1 / 0": "tests/test_thing.py"}
