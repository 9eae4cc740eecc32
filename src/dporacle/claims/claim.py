"""What a claim is: a mechanism, and what somebody asserts about it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

import msgspec

from dporacle.claims import assertions, mechanisms
from dporacle.claims.mechanisms import Strict

FORMAT: Final = "dporacle-claims/1"
"""The name and version of the format."""

Text = Annotated[str, msgspec.Meta(max_length=2000)]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


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
    # Looked up when a file is read; what is made of one mapping needs its own kinds alone.
    asserts: assertions.Assertions
    mechanism: mechanisms.Mechanisms | None = None
    source: Text = ""

    def __post_init__(self) -> None:
        self.asserts.check(self.mechanism)

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        about = None if self.mechanism is None else self.mechanism.stated()
        return msgspec.structs.replace(self, mechanism=about, asserts=self.asserts.stated())


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
