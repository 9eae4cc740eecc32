"""The words in which a training run is described: what each of its fields may say."""

from typing import Final, Literal, get_args

Sampling = Literal[
    "poisson",
    "shuffled",
    "shuffle",
    "epoch",
    "random-reshuffling",
    "drop-last",
    "shuffled-once",
    "cyclic",
    "balls-and-bins",
    "random-allocation",
    "fixed-size",
    "swor",
    "without-replacement",
    "with-replacement",
    "truncated",
]

Rounding = Literal["up", "down", "nearest"]
"""How a number of steps that is no integer is rounded."""

Kept = Literal["uniform", "first-come"]
"""Which records of a batch above the cap are kept: a random set, or the first of a fixed order."""

Released = Literal["every-step", "last-iterate"]
"""What is released: every noisy sum, or the last iterate alone."""

Divisor = Literal["public", "noisy-count", "from-n", "drawn"]
"""A public number, a noisy count that is a release of its own, a number that is computed from the
number of records, or the size of the batch that was drawn."""

HarmlessDivisor = Literal["public", "noisy-count"]
"""Those with which a run is as its noisy sums are."""

DIVISORS: Final[tuple[str, ...]] = get_args(Divisor)
TELLING: Final = ("from-n", "drawn")
"""Divisors of which a run is another mechanism than its noisy sums."""
