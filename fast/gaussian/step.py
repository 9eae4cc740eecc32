"""One step of high order from a near μ to the μ whose δ (or 1 − δ) is the target."""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.profile import Lengths, Parts


def difference(target: Any, value: Parts) -> Any:
    """Return (target − value)/(target + value), exact to the last bits when they are close."""
    n, head, rest, _ = value
    scaled = np.ldexp(target, n)
    return ((scaled - head) - rest) / ((scaled + head) + rest)


def log_ratio(z: Any) -> Any:
    """Return ln(target/value) = 2 artanh z, for |z| < 1/50."""
    zz = z * z
    return z * (2.0 + zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0))))


def log_mu_step(g: Lengths, x: Any, z: Any) -> Any:
    """Return the change of ln μ, at fixed ε, that moves the value to the target.

    With s = ln μ and f the value, x = ds/d ln f (the value's ratio, negative for 1 − δ) and
    d ln |df/ds|/ds = p = 1 + yw;
    differentiating along gives the Taylor series of s in ℓ = ln(target/f) = 2 artanh z:

        s″ = x − px²,  s‴ = x − 3px² + (2p² + q)x³,
        s⁗ = x − 7px² + (12p² + 6q)x³ − (6p³ + 7pq + 4p − 4)x⁴,   q = y² + w².

    The error is of the order of ℓ⁵.
    """
    y, w = g[0], g[2]
    return step_series(x, (1.0 + y * w) * x, (y * y + w * w) * x * x, log_ratio(z))


def step_series(x: Any, p: Any, q: Any, log: Any) -> Any:
    """Return `log_mu_step`'s series, from px, qx² and ℓ in place of p, q and z."""
    pp = p * p
    third = 1.0 - 3.0 * p + (2.0 * pp + q)
    fourth = (
        1.0 - 7.0 * p + (12.0 * pp + 6.0 * q) - (p * (6.0 * pp + 7.0 * q) + 4.0 * (p - x) * x * x)
    )
    return (
        x
        * log
        * (
            1.0
            + log * ((1.0 - p) * 0.5 + log * (third * (1.0 / 6.0) + log * (fourth * (1.0 / 24.0))))
        )
    )
