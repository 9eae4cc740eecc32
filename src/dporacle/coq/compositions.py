"""Claims about several Gaussian releases (`Composition.v`).

Which distances a pair of neighbours has at once is a premise that the theorem states: an upper
bound of each for a claim that holds, those that are reached together for one that is violated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from dporacle.coq.propositions import Proposition, private
from dporacle.coq.reals import Real, number, sqrt

_NEEDS = ("Composition",)
_COMPUTE = "by (by_computation {bits}%positive {terms}%nat {others}%nat)."


@dataclass(frozen=True, slots=True)
class Part:
    """A release.

    Attributes:
        reached: the sensitivity that is stated.
        most: what its answers move by at most, for the claim's relation.
        sigma: its noise.
        times: how often it is made.
    """

    reached: Real
    most: Real
    sigma: Real
    times: int

    def square(self, distance: Real) -> Real:
        """Return (distance/σ)² times the number of releases."""
        text = f"(mu_squared {distance.text} {self.sigma.text} {self.times})"
        return Real(text, lambda: self.times * (distance.value() / self.sigma.value()) ** 2)


def together(
    epsilon: Real, delta: Real, parts: Sequence[Part], *, reached: Sequence[int], apart: bool
) -> tuple[Proposition, Proposition]:
    """Return that releases are (ε,δ)-DP together, for a claim that holds and for a violated one.

    Args:
        epsilon: the claimed ε.
        delta: the claimed δ.
        parts: the releases.
        reached: the places of those that one pair of neighbours is at its full sensitivity in.
        apart: whether each pair of neighbours moves one of the answers only.
    """
    names = [f"far{place}" for place in range(1, len(parts) + 1)]
    total = " + ".join(
        part.square(Real(f"({name} d d')", part.most.value)).text
        for name, part in zip(names, parts, strict=True)
    )
    head = (
        f"forall (data : Type) (neighbours : data -> data -> Prop) "
        f"({' '.join(names)} : data -> data -> R), "
    )
    said = f"releases_dp {epsilon.text} {delta.text} neighbours (fun d d' => {total})"
    bounds = [
        f"0 <= {name} d d' <= {part.most.text}" for name, part in zip(names, parts, strict=True)
    ]
    if apart:
        bounds = [_only(place, names, bounds) for place in range(len(parts))]
    within = (" \\/ " if apart else " /\\ ").join(bounds)
    holds = f"{head}(forall d d', neighbours d d' -> {within}) -> {said}"
    pairs = " /\\ ".join(f"{names[at]} d d' = {parts[at].reached.text}" for at in reached)
    fails = f"{head}(exists d d', neighbours d d' /\\ {pairs}) -> ~ {said}"
    most = _most(parts) if apart else reduce(add, [part.square(part.most) for part in parts])
    least = reduce(add, [parts[at].square(parts[at].reached) for at in reached])
    return (
        _proposition(epsilon, delta, most, holds, f"releases_hold {most.text} {_COMPUTE}"),
        _proposition(epsilon, delta, least, fails, f"releases_fail {least.text} {_COMPUTE}"),
    )


def _only(place: int, names: Sequence[str], bounds: Sequence[str]) -> str:
    zeros = [f"{name} d d' = 0" for at, name in enumerate(names) if at != place]
    return "(" + " /\\ ".join([bounds[place], *zeros]) + ")"


def _most(parts: Sequence[Part]) -> Real:
    """Return the largest square of one release."""
    return max((part.square(part.most) for part in parts), key=lambda each: each.value())


def _proposition(epsilon: Real, delta: Real, square: Real, text: str, tactic: str) -> Proposition:
    """Return the proposition; its own text is the negation of what it refutes."""
    one = private(epsilon, delta, sqrt(square), number(1))
    return replace(
        one,
        text=text,
        negation=text,
        operations=8 * text.count("mu_squared"),
        tactic=tactic,
        needs=_NEEDS,
    )
