"""Which inputs the vectors cover, and why.

Every case is a combination of float64 numbers with one or more flags; a flag is the reason for
which the case exists, and its note says it in a sentence. To add a case is to add it here and to
run `make vectors`; an id is never given to another input.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["NOTES", "Case", "Group", "groups"]

TINY = 5e-324
ALMOST_ONE = 1 - 2.0**-53

CORE_EPSILON = (1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
CORE_DELTA = (1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.1)
HARD_EPSILON = (0.0, 1e-300, 1e-12, 700.0, 709.7, 709.79, 710.0, 800.0, 1e4)
HARD_DELTA = (TINY, 1e-300, 1e-100, 1e-16, 0.5, 0.9, ALMOST_ONE)
HARD_SENSITIVITY = (1e-300, 1e-10, 1.0, 1e6, 1e300)
CORE_SIGMA = (0.1, 0.5, 1.0, 2.0, 3.730631634815942, 10.0, 100.0)
DEEPEST = 60.0
"""Standard deviations; the probability of a tail beyond this, under 1e-780, is not written out."""
HARD_SIGMA = (TINY, 1e-300, 1e-10, 0.03, 1e6, 1e10, 1e300)

NOTES = {
    "core": "Parameters that releases use.",
    "zero-epsilon": "ε = 0 is a valid request ((0,δ)-DP, total variation); a search over "
    "σ = c/ε or over a bracket that doubles from ε loops or divides by zero "
    "(opendp/opendp#429).",
    "small-epsilon": "ε far below δ: 1 − e^ε and differences of Φ cancel to nothing in float64.",
    "exp-overflow": "e^ε overflows float64 above ε = 709.78; the product e^ε·Φ(…) is then inf or "
    "NaN and a search that believes it returns no noise (google/differential-privacy#430).",
    "near-exp-overflow": "The last ε before e^ε overflows float64.",
    "large-epsilon": "ε in the hundreds and above, where solutions have been loose and then failed "
    "(yuxiangw/autodp#39).",
    "tiny-delta": "δ at or below 1e-16: an absolute tolerance on δ, or 1 − δ, says nothing here.",
    "absolute-tolerance": "A search that stops when δ is met within 1e-12 returns a σ whose true δ "
    "is 1.4 times the one asked for.",
    "subnormal": "The smallest positive float64.",
    "large-delta": "δ at or above 1/2, where the sign in Algorithm 1 changes and careless formulas "
    "give negative ε (pytorch/opacus#585, opendp/opendp#621).",
    "almost-one": "The largest float64 below 1; its distance to 1 is exact.",
    "algorithm-1-sign": "The sign of α in Algorithm 1: the wrong one gives σ = 0.134 at (1, 1e-5) "
    "(opendifferentialprivacy/smartnoise-core#316).",
    "beyond-classical": "ε > 1, outside the classical theorem: its formula is loose here and "
    "violates for larger ε (opendp/smartnoise-sdk#462).",
    "clipped-epsilon": "ε > 1 must be honoured, not clipped to 1 (opendp/opendp#428).",
    "scaled": "The answer scales with the sensitivity; squares and products of it may over- or "
    "underflow before.",
    "overflow": "The exact answer is above the largest float64: an error that says so is right, "
    "inf or a number is not.",
    "underflow": "The exact answer is positive and below the smallest positive float64, which is "
    "the right answer when rounding up; 0 would claim pure ε-privacy.",
    "zero-answer": "The exact answer is 0, not negative (pytorch/opacus#585).",
    "wide-bracket": "The root lies far outside brackets such as [0, 500] (pytorch/opacus#775).",
    "alpha-matters": "The same σ at several α: an accuracy that ignores α is caught "
    "(opendp/smartnoise-sdk#399).",
    "nonsense": "Not in the domain: an answer here hides a bug in the caller.",
    "zero-delta": "No finite Gaussian noise gives δ = 0.",
    "zero-sensitivity": "A sensitivity of 0 must not turn into no noise for others in a batch "
    "(tmodel-ccs2018/privcount#400).",
}
"""Flag -> why cases with this flag exist."""


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs and the flags that explain them; `wrong` names the argument to be refused."""

    inputs: dict[str, float]
    flags: tuple[str, ...]
    wrong: str | None = None

    @property
    def id(self) -> str:
        """The case's stable id: its inputs, spelt."""
        return ";".join(f"{name}={_spell(value)}" for name, value in self.inputs.items())


def _spell(value: float) -> str:
    return repr(value).removesuffix(".0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The cases of one function; `ceiling` is a number that its answers do not exceed."""

    function: str
    statements: tuple[str, ...]
    rounding: str
    cases: tuple[Case, ...]
    ceiling: int | None = None


def groups() -> tuple[Group, ...]:
    """Return all groups of cases, in the order of the files."""
    return (
        Group(
            function="calibrate_sigma",
            statements=("BW18.T8", "BW18.T9", "BW18.T2"),
            rounding="up",
            cases=_merge(_calibrations(), _refusals(epsilon=1.0, delta=1e-5, sensitivity=1.0)),
        ),
        Group(
            function="delta_at_epsilon",
            statements=("BW18.T8", "BW18.T2"),
            rounding="up",
            cases=_merge(_profiles(), _refusals(epsilon=1.0, sigma=1.0, sensitivity=1.0)),
            ceiling=1,
        ),
        Group(
            function="epsilon_at_delta",
            statements=("X.EPS",),
            rounding="up",
            cases=_merge(_inversions(), _refusals(delta=1e-5, sigma=1.0, sensitivity=1.0)),
        ),
        Group(
            function="accuracy",
            statements=("GMA.T1",),
            rounding="up",
            cases=_merge(_accuracies(), _refusals(alpha=0.05, sigma=1.0)),
        ),
        Group(
            function="alpha_at_accuracy",
            statements=("GMA.T1",),
            rounding="up",
            cases=_merge(_significances(), _refusals(accuracy=1.0, sigma=1.0)),
            ceiling=1,
        ),
        Group(
            function="sigma_at_accuracy",
            statements=("GMA.T1",),
            rounding="down",
            cases=_merge(_scales(), _refusals(accuracy=1.0, alpha=0.05)),
        ),
        Group(
            function="classical_sigma",
            statements=("BW18.T1",),
            rounding="up",
            cases=_merge(_classical(), _refusals(epsilon=1.0, delta=1e-5, sensitivity=1.0)),
        ),
    )


def _merge(*sources: Iterator[Case]) -> tuple[Case, ...]:
    """Return the cases once each, with the flags of all their mentions."""
    merged: dict[str, Case] = {}
    for case in itertools.chain(*sources):
        known = merged.get(case.id)
        flags = tuple(dict.fromkeys((*(known.flags if known else ()), *case.flags)))
        merged[case.id] = Case(case.inputs, flags, case.wrong)
    return tuple(merged.values())


def _epsilon_flags(epsilon: float) -> Iterator[str]:
    if epsilon == 0:
        yield "zero-epsilon"
    elif epsilon < 1e-6:
        yield "small-epsilon"
    elif 700 <= epsilon < 709.78:
        yield "near-exp-overflow"
    elif epsilon > 709.78:
        yield "exp-overflow"
    if epsilon >= 50:
        yield "large-epsilon"


def _delta_flags(delta: float) -> Iterator[str]:
    if delta == TINY:
        yield "subnormal"
    if delta <= 1e-16:
        yield "tiny-delta"
    if delta == ALMOST_ONE:
        yield "almost-one"
    if delta >= 0.5:
        yield "large-delta"


def _calibrations() -> Iterator[Case]:
    for epsilon, delta in itertools.product(CORE_EPSILON, CORE_DELTA):
        flags = ["core"]
        if epsilon > 1:
            flags += ["beyond-classical", "clipped-epsilon"]
        if epsilon <= 1e-2 and delta <= 1e-9:
            flags.append("absolute-tolerance")
        yield _sigma_case(epsilon, delta, 1.0, *flags)
    yield _sigma_case(1.0, 1e-5, 1.0, "algorithm-1-sign")
    for epsilon, delta, sensitivity in itertools.product(
        HARD_EPSILON, HARD_DELTA, HARD_SENSITIVITY
    ):
        yield _sigma_case(epsilon, delta, sensitivity)
    for epsilon, delta in itertools.product(CORE_EPSILON, HARD_DELTA):
        yield _sigma_case(epsilon, delta, 1.0)
    for epsilon, delta in itertools.product(HARD_EPSILON, CORE_DELTA):
        yield _sigma_case(epsilon, delta, 1.0)
    for sensitivity in (*HARD_SENSITIVITY, 3.0, 0.1):
        yield _sigma_case(1.0, 1e-5, sensitivity)


def _sigma_case(epsilon: float, delta: float, sensitivity: float, *flags: str) -> Case:
    reasons = (*flags, *_epsilon_flags(epsilon), *_delta_flags(delta))
    if sensitivity != 1:
        reasons += ("scaled",)
    return Case(
        {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}, reasons or ("core",)
    )


def _sigma_flags(sigma: float) -> Iterator[str]:
    if sigma == TINY:
        yield "subnormal"
    if sigma in HARD_SIGMA:
        yield "wide-bracket"


def _profiles() -> Iterator[Case]:
    for epsilon, sigma in itertools.product(
        (*CORE_EPSILON, *HARD_EPSILON), (*CORE_SIGMA, *HARD_SIGMA)
    ):
        if epsilon * sigma - 0.5 / sigma > DEEPEST:
            continue
        flags = (*_epsilon_flags(epsilon), *_sigma_flags(sigma))
        yield Case({"epsilon": epsilon, "sigma": sigma, "sensitivity": 1.0}, flags or ("core",))
    for sensitivity, sigma in ((1e300, 1e300), (1e-300, 1e-300), (3.0, 11.0), (1e6, 1e5)):
        inputs = {"epsilon": 1.0, "sigma": sigma, "sensitivity": sensitivity}
        yield Case(inputs, ("scaled",))
    # The answers of exact calibrations, from below and above: where δ ≤ claimed turns.
    for sigma in (3.730631634815941, 3.7306316348159415, 3.730631634815942):
        yield Case({"epsilon": 1.0, "sigma": sigma, "sensitivity": 1.0}, ("core",))


def _inversions() -> Iterator[Case]:
    for delta, sigma in itertools.product((*CORE_DELTA, *HARD_DELTA), (*CORE_SIGMA, *HARD_SIGMA)):
        flags = (*_delta_flags(delta), *_sigma_flags(sigma))
        yield Case({"delta": delta, "sigma": sigma, "sensitivity": 1.0}, flags or ("core",))
    for sensitivity, sigma in ((1e300, 1e300), (1e-300, 1e-300), (3.0, 11.0), (1e6, 1e5)):
        inputs = {"delta": 1e-5, "sigma": sigma, "sensitivity": sensitivity}
        yield Case(inputs, ("scaled",))


_ALPHA = (TINY, 1e-300, 1e-100, 1e-16, 1e-5, 0.01, 0.05, 0.1, 0.5, 0.9, ALMOST_ONE)


def _alpha_flags(alpha: float) -> tuple[str, ...]:
    return ("alpha-matters", *(flag for flag in _delta_flags(alpha) if flag != "large-delta"))


def _accuracies() -> Iterator[Case]:
    for alpha, sigma in itertools.product(
        (*_ALPHA, 1.0), (1e-300, 1e-10, 1.0, 3.730631634815942, 1e6, 1e300)
    ):
        flags = ("zero-answer",) if alpha == 1 else _alpha_flags(alpha)
        yield Case({"alpha": alpha, "sigma": sigma}, flags)
    yield Case({"alpha": 1e-300, "sigma": 1.7e308}, ("alpha-matters",))


def _significances() -> Iterator[Case]:
    for accuracy, sigma in itertools.product(
        (0.0, 1e-300, 1e-10, 0.1, 1.0, 1.959963984540054, 10.0, 37.0, 40.0),
        (1e-10, 1.0, 3.730631634815942, 1e10),
    ):
        if accuracy / sigma > DEEPEST:
            continue
        flags = ("core",) if accuracy and 0.1 <= sigma <= 10 else ("wide-bracket",)
        yield Case({"accuracy": accuracy, "sigma": sigma}, flags)


def _scales() -> Iterator[Case]:
    for accuracy, alpha in itertools.product((1e-300, 1e-10, 1.0, 7.4, 1e6, 1e300), _ALPHA):
        yield Case({"accuracy": accuracy, "alpha": alpha}, _alpha_flags(alpha))


def _classical() -> Iterator[Case]:
    for epsilon, delta in itertools.product((1e-3, 1e-2, 0.1, 0.5, 1.0), CORE_DELTA):
        yield Case({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, ("core",))
    for epsilon, delta in itertools.product((1e-12, 1.0), HARD_DELTA):
        flags = (*_epsilon_flags(epsilon), *_delta_flags(delta))
        yield Case({"epsilon": epsilon, "delta": delta, "sensitivity": 1.0}, flags)
    for sensitivity in HARD_SENSITIVITY:
        yield Case({"epsilon": 1.0, "delta": 1e-5, "sensitivity": sensitivity}, ("scaled",))


def _refusals(**valid: float) -> Iterator[Case]:
    """Yield the valid inputs with one of them made wrong."""
    wrong: dict[str, tuple[float, ...]] = {
        "epsilon": (math.nan, math.inf, -1.0, -TINY),
        "delta": (math.nan, math.inf, -1e-5, 0.0, 1.5),
        "sensitivity": (math.nan, math.inf, -1.0, 0.0),
        "sigma": (math.nan, math.inf, -1.0, 0.0),
        "alpha": (math.nan, math.inf, -0.05, 0.0, 1.5),
        "accuracy": (math.nan, math.inf, -1.0),
    }
    for name in valid:
        for value in wrong[name]:
            flags = ["nonsense"]
            if value == 0 and name in {"delta", "sensitivity"}:
                flags = [f"zero-{name}"]
            yield Case({**valid, name: value}, tuple(flags), wrong=name)
