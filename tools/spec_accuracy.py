"""Measure the float64 witness of the wider spec against the enclosures, at random arguments.

    python tools/spec_accuracy.py [POINTS] [GROUP]

For every function it prints the smallest and the largest relative deviation seen, in units of
2^-52, with the arguments of the largest. Results below 1e-290 and probabilities cut off at 1 are
left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dporacle.witnesses import ask

SEED = 20260
SMALLEST = Fraction(1, 10**290)

Rng = np.random.Generator
Draw = Callable[[Rng], dict[str, Any]]


def log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(10.0 ** rng.uniform(low, high))


def delta(rng: Rng) -> float:
    kind = rng.integers(3)
    if kind == 0:
        return float(rng.uniform(1e-3, 1))
    if kind == 1:
        return 1 - log_uniform(rng, -15.5, -1)
    return log_uniform(rng, -280, -1)


def budget(rng: Rng) -> dict[str, Any]:
    return {"epsilon": log_uniform(rng, -6, 2.3), "delta": delta(rng)}


def epsilon(rng: Rng) -> dict[str, Any]:
    return {"epsilon": log_uniform(rng, -6, 2.5)}


def many(rng: Rng) -> dict[str, Any]:
    return {"queries": int(log_uniform(rng, 0, 15)), "sigma": log_uniform(rng, -3, 3)}


def stein(rng: Rng) -> dict[str, Any]:
    return {"dimension": int(log_uniform(rng, 0.48, 6)), "norm": log_uniform(rng, -3, 4)}


def small_stein(rng: Rng) -> dict[str, Any]:
    return {"dimension": int(log_uniform(rng, 0.48, 3)), "norm": log_uniform(rng, -3, 2)}


def converted(rng: Rng) -> dict[str, Any]:
    mu = log_uniform(rng, -3, 2)
    return {"epsilon": mu * rng.uniform(0, 36), "mu": mu}


def discrete(rng: Rng) -> dict[str, Any]:
    sigma = log_uniform(rng, -1, 1.7)
    return {
        "epsilon": float(rng.uniform(0, 10) * min(1, 3 / sigma)),
        "sigma": sigma,
        "sensitivity": int(rng.integers(1, 8)),
    }


CASES: dict[str, dict[str, Draw]] = {
    "closed_forms": {
        **dict.fromkeys(
            [
                "dwork_roth_sigma",
                "dwork_2006_sigma",
                "vinterbo_sigma",
                "plrv_tail_sigma",
                "rho_sigma",
            ],
            budget,
        ),
        "rho_epsilon": lambda rng: {"rho": log_uniform(rng, -6, 3), "delta": delta(rng)},
        **dict.fromkeys(
            ["classical_epsilon_max", "dwork_roth_epsilon_max", "dwork_2006_epsilon_max"],
            lambda rng: {"delta": delta(rng)},
        ),
        "low_privacy_threshold": epsilon,
        "variance_third_boundary": lambda rng: {"epsilon": log_uniform(rng, -60, 0)},
    },
    "simultaneous_accuracy": {
        "max_error_quantile": lambda rng: {**many(rng), "beta": delta(rng)},
        "max_error_bound": lambda rng: {**many(rng), "beta": delta(rng)},
        "max_error_probability": lambda rng: {
            **(case := many(rng)),
            "error": case["sigma"] * rng.uniform(1e-3, 36),
        },
        "noise_tail": lambda rng: {"error": rng.uniform(0, 36), "sigma": 1.0},
        "noise_tail_bound": lambda rng: {"error": rng.uniform(0, 36), "sigma": 1.0},
    },
    "denoising": {
        "james_stein_risk": stein,
        "positive_part_risk": small_stein,
        "soft_threshold_coordinate_risk": lambda rng: {
            "mean": rng.choice([-1, 1]) * log_uniform(rng, -6, 3),
            "threshold": rng.uniform(0, 9),
        },
    },
    "accuracy_loss": {
        "classical_expected_loss": lambda rng: {**budget(rng), "dimension": 3},
        "analytic_loss_bound": lambda rng: {**budget(rng), "dimension": 3},
        "r1smg_expected_loss": lambda rng: {
            **budget(rng),
            "dimension": int(log_uniform(rng, 0.48, 8)),
        },
        "mvg_loss_bound": lambda rng: {
            "epsilon": 1.0,
            "rows": int(log_uniform(rng, 0, 3)),
            "columns": 1000,
        },
        "loss_tail": lambda rng: {
            "dimension": int(log_uniform(rng, 0, 3)),
            "factor": rng.uniform(0, 3),
        },
    },
    "composition": {
        "group_delta_bound": lambda rng: {
            "epsilon": log_uniform(rng, -9, 1),
            "delta": 1e-9,
            "size": int(rng.integers(1, 40)),
        }
    },
    "conversions": {
        "zcdp_delta": converted,
        "rdp_delta": converted,
        "gdp_tradeoff": lambda rng: {"alpha": delta(rng), "mu": log_uniform(rng, -3, 1.3)},
    },
    "discrete_gaussian": {
        "discrete_delta_at_epsilon": discrete,
        "discrete_tail": lambda rng: {
            "sigma": (sigma := log_uniform(rng, -1, 1.7)),
            "error": int(rng.uniform(0, 36) * sigma),
        },
        "discrete_variance": lambda rng: {"sigma": log_uniform(rng, -1, 2)},
    },
}


def deviation(group: str, name: str, where: dict[str, Any]) -> float | None:
    try:
        low, _ = ask("enclosures", group, name, **where, digits=30)
    except ArithmeticError:  # a magnitude that no float has
        return None
    if not SMALLEST < abs(low) < 1 / SMALLEST:
        return None
    fast = ask("fast", group, name, **where)[0]
    if fast == 1:  # a probability that was cut off
        return None
    scale = low
    if name in {"james_stein_risk", "positive_part_risk"}:
        scale = Fraction(where["dimension"])
    if name.startswith("low_privacy"):
        scale = Fraction(1)
    return float((fast - low) / scale * 2**52)


def main() -> None:
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for group, functions in CASES.items():
        if len(sys.argv) > 2 and sys.argv[2] != group:
            continue
        for name, draw in functions.items():
            rng = np.random.default_rng(SEED)
            cases = [draw(rng) for _ in range(points)]
            found = [
                (gap, case) for case in cases if (gap := deviation(group, name, case)) is not None
            ]
            least, _ = min(found, key=lambda each: each[0])
            most, case = max(found, key=lambda each: each[0])
            print(f"{group}.{name}: {least:.4g} to {most:.4g} of 2^-52; most at {case}", flush=True)


if __name__ == "__main__":
    main()
