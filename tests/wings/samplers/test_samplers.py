"""The audit of samplers: specimens, null runs, sketches, sources, executors.

Statistical tests run once, with fixed seeds. A correct sampler is accused with probability at
most 1e-9 in each audit, whatever its length; the specimens' numbers of rows have several times
the draws at which the power for their fault passes 0.99.
"""

import inspect
import json
import math
import os
import re
import signal
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dporacle import fast, reference
from dporacle.cli import main
from dporacle.dev.specimens import null_audits
from dporacle.dev.specimens.samplers import CORRECT, FAULTY, OTHERS
from dporacle.wings import samplers
from dporacle.wings.samplers import Batch, DiscreteGaussian, Gaussian, audit, take
from dporacle.wings.samplers.checkpoint import AuditState
from dporacle.wings.samplers.commands.sample import _values
from dporacle.wings.samplers.decision import decide, deciding, supported_scales
from dporacle.wings.samplers.evidence import PROCESSES, log_mean, scale_evidence
from dporacle.wings.samplers.powers import (
    FAULTS,
    NUMBERS,
    ONE_SEED,
    REQUESTS,
    SEEDED,
    SHORT,
    _closer,
)
from dporacle.wings.samplers.repeats import KEPT

LAW = Gaussian(sigma=3.0)
EXAMPLE = f"{sys.executable} {Path(__file__).parents[3] / 'examples' / 'sampler.py'}"

HOSTILE = [math.nan, math.inf, -math.inf, 1e308, -1e308, 1e160, 5e-324, -0.0, 0.3, 10**400]
HOSTILE_LAWS = [*{repr(s.law): s.law for s in CORRECT}.values(), DiscreteGaussian(sigma=5000.0)]


def run(*words):
    return CliRunner().invoke(main, ["sample", *words])


def naive(batch):
    return 3.0 * batch.generator().standard_normal((batch.rows, batch.dimension))


def small(batch):
    return 0.99 * naive(batch)


def audited(specimen, limit, seed):
    return audit(
        law=specimen.law, source=specimen.source, limit=limit, seed=seed, values=specimen.values
    )


def test_a_narrow_terminal_gets_the_same_words_and_a_claim_to_copy(tmp_path: Path) -> None:
    """Two-sided geometric noise is no Laplace noise: a claim that would do is told on one line."""
    drawn = np.random.default_rng(1).geometric(0.4, (2, 60_000))
    np.save(tmp_path / "grid.npy", (drawn[0] - drawn[1]).astype(float))
    words = ["sample", "--file", str(tmp_path / "grid.npy"), "--law", "laplace", "--scale", "2"]
    runner = CliRunner()
    wide, narrow = (runner.invoke(main, words, env={"COLUMNS": n}).stdout for n in ("999", "60"))
    assert max(map(len, narrow.splitlines())) <= 60
    assert narrow.split() == wide.split()
    claim = "--law discrete-laplace --scale "
    assert claim in wide
    assert any(claim in line for line in narrow.splitlines())


@pytest.mark.parametrize("specimen", FAULTY, ids=lambda s: s.name)
def test_faulty_samplers_are_convicted_by_their_fault(specimen):
    found = audited(specimen, specimen.rows, 1)
    assert found.conformance.convicted
    evidence = {each.process.name: each for each in found.conformance.evidence}
    # What convicts the specimen is what is wrong with it, to a tenth of the evidence.
    assert evidence[specimen.process].log10 >= 0.9 * found.conformance.needed
    assert found.faults
    if specimen.private:
        assert privacy_in_all(specimen, found, specimen.private).convicted
    elif not evidence[specimen.process].process.private:
        assert not found.privacy.convicted


def privacy_in_all(specimen, found, rows):
    """An audit ends as soon as another law is shown; too little privacy may take all the rows."""
    sketch, law, generator = found.sketch, specimen.law, np.random.default_rng(0)
    size = 32_768 // law.dimension
    while not decide(sketch, law)[0].convicted and sketch.rows < rows:
        index = sketch.batches
        value = specimen.values[index % len(specimen.values)]
        batch = Batch(index, sketch.rows, size, law.dimension, 1, value=value)
        sketch = sketch + take(specimen.source(batch), law, generator=generator, value=value)
    return decide(sketch, law)[0]


@pytest.mark.parametrize("specimen", OTHERS, ids=lambda s: s.name)
def test_another_law_that_is_no_less_private_is_no_loss_of_privacy(specimen):
    """The evidence for a loss is an e-process of these too: it reaches 20 in one run of 20."""
    found = audited(specimen, 200_000, 5)
    assert found.conformance.convicted
    assert not found.privacy.convicted
    privacy = privacy_in_all(specimen, found, 300_000)
    assert not privacy.convicted
    assert privacy.log10 < math.log10(20)


@pytest.mark.parametrize("specimen", CORRECT, ids=lambda s: s.name)
def test_correct_samplers_are_not_accused(specimen):
    limit = 100_000 // specimen.law.dimension
    found = audited(specimen, limit, 11)
    assert not found.convicted
    assert found.sketch.rows == limit


@pytest.mark.thorough("millions of draws")
def test_evidence_of_the_truth_stays_within_ville():
    """E ≥ 20 somewhere in at most 5 % of the runs, and E ≥ 1000 in at most 0.1 % (Ville).

    Were the bounds met with equality, more than 36 and more than 6 of 300 would have probability
    below 1e-5.
    """
    assert stats.binom.sf(36, 300, 0.05) < 1e-5
    assert stats.binom.sf(6, 300, 0.001) < 1e-5
    law = Gaussian(sigma=1.0, dimension=2)
    highest = {process.name: [] for process in PROCESSES}
    for run in range(300):
        generator = np.random.default_rng([20180516, run])
        looks, sketch = [], None
        for _ in range(5):
            part = take(generator.standard_normal((40, 2)), law, generator=generator)
            sketch = part if sketch is None else sketch + part
            looks.append(sketch)
        for process in PROCESSES:
            best = max(process.log_evidence(look, law) for look in looks)
            highest[process.name].append(best)
    for name, found in highest.items():
        assert sum(e >= math.log(20) for e in found) <= 36, name
        assert sum(e >= math.log(1000) for e in found) <= 6, name


def test_null_audits_give_no_alarm_and_levels_as_theory_says():
    """110 audits of 11 correct samplers.

    A false alarm has probability 1e-9 in each; a count as far from its exact expectation as 1e-6
    allows, 15 counts: 1.5e-5 in all.
    """
    runs = list(null_audits.null_runs(range(110), numbers=4096, batch=2048, seed=77))
    assert {run.name for run in runs} == {each.name for each in CORRECT}
    assert not any(run.found.convicted for run in runs)
    levels = null_audits.exact_levels([run.found.sketch for run in runs])
    assert len(levels) == 15
    for each in levels:
        assert each.chance > 1e-6, each
    assert any(10 < each.expected < 100 for each in levels)


def test_evidence_of_a_wrong_law_is_not_as_theory_says():
    law = Gaussian(sigma=1.0)
    sketches = [
        take(1.02 * law.draw(4096, rng), law, generator=rng)
        for rng in map(np.random.default_rng, range(60))
    ]
    assert min(each.chance for each in null_audits.exact_levels(sketches)) < 1e-9


def test_the_history_of_a_long_audit_is_short():
    state = AuditState({})
    state._sketch = take(np.zeros((1, 1)), LAW, generator=np.random.default_rng(0))
    for _ in range(40_000):
        state.done += 1
        state.note(0.0, 0.0)
    assert 256 <= len(state.history) <= 512


def test_expected_evidence_is_one_by_quadrature():
    """E[E] = 1 under the claim: the scale mixture over χ² of 3 numbers, integrated."""
    grid = np.linspace(1e-9, 400, 400_001)
    values = [math.exp(min(scale_evidence(s, 3, small=False), 700)) for s in grid[::400]]
    weights = stats.chi2.pdf(grid[::400], 3)
    assert np.trapezoid(values * weights, grid[::400]) <= 1.001


@settings(max_examples=20)
@given(st.integers(1, 5), st.integers(2, 60), st.integers(1, 59), st.integers(0, 2**32))
def test_sketches_add_up(dimension, rows, cut, seed):
    law = Gaussian(sigma=2.0, dimension=dimension)
    drawn = law.draw(rows, np.random.default_rng(seed))
    cut = min(cut, rows - 1)
    generator = np.random.default_rng(0)
    whole = take(drawn, law, generator=generator)
    parts = take(drawn[:cut], law, generator=generator) + take(
        drawn[cut:], law, generator=generator
    )
    for name in ("sums", "squares", "projected"):
        assert np.allclose(getattr(whole, name), getattr(parts, name), rtol=1e-12, atol=1e-12)
    for name in ("cells",):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    for name in ("rows", "zeros", "pairs", "equal", "short", "largest", "finest", "releases"):
        assert getattr(whole, name) == getattr(parts, name)
    for name in ("each", "decimal"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.gap <= parts.gap  # that of two draws in different parts may be less
    assert parts.couples <= whole.couples
    assert (parts.joint <= whole.joint).all() or parts.echoed.any()
    assert (parts.previous <= whole.previous).all()


def test_a_sketch_is_as_long_after_many_draws_as_after_few():
    law = Gaussian(sigma=1.0, dimension=4)
    generator = np.random.default_rng(1)
    few = take(law.draw(20_000, generator), law, generator=generator)
    many = few
    for _ in range(20):
        many = many + take(law.draw(20_000, generator), law, generator=generator)
    sizes = [
        sum(np.asarray(v).nbytes for k, v in vars(s).items() if k not in ("seen", "copies"))
        for s in (few, many)
    ]
    assert sizes[0] == sizes[1]
    assert len(few.repeats[0].seen) == 80_000
    assert len(many.repeats[0].seen) == len(many.repeats[0].copies) == KEPT


@settings(max_examples=60)
@given(st.floats(0.3, 3000), st.integers(-5, 5))
def test_atoms_of_the_discrete_law_agree_with_the_reference(sigma, k):
    """The interval of the uniform number that stands for k is as long as k is likely."""
    law = DiscreteGaussian(sigma=sigma)
    above, beyond = law._tails(np.array([float(abs(k))]))
    tail = reference.discrete_tail(error=abs(k), sigma=sigma, digits=20)
    assert beyond[0] == pytest.approx(float(tail) / 2, rel=1e-9)
    assert above[0] > beyond[0]


@pytest.mark.parametrize("law", [s.law for s in CORRECT if not s.law.continuous])
def test_laws_with_atoms_give_standard_normal_numbers(law):
    generator = np.random.default_rng(5)
    normal = law.normal(law.draw(20_000, generator), generator).ravel()
    assert stats.kstest(normal, "norm").pvalue > 1e-6  # false alarm 1e-6


def test_supported_scales_hold_the_truth():
    """20 runs: the truth is outside with probability 1e-9 in each."""
    for run in range(20):
        generator = np.random.default_rng([4, run])
        rows = 0.8 * LAW.draw(500, generator)
        low, high = supported_scales(take(rows, LAW, generator=generator))
        assert low is not None
        assert high is not None
        assert low < 0.8 < high


def test_power_is_what_is_seen():
    """σ 10 % too small at the planned draws: power 0.99; below 92 of 100 is as likely as 1e-6."""
    count = samplers.plan(0.1)
    assert samplers.power(count, 0.1) >= 0.99
    assert samplers.power(count // 4, 0.1) < 0.9
    convicted = 0
    for run in range(100):
        generator = np.random.default_rng([8, run])
        sketch = take(0.9 * LAW.draw(count, generator), LAW, generator=generator)
        convicted += samplers.decide(sketch, LAW)[1].convicted
    assert convicted >= 92


def test_the_power_to_prove_a_loss_is_what_is_seen():
    """σ 10 % too small at the planned draws: a lower bound, but for a chance of 1e-6."""
    count = 5_000
    seen = 0
    for run in range(60):
        generator = np.random.default_rng([9, run])
        sketch = take(0.9 * LAW.draw(count, generator), LAW, generator=generator)
        seen += samplers.decide(sketch, LAW)[0].convicted
    said = _closer(0.9)(count, count, deciding(1e-9, private=True))
    assert 0.2 < said < 0.9
    assert stats.binom.cdf(seen, 60, said) > 1e-6


OF_POWER = {
    "σ is a millionth in 1 of 1,000 draws": "hardly noise in one of 1000",
    "σ is halved in 1 of 100 draws": "half of σ in one of 100",
    "the outermost 1 of 16,000 draws missing (4 σ of Gaussian noise)": "no tail beyond 4 σ",
    "the outermost 1 of 22,000 draws missing (10 scales of Laplace noise)": (
        "Laplace, no tail beyond 10 b"
    ),
    "correlation 0.02 with the draw before the last": "correlated with the last but one",
    "σ 1 % up and down, batch by batch": "σ 1 % up and down",
    "a mean of 1 % of σ to and fro, batch by batch": "a mean to and fro",
    "σ 1 % too small, proved to be a loss of privacy": "σ 1 % too small",
    "1 of 1,000 draws is one that came before": "one of 1000 came before",
    "every tenth batch has the noise of the one before": "every tenth batch copied",
    "every second batch has the noise of the one before": "every second batch copied",
    "each request begins with one of 65,536 seeds": "one of 65,536 seeds in every request",
    "the same seed in every process": "the same seed in every process",
}
ALL = samplers.powers(1000, requests=1, processes=2)


def test_each_fault_whose_power_is_said_is_tried():
    assert [each.fault for each in ALL] == list(OF_POWER)
    names = [each.name for each in FAULTY]
    assert set(OF_POWER.values()) <= set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("said", ALL, ids=lambda p: p.fault)
def test_each_fault_is_convicted_where_its_power_is_said_to_be(said):
    """Each has power 0.99 there, and is tried once with a fixed seed; at a quarter it has not."""
    (specimen,) = (each for each in FAULTY if each.name == OF_POWER[said.fault])
    found = audited(specimen, said.enough, 3)
    proof = "proved" in said.fault
    if proof:
        assert privacy_in_all(specimen, found, said.enough).convicted
    else:
        assert found.convicted
    if said.fault == ONE_SEED:
        return
    assert said.enough > 16
    at = [
        next(
            each.power
            for each in samplers.powers(count, requests=requests(count), processes=2)
            if each.fault == said.fault
        )
        for count in (said.enough // 4, said.enough)
    ]
    assert at[0] < 0.9
    assert 0.99 <= at[1] <= 1


def requests(count):
    """Return how many short requests an audit of so many numbers makes."""
    return max(min((count - 2 * NUMBERS) // SHORT, REQUESTS), 1)


def test_the_power_to_find_few_seeds_is_the_chance_of_a_common_seed():
    """Of 1,023 requests: 40 runs of this alone, a common seed in at least as many as is said."""
    (said,) = (p.power for p in samplers.powers(10**6, requests=300) if p.fault == SEEDED)
    common = [
        len(np.unique(np.random.default_rng([7, run]).integers(0, 1 << 16, 300))) < 300
        for run in range(2000)
    ]
    assert 0.4 < said < 0.6
    assert stats.binom.cdf(sum(common), 2000, said) > 1e-6
    assert stats.binom.sf(sum(common), 2000, said) > 1e-6


def test_a_stated_power_is_a_lower_bound():
    """16 runs: convicted at least as often as is said, but for a chance of 1e-6."""
    (specimen,) = (each for each in FAULTY if each.name == "σ 1 % up and down")
    (said,) = (p for p in samplers.powers(640_000) if OF_POWER[p.fault] == specimen.name)
    seen = sum(
        audit(law=specimen.law, source=specimen.source, limit=640_000, seed=seed).convicted
        for seed in range(16)
    )
    assert 0.6 < said.power < 0.95
    assert stats.binom.cdf(seen, 16, said.power) > 1e-6


@pytest.mark.parametrize("law", HOSTILE_LAWS[:-1], ids=str)
def test_correct_releases_of_any_value_are_not_accused(law):
    """Half of the batches are of other values; false alarms have probability 1e-9 each."""
    values = _values(law, 1.0)
    source = samplers.NaiveSource(law=law)
    found = audit(law=law, source=source, limit=30_000 // law.dimension, batch=3000, values=values)
    assert not found.convicted
    assert len(set(values)) > 1


@pytest.mark.parametrize("wrong", ["value", "value > 100", "value < 0", "not value"])
def test_noise_that_is_wrong_for_some_values_alone_is_convicted(tmp_path, wrong):
    program = tmp_path / "sampler.py"
    text = Path(EXAMPLE.split()[-1]).read_text()
    line = 'numbers = array.array("d", '
    assert line in text
    program.write_text(text.replace(line, f"sigma /= 2 if {wrong} else 1\n    {line}"))
    words = ["--adapter", f"{sys.executable} {program}", "--sigma", "3", "--workers", "1"]
    assert run(*words, "--limit", "70000" if wrong == "value" else "200000").exit_code == 1


def test_too_few_draws_say_nothing(tmp_path):
    path = tmp_path / "noise.npy"
    np.save(path, LAW.draw(1000, np.random.default_rng(2)))
    found = run("--file", str(path), "--sigma", "3")
    assert found.exit_code == 3
    assert "nothing found" not in found.stdout
    assert "too few draws to say" in found.stdout
    assert "a σ that is 22.03% too small" in found.stdout
    assert run("--file", str(path), "--sigma", "3", "--deviation", "0.25").exit_code == 0
    assert run("--file", str(path), "--sigma", "6").exit_code == 1
    said = json.loads(run("--file", str(path), "--sigma", "3", "--json").stdout)
    assert not said["enough"]


@pytest.mark.parametrize(
    "claim",
    [
        "discrete --sigma 0.3",
        "rounded --sigma 3 --step 30",
        "discrete-laplace --scale 0.2",
        "discrete-laplace --scale 0.05",
    ],
)
def test_noise_that_is_nearly_always_0_is_audited(claim):
    """Copies take so many draws there that no number of draws shows them for certain."""
    words = ["numpy", "--law", *claim.split(), "--limit", "65536", "--deviation", "0.1"]
    found = run(*words)
    assert found.exit_code in (0, 3), found.output
    assert "not for certain   every tenth batch has the noise of the one before" in found.stdout
    said = json.loads(run(*words, "--json").stdout)
    assert said["powers"]["every tenth batch has the noise of the one before"]["enough"] is None


@pytest.mark.parametrize(
    "words",
    [
        "--sigma 3 --epsilon 1 --delta 1e-5",
        "--law laplace --scale 2 --epsilon 1 --delta 1e-5",
        "--sigma 3 --delta 1e-5",
        "--delta 1e-5",
    ],
)
def test_a_promise_that_nothing_would_read_is_refused(words):
    found = run("numpy", *words.split())
    assert found.exit_code == 2, found.output
    assert "--delta" in found.stderr


class DyingExecutor(Executor):
    """Its workers die now and then; futures that were given out fail."""

    def __init__(self):
        self.asked = 0

    def submit(self, function, /, *args, **kwargs):
        self.asked += 1
        future = Future()
        if self.asked % 3 == 0:
            raise BrokenExecutor("no more workers")
        if self.asked % 2 == 0:
            future.set_exception(BrokenExecutor("the worker died"))
        else:
            future.set_result(function(*args, **kwargs))
        return future


def test_the_outcome_does_not_depend_on_the_workers():
    alone = audit(law=LAW, source=small, seed=2)
    with ProcessPoolExecutor(2) as pool:
        pooled = audit(law=LAW, source=small, seed=2, executor=pool)
    dying = audit(law=LAW, source=small, seed=2, executor=DyingExecutor())
    assert alone.convicted
    for other in (pooled, dying):
        assert other.history == alone.history
        assert other.sketch.rows == alone.sketch.rows


def test_an_interrupted_audit_goes_on(tmp_path):
    path = tmp_path / "state.json"
    whole = audit(law=LAW, source=naive, limit=200_000, seed=4)

    class InterruptError(Exception):
        pass

    def stop(sketch, *_):
        if sketch.rows > 90_000:
            raise InterruptError

    with pytest.raises(InterruptError):
        audit(law=LAW, source=naive, limit=200_000, seed=4, checkpoint=path, progress=stop)
    assert json.loads(path.read_text())["sketch"]["rows"] == 98_304
    again = audit(law=LAW, source=naive, limit=200_000, seed=4, checkpoint=path)
    assert again.sketch.rows == whole.sketch.rows
    assert again.history[-1] == whole.history[-1]
    with pytest.raises(ValueError, match="another audit"):
        audit(law=LAW, source=naive, limit=200_000, seed=5, checkpoint=path)
    path.write_text("{}")
    with pytest.raises(ValueError, match="cannot be read"):
        audit(law=LAW, source=naive, limit=200_000, seed=4, checkpoint=path)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.zeros((3, 2)), "shape"),
        (np.zeros(3), "shape"),
        (np.ones((3, 1), dtype=complex), "real numbers"),
        (np.array([["a"]]), "real numbers"),
        (np.array([[None]]), "real numbers"),
    ],
)
def test_draws_that_are_no_draws_are_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        audit(law=LAW, source=lambda batch: rows, limit=10)


@settings(max_examples=60)
@given(
    st.sampled_from(HOSTILE_LAWS),
    st.lists(st.tuples(st.sampled_from(HOSTILE), st.integers(0, 63), st.integers(0, 63))),
    st.integers(1, 6),
)
def test_what_no_sampler_gives_convicts_wherever_it_stands(law, strange, rows):
    """NaN, infinities, numbers off the grid or beyond any tail; no e-value is NaN, none is lost."""
    drawn = np.full((rows, law.dimension), 3.0)
    drawn = drawn.astype(object)
    for value, row, column in strange:
        drawn[row % rows, column % law.dimension] = value
    with np.errstate(all="raise", under="ignore"):
        found = audit(law=law, source=lambda batch: drawn, limit=rows)
    for finding in (found.privacy, found.conformance):
        assert not any(math.isnan(each.log10) for each in finding.evidence)
        assert math.isfinite(finding.log10)
    values = [float(f"{x}") for row in drawn for x in row]
    impossible = any(not abs(x) < 1e100 for x in values)
    if isinstance(law, DiscreteGaussian):
        impossible |= any(x != math.floor(x) for x in values if math.isfinite(x))
    if impossible:
        assert found.conformance.convicted
        assert found.conformance.log10 > 324  # for the smallest budget that a float can be
        assert found.sketch.impossible
    if any(math.isnan(x) for x in values):
        assert found.sigmas in (None, (None, None))


def test_two_huge_numbers_do_not_hide_that_all_others_are_too_small():
    rows = 0.5 * np.random.default_rng(1).standard_normal((1000, 1))
    rows[3], rows[900] = 1e308, -1e308
    law = Gaussian(sigma=1.0)
    assert audit(law=law, source=lambda batch: rows, limit=1000).convicted


@pytest.mark.parametrize("dimension", [1, 4])
def test_noise_that_is_far_too_large_is_no_fault_of_privacy(dimension):
    """It is neither dependent nor Box and Muller's, though it is not N(0, 1)."""
    law = Gaussian(sigma=1.0, dimension=dimension)
    for factor in (1.5, 10.0, 1e100):
        found = audit(law=law, source=lambda b, f=factor: f * naive(b), limit=20_000)
        assert found.conformance.convicted
        assert not found.privacy.convicted


def test_an_e_value_that_is_no_number_is_refused():
    with pytest.raises(ArithmeticError, match="e-value"):
        log_mean(np.array([0.0, math.nan]))


def test_low_bits_of_naive_noise_give_the_value_away():
    generator = np.random.default_rng(6)
    first, second = (v + generator.standard_normal(20_000) for v in (0.0, 1.0))
    found = samplers.float_leak(first, second, distance=1.0, epsilons=(0.5, 3.0))
    true = [fast.delta_at_epsilon(epsilon=e, sigma=1.0, sensitivity=1.0) for e in (0.5, 3.0)]
    assert found[0].delta > true[0]
    assert found[1].delta > 0.1 > true[1]
    grid = 2.0**-20
    snapped = [grid * np.rint((v + generator.standard_normal(20_000)) / grid) for v in (0.0, 1.0)]
    clean = samplers.float_leak(*snapped, distance=1.0, epsilons=(0.5, 3.0))
    assert all(each.delta <= t for each, t in zip(clean, true, strict=True))


def test_events_of_a_black_box_bound_delta_from_below():
    """Laplace noise, scale 1, distance 2: δ(0.5) = 1 − e^{−0.75} = 0.528; the bound is near."""
    generator = np.random.default_rng(9)
    draws = [v + generator.laplace(0, 1, 40_000) for v in (0.0, 2.0)]
    cells = [samplers.events.positions(d, width=0.25) for d in draws]
    (found,) = samplers.separate(*cells, epsilons=[0.5])
    exact = 1 - math.exp((0.5 - 2) / 2)
    assert 0.9 * exact < found.delta < exact
    needed = samplers.needed_draws(first=0.82, second=0.18, epsilon=0.5, delta=0.4)
    assert 500 < needed < 20_000
    with pytest.raises(ValueError, match="does not break"):
        samplers.needed_draws(first=0.5, second=0.5, epsilon=0.5, delta=0.4)


def test_command_on_files(tmp_path):
    rows = 2.9 * np.random.default_rng(3).standard_normal((40_000, 2))
    path = tmp_path / "noise.npy"
    np.save(path, rows)
    found = run("--file", str(path), "--sigma", "3", "--dimension", "2", "--json")
    assert found.exit_code == 1
    said = json.loads(found.stdout)
    assert said["privacy"]["convicted"]
    assert said["rows"] == 32_768 or said["rows"] <= 40_000
    low, high = said["sigma"]
    assert low < 2.9 < high < 3
    good = run("--file", str(path), "--sigma", "2.9", "--dimension", "2", "--deviation", "0.05")
    assert good.exit_code == 0
    assert "nothing found" in good.stdout
    table = tmp_path / "noise.csv"
    table.write_text("noise\n" + "\n".join(repr(float(x)) for x in rows[:500, 0]))
    assert run("--file", str(table), "--sigma", "2.9", "--deviation", "0.5").exit_code == 0
    table.write_text("1\n2\nx\n")
    assert run("--file", str(table), "--sigma", "2.9").exit_code == 2


def test_files_that_hold_no_sample_are_refused(tmp_path):
    """Truncated, mis-shaped, not finite, no numbers: each with words of its own, none averaged."""
    noise = 3 * np.random.default_rng(3).standard_normal((2000, 2))

    def refused(name, *words):
        found = run("--file", str(tmp_path / name), "--sigma", "3", *words)
        assert found.exit_code == 2, found.output
        return found.stderr

    np.save(tmp_path / "whole.npy", noise)
    whole = (tmp_path / "whole.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(whole[:-1000])
    assert "is not a .npy file of numbers" in refused("short.npy", "--dimension", "2")
    (tmp_path / "empty.npy").write_bytes(b"")
    assert "is not a .npy file of numbers" in refused("empty.npy")
    assert "--dimension is 1, the file has 2" in refused("whole.npy")
    np.save(tmp_path / "deep.npy", noise.reshape(10, 200, 2))
    assert "must hold a table of real numbers" in refused("deep.npy")
    np.save(tmp_path / "complex.npy", noise + 1j)
    assert "must hold a table of real numbers" in refused("complex.npy", "--dimension", "2")
    np.save(tmp_path / "objects.npy", np.array([{}, {}]), allow_pickle=True)
    assert "is not a .npy file of numbers" in refused("objects.npy")
    for text, words in (
        ("1,2\n3\n", "line 2 has another length"),
        ("a\n", "must hold a table of real numbers"),
        ("1\n\n2\n", "line 2"),
    ):
        (tmp_path / "table.csv").write_text(text)
        assert words in refused("table.csv")
    (tmp_path / "hole.csv").write_text("1\nnan\n2\n")  # a finding: no sampler draws it
    hole = run("--file", str(tmp_path / "hole.csv"), "--sigma", "3")
    assert hole.exit_code == 1
    assert "impossible" in hole.stdout
    (tmp_path / "noise.txt").write_text("1")
    assert "must end in .npy, .csv, .parquet" in refused("noise.txt")


def test_parquet_files(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").table
    path = tmp_path / "noise.parquet"
    noise = 3 * np.random.default_rng(3).standard_normal(3000)
    parquet.write_table(table({"noise": noise}), path)
    assert run("--file", str(path), "--sigma", "3", "--deviation", "0.2").exit_code == 0
    parquet.write_table(table({"noise": [1.0, None, 2.0]}), path)
    assert run("--file", str(path), "--sigma", "3").exit_code == 1
    parquet.write_table(table({"noise": ["a", "b"]}), path)
    assert "must hold a table of real" in run("--file", str(path), "--sigma", "3").stderr
    path.write_bytes(path.read_bytes()[:-20])
    assert run("--file", str(path), "--sigma", "3").exit_code == 2


def test_command_says_the_delta_that_the_noise_has():
    words = ["--epsilon", "1", "--delta", "1e-5", "--limit", "50000", "--deviation", "0.05"]
    found = run("numpy", *words, "--json")
    assert found.exit_code == 0
    low, high = json.loads(found.stdout)["delta"]
    assert low < 1e-5 < high


@pytest.mark.thorough("millions of draws")
def test_an_adapter_is_audited_and_its_low_bits_too():
    words = ["--adapter", EXAMPLE, "--sigma", "3", "--limit", "70000", "--workers", "2"]
    found = run(*words, "--leak", "--json")
    assert found.exit_code == 1, found.output  # Python's own floats give the value away
    said = json.loads(found.stdout)
    assert said["source"] == "sampler 1.0, gauss"
    assert said["rows"] == 70_000
    assert said["draws_per_second"] > 0
    assert not said["privacy"]["convicted"]
    assert any(leak["delta"] > 0.05 for leak in said["leaks"])


def test_an_adapter_without_such_a_sampler_is_no_finding():
    for words, said in (
        (["--law", "laplace", "--scale", "1"], "has no sampler of the law 'laplace'; it has"),
        (["--sigma", "1", "--sampler", "other"], "has no sampler 'other' of the law"),
    ):
        found = run("--adapter", EXAMPLE, *words)
        assert found.exit_code == 3
        assert said in found.stderr


@pytest.mark.thorough("millions of draws")
def test_the_command_says_the_same_with_any_number_of_workers():
    words = ["numpy", "--sigma", "3", "--limit", "150000", "--seed", "9", "--json"]
    said = [json.loads(run(*words, "--workers", n).stdout) for n in ("1", "2")]
    for each in said:
        del each["draws_per_second"]
    assert said[0] == said[1]


def test_an_interrupted_command_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    words = ["numpy", "--sigma", "3", "--limit", "150000", "--json"]
    whole = json.loads(run(*words).stdout)
    real = samplers.audit

    def interrupted(**given):
        def stop(sketch, *_):
            if sketch.rows > 90_000:
                raise KeyboardInterrupt

        return real(**given | {"progress": stop})

    with monkeypatch.context() as patch:
        patch.setattr("dporacle.wings.samplers.commands.sample.audit", interrupted)
        assert run(*words, "--checkpoint", str(path)).exit_code != 0
    assert json.loads(path.read_text())["sketch"]["rows"] == 98_304
    again = json.loads(run(*words, "--checkpoint", str(path)).stdout)
    for said in (whole, again):
        del said["draws_per_second"]
    assert again == whole
    words[4] = "200000"
    further = json.loads(run(*words, "--checkpoint", str(path)).stdout)
    assert further["rows"] == 200_000
    other = run("numpy", "--sigma", "2", "--checkpoint", str(path))
    assert other.exit_code == 2
    assert "another audit" in other.stderr


def test_a_law_with_a_delta_of_its_own_is_no_leak():
    """Laplace noise has δ(0.5) = 0.22 at distance 1: events prove some of it, and leak nothing."""
    short = ["--limit", "9000", "--deviation", "0.1", "--leak"]
    found = run("numpy", "--law", "discrete", "--sigma", "2", *short)
    assert found.exit_code == 0, found.stdout
    found = run("numpy", "--law", "laplace", "--scale", "1", *short, "--json")
    for leak in json.loads(found.stdout)["leaks"]:
        assert leak["delta"] > leak["exact_delta"]
    words = ["numpy", "--law", "rounded", "--sigma", "1", "--step", "0.5", *short]
    assert run(*words).exit_code == 0
    refused = run(*words, "--sensitivity", "0.3")  # not between two rounded values
    assert refused.exit_code == 2
    assert "multiples of step" in refused.stderr


def test_the_picture_is_drawn(tmp_path):
    path = tmp_path / "noise.png"
    words = ["--sigma", "3", "--limit", "40000", "--deviation", "0.05"]
    found = run("numpy", *words, "--plot", str(path))
    assert found.exit_code == 0
    assert path.stat().st_size > 20_000


class DiesOnce:
    """Draws noise; the first worker that is asked for the third batch is killed."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, batch):
        if batch.index == 3 and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return naive(batch)


@pytest.mark.thorough("a cluster on this machine")
def test_a_cluster_that_loses_a_worker_loses_no_draw(tmp_path):
    """Two processes of Dask's; one is killed in the middle of a batch, which is drawn again."""
    distributed = pytest.importorskip("distributed")
    alone = audit(law=LAW, source=naive, limit=250_000, seed=6)
    marker = tmp_path / "killed"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pooled = audit(
            law=LAW, source=DiesOnce(marker), limit=250_000, seed=6, executor=client.get_executor()
        )
    assert marker.exists()
    assert pooled.history == alone.history
    assert pooled.sketch.rows == 250_000


def test_a_fault_whose_power_is_told_is_as_rare_as_its_name_says():
    """ "1 of 22,000 draws" is e^−10, what Laplace noise has beyond ten scales."""
    shares = {each.name: inspect.getclosurevars(each.power).nonlocals for each in FAULTS}
    told = {
        name: int(found[1].replace(",", ""))
        for name in shares
        if (found := re.search(r"1 of ([\d,]+) draws", name))
    }
    assert sorted(told.values()) == [100, 1000, 16000, 22000]
    for name, one_in in told.items():
        assert 1 / shares[name]["share"] == pytest.approx(one_in, rel=0.02), name
