"""DP-SGD as people state it: noise multiplier, sampling rate, steps or epochs, δ → ε (X.SG).

The proved values are those of the enclosures. Beside them stand what Rényi accounting and the
central limit theorem say, in float64: figures to compare with, which prove nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb

from dporacle import arguments, enclosures
from dporacle.enclosures.arithmetic.balls import bits_for, precision

__all__ = [
    "DIRECTIONS",
    "HYPOTHESES",
    "NOT_POISSON",
    "Rounding",
    "Run",
    "epsilons",
    "limit_theorem_epsilon",
    "noise_multipliers",
    "renyi_epsilon",
    "steps_of",
]

Rounding = Literal["up", "down", "nearest"]
"""How a number of steps that is no integer is rounded."""

DIRECTIONS = ("add", "remove", "both", "replace")

HYPOTHESES = (
    "Poisson sampling: each record enters each batch independently, with the same probability",
    "noise multiplier, rate and number of steps are fixed before the run, the same for both "
    "data sets (a rate B/n under add/remove: n is public)",
    "the sum of contributions of norm at most the clipping norm, the others' independent of the "
    "record, not divided by the realised batch size",
    "what is released is every noisy sum; of a release of the last iterate alone ε is an upper "
    "bound",
)
"""What the values are proved under."""

NOT_POISSON = (
    "shuffled batches and batches of fixed size are other mechanisms: what Poisson sampling gives "
    "says nothing of them, in either direction"
)

_FLOAT_DIGITS = 17
_ORDERS = tuple(1 + k / 10 for k in range(1, 100)) + tuple(range(11, 64)) + (128, 256, 512)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of DP-SGD.

    Attributes:
        noise_multiplier: standard deviation of the noise, in units of the clipping norm.
        sampling_rate: probability of a record to enter a batch.
        steps: how many.
    """

    noise_multiplier: Fraction
    sampling_rate: Fraction
    steps: int


def steps_of(*, epochs: Fraction, rate: Fraction, rounding: Rounding) -> int:
    """Return the number of steps of so many epochs, epochs/rate, rounded as stated.

    Raises:
        ValueError: if that is less than one step.
    """
    exact = arguments.positive("epochs", epochs) / arguments.positive("rate", rate)
    ways = {"up": math.ceil, "down": math.floor, "nearest": lambda x: math.floor(x + 1 / 2)}
    steps = int(ways[rounding](exact))
    if steps < 1:
        raise ValueError(f"epochs must make at least one step, got {arguments.show(epochs)}")
    return steps


def epsilons(run: Run, *, delta: Fraction, digits: int) -> dict[str, arb]:
    """Enclose the exact ε of every direction.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    found = {
        direction: enclosures.subsampled_epsilon(
            delta=delta,
            sigma=run.noise_multiplier,
            rate=run.sampling_rate,
            steps=run.steps,
            direction=direction,
            digits=digits,
        )
        for direction in ("add", "remove", "replace")
    }
    return _with_both(found, digits)


def noise_multipliers(
    *, epsilon: Fraction, delta: Fraction, rate: Fraction, steps: int, digits: int
) -> dict[str, arb]:
    """Enclose the smallest noise multiplier for a target ε, for every direction.

    Raises:
        TypeError, ValueError: naming the argument that is outside its domain.
        ArithmeticError: if an enclosure would need too much work.
    """
    found = {
        direction: enclosures.subsampled_sigma(
            epsilon=epsilon,
            delta=delta,
            rate=rate,
            steps=steps,
            direction=direction,
            digits=digits,
        )
        for direction in ("add", "remove", "replace")
    }
    return _with_both(found, digits)


def _with_both(found: dict[str, arb], digits: int) -> dict[str, arb]:
    with precision(bits_for(digits) + 64):
        both = found["add"].max(found["remove"])
    return {"add": found["add"], "remove": found["remove"], "both": both, **found}


def renyi_epsilon(run: Run, *, delta: Fraction) -> float:
    """Return the ε of Rényi accounting under add/remove, in float64.

    The divergences of the remove direction at the usual orders, converted as by Canonne, Kamath &
    Steinke (2020, Proposition 12).
    """
    from dporacle.enclosures.subsampled.design import Model
    from dporacle.enclosures.subsampled.transform import Step

    model = Model([Step(run.noise_multiplier, run.sampling_rate, run.steps, False)])
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    best = math.inf
    for order in _ORDERS:
        renyi = model.log_transform(order - 1) / (order - 1)
        epsilon = renyi + math.log1p(-1 / order) - (log_delta + math.log(order)) / (order - 1)
        best = min(best, max(epsilon, 0.0))
    return best


def limit_theorem_epsilon(run: Run, *, delta: Fraction) -> float:
    """Return the ε of the central limit theorem, in float64: no bound in either direction.

    Gaussian privacy with μ = q√(T(e^{1/σ²} − 1)), after Bu, Dong, Long & Su (2020).
    """
    inverse = 1 / float(run.noise_multiplier) ** 2
    if inverse > 700:
        return math.inf
    mu = float(run.sampling_rate) * math.sqrt(run.steps * math.expm1(inverse))
    return float(enclosures.epsilon_at_delta(delta=delta, sigma=1 / mu, digits=_FLOAT_DIGITS))
