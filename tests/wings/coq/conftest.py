"""One compiled development for all tests that need it, kept for the next run in `build/coq`.

Its folder is named by its text and by Coq's version: what has changed is compiled from nothing, as
`make coq` always does.
"""

from pathlib import Path

import pytest

from dporacle.wings.coq import development

QUICK = {"test_responses.py"}  # needs no Coq, and draws nothing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the rest here to `make test-all`."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.path.name not in QUICK:
            item.add_marker(pytest.mark.thorough("Coq compiles its development"))


@pytest.fixture(scope="session")
def coq_cache() -> Path:
    try:
        development.find_coqc()
    except development.CoqError as error:
        pytest.skip(str(error))
    return Path(__file__).resolve().parents[3] / "build" / "coq"


@pytest.fixture(scope="session")
def compiled(coq_cache: Path) -> Path:
    return development.compiled(coq_cache)
