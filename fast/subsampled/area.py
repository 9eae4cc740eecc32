"""The area under the curve of TPR over FPR, by the moments on Re s = −1/2 (X.RISK.AUC).

It is 1 less the integral over v of |K(−1/2 + i sinh(v)/2)|²/(π cosh v), v ≥ 0. The trapezoid rule
in v is refined until it is steady; its last change, the errors of the moments and of rounding, and
what is beyond the last v are added.
"""

import math

import numpy as np
from scipy.special import erf

from dporacle.fast._broadcast import Array, quiet
from dporacle.fast.subsampled.contour import ROUNDING
from dporacle.fast.subsampled.losses import FloatPhase
from dporacle.fast.subsampled.moment import moments

_FIRST, _MOST = 32, 4096  # intervals
_GOAL = 1e-13  # change of the sum at which to stop
_END, _FARTHEST = 1e-18, 45.0  # of the integrand, and of v
_STRIDE = 0.5  # of v, by which its end is sought: it is not half too far
_ULPS = 64 * 2.0**-52  # numpy adds 4096 terms in 12 roundings; each term has a few


def area(phase: FloatPhase) -> float:
    """Return the area, not below it."""
    if phase.rate == 1 or phase.steps == 1:
        found = (1 + phase.rate * float(erf(math.sqrt(phase.steps) / (2 * phase.sigma)))) / 2
        return min(1.0, found * (1 + _ULPS))
    top = _STRIDE
    while _terms(np.array([top]), phase)[0][0] > _END and top < _FARTHEST:
        top += _STRIDE
    count = _FIRST
    while True:
        step = top / count
        values, doubts = _terms(step * np.arange(count + 1), phase)
        values[0] /= 2
        total, half = step * values.sum(), 2 * step * values[::2].sum()
        change = abs(total - half)
        if change < _GOAL or count >= _MOST:
            break
        count *= 2
    error = change + step * doubts.sum() + 4 * values[-1] + _ULPS
    return min(1.0, 1 - float(total - error) / math.pi + _ULPS)


@quiet
def _terms(v: Array, phase: FloatPhase) -> tuple[Array, Array]:
    """Return the integrand at some v, times π, and how far off each value may be."""
    found = moments(-0.5 + 0.5j * np.sinh(v), phase, "remove")
    values = np.exp(2 * phase.steps * found.log.real) / np.cosh(v)
    doubt = found.error + ROUNDING * (found.size + np.abs(found.log))
    doubts = np.minimum(2 * phase.steps * doubt * values, 1.0)
    return values, np.where(values > _END, doubts, 0.0)
