"""One step, in closed form: amplification by subsampling, exactly.

For remove H_a((1−q)Q + qP‖Q) = q·H_b(P‖Q), b = 1 + (a − 1)/q; for add H_a(Q‖(1−q)Q + qP) =
(1 − a(1−q))·H_b(Q‖P), b = qa/(1 − a(1−q)), and 0 where 1 ≤ a(1−q). H of two Gaussians is the
plain mechanism's. For replace-one the loss rises with the noise and passes ε at a known point.
"""

import math
from collections.abc import Callable

import numpy as np

from dporacle.fast._broadcast import ULP, Array
from dporacle.fast.analytic_gaussian import delta_at_epsilon
from dporacle.fast.subsampled.losses import FloatPhase, largest, log_ratio

_LEAST = 5e-324  # the least float64: a δ that is not 0 is not rounded to 0
_FAR = 40.0  # standard deviations beyond which is less than the least float
_PANELS = 48
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def single_delta(epsilon: float, phase: FloatPhase, direction: str) -> float:
    """Return δ(ε) of one step with rate below 1, not below it.

    At most 2^-38 of it above for remove, where σ ≤ 100; 2^-33 for add and replace-one.
    """
    if phase.shares:
        return _group(epsilon, phase, direction)
    if direction == "replace":
        return _replace(epsilon, phase)
    q = phase.rate
    if direction == "remove":
        if epsilon > 700.0:
            return _LEAST
        inner = math.log1p(math.expm1(epsilon) / q) * (1 - 8 * ULP)
        return _above(q * _plain(inner, phase.sigma) * (1 + 4 * ULP))
    near, rest = largest([phase])
    # ln 1/(a(1−q)), rounded up: 1 − a(1−q) is a factor, and lessens b.
    room = ((near - epsilon) + rest) * (1 + 4 * ULP)
    if room <= 0:
        return _LEAST
    factor = -math.expm1(-room)
    # Where most records are drawn the factor is next to 1, and has lost the digits of its log.
    small = math.log(factor) if room < math.log(2) else math.log1p(-math.exp(-room))
    parts = math.log(q), epsilon, -small
    inner = max(0.0, sum(parts) - 4 * ULP * sum(abs(each) for each in parts))
    return _above(factor * _plain(inner, phase.sigma) * (1 + 8 * ULP))


def _above(value: float) -> float:
    """Return what two roundings of half the least float cannot have brought down, at most 1."""
    return min(1.0, math.nextafter(value, math.inf))


def _plain(epsilon: float, sigma: float) -> float:
    return float(delta_at_epsilon(epsilon=epsilon, sigma=sigma))


def _replace(epsilon: float, phase: FloatPhase) -> float:
    """∫(P − e^εQ)₊ by Gauss and Legendre's rule from the point where the loss is ε."""
    sigma, q = phase.sigma, phase.rate
    # x = σ²(arcsinh(α sinh(ε/2)) + ε/2) with α = e^{1/2σ²}(1−q)/q
    log_alpha = 0.5 / sigma**2 + math.log1p(-q) - math.log(q)
    half = epsilon / 2
    log_sinh = math.log(-math.expm1(-epsilon)) - math.log(2) + half if epsilon > 0 else -math.inf
    big = log_alpha + log_sinh
    arc = (
        big + math.log(1 + math.sqrt(1 + math.exp(-2 * big)))
        if big > 0
        else math.asinh(math.exp(big))
    )
    start = sigma * (arc + half)
    return _beyond(start, 1 / sigma, epsilon, _losses(phase, "replace"))


def _group(epsilon: float, phase: FloatPhase, direction: str) -> float:
    """Return δ(ε) of a group's step the same way, from where the loss passes ε."""
    losses = _losses(phase, direction)

    def excess(t: float) -> float:
        weight, minus = losses(np.float64(t))
        return float(weight - minus) - epsilon

    # The losses of remove and add end on one side; in t they rise.
    centre = 0.0 if direction == "add" else 1 / phase.sigma
    if excess(centre + _FAR) <= 0:
        return _LEAST
    low, high = -_FAR, centre + _FAR
    if excess(low) >= 0:
        high = low
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return _beyond(high, centre, epsilon, losses)


_Losses = Callable[[Array], tuple[Array, Array]]


def _losses(phase: FloatPhase, direction: str) -> _Losses:
    """Return t -> the logarithms of both densities over plain noise; their difference rises."""

    def losses(t: Array) -> tuple[Array, Array]:
        zero = np.zeros_like(t)
        if direction == "add":
            return zero, log_ratio(phase, -t)
        plus = log_ratio(phase, t)
        return plus, log_ratio(phase, -t) if direction == "replace" else zero

    return losses


def _beyond(start: float, centre: float, epsilon: float, losses: _Losses) -> float:
    """Return ∫(P − e^εQ) from a point on, where P has no mass beyond N(centre, 1)'s tail."""
    if start > centre + _FAR:
        return _LEAST
    end = max(start, centre) + 10.0
    if start > centre + 1:
        end = start + min(10.0, 45.0 / (start - centre))
    panels = max(_PANELS, math.ceil(2 * (end - start)))
    edges = np.linspace(start, end, panels + 1)
    middle, width = (edges[1:] + edges[:-1]) / 2, (end - start) / (2 * panels)
    t = middle[:, None] + width * _NODES[None, :]
    first, second = losses(t)
    gain = -np.expm1(np.minimum(epsilon - (first - second), 0.0))
    log = first - t * t / 2
    top = float(np.max(log))  # without it the terms of a small δ would be subnormal
    height = np.exp(log - top) * gain / math.sqrt(2 * math.pi)
    total = float(np.sum(height @ _WEIGHTS)) * width
    return _above(math.exp(top + math.log(total) + 2.0**-34))
