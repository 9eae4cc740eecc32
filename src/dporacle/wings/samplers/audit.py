"""The audit of a sampler: draw, look, and stop as soon as the evidence suffices.

Batches are numbered, each has its own seed, and sketches are added in the order of the numbers:
the outcome for a seed does not depend on how many workers draw, if the source draws by that seed.
A program has a randomness of its own. Two processes of it that have drawn nothing before draw the
first two batches, and the next batches are drawn in many short requests.
"""

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np

from dporacle.common import notebook, randomness
from dporacle.enclosures.arithmetic.rounding import round_decimal
from dporacle.wings.samplers.checkpoint import AuditState
from dporacle.wings.samplers.decision import (
    BUDGET,
    AspectFinding,
    EValue,
    decide,
    plan,
    power,
    supported_scales,
)
from dporacle.wings.samplers.law import FAR
from dporacle.wings.samplers.laws import Gaussian, Law
from dporacle.wings.samplers.other_law import other_laws
from dporacle.wings.samplers.powers import (
    ALONE,
    FRESH,
    NUMBERS,
    PROVED,
    REQUESTS,
    SHORT,
    Power,
    powers,
)
from dporacle.wings.samplers.repeats import watched
from dporacle.wings.samplers.sketch import Sketch, take
from dporacle.wings.samplers.sources import AdapterSource, Batch, DrawsFile, NoiseSource

LEAST_POWER = 0.5
"""With less, an audit that found nothing says nothing."""
_WANTED = 0.99
_TIMES = 16
"""Of whole numbers so many times the draws that do of Gaussian noise are drawn, and no more."""
_WINDOW = 16
"""Batches that are drawn ahead on an executor."""
_SCALES = 1e-300, 1e300
"""Noise with a density has to be of a scale at which float64 has all of its digits."""


@dataclass(frozen=True)
class Audit:
    """What came of an audit.

    Attributes:
        law: what the noise was claimed to be.
        sketch: of all draws.
        privacy: whether the noise protects less than claimed.
        conformance: whether the noise has the law that was claimed.
        deviation: the share by which σ may be too small that the audit was planned for.
        power: the probability with which so small a σ would have been convicted.
        budget: the probability that a correct sampler is accused.
        drawn: rows that were drawn in this run; the others stood in the checkpoint.
        seconds: how long the source took for them, in all processes together.
        history: rows so far, and log₁₀ of both e-values, after each of some batches.
        batch: normal numbers between two decisions.
        requests: short ones that were made; none of a file.
        processes: of a program, processes whose first draws were compared.
    """

    law: Law
    sketch: Sketch
    privacy: AspectFinding
    conformance: AspectFinding
    deviation: float
    power: float
    budget: float
    drawn: int
    seconds: float
    history: tuple[tuple[int, float, float], ...] = ()
    batch: int = NUMBERS
    requests: int = 0
    processes: int = 1

    @property
    def enough(self) -> bool:
        """Whether there were draws enough to say that nothing was found: for even chances of it."""
        return self.power >= LEAST_POWER

    @property
    def faults(self) -> tuple[EValue, ...]:
        """What convicts: each process whose evidence suffices for it, or the strongest.

        Those that prove a loss of privacy stand first.
        """
        findings = [each for each in (self.privacy, self.conformance) if each.convicted]
        found: dict[str, EValue] = {}
        for finding in findings:
            enough = [each for each in finding.evidence if each.log10 >= finding.needed]
            for each in enough or finding.evidence[:1]:
                found.setdefault(each.process.name, each)
        return tuple(found.values())

    @property
    def other_laws(self) -> tuple[Law, ...]:
        """What to claim instead, if the draws show a grid that the claimed law does not have."""
        return other_laws(self.sketch, self.law) if self.conformance.convicted else ()

    @property
    def powers(self) -> tuple[Power, ...]:
        """With what probability faults of other kinds would have been convicted."""
        found = powers(
            self.sketch.numbers,
            batch=self.batch,
            budget=self.budget,
            requests=self.requests,
            short=short_rows(self.law) * self.law.width,
            processes=self.processes,
            watch=watched(self.law)[-1] if self.law.collision < 1 else ALONE,
        )
        unproved = self.law.peaked or self.law.folded
        return tuple(each for each in found if not (unproved and each.fault == PROVED))

    @property
    def smallest(self) -> float | None:
        """The least share by which σ may be too small that so many draws show with power 0.99."""
        count, shares = self.sketch.numbers, np.geomspace(1e-5, 0.99, 200).tolist()

        def seen(share: float) -> bool:
            return power(count, share, budget=self.budget, law=self.law) >= _WANTED

        first = bisect_left(shares, True, key=seen)
        return shares[first] if first < len(shares) else None

    @property
    def hidden(self) -> bool:
        """Whether what is released hardly depends on σ, so that the deviation was not planned."""
        return _hidden(self.law, self.deviation, self.budget)

    @property
    def convicted(self) -> bool:
        """Whether anything is wrong."""
        return self.privacy.convicted or self.conformance.convicted

    @property
    def sigmas(self) -> tuple[float | None, float | None] | None:
        """The least and the largest σ that the draws do not refute; of Gaussian noise."""
        if not isinstance(self.law, Gaussian):
            return None
        low, high = supported_scales(self.sketch, budget=self.budget)
        return (
            None if low is None else low * self.law.sigma,
            None if high is None else high * self.law.sigma,
        )

    def _repr_html_(self) -> str:
        nothing = "nothing found" if self.enough else "too few draws to say"
        if self.convicted:  # of another law, which may be no less private
            nothing = "no loss is proved"

        def said(finding: AspectFinding) -> str:
            word = "CONVICTED" if finding.convicted else nothing
            return f"{word}: evidence 10^{finding.log10:.1f}, 10^{finding.needed:.1f} needed"

        pairs = [
            ("claim", str(self.law)),
            ("rows", f"{self.sketch.rows:,}"),
            ("privacy", said(self.privacy)),
            ("conformance", said(self.conformance)),
        ]
        if (ends := self.sigmas) is not None:
            low, high = (
                "unbounded" if end is None else round_decimal(Fraction(end), 6, up=up)
                for end, up in zip(ends, (False, True), strict=True)
            )
            pairs.append(("σ that the draws do not refute", f"{low} to {high}"))
        return notebook.facts(pairs)


def audit(
    *,
    law: Law,
    source: NoiseSource,
    deviation: float = 0.01,
    limit: int | None = None,
    budget: float = BUDGET,
    seed: int = 0,
    batch: int = NUMBERS,
    values: Sequence[float] = (0.0,),
    executor: Executor | None = None,
    checkpoint: Path | None = None,
    name: str = "",
    progress: Callable[[Sketch, AspectFinding, AspectFinding], None] | None = None,
) -> Audit:
    """Draw from a sampler until it is convicted, or what was planned for would have been seen.

    Args:
        law: what its noise is claimed to be.
        source: draws a batch, or a part of one; with an executor it must be picklable, and draw
            by the batch's own generator or be independent from process to process.
        deviation: the share by which σ may be too small that is to be found.
        limit: the most rows to draw; by default as many as find the deviation with power 0.99.
        budget: the probability that a correct sampler is ever accused of anything in this run.
        seed: of the batches' generators.
        batch: about how many numbers are drawn between two decisions.
        values: the exact answers of which releases are drawn, batch by batch in turn; where
            there are others than 0 the source has to return releases of each batch's `value`. At
            most 100 times as large as the noise, so that its sum with them has bits enough.
        executor: where batches are drawn; here, if None.
        checkpoint: a file in which the state is kept, from which an interrupted audit goes on,
            with the same limit or a larger one. With the same limit the outcome is that of an
            audit without interruption; with a larger one the end of the first is looked at too.
        name: of the source, by which a checkpoint of another one is told.
        progress: called after every batch.

    Raises:
        ValueError: if an argument is out of range, the draws are of another shape, or the
            checkpoint is of another audit.
    """
    limit = needed_rows(law, deviation, budget=budget) if limit is None else limit
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    if not values or not np.isfinite(values).all():
        raise ValueError(f"values must be finite numbers, at least one, got {list(values)}")
    far = max(map(abs, values))
    if law.continuous and far > FAR * law.spread:
        raise ValueError(f"values must be at most {FAR:g} times the noise's size, got {far!r}")
    if batch < 1:
        raise ValueError(f"batch must be at least 1, got {batch}")
    for parameter, value in law.parameters.items() if law.continuous else ():
        if not _SCALES[0] <= value <= _SCALES[1]:
            words = f"{parameter} must be between {_SCALES[0]:g} and {_SCALES[1]:g} to be audited"
            raise ValueError(f"{words}, got {value!r}")
    rows = max(1, batch // law.dimension)
    key = {"law": repr(law), "source": name, "seed": seed, "rows": rows, "values": list(values)}
    state = AuditState.load(checkpoint, law, key)
    before = state.rows
    if before and any(each.convicted for each in decide(state.sketch, law, budget=budget)):
        limit = 0
    done, asked = state.done, state.asked
    batches = (
        Batch(
            done + index,
            start,
            min(rows, limit - start),
            law.dimension,
            seed,
            value=float(values[(done + index) % len(values)]),
            fresh=0 < done + index < FRESH,
        )
        for index, start in enumerate(range(asked, limit, rows))
    )
    for batched, part, seconds in _sketches(source, law, batches, executor, rows):
        if part is None:
            break
        state.add(part, batched)
        state.seconds += seconds
        privacy, conformance = decide(state.sketch, law, budget=budget)
        state.note(privacy.log10, conformance.log10)
        state.save(checkpoint)
        if progress is not None:
            progress(state.sketch, privacy, conformance)
        if privacy.convicted or conformance.convicted:
            break
    sketch = state.sketch
    privacy, conformance = decide(sketch, law, budget=budget)
    last = (sketch.rows, privacy.log10, conformance.log10)
    history = state.history if state.history[-1:] == [last] else [*state.history, last]
    return Audit(
        law=law,
        sketch=sketch,
        privacy=privacy,
        conformance=conformance,
        deviation=deviation,
        power=power(sketch.numbers, deviation, budget=budget, law=law),
        budget=budget,
        drawn=sketch.rows - before,
        seconds=state.seconds,
        history=tuple(history),
        batch=rows * law.width,
        requests=max(sketch.requests - sketch.batches, 0),
        processes=min(sketch.batches, FRESH) if isinstance(source, AdapterSource) else 1,
    )


def needed_rows(law: Law, deviation: float, *, budget: float = BUDGET) -> int:
    """Return how many rows convict a σ that is too small by a share, with power 0.99.

    If what is released hides it: as many as would convict it of Gaussian noise.
    """
    claim = None if _hidden(law, deviation, budget) else law
    return math.ceil(plan(deviation, budget=budget, law=claim) / law.width)


def _hidden(law: Law, deviation: float, budget: float) -> bool:
    """Return whether many times as many draws as show so small a σ alone do not show it here."""
    try:
        count = _TIMES * plan(deviation, budget=budget)
    except ValueError:  # a deviation that no number of draws shows of any noise
        return False
    return power(count, deviation, budget=budget, law=law) < _WANTED


def short_rows(law: Law) -> int:
    """Return the rows of a short request: enough of them to be known when they come again."""
    numbers = max(SHORT, 4 * max((watch.size for watch in watched(law)), default=1))
    return math.ceil(numbers / law.width)


def _parts(batch: Batch, law: Law, rows: int) -> list[Batch]:
    """Return in what parts a batch of an audit with so many rows to a batch is drawn."""
    short = short_rows(law)
    last = FRESH + math.ceil(REQUESTS / math.ceil(rows / short))
    return batch.parts(short if FRESH <= batch.index < last else batch.rows)


_Part = tuple[Batch, Sketch | None, float]
"""A batch, its sketch, if it had any rows, and the seconds that its draws took."""


def _sketch(source: NoiseSource, law: Law, batch: Batch, size: int) -> _Part:
    if isinstance(source, AdapterSource):
        source.start()  # which takes its time once in each process
    begun = time.perf_counter()
    drawn = []
    for part in [batch] if isinstance(source, DrawsFile) else _parts(batch, law, size):
        rows = np.asarray(source(part))
        if len(rows) > part.rows:
            raise ValueError(f"source must draw at most {part.rows} rows, got {len(rows)}")
        if not rows.size:
            break
        drawn.append(rows)
    seconds = time.perf_counter() - begun
    if not drawn:
        return batch, None, seconds
    generator = randomness.generator("auditor's own", batch.seed, batch.index)
    rows = np.concatenate(drawn)
    sketch = take(rows, law, generator=generator, value=batch.value, requests=len(drawn))
    return batch, sketch, seconds


def _sketches(
    source: NoiseSource, law: Law, batches: Iterator[Batch], executor: Executor | None, size: int
) -> Iterator[_Part]:
    """Yield the batches' sketches in order; those of a worker that died are drawn here again.

    The first of all are drawn here too, so that no process of a program has drawn before them.
    """
    for batch in batches if executor is None else islice(batches, FRESH):
        yield _sketch(source, law, batch, size)
    if executor is None:
        return
    waiting: list[tuple[Batch, Future[_Part] | None]] = []

    def ask(batch: Batch) -> None:
        try:
            waiting.append((batch, executor.submit(_sketch, source, law, batch, size)))
        except BrokenExecutor:
            waiting.append((batch, None))

    for batch, _ in zip(batches, range(_WINDOW), strict=False):
        ask(batch)
    while waiting:
        batch, future = waiting.pop(0)
        try:
            found = _sketch(source, law, batch, size) if future is None else future.result()
        except BrokenExecutor:
            found = _sketch(source, law, batch, size)
        if (following := next(batches, None)) is not None:
            ask(following)
        yield found
    for _, future in waiting:
        if future is not None:
            future.cancel()
