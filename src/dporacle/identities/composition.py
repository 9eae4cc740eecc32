"""Squared sensitivities of Toeplitz matrices: by their definition, and by geometric series."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _columns(given: Given) -> tuple[int, int, int, int]:
    """Return the length, the bands, the separation and how many columns there are."""
    names = ("length", "bands", "participations", "separation")
    length, bands, participations, separation = (int(given[name]) for name in names)
    return length, min(bands, length), separation, min(participations, -(-length // separation))


@lru_cache(maxsize=4)
def _column(bands: int) -> list[int]:
    """Return C(2t, t)·4^(bands − t)."""
    return [
        each << 2 * (bands - t)
        for t, each in enumerate(accumulate(range(1, bands), _next, initial=1))
    ]


def _next(binomial: int, t: int) -> int:
    return binomial * 2 * (2 * t - 1) // t


def _sqrt_toeplitz_sensitivity_squared(ctx: Context, given: Given) -> Real:
    """Add the columns in integers, which are C(2t, t) times a power of two."""
    length, bands, separation, most = _columns(given)
    column = _column(bands)
    rows = [0] * length
    for start in range(0, most * separation, separation):
        for row, entry in zip(range(start, length), column, strict=False):
            rows[row] += entry
    return ctx.ldexp(ctx.mpf(sum(each * each for each in rows)), -4 * bands)


def _decaying_toeplitz_sensitivity_squared(ctx: Context, given: Given) -> Real:
    """Sum the products of any two columns, each a geometric series."""
    length, bands, separation, most = _columns(given)
    decay = real(ctx, given["decay"])
    less = real(ctx, 1 - given["decay"] ** 2)
    total = ctx.zero
    for later in range(most):
        rows = length - later * separation
        for lag in range(0, (later + 1) * separation, separation):
            shared = min(rows, bands - lag)
            if shared <= 0:
                break
            # (1 − λ^2N)/(1 − λ²); near λ = 1 both are small, and the powers need more digits.
            series = -ctx.expm1(2 * shared * _log(ctx, given)) / less if less else ctx.mpf(shared)
            total += (2 if lag else 1) * decay**lag * series
    return total


def _log(ctx: Context, given: Given) -> Real:
    return ctx.log1p(-real(ctx, 1 - given["decay"]))


def _tree_sensitivity(ctx: Context, given: Given) -> Real:
    """By the binary digits of how many leaves there are: full subtrees, and the nodes above."""
    length, participations = int(given["length"]), int(given["participations"])
    leaves = min(length, participations)
    square = 0
    for level in range(length.bit_length()):
        size = 1 << level
        if leaves & size:
            square += size * (2 * size - 1)
        if -(-leaves // size) * size <= length:
            square += (leaves % size) ** 2
    return ctx.sqrt(square)


IDENTITIES: Mapping[str, Identity] = {
    "sqrt_toeplitz_sensitivity_squared": _sqrt_toeplitz_sensitivity_squared,
    "decaying_toeplitz_sensitivity_squared": _decaying_toeplitz_sensitivity_squared,
    "tree_sensitivity": _tree_sensitivity,
}
