"""`dporacle batches`: the sampling schemes that recorded training batches refute."""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, Any

import click
from rich.table import Table

from dporacle import arguments
from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.wings.recorded_batches.power import UNSEEN, DetectionLimit, powers
from dporacle.wings.recorded_batches.recording import Recording, read
from dporacle.wings.recorded_batches.refutation import (
    FALSE_ALARM,
    SCHEMES,
    TRUNCATED,
    SchemeEvidence,
    compare,
    epoch_length,
)

_WITH_SIZES = "--sampling {scheme} --batch-size {size} --dataset-size {records} --steps {steps}"
_OF_EPOCHS = "--sampling {scheme} --batches-per-epoch {epoch} --epochs {epochs}"
_UPPER = "--neighbours zero-out --neighbours replace-one"

_SHORT_LAST = (
    "the command assumes batches of one size; your last batch is shorter: the upper end is proved "
    "for you, the lower end is not"
)
_CUT_SHORT = (
    "the command counts your last epoch as a whole: the upper end is proved for you, the lower end "
    "may not be"
)
_OF_A_FIXED_ORDER = "the batch size does not divide the data set: for zero-out and replace-one only"
_OF_ANY_ORDER = (
    "the batch size does not divide the data set: the upper end of cyclic batches is proved for "
    "you, if the order does not depend on the data; the lower end is not. For a loader with "
    "drop_last=True use --sampling drop-last"
)


@dataclass(frozen=True, slots=True)
class Accounting:
    """A command that accounts for a scheme.

    Attributes:
        command: with Z and D for the noise multiplier and δ; "" where there is none.
        conditions: what is to be known about its answer for these batches.
    """

    command: str
    conditions: tuple[str, ...]


@click.command()
@options(
    "batches",
    file=click.File(encoding="utf-8-sig"),
    claimed=[*SCHEMES, "truncated"],
    false_alarm=FALSE_ALARM,
)
def batches(
    file: IO[str],
    dataset_size: int | None,
    batches_per_epoch: int | None,
    sampling_rate: Fraction | None,
    batch_cap: int | None,
    claimed: str | None,
    false_alarm: float,
    as_json: bool,
) -> None:
    """Find the sampling schemes that did not draw the batches in FILE.

    FILE has a JSON list of record indices (0, 1, 2, …) on each line: one batch, in the order of
    training, from the start of an epoch. A line may also be one epoch, a list of batches. `-`
    reads standard input.

    Schemes: poisson, shuffled, shuffled-once, balls-and-bins, cyclic, fixed-size, with-replacement,
    and, with --batch-cap, truncated.

    A scheme that is not refuted need not be the one that was used. The output says which other
    ways of drawing a recording of this size would show, and which it would not.

    The exit status is 1 if the claimed scheme is refuted or no scheme is left.
    """
    rate = None if sampling_rate is None else float(sampling_rate)
    if claimed == "truncated" and batch_cap is None:
        raise click.UsageError("--batch-cap must be given with --claimed truncated")
    try:
        recording = read(file, records=dataset_size, epoch=batches_per_epoch)
        found = compare(recording, rate=rate, false_alarm=false_alarm, cap=batch_cap)
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is not text in UTF-8: {error.reason}") from None
    except ValueError as error:
        raise click.UsageError(f"{file.name}: {error}") from None
    left = [each for each in found if not each.refuted]
    power = {each.scheme: powers(recording, each, false_alarm=false_alarm) for each in left}
    shown = Shown(recording, found, power, sampling_rate, claimed, false_alarm, batch_cap)
    if as_json:
        tables.echo_json(shown.document())
    else:
        shown.print()
    if not left or (claimed and claimed not in power):
        sys.exit(ExitStatus.FINDING)


@dataclass(frozen=True)
class Shown:
    """What is printed.

    Attributes:
        recording: the batches.
        found: what they say about each scheme.
        power: what would have been found instead of each that is not refuted.
        rate: the stated sampling rate.
        claimed: the scheme that the accounting assumes.
        false_alarm: the probability at most with which the scheme that was used is refuted.
        cap: the stated cap of truncated batches.
    """

    recording: Recording
    found: tuple[SchemeEvidence, ...]
    power: dict[str, tuple[DetectionLimit, ...]]
    rate: Fraction | None
    claimed: str | None
    false_alarm: float
    cap: int | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        return {
            "batches": len(self.recording.batches),
            "dataset_size": self.recording.records,
            "dataset_size_is_guessed": self.recording.guessed,
            "sampling_rate": None if self.rate is None else str(self.rate),
            "false_alarm": self.false_alarm,
            "claimed": self.claimed,
            "batch_cap": self.cap,
            "schemes": {each.scheme: self._scheme(each) for each in self.found},
            "claim": self.about_claim(),
            "unseen": list(UNSEEN),
        }

    def _scheme(self, each: SchemeEvidence) -> dict[str, Any]:
        told: dict[str, Any] = {
            "refuted": each.refuted,
            "impossible": each.impossible,
            "log10_evidence": each.evidence if math.isfinite(each.evidence) else None,
            "reason": each.reason,
            "accounting": None,
            "conditions": [],
            "found_with_probability_0.99": {},
        }
        if not each.refuted:
            accounting = self.accounting(each)
            told["accounting"] = accounting.command or None
            told["conditions"] = list(accounting.conditions)
            told["found_with_probability_0.99"] = {
                power.fault: power.found for power in self.power[each.scheme]
            }
        return told

    def print(self) -> None:
        """Print to the terminal."""
        console = tables.console(100)
        recording = self.recording
        sizes = sorted({len(each) for each in recording.batches})
        spread = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        taken = " (the largest index + 1: if there are more, give --dataset-size)"
        console.print(f"{len(recording.batches):,} batches of {spread} records")
        console.print(
            f"{recording.records:,} records in the data set{taken if recording.guessed else ''}"
        )
        if self.rate is None:
            console.print("no rate was stated: any one rate is allowed for poisson")
        else:
            console.print(f"a rate of {arguments.show(self.rate)} is tested for poisson")
        if self.cap is None:
            console.print("no cap was stated: truncated batches are no scheme here (--batch-cap)")
        else:
            console.print(f"a cap of {self.cap:,} records is tested for truncated")
        table = Table("scheme", "these batches", "why")
        for each in self.found:
            word = "refuted" if each.refuted else "not refuted"
            word = "impossible" if each.impossible else word
            table.add_row(each.scheme, word, each.reason or SCHEMES.get(each.scheme, TRUNCATED))
        tables.show(console, table)
        console.print(
            f"The scheme that was used is refuted with probability at most {self.false_alarm:g}."
        )
        left = [each for each in self.found if not each.refuted]
        for sentence in self.about_claim():
            console.print(sentence, soft_wrap=not sys.stdout.isatty())
        if not left:
            return
        if len(left) > 1:
            console.print("The batches cannot tell these schemes apart: ask which one was used.")
        console.print("\nAccounting, with your noise multiplier Z and delta D:")
        for each in left:
            accounting = self.accounting(each)
            click.echo(f"  {accounting.command or each.scheme + ': no command'}")
            for condition in accounting.conditions:
                click.echo(f"    ({condition})")
        console.print(
            "\nAn ε holds for the scheme that it names. Not refuted does not say that it was used."
        )
        for each in left:
            self._print_power(each)
        console.print("No recording shows:")
        for unseen in UNSEEN:
            click.echo(f"  - {unseen}")

    def _print_power(self, each: SchemeEvidence) -> None:
        if not self.power[each.scheme]:
            return
        click.echo(f"Not {each.scheme}, and found with probability 0.99 in so many batches:")
        for power in self.power[each.scheme]:
            click.echo(f"  - {power.fault}: {power.found or 'not found for certain'}")

    def about_claim(self) -> list[str]:
        """Return what is said of a refuted claim, and of batches that no scheme gives."""
        refuted = {each.scheme for each in self.found if each.refuted}
        told = []
        whole = epoch_length(self.recording)
        if self.claimed in refuted:
            told.append(f"These are not {self.claimed} batches.")
            if self.claimed == "poisson" and self.rate is not None:
                told = [f"These are not poisson batches of rate {arguments.show(self.rate)}."]
                told += self._another_rate()
            elif whole is None or self.claimed not in ("cyclic", "shuffled-once", "shuffled"):
                told.append(f"So an ε of {self.claimed} batches is not proved for them.")
        none = len(refuted) == len(self.found)
        if none:
            told.append("No scheme is left.")
        if whole is not None and (none or self.claimed in refuted & {"cyclic", "shuffled-once"}):
            command = self._command("cyclic", whole, more=_UPPER).command
            told += [
                "But each epoch is all records cut into batches. If the order does not depend on "
                "the data, the upper end of cyclic batches is proved for them, for zero-out and "
                "replace-one:",
                f"  {command}",
            ]
        elif none:
            told.append("None of these schemes gives such batches: no ε is proved for them here.")
        return told

    def _another_rate(self) -> list[str]:
        free = compare(self.recording, false_alarm=self.false_alarm)
        if next(each for each in free if each.scheme == "poisson").refuted:
            return ["Poisson sampling of any other rate is refuted too."]
        taken = sum(map(len, self.recording.batches))
        cells = len(self.recording.batches) * self.recording.records
        return [f"Poisson sampling of another rate, about {taken / cells:.4g}, is not refuted."]

    def accounting(self, found: SchemeEvidence) -> Accounting:
        """Return the command whose conditions the batches meet, if the scheme drew them."""
        recording = self.recording
        steps, first = len(recording.batches), len(recording.batches[0])
        taken = sum(map(len, recording.batches))
        if found.scheme == "truncated":
            before = "Q" if self.rate is None else str(self.rate)
            notes = ("Q is the rate before batches are cut: use the one that was configured",)
            told = f"--sampling truncated --sampling-rate {before} --batch-cap {self.cap}"
            told += f" --dataset-size {recording.records} --steps {steps}"
            return _account(told, () if self.rate is not None else notes)
        if found.scheme == "poisson":
            if self.rate is None and not taken:
                return Accounting("", ("every batch is empty: the rate is not known",))
            rate = self.rate or Fraction(taken, steps * recording.records)
            told = f"--sampling-rate {rate} --steps {steps}"
            notes = ("the rate is estimated here: use the one that was configured",)
            return _account(told, () if self.rate is not None else notes)
        if found.scheme in ("fixed-size", "with-replacement"):
            if not first:
                return Accounting("", ("every batch is empty: nothing is released about a record",))
            if recording.records == 1:
                return Accounting("", ("there is one record: no batch is drawn at random",))
            told = _WITH_SIZES.format(
                scheme=found.scheme, size=first, records=recording.records, steps=steps
            )
            uneven = any(len(each) != first for each in recording.batches)
            return _account(told, (_SHORT_LAST,) if uneven else ())
        epoch = found.batches_per_epoch
        if epoch is None:
            notes = ("give --batches-per-epoch: these batches do not tell",)
            told = _OF_EPOCHS.format(scheme=found.scheme, epoch="T", epochs="E")
            return _account(told, notes)
        if found.scheme != "balls-and-bins" and recording.records % first:
            cyclic = self._command("cyclic", epoch, more=_UPPER)
            note = _OF_A_FIXED_ORDER if found.scheme == "cyclic" else _OF_ANY_ORDER
            return Accounting(cyclic.command, (note, *cyclic.conditions))
        return self._command(found.scheme, epoch)

    def _command(self, scheme: str, epoch: int, more: str = "") -> Accounting:
        steps = len(self.recording.batches)
        told = _OF_EPOCHS.format(scheme=scheme, epoch=epoch, epochs=-(-steps // epoch))
        return _account(f"{told} {more}".rstrip(), (_CUT_SHORT,) if steps % epoch else ())


def _account(told: str, notes: tuple[str, ...]) -> Accounting:
    return Accounting(f"dporacle dp-sgd --noise-multiplier Z {told} --delta D", notes)
