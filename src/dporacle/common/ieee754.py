"""Whether this thread computes as IEEE 754 has it: to the nearest float64, subnormals and all.

Any library may have changed that for a thread that loaded or called it: code built with
`-ffast-math` flushes subnormals to zero, interval libraries round upwards. No bound on a float64
result holds then. The numbers below have names, so that the compiler of Python, which computes
with literals once and keeps the result, leaves them alone.
"""

_ONE, _HALF, _MORE = 1.0, 2.0**-53, 1.5 * 2.0**-53
_NORMAL, _PART, _TIMES = 2.2250738585072014e-308, 0.5, 2.0


def sound() -> bool:
    """Return whether the processor rounds to nearest and keeps subnormals, in this thread, now."""
    return _ONE + _HALF == _ONE < _ONE + _MORE and _NORMAL * _PART * _TIMES == _NORMAL


def demand() -> None:
    """Refuse to compute where it does not.

    Raises:
        FloatingPointError: saying which of both is amiss.
    """
    if sound():
        return
    kept = _NORMAL * _PART * _TIMES == _NORMAL
    wrong = "does not round to nearest" if kept else "takes the smallest numbers for zero"
    raise FloatingPointError(
        f"the processor {wrong}: another library has changed how this thread computes, and no"
        " float64 result can be relied on; undo that, or ask in another process"
    )
