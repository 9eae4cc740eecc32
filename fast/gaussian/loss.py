"""The geometry of (ε, σ, D) with every special case decided before any arithmetic on it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.kernel import ARRAY, SCALAR, Kernel
from dporacle.fast.gaussian.profile import NEAR, Geometry, from_mu

WIDE, NEARBY, ABOVE, BEYOND, CERTAIN, _CANCELS = range(6)
"""Regions: three of the profile; y > 39, where δ < 5e-324; y < −40, where 1 − δ < 2⁻¹¹⁰⁰."""

Formula = Callable[[Kernel, int, Geometry, Any], Any]
"""A result from (kernel, region, geometry, n): what is proportional to μ is to be times 2ⁿ."""

_ENDLESS = 2**520  # a y whose square overflows
_FARTHEST = 2.0**600  # an ε/μ beyond which y² overflows
_FAR_BEYOND = 2.0**900  # an ε that does not matter beside μ > 2⁶⁰⁰, and whose products are floats
_LOW, _HIGH = -100, 600  # exponents of μ


def mu(kernel: Kernel, sigma: Any, sensitivity: Any) -> tuple[Any, Any, Any]:
    """Return v, v_low, n with μ = D/σ = (v + v_low)·2ⁿ and 2⁻¹⁰¹ < v < 2⁶⁰¹.

    Below 2⁻¹⁰⁰ only the ratio ε/μ matters, to within 2⁻⁹⁰ of the result; above 2⁶⁰⁰ δ is 1.
    """
    d, d_exponent = kernel.parts(sensitivity)
    s, s_exponent = kernel.parts(sigma)
    head = d / s
    product, error = two_product(head, s)
    low = ((d - product) - error) / s
    exponent = d_exponent - s_exponent
    kept = kernel.clip(exponent, _LOW, _HIGH)
    return kernel.scale(head, kept), kernel.scale(low, kept), exponent - kept


def _region(kernel: Kernel, k: Any, v: Any, n: Any) -> Any:
    h = k / v
    y = h - 0.5 * v
    region = kernel.where(0.5 * v <= NEAR * (h + 1.75), NEARBY, WIDE)
    region = kernel.where(y < -0.7, ABOVE, region)
    region = kernel.where(y > 39.0, BEYOND, region)
    region = kernel.where(y < -40.0, CERTAIN, region)
    # h and t so large and so close that y must be taken from their exact values.
    cancels = (h > 2.0**40) & (abs(y) < 2.0**-45 * h + 64.0)
    cancels = cancels | ((k > 2.0**900) & (n == 0))  # products would overflow
    return kernel.where(cancels, _CANCELS, region)


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


def of_loss(kernel: Kernel, formula: Formula, k: Any, sigma: Any, sensitivity: Any) -> Any:
    """Return a formula's result at ε, σ and D: floats, or arrays of one dimension."""
    return (_one if kernel is SCALAR else _many)(formula, k, sigma, sensitivity)


def _one(formula: Formula, k: float, sigma: float, sensitivity: float) -> float:
    """Return a formula's result for floats."""
    v, v_low, n = mu(SCALAR, sigma, sensitivity)
    scaled = SCALAR.scale(k, -n) if n < 0 else k
    region = int(_region(SCALAR, scaled, v, n))
    if region == _CANCELS:
        region, g = _exactly(k, sigma, sensitivity)
        return float(formula(SCALAR, region, g, 0))
    scaled = min(scaled, v * _FARTHEST if n <= 0 else _FAR_BEYOND)
    return float(formula(SCALAR, region, _geometry(scaled, v, v_low), n))


def _many(formula: Formula, k: Any, sigma: Any, sensitivity: Any) -> Any:
    """Return what `_one` does, for arrays of one dimension."""
    v, v_low, n = mu(ARRAY, sigma, sensitivity)
    scaled = ARRAY.scale(k, np.maximum(-n, 0))
    regions = _region(ARRAY, scaled, v, n)
    scaled = np.minimum(scaled, np.where(n <= 0, v * _FARTHEST, _FAR_BEYOND))
    result = np.empty(k.shape)
    for region in np.unique(regions):
        part = np.flatnonzero(regions == region)
        if region == _CANCELS:
            for i in part:
                result[i] = _one(formula, float(k[i]), float(sigma[i]), float(sensitivity[i]))
            continue
        g = _geometry(scaled[part], v[part], v_low[part])
        result[part] = formula(ARRAY, int(region), g, n[part])
    return result
