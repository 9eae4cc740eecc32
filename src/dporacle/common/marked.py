"""Pages that people write, with a part between two marks that a command writes."""

from collections.abc import Iterable


def between(page: str, start: str, end: str, lines: Iterable[str]) -> str:
    """Return a page with the lines between its marks made anew.

    Args:
        page: the page's text.
        start: the first mark, a whole line with its end.
        end: the second one.
        lines: what is to stand between them.

    Raises:
        ValueError: if the page does not have both marks, in this order.
    """
    before, begun, rest = page.partition(start)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise ValueError(f"the page has no {start.strip()} … {end.strip()}")
    return before + begun + "\n".join(lines) + "\n" + ended + after
