"""The privacy profile δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), without its cancellation.

With h = ε/μ, t = μ/2, y = h − t and w = h + t we have φ(y) = e^ε φ(w), so that

    δ = φ(y)·[m(y) − m(w)],    1 − δ = φ(y)·[m(−y) + m(w)],    m(x) = Φ(−x)/φ(x).

Three regions: `above` half (the second form), `near` (y and w close: the mean of −m′ between
them, times μ) and `wide` (the difference of two Mills ratios).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dporacle.fast._compensated import two_product, two_sum
from dporacle.fast._density import density
from dporacle.fast._kernel import Kernel
from dporacle.fast._mills import mean_slope, mills

__all__ = [
    "NEAR",
    "Geometry",
    "Region",
    "Value",
    "above",
    "density_times",
    "from_loss",
    "from_mu",
    "near",
    "profile",
    "wide",
]

NEAR = 0.025
"""The near region is t ≤ NEAR·(h + 1.75)."""


class Geometry(NamedTuple):
    """The five lengths of one (ε, μ), each as a float64 and a correction."""

    y: Any
    y_low: Any
    w: Any
    w_low: Any
    h: Any
    h_low: Any
    t: Any
    v: Any
    v_low: Any


class Value(NamedTuple):
    """2⁻ⁿ(head + rest), and the bracket (m(y) − m(w) or m(−y) + m(w)) divided by μ."""

    n: Any
    head: Any
    rest: Any
    ratio: Any


Region = Callable[[Kernel, Geometry], tuple[Any, Any]]


def from_mu(k: Any, v: Any, v_low: Any) -> Geometry:
    """Return the geometry of ε = k and μ = v + v_low, for k/v < 2⁴⁰ or so."""
    h = k / v
    product, error = two_product(h, v)
    h_low = (((k - product) - error) - h * v_low) / v
    t = 0.5 * v
    y, y_low = two_sum(h, -t)
    w, w_low = two_sum(h, t)
    t_low = 0.5 * v_low
    return Geometry(y, y_low + (h_low - t_low), w, w_low + (h_low + t_low), h, h_low, t, v, v_low)


def from_loss(kernel: Kernel, k: Any, y: Any) -> Geometry:
    """Return the geometry of ε = k and y, for y of at most 26 bits: w = √(y² + 2k)."""
    square, square_low = two_sum(y * y, 2.0 * k)
    w = kernel.sqrt(square)
    product, error = two_product(w, w)
    w_low = (((square - product) - error) + square_low) / (2.0 * w)
    v, v_low = two_sum(w, -y)
    v_low = v_low + w_low
    return Geometry(y, 0.0, w, w_low, 0.5 * (w + y), 0.5 * w_low, 0.5 * v, v, v_low)


def above(kernel: Kernel, g: Geometry) -> tuple[Any, Any]:
    """Return m(−y) + m(w) as head + rest, for y < 3/4."""
    left, left_rest = mills(kernel, -g.y, -g.y_low)
    right, right_rest = mills(kernel, g.w, g.w_low)
    head, low = two_sum(left, right)
    return _normal(head, low + (left_rest + right_rest))


def near(kernel: Kernel, g: Geometry) -> tuple[Any, Any]:
    """Return m(y) − m(w) as head + rest where y and w are close and h < 254."""
    mean, rest = mean_slope(kernel, g.h, g.h_low, g.t)
    head, low = two_product(mean, g.v)
    return _normal(head, low + (mean * g.v_low + rest * g.v))


def wide(kernel: Kernel, g: Geometry) -> tuple[Any, Any]:
    """Return m(y) − m(w) as head + rest, for y ≥ −3/4 outside the near region."""
    left, left_rest = mills(kernel, g.y, g.y_low)
    right, right_rest = mills(kernel, g.w, g.w_low)
    head, low = two_sum(left, -right)
    return _normal(head, low + (left_rest - right_rest))


def _normal(head: Any, low: Any) -> tuple[Any, Any]:
    # The rest can be large against the head where two heads nearly cancel.
    total = head + low
    return total, low - (total - head)


def profile(kernel: Kernel, g: Geometry, region: Region) -> Value:
    """Return δ, or 1 − δ in the region above half, for |y| < 2000."""
    return density_times(kernel, g, *region(kernel, g))


def density_times(kernel: Kernel, g: Geometry, bracket: Any, low: Any) -> Value:
    """Return φ(y)·(bracket + low)."""
    n, f, f_rest = density(kernel, g.y, g.y_low)
    head, error = two_product(f, bracket)
    return Value(n, head, error + (f * low + f_rest * (bracket + low)), bracket / g.v)
