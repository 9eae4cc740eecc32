"""Write the tables of the float64 witness: `python tools/make_fast_tables.py`.

All but `start.f64` come from mpmath alone and are the same on every machine. `start.f64` is a fit
to numpy's and scipy's answers, kept to eight digits: it decides how many steps the solver takes,
never what it answers.

`--check` compares a sample of rows with the files instead of writing them.
"""

import argparse
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.special
from mpmath import MPContext

FOLDER = Path(__file__).resolve().parent.parent / "fast" / "tables"

MILLS_CELLS = 128  # in each octave of x + SHIFT
SLOPE_CELLS = 64
OCTAVES = 8
SHIFT = 1.75
MILLS_DEGREE = 7
SLOPE_DEGREE = 12
HEAD_BITS = 26  # so that a product with another 26-bit number is exact

START_X_CELLS, START_X_OCTAVES = 4, 11
START_W_CELLS, START_W_FIRST, START_W_LAST = 2, -7, 10
START_POWERS = [(i, j) for i in range(4) for j in range(4 - i)]

_mp = MPContext()
_mp.dps = 150


def _short(x: Any) -> float:
    """Return x rounded to HEAD_BITS bits."""
    mantissa, exponent = _mp.frexp(x)
    return float(_mp.ldexp(_mp.nint(_mp.ldexp(mantissa, HEAD_BITS)), int(exponent) - HEAD_BITS))


def mills_derivatives(x: Any, count: int) -> list[Any]:
    """Return m(x), m'(x)/1!, … m⁽ⁿ⁾(x)/n!, from m' = xm − 1 differentiated again and again."""
    values = [_mp.sqrt(_mp.pi / 2) * _mp.exp(x * x / 2) * _mp.erfc(x / _mp.sqrt(2))]
    values.append(x * values[0] - 1)
    for n in range(1, count):
        values.append((values[n - 1] + x * values[n]) / (n + 1))
    return values


def cell_centre(cell: int, cells: int) -> float:
    """Return the middle of a cell of the Mills tables."""
    octave, part = divmod(cell, cells)
    return 2.0**octave * (1 + (part + 0.5) / cells) - SHIFT


def mills_row(cell: int) -> list[float]:
    """Return centre, m as head + rest, and the next Taylor coefficients of m."""
    centre = cell_centre(cell, MILLS_CELLS)
    taylor = mills_derivatives(_mp.mpf(centre), MILLS_DEGREE)
    head = float(taylor[0])
    return [centre, head, float(taylor[0] - head), *map(float, taylor[1:])]


def slope_row(cell: int) -> list[float]:
    """Return centre, −m′ as short head + rest, and the next Taylor coefficients of −m′."""
    centre = cell_centre(cell, SLOPE_CELLS)
    mills = mills_derivatives(_mp.mpf(centre), SLOPE_DEGREE + 1)
    taylor = [-(n + 1) * mills[n + 1] for n in range(SLOPE_DEGREE + 1)]
    head = _short(taylor[0])
    return [centre, head, float(taylor[0] - head), *map(float, taylor[1:])]


def exp_row(cell: int) -> list[float]:
    """Return 2^(−cell/64)/√(2π) as short head + rest."""
    value = _mp.mpf(2) ** (-_mp.mpf(cell) / 64) / _mp.sqrt(2 * _mp.pi)
    head = _short(value)
    return [head, float(value - head)]


def log_row(cell: int) -> list[float]:
    """Return a short c near the middle of the cell of [1, 2), and ln c as head + rest."""
    centre = 1 + (cell + 0.5) / 128
    log = _mp.log(_mp.mpf(centre))
    head = float(_mp.nint(log * 2**40)) / 2**40  # so that adding n·LN2_HEAD is exact
    return [centre, head, float(log - head)]


def _log_delta(k: Any, v: Any) -> Any:
    """Return ln δ of ε = k and μ = v to about 10 digits, for arrays."""
    h, t = k / v, v / 2
    nodes, weights = np.polynomial.legendre.leggauss(10)

    def mills(x: Any) -> Any:
        return np.sqrt(np.pi / 2) * scipy.special.erfcx(x / np.sqrt(2))

    def slope(x: Any) -> Any:
        a = 1 / x**2
        series = a * (1 - 3 * a * (1 - 5 * a * (1 - 7 * a * (1 - 9 * a * (1 - 11 * a)))))
        return np.where(x > 14, series, 1 - x * mills(x))

    mean = sum(w * slope(h + t * z) for z, w in zip(nodes, weights, strict=True)) / 2
    difference = np.where(t < 0.3 * (h + 1), v * mean, mills(h - t) - mills(h + t))
    return -((h - t) ** 2) / 2 - np.log(2 * np.pi) / 2 + np.log(difference)


def _solve(k: Any, log_delta: Any) -> Any:
    """Return the μ that has this ln δ at ε = k, by bisection."""
    low, high = np.full(k.shape, -60.0), np.full(k.shape, 6.0)
    for _ in range(70):
        middle = (low + high) / 2
        v = np.exp(middle)
        value = _log_delta(k, v)
        value = np.where(np.isfinite(value), value, np.where(k > v * v / 2, -np.inf, 0.0))
        low, high = (
            np.where(value < log_delta, middle, low),
            np.where(value < log_delta, high, middle),
        )
    return np.exp(low)


def start_rows(cells: list[int]) -> list[list[float]]:
    """Return the coefficients of v/ω as a cubic in the two mantissas, for each cell.

    The coordinates are ω = ε + δ′ and X = 1 + log₂(ω/δ′) with δ′ = δ/(1 + ε/2). For tiny ω
    the answer depends on X alone, which is what the first column of cells holds.
    """
    u_scale, z_scale = 2 * START_X_CELLS, 2 * START_W_CELLS
    width = START_W_CELLS * (START_W_LAST - START_W_FIRST) + 1
    grid = np.cos((np.arange(8) + 0.5) * np.pi / 8)
    u, z = (a.ravel() for a in np.meshgrid(grid, grid))
    rows = []
    for cell in cells:
        i, j = divmod(cell, width)
        x_octave, x_part = divmod(i, START_X_CELLS)
        x = 2.0**x_octave * (1 + (x_part + 0.5 + u / 2) / START_X_CELLS)
        w_octave, w_part = divmod(j - 1, START_W_CELLS)
        w_middle = 1 + (w_part + 0.5) / START_W_CELLS
        w = 2.0 ** (START_W_FIRST + w_octave) * (w_middle + z / 2 / START_W_CELLS)
        powers = START_POWERS
        if j == 0:
            w, powers = np.full(x.shape, 2.0**START_W_FIRST / 2), [(p, 0) for p in range(4)]
        log_small = np.log(w) - (x - 1) * np.log(2)
        k = w - np.exp(log_small)
        log_delta = log_small + np.log1p(k / 2)
        fit = (log_delta < np.log(0.7)) & (log_delta > -800)
        if np.count_nonzero(log_delta < np.log(0.51)) == 0 or np.count_nonzero(fit) < 8:
            rows.append([0.0] * len(START_POWERS))  # no δ ≤ 1/2 ends here
            continue
        k, log_delta, ratio_u, ratio_z = k[fit], log_delta[fit], u[fit], z[fit]
        design = np.stack([ratio_u**p * ratio_z**q for p, q in powers], axis=1)
        target = _solve(k, log_delta) / w[fit]
        found = np.linalg.lstsq(design / target[:, None], np.ones(len(k)), rcond=1e-9)[0]
        full = dict(zip(powers, found, strict=True))
        # From [-1, 1] to the mantissas' distances from the cell's middle.
        rows.append(
            [
                float(f"{full.get((p, q), 0.0) * u_scale**p * z_scale**q:.8g}")
                for p, q in START_POWERS
            ]
        )
    return rows


def start_count() -> int:
    """Return the number of cells of the start table."""
    return START_X_CELLS * START_X_OCTAVES * (START_W_CELLS * (START_W_LAST - START_W_FIRST) + 1)


def tables() -> Iterator[tuple[str, list[list[float]]]]:
    """Yield the name and the rows of each table."""
    yield "mills", [mills_row(c) for c in range(MILLS_CELLS * OCTAVES)]
    yield "slope", [slope_row(c) for c in range(SLOPE_CELLS * OCTAVES)]
    yield "exp", [exp_row(c) for c in range(64)]
    yield "log", [log_row(c) for c in range(128)]
    yield "start", start_rows(list(range(start_count())))
    yield "constants", [constants()]


def constants() -> list[float]:
    """Return the constants, in the order in which `dporacle.fast.tables` names them."""
    ln2 = _mp.log(2)
    step = ln2 / 64
    step_head = float(_mp.nint(step * 2**42)) / 2**42
    ln2_head = float(_mp.nint(ln2 * 2**40)) / 2**40
    found = [float(1 / step), step_head, float(step - step_head), ln2_head, float(ln2 - ln2_head)]
    for exact in (_mp.log(2 * _mp.pi) / 2, _mp.log(_mp.mpf(5) / 4)):
        found += [float(exact), float(exact - float(exact))]
    return found


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the files instead")
    arguments = parser.parse_args()
    np.seterr(all="ignore")
    for name, rows in tables():
        path = FOLDER / f"{name}.f64"
        written = b"".join(struct.pack(f"<{len(row)}d", *row) for row in rows)
        if not arguments.check:
            path.write_bytes(written)
        elif path.read_bytes() != written:
            sys.exit(f"{path.name} is not what this script writes")


if __name__ == "__main__":
    main()
