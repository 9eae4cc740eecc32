"""A bar of progress, on standard error where that is a terminal; in a file nothing."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress, ProgressColumn

from dporacle.cli import looked_at, resting

T = TypeVar("T")


@contextmanager
def bars(*columns: str | ProgressColumn) -> Iterator[Progress]:
    """Show bars until the block ends, in place of the line that every slow command shows.

    Args:
        columns: of a bar; default: rich's own.
    """
    seen = looked_at()
    console = Console(stderr=True, force_terminal=seen)
    progress = Progress(*columns, console=console, transient=True, disable=not seen)
    with resting(), progress:
        yield progress


def followed(items: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield each item, and show how many there were of how many.

    Args:
        items: what to yield.
        what: what is done with them.
        total: how many they are.
    """
    with bars() as progress:
        yield from progress.track(items, total, description=what)
