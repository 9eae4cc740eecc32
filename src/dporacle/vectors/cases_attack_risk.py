"""Cases for what an attacker reaches who tests whether a record was used."""

import itertools
from collections.abc import Callable, Iterator, Mapping

from dporacle.vectors.grid import ALMOST_ONE, CORE_MU, GridPoint

_RATES = (1e-6, 1e-3, 0.01, 0.05, 0.1, 0.5)
_RARE = (1e-300, 1e-16, 1e-9)
_TRAININGS = ((4.0, 0.05, 100), (1.0, 0.01, 1000), (1.1, 256 / 60000, 14063))


def _reason(alpha: float) -> tuple[str, ...]:
    if alpha < 1e-8:
        return ("tiny-fpr",)
    return ("fpr-near-one",) if alpha > 0.9 else ("core",)


def _gaussian() -> Iterator[GridPoint]:
    for alpha, mu in itertools.product((*_RATES, *_RARE, 0.99, ALMOST_ONE), CORE_MU):
        yield GridPoint({"alpha": alpha, "mu": mu}, _reason(alpha))
    for mu in (1e-10, 20.0):
        yield GridPoint({"alpha": 0.01, "mu": mu}, ("near-diagonal" if mu < 1 else "wide-bracket",))


def _laplace() -> Iterator[GridPoint]:
    for alpha, scale in itertools.product((*_RATES, *_RARE, 0.99), (0.5, 1.0, 2.0, 10.0)):
        given = {"alpha": alpha, "scale": scale, "sensitivity": 1.0}
        yield GridPoint(given, (*_reason(alpha), "atom-of-the-loss"))


def _trainings() -> Iterator[GridPoint]:
    for alpha, (sigma, rate, steps) in itertools.product((1e-6, 0.1, 0.9), _TRAININGS):
        given = {"alpha": alpha, "sigma": sigma, "rate": rate, "steps": steps}
        flags = {1e-6: ("below-the-diagonal",), 0.9: ("other-order",)}.get(alpha, ("core",))
        yield GridPoint(given, flags)
    for alpha in (1e-4, 0.2):
        given = {"alpha": alpha, "sigma": 1.0, "rate": 0.1, "steps": 1}
        yield GridPoint(given, ("single-step",))


CASES: Mapping[str, Callable[[], Iterator[GridPoint]]] = {
    "gdp_power": _gaussian,
    "laplace_tradeoff": _laplace,
    "subsampled_tradeoff": _trainings,
    "subsampled_power": _trainings,
}
"""Group -> what it is asked, but for what it is to refuse."""
