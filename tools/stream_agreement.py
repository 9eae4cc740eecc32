"""Set streamed verdicts against balls alone, on random claims and on nearly equal ones.

    python tools/stream_agreement.py --claims 1000000 --seed 1

Half of the claims are calibrated and then rounded to between 3 and 17 digits, up or down. The
exit status is 1 if one verdict differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from dporacle import fast
from dporacle.claims import streaming
from dporacle.claims.streaming.deciding import LETTERS, by_balls
from dporacle.claims.streaming.reading import pieces, rows_of

_PART = 20_000


def written(generator: np.random.Generator, count: int) -> list[str]:
    epsilon = [f"{x:.3g}" for x in 10 ** generator.uniform(-3, 1.7, count)]
    delta = [f"{x:.3g}" for x in 10 ** generator.uniform(-15, -0.05, count)]
    sigma = 10 ** generator.uniform(-1, 2.5, count)
    exact = fast.calibrate_sigma(
        epsilon=np.array(list(map(float, epsilon))), delta=np.array(list(map(float, delta)))
    )
    sigma[::2] = exact[::2]
    digits = np.where(np.arange(count) % 2, 4, generator.integers(3, 18, count))
    return [
        f'{{"epsilon":{e},"delta":{d},"sigma":{s:.{n}g}}}\n'
        for e, d, s, n in zip(epsilon, delta, sigma.tolist(), digits.tolist(), strict=True)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    generator = np.random.default_rng(given.seed)
    differing = by = 0
    streamed = balls = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.jsonl"
        source = streaming.Source(str(path), "jsonl", {name: name for name in streaming.COLUMNS})
        for done in range(0, given.claims, _PART):
            lines = written(generator, min(_PART, given.claims - done))
            path.write_text("".join(lines))
            begun = time.process_time()
            parts = list(streaming.audit_stream([source]))
            streamed += time.process_time() - begun
            found = "".join(part.verdicts for part in parts)
            by += sum(part.counts.by_balls for part in parts)
            begun = time.process_time()
            with path.open("rb") as stream:
                alone = "".join(
                    LETTERS[by_balls(**rows.exact(row))]
                    for rows in map(rows_of, pieces(source, stream))
                    for row in range(len(rows.floats[0]))
                )
            balls += time.process_time() - begun
            for place, (one, other) in enumerate(zip(found, alone, strict=True)):
                if one != other:
                    differing += 1
                    print(f"streamed {one}, balls {other}: {lines[place]}", end="", flush=True)
    print(
        f"{given.claims:,} claims, {differing} differ; {by:,} of the streamed were left to balls; "
        f"{given.claims / streamed:,.0f} a second streamed, {given.claims / balls:,.0f} by balls"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
