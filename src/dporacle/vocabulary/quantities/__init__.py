"""The quantities: a mechanism and a kind of answer each, and what is true of this one alone.

One row per quantity, under the name that it has in every witness, in the vectors and in the
protocol; one module per group of statements, each with its `ROWS`. To add a quantity is to add a
row, the witnesses' functions and cases for the vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from dporacle.vocabulary.discovery import modules
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED, Kind
from dporacle.vocabulary.mechanisms import MECHANISMS, Mechanism
from dporacle.vocabulary.quantities.row import Quantity

__all__ = ["QUANTITIES", "SERVED", "Quantity", "calibration_of", "partner", "quantity_of"]


def _place(rows: tuple[Quantity, ...]) -> int:
    """Return where the first mechanism of a module stands among all."""
    return min([*MECHANISMS].index(row.mechanism.name) for row in rows)


_ROWS = [rows for each in modules(__name__) if (rows := getattr(each, "ROWS", ()))]

QUANTITIES: Mapping[str, Quantity] = {
    row.name: row for rows in sorted(_ROWS, key=_place) for row in rows
}
"""Every quantity by its name, in the order of the vectors and of the protocol's page."""

SERVED = {name: row for name, row in QUANTITIES.items() if row.served}
"""Those that libraries may be asked for."""


def quantity_of(mechanism: Mechanism, kind: Kind) -> Quantity | None:
    """Return the first served quantity of a mechanism and a kind of answer, if there is one."""
    rows = (row for row in SERVED.values() if row.mechanism is mechanism and row.kind is kind)
    return next(rows, None)


def partner(quantity: Quantity, kind: Kind) -> Quantity | None:
    """Return the served quantity of another kind of the same mechanism, if there is one.

    The noise needed has for partners the δ and the ε that it gives.
    """
    return quantity_of(quantity.mechanism, kind)


def calibration_of(quantity: Quantity) -> Quantity | None:
    """Return the served quantity whose answer is the noise that this one takes, if there is one.

    What a δ or an ε takes besides is given to the calibration too, so that its noise can be put in.
    """
    noise = quantity.mechanism.parameter
    needed = quantity_of(quantity.mechanism, NOISE_NEEDED)
    if needed is None or quantity.kind not in (DELTA, EPSILON) or noise not in quantity.arguments:
        return None
    return needed if {*quantity.arguments} <= {noise, *needed.arguments} else None
