"""Which schemes recorded batches are compatible with: impossible ones, and likelihood ratios."""

import math
from dataclasses import dataclass
from typing import Final

from dporacle.recorded_batches.epochs import log_mean
from dporacle.recorded_batches.likelihoods import Models
from dporacle.recorded_batches.recording import Recording

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

# What float64 sums of logarithms may be off together: terms below 10^9 in all, each to 2^-50.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class Compatibility:
    """What the batches say about one scheme.

    Attributes:
        scheme: its name.
        compatible: whether it is not refuted.
        evidence: the base-10 logarithm of the likelihood ratio against it; inf where the batches
            are impossible.
        reason: why it is refuted, or "".
        batches_per_epoch: the length of its epochs, where it has epochs and is compatible.
    """

    scheme: str
    compatible: bool
    evidence: float
    reason: str
    batches_per_epoch: int | None = None


def compare(
    recording: Recording, *, rate: float | None = None, false_alarm: float = FALSE_ALARM
) -> tuple[Compatibility, ...]:
    """Return what the batches say about each scheme, in the order of `SCHEMES`.

    Args:
        recording: the batches.
        rate: the sampling rate that Poisson sampling is said to have; None: unknown.
        false_alarm: the probability at most with which the scheme that was used is refuted.

    Raises:
        ValueError: if the rate is not in (0, 1] or false_alarm not in (0, 1).
    """
    if rate is not None and not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    if not 0 < false_alarm < 1:
        raise ValueError(f"false_alarm must be in (0, 1), got {false_alarm}")
    models = Models(recording, rate)
    rivals = models.rivals()
    mixture = log_mean(list(rivals.values()))
    likeliest = max(rivals, key=lambda name: rivals[name])
    found = []
    for scheme in SCHEMES:
        own, impossible, epoch = models.null(scheme)
        if own == -math.inf:
            impossible = impossible or "the batches have probability 0"
        evidence = math.inf if impossible else (mixture - own - _ROUNDING) / math.log(10)
        refuted = evidence >= -math.log10(false_alarm)
        reason = impossible or f"10^{evidence:,.1f} times as likely under others; best: {likeliest}"
        found.append(Compatibility(scheme, not refuted, evidence, reason if refuted else "", epoch))
    return tuple(found)


def epoch_length(recording: Recording) -> int | None:
    """Return the batches of an epoch, if each epoch is all records cut into batches of one size.

    Whatever random order gave them, independent of the data: such batches are covered by the
    accounting for cyclic ones (zero-out and replace-one).
    """
    models = Models(recording, None)
    whole = (cut.length for cut in models.cuts if not cut.impossible("shuffled"))
    return next(whole, None) if models.twice is None else None
