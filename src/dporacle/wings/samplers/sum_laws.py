"""Laws of integer noise that several parties add, by a table of their atoms (X.SUM, X.BOUNDED).

Of a claim with a modulus the remainder, 0 to m − 1, of answer and noise is released; of one with a
bound the whole noise is moved to the nearer end of −M, …, M, before it is added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy import special

from dporacle.wings.samplers.cells import Cells, cell_tails
from dporacle.wings.samplers.exact_tails import Limits
from dporacle.wings.samplers.lattice_laws import (
    WholeNumbers,
    drawn,
    moments_of_cells,
    require_whole,
    require_whole_noise,
)
from dporacle.wings.samplers.law import NEAR, Keys, Members, Rows, counted, positive, whole

_LEAST = 1e-305
"""Atoms below it are not listed."""
_MOST = 20_000
"""Atoms of a table from 0 on; sums of two are as many products as its square."""
_LIKELY = 1e-22
"""Atoms above it are what tails of losses are summed over."""
_MET = 1e-60
"""No audit meets an atom below it."""

_LARGEST = 2**53
"""Whole numbers up to it are floats."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Listed(WholeNumbers):
    """Whole numbers whose atoms are listed from 0 on; the law is symmetric.

    Attributes:
        modulus: what is released is the remainder modulo this, from 0 on; if None, the sum.
        bound: noise beyond it, of either sign, is moved to it; if None, none is.
    """

    modulus: int | None = None
    bound: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.modulus is not None and self.bound is not None:
            both = f"modulus {self.modulus!r} and bound {self.bound!r}"
            raise ValueError(f"one of modulus and bound may be given, got {both}")
        for name, value, least in (("modulus", self.modulus, 2), ("bound", self.bound, 1)):
            if value is not None:
                counted(name, value, least)
                if value > _LARGEST:
                    raise ValueError(f"{name} must be at most 2^53, got {value!r}")

    def __repr__(self) -> str:
        """Say what is claimed; a modulus or a bound that is not, is not named."""
        said: list[tuple[str, Any]] = [
            (each.name, getattr(self, each.name)) for each in fields(self)
        ]
        named = ", ".join(f"{name}={value!r}" for name, value in said if value is not None)
        return f"{type(self).__name__}({named})"

    @property
    def folded(self) -> bool:
        """Whether there is a modulus or a bound."""
        return self.modulus is not None or self.bound is not None

    def _listed(self, least: float) -> Rows:
        """Pr[0], Pr[1], … down to a least one, of noise without modulus or bound."""
        raise NotImplementedError

    @cached_property
    def _atoms(self) -> Rows:
        """The same of the noise itself, as far as they are floats."""
        return self._folded(self._listed(_LEAST))

    def _folded(self, atoms: Rows) -> Rows:
        """Return those with modulus or bound: of m/2 half of its own, as it has both signs."""
        last = len(atoms) - 1
        if self.bound is not None and self.bound <= last:
            return np.append(atoms[: self.bound], atoms[self.bound :][::-1].sum())
        if self.modulus is None or self.modulus // 2 > last:
            return atoms
        sizes = np.abs(self._centred(np.arange(last + 1, dtype=np.float64))).astype(np.int64)
        # Both signs of a number go to the same size, half of them to either sign.
        least = self.modulus // 2 + 1
        folded: Rows = np.bincount(sizes[::-1], weights=atoms[::-1], minlength=least).astype(
            np.float64
        )
        folded[0] = 2 * folded[0] - atoms[0]
        return folded

    def _centred(self, numbers: Rows) -> Rows:
        """Return the numbers of the least size with the same remainders: more than −m/2."""
        if self.modulus is None:
            return numbers
        with np.errstate(invalid="ignore"):
            found = np.remainder(numbers, float(self.modulus))
        return np.where(found > self.modulus / 2, found - self.modulus, found)

    def possible(self, rows: Rows) -> Members:
        """Return which numbers are whole; with a modulus, which are remainders."""
        found = super().possible(rows)
        return found if self.modulus is None else found & (rows >= 0) & (rows < self.modulus)

    def released(self, noise: Rows, value: float) -> Rows:
        """Return the sum, or its remainder."""
        found = value + noise
        return found if self.modulus is None else np.remainder(found, float(self.modulus))

    def noise_of(self, rows: Rows, value: float) -> Rows:
        """Return the difference; with a modulus, that of the least size with its remainder."""
        return self._centred(super().noise_of(rows, value))

    def keys(self, rows: Rows, value: float, *, bits: int = NEAR) -> Keys:
        """Return the noise."""
        if self.modulus is None:
            return super().keys(rows, value, bits=bits)
        return whole(self.noise_of(rows, value))

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return normal numbers; of noise beyond the bound infinite ones, which are impossible."""
        noise = self._centred(rows)
        if self.modulus is not None and self.modulus % 2 == 0:  # m/2 has both signs
            middle = noise == self.modulus // 2
            noise = np.where(middle & (generator.random(noise.shape) < 0.5), -noise, noise)
        found = super().normal(noise, generator)
        if self.bound is not None:
            found = np.where(np.abs(noise) > self.bound, np.copysign(np.inf, noise), found)
        return found

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law; with a modulus, remainders."""
        noise = self._drawn(count, generator)
        if self.bound is not None:
            return np.clip(noise, -self.bound, self.bound)
        return self.released(noise, 0.0)

    def _drawn(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of noise without modulus or bound."""
        raise NotImplementedError

    @property
    def sized(self) -> str:
        """The noise's scale; before what is done with the noise."""
        return super().sized + (" before modulus or bound" if self.folded else "")

    def square_moments(self, share: float, tilts: Rows) -> Rows | None:
        """Return ln E e^{tZ²}, atom by atom, with modulus or bound."""
        smaller = self._smaller(share)
        atoms, last = smaller._folded(smaller._listed(_MET)), len(self._atoms) - 1
        sizes = np.minimum(np.arange(len(atoms)), last)
        there = np.bincount(sizes, weights=atoms * np.where(sizes > 0, 2, 1), minlength=last + 1)
        return moments_of_cells(there.astype(np.float64), self._uppers[1:], tilts)

    @cached_property
    def _uppers(self) -> Rows:
        """Pr[noise ≥ 0], Pr[noise ≥ 1], …, and 0."""
        found: Rows = np.append(np.cumsum(self._atoms[::-1])[::-1], 0.0)
        return found

    @cached_property
    def _logs(self) -> Rows:
        """The logarithms of the atoms."""
        found: Rows = np.log(self._atoms)
        return found

    @property
    def collision(self) -> float:
        """The probability of the likeliest number: 0, or an end."""
        return float(self._atoms.max())

    @property
    def spread(self) -> float:
        """The standard deviation."""
        raise NotImplementedError

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        last = len(self._atoms)
        places = np.minimum(sizes, last).astype(np.int64)
        return self._uppers[places], self._uppers[np.minimum(places + 1, last)]

    def _log_chances(self, cells: Rows) -> Rows:
        """Return ln of each atom; beyond the table, of a line that falls as its end does."""
        sizes, last = np.abs(self._centred(cells)), len(self._logs) - 1
        inside = self._logs[np.minimum(sizes, last).astype(np.int64)]
        found: Rows = inside + np.maximum(sizes - last, 0) * (self._logs[-1] - self._logs[-2])
        if self.modulus is not None:
            found = np.where(2 * sizes == self.modulus, found + math.log(2), found)
        if self.bound is not None:
            found = np.where(sizes > self.bound, -np.inf, found)
        return found

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return the sum of ln p(k)/p(k − m) over the coordinates that move.

        Clamped noise has outputs that one input alone has, with an infinite loss; of what neither
        has it is −∞.

        Raises:
            ValueError: if noise or shift are not whole numbers.
        """
        require_whole(shift)
        require_whole_noise(noise)
        if self.bound is None:
            return self._loss_of_cells(noise, shift)
        here = np.sum(self._log_chances(noise), axis=1)
        there = np.sum(self._log_chances(noise - shift), axis=1)
        possible = here > -np.inf
        found: Rows = np.where(possible, np.where(possible, here, 0.0) - there, -np.inf)
        return found

    def losses(self, first: Rows, second: Rows, shift: Rows) -> tuple[Rows, Rows]:
        """Return the losses at noise that was drawn for either input; none is beyond the bound."""
        for name, noise in (("first", first), ("second", second)):
            if self.bound is not None and np.any(np.abs(noise) > self.bound):
                raise ValueError(f"{name} must have noise of at most {self.bound} in size")
        return super().losses(first, second, shift)

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of the tails of that sum, of either sign: the law is symmetric."""
        require_whole(shift)
        if self.bound is not None:
            return self._clamped_tails(shift, epsilons)
        last = int(np.count_nonzero(self._atoms > _LIKELY))
        cells = np.arange(-last, last + 1, dtype=np.float64)
        if self.modulus is not None:  # each remainder once
            cells = cells[(2 * cells > -self.modulus) & (2 * cells <= self.modulus)]
        return self._tails_of_cells(cells, shift, epsilons)

    def _clamped_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return the tails of a sum that is infinite where a coordinate's loss is.

        Otherwise each coordinate has the law of its loss, given that this is finite.
        """
        last = len(self._atoms) - 1
        cells = np.arange(-last, last + 1, dtype=np.float64)
        logs, parts, kept = self._log_chances(cells), [], 1.0
        sizes, counts = np.unique(np.abs(shift[shift != 0]), return_counts=True)
        for size, count in zip(sizes, counts, strict=True):
            there = self._log_chances(cells - size)
            finite = there > -np.inf
            if not finite.any():
                return [((1.0, 1.0), (0.0, 0.0)) for _ in epsilons]
            chances = np.exp(logs[finite])
            share = min(float(chances.sum()), 1.0)
            kept *= share ** int(count)
            parts.append(Cells((logs - there)[finite], chances / chances.sum(), int(count)))
        tails = cell_tails(parts, epsilons), cell_tails([-each for each in parts], epsilons)
        return [
            ((1 - kept + kept * a[0], 1 - kept + kept * a[1]), (kept * b[0], kept * b[1]))
            for a, b in zip(*tails, strict=True)
        ]


def _summed(one: Rows, parties: int, least: float) -> Rows:
    """Return the atoms from 0 on of a sum of as many noises, all of whose terms are positive."""
    whole, square = np.ones(1), np.concatenate([one[:0:-1], one])
    while True:
        if parties & 1:
            whole = _kept(np.convolve(whole, square), least)
        parties >>= 1
        if not parties:
            found: Rows = whole[len(whole) // 2 :]
            return found
        square = _kept(np.convolve(square, square), least)


def _kept(atoms: Rows, least: float) -> Rows:
    """Return the atoms around the middle that are listed."""
    half = atoms[len(atoms) // 2 :]
    last = max(int(np.count_nonzero(half > least)), 2)
    return np.concatenate([half[:last][:0:-1], half[:last]])


def _table(size: float) -> int:
    if not size < _MOST:
        raise ValueError(f"the noise must have at most {_MOST} likely numbers, got {size:.3g}")
    return math.ceil(size)


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteGaussianSum(_Listed):
    """Sums of n independent whole numbers with probability in proportion to e^{−k²/2σ²}."""

    name: ClassVar[str] = "discrete-gaussian-sum"
    sigma: float
    parties: int

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma)
        counted("parties", self.parties, 1)
        _table(40 * self.spread)

    @property
    def spread(self) -> float:
        """σ√n."""
        return self.sigma * math.sqrt(self.parties)

    def _smaller(self, share: float) -> Self:
        return replace(self, sigma=(1 - share) * self.sigma)

    def _listed(self, least: float) -> Rows:
        numbers = np.arange(_table(math.sqrt(-2 * math.log(least)) * self.sigma) + 2)
        one = np.exp(-((numbers / self.sigma) ** 2) / 2)
        return _summed(one / (2 * one.sum() - 1), self.parties, least)

    def _scaled(self, sizes: Rows) -> Rows:
        return sizes / self.spread

    def _drawn(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of noise, by inversion over a table of one noise."""
        found: Rows = drawn(
            self.sigma, generator.random((self.parties, count, self.dimension))
        ).sum(axis=0)
        return found


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteLaplaceSum(_Listed):
    """Sums of n independent whole numbers with probability in proportion to e^{−|k|/b}."""

    name: ClassVar[str] = "discrete-laplace-sum"
    scale: float
    parties: int

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("scale", self.scale)
        counted("parties", self.parties, 1)
        _table(710 * self.scale)

    @property
    def spread(self) -> float:
        """b√(2n), the standard deviation of noise that is not discrete."""
        return self.scale * math.sqrt(2 * self.parties)

    def _smaller(self, share: float) -> Self:
        return replace(self, scale=(1 - share) * self.scale)

    def _listed(self, least: float) -> Rows:
        one = np.exp(-np.arange(_table(-math.log(least) * self.scale) + 2) / self.scale)
        return _summed(one * math.tanh(0.5 / self.scale), self.parties, least)

    def _scaled(self, sizes: Rows) -> Rows:
        # By E e^{kθ} at θ = 1/2b.
        a, root = math.exp(-1 / self.scale), math.exp(-0.5 / self.scale)
        moment = self.parties * (2 * math.log1p(-a) - math.log1p(-root) - math.log1p(-a * root))
        found: Rows = np.sqrt(2 * np.maximum(sizes / (2 * self.scale) - moment, 0.0))
        return found

    def _drawn(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of noise: the difference of two sums of geometric numbers."""
        rate = -math.expm1(-1 / self.scale)
        shape = (count, self.dimension)
        first, second = (generator.negative_binomial(self.parties, rate, shape) for _ in range(2))
        return (first - second).astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class Skellam(_Listed):
    """Differences of two Poisson variables of the same mean, of however many parties."""

    name: ClassVar[str] = "skellam"
    variance: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("variance", self.variance)
        _table(40 * self.spread)

    @property
    def spread(self) -> float:
        """√λ."""
        return math.sqrt(self.variance)

    def _smaller(self, share: float) -> Self:
        return replace(self, variance=(1 - share) ** 2 * self.variance)

    def _listed(self, least: float) -> Rows:
        far = 16.0
        while self._exponent(np.array(far)) < 18 - math.log(least):
            far *= 1.2
        orders = np.arange(math.ceil(far), dtype=np.float64)
        found: Rows = np.asarray(special.ive(orders, self.variance), dtype=np.float64)
        return found[: max(int(np.count_nonzero(found > least)), 2)]

    def _exponent(self, sizes: Rows) -> Rows:
        """Return Chernoff's exponent of a tail."""
        v = self.variance
        found: Rows = sizes * np.arcsinh(sizes / v) - np.hypot(sizes, v) + v
        return found

    def _scaled(self, sizes: Rows) -> Rows:
        found: Rows = np.sqrt(2 * np.maximum(self._exponent(sizes), 0.0))
        return found

    def _drawn(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of noise."""
        shape = (count, self.dimension)
        first, second = (generator.poisson(self.variance / 2, shape) for _ in range(2))
        return (first - second).astype(np.float64)
