"""`dporacle specimens`: test the tester."""

from __future__ import annotations

import sys

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dporacle.specimens import Report, Trial, power

__all__ = ["specimens"]

_LISTED = 5

_EPILOG = """Exit status: 0 if every faulty specimen is convicted by the flags that should, and no
correct one is accused; else 1."""


@click.command(epilog=_EPILOG)
@click.option("--faults", is_flag=True, help="Also say what is wrong with each specimen.")
def specimens(faults: bool) -> None:
    """Run the certified vectors against calibrators whose fault is known, and correct ones.

    The first table says which flags convict which specimen, the second which specimens a flag
    convicts, the narrowest faults first; a flag that convicts none is named at the end.
    """
    wide = None if sys.stdout.isatty() else 160
    console = Console(highlight=False, width=wide)
    report = power()
    console.print(_by_specimen(report, faults=faults))
    console.print(_by_flag(report))
    faulty = [trial for trial in report.trials if trial.specimen.fault]
    console.print(
        f"{len(faulty) - len(report.escaped)} of {len(faulty)} faulty specimens convicted as "
        f"expected; {len(report.accused)} of {len(report.trials) - len(faulty)} correct ones "
        f"accused; flags that convict nothing: {', '.join(report.idle) or 'none'}"
    )
    if report.escaped or report.accused:
        console.print(f"not as expected: {', '.join((*report.escaped, *report.accused))}")
        sys.exit(1)


def _by_specimen(report: Report, *, faults: bool) -> Table:
    table = Table(title="Specimens", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in ("specimen", "function"):
        table.add_column(heading, overflow="fold")
    table.add_column("convicted by", justify="right")
    for heading in ("as", "flags (cases)", "as expected"):
        table.add_column(heading, overflow="fold")
    for trial in report.trials:
        specimen = trial.specimen
        name = f"[bold]{escape(specimen.name)}[/]"
        if specimen.source:
            name += f"\n[dim]{escape(specimen.source)}[/]"
        if faults and specimen.fault:
            name += f"\n{escape(specimen.fault)}"
        table.add_row(
            name,
            specimen.function,
            f"{len(trial.convictions)} of {trial.asked}",
            ", ".join(f"{outcome} {n}" for outcome, n in trial.outcomes.most_common()),
            _flags(trial),
            "yes" if trial.as_expected else "[bold red]NO[/]",
        )
    return table


def _flags(trial: Trial) -> str:
    """The flags that should convict, marked by a star, then those with the most cases."""
    expected = trial.specimen.expected
    ordered = sorted(trial.flags.items(), key=lambda item: (item[0] not in expected, -item[1]))
    shown = [f"{flag}{'*' * (flag in expected)} {n}" for flag, n in ordered[:_LISTED]]
    more = f", {len(ordered) - _LISTED} more" if len(ordered) > _LISTED else ""
    return ", ".join(shown) + more


def _by_flag(report: Report) -> Table:
    table = Table(title="Power", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in ("function", "flag", "convicts"):
        table.add_column(heading, overflow="fold")
    for (function, flag), names in report.convicts.items():
        listed = ", ".join(names[:_LISTED]) + (" …" if len(names) > _LISTED else "")
        table.add_row(function, flag, f"{len(names)}: {listed}" if names else "nothing")
    return table
