"""Tail expectations from moments, on a vertical line, for any precision.

For a loss L with moments K(s) = E[e^{sL}] and every c > 0 (Gil-Pelaez, tilted),

    E[(1 − e^{ε−L})₊] = e^{−cε}/π · ∫₀^∞ Re K(c + iu)e^{−iuε}/((c + iu)(c + 1 + iu)) du.

The sum over a grid of step 2π/W differs from that by e^{ckW}E[(1 − e^{ε+kW−L})₊], k ≠ 0.
"""

from collections.abc import Callable

from dporacle.reference.numerics.precision import Context, Real

MOST_NODES = 1500


def nodes(
    ctx: Context, log_moment: Callable[[Real], Real], c: Real, step: Real
) -> list[tuple[Real, Real]]:
    """Return s and ln K(s) − ln K(c) on the line, until they are too small to count.

    Raises:
        ArithmeticError: if that takes too many of them.
    """
    found: list[tuple[Real, Real]] = []
    top = log_moment(ctx.mpc(c)).real
    small = 0
    for n in range(MOST_NODES):
        s = ctx.mpc(c, n * step)
        value = log_moment(s) - top
        found.append((s, value))
        small = small + 1 if value.real < -(ctx.prec + 8) * ctx.ln2 else 0
        if small == 3:
            return found
    raise ArithmeticError(f"the moments have not died out after {MOST_NODES} nodes")


def line_sum(
    ctx: Context,
    line: list[tuple[Real, Real]],
    step: Real,
    epsilon: Real,
    over: Callable[[Real], Real] = lambda s: s * (s + 1),
) -> Real:
    """Return e^{cε}/K(c) times the expectation, for the ε asked.

    With s instead of s(s + 1) it is P(L > ε), with s + 1 it is e^ε times the other law's.
    """
    c = line[0][0].real
    total = ctx.zero
    for n, (s, value) in enumerate(line):
        term = (ctx.exp(value - (s - c) * epsilon) / over(s)).real
        total += term / 2 if n == 0 else term
    return total * step / ctx.pi
