"""Hypothesis profiles: `ci` draws the same examples every time, `deep` explores at random.

`DPORACLE_HYPOTHESIS=deep make test` explores.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from support.cost import Costs

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile(os.environ.get("DPORACLE_HYPOTHESIS", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--most-seconds", type=float, help="of processor time that one test may take, or it fails"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(config.getoption("--most-seconds")))


@pytest.fixture(scope="session", autouse=True)
def _no_width_of_a_terminal() -> None:
    """Tables are as wide as without a terminal, though the tests' processes are told a width."""
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session", autouse=True)
def _a_run_without_a_seed() -> Iterator[None]:
    """A command that is given no seed has the same one every time, but in the deep profile."""
    with pytest.MonkeyPatch.context() as patch:
        if settings.default is settings.get_profile("ci"):
            patch.setattr("secrets.randbits", lambda bits: 2**bits // 3)
        yield
