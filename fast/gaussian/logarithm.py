"""The natural logarithm beyond the last bit."""

from typing import Any

import numpy as np

from dporacle.fast.gaussian.compensated import two_sum
from dporacle.fast.gaussian.kernel import Table, integer, row
from dporacle.fast.tables import LN2_HEAD, LN2_REST, LOG

_LOG = Table(LOG)


def logarithm(x: Any, low: Any = 0.0, n: Any = 0) -> tuple[Any, Any]:
    """Return ln((x + low)·2⁻ⁿ) as head + rest, for normal or subnormal x > 0.

    The absolute error is about 2⁻⁵³·2⁻⁷ (plus 2⁻¹⁰⁵ of the result): relative accuracy is lost
    where the logarithm is nearly 0.
    """
    mantissa, exponent = np.frexp(x)
    mantissa = 2.0 * mantissa
    c, log, log_rest = row(_LOG, integer(mantissa * 128.0) - 128)
    low = np.ldexp(low, 1 - exponent)
    # ln(m/c) = 2 artanh of (m − c)/(m + c); m − c is exact.
    gap = mantissa - c
    total = mantissa + c + low
    z = (gap + low) / total
    zz = z * z
    tail = z * (2.0 + zz * (2.0 / 3.0 + zz * (0.4 + zz * (2.0 / 7.0))))
    whole = (exponent - 1 - n) * 1.0
    head, error = two_sum(whole * LN2_HEAD + log, tail)
    return head, error + (log_rest + whole * LN2_REST)
