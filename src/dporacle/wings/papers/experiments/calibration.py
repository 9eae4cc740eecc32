"""BW18.F1: the variance of the analytic against the classical Gaussian mechanism."""

from fractions import Fraction
from typing import Any

import numpy as np

from dporacle.enclosures import calibrate_sigma, classical_sigma, variance_third_boundary
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.wings.papers.experiments.measured import (
    Line,
    Result,
    generator,
    repeated,
    variance_quotient,
)

EPSILONS = tuple(map(Fraction, ("0.001", "0.01", "0.1", "0.5", "1")))
LOW_PRIVACY = (0.5, 10.0)
"""The ε of the second panels, in which the classical formula loses its promise."""
DELTAS = tuple(map(Fraction, ("1e-3", "1e-5", "1e-7", "1e-9")))

_DIGITS, _BITS = 17, 128


def run(*, seed: int = 0, repetitions: int = 100_000) -> Result:
    """Compare σ_C and σ_A by balls, and their variances' quotient with that of drawn noise.

    Args:
        seed: of the random generator.
        repetitions: draws of each noise, from 10 to 10⁶.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    draws, rng = repeated(repetitions, 10**6), generator(seed)
    lines, gains = [], {}
    for delta in DELTAS:
        for epsilon in EPSILONS:
            where: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "digits": _DIGITS}
            analytic, classical = calibrate_sigma(**where), classical_sigma(**where)
            with precision(_BITS):
                quotient = float((classical / analytic) ** 2)
            setting = f"ε = {float(epsilon):g}, δ = {float(delta):g}"
            lines += [
                Line(setting=setting, mechanism="aGM", quantity="σ/D", exact=float(analytic)),
                Line(setting=setting, mechanism="cGM", quantity="σ/D", exact=float(classical)),
                Line(
                    setting=setting,
                    mechanism="cGM / aGM",
                    quantity="variance",
                    exact=quotient,
                    measured=variance_quotient(
                        float(classical) * rng.standard_normal(draws),
                        float(analytic) * rng.standard_normal(draws),
                    ),
                ),
            ]
            gains[float(epsilon), float(delta)] = quotient
    short = [pair for pair, gain in gains.items() if gain < 1.5]
    least = min(gains.values())
    missed = ", ".join(f"(ε = {epsilon:g}, δ = {delta:g})" for epsilon, delta in short)
    facts = [
        f"The smallest quotient of the variances is {least:.10g}.",
        f"A third of the variance or more is saved at {len(gains) - len(short)} of "
        f"{len(gains)} settings; less at {missed or 'none'}.",
    ]
    for epsilon in (Fraction(1), Fraction(1, 2), Fraction(1, 10)):
        boundary = float(variance_third_boundary(epsilon=epsilon, digits=_DIGITS))
        facts.append(
            f"At ε = {float(epsilon):g} the saved third ends at δ = {boundary:.10g} (BW18.C1)."
        )
    return Result(
        name="calibration",
        statement="BW18.F1",
        title="variance of the classical over that of the analytic Gaussian mechanism",
        lines=lines,
        facts=facts,
        series={
            "epsilons": np.geomspace(1e-3, 1, 25),
            "low": np.linspace(*LOW_PRIVACY, 96),
            "deltas": [float(d) for d in DELTAS],
        },
    )
