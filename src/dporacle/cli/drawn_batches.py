"""`dporacle dp-sgd --sampling`: the ε of batches that are not drawn by Poisson sampling."""

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dporacle import arguments
from dporacle.cli.headed_lines import inputs, line, listed
from dporacle.dp_sgd import BATCH_HYPOTHESES, epsilons, supposed
from dporacle.dp_sgd import Run as PoissonRun
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches import (
    DRAWN,
    SCHEMES,
    Interval,
    Run,
    fixed_size,
    scheme_of,
    with_replacement,
)

_DIGITS = 12
_WIDTH = 17  # of headings
_NAMES = {
    "zero-out": "zero out",
    "add": "add a record",
    "remove": "remove a record",
    "both": "add or remove",
    "replace": "replace one",
}

_EXACT = "both ends enclose one number; some algorithm and pair of data sets have exactly this ε"
_GAP = (
    "for {names}: some algorithm and pair of data sets reach the lower end; no ε is above the "
    "upper end; between the two nothing is proved"
)


@dataclass(frozen=True)
class Drawn:
    """What was asked of other batches than Poisson's."""

    noise_multiplier: Fraction | None
    epsilon: Fraction | None
    sampling_rate: Fraction | None
    batch_size: Fraction | None
    dataset_size: Fraction | None
    steps: int | None
    epochs: Fraction | None
    batches: int | None
    delta: Fraction
    adjacency: tuple[str, ...]

    def run(self) -> Run:
        """Return the run.

        Raises:
            click.UsageError: if what was given does not say one run.
        """
        if self.noise_multiplier is None or self.epsilon is not None:
            raise click.UsageError(
                "give --noise-multiplier and no --epsilon: --epsilon is for Poisson sampling"
            )
        if self.sampling_rate is not None:
            raise click.UsageError(
                "--sampling-rate is for poisson and fixed-size batches; give --batches-per-epoch, "
                "or --batch-size and --dataset-size"
            )
        batches = self._batches()
        if (self.steps is None) == (self.epochs is None):
            raise click.UsageError("give --steps or --epochs, and only one of them")
        if self.steps is not None:
            if self.steps % batches:
                raise click.UsageError(
                    f"steps must make whole epochs of {batches} batches, got {self.steps}"
                )
            epochs = self.steps // batches
        else:
            assert self.epochs is not None
            if self.epochs < 1 or self.epochs.denominator != 1:
                raise click.UsageError(
                    f"epochs must be a whole number, at least 1, got {arguments.show(self.epochs)}"
                )
            epochs = arguments.count("epochs", int(self.epochs))
        return Run(arguments.positive("noise-multiplier", self.noise_multiplier), batches, epochs)

    def _batches(self) -> int:
        sizes = (self.batch_size, self.dataset_size)
        if self.batches is not None:
            if sizes != (None, None):
                raise click.UsageError(
                    "give --batches-per-epoch, or --batch-size and --dataset-size"
                )
            return self.batches
        if self.batch_size is None or self.dataset_size is None:
            raise click.UsageError("give --batches-per-epoch, or --batch-size and --dataset-size")
        size, records = self._sizes()
        batches = Fraction(records, size)
        if batches.denominator != 1:
            raise click.UsageError(
                f"batch-size must divide dataset-size: {self.dataset_size} records do not make a "
                f"whole number of batches of {self.batch_size}; if the last batch is dropped, give "
                "the number of the others as --batches-per-epoch"
            )
        return int(batches)

    def show(self, sampling: str, *, compare: bool, as_json: bool, plot: Path | None) -> None:
        """Print what is proved, and draw it after that, since it takes many more values."""
        try:
            delta = arguments.delta(self.delta)
            if plot is not None:
                from dporacle.dp_sgd_plot import check

                check(plot)
            shown = self._compared(self.run(), delta) if compare else self._one(sampling, delta)
        except (ValueError, TypeError) as error:
            raise click.UsageError(str(error)) from error
        except ArithmeticError as error:
            raise click.ClickException(str(error)) from error
        if as_json:
            click.echo(json.dumps(shown, ensure_ascii=False))
        elif compare:
            _table(shown)
        else:
            _lines(shown)
        if plot is not None:
            from dporacle.dp_sgd_plot import draw_schemes

            sys.stdout.flush()
            try:
                draw_schemes(plot, self.run(), delta)
            except OSError as error:
                raise click.UsageError(str(error)) from error

    def _input(self, run: Run) -> dict[str, str]:
        return {
            "noise_multiplier": str(run.sigma),
            "batches_per_epoch": str(run.batches),
            "epochs": str(run.epochs),
            "delta": str(self.delta),
        }

    def _steps(self) -> tuple[Fraction, int]:
        """Return the rate and the number of batches that are drawn anew."""
        sizes = (self.batch_size, self.dataset_size)
        given = (self.sampling_rate is not None, self.batches is not None, sizes != (None, None))
        if sum(given) != 1 or (given[2] and None in sizes):
            raise click.UsageError(
                "give --batch-size and --dataset-size, or --sampling-rate, or --batches-per-epoch, "
                "and only one of them"
            )
        if self.sampling_rate is not None:
            rate = self.sampling_rate
        elif self.batches is not None:
            rate = Fraction(1, self.batches)
        else:
            size, records = self._sizes()
            if size > records:
                raise click.UsageError(
                    f"batch-size must be at most dataset-size, got {size} of {records}"
                )
            rate = Fraction(size, records)
        if not 0 < rate <= 1:
            raise click.UsageError(
                f"the sampling rate must be in (0, 1], got {arguments.show(rate)}"
            )
        return rate, self._count(rate)

    def _count(self, rate: Fraction) -> int:
        """Return how many batches are drawn, of so many records of the data set's each."""
        if (self.steps is None) == (self.epochs is None):
            raise click.UsageError("give --steps or --epochs, and only one of them")
        if self.steps is not None:
            return self.steps
        assert self.epochs is not None
        steps = self.epochs / rate
        if steps < 1 or steps.denominator != 1:
            raise click.UsageError(
                f"--epochs must make a whole number of batches, got {arguments.show(self.epochs)} "
                f"at a rate of {arguments.show(rate)}: give --steps"
            )
        return int(steps)

    def _sizes(self) -> tuple[int, int]:
        """Return the batch size and the data set's."""
        found = []
        for name, value in (("batch-size", self.batch_size), ("dataset-size", self.dataset_size)):
            if value is None:
                raise click.UsageError("give --batch-size and --dataset-size")
            if value < 1 or value.denominator != 1:
                raise click.UsageError(
                    f"{name} must be a whole number, at least 1, got {arguments.show(value)}"
                )
            found.append(int(value))
        return found[0], found[1]

    def asked(self, sampling: str) -> tuple[Any, Any, dict[str, str]]:
        """Return a scheme's module, the run that it takes, and what was given."""
        if sampling not in DRAWN:
            run = self.run()
            return scheme_of(sampling), run, self._input(run)
        if self.noise_multiplier is None or self.epsilon is not None:
            raise click.UsageError(
                "give --noise-multiplier and no --epsilon: --epsilon is for Poisson sampling"
            )
        sigma = arguments.positive("noise-multiplier", self.noise_multiplier)
        given = {"noise_multiplier": str(sigma)}
        if sampling == "fixed-size":
            rate, steps = self._steps()
            given |= {"sampling_rate": str(rate), "steps": str(steps), "delta": str(self.delta)}
            return fixed_size, fixed_size.Steps(sigma, rate, steps), given
        if self.sampling_rate is not None or self.batches is not None:
            raise click.UsageError("with-replacement needs --batch-size and --dataset-size")
        size, records = self._sizes()
        if records < 2:
            raise click.UsageError(f"dataset-size must be at least 2, got {records}")
        steps = self._count(Fraction(size, records))
        given |= {
            "batch_size": str(size),
            "dataset_size": str(records),
            "steps": str(steps),
            "delta": str(self.delta),
        }
        return with_replacement, with_replacement.Draws(sigma, size, records, steps), given

    def _one(self, sampling: str, delta: Fraction) -> dict[str, Any]:
        scheme, run, given = self.asked(sampling)
        known = scheme.ADJACENCIES
        if isinstance(run, fixed_size.Steps) and run.rate == 1:
            known = ("zero-out", "replace")  # with a record less there is no such batch
        if unknown := [each for each in self.adjacency if each not in known]:
            raise click.UsageError(
                f"the relation {unknown[0]!r} has no bounds for {sampling} batches: there are "
                f"{', '.join(known)}"
            )
        asked = self.adjacency or known
        found = {name: scheme.epsilon(run, delta, name) for name in asked}
        return {
            "epsilon": {name: _ends(each) for name, each in found.items()},
            "exact": all(each.exact for each in found.values()),
            "exact_for": [name for name, each in found.items() if each.exact],
            "sampling": sampling,
            "input": given,
            "hypotheses": [*supposed(sampling)],
            "note": _note([name for name, each in found.items() if not each.exact]),
        }

    def _compared(self, run: Run, delta: Fraction) -> dict[str, Any]:
        if self.adjacency:
            raise click.UsageError("--compare takes no --neighbours: it shows zero-out and replace")
        schemes: dict[str, Any] = {}
        poisson = PoissonRun(run.sigma, Fraction(1, run.batches), run.batches * run.epochs)
        values = epsilons(poisson, delta=delta, digits=_DIGITS)
        pair = {"zero-out": values["both"], "replace": values["replace"]}
        schemes["poisson"] = {
            "epsilon": {k: list(rounding.decimal_bounds(v, _DIGITS)) for k, v in pair.items()},
            "exact": True,
        }
        for name in SCHEMES:
            found = {
                each: scheme_of(name).epsilon(run, delta, each) for each in ("zero-out", "replace")
            }
            schemes[name] = {
                "epsilon": {key: _ends(each) for key, each in found.items()},
                "exact": all(each.exact for each in found.values()),
            }
        drawn = fixed_size.Steps(run.sigma, Fraction(1, run.batches), run.batches * run.epochs)
        found = {each: fixed_size.epsilon(drawn, delta, each) for each in ("zero-out", "replace")}
        schemes["fixed-size"] = {
            "epsilon": {key: _ends(each) for key, each in found.items()},
            "exact": all(each.exact for each in found.values()),
        }
        return {"schemes": schemes, "input": self._input(run), "hypotheses": [*BATCH_HYPOTHESES]}


def _note(gaps: list[str]) -> str:
    return _GAP.format(names=" and ".join(gaps)) if gaps else _EXACT


def _ends(found: Interval) -> list[str]:
    with precision(256):
        low = rounding.decimal_bounds(ball(found.low), _DIGITS)[0]
        high = rounding.decimal_bounds(ball(found.high), _DIGITS)[1]
    return [low, high]


def _lines(shown: dict[str, Any]) -> None:
    line("sampling", shown["sampling"], _WIDTH)
    inputs(shown["input"], _WIDTH)
    for name, (low, high) in shown["epsilon"].items():
        kind = "attained" if name in shown["exact_for"] else "the lower end is reached"
        line(_NAMES[name], f"ε ∈ [{low}, {high}], {kind}", _WIDTH)
    listed("proved under", shown["hypotheses"], _WIDTH)
    line("the ends", shown["note"], _WIDTH)


def _table(shown: dict[str, Any]) -> None:
    inputs(shown["input"], _WIDTH)
    click.echo(f"{'batches':<17} {'zero out, ε ∈':<28} {'replace one, ε ∈':<28}")
    for name, found in shown["schemes"].items():
        cells = [
            f"[{_short(low)}, {_short(high, up=True)}]"
            for low, high in (found["epsilon"]["zero-out"], found["epsilon"]["replace"])
        ]
        click.echo(f"{name:<17} {cells[0]:<28} {cells[1]:<28}".rstrip())
    line("not exchangeable", "the ε of a line is for that scheme only", _WIDTH)
    listed("proved under", shown["hypotheses"], _WIDTH)


def _short(text: str, *, up: bool = False) -> str:
    """Return a decimal with six digits, rounded outwards."""
    with precision(256):
        ends = rounding.decimal_bounds(ball(Fraction(text)), 6)
    return ends[1] if up else ends[0]
