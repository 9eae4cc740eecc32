"""The quantities: a mechanism and a kind of answer each, and what is true of this one alone.

One row per quantity, under the name that it has in every witness, in the vectors and in the
protocol. To add one is to add a row, the witnesses' functions and cases for the vectors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.domains import BELOW_ONE, POSITIVE, SHARE, SHARE_BELOW_ONE, UNIT, Domain
from dporacle.vocabulary.draws import Binary, Near, One, Power, Uniform, Whole
from dporacle.vocabulary.kinds import (
    DELTA,
    DIVERGENCE,
    EPSILON,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
    RISK,
    THRESHOLD,
    TRADEOFF,
    Kind,
)
from dporacle.vocabulary.mechanisms import (
    CLASSICAL,
    DENOISED,
    DISCRETE,
    GAUSSIAN,
    GDP,
    LAPLACE,
    LAPLACE_WITH_GAUSSIAN,
    PUBLISHED_RANK_ONE,
    RANK_ONE,
    RENYI,
    REPEATED,
    REPEATED_LAPLACE,
    REPEATED_ZCDP,
    SIMULTANEOUS,
    SUBSAMPLED,
    THRESHOLDED,
    THRESHOLDED_LAPLACE,
    TWO_PHASES,
    ZCDP,
    Mechanism,
)

__all__ = ["QUANTITIES", "SERVED", "Quantity", "calibration_of", "partner", "quantity_of"]

_FLOAT64 = 2.0**-48  # sixteen units in the last place


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Something that the witnesses compute.

    Attributes:
        name: its name everywhere.
        mechanism: the row of the mechanism that it is about.
        kind: the row of the kind of answer that it is.
        arguments: what it depends on, in the order in which vectors spell them.
        exact: its exact value, for the pages.
        harm: what an unsafe answer is.
        statements: the statements that define it.
        arithmetic: what an answer takes: an integer, elementary functions, or more than these.
        served: libraries may be asked for it over the protocol.
        public: the float64 function stands at the top of the package.
        vectors: there are certified vectors of it.
        unordered: arguments with which the exact value both rises and falls.
        own: argument -> the fields of its row that differ here.
        function: the witnesses' function, where it has another name.
        fixed: what that function takes besides, such as a direction in a word.
        gathered: what it takes as one argument -> the names of ours that stand in it, in tuples.
        confined: where every witness answers in good time, if that is less than the domain.
        judged: the digits to which the exact value is enclosed, one after the other, until an
            answer is told from it.
        certified: significant digits of the enclosures in its vectors.
        float64: how far below and above its exact value the float64 function may be, relatively, at
            the vectors, as its module derives; 2^-48 on the safe side where nothing is said.
        costly: its exact value takes a tenth of a second: fewer fresh inputs are made.
        rounds: the most rounds of fresh inputs, where proofs of them take longer still.
    """

    name: str
    mechanism: Mechanism
    kind: Kind
    arguments: tuple[str, ...]
    exact: str
    harm: str
    statements: tuple[str, ...]
    arithmetic: Literal["special", "elementary", "integer"] = "special"
    served: bool = False
    public: bool = False
    vectors: bool = True
    unordered: frozenset[str] = frozenset()
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    costly: bool = False
    rounds: int | None = None
    float64: tuple[float, float] | None = None
    function: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    gathered: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    confined: str = ""
    judged: tuple[int, ...] = (40, 200, 1000)
    certified: int = 45

    def of(self, witness: Any) -> Callable[..., Any]:
        """Return a witness's function for it, which takes the arguments by name.

        Raises:
            AttributeError: if the witness has none.
        """
        found: Callable[..., Any] = getattr(witness, self.function or self.name)
        if self.gathered:
            found = partial(self._gathering, found)
        return partial(found, **self.fixed) if self.fixed else found

    def _gathering(self, function: Callable[..., Any], **given: Any) -> Any:
        """Call a function that takes several of the arguments as one."""
        for name in (name for parts in self.gathered.values() for each in parts for name in each):
            if not math.isfinite(given[name]):
                raise ValueError(f"{name} must be finite, got {given[name]}")
            self.rows[name].domain.require(name, given[name], str(given[name]))
        lists = {
            name: [tuple(given.pop(each) for each in part) for part in parts]
            for name, parts in self.gathered.items()
        }
        return function(**given, **lists)

    @cached_property
    def rows(self) -> dict[str, Argument]:
        """The arguments' rows, with what differs for the mechanism and for this quantity."""
        return {
            name: dataclasses.replace(
                ARGUMENTS[name], **{**self.mechanism.own.get(name, {}), **self.own.get(name, {})}
            )
            for name in self.arguments
        }

    @property
    def safe(self) -> Literal["up", "down"]:
        """The side of the exact value on which an error does no harm."""
        return self.kind.safe

    @property
    def float64_error(self) -> tuple[float, float]:
        """How far below and above the exact value the float64 function may be, relatively."""
        if self.float64 is not None:
            return self.float64
        return (0.0, _FLOAT64) if self.safe == "up" else (_FLOAT64, 0.0)

    @property
    def counts(self) -> tuple[str, ...]:
        """The arguments that are whole numbers."""
        return tuple(name for name, row in self.rows.items() if row.counts)

    @property
    def defaults(self) -> dict[str, float]:
        """What the arguments are that a function of a library may lack."""
        return {name: row.default for name, row in self.rows.items() if row.default is not None}

    @property
    def whole(self) -> bool:
        """Whether the answer is a whole number."""
        return self.arithmetic == "integer"

    def rises(self, name: str) -> bool:
        """Whether the exact value rises with an argument."""
        return self._role(name) in self.kind.rises and name not in self.unordered

    def falls(self, name: str) -> bool:
        """Whether the exact value falls with an argument."""
        return self._role(name) in self.kind.falls and name not in self.unordered

    def _role(self, name: str) -> str:
        row = self.rows[name]
        return "noise" if row.noise else row.role or name

    @property
    def ordered(self) -> tuple[str, ...]:
        """The arguments with which the exact value only rises or only falls."""
        return tuple(name for name in self.arguments if self.rises(name) or self.falls(name))

    @property
    def data_unit(self) -> tuple[str, ...]:
        """The arguments that are scaled with the unit of the data, if it has one."""
        if not self.mechanism.has_unit:
            return ()
        return tuple(name for name, row in self.rows.items() if row.data_unit)

    def limit(self, name: str, given: Mapping[str, float]) -> float | None:
        """Return the answer that is true as a limit where an argument is at an end, if any."""
        found = self.kind.limits.get((self._role(name), given[name]))
        return found(given) if callable(found) else found


_ONE_ALLOWED = {"delta": {"domain": UNIT, "asked": BELOW_ONE}}  # at δ = 1 the least ε is 0
_POSITIVE_EPSILON = {"epsilon": {"domain": POSITIVE}}
_THREE_DIMENSIONS = {"dimension": {"domain": Domain(least=3, most=1 << 53, whole=True)}}
_SCALED_EDGE = {"edges": (Binary(-300, 300),)}  # its square, and the lattice's sums, stay floats

_PROVED_IN_TIME: dict[str, Any] = {
    "served": True,
    "costly": True,
    "rounds": 1,
    # The module states 10^-9 of δ where people work.
    "float64": (0, 1e-9),
    "judged": (26, 50),
    "certified": 30,
    "confined": "σ in [0.3, 100], rates from 10^-6, up to 10^7 steps, δ from 10^-100",
}
_RANK_ONE: dict[str, Any] = {
    "mechanism": RANK_ONE,
    "served": True,
    "unordered": frozenset({"dimension"}),
    "costly": True,
    "rounds": 1,  # the proof of a smallest private σ* takes seconds
    "float64": (0, 1e-6),
    "judged": (20, 40),
    "certified": 30,
    "confined": "σ*/Δ² in [10^-6, 10^20], ε up to 10^4",
}
_NEIGHBOURS = {
    "both": "a record more or less",
    "add": "a record less in the first data set",
    "remove": "a record more in the first data set",
    "replace": "another record",
}


def _subsampled() -> Iterator[Quantity]:
    """Yield δ, ε and the noise multiplier of DP-SGD for each direction, and of two phases."""
    for direction, mechanism in SUBSAMPLED.items():
        suffix = "" if direction == "both" else f"_{direction}"
        common = {
            "mechanism": mechanism,
            "fixed": {"direction": direction},
            **_PROVED_IN_TIME,
        }
        who = _NEIGHBOURS[direction]
        yield Quantity(
            name=f"subsampled_delta{suffix}",
            kind=DELTA,
            arguments=("epsilon", "sigma", "rate", "steps"),
            exact=f"the least δ of T Poisson-subsampled Gaussian steps; {who}",
            harm="a smaller δ than the steps give together",
            statements=("X.SG.PROFILE",),
            function="subsampled_delta",
            **common,
        )
        yield Quantity(
            name=f"subsampled_epsilon{suffix}",
            kind=EPSILON,
            arguments=("delta", "sigma", "rate", "steps"),
            exact=f"the least ε ≥ 0 of T Poisson-subsampled Gaussian steps; {who}",
            harm="a smaller ε than the steps give together",
            statements=("X.SG.PROFILE",),
            function="subsampled_epsilon",
            # At δ = 10^-18 its bound is wider.
            **{**common, "float64": (0, 1e-6)},
        )
        if direction in ("add", "remove"):
            continue  # nobody calibrates for one of them, and each exact value takes seconds
        yield Quantity(
            name=f"subsampled_sigma{suffix}",
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "rate", "steps"),
            exact=f"the least noise multiplier of T Poisson-subsampled steps; {who}",
            harm="less noise than the promise of all steps together needs",
            statements=("X.SG.INVERSE",),
            function="subsampled_sigma",
            **common,
        )
    phases = ("sigma", "rate", "steps"), ("later_sigma", "later_rate", "later_steps")
    for kind, given, symbol in ((DELTA, "epsilon", "δ"), (EPSILON, "delta", "ε ≥ 0")):
        yield Quantity(
            name=f"subsampled_phases_{kind.name}",
            mechanism=TWO_PHASES,
            kind=kind,
            arguments=(given, *phases[0], *phases[1]),
            exact=f"the least {symbol} of two phases of such steps; {_NEIGHBOURS['both']}",
            harm=f"a smaller {symbol[0]} than the phases give together",
            statements=("X.SG.PROFILE",),
            function=f"subsampled_schedule_{kind.name}",
            fixed={"direction": "both"},
            gathered={"phases": phases},
            **_PROVED_IN_TIME,
        )


QUANTITIES = {
    row.name: row
    for row in (
        Quantity(
            name="calibrate_sigma",
            mechanism=GAUSSIAN,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the least σ that is (ε, δ)-private",
            harm="less noise than the promise of (ε, δ) needs",
            statements=("BW18.T8", "BW18.T9", "BW18.T2"),
            served=True,
            public=True,
        ),
        Quantity(
            name="delta_at_epsilon",
            mechanism=GAUSSIAN,
            kind=DELTA,
            arguments=("epsilon", "sigma", "sensitivity"),
            exact="the least δ for this ε",
            harm="a smaller δ than the noise gives",
            statements=("BW18.T8", "BW18.T2"),
            served=True,
            public=True,
        ),
        Quantity(
            name="epsilon_at_delta",
            mechanism=GAUSSIAN,
            kind=EPSILON,
            arguments=("delta", "sigma", "sensitivity"),
            exact="the least ε ≥ 0 for this δ",
            harm="a smaller ε than the noise gives",
            statements=("X.EPS",),
            served=True,
            public=True,
            own=_ONE_ALLOWED,
        ),
        Quantity(
            name="accuracy",
            mechanism=GAUSSIAN,
            kind=ERROR_BOUND,
            arguments=("alpha", "sigma"),
            exact="the a with Pr[|noise| > a] = α",
            harm="an error bound that is exceeded more often than α says",
            statements=("GMA.T1",),
            served=True,
            public=True,
        ),
        Quantity(
            name="alpha_at_accuracy",
            mechanism=GAUSSIAN,
            kind=PROBABILITY,
            arguments=("accuracy", "sigma"),
            exact="that probability, given a",
            harm="a smaller probability of a larger error than is true",
            statements=("GMA.T1",),
            served=True,
            public=True,
        ),
        Quantity(
            name="sigma_at_accuracy",
            mechanism=GAUSSIAN,
            kind=NOISE_ALLOWED,
            arguments=("accuracy", "alpha"),
            exact="that σ, given a and α",
            harm="more noise than the accuracy allows",
            statements=("GMA.T1",),
            served=True,
            public=True,
            own={"accuracy": {"domain": POSITIVE}, "alpha": {"domain": BELOW_ONE}},
        ),
        Quantity(
            name="classical_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the formula Δ√(2 ln(1.25/δ))/ε, private or not",
            harm="less noise than the theorem asks for",
            statements=("BW18.T1",),
            arithmetic="elementary",
            served=True,
            public=True,
            own={
                # The theorem holds up to ε = 1.
                "epsilon": {
                    "domain": POSITIVE,
                    "usual": (-3.0, 0.0),
                    "extreme": (-12.0, 0.0),
                    "edges": (Power(-300, -13),),
                    "asked": UNIT,
                }
            },
        ),
        Quantity(
            name="zcdp_rho",
            mechanism=ZCDP,
            kind=DIVERGENCE,
            arguments=("mu",),
            exact="ρ = μ²/2 of zCDP, μ = Δ/σ",
            harm="a smaller ρ than the noise gives",
            statements=("X.ZCDP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="zcdp_sigma",
            mechanism=ZCDP,
            kind=NOISE_NEEDED,
            arguments=("rho", "sensitivity"),
            exact="the least σ that is ρ-zCDP",
            harm="less noise than the promise of ρ needs",
            statements=("X.ZCDP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="zcdp_delta",
            mechanism=ZCDP,
            kind=DELTA,
            arguments=("epsilon", "mu"),
            exact="e^{−(ε−ρ)²/4ρ}, the standard conversion; 1 for ε ≤ ρ",
            harm="a smaller δ than the conversion proves",
            statements=("X.ZCDP",),
            served=True,
            float64=(0, 2.0**-38),
        ),
        Quantity(
            name="zcdp_epsilon",
            mechanism=ZCDP,
            kind=EPSILON,
            arguments=("rho", "delta"),
            exact="ρ + 2√(ρ ln(1/δ)), the standard conversion",
            harm="a smaller ε than the conversion proves",
            statements=("X.ZCDP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="repeated_rho",
            mechanism=REPEATED_ZCDP,
            kind=DIVERGENCE,
            arguments=("mu", "releases"),
            exact="ρ = kμ²/2 of zCDP of k releases together",
            harm="a smaller ρ than the releases give together",
            statements=("X.ZCOMP",),
            arithmetic="elementary",
            float64=(0, 2.0**-46),
            served=True,
        ),
        Quantity(
            name="repeated_zcdp_epsilon",
            mechanism=REPEATED_ZCDP,
            kind=EPSILON,
            arguments=("delta", "mu", "releases"),
            exact="ρ + 2√(ρ ln(1/δ)), the standard conversion of the total, ρ = kμ²/2",
            harm="a smaller ε than the conversion proves for the total",
            statements=("X.ZCOMP",),
            arithmetic="elementary",
            float64=(0, 2.0**-46),
            served=True,
        ),
        Quantity(
            name="rho_epsilon",
            mechanism=ZCDP,
            kind=EPSILON,
            arguments=("rho", "delta"),
            exact="ρ/2 + √(2ρ ln(1/δ)), the lecture's conversion; its ρ is μ²",
            harm="a smaller ε than the conversion proves",
            statements=("GN.T1",),
            arithmetic="elementary",
            own={"rho": {"everyday": 1.0, "meaning": "the lecture's ρ = μ²"}},
        ),
        Quantity(
            name="rho_sigma",
            mechanism=ZCDP,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the σ that the lecture's conversion asks for",
            harm="less noise than the conversion asks for",
            statements=("GN.T1",),
            arithmetic="elementary",
            own=_POSITIVE_EPSILON,
        ),
        Quantity(
            name="rdp",
            mechanism=RENYI,
            kind=DIVERGENCE,
            arguments=("order", "mu"),
            exact="the Rényi divergence αμ²/2",
            harm="a smaller divergence than the noise gives",
            statements=("X.RDP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="rdp_delta",
            mechanism=RENYI,
            kind=DELTA,
            arguments=("epsilon", "mu"),
            exact="the δ of the best Rényi conversion over all orders",
            harm="a smaller δ than the conversion proves",
            statements=("X.RDP",),
            served=True,
            float64=(0, 2.0**-38),
        ),
        Quantity(
            name="gdp_tradeoff",
            mechanism=GDP,
            kind=TRADEOFF,
            arguments=("alpha", "mu"),
            exact="Φ(Φ⁻¹(1−α) − μ), the least error of type II",
            harm="a larger error of the attacker than the noise forces",
            statements=("X.GDP",),
            served=True,
            own={"alpha": {"domain": BELOW_ONE}},
            float64=(2.0**-38, 0),
        ),
        Quantity(
            name="gdp_delta",
            mechanism=GDP,
            kind=DELTA,
            arguments=("epsilon", "mu"),
            exact="the least δ of μ-GDP",
            harm="a smaller δ than the noise gives",
            statements=("X.GDP",),
            served=True,
            # two units in the last place, as delta_at_epsilon.
            float64=(0, 2.0**-51),
        ),
        Quantity(
            name="gdp_epsilon",
            mechanism=GDP,
            kind=EPSILON,
            arguments=("delta", "mu"),
            exact="the least ε ≥ 0 of μ-GDP",
            harm="a smaller ε than the noise gives",
            statements=("X.GDP",),
            served=True,
            own=_ONE_ALLOWED,
            # its conditioning, as for epsilon_at_delta.
            float64=(0, 5 * 2.0**-52),
        ),
        Quantity(
            name="repeated_mu",
            mechanism=REPEATED,
            kind=DIVERGENCE,
            arguments=("mu", "releases"),
            exact="μ√k of k releases together",
            harm="a smaller μ than the releases give together",
            statements=("X.COMP",),
            arithmetic="elementary",
            float64=(0, 2.0**-46),
        ),
        Quantity(
            name="repeated_sigma",
            mechanism=REPEATED,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "releases", "sensitivity"),
            exact="the least σ of each of k releases",
            harm="less noise than the promise of all releases together needs",
            statements=("X.COMP",),
            served=True,
            float64=(0, 8 * 2.0**-52),
        ),
        Quantity(
            name="repeated_delta",
            mechanism=REPEATED,
            kind=DELTA,
            arguments=("epsilon", "sigma", "releases", "sensitivity"),
            exact="the least δ of k releases together",
            harm="a smaller δ than the releases give together",
            statements=("X.COMP",),
            served=True,
            # 4·2^-52 in μ, magnified by w² + 3.
            float64=(0, 2.0**-52 * (4 * (60**2 + 3) + 2)),
        ),
        Quantity(
            name="repeated_epsilon",
            mechanism=REPEATED,
            kind=EPSILON,
            arguments=("delta", "sigma", "releases", "sensitivity"),
            exact="the least ε ≥ 0 of k releases together",
            harm="a smaller ε than the releases give together",
            statements=("X.COMP",),
            served=True,
            own=_ONE_ALLOWED,
            # dε/d ln μ = μ/m(w) < μ(w + 1), a few times ε here.
            float64=(0, 2.0**-47),
        ),
        Quantity(
            name="max_error_quantile",
            mechanism=SIMULTANEOUS,
            kind=ERROR_BOUND,
            arguments=("queries", "beta", "sigma"),
            exact="the error that the largest of k errors exceeds with probability β",
            harm="an error bound that is exceeded more often than β says",
            statements=("GN.A1",),
            float64=(0, 64 * 2.0**-52),
        ),
        Quantity(
            name="max_error_probability",
            mechanism=SIMULTANEOUS,
            kind=PROBABILITY,
            arguments=("queries", "error", "sigma"),
            exact="the probability that one of k errors is larger",
            harm="a smaller probability of a larger error than is true",
            statements=("GN.A1",),
            float64=(0, 2.0**-40),
        ),
        Quantity(
            name="max_error_bound",
            mechanism=SIMULTANEOUS,
            kind=ERROR_BOUND,
            arguments=("queries", "beta", "sigma"),
            exact="σ√(2 ln(2k/β)), the lecture's bound",
            harm="an error bound that the tail bound does not prove",
            statements=("GN.A1",),
            arithmetic="elementary",
        ),
        Quantity(
            name="discrete_delta_at_epsilon",
            mechanism=DISCRETE,
            kind=DELTA,
            arguments=("epsilon", "sigma", "sensitivity"),
            exact="the least δ of the discrete Gaussian",
            harm="a smaller δ than the noise gives",
            statements=("X.DG",),
            served=True,
            unordered=frozenset({"sigma"}),
            own={
                "epsilon": {"usual": (-2.0, 1.0)},
                "sigma": _SCALED_EDGE,
                "sensitivity": {
                    "usual": (0.0, 1.0),
                    "extreme": (0.0, 4.0),
                    "edges": (One(1.0), Whole(10**5, 10**6)),
                },
            },
            float64=(0, 2.0**-36),
        ),
        Quantity(
            name="discrete_calibrate_sigma",
            mechanism=DISCRETE,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the σ from which on it is private",
            harm="a σ above which, or at which, the noise may not be private",
            statements=("X.DG",),
            served=True,
            costly=True,
            own={
                "epsilon": {
                    "usual": (-1.0, 1.0),
                    "extreme": (-3.0, 2.0),
                    "edges": (One(0.0), Uniform(690, 760)),
                },
                "delta": {
                    "usual": (-9.0, -1.0),
                    "extreme": (-60.0, -1.0),
                    "edges": (Power(-100, -60), Near(-1, 1, 7)),
                },
                "sensitivity": {
                    "usual": (0.0, 1.0),
                    "extreme": (0.0, 2.0),
                    "edges": (One(1.0), Whole(10**3, 10**4)),
                },
            },
            float64=(0, 2.0**-34),
        ),
        Quantity(
            name="discrete_tail",
            mechanism=DISCRETE,
            kind=PROBABILITY,
            arguments=("error", "sigma"),
            exact="Pr[|noise| > a] of the discrete Gaussian",
            harm="a smaller probability of a larger error than is true",
            statements=("X.DG",),
            served=True,
            own={
                "error": {"usual": (0.0, 1.5), "extreme": (0.0, 6.0), "edges": (One(0.0),)},
                "sigma": _SCALED_EDGE,
            },
            float64=(0, 2.0**-37),
        ),
        Quantity(
            name="discrete_accuracy",
            mechanism=DISCRETE,
            kind=ERROR_BOUND,
            arguments=("alpha", "sigma"),
            exact="the least integer a with Pr[|noise| > a] ≤ α",
            harm="an error bound that is exceeded more often than α says",
            statements=("X.DG",),
            arithmetic="integer",
            served=True,
            own={"sigma": _SCALED_EDGE},
            float64=(0, 0),
        ),
        Quantity(
            name="discrete_sigma_at_accuracy",
            mechanism=DISCRETE,
            kind=NOISE_ALLOWED,
            arguments=("error", "alpha"),
            exact="the largest σ with Pr[|noise| > a] ≤ α of the discrete Gaussian",
            harm="more noise than the accuracy allows",
            statements=("X.DGACC",),
            float64=(2.0**-36, 0),
            served=True,
            own={
                "error": {"usual": (0.0, 2.0), "extreme": (0.0, 6.0), "edges": (One(0.0),)},
                "alpha": {"domain": BELOW_ONE},
            },
        ),
        Quantity(
            name="discrete_variance",
            mechanism=DISCRETE,
            kind=RISK,
            arguments=("sigma",),
            exact="the variance of the discrete Gaussian",
            harm="a smaller error than the noise has",
            statements=("X.DG",),
            float64=(2.0**-40, 2.0**-40),
        ),
        Quantity(
            name="pinsker_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("delta", "sensitivity"),
            exact="Δ/(2δ), for ε = 0",
            harm="less noise than the formula says",
            statements=("BW18.T2",),
            arithmetic="elementary",
            float64=(0, 2.0**-52),
        ),
        Quantity(
            name="dwork_2006_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="Δ√(2 ln(2/δ))/ε",
            harm="less noise than the formula says",
            statements=("X.CF",),
            arithmetic="elementary",
            own=_POSITIVE_EPSILON,
        ),
        Quantity(
            name="dwork_roth_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="Δ√(2 ln(√(2/π)e^{4/9}/δ))/ε",
            harm="less noise than the formula says",
            statements=("GMA.R1",),
            arithmetic="elementary",
            own=_POSITIVE_EPSILON,
        ),
        Quantity(
            name="vinterbo_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="Vinterbo's closed formula",
            harm="less noise than the formula says",
            statements=("X.CF",),
            arithmetic="elementary",
            own=_POSITIVE_EPSILON,
        ),
        Quantity(
            name="plrv_tail_sigma",
            mechanism=CLASSICAL,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the least σ at which the privacy loss exceeds ε with probability δ at most",
            harm="less noise than the formula says",
            statements=("X.CF", "BW18.O1", "JL24.D1"),
            own=_POSITIVE_EPSILON,
        ),
        Quantity(
            name="bayes_risk",
            mechanism=DENOISED,
            kind=RISK,
            arguments=("dimension", "prior_sigma", "sigma"),
            exact="the risk of the posterior mean under a Gaussian prior",
            harm="a smaller risk than the estimator has",
            statements=("BW18.T10",),
            arithmetic="elementary",
            float64=(2.0**-48, 2.0**-48),
        ),
        Quantity(
            name="james_stein_prior_risk",
            mechanism=DENOISED,
            kind=RISK,
            arguments=("dimension", "prior_sigma", "sigma"),
            exact="the risk of James and Stein's estimator under a Gaussian prior",
            harm="a smaller risk than the estimator has",
            statements=("BW18.T11",),
            arithmetic="elementary",
            own=_THREE_DIMENSIONS,
            float64=(2.0**-48, 2.0**-48),
        ),
        Quantity(
            name="james_stein_risk",
            mechanism=DENOISED,
            kind=RISK,
            arguments=("dimension", "norm", "sigma"),
            exact="the risk of James and Stein's estimator at a signal of this length",
            harm="a smaller risk than the estimator has",
            statements=("BW18.T11",),
            own=_THREE_DIMENSIONS,
            # 2^-48 of dσ², and the risk is at least 2σ²/2.
            float64=(2.0**-48 * 10**4, 2.0**-48 * 10**4),
        ),
        Quantity(
            name="positive_part_risk",
            mechanism=DENOISED,
            kind=RISK,
            arguments=("dimension", "norm", "sigma"),
            exact="the risk of its positive part at a signal of this length",
            harm="a smaller risk than the estimator has",
            statements=("BW18.T11",),
            own=_THREE_DIMENSIONS,
            float64=(2.0**-33 * 100, 2.0**-33 * 100),
        ),
        Quantity(
            name="soft_threshold_coordinate_risk",
            mechanism=DENOISED,
            kind=RISK,
            arguments=("mean", "threshold", "sigma"),
            exact="the risk of the soft threshold, of one coordinate",
            harm="a smaller risk than the estimator has",
            statements=("BW18.T12",),
            float64=(2.0**-44, 2.0**-44),
        ),
        Quantity(
            name="universal_threshold",
            mechanism=DENOISED,
            kind=ERROR_BOUND,
            arguments=("dimension", "sigma"),
            exact="σ√(2 ln d)",
            harm="a threshold that more noise passes than is meant",
            statements=("BW18.T12",),
            arithmetic="elementary",
            float64=(2.0**-48, 2.0**-48),
        ),
        Quantity(
            name="laplace_calibrate_scale",
            mechanism=LAPLACE,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "sensitivity"),
            exact="the least b that is (ε, δ)-private, Δ/(ε − 2 ln(1−δ))",
            harm="less noise than the promise of (ε, δ) needs",
            statements=("X.LAP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="laplace_delta_at_epsilon",
            mechanism=LAPLACE,
            kind=DELTA,
            arguments=("epsilon", "scale", "sensitivity"),
            exact="the least δ of Laplace noise, max(0, 1 − e^{(ε−Δ/b)/2})",
            harm="a smaller δ than the noise gives",
            statements=("X.LAP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="laplace_epsilon_at_delta",
            mechanism=LAPLACE,
            kind=EPSILON,
            arguments=("delta", "scale", "sensitivity"),
            exact="the least ε ≥ 0 of Laplace noise, max(0, Δ/b + 2 ln(1−δ))",
            harm="a smaller ε than the noise gives",
            statements=("X.LAP",),
            served=True,
            own={"delta": {"domain": SHARE, "asked": SHARE_BELOW_ONE}},
            # a difference: 2^-50 of Δ/b, eight times ε where the two agree to 53 bits.
            float64=(0, 8.0),
        ),
        Quantity(
            name="laplace_accuracy",
            mechanism=LAPLACE,
            kind=ERROR_BOUND,
            arguments=("alpha", "scale"),
            exact="the a with Pr[|noise| > a] = α, b ln(1/α)",
            harm="an error bound that is exceeded more often than α says",
            statements=("X.LAP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="laplace_alpha_at_accuracy",
            mechanism=LAPLACE,
            kind=PROBABILITY,
            arguments=("accuracy", "scale"),
            exact="that probability, given a: e^{−a/b}",
            harm="a smaller probability of a larger error than is true",
            statements=("X.LAP",),
            arithmetic="elementary",
            served=True,
        ),
        Quantity(
            name="laplace_scale_at_accuracy",
            mechanism=LAPLACE,
            kind=NOISE_ALLOWED,
            arguments=("accuracy", "alpha"),
            exact="that b, given a and α",
            harm="more noise than the accuracy allows",
            statements=("X.LAP",),
            arithmetic="elementary",
            served=True,
            own={"accuracy": {"domain": POSITIVE}, "alpha": {"domain": BELOW_ONE}},
        ),
        Quantity(
            name="laplace_max_error_quantile",
            mechanism=LAPLACE,
            kind=ERROR_BOUND,
            arguments=("queries", "beta", "scale"),
            exact="the error that the largest of k errors exceeds with probability β",
            harm="an error bound that is exceeded more often than β says",
            statements=("X.LAP",),
            own={"beta": {"domain": BELOW_ONE}},
            float64=(0, 64 * 2.0**-52),
        ),
        Quantity(
            name="laplace_max_error_probability",
            mechanism=LAPLACE,
            kind=PROBABILITY,
            arguments=("queries", "error", "scale"),
            exact="the probability that one of k errors is larger",
            harm="a smaller probability of a larger error than is true",
            statements=("X.LAP",),
            float64=(0, 32 * 2.0**-52),
        ),
        Quantity(
            name="laplace_rdp",
            mechanism=LAPLACE,
            kind=DIVERGENCE,
            arguments=("order", "scale", "sensitivity"),
            exact="the Rényi divergence of Laplace noise",
            harm="a smaller divergence than the noise gives",
            statements=("X.LAPRDP",),
            served=True,
        ),
        Quantity(
            name="laplace_zcdp_rho",
            mechanism=LAPLACE,
            kind=DIVERGENCE,
            arguments=("scale", "sensitivity"),
            exact="the least ρ of zCDP of Laplace noise, m − 1 + e^{−m}, m = Δ/b",
            harm="a smaller ρ than the noise gives",
            statements=("X.LAPRDP",),
            served=True,
        ),
        Quantity(
            name="laplace_repeated_delta",
            mechanism=REPEATED_LAPLACE,
            kind=DELTA,
            arguments=("epsilon", "scale", "releases", "sensitivity"),
            exact="the least δ of k Laplace releases together",
            harm="a smaller δ than the releases give together",
            statements=("X.LAPCOMP",),
            served=True,
            float64=(0, 2.0**-39),
        ),
        Quantity(
            name="laplace_gaussian_delta",
            mechanism=LAPLACE_WITH_GAUSSIAN,
            kind=DELTA,
            arguments=("epsilon", "scale", "mu", "sensitivity"),
            exact="the least δ of a Laplace release and Gaussian ones of this μ together",
            harm="a smaller δ than the releases give together",
            statements=("X.LAPGAUSS",),
            served=True,
            # inputs 2^-48 worse, magnified by ε·w/μ < 1000.
            float64=(0, 2.0**-38),
        ),
        Quantity(
            name="count_threshold",
            mechanism=THRESHOLDED,
            kind=THRESHOLD,
            arguments=("delta", "sigma", "contributions"),
            exact="the least τ that one of k noisy counts of 1 reaches with probability δ at most, "
            "1 + σΦ⁻¹((1−δ)^{1/k})",
            harm="a threshold that single records pass more often than δ says",
            statements=("X.TAU",),
            # 2^-45 of 1 + σ(1+|z|): of a threshold at these inputs ten times as much.
            float64=(0, 2.0**-41),
            served=True,
            unordered=frozenset({"sigma"}),
        ),
        Quantity(
            name="count_threshold_delta",
            mechanism=THRESHOLDED,
            kind=DELTA,
            arguments=("threshold", "sigma", "contributions"),
            exact="that probability, 1 − Φ((τ−1)/σ)^k",
            harm="a smaller probability that a single record is shown than is true",
            statements=("X.TAU",),
            float64=(0, 2.0**-39),
            served=True,
            unordered=frozenset({"sigma"}),
        ),
        Quantity(
            name="laplace_count_threshold",
            mechanism=THRESHOLDED_LAPLACE,
            kind=THRESHOLD,
            arguments=("epsilon", "delta", "contributions"),
            exact="the least τ at which counts with Laplace noise of scale k/ε are (ε, δ)-private",
            harm="a threshold that single records pass more often than δ says",
            statements=("X.LAPTAU",),
            arithmetic="elementary",
            float64=(0, 2.0**-41),
            served=True,
            unordered=frozenset({"epsilon"}),
        ),
        Quantity(
            name="laplace_count_threshold_delta",
            mechanism=THRESHOLDED_LAPLACE,
            kind=DELTA,
            arguments=("threshold", "epsilon", "contributions"),
            exact="the probability that one of k noisy counts of 1 reaches τ, the scale being k/ε",
            harm="a smaller probability that a single record is shown than is true",
            statements=("X.LAPTAU",),
            arithmetic="elementary",
            float64=(0, 2.0**-39),
            served=True,
            unordered=frozenset({"epsilon"}),
        ),
        Quantity(
            name="rank_one_sigma_star",
            mechanism=PUBLISHED_RANK_ONE,
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "dimension", "sensitivity"),
            exact="the formula 2Δ²/(εψ) for rank-one noise, which is not private for M ≥ 4",
            harm="less noise than the formula says",
            statements=("JL24.T1", "JL24.R1"),
            served=True,
            unordered=frozenset({"dimension"}),
            float64=(0, 1e-13),
        ),
        Quantity(
            name="rank_one_delta_at_epsilon",
            kind=DELTA,
            arguments=("epsilon", "sigma_star", "dimension", "sensitivity"),
            exact="the least δ of rank-one noise",
            harm="a smaller δ than the noise gives",
            statements=("X.R1.PROFILE", "JL24.R1"),
            **_RANK_ONE,
        ),
        Quantity(
            name="rank_one_private_sigma_star",
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "dimension", "sensitivity"),
            exact="the least σ* at which rank-one noise is (ε, δ)-private",
            harm="less noise than the promise of (ε, δ) needs",
            statements=("X.R1.PRIVATE",),
            **_RANK_ONE,
        ),
        *_subsampled(),
    )
}
"""Every quantity by its name, in the order of the vectors and of the protocol's page."""

SERVED = {name: row for name, row in QUANTITIES.items() if row.served}
"""Those that libraries may be asked for."""


def quantity_of(mechanism: Mechanism, kind: Kind) -> Quantity | None:
    """Return the first served quantity of a mechanism and a kind of answer, if there is one."""
    rows = (row for row in SERVED.values() if row.mechanism is mechanism and row.kind is kind)
    return next(rows, None)


def partner(quantity: Quantity, kind: Kind) -> Quantity | None:
    """Return the served quantity of another kind of the same mechanism, if there is one.

    The noise needed has for partners the δ and the ε that it gives.
    """
    return quantity_of(quantity.mechanism, kind)


def calibration_of(quantity: Quantity) -> Quantity | None:
    """Return the served quantity whose answer is the noise that this one takes, if there is one.

    What a δ or an ε takes besides is given to the calibration too, so that its noise can be put in.
    """
    noise = quantity.mechanism.parameter
    needed = quantity_of(quantity.mechanism, NOISE_NEEDED)
    if needed is None or quantity.kind not in (DELTA, EPSILON) or noise not in quantity.arguments:
        return None
    return needed if {*quantity.arguments} <= {noise, *needed.arguments} else None
