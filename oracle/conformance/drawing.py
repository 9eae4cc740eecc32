"""Where fresh inputs are drawn: usual, extreme, at an edge of the floats, or to be refused.

The ranges are those in which the exact value by balls is proved in well under a second.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

from dporacle.conformance.quantities import QUANTITIES

__all__ = ["DEEPEST", "at_an_edge", "depth", "extreme", "nonsense", "usual"]

DEEPEST = 35.0
"""Standard deviations: a deeper tail is no float64."""

_Ranges = Mapping[str, tuple[float, float]]
_Edge = Callable[[random.Random], float]

# log10 of where each argument usually lies, and of how far it may lie.
_USUAL: _Ranges = {
    "epsilon": (-3.0, 1.7),
    "delta": (-12.0, -1.0),
    "sigma": (-1.0, 2.0),
    "alpha": (-9.0, -0.05),
    "accuracy": (-1.0, 1.0),
    "sensitivity": (-3.0, 3.0),
    "mu": (-2.0, 0.6),
    "rho": (-4.0, 1.0),
    "order": (0.1, 3.0),
    "releases": (0.0, 4.0),
}
_EXTREME: _Ranges = {
    "epsilon": (-12.0, 4.0),
    "delta": (-300.0, -0.01),
    "sigma": (-10.0, 10.0),
    "alpha": (-300.0, -0.001),
    "accuracy": (-10.0, 10.0),
    "sensitivity": (-10.0, 10.0),
    "mu": (-10.0, 10.0),
    "rho": (-300.0, 300.0),
    "order": (0.0, 10.0),
    "releases": (0.0, 9.0),
}
# Where a quantity's own ranges differ: the classical formula is a theorem up to ε = 1, and the
# discrete mechanism's sensitivity counts.
_USUAL_OF: Mapping[str, _Ranges] = {
    "classical_sigma": {"epsilon": (-3.0, 0.0)},
    "discrete_delta_at_epsilon": {"epsilon": (-2.0, 1.0), "sensitivity": (0.0, 1.0)},
    "discrete_calibrate_sigma": {
        "epsilon": (-1.0, 1.0),
        "delta": (-9.0, -1.0),
        "sensitivity": (0.0, 1.0),
    },
}
_EXTREME_OF: Mapping[str, _Ranges] = {
    "classical_sigma": {"epsilon": (-12.0, 0.0)},
    "discrete_delta_at_epsilon": {"sensitivity": (0.0, 4.0)},
    "discrete_calibrate_sigma": {
        "epsilon": (-3.0, 2.0),
        "delta": (-60.0, -1.0),
        "sensitivity": (0.0, 2.0),
    },
}


def _tiny(generator: random.Random) -> float:
    return math.ldexp(generator.uniform(0.5, 1), -generator.randint(1023, 1073))


def _almost_one(generator: random.Random) -> float:
    return 1 - 2.0 ** -generator.randint(8, 53)


def _anywhere(generator: random.Random) -> float:
    return math.ldexp(generator.uniform(0.5, 1), generator.randint(-1000, 1000))


# Where one argument at a time goes: next to 0 and 1, to e^ε's overflow, to the ends of the floats.
_EDGES: Mapping[str, tuple[_Edge, ...]] = {
    "epsilon": (
        lambda g: 0.0,
        lambda g: 10 ** g.uniform(-300, -13),
        lambda g: g.uniform(690, 760),
        lambda g: 10 ** g.uniform(4, 12),
    ),
    "delta": (_tiny, _almost_one),
    "alpha": (_tiny, _almost_one),
    "sigma": (_anywhere,),
    "accuracy": (_anywhere,),
    "sensitivity": (_anywhere,),
    "mu": (_anywhere,),
    "rho": (_anywhere,),
    "order": (
        lambda g: 1 + 2.0 ** -g.randint(8, 52),
        lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(10, 1000)),
    ),
    "releases": (lambda g: 1.0, lambda g: float(g.randint(2**29, 2**30))),
}
_EDGES_OF: Mapping[str, Mapping[str, tuple[_Edge, ...]]] = {
    "classical_sigma": {"epsilon": (lambda g: 10 ** g.uniform(-300, -13),)},
    "discrete_delta_at_epsilon": {
        "sigma": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-300, 300)),),
        "sensitivity": (lambda g: 1.0, lambda g: float(g.randint(10**5, 10**6))),
    },
    "discrete_calibrate_sigma": {
        "epsilon": (lambda g: 0.0, lambda g: g.uniform(690, 760)),
        "delta": (lambda g: 10 ** g.uniform(-100, -60), lambda g: 1 - 2.0 ** -g.randint(1, 7)),
        "sensitivity": (lambda g: 1.0, lambda g: float(g.randint(10**3, 10**4))),
    },
    "discrete_accuracy": {
        "sigma": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-300, 300)),),
    },
}
_NEVER_ZERO = {"delta", "alpha", "sigma", "sensitivity", "mu", "rho", "order"}


def usual(generator: random.Random, quantity: str, names: Sequence[str]) -> dict[str, float]:
    """Draw an input where people work."""
    return _drawn(generator, quantity, names, {**_USUAL, **_USUAL_OF.get(quantity, {})})


def extreme(generator: random.Random, quantity: str, names: Sequence[str]) -> dict[str, float]:
    """Draw an input far from where people work."""
    return _drawn(generator, quantity, names, {**_EXTREME, **_EXTREME_OF.get(quantity, {})})


def _drawn(
    generator: random.Random, quantity: str, names: Sequence[str], ranges: _Ranges
) -> dict[str, float]:
    counts = QUANTITIES[quantity].counts
    while True:
        drawn = {name: 10 ** generator.uniform(*ranges[name]) for name in names}
        drawn |= {name: float(round(drawn[name])) for name in counts if name in drawn}
        if depth(drawn) <= DEEPEST:
            return drawn


def at_an_edge(generator: random.Random, quantity: str, names: Sequence[str]) -> dict[str, float]:
    """Draw a usual input and put one argument to an edge."""
    edges = {**_EDGES, **_EDGES_OF.get(quantity, {})}
    while True:
        drawn = usual(generator, quantity, names)
        name = generator.choice([name for name in names if name in edges])
        drawn[name] = generator.choice(edges[name])(generator)
        if depth(drawn) <= DEEPEST:
            return drawn


def nonsense(generator: random.Random, quantity: str, names: Sequence[str]) -> dict[str, float]:
    """Draw a usual input and take one argument out of the domain."""
    drawn = usual(generator, quantity, names)
    name = generator.choice(names)
    if name in QUANTITIES[quantity].counts:  # adapters may make it an integer
        drawn[name] = generator.choice([0.0, -float(generator.randint(1, 10**9))])
        return drawn
    wrong = [-(10 ** generator.uniform(-12, 12)), math.nan, -math.inf]
    if name in ("delta", "alpha"):
        wrong.append(1 + 10 ** generator.uniform(-12, 12))
    # The trade-off's limit at μ = 0, 1 − α, is true.
    if name in _NEVER_ZERO and (quantity, name) != ("gdp_tradeoff", "mu"):
        wrong.append(0.0)
    drawn[name] = generator.choice(wrong)
    return drawn


def depth(given: Mapping[str, float]) -> float:
    """Return how many standard deviations out the tail is that has to be computed."""
    if "mu" in given and "epsilon" in given:
        return given["epsilon"] / given["mu"] - given["mu"] / 2
    if "sigma" not in given or "delta" in given or "alpha" in given:
        return 0.0
    ratio = given["sigma"] / given.get("sensitivity", 1.0) / math.sqrt(given.get("releases", 1.0))
    if "epsilon" in given:
        return given["epsilon"] * ratio - 0.5 / ratio
    return given["accuracy"] / given["sigma"]
