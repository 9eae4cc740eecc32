"""An adapter that is a Python function, and what the whole judge finds of it."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dporacle.conformance import protocol
from dporacle.conformance.process.adapter import AdapterDiedError
from dporacle.conformance.protocol import Capabilities, Ending, Function, Reply
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience, TargetResult, judge_child

Answer = Callable[..., Any]
"""Takes the inputs by name; returns a number, or an ending by its name, or raises to refuse."""

FRESH = Fresh(rounds=4, seed=1)


class SkipError(Exception):
    """The adapter does not ask the library."""


class Faked:
    """The judge's view of functions: each has a quantity and a callable."""

    def __init__(
        self, functions: Mapping[str, tuple[str, Answer]], seconds: float = 0.0, batch: int = 1
    ) -> None:
        self._functions = functions
        self._batch = batch
        self.running = False
        self.spent = seconds

    def start(self, *, timeout: float) -> Capabilities:
        self.running = True
        offered = [
            Function(
                name=name,
                quantity=quantity,  # type: ignore[arg-type]
                arguments=list(QUANTITIES[quantity].arguments),  # type: ignore[arg-type]
                batch=self._batch,
            )
            for name, (quantity, _) in self._functions.items()
        ]
        return Capabilities(id="", protocol=2, name="faked", version="0", functions=offered)

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        line = json.dumps({"id": "", **self._ending(function, arguments)}).encode()
        return protocol.decode(line, Reply, token="")

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        return [Ending(**self._ending(function, each)) for each in inputs]

    def _ending(self, function: str, arguments: Mapping[str, float]) -> dict[str, Any]:
        try:
            value = self._functions[function][1](**arguments)
            if not isinstance(value, str):
                value = float(value).hex() if math.isfinite(value) else str(value)
            return {"value": value}
        except SkipError:
            return {"skip": "not today"}
        except ValueError as error:
            return {"refused": str(error)}
        except MemoryError:
            self.running = False
            raise AdapterDiedError("died") from None
        except Exception as error:
            return {"error": str(error)}

    def stop(self) -> bool:
        return True


def judged(
    quantity: str, answer: Answer, *, fresh: Fresh = FRESH, seconds: float = 0.0, **more: Any
) -> TargetResult:
    """Return the judge's result on one function."""
    child = Faked({"f": (quantity, answer)}, seconds)
    return judge_child(child, "faked", Patience(**more), lambda case: True, fresh)
