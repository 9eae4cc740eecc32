"""Groups under Poisson sampling: quadrature, one record, planar configurations, the command."""

import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import dporacle
from dporacle import arguments, claims, enclosures, fast, reference
from dporacle.claims.risks import setting_of
from dporacle.cli import main
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import poisson_ends
from dporacle.enclosures.batches.tilting import epsilon_below
from dporacle.enclosures.groups import (
    group_delta,
    group_epsilon,
    group_sigma,
    phase_of,
    schedule_of,
)
from dporacle.enclosures.subsampled_gaussian import _profile, delta_of, epsilon_of
from dporacle.reference.groups import _group, _of_two
from dporacle.wings.coq.propositions import NotCoveredError
from dporacle.wings.coq.statements import Evidence, proposition_of
from support.cases import table
from support.dear import mostly_dear
from support.truths.divergences import divergence, excess
from support.truths.laws import binomial, normal

DIRECTIONS = ("add", "remove", "replace")
SECONDS = pytest.mark.thorough("seconds each")


def law(size, rate, cap):
    """Return how far a step is moved, and how likely, without the enclosures' numbers."""
    weights = {}
    for j, chance in enumerate(binomial(size, rate)):
        weights[min(j, cap or size)] = weights.get(min(j, cap or size), 0.0) + chance
    return weights


def pair(weights, sigma, direction, x):
    """Return both densities of one step at x."""

    def density(sign):
        return sum(p * normal(x, sign * m, sigma) for m, p in weights.items())

    plain = normal(x, 0, sigma)
    if direction == "replace":
        return density(1), density(-1)
    return (plain, density(1)) if direction == "add" else (density(1), plain)


def quadrature(size, sigma, rate, steps, epsilon, direction, cap=None):
    """Return δ(ε) of one step or two."""
    return of_steps([(law(size, rate, cap), sigma)] * steps, epsilon, direction)


def of_steps(plan, epsilon, direction):
    """Return δ(ε) of one step or two: of the last by its level set, of the first by a sum."""
    (weights, sigma), (others, noise) = plan[0], plan[-1]
    reach = max(max(weights), max(others)) + 12 * max(sigma, noise)
    x, spacing = np.linspace(-reach, reach, 40001, retstep=True)
    p, q = pair(weights, sigma, direction, x)
    loss = np.log(p) - np.log(q)
    if len(plan) == 1:
        return divergence(p, q, math.exp(epsilon), spacing)
    rising = np.subtract(*map(np.log, pair(others, noise, direction, x)))
    # where the loss falls, x is mirrored
    rising = rising if rising[-1] > rising[0] else rising[::-1]

    def tail(z, sign):
        terms = [w * ndtr(-(z - sign * m) / noise) for m, w in others.items()]
        return sum(terms)

    rest = epsilon - loss
    z = np.interp(rest, rising, x)
    z = np.where(rest > rising[-1], np.inf, np.where(rest < rising[0], -np.inf, z))
    plain = ndtr(-z / noise)
    first, second = {
        "remove": (tail(z, 1), plain),
        "add": (plain, tail(z, -1)),
        "replace": (tail(z, 1), tail(z, -1)),
    }[direction]
    return divergence(p * first, q * second, math.exp(epsilon), spacing)


def close(ball, value, relative):
    low, high = map(float, bounds(ball))
    assert low * (1 - relative) - 1e-13 <= value <= high * (1 + relative) + 1e-13


CASES = [
    (2, 1.0, 0.1, 0.3, None),
    (8, 4.0, 0.01, 0.1, None),
    (5, 0.7, 0.5, 1.0, None),
    (5, 1.0, 0.3, 0.5, 2),
    (6, 3.0, 0.2, 0.0, None),
    (3, 2.0, 0.9, 0.2, 1),
    (50, 15.0, 0.9, 0.4, 1),  # absent with probability 1e-50, which 1 - rate in floats is not
]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(
    ("steps", "size", "sigma", "rate", "epsilon", "cap"),
    [(1, *each) for each in CASES]
    + [(2, *CASES[0])]
    + [
        pytest.param(2, *each, marks=pytest.mark.thorough("two steps take up to two seconds"))
        for each in CASES[1:]
    ],
)
def test_quadrature_agrees(size, sigma, rate, epsilon, cap, steps, direction):
    given_ = {"sigma": sigma, "rate": rate, "steps": steps, "size": size, "cap": cap}
    found = group_delta(epsilon=epsilon, direction=direction, digits=8, **given_)
    # the kink of the integrand costs the midpoint sum about (spacing·slope)², the table as much
    close(found, quadrature(size, sigma, rate, steps, epsilon, direction, cap), 2e-5)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_phases_of_a_group_and_drawn_sensitivities_agree_with_quadrature(direction):
    drawn = {Fraction(1, 2): Fraction(1, 10), Fraction(3): "0.01"}
    plan = schedule_of([(2, "0.1", 1, 2), (3, drawn, 1)], 3, direction)
    found = delta_of(plan, Fraction(1, 10), direction, 8)
    steps = [(law(3, 0.1, 2), 2.0), ({0: 0.89, 0.5: 0.1, 3: 0.01}, 3.0)]
    close(found, of_steps(steps, 0.1, direction), 2e-5)


@pytest.mark.parametrize("direction", mostly_dear(DIRECTIONS, 3))
def test_two_phases_of_one_step_are_an_integral_in_the_reference(direction):
    first, second = (
        _group(Fraction(2), Fraction(1, 10), 1, 3, 2),
        _group(Fraction(3), Fraction(3, 10), 1, 3, None),
    )
    plan = schedule_of([(2, "0.1", 1, 2), (3, "0.3", 1)], 3, direction)
    low, high = bounds(delta_of(plan, Fraction(1, 10), direction, 9))
    for each, other in ((first, second), (second, first)):
        value = arguments.exact("it", _of_two(each, other, Fraction(1, 10), direction, 7))
        assert low * (1 - Fraction(1, 10**7)) <= value <= high * (1 + Fraction(1, 10**7))


def test_phases_that_are_alike_are_one_run():
    binomial = {1: "0.243", 2: "0.027", 3: "0.001", 0: "0.729"}
    plans = [
        schedule_of([(4, "0.1", 30), (4, "0.1", 20, 7)], 3, "both"),
        schedule_of([(4, binomial, 50)], 1, "both"),
        [phase_of(4, "0.1", 50, 3, None, "both")],
    ]
    assert plans[0] == plans[1] == plans[2]


def test_the_least_factor_of_a_schedule_gives_its_epsilon():
    words = ["dp-sgd", "--delta", "1e-5", "--digits", "4", "--group", "2", "--json"]
    phases = ((2, "0.05", 20), (1, "0.02", 10))

    def asked(factor, *more):
        plan = [f"--phase={Fraction(factor) * sigma},{q},{t}" for sigma, q, t in phases]
        return json.loads(CliRunner().invoke(main, [*words, *plan, *more]).output)

    factor = asked(1, "--epsilon", "1")["noise_factor"]["add-remove"]
    high, low = (asked(each)["epsilon"]["add-remove"] for each in factor)
    assert Fraction(low[0]) <= 1 <= Fraction(high[1])
    assert Fraction(high[1]) - Fraction(low[0]) < Fraction(1, 1000)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_group_of_one_is_one_record(direction):
    one = {"sigma": Fraction(1), "rate": Fraction(1, 100), "steps": 300, "direction": direction}
    group = group_epsilon(delta=Fraction(1, 10**5), size=1, digits=9, **one)
    record = enclosures.subsampled_epsilon(delta=Fraction(1, 10**5), digits=9, **one)
    assert group.overlaps(record)
    capped = group_epsilon(delta=Fraction(1, 10**5), size=1, cap=7, digits=9, **one)
    assert capped.overlaps(record)


def test_a_group_that_is_always_there_is_one_longer_step():
    given_ = {"sigma": Fraction(8), "rate": Fraction(1), "steps": 4, "direction": "both"}
    found = group_epsilon(delta=Fraction(1, 10**5), size=5, cap=3, **given_)
    plain = enclosures.epsilon_at_delta(delta=Fraction(1, 10**5), sigma=4, sensitivity=3, digits=12)
    assert found.overlaps(plain)


@pytest.mark.parametrize(
    ("size", "sigma", "rate", "steps", "epsilon", "direction", "digits"),
    table("figures_of_another_program"),
)
def test_figures_of_another_program(size, sigma, rate, steps, epsilon, direction, digits):
    found = group_delta(
        epsilon=Fraction(epsilon),
        sigma=Fraction(sigma),
        rate=Fraction(rate),
        steps=steps,
        size=size,
        direction=direction,
        digits=9,
    )
    close(found, float(digits), 3e-9)


@pytest.mark.parametrize("direction", mostly_dear(DIRECTIONS, 3))
@pytest.mark.parametrize(("rate", "cap"), [("0.9", None), ("0.9", 1), ("0.5", None)])
def test_a_group_that_is_hardly_ever_absent(direction, rate, cap):
    at = {"sigma": 15, "rate": rate, "steps": 10, "size": 50, "cap": cap, "direction": direction}
    found = group_epsilon(delta="1e-5", digits=5, **at)
    quick = fast.group_epsilon(delta=1e-5, **{**at, "rate": float(rate)})
    # where float64 cannot invert, its answer is that of a group that is always there
    assert 0 < bounds(found)[0] <= quick


@settings(max_examples=40)
@given(
    sigma=st.floats(0.5, 5),
    rate=st.floats(0.02, 0.98),
    epsilon=st.floats(0, 3),
    size=st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
def test_no_planar_contributions_are_above_the_group(sigma, rate, epsilon, size, seed):
    """T-M: in the plane, any contributions of norm at most 1, in both orders."""
    draw = random.Random(seed)
    vectors = [
        draw.choice([1, 1, draw.random()]) * np.exp(2j * np.pi * draw.random()) for _ in range(size)
    ]
    side = np.linspace(-size - 7 * sigma, size + 7 * sigma, 301)
    area = (side[1] - side[0]) ** 2 / (2 * np.pi * sigma**2)
    plane = side[:, None] + 1j * side[None, :]
    plain = np.exp(-(np.abs(plane) ** 2) / (2 * sigma**2)) * area
    mixed = np.zeros_like(plain)
    for chosen in range(1 << size):
        there = [v for j, v in enumerate(vectors) if chosen >> j & 1]
        weight = rate ** len(there) * (1 - rate) ** (size - len(there))
        mixed += weight * np.exp(-(np.abs(plane - sum(there)) ** 2) / (2 * sigma**2)) * area
    for direction, p, q in (("remove", mixed, plain), ("add", plain, mixed)):
        value = divergence(p, q, math.exp(epsilon))
        top = group_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=1, size=size, direction=direction
        )
        assert value <= float(bounds(top)[1]) + 1e-4  # what the sum over so few cells may err


@pytest.mark.parametrize("size", [2, 6])
def test_a_larger_group_or_cap_loses_more(size):
    given_ = {"sigma": 4, "rate": Fraction(1, 50), "steps": 100, "direction": "both"}
    sizes = [
        bounds(group_delta(epsilon=Fraction(1, 2), size=k, digits=6, **given_))
        for k in (size - 1, size)
    ]
    assert sizes[0][1] < sizes[1][0]
    capped = bounds(group_delta(epsilon=Fraction(1, 2), size=size, cap=1, digits=6, **given_))
    assert capped[1] < sizes[1][0]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_shifts_that_hardly_any_run_has_are_left_out_with_proof(direction):
    phase = phase_of(2, "0.01", 20, 12, None, direction)
    point = arb("0.5")
    whole = bounds(_profile([phase], direction).delta(point, 9))
    for budget in ("1e-5", "1e-9", "1e-18"):
        profile = _profile([phase], direction, budget=Fraction(budget))
        assert len(profile.steps[0].parts) < 12
        assert 0 < profile.lost <= Fraction(budget)
        low, high = bounds(profile.delta(point, 12))
        assert low <= whole[1]
        assert whole[0] <= high


@pytest.mark.parametrize("direction", mostly_dear(DIRECTIONS, 3))
def test_float64_of_shifts_that_hardly_any_run_has(direction):
    at = {"sigma": 1, "rate": "1e-4", "steps": 100, "size": 20, "direction": direction}
    found = group_epsilon(delta="1e-5", digits=6, **at)  # σ is a twentieth of the longest shift
    not_below(fast.group_epsilon(delta=1e-5, **at | {"rate": 1e-4}), found, 1e-4)


def test_a_tilted_law_that_underflows_is_no_zero():
    """The product at ε was less than any float, and δ came out 10⁻¹³ times the exact one."""
    setting = {"epsilon": 7.786386275847592, "sigma": 4.242640687119285, "rate": 0.0052}
    found = fast.group_delta(**setting, steps=600, size=5, direction="remove")
    exact = enclosures.group_delta(**setting, steps=600, size=5, direction="remove", digits=6)
    assert bounds(exact)[0] <= found


def test_the_least_noise_of_a_group_is_refused_in_units_of_a_record():
    at = {"epsilon": 20.0, "delta": 0.5, "rate": 1e-4, "steps": 2, "size": 8}
    with pytest.raises(ValueError, match=r"sigma would be below 0.8$"):
        fast.group_sigma(**at, direction="remove")


def run(*words):
    base = ("--sampling-rate", "0.01", "--steps", "1000", "--delta", "1e-5", "--digits", "4")
    return CliRunner().invoke(main, ["dp-sgd", *base, *words])


def test_neither_a_multiple_of_epsilon_nor_of_mu_is_the_group():
    shown = json.loads(run("--noise-multiplier", "4", "--group", "8", "--json").output)
    single = json.loads(run("--noise-multiplier", "4", "--json").output)
    scaled = json.loads(run("--noise-multiplier", "1/2", "--json").output)
    group, one, longer = (
        float(each["epsilon"]["add-remove"][0]) for each in (shown, single, scaled)
    )
    assert shown["input"]["group"] == "8"
    assert "renyi" not in shown
    assert one < group < longer
    assert abs(group / (8 * one) - 1) > 0.05
    assert float(shown["epsilon"]["replace-one"][0]) > group
    printed = run("--noise-multiplier", "4", "--group", "2").output
    assert "remove a group" in printed
    assert "a record  " not in printed


@SECONDS
def test_the_noise_multiplier_of_a_group_gives_its_epsilon():
    words = ("--epsilon", "3", "--group", "3", "--group-cap", "2", "--digits", "6")
    found = json.loads(run(*words, "--json").output)["noise_multiplier"]
    for direction in ("add", "remove", "replace"):
        at = {"rate": Fraction(1, 100), "steps": 1000, "size": 3, "cap": 2, "digits": 8}
        deltas = [
            bounds(group_delta(epsilon=Fraction(3), sigma=Fraction(end), direction=direction, **at))
            for end in found["replace-one" if direction == "replace" else direction]
        ]
        assert deltas[0][0] >= Fraction(1, 10**5) >= deltas[1][1]


def judged(epsilon, neighbours="add-remove", **about):
    mechanism = {"kind": "dp-sgd", "noise_multiplier": 4, "sampling_rate": "0.1", "steps": 50}
    said = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": neighbours}
    return claims.audit({"id": "it", "mechanism": mechanism | about, "asserts": said})


@pytest.mark.parametrize(
    ("about", "holds", "fails"),
    [
        ({"group": 3}, "2.31179", "2.31178"),
        ({"records_per_user": 3}, "2.31179", "2.31178"),
        ({"group": 1}, "0.68422", "0.68421"),
    ],
)
def test_claims_about_groups_are_decided_on_both_sides(about, holds, fails):
    good, bad = judged(holds, **about), judged(fails, **about)
    assert (good.verdict.name, bad.verdict.name) == ("HOLDS", "VIOLATED")
    said = {each.id: each.says for each in good.hypotheses}
    assert said["group-differs"].endswith("records, all added or all removed")
    assert "group-drawn-apart" in said
    assert "contribute the full clipping norm" in bad.supposes
    assert ("of a user" in bad.supposes) == ("records_per_user" in about)
    assert not good.supposes
    assert claims.certificate(good)["standalone"].startswith("no")


def scheduled(epsilon, neighbours="add-remove", caps=(None, None), **about):
    phases = [
        {"noise_multiplier": sigma, "sampling_rate": rate, "steps": 20}
        | ({"group_cap": cap} if cap else {})
        for sigma, rate, cap in zip((4, 3), ("0.1", "0.05"), caps, strict=True)
    ]
    mechanism = {"kind": "dp-sgd-schedule", "phases": phases}
    said = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": neighbours}
    return claims.audit({"id": "it", "mechanism": mechanism | about, "asserts": said})


def test_claims_about_schedules_are_decided_on_both_sides():
    words = ["--phase=4,0.1,20", "--phase=3,0.05,20,2", "--group=3", "--delta=1e-5", "--json"]
    found = json.loads(CliRunner().invoke(main, ["dp-sgd", *words]).output)["epsilon"]
    for neighbours, name in (("zero-out", "add-remove"), ("replace-one", "replace-one")):
        for epsilon, verdict in zip(found[name], ("VIOLATED", "HOLDS"), strict=True):
            at = str(Fraction(epsilon) * (1 + Fraction(1 if verdict == "HOLDS" else -1, 10**6)))
            judged_so = scheduled(at, neighbours, caps=(None, 2), records_per_user=3)
            assert judged_so.verdict.name == verdict
            assert "times as large would do" in judged_so.limit
            assert ("the cap of a phase" in judged_so.supposes) == (verdict == "VIOLATED")
    last = scheduled(0, released="last-iterate")
    assert last.verdict.name == "UNDECIDED"
    assert scheduled("0.6").verdict.name == "HOLDS"


def test_claims_about_drawn_sensitivities_are_decided_on_both_sides():
    words = "--noise-multiplier=3 --steps=40 --drawn-sensitivity=1:0.05 --drawn-sensitivity=2:0.01"
    words = ["dp-sgd", *words.split(), "--delta=1e-5", "--json"]
    found = json.loads(CliRunner().invoke(main, words).output)["epsilon"]
    law = [
        {"sensitivity": 1, "probability": "0.05"},
        {"sensitivity": 2, "probability": "0.004"},
        {"sensitivity": 2, "probability": "0.006"},
    ]
    phases = [{"noise_multiplier": 3, "drawn_sensitivity": law, "steps": 40}]
    for neighbours, name in (("zero-out", "add-remove"), ("replace-one", "replace-one")):
        for epsilon, verdict in zip(found[name], ("VIOLATED", "HOLDS"), strict=True):
            at = str(Fraction(epsilon) * (1 + Fraction(1 if verdict == "HOLDS" else -1, 10**6)))
            judged_so = scheduled(at, neighbours, phases=phases)
            assert judged_so.verdict.name == verdict
            found_ids = {each.id for each in judged_so.hypotheses}
            assert "drawn-sensitivity" in found_ids
            assert "poisson-sampling" not in found_ids
            assert ("may move by all of it" in judged_so.supposes) == (verdict == "VIOLATED")
    mixed = [*phases, {"noise_multiplier": 3, "sampling_rate": "0.1", "steps": 2}]
    mixed_ids = {each.id for each in scheduled(9, phases=mixed).hypotheses}
    assert {"poisson-sampling", "drawn-sensitivity", "phases-fixed"} <= mixed_ids


def test_batches_that_are_summed_cost_as_much_as_records_that_are_together():
    """A record enters Bin(m, q) of m batches, as many as records of a group of m enter one."""

    def answer(*more):
        words = ["--noise-multiplier=3", "--sampling-rate=0.05", "--steps=40", "--delta=1e-5"]
        done = CliRunner().invoke(main, ["dp-sgd", *words, "--json", *more])
        assert done.exit_code == 0, done.output
        return json.loads(done.output)

    summed = answer("--microbatches=3")
    assert summed["epsilon"] == answer("--group=3")["epsilon"]
    assert summed["input"]["microbatches"] == "3"
    told = {each["id"]: each["says"] for each in summed["hypotheses"]}
    assert told["microbatches"].startswith("each noisy sum adds up as many batches as are stated")
    assert "poisson-sampling" in told
    assert answer("--microbatches=1")["epsilon"] == answer()["epsilon"]
    law = ["--drawn-sensitivity=1:0.135375", "--drawn-sensitivity=2:0.007125"]
    law += ["--drawn-sensitivity=3:0.000125", "--noise-multiplier=3", "--steps=40", "--delta=1e-5"]
    drawn = CliRunner().invoke(main, ["dp-sgd", *law, "--json"])
    assert json.loads(drawn.output)["epsilon"] == summed["epsilon"]
    assert answer("--microbatches=3", "--group=2")["epsilon"] == answer("--group=6")["epsilon"]
    for option, said in (
        ("--sampling=shuffled", "microbatches must be absent for sampling 'shuffled'"),
        ("--compare", "--microbatches has no --compare"),
    ):
        words = ["--noise-multiplier=3", "--sampling-rate=0.05", "--steps=40", "--delta=1e-5"]
        done = CliRunner().invoke(main, ["dp-sgd", *words, "--microbatches=3", option])
        assert done.exit_code == 2
        assert said in done.output


def test_a_length_that_is_given_twice_is_shown_with_its_whole_probability():
    words = ["--noise-multiplier=3", "--steps=40", "--delta=1e-5", "--json"]
    law = ("--drawn-sensitivity=1:0.05", "--drawn-sensitivity=2:0.004")
    once = CliRunner().invoke(main, ["dp-sgd", *words, *law])
    law = ("--drawn-sensitivity=1:.03", "--drawn-sensitivity=2:.004", "--drawn-sensitivity=1:.02")
    assert CliRunner().invoke(main, ["dp-sgd", *words, *law]).output == once.output
    assert json.loads(once.output)["input"]["sensitivity_1"] == "with probability 0.05"


def test_a_group_is_named_and_no_proposition_is_about_it():
    assert "a group of 2 records" in setting_of(judged(3, group=2).claim.mechanism).words
    found = claims.certificate(judged(3, group=2))
    with pytest.raises(NotCoveredError, match="groups"):
        proposition_of(found["claim"], Evidence(holds=True, proof="", proof_at=None))


@pytest.mark.statement("X.SG.GROUP")
@settings(max_examples=20)
@given(
    st.integers(1, 12),
    st.none() | st.integers(1, 12),
    st.fractions(Fraction(1, 10**4), 1) | st.sampled_from([Fraction(1), Fraction(1, 100)]),
    st.fractions(Fraction(1, 3), 20),
    st.just(Fraction(0)) | st.fractions(Fraction(1, 1000), 6),
    st.sampled_from(["both", *DIRECTIONS]),
)
def test_the_reference_finds_the_threshold_of_a_step(size, cap, rate, sigma, epsilon, direction):
    at = {"sigma": sigma, "rate": rate, "steps": 1, "size": size, "cap": cap}
    ball = group_delta(epsilon=epsilon, direction=direction, digits=15, **at)
    exact = reference.group_delta(epsilon=epsilon, direction=direction, digits=20, **at)
    low, high = bounds(ball)
    slack = abs(high) / 10**18
    assert low - slack <= arguments.exact("it", exact) <= high + slack


@pytest.mark.statement("X.SG.GROUP")
@pytest.mark.parametrize(
    "direction",
    ["add", *(pytest.param(each, marks=SECONDS) for each in ("remove", "both", "replace"))],
)
def test_the_reference_integrates_over_the_first_of_two_steps(direction):
    at = {"sigma": 1, "rate": "0.1", "steps": 2, "size": 3, "direction": direction}
    found = reference.group_delta(epsilon="0.1", digits=5, **at)
    assert float(found) == pytest.approx(float(group_delta(epsilon="0.1", **at)), rel=1e-9)


@pytest.mark.statement("X.SG.GROUP")
@pytest.mark.parametrize("direction", ["both", "replace"])
def test_the_reference_has_the_same_epsilon_and_noise(direction):
    at = {"rate": "0.1", "steps": 1, "size": 3, "cap": 2, "direction": direction, "delta": "1e-5"}
    found = reference.group_epsilon(sigma=2, digits=8, **at)
    assert float(found) == pytest.approx(float(group_epsilon(sigma=2, **at)), rel=1e-8)
    found = reference.group_sigma(epsilon=1, digits=6, **at)
    assert float(found) == pytest.approx(float(group_sigma(epsilon=1, digits=8, **at)), rel=1e-6)
    assert reference.group_epsilon(sigma=2, digits=8, **at | {"delta": "0.9"}) == 0


def not_below(found, ball, excess):
    """Whether a float64 answer is on the private side of a ball, and how far."""
    low, high = bounds(ball)
    assert found >= low
    assert found <= high * (1 + excess) + 5e-324


USUAL = [(2, 1.1, 1 / 234, 1000, 2), (8, 4.0, 0.01, 1000, 3), (16, 10.0, 0.05, 500, 8)]
USUAL += [(5, 2.0, 0.1, 1, 0.3), (3, 2.0, 0.5, 20, 3), (8, 4.0, 0.01, 10, 0.1), (2, 1, 1e-3, 5, 0)]


@pytest.mark.statement("X.SG.GROUP")
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("size", "sigma", "rate", "steps", "epsilon"), USUAL)
def test_float64_is_just_above(size, sigma, rate, steps, epsilon, direction):
    at = {"sigma": sigma, "rate": rate, "steps": steps, "size": size, "direction": direction}
    found = fast.group_delta(epsilon=epsilon, **at)
    not_below(found, group_delta(epsilon=Fraction(epsilon), digits=14, **at), 1e-7)


@pytest.mark.statement("X.SG.GROUP")
def test_float64_has_the_same_epsilon_and_noise():
    at = {"rate": 0.01, "steps": 1000, "size": 8, "direction": "both", "delta": 1e-5}
    found = fast.group_epsilon(sigma=4, **at)
    not_below(found, group_epsilon(sigma=4, digits=12, **at), 1e-9)
    sigma = fast.group_sigma(epsilon=2, **at)
    assert fast.group_epsilon(sigma=sigma, **at) == pytest.approx(2, rel=1e-9)
    capped = [fast.group_epsilon(sigma=4, cap=cap, **at) for cap in (1, 2, 8, None)]
    assert capped == sorted(capped)
    assert capped[2] == capped[3] == found
    always = fast.group_epsilon(
        delta=1e-5, sigma=[8, 16], rate=1, steps=4, size=3, direction="both"
    )
    plain = dporacle.epsilon_at_delta(delta=1e-5, sigma=[8, 16], sensitivity=6)
    assert always == pytest.approx(plain, rel=1e-12)


@pytest.mark.thorough("proofs of a second and more each")
@pytest.mark.statement("X.SG.GROUP")
@settings(max_examples=20)  # a tenth of a second each
@given(
    st.integers(2, 24),
    st.none() | st.integers(1, 12),
    st.floats(-4, 0).map(lambda x: 10**x),
    st.floats(-0.3, 1.3).map(lambda x: 10**x),
    st.floats(0, 3.5).map(lambda x: int(10**x)),
    st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]),
    st.sampled_from(DIRECTIONS),
)
def test_float64_is_never_below(size, cap, rate, sigma, steps, epsilon, direction):
    at = {"sigma": sigma, "rate": rate, "steps": steps, "size": size, "cap": cap}
    found = fast.group_delta(epsilon=epsilon, direction=direction, **at)
    try:
        ball = group_delta(epsilon=Fraction(epsilon), direction=direction, digits=8, **at)
    except ArithmeticError:
        return
    assert found >= bounds(ball)[0]


def test_the_reference_has_one_step_or_two():
    at = {"sigma": 1, "rate": "0.1", "size": 3, "epsilon": 1, "direction": "both"}
    for witness in (reference, enclosures):
        for wrong in ({"rate": 0}, {"size": 65}, {"cap": 0}, {"direction": "up"}, {"sigma": -1}):
            (name,) = wrong
            with pytest.raises(ValueError, match=name):
                witness.group_delta(steps=1, **at | wrong)
    with pytest.raises(ArithmeticError, match="at most 2 steps"):
        reference.group_delta(steps=3, **at)
    with pytest.raises(ValueError, match="every noise multiplier"):
        reference.group_sigma(epsilon=1, delta="0.9", rate="0.1", steps=1, size=2, direction="both")


@pytest.mark.statement("X.SG.GROUP")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_runs_that_are_drawn_have_this_delta(direction):
    """E(1 − e^{ε−L})₊ over drawn runs, by the empirical Bernstein bound of Maurer & Pontil (2009).

    A correct δ is outside with probability 10⁻⁹ at most; one that is wrong by a tenth is noticed.
    """
    size, sigma, rate, steps, epsilon, runs = 4, 4.0, 0.1, 40, 0.8, 200_000
    generator = np.random.default_rng(20240917)
    total = np.zeros(runs)
    for _ in range(steps):
        moved = 0 if direction == "add" else generator.binomial(size, rate, runs)
        first, second = pair(
            law(size, rate, None), sigma, direction, moved + sigma * generator.normal(size=runs)
        )
        total += np.log(first) - np.log(second)
    gained = excess(total, epsilon)
    rest = math.log(4e9)
    radius = math.sqrt(2 * gained.var(ddof=1) * rest / runs) + 7 * rest / (3 * (runs - 1))
    at = {"sigma": Fraction(4), "rate": Fraction(1, 10), "steps": steps, "size": size}
    low, high = map(float, bounds(group_delta(epsilon="0.8", direction=direction, digits=8, **at)))
    assert gained.mean() - radius <= high
    assert low <= gained.mean() + radius
    assert radius < 0.05 * low


@pytest.mark.parametrize("epsilon", [1e300, 1.7e308])
def test_a_huge_epsilon_is_refused_at_once(epsilon):
    """What may be left out there is 10 to the minus ε: a number that nobody can write down."""
    where = {"sigma": 1, "rate": Fraction(1, 100), "steps": 10, "direction": "remove"}
    with pytest.raises(ArithmeticError, match="epsilon is too large"):
        enclosures.group_delta(epsilon=epsilon, size=3, **where)
    with pytest.raises(ArithmeticError, match="epsilon is too large"):
        enclosures.subsampled_delta(epsilon=epsilon, **where)
    with pytest.raises(ArithmeticError, match="epsilon must be at most 10000 for more"):
        reference.subsampled_delta(epsilon=epsilon, **where)
    assert fast.subsampled_delta(epsilon=epsilon, **where | {"rate": 0.01}) == 5e-324


@pytest.mark.parametrize(
    ("delta", "phases", "apart", "direction"),
    [
        ("1e-5", [("4", "0.01", 100, 8, None)], 2e-3, "add"),
        ("1e-5", [("4", "0.01", 100, 8, None)], 2e-3, "replace"),
        ("1e-3", [("1", "0.1", 5, 3, 2)], 0.05, "remove"),
        ("1e-3", [("1", "0.1", 5, 3, 2)], 0.05, "replace"),
        ("1e-6", [("3", "0.2", 2, 2, None), ("2", "0.1", 3, 2, None)], 0.05, "remove"),
    ],
)
def test_two_ends_hold_the_exact_epsilon(delta, phases, apart, direction):
    plan = [phase_of(*each, direction) for each in phases]
    exact = bounds(epsilon_of(plan, Fraction(delta), direction, 6))
    ends = poisson_ends.epsilon(plan, Fraction(delta), direction)
    assert ends.low <= exact[1]
    assert exact[0] <= ends.high
    assert ends.high - ends.low <= apart * exact[1]
    laws = poisson_ends._Laws(plan, Fraction(delta), direction)
    assert epsilon_below(laws.polygons(), Fraction(delta)) <= exact[1]
    assert exact[0] <= laws.by_moments() < 3 * exact[1]


@pytest.mark.parametrize("direction", mostly_dear(DIRECTIONS, 3))
def test_moments_hold_the_epsilon_of_very_many_steps(direction):
    target = Fraction(1, 10**6)
    plan = [phase_of("20", "0.05", 10**6, 1, None, direction)]
    law = poisson_ends._Laws(plan, target, direction)
    exact = bounds(epsilon_of(plan, target, direction, 6))
    assert exact[1] * Fraction(7, 8) < epsilon_below(law.polygons(), target) <= exact[1]
    assert exact[0] <= law.by_moments() < exact[1] * Fraction(11, 10)
    plan = [phase_of("0.5", "0.2", 10**6, 1, None, direction)]  # once [17.1, 3.39e5] for remove
    ends = poisson_ends.epsilon(plan, Fraction(1, 10**12), direction)
    assert ends.high < ends.low * Fraction(1005, 1000)


def test_with_little_noise_a_group_has_two_ends():
    """The inversion of the direction remove did not end in five minutes there."""
    at = {"sigma": "0.3", "rate": "1e-3", "steps": 100, "size": 50}
    plan = [phase_of(*at.values(), None, "remove")]
    ends = poisson_ends.epsilon(plan, Fraction(1, 10**5), "remove")
    assert 98.9 < ends.low < ends.high < 101.2
    drawn = [("0.3", {1: "0.9"}, 100000)]  # and far out
    ends = poisson_ends.epsilon(schedule_of(drawn, 1, "both"), Fraction(1, 10**9), "both")
    assert 0 < ends.low < ends.high < 10**6


def test_a_claim_about_a_group_is_decided_by_two_ends(monkeypatch):
    def refused(*_, **__):
        raise ArithmeticError("too much work")

    monkeypatch.setattr("dporacle.mechanisms.training.TrainingRun.enclose", refused)
    mechanism = {
        "kind": "dp-sgd",
        "noise_multiplier": 4,
        "sampling_rate": "0.01",
        "steps": 100,
        "group": 8,
    }
    for epsilon, verdict in (("0.1", "VIOLATED"), (9, "HOLDS")):
        said = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": "replace-one"}
        found = claims.audit({"id": "it", "mechanism": mechanism, "asserts": said})
        assert found.verdict.value == verdict
