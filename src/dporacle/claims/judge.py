"""From a claim to a proved verdict: HOLDS, VIOLATED or UNDECIDED.

A verdict rests on a ball on one side of the asserted bound, or on boxes over a whole range.
UNDECIDED has six causes, named in the verdict: the exact value agrees with the bound to 1,500
digits; the claim is about replacing a record, the sensitivity about adding one, and twice that
sensitivity is not private enough; of several releases it is not known whether one pair of
neighbours has all sensitivities at once; a conversion is neither proved nor refuted; a range has
boxes that balls do not decide; or the exact value is out of the enclosures' reach. A VIOLATED says
which pair of neighbours it supposes to exist.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from dporacle.claims import files, wording
from dporacle.claims.claim import Claim
from dporacle.claims.decision import DOUBLED, EXACT, NOTHING, Decided, out_of_reach
from dporacle.claims.listing import WIDTH, blocks, folded
from dporacle.claims.quantities import Ends
from dporacle.common.exit_status import ExitStatus
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, conditions

_SHOWN = 20
_SHORT_DIGITS = 6
EPSILON = "ε at this δ"
UNDER = "proved under"
MEANS = f"{Verdict.VIOLATED} means"
"""The heading of what a violation supposes."""
_IDEAL = "HOLDS is about ideal noise; `dporacle sample` audits what a program draws in floats."
VERDICT_AT = 1
"""The place of the verdict in a row of `table`."""
_HEADINGS = (
    "claim",
    "verdict",
    "exact value",
    "claimed at most",
    EPSILON,
    "margin",
    MEANS,
    "limit",
    UNDER,
)


@dataclass(frozen=True)
class AuditVerdict:
    """What was proved about a claim; the words are found when they are asked for.

    Attributes:
        claim: the claim.
        decided: the decision, with its balls.
        assumed: what the claim says because whoever asked did not say otherwise.
    """

    claim: Claim
    decided: Decided
    assumed: tuple[Hypothesis, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What was proved."""
        return self.decided.verdict

    @property
    def quantity(self) -> str:
        """What the assertion bounds from above.

        "delta", "alpha", "loss", "rho", "mu", "regret", "divergence", "tpr", "advantage",
        "success" of a guess, "auc", "p-value" of what an audit counted, for an inequality
        "left/right", for a range that does not fail "delta/claimed".
        """
        return self.decided.quantity

    @property
    def bound(self) -> Fraction:
        """The asserted bound, exactly."""
        return self.decided.bound

    @property
    def reason(self) -> str:
        """Why a claim is undecided; empty otherwise."""
        return self.decided.reason

    @property
    def proof(self) -> str:
        """What proves the verdict."""
        return self.decided.proof

    @property
    def supposes(self) -> str:
        """What is supposed to exist, so that the claim is VIOLATED; empty for other verdicts."""
        return supposes(self.claim, self.decided)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """What the verdict is proved under, beside what somebody says in the claim."""
        if self.decided.proof == NOTHING:
            return ()
        return self.assumed + self.claim.asserts.hypotheses(self.claim.about)

    @property
    def told(self) -> str:
        """The verdict, with the conditions without which a claim that holds may fail."""
        met = conditions(self.hypotheses) if self.verdict is Verdict.HOLDS else ""
        return f"{self.verdict} {met}".rstrip()

    @cached_property
    def _shown(self) -> Decided:
        if self.decided.proof == EXACT:
            return self.decided
        return self.claim.asserts.sharpened(self.claim.about, self.decided)

    @cached_property
    def epsilon(self) -> Ends | None:
        """Proved ends of the least ε at the asserted δ; None where no privacy is asserted.

        Also None where it is not soon found.
        """
        if self.decided.proof == NOTHING:
            return None
        return self.claim.asserts.epsilon_ends(self.claim.about, self.verdict)

    @cached_property
    def _ends(self) -> tuple[str, str]:
        return wording.ends(self._shown)

    @cached_property
    def _described(self) -> tuple[str, str]:
        return describe(self.claim, self._shown)

    @property
    def low(self) -> str:
        """A decimal below the exact value; for a conversion, below the largest δ of all of them."""
        return self._ends[0]

    @property
    def high(self) -> str:
        """A decimal above the exact value; for a conversion, above the largest δ of all of them."""
        return self._ends[1]

    @property
    def margin(self) -> str:
        """How far off the claim is, in words."""
        return self._described[0]

    @property
    def limit(self) -> str:
        """The noise up to or down to which it would hold; empty where there is none."""
        return self._described[1]

    @property
    def digits(self) -> int:
        """The enclosure's digits; at least 20 for an exact value, and as many as decide."""
        return max(self.decided.digits, wording.figures(self.low), wording.figures(self.high))

    def __str__(self) -> str:
        """Return what `dporacle audit` prints of this claim."""
        return to_text([self])

    def _repr_html_(self) -> str:
        from dporacle.common import notebook

        return notebook.facts(
            (
                ("verdict", self.told),
                (f"{self.quantity}, at least", self.low),
                (f"{self.quantity}, at most", self.high),
                ("claimed at most", wording.round_decimal(self.bound, _SHOWN, up=False)),
                ("ε at this δ", wording.interval(self.epsilon)),
                ("margin", self.margin),
                ("limit", self.limit),
                ("why", self.reason),
                (MEANS, _supposed(self)),
                ("proved under", "; ".join(each.says for each in self.hypotheses)),
                ("proof", self.proof),
            ),
            caption=self.claim.id,
        )


def audit(claim: Claim | dict[str, Any], *, assumed: tuple[Hypothesis, ...] = ()) -> AuditVerdict:
    """Prove or refute a claim.

    Args:
        claim: the claim, or a mapping as it would stand in a file.
        assumed: what the claim says because whoever asks did not say otherwise; a verdict is
            printed with it.

    Raises:
        ValueError: naming the field, if a mapping is no claim.
    """
    if not isinstance(claim, Claim):
        claim = files.make(claim)
    return AuditVerdict(claim, decide(claim), assumed)


def decide(claim: Claim) -> Decided:
    """Decide a claim, without words."""
    said = claim.asserts
    try:
        decided = said.decide(claim.about)
    except ArithmeticError as error:
        return out_of_reach(*said.subject(), error)
    if decided.doubled and decided.verdict is Verdict.VIOLATED:
        return replace(decided, verdict=Verdict.UNDECIDED, reason=DOUBLED)
    return decided


def describe(claim: Claim, decided: Decided) -> tuple[str, str]:
    """Return how far off a claim is, and the noise that is its limit, in words."""
    if decided.proof == NOTHING:
        return "nothing is proved", ""
    said, about = claim.asserts, claim.about
    margin, limit = said.describe(about, decided)
    meant = said.meaning()
    if about is not None and said.of_noise and (meant := " and ".join(sorted(about.means()))):
        meant += f" ({said.otherwise})" if said.otherwise else ""
    return f"about {meant}: {margin}" if meant else margin, limit


def supposes(claim: Claim, decided: Decided) -> str:
    """Say what a violation supposes to exist; nothing of another verdict."""
    is_violated = decided.verdict is Verdict.VIOLATED
    return claim.asserts.supposes(claim.about) if is_violated else ""


def summary(verdicts: Sequence[AuditVerdict]) -> str:
    """Return how many claims have which verdict."""
    counts = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{counts[kind]} {kind}" for kind in Verdict if counts[kind])


def exit_status(verdicts: Sequence[AuditVerdict]) -> int:
    """Return 1 if a claim is violated, else 3 if one is undecided, else 0."""
    seen = {verdict.verdict for verdict in verdicts}
    if Verdict.VIOLATED in seen:
        return ExitStatus.FINDING
    return ExitStatus.NO_ANSWER if Verdict.UNDECIDED in seen else ExitStatus.FINE


def plain(text: str) -> str:
    """Return a text of a file without what moves a cursor or ends a line."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def in_words(verdict: AuditVerdict) -> str:
    """Return how far off a claim is, why it is undecided, and what a violation supposes."""
    means = f"{MEANS}: {_supposed(verdict)}" if verdict.supposes else ""
    return "; ".join(filter(None, (_margin(verdict), means)))


def _margin(verdict: AuditVerdict) -> str:
    return "; ".join(filter(None, (verdict.reason, verdict.margin)))


def _supposed(verdict: AuditVerdict) -> str:
    return f"if {verdict.supposes}, the promise is broken" if verdict.supposes else ""


def table(verdicts: Sequence[AuditVerdict]) -> list[tuple[str, ...]]:
    """Return headings and a row for each verdict.

    ε, what a violation supposes and the hypotheses have a column where one verdict has them.
    """
    rows = [_HEADINGS, *(_cells(verdict) for verdict in verdicts)]
    bare = {
        heading
        for heading in (EPSILON, MEANS, UNDER)
        if not any(row[_HEADINGS.index(heading)] for row in rows[1:])
    }
    kept = [at for at, heading in enumerate(_HEADINGS) if heading not in bare]
    return [tuple(row[at] for at in kept) for row in rows]


def ending(verdicts: Sequence[AuditVerdict]) -> str:
    """Return what stands below verdicts: what HOLDS is about, and how many there are of each."""
    ideal = any(each.verdict is Verdict.HOLDS and each.claim.mechanism for each in verdicts)
    return "\n".join([*([_IDEAL] if ideal else []), summary(verdicts)])


def to_text(verdicts: Sequence[AuditVerdict]) -> str:
    """Return verdicts as `dporacle audit` prints them: a list, the same everywhere."""
    headings, *rows = table(verdicts)
    lines = [*blocks(headings, rows, verdict_at=VERDICT_AT), *folded(ending(verdicts), WIDTH)]
    return "\n".join(lines)


def _cells(verdict: AuditVerdict) -> tuple[str, ...]:
    return (
        plain(verdict.claim.id),
        verdict.told,
        _value(verdict),
        wording.round_decimal(verdict.bound, _SHORT_DIGITS, up=False),
        wording.interval(verdict.epsilon),
        plain(_margin(verdict)),
        plain(_supposed(verdict)),
        plain(verdict.limit),
        "; ".join(each.says for each in verdict.hypotheses),
    )


def _value(verdict: AuditVerdict) -> str:
    """Return what is proved of the quantity; of a refutation that leaves it open, no end of 1."""
    claimed = wording.round_decimal(verdict.bound, _SHORT_DIGITS, up=False)
    if verdict.verdict is Verdict.VIOLATED and short(verdict) == f"[{claimed}, 1]":
        return f"{verdict.quantity} > {claimed}"
    value = short(verdict)
    return f"{verdict.quantity} {'∈' if value.startswith('[') else '='} {value}"


def short(verdict: AuditVerdict) -> str:
    """Return the exact value to a few digits, as an interval."""
    low = wording.round_decimal(Decimal(verdict.low), _SHORT_DIGITS, up=False)
    if verdict.high == wording.INFINITE:
        return f"[{low}, ∞)"
    high = wording.round_decimal(Decimal(verdict.high), _SHORT_DIGITS, up=True)
    return low if low == high else f"[{low}, {high}]"
