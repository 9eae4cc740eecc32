"""Let an editable installation find the source by a plain path.

    python tools/plain_path.py

What pip writes is a finder, which imports more at every start than a command does. The links in
`src/dporacle` show the whole package there, so that the path of `src` is enough.
"""

import sysconfig
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def main() -> None:
    """Write the path into the file that pip made."""
    (found,) = Path(sysconfig.get_path("purelib")).glob("__editable__.dporacle-*.pth")
    found.write_text(f"{SOURCE}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
