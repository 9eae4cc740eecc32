"""privacy-estimates (Microsoft): ε from the error rates of an attack.

| function | quantity | mapping |
|---|---|---|
| compute_eps_lo(AttackResults(FN, FP, TN, TP), δ, α, "beta") | audit_epsilon | |

"beta" is the "Clopper-Pearson interval based on Beta distribution". Its other methods ("jeffreys",
"joint-beta", "joint-dirichlet") start from Jeffreys priors: they have the confidence that a prior
gives, which no rate has by itself, and are not asked.
"""

import warnings

warnings.simplefilter("ignore")  # of backslashes in its docstrings

from privacy_estimates import AttackResults, compute_eps_lo  # noqa: E402

DISTRIBUTION = "privacy-estimates"


def _epsilon(false_positives, negatives, false_negatives, positives, alpha, delta):
    counts = AttackResults(
        FN=int(false_negatives),
        FP=int(false_positives),
        TN=int(negatives) - int(false_positives),
        TP=int(positives) - int(false_negatives),
    )
    return compute_eps_lo(count=counts, delta=delta, alpha=alpha, method="beta")


FUNCTIONS = {"compute_eps_lo(beta)": ("audit_epsilon", _epsilon)}
