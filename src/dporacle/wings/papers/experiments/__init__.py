"""The experiments of the sources, run again and audited (BW18.F1, F2, F3, JL24.F1, F2).

Every number that has an exact value is printed beside what was measured, with an interval around
the measurement that the exact value must lie in. `dporacle experiment NAME` runs one.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dporacle.wings.papers.experiments.measured import FALSE_ALARM, Line, Measured, Result

__all__ = ["EXPERIMENTS", "FALSE_ALARM", "ON_DATA", "Line", "Measured", "Result", "run"]

EXPERIMENTS = {
    "accuracy-loss": "dporacle.wings.papers.experiments.losses",
    "calibration": "dporacle.wings.papers.experiments.calibration",
    "conversion-gap": "dporacle.wings.papers.experiments.conversion_gap",
    "heat-map": "dporacle.wings.papers.experiments.heat_map",
    "histogram": "dporacle.wings.papers.experiments.histogram",
    "mean-estimation": "dporacle.wings.papers.experiments.mean_estimation",
    "pickups": "dporacle.wings.papers.experiments.pickups",
    "street-graph": "dporacle.wings.papers.experiments.street_graph",
}
"""Name -> the module whose `run` it is."""

ON_DATA = frozenset({"heat-map", "pickups", "street-graph"})
"""Those that take a file of pickups."""


def run(
    name: str, *, seed: int = 0, repetitions: int | None = None, data: Path | None = None
) -> Result:
    """Run an experiment.

    Args:
        name: one of EXPERIMENTS.
        seed: of the random generator; the same seed gives the same result.
        repetitions: releases per mechanism, at least 10; by default the experiment's own number.
        data: a CSV file of pickups, for the three experiments on a heat map; without it they run
            on a synthetic one.

    Raises:
        KeyError: naming the experiment, if it is unknown.
        ValueError: if the file is not such a file, or another argument is outside its domain.
        ModuleNotFoundError: if the extra `experiments` is not installed and is needed.
    """
    if name not in EXPERIMENTS:
        raise KeyError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    where: dict[str, Any] = {"seed": seed}
    if repetitions is not None:
        where["repetitions"] = repetitions
    if data is not None:
        if name not in ON_DATA:
            raise ValueError(f"data is for {' and '.join(sorted(ON_DATA))}, not for {name}")
        where["data"] = data
    experiment: Callable[..., Result] = importlib.import_module(EXPERIMENTS[name]).run
    return experiment(**where)
