"""The script that sets gdpnum's and riskcal's figures of attacks beside the proved ones."""

from pathlib import Path
from types import ModuleType

import pytest

from support.files import module_at

SCRIPT = Path(__file__).parents[1] / "examples" / "attack_figures.py"
SAID = (  # by gdpnum 0.1.2 and riskcal 1.5.1: the answer, and where it is
    (1.5684997355240302, "inside"),
    (0.0010272571817040443, "8.7e-08 below"),
    (0.9811878920102952, "6.1e-06 above"),
    (0.9300089869055956, "4.6e-06 above"),
    (0.872959150950864, "4.0e-06 above"),
    (0.036774754307951366, "3.5e-07 above"),
    (0.1, "3.8e-05 above"),
    (0.05, "8.4e-03 above"),
    (0.30326532985628285, "3.4e-14 below"),
    (0.19999999999999996, "2.8e-17 below"),
    (0.050000000000000044, "4.2e-17 above"),
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    module: ModuleType = module_at(SCRIPT)
    module.gdpnum_mu = lambda: (SAID[0][0], SAID[1][0])
    module.sigma_for_advantage = lambda: 1.0251174926757813
    module.sigma_for_rates = lambda: 0.6725830078125
    return module


@pytest.mark.parametrize("place", range(len(SAID)))
def test_each_figure_is_where_the_script_says(script: ModuleType, place: int) -> None:
    figures = [*script.figures()]
    assert len(figures) == len(SAID)
    _, _, proved = figures[place]
    answer, words = SAID[place]
    low, high = proved()
    assert high - low <= 1e-4 * high
    assert script.compared(answer, (low, high)) == words


def test_an_answer_is_inside_above_or_below(script: ModuleType) -> None:
    places = [script.compared(answer, (1.0, 2.0)) for answer in (0.5, 1.0, 2.0, 2.5)]
    assert places == ["5.0e-01 below", "inside", "inside", "5.0e-01 above"]
