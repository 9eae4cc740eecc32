"""The styles and scripts of pages, which stand inside them."""

import importlib.resources


def _read(name: str) -> str:
    folder = importlib.resources.files("dporacle.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


STYLE, SCRIPT = _read("page.css"), _read("page.js")
"""Of the report on a run."""

VERDICTS_STYLE, VERDICTS_SCRIPT = STYLE + _read("verdicts.css"), _read("verdicts.js")
"""Of the pages of verdicts."""
