"""Build the calculator: static files that compute in the browser, without a network.

    python tools/make_calculator.py --output build/calculator

Python for WebAssembly is the npm package `pyodide`: an unpacked one is taken with --runtime,
otherwise `npm` fetches the version that is named here. The rest is the reference with what it
imports, and mpmath as it is installed. Any file server can serve the result:

    python -m http.server --directory build/calculator
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = "pyodide@314.0.7"
_RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
_LOCK = "pyodide-lock.json"
_PAGE = ("index.html", "page.css", "page.js", "worker.js")
_EMBEDDED = ("embed/index.html", "embed/page.js", "embed/gains.js")
_SUFFIXES = (".py", ".json")  # statements are data
_OURS = (*("__init__.py", "arguments.py", "common", "interface.py", "vocabulary", "reference"),)


def main() -> None:
    """Build the folder that the arguments name."""
    parser = argparse.ArgumentParser(description="Build the calculator's static files.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "calculator")
    parser.add_argument("--runtime", type=Path, help="an unpacked npm package `pyodide`")
    given = parser.parse_args()
    output: Path = given.output
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        runtime = given.runtime or fetched(RUNTIME, Path(scratch))
        (output / "pyodide").mkdir(exist_ok=True)
        for name in (*_RUNTIME_FILES, _LOCK):
            shutil.copyfile(runtime / name, output / "pyodide" / name)
    (output / "embed").mkdir(exist_ok=True)
    for name in (*_PAGE, *_EMBEDDED):
        shutil.copyfile(ROOT / "calculator" / name, output / name)
    with zipfile.ZipFile(output / "python.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in python_files():
            archive.write(file, name)
    size = sum(each.stat().st_size for each in output.rglob("*") if each.is_file())
    print(f"{output}: {size / 1e6:.1f} MB")


def fetched(package: str, folder: Path) -> Path:
    """Return the folder of an npm package, after npm has fetched it."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(f"npm, which is to fetch {package}, is not installed")
    done = subprocess.run(
        [npm, "pack", "--silent", package], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"npm could not fetch {package}: {done.stderr.strip()}")
    with tarfile.open(folder / done.stdout.split()[-1]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def python_files() -> list[tuple[Path, str]]:
    """Return every file that the page's Python needs, with its name in the archive."""
    found = [(ROOT / "calculator" / "answers.py", "answers.py")]
    homes = {"reference": ROOT / "reference"}
    for name in _OURS:
        home = homes.get(name, ROOT / "src" / "dporacle" / name)
        files = (each for each in home.rglob("*") if each.suffix in _SUFFIXES)
        for file in sorted(files) if home.is_dir() else [home]:
            inside = file.relative_to(home) if home.is_dir() else Path()
            found.append((file, str(Path("dporacle", name, inside))))
    for entry in metadata.files("mpmath") or ():
        text = str(entry)
        if (text.endswith(".py") and "/tests/" not in text) or "licen" in text.lower():
            found.append((Path(str(entry.locate())), text))
    return found


if __name__ == "__main__":
    main()
