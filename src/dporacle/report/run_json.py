"""What was judged, for programs: JSON."""

import platform
from collections.abc import Sequence
from typing import Any

import msgspec

import dporacle
from dporacle.conformance import protocol
from dporacle.conformance.ask.limits import Limits
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.grade.known_failures import KnownFailures
from dporacle.conformance.grade.runs import counts, judgement
from dporacle.conformance.judge.outcomes import TIGHT_ULP
from dporacle.conformance.judge.results import Result
from dporacle.vocabulary.questions import presupposed


def to_json(
    results: Sequence[Result],
    limits: Limits,
    fresh: Fresh,
    *,
    gate: Gate | None = None,
    known: KnownFailures | None = None,
    complete: bool = True,
) -> bytes:
    """Return everything as one JSON document; a run that goes on says that it is not complete."""
    found = judgement(results, gate, known)
    document: dict[str, Any] = {
        "format": "dporacle-conformance/2",
        "dporacle": dporacle.__version__,
        "protocol": protocol.VERSIONS[-1],
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
        },
        "limits": msgspec.to_builtins(limits),
        "fresh": msgspec.to_builtins(fresh),
        "gate": msgspec.to_builtins(gate or Gate()),
        "tight_ulp": TIGHT_ULP,
        "complete": complete,
        "status": int(found.status),
        "expired": [entry.text for entry in found.expired],
        "answered": [entry.text for entry in found.answered],
        "targets": [
            {
                "target": result.name,
                "name": result.capabilities.name if result.capabilities else None,
                "version": result.capabilities.version if result.capabilities else None,
                "language": result.capabilities.language if result.capabilities else None,
                "failure": result.failure or None,
                "seconds": round(result.seconds, 3),
                "contradictions": msgspec.to_builtins(result.contradictions),
                "functions": [
                    {
                        "function": _function(item.function),
                        "standing": msgspec.to_builtins(found.standings[place, index]),
                        "counts": {str(k): n for k, n in counts(item).items()},
                        "looseness": msgspec.to_builtins(item.looseness),
                        "patience": item.patience,
                        "unreached": item.unreached,
                        "verdicts": msgspec.to_builtins(item.judged),
                    }
                    for index, item in enumerate(result.functions)
                ],
            }
            for place, result in enumerate(results)
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def _function(said: protocol.Function) -> dict[str, Any]:
    """Return what a function said, with the relation and the unit that it was asked under."""
    relation, unit = presupposed(said.quantity)
    found: dict[str, Any] = msgspec.to_builtins(said)
    return found | {"relation": said.relation or relation, "unit": said.unit or unit}
