"""Privacy losses of drawn vectors: measured tails against exact ones, in dimension 1 to 10⁴.

Each comparison has limits that miss with probability 1e-9 in all.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dporacle import enclosures, fast, reference
from dporacle.vocabulary import ARGUMENTS, MECHANISMS, quantity_of
from dporacle.vocabulary.kinds import DELTA
from dporacle.wings.samplers import (
    RELEASES,
    DiscreteGaussian,
    DiscreteGaussianSum,
    DiscreteLaplace,
    DiscreteLaplaceSum,
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    RankOneGaussian,
    RoundedGaussian,
    Skellam,
    SubsampledGaussian,
    ThresholdedCounts,
    loss_tails,
)
from dporacle.wings.samplers.exact_tails import laplace_tails
from support.cases import table
from support.dear import dear_if, mostly_dear

EPSILONS = [0.0, 0.3, 1.0, 1.7]


def measured(law, shift, rows, scale=1.0):
    generator = np.random.default_rng(31)
    drawn = [scale * law.draw(rows, generator) for _ in range(2)]
    return loss_tails(law=law, shift=shift, first=drawn[0], second=drawn[1], epsilons=EPSILONS)


@pytest.mark.statement("BW18.L3")
@pytest.mark.statement("BW18.T5")
@pytest.mark.parametrize("dimension", [1, 30, 10_000])
def test_gaussian(dimension):
    shift = np.random.default_rng(7).standard_normal(dimension)
    shift *= 2 / np.linalg.norm(shift)
    law = Gaussian(sigma=1.5, dimension=dimension)
    rows = 40_000 if dimension < 1000 else 400
    for tail in measured(law, shift, rows):
        assert tail.agrees
        delta = fast.delta_at_epsilon(epsilon=tail.epsilon, sigma=1.5, sensitivity=2.0)
        assert tail.exact_delta == pytest.approx((delta, delta), rel=1e-9)
        assert tail.delta[0] <= delta <= tail.delta[1]
    if dimension < 1000:
        assert not all(tail.agrees for tail in measured(law, shift, rows, scale=0.8))


@pytest.mark.parametrize("dimension", [1, 2, 30, 10_000])
def test_laplace(dimension):
    """The same distance in ℓ1, on all coordinates: k releases of the same mechanism."""
    law = Laplace(scale=1 / 1.37, dimension=dimension)
    shift = np.full(dimension, 1 / dimension)
    rows = 40_000 if dimension < 1000 else 400
    for tail in measured(law, shift, rows):
        assert tail.agrees
        low, high = tail.exact_delta
        if dimension <= 256:
            delta = fast.laplace_repeated_delta(
                epsilon=tail.epsilon, scale=dimension / 1.37, releases=dimension, sensitivity=1
            )
            assert low - 1e-9 <= delta <= high + 1e-9
            # ε = 0 is an atom of the loss where the coordinates are even in number.
            assert high - low < (1e-3 if tail.epsilon else 1)
    if dimension < 30:
        assert not all(tail.agrees for tail in measured(law, shift, rows, scale=0.8))


@settings(max_examples=8)
@given(
    st.lists(st.floats(1e-3, 3), min_size=2, max_size=6), st.floats(-2, 4), st.integers(0, 2**32)
)
@example(sizes=[1.0, 1.0], epsilon=2.0, seed=1)
@example(sizes=[2.0, 1e-3], epsilon=1.999, seed=1)
def test_laplace_losses_of_unequal_coordinates(sizes, epsilon, seed):
    """Limits of 20,000 draws, wrong with probability 1e-9; L' has the law of −L."""
    generator = np.random.default_rng(seed)
    shift = np.array(sizes)
    law = Laplace(scale=1.0, dimension=len(sizes))
    (tail,) = loss_tails(
        law=law,
        shift=shift,
        first=law.draw(20_000, generator),
        second=law.draw(20_000, generator),
        epsilons=[epsilon],
    )
    assert tail.agrees
    assert 0 <= tail.exact[0][0] <= tail.exact[0][1] <= 1


def test_laplace_losses_of_many_unequal_coordinates():
    """10⁴ sizes are sorted into classes: the limits stay near each other, and hold the truth."""
    generator = np.random.default_rng(1)
    shift = generator.standard_normal(10_000)
    shift /= np.abs(shift).sum()
    law = Laplace(scale=1.0, dimension=10_000)
    tails = loss_tails(
        law=law,
        shift=shift,
        first=law.draw(200, generator),
        second=law.draw(200, generator),
        epsilons=[0.0, 0.01],
    )
    for tail in tails:
        assert tail.agrees
        assert tail.exact[0][1] - tail.exact[0][0] < 0.04


def test_few_classes_and_many_have_the_same_tails(monkeypatch):
    sizes = np.random.default_rng(5).uniform(0.01, 0.1, 40)
    (apart,) = laplace_tails(sizes, [0.1])
    monkeypatch.setattr("dporacle.wings.samplers.exact_tails._CLASSES", 8)
    (together,) = laplace_tails(sizes, [0.1])
    for near, far in zip(apart, together, strict=True):
        assert far[0] <= near[0] <= near[1] <= far[1]
        assert near[1] - near[0] < 1e-3 < far[1] - far[0] < 0.5


@pytest.mark.parametrize(
    ("sigma", "shift"),
    [(2.5, [2]), (0.4, [1, 0, -1]), (3.0, [1] * 30), (20.0, [3, -5, 7]), (50.0, [1] * 10_000)],
)
def test_discrete_gaussian(sigma, shift):
    law = DiscreteGaussian(sigma=sigma, dimension=len(shift))
    rows = 30_000 if len(shift) < 1000 else 500
    moved = np.array(shift, dtype=float)
    for tail in measured(law, moved, rows):
        assert tail.agrees
        assert tail.exact[0][1] - tail.exact[0][0] < 1e-9
        if np.count_nonzero(moved) == 1:
            exact = float(
                reference.discrete_delta_at_epsilon(
                    epsilon=tail.epsilon, sigma=sigma, sensitivity=2, digits=20
                )
            )
            assert tail.exact_delta == pytest.approx((exact, exact), rel=1e-7, abs=1e-9)


def test_a_sum_of_discrete_losses_by_hand():
    """σ = 0.4, two coordinates moved by 1 and 2: all pairs of numbers from −8 to 8, one by one."""
    sigma, shift = 0.4, np.array([1.0, 2.0])
    numbers = np.arange(-8, 9)
    weights = np.exp(-(numbers**2) / (2 * sigma**2))
    weights /= weights.sum()
    chances = np.outer(weights, weights)
    sums = numbers[:, None] + 2 * numbers[None, :]
    law = DiscreteGaussian(sigma=sigma, dimension=2)
    for epsilon, (first, second) in zip(EPSILONS, law.loss_tails(shift, EPSILONS), strict=True):
        end = 2.5 - epsilon * sigma**2
        assert first[0] - 1e-12 <= chances[sums <= end].sum() <= first[1] + 1e-12
        assert second[0] - 1e-12 <= chances[sums + 5 <= end].sum() <= second[1] + 1e-12


@pytest.mark.parametrize("dimension", [2, 4, 30, 10_000])
def test_rank_one(dimension):
    law = RankOneGaussian(sigma_star=25.0, dimension=dimension)
    shift = np.random.default_rng(7).standard_normal(dimension)
    shift *= 2 / np.linalg.norm(shift)
    for tail in measured(law, shift, 30_000 if dimension < 1000 else 500):
        assert tail.agrees
        delta = fast.rank_one_delta_at_epsilon(
            epsilon=tail.epsilon, sigma_star=25.0, dimension=dimension, sensitivity=2.0
        )
        low, high = tail.exact_delta
        # The upper end of an interval, which is some 1e-6 wide in dimension 2.
        assert low <= delta <= high + (2e-6 if dimension == 2 else 1e-7)
        assert high - low < 1e-8
    assert dimension > 4 or not all(tail.agrees for tail in measured(law, shift, 30_000, scale=0.8))


@pytest.mark.parametrize("shift", [[1, 2, 2], [0, 0.5, 0], [1, 0, 0]])
def test_laplace_with_gaussian(shift):
    law = LaplaceWithGaussian(scale=1.25, sigma=3.0, dimension=3)
    moved = np.array(shift, dtype=float)
    for tail in measured(law, moved, 30_000):
        assert tail.agrees
        mu = float(np.linalg.norm(moved[1:])) / 3
        if moved[0] and mu:
            delta = fast.laplace_gaussian_delta(
                epsilon=tail.epsilon, scale=1.25, mu=mu, sensitivity=moved[0]
            )
            assert tail.exact_delta == pytest.approx((delta, delta), abs=1e-8)


@pytest.mark.parametrize(
    ("sigma", "step", "shift"),
    [(1.0, 1.0, [1]), (3.0, 0.5, [1.0, -0.5, 0.0, 2.0]), (2.0, 1e-3, [1]), (1.0, 1e-6, [0.5, 1])],
)
def test_rounded_gaussian(sigma, step, shift):
    law = RoundedGaussian(sigma=sigma, step=step, dimension=len(shift))
    mu = float(np.linalg.norm(shift)) / sigma
    for tail in measured(law, np.array(shift), 40_000):
        assert tail.agrees
        # The rounded values come of the others: no more δ, and on a fine grid hardly less.
        delta = fast.delta_at_epsilon(epsilon=tail.epsilon, sigma=1 / mu, sensitivity=1.0)
        assert tail.exact_delta[0] <= delta
        assert step > 0.01 or tail.exact_delta == pytest.approx((delta, delta), abs=2e-3)
    wrong = np.random.default_rng(3)
    other = RoundedGaussian(sigma=0.8 * sigma, step=step, dimension=len(shift))
    tails = loss_tails(
        law=law,
        shift=shift,
        first=other.draw(40_000, wrong),
        second=other.draw(40_000, wrong),
        epsilons=EPSILONS,
    )
    assert not all(tail.agrees for tail in tails)


def test_a_sum_of_rounded_losses_by_hand():
    """σ = 1, two coordinates moved by one cell and by two: all pairs of cells, one by one."""
    cells = np.arange(-7, 8)
    chances = [stats.norm.cdf(cells - m + 0.5) - stats.norm.cdf(cells - m - 0.5) for m in range(3)]
    losses = [np.log(chances[0] / chances[m]) for m in (1, 2)]
    sums = losses[0][:, None] + losses[1][None, :]
    law = RoundedGaussian(sigma=2.0, step=2.0, dimension=2)
    tails = law.loss_tails(np.array([2.0, 4.0]), EPSILONS)
    for epsilon, (first, second) in zip(EPSILONS, tails, strict=True):
        here, there = np.outer(chances[0], chances[0]), np.outer(chances[1], chances[2])
        for law_of, (low, high) in ((here, first), (there, second)):
            assert low - 1e-9 <= law_of[sums >= epsilon].sum() <= high + 1e-9
            assert high - low < 1e-3


DIRECTIONS = ("remove", "add", "replace")


def of_steps(direction, *phases, width=2):
    steps = sum(phase[2] for phase in phases)
    return SubsampledGaussian(phases=phases, direction=direction, dimension=steps * width)


def record(law):
    """Contributions of norm 1 to each step."""
    steps = sum(phase[2] for phase in law.phases)
    drawn = np.random.default_rng(5).standard_normal((steps, law.dimension // steps))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).ravel()


@pytest.mark.statement("X.SG.PROFILE")
@pytest.mark.parametrize(
    ("direction", "phases"),
    [
        *((direction, ((0.8, 0.3, 4),)) for direction in DIRECTIONS),
        ("remove", ((1.0, 0.1, 3), (2.0, 0.5, 2))),
    ],
)
def test_subsampled_gaussian(direction, phases):
    law = of_steps(direction, *phases)
    shift, generator = record(law), np.random.default_rng(8)
    epsilons = [-0.4, 0.3]
    rows = law.simulate(40_000, shift, generator)
    told = {"law": law, "shift": shift, "epsilons": epsilons}
    for tail in loss_tails(first=rows[0], second=rows[1], **told):
        assert tail.agrees
        assert all(high - low < 1e-4 for low, high in tail.exact)
        if tail.epsilon >= 0:
            delta = fast.subsampled_schedule_delta(
                epsilon=tail.epsilon, phases=phases, direction=direction
            )
            assert tail.exact_delta[0] <= delta * (1 + 1e-9) + 1e-12
            assert delta <= tail.exact_delta[1] + 1e-9 + 1e-9 * delta
    # A rate that is too large, and a batch that is drawn once for all steps.
    often = of_steps(direction, *((sigma, 1.3 * rate, steps) for sigma, rate, steps in phases))
    rows = often.simulate(40_000, shift, generator)
    assert not all(tail.agrees for tail in loss_tails(first=rows[0], second=rows[1], **told))
    reused = [each.copy() for each in law.simulate(40_000, 0 * shift, generator)]
    drawn = generator.random((40_000, 1)) < phases[0][1]
    shares = {"remove": (1, 0), "add": (0, 1), "replace": (1, -1)}[direction]
    for each, share in zip(reused, shares, strict=True):
        each += share * drawn * shift
    assert not all(tail.agrees for tail in loss_tails(first=reused[0], second=reused[1], **told))


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.floats(1e-150, 1e150) | st.sampled_from([0.5, 1.0, 3.0]),
            st.floats(-1e150, 1e150) | st.floats(1 - 1e-12, 1 + 1e-12),
            st.floats(-1e150, 1e150) | st.sampled_from([0.0, 5e-324]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_noise_multipliers_are_between_exact_limits(steps):
    """Rounded to 13 digits, σ/‖g‖ was not: steps that nearly agree are one phase, of both ends."""
    law = of_steps("remove", *((sigma, 0.5, 1) for sigma, _, _ in steps))
    record = np.array([step[1:] for step in steps])
    exact = [
        (Fraction(sigma) ** 2 / (Fraction(x) ** 2 + Fraction(y) ** 2))
        for sigma, x, y in steps
        if x or y
    ]
    if any(square > 10**600 for square in exact):
        with pytest.raises(ValueError, match="long in each step"):
            law._phases(record)
        return
    least, most = law._phases(record)
    assert [phase[2] for phase in least] == [phase[2] for phase in most]
    assert sum(phase[2] for phase in least) == len(exact)
    squares = sorted(exact)
    for phases, below in ((least, True), (most, False)):
        found = sorted(phase[0] ** 2 for phase in phases for _ in range(phase[2]))
        for near, square in zip(found, squares, strict=True):
            assert near <= square if below else near >= square
            assert abs(near - square) <= square * Fraction(1, 10**12)


def test_one_subsampled_step_by_hand():
    """One step: L ≥ ε is t ≥ c, and both tails are those of a normal number and of a mixture."""
    sigma, rate = 0.7, 0.2
    law = of_steps("remove", (sigma, rate, 1), width=1)
    for epsilon in (-0.1, 0.0, 0.5, 2.0):
        ((first, second),) = law.loss_tails(np.ones(1), [epsilon])
        end = sigma**2 * math.log((math.exp(epsilon) - 1 + rate) / rate) + 0.5
        without, within = stats.norm.sf(end / sigma), stats.norm.sf((end - 1) / sigma)
        assert second[0] <= without <= second[1]
        assert first[0] <= (1 - rate) * without + rate * within <= first[1]
    ((first, second),) = law.loss_tails(np.ones(1), [math.log(1 - rate) - 0.01])
    assert first[1] == second[1] == 1
    assert min(first[0], second[0]) > 1 - 1e-9


def counts_of(noise, threshold, first, second):
    law = ThresholdedCounts(
        noise=noise, threshold=threshold, counts=tuple(first), dimension=len(first)
    )
    return law, np.array(second, dtype=float) - np.array(first)


@pytest.mark.statement("X.TAU")
@pytest.mark.statement("X.LAPTAU")
@pytest.mark.parametrize("noise", [Gaussian(sigma=2.0), Laplace(scale=1.5)], ids=lambda n: n.name)
@pytest.mark.parametrize(("first", "second"), mostly_dear(table("thresholded_counts"), 5))
def test_thresholded_counts(noise, first, second):
    law, shift = counts_of(noise, 4.0, first, second)
    generator = np.random.default_rng(4)
    told = {"law": law, "shift": shift, "epsilons": [-0.5, 0.0, 0.3, 1.0]}
    rows = law.simulate(40_000, shift, generator)
    for tail in loss_tails(first=rows[0], second=rows[1], **told):
        assert tail.agrees
        assert all(0 <= low <= high <= 1 for low, high in tail.exact)
    loud = type(noise)(**{name: 1.3 * value for name, value in noise.parameters.items()})
    rows = counts_of(loud, 4.0, first, second)[0].simulate(40_000, shift, generator)
    assert not all(tail.agrees for tail in loss_tails(first=rows[0], second=rows[1], **told))


def test_one_common_count_by_hand():
    """Counts 5 and 4, threshold 4, σ = 2: what is shown, and the atom of what is not."""
    law, shift = counts_of(Gaussian(sigma=2.0), 4.0, [5], [4])
    atom = stats.norm.logcdf(-0.5) - stats.norm.logcdf(0)
    for epsilon in (-1.0, atom - 0.01, atom + 0.01, 0.0, 0.3, 1.0):
        ((first, second),) = law.loss_tails(shift, [epsilon])
        end = max(4.5 + 4 * epsilon, 4.0)  # L = (y − 4.5)/4 of a shown y
        for centre, (low, high) in ((5, first), (4, second)):
            exact = stats.norm.sf((end - centre) / 2)
            exact += stats.norm.cdf((4 - centre) / 2) * (atom >= epsilon)
            assert low - 1e-9 <= exact <= high + 1e-9
            assert high - low < 1e-3


def test_rows_that_no_input_releases_are_refused():
    law, shift = counts_of(Gaussian(sigma=1.0), 2.0, [1, 0], [0, 1])
    fine = np.full((3, 2), -math.inf)
    told = {"law": law, "shift": shift, "first": fine, "epsilons": [0.5]}
    for bad in (1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="second must have shape"):
            loss_tails(second=np.full((3, 2), bad), **told)
    with pytest.raises(ValueError, match="neither releases"):
        loss_tails(second=np.full((3, 2), 3.0), **told)
    with pytest.raises(ValueError, match="shift must leave counts"):
        law.loss_tails(np.array([-2.0, 0.0]), [0.5])
    with pytest.raises(ValueError, match="counts must be 2"):
        ThresholdedCounts(noise=Gaussian(sigma=1.0), threshold=2.0, counts=(1,), dimension=2)
    with pytest.raises(ValueError, match="noise must have 1 dimension"):
        ThresholdedCounts(noise=Gaussian(sigma=1.0, dimension=2), threshold=2.0, counts=(1,))
    with pytest.raises(ValueError, match="direction must be one of"):
        SubsampledGaussian(phases=((1.0, 0.5, 2),), direction="both", dimension=2)
    with pytest.raises(ValueError, match="multiple of 2 steps"):
        SubsampledGaussian(phases=((1.0, 0.5, 2),), direction="add", dimension=3)
    with pytest.raises(ValueError, match="rate must be in"):
        SubsampledGaussian(phases=((1.0, 1.5, 2),), direction="add", dimension=2)


D = 10_000
WIDE = {
    "gaussian": lambda: (Gaussian(sigma=50.0, dimension=D), np.full(D, 0.7)),
    "laplace": lambda: (Laplace(scale=50.0, dimension=D), np.full(D, 0.7)),
    "laplace-gaussian": lambda: (
        LaplaceWithGaussian(scale=1.0, sigma=50.0, dimension=D),
        np.full(D, 0.5),
    ),
    "rank-one": lambda: (RankOneGaussian(sigma_star=25.0, dimension=D), np.full(D, 0.02)),
    "discrete": lambda: (DiscreteGaussian(sigma=50.0, dimension=D), np.full(D, 1.0)),
    "discrete-laplace": lambda: (DiscreteLaplace(scale=50.0, dimension=D), np.full(D, 1.0)),
    "discrete-gaussian-sum": lambda: (
        DiscreteGaussianSum(sigma=25.0, parties=4, dimension=D),
        np.full(D, 1.0),
    ),
    "discrete-laplace-sum": lambda: (
        DiscreteLaplaceSum(scale=12.0, parties=4, dimension=D),
        np.arange(D) % 8 // 7.0,
    ),
    "skellam": lambda: (Skellam(variance=2500.0, dimension=D), np.full(D, 1.0)),
    "rounded": lambda: (
        RoundedGaussian(sigma=50.0, step=0.5, dimension=D),
        np.resize([0.5, 1.0, -0.5], D),
    ),
    "subsampled": lambda: (law := of_steps("remove", (0.8, 0.3, 2), width=D // 2), record(law)),
    "thresholded": lambda: counts_of(
        Gaussian(sigma=50.0), 20.0, [1, *[7] * (D - 1)], [0, *[8] * (D - 1)]
    ),
}


@pytest.mark.parametrize("name", mostly_dear(RELEASES, 3))
def test_in_ten_thousand_dimensions(name):
    """Every law: a new one finds its place above."""
    law, shift = WIDE[name]()
    rows = law.simulate(200, shift, np.random.default_rng(2))
    tails = loss_tails(law=law, shift=shift, first=rows[0], second=rows[1], epsilons=[0.0, 0.5])
    for tail in tails:
        assert tail.agrees
        assert any(high - low < 0.1 for low, high in tail.exact)


def of_gaussian(given):
    mu = given.get("mu") or given["sensitivity"] / given["sigma"]
    count = int(given.get("releases", 1))
    return Gaussian(sigma=1.0, dimension=count), np.full(count, mu)


def of_laplace(given):
    count = int(given.get("releases", 1))
    return Laplace(scale=given["scale"], dimension=count), np.full(count, given["sensitivity"])


def of_thresholds(given):
    k = int(given["contributions"])
    noise = (
        Gaussian(sigma=given["sigma"]) if "sigma" in given else Laplace(scale=k / given["epsilon"])
    )
    return counts_of(noise, given["threshold"], [1] * k, [0] * k)


def of_sampling(given):
    phases = [tuple(given[name] for name in ("sigma", "rate", "steps"))]
    if "later_sigma" in given:
        phases.append(tuple(given[f"later_{name}"] for name in ("sigma", "rate", "steps")))
    law = of_steps(given["direction"], *((s, q, int(t)) for s, q, t in phases))
    return law, record(law)


def folding(given):
    return {name: int(given[name]) for name in ("modulus", "bound") if name in given}


# A mechanism's row names its law; a law that is new finds here what its row's arguments are.
OF_ROWS = {
    "gaussian": of_gaussian,
    "laplace": of_laplace,
    "thresholded": of_thresholds,
    "subsampled": of_sampling,
    "discrete-gaussian-sum": lambda given: (
        DiscreteGaussianSum(sigma=given["sigma"], parties=int(given["parties"]), **folding(given)),
        [given["sensitivity"]],
    ),
    "discrete-laplace-sum": lambda given: (
        DiscreteLaplaceSum(scale=given["scale"], parties=int(given["parties"]), **folding(given)),
        [given["sensitivity"]],
    ),
    "skellam": lambda given: (
        Skellam(variance=given["variance"], **folding(given)),
        [given["sensitivity"]],
    ),
    "discrete": lambda given: (DiscreteGaussian(sigma=given["sigma"]), [given["sensitivity"]]),
    "laplace-gaussian": lambda given: (
        LaplaceWithGaussian(scale=given["scale"], sigma=1.0, dimension=2),
        [given["sensitivity"], given["mu"]],
    ),
    "rank-one": lambda given: (
        RankOneGaussian(sigma_star=given["sigma_star"], dimension=int(given["dimension"])),
        [given["sensitivity"], *[0.0] * (int(given["dimension"]) - 1)],
    ),
}


def of_whole_thresholds(given):
    """Laplace noise with a threshold at which a count of 1 is shown as often."""
    b, k = given["scale"], int(given["contributions"])
    threshold = given["threshold"] + b * math.log((1 + math.exp(-1 / b)) / 2)
    return counts_of(Laplace(scale=b), threshold, [1] * k, [0] * k)


# A record that enters a batch of a fixed size takes another one's place: the sum moves by 2.
OF_OTHERS = {
    "fixed-size batches": lambda given: of_sampling({**given, "sigma": given["sigma"] / 2}),
    "thresholded count with whole noise": of_whole_thresholds,
    "balls-and-bins batches": lambda given: of_sampling({**given, "rate": 1.0, "steps": 1}),
    "random-allocation batches": lambda given: of_sampling({**given, "rate": 1.0, "steps": 1}),
}
# Runs of groups and of several batches are drawn in tests of their own. No batch of one is cut.
ALONE = {"size": 1, "batches": 1, "participations": 1, "records": 1, "cap": 1}
CONVERSIONS = ("zcdp", "renyi")  # their δ is a bound


@pytest.mark.parametrize(
    "name",
    [
        dear_if(name, {"subsampled gaussian in two phases"})
        for name, row in MECHANISMS.items()
        if row.law
    ],
)
def test_every_mechanism_has_losses_whose_delta_is_its_own(name):
    """Each row's law, at everyday arguments: the draws agree, and δ is that of the enclosures."""
    row = MECHANISMS[name]
    quantity = quantity_of(row, DELTA)
    if quantity is None:
        given = {each: ARGUMENTS[each].everyday for each in ("sigma", "sensitivity")}
        given |= {each: ARGUMENTS[each].everyday for each in ("sigma_star", "dimension")}
    else:
        given = {
            each: ALONE.get(each, argument.everyday) for each, argument in quantity.rows.items()
        }
    fixed = dict(quantity.fixed) if quantity else {}
    both = fixed.get("direction") == "both"  # the larger of two
    found, epsilon = [], given.get("epsilon", 1.0)
    for direction in ("add", "remove") if both else (fixed.get("direction"),):
        law, shift = OF_OTHERS.get(name, OF_ROWS[row.law])({**given, "direction": direction})
        assert type(law) is RELEASES[row.law]
        rows = law.simulate(20_000, np.array(shift, dtype=float), np.random.default_rng(9))
        (tail,) = loss_tails(
            law=law, shift=shift, first=rows[0], second=rows[1], epsilons=[epsilon]
        )
        assert tail.agrees
        found.append(tail.exact_delta)
    if quantity is not None:
        delta = float(quantity.of(enclosures)(**given).mid())
        assert max(low for low, _ in found) <= delta + 1e-9
        assert name in CONVERSIONS or delta <= max(high for _, high in found) + 1e-9


def test_what_has_no_losses_is_refused():
    law = Gaussian(sigma=1.0, dimension=2)
    rows = law.draw(10, np.random.default_rng(0))

    def refused(words, **changed):
        given = {"law": law, "shift": [1.0, 0.0], "first": rows, "second": rows, "epsilons": [0.5]}
        with pytest.raises(ValueError, match=words):
            loss_tails(**given | changed)

    refused("shift must have 2 finite entries", shift=[1.0])
    refused("not all 0", shift=[0.0, 0.0])
    refused("first must have shape", first=rows[:, :1])
    refused("second must have shape", second=rows * math.nan)
    refused("epsilons must be finite", epsilons=[math.inf])
    rounded = RoundedGaussian(sigma=1.0, step=0.5, dimension=2)
    refused("only numbers that can be released", law=rounded)
    both = {"first": np.rint(rows), "second": np.rint(rows)}
    refused("shift must be multiples of step", law=rounded, shift=[0.3, 0.0], **both)
    whole = DiscreteGaussian(sigma=1.0, dimension=2)
    refused("shift must be whole numbers", law=whole, shift=[0.5, 0.0], **both)
    wide = DiscreteGaussian(sigma=1e6, dimension=2)
    refused("shift must be shorter", law=wide, shift=[1.0, 3.0], **both)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.5])
@pytest.mark.parametrize(
    "law",
    [
        DiscreteGaussian(sigma=2.0),
        Skellam(variance=4.0),
        Skellam(variance=4.0, modulus=16),
        Skellam(variance=4.0, bound=3),
        DiscreteGaussianSum(sigma=1.0, parties=2),
        DiscreteLaplaceSum(scale=1.0, parties=2, modulus=2),
    ],
    ids=repr,
)
def test_noise_that_is_no_whole_number_has_no_loss_of_whole_noise(law, bad):
    """It was once looked up as one below it; of a remainder, nan was a fault of the program."""
    noise = np.array([[1.0], [bad], [0.0]])
    with pytest.raises(ValueError, match=f"noise must be whole numbers, got {bad!r}"):
        law.loss(noise, np.array([1.0]))
    found = law.loss(np.array([[1.0], [0.0]]), np.array([1.0]))
    assert np.isfinite(found).all()
