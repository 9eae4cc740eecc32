"""What a loose answer gives away: less noise would do, or more uses, and not more than is true."""

import io
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from conformance.faking import judged
from rich.console import Console

from dporacle import enclosures, fast
from dporacle import report as pages
from dporacle.conformance.grade import runs
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.excess import Looseness, looseness, of_the_loosest
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.report import terminal

SGD = {"sigma": 1.1, "rate": 256 / 60000, "steps": 14063.0}


def case(quantity: str, answer: float, excess: float, **given: float) -> JudgedCase:
    return JudgedCase(
        case=f"{quantity}/one",
        quantity=quantity,
        arguments={name: float(value).hex() for name, value in given.items()},
        outcome=Outcome.LOOSE,
        answer=answer.hex(),
        excess=excess,
        flags=("core",),
    )


# What RDP says for 60 epochs at 1.1, where 2.3817 is exact.
RDP = case("subsampled_epsilon", 2.59666, 2.59666 / 2.381689726 - 1, delta=1e-5, **SGD)


def test_an_epsilon_gives_away_noise_and_steps() -> None:
    told = of_the_loosest([RDP])
    assert told is not None
    assert told.noise is not None
    assert told.uses is not None
    assert 1.01 < told.noise < told.uses < 1.5
    assert "less noise, or" in told.text

    def delta(**changed: float) -> Any:
        given: dict[str, Any] = {**SGD, **changed}
        given["steps"] = int(given["steps"])
        return enclosures.subsampled_delta(epsilon=2.59666, direction="both", digits=9, **given)

    # No more is told than is true, and hardly less: proved by balls.
    assert bounds(delta(sigma=1.1 / told.noise))[1] <= 1e-5 * (1 + 1e-6)
    assert bounds(delta(sigma=1.1 / told.noise / 1.0001))[0] > 1e-5
    assert bounds(delta(steps=int(SGD["steps"] * told.uses)))[1] <= 1e-5
    assert bounds(delta(steps=int(SGD["steps"] * told.uses * 1.01)))[0] > 1e-5


def test_a_delta_and_noise_give_the_same_away() -> None:
    """The three ways to say the same promise."""
    given = {"rate": 0.01, "steps": 1000}
    epsilon, delta, sigma = 2.0, 1e-5, 1.2
    least = fast.subsampled_sigma(epsilon=epsilon, delta=delta, direction="both", **given)
    answers = {
        "subsampled_sigma": case(
            "subsampled_sigma", sigma, sigma / least - 1, epsilon=epsilon, delta=delta, **given
        ),
        "subsampled_epsilon": case(
            "subsampled_epsilon", epsilon, 0.3, delta=delta, sigma=sigma, **given
        ),
        "subsampled_delta": case(
            "subsampled_delta", delta, 0.3, epsilon=epsilon, sigma=sigma, **given
        ),
    }
    told = [looseness(each) for each in answers.values()]
    assert {each.noise for each in told} == {sigma / least}
    assert len({each.uses for each in told}) == 1
    assert (told[0].uses or 0) > 1.2


def test_one_release_gives_away_noise_alone() -> None:
    told = looseness(case("calibrate_sigma", 4.0, 0.07, epsilon=1, delta=1e-5, sensitivity=1))
    assert told.noise == pytest.approx(4 / 3.7306316348159418)
    assert told.uses is None
    assert told.text == "6.7 % less noise"
    assert msgspec.structs.replace(told, noise=566.1).text == "noise 566 times smaller"


def test_releases_that_are_counted_give_away_releases() -> None:
    exact = fast.repeated_epsilon(delta=1e-5, sigma=20, releases=150)
    told = looseness(
        case(
            "repeated_epsilon", float(exact), 0.3, delta=1e-5, sigma=20, releases=100, sensitivity=1
        )
    )
    assert told.uses == 1.5


@pytest.mark.parametrize("excess", [0.001, 0.0, -0.2])
def test_what_is_hardly_loose_is_not_told(excess: float) -> None:
    near = case("calibrate_sigma", 3.7307, excess, epsilon=1, delta=1e-5, sensitivity=1)
    assert of_the_loosest([msgspec.structs.replace(near, outcome=Outcome.TIGHT)]) is None
    assert of_the_loosest([]) is None


@pytest.mark.parametrize("quantity", [row.name for row in QUANTITIES.values() if not row.rounds])
def test_every_quantity_is_asked_safely(quantity: str) -> None:
    """Whatever is answered, nothing fails, and what is told is more than nothing."""
    given = {name: float(row.everyday) for name, row in QUANTITIES[quantity].rows.items()}
    for answer in (0.7, 1e300):
        told = looseness(case(quantity, answer, 0.05, **given))
        assert told.noise is None or told.noise >= 1
        assert told.uses is None or told.uses >= 1


def loose(factor: float) -> Callable[..., float]:
    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        exact = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return float(exact) * factor

    return sigma


def test_a_run_tells_it_in_its_table_its_document_and_its_page() -> None:
    result = judged("calibrate_sigma", loose(1.25), fresh=Fresh())
    (item,) = result.functions
    assert item.looseness is not None
    assert item.looseness.noise == pytest.approx(1.25)
    text = io.StringIO()
    shown = Console(file=text, width=200, highlight=False)
    terminal.show(judgement([result], fresh=Fresh()), shown, verbose=True)
    assert "the same promise would bear 20 % less noise" in text.getvalue()
    document = pages.read(runs.write(judgement([result], limits=Patience(), fresh=Fresh())))
    assert document.items[0].looseness == item.looseness
    assert "bear 20 % less noise" in pages.render(document).replace("\n", " ")


def test_a_run_that_is_tight_tells_nothing() -> None:
    result = judged("calibrate_sigma", loose(1.0), fresh=Fresh())
    (item,) = result.functions
    assert item.looseness is None
    document = pages.read(runs.write(judgement([result], limits=Patience(), fresh=Fresh())))
    assert document.items[0].looseness is None


def test_what_has_no_end_is_said_to_be_so() -> None:
    told = Looseness(case="", excess=1.0, noise=None, uses=1024.0)
    assert "or more" in told.text
