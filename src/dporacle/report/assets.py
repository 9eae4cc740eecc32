"""The page's style and script, which stand inside it."""

import importlib.resources


def _read(name: str) -> str:
    folder = importlib.resources.files("dporacle.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


STYLE = _read("page.css")
SCRIPT = _read("page.js")
