"""Claims about DP-SGD: X.SG."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dporacle import claims
from dporacle.claims import judge
from dporacle.claims.wording import interval, round_decimal
from dporacle.enclosures import subsampled_epsilon
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.mechanisms.sampling import ends, readings
from dporacle.verdicts import Verdict
from support.cases import table
from support.dear import mostly_dear
from support.truths.divergences import divergence


def judged(epsilon: Any, delta: Any = "1e-5", neighbours: str = "add-remove", **about: Any) -> Any:
    mechanism = {
        "kind": "dp-sgd",
        "noise_multiplier": "1.1",
        "sampling_rate": "256/60000",
        "steps": 14063,
    } | about
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    given = {name: value for name, value in mechanism.items() if value is not None}
    return claims.audit({"id": "it", "mechanism": given, "asserts": asserts})


@pytest.mark.parametrize(
    ("neighbours", "holds", "fails"),
    [("add-remove", "2.38169", "2.38168"), ("replace-one", "4.22148", "4.22146")],
)
def test_both_sides_are_decided(neighbours: str, holds: str, fails: str) -> None:
    good, bad = judged(holds, neighbours=neighbours), judged(fails, neighbours=neighbours)
    assert good.verdict is Verdict.HOLDS
    assert bad.verdict is Verdict.VIOLATED
    assert "the noise multiplier must be" in bad.margin
    for found in (good, bad):
        assert found.epsilon is not None
        assert found.epsilon.high is not None
        assert Fraction(fails) < found.epsilon.low <= found.epsilon.high < Fraction(holds)
    for found in (good, bad):
        assert {"poisson-sampling", "every-sum-released"} <= {each.id for each in found.hypotheses}


def test_published_figures_of_the_limit_theorem_are_refuted() -> None:
    """Bu, Dong, Long and Su (2020), figure 4: the runs that the limit theorem accounts for."""
    rate = {"sampling_rate": "256/60000"}
    for sigma, steps, said, exact in (
        ("1.06", 4687, "1.34", "1.40765"),
        ("0.638", 16406, "8.68", "9.47670"),
    ):
        found = judged(said, noise_multiplier=sigma, steps=steps, **rate)
        assert found.verdict is Verdict.VIOLATED
        assert found.epsilon is not None
        assert interval(found.epsilon).endswith(f"{exact}]")


def test_an_answer_of_an_accountant_is_refuted() -> None:
    """An upper bound that a library gave at (σ, q, T) = (1, 0.01, 10⁴) is 1.0003 times too low."""
    about = {"noise_multiplier": 1, "sampling_rate": "0.01", "steps": 10**4}
    found = judged("8.765354603461917", "1e-9", **about)
    assert found.verdict is Verdict.VIOLATED
    assert Fraction(found.low) > Fraction("1.000342e-9")
    assert Fraction(found.high) < Fraction("1.000343e-9")


@pytest.mark.thorough("balls of several seconds each")
def test_far_from_the_border_a_claim_holds_since_delta_falls() -> None:
    for neighbours in ("zero-out", "replace-one"):
        found = judged(1000, neighbours=neighbours)
        assert found.verdict is Verdict.HOLDS
        assert Fraction(found.high) <= Fraction("1.00000001e-5")


def test_sizes_and_epochs_are_the_rate_and_the_steps() -> None:
    sizes = {"batch_size": 256, "dataset_size": 60000, "sampling_rate": None}
    epochs = {"epochs": 60, "rounding": "up", "steps": None, "clipping_norm": "1.5"}
    first, second = judged("2.4"), judged("2.4", **sizes, **epochs)
    assert (first.low, first.high) == (second.low, second.high)


def test_of_the_last_iterate_nothing_is_refuted() -> None:
    assert judged("2.4", released="last-iterate").verdict is Verdict.HOLDS
    found = judged("2.3", released="last-iterate")
    assert found.verdict is Verdict.UNDECIDED
    assert "but only the last iterate is" in found.reason


EPOCHS = {"sampling_rate": "1/50", "steps": 100}
UNEVEN = {"sampling_rate": "100/299", "noise_multiplier": "1/2", "steps": 2}


@pytest.mark.parametrize(
    ("sampling", "neighbours", "epsilon", "verdict", "said"),
    mostly_dear(table("other_batches_are_decided_by_two_ends"), 3),
)
def test_other_batches_are_decided_by_two_ends(
    sampling: str, neighbours: str, epsilon: str, verdict: str, said: str
) -> None:
    found = judged(epsilon, neighbours=neighbours, sampling=sampling, **EPOCHS)
    assert found.verdict.name == verdict
    assert said in f"{interval(found.epsilon)} {found.margin} {found.reason}"
    assert (verdict == "UNDECIDED") == bool(found.reason)
    assert verdict != "HOLDS" or Fraction(found.high) <= Fraction("1e-5")
    assert verdict != "VIOLATED" or Fraction(found.low) >= Fraction("1e-5")
    assert ("may contribute" in found.supposes) == (verdict == "VIOLATED")


NEIGHBOURS = ("add-remove", "zero-out", "replace-one")
SHUFFLED = ("shuffled", "drop-last", "shuffled-once", "cyclic", "balls-and-bins")
WORDS = (*SHUFFLED, "fixed-size", "without-replacement", "with-replacement")


@pytest.mark.parametrize("sampling", WORDS)
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(
    ("rate", "steps"),
    mostly_dear(
        [("1/10", 10), ("1/10", 3), ("1/10", 13), ("100/299", 2), ("100/299", 3), ("1", 2)], 3
    ),
)
def test_every_way_has_a_lower_end_and_an_upper_one(
    sampling: str, neighbours: str, rate: str, steps: int
) -> None:
    """Parts of an epoch, uneven batches and no sampling too; the exceptions have their reasons."""
    given = {"sigma": Fraction(1), "rate": Fraction(rate), "steps": steps, "sizes": None}
    found = ends(sampling, **given, delta=Fraction("1e-5"), neighbours=neighbours)
    assert found.high is None or found.low <= found.high
    if rate == "1" and neighbours == "add-remove" and "fixed-size" in readings(sampling):
        assert (found.low, found.high) == (0, None)  # there is no batch of all records and one more
        return
    with_a_record_more = sampling == "drop-last" and neighbours == "add-remove"
    unknown = with_a_record_more and Fraction(rate).numerator == 1 and steps >= 1 / Fraction(rate)
    # What a record more leaves out depends on the number of records, which a rate does not say.
    assert (found.low > 0) != unknown
    # Where the others move up in the order nothing is proved; nor where B is not known.
    no_upper = sampling == "with-replacement" or (
        neighbours == "add-remove" and {*readings(sampling)} & {"shuffled", "shuffled-once"}
    )
    assert (found.high is None) == bool(no_upper)


@pytest.mark.parametrize("neighbours", ["zero-out", "add-remove"])
def test_bins_are_alike_where_their_number_is_rounded(neighbours: str) -> None:
    """Two of three records in a batch make two bins: in the first one with probability 1/2."""
    given = {"sigma": Fraction(1), "rate": Fraction(2, 3), "steps": 1, "sizes": None}
    found = ends("balls-and-bins", **given, delta=Fraction("0.01"), neighbours=neighbours)
    exact = subsampled_epsilon(
        delta=Fraction("0.01"),
        sigma=Fraction(1),
        rate=Fraction(1, 2),
        steps=1,
        direction="both",
        digits=12,
    )
    assert found.low <= bounds(exact)[1]
    assert found.high is not None
    assert found.high >= bounds(exact)[0]


@pytest.mark.parametrize(
    ("records", "known"), [(1000, False), (1001, True), (1048, True), (1049, False)]
)
def test_a_dropped_record_takes_the_place_of_one_that_is_removed(records: int, known: bool) -> None:
    """n − 1 and n + 1 records make 20 batches of 50 too, and each sum moves by two at most."""
    sizes = Fraction(50), Fraction(records)
    given = {"sigma": Fraction(1), "rate": sizes[0] / sizes[1], "steps": 20, "sizes": sizes}
    found = ends("drop-last", **given, delta=Fraction("1e-5"), neighbours="add-remove")
    assert (found.high is not None) == known
    assert found.low > 0
    if found.high is not None:
        assert float(found.high) == pytest.approx(9.99726, rel=1e-5)  # μ = 2


@pytest.mark.parametrize(
    ("batches", "steps", "exact"),
    [
        ("10", 1, "4.377176"),
        ("10", 10, "4.377176"),
        ("10", 15, "6.573"),
        ("10", 20, "6.573"),
        # The last of ten batches is short: ten steps are one epoch, not the first of a second one.
        ("9.1", 10, "4.377176"),
        ("9.1", 11, "6.573"),
    ],
)
def test_part_of_a_fixed_order_is_exact(batches: str, steps: int, exact: str) -> None:
    """A record is in ⌈steps/T⌉ of the batches, if it is in an early one."""
    given = {"sigma": Fraction(1), "rate": 1 / Fraction(batches), "steps": steps, "sizes": None}
    found = ends("cyclic", **given, delta=Fraction("1e-5"), neighbours="zero-out")
    assert found.high is not None
    assert found.high - found.low < Fraction(1, 10**9)
    assert float(found.low) == pytest.approx(float(exact), rel=1e-4)


def test_a_record_that_is_hardly_ever_in_the_first_batches_is_hidden() -> None:
    """Three batches of 10⁶: with a chance of 3e-6 the record is in one of them."""
    given = {"sigma": Fraction(1), "rate": Fraction(1, 10**6), "steps": 3, "sizes": None}
    found = ends("shuffled", **given, delta=Fraction("1e-5"), neighbours="zero-out")
    assert (found.low, found.high) == (0, 0)


@pytest.mark.parametrize(
    ("sampling", "neighbours", "verdict"),
    [
        ("shuffled", "zero-out", Verdict.VIOLATED),
        ("cyclic", "add-remove", Verdict.VIOLATED),
        ("fixed-size", "zero-out", Verdict.VIOLATED),
        ("fixed-size", "add-remove", Verdict.UNDECIDED),
    ],
)
def test_no_epsilon_holds_without_delta_where_all_records_are_in_each_batch(
    sampling: str, neighbours: str, verdict: Verdict
) -> None:
    about = {"sampling": sampling, "neighbours": neighbours, "sampling_rate": 1, "steps": 2}
    assert judged("1e9", "0", **about).verdict is verdict


@pytest.mark.parametrize("neighbours", ["zero-out", "replace-one"])
@pytest.mark.parametrize(("rate", "steps"), [("2/3", 2), ("2/5", 3)])
def test_a_short_last_batch_is_as_bad_as_the_lower_end(
    neighbours: str, rate: str, steps: int
) -> None:
    """An integral over all outputs: others contribute −1, the record 1 against 0 or −1."""
    delta, sigma = 0.01, 1.3
    given = {"sigma": Fraction("1.3"), "rate": Fraction(rate), "steps": steps, "sizes": None}
    found = ends("shuffled", **given, delta=Fraction("0.01"), neighbours=neighbours)
    weights = [float(Fraction(rate))] * (steps - 1)
    weights.append(1 - sum(weights))
    x = np.linspace(-6, 8, 2001 if steps == 2 else 141)

    def law(centre: float) -> np.ndarray:
        still, moved = (np.exp(-(((x - m) / sigma) ** 2) / 2) for m in (0, centre))
        total = np.zeros((x.size,) * steps)
        for place, weight in enumerate(weights):
            axes = [moved if k == place else still for k in range(steps)]
            part = axes[0]
            for axis in axes[1:]:
                part = np.multiply.outer(part, axis)
            total += weight * part
        return total / total.sum()

    first, second = law(2), law(1 if neighbours == "zero-out" else 0)
    reached = max(
        divergence(p, q, math.exp(found.low)) for p, q in ((first, second), (second, first))
    )
    assert found.low > 0
    assert reached > delta * 0.99  # a grid's error


@pytest.mark.parametrize(
    ("sampling", "neighbours"),
    [("shuffled", "zero-out"), ("shuffled", "replace-one"), ("balls-and-bins", "add-remove")],
)
def test_what_refutes_is_printed_in_words(sampling: str, neighbours: str) -> None:
    found = judged("0.01", neighbours=neighbours, sampling=sampling, **EPOCHS)
    assert found.epsilon is not None
    assert found.epsilon.high is not None
    low = round_decimal(found.epsilon.low, 6, up=False)
    high = round_decimal(found.epsilon.high, 6, up=True)
    proved = f"for {sampling} batches under {neighbours} ε is between {low} and {high} at this δ"
    row = judge.table([found])[1]
    assert row[:3] == ("it", "VIOLATED", "delta > 1e-5")
    assert any(cell.startswith(f"{proved}: proved; with Poisson sampling ε would") for cell in row)


def test_batches_that_do_not_divide_the_data_are_bounded_by_a_fixed_order_alone() -> None:
    """Of two batches of 100 of 299 records that are shuffled anew, δ(1) is at most 0.3410."""
    for sampling in ("shuffled", "drop-last"):
        found = judged("3", "0.3410", neighbours="zero-out", sampling=sampling, **UNEVEN)
        assert found.verdict is Verdict.HOLDS
        low = judged("1", "0.4", neighbours="zero-out", sampling=sampling, **UNEVEN)
        assert low.verdict is not Verdict.VIOLATED


@pytest.mark.parametrize(
    ("neighbours", "size", "least"),
    [("add-remove", 20, "4.0"), ("replace-one", 20, "4.0"), ("add-remove", 25, "4.0")],
)
def test_a_record_that_takes_a_dropped_ones_place_moves_the_sum_by_two(
    neighbours: str, size: int, least: str
) -> None:
    """Where the batches divide the data, a record more is dropped itself."""
    about = {"sampling_rate": None, "batch_size": size, "dataset_size": 1000 + size - 20}
    said = {"sampling": "drop-last", "steps": 50, **about}
    found = judged(least, neighbours=neighbours, **said)
    assert found.verdict is Verdict.VIOLATED
    assert "opposite direction" in found.supposes
    if size == 20 and neighbours == "add-remove":
        rate = {"sampling_rate": "1/50", "steps": 50, "sampling": "drop-last"}
        assert judged(least, neighbours=neighbours, **rate).verdict is Verdict.UNDECIDED


def test_part_of_an_epoch_lies_between_whole_ones() -> None:
    of = []
    for steps in (50, 70, 100):
        found = judged("0", sampling="shuffled", neighbours="zero-out", **EPOCHS | {"steps": steps})
        assert found.epsilon is not None
        of.append(found.epsilon)
    assert (of[1].low, of[1].high) == (of[0].low, of[2].high)


def test_what_refutes_replaced_records_in_bins_is_two_records_against_each_other() -> None:
    """A record and nothing in its place have an ε of 1.92 here: they would not refute a 3."""
    run = {"sampling": "balls-and-bins", "sampling_rate": "1/4", "steps": 8, "noise_multiplier": 1}
    found = judged(3, "0.01", "replace-one", **run)
    assert found.verdict is Verdict.VIOLATED
    assert "against another one's" in str(found.supposes)
    assert judged(2, "0.01", "zero-out", **run).verdict is Verdict.HOLDS
