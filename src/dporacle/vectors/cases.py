"""Which inputs the vectors cover, and why.

Every case is a combination of numbers with one or more flags; a flag is the reason for which the
case exists, and its note says it in a sentence. The cases that have vectors stand in their files,
once; a `cases_*` module draws up new ones, and may go when they are published.
"""

from collections.abc import Callable, Iterator
from functools import cache

from dporacle.vectors.grid import GridPoint, merge, refusals
from dporacle.vectors.notes import NOTES
from dporacle.vectors.vector_file import VectorFile, load
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.discovery import modules

_NEW: dict[str, Callable[[], Iterator[GridPoint]]] = {
    group: cases
    for each in modules("dporacle.vectors", prefix="cases_")
    for group, cases in each.CASES.items()
}


@cache
def cases_of(group: str) -> tuple[GridPoint, ...]:
    """Return the cases of a group: those of its file, new ones, and what it is to refuse.

    Raises:
        KeyError: if there are none.
    """
    refused = refusals(QUANTITIES[group])
    try:
        published = load(group)
    except FileNotFoundError:  # all are new
        return merge(_NEW[group](), refused)
    return merge(_published(published), _NEW.get(group, lambda: iter(()))(), refused)


def _published(file: VectorFile) -> Iterator[GridPoint]:
    for vector in file.vectors:
        yield GridPoint(vector.inputs, vector.flags)
    for refusal in file.refusals:
        inputs = {name: float(v) if isinstance(v, str) else v for name, v in refusal.inputs.items()}
        yield GridPoint(inputs, refusal.flags, wrong=refusal.argument)
