"""Faulty accountants for a group of records: the shortcuts from one record to a user's."""

from __future__ import annotations

import functools

from dporacle import fast
from dporacle.specimens.specimen import Collection
from dporacle.specimens.subsampled import valid
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import GROUPS

GROUPED = Collection()


@functools.lru_cache(maxsize=1024)
def _exact(row: str, inputs: tuple[tuple[str, float], ...]) -> float:
    return float(QUANTITIES[row].of(fast)(**dict(inputs)))


def _of(row: Quantity, given: dict[str, float], **changed: float) -> float:
    """Return the answer to an input with something changed."""
    valid(row, given)
    return _exact(row.name, tuple({**given, **changed}.items()))


def _add(row: Quantity) -> None:
    def one_record(**given: float) -> float:
        """What one record costs, told to a user who has several."""
        return _of(row, given, size=1)

    one_record.__name__ = f"one_record_for_{row.name}"
    GROUPED.add(row.name, "core", "group")(one_record)

    def more_often(**given: float) -> float:
        """One record that is sampled k times as often, as if two were never in one batch."""
        return _of(row, given, size=1, rate=min(given["rate"] * given["size"], 1.0))

    more_often.__name__ = f"sampled_more_often_for_{row.name}"
    GROUPED.add(row.name, "group")(more_often)

    def errors_become_zero(**given: float) -> float:
        """Every error is caught and turned into 0."""
        try:
            return _exact(row.name, tuple(given.items()))
        except (ValueError, TypeError, OverflowError):
            return 0.0

    errors_become_zero.__name__ = f"errors_become_zero_in_{row.name}"
    GROUPED.add(row.name, "nonsense", "zero-rate")(errors_become_zero)

    if row.kind is EPSILON:

        def epsilon_times_size(**given: float) -> float:
            """The ε of one record, times k, at the same δ."""
            return given["size"] * _of(row, given, size=1)

        def the_others(**given: float) -> float:
            """The other records of the user, k − 1 of them: nothing for who has one."""
            size = int(given["size"])
            return _of(row, given, size=size - 1) if size > 1 else 0 * _of(row, given)

        the_others.__name__ = f"the_others_for_{row.name}"
        GROUPED.add(row.name, "group-of-one", "core", "group")(the_others)

        def negative(**given: float) -> float:
            """Where δ is above δ(0), something negative is returned."""
            return _of(row, given) or -given["delta"]

        negative.__name__ = f"negative_{row.name}"
        GROUPED.add(row.name, "zero-answer", "single-step")(negative)

        epsilon_times_size.__name__ = f"epsilon_times_size_for_{row.name}"
        GROUPED.add(row.name, "core", "group", "single-step", "no-sampling")(epsilon_times_size)

    if row.kind is NOISE_NEEDED:

        def noise_times_size(**given: float) -> float:
            """The noise of one record, times k: safe, and more than is needed."""
            return given["size"] * _of(row, given, size=1)

        noise_times_size.__name__ = f"noise_times_size_for_{row.name}"
        GROUPED.add(row.name, "core", "group")(noise_times_size)
        return

    def one_longer_record(**given: float) -> float:
        """One record that is k times as long: safe, and far from what k records cost."""
        return _of(row, given, size=1, sigma=given["sigma"] / given["size"])

    one_longer_record.__name__ = f"one_longer_record_for_{row.name}"
    GROUPED.add(row.name, "core", "group")(one_longer_record)


for _row in QUANTITIES.values():
    if _row.mechanism in GROUPS.values():
        _add(_row)
