"""Pictures of a function's errors against its inputs, as places in a drawing.

Upwards is an answer above the exact value, by a signed logarithm of the error in ulp; what gave
no number stands in lanes beneath. A shape, not only a colour, says the class.
"""

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from dporacle.conformance.grade.runs import FunctionResult
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.conformance.quantities import QUANTITIES
from dporacle.report.axes import SCALES, LogAxis, Tick, height, logarithm, power, scale_for
from dporacle.report.classes import CLASSES

WIDTH, LEFT, RIGHT = 400, 92, 384
_TOP, _MIDDLE, _BOTTOM = 8.0, 108.0, 208.0
_LANE = 15.0
_CELLS = (3.0, 5.0, 8.0, 12.0, 20.0, 40.0)
_UNSAFE = ("violating", "rounded")
_MEASURED = ("tight", "loose", "inconsistent", *_UNSAFE)
_LANES = ("hang", "crash", "non-finite", "accepts invalid", "inconsistent", "refuses valid")
_SYMBOLS = {"epsilon": "ε", "delta": "δ", "sigma": "σ", "alpha": "α"}


@dataclass
class PlottedCase:
    """A case in a picture, and how many more of its class stand at the same spot."""

    case: JudgedCase
    x: float
    y: float
    more: int = 0
    flags: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Picture:
    """One drawing.

    Attributes:
        name: the input along the axis, in the field's letter.
        exact: whether that is no input but the exact value of the answer.
        axis: the axis.
        points: what is drawn, the worst last and so on top.
        lanes: (class, y) of the cases without a number.
        scale: how far up and down the errors reach, as a power of ten of an ulp.
        unsafe: "above" or "below": the side of the exact value where an error does harm.
        absent: how many cases have no place on the axis.
    """

    name: str
    exact: bool
    axis: LogAxis
    points: list[PlottedCase]
    lanes: dict[str, float]
    scale: int
    unsafe: str
    absent: int

    @property
    def bottom(self) -> float:
        """Where the axis stands."""
        return _BOTTOM + _LANE * len(self.lanes) + (3 if self.lanes else 0)

    @property
    def shaded(self) -> float:
        """Where the unsafe half begins, which is as high as the other."""
        return _MIDDLE if self.unsafe == "below" else _TOP

    @property
    def marks(self) -> list[Tick]:
        """The marks of the errors."""
        found = [Tick(_MIDDLE, "exact")]
        for exponent in SCALES[self.scale]:
            for sign, text in ((1, "+"), (-1, "−")):
                at = _height(sign * 10.0**exponent, self.scale)
                found.append(Tick(at, f"{text}{power(exponent)} ulp"))
        return found

    @property
    def thinned(self) -> int:
        """How many cases stand under another one of their class."""
        return sum(point.more for point in self.points)

    @property
    def summary(self) -> str:
        """The picture in words."""
        measured = [p for p in self.points if p.case.outcome not in self.lanes]
        known = [p for p in measured if p.case.outcome in _UNSAFE]
        if not known:
            return "no answer on the unsafe side"
        ends = sorted(known, key=lambda point: point.x)
        low, high = self.shown(ends[0].case), self.shown(ends[-1].case)
        where = f"{self.name} = {low}" if low == high else f"{self.name} from {low} to {high}"
        number = sum(1 + point.more for point in known)
        answers = "answer" if number == 1 else "answers"
        return f"{number} {answers} on the unsafe side, at {where}"

    def shown(self, case: JudgedCase) -> str:
        """Return the case's number on the axis, briefly."""
        return _brief(_written(case, self.axis.name, exact=self.exact))


def pictures(item: FunctionResult, *, most: int) -> list[Picture]:
    """Return a function's pictures over ε and δ, else over what it depends on.

    Args:
        item: the judged function.
        most: the largest number of points in one picture; more are drawn as one where they are
            close to each other.
    """
    drawn = [each for each in item.judged if each.outcome in (*_MEASURED, *_LANES)]
    return [_picture(item, drawn, *parameter, most=most) for parameter in _parameters(item)]


def _parameters(item: FunctionResult) -> list[tuple[str, bool]]:
    """Return (name, whether it is the answer's exact value) of at most two inputs."""
    given = list(dict.fromkeys(name for each in item.judged for name in each.arguments))
    answer = item.function.quantity.partition("_")[0]  # as in delta_at_epsilon
    chosen = [
        (name, name not in given)
        for name in ("epsilon", "delta")
        if name in given or name == answer
    ]
    others = [(name, False) for name in given if name not in ("epsilon", "delta", "sensitivity")]
    return (chosen + others)[:2]


def _picture(
    item: FunctionResult, drawn: list[JudgedCase], name: str, exact: bool, *, most: int
) -> Picture:
    logs = [logarithm(_written(case, name, exact=exact)) for case in drawn]
    axis = LogAxis.over(name, [x for x in logs if x is not None], left=LEFT, right=RIGHT)
    quantity = QUANTITIES.get(item.function.quantity)
    unsafe = "above" if quantity is not None and quantity.safe == "down" else "below"
    silent = {
        case.outcome
        for case, log in zip(drawn, logs, strict=True)
        if log is not None and _error(case, unsafe) is None
    }
    lanes = {
        outcome: _BOTTOM + 3 + _LANE * (index + 0.5)
        for index, outcome in enumerate(each for each in _LANES if each in silent)
    }
    scale = scale_for(e for case in drawn if (e := _error(case, unsafe)) is not None)
    points = []
    for case, log in zip(drawn, logs, strict=True):
        error = _error(case, unsafe)
        y = lanes.get(case.outcome) if error is None else _height(error, scale)
        if log is not None and y is not None:
            points.append(PlottedCase(case, axis.at(log), y, flags=set(case.flags)))
    absent = len(drawn) - len(points)
    points = _thin(points, most)
    order = [*reversed(CLASSES)]
    points.sort(key=lambda point: order.index(point.case.outcome))
    symbol = _SYMBOLS.get(name, name)
    return Picture(symbol, exact, axis, points, lanes, scale, unsafe, absent)


def _written(case: JudgedCase, name: str, *, exact: bool) -> str:
    return (case.truth or "") if exact else case.arguments.get(name, "")


def _error(case: JudgedCase, unsafe: str) -> float | None:
    """Return an answer's error in ulp; an error beyond all bounds was written as nothing."""
    if case.outcome not in _MEASURED:
        return None
    if case.ulp is not None or case.outcome == "inconsistent":
        return case.ulp
    if case.outcome == "tight":  # infinity, where the exact value is above every float64
        return 0.0
    below = (unsafe == "below") == (case.outcome in _UNSAFE)
    return -math.inf if below else math.inf


def _height(ulp: float, scale: int) -> float:
    return _MIDDLE - (_MIDDLE - _TOP) * height(ulp, scale)


def _thin(points: Sequence[PlottedCase], most: int) -> list[PlottedCase]:
    """Draw the points of a class that are close to each other as the worst of them."""
    kept: dict[tuple[str, int, int], PlottedCase] = {}
    for cell in _CELLS:
        kept = {}
        for point in points:
            key = (point.case.outcome, int(point.x // cell), int(point.y // cell))
            other = kept.setdefault(key, point)
            if other is not point and point.case.size > other.case.size:
                kept[key] = point
        if len(kept) <= most:
            break
    for point in points:
        key = (point.case.outcome, int(point.x // cell), int(point.y // cell))
        if kept[key] is not point:
            kept[key].more += 1
            kept[key].flags |= point.flags
    return list(kept.values())


def _brief(text: str) -> str:
    """Return three digits of a number, which may be beyond every float64."""
    try:
        number = float.fromhex(text) if "0x" in text else decimal.Decimal(text)
        return f"{number:.3g}"
    except (ValueError, OverflowError, decimal.DecimalException):
        return text
