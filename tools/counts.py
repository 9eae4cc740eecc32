"""Count the kinds of thing that the project consists of: what one head has to hold.

Lines are not counted against anybody. A name with two meanings, a second judge and a function
without a contract are. `make counts` prints each beside what is asked of it; what is asked and not
met, and why, stands in `docs/contributing/counts.md`.
"""

import ast
import itertools
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
WITNESSES = ("reference", "fast", "enclosures")
WINGS = ("src/dporacle/wings", "fast/papers", "reference/papers")
"""Whole products, which the core does without."""
DEVELOPMENT = ("dev", "tools", "tests", "packages")


def tracked(*patterns: str) -> list[str]:
    """Files of the repository, by their paths from its root."""
    words = ["git", "ls-files", *patterns]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.split()


@cache
def _nodes(name: str) -> list[ast.AST]:
    """Return all that a file of Python consists of."""
    return list(ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))))


def names_twice() -> dict[str, list[str]]:
    """Public class names that stand for two classes or more, and where."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in tracked("src/*.py", "fast/*.py", "reference/*.py", "dev/*.py", "tools/*.py"):
        for node in _nodes(name):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{name}:{node.lineno}")
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def readers_of_a_run() -> list[str]:
    """Functions that look at a batch size and at a number of records, and do not just hand them on.

    Handed on is what an argument, a field or a key of the same name gets, and what is only asked
    for together with others: an element of a tuple.
    """
    found = []
    for name in tracked("src/*.py", "dev/*.py"):
        for node in _nodes(name):
            if isinstance(node, ast.FunctionDef) and looks_at(node, {"batch_size", "dataset_size"}):
                found.append(f"{name}:{node.lineno} {node.name}")
    return found


def looks_at(function: ast.AST, names: set[str]) -> bool:
    """Tell whether a function does more with each of these than to hand it on."""
    every = list(ast.walk(function))
    handed = {id(each) for one in every for each in _handed_on(one)}
    return names <= {_called(each) for each in every if id(each) not in handed}


def _called(node: ast.AST) -> str:
    """Return the name of a name or an attribute; empty of all else."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _handed_on(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is only handed on by a part of a program."""
    if isinstance(node, ast.keyword) and _called(node.value) == node.arg:
        yield node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == _called(value):
                yield value
    elif isinstance(node, ast.Tuple):
        yield from node.elts


def documents_of_a_run() -> list[str]:
    """Public classes that hold a whole run of the judge: what it found of each library."""
    found = []
    for name in tracked("src/*.py", "dev/*.py"):
        for node in _nodes(name):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                fields = {each.target for each in node.body if isinstance(each, ast.AnnAssign)}
                if "targets" in map(_called, fields):
                    found.append(f"{name}:{node.lineno} {node.name}")
    return found


def rooms() -> list[str]:
    """The files and folders of the package, which import one another along the drawing."""
    inside = {
        Path(name).relative_to("src/dporacle").parts[0] for name in tracked("src/dporacle/*.py")
    }
    linked = {path.name for path in (ROOT / "src/dporacle").iterdir() if path.is_symlink()}
    return sorted({Path(each).stem for each in inside | linked} - {"__init__"})


def judges() -> list[str]:
    """Enumerations that say how an answer compares with the truth: each has a judge."""
    found = []
    for name in tracked("src/*.py", "dev/*.py"):
        for node in _nodes(name):
            if isinstance(node, ast.ClassDef):
                members = {
                    target.id
                    for each in node.body
                    if isinstance(each, ast.Assign)
                    for target in each.targets
                    if isinstance(target, ast.Name)
                }
                if {"VIOLATING", "TIGHT"} <= members:
                    found.append(f"{name}:{node.lineno} {node.name}")
    return found


def without_rows() -> list[str]:
    """Functions of the witnesses that no row describes."""
    from dporacle.vocabulary.quantities import CONTRACTS
    from dporacle.vocabulary.witnesses import homes

    known = {row.function or row.name for row in CONTRACTS.values()}
    return sorted({name for each in WITNESSES for name in homes(each)} - known)


def lines(*, core: bool) -> int:
    """Lines of Python; of the core alone without wings, development and tests."""
    names = tracked("*.py")
    if core:
        names = [name for name in names if not name.startswith((*WINGS, *DEVELOPMENT))]
    return sum((ROOT / name).read_text(encoding="utf-8").count("\n") for name in names)


def comments() -> int:
    """Lines that are a comment, shebangs aside."""
    every = (ROOT / name for name in tracked("*.py"))
    words = (line.strip() for path in every for line in path.read_text("utf-8").splitlines())
    return sum(line.startswith("#") and not line.startswith("#!") for line in words)


def follow(command: list[str], value: Fraction) -> tuple[int, int]:
    """How many of our modules a command loads, and how often a number goes to another file.

    Args:
        command: its words.
        value: a number that stands in it once: calls that have it as an argument are followed.
    """
    places: list[tuple[str, str]] = []
    spelled = str(float(value))

    def has(thing: Any, depth: int = 0) -> bool:
        if isinstance(thing, (Fraction, float, str)):
            return thing in (value, float(value), spelled)
        if depth > 3 or isinstance(thing, type):
            return False
        inside: Iterator[Any] = iter(())
        if isinstance(thing, dict):
            inside = iter(list(thing.values())[:50])
        elif isinstance(thing, (list, tuple)):
            inside = iter(thing[:50])
        elif type(thing).__module__.startswith("dporacle"):
            own = getattr(type(thing), "__struct_fields__", ())
            own = own or getattr(type(thing), "__slots__", ()) or vars(thing)
            inside = (getattr(thing, name, None) for name in list(own)[:20])
        return any(has(each, depth + 1) for each in inside)

    def seen(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or "/dporacle/" not in name:
            return
        if any(part in name for part in ("/enclosures/", "/vocabulary/")):
            return
        place = name, frame.f_code.co_name
        if place not in places and any(map(has, list(frame.f_locals.values()))):
            places.append(place)

    from dporacle import cli

    sys.setprofile(seen)
    try:
        cli.main(command, prog_name="dporacle", standalone_mode=True)
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    moves = 1 + sum(one[0] != other[0] for one, other in itertools.pairwise(places))
    return sum(name.startswith("dporacle") for name in sys.modules), moves


def calls_before_a_formula() -> int:
    """How many of our functions wait for the first formula, where σ is asked in an array."""
    code = """
import sys
import dporacle.fast as fast
import numpy as np
fast.calibrate_sigma(epsilon=np.ones(3), delta=1e-5)
seen = []
def profile(frame, event, _):
    name = frame.f_code.co_filename
    if event == "call" and "/fast/gaussian/" in name and not seen:
        while frame:
            seen.append(frame.f_code.co_filename)
            frame = frame.f_back
sys.setprofile(profile)
fast.calibrate_sigma(epsilon=np.ones(3), delta=1e-5)
sys.setprofile(None)
print(sum("/dporacle/" in name for name in seen[1:]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def killed() -> int:
    """How many per cent of the recorded mutants a test notices, of those not listed, rounded down.

    Those are listed that no test can notice, with the reason.
    """
    from mutate import known, read

    found = read(ROOT / "tests" / "data" / "mutants.jsonl")
    asked = [bool(by) for mutant, by in found if by or not known(mutant)]
    return 100 * sum(asked) // len(asked)


def audited() -> tuple[int, int]:
    """Follow the σ of a claim through `dporacle audit`, in a program of its own."""
    audit = ["audit", "--epsilon", "1", "--delta", "1e-5", "--sigma", "3.73"]
    code = (
        "import contextlib, io; from fractions import Fraction; import counts\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    found = counts.follow({audit}, Fraction('3.73'))\n"
        "print(*found)"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT / "tools")
    modules, moves = map(int, done.stdout.split())
    return modules, moves


def main() -> None:
    """Print a line for each count: what it is, what is asked, and of what."""
    modules, moves = audited()
    rows = (
        (len(names_twice()), "0", "public class names with two meanings"),
        (len(readers_of_a_run()), "1", "places that read a batch size with a number of records"),
        (len(judges()), "1", "scales of outcomes, each with a judge"),
        (len(documents_of_a_run()), "1", "sets of types for a run of the judge"),
        (len(without_rows()), "0", "functions of the witnesses without a row"),
        (modules, "≤ 60", "modules of ours in an audit"),
        (moves, "≤ 30", "changes of file by its σ"),
        (calls_before_a_formula(), "≤ 6", "calls before a formula, of an array of σ"),
        (len(rooms()), "≤ 30", "rooms of the package"),
        (killed(), "≥ 95", "per cent of the recorded mutants are killed, of those not listed"),
        (lines(core=True), "", "lines of the core, without wings, development and tests"),
        (lines(core=False), "", "lines of Python"),
        (len(tracked("*.py")), "", "files of Python"),
        (comments(), "", "lines of comment"),
    )
    for number, asked, words in rows:
        print(f"{number:7d}  {f'asked {asked}' if asked else '':10}  {words}")


if __name__ == "__main__":
    main()
