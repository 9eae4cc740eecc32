"""One row per function, and what its words mean."""

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dporacle.conformance.grade.coverage import EVERYDAY_ANSWERED, MOST_UNASKED
from dporacle.conformance.grade.functions import Standing, State
from dporacle.conformance.grade.grades import GRADES, Grade
from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult
from dporacle.conformance.judge.harm_levels import LEVELS
from dporacle.conformance.judge.outcomes import LOOSE, TIGHT_ULP, UNSAFE, JudgedCase, Outcome
from dporacle.report.terminal.wording import (
    GRADE_STYLE,
    LEVEL_STYLE,
    STYLE,
    amount,
    printable,
    titled,
)

_SIGNS = {
    State.CONFORMANT: ("✔", "green"),
    State.KNOWN: ("≤", "cyan"),
    State.ALLOWED: ("≤", "cyan"),
    State.NOT_JUDGED: ("?", "yellow"),
    State.NOT_CONFORMANT: ("✖", "bold red"),
}
_SIGN_OF = {  # of what is not conformant
    Grade.SILENT: ("✖", "magenta"),
    Grade.SLIGHT: ("↓", "yellow"),
    Grade.ROUNDS: ("↓", "yellow"),
    Grade.LOOSE: ("≥", "cyan"),
}


def table(run: Document) -> RenderableType:
    """One row per function, the worst first: its harm, how much was judged, and the counts."""
    table = Table(
        title="Conformance",
        box=box.SIMPLE_HEAD,
        title_justify="left",
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("", width=1)
    table.add_column("library and function", overflow="fold", ratio=1)
    # On a narrow screen levels are folded before the name is gone.
    table.add_column("core", overflow="fold")
    table.add_column("extreme", overflow="fold")
    table.add_column("judged", justify="right", no_wrap=True)
    table.add_column("worst\nunsafe", justify="right", no_wrap=True)
    table.add_column("most\nextra", justify="right", style="cyan", no_wrap=True)
    for result, item, each in sorted(run.graded, key=lambda row: _by_harm(row[2])):
        sign, style = _SIGNS[each.state]
        if each.state is State.NOT_CONFORMANT:
            sign, style = _SIGN_OF.get(each.grade, (sign, style))
        table.add_row(
            Text(sign, style),
            _named(result, item, each),
            *(
                Text(level or "·", LEVEL_STYLE[level] if level else "dim")
                for level in (each.core, each.extreme)
            ),
            _judged_share(each),
            _amount(item.worst(*UNSAFE)),
            _amount(item.loosest),
        )
    for result in run.targets:
        if not result.functions:
            table.add_row(Text("?", "yellow"), Text(f"{titled(result)} could not be run", "red"))
    return table


def _by_harm(each: Standing) -> tuple[int, int, int]:
    """The worst grade first, then the worst harm where people work, then elsewhere."""
    ranks = [-1 if level is None else level.rank for level in (each.core, each.extreme)]
    return [*GRADES].index(each.grade), -ranks[0], -ranks[1]


def _named(result: TargetResult, item: FunctionResult, standing: Standing) -> Text:
    text = Text(f"{titled(result)} ", "bold")
    text.append(printable(item.function.name), "not bold")
    if item.function.quantity != item.function.name:
        text.append(f"  {item.function.quantity}", "dim not bold")
    if left_out := sum(each.left_out for each in standing.coverage):
        text.append(f" ({item.vectors - left_out} of {item.vectors} vectors)", "dim not bold")
    text.append(f"\n{item.graded.text}", f"{GRADE_STYLE[standing.grade]} not bold")
    if item.remarks:
        text.append(f" ({'; '.join(item.remarks)})", "yellow not bold")
    for outcome, number in item.counts.items():
        text.append(" · ", "dim")
        text.append(f"{outcome} {number}", f"{STYLE[outcome]} not bold")
        if outcome is Outcome.VIOLATING:
            text.append(f" ({item.beyond_rounding} by > 1 ulp)", "dim not bold")
    return text


def _judged_share(each: Standing) -> str:
    """How much was answered of what has an answer: of the vectors, and of the fresh inputs."""
    shares = {c.kind: c for c in each.coverage}
    words = []
    for kind in ("vectors", "fresh"):
        found = shares[kind]
        words.append(f"{found.answered}/{found.valid}" if found.valid else "–")
    return "\n+ ".join(words)


def _amount(worst: JudgedCase | None) -> str:
    return amount(worst) if worst else ""


def legend() -> Text:
    """Return what the words of the table mean."""
    levels = "; ".join(f"{level}: {words}" for level, words in reversed(LEVELS.items()))
    named = "; ".join(f"{grade}: {words}" for grade, words in GRADES.items())
    return Text(
        f"A function has one grade, whatever is known or allowed. {named}.\n"
        "core, extreme: the proved worst that the answers do to the promise, at everyday inputs "
        f"and at all others. {levels}.\n"
        "judged: valid inputs that were answered, of the vectors and of the fresh inputs. "
        "✔, conformant: sound or rounds, the typical answer is of use, at least "
        f"{float(100 * EVERYDAY_ANSWERED):.0f} % of the everyday inputs were answered, and at most "
        f"{float(100 * MOST_UNASKED):g} % were left unasked. ✖: not conformant. ?: not judged. "
        "≤: all that harms is known or allowed.\n"
        "violating: proved to be on the unsafe side of the exact value. rounded: the same, by 1e-9 "
        "at most, or by half a unit in the last place (ulp), as the nearest float64 may be.\n"
        f"tight: on the safe side, within {100 * LOOSE:g} % of the exact value, or {TIGHT_ULP} ulp "
        "of float64. loose: on the safe "
        "side by more; 'most extra' is the largest excess among the everyday inputs. loosest: "
        "what that answer gives away, in noise and in uses, by the float64 witness.\n"
        "crash: an exception that no check raised, the process's death, or a broken protocol. "
        "hang: no answer within the time limit. non-finite: NaN or infinity where the exact "
        "value is a number.\n"
        "inconsistent: an answer that contradicts the function's answer to a related input by more "
        "than 1 %, or vectors answered whose fresh neighbours are refused.\n"
        "refuses valid: an error that says so, where an answer exists (it harms nobody's "
        "privacy, and the function stays conformant). accepts invalid: an answer to NaN, a "
        "negative number, δ > 1 and the like (a remark beside the grade, as inconsistent is).\n",
        style="dim",
    )
