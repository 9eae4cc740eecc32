"""`dporacle specimens`: test the tester."""

import secrets
import sys
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.conformance.ask.fresh import RULES
from dporacle.dev.specimens import Report, Trial, power
from dporacle.dev.specimens.claimants import CLAIMANTS, judge
from dporacle.dev.specimens.gates import trials
from dporacle.dev.specimens.runs import Tally, many_runs
from dporacle.exit_status import ExitStatus

_LISTED = 5

_EPILOG = """Exit status: 0 if the expected flags convict every faulty specimen (with --runs: in
every run) and no correct one is accused; else 1."""


@click.command(epilog=_EPILOG)
@options("specimens")
def specimens(
    faults: bool,
    runs: int | None,
    claims: bool,
    gates: int | None,
    seed: int | None,
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run the certified vectors against faulty and correct calibrators.

    The first table lists the flags that convict each specimen. The second lists the specimens that
    each flag convicts, narrowest faults first. The last line names the flags that convict none.

    --runs tries the whole judge by the conformance protocol: the vectors once, and new random
    inputs in each run. DP-SGD and rank-one noise get new inputs in the first run and in every
    twentieth after it, because their exact values take seconds.

    --gates 40 writes a baseline of the failures of five libraries. An unchanged library must pass
    in 40 further runs. A library that was made worse must fail; there are eight ways of worse.

    --claims judges what some accountants claim of truncated batches, and of sums whose divisor a
    record changes: no vector asks for these.
    """
    if as_json and quiet:
        raise click.UsageError("give --json or --quiet, not both")
    console = tables.console(160)
    if claims:
        _try_claims(console, as_json=as_json, quiet=quiet)
        return
    if gates is not None:
        _try_gates(console, gates, 1 if seed is None else seed, as_json=as_json, quiet=quiet)
        return
    if runs is not None:
        first = secrets.randbits(32) if seed is None else seed
        tallies = many_runs(runs, first, jobs=jobs)
        if as_json:
            tables.echo_json({"runs": runs, "seed": first, "specimens": _tallied(tallies)})
        else:
            _show_runs(console, tallies, runs, first, quiet=quiet)
        if not all(each.as_expected for each in tallies):
            sys.exit(ExitStatus.FINDING)
        return
    report = power()
    if as_json:
        tables.echo_json(_record(report))
        sys.exit(ExitStatus.FINDING if report.escaped or report.accused else ExitStatus.FINE)
    if not quiet:
        tables.show(console, _by_specimen(report, faults=faults))
        tables.show(console, _by_flag(report))
    faulty = [trial for trial in report.trials if trial.specimen.fault]
    console.print(
        f"{len(faulty) - len(report.escaped)} of {len(faulty)} faulty specimens convicted as "
        f"expected; {len(report.accused)} of {len(report.trials) - len(faulty)} correct ones "
        f"accused; flags that convict nothing: {', '.join(report.idle) or 'none'}"
    )
    if report.escaped or report.accused:
        console.print(f"not as expected: {', '.join((*report.escaped, *report.accused))}")
        sys.exit(ExitStatus.FINDING)


def _try_claims(console: Console, *, as_json: bool, quiet: bool) -> None:
    """Print what becomes of the claims of accountants, and exit with 1 if one is misjudged."""
    found = [judge(each) for each in CLAIMANTS]
    rows: list[dict[str, Any]] = [
        {
            "name": each.claimant.name,
            "fault": each.claimant.fault,
            "verdicts": [str(verdict) for verdict in each.verdicts],
            "as_expected": each.as_expected,
        }
        for each in found
    ]
    if as_json:
        tables.echo_json({"claimants": rows})
    else:
        for row in () if quiet else rows:
            told = ", ".join(row["verdicts"])
            console.print(f"{row['name']}: {told}: {row['fault'] or 'no fault'}", markup=False)
        right = sum(each.as_expected for each in found)
        console.print(f"{right} of {len(found)} accountants judged as expected")
    if not all(each.as_expected for each in found):
        sys.exit(ExitStatus.FINDING)


def _try_gates(console: Console, runs: int, seed: int, *, as_json: bool, quiet: bool) -> None:
    """Print what becomes of libraries behind their gates, and exit with 1 if a gate lies."""
    found = []
    for trial in trials(runs, seed):
        found.append(trial)
        if as_json or quiet:
            continue
        console.print(
            f"{trial.library.name} ({trial.library.quantity}, {trial.entries} entries): unchanged, "
            f"{trial.passed} of {runs} runs pass; worse, {trial.caught} of "
            f"{len(trial.library.worse)} fail",
            markup=False,
        )
        for change, said in trial.worse.items():
            words = f"{said.new} new; {said.words}" if said.new else "passes"
            console.print(f"  {change}: {words}", markup=False)
        for number, said in enumerate(trial.unchanged, 1):
            if said.status:
                console.print(f"  run {number} fails: {said.words}", markup=False)
    worse = sum(len(each.library.worse) for each in found)
    passed, caught = (sum(each.passed for each in found), sum(each.caught for each in found))
    counts = {"runs": runs * len(found), "passed": passed, "worse": worse, "caught": caught}
    if as_json:
        tables.echo_json(counts | {"seed": seed})
    else:
        console.print(
            f"{passed} of {counts['runs']} runs of unchanged libraries pass; "
            f"{caught} of {worse} that were made worse fail"
        )
    if passed < counts["runs"] or caught < worse:
        sys.exit(ExitStatus.FINDING)


def _record(report: Report) -> dict[str, Any]:
    return {
        "specimens": [
            {
                "name": trial.specimen.name,
                "function": trial.specimen.function,
                "fault": trial.specimen.fault,
                "asked": trial.asked,
                "convicted_by": len(trial.convictions),
                "results": {str(result): count for result, count in trial.results.items()},
                "flags": dict(trial.flags),
                "as_expected": trial.as_expected,
            }
            for trial in report.trials
        ],
        "escaped": list(report.escaped),
        "accused": list(report.accused),
        "idle": list(report.idle),
    }


def _tallied(tallies: list[Tally]) -> list[dict[str, Any]]:
    return [
        {
            "name": each.specimen.name,
            "function": each.specimen.function,
            "vectors": each.vectors,
            "asked": each.asked,
            "runs": each.fresh,
            "of": each.runs,
            "by": {check: each.by[check] for check in RULES},
            "as_expected": each.as_expected,
        }
        for each in tallies
    ]


def _show_runs(
    console: Console, tallies: list[Tally], runs: int, seed: int, *, quiet: bool
) -> None:
    if not quiet:
        tables.show(console, _by_tally(tallies, runs))
        tables.show(console, _by_check(tallies))
    known = [each for each in tallies if each.specimen.fault and not each.specimen.limit]
    faulty = [each for each in known if not each.specimen.power]
    narrow = [each for each in known if each.specimen.power]
    passing = [each.specimen.name for each in tallies if each.specimen.limit]
    correct = [each for each in tallies if not each.specimen.fault]
    idle = [check for check in RULES if not any(each.by[check] for each in known)]
    convicted = sum(each.in_every_run for each in faulty)
    accused = sum(not each.as_expected for each in correct)
    seldom = min(each.runs for each in tallies)
    console.print(
        f"{runs} runs, --seed {seed}: {convicted} of {len(faulty)} faulty specimens convicted in "
        f"every run, {sum(each.fresh == each.runs for each in faulty)} of them in every run by "
        f"fresh inputs alone (in {seldom} runs where exact values take seconds); "
        f"{sum(each.as_expected for each in narrow)} of {len(narrow)} narrow ones as "
        f"often as their power says; {accused} of {len(correct)} correct ones accused in any; "
        f"allowed, since true as a limit: {', '.join(passing) or 'none'}; "
        f"checks that convict nothing: "
        f"{', '.join(idle) or 'none'}"
    )
    wrong = [each for each in tallies if not each.as_expected]
    for each in wrong:
        console.print(
            f"not as expected: {each.specimen.name}: {', '.join(each.cases) or 'escaped'}"
        )


def _by_tally(tallies: list[Tally], runs: int) -> Table:
    table = Table(title="Runs", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.add_column("specimen", overflow="fold")
    table.add_column("function", overflow="fold")
    table.add_column("vectors", justify="right")
    table.add_column(f"runs of {runs}", justify="right")
    for check in RULES:
        table.add_column(check.replace("-", "-\n"), justify="right")
    for each in tallies:
        name = escape(each.specimen.name)
        table.add_row(
            name if each.specimen.fault else f"[green]{name}[/]",
            each.specimen.function,
            f"{each.vectors}/{each.asked}",
            f"[bold]{each.fresh}[/]" + (f"/{each.runs}" if each.runs < runs else ""),
            *(str(each.by[check] or "·") for check in RULES),
        )
    return table


def _by_check(tallies: list[Tally]) -> Table:
    """What each check convicts, in how many of the runs: the faults that few checks find first."""
    table = Table(title="Checks", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in ("check", "specimens", "in every run", "those with the fewest other checks"):
        table.add_column(heading, overflow="fold")
    faulty = [each for each in tallies if each.specimen.fault]
    for check in RULES:
        found = sorted((s for s in faulty if s.by[check]), key=lambda each: sum(each.by.values()))
        always = sum(each.by[check] == each.runs for each in found)
        names = ", ".join(f"{s.specimen.name} {s.by[check]}" for s in found[:_LISTED])
        table.add_row(check, str(len(found)), str(always), names or "nothing")
    return table


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
            ", ".join(f"{result} {n}" for result, n in trial.results.most_common()),
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
