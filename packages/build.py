"""Build the editions of the certified vectors for other languages: `python packages/build.py OUT`.

Every package has the same data, `edition.tsv`: a float64 stands in it as its 16 hexadecimal digits,
so that no parser rounds it; `low` and `high` are decimals, and stay texts.
"""

import io
import json
import shutil
import struct
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
DATA = {
    "npm": "",
    "crate": "src",
    "go": "",
    "maven": "src/main/resources/dporacle/vectors",
    "composer": "src",
}
"""Package -> the folder of its data."""


def bits(value: float | str) -> str:
    """Return a float64 as its 16 hexadecimal digits."""
    return struct.pack(">d", float(value)).hex()


def table() -> str:
    """Return all vectors as lines; the first letter says what a line is."""
    lines: list[str] = []
    for path in sorted(VECTORS.glob("*.json")):
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if "vectors" not in content:
            continue
        lines.append("\t".join(["F", content["function"], content["rounding"], content["harm"]]))
        for each in content["vectors"]:
            infinite = "inf" if content["rounding"] == "up" else "-inf"
            safe = infinite if each["float64"] is None else each["float64"]
            allowed = content["tolerances"][each["tolerance"]]["relative"]
            cells = [
                each["id"],
                _inputs(each),
                bits(safe),
                bits(allowed),
                each["low"],
                each["high"],
            ]
            lines.append("\t".join(["V", *cells, ",".join(each["flags"])]))
        for each in content["refusals"]:
            lines.append("\t".join(["R", each["id"], _inputs(each), each["argument"]]))
    return "\n".join([*lines, ""])


def _inputs(case: dict[str, Any]) -> str:
    """Return the inputs by name; a text, such as a relation, stands as it is."""
    told = []
    for name, value in case["inputs"].items():
        number = not isinstance(value, str) or value in {"nan", "inf", "-inf"}
        told.append(f"{name}={bits(value) if number else value}")
    return ",".join(told)


def edition() -> int:
    """Return the number of the newest edition."""
    return max(int(path.stem.partition("-")[2]) for path in VECTORS.glob("edition-*.json"))


def build(out: Path) -> dict[str, Path]:
    """Write the packages as trees and as what is published; return the latter."""
    version, data = f"{edition()}.0.0", table()
    readme = (HERE / "template.md").read_text("utf-8")
    made = {}
    for name, folder in DATA.items():
        tree = out / name
        shutil.copytree(HERE / name, tree)
        for path in tree.rglob("*"):
            if path.is_file():
                path.write_text(path.read_text("utf-8").replace("0.0.0-edition", version), "utf-8")
        (tree / folder).mkdir(parents=True, exist_ok=True)
        (tree / folder / "edition.tsv").write_text(data, "utf-8")
        own = (tree / "RUNNER.md").read_text("utf-8")
        (tree / "RUNNER.md").unlink()
        (tree / "README.md").write_text(readme.replace("{runner}", own), "utf-8")
        made[name] = pack(name, tree, version)
    return made


def pack(name: str, tree: Path, version: str) -> Path:
    """Write what is published: a .tgz, a .crate, a .zip of Go or PHP; Maven takes the tree."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    if name == "maven":
        return tree
    if name in ("go", "composer"):
        inside, target = "", tree.parent / f"dporacle-vectors-{version}.zip"
        if name == "go":
            target = tree.parent / f"v{version}.zip"
            inside = f"{(tree / 'go.mod').read_text('utf-8').split()[1]}@v{version}/"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                entry = zipfile.ZipInfo(f"{inside}{path.relative_to(tree).as_posix()}")
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
        return target
    root, ending = ("package", "tgz") if name == "npm" else (f"dporacle-vectors-{version}", "crate")
    target = tree.parent / f"dporacle-vectors-{version}.{ending}"
    with tarfile.open(target, "w:gz") as archive:
        for path in files:
            entry = tarfile.TarInfo(f"{root}/{path.relative_to(tree).as_posix()}")
            entry.size, entry.mode = path.stat().st_size, 0o644
            archive.addfile(entry, io.BytesIO(path.read_bytes()))
    return target


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: python packages/build.py OUT, a folder that is not there yet")
    for what, where in build(Path(sys.argv[1])).items():
        sys.stdout.write(f"{what}: {where}\n")
