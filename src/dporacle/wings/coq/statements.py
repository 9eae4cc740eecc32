"""The theorem of Coq that says what a claim says.

A claim is read in the form that its certificate has: plain data, every number exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from dporacle.claims.decision import EXACT
from dporacle.wings.coq import conversions, discrete, domains, dp_sgd, rank_one, responses
from dporacle.wings.coq.compositions import RoundRelease, square, together
from dporacle.wings.coq.formulas import FORMULAS, linear_sigma
from dporacle.wings.coq.propositions import (
    Instance,
    NotCoveredError,
    Proposition,
    accurate,
    at_most,
    loss_within,
    private,
)
from dporacle.wings.coq.reals import Real, exp, ln, normal, number, profile, sqrt

_ONE, _TWO = number(1), number(2)
_MOST_PARTS = 20  # of which a theorem is still short
_MOST_WAYS = 30

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the verdict says about its proof.

    Attributes:
        holds: whether the verdict is HOLDS; else it is VIOLATED.
        proof: the name of what proves it.
        proof_at: the number that the proof is made with, where it has one.
    """

    holds: bool
    proof: str = EXACT
    proof_at: Fraction | None = None


def proposition_of(claim: Data, evidence: Evidence) -> Proposition | Instance:
    """Return the proposition that a claim makes.

    Args:
        claim: the claim, as in its certificate.
        evidence: what the verdict says about its proof.

    Raises:
        NotCoveredError: if there is none.
    """
    said, about = claim["asserts"], claim.get("mechanism")
    if said["kind"] not in _KINDS:
        raise NotCoveredError(f"claims of the kind {said['kind']}")
    if about is not None and about["kind"] != "dp-sgd" and not responses.is_about(about):
        _check_noise([about])
    return _KINDS[said["kind"]](said, about, evidence)


def _check_noise(stated: list[Data]) -> None:
    """Refuse noise that is stated in other words than those that are read here."""
    for about in stated:
        if about["kind"] not in _NOISE:
            raise NotCoveredError(f"mechanisms of the kind {about['kind']}")
        if about.keys() & {"contribution", "noise_multiplier"}:
            raise NotCoveredError("bounds of contributions and noise multipliers")
        if "statistic" in about:
            raise NotCoveredError("statistics, whose sensitivity would have to be proved too")
        if about["kind"] != "composition" and "times" in about:
            raise NotCoveredError("releases that are made several times")
        releases = about.get("releases", [])
        kinds = {release["kind"] for release in releases}
        if "composition" in kinds:
            raise NotCoveredError("compositions of compositions")
        _check_noise(releases)
        if kinds & _MECHANISMS.keys():
            raise NotCoveredError("compositions of noise that is not Gaussian")


def _privacy(said: Data, about: Data | None, evidence: Evidence) -> Proposition:
    assert about is not None
    if about["kind"] == "dp-sgd":
        return dp_sgd.of_claim(said, about, holds=evidence.holds)
    if responses.is_about(about):
        return responses.of_claim(said, about, holds=evidence.holds, every=False)
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    doubled = _relation(about) != said["neighbours"]
    if about["kind"] == "rank-one":
        return rank_one.of_mechanism(said, about, evidence.proof, evidence.proof_at)
    if about["kind"] == "composition":
        return _composition(said, about, doubled, evidence)
    if about["kind"] == "discrete-gaussian":
        if evidence.holds:
            raise NotCoveredError("discrete Gaussian noise that is private")
        return discrete.refuted(said, about, about["sensitivity"] * (2 if doubled else 1))
    sensitivity, sigma = _sensitivity(about), _sigma(about)
    if doubled:
        sensitivity = _TWO * sensitivity
    return private(epsilon, delta, sensitivity, sigma)


def _composition(said: Data, about: Data, doubled: bool, evidence: Evidence) -> Proposition:
    stated, mode = about["releases"], about.get("records", "unknown")
    apart = mode == "disjoint" and len(stated) > 1
    moves = apart and said["neighbours"] == "replace-one"  # from one part into another
    if len(stated) > _MOST_PARTS:
        raise NotCoveredError(f"compositions of more than {_MOST_PARTS} releases")
    parts = [
        RoundRelease(
            _sensitivity(one),
            _TWO * _sensitivity(one) if doubled else _sensitivity(one),
            _sigma(one),
        )
        for one in stated
    ]
    squares = [_exact_square(one) for one in stated]
    order = sorted(range(len(parts)), key=lambda at: -squares[at])
    cases = [{at: part.most for at, part in enumerate(parts)}]
    if apart:
        ways: list[tuple[int, ...]] = [(at,) for at in range(len(parts))]
        ways += combinations(range(len(parts)), 2) if moves else []
        if len(ways) > _MOST_WAYS:
            raise NotCoveredError(f"neighbours that may differ in more than {_MOST_WAYS} ways")
        cases = [
            {at: parts[at].reached if len(way) > 1 else parts[at].most for at in way}
            for way in ways
        ]
        told = [
            sum(squares[at] for at in way) * (4 if doubled and len(way) == 1 else 1) for way in ways
        ]
        worst = {
            square(parts, case).text
            for case, each in zip(cases, told, strict=True)
            if each == max(told)
        }
        if len(worst) > 1 and any("sqrt" in text for text in worst):
            raise NotCoveredError("parts that are as private, by noise that is stated otherwise")
    if mode == "same" or len(stated) == 1:
        reached = sorted(order)
    else:
        reached = sorted(order[: 2 if moves and doubled else 1])
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    times = about.get("times", 1)
    both = together(epsilon, delta, parts, times=times, reached=reached, cases=cases)
    return both[0 if evidence.holds else 1]


def _relation(about: Data) -> str:
    releases = about.get("releases")
    return str((releases[0] if releases else about)["neighbours"])


def _sensitivity(about: Data) -> Real:
    if about.get("sensitivity") is not None:
        return number(Fraction(about["sensitivity"]))
    return sqrt(number(Fraction(about["sensitivity_squared"])))


def _sigma(about: Data) -> Real:
    """Return σ of one Gaussian release (X.GDP, X.RDP, X.ZCDP)."""
    if about["kind"] == "gaussian":
        return number(Fraction(about["sigma"]))
    if about["kind"] == "zcdp":
        return _sensitivity(about) / sqrt(_TWO * number(Fraction(about["rho"])))
    if about["kind"] == "gdp":
        return _sensitivity(about) / number(Fraction(about["mu"]))
    if about["kind"] == "rdp":
        order, epsilon = number(Fraction(about["order"])), number(Fraction(about["epsilon"]))
        return _sensitivity(about) * sqrt(order / (_TWO * epsilon))
    raise NotCoveredError(_MECHANISMS[about["kind"]])


def _exact_square(about: Data) -> Fraction:
    """Return (Δ/σ)² of one Gaussian release (X.GDP, X.RDP, X.ZCDP)."""
    if about["kind"] == "gaussian":
        square = about.get("sensitivity_squared") or Fraction(about["sensitivity"]) ** 2
        return Fraction(square) / Fraction(about["sigma"]) ** 2
    if about["kind"] == "gdp":
        return Fraction(about["mu"]) ** 2
    if about["kind"] == "zcdp":
        return 2 * Fraction(about["rho"])
    return 2 * Fraction(about["epsilon"]) / Fraction(about["order"])


def _accuracy(said: Data, about: Data | None, evidence: Evidence) -> Proposition:
    assert about is not None
    if about["kind"] == "discrete-gaussian":
        return discrete.accuracy(said, about, holds=evidence.holds)
    error, alpha = number(Fraction(said["at_most"])), number(Fraction(said["alpha"]))
    return accurate(error, alpha, _sigma(about), said.get("queries", 1))


def _loss(said: Data, about: Data | None, evidence: Evidence) -> Proposition:
    assert about is not None
    return loss_within(number(Fraction(said["at_most"])), _sigma(about), said["dimension"])


def _formula(said: Data, about: Data | None, evidence: Evidence) -> Proposition | Instance:
    epsilon, delta = Fraction(said["epsilon"]), Fraction(said["delta"])
    name = said["name"]
    if name == "r1smg":
        return rank_one.of_formula(said, evidence.proof, evidence.proof_at)
    if name == "plrv-tail":
        return domains.tail_at(epsilon, delta)
    if name == "linear":
        sigma = linear_sigma(epsilon, delta, number(Fraction(said["constant"])))
    else:
        sigma = FORMULAS[name](epsilon, delta)
    return private(number(epsilon), number(delta), _ONE, sigma)


def _range(said: Data, about: Data | None, evidence: Evidence) -> Instance:
    if not evidence.holds:
        raise NotCoveredError("a refuted range: claim the formula at the point that refutes it")
    return domains.range_of(said)


def _conversion(said: Data, about: Data | None, evidence: Evidence) -> Proposition:
    given = said["given"]
    if given["kind"] in {"black-box", "composition"}:
        return responses.of_claim(said, given, holds=evidence.holds, every=True)
    if given["kind"] == "rdp-curve":
        raise NotCoveredError("curves of Rényi divergences")
    if given["kind"] != "gdp":
        if evidence.holds:
            return conversions.of_order(said, evidence.proof, evidence.proof_at)
        return conversions.refuted(said)
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    return private(epsilon, delta, number(Fraction(given["mu"])), _ONE)


def _inequality(said: Data, about: Data | None, evidence: Evidence) -> Proposition | Instance:
    at = {name: Fraction(value) for name, value in said["at"].items()}
    if said["statement"] == ("JL24.L2.reversed" if evidence.holds else "JL24.L2"):
        return domains.variance_at(at["epsilon"], at["delta"])
    if said["statement"] not in _INEQUALITIES:
        raise NotCoveredError(f"the inequality {said['statement']}")
    return _INEQUALITIES[said["statement"]](at)


At = Mapping[str, Fraction]


def _third(at: At) -> Proposition:
    """σ_A ≤ √(2/3)·σ_C: that the latter is private."""
    sigma = sqrt(number(Fraction(2, 3))) * FORMULAS["classical"](at["epsilon"], at["delta"])
    return private(number(at["epsilon"]), number(at["delta"]), _ONE, sigma)


def _tail_and_profile(at: At) -> tuple[Real, Real, Real, Real]:
    epsilon, mu = number(at["epsilon"]), _ONE / number(at["sigma"])
    return epsilon, mu, normal(mu / _TWO - epsilon / mu), profile(epsilon, mu)


def _tail_enough(at: At) -> Proposition:
    epsilon, mu, tail, exact = _tail_and_profile(at)
    return at_most(exact, tail, epsilon=epsilon, mu=mu)


def _tail_as_definition(at: At) -> Proposition:
    epsilon, mu, tail, exact = _tail_and_profile(at)
    return at_most(tail, exact, epsilon=epsilon, mu=mu)


def _zcdp(at: At) -> Proposition:
    epsilon, mu, _, exact = _tail_and_profile(at)
    rho = number(1 / (2 * at["sigma"] ** 2))
    gap = epsilon - rho
    return at_most(exact, exp(number(0) - gap * gap / (number(4) * rho)), epsilon=epsilon, mu=mu)


def _noise_tail(at: At) -> Proposition:
    argument = (number(0) - number(at["error"])) / number(at["sigma"])
    square = number(at["error"] ** 2) / number(2 * at["sigma"] ** 2)
    return at_most(normal(argument), exp(number(0) - square), argument=argument)


def _rho(at: At) -> Proposition:
    rho, delta = number(at["rho"]), number(at["delta"])
    epsilon = rho / _TWO + sqrt(_TWO * rho * ln(_ONE / delta))
    return private(epsilon, delta, _ONE, _ONE / sqrt(rho))


def _union_bound(at: At) -> Proposition:
    """The exact quantile is at most √(2 ln(2k/β)): that this error is exceeded with chance ≤ β."""
    queries, beta = at["queries"], at["beta"]
    error = sqrt(_TWO * ln(number(2 * queries / beta)))
    return accurate(error, number(beta), _ONE, queries.numerator)


_INEQUALITIES: Final[dict[str, Callable[[At], Proposition]]] = {
    "BW18.C1": _third,
    "BW18.O1": _tail_enough,
    "GN.A1": _union_bound,
    "GN.L1": _noise_tail,
    "GN.T1": _rho,
    "JL24.D1": _tail_as_definition,
    "X.ZCDP": _zcdp,
}

_KINDS: Final[dict[str, Callable[[Data, Data | None, Evidence], Proposition | Instance]]] = {
    "privacy": _privacy,
    "accuracy": _accuracy,
    "loss": _loss,
    "formula": _formula,
    "formula-range": _range,
    "conversion": _conversion,
    "inequality": _inequality,
}

_MECHANISMS: Final = {
    "discrete-gaussian": "the expected loss of discrete Gaussian noise",
    "dp-sgd": "sums over random batches",
    "rank-one": "the expected loss of rank-one noise",
}

_NOISE: Final = {"gaussian", "zcdp", "gdp", "rdp", "composition", *_MECHANISMS}
