"""Check the float64 witness against balls: `python tools/fast_accuracy.py [--points 1000000]`.

For every function and region of its domain, prints how many points were checked and the
smallest and the largest excess over the exact value, in units in the last place of the result
(positive: on the private side; for ε beyond the last bit, in the measure that its
conditioning sets). Fails if any result is on the wrong side, however little: the sign is read
off balls, the size is their first-order estimate.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from dporacle import fast
from dporacle.enclosures.analytic_gaussian import calibrate_sigma, epsilon_at_delta
from dporacle.enclosures.arithmetic.normal import mills, normal_density, normal_tail, profile

BITS = 90
LEAST, MAXIMUM = 5e-324, sys.float_info.max


def exact(x: float) -> arb:
    """Return a float as a ball of radius 0."""
    mantissa, exponent = math.frexp(x)
    return arb(int(mantissa * 2.0**53)) * arb(2) ** (exponent - 53)


def ulp(x: float) -> arb:
    """Return the unit in the last place of a float."""
    return exact(math.ulp(x))


class Point(NamedTuple):
    """An (ε, σ, D) as balls."""

    mu: arb
    y: arb
    w: arb
    delta: arb
    rest: arb  # 1 − δ

    def gap(self, delta: float) -> arb:
        """Return a float less δ, or the same from their complements."""
        return self.rest - (1 - exact(delta)) if self.y < -0.7 else exact(delta) - self.delta


def point(epsilon: float, sigma: float, sensitivity: float) -> Point:
    """Return the profile with balls of relative radius below 2^-BITS."""
    ctx.prec = BITS + 40
    while ctx.prec < 20000:
        mu = exact(sensitivity) / exact(sigma)
        h = exact(epsilon) / mu
        y, w = h - mu / 2, h + mu / 2
        delta, rest = profile(y, w)
        if min(delta.rel_accuracy_bits(), rest.rel_accuracy_bits()) > BITS:
            return Point(mu, y, w, delta, rest)
        ctx.prec = 2 * ctx.prec
    raise RuntimeError(f"no enclosure at {epsilon!r}, {sigma!r}, {sensitivity!r}")


def sigma_excess(sigma: float, epsilon: float, delta: float, sensitivity: float) -> arb:
    """Return (σ − exact)/ulp: δ(ε; σ) ≤ δ is what decides the sign."""
    if epsilon > 1e20 or sigma < 1e-290:  # an ulp of σ is no small change there
        true = calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=30)
        ctx.prec = 300
        return (exact(sigma) - true) / ulp(sigma)
    p = point(epsilon, sigma, sensitivity)
    return p.gap(delta) / (p.mu * normal_density(p.y)) * exact(sigma) / ulp(sigma)


def delta_excess(result: float, epsilon: float, sigma: float, sensitivity: float) -> arb:
    """Return (δ − exact)/ulp."""
    return point(epsilon, sigma, sensitivity).gap(result) / ulp(result)


def log_excess(result: float, epsilon: float, sigma: float, sensitivity: float) -> arb:
    """Return (ln δ − exact)/ulp; for a result of 0 the sign alone."""
    p = point(epsilon, sigma, sensitivity)
    true = (-p.rest).log1p() if p.y < -0.7 else p.delta.log()
    return arb(0) if result == 0.0 else (exact(result) - true) / ulp(result)


def epsilon_excess(result: float, delta: float, sigma: float, sensitivity: float) -> arb:
    """Return what exceeds one unit of rounding, over u·(ε + dε/d ln δ); −1 if below."""
    if sensitivity / sigma > 1e6:  # a unit of ε is no small change there
        true = epsilon_at_delta(delta=delta, sigma=sigma, sensitivity=sensitivity, digits=30)
        ctx.prec = 300
        change = exact(result) - true
        if result == 0.0 or change < 0:
            return arb(-1) if change < 0 else arb(0)
        over = change / ulp(result) - 1
        return over if over > 0 else arb(0)
    p = point(result, sigma, sensitivity)
    density = normal_density(p.y) * mills(p.w)  # −dδ/dε
    if result == 0.0:
        return arb(0) if p.gap(delta) >= 0 else arb(-1)
    change = p.gap(delta) / density
    if change < 0:
        return arb(-1)
    beyond = (change - ulp(result)) / (exact(2.0**-53) * (exact(result) + p.delta / density))
    return beyond if beyond > 0 else arb(0)


def value_excess(true: Callable[..., arb], up: bool = True) -> Callable[..., arb]:
    """Return the excess of a result over a function of balls; downwards for `up=False`."""

    def excess(result: float, *numbers: float) -> arb:
        ctx.prec = BITS + 40
        while ctx.prec < 20000:
            ball = true(*map(exact, numbers))
            gap = (exact(result) - ball) / ulp(result)
            if ball.rel_accuracy_bits() > BITS and (gap < 0 or gap > 0 or ctx.prec > 500):
                # Equality, as in D/(2δ), stays within a tiny ball around 0.
                gap = arb(0) if abs(gap) < exact(2.0**-400) else gap
                return gap if up else -gap
            ctx.prec = 2 * ctx.prec
        raise RuntimeError(f"no enclosure at {numbers}")

    return excess


def accuracy_excess(result: float, alpha: float, sigma: float) -> arb:
    """Return (a − exact)/ulp, from α(a)."""
    ctx.prec = BITS + 200
    if alpha == 1.0:
        return exact(result)
    y = exact(result) / exact(sigma)
    gap = exact(alpha) - 2 * normal_tail(y)
    return gap / (2 * normal_density(y)) * exact(sigma) / ulp(result)


def quantile_sigma_excess(result: float, accuracy: float, alpha: float) -> arb:
    """Return (exact − σ)/ulp, from α(a)."""
    ctx.prec = BITS + 200
    y = exact(accuracy) / exact(result)
    gap = exact(alpha) - 2 * normal_tail(y)
    return gap / (2 * normal_density(y) * y) * exact(result) / ulp(result)


Rng = np.random.Generator
Columns = tuple[Any, ...]


def _log(rng: Rng, low: float, high: float, n: int) -> Any:
    return 2.0 ** rng.uniform(math.log2(low), math.log2(high), n)


def _tiny(rng: Rng, n: int) -> Any:
    return rng.integers(1, 2 ** rng.integers(1, 53, n), n, endpoint=True) * LEAST


def _logs2(rng: Rng, low: float, high: float, n: int) -> Any:
    exponents = rng.uniform(low, high, n)
    whole = np.floor(exponents)
    return np.maximum(np.ldexp(2.0 ** (exponents - whole), whole.astype(int)), LEAST)


def _deltas(rng: Rng, n: int) -> Any:
    kind = rng.integers(0, 6, n)
    return np.choose(
        kind,
        [
            _logs2(rng, -1074, -1, n),
            _log(rng, 1e-18, 1, n) * (1 - 2.0**-53),
            1 - np.maximum(_log(rng, 2.0**-53, 0.5, n), 2.0**-53),
            0.5 + rng.integers(-50, 50, n) * 2.0**-53 * 2.0 ** rng.integers(0, 40, n),
            rng.uniform(1e-3, 0.999, n),
            _tiny(rng, n),
        ],
    )


def _sigma_regions(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    one = np.ones(n)
    small = 2.0**-100 * one  # so that no σ is out of range
    yield "ε∈[.01,10], δ∈[1e-12,1e-3]", (_log(rng, 0.01, 10, n), _log(rng, 1e-12, 1e-3, n), one)
    yield "ε∈[1e-12,1e6], δ∈[1e-300,.5]", (_log(rng, 1e-12, 1e6, n), _log(rng, 1e-300, 0.5, n), one)
    yield "ε=0", (0 * one, _deltas(rng, n), _log(rng, 1e-6, 1e6, n) * small)
    yield "ε∈[1e-300,1e6], any δ", (_logs2(rng, -996, 20, n), _deltas(rng, n), small)
    yield "any ε, any δ", (_logs2(rng, -1074, 1024, n), _deltas(rng, n), small)
    yield (
        "δ around 1/2",
        (
            _log(rng, 1e-12, 1e6, n),
            0.5 + rng.integers(-9, 10, n) * 2.0 ** -rng.integers(10, 54, n),
            one,
        ),
    )
    yield "δ > 1/2", (_log(rng, 1e-12, 1e6, n), 1 - _log(rng, 2.0**-53, 0.5, n), one)
    yield (
        "ε near δ, tiny",
        (
            (a := _logs2(rng, -1074, -20, n)),
            np.clip(a * _log(rng, 2.0**-20, 2.0**20, n), LEAST, 0.9),
            small,
        ),
    )
    yield "start borders: ε near 1000", (rng.uniform(900, 1100, n), _deltas(rng, n), one)
    # At the border of the near region: t = 0.03·(h + 1.75) up to a few parts in 10³.
    h = _log(rng, 1e-6, 38, n)
    t = 0.03 * (h + 1.75) * (1 + rng.normal(0, 1e-3, n))
    k = 2 * t * h
    d = np.maximum(fast.delta_at_epsilon(epsilon=k, sigma=1 / (2 * t)), LEAST)
    yield "border of the near region", (k, d, one)
    y = rng.normal(-0.7, 0.06, n)
    v = _log(rng, 1.5, 30, n)
    k = np.maximum(v * (y + v / 2), 0)
    yield "border of the upper region", (k, fast.delta_at_epsilon(epsilon=k, sigma=1 / v), one)
    k, d = _log(rng, 1e-3, 1e3, n), _deltas(rng, n)
    s = fast.calibrate_sigma(epsilon=k, delta=d)
    room = np.minimum(1023.0, 1022.9 - np.log2(s))
    size = _logs2(rng, -1074, 0, n) * 1.0
    size = np.where(rng.random(n) < 0.5, size, np.exp2(rng.uniform(0.0, room)))
    size = np.maximum(size, np.ldexp(8.0, -1074) / np.minimum(s, 1.0) * (s < 1) + LEAST)
    yield "D over the float range", (k, d, size)


def _pairs(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    one = np.ones(n)
    k, d = _log(rng, 0.01, 10, n), _log(rng, 1e-12, 1e-3, n)
    yield "ε∈[.01,10], δ∈[1e-12,1e-3]", (k, fast.calibrate_sigma(epsilon=k, delta=d), one)
    k, d = _logs2(rng, -60, 40, n), _deltas(rng, n)
    s = fast.calibrate_sigma(epsilon=k, delta=d) * (1 + rng.normal(0, 1e-3, n))
    yield "all δ, ε∈[2^-60,2^40]", (k, s, one)
    k, d = _logs2(rng, -600, 700, n), np.maximum(_deltas(rng, n), 1e-150)
    size = _logs2(rng, -300, 100, n)
    s = fast.calibrate_sigma(epsilon=k, delta=d, sensitivity=size)
    yield "huge and tiny ε, any D", (k, s, size)
    yield (
        "ε∈[1e-12,1e6], μ∈[1e-12,1e4]",
        (_log(rng, 1e-12, 1e6, n), _log(rng, 1e-4, 1e12, n), one),
    )
    yield "ε=0", (0 * one, _log(rng, 1e-3, 1e12, n), one)


def _log_pairs(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield from _pairs(rng, n)
    one = np.ones(n)
    y, v = _log(rng, 30, 1420, n), _logs2(rng, -20, 12, n)
    yield "ln δ from -500 to -10^6", (v * (y + v / 2), 1 / v, one)
    y, v = _log(rng, 1e3, 1e150, n), _logs2(rng, -20, 12, n)
    yield "ln δ to -10^300", (v * (y + v / 2), 1 / v, one)


def _epsilon_points(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    for name, (k, s, size) in _pairs(rng, n):
        if name.startswith("ε=0"):
            continue
        d = fast.delta_at_epsilon(epsilon=k, sigma=s, sensitivity=size)
        yield name, (d, s, size)
    s = _log(rng, 1e-2, 1e6, n)
    zero = fast.delta_at_epsilon(epsilon=0.0, sigma=s)
    d = zero * (1 - _log(rng, 1e-16, 1, n))
    yield "δ just below δ(0)", (np.maximum(d, LEAST), s, np.ones(n))


def _alphas(rng: Rng, n: int) -> Any:
    return np.where(rng.random(n) < 0.5, _logs2(rng, -1000, 0, n), _deltas(rng, n))


def _quantiles(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield "α from 1e-300 to 1", (_log(rng, 1e-300, 1, n), _log(rng, 1e-6, 1e6, n))
    yield "any α", (_alphas(rng, n), _logs2(rng, -900, 900, n))


def _sigmas(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield "α from 1e-300 to 1", (_log(rng, 1e-6, 1e6, n), _log(rng, 1e-300, 0.999, n))
    yield "any α", (_logs2(rng, -900, 900, n), np.minimum(_alphas(rng, n), 1 - 2.0**-53))


def _scores(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    s = _log(rng, 1e-6, 1e6, n)
    yield "a/σ from 1e-30 to 38", (_log(rng, 1e-30, 38, n) * s, s)


def _classical(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield "all", (_logs2(rng, -300, 300, n), _deltas(rng, n), _logs2(rng, -300, 300, n))


def _two(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield "all", (_logs2(rng, -250, 250, n), _logs2(rng, -250, 250, n))


def _pinsker(rng: Rng, n: int) -> Iterator[tuple[str, Columns]]:
    yield "all", (_deltas(rng, n), _logs2(rng, -900, -100, n))


def _y(k: arb, s: arb, d: arb) -> arb:
    return k * s / d - d / (2 * s)


def _w(k: arb, s: arb, d: arb) -> arb:
    return k * s / d + d / (2 * s)


def _phi(y: arb) -> arb:
    return 1 - normal_tail(-y) if y < 0 else normal_tail(y)


LOSS = ("epsilon", "sigma", "sensitivity")
CHECKS: dict[str, tuple[tuple[str, ...], Callable[..., Any], Callable[..., arb]]] = {
    "calibrate_sigma": (("epsilon", "delta", "sensitivity"), _sigma_regions, sigma_excess),
    "delta_at_epsilon": (LOSS, _pairs, delta_excess),
    "log_delta_at_epsilon": (LOSS, _log_pairs, log_excess),
    "epsilon_at_delta": (("delta", "sigma", "sensitivity"), _epsilon_points, epsilon_excess),
    "delta_slope_mu": (LOSS, _pairs, value_excess(lambda *a: normal_density(_y(*a)))),
    "delta_slope_epsilon": (
        LOSS,
        _pairs,
        value_excess(lambda *a: -normal_density(_y(*a)) * mills(_w(*a)), up=False),
    ),
    "loss_upper_tail": (LOSS, _pairs, value_excess(lambda *a: _phi(_y(*a)))),
    "loss_lower_tail": (LOSS, _pairs, value_excess(lambda *a: normal_tail(_w(*a)))),
    "loss_mean": (("sigma", "sensitivity"), _two, value_excess(lambda s, d: d * d / (2 * s * s))),
    "pinsker_sigma": (("delta", "sensitivity"), _pinsker, value_excess(lambda p, d: d / (2 * p))),
    "classical_sigma": (
        ("epsilon", "delta", "sensitivity"),
        _classical,
        value_excess(lambda k, p, d: d * (2 * (5 / (4 * p)).log()).sqrt() / k),
    ),
    "accuracy": (("alpha", "sigma"), _quantiles, accuracy_excess),
    "alpha_at_accuracy": (
        ("accuracy", "sigma"),
        _scores,
        value_excess(lambda a, s: 2 * normal_tail(a / s)),
    ),
    "sigma_at_accuracy": (("accuracy", "alpha"), _sigmas, quantile_sigma_excess),
}


def run(names: list[str], points: int, seed: int) -> int:
    """Check the functions and print the table; return the number of wrong results."""
    below = 0
    print(f"{'function':22} {'region':34} {'points':>8} {'least':>10} {'largest':>10}")
    for name in names:
        arguments, regions, excess = CHECKS[name]
        rng = np.random.default_rng(seed)
        share = len(list(regions(np.random.default_rng(seed), 8)))
        for region, columns in regions(rng, max(points // share, 10)):
            results = getattr(fast, name)(**dict(zip(arguments, columns, strict=True)))
            least, largest, worst = math.inf, -math.inf, ()
            checked = 0
            for result, *numbers in zip(
                results.tolist(), *(c.tolist() for c in columns), strict=True
            ):
                if abs(result) <= 1e-290 and name not in ("calibrate_sigma", "epsilon_at_delta"):
                    continue  # among the subnormals a unit is not a measure: the tests look there
                over = excess(result, *numbers)
                checked += 1
                if not over >= 0 and below < 20:
                    below += 1
                    where = dict(zip(arguments, numbers, strict=True))
                    print(f"BELOW: {name} {where} = {result!r}: {over}")
                size = float(over.mid())
                least = min(least, size)
                if size > largest:
                    largest, worst = size, tuple(numbers)
            print(
                f"{name:22} {region:34} {checked:8} {least:10.4f} {largest:10.4f}",
                worst,
                flush=True,
            )
    return below


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000, help="per function")
    parser.add_argument("--function", action="append", choices=list(CHECKS))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    started = time.perf_counter()
    below = run(arguments.function or list(CHECKS), arguments.points, arguments.seed)
    print(f"{below} results on the wrong side; {time.perf_counter() - started:.0f} s")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    main()
