"""Dear truths: an answer is read as long as the sources that computed it are the same."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from dporacle import enclosures
from dporacle.enclosures.analytic_gaussian import delta_at_epsilon
from dporacle.enclosures.batches.scheme import Interval
from dporacle.reference import composition
from support import truths

WHERE: dict[str, Any] = {"epsilon": 1, "sigma": 2, "digits": 12}


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """What a store asks of pytest, with a store of its own beside that of the run."""
    monkeypatch.setattr(truths, "PATH", tmp_path / "truths.json")
    monkeypatch.setattr(truths, "DEAR", -1.0)
    forget()
    yield object()
    forget()


def forget() -> None:
    for each in (truths.digest, truths.source, truths._imported):
        each.cache_clear()


def stored(config: Any, function: Callable[..., Any] = delta_at_epsilon, **given: Any) -> None:
    """Compute one answer, and write it."""
    store = truths.Store(config, write=True)
    store.wrapped(function)(**(given or WHERE))
    truths.PATH.write_text(json.dumps(store.found))


def counts(config: Any, **changed: Any) -> tuple[int, int]:
    """Ask again in a new run: how many answers were read and computed."""
    store = truths.Store(config, write=False)
    answer = store.wrapped(delta_at_epsilon)(**WHERE | changed)
    exact = delta_at_epsilon(**WHERE | changed)
    assert answer.mid() == exact.mid()
    assert exact in answer  # the radius may be a little larger
    assert answer.rad() <= exact.rad() * 1.0001
    assert str(answer) == str(exact)
    return store.read, store.computed


def test_a_stored_answer_is_read(config: Any) -> None:
    assert counts(config) == (0, 1)
    stored(config)
    assert counts(config) == (1, 0)
    for changed in ({"epsilon": 2}, {"digits": 13}, {"sensitivity": 2}):
        assert counts(config, **changed) == (0, 1)


@pytest.mark.parametrize(
    "answer",
    [
        composition.repeated_epsilon(delta=1e-5, sigma=2, releases=3, digits=30),
        Fraction(1, 3),
        Interval(Fraction(0), Fraction(1, 7), exact=False),
        (Fraction(1), Interval(Fraction(1, 9), Fraction(1), exact=True)),
    ],
)
def test_all_kinds_of_answers_come_back(config: Any, answer: Any) -> None:
    def asked(*, name: str) -> Any:
        return answer

    store = truths.Store(config, write=True)
    store.wrapped(asked)(name="it")
    (packed,) = (each["answer"] for each in store.found.values())
    assert truths._unpacked(json.loads(json.dumps(packed))) == answer


def test_what_may_differ_from_run_to_run_is_not_stored(config: Any) -> None:
    store = truths.Store(config, write=True)
    exact = delta_at_epsilon(**WHERE)

    def anything(*, given: Any) -> Any:
        return given

    for given in (object(), exact, mpmath.mpf(1) / 3, [exact], {"it": exact}, len):
        store.wrapped(anything)(given=given)  # an address, or the digits that are printed
    store.wrapped(anything)(given="neither a number nor a ball")
    assert not store.found
    store.is_open = False  # in a test that changes what it tries
    store.wrapped(delta_at_epsilon)(**WHERE)
    assert not store.found


def test_a_part_of_an_answer_is_stored_with_it(config: Any) -> None:
    store = truths.Store(config, write=True)
    inner = store.wrapped(delta_at_epsilon)
    store.wrapped(lambda **given: inner(**given))(**WHERE)
    assert len(store.found) == 1


CHANGED = ("analytic_gaussian", "arithmetic.normal", "arithmetic.roots", "arithmetic.balls")


@pytest.mark.parametrize("module", CHANGED)
def test_a_changed_source_makes_it_unread(
    config: Any, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    stored(config)
    now = truths.source
    changed = f"dporacle.enclosures.{module}"
    monkeypatch.setattr(truths, "source", lambda name: now(name) + "# new\n" * (name == changed))
    truths.digest.cache_clear()
    assert counts(config) == (0, 1)
    monkeypatch.setattr(truths, "source", now)
    truths.digest.cache_clear()
    assert counts(config) == (1, 0)


def test_the_arithmetic_below_counts(config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(config)
    monkeypatch.setattr(truths.flint, "__version__", "0")
    forget()
    assert counts(config) == (0, 1)


def test_what_computes_dp_sgd_is_all_of_its_folder() -> None:
    homes = ("subsampled_gaussian", "attack_risk")
    modules = {each for home in homes for each in truths.closure(f"dporacle.enclosures.{home}")}
    folder = Path(enclosures.__path__[0]) / "subsampled"
    parts = {f"dporacle.enclosures.subsampled.{each.stem}" for each in folder.glob("[!_]*.py")}
    assert parts <= modules
    assert "dporacle.enclosures.arithmetic.roots" in modules
    assert not any("rank_one" in each for each in modules)
    papers = "dporacle.wings.papers.enclosures"
    modules = truths.closure(f"{papers}.rank_one_gaussian")
    assert {f"{papers}.rank_one.tight", "dporacle.enclosures.arithmetic.balls"} <= {*modules}
    assert all(each.startswith("dporacle.") for each in modules)
