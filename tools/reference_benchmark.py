"""Time the reference witness: milliseconds per answer, at 50 and at 1000 digits.

    python tools/reference_benchmark.py [NAME ...]

Processor time; each answer is timed alone, after one that is thrown away; the middle of five is
printed.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import Any

from dporacle import reference

DIGITS = (50, 1000)
REPEATS = 5
TENTH, TINY = Fraction(1, 10), Fraction(1, 10**5)
BUDGET = {"epsilon": 1, "delta": TINY}

CASES: dict[str, dict[str, Any]] = {
    "delta_at_epsilon": {"epsilon": 1, "sigma": 3},
    "log_delta_at_epsilon": {"epsilon": 1, "sigma": 3},
    "classical_sigma": BUDGET,
    "vinterbo_sigma": BUDGET,
    "plrv_tail_sigma": BUDGET,
    "calibrate_sigma": BUDGET,
    "calibrate_sigma, ε = 1e6": {"epsilon": 10**6, "delta": TINY},
    "algorithm_1": BUDGET,
    "epsilon_at_delta": {"delta": TINY, "sigma": 3},
    "epsilon_at_delta, σ = 1/20": {"delta": TINY, "sigma": Fraction(1, 20)},
    "accuracy": {"alpha": TENTH / 2, "sigma": 3},
    "sigma_at_accuracy": {"alpha": TENTH / 2, "accuracy": 3},
    "max_error_quantile": {"queries": 1000, "beta": TENTH / 2, "sigma": 1},
    "classical_epsilon_max": {"delta": TINY},
    "classical_epsilon_threshold": {},
    "variance_third_boundary": {"epsilon": 1},
    "rdp_delta": {"epsilon": 1, "mu": 1},
    "gdp_tradeoff": {"alpha": TENTH, "mu": 1},
    "analytic_loss_bound": {**BUDGET, "dimension": 10},
    "james_stein_risk": {"dimension": 10, "norm": 3},
    "positive_part_risk": {"dimension": 10, "norm": 3},
    "soft_threshold_risk": {"means": [0, 1, 2, 3]},
    "discrete_delta_at_epsilon": {"epsilon": 1, "sigma": 3},
    "discrete_calibrate_sigma": BUDGET,
}


def milliseconds(name: str, where: dict[str, Any], digits: int) -> float:
    function = getattr(reference, name.partition(",")[0])
    times = []
    for _ in range(1 + REPEATS):
        start = time.process_time()
        function(**where, digits=digits)
        times.append(1e3 * (time.process_time() - start))
    return statistics.median(times[1:])


def main() -> None:
    wanted = sys.argv[1:]
    print(f"{'':32}" + "".join(f"{digits:>10}" for digits in DIGITS) + "   digits")
    for name, where in CASES.items():
        if wanted and name.partition(",")[0] not in wanted:
            continue
        times = [milliseconds(name, where, digits) for digits in DIGITS]
        print(f"{name:32}" + "".join(f"{each:10.2f}" for each in times), flush=True)


if __name__ == "__main__":
    main()
