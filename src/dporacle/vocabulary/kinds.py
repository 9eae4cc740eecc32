"""The kinds of answer: which error is safe, what it rises with, and what is true at the limits.

An answer is safe when nobody is promised more than the mathematics gives: more noise than
needed, a larger δ or ε than the true one, a wider error bound. These facts belong to the kind of
answer and the argument, whatever the mechanism; a quantity for which one fails says so in its own
row. `noise` stands for the argument that says how much noise a mechanism adds. The rows stand in
`kinds.json`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dporacle.vocabulary.reading import rows_of

Limit = float | Callable[[Mapping[str, float]], float]
"""The answer where an argument is at an end of its domain; it may depend on the others."""

_INF = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of answer.

    Attributes:
        name: what it is called here.
        meaning: what the answer says.
        safe: the side of the exact value on which an error does no harm.
        rises: the arguments with which the exact value rises.
        falls: those with which it falls.
        limits: (argument, end of its domain) -> the answer that is true there as a limit.
        beyond: argument -> from where on one answer is true of everything, and that answer.
        ceiling: a number that the answer does not exceed.
        degree: the power of the unit of the data in which the answer is measured.
        promise: the argument that is promised with the answer; empty where that is the answer.
        told_by: the name of the kind that says what an answer does to the promise.
    """

    name: str
    meaning: str
    safe: Literal["up", "down"]
    rises: frozenset[str] = frozenset()
    falls: frozenset[str] = frozenset()
    limits: Mapping[tuple[str, float], Limit] = field(default_factory=dict)
    beyond: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ceiling: int | None = None
    degree: int = 0
    promise: str = ""
    told_by: str = ""


_ATTACKS: Mapping[str, Limit] = {
    "1 - alpha": lambda given: 1 - given["alpha"],
    "alpha": lambda given: given["alpha"],
    "likelier prior": lambda given: min(given["prior"], 1 - given["prior"]),
    "larger prior": lambda given: max(given["prior"], 1 - given["prior"]),
}
_NO_GAIN = (("mu", 0.0), ("noise", _INF), ("sensitivity", 0.0), ("rate", 0.0), ("steps", 0.0))


def _read(row: Mapping[str, Any]) -> Kind:
    said = dict(row)
    limits: dict[tuple[str, float], Limit] = {
        (argument, float(end)): float(limit)
        for argument, ends in said.pop("limits", {}).items()
        for end, limit in ends.items()
    }
    if (attack := said.pop("without gain", None)) is not None:
        limits |= dict.fromkeys(_NO_GAIN, _ATTACKS.get(attack, attack))
    for name in ("rises", "falls"):
        said[name] = frozenset(said.get(name, "").split())
    beyond = {
        argument: (start, value) for argument, (start, value) in said.pop("beyond", {}).items()
    }
    return Kind(**said, limits=limits, beyond=beyond)


KINDS = {row["name"]: _read(row) for row in rows_of("kinds")}
"""Every kind by its name."""

NOISE_NEEDED = KINDS["noise needed"]
DELTA = KINDS["delta"]
EPSILON = KINDS["epsilon"]
DIVERGENCE = KINDS["divergence"]
TRADEOFF = KINDS["trade-off"]
POWER = KINDS["power"]
ADVANTAGE = KINDS["advantage"]
BAYES_RISK = KINDS["Bayes risk"]
ERROR_BOUND = KINDS["error bound"]
PROBABILITY = KINDS["probability"]
NOISE_ALLOWED = KINDS["noise allowed"]
WIDTH = KINDS["sensitivity"]
