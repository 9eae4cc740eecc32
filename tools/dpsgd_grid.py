"""Enclose ε over a grid of realistic DP-SGD settings and print how long each takes.

    .venv/bin/python tools/dpsgd_grid.py                  # all 1,344 settings, both directions
    .venv/bin/python tools/dpsgd_grid.py --sample 40      # a sample
    .venv/bin/python tools/dpsgd_grid.py --rows FILE      # goes on where it was stopped
    .venv/bin/python tools/dpsgd_grid.py --held-out 32 --seed 5  # random ones of the whole domain

A setting counts where the exact ε lies in (0, 10⁴]. Exit status 1 if one of these has fewer than
six proved digits on either side of add and remove; of those that are held out, which are drawn on
log scales with three digits each, ten digits, and of replace-one as well.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import random
import statistics
import sys
import time
from fractions import Fraction
from pathlib import Path

from dporacle.enclosures.arithmetic.rounding import bounds, decimal_bounds
from dporacle.enclosures.subsampled_gaussian import subsampled_delta, subsampled_epsilon

SIGMAS = ("0.5", "0.6", "0.8", "1", "1.1", "2", "4", "10")
RATES = ("1e-5", "1e-4", "1e-3", "0.01", "0.05", "0.2", "1")
STEPS = (1, 100, 10**3, 10**4, 10**5, 10**6)
DELTAS = ("1e-5", "1e-6", "1e-9", "1e-12")
LEAST_DIGITS = 6
HELD_OUT_DIGITS = 10
DOMAIN = ((0.3, 100.0), (1e-6, 1.0), (1.0, 1e7), (1e-100, 0.9))
MOST = 10**4


Setting = tuple[str, str, int, str]
"""σ, q, T and δ."""


def held_out(number: int, seed: int) -> list[Setting]:
    """Return settings at random over the whole domain."""
    chance = random.Random(seed)

    def draw(low: float, high: float) -> str:
        return f"{math.exp(chance.uniform(math.log(low), math.log(high))):.3g}"

    found = []
    for _ in range(number):
        sigma, rate, steps, delta = (draw(*each) for each in DOMAIN)
        found.append((sigma, rate, int(float(steps)), delta))
    return found


def enclose(setting: Setting, direction: str, digits: int) -> tuple[bool | None, str, float]:
    """Return whether enough digits are proved (None: ε outside the range), a text, seconds."""
    sigma, rate, steps, delta = setting
    start = time.process_time()
    try:
        value = subsampled_epsilon(
            delta=Fraction(delta),
            sigma=Fraction(sigma),
            rate=Fraction(rate),
            steps=steps,
            direction=direction,
            digits=12,
        )
    except ArithmeticError as error:
        beyond = False
        with contextlib.suppress(ArithmeticError):  # then it is no answer either
            at_end = subsampled_delta(
                epsilon=MOST,
                sigma=Fraction(sigma),
                rate=Fraction(rate),
                steps=steps,
                direction=direction,
                digits=3,
            )
            beyond = bounds(at_end)[0] > Fraction(delta)
        seconds = time.process_time() - start
        return (None, f"above {MOST}", seconds) if beyond else (False, str(error), seconds)
    seconds = time.process_time() - start
    low, high = bounds(value)
    if high == 0 or low > MOST:
        return None, "0" if high == 0 else f"above {float(low):.4g}", seconds
    text = " ".join(decimal_bounds(value, 14))
    return high - low <= low / 10**digits, text, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="so many settings, chosen at random")
    parser.add_argument("--held-out", type=int, help="so many settings of the whole domain instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="keep the rows in this file; those in it stand")
    options = parser.parse_args()
    grid = list(itertools.product(SIGMAS, RATES, STEPS, DELTAS))
    digits, directions = LEAST_DIGITS, ["add", "remove"]
    if options.held_out is not None:
        grid = held_out(options.held_out, options.seed)
        digits, directions = HELD_OUT_DIGITS, [*directions, "replace"]
    elif options.sample is not None:
        grid = random.Random(options.seed).sample(grid, options.sample)
    known = {}
    if options.rows and options.rows.exists():
        known = {
            tuple(line.split()[:5]): line
            for line in options.rows.read_text().splitlines()
            if line.endswith(" s")
        }
    times, failures, outside = [], 0, 0
    for setting in grid:
        for direction in directions:
            row = known.get((*map(str, setting), direction))
            if row is None:
                enough, text, seconds = enclose(setting, direction, digits)
                mark = {True: "", False: "FAILED ", None: "outside "}[enough]
                row = " ".join([*map(str, setting), direction, f"{mark}{text}", f"{seconds:.2f} s"])
                print(row, flush=True)
                if options.rows:
                    with options.rows.open("a") as file:
                        file.write(row + "\n")
            words = row.split()
            if words[5] == "outside":
                outside += 1
            else:
                times.append(float(words[-2]))
                failures += words[5] == "FAILED"
    median = statistics.median(times) if times else 0.0
    print(
        f"{len(times)} enclosed, {failures} failures, {outside} outside (0, 10^4]; "
        f"median {median:.2f} s, longest {max(times, default=0):.1f} s of processor time"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
