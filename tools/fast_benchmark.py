"""Time the float64 witness against its bars: `python tools/fast_benchmark.py`.

Prints one table from one run: calibration of 10⁶ elements in blocks, against four calls of
`scipy.special.erfcx` per element (what any method of this kind has to pay), against the
vectorised implied volatility of py_vollib_vectorized, and against public calibrators, each if
it can be imported. Every time is the best of several.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import scipy.special

from dporacle import fast, randomness


def best(call: Callable[[], Any], repeat: int) -> float:
    """Return the shortest of the times of a call, in seconds."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def version(distribution: str) -> str:
    """Return an installed version, or an empty string."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def line(what: str, seconds: float, unit: float) -> None:
    """Print a row: the time per element and the ratio to `calibrate_sigma`."""
    print(f"{what:58} {seconds * 1e9:12.1f} ns {seconds / unit:10.2f}")


def vollib(epsilon: Any, delta: Any) -> Callable[[], Any]:
    """Return calibration as an implied volatility: a call on 1 with strike e^ε and price δ."""
    os.environ.setdefault("PY_LETS_BE_RATIONAL_ENABLE_NUMBA", "1")  # else it cannot compile
    from py_vollib_vectorized import vectorized_implied_volatility_black

    strike = np.exp(epsilon)
    one = np.ones(len(epsilon))

    def call() -> Any:
        return vectorized_implied_volatility_black(
            delta, one, strike, 0.0, one, "c", return_as="numpy", on_error="ignore"
        )

    return call


def peers() -> list[tuple[str, str, Callable[[float, float], Any]]]:
    """Return the public calibrators that can be imported."""
    found: list[tuple[str, str, Callable[[float, float], Any]]] = []
    try:
        from pydp.algorithms.numerical_mechanisms import GaussianMechanism

        found.append(("python-dp", "python-dp", lambda e, d: GaussianMechanism(e, d, 1.0).std))
    except ImportError:
        pass
    try:
        from dp_accounting.gaussian_mechanism import get_sigma_gaussian

        found.append(("dp-accounting", "dp-accounting", get_sigma_gaussian))
    except ImportError:
        pass
    try:
        from autodp.privacy_calibrator import ana_gaussian_mech

        found.append(("autodp", "autodp", lambda e, d: ana_gaussian_mech(e, d)["sigma"]))
    except ImportError:
        pass
    try:
        from diffprivlib.mechanisms import GaussianAnalytic

        def diffprivlib(e: float, d: float) -> float:
            return float(GaussianAnalytic(epsilon=e, delta=d, sensitivity=1.0).variance(0)) ** 0.5

        found.append(("diffprivlib", "diffprivlib", diffprivlib))
    except ImportError:
        pass
    return found


def _time_vollib(epsilon: Any, delta: Any, sigma: Any, unit: float, repeat: int) -> None:
    name = f"py_vollib_vectorized {version('py_vollib_vectorized')}"
    try:
        call = vollib(epsilon, delta)
        call()  # numba compiles
    except Exception as error:  # a peer's failure is a result
        print(f"{name} does not run here: {type(error).__name__}")
        return
    line(f"{name} (bar: 3)", best(call, repeat) / len(epsilon), unit)
    error = np.abs(1 / np.asarray(call()).ravel() / sigma - 1)
    print(f"{'':4}its σ is off by up to {np.nanmax(error) / 2.0**-53:.3g} u")


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    n, repeat = arguments.elements, arguments.repeat
    rng = randomness.generator("timed functions")
    epsilon = 10.0 ** rng.uniform(-2, 1, n)
    delta = 10.0 ** rng.uniform(-12, -3, n)
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta)
    print(
        f"Python {sys.version.split()[0]}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"{n} elements, ε∈[.01,10], δ∈[1e-12,1e-3], one thread, best of {repeat}"
    )
    print(f"{'':58} {'per element':>15} {'ratio':>10}")
    points = rng.uniform(0, 10, n)

    def four() -> None:
        for _ in range(4):
            scipy.special.erfcx(points)

    # In turns, so that other work on the machine falls on both.
    turns = [
        (best(lambda: fast.calibrate_sigma(epsilon=epsilon, delta=delta), 1) / n, best(four, 1) / n)
        for _ in range(2 * repeat)
    ]
    unit, floor = (min(times) for times in zip(*turns, strict=True))
    line("dporacle.fast.calibrate_sigma, arrays", unit, unit)
    line("four scipy.special.erfcx", floor, unit)
    print(f"{'':4}calibrate_sigma takes {unit / floor:.2f} × the four erfcx (bar: 2.5)")
    wide = (10.0 ** rng.uniform(-12, 5, n), 10.0 ** rng.uniform(-300, np.log10(0.5), n))
    seconds = best(lambda: fast.calibrate_sigma(epsilon=wide[0], delta=wide[1]), repeat) / n
    line("the same on ε∈[1e-12,1e5], δ∈[1e-300,.5]", seconds, unit)
    seconds = best(lambda: fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma), repeat) / n
    line("dporacle.fast.delta_at_epsilon, arrays", seconds, unit)
    few = slice(0, min(n, 20_000))
    seconds = best(lambda: fast.epsilon_at_delta(delta=delta[few], sigma=sigma[few]), repeat)
    line("dporacle.fast.epsilon_at_delta, arrays", seconds / len(delta[few]), unit)
    pairs = list(zip(epsilon[:20_000].tolist(), delta[:20_000].tolist(), strict=True))

    def scalars(some: list[tuple[float, float]]) -> None:
        for e, d in some:
            fast.calibrate_sigma(epsilon=e, delta=d)

    # Short runs, each the best of many: what the call costs when nothing else is running.
    chunks = [pairs[i : i + 100] for i in range(0, 3000, 100)]
    seconds = sum(best(lambda c=c: scalars(c), 10 * repeat) for c in chunks) / 3000
    line("dporacle.fast.calibrate_sigma, Python floats (bar: 5000 ns)", seconds, unit)
    if version("py_vollib_vectorized"):
        _time_vollib(epsilon, delta, sigma, unit, repeat)
    else:
        print("py_vollib_vectorized is not installed: skipped")
    for name, distribution, calibrator in peers():
        some = pairs[:2000]

        def loop(calibrator: Callable[[float, float], Any] = calibrator) -> None:
            for e, d in pairs[:2000]:
                calibrator(e, d)

        try:
            seconds = best(loop, 2) / len(some)
        except Exception as error:  # a peer's failure is a result
            print(f"{name} {version(distribution)}: {type(error).__name__}: {error}")
            continue
        line(f"{name} {version(distribution)}, one call at a time (bar: 200)", seconds, unit)
    missing = {"python-dp", "dp-accounting", "autodp", "diffprivlib"} - {p[0] for p in peers()}
    if missing:
        print(f"not installed, skipped: {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
