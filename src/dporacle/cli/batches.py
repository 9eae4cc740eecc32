"""`dporacle batches`: the sampling schemes that fit recorded training batches."""

import math
import sys
from typing import IO

import click
from rich.table import Table

from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.exit_status import ExitStatus
from dporacle.recorded_batches.compatibility import (
    FALSE_ALARM,
    SCHEMES,
    Compatibility,
    compare,
    epoch_length,
)
from dporacle.recorded_batches.recording import Recording, read

_ACCOUNTING = {
    "poisson": "--sampling-rate {rate} --steps {steps}",
    "fixed-size": "--sampling fixed-size --batch-size {size} --dataset-size {records} "
    "--steps {steps}",
    "with-replacement": "--sampling with-replacement --batch-size {size} "
    "--dataset-size {records} --steps {steps}",
}
_OF_EPOCHS = "--sampling {scheme} --batches-per-epoch {epoch} --epochs {epochs}"


@click.command()
@options(
    "batches", file=click.File(encoding="utf-8"), claimed=list(SCHEMES), false_alarm=FALSE_ALARM
)
def batches(
    file: IO[str],
    dataset_size: int | None,
    batches_per_epoch: int | None,
    sampling_rate: float | None,
    claimed: str | None,
    false_alarm: float,
    as_json: bool,
) -> None:
    """Find the sampling schemes that could have drawn the batches in FILE.

    FILE has a JSON list of record indices (0, 1, 2, …) on each line: one batch, in the order of
    training, from the start of an epoch. A line may also be one epoch, a list of batches. `-`
    reads standard input.

    Schemes: poisson, shuffled, shuffled-once, balls-and-bins, cyclic, fixed-size, with-replacement.

    The exit status is 1 if the claimed scheme is refuted or no scheme is left.
    """
    try:
        recording = read(file, records=dataset_size, epoch=batches_per_epoch)
        found = compare(recording, rate=sampling_rate, false_alarm=false_alarm)
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name} is not text in UTF-8: {error.reason}") from None
    except ValueError as error:
        raise click.UsageError(f"{file.name}: {error}") from None
    if as_json:
        tables.echo_json(_document(recording, found, claimed, false_alarm))
    else:
        _show(recording, found, claimed, false_alarm, guessed=dataset_size is None)
    left = {each.scheme for each in found if each.compatible}
    if not left or (claimed and claimed not in left):
        sys.exit(ExitStatus.FINDING)


def _document(
    recording: Recording, found: tuple[Compatibility, ...], claimed: str | None, false_alarm: float
) -> dict[str, object]:
    return {
        "batches": len(recording.batches),
        "dataset_size": recording.records,
        "false_alarm": false_alarm,
        "claimed": claimed,
        "schemes": {
            each.scheme: {
                "compatible": each.compatible,
                "impossible": each.evidence == math.inf,
                "log10_evidence": each.evidence if math.isfinite(each.evidence) else None,
                "reason": each.reason,
                "accounting": _accounting(recording, each) if each.compatible else None,
            }
            for each in found
        },
    }


def _show(
    recording: Recording,
    found: tuple[Compatibility, ...],
    claimed: str | None,
    false_alarm: float,
    *,
    guessed: bool,
) -> None:
    console = tables.console(100)
    sizes = sorted({len(each) for each in recording.batches})
    spread = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    taken = " (the largest index + 1; --dataset-size changes it)" if guessed else ""
    console.print(f"{len(recording.batches):,} batches of {spread} records")
    console.print(f"{recording.records:,} records in the data set{taken}")
    table = Table("scheme", "these batches", "why")
    for each in found:
        word = "compatible" if each.compatible else "refuted"
        if each.evidence == math.inf:
            word = "impossible"
        table.add_row(each.scheme, word, each.reason or SCHEMES[each.scheme])
    tables.show(console, table)
    console.print(f"The true scheme is refuted with probability at most {false_alarm:g}.")
    left = [each for each in found if each.compatible]
    if claimed and claimed not in {each.scheme for each in left}:
        console.print(f"Accounting for {claimed} batches does not cover these.")
    if not left:
        console.print(_otherwise(recording))
        return
    if len(left) > 1:
        console.print("The batches cannot tell these schemes apart: ask which one was used.")
    console.print("\nAccounting, with your noise multiplier Z and delta D:")
    for each in left:
        click.echo(f"  {_accounting(recording, each)}")
    if any(each.batches_per_epoch for each in left) and _uneven(recording):
        console.print(
            "The batch size does not divide the data set. Records that are left out, or a shorter\n"
            "last batch, must agree with the assumptions that the command prints."
        )
    if "poisson" in {each.scheme for each in left}:
        console.print("The sampling rate is estimated here: use the one that was configured.")


def _uneven(recording: Recording) -> bool:
    """Whether the first batch's size does not divide the data set's."""
    first = len(recording.batches[0])
    return not first or recording.records % first != 0


def _otherwise(recording: Recording) -> str:
    length = epoch_length(recording)
    if length is None:
        return "No scheme is left: the ε of none of these schemes covers the batches."
    return (
        "No scheme is left. But each epoch is all records cut into batches. If the order does\n"
        "not depend on the data, the accounting for cyclic batches covers them:\n"
        f"  --sampling cyclic --batches-per-epoch {length} "
        f"--epochs {-(-len(recording.batches) // length)}"
    )


def _accounting(recording: Recording, found: Compatibility) -> str:
    steps = len(recording.batches)
    taken = sum(map(len, recording.batches))
    epoch = found.batches_per_epoch
    told = _ACCOUNTING.get(found.scheme, _OF_EPOCHS).format(
        scheme=found.scheme,
        rate=f"{taken}/{steps * recording.records}",
        steps=steps,
        size=len(recording.batches[0]),
        records=recording.records,
        epoch=epoch or "T",
        epochs=-(-steps // epoch) if epoch else "E",
    )
    return f"dporacle dp-sgd --noise-multiplier Z {told} --delta D"
