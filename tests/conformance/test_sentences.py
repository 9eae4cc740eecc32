"""Every sentence that a line, page, badge or history can print is true of what it is printed for.

All outcomes under all gates, alone and beside what is incomplete or expired. What is printed is
taken apart into sentences that are known here; one that is not known fails, and so does one that
is false of the facts.
"""

import datetime
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from rich.console import Console

from dporacle import enclosures
from dporacle import report as pages
from dporacle.conformance.grade import known_failures, runs
from dporacle.conformance.grade.findings import compared
from dporacle.conformance.grade.functions import Gate, State
from dporacle.conformance.grade.grades import GRADES
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.harm import consequence, level_of
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.run.runner import Fresh, FunctionResult, Patience, TargetResult
from dporacle.report import history, terminal
from dporacle.vocabulary import QUANTITIES
from support.cases import table
from support.dear import mostly_dear
from support.reports import Page

N, ALL = 2, 10  # answers with the outcome in question, and of each kind otherwise
UNJUDGED = (Outcome.REFUSES_VALID, Outcome.SKIPPED, Outcome.NOT_ASKED)
ANSWERED = (Outcome.VIOLATING, Outcome.ROUNDED, Outcome.INCONSISTENT, Outcome.LOOSE, Outcome.TIGHT)
HARMS = {Outcome.VIOLATING: Level.GRAVE}
FAILING = (Outcome.VIOLATING, Outcome.HANG, Outcome.CRASH, Outcome.NON_FINITE)
BROKEN, SILENT = "breaks its promise in everyday use", "gives no answer"
GATES = {
    "strict": (Gate(), ""),
    "known": (Gate(), "*"),
    "known for others": (Gate(), "another"),
    "fail on no-privacy": (Gate(fail_on=Level.NO_PRIVACY), ""),
    "both": (Gate(fail_on=Level.NO_PRIVACY), "*"),
    "nearest will do": (Gate(unsafe_ulp=0.5), ""),
    "no needless noise": (Gate(max_extra=0.01), ""),
    "known noise": (Gate(max_extra=0.01), "*"),
}


def case(number: int, outcome: Outcome, flag: str) -> JudgedCase:
    return JudgedCase(
        case=f"calibrate_sigma/{flag}/{number}",
        quantity="calibrate_sigma",
        arguments={"epsilon": float(number + 1).hex()},
        outcome=outcome,
        answer=(3.0).hex() if outcome in ANSWERED else None,
        excess={Outcome.VIOLATING: -0.2, Outcome.LOOSE: 0.05}.get(outcome, 0.0),
        ulp=0.4 if outcome is Outcome.ROUNDED else 1e14,
        level=level_of(outcome, HARMS.get(outcome)),
        flags=(flag,),
    )


def result(outcome: Outcome, *, much: bool, failure: str = "") -> TargetResult:
    """A function whose other answers are tight; of much of it the outcome is all that there is."""
    said = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon"])
    kinds = ("core", "random", "random-typed", "random-uniform", "scaled")
    cases = [
        case(n, outcome if much else Outcome.TIGHT, kind) for kind in kinds for n in range(ALL)
    ]
    if not much:
        cases += [case(ALL + n, outcome, "core") for n in range(N)]
    about = Capabilities(id="", protocol=2, name="lib", version="1", functions=[said])
    return TargetResult(
        "lib",
        about and about.name,
        about and about.version,
        about and about.language,
        [FunctionResult(said, cases)],
        failure=failure,
    )


@dataclass
class Facts:
    """What is true of a run of one function, told apart here without the judge's own words."""

    outcome: Outcome
    number: int
    gate: Gate
    known: bool
    expired: int
    failed: bool

    @property
    def wrong(self) -> bool:
        loose = self.outcome is Outcome.LOOSE and self.gate.max_extra is not None
        return self.outcome in FAILING or loose

    @property
    def counts(self) -> bool:
        loose = self.outcome is Outcome.LOOSE
        counted = self.gate.fail_on is Level.SLIGHT
        return self.wrong and (counted or loose) and not self.known

    @property
    def grade(self) -> str:
        """The one grade that is true: that of the answers, whatever the gate."""
        named = {Outcome.VIOLATING: BROKEN, Outcome.ROUNDED: "rounds"}
        if self.outcome in (*FAILING, Outcome.ROUNDED):
            return named.get(self.outcome, SILENT)
        if self.silent:
            return "not judged"
        loose = self.outcome in (Outcome.LOOSE, Outcome.INCONSISTENT)
        return "sound but loose" if loose else "sound and tight"

    @property
    def silent(self) -> bool:
        return self.number > N and self.outcome not in ANSWERED

    @property
    def said(self) -> str:
        """The one state that is true."""
        if self.counts:
            return "not conformant"
        if self.silent:
            return "not judged"
        if self.wrong:
            return "no worse than known" if self.known else "no worse than allowed"
        return "conformant"

    def passed(self, words: str) -> bool:
        """Whether (332 violate) is true."""
        (number,) = re.findall(r"\d+", words)
        verbs = {
            "violate": Outcome.VIOLATING,
            "hang": Outcome.HANG,
            "crash": Outcome.CRASH,
            "are not finite": Outcome.NON_FINITE,
            "accept invalid input": Outcome.ACCEPTS_INVALID,
            "are inconsistent": Outcome.INCONSISTENT,
            "are rounded to nearest": Outcome.ROUNDED,
            "are too loose": Outcome.LOOSE,
        }
        return int(number) == self.number and verbs[words.split(" ", 1)[1]] is self.outcome


Truth = Callable[[Facts, tuple[str, ...]], bool]
LENIENT = r"1 (no worse than known|no worse than allowed) \((\d+ [a-z ]+)\)"
EXPIRED = r"(\d+) known failures? ha(?:s|ve) expired"
GRADED = "|".join(map(re.escape, GRADES))
SENTENCES: dict[str, Truth] = {
    rf"(?:[✖↯↓?≥✔] )?1 ({GRADED})(?:; (?!judged)|\. |(?=, |$))": lambda f, w: f.grade == w[0],
    r"1 function: ": lambda f, w: True,
    r"1 (conformant|not conformant|not judged)(?=, |$|; judged)": lambda f, w: f.said == w[0],
    r"1 not judged \((\d+ [a-z ]+)\)": lambda f, w: f.said == "not judged" and f.passed(w[0]),
    r"1 library could not be run": lambda f, w: f.failed,
    r"(\d) of 1 functions? conformant": lambda f, w: (f.said == "conformant") == int(w[0]),
    LENIENT: lambda f, w: f.said == w[0] and f.passed(w[1]),
    EXPIRED: lambda f, w: f.expired == int(w[0]),
    r"(?:; )?1 function leaves (\d+) % of everyday inputs unanswered(?:; )?": lambda f, w: (
        f.outcome in UNJUDGED[:2] and int(w[0]) == (100 if f.silent else round(200 / 32))
    ),
    r"incomplete": lambda f, w: f.failed,
    r"; judged by dporacle `[0-9.]+`\.": lambda f, w: True,
    # The page's header.
    r"Conformance of libraries of differential privacy ": lambda f, w: True,
    r"(\d) of 1 function in 1 library is conformant\. ": lambda f, w: (
        (f.said == "conformant") == int(w[0])
    ),
    r"\d+ answers were judged by interval arithmetic against the exact value\. ": lambda f, w: True,
    r"A function is conformant if enough was asked and it is sound or rounds: no answer lies on "
    r"the unsafe side by more than 1e-9 of the promise, and no valid input gets a hang, a crash or "
    r"NaN\. ": lambda f, w: True,
    r"≤ " + LENIENT + ": what fails ": lambda f, w: f.said == w[0] and f.passed(w[1]),
    r"is known\. f ": lambda f, w: f.known,
    r"harms less than the run's gate counts, or is known\. f ": lambda f, w: not f.counts,
    r"\? 1 not judged: too little was asked or answered f: (.*?)\. ": lambda f, w: (
        f.said == "not judged"
    ),
    r"✖ " + EXPIRED + r", and (?:is|are) to be removed: [^.]*\. ": lambda f, w: (
        f.expired == int(w[0])
    ),
    r"✖ lib 1 could not be run to the end: died ": lambda f, w: f.failed,
}


def check(text: str, facts: Facts) -> None:
    """Take a text apart into sentences that are known and true."""
    rest = text
    while rest:
        rest = rest.removeprefix(", ")
        found = [(m, truth) for each, truth in SENTENCES.items() if (m := re.match(each, rest))]
        assert found, f"a sentence that is not known: {rest!r}"
        match, _ = max(found, key=lambda each: each[0].end())
        # A grade and a state may have the same words.
        alike = [each for each in found if each[0].end() == match.end()]
        assert any(truth(facts, m.groups()) for m, truth in alike), (match[0], facts)
        rest = rest[match.end() :]


@pytest.mark.parametrize(
    ("gated", "much"),
    mostly_dear([*((gate, False) for gate in GATES), ("strict", True), ("known", True)], 3),
)
@pytest.mark.parametrize("outcome", Outcome)
def test_every_sentence_is_true(outcome: Outcome, gated: str, much: bool) -> None:
    for expired, failure in ((False, ""), (True, "died")):
        gate, library = GATES[gated]
        made = result(outcome, much=much, failure=failure)
        entries = (
            [known_failures.KnownCases(case="*", reason="x", library=library)] if library else []
        )
        unneeded = known_failures.KnownCases(
            case="scaled/1", outcome="gone", library="lib", reason="y"
        )
        expires = expired and not (much and outcome is not Outcome.TIGHT)
        entries += [unneeded] if expires else []

        def expected(
            entries: list[known_failures.KnownCases] = entries,
        ) -> known_failures.KnownFailures:
            return known_failures.KnownFailures(entries)

        wrong = outcome in FAILING or (outcome is Outcome.LOOSE and gate.max_extra)
        gone = expires + (library == "*" and not wrong and not (much and outcome in UNJUDGED[1:]))
        facts = Facts(outcome, 5 * ALL if much else N, gate, library == "*", gone, bool(failure))
        data = runs.write(
            judgement([made], gate=gate, known=expected(), limits=Patience(), fresh=Fresh())
        )
        document = pages.read(data)

        text = io.StringIO()
        shown = Console(file=text, width=400, highlight=False)
        terminal.show(
            judgement([made], gate=gate, known=expected(), fresh=Fresh()), shown, quiet=True
        )
        line = text.getvalue().strip().splitlines()[-1]
        check(line, facts)
        badge = json.loads(pages.badge(document))
        check(badge["message"], facts)
        check(pages.markdown(document).splitlines()[2], facts)
        if not failure or outcome in ANSWERED:
            header = Page(pages.render(document)).text.partition("Machine and versions")[0]
            check(header.partition("To the table ")[2], facts)

        status = json.loads(data)["status"]
        fine = facts.said in ("conformant", "no worse than known", "no worse than allowed")
        clean = fine and not facts.expired and not failure
        assert (status == 0) is clean
        green = clean and facts.said == "conformant"
        assert (badge["color"] == "brightgreen") is green
        assert (badge["color"] == "yellow") is (clean and not green)
        style = terminal.total(judgement([made], gate, expected())).style
        assert ("green" in str(style)) is green

        assert (badge["color"] in ("red", "orange")) is (
            bool(facts.expired or failure) or (facts.counts and facts.grade in (BROKEN, SILENT))
        )
        (row,) = history.record(document, datetime.date(2026, 1, 1)).rows
        assert (row.standing, row.grade) == (facts.said, facts.grade)
        (told,) = re.findall(
            r"^\| \S (.*?) \| `lib 1` \| `f` \|",
            history.to_markdown([history.record(document, datetime.date(2026, 1, 1))]),
            re.MULTILINE,
        )
        assert told.partition(" (")[0] == facts.grade


def test_every_state_and_outcome_is_met() -> None:
    """The facts above reach every state, so that no sentence is left out."""
    said = {
        Facts(outcome, number, gate, library == "*", 0, failed=False).said
        for outcome in Outcome
        for number in (N, 5 * ALL)
        for gate, library in GATES.values()
    }
    assert said == {str(state) for state in State}


def test_what_an_earlier_version_called_conformant_is_not() -> None:
    """Its documents and records say so of what a gate let pass."""
    made = result(Outcome.VIOLATING, much=False)
    gate = Gate(fail_on=Level.NO_PRIVACY)
    content = json.loads(runs.write(judgement([made], gate=gate, limits=Patience(), fresh=Fresh())))
    content["format"] = "dporacle-conformance/1"
    (function,) = content["targets"][0]["functions"]
    function["standing"] = {"state": "conformant"}
    document = pages.read(json.dumps(content).encode())
    badge = json.loads(pages.badge(document))
    assert badge["message"] == (
        "1 breaks its promise in everyday use; 0 of 1 functions conformant, "
        "1 no worse than allowed (2 violate)"
    )
    row = history.Row(
        library="l", version="1", function="f", quantity="q", standing="conformant",
        outcome="✖ violating 332", core="", extreme="grave", asked=400,
    )  # fmt: skip
    kept = history.Record(
        format="dporacle-verdicts/1", date=datetime.date(2026, 1, 1), dporacle="0", rows=(row,)
    )
    page = history.to_markdown([kept])
    assert "| ? no worse than allowed |" in page
    assert "✔ conformant" not in page


@pytest.mark.parametrize(("function", "answer", "said"), table("what_is_larger_is_named_first"))
def test_what_is_larger_is_named_first(function: str, answer: float, said: str) -> None:
    row = QUANTITIES[function]
    values = {"alpha": 0.05, "epsilon": 1.0, "prior": 0.5, "mu": 1.0}
    given = {name: values[name] for name in row.arguments}
    truth = row.of(enclosures)(**given)
    found = consequence(function, given, Fraction(answer), truth)
    assert found.ratio > 1
    larger, smaller = (answer, truth) if row.safe == "down" else (truth, answer)
    assert found.ratio <= float(larger) / float(smaller) * (1 + 1e-9)  # in ε that may be less
    assert compared(found.promise, found.excess_float).startswith(said)
