"""Where an argument may lie: what refuses a number, and what the pages print."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """An interval of the real numbers, or the whole numbers in it.

    Attributes:
        least: its lower end; None where there is none.
        most: its upper end; None where there is none.
        open_below: the lower end itself is outside.
        open_above: the upper end itself is outside.
        whole: only whole numbers count.
    """

    least: float | None = None
    most: float | None = None
    open_below: bool = False
    open_above: bool = False
    whole: bool = False

    def __contains__(self, value: Any) -> bool:
        """Whether a finite number lies in the domain."""
        # A numerator against a multiple of the denominator: fractions compare ten times slower.
        fraction = isinstance(value, Fraction)
        above, unit = (value.numerator, value.denominator) if fraction else (value, 1)
        least = None if self.least is None else _times(self.least, unit)
        most = None if self.most is None else _times(self.most, unit)
        return not (
            (least is not None and (above < least or (self.open_below and above == least)))
            or (most is not None and (above > most or (self.open_above and above == most)))
            or (self.whole and value != int(value))
        )

    def require(self, name: str, value: Fraction | int, shown: str) -> None:
        """Raise a ValueError that names the argument unless the value lies in the domain.

        Args:
            name: the argument.
            value: the exact number.
            shown: how it stands in the message.
        """
        if value not in self:
            raise ValueError(f"{name} must be {self.words}, got {shown}")

    @property
    def words(self) -> str:
        """What a number has to be, as in "must be positive and at most 1"."""
        if self.whole:
            return f"from {_power(self.least or 0)} to {_power(self.most or 0)}"
        low = f"more than {self.least}" if self.least else "positive"
        low = low if self.open_below else f"at least {self.least}"
        high = "less than" if self.open_above else "at most"
        parts = [*([] if self.least is None else [low])]
        parts += [] if self.most is None else [f"{high} {self.most}"]
        return " and ".join(parts)

    def __str__(self) -> str:
        """The domain as the field writes it: `(0, 1]`, `[0, ∞)`, `an integer from 1 to 2^53`."""
        if self.whole:
            return f"an integer {self.words}"
        low_end = "(−∞" if self.least is None else f"{'(' if self.open_below else '['}{self.least}"
        high_end = "∞)" if self.most is None else f"{self.most}{')' if self.open_above else ']'}"
        return f"{low_end}, {high_end}"


def _times(end: float, unit: int) -> Fraction | int:
    """Return a multiple of an end, exactly: a float does not reach as far as denominators do."""
    return int(end) * unit if end == int(end) else Fraction(end) * unit


def _power(end: float) -> str:
    value = int(end)
    sign, size = "−" * (value < 0), abs(value)
    exponent = size.bit_length() - 1
    return f"{sign}2^{exponent}" if exponent > 20 and size == 1 << exponent else f"{value:,}"


REAL = Domain()
NONNEGATIVE = Domain(least=0)
POSITIVE = Domain(least=0, open_below=True)
UNIT = Domain(least=0, open_below=True, most=1)
BELOW_ONE = Domain(least=0, open_below=True, most=1, open_above=True)
SHARE = Domain(least=0, most=1)
SHARE_BELOW_ONE = Domain(least=0, most=1, open_above=True)
COUNT = Domain(least=1, most=1 << 53, whole=True)

MOST_RECORDS = 64
"""Of a group; sensitivities of a law, too."""
MOST_PHASES = 64
"""Of a schedule."""

FLOAT_SIGMA = 0.1, 1000
"""The least and the largest noise multiplier of which the float64 witness answers about steps."""
FLOAT_STEPS = {
    "sigma": Domain(least=FLOAT_SIGMA[0], most=FLOAT_SIGMA[1]),
    "rate": Domain(least=1e-8, most=1),
    "steps": Domain(least=1, most=10**8, whole=True),
}
"""Where the float64 witness answers about steps: narrower than the rows of its arguments."""
