"""gdpnum: trade-off curves read from privacy loss distributions.

| function | quantity | mapping |
|---|---|---|
| CTDAccountant: T steps at σ and the rate q, then get_beta(alpha) | subsampled_tradeoff | |
| … 1 − get_beta(alpha) | subsampled_power | TPR = 1 − FNR |
| … get_epsilon(delta) | subsampled_epsilon | |
| PLDConverter of its privacy loss distribution, get_advantage() | subsampled_advantage | |

Its privacy loss distributions are dp-accounting's by default, for adding or removing a record, and
converter.py makes the curve symmetric so that it "matches the add/remove neighboring relation".
"""

from gdpnum import CTDAccountant, PLDConverter

DISTRIBUTION = "gdpnum"


def _run(sigma, rate, steps):
    accountant = CTDAccountant()
    accountant.history = [(sigma, rate, int(steps))]  # what as many calls of step leave
    return accountant


FUNCTIONS = {
    "CTDAccountant.get_beta, sampled": (
        "subsampled_tradeoff",
        lambda alpha, sigma, rate, steps: float(_run(sigma, rate, steps).get_beta(alpha)),
    ),
    "1 − CTDAccountant.get_beta, sampled": (
        "subsampled_power",
        lambda alpha, sigma, rate, steps: 1 - float(_run(sigma, rate, steps).get_beta(alpha)),
    ),
    "PLDConverter.get_advantage, sampled": (
        "subsampled_advantage",
        lambda sigma, rate, steps: float(
            PLDConverter(_run(sigma, rate, steps).get_pld()).get_advantage()
        ),
    ),
    "CTDAccountant.get_epsilon, sampled": (
        "subsampled_epsilon",
        lambda delta, sigma, rate, steps: _run(sigma, rate, steps).get_epsilon(delta=delta),
    ),
}
SLOW = set(FUNCTIONS)
