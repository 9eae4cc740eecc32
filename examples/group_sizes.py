"""Draw ε of DP-SGD over the size of a group of records, such as those of one user.

    python examples/group_sizes.py docs/groups.png

Each point is proved: the exact ε of the group under Poisson sampling, where each record is sampled
on its own. Beside it stand two figures that are in use: the bound that group privacy makes of one
record's ε, and the ε of one record whose contribution is as long as those of the whole group,
which is another way to sample.
"""

import sys
from fractions import Fraction

import matplotlib.pyplot as plt

import dporacle
from dporacle import enclosures
from dporacle.enclosures.arithmetic.rounding import bounds, float_above

RUN = {"noise_multiplier": 4, "sampling_rate": "0.01", "steps": 1000, "neighbours": "add-remove"}
DELTA = Fraction("1e-5")
SIZES = (1, 2, 4, 8, 16)


def exact(size: int) -> float:
    """Return the ε of a group, rounded up."""
    told = enclosures.group_epsilon(
        delta=DELTA, sigma=4, rate=Fraction("0.01"), steps=1000, size=size, direction="both"
    )
    return float_above(bounds(told)[1])


def one_long_record(size: int) -> float:
    """Return the ε of one record whose contribution is that of all, rounded up."""
    run = RUN | {"noise_multiplier": Fraction(4, size)}
    return dporacle.dp_sgd_epsilon(**run, delta=DELTA)[1]


def converted(size: int) -> float:
    """Return the ε that group privacy gives from one record's, rounded up.

    If one record has (ε, δ), then k records have (kε, δ(e^(kε) − 1)/(e^ε − 1)): the δ of one record
    is made smaller until that of the group is as small as is asked for.
    """
    one = DELTA / size
    while True:
        epsilon = dporacle.dp_sgd_epsilon(**RUN, delta=one)[1]
        told = bounds(enclosures.group_delta_bound(epsilon=epsilon, delta=one, size=size))[1]
        if told <= DELTA:
            return size * epsilon
        one *= Fraction(9, 10) * DELTA / told


def main() -> None:
    """Write the picture to the file that is named."""
    curves = (
        ("one record with the contributions of all", one_long_record, "#D55E00", "s"),
        ("one record's profile, by group privacy", converted, "#009E73", "^"),
        ("exact: each record sampled on its own", exact, "#0072B2", "o"),
    )
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for label, told, colour, marker in curves:
        ax.plot(SIZES, [told(size) for size in SIZES], color=colour, marker=marker, label=label)
    ax.set(xscale="log", yscale="log", xticks=SIZES, xticklabels=SIZES)
    ax.set(xlabel="records in the group", ylabel="ε at δ = 10⁻⁵")
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.legend()
    ax.set_title("DP-SGD: noise multiplier 4, sampling rate 0.01, 1000 steps")
    figure.savefig(sys.argv[1], dpi=130)


if __name__ == "__main__":
    main()
