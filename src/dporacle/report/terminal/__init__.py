"""What was judged, for people (tables) and for programs (JSON)."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.grade.known_failures import KnownFailures
from dporacle.conformance.grade.runs import Judgement, exit_status, judgement
from dporacle.conformance.judge.results import Result
from dporacle.report.run_json import to_json
from dporacle.report.terminal.screen import libraries, mend_first, news
from dporacle.report.terminal.summary import loosest, met, patience, searched, silences, total
from dporacle.report.terminal.table import legend, table
from dporacle.report.terminal.wording import more_functions, printable
from dporacle.report.terminal.worst import worst

_CONTRADICTIONS = 2  # of a library, on the screen
WIDEST = 100  # characters of a line for people
_SILENCES = 3  # functions that were not judged, on the screen
_MORE = (
    "every function, the words, the worst cases: --verbose; a page of all answers: --output "
    "run.json, then `dporacle report run.json -o page.html`"
)

__all__ = ["Judgement", "exit_status", "judgement", "show", "to_json", "total"]


def show(
    results: Sequence[Result],
    console: Console,
    fresh: Fresh,
    *,
    gate: Gate | None = None,
    known: KnownFailures | None = None,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Print a line for each library, what to mend first, and the total.

    If `quiet`, the last line alone, and which libraries could not be run. If `verbose`, before all
    this a table of all functions, what the words mean, the worst cases, what was not judged.
    """
    found = judgement(results, gate, known)
    if verbose and not quiet:
        _show_details(results, console, fresh, found)
    if not quiet:
        _show_screen(results, console, fresh, found, verbose=verbose)
    for result in results:
        if result.failure:
            console.print(
                f"[bold red]{escape(printable(result.name))} could not be run:[/] "
                f"{escape(printable(result.failure))}"
            )
    console.print(total(results, found))


def _show_details(
    results: Sequence[Result], console: Console, fresh: Fresh, found: Judgement
) -> None:
    console.print(table(results, found))
    console.print(legend())
    for result in results:
        console.print(worst(result))
    for line in (*loosest(results), *silences(results, found)):
        console.print(line)
    if fresh.rounds:
        console.print(searched(results))
    console.print(patience(results), markup=False)


def _show_screen(
    results: Sequence[Result], console: Console, fresh: Fresh, found: Judgement, *, verbose: bool
) -> None:
    width = min(console.width, WIDEST)
    for part in (news, libraries, mend_first):
        for line in part(results, found, width):
            console.print(line)
    for line in () if verbose else silences(results, found, most=_SILENCES):
        console.print(line)
    for result in results:
        most = len(result.contradictions) if verbose else _CONTRADICTIONS
        for each in result.contradictions[:most]:
            words = f"{result.name} contradicts itself: {each.text}"
            console.print(Text(printable(words), style="bold red"))
        if len(result.contradictions) > most:
            more = more_functions(len(result.contradictions) - most)
            console.print(Text(f"{more} of {printable(result.name)}", style="dim"))
    for entry in found.expired:
        console.print(Text(f"expired, to be removed: {printable(entry.text)}", style="red"))
    for entry in found.answered:
        words = f"hung before, and answered in time now: {printable(entry.text)}"
        console.print(Text(words, style="yellow"))
    seed = f"fresh inputs: --random {fresh.rounds} --seed {fresh.seed}" if fresh.rounds else ""
    more = "" if verbose else _MORE
    power = met(found) if fresh.rounds else ""
    console.print(Text("\n" + "\n".join(filter(None, (seed, power, more))), style="dim"))
