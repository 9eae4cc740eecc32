"""The search: neighbours are drawn or given, and what is found is repeated in other histories."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

from dporacle import arguments
from dporacle.frozen import pairs
from dporacle.frozen.answer import GIVEN, FrozenCheck, FrozenFinding, shown, under
from dporacle.frozen.calls import Hook, change, is_same
from dporacle.frozen.pairs import Both
from dporacle.frozen.tape import run
from dporacle.verdicts import Verdict
from dporacle.vocabulary.domains import SHARE
from dporacle.vocabulary.hypotheses import Hypothesis
from dporacle.vocabulary.relations import RELATIONS, Neighbours

_UNSET: Any = object()
_EXCHANGES = 20  # of outputs: whole numbers may all be the same one
_BECAME = {
    Verdict.HOLDS: "kept by what is added up of that pair, which says nothing of others",
    Verdict.VIOLATED: "VIOLATED by the pair with that sum",
    Verdict.UNDECIDED: "UNDECIDED for the pair with that sum",
}


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
        drawn = GIVEN
        for number, pair in enumerate(neighbours):
            if len(pair) != 2 or not _may_be_neighbours(pair[0], pair[1], relation):
                told = f"neighbours[{number}] must be two {relation} neighbours, got {shown(pair)}"
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
        self._undeclared: dict[str, float] = {}
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
        if not first.error and not second.error and pairs.is_clean(found):
            lost = pairs.loss(both)
            for one, other in pairs.matched(both):
                moved, where = change(one, other), f"{one.kind} at {one.where}"
                if moved is not None and one.sensitivity:
                    ratio = moved / one.sensitivity
                    self._largest[where] = max(ratio, self._largest.get(where, 0.0))
                elif one.sensitivity is None:
                    self._undeclared[where] = max(moved or 0.0, self._undeclared.get(where, 0.0))
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
        supposed = under(relation, drawn)
        found = [
            self._confirmed(kind, pair, histories, supposed) for kind, pair in self._first.items()
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
            undeclared=dict(sorted(self._undeclared.items())),
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
        history = seen[0][0]
        drawn = frozenset[str]().union(*(second.used_random for _, second in seen))
        for data, tape in zip(pair, seen[0], strict=True):
            again = run(self._function, data, self._hooks, seed=self._seed, history=history)
            if not pairs.is_same_run((tape, again)):
                return "two runs on the same data with the same noise differ"
            drawn |= again.used_random
        if any(tape.seeded_noise for tape in seen[0]):
            return "the function seeds the generator that its noise is drawn from"
        if drawn:
            named = " and ".join(f"`{each}`" for each in sorted(drawn))
            seed = " and ".join(f"`{each}.seed(1)`" for each in sorted(drawn))
            return (
                f"other numbers are drawn from {named}; {seed} at the function's beginning makes "
                "them a part of it"
            )
        return ""

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
        self, kind: str, pair: Any, histories: int, supposed: tuple[Hypothesis, ...]
    ) -> FrozenFinding:
        seen = [self._both(pair, number) for number in range(histories)]
        sights = [pairs.sightings(both) for both in seen]
        keys = [key for sight in sights for key in sight if key[0] == kind]
        key = max(keys, key=lambda key: (keys.count(key), -key[1]), default=(kind, -1))
        count, place = keys.count(key), key[1]
        says = next((sight[key] for sight in sights if key in sight), "once, in the search")
        calls = [tape.calls[place] for tape in seen[0] if 0 <= place < len(tape.calls)]
        if kind not in pairs.OF_CALLS:
            why = "the runs do not show whether something covers it"
        elif count < histories:
            why = "an observed change belongs to one history, and other histories do not show it"
        elif kind == "scale" and not (len(calls) == 2 and pairs.is_unbounded(*calls)):
            why = "a theorem may cover it, such as that of smooth sensitivity"
        else:
            why = self._hidden(pair, seen) or (self._unordered(pair[0]) if calls else "")
        where = f"call {place + 1} ({calls[0].kind} at {calls[0].where})" if calls else "the run"
        return _finding(kind, says, pair, histories, count, where=where, why=why, supposed=supposed)


def _finding(
    kind: str,
    says: str,
    pair: Any,
    histories: int,
    count: int | None = None,
    *,
    where: str = "the run",
    why: str = "",
    supposed: tuple[Hypothesis, ...] = (),
) -> FrozenFinding:
    return FrozenFinding(
        kind=kind,
        says=says,
        where=where,
        data=pair[0],
        neighbour=pair[1],
        shown=histories if count is None else count,
        histories=histories,
        why_asked=why,
        hypotheses=() if why else supposed,
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
        except ValueError as error:
            told, why = f"{promise} is not examined", f"the changes are not added up: {error}"
        else:
            told = f"{promise} is {_BECAME[verdict.verdict]}: {verdict.margin}"
            why = hidden
            if verdict.verdict is Verdict.UNDECIDED:
                why = "the audit decides neither way"
        is_kept = verdict is not None and verdict.verdict is Verdict.HOLDS
        if not is_kept and (made.loss or made.pair is None):
            says = f"{told}; change over scale adds up to {made.loss:.6g}"
            supposed = made.hypotheses
            pair = made.pair or (None, None)
            found.append(_finding("budget", says, pair, made.histories, why=why, supposed=supposed))
    found.sort(key=lambda each: not each.proved)
    return replace(made, findings=tuple(found), promise=told, left_out=left)
