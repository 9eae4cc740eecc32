"""The Coq development compiles from nothing and rests on the axioms that are expected."""

import re
from importlib import resources
from pathlib import Path

import pytest

from dporacle.wings.coq import development
from dporacle.wings.coq.checking import MACHINE_INTEGERS, REALS, axioms

FOLDER = resources.files("dporacle.wings.coq") / "theories"


def test_assumptions(compiled: Path, tmp_path: Path) -> None:
    file = tmp_path / "Assumptions.v"
    file.write_text((FOLDER / "Assumptions.v").read_text())
    done = development.run(file, development=compiled, seconds=300)
    assert done.returncode == 0, done.stderr
    pure, fast = (axioms("Axioms:" + text) for text in done.stdout.split("Axioms:")[1:])
    assert pure == REALS
    others = fast - REALS
    assert fast >= REALS
    assert others
    assert all(name.startswith(MACHINE_INTEGERS) for name in others)


def test_an_axiom_would_be_seen(compiled: Path, tmp_path: Path) -> None:
    file = tmp_path / "More.v"
    file.write_text(
        "From Dporacle Require Import Theorem8.\n"
        "Axiom more : False.\n"
        "Definition both := (theorem8, more).\n"
        "Print Assumptions both.\n"
    )
    done = development.run(file, development=compiled, seconds=300)
    assert axioms(done.stdout) == REALS | {"more"}


def test_nothing_is_admitted() -> None:
    texts = development.sources()
    assert len(texts) > 10
    for name, text in texts.items():
        assert not re.search(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Conjecture)\b", text), name


def test_every_file_is_part_of_the_development() -> None:
    files = {file.name for file in FOLDER.iterdir() if file.name.endswith(".v")}
    assert files == {*development.sources(), "Assumptions.v"}


def test_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "Large.v"
    file.write_text("Definition large := Eval vm_compute in List.length (List.seq 0 4000000).\n")
    monkeypatch.setattr(development, "_MEMORY", 300_000)
    done = development.run(file, development=tmp_path, seconds=60)
    assert done.returncode != 0
    assert "memory" in done.stderr
