"""Sensitivities by the two data sets that attain them, the statistic computed on each."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real

_Counted = tuple[tuple[Fraction, int], ...]
"""A data set: its values, and how many records have each."""


def _mean(data: _Counted) -> Fraction:
    return sum((x * n for x, n in data), Fraction()) / sum(n for _, n in data)


def _deviations(data: _Counted) -> Fraction:
    mean = _mean(data)
    return sum(((x - mean) ** 2 * n for x, n in data), Fraction())


def _pair(low: Fraction, high: Fraction, records: int) -> tuple[_Counted, _Counted]:
    """Return all records at one end, and all but one."""
    return ((low, records),), ((low, records - 1), (high, 1))


def _of_means(ctx: Context, given: Given) -> Real:
    first, second = _pair(given["lower"], given["upper"], int(given["records"]))
    return real(ctx, abs(_mean(first) - _mean(second)))


def _of_public_means(ctx: Context, given: Given) -> Real:
    return _of_sums(ctx, given) / int(given["records"])


def _of_sums(ctx: Context, given: Given) -> Real:
    return max(abs(real(ctx, given[end])) for end in ("lower", "upper"))


def _of_replaced_sums(ctx: Context, given: Given) -> Real:
    return real(ctx, given["upper"]) - real(ctx, given["lower"])


def _spread(ends: tuple[Fraction, Fraction], given: Given) -> Fraction:
    """Return how far the squared deviations move, over their divisor."""
    records = int(given["records"])
    first, second = map(_deviations, _pair(*ends, records))
    return (second - first) / (records - int(given["ddof"]) if "ddof" in given else 1)


def _of_deviations(ctx: Context, given: Given) -> Real:
    return real(ctx, _spread((given["lower"], given["upper"]), given))


def _of_covariances(ctx: Context, given: Given) -> Real:
    return real(ctx, _spread((-given["clipping_norm"], given["clipping_norm"]), given))


def _moments(ctx: Context, row: list[Real], target: Real) -> list[Real]:
    """Return the entries of xx' and xy."""
    return [a * b for a, b in product(row, row)] + [a * target for a in row]


def _of_rows(ctx: Context, given: Given) -> Real:
    row = [real(ctx, given["clipping_norm"])]
    return ctx.fsum(each**2 for each in _moments(ctx, row, real(ctx, given["target_bound"])))


def _of_replaced_rows(ctx: Context, given: Given) -> Real:
    """Two rows in a plane with opposite targets; one on a line is shorter, or is the other."""
    norm, target = (real(ctx, given[name]) for name in ("clipping_norm", "target_bound"))
    r = (target / norm) ** 2
    if given["dimension"] > 1:
        cosine = min(r / 2, ctx.one)
        others = [[norm * cosine, norm * ctx.sqrt(1 - cosine**2)]]
    else:
        roots = [(1 - ctx.sqrt(1 - 2 * r)) / 2] if 2 * r <= 1 else []
        others = [[norm * z, ctx.zero] for z in [ctx.one, *roots]]
    one = _moments(ctx, [norm, ctx.zero], target)
    return max(
        ctx.fsum((a - b) ** 2 for a, b in zip(one, _moments(ctx, other, -target), strict=True))
        for other in others
    )


_MOST = 10**5  # counts that are listed


def _counts(given: Given, places: int) -> list[Fraction]:
    """Return the largest counts, one after the other."""
    left, counts = given["total"], list[Fraction]()
    while left > 0 and len(counts) < places:
        counts.append(min(left, given["linf"]))
        left -= counts[-1]
        if len(counts) > _MOST:
            raise ArithmeticError(f"more than {_MOST} counts are not listed")
    return counts


def _of_counts(power: int, people: int) -> Identity:
    def identity(ctx: Context, given: Given) -> Real:
        """Σ|count|^p over a person's counts, and over those of a second in the other places."""
        dimension, l0 = int(given["dimension"]), int(given["l0"])
        places = [dimension] if people == 1 else [dimension // 2, dimension - dimension // 2]
        counts = [count for room in places for count in _counts(given, min(l0, room))]
        return ctx.fsum(real(ctx, count) ** power for count in counts)

    return identity


def _score(below: int, records: int, quantile: Fraction) -> Fraction:
    return -abs(below - quantile * records)


def _of_scores(ctx: Context, given: Given) -> Real:
    """A first record, below a candidate or not."""
    q = given["quantile"]
    return real(ctx, max(abs(_score(below, 1, q)) for below in (0, 1)))


def _of_ranges(ctx: Context, given: Given) -> Real:
    """Of n records all lie between two candidates, and one more on the side that moves more."""
    q = given["quantile"]
    n = int(1 / min(q, 1 - q)) + 1
    moves = [
        [_score(below + more, n + 1, q) - _score(below, n, q) for below in (0, n)]
        for more in (0, 1)
    ]
    return real(ctx, max(abs(first - second) for first, second in moves))


IDENTITIES: Mapping[str, Identity] = {
    "sum_sensitivity": _of_sums,
    "sum_sensitivity_replace": _of_replaced_sums,
    "mean_sensitivity": _of_means,
    "public_mean_sensitivity": _of_public_means,
    "variance_sensitivity": _of_deviations,
    "squared_deviations_sensitivity": _of_deviations,
    "covariance_sensitivity": _of_covariances,
    "regression_sensitivity_squared": _of_rows,
    "regression_sensitivity_squared_replace": _of_replaced_rows,
    "counts_sensitivity": _of_counts(1, 1),
    "counts_sensitivity_replace": _of_counts(1, 2),
    "counts_sensitivity_squared": _of_counts(2, 1),
    "counts_sensitivity_squared_replace": _of_counts(2, 2),
    "quantile_score_sensitivity": _of_scores,
    "quantile_score_range": _of_ranges,
}
