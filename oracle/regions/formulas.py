"""Claims about a formula over a rectangle: "F is private for ε in [a, b] and δ in [c, d]"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures import delta_at_epsilon, rounding
from dporacle.enclosures._balls import ball, precision
from dporacle.regions._text import decimal, rational, read_rational
from dporacle.regions.boxes import geometric_middle
from dporacle.regions.calibrations import CALIBRATIONS, Calibration, excess, slopes
from dporacle.regions.engine import Limits, Run, run
from dporacle.regions.model import (
    Axis,
    Box,
    Counterexample,
    Lemma,
    Outcome,
    Parameters,
    Part,
    Point,
    Theorem,
    proved,
    refuted,
    unknown,
)
from dporacle.verdicts import Verdict

__all__ = [
    "RISE",
    "FormulaVerdict",
    "Side",
    "decide_formula",
    "extreme",
    "from_spec",
    "is_private",
    "part",
    "read_rectangle",
    "theorem",
]

_EPS, _DELTA = 0, 1
_BITS = 128
_DIGITS = 30
_DEPTH = 200
_BOXES = 20_000
_HALF = Fraction(1, 2)
_UNKNOWN = 1e100

RISE = Lemma("rise", "at fixed δ, δ(ε) rises with ε: a box is decided at one end of its ε")


@dataclass(frozen=True, slots=True)
class FormulaVerdict:
    """What was proved about a formula over a rectangle.

    Attributes:
        verdict: HOLDS, VIOLATED at the counterexample, or UNDECIDED.
        run: the boxes; `regions.artefact.write` makes them a file.
    """

    verdict: Verdict
    run: Run

    @property
    def counterexample(self) -> Counterexample | None:
        """A point of the rectangle at which the formula is not private, if one was found."""
        return self.run.counterexample


def decide_formula(
    name: str,
    *,
    epsilon: tuple[Exact, Exact],
    delta: tuple[Exact, Exact],
    executor: Executor | None = None,
    workers: int = 1,
    limits: Limits | None = None,
) -> FormulaVerdict:
    """Prove or refute that a closed-form calibration is private over a whole rectangle.

    Args:
        name: of the calibration, a key of `calibrations.CALIBRATIONS`.
        epsilon: the two ends, both included; 0 < first ≤ second.
        delta: the two ends, both included; 0 < first ≤ second < 1.
        executor: where boxes are decided; by default here.
        workers: how many processes, if no executor is given.
        limits: when to give up; 20,000 boxes by default.

    Raises:
        TypeError, ValueError: naming the argument that is wrong.
    """
    claim = theorem(name, epsilon=epsilon, delta=delta)
    found = run(
        Run.start(claim),
        executor=executor,
        workers=workers,
        limits=limits or Limits(depth=_DEPTH, boxes=_BOXES),
    )
    verdict = {"proved": Verdict.HOLDS, "refuted": Verdict.VIOLATED}.get(found.status)
    return FormulaVerdict(verdict or Verdict.UNDECIDED, found)


def theorem(name: str, *, epsilon: tuple[Exact, Exact], delta: tuple[Exact, Exact]) -> Theorem:
    """Return the claim as a theorem; arguments and errors as for `decide_formula`."""
    calibration, eps, target = read_rectangle(name, epsilon, delta)
    return Theorem(
        id=f"formula:{name}",
        statement=f"{calibration.formula} is (ε,δ)-DP for all ε from {decimal(eps[0])} to "
        f"{decimal(eps[1])} and δ from {decimal(target[0])} to {decimal(target[1])}",
        spec={
            "formula": name,
            "epsilon": [rational(end) for end in eps],
            "delta": [rational(end) for end in target],
        },
        parts=(part(calibration, epsilon=eps, delta=target),),
        lemmas=(RISE,) if calibration.rises else (),
        covering="the rectangle is the whole domain",
    )


def read_rectangle(
    name: str, epsilon: tuple[Exact, Exact], delta: tuple[Exact, Exact]
) -> tuple[Calibration, tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Return a calibration and the exact ends of a rectangle.

    Raises:
        TypeError, ValueError: naming the argument that is wrong.
    """
    if name not in CALIBRATIONS:
        known = ", ".join(CALIBRATIONS)
        raise ValueError(f"formula must be one of {known}, got {arguments.show(name)}")
    eps = _ends("epsilon", epsilon, lambda value: arguments.positive("epsilon", value))
    return CALIBRATIONS[name], eps, _ends("delta", delta, arguments.delta)


def _ends(
    name: str, pair: tuple[Exact, Exact], read: Callable[[Exact], Fraction]
) -> tuple[Fraction, Fraction]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name} must have two ends, got {arguments.show(pair)}")
    low, high = read(pair[0]), read(pair[1])
    if low > high:
        shown = f"{arguments.show(pair[0])} and {arguments.show(pair[1])}"
        raise ValueError(f"{name} must not fall from its first end to its second, got {shown}")
    return low, high


def from_spec(spec: dict[str, Any]) -> Theorem:
    """Make the theorem of a spec.

    Raises:
        ValueError: naming what is wrong with it.
    """
    if set(spec) != {"formula", "epsilon", "delta"}:
        raise ValueError("a claim about a formula has the fields formula, epsilon and delta")
    ends = {}
    for name in ("epsilon", "delta"):
        pair = spec[name]
        if not isinstance(pair, list) or not all(isinstance(each, str) for each in pair):
            raise ValueError(f"{name} must be a list of two numbers as text")
        ends[name] = tuple(read_rational(each) for each in pair)
    name = spec["formula"]
    if not isinstance(name, str):
        raise ValueError("formula must be a name")
    return theorem(name, epsilon=ends["epsilon"], delta=ends["delta"])  # type: ignore[arg-type]


def part(
    calibration: Calibration,
    *,
    epsilon: tuple[Fraction, Fraction],
    delta: tuple[Fraction, Fraction],
    beyond: str = "closed",
) -> Part:
    """Return a rectangle as a part whose boxes are decided by E < 0."""

    def decide(box: Box) -> Outcome:
        found = extreme(calibration, box, Fraction(1), 1)
        if found.beyond:
            return proved()
        return unknown(found.axis) if found.failure is None else refuted(found.failure)

    def candidates(point: Point) -> Iterator[Parameters]:
        for digits in (3, 8):  # a point with few digits, if one is false too
            yield {
                "epsilon": _short(point[_EPS], digits),
                "delta": _short(point[_DELTA], digits),
            }
        yield {"epsilon": point[_EPS], "delta": point[_DELTA]}

    def certify(at: Parameters) -> Counterexample | None:
        inside = epsilon[0] <= at["epsilon"] <= epsilon[1] and delta[0] <= at["delta"] <= delta[1]
        return _certify(calibration, at) if inside else None

    return Part(
        name="ε and δ",
        axes=(
            Axis("epsilon", *epsilon, below=beyond, above=beyond, geometric=True),
            Axis("delta", *delta, below=beyond, above=beyond, geometric=True),
        ),
        decide=decide,
        candidates=candidates,
        certify=certify,
    )


def _short(value: Fraction, digits: int) -> Fraction:
    """Return a number with few digits near another, or that one where floats do not reach."""
    try:
        return Fraction(f"{float(value):.{digits}g}") or value
    except OverflowError:
        return value


def _certify(calibration: Calibration, at: Parameters) -> Counterexample | None:
    sigma = calibration.sigma(epsilon=at["epsilon"], delta=at["delta"], digits=_DIGITS + 20)
    above = rounding.bounds(sigma)[1]  # δ(ε) falls with σ, so that this is a lower bound of it
    exact = delta_at_epsilon(epsilon=at["epsilon"], sigma=above, digits=_DIGITS)
    if rounding.side(exact, at["delta"]) <= 0:
        return None
    low, _ = rounding.decimal_bounds(exact, _DIGITS)
    return Counterexample(at, f"{calibration.formula} is not (ε,δ)-DP: δ(ε) ≥ {low}")


@dataclass(frozen=True, slots=True)
class Side:
    """What balls say about the sign of E over a box.

    Attributes:
        beyond: whether E is proved to be on the wanted side of 0 at every point.
        failure: a point at which it is proved to be on the other.
        axis: the coordinate to bisect.
    """

    beyond: bool
    failure: Point | None
    axis: int


def extreme(
    calibration: Calibration, box: Box, scale: Fraction, sign: Literal[-1, 1], bits: int = _BITS
) -> Side:
    """Decide whether sign·E < 0 over a box, for σ divided by `scale`.

    Along a coordinate in which E is monotone over the box only the worse end matters; along the
    other the mean value theorem bounds E.
    """
    epsilon, delta = box[_EPS], box[_DELTA]
    if calibration.rises:
        epsilon = (epsilon[1],) * 2 if sign > 0 else (epsilon[0],) * 2
    below = delta[0] < _HALF
    where: list[Fraction] = []
    spread = []
    with precision(bits + _lost(epsilon[0])):
        factor = ball(scale)
        over = slopes(calibration.local(epsilon, delta), epsilon, delta, factor, below=below)
        reach = arb(0)
        for (low, high), slope in zip((epsilon, delta), over, strict=True):
            up, down = bool(sign * slope > 0), bool(sign * slope < 0)
            if low == high:
                where.append(low)
                spread.append(-1.0)
                continue
            centre = geometric_middle(low, high)
            width = (ball(high) / ball(low)).log()
            if up or down:
                where.append(high if up else low)
            else:
                where.append(centre)
                first, second = (ball(centre) / ball(low)).log(), (ball(high) / ball(centre)).log()
                reach += abs(slope) * (first if first > second else second)
            spread.append(_size(abs(slope) * width, width))
        at = ((where[0],) * 2, (where[1],) * 2)
        value = excess(calibration.local(*at), where[1], factor, below=below)
        beyond = bool(sign * value + reach < 0)
        fails = bool(sign * value > 0)
    axis = _DELTA if spread[_DELTA] >= spread[_EPS] else _EPS
    return Side(beyond, (where[0], where[1]) if fails and not beyond else None, axis)


def is_private(calibration: Calibration, point: Point, scale: Fraction, bits: int = _BITS) -> bool:
    """Tell whether σ/scale is proved to be private at a point."""
    epsilon, delta = point
    with precision(bits + _lost(epsilon)):
        local = calibration.local((epsilon, epsilon), (delta, delta))
        return bool(excess(local, delta, ball(scale), below=delta < _HALF) < 0)


def _lost(epsilon: Fraction) -> int:
    """The bits that cancel in m(y) − m(w) for a small ε."""
    return 2 * max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())


def _size(spread: arb, width: arb) -> float:
    """A bound of a spread; where balls know none, that of the width, far above all others."""
    return float(spread.upper()) if spread.is_finite() else _UNKNOWN * float(width.mid())
