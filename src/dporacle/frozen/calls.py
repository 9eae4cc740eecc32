"""A noisy call: what a function gave to a mechanism, and how far two such values lie apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Norm = Literal[1, 2, "largest", "spectral"]
Values = NDArray[np.float64]

# What a sum of floats may be off by: more roundings than any test has records. An excess below it
# convicts nobody, and what is claimed of a pair is lowered by it.
ROUNDING, OF_DECLARED = 2.0**-40, 2.0**-30
_WHOLE = 2.0**53  # whole numbers below it are added exactly


@dataclass(kw_only=True)
class NoisyCall:
    """One call of a mechanism, as a hook reads it.

    Attributes:
        kind: "laplace" and "gaussian" (independent noise on each coordinate) and "geometric"
            (discrete Laplace) are known to claims; another word is compared, and left out there.
        value: the number or numbers before noise; None if the hook does not see it.
        sensitivity: what the call declares for it, in `norm`; None if it declares nothing.
        epsilon: ε that the call declares for itself, if it does.
        delta: its δ; 0 if the call promises pure ε-DP, None if it promises nothing.
        scale: b of Laplace noise, σ of Gaussian noise; None if it is not known.
        norm: 1, 2, "largest" (the largest coordinate, as for scores) or "spectral".
        bounds: between which two numbers the noisy value is clamped; None if it is not.
        seeded: whether it is seen that the function gave the noise its seed.
        output: what the call returned; where noise alone is returned, it and the noisy value.
        where: the line that made it.
    """

    kind: str
    value: Any = None
    sensitivity: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    scale: float | None = None
    norm: Norm = 1
    bounds: tuple[float, float] | None = None
    seeded: bool = False
    output: Any = None
    where: str = "?"

    def __post_init__(self) -> None:
        if self.norm not in (1, 2, "largest", "spectral"):
            raise ValueError(f"norm must be 1, 2, 'largest' or 'spectral', got {self.norm!r}")
        for name in ("sensitivity", "epsilon", "delta", "scale"):
            given = getattr(self, name)
            if given is not None and not float(given) >= 0:
                raise ValueError(f"{name} of a {self.kind} call must be ≥ 0, got {given!r}")
            setattr(self, name, None if given is None else float(given))
        self.value = numbers(self.value)

    @property
    def declared(self) -> tuple[float | None, ...]:
        """What should not depend on the data."""
        return self.sensitivity, self.epsilon, self.delta, self.scale


@dataclass(frozen=True, kw_only=True)
class Hook:
    """An attribute that makes noise, and how a call of it is read.

    Attributes:
        owner: the module, class or object where callers look it up.
        attribute: its name.
        read: makes a `NoisyCall` of the arguments of a call; None of one that makes no noise.
        added: whether it returns noise alone: its value is then what it is first added to.
        instead: makes a stand-in of an attribute that makes no noise itself, in place of `read`.
        within: a package that only hands calls on: the line that called the package is shown.
    """

    owner: Any
    attribute: str
    read: Callable[..., NoisyCall | None] | None = None
    added: bool = False
    instead: Callable[[Any], Any] | None = None
    within: str = ""

    def __post_init__(self) -> None:
        if not hasattr(self.owner, self.attribute):
            raise ValueError(f"attribute {self.attribute!r} is not there in {self.owner!r}")
        if (self.read is None) == (self.instead is None):
            raise ValueError(f"read or instead must be given for {self.attribute!r}, and only one")


def numbers(value: Any) -> Values | None:
    """Return a copy of a value as float64; None for what is not made of numbers."""
    try:
        return None if value is None else np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def difference(first: Values, second: Values) -> Values:
    """Return first − second; ∞ where only one is a number, or the shapes differ."""
    if first.shape != second.shape:
        return np.array(np.inf)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    with np.errstate(invalid="ignore", over="ignore"):  # what overflows is ∞
        apart = np.where(same, 0.0, first - second)
    return np.where(np.isfinite(apart), apart, np.inf)


def size(values: Values, norm: Norm) -> float:
    """Return a norm; ∞ if a number is."""
    if not values.size or not np.isfinite(values).all():
        return np.inf if values.size else 0.0
    largest = float(np.abs(values).max())
    if largest == 0:
        return 0.0
    shares = values / largest  # their squares neither overflow nor vanish
    if norm == "spectral" and values.ndim == 2:
        return largest * float(np.linalg.norm(shares, 2))
    order = norm if isinstance(norm, int) else np.inf
    return largest * float(np.linalg.norm(shares.ravel(), order))


def change(first: NoisyCall, second: NoisyCall) -> float | None:
    """Return how far the values of two calls lie apart; None if one is not seen."""
    if first.value is None or second.value is None:
        return None
    return size(difference(first.value, second.value), first.norm)


def rounding(first: NoisyCall, second: NoisyCall) -> Values:
    """Return what of a change may be rounding, in each coordinate; whole numbers have none."""
    values = np.abs(np.stack(np.broadcast_arrays(first.value, second.value)))
    values = np.where(np.isfinite(values), values, 0.0)
    whole = np.all((values == np.rint(values)) & (values < _WHOLE), axis=0)
    return np.where(whole, 0.0, ROUNDING * values.max(axis=0))


def is_same(first: Any, second: Any) -> bool | None:
    """Tell whether two results are the same, up to rounding; None if it is not to be seen."""
    one, other = numbers(first), numbers(second)
    if one is not None and other is not None:
        if one.shape != other.shape:
            return False
        spare = ROUNDING * np.fmax(np.abs(one), np.abs(other))
        spare = np.where(np.isfinite(spare), spare, 0.0)
        return bool(np.all(np.abs(difference(one, other)) <= spare))
    if type(first) is not type(second):
        return False
    if isinstance(first, (list, tuple, dict)):
        both = [
            list(each) if isinstance(each, dict) else range(len(each)) for each in (first, second)
        ]
        if {*both[0]} != {*both[1]}:
            return False
        found = {is_same(first[key], second[key]) for key in both[0]}
        return False if False in found else None if None in found else True
    if "__eq__" in {name for each in type(first).__mro__[:-1] for name in vars(each)}:
        return bool(np.all(first == second))
    return is_same(vars(first), vars(second)) if hasattr(first, "__dict__") else None
