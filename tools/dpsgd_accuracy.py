"""Set the float64 δ and ε of DP-SGD against balls: `python tools/dpsgd_accuracy.py [--settings N]`.

Draws settings of practice on log scales (with `--domain` others, far beyond; with `--few` those of
1 to 10 steps with little noise and a tiny δ, where the ε of the direction add is next to the
largest loss), and prints for each number of steps how far δ(ε) and ε are above the exact values, as
shares of them. Exit status 1 if an answer is below the exact one, however little: the sign is read
off balls.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections import defaultdict
from fractions import Fraction

from dporacle import fast, randomness
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.subsampled_gaussian import subsampled_delta, subsampled_epsilon

DIGITS = 20
PRACTICE = {"sigma": (0.5, 10.0), "rate": (1e-3, 0.5), "steps": (1.0, 1e5), "delta": (1e-12, 1e-3)}
DOMAIN = {"sigma": (0.3, 100.0), "rate": (1e-8, 1.0), "steps": (1.0, 1e5), "delta": (1e-60, 0.5)}
FEW = {"sigma": (0.3, 10.0), "rate": (1e-8, 1.0), "steps": (1.0, 11.0), "delta": (1e-30, 1e-3)}
LARGEST = Fraction(sys.float_info.max)
DIRECTIONS = ("add", "remove", "replace")
GROUPS = (1, 2, 10, 100, 1000, 10**4)


def main() -> int:
    """Draw, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--domain", action="store_true", help="little noise and rare records as well"
    )
    parser.add_argument("--few", action="store_true", help="1 to 10 steps, half of them of adding")
    parser.add_argument("--digits", type=int, default=DIGITS, help="of the balls")
    asked = parser.parse_args()
    chance = randomness.chance("settings of DP-SGD", asked.seed)
    ranges = FEW if asked.few else DOMAIN if asked.domain else PRACTICE
    directions = (*DIRECTIONS, "add") if asked.few else DIRECTIONS
    shares: dict[tuple[str, int], list[tuple[float, str]]] = defaultdict(list)
    refused = zero = wrong = 0
    for _ in range(asked.settings):
        drawn = {
            key: float(f"{math.exp(chance.uniform(math.log(low), math.log(high))):.4g}")
            for key, (low, high) in ranges.items()
        }
        sigma, rate, steps, delta = (drawn[key] for key in ("sigma", "rate", "steps", "delta"))
        direction, group = chance.choice(directions), max(g for g in GROUPS if g <= steps)
        where = {"sigma": sigma, "rate": rate, "steps": int(steps), "direction": direction}
        said = f"{sigma:g}, {rate:g}, {int(steps)}, {delta:g}, {direction}"
        try:
            epsilon = fast.subsampled_epsilon(delta=delta, **where)
            pairs = {
                "epsilon": (epsilon, subsampled_epsilon(delta=delta, **where, digits=asked.digits))
            }
            if epsilon > 0:
                pairs["delta"] = (
                    fast.subsampled_delta(epsilon=epsilon, **where),
                    subsampled_delta(epsilon=epsilon, **where, digits=asked.digits),
                )
        except (ValueError, ArithmeticError) as error:
            refused += 1
            print(f"no answer ({error}): {said}", flush=True)
            continue
        for name, (found, exact) in pairs.items():
            low, high = bounds(exact)
            if found == high == 0:
                zero += 1
                continue
            below = Fraction(found) < low
            over = float(min(Fraction(found) / low - 1, LARGEST)) if low else math.inf
            shares[name, group].append((over, said))
            if below:
                wrong += 1
                print(f"{name} {found!r} is below the exact {exact}: {said}", flush=True)
    print(
        f"{'':<9}{'steps':>6}{'settings':>10}{'median':>8}{'largest':>9} at σ, q, T, δ, direction"
    )
    for (name, group), found in sorted(shares.items()):
        median = statistics.median(over for over, _ in found)
        most, said = max(found)
        print(f"{name:<9}{group:>5}+{len(found):>10}{median:>8.0e}{most:>9.0e} {said}")
    print(f"{wrong} below the exact value; ε is 0 at {zero} settings; {refused} without an answer")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
