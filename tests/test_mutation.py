"""A mutant of a sample: the command makes it, and the tests kill it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.thorough("a mutant is tried by a test run of its own")
def test_a_mutant_is_killed():
    words = ["--sample", "1", "--seed", "7", "--only", "src/dporacle/enclosures/conversions.py"]
    found = subprocess.run(
        [sys.executable, ROOT / "tools/mutate.py", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "1 mutants" in found.stdout
    assert ", 0 survived" in found.stdout
    # By the first tests of its function: those run on the changed module, and on no other.
    assert ", by tests/test_every_formula.py" in found.stdout
