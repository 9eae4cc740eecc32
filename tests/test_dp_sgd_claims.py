"""Claims about DP-SGD: X.SG."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dporacle import claims
from dporacle.verdicts import Verdict


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
    [
        ("add-remove", "2.38169", "2.38168"),
        ("replace-one", "4.22148", "4.22146"),
    ],
)
def test_both_sides_are_decided(neighbours: str, holds: str, fails: str) -> None:
    good, bad = judged(holds, neighbours=neighbours), judged(fails, neighbours=neighbours)
    assert good.verdict is Verdict.HOLDS
    assert bad.verdict is Verdict.VIOLATED
    assert "the noise multiplier must be" in bad.margin
    assert "the exact ε is" in bad.margin
    assert "Poisson sampling" in bad.limit
    assert "every noisy sum is released" in bad.limit


def test_published_figures_of_the_limit_theorem_are_refuted() -> None:
    """Bu, Dong, Long and Su (2020), figure 4: the runs that the limit theorem accounts for."""
    rate = {"sampling_rate": "256/60000"}
    for sigma, steps, said, exact in (
        ("1.06", 4687, "1.34", "1.40765"),
        ("0.638", 16406, "8.68", "9.4767"),
    ):
        found = judged(said, noise_multiplier=sigma, steps=steps, **rate)
        assert found.verdict is Verdict.VIOLATED
        assert f"the exact ε is {exact}" in found.margin


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
    assert "only the last iterate is released" in found.reason


@pytest.mark.parametrize("sampling", ["shuffled", "fixed-size"])
def test_other_sampling_is_no_verdict(sampling: str) -> None:
    found = judged(100, sampling=sampling)
    assert found.verdict is Verdict.UNDECIDED
    assert "not this mechanism" in found.reason
    assert "with Poisson sampling ε would be 2.38169" in found.reason


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"sampling_rate": None}, "sampling_rate or batch_size must be given"),
        ({"sampling_rate": "1.5"}, "sampling_rate must be at most 1"),
        ({"dataset_size": 60000}, "dataset_size must be given with batch_size"),
        ({"steps": None}, "steps or epochs must be given"),
        ({"steps": None, "epochs": 3}, "rounding must be given with epochs"),
        ({"noise_multiplier": 0}, "noise_multiplier"),
    ],
)
def test_a_bad_mechanism_is_named(about: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        judged(1, **about)


def test_what_is_no_question_about_it_is_refused() -> None:
    with pytest.raises(ValueError, match="out of scope"):
        claims.audit(
            {
                "id": "it",
                "mechanism": {
                    "kind": "dp-sgd",
                    "noise_multiplier": 1,
                    "sampling_rate": "0.01",
                    "steps": 10,
                },
                "asserts": {"kind": "loss", "at_most": 1, "dimension": 1},
            }
        )
