"""What the register holds: who said what and where it was read, and the claim that it makes."""

import datetime
import re
from typing import Annotated, Final, Literal

import msgspec

from dporacle.claims.assertions import Assertions
from dporacle.claims.claim import Claim
from dporacle.claims.mechanisms import Mechanisms

FORMAT: Final = "dporacle-register/1"
"""The name and version of the format."""

KINDS: Final = {
    "papers": "Papers and lecture notes",
    "textbooks": "Textbooks",
    "documentation": "Documentation and defaults of libraries",
    "software": "Numbers in tutorials and test suites",
    "deployments": "Deployments",
}
"""Kind of source, which is the name of its file -> heading; in the order of the page."""

Kind = Literal["papers", "textbooks", "documentation", "software", "deployments"]
Id = Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=80)]
Text = Annotated[str, msgspec.Meta(min_length=3, max_length=1500)]
_COMMIT = re.compile(r"[0-9a-f]{40}")


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""


class Publication(_Strict, frozen=True, kw_only=True):
    """Something published, and where and when it was read.

    Attributes:
        id: what entries of the same file call it.
        title: what it is.
        owner: its authors, or who publishes it.
        read: the day on which it was read.
        url: where it was read; or
        repository, path, commit: the file that was read, and its version.
        note: what else a reader should know, for instance that only an abstract was read.
    """

    id: Id
    title: Text
    owner: Text
    read: datetime.date
    url: str = ""
    repository: str = ""
    path: str = ""
    commit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        parts = (self.repository, self.path, self.commit)
        if bool(self.url) == any(parts) or (any(parts) and not all(parts)):
            raise ValueError("url must be given, or all of repository, path and commit")
        if self.url and not self.url.startswith(("https://", "http://")):
            raise ValueError(f"url must be an address, got {self.url!r}")
        if self.commit and not _COMMIT.fullmatch(self.commit):
            raise ValueError(f"commit must be 40 hexadecimal digits, got {self.commit!r}")

    @property
    def address(self) -> str:
        """Where it stands."""
        if self.url:
            return self.url
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"


class PublishedClaim(_Strict, frozen=True, kw_only=True):
    """A published claim.

    Attributes:
        id: what it is called, in the whole register.
        sources: ids of the sources that make it; the first is the main one.
        words: the claim, restated.
        assumed: what was assumed to write it in the language of claims.
        verdict: what was proved when it was recorded.
        asserts, mechanism: the claim in the language of claims.
        note: what the verdict means here.
    """

    id: Id
    sources: Annotated[tuple[Id, ...], msgspec.Meta(min_length=1)]
    words: Text
    assumed: Text
    verdict: Literal["HOLDS", "VIOLATED", "UNDECIDED"]
    asserts: Assertions
    mechanism: Mechanisms | None = None
    note: str = ""

    def __post_init__(self) -> None:
        self.claim()

    def claim(self) -> Claim:
        """Return the claim."""
        return Claim(id=self.id, asserts=self.asserts, mechanism=self.mechanism)


class Absent(_Strict, frozen=True, kw_only=True):
    """What one would look for in the register and does not find."""

    what: Text
    why: Text


class RegisterFile(_Strict, frozen=True, kw_only=True):
    """One file of the register."""

    format: Literal["dporacle-register/1"]
    kind: Kind
    sources: Annotated[tuple[Publication, ...], msgspec.Meta(min_length=1)]
    entries: Annotated[tuple[PublishedClaim, ...], msgspec.Meta(min_length=1)]
    absent: tuple[Absent, ...] = ()

    def __post_init__(self) -> None:
        known = [source.id for source in self.sources]
        if len(set(known)) < len(known):
            raise ValueError("sources has an id twice")
        used = {source for entry in self.entries for source in entry.sources}
        if unknown := used.difference(known):
            raise ValueError(f"entries has unknown sources: {', '.join(sorted(unknown))}")
        if idle := set(known).difference(used):
            raise ValueError(f"sources has some that no entry uses: {', '.join(sorted(idle))}")
