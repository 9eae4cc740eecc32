"""Ask tools for attack figures of DP-SGD, and print what is proved beside their answers.

Stands alone: it needs the tools that are asked, and nothing of this project.

    python -m venv asked && asked/bin/pip install dp-accounting==0.6.0 gdpnum==0.1.2 riskcal==1.5.1
    asked/bin/python attack_figures.py

Each line is a run of T steps with noise multiplier σ and Poisson sampling rate q. The figures are
of a test that looks for a record that was used: its largest true positive rate at a false positive
rate (whoever guesses has that rate itself), and its largest advantage; and the least μ whose
Gaussian curve bounds δ, at least at every ε up to 2, and at all of them. The ends are proved, and
`dporacle risk` proves them again. A tool that promises an upper bound must not answer less; the
slack is 0.1 %. The exit status is 1 if an answer is below, 2 if no tool is installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Iterator
from typing import Any

Run = tuple[float, float, int]
PROVED: dict[Run, dict[str, tuple[float, float]]] = {
    (1.0, 0.01, 1000): {
        "0.1": (0.19420109450108577, 0.19420113370061598),
        "0.01": (0.02913905521959575, 0.029139094729287104),
        "1e-3": (0.004068447084511277, 0.004068447954509795),
        "1e-6": (9.367508486326972e-06, 9.367508975917633e-06),
        "advantage": (0.16101761969495365, 0.16101761969821146),
        "mu": (0.46900937832485284, 31.622776601683796),
    },
    (2.0, 0.1, 100): {
        "0.1": (0.22758979717481387, 0.2275898332278645),
        "0.01": (0.03771385709250109, 0.03771386797085237),
        "1e-3": (0.005680296183811329, 0.005680297081228638),
        "1e-6": (1.5146007337287116e-05, 1.5146033744554875e-05),
        "advantage": (0.20586113252810798, 0.20586113253219332),
    },
    (0.8, 0.01, 500): {
        "0.1": (0.20014819922172775, 0.20014825521332757),
        "0.01": (0.03220508467801166, 0.03220514721946913),
        "1e-3": (0.004946912816086932, 0.0049469140614943315),
        "1e-6": (1.747478083550862e-05, 1.747480765880256e-05),
        "advantage": (0.16286232673222567, 0.16286232673605563),
    },
}
"""Run (σ, q, T) -> figure -> its proved ends."""

SLACK = 1e-3


_HOMES = {"gdpnum": "gdpnum", "riskcal": "riskcal.accountants"}


def _accountant(library: str, run: Run) -> Any:
    accountant = importlib.import_module(_HOMES[library]).CTDAccountant()
    sigma, rate, steps = run
    for _ in range(steps):
        accountant.step(noise_multiplier=sigma, sample_rate=rate)
    return accountant


def _answers(library: str, run: Run) -> Iterator[tuple[str, float]]:
    """Yield what a tool answers, by the name of the figure."""
    accountant = _accountant(library, run)
    for name in PROVED[run]:
        try:
            if name == "mu":
                ask = importlib.import_module(library).dpsgd.get_mu_and_regret_for_dpsgd
                yield name, float(ask(*run)[0])
            elif name == "advantage":
                yield name, float(accountant.get_advantage())
            else:
                yield name, 1 - float(accountant.get_beta(alpha=float(name)))
        except (AttributeError, NameError) as error:
            print(f"  {name:<18} no answer: {error}")


def main() -> int:
    """Ask each tool that is installed."""
    asked, below = 0, False
    for library in _HOMES:
        try:
            version = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
        asked += 1
        for run, figures in PROVED.items():
            print(f"{library} {version}: σ = {run[0]}, q = {run[1]}, T = {run[2]}")
            for name, answer in _answers(library, run):
                low, high = figures[name]
                word = "below" if answer < low * (1 - SLACK) else "fine"
                below = below or word == "below"
                called = name if name[0].isalpha() else f"TPR at FPR {name}"
                print(f"  {called:<18} {answer:.6g}   proved [{low!r}, {high!r}]   {word}")
    if not asked:
        print("neither gdpnum nor riskcal is installed", file=sys.stderr)
        return 2
    return int(below)


if __name__ == "__main__":
    sys.exit(main())
