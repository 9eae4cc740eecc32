"""Draws over the protocol: what an adapter may answer to `draw`, and what is refused."""

import math
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from dporacle.conformance import adapters
from dporacle.conformance.ask import adapter_check
from dporacle.conformance.libraries import pinned
from dporacle.wings.samplers import (
    AdapterSource,
    Batch,
    DiscreteGaussian,
    Gaussian,
    SourceError,
    audit,
)
from support.cases import table

LAW = Gaussian(sigma=3.0, dimension=2)
BATCH = Batch(0, 0, 4, 2, 0)

SCRIPT = """
import json, struct, sys
for line in sys.stdin:
    message = json.loads(line)
    reply = {"id": message["id"]}
    drawn = b""
    if message["command"] == "start":
        reply |= {"protocol": 2, "name": "x", "version": "1", "functions": []}
        if message.get("samplers"):
            reply["samplers"] = [{"name": "s", "law": "gaussian", "parameters": ["sigma"]}]
    elif message["command"] == "stop":
        break
    else:
        n = message["rows"] * message["dimension"]
        reply["draws"] = n
        drawn = struct.pack(f"<{n}d", *([1.5] * n))
        ANSWER
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\\n" + drawn)
    sys.stdout.buffer.flush()
    if not drawn and "draws" in reply:
        break
"""


def source(tmp_path: Path, answer: str = "pass") -> AdapterSource:
    program = tmp_path / "adapter.py"
    program.write_text(SCRIPT.replace("ANSWER", textwrap.indent(answer, " " * 8).strip()))
    return AdapterSource(command=(sys.executable, "-I", str(program)), law=LAW, timeout=20)


def test_numbers_arrive_row_by_row(tmp_path: Path) -> None:
    with source(tmp_path, "drawn = struct.pack(f'<{n}d', *range(n))") as drawn:
        assert drawn(BATCH).tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
        said, sampler = drawn.about
        assert (said.name, sampler.name) == ("x", "s")


@pytest.mark.parametrize(("answer", "words"), table("what_is_no_answer_is_refused"))
def test_what_is_no_answer_is_refused(tmp_path: Path, answer: str, words: str) -> None:
    with source(tmp_path, answer) as drawn, pytest.raises(SourceError, match=words):
        drawn(BATCH)


@pytest.mark.parametrize("value", ["float('nan')", "float('inf')"])
def test_draws_that_are_not_finite_convict(tmp_path: Path, value: str) -> None:
    answer = f"drawn = struct.pack(f'<{{n}}d', {value}, *([1.0] * (n - 1)))"
    with source(tmp_path, answer) as drawn:
        found = audit(law=LAW, source=drawn, limit=4)
    assert found.convicted


def test_samplers_are_offered_only_where_they_are_asked_for(tmp_path: Path) -> None:
    told = source(tmp_path)
    program = Path(told.command[-1])
    program.write_text(program.read_text().replace('if message.get("samplers"):', "if True:"))
    rules = {tried.rule: tried for tried in adapter_check.check(told.command)}
    assert rules["it answers `start` with one line of its capabilities"].good
    quiet = program.read_text().replace('"functions": []', '"functions": [1]')
    program.write_text(quiet)
    assert next(adapter_check.check(told.command)).good is False


def test_the_check_tells_samplers_that_repeat_themselves(tmp_path: Path) -> None:
    found = list(adapter_check.check(source(tmp_path).command))
    wrong = [tried.rule for tried in found if tried.good is False]
    assert wrong == ["s: each request has fresh noise"]


def test_the_example_keeps_the_rules() -> None:
    example = Path(__file__).parents[2] / "examples" / "sampler.py"
    found = list(adapter_check.check([sys.executable, str(example)]))
    assert [tried.rule for tried in found if tried.good is False] == []
    assert any("draw" in tried.rule for tried in found)


SERVED = """
import random
DISTRIBUTION = "numpy"
def noise(sigma):
    if sigma < 1:
        raise ValueError("too small")
    chance = random.Random(1)
    def draw(value, rows, dimension):
        count = rows * dimension - (value == 7)
        return [value + chance.gauss(0, sigma) for _ in range(count)]
    return draw
SAMPLERS = {"noise": ("gaussian", noise)}
"""


def test_served_samplers_keep_their_state(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(SERVED)
    serve = Path(adapters.__file__).parent / "serve.py"
    command = (sys.executable, "-P", str(serve), str(adapter))
    with AdapterSource(command=command, law=LAW) as drawn:
        first, second = drawn(BATCH), drawn(BATCH)
        assert np.isfinite(first).all()
        assert not np.isin(first, second).any()
    with (
        AdapterSource(command=command, law=Gaussian(sigma=0.5)) as drawn,
        pytest.raises(SourceError, match="refused: ValueError: too small"),
    ):
        drawn(Batch(0, 0, 4, 1, 0))
    with (
        AdapterSource(command=command, law=LAW, value=7.0) as drawn,
        pytest.raises(SourceError, match="drew 7 numbers, not 8"),
    ):
        drawn(BATCH)
    with pytest.raises(SourceError, match="no sampler of the law 'discrete'"):
        AdapterSource(command=command, law=DiscreteGaussian(sigma=2.0)).start()


def test_libraries_whose_noise_is_known_have_adapters_with_samplers() -> None:
    folder = Path(adapters.__file__).parent
    for library in pinned.SAMPLED.values():
        assert "\nSAMPLERS = {" in (folder / library.adapter).read_text()
        assert math.log2(library.memory).is_integer()
