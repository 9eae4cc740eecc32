"""The audit of a sampler: draw, look, and stop as soon as the evidence suffices.

Batches are numbered, each has its own seed, and sketches are added in the order of the numbers:
the outcome for a seed does not depend on how many workers draw.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dporacle import notebook, randomness
from dporacle.samplers.checkpoint import State
from dporacle.samplers.decision import BUDGET, Finding, decide, plan, power, supported_scales
from dporacle.samplers.law import FAR
from dporacle.samplers.laws import Gaussian, Law
from dporacle.samplers.powers import NUMBERS, Power, powers
from dporacle.samplers.sketch import Sketch, take
from dporacle.samplers.sources import AdapterSource, Batch, Source

LEAST_POWER = 0.5
"""With less, an audit that found nothing says nothing."""
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
    """

    law: Law
    sketch: Sketch
    privacy: Finding
    conformance: Finding
    deviation: float
    power: float
    budget: float
    drawn: int
    seconds: float
    history: tuple[tuple[int, float, float], ...] = ()
    batch: int = NUMBERS

    @property
    def enough(self) -> bool:
        """Whether there were draws enough to say that nothing was found: for even chances of it."""
        return self.power >= LEAST_POWER

    @property
    def powers(self) -> tuple[Power, ...]:
        """With what probability faults of other kinds would have been convicted."""
        return powers(self.sketch.numbers, batch=self.batch, budget=self.budget)

    @property
    def smallest(self) -> float | None:
        """The least share by which σ may be too small that so many draws show with power 0.99."""
        count = self.sketch.numbers
        shares = np.geomspace(1e-5, 0.99, 200)
        return next((float(x) for x in shares if power(count, x, budget=self.budget) >= 0.99), None)

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
        def said(finding: Finding) -> str:
            nothing = "nothing found" if self.enough else "too few draws to say"
            word = "CONVICTED" if finding.convicted else nothing
            return f"{word}: evidence 10^{finding.log10:.1f}, 10^{finding.needed:.1f} needed"

        pairs = [
            ("claim", str(self.law)),
            ("rows", f"{self.sketch.rows:,}"),
            ("privacy", said(self.privacy)),
            ("conformance", said(self.conformance)),
        ]
        if (ends := self.sigmas) is not None:
            low, high = ("unbounded" if end is None else f"{end:.6g}" for end in ends)
            pairs.append(("σ that the draws do not refute", f"{low} to {high}"))
        return notebook.facts(pairs)


def audit(
    *,
    law: Law,
    source: Source,
    deviation: float = 0.01,
    limit: int | None = None,
    budget: float = BUDGET,
    seed: int = 0,
    batch: int = NUMBERS,
    values: Sequence[float] = (0.0,),
    executor: Executor | None = None,
    checkpoint: Path | None = None,
    name: str = "",
    progress: Callable[[Sketch, Finding, Finding], None] | None = None,
) -> Audit:
    """Draw from a sampler until it is convicted, or what was planned for would have been seen.

    Args:
        law: what its noise is claimed to be.
        source: draws a batch; with an executor it must be picklable, and draw by the batch's own
            generator or be independent from process to process.
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
    state = State.load(checkpoint, law, key)
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
        )
        for index, start in enumerate(range(asked, limit, rows))
    )
    for batched, part, seconds in _sketches(source, law, batches, executor):
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
        power=power(sketch.numbers, deviation, budget=budget),
        budget=budget,
        drawn=sketch.rows - before,
        seconds=state.seconds,
        history=tuple(history),
        batch=rows * law.width,
    )


def needed_rows(law: Law, deviation: float, *, budget: float = BUDGET) -> int:
    """Return how many rows convict a σ that is too small by a share, with power 0.99."""
    return math.ceil(plan(deviation, budget=budget) / law.width)


_Part = tuple[Batch, Sketch | None, float]
"""A batch, its sketch, if it had any rows, and the seconds that its draws took."""


def _sketch(source: Source, law: Law, batch: Batch) -> _Part:
    if isinstance(source, AdapterSource):
        source.start()  # which takes its time once in each process
    begun = time.perf_counter()
    rows = np.asarray(source(batch))
    seconds = time.perf_counter() - begun
    if not rows.size:
        return batch, None, seconds
    if len(rows) > batch.rows:
        raise ValueError(f"source must draw at most {batch.rows} rows, got {len(rows)}")
    generator = randomness.generator("auditor's own", batch.seed, batch.index)
    return batch, take(rows, law, generator=generator, value=batch.value), seconds


def _sketches(
    source: Source, law: Law, batches: Iterator[Batch], executor: Executor | None
) -> Iterator[_Part]:
    """Yield the batches' sketches in order; those of a worker that died are drawn here again."""
    if executor is None:
        for batch in batches:
            yield _sketch(source, law, batch)
        return
    waiting: list[tuple[Batch, Future[_Part] | None]] = []

    def ask(batch: Batch) -> None:
        try:
            waiting.append((batch, executor.submit(_sketch, source, law, batch)))
        except BrokenExecutor:
            waiting.append((batch, None))

    for batch, _ in zip(batches, range(_WINDOW), strict=False):
        ask(batch)
    while waiting:
        batch, future = waiting.pop(0)
        try:
            found = _sketch(source, law, batch) if future is None else future.result()
        except BrokenExecutor:
            found = _sketch(source, law, batch)
        if (following := next(batches, None)) is not None:
            ask(following)
        yield found
    for _, future in waiting:
        if future is not None:
            future.cancel()
