"""The cells of the line that draws are counted in, and the laws that the counts are held against.

Under the claim the counts are multinomial with `CHANCES`; each row of a table is the logarithm of
the ratio of another law's chances to these. So the product of a table and the counts holds one log
likelihood ratio for each alternative, whatever it is: another one is another row.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]

BINS = 64
"""Cells of equal probability under the claim."""
_QUANTILES = special.ndtri(np.arange(1, BINS) / BINS)
CUTS = np.arange(2.0, 8.01, 1 / 16)
"""Where noise may end, in standard deviations."""
_THRESHOLDS = CUTS[::4]
_FAR = np.array([10.0, 15.0, 20.0, 30.0])
_NEAR = 2.0 ** -np.arange(5, 31)
"""Ends of ever smaller cells around 0: of noise that is hardly any."""
EDGES = np.unique(
    np.concatenate([_QUANTILES, *(s * e for e in (CUTS, _FAR, _NEAR) for s in (-1, 1))])
)
EQUAL = np.searchsorted(EDGES, _QUANTILES, side="right")
"""The cells that begin at the quantiles."""


def _normal_chances(scale: float) -> Values:
    """Return the cells' chances under N(0, scale²), each to full precision."""
    ends = np.concatenate(([-np.inf], EDGES, [np.inf])) / scale
    outer = np.diff(special.ndtr(-np.abs(ends))) * np.where(ends[1:] > 0, -1, 1)
    inner = np.diff(special.erf(ends / np.sqrt(2))) / 2
    found: Values = np.where(np.abs(ends[1:]) + np.abs(ends[:-1]) < 2, inner, outer)
    return found


CHANCES = _normal_chances(1.0)
_STARTS = np.concatenate(([-np.inf], EDGES))
_ENDS = np.append(EDGES, np.inf)
SPANS = np.array([2.0**-20, 2.0**-8, 0.25, 1.2, 2.0, 3.0])
"""Half the widths of intervals in which sums and differences of two numbers are counted."""
SIDES = ("lower", "upper", "both")


def tail(at: float, side: str) -> NDArray[np.bool_]:
    """Return the cells beyond a threshold, on one side or on both."""
    lower, upper = -at >= _ENDS, at <= _STARTS
    found: NDArray[np.bool_] = {"lower": lower, "upper": upper, "both": lower | upper}[side]
    return found


def ratios(chances: Iterable[Values]) -> Values:
    """Return a table: ln of the ratio of each law's chances to the claimed ones."""
    return np.array([np.log(each / CHANCES) for each in chances])


def little_noise(share: float, scale: float) -> Values:
    """Return the chances if a share of the draws has a smaller scale."""
    return share * _normal_chances(scale) + (1 - share) * CHANCES


def _with_rate(at: float, side: str, rate: float) -> Values:
    """Return the chances if so many of the draws are in a tail, and all else is as claimed."""
    inside = tail(at, side)
    exact = float(CHANCES[inside].sum())
    return np.where(inside, CHANCES / exact * rate, CHANCES / (1 - exact) * (1 - rate))


def _factors(factors: Iterable[float]) -> Iterable[Values]:
    for side in SIDES:
        for at in _THRESHOLDS:
            exact = float(CHANCES[tail(at, side)].sum())
            yield from (_with_rate(at, side, min(f * exact, 0.5)) for f in factors)


LITTLE = ratios(
    little_noise(share, scale)
    for share in (1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999)
    for scale in (2.0**-29, 2.0**-20, 2.0**-12, 2.0**-6, 0.25, 0.5, 0.75, 0.9)
)
"""A share of the draws has little noise; with a share near 1, few draws have as much as claimed."""
LIGHT = ratios(_factors((0.5, 0.8, 0.9, 0.97)))
HEAVY = ratios(
    [
        *_factors((1.03, 1.1, 1.25, 2.0, 10.0, 1e3)),
        *(
            _with_rate(at, side, least)
            for side in SIDES
            for at in (*_THRESHOLDS, *_FAR)
            for least in (1e-2, 1e-4, 1e-6, 1e-8)
            if least > CHANCES[tail(at, side)].sum()
        ),
    ]
)
"""Tails that are too light, but for those in which nothing is, and too heavy."""


HALVES = np.unique(np.concatenate([_QUANTILES[_QUANTILES > 0], _THRESHOLDS, _NEAR]))
"""Half the widths of the intervals in which privacy allows so much of the noise and no more."""
WITHIN = np.array([(-half <= _STARTS) & (half >= _ENDS) for half in HALVES], dtype=np.float64)
"""The cells within each."""
_SCALES = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.999])
_SHARES = np.array([1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 1 - 1e-6])


def outside(halves: Values) -> Values:
    """Return alternatives: the chance to lie without, of a smaller scale, or if a share is within.

    A row for each interval; the shares are of what lies without under the claim.
    """
    claimed = 2 * special.ndtr(-halves)[:, None]
    return np.hstack((2 * special.ndtr(-halves[:, None] / _SCALES), claimed * (1 - _SHARES)))


INSIDE = outside(HALVES)
"""Alternatives for each of `HALVES`."""
TOGETHER = outside(SPANS)
"""The same for each of `SPANS`."""
