"""No decade that is in use is left out, and no cell of a lattice: by the questions only."""

import contextlib
import itertools
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.covering import Covering
from dporacle.conformance.ask.fresh import fresh_case, random_cases
from dporacle.conformance.ask.power import POWER, SHARE, rounds_for
from dporacle.conformance.ask.random_inputs import possible
from dporacle.conformance.judge.outcomes import Outcome, judge
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES
from dporacle.dev.specimens.faulty_decades import DECADES, WRONG
from dporacle.vocabulary import Quantity
from dporacle.vocabulary.in_use import SETTINGS, published
from support.dear import mostly_dear

ROUNDS = rounds_for(share=SHARE, power=POWER)
RUNS = 20
SAMPLED = [n for n, row in QUANTITIES.items() if any(a.decades for a in row.rows.values())]
SHAPES = {  # quantities of the same arguments and of the same mechanism are asked alike
    (row.arguments, row.mechanism.depth, tuple(a.parts for a in row.rows.values())): name
    for name, row in reversed(QUANTITIES.items())
    if all(a.parts for a in row.rows.values())
}
REGISTER = Path(__file__).parents[2] / "docs" / "register.md"


@cache
def drawn(
    name: str, seed: int, flags: tuple[str, ...] = ("random", "random-typed")
) -> tuple[dict[str, float], ...]:
    """What a run draws where people work."""
    row = QUANTITIES[name]
    function = Function(name="f", quantity=name, arguments=list(row.arguments))
    cases, _ = random_cases(function, seed=seed, rounds=ROUNDS)
    return tuple(case.arguments for case in cases if case.flags[0] in flags)


@pytest.mark.parametrize("name", mostly_dear(SHAPES.values(), 4))
def test_every_run_asks_in_each_decade(name: str) -> None:
    for seed in (1, 2**40):
        for argument, row in QUANTITIES[name].rows.items():
            asked = {Covering.part(row, given[argument]) for given in drawn(name, seed)}
            assert asked >= set(range(len(row.parts) - 1)), argument


@pytest.mark.parametrize("name", mostly_dear(WRONG, 8))
def test_a_fault_in_one_decade_is_asked_in_every_run(name: str) -> None:
    """In those of which the lattices are looked at."""
    quantity = next(each.function for each in DECADES if each.name == name)
    met = [any(WRONG[name](given) for given in drawn(quantity, seed)) for seed in range(RUNS)]
    assert met == [True] * RUNS


@pytest.mark.parametrize("name", mostly_dear(WRONG, 4))
def test_a_fault_in_one_decade_is_convicted(name: str) -> None:
    """By the first answers that are wrong; the whole judge is asked of others."""
    (specimen,) = (each for each in DECADES if each.name == name)
    row, ask, outcomes = QUANTITIES[specimen.function], specimen.make(), set()
    for given in filter(WRONG[name], drawn(specimen.function, 3)):
        counted = {n: int(v) if n in row.counts else v for n, v in given.items()}
        answer = Answer(end=End.VALUE, value=float(ask(**counted)))
        with contextlib.suppress(ArithmeticError):  # no enclosure reaches it: it is left out
            case = fresh_case(row.name, "random", dict(given))
            outcomes.add(judge(case, answer, told=False).outcome)
        if Outcome.VIOLATING in outcomes:
            break
    assert Outcome.VIOLATING in outcomes


@cache
def ends(name: str) -> dict[str, list[float]]:
    """Where the quarters of each argument's range begin."""
    rows = QUANTITIES[name].rows.items()
    return {each: [argument.at(quarter / 4) for quarter in range(4)] for each, argument in rows}


def quarters(row: Quantity, given: dict[str, float]) -> tuple[int, ...]:
    """The cell of the lattice of four cells an argument; −1 beyond the range in use."""
    return tuple(
        sum(value >= end for end in ends(row.name)[argument.name]) - 1
        if argument.parts[0] <= value <= argument.parts[-1]
        else -1
        for value, argument in ((given[name], argument) for name, argument in row.rows.items())
    )


LATTICES = {
    (len(row.arguments), row.mechanism.depth, row.rounds): name
    for name, row in ((name, QUANTITIES[name]) for name in SHAPES.values())
}
"""One for each number of arguments: what is drawn follows from that and the decades."""


@pytest.mark.parametrize("name", LATTICES.values())
def test_no_quarter_that_is_due_is_empty(name: str) -> None:
    """Of a whole number that is 0 or 1 two quarters hold nothing: no draw would ever be in them."""
    row = QUANTITIES[name]
    covering = Covering(random.Random(1), row, row.arguments, seed=1, number=ROUNDS)
    for _ in range(64):
        cell = covering._cell()
        lowest = zip(row.rows.values(), cell, strict=True)
        given = {argument.name: argument.at(quarter / 4) for argument, quarter in lowest}
        assert covering._quarters(given) == cell


def there_are_some(row: Quantity, cell: dict[str, int]) -> bool:
    """Whether the exact values of more than a hundredth of a cell are proved in time."""
    generator, found = random.Random(str(cell)), 0
    for _ in range(200):
        places = {name: generator.random() for name in row.arguments}
        places |= {name: (quarter + places[name]) / 4 for name, quarter in cell.items()}
        given = {name: argument.at(places[name]) for name, argument in row.rows.items()}
        inside = quarters(row, given)
        found += (
            all(inside[row.arguments.index(n)] == q for n, q in cell.items())
            and all(value in row.rows[name].reach for name, value in given.items())
            and possible(row, given)
        )
        if found > 2:
            return True
    return False


@pytest.mark.parametrize("name", mostly_dear(LATTICES.values(), 4))
def test_no_cell_of_a_lattice_is_never_asked(name: str) -> None:
    """In twenty runs; each cell of all arguments, or where these are too many of each two."""
    row = QUANTITIES[name]
    asked = {quarters(row, given) for seed in range(RUNS) for given in drawn(name, seed)}
    covering = len(drawn(name, 0)) if row.rounds else 48
    many = 4 ** len(row.arguments) > RUNS * covering
    for names in itertools.combinations(row.arguments, 2 if many else len(row.arguments)):
        places = [row.arguments.index(each) for each in names]
        met = {tuple(cell[place] for place in places) for cell in asked}
        for cell in set(itertools.product(range(4), repeat=len(names))) - met:
            assert not there_are_some(row, dict(zip(names, cell, strict=True))), (names, cell)


def stated() -> Iterator[tuple[str, str, float]]:
    """Yield what was published of training runs: where, the argument and its value."""
    for setting in SETTINGS:
        for name, values in setting.values.items():
            yield from ((setting.source, name, value) for value in values)
    for line in REGISTER.read_text(encoding="utf-8").splitlines():
        if 'kind = "dp-sgd"' in line:
            found = dict(re.findall(r"(\w+) = ([\d.e-]+)", line))
            yield line, "sigma", float(found["noise_multiplier"])
            if "sampling_rate" in found:
                yield line, "rate", float(found["sampling_rate"])


def test_what_was_published_lies_in_the_decades() -> None:
    rows = [QUANTITIES[name] for name in SAMPLED if "rate" in QUANTITIES[name].arguments]
    for where, name, value in stated():
        for row in rows:
            if name in row.arguments:
                parts = row.rows[name].parts
                assert parts[0] <= value <= parts[-1], (where, row.name)
    assert published("size") is None
    assert published("sigma") == (0.3, 10)


def test_the_usual_range_lies_in_the_decades() -> None:
    """All that was asked before is asked still, and the decades rise."""
    for name in SAMPLED:
        for argument, row in QUANTITIES[name].rows.items():
            assert row.usual is not None
            assert list(row.parts) == sorted(set(row.parts))
            assert row.at(0.0) == (round(row.parts[0]) if row.counts else row.parts[0])
            assert row.at(1.0) == row.parts[-1]
            low, high = (10**end for end in row.usual)
            room = 1.3 if row.counts else 1.001  # tenths of a power of ten, and whole numbers
            assert row.parts[0] <= low * room, (name, argument)
            assert high <= row.parts[-1] * room, (name, argument)


def test_the_settings_are_told_with_their_sources() -> None:
    folder = Path(__file__).parents[2]
    for setting in SETTINGS:
        files = re.findall(r"docs/\w+\.md", setting.source)
        assert files or "arXiv:" in setting.source
        for file in files:
            text = (folder / file).read_text(encoding="utf-8")
            for named in re.findall(r"[a-z]+(?:-[a-z0-9]+)+|\w+/\w+#\d+", setting.source):
                assert named in text, (file, named)
