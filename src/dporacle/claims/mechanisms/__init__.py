"""What a claim is about: a mechanism, with the sensitivity of what it releases.

A new mechanism is a file of this folder, named after its kind: `dp-sgd` stands in `dp_sgd.py`.
`core.json` says where a kind stands that shares the file of another one, and a wing's `wing.json`
where its own do. Each is imported when a claim is about it.
"""

from typing import TYPE_CHECKING, Any, Final

from dporacle.claims.mechanisms.contribution import Contribution
from dporacle.claims.mechanisms.mechanism import Mechanism
from dporacle.claims.mechanisms.record import Kinds, Neighbours, Strict, Unit
from dporacle.common import wing_files as wings

__all__ = [
    "EVIDENCES",
    "MECHANISMS",
    "Contribution",
    "Evidences",
    "Mechanism",
    "Mechanisms",
    "Neighbours",
    "Strict",
    "Unit",
]

MECHANISMS: Final[Kinds[Mechanism]] = Kinds(folder=__name__)
"""Kind, as a file names it -> mechanism."""

EVIDENCES: Final[Kinds[Mechanism]] = Kinds(
    "dporacle.claims",
    {
        "counts": "evidence:ErrorCounts",
        "joint-counts": "evidence:JointCounts",
        "one-run": "evidence:OneRun",
        "monte-carlo": "evidence:MonteCarlo",
    },
)
"""Kind of what an audit counted, as a file names it -> a mechanism of which no more is known."""

for _each in wings.offering():
    MECHANISMS.add(_each.package, _each.mechanisms)

if TYPE_CHECKING:
    Mechanisms = Mechanism
    Evidences = Mechanism


def __getattr__(name: str) -> Any:
    """Return `Mechanisms` or `Evidences`, a type of all of them, or one by its class's name."""
    unions = {"Mechanisms": MECHANISMS, "Evidences": EVIDENCES}
    if name in unions:
        found = unions[name].union()
    else:  # a module is looked for here before it is imported, and is none of the classes
        found = MECHANISMS.called(name) if name[:1].isupper() else None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
