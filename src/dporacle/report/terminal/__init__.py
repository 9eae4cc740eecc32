"""What was judged, for people (tables) and for programs (JSON)."""

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.runs import Document
from dporacle.report.terminal.screen import broken, libraries, news, others
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

__all__ = ["show", "total"]


def show(run: Document, console: Console, *, quiet: bool = False, verbose: bool = False) -> None:
    """Print who breaks a promise, a line for each other grade and each library, and the total.

    If `quiet`, the last line alone, and which libraries could not be run. If `verbose`, before all
    this a table of all functions, what the words mean, the worst cases, what was not judged.
    """
    if verbose and not quiet:
        _show_details(run, console)
    if not quiet:
        _show_screen(run, console, verbose=verbose)
    for result in run.failures:
        console.print(
            f"[bold red]{escape(printable(result.target))} could not be run:[/] "
            f"{escape(printable(result.failure or ''))}"
        )
    console.print(total(run))


def _show_details(run: Document, console: Console) -> None:
    console.print(table(run))
    console.print(legend())
    for result in run.targets:
        console.print(worst(result))
    for line in (*loosest(run), *silences(run)):
        console.print(line)
    if run.fresh and run.fresh.rounds:
        console.print(searched(run))
    console.print(patience(run), markup=False)


def _show_screen(run: Document, console: Console, *, verbose: bool) -> None:
    width, fresh = min(console.width, WIDEST), run.fresh or Fresh()
    for part in (news, broken, others, libraries):
        for line in part(run, width):
            console.print(line)
    for line in () if verbose else silences(run, most=_SILENCES):
        console.print(line)
    for result in run.targets:
        most = len(result.contradictions) if verbose else _CONTRADICTIONS
        for each in result.contradictions[:most]:
            words = f"{result.target} contradicts itself: {each.text}"
            console.print(Text(printable(words), style="bold red"))
        if len(result.contradictions) > most:
            more = more_functions(len(result.contradictions) - most)
            console.print(Text(f"{more} of {printable(result.target)}", style="dim"))
    for entry in run.expired:
        console.print(Text(f"expired, to be removed: {printable(entry)}", style="red"))
    for entry in run.answered:
        words = f"hung before, and answered in time now: {printable(entry)}"
        console.print(Text(words, style="yellow"))
    seed = f"fresh inputs: --random {fresh.rounds} --seed {fresh.seed}" if fresh.rounds else ""
    more = "" if verbose else _MORE
    power = met(run) if fresh.rounds else ""
    console.print(Text("\n" + "\n".join(filter(None, (seed, power, more))), style="dim"))
