"""Scalars and arrays give the same bits, and the order of the reals survives the rounding."""

import math
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_every_formula import FORMULAS
from test_nesting import OTHERS

from dporacle import fast
from dporacle.fast import _arrays
from dporacle.vocabulary.functions import rounds_down
from support.dear import mostly_dear

LEAST = 5e-324
USUAL = {name: where for name, (where, _) in (FORMULAS | OTHERS).items()}
CALLS = {
    "calibrate_sigma": ("epsilon", "delta", "sensitivity"),
    "delta_at_epsilon": ("epsilon", "sigma", "sensitivity"),
    "log_delta_at_epsilon": ("epsilon", "sigma", "sensitivity"),
    "epsilon_at_delta": ("delta", "sigma", "sensitivity"),
    "delta_slope_mu": ("epsilon", "sigma", "sensitivity"),
    "delta_slope_epsilon": ("epsilon", "sigma", "sensitivity"),
    "pinsker_sigma": ("delta", "sensitivity"),
    "classical_sigma": ("epsilon", "delta", "sensitivity"),
    "loss_mean": ("sigma", "sensitivity"),
    "loss_upper_tail": ("epsilon", "sigma", "sensitivity"),
    "loss_lower_tail": ("epsilon", "sigma", "sensitivity"),
    "accuracy": ("alpha", "sigma"),
    "alpha_at_accuracy": ("accuracy", "sigma"),
    "sigma_at_accuracy": ("accuracy", "alpha"),
}


def sample(name, n, seed=5):
    rng = np.random.default_rng(seed)
    small = np.where(rng.random(n) < 0.5, 10.0 ** rng.uniform(-300, -0.1, n), rng.uniform(0, 1, n))
    values = {
        "epsilon": np.where(
            rng.random(n) < 0.5, 10.0 ** rng.uniform(-3, 4, n), 10.0 ** rng.uniform(-100, 100, n)
        ),
        "delta": np.clip(small, LEAST, 1 - 2.0**-53),
        "alpha": np.clip(small, LEAST, 1 - 2.0**-53),
        "sigma": 10.0 ** rng.uniform(-4, 4, n),
        "sensitivity": 10.0 ** rng.uniform(-3, 3, n),
        "accuracy": 10.0 ** rng.uniform(-3, 3, n),
    }
    if name in ("calibrate_sigma", "classical_sigma", "pinsker_sigma"):
        values["sensitivity"] = values["sensitivity"] * 1e-100
        values["delta"] = np.maximum(values["delta"], 1e-200)
    return {argument: values[argument] for argument in CALLS[name]}


@pytest.mark.parametrize("name", CALLS)
def test_scalar_is_array(name):
    arguments = sample(name, 1500)
    result = getattr(fast, name)(**arguments)
    assert result.dtype == np.float64
    for i, expected in enumerate(result.tolist()):
        one = getattr(fast, name)(**{k: float(v[i]) for k, v in arguments.items()})
        assert type(one) is float
        assert one == expected, {k: float(v[i]) for k, v in arguments.items()}


@pytest.mark.parametrize("name", CALLS)
def test_neighbours_shapes_and_blocks_change_nothing(name, monkeypatch):
    arguments = sample(name, 960)
    function = getattr(fast, name)
    result = function(**arguments)
    order = np.random.default_rng(0).permutation(960)
    assert np.array_equal(function(**{k: v[order] for k, v in arguments.items()}), result[order])
    shaped = function(**{k: v.reshape(8, 5, 24).transpose(2, 0, 1) for k, v in arguments.items()})
    assert np.array_equal(shaped, result.reshape(8, 5, 24).transpose(2, 0, 1))
    spread = {k: np.repeat(v, 3)[::3] for k, v in arguments.items()}
    for value in spread.values():
        value.flags.writeable = False
    assert np.array_equal(function(**spread), result)
    for block in (1, 7, 100_000):
        monkeypatch.setattr(_arrays, "BLOCK", block)
        part = {k: v[:120] for k, v in arguments.items()}
        assert np.array_equal(function(**part), result[:120])


def test_broadcasting():
    epsilon, delta = np.array([0.1, 1.0, 10.0]), np.array([[1e-9], [1e-5]])
    table = fast.calibrate_sigma(epsilon=epsilon, delta=delta)
    assert table.shape == (2, 3)
    assert table[1, 2] == fast.calibrate_sigma(epsilon=10, delta=1e-5)
    assert np.array_equal(fast.calibrate_sigma(epsilon=[0.1, 1.0, 10.0], delta=1e-9), table[0])
    assert type(fast.calibrate_sigma(epsilon=np.float64(1), delta=np.float32(0.5))) is float
    assert type(fast.calibrate_sigma(epsilon=np.array(1.0), delta=0.5)) is float
    integers = np.array([1, 2], dtype=np.int64)
    assert fast.calibrate_sigma(epsilon=integers, delta=0.5).dtype == np.float64


@pytest.mark.parametrize("name", CALLS)
def test_single_precision_is_on_the_same_side(name):
    rng = np.random.default_rng(2)
    arguments = {
        k: (rng.uniform(0.01, 0.9, 300) if k in ("delta", "alpha") else rng.uniform(0.1, 5, 300))
        for k in CALLS[name]
    }
    single = {k: v.astype(np.float32) for k, v in arguments.items()}
    result = getattr(fast, name)(**single)
    assert result.dtype == np.float32
    double = getattr(fast, name)(**{k: v.astype(np.float64) for k, v in single.items()})
    down = name in ("sigma_at_accuracy",)
    sign = -1 if down else 1
    if name == "delta_slope_epsilon":
        sign = -1  # rounded away from 0
    assert np.all(sign * (result.astype(np.float64) - double) >= 0)
    assert np.all(np.abs(result - double) <= np.spacing(np.abs(result)))


FLOATS = {
    name: {key: np.full(3, v, np.float32) for key, v in where.items() if isinstance(v, float)}
    for name, where in USUAL.items()
    if name in fast.__all__
}


@pytest.mark.parametrize(
    "name", mostly_dear([name for name, floats in FLOATS.items() if floats], 4)
)
def test_every_function_keeps_single_precision_on_its_safe_side(name):
    """Arrays of float32 in, float32 out, never on the unsafe side of the float64 answer."""
    function, floats = getattr(fast, name), FLOATS[name]
    single = function(**USUAL[name] | floats)
    double = function(**USUAL[name] | {key: v.astype(float) for key, v in floats.items()})
    assert single.dtype == np.float32
    assert double.dtype == np.float64
    sign = -1 if rounds_down(name) else 1
    assert np.all(sign * (single.astype(float) - double) >= 0)
    assert np.all(np.abs(single - double) <= np.spacing(np.abs(single)))


EXPONENTS = st.integers(-200, 200)


@settings(max_examples=200)
@given(st.floats(0, 100), st.floats(1e-12, 0.999), st.floats(0.5, 2), EXPONENTS)
def test_scaling_by_powers_of_two_is_exact(epsilon, delta, sensitivity, n):
    scaled = math.ldexp(sensitivity, n)
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=scaled) == math.ldexp(
        sigma, n
    )
    for name, argument in (
        ("delta_at_epsilon", {"epsilon": epsilon}),
        ("log_delta_at_epsilon", {"epsilon": epsilon}),
        ("epsilon_at_delta", {"delta": delta}),
        ("loss_upper_tail", {"epsilon": epsilon}),
    ):
        function = getattr(fast, name)
        assert function(**argument, sigma=sigma, sensitivity=sensitivity) == function(
            **argument, sigma=math.ldexp(sigma, n), sensitivity=scaled
        )


def steps(x, n, top):
    out = [x]
    for _ in range(n):
        x = math.nextafter(x, math.inf)
        if x < top:
            out.append(x)
    return out


def worst_inversion(values, rising):
    """Return how far a value falls back behind an earlier one, in its ulps."""
    worst = 0.0
    best = values[0]
    for value in values:
        back = (best - value) if rising else (value - best)
        worst = max(worst, back / math.ulp(value))
        best = max(best, value) if rising else min(best, value)
    return worst


@settings(max_examples=60)
@given(st.floats(-30, 10), st.floats(-300, -0.01), st.floats(0.5, 2))
def test_order_survives(log_epsilon, log_delta, sensitivity):
    """Neighbouring arguments may swap neighbouring results, by one unit and never more."""
    epsilon, delta = 2.0**log_epsilon, 10.0**log_delta
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta)

    def calls(name, key, fixed, start, top):
        grid = steps(start, 30, top) + [x for x in (start * 1.001, start * 1.5) if x < top]
        return [getattr(fast, name)(**fixed, **{key: x}) for x in grid]

    one = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    for key, top, rising in (
        ("epsilon", 1e300, False),
        ("delta", 1.0, False),
        ("sensitivity", 1e300, True),
    ):
        fixed = {k: v for k, v in one.items() if k != key}
        assert worst_inversion(calls("calibrate_sigma", key, fixed, one[key], top), rising) <= 1
    two = {"epsilon": epsilon, "sigma": sigma, "sensitivity": sensitivity}
    for key, rising in (("epsilon", False), ("sigma", False), ("sensitivity", True)):
        fixed = {k: v for k, v in two.items() if k != key}
        assert worst_inversion(calls("delta_at_epsilon", key, fixed, two[key], 1e300), rising) <= 1


def test_memory_is_bounded():
    n = 400_000
    rng = np.random.default_rng(0)
    epsilon, delta = rng.uniform(0.1, 5, n), rng.uniform(0.1, 0.9, n)
    fast.calibrate_sigma(epsilon=epsilon[:100], delta=delta[:100])
    peaks = []
    for size in (n // 4, n):
        tracemalloc.start()
        fast.calibrate_sigma(epsilon=epsilon[:size], delta=delta[:size])
        peaks.append(tracemalloc.get_traced_memory()[1] - 8 * size)
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] + 1_000_000
    assert peaks[1] < 16_000_000


def test_threads_share_nothing():
    arguments = sample("calibrate_sigma", 5000)
    expected = fast.calibrate_sigma(**arguments)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(fast.calibrate_sigma(**arguments)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)
