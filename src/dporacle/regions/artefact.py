"""The artefact of a region proof: JSON lines that hold every box, plain or gzipped (`*.gz`).

The first line is the header, the last one says how many boxes there are; between them stands one
box per line, `[kind, part, depth, [low, high, …], label]`, its corners exact rationals as text.
docs/proofs.md describes the format.
"""

import gzip
import io
import platform
import zlib
from collections.abc import Iterator
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import flint
import msgspec

from dporacle.common import files
from dporacle.regions._text import rational, read_rational
from dporacle.regions.engine import Leaf, ProofRun, Todo
from dporacle.regions.theorem import Box, Counterexample, Theorem
from dporacle.regions.theorems import load

FORMAT: Final = "dporacle-region-proof/1"
"""The name and version of the format."""

_MAX_BYTES = 1 << 28  # unpacked
_GZIP = b"\x1f\x8b"

Text = Annotated[str, msgspec.Meta(max_length=4000)]


class ArtefactError(ValueError):
    """The file is not an artefact; the message says what is wrong."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""


class _Failure(_Strict, frozen=True, kw_only=True):
    """A counterexample."""

    at: dict[str, Text]
    says: Text


class _Header(_Strict, frozen=True, kw_only=True):
    """The first line."""

    format: Literal["dporacle-region-proof/1"]
    theorem: dict[str, Any]
    statement: Text
    covering: Text
    role: Literal["proof", "check"]
    parts: list[list[tuple[Text, Text, Text, Text, Text]]]
    lemmas: list[tuple[Text, Text]]
    status: Literal["proved", "refuted", "undecided", "running"]
    counterexample: _Failure | None
    versions: dict[str, Text]


class _Line(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A box."""

    kind: Literal["proved", "todo", "given-up"]
    part: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    depth: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    ends: list[str]
    label: str = ""


class _End(_Strict, frozen=True, kw_only=True):
    """The last line."""

    boxes: int


class Artefact(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds.

    Attributes:
        theorem: the statement, made from its spec by this version of the project.
        run: the boxes and the counterexample.
        same: whether the file's header says what this version says of the theorem.
        status: what the file says was shown.
    """

    theorem: Theorem
    run: ProofRun
    same: bool
    status: str


def _header(run: ProofRun) -> _Header:
    theorem = run.theorem
    found = run.counterexample
    return _Header(
        format=FORMAT,
        theorem=theorem.spec,
        statement=theorem.statement,
        covering=theorem.covering,
        role=theorem.role,
        parts=[
            [
                (axis.name, rational(axis.low), rational(axis.high), axis.below, axis.above)
                for axis in part.axes
            ]
            for part in theorem.parts
        ],
        lemmas=[(lemma.id, lemma.says) for lemma in theorem.lemmas],
        status=run.status.value,
        counterexample=None
        if found is None
        else _Failure(at={k: rational(v) for k, v in found.at.items()}, says=found.says),
        versions={
            "dporacle": metadata.version("dporacle"),
            "python-flint": flint.__version__,
            "python": platform.python_version(),
        },
    )


def _lines(run: ProofRun) -> Iterator[bytes]:
    encode = msgspec.json.encode
    yield encode(_header(run))
    boxes: list[tuple[Literal["proved", "todo", "given-up"], Leaf | Todo]] = [
        *(("proved", leaf) for leaf in sorted(run.leaves)),
        *(("todo", item) for item in sorted(run.todo)),
        *(("given-up", item) for item in sorted(run.given_up)),
    ]
    for kind, item in boxes:
        ends = [rational(end) for pair in item.box for end in pair]
        label = item.label if isinstance(item, Leaf) else ""
        yield encode(_Line(kind, item.part, item.depth, ends, label))
    yield encode(_End(boxes=len(boxes)))


def write(path: Path, run: ProofRun) -> None:
    """Write a run, finished or not, in one step: a reader sees the old file or the new one."""
    content = b"".join(line + b"\n" for line in _lines(run))
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    files.write(path, content)


def read(path: Path) -> Artefact:
    """Read an artefact.

    Raises:
        ArtefactError: naming the line, if it is none.
        OSError: if it cannot be read.
    """
    lines = _unpack(path.read_bytes()).splitlines()
    if len(lines) < 2:
        raise ArtefactError("not an artefact: a header and a last line are missing")
    header = _decode(lines[0], 1, _Header)
    try:
        theorem = load(header.theorem)
    except ValueError as error:
        raise ArtefactError(f"line 1: {error}") from None
    end = _decode(lines[-1], len(lines), _End)
    if end.boxes != len(lines) - 2:
        raise ArtefactError(f"{end.boxes} boxes are announced, {len(lines) - 2} are there")
    run = ProofRun(theorem=theorem)
    for number, text in enumerate(lines[1:-1], 2):
        line = _decode(text, number, _Line)
        try:
            box = _box(theorem, line)
        except ValueError as error:
            raise ArtefactError(f"line {number}: {error}") from None
        if line.kind == "proved":
            run.leaves.append(Leaf(line.part, box, line.depth, line.label))
        else:
            held = run.todo if line.kind == "todo" else run.given_up
            held.append(Todo(line.part, box, line.depth))
    if header.counterexample is not None:
        run.counterexample = _counterexample(header.counterexample)
    mine = _header(run)
    fields = ("statement", "covering", "role", "parts", "lemmas")
    same = all(getattr(header, name) == getattr(mine, name) for name in fields)
    return Artefact(theorem=theorem, run=run, same=same, status=header.status)


def _counterexample(failure: _Failure) -> Counterexample:
    try:
        at = {name: read_rational(text) for name, text in failure.at.items()}
    except ValueError as error:
        raise ArtefactError(f"line 1: {error}") from None
    return Counterexample(at, failure.says)


def _box(theorem: Theorem, line: _Line) -> Box:
    if line.part >= len(theorem.parts):
        raise ValueError(f"there is no part {line.part}")
    if len(line.ends) != 2 * len(theorem.parts[line.part].axes):
        raise ValueError("a box has two ends per coordinate")
    ends: list[Fraction] = [read_rational(text) for text in line.ends]
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def _unpack(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        if len(content) > _MAX_BYTES:
            raise ArtefactError("the file is too large")
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ArtefactError(f"not a gzip file: {error}") from None
    if len(unpacked) > _MAX_BYTES:
        raise ArtefactError("the file is too large")
    return unpacked


def _decode(text: bytes, number: int, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ArtefactError(f"line {number}: {error}") from None


def resume(path: Path, theorem: Theorem) -> ProofRun:
    """Return the run that a file holds, to be continued; what was given up is tried again.

    Raises:
        ArtefactError: if the file is about another theorem, or another version's.
    """
    found = read(path)
    if found.theorem.spec != theorem.spec or not found.same:
        raise ArtefactError(f"{path} is about another statement")
    run = found.run
    run.todo, run.given_up = [*run.todo, *run.given_up], []
    return run
