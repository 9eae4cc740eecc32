"""What a claim is: a mechanism, and what somebody asserts about it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from dporacle.claims.assertions import (
    Accuracy,
    Assertion,
    Conversion,
    Formula,
    FormulaRange,
    Inequality,
    Loss,
    Privacy,
)
from dporacle.claims.mechanisms import Composition, Mechanism, RankOne, Strict

__all__ = ["FORMAT", "Claim", "ClaimFile"]

FORMAT: Final = "dporacle-claims/1"
"""The name and version of the format."""

Text = Annotated[str, msgspec.Meta(max_length=2000)]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

_NEEDLESS = {
    Formula: "the formula determines it",
    FormulaRange: "the formula determines it",
    Conversion: "the claim is about every mechanism",
    Inequality: "the inequality stands for itself",
}


class Claim(Strict, frozen=True, kw_only=True):
    """One claim.

    Attributes:
        id: what the claim is called.
        asserts: what is said.
        mechanism: what it is said about; absent for a formula, which brings its own σ, for a
            conversion and for an inequality.
        source: where it is said.
    """

    id: Id
    asserts: Assertion
    mechanism: Mechanism | None = None
    source: Text = ""

    def __post_init__(self) -> None:
        said, about = self.asserts, self.mechanism
        if type(said) in _NEEDLESS:
            if about is not None:
                raise ValueError(f"mechanism must be absent: {_NEEDLESS[type(said)]}")
            return
        if about is None:
            raise ValueError("mechanism is missing")
        if isinstance(said, Privacy):
            if about.neighbours == "replace-one" and said.neighbours == "add-remove":
                raise ValueError(
                    "mechanism must state its sensitivity for add-remove, as the asserted privacy "
                    "does: the one for replace-one says nothing about it"
                )
            return
        assert isinstance(said, Accuracy | Loss)
        if isinstance(about, Composition):
            raise ValueError("mechanism must be a single release for accuracy and loss")
        if said.unit != about.unit:
            raise ValueError(f"asserts has unit {said.unit!r}, mechanism has {about.unit!r}")
        if isinstance(about, RankOne):
            if isinstance(said, Accuracy):
                raise ValueError("asserts must be privacy or loss for a rank-one mechanism")
            if said.dimension != about.dimension:
                raise ValueError(
                    f"asserts has dimension {said.dimension}, mechanism has {about.dimension}"
                )


class ClaimFile(Strict, frozen=True, kw_only=True):
    """A file of claims."""

    format: Literal["dporacle-claims/1"]
    claims: Annotated[tuple[Claim, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"claims has the id {claim.id!r} twice")
            seen.add(claim.id)
