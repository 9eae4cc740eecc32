"""`dporacle sigma|delta|epsilon|accuracy`: one answer, to any number of digits, with its proof."""

from fractions import Fraction

import click

from dporacle.cli.numbers import answer
from dporacle.cli.options import options
from dporacle.vocabulary import SERVED
from dporacle.vocabulary.kinds import (
    DELTA,
    EPSILON,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
)

_GAUSSIAN = {row.kind.name: row for row in SERVED.values() if row.mechanism.name == "gaussian"}


@click.command()
@options("sigma")
def sigma(
    epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int, as_json: bool
) -> None:
    """Print the smallest σ of (ε,δ)-differentially private Gaussian noise."""
    answer(
        "sigma",
        _GAUSSIAN[NOISE_NEEDED.name],
        {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity},
        digits=digits,
        as_json=as_json,
    )


@click.command()
@options("delta")
def delta(
    epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int, as_json: bool
) -> None:
    """Print the smallest δ for which noise of standard deviation σ is (ε,δ)-private."""
    answer(
        "delta",
        _GAUSSIAN[DELTA.name],
        {"epsilon": epsilon, "sigma": sigma, "sensitivity": sensitivity},
        digits=digits,
        as_json=as_json,
    )


@click.command()
@options("epsilon")
def epsilon(
    delta: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int, as_json: bool
) -> None:
    """Print the smallest ε for which noise of standard deviation σ is (ε,δ)-private."""
    answer(
        "epsilon",
        _GAUSSIAN[EPSILON.name],
        {"delta": delta, "sigma": sigma, "sensitivity": sensitivity},
        digits=digits,
        as_json=as_json,
    )


@click.command()
@options("accuracy")
def accuracy(
    alpha: Fraction | None,
    sigma: Fraction | None,
    error: Fraction | None,
    digits: int,
    as_json: bool,
) -> None:
    """Print α, σ or the error bound a with Pr[|noise| > a] = α, from the other two.

    --alpha and --sigma give the error bound a. --error and --sigma give the significance α.
    --alpha and --error give the largest σ with that error bound.
    """
    if error is None and alpha is not None and sigma is not None:
        answer(
            "accuracy",
            _GAUSSIAN[ERROR_BOUND.name],
            {"alpha": alpha, "sigma": sigma},
            digits=digits,
            as_json=as_json,
        )
    elif alpha is None and error is not None and sigma is not None:
        answer(
            "alpha",
            _GAUSSIAN[PROBABILITY.name],
            {"accuracy": error, "sigma": sigma},
            digits=digits,
            as_json=as_json,
        )
    elif sigma is None and error is not None and alpha is not None:
        answer(
            "sigma",
            _GAUSSIAN[NOISE_ALLOWED.name],
            {"accuracy": error, "alpha": alpha},
            digits=digits,
            as_json=as_json,
        )
    else:
        raise click.UsageError("give exactly two of --alpha, --sigma and --error")
