"""Commands that make no sense: the status, and what is named; each in a folder with a few files."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from dporacle.cli import main
from support.cases import rows


@pytest.mark.parametrize(("status", "line", "named"), rows("refused_commands"))
def test_what_makes_no_sense_is_named(tmp_path, monkeypatch, status, line, named):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "a.parquet"):
        Path(name).write_text("epsilon,sigma\n1,2\n")
    found = CliRunner().invoke(main, shlex.split(line))
    assert found.exit_code == status, found.output
    told = " ".join(re.sub("[│╭╮╰╯─]", " ", found.output).split())
    assert named in told.rpartition("Error")[2]
