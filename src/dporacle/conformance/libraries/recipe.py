"""The recipe by which a library's maintainers run the judge in their own integration.

One template, filled from the library's pinned row: a workflow that installs the library as it
stands in their repository, and judges it against their own baseline.
"""

import json
import re
from importlib import metadata, resources

from dporacle.conformance.libraries.pinned import Library

BASELINE = "dporacle.toml"
"""The file of what is known to fail."""

_TEMPLATES = {".github/workflows/dporacle.yml": "recipe.yml", "dporacle.md": "recipe.md"}
"""File of the recipe -> its template."""


def files(library: Library) -> dict[str, str]:
    """Return the files of a library's recipe by their names.

    Args:
        library: a library in Python that is somebody else's.

    Raises:
        ValueError: if it is none.
    """
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
    }
    folder_of = resources.files(__package__) / "templates"
    texts = {path: (folder_of / name).read_text("utf-8") for path, name in _TEMPLATES.items()}
    return {
        path: re.sub("@([a-z]+)@", lambda found: filled[found[1]], text)
        for path, text in texts.items()
    }
