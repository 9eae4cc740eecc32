"""Randomised response and RAPPOR: exact in every composition (C10 of proofs_notes/claims.md)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec

from dporacle import arguments
from dporacle.claims.losses import Extent, PrivacyLoss, ResponseLoss
from dporacle.claims.mechanisms.part import StatedPart
from dporacle.claims.mechanisms.record import Neighbours


class _Response(StatedPart, frozen=True, kw_only=True):
    """A report of one participant's value, which is replaced by another.

    Attributes:
        epsilon: ε of one report, for a value that is replaced by any other.
    """

    names: ClassVar[tuple[str, ...]] = ("values-are-replaced",)
    detail: ClassVar[str] = "of a report, another value"
    only_relation: ClassVar[bool] = True

    epsilon: Fraction

    def __post_init__(self) -> None:
        arguments.epsilon(self.epsilon)
        if self.neighbours in ("add-remove", "zero-out"):
            raise ValueError(
                f"neighbours must be replace-one, got {self.neighbours}: a report has a value"
            )

    def relation(self) -> Neighbours:
        """Return replace-one: who takes part is public."""
        return "replace-one"

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell that it is for a value that is replaced."""
        return True if neighbours == "replace-one" else None

    def states_relation(self) -> bool:
        """Tell that it has only one."""
        return True

    def law(self) -> PrivacyLoss:
        """Return the loss of one report, the same for any two values."""
        raise NotImplementedError

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which two values are supposed to exist."""
        return "a participant may have either of two values"

    def one(self) -> Extent:
        """Return that of one report."""
        loss = self.law() if self.epsilon else PrivacyLoss()
        return Extent((loss,), (loss,))


class RandomisedResponse(_Response, frozen=True, kw_only=True, tag="randomised-response"):
    """One of k values: the true one with probability e^ε/(e^ε + k − 1), each other one alike.

    Attributes:
        kinds: k, the number of values.
    """

    noun: ClassVar[str] = "randomised response"
    example: ClassVar[Mapping[str, object]] = {"epsilon": 1, "kinds": 3}

    kinds: Annotated[int, msgspec.Meta(ge=2, le=10**9)]

    def law(self) -> PrivacyLoss:
        """Return the loss of one report."""
        return PrivacyLoss(others={ResponseLoss(self.epsilon, self.kinds): 1})


class Rappor(_Response, frozen=True, kw_only=True, tag="rappor"):
    """A basic RAPPOR report: a one-hot vector, each bit by randomised response with ε/2."""

    noun: ClassVar[str] = "RAPPOR reports"
    example: ClassVar[Mapping[str, object]] = {"epsilon": 1}
    names: ClassVar[tuple[str, ...]] = ("values-are-replaced", "permanent-bits")

    def law(self) -> PrivacyLoss:
        """Return the loss of one report: two bits differ."""
        return PrivacyLoss(others={ResponseLoss(self.epsilon / 2, 2): 2})
