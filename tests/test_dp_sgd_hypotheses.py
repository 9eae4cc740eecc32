"""What each answer about a training run is proved under: the hypotheses of its own theorem."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import dporacle
from dporacle import claims, risk
from dporacle.claims.risks import setting_of
from dporacle.cli import main
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.mechanisms.sampling import WORDS, readings
from dporacle.mechanisms.training import TrainingRun, read_training
from dporacle.vocabulary.hypotheses import HYPOTHESES
from support.dear import mostly_dear

# Read off the theorems of proofs_notes: h1 to h3 of batches.md, the hypotheses of drawn_batches.md,
# T1 of subsampled_gaussian.md. F: fixed before the run; N: clipped; O: others do not depend on the
# record; A: a contribution depends on its own record alone; D: no division by a drawn size; H: the
# batches are not released; R: every noisy sum is.
F, N, O = "batches-and-epochs-fixed", "clipped", "others-apart"  # noqa: E741
A, D, H, R = "own-record-only", "divided-by-public", "batches-hidden", "every-sum-released"
STAY = "other-batches-stay"
POISSON = {"poisson-sampling", "rate-and-steps-fixed", N, O, D, H, R}
BINS = {"balls-and-bins", F, N, O, D, H, R}
SIZED = {"sizes-and-steps-fixed", N, A, H, R}

UNDER: dict[tuple[str, str], set[str]] = {
    **{("poisson", each): POISSON for each in ("add-remove", "zero-out", "replace-one")},
    ("cyclic", "zero-out"): {"cyclic", F, N, O, R},
    ("cyclic", "replace-one"): {"cyclic", F, N, O, R},
    ("cyclic", "add-remove"): {"cyclic", F, N, O, R, D, STAY},
    **{("balls-and-bins", each): BINS for each in ("add-remove", "zero-out", "replace-one")},
    **{
        ("random-allocation", each): BINS - {"balls-and-bins"} | {"random-allocation"}
        for each in ("add-remove", "zero-out", "replace-one")
    },
    # of several steps: V and U need that a contribution depends on its own record alone
    ("shuffled", "zero-out"): {"shuffled", F, N, A, H, R},
    ("shuffled", "replace-one"): {"shuffled", F, N, A, H, R},
    ("shuffled", "add-remove"): {"shuffled", F, D, R},  # from below only
    ("drop-last", "zero-out"): {"shuffled-last-dropped", F, N, A, H, R},
    ("drop-last", "replace-one"): {"shuffled-last-dropped", F, N, A, H, R},
    ("drop-last", "add-remove"): {"shuffled-last-dropped", F, N, A, R},
    # of two epochs nothing but a fixed order bounds one order for all (D')
    ("shuffled-once", "zero-out"): {"shuffled-once", F, N, O, R},
    ("shuffled-once", "replace-one"): {"shuffled-once", F, N, O, R},
    ("shuffled-once", "add-remove"): {"shuffled-once", F, D, R},
    **{("fixed-size", each): {"fixed-size", *SIZED} for each in ("add-remove", "replace-one")},
    ("fixed-size", "zero-out"): {"fixed-size", *SIZED},
    ("with-replacement", "zero-out"): {"with-replacement", *SIZED},
    ("with-replacement", "replace-one"): {"with-replacement", *SIZED},
}
SIGMA = "2"  # σ at which the clones of shuffling prove more than a fixed order
SIZES = {"batch_size": 5, "dataset_size": 200, "steps": 80}
MORE = {"random-allocation": {"participations": 2}}
CURVES = {
    "poisson": ("add-remove", "zero-out", "replace-one"),
    "cyclic": ("add-remove", "zero-out", "replace-one"),
    "fixed-size": ("add-remove",),
}


def ids(found: Any) -> set[str]:
    return {each["id"] if isinstance(each, dict) else each.id for each in found}


def command(*words: str) -> Any:
    result = CliRunner().invoke(main, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def mechanism(sampling: str, **more: Any) -> dict[str, Any]:
    more = {**SIZES, **MORE.get(sampling, {}), **more}
    stated = {"sampling": sampling, "divisor": "public"}
    return {"kind": "dp-sgd", "noise_multiplier": SIGMA, **stated, **more}


def judged(about: dict[str, Any], **said: Any) -> Any:
    return claims.audit({"id": "it", "mechanism": about, "asserts": said})


@pytest.mark.parametrize(("sampling", "relation"), mostly_dear(UNDER, 3))
def test_every_path_has_the_hypotheses_of_the_theorem(sampling: str, relation: str) -> None:
    expected = UNDER[sampling, relation]
    sizes = {**SIZES, **MORE.get(sampling, {})}
    given = {"noise_multiplier": SIGMA, "sampling": sampling, **sizes}
    found = dporacle.dp_sgd_ends(delta="1e-5", neighbours=relation, **given)
    assert ids(found.hypotheses) == expected
    ends, *said = str(found).split("\n- ")
    assert ends.startswith(f"ε ∈ [{found.low}, {found.high}], ")
    assert ("further" in ends) == bool(found.further)
    assert said == [each.says for each in found.hypotheses]
    words = ["dp-sgd", "--noise-multiplier", SIGMA, "--delta", "1e-5", "--sampling", sampling]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in sizes.items()]
    assert ids(command(*words, "--neighbours", relation)["hypotheses"]) == expected
    # A claim between the ends is decided by the same theorems, at its own ε.
    middle = found.low if found.high == float("inf") else (found.low + found.high) / 2
    verdict = judged(
        mechanism(sampling), kind="privacy", epsilon=middle, delta="1e-5", neighbours=relation
    )
    assert ids(verdict.hypotheses) == expected


@pytest.mark.parametrize(
    ("sampling", "relation"), [(name, each) for name, known in CURVES.items() for each in known]
)
def test_figures_of_risk_have_them_too(sampling: str, relation: str) -> None:
    expected = UNDER[sampling, relation]
    about = mechanism(sampling)
    for said in (
        {"kind": "advantage", "advantage": "0.9"},
        {"kind": "risk", "fpr": "0.1", "tpr": "0.9"},
        {"kind": "bayes-success", "prior": "0.5", "success": "0.99"},
    ):
        stated = {"neighbours": relation, "direction": "remove"}
        assert ids(judged(about, **stated, **said).hypotheses) == expected
    if sampling == "poisson":
        gdp = judged(about, kind="gdp", mu=100, neighbours=relation)
        assert ids(gdp.hypotheses) == expected
        near = {"kind": "gdp", "mu": "1", "regret": "0.9", "neighbours": relation}
        assert ids(judged(about, **near).hypotheses) == expected | {"regret-of-every-sum"}
    verdict = judged(about, neighbours=relation, **said)
    figures = setting_of(verdict.claim.mechanism, relation)
    assert ids(figures.hypotheses) == expected | {"regret-of-every-sum"}


def test_compare_prints_of_each_line_what_that_line_is_proved_under() -> None:
    words = ("--noise-multiplier", SIGMA, "--delta", "1e-5", "--batches-per-epoch", "40")
    shown = command("dp-sgd", *words, "--epochs", "2", "--compare")
    for name, line in shown["schemes"].items():
        expected = {each: UNDER[name, each] for each in line["epsilon"]}
        for each in line["hypotheses"]:
            of = set(each.get("of", expected))
            assert of == {relation for relation in expected if each["id"] in expected[relation]}
        assert ids(line["hypotheses"]) == set().union(*expected.values())
    text = CliRunner().invoke(main, ["dp-sgd", *words, "--epochs", "2", "--compare"]).output
    for line in shown["schemes"].values():
        assert all(each["says"] in text for each in line["hypotheses"])


def test_a_fixed_order_bounds_every_shuffle_and_needs_less() -> None:
    """Below σ = 0.7 no clones are tried: the upper end is that of cyclic batches."""
    given = {**SIZES, "sampling": "shuffled", "noise_multiplier": "0.5", "neighbours": "zero-out"}
    found = dporacle.dp_sgd_ends(delta="1e-5", **given)
    assert ids(found.hypotheses) == {"shuffled", F, N, O, R}
    said = {"kind": "privacy", "delta": "1e-5", "neighbours": "zero-out"}
    loud = mechanism("shuffled")
    near = dporacle.dp_sgd_ends(delta="1e-5", **given | {"noise_multiplier": SIGMA}).high
    assert "own-record-only" in ids(judged(loud, epsilon=near, **said).hypotheses)
    assert "own-record-only" not in ids(judged(loud, epsilon=4, **said).hypotheses)


def test_a_batch_of_all_records_has_no_coupling() -> None:
    """Drawn with replacement a batch as large as the data still lacks records."""
    sizes = (Fraction(9), Fraction(9))
    for sampling, name in (("fixed-size", O), ("with-replacement", A)):
        run = TrainingRun(Fraction(2), Fraction(1), 3, sampling, sizes)
        assert {A, O} & ids(run.hypotheses("replace-one")) == {name}


def test_what_may_fail_stands_in_the_first_line() -> None:
    """Removing record 0 in file order shifts every batch: δ(2.1) may be .686, not 1e-5."""
    about = mechanism("cyclic", batch_size=10, dataset_size=100, steps=10)
    said = {"kind": "privacy", "epsilon": "2.3", "delta": "1e-5"}
    told = judged(about, neighbours="add-remove", **said).told
    assert told == "HOLDS if the other records stay in their batches"
    assert judged(about, neighbours="zero-out", **said).told == "HOLDS"
    asserts = {"kind": "advantage", "advantage": "0.5", "neighbours": "add-remove"}
    asserts |= {"direction": "both"}
    assert judged(about, **asserts).told == "HOLDS if the other records stay in their batches"
    sized = judged(mechanism("fixed-size"), neighbours="replace-one", **said | {"epsilon": 9})
    alone = "HOLDS if a contribution does not depend on other records, in its batch or not"
    assert sized.told == alone
    poisson = mechanism("poisson")
    assert judged(poisson, neighbours="add-remove", **said).told == "HOLDS"


def test_a_file_that_is_read_in_order_needs_that_hypothesis() -> None:
    """Batches of 10 that begin with +1, −1, …: without the first record each begins with another.

    All other records contribute 0.
    """
    data = [0 if place % 10 else (-1) ** (place // 10) for place in range(100)]
    sums, fewer = (
        [sum(each[first : first + 10]) for first in range(0, 100, 10)] for each in (data, data[1:])
    )
    square = sum((one - other) ** 2 for one, other in zip(sums, fewer, strict=True))
    assert square == 37
    with precision(200):
        distance = arb(square).sqrt()
        w = arb("2.1") * 2 / distance
        below, above = distance / 4 - w, distance / 4 + w
        delta = normal_tail(-below) - arb("2.1").exp() * normal_tail(above)
    assert Fraction("0.68") < bounds(delta)[0] < bounds(delta)[1] < Fraction("0.69")
    about = mechanism("cyclic", batch_size=10, dataset_size=100, steps=10)
    said = {"kind": "privacy", "epsilon": "2.1", "delta": "1e-4", "neighbours": "add-remove"}
    assert judged(about, **said).told == "HOLDS if the other records stay in their batches"


def test_a_dropped_record_that_takes_a_place_has_companions() -> None:
    """Three of four records, or all of three; 1 if all but the first are there, else −1.

    Then the sum is −3 where the record is drawn and 3 where it is missing: no contribution of
    another record depends on it, and δ(10) is above .6, by the test x < −1.5.
    """
    with precision(200):  # P = ¾N(−3) + ¼N(3), Q = N(3)
        under_p = arb(3) / 4 * (1 - normal_tail(arb("1.5")))
        assert under_p - arb(10).exp() * normal_tail(arb("4.5")) > arb("0.6")
    about = mechanism("drop-last", batch_size=3, dataset_size=4, steps=1, noise_multiplier="1")
    said = {"kind": "privacy", "epsilon": "10", "delta": "1e-5", "neighbours": "add-remove"}
    told = judged(about, **said).told
    assert told == "HOLDS if a contribution does not depend on other records, in its batch or not"


def test_the_notes_name_what_their_theorems_use() -> None:
    notes = Path(__file__).resolve().parents[1] / "proofs_notes"
    text = "".join(path.read_text(encoding="utf-8") for path in notes.glob("*.md"))
    used = set().union(*UNDER.values()) | {"drawn-sensitivity", "phases-fixed", "group-differs"}
    used |= {"group-drawn-apart", "last-iterate-released", "regret-of-every-sum"}
    used |= {"shuffled-short-last", "cyclic-short-last"}
    assert {name for name in used if f"`{name}`" not in text} == set()


def test_the_python_functions_name_what_may_fail() -> None:
    """Their docstrings have each condition that an answer may have, in the words of its row."""
    told = " ".join((dporacle.dp_sgd_epsilon.__doc__ or "").split())
    for sampling, relation in UNDER:
        sizes = {**SIZES, **MORE.get(sampling, {})}
        run = read_training(noise_multiplier=SIGMA, sampling=sampling, **sizes)
        for each in run.hypotheses(relation):
            if each.id != "poisson-sampling":  # which is the argument `sampling`
                assert each.condition in told
                assert not each.condition or f'"{sampling}"' in told


def test_what_a_claim_leaves_out_stands_in_the_first_line() -> None:
    """A claim that holds for what is taken instead may fail for what was meant."""
    about = mechanism("poisson", batch_size=100, steps=8)
    silent = {name: value for name, value in about.items() if name != "sampling"}
    said = {"kind": "privacy", "epsilon": 4, "delta": "1e-5", "neighbours": "zero-out"}
    assert judged(about, **said).told == "HOLDS"
    found = judged(silent, **said)
    assert found.told == "HOLDS if the batches are drawn by Poisson sampling"
    undivided = {name: value for name, value in about.items() if name != "divisor"}
    found = judged(undivided, **said)
    assert found.told == "HOLDS if the sum is divided by a public number"
    noisy = judged(about | {"divisor": "noisy-count"}, **said)
    assert noisy.told == "HOLDS if the noisy count is accounted for on its own"
    shuffled = judged(silent | {"sampling": "cyclic"}, **said)
    assert shuffled.verdict.name == "VIOLATED"
    figure = {"kind": "advantage", "advantage": "0.4"}
    whole = {"neighbours": "add-remove", "direction": "remove"}
    assert judged(about, **figure, **whole).told == "HOLDS"
    told = judged(about, **figure).told
    assert "neighbours are those of add-remove" in told
    assert "looks for" not in told  # the advantage is the same of both tests
    found = judged(about, kind="risk", fpr="0.01", tpr="0.9").told
    assert "the test looks for a record that was used" in found
    replaced = judged(about, **figure, neighbours="replace-one")
    assert replaced.verdict.name == "VIOLATED"
    stated = judged(about | {"neighbours": "add-remove"}, **figure, direction="remove")
    assert stated.told == "HOLDS"
    bounds = {"kind": "gaussian", "sigma": 3, "contribution": {"clipping_norm": 1}}
    assert judged(bounds, **figure).told == "HOLDS if neighbours are those of add-remove"


def test_a_group_a_schedule_and_a_drawn_sensitivity_have_their_own() -> None:
    group = judged(
        mechanism("poisson", group=3),
        kind="privacy",
        epsilon=9,
        delta="1e-5",
        neighbours="replace-one",
    )
    assert ids(group.hypotheses) == POISSON | {"group-differs", "group-drawn-apart"}
    words = ("dp-sgd", "--delta", "1e-5", "--group", "3", "--noise-multiplier", SIGMA)
    shown = command(*words, "--sampling-rate", "1/40", "--steps", "80")
    assert ids(shown["hypotheses"]) == ids(group.hypotheses)
    sampled = {"noise_multiplier": 4, "sampling_rate": "0.1", "steps": 9}
    law = [{"sensitivity": 1, "probability": "0.1"}]
    drawn = {"noise_multiplier": 4, "drawn_sensitivity": law, "steps": 9}
    only = {"drawn-sensitivity", "rate-and-steps-fixed", R}
    for phases, expected in (
        ([sampled, sampled | {"steps": 4}], POISSON | {"phases-fixed"}),
        ([drawn], only),
        ([sampled, drawn], POISSON | only | {"phases-fixed"}),
    ):
        about = {"kind": "dp-sgd-schedule", "phases": phases}
        asked = {"kind": "privacy", "epsilon": 9, "delta": "1e-5", "neighbours": "add-remove"}
        assert ids(judged(about, **asked).hypotheses) == expected
    shown = command("dp-sgd", "--delta", "1e-5", "--phase", "4,.1,9", "--phase", "4,.1,4")
    assert ids(shown["hypotheses"]) == POISSON | {"phases-fixed"}
    shown = command(
        *("dp-sgd", "--delta", "1e-5", "--drawn-sensitivity", "1:0.1", "--steps", "9"),
        *("--noise-multiplier", "4"),
    )
    assert ids(shown["hypotheses"]) == only


def test_of_the_last_iterate_only_upper_ends_are_told() -> None:
    about = mechanism("poisson", released="last-iterate")
    said = {"kind": "privacy", "epsilon": 9, "delta": "1e-5", "neighbours": "add-remove"}
    expected = POISSON - {R} | {"last-iterate-released"}
    assert ids(judged(about, **said).hypotheses) == expected
    run = read_training(noise_multiplier=2, released="last-iterate", **SIZES)
    figures = risk.training(run)
    assert ids(figures.hypotheses) == expected
    assert not figures.reached


@given(
    st.sampled_from(WORDS),
    st.sampled_from(["add-remove", "zero-out", "replace-one"]),
    st.integers(1, 30),
    st.integers(2, 60),
    st.integers(1, 100),
)
def test_whoever_says_the_batches_says_what_is_proved_under(
    sampling: str, relation: str, size: int, records: int, steps: int
) -> None:
    """Each word has the hypotheses of every way to draw of which it is said, at any sizes."""
    run = TrainingRun(
        Fraction(1),
        Fraction(min(size, records), records),
        steps,
        sampling,
        (Fraction(min(size, records)), Fraction(records)),
    )
    found = run.hypotheses(relation)
    assert [each.id for each in found] == [name for name in HYPOTHESES if name in ids(found)]
    assert all("{" not in each.says for each in found)
    firsts = {each.split("-")[0] for each in readings(sampling)}
    assert firsts <= {each.id.split("-")[0] for each in found}
    assert R in ids(found)
    # of a word for two ways to draw, what only one of them needs says so
    several = [each for each in found if each.says.startswith("if they are ")]
    assert bool(several) == (len(readings(sampling)) > 1)
    assert all(not each.says.startswith("if they are ") for each in found if each.id == R)
