"""`dporacle sigma|delta|epsilon|accuracy`: one answer, to any number of digits, with its proof."""

from fractions import Fraction

import click

from dporacle.cli.numbers import ExactNumber, answer, digits_option, json_option
from dporacle.vocabulary import SERVED
from dporacle.vocabulary.kinds import (
    DELTA,
    EPSILON,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
)

_EXACT = ExactNumber()
_GAUSSIAN = {row.kind.name: row for row in SERVED.values() if row.mechanism.name == "gaussian"}

_sensitivity = click.option(
    "--sensitivity",
    type=_EXACT,
    default="1",
    show_default=True,
    help="ℓ2-sensitivity D of the released function.",
)
_epsilon = click.option("--epsilon", type=_EXACT, required=True, help="ε, at least 0.")
_delta = click.option("--delta", type=_EXACT, required=True, help="δ, above 0.")
_sigma = click.option(
    "--sigma", type=_EXACT, required=True, help="Standard deviation of the noise, above 0."
)


@click.command()
@_epsilon
@_delta
@_sensitivity
@digits_option
@json_option
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
@_epsilon
@_sigma
@_sensitivity
@digits_option
@json_option
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
@_delta
@_sigma
@_sensitivity
@digits_option
@json_option
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
@click.option("--alpha", type=_EXACT, help="Significance level, in (0, 1].")
@click.option("--sigma", type=_EXACT, help="Standard deviation of the noise, above 0.")
@click.option("--error", type=_EXACT, help="Error bound a, at least 0.")
@digits_option
@json_option
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
