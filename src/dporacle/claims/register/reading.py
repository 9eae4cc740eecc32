"""Reads the register from the package's own files."""

from dataclasses import dataclass
from importlib import resources

from dporacle.claims import files
from dporacle.claims.register.entries import (
    KINDS,
    Absent,
    Publication,
    PublishedClaim,
    RegisterFile,
)


@dataclass(frozen=True, slots=True)
class Published:
    """An entry with all that its file says about it.

    Attributes:
        kind: the kind of its sources, a key of `KINDS`.
        entry: the entry.
        sources: its sources.
    """

    kind: str
    entry: PublishedClaim
    sources: tuple[Publication, ...]


@dataclass(frozen=True, slots=True)
class Register:
    """The register.

    Attributes:
        claims: every published claim, by kind.
        absent: what is not in the register, and why.
    """

    claims: tuple[Published, ...]
    absent: tuple[Absent, ...]


def load() -> Register:
    """Read the register of this version.

    Raises:
        ValueError: naming file, line and field, if a file of the register is not in order.
    """
    folder = resources.files(__package__)
    return read({f"{kind}.toml": (folder / f"{kind}.toml").read_bytes() for kind in KINDS})


def read(contents: dict[str, bytes]) -> Register:
    """Read the files of a register: their names, and what is in them.

    Raises:
        ValueError: as for `load`.
    """
    claims: list[Published] = []
    absent: list[Absent] = []
    for name, data in contents.items():
        content = files.read_as(RegisterFile, data, name=name)
        if name != f"{content.kind}.toml":
            raise ValueError(f"{name}: kind must be the name of the file, got {content.kind}")
        by_id = {source.id: source for source in content.sources}
        for entry in content.entries:
            sources = tuple(by_id[source] for source in entry.sources)
            claims.append(Published(content.kind, entry, sources))
        absent.extend(content.absent)
    ids = [claim.entry.id for claim in claims]
    if twice := {id_ for id_ in ids if ids.count(id_) > 1}:
        raise ValueError(f"the register has an id twice: {', '.join(sorted(twice))}")
    return Register(tuple(claims), tuple(absent))
