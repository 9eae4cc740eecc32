"""Evidence against a claim: e-processes, each computed from a sketch.

Under the claim every process here is a nonnegative supermartingale (or below one) with mean at
most 1, so that by Ville's inequality it ever exceeds 1/α with probability at most α, whenever
one looks. All are likelihood ratios averaged over alternatives that were fixed beforehand. They
are kept as logarithms. `proofs_notes/samplers.md` has the proofs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle.wings.samplers import alternatives
from dporacle.wings.samplers.law import FARTHEST, REACH
from dporacle.wings.samplers.laws import Law
from dporacle.wings.samplers.repeats import BlindWatch, Repeats
from dporacle.wings.samplers.sketch import BITS, GRID_SLACK, Sketch, normal_mixture

Values = NDArray[np.float64]
Counts = NDArray[np.int64]

SCALES = 0.99999 - np.geomspace(1e-5, 0.98, 121) + 1e-5
"""The factors by which σ may be too small that the scale test tries; their inverses, too big."""
SPREADS = np.geomspace(1e-8, 1.0, 17)
"""Variances of the mean, of the slope and of what else is tried around 0."""
_MOST = 1e6
"""ln of the largest e-value that is told from larger ones."""
_IMPOSSIBLE = REACH**2 / 2 - math.log(2) - 63 * math.log(2)
_COINCIDENCE = 2.0**-40
_CUT = np.array(
    [alternatives.tail(at, side) for side in alternatives.SIDES for at in alternatives.CUTS],
    dtype=np.float64,
)
CUT_GAIN = -np.log1p(-_CUT @ alternatives.CHANCES)
"""The cells beyond each cut, and ln of the likelihood ratio for each draw that is not there."""
CUT_SHARE = 1 / (4 * len(alternatives.CUTS))
"""The weight of each cut in the evidence about light tails."""
_RATES = np.array([0.5, 1e-2, 1e-4, 1e-6])
_FLATTER = math.sqrt(math.pi / 2)
"""How fast a normal number rises with Laplace noise, in the noise's scale, at most."""
_COPY_RATES = np.array([10.0**-digits for digits in range(1, 10)])


def log_mean(values: Values) -> float:
    """Return ln of the mean of e^values: the mean of e-values is one.

    Every e-value passes here before it is compared with anything. It may be lowered.

    Raises:
        ArithmeticError: if one is NaN, of which no comparison would be true.
    """
    if np.isnan(values).any():
        raise ArithmeticError(f"an e-value must be a number, got {values}")
    return min(float(_log_means(values[None, :])[0]), _MOST)


def _log_means(values: Values) -> Values:
    """Return ln of the mean of e^values for each row of them."""
    most = values.max(axis=1, keepdims=True)
    shift = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        found: Values = shift[:, 0] + np.log(np.mean(np.exp(values - shift), axis=1))
    return found


def scale_evidence(squares: float, count: int, *, small: bool) -> float:
    """Return ln E against variance 1, from the sum of `count` squares, for one side."""
    return log_mean(_scale_evidences(np.array([squares]), count, small=small))


def _scale_evidences(squares: Values, count: int, *, small: bool) -> Values:
    factors = SCALES if small else 1 / SCALES
    terms = -count * np.log(factors) + squares[:, None] / 2 * (1 - factors**-2.0)
    return _log_means(terms)


def _too_small(sketch: Sketch, law: Law) -> float:
    return _scales(sketch, small=True)


def _too_big(sketch: Sketch, law: Law) -> float:
    return _scales(sketch, small=False)


def _scales(sketch: Sketch, *, small: bool) -> float:
    """Half of the weight is on a scale common to all coordinates, half on one coordinate's own."""
    total = scale_evidence(float(sketch.squares.sum()), sketch.numbers, small=small)
    each = _scale_evidences(sketch.squares[:64], sketch.rows, small=small)
    return log_mean(np.array([total, log_mean(each)]))


def _bias(sketch: Sketch, law: Law) -> float:
    """Normal mixtures over the mean: of each coordinate, and of one common to all."""
    found = [bias_evidence(float(s), sketch.rows) for s in sketch.sums[:64]]
    common = bias_evidence(float(sketch.sums.sum()), sketch.numbers)
    return log_mean(np.array([common, log_mean(np.array(found))]))


def bias_evidence(total: float, count: int) -> float:
    """Return ln E against mean 0, from the sum of `count` numbers."""
    return log_mean(normal_mixture(total, count, SPREADS))


def _serial(sketch: Sketch, law: Law) -> float:
    """Normal mixtures over the slope of a row on each of those before it."""
    found = normal_mixture(sketch.products[:, None], sketch.previous[:, None], SPREADS)
    return log_mean(found.ravel()) - _other_scale(sketch)


def _drift(sketch: Sketch, law: Law) -> float:
    """Each batch has a scale or a mean of its own."""
    return log_mean(sketch.drift)


def _dependence(sketch: Sketch, law: Law) -> float:
    """Too small or too large a variance of the projections on fixed directions."""
    if not len(sketch.projected):
        return 0.0
    found = [_scale_evidences(sketch.projected, sketch.rows, small=s) for s in (True, False)]
    return log_mean(np.concatenate(found)) - _other_scale(sketch)


def _other_scale(sketch: Sketch) -> float:
    """Return ln of how much likelier than N(0, 1) the best N(0, τ²) makes the numbers.

    Evidence less this is evidence against every scale: noise of another scale is not dependent.
    """
    share = max(float(sketch.squares.sum()) / sketch.numbers, 1 / FARTHEST)
    return sketch.numbers * (share - 1 - math.log(share)) / 2


def _shape(sketch: Sketch, law: Law) -> float:
    """Dirichlet mixtures of multinomial laws against equal cells."""
    counts, bins = np.add.reduceat(sketch.cells, [0, *alternatives.EQUAL]), alternatives.BINS
    found = [
        special.gammaln(weight * bins)
        - special.gammaln(weight * bins + counts.sum())
        + np.sum(special.gammaln(weight + counts) - special.gammaln(weight))
        + counts.sum() * math.log(bins)
        for weight in (1.0, 1e2, 1e4, 1e6)
    ]
    return log_mean(np.array(found))


def _ratios(table: Values, sketch: Sketch) -> Values:
    """Return a table's products with the counts; not by BLAS, whose threads wait for each other."""
    found: Values = np.einsum("ij,j->i", table, sketch.cells.astype(np.float64))
    return found


def _little(sketch: Sketch, law: Law) -> float:
    """A share of the draws has less noise than claimed."""
    return log_mean(_ratios(alternatives.LITTLE, sketch))


def _light_tails(sketch: Sketch, law: Law) -> float:
    """Each tail, or both, beyond each threshold occur less often than they should, or never."""
    cut = np.where(_ratios(_CUT, sketch) == 0, sketch.numbers * CUT_GAIN, -np.inf)
    rarer = log_mean(_ratios(alternatives.LIGHT, sketch))
    return log_mean(np.array([rarer, *(log_mean(each) for each in np.split(cut, 3))]))


def _heavy_tails(sketch: Sketch, law: Law) -> float:
    """Each tail, or both, beyond each threshold occur more often than they should."""
    return log_mean(_ratios(alternatives.HEAVY, sketch))


def _rate(counts: Counts, tried: int, exact: Values, other: Values) -> Values:
    """Return ln of the likelihood ratio of two rates of success."""
    failures = (tried - counts) * (np.log1p(-other) - np.log1p(-exact))
    ratio: Values = special.xlogy(counts, other) - special.xlogy(counts, exact) + failures
    return ratio


def _rare(count: int, tried: int, bound: float) -> float:
    """Return ln E against a rate of at most `bound`."""
    rates = _RATES[bound < _RATES]
    return log_mean(_rate(np.full(len(rates), count), tried, np.full(len(rates), bound), rates))


def _impossible(sketch: Sketch, law: Law) -> float:
    """One number is enough: of 2^63 each is so with a probability of 2e^−800 at most."""
    return _IMPOSSIBLE if sketch.impossible else -math.inf


def _no_noise(sketch: Sketch, law: Law) -> float:
    return _rare(sketch.zeros, sketch.rows * law.dimension, _COINCIDENCE)


def _shared(sketch: Sketch, law: Law) -> float:
    """Neighbouring coordinates of a row coincide."""
    return _rare(sketch.equal, sketch.pairs, _COINCIDENCE)


def _short(sketch: Sketch, law: Law) -> float:
    """The last bits are 0: float32, whole numbers, a coarse grid.

    A correct sampler may well use a factor 64 fewer bits than a double has.
    """
    return _rare(sketch.short, sketch.rows * law.dimension, 2.0 ** (6 - BITS))


def _box_muller(sketch: Sketch, law: Law) -> float:
    found = [_rare(int(n), sketch.grid_pairs, 4 * GRID_SLACK) for n in sketch.gridded]
    return log_mean(np.array(found))


def _repeated(sketch: Sketch, law: Law) -> float:
    """Groups of draws come again, wherever they begin: of those kept each is so rare.

    Groups that overlap are dependent. Of those that begin so many draws apart as a group has this
    would be an e-process; the geometric mean of these is below their mean.
    """
    found = [come_again(each) for each in (*sketch.repeats, *sketch.rough)]
    return log_mean(np.array(found)) if found else 0.0


def _reused(sketch: Sketch, law: Law) -> float:
    """Long groups come again, which independent draws of no law give: see `_scattered`."""
    found = [
        min(come_again(each), _scattered(sketch.alike, sketch.couples, watch.most))
        for each in sketch.blind
        if isinstance(watch := each.watch, BlindWatch)
    ]
    return log_mean(np.array(found))


def _one_for_several(sketch: Sketch, law: Law) -> float:
    """Neighbours in a row coincide, and the first numbers of two rows do not.

    If no value has more than half of the probability, of independent numbers at most half would.
    """
    rates = np.array([0.6, 0.9, 0.99, 1 - 1e-6])
    shared = _rate(np.full(4, sketch.equal), sketch.pairs, np.full(4, 0.5), rates)
    return min(log_mean(shared), _scattered(sketch.below, sketch.above, 0.5))


def _scattered(alike: int, couples: int, most: float) -> float:
    """Return ln E against a law of which some value has more than `most` of the probability.

    Two independent draws of it would be the same with a probability above the square of that. The
    lesser of this and of evidence that supposes the contrary is evidence against every law.
    """
    bounds = np.full(3, most**2)
    return log_mean(_rate(np.full(3, alike), couples, bounds, bounds * [0.5, 1 / 16, 1e-3]))


def come_again(found: Repeats) -> float:
    """Return ln E against groups that come again no more often than their bound."""
    bound = found.watch.rate
    rates = _COPY_RATES[bound < _COPY_RATES]
    if not (found.groups and len(rates)):
        return 0.0
    count, bounds = np.full(len(rates), found.repeated), np.full(len(rates), bound)
    return log_mean(_rate(count, found.groups, bounds, rates) / found.watch.size)


def _echo(sketch: Sketch, law: Law) -> float:
    """Normal mixtures over the slope of a batch's head on that of each batch before it."""
    found = normal_mixture(sketch.echoes[:, None], sketch.echoed[:, None], SPREADS)
    return log_mean(found.ravel()) - _other_scale(sketch)


def _concentrated(sketch: Sketch, law: Law) -> float:
    """More of the noise lies within an interval around 0 than privacy allows.

    Of answers as far apart as the interval is long no set of releases is likelier for one than for
    the other by more than that. Half of the weight is on all coordinates together.
    """
    if law.peaked or law.folded:
        return 0.0
    counts = np.einsum("ij,j->i", alternatives.WITHIN, sketch.cells.astype(np.float64))
    found = _too_often(
        counts[:, None],
        np.full((len(counts), 1), sketch.numbers),
        alternatives.HALVES,
        slack(sketch, law),
        alternatives.INSIDE,
    )
    whole = log_mean(np.append(found.ravel(), 0.0))
    return log_mean(np.array([whole, _in_spans(sketch.each, slack(sketch, law))]))


def _concentrated_together(sketch: Sketch, law: Law) -> float:
    """The same of sums and differences, in which shared or depending noise cancels."""
    if not law.linear:
        return 0.0
    return _in_spans(sketch.joint, slack(sketch, law) * math.sqrt(sketch.width))


def _in_spans(counts: Counts, wider: float) -> float:
    """Return ln E against the claim for all kinds of numbers that were counted in `SPANS`."""
    tried = counts[counts[:, -1] > 0].astype(np.float64)
    found = [
        _too_often(
            tried[:, place, None],
            tried[:, -1:],
            alternatives.SPANS[place : place + 1],
            wider,
            alternatives.TOGETHER[place : place + 1],
        )
        for place in range(len(alternatives.SPANS))
    ]
    return log_mean(np.append(np.concatenate(found, axis=None), 0.0))


def slack(sketch: Sketch, law: Law) -> float:
    """Return by how much an interval is widened, in normal numbers, on each side.

    By a step of whatever grid the releases were rounded to, if that is not the claim's own:
    rounding is no loss of privacy.
    """
    wider = max(sketch.gap - law.grid, 0.0)
    return float(min(_FLATTER * wider / law.spread, FARTHEST))


def _too_often(
    counts: Values, tried: Values, halves: Values, wider: float, complements: Values
) -> Values:
    """Return ln E against the claim that at most so many numbers lie within each interval.

    Args:
        counts: how many did.
        tried: of how many.
        halves: half the width of each interval.
        wider: by how much each is longer to either side in the claim.
        complements: alternatives: the probability of the complement of each.
    """
    claimed = 2 * special.ndtr(-(halves + wider))[:, None]
    beyond = tried - counts
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = special.xlogy(counts, (1 - complements) / _inside(halves + wider)[:, None])
        ratio = ratio + special.xlogy(beyond, complements / claimed)
        frequent = (complements < claimed) & (beyond < claimed * tried)
    found: Values = np.where(frequent, ratio, -np.inf)
    return found


def _inside(halves: Values) -> Values:
    found: Values = special.erf(halves / math.sqrt(2))
    return found


@dataclass(frozen=True)
class Process:
    """An e-process.

    Attributes:
        name: what it looks for, in a word or two.
        fault: what is wrong where its evidence is large.
        log_evidence: ln E from a sketch.
        private: whether its evidence proves that privacy is lost: for independent draws of any
            law that is as private as the claimed one, rounded or not, it is an e-process too. All
            others show another law than the one claimed, which may be no less private.
        atoms: whether it is true of laws with atoms as well.
        supposes: what a proof of a loss of privacy rests on.
    """

    name: str
    fault: str
    log_evidence: Callable[[Sketch, Law], float]
    private: bool
    atoms: bool = True
    supposes: str = ""


_ADDED = "draws that are independent, and depend on the answer by rounding to a grid alone"
_ANY = "nothing of the law: independent draws of no law do so"
PROCESSES = (
    Process(
        "concentrated",
        "noise lies within a short interval more often than its privacy allows",
        _concentrated,
        private=True,
        supposes=_ADDED,
    ),
    Process(
        "concentrated together",
        "the noise of several numbers cancels more often than its privacy allows",
        _concentrated_together,
        private=True,
        supposes=_ADDED,
    ),
    Process("reuse", "a block of the noise comes again", _reused, private=True, supposes=_ANY),
    Process(
        "one for several",
        "numbers of a row share their noise",
        _one_for_several,
        private=True,
        supposes=_ANY,
    ),
    Process("scale", "the noise is smaller than claimed", _too_small, private=False),
    Process("light tails", "large noise is rarer than claimed", _light_tails, private=False),
    Process("little noise", "part of the noise is smaller than claimed", _little, private=False),
    Process("dependence", "coordinates are not independent", _dependence, private=False),
    Process("serial", "a draw depends on one of those before it", _serial, private=False),
    Process("echo", "a batch depends on one of those before it", _echo, private=False),
    Process("repeats", "the same noise comes again", _repeated, private=False),
    Process("shared noise", "one draw is used twice in a row", _shared, private=False, atoms=False),
    Process("no noise", "the noise is exactly 0 too often", _no_noise, private=False, atoms=False),
    Process("short", "the last bits of the draws are 0", _short, private=False, atoms=False),
    Process("uniforms", "Box-Muller on uniforms of few bits", _box_muller, private=False),
    Process("impossible", "no sampler of the law gives such a number", _impossible, private=False),
    Process("scale up", "the noise is larger than claimed", _too_big, private=False),
    Process("heavy tails", "large noise is commoner than claimed", _heavy_tails, private=False),
    Process("bias", "the mean is not 0", _bias, private=False),
    Process("drift", "a batch's scale or mean is not what is claimed", _drift, private=False),
    Process("shape", "the distribution has another shape", _shape, private=False),
)
"""Every process; those that prove a loss of privacy share one half of the error budget."""
