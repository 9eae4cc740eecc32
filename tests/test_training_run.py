"""A training run is read once: the Python API, commands, claims and Coq take the same object."""

import ast
import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given
from hypothesis import strategies as st

import dporacle
from dporacle import claims
from dporacle.claims.mechanisms import DpSgd
from dporacle.cli import main
from dporacle.mechanisms.sampling import WORDS
from dporacle.mechanisms.training import TrainingRun, read_training
from dporacle.vocabulary.relations import DIRECTIONS, ENCLOSED, FORMER, RELATIONS
from dporacle.wings.coq import dp_sgd as coq_reader
from dporacle.wings.coq.propositions import NotCoveredError

SOURCE = Path(dporacle.__file__).resolve().parent


def shown(words: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*words.split(), "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


# What three readers disagreed about: one refused what another answered.
@pytest.mark.parametrize(
    ("words", "given", "relation", "value"),
    [
        (
            "--sampling fixed-size --batch-size 7 --dataset-size 60 --epochs 1",
            {"sampling": "fixed-size", "batch_size": 7, "dataset_size": 60, "epochs": 1},
            "add-remove",
            3.12116712,
        ),
        (
            "--sampling fixed-size --sampling-rate 1 --steps 3",
            {"sampling": "fixed-size", "sampling_rate": 1, "steps": 3},
            "replace-one",
            8.3854189,
        ),
        (
            "--sampling cyclic --batch-size 6 --dataset-size 60 --epochs 2",
            {"sampling": "cyclic", "batch_size": 6, "dataset_size": 60, "epochs": 2},
            "add-remove",
            2.9432252,
        ),
    ],
)
def test_all_answer_the_same_where_one_refused(
    words: str, given: dict[str, Any], relation: str, value: float
) -> None:
    sigma = 2
    found = shown(f"dp-sgd --noise-multiplier {sigma} --delta 1e-5 {words}")["epsilon"][relation]
    low, high = dporacle.dp_sgd_epsilon(
        noise_multiplier=sigma, delta="1e-5", neighbours=relation, **given
    )
    assert [low, high] == pytest.approx([float(each) for each in found], rel=1e-11)
    assert low == pytest.approx(value, rel=1e-7)
    about = {"kind": "dp-sgd", "noise_multiplier": sigma, **given}
    about |= {"rounding": "up"} if "epochs" in given else {}
    for epsilon, verdict in ((high * (1 + 1e-9), "HOLDS"), (low * (1 - 1e-9), "VIOLATED")):
        asserts = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": relation}
        judged = claims.audit({"id": "it", "mechanism": about, "asserts": asserts})
        assert judged.verdict.name == verdict


@pytest.mark.parametrize(
    ("sampling", "epochs", "steps", "last"),
    [
        ("drop-last", 20, 20 * 234, "dropped"),
        ("shuffled", 20, 20 * 235, "short"),
        ("cyclic", 1, 235, "short"),
        ("shuffled", "1/2", 118, "short"),
        ("poisson", 20, 4688, "whole"),
        ("fixed-size", 20, 4688, "whole"),
    ],
)
def test_an_epoch_has_whole_batches(sampling: str, epochs: Any, steps: int, last: str) -> None:
    """60,000 records make 234 batches of 256, and 96 records are left."""
    sizes = {"batch_size": 256, "dataset_size": 60000, "epochs": epochs, "rounding": "up"}
    run = read_training(noise_multiplier=1, sampling=sampling, **sizes)
    assert run.steps == steps
    assert run.last_batch == last
    if sampling == "poisson":
        return
    words = f"dp-sgd --noise-multiplier 8 --sampling {sampling} --batch-size 256 --delta 1e-5"
    found = shown(f"{words} --dataset-size 60000 --epochs {epochs} --neighbours replace-one")
    assert found["input"]["steps"] == str(steps)


def test_stated_epochs_are_no_more_than_they_say() -> None:
    """21 records in batches of 2: two epochs are 22 steps, but 22 steps may be of three epochs.

    That is so where the last batch may be left out: in a fixed order it is not, on a condition.
    """
    about = {"kind": "dp-sgd", "noise_multiplier": 2, "batch_size": 2, "dataset_size": 21}
    asserts = {"kind": "privacy", "epsilon": 3, "delta": "1e-5", "neighbours": "zero-out"}
    for sampling in ("cyclic", "shuffled"):
        ends, told = [], []
        for long in ({"epochs": 2, "rounding": "up"}, {"steps": 22}):
            mechanism = about | {"sampling": sampling} | long
            found = claims.audit({"id": "it", "mechanism": mechanism, "asserts": asserts})
            assert found.epsilon is not None
            ends.append(found.epsilon)
            told.append(found.told)
        given = {"noise_multiplier": 2, "delta": "1e-5", "neighbours": "zero-out", "epochs": 2}
        two = dporacle.dp_sgd_epsilon(sampling="cyclic", batches_per_epoch=11, **given)
        assert float(ends[0].high) == pytest.approx(two[1], rel=1e-12)
        if sampling == "shuffled":
            assert float(ends[1].high) > two[1]
            continue
        assert ends[0] == ends[1]
        short = "the last batch of each epoch is short, and is not left out"
        assert told == ["HOLDS", f"HOLDS if {short}"]


def test_a_word_for_two_ways_is_not_bounded_by_the_epochs_of_one() -> None:
    """A record may be in more batches of a fixed size than there are epochs."""
    run = read_training(
        noise_multiplier=2,
        sampling="without-replacement",
        batch_size=2,
        dataset_size=21,
        epochs=2,
        rounding="up",
    )
    assert run.epochs is None
    fixed = read_training(
        noise_multiplier=2, sampling="fixed-size", batch_size=2, dataset_size=21, steps=run.steps
    )
    high, least = (each.ends(Fraction(1, 10**9), "replace-one").high for each in (run, fixed))
    assert high is not None
    assert least is not None
    assert high >= least


def test_how_many_batches_remain_does_not_say_what_is_dropped() -> None:
    with pytest.raises(ValueError, match="batches_per_epoch must be absent for sampling 'drop-l"):
        read_training(noise_multiplier=1, sampling="drop-last", batches_per_epoch=9, steps=9)


def test_a_dropped_batch_moves_the_sum_by_two_in_the_command_too() -> None:
    """One record more or less takes the place of one that is dropped; the hint says the word."""
    words = "dp-sgd --noise-multiplier 1.12 --batch-size 256 --dataset-size 60000 --epochs 60"
    found = shown(f"{words} --delta 1e-5 --sampling drop-last --neighbours add-remove")
    low, high = found["epsilon"]["add-remove"]
    assert float(low) > 13.12
    assert 153 < float(high) < 154  # that of 60 sums, each moved by two
    about = {"kind": "dp-sgd", "noise_multiplier": "1.12", "sampling": "drop-last"}
    about |= {"batch_size": 256, "dataset_size": 60000, "epochs": 60, "rounding": "up"}
    asserts = {"kind": "privacy", "epsilon": low, "delta": "1e-5", "neighbours": "add-remove"}
    judged = claims.audit({"id": "it", "mechanism": about, "asserts": asserts})
    assert judged.epsilon is not None
    assert judged.epsilon.low >= Fraction(low)
    short = shown(f"{words} --delta 1e-5 --sampling shuffled --neighbours zero-out")
    assert "say --sampling drop-last" in short["note"]


def test_a_relation_of_which_nothing_is_known_is_left_out_unless_it_is_asked_for() -> None:
    """A rate does not say how many records a record more leaves out."""
    words = "dp-sgd --noise-multiplier 2 --delta 1e-5 --sampling drop-last --sampling-rate 1/10"
    found = shown(f"{words} --epochs 1")["epsilon"]
    assert [*found] == ["zero-out", "replace-one"]
    asked = f"{words} --epochs 1 --neighbours add-remove"
    assert CliRunner().invoke(main, asked.split()).exit_code == 2


@pytest.mark.parametrize("relation", [*RELATIONS])
@pytest.mark.parametrize("sampling", [each for each in WORDS if each != "poisson"])
def test_the_command_shows_what_the_function_returns(sampling: str, relation: str) -> None:
    """Every word, with sizes that do not divide: the same ends, or the same refusal."""
    given = {"batch_size": 3, "dataset_size": 10, "epochs": 2}
    words = (
        f"dp-sgd --noise-multiplier 2 --delta 0.01 --sampling {sampling} --neighbours {relation}"
    )
    words += " --batch-size 3 --dataset-size 10 --epochs 2 --json"
    if sampling == "truncated":
        given["batch_cap"], words = 4, f"{words} --batch-cap 4"
    result = CliRunner().invoke(main, words.split())
    try:
        low, high = dporacle.dp_sgd_epsilon(
            noise_multiplier=2, delta="0.01", sampling=sampling, neighbours=relation, **given
        )
    except ValueError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert result.exit_code == 2
        assert refused in " ".join(result.output.split())
        return
    found = json.loads(result.output)["epsilon"][relation]
    ends = [float("inf") if each is None else float(each) for each in found]
    assert [low, high] == pytest.approx(ends, rel=1e-11)


def test_impossible_data_are_refused_wherever_they_are_read() -> None:
    for wrong, name in (
        ({"sampling": "drop-last", "batch_size": "2.5", "dataset_size": 10}, "batch_size"),
        ({"sampling": "cyclic", "batch_size": "2.5", "dataset_size": "7.5"}, "dataset_size"),
        ({"sampling": "poisson", "batch_size": "2.5", "dataset_size": "7.5"}, "dataset_size"),
    ):
        message = f"{name} must be a whole number"
        with pytest.raises(ValueError, match=message):
            dporacle.dp_sgd_epsilon(noise_multiplier=1, delta="1e-5", steps=3, **wrong)
        with pytest.raises(msgspec.ValidationError, match=message):
            msgspec.convert(
                {"kind": "dp-sgd", "noise_multiplier": "1", "steps": 3, **wrong},
                DpSgd,
                dec_hook=_number,
            )
    # the expected size of a batch need not be whole
    sizes = {"batch_size": "2.5", "dataset_size": 10}
    assert read_training(noise_multiplier=1, steps=3, **sizes).sampling_rate == Fraction(1, 4)


def _number(kind: Any, value: Any) -> Any:
    return kind(value)


_SIZES = st.integers(1, 40)
_NUMBERS = {
    "sampling_rate": st.fractions("1/60", 1, max_denominator=60) | st.just(Fraction(2)),
    "batch_size": _SIZES,
    "dataset_size": _SIZES,
    "batches_per_epoch": st.integers(1, 30),
    "steps": st.integers(1, 300),
    "epochs": st.integers(1, 9) | st.fractions("1/9", 9, max_denominator=9),
}
_GIVEN = st.fixed_dictionaries({}, optional=_NUMBERS)
_USUAL = st.sampled_from(
    [("sampling_rate",), ("batch_size", "dataset_size"), ("batches_per_epoch",)]
).flatmap(
    lambda how: st.sampled_from(["steps", "epochs"]).flatmap(
        lambda long: st.fixed_dictionaries({name: _NUMBERS[name] for name in (*how, long)})
    )
)


@given(st.sampled_from(WORDS), _USUAL | _GIVEN, st.sampled_from(["up", "down", "nearest"]))
@example("with-replacement", {"batch_size": 1, "dataset_size": 1, "steps": 1}, "up")
@example("fixed-size", {"sampling_rate": Fraction(1), "steps": 3}, "up")
def test_command_and_claims_read_what_the_reader_reads(
    sampling: str, given: dict[str, Any], rounding: str
) -> None:
    """All take the same run, or all refuse with the same words."""
    expected = _asked(sampling, given, rounding)
    words = ["dp-sgd", "--noise-multiplier=2", "--delta=1e-5", f"--sampling={sampling}"]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    read: list[Any] = []

    def recorded(**said: Any) -> TrainingRun:
        read.append(_outcome(**said))
        raise ValueError("that is all")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dporacle.cli.dp_sgd.read_training", recorded)
        rounded = [f"--round={rounding}"] if "epochs" in given else []
        CliRunner().invoke(main, [*words, *rounded])
    assert read == [expected]
    assume("batches_per_epoch" not in given)  # claims state a rate or sizes
    about = {"noise_multiplier": Fraction(2), "sampling": sampling} | {
        name if name != "steps" else "number_of_steps": Fraction(value)
        if name in ("sampling_rate", "batch_size", "dataset_size", "epochs")
        else value
        for name, value in given.items()
    }
    about |= {"rounding": rounding} if "epochs" in given else {}
    try:
        ours: Any = DpSgd(**about).run()
    except ValueError as error:
        ours = str(error)
    assert ours == expected
    if isinstance(expected, TrainingRun):
        raw = {name: str(value) for name, value in given.items()} | {"noise_multiplier": "2"}
        raw |= {"sampling": sampling} | ({"rounding": rounding} if "epochs" in given else {})
        said = {"neighbours": "zero-out", "epsilon": 1, "delta": "1e-5"}
        try:
            proved = coq_reader._read(said, raw)
        except NotCoveredError:
            return
        assert (proved.rate, proved.steps) == (expected.sampling_rate, expected.steps)


def _asked(sampling: str, given: dict[str, Any], rounding: str) -> Any:
    rounded = {"rounding": rounding} if "epochs" in given else {}
    return _outcome(noise_multiplier=2, sampling=sampling, **given, **rounded)


def _outcome(**said: Any) -> Any:
    try:
        return read_training(**said)
    except ValueError as error:
        return str(error)


def test_no_other_module_reads_a_run() -> None:
    """Nobody else divides a batch size by the records, or makes steps of epochs."""
    readers = set()
    for path in [*SOURCE.rglob("*.py"), *(SOURCE / "dev").rglob("*.py")]:
        # Adapters say to a library what it is to be asked; recordings are of batches, not of a run.
        if {"adapters", "recorded_batches"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                above, below = ast.unparse(node.left), ast.unparse(node.right)
                sized = "batch_size" in above or "dataset_size" in below
                if (
                    sized
                    or ("size" in above and below == "records")
                    or ("epochs" in above and "rate" in below)
                ):
                    readers.add(path.relative_to(SOURCE).as_posix())
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("steps_of"):
                readers.add(path.relative_to(SOURCE).as_posix())
    assert readers == {"mechanisms/training.py"}


def test_a_relation_has_one_name_and_the_former_words_lead_to_it() -> None:
    assert set(FORMER.values()) <= {*RELATIONS}
    assert {*ENCLOSED} == {*RELATIONS, *DIRECTIONS}
    words = "dp-sgd --noise-multiplier 2 --sampling cyclic --batches-per-epoch 9 --epochs 1"
    for former, name in FORMER.items():
        found = shown(f"{words} --delta 1e-5 --neighbours {former}")
        assert [*found["epsilon"]] == [name]
        assert found == shown(f"{words} --delta 1e-5 --adjacency {name}")
    everyone = shown(f"{words} --delta 1e-5")["epsilon"]
    assert {*everyone} == {*RELATIONS, *DIRECTIONS}


def test_poisson_sampling_takes_the_relations_too() -> None:
    words = "dp-sgd --noise-multiplier 2 --sampling-rate 0.1 --steps 9 --delta 1e-5"
    found = shown(f"{words} --neighbours zero-out --neighbours replace-one")
    every = shown(words)
    assert found["epsilon"] == {
        "zero-out": every["epsilon"]["add-remove"],
        "replace-one": every["epsilon"]["replace-one"],
    }


@pytest.mark.parametrize("sampling", ["cyclic", "balls-and-bins"])
def test_without_delta_gaussian_noise_is_never_private(sampling: str) -> None:
    """Also where each batch has all records; of batches of all, none has a record less."""
    about = {"kind": "dp-sgd", "noise_multiplier": 9, "sampling_rate": 1, "steps": 1}
    for scheme, relation, verdict in (
        (sampling, "add-remove", "VIOLATED"),
        (sampling, "replace-one", "VIOLATED"),
        ("fixed-size", "replace-one", "VIOLATED"),
        ("fixed-size", "add-remove", "UNDECIDED"),
    ):
        asserts = {"kind": "privacy", "epsilon": 1, "delta": 0, "neighbours": relation}
        claim = {"id": "it", "mechanism": about | {"sampling": scheme}, "asserts": asserts}
        found = claims.audit(claim)
        assert found.verdict.name == verdict
        assert "is at least" not in found.reason


DRAWN = {"sampling_rate": "0.1", "dataset_size": 9, "steps": 9}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("participations", {"sampling": "random-allocation", "batches_per_epoch": 8, "epochs": 1}),
        ("microbatches", {"sampling_rate": "0.1", "steps": 9}),
        ("group", {"sampling_rate": "0.1", "steps": 9}),
        ("group_cap", {"sampling_rate": "0.1", "steps": 9, "group": 3}),
        ("batch_cap", {"sampling": "truncated", **DRAWN}),
        ("dimension", {"divisor": "drawn", **DRAWN}),
        ("batches_per_epoch", {"sampling": "cyclic", "epochs": 1}),
        ("steps", {"sampling_rate": "0.1"}),
    ],
)
def test_every_count_is_taken_as_it_is_written(name: str, more: dict[str, Any]) -> None:
    """As text too, and as a number that happens to be whole: one rule for all of them."""
    rounding = {"rounding": "up"} if "epochs" in more else {}
    read = partial(read_training, noise_multiplier=1, **more, **rounding)
    plain = read(**{name: 2})
    for other in ("2", Fraction(2), 2.0):
        assert read(**{name: other}) == plain
    for wrong in ("2.5", 0, -1):
        with pytest.raises(ValueError, match=name):
            read(**{name: wrong})
