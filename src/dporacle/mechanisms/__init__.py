"""What somebody runs, read once: the Python API, commands, claims and figures of risk take it.

A mechanism is one object: its fields as stated, its hypotheses, and what is proved of it. Whoever
asks reads no field again.
"""

from dataclasses import dataclass
from fractions import Fraction

from dporacle.vocabulary.hypotheses import Hypothesis


@dataclass(frozen=True, slots=True)
class Ends:
    """What is proved of the least ε at a δ.

    Attributes:
        low: some algorithm and pair of neighbours needs as much.
        high: none needs more; None where nothing is proved.
        exact: whether both enclose one number, which is reached.
        hypotheses: what they are proved under, where whoever found them says so.
    """

    low: Fraction
    high: Fraction | None
    exact: bool = False
    hypotheses: tuple[Hypothesis, ...] = ()
