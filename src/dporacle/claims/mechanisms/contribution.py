"""What one record may contribute to an answer that is a sum, and the sensitivity that follows."""

from fractions import Fraction
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.mechanisms.record import Neighbours, Strict

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class Contribution(Strict, frozen=True, kw_only=True):
    """The answer is the sum of one vector per record, each within these bounds.

    Its sensitivities are proved in C1 of proofs_notes/claims.md.

    Attributes:
        clipping_norm: C, the largest ℓ2 norm of a vector; or
        l0: in how many coordinates a vector differs from 0 at most, with
        linf: the largest absolute value of a coordinate.
        values: "any", or "nonnegative" for vectors without a negative coordinate.
        coordinates: how many coordinates the answer has; needed for nonnegative ones.
    """

    clipping_norm: Fraction | UnsetType = UNSET
    l0: Count | UnsetType = UNSET
    linf: Fraction | UnsetType = UNSET
    values: Literal["any", "nonnegative"] = "any"
    coordinates: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        bounded = self.l0 is not UNSET, self.linf is not UNSET
        if (self.clipping_norm is not UNSET) == any(bounded) or any(bounded) != all(bounded):
            raise ValueError("clipping_norm must be given, or both l0 and linf instead")
        for name in ("clipping_norm", "linf"):
            if getattr(self, name) is not UNSET:
                arguments.positive(name, getattr(self, name))
        if (self.values == "nonnegative") and self.coordinates is UNSET:
            raise ValueError("coordinates must be given for nonnegative values")
        if UNSET not in (self.l0, self.coordinates) and self.l0 > self.coordinates:  # type: ignore[operator]
            raise ValueError(f"l0 must be at most coordinates, got {self.l0}")

    def largest_squared(self) -> Fraction:
        """Return the square of the largest norm of a vector: Δ² for add-remove and zero-out."""
        if isinstance(self.clipping_norm, Fraction):
            return self.clipping_norm**2
        assert isinstance(self.linf, Fraction)
        assert isinstance(self.l0, int)
        return self.l0 * self.linf**2

    def distance_squared(self, neighbours: Neighbours) -> Fraction:
        """Return Δ² for a relation; some pair of neighbours reaches it."""
        if neighbours != "replace-one":
            return self.largest_squared()
        if self.values == "any":  # v and −v
            return 4 * self.largest_squared()
        assert isinstance(self.coordinates, int)
        if isinstance(self.clipping_norm, Fraction):  # orthogonal vectors, where there are any
            return min(self.coordinates, 2) * self.clipping_norm**2
        assert isinstance(self.linf, Fraction)
        assert isinstance(self.l0, int)
        return min(self.coordinates, 2 * self.l0) * self.linf**2
