"""The project's own float64 functions, judged like anybody else's (`dporacle conform self`)."""

import inspect

import dporacle
from dporacle import fast
from dporacle.vocabulary import SERVED

DISTRIBUTION = "dporacle"
REFUSALS = (OverflowError,)  # documented: an exact σ outside the range of float64


def _function(row):
    function = row.of(dporacle if row.public else fast)

    def call(**given):
        return function(**{n: int(v) if n in row.counts else v for n, v in given.items()})

    call.__signature__ = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in row.arguments]
    )
    return row.name, call


FUNCTIONS = {
    row.name if row.public else f"fast.{row.name}": _function(row) for row in SERVED.values()
}
# They take arrays, under the same names.
BATCHES = {row.name: row.of(dporacle) for row in SERVED.values() if row.public}
# Those that take a tenth of a second and more; proofs of them take seconds.
SLOW = {name for name, (row, _) in FUNCTIONS.items() if SERVED[row].rounds}
