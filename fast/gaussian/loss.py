"""The geometry of (ε, σ, D) with every special case decided before any arithmetic on it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.profile import NEAR, Geometry, from_mu

WIDE, NEARBY, ABOVE, BEYOND, CERTAIN, _CANCELS = range(6)
"""Regions: three of the profile; y > 39, where δ < 5e-324; y < −40, where 1 − δ < 2⁻¹¹⁰⁰."""

Formula = Callable[[int, Geometry, Any], Any]
"""A result from (region, geometry, n): what is proportional to μ is to be times 2ⁿ."""

_ENDLESS = 2**520  # a y whose square overflows
_FARTHEST = 2.0**600  # an ε/μ beyond which y² overflows
_FAR_BEYOND = 2.0**900  # an ε that does not matter beside μ > 2⁶⁰⁰, and whose products are floats
_LOW, _HIGH = -100, 600  # exponents of μ


def mu(sigma: Any, sensitivity: Any) -> tuple[Any, Any, Any]:
    """Return v, v_low, n with μ = D/σ = (v + v_low)·2ⁿ and 2⁻¹⁰¹ < v < 2⁶⁰¹.

    Below 2⁻¹⁰⁰ only the ratio ε/μ matters, to within 2⁻⁹⁰ of the result; above 2⁶⁰⁰ δ is 1.
    """
    d, d_exponent = np.frexp(sensitivity)
    s, s_exponent = np.frexp(sigma)
    head = d / s
    product, error = two_product(head, s)
    low = ((d - product) - error) / s
    exponent = d_exponent - s_exponent
    kept = np.clip(exponent, _LOW, _HIGH)
    return np.ldexp(head, kept), np.ldexp(low, kept), exponent - kept


def _region(k: Any, v: Any, n: Any) -> Any:
    h = k / v
    y = h - 0.5 * v
    region = np.where(0.5 * v <= NEAR * (h + 1.75), NEARBY, WIDE)
    region = np.where(y < -0.7, ABOVE, region)
    region = np.where(y > 39.0, BEYOND, region)
    region = np.where(y < -40.0, CERTAIN, region)
    # h and t so large and so close that y must be taken from their exact values.
    cancels = (h > 2.0**40) & (abs(y) < 2.0**-45 * h + 64.0)
    cancels = cancels | ((k > 2.0**900) & (n == 0))  # products would overflow
    return np.where(cancels, _CANCELS, region)


def _exactly(k: float, sigma: float, sensitivity: float) -> tuple[int, Geometry]:
    ratio = Fraction(sensitivity) / Fraction(sigma)
    exact = Fraction(k) / ratio - ratio / 2
    exact = min(exact, Fraction(_ENDLESS))
    y = float(exact)
    y_low = float(exact - Fraction(y))
    v = float(ratio)
    total = exact + ratio
    w = float(total)
    w_low = float(total - Fraction(w))
    t = 0.5 * v
    region = ABOVE if y < -0.7 else WIDE
    region = BEYOND if y > 39.0 else CERTAIN if y < -40.0 else region
    return region, Geometry(y, y_low, w, w_low, t + y, 0.0, t, v, 0.0)


def _geometry(k: Any, v: Any, v_low: Any) -> Geometry:
    g = from_mu(k, v, v_low)
    # Where h and t nearly cancel, the correction can be large against y.
    y, y_low = two_sum(g.y, g.y_low)
    return g._replace(y=y, y_low=y_low)


def of_loss(formula: Formula, k: Any, sigma: Any, sensitivity: Any) -> Any:
    """Return a formula's result at ε, σ and D: arrays of one dimension."""
    v, v_low, n = mu(sigma, sensitivity)
    scaled = np.ldexp(k, np.maximum(-n, 0))
    regions = _region(scaled, v, n)
    scaled = np.minimum(scaled, np.where(n <= 0, v * _FARTHEST, _FAR_BEYOND))
    result = np.empty(k.shape)
    for region in np.unique(regions):
        part = np.flatnonzero(regions == region)
        if region == _CANCELS:
            for i in part:
                place, g = _exactly(float(k[i]), float(sigma[i]), float(sensitivity[i]))
                alone = Geometry(*(np.full(1, each) for each in g))
                result[i] = formula(place, alone, np.zeros(1, np.int32))[0]
            continue
        g = _geometry(scaled[part], v[part], v_low[part])
        result[part] = formula(int(region), g, n[part])
    return result
