"""No two purposes share a stream of random numbers: each place has a name of its own."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle.common import randomness
from dporacle.wings.samplers import Gaussian, NaiveSource, decide, take
from dporacle.wings.samplers.sources import Batch

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "dev", "fast", "reference", "tools", "examples", "calculator")
HELPERS = ("generator", "chance", "sequence")
MAKERS = {
    *("default_rng", "RandomState", "SeedSequence", "PCG64", "PCG64DXSM", "MT19937", "Philox"),
    *("SFC64", "Random"),
}
"""What makes a generator, or seeds a hidden one. `Generator` takes what one of them made."""
RAW = {
    # Whole numbers as they are: each is the only one of its process, and has published figures.
    "src/dporacle/wings/papers/experiments/measured.py": "default_rng",
    # A child of a sequence that has a name.
    "src/dporacle/wings/papers/rank_one.py": "default_rng",
    # Where an ascent begins: any place does, and the enclosures do without numpy.
    "src/dporacle/enclosures/matrix/semidefinite.py": "Random",
    # A text that begins with the seed; the fresh inputs of all published runs follow from it.
    "src/dporacle/conformance/ask/fresh.py": "Random",
    # The neighbours that somebody's own strategy draws, from the seed that is given.
    "src/dporacle/frozen/drawing.py": "Random",
    # An attack of its own process.
    "examples/attack_ledgers.py": "Random",
    # The order in which the parts of ranges come, the same in all runs.
    "src/dporacle/conformance/ask/covering.py": "Random",
}
"""The generators that are seeded without a name, one purpose in each file."""


def calls():
    """Yield each call in the project: the file, the function's last name, and the call."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not any(name in text for name in ("random", *MAKERS, *HELPERS)):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    named = getattr(node.func, "attr", getattr(node.func, "id", ""))
                    yield path.relative_to(ROOT).as_posix(), named, node


def test_every_generator_has_a_name_of_its_own():
    raw, names = {}, {}
    for path, named, node in calls():
        # Frozen noise keeps what a function of somebody else's shares, and gives it back.
        if path in ("src/dporacle/common/randomness.py", "src/dporacle/frozen/tape.py"):
            continue
        whole = ast.unparse(node.func)
        if named in MAKERS:
            raw.setdefault(path, set()).add(named)
        # numpy's and Python's hidden generators, of which all callers share one.
        assert not whole.startswith(("np.random.s", "np.random.r", "np.random.n")), (path, whole)
        if whole == f"random.{named}":
            assert named in ("Random", "SystemRandom"), (path, whole)
        if named in HELPERS and (
            whole == f"randomness.{named}" or (imported(path, named) and whole == named)
        ):
            assert node.args, (path, whole)
            assert isinstance(node.args[0], ast.Constant), (path, whole)
            names.setdefault(node.args[0].value, []).append(f"{path}:{node.lineno}")
    assert raw == {path: {maker} for path, maker in RAW.items()}
    assert len(names) >= 12
    for name, places in names.items():
        assert len(places) == 1, (name, places)


def imported(path, name):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "dporacle.common.randomness"
        and name in {each.name for each in node.names}
        for node in ast.walk(tree)
    )


KEYS = st.lists(st.integers(0, 2**70) | st.text(max_size=3), max_size=4).map(tuple)


@settings(max_examples=200)
@given(st.text(max_size=4), KEYS, st.text(max_size=4), KEYS)
def test_two_streams_are_the_same_only_for_the_same_name_and_key(first, key, second, other):
    same = (first, key) == (second, other)
    seeds = [randomness.sequence(first, *key), randomness.sequence(second, *other)]
    assert (seeds[0].entropy == seeds[1].entropy) == same
    drawn = [randomness.chance(first, *key), randomness.chance(second, *other)]
    assert (drawn[0].random() == drawn[1].random()) == same


@pytest.mark.parametrize(
    ("first", "second"),
    [((7919, 3), (7919, 3, 0)), ((2**32,), (0, 1)), ((1, 0, 0), (1,)), (("1",), (1,))],
)
def test_no_padding_makes_two_keys_one(first, second):
    """numpy's own seeds are the same for the first three pairs."""
    streams = [randomness.generator("x", *key).random(4) for key in (first, second)]
    assert not np.any(streams[0] == streams[1])


def test_a_user_cannot_seed_the_draws_of_another_use():
    batch = Batch(0, 0, 100, 1, 3)
    drawn = {
        use: Batch(0, 0, 100, 1, 3, use=use).generator().random(4).tolist()
        for use in ("audit", "leak", "picture")
    }
    assert drawn["audit"] == batch.generator().random(4).tolist()
    assert len({tuple(each) for each in drawn.values()}) == 3


def test_the_directions_are_none_of_the_draws():
    """`audit(law=law, source=source, seed=7919)` convicted at batch 3000: it was the directions."""
    law = Gaussian(sigma=1.0, dimension=3000)
    rows = NaiveSource(law=law)(Batch(3000, 0, 10, 3000, 7919))
    sketch = take(rows, law, generator=np.random.default_rng(1))
    assert not any(found.convicted for found in decide(sketch, law))
