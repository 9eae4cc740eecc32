"""What the noisy sum is divided by: runs whose divisor is computed from the number of records."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import dporacle
from dporacle import claims, risk
from dporacle.cli import main
from dporacle.enclosures.full_batch_mean import full_batch_mean_delta, full_batch_mean_epsilon
from dporacle.mechanisms.division import DivisionByCount
from dporacle.mechanisms.training import TrainingRun, read_training
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import HYPOTHESES
from support.dear import mostly_dear
from support.truths.laws import binomial

# Figures of another program, by an integral at 40 digits: rate or batch size, records, dimension
# and steps; the least ε at δ = 1e-5 where a record is removed, and where one is added. Its others
# are those of the divisors and coordinates in `test_averaging`.
SCALES = [
    ({"sampling_rate": "256/60000"}, 60000, 10, 1000, 2.185959359224395, 2.281195750301901),
    ({"sampling_rate": "256/60000"}, 60000, 1000, 1000, 38.01065214326731, 38.3623147378159),
    ({"batch_size": 500}, 50000, 100, 1000, 28.94363196315181, 28.20111180636981),
    ({"sampling_rate": "1/240"}, 60000, 26010, 2400, 1189.353573702914, 1196.335086225073),
]
# n, σ, T, d, and ε of both orders, full batches divided by n. The first two rows and the last
# ones are our own, of the integral below; the others also another program's.
MEANS = [
    (100, 4, 10, 1, 7.200302089154, 7.744295556813),
    (100, 4, 10, 100, 7.559356506454, 8.100305230587),
    (100, 4, 10, 10**4, 30.527049987583, 31.352188943096),
    (60000, 10, 100, 1000, 9.996726096423, 9.997752008432),
]
OF_THE_CHAIN = {
    *("poisson-sampling", "rate-and-steps-fixed", "clipped", "others-apart", "batches-hidden")
}
WORDS = ["dp-sgd", "--noise-multiplier", "3", "--delta", "1e-5", "--divisor", "from-n"]
RUN = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling": "poisson", "steps": 1000}
FROM_N = {"divisor": "from-n", "batch_size": 500, "dataset_size": 50000, "dimension": 1000}
ASKED = {"kind": "privacy", "epsilon": "2", "delta": "1e-5", "neighbours": "add-remove"}


def shown(*words: str) -> Any:
    result = CliRunner().invoke(main, [*WORDS, *words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def judged(about: dict[str, Any], **said: Any) -> Any:
    return claims.audit({"id": "it", "mechanism": RUN | about, "asserts": ASKED | said})


def ids(found: Any) -> set[str]:
    return {each["id"] if isinstance(each, dict) else each.id for each in found}


@pytest.mark.parametrize(
    ("drawn", "records", "dimension", "steps", "remove", "add"), mostly_dear(SCALES, 2)
)
def test_the_figures_of_scales_come_out_of_the_command(
    drawn: dict[str, Any], records: int, dimension: int, steps: int, remove: float, add: float
) -> None:
    words = [f"--{name.replace('_', '-')}={value}" for name, value in drawn.items()]
    words += [f"--dataset-size={records}", f"--dimension={dimension}", f"--steps={steps}"]
    both = ("--neighbours", "add", "--neighbours", "remove", "--neighbours", "add-remove")
    found = shown(*words, *both)
    lows = {name: float(low) for name, (low, _) in found["epsilon"].items()}
    expected = {"remove": remove, "add": add, "add-remove": max(add, remove)}
    assert lows == pytest.approx(expected, rel=1e-11)
    used = {"divided-from-n", "steps-fixed", "every-sum-released"}
    used |= {"rate-from-n"} if "batch_size" in drawn else set()
    if found["epsilon"]["add"][1] is not None:  # the rate is one, and the scales tell little
        assert remove < 250
        assert "sampling_rate" in drawn
        used = used - {"steps-fixed"} | OF_THE_CHAIN
    assert ids(found["hypotheses"]) == used


@pytest.mark.parametrize(("records", "sigma", "steps", "dimension", "remove", "add"), MEANS)
def test_the_figures_of_full_batches_come_out_of_the_command(
    records: int, sigma: int, steps: int, dimension: int, remove: float, add: float
) -> None:
    for direction, expected in (("remove", remove), ("add", add)):
        found = full_batch_mean_epsilon(
            delta="1e-5",
            sigma=sigma,
            records=records,
            steps=steps,
            dimension=dimension,
            direction=direction,
        )
        assert float(found) == pytest.approx(expected, rel=1e-11)
    run = read_training(
        noise_multiplier=sigma,
        sampling_rate=1,
        dataset_size=records,
        steps=steps,
        divisor="from-n",
        dimension=dimension,
    )
    ends = run.ends(Fraction("1e-5"), "add-remove")
    assert ends.exact
    assert float(ends.low) == pytest.approx(max(remove, add), rel=1e-11)
    assert ids(ends.hypotheses) == {
        *("divided-from-n", "steps-fixed", "every-sum-released", "clipped", "others-apart")
    }


def _scale(coordinates: int, ratio: float, epsilon: float, *, narrow: bool) -> float:
    """Return δ of two scales: X.AVG.SCALE, at any ε."""
    k, slope, level = coordinates / 2, 1 - ratio**-2, coordinates * math.log(ratio)
    w = (level - epsilon if narrow else level + epsilon) / slope
    if w <= 0:
        return 0.0 if narrow else 1 - math.exp(epsilon)
    gamma = special.gammainc if narrow else special.gammaincc
    own, other = (w, w / ratio**2) if narrow else (w / ratio**2, w)
    return float(gamma(k, own) - math.exp(epsilon) * gamma(k, other))


@given(
    st.integers(10, 300),
    st.floats(0.5, 8),
    st.integers(2, 5),
    st.integers(4, 30),
    st.floats(0, 4),
    st.booleans(),
)
@example(100, 4.0, 10, 1, 7.200302089154, True)
@example(10, 3.0, 2, 4, 1.0, False)
def test_a_full_batch_is_a_mean_and_a_scale(
    records: int, sigma: float, steps: int, dimension: int, epsilon: float, narrow: bool
) -> None:
    """One integral over the coordinate that moves, of the scales of the others."""
    ratio, shift = records / (records - 1), 2 * math.sqrt(steps) / sigma
    others = steps * dimension - 1

    def integrand(z: float) -> float:
        if narrow:
            loss = math.log(ratio) - z * z / 2 + (shift + z) ** 2 / (2 * ratio**2)
        else:
            loss = -math.log(ratio) - z * z / 2 + (ratio * z - shift) ** 2 / 2
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return density * _scale(others, ratio, epsilon - loss, narrow=narrow)

    expected = integrate.quad(integrand, -12, 12, limit=400, epsabs=1e-14, epsrel=1e-10)[0]
    if expected < 1e-9:  # of which the integral's digits are few
        return
    try:
        found = full_batch_mean_delta(
            epsilon=epsilon,
            sigma=sigma,
            records=records,
            steps=steps,
            dimension=dimension,
            direction="remove" if narrow else "add",
        )
    except ArithmeticError:  # the inversion of such a loss needs too much work
        assert records < 20
        assert steps * dimension < 30
        return
    assert float(found) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("records", "batch", "divisors"),
    [
        (50000, 500, [499, 500, 495]),
        (60000, 250, [249, 250, 248]),
        (60160, 256, [255, 256, 254]),
        (50000, 512, [510, 510, 510]),
        (1568, 32, [31, 32, 31]),  # in floats 1568·(1/49) is below 32
    ],
)
def test_divisors_are_computed_exactly_for_three_data_sets(
    records: int, batch: int, divisors: list[int]
) -> None:
    found = DivisionByCount(records, batch, Fraction(0), 1)
    assert [found.divisor(n) for n in found.around()] == divisors
    assert found.differs() == (len(set(divisors)) > 1)


@pytest.mark.parametrize("relation", ["replace-one", "zero-out"])
def test_where_both_data_sets_have_as_many_records_nothing_changes(relation: str) -> None:
    plain = {"noise_multiplier": 1, "sampling_rate": "0.01", "steps": 100, "delta": "1e-5"}
    found = dporacle.dp_sgd_ends(
        **plain, dataset_size=1000, divisor="from-n", dimension=10**6, neighbours=relation
    )
    same = dporacle.dp_sgd_ends(**plain, neighbours=relation)
    assert (found.low, found.high) == (same.low, same.high)
    assert ids(found.hypotheses) ^ ids(same.hypotheses) == {
        *("divided-from-n-alike", "divided-by-public")
    }
    (said,) = (each.says for each in found.hypotheses if each.id == "divided-from-n-alike")
    assert said.endswith("both data sets have the same number: 10 with 1000 records")


def test_claims_are_refuted_by_the_scale_whatever_the_noise() -> None:
    for noise in (1, 1000):
        found = judged(FROM_N | {"noise_multiplier": noise})
        assert found.verdict is Verdict.VIOLATED
        assert "no noise multiplier lowers the lower end" in found.margin
        # A public divisor alone leaves the rate, which tells.
        assert "with a public divisor and rate ε would be" in found.margin
        assert "all contributions may vanish" in str(found.supposes)
        assert float(found.epsilon.low) == pytest.approx(162.16223984, rel=1e-9)
    few = {"divisor": "from-n", "sampling_rate": "0.1", "dataset_size": 2000, "dimension": 1}
    loose = judged(few | {"steps": 5}, epsilon=30)
    assert loose.verdict is Verdict.HOLDS
    assert loose.margin.startswith(
        "no noise multiplier lowers the lower end; with a public divisor ε would be"
    )
    undecided = judged(FROM_N, epsilon=200)
    assert undecided.verdict is Verdict.UNDECIDED
    alike = judged(FROM_N | {"batch_size": 512})
    assert (alike.verdict, alike.told) == (Verdict.HOLDS, "HOLDS")
    held = judged(FROM_N, neighbours="zero-out")
    assert (held.verdict, held.told) == (Verdict.HOLDS, "HOLDS")
    nothing = judged(FROM_N, delta=0, epsilon=10**6)
    assert nothing.verdict is Verdict.VIOLATED


def test_what_refutes_a_claim_is_what_its_end_supposes() -> None:
    """Where no scale differs nothing is told by contributions that vanish."""
    vanish = "all contributions may vanish"
    assert judged(FROM_N).supposes == vanish
    alike = judged(FROM_N | {"batch_size": 512}, epsilon="0.5")
    assert alike.verdict is Verdict.VIOLATED
    assert "the full clipping norm" in str(alike.supposes)
    whole = {"divisor": "from-n", "sampling_rate": 1, "dataset_size": 100, "dimension": 100}
    against = judged(whole | {"steps": 10, "noise_multiplier": 4}, epsilon=8)
    assert against.verdict is Verdict.VIOLATED
    assert "all others may contribute the same in the opposite direction" in str(against.supposes)
    alone = {"divisor": "from-n", "batch_size": 1, "dataset_size": 10, "dimension": 2, "steps": 3}
    rates = judged(alone, epsilon=3, delta=0)
    assert rates.verdict is Verdict.VIOLATED
    assert "the full clipping norm" in str(rates.supposes)
    told = judged(alone, epsilon="0.1", delta="0.01")
    assert told.verdict is Verdict.VIOLATED
    assert "the full clipping norm" in str(told.supposes)
    assert "no noise multiplier" not in told.margin
    assert "poisson-sampling" in ids(told.hypotheses)
    assert judged(alone, epsilon=4, delta="0.01").verdict is Verdict.UNDECIDED


def test_a_rate_that_is_computed_from_the_number_tells_by_how_many_are_drawn() -> None:
    """50,000 records in 100 batches, one more in 101, and a public divisor: another program's."""
    from dporacle.enclosures.batches.counted_rate import counted_epsilon

    laws = {"often": (50000, Fraction(1, 100)), "seldom": (50001, Fraction(1, 101))}
    run = {"sigma": Fraction(1), **laws, "times": 1000, "delta": Fraction("1e-5")}
    for swapped, figure in enumerate((54.08172589659765, 53.797800552537886)):
        value = counted_epsilon(**run, swapped=bool(swapped))
        assert figure * (1 - 4e-7) < value <= figure * (1 + 1e-9)


def test_what_a_rate_tells_in_one_step_is_reached() -> None:
    """One record that is always drawn, against Bin(2, 1/3)."""
    from dporacle.enclosures.batches.counted_rate import counted_epsilon

    some = {"often": (1, Fraction(1)), "seldom": (2, Fraction(1, 3))}
    high = counted_epsilon(
        sigma=Fraction(1, 2), **some, times=1, delta=Fraction("0.1"), swapped=False
    )

    def lost(t: float) -> float:
        p, q = special.ndtr(2 * (1 - t)), 0.0
        for k, weight in enumerate((4 / 9, 4 / 9, 1 / 9)):
            q += weight * special.ndtr(2 * (k - t))
        return float(p - math.exp(float(high)) * q)

    assert max(lost(t / 1000) for t in range(-2000, 4000)) == pytest.approx(0.1, rel=2e-3)


@pytest.mark.thorough("tails and densities at some 3,000 losses, and two products")
def test_what_a_rate_tells_is_proved_from_above_too() -> None:
    """Of the two laws of the number alone, whose ratio rises: H_a = P(x > t) − aQ(x > t).

    The ratio of the numbers' chances is (n + 1 − k)/(n + 1) times a power of the odds' ratio, which
    rises up to n − 99, and noise keeps that (a Gaussian density is totally positive).
    """
    from dporacle.enclosures.arithmetic.balls import precision
    from dporacle.enclosures.arithmetic.normal import normal_tail
    from dporacle.enclosures.batches.counted_rate import _Drawn
    from dporacle.enclosures.batches.curves import BITS
    from dporacle.enclosures.batches.repeated_step import both_products, deviations

    wide, reach, delta = 22.3, 14, 1e-5
    with precision(BITS):
        drawn = (50000, Fraction(1, 100)), (50001, Fraction(1, 101))
        laws = [_Drawn(*each, delta * 2.0**-60) for each in drawn]
        left = (1 - sum(laws[0].weights, arb(0))).abs_upper()
        rest = arb(0, (-arb(reach * reach) / 2).exp())
    assert all(each.least + len(each.weights) < 50000 - 99 for each in laws)
    floats = [(each.least, np.array([float(w) for w in each.weights])) for each in laws]

    def ratio(x: float) -> float:
        gaps = [(w, x - least - np.arange(len(w))) for least, w in floats]
        p, q = (float((w * np.exp(-np.minimum(gap**2 / 2, 700))).sum()) for w, gap in gaps)
        return math.log(p / q)

    def at(x: float) -> list[tuple[arb, arb]]:
        found = []
        for law in laws:
            low = min(max(0, math.floor(x) - reach - law.least), len(law.weights))
            high = min(max(low, math.ceil(x) + reach + 1 - law.least), len(law.weights))
            density, tail = rest, rest + sum(law.weights[high:], arb(0))
            for k in range(low, high):
                z = arb(x) - law.least - k
                density += law.weights[k] * (-z * z / 2).exp()
                tail += law.weights[k] * normal_tail(z)
            found.append((density, tail))
        return found

    def height(a: arb) -> arb:
        level, low, high = float(a.log().mid()), 500 - 11 * wide, 500 + 11 * wide
        while high - low > 1e-10:
            middle = (low + high) / 2
            low, high = (middle, high) if ratio(middle) < level else (low, middle)
        (p, above), (q, other) = at(low - 1e-8)
        (p_after, _), (q_after, _) = at(high + 1e-8)
        if not (p <= a * q and p_after >= a * q_after):
            return arb(1)
        # From there to the root aq − p is at most aq, which changes by less than 1/1000.
        return above - a * other + (high - low + 2e-8) * a * q * arb("1.001") + left

    def farthest(mass: float) -> float:
        return abs(ratio(500 + deviations(mass) * wide))

    highs = both_products(height, 1000, delta, farthest, below=height)
    for product, figure in zip(highs, (54.08172589659765, 53.797800552537886), strict=True):
        assert figure <= product.epsilon(Fraction("1e-5")) <= figure * (1 + 3e-6)


@pytest.mark.parametrize(("records", "rate"), [(12, "1/3"), (30, "9/10"), (5, "1")])
def test_the_numbers_of_drawn_records_and_their_noisy_tails(records: int, rate: str) -> None:
    from dporacle.enclosures.arithmetic.balls import precision
    from dporacle.enclosures.batches.counted_rate import _Drawn
    from dporacle.enclosures.batches.curves import BITS

    law = binomial(records, Fraction(rate))
    with precision(BITS):
        drawn = _Drawn(records, Fraction(rate), 1e-30)
        weights = [*[0] * drawn.least, *map(float, drawn.weights)]
        assert weights == pytest.approx(list(map(float, law)), rel=1e-12)
        places = (-3.0, 2.25, 11.0)
        tails = drawn.beyond([round(4 * at) for at in places], 4, Fraction(3, 2))
        for at, found in zip(places, tails, strict=True):
            value = sum(float(w) * special.ndtr((k - at) / 1.5) for k, w in enumerate(law))
            assert float(found.mid()) == pytest.approx(value, rel=1e-12)
            assert float(found.rad()) < 1e-20


@pytest.mark.parametrize("way", ["add", "remove"])
@pytest.mark.parametrize(("records", "sigma"), [(10, 1), (4, 3)])
def test_the_chain_of_mean_and_scale_is_above_what_is_attained(
    way: str, records: int, sigma: int
) -> None:
    """One step in one coordinate, at a rate of one half: any others and any record, added up."""
    found = dporacle.dp_sgd_ends(
        noise_multiplier=sigma,
        sampling_rate="1/2",
        dataset_size=records - 1,
        dimension=1,
        steps=1,
        delta="0.01",
        divisor="from-n",
        neighbours=way,
    )
    t = np.linspace(-40, 40, 80001)
    with_it, without = records // 2, (records - 1) // 2
    assert with_it != without
    above = below = 0.0
    for others, own in itertools.product((-1, -0.5, 0, 1), (-1, 0, 1)):
        p = q = np.zeros(len(t))
        for m in range(records):
            weight = stats.binom.pmf(m, records - 1, 0.5)
            for extra in (0, own):
                centre, width = (others * m + extra) / with_it, sigma / with_it
                p = p + weight / 2 * stats.norm.pdf(t, centre, width)
            q = q + weight * stats.norm.pdf(t, others * m / without, sigma / without)
        first, second = (p, q) if way == "remove" else (q, p)
        above, below = (
            max(most, float(np.maximum(first - math.exp(at) * second, 0).sum() * (t[1] - t[0])))
            for most, at in ((above, found.high), (below, found.low))
        )
    assert above <= 0.01 <= below + 1e-9
    assert found.low < found.high < math.inf
    assert ids(found.hypotheses) == {"divided-from-n", "every-sum-released"} | OF_THE_CHAIN


def test_a_claim_holds_above_the_chain_and_its_refutation_needs_less() -> None:
    about = {"sampling_rate": "1/2", "dataset_size": 9, "dimension": 1, "steps": 1}
    about |= {"noise_multiplier": 3, "divisor": "from-n"}
    held = judged(about, epsilon=20, delta="0.01")
    assert (held.verdict, held.told) == (Verdict.HOLDS, "HOLDS")
    assert ids(held.hypotheses) == {"divided-from-n", "every-sum-released"} | OF_THE_CHAIN
    found = judged(about, epsilon="0.1", delta="0.01")
    assert found.verdict is Verdict.VIOLATED
    assert ids(found.hypotheses) == {"divided-from-n", "steps-fixed", "every-sum-released"}
    last = judged(about | {"released": "last-iterate"}, epsilon=20, delta="0.01")
    assert last.verdict is Verdict.HOLDS


def test_a_delta_that_leaves_nothing_to_the_chain_has_no_upper_end() -> None:
    few = {"sampling_rate": "0.1", "dataset_size": 99, "dimension": 2, "steps": 5}
    found = dporacle.dp_sgd_ends(
        noise_multiplier=1, **few, delta="1e-200", divisor="from-n", neighbours="add"
    )
    assert (found.low, found.high) == (pytest.approx(111.63, abs=0.01), math.inf)


@pytest.mark.parametrize(
    ("about", "says"),
    [
        (
            {"divisor": "from-n", "dimension": 1, "batch_size": 500, "dataset_size": 50000},
            r"divisor .* the divisors differ \(499 with 49999 .* no epsilon above 0",
        ),
        (
            {"divisor": "from-n", "dimension": 1, "batch_size": 1, "dataset_size": 100},
            r"divisor .* the rates differ alone \(1/99 with 99 .* no epsilon above 0",
        ),
        (
            {"rate_from_n": True, "batch_size": 2, "dataset_size": 20},
            r"rate_from_n .* the rates differ alone \(1/10 .* no epsilon above 0",
        ),
    ],
    ids=["divisors", "rates-at-one-divisor", "rates-alone"],
)
def test_why_nothing_is_proved_is_what_is_so(about: dict[str, Any], says: str) -> None:
    run = {"noise_multiplier": 10**6, "steps": 1, "delta": "0.5", "neighbours": "add-remove"}
    with pytest.raises(ValueError, match=says):
        dporacle.dp_sgd_ends(**run, **about)


@pytest.mark.parametrize("way", ["add", "remove"])
def test_rates_that_differ_alone_are_no_less_than_poisson_sampling(way: str) -> None:
    run = {"noise_multiplier": 1, "steps": 1000, "delta": "1e-5", "neighbours": way}
    ones = {"divisor": "from-n", "batch_size": 1, "dimension": 10}
    found = dporacle.dp_sgd_ends(**run, **ones, dataset_size=100)
    plain = dporacle.dp_sgd_ends(**run, sampling_rate="1/101")
    assert found.high == math.inf
    assert found.low >= plain.low
    assert ids(found.hypotheses) == {
        *("poisson-sampling", "divided-from-n", "rate-from-n", "steps-fixed", "every-sum-released")
    }


def test_nothing_is_said_of_the_noise_where_nothing_is_known() -> None:
    drawn = {"divisor": "drawn", "sampling_rate": "0.1", "steps": 3, "dataset_size": 30}
    for relation in ("zero-out", "add-remove"):
        assert "Gaussian noise has" in judged(drawn, delta=0, neighbours=relation).margin
    last = drawn | {"released": "last-iterate"}
    assert "Gaussian noise has" not in judged(last, delta=0).margin
    assert judged(drawn, delta=1).margin == "every mechanism is (ε, 1)-DP"


def test_the_last_iterate_alone_tells_the_scale() -> None:
    about = {"sampling_rate": "1/240", "dataset_size": 60000, "steps": 2400, "dimension": 26010}
    about |= {"noise_multiplier": "1.1", "divisor": "from-n", "released": "last-iterate"}
    found = judged(about, epsilon=4)
    assert found.verdict is Verdict.VIOLATED
    assert float(found.epsilon.low) == pytest.approx(4.003991932684178, rel=1e-11)
    assert ids(found.hypotheses) == {"divided-from-n", "steps-fixed", "last-iterate-of-sgd"}
    summed = {key: about[key] for key in ("sampling_rate", "steps", "released")}
    assert judged(summed | {"divisor": "public"}, epsilon="0.5").verdict is Verdict.UNDECIDED


def test_the_last_iterate_of_full_batches_tells_the_scale_and_not_their_mean() -> None:
    """So the pair that refutes a claim is another one than where every mean is released."""
    about = {"sampling_rate": 1, "dataset_size": 9, "dimension": 3, "steps": 2}
    about |= {"noise_multiplier": 1, "divisor": "from-n"}
    every = judged(about, epsilon="0.1", delta="0.01")
    last = judged(about | {"released": "last-iterate"}, epsilon="0.1", delta="0.01")
    assert every.verdict is last.verdict is Verdict.VIOLATED
    assert "all others may contribute the same in the opposite direction" in str(every.supposes)
    assert last.supposes == "all contributions may vanish"
    lowers = "no noise multiplier lowers the lower end"
    assert [lowers in each.margin for each in (every, last)] == [False, True]


@pytest.mark.parametrize("divisor", [None, "public", "noisy-count", "drawn"])
def test_what_nobody_said_is_a_condition(divisor: str | None) -> None:
    about = {"sampling_rate": "0.01"} | ({} if divisor is None else {"divisor": divisor})
    about |= {"dataset_size": 300, "steps": 3} if divisor == "drawn" else {}
    found = judged(about, neighbours="zero-out")
    names = {None: "divided-by-public", "public": "divided-by-public"}
    names |= {"noisy-count": "divided-by-noisy-count", "drawn": "divided-by-drawn"}
    assert names[divisor] in ids(found.hypotheses)
    if divisor == "drawn":
        assert found.verdict is not Verdict.HOLDS
        return
    condition = "" if divisor == "public" else HYPOTHESES[names[divisor]].condition
    assert found.told == f"HOLDS{condition and ' if '}{condition}"


def test_a_schedule_states_it_too() -> None:
    phases = [{"noise_multiplier": 4, "sampling_rate": "0.1", "steps": 9}]
    about: dict[str, Any] = {"kind": "dp-sgd-schedule", "phases": phases}
    for said, told in (
        ({}, "HOLDS if the batches are drawn by Poisson sampling and the sum is divided by"),
        ({"divisor": "public"}, "HOLDS if the batches are drawn by Poisson sampling"),
        ({"divisor": "noisy-count"}, "the noisy count is accounted for on its own"),
    ):
        found = claims.audit({"id": "it", "mechanism": about | said, "asserts": ASKED})
        assert told in found.told
        assert ("public number" in found.told) == (not said)


def test_figures_of_an_attack_are_refused() -> None:
    run = read_training(noise_multiplier=1, **FROM_N, steps=10)
    with pytest.raises(ValueError, match="divisor must be public or noisy-count for a curve"):
        risk.training(run)
    # Without a neighbour that has another divisor the curve is that of the noisy sums.
    same = risk.training(replace(run, divisor=None, division=None), relation="zero-out")
    found = risk.training(run, relation="zero-out")
    assert risk.Figures(found).advantage == risk.Figures(same).advantage
    assert "divided-from-n-alike" in ids(found.hypotheses)
    about = FROM_N | {"kind": "dp-sgd", "noise_multiplier": 1, "steps": 10, "sampling": "poisson"}
    asked = {"kind": "advantage", "advantage": "0.5", "neighbours": "zero-out"}
    held = claims.audit({"id": "it", "mechanism": about, "asserts": asked})
    assert held.verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"divisor": "mean"}, "divisor must be one of public, noisy-count, from-n, drawn, got"),
        ({"dimension": 3}, "dimension must be given with divisor 'from-n' or 'drawn' only"),
        ({"divisor": "from-n", "dataset_size": 100}, "dimension must be given with divisor"),
        ({"divisor": "from-n", "dimension": 3}, "dataset_size must be given with divisor"),
        ({"divisor": "from-n", "dataset_size": 9, "dimension": 3}, "divisor must be positive"),
        ({"divisor": "drawn"}, "dataset_size must be given with divisor 'drawn'"),
        (
            {"divisor": "drawn", "dataset_size": 1},
            "dataset_size must be at least 2 with divisor 'drawn', got 1",
        ),
        (
            {"divisor": "drawn", "dataset_size": 50, "sampling_rate": 1, "neighbours": "remove"},
            "of this run no ε is proved that holds in every dimension, and none from below",
        ),
        (
            {"divisor": "drawn", "sampling": "cyclic"},
            "divisor must be one of public, noisy-count for sampling 'cyclic'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], told: str) -> None:
    run = {"noise_multiplier": 1, "sampling_rate": "0.1", "steps": 9, "delta": "1e-5"}
    with pytest.raises(ValueError, match=told):
        dporacle.dp_sgd_ends(**{**run, **given})


def test_few_coordinates_of_few_records_are_told_by_their_scale_alone() -> None:
    """Two of them: the transform falls too slowly to be inverted; nothing is said from above."""
    run = {"noise_multiplier": 1, "sampling_rate": 1, "dataset_size": 2, "steps": 1}
    found = dporacle.dp_sgd_ends(**run, delta="1e-5", divisor="from-n", dimension=2)
    assert found.low > 10
    assert found.high == math.inf


def test_a_group_has_no_divisor_that_tells() -> None:
    with pytest.raises(ValueError, match="noisy-count for a group"):
        read_training(noise_multiplier=1, sampling_rate="0.1", steps=9, group=2, divisor="drawn")
    assert isinstance(
        read_training(noise_multiplier=1, sampling_rate="0.1", steps=9, group=2, divisor="public"),
        TrainingRun,
    )
