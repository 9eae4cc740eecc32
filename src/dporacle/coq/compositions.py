"""Claims about several Gaussian releases (`Composition.v`).

Which distances a pair of neighbours has at once is a premise that the theorem states: an upper
bound of each for a claim that holds, those that are reached together for one that is violated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from dporacle.coq.propositions import Proposition, private
from dporacle.coq.reals import Real, number, sqrt

_NEEDS = ("Composition",)
_COMPUTE = "by (by_computation {bits}%positive {terms}%nat {others}%nat)."


@dataclass(frozen=True, slots=True)
class Part:
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
    epsilon: Real, delta: Real, parts: Sequence[Part], *, times: int, reached: Sequence[int],
    apart: bool,
) -> tuple[Proposition, Proposition]:  # fmt: skip
    """Return that releases are (ε,δ)-DP together, for a claim that holds and for a violated one.

    Args:
        epsilon: the claimed ε.
        delta: the claimed δ.
        parts: the releases of a round.
        times: how many rounds there are.
        reached: the places of those that one pair of neighbours is at its full sensitivity in.
        apart: whether each pair of neighbours moves one of the answers only.
    """
    places = range(len(parts))
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

    def distances(word: str, of: Sequence[Real]) -> str:
        bounds = (
            f"{word} ({name} i) d d' {each.text}" for name, each in zip(queries, of, strict=True)
        )
        return "(forall i, " + " /\\ ".join(bounds) + ")"

    zero = number(0)
    most = [part.most for part in parts]
    moved = [[most[at] if at == one else zero for at in places] for one in places]
    cases = moved if apart else [most]
    within = " \\/ ".join(distances("within", case) for case in cases)
    holds = f"{head}(forall d d', neighbours d d' -> {within}) -> {said}"
    steady = [parts[at].reached if at in reached else zero for at in places]
    pair = f"exists d d', neighbours d d' /\\ {distances('apart', steady)}"
    fails = f"{head}({pair}) -> ~ {said}"
    told = [part.square(part.most) for part in parts]
    upper = max(told, key=lambda each: each.value()) if apart else _sum(told)
    lower = _sum(parts[at].square(parts[at].reached) for at in reached)
    rounds = number(times)
    return (
        _proposition(epsilon, delta, rounds * upper, holds, "releases_hold"),
        _proposition(epsilon, delta, rounds * lower, fails, "releases_fail"),
    )


def _sum(squares: Iterable[Real]) -> Real:
    return reduce(add, squares)


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
