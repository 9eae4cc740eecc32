"""Measure how long an audit takes to convict a σ that is 1 % too small, for each library's sampler.

.venv/bin/python tools/sampler_speed.py numpy opendp diffprivlib python-dp opacus

Each draws noise of σ = 3, and is held to σ = 3/0.99 at a false-alarm probability of 10⁻⁹, in one
process. Processor time does not depend on what else the machine does; a library's has its start in
it, which a run of one batch tells apart.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

from dporacle.cli.drawing import named_source
from dporacle.conformance.libraries.pinned import SAMPLED
from dporacle.samplers import Audit, Gaussian, audit

_DRAWN = Gaussian(sigma=3.0)
_CLAIMED = Gaussian(sigma=3.0 / 0.99)


def main() -> None:
    """Print a table: draws, and processor seconds of the sampler and of the audit."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = ["numpy", *SAMPLED]
    parser.add_argument("libraries", nargs="*", default=names, choices=names)
    parser.add_argument("--limit", type=int, default=2_000_000)
    given = parser.parse_args()
    print(f"{'library':<14}{'draws':>10}{'convicted':>11}{'sampler s':>11}{'audit s':>9}")
    for name in given.libraries:
        found, own, children = _run(name, given.limit)
        start = 0.0 if name == "numpy" else _run(name, 1)[2]
        print(
            f"{name:<14}{found.sketch.rows:>10,}{found.convicted!s:>11}"
            f"{max(children - start, 0.0):>11.2f}{own:>9.2f}",
            flush=True,
        )


def _run(name: str, limit: int) -> tuple[Audit, float, float]:
    """Return an audit, and the processor seconds of this process and of the sampler's."""
    named: dict[str, Any] = {"library": name, "path": None, "command": None, "sampler": None}
    before, begun = _children(), time.process_time()
    with named_source(named, _DRAWN) as source:
        found = audit(law=_CLAIMED, source=source, limit=limit)
    return found, time.process_time() - begun, _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
