"""Matrix mechanisms: a strategy, who takes part when, noise and δ → ε on both sides (X.COMP)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from dporacle import arguments
from dporacle.enclosures.analytic_gaussian import calibrate_sigma
from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, precision
from dporacle.enclosures.composition import epsilon_at_square
from dporacle.enclosures.matrix.sensitivity import Participation, Sensitivity
from dporacle.enclosures.matrix.strategies import Strategy, Toeplitz, Tree, blt, sqrt_toeplitz
from dporacle.vocabulary.domains import UNIT
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.matrices import MOST_STEPS, MOST_TREE_STEPS, NAMED

if TYPE_CHECKING:
    from dporacle.enclosures.matrix.sampled import Group

__all__ = [
    "ADJACENCIES",
    "MOST_STEPS",
    "NAMED",
    "decimal_ends",
    "epsilons",
    "hypotheses",
    "in_words",
    "named",
    "noise_multipliers",
    "participating",
    "participation",
    "sampled_figures",
]

ADJACENCIES = ("both", "replace")

_MOST = 10**18  # steps
_FEW = 4  # steps of a pattern that are listed


def participation(
    participations: int, separation: int | None, *, epochs_fixed: bool = False
) -> Participation:
    """Return in which steps a record may take part.

    Args:
        participations: in how many at most, from 1 on.
        separation: how far apart two of them are at least, from 1 on; None where there is one.
        epochs_fixed: whether consecutive ones are exactly so far apart.

    Raises:
        ValueError: naming the argument that is outside its domain or missing.
    """
    most = arguments.count("participations", participations, most=_MOST)
    if separation is None and (most > 1 or epochs_fixed):
        why = f"participations are {most}" if most > 1 else "epochs_fixed is"
        raise ValueError(
            f"separation must be given where {why}: the least number of steps from one "
            "participation to the next; 1 where that is all that is known"
        )
    apart = 1 if separation is None else arguments.count("separation", separation, most=_MOST)
    return Participation(most, apart, epochs_fixed)


def participating(asked: Participation, of: str) -> tuple[Hypothesis, ...]:
    """Return what a sensitivity supposes of the steps of a record, of "the run" or other steps."""
    name = "participations-fixed" if asked.fixed else "participations"
    if asked.most == 1:
        name = "one-participation"
    numbers = {"times": asked.most, "apart": asked.separation, "of": of}
    return hypothesis(name, **numbers), hypothesis("steps-of-a-record")


def hypotheses(asked: Participation | None, of: str = "the run") -> tuple[Hypothesis, ...]:
    """Return what the values are proved under; None: with Poisson sampling in groups."""
    steps = (
        (hypothesis("groups-of-records"), hypothesis("groups-in-turn"))
        if asked is None
        else participating(asked, of)
    )
    return (
        hypothesis("matrix-as-given"),
        hypothesis("contributions-to-steps"),
        *steps,
        hypothesis("matrix-fixed-before"),
        hypothesis("every-row-released"),
    )


def in_words(pattern: Sequence[int]) -> str:
    """Name the steps of a pattern, the first of all being step 1."""
    shown = ", ".join(str(step + 1) for step in pattern[:_FEW])
    if len(pattern) == 1:
        return f"step {shown}"
    return f"the {len(pattern)} steps {shown}{', …' if len(pattern) > _FEW else ''}"


def named(
    name: str, size: int, decays: tuple[Fraction, ...] = (), scales: tuple[Fraction, ...] = ()
) -> Strategy | Toeplitz | Tree:
    """Return the matrix of a name.

    Raises:
        ValueError: if there is none, or a parameter is not what it may be.
    """
    word, _, bands = name.partition(":")
    if word not in NAMED or (bands and word != "sqrt-toeplitz"):
        raise ValueError(f"matrix must be a file or one of {', '.join(NAMED)}, got {name!r}")
    if word != "blt" and (decays or scales):
        raise ValueError("--buffer-decay and --output-scale need --matrix blt")
    arguments.count("size", size, most=MOST_TREE_STEPS if word == "tree" else MOST_STEPS)
    if word == "tree":
        return Tree(size)
    if word == "identity":
        return Toeplitz([Fraction(1)], size)
    if word == "prefix":
        return Toeplitz([Fraction(1)] * size, size)
    if word == "sqrt-toeplitz":
        if bands and not (bands.isascii() and bands.isdecimal() and 0 < len(bands) < 10):
            raise ValueError(f"bands must be a whole number from 1 on, got {bands!r}")
        return sqrt_toeplitz(size, arguments.count("bands", int(bands or size)))
    if len(decays) != len(scales) or not decays:
        raise ValueError(
            f"blt needs as many --buffer-decay as --output-scale, got {len(decays)} and "
            f"{len(scales)}"
        )
    return blt(decays, scales, size)


def epsilons(
    found: Sensitivity, *, noise_multiplier: Fraction, delta: Fraction, digits: int
) -> dict[str, arb]:
    """Enclose ε under each adjacency.

    Raises:
        ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    scale = arguments.positive("noise_multiplier", noise_multiplier)
    target = arguments.delta(delta)
    shown = {}
    for name, factor in zip(ADJACENCIES, (1, 4), strict=True):
        ends = [
            epsilon_at_square(delta=target, square=factor * each / scale**2, digits=digits + 4)
            for each in (found.low, found.high)
        ]
        shown[name] = ends[0] if found.low == found.high else join(ends[0], ends[1], digits + 4)
    return shown


def noise_multipliers(
    found: Sensitivity, *, epsilon: Fraction, delta: Fraction, digits: int
) -> dict[str, arb]:
    """Enclose the least noise multiplier for a target ε under each adjacency.

    Raises:
        ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    unit = calibrate_sigma(epsilon=epsilon, delta=delta, digits=digits + 4)
    with precision(4 * bits_for(digits + 4)):
        ends = [unit * ball(each).sqrt() for each in (found.low, found.high)]
        return {
            name: factor * join(ends[0], ends[1], digits)
            for name, factor in zip(ADJACENCIES, (1, 2), strict=True)
        }


def sampled_figures(
    strategy: Strategy | Toeplitz | Tree,
    *,
    bands: int,
    rate: Fraction,
    noise_multiplier: Fraction | None,
    epsilon: Fraction | None,
    delta: Fraction,
    digits: int,
    adjacencies: tuple[str, ...] = ADJACENCIES,
) -> tuple[Group, dict[str, arb]]:
    """Enclose ε, or the least noise for an ε, under each adjacency with Poisson sampling.

    Returns:
        The worst groups' columns, and the figure for each adjacency.

    Raises:
        ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.enclosures.matrix.sampled import sampled_epsilon, sampled_noise, worst_groups

    groups = worst_groups(strategy, arguments.count("bands", bands))
    share, target = arguments.within(UNIT, "sampling_rate", rate), arguments.delta(delta)
    given: dict[str, Any] = {"rate": share, "delta": target, "digits": digits + 4}
    figure: Callable[..., arb] = sampled_epsilon
    if noise_multiplier is None:
        figure, given["epsilon"] = sampled_noise, epsilon
    else:
        given["noise_multiplier"] = noise_multiplier
    return [column for group in groups for column in group], {
        name: figure(groups, direction=name, **given) for name in adjacencies
    }


def decimal_ends(low: Fraction, high: Fraction, digits: int) -> list[str]:
    """Write two exact numbers with so many digits, the first rounded down and the other up."""
    return [
        f"{Context(digits, rounding).divide(Decimal(end.numerator), Decimal(end.denominator)):g}"
        for end, rounding in ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    ]
