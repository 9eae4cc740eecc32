"""Claims about black boxes: true ones are not refuted, false ones are, by whatever is callable.

A true claim is refuted with probability 1e-9 at most in each run.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dporacle import fast, reference
from dporacle.cli import main
from dporacle.wings import samplers
from dporacle.wings.samplers import Gaussian, Laplace, likely_event, refute

ROOT = Path(__file__).parents[3]
SIGMA = 1.5


def releases(value, count, seed=0, scale=SIGMA):
    return value + scale * np.random.default_rng([seed, int(value)]).standard_normal(count)


def mean_of_two(value, count):
    """Return releases of two coordinates, of which each tells half of what both do."""
    noise = np.random.default_rng([5, int(value)]).standard_normal((count, 2))
    return value / math.sqrt(2) + SIGMA * noise


def test_a_release_that_is_no_number_is_an_event_as_any_other():
    for strange in (math.nan, math.inf, -math.inf):
        pair = [np.round(releases(v, 4000), 6) for v in (0.0, 1.0)]
        pair[0][::5] = strange
        found = refute(*pair, epsilon=1.0, delta=0.05)
        assert found.refuted
        assert "no finite number" in found.event
        pair[1][::5] = strange  # as often of both: nothing follows
        assert not refute(*pair, epsilon=1.5, delta=0.1).refuted
        tight = samplers.float_leak(*pair, distance=1.0, epsilons=[1.5])
        assert tight[0].delta < 0.1
        pair[1][::5] = 0.5
        (leak,) = samplers.float_leak(*pair, distance=1.0, epsilons=[1.5])
        assert leak.delta > 0.05


def test_true_claims_are_not_refuted():
    for epsilon in (0.0, 0.5, 2.0):
        delta = float(fast.delta_at_epsilon(epsilon=epsilon, sigma=SIGMA, sensitivity=1))
        for seed in range(3):
            # On a grid, so that the low bits give nothing away.
            pair = [np.rint(releases(v, 20_000, seed) * 2**20) / 2**20 for v in (0.0, 1.0)]
            assert not refute(*pair, epsilon=epsilon, delta=delta).refuted


def test_false_claims_are_refuted_and_the_bound_is_near():
    pair = [np.rint(releases(v, 60_000) * 2**20) / 2**20 for v in (0.0, 1.0)]
    exact = float(fast.delta_at_epsilon(epsilon=0.2, sigma=SIGMA, sensitivity=1))
    found = refute(*pair, epsilon=0.2, delta=exact / 2)
    assert found.refuted
    assert exact / 2 < found.bound < exact
    assert found.needed is not None
    assert found.needed < 120_000
    swapped = refute(*reversed(pair), epsilon=0.2, delta=exact / 2)
    assert swapped.refuted


def test_the_optimal_event_of_a_known_law_takes_all_releases():
    law, shift = Gaussian(sigma=SIGMA), np.ones(1)
    event = likely_event(law, shift, 0.0, 0.2)
    pair = [releases(v, 30_000, seed=3) for v in (0.0, 1.0)]
    exact = float(fast.delta_at_epsilon(epsilon=0.2, sigma=SIGMA, sensitivity=1))
    found = refute(*pair, epsilon=0.2, delta=exact / 2, event=event)
    assert found.refuted
    assert found.draws == (30_000, 30_000)
    assert "privacy loss ≥ 0.2" in found.event
    laplace = likely_event(Laplace(scale=1.0), np.array([2.0]), 5.0, 1.0)
    assert laplace.members(np.array([[5.0], [7.0]])).tolist() == [True, False]


def test_vectors_are_told_apart_along_their_difference():
    pair = [mean_of_two(v, 40_000) for v in (0.0, 3.0)]
    exact = float(fast.delta_at_epsilon(epsilon=0.5, sigma=SIGMA, sensitivity=3))
    found = refute(*pair, epsilon=0.5, delta=exact / 2)
    assert found.refuted
    assert found.bound > 0.9 * exact


def test_low_bits_are_found_without_being_looked_for():
    pair = [releases(v, 20_000, seed=1) for v in (0.0, 1.0)]
    found = refute(*pair, epsilon=3.0, delta=0.01)
    assert found.refuted
    assert "lowest bit" in found.event


def test_what_it_would_take_is_said():
    """σ 1 % too small for (1, 1e-5): an event takes 10¹⁰ draws or so, the scale test 5·10⁵."""
    sigma = 0.99 * float(fast.calibrate_sigma(epsilon=1, delta=1e-5))
    ((first, second),) = Gaussian(sigma=sigma).loss_tails(np.ones(1), [1.0])
    needed = samplers.needed_draws(first=first[0], second=second[0], epsilon=1.0, delta=1e-5)
    assert 1e9 < needed < 1e13
    assert samplers.plan(0.01) < 1e6
    pair = [releases(v, 4_000, seed=2, scale=50.0) for v in (0.0, 1.0)]
    assert refute(*pair, epsilon=1.0, delta=0.9).needed is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"delta": 2.0}, "delta must be"),
        ({"budget": 0.0}, "budget must be"),
        ({"second": np.zeros((9, 2))}, "rows of one length"),
        ({"second": np.zeros((2, 2, 2))}, "second must be a table"),
        ({"first": np.zeros(3)}, "at least 8 releases"),
    ],
)
def test_what_is_no_claim_or_no_sample_is_refused(changed, words):
    given = {"first": np.zeros(9), "second": np.zeros(9), "epsilon": 1.0, "delta": 0.1}
    with pytest.raises(ValueError, match=words):
        refute(**given | changed)


def run(*words):
    return CliRunner().invoke(main, ["events", *words])


CLAIM = ["--epsilon", "0.2", "--delta", "0.01", "--releases", "60000", "--json"]


def test_command_on_a_callable():
    found = run(*CLAIM, "--callable", f"{__name__}:releases")
    assert found.exit_code == 1, found.output
    said = json.loads(found.stdout)
    assert said["refuted"]
    assert said["bound"] > 0.01
    known = run(*CLAIM, "--callable", f"{__name__}:releases", "--law", "gaussian", "--sigma", "1.5")
    assert known.exit_code == 1
    true = run("--epsilon", "0.2", "--delta", "0.9", "--callable", f"{__name__}:releases")
    assert true.exit_code == 0
    assert "not refuted" in true.stdout
    assert "does not break the claim" in true.stdout


def test_command_on_files(tmp_path):
    paths = []
    for value in (0.0, 1.0):
        np.save(tmp_path / f"{value}.npy", releases(value, 60_000))
        paths.append(str(tmp_path / f"{value}.npy"))
    found = run(*CLAIM[:-1], "--file", *paths)
    assert found.exit_code == 1
    assert "REFUTED: with confidence 0.999999999 these counts support δ ≥ " in found.stdout
    assert "needed       about" in found.stdout
    assert "those of each are independent" in found.stdout
    joint = run(*CLAIM, "--joint", "--file", *paths)
    both = [json.loads(each) for each in (joint.stdout, run(*CLAIM, "--file", *paths).stdout)]
    assert both[0]["bound"] > both[1]["bound"]
    assert [each["joint"] for each in both] == [True, False]
    ids = [[each["id"] for each in one["proved_under"]] for one in both]
    assert ids == [["joint-counted-releases", "confidence"], ["counted-releases", "confidence"]]


@pytest.mark.parametrize(
    ("hits", "draws", "epsilon", "budget"),
    [((60, 2), (100, 90), 1.0, 0.05), ((900, 10), (1000, 1000), 1.0, 1e-9)],
)
def test_both_rates_at_once_bound_delta_where_their_p_value_is_the_budget(
    hits, draws, epsilon, budget
):
    found = samplers.events.joint_delta(hits, draws, epsilon, budget)
    names = ("false_positives", "negatives", "false_negatives", "positives")
    counts = dict(zip(names, (hits[1], draws[1], draws[0] - hits[0], draws[0]), strict=True))
    for delta, refuted in ((found, True), (found * 1.0001, False)):
        p_value = reference.audit_joint_p_value(**counts, epsilon=epsilon, delta=delta, digits=20)
        assert (p_value <= budget) == refuted
    assert samplers.events.joint_delta((3, 3), draws, epsilon, budget) == 0


def test_command_on_a_program():
    command = f"{sys.executable} {ROOT / 'examples' / 'sampler.py'}"
    words = ["--adapter", command, "--parameter", "sigma=1.5", "--epsilon", "3", "--delta", "0.01"]
    found = run(*words, "--releases", "20000", "--json")
    assert found.exit_code == 1, found.output  # its low bits give the value away
    assert "lowest bit" in json.loads(found.stdout)["event"]
    failed = run("--adapter", command, "--epsilon", "3", "--delta", "0.01", "--releases", "50")
    assert failed.exit_code == 3
    assert "sigma" in failed.stderr


def leaves(value, count):
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--values", "nan", "1"], "--values must be finite"),
        (["--values", "0", "inf"], "--values must be finite"),
        (["--values", "1", "1"], "two different answers"),
        (["--parameter", "sigma=3"], "--parameter is read with --adapter alone"),
        (["--sampler", "x"], "--sampler is read with --adapter alone"),
        (["--sigma", "3"], "--sigma is read with --law alone"),
        (["--epsilon", "800"], "epsilon must be at most 700"),
    ],
)
def test_what_nothing_reads_and_what_is_no_answer_is_refused(more, words):
    found = run(*CLAIM, "--callable", f"{__name__}:releases", *more)
    assert found.exit_code == 2, found.output
    assert words in found.stderr


def test_a_function_that_ends_the_process_is_no_success():
    found = run(*CLAIM, "--callable", f"{__name__}:leaves")
    assert found.exit_code == 3
    assert "the function failed: SystemExit" in found.stderr


def test_a_module_that_ends_the_process_is_no_success(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module_that_ends.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = run(*CLAIM, "--callable", "module_that_ends:release")
    assert found.exit_code == 2, found.output
