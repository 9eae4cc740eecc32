"""Faulty accountants for a group of records: the shortcuts from one record to a user's."""

from __future__ import annotations

from dporacle.dev.specimens.formulas import answer_of, errors_become_zero
from dporacle.dev.specimens.specimen import Collection
from dporacle.dev.specimens.subsampled import valid
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import GROUPS

GROUPED = Collection()


def _of(row: Quantity, given: dict[str, float], **changed: float) -> float:
    """Return the answer to an input with something changed."""
    valid(row, given)
    return answer_of(row.name, **{**given, **changed})


def _add(row: Quantity) -> None:
    @GROUPED.add(row.name, "core", "group", name=f"one_record_for_{row.name}")
    def one_record(**given: float) -> float:
        """What one record costs, told to a user who has several."""
        return _of(row, given, size=1)

    @GROUPED.add(row.name, "group", name=f"sampled_more_often_for_{row.name}")
    def more_often(**given: float) -> float:
        """One record that is sampled k times as often, as if two were never in one batch."""
        return _of(row, given, size=1, rate=min(given["rate"] * given["size"], 1.0))

    zero = GROUPED.add(row.name, "nonsense", name=f"errors_become_zero_in_{row.name}")
    zero(errors_become_zero(lambda **given: answer_of(row.name, **given)))

    if row.kind is EPSILON:

        @GROUPED.add(row.name, "group-of-one", "core", "group", name=f"the_others_for_{row.name}")
        def the_others(**given: float) -> float:
            """The other records of the user, k − 1 of them: nothing for who has one."""
            size = int(given["size"])
            return _of(row, given, size=size - 1) if size > 1 else 0 * _of(row, given)

        @GROUPED.add(row.name, "zero-answer", "single-step", name=f"negative_{row.name}")
        def negative(**given: float) -> float:
            """Where δ is above δ(0), something negative is returned."""
            return _of(row, given) or -given["delta"]

        flags = ("core", "group", "single-step", "no-sampling")

        @GROUPED.add(row.name, *flags, name=f"epsilon_times_size_for_{row.name}")
        def epsilon_times_size(**given: float) -> float:
            """The ε of one record, times k, at the same δ."""
            return given["size"] * _of(row, given, size=1)

    if row.kind is NOISE_NEEDED:

        @GROUPED.add(row.name, "core", "group", name=f"noise_times_size_for_{row.name}")
        def noise_times_size(**given: float) -> float:
            """The noise of one record, times k: safe, and more than is needed."""
            return given["size"] * _of(row, given, size=1)

    else:

        @GROUPED.add(row.name, "core", "group", name=f"one_longer_record_for_{row.name}")
        def one_longer_record(**given: float) -> float:
            """One record that is k times as long: safe, and far from what k records cost."""
            return _of(row, given, size=1, sigma=given["sigma"] / given["size"])


for _row in QUANTITIES.values():
    if _row.mechanism in GROUPS.values():
        _add(_row)
