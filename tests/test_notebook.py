"""Notebooks: the tour is run, results are shown as tables, pictures as axes to be styled."""

import inspect
import json
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dporacle
from dporacle import enclosures, plots, regions, vectors
from dporacle.common import notebook
from dporacle.conformance.grade import runs as document
from dporacle.conformance.grade.runs import TargetResult
from dporacle.mechanisms.training import TrainingRun
from dporacle.risk import Figures, gaussian_releases
from dporacle.verdicts import decide_at_most
from dporacle.wings.papers import plots as of_papers
from dporacle.wings.samplers import Gaussian, audit
from dporacle.wings.samplers import plots as of_samplers
from support import reports
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent
TOURS = ROOT / "docs" / "tours"


def _tool(name: str) -> Any:
    return module_at(ROOT / "tools" / f"{name}.py")


def _texts(content: Any) -> list[list[str]]:
    """What each cell printed; a picture's bytes are matplotlib's."""
    kinds = ("text/html", "text/plain")
    return [
        [
            str(output.get("text") or output["data"].get(kinds[0]) or output["data"][kinds[1]])
            for output in cell.outputs
        ]
        for cell in content.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.thorough("a Jupyter kernel")
@pytest.mark.parametrize("name", ["notebook", "risk"])
def test_a_tour_prints_what_it_shows(name: str) -> None:
    tour = TOURS / f"{name}.ipynb"
    kept = nbformat.read(tour, as_version=4)
    found = _texts(_tool("run_notebook").run(tour))
    assert found == _texts(kept)
    assert all(found[1:-2])


class _Tags(HTMLParser):
    """Whether tags are closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _shown(value: Any) -> str:
    text: str = value._repr_html_()
    tags = _Tags()
    tags.feed(text)
    assert not tags.open
    assert tags.seen <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    return text


def test_texts_are_not_read_as_html() -> None:
    evil = "<script>alert(1)</script>&"
    for text in (notebook.table([evil], [[evil]], caption=evil), notebook.facts([(evil, evil)])):
        assert "<script" not in text
        assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") >= 2


def test_a_verdict_is_a_table() -> None:
    noise = {"kind": "gaussian", "sigma": "3.73", "sensitivity": 1, "neighbours": "add-remove"}
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    verdict = dporacle.audit({"id": "<b>", "mechanism": noise, "asserts": said})
    text = _shown(verdict)
    assert "VIOLATED" in text
    assert "<caption>&lt;b&gt;</caption>" in text
    assert verdict.low in text
    decision = decide_at_most(
        lambda n: enclosures.accuracy(alpha=1, sigma=1, digits=n), Fraction(1)
    )
    assert "HOLDS" in _shown(decision)


def test_vectors_are_tables() -> None:
    file = vectors.load("calibrate_sigma")
    assert f"{len(file.vectors)} vectors" in _shown(file)
    assert repr(file.vectors[0].float64) in _shown(file.vectors[0])


def test_an_audit_of_a_sampler_is_a_table() -> None:
    less = Gaussian(sigma=2.0)
    law = Gaussian(sigma=3.0)
    found = audit(law=law, source=lambda batch: less.draw(batch.rows, batch.generator()))
    text = _shown(found)
    assert "CONVICTED" in text
    assert "Gaussian(dimension=1, sigma=3.0)" in text


def test_results_of_conformance_runs_are_tables() -> None:
    assert "could not be run to the end: &lt;no&gt;" in _shown(
        TargetResult("library", failure="<no>")
    )
    cases = [reports.judged("violating"), reports.judged("tight", "calibrate_sigma/y")]
    run = document.read(json.dumps(reports.document(reports.HOSTILE, *cases)).encode())
    text = _shown(run)
    assert "violating 1, tight 1" in text
    assert "1 not conformant" in text


RUN = TrainingRun(noise_multiplier=Fraction(1), sampling_rate=Fraction(1, 10), steps=3)
PICTURES: dict[str, dict[str, Any]] = {
    "privacy_profile": {"sigma": 4},
    "delta_over_epsilon": {"run": RUN, "delta": Fraction(1, 1000)},
    "epsilon_over_steps": {"run": RUN, "delta": Fraction(1, 1000)},
    "operating_curve": {"figures": Figures(gaussian_releases(sigma=Fraction(1)))},
}
OF_SAMPLERS: dict[str, dict[str, Any]] = {
    "low_bits": {"drawn": np.array([[0.5], [0.3]])},
    "quantiles": {"law": Gaussian(sigma=1.0), "drawn": np.linspace(-2, 2, 50)[:, None]},
    "tails": {"law": Gaussian(sigma=1.0), "drawn": np.linspace(-2, 2, 50)[:, None]},
}


@pytest.mark.parametrize(
    ("module", "name", "given"),
    [
        *((plots, name, given) for name, given in PICTURES.items()),
        *((of_samplers, name, given) for name, given in OF_SAMPLERS.items()),
    ],
    ids=[*PICTURES, *OF_SAMPLERS],
)
def test_a_picture_is_drawn_on_the_axes_that_are_given(
    module: ModuleType, name: str, given: dict[str, Any]
) -> None:
    left, right = Figure().subplots(1, 2)
    found = getattr(module, name)(**given, ax=right)
    assert found is right
    assert right.has_data()
    assert not left.has_data()
    found.set_title("mine")  # and styled
    assert right.get_title() == "mine"


def test_every_picture_takes_axes_and_returns_them() -> None:
    every = [
        (module, name) for module in (plots, of_samplers, of_papers) for name in module.__all__
    ]
    for module, name in every:
        signature = inspect.signature(getattr(module, name), eval_str=True)
        assert signature.parameters["ax"].default is None, name
        assert signature.return_annotation is Axes, name


def test_without_axes_pyplot_has_them() -> None:
    from matplotlib import pyplot

    figure = pyplot.figure()
    try:
        axes = plots.privacy_profile(sigma=2, color="black", label="mine")
        assert axes is pyplot.gca()
        (line,) = axes.get_lines()
        assert (line.get_color(), line.get_label()) == ("black", "mine")
    finally:
        pyplot.close(figure)


def test_a_map_is_drawn_on_axes() -> None:
    axes = Figure().subplots()
    box = {"epsilon": (Fraction(1, 2), Fraction(2)), "delta": (Fraction(1, 10**6), Fraction(1, 10))}
    chart = regions.maps.chart("classical", **box, loose=(10,), fineness=2, workers=1)
    assert plots.map_of(chart, ax=axes) is axes
    assert axes.has_data()
    assert axes.get_legend() is not None
