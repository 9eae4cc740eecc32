"""The entries of the error budget (proofs_notes/analytic_gaussian_float64.md), one by one."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from dporacle.enclosures.arithmetic import normal
from dporacle.fast.gaussian import delta as _delta
from dporacle.fast.gaussian import density as _density
from dporacle.fast.gaussian import epsilon as _epsilon
from dporacle.fast.gaussian import logarithm as _logarithm
from dporacle.fast.gaussian import mills as _mills
from dporacle.fast.gaussian import profile as _profile

U = arb(2) ** -53


def ball(x):
    mantissa, exponent = math.frexp(float(x))
    return arb(int(mantissa * 2.0**53)) * arb(2) ** (exponent - 53)


def worst(errors):
    return max(float(abs(error).mid()) for error in errors)


def edges(cells):
    """Return the two ends and three inner points of each cell: the series is worst at the ends."""
    out = []
    for cell in range(8 * cells):
        octave, part = divmod(cell, cells)
        low = 2.0**octave * (1 + part / cells) - 1.75
        width = 2.0**octave / cells
        inner = [low + width * f for f in (0.2017, 0.61, 0.8303)]
        last = math.nextafter(low + width, 0 if low + width > 0 else -10)
        out += [x for x in (low, *inner, last) if -0.75 <= x < 253]
    return out


def test_mills():
    ctx.prec = 160
    errors = []
    points = np.array(edges(128))
    heads, rests = _mills.mills(points, np.zeros_like(points))
    for x, head, rest in zip(points, heads, rests, strict=True):
        errors.append(((ball(head) + ball(rest)) / normal.mills(ball(x)) - 1) / U)
    assert worst(errors) <= 0.02


@pytest.mark.parametrize("share", [1e-9, 0.5, 0.999])
def test_mean_slope(share):
    ctx.prec = 260
    errors = []
    middles = np.array([h for h in edges(64) if h >= 0])
    halves = share * _profile.NEAR * (middles + 1.75)
    heads, rests = _mills.mean_slope(middles, np.zeros_like(middles), halves)
    for h, t, head, rest in zip(middles, halves, heads, rests, strict=True):
        y, w = ball(h) - ball(t), ball(h) + ball(t)
        true = (normal.mills(y) - normal.mills(w)) / (2 * ball(t))
        errors.append(((ball(head) + ball(rest)) / true - 1) / U)
    assert worst(errors) <= 0.2


def test_density():
    ctx.prec = 160
    rng = np.random.default_rng(0)
    errors = []
    points = np.concatenate([rng.uniform(-1, 1, 4000), rng.uniform(-40, 41, 8000)])
    lows = points * rng.uniform(-1, 1, points.size) * 2.0**-53
    for y, low, n, head, rest in zip(points, lows, *_density.density(points, lows), strict=True):
        true = normal.normal_density(ball(y) + ball(low))
        errors.append(((ball(head) + ball(rest)) * arb(2) ** -int(n) / true - 1) / U)
    assert worst(errors) <= 0.02


def test_difference_of_mills_ratios():
    """At the border of the near region the two ratios cancel most."""
    ctx.prec = 200
    rng = np.random.default_rng(1)
    errors = []
    h = 2.0 ** rng.uniform(0.81, 5.4, 20_000) - 1.75
    t = _profile.NEAR * (h + 1.75) * (1 + 0.2 * rng.random(h.size))
    zero = np.zeros_like(h)
    geometry = _profile.Geometry(h - t, zero, h + t, zero, h, zero, t, 2 * t, zero)
    heads, rests = _profile.wide(geometry)
    for y, w, head, rest in zip(h - t, h + t, heads, rests, strict=True):
        true = normal.mills(ball(y)) - normal.mills(ball(w))
        errors.append(((ball(head) + ball(rest)) / true - 1) / U)
    assert worst(errors) <= 0.3
    assert worst(errors) * float(U.mid()) <= _epsilon.PROFILE_ERROR <= _delta.DELTA_ERROR


def test_logarithm():
    ctx.prec = 160
    rng = np.random.default_rng(2)
    points = np.concatenate([2.0 ** rng.uniform(-1073, 3, 4000), rng.uniform(0.4, 0.99, 4000)])
    for x, head, rest in zip(points, *_logarithm.logarithm(points), strict=True):
        error = abs(ball(head) + ball(rest) - ball(x).log()) / U
        assert error < 0.02 + abs(ball(x).log()) * ball(2.0**-40)
