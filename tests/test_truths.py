"""Dear truths: an answer is read as long as the sources that computed it are the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dporacle import enclosures
from support import truths

WHERE: dict[str, Any] = {"epsilon": 1, "sigma": 2, "digits": 12}
NAME = "delta_at_epsilon"


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """What a store asks of pytest, with a store of its own beside that of the run."""
    monkeypatch.setattr(truths, "PATH", tmp_path / "truths.json")
    monkeypatch.setattr(truths, "DEAR", 0.0)
    monkeypatch.setattr(truths.Store, "present", truths.Store.present)
    forget()
    yield object()
    forget()


def forget() -> None:
    truths.digest.cache_clear()
    truths._imported.cache_clear()


def stored(config: Any) -> None:
    """Compute one answer, and write it."""
    store = truths.Store(config, read=False, write=True)
    getattr(truths, NAME)(**WHERE)
    truths.PATH.write_text(json.dumps(store.found))


def counts(config: Any) -> tuple[int, int]:
    """Ask again in a new run: how many answers were read and computed."""
    store = truths.Store(config, read=True, write=False)
    answer = getattr(truths, NAME)(**WHERE)
    exact = enclosures.delta_at_epsilon(**WHERE)
    assert answer.mid() == exact.mid()
    assert exact in answer  # the radius may be a little larger
    assert answer.rad() <= exact.rad() * 1.0001
    assert str(answer) == str(exact)
    return store.read, store.computed


def test_a_stored_answer_is_read(config: Any) -> None:
    assert counts(config) == (0, 1)
    stored(config)
    assert counts(config) == (1, 0)
    for each in ({"epsilon": 2}, {"digits": 13}, {"sensitivity": 2}):
        store = truths.Store(config, read=True, write=False)
        getattr(truths, NAME)(**WHERE | each)
        assert (store.read, store.computed) == (0, 1)


CHANGED = ("analytic_gaussian", "arithmetic.normal", "arithmetic.roots", "arithmetic.balls")


@pytest.mark.parametrize("module", CHANGED)
def test_a_changed_source_makes_it_unread(
    config: Any, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    stored(config)
    now = truths.source
    changed = f"dporacle.enclosures.{module}"
    monkeypatch.setattr(truths, "source", lambda name: now(name) + "# new\n" * (name == changed))
    forget()
    assert counts(config) == (0, 1)
    monkeypatch.setattr(truths, "source", now)
    forget()
    assert counts(config) == (1, 0)


def test_the_arithmetic_below_counts(config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(config)
    monkeypatch.setattr(truths.flint, "__version__", "0")
    forget()
    assert counts(config) == (0, 1)


def test_what_computes_dp_sgd_is_all_of_its_folder() -> None:
    modules = {
        module
        for function in ("subsampled_delta", "subsampled_auc")
        for module in truths.closure(truths.home(function))
    }
    folder = Path(enclosures.__path__[0]) / "subsampled"
    parts = {f"dporacle.enclosures.subsampled.{each.stem}" for each in folder.glob("[!_]*.py")}
    assert parts <= modules
    assert "dporacle.enclosures.arithmetic.roots" in modules
    assert not any("rank_one" in each for each in modules)
    assert all(each.startswith("dporacle.") for each in modules)
