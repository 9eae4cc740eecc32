"""What proves a loss of privacy and what shows another law; noise that is reused; laws on a grid.

Statistical tests run once, with fixed seeds; a correct sampler is accused with probability 1e-9 at
most in each audit, and one of another law that is no less private is not accused of a loss.
"""

import itertools
import json
import math
import os
import re
import shlex
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from dporacle.cli import main
from dporacle.dev.specimens.samplers import OTHERS
from dporacle.enclosures.discrete.sums import Addends, law_of_sum
from dporacle.wings.samplers import (
    LAWS,
    AdapterSource,
    Batch,
    DiscreteGaussian,
    DiscreteGaussianSum,
    DiscreteLaplace,
    DiscreteLaplaceSum,
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    NaiveSource,
    RankOneGaussian,
    RoundedGaussian,
    Skellam,
    audit,
    loss_tails,
    take,
)
from dporacle.wings.samplers.alternatives import HALVES, INSIDE, SPANS, TOGETHER, WITHIN
from dporacle.wings.samplers.audit import needed_rows
from dporacle.wings.samplers.decision import decide, power
from dporacle.wings.samplers.evidence import PROCESSES, _scattered, _too_often, slack
from dporacle.wings.samplers.law import ALIKE, FAR, ROUGH
from dporacle.wings.samplers.other_law import claiming, common_step, other_laws
from dporacle.wings.samplers.unseen import unseen

LAW = Gaussian(sigma=3.0)
ANSWERS = (0.0, 1.0, 0.0, -1.0, 0.0, 300.0)

PROGRAM = """
import array, json, random, sys
chance = random.SystemRandom()
own = random.Random(5)
kept, asked = [], 0

def fresh(count, sigma):
    return [chance.gauss(0, sigma) for _ in range(count)]

def noise(count, sigma):
    global kept, asked
    asked += 1
    {how}

for line in sys.stdin:
    message = json.loads(line)
    reply, drawn = {{"id": message["id"]}}, b""
    if message["command"] == "stop":
        break
    if message["command"] == "start":
        reply |= {{"protocol": 3, "name": "x", "version": "1", "functions": []}}
        if message.get("samplers"):
            reply["samplers"] = [{{"name": "s", "law": "gaussian", "parameters": ["sigma"]}}]
    elif message["command"] == "draw":
        count = message["rows"] * message["dimension"]
        numbers = noise(count, float(message["parameters"]["sigma"]))
        drawn = array.array("d", [float(message["value"]) + x for x in numbers]).tobytes()
        reply["draws"] = count
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\\n" + drawn)
    sys.stdout.buffer.flush()
"""
PROGRAMS = {
    "right": "return fresh(count, sigma)",
    "every second request": """
    if asked % 2 or len(kept) < count:
        kept = fresh(count, sigma)
    return kept[:count]""",
    "every tenth request": """
    if asked % 10 or len(kept) < count:
        kept = fresh(count, sigma)
    return kept[:count]""",
    "negated": """
    if asked % 2 or len(kept) < count:
        kept = fresh(count, sigma)
        return kept
    return [-x for x in kept[:count]]""",
    "the same seed in every process": "return [own.gauss(0, sigma) for _ in range(count)]",
    "one of 65,536 seeds": """
    one = random.Random(chance.randrange(1 << 16))
    return [one.gauss(0, sigma) for _ in range(count)]""",
}


def program(tmp_path, how):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(how=PROGRAMS[how]))
    return AdapterSource(command=(sys.executable, "-I", str(path)), law=LAW, timeout=60)


def of_program(tmp_path, how, limit):
    with program(tmp_path, how) as source:
        return audit(law=LAW, source=source, limit=limit, values=ANSWERS)


@pytest.mark.parametrize("how", [how for how in PROGRAMS if how != "right"])
def test_a_program_that_reuses_its_noise_has_lost_privacy(tmp_path, how):
    found = of_program(tmp_path, how, 140_000)
    assert found.privacy.convicted
    assert {"reuse", "repeats"} <= {each.process.name for each in found.faults}
    assert found.processes == 2


def test_a_right_program_is_not_accused(tmp_path):
    found = of_program(tmp_path, "right", 140_000)
    assert not found.convicted
    assert found.requests > 1000
    assert {"the same seed in every process"} <= {each.fault for each in found.powers}


@pytest.mark.thorough("ten audits")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_seed_for_every_process_is_convicted_in_ten_of_ten_runs(tmp_path, workers):
    """Whoever draws the other batches: two fresh processes draw the first ones."""
    source = program(tmp_path, "the same seed in every process")
    words = ["--adapter", shlex.join(source.command), "--sigma", "3", "--limit", "70000"]
    for _ in range(5):
        said = run(*words, "--workers", workers, "--json")
        assert json.loads(said.stdout)["privacy"]["convicted"]


def run(*words):
    return CliRunner().invoke(main, ["sample", *words])


# What is compared


@pytest.mark.parametrize(
    "law",
    [
        LAW,
        Laplace(scale=2.0),
        Gaussian(sigma=1e-300),
        Gaussian(sigma=1e299),
        RankOneGaussian(sigma_star=2.0, dimension=5),
        RoundedGaussian(sigma=3.0, step=2.0**-20),
        RoundedGaussian(sigma=3.0, step=0.1),
        RoundedGaussian(sigma=3.0, step=2.0**-50),
        DiscreteGaussian(sigma=3.0),
        DiscreteLaplace(scale=2.0, step=0.25),
    ],
    ids=str,
)
def test_the_same_noise_has_the_same_key_at_any_value(law):
    """But for the share that the rounding of a sum takes across an end of a cell: 1/6 at most."""
    noise = law.draw(5000, np.random.default_rng(1))
    keys = law.keys(noise, 0.0)
    for size in (0.3, -1.0, 17.0, FAR):
        value = size * law.spread
        if law.grid:
            value = float(np.rint(value / law.grid) * law.grid)
        released = value + noise
        again = law.keys(released, value)
        assert np.mean(again != keys) <= 1 / 6
        if law.collision > ALIKE:
            assert (again == keys).all()
        assert (law.keys(-released, -value) == -again).all() or law.peaked
    assert len(np.unique(keys)) > 0.99 * len(keys) or law.collision > 1e-9


@settings(max_examples=100)
@given(st.floats(-290, 290), st.floats(1, 9.99))
def test_no_cell_is_likelier_than_its_bound(power, digits):
    """A cell's noise lies on its width and both roundings, twice for the sign, at 1/(2·spread)."""
    spread = digits * 10.0**power
    ends = np.flatnonzero(np.diff(Gaussian(sigma=spread).keys(spread * GRID, 0.0).ravel()))
    width = float(np.max(np.diff(GRID.ravel()[ends]), initial=0.0))
    roundings = 2 * np.spacing(FAR + 40.0)
    assert width > 0
    assert 2 * (width + roundings) / 2 <= ALIKE


@settings(max_examples=100)
@given(st.floats(-290, 290), st.floats(1, 9.99))
def test_no_large_cell_has_more_than_a_sixteenth(power, digits):
    """So that no group of 16 has more than 2⁻⁶⁴: the cell around 0, of noise as high as may be."""
    spread = digits * 10.0**power
    noise = spread * np.linspace(-1, 1, 20_001)[:, None]
    inside = Gaussian(sigma=spread).keys(noise, 0.0, bits=ROUGH) == 0
    assert 0 < 2 * np.mean(inside) / 2 <= 2.0**-4


GRID = (1 + 2.0**-50 * np.arange(2000))[:, None]


# What proves a loss of privacy


def test_what_is_private_is_what_is_said():
    """These alone prove a loss; each says what it supposes."""
    private = {each.name for each in PROCESSES if each.private}
    assert private == {"concentrated", "concentrated together", "reuse", "one for several"}
    assert all(bool(each.supposes) == each.private for each in PROCESSES)


@pytest.mark.parametrize("count", [1, 7, 200])
@pytest.mark.parametrize("wider", [0.0, 1e-6, 0.4])
def test_the_expected_evidence_of_concentration_is_one_at_most(count, wider):
    """If as much as privacy allows lies within, and less, by summation over all counts."""
    for halves, table in ((HALVES, INSIDE), (SPANS, TOGETHER)):
        hits = np.arange(count + 1.0)
        for half, row in zip(halves, table, strict=True):
            values = _too_often(
                hits[:, None],
                np.full((count + 1, 1), count),
                np.full(count + 1, half),
                wider,
                np.broadcast_to(row, (count + 1, len(row))),
            )
            for wide in (wider, wider + 0.1):  # an interval that is widened by too much is no harm
                allowed = special.erf((half + wider) / math.sqrt(2))
                chances = stats.binom.logpmf(hits, count, allowed * (1 if wide == wider else 0.9))
                expected = special.logsumexp(values + chances[:, None], axis=0)
                assert expected.max() <= 1e-9


def test_the_cells_within_an_interval_have_its_probability():
    normal = np.random.default_rng(3).standard_normal((50_000, 1))
    sketch = take(3 * normal, LAW, generator=np.random.default_rng(0))
    for half, cells in zip(HALVES, WITHIN, strict=True):
        inside = int(np.count_nonzero(np.abs(normal) <= half))
        assert abs(int(cells @ sketch.cells) - inside) <= 1
    assert sketch.each[0, -1] == 50_000
    for place, half in enumerate(SPANS):
        assert sketch.each[0, place] == np.count_nonzero(np.abs(sketch_normal(normal)) <= half)


def sketch_normal(normal):
    return 3 * normal / 3.0


@settings(max_examples=200)
@given(st.floats(0.05, 50), st.floats(1e-3, 8))
def test_the_mass_of_an_interval_is_what_tells_answers_as_far_apart(distance, scale):
    """TV(F, F + D) = F(|x| ≤ D/2) for symmetric noise with one mode: δ(0), by numbers."""
    assume(distance <= 50 * scale)
    for law in (stats.norm(scale=scale), stats.laplace(scale=scale)):
        points = np.linspace(-60 * scale - distance, 60 * scale + distance, 200_001)
        apart = np.trapezoid(np.maximum(law.pdf(points) - law.pdf(points - distance), 0), points)
        inside = law.cdf(distance / 2) - law.cdf(-distance / 2)
        assert apart == pytest.approx(inside, abs=1e-3)


@settings(max_examples=300)
@given(st.floats(0.05, 30), st.floats(0.01, 60), st.floats(-30, 30), st.floats(0, 100))
def test_rounding_puts_no_more_into_an_interval_than_is_allowed(scale, step, value, half):
    """Releases on a grid of any step, of any value, of Gaussian, Laplace and geometric noise."""
    assume(half <= 30 * scale)
    wider = math.sqrt(math.pi / 2) * step / scale
    # The least and the largest multiple of the step from which the value is no farther.
    low, high = math.ceil((value - half) / step), math.floor((value + half) / step)
    for law, to_normal in (
        (stats.norm(scale=scale), half / scale),
        (stats.laplace(scale=scale), -special.ndtri_exp(-half / scale - math.log(2))),
    ):
        allowed = 1 - 2 * special.ndtr(-to_normal - wider)
        ends = (low - 0.5) * step - value, (high + 0.5) * step - value
        inside = law.cdf(ends[1]) - law.cdf(ends[0]) if low <= high else 0.0
        assert inside <= allowed + 1e-12
    cells = math.floor(half / step)  # the two-sided geometric law of this scale, for Laplace's
    q = math.exp(-step / scale)
    assert 1 - 2 * q ** (cells + 1) / (1 + q) <= allowed + 1e-12


def test_the_slack_is_no_less_than_the_grid_needs():
    for step in (2.0**-20, 0.1, 1 / 3, 1.0, 7.0):
        rows = step * np.rint(LAW.draw(3000, np.random.default_rng(4)) / step)
        parts = [rows[:1], rows[1:1500], rows[1500:]]
        found = [take(part, LAW, generator=np.random.default_rng(0)) for part in parts]
        whole = found[0] + found[1] + found[2]
        assert whole.gap >= step * (1 - 1e-9)
        assert slack(whole, LAW) >= step / 3.0
    smooth = take(LAW.draw(3000, np.random.default_rng(4)), LAW, generator=np.random.default_rng(0))
    assert slack(smooth, LAW) < 1e-4
    own = DiscreteGaussian(sigma=3.0)
    rows = own.draw(3000, np.random.default_rng(4))
    assert slack(take(rows, own, generator=np.random.default_rng(0)), own) == 0


@pytest.mark.parametrize("most", [0.5, 2.0**-4])
@pytest.mark.parametrize("count", [3, 60])
def test_evidence_that_no_value_is_likely_is_one_on_average(most, count):
    hits = np.arange(count + 1)
    values = [_scattered(int(n), count, most) for n in hits]
    for square in (most**2, 2 * most**2, 1.0):
        assert stats.binom.pmf(hits, count, square) @ np.exp(values) <= 1 + 1e-9


@pytest.mark.parametrize("sigma", [0.05, 0.2, 0.5, 1.0, 3.0])
def test_coarse_noise_repeats_itself_without_reuse(sigma):
    """Whole numbers for Gaussian noise: blocks come again by chance; it is no proof of reuse."""
    law = DiscreteGaussian(sigma=sigma)
    rows = law.draw(60_000, np.random.default_rng(7))
    sketch = take(rows, Gaussian(sigma=sigma), generator=np.random.default_rng(0))
    privacy, conformance = decide(sketch, Gaussian(sigma=sigma))
    assert conformance.convicted
    assert not privacy.convicted


def test_one_draw_for_several_numbers_is_a_loss_under_every_law():
    for law in (Gaussian(sigma=2.0, dimension=8), Laplace(scale=2.0, dimension=8)):
        rows = np.repeat(law.draw(2000, np.random.default_rng(2))[:, :1], 8, axis=1)
        found = audit(law=law, source=lambda b, r=rows: r[b.start : b.start + b.rows], limit=2000)
        assert "one for several" in {each.process.name for each in found.faults}
        assert found.privacy.convicted
    # Of noise that is nearly always 0, neighbours coincide without being shared.
    law = DiscreteGaussian(sigma=0.2, dimension=8)
    sketch = take(law.draw(2000, np.random.default_rng(2)), law, generator=np.random.default_rng(0))
    assert not decide(sketch, law)[0].convicted


# Two-sided geometric noise


@settings(max_examples=60)
@given(st.floats(0.1, 40), st.sampled_from([0.125, 0.3, 1.0]), st.integers(0, 30))
def test_the_tails_of_discrete_laplace_noise_are_sums_of_its_atoms(scale, step, k):
    law = DiscreteLaplace(scale=scale, step=step)
    q = math.exp(-step / scale)
    atoms = (1 - q) / (1 + q) * q ** np.abs(np.arange(-20_000, 20_001))
    above, beyond = law._tails(np.array([k * step]))
    assert above[0] == pytest.approx(atoms[20_000 + k :].sum(), rel=1e-9)
    assert beyond[0] == pytest.approx(atoms[20_000 + k + 1 :].sum(), rel=1e-9)
    assert law.collision == pytest.approx(atoms[20_000], rel=1e-9)


SUMS = {
    "discrete-gaussian": DiscreteGaussianSum(sigma=0.5, parties=10),
    "discrete-laplace": DiscreteLaplaceSum(scale=3.0, parties=5),
    "skellam": Skellam(variance=7.0),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_several_parties_have_the_atoms_of_their_enclosures(name):
    """And their draws become normal; a sum of narrow noises is no discrete Gaussian."""
    law = SUMS[name]
    parameter = {"discrete-gaussian": Fraction(1, 4), "discrete-laplace": Fraction(3)}
    addends = Addends(name, parameter.get(name, Fraction(7)), getattr(law, "parties", 1))
    exact = law_of_sum((addends,), 200)
    atoms = [float(each) for each in exact.masses[-exact.low :][:40]]
    above, beyond = law._tails(np.arange(40.0))
    for found, expected in zip(above - beyond, atoms, strict=False):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)
    generator = np.random.default_rng(5)
    sketch = take(law.draw(30_000, generator), law, generator=generator)
    assert not decide(sketch, law)[0].convicted
    one = DiscreteGaussian(sigma=0.5 * 10**0.5).draw(30_000, generator)
    other = DiscreteGaussianSum(sigma=0.25, parties=40)
    assert any(each.convicted for each in decide(take(one, other, generator=generator), other))
    assert law._scaled(np.arange(40.0)) == pytest.approx(
        np.minimum(law._scaled(np.arange(40.0)), np.sqrt(-2 * np.log(above)))
    )


# Noise, and one whose numbers are enough to add up by hand.
SMALL_SUMS = [
    (DiscreteGaussianSum, {"sigma": 0.7, "parties": 3}, lambda k: math.exp(-(k**2) / 0.98), 3),
    (DiscreteLaplaceSum, {"scale": 0.4, "parties": 2}, lambda k: math.exp(-abs(k) / 0.4), 2),
    (Skellam, {"variance": 2.0}, lambda k: special.ive(abs(k), 2.0), 1),
]


def by_hand(chance, parties, fold):
    """The law of the sum of as many numbers, each from −24 to 24 (of one: −40 to 40), folded."""
    reach = 24 if parties > 1 else 40
    one = {k: chance(k) for k in range(-reach, reach + 1)}
    whole = {0: 1.0}
    for _ in range(parties):
        grown = {}
        for (a, p), (b, q) in itertools.product(whole.items(), one.items()):
            grown[a + b] = grown.get(a + b, 0.0) + p * q
        whole = grown
    folded = {}
    for number, chance_of in whole.items():
        folded[fold(number)] = folded.get(fold(number), 0.0) + chance_of
    total = sum(whole.values())
    return {number: chance_of / total for number, chance_of in folded.items()}


@pytest.mark.statement("X.BOUNDED")
@pytest.mark.parametrize(("kind", "words", "chance", "parties"), SMALL_SUMS)
@pytest.mark.parametrize(
    "fold",
    [*({"modulus": m} for m in (2, 7, 8, 100)), *({"bound": b} for b in (1, 3, 50))],
    ids=str,
)
def test_remainders_and_clamped_sums_have_the_law_that_is_counted_by_hand(
    kind, words, chance, parties, fold
):
    """Their atoms, draws, normal numbers, and δ, which some of the losses are infinite for."""
    law = kind(**words, **fold)
    m, bound = fold.get("modulus"), fold.get("bound")
    exact = by_hand(chance, parties, lambda k: k % m if m else max(-bound, min(bound, k)))
    numbers = np.array(sorted(exact), dtype=float)
    chances = np.array([exact[int(k)] for k in numbers])
    assert law.possible(numbers[:, None]).all()
    likely = chances > 1e-20
    assert np.exp(law._log_chances(numbers))[likely] == pytest.approx(chances[likely], rel=1e-9)
    drawn = law.draw(20_000, np.random.default_rng(3))
    assert law.possible(drawn).all()
    counts = np.array([np.count_nonzero(drawn == k) for k in numbers])
    assert counts.sum() == 20_000
    assert (np.abs(counts - 20_000 * chances) <= 6 * np.sqrt(20_000 * chances) + 6).all()
    normal = law.normal(drawn, np.random.default_rng(4))[:, 0]
    assert stats.kstest(normal, "norm").pvalue > 1e-6
    for change in (1, 2, 5):
        there = np.array([exact.get((int(k) - change) % m if m else int(k) - change, 0.0)
                          for k in numbers])  # fmt: skip
        outside = 0.0 if m else sum(exact.get(k, 0.0) for k in range(-bound, -bound + change))
        shift = np.array([float(change)])
        losses = law.loss(numbers[:, None], shift)
        apart = (chances > 1e-20) & (there > 1e-20)
        expected = np.log(chances[apart]) - np.log(there[apart])
        assert losses[apart] == pytest.approx(expected, abs=1e-9)
        assert (there[likely & np.isinf(losses)] == 0).all()
        # Between the atoms of the loss, where its tails are known.
        finite = np.unique(np.round(losses[np.isfinite(losses) & (chances > 1e-12)], 9))
        ends = [*((finite[1:] + finite[:-1]) / 2)[np.diff(finite) > 0.2]][:4]
        for end, (first, second) in zip(ends, law.loss_tails(shift, ends), strict=True):
            beyond = chances[losses >= end].sum(), there[losses >= end].sum()
            for found, truth in zip((first, second), beyond, strict=True):
                assert found[0] - 1e-9 <= truth <= found[1] + 1e-9
                assert found[1] - found[0] < 1e-6
        assert outside <= chances[np.isposinf(losses)].sum() + 1e-30


def test_remainders_and_ends_belong_to_releases_of_any_value():
    """The remainder is that of the sum; the noise is clamped, whatever the answer."""
    law = Skellam(variance=9.0, modulus=8, dimension=2)
    noise = law.draw(1000, np.random.default_rng(1))
    released = law.released(noise, 13.0)
    assert law.possible(released).all()
    assert (law.noise_of(released, 13.0) % 8 == noise).all()
    assert (law.keys(released, 13.0) == law.keys(noise, 0.0)).all()
    assert set(np.unique(law.noise_of(released, 13.0))) == set(range(-3, 5))
    assert law.possible(np.array([[0.0, 7.0, 8.0, -1.0, 0.5, math.nan]])).tolist() == [
        [True, True, False, False, False, False]
    ]
    clamped = Skellam(variance=9.0, bound=2)
    for noise, impossible in ((2.0, 0), (3.0, 10), (-3.0, 10)):
        rows = np.full((10, 1), 50.0 + noise)
        found = take(rows, clamped, generator=np.random.default_rng(1), value=50.0)
        assert found.impossible == impossible
    rows = np.array([[3.0]])
    with pytest.raises(ValueError, match="second must have noise of at most 2"):
        loss_tails(law=clamped, shift=[1.0], first=rows - 1, second=rows, epsilons=[0.5])


def test_little_noise_of_a_remainder_or_at_two_ends_is_no_proof_of_a_loss():
    """Half-lines, by which such a proof goes, are none of remainders; ends may be likelier."""
    for law in (Skellam(variance=9.0, modulus=16), Skellam(variance=9.0, bound=4)):
        rows = np.zeros((5000, 1))
        rows[1::2] = 1.0
        sketch = take(rows, law, generator=np.random.default_rng(1))
        by_name = {each.name: each.log_evidence(sketch, law) for each in PROCESSES}
        assert by_name["concentrated"] == 0
        assert decide(sketch, law)[1].convicted
        found = audit(law=law, source=NaiveSource(law=law), limit=200, batch=100)
        assert any("ends and remainders" in each for each in unseen(law, [0.0], found))
        assert "σ 1 % too small, proved to be a loss of privacy" not in {
            each.fault for each in found.powers
        }


@pytest.mark.parametrize(("kind", "words", "chance", "parties"), SMALL_SUMS)
@pytest.mark.parametrize("fold", [{}, {"modulus": 7}, {"modulus": 8}, {"bound": 2}], ids=str)
def test_squares_of_noise_that_is_too_small_have_these_moments(kind, words, chance, parties, fold):
    """With the claimed noise they are those of normal numbers; else those of what is drawn."""
    law, tilts = kind(**words, **fold), np.array([1e-6, 0.01, 0.1, 0.45])
    assert law.square_moments(0.0, tilts) == pytest.approx(-np.log1p(-2 * tilts) / 2, rel=1e-6)
    shrunk = {name: value * 0.7 if name in ("sigma", "scale") else value * 0.49
              for name, value in words.items() if name != "parties"}  # fmt: skip
    noise = kind(**(words | shrunk), **fold).draw(40_000, np.random.default_rng(5))
    squares = law.normal(noise, np.random.default_rng(6))[:, 0] ** 2
    for tilt, found in zip(tilts[1:3], law.square_moments(0.3, tilts[1:3]), strict=True):
        drawn = np.exp(tilt * squares)
        assert abs(drawn.mean() - math.exp(found)) < 6 * drawn.std() / 200


@pytest.mark.parametrize(
    "law",
    [
        Laplace(scale=2.0),
        LaplaceWithGaussian(scale=2.0, sigma=3.0, dimension=3),
        DiscreteLaplace(scale=1.0, step=0.5),
        DiscreteLaplace(scale=1e5),  # as of a density
        DiscreteGaussian(sigma=0.7),
        DiscreteGaussian(sigma=40.0, dimension=2),
        RoundedGaussian(sigma=1.0, step=2.0),
    ],
    ids=repr,
)
def test_squares_of_other_noise_that_is_too_small_have_these_moments(law):
    tilts = np.array([1e-6, 0.01, 0.1, 0.45])
    assert law.square_moments(0.0, tilts) == pytest.approx(-np.log1p(-2 * tilts) / 2, rel=1e-6)
    scales = {each: getattr(law, each) for each in ("sigma", "scale") if hasattr(law, each)}
    smaller = replace(law, **{name: value * 0.7 for name, value in scales.items()})
    noise = smaller.draw(40_000, np.random.default_rng(5))
    squares = np.sum(law.normal(noise, np.random.default_rng(6)) ** 2, axis=1)
    for tilt, found in zip(tilts[1:3], law.square_moments(0.3, tilts[1:3]), strict=True):
        drawn = np.exp(tilt * squares)
        assert abs(drawn.mean() - math.exp(law.width * found)) < 6 * drawn.std() / 200


def test_of_many_atoms_squares_have_the_moments_of_noise_with_a_density():
    """Just below 2^16 atoms of one sign, where these are still summed."""
    tilts = np.geomspace(1e-6, 0.45, 20)
    for share in (0.01, 0.3):
        summed = DiscreteLaplace(scale=471.0).square_moments(share, tilts)
        assert np.all(
            np.abs(summed - Laplace(scale=1.0).square_moments(share, tilts)) < 1.2e-7 * tilts
        )
        summed = DiscreteGaussian(sigma=3850.0).square_moments(share, tilts)
        smooth = -np.log1p(-2 * tilts * (1 - share) ** 2) / 2
        assert np.all(np.abs(summed - smooth) < 1.2e-7 * tilts)


@pytest.mark.parametrize("step", [1e-310, 1e-300, 1.0, 1e300])
@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 1e300])
def test_the_power_for_any_scale_on_any_grid_is_a_probability(size, step):
    laws = DiscreteLaplace(scale=size, step=step), RoundedGaussian(sigma=size, step=step)
    for law in (*laws, DiscreteGaussian(sigma=size)):
        for deviation in (1e-7, 0.01, 0.999):
            with np.errstate(all="ignore"):
                assert 0 <= power(10**6, deviation, law=law) <= 1


def test_the_power_for_the_scale_of_folded_noise_is_that_of_audits():
    """With a power of 0.99 the smaller noise is convicted; where nothing shows it, none is told."""
    law, smaller = (DiscreteLaplaceSum(scale=b, parties=3, bound=4) for b in (1.0, 0.8))
    rows = needed_rows(law, 0.2)
    assert rows > 1.2 * needed_rows(Gaussian(sigma=1.0), 0.2)
    for seed in range(3):
        sketch = take(
            smaller.draw(rows, np.random.default_rng(seed)),
            law,
            generator=np.random.default_rng(seed),
        )
        assert decide(sketch, law)[1].convicted
    alike = Skellam(variance=9.0, modulus=2)
    found = audit(law=alike, source=NaiveSource(law=alike), deviation=0.2)
    assert (found.convicted, found.enough, found.power, found.hidden) == (False, False, 0, True)
    assert found.smallest > 0.5  # so small a scale is seen modulo 2 too
    assert found.sketch.rows == needed_rows(Gaussian(sigma=3.0), 0.2)
    command = ["sample", "numpy", "--law", "skellam", "--variance", "9", "--deviation", "0.2"]
    said = CliRunner().invoke(main, [*command, "--modulus", "2"])
    assert said.exit_code == 3
    assert "too few draws to say" in said.output
    assert "0.0000 to convict a scale of the noise before modulus or bound" in said.output
    assert "what is released hardly depends on this scale" in said.output
    said = CliRunner().invoke(main, [*command, "--modulus", "16"])
    assert said.exit_code == 0
    assert "hardly depends" not in said.output


@pytest.mark.parametrize(
    ("law", "smaller"),
    [
        (Skellam(variance=1.0), Skellam(variance=0.64)),
        (DiscreteLaplaceSum(scale=2.0, parties=2), DiscreteLaplaceSum(scale=1.6, parties=2)),
        (DiscreteGaussianSum(sigma=0.4, parties=3), DiscreteGaussianSum(sigma=0.32, parties=3)),
        (Laplace(scale=2.0), Laplace(scale=1.6)),
        (DiscreteLaplace(scale=1.0), DiscreteLaplace(scale=0.8)),
        (DiscreteGaussian(sigma=0.7), DiscreteGaussian(sigma=0.56)),
        (RoundedGaussian(sigma=1.0, step=2.0), RoundedGaussian(sigma=0.8, step=2.0)),
    ],
)
def test_the_power_for_the_scale_of_other_noise_is_that_of_audits(law, smaller):
    """Their normal numbers are too small by another share than they are: as many are planned."""
    rows = needed_rows(law, 0.2)
    assert abs(rows / needed_rows(Gaussian(sigma=1.0), 0.2) - 1) > 0.2
    seen = 0
    for seed in range(8):
        drawn = smaller.draw(rows, np.random.default_rng(seed))
        sketch = take(drawn, law, generator=np.random.default_rng(100 + seed))
        seen += decide(sketch, law)[1].convicted
    assert seen == 8  # with power 0.99, and fixed seeds


def test_sums_that_are_nearly_always_0_hardly_show_their_scale():
    """Of one release in a hundred that is not 0, a hundredth more or less takes 10^8 releases."""
    law = Skellam(variance=0.01)
    found = audit(law=law, source=NaiveSource(law=law), limit=1000)
    assert (found.convicted, found.enough, found.hidden) == (False, False, True)
    said = CliRunner().invoke(main, ["sample", "numpy", "--law", "skellam", "--variance", "0.01",
                                     "--limit", "1000"])  # fmt: skip
    assert said.exit_code == 3
    assert "0.0000 to convict a scale of the noise that is 1.00% too small" in said.output
    assert "σ is theirs, not that of the noise):" in said.output
    assert power(10**9, 1e-7, law=law) == 0  # a bound that is no float is none
    narrow = ["sample", "numpy", "--law", "discrete", "--sigma", "0.1"]
    assert CliRunner().invoke(main, narrow).exit_code == 3
    said = CliRunner().invoke(main, ["sample", "numpy", "--law", "laplace", "--scale", "2",
                                     "--limit", "1000"])  # fmt: skip
    assert "to convict a scale of the noise that is 1.00%" in said.output


def test_a_law_without_modulus_or_bound_is_named_as_ever():
    """A checkpoint of before is told by this name."""
    assert repr(Skellam(variance=9.0)) == "Skellam(dimension=1, variance=9.0)"
    named = "DiscreteGaussianSum(dimension=2, sigma=0.5, parties=3)"
    assert repr(DiscreteGaussianSum(sigma=0.5, parties=3, dimension=2)) == named
    named = "DiscreteLaplaceSum(dimension=1, bound=4, scale=1.0, parties=3)"
    assert repr(DiscreteLaplaceSum(scale=1.0, parties=3, bound=4)) == named


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"modulus": 8, "bound": 3}, "one of modulus and bound may be given, got modulus 8"),
        ({"modulus": 1}, "modulus must be an integer from 2, got 1"),
        ({"modulus": 8.0}, "modulus must be an integer from 2, got 8.0"),
        ({"modulus": True}, "modulus must be an integer from 2, got True"),
        ({"modulus": 2**53 + 1}, "modulus must be at most 2"),
        ({"bound": 0}, "bound must be an integer from 1, got 0"),
    ],
)
def test_a_modulus_or_a_bound_that_cannot_be_is_refused(words, said):
    for kind, more in (
        (Skellam, {"variance": 4.0}),
        (DiscreteGaussianSum, {"sigma": 1.0, "parties": 2}),
        (DiscreteLaplaceSum, {"scale": 1.0, "parties": 2}),
    ):
        with pytest.raises(ValueError, match=said):
            kind(**more, **words)


@settings(max_examples=60)
@given(
    st.floats(0.2, 8),
    st.sampled_from([0.25, 1.0]),
    st.lists(st.integers(-6, 6), min_size=1, max_size=3),
    st.floats(-4, 4),
)
def test_the_loss_tails_of_discrete_laplace_noise_hold_the_exact_ones(scale, step, moved, epsilon):
    """By enumeration of the cells of up to three coordinates, with the losses of `loss`."""
    assume(any(moved))
    law = DiscreteLaplace(scale=scale, step=step, dimension=len(moved))
    shift = step * np.array(moved, dtype=float)
    ((first, second),) = law.loss_tails(shift, [epsilon])
    reach = 6 + math.ceil(16 * scale / step / len(moved))
    assume((2 * reach + 1) ** len(moved) < 400_000)
    cells = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(moved))), float)
    q = math.exp(-step / scale)
    chances = np.prod((1 - q) / (1 + q) * q ** np.abs(cells), axis=1)
    left_out = 1 - chances.sum()
    here = chances[law.loss(step * cells, shift) >= epsilon].sum()
    there = chances[law.loss(step * cells + shift, shift) >= epsilon].sum()
    for exact, (low, high) in ((here, first), (there, second)):
        assert low - 1e-9 <= exact + left_out
        assert exact <= high + 1e-9
    if len(moved) == 1:
        assert first[0] == first[1] == pytest.approx(here, abs=left_out + 1e-9)


def test_discrete_laplace_noise_is_pure_at_whole_distances():
    """Pr[L ≥ ε] is 0 beyond D/b, as with Laplace noise, and not below."""
    law = DiscreteLaplace(scale=2.0)
    (below, beyond) = law.loss_tails(np.array([3.0]), [1.5, 1.5 + 1e-9])
    assert below[0][0] > 0.5
    assert beyond == ((0.0, 0.0), (0.0, 0.0))
    generator = np.random.default_rng(3)
    rows = [law.draw(50_000, generator) for _ in "ab"]
    for tail in loss_tails(
        law=law, shift=[3.0], first=rows[0], second=rows[1], epsilons=[-1.0, 0.0, 0.5, 1.5]
    ):
        assert tail.agrees


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"scale": -1.0}, "scale must be positive"),
        ({"scale": 1.0, "step": 0.0}, "step must be positive"),
    ],
)
def test_a_law_that_cannot_be_is_refused(words, said):
    with pytest.raises(ValueError, match=said):
        DiscreteLaplace(**words)


def test_what_the_tails_do_not_reach_is_refused():
    law = DiscreteLaplace(scale=1.0, step=2.0**-20, dimension=2)
    with pytest.raises(ValueError, match="step must be at least"):
        law.loss_tails(np.array([0.5, 0.25]), [0.5])
    with pytest.raises(ValueError, match="shift must be multiples of step"):
        DiscreteLaplace(scale=1.0).loss_tails(np.array([0.5]), [0.5])


# What is said


def drawn(specimen, count):
    rows = [
        specimen.source(Batch(i, i * 1000, 1000, specimen.law.dimension, 3))
        for i in range(count // 1000)
    ]
    return np.concatenate(rows)


GRIDDED = {
    "a grid of 2⁻²⁰": "--law rounded --sigma 3 --step 9.5367431640625e-07",
    "a grid of 0.1": "--law rounded --sigma 3 --step 0.1",
    "a grid of σ/3": "--law rounded --sigma 3 --step 1",
    "discrete Gaussian for Gaussian": "--law discrete --sigma 3",
    "two-sided geometric for Laplace": "--law discrete-laplace --scale 2 --step 1",
    "two-sided geometric of half a step for Laplace": (
        "--law discrete-laplace --scale 0.5 --step 1"
    ),
}


@pytest.mark.parametrize("specimen", OTHERS, ids=lambda s: s.name)
def test_another_law_is_called_so_with_the_option_that_claims_it(tmp_path, specimen):
    """And the audit of that claim finds nothing."""
    path = tmp_path / "noise.npy"
    np.save(path, drawn(specimen, 40_000))
    claim = claiming(specimen.law)
    found = run("--file", str(path), *claim.split(), "--deviation", "0.1")
    assert found.exit_code == 1
    assert "privacy      no loss is proved: evidence" in found.stdout
    assert "conformance  CONVICTED: evidence" in found.stdout
    assert "the noise has another law than claimed; it may be no less private" in found.stdout
    assert "supposed" not in found.stdout
    claims = re.findall("by intention, claim: (.*)", found.stdout)
    if specimen.name not in GRIDDED:
        assert not claims
        return
    assert GRIDDED[specimen.name] in claims
    again = run("--file", str(path), *GRIDDED[specimen.name].split(), "--deviation", "0.1")
    assert again.exit_code == 0, again.stdout
    assert "privacy      nothing found" in again.stdout
    assert "by intention" not in again.stdout


def test_a_loss_of_privacy_is_said_with_what_it_supposes(tmp_path):
    rows = 2.0 * np.random.default_rng(1).standard_normal(40_000)
    np.save(tmp_path / "small.npy", rows)
    found = run("--file", str(tmp_path / "small.npy"), "--sigma", "3")
    assert found.exit_code == 1
    assert "privacy      CONVICTED" in found.stdout
    assert "fault        concentrated: noise lies within a short interval more" in found.stdout
    assert "supposed     draws that are independent, and depend on the answer by" in found.stdout
    assert "no less private" not in found.stdout
    rows[20_000:] = rows[:20_000]
    np.save(tmp_path / "again.npy", 1.5 * rows)
    found = run("--file", str(tmp_path / "again.npy"), "--sigma", "3")
    assert "privacy      CONVICTED" in found.stdout
    assert "fault        reuse: a block of the noise comes again" in found.stdout
    assert "supposed     nothing of the law: independent draws of no law do so" in found.stdout
    said = json.loads(run("--file", str(tmp_path / "again.npy"), "--sigma", "3", "--json").stdout)
    assert next(iter(said["faults"])) == "reuse"
    assert said["claim"] == []


def test_what_is_not_seen_is_said_for_how_the_draws_were_made(tmp_path):
    np.save(tmp_path / "noise.npy", LAW.draw(5000, np.random.default_rng(1)))
    of_file = run("--file", str(tmp_path / "noise.npy"), "--sigma", "3", "--deviation", "0.2")
    assert "what a new request changes" in of_file.stdout
    assert "what a new process changes" in of_file.stdout
    # No power is told for what a file does not show.
    assert "begins with one of 65,536 seeds" not in of_file.stdout
    assert "1 of 1,000 draws is one that came before" in of_file.stdout
    of_numpy = run("numpy", "--sigma", "3", "--limit", "140000", "--deviation", "0.1")
    assert "what a new request changes" not in of_numpy.stdout
    assert "what a new process changes" in of_numpy.stdout
    words = "each request begins with one of 65,536 seeds"
    assert re.search(rf"0\.99\d\d +from [\d,]+ +{words}", of_numpy.stdout)
    for law, words in (
        (Laplace(scale=1.0), "sums and differences of several numbers"),
        (RankOneGaussian(sigma_star=1.0, dimension=3), "lengths alone count"),
        (DiscreteGaussian(sigma=3.0), "copies of fewer than 22 draws"),
    ):
        found = audit(law=law, source=NaiveSource(law=law), limit=200, batch=100)
        assert any(words in each for each in unseen(law, [0.0], found))
        assert not any(words in each for each in unseen(LAW, [0.0], found))
        names = {each.fault for each in found.powers}
        assert ("1 of 1,000 draws is one that came before" in names) == law.continuous
        assert ("σ 1 % too small, proved to be a loss of privacy" in names) != law.peaked


@pytest.mark.parametrize("step", [2.0**-20, 0.1, 0.001, 1.0, 8.0])
def test_a_common_step_is_told(step):
    rows = step * np.rint(LAW.draw(2000, np.random.default_rng(8)) / step)
    sketch = take(rows, LAW, generator=np.random.default_rng(0))
    assert common_step(sketch) == pytest.approx(step, rel=1e-15)
    (law,) = (each for each in other_laws(sketch, LAW) if isinstance(each, RoundedGaussian))
    assert law.possible(rows).all()
    smooth = take(LAW.draw(2000, np.random.default_rng(8)), LAW, generator=np.random.default_rng(0))
    assert common_step(smooth) is None
    assert other_laws(smooth, LAW) == ()


@pytest.mark.parametrize("command", ["sample", "events"])
def test_the_help_names_every_law(command):
    """An option whose name is LAW has its choices in its own words."""
    shown = "".join(CliRunner().invoke(main, [command, "--help"]).output.split())
    assert re.search("(?:noise:|learningone;)" + ",".join(LAWS), shown)
    assert run("numpy", "--law", "normal").exit_code == 2


# Files


def test_a_field_too_long_for_a_csv_file_is_a_fault_of_the_file(tmp_path):
    (tmp_path / "long.csv").write_text('1\n"' + "1" * 140_000 + '"\n')
    found = run("--file", str(tmp_path / "long.csv"), "--sigma", "3")
    assert found.exit_code == 2
    assert "long.csv: line 2 cannot be read: field larger than field limit" in found.stderr
    (tmp_path / "latin.csv").write_bytes(b"1\n\xff\n")
    found = run("--file", str(tmp_path / "latin.csv"), "--sigma", "3")
    assert found.exit_code == 2
    assert "latin.csv is not text in UTF-8" in found.stderr


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.npy", "pipe.parquet"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    found = run("--file", str(tmp_path / name), "--sigma", "3")
    assert found.exit_code == 2
    assert "is not a regular file" in found.stderr


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 50 + b"PAR1", b"1,2\n"])
def test_what_is_no_parquet_file_is_a_fault_of_the_file(tmp_path, content):
    pytest.importorskip("pyarrow")
    (tmp_path / "bad.parquet").write_bytes(content)
    found = run("--file", str(tmp_path / "bad.parquet"), "--sigma", "3")
    assert found.exit_code == 2
    assert "bad.parquet is not a Parquet file that can be read" in found.stderr
