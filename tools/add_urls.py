"""Write into pyproject.toml where the project is, for the release that is made there.

    python tools/add_urls.py https://HOST/OWNER/NAME vX.Y.Z

The repository itself names no address: whoever publishes it decides that, and a release that is
made of it names the place it was made at.
"""

import re
import sys
import tomllib
from pathlib import Path

_PAGES = {
    "Source": "",
    "Documentation": "/blob/{tag}/README.md",
    "Changelog": "/blob/{tag}/CHANGELOG.md",
    "Issues": "/issues",
    "Security": "/blob/{tag}/SECURITY.md",
}


def added(text: str, home: str, tag: str) -> str:
    """Return the text of pyproject.toml with the addresses of the project.

    Raises:
        ValueError: if there are some, or if the home or the tag is none.
    """
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", home, re.ASCII):
        raise ValueError(f"not the address of a repository: {home!r}")
    if not re.fullmatch(r"[\w.-]+", tag, re.ASCII):
        raise ValueError(f"not a tag: {tag!r}")
    if "urls" in tomllib.loads(text)["project"]:
        raise ValueError("pyproject.toml has addresses already")
    rows = [f'{name} = "{home}{page.format(tag=tag)}"\n' for name, page in _PAGES.items()]
    return f"{text.rstrip()}\n\n[project.urls]\n{''.join(rows)}"


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    file = Path(__file__).resolve().parent.parent / "pyproject.toml"
    try:
        file.write_text(added(file.read_text("utf-8"), *sys.argv[1:]), "utf-8")
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
