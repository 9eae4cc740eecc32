"""What the tests of rank-one noise draw from and ask for."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from dporacle import enclosures
from support.exact import bounds

DIGITS = 12

dimensions = st.sampled_from([2, 3, 4, 5, 6, 7, 10, 33, 100])
sizes = st.one_of(st.integers(4, 60), st.sampled_from([1000, 7921, 10**6, 10**9]))


def bound(name: str, **where: Any) -> tuple[Fraction, Fraction]:
    """The ends of an enclosure."""
    return bounds(getattr(enclosures, name)(**where))


def published(dimension: int, epsilon: Any, delta: Any, digits: int = DIGITS) -> Any:
    """Enclose δ(ε) at the σ* of the published theorem."""
    return enclosures.rank_one_published_delta(
        epsilon=epsilon, delta=delta, dimension=dimension, digits=digits
    )
