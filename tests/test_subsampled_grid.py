"""A sample of the grid of realistic DP-SGD settings (X.SG.INVERSE)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GRID = Path(__file__).parents[1] / "tools" / "dpsgd_grid.py"


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.statement("X.SG.INVERSE")
def test_a_sample_of_the_grid_is_enclosed(tmp_path):
    rows = tmp_path / "rows"
    command = [sys.executable, str(GRID), "--sample", "12", "--seed", "3", "--rows", str(rows)]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stdout
    assert " 0 failures" in first.stdout.splitlines()[-1]
    assert len(rows.read_text().splitlines()) == 24
    # what is in the file is not computed again
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout.splitlines() == first.stdout.splitlines()[-1:]
