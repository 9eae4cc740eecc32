"""Which schemes recorded batches refute: impossible ones, and those that lose against bets."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from scipy.special import gammaln

from dporacle.wings.recorded_batches import bets
from dporacle.wings.recorded_batches.draws import RecordedDraws
from dporacle.wings.recorded_batches.likelihoods import Models
from dporacle.wings.recorded_batches.recording import Recording
from dporacle.wings.recorded_batches.sizes import Sizes, log_bins
from dporacle.wings.recorded_batches.sums import log_sum

FALSE_ALARM: Final = 1e-6
"""The probability at most with which the scheme that was really used is refuted."""

SCHEMES: Final = {
    "poisson": "each record enters each batch independently, with the same probability",
    "shuffled": "a new random order in each epoch, cut into batches",
    "shuffled-once": "one random order, cut into batches, the same in each epoch",
    "balls-and-bins": "each record is in one random batch of each epoch, independently",
    "cyclic": "a fixed order, cut into batches, the same in each epoch",
    "fixed-size": "a new random set of one size for each batch, drawn without replacement",
    "with-replacement": "each batch is drawn record by record, and may hold a record twice",
}
"""Scheme -> what it is, in a sentence."""

TRUNCATED: Final = (
    "each record enters each batch independently; of more than the cap so many are kept at random"
)
"""What "truncated" is, a scheme where a cap is stated."""

_LAWS: Final = (
    "Poisson",
    "of a fixed size",
    "drawn with replacement",
    "balls and bins",
    "shuffled",
    "in the order of the file",
    "shuffled within a window",
    "shuffled once",
    "one order, in every epoch",
    "shuffled once, within a window",
)
_SETS: Final[dict[str, Callable[[RecordedDraws], float]]] = {
    "some records are drawn more often": bets.weighted,
    "one record is drawn more often, or keeps its place": bets.single,
    "records are drawn too evenly": bets.evenly,
    "it matters when a record was drawn last": bets.recent,
    "some blocks of records are drawn more often": bets.in_blocks,
    "places in an epoch depend on the epoch before": bets.same_place,
    "records come together again": bets.together,
    "some records keep their places in an epoch": bets.own_place,
    "groups of records come together, or apart": bets.groups_together,
    "some batches hold no record twice, on purpose": bets.distinct,
}
_COPIES: Final = "batches are copies of earlier ones"
_SIZES: Final = (
    "the rate changes from step to step",
    "the sizes are too even, or too uneven",
    "large batches are cut to a cap, or drawn again",
    "small batches are drawn again",
    "the sizes are multiples of a number",
)
RIVALS: Final = (*_LAWS, *_SETS, _COPIES, *_SIZES)
"""What a scheme is compared with, all with the same weight: fixed before any batch is seen."""

_MOST_LENGTHS: Final = 4
"""The numbers of bins for which balls and bins is bet against; with more, laws alone decide."""


@dataclass(frozen=True, slots=True)
class SchemeEvidence:
    """What the batches say about one scheme.

    Attributes:
        scheme: its name.
        refuted: whether it is refuted. If not, that does not say that it was used.
        evidence: the base-10 logarithm of the e-value against it; inf where the batches are
            impossible.
        reason: why it is refuted, or "".
        batches_per_epoch: the length of its epochs, where it has epochs and is not refuted.
    """

    scheme: str
    refuted: bool
    evidence: float
    reason: str
    batches_per_epoch: int | None = None

    @property
    def impossible(self) -> bool:
        """Whether the scheme cannot give the batches at all."""
        return self.evidence == math.inf


def compare(
    recording: Recording,
    *,
    rate: float | None = None,
    false_alarm: float = FALSE_ALARM,
    cap: int | None = None,
) -> tuple[SchemeEvidence, ...]:
    """Return what the batches say about each scheme, in the order of `SCHEMES`.

    Args:
        recording: the batches.
        rate: the sampling rate that Poisson sampling is said to have: that rate is tested. None:
            unknown, so every rate is.
        false_alarm: the probability at most with which the scheme that was used is refuted.
        cap: the most records that a batch of "truncated" Poisson sampling has, which is a scheme
            then, at the stated rate or at any.

    Raises:
        ValueError: if the rate is not in (0, 1], false_alarm not in (0, 1) or the cap below 1.
    """
    if rate is not None and not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    if not 0 < false_alarm < 1:
        raise ValueError(f"false_alarm must be in (0, 1), got {false_alarm}")
    if cap is not None and cap < 1:
        raise ValueError(f"batch_cap must be at least 1, got {cap}")
    models = Models(recording, rate, cap)
    schemes = (*SCHEMES, *(() if cap is None else ("truncated",)))
    return tuple(
        evidence_against(models, each, guessed=recording.guessed, false_alarm=false_alarm)
        for each in schemes
    )


def evidence_against(
    models: Models, scheme: str, *, guessed: bool, false_alarm: float = FALSE_ALARM
) -> SchemeEvidence:
    """Return what the batches say about one scheme.

    Args:
        models: of the recording.
        scheme: one of `SCHEMES`, or "truncated" where the models have a cap.
        guessed: whether the number of records was read off the batches.
        false_alarm: the probability at most with which the scheme that was used is refuted.
    """
    own, impossible, epoch = models.null(scheme)
    if impossible or own == -math.inf:
        reason = impossible or "the batches have probability 0"
        return SchemeEvidence(scheme, True, math.inf, reason)
    cost = log_cost(models, guessed=guessed)
    against = {name: law - own for name, law in models.rivals.items()}
    evidence = (log_sum(list(against.values())) - cost) / math.log(10)
    if evidence < -math.log10(false_alarm):  # else the bets would only add to it
        against |= departures(models, scheme, models.rate)
        evidence = (log_sum(list(against.values())) - cost) / math.log(10)
    refuted = evidence >= -math.log10(false_alarm)
    best = max(against, key=lambda name: against[name])
    reason = f"evidence 10^{evidence:,.1f}; likelier: {best}" if refuted else ""
    return SchemeEvidence(scheme, refuted, evidence, reason, None if refuted else epoch)


def log_cost(models: Models, *, guessed: bool) -> float:
    """Return what each rival has to pay: the logarithm of its weight, and of rounding.

    A number of records that was read off the batches has a prior too.
    """
    prior = math.log(models.records) + math.log(models.records + 1) if guessed else 0.0
    return prior + math.log(len(RIVALS)) + _rounding(models)


def departures(models: Models, scheme: str, rate: float | None) -> dict[str, float]:
    """Return the logarithm of each bet's e-value against a scheme that can give the batches."""
    every = models.drawn(scheme)
    found: dict[str, float] = {}
    if every and len(every) <= _MOST_LENGTHS:
        # Whatever the length of an epoch is: so the least counts.
        each = [_of_sets(draws, models) for draws in every]
        found = {name: min(some[name] for some in each) for name in each[0]}
    if scheme in ("poisson", "truncated"):
        cap = models.cap if scheme == "truncated" else None
        sizes = Sizes(models.sizes.astype(float), models.records, rate, cap)
        bet_on = (
            sizes.rate_of_steps(),
            sizes.spread(),
            sizes.capped(),
            sizes.redrawn(),
            sizes.multiples(),
        )
        found |= dict(zip(_SIZES, bet_on, strict=True))
    elif (
        scheme == "balls-and-bins"
        and models.bins.all_known
        and len(models.bins.lengths) <= _MOST_LENGTHS
    ):
        counts = models.sizes.astype(float)
        logs = [log_bins(counts, models.records, each) for each in models.bins.lengths]
        found[_SIZES[1]] = min(logs)
    return found


def _of_sets(draws: RecordedDraws, models: Models) -> dict[str, float]:
    """Return the bets on sets; those of one epoch are the same for schemes with epochs."""
    key = (draws.replaced, draws.length, len(draws))
    if draws.length is not None and len(draws) <= draws.length:
        key = (False, 0, len(draws))
    if key not in models.bets:
        found = {name: bet(draws) for name, bet in _SETS.items()}
        found[_COPIES] = bets.copies(draws, models.batches[: len(draws)])
        models.bets[key] = found
    return models.bets[key]


def _rounding(models: Models) -> float:
    """Return what the float64 sums may be off together.

    Each batch, and each record of it, has a few terms, of at most ln n! in size, which are off by
    some units of 2^-52 of it. A few terms more are for the whole recording, of at most ln m!, m
    the draws that are possible or `FIRMNESS` counts for.
    """
    records, count = models.records, len(models.batches)
    terms = count + float(models.sizes.sum())
    whole = records * max(float(count), bets.FIRMNESS[-1]) + terms
    return float(1e-3 + 2.0**-47 * terms * gammaln(records + 2) + 2.0**-44 * gammaln(whole + 2))


def epoch_length(recording: Recording) -> int | None:
    """Return the batches of an epoch, if each epoch is all records cut into batches of one size.

    Whatever random order gave them, independent of the data: such batches are covered by the
    accounting for cyclic ones (zero-out and replace-one).
    """
    models = Models(recording, None)
    whole = (cut.length for cut in models.cuts if not cut.impossible("shuffled"))
    return next(whole, None) if models.twice is None else None
