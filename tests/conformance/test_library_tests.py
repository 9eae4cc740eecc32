"""Test files for the repositories of libraries: their exact values, and what they notice."""

import ast
import io
import re
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dporacle import fast, vectors
from dporacle.cli import main
from dporacle.conformance.libraries import library_tests
from dporacle.conformance.libraries.pinned import LIBRARIES
from dporacle.vocabulary import QUANTITIES

FILES = [(name, each) for name, files in library_tests.known().items() for each in files]


@pytest.mark.parametrize("name", library_tests.known())
def test_the_command_writes_them_into_a_checkout(name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["recipe", name, "--tests", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert name in LIBRARIES
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {each.path for each in library_tests.known()[name]}
    for path in written:
        text = (tmp_path / path).read_text("utf-8")
        assert not re.search("@[A-Z_]+@", text)
        if path.endswith(".py"):
            ast.parse(text)


def test_a_library_without_one_is_refused() -> None:
    done = CliRunner().invoke(main, ["recipe", "diffprivlib", "--tests"])
    assert done.exit_code == 2
    assert "no test file for diffprivlib; there are for dp-accounting, jax-privacy" in done.output


def test_every_number_is_confirmed_by_the_float64_witness() -> None:
    """Where it is cheap: the numbers come from the vectors and the enclosures."""
    asked = 0
    for _, file in FILES:
        for table in file.tables:
            row = QUANTITIES[table.quantity]
            for inputs in () if row.costly else table.inputs:
                number = library_tests.exact(table.quantity, inputs)
                error = sum(row.float64 or (0, 2**-48)) + 2**-52  # its row's, and a rounding
                assert float(row.of(fast)(**inputs)) == pytest.approx(number, rel=error)
                asked += 1
    assert asked > 80


def test_vectors_are_pinned_where_they_have_the_case() -> None:
    """Most tables have some, so that a certificate of the vectors is one of the file's numbers."""
    for _, file in FILES:
        pinned = [
            any(vector.inputs == inputs for vector in vectors.load(table.quantity).vectors)
            for table in file.tables
            for inputs in table.inputs
        ]
        assert sum(pinned) >= len(pinned) / 3


def test_what_the_enclosure_does_not_decide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_tests, "_bounds", lambda *_: (1, 1 + 2**-50))
    with pytest.raises(ValueError, match="nearest float64 is not decided"):
        library_tests.exact("calibrate_sigma", {"epsilon": 1.0, "delta": 0.5, "sensitivity": 1.0})


@pytest.mark.parametrize(
    ("factor", "failing"), [(1.0, 0), (0.999, 6), (1.3, 6)], ids=["exact", "unsafe", "loose"]
)
def test_the_file_of_opacus_fails_where_it_should(
    factor: float, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accountants in its place that answer the exact value times a factor; gdp answers too little.

    Of 8 tests two are expected failures. Of the others, 6 fail if all answers are wrong.
    """
    (text,) = library_tests.files("opacus").values()
    module = types.ModuleType("accountants_exact_test")
    tables = {table.name: table for table in library_tests.known()["opacus"][0].tables}

    def exact(name: str, **inputs: float) -> float:
        place = tables[name].inputs.index(inputs)
        number: float = getattr(module, name)[place][-1]
        return number

    class Accountant:
        def __init__(self, kind: str) -> None:
            self.history: list[tuple[float, float, int]] = []
            self.factor = 0.98 if kind == "gdp" else factor

        def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
            steps = self.history[-1][2] + 1 if self.history else 1
            self.history = [(noise_multiplier, sample_rate, steps)]

        def get_epsilon(self, delta: float) -> float:
            ((sigma, rate, steps),) = self.history
            if rate == 1:
                number = exact("SINGLE_RELEASES", delta=delta, sigma=sigma, sensitivity=1.0)
            else:
                number = exact("EPSILONS", delta=delta, sigma=sigma, rate=rate, steps=steps)
            return number * self.factor

    def sigma(**given: Any) -> float:
        number = exact(
            "NOISE_MULTIPLIERS",
            epsilon=given["target_epsilon"],
            delta=given["target_delta"],
            rate=given["sample_rate"],
            steps=given["steps"],
        )
        return number * (0.98 if given["accountant"] == "gdp" else factor)

    stands_in: Any = types.ModuleType("opacus.accountants")
    stands_in.create_accountant = lambda *, mechanism: Accountant(mechanism)
    utils: Any = types.ModuleType("opacus.accountants.utils")
    utils.get_noise_multiplier = sigma
    monkeypatch.setitem(sys.modules, "opacus", types.ModuleType("opacus"))
    monkeypatch.setitem(sys.modules, "opacus.accountants", stands_in)
    monkeypatch.setitem(sys.modules, "opacus.accountants.utils", utils)
    exec(compile(text, "accountants_exact_test.py", "exec"), module.__dict__)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    assert result.testsRun == 8
    assert not result.errors
    assert not result.unexpectedSuccesses
    assert len(result.expectedFailures) == 2
    failed = {getattr(case, "test_case", case).id() for case, _ in result.failures}
    assert len(failed) == failing
