"""What a library may be asked: a quantity, under a neighbouring relation, in a unit of the noise.

Noise is told as a multiple of the clipping norm C, which bounds what one record adds to a sum, or
of the sensitivity Δ of that sum. They are the same where neighbours differ by one record's part.
Where one record replaces another, Δ = 2C. So most questions are a quantity's own; a row of its
own is made, from the quantity's, for those that are not.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dporacle.vocabulary.arguments import ARGUMENTS
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED, Kind
from dporacle.vocabulary.mechanisms import BALLS_AND_BINS, FIXED_SIZE, SUBSAMPLED, MechanismRow
from dporacle.vocabulary.quantities import SERVED, Quantity
from dporacle.vocabulary.relations import NORMS

UNITS: Final[Mapping[str, str]] = {"clipping norm": "C", "sensitivity": "Δ"}
"""What the noise is a multiple of -> its letter."""

OPEN: Final = "open"
"""The unit of a library whose documentation does not say it: both are judged."""

_DIRECTIONS = {
    "add-remove": "both",
    "zero-out": "both",
    "add": "add",
    "remove": "remove",
    "replace-one": "replace",
}
"""Relation -> what the witnesses of DP-SGD call it. A record that is drawn with a probability of
its own and then counts as nothing is a record that is not there."""

_TURNED = (DELTA, EPSILON, NOISE_NEEDED)  # the kinds that a relation changes


@dataclass(frozen=True, kw_only=True)
class Question:
    """A row that was made from a quantity's.

    Attributes:
        row: the row.
        source: the quantity whose vectors hold for it, once the noise is scaled.
        noise: the noise here over the noise there, where the answers are then the same; None where
            no vector says the answer.
    """

    row: Quantity
    source: Quantity
    noise: float | None


def _doubled() -> Iterator[tuple[tuple[str, str, str], Question]]:
    """Yield the questions about a sum whose sensitivity is twice the clipping norm."""
    for row in SERVED.values():
        if row.kind not in _TURNED or "sensitivity" not in row.arguments:
            continue
        if row.rows["sensitivity"].counts or "replace one" not in row.mechanism.neighbours:
            continue
        if "mu" in row.arguments or not ARGUMENTS[row.mechanism.parameter].data_unit:
            continue  # μ speaks of another noise, and a variance is no multiple
        name = f"{row.name}, replace-one"
        made = dataclasses.replace(
            row,
            name=name,
            mechanism=_turned(row.mechanism, "replace one", has_unit=False),
            function=row.function or row.name,
            arguments=tuple(each for each in row.arguments if each != "sensitivity"),
            exact=f"{row.exact}, noise over C, one record replaced: Δ = 2C",
            fixed={**row.fixed, "sensitivity": 2},
        )
        yield (row.name, "replace-one", "clipping norm"), Question(row=made, source=row, noise=2.0)


def _phases() -> Iterator[tuple[tuple[str, str, str], Question]]:
    """Yield those about two phases of DP-SGD, in each direction."""
    for row in SERVED.values():
        if not row.gathered:
            continue
        for relation in ("add", "remove", "replace-one"):
            direction = _DIRECTIONS[relation]
            made = dataclasses.replace(
                row,
                name=f"{row.name}, {relation}",
                mechanism=_turned(row.mechanism, SUBSAMPLED[direction].neighbours[0]),
                exact=f"{row.exact.partition(';')[0]}; {relation}",
                fixed={**row.fixed, "direction": direction},
            )
            unit = "clipping norm" if relation == "replace-one" else ""
            yield (row.name, relation, unit), Question(row=made, source=row, noise=None)


def _in_sensitivities() -> Iterator[tuple[tuple[str, str, str], Question]]:
    """Yield those about DP-SGD where one record replaces another, noise over Δ = 2C."""
    for row in SERVED.values():
        source = SERVED.get(f"{row.name}_replace")
        if row.mechanism is not SUBSAMPLED["both"] or source is None:
            continue
        made = dataclasses.replace(
            source,
            name=f"{row.name}, replace-one, noise over Δ",
            mechanism=_turned(source.mechanism, "replace one, noise over Δ"),
            exact=f"{source.exact}; noise over the sensitivity",
            noise_scale=2,
        )
        yield (row.name, "replace-one", "sensitivity"), Question(row=made, source=source, noise=0.5)


def _of_fixed_size() -> Iterator[tuple[tuple[str, str, str], Question]]:
    """Yield those about batches of a fixed size where one record replaces another.

    Their exact value is not known for several steps. Known is what a record attains whose
    contribution is turned around: the value under add/remove (X.BAT.SIZE). No true claim is below.
    """
    for row in SERVED.values():
        if row.mechanism is not FIXED_SIZE:
            continue
        for unit, noise in (("clipping norm", 1), ("sensitivity", 2)):
            words = "one record replaced" if noise == 1 else "one record replaced, noise over Δ"
            made = dataclasses.replace(
                row,
                name=f"{row.name}, replace-one" + (", noise over Δ" if noise > 1 else ""),
                mechanism=_turned(row.mechanism, words),
                function=row.function or row.name,
                exact=f"{row.exact.partition(';')[0]}; {words}: at least so much is attained",
                noise_scale=noise,
            )
            key = row.name, "replace-one", unit
            yield key, Question(row=made, source=row, noise=1 / noise)


_MECHANISMS: dict[tuple[str, str], MechanismRow] = {}


def _turned(mechanism: MechanismRow, neighbours: str, **own: Any) -> MechanismRow:
    """Return a mechanism under one relation; the same one for all its questions."""
    key = mechanism.name, neighbours
    if key not in _MECHANISMS:
        _MECHANISMS[key] = dataclasses.replace(
            mechanism, name=f"{mechanism.name}, {neighbours}", neighbours=(neighbours,), **own
        )
    return _MECHANISMS[key]


_MADE: Mapping[tuple[str, str, str], Question] = dict(
    (*_doubled(), *_phases(), *_in_sensitivities(), *_of_fixed_size())
)

QUESTIONS: Mapping[str, Question] = {each.row.name: each for each in _MADE.values()}
"""The questions that are no quantity's own, by the names of their rows."""

ASKED: Mapping[str, Quantity] = {**SERVED, **{name: q.row for name, q in QUESTIONS.items()}}
"""All that libraries may be asked for: quantities, and rows that a relation makes of them."""


def asked(quantity: str, relation: str, unit: str) -> Quantity:
    """Return the row of a quantity under a relation, with its noise in a unit.

    Args:
        quantity: the name of a served quantity.
        relation: which data sets are neighbours; empty for what the quantity says itself.
        unit: of the noise, one of `UNITS`; needed only where one record replaces another.

    Raises:
        ValueError: if the quantity has no such question.
    """
    row = SERVED[quantity]
    if not relation:
        if unit:
            raise ValueError(f"unit {unit!r} needs a relation beside it")
        return row
    if relation not in NORMS:
        raise ValueError(f"relation must be one of {', '.join(NORMS)}, got {relation!r}")
    if unit and unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, got {unit!r}")
    if NORMS[relation] > 1 and not unit and row.kind in _TURNED:
        raise ValueError(f"{quantity} under {relation} needs the unit of its noise")
    double = NORMS[relation] > 1 and unit == "clipping norm"
    if made := _MADE.get((quantity, relation, unit if NORMS[relation] > 1 else "")):
        return made.row
    if row.mechanism is SUBSAMPLED["both"]:
        direction = _DIRECTIONS[relation]
        name = quantity if direction == "both" else f"{quantity}_{direction}"
        if name in SERVED and (double or NORMS[relation] == 1):
            return SERVED[name]
    elif row.mechanism is FIXED_SIZE:
        if relation == "add-remove":
            return row
    elif row.gathered or row.mechanism is BALLS_AND_BINS:
        if _DIRECTIONS[relation] == "both":
            return row
    elif _covers(row, relation) and not double:
        return row
    words = f"{quantity} has no exact value under {relation}"
    raise ValueError(f"{words} in multiples of {UNITS[unit]}" if unit else words)


def presupposed(quantity: str) -> tuple[str, str]:
    """Return the relation of a row that names none, in words, and the unit of its noise.

    The unit is empty where the row speaks of no noise.
    """
    row = ASKED[quantity]
    relation = " or ".join(row.mechanism.neighbours)
    if "sensitivity" in row.arguments:
        return relation, "sensitivity"
    noisy = row.kind.name.startswith("noise") or any(each.noise for each in row.rows.values())
    batches = not {"steps", "batches"}.isdisjoint(row.arguments)
    return relation, ("clipping norm" if batches else "data") if noisy else ""


def _covers(row: Quantity, relation: str) -> bool:
    """Whether a quantity is the same whichever of the relations gave its sensitivity."""
    words = "replace one" if relation == "replace-one" else "add or remove one"
    return row.kind in _TURNED and words in row.mechanism.neighbours


def readings(unit: str) -> tuple[str, ...]:
    """Return the units that a library may mean."""
    return tuple(UNITS) if unit == OPEN else (unit,)


def quantity_of(mechanism: MechanismRow, kind: Kind) -> Quantity | None:
    """Return the first served quantity of a mechanism and a kind of answer, if there is one."""
    rows = (row for row in ASKED.values() if row.mechanism is mechanism and row.kind is kind)
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
