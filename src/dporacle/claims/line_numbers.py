"""In which line of a file a field stands, for error messages.

Paths are those of msgspec: `$.claims[0].mechanism.sigma`. Where a field's own line is not found
(in TOML, inside a value that spans lines), the line of what encloses it is given.
"""

import re
from collections.abc import Iterator, Mapping

MAX_DEPTH = 32
"""Lists and objects may be nested this deep."""

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[\[\]{}:,]|\n|[^\s"\[\]{}:,]++')
_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\- ]+?)\s*\]\]?\s*(?:#.*)?", re.ASCII)
_ENTRY = re.compile(r"\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*+)\s*=", re.ASCII)


def line_of(known: Mapping[str, int], path: str) -> int | None:
    """Return the line of a path, or of the longest beginning of it that has one."""
    while path and path not in known:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return known.get(path)


def json_places(text: str) -> Iterator[tuple[str, int]]:
    """Yield the path and line of every key and element; a key that stands twice comes twice.

    Raises:
        ValueError: if lists and objects are nested more than `MAX_DEPTH` deep.
    """
    line = 1
    open_at: list[tuple[str, int]] = []  # path, next index (−1: an object)
    path, key = "$", ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            line += 1
        elif token in "[{":
            open_at.append((path, 0 if token == "[" else -1))
            if len(open_at) > MAX_DEPTH:
                raise ValueError(f"line {line}: nested more than {MAX_DEPTH} deep")
            if token == "[":
                path = f"{path}[0]"
                yield path, line
        elif token in "]}":
            path = open_at.pop()[0] if open_at else "$"
        elif token == ",":
            if open_at and open_at[-1][1] >= 0:
                parent, index = open_at[-1]
                open_at[-1] = (parent, index + 1)
                path = f"{parent}[{index + 1}]"
                yield path, line
        elif token == ":":
            if open_at:
                path = f"{open_at[-1][0]}.{key}"
                yield path, line
        elif token[0] == '"':
            key = token[1:-1]


def toml_places(text: str) -> Iterator[tuple[str, int]]:
    """Yield the path and line of every table and every key of a TOML file."""
    counts: dict[str, int] = {}
    prefix = "$"
    for number, line in enumerate(text.splitlines(), 1):
        if match := _HEADER.fullmatch(line):
            parts = [part.strip() for part in match[2].split(".")]
            prefix = "$"
            for place, part in enumerate(parts, 1):
                prefix = f"{prefix}.{part}"
                if match[1] == "[[" and place == len(parts):
                    counts[prefix] = counts.get(prefix, -1) + 1
                if prefix in counts:
                    prefix = f"{prefix}[{counts[prefix]}]"
            yield prefix, number
        elif match := _ENTRY.match(line):
            yield f"{prefix}." + re.sub(r"\s", "", match[1]), number
