"""Boxes and reports by randomised response: a finite Fourier sum of the law of their loss."""

from collections.abc import Mapping
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real


def _profile(ctx: Context, epsilon: Fraction, one: Fraction, kinds: int, n: int) -> Real:
    """E(1 − e^{ε−L})₊, L/ε₀ between −n and n, by the 2n + 1 roots of unity.

    The masses are means of φ(w)ⁿ w^{−m}, φ that of one report; a mean loses the digits by which
    the result is smaller than 1.
    """
    nets = [m for m in range(1, n + 1) if m * one > epsilon]
    if not nets:
        return ctx.zero
    x = ctx.exp(-real(ctx, one))
    whole = 1 + (kinds - 1) * x
    gain = -ctx.expm1(real(ctx, epsilon - n * one))
    lost = n * ctx.log(whole, 2) - ctx.log(gain, 2)
    with ctx.extraprec(int(lost) + 32):
        x = ctx.exp(-real(ctx, one))
        whole, points = 1 + (kinds - 1) * x, 2 * n + 1
        roots = [ctx.expjpi(ctx.mpf(2 * r) / points) for r in range(points)]
        powers = [((w + (kinds - 2) * x + x / w) / whole) ** n for w in roots]
        total = ctx.zero
        for m in nets:
            mass = ctx.fsum((p * roots[-r * m % points]).real for r, p in enumerate(powers))
            total += mass / points * -ctx.expm1(real(ctx, epsilon - m * one))
        return total


def _boxes(ctx: Context, given: Given) -> Real:
    """1 − (1−δ₀)^k (1 − δ′), δ′ of as many reports on two values."""
    n = int(given["releases"])
    rest = _profile(ctx, given["epsilon"], given["box_epsilon"], 2, n)
    left = given["box_delta"]
    lost = (
        -ctx.fsum(ctx.binomial(n, i) * (-real(ctx, left)) ** i for i in range(1, n + 1))
        if n * left < 1
        else 1 - real(ctx, 1 - left) ** n
    )
    return lost + (1 - lost) * rest


def _reports(ctx: Context, given: Given) -> Real:
    return _profile(
        ctx, given["epsilon"], given["report_epsilon"], int(given["kinds"]), int(given["releases"])
    )


IDENTITIES: Mapping[str, Identity] = {
    "box_composition_delta": _boxes,
    "randomised_response_delta": _reports,
}

PROFILES: Mapping[str, Identity] = {
    "box_composition_epsilon": _boxes,
    "randomised_response_epsilon": _reports,
}
