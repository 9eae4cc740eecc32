"""Laws of integer noise that several parties add, by a table of their atoms (X.SUM)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import special

from dporacle.wings.samplers.exact_tails import Limits
from dporacle.wings.samplers.lattice_laws import WholeNumbers, drawn, require_whole
from dporacle.wings.samplers.law import Rows, counted, positive

_LEAST = 1e-305
"""Atoms below it are not listed."""
_MOST = 20_000
"""Atoms of a table from 0 on; sums of two are as many products as its square."""
_LIKELY = 1e-22
"""Atoms above it are what tails of losses are summed over."""


class _Listed(WholeNumbers):
    """Whole numbers whose atoms are listed from 0 on; the law is symmetric."""

    @cached_property
    def _atoms(self) -> Rows:
        """Pr[0], Pr[1], … as far as they are floats."""
        raise NotImplementedError

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
        """The probability of 0, the likeliest number."""
        return float(self._atoms[0])

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
        sizes, last = np.abs(cells), len(self._logs) - 1
        inside = self._logs[np.minimum(sizes, last).astype(np.int64)]
        found: Rows = inside + np.maximum(sizes - last, 0) * (self._logs[-1] - self._logs[-2])
        return found

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return the sum of ln p(k)/p(k − m) over the coordinates that move."""
        require_whole(shift)
        return self._loss_of_cells(noise, shift)

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of the tails of that sum, of either sign: the law is symmetric."""
        require_whole(shift)
        last = int(np.count_nonzero(self._atoms > _LIKELY))
        cells = np.arange(-last, last + 1, dtype=np.float64)
        return self._tails_of_cells(cells, shift, epsilons)


def _summed(one: Rows, parties: int) -> Rows:
    """Return the atoms from 0 on of a sum of as many noises, all of whose terms are positive."""
    whole, square = np.ones(1), np.concatenate([one[:0:-1], one])
    while True:
        if parties & 1:
            whole = _kept(np.convolve(whole, square))
        parties >>= 1
        if not parties:
            found: Rows = whole[len(whole) // 2 :]
            return found
        square = _kept(np.convolve(square, square))


def _kept(atoms: Rows) -> Rows:
    """Return the atoms around the middle that are listed."""
    half = atoms[len(atoms) // 2 :]
    last = max(int(np.count_nonzero(half > _LEAST)), 2)
    return np.concatenate([half[:last][:0:-1], half[:last]])


def _table(size: float) -> int:
    if not size < _MOST:
        raise ValueError(f"the noise must have at most {_MOST} likely numbers, got {size:.3g}")
    return math.ceil(size)


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def _atoms(self) -> Rows:
        numbers = np.arange(_table(37.5 * self.sigma) + 2)
        one = np.exp(-((numbers / self.sigma) ** 2) / 2)
        return _summed(one / (2 * one.sum() - 1), self.parties)

    def _scaled(self, sizes: Rows) -> Rows:
        return sizes / self.spread

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law, by inversion over a table of one noise."""
        found: Rows = drawn(
            self.sigma, generator.random((self.parties, count, self.dimension))
        ).sum(axis=0)
        return found


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def _atoms(self) -> Rows:
        one = np.exp(-np.arange(_table(705 * self.scale) + 2) / self.scale)
        return _summed(one * math.tanh(0.5 / self.scale), self.parties)

    def _scaled(self, sizes: Rows) -> Rows:
        # By E e^{kθ} at θ = 1/2b.
        a, root = math.exp(-1 / self.scale), math.exp(-0.5 / self.scale)
        moment = self.parties * (2 * math.log1p(-a) - math.log1p(-root) - math.log1p(-a * root))
        found: Rows = np.sqrt(2 * np.maximum(sizes / (2 * self.scale) - moment, 0.0))
        return found

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law: the difference of two sums of geometric numbers."""
        rate = -math.expm1(-1 / self.scale)
        shape = (count, self.dimension)
        first, second = (generator.negative_binomial(self.parties, rate, shape) for _ in range(2))
        return (first - second).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def _atoms(self) -> Rows:
        far = 16.0
        while self._exponent(np.array(far)) < 720:
            far *= 1.2
        orders = np.arange(math.ceil(far), dtype=np.float64)
        found: Rows = np.asarray(special.ive(orders, self.variance), dtype=np.float64)
        return found[: max(int(np.count_nonzero(found > _LEAST)), 2)]

    def _exponent(self, sizes: Rows) -> Rows:
        """Return Chernoff's exponent of a tail."""
        v = self.variance
        found: Rows = sizes * np.arcsinh(sizes / v) - np.hypot(sizes, v) + v
        return found

    def _scaled(self, sizes: Rows) -> Rows:
        found: Rows = np.sqrt(2 * np.maximum(self._exponent(sizes), 0.0))
        return found

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        shape = (count, self.dimension)
        first, second = (generator.poisson(self.variance / 2, shape) for _ in range(2))
        return (first - second).astype(np.float64)
