"""Composition and group privacy in float64 (X.COMP, X.GROUP).

Every result is at least the exact value, and as near as its row says (for n releases, n ≤ 2^20);
the exponent kε of `group_delta_bound` is up to 709.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dporacle.fast._broadcast import (
    Array,
    Number,
    Numbers,
    above,
    give,
    integers,
    quiet,
    reals,
    witness,
)
from dporacle.fast._scaled import exponential, length, product, scaled_above
from dporacle.fast.analytic_gaussian import calibrate_sigma, delta_at_epsilon, epsilon_at_delta


@witness
def composed_mu(*, sensitivities: Numbers, sigmas: Numbers) -> Any:
    """Return μ = √Σ(Dᵢ/σᵢ)² over the last axis (X.COMP)."""
    if sensitivities.ndim == 0 or sensitivities.shape != sigmas.shape:
        raise ValueError(
            f"sigmas must be as many as sensitivities, got {sigmas.shape} and {sensitivities.shape}"
        )
    return scaled_above(length(*product(sensitivities, over=(sigmas,))), 24)


@witness
def repeated_mu(*, mu: Array, releases: Array) -> Any:
    """Return μ√k, the μ of k equal releases together (X.COMP)."""
    return above(mu * np.sqrt(releases), 2)


@witness
def repeated_delta(*, epsilon: Number, sigma: Number, releases: Number, sensitivity: Number) -> Any:
    """Return δ(ε) of k equal releases together, not below it (X.COMP).

    √k·D is rounded up by at most 4·2^-52; δ(ε) magnifies that by at most w² + 3, w = ε/μ + μ/2.
    """
    together, shift = _together(sensitivity, releases)
    return delta_at_epsilon(epsilon=epsilon, sigma=_shifted(sigma, shift), sensitivity=together)


@witness
def repeated_epsilon(*, delta: Number, sigma: Number, releases: Number, sensitivity: Number) -> Any:
    """Return the smallest ε ≥ 0 for which k equal releases together are (ε,δ)-DP (X.COMP).

    Not below it; √k·D is rounded up by at most 4·2^-52.
    """
    together, shift = _together(sensitivity, releases)
    return epsilon_at_delta(delta=delta, sigma=_shifted(sigma, shift), sensitivity=together)


@witness
def repeated_sigma(*, epsilon: Number, delta: Number, releases: Number, sensitivity: Number) -> Any:
    """Return the least σ of each of k equal releases that are (ε,δ)-DP together (X.COMP).

    Not below it, and at most 8·2^-52 of it above.

    Raises:
        OverflowError: if a σ is outside the range of float64.
    """
    together, shift = _together(sensitivity, releases)
    sigma = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=together)
    if not np.any(shift):
        return sigma
    found = np.nextafter(np.ldexp(sigma, -shift), np.inf)
    if np.any(np.isinf(found)):
        raise OverflowError("sigma is above the largest float64")
    return give(found)


@quiet
def _together(sensitivity: Number, releases: Number) -> tuple[Any, Any]:
    """√k·D, not below it, times a power of two that keeps it and its digits in the floats."""
    k = integers("releases", releases)
    distance = reals("sensitivity", sensitivity)
    shift = np.where(distance < 2.0**-900, 600, 0) - np.where(distance > 2.0**900, 600, 0)
    moved = np.ldexp(distance, shift)
    return np.where(k == 1, moved, above(moved * np.sqrt(k), 2))[()], shift


@quiet
def _shifted(sigma: Number, shift: Any) -> Any:
    """σ times that power of two; at an end of the floats δ and ε are at an end of theirs."""
    if not np.any(shift):
        return sigma
    moved = np.ldexp(reals("sigma", sigma), shift)
    return give(np.clip(moved, np.nextafter(0.0, 1.0), np.finfo(float).max))


@witness
def repeated_rho(*, mu: Array, releases: Array) -> Any:
    """Return ρ = kμ²/2, for which k equal releases together are ρ-zCDP (X.ZCOMP)."""
    return scaled_above(product(mu, mu, releases, 0.5), 3)


@witness
def repeated_zcdp_epsilon(*, delta: Array, mu: Array, releases: Array) -> Any:
    """Return ρ + 2√(ρ ln(1/δ)), the ε that the total ρ = kμ²/2 of zCDP proves (X.ZCOMP)."""
    root = np.sqrt(releases)
    return scaled_above(product(mu, root, mu * root / 2 + np.sqrt(-2 * np.log(delta))), 9)


@witness
def group_mu(*, mu: Array, size: Array) -> Any:
    """Return kμ, that of inputs which differ in k records (X.GROUP)."""
    return above(mu * size, 1)


@witness
def group_delta_bound(*, epsilon: Array, delta: Array, size: Array) -> Any:
    """Return δ(e^{kε}−1)/(e^ε−1), the group privacy of any (ε,δ)-DP mechanism (X.GROUP).

    Returns:
        The bound; it may be above 1, and is infinite where it overflows.
    """
    some = np.where(epsilon > 0, epsilon, 1.0)
    # (e^{kε}−1)/(e^ε−1) = e^{(k−1)ε}·(1−e^{−kε})/(1−e^{−ε})
    head, power = exponential((size - 1) * some)
    series = head * (np.expm1(-size * some) / np.expm1(-some))
    mantissa, exponent = product(delta, np.where(epsilon > 0, series, size))
    return scaled_above((mantissa, exponent + np.where(epsilon > 0, power, 0)), 2.0**11)


@witness
def sqrt_toeplitz_sensitivity_squared(
    *, length: Array, bands: Array, participations: Array, separation: Array
) -> Any:
    """Return the squared sensitivity of the root of the prefix sums, cut to bands (X.COMP)."""
    return _each(_root_entries, length, bands, participations, separation)


@witness
def decaying_toeplitz_sensitivity_squared(
    *, decay: Array, length: Array, bands: Array, participations: Array, separation: Array
) -> Any:
    """Return the squared sensitivity of the Toeplitz matrix of 1, λ, λ², …, in bands (X.COMP)."""
    return _each(
        lambda count, rate: np.power(rate, np.arange(float(count))),
        length,
        bands,
        participations,
        separation,
        decay,
    )


@witness
def tree_sensitivity(*, length: Array, participations: Array) -> Any:
    """Return the sensitivity of a binary tree, of a record in its leftmost leaves (X.COMP).

    Level by level: full nodes, and the one that is not, all in whole numbers below 2^26.
    """
    leaves = np.minimum(length, participations)
    square = np.zeros_like(leaves)
    for size in 2.0 ** np.arange(13):
        nodes = np.floor(length / size)
        full = np.minimum(np.floor(leaves / size), nodes)
        rest = np.where(full < nodes, leaves - full * size, 0.0)
        square = square + full * size**2 + rest**2
    return above(np.sqrt(square), 1)


@functools.lru_cache(maxsize=1)
def _all_root_entries(most: int = 1 << 12) -> Array:
    """Return C(2t, t)/4^t, from integers of 128 bits: each entry is the nearest float64."""
    found = [1 << 128]
    for t in range(1, most):
        found.append(found[-1] * (2 * t - 1) // (2 * t))
    return np.array([each / (1 << 128) for each in found])


def _root_entries(count: int) -> Array:
    return _all_root_entries()[:count]


def _each(entries: Callable[..., Array], *given: Any) -> Any:
    arrays = np.broadcast_arrays(*map(np.asarray, given))
    found = [
        _square(entries, *map(int, numbers[:4]), *map(float, numbers[4:]))
        for numbers in zip(*(array.flat for array in arrays), strict=True)
    ]
    # A sum of 2^12 columns is wrong by 12·2^-52 at most, its square by twice that, and the sum of
    # 2^12 squares by 20·2^-52; the entries, by 2^-52 each, add 2.
    return above(np.array(found).reshape(arrays[0].shape), 48)


def _square(
    entries: Callable[..., Array],
    length: int,
    bands: int,
    participations: int,
    separation: int,
    *decay: float,
) -> float:
    """Return the square of the sum of the leftmost columns; their number is doubled, or one more.

    Nothing is subtracted, so that every sum is as exact as its terms.
    """
    column = np.zeros(length)
    count = min(bands, length)
    column[:count] = entries(count, *decay)
    most = min(participations, -(-length // separation))
    total, columns = column.copy(), 1
    for bit in f"{most:b}"[1:]:
        total = total + _later(total, columns * separation)
        columns *= 2
        if bit == "1":
            total = column + _later(total, separation)
            columns += 1
    return float(np.sum(total * total))


def _later(column: Array, steps: int) -> Array:
    return np.concatenate(
        (np.zeros(min(steps, len(column))), column[: max(0, len(column) - steps)])
    )
