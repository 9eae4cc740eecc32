"""Mutation testing: change one operator or number of the source, and see whether a test notices.

    python tools/mutate.py --sample 15 --seed 1
    python tools/mutate.py --only reference/accuracy.py

The mutants are cosmic-ray's. They are made in a copy of the tree, never in the tree itself. A
mutant is tried on the tests of the functions that its module defines, then on the tests of its
group of statements, then on the files that name most often what rests on it; a sample takes as
many from each stratum. Survivors that are known are listed, with the reason, in
tools/mutation_survivors.toml. The exit status is 1 if fewer than 95 % of the others are killed.
"""

import argparse
import ast
import importlib
import itertools
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db

from dporacle.common.randomness import chance

ROOT = Path(__file__).resolve().parent.parent
BAR = 0.95
STRATA = {
    "reference": ("reference/**/*.py",),
    "fast": (
        "fast/*.py",
        *(
            f"fast/{room}/*.py"
            for room in ("discrete", "gaussian", "papers", "papers/rank_one", "subsampled")
        ),
    ),
    "enclosures": (
        "src/dporacle/enclosures/**/*.py",
        "src/dporacle/wings/papers/enclosures/**/*.py",
    ),
    "claims": ("src/dporacle/verdicts.py", "src/dporacle/claims/**/*.py"),
    "mechanisms": (
        "src/dporacle/mechanisms/*.py",
        *(
            f"src/dporacle/{name}.py"
            for name in ("dp_sgd", "calibration", "matrix_mechanism", "risk")
        ),
    ),
    # Adapters run where their libraries are.
    "conformance": (
        "src/dporacle/conformance/*.py",
        *(
            f"src/dporacle/conformance/{each}/*.py"
            for each in ("ask", "grade", "judge", "libraries", "process", "run")
        ),
    ),
    "report": ("src/dporacle/report/**/*.py",),
    "wings": (
        "src/dporacle/wings/papers/*.py",
        *(
            f"src/dporacle/wings/{each}/**/*.py"
            for each in ("coq", "recorded_batches", "registry", "samplers", "verdict_site")
        ),
    ),
    "reading": (
        "src/dporacle/vocabulary/**/*.py",
        "src/dporacle/written_numbers.py",
        *(
            f"src/dporacle/{each}.py"
            for each in ("arguments", "files", "ieee754", "interface", "matrix_files")
        ),
    ),
}
# What tests a room that computes nothing itself: its own files first, by how much they name it.
OF_ROOM = {
    "claims": """audit* claims* decisive* certif* dp_sgd_claims shown* streaming register
        discrete_claims""",
    "mechanisms": "training* dp_sgd* divisor chosen* groups attack* matrix exact* decisive*",
    "conformance": "conformance/",
    "report": "report* history nightly conformance/report conformance/known conformance/unmarked",
    "wings": "wings/*/",
    "reading": """arguments written* vocabulary catalogue files matrix alike* fuzzed* audit
        dp_sgd_command laws/rows conformance/decades fast/given fast/refusals fast/floats*""",
}
# What stands under everything is tried on the tests of everything.
WHOLE = "sigma or delta or epsilon or accuracy or risk or discrete or loss or error or rdp"
PLAIN = ["tests/test_every_formula.py", "tests/laws/test_rows.py"]
DRAWN = ["tests/dev/test_exploration.py"]
COMPILED = "tests/fast/test_compiled.py"  # the compiled kernel is not in the copy
# Nothing that is proved rests on a proposal; a bad one costs time, or widens a ball.
PROPOSALS = ("/estimates.py", "/scale.py", "/design.py", "/meshes.py", "/cutting.py")
IDLE = ("__init__.py", "/compiled.py", *PROPOSALS)
QUIET = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
QUICK = "--quick"
PASSED = (0, 5)  # what pytest ends with; 5: no test was chosen
RAN = "ran.txt"  # the tests that ended, the one that failed last
MORE = 12  # files that are tried at last
PATIENCE = 300  # seconds of processor time
ROOMS = ("rank_one", "discrete", "subsampled")
# Rooms of which what stands outside the witness calls most: no import leads to their tests.
TESTED_WHOLE = ("matrix", "batches")
# What a test run imports of others' is imported once: each run is a fork of this process.
SHARED = "click flint mpmath msgspec numpy pytest rich.table scipy.optimize scipy.special"


@dataclass(frozen=True)
class Mutant:
    """One change: cosmic-ray's operator at its n-th place in a module."""

    module: str
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator.split('/')[-1]} #{self.occurrence}"


def modules(globs: tuple[str, ...], only: list[str]) -> list[str]:
    found = sorted(str(path.relative_to(ROOT)) for glob in globs for path in ROOT.glob(glob))
    return [name for name in found if not name.endswith(IDLE) and (name in only or not only)]


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
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    # The links in the source are followed: the copy has the witnesses and the vectors.
    shutil.copytree(ROOT / "src" / "dporacle", package, ignore=ignore)
    for name in ("tests", "tools", "proofs_notes", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return package


def installed(module: str) -> str:
    return module.removeprefix("src/dporacle/")


def functions(module: str) -> str:
    """The public functions of a module, as pytest's -k takes them."""
    names = re.findall(r"^def ([a-z]\w*)\(", (ROOT / module).read_text(), re.MULTILINE)
    # Exactly this one: the tests' ids are the names in brackets.
    return " or ".join(f"[{name}" for name in names)


def tests(about: str) -> list[str]:
    """The files of tests about something, of the core and of the wings."""
    patterns = (f"tests/test_{about}.py", f"tests/wings/*/test_{about}.py")
    return [str(path.relative_to(ROOT)) for each in patterns for path in sorted(ROOT.glob(each))]


def stages(module: str) -> list[list[str]]:
    stem, room = Path(module).stem, Path(module).parent.name
    about = room if room in ROOMS else stem
    own = tests(f"{about}*")
    if not own and room in TESTED_WHOLE:
        own = tests(f"{room}*")
    if room == "gaussian":
        own += [f for user in users(module) for f in stages(user)[-1] if f.startswith("tests/")]
    shared = room in ("numerics", "arithmetic", "gaussian", "linear") or stem.startswith("_")
    named = "" if shared else f"[{room}" if room in ROOMS else functions(module)
    if rooms := [each for each in OF_ROOM if module in modules(STRATA[each], [])]:
        named = of_room(rooms[0], module)[:MORE]
        return [[QUICK, *named], named]
    first, drawn = ([*files, "-k", named or WHOLE] for files in (PLAIN, DRAWN))
    numerics = ["tests/test_reference_cancellation.py", "tests/test_reference_roots.py"]
    arithmetic = ["tests/test_rounding_and_verdicts.py"]
    more = numerics if "reference/" in module else arithmetic if "/arithmetic/" in module else []
    floats = ROOT.glob("tests/fast/test_*.py") if module.startswith("fast/") else ()
    of_floats = sorted({str(path.relative_to(ROOT)) for path in floats} - {COMPILED})
    return [stage for stage in (first, more, drawn, of_floats, own) if stage]


def of_room(room: str, module: str) -> list[str]:
    """The files that test a room: first those that most often name what the module defines."""
    names = [each.rpartition("/") for each in OF_ROOM[room].split()]
    globs = [f"tests/{folder}{mark}test_{name or '*'}.py" for folder, mark, name in names]
    files = {path for each in globs for path in ROOT.glob(each)}
    if room == "wings":
        wing = Path(module).parts[3]
        files = {path for path in files if path.parent.name == wing}
    tree, stem = ast.parse((ROOT / module).read_text()), Path(module).stem
    defined = {each.name for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    named = re.compile(rf"\b({'|'.join(map(re.escape, sorted({stem, *defined})))})\b")
    found = {str(path.relative_to(ROOT)): len(named.findall(path.read_text())) for path in files}
    return sorted(found, key=lambda name: (-found[name], name))


def users(module: str) -> list[str]:
    """The modules beside a room that import from one in it: their tests are its tests."""
    witness, *_, name = Path(module).with_suffix("").parts
    wanted = imports(f"dporacle.{witness}.gaussian.{name}")
    beside = sorted((ROOT / witness).glob("*.py"))
    return [str(p.relative_to(ROOT)) for p in beside if wanted.search(p.read_text())]


def imports(module: str) -> re.Pattern[str]:
    """What finds an import of a module, or from it."""
    package, _, name = module.rpartition(".")
    package, name = re.escape(package), re.escape(name)
    return re.compile(rf"^from {package}(\.{name} import| import .*\b{name}\b)", re.MULTILINE)


def wider(module: str) -> list[list[str]]:
    """The tests that name most often what rests on a module, one file after the other."""
    if stages(module)[0][0] == QUICK:  # all that names it was tried
        return []
    names: set[str] = set()
    seen: set[str] = set()
    todo = [module]
    while todo:
        here = todo.pop()
        seen.add(here)
        names |= {each.removeprefix("[") for each in functions(here).split(" or ") if each}
        dotted = "dporacle." + installed(here).removesuffix(".py").replace("/", ".")
        wanted = imports(dotted)
        folder = ROOT.joinpath(*Path(module).parts[: 3 if module.startswith("src") else 1])
        for path in sorted(folder.rglob("*.py")):
            user = str(path.relative_to(ROOT))
            if user not in seen and wanted.search(path.read_text()):
                todo.append(user)
    called = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})[\"(]")
    found = {name: len(called.findall((ROOT / name).read_text())) for name in tests("*")}
    tried = {name for stage in stages(module) for name in stage if "-k" not in stage}
    ranked = sorted(set(found) - tried - {*PLAIN, *DRAWN}, key=lambda name: -found[name])
    return [[name] for name in ranked[:MORE] if found[name]]


def killed(mutant: Mutant, folder: Path) -> str:
    """The first tests of which one fails, or does not end, with the mutant in place."""
    path = folder / "dporacle" / installed(mutant.module)
    source = path.read_text()
    operator = get_operator(mutant.operator)()
    changed = mutate_code(source, operator, mutant.occurrence)
    assert changed is not None, mutant
    path.write_text(changed)
    try:
        every = itertools.chain(stages(mutant.module), wider(mutant.module))
        return next((files(stage)[0] for stage in every if notices(stage, path, source)), "")
    finally:
        path.write_text(source)


_unsound: set[str] = set()
"""Tests that fail in the copy whatever is changed, as those that look for files beside it."""


def notices(stage: list[str], path: Path, source: str) -> bool:
    """Whether tests fail, or do not end, with what stands in a module, and pass with its source."""
    folder = next(each.parent for each in path.parents if each.name == "dporacle")

    def passes(words: list[str]) -> bool:
        mutant = path.read_text()
        path.write_text(source)
        found = status(words, folder) == 0
        path.write_text(mutant)
        return found

    while True:
        words = [*stage, *(f"--deselect={each}" for each in sorted(_unsound))]
        found = status(words, folder)
        if found in PASSED:
            return False
        ran = (folder / RAN).read_text().splitlines()
        if found != 1 or not ran:  # no end, or nothing was collected
            return passes(words)
        last = ran[-1].partition("\t")[2]
        if passes([*(word for word in stage if word.startswith("--")), last]):
            return True
        _unsound.add(last)


def files(stage: list[str]) -> list[str]:
    """The files of a stage, without its other words."""
    return [word for word in stage if word.startswith("tests/")]


def status(stage: list[str], folder: Path) -> int:
    """What pytest ends with, or minus the signal that ended it."""
    (folder / RAN).write_text("")
    child = os.fork()
    if not child:
        ended = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
            signal.alarm(4 * PATIENCE)  # who waits for another that never answers
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            os.environ["PYTHONPATH"] = str(folder)
            os.environ["COSTS"] = str(folder / RAN)
            sys.dont_write_bytecode = True
            # Ours is imported again, from the copy: this process has the module without the change.
            for name in [each for each in sys.modules if each.partition(".")[0] == "dporacle"]:
                del sys.modules[name]
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            ended = int(pytest.main([*QUIET, *stage]))
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def known(mutant: Mutant) -> str | None:
    """The reason why a mutant may survive, if it is listed."""
    listed = tomllib.loads((ROOT / "tools/mutation_survivors.toml").read_text())["survivor"]
    text = (ROOT / mutant.module).read_text().splitlines()[mutant.line - 1].strip()
    for each in listed:
        here = each["module"] == mutant.module and each["line"] in text
        if here and re.search(each["operator"], mutant.operator):
            return str(each["reason"])
    return None


def interval(dead: int, alive: int) -> tuple[float, float]:
    """Wilson's interval, of 95 %, for the share that is killed."""
    n, z = dead + alive, 1.96
    if not n:
        return 0.0, 1.0
    share, more = dead / n, z * z / n
    middle = (share + more / 2) / (1 + more)
    reach = z * math.sqrt(share * (1 - share) / n + more / (4 * n)) / (1 + more)
    return middle - reach, middle + reach


def drawn(names: list[str], count: int, generator: random.Random) -> list[Mutant]:
    """Some mutants of a stratum: a module as often as it has lines; to list all takes minutes."""
    sizes = [len((ROOT / name).read_text().splitlines()) for name in names]
    chosen = generator.choices(names, sizes, k=count)
    found = {name: list(mutants([name])) for name in sorted(set(chosen))}
    return [generator.choice(found[name]) for name in chosen if found[name]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="how many mutants of each stratum; all without")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="modules, as paths in the tree")
    parser.add_argument("--strata", nargs="*", default=list(STRATA), choices=list(STRATA))
    given = parser.parse_args()
    for name in SHARED.split():
        importlib.import_module(name)
    generator, counts = chance("mutants", given.seed), {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tree(folder)
        if status(stages("reference/accuracy.py")[0], folder) not in PASSED:
            print("the tests fail without a mutant")
            return 2
        for stratum in given.strata:
            names = modules(STRATA[stratum], given.only)
            if not names:
                continue
            count = given.sample
            chosen = list(mutants(names)) if count is None else drawn(names, count, generator)
            counts[stratum] = tried(chosen, folder)
            show(stratum, *counts[stratum])
    total = tuple(map(sum, zip(*counts.values(), strict=True)))
    show("all", *total)
    return 0 if total[0] >= BAR * (total[0] + total[1]) else 1


def tried(chosen: list[Mutant], folder: Path) -> tuple[int, int, int]:
    """How many were killed, survived and are listed survivors."""
    dead = alive = excused = 0
    for mutant in chosen:
        if by := killed(mutant, folder):
            dead += 1
            print(f"killed    {mutant}, by {by}", flush=True)
        elif reason := known(mutant):
            excused += 1
            print(f"listed    {mutant}: {reason}", flush=True)
        else:
            alive += 1
            print(f"SURVIVED  {mutant}", flush=True)
    return dead, alive, excused


def show(name: str, dead: int, alive: int, excused: int) -> None:
    low, high = interval(dead, alive)
    print(
        f"{name}: {dead + alive + excused} mutants, {dead} killed, {alive} survived, {excused} "
        f"listed; of those not listed {dead / max(1, dead + alive):.1%} are killed "
        f"(95 % interval {low:.1%} to {high:.1%})",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
