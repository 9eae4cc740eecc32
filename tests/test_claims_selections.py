"""Selections in compositions: two proved ends, never on the wrong side."""

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx
from test_audit import Content, judged, privacy
from test_claims_boxes import FIGURES, REPLACED, brute, composed
from test_claims_compositions import LAWS

from dporacle import claims, enclosures
from dporacle.claims import selections
from dporacle.claims.losses import LaplaceLoss
from dporacle.claims.mechanisms import Composition
from dporacle.claims.selections import BoundedRangeLoss, ChosenPair
from dporacle.verdicts import Verdict
from support.truths.laws import gaussian_profile


def exponential(epsilon: object, times: int, **fields: object) -> Content:
    return {"kind": "exponential", "epsilon": epsilon, "times": times, **REPLACED, **fields}


def gaussians(multiplier: object, times: int = 1) -> Content:
    one = {"kind": "gaussian", "noise_multiplier": multiplier, **REPLACED}
    return {"kind": "composition", "times": times, "releases": [one]}


def together(*releases: Content) -> Content:
    return {"kind": "composition", "records": "same", "times": 1, "releases": list(releases)}


def ends(mechanism: Content, epsilon: object, delta: object) -> tuple[float, float, Verdict]:
    found = judged(mechanism, privacy(epsilon, delta, "replace-one"))
    return float(found.low), float(found.high), found.verdict


@pytest.mark.statement("X.GAME")
@pytest.mark.parametrize(
    ("eta", "times", "epsilon", "fixed", "low", "high"),
    [  # δ of the best common t, and ends of the game with 32 steps to a range
        (1, 2, 1, 0.057005329029, 0.056836, 0.057034),
        (1, 10, 4, 0.0168165185, 0.0176630, 0.0177461),
        ("0.5", 20, "2.5", 0.0156179336, 0.0162056, 0.0162729),
        (2, 5, 6, 0.0274601095, 0.0282024, 0.0284875),
    ],
)
def test_selections_alone(
    eta: Any, times: int, epsilon: Any, fixed: float, low: float, high: float
) -> None:
    below, above, verdict = ends(exponential(eta, times), epsilon, str((fixed + high) / 2))
    assert below == pytest.approx(fixed, rel=2e-5)
    assert below <= fixed * (1 + 1e-6)
    assert low <= above <= high
    assert verdict is Verdict.UNDECIDED or above < (fixed + high) / 2
    adaptive = exponential(eta, times, adaptive=True)
    assert ends(adaptive, epsilon, str(low * 0.999))[2] is Verdict.VIOLATED
    assert ends(adaptive, epsilon, str(high))[2] is Verdict.HOLDS


@pytest.mark.statement("X.GAME")
def test_one_selection_is_exact_and_after_gaussians_its_mean() -> None:
    exact = enclosures.exponential_mechanism_delta(epsilon="1/2", scale=2, sensitivity=1, digits=20)
    low, high, _ = ends(exponential(1, 1), "0.5", "0.08")
    assert low == pytest.approx(float(exact), rel=1e-15)
    assert high == pytest.approx(float(exact), rel=1e-15)
    low, high, verdict = ends(together(exponential(1, 1), gaussians(1)), 1, "0.1839")
    assert low == pytest.approx(0.17082, abs=1e-5)  # scores that see nothing
    assert 0.183826204452485 <= high <= 0.1838362  # scores that see the Gaussian answers
    assert verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("eta", "times", "mu", "delta", "fixed", "high"),
    [("0.1", 100, "0.5", "1e-5", 2.9398, 2.9490), (1, 10, 1, "1e-5", 8.8405, 9.0187)],
)
def test_selections_with_gaussians(
    eta: Any, times: int, mu: Any, delta: Any, fixed: float, high: float
) -> None:
    ledger = together(exponential(eta, times), gaussians(str(1 / Fraction(mu))))
    assert ends(ledger, str(high), delta)[2] is Verdict.HOLDS
    assert ends(ledger, str(round(fixed - 2e-3, 6)), delta)[2] is Verdict.VIOLATED


def test_the_game_in_balls_is_inside_that_in_floats() -> None:
    """Every choice of a stage in balls, three stages."""
    ctx.prec, before = 120, ctx.prec
    eta, cuts, times = Fraction(1), 20, 3
    step, size = eta / cuts, cuts * times
    value = selections.game([(eta, times)], cuts).values
    points = range(-size - cuts * times, size + cuts * times + 1)
    row = {
        j: -((arb(j) * step.numerator / step.denominator).expm1()) if j < 0 else arb(0)
        for j in points
    }
    whole = 1 - (-arb(1)).exp()
    share = [-(arb(i) / cuts - 1).expm1() / whole for i in range(cuts + 1)]
    for _ in range(times):
        inner = [j for j in row if j - cuts in row and j + cuts in row]
        row = {
            j: max(
                (
                    share[i] * row[j - i] + (1 - share[i]) * row[j - i + cuts]
                    for i in range(cuts + 1)
                ),
                key=lambda each: float(each.mid()),
            )
            for j in inner
        }
    below = {j: selections.played_below([(eta, times)], cuts, j * step, None) for j in (0, 17, 30)}
    ctx.prec = before
    for j, low in below.items():
        exact = float(row[j].mid())
        assert float(low) == pytest.approx(exact, rel=1e-12)
        assert exact < value[j + size] < exact * 1.02


def test_two_ranges_in_any_order() -> None:
    """An order that is chosen on the way is worse than any fixed one."""
    game = selections.game([(Fraction(3, 2), 3), (Fraction(1), 3)], 60)
    place = Fraction(157, 128) / game.step
    above = game.values[game.size + math.floor(place)]
    assert above >= 0.3271476
    assert game.values[game.size + math.ceil(place)] <= 0.3271476
    mixed = together(exponential("1.5", 3), exponential(1, 3))
    assert 0.3271476 <= ends(mixed, "157/128", "0.33")[1] <= 0.328
    low, high, _ = ends(together(exponential(1, 1), exponential("0.25", 1)), "0.6", "0.06")
    assert low <= 0.0570 <= high <= 0.0572


@pytest.mark.statement("X.FLIP")
def test_permute_and_flip_and_noisy_max() -> None:
    flip = {"kind": "permute-and-flip", "epsilon": 1, **REPLACED}
    low, high, _ = ends({**flip, "times": 1}, "0.5", "0.5")
    assert low == high == pytest.approx(0.2211992169285951, rel=1e-15)
    low, high, verdict = ends({**flip, "times": 2}, 1, "0.24")
    assert low == pytest.approx(0.2379418670064192, rel=2e-3)
    assert low <= 0.2379418670064192 <= high
    assert verdict is Verdict.UNDECIDED
    low, high, _ = ends({**flip, "times": 10}, 4, "0.3")
    assert 0.279 <= low <= 0.2816
    assert high == pytest.approx(0.3309, rel=3e-3)
    most = {
        "kind": "noisy-max",
        "noise": "laplace",
        "sensitivity": 1,
        "monotonic": False,
        "times": 1,
    }
    for scale, epsilon, exact in ((2, "0.5", 0.05723781067311731), ("0.5", 1, 0.5608656614872657)):
        two = {**most, "scale": scale, "candidates": 2, **REPLACED}
        low, high, _ = ends(two, epsilon, "0.9")
        assert low == high == pytest.approx(exact, rel=1e-15)
        many = {**two, "candidates": 3}
        low, high, _ = ends(many, epsilon, "0.9")
        assert low <= exact < high
    assert ends({**two, "candidates": 1}, 0, 0)[2] is Verdict.HOLDS


def test_above_threshold_has_a_pure_epsilon() -> None:
    vector = {"kind": "above-threshold", "threshold_scale": 2, "query_scale": 8, "positives": 3,
              "sensitivity": 1, "monotonic": False, "times": 1, **REPLACED}  # fmt: skip
    assert ends(vector, "1.25", 0)[2] is Verdict.HOLDS
    assert ends(vector, "1.2499", 0)[2] is Verdict.VIOLATED
    assert ends(vector, "1.2", "1e-9")[2] is Verdict.UNDECIDED
    assert ends({**vector, "monotonic": True}, "0.875", 0)[2] is Verdict.HOLDS


def test_the_sum_of_rho_decides_what_the_game_does_not_follow() -> None:
    """Of ranges ε it is below ε²/8 each; of permute-and-flip that would be false."""
    many = exponential("0.01", 10_000)  # ρ is nearly 1/8
    assert ends(many, 5, "1e-9")[2] is Verdict.HOLDS
    assert ends(exponential("1e-6", 10**9), 1, "1e-9")[2] is Verdict.HOLDS
    huge = {"kind": "permute-and-flip", "epsilon": 1, "times": 10**9, **REPLACED}
    assert ends(huge, 1, "1e-3")[2] is not Verdict.HOLDS
    least = enclosures.exponential_mechanism_zcdp_rho(scale=2, sensitivity=1)  # so that ε = 1
    assert 1 / 8 > BoundedRangeLoss(Fraction(1)).zcdp() == pytest.approx(float(least), rel=1e-15)
    assert LaplaceLoss(Fraction(1)).zcdp() == pytest.approx(math.exp(-1), rel=1e-15)


# An attack by small finite mechanisms.


def attack(kind: str, eta: float, source: random.Random) -> list[tuple[float, float]]:
    """Return a pair of laws of a mechanism, at random data."""
    line = {"kind": kind, "epsilon": eta, "kinds": 3}
    return LAWS.drawn(line, source)  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(6))
def test_no_small_mechanism_is_above_the_upper_end(seed: int) -> None:
    source = random.Random(seed)
    kinds = source.choices(["exponential", "permute-and-flip", "randomised-response"], k=4)
    sizes = {kind: source.choice(["0.5", "1"]) for kind in sorted(set(kinds))}
    releases = [
        {"kind": kind, "epsilon": sizes[kind], "times": kinds.count(kind), **REPLACED,
         **({"kinds": 3} if kind == "randomised-response" else {})}
        for kind in sizes
    ]  # fmt: skip
    epsilon = source.choice(["0", "0.25", "1", "1.5"])
    low, high, _ = ends(together(*releases), epsilon, "0.5")
    worst = 0.0
    for _ in range(60):
        pairs = [attack(kind, float(sizes[kind]), source) for kind in kinds]
        worst = max(worst, brute(pairs, float(epsilon)))
    assert worst <= high + 1e-12
    assert low <= high
    # The lower end is reached by two candidates with a gap that is the same each time.
    selected = [kind for kind in sizes if kind != "randomised-response"]
    reached = 0.0
    for gaps in itertools.product(range(-24, 9), repeat=len(selected)):
        fixed = {}
        for kind, gap in zip(selected, gaps, strict=True):
            eta = float(sizes[kind])
            wins = LAWS.softmax if kind == "exponential" else LAWS.flipped
            sides = [wins([gap / 8 + move, 0.0]) for move in (eta / 2, -eta / 2)]
            fixed[kind] = list(zip(*sides, strict=True))
        pairs = [fixed.get(kind) or attack(kind, float(sizes[kind]), source) for kind in kinds]
        reached = max(reached, brute(pairs, float(epsilon)))
    assert low <= reached * 1.02
    assert reached <= high + 1e-12


@pytest.mark.parametrize("family", ["range", "flip", "laplace"])
def test_a_member_with_rounded_losses_is_a_processing_of_two_candidates(family: Any) -> None:
    """Its profile is not above that of the best two candidates, and near it."""
    members = selections._members(ChosenPair(family, Fraction(1)))
    exact = {
        "range": BoundedRangeLoss(Fraction(1)).delta_at_epsilon,
        "flip": LaplaceLoss(Fraction(1)).delta_at_epsilon,
        "laplace": lambda epsilon, digits: selections.noisy_max_delta(epsilon, Fraction(1), digits),
    }[family]
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(4, 5)):
        best = max(float(each.delta_at_epsilon(epsilon=epsilon, digits=15)) for each in members)
        top = float(exact(epsilon=epsilon, digits=15))
        assert 0.97 * top - 1e-3 <= best <= top * (1 + 1e-12)


def test_rounding_of_masses_is_outward() -> None:
    third = Fraction(1, 3)
    assert selections._float(third, up=False) < third < selections._float(third, up=True)


def test_a_selection_without_loss_adds_nothing() -> None:
    parts, epsilon, delta = FIGURES[0]
    ours = composed([*parts, ("exponential", {"epsilon": 0}, 5)])
    found = judged(ours, privacy(epsilon, "0.2", "replace-one"))
    assert abs(Fraction(found.high) - Fraction(delta)) < Fraction(1, 10**14)


RUN = {"kind": "dp-sgd", "noise_multiplier": 2, "sampling_rate": "0.05", "sampling": "poisson"}


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_run_of_dp_sgd_beside_a_gaussian_release(relation: str) -> None:
    """As a schedule with a phase of rate 1, which is decided by transforms."""
    release = {"kind": "gaussian", "noise_multiplier": 3, "neighbours": relation}
    if relation == "replace-one":
        release["noise_multiplier"] = "3/2"  # a phase of rate 1 moves by twice the clipping norm
    parts = [{**RUN, "steps": 20}, release]
    phases = [
        {"noise_multiplier": 2, "sampling_rate": "0.05", "steps": 20},
        {"noise_multiplier": 3, "sampling_rate": 1, "steps": 1},
    ]
    exact = judged({"kind": "dp-sgd-schedule", "phases": phases}, privacy(1, "0.5", relation))
    found = judged(together(*parts), privacy(1, exact.high, relation))
    assert float(found.low) <= float(exact.low) <= float(exact.high) <= float(found.high)
    assert float(found.high) <= 1.02 * float(exact.low)
    assert float(found.low) >= 0.98 * float(exact.low)


def test_one_pair_of_neighbours_has_one_way() -> None:
    """Two runs: a record is more in both, or less in both."""
    two = claims.make({"id": "x", "mechanism": together({**RUN, "steps": 3}, {**RUN, "steps": 4}),
                       "asserts": privacy(1, "0.5")}).mechanism  # fmt: skip
    assert isinstance(two, Composition)
    ways = [loss.ways() for loss in two.extent("add-remove").least]
    assert sorted(ways, key=str) == [{"add"}, {"remove"}]


@pytest.mark.parametrize("beside", ["gaussian", "randomised-response", "both"])
def test_what_an_adversary_reaches_before_the_rest(beside: str) -> None:
    """One selection first, then the rest: the best t, by the profile of the rest in floats."""
    laws: list[Content] = []
    profile: Any = lambda e: -math.expm1(min(e, 0))  # noqa: E731
    if beside != "randomised-response":
        laws.append(gaussians(1))

        def profile(e: float) -> float:
            return float(gaussian_profile(e, 1))

    if beside != "gaussian":
        laws.append({"kind": "randomised-response", "epsilon": "0.5", "kinds": 3, "times": 1})
        inner, whole = profile, math.exp(0.5) + 2

        def profile(e: float) -> float:
            masses = ((0.5, math.exp(0.5)), (0.0, 1.0), (-0.5, 1.0))
            return sum(mass / whole * inner(e - at) for at, mass in masses)

    best = max(
        (1 - math.exp(t - 1)) * profile(1 - t) - math.expm1(t) / math.e * -1 * profile(2 - t)
        for t in (j / 4000 for j in range(4001))
    ) / (1 - math.exp(-1))
    ledger = together(exponential(1, 1, adaptive=True), *laws)
    low, high, _ = ends(ledger, 1, str(Fraction(best) * Fraction(995, 1000)))
    assert 0.999 * best <= low <= best * (1 + 1e-9)
    assert low <= high
    assert ends(ledger, 1, str(Fraction(best) * Fraction(995, 1000)))[2] is Verdict.VIOLATED
