"""Ask accountants of DP-SGD where they were found below the exact ε, and print both.

Stands alone: it needs the accountant that is asked, and nothing of this project.

    python -m venv asked && asked/bin/pip install dp-accounting==0.6.0
    asked/bin/python refuted_accountants.py dp-accounting

    asked/bin/pip install --no-deps opacus==1.6.0 && asked/bin/pip install numpy scipy opt-einsum
    asked/bin/python refuted_accountants.py opacus

Each line is a run of T steps with noise multiplier σ and Poisson sampling rate q, add/remove. The
exact ε are proved, and `dporacle dp-sgd` proves them again. An accountant that promises an upper
bound must not answer less. What is missing is of the order of the rounding noise of a fast Fourier
transform, so the answers depend on the versions of numpy and scipy, which are printed. The exit
status is 1 if an answer is too small.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import sys
import types
import warnings
from collections.abc import Callable

Run = tuple[float, float, int, float]
EXACT: dict[str, dict[Run, float]] = {
    "dp-accounting": {
        (1.0, 0.01, 10_000, 1e-9): 8.7654385915465,
        (1.0, 0.01, 10_000, 1e-10): 9.3161385258823,
        (1.0, 0.01, 10_000, 1e-11): 9.8419996678661,
        (1.0, 0.01, 10_000, 1e-12): 10.346689837674,
        (1.0, 0.01, 10_000, 1e-13): 10.833099888524,
        (0.8, 0.01, 500, 1e-11): 5.5244355534022,
        (1.0, 0.01, 30_000, 1e-9): 16.070096717649,
        (1.0, 0.01, 100_000, 1e-8): 31.373883709556,
    },
    "opacus": {
        (1.0, 0.01, 1_000, 1e-12): 3.9142981560375,
        (1.0, 0.01, 1_000, 1e-13): 4.2298113591490,
        (1.0, 0.02, 2_000, 1e-13): 10.340586059283,
    },
}
"""Accountant -> run (σ, q, T, δ) -> exact ε."""


def _dp_accounting() -> Callable[..., float]:
    dp = importlib.import_module("dp_accounting")
    pld = importlib.import_module("dp_accounting.pld")

    def epsilon(sigma: float, rate: float, steps: int, delta: float) -> float:
        step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma))
        accountant = pld.PLDAccountant().compose(dp.SelfComposedDpEvent(step, steps))
        return float(accountant.get_epsilon(delta))

    return epsilon


def _opacus() -> Callable[..., float]:
    # The accountants need no PyTorch; what the package imports besides is left out.
    folder = importlib.metadata.distribution("opacus").locate_file("opacus")
    package, optimizers = types.ModuleType("opacus"), types.ModuleType("opacus.optimizers")
    package.__path__ = [str(folder)]
    optimizers.DPOptimizer = object  # type: ignore[attr-defined]
    sys.modules |= {"opacus": package, "opacus.optimizers": optimizers}
    accountants = importlib.import_module("opacus.accountants")

    def epsilon(sigma: float, rate: float, steps: int, delta: float) -> float:
        accountant = accountants.PRVAccountant()
        accountant.history = [(sigma, rate, steps)]
        return float(accountant.get_epsilon(delta=delta))

    return epsilon


ASKED = {"dp-accounting": _dp_accounting, "opacus": _opacus}


def main() -> int:
    """Ask one accountant, and return 1 if it is below the exact ε anywhere."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("accountant", choices=ASKED)
    name = parser.parse_args().accountant
    warnings.simplefilter("ignore")
    epsilon = ASKED[name]()
    for each in (name, "numpy", "scipy"):
        print(f"{each} {importlib.metadata.version(each)}")
    print(f"{'σ':>4} {'q':>5} {'T':>7} {'δ':>6}  {'said':<20} {'exact ε':<16}")
    below = 0
    for run, exact in EXACT[name].items():
        said = epsilon(*run)
        wrong = said < exact * (1 - 1e-12)  # the exact values have 13 digits
        below += wrong
        words = f"below by {1 - said / exact:.2g} of it" if wrong else "not below"
        sigma, rate, steps, delta = run
        print(f"{sigma:>4} {rate:>5} {steps:>7} {delta:>6.0e}  {said!r:<20} {exact:<16} {words}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
