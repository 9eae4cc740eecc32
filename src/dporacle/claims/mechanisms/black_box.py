"""Releases of which only a parameter of privacy is known (T-BOX, C10 of proofs_notes/claims.md)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.losses import Extent, LossLaw, PrivacyLoss, ResponseLoss
from dporacle.claims.mechanisms.part import StatedPart
from dporacle.claims.mechanisms.record import Neighbours

_OPEN = (
    "of a black box nothing but its parameters is known: the worst mechanism that has them breaks "
    "the claim, this one may not; a claim about every such mechanism is a `conversion` with "
    "`given`"
)
_OPEN_RHO = (
    "every mechanism that is ρ-zCDP has this δ at most; that the bound is reached is not proved"
)


class PrivacyBox(StatedPart, frozen=True, kw_only=True, tag="black-box"):
    """A release that is known to be private, and by what parameters, and no more.

    Attributes:
        epsilon: ε₀, at least 0.
        delta: δ₀, from 0 to 1; 0 for pure ε₀-DP.
        rho: ρ of zCDP instead of both.
    """

    noun: ClassVar[str] = "a black box with stated parameters"
    example: ClassVar[Mapping[str, object]] = {"epsilon": 9, "delta": "1/2"}
    names: ClassVar[tuple[str, ...]] = ("box-both-ways", "box-one-release")

    epsilon: Fraction | UnsetType = UNSET
    delta: Fraction | UnsetType = UNSET
    rho: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.rho is not UNSET:
            if self.epsilon is not UNSET or self.delta is not UNSET:
                raise ValueError("rho must be given without epsilon and delta")
            arguments.positive("rho", self.rho)
            return
        if isinstance(self.epsilon, UnsetType) or isinstance(self.delta, UnsetType):
            missing = "epsilon" if self.epsilon is UNSET else "delta"
            raise ValueError(f"{missing} must be given; a black box has epsilon and delta, or rho")
        arguments.epsilon(self.epsilon)
        if not 0 <= self.delta <= 1:
            raise ValueError(f"delta must be from 0 to 1, got {arguments.show(self.delta)}")

    def worst(self) -> PrivacyLoss:
        """Return a loss that none with these parameters exceeds."""
        if isinstance(self.rho, Fraction):
            return PrivacyLoss(rho=self.rho)
        assert isinstance(self.epsilon, Fraction)
        assert isinstance(self.delta, Fraction)
        others: dict[LossLaw, int] = {ResponseLoss(self.epsilon, 2): 1} if self.epsilon else {}
        return PrivacyLoss(others=others, leaks={self.delta: 1} if self.delta else {})

    def one(self) -> Extent:
        """Return what is known of the loss of one release: nothing from below."""
        return Extent((self.worst(),), (PrivacyLoss(),))

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say that nothing is known from below."""
        return _OPEN


class EveryBox(PrivacyBox, frozen=True, kw_only=True, tag="every-black-box"):
    """Every release with these parameters; no file has it, a `conversion` makes it."""

    detail: ClassVar[str] = "of a black box, the worst mechanism that has its parameters"

    def states_relation(self) -> bool:
        """Tell that nothing is left open: it is about the neighbours of the rest, or about any."""
        return True

    def one(self) -> Extent:
        """Return the worst of all: it has the parameters itself; of ρ-zCDP, the Gaussian one."""
        least = self.worst()
        if isinstance(self.rho, Fraction):
            least = PrivacyLoss(2 * self.rho)
        return Extent((self.worst(),), (least,))

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say between what the worst of them is."""
        return _OPEN_RHO


def every(box: PrivacyBox) -> EveryBox:
    """Return every mechanism that has the parameters of a box."""
    return EveryBox(**{name: getattr(box, name) for name in box.__struct_fields__})
