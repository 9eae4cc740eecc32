"""Measure the memory of an audit as the draws grow, and what it would be at 10⁹.

.venv/bin/python tools/sampler_memory.py --draws 1e6 3e6 1e7 3e7
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

from dporacle.samplers import Gaussian, NaiveSource, audit
from dporacle.samplers.decision import Finding
from dporacle.samplers.sketch import Sketch

_FINAL = 1e9


def main() -> None:
    """Run one long audit of numpy's noise, and print the resident memory on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=float, nargs="+", default=[1e6, 3e6, 1e7, 3e7])
    parser.add_argument("--dimension", type=int, default=1)
    given = parser.parse_args()
    law = Gaussian(sigma=3.0, dimension=given.dimension)
    waiting = sorted(given.draws)
    points: list[tuple[int, float]] = []
    begun = time.monotonic()
    print(f"{law}, one process")
    print(f"{'draws':>14}{'resident MB':>13}{'peak MB':>10}{'s':>8}")

    def look(sketch: Sketch, *_: Finding) -> None:
        if not waiting or sketch.numbers < waiting[0]:
            return
        waiting.pop(0)
        points.append((sketch.numbers, _resident()))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds = time.monotonic() - begun
        print(f"{points[-1][0]:>14,}{points[-1][1]:>13.2f}{peak:>10.2f}{seconds:>8.1f}", flush=True)

    rows = -(-round(waiting[-1]) // given.dimension)
    audit(law=law, source=NaiveSource(law=law), limit=rows, progress=look)
    (first, low), (last, high) = points[0], points[-1]
    slope = (high - low) / (last - first)
    print(f"growth between the first and the last: {slope * 2**20:.4f} bytes per draw")
    print(f"at {_FINAL:,.0f} draws by that line: {high + slope * (_FINAL - last):.1f} MB")


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
