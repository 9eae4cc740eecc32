"""The figures of the notes, each computed again by the enclosures.

`dporacle statements --figures` prints them; a test finds each one in the note of its group. A row
of `figures.json` is a call. Where it is taken at a number that is itself computed, that number is
its ball's midpoint, good to 50 digits.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds

_DIGITS = 10
_BITS = 256


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a note.

    Attributes:
        group: the note that has it.
        statement: the id of the statement that it is about.
        says: what it is.
        value: its digits.
    """

    group: str
    statement: str
    says: str
    value: str


def figures() -> Iterator[Figure]:
    """Compute all figures, in the order of the notes."""
    rows = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))["rows"]
    for row in rows:
        group, statement, says = (row.pop(name) for name in ("group", "statement", "says"))
        value = _called(**row)
        shown = value.str(_DIGITS, radius=False) if isinstance(value, arb) else str(value)
        yield Figure(group, statement, says, shown)


def _called(call: str, **arguments: Any) -> Any:
    function = _OWN.get(call) or getattr(enclosures, call)
    return function(**{name: _number(each) for name, each in arguments.items()})


def _number(given: Any) -> Any:
    """Return an argument: a number, a decimal or a quotient, a call's middle, or equal numbers."""
    if isinstance(given, str):
        return Fraction(given)
    if isinstance(given, int):
        return given
    if "times" in given:
        return [given["of"]] * given["times"]
    low, high = bounds(_called(**given))
    return (low + high) / 2


def _misquoted_crossing() -> arb:
    """The root of k, between two points at which balls have opposite signs."""
    low, high = Fraction(1, 10), Fraction(1)
    while high - low > Fraction(1, 10 ** (_DIGITS + 3)):
        middle = (low + high) / 2
        false = enclosures.low_privacy_threshold_misquoted(epsilon=middle)
        if false > enclosures.low_privacy_threshold(epsilon=middle):
            high = middle
        else:
            low = middle
    with precision(_BITS):
        return ball(low).union(ball(high))


def _dwork_roth_constant() -> arb:
    with precision(_BITS):
        return (2 * ball(Fraction(8, 9)).exp() / arb.pi()).sqrt()


def _exact_over_classical(**at: Any) -> arb:
    exact, classical = enclosures.calibrate_sigma(**at), enclosures.classical_sigma(**at)
    with precision(_BITS):
        return (exact / classical) ** 2


def _classical_over_exact(**at: Any) -> arb:
    with precision(_BITS):
        return 1 / _exact_over_classical(**at)


_OWN: dict[str, Callable[..., arb]] = {
    "classical_over_exact_variance": _classical_over_exact,
    "dwork_roth_constant": _dwork_roth_constant,
    "exact_over_classical_variance": _exact_over_classical,
    "misquoted_crossing": _misquoted_crossing,
}
