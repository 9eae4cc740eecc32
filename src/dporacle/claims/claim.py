"""What a claim is: a mechanism, and what somebody asserts about it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

import msgspec
from msgspec import UNSET, UnsetType

from dporacle.claims import assertions, mechanisms
from dporacle.claims.mechanisms import Mechanism, Strict

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
            conversion, for an inequality, and where an audit is all that is known of it.
        evidence: what an audit of it counted, where a bound is said to be supported by that.
        source: where it is said.
    """

    id: Id
    # Looked up when a file is read; what is made of one mapping needs its own kinds alone.
    asserts: assertions.Assertions
    mechanism: mechanisms.Mechanisms | None = None
    evidence: mechanisms.Evidences | UnsetType = UNSET
    source: Text = ""

    def __post_init__(self) -> None:
        if self.evidence is not UNSET:
            if not self.asserts.supported_by_evidence:
                raise ValueError(
                    "evidence must be absent: it may support a `lower-bound` or `upper-bound`"
                )
            if self.mechanism is not None:
                raise ValueError("mechanism must be absent: the claim is about what was counted")
        self.asserts.check(self.about)

    @property
    def about(self) -> Mechanism | None:
        """What it is said about: a mechanism, by its noise or by what an audit counted."""
        return self.mechanism if isinstance(self.evidence, UnsetType) else self.evidence

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
