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
    Kind,
)

_GAUSSIAN = {row.kind.name: row for row in SERVED.values() if row.mechanism.name == "gaussian"}


def _calculator(name: str, kind: Kind, about: str) -> click.Command:
    @click.command(name, help=about)
    @options(name)
    def command(digits: int, as_json: bool, **given: Fraction) -> None:
        answer(name, _GAUSSIAN[kind.name], given, digits=digits, as_json=as_json)

    return command


sigma = _calculator(
    "sigma", NOISE_NEEDED, "Print the smallest σ of (ε,δ)-differentially private Gaussian noise."
)
delta = _calculator(
    "delta", DELTA, "Print the smallest δ for which noise of standard deviation σ is (ε,δ)-private."
)
epsilon = _calculator(
    "epsilon",
    EPSILON,
    "Print the smallest ε for which noise of standard deviation σ is (ε,δ)-private.",
)

_LEFT_OUT = {"error": ("accuracy", ERROR_BOUND), "alpha": ("alpha", PROBABILITY)}
_LEFT_OUT |= {"sigma": ("sigma", NOISE_ALLOWED)}


@click.command()
@options("accuracy")
def accuracy(digits: int, as_json: bool, **said: Fraction | None) -> None:
    """Print α, σ or the error bound a with Pr[|noise| > a] = α, from the other two.

    --alpha and --sigma give the error bound a. --error and --sigma give the significance α.
    --alpha and --error give the largest σ with that error bound.
    """
    given = {name: value for name, value in said.items() if value is not None}
    if len(given) != 2:
        raise click.UsageError("give exactly two of --alpha, --sigma and --error")
    ((name, kind),) = (found for option, found in _LEFT_OUT.items() if option not in given)
    if "error" in given:
        given["accuracy"] = given.pop("error")
    answer(name, _GAUSSIAN[kind.name], given, digits=digits, as_json=as_json)
