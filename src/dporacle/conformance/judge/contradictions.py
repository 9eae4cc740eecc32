"""Answers of one library that cannot both be right: the same event, two of its functions.

Each function is judged by itself. That two of them mean different things by the same words, such
as the noise multiplier under a relation, is a finding of its own: whoever takes the one for a
check of the other is misled, whichever unit was meant. So it is told of inputs where people work,
and of an answer beside one that is near the exact value: that one underflows to 0, or that a
formula gives 1e300, is told of these functions themselves.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.judge import compare
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.vocabulary.questions import QUESTIONS

_APART = Fraction(1, 100)  # of the larger: what rounding and tolerances do not explain
_NEAR = 1.0  # of the exact value: how much too high an answer may be that another contradicts
_BORNE = (Outcome.TIGHT, Outcome.LOOSE)
_DIGITS = 15  # of the truth between two answers that are far apart


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


def contradictions(functions: Iterable[tuple[str, list[JudgedCase]]]) -> list[Contradiction]:
    """Return for each function that another one of its library contradicts the plainest case."""
    asked: defaultdict[tuple[str, frozenset[tuple[str, str]]], list[tuple[str, JudgedCase]]]
    asked = defaultdict(list)
    for name, answers in functions:
        for judged in answers:
            if judged.answer is not None and judged.truth is not None and judged.everyday:
                key = judged.quantity, frozenset(judged.arguments.items())
                asked[key].append((name, judged))
    found: dict[str, Contradiction] = {}
    for made, _ in sorted(_between(asked), key=lambda pair: _plainness(*pair)):
        found.setdefault(made.wrong, made)
    return [msgspec.structs.replace(each, reading=_otherwise(each)) for each in found.values()]


def _between(
    asked: Mapping[tuple[str, frozenset[tuple[str, str]]], list[tuple[str, JudgedCase]]],
) -> Iterator[tuple[Contradiction, int]]:
    for answers in asked.values():
        right = [
            (name, each)
            for name, each in answers
            if each.outcome in _BORNE and abs(each.excess or 0.0) <= _NEAR
        ]
        if not right:
            continue
        name, borne = min(right, key=lambda pair: abs(pair[1].excess or 0.0))
        for other, judged in answers:
            # An answer that is low in its last digits contradicts no loose bound.
            apart = (_far(judged.answer, text) for text in (borne.answer, judged.truth))
            if judged.outcome is Outcome.VIOLATING and all(apart):
                made = Contradiction(
                    quantity=judged.quantity,
                    arguments=judged.arguments,
                    wrong=other,
                    wrong_answer=judged.answer or "",
                    right=name,
                    right_answer=borne.answer or "",
                    truth=judged.truth or "",
                )
                yield made, len(judged.flags)


def _far(one: str | None, other: str | None) -> bool:
    first, second = _number(one), _number(other)
    return abs(first - second) > _APART * max(abs(first), abs(second))


def _number(text: str | None) -> Fraction:
    number = protocol.read_number(text or "nan")
    return number if isinstance(number, Fraction) else Fraction(0)


def _plainness(made: Contradiction, reasons: int) -> tuple[int, int, Fraction]:
    """Few digits first, then many reasons; then where the answers are the furthest apart."""
    digits = sum(len(repr(float.fromhex(each))) for each in made.arguments.values())
    wrong, right = _number(made.wrong_answer), _number(made.right_answer)
    return digits, -reasons, -abs(wrong - right) / max(abs(wrong), abs(right))


def _otherwise(made: Contradiction) -> str:
    """Say what both are where the noise is a multiple of the other unit."""
    question = QUESTIONS.get(made.quantity)
    units = ("Δ", "C")
    if question is not None and question.noise is not None:
        row = question.source
        units = units if question.noise > 1 else ("C", "Δ")
    else:
        turned = [q.row for q in QUESTIONS.values() if q.source.name == made.quantity]
        if not turned or not made.quantity.endswith("_replace"):
            return ""
        (row,) = turned
    given = {name: float.fromhex(value) for name, value in made.arguments.items()}
    truth = compare.middle(enclose(row, row.defaults | given, digits=_DIGITS))
    wrong, right = _number(made.wrong_answer), _number(made.right_answer)
    first = "right" if (wrong >= truth) is (row.safe == "up") else "on the unsafe side too"
    return (
        f" With the noise over {units[0]} instead of {units[1]} it would be {float(truth):.6g}: "
        f"the first would then be {first}, the second {float(right / truth):.3g} times that."
        if truth
        else ""
    )


def _brief(answer: str) -> str:
    number = protocol.read_number(answer)
    return f"{float(number):.6g}"
