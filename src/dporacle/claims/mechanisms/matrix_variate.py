"""Matrix-variate Gaussian noise N(0, Σ⊗Ψ), MVG: what it really is private for (JL24.L3)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec

from dporacle import arguments
from dporacle.claims.mechanisms.gaussian import Release

Variances = Annotated[list[Fraction], msgspec.Meta(min_length=1, max_length=100_000)]


class MatrixVariate(Release, frozen=True, kw_only=True, tag="matrix-variate"):
    """A release of a matrix with noise of covariance Σ⊗Ψ (C7 of proofs_notes/claims.md).

    Some neighbours' answers differ by Δ in the direction in which the noise is least, or nearly so.

    Attributes:
        row_variances: the eigenvalues of Σ.
        column_variances: those of Ψ.
    """

    noun: ClassVar[str] = "matrix-variate Gaussian noise"
    example: ClassVar[Mapping[str, object]] = {
        "row_variances": [1, 2],
        "column_variances": [1],
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": "asserts must be privacy or loss for matrix-variate noise: it differs by entry"
    }

    detail: ClassVar[str] = "of a matrix, in the direction of the least noise"

    row_variances: Variances
    column_variances: Variances

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("row_variances", "column_variances"):
            for index, each in enumerate(getattr(self, name)):
                arguments.positive(f"{name}[{index}]", each)

    def coordinates(self) -> int:
        """Return how many entries the matrix has."""
        return len(self.row_variances) * len(self.column_variances)

    def variance(self) -> Fraction:
        """Return the least eigenvalue of Σ⊗Ψ, which alone decides."""
        return min(self.row_variances) * min(self.column_variances)

    def _would_do(self, sigma: Fraction, *, holds: bool) -> str:
        """Speak of σ as of the standard deviation in the direction of least noise."""
        return f"in the direction of least noise {super()._would_do(sigma, holds=holds)}"

    def rational_loss(self, *, dimension: int) -> Fraction:
        """Return Tr Σ·Tr Ψ."""
        return sum(self.row_variances, Fraction(0)) * sum(self.column_variances, Fraction(0))

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say nothing: the loss is a sum over directions."""
        return ""

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program knows the privacy alone."""
        return "" if quantity == "delta" else "the checker has no losses of matrices"
