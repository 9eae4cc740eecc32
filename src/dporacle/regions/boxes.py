"""Boxes with exact corners: how they are bisected, and the proof that they tile a region."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from dporacle.regions.theorem import Box, Part

_SPARE_BITS = 12
_FLOAT_BITS = 48
_MOST_BITS = 1 << 17  # of a common denominator; that of halvings is far shorter

_Integers = tuple[tuple[int, int], ...]


class TilingError(ValueError):
    """The boxes do not tile the region; the message says where."""


def middle(low: Fraction, high: Fraction) -> Fraction:
    """Return the arithmetic mean."""
    return (low + high) / 2


def geometric_middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a short dyadic number near the geometric mean of 0 < low < high, between them."""
    if low <= 0:
        return middle(low, high)
    least, most = _float(low), _float(high)
    if 0 < least < most < math.inf:
        # Square roots and products of floats are the same on every machine.
        bits = _SPARE_BITS + int(least / (most - least)).bit_length()
        mantissa, exponent = math.frexp(math.sqrt(least) * math.sqrt(most))
        if bits <= _FLOAT_BITS:
            found = _scaled(round(math.ldexp(mantissa, bits)), exponent - bits)
            if low < found < high:
                return found
    return _exact_middle(low, high)


def _float(value: Fraction) -> float:
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf


def _scaled(mantissa: int, exponent: int) -> Fraction:
    return Fraction(mantissa << exponent) if exponent > 0 else Fraction(mantissa, 1 << -exponent)


def _exact_middle(low: Fraction, high: Fraction) -> Fraction:
    """The same for ends that are outside the range of floats, or very close."""
    product = low * high
    bits = _SPARE_BITS + int(low / (high - low)).bit_length()
    while True:
        size = product.numerator.bit_length() - product.denominator.bit_length()
        exponent = size // 2 - bits
        found = _scaled(math.isqrt(int(product / Fraction(4) ** exponent)), exponent)
        if low < found < high:
            return found
        bits += 1


def bisect(part: Part, box: Box, axis: int) -> tuple[Box, Box]:
    """Return the two halves of a box."""
    low, high = box[axis]
    cut = (geometric_middle if part.axes[axis].geometric else middle)(low, high)
    return (
        (*box[:axis], (low, cut), *box[axis + 1 :]),
        (*box[:axis], (cut, high), *box[axis + 1 :]),
    )


def prove_tiling(region: Box, boxes: Sequence[Box]) -> None:
    """Prove that boxes cover a region, overlapping in their sides only.

    The rule: boxes tile a region if there is one and it is the region, or if planes that cut
    through none of them divide region and boxes into slabs that are each tiled. Bisection makes
    no others. All numbers are scaled to integers first.

    Raises:
        TilingError: naming a place, if the rule does not apply.
    """
    for box in boxes:
        if len(box) != len(region):
            raise TilingError(f"a box has {len(box)} coordinates instead of {len(region)}")
    scales = [
        _common(end.denominator for box in (region, *boxes) for end in box[axis])
        for axis in range(len(region))
    ]

    def whole(box: Box) -> _Integers:
        return tuple(
            (int(low * scale), int(high * scale))
            for (low, high), scale in zip(box, scales, strict=True)
        )

    stack = [(whole(region), [whole(box) for box in boxes])]
    while stack:
        inside, held = stack.pop()
        stack += _slabs(inside, held, scales)


def _common(denominators: Iterable[int]) -> int:
    found = 1
    for each in set(denominators):
        found = math.lcm(found, each)
        if found.bit_length() > _MOST_BITS:
            raise TilingError("the corners are not halvings of the region's")
    return found


def _slabs(
    region: _Integers, boxes: list[_Integers], scales: Sequence[int]
) -> Iterable[tuple[_Integers, list[_Integers]]]:
    if not boxes:
        raise TilingError(f"no box covers {_show(region, scales)}")
    if len(boxes) == 1:
        if boxes[0] != region:
            raise TilingError(
                f"{_show(boxes[0], scales)} stands where {_show(region, scales)} should"
            )
        return ()
    for axis, (low, high) in enumerate(region):
        if low == high:
            continue
        groups = _divide(boxes, axis)
        if len(groups) == 1:
            continue
        starts = [min(box[axis][0] for box in group) for group in groups]
        ends = [max(box[axis][1] for box in group) for group in groups]
        if starts[0] != low or ends[-1] != high or starts[1:] != ends[:-1]:
            raise TilingError(f"a slab is missing in {_show(region, scales)}")
        return [
            ((*region[:axis], (start, end), *region[axis + 1 :]), group)
            for start, end, group in zip(starts, ends, groups, strict=True)
        ]
    raise TilingError(f"boxes overlap in {_show(region, scales)}")


def _divide(boxes: list[_Integers], axis: int) -> list[list[_Integers]]:
    """Group boxes by the planes across one axis that cut through none of them."""
    groups: list[list[_Integers]] = []
    reach = 0
    for box in sorted(boxes, key=lambda each: each[axis]):
        low, high = box[axis]
        if not low < high:
            raise TilingError("a box has no width")
        if groups and low < reach:
            groups[-1].append(box)
            reach = max(reach, high)
        else:
            groups.append([box])
            reach = high
    return groups


def _show(box: _Integers, scales: Sequence[int]) -> str:
    return " × ".join(
        f"[{Fraction(low, scale)}, {Fraction(high, scale)}]"
        for (low, high), scale in zip(box, scales, strict=True)
    )
