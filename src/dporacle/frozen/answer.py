"""What a check answers: findings with their pairs, the power, and the claim about one pair."""

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dporacle import arguments
from dporacle.frozen import pairs
from dporacle.frozen.pairs import Both
from dporacle.vocabulary.domains import SHARE
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.relations import Neighbours

if TYPE_CHECKING:
    from dporacle.claims import AuditVerdict

KINDS: Mapping[str, str] = {
    "sensitivity": "a value changes by more than the call declares",
    "no-noise": "what depends on the data has no noise",
    "scale": "what a call declares, or its scale, depends on the data",
    "budget": "the calls of one run together break the promise",
    "order": "a declaration looks false, but calls or results differ too: in another order?",
    "sequence": "which noisy calls are made depends on the data",
    "result": "the results differ though all noise is the same",
    "error": "the function fails on one of two neighbours",
    "randomness": "something is random that no hook sees",
    "threads": "noisy calls are made in other threads",
    "unseen": "something cannot be compared",
    "no-calls": "no noisy call is seen: are the hooks where callers look them up?",
}
"""Every kind of finding; the first four can be proofs."""
_ASKED = {"budget": "do the calls of one run together keep the promise?"}
"""What is asked, where that is not what would be proved."""
_BLIND = (
    "data that were not tried: a fault that none of these pairs shows is not seen",
    "the noise that is drawn: a call is trusted to draw what its hook says (`dporacle sample`)",
    "noise and randomness that no hook names; other processes, time and memory",
    "whether some theorem covers a changed result, scale or number of calls: that is asked",
)
GIVEN = "as given"
"""Where pairs are from that were not drawn."""
_SHOWN = 300  # characters of a data set


@dataclass(frozen=True, kw_only=True)
class FrozenFinding:
    """What a pair of neighbours shows.

    Attributes:
        kind: a key of `KINDS`.
        says: what was seen.
        where: the call and its line.
        data: a data set.
        neighbour: the other one.
        shown: in how many histories of noise.
        histories: of how many.
        why_asked: why it is a question; empty if it is proved.
        hypotheses: what a proof is proved under.
    """

    kind: str
    says: str
    where: str
    data: Any
    neighbour: Any
    shown: int
    histories: int
    why_asked: str = ""
    hypotheses: tuple[Hypothesis, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether a declaration or the promise is proved false; else it is a question."""
        return not self.why_asked

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it, data sets as text."""
        texts = {"data": shown(self.data), "neighbour": shown(self.neighbour)}
        return vars(self) | texts | {"hypotheses": [each.says for each in self.hypotheses]}

    def __str__(self) -> str:
        proof = "; ".join(each.says for each in self.hypotheses)
        rest = f"proved under: {proof}" if self.proved else f"no proof: {self.why_asked}"
        lines = [
            f"PROVED {self.kind}: {KINDS[self.kind]}"
            if self.proved
            else f"ASKED {self.kind}: {_ASKED.get(self.kind, KINDS[self.kind])}",
            f"  {self.where}: {self.says}",
            f"  data       {shown(self.data)}",
            f"  neighbour  {shown(self.neighbour)}",
            f"  in {self.shown} of {self.histories} histories of noise",
            f"  {rest}",
        ]
        return "\n".join(map(_folded, lines))


@dataclass(frozen=True, kw_only=True)
class FrozenCheck:
    """What a check found, and with which power.

    Attributes:
        name: the function.
        relation: which data sets are neighbours.
        tried: how many pairs were run.
        failed: on how many of them the function raised the same error twice.
        drawn: where the pairs are from.
        histories: in how many histories of noise a finding was repeated.
        findings: all, proofs first.
        largest: call -> the largest change over the declared sensitivity.
        undeclared: call that declares none -> the largest change of its value that is seen.
        loss: the largest sum, over the calls of a run, of the change over the scale.
        promise: what became of the promise of the whole function.
        left_out: which calls that sum leaves out of a claim, and why.
        pair: the two data sets that have it.
        seen: the runs on them, in each history.
        independent: whether whoever asks says that values depend on no noisy output.
    """

    name: str
    relation: Neighbours
    tried: int
    failed: int
    drawn: str
    histories: int
    findings: tuple[FrozenFinding, ...]
    largest: Mapping[str, float]
    undeclared: Mapping[str, float]
    loss: float
    promise: str
    left_out: tuple[str, ...]
    pair: tuple[Any, Any] | None
    seen: tuple[Both, ...] = field(repr=False)
    independent: bool

    @property
    def proofs(self) -> tuple[FrozenFinding, ...]:
        """What is proved false."""
        return tuple(each for each in self.findings if each.proved)

    @property
    def questions(self) -> tuple[FrozenFinding, ...]:
        """What leaks unless something covers it; never a verdict."""
        return tuple(each for each in self.findings if not each.proved)

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """What a VIOLATED of the pair's claim is proved under, besides what the audit says."""
        values = "frozen-values-stated" if self.independent else "frozen-values-seen"
        rest = hypothesis("frozen-noise-as-named"), hypothesis(values, histories=self.histories)
        return *under(self.relation, self.drawn), *rest

    def _claim(self, epsilon: Any, delta: Any) -> dict[str, Any]:
        promise = arguments.epsilon(epsilon), arguments.within(SHARE, "delta", delta)
        if any(each.kind in ("randomness", "threads") for each in self.findings):
            raise ValueError("something else is random: no claim follows from what was seen")
        found, left = pairs.releases(self.seen, delta=promise[1], relation=self.relation)
        supposed = "; ".join(each.says for each in self.hypotheses)
        on = " and ".join(map(shown, self.pair or ()))
        source = f"{self.name} on {on}; {supposed}"
        source += "".join(f"; left out: {each}" for each in left)
        asserts = {"epsilon": str(promise[0]), "delta": str(promise[1])}
        return {
            "id": f"recorded pair of {self.name}"[:200],
            "source": source[:2000],
            "mechanism": {"kind": "composition", "records": "same", "times": 1, "releases": found},
            "asserts": {"kind": "privacy", "neighbours": self.relation} | asserts,
        }

    def claims(self, *, epsilon: Any, delta: Any) -> str:
        """Return a file of claims (JSON) about the pair with the largest loss.

        A VIOLATED is a proof for these two data sets, under `hypotheses`; a HOLDS speaks of no
        other pair. A call whose value depends on a noisy output is left out.

        Raises:
            ValueError: if nothing can be claimed of what was seen; it says why.
        """
        content = {"format": "dporacle-claims/1", "claims": [self._claim(epsilon, delta)]}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def audit(self, *, epsilon: Any, delta: Any) -> "AuditVerdict":
        """Return the verdict on that claim, with its hypotheses."""
        from dporacle.claims import audit

        return audit(self._claim(epsilon, delta), assumed=self.hypotheses)

    def to_json(self) -> str:
        """Return all of it but the runs, as JSON."""
        content: dict[str, Any] = {"format": "dporacle-frozen/1"}
        runs = ("findings", "pair", "seen")
        content |= {name: each for name, each in vars(self).items() if name not in runs}
        content["proofs"] = [each.to_json() for each in self.proofs]
        content["questions"] = [each.to_json() for each in self.questions]
        content["cannot_see"] = _BLIND
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def require(self, accept: Mapping[str, str] | None = None) -> "FrozenCheck":
        """Return itself, or raise.

        Args:
            accept: kind of question -> why it is answered; a proof is never passed over.

        Raises:
            AssertionError: with all that was found, if there is a proof or another question.
            ValueError: if a kind has no reason, or no question is of this kind.
        """
        accept, asked = dict(accept or {}), {each.kind for each in self.questions}
        for kind, reason in accept.items():
            if kind not in asked or not reason.strip():
                said = f"accept: {kind!r} must have a reason, and be one of {sorted(asked)}"
                raise ValueError(f"{said}\n{self}")
        if self.proofs or asked - accept.keys():
            raise AssertionError(str(self))
        return self

    def __str__(self) -> str:
        ran = self.tried - self.failed
        lines = [f"{self.name}: {self.tried} pairs of {self.relation} neighbours, {self.drawn}"]
        lines += map(str, self.findings or ["nothing found"])
        start = len(lines)
        lines.append(f"with which power: {ran} pairs ran to their end")
        for where, ratio in self.largest.items():
            lines.append(f"  {where}: the largest change is {ratio:.6g} times what is declared")
        for where, moved in self.undeclared.items():
            lines.append(f"  {where}: declares no sensitivity; the largest change is {moved:.6g}")
        lines.append(f"  the largest sum of change over scale in one run is {self.loss:.6g}")
        lines += [f"    left out: {each}" for each in self.left_out]
        lines.append(f"  the promise of the whole function {self.promise}")
        if self.drawn != GIVEN:
            share = f"{100 * min(3 / ran, 1):.2g} %"
            said = f"  a fault that {share} of independent draws show is met with probability 0.95"
            lines.append(said)
        lines += ["what this cannot see:", *(f"  - {each}" for each in _BLIND)]
        return "\n".join([*lines[:start], *map(_folded, lines[start:])])


def _folded(line: str) -> str:
    return textwrap.fill(line, 80, subsequent_indent="    ", break_on_hyphens=False)


def under(relation: Neighbours, drawn: str) -> tuple[Hypothesis, ...]:
    """Return what every proof is proved under."""
    given = (hypothesis("frozen-neighbours-given", relation=relation),) * (drawn == GIVEN)
    return hypothesis("frozen-nothing-else-random"), *given


def shown(data: Any) -> str:
    """Return a data set as text, never longer than a few lines."""
    text = " ".join(repr(data).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
