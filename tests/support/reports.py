"""Documents of conformance runs, and pages read with the standard library's parser."""

import json
from html.parser import HTMLParser
from typing import Any

from dporacle import report

HOSTILE = "</code><script>alert(1)</script>\"'><img src=http://evil.example/x onerror=alert(2)>"
VOID = {"meta", "link", "input", "br", "wbr"}


def judged(outcome: str, case: str = "calibrate_sigma/x", **more: Any) -> dict[str, Any]:
    return {
        "case": case,
        "quantity": "calibrate_sigma",
        "arguments": {"epsilon": (1.0).hex(), "delta": (1e-5).hex()},
        "outcome": outcome,
        "note": "where people work",
        "flags": ["core"],
    } | more


def document(name: str = "mylib", *judged: dict[str, Any], **more: Any) -> dict[str, Any]:
    function = {"name": "sigma", "quantity": "calibrate_sigma", "arguments": ["epsilon"]}
    return {
        "format": "dporacle-conformance/1",
        "dporacle": "0.1.0",
        "machine": {"python": "3.12.0"},
        "targets": [
            {
                "target": "x",
                "name": name,
                "version": "1.0",
                "functions": [{"function": function, "verdicts": list(judged)}],
                **more,
            }
        ],
        "a field of a later version": 1,
    }


VIOLATING = judged(
    "violating",
    answer=(3.0).hex(),
    truth="3.7306316348159418138696",
    excess=-0.196,
    ulp=-1e15,
    requested_delta=1e-5,
    true_delta="1.4e-4",
)


class Page(HTMLParser):
    """The page's elements and texts; every element is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def outside(self) -> list[str]:
        """The addresses of links that lead away from the page."""
        links = [str(each["href"]) for each in self.all("a")]
        return [link for link in links if not link.startswith("#")]

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def read(content: dict[str, Any]) -> report.Document:
    return report.read(json.dumps(content).encode())


def page(content: dict[str, Any]) -> tuple[str, Page]:
    text = report.render(read(content))
    return text, Page(text)


def hostile() -> dict[str, Any]:
    """A document in which every text is an attack."""
    bad = judged(
        "violating", HOSTILE, answer=HOSTILE, truth=HOSTILE, message=HOSTILE + "\x1b[2J\u202e"
    )
    bad["arguments"] = {HOSTILE: HOSTILE}
    content = document(HOSTILE, bad, VIOLATING | {"note": HOSTILE}, failure=HOSTILE)
    content["targets"][0]["functions"][0]["function"] |= {
        "name": HOSTILE,
        "quantity": HOSTILE,
        "note": HOSTILE,
    }
    content["machine"] = {HOSTILE: HOSTILE}
    content["dporacle"] = content["targets"][0]["version"] = HOSTILE
    content["targets"][0]["language"] = HOSTILE
    return content
