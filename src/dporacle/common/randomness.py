"""Where every random number of the project comes from: each purpose has a domain of its own.

A seed is a hash of the purpose's name and of the numbers that go with it. Two streams are the same
only if both are: whatever seed a user gives, no purpose draws the numbers of another. (numpy's own
seeds do not see to that: it pads them with zeros, so that [7, 2] and [7, 2, 0] are one stream.)
`tests/test_randomness.py` finds all places where a generator is made.
"""

import hashlib
import random

import numpy as np


def sequence(purpose: str, *key: int | str) -> np.random.SeedSequence:
    """Return the seeds of a purpose.

    Args:
        purpose: what they are for; every place in the code has another one.
        key: what tells its streams from each other: a user's seed, the number of a batch.
    """
    return np.random.SeedSequence(int.from_bytes(_hash(purpose, key)))


def generator(purpose: str, *key: int | str) -> np.random.Generator:
    """Return numpy's generator for a purpose, as `sequence`."""
    return np.random.default_rng(sequence(purpose, *key))


def chance(purpose: str, *key: int | str) -> random.Random:
    """Return Python's own generator for a purpose, as `sequence`."""
    return random.Random(_hash(purpose, key))


def _hash(purpose: str, key: tuple[int | str, ...]) -> bytes:
    plain = (purpose, *(each if isinstance(each, str) else int(each) for each in key))
    return hashlib.sha256(repr(plain).encode()).digest()
