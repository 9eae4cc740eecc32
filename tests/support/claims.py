"""Claims of every kind, drawn at random but always the same ones."""

import math
from collections.abc import Callable, Iterator
from random import Random

Content = dict[str, object]

_FORMULAS = (
    *("classical", "dwork-2006", "dwork-roth", "linear", "pinsker", "plrv-tail"),
    *("vinterbo-2020", "zcdp-conversion", "r1smg"),
)
_POINTS: dict[str, tuple[str, ...]] = {
    "BW18.C1": ("epsilon", "delta"),
    "BW18.O1": ("epsilon", "sigma"),
    "BW18.T4": ("epsilon", "delta"),
    "BW18.T4.closed": ("epsilon", "delta"),
    "BW18.T4.misquoted": ("epsilon", "delta"),
    "BW18.T11": ("dimension", "norm", "sigma"),
    "BW18.T12": ("dimension", "nonzero", "mean", "sigma"),
    "GN.A1": ("queries", "beta"),
    "GN.L1": ("error", "sigma"),
    "GN.T1": ("rho", "delta"),
    "JL24.D1": ("epsilon", "sigma"),
    "JL24.L2": ("epsilon", "delta"),
    "JL24.L2.reversed": ("epsilon", "delta"),
    "JL24.T3.extremes": ("dimension", "factor"),
    "X.RDP": ("epsilon", "sigma"),
    "X.ZCDP": ("epsilon", "sigma"),
}


class Drawing:
    """Draws parts of claims; only `random()` is used, which every Python repeats."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one(self, *values: object) -> object:
        """Draw one of several values."""
        return values[int(self._random.random() * len(values))]

    def whole(self, low: int, high: int) -> int:
        """Draw an integer, with a nearly uniform logarithm."""
        return min(high, int(low * ((high + 1) / low) ** self._random.random()))

    def number(self, low: float, high: float) -> str:
        """Draw a decimal of at most three figures, with a nearly uniform logarithm."""
        ends = math.log10(low), math.log10(high)
        exponent = ends[0] + self._random.random() * (ends[1] - ends[0])
        return f"{10**exponent:.3g}"

    def epsilon(self) -> str:
        """Draw an ε: usual, or of any size."""
        return str(self.one("0", "1", *[self.number(0.01, 20)] * 8, self.number(1e-300, 1e300)))

    def delta(self) -> str:
        """Draw a δ: usual, or of any size, the ends included."""
        ends = "0", "1", "0.5", self.number(1e-300, 0.999)
        return str(self.one(*ends, *[self.number(1e-12, 0.3)] * 12))

    def release(self, kind: object = None) -> Content:
        """Draw a release with Gaussian noise."""
        kind = kind or self.one("gaussian", "zcdp", "gdp", "rdp")
        own: Content = {
            "gaussian": {"sigma": self.number(0.1, 100)},
            "zcdp": {"rho": self.number(1e-4, 10)},
            "gdp": {"mu": self.number(0.01, 5)},
            "rdp": {"order": self.number(1.1, 64), "epsilon": self.number(1e-3, 20)},
        }[str(kind)]
        root = self.one(False, False, True)
        distance = {"sensitivity_squared" if root else "sensitivity": self.number(0.2, 9)}
        return {"kind": kind, **own, **distance, "neighbours": "add-remove", "unit": self.unit()}

    def unit(self) -> object:
        """Draw a unit, often none."""
        return self.one("", "", "m")

    def composition(self) -> Content:
        """Draw a composition of Gaussian releases."""
        count = self.whole(1, 4)
        return {
            "kind": "composition",
            "times": self.whole(1, 1000),
            "releases": [self.release() for _ in range(count)],
        }

    def discrete(self) -> Content:
        """Draw discrete Gaussian noise."""
        own = self.one(
            {"sigma": self.number(0.2, 1000)},
            {"sigma_squared": self.number(0.1, 1e5)},
            {"rho": self.number(1e-3, 5)},
        )
        assert isinstance(own, dict)
        shared = {"neighbours": "add-remove", "unit": self.unit()}
        return {"kind": "discrete-gaussian", **own, "sensitivity": self.whole(1, 30), **shared}

    def rank_one(self) -> Content:
        """Draw rank-one noise."""
        dimension = self.whole(3, 2000)
        own = self.one(
            {"sigma_star": self.number(0.1, 1e12)},
            {"published": {"epsilon": self.number(0.01, 5), "delta": self.number(1e-9, 0.3)}},
        )
        assert isinstance(own, dict)
        return {
            "kind": "rank-one",
            "dimension": dimension,
            **own,
            "sensitivity": self.number(0.5, 4),
            "neighbours": "add-remove",
            "unit": self.unit(),
        }

    def privacy(self) -> Content:
        """Draw a claim of (ε,δ)-DP."""
        relation = self.one("add-remove", "add-remove", "replace-one")
        return {
            "kind": "privacy",
            "epsilon": self.epsilon(),
            "delta": self.delta(),
            "neighbours": relation,
        }

    def formula(self) -> Content:
        """Draw a claim about a formula."""
        name = self.one(*_FORMULAS)
        said: Content = {
            "kind": "formula",
            "name": name,
            "epsilon": self.number(0.01, 20),
            "delta": self.number(1e-12, 0.9),
        }
        if name == "linear":
            said["constant"] = self.number(1, 9)
        if name == "r1smg":
            said["dimension"] = self.whole(3, 10_000)
        return said

    def formula_range(self) -> Content:
        """Draw a claim about a formula over a small range."""
        low, least = float(self.number(0.05, 3)), float(self.number(1e-6, 0.1))
        return {
            "kind": "formula-range",
            "name": self.one("classical", "dwork-2006", "zcdp-conversion"),
            "epsilon": {"from": str(low), "to": f"{low * 1.5:.3g}"},
            "delta": {"from": str(least), "to": f"{least * 2:.3g}"},
        }

    def conversion(self) -> Content:
        """Draw a claim about a conversion."""
        given = self.one(
            {"kind": "zcdp", "rho": self.number(1e-3, 5)},
            {"kind": "gdp", "mu": self.number(0.05, 4)},
            {"kind": "rdp", "order": self.number(1.1, 64), "epsilon": self.number(0.01, 5)},
        )
        said = {"epsilon": self.epsilon(), "delta": self.delta()}
        return {"kind": "conversion", "given": given, **said}

    def inequality(self) -> Content:
        """Draw a claim that an inequality is true at a point."""
        statement = str(self.one(*_POINTS))
        values: Content = {
            "epsilon": self.number(0.01, 10),
            "delta": self.number(1e-9, 0.4),
            "sigma": self.number(0.1, 10),
            "dimension": self.whole(3, 2000),
            "norm": self.number(0.1, 10),
            "nonzero": self.whole(1, 3),
            "mean": self.number(0.1, 5),
            "queries": self.whole(1, 10**6),
            "beta": self.number(1e-6, 0.5),
            "error": self.number(0.1, 10),
            "rho": self.number(0.01, 5),
            "factor": self.number(0.1, 20),
        }
        at = {name: values[name] for name in _POINTS[statement]}
        return {"kind": "inequality", "statement": statement, "at": at}

    def accuracy(self, unit: object, high: float) -> Content:
        """Draw a claim about the largest error."""
        return {
            "kind": "accuracy",
            "at_most": self.number(0.3, high),
            "alpha": self.one("1", self.number(1e-9, 0.5), self.number(0.01, 0.1)),
            "queries": self.one(1, self.whole(1, 10**4)),
            "unit": unit,
        }

    def loss(self, unit: object, dimension: object) -> Content:
        """Draw a claim about the expected squared error."""
        at_most = self.one("0", self.number(0.1, 1e4), self.number(0.1, 1e6))
        return {"kind": "loss", "at_most": at_most, "dimension": dimension, "unit": unit}


def draw(count: int, *, seed: int = 0) -> Iterator[Content]:
    """Yield claims, as mappings, of each kind in turn."""
    some = Drawing(seed)

    def about(mechanism: Content, asserts: Content) -> Content:
        return {"mechanism": mechanism, "asserts": asserts}

    def accurate() -> Content:
        mechanism = some.one(some.release(), some.discrete())
        assert isinstance(mechanism, dict)
        return about(mechanism, some.accuracy(mechanism["unit"], 500))

    def lossy() -> Content:
        mechanism = some.one(some.release(), some.discrete(), some.rank_one())
        assert isinstance(mechanism, dict)
        dimension = mechanism.get("dimension", some.whole(1, 1000))
        return about(mechanism, some.loss(mechanism["unit"], dimension))

    kinds: tuple[Callable[[], Content], ...] = (
        lambda: about(some.release(), some.privacy()),
        lambda: about(some.composition(), some.privacy()),
        lambda: about(some.discrete(), some.privacy()),
        lambda: about(some.rank_one(), some.privacy()),
        accurate,
        lossy,
        lambda: {"asserts": some.formula()},
        lambda: {"asserts": some.conversion()},
        lambda: {"asserts": some.inequality()},
        lambda: {"asserts": some.formula_range()},
    )
    for number in range(count):
        # Boxes over a range take a second: one of them in a hundred claims.
        kind = kinds[number % (len(kinds) - 1)] if number % 100 else kinds[-1]
        yield {"id": f"claim {number}", "source": "drawn", **kind()}
