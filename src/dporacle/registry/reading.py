"""Reading the YAML of a registry of deployments, of all its past and present shapes.

Every scalar stays the text that was written: no number is rounded, no date is made. Size, depth and
keys are bounded, and aliases, of which a few make gigabytes, are refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

MAX_BYTES = 256 << 10
"""The size of the largest file that is read; real ones have a twentieth."""

_MAX_DEPTH = 40
_MAX_FILES = 10_000
_BLANK = {"", "~", "null", "none", "n/a", "na", "todo", "tbd", "unknown", "?", "not specified"}


class _Loader(yaml.BaseLoader):  # type: ignore[misc]
    """PyYAML's loader of texts, lists and mappings alone."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(
                None, None, "aliases are refused", self.peek_event().start_mark
            )
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise yaml.MarkedYAMLError(
                None, None, "nested too deeply", self.peek_event().start_mark
            )
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                what = f"the key {name[:60]!r} appears twice"
                raise yaml.MarkedYAMLError(None, None, what, key.start_mark)
            seen.add(name)
        content: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return content


@dataclass(frozen=True)
class Entry:
    """A description of one deployment.

    Attributes:
        name: what the file is called.
        content: mappings, lists and texts, as they stand in it.
    """

    name: str
    content: dict[str, Any]

    def find(self, *names: str) -> Any:
        """Return what stands under the first of these keys, at any depth; "" where nothing does."""
        for name in names:
            for key, value in _pairs(self.content):
                if key == name and text_of(value):
                    return value
        return ""

    def text(self, *names: str) -> str:
        """Return what stands there as a text."""
        return text_of(self.find(*names))

    @property
    def title(self) -> str:
        """What the deployment is called."""
        basic = self.find("basic", "product") or self.content.get("deployment")
        named = basic.get("name") if isinstance(basic, dict) else ""
        return " ".join(text_of(named or "").split())[:200] or self.name


def text_of(value: Any) -> str:
    """Return a value of YAML as lines; what only holds a place is none."""
    if isinstance(value, dict):
        return "\n".join(filter(None, (text_of(each) for each in value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(each) for each in value)))
    return "" if value.strip().lower() in _BLANK else value


def read(data: bytes, *, name: str) -> Entry:
    """Read the content of a file.

    Raises:
        ValueError: naming the file, and the line where possible.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}: a description has at most {MAX_BYTES} bytes")
    try:
        content = yaml.load(data.decode("utf-8"), Loader=_Loader)
    except UnicodeDecodeError:
        raise ValueError(f"{name}: not UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = str(getattr(error, "problem", None) or "not YAML")[:200]
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{name}: {where}{what}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{name}: not YAML") from None
    if not isinstance(content, dict):
        raise ValueError(f"{name}: a description is a mapping with keys such as privacy_loss")
    return Entry(name, content)


def load(path: Path) -> tuple[list[Entry], list[str]]:
    """Read a file, or the YAML files below a folder; return entries, and what could not be read.

    Raises:
        OSError: if the path cannot be read.
        ValueError: if a folder has no YAML file, or too many.
    """
    if path.is_dir():
        found = sorted(each for each in path.rglob("*") if each.suffix in {".yaml", ".yml"})
        if not 0 < len(found) <= _MAX_FILES:
            raise ValueError(f"{path} has {len(found)} YAML files; 1 to {_MAX_FILES} are read")
        named = [(each, str(each.relative_to(path))) for each in found]
    else:
        named = [(path, path.name)]
    entries, wrong = [], []
    for file, name in named:
        if file != path and file.exists() and not (file.is_file() or file.is_dir()):
            wrong.append(f"{name}: not a file")  # a pipe would be waited for
            continue
        try:
            with file.open("rb") as stream:
                entries.append(read(stream.read(MAX_BYTES + 1), name=name))
        except OSError as error:
            if file == path:
                raise
            wrong.append(f"{name}: {error.strerror}")
        except ValueError as error:
            wrong.append(str(error))
    return entries, wrong


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a tree, those nearer to the root first."""
    level = [value]
    while level:
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                yield from ((str(key).lower(), child) for key, child in each.items())
                below += each.values()
            elif isinstance(each, list):
                below += each
        level = below
