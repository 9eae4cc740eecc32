"""The recipes by which a library's maintainers run the judge in their own integration.

Templates, filled from the library's pinned row: a workflow that installs the library as it stands
in their repository and judges it against their own baseline, and one that publishes the results.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from importlib import metadata, resources
from pathlib import Path

from dporacle.conformance.libraries.pinned import Library

BASELINE = "dporacle.toml"
"""The file of what is known to fail."""

_TEMPLATES = {".github/workflows/dporacle.yml": "recipe.yml", "dporacle.md": "recipe.md"}
"""File of the recipe -> its template."""

_HARNESS = {
    ".github/workflows/dporacle-results.yml": "harness.yml",
    "dporacle-results.md": "harness.md",
}
_COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


def files(library: Library) -> dict[str, str]:
    """Return the files of a library's recipe by their names.

    Args:
        library: a library in Python that is somebody else's.

    Raises:
        ValueError: if it is none.
    """
    return _made(_TEMPLATES, library)


def harness(library: Library, *, commit: str | None = None) -> dict[str, str]:
    """Return what a library needs to publish its own results, by the names of the files.

    Args:
        library: a library in Python that is somebody else's.
        commit: the commit of dporacle that is to judge; by default that of this checkout.

    Raises:
        ValueError: if it is none, or there is no commit.
    """
    judge = commit or _checked_out()
    if judge is None:
        raise ValueError("commit: say which commit of dporacle is to judge; this is no checkout")
    if not _COMMIT.fullmatch(judge):
        raise ValueError(f"commit: 40 hexadecimal digits are a commit, got {judge[:80]!r}")
    return _made(_HARNESS, library, commit=judge)


def _checked_out() -> str | None:
    """Return the commit of the checkout that this file stands in; None if it is in none."""
    root = Path(__file__).resolve().parents[4]
    if not (root / ".git").exists() or not (root / "action.yml").exists():
        return None
    words = ["git", "-C", str(root), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _made(templates: Mapping[str, str], library: Library, **more: str) -> dict[str, str]:
    if library.program or not library.distribution:
        raise ValueError(f"{library.name} has no maintainers to run the judge")
    folder = library.repository.partition("#subdirectory=")[2]
    here = f"./{folder}" if folder else "."
    quoted = " ".join(json.dumps(each) for each in library.needs)
    filled = {
        "name": library.name,
        "baseline": BASELINE,
        "python": library.pythons[0],
        "install": f"--no-deps {here} {quoted}" if library.alone else here,
        "judge": json.dumps(f"dporacle[conform]=={metadata.version('dporacle')}"),
        "summary": library.summary,
        "version": library.version,
        "needs": " ".join(library.needs) or "nothing else",
        **more,
    }
    folder_of = resources.files(__package__) / "templates"
    texts = {path: (folder_of / name).read_text("utf-8") for path, name in templates.items()}
    return {
        path: re.sub("@([a-z]+)@", lambda found: filled[found[1]], text)
        for path, text in texts.items()
    }
