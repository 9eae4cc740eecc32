"""Time ε of DP-SGD by the three witnesses and by public accountants, in one run.

    .venv/bin/python tools/dpsgd_benchmark.py                       # dp-accounting, Opacus, prv-…
    .venv/bin/python tools/dpsgd_benchmark.py --peer opacus         # one of them
    .venv/bin/python tools/dpsgd_benchmark.py --peer none           # the witnesses alone

Each accountant runs in the judge's environment of it, which uv makes on first use, behind the
judge's adapter. Times are processor time of one answer, add or remove, without imports; peers are
called with their defaults, prv-accountant with errors of 0.1 in ε and δ/1000 in δ. Beside each
peer's time stand its ratio to the enclosures' and how far its ε is above the exact one; below it is
an error of the peer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from dporacle import enclosures, fast, reference
from dporacle.conformance.libraries.accountants import ACCOUNTANTS, Said, answers
from dporacle.conformance.libraries.environments import EnvironmentBuildError, python_for
from dporacle.enclosures.arithmetic.rounding import bounds

SETTINGS = [  # σ, q, T, δ
    ("1.1", "256/60000", 14063, "1e-5"),
    ("1", "0.01", 10_000, "1e-5"),
    ("1", "0.01", 10_000, "1e-9"),
    ("0.7", "0.004", 11_250, "1e-5"),
    ("2", "0.05", 100, "1e-9"),
    ("10", "0.1", 1_000_000, "1e-12"),
    ("0.8", "1e-3", 1000, "1e-6"),
]

LONGEST = 60  # seconds of processor time for one answer of a peer


def peer_answers(name: str) -> tuple[str, list[Said]]:
    """Return a peer's version, and its ε with its processor time at each setting."""
    python = python_for(ACCOUNTANTS[name][0])
    # The first answer warms the imports.
    inputs = [{"sigma": 2.0, "rate": 0.5, "steps": 1, "delta": 1e-3}]
    inputs += [
        {"sigma": float(s), "rate": float(Fraction(q)), "steps": t, "delta": float(d)}
        for s, q, t, d in SETTINGS
    ]
    version, found = answers(name, inputs, python=python, timeout=LONGEST)
    return version, found[1:]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives, and its processor time; the error's name if it has none."""
    start = time.process_time()
    try:
        value = call()
    except ArithmeticError as error:
        value = str(error)
    return value, time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--peer",
        action="append",
        choices=[*ACCOUNTANTS, "none"],
        help="an accountant; may be repeated",
    )
    parser.add_argument("--reference", action="store_true", help="time the reference too (slow)")
    options = parser.parse_args()
    names = options.peer or [*ACCOUNTANTS]
    peers = {}
    for name in names:
        if name != "none":
            try:
                peers[name] = peer_answers(name)
            except EnvironmentBuildError as error:
                print(f"{name} could not be installed: {error}", file=sys.stderr)
    for index, (sigma, rate, steps, delta) in enumerate(SETTINGS):
        print(f"σ = {sigma}, q = {rate}, T = {steps}, δ = {delta}")
        given = {"sigma": Fraction(sigma), "rate": Fraction(rate), "steps": steps}
        asked: dict[str, Any] = {"delta": Fraction(delta), "direction": "both", **given}
        exact, unit = timed(partial(enclosures.subsampled_epsilon, **asked))
        low, high = bounds(exact)
        print(f"    enclosures, 12 digits      {unit:9.3f} s          ε = {float(low):.12g}")
        floats = {"sigma": float(sigma), "rate": float(Fraction(rate)), "steps": steps}
        asked = {"delta": float(delta), "direction": "both", **floats}
        value, seconds = timed(partial(fast.subsampled_epsilon, **asked))
        row("fast, float64", seconds, unit, value, low, high)
        if options.reference:
            asked = {"delta": Fraction(delta), "direction": "remove", **given}
            value, seconds = timed(partial(reference.subsampled_epsilon, **asked))
            row("reference, 12 digits, remove", seconds, unit, value, low, high)
        for name, (version, answered) in peers.items():
            said = answered[index]
            row(f"{name} {version}", said.seconds, unit, said.words or said.value, low, high)
    return 0


def row(
    name: str, seconds: float, unit: float, value: object, low: Fraction, high: Fraction
) -> None:
    """Print one accountant's time, its ratio, and its ε beside the exact one."""
    if isinstance(value, str):
        said = value
    else:
        found = Fraction(float(value))  # type: ignore[arg-type]
        if found < low:
            said = f"ε = {float(found):.12g}, BELOW by {float((low - found) / low):.2g} of it"
        else:
            excess = float((found - high) / low) if found > high else 0.0
            said = f"ε = {float(found):.12g}, above by {excess:.2g} of it"
    print(f"    {name:<26} {seconds:9.3f} s {seconds / unit:8.2f} x {said}")


if __name__ == "__main__":
    sys.exit(main())
