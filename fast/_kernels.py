"""Public functions of formulas of arrays, which floats are asked in too."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dporacle.fast._arrays import evaluate, range_of
from dporacle.fast._given import through
from dporacle.interface import called
from dporacle.vocabulary.functions import rounds_down, rows_of


def by_kernel(
    result_name: str, *, zero_is_range: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what makes a public function of a formula of arrays of one dimension.

    Its row says what the arguments may be: floats, or arrays that are computed in blocks.

    Args:
        result_name: what the result is called, for the error message.
        zero_is_range: whether a 0 means "below the range".
    """

    def public(formula: Callable[..., Any]) -> Callable[..., Any]:
        function = formula.__name__.lstrip("_")
        rows, round_down = rows_of(function), rounds_down(function)
        taken = list(inspect.signature(formula).parameters.values())
        names = [each.name for each in taken]
        wanted = set(names)
        domains = [range_of(name, rows[name].domain) for name in names]
        signature = inspect.Signature(
            [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in taken],
            return_annotation=formula.__annotations__["return"],
        )

        @functools.wraps(formula)
        def plainly(**given: Any) -> Any:
            if given.keys() != wanted:
                signature.bind(**given)  # says which is missing
            values = [given[name] for name in names]
            return evaluate(result_name, formula, domains, values, round_down, zero_is_range)

        plainly.__signature__ = signature  # type: ignore[attr-defined]
        kinds = dict.fromkeys(names, "Number") | {"return": signature.return_annotation}
        asked = called(plainly, rows, {}, kinds)

        @functools.wraps(asked)
        def wrapped(**given: Any) -> Any:
            return through(asked, given, round_down=round_down)

        return wrapped

    return public
