"""Claims that are instances of the theorems over whole domains (`Domains.v`)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from dporacle.wings.coq.propositions import Instance, NotCoveredError
from dporacle.wings.coq.reals import number

_FILE = ("NormalDistribution", "Domains", "Vinterbo")
_TAIL = "((z + (sqrt ((z * z) + (2 * {0})))) / (2 * {0}))"
_LINEAR = {
    "classical": "(5 / 4)",
    "dwork-2006": "2",
    "dwork-roth": "(sqrt ((2 * (exp (8 / 9))) / PI))",
}
_EXISTS: Final = "split; [apply quantile_exists; lra |]."
_LEAST_CONSTANT: Final = Fraction(6, 5)


def tail_at(epsilon: Fraction, delta: Fraction) -> Instance:
    """Return "the σ of plrv-tail, z being the upper δ-quantile, is (ε,δ)-DP"."""
    e, d = number(epsilon).text, number(delta).text
    return Instance(
        f"{_quantile(d)} gaussian_dp {e} {d} 1 {_TAIL.format(e)}",
        f"{_EXISTS} intros z Hz. apply (plrv_tail_at {e} {d} z); [lra | exact Hz].",
        _FILE,
    )


def variance_at(epsilon: Fraction, delta: Fraction) -> Instance:
    """Return "a σ with σ² < (z² + ε)/ε² is (ε,δ)-DP, z being the upper δ-quantile"."""
    e, d = number(epsilon).text, number(delta).text
    return Instance(
        f"{_quantile(d)} exists sigma, 0 < sigma /\\ gaussian_dp {e} {d} 1 sigma"
        f" /\\ sigma * sigma < ((z * z) + {e}) / ({e} * {e})",
        f"{_EXISTS} intros z Hz. apply (analytic_variance_at {e} {d} z); [lra | exact Hz].",
        _FILE,
    )


def range_of(said: Mapping[str, Any]) -> Instance:
    """Return "this formula is private at every point of two ranges".

    Raises:
        NotCoveredError: if no theorem covers the ranges.
    """
    name, top = said["name"], Fraction(said["epsilon"]["to"])
    points = f"{_span('eps', said['epsilon'])} -> {_span('delta', said['delta'])}"
    if name == "zcdp-conversion":
        root = "(sqrt (2 * (ln (1 / delta))))"
        sigma = f"(({root} + (sqrt ((2 * (ln (1 / delta))) + (2 * eps)))) / (2 * eps))"
        script = "intros. apply rho_calibration; lra."
    elif name == "plrv-tail":
        text = f"forall eps delta, {points} -> {_quantile('delta')}"
        script = f"intros. {_EXISTS} intros. apply plrv_tail_at; [lra | assumption]."
        return Instance(f"{text} gaussian_dp eps delta 1 {_TAIL.format('eps')}", script, _FILE)
    elif name in _LINEAR or name == "linear":
        if top > 1 or (name == "linear" and Fraction(said["constant"]) < _LEAST_CONSTANT):
            raise NotCoveredError("a linear formula for ε above 1, or with a constant below 6/5")
        constant = _LINEAR[name] if name in _LINEAR else number(Fraction(said["constant"])).text
        sigma = f"((sqrt (2 * (ln ({constant} / delta)))) / eps)"
        bound = "apply dwork_roth_constant" if name == "dwork-roth" else "lra"
        script = f"intros. apply linear_range; [{bound} | lra | lra]."
    else:
        if Fraction(said["delta"]["to"]) > Fraction(1, 2):
            raise NotCoveredError(f"the formula {name} over a range beyond δ = 1/2")
        z = "(ln (1 / ((4 * delta) * (1 - delta))))"
        sigma = f"(((sqrt ({z} + eps)) + (sqrt {z})) / (eps * (sqrt 2)))"
        script = (
            "intros eps delta A B. exact (vinterbo_calibration eps delta ltac:(lra) ltac:(lra))."
        )
    return Instance(f"forall eps delta, {points} -> gaussian_dp eps delta 1 {sigma}", script, _FILE)


def _quantile(delta: str) -> str:
    """Return that there is an upper δ-quantile, and "for it" as far as its arrow."""
    return f"(exists z, Phi (- z) = {delta}) /\\ forall z, Phi (- z) = {delta} ->"


def _span(name: str, span: Mapping[str, Any]) -> str:
    """Return "low ≤ name ≤ high"; 0 and δ = 1 stand for open ends."""
    low, high = Fraction(span["from"]), Fraction(span["to"])
    below = "<" if low == 0 else "<="
    above = "<" if name == "delta" and high == 1 else "<="
    return f"{number(low).text} {below} {name} {above} {number(high).text}"
