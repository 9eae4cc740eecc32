"""The privacy profile δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), without its cancellation.

With h = ε/μ, t = μ/2, y = h − t and w = h + t we have φ(y) = e^ε φ(w), so that

    δ = φ(y)·[m(y) − m(w)],    1 − δ = φ(y)·[m(−y) + m(w)],    m(x) = Φ(−x)/φ(x).

Three regions: `above` half (the second form), `near` (y and w close: the mean of −m′ between
them, times μ) and `wide` (the difference of two Mills ratios).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dporacle.fast.gaussian.compensated import two_product, two_sum
from dporacle.fast.gaussian.density import density
from dporacle.fast.gaussian.mills import mean_slope, mills, mills_inside

NEAR = 0.03
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


Lengths = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
"""A `Geometry`, or the same as a plain tuple, which floats make and read twice as fast."""

Parts = tuple[Any, Any, Any, Any]
"""A `Value`, likewise."""

Region = Callable[..., tuple[Any, Any]]


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


def from_short_mu(k: Any, v: Any) -> Lengths:
    """Return the geometry of ε = k < 2¹⁰ and a μ of at most 26 bits.

    What `from_mu` does, with `two_sum` and the product's error written out: this is the inner
    part of every calibration.
    """
    h = k / v
    shifted = h * 134217729.0
    head = shifted - (shifted - h)
    h_low = ((k - head * v) - (h - head) * v) / v
    t = 0.5 * v
    y = h - t
    part = y - h
    y_low = ((h - (y - part)) - (t + part)) + h_low
    w = h + t
    part = w - h
    w_low = ((h - (w - part)) + (t - part)) + h_low
    return y, y_low, w, w_low, h, h_low, t, v, 0.0


def from_loss(k: Any, y: Any) -> Geometry:
    """Return the geometry of ε = k and y, for y of at most 26 bits: w = √(y² + 2k)."""
    square, square_low = two_sum(y * y, 2.0 * k)
    w = np.sqrt(square)
    product, error = two_product(w, w)
    w_low = (((square - product) - error) + square_low) / (2.0 * w)
    v, v_low = two_sum(w, -y)
    v_low = v_low + w_low
    return Geometry(y, 0.0, w, w_low, 0.5 * (w + y), 0.5 * w_low, 0.5 * v, v, v_low)


def above(g: Lengths, far: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """Return m(−y) + m(w) as head + rest, for y < 3/4, from m(w) where it is known."""
    y, y_low, w, w_low, _, _, _, _, _ = g
    left, left_rest = mills(-y, -y_low)
    right, right_rest = far or mills(w, w_low)
    head, low = two_sum(left, right)
    return head, low + (left_rest + right_rest)


def near(g: Lengths) -> tuple[Any, Any]:
    """Return m(y) − m(w) as head + rest where y and w are close and h < 254."""
    _, _, _, _, h, h_low, t, v, v_low = g
    mean, rest = mean_slope(h, h_low, t)
    # The mean's head has 26 bits.
    shifted = v * 134217729.0
    short = shifted - (shifted - v)
    return mean * short, mean * ((v - short) + v_low) + rest * v


def wide(g: Lengths, far: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """Return m(y) − m(w) as head + rest, for −3/4 ≤ y < 254 outside the near region."""
    y, y_low, w, w_low, _, _, _, _, _ = g
    left, left_rest = mills_inside(y, y_low)
    right, right_rest = far or mills(w, w_low)
    # 0 < m(w) < m(y): the error of the difference takes two operations.
    head = left - right
    return head, ((left - head) - right) + (left_rest - right_rest)


def profile(g: Lengths, region: Region) -> Parts:
    """Return δ, or 1 − δ in the region above half, as a `Value`, for |y| < 2000."""
    head, low = region(g)
    return density_times(g[0], g[1], g[7], head, low)


def density_times(y: Any, y_low: Any, v: Any, head: Any, low: Any) -> Parts:
    """Return φ(y)·(head + low) as a `Value`, with the ratio to v."""
    n, f, f_rest = density(y, y_low)
    # The rest can be large against the head where two heads nearly cancel: normalise.
    bracket = head + low
    low = low - (bracket - head)
    shifted = bracket * 134217729.0
    short = shifted - (shifted - bracket)
    # f has 26 bits, so these products are exact.
    product = f * short
    error = f * (bracket - short)
    value = product + error
    error = error - (value - product)
    return n, value, error + (f * low + f_rest * (bracket + low)), bracket / v
