"""Draws that come again: what is kept of them, how often a correct sampler does it, and power.

Statistical tests run once, with fixed seeds; a correct sampler is accused with probability 1e-9 at
most in each audit.
"""

import functools
import itertools
import math
import operator
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from dporacle.wings.samplers import (
    DiscreteGaussian,
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    RankOneGaussian,
    RoundedGaussian,
    audit,
    sketch,
    take,
)
from dporacle.wings.samplers import repeats as module
from dporacle.wings.samplers.evidence import _repeated, come_again
from dporacle.wings.samplers.law import ALIKE, COINCIDENCE, FAR
from dporacle.wings.samplers.repeats import KEPT, Repeats, Watch, watched
from support.dear import mostly_dear

LAW = Gaussian(sigma=3.0)
LAWS = (LAW, DiscreteGaussian(sigma=3.0), RoundedGaussian(sigma=1.0, step=2.0**-20))


def whole_number_laws():
    """From the coarsest grid to the finest: values have from 0.9 to 2⁻⁴⁸ of the probability."""
    steps = 2.0 ** -np.arange(-2, 50, 1.3)
    return [RoundedGaussian(sigma=1.0, step=float(step)) for step in steps]


def sent(rows):
    """Return a source that sends an array, as a file of draws does."""
    return lambda batch: rows[batch.start : batch.start + batch.rows]


def repeats(found):
    (evidence,) = (e for e in found.conformance.evidence if e.process.name == "repeats")
    return evidence.log10


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("shift", [20_000, 20_001, 20_002, 20_003, 17_777])
def test_a_copy_is_seen_wherever_it_begins(law, shift):
    """In batches of 8192: at 20,003 no group of the copy lies as it lay before."""
    rows = law.draw(40_000, np.random.default_rng([1, shift]))
    rows[shift:] = rows[: len(rows) - shift]
    found = audit(law=law, source=sent(rows), limit=len(rows), batch=8192)
    assert found.privacy.convicted
    assert repeats(found) > 20
    assert found.sketch.rows <= shift + 2 * 8192


def test_the_second_half_of_a_million_is_a_copy():
    """Only an eighth of the fingerprints is kept by then."""
    rows = LAW.draw(1_000_000, np.random.default_rng(2))
    rows[500_001:] = rows[: len(rows) - 500_001]
    found = audit(law=LAW, source=sent(rows), limit=len(rows))
    assert repeats(found) > 1000
    assert 500_001 < found.sketch.rows <= 500_001 + 2 * 32_768


@pytest.mark.parametrize(
    ("law", "size"),
    [
        (law, size)
        for law in LAWS
        for size in (2, 3, 8, 13, 29, 998, 999, 1000, 1001)
        if size >= watched(law)[0].size
    ],
)
def test_blocks_that_are_sent_twice_are_seen(law, size):
    drawn = law.draw(10_000, np.random.default_rng(3))
    rows = np.concatenate([drawn[i : i + size] for i in range(0, 10_000, size) for _ in "ab"])
    assert repeats(audit(law=law, source=sent(rows), limit=len(rows))) > 20


@settings(max_examples=100)
@given(st.data(), st.booleans())
def test_fingerprints_are_the_same_where_the_groups_are(data, signed):
    size = data.draw(st.integers(1, 40))
    values = data.draw(st.lists(st.integers(-1, 2), max_size=150))
    watch = Watch(size, KEPT, COINCIDENCE, signed=signed)
    found = module._fingerprints(np.array(values, dtype=np.int64), watch)
    groups = [tuple(values[i : i + size]) for i in range(len(values) - size + 1)]
    if not signed:  # what is turned round is the same
        groups = [max(each, tuple(-x for x in each)) for each in groups]
    assert len(found) == len(groups)
    pairs = set(zip(groups, found.tolist(), strict=True))
    assert len(pairs) == len(set(groups)) == len(set(found.tolist()))


@settings(max_examples=100)
@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=30), min_size=1, max_size=8))
def test_the_least_fingerprints_are_counted_in_full(batches):
    """Whatever the batches; and no more often than they were met while they were kept."""
    flat = [value for batch in batches for value in batch]
    with pytest.MonkeyPatch.context() as patch:
        watches = (Watch(1, 8, COINCIDENCE),)
        patch.setattr("dporacle.wings.samplers.sketch.watched", lambda law: watches)
        parts = [
            take(np.array(b, float)[:, None], LAW, generator=np.random.default_rng(0))
            for b in batches
        ]
        (whole,) = functools.reduce(operator.add, parts).repeats
    keys = LAW.keys(np.array(flat, float)[:, None], 0.0).ravel()
    words = module._fingerprints(keys, Watch(1, 8, COINCIDENCE)).tolist()
    counts = Counter(words)
    least = sorted(counts)[:8]
    assert whole.seen.tolist() == least
    assert whole.copies.tolist() == [counts[word] - 1 for word in least]
    assert whole.groups == len(flat)
    met, kept = 0, []
    for word in words:
        met += word in kept
        kept = sorted({*kept, word})[:8]
    assert whole.repeated <= met


def met(watch, groups, copies):
    return Repeats(watch, groups, np.arange(1, dtype=np.uint64), np.array([copies]))


@pytest.mark.parametrize("count", [10, 32_768, 492_800, 10**8, 10**15])
@pytest.mark.parametrize(
    "watch", [each for law in LAWS[:2] for each in watched(law)], ids=lambda w: str(w.size)
)
def test_the_expected_evidence_is_one_at_most(watch, count):
    """If each group were a copy as often as it ever may be, by summation, however many draws.

    For groups of several draws, if all that overlap are copies together, which is the worst.
    """
    mean = count * watch.rate
    hits = np.arange(int(min(count, 40 + 3 * mean, 2000)) + 1)
    values = [come_again(met(watch, count * watch.size, n * watch.size)) for n in hits.tolist()]
    expected = special.logsumexp(stats.binom.logpmf(hits, count, watch.rate) + values)
    assert expected <= 1e-6
    if count == 10:  # nothing is left out of the sum
        assert expected == pytest.approx(0, abs=1e-6)


def test_no_group_is_likelier_than_its_bound():
    """Nor are all that are kept of shorter groups; those of one size and the next are near."""
    for law in whole_number_laws():
        sizes = [watch.size for watch in watched(law)]
        for watch in watched(law):
            assert watch.chance >= law.collision**watch.size
            assert watch.rate < 0.1
            assert watch.kept >= 64
            if 1 < watch.size < sizes[-1]:
                assert watch.chance >= 8 * law.collision**watch.size
        assert all(b <= max(1.5 * a + 1, 2) or a == 1 for a, b in itertools.pairwise(sizes))
        assert watched(law)[-1].chance == (ALIKE if law.collision <= ALIKE else COINCIDENCE)


@pytest.mark.parametrize("values", [1 << 16, 3000])
def test_few_different_values_are_seen(values):
    """Of a law with atoms too: each value comes again, and a correct sampler's hardly ever."""
    law = LAWS[2]
    rows = law.draw(values, np.random.default_rng(4))
    source = sent(np.random.default_rng(5).choice(rows, 100_000))
    found = audit(law=law, source=source, limit=100_000)
    assert repeats(found) > 100
    assert found.sketch.rows == 1 << 15


@pytest.mark.parametrize(
    "density", [stats.norm.pdf, stats.laplace.pdf, stats.laplace(scale=1e-10).pdf, stats.t(2).pdf]
)
def test_no_float_is_likelier_than_so(density):
    """|x|·f(x) ≤ ½ where f is symmetric and falls with |x|; a float's cell is 2⁻⁵²|x| wide."""
    sizes = np.geomspace(1e-30, 40, 100_000)
    assert np.max(density(sizes) * np.spacing(sizes)) <= 2.0**-53 < COINCIDENCE / 16


@pytest.mark.parametrize(
    "law",
    mostly_dear(
        [
            LAW,
            Laplace(scale=2.0, dimension=3),
            RankOneGaussian(sigma_star=2.0, dimension=2),
            LaplaceWithGaussian(scale=1.0, sigma=2.0, dimension=3),
            DiscreteGaussian(sigma=0.4),
            RoundedGaussian(sigma=1.0, step=2.0**-30),
            RoundedGaussian(sigma=1.0, step=2.0**-44),
            *LAWS[1:],
            DiscreteGaussian(sigma=100.0),
            DiscreteGaussian(sigma=2000.0),
        ],
        3,
    ),
    ids=str,
)
def test_a_correct_sampler_is_not_accused_of_repeats_in_a_million_draws(law):
    generator = np.random.default_rng(9)
    whole = take(law.draw(1000, generator), law, generator=generator)
    for _ in range(8):
        rows = law.draw(125_000 // law.dimension, generator)
        whole = whole + take(rows, law, generator=generator)
    assert _repeated(whole, law) < math.log(20)
    assert whole.repeats[-1].repeated <= 1


def test_the_power_to_see_few_bits():
    """Inversion of B bits repeats min(n, KEPT)·n/2^(B+1) of n draws; so many copies convict."""

    def needed(count):
        (watch,) = watched(LAW)
        for copies in range(1, 100):
            if come_again(met(watch, count, copies)) > math.log(20) - math.log(5e-10):
                return copies
        raise AssertionError

    expected = KEPT * 501_248 / 2**33
    assert needed(501_248) == 6
    assert stats.poisson.sf(5, expected) > 0.75  # of 32 bits, in the draws of an audit by default
    assert stats.poisson.sf(needed(32_768) - 1, 32_768**2 / 2**25) > 1 - 1e-9  # of 24, at once
    assert needed(10**9) < KEPT * 10**9 / 2**41 * 4


@pytest.mark.parametrize("law", [LAW, Laplace(scale=2.0), LAWS[2]], ids=str)
def test_what_rounding_leaves_of_a_large_value_is_no_repeat(law):
    """A release of 100 σ has 2⁻⁴⁵ of σ between it and the next: no cell has 2⁻⁴⁶ of the mass."""
    peak = 0.5 / law.spread
    assert peak * np.spacing(FAR * law.spread) <= COINCIDENCE
    with pytest.raises(ValueError, match="values must be at most 100 times"):
        audit(law=Gaussian(sigma=3.0), source=sent(np.zeros((1, 1))), values=(0.0, 300.1))


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_noise_without_a_highest_density_is_known_by_its_length(value):
    """A coordinate of rank-one noise may be so small that a value hides it; its length is not."""
    law = RankOneGaussian(sigma_star=1.0, dimension=1000)
    rows = law.draw(40, np.random.default_rng(6))
    rows[3] *= 2.0**-60
    found = take(rows + value, law, generator=np.random.default_rng(7), value=value)
    assert found.zeros == found.equal == found.repeats[0].repeated == 0
    again = np.concatenate((rows + value, np.random.default_rng(8).permuted(rows, axis=1) + value))
    found = take(again, law, generator=np.random.default_rng(7), value=value)
    assert found.repeats[0].repeated >= 30


def test_pairs_of_rows_are_counted_from_either_row_on():
    """The second phase of a lag counts what the first one does of the rows after the first few."""
    normal = np.random.default_rng(9).standard_normal((60, 3))
    whole = sketch._joint(normal)
    for lag in range(1, sketch.LAGS + 1):
        first = sketch.DIRECTIONS + (lag - 1) * sketch._PHASES * sketch._SIGNS
        second = first + sketch._SIGNS
        later = sketch._joint(normal[lag:])[first:second]
        assert (whole[second : second + sketch._SIGNS] == later).all()
        assert (whole[first:second] != later).any()


@pytest.mark.parametrize("bits", [16, 24])
def test_normal_numbers_of_short_uniform_ones_are_counted(bits):
    generator = np.random.default_rng(4)
    radius = np.sqrt(-2 * np.log(generator.integers(1, 1 << bits, 500) / (1 << bits)))
    angle = generator.uniform(0, 2 * math.pi, 500)
    found, pairs = sketch._box_muller(np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1))
    assert pairs == 500
    assert found[sketch.GRIDS.index(bits)] == 500
    other, _ = sketch._box_muller(generator.standard_normal((500, 2)))
    assert other[sketch.GRIDS.index(bits)] < 50
