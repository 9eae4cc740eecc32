"""Calibration to the last bit: the float64 witness proposes, ball arithmetic decides."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from dporacle import arguments
from dporacle.fast._labels import labelled
from dporacle.fast.analytic_gaussian import calibrate_sigma as float_sigma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dporacle.fast._kinds import Double, Labelled, Scalar, Single


_START_BITS = 128
_MAX_BITS = 1 << 16
_SMALLEST = math.ulp(0.0)


@overload
def calibrate_sigma(  # type: ignore[overload-overlap] # what is given decides in this order
    *, epsilon: Scalar, delta: Scalar, sensitivity: Scalar = 1.0, exact: bool = False
) -> float: ...
@overload
def calibrate_sigma(  # type: ignore[overload-overlap]
    *, epsilon: Single, delta: Single, sensitivity: Single = 1.0, exact: Literal[False] = False
) -> NDArray[np.float32]: ...
@overload
def calibrate_sigma(  # type: ignore[overload-overlap]
    *, epsilon: Double, delta: Double, sensitivity: Double = 1.0, exact: bool = False
) -> NDArray[np.float64]: ...
@overload
def calibrate_sigma(
    *,
    epsilon: Labelled | Double,
    delta: Labelled | Double,
    sensitivity: Labelled | Double = 1.0,
    exact: bool = False,
) -> Labelled: ...


def calibrate_sigma(
    *, epsilon: Any, delta: Any, sensitivity: Any = 1.0, exact: bool = False
) -> Any:
    """Return the smallest σ for (ε, δ)-DP, rounded up (BW18.T8).

    Args:
        epsilon: ε ≥ 0; a number or an array, as for the other two, which broadcast. If `exact`,
            text is a number too: "1e-5" is one hundred-thousandth.
        delta: δ with 0 < δ < 1.
        sensitivity: ℓ2-sensitivity D > 0; σ has its unit.
        exact: if true, return the smallest float64 that is not below the exact σ, proved by
            ball arithmetic; if false, one at most 2.24 units in the last place above it, faster.

    Returns:
        A float if all arguments are scalars, else an array (of float64 if `exact`); for a pandas
        or xarray object, one with its labels.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        OverflowError: if an exact σ is outside the range of float64.
    """
    if not isinstance(exact, bool):
        raise TypeError(f"exact must be True or False, got {exact!r}")
    if not exact:
        return float_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    given = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return labelled(_calibrate_exactly, given)


def _calibrate_exactly(*, epsilon: Any, delta: Any, sensitivity: Any) -> Any:
    if _any_array(epsilon, delta, sensitivity):
        # Reading the arguments is the float64 witness's; its answers are only a start.
        try:
            start = float_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        except OverflowError:
            start = None
        inputs = np.broadcast_arrays(
            *(np.asarray(v).astype(object) for v in (epsilon, delta, sensitivity))
        )
        out = np.empty(inputs[0].shape)
        for index in np.ndindex(out.shape):
            values = [v[index] for v in inputs]
            proposal = _propose(*values) if start is None else start[index]
            out[index] = _least(float(proposal), *map(_fraction, values))
        return out
    given = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    # The float64 witness, which proposes, reads no text.
    read = [arguments.parse(k, v) if isinstance(v, str) else v for k, v in given.items()]
    return _least(_propose(*read), *map(_fraction, read))


def _fraction(value: Any) -> Fraction:
    return arguments.exact("number", value)


def _any_array(*values: Any) -> bool:
    return any(isinstance(value, (list, tuple, np.ndarray)) for value in values)


def _propose(epsilon: Any, delta: Any, sensitivity: Any) -> float:
    """Return a float near the exact σ; where float64's last bits overflow, by an enclosure."""
    try:
        return float(float_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))
    except OverflowError:
        from dporacle.enclosures import calibrate_sigma as enclose_sigma
        from dporacle.enclosures.arithmetic import rounding

        ball = enclose_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=20)
        if ball < _SMALLEST:
            raise
        return rounding.round_up(
            lambda digits: enclose_sigma(
                epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=digits
            )
        )


def _least(sigma: float, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> float:
    """Return the smallest private float64, walking from one that is close to it."""
    while not _is_private(sigma, epsilon, delta, sensitivity):
        sigma = math.nextafter(sigma, math.inf)
    while True:
        below = math.nextafter(sigma, 0.0)
        if below == 0.0 or not _is_private(below, epsilon, delta, sensitivity):
            return sigma
        sigma = below


def _is_private(sigma: float, epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> bool:
    """Decide δ(ε; σ) ≤ δ by balls. Equality does not occur: δ(ε) is transcendental at rationals."""
    # Balls are imported where they decide: a first float64 σ does without.
    from flint import arb

    from dporacle.enclosures.arithmetic import normal
    from dporacle.enclosures.arithmetic.balls import ball, precision

    bits = _START_BITS
    while bits <= _MAX_BITS:
        with precision(bits):
            distance, target = ball(sensitivity), ball(delta)
            h = ball(epsilon) * sigma / distance
            t = distance / (2 * arb(sigma))
            value, rest = normal.profile(h - t, h + t)
            gap = value - target if delta < 0.5 else ball(1 - delta) - rest
            if gap < 0:
                return True
            if gap > 0:
                return False
        bits *= 2
    raise ArithmeticError(f"no sign at {_MAX_BITS} bits for sigma = {sigma!r}")
