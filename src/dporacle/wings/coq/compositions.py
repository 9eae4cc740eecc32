"""Claims about several Gaussian releases (`Composition.v`).

Which distances a pair of neighbours has at once is a premise that the theorem states: an upper
bound of each for a claim that holds, those that are reached together for one that is violated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from dporacle.wings.coq.propositions import Proposition, private
from dporacle.wings.coq.reals import Real, number, sqrt

_NEEDS = ("Composition",)
_COMPUTE = "by (by_computation {bits}%positive {terms}%nat {others}%nat)."


Moved = Mapping[int, Real]
"""The places of the answers that are moved, and how far."""


@dataclass(frozen=True, slots=True)
class RoundRelease:
    """A release of each round.

    Attributes:
        reached: the sensitivity that is stated.
        most: what its answers move by at most, for the claim's relation.
        sigma: its noise.
    """

    reached: Real
    most: Real
    sigma: Real

    def square(self, distance: Real) -> Real:
        """Return (distance/σ)²."""
        text = f"(mu_squared {distance.text} {self.sigma.text})"
        return Real(text, lambda: (distance.value() / self.sigma.value()) ** 2)


def together(
    epsilon: Real, delta: Real, parts: Sequence[RoundRelease], *, times: int,
    reached: Sequence[int], cases: Sequence[Moved],
) -> tuple[Proposition, Proposition]:  # fmt: skip
    """Return that releases are (ε,δ)-DP together, for a claim that holds and for a violated one.

    Args:
        epsilon: the claimed ε.
        delta: the claimed δ.
        parts: the releases of a round.
        times: how many rounds there are.
        reached: the places of those that one pair of neighbours is at its full sensitivity in.
        cases: what a pair of neighbours moves at most: in one of these ways.
    """
    queries = [f"query{place}" for place in range(1, len(parts) + 1)]
    head = (
        "forall (data : Type) (neighbours : data -> data -> Prop) "
        f"({' '.join(queries)} : nat -> query data), "
    )
    each = "; ".join(
        f"({name} i, {part.sigma.text})" for name, part in zip(queries, parts, strict=True)
    )
    said = (
        f"releases_dp {epsilon.text} {delta.text} neighbours (rounds {times} (fun i => [{each}]))"
    )

    def distances(word: str, moved: Moved) -> str:
        bounds = (
            f"{word} ({name} i) d d' {moved.get(at, number(0)).text}"
            for at, name in enumerate(queries)
        )
        return "(forall i, " + " /\\ ".join(bounds) + ")"

    within = " \\/ ".join(distances("within", moved) for moved in cases)
    holds = f"{head}(forall d d', neighbours d d' -> {within}) -> {said}"
    at_once = {at: parts[at].reached for at in reached}
    pair = f"exists d d', neighbours d d' /\\ {distances('apart', at_once)}"
    fails = f"{head}({pair}) -> ~ {said}"
    upper = max((square(parts, moved) for moved in cases), key=lambda each: each.value())
    rounds = number(times)
    return (
        _proposition(epsilon, delta, rounds * upper, holds, "releases_hold"),
        _proposition(epsilon, delta, rounds * square(parts, at_once), fails, "releases_fail"),
    )


def square(parts: Sequence[RoundRelease], moved: Moved) -> Real:
    """Return the sum of (distance/σ)² over what is moved."""
    return reduce(add, (parts[at].square(distance) for at, distance in moved.items()))


def _proposition(epsilon: Real, delta: Real, square: Real, text: str, tactic: str) -> Proposition:
    """Return the proposition; its own text is the negation of what it refutes."""
    one = private(epsilon, delta, sqrt(square), number(1))
    return replace(
        one,
        text=text,
        negation=text,
        operations=8 * square.text.count("mu_squared"),
        tactic=f"{tactic} {square.text} {_COMPUTE}",
        needs=_NEEDS,
    )
