"""Samplers with known faults, and correct ones, to try the audit of samplers on.

Each draws what a real mistake would draw; `rows` is about how many rows convict it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle.common import randomness
from dporacle.wings.samplers import (
    Batch,
    DiscreteGaussian,
    DiscreteGaussianSum,
    DiscreteLaplace,
    DiscreteLaplaceSum,
    Gaussian,
    Laplace,
    Law,
    RankOneGaussian,
    RoundedGaussian,
    Skellam,
)

Rows = NDArray[np.float64]
SIGMA = 3.0


@dataclass(frozen=True)
class SamplerSpecimen:
    """A sampler.

    Attributes:
        name: what it does.
        law: what its noise is claimed to be.
        source: draws a batch.
        process: the process that convicts it, of several that may; empty if it is correct.
        rows: within how many rows it has to be convicted.
        private: within how many rows a loss of privacy has to be proved; 0 if none has to.
        values: the exact answers of which releases are drawn.
    """

    name: str
    law: Law
    source: Callable[[Batch], Rows]
    process: str = ""
    rows: int = 0
    private: int = 0
    values: tuple[float, ...] = (0.0,)


def _normal(batch: Batch) -> Rows:
    return batch.generator().standard_normal((batch.rows, batch.dimension))


def _scaled(factor: float) -> Callable[[Batch], Rows]:
    return lambda batch: SIGMA * factor * _normal(batch)


def _same_seed(batch: Batch) -> Rows:
    one = randomness.generator("the one seed of a faulty sampler").standard_normal(64)
    return SIGMA * np.resize(one, (batch.rows, batch.dimension))


def _one_draw(batch: Batch) -> Rows:
    return SIGMA * np.repeat(_normal(batch)[:, :1], batch.dimension, axis=1)


def _single(batch: Batch) -> Rows:
    return (SIGMA * _normal(batch)).astype(np.float32).astype(np.float64)


def _whole(batch: Batch) -> Rows:
    return np.rint(SIGMA * _normal(batch))


def _box_muller(bits: int) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        generator, half = batch.generator(), batch.rows * batch.dimension // 2 + 1
        u, v = (generator.integers(1, 1 << bits, size=half) * 2.0**-bits for _ in range(2))
        radius = np.sqrt(-2 * np.log(u))
        both = np.stack((radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)), axis=1)
        return SIGMA * both.ravel()[: batch.rows * batch.dimension].reshape(batch.rows, -1)

    return draw


def _laplace(batch: Batch) -> Rows:
    return batch.generator().laplace(0, SIGMA / math.sqrt(2), (batch.rows, batch.dimension))


def _correlated(share: float) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        common = batch.generator().standard_normal((batch.rows, batch.dimension + 1))
        return SIGMA * (math.sqrt(share) * common[:, -1:] + math.sqrt(1 - share) * common[:, :-1])

    return draw


def _autoregressive(slope: float) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        fresh = _normal(batch)
        fresh[1:] *= math.sqrt(1 - slope**2)
        for i in range(1, len(fresh)):
            fresh[i] += slope * fresh[i - 1]
        return SIGMA * fresh

    return draw


def _student(batch: Batch) -> Rows:
    drawn = batch.generator().standard_t(30, (batch.rows, batch.dimension))
    scaled: Rows = SIGMA * drawn * math.sqrt(28 / 30)
    return scaled


def _twelve(batch: Batch) -> Rows:
    sums: Rows = batch.generator().random((batch.rows, batch.dimension, 12)).sum(axis=2)
    return SIGMA * (sums - 6)


def _cut(at: float) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        inside = special.ndtr(at) - special.ndtr(-at)
        uniform = (
            special.ndtr(-at) + batch.generator().random((batch.rows, batch.dimension)) * inside
        )
        return SIGMA * special.ndtri(uniform)

    return draw


def _clipped(batch: Batch) -> Rows:
    return SIGMA * np.clip(_normal(batch), -4, 4)


def _biased(batch: Batch) -> Rows:
    return SIGMA * (_normal(batch) + 0.01)


def _sometimes_none(batch: Batch) -> Rows:
    drawn, generator = SIGMA * _normal(batch), batch.generator().spawn(1)[0]
    return np.where(generator.random(drawn.shape) < 1e-3, 0.0, drawn)


def _one_coordinate(batch: Batch) -> Rows:
    drawn = SIGMA * _normal(batch)
    drawn[:, 3] *= 0.5
    return drawn


def _absolute(batch: Batch) -> Rows:
    return SIGMA * np.abs(_normal(batch))


def _uniform(batch: Batch) -> Rows:
    size = (batch.rows, batch.dimension)
    return batch.generator().uniform(-SIGMA * math.sqrt(3), SIGMA * math.sqrt(3), size)


def _antithetic(batch: Batch) -> Rows:
    drawn = _normal(batch)
    drawn[1::2] = -drawn[: 2 * (len(drawn) // 2) : 2]
    return SIGMA * drawn


def _recycled(batch: Batch) -> Rows:
    drawn = _normal(batch)
    return SIGMA * np.resize(drawn[: max(1, len(drawn) // 4)], drawn.shape)


def _again(shift: int) -> Callable[[Batch], Rows]:
    """Every other batch is the one before, from another place on."""

    def draw(batch: Batch) -> Rows:
        before = replace(batch, index=batch.index // 2 * 2)
        return SIGMA * np.roll(_normal(before), shift * (batch.index % 2), axis=0)

    return draw


def _released(drawn: Callable[[Batch], Rows]) -> Callable[[Batch], Rows]:
    return lambda batch: batch.value + drawn(batch)


def _before(batch: Batch) -> Batch:
    """Return the request before: of the same batch, or of the one before."""
    if batch.request:
        return replace(batch, request=batch.request - 1)
    return replace(batch, index=max(batch.index - 1, 0))


def _of_request_before(batch: Batch) -> Rows:
    """At every second request, return the noise of the request before."""
    number = batch.request or batch.index
    return SIGMA * _normal(_before(batch) if number % 2 else batch)


def _second_copied(batch: Batch) -> Rows:
    return SIGMA * _normal(replace(batch, index=batch.index - batch.index % 2))


def _thousandth_copied(batch: Batch) -> Rows:
    """Now and then a draw is that of 500 rows before; in a short batch, the one of its place."""
    drawn = SIGMA * _normal(batch)
    drawn[500::1000] = drawn[: len(drawn[500:]) : 1000]
    return drawn


def _tenth_copied(batch: Batch) -> Rows:
    return SIGMA * _normal(replace(batch, index=batch.index - (batch.index % 10 == 9)))


def _one_seed_to_a_process(batch: Batch) -> Rows:
    return SIGMA * _normal(replace(batch, index=0) if batch.fresh else batch)


def _one_of_few_seeds(batch: Batch) -> Rows:
    seed = int(batch.generator().integers(1 << 16))
    generator = randomness.generator("one of few seeds", seed)
    return SIGMA * generator.standard_normal((batch.rows, batch.dimension))


def _changed(change: Callable[[Rows, Batch], Rows], back: int) -> Callable[[Batch], Rows]:
    """Change the noise of so many batches ago, every other so many batches."""

    def draw(batch: Batch) -> Rows:
        if batch.index // back % 2 == 0:
            return SIGMA * _normal(batch)
        return SIGMA * change(_normal(replace(batch, index=batch.index - back)), batch)

    return draw


def _negated(noise: Rows, batch: Batch) -> Rows:
    return -noise


def _permuted(noise: Rows, batch: Batch) -> Rows:
    return batch.generator().permutation(noise)


def _moved(noise: Rows, batch: Batch) -> Rows:
    """Add what depends on the value, and is too little to be seen as a bias."""
    return noise + 1e-5 * (1 + batch.value)


def _stretched(noise: Rows, batch: Batch) -> Rows:
    return 1.001 * noise


def _mixed(noise: Rows, batch: Batch) -> Rows:
    """Return noise of the right law that is half that of another batch."""
    return 0.7 * noise + math.sqrt(1 - 0.7**2) * _normal(batch)


def _rounded(drawn: Callable[[Batch], Rows], step: float) -> Callable[[Batch], Rows]:
    """Round what is released."""
    return lambda batch: step * np.rint((batch.value + drawn(batch)) / step)


def _blocks(size: int, law: Law) -> Callable[[Batch], Rows]:
    """Send blocks of so many rows twice, one after the other."""

    def draw(batch: Batch) -> Rows:
        drawn = law.draw(batch.rows, batch.generator())
        blocks = [drawn[at : at + size] for at in range(0, len(drawn), size) for _ in range(2)]
        return np.concatenate(blocks)[: batch.rows]

    return draw


def _coarse(bits: int) -> Callable[[Batch], Rows]:
    """Invert the normal distribution at uniform numbers of so many bits."""

    def draw(batch: Batch) -> Rows:
        words = batch.generator().integers(0, 1 << bits, (batch.rows, batch.dimension))
        return SIGMA * special.ndtri((words + 0.5) * 2.0**-bits)

    return draw


def _contaminated(share: float, factor: float) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        drawn, generator = _normal(batch), batch.generator().spawn(1)[0]
        return SIGMA * drawn * np.where(generator.random((batch.rows, 1)) < share, factor, 1.0)

    return draw


def _within(law: Law, most: float) -> Callable[[Batch], Rows]:
    """Draw again where a number is larger."""

    def draw(batch: Batch) -> Rows:
        generator = batch.generator()
        drawn = law.draw(batch.rows, generator)
        while (wrong := np.abs(drawn[:, 0]) > most).any():
            drawn[wrong] = law.draw(int(wrong.sum()), generator)
        return drawn

    return draw


def _of(law: Law) -> Callable[[Batch], Rows]:
    return lambda batch: law.draw(batch.rows, batch.generator())


def _sums(law: Law, end: Callable[[Rows], Rows]) -> Callable[[Batch], Rows]:
    """Add noise of a law to the answer, and do something to the sum."""
    return lambda batch: end(batch.value + law.draw(batch.rows, batch.generator()))


def _to_and_fro(batch: Batch) -> Rows:
    return SIGMA * _normal(batch) * (1.01 if batch.index % 2 else 0.99)


def _mean_to_and_fro(batch: Batch) -> Rows:
    return SIGMA * (_normal(batch) + (0.01 if batch.index % 2 else -0.01))


def _last_but_one(batch: Batch) -> Rows:
    fresh = _normal(batch)
    for i in range(2, len(fresh)):
        fresh[i] = 0.02 * fresh[i - 2] + math.sqrt(1 - 0.02**2) * fresh[i]
    return SIGMA * fresh


_ANSWERS = (0.0, 1.0, 0.0, -1.0, 0.0, 100 * SIGMA)
_PLAIN = Gaussian(sigma=SIGMA)
_WIDE = Gaussian(sigma=SIGMA, dimension=64)
_DISCRETE = DiscreteGaussian(sigma=SIGMA)
_LAPLACE = Laplace(scale=2.0)
_SKELLAM = Skellam(variance=9.0)
_REMAINDER = Skellam(variance=9.0, modulus=16)
_CLAMPED = DiscreteLaplaceSum(scale=1.0, parties=3, bound=4)
_WHOLE_ANSWERS = (0.0, 1.0, 0.0, -1.0, 0.0, 300.0)

FAULTY = (
    SamplerSpecimen(
        "the square root of σ", _PLAIN, _scaled(SIGMA**-0.5), "scale", 2_000, private=2_000
    ),
    SamplerSpecimen("σ² for σ", _PLAIN, _scaled(SIGMA), "scale up", 2_000),
    SamplerSpecimen("σ over √d", _WIDE, _scaled(1 / 8), "scale", 1_000, private=1_000),
    SamplerSpecimen("σ 10 % too small", _PLAIN, _scaled(0.9), "scale", 10_000, private=10_000),
    SamplerSpecimen("σ 1 % too small", _PLAIN, _scaled(0.99), "scale", 800_000, private=800_000),
    SamplerSpecimen("σ 10 % too large", _PLAIN, _scaled(1.1), "scale up", 10_000),
    SamplerSpecimen("one coordinate halved", _WIDE, _one_coordinate, "scale", 2_000, private=2_000),
    SamplerSpecimen(
        "one draw for all coordinates", _WIDE, _one_draw, "shared noise", 1_000, private=1_000
    ),
    SamplerSpecimen(
        "the same seed in every call", _PLAIN, _same_seed, "repeats", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "a quarter of the draws, four times", _PLAIN, _recycled, "repeats", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "each draw and its negative", _PLAIN, _antithetic, "serial", 40_000, private=40_000
    ),
    SamplerSpecimen("float32", _PLAIN, _single, "short", 40_000),
    SamplerSpecimen("whole numbers for continuous noise", _PLAIN, _whole, "short", 40_000),
    SamplerSpecimen(
        "a batch again, shifted by 501", _PLAIN, _again(501), "repeats", 70_000, private=70_000
    ),
    SamplerSpecimen(
        "blocks of 999, each twice", _PLAIN, _blocks(999, _PLAIN), "repeats", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "blocks of 1001, each twice",
        _PLAIN,
        _blocks(1001, _PLAIN),
        "repeats",
        40_000,
        private=40_000,
    ),
    SamplerSpecimen(
        "pairs of draws, each twice", _PLAIN, _blocks(2, _PLAIN), "repeats", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "discrete, blocks of 99 twice",
        _DISCRETE,
        _blocks(99, _DISCRETE),
        "repeats",
        40_000,
        private=40_000,
    ),
    SamplerSpecimen("a table of 4096 values", _PLAIN, _coarse(12), "repeats", 40_000),
    SamplerSpecimen("inversion of 16 bits", _PLAIN, _coarse(16), "repeats", 40_000),
    SamplerSpecimen("inversion of 24 bits", _PLAIN, _coarse(24), "repeats", 40_000),
    SamplerSpecimen("inversion of 32 bits", _PLAIN, _coarse(32), "repeats", 1_500_000),
    SamplerSpecimen("Box-Muller of 16 bits", _PLAIN, _box_muller(16), "uniforms", 40_000),
    SamplerSpecimen("Box-Muller of 24 bits", _PLAIN, _box_muller(24), "uniforms", 40_000),
    SamplerSpecimen("Box-Muller of 32 bits", _PLAIN, _box_muller(32), "uniforms", 40_000),
    SamplerSpecimen(
        "Laplace of the same variance", _PLAIN, _laplace, "shape", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "uniform of the same variance", _PLAIN, _uniform, "shape", 40_000, private=40_000
    ),
    SamplerSpecimen("only positive noise", _PLAIN, _absolute, "bias", 40_000, private=40_000),
    SamplerSpecimen("correlation 0.01", _WIDE, _correlated(0.01), "dependence", 60_000),
    SamplerSpecimen(
        "autoregression 0.05", _PLAIN, _autoregressive(0.05), "serial", 300_000, private=300_000
    ),
    SamplerSpecimen("Student's t with 30 degrees", _PLAIN, _student, "heavy tails", 1_500_000),
    SamplerSpecimen(
        "the sum of 12 uniforms", _PLAIN, _twelve, "light tails", 1_500_000, private=1_500_000
    ),
    SamplerSpecimen(
        "no tail beyond 3.5 σ", _PLAIN, _cut(3.5), "light tails", 500_000, private=500_000
    ),
    SamplerSpecimen("clipped at 4 σ", _PLAIN, _clipped, "repeats", 1_500_000),
    SamplerSpecimen("bias of 0.01 σ", _PLAIN, _biased, "bias", 1_500_000),
    SamplerSpecimen(
        "no noise in one of 1000", _PLAIN, _sometimes_none, "no noise", 40_000, private=40_000
    ),
    SamplerSpecimen(
        "σ 0.3 times in one of 50",
        _PLAIN,
        _contaminated(0.02, 0.3),
        "little noise",
        500_000,
        private=500_000,
    ),
    SamplerSpecimen(
        "hardly noise in one of 1000",
        _PLAIN,
        _contaminated(1e-3, 1e-6),
        "little noise",
        40_000,
        private=40_000,
    ),
    SamplerSpecimen(
        "half of σ in one of 100", _PLAIN, _contaminated(0.01, 0.5), "little noise", 3_000_000
    ),
    SamplerSpecimen(
        "no tail beyond 4 σ",
        _PLAIN,
        _within(_PLAIN, 4 * SIGMA),
        "light tails",
        500_000,
        private=500_000,
    ),
    SamplerSpecimen(
        "discrete, no tail beyond 4 σ", _DISCRETE, _within(_DISCRETE, 12), "light tails", 1_200_000
    ),
    SamplerSpecimen(
        "Laplace, no tail beyond 10 b", _LAPLACE, _within(_LAPLACE, 20), "light tails", 900_000
    ),
    SamplerSpecimen("correlated with the last but one", _PLAIN, _last_but_one, "serial", 500_000),
    SamplerSpecimen("σ 1 % up and down", _PLAIN, _to_and_fro, "drift", 900_000),
    SamplerSpecimen("a mean to and fro", _PLAIN, _mean_to_and_fro, "drift", 2_200_000),
    SamplerSpecimen(
        "rounded for discrete noise",
        DiscreteGaussian(sigma=0.5),
        lambda b: np.rint(0.5 * _normal(b)),
        "shape",
        400_000,
    ),
    SamplerSpecimen(
        "clamped to 0 … m − 1 for a remainder",
        _REMAINDER,
        _sums(_SKELLAM, lambda sums: np.clip(sums, 0, 15)),
        "shape",
        40_000,
        values=_WHOLE_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise's remainder added",
        _REMAINDER,
        _released(_of(_REMAINDER)),
        "impossible",
        80_000,
        values=_WHOLE_ANSWERS,
    ),
    SamplerSpecimen(
        "modulo m − 1",
        _REMAINDER,
        _sums(_SKELLAM, lambda sums: np.remainder(sums, 15.0)),
        "shape",
        40_000,
        values=_WHOLE_ANSWERS,
    ),
    SamplerSpecimen(
        "modulo m + 1",
        _REMAINDER,
        _sums(_SKELLAM, lambda sums: np.remainder(sums, 17.0)),
        "impossible",
        40_000,
        values=_WHOLE_ANSWERS,
    ),
    SamplerSpecimen(
        "redrawn for clamped noise",
        _CLAMPED,
        _within(DiscreteLaplaceSum(scale=1.0, parties=3), 4),
        "shape",
        40_000,
    ),
    SamplerSpecimen(
        "the output clamped, not the noise",
        _CLAMPED,
        _sums(DiscreteLaplaceSum(scale=1.0, parties=3), lambda sums: np.clip(sums, -4, 4)),
        "impossible",
        80_000,
        values=_WHOLE_ANSWERS,
    ),
    SamplerSpecimen(
        "rank one as N(0, σ* I/d)",
        RankOneGaussian(sigma_star=9.0, dimension=8),
        lambda b: SIGMA / math.sqrt(8) * _normal(b),
        "shape",
        40_000,
    ),
    SamplerSpecimen(
        "the noise of the request before",
        _PLAIN,
        _released(_of_request_before),
        "repeats",
        200_000,
        private=200_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "every tenth batch copied",
        _PLAIN,
        _released(_tenth_copied),
        "repeats",
        400_000,
        private=400_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "every second batch copied",
        _PLAIN,
        _released(_second_copied),
        "repeats",
        70_000,
        private=70_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen("one of 1000 came before", _PLAIN, _thousandth_copied, "repeats", 200_000),
    SamplerSpecimen(
        "the same seed in every process",
        _PLAIN,
        _released(_one_seed_to_a_process),
        "repeats",
        70_000,
        private=70_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "one of 65,536 seeds in every request",
        _PLAIN,
        _released(_one_of_few_seeds),
        "repeats",
        140_000,
        private=140_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise of 4 batches ago, negated",
        _PLAIN,
        _released(_changed(_negated, 4)),
        "repeats",
        200_000,
        private=200_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise of 9 batches ago, permuted",
        _PLAIN,
        _released(_changed(_permuted, 9)),
        "repeats",
        400_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise of 10 batches ago, moved a little",
        _PLAIN,
        _released(_changed(_moved, 10)),
        "repeats",
        400_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise of 10 batches ago, 1.001 times",
        _PLAIN,
        _released(_changed(_stretched, 10)),
        "repeats",
        400_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "the noise of 2 batches ago, moved a little",
        _PLAIN,
        _released(_changed(_moved, 2)),
        "repeats",
        140_000,
        private=140_000,
        values=_ANSWERS,
    ),
    SamplerSpecimen(
        "half of the noise of 3 batches ago",
        _PLAIN,
        _released(_changed(_mixed, 3)),
        "echo",
        300_000,
        private=300_000,
        values=_ANSWERS,
    ),
)
"""Samplers that have to be convicted."""


def _numpy(bits: type[np.random.BitGenerator]) -> Callable[[Batch], Rows]:
    def draw(batch: Batch) -> Rows:
        part = batch.index, batch.request
        seeds = randomness.sequence("kinds of generators", batch.seed, *part)
        generator = np.random.Generator(bits(seeds))
        return SIGMA * generator.standard_normal((batch.rows, batch.dimension))

    return draw


def _inversion(batch: Batch) -> Rows:
    return SIGMA * special.ndtri(batch.generator().random((batch.rows, batch.dimension)))


_LAWS: tuple[Law, ...] = (
    DiscreteLaplace(scale=2.0, dimension=2),
    DiscreteLaplace(scale=1.0, step=2.0**-20),
    _DISCRETE,
    DiscreteGaussian(sigma=0.4, dimension=3),
    RoundedGaussian(sigma=1.0, step=0.25),
    RoundedGaussian(sigma=SIGMA, step=2.0**-20, dimension=4),
    Laplace(scale=2.0, dimension=5),
    RankOneGaussian(sigma_star=4.0, dimension=7),
    _REMAINDER,
    DiscreteGaussianSum(sigma=0.5, parties=10, modulus=5, dimension=2),
    _CLAMPED,
    Gaussian(sigma=1e-300, dimension=2),
)
CORRECT = (
    SamplerSpecimen("numpy, PCG64", _PLAIN, _numpy(np.random.PCG64)),
    SamplerSpecimen("numpy, SFC64", _WIDE, _numpy(np.random.SFC64)),
    SamplerSpecimen("numpy, Philox", _PLAIN, _numpy(np.random.Philox)),
    SamplerSpecimen("scipy, inversion of uniforms", _PLAIN, _inversion),
    *(SamplerSpecimen(f"correct {law}", law, _of(law)) for law in _LAWS),
)
"""Samplers that must not be accused."""

OTHERS = (
    SamplerSpecimen("a grid of 2⁻²⁰", _PLAIN, _rounded(_of(_PLAIN), 2.0**-20), values=_ANSWERS),
    SamplerSpecimen("a grid of 0.1", _PLAIN, _rounded(_of(_PLAIN), 0.1), values=_ANSWERS),
    SamplerSpecimen("a grid of σ/3", _PLAIN, _rounded(_of(_PLAIN), 1.0), values=_ANSWERS),
    SamplerSpecimen("a grid of 10 σ", _PLAIN, _rounded(_of(_PLAIN), 10 * SIGMA), values=_ANSWERS),
    SamplerSpecimen(
        "discrete Gaussian for Gaussian", _PLAIN, _released(_of(_DISCRETE)), values=_ANSWERS
    ),
    SamplerSpecimen(
        "two-sided geometric for Laplace",
        _LAPLACE,
        _released(_of(DiscreteLaplace(scale=2.0))),
        values=(0.0, 1.0, 0.0, -1.0, 0.0, 200.0),
    ),
    SamplerSpecimen(
        "two-sided geometric of half a step for Laplace",
        Laplace(scale=0.5),
        _released(_of(DiscreteLaplace(scale=0.5))),
        values=(0.0, 1.0, 0.0, -1.0, 0.0, 50.0),
    ),
    SamplerSpecimen("σ 1.5 times as large", _PLAIN, _scaled(1.5)),
    SamplerSpecimen("a constant added", _PLAIN, lambda batch: 1.0 + SIGMA * _normal(batch)),
    SamplerSpecimen(
        "σ twice as large, autoregression 0.3", _PLAIN, lambda b: 2 * _autoregressive(0.3)(b)
    ),
)
"""Samplers of another law than claimed, which is no less private: so no loss is to be proved."""
