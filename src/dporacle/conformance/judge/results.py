"""What is known of a library after the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dporacle import notebook
from dporacle.conformance.judge.excess import Looseness
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.conformance.protocol import Capabilities, Function

__all__ = ["FunctionResult", "Result"]


@dataclass
class FunctionResult:
    """What one function answered, judged.

    Attributes:
        function: the function.
        judged: its answers.
        looseness: what the loosest of them gives away where people work, if that is much.
        vectors: how many vectors there are for it, of which a slow one is asked fewer.
        patience: what the seconds of processor time or idleness went into, and those of judging.
    """

    function: Function
    judged: list[JudgedCase] = field(default_factory=list)
    looseness: Looseness | None = None
    vectors: int = 0
    patience: dict[str, float] = field(default_factory=dict)


@dataclass
class Result:
    """What is known of one target after the run.

    Attributes:
        name: what it was called.
        capabilities: what its adapter said, if it was started.
        functions: their answers, judged.
        failure: why it could not be run, else empty.
        seconds: how long it took.
    """

    name: str
    capabilities: Capabilities | None = None
    functions: list[FunctionResult] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0

    def _repr_html_(self) -> str:
        said = self.capabilities
        caption = f"{said.name} {said.version}" if said else self.name
        if self.failure:
            caption += f", could not be run to the end: {self.failure}"
        rows = []
        for item in self.functions:
            counted = Counter(str(judged.outcome) for judged in item.judged)
            counts = ", ".join(f"{outcome} {number}" for outcome, number in counted.most_common())
            rows.append((item.function.name, item.function.quantity, counts))
        return notebook.table(("function", "quantity", "outcomes"), rows, caption=caption)
