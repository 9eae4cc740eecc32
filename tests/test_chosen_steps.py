"""Steps of a record that the data do not choose: the antipodal pair, epochs of bins, k of T."""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb

import dporacle
from dporacle import claims
from dporacle.cli import main
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import Epochs, antipodal, balls_and_bins, random_allocation
from dporacle.enclosures.batches.composed import EpochProduct, composed_delta, composed_epsilon
from dporacle.enclosures.batches.random_allocation import Allocation, Certain
from dporacle.enclosures.composition import repeated_delta, repeated_epsilon
from dporacle.mechanisms.sampling import supposed
from dporacle.mechanisms.training import read_training
from support.dear import mostly_dear
from support.truths.divergences import divergence
from support.truths.laws import normal

DELTA = Fraction(1, 10**5)

# σ, T, E at δ = 1e-5. Float prototypes extrapolated 4.2352, 2.8329, .1601, 1.5362 and 2.7564
# from lattices, each to 2 units of its last digit; that of one epoch of 1,000 batches, .09748, was
# 5e-5 too small: 1.6 million draws say δ(.0975313) = 1.0000(12)e-5.
REPLACED = [
    ("4", 1000, 10, ".160098720"),
    ("1", 100, 10, "2.83309130"),
    ("2", 1000, 1, ".0975312563"),
    ("1.1", 234, 60, "4.23513769"),
    ("1.3", 240, 15, "1.53623359"),
    ("3", 100, 100, "2.75647797"),
]


@pytest.mark.statement("X.BAT.REPLACED")
@pytest.mark.parametrize(("sigma", "batches", "epochs", "digits"), mostly_dear(REPLACED, 3))
def test_figures_of_a_replaced_record(sigma: str, batches: int, epochs: int, digits: str) -> None:
    run = Epochs(Fraction(sigma), batches, epochs)
    found = balls_and_bins.epsilon(run, DELTA, "replace")
    unit = Fraction(1, 10 ** len(digits.split(".")[1]))
    assert found.exact
    assert found.high - found.low < found.high / 10**8
    assert Fraction(digits) - unit < found.low <= found.high < Fraction(digits) + 2 * unit


# Digits of a Mellin transform without error bounds, which agree; its figure for σ = 2,
# .60309739241, left too many frequencies out.
EPOCHS = [
    ("1", 100, 10, "1.70149843583"),
    ("2", 100, 10, ".603096445096"),
    (".8", 100, 10, "2.90755231725"),
    ("1", 1000, 100, "1.62415125745"),
]


@pytest.mark.parametrize(("sigma", "batches", "epochs", "digits"), EPOCHS)
def test_several_epochs_have_twelve_digits(
    sigma: str, batches: int, epochs: int, digits: str
) -> None:
    found = balls_and_bins.epsilon(Epochs(Fraction(sigma), batches, epochs), DELTA, "both")
    assert found.high - found.low < found.high / 10**12
    unit = Fraction(1, 10 ** len(digits.split(".")[1]))
    assert Fraction(digits) - unit < found.low <= found.high < Fraction(digits) + 2 * unit


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_one_epoch_by_two_sums_is_that_of_the_inversion(direction: str) -> None:
    law = balls_and_bins.mean(Epochs(Fraction(1), 50, 1))
    found = composed_epsilon(
        DELTA, direction, lambda nats: EpochProduct([(balls_and_bins.Thrown(law), 1)], nats)
    )
    low, high = bounds(balls_and_bins.one_epoch_epsilon(law, DELTA, direction, 12))
    assert found.low <= high
    assert low <= found.high


@pytest.mark.parametrize(("mu", "times"), [("1/3", 7), ("2", 1), ("1/40", 2)])
def test_gaussian_releases_compose_by_two_sums(mu: str, times: int) -> None:
    """The product has a closed form, and every part of the two sums takes part."""
    step = Certain(Fraction(mu))
    kept: dict[float, EpochProduct] = {}

    def made(nats: float) -> EpochProduct:
        return kept.setdefault(nats, EpochProduct([(step, times)], nats))

    epsilon = composed_epsilon(DELTA, "remove", made)
    exact = repeated_epsilon(delta=DELTA, sigma=1 / Fraction(mu), releases=times, digits=20)
    assert epsilon.low <= bounds(exact)[0] <= bounds(exact)[1] <= epsilon.high
    delta = composed_delta(Fraction(1, 8), "add", made)
    profile = repeated_delta(
        epsilon=Fraction(1, 8), sigma=1 / Fraction(mu), releases=times, digits=20
    )
    with precision(300):
        assert ball(delta.low) <= profile.upper()
        assert profile.lower() <= ball(delta.high)


def test_a_delta_that_is_next_to_nothing_takes_two_products() -> None:
    """Each takes seconds with much noise; Chernoff's bound of one says how fine the next is."""
    made: list[float] = []

    def product(nats: float) -> EpochProduct:
        made.append(nats)
        return EpochProduct([(Certain(Fraction(1, 3)), 7)], nats)

    found = composed_delta(Fraction(20), "remove", product)
    exact = repeated_delta(epsilon=20, sigma=3, releases=7, digits=6)
    assert found.low <= bounds(exact)[0] <= bounds(exact)[1] <= found.high < Fraction(1, 10**39)
    assert len(made) == 2


def test_the_frequencies_of_a_price_are_found_in_few_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They were 37 of every price, and half of its time."""
    asked, turned = [], antipodal._Tails.turned

    def counted(self: Any, u: arb, v: arb) -> Any:
        asked.append(u)
        return turned(self, u, v)

    monkeypatch.setattr(antipodal._Tails, "turned", counted)
    antipodal.Antipodal(Fraction(1000), 10).prices(Fraction(1, 1000), range(1), 30.0)
    assert 0 < len(asked) <= 7


@pytest.mark.parametrize(("sigma", "batches"), [("1", 20), ("3", 100)])
def test_two_ways_to_price_the_antipodal_pair_agree(sigma: str, batches: int) -> None:
    """One sums over frequencies of a periodic function, one over logarithms of frequencies."""
    pair, step, nats = antipodal.Antipodal(Fraction(sigma), batches), Fraction(1, 8), 30.0
    with precision(320):
        tails = antipodal._Tails(pair, nats)
        mesh = antipodal._Mesh(tails, step, range(4), nats).prices()
        waves = [antipodal._price(pair, tails, ball(step) * j, nats) for j in range(4)]
    for one, other in zip(mesh, waves, strict=True):
        assert one.overlaps(other)
        assert one.rad() + other.rad() < arb(10) ** -10


def _grid(centre: float, sigma: float, count: int = 161) -> tuple[Any, Any, float]:
    """Return outputs, in units of the clipping norm, around a centre, and their distance."""
    x = np.linspace(centre - 8 * sigma, centre + 8 * sigma, count)
    return x, normal(x, 0, sigma), x[1] - x[0]


@pytest.mark.statement("X.BAT.REPLACED")
@pytest.mark.parametrize("sigma", [1.0, 2.5])
def test_the_antipodal_pair_of_two_batches_by_quadrature(sigma: float) -> None:
    x, _, step = _grid(0, sigma, 401)
    one, two = np.meshgrid(x, x, indexing="ij")
    p, q = (
        (normal(one, m, sigma) * normal(two, 0, sigma)) / 2
        + (normal(one, 0, sigma) * normal(two, m, sigma)) / 2
        for m in (1, -1)
    )
    run = Epochs(Fraction(sigma), 2, 1)
    for epsilon in (0.25, 1.0):
        found = balls_and_bins.delta(run, Fraction(epsilon), "replace")
        assert divergence(p, q, math.exp(epsilon), step * step) == pytest.approx(
            float(found.low), rel=2e-4
        )
        assert found.high - found.low < found.high / 10**8


# What an adversary adds at the second step, given the first output: with the record in the first
# batch or not, and with the other one there or not.
Choice = Callable[[Any], Any]
CHOICES: tuple[Choice, ...] = (
    lambda y: np.ones_like(y),
    lambda y: np.where(y < 0.3, 1.0, -1.0),
    lambda y: np.where(y < 0.3, -1.0, 0.5),
    lambda y: np.tanh(y),
)


@pytest.mark.parametrize("relation", ["replace", "zero-out"])
def test_no_adaptive_choice_is_above_the_upper_end(relation: str) -> None:
    """Two records and two batches, each in one of them: contributions that follow the past."""
    sigma, epsilon = 1.0, 0.5
    x, _, step = _grid(0, 1.25, 161)
    one, two = np.meshgrid(x, x, indexing="ij")
    run = Epochs(Fraction(1), 2, 1)
    high = float(balls_and_bins.delta(run, Fraction(epsilon), relation).high)
    reached = 0.0
    for first, second, other in itertools.product((1.0, -1.0), CHOICES, CHOICES[:3]):
        laws = []
        for sign in (1, 0 if relation == "zero-out" else -1):
            law = np.zeros_like(one)
            for mine, theirs in itertools.product((0, 1), repeat=2):
                start = (sign * first if mine == 0 else 0.0) + (1.0 if theirs == 0 else 0.0)
                then = sign * second(one) * (mine == 1) + other(one) * (theirs == 1)
                law += normal(one, start, sigma) * normal(two, then, sigma) / 4
            laws.append(law)
        for p, q in (laws, laws[::-1]):
            reached = max(reached, divergence(p, q, math.exp(epsilon), step * step))
    assert reached < high * (1 + 2e-3)  # the grid's error at the kink
    assert reached > high / 2


@pytest.mark.statement("X.BAT.ALLOC")
@pytest.mark.parametrize("relation", ["remove", "add", "replace"])
def test_the_pair_of_two_of_three_batches_lies_between_the_ends(relation: str) -> None:
    """Theorem R's pair itself, by quadrature over three outputs; adaptive choices are below it."""
    sigma, epsilon = 1.5, 0.75
    x, _, step = _grid(0.2, 1.2, 61)
    axes = np.meshgrid(x, x, x, indexing="ij")

    def law(mean: float) -> Any:
        return (
            sum(
                math.prod(normal(y, mean * (t in chosen), sigma) for t, y in enumerate(axes))
                for chosen in itertools.combinations(range(3), 2)
            )
            / 3
        )

    p, q = law(1.0), law(-1.0 if relation == "replace" else 0.0)
    if relation == "add":
        p, q = q, p
    value = divergence(p, q, math.exp(epsilon), step**3)
    found = random_allocation.delta(
        Allocation(Fraction(sigma), 3, 2, 1), Fraction(epsilon), relation
    )
    assert found.low * Fraction("0.99") <= Fraction(value) <= found.high * Fraction("1.01")
    assert found.low > found.high / 2


# T, k, σ: lower ends of a lattice in floats, and today's upper ends of k epochs of bins.
ALLOCATED = [
    (100, 5, "1", ("2.8703", "2.99563"), ("2.4116", "2.42838")),
    (1000, 10, "2", ("0.60259", "0.60310"), ("0.59903", "0.59945")),
    (1000, 10, "0.7", ("4.1024", "4.27473"), ("2.8805", "2.89665")),
]


@pytest.mark.statement("X.BAT.ALLOC")
@pytest.mark.parametrize(
    ("batches", "times", "sigma", "removed", "added"), mostly_dear(ALLOCATED, 4)
)
def test_figures_of_random_allocation(
    batches: int, times: int, sigma: str, removed: tuple[str, str], added: tuple[str, str]
) -> None:
    run = Allocation(Fraction(sigma), batches, times, 1)
    for way, (low, high) in (("remove", removed), ("add", added)):
        found = random_allocation.epsilon(run, DELTA, way)
        assert Fraction(low) < found.low < found.high < Fraction(high)


def test_one_of_t_is_bins_and_t_of_t_is_a_fixed_order() -> None:
    one = random_allocation.epsilon(Allocation(Fraction(2), 10, 1, 3), DELTA, "both")
    assert one == balls_and_bins.epsilon(Epochs(Fraction(2), 10, 3), DELTA, "both")
    every = random_allocation.epsilon(Allocation(Fraction(2), 4, 4, 3), DELTA, "replace")
    exact = repeated_epsilon(delta=DELTA, sigma=2, releases=12, sensitivity=2, digits=20)
    assert (
        every.low <= bounds(exact)[1] <= bounds(exact)[1] <= every.high * (1 + Fraction(1, 10**15))
    )
    # two of three batches, three epochs: above one epoch, below three batches of each
    some = random_allocation.epsilon(Allocation(Fraction(2), 3, 2, 3), DELTA, "both")
    less = random_allocation.epsilon(Allocation(Fraction(2), 3, 2, 1), DELTA, "both")
    more = random_allocation.epsilon(Allocation(Fraction(2), 3, 3, 3), DELTA, "both")
    assert less.high < some.low < some.high < more.low


def _shown(words: str) -> Any:
    result = CliRunner().invoke(main, [*words.split(), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_command_claims_and_function_read_random_allocation() -> None:
    given = {"noise_multiplier": 2, "participations": 2, "steps": 40, "sampling_rate": "1/20"}
    low, high = dporacle.dp_sgd_epsilon(**given, sampling="random-allocation", delta="1e-5")
    shown = _shown(
        "dp-sgd --sampling random-allocation --noise-multiplier 2 --batches-per-epoch 40"
        " --participations 2 --epochs 1 --delta 1e-5 --neighbours add-remove"
    )
    assert [float(each) for each in shown["epsilon"]["add-remove"]] == pytest.approx([low, high])
    about = {"kind": "dp-sgd", "sampling": "random-allocation", **given}
    for epsilon, verdict in ((high * 1.001, "HOLDS"), (low * 0.999, "VIOLATED")):
        said = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": "add-remove"}
        found = claims.audit({"id": "it", "mechanism": about, "asserts": said})
        assert found.verdict.name == verdict
    with pytest.raises(ValueError, match="steps must make whole epochs of 40 batches"):
        read_training(**given | {"steps": 41}, sampling="random-allocation")
    with pytest.raises(ValueError, match="participations must be at most batches_per_epoch"):
        read_training(
            noise_multiplier=2,
            sampling="random-allocation",
            batches_per_epoch=3,
            participations=4,
            steps=3,
        )


def test_microbatches_are_sensitivities_that_are_drawn() -> None:
    words = "dp-sgd --noise-multiplier 1 --steps 1000 --delta 1e-5"
    found = _shown(f"{words} --sampling-rate 0.01 --microbatches 2")
    law = "--drawn-sensitivity 1:0.0198 --drawn-sensitivity 2:0.0001"
    assert found["epsilon"] == _shown(f"{words} {law}")["epsilon"]
    assert found["epsilon"]["remove"][0].startswith("3.979085763")
    assert "microbatches" in {each["id"] for each in found["hypotheses"]}
    about = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.01", "steps": 1000}
    about |= {"sampling": "poisson", "microbatches": 2}
    for said, verdict in (
        ({"kind": "privacy", "epsilon": "3.98", "delta": "1e-5"}, "HOLDS"),
        ({"kind": "privacy", "epsilon": "3.97", "delta": "1e-5"}, "VIOLATED"),
        ({"kind": "gdp", "mu": 33}, "VIOLATED"),  # 2√T/σ is 63.2
    ):
        stated = {**said, "neighbours": "add-remove"}
        found = claims.audit({"id": "it", "mechanism": about, "asserts": stated})
        assert found.verdict.name == verdict
        assert "microbatches" in {each.id for each in found.hypotheses}
    # a group of two in two batches is drawn four times
    run = read_training(noise_multiplier=1, sampling_rate="0.01", steps=9, group=2, microbatches=2)
    assert run.draws == 4
    with pytest.raises(ValueError, match="group_cap must be absent with microbatches"):
        read_training(
            noise_multiplier=1, sampling_rate="0.01", steps=9, group=2, group_cap=1, microbatches=2
        )


@pytest.mark.parametrize("sampling", ["balls-and-bins", "random-allocation"])
def test_a_replaced_record_is_refuted_against_another_one(sampling: str) -> None:
    """The antipodal pair is the worst: the sentence says of which data sets it is."""
    said = supposed(sampling, "replace-one")
    assert "against another one's" in said
    assert "all others may contribute nothing" in said
