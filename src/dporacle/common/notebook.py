"""Tables as notebooks show them: what `_repr_html_` returns."""

from collections.abc import Iterable, Sequence


def _escaped(text: str) -> str:
    from html import escape  # with 2,000 names of characters

    return escape(text)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """Return a table with headings; texts are shown as they are, never read as HTML."""
    head = "".join(f"<th>{_escaped(each)}</th>" for each in headings)
    body = "".join(_row(row) for row in rows)
    return _table(f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>", caption)


def facts(pairs: Iterable[tuple[str, object]], *, caption: str = "") -> str:
    """Return a table of names and what stands behind each; what is empty is left out."""
    body = "".join(
        f'<tr><th scope="row">{_escaped(name)}</th><td>{_escaped(str(value))}</td></tr>'
        for name, value in pairs
        if value not in ("", None)
    )
    return _table(f"<tbody>{body}</tbody>", caption)


def _row(row: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<td>{_escaped(str(each))}</td>' for each in row)}</tr>"


def _table(content: str, caption: str) -> str:
    title = f"<caption>{_escaped(caption)}</caption>" if caption else ""
    return f"<table>{title}{content}</table>"
