"""What the float64 witness refuses, and how it says so."""

import numpy as np
import pytest

from dporacle import fast

GOOD = {
    "calibrate_sigma": {"epsilon": 1.0, "delta": 0.1, "sensitivity": 1.0},
    "delta_at_epsilon": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "log_delta_at_epsilon": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "epsilon_at_delta": {"delta": 0.1, "sigma": 1.0, "sensitivity": 1.0},
    "delta_slope_mu": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "delta_slope_epsilon": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "pinsker_sigma": {"delta": 0.1, "sensitivity": 1.0},
    "classical_sigma": {"epsilon": 1.0, "delta": 0.1, "sensitivity": 1.0},
    "loss_mean": {"sigma": 1.0, "sensitivity": 1.0},
    "loss_upper_tail": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "loss_lower_tail": {"epsilon": 1.0, "sigma": 1.0, "sensitivity": 1.0},
    "accuracy": {"alpha": 0.1, "sigma": 1.0},
    "alpha_at_accuracy": {"accuracy": 1.0, "sigma": 1.0},
    "sigma_at_accuracy": {"accuracy": 1.0, "alpha": 0.1},
}
ARGUMENTS = [(name, key) for name, good in GOOD.items() for key in good]


def call(name, **changes):
    return getattr(fast, name)(**{**GOOD[name], **changes})


@pytest.mark.parametrize(("name", "key"), ARGUMENTS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -1.0, -5e-324])
def test_wrong_numbers(name, key, value):
    with pytest.raises(ValueError, match=f"{key} must be .* got {value!r}"):
        call(name, **{key: value})
    with pytest.raises(ValueError, match=rf"{key} must be .* got {value!r} at index 2"):
        call(name, **{key: np.array([0.5, 0.25, value, 0.5])})
    single = -1e-45 if value == -5e-324 else value  # the least float32
    with pytest.raises(ValueError, match=rf"{key} must be .* at index \(1, 0\)"):
        call(name, **{key: np.array([[0.5], [single]], np.float32)})


@pytest.mark.parametrize(("name", "key"), ARGUMENTS)
def test_shapes(name, key):
    for empty in (np.array([]), [], (), np.ones((0, 3))):
        with pytest.raises(ValueError, match=f"{key} must not be empty"):
            call(name, **{key: empty})
    with pytest.raises(ValueError, match=f"{key} is not a rectangular array"):
        call(name, **{key: [[0.5], [0.5, 0.5]]})
    other = next(k for k in GOOD[name] if k != key)
    with pytest.raises(ValueError, match=rf"shapes do not broadcast: .*{key} \(2,\)") as error:
        call(name, **{key: np.full(2, 0.5), other: np.full(3, 0.5)})
    assert other in str(error.value)


@pytest.mark.parametrize("value", [2**53 + 1, 10**400, -(10**400), np.int64(2**60 + 1)])
def test_integers_that_are_no_floats(value):
    shown = repr(int(value)) if abs(int(value)) < 2**256 else "a larger integer"
    with pytest.raises(ValueError, match=f"epsilon must be exact in float64, got {shown}$"):
        fast.calibrate_sigma(epsilon=value, delta=0.1)


@pytest.mark.parametrize("value", [2**63 - 1, 2**53 + 1, -(2**62) - 1])
def test_integer_arrays_that_are_no_floats(value):
    with pytest.raises(ValueError, match=r"epsilon must be exact in float64, got [0-9-]* at index"):
        fast.calibrate_sigma(epsilon=np.array([1, value]), delta=0.1)
    with pytest.raises(ValueError, match="epsilon must be exact in float64"):
        fast.calibrate_sigma(epsilon=np.array([1, 2**64 - 1], dtype=np.uint64), delta=0.1)


def test_large_integers_that_are_floats():
    assert fast.calibrate_sigma(epsilon=2**60, delta=0.1) == fast.calibrate_sigma(
        epsilon=2.0**60, delta=0.1
    )


def test_results_outside_the_range():
    with pytest.raises(OverflowError, match=r"sigma is too large for a float64$"):
        fast.calibrate_sigma(epsilon=0.0, delta=5e-324)
    with pytest.raises(OverflowError, match=r"sigma is too small for a float64$"):
        fast.calibrate_sigma(epsilon=1e300, delta=0.5, sensitivity=1e-300)
    with pytest.raises(OverflowError, match=r"sigma is too large .* at index \(1, 2\)"):
        fast.calibrate_sigma(epsilon=0.0, delta=[[0.1, 0.2, 0.3], [0.1, 0.2, 1e-320]])
    delta = np.full(30_000, 0.1)
    delta[20_000] = 1e-320
    with pytest.raises(OverflowError, match="at index 20000"):
        fast.calibrate_sigma(epsilon=0.0, delta=delta)
    with pytest.raises(OverflowError, match="epsilon is too large"):
        fast.epsilon_at_delta(delta=0.1, sigma=1e-300)
    with pytest.raises(OverflowError, match="eta is too large"):
        fast.loss_mean(sigma=1e-300)
    with pytest.raises(OverflowError, match="accuracy is too large"):
        fast.accuracy(alpha=1e-300, sigma=1e308)
    with pytest.raises(OverflowError, match="sigma is too large"):
        fast.pinsker_sigma(delta=5e-324)
    with pytest.raises(OverflowError, match=r"sigma is too large .* at index 0"):
        fast.pinsker_sigma(delta=np.array([1e-40], dtype=np.float32))
