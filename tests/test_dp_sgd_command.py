"""`dporacle dp-sgd`."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

import dporacle
from dporacle import enclosures
from dporacle.cli import main
from dporacle.cli.dp_sgd import dp_sgd
from dporacle.conformance.libraries.accountants import AccountantAnswer
from dporacle.dp_sgd import limit_theorem_epsilon, needs_no_noise, renyi_epsilon
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import SCHEMES
from dporacle.enclosures.subsampled_gaussian import subsampled_epsilon
from dporacle.mechanisms.sampling import WORDS, readings
from dporacle.mechanisms.training import TrainingRun, read_training, steps_of
from dporacle.plots import dp_sgd as dp_sgd_plot
from support.cases import table

TUTORIAL = ["--noise-multiplier", "1.1", "--sampling-rate", "256/60000", "--delta", "1e-5"]


def run(*words: str, status: int = 0) -> str:
    result = CliRunner().invoke(dp_sgd, words)
    assert result.exit_code == status, result.output
    return result.output


def test_the_tutorial_setting() -> None:
    shown = json.loads(run(*TUTORIAL, "--steps", "14063", "--json"))
    assert list(shown["epsilon"]) == ["add", "remove", "add-remove", "replace-one"]
    for name, digits in (("add", "2.2436508016"), ("remove", "2.3816897261")):
        low, high = shown["epsilon"][name]
        assert low.startswith(digits)
        assert high.startswith(digits)
        assert Fraction(low) < Fraction(high) <= Fraction(low) * (1 + Fraction(1, 10**11))
    assert shown["epsilon"]["add-remove"] == shown["epsilon"]["remove"]
    assert shown["input"]["sampling_rate"] == "256/60000"
    # what others say: Rényi is above the exact value, the limit theorem here below it
    assert float(shown["central_limit"]) < 2.38 < float(shown["renyi"]) < 3.2


def test_epochs_and_sizes_are_the_same_run() -> None:
    words = ["--batch-size", "256", "--dataset-size", "60000", "--epochs", "60", "--json"]
    shown = json.loads(run(*TUTORIAL[:2], *TUTORIAL[4:], *words))
    assert shown["input"]["steps"] == "14063"
    assert shown["epsilon"] == json.loads(run(*TUTORIAL, "--steps", "14063", "--json"))["epsilon"]


def test_epochs_are_rounded_as_stated() -> None:
    rate = Fraction(256, 60000)
    found = {
        way: steps_of(epochs=Fraction(60), rate=rate, rounding=way)
        for way in ("up", "down", "nearest")
    }
    assert found == {"up": 14063, "down": 14062, "nearest": 14063}
    with pytest.raises(ValueError, match="at least one step"):
        steps_of(epochs=Fraction(1, 2), rate=Fraction(1), rounding="down")


def test_the_text_names_the_hypotheses_and_what_is_not_covered() -> None:
    shown = run(*TUTORIAL, "--steps", "100")
    assert "add or remove    ε ∈ [" in shown
    assert "Poisson sampling" in shown
    assert "not covered      shuffled batches" in shown


def test_a_target_gives_the_least_noise_multiplier() -> None:
    setting = {"rate": Fraction(1, 100), "steps": 500}
    words = ["--epsilon", "2", "--sampling-rate", "0.01", "--steps", "500", "--delta", "1e-6"]
    shown = json.loads(run(*words, "--digits", "6", "--json"))["noise_multiplier"]
    low, high = (Fraction(each) for each in shown["add-remove"])
    above, below = (
        subsampled_epsilon(delta=Fraction("1e-6"), sigma=s, direction="both", **setting)
        for s in (low, high)
    )
    assert bounds(below)[0] <= 2 <= bounds(above)[1]


def test_the_picture(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dporacle.plots.dp_sgd._POINTS", 2)
    file = tmp_path / "run.svg"
    words = ["--noise-multiplier", "2", "--sampling-rate", "0.5", "--delta", "1e-5"]
    run(*words, "--steps", "20", "--plot", str(file), "--no-accountants")
    assert "Rényi" in file.read_text(encoding="utf-8") or file.stat().st_size > 10_000
    run(*words, "--steps", "20", "--plot", str(tmp_path / "run.xyz"), status=2)


def test_accountants_that_are_installed_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(name, inputs, *, python, timeout):
        assert python == "python of it"
        settings = [(each["steps"], each["delta"]) for each in inputs]
        assert settings[4] == (20, 1e-5)  # the end of the left half's curve
        assert all(steps == 20 and 0 < delta < 1 for steps, delta in settings[5:])
        return "7.5", [AccountantAnswer(number + 0.5, "", 0.1) for number in range(len(inputs))]

    monkeypatch.setattr(dp_sgd_plot, "_POINTS", 2)
    monkeypatch.setattr(dp_sgd_plot, "answers", answers)
    monkeypatch.setattr(
        dp_sgd_plot,
        "python_there",
        lambda library: "python of it" if library.name == "opacus" else None,
    )
    setting = TrainingRun(Fraction(2), Fraction(1, 2), 20)
    left, right = Figure().subplots(1, 2)
    dp_sgd_plot.epsilon_over_steps(setting, Fraction("1e-5"), ax=left)
    dp_sgd_plot.delta_over_epsilon(setting, Fraction("1e-5"), ax=right)
    dp_sgd_plot._add_accountants(left, right, setting, Fraction("1e-5"))
    for axes in (left, right):
        _, shown = axes.get_legend_handles_labels()  # what the picture's one legend is made of
        assert shown.count("opacus 7.5") == 1
        assert not any("dp-accounting" in text for text in shown)
    assert list(left.lines[-1].get_ydata()) == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert list(right.lines[-1].get_xdata()) == [5.5, 6.5, 7.5, 8.5, 9.5]


@pytest.mark.thorough("seconds")
def test_what_is_beyond_reach_has_two_ends_and_says_so() -> None:
    words = ["--noise-multiplier", "0.5", "--sampling-rate", "0.2", "--steps", "1000000"]
    words += ["--delta", "1e-12"]
    assert "too much work (remove a record, add or remove, replace one)" in run(*words)
    found = json.loads(run(*words, "--json"))
    assert not found["exact"]
    assert found["exact_for"] == ["add"]
    low, high = map(float, found["epsilon"]["remove"])
    assert 0 < low < high < 10**6
    assert "exact" not in json.loads(run(*words[:4], "--steps", "10", *words[-2:], "--json"))


def test_figures_of_others_are_ordered_at_a_typical_setting() -> None:
    setting = TrainingRun(Fraction(1), Fraction(1, 100), 10**4)
    assert 6.18 < renyi_epsilon(setting, delta=Fraction("1e-5")) < 7.5
    assert 0 < limit_theorem_epsilon(setting, delta=Fraction("1e-5")) < 6.2


@pytest.mark.parametrize("command", ["dp-sgd", "dp-sgd --compare", "risk"])
def test_a_reader_that_has_gone_is_no_wrong_usage(command: str) -> None:
    """As with `dporacle dp-sgd … | head -1`."""
    words = f"{command} --noise-multiplier 2 --steps 4 --sampling-rate 1/4".split()
    words += [] if command == "risk" else ["--delta=1e-5"]
    typed = [sys.executable, "-m", "dporacle", *words]
    with subprocess.Popen(typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        told = child.stderr.read().decode()
        status = child.wait(timeout=60)
    assert status != 2
    assert "Usage" not in told


TRAINING: dict[str, Any] = {
    "batch_size": 256, "dataset_size": 60000, "epochs": 60, "delta": "1e-5"
}  # fmt: skip


def test_python_says_what_the_command_proves() -> None:
    low, high = dporacle.dp_sgd_epsilon(noise_multiplier="1.1", **TRAINING)
    exact = enclosures.subsampled_epsilon(
        delta="1e-5", sigma="1.1", rate="256/60000", steps=14063, direction="both"
    )
    assert low <= float(exact.mid()) <= high <= low * (1 + 1e-14)
    sigma = dporacle.dp_sgd_noise_multiplier(epsilon=high, **TRAINING)
    assert 1.1 - 1e-9 < sigma < 1.1 + 1e-9
    cyclic = {"sampling": "cyclic", "batches_per_epoch": 10, "epochs": 2, "delta": "1e-5"}
    low, high = dporacle.dp_sgd_epsilon(noise_multiplier=2, neighbours="zero-out", **cyclic)
    assert low < high < low * (1 + 1e-6)
    anew = {"steps": 9, "batch_size": 2, "dataset_size": 20, "delta": "1e-5"}
    for scheme, former, neighbours in (
        ("fixed-size", "both", "add-remove"),
        ("with-replacement", "replace", "replace-one"),
    ):
        asked = {"noise_multiplier": 2, "sampling": scheme, "neighbours": neighbours, **anew}
        low, high = dporacle.dp_sgd_epsilon(**asked)
        words = f"--noise-multiplier 2 --sampling {scheme} --adjacency {former} --delta 1e-5"
        sizes = "--batch-size 2 --dataset-size 20 --steps 9 --json"
        shown = json.loads(run(*words.split(), *sizes.split()))
        assert [low, high] == pytest.approx([float(end) for end in shown["epsilon"][neighbours]])


@pytest.mark.parametrize(("wrong", "name"), table("python_names_the_argument_that_is_wrong"))
def test_python_names_the_argument_that_is_wrong(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(name)):
        dporacle.dp_sgd_epsilon(**{"noise_multiplier": 1, **TRAINING, **wrong})


def test_a_rate_is_echoed_as_it_was_typed() -> None:
    words = ("--noise-multiplier", "1.1", "--sampling-rate", "256/60000", "--steps", "9")
    lines = run(*words, "--delta", "1e-5").splitlines()
    assert lines[:2] == ["noise multiplier 1.1", "sampling rate    256/60000"]


def test_what_compare_leaves_out_is_named_in_its_help() -> None:
    """A scheme of its own, no other word for one, has a line or is named."""
    shown = {"poisson", "fixed-size", *SCHEMES}
    left = {word for word in WORDS if readings(word) == (word,)} - shown | {"drop-last"}
    (told,) = (each.help for each in dp_sgd.params if each.name == "compare")  # type: ignore[attr-defined]
    assert {word for word in WORDS if re.search(rf"(?<![\w-]){word}(?![\w-])", told)} == left


def test_a_relation_without_an_upper_end_is_shown_so() -> None:
    """The rate alone tells of a record: no sum has another divisor."""
    words = ["--noise-multiplier", "1", "--batch-size", "1", "--dataset-size", "10", "--steps", "3"]
    words += ["--delta", "0.01", "--divisor", "from-n", "--dimension", "2"]
    shown = run(*words)
    assert "add or remove     ε ≥ 0.43686829" in shown
    assert "for add, remove and add-remove: no upper end is proved" in shown


def test_no_noise_is_needed_where_a_record_is_hardly_ever_drawn() -> None:
    """Below that δ some noise is: without any, 1 − (1 − q)^T is lost, or 1 − e^ε(1 − q)^T."""
    run = {"sampling_rate": "0.001", "steps": 5}
    words = ["dp-sgd", "--sampling-rate", "0.001", "--steps", "5", "--epsilon", "1", "--json"]
    said = CliRunner().invoke(main, [*words, "--delta", "0.1"])
    assert said.exit_code == 0, said.output
    assert set(map(tuple, json.loads(said.stdout)["noise_multiplier"].values())) == {("0", "0")}
    lost = 1 - 0.999**5
    for way, delta, none in (("add", lost / 50, True), ("remove", lost / 50, False)):
        sigma = dporacle.dp_sgd_noise_multiplier(epsilon=1, delta=str(delta), **run, neighbours=way)
        assert (sigma == 0) == none
    one = read_training(noise_multiplier=1, **run).as_schedule()
    for delta in (lost * 1.001, lost * 0.999):
        assert needs_no_noise(one, "replace-one", Fraction(1), Fraction(delta)) == (delta > lost)
    # The chance that no batch has one of two records, each in two batches of each step.
    pairs = read_training(noise_multiplier=1, **run, group=2, microbatches=2).as_schedule()
    lost = 1 - 0.999**20
    for delta in (lost * 1.001, lost * 0.999):
        assert needs_no_noise(pairs, "remove", Fraction(1), Fraction(delta)) == (delta > lost)
        assert needs_no_noise(pairs, "add", Fraction(1), Fraction(delta))
