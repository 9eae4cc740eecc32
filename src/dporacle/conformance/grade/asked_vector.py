"""One vector, put to a library's own code: judged as `dporacle conform` judges it."""

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

from dporacle import arguments
from dporacle.conformance.adapters.serve import ACCIDENTS, REFUSALS
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import case_of
from dporacle.conformance.grade.findings import harm_text
from dporacle.conformance.grade.functions import Gate, extra
from dporacle.conformance.judge.outcomes import TIGHT_ULP, UNSAFE, JudgedCase, Outcome, judge
from dporacle.vectors.vector_file import Refusal, Vector, VectorFile

DECLARED: Final = "declared"
"""As an excess: what the vector's own class of tolerance allows."""


class VectorError(AssertionError):
    """A wrong answer to a vector, judged."""

    def __init__(self, text: str, judged: JudgedCase) -> None:
        super().__init__(text)
        self.judged = judged


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AskedVector:
    """A vector or an input that is to be refused, and how strictly its answer is taken.

    Attributes:
        file: the file of vectors that it is from.
        vector: the vector or the refusal.
        fixed: inputs that the asked function does not take.
        gate: what fails.
        excess: the largest excess of a safe answer, as a share of the smaller of it and the exact
            value, or "declared" for that of the vector's class of tolerance; None lets any pass.
        declined: is told of a valid input that was refused, which harms nobody's privacy.
        found: the answers so far, judged.
    """

    file: VectorFile
    vector: Vector | Refusal
    fixed: Mapping[str, float]
    gate: Gate = Gate()  # noqa: RUF009 - it is frozen
    excess: float | Literal["declared"] | None = None
    declined: Callable[[str], object] = lambda words: None
    found: list[JudgedCase] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return what pytest shows beside a failure: which vector it is, not the whole file."""
        return f"<vector {self.function}[{self.id}]>"

    @property
    def function(self) -> str:
        """The group of the vector: the function that it is about."""
        return self.file.function

    @property
    def id(self) -> str:
        """The vector's stable id within its group."""
        return self.vector.id

    @property
    def flags(self) -> tuple[str, ...]:
        """Why the vector exists, in a word each."""
        return self.vector.flags

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the vector exists, in a sentence each."""
        return tuple(self.file.notes[flag] for flag in self.flags)

    @property
    def valid(self) -> bool:
        """Whether there is an answer; else the input is to be refused."""
        return isinstance(self.vector, Vector)

    @property
    def inputs(self) -> dict[str, int | float]:
        """The exact inputs without those that are fixed: float64, or int for what counts."""
        return {
            name: float(value) if isinstance(value, str) else value
            for name, value in self.vector.inputs.items()
            if name not in self.fixed
        }

    def check(self, answer: Any) -> None:
        """Raise an AssertionError that explains itself unless the answer is right.

        Args:
            answer: any real number type, or text; it is taken exactly as it is.

        Raises:
            VectorError: if the answer fails the gate.
        """
        __tracebackhide__ = True
        judged = self._judged(_answer(answer))
        if self.gate.counts(judged) or self._too_loose(judged):
            raise VectorError(self._explain(judged, answer), judged)

    def call(
        self,
        function: Callable[..., Any],
        *,
        refuses: type[BaseException] | tuple[type[BaseException], ...] = REFUSALS,
    ) -> None:
        """Call a function with the inputs by name and check what comes of it.

        An error is right where the input is not in the domain, and where no float64 is the
        answer. Elsewhere a refusal harms nobody's privacy, and any other error is passed on.

        Args:
            function: takes the inputs as keywords.
            refuses: the errors that count as a refusal.

        Raises:
            VectorError: if the answer fails the gate.
        """
        __tracebackhide__ = True
        try:
            answer = function(**self.inputs)
        except Exception as error:
            judged = self.raised(error, refuses)
            if judged.outcome is Outcome.REFUSES_VALID:
                self.declined(f"{judged.outcome}: {judged.message}")
            elif self.gate.counts(judged):
                raise
            return
        self.check(answer)

    def raised(
        self, error: Exception, refuses: type[BaseException] | tuple[type[BaseException], ...] = ()
    ) -> JudgedCase:
        """Return what an error is, instead of an answer.

        Args:
            error: the error.
            refuses: the errors that count as a refusal.
        """
        meant = isinstance(error, refuses) and not str(error).startswith(ACCIDENTS)
        words = f"{type(error).__name__}: {error}"
        return self._judged(Answer(end=End.REFUSED if meant else End.ERROR, message=words))

    def _judged(self, answer: Answer) -> JudgedCase:
        judged = judge(case_of(self.file, self.vector), answer)
        self.found.append(judged)
        return judged

    def _too_loose(self, judged: JudgedCase) -> bool:
        if self.excess is None or (more := extra(judged)) is None:
            return False
        allowed = self.excess
        if allowed == DECLARED:
            assert isinstance(self.vector, Vector)  # nothing else has an excess
            relative = self.file.tolerances[self.vector.tolerance].relative
            allowed = float(arguments.parse("relative", relative))
        return more > allowed and (judged.ulp is None or abs(judged.ulp) > TIGHT_ULP)

    def _explain(self, judged: JudgedCase, answer: Any) -> str:
        inputs = ", ".join(f"{name}={value}" for name, value in self.vector.inputs.items())
        lines = [f"{judged.outcome}: {self._said(judged)}"]
        lines += [f"  asked   {self.function}({inputs})", f"  answer  {spell(answer)}"]
        if judged.outcome in UNSAFE:
            lines.append(f"  harm    {harm_text(judged)}: {judged.level}")
        if isinstance(self.vector, Vector):
            vector = self.vector
            lines.append(f"  truth   proved to lie in [{vector.low}, {vector.high}]")
            if vector.float64 is None:
                lines.append("  safe    no float64: the exact value is above the largest")
            else:
                lines.append(f"  safe    rounded {self.file.rounding}: {spell(vector.float64)}")
        lines += [f"  why     {flag}: {self.file.notes[flag]}" for flag in self.flags]
        return "\n".join(lines)

    def _said(self, judged: JudgedCase) -> str:
        if isinstance(self.vector, Refusal):
            return f"an answer, although {self.vector.argument} is not in the domain"
        if judged.outcome in (Outcome.LOOSE, Outcome.TIGHT):
            return f"on the safe side, by {judged.error}"
        if judged.outcome in UNSAFE:
            side = "below" if self.file.rounding == "up" else "above"
            return f"{side} the exact value, by {judged.error}"
        return judged.message or "the exact value is a number"


def _answer(answer: Any) -> Answer:
    """Return what came back, exactly; what is no number is an error, as an adapter says it."""
    try:
        return Answer(end=End.VALUE, value=_number(answer))
    except (TypeError, ValueError) as error:
        return Answer(end=End.ERROR, message=str(error))


def _number(answer: Any) -> Fraction | float:
    """Return a finite answer exactly, any other as the float inf, -inf or nan.

    Raises:
        TypeError, ValueError: if it is no number.
    """
    if isinstance(answer, str):
        try:
            return float(answer) if not math.isfinite(float(answer)) else _text(answer)
        except ValueError:
            return _text(answer)
    if not isinstance(answer, (numbers.Number, Decimal)) and hasattr(answer, "item"):
        answer = answer.item()  # an array of one number
    inexact = isinstance(answer, (float, numbers.Real, Decimal))
    if inexact and not isinstance(answer, numbers.Rational) and not math.isfinite(answer):
        return float(answer)
    return arguments.exact("answer", answer)


def _text(answer: str) -> Fraction:
    return arguments.parse("answer", answer)


def spell(answer: Any) -> str:
    """Return an answer as it is shown: a float with its hexadecimal form."""
    if isinstance(answer, float) and math.isfinite(answer):
        number = float(answer)  # numpy's float64 writes its type with it
        return f"{number!r} ({number.hex()})"
    return arguments.show(answer)
