"""The search: neighbours are drawn or given, and what is found is repeated in other histories."""

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

from dporacle import arguments
from dporacle.frozen import pairs
from dporacle.frozen.calls import Hook, change, is_same
from dporacle.frozen.pairs import Both
from dporacle.frozen.tape import run
from dporacle.verdicts import Verdict
from dporacle.vocabulary.domains import SHARE
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.relations import RELATIONS, Neighbours

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
_BLIND = (
    "data that were not tried: a fault that none of these pairs shows is not seen",
    "the noise that is drawn: a call is trusted to draw what its hook says (`dporacle sample`)",
    "noise and randomness that no hook names; other processes, time and memory",
    "whether some theorem covers a changed result, scale or number of calls: that is asked",
)
_BECAME = {
    Verdict.HOLDS: "kept by the pair with that sum, which says nothing of other pairs",
    Verdict.VIOLATED: "VIOLATED by the pair with that sum",
    Verdict.UNDECIDED: "UNDECIDED for the pair with that sum",
}
_FIELDS = (
    "name",
    "relation",
    "tried",
    "failed",
    "drawn",
    "histories",
    "largest",
    "loss",
    "promise",
    "left_out",
)
_GIVEN = "as given"
_UNSET: Any = object()
_SHOWN = 300  # characters of a data set
_EXCHANGES = 20  # of outputs: whole numbers may all be the same one


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
        texts = {"data": _shown(self.data), "neighbour": _shown(self.neighbour)}
        return vars(self) | texts | {"hypotheses": [each.says for each in self.hypotheses]}

    def __str__(self) -> str:
        under = "; ".join(each.says for each in self.hypotheses)
        rest = f"proved under: {under}" if self.proved else f"no proof: {self.why_asked}"
        lines = [
            f"{'PROVED' if self.proved else 'ASKED'} {self.kind}: {KINDS[self.kind]}",
            f"  {self.where}: {self.says}",
            f"  data       {_shown(self.data)}",
            f"  neighbour  {_shown(self.neighbour)}",
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
        return *_under(self.relation, self.drawn), *rest

    def _claim(self, epsilon: Any, delta: Any) -> dict[str, Any]:
        promise = arguments.epsilon(epsilon), arguments.within(SHARE, "delta", delta)
        if any(each.kind in ("randomness", "threads") for each in self.findings):
            raise ValueError("something else is random: no claim follows from what was seen")
        found, left = pairs.releases(self.seen, delta=promise[1], relation=self.relation)
        supposed = "; ".join(each.says for each in self.hypotheses)
        on = " and ".join(map(_shown, self.pair or ()))
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
        content |= {name: getattr(self, name) for name in _FIELDS}
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
            lines.append(f"  {where}: the largest change is {ratio:.6g} of what is declared")
        lines.append(f"  the largest sum of change over scale in one run is {self.loss:.6g}")
        lines += [f"    left out: {each}" for each in self.left_out]
        lines.append(f"  the promise of the whole function {self.promise}")
        if self.drawn != _GIVEN:
            said = f"  independent draws meet a fault that {min(3 / ran, 1):.2g} of them have"
            lines.append(f"{said} with probability 0.95")
        lines += ["what this cannot see:", *(f"  - {each}" for each in _BLIND)]
        return "\n".join([*lines[:start], *map(_folded, lines[start:])])


def check(
    function: Callable[[Any], Any],
    *,
    relation: Neighbours,
    hooks: Sequence[Hook],
    make_record: Any = None,
    sizes: Iterable[int] | None = None,
    neighbours: Iterable[tuple[Any, Any]] | None = None,
    zero_record: Any = _UNSET,
    epsilon: Any = None,
    delta: Any = None,
    tries: int = 200,
    histories: int = 4,
    seed: int = 1,
    independent: bool = False,
) -> FrozenCheck:
    """Run a function on neighbours with the same noise, and say what that proves and asks.

    Args:
        function: takes a data set, a list of records, and returns what is released.
        relation: "add-remove", "replace-one" or "zero-out".
        hooks: what makes noise, such as `frozen.diffprivlib()`.
        make_record: a Hypothesis strategy of one record, or a function of a `random.Random`.
        sizes: how many records a data set has; under add-remove the smaller one.
        neighbours: pairs of data sets, in place of `make_record` and `sizes`.
        zero_record: the record that contributes nothing, where zero-out neighbours are drawn.
        epsilon: the promise of the whole function, which the calls of one run keep together.
        delta: its δ; 0 for pure ε-DP.
        tries: how many pairs are drawn.
        histories: in how many histories of noise a finding is repeated, 2 or more.
        seed: what pairs, and the generators of `random` and `numpy.random`, are drawn from.
        independent: whether it is known that no value depends on a noisy output.

    Raises:
        ImportError: if pairs are to be drawn without Hypothesis.
        ValueError: naming the argument that is outside of its domain.
    """
    if relation not in get_args(Neighbours):
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    if not hooks or not all(isinstance(each, Hook) for each in hooks):
        raise ValueError(f"hooks must be a list of Hook, of one at least, got {hooks!r}")
    arguments.count("histories", histories, least=2, most=1000)
    arguments.count("tries", tries, most=10**6)
    arguments.count("seed", seed, least=0, most=2**31)
    if (epsilon is None) != (delta is None):
        raise ValueError("epsilon and delta must be given together: δ = 0 is pure ε-DP")
    if epsilon is not None:
        arguments.epsilon(epsilon)
        arguments.within(SHARE, "delta", delta)
    if (neighbours is None) == (make_record is None) or (sizes is None) != (make_record is None):
        raise ValueError("neighbours, or make_record with sizes, must be given, and not both")
    if (relation == "zero-out" and make_record is not None) != (zero_record is not _UNSET):
        raise ValueError(
            "zero_record must be given where zero-out neighbours are drawn, only there"
        )
    search = _Search(function, tuple(hooks), seed)
    if neighbours is not None:
        drawn = _GIVEN
        for number, pair in enumerate(neighbours):
            if len(pair) != 2 or not _may_be_neighbours(pair[0], pair[1], relation):
                told = f"neighbours[{number}] must be two {relation} neighbours, got {_shown(pair)}"
                raise ValueError(told)
            search.look(pair)
    else:
        lengths = sorted({arguments.count("sizes", each, least=0) for each in sizes or ()})
        if not lengths or (lengths[0] == 0 and relation != "add-remove"):
            raise ValueError(f"sizes must be numbers from 1 (0 under add-remove), got {lengths}")
        drawn = f"drawn with {lengths[0]} to {lengths[-1]} records, seed {seed}"
        search.draw(make_record, lengths, relation, zero_record, tries)
    if not search.tried:
        raise ValueError("neighbours must be one pair at least")
    if search.tried == search.failed:
        raise ValueError(f"function fails on every pair, with {search.error!r}") from search.error
    return search.result(relation, drawn, histories, independent, (epsilon, delta))


def _may_be_neighbours(first: Any, second: Any, relation: Neighbours) -> bool:
    """Tell whether two lists differ in one record; of other data sets nothing is known here."""
    if not isinstance(first, list) or not isinstance(second, list):
        return True
    adds = relation == "add-remove"
    short, long = sorted((first, second), key=len)
    if len(long) - len(short) != adds:
        return False
    same = [is_same(*both) is not False for both in zip(short, long, strict=not adds)]
    at = same.index(False) if False in same else len(same)
    return is_same(short[at + 1 - adds :], long[at + 1 :]) is not False


class _Search:
    """Runs pairs, and keeps the first of each kind of finding and the one with the largest loss."""

    def __init__(self, function: Callable[[Any], Any], hooks: tuple[Hook, ...], seed: int) -> None:
        self._function, self._hooks, self._seed = function, hooks, seed
        self._first: dict[str, Any] = {}
        self._largest: dict[str, float] = {}
        self._most: tuple[float, Any] = (-1.0, None)
        self._ended: Any = None
        self.tried = self.failed = 0
        self.error: Exception | None = None

    def _both(self, pair: Any, number: int = 0) -> Both:
        seed = self._seed + 1000 * number
        first = run(self._function, pair[0], self._hooks, seed=seed)
        return first, run(self._function, pair[1], self._hooks, seed=seed, history=first)

    def look(self, pair: Any) -> tuple[set[str], float]:
        """Run a pair once; return the kinds of finding, and its loss."""
        first, second = both = self._both(pair)
        found, lost = {kind for kind, _ in pairs.sightings(both)}, -1.0
        self.tried += 1
        if first.error or second.error:
            self.failed += not found
            self.error = first.error or second.error
        else:
            self._ended = self._ended or pair
            lost = pairs.loss(both) if pairs.is_clean(found) else lost
            for one, other in pairs.matched(both):
                moved, where = change(one, other), f"{one.kind} at {one.where}"
                if moved is not None and one.sensitivity:
                    ratio = moved / one.sensitivity
                    self._largest[where] = max(ratio, self._largest.get(where, 0.0))
        if not first.calls and not first.error:
            found.add("no-calls")
        for kind in found:
            self._first.setdefault(kind, pair)
        if lost > self._most[0]:
            self._most = (lost, pair)
        return found, lost

    def draw(self, record: Any, sizes: list[int], relation: str, zero: Any, tries: int) -> None:
        """Draw pairs, then shrink the first of each kind, and the one with the largest loss."""
        from dporacle.frozen import drawing

        strategy = drawing.pairs_of(record, sizes, relation, zero)

        def shrunk(condition: Callable[[set[str], float], bool], known: Any = None) -> Any:
            found = drawing.shrunk(
                strategy, lambda pair: condition(*self.look(pair)), tries, self._seed
            )
            return known if found is None else found

        shrunk(lambda *_: False)
        counts = self.tried, self.failed
        self._first = {
            kind: shrunk(lambda found, _, kind=kind: kind in found, pair)  # type: ignore[misc]
            for kind, pair in list(self._first.items())
        }
        lost, pair = self._most
        self._most = lost, shrunk(lambda _, other: other >= lost * (1 - 1e-9), pair)
        self.tried, self.failed = counts

    def result(
        self, relation: Neighbours, drawn: str, histories: int, independent: bool, promise: Any
    ) -> FrozenCheck:
        """Repeat what was found in other histories of noise, and put it into words."""
        under = _under(relation, drawn)
        found = [
            self._confirmed(kind, pair, histories, under) for kind, pair in self._first.items()
        ]
        lost, pair = self._most
        seen = tuple(self._both(pair, number) for number in range(histories)) if pair else ()
        some = pair or self._ended
        if some and (hidden := self._hidden(some, seen or [self._both(some)])):
            found.append(_finding("randomness", hidden, some, histories, why="no hook sees it"))
        made = FrozenCheck(
            name=getattr(self._function, "__name__", type(self._function).__name__),
            relation=relation,
            tried=self.tried,
            failed=self.failed,
            drawn=drawn,
            histories=histories,
            findings=tuple(found),
            largest=dict(sorted(self._largest.items())),
            loss=max(lost, 0.0),
            promise="was not given",
            left_out=(),
            pair=pair,
            seen=seen,
            independent=independent,
        )
        hidden = self._unordered(pair[0]) if pair else ""
        return _with_promise(made, promise[0], promise[1], hidden)

    def _hidden(self, pair: Any, seen: Sequence[Both]) -> str:
        """Say what else is random; nothing if second runs are the same and draw nothing."""
        history, drawn = seen[0][0], any(second.used_random for _, second in seen)
        for data, tape in zip(pair, seen[0], strict=True):
            again = run(self._function, data, self._hooks, seed=self._seed, history=history)
            if not pairs.is_same_run((tape, again)):
                return "two runs on the same data with the same noise differ"
            drawn = drawn or again.used_random
        return "other numbers are drawn from `random` or `numpy.random`" if drawn else ""

    def _unordered(self, data: Any) -> str:
        """Say whether the result hides which output is of which call; nothing if it shows it."""
        for number in range(_EXCHANGES):
            seed = self._seed + 1000 * number
            first = run(self._function, data, self._hooks, seed=seed)
            history = pairs.exchanged(first)
            if history is None:
                return ""
            again = run(self._function, data, self._hooks, seed=seed, history=history)
            if is_same(first.result, again.result) is False:
                return ""
        return "the result does not show which output is of which call: in another order?"

    def _confirmed(
        self, kind: str, pair: Any, histories: int, under: tuple[Hypothesis, ...]
    ) -> FrozenFinding:
        seen = [self._both(pair, number) for number in range(histories)]
        sights = [pairs.sightings(both) for both in seen]
        keys = [key for sight in sights for key in sight if key[0] == kind]
        key = max(keys, key=lambda key: (keys.count(key), -key[1]), default=(kind, -1))
        shown, place = keys.count(key), key[1]
        says = next((sight[key] for sight in sights if key in sight), "once, in the search")
        calls = [tape.calls[place] for tape in seen[0] if 0 <= place < len(tape.calls)]
        if kind not in pairs.OF_CALLS:
            why = "the runs do not show whether something covers it"
        elif shown < histories:
            why = "an observed change belongs to one history, and other histories do not show it"
        elif kind == "scale" and not (len(calls) == 2 and pairs.is_unbounded(*calls)):
            why = "a theorem may cover it, such as that of smooth sensitivity"
        else:
            why = self._hidden(pair, seen) or (self._unordered(pair[0]) if calls else "")
        where = f"call {place + 1} ({calls[0].kind} at {calls[0].where})" if calls else "the run"
        return _finding(kind, says, pair, histories, shown=shown, where=where, why=why, under=under)


def _under(relation: Neighbours, drawn: str) -> tuple[Hypothesis, ...]:
    given = (hypothesis("frozen-neighbours-given", relation=relation),) * (drawn == _GIVEN)
    return hypothesis("frozen-nothing-else-random"), *given


def _finding(
    kind: str,
    says: str,
    pair: Any,
    histories: int,
    *,
    shown: int | None = None,
    where: str = "the run",
    why: str = "",
    under: tuple[Hypothesis, ...] = (),
) -> FrozenFinding:
    return FrozenFinding(
        kind=kind,
        says=says,
        where=where,
        data=pair[0],
        neighbour=pair[1],
        shown=histories if shown is None else shown,
        histories=histories,
        why_asked=why,
        hypotheses=() if why else under,
    )


def _with_promise(made: FrozenCheck, epsilon: Any, delta: Any, hidden: str) -> FrozenCheck:
    """Add what the calls of one run say together of the promise, and what the sum leaves out."""
    found, told, why = list(made.findings), "was not given", ""
    exact = arguments.within(SHARE, "delta", delta or 0)
    try:
        left = tuple(pairs.releases(made.seen, delta=exact, relation=made.relation)[1])
    except ValueError as error:
        left = (str(error),)
    if epsilon is not None:
        verdict, promise = None, f"({epsilon}, {delta})-DP"
        try:
            verdict = made.audit(epsilon=epsilon, delta=delta)
        except ValueError:
            told, why = f"{promise} is not examined", "the changes cannot be added up"
        else:
            told = f"{promise} is {_BECAME[verdict.verdict]}: {verdict.margin}"
            why = hidden
            if verdict.verdict is Verdict.UNDECIDED:
                why = "the audit decides neither way"
        is_kept = verdict is not None and verdict.verdict is Verdict.HOLDS
        if not is_kept and (made.loss or made.pair is None):
            says = f"{told}; change over scale adds up to {made.loss:.6g}"
            under = made.hypotheses
            pair = made.pair or (None, None)
            found.append(_finding("budget", says, pair, made.histories, why=why, under=under))
    found.sort(key=lambda each: not each.proved)
    return replace(made, findings=tuple(found), promise=told, left_out=left)


def _folded(line: str) -> str:
    return textwrap.fill(line, 80, subsequent_indent="    ", break_on_hyphens=False)


def _shown(data: Any) -> str:
    text = " ".join(repr(data).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
