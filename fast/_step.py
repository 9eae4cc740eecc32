"""One step of high order from a near μ to the μ whose δ (or 1 − δ) is the target."""

from __future__ import annotations

from typing import Any

from dporacle.fast._kernel import Kernel
from dporacle.fast._profile import Geometry, Value

__all__ = ["difference", "log_mu_step", "log_ratio"]


def difference(kernel: Kernel, target: Any, value: Value) -> Any:
    """Return (target − value)/(target + value), exact to the last bits when they are close."""
    scaled = kernel.scale(target, value.n)
    return ((scaled - value.head) - value.rest) / ((scaled + value.head) + value.rest)


def log_ratio(z: Any) -> Any:
    """Return ln(target/value) = 2 artanh z, for |z| < 1/50."""
    zz = z * z
    return z * (2.0 + zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0))))


def log_mu_step(g: Geometry, value: Value, z: Any, sign: float) -> Any:
    """Return the change of ln μ, at fixed ε, that moves the value to the target.

    With s = ln μ and f the value, ds/d ln f = x = ratio·sign and d ln |df/ds|/ds = p = 1 + yw;
    differentiating along gives the Taylor series of s in ℓ = ln(target/f) = 2 artanh z:

        s″ = x − px²,  s‴ = x − 3px² + (2p² + q)x³,
        s⁗ = x − 7px² + (12p² + 6q)x³ − (6p³ + 7pq + 4p − 4)x⁴,   q = y² + w².

    The error is of the order of ℓ⁵.
    """
    log = log_ratio(z)
    x = value.ratio * sign
    p = 1.0 + g.y * g.w
    q = g.y * g.y + g.w * g.w
    px = p * x
    qx = q * x * x
    cube = 1.0 - 3.0 * px + (2.0 * px * px + qx)
    fourth = (
        1.0
        - 7.0 * px
        + (12.0 * px * px + 6.0 * qx)
        - (px * (6.0 * px * px + 7.0 * qx) + 4.0 * (p - 1.0) * x * x * x)
    )
    return x * log * (1.0 + log * ((1.0 - px) * 0.5 + log * (cube / 6.0 + log * (fourth / 24.0))))
