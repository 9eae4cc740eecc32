"""statsmodels: the limits of Clopper and Pearson, and the binomial test.

| function | quantity | mapping |
|---|---|---|
| proportion_confint(k, n, α, "beta", "larger")[1] | binomial_upper | |
| proportion_confint(k, n, 2α, "beta")[1] | binomial_upper | α < ½, one of two ends |
| binom_test(k, n, p, "larger") | binomial_tail | |

Of method "beta" it says: central, "they use alpha/2 in each tail"
(stats/proportion.py). Its other intervals promise their level on average only, and are not asked.
"""

from statsmodels.stats.proportion import binom_test, proportion_confint

DISTRIBUTION = "statsmodels"


class _NotAskedError(Exception):
    """Twice α is 1 or more: no interval has this level."""


SKIPS = (_NotAskedError,)


def _one_of_two(successes, trials, alpha):
    if alpha >= 1 / 2:
        raise _NotAskedError(f"an interval has two ends: α={alpha!r}")
    return proportion_confint(int(successes), int(trials), 2 * alpha, "beta")[1]


FUNCTIONS = {
    "proportion_confint(beta, larger)": (
        "binomial_upper",
        lambda successes, trials, alpha: proportion_confint(
            int(successes), int(trials), alpha, "beta", "larger"
        )[1],
    ),
    "proportion_confint(beta)": ("binomial_upper", _one_of_two),
    "binom_test": (
        "binomial_tail",
        lambda successes, trials, probability: binom_test(
            int(successes), int(trials), probability, "larger"
        ),
    ),
}
