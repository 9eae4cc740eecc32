"""A rectangle of ε and δ, decided by the sign of E = ln(δ(ε)/δ) for a closed form."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb

from dporacle.enclosures import delta_at_epsilon
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions._forms import lost_bits
from dporacle.regions.boxes import geometric_middle
from dporacle.regions.calibrations import Calibration, excess, slopes
from dporacle.regions.theorem import (
    CLOSED,
    Axis,
    Box,
    BoxOutcome,
    Counterexample,
    Parameters,
    Part,
    Point,
    proved,
    refuted,
    unknown,
)

_EPS, _DELTA = 0, 1
_BITS = 128
_DIGITS = 30
_HALF = Fraction(1, 2)
_UNKNOWN = 1e100


def part(
    calibration: Calibration,
    *,
    epsilon: tuple[Fraction, Fraction],
    delta: tuple[Fraction, Fraction],
    ends: tuple[str, str] = (CLOSED, CLOSED),
    beyond: str = CLOSED,
) -> Part:
    """Return a rectangle as a part whose boxes are decided by E < 0.

    Args:
        calibration: the closed form.
        epsilon: the ends of ε; the first may be 0 if the calibration rises.
        delta: the ends of δ.
        ends: what lies beyond those of ε.
        beyond: what lies beyond all ends, if given.
    """
    first, second = ends if beyond == CLOSED else (beyond, beyond)

    def decide(box: Box) -> BoxOutcome:
        found = extreme(calibration, box, Fraction(1), 1)
        if found.beyond:
            return proved()
        return unknown(found.axis) if found.failure is None else refuted(found.failure, found.axis)

    def candidates(point: Point) -> Iterator[Parameters]:
        for digits in (3, 8):  # a point with few digits, if one is false too
            yield {"epsilon": _short(point[_EPS], digits), "delta": _short(point[_DELTA], digits)}
        yield {"epsilon": point[_EPS], "delta": point[_DELTA]}

    def certify(at: Parameters) -> Counterexample | None:
        inside = (
            at["epsilon"] > 0
            and epsilon[0] <= at["epsilon"] <= epsilon[1]
            and delta[0] <= at["delta"] <= delta[1]
        )
        return _certify(calibration, at) if inside else None

    return Part(
        name="ε and δ",
        axes=(
            Axis("epsilon", *epsilon, below=first, above=second, geometric=True),
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
    with precision(bits + lost_bits(epsilon[0])):
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
                reach += abs(slope) * first.max(second)
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
    with precision(bits + lost_bits(epsilon)):
        local = calibration.local((epsilon, epsilon), (delta, delta))
        return bool(excess(local, delta, ball(scale), below=delta < _HALF) < 0)


def _size(spread: arb, width: arb) -> float:
    """A bound of a spread; where balls know none, that of the width, far above all others."""
    return float(spread.upper()) if spread.is_finite() else _UNKNOWN * float(width.mid())
