"""Check the float64 witness against balls: `python tools/fast_accuracy.py [--points 1000000]`.

For every function and region of its domain, prints how many points were checked and the
smallest and the largest excess over the exact value, in units in the last place of the
result (positive: on the private side). Fails if any result is on the wrong side, however
little: the comparison is between balls that are proofs.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx, fmpq

import dporacle.fast as fast

MAXIMUM = sys.float_info.max


def exact(x: float) -> arb:
    """Return a float as a ball of radius 0."""
    mantissa, exponent = math.frexp(x)
    return arb(int(mantissa * 2.0**53)) * arb(2) ** (exponent - 53)


def mills(x: arb) -> arb:
    """Return m(x) = Φ(−x)/φ(x)."""
    if x > 100000:
        # 1/x·(1 − 1/x² + 3/x⁴ − …) with alternating bounds: 15/x⁶ < 2⁻⁹⁰.
        a = 1 / (x * x)
        return (1 - a * (1 - 3 * a * (1 - arb(0.5, 0.5) * 5 * a))) / x
    return (x * x / 2).exp() * (x / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt()


def density(y: arb) -> arb:
    """Return φ(y)."""
    return (-y * y / 2).exp() / (2 * arb.pi()).sqrt()


class Point(NamedTuple):
    """δ, 1 − δ and what their errors are worth."""

    mu: arb
    y: arb
    w: arb
    delta: arb
    rest: arb  # 1 − δ


def point(epsilon: float, sigma: float, sensitivity: float, bits: int = 90) -> Point:
    """Return the profile at (ε, σ, D), with balls of relative radius below 2^-bits."""
    precision = bits + 60
    while True:
        ctx.prec = precision
        mu = exact(sensitivity) / exact(sigma)
        h = exact(epsilon) / mu
        y, w = h - mu / 2, h + mu / 2
        if y < -1:
            rest = density(y) * (mills(-y) + mills(w))
            delta = 1 - rest
        else:
            delta = density(y) * (mills(y) - mills(w))
            rest = 1 - delta
        if delta > 0 and rest > 0 and min(delta.rel_accuracy_bits(), rest.rel_accuracy_bits()) > bits:
            return Point(mu, y, w, delta, rest)
        precision *= 2
        if precision > 20000:
            raise RuntimeError(f"no enclosure at {epsilon!r}, {sigma!r}, {sensitivity!r}")


def ulp(x: float) -> arb:
    """Return the unit in the last place of a float."""
    return exact(math.ulp(x))


def calibrate_excess(epsilon: float, delta: float, sensitivity: float, sigma: float) -> arb:
    """Return (σ − exact σ)/ulp to first order; its sign is a proof."""
    p = point(epsilon, sigma, sensitivity)
    gap = (1 - exact(delta)) - p.rest if p.y < -1 else p.delta - exact(delta)
    gap = p.rest - (1 - exact(delta)) if p.y < -1 else exact(delta) - p.delta
    return gap / (p.mu * density(p.y)) * exact(sigma) / ulp(sigma)


def delta_excess(epsilon: float, sigma: float, sensitivity: float, result: float) -> arb:
    """Return (δ − exact δ)/ulp; at most 1 unit where 1 is returned."""
    p = point(epsilon, sigma, sensitivity)
    gap = p.rest - (1 - exact(result)) if p.y < -1 else exact(result) - p.delta
    return gap / ulp(result)


def log_excess(epsilon: float, sigma: float, sensitivity: float, result: float) -> arb:
    """Return (ln δ − exact)/ulp."""
    p = point(epsilon, sigma, sensitivity)
    true = (-p.rest).log1p() if p.y < -1 else p.delta.log()
    return (exact(result) - true) / ulp(result)


def epsilon_excess(delta: float, sigma: float, sensitivity: float, result: float) -> arb:
    """Return the excess of ε beyond one unit of rounding, over u·(ε + dε/d ln δ), or its sign."""
    p = point(result, sigma, sensitivity)
    if p.y < -1:
        gap = p.rest - (1 - exact(delta))
        slope = p.rest / (density(p.y) * mills(p.w))
        change = gap / p.rest * slope
    else:
        slope = p.delta / (density(p.y) * mills(p.w))
        change = (exact(delta) - p.delta) / p.delta * slope
    if change < 0:
        return arb(-1)
    bound = (exact(result) + p.delta / (density(p.y) * mills(p.w))) * exact(2.0**-53)
    beyond = (change - ulp(result)) / bound
    return beyond if beyond > 0 else arb(0)
