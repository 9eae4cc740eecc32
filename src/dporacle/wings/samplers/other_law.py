"""What law to claim instead, where the draws show a grid that the claimed law does not have.

A release that was rounded to a grid, or noise that was drawn on one, is no less private for it;
but it is not what was claimed, and what is said of the claimed law's tails is not true of it.
"""

import math

from dporacle.wings.samplers.laws import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Law,
    RoundedGaussian,
)
from dporacle.wings.samplers.sketch import DECIMALS, NO_STEP, Sketch

_COARSE = 2.0**-40
"""In `spread`: a finer common step than this is that of float64 numbers."""


def common_step(sketch: Sketch) -> float | None:
    """Return the step of a grid that has all releases; None if they have no coarse one.

    Steps that are a power of two or of ten are told.
    """
    if sketch.impossible or sketch.gap >= NO_STEP:
        return None
    found = [sketch.finest] if sketch.finest > _COARSE * sketch.spread else []
    found += [
        1 / float(inverse)
        for inverse, count in zip(DECIMALS, sketch.decimal, strict=True)
        if count == sketch.releases
    ]
    return max(found, default=None)


def other_laws(sketch: Sketch, law: Law) -> tuple[Law, ...]:
    """Return the laws that a claim of noise with a density should be replaced by, if any."""
    step = common_step(sketch)
    if step is None:
        return ()
    if isinstance(law, Laplace):
        return (DiscreteLaplace(scale=law.scale, step=step, dimension=law.dimension),)
    if isinstance(law, Gaussian):
        rounded = RoundedGaussian(sigma=law.sigma, step=step, dimension=law.dimension)
        if step == 1:
            return DiscreteGaussian(sigma=law.sigma, dimension=law.dimension), rounded
        return (rounded,)
    return ()


def claiming(law: Law) -> str:
    """Return the options of the command that claim a law."""
    words = [f"--law {law.name}"]
    for name, value in law.parameters.items():
        words.append(f"--{name.replace('_', '-')} {_plain(value)}")
    if law.dimension > 1:
        words.append(f"--dimension {law.dimension}")
    return " ".join(words)


def _plain(value: float) -> str:
    """Return a number that is read as the same float64."""
    return str(int(value)) if value == math.floor(value) and abs(value) < 2**53 else repr(value)
