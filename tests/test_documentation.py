"""The pages say what happens: snippets are run, printed outputs compared, links followed."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import types
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import dporacle
from dporacle import cli

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = [
    ".",
    "docs",
    "docs/contributing",
    "docs/tours",
    "packages",
    "proofs_notes",
    "proofs_notes/coq",
    "vectors",
]
PAGES = sorted(page for folder in _FOLDERS for page in (ROOT / folder).glob("*.md"))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_RESULT = re.compile(r"^(\w.*?)  # ([\d.]+|[A-Z]+)$", re.MULTILINE)
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A fenced block of a page."""

    page: Path
    language: str
    text: str
    line: int

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def _snippets(page: Path) -> list[Snippet]:
    text = page.read_text("utf-8")
    return [
        Snippet(page, found[1], found[2], text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    ]


SNIPPETS = [snippet for page in PAGES for snippet in _snippets(page)]


def written(*languages: str) -> list[Any]:
    return [pytest.param(s, id=s.name) for s in SNIPPETS if s.language in languages]


def _sessions(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not parts[0].strip(), "a console snippet begins with a command"
    return [tuple(part.partition("\n")[::2]) for part in parts[1:]]  # type: ignore[misc]


SHELL = frozenset("|&;<>$`*\\\n")
"""What makes a line of a page more than one command and its words."""


def printed(command: str) -> str:
    """Return what a line prints: a command of ours in this process, which shares proofs."""
    own = {"COLUMNS": "80", "NO_COLOR": "1"}
    command = command.replace(".venv/bin/", "")
    if command.startswith("dporacle ") and SHELL.isdisjoint(command):
        with contextlib.chdir(ROOT):
            found = CliRunner(env=own).invoke(cli.main, shlex.split(command)[1:])
        assert found.exception is None or isinstance(found.exception, SystemExit), found.output
        assert found.exit_code in {0, 1}, found.stderr
        return found.stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env=os.environ | own | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


@pytest.mark.thorough("every command of the pages is run")
@pytest.mark.parametrize("snippet", written("console"))
def test_console(snippet: Snippet) -> None:
    """`…` alone stands for any lines, `…` in a line for any text."""
    for command, expected in _sessions(snippet.text):
        out = printed(command)
        pattern = "".join(
            r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"[ ]*\n"
            for line in expected.splitlines()
        )
        assert re.fullmatch(pattern, out), f"{command}\n{out}"


class _Library(types.ModuleType):
    """Stands for the library that a reader has."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.sigma = self.gaussian_sigma = self._sigma
        self._generator = np.random.default_rng(1)

    @staticmethod
    def _sigma(**given: float) -> Any:
        return dporacle.calibrate_sigma(**given, exact=True)

    def noise(self, rows: int, dimension: int) -> Any:
        return self._generator.normal(scale=3.0, size=(rows, dimension))


@pytest.mark.parametrize("snippet", written("python"))
def test_python(snippet: Snippet, monkeypatch: pytest.MonkeyPatch) -> None:
    library = _Library("mylib")
    monkeypatch.setitem(sys.modules, "mylib", library)
    names: dict[str, Any] = {"my_library": library, "__name__": snippet.name, "pytest": pytest}
    names["dporacle"] = dporacle
    text = snippet.text
    if text.startswith("@"):
        text += "def test_of_the_reader(dporacle_vector): ...\n"  # a decorator alone is shown
    exec(compile(text, snippet.name, "exec"), names)
    for shown, said in _RESULT.findall(text):
        assert str(eval(shown, names)) == said, shown
    for name, test in names.items():
        if name.startswith("test_sigma"):
            asked: list[Any] = []
            test(types.SimpleNamespace(call=asked.append))
            (function,) = asked
            function(epsilon=1.0, delta=1e-5)


@pytest.mark.parametrize("snippet", written("sh"))
def test_commands_exist(snippet: Snippet) -> None:
    """What is too long to be run has at least the commands and options that it shows."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in snippet.text.splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        program = Path(words[0]).name
        if program == "make":
            assert set(words[1:]) <= targets
        elif program == "dporacle":
            command = cli.main.get_command(click.Context(cli.main), words[1])
            assert command is not None, line
            known = {name for each in command.params for name in each.opts}
            used = {word.partition("=")[0] for word in words[2:] if word.startswith("-")}
            assert used <= known, line
        elif program.startswith("python") and words[1].endswith(".py"):
            assert (ROOT / words[1]).is_file(), line
        else:
            assert program in {"python", "python3", "pip", "pytest", "git"}, line


@pytest.mark.parametrize("snippet", written("json", "toml", "yaml"))
def test_data(snippet: Snippet) -> None:
    if snippet.language == "toml":
        tomllib.loads(snippet.text)
    elif snippet.language == "yaml":
        assert yaml.safe_load(snippet.text)
    else:
        for line in re.split(r"\n(?=\{)", snippet.text.strip()):
            json.loads(line)


def test_every_snippet_is_of_a_kind_that_is_tested() -> None:
    tested = {"console", "python", "sh", "json", "toml", "yaml", ""}
    assert [s.name for s in SNIPPETS if s.language not in tested] == []


@cache
def _anchors(page: Path) -> frozenset[str]:
    text = _FENCE.sub("", page.read_text("utf-8"))
    return frozenset(_anchor(heading) for heading in _HEADING.findall(text))


def _anchor(heading: str) -> str:
    kept = (
        letter
        for letter in heading.strip().lower()
        if letter in " -_" or unicodedata.category(letter)[0] in "LN"
    )
    return "".join(kept).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert not re.search("^(<<<<<<<|>>>>>>>)", page.read_text("utf-8"), re.M), "an unfinished merge"
    for link in _LINK.findall(_FENCE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in _anchors(target), link
