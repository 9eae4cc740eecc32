"""smartnoise-sql: the scale of its Gaussian mechanism, by OpenDP's zCDP conversion.

| function | quantity | mapping |
|---|---|---|
| Gaussian(epsilon, delta=delta, sensitivity=sensitivity).scale | calibrate_sigma | |

The library rounds the sensitivity up to an integer, which costs noise and no privacy.
"""

from snsql.sql._mechanisms.gaussian import Gaussian

DISTRIBUTION = "smartnoise-sql"

FUNCTIONS = {
    "Gaussian": (
        "calibrate_sigma",
        lambda epsilon, delta, sensitivity: (
            Gaussian(epsilon, delta=delta, sensitivity=sensitivity).scale
        ),
    ),
}
SLOW = {"Gaussian"}
