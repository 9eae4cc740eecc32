"""What can be judged, and exact values.

Libraries are asked the quantities that are served, under every relation. An answer to a vector is
judged for every quantity that has vectors: a library's own tests ask those too.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dporacle.vocabulary import QUANTITIES as ALL
from dporacle.vocabulary import Quantity
from dporacle.vocabulary.questions import ASKED as QUANTITIES

__all__ = ["JUDGED", "QUANTITIES", "Quantity", "enclose"]

JUDGED: Mapping[str, Quantity] = {n: q for n, q in ALL.items() if q.vectors} | {**QUANTITIES}
"""Every quantity whose answers can be judged, by its name."""


def enclose(quantity: Quantity, arguments: Mapping[str, float | Fraction], *, digits: int) -> Any:
    """Return the ball that contains a quantity's exact value at these arguments."""
    from flint import arb

    from dporacle import enclosures
    from dporacle.enclosures.arithmetic.balls import bits_for, precision

    counts = quantity.counts
    given = {name: int(v) if name in counts else v for name, v in arguments.items()}
    if quantity.whole:
        return arb(quantity.of(enclosures)(**given))  # an integer, whatever the digits
    with precision(bits_for(digits) + 64):  # noise is told in another unit by a division of balls
        return quantity.of(enclosures)(**given, digits=digits)
