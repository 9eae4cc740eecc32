"""A number is the number that it is, whatever type it has: one law over all that is public."""

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dporacle
from dporacle import enclosures, fast, reference, risk
from dporacle.mechanisms.training import read_training
from dporacle.vocabulary.functions import directions_of, rows_of
from dporacle.wings import samplers

ALIKE: dict[str, Callable[[float], Any]] = {
    "Fraction": Fraction,
    "Decimal": Decimal,
    "text": lambda number: str(Fraction(number)),
    "float32": np.float32,
    "float64": np.float64,
    "longdouble": np.longdouble,
}
WHOLE: dict[str, Callable[[int], Any]] = {"int32": np.int32, "int64": np.int64, "uint8": np.uint8}
READ = {"Fraction", "int", "int | None", "str"}  # what is read before a formula is called
NO_NUMBERS = [None, True, "x", "", b"1", 1j, float("nan"), float("inf"), [0.5], object()]


def functions(witness: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of a witness whose arguments have rows."""
    for name in witness.__all__:
        found = getattr(witness, name)
        try:
            known = rows_of(name)
        except KeyError:
            continue
        if callable(found) and set(inspect.signature(found).parameters) & set(known):
            yield name, found


def closed_over(function: Callable[..., Any], name: str) -> Any:
    """The cell in which a function keeps a name of where it was made."""
    return function.__closure__[function.__code__.co_freevars.index(name)]  # type: ignore[index]


def reading(
    name: str, function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """The function, but that it returns what its formula would be called with, if that is read."""
    kinds = inspect.unwrap(function).__annotations__
    taken = set(inspect.signature(function).parameters) & set(rows_of(name))
    if any(kinds[each] not in READ for each in taken):
        return lambda **given: str(function(**given))
    asked = inspect.unwrap(function, stop=lambda each: "answer" in each.__code__.co_freevars)
    cell = closed_over(closed_over(asked, "answer").cell_contents, "formula")
    monkeypatch.setattr(cell, "cell_contents", lambda **given: given)
    return function


def everyday(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """An input of exact floats for a function, and the words that it needs."""
    kinds = inspect.unwrap(function).__annotations__
    taken = inspect.signature(function).parameters
    given: dict[str, Any] = {}
    for argument, row in rows_of(name).items():
        if argument in taken:
            value = row.everyday if row.counts else float(np.float32(row.everyday))
            given[argument] = (value,) if kinds.get(argument) in ("Numbers", "Any") else value
    if "direction" in taken:
        given["direction"] = directions_of(name)[0][0]
    if "phases" in taken:
        given["phases"] = ((2.0, 0.5, 1),)
    return given


@pytest.mark.parametrize("witness", [reference, enclosures], ids=["reference", "enclosures"])
def test_an_exact_witness_reads_all_numbers_alike(
    witness: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0
    for name, function in functions(witness):
        with monkeypatch.context() as patched:
            tried += _all_alike(name, function, reading(name, function, patched))
    assert tried > 500


def _as_all(makers: dict[str, Callable[[Any], Any]], number: Any) -> Iterator[Any]:
    """Yield a number in all types that hold it: 1,000 records are no number of eight bits."""
    for made in makers.values():
        with contextlib.suppress(OverflowError):
            yield made(number)


def _all_alike(name: str, function: Callable[..., Any], asked: Callable[..., Any]) -> int:
    """Ask with each number in all its types, and with what is none; return how often."""
    tried = 0
    usual = everyday(name, function)
    expected = asked(**usual)
    for argument, value in usual.items():
        if argument in _NO_NUMBER:
            continue
        several = isinstance(value, tuple)
        number = value[0] if several else value
        makers = WHOLE if rows_of(name)[argument].counts else ALIKE
        for made in _as_all(makers, number):
            given = (made,) if several else made
            assert asked(**{**usual, argument: given}) == expected, (name, argument, given)
            tried += 1
        for wrong in NO_NUMBERS:
            if wrong is None and argument == "cap":
                continue
            with pytest.raises((TypeError, ValueError), match=argument):
                asked(**{**usual, argument: (wrong,) if several else wrong})
    return tried


def test_the_float64_witness_takes_all_scalars_alike() -> None:
    """It takes arrays; text is none, and is refused by name."""
    tried = 0
    for name, function in functions(fast):
        usual = everyday(name, getattr(reference, name, function))
        if any(isinstance(each, tuple) for each in usual.values()) or name in _DRAWN:
            continue
        expected = function(**usual)
        for argument, value in usual.items():
            if argument in _NO_NUMBER:
                continue
            counts = rows_of(name)[argument].counts
            makers = WHOLE if counts else {k: v for k, v in ALIKE.items() if k in _IN_ARRAYS}
            for made in _as_all(makers, value):
                found = function(**{**usual, argument: made})
                assert float(np.max(found)) == float(np.max(expected)), (name, argument, made)
                tried += 1
            for wrong in ("x", "1", b"1", 1j, None):
                if wrong is None and argument == "cap":
                    continue
                with pytest.raises((TypeError, ValueError), match=argument):
                    function(**{**usual, argument: wrong})
    assert tried > 500


_NO_NUMBER = ("direction", "phases")
_IN_ARRAYS = ("Fraction", "Decimal", "float64", "longdouble")  # float32 answers in float32
# These need a generator, or three sides of a triangle.
_DRAWN = {"rank_one_sample", "rank_one_sample_marginal", "rank_one_loss_bound"}
_GIVEN = {"epsilon": 1.0, "delta": 0.0078125}
_RUN = {"noise_multiplier": 2.0, "sampling_rate": 0.5, "epochs": 2.0}
_SIZES = {"noise_multiplier": 2.0, "batch_size": 5.0, "dataset_size": 10.0, "epochs": 2.0}


def _figure(method: str) -> Callable[..., Any]:
    figures = risk.Figures(risk.gaussian_releases(sigma=2))
    return getattr(figures, method)  # type: ignore[no-any-return]


def _shown(setting: risk.Setting) -> tuple[str, tuple[float, float]]:
    return setting.words, risk.Figures(setting).tpr("1/8")


def _exactly(**given: Any) -> float:
    return dporacle.calibrate_sigma(exact=True, **given)


def _fields(law: type[Any], *, counts: bool) -> list[Any]:
    """Return the fields of a law that are counts, which are integers, or numbers of any kind.

    A modulus and a bound are left out: they are counts of which one at most may be given.
    """
    fields = [each for each in dataclasses.fields(law) if str(each.type) != "int | None"]
    return [each for each in fields if (each.type in (int, "int")) is counts]


PUBLIC: dict[str, tuple[Callable[..., Any], dict[str, float]]] = {
    "dp_sgd_epsilon": (dporacle.dp_sgd_epsilon, {"delta": 0.0078125, **_RUN}),
    "dp_sgd_epsilon of sizes": (dporacle.dp_sgd_epsilon, {"delta": 0.0078125, **_SIZES}),
    "dp_sgd_noise_multiplier": (
        dporacle.dp_sgd_noise_multiplier,
        {**_GIVEN, "sampling_rate": 1.0, "epochs": 2.0},
    ),
    "calibrate_sigma": (_exactly, {**_GIVEN, "sensitivity": 1.0}),
    "gaussian_releases": (
        lambda **given: _shown(risk.gaussian_releases(**given)),
        {"sigma": 2.0, "sensitivity": 0.5},
    ),
    "risk.dp_sgd": (
        lambda **given: _shown(risk.dp_sgd(steps=1, **given)),
        {"noise_multiplier": 2.0, "rate": 0.5},
    ),
    "read_training": (
        lambda **given: str(read_training(sampling="fixed-size", steps=1, **given).sampling_rate),
        {"noise_multiplier": 2.0, "sampling_rate": 0.5},
    ),
    "tpr": (_figure("tpr"), {"fpr": 0.125}),
    "fnr": (_figure("fnr"), {"fpr": 0.125}),
    "reconstruction": (_figure("reconstruction"), {"baseline": 0.125}),
    "bayes_success": (_figure("bayes_success"), {"prior": 0.125}),
    "mu_at": (_figure("mu_at"), {"epsilon": 0.125}),
    "mu_over": (_figure("mu_over"), {"low": 0.125, "high": 0.25}),
    "strict_mu": (risk.strict_mu, {"square": 0.125}),
    "phases": (
        lambda **given: str(
            enclosures.subsampled_schedule_delta(
                epsilon=1, direction="remove", phases=[(*given.values(), 1)]
            )
        ),
        {"sigma": 2.0, "rate": 0.5},
    ),
    **{
        law.__name__: (
            functools.partial(law, **{each.name: 3 for each in _fields(law, counts=True)}),
            {each.name: 2.0 for each in _fields(law, counts=False)},
        )
        for law in samplers.LAWS.values()
    },
}


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_takes_all_numbers_alike(name: str) -> None:
    function, usual = PUBLIC[name]
    expected = function(**usual)
    for argument, value in usual.items():
        for made in (*ALIKE.values(), *([int] if value.is_integer() else [])):
            assert function(**{**usual, argument: made(value)}) == expected, (argument, made)
        for wrong in NO_NUMBERS:
            left_out = wrong is None and argument in ("epochs", "sampling_rate")
            if left_out or isinstance(wrong, list):
                continue
            with pytest.raises((TypeError, ValueError), match=argument):
                function(**{**usual, argument: wrong})


def test_one_number_is_no_vector() -> None:
    with pytest.raises(TypeError, match="vector must be a sequence of real numbers"):
        fast.projected_sigma(vector=1.0, sigma=1.0)


def test_a_float_is_a_rate_of_false_positives() -> None:
    figures = risk.Figures(risk.gaussian_releases(sigma=1.0))
    assert figures.tpr(0.001) == figures.tpr(Fraction(0.001))
    assert figures.tpr("0.001") == figures.tpr(Fraction(1, 1000))
    assert figures.mu_above(0.25) == figures.mu_above("1/4")
