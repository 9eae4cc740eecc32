"""Real numbers as Coq writes them, with their values: what statements are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from mpmath import mp, mpf


@dataclass(frozen=True, slots=True)
class Real:
    """A real number.

    Attributes:
        text: what Coq reads, in the scope of the reals; in brackets unless it is one word.
        value: its value at mpmath's working precision.
    """

    text: str
    value: Callable[[], mpf]

    def __add__(self, other: Real) -> Real:
        return Real(f"({self.text} + {other.text})", lambda: self.value() + other.value())

    def __sub__(self, other: Real) -> Real:
        return Real(f"({self.text} - {other.text})", lambda: self.value() - other.value())

    def __mul__(self, other: Real) -> Real:
        return Real(f"({self.text} * {other.text})", lambda: self.value() * other.value())

    def __truediv__(self, other: Real) -> Real:
        return Real(f"({self.text} / {other.text})", lambda: self.value() / other.value())


def number(value: Fraction | int) -> Real:
    """Return a rational number, exactly: an integer or a quotient of two."""
    exact = Fraction(value)
    if exact < 0:
        return number(0) - number(-exact)
    if exact.denominator == 1:
        return Real(str(exact.numerator), lambda: mpf(exact.numerator))
    text = f"({exact.numerator} / {exact.denominator})"
    return Real(text, lambda: mpf(exact.numerator) / exact.denominator)


def sqrt(square: Real) -> Real:
    """Return a square root."""
    return Real(f"(sqrt {square.text})", lambda: mp.sqrt(square.value()))


def ln(value: Real) -> Real:
    """Return a natural logarithm."""
    return Real(f"(ln {value.text})", lambda: mp.log(value.value()))


def exp(value: Real) -> Real:
    """Return a power of e."""
    return Real(f"(exp {value.text})", lambda: mp.exp(value.value()))


def power(base: Real, exponent: int) -> Real:
    """Return an integer power."""
    return Real(f"(powerRZ {base.text} {exponent})", lambda: base.value() ** exponent)


def normal(value: Real) -> Real:
    """Return Φ."""
    return Real(f"(Phi {value.text})", lambda: mp.ncdf(value.value()))


def profile(epsilon: Real, mu: Real) -> Real:
    """Return δ(ε) of the Gaussian mechanism with μ = Δ/σ."""

    def value() -> mpf:
        e, m = epsilon.value(), mu.value()
        return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)

    return Real(f"(profile {epsilon.text} {mu.text})", value)


PI = Real("PI", lambda: +mp.pi)
