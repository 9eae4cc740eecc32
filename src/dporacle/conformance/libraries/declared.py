"""What libraries declare of their functions: the arguments they are for, and what is promised.

A function without a row here is for all that its quantity is for, and promises a bound. What lies
outside of what a library declares is asked too, as users ask it, but a verdict of its own leaves
it out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class DeclaredRange:
    """Numbers above the first and up to the second, which is left out where it is open."""

    above: float = 0.0
    most: float = math.inf
    open: bool = False

    def __contains__(self, number: object) -> bool:
        """Whether a number is in it; NaN never is."""
        if not isinstance(number, float):
            return False
        return self.above < number and (number < self.most if self.open else number <= self.most)

    def __str__(self) -> str:
        """The range as it is written."""
        most = "∞" if math.isinf(self.most) else f"{self.most:g}"
        return f"({self.above:g}, {most}{')' if self.open else ']'}"


@dataclass(frozen=True)
class Declared:
    """What a library's documentation says of a function.

    Attributes:
        ranges: argument -> what it may be; any other may be all that its quantity allows.
        estimate: whether the answer is said to be an estimate, so that no side is promised.
        file: where that stands, below the environment's packages.
        says: the words.
    """

    ranges: Mapping[str, DeclaredRange] = field(default_factory=dict)
    estimate: bool = False
    file: str = ""
    says: tuple[str, ...] = ()

    def covers(self, arguments: Mapping[str, float]) -> bool:
        """Whether an input lies in what is declared."""
        return all(
            name not in arguments or arguments[name] in of for name, of in self.ranges.items()
        )


_ONE = DeclaredRange(most=1.0)
_BELOW_ONE = DeclaredRange(most=1.0, open=True)
_DIFFPRIVLIB = "diffprivlib/mechanisms/gaussian.py"
_AUTODP = "autodp/privacy_calibrator.py"
_CENTRAL_LIMIT = "Applies the Dual and Central Limit Theorem (CLT) to estimate privacy budget"

_CLASSICAL = Declared(
    {"epsilon": _ONE, "delta": _ONE}, file=_DIFFPRIVLIB, says=("Must be in (0, 1].",)
)
_ANALYTIC = Declared(
    {"epsilon": DeclaredRange(), "delta": _ONE},
    file=_DIFFPRIVLIB,
    says=("Must be in (0, ∞].", "Must be in (0, 1]."),
)
_BENCHMARK = Declared(
    {"epsilon": _BELOW_ONE, "delta": _BELOW_ONE},
    file=_AUTODP,
    says=("prescribed 0< eps <1", "prescribed 0 < delta <1", "For benchmarking purposes only."),
)

DECLARED: Mapping[tuple[str, str], Declared] = {
    ("diffprivlib", "Gaussian"): _CLASSICAL,
    ("diffprivlib", "Gaussian, formula"): _CLASSICAL,
    ("diffprivlib", "GaussianAnalytic"): _ANALYTIC,
    ("diffprivlib", "GaussianDiscrete"): _ANALYTIC,
    ("autodp", "classical_gaussian_mech"): _BENCHMARK,
    ("autodp", "classical_gaussian_mech, formula"): _BENCHMARK,
    ("autodp", "ana_gaussian_mech"): Declared(
        {"epsilon": DeclaredRange(), "delta": _BELOW_ONE},
        file=_AUTODP,
        says=("target epsilon (epsilon > 0)", "target delta (0 < delta < 1)"),
    ),
    ("smartnoise-sql", "Gaussian.accuracy"): Declared(
        {"delta": DeclaredRange()},
        file="snsql/sql/_mechanisms/gaussian.py",
        says=("Discrete gaussian mechanism delta must be greater than 0.0",),
    ),
    ("opacus", "get_epsilon(gdp), sampled"): Declared(
        estimate=True, file="opacus/accountants/analysis/gdp.py", says=(_CENTRAL_LIMIT,)
    ),
    ("tensorflow-privacy", "compute_eps_poisson"): Declared(
        estimate=True,
        file="tensorflow_privacy/privacy/analysis/gdp_accountant.py",
        says=(_CENTRAL_LIMIT,),
    ),
}
"""Library and function -> what its documentation says, where that is less than the quantity."""

EVERYTHING = Declared()


def declared(library: str, function: str) -> Declared:
    """Return what a library declares of a function; of an unknown one, all that it may be asked."""
    return DECLARED.get((library, function), EVERYTHING)
