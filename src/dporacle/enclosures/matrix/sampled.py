"""Banded matrices with Poisson sampling: products of sampled Gaussian steps (T-B of the note).

The records are split into b groups; step j samples those of group j mod b. Columns of one group
meet no row together, so that a record of it sees a sampled Gaussian step for each of its columns,
with the noise over the column's norm.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz, Tree
from dporacle.enclosures.subsampled_gaussian import Phase, epsilon_of, noise_of

_MOST_NORMS = 64  # each is a phase, of which a schedule has `MOST_PHASES` at most
_MOST_GROUPS = 8  # each takes an ε of its own, of seconds
_SPARE = 6  # digits

Ends = tuple[Fraction, Fraction]
Group = list[tuple[Ends, int]]
"""The squared norms of the columns of a group, from below and above, and how many have them."""
Roots = list[tuple[Fraction, int]]
"""Lengths of columns, and how many have them."""


def worst_groups(strategy: Strategy | Toeplitz | Tree, bands: int) -> list[Group]:
    """Return groups such that every other one has fewer and shorter columns than one of them.

    Raises:
        ValueError: if columns that are so many steps apart can meet, or too many groups differ.
    """
    if isinstance(strategy, Toeplitz):
        return [_leading(strategy, bands)]
    if strategy.bandwidth > bands:
        raise ValueError(
            f"bands must be at least {strategy.bandwidth}, got {bands}: columns that are so far "
            "apart reach the same row"
        )
    squares = [strategy.square((index,)) for index in range(strategy.size)]
    found: list[list[int]] = []
    for place in range(min(bands, strategy.size)):
        each = sorted(squares[place::bands], reverse=True)
        if not any(_within(each, other) for other in found):
            found = [other for other in found if not _within(other, each)] + [each]
    if len(found) > _MOST_GROUPS:
        raise ValueError(
            f"bands must make at most {_MOST_GROUPS} groups of which none is the worst at sight, "
            f"got {len(found)}"
        )
    unit = strategy.unit**2
    return [
        [((Fraction(square, unit),) * 2, many) for square, many in Counter(each).items()]
        for each in found
    ]


def _within(these: Sequence[int], those: Sequence[int]) -> bool:
    """Whether each column of one group can be told from a column of another that is as long."""
    return len(these) <= len(those) and all(map(int.__le__, these, those))


def _leading(strategy: Toeplitz, bands: int) -> Group:
    """Return the group of the first column: the m-th of any other is later, and no longer."""
    width = sum(1 for each in strategy.coefficients if each != 0)
    if width > bands:
        raise ValueError(
            f"bands must be at least {width}, got {bands}: columns that are so far apart reach the "
            "same row"
        )
    size = strategy.size
    lengths = Counter(min(width, size - start) for start in range(0, size, bands))
    found = []
    for length, many in lengths.items():
        value = Toeplitz(strategy.coefficients[:length], length).square(most=1, separation=1)
        found.append((bounds(value) if isinstance(value, arb) else (value, value), many))
    return found


def sampled_epsilon(
    groups: Sequence[Group],
    *,
    noise_multiplier: Fraction,
    rate: Fraction,
    delta: Fraction,
    direction: str,
    digits: int,
) -> arb:
    """Enclose the smallest ε ≥ 0 of the worst group.

    Args:
        groups: what `worst_groups` returns.
        noise_multiplier: ζ of each row.
        rate: of each record of the group that is sampled, in (0, 1].
        delta: in (0, 1).
        direction: "both" or "replace".
        digits: of ε.

    Raises:
        ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    noise = arguments.positive("noise_multiplier", noise_multiplier)

    def epsilon(roots: Roots) -> arb:
        return epsilon_of(_phases(roots, noise, rate), delta, direction, digits)

    # ε falls in the noise of each step: the shorter columns give the lower end.
    return _of_the_worst(groups, digits, epsilon)


def sampled_noise(
    groups: Sequence[Group],
    *,
    epsilon: Fraction,
    rate: Fraction,
    delta: Fraction,
    direction: str,
    digits: int,
) -> arb:
    """Enclose the least noise multiplier of each row for a target ε, of the worst group.

    Args:
        groups: what `worst_groups` returns.
        epsilon: in [0, ∞).
        rate: of each record of the group that is sampled, in (0, 1].
        delta: in (0, 1).
        direction: "both" or "replace".
        digits: of the noise.

    Raises:
        ValueError: naming the argument that is outside its domain, or if the noise would be
            outside [0.01, 10^5].
        ArithmeticError: if an enclosure would need too much work.
    """
    target = arguments.epsilon(epsilon)

    def noise(roots: Roots) -> arb:
        return noise_of(lambda x: _phases(roots, x, rate), target, delta, direction, digits)

    return _of_the_worst(groups, digits, noise)


def _of_the_worst(groups: Sequence[Group], digits: int, figure: Callable[[Roots], arb]) -> arb:
    """Join the figures of the shorter and of the longer columns, of the worst group each."""
    ends: tuple[list[arb], list[arb]] = [], []
    for group in groups:
        if len(group) > _MOST_NORMS:
            raise ArithmeticError(
                f"the columns of a group have {len(group)} different norms: at most {_MOST_NORMS} "
                "are worked with"
            )
        with precision(2 * bits_for(digits + _SPARE)):
            roots = [
                ((bounds(ball(low).sqrt())[0], bounds(ball(high).sqrt())[1]), many)
                for (low, high), many in group
            ]
        for k, found in enumerate(ends):
            found.append(figure([(each[k], many) for each, many in roots]))
    with precision(4 * bits_for(digits)):
        low, high = (functools.reduce(arb.max, each) for each in ends)
    return join(low, high, digits)


def _phases(roots: Roots, noise: Fraction, rate: Fraction) -> list[Phase]:
    return [(noise / length, rate, many, ()) for length, many in roots]
