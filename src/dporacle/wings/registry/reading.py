"""Reading the YAML of a registry of deployments, of all its past and present shapes.

A file describes a deployment if its root has the key `deployment`, or, as the oldest shape, the
parameters themselves. Schemas, workflows and other files beside the descriptions are no entries;
they are named as skipped.

Every scalar stays the text that was written: no number is rounded, no date is made. Size, depth and
keys are bounded, and aliases, of which a few make gigabytes, are refused.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

MAX_BYTES = 256 << 10
"""The size of the largest file that is read; real ones have a twentieth."""

_MAX_DEPTH = 40
_MAX_FILES = 10_000
_ROWS = json.loads(Path(__file__).with_name("keys.json").read_text(encoding="utf-8"))

METRICS: Final = tuple(_ROWS["relations"])
"""The keys whose value is a neighbouring relation."""

_SAME = tuple(map(tuple, _ROWS["same"]))  # of each of these an entry has one: the first is read
_PARAMETERS = {"epsilon", "eps", "ε", "delta", "δ", "rho", "ρ"}
_AT_ROOT = {"privacy_loss", "privacy_parameters", "epsilon", "rho"}

READ: Final = frozenset(
    {*METRICS, *_ROWS["sections"], *_PARAMETERS, *(k for ks in _SAME for k in ks)}
)
"""The keys that checks read."""

UNREAD: Final = frozenset(_ROWS["unread"])
"""The keys of the registry that no check reads: they say nothing that numbers could contradict."""

_BLANK = {"", "~", "null", "none", "n/a", "na", "todo", "tbd", "unknown", "?", "not specified"}


@cache
def _loader() -> Any:
    """Return PyYAML's loader; it is an extra that help and examples do without."""
    import yaml

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

    return _Loader


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
        """Return what stands under the first of these keys, at any depth; "" where nothing does.

        Raises:
            KeyError: for a key that is not in `READ`.
        """
        for name in names:
            if name not in READ:
                raise KeyError(name)
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
        named = named or self.content.get("title")
        return " ".join(text_of(named or "").split())[:200] or self.name

    @property
    def unknown(self) -> list[str]:
        """The keys that are none of the registry's, outside of the parameters, once each."""
        known = READ | UNREAD
        found = [key for key, _ in self._outside() if key.strip().lower() not in known]
        return list(dict.fromkeys(found))

    @property
    def repeated(self) -> list[tuple[str, str]]:
        """Each key that is read, with another that says something of the same and is not."""
        pairs = [(key, value) for key, value in _pairs(self.content) if text_of(value)]
        found = []
        for keys in _SAME:
            said = [key for name in keys for key, _ in pairs if key == name]
            found += [(said[0], other) for other in said[1:]]
        return found

    def outside(self, parameters: Any, names: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the parameters that stand elsewhere: the name of each, and what is written."""
        within = {id(value) for _, value in _pairs({"": parameters})} - {id(parameters)}
        return [
            (names[key.strip().lower()], text)
            for key, value in self._outside(parameters)
            if key.strip().lower() in names
            and id(value) not in within
            and (text := " ".join(text_of(value).split()))
        ]

    def _outside(self, parameters: Any = None) -> Iterator[tuple[str, Any]]:
        """Yield the keys and values of the tree, but for those below the parameters."""
        level: list[Any] = [self.content]
        while level:
            below: list[Any] = []
            for each in level:
                if isinstance(each, list):
                    below += each
                elif isinstance(each, dict) and each is not parameters:
                    for key, value in each.items():
                        yield str(key), value
                        if str(key).lower() not in {"privacy_parameters", *_PARAMETERS}:
                            below.append(value)
            level = below


def text_of(value: Any) -> str:
    """Return a value of YAML as lines; what only holds a place is none."""
    if isinstance(value, dict):
        return "\n".join(filter(None, (text_of(each) for each in value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(each) for each in value)))
    return "" if value.strip().lower() in _BLANK else value


class NoDeploymentError(ValueError):
    """A file describes no deployment."""


class Loaded(NamedTuple):
    """What was read.

    Attributes:
        entries: the descriptions.
        wrong: the files that could not be read, and why.
        skipped: the files of a folder that describe no deployment.
    """

    entries: list[Entry]
    wrong: list[str]
    skipped: list[str]


def read(data: bytes, *, name: str) -> Entry:
    """Read the content of a file.

    Raises:
        NoDeploymentError: if it has neither a deployment nor, at its root, parameters.
        ValueError: naming the file, and the line where possible.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}: a description has at most {MAX_BYTES} bytes")
    import yaml

    try:
        content = yaml.load(data.decode("utf-8"), Loader=_loader())
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
    keys = {str(key).lower(): value for key, value in content.items()}
    if isinstance(keys.get("deployment"), list):
        raise ValueError(f"{name}: deployment is a list: a file describes one")
    if not isinstance(keys.get("deployment"), dict) and not keys.keys() & _AT_ROOT:
        raise NoDeploymentError(f"{name}: it has no key deployment: it describes none")
    return Entry(name, content)


def load(path: Path) -> Loaded:
    """Read a file, or the YAML files below a folder.

    Raises:
        OSError: if the path cannot be read.
        ValueError: if a folder has no YAML file that describes a deployment, or too many files.
    """
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix in {".yaml", ".yml"})
        if not 0 < len(files) <= _MAX_FILES:
            raise ValueError(f"{path} has {len(files)} YAML files; 1 to {_MAX_FILES} are read")
        named = [(each, str(each.relative_to(path))) for each in files]
    else:
        named = [(path, path.name)]
    found = Loaded([], [], [])
    for file, name in named:
        if file != path and file.exists() and not (file.is_file() or file.is_dir()):
            found.wrong.append(f"{name}: not a file")  # a pipe would be waited for
            continue
        try:
            with file.open("rb") as stream:
                found.entries.append(read(stream.read(MAX_BYTES + 1), name=name))
        except OSError as error:
            if file == path:
                raise
            found.wrong.append(f"{name}: {error.strerror}")
        except NoDeploymentError as error:
            (found.wrong if file == path else found.skipped).append(
                str(error) if file == path else name
            )
        except ValueError as error:
            found.wrong.append(str(error))
    if not found.entries and not found.wrong:
        raise ValueError(f"{path}: no file describes a deployment: none has the key deployment")
    return found


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
