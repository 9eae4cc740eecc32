"""Conversions of Rényi and concentrated privacy: proved at one order, refuted by Gaussian noise."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dporacle.claims.assertions.conversion import AT_ORDER
from dporacle.wings.coq.propositions import NotCoveredError, Proposition, private
from dporacle.wings.coq.reals import exp, ln, number, sqrt

_NEEDS = ("Conversions",)


def of_order(said: Mapping[str, Any], proof: str, proof_at: Fraction | None) -> Proposition:
    """Return "every mechanism with this parameter is (ε,δ)-DP".

    Args:
        said: the assertion.
        proof: what proves it.
        proof_at: the order that does.

    Raises:
        NotCoveredError: if another proof, or an order below the given one, proves it.
    """
    given = said["given"]
    if proof != AT_ORDER or proof_at is None:
        raise NotCoveredError(f"a conversion that is proved by {proof}")
    epsilon, delta = number(Fraction(said["epsilon"])), number(Fraction(said["delta"]))
    order, one = number(proof_at), number(1)
    if given["kind"] == "zcdp":
        rho = number(Fraction(given["rho"]))
        divergence = order * rho
        text = f"zcdp_implies_dp {rho.text}"
    else:
        if proof_at != Fraction(given["order"]):
            raise NotCoveredError("a conversion that is proved at an order below the given one")
        divergence = number(Fraction(given["epsilon"]))
        text = f"renyi_implies_dp {order.text} {divergence.text}"
    step = order - one
    factor = exp(step * ln(step) - order * ln(order)) * exp(number(0) - step * epsilon)
    bound = factor * exp(step * divergence)
    return Proposition(
        f"{text} {epsilon.text} {delta.text}",
        (bound, delta),
        (),
        step * (epsilon + divergence),  # the exponents that cancel
        tactic=f"by_order {order.text} {{bits}}%positive.",
        needs=_NEEDS,
    )


def refuted(said: Mapping[str, Any]) -> Proposition:
    """Return the same, which the Gaussian noise of the given parameter refutes.

    Args:
        said: the assertion, about zCDP or Rényi divergences of one order.
    """
    given = said["given"]
    epsilon, delta, two = (
        number(Fraction(said["epsilon"])),
        number(Fraction(said["delta"])),
        number(2),
    )
    if given["kind"] == "zcdp":
        rho = number(Fraction(given["rho"]))
        square, text = two * rho, f"zcdp_implies_dp {rho.text}"
    else:
        order, divergence = number(Fraction(given["order"])), number(Fraction(given["epsilon"]))
        square = two * divergence / order
        text = f"renyi_implies_dp {order.text} {divergence.text}"
    noise = private(epsilon, delta, sqrt(square), number(1))
    return replace(
        noise,
        text=f"{text} {epsilon.text} {delta.text}",
        tactic=f"not_converted by ({noise.tactic[:-1]}).",
        needs=_NEEDS,
    )
