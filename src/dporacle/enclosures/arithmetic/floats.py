"""Where Newton's method on balls may begin: a root in floats, which nothing rests on."""

import math
from fractions import Fraction

from flint import arb

FLOAT_BITS = 44
"""About how many bits of a root in floats are right."""

_LEAST, _MOST = 1e-4, 600.0  # ε between which e^ε times a tail is a float, and a difference of two
_RAREST, _LIKELIEST = 1e-14, 0.9
_STEPS = 25  # of 3,000 settings at random one took 19, and all but six at most 10
_CLOSE = 1e-6  # of a step: what is left is its square, about as much as floats carry here


def float_root(epsilon: Fraction, target: Fraction) -> arb | None:
    """Return about the y at which δ(ε) is the target; None where floats would not do."""
    try:
        e, d = float(epsilon), float(target)
    except OverflowError:
        return None
    if not (_LEAST <= e <= _MOST and _RAREST <= d <= _LIKELIEST):
        return None
    growth, odds = math.exp(e), math.log(d / (1 - d))
    y = math.sqrt(-2 * math.log(2 * d)) if d < 0.5 else 0.0
    for _ in range(_STEPS):
        w = math.sqrt(y * y + 2 * e)
        value = 0.5 * (math.erfc(y * math.sqrt(0.5)) - growth * math.erfc(w * math.sqrt(0.5)))
        if not 0 < value < 1:
            return None
        mu = 2 * e / (w + y) if y > 0 else w - y
        slope = math.exp(-0.5 * y * y) * mu / (w * math.sqrt(2 * math.pi))
        # In the log-odds of δ, near-linear in y at both ends.
        step = (math.log(value / (1 - value)) - odds) * value * (1 - value) / slope
        y += max(-1.0, min(1.0, step))
        if abs(step) < _CLOSE * min(1.0, w):
            return arb(y)
    return None
