"""Ways to draw a number from a generator; each is a value that can stand in a row."""

import math
import random
from dataclasses import dataclass


class Distribution:
    """A way to draw a float."""

    def __call__(self, generator: random.Random) -> float:
        """Return one float."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class One(Distribution):
    """Always the same."""

    value: float

    def __call__(self, generator: random.Random) -> float:
        """Return the value."""
        return self.value


@dataclass(frozen=True, slots=True)
class Uniform(Distribution):
    """Evenly between two ends."""

    low: float
    high: float

    def __call__(self, generator: random.Random) -> float:
        """Return a number between the ends."""
        return generator.uniform(self.low, self.high)


@dataclass(frozen=True, slots=True)
class LogUniform(Distribution):
    """10^x, x evenly between two ends: evenly on a logarithmic scale."""

    low: float
    high: float

    def __call__(self, generator: random.Random) -> float:
        """Return a number between 10^low and 10^high."""
        return float(10 ** generator.uniform(self.low, self.high))


@dataclass(frozen=True, slots=True)
class Binary(Distribution):
    """A float between 2^(n−1) and 2^n, n from `first` towards `last`."""

    first: int
    last: int

    def __call__(self, generator: random.Random) -> float:
        """Return a number with one of these binary exponents."""
        sign = 1 if self.first <= self.last else -1
        fraction = generator.uniform(0.5, 1)
        return math.ldexp(fraction, sign * generator.randint(sign * self.first, sign * self.last))


@dataclass(frozen=True, slots=True)
class Near(Distribution):
    """1 ± 2^−n, n from `first` to `last`."""

    side: int
    first: int
    last: int

    def __call__(self, generator: random.Random) -> float:
        """Return a number next to 1."""
        return 1 + self.side * 2.0 ** -generator.randint(self.first, self.last)


@dataclass(frozen=True, slots=True)
class Whole(Distribution):
    """A whole number between two ends."""

    low: int
    high: int

    def __call__(self, generator: random.Random) -> float:
        """Return a whole number, as a float."""
        return float(generator.randint(self.low, self.high))


ANYWHERE = Binary(-1000, 1000)
"""Anywhere among the normal floats but for their very ends."""
