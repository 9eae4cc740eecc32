"""X.GAP: how much more noise a way of accounting asks for than privacy needs."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import optimize

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.fast import (
    calibrate_sigma,
    classical_epsilon_max,
    classical_sigma,
    plrv_tail_sigma,
    rdp_delta,
    rho_sigma,
    vinterbo_sigma,
)
from dporacle.wings.papers.experiments.measured import Line, Result, generator, repeated

DELTAS = (1e-5, 1e-9)
_EXACT = (Fraction(1, 100), Fraction(1), Fraction(10))
_BITS = 128


def _rdp_sigma(*, epsilon: float, delta: float) -> float:
    """The σ at which the best Rényi conversion proves (ε,δ)-DP."""

    def excess(log: float) -> float:
        found = float(rdp_delta(epsilon=epsilon, mu=float(np.exp(-log))))
        return float(np.log(max(found, 1e-300)) - np.log(delta))

    start = float(np.log(calibrate_sigma(epsilon=epsilon, delta=delta)))
    return float(np.exp(optimize.brentq(excess, start, start + 5)))


WAYS: dict[str, Callable[..., Any]] = {
    "classical": classical_sigma,
    "zCDP, tail bound": rho_sigma,
    "Rényi, best order": _rdp_sigma,
    "PLRV tail": plrv_tail_sigma,
    "Vinterbo": vinterbo_sigma,
}
"""What each asks for; all but the classical formula are private for every ε."""


def run(*, seed: int = 0, repetitions: int = 50) -> Result:
    """Divide the σ of each way by the smallest private one, for ε from 0.01 to 30.

    Args:
        seed: taken like that of the others; nothing here is random.
        repetitions: how many ε, from 10 to 1000.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    count, _ = repeated(repetitions, 1000), generator(seed)
    epsilons = np.geomspace(0.01, 30, count)
    curves: dict[tuple[float, str], Any] = {}
    lines = []
    for delta in DELTAS:
        exact = calibrate_sigma(epsilon=epsilons, delta=delta)
        for name, way in WAYS.items():
            sigmas = np.array([float(way(epsilon=float(e), delta=delta)) for e in epsilons])
            ratio = sigmas / exact
            if name == "classical":  # beyond, it is not private
                ratio[epsilons > float(classical_epsilon_max(delta=delta))] = np.nan
            curves[delta, name] = ratio
        for epsilon in _EXACT:
            where: dict[str, Any] = {"epsilon": epsilon, "delta": Fraction(str(delta))}
            least = enclosures.calibrate_sigma(**where, digits=15)
            for name in ("classical", "zCDP, tail bound", "PLRV tail", "Vinterbo"):
                way = getattr(enclosures, WAYS[name].__name__)
                if name == "classical" and float(epsilon) > float(
                    classical_epsilon_max(delta=delta)
                ):
                    continue
                with precision(_BITS):
                    quotient = float(way(**where, digits=15) / least)
                lines.append(
                    Line(
                        setting=f"ε = {float(epsilon):g}, δ = {delta:g}",
                        mechanism=name,
                        quantity="σ over the exact σ",
                        exact=quotient,
                    )
                )
    most = {name: max(np.nanmax(curves[d, name]) for d in DELTAS) for name in WAYS}
    return Result(
        name="conversion-gap",
        statement="X.GAP",
        title=f"σ over the smallest private σ, {count} values of ε",
        lines=lines,
        facts=[
            "The most over-noise on this range: "
            + ", ".join(f"{name} {value:.3g}" for name, value in most.items())
            + ".",
            "The classical formula is drawn up to its largest private ε, beyond which it promises "
            "more than it keeps.",
        ],
        series={"epsilons": epsilons, "curves": curves},
    )
