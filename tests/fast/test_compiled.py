"""The compiled kernel gives the bits of the Python formulas; without it all is as it was."""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import fast
from dporacle.fast.gaussian import calibrate, compiled, delta, epsilon, loss
from support.strategies import positives

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "fast" / "gaussian" / "_compiled.c"
COMPILER = shutil.which("gcc") or shutil.which("cc")
CAN_COMPILE = COMPILER and Path(sysconfig.get_path("include"), "Python.h").is_file()
NAMES = {
    "calibrate_sigma": ("epsilon", "delta", "sensitivity"),
    "delta_at_epsilon": ("epsilon", "sigma", "sensitivity"),
    "epsilon_at_delta": ("delta", "sigma", "sensitivity"),
}

PYTHON = {
    "sigma": calibrate.sigma_many,
    "delta": functools.partial(loss.of_loss, delta.delta),
    "epsilon": epsilon.epsilon_many,
}

needs_kernel = pytest.mark.skipif(not compiled.built(), reason="the kernel is not built here")
needs_compiler = pytest.mark.skipif(not CAN_COMPILE, reason="needs a C compiler and Python.h")


@pytest.mark.skipif("CI" not in os.environ, reason="elsewhere an installation may be older")
def test_it_is_built_where_it_can_be():
    assert compiled.built() or not CAN_COMPILE


def said(function, given):
    try:
        return float(function(**given)).hex()
    except (ValueError, OverflowError) as error:
        return repr(error)


def both(name, given):
    """What is said with the kernel and without it: a float's bits, or an error."""
    answers = []
    for on in (True, False):
        with compiled.used(on):
            answers.append(said(getattr(fast, name), given))
    return answers[0], answers[1]


def logarithmic(low, high):
    return st.floats(low, high).map(lambda x: 10.0**x)


TYPED = st.decimals("0.001", 30, places=3).map(float)
ENDS = [0.0, 5e-324, 2.0**-1022, 2.0**-900, 2.0**-60, 2.0**-50, 1.0, 999.9999, 1000.0, 1e300]
ENDS += [float(np.nextafter(x, 0)) for x in ENDS[1:]] + [1.7976931348623157e308]
COMMON_ENDS = {
    "epsilon": (-20, 3.1),
    "delta": (-280, -0.25),
    "sigma": (-3, 4),
    "sensitivity": (-3, 3),
}
COMMON = {name: logarithmic(*ends) for name, ends in COMMON_ENDS.items()}
NUMBERS = st.one_of(positives(), TYPED, st.sampled_from(ENDS), st.integers(0, 2000))


@needs_kernel
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=400)
@given(data=st.data())
def test_a_number_has_the_same_bits(name, data):
    """Everywhere: in the tables' reach, beyond, at the ends of float64, and where it is refused."""
    given = {each: data.draw(COMMON[each] | NUMBERS, label=each) for each in NAMES[name]}
    with_it, without = both(name, given)
    assert with_it == without, given


@needs_kernel
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@example(seed=0, typed=True)
@given(seed=st.integers(0, 2**32), typed=st.booleans())
def test_an_array_has_the_same_bits(name, seed, typed):
    draws = np.random.default_rng(seed)

    def drawn(low, high):
        ends = np.sort(draws.uniform(low, high, 2))
        values = 10 ** draws.uniform(*ends, 1500)
        return np.round(values, 3) + 0.001 if typed else values

    given = {
        "epsilon": drawn(-20, 3.1),
        "delta": np.minimum(drawn(-280, 0), 1 - 2.0**-53),
        "sigma": drawn(-4, 6),
        "sensitivity": drawn(-4, 4),
    }
    given = {each: given[each] for each in NAMES[name]}
    answers = []
    for on in (True, False):
        with compiled.used(on):
            answers.append(getattr(fast, name)(**given))
    assert answers[0].tobytes() == answers[1].tobytes()


SIZE = 5000


def everyday():
    """What most people ask for."""
    draws = np.random.default_rng(4)
    k, least = 10 ** draws.uniform(-3, 2, SIZE), 10 ** draws.uniform(-30, -0.31, SIZE)
    sensitivity = draws.integers(1, 20, SIZE).astype(float)
    sigma = fast.calibrate_sigma(epsilon=k, delta=least, sensitivity=sensitivity)
    return {
        "sigma": (k, least, sensitivity),
        "delta": (k / draws.uniform(1, 8, SIZE), sigma, sensitivity),
        "epsilon": (np.minimum(least, 0.29 * sensitivity / sigma), sigma, sensitivity),
    }


@needs_kernel
@pytest.mark.parametrize("name", PYTHON)
def test_nothing_everyday_is_left_to_python(name):
    """Else the tests above would compare Python with itself."""

    def never(*_):
        raise AssertionError("left to Python")

    arrays = everyday()[name]
    with compiled.used(True):
        found = compiled.many(f"{name}_many", never, *arrays)
        for place in range(500):
            numbers = (float(array[place]) for array in arrays)
            assert getattr(compiled, f"{name}_one")(*numbers) == found[place]


MEMORY = {
    "calibrate_sigma": NAMES["calibrate_sigma"],
    "delta_at_epsilon": NAMES["delta_at_epsilon"],
    "epsilon_at_delta": NAMES["epsilon_at_delta"],
    "gdp_delta": ("epsilon", "mu"),
    "gdp_epsilon": ("delta", "mu"),
    "repeated_delta": ("epsilon", "sigma", "sensitivity"),
    "repeated_epsilon": ("delta", "sigma", "sensitivity"),
    "repeated_sigma": ("epsilon", "delta", "sensitivity"),
}
"""Everything that asks the kernel for arrays, and what of it may be one."""

SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (4, 1, 3), (600,), (0,), (3, 0)]


class Named(np.ndarray):  # type: ignore[type-arg]
    """A subclass, as of units or of files."""


def lain(data, shape, low, high):
    """An array that lies in memory in any way that numpy can describe."""
    axes = data.draw(st.permutations(range(len(shape))), label="order of axes")
    kind = np.dtype(data.draw(st.sampled_from(["<f8", ">f8", "<f4", ">f4"]), label="type"))
    strides, span = [0] * len(shape), kind.itemsize + data.draw(st.integers(0, 9), label="gap")
    ends = 0
    for axis in axes:
        way = data.draw(st.sampled_from([1, -1, 0]), label="way")
        strides[axis] = way * span
        reach = span * max(shape[axis] - 1, 0)
        ends += reach * (way < 0)
        if way:
            span += reach
    offset = data.draw(st.integers(0, 9), label="offset")
    memory = bytearray(offset + ends + span + 8 * kind.itemsize)
    view = np.ndarray(shape, kind, memory, offset + ends, strides)
    one_of_each = tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)
    draws = np.random.default_rng(data.draw(st.integers(0, 99), label="seed"))
    least = low if kind.itemsize == 8 else max(low, -30)
    view[one_of_each] = 10 ** draws.uniform(least, high, view[one_of_each].shape)
    view.flags.writeable = data.draw(st.booleans(), label="writeable")
    return view.view(data.draw(st.sampled_from([np.ndarray, Named, np.recarray]), label="class"))


@pytest.mark.parametrize("name", MEMORY)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_array_may_lie_in_memory_as_it_likes(name, data):
    """Unaligned, reversed, repeated, in the other order of bytes: as its plain copy, by both."""
    shape = data.draw(st.sampled_from(SHAPES), label="shape")
    ends = COMMON_ENDS | {"mu": (-2, 2)}
    given = {}
    for each in MEMORY[name]:
        mine = shape[data.draw(st.integers(0, len(shape)), label="less axes") :]
        given[each] = lain(data, mine, *ends[each])
    plain = {k: np.array(v, v.dtype.newbyteorder("=")) for k, v in given.items()}
    more = {"releases": 3} if name.startswith("repeated") else {}
    answers = []
    for on in (True, False):
        for arrays in (given, plain):
            with compiled.used(on):
                answers.append(outcome(getattr(fast, name), arrays | more))
    assert len(set(answers)) == 1, (answers, given)


def outcome(function, given):
    """The type, shape and bits of an answer, or its error."""
    try:
        answer = function(**given)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    return type(answer), np.shape(answer), np.asarray(answer).dtype, np.asarray(answer).tobytes()


def test_what_is_masked_is_refused():
    hidden = np.ma.masked_array([1.0, 2.0], [False, True])
    for value in (hidden, [hidden, hidden], ([1.0, 2.0], hidden)):
        with pytest.raises(TypeError, match="epsilon must not be a masked array"):
            fast.calibrate_sigma(epsilon=value, delta=1e-5)


@pytest.mark.parametrize(
    "absent", ["os.environ['DPORACLE_COMPILED'] = '0'", "sys.modules[name] = None"]
)
def test_without_it_the_answers_are_the_same(absent):
    code = (
        f"import os, sys; name = 'dporacle.fast.gaussian._compiled'; {absent}\n"
        "from dporacle import fast\n"
        "from dporacle.fast.gaussian import compiled\n"
        "assert compiled.sigma_one(1.0, 1e-5, 1.0) != compiled.sigma_one(1.0, 1e-5, 1.0)\n"
        "print(fast.calibrate_sigma(epsilon=1.0, delta=1e-5).hex())\n"
        "print(*fast.calibrate_sigma(epsilon=[1.0, 2.0, 5e3], delta=1e-5))\n"
        "print(*fast.delta_at_epsilon(epsilon=[1.0, 2.0, 5e3], sigma=0.7))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    several = {"epsilon": [1.0, 2.0, 5e3]}
    assert done.stdout.splitlines() == [
        fast.calibrate_sigma(epsilon=1.0, delta=1e-5).hex(),
        " ".join(map(str, fast.calibrate_sigma(**several, delta=1e-5))),
        " ".join(map(str, fast.delta_at_epsilon(**several, sigma=0.7))),
    ]


def made(folder, *options):
    """The kernel, as a compiler with these options makes it."""
    path = folder / f"_compiled{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = [str(COMPILER), "-shared", "-fPIC", *options, str(SOURCE), "-o", str(path)]
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([*command, include], check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("_compiled", path)
    assert spec is not None
    return importlib.util.module_from_spec(spec)


@needs_compiler
@pytest.mark.parametrize("options", [("-O0",), ("-O3", "-ffp-contract=off", "-DVECTORS=")])
def test_what_a_plainer_machine_runs_has_the_same_bits(tmp_path, options):
    other = made(tmp_path, *options)
    compiled.load(other)
    for name, python in PYTHON.items():
        arrays, out = everyday()[name], np.empty(SIZE)
        assert getattr(other, f"{name}_many")(*arrays, out) == 0
        with np.errstate(all="ignore"):
            assert out.tobytes() == python(*arrays).tobytes()


@needs_compiler
def test_what_is_compiled_with_other_arithmetic_is_refused(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as failed:
        made(tmp_path, "-ffast-math")
    assert b"IEEE 754" in failed.value.stderr
    try:
        subprocess.run([str(COMPILER), "-mfma", "-E", "-x", "c", os.devnull], check=True)
    except subprocess.CalledProcessError:
        return  # no such processors
    processor = Path("/proc/cpuinfo")
    if processor.is_file() and "fma" in processor.read_text("utf-8"):
        with pytest.raises(ImportError, match="fused"):
            made(tmp_path, "-O2", "-mfma", "-ffp-contract=fast")


@needs_kernel
def test_what_is_no_table_or_array_is_refused():
    library = compiled._library
    with pytest.raises(ValueError, match="size"):
        library.load((), (), (), (), (), {})
    numbers = np.ones(3)
    for wrong in (numbers.astype(np.float32), np.ones(4), np.ones((3, 1)), np.ones(3, np.int64)):
        with pytest.raises(TypeError, match="float64"):
            library.sigma_many(numbers, wrong, numbers, numbers)
    with pytest.raises((TypeError, ValueError, BufferError)):
        library.sigma_many(numbers, numbers, numbers, bytes(24))
    for few_or_many in ((1.0, 1e-5), (1.0, 1e-5, 1.0, 1.0)):
        with pytest.raises(TypeError, match="three"):
            library.sigma_one(*few_or_many)


@pytest.mark.parametrize("wrong", ["1", None, True, 1j, -1.0, float("nan"), 10**400, np.ones(1)])
def test_what_is_no_number_is_left_to_be_refused(wrong):
    assert np.isnan(compiled.sigma_one(wrong, 1e-5, 1.0))
    assert np.isnan(compiled.delta_one(1.0, wrong, 1.0))
    assert np.isnan(compiled.epsilon_one(1e-5, 1.0, wrong))


def test_a_machine_without_a_compiler_installs_without_harm(tmp_path):
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("src/dporacle", "fast/gaussian", "reference"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(SOURCE, tmp_path / "fast" / "gaussian")
    command = [sys.executable, "setup.py", "build_ext", "--build-lib", "made"]
    environment = os.environ | {"CC": "no-such-compiler"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "_compiled" in done.stdout + done.stderr
    assert not list(tmp_path.rglob("made/**/_compiled*"))


@pytest.mark.parametrize(("pure", "kernels"), [("1", 0), ("0", 1), ("", 1)])
def test_a_wheel_can_be_made_for_every_system(pure, kernels):
    code = (
        "from distutils.core import run_setup\n"
        "print(len(run_setup('setup.py', stop_after='init').ext_modules or []))"
    )
    command = [sys.executable, "-W", "ignore", "-c", f"import setuptools\n{code}"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"DPORACLE_PURE": pure}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.split()[-1] == str(kernels)
