"""The exact tails of privacy losses of vectors: Pr[L ≥ ε] between two limits.

Each law has its own way. Laplace's losses are sums of bounded ones with atoms: their characteristic
function is inverted after a little Gaussian smoothing, which moves ε by a known amount at most. The
discrete Gaussian's are sums over a lattice, inverted by a finite Fourier transform. The rank-one
noise's depend on a length and an angle, of which the angle has a Beta law.
`proofs_notes/samplers.md` has the proofs.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]
Limits = tuple[float, float]

_WORK, _POINTS = 1 << 23, 1 << 17
"""How many values of characteristic functions are computed at most, and at how many points."""
_CLASSES = 512
"""Into how many sizes the coordinates of a shift are sorted at most."""
FAR = 8.5
"""Standard deviations beyond which a bound e^{−t²/2} is below 10⁻¹⁵."""
_ROUNDED = 1e-10
"""What float64 makes of a sum of probabilities is nearer than this."""
_LATTICE = 1 << 23


def laplace_tails(
    sizes: Values, epsilons: Sequence[float], *, mu: float = 0.0
) -> list[tuple[Limits, Limits]]:
    """Return limits of Pr[L ≥ ε] for Laplace noise, for releases of either input.

    Args:
        sizes: |shiftᵢ|/b of each coordinate that moves.
        epsilons: where.
        mu: of a Gaussian release that is made besides.
    """
    classes, counts, apart = _classes(sizes)
    most, centre = float(sizes.sum()), float(_mean_loss(sizes).sum()) + mu**2 / 2
    width = math.sqrt(float(np.sum(sizes**2)) + mu**2)
    reach = centre + FAR * width
    if mu == 0:
        reach = min(reach, most)
    window = 2 * reach + width  # no end that is asked for is as far from any loss
    points = min(_WORK // len(classes), _POINTS)
    # The last node's e^{−s²t²/2} is below 10⁻¹⁵.
    smoothing = max(FAR * window / (2 * math.pi * points), 1e-12 * width)
    if mu > smoothing:
        smoothing = 0.0
        points = math.ceil(FAR / mu * window / (2 * math.pi))
    step = 2 * math.pi / window
    nodes: Values = np.asarray(step * (np.arange(points) + 0.5), dtype=np.float64)
    logs = -((smoothing**2 + mu**2) * nodes**2) / 2 + 0.5j * mu**2 * nodes
    for size, count in zip(classes, counts, strict=True):
        logs += count * np.log(_characteristic(float(size), nodes))
    values = np.exp(logs) / (np.arange(points) + 0.5)
    moved = float(_mean_loss(sizes).sum() - counts @ _mean_loss(classes))
    blur = FAR * smoothing + apart

    def above(end: float) -> float:
        """Return the tail of the smoothed loss of the sorted coordinates."""
        end = min(max(end, -reach), reach)  # beyond, the tail is 0 or 1 but for 10⁻¹⁵
        return 0.5 + float(np.sum((values * np.exp(-1j * nodes * end)).imag)) / math.pi

    def limits(epsilon: float) -> tuple[Limits, Limits]:
        if mu == 0 and abs(epsilon) > most:
            sure = 1.0 if epsilon < 0 else 0.0
            return (sure, sure), (sure, sure)
        low, high = above(epsilon - moved + blur), above(epsilon - moved - blur)
        # Of the second input's releases the loss has the law of −L.
        other = 1 - above(-epsilon - moved - blur), 1 - above(-epsilon - moved + blur)
        return clipped(low, high), clipped(*other)

    return [limits(epsilon) for epsilon in epsilons]


def clipped(low: float, high: float) -> Limits:
    """Return limits of a probability from what float64 made of both."""
    return min(max(low - _ROUNDED, 0.0), 1.0), max(min(high + _ROUNDED, 1.0), 0.0)


def _mean_loss(sizes: Values) -> Values:
    """Return E L of one coordinate: the Kullback-Leibler divergence m − 1 + e^{−m}."""
    return sizes + np.expm1(-sizes)


def _classes(sizes: Values) -> tuple[Values, NDArray[np.int64], float]:
    """Return some sizes, how many coordinates have each, and how far the loss can be from theirs.

    At the same noise a coordinate's loss moves by no more than its size does, so that the sum, less
    its mean, moves by Hoeffding's bound at most, but with probability 10⁻¹⁵.
    """
    classes, counts = np.unique(sizes, return_counts=True)
    if len(classes) <= _CLASSES:
        return classes, counts, 0.0
    edges = np.linspace(classes[0], classes[-1], _CLASSES + 1)
    place = np.clip(np.searchsorted(edges, sizes, side="right") - 1, 0, _CLASSES - 1)
    counts = np.bincount(place, minlength=_CLASSES)
    means = np.bincount(place, sizes, minlength=_CLASSES) / np.maximum(counts, 1)
    apart = FAR * math.sqrt(float(np.sum((sizes - means[place]) ** 2)))
    return means[counts > 0], counts[counts > 0], apart


def _characteristic(m: float, nodes: Values) -> NDArray[np.complex128]:
    """Return E e^{itL} of one coordinate: atoms at ±m, and a density between them."""
    turn = np.exp(1j * m * nodes)
    rate = 1 + 2j * nodes
    inside = turn * -np.expm1(-m * rate) / rate
    found: NDArray[np.complex128] = (turn + math.exp(-m) / turn + inside) / 2
    return found


def discrete_tails(
    shift: Values, sigma: float, epsilons: Sequence[float]
) -> list[tuple[Limits, Limits]]:
    """Return limits of Pr[L ≥ ε] for discrete Gaussian noise, for releases of either input.

    L ≥ ε is T = Σ shiftᵢxᵢ ≤ ‖shift‖²/2 − εσ², a sum of independent whole numbers.

    Raises:
        ValueError: if the sum has too many values for its transform.
    """
    whole = [abs(int(x)) for x in shift if x]
    norm = sum(x * x for x in whole)
    unit = math.gcd(*whole)
    sizes, counts = np.unique([x // unit for x in whole], return_counts=True)
    width = sigma * math.sqrt(norm) / unit
    ends = [_last(norm, sigma, epsilon) for epsilon in epsilons]
    wanted = [(end // unit, (end - norm) // unit) for end in ends]
    length = 1 << max(4, math.ceil(math.log2(4 * (FAR * width + 1))))
    if length * len(sizes) > _LATTICE:
        raise ValueError(
            f"shift must be shorter: its sum has {length:,} likely values and {len(sizes)} sizes"
        )
    angles = 2 * math.pi * np.arange(length // 2 + 1) / length
    logs = np.zeros(len(angles))
    for size, count in zip(sizes, counts, strict=True):
        part = _discrete_characteristic(np.remainder(angles * size, 2 * math.pi), sigma)
        logs += count * np.log(np.maximum(part, 1e-300))
    # Of the values from −length/2 on; symmetric, so that Pr[T ≤ k] is Pr[T ≥ −k].
    atoms = np.fft.fftshift(np.fft.irfft(np.exp(logs), length))
    sums = np.cumsum(np.maximum(atoms, 0.0))

    def at_most(k: int) -> Limits:
        place = k + length // 2
        if place < 0:
            return 0.0, _ROUNDED
        return clipped(*(2 * [float(sums[min(place, length - 1)])]))

    return [(at_most(first), at_most(second)) for first, second in wanted]


def _last(norm: int, sigma: float, epsilon: float) -> int:
    """Return the largest T at which the loss, as float64 computes it, is ε at least."""
    end = math.floor(Fraction(norm, 2) - Fraction(epsilon) * Fraction(sigma) ** 2)
    while (norm / 2 - (end + 1)) / sigma**2 >= epsilon:
        end += 1
    while (norm / 2 - end) / sigma**2 < epsilon:
        end -= 1
    return end


def _discrete_characteristic(angles: Values, sigma: float) -> Values:
    """Return E e^{iθk}: the theta series that converges at once."""
    if sigma < 1:
        numbers = np.arange(1, math.ceil(9 * sigma) + 2)
        weights = 2 * np.exp(-((numbers / sigma) ** 2) / 2)
        series: Values = (1 + np.cos(np.outer(angles, numbers)) @ weights) / (1 + weights.sum())
        return series
    turns = 2 * math.pi * np.arange(-2, 3)
    top = sum(np.exp(-((sigma * (angles + turn)) ** 2) / 2) for turn in turns)
    found: Values = top / np.sum(np.exp(-((sigma * turns) ** 2) / 2))
    return found


def rank_one_tails(
    distance: float, sigma_star: float, dimension: int, epsilons: Sequence[float]
) -> list[tuple[Limits, Limits]]:
    """Return limits of Pr[L ≥ ε] for rank-one noise, for releases of either input.

    With g(w) = (d−1)/2 ln w + w/2σ*, the loss is g(‖y − shift‖²) − g(‖y‖²), and g rises. Given the
    length of the noise, L ≥ ε is a bound on its angle with the shift.
    """
    return [
        (
            _over_lengths(distance, sigma_star, dimension, epsilon),
            _over_lengths(distance, sigma_star, dimension, -epsilon, second=True),
        )
        for epsilon in epsilons
    ]


def _over_lengths(
    distance: float, sigma_star: float, dimension: int, epsilon: float, *, second: bool = False
) -> Limits:
    """Integrate the angle's probability over the half-normal length, panel by panel."""
    scale = math.sqrt(sigma_star)
    power = (dimension - 1) / 2

    def probability(z: Values) -> Values:
        r = scale * z
        level = 2 * np.log(z) + (z * z + 2 * epsilon) / (dimension - 1) - math.log(dimension - 1)
        # v + ln v = level, at the squared length w = σ*(d−1)v of the other end where L = ε.
        other = sigma_star * (dimension - 1) * special.wrightomega(level)
        cosine = (r * r + distance**2 - other) / (2 * r * distance)
        most = -cosine if second else cosine  # of the noise's cosine with the shift
        share = special.betainc(power, power, np.clip((1 + most) / 2, 0.0, 1.0))
        weighted: Values = share * math.sqrt(2 / math.pi) * np.exp(-z * z / 2)
        return weighted

    total, wrong = _integral(probability, 1e-14, 9.0)
    return clipped(total - wrong, total + wrong)


def _integral(function: Callable[[Values], Values], low: float, high: float) -> tuple[float, float]:
    """Return an integral and an estimate of its error: panels are halved where two rules differ."""
    edges = np.geomspace(low, high, 257)
    starts, ends = edges[:-1], edges[1:]
    rules = [np.polynomial.legendre.leggauss(n) for n in (8, 12)]
    total = wrong = 0.0
    for _ in range(50):
        coarse, fine = (
            np.sum(weights * function(_inside(starts, ends, nodes)), axis=1) * (ends - starts) / 2
            for nodes, weights in rules
        )
        differ = np.abs(fine - coarse)
        open_ = differ > 1e-13
        total += float(fine[~open_].sum())
        wrong += float(differ[~open_].sum())
        if not open_.any():
            return total, wrong
        starts, ends = starts[open_], ends[open_]
        middles = (starts + ends) / 2
        starts, ends = np.concatenate((starts, middles)), np.concatenate((middles, ends))
    return total + float(fine[open_].sum()), wrong + float((ends - starts).sum())


def _inside(starts: Values, ends: Values, nodes: Values) -> Values:
    half: Values = (ends - starts)[:, None] / 2
    return starts[:, None] + half * (1 + nodes)
