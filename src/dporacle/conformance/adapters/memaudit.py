"""memaudit: the limits of Clopper and Pearson, and ε from one run.

| function | quantity | mapping |
|---|---|---|
| stats.clopper_pearson(k, n, 2α)[1] | binomial_upper | α < ½, one of two ends |
| stats.steinke_eps_lower_bound(v, r, delta=δ, alpha=α, m=m)["eps_lb"] | one_run_epsilon | |

These compute with numpy and scipy. PyTorch and transformers are not installed: the package is
entered without what it imports first.
"""

import importlib.metadata
import sys
import types

DISTRIBUTION = "memaudit"
_package = types.ModuleType("memaudit")
_package.__path__ = [str(importlib.metadata.distribution(DISTRIBUTION).locate_file("memaudit"))]
sys.modules["memaudit"] = _package

from memaudit.stats import clopper_pearson, steinke_eps_lower_bound  # noqa: E402


class _NotAskedError(Exception):
    """Twice α is 1 or more: no interval has this level."""


SKIPS = (_NotAskedError,)


def _upper(successes, trials, alpha):
    if alpha >= 1 / 2:
        raise _NotAskedError(f"an interval has two ends: α={alpha!r}")
    return clopper_pearson(int(successes), int(trials), 2 * alpha)[1]


FUNCTIONS = {
    "clopper_pearson": ("binomial_upper", _upper),
    "steinke_eps_lower_bound": (
        "one_run_epsilon",
        lambda guesses, correct, canaries, alpha, delta: steinke_eps_lower_bound(
            int(correct), int(guesses), delta=delta, alpha=alpha, m=int(canaries)
        )["eps_lb"],
    ),
}
