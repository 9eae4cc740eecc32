"""One compiled development for all tests that need it, made from nothing in each test run."""

from pathlib import Path

import pytest

from dporacle.wings.coq import development


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave everything here to `make test-all`."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.thorough("Coq compiles its development"))


@pytest.fixture(scope="session")
def coq_cache(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    try:
        development.find_coqc()
    except development.CoqError as error:
        pytest.skip(str(error))
    base = tmp_path_factory.getbasetemp()
    # pytest-xdist gives each worker a folder inside the one of the run.
    return (base.parent if hasattr(request.config, "workerinput") else base) / "coq"


@pytest.fixture(scope="session")
def compiled(coq_cache: Path) -> Path:
    return development.compiled(coq_cache)
