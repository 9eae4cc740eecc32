"""Run a proof from Python, with its file kept up to date."""

import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from dporacle.regions import artefact
from dporacle.regions.engine import Limits, ProofRun, run
from dporacle.regions.theorem import Theorem
from dporacle.regions.theorems import catalogue
from dporacle.regions.verify import recertify, tiling

_SAVE_EVERY = 5.0  # seconds


def prove(
    theorem: str | Theorem,
    *,
    output: Path | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[ProofRun], None] | None = None,
) -> ProofRun:
    """Prove or refute a theorem over its whole domain.

    Args:
        theorem: its id, or a theorem, for instance of `formulas.theorem`.
        output: the artefact; it is written every few seconds, at the end, and when the run is
            interrupted.
        resume: whether to go on from what `output` holds; its boxes must tile the parts, and
            those it calls proved are not proved again (`verify` does that).
        executor: where boxes are decided; by default here, and in processes if there are many.
        workers: how many processes, or tasks at once in `executor`; by default one per processor.
        limits: when to give up boxes; by default after 60 bisections or 200,000 boxes.
        progress: called now and then with the run.

    Returns:
        the run: its `status`, `leaves`, `given_up` boxes and `counterexample`.

    Raises:
        ValueError: naming the theorem, if there is none of that name, or if `output` cannot be
            resumed (`ArtefactError`).
        OSError: if `output` cannot be read or written.
    """
    if isinstance(theorem, str):
        if theorem not in catalogue():
            raise ValueError(f"theorem must be one of {', '.join(catalogue())}, got {theorem!r}")
        theorem = catalogue()[theorem]
    going_on = resume and output is not None and output.exists()
    state = artefact.resume(output, theorem) if going_on and output else ProofRun.start(theorem)
    if going_on and (faults := tiling(state) + recertify(state)):
        raise artefact.ArtefactError(f"{output} cannot be resumed: {faults[0]}")
    saved = time.monotonic()

    def step(state: ProofRun) -> None:
        nonlocal saved
        if output is not None and time.monotonic() - saved > _SAVE_EVERY:
            artefact.write(output, state)
            saved = time.monotonic()
        if progress is not None:
            progress(state)

    try:
        return run(state, executor=executor, workers=workers, limits=limits, progress=step)
    finally:
        if output is not None:
            artefact.write(output, state)
