"""Audit correct samplers thousands of times, and print how often each e-value got large.

.venv/bin/python tools/null_audits.py --runs 2000
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence

from dporacle.exit_status import ExitStatus
from dporacle.specimens.null_audits import LEVELS, NullRun, exact_levels, null_runs


def main() -> ExitStatus:
    """Run the audits and print both tables; the status is 1 after an alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--numbers", type=int, default=32_768, help="normal numbers in each")
    parser.add_argument("--batch", type=int, default=8_192, help="how many between two looks")
    parser.add_argument("--seed", type=int, default=1_000_000)
    given = parser.parse_args()
    begun = time.monotonic()
    found: list[NullRun] = []
    # Ctrl-C prints what there is so far.
    with contextlib.suppress(KeyboardInterrupt):
        for run in null_runs(
            range(given.runs), numbers=given.numbers, batch=given.batch, seed=given.seed
        ):
            found.append(run)
            if len(found) % 100 == 0:
                print(f"{len(found)} audits, {time.monotonic() - begun:.0f} s", file=sys.stderr)
    show(found)
    alarms = any(run.found.convicted for run in found)
    return ExitStatus.FINDING if alarms else ExitStatus.FINE


def show(found: Sequence[NullRun]) -> None:
    """Print how often each e-value got large, and the exact expectations."""
    alarms = [run for run in found if run.found.convicted]
    counts = Counter(run.name for run in found)
    numbers = min(run.found.sketch.numbers for run in found)
    print(f"{len(found)} audits of {len(counts)} correct samplers, {numbers:,} numbers each")
    print(f"alarms: {len(alarms)}", *(run.name for run in alarms))
    most = max(max(run.highest["privacy"], run.highest["conformance"]) for run in found)
    print(f"the highest evidence that decides: 10^{most:.2f}; 10^9.30 is needed\n")
    print("share of the runs in which an e-value ever reached a level; Ville's bound above")
    print(f"{'':<14}" + "".join(f"{level:>10g}" for level in LEVELS))
    print(f"{'at most':<14}" + "".join(f"{1 / level:>10.4f}" for level in LEVELS))
    for name in sorted({name for run in found for name in run.highest}):
        reached = [run.highest[name] for run in found if name in run.highest]
        shares = [sum(e >= math.log10(level) for e in reached) / len(reached) for level in LEVELS]
        print(f"{name:<14}" + "".join(f"{share:>10.4f}" for share in shares))
    print("\nruns whose last e-value is above a level, beside the exact expectation")
    print(f"{'process':<14}{'level':>8}{'expected':>10}{'seen':>7}{'chance':>10}")
    for each in exact_levels([run.found.sketch for run in found]):
        print(
            f"{each.process:<14}{each.level:>8g}{each.expected:>10.1f}{each.seen:>7}"
            f"{each.chance:>10.3f}"
        )


if __name__ == "__main__":
    sys.exit(main())
