"""Claims about DP-SGD: X.SG."""

from fractions import Fraction
from typing import Any

import pytest

from dporacle import claims
from dporacle.claims import report
from dporacle.claims.wording import interval, round_decimal
from dporacle.verdicts import Verdict
from support.cases import table
from support.dear import mostly_dear


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
    row = report.table([found])[1]
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


def test_part_of_an_epoch_counts_for_the_upper_end_alone() -> None:
    ends = []
    for steps in (50, 70, 100):
        found = judged("0", sampling="cyclic", neighbours="zero-out", **EPOCHS | {"steps": steps})
        assert found.epsilon is not None
        ends.append(found.epsilon)
    assert (ends[1].low, ends[1].high) == (ends[0].low, ends[2].high)
