"""Every "rises with" and "falls with" of every row, over its whole domain."""

import random
import time
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from dporacle import enclosures, fast
from dporacle.arguments import exact
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.vocabulary import CONTRACTS, Quantity
from dporacle.vocabulary.witnesses import homes
from support.drawing import begun, inputs, more, parts

ORDERED = {
    witness: [
        name
        for name, row in CONTRACTS.items()
        if row.ordered and (row.function or row.name) in homes(witness)
    ]
    for witness in ("fast", "enclosures")
}
CHEAP = [name for name in ORDERED["enclosures"] if CONTRACTS[name].certified >= 45]
FACTORS = (1.01, 1.3, 2, 10)
SECONDS = 0.04  # of processor time, for a quantity: so many pairs are compared …
PAIRS = 40
_LEAST = 8  # … and at least so many on the slowest machine; of what is dear, fewer
LEAST = Fraction(1, 10**290)  # below it float64 has fewer bits
_INVERTED = Fraction(1, 10**11)  # what float64 adds to a δ whose points it cannot refine
SLACK = Fraction(1, 2**30)
"""Of float64, which is on the safe side; the rows' errors are at usual inputs only."""


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    if isinstance(value, arb):
        return bounds(value)
    number = exact("value", value)
    return number, number


def _follows(row: Quantity, witness: Any, generator: random.Random, where: dict[str, Any]) -> bool:
    """Whether two answers were compared; it fails where they are in the wrong order."""
    name = generator.choice(row.ordered)
    larger = more(row.rows[name], parts(where[name])[0], generator.choice(FACTORS))
    if larger is None:
        return False
    larger = begun(where[name], larger)
    try:
        first, second = (
            _ends(row.of(witness)(**given)) for given in (where, where | {name: larger})
        )
    except (ArithmeticError, ValueError):
        return False
    low, high = (first, second) if row.rises(name) else (second, first)
    spare = Fraction(0)
    if witness is fast:
        costly = _INVERTED if row.costly else LEAST
        spare = max(SLACK * abs(high[1]), costly)
    assert low[0] <= high[1] + spare, (row.name, name, where, larger)
    return True


def _least(row: Quantity) -> int:
    return 1 if row.rounds else 3 if row.costly else _LEAST


@pytest.mark.parametrize("name", ORDERED["fast"])
def test_float64_rises_and_falls_as_its_row_says(name: str) -> None:
    """The risk of a soft threshold once "rose with σ": at mean 1 and threshold 2 it falls."""
    row, generator, compared = CONTRACTS[name], random.Random(name), 0
    end = time.process_time() + SECONDS
    for round_ in range(20):
        for where in inputs(row, PAIRS, str(round_)):
            compared += _follows(row, fast, generator, where)
            if time.process_time() > end and compared >= _least(row):
                return
    assert compared >= _least(row)


@pytest.mark.parametrize("name", CHEAP)
def test_balls_rise_and_fall_as_the_row_says(name: str) -> None:
    row, generator, compared = CONTRACTS[name], random.Random(name), 0
    end = time.process_time() + SECONDS
    for where in inputs(row, PAIRS, "balls"):
        compared += _follows(row, enclosures, generator, where)
        if time.process_time() > end and compared >= _least(row):
            return
    assert compared >= _least(row)


def test_a_soft_threshold_has_less_risk_with_more_noise() -> None:
    row = CONTRACTS["soft_threshold_coordinate_risk"]
    risks = [
        float(row.of(fast)(mean=1.0, threshold=2.0, sigma=sigma)) for sigma in (0.5, 1, 1.25, 1.5)
    ]
    assert risks == pytest.approx([0.99295, 0.90968, 0.88966, 0.92652], abs=5e-6)
    assert "sigma" not in row.ordered
