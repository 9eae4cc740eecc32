"""Mutation testing: change one operator or number of the source, and see whether a test notices.

    python tools/mutate.py --count 200 --seed 1 --record tests/data/mutants.jsonl
    python tools/mutate.py --only reference/accuracy.py --count 5 --tests tests/test_accuracy.py
    python tools/mutate.py --again --record tests/data/mutants.jsonl --tests tests/test_new.py
    python tools/mutate.py --still --record tests/data/mutants.jsonl

The mutants are cosmic-ray's, and are drawn over all rooms: each has as many as it has lines of
code. They are made in a copy of the tree, never in the tree itself. First the quick tests run
once on the copy in which a probe stands at the place of each mutant: so it is known which tests
run which place. Then each mutant is tried on the tests that run it, one test of each function
before a second, the cheap before the dear. A mutant that lives is tried on the dear tests of
the files that name it most.

`--record` keeps what became of each mutant, and a run goes on where it stands; `--again` tries
those of a record that survived, as after a test was written, and `--show` prints the counts of
a record. `--still` tries what was killed on the test that killed it and its like, where the line
is still there. Survivors that are known are listed, with the reason, in
tools/mutation_survivors.toml.
The exit status is 1 if fewer than 95 % of the others are killed; of --still, if one lives.
"""

import argparse
import ast
import dataclasses
import difflib
import functools
import gc
import itertools
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
import types
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from hypothesis import Phase, settings

from dporacle.common.randomness import chance

ROOT = Path(__file__).resolve().parent.parent
SURVIVORS = ROOT / "tools" / "mutation_survivors.toml"
BAR = 0.95
ROOMS = {
    "reference": ("reference/**/*.py",),
    "fast": tuple(
        f"fast/{room}*.py"
        for room in ("", "discrete/", "gaussian/", "papers/", "papers/rank_one/", "subsampled/")
    ),
    "enclosures": ("src/dporacle/enclosures/**/*.py",),
    "identities": ("src/dporacle/identities/**/*.py",),
    "mechanisms": (
        "src/dporacle/mechanisms/**/*.py",
        *(f"src/dporacle/{each}.py" for each in ("calibration", "dp_sgd", "risk")),
    ),
    "claims": ("src/dporacle/verdicts.py", "src/dporacle/claims/**/*.py"),
    "regions": ("src/dporacle/regions/**/*.py",),
    "conformance": (
        "src/dporacle/conformance/*.py",
        *(
            f"src/dporacle/conformance/{each}/*.py"
            for each in ("ask", "grade", "judge", "libraries", "process", "run")
        ),
        # Other adapters run where their libraries are.
        "src/dporacle/conformance/adapters/__init__.py",
        "src/dporacle/conformance/adapters/serve*.py",
        "src/dporacle/pytest_plugin/*.py",
    ),
    "report": ("src/dporacle/report/**/*.py", "src/dporacle/plots/*.py"),
    "cli": ("src/dporacle/cli/**/*.py",),
    "vectors": ("src/dporacle/vectors/*.py",),
    "vocabulary": (
        "src/dporacle/vocabulary/**/*.py",
        "src/dporacle/common/*.py",
        *(f"src/dporacle/{each}.py" for each in ("arguments", "interface")),
    ),
    "frozen": ("src/dporacle/frozen/*.py",),
    "papers": ("src/dporacle/wings/papers/**/*.py",),
    "samplers": ("src/dporacle/wings/samplers/**/*.py",),
    "recorded batches": ("src/dporacle/wings/recorded_batches/*.py",),
    "registry": ("src/dporacle/wings/registry/*.py",),
    "coq": ("src/dporacle/wings/coq/*.py",),
    "verdict site": ("src/dporacle/wings/verdict_site/*.py",),
    "dev": ("dev/**/*.py",),
}
QUICK = "--quick"
# Asserts are not rewritten, neither in tests nor, as it has a plugin, in the package: what was
# loaded is what is compiled here.
QUIET = [
    "-q",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
]
# What is tried on one mutant at most, in processor seconds of the tests without a change.
CHEAP, DEAR = 8.0, 20.0
DEAR_ANEW = 6  # dear tests that are tried on what is made at import, by a process of their own
EACH = 6  # tests of one function that are tried: its other arguments run the same lines
FILES = 3  # of dear tests
PATIENCE = 8  # processor seconds beyond thrice what the tests need without a change
# Each test of these is of another function.
WHOLE = (
    *("tests/laws/", "tests/test_every_formula.py"),
    *("tests/dev/test_sizes_of_faults.py", "tests/dev/test_narrow_faults.py"),
)
PROBES = "dporacle_probes"
# Each place is written down once, also by the processes that a test starts.
PROBE = """import pathlib
FILE = pathlib.Path(__file__).with_suffix(".txt")
seen = set()
def hit(place):
    if place not in seen:
        seen.add(place)
        with FILE.open("a") as file:
            file.write(f"{place}\\n")
"""


@dataclass(frozen=True)
class Mutant:
    """One change: cosmic-ray's operator at its n-th place in a module."""

    room: str
    module: str
    operator: str
    occurrence: int
    line: int
    text: str

    def __str__(self) -> str:
        name = self.operator.split("/")[-1]
        return f"{self.module}:{self.line} {name} #{self.occurrence}: {self.text}"


@dataclass
class Ran:
    """What became of one test: its cost in processor seconds, and the places that it ran."""

    test: str
    passed: bool
    cost: float
    places: list[str]


# Which mutants


def modules(room: str, only: Iterable[str] = ()) -> list[str]:
    found = {str(path.relative_to(ROOT)) for glob in ROOMS[room] for path in ROOT.glob(glob)}
    return sorted(found & set(only) if only else found)


def lines(name: str) -> int:
    """Lines of code: neither blank nor a comment."""
    text = (ROOT / name).read_text().splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text)


def mutants(room: str, name: str) -> Iterator[Mutant]:
    """All mutants whose code runs: annotations and the lists of public names never do."""
    text = (ROOT / name).read_text()
    idle, written = idle_places(text), text.splitlines()
    nodes = list(ast_nodes(get_ast(text)))
    for operator in sorted(operator_names()):
        kind = get_operator(operator)
        if kind.arguments():
            continue
        positions = (place for node in nodes for place in kind().mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if not any(low <= tuple(start) < high for low, high in idle):
                said = written[start[0] - 1].strip()
                yield Mutant(room, name, operator, occurrence, start[0], said)


def idle_places(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Signatures (annotations, and the default number of digits) and the annotations of fields."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef():
                found.append(((node.lineno, 0), (node.body[0].lineno, 0)))
            case ast.AnnAssign(annotation=said):
                start = (said.lineno, said.col_offset)
                found.append((start, (said.end_lineno or 0, said.end_col_offset or 0)))
    return found


def shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """How many of some things each room has, by its size: the largest remainders round up."""
    whole = sum(sizes.values())
    exact = {name: count * size / whole for name, size in sizes.items()}
    found = {name: math.floor(each) for name, each in exact.items()}
    rest = sorted(exact, key=lambda name: found[name] - exact[name])
    for name in rest[: count - sum(found.values())]:
        found[name] += 1
    return found


def drawn(only: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants over all rooms: a module as often as it has lines; to list all takes minutes."""
    generator, more = chance("mutants", seed), chance("more mutants", seed)
    rooms = {room: modules(room, only) for room in ROOMS}
    found: list[Mutant] = []
    for room, share in shares(
        {room: sum(map(lines, names)) for room, names in rooms.items()}, count
    ).items():
        names = generator.choices(rooms[room], [*map(lines, rooms[room])], k=share) if share else []
        for name, times in sorted(Counter(names).items()):
            every = list(mutants(room, name))
            found += [
                each if is_python(each) else next(filter(is_python, more.sample(every, len(every))))
                for each in generator.sample(every, min(times, len(every)))
            ]
    return found


def is_python(mutant: Mutant) -> bool:
    """Whether a change can be compiled: a `*` before arguments is taken for a product."""
    text = (ROOT / mutant.module).read_text()
    changed = mutate_code(text, get_operator(mutant.operator)(), mutant.occurrence)
    assert changed is not None, mutant
    try:
        compile(changed, mutant.module, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


# Which tests run them


def places(module: str, line: int) -> list[tuple[str, int, int]]:
    """Where probes stand for a line: module, line before which, and column.

    A line of a function has one, before its statement. What is made at import has one in each
    function that names it, or what is made of it.
    """
    text = (ROOT / module).read_text()
    for function in reversed([*functions(text)]):
        if function.body[0].lineno <= line <= (function.end_lineno or 0):
            begun = [
                node
                for node in ast.walk(function)
                if isinstance(node, ast.stmt) and node is not function and starts(node, text)
            ]
            around = [each for each in begun if each.lineno <= line <= (each.end_lineno or 0)]
            # The innermost one; of an `elif` that is the `if`, whichever of its branches runs.
            last = (
                max((each.lineno, each.col_offset) for each in around)
                if around
                else min((each.lineno, each.col_offset) for each in begun)
            )
            return [(module, *last)]
    names = bound(text, line)
    return [*naming(module, names)] or [
        (module, *first) for each in functions(text) for first in beginning(each, text)
    ]


def functions(text: str) -> Iterator[ast.FunctionDef]:
    """The functions of a module, an inner one after its outer one."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    yield from sorted(found, key=lambda node: node.lineno)


def starts(node: ast.stmt, text: str) -> bool:
    """Whether a statement can be put before one: it is the first of its line, and no `elif`."""
    line = text.splitlines()[node.lineno - 1]
    decorated = getattr(node, "decorator_list", [])
    return not (line[: node.col_offset].strip() or line.strip().startswith("elif") or decorated)


def beginning(function: ast.FunctionDef, text: str) -> list[tuple[int, int]]:
    """Before which of its statements a function's probe stands."""
    has_docstring = ast.get_docstring(function) is not None
    body = function.body[1:] if has_docstring else function.body
    return [(each.lineno, each.col_offset) for each in body if starts(each, text)][:1]


def bound(text: str, line: int) -> set[str]:
    """The names of what the statement at a line of a module or class makes."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        first = min((d.lineno for d in getattr(node, "decorator_list", [])), default=None)
        first = getattr(node, "lineno", 0) if first is None else first
        if not first <= line <= (getattr(node, "end_lineno", 0) or 0):
            continue
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                whole = node.targets if isinstance(node, ast.Assign) else [node.target]
                within = (each for target in whole for each in ast.walk(target))
                found |= {each.id for each in within if isinstance(each, ast.Name)}
    return found


def naming(module: str, names: set[str]) -> Iterator[tuple[str, int, int]]:
    """Where probes stand for names of a module: in its functions and in those of its users."""
    stem = Path(module).stem if Path(module).stem != "__init__" else Path(module).parent.name
    everywhere = sorted({each for room in ROOMS for each in modules(room)})
    while names:
        named = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
        more: set[str] = set()
        for user in everywhere:
            text = (ROOT / user).read_text()
            if user != module and not (re.search(rf"\b{stem}\b", text) and named.search(text)):
                continue
            for each in functions(text):
                if named.search(ast.get_source_segment(text, each) or ""):
                    yield from ((user, *first) for first in beginning(each, text))
            if user == module:
                for number, line in enumerate(text.splitlines(), 1):
                    if named.search(line) and not line.startswith((" ", "def ", "class ")):
                        more |= bound(text, number)
        names, more = more - names, set()


def probe(chosen: list[Mutant], folder: Path) -> list[set[str]]:
    """Put the probes of some mutants into the copy, and say which are whose."""
    found = [{*places(mutant.module, mutant.line)} for mutant in chosen]
    of_module: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for module, line, column in set().union(*found):
        of_module[module].add((line, column))
    for module, each in of_module.items():
        written = (ROOT / module).read_text().splitlines(keepends=True)
        for line, column in sorted(each, reverse=True):
            name = f"{module}:{line}:{column}"
            written.insert(line - 1, f"{' ' * column}__import__({PROBES!r}).hit({name!r})\n")
        (folder / "dporacle" / installed(module)).write_text("".join(written))
    (folder / f"{PROBES}.py").write_text(PROBE)
    return [{":".join(map(str, place)) for place in each} for each in found]


def unprobe(folder: Path) -> None:
    for module in {each for room in ROOMS for each in modules(room)}:
        shutil.copy(ROOT / module, folder / "dporacle" / installed(module))


# How they run


def tree(folder: Path) -> None:
    """Copy what a test run needs, in the layout of the installed package."""
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    # The links in the source are followed: the copy has the witnesses and the vectors.
    shutil.copytree(ROOT / "src" / "dporacle", folder / "dporacle", ignore=ignore)
    for name in ("tests", "tools", "proofs_notes", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, folder / path.name)


def installed(module: str) -> str:
    return module.removeprefix("src/dporacle/")


def dotted(module: str) -> str:
    """The name under which a module is imported."""
    return "dporacle." + ".".join(Path(installed(module)).with_suffix("").parts)


def spent() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Tries:
    """A test run that collects once: each mutant is tried in a fork of it."""

    def __init__(self, folder: Path, chosen: list[Mutant], given: argparse.Namespace) -> None:
        self.folder, self.chosen, self.given = folder, chosen, given
        self.places = probe(chosen, folder)
        self.loaded = {m.module: self.path(m.module).read_text() for m in chosen}
        self.hits, self.log = folder / f"{PROBES}.txt", folder / "ran.jsonl"
        self.say = os.fdopen(os.dup(1), "w", buffering=1)
        self.all: list[pytest.Item] = []
        self.found: list[tuple[Mutant, str]] = []
        self.sound: dict[str, bool] = {}
        self.passed = True
        self.at_import: set[str] = set()
        self.functions: dict[str, list[types.FunctionType]] = defaultdict(list)
        self.hits.write_text("")

    def path(self, module: str) -> Path:
        """Where a module stands in the copy."""
        return self.folder / "dporacle" / installed(module)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the dear tests, which `--quick` leaves out."""
        self.all = list(items)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Let a property that fails end there: nobody reads its simplest example."""
        phases = [each for each in Phase if each not in (Phase.shrink, Phase.explain)]
        settings.register_profile("mutants", settings.default, phases=phases)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """See whether one of a test's parts failed."""
        self.passed = self.passed and not report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look which tests run what, and try each mutant."""
        # Decorators and tables: what ran as modules were imported is not changed by a swap.
        self.at_import = {*self.hits.read_text().split()}
        quick = {each.nodeid: each for each in session.items}
        dear = [each for each in self.all if each.nodeid not in quick]
        for each in gc.get_objects():
            if isinstance(each, types.FunctionType):
                self.functions[each.__code__.co_filename].append(each)
        gc.freeze()  # a fork that looked at all objects would copy all of memory
        if self.given.still:
            near, dear = [*map(self.killers, self.given.killers)], []
            quick = {each.nodeid: each for each in self.all}
        else:
            near = self.look([*quick.values()])
        unprobe(self.folder)
        kept = self.given.again or self.given.still
        before = {} if kept else dict(read(self.given.record))
        for mutant, its, tests in zip(self.chosen, self.places, near, strict=True):
            if mutant in before:
                self.found.append((mutant, before[mutant]))
                continue
            begin = time.monotonic()
            by = ""
            # A record has not kept which of several like changes of a line it was.
            for each in today(mutant) if self.given.still else [mutant]:
                if self.given.still and not tests:
                    by = "import" if self.cannot_be_imported(each) else ""
                else:
                    by = self.killed(each, its, tests, quick, [] if self.given.no_dear else dear)
                if by:
                    break
            word = "killed" if by else "listed" if known(mutant) else "SURVIVED"
            said = f"{len(tests)} tests, {by} ({time.monotonic() - begin:.0f} s)"
            self.say.write(f"{word:9} {mutant} | {said}\n")
            self.found.append((mutant, by))
            if self.given.record and not kept:
                write(self.given.record, self.found)
        return True

    def killers(self, by: str) -> list[Ran]:
        """The test that killed a mutant, and others of its function, or file if that is all."""
        if by == "import":
            return []
        named = [each.nodeid for each in self.all]
        whole = by.partition("[")[0]
        found = [
            name for name in named if name == whole or name.startswith((f"{whole}[", f"{by}::"))
        ]
        assert found, f"{by}: there is no such test"
        chosen = difflib.get_close_matches(by, found, EACH, cutoff=0.0)
        return [Ran(each, passed=True, cost=CHEAP / EACH, places=[]) for each in chosen]

    def cannot_be_imported(self, mutant: Mutant) -> bool:
        """Whether its module, or what is made with it, ends with an error, as any test begins."""
        path, source = self.path(mutant.module), (ROOT / mutant.module).read_text()
        changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
        assert changed is not None, mutant
        path.write_text(changed)
        lines = [f"import {dotted(mutant.module).removesuffix('.__init__')}"]
        lines += [f"from dporacle.{each} import *" for each in ("enclosures", "fast", "reference")]
        words = [sys.executable, "-c", "\n".join(lines)]
        try:
            return bool(subprocess.run(words, cwd=self.folder, check=False).returncode)
        finally:
            path.write_text(source)

    def look(self, quick: list[pytest.Item]) -> list[list[Ran]]:
        """The tests that run the place of each mutant, and pass without it."""
        kept = self.given.map
        if kept is not None and kept.exists():
            ran = [Ran(**json.loads(line)) for line in kept.read_text().splitlines()]
        else:
            _, ran, _ = self.run(some_of_each(quick), math.inf, 40000, stop=False)
        if kept is not None:
            kept.write_text("".join(json.dumps(dataclasses.asdict(each)) + "\n" for each in ran))
        by_place: dict[str, list[Ran]] = defaultdict(list)
        for each in ran:
            for place in each.places if each.passed else ():
                by_place[place].append(each)
        good = sum(each.passed for each in ran)
        self.say.write(
            f"{len(ran)} of {len(quick)} quick tests ran without a change, {good} passed\n"
        )
        return [
            list({each.test: each for n in numbers for each in by_place[n]}.values())
            for numbers in self.places
        ]

    def run(
        self, items: list[pytest.Item], most: float, limit: float, *, stop: bool, do: Any = None
    ) -> tuple[bool, list[Ran], str]:
        """Run tests in a fork, after what is to be done there: whether it ended, and the tests."""
        self.log.write_text("")
        child = os.fork()
        if not child:
            ended = 70
            try:
                seconds = math.ceil(limit)
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
                signal.alarm(20 * seconds)  # who waits for another that never answers
                if do is not None:
                    do()
                self.each(items, most, stop=stop)
                ended = 0
            except BaseException:
                self.say.write(traceback.format_exc())
            finally:
                os._exit(ended)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = [json.loads(line) for line in self.log.read_text().splitlines()]
        begun = [each["began"] for each in said if "began" in each]
        return status == 0, [Ran(**each) for each in said if "began" not in each], ["", *begun][-1]

    def each(self, items: list[pytest.Item], most: float, *, stop: bool) -> None:
        """Run one test after the other, and write what became of it."""
        start = spent()
        for item, following in itertools.zip_longest(items, items[1:]):
            self.hits.write_text("")
            if PROBES in sys.modules:
                sys.modules[PROBES].seen.clear()
            begin, self.passed = spent(), True
            with self.log.open("a") as file:
                file.write(json.dumps({"began": item.nodeid}) + "\n")
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            hits = self.hits.read_text().split() if self.hits.exists() else []
            ran = Ran(item.nodeid, self.passed, spent() - begin, sorted({*hits}))
            with self.log.open("a") as file:
                file.write(json.dumps(dataclasses.asdict(ran)) + "\n")
            if spent() - start > most or (stop and not self.passed):
                break

    def killed(
        self,
        mutant: Mutant,
        its: set[str],
        near: list[Ran],
        quick: dict[str, pytest.Item],
        dear: list[pytest.Item],
    ) -> str:
        """The test that fails, or does not end, with the mutant in place; empty if none."""
        path, source = self.path(mutant.module), (ROOT / mutant.module).read_text()
        changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
        assert changed is not None, mutant
        here = in_turn(near)
        need = sum(each.cost for each in here)
        items = [quick[each.test] for each in here if each.test in quick]
        dear = dear_tests(mutant, near, dear)
        limit = 3 * need + PATIENCE
        path.write_text(changed)
        try:
            if not (is_made_at_import(mutant) or self.at_import & its):
                swap = self.swap(mutant, changed)
                return self.notices(items, math.inf, limit, swap, path) or self.notices(
                    dear, DEAR, 3 * DEAR + PATIENCE, swap, path
                )
            return notices_anew(
                [each.nodeid for each in items], self.folder, limit + 20, path, source
            ) or notices_anew(
                [each.nodeid for each in dear[:DEAR_ANEW]],
                self.folder,
                3 * DEAR + PATIENCE,
                path,
                source,
            )
        finally:
            path.write_text(source)

    def swap(self, mutant: Mutant, changed: str) -> Any:
        """What puts the changed functions in the place of those that were loaded."""
        name = str(self.path(mutant.module))
        codes = [
            compile(text, name, "exec", dont_inherit=True)
            for text in (self.loaded[mutant.module], changed)
        ]
        of = dict(pairs(*codes))

        def do() -> None:
            if dotted(mutant.module).removesuffix(".__init__") not in sys.modules:
                return  # it will be imported with the change
            assert self.functions[name], mutant
            for each in self.functions[name]:
                each.__code__ = of[each.__code__]

        return do

    def notices(
        self, items: list[pytest.Item], most: float, limit: float, swap: Any, path: Path
    ) -> str:
        """Which test fails with a change, and passes without it."""
        changed = path.read_text()
        items = [each for each in items if self.sound.get(each.nodeid, True)]
        while items:
            ended, ran, last = self.run(items, most, limit, stop=True, do=swap)
            if ended and all(each.passed for each in ran):
                return ""
            if not last:
                raise RuntimeError(f"{path}: the change was not made")
            if last not in self.sound:
                item = next(each for each in items if each.nodeid == last)
                path.write_text(
                    (ROOT / "src/dporacle" / path.relative_to(self.folder / "dporacle")).read_text()
                )
                well, again, _ = self.run([item], math.inf, limit, stop=True)
                path.write_text(changed)
                self.sound[last] = well and all(each.passed for each in again)
            if self.sound[last]:
                return last
            items = [each for each in items if each.nodeid != last]
        return ""


def pairs(
    one: types.CodeType, two: types.CodeType
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """The codes within two, in their order: of the same functions."""
    first, second = (
        [each for each in code.co_consts if isinstance(each, types.CodeType)] for code in (one, two)
    )
    for old, new in zip(first, second, strict=True):
        assert old.co_qualname == new.co_qualname
        yield old, new
        yield from pairs(old, new)


def is_made_at_import(mutant: Mutant) -> bool:
    """Whether a line is of no function, so that its module must be imported anew."""
    text = (ROOT / mutant.module).read_text()
    return not any(
        each.body[0].lineno <= mutant.line <= (each.end_lineno or 0) for each in functions(text)
    )


def notices_anew(names: list[str], folder: Path, limit: float, path: Path, source: str) -> str:
    """Which test fails in a new process with the change of a file, and passes without it."""
    changed, names = path.read_text(), list(names)
    while by := anew(names, folder, limit):
        path.write_text(source)
        anyway = anew([each for each in names if each.startswith(by)] or names, folder, limit)
        path.write_text(changed)
        if not anyway:
            return by
        if anyway not in names:
            break
        names.remove(anyway)
    return ""


def anew(names: list[str], folder: Path, limit: float) -> str:
    """Which of some tests fails in a process of its own, "import" if none begins."""
    if not names:
        return ""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit)))

    words = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--color=no"]
    words += ["-p", "no:cacheprovider", *names]
    try:
        found = subprocess.run(
            words,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=20 * limit,
            preexec_fn=limited,
        )
    except subprocess.TimeoutExpired:
        return names[0]
    if found.returncode in (0, 5):
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", found.stdout, re.MULTILINE)
    return failed[1] if failed else "import"


def some_of_each(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of each test the first, the last and one between, but of the laws over all rows all."""
    found: dict[str, list[pytest.Item]] = defaultdict(list)
    for each in items:
        name = each.nodeid if each.nodeid.startswith(WHOLE) else each.nodeid.partition("[")[0]
        found[name].append(each)
    return [
        group[index]
        for group in found.values()
        for index in sorted({0, len(group) // 2, len(group) - 1})
    ]


def in_turn(near: list[Ran]) -> list[Ran]:
    """Tests that are worth a run: one of each function before a second, the cheap first."""
    turns: dict[str, list[Ran]] = defaultdict(list)
    for each in sorted(near, key=lambda ran: ran.cost):
        turns[each.test.partition("[")[0]].append(each)
    ordered = [
        (turn, each.cost, each)
        for group in turns.values()
        for turn, each in enumerate(group[:: max(1, len(group) // EACH)][:EACH])
    ]
    found, total = [], 0.0
    for _, cost, each in sorted(ordered, key=lambda item: item[:2]):
        total += cost
        if total > CHEAP and found:
            break
        found.append(each)
    return found


def dear_tests(mutant: Mutant, near: list[Ran], dear: list[pytest.Item]) -> list[pytest.Item]:
    """The dear tests of the files that name most what a module defines, or that run it.

    One of each test stands first, that with the name of the changed function if there is one.
    """
    tree = ast.parse((ROOT / mutant.module).read_text())
    defined = {each.name for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    names = sorted({Path(mutant.module).stem, *defined} - {"__init__", "main"})
    named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    ran = Counter(each.test.partition("::")[0] for each in near)
    files = {each.nodeid.partition("::")[0] for each in dear}
    score = {
        name: found + ran[name]
        for name in files
        if (found := len(named.findall((ROOT / name).read_text()))) + ran[name]
    }
    best = sorted(score, key=lambda name: (-score[name], name))[:FILES]
    around = [
        each.name
        for each in functions((ROOT / mutant.module).read_text())
        if each.lineno <= mutant.line <= (each.end_lineno or 0)
    ]

    def place(item: pytest.Item) -> tuple[int, bool]:
        file, _, test = item.nodeid.partition("::")
        of = test.partition("[")[2].replace("-", "_")
        return best.index(file), not any(name in of for name in around)

    chosen = sorted((each for each in dear if each.nodeid.partition("::")[0] in best), key=place)
    first = {each.nodeid.partition("[")[0]: each for each in reversed(chosen)}
    return sorted(chosen, key=lambda each: first[each.nodeid.partition("[")[0]] is not each)


# What is known


def known(mutant: Mutant) -> str:
    """The reason why a mutant may survive, if it is listed."""
    for each in tomllib.loads(SURVIVORS.read_text())["survivor"]:
        here = each["module"] == mutant.module and each["line"] in mutant.text
        if here and re.search(each["operator"], mutant.operator):
            return str(each["reason"])
    return ""


def interval(dead: int, alive: int) -> tuple[float, float]:
    """Wilson's interval, of 95 %, for the share that is killed."""
    n, z = dead + alive, 1.96
    if not n:
        return 0.0, 1.0
    share, more = dead / n, z * z / n
    middle = (share + more / 2) / (1 + more)
    reach = z * math.sqrt(share * (1 - share) / n + more / (4 * n)) / (1 + more)
    return middle - reach, middle + reach


def show(found: list[tuple[Mutant, str]]) -> int:
    """Print the count of each room, and return 1 if too few are killed."""
    print("| room | mutants | killed | listed | survive |")
    print("|---|--:|--:|--:|--:|")
    whole = [0, 0, 0]
    for room in ROOMS:
        own = [
            0 if by else 1 if known(mutant) else 2 for mutant, by in found if mutant.room == room
        ]
        if own:
            dead, listed, alive = (own.count(kind) for kind in range(3))
            whole = [whole[0] + dead, whole[1] + listed, whole[2] + alive]
            print(f"| {room} | {len(own)} | {dead} | {listed} | {alive} |")
    dead, listed, alive = whole
    low, high = interval(dead, alive)
    print(
        f"\n{sum(whole)} mutants, {dead} killed, {alive} survived, {listed} listed; of those not "
        f"listed {dead / max(1, dead + alive):.1%} are killed (95 % interval {low:.1%} to "
        f"{high:.1%})",
        flush=True,
    )
    return 0 if dead >= BAR * (dead + alive) else 1


def read(path: Path | None) -> list[tuple[Mutant, str]]:
    """A record: each mutant, and what killed it."""
    text = path.read_text() if path is not None and path.exists() else ""
    said = [json.loads(line) for line in text.splitlines()]
    return [
        (Mutant(**{k: v for k, v in each.items() if k != "killed by"}), each["killed by"])
        for each in said
    ]


def write(path: Path, found: list[tuple[Mutant, str]]) -> None:
    said = [json.dumps(dataclasses.asdict(mutant) | {"killed by": by}) for mutant, by in found]
    path.write_text("".join(line + "\n" for line in said))


def today(mutant: Mutant) -> list[Mutant]:
    """The mutant of a record in the source of today, and others of the same line that may be it."""
    if mutant.module not in modules(mutant.room):
        return []
    same = [
        each
        for each in every_mutant(mutant.room, mutant.module)
        if (each.operator, each.text) == (mutant.operator, mutant.text)
    ]
    return sorted(same, key=lambda each: abs(each.occurrence - mutant.occurrence))


@functools.cache
def every_mutant(room: str, name: str) -> list[Mutant]:
    return list(mutants(room, name))


def found_again(mutant: Mutant) -> Mutant:
    """The first of `today`, or the end: nobody is to think that it was tried."""
    for found in today(mutant):
        return found
    raise SystemExit(f"{mutant}: no such line today; leave the record and draw anew")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="modules, as paths in the tree")
    parser.add_argument(
        "--tests", nargs="*", default=["tests"], help="which quick tests are asked, or FILE::TEST"
    )
    parser.add_argument("--no-dear", action="store_true", help="do not ask dear tests of survivors")
    parser.add_argument("--record", type=Path, help="JSON lines: what killed each mutant")
    parser.add_argument("--map", type=Path, help="which tests run what: kept there, and read")
    parser.add_argument("--again", action="store_true", help="try the survivors of the record")
    parser.add_argument(
        "--still", action="store_true", help="try what was killed on the test that killed it"
    )
    parser.add_argument("--show", action="store_true", help="print the counts of the record alone")
    given = parser.parse_args()
    earlier = given.again or given.still or given.show
    if earlier and (given.record is None or not given.record.is_file()):
        parser.error("--again, --still and --show need the --record of an earlier run")
    if given.again and given.still:
        parser.error("--again tries survivors, --still what was killed")
    if given.show:
        return show(read(given.record))
    if none := {*given.only} - {each for room in ROOMS for each in modules(room)}:
        parser.error(f"--only: no module of a room: {', '.join(sorted(none))}")
    for name in ("record", "map"):  # tests run in another folder
        if (path := getattr(given, name)) is not None:
            setattr(given, name, path.resolve())
    old = read(given.record) if earlier else []
    given.killers = []
    if given.again:
        chosen = [found_again(mutant) for mutant, by in old if not by and not known(mutant)]
    elif given.still:
        those = [(today(mutant), by) for mutant, by in old if by]
        chosen = [found[0] for found, _ in those if found]
        given.killers = [by for found, by in those if found]
        print(f"{len(those) - len(chosen)} of {len(those)} are of lines that are not there today")
    else:
        chosen = drawn(given.only, given.count, given.seed)
    if not chosen:
        return show(old)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tree(folder)
        tries = Tries(folder, chosen, given)
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        os.environ["PYTHONPATH"] = str(folder)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        # Ours is imported from the copy, not from here.
        for name in [each for each in sys.modules if each.partition(".")[0] == "dporacle"]:
            del sys.modules[name]
        quiet = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        out = os.dup(1)
        os.dup2(quiet, 1)
        by_name = any("::" in each for each in given.tests)
        pytest.main([*QUIET, *([] if by_name else [QUICK]), *given.tests], plugins=[tries])
        os.dup2(out, 1)
        os.chdir(ROOT)
        found = tries.found
        if len(found) < len(chosen):
            print((folder / "output.txt").read_text())
            return 2
    if given.again:
        kept = [(mutant, by) for mutant, by in old if by or known(mutant)]
        found = kept + found
        write(given.record, found)
    status = show(found)
    if given.still:  # what is not noticed any more has lost its test
        return int(any(not by and not known(mutant) for mutant, by in found))
    return status


if __name__ == "__main__":
    sys.exit(main())
