"""Where the commands about samplers get their draws from, and which law is claimed of them."""

import contextlib
import dataclasses
import multiprocessing
import os
import shlex
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dporacle import calibrate_sigma
from dporacle.conformance.libraries.pinned import SAMPLED
from dporacle.conformance.libraries.targets import library_environment, library_target
from dporacle.wings.samplers import LAWS, AdapterSource, DrawsFile, Law, NaiveSource

Drawing = AdapterSource | NaiveSource
Named = Drawing | DrawsFile


PARAMETERS = ("sigma", "scale", "sigma_star", "variance", "parties", "modulus", "bound", "step")
"""Of laws, as the commands take them."""


def claimed_law(given: dict[str, Any]) -> Law:
    """Return the claim; its σ may be the least that keeps a promise.

    Raises:
        ValueError: if a parameter is missing, is none of the law, or is out of its range.
    """
    wanted = {name: given[name] for name in PARAMETERS}
    promise = (given["epsilon"], given["delta"])
    if promise[1] is not None and (given["kind"] != "gaussian" or wanted["sigma"] is not None):
        raise ValueError("--delta is for --law gaussian, instead of --sigma: nothing would read it")
    if promise[1] is not None and promise[0] is None:
        raise ValueError("--delta needs --epsilon")
    if given["kind"] == "gaussian" and wanted["sigma"] is None and None not in promise:
        wanted["sigma"] = float(
            calibrate_sigma(epsilon=promise[0], delta=promise[1], sensitivity=given["sensitivity"])
        )
    law = LAWS[given["kind"]]
    fields = {each.name: each.default for each in dataclasses.fields(law)}
    known = {name: value for name, value in wanted.items() if name in fields}
    for name, value in known.items():
        if value is None and fields[name] is not dataclasses.MISSING:
            known[name] = fields[name]  # which the claim prints
        elif value is None:
            raise ValueError(f"--law {given['kind']} needs --{name.replace('_', '-')}")
    surplus = [n for n, value in wanted.items() if value is not None and n not in known]
    if surplus:
        name = surplus[0].replace("_", "-")
        raise ValueError(f"--{name} is not a parameter of --law {given['kind']}")
    made: Law = law(dimension=given["dimension"], **known)
    return made


@contextmanager
def named_source(given: dict[str, Any], law: Law) -> Iterator[Named]:
    """Open where draws come from: exactly one is named.

    Raises:
        ValueError: if none is, or more than one.
        SourceError: if an adapter does not start, or has no such sampler.
        EnvironmentBuildError: if a library's environment cannot be built.
    """
    named = [name for name in ("library", "path", "adapter") if given[name]]
    if len(named) != 1:
        raise ValueError("give exactly one of: a LIBRARY, --file, --adapter")
    if given["sampler"] and not (given["adapter"] or given["library"] in SAMPLED):
        raise ValueError("--sampler needs a LIBRARY other than numpy, or --adapter")
    if given["path"]:
        yield _file(given["path"], law)
    elif given["library"] == "numpy":
        yield NaiveSource(law=law)
    else:
        with _adapter(given, law) as adapter:
            adapter.start()
            yield adapter


def _file(path: Path, law: Law) -> DrawsFile:
    file = DrawsFile(path)
    if file.dimension != law.dimension:
        raise ValueError(f"--dimension is {law.dimension}, the file has {file.dimension}")
    return file


def _adapter(given: dict[str, Any], law: Law) -> AdapterSource:
    if given["adapter"]:
        command = tuple(shlex.split(given["adapter"]))
        if not command:
            raise ValueError("--adapter is empty")
        return AdapterSource(command=command, law=law, sampler=given["sampler"] or "")
    library = SAMPLED[given["library"]]
    return AdapterSource(
        command=tuple(library_target(library).prepare()),
        law=law,
        sampler=given["sampler"] or "",
        environment=tuple(library_environment().items()),
        memory=library.memory,
    )


@contextmanager
def workers_for(source: Named, wanted: int | None) -> Iterator[Executor | None]:
    """Start as many processes as are wanted: by default all processors, for a library's draws.

    What numpy draws, or a file holds, takes less time than to start a process.
    """
    default = _processors() if isinstance(source, AdapterSource) else 1
    count = wanted or default
    if count == 1 or isinstance(source, DrawsFile):
        yield None
        return
    # Not a fork: this process may hold threads, and a library's random state.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _processors() -> int:
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
