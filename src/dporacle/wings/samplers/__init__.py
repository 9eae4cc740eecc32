"""Audit the noise that a sampler really draws.

    >>> from dporacle.wings.samplers import Gaussian, audit
    >>> law = Gaussian(sigma=3.0)
    >>> audit(law=law, source=lambda batch: law.draw(batch.rows, batch.generator())).convicted
    False

`laws` says what noise may be claimed to be, `sketch` what is kept of draws, `evidence` and
`decision` what follows from it, `audit` draws until that suffices. `losses` compares the tails of
the privacy loss with the exact ones of `exact_tails` and `cells`, also of releases that are no sum
(`subsampled`, `thresholded`); `events` and `black_box` prove a δ of what has no known law.
"""

from dporacle.wings.samplers.audit import Audit, audit
from dporacle.wings.samplers.black_box import Event, Refutation, likely_event, refute
from dporacle.wings.samplers.decision import decide, plan, power
from dporacle.wings.samplers.events import float_leak, needed_draws, separate
from dporacle.wings.samplers.laws import (
    LAWS,
    RELEASES,
    DiscreteGaussian,
    DiscreteGaussianSum,
    DiscreteLaplace,
    DiscreteLaplaceSum,
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    Law,
    RankOneGaussian,
    Releases,
    RoundedGaussian,
    Skellam,
    SubsampledGaussian,
    ThresholdedCounts,
)
from dporacle.wings.samplers.losses import LossTail, loss_tails
from dporacle.wings.samplers.powers import Power, powers
from dporacle.wings.samplers.sketch import Sketch, take
from dporacle.wings.samplers.sources import (
    AdapterSource,
    Batch,
    BlackBox,
    DrawsFile,
    NaiveSource,
    NoiseSource,
    SourceError,
)

__all__ = [
    "LAWS",
    "RELEASES",
    "AdapterSource",
    "Audit",
    "Batch",
    "BlackBox",
    "DiscreteGaussian",
    "DiscreteGaussianSum",
    "DiscreteLaplace",
    "DiscreteLaplaceSum",
    "DrawsFile",
    "Event",
    "Gaussian",
    "Laplace",
    "LaplaceWithGaussian",
    "Law",
    "LossTail",
    "NaiveSource",
    "NoiseSource",
    "Power",
    "RankOneGaussian",
    "Refutation",
    "Releases",
    "RoundedGaussian",
    "Skellam",
    "Sketch",
    "SourceError",
    "SubsampledGaussian",
    "ThresholdedCounts",
    "audit",
    "decide",
    "float_leak",
    "likely_event",
    "loss_tails",
    "needed_draws",
    "plan",
    "power",
    "powers",
    "refute",
    "separate",
    "take",
]
