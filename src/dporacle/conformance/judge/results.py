"""What is known of a library after the run."""

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from dporacle import notebook
from dporacle.conformance import protocol
from dporacle.conformance.judge.excess import Looseness
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.quantities import QUANTITIES


@dataclass
class FunctionResult:
    """What one function answered, judged.

    Attributes:
        function: the function.
        judged: its answers.
        looseness: what the loosest of them gives away where people work, if that is much.
        vectors: how many vectors there are for it, of which a slow one is asked fewer.
        patience: what the seconds of processor time or idleness went into, and those of judging.
        unreached: fresh inputs that were left out, as no enclosure reaches their exact value.
    """

    function: Function
    judged: list[JudgedCase] = field(default_factory=list)
    looseness: Looseness | None = None
    vectors: int = 0
    patience: dict[str, float] = field(default_factory=dict)
    unreached: int = 0


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """Two answers to one event.

    Attributes:
        quantity: what both were asked.
        arguments: the exact input, as hexadecimal floats.
        wrong: the function whose answer is on the unsafe side of the proved value.
        wrong_answer: what it answered.
        right: a function of the same library whose answer the proof bears out.
        right_answer: what that answered.
        truth: the proved value.
        reading: what both would be in the other unit of the noise, where there is one.
    """

    quantity: str
    arguments: dict[str, str]
    wrong: str
    wrong_answer: str
    right: str
    right_answer: str
    truth: str
    reading: str = ""

    @property
    def text(self) -> str:
        """The finding in a sentence or two."""
        given = ", ".join(f"{n}={float.fromhex(v):g}" for n, v in self.arguments.items())
        return (
            f"{self.wrong} says {_brief(self.wrong_answer)} and {self.right} "
            f"{_brief(self.right_answer)} for the same question at {given}: at most one is right. "
            f"The proved value is {self.truth[:12]}: {QUANTITIES[self.quantity].exact}."
            f"{self.reading}"
        )


@dataclass
class Result:
    """What is known of one target after the run.

    Attributes:
        name: what it was called.
        capabilities: what its adapter said, if it was started.
        functions: their answers, judged.
        contradictions: answers of two functions to one event that cannot both be right.
        failure: why it could not be run, else empty.
        seconds: how long it took.
    """

    name: str
    capabilities: Capabilities | None = None
    functions: list[FunctionResult] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
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


def _brief(answer: str) -> str:
    number = protocol.read_number(answer)
    return f"{float(number):.6g}"
