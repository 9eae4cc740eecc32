"""Answers that print the digits that were asked for.

mpmath prints as many digits as its context computes with, 15 unless told. What is computed from
an answer is an ordinary `mpf` of that context again.
"""

from typing import Any

import mpmath


class ShownReal(mpmath.mpf):  # type: ignore[misc]
    """An `mpf` that prints as many digits as are correct in it."""

    __slots__ = ("digits",)

    def __str__(self) -> str:
        return str(mpmath.nstr(self, self.digits))

    def __repr__(self) -> str:
        return f"mpf('{self}')"

    def __format__(self, format_spec: str) -> str:
        return str(super().__format__(format_spec)) if format_spec else str(self)

    def __reduce__(self) -> Any:
        return _answer, (self._mpf_, self.digits)


def show(value: Any, digits: int) -> Any:
    """Return an `mpf` as an `ShownReal`, and what is none as it is."""
    if type(value) is not mpmath.mpf:
        return value
    return _answer(value._mpf_, digits)


def _answer(number: Any, digits: int) -> ShownReal:
    answer = object.__new__(ShownReal)  # its own constructor would round
    answer._mpf_, answer.digits = number, digits
    return answer
