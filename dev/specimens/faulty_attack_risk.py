"""Faulty figures of what an attacker reaches who tests whether a record was used."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

from dporacle import fast
from dporacle.dev.specimens.formulas import errors_become_zero
from dporacle.dev.specimens.specimen import Collection
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import ADVANTAGE, BAYES_RISK, POWER, TRADEOFF
from dporacle.vocabulary.mechanisms import SUBSAMPLED

RISKS = Collection()
_GRID = 1e-6  # what a curve on a grid of losses loses of the power


@RISKS.add("laplace_auc", "core")
def area_between_few_points(*, scale: float, sensitivity: float) -> float:
    """The curve is replaced by straight lines between five of its points."""
    float(fast.laplace_auc(scale=scale, sensitivity=sensitivity))
    return _polygon(lambda a: fast.laplace_power(alpha=a, scale=scale, sensitivity=sensitivity))


@RISKS.add("subsampled_auc", "core", "no-sampling", "tiny-rate")
def success_at_even_odds(*, sigma: float, rate: float, steps: int) -> float:
    """How often the best guess is right counts as the area."""
    return (1 + _advantage(sigma, rate, steps)) / 2


def _advantage(sigma: float, rate: float, steps: int) -> float:
    given = {"sigma": sigma, "rate": rate, "steps": steps}
    return float(fast.subsampled_delta(epsilon=0.0, direction="both", **given))


@RISKS.add("subsampled_auc", "core", "single-step", "central-limit")
def area_between_few_powers(**given: float) -> float:
    """The curve of DP-SGD is replaced by straight lines between five of its points."""
    return _polygon(lambda a: fast.subsampled_power(alpha=a, direction="remove", **given))


def _polygon(power: Callable[[float], Any]) -> float:
    places = (0.0, 0.1, 0.3, 0.6, 1.0)
    heights = [0.0, *(float(power(a)) for a in places[1:-1]), 1.0]
    sides = zip(itertools.pairwise(places), itertools.pairwise(heights), strict=True)
    return sum((b - a) * (low + high) / 2 for (a, b), (low, high) in sides)


@functools.lru_cache(maxsize=256)
def _exact(name: str, direction: str, inputs: tuple[tuple[str, float], ...]) -> float:
    function = QUANTITIES[name].function or name
    given = {**dict(inputs), **QUANTITIES[name].fixed, "direction": direction}
    return float(getattr(fast, function)(**given))


_OF_ONE_MU: dict[str, Callable[..., Any]] = {
    POWER.name: fast.gdp_power,
    TRADEOFF.name: fast.gdp_tradeoff,
    ADVANTAGE.name: functools.partial(fast.gdp_delta, epsilon=0.0),
    BAYES_RISK.name: fast.gdp_bayes_risk,
}


def _add(row: Quantity) -> None:
    finds, at_level = row.safe == "up", "alpha" in row.arguments
    odd = ("below-the-diagonal",) if at_level else ()
    turned = () if row.kind is ADVANTAGE else ("other-order",)  # it is the same for both
    flags = ("core", "single-step", *odd, *turned)

    if turned:

        @RISKS.add(row.name, *turned, name=f"one_direction_for_{row.name}")
        def one_direction(**given: float) -> float:
            """Only the test for a record that was used is looked at, whatever the rate."""
            return _exact(row.name, "remove", tuple(given.items()))

        @RISKS.add(row.name, *flags, name=f"called_symmetric_for_{row.name}")
        def symmetric(**given: float) -> float:
            """The curve of one order is called symmetric: its weaker half stands for the other."""
            orders = (_exact(row.name, each, tuple(given.items())) for each in ("remove", "add"))
            return min(orders) if finds else max(orders)

    @RISKS.add(row.name, *odd, "single-step", name=f"mu_of_the_limit_for_{row.name}")
    def moments(**given: float) -> float:
        """The curve of the Gaussian law to which the loss tends, taken as exact."""
        _exact(row.name, "both", tuple(given.items()))
        q, t = given["rate"], given["steps"]
        mu = q * math.sqrt(t * math.expm1(given["sigma"] ** -2))
        at = {name: given[name] for name in ("alpha", "prior") if name in given}
        return float(_OF_ONE_MU[row.kind.name](**at, mu=mu))

    @RISKS.add(row.name, *flags, name=f"read_from_a_grid_for_{row.name}")
    def gridded(**given: float) -> float:
        """A power read from a grid of losses, up to 10^-6 too small, and below the diagonal."""
        exact = _exact(row.name, "both", tuple(given.items()))
        return max(0.0, exact - _GRID) if finds else min(1.0, exact + _GRID)


_ZEROED = {"X.RISK.POWER", "X.RISK.AUC", "X.BOXES", "X.REPORTS"}
_ZEROED |= {"X.SELECTIONS", "X.ADAPTIVE", "X.FLIPS", "X.BOUNDED"}
"""Statements whose quantities have, of nonsense, this specimen alone."""

for _row in QUANTITIES.values():
    if _ZEROED & {*_row.statements}:
        _zero = RISKS.add(_row.name, "nonsense", name=f"errors_become_zero_in_{_row.name}")
        _zero(errors_become_zero(_row.of(fast)))
    if _row.mechanism is SUBSAMPLED["both"] and "X.RISK.POWER" in _row.statements:
        _add(_row)
