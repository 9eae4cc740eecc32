"""The libraries that the judge knows, pinned with everything that they need.

Each list was installed and run; with another version of the library its own requirements
decide instead.
"""

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

NEWEST, MAIN = "newest", "main"
"""What stands for a version that is found out when the environment is made."""

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,60}", re.ASCII)


@dataclass(frozen=True)
class Library:
    """A library and how its environment is made.

    Attributes:
        name: its name on the command line.
        adapter: the adapter's file name.
        distribution: its name on the package index; empty for this project itself.
        version: the version that was tried.
        needs: the versions of what it needs that were tried with it.
        pythons: the Python versions that these have wheels for, the preferred one first.
        from_source: distributions that are published as source only, which is then built.
        alone: its other dependencies are left out, as what is judged does not use them.
        program: what runs the adapter, below its environment's packages; empty for its Python.
        forks: whether a process that has imported it can fork; not with threads of its own.
        memory: gibibytes of address space that its process may take.
        exact: its requirement, where that is not its version.
        repository: where its main branch is, as pip reads it; empty where that needs more than pip.
        summary: what is judged.
    """

    name: str
    adapter: str
    distribution: str
    version: str
    needs: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ("3.11", "3.12", "3.13", "3.14")
    from_source: tuple[str, ...] = ()
    alone: bool = False
    program: str = ""
    forks: bool = True
    memory: int = 8
    exact: str = ""
    repository: str = ""
    summary: str = ""

    @property
    def moving(self) -> bool:
        """Whether its version is found out when the environment is made."""
        return self.version in (NEWEST, MAIN)

    @property
    def requirements(self) -> tuple[str, ...]:
        """What its environment holds."""
        if not self.distribution:
            return ()
        if self.moving:
            source = f" @ git+{self.repository}" if self.version == MAIN else ""
            return (self.distribution + source, *self.needs)
        return (self.exact or f"{self.distribution}=={self.version}", *self.needs)


SELF = Library(
    "self",
    "dporacle_fast.py",
    "",
    "",
    summary="this project's own float64 functions; no second environment, no network",
)


def _read(name: str, row: dict[str, Any]) -> Library:
    row["needs"] = tuple(row.pop("needs", "").split())
    for key in ("pythons", "from_source"):
        if key in row:
            row[key] = tuple(row[key])
    usual = {"adapter": f"{name.replace('-', '_')}.py", "distribution": name}
    return Library(name=name, **usual | row)


LIBRARIES = {
    name: _read(name, row)
    for name, row in tomllib.loads(
        Path(__file__).with_name("pinned.toml").read_text(encoding="utf-8")
    ).items()
}
"""Every known library by its name."""

SAMPLED = {name: LIBRARIES[name] for name in ("opendp", "diffprivlib", "python-dp")} | {
    "opacus": Library(
        "opacus-noise",
        "opacus_noise.py",
        "opacus",
        "1.6.0",
        ("numpy==2.4.6", "opt-einsum==3.4.0", "scipy==1.17.1", "torch==2.15.0"),
        pythons=("3.11", "3.12", "3.13"),
        memory=64,
        summary="the noise of its optimizers, on PyTorch (about 5 GB)",
    )
}
"""Those whose own noise can be audited by name; their adapters have samplers."""


def named(text: str) -> list[Library]:
    """Return the libraries that a word means: `all` stands for every one, as in `all==newest`.

    Raises:
        ValueError: as `find` does.
    """
    if re.split("==|@", text, maxsplit=1)[0].strip() != "all":
        return [find(text)]
    rest = text.strip().removeprefix("all")
    branch = rest == f"@{MAIN}"
    every = [row for row in LIBRARIES.values() if not row.program]
    return [find(row.name + rest) for row in every if row.repository or not branch]


def find(text: str) -> Library:
    """Return the library that `NAME`, `NAME==VERSION`, `NAME==newest` or `NAME@main` means.

    Raises:
        ValueError: if there is none of this name, or the version is not written as one.
    """
    name, equals, version = text.partition("==")
    branch = not equals and name.endswith(f"@{MAIN}")
    if branch:
        name, equals, version = name.removesuffix(f"@{MAIN}"), "==", MAIN
    key = re.sub(r"[-_.]+", "-", name.strip()).lower()
    key = {"pipeline-dp": "pipelinedp"}.get(key, key)
    if key == SELF.name and not equals:
        return SELF
    library = LIBRARIES.get(key)
    if library is None:
        known = ", ".join([*sorted(LIBRARIES), SELF.name])
        raise ValueError(f"no adapter for the library {name[:60]!r}; known are {known}")
    if not equals or version.strip() == library.version:
        return library
    if not _VERSION.fullmatch(version.strip()) or (version.strip() == MAIN and not branch):
        raise ValueError(f"not a version of {library.name}: {version[:60]!r}")
    if branch:
        if not library.repository:
            raise ValueError(
                f"the main branch of {library.name} is not known, or pip cannot build it"
            )
        library = replace(library, name=f"{library.name}@{MAIN}")
    return replace(library, version=version.strip(), needs=library.needs if library.alone else ())
