"""Two ways to run the tests: `make test-all` runs all of them, `make test` what is quick.

`--quick` leaves out what is marked as `thorough`, each with its reason, tries 20 examples of a
property where the other tries 60, and reads dear truths from a store. Examples are the same every
time; with DPORACLE_HYPOTHESIS=deep they are drawn at random, and many.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from support.cost import Costs
from support.truths import Store

for name, examples in (("quick", 20), ("ci", 60)):
    settings.register_profile(
        name,
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        # How much is filtered out is told by many examples, not by the first few.
        suppress_health_check=[HealthCheck.too_slow]
        + [HealthCheck.filter_too_much] * (name == "quick"),
    )
_SETTINGS = "_hypothesis_internal_use_settings"
_LEAST = 4
settings.register_profile("deep", deadline=None, max_examples=5000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="what `make test` runs")
    parser.addoption("--store-truths", action="store_true", help="store what the tests compute")


def pytest_configure(config: pytest.Config) -> None:
    quick = config.getoption("--quick")
    profile = os.environ.get("DPORACLE_HYPOTHESIS", "quick" if quick else "ci")
    settings.load_profile(profile)
    config.pluginmanager.register(Costs(None))
    writes = config.getoption("--store-truths")
    config.pluginmanager.register(Store(config, read=quick and not writes, write=writes))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    thorough = []
    for item in items:
        if mark := item.get_closest_marker("thorough"):
            if not (len(mark.args) == 1 and isinstance(mark.args[0], str) and not mark.kwargs):
                raise pytest.UsageError(f"{item.nodeid}: `thorough` takes one reason")
            thorough.append(item)
    if config.getoption("--quick"):
        for item in items:
            _try_fewer(item)
        config.hook.pytest_deselected(items=thorough)
        left_out = set(thorough)
        items[:] = [item for item in items if item not in left_out]


def _try_fewer(item: pytest.Item) -> None:
    """Where a test says how many examples it tries, try a third of them too."""
    test = getattr(item, "obj", None)
    own = getattr(test, _SETTINGS, None)
    if own is not None and own.max_examples != settings.default.max_examples:
        fewer = max(_LEAST, own.max_examples // 3)
        setattr(test, _SETTINGS, settings(own, max_examples=min(fewer, own.max_examples)))


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
