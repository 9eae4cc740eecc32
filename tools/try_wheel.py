"""Try a built wheel as a newcomer has it: in an empty environment, far from the repository.

    python -m build && python tools/try_wheel.py dist

Every command that needs no extra answers; each that does says which. With --resolution
lowest-direct the oldest versions that pyproject.toml allows are taken; --weights prints what each
extra weighs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_WINDOWS = os.name == "nt"
EXTRAS = ("speed", "plots", "experiments", "cluster", "parquet", "frozen", "registry", "conform")
FINE = tuple(
    line.split()
    for line in """\
sigma --epsilon 1 --delta 1e-5
epsilon --delta 1e-5 --sigma 4 --json
dp-sgd --noise-multiplier 1.1 --sampling-rate 1/100 --steps 100 --delta 1e-5
audit --epsilon 1 --delta 1e-5 --sigma 3.74
prove BW18.T1 --workers 1
statements
vectors
rank-one verdict --dimension 3 --epsilon 1 --delta 1e-5
sample numpy --sigma 3
adapter-check --help""".splitlines()
)
MISSING = {
    "plots": ["map", "classical", "--output", "map.png"],
    "conform": ["conform", "diffprivlib"],
    "parquet": ["audit", "--stream", "claims.parquet"],
    "registry": ["registry", "deployment.yaml"],
}
INPUTS = {"deployment.yaml": "deployment: {}\n"}
"""Files that they read: one that is not there is told before an extra is looked for."""
PYTHON = """
from fractions import Fraction
import mpmath
import dporacle
from dporacle import enclosures, reference
assert dporacle.calibrate_sigma(epsilon=1, delta=1e-5, exact=True) == 3.730631634815942
exact = reference.calibrate_sigma(epsilon=1, delta=Fraction(1, 10**5), digits=30)
assert mpmath.nstr(exact, 30) == "3.73063163481594183224982257504"
enclosures.calibrate_sigma(epsilon=1, delta=1e-5)
"""


def main() -> int:
    """Try the wheel that the arguments name."""
    parser = argparse.ArgumentParser(description="Try a wheel in an empty environment.")
    parser.add_argument("wheel", type=Path, help="a wheel, or the folder that holds one")
    parser.add_argument("--resolution", choices=("highest", "lowest-direct"), default="highest")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--version", action="store_true", help="only print the wheel's version")
    parser.add_argument("--weights", action="store_true", help="print what each extra weighs")
    given = parser.parse_args()
    wheels = sorted(given.wheel.glob("*.whl")) if given.wheel.is_dir() else [given.wheel]
    if len(wheels) != 1:
        parser.error(f"{given.wheel} holds {len(wheels)} wheels, not one")
    wheel = wheels[0].resolve()
    if given.version:
        print(wheel.name.split("-")[1])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if given.weights:
            return _weigh(wheel, Path(folder), given.python)
        return _try(wheel, Path(folder), given.resolution, given.python)


def _try(wheel: Path, folder: Path, resolution: str, python: str) -> int:
    programs = _install(f"{wheel}", folder / "plain", python, "--resolution", resolution)
    for name, text in INPUTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    faults = []
    checks = [(words, 0, "") for words in FINE]
    checks += [(words, 3, f"dporacle[{extra}]") for extra, words in MISSING.items()]
    checks += [(["specimens"], 2, "is for a checkout of the project")]
    for words, status, said in checks:
        done = _run([str(programs / "dporacle"), *words], folder)
        fine = done.returncode == status and said in done.stdout + done.stderr
        print("fine  " if fine else "FAULT ", "dporacle", *words, flush=True)
        if not fine:
            faults.append(words)
            print(done.stdout[-2000:], done.stderr[-2000:], f"exit status {done.returncode}")
    done = _run([str(programs / "python"), "-c", PYTHON], folder)
    print("fine  " if not done.returncode else "FAULT ", "import dporacle", done.stderr)
    return 1 if faults or done.returncode else 0


def _weigh(wheel: Path, folder: Path, python: str) -> int:
    base = 0.0
    for extra in ("", *EXTRAS):
        home = folder / (extra or "plain")
        _install(f"{wheel}[{extra}]" if extra else f"{wheel}", home, python)
        size = sum(each.stat().st_size for each in home.rglob("*") if each.is_file()) / 1e6
        print(f"{extra or 'dporacle':<12} {size - base:6.0f} MB")
        base = base or size
    return 0


def _install(wanted: str, home: Path, python: str, *options: str) -> Path:
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", python, str(home)], check=True)
    programs = home / ("Scripts" if _WINDOWS else "bin")
    install = [*uv, "pip", "install", "--quiet", "--python", str(programs / "python"), *options]
    subprocess.run([*install, "--link-mode", "copy", wanted], check=True)
    return programs


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        command,
        cwd=folder,
        env=plain | {"PYTHONUTF8": "1", "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
