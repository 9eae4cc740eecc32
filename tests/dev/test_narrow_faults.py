"""Faults that no vector meets are where they say they are, and nowhere else.

A row has what a specimen is asked, one after the other: an input (of a batch, a list of inputs),
how often, and how many times the right answer its answer is. It is "first" where the answer is
the right one to the first input of all, "refused" where there is none, and "0" where it is 0.
"""

from typing import Any

import pytest

from dporacle import fast
from dporacle.dev.specimens import NARROW
from dporacle.vocabulary import QUANTITIES, Quantity
from support.cases import rows

ASKED = {row["name"]: row["asked"] for row in rows("narrow_faults")}
SPECIMENS = {each.name: each for each in NARROW}


def named(row: Quantity, values: list[Any]) -> dict[str, Any]:
    """An input by its names: a count is a whole number."""
    given = zip(row.arguments, values, strict=True)
    return {name: int(value) if name in row.counts else float(value) for name, value in given}


def right(row: Quantity, given: dict[str, Any], factor: Any) -> Any:
    """What is to be answered; the witness of ours may differ by a few last places."""
    if factor == "0":
        return 0.0
    return pytest.approx(factor * float(row.of(fast)(**given)), rel=1e-12)


@pytest.mark.parametrize("name", ASKED)
def test_a_narrow_fault_is_where_it_says(name: str) -> None:
    specimen, asked = SPECIMENS[name], ASKED[name]
    row, answer = QUANTITIES[specimen.function], specimen.make()
    assert any(factor != 1 for *_, factor in asked)
    for values, times, factor in asked:
        for _ in range(times):
            if specimen.batch:
                batch = [named(row, each) for each in values]
                assert answer(batch) == [*map(right, [row] * len(batch), batch, factor)]
                continue
            given = named(row, values)
            if factor == "refused":
                with pytest.raises(ValueError, match=r"that is enough|must be"):
                    answer(**given)
                continue
            if factor == "first":
                expected = right(row, named(row, asked[0][0]), 1)
            else:
                expected = right(row, given, factor)
            assert answer(**given) == expected, given


def test_every_narrow_fault_is_asked() -> None:
    assert ASKED.keys() == SPECIMENS.keys()
