"""What each run of the tests leaves out, and that nothing is left out of all of them."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import dear_tests
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

ROOT = Path(__file__).resolve().parent.parent
COSTS = {
    "tests/test_a.py::test_law[balls_and_bins_delta-1]": 3.0,
    "tests/test_a.py::test_law[balls_and_bins_delta-2]": 2.0,
    "tests/test_a.py::test_law[balls_and_bins_delta-3]": 0.2,
    "tests/test_a.py::test_law[balls_and_bins_epsilon-1]": 9.0,
    "tests/test_a.py::test_ways[shuffled-add]": 1.0,
    "tests/test_a.py::test_ways[shuffled-once-add]": 2.0,
    "tests/test_a.py::test_ways[shuffled-once-remove]": 1.5,
    "tests/test_a.py::test_figures[0.5-7]": 1.0,
    "tests/test_a.py::test_figures[0.5-8]": 1.0,
    "tests/test_a.py::test_whole": 30.0,
    "tests/test_vectors.py::test_law[balls_and_bins_delta-1]": 3.0,
    "tests/test_vectors.py::test_law[balls_and_bins_delta-2]": 3.0,
}


def test_one_dear_case_of_each_thing_stays_for_every_change() -> None:
    assert dear_tests.deep(COSTS) == [
        "tests/test_a.py::test_figures[0.5-8]",
        "tests/test_a.py::test_law[balls_and_bins_delta-1]",
        "tests/test_a.py::test_ways[shuffled-once-add]",
    ]
    assert dear_tests.dear(COSTS) == sorted(COSTS)


def test_the_most_that_a_test_cost_counts(tmp_path: Path) -> None:
    path = tmp_path / "costs.tsv"
    path.write_text("0.1\ta.py::b[x\ty]\n0.3\ta.py::b[x\ty]\n0.2\ta.py::b[x\ty]\n")
    assert dear_tests.read(path) == {"a.py::b[x\ty]": 0.3}
    path.write_text("")
    with pytest.raises(SystemExit, match="no costs"):
        dear_tests.main(path)


def test_the_lists_name_tests_that_there_are() -> None:
    dear, deep = (
        (dear_tests.DATA / f"{name}_tests.txt").read_text("utf-8").splitlines()
        for name in ("dear", "deep")
    )
    assert {*deep} <= {*dear}
    assert not [each for each in deep if each.startswith(dear_tests.KEPT) or "[" not in each]
    texts = {each.partition("::")[0] for each in dear}
    read = {name: (ROOT / name).read_text("utf-8") for name in texts}
    for each in dear:
        name, _, place = each.partition("::")
        assert re.search(rf"^def {re.escape(place.partition('[')[0])}\(", read[name], re.M), each


def run(config: pytest.Config, items: Sequence[Any], *args: str, **options: bool) -> list[str]:
    """Return the tests that a run with these options would have."""
    (conftest,) = (
        each
        for each in config.pluginmanager.get_plugins()
        if isinstance(each, ModuleType) and Path(str(each.__file__)) == ROOT / "tests/conftest.py"
    )
    left, out = [*items], []
    hook = SimpleNamespace(pytest_deselected=lambda items: out.extend(items))
    asked = {"quick": False, "deep": False, **options}
    given = SimpleNamespace(args=args, hook=hook, getoption=lambda name: asked[name.strip("-")])
    conftest.pytest_collection_modifyitems(given, left)
    assert len(left) + len(out) == len(items)
    return [each.nodeid for each in left]


@dataclass(frozen=True)
class Test:
    """What the rule sees of a test."""

    __test__ = False
    nodeid: str
    mark: str = ""
    obj: object = None

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return getattr(pytest.mark, name)("why").mark if name == self.mark else None


def test_what_a_change_leaves_out_is_run_at_night(pytestconfig: pytest.Config) -> None:
    deep = (dear_tests.DATA / "deep_tests.txt").read_text("utf-8").split("\n")[0]
    marked = [Test(f"tests/a.py::{each}", each) for each in ("thorough", "deep")]
    drawn = Test("tests/a.py::drawn", obj=given(integers())(lambda n: None))
    items = [*marked, Test(deep), drawn, Test("tests/a.py::usual")]
    change, night, quick = (
        run(pytestconfig, items),
        run(pytestconfig, items, deep=True),
        run(pytestconfig, items, quick=True),
    )
    assert night == ["tests/a.py::deep", deep, drawn.nodeid]
    assert change == ["tests/a.py::thorough", drawn.nodeid, "tests/a.py::usual"]
    assert quick == [drawn.nodeid, "tests/a.py::usual"]
    assert deep in run(pytestconfig, items, deep)
    assert deep in run(pytestconfig, items, deep.partition("[")[0].removeprefix("tests/"))
    with pytest.raises(pytest.UsageError, match="no test in common"):
        run(pytestconfig, items, deep=True, quick=True)


def test_properties_are_drawn_anew_each_night() -> None:
    change, night = settings.get_profile("ci"), settings.get_profile("night")
    assert change.derandomize
    assert not night.derandomize
    assert night.max_examples > change.max_examples


def test_what_a_service_and_make_tell_changes_no_test() -> None:
    """Both tests print something else, or run nothing, where they are told so."""
    told = {"MAKEFLAGS": "n", "MAKELEVEL": "2", "FORCE_COLOR": "1", "COLUMNS": "40"}
    chosen = (
        "tests/test_nightly.py::test_every_step_of_the_night_is_run[none-0]",
        "tests/test_audit.py::test_a_table_is_printed_on_request",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *chosen],
        cwd=ROOT,
        env=os.environ | told | {"PYTEST_ADDOPTS": "--color=yes"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_properties_are_drawn_alike_wherever_the_tests_run() -> None:
    """Hypothesis has other defaults where a variable says that a service runs them."""
    told = (
        "import conftest; print(*map(conftest.settings.get_profile, conftest.PROFILES), sep='\\n')"
    )
    found = [
        subprocess.check_output(
            [sys.executable, "-c", told],
            cwd=Path(__file__).parent,
            env={"PATH": os.environ["PATH"]} | service,
            text=True,
        )
        for service in ({}, {"CI": "true", "GITHUB_ACTIONS": "true"})
    ]
    assert found[0] == found[1]
    profiles = found[0].splitlines()
    assert all("print_blob=True" in each for each in profiles), "a failure says how to repeat it"
    assert ["derandomize=False" in each for each in profiles] == [False, False, True, True]
