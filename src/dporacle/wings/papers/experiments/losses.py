"""JL24.F2: the distribution of the accuracy loss, its tail, and what the kurtosis says."""

import numpy as np
from scipy import stats

from dporacle.enclosures import loss_kurtosis, loss_tail
from dporacle.wings.papers.experiments.measured import Line, Result, binomial, generator, repeated

DIMENSIONS = (1, 10, 7921)
FACTORS = (2, 5, 10)

_DIGITS = 12
_SEEN = 1e-3  # rarer losses are not met often enough
_NAMES = {1: "R1SMG, any M"}


def run(*, seed: int = 0, repetitions: int = 100_000) -> Result:
    """Draw losses ‖noise‖² of R1SMG (χ²₁) and of Gaussian noise (χ²_M), as multiples of their mean.

    A larger E[L⁴]/E[L²]² goes with more losses far above the mean, not with fewer.

    Args:
        seed: of the random generator.
        repetitions: losses of each, from 10 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    draws, rng = repeated(repetitions, 10**6), generator(seed)
    lines, drawn = [], {}
    for m in DIMENSIONS:
        name = _NAMES.get(m, f"Gaussian, M = {m}")
        losses = rng.chisquare(m, draws) / m
        drawn[name] = losses
        for factor in FACTORS:
            exact = loss_tail(dimension=m, factor=factor, digits=_DIGITS)
            lines.append(
                Line(
                    setting=f"{factor} times the mean",
                    mechanism=name,
                    quantity="Pr[L > x·E L]",
                    exact=float(exact),
                    measured=binomial(int(np.count_nonzero(losses > factor)), draws)
                    if exact > _SEEN
                    else None,
                )
            )
        lines.append(
            Line(
                setting="",
                mechanism=name,
                quantity="E[L⁴]/E[L²]²",
                exact=float(loss_kurtosis(dimension=m, digits=_DIGITS)),
            )
        )
    grid = np.geomspace(1e-3, 30, 400)
    return Result(
        name="accuracy-loss",
        statement="JL24.F2",
        title=f"accuracy loss as a multiple of its mean, {draws} draws each",
        lines=lines,
        facts=[
            "The largest quotient E[L⁴]/E[L²]² is R1SMG's, and so is the largest probability of "
            "ten times the mean: the source reads it the other way round.",
            "Each mechanism is compared with its own mean, whatever its privacy is.",
        ],
        series={
            "grid": grid,
            "tails": {
                _NAMES.get(m, f"Gaussian, M = {m}"): stats.chi2.sf(grid * m, m) for m in DIMENSIONS
            },
            "drawn": drawn,
        },
    )
