"""Audits that stop and go on: the outcome is that of one that did not stop, bit for bit."""

import contextlib
import json
import os
from dataclasses import fields, replace
from itertools import groupby

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle.cli import main
from dporacle.wings.samplers import (
    DiscreteGaussian,
    Gaussian,
    NaiveSource,
    RankOneGaussian,
    Sketch,
    audit,
)
from dporacle.wings.samplers.repeats import Repeats

LAWS = (
    Gaussian(sigma=2.0),
    Gaussian(sigma=2.0, dimension=3),
    DiscreteGaussian(sigma=1.5, dimension=2),
    RankOneGaussian(sigma_star=2.0, dimension=2),
)


class StoppedError(Exception):
    """Somebody pressed a key, or a machine went down."""


class Noted:
    """Draws, notes what it was asked for, and stops when it is told to."""

    def __init__(self, law, stop=-1):
        self.draw, self.stop, self.asked = NaiveSource(law=law), stop, []

    def __call__(self, batch):
        if len(self.asked) == self.stop:
            raise StoppedError
        self.asked.append(batch)
        return self.draw(batch)


def alike(first, second, names):
    for each in names:
        values = [getattr(found, each.name) for found in (first, second)]
        assert type(values[0]) is type(values[1]), each.name
        if each.name in ("repeats", "rough", "blind"):
            for parts in zip(*values, strict=True):
                alike(*parts, fields(Repeats))
        else:
            assert np.array_equal(*values), each.name


def same(first, second):
    alike(first.sketch, second.sketch, fields(Sketch))
    drawn = {"sketch": first.sketch, "drawn": 0, "seconds": 0.0}
    assert replace(first, **drawn) == replace(second, **drawn)


@settings(max_examples=15)
@given(
    law=st.sampled_from(LAWS),
    limit=st.integers(1, 120),
    batch=st.integers(15, 60),
    drawing=st.lists(st.integers(0, 6), max_size=3),
    looking=st.lists(st.integers(1, 6), max_size=3),
)
def test_a_resumed_audit_is_one_that_did_not_stop(
    tmp_path_factory, law, limit, batch, drawing, looking
):
    """It stops in a draw or after a look, several times, also with a short last batch."""
    path = tmp_path_factory.mktemp("audits") / "state.json"
    given = {"law": law, "limit": limit, "batch": batch, "seed": limit}
    whole = audit(source=NaiveSource(law=law), **given)
    asked = []
    for at in drawing:
        source = Noted(law, stop=at)
        with contextlib.suppress(StoppedError):
            audit(source=source, checkpoint=path, **given)
        asked += source.asked
    for at in looking:
        source = Noted(law)

        def stop(*_, source=source, at=at):
            if len(source.asked) == at:
                raise StoppedError

        with contextlib.suppress(StoppedError):
            audit(source=source, checkpoint=path, progress=stop, **given)
        asked += source.asked
    source = Noted(law)
    same(audit(source=source, checkpoint=path, **given), whole)
    asked += source.asked
    # Nothing is left out, nor twice in it; and what has ended draws no more. What was drawn of a
    # batch before it was interrupted is not in it.
    held = {(each.index, each.request): each for each in asked}
    ends = [each.start + each.rows for each in held.values()]
    assert [each.start for each in held.values()] == [0, *ends[:-1]]
    assert ends[-1] == limit
    starts = {each.start for each in held.values() if not each.request}
    assert starts == set(range(0, limit, max(1, batch // law.dimension)))
    again = Noted(law)
    same(audit(source=again, checkpoint=path, **given), whole)
    assert not again.asked


@settings(max_examples=15)
@given(st.sampled_from(LAWS), st.lists(st.integers(1, 150), min_size=2, max_size=4))
def test_a_larger_limit_goes_on_from_the_end(tmp_path_factory, law, limits):
    """What was looked at stays: a short batch at a limit is neither left out nor drawn again."""
    path = tmp_path_factory.mktemp("audits") / "state.json"
    asked, rows = [], law.draw(150, np.random.default_rng(1))
    for limit in sorted(limits):
        source = Noted(law)
        source.draw = lambda batch: rows[batch.start : batch.start + batch.rows]
        found = audit(law=law, source=source, limit=limit, batch=50, checkpoint=path)
        asked += source.asked
        assert found.sketch.rows == limit
    most = max(limits)
    whole = audit(law=law, source=source.draw, limit=most, batch=50)
    assert [index for index, _ in groupby(asked, lambda each: each.index)] == list(
        range(asked[-1].index + 1)
    )
    ends = [each.start + each.rows for each in asked]
    assert [each.start for each in asked] == [0, *ends[:-1]]
    assert ends[-1] == most
    assert {*limits} <= {*ends}
    for name in ("rows", "zeros", "short"):
        assert getattr(found.sketch, name) == getattr(whole.sketch, name)
    if law.continuous and law.width == law.dimension:
        assert np.array_equal(found.sketch.cells, whole.sketch.cells)


def test_who_was_convicted_stays_so(tmp_path):
    """A sampler with fresh randomness may not draw the batch again that gave it away."""
    law, path = LAWS[0], tmp_path / "state.json"
    first = audit(law=law, source=lambda b: np.zeros((b.rows, 1)), limit=100, checkpoint=path)
    assert first.convicted
    source = Noted(law)
    again = audit(law=law, source=source, limit=10**6, checkpoint=path)
    assert again.convicted
    assert not source.asked
    same(first, again)


def test_a_source_gives_no_more_than_it_is_asked_for():
    with pytest.raises(ValueError, match="at most 10 rows, got 20"):
        audit(law=LAWS[0], source=lambda batch: np.ones((20, 1)), limit=10)


def command(path, *words):
    return CliRunner().invoke(
        main,
        ["sample", "numpy", "--sigma", "2", "--limit", "50", "--checkpoint", str(path), *words],
    )


def test_a_checkpoint_without_end_is_not_read(tmp_path):
    found = command("/dev/zero")
    assert found.exit_code == 2
    assert "is not a file" in found.stderr
    os.mkfifo(tmp_path / "pipe")
    assert "is not a file" in command(tmp_path / "pipe").stderr
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 27)
    found = command(tmp_path / "sparse")
    assert found.exit_code == 2
    assert "more than 67,108,864 bytes" in found.stderr
    assert "cannot be written" in command(tmp_path / "no" / "folder").stderr


def test_a_spoilt_checkpoint_is_refused(tmp_path):
    path = tmp_path / "state.json"
    assert command(path).exit_code == 3  # too few draws to say
    good = path.read_text()
    assert command(path).exit_code == 3  # too few draws to say
    kept = json.loads(good)

    def refused(content):
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        found = command(path)
        assert found.exit_code == 2, (content, found.output)
        assert "checkpoint" in found.stderr

    for text in ("", "{", "[]", "1", "null", '"x"', good[:-9], "[" * 10**5, "9" * 5000):
        refused(text)
    for name in kept:
        refused({k: v for k, v in kept.items() if k != name})
        for value in (None, "x", -1, [[1]], float("inf")):
            refused(kept | {name: value})
    for name in kept["sketch"]:
        for value in (None, "AAAA", "é", [1], 1.5, float("nan"), 2**70, -1):
            if name in ("products", "previous", "largest", "anchor") and value in (1.5, -1):
                continue  # a number as good as another
            if name in ("gap", "finest") and value == 1.5:
                continue
            refused(kept | {"sketch": kept["sketch"] | {name: value}})


def test_noise_at_the_ends_of_float64_is_not_judged():
    """An exact sampler of σ = 1e-320 gives whole multiples of the least float64."""
    for sigma in (1e-301, 1e-320, 1e301):
        law = Gaussian(sigma=sigma)
        with pytest.raises(ValueError, match="sigma must be between 1e-300 and 1e\\+300"):
            audit(law=law, source=NaiveSource(law=law), limit=10)
