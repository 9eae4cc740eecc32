"""Batches drawn anew at each step: of a fixed size, and with replacement."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb, fmpz
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from dporacle.cli import main
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import fixed_size, poisson_ends, with_replacement
from dporacle.enclosures.batches.curves import BITS, Product
from dporacle.enclosures.batches.fixed_size import Steps
from dporacle.enclosures.batches.lattice_below import coarser_below
from dporacle.enclosures.batches.repeated_step import _coarser
from dporacle.enclosures.batches.with_replacement import _ROOT_BITS, BatchesWithReplacement
from support.dear import mostly_dear
from support.truths.divergences import divergence
from support.truths.laws import binomial, gaussian_profile, normal


def profile(mu: float, a: float) -> float:
    """H_a(N(μ,1)‖N(0,1))."""
    return float(gaussian_profile(math.log(a), mu))


# Figures at δ = 10⁻⁵ by another inversion, the upper ones rounded to their last digit.
@pytest.mark.parametrize(
    ("sigma", "rate", "times", "low", "high"),
    [
        ("2", "0.01", 1000, "1.82823666652", "2.1989099"),
        ("5", "0.1", 1000, "6.15175878739", "6.9135896"),
    ],
)
def test_epsilon_of_real_settings(sigma: str, rate: str, times: int, low: str, high: str) -> None:
    steps = Steps(Fraction(sigma), Fraction(rate), times)
    found = fixed_size.epsilon(steps, Fraction("1e-5"), "replace")
    assert float(found.low) == pytest.approx(float(low), rel=1e-11)
    # Chords lie above the curve: by a part in 10⁴ here, never below.
    assert float(high) * (1 - 3e-8) <= float(found.high) <= float(high) * 1.0003
    assert not found.exact


@pytest.mark.parametrize(
    ("rate", "times", "delta", "most"),
    mostly_dear([("0.01", 1000, "1e-45", "14.2"), ("1e-10", 10**15, "1e-5", "8.1e13")], 2),
)
def test_a_tiny_delta_and_very_many_steps_have_two_ends(
    rate: str, times: int, delta: str, most: str
) -> None:
    """Masses have as many bits as δ needs; beyond the lattice stands the Gaussian of all steps."""
    steps = Steps(Fraction(2 if times == 1000 else 5), Fraction(rate), times)
    found = fixed_size.epsilon(steps, Fraction(delta), "replace")
    assert 0 < found.low < found.high < Fraction(most)


def _two_steps(sigma: float, rate: float, epsilon: float) -> tuple[float, float]:
    """δ of the remove direction and then the larger one, and of the larger one twice: integrals."""
    with mpmath.workdps(20):
        mp = mpmath.mp
        gap, q, a = mp.mpf(2) / sigma, mp.mpf(rate), mp.exp(epsilon)

        def once(b: mpmath.mpf) -> mpmath.mpf:
            if b < 1:
                return 1 - b + b * once(1 / b)
            z = mp.log((b - 1 + q) / q) / gap + gap / 2
            return q * mp.ncdf(gap - z) - (b - 1 + q) * mp.ncdf(-z)

        def removed(t: mpmath.mpf) -> mpmath.mpf:
            w = 1 - q + q * mp.exp(gap * t - gap**2 / 2)
            return mp.npdf(t) * w * once(a / w)

        def inner(t: mpmath.mpf) -> mpmath.mpf:
            w = 1 - q + q * mp.exp(gap * t - gap**2 / 2)
            return removed(t) + mp.npdf(t) * once(a * w)

        kink = mp.log((a - 1 + q) / q) / gap + gap / 2  # where a/w is 1
        ends = sorted({gap / 2, max(kink, gap / 2), max(kink, gap / 2) + 3, kink + 30})
        atom = (1 - q) * (2 * mp.ncdf(gap / 2) - 1)
        low = mp.quad(removed, [-30, gap / 2 - 3, gap / 2 - 1, *ends])
        return float(low), float(mp.quad(inner, ends) + atom * once(a))


@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon"), [(2.0, 0.1, 0.5), (0.6, 0.5, 2.0), (8.0, 0.01, 0.001)]
)
def test_two_steps_are_a_quadrature(sigma: float, rate: float, epsilon: float) -> None:
    reached, expected = _two_steps(sigma, rate, epsilon)
    steps = Steps(Fraction(sigma), Fraction(rate), 2)
    found = fixed_size.delta(steps, Fraction(epsilon), "replace")
    assert found.low <= found.high
    # The integral is good to 10⁻¹², and chords of 2¹⁶ cells to 10⁻⁴ of values that are not tiny.
    assert expected - 1e-12 <= float(found.high) <= expected * 1.001 + 1e-12
    assert reached * 0.9995 - 1e-12 <= float(found.low) <= reached + 1e-12
    composed = bounds(
        enclosures.fixed_size_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=2, direction="both"
        )
    )
    assert found.low > composed[1]  # what an accountant says that composes the worst single step


def test_one_step_and_no_sampling_are_exact() -> None:
    steps = Steps(Fraction(1), Fraction(1, 10), 1)
    found = fixed_size.delta(steps, Fraction(1, 2), "replace")
    a = math.exp(0.5)
    z = math.log((a - 0.9) / 0.1) / 2 + 1
    twice = 0.1 * math.erfc((z - 2) / math.sqrt(2)) - (a - 0.9) * math.erfc(z / math.sqrt(2))
    expected = twice / 2
    assert found.exact
    assert float(found.low) == pytest.approx(expected, rel=1e-12)
    whole = fixed_size.delta(Steps(Fraction(3), Fraction(1), 4), Fraction(1), "replace")
    assert whole.exact
    assert float(whole.high) == pytest.approx(profile(2 * 2 / 3, math.e), rel=1e-12)


@pytest.mark.statement("X.BAT.SIZE")
@settings(max_examples=25)
@given(
    st.floats(math.log(0.4), math.log(20)).map(math.exp) | st.sampled_from([1, 2, 1.1, 0.5]),
    st.floats(math.log(1e-4), math.log(0.999)).map(math.exp) | st.sampled_from([0.01, 0.5]),
    st.floats(0, 6),
    st.sampled_from(["add", "remove"]),
    st.just(1),
)
@example(2.0, 0.1, 0.5, "remove", 2)
@example(4.0, 0.5, 0.1, "add", 2)
def test_the_sum_moves_by_two(
    sigma: float, rate: float, epsilon: float, direction: str, steps: int
) -> None:
    """Others contribute −1 and the record 1: an integral of the densities of one or two sums.

    The grid's sum errs by the square of its width at the kink, and by that of 12σ at the ends.
    """
    nodes = 6001 if steps == 1 else 801
    x = np.linspace(-1 - 12 * sigma, 1 + 12 * sigma, nodes)
    width = float(x[1] - x[0])
    without, other = (normal(x, m, sigma) for m in (-1, 1))
    first = (1 - rate) * without + rate * other
    p, q = (without, first) if direction == "add" else (first, without)
    if steps == 2:
        p, q = np.outer(p, p), np.outer(q, q)
    expected = divergence(p, q, math.exp(epsilon), width**steps)
    slack = (1 + math.exp(epsilon)) * 10 * (width / sigma) ** 2
    asked = {"epsilon": epsilon, "sigma": sigma, "rate": rate, "steps": steps}
    low, high = bounds(enclosures.fixed_size_delta(**asked, direction=direction, digits=9))
    assert float(low) - slack <= expected <= float(high) + slack
    assert low <= Fraction(float(fast.fixed_size_delta(**asked, direction=direction)))
    if steps == 1:
        value = reference.fixed_size_delta(**asked, direction=direction)
        assert float(value) == pytest.approx(float(high), rel=1e-8, abs=1e-300)


def test_no_batch_of_all_records_has_one_record_more_or_less() -> None:
    for witness in (reference, fast, enclosures):
        for rate, direction, named in ((1.0, "both", "rate"), (0.5, "replace", "direction")):
            with pytest.raises(ValueError, match=named):
                witness.fixed_size_delta(
                    epsilon=1, sigma=2, rate=rate, steps=3, direction=direction
                )


def _sums(data: Sequence[float], size: int, *, again: bool) -> Counter[float]:
    """The sum of a batch's contributions -> in how many draws it comes."""
    draws = itertools.product(data, repeat=size) if again else itertools.combinations(data, size)
    return Counter(sum(each) for each in draws)


def _divergence(first: Counter[float], second: Counter[float], a: float, sigma: float) -> float:
    x = np.linspace(-12 * sigma - 6, 12 * sigma + 6, 40_001)

    def density(sums: Counter[float]) -> np.ndarray:
        return sum(n * normal(x, m, sigma) for m, n in sums.items()) / sum(sums.values())

    return float(divergence(density(first), density(second), a, x[1] - x[0]))


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=3),
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.integers(1, 3),
    st.floats(0.5, 3),
    st.floats(-1, 2),
    st.booleans(),
)
@example([-1.0], 1.0, -1.0, 3, 1.26, math.log(1.06), True)
def test_no_small_data_set_is_worse_than_one_steps_bound(
    others: list[float],
    record: float,
    other: float,
    size: int,
    sigma: float,
    loss: float,
    again: bool,
) -> None:
    """All draws of all batches are listed; the sum of a grid is good to 10⁻⁶ of a kink."""
    n = len(others) + 1
    size = size if again else min(size, n)
    a = math.exp(loss)
    first, second = (_sums([*others, r], size, again=again) for r in (record, other))
    found = _divergence(first, second, a, sigma)
    if again:
        bound = with_replacement._Laws(
            BatchesWithReplacement(Fraction(sigma), size, n, 1), "replace", 1e-9
        )._height
    else:
        steps = Steps(Fraction(sigma), Fraction(size, n), 1)

        def bound(b: arb) -> arb:
            return fixed_size._height(steps, b)

    with precision(BITS):
        highest = float(bound(arb(max(a, 1 / a))).upper())
    highest = highest if a >= 1 else 1 - a + a * highest
    assert found <= highest + 1e-6


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=3),
    st.sampled_from([-1.0, 0.5, 1.0]),
    st.integers(1, 3),
    st.floats(0.5, 3),
    st.floats(-1, 2),
    st.sampled_from(["fixed-size", "with-replacement", "removed"]),
    st.booleans(),
)
@example([-1.0], 1.0, 1, 1.0, 1.0, "fixed-size", False)
@example([-1.0], 1.0, 2, 1.0, 1.0, "with-replacement", False)
@example([-1.0], 1.0, 2, 1.0, 1.0, "removed", True)
def test_no_small_data_set_is_worse_than_the_bound_of_a_record_less(
    others: list[float],
    record: float,
    size: int,
    sigma: float,
    loss: float,
    scheme: str,
    swapped: bool,
) -> None:
    """A record is zeroed out, or removed where all draws are with replacement, in both orders."""
    n = len(others) + 1
    again = scheme != "fixed-size"
    size, a = size if again else min(size, n), math.exp(loss)
    first = _sums([*others, record], size, again=again)
    second = _sums(others if scheme == "removed" else [*others, 0.0], size, again=again)
    if swapped:
        first, second = second, first
    found = _divergence(first, second, a, sigma)
    noise, draws = Fraction(sigma), BatchesWithReplacement(Fraction(sigma), size, n, 1)
    with precision(BITS):
        more, at = arb(max(a, 1 / a)), arb(1 / a if swapped else a)
        if scheme == "removed":
            bound = with_replacement._Laws(draws, "both", 1e-9)._of_pair(at)
            highest = float(bound.upper())
            highest = 1 - a + a * highest if swapped else highest
        elif scheme == "with-replacement":
            bound = with_replacement._Laws(draws, "zero-out", 1e-9)._height(more)
            highest = float(bound.upper())
            highest = highest if a >= 1 else 1 - a + a * highest
        else:
            steps = Steps(noise, Fraction(size, n), 1)
            apart = (a >= 1) != swapped  # which of the two curves is that of the larger ratios
            bound = fixed_size._apart(steps, more)
            if not apart:
                bound = fixed_size._removed(noise, steps.rate, more)
            highest = float(bound.upper())
            highest = highest if a >= 1 else 1 - a + a * highest
    assert found <= highest + 1e-6


@pytest.mark.parametrize(
    ("scheme", "adjacency"),
    [("fixed-size", "zero-out"), ("with-replacement", "zero-out"), ("with-replacement", "remove")],
)
def test_two_steps_lie_between_the_ends(scheme: str, adjacency: str) -> None:
    """Others −1 and the record 1 are within reach: both orders by the densities of two sums."""
    sigma, size, n, epsilon = 1.5, 2, 6, 0.5
    x = np.linspace(-8 * sigma, 8 * sigma + 2 * size, 1201)
    copies = [1 - size / n, size / n, 0.0]
    if scheme == "with-replacement":
        copies = binomial(size, 1 / n)

    def law(gap: int) -> np.ndarray:
        total = sum(w * normal(x, gap * j, sigma) for j, w in enumerate(copies))
        return total / total.sum()

    p, q = law(2), law(1 if adjacency == "zero-out" else 0)
    p, q = np.outer(p, p), np.outer(q, q)
    reached = divergence(p, q, math.exp(epsilon))
    if scheme == "fixed-size":
        steps = Steps(Fraction("1.5"), Fraction(size, n), 2)
        found = fixed_size.delta(steps, Fraction(1, 2), adjacency)
    else:
        draws = BatchesWithReplacement(Fraction("1.5"), size, n, 2)
        found = with_replacement.delta(draws, Fraction(1, 2), adjacency)
    assert found.exact == (adjacency == "remove")
    assert reached <= float(found.high) * 1.001  # a grid's error
    # One step's half lines lose less than a hundredth of what is reached.
    assert 0.99 * reached <= float(found.low) <= float(found.high)
    if adjacency == "remove":
        assert float(found.high) <= 1.002 * reached


def test_one_step_of_a_zeroed_record_is_exact() -> None:
    found = fixed_size.delta(Steps(Fraction(1), Fraction(1, 10), 1), Fraction(1, 2), "zero-out")
    x = np.linspace(-12, 14, 260_001)
    p, q = (0.9 * normal(x) + 0.1 * normal(x, m) for m in (2, 1))
    value = divergence(p, q, math.exp(0.5), 1e-4)
    assert found.exact
    assert float(found.low) == pytest.approx(value, rel=1e-6)
    whole = fixed_size.epsilon(Steps(Fraction(3), Fraction(1), 4), Fraction("1e-5"), "zero-out")
    assert whole.exact


@pytest.mark.parametrize(
    ("scheme", "least"), [("fixed-size", "7.13"), ("with-replacement", "6.63")]
)
def test_a_zeroed_record_has_two_ends(scheme: str, least: str) -> None:
    """Where the others contribute nothing Poisson sampling is reached, ε = 2.40500; −1 is worse."""
    delta = Fraction(1, 3000)
    if scheme == "fixed-size":
        steps = Steps(Fraction(1), Fraction(50, 3000), 1000)
        found = fixed_size.epsilon(steps, delta, "zero-out")
        replaced = fixed_size.epsilon(steps, delta, "replace")
    else:
        draws = BatchesWithReplacement(Fraction(1), 50, 3000, 1000)
        found = with_replacement.epsilon(draws, delta, "zero-out")
        replaced = with_replacement.epsilon(draws, delta, "replace")
    assert Fraction(least) < found.low < found.high < replaced.high
    poisson = enclosures.subsampled_epsilon(
        delta=delta, sigma=1, rate=Fraction(1, 60), steps=1000, direction="both"
    )
    assert Fraction("2.4049") < bounds(poisson)[0] < found.low


@given(st.integers(2, 1000), st.floats(0.5, 8), st.floats(0, 5))
@settings(max_examples=20)
def test_one_draw_is_a_batch_of_one(records: int, sigma: float, loss: float) -> None:
    """With B = 1 both schemes are the same, and so are the curves that bound one step."""
    draws = BatchesWithReplacement(Fraction(sigma), 1, records, 7)
    steps = Steps(Fraction(sigma), Fraction(1, records), 7)
    with precision(BITS):
        a = arb(loss).exp()
        ours = with_replacement._Laws(draws, "replace", 1e-9)._height(a)
        assert abs(ours - fixed_size._height(steps, a)) < arb(2) ** -_ROOT_BITS


@pytest.mark.thorough("many draws")
def test_draws_of_real_settings() -> None:
    """The ends of this version, for whoever changes them: the gap has to get smaller."""
    draws = BatchesWithReplacement(Fraction(2), 256, 25_600, 1000)
    found = with_replacement.epsilon(draws, Fraction("1e-5"), "replace")
    # Others that contribute against a record that is drawn or not: more than R composed, 1.81840.
    assert 1.885527 < float(found.low) < 1.885528
    assert found.low < found.high < Fraction("2.3298")
    # Many copies, and a small δ: a lattice that is too short left more than δ at its end.
    draws = BatchesWithReplacement(Fraction("9.294"), 64, 192, 3)
    found = with_replacement.epsilon(draws, Fraction("2.56e-12"), "replace")
    assert Fraction("0.88") < found.low < found.high < Fraction("5.5")


@given(
    st.lists(st.integers(0, 2**100), min_size=1, max_size=9),
    st.integers(-9, 9),
    st.integers(-12, 12),
)
def test_every_second_point_dominates(cells: list[int], offset: int, at: int) -> None:
    """δ at any ε does not fall, and neither law loses mass."""
    law = Product(Fraction(1, 4), offset, [*map(fmpz, cells)], 5, upper=True)
    coarse = _coarser(law)
    assert sum(coarse.cells) == sum(cells)
    assert coarse.infinite == 5
    epsilon = arb(at) / 3
    assert not coarse.delta(epsilon) < law.delta(epsilon)
    second = [
        sum(
            float(mass) * math.exp(-float(each.step) * k)
            for k, mass in enumerate(each.cells, each.offset)
        )
        for each in (law, coarse)
    ]
    # Each mass between two points is rounded up by less than two units.
    assert second[1] <= second[0] * (1 + 1e-12)
    assert second[1] == pytest.approx(second[0], rel=1e-9, abs=2 * len(cells) * math.exp(5))


@given(st.lists(st.integers(0, 2**100), min_size=1, max_size=9), st.integers(-9, 9))
@example([2**100, 0, 2**99, 2**98, 2**97, 0, 2**100], -3)
def test_every_second_point_is_dominated(cells: list[int], offset: int) -> None:
    """Σ m(1 − e^{ε−loss})₊ does not rise at any ε, of either sign; no mass is lost."""
    law = Product(Fraction(1, 4), offset, [*map(fmpz, cells)], 0, upper=False)
    coarse = coarser_below(law)
    assert sum(coarse.cells) == sum(cells)

    def price(each: Product, epsilon: float) -> float:
        losses = enumerate(each.cells, each.offset)
        gaps = ((float(m), epsilon - float(each.step) * k) for k, m in losses)
        return sum(m * -math.expm1(min(gap, 0.0)) for m, gap in gaps)

    for at in range(-12, 13):  # masses are rounded to this side; a gap is 0, or 1/12 and more
        assert price(coarse, at / 3) <= price(law, at / 3) * (1 + 1e-13), at


def test_every_second_point_loses_second_order() -> None:
    """Of a Gaussian loss of variance 1 a lattice of length 1/8 loses half its square."""
    wide, unit = 64, Fraction(1, 16)
    law = [fmpz(int(2.0**100 * math.exp(-((k * 0.0625) ** 2) / 2))) for k in range(-wide, wide)]
    coarse = coarser_below(Product(unit, -wide, law, 0, upper=False))

    def mean(each: Product, power: int) -> float:
        losses = enumerate(each.cells, each.offset)
        total = sum(float(m) for m in each.cells)
        return sum(float(m) / total * (k * float(each.step)) ** power for k, m in losses)

    before, after = (
        mean(each, 2) - mean(each, 1) ** 2
        for each in (Product(unit, -wide, law, 0, upper=False), coarse)
    )
    assert 0 < before - after < float(unit) ** 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fixed-size --sampling-rate 1 --steps 3", "replace one"),
        ("fixed-size --sampling-rate 1e-400 --steps 9 --adjacency replace", "[0, 0], attained"),
    ],
)
def test_the_command(words: str, said: str) -> None:
    """A batch of all records has no neighbour under add or remove."""
    line = f"dp-sgd --noise-multiplier 3 --delta 1e-5 --sampling {words}"
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, result.output
    assert said in result.output
    assert "add or remove" not in result.output


@pytest.mark.statement("X.BAT.SIZE")
@pytest.mark.parametrize(
    ("epsilon", "sigma", "rate", "steps"),
    mostly_dear(
        [(0.5, 2, 0.1, 2), (0.05, 2, 0.1, 1), (3, 1, 0.01, 2), (0.1, 8, 0.5, 2), (0, 0.7, 0.9, 2)],
        3,
    ),
)
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_few_steps_at_distance_two(
    epsilon: float, sigma: float, rate: float, steps: int, direction: str
) -> None:
    """The reference integrates over sums at −1 and 1; the enclosures halve the noise."""
    given = {"epsilon": epsilon, "sigma": sigma, "rate": rate, "steps": steps}
    exact = enclosures.fixed_size_delta(**given, direction=direction, digits=14)
    value = reference.fixed_size_delta(**given, direction=direction, digits=12)
    with precision(200):
        shown = arb(mpmath.nstr(value, 20))
        assert abs(exact - shown) <= exact.rad() + exact * arb("2e-12")


@pytest.mark.parametrize(
    ("adjacency", "gap"), [("zero-out", "1.2"), ("both", "1.03"), ("replace", "1.1")]
)
def test_little_noise_is_answered_between_near_ends(adjacency: str, gap: str) -> None:
    """The search for the value took half a minute here, and ended in a refusal."""
    steps = Steps(Fraction("0.05"), Fraction(1, 100), 100)
    found = fixed_size.epsilon(steps, Fraction("1e-5"), adjacency)
    assert 1000 < found.low < found.high < found.low * Fraction(gap)
    assert not found.exact


@pytest.mark.parametrize("kind", ["remove", "replace"])
@pytest.mark.parametrize(("sigma", "rate", "steps"), [("0.4", "0.1", 20), ("1", "0.3", 3)])
def test_the_largest_sums_say_no_more_than_is_true(
    kind: str, sigma: str, rate: str, steps: int
) -> None:
    """And telling all batches says no less; at little noise both are near."""
    given = {"sigma": Fraction(sigma), "rate": Fraction(rate), "steps": steps}
    exact = bounds(
        enclosures.subsampled_epsilon(delta=Fraction("1e-5"), **given, direction=kind, digits=9)
    )
    phase = given["sigma"], given["rate"], steps, ()
    below = poisson_ends._by_hits(phase, Fraction("1e-5"))
    assert exact[0] / 2 < below <= exact[1]
    told = fixed_size._told_when(
        Steps(given["sigma"], given["rate"], steps),
        Fraction("1e-5"),
        "replace" if kind == "replace" else "zero-out",
    )
    assert exact[0] <= told


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_the_reference_and_the_balls_agree_on_two_steps(direction: str) -> None:
    where = {"epsilon": "0.1", "sigma": "0.5", "rate": "0.5", "steps": 2, "direction": direction}
    low, high = bounds(enclosures.fixed_size_delta(**where, digits=8))
    value = Fraction(*reference.fixed_size_delta(**where, digits=6).as_integer_ratio())
    assert low * (1 - Fraction(1, 10**6)) <= value <= high * (1 + Fraction(1, 10**6))
