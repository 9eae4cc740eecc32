"""Accountants that put DP-SGD's loss on a mesh, compose it by Fourier transforms, and do it wrong.

The loss of removing a record is put on a lattice; its distribution of T steps is the T-th power of
one transform. Rounded up, and with what is cut off put back, such an ε would be an upper bound.
"""

import math
from typing import Any

import numpy as np
from scipy.special import ndtr

from dporacle.specimens.specimen import Collection
from dporacle.specimens.subsampled import valid
from dporacle.vocabulary import QUANTITIES

MESHES = Collection()

_EPSILON = QUANTITIES["subsampled_epsilon"]
_MESH = 2e-3
_POINTS = 1 << 16
_WIDTHS = 12  # of the noise, beyond which nothing is kept
_HALVINGS = 45


def _one_step(sigma: float, rate: float, offset: float) -> tuple[int, Any]:
    """Return the first point of the lattice and the masses; `offset` is what is added to it."""

    def loss(x: float) -> float:
        return math.log1p(rate * math.expm1(min((x - 0.5) / sigma**2, 700.0)))

    def below(losses: Any) -> Any:
        """The distribution function, by the x at which the loss is so large."""
        inside = np.expm1(losses) / rate
        x = sigma**2 * np.log1p(np.maximum(inside, -1 + 2.0**-53)) + 0.5
        found = (1 - rate) * ndtr(x / sigma) + rate * ndtr((x - 1) / sigma)
        return np.where(inside > -1, found, 0.0)

    ends = loss(-_WIDTHS * sigma), loss(1 + _WIDTHS * sigma)
    first, last = (math.floor(end / _MESH) for end in ends)
    if last - first > _POINTS:
        raise NotImplementedError("the mesh has too few points")
    edges = (np.arange(first, last + 3) - offset) * _MESH
    return first, np.diff(below(edges))


def _epsilon(given: dict[str, float], offset: float) -> float:
    """Return ε of removing a record; masses in [(k − offset)·h, (k − offset + 1)·h) go to k·h."""
    steps = int(given["steps"])
    first, masses = _one_step(given["sigma"], given["rate"], offset)
    composed = np.fft.irfft(np.fft.rfft(masses, _POINTS) ** steps, _POINTS)
    # Index k stands for first·T + k and all that is a multiple of the points away from it.
    mean = steps * (first + float(masses @ np.arange(len(masses))))
    lowest = round(mean) - _POINTS // 2
    losses = np.arange(lowest, lowest + _POINTS)
    masses = composed[(losses - first * steps) % _POINTS]

    def delta(epsilon: float) -> float:
        beyond = slice(np.searchsorted(losses, epsilon / _MESH), None)
        return float(masses[beyond] @ -np.expm1(epsilon - losses[beyond] * _MESH))

    low, high = 0.0, max(0.0, float(losses[-1]) * _MESH)
    if delta(low) <= given["delta"]:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > given["delta"] else (low, middle)
    return high


@MESHES.add("subsampled_epsilon", "core", "single-step", "fft-noise", "tiny-rate", "deep-tail")
def lattice_rounded_down(**given: float) -> float:
    """Losses are rounded down to the mesh: an optimistic distribution, taken for the other one."""
    valid(_EPSILON, given)
    return _epsilon(given, 0.0)


@MESHES.add("subsampled_epsilon", "core", "fft-noise", "tiny-rate", "deep-tail", "tiny-delta")
def lattice_rounded_to_nearest(**given: float) -> float:
    """Losses are rounded to the nearest point of the mesh, which bounds nothing on either side."""
    valid(_EPSILON, given)
    return _epsilon(given, 0.5)
