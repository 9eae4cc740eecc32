"""SciPy: tails of binomial laws, and the limits of Clopper and Pearson, as auditors call them.

| function | quantity | mapping |
|---|---|---|
| stats.binom.sf(k − 1, n, p) | binomial_tail | |
| stats.binomtest(k, n, p, alternative="greater").pvalue | binomial_tail | |
| stats.binomtest(k, n, alternative="less").proportion_ci(c, "exact").high | binomial_upper | |
| stats.beta.isf(α, k + 1, n − k) | binomial_upper | 1 if k = n |
| stats.beta.ppf(c, k + 1, n − k) | binomial_upper | 1 if k = n |

c is the confidence 1 − α, which is no float: it is rounded up, so that more is asked for. Below
α = 10⁻¹⁶ it is 1, and the limit too. isf needs no such c.
"""

import math
from fractions import Fraction

from scipy import stats

DISTRIBUTION = "scipy"


def _confidence(alpha):
    rounded = 1 - alpha
    if math.isfinite(alpha) and Fraction(rounded) + Fraction(alpha) < 1:
        return math.nextafter(rounded, 1)
    return rounded


def _exact(successes, trials, alpha):
    test = stats.binomtest(int(successes), int(trials), alternative="less")
    return test.proportion_ci(_confidence(alpha), "exact").high


def _of_beta(quantile, at):
    def upper(successes, trials, alpha):
        if successes == trials > 0 and 0 < alpha < 1:  # of nonsense SciPy is asked
            return 1.0
        return quantile(at(alpha), successes + 1, trials - successes)

    return upper


FUNCTIONS = {
    "binom.sf": (
        "binomial_tail",
        lambda successes, trials, probability: stats.binom.sf(successes - 1, trials, probability),
    ),
    "binomtest.pvalue": (
        "binomial_tail",
        lambda successes, trials, probability: (
            stats.binomtest(int(successes), int(trials), probability, alternative="greater").pvalue
        ),
    ),
    "binomtest.proportion_ci(exact)": ("binomial_upper", _exact),
    "beta.isf": ("binomial_upper", _of_beta(stats.beta.isf, float)),
    "beta.ppf": ("binomial_upper", _of_beta(stats.beta.ppf, _confidence)),
}
NOTES = {
    "beta.ppf": "1 − α is rounded: below α = 1e-16 it is 1",
    "binomtest.proportion_ci(exact)": "1 − α is rounded: below α = 1e-16 it is 1",
}
