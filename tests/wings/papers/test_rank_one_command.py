"""`dporacle rank-one`: refusals, JSON, and the picture's arguments."""

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from click.testing import CliRunner
from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.wings.papers.commands.rank_one import rank_one


def run(*words):
    return CliRunner().invoke(rank_one, words)


def test_help_lines_are_whole():
    shown = run("--help").output.partition("Commands:")[2]
    assert "..." not in shown
    assert all(name in shown for name in rank_one.commands)


def test_simulation_as_json(monkeypatch):
    monkeypatch.setattr("dporacle.wings.papers.commands.rank_one._executor", ThreadPoolExecutor)
    result = run("simulate", "--dimension", "10", "--samples", "1000", "--json")
    found = json.loads(result.stdout)
    assert found["samples"] == 1000
    assert found["sigma_star"] == pytest.approx(38.43, rel=0.5)
    assert 0 <= found["low"] <= found["high"] <= 1


def test_private_as_json():
    where = {"epsilon": 1, "delta": Fraction(1, 10**5)}
    result = run("private", "--dimension", "3", "--dimension", "5", "--digits", "5", "--json")
    rows = json.loads(result.stdout)["rows"]
    assert [row["dimension"] for row in rows] == [3, 5]
    for row in rows:
        low, high = row["private"]
        exact = enclosures.rank_one_private_sigma_star(**where, dimension=row["dimension"])
        sigma = enclosures.calibrate_sigma(**where)
        with precision(128):
            assert arb(low) <= exact <= arb(high)
            least, most = row["gaussian"]
            assert arb(least) <= row["dimension"] * sigma * sigma <= arb(most)
