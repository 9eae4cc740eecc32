"""Words that people try and that name nothing here: what they may mean, or what is nearest.

What cannot be decided is answered by name. A word is looked up only where it stands for no kind
that is known, so that a row here is idle, and harmless, once its mechanism has a file.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Absent:
    """What no claim can be about.

    Attributes:
        what: it, in words.
        nearest: the nearest claim that can be decided.
    """

    what: str
    nearest: str

    def __str__(self) -> str:
        return f"out of scope: {self.what}; the nearest claim that can be decided is {self.nearest}"


# Pure ε-DP implies ε²/2-zCDP (Bun and Steinke, 2016).
_PURE = (
    "a `conversion` with given = {kind = 'zcdp', rho = ε²/2}, which every pure ε-DP mechanism meets"
)
_CURVE = "a `conversion` with given = {kind = 'rdp', order = …, epsilon = …}, of an order proved"
_WHOLE = (
    "privacy of the `composition` of its Gaussian releases without sampling, which is less private"
)
_VARIANCE = "`loss`, the expected squared error, with dimension = 1"

_ROWS: Final = (
    (("geometric", "discrete-laplace", "two-sided-geometric"), "discrete Laplace noise", _PURE),
    (("staircase",), "staircase noise", _PURE),
    (("exponential", "exponential-mechanism"), "the exponential mechanism", _PURE),
    (("permute-and-flip",), "permute-and-flip", _PURE),
    (("randomized-response", "randomised-response", "rappor"), "randomized response", _PURE),
    (("sparse-vector", "svt", "above-threshold"), "the sparse vector technique", _PURE),
    (("report-noisy-max", "noisy-max"), "report noisy max", _PURE),
    (("pure-dp", "pure"), "any mechanism that is purely ε-DP", _PURE),
    (
        ("subsampled",),
        "releases about a random sample, other than noisy sums of Poisson-sampled batches",
        "`privacy` of `dp-sgd`, or " + _WHOLE,
    ),
    (("shuffle", "shuffled"), "shuffled reports", _CURVE),
    (
        ("distributed-discrete-gaussian", "ddgauss", "secure-aggregation"),
        "the sum of several parties' discrete noises, which is no discrete Gaussian",
        _CURVE,
    ),
    (("skellam", "binomial", "poisson-binomial"), "noise of that distribution", _CURVE),
    (("pate",), "PATE", _CURVE),
    (("student-t", "cauchy", "uniform", "triangular"), "noise of that distribution", _CURVE),
    (("group-privacy", "group"), "privacy of a group as a claim of its own",
     "`privacy` with the sensitivity of the group, at most its size times that of one record; of "
     "`dp-sgd` with `group` or `records_per_user`"),
    (("local-dp", "ldp"), "local differential privacy", "`privacy` for `replace-one`"),
    (("variance", "mse", "rmse"), "the variance as a claim of its own", _VARIANCE),
    (("bias", "utility"), "what an analysis does with the answer",
     "`accuracy`, the probability of a larger error"),
)  # fmt: skip

OUT_OF_SCOPE: Final = {
    word: Absent(what, nearest) for words, what, nearest in _ROWS for word in words
}
"""Word -> what it means and what is nearest."""

_SPLIT = "`privacy` of each by itself, whose ε and δ add up"

ALONE: Final = {
    "thresholded-histogram": Absent("a composition with a thresholded histogram", _SPLIT),
    "dp-sgd": Absent(
        "a composition with DP-SGD", f"`privacy` of `dp-sgd`, whose steps are composed, or {_SPLIT}"
    ),
    "matrix": Absent(
        "a composition with a matrix mechanism",
        f"`privacy` of `matrix` with all rows in one matrix, or {_SPLIT}",
    ),
    "rank-one": Absent("a composition with rank-one noise", _SPLIT),
}
"""Mechanism that is decided by itself only -> what is nearest to a composition with it."""

_SCALE: Final = "b of the density e^(−|x|/b)/2b"

FIELDS: Final = {
    **dict.fromkeys(
        ("std", "stddev", "stdev", "sd", "standard_deviation", "noise_std", "scale", "noise_scale"),
        ("sigma", "the standard deviation of the noise"),
    ),
    **dict.fromkeys(("b", "sigma"), ("scale", _SCALE)),
    **dict.fromkeys(
        ("confidence", "confidence_level", "beta", "significance"),
        ("alpha", "the probability of a larger error: 1 − the confidence"),
    ),
    **dict.fromkeys(("noise", "type", "distribution", "mechanism"), ("kind", "such as 'laplace'")),
    **dict.fromkeys(("eps",), ("epsilon", "ε")),
    **dict.fromkeys(("adjacency", "relation", "neighbors", "neighbor"),
                    ("neighbours", "'add-remove', 'replace-one' or 'zero-out'")),
    **dict.fromkeys(("clip", "clip_norm", "max_grad_norm"), ("clipping_norm", "C")),
    **dict.fromkeys(("group_size", "k"), ("group", "the number of records")),
    **dict.fromkeys(("max_participations", "max_participation"),
                    ("participations", "how many steps of one record at most")),
    **dict.fromkeys(("separation", "min_sep"), ("min_separation", "in steps")),
    **dict.fromkeys(("strategy", "encoder"), ("matrix", "a name or a file")),
    **dict.fromkeys(("error", "accuracy", "bound"), ("at_most", "the error bound")),
    **dict.fromkeys(("q", "sample_rate", "sampling_probability"), ("sampling_rate", "q")),
}  # fmt: skip
"""Another name of a field -> the field, and what it is; only where the record has that field."""

OTHER_FIELDS: Final = {
    "b": ("sigma", "the standard deviation of the noise"),
    **dict.fromkeys(
        ("std", "stddev", "stdev", "sd", "standard_deviation", "noise_std", "noise_scale"),
        ("scale", f"{_SCALE}: the standard deviation over √2"),
    ),
}
"""A second meaning, for records that do not have the first field."""

MEANT: Final = {
    **dict.fromkeys(("unbounded", "add", "remove", "add-or-remove", "add_remove"), "add-remove"),
    **dict.fromkeys(
        ("bounded", "substitute", "substitution", "swap", "change-one", "replace", "replace_one"),
        "replace-one",
    ),
    **dict.fromkeys(("zero", "null", "zero_out", "replace-with-null"), "zero-out"),
    **dict.fromkeys(("batch-shuffling", "shuffling", "shuffled-batches", "epochs"), "shuffled"),
    **dict.fromkeys(("normal", "analytic-gaussian", "analytic", "gauss"), "gaussian"),
    **dict.fromkeys(("discrete", "dgauss", "integer-gaussian"), "discrete-gaussian"),
    **dict.fromkeys(
        ("dpsgd", "dp_sgd", "subsampled-gaussian", "poisson-subsampled-gaussian"), "dp-sgd"
    ),
    **dict.fromkeys(
        (
            "matrix-mechanism",
            "matrix-factorization",
            "matrix-factorisation",
            "dp-mf",
            "banded",
            "bandmf",
            "correlated-noise",
            "blt",
        ),
        "matrix",
    ),
    **dict.fromkeys(("r1smg", "rank1"), "rank-one"),
    **dict.fromkeys(("mvg", "matrix-variate-gaussian"), "matrix-variate"),
    **dict.fromkeys(("hb", "h_b", "hierarchical"), "hierarchical-tree"),
    **dict.fromkeys(("tree", "binary-tree", "dp-ftrl", "ftrl"), "tree-aggregation"),
    **dict.fromkeys(
        ("histogram", "sparse-histogram", "gaussian-histogram", "gsh"), "thresholded-histogram"
    ),
    **dict.fromkeys(
        ("same-record", "same-records", "all", "together", "joint", "shared", "sequential"), "same"
    ),
    **dict.fromkeys(
        ("disjoint-parts", "parts", "parallel", "partition", "partitioned", "separate"), "disjoint"
    ),
    **dict.fromkeys(("not-known", "not-said", "unstated", "unspecified"), "unknown"),
    **dict.fromkeys(("repeated", "composed", "sequence"), "composition"),
    **dict.fromkeys(("dp", "approximate-dp", "approx-dp", "epsilon-delta"), "privacy"),
    **dict.fromkeys(
        (
            "mia",
            "membership-inference",
            "membership",
            "attack",
            "f-dp",
            "tradeoff",
            "trade-off",
            "tpr",
            "tpr-at-fpr",
            "power",
        ),
        "risk",
    ),
    **dict.fromkeys(("roc", "roc-auc", "area"), "auc"),
    **dict.fromkeys(("membership-advantage", "tv", "total-variation"), "advantage"),
    **dict.fromkeys(
        ("bayes", "bayes-risk", "bayes-accuracy", "accuracy-of-attack"), "bayes-success"
    ),
    **dict.fromkeys(("error", "confidence", "confidence-interval", "margin-of-error"), "accuracy"),
}
"""Another word for something -> the word that claims use."""
