"""Three ways to run the tests: `make test` is quick, `make test-all` what a change must pass, and
`make deep` runs each night what that leaves out.

`--quick` leaves out what is marked as `thorough`, each with its reason, and what took more than
0.15 s of processor time in the runs of which `data/dear_tests.txt` is the list; it draws
a third of the examples, and takes a part of long lists. Examples are the same every time, so that
many of them find no more than the first run did; with DPORACLE_HYPOTHESIS=deep they are drawn at
random, and many.

Without it a run leaves out what is marked as `deep`, with its reason, and what
`data/deep_tests.txt` lists: further dear cases of what another case of the same test asks, by the
rule of `tools/dear_tests.py`. `--deep` runs those alone, and every property on 60 examples that are
drawn at random. A test that is named is always run.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from support.cost import Costs
from support.proved_once import ProvedOnce
from support.witnesses import NAMES

# Examples of each property, if it does not ask for more: in `make test-all`, in `make test`, and at
# night, when they are drawn at random and so are others every time: that is said, as Hypothesis
# draws the same ones again wherever an environment says that it is one of continuous integration.
_MANY, _FEW, _NIGHT = 15, 10, 60
settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=_MANY,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=_FEW)
settings.register_profile(
    "night",
    derandomize=False,
    deadline=None,
    max_examples=_NIGHT,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", derandomize=False, deadline=None, max_examples=5000, print_blob=True
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="what `make test` runs")
    parser.addoption("--deep", action="store_true", help="what `make deep` runs, and no change")
    parser.addoption(
        "--most-seconds", type=float, help="of processor time that one test may take, or it fails"
    )


def pytest_configure(config: pytest.Config) -> None:
    # The tests' programs are interrupted, also in a shell's background, which ignores that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    usual = "quick" if config.getoption("--quick") else "ci"
    usual = "night" if config.getoption("--deep") else usual
    settings.load_profile(os.environ.get("DPORACLE_HYPOTHESIS", usual))
    if settings.default is not None and settings.default.derandomize:
        _draw_no_constants_of_modules()
    config.pluginmanager.register(Costs(config))
    once = ProvedOnce()
    once.serve()
    config.pluginmanager.register(once)


def _draw_no_constants_of_modules() -> None:
    """Let what is drawn not depend on the modules that earlier tests of a process have loaded.

    Hypothesis draws numbers that stand in their source, so that a test's examples were others
    whenever the processes shared the tests out in another way.
    """
    none = Constants()
    providers._get_local_constants = lambda: none


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let a test that takes a `witness`, and does not say which, ask each of the three."""
    named = {str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize")}
    if "witness" in metafunc.fixturenames and not any("witness" in each for each in named):
        metafunc.parametrize("witness", NAMES)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    quick, deep = config.getoption("--quick"), config.getoption("--deep")
    if quick and deep:
        raise pytest.UsageError("--quick and --deep have no test in common")
    dear, night = _chosen(items, "dear", "thorough"), _chosen(items, "deep", "deep")
    named = [each for each in config.args if "::" in each]
    if deep:
        left_out = {item for item in items if item not in night and not _is_property(item)}
    elif quick:
        left_out = dear | night
    else:
        left_out = {item for item in night if not _is_named(item, named)}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    if "DPORACLE_HYPOTHESIS" not in os.environ and not deep:
        share, least = (6, _FEW) if config.getoption("--quick") else (4, _MANY)
        for test in {getattr(item, "obj", None) for item in items}:
            _draw_fewer(test, share, least)


def _chosen(items: list[pytest.Item], listed: str, marked: str) -> set[pytest.Item]:
    """Return the tests of a list, and those with a mark, which takes a reason."""
    path = Path(__file__).parent / "data" / f"{listed}_tests.txt"
    names = set(path.read_text("utf-8").split("\n"))
    found = {item for item in items if item.nodeid in names}
    for item in items:
        if mark := item.get_closest_marker(marked):
            if not (len(mark.args) == 1 and isinstance(mark.args[0], str) and not mark.kwargs):
                raise pytest.UsageError(f"{item.nodeid}: `{marked}` takes one reason")
            found.add(item)
    return found


def _is_property(item: pytest.Item) -> bool:
    """Whether Hypothesis draws what a test asks."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def _is_named(item: pytest.Item, named: list[str]) -> bool:
    """Whether the command names the test, or the function of which it is a case."""
    path, _, place = item.nodeid.partition("::")
    asked = [each.partition("::")[::2] for each in named]
    return any(
        Path(file).name == Path(path).name and (place == name or place.startswith(f"{name}["))
        for file, name in asked
    )


def _draw_fewer(test: object, share: int, least: int) -> None:
    """Let a property that has settings of its own be tried on fewer examples too."""
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and own.max_examples > least:
        fewer = settings(own, max_examples=max(least, own.max_examples // share))
        test._hypothesis_internal_use_settings = fewer  # type: ignore[attr-defined]


@pytest.fixture(scope="session", autouse=True)
def _no_width_of_a_terminal() -> None:
    """Tables are as wide as without a terminal, though the tests' processes are told a width."""
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session", autouse=True)
def _a_run_without_a_seed() -> Iterator[None]:
    """A command that is given no seed has the same one every time, but in the deep profile."""
    with pytest.MonkeyPatch.context() as patch:
        if settings.default is not settings.get_profile("deep"):
            patch.setattr("secrets.randbits", lambda bits: 2**bits // 3)
        yield
