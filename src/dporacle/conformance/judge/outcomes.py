"""The outcome of one answer, by the balls alone.

It compares an exact answer with an interval that contains the exact truth; where the
answer lies within the interval, the interval is made smaller until it does not. No float64
takes part in the decision; floats appear in the sizes that are reported.
"""

from __future__ import annotations

import enum
import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, limits_of
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.judge import compare
from dporacle.conformance.judge.harm import Consequence, consequence, level_of
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.quantities import JUDGED, Quantity, enclose
from dporacle.enclosures.arithmetic.rounding import round_decimal
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED

__all__ = ["FLAWED", "TIGHT_ULP", "UNSAFE", "JudgedCase", "Outcome", "judge", "size"]

LOOSE = 0.01
"""A safe answer is tight within this share of the exact value (of the smaller of both), and loose
above it."""

ROUNDING = 1e-9
"""An unsafe answer is rounded if its error, and the harm, are at most this share: what the vectors
allow at everyday parameters."""

TIGHT_ULP = 4
"""It is tight too within so many units in the last place: near 0 no float64 may be nearer."""

_NEAREST_ULP = 0.5  # nobody who answers in float64 comes nearer
_SHOWN = 25  # digits of the truth: more than a float64 has
_END = 15  # digits of an end
_ERASED = "less than what the valid event costs by itself"
_LARGEST = Fraction(sys.float_info.max)
_LOOSE, _NEAR = (Fraction(repr(each)) for each in (LOOSE, ROUNDING))  # as they are written
_FINE, _FAR_ULP = 20, 64.0  # digits that tell half a last place; an error that fewer tell too


class Outcome(enum.StrEnum):
    """What an answer is, the classes of the table, worst first."""

    VIOLATING = "violating"
    HANG = "hang"
    CRASH = "crash"
    NON_FINITE = "non-finite"
    ACCEPTS_INVALID = "accepts invalid"
    INCONSISTENT = "inconsistent"
    ROUNDED = "rounded"
    REFUSES_VALID = "refuses valid"
    LOOSE = "loose"
    TIGHT = "tight"
    REFUSES_INVALID = "refuses invalid"
    SKIPPED = "skipped"
    NOT_ASKED = "not asked"


FLAWED = frozenset(
    {
        Outcome.VIOLATING,
        Outcome.HANG,
        Outcome.CRASH,
        Outcome.NON_FINITE,
        Outcome.ACCEPTS_INVALID,
        Outcome.INCONSISTENT,
        Outcome.ROUNDED,
    }
)
"""The classes of answers that are not as they should be. To refuse a valid input harms nobody."""

SILENT = frozenset({Outcome.HANG, Outcome.CRASH, Outcome.NON_FINITE})
"""The classes of what is no answer, where there is one."""

UNASKED = (Outcome.SKIPPED, Outcome.NOT_ASKED)

UNSAFE = (Outcome.VIOLATING, Outcome.ROUNDED)
"""The classes of answers on the unsafe side. In the second, the error and the harm are 1e-9 at
most, or the answer is the nearest float64."""


def size(excess: float | None, ulp: float | None) -> float:
    """How bad: the relative error; where the truth is subnormal or 0, by its absolute size."""
    by_ulp = math.inf if ulp is None else abs(ulp) * 2.0**-53
    return by_ulp if excess is None else min(abs(excess), by_ulp)


class JudgedCase(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judged answer, with what somebody else needs to check it.

    Attributes:
        case: the case's id.
        arguments: the exact input, as hexadecimal floats.
        outcome: what it is.
        quantity: what was asked.
        answer: the answer, exactly.
        truth: the exact value, 20 digits or more; 15 or more where a proof takes long.
        excess: (answer − truth)/truth; negative is below. None where the truth is 0.
        ulp: (answer − truth) in units in the last place of the truth.
        requested_delta: the δ that was asked for, for σ and ε.
        true_delta: the δ that the answered σ or ε really gives.
        delta_ratio: true δ over requested δ.
        promise: what was promised with the answer: an argument's name, or the quantity itself.
        ratio: the true figure over the promised one; above 1 the promise is broken.
        harm: how much more is true than was promised, as a share of the promise: of that in ε and
            that in δ the smaller.
        level: how much harm is done, where some is.
        message: what was said instead of an answer.
        note: why the case exists.
        flags: the same in words to filter by.
        seconds: how long the answer took.
    """

    case: str
    arguments: dict[str, str]
    outcome: Outcome
    quantity: str = ""
    answer: str | None = None
    truth: str | None = None
    excess: float | None = None
    ulp: float | None = None
    requested_delta: float | None = None
    true_delta: str | None = None
    delta_ratio: float | None = None
    promise: str = ""
    ratio: float | None = None
    harm: float | None = None
    level: Level | None = None
    message: str = ""
    note: str = ""
    flags: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def size(self) -> float:
        """How bad it is."""
        return size(self.excess, self.ulp)

    @property
    def flawed(self) -> bool:
        """Whether it is not as it should be."""
        return self.outcome in FLAWED

    @property
    def unsafe(self) -> bool:
        """Whether it lies on the unsafe side, by however little."""
        return self.outcome in UNSAFE

    @property
    def worst_harm(self) -> float:
        """The harm of an unsafe answer; infinite where it was not told."""
        if self.harm is not None:
            return self.harm
        return 0.0 if self.outcome is Outcome.ROUNDED else math.inf

    @property
    def asked(self) -> bool:
        """Whether the library had the chance to answer."""
        return self.outcome not in UNASKED

    @property
    def everyday(self) -> bool:
        """Whether people work with such inputs."""
        return worked(self.flags)

    @property
    def error(self) -> str:
        """The error as ulp while it is one of rounding, else in percent."""
        if self.ulp is not None and abs(self.ulp) < 1000:
            return f"{abs(self.ulp):.2g} ulp" if abs(self.ulp) >= 0.01 else "< 0.01 ulp"
        if self.excess is None or not math.isfinite(self.excess):
            return "not in proportion"
        percent = abs(self.excess) * 100
        return (
            f"{percent:.3g} %" if percent < 1000 else f"{float(f'{abs(self.excess):.3g}'):g} times"
        )


def judge(case: Case, answer: Answer, *, told: bool = True) -> JudgedCase:
    """Return a library's answer to a case, judged.

    Args:
        case: the case.
        answer: what came back.
        told: whether to tell what an answer does to its promise, which takes a proof of its own;
            otherwise an unsafe one counts as the worst.
    """
    judged = _judged(case, answer, told=told)
    level = level_of(judged.outcome, judged.level)
    return judged if level is judged.level else msgspec.structs.replace(judged, level=level)


def _judged(case: Case, answer: Answer, *, told: bool) -> JudgedCase:
    common: dict[str, Any] = {
        "case": case.id,
        "quantity": case.quantity,
        "arguments": {name: _hex(value) for name, value in case.arguments.items()},
        "message": answer.message,
        "note": case.note,
        "flags": case.flags,
        "seconds": answer.seconds,
    }
    early = {
        End.HUNG: Outcome.HANG,
        End.DIED: Outcome.CRASH,
        End.BROKE_PROTOCOL: Outcome.CRASH,
        End.SKIPPED: Outcome.SKIPPED,
        End.NOT_ASKED: Outcome.NOT_ASKED,
    }
    if answer.end in early:
        return JudgedCase(outcome=early[answer.end], **common)
    value: Fraction | float | None = None
    if answer.value is not None:
        value = protocol.read_number(answer.value)
        common["answer"] = _spelt(answer.value)
    quantity = JUDGED[case.quantity]
    truth = _truth(quantity, case) if case.valid else None
    if truth is None:
        found = _beside_a_bad_event(case, answer, value, told=told)
        return found or JudgedCase(outcome=_judge_invalid(case, value), **common)
    common["truth"] = truth.text
    if value is None:
        if truth.above_float():  # no finite float64 answers this: to say so is right
            return JudgedCase(outcome=Outcome.REFUSES_INVALID, **common)
        refused = answer.end is End.REFUSED
        return JudgedCase(outcome=Outcome.REFUSES_VALID if refused else Outcome.CRASH, **common)
    if isinstance(value, float):
        rounded_up = value == math.inf and quantity.safe == "up" and truth.above_float()
        return JudgedCase(outcome=Outcome.TIGHT if rounded_up else Outcome.NON_FINITE, **common)

    side = truth.side(value)
    common["truth"] = truth.told(value)
    unsafe = side == (-1 if quantity.safe == "up" else 1)
    excess, ulp = truth.error(value)
    common |= {"excess": excess, "ulp": ulp}
    nearest = abs(ulp) <= _NEAREST_ULP and not quantity.whole
    if told:
        common |= _harm(case, value, truth, unsafe=unsafe and not nearest)
    if unsafe:
        # Where δ is near 1, an answer that is far off does no harm either, and is not rounded.
        slight = excess is not None and abs(excess) <= ROUNDING
        rounded = nearest or (slight and common.get("level") is Level.LAST_DIGITS)
        return JudgedCase(outcome=Outcome.ROUNDED if rounded else Outcome.VIOLATING, **common)
    tight = side == 0 or abs(ulp) <= TIGHT_ULP or truth.near(value)
    return JudgedCase(outcome=Outcome.TIGHT if tight else Outcome.LOOSE, **common)


def _judge_invalid(case: Case, value: Fraction | float | None) -> Outcome:
    acceptable = case.acceptable or limits_of(case.quantity, case.arguments)
    unknown = any(map(math.isnan, case.arguments.values()))
    passed_on = unknown and isinstance(value, float) and math.isnan(value)
    if value is None or passed_on or any(value == limit for limit in acceptable):
        return Outcome.REFUSES_INVALID
    if isinstance(value, Fraction) and _true_below_zero(case, value):
        return Outcome.REFUSES_INVALID
    return Outcome.ACCEPTS_INVALID


def _beside_a_bad_event(
    case: Case, answer: Answer, value: Fraction | float | None, *, told: bool
) -> JudgedCase | None:
    """Return the answer, judged, if it is below what a valid event costs beside one that is bad.

    Infinite noise tells nothing, so what the valid one costs is right there.
    """
    if case.part is None or not isinstance(value, Fraction):
        return None
    quantity, arguments = case.part
    valid = replace(case, quantity=quantity, arguments=arguments, valid=True, part=None)
    found = _judged(valid, answer, told=told)
    own = {"quantity": case.quantity, "arguments": {n: _hex(v) for n, v in case.arguments.items()}}
    if found.outcome is Outcome.VIOLATING:
        return msgspec.structs.replace(found, message=_ERASED, **own)
    if math.inf in case.arguments.values() and not found.unsafe:
        return msgspec.structs.replace(found, outcome=Outcome.REFUSES_INVALID, truth=None, **own)
    return None


def _true_below_zero(case: Case, value: Fraction) -> bool:
    """Whether an answer is the true δ at an ε below 0, but for a rounding in either direction.

    Of two data sets that may change places it follows from the δ at −ε.
    """
    row, epsilon = JUDGED[case.quantity], case.arguments.get("epsilon", 0.0)
    if row.kind is not DELTA or not row.mechanism.mutual or not -math.inf < epsilon < 0:
        return False
    if not -math.expm1(epsilon) - _NEAR <= value <= 1:  # so much is lost without any noise
        return False
    try:
        mirror = enclose(row, {**case.arguments, "epsilon": -epsilon}, digits=row.judged[0])
    except (ValueError, ArithmeticError):
        return False
    truth = compare.middle(compare.mirrored(mirror, Fraction(epsilon)))
    return abs(value - truth) <= _NEAR * truth


_TRUTHS: dict[object, _Truth | ArithmeticError | None] = {}
_REMEMBERED = 20_000  # many functions of many libraries are asked the same cases


def _truth(quantity: Quantity, case: Case) -> _Truth | None:
    """Return the exact value at an input, enclosed once for all who are asked it.

    None where there is none although each argument lies in its domain: no Laplace noise gives
    ε = 0 and δ = 0. Such an input has to be refused.

    Raises:
        ArithmeticError: if no enclosure reaches it.
    """
    key = (quantity.name, frozenset(case.arguments.items()), case.proved)
    if key not in _TRUTHS:
        if len(_TRUTHS) >= _REMEMBERED:
            _TRUTHS.clear()
        found = _Truth(quantity, case)
        try:
            found.ball(quantity.judged[0])
        except ValueError:
            _TRUTHS[key] = None
        except ArithmeticError as error:  # an input that is asked again is not tried again
            _TRUTHS[key] = error
        else:
            _TRUTHS[key] = found
    known = _TRUTHS[key]
    if isinstance(known, ArithmeticError):
        raise known.with_traceback(None)
    return known


class _Truth:
    """The exact value of one case, enclosed as tightly as a comparison needs."""

    def __init__(self, quantity: Quantity, case: Case) -> None:
        self._quantity = quantity
        self._case = case
        self._balls: dict[int, Any] = {}
        self._digits = quantity.judged
        self._meaning: tuple[Fraction, Consequence] | None = None

    def ball(self, digits: int) -> Any:
        if digits not in self._balls:
            proved = self._case.proved
            if proved is not None and digits <= max(self._quantity.certified, self._digits[0]):
                ball = compare.around(*proved)
            else:
                ball = enclose(self._quantity, self._case.arguments, digits=digits)
            self._balls[digits] = ball
        return self._balls[digits]

    def consequence(self, value: Fraction) -> Consequence:
        """Return what an answer does; that of the latest is kept: many answer the same."""
        if self._meaning is None or self._meaning[0] != value:
            case = self._case
            found = consequence(case.quantity, case.arguments, value, self.first)
            self._meaning = value, found
        return self._meaning[1]

    @property
    def first(self) -> Any:
        """The first enclosure, which is tight enough for what is told."""
        return self.ball(self._digits[0])

    @property
    def text(self) -> str:
        return _digits(self.first)

    def told(self, value: Fraction) -> str:
        """Return the truth as it is told of an answer: of two ends the one that it lies beyond."""
        if not self._quantity.ends:
            return self.text
        end = compare.nearest_end(self.first, value)
        inside = self.side(value) == 0
        return self.text if inside else round_decimal(end, _END, up=self.side(value) > 0)

    def side(self, value: Fraction) -> int:
        """Return −1, 0 or 1 as the value is proved below, not told from, or above the truth."""
        for digits in self._digits:
            if side := compare.side(self.ball(digits), value):
                return side
        return 0

    def above_float(self) -> bool:
        """Whether the truth is above the largest float64."""
        return self.side(_LARGEST) < 0

    def near(self, value: Fraction) -> bool:
        """Whether a value and the truth are within a hundredth of the smaller of both."""
        truth = self._beside(self._digits[0], value)
        small, large = sorted((value, truth))
        return small > 0 and large - small <= _LOOSE * small

    def _beside(self, digits: int, value: Fraction) -> Fraction:
        """Return what an answer is measured from: of two ends the one that it lies beyond."""
        ball = self.ball(digits)
        return compare.nearest_end(ball, value) if self._quantity.ends else compare.middle(ball)

    def error(self, value: Fraction) -> tuple[float | None, float]:
        """Return (value − truth)/truth and (value − truth)/ulp(truth), for the report."""
        for digits in self._digits:
            truth = self._beside(digits, value)
            difference = value - truth
            ulp = _float(difference / compare.ulp(truth))
            if digits >= _FINE or abs(ulp) > _FAR_ULP:
                break
        return _float(difference / truth) if truth else None, ulp


def _tells(quantity: Quantity) -> bool:
    """Whether the true δ is told of safe answers too: of a σ or an ε of one Gaussian release."""
    return quantity.mechanism.name == "gaussian" and quantity.kind in (NOISE_NEEDED, EPSILON)


def _harm(case: Case, value: Fraction, truth: _Truth, *, unsafe: bool) -> dict[str, Any]:
    """Return what an answer means; a safe one costs no further proof, but for the true δ."""
    if not unsafe and not _tells(JUDGED[case.quantity]):
        return {}
    found = truth.consequence(value)
    means: dict[str, Any] = {"promise": found.promise, "ratio": found.ratio}
    if unsafe:
        means |= {"level": found.level, "harm": found.harm}
    for each in (found, found.larger):
        if each is not None and each.promise == "delta":
            means |= {
                "requested_delta": float(each.promised),
                "true_delta": each.text,
                "delta_ratio": each.ratio,
            }
    return means


def _digits(ball: Any) -> str:
    return compare.show(ball, _SHOWN)


def _spelt(value: float | Fraction | str) -> str:
    """Return an answer exactly: as it was sent, or as the float64 that it is, or as a fraction."""
    if isinstance(value, Fraction):
        near = _float(value)
        return near.hex() if math.isfinite(near) and value == near else str(value)
    return value if isinstance(value, str) else _hex(value)


def _hex(value: float) -> str:
    return value.hex() if math.isfinite(value) else str(value)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
