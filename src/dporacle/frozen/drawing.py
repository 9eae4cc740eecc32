"""Neighbours drawn from a Hypothesis strategy, and shrunk."""

import contextlib
import random
from collections.abc import Callable
from typing import Any

from dporacle.common.extras import advice

try:
    import hypothesis
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(f"make_record: {advice(error)}; give neighbours= without it") from error


def pairs_of(record: Any, sizes: list[int], relation: str, zero: Any) -> Any:
    """Return a strategy of pairs of neighbours, each a list of records."""
    if not isinstance(record, st.SearchStrategy):
        if not callable(record):
            raise ValueError(f"make_record must be a strategy or a function, got {record!r}")
        record = st.builds(record, st.randoms(use_true_random=False))

    @st.composite
    def drawn(draw: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
        length = draw(st.sampled_from(sizes))
        alike = record.map(lambda one: [one] * length)
        data = draw(st.lists(record, min_size=length, max_size=length) | alike)
        adds = relation == "add-remove"
        at = draw(st.integers(0, length - 1 + adds))
        new = zero if relation == "zero-out" else draw(record)
        return data, [*data[:at], new, *data[at + 1 - adds :]]

    return drawn()


def shrunk(strategy: Any, condition: Callable[[Any], bool], tries: int, seed: int) -> Any:
    """Return the simplest pair that meets a condition; None if none is found.

    Once one is found, as many pairs again are tried as were drawn at most: of a function that takes
    a second, Hypothesis would go on for five minutes, and complain.
    """
    best: list[Any] = []
    left = tries

    def wanted(pair: Any) -> bool:
        nonlocal left
        left -= bool(best)
        if left < 0 or not condition(pair):
            return False
        best[:] = [pair]
        return True

    settings = hypothesis.settings(
        max_examples=tries,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    # None was found, or what was found is not wanted again after the last try.
    with contextlib.suppress(hypothesis.errors.HypothesisException):
        hypothesis.find(strategy, wanted, settings=settings, random=random.Random(seed))
    return best[0] if best else None
