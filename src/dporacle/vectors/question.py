"""One vector, put as a question to a library's own code, with an error that explains itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dporacle.vectors.check import UNSAFE, CheckResult, VectorCheck, check, check_refusal, spell
from dporacle.vectors.vector_file import Refusal, Vector, VectorFile


class VectorError(AssertionError):
    """A wrong answer to a vector: what it is, and how much harm it does."""

    def __init__(self, text: str, checked: VectorCheck, level: str = "") -> None:
        super().__init__(text)
        self.checked = checked
        self.level = level


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A vector or a refusal, and how strictly its answer is taken.

    Attributes:
        file: the file of vectors that it is from.
        case: the vector or the refusal.
        fixed: inputs that the asked function does not take.
        unsafe_ulp: how far on the unsafe side an answer may lie, in ulp.
        excess: the largest relative error on the safe side, or "declared" for that of the
            vector's class of tolerance; None lets any pass.
        harm: says what an unsafe answer does to the promise, in words and as a level.
    """

    file: VectorFile
    case: Vector | Refusal
    fixed: Mapping[str, float]
    unsafe_ulp: float = 0
    excess: float | Literal["declared"] | None = None
    harm: Callable[[str, Vector | Refusal, Any], tuple[str, str]] | None = None

    @property
    def function(self) -> str:
        """The group of the vector: the function that it is about."""
        return self.file.function

    @property
    def id(self) -> str:
        """The vector's stable id within its group."""
        return self.case.id

    @property
    def flags(self) -> tuple[str, ...]:
        """Why the vector exists, in a word each."""
        return self.case.flags

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the vector exists, in a sentence each."""
        return tuple(self.file.notes[flag] for flag in self.flags)

    @property
    def valid(self) -> bool:
        """Whether there is an answer; else the input is to be refused."""
        return isinstance(self.case, Vector)

    @property
    def inputs(self) -> dict[str, int | float]:
        """The exact inputs without those that are fixed: float64, or int for what counts."""
        return {
            name: float(value) if isinstance(value, str) else value
            for name, value in self.case.inputs.items()
            if name not in self.fixed
        }

    def check(self, answer: Any) -> None:
        """Raise an AssertionError that explains itself unless the answer is right.

        Args:
            answer: any real number type, or text; it is taken exactly as it is.
        """
        __tracebackhide__ = True
        if isinstance(self.case, Refusal):
            checked = check_refusal(self.case, answer)
        else:
            checked = check(
                self.file, self.case, answer, unsafe_ulp=self.unsafe_ulp, excess=self.excess
            )
        if checked.result in UNSAFE:
            harm, level = ("", "")
            if self.harm is not None and checked.result is CheckResult.VIOLATING:
                harm, level = self.harm(self.function, self.case, answer)
            raise VectorError(self._explain(checked, answer, harm), checked, level)

    def call(
        self,
        function: Callable[..., Any],
        *,
        refuses: type[BaseException] | tuple[type[BaseException], ...] = Exception,
    ) -> None:
        """Call a function with the inputs by name and check what comes of it.

        An error is right where the input is not in the domain, and where no float64 is the
        answer; elsewhere it is passed on.

        Args:
            function: takes the inputs as keywords.
            refuses: the errors that count as a refusal.
        """
        __tracebackhide__ = True
        try:
            answer = function(**self.inputs)
        except refuses:
            if isinstance(self.case, Vector) and self.case.float64 is not None:
                raise
            return
        self.check(answer)

    def _explain(self, checked: VectorCheck, answer: Any, harm: str) -> str:
        inputs = ", ".join(f"{name}={value}" for name, value in self.case.inputs.items())
        lines = [f"{checked.result}: {checked.text}", f"  asked   {self.function}({inputs})"]
        lines.append(f"  answer  {spell(answer)}")
        if isinstance(self.case, Vector):
            lines.append(f"  truth   proved to lie in [{self.case.low}, {self.case.high}]")
            if self.case.float64 is None:
                lines.append("  safe    no float64: the exact value is above the largest")
            else:
                lines.append(f"  safe    rounded {self.file.rounding}: {spell(self.case.float64)}")
        if harm:
            lines.append(f"  harm    {harm}")
        lines += [f"  why     {flag}: {self.file.notes[flag]}" for flag in self.flags]
        return "\n".join(lines)
