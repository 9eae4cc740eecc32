"""pfl (Apple): Algorithm 1 of Balle and Wang in its own log-space arithmetic.

| function | quantity | mapping |
|---|---|---|
| privacy.compute_parameters.AnalyticGM_robust(eps, delta, 1, l2) | calibrate_sigma | |
"""

from pfl.privacy.compute_parameters import AnalyticGM_robust

DISTRIBUTION = "pfl"

FUNCTIONS = {
    "AnalyticGM_robust": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: AnalyticGM_robust(epsilon, delta, 1.0, sensitivity),
    ),
}
