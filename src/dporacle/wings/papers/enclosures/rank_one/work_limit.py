"""A bound on the work that one question about the rank-one profile may take.

It counts evaluations and never looks at a clock, so that an answer, or the refusal to go on, is
the same on every machine.
"""

import flint

_USUAL = 500_000  # about ten seconds; a usual question of 20 digits takes a tenth of one
AUDITED = 60_000
"""What the audit spends on one claim: a second or two."""


class TooMuchWorkError(ArithmeticError):
    """The question would take more work than it may."""


class Work:
    """What is left of the work that a question may take, in evaluations at a low precision."""

    def __init__(self, most: int = _USUAL) -> None:
        self.most = self.left = most

    def spend(self) -> None:
        """Count one evaluation at the working precision, by the time of a product of numbers.

        Raises:
            TooMuchWorkError: if nothing is left.
        """
        bits: int = flint.ctx.prec
        self.left -= 1 + (bits * bits >> 21)
        if self.left < 0:
            raise TooMuchWorkError(
                f"the rank-one profile is not enclosed within {self.most} evaluations"
            )
