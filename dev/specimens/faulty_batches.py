"""Faulty accountants for batches that are not drawn by Poisson sampling."""

from collections.abc import Mapping

from dporacle import fast
from dporacle.dev.specimens.formulas import answer_of, errors_become_zero
from dporacle.dev.specimens.specimen import Collection
from dporacle.dev.specimens.subsampled import exact, valid
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import DELTA, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import BALLS_AND_BINS, FIXED_SIZE, RANDOM_ALLOCATION, TRUNCATED

DRAWN = Collection()


def _add_zero(row: Quantity, *flags: str) -> None:
    zero = DRAWN.add(row.name, *flags, name=f"errors_become_zero_in_{row.name}")
    zero(errors_become_zero(lambda **given: answer_of(row.name, **given)))


def _add(row: Quantity) -> None:
    flags = ("core", "half-noise", "single-step")

    @DRAWN.add(row.name, *flags, name=f"poisson_sampling_for_{row.name}")
    def noise_not_halved(**given: float) -> float:
        """Poisson sampling's answer at the same noise, as if a batch of fixed size only grew."""
        valid(row, given)
        kind = "sigma" if row.kind is NOISE_NEEDED else row.kind.name
        return exact(kind, "both", **given)

    _add_zero(row, "nonsense")


def _add_of_bins(row: Quantity) -> None:
    @DRAWN.add(row.name, "core", name=f"adding_alone_in_{row.name}")
    def adding_alone(**given: float) -> float:
        """Adding a record, as if removing one cost the same."""
        valid(row, given)
        witness = getattr(fast, row.name)
        return float(witness(**{**given, "batches": int(given["batches"])}, direction="add"))

    _add_zero(row, "nonsense")
    flags = ("core", "few-batches", "many-batches")

    @DRAWN.add(row.name, *flags, name=f"one_sampled_step_for_{row.name}")
    def one_sampled_step(**given: float) -> float:
        """One step at the rate 1/T, as if the other batches told nothing."""
        valid(row, given)
        batches = given.pop("batches")
        return exact(row.kind.name, "both", **given, rate=1 / batches, steps=1)

    def poisson_sampling(**given: float) -> float:
        """An epoch of Poisson sampling, which is better where δ is large: a record may stay out."""
        valid(row, given)
        batches = given.pop("batches")
        return exact(row.kind.name, "both", **given, rate=1 / batches, steps=int(batches))

    if row.kind is DELTA:  # the ε of the vectors' small δ are above
        DRAWN.add(row.name, "few-batches", "zero-epsilon")(poisson_sampling)


def _add_of_allocation(row: Quantity) -> None:
    zero = ("zero-epsilon",) if row.kind is DELTA else ()
    flags = ("core", "uneven-blocks", "all-batches", *zero)
    turned = ("core", "one-participation", *(() if row.kind is DELTA else ("uneven-blocks",)))
    _add_zero(row, "nonsense")

    def answered(given: Mapping[str, float], *, direction: str = "both", **changed: float) -> float:
        valid(row, given)
        witness = getattr(fast, row.name)
        return float(witness(**{**given, **changed}, direction=direction))

    @DRAWN.add(row.name, *flags, name=f"one_of_several_batches_in_{row.name}")
    def one_of_several_batches(**given: float) -> float:
        """An epoch in which each record is in one batch, however many were drawn for it."""
        return answered(given, participations=1)

    @DRAWN.add(row.name, *turned, name=f"adding_alone_in_{row.name}")
    def adding_alone(**given: float) -> float:
        """Adding a record, as if removing one cost the same."""
        return answered(given, direction="add")

    @DRAWN.add(row.name, *flags, name=f"one_block_for_{row.name}")
    def one_block(**given: float) -> float:
        """An epoch of T/k batches and one participation, as if a block were all of it."""
        kept = given["participations"]
        return answered(given, batches=max(1, given["batches"] // kept), participations=1)

    def poisson_sampling(**given: float) -> float:
        """Poisson sampling at the rate k/T, under which a record may be in fewer batches."""
        valid(row, given)
        batches, kept = given.pop("batches"), given.pop("participations")
        rate = min(1.0, kept / batches)
        return exact(row.kind.name, "both", **given, rate=rate, steps=int(batches))

    if row.kind is DELTA:  # where ε is large Poisson sampling costs more
        name = f"poisson_sampling_for_{row.name}"
        DRAWN.add(row.name, "zero-epsilon", name=name)(poisson_sampling)


def _add_of_truncated(row: Quantity) -> None:
    _add_zero(row, "nonsense")

    cut = ("core", "often-cut", "all-drawn") if row.kind is DELTA else ("often-cut", "all-drawn")

    @DRAWN.add(row.name, *cut, name=f"poisson_sampling_for_{row.name}")
    def poisson_sampling(**given: float) -> float:
        """Poisson sampling's answer, as if what is cut off were padding."""
        valid(row, given)
        del given["records"], given["cap"]
        return exact(row.kind.name, "both", **given)

    flags = _ANY_CUT if row.kind is DELTA else ("core", "one-batch", "never-cut")

    @DRAWN.add(row.name, *flags, name=f"half_the_rate_for_{row.name}")
    def half_the_rate(**given: float) -> float:
        """Poisson sampling at half the rate, as if cutting hid as much."""
        valid(row, given)
        del given["records"], given["cap"]
        return exact(row.kind.name, "both", **{**given, "rate": given["rate"] / 2})


_ANY_CUT = ("core", "one-batch", "hardly-cut", "never-cut", "zero-epsilon")


def _add_of_poisson(row: Quantity) -> None:
    kind = row.kind.name
    flags = ("core", "single-step", "no-sampling")

    @DRAWN.add(row.name, *flags, name=f"distance_two_in_{row.name}")
    def distance_two(**given: float) -> float:
        """A distance of 2 where 1 is right: Poisson sampling as if a record took another's place.

        That is safe, and far from what is lost.
        """
        valid(row, given)
        return exact(kind, "both", **{**given, "sigma": given["sigma"] / 2})


for _row in QUANTITIES.values():
    if _row.mechanism is FIXED_SIZE:
        _add(_row)
    if _row.name in ("subsampled_epsilon", "subsampled_delta"):
        _add_of_poisson(_row)
for _row in QUANTITIES.values():
    if _row.mechanism is BALLS_AND_BINS:
        _add_of_bins(_row)
    if _row.mechanism is RANDOM_ALLOCATION:
        _add_of_allocation(_row)
    if _row.mechanism is TRUNCATED:
        _add_of_truncated(_row)
