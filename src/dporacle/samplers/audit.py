"""The audit of a sampler: draw, look, and stop as soon as the evidence suffices.

Batches are numbered, each has its own seed, and sketches are added in the order of the numbers:
the outcome for a seed does not depend on how many workers draw.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from dporacle import notebook, randomness
from dporacle.samplers.decision import BUDGET, Finding, decide, plan, power, supported_scales
from dporacle.samplers.laws import Gaussian, Law
from dporacle.samplers.sketch import Sketch, take
from dporacle.samplers.sources import AdapterSource, Batch, Source

__all__ = ["Audit", "audit"]

_NUMBERS = 1 << 15
"""Normal numbers in a batch: what is looked at between two decisions."""
_WINDOW = 16
"""Batches that are drawn ahead on an executor."""
_POINTS = 256
"""Of the history at least so many are kept, and twice as many at most."""


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
            word = "CONVICTED" if finding.convicted else "nothing found"
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
    batch: int = _NUMBERS,
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
        executor: where batches are drawn; here, if None.
        checkpoint: a file in which the state is kept, from which an interrupted audit goes on,
            with the same limit or a larger one.
        name: of the source, by which a checkpoint of another one is told.
        progress: called after every batch.

    Raises:
        ValueError: if an argument is out of range, the draws are not finite or of another shape,
            or the checkpoint is of another audit.
    """
    if limit is None:
        limit = math.ceil(plan(deviation, budget=budget) / law.width)
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    if batch < 1:
        raise ValueError(f"batch must be at least 1, got {batch}")
    rows = max(1, batch // law.dimension)
    state = _State.load(checkpoint, {"law": repr(law), "source": name, "seed": seed, "rows": rows})
    before = state.rows
    batches = (
        Batch(index, index * rows, min(rows, limit - index * rows), law.dimension, seed)
        for index in range(state.done, math.ceil(limit / rows))
    )
    for part, seconds in _sketches(source, law, batches, executor):
        if part is None:
            break
        state.add(part)
        state.seconds += seconds
        privacy, conformance = decide(state.sketch, law, budget=budget)
        state.note(privacy.log10, conformance.log10)
        if progress is not None:
            progress(state.sketch, privacy, conformance)
        if privacy.convicted or conformance.convicted:
            break
        if part.rows == rows:  # a shorter one may be drawn in full by an audit that goes further
            state.save(checkpoint)
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
    )


_Part = tuple[Sketch | None, float]
"""The sketch of a batch, if there was one, and the seconds that its draws took."""


def _sketch(source: Source, law: Law, batch: Batch) -> _Part:
    if isinstance(source, AdapterSource):
        source.start()  # which takes its time once in each process
    begun = time.perf_counter()
    rows = np.asarray(source(batch))
    seconds = time.perf_counter() - begun
    if not rows.size:
        return None, seconds
    generator = randomness.generator("auditor's own", batch.seed, batch.index)
    return take(rows, law, generator=generator), seconds


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


class _State:
    """The sum of all sketches, how many batches are in it, and what was found on the way.

    All of it is of bounded size, however long the audit.
    """

    def __init__(
        self,
        key: dict[str, Any],
        done: int = 0,
        sketch: Sketch | None = None,
        history: list[tuple[int, float, float]] | None = None,
    ) -> None:
        self._key, self.done, self._sketch = key, done, sketch
        self.history = history or []
        self.seconds = 0.0

    @classmethod
    def load(cls, path: Path | None, key: dict[str, Any]) -> _State:
        if path is None or not path.exists():
            return cls(key)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            sketch = _from_plain(kept["sketch"])
            history = [(int(n), float(p), float(c)) for n, p, c in kept["history"]]
            done, found = int(kept["done"]), kept["audit"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"checkpoint {path} cannot be read: {error!r}") from None
        if found != key:
            raise ValueError(f"checkpoint {path} is of another audit: {found}")
        return cls(key, done, sketch, history)

    @property
    def sketch(self) -> Sketch:
        if self._sketch is None:
            raise ValueError("source must draw at least one row")
        return self._sketch

    @property
    def rows(self) -> int:
        return 0 if self._sketch is None else self._sketch.rows

    def add(self, part: Sketch) -> None:
        self._sketch = part if self._sketch is None else self._sketch + part
        self.done += 1

    def note(self, privacy: float, conformance: float) -> None:
        """Keep every k-th batch's evidence, with k a power of two that grows with the audit."""
        stride = 1 << max(0, (self.done // _POINTS).bit_length())
        if self.done % stride == 0:
            self.history.append((self.rows, privacy, conformance))
        if len(self.history) > 2 * _POINTS:
            self.history = self.history[1::2]

    def save(self, path: Path | None) -> None:
        if path is None:
            return
        kept = {
            "audit": self._key,
            "done": self.done,
            "sketch": _plain(self.sketch),
            "history": self.history,
        }
        draft = path.with_name(path.name + ".part")
        draft.write_text(json.dumps(kept), encoding="utf-8")
        draft.replace(path)


def _plain(sketch: Sketch) -> dict[str, Any]:
    found = {each.name: getattr(sketch, each.name) for each in fields(sketch)}
    plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in found.items()}
    return plain | {"seen": sorted(sketch.seen.items())}


def _from_plain(plain: dict[str, Any]) -> Sketch:
    arrays: dict[str, Any] = {
        k: np.array(v) if isinstance(v, list) else v for k, v in plain.items()
    }
    return Sketch(**(arrays | {"seen": {int(k): int(n) for k, n in plain["seen"]}}))
