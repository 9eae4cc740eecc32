"""The kinds of answer: which error is safe, what it rises with, and what is true at the limits.

An answer is safe when nobody is promised more than the mathematics gives: more noise than
needed, a larger δ or ε than the true one, a wider error bound. These facts belong to the kind of
answer and the argument, whatever the mechanism; a quantity for which one fails says so in its own
row. `noise` stands for the argument that says how much noise a mechanism adds.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Limit = float | Callable[[Mapping[str, float]], float]
"""The answer where an argument is at an end of its domain; it may depend on the others."""

_INF = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of answer.

    Attributes:
        name: what it is called here.
        meaning: what the answer says.
        safe: the side of the exact value on which an error does no harm.
        rises: the arguments with which the exact value rises.
        falls: those with which it falls.
        limits: (argument, end of its domain) -> the answer that is true there as a limit.
        beyond: argument -> from where on one answer is true of everything, and that answer.
        ceiling: a number that the answer does not exceed.
        degree: the power of the unit of the data in which the answer is measured.
        promise: the argument that is promised with the answer; empty where that is the answer.
        told_by: the name of the kind that says what an answer does to the promise.
    """

    name: str
    meaning: str
    safe: Literal["up", "down"]
    rises: frozenset[str] = frozenset()
    falls: frozenset[str] = frozenset()
    limits: Mapping[tuple[str, float], Limit] = field(default_factory=dict)
    beyond: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ceiling: int | None = None
    degree: int = 0
    promise: str = ""
    told_by: str = ""


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


NOISE_NEEDED = Kind(
    name="noise needed",
    meaning="the least noise that keeps a promise of privacy",
    safe="up",
    rises=_set("sensitivity releases rate steps size"),
    falls=_set("epsilon delta rho"),
    limits={
        ("epsilon", _INF): 0.0,
        ("epsilon", 0.0): _INF,  # of the formulas that divide by it
        ("delta", 0.0): _INF,
        ("rho", 0.0): _INF,
        ("rho", _INF): 0.0,
        ("releases", 0.0): 0.0,
        ("rate", 0.0): 0.0,
        ("steps", 0.0): 0.0,
        ("size", 0.0): 0.0,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", _INF): _INF,
    },
    degree=1,
    promise="delta",
    told_by="delta",
)
DELTA = Kind(
    name="delta",
    meaning="the δ that noise gives, or that a conversion proves",
    safe="up",
    rises=_set("sensitivity mu releases rate steps size contributions"),
    falls=_set("epsilon noise threshold batches"),
    limits={
        ("epsilon", _INF): 0.0,
        ("noise", _INF): 0.0,
        ("noise", 0.0): 1.0,
        ("mu", 0.0): 0.0,
        ("mu", _INF): 1.0,
        ("releases", 0.0): 0.0,
        ("rate", 0.0): 0.0,
        ("steps", 0.0): 0.0,
        ("size", 0.0): 0.0,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", _INF): 1.0,
    },
    ceiling=1,
)
EPSILON = Kind(
    name="epsilon",
    meaning="the ε that noise gives, or that a conversion proves",
    safe="up",
    rises=_set("sensitivity mu rho releases rate steps size"),
    falls=_set("delta noise batches"),
    limits={
        ("delta", 0.0): _INF,
        ("noise", _INF): 0.0,
        ("noise", 0.0): _INF,
        ("mu", 0.0): 0.0,
        ("mu", _INF): _INF,
        ("rho", 0.0): 0.0,
        ("rho", _INF): _INF,
        ("releases", 0.0): 0.0,
        ("rate", 0.0): 0.0,
        ("steps", 0.0): 0.0,
        ("size", 0.0): 0.0,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", _INF): _INF,
    },
    beyond={"delta": (1.0, 0.0)},
    promise="delta",
    told_by="delta",
)
DIVERGENCE = Kind(
    name="divergence",
    meaning="the parameter of zCDP, Rényi or Gaussian differential privacy that noise gives",
    safe="up",
    rises=_set("order mu releases sensitivity"),
    falls=_set("noise"),
    limits={
        ("order", 0.0): 0.0,
        ("mu", 0.0): 0.0,
        ("mu", _INF): _INF,
        ("releases", 0.0): 0.0,
        ("noise", 0.0): _INF,
        ("noise", _INF): 0.0,
        ("sensitivity", 0.0): 0.0,
        ("sensitivity", _INF): _INF,
    },
)
_NO_GAIN = (("mu", 0.0), ("noise", _INF), ("sensitivity", 0.0), ("rate", 0.0), ("steps", 0.0))
TRADEOFF = Kind(
    name="trade-off",
    meaning="the error of type II that an attacker cannot avoid",
    safe="down",
    rises=_set("noise"),
    falls=_set("alpha mu sensitivity rate steps"),
    limits={
        ("alpha", 0.0): 1.0,
        ("mu", _INF): 0.0,
        ("noise", 0.0): 0.0,
        ("sensitivity", _INF): 0.0,
        **{each: lambda given: 1 - given["alpha"] for each in _NO_GAIN},
    },
    ceiling=1,
)
POWER = Kind(
    name="power",
    meaning="the true positive rate that an attacker reaches at a false positive rate",
    safe="up",
    rises=_set("alpha mu sensitivity rate steps"),
    falls=_set("noise"),
    limits={
        ("alpha", 0.0): 0.0,
        ("mu", _INF): 1.0,
        ("noise", 0.0): 1.0,
        ("sensitivity", _INF): 1.0,
        **{each: lambda given: given["alpha"] for each in _NO_GAIN},
    },
    ceiling=1,
)
ADVANTAGE = Kind(
    name="advantage",
    meaning="the largest TPR − FPR that an attacker reaches, which is δ(0)",
    safe="up",
    rises=_set("mu sensitivity rate steps"),
    falls=_set("noise"),
    limits={
        ("mu", _INF): 1.0,
        ("noise", 0.0): 1.0,
        ("sensitivity", _INF): 1.0,
        **dict.fromkeys(_NO_GAIN, 0.0),
    },
    ceiling=1,
)
AREA = Kind(
    name="AUC",
    meaning="the area under the true positive rate over the false positive rate, of the best tests",
    safe="up",
    rises=ADVANTAGE.rises,
    falls=ADVANTAGE.falls,
    limits={**ADVANTAGE.limits, **dict.fromkeys(_NO_GAIN, 0.5)},
    ceiling=1,
)
BAYES_RISK = Kind(
    name="Bayes risk",
    meaning="the share of wrong guesses that an attacker with a prior cannot avoid",
    safe="down",
    rises=_set("noise"),
    falls=_set("mu sensitivity rate steps"),
    limits={
        ("prior", 0.0): 0.0,
        ("prior", 1.0): 0.0,
        ("mu", _INF): 0.0,
        ("noise", 0.0): 0.0,
        ("sensitivity", _INF): 0.0,
        **{each: lambda given: min(given["prior"], 1 - given["prior"]) for each in _NO_GAIN},
    },
    ceiling=1,
)
ERROR_BOUND = Kind(
    name="error bound",
    meaning="the error that is exceeded with a given probability",
    safe="up",
    rises=_set("noise queries dimension"),
    falls=_set("alpha beta"),
    limits={("noise", 0.0): 0.0, ("noise", _INF): _INF, ("alpha", 0.0): _INF, ("beta", 0.0): _INF},
    degree=1,
    promise="alpha",
    told_by="probability",
)
PROBABILITY = Kind(
    name="probability",
    meaning="the probability of a larger error",
    safe="up",
    rises=_set("noise queries"),
    falls=_set("accuracy error"),
    limits={
        ("accuracy", _INF): 0.0,
        ("error", _INF): 0.0,
        ("noise", 0.0): 0.0,
        ("noise", _INF): 1.0,
    },
    ceiling=1,
)
NOISE_ALLOWED = Kind(
    name="noise allowed",
    meaning="the most noise that keeps a promise of accuracy",
    safe="down",
    rises=_set("accuracy error alpha"),
    limits={("accuracy", 0.0): 0.0, ("accuracy", _INF): _INF, ("alpha", 0.0): 0.0},
    degree=1,
    promise="alpha",
    told_by="probability",
)
THRESHOLD = Kind(
    name="threshold",
    meaning="what a noisy count has to reach to be shown",
    safe="up",
    rises=_set("contributions"),
    falls=_set("delta"),
    limits={("delta", 0.0): _INF, ("epsilon", _INF): 1.0, ("noise", 0.0): 1.0},
    promise="delta",
    told_by="delta",
)
RISK = Kind(
    name="risk",
    meaning="an expected squared error",
    safe="up",
    rises=_set("noise prior_sigma dimension"),
    degree=2,
)

SENSITIVITY = Kind(
    name="squared sensitivity",
    meaning="the square of how far one record moves all that is released, in clipping norms",
    safe="up",
    rises=_set("decay length bands participations"),
    falls=_set("separation"),
)
WIDTH = Kind(
    name="sensitivity",
    meaning="how far one record moves all that is released, in clipping norms",
    safe=SENSITIVITY.safe,
    rises=SENSITIVITY.rises,
    falls=SENSITIVITY.falls,
)

KINDS = {
    kind.name: kind
    for kind in (
        NOISE_NEEDED,
        DELTA,
        EPSILON,
        DIVERGENCE,
        TRADEOFF,
        POWER,
        ADVANTAGE,
        AREA,
        BAYES_RISK,
        ERROR_BOUND,
        PROBABILITY,
        NOISE_ALLOWED,
        THRESHOLD,
        RISK,
        SENSITIVITY,
        WIDTH,
    )
}
"""Every kind by its name."""
