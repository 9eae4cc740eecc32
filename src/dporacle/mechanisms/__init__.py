"""What somebody runs, read once: the Python API, commands, claims and figures of risk take it.

A mechanism is one object: its fields as stated, its hypotheses, and what is proved of it. Whoever
asks reads no field again.
"""

from dataclasses import dataclass
from fractions import Fraction

from dporacle.vocabulary.hypotheses import Hypothesis


@dataclass(frozen=True, slots=True)
class FurtherEnd:
    """An end of ε beside the nearest ones, proved under other hypotheses or by other data sets.

    Attributes:
        upper: whether no ε is above it; else some algorithm reaches it.
        hypotheses: what it is proved under that the nearest end is not.
        instead: names of the hypotheses of the nearest end that it does without.
        by: which data sets reach a lower one; empty of an upper one.
    """

    value: Fraction
    upper: bool
    hypotheses: tuple[Hypothesis, ...] = ()
    instead: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Ends:
    """What is proved of the least ε at a δ.

    Attributes:
        low: some algorithm and pair of neighbours needs as much.
        high: none needs more; None where nothing is proved.
        exact: whether both enclose one number, which is reached.
        hypotheses: what they are proved under, where whoever found them says so.
        further: ends under other hypotheses, or of other data sets.
    """

    low: Fraction
    high: Fraction | None
    exact: bool = False
    hypotheses: tuple[Hypothesis, ...] = ()
    further: tuple[FurtherEnd, ...] = ()
