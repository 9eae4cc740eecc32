"""The published theorem, its verdicts and the command that prints them: JL24.T1, JL24.T2."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict
from dporacle.wings.papers.commands.rank_one import DELTAS, DIMENSIONS, EPSILONS, rank_one
from dporacle.wings.papers.rank_one import judge_rank_one_claim
from support.rank_one import published, sizes
from support.strategies import powers


@pytest.mark.statement("JL24.T2")
@given(dimension=st.one_of(st.just(3), sizes), epsilon=powers(-9, 2), delta=powers(-100, -0.001))
def test_the_published_loss_falls_with_the_dimension_to_its_limit(dimension, epsilon, delta):
    size = min(dimension, 10**9 - 1)
    one, other = (
        enclosures.rank_one_sigma_star(epsilon=epsilon, delta=delta, dimension=each, digits=30)
        for each in (size, size + 1)
    )
    assert other < one
    assert rounding.side(other, 2 / Fraction(epsilon)) > 0


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.statement("JL24.T1")
@pytest.mark.parametrize("exact", [False, True])
def test_certificates_and_the_exact_profile_give_the_same_verdict(exact):
    for size in DIMENSIONS:
        for delta, epsilon in ((DELTAS[0], EPSILONS[0]), (DELTAS[1], EPSILONS[3]), ("0.9", "2")):
            found = judge_rank_one_claim(
                epsilon=Fraction(epsilon), delta=Fraction(delta), dimension=size, exact=exact
            )
            side = rounding.side(
                published(size, Fraction(epsilon), Fraction(delta)), Fraction(delta)
            )
            assert found.verdict == (Verdict.VIOLATED if side > 0 else Verdict.HOLDS)
            assert exact == (found.certificate == "exact profile") or not exact


@pytest.mark.statement("X.R1.LEMMA")
def test_case_study_is_refuted_by_the_one_liner():
    found = judge_rank_one_claim(epsilon=Fraction("1e-5"), delta=Fraction("1e-7"), dimension=7921)
    assert found.verdict is Verdict.VIOLATED
    assert found.ratio == 2
    assert rounding.side(found.enclosure, Fraction("5.93e-4")) > 0


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.statement("JL24.T1")
def test_commands(tmp_path, monkeypatch):
    runner = CliRunner()
    options = ["--dimension", "7921", "--epsilon", "1e-5", "--delta", "1e-7"]
    result = runner.invoke(rank_one, ["verdict", *options])
    assert result.exit_code == 1
    assert "VIOLATED" in result.output
    result = runner.invoke(rank_one, ["verdict", *options, "--exact", "--json"])
    assert json.loads(result.output)["enclosure"][0].startswith("0.2166416095619367751070")
    monkeypatch.setattr("dporacle.wings.papers.commands.rank_one.DIMENSIONS", (3, 10))
    monkeypatch.setattr("dporacle.wings.papers.commands.rank_one.DELTAS", ("1e-5",))
    monkeypatch.setattr("dporacle.wings.papers.commands.rank_one._executor", ThreadPoolExecutor)
    file = tmp_path / "table.jsonl"
    result = runner.invoke(rank_one, ["table", "--output", str(file)])
    assert result.exit_code == 0, result.output
    lines = file.read_text().splitlines()
    assert len(lines) == 2 * len(EPSILONS)
    file.write_text("\n".join(lines[:3]) + "\n{cut off")
    result = runner.invoke(rank_one, ["table", "--output", str(file)])
    assert result.exit_code == 0, result.output
    assert "0.12764706315398434115" in result.output
    result = runner.invoke(rank_one, ["simulate", *options, "--samples", "100000"])
    assert result.exit_code == 0, result.output
    assert re.search(r"δ\(ε\)       in \[0\.(19|2)", result.output)
