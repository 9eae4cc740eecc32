"""Faulty accountants for batches that are not drawn by Poisson sampling."""

import functools

from dporacle import fast
from dporacle.specimens.specimen import Collection
from dporacle.specimens.subsampled import exact, valid
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.kinds import DELTA, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import BALLS_AND_BINS, FIXED_SIZE

DRAWN = Collection()


@functools.lru_cache(maxsize=256)
def _exact(row: str, inputs: tuple[tuple[str, float], ...]) -> float:
    return float(QUANTITIES[row].of(fast)(**dict(inputs)))


def _add(row: Quantity) -> None:
    def noise_not_halved(**given: float) -> float:
        """Poisson sampling's answer at the same noise, as if a batch of fixed size only grew."""
        valid(row, given)
        kind = "sigma" if row.kind is NOISE_NEEDED else row.kind.name
        return exact(kind, "both", **given)

    noise_not_halved.__name__ = f"poisson_sampling_for_{row.name}"
    DRAWN.add(row.name, "core", "half-noise", "single-step")(noise_not_halved)

    def errors_become_zero(**given: float) -> float:
        """Every error is caught and turned into 0."""
        try:
            return _exact(row.name, tuple(given.items()))
        except (ValueError, TypeError, OverflowError):
            return 0.0

    errors_become_zero.__name__ = f"errors_become_zero_in_{row.name}"
    DRAWN.add(row.name, "nonsense", "zero-rate")(errors_become_zero)


for _row in QUANTITIES.values():
    if _row.mechanism is FIXED_SIZE:
        _add(_row)


def _add_of_bins(row: Quantity) -> None:
    kind = row.kind.name

    def adding_alone(**given: float) -> float:
        """Adding a record, as if removing one cost the same."""
        valid(row, given)
        witness = getattr(fast, row.name)
        return float(witness(**{**given, "batches": int(given["batches"])}, direction="add"))

    adding_alone.__name__ = f"adding_alone_in_{row.name}"
    DRAWN.add(row.name, "core")(adding_alone)

    def one_sampled_step(**given: float) -> float:
        """One step at the rate 1/T, as if the other batches told nothing."""
        valid(row, given)
        batches = given.pop("batches")
        return exact(kind, "both", **given, rate=1 / batches, steps=1)

    def errors_become_zero_here(**given: float) -> float:
        """Every error is caught and turned into 0."""
        try:
            return _exact(row.name, tuple((k, v) for k, v in given.items()))
        except (ValueError, TypeError, OverflowError):
            return 0.0

    errors_become_zero_here.__name__ = f"errors_become_zero_in_{row.name}"
    DRAWN.add(row.name, "nonsense")(errors_become_zero_here)

    one_sampled_step.__name__ = f"one_sampled_step_for_{row.name}"
    DRAWN.add(row.name, "core", "few-batches", "many-batches")(one_sampled_step)

    def poisson_sampling(**given: float) -> float:
        """An epoch of Poisson sampling, which is better where δ is large: a record may stay out."""
        valid(row, given)
        batches = given.pop("batches")
        return exact(kind, "both", **given, rate=1 / batches, steps=int(batches))

    if row.kind is DELTA:  # the ε of the vectors' small δ are above
        DRAWN.add(row.name, "few-batches", "zero-epsilon")(poisson_sampling)


for _row in QUANTITIES.values():
    if _row.mechanism is BALLS_AND_BINS:
        _add_of_bins(_row)
