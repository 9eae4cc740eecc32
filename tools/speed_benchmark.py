"""Time everything that somebody waits for, each as a ratio to a floor of the same run.

    python tools/speed_benchmark.py --markdown --plot docs/speed.png

Processor time, the best of several tries: what a busy machine adds does not count, and a ratio says
the same on another machine. Prints the table of docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
from flint import arb
from scipy.special import erfcx

from dporacle import claims, enclosures, fast, randomness, reference
from dporacle.claims import streaming
from dporacle.claims.streaming.deciding import by_balls
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.fast.gaussian import compiled

TRIES = 5
ENOUGH = 0.5  # seconds of tries
POINTS = [
    (Fraction(1), Fraction("1e-5")),
    (Fraction("0.1"), Fraction("1e-9")),
    (5, Fraction("1e-3")),
]
AUDIT = "audit --epsilon 1 --delta 1e-5 --sigma 3.73"
DP_SGD = "dp-sgd --noise-multiplier 1.1 --sampling-rate 256/60000 --steps 14063 --delta 1e-5"
Line = tuple[str, str, str]


def best(call: Callable[[], object], times: int = 1, tries: int = TRIES) -> float:
    """Seconds of processor time for one call, the least of several tries.

    On a busy machine a floor that is tried for a moment only may meet a slow one: everything is
    tried for half a second at least.
    """
    least, spent, tried = float("inf"), 0.0, 0
    while tried < tries or spent < ENOUGH:
        begun = time.process_time()
        for _ in range(times):
            call()
        each = time.process_time() - begun
        least, spent, tried = min(least, each / times), spent + each, tried + 1
    return least


def arrays(size: int) -> Iterator[Line]:
    generator = randomness.generator("timed arrays")
    epsilon, delta = 10 ** generator.uniform(-2, 1, size), 10 ** generator.uniform(-12, -3, size)
    sigma = fast.calibrate_sigma(epsilon=epsilon, delta=delta)
    floor = best(lambda: [erfcx(sigma) for _ in range(4)])
    for on in (True, False)[not compiled.built() :]:
        how = ", compiled" if on else ""
        with compiled.used(on):
            for name, call in {
                "calibrate_sigma": lambda: fast.calibrate_sigma(epsilon=epsilon, delta=delta),
                "delta_at_epsilon": lambda: fast.delta_at_epsilon(epsilon=epsilon, sigma=sigma),
                "epsilon_at_delta": lambda: fast.epsilon_at_delta(delta=delta, sigma=sigma),
            }.items():
                spent = best(call, tries=3)
                shown = f"{spent / size * 1e9:.0f} ns"
                ratio = f"{spent / floor:.2f} × four `erfcx`"
                yield f"`{name}`, {size:,} elements{how}", shown, ratio
            for name, call in {
                "calibrate_sigma": lambda: fast.calibrate_sigma(epsilon=1.0, delta=1e-5),
                "delta_at_epsilon": lambda: fast.delta_at_epsilon(epsilon=1.0, sigma=3.7),
                "epsilon_at_delta": lambda: fast.epsilon_at_delta(delta=1e-5, sigma=3.7),
            }.items():
                spent = best(call, 500)
                yield f"`{name}`, one call{how}", f"{spent * 1e6:.2f} µs", ""


def precise() -> Iterator[Line]:
    for digits in (20, 50, 200, 1000):
        with precision(int(digits * 3.33) + 8):
            x = arb("2.7")
            ball = best(x.erfc, 100)
        with mpmath.workdps(digits + 2):
            y = mpmath.mpf("2.7")
            mp = best(lambda y=y: mpmath.erfc(y), 20)
        for name, witness, floor in (("balls", enclosures, ball), ("reference", reference, mp)):
            spent = best(
                lambda w=witness, n=digits: [
                    w.calibrate_sigma(epsilon=e, delta=d, digits=n) for e, d in POINTS
                ],
                tries=3,
            ) / len(POINTS)
            shown = f"{spent * 1e6:,.0f} µs"
            yield f"σ, {name}, {digits} digits", shown, f"{spent / floor:.0f} × one `erfc`"


def started(code: str) -> float:
    """Seconds of processor time of a whole process."""
    words = [sys.executable, "-c", code]
    subprocess.run(words, capture_output=True, check=True)  # compiles what it imports
    least = float("inf")
    for _ in range(TRIES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def command(words: str) -> str:
    """A program that is a command, whatever its exit status is."""
    run = f"from dporacle.cli import main; main({words.split()})"
    return f"import contextlib\nwith contextlib.suppress(SystemExit): {run}"


def starts() -> Iterator[Line]:
    floor = started("import numpy")
    sigma = "dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5)"
    programs = {"`import dporacle`": "import dporacle", "first σ": f"import dporacle; {sigma}"}
    for words in ("--help", "sigma --help", "audit --help", "conform --help", "prove --help"):
        programs[f"`dporacle {words}`"] = command(words)
    programs["`dporacle audit` of one claim"] = command(AUDIT)
    programs["`dporacle dp-sgd`"] = command(DP_SGD)
    for name, code in programs.items():
        spent = started(code)
        yield name, f"{spent * 1e3:.0f} ms", f"{spent / floor:.2f} × `import numpy`"


def audits() -> Iterator[Line]:
    claim = {
        "id": "one",
        "mechanism": {
            "kind": "gaussian", "sigma": "3.73", "sensitivity": 1, "neighbours": "add-remove"
        },
        "asserts": {
            "kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"
        },
    }  # fmt: skip
    made = claims.make(claim)
    spent = best(lambda: claims.audit(made), 100)
    yield "`audit`, one claim", f"{spent * 1e6:.0f} µs", f"{1 / spent:,.0f} a second"
    spent = best(
        lambda: by_balls(
            epsilon=Fraction(1), delta=Fraction("1e-5"), sigma=Fraction("3.73"),
            sensitivity=Fraction(1),
        ),
        200,
    )  # fmt: skip
    yield "a row by balls", f"{spent * 1e6:.0f} µs", f"{1 / spent:,.0f} a second"


def whole_audit(claims: int = 10_000) -> Iterator[Line]:
    """Time `dporacle audit` on a file: reading, verdicts, margins and the table, per claim."""
    generator = randomness.generator("timed audits")
    epsilon = np.round(10 ** generator.uniform(-1, 1, claims + 1), 4)
    delta = [f"{x:.3g}" for x in 10 ** generator.uniform(-12, -3, claims + 1)]
    least = fast.calibrate_sigma(epsilon=epsilon, delta=np.array(list(map(float, delta))))
    relation = 'neighbours = "add-remove"'
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.toml"
        for count in (1, claims + 1):
            with path.open("w", encoding="ascii") as file:
                file.write('format = "dporacle-claims/1"\n')
                for number in range(count):
                    e, d, s = epsilon[number], delta[number], f"{1.2 * least[number]:.5g}"
                    file.write(
                        f'[[claims]]\nid = "{number}"\n'
                        f'mechanism = {{kind = "gaussian", sigma = {s}, sensitivity = 1, '
                        f"{relation}}}\n"
                        f'asserts = {{kind = "privacy", epsilon = {e}, delta = {d}, {relation}}}\n'
                    )
            run = f"from dporacle.cli import main; main(['audit', {str(path)!r}])"
            spent.append(started(run))
    each = (spent[1] - spent[0]) / claims
    yield (
        f"`dporacle audit`, {claims:,} claims, read, decided and told",
        f"{each * 1e6:.0f} µs a claim",
        f"{1 / each:,.0f} a second",
    )


def written(path: Path, rows: int) -> None:
    """Write rows of claims that hold, as most do: noise 5 to 40 % above the least."""
    generator = randomness.generator("timed rows of claims")
    with path.open("w", encoding="ascii") as file:
        file.write("epsilon,delta,sigma\n" if path.suffix == ".csv" else "")
        for begun in range(0, rows, 100_000):
            size = min(100_000, rows - begun)
            epsilon = np.round(10 ** generator.uniform(-1, 1, size), 4)
            delta = [f"{x:.3g}" for x in 10 ** generator.uniform(-12, -3, size)]
            least = fast.calibrate_sigma(epsilon=epsilon, delta=np.array(list(map(float, delta))))
            sigma = [f"{x:.5g}" for x in least * generator.uniform(1.05, 1.4, size)]
            form = (
                "{},{},{}\n"
                if path.suffix == ".csv"
                else '{{"epsilon":{},"delta":{},"sigma":{}}}\n'
            )
            file.writelines(
                form.format(*row) for row in zip(epsilon.tolist(), delta, sigma, strict=True)
            )


def streamed(path: Path, workers: int = 1) -> tuple[float, float]:
    """Processor seconds, and seconds on the wall, for one file."""
    source = streaming.Source(
        str(path), path.suffix.removeprefix("."), {name: name for name in streaming.COLUMNS}
    )
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    wall = time.perf_counter()
    if workers == 1:
        rows = sum(part.counts.rows for part in streaming.audit_stream([source]))
    else:
        with ProcessPoolExecutor(workers) as pool:
            parts = streaming.audit_stream([source], executor=pool, workers=workers)
            rows = sum(part.counts.rows for part in parts)
    wall = time.perf_counter() - wall
    assert rows
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    spent = sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime
                for a, b in zip(before, after, strict=True))  # fmt: skip
    return spent, wall


def streams(sizes: list[int]) -> tuple[list[Line], list[tuple[int, float, int]]]:
    lines: list[Line] = []
    growth: list[tuple[int, float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            path = Path(folder) / f"{rows}.jsonl"
            written(path, rows)
            spent = min(streamed(path)[0] for _ in range(2))
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            growth.append((rows, rows / spent, most))
            lines.append(
                (f"JSON lines, {rows:,} rows", f"{spent / rows * 1e9:.0f} ns a row",
                 f"{rows / spent:,.0f} a second and core")
            )  # fmt: skip
        path = Path(folder) / "claims.csv"
        written(path, sizes[-1] // 4)
        spent = min(streamed(path)[0] for _ in range(2))
        rate = f"{sizes[-1] // 4 / spent:,.0f} a second and core"
        lines.append(
            (
                f"CSV, {sizes[-1] // 4:,} rows",
                f"{spent / (sizes[-1] // 4) * 1e9:.0f} ns a row",
                rate,
            )
        )
        path = Path(folder) / f"{sizes[-1]}.jsonl"
        one = streamed(path)[1]
        for workers in (2,):
            wall = streamed(path, workers)[1]
            lines.append(
                (f"{workers} workers, on the wall", f"{wall:.1f} s", f"{one / wall:.2f} × one")
            )
    return lines, growth


def drawn(path: Path, growth: list[tuple[int, float, int]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    rows = [each[0] for each in growth]
    for axes, place, label in (
        (left, 1, "verdicts a second and core"),
        (right, 2, "largest memory, MiB"),
    ):
        heights = [each[place] for each in growth]
        axes.plot(rows, heights, marker="o")
        axes.set(xscale="log", xlabel="rows", ylabel=label, ylim=(0, 1.1 * max(heights)))
    figure.savefig(path, dpi=110)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the largest stream")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--starts", action="store_true", help="time only how commands start")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    growth: list[tuple[int, float, int]] = []
    if given.starts:
        lines = [*starts()]
    else:
        lines, growth = streams([max(1, given.rows // part) for part in (64, 16, 4, 1)])
        lines = [*arrays(200_000), *precise(), *starts(), *audits(), *whole_audit(), *lines]
    lines = [("what", "processor time", "ratio or rate"), *lines]
    if given.markdown:
        lines.insert(1, ("---", "--:", "--:"))
        print(*(f"| {' | '.join(line)} |" for line in lines), sep="\n")
    else:
        width = [max(len(line[place]) for line in lines) for place in range(3)]
        for line in lines:
            print(f"{line[0]:<{width[0]}}  {line[1]:>{width[1]}}  {line[2]:>{width[2]}}")
    print(f"\n{os.cpu_count()} processors, Python {sys.version.split()[0]}, numpy {np.__version__}")
    if given.plot:
        drawn(given.plot, growth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
