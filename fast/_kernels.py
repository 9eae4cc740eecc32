"""Public functions of formulas of arrays, which floats are asked in too."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from dporacle.fast._arrays import evaluate, range_of
from dporacle.fast._given import through
from dporacle.interface import called
from dporacle.vocabulary.functions import rounds_down, rows_of


def by_kernel(
    result_name: str, *, zero_is_range: bool = False, single: Callable[..., float] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what makes a public function of a formula of arrays of one dimension.

    Its row says what the arguments may be: floats, or arrays that are computed in blocks.

    Args:
        result_name: what the result is called, for the error message.
        zero_is_range: whether a 0 means "below the range".
        single: is asked first, and answers for plain numbers; NaN for all else.
    """

    def public(formula: Callable[..., Any]) -> Callable[..., Any]:
        name = formula.__name__
        rows, round_down = rows_of(name), rounds_down(name)
        names = [each for each in formula.__annotations__ if each != "return"]
        domains = [range_of(each, rows[each].domain, rows[each].not_zero) for each in names]
        blocks = functools.partial(
            evaluate, result_name, formula, domains, round_down, zero_is_range
        )
        kinds = {**dict.fromkeys(names, "Number"), "return": "Any"}
        asked = called(formula, rows, kinds, functools.partial(through, blocks, round_down))
        return asked if single is None else _first(single, asked)

    return public


def _first(single: Callable[..., float], asked: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that costs next to nothing where its arguments are plain numbers."""

    @functools.wraps(asked)
    def wrapped(*placed: Any, **given: Any) -> Any:
        try:
            value = single(*placed, **given)
        except TypeError:  # it has no such arguments, which is said below
            value = math.nan
        return value if value == value else asked(*placed, **given)

    return wrapped
