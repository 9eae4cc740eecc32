"""Mutation testing: change one operator or number of the source, and see whether a test notices.

    python tools/mutate.py --sample 60 --seed 1
    python tools/mutate.py --only reference/accuracy.py

The mutants are cosmic-ray's. They are made in a copy of the tree, never in the tree itself. A
mutant is tried on the tests of the functions that its module defines, then on the tests of its
group of statements. Survivors that are known are listed, with the reason, in
tools/mutation_survivors.toml. The exit status is 1 if fewer than 95 % of the others are killed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db

ROOT = Path(__file__).resolve().parent.parent
BAR = 0.95
TARGETS = (
    "reference/*.py",
    "reference/numerics/*.py",
    "fast/*.py",
    "oracle/enclosures/*.py",
    "oracle/enclosures/arithmetic/*.py",
    "oracle/verdicts.py",
    "oracle/claims/judge.py",
    "oracle/claims/quantities.py",
    "oracle/claims/margins.py",
    "oracle/conformance/judge.py",
)
# What stands under everything is tried on the tests of everything.
WHOLE = "sigma or delta or epsilon or accuracy or risk or discrete or loss or error or rdp"
PLAIN = ["tests/test_every_formula.py", "tests/test_exploration.py"]
PATIENCE = 900


@dataclass(frozen=True)
class Mutant:
    """One change: cosmic-ray's operator at its n-th place in a module."""

    module: str
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator.split('/')[-1]} #{self.occurrence}"


def modules(only: list[str]) -> list[str]:
    found = sorted(str(path.relative_to(ROOT)) for glob in TARGETS for path in ROOT.glob(glob))
    found = [name for name in found if not name.endswith("__init__.py")]
    return [name for name in found if name in only] if only else found


def mutants(names: list[str]) -> Iterator[Mutant]:
    """All mutants whose code runs: annotations and the lists of public names never do."""
    with (
        tempfile.TemporaryDirectory() as folder,
        use_db(str(Path(folder) / "mutants.sqlite"), WorkDB.Mode.create) as database,
    ):
        init([ROOT / name for name in names], database, {})
        for item in database.work_items:
            (spec,) = item.mutations
            module = str(Path(spec.module_path).relative_to(ROOT))
            if spec.start_pos[0] not in idle_lines(module):
                yield Mutant(module, spec.operator_name, spec.occurrence, spec.start_pos[0])


_idle: dict[str, set[int]] = {}


def idle_lines(module: str) -> set[int]:
    if module not in _idle:
        lines: set[int] = set()
        for node in ast.walk(ast.parse((ROOT / module).read_text())):
            if isinstance(node, ast.FunctionDef):
                # Signatures: annotations, and the default number of digits.
                lines |= set(range(node.lineno, node.body[0].lineno))
            elif isinstance(node, ast.AnnAssign) and node.value is None:
                lines |= set(range(node.lineno, node.end_lineno + 1))
        _idle[module] = lines
    return _idle[module]


def tree(folder: Path) -> Path:
    """Copy what a test run needs, in the layout of the installed package."""
    package = folder / "dporacle"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "oracle", package, ignore=ignore)
    for name in ("reference", "fast"):
        shutil.copytree(ROOT / name, package / name, ignore=ignore)
    for name in ("tests", "tools", "proofs_notes", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return package


def installed(module: str) -> str:
    return module.removeprefix("oracle/")


def functions(module: str) -> str:
    """The public functions of a module, as pytest's -k takes them."""
    found = re.search(r"__all__ = \[(.*?)\]", (ROOT / module).read_text(), re.DOTALL)
    names = re.findall(r'"([a-z_0-9]+)"', found[1]) if found else []
    # Exactly this one: the tests' ids are the names in brackets.
    return " or ".join(f"[{name}" for name in names)


def stages(module: str) -> list[list[str]]:
    stem = Path(module).stem
    own = [str(path.relative_to(ROOT)) for path in ROOT.glob(f"tests/test_{stem}*.py")]
    shared = "/numerics/" in module or "/arithmetic/" in module or stem.startswith("_")
    named = "" if shared else functions(module)
    if module.startswith(("oracle/claims", "oracle/verdicts")):
        return [["tests/test_audit.py", "tests/test_claims.py", "tests/test_audit_kinds.py"]]
    if module.startswith("oracle/conformance"):
        return [["tests/conformance/test_judge.py", "tests/conformance/test_behaviour.py"]]
    first = [*PLAIN, "-k", named or WHOLE]
    numerics = ["tests/test_reference_cancellation.py", "tests/test_reference_roots.py"]
    arithmetic = ["tests/test_rounding_and_verdicts.py"]
    more = numerics if "reference/" in module else arithmetic if "/arithmetic/" in module else []
    return [first, *([more] if more else []), *([own] if own else [])]


def killed(mutant: Mutant, folder: Path) -> bool:
    """Whether a test fails, or does not end, with the mutant in place."""
    path = folder / "dporacle" / installed(mutant.module)
    source = path.read_text()
    operator = get_operator(mutant.operator)()
    changed = mutate_code(source, operator, mutant.occurrence)
    assert changed is not None, mutant
    path.write_text(changed)
    try:
        return any(fails(stage, folder) for stage in stages(mutant.module))
    finally:
        path.write_text(source)


def fails(stage: list[str], folder: Path) -> bool:
    words = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *stage]
    where = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            words, cwd=folder, env=where, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    # 5: no test was chosen.
    return run.returncode not in (0, 5)


def known(mutant: Mutant) -> str | None:
    """The reason why a mutant may survive, if it is listed."""
    listed = tomllib.loads((ROOT / "tools/mutation_survivors.toml").read_text())["survivor"]
    text = (ROOT / mutant.module).read_text().splitlines()[mutant.line - 1].strip()
    for each in listed:
        here = each["module"] == mutant.module and each["line"] in text
        if here and each["operator"] in mutant.operator:
            return str(each["reason"])
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="how many mutants; all without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="modules, as paths in the tree")
    given = parser.parse_args()
    names, generator = modules(given.only), random.Random(given.seed)
    if given.sample is not None:  # a module as often as it has lines: to list all takes minutes
        sizes = [len((ROOT / name).read_text().splitlines()) for name in names]
        drawn = generator.choices(names, sizes, k=given.sample)
        found = {name: list(mutants([name])) for name in sorted(set(drawn))}
        chosen = [generator.choice(found[name]) for name in drawn if found[name]]
    else:
        chosen = list(mutants(names))
    alive, excused, dead = [], 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tree(folder)
        if fails(stages("reference/accuracy.py")[0], folder):
            print("the tests fail without a mutant")
            return 2
        for mutant in chosen:
            if killed(mutant, folder):
                dead += 1
            elif reason := known(mutant):
                excused += 1
                print(f"listed    {mutant}: {reason}", flush=True)
            else:
                alive.append(mutant)
                print(f"SURVIVED  {mutant}", flush=True)
    share = dead / max(1, dead + len(alive))
    print(
        f"{len(chosen)} mutants: {dead} killed, {len(alive)} survived, "
        f"{excused} listed survivors; {share:.1%} of those that are not listed are killed"
    )
    return 0 if share >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
