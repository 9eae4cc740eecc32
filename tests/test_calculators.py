"""`dporacle sigma|delta|epsilon|accuracy`."""

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from click.testing import CliRunner, Result

from dporacle import enclosures, reference
from dporacle.cli import main
from dporacle.enclosures.arithmetic.rounding import float_above, float_below
from support.exact import fraction


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


def test_sigma_prints_digits_enclosure_and_float() -> None:
    result = run("sigma", "--epsilon", "1", "--delta", "1e-5", "--digits", "30")
    assert result.exit_code == 0
    value, enclosure, float64 = result.output.splitlines()
    assert value.split() == ["sigma", "3.73063163481594183224982257504"]
    low, high = (Fraction(text) for text in enclosure.split("[")[1].rstrip("]").split(", "))
    ball = enclosures.calibrate_sigma(epsilon=1, delta=Fraction(1, 10**5), digits=60)
    assert low <= Fraction(str(ball.mid().str(60, radius=False))) <= high
    assert high - low < Fraction(1, 10**29)
    assert "3.730631634815942 " in float64
    assert "rounded up" in float64


TENTH, TWENTIETH = Fraction(1, 10), Fraction(1, 20)
ANSWERS = {
    "sigma --epsilon 0 --delta 0.1 --sensitivity 3": reference.calibrate_sigma(
        epsilon=0, delta=TENTH, sensitivity=3
    ),
    "delta --epsilon 1 --sigma 1": reference.delta_at_epsilon(epsilon=1, sigma=1),
    "epsilon --delta 0.9 --sigma 1": Fraction(0),
    "epsilon --delta 1e-5 --sigma 1": reference.epsilon_at_delta(delta=Fraction("1e-5"), sigma=1),
    "accuracy --alpha 0.05 --sigma 1": reference.accuracy(alpha=TWENTIETH, sigma=1),
    "accuracy --error 7.4 --sigma 3.73": reference.alpha_at_accuracy(
        accuracy=Fraction("7.4"), sigma=Fraction("3.73")
    ),
    "accuracy --error 7.4 --alpha 1/20": reference.sigma_at_accuracy(
        accuracy=Fraction("7.4"), alpha=TWENTIETH
    ),
    "delta --epsilon 0x1p0 --sigma 1e-300": 1 - Fraction(1, 10**400),
    "delta --epsilon 1000 --sigma 100": Fraction(1, 10**400),
}
QUANTITIES = {"--error 7.4 --sigma": "alpha", "--error 7.4 --alpha": "sigma"}


@pytest.mark.parametrize("words", ANSWERS)
def test_json(words: str) -> None:
    result = run(*words.split(), "--json")
    assert result.exit_code == 0, result.output
    shown = json.loads(result.output)
    assert shown["quantity"] != "delta" or Decimal(shown["enclosure"][1]) <= 1
    exact = fraction(ANSWERS[words])
    down = shown["rounded"] == "down"
    assert down == ("--error 7.4 --alpha" in words)
    other = [name for words_in, name in QUANTITIES.items() if words_in in words]
    assert shown["quantity"] == (other or words.split())[0]
    # The reference's 50 digits settle the float: none of these values is near one.
    assert shown["float64"] == (float_below(exact) if down else float_above(exact))
    assert float.fromhex(shown["float64_hex"]) == shown["float64"]


def test_a_value_beyond_float64_is_said() -> None:
    result = run("sigma", "--epsilon", "0", "--delta", "5e-324")
    assert result.exit_code == 0
    assert "none" in result.output


def test_a_number_of_a_million_digits_is_refused() -> None:
    result = run("sigma", "--epsilon", "9" * 10**6, "--delta", "0.5")
    assert result.exit_code == 2
    assert "epsilon" in result.output
    assert len(result.output) < 1000


def test_help_lists_every_command() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in ("sigma", "delta", "epsilon", "accuracy", "conform", "vectors"):
        assert command in result.output
