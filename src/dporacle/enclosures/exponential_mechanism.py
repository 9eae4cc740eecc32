"""Enclosures for noisy max with Gumbel noise, the exponential mechanism (X.EXPMECH).

Written with tanh, artanh and Bessel functions, where the reference has exponentials.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, bits_for, precision, tighten
from dporacle.enclosures.laplace import lack
from dporacle.interface import witness

_CLOSE = 8  # below this η, of two numbers that agree nothing is subtracted


@witness
def exponential_mechanism_delta(
    *, epsilon: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose δ(ε) = 2T²(1 + U)/((1 + T)²U), T = tanh((η−ε)/4), U = tanh(η/2) (X.EXPMECH)."""
    eta = 2 * sensitivity / scale
    if epsilon >= eta:
        return arb(0)
    return tighten(lambda: lack(ball((eta - epsilon) / 2)) ** 2 / lack(ball(eta)), digits)


@witness
def exponential_mechanism_epsilon(
    *, delta: Fraction, scale: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose the smallest ε ≥ 0 with (ε,δ)-DP, max(0, η − 4 artanh(r/(2 − r))) (X.EXPMECH).

    Here r² = δ(1 − e^{−η}).
    """
    eta = 2 * sensitivity / scale
    if delta == 1:
        return arb(0)

    def formula() -> arb:
        root = (ball(delta) * lack(ball(eta))).sqrt()
        return ball(eta) - 4 * (root / (2 - root)).atanh()

    # η is rational and the rest is not, unless it is 0: the sign shows in the end.
    value = tighten(formula, digits)
    return value if value > 0 else arb(0)


@witness
def exponential_mechanism_zcdp_rho(*, scale: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose the least ρ of zCDP, the largest Kullback-Leibler divergence (X.EXPMECH).

    For small η by modified Bessel functions of η/2, of orders 1/2 and 3/2; else of the pair itself.
    """
    eta = 2 * sensitivity / scale
    return tighten(lambda: _by_bessel(eta) if eta < _CLOSE else _of_the_pair(eta), digits)


def _by_bessel(eta: Fraction) -> arb:
    """(z/3)·₀F₁(5/2; z/4)/₀F₁(3/2; z/4) + ln ₀F₁(3/2; z/4), z = η²/4.

    The logarithm by ₀F₁(3/2; x) − 1 = (2x/3)·₁F₂(1; 2, 5/2; x), all positive.
    """
    x = ball(eta * eta / 16)
    first = x * 2 / 3 * x.hypgeom([arb(1)], [arb(2), arb(5) / 2])
    return 4 * x / 3 * x.hypgeom_0f1(arb(5) / 2) / (1 + first) + first.log1p()


def _of_the_pair(eta: Fraction) -> arb:
    """P ln(P/Q) + (1−P) ln((1−P)/(1−Q)) of the two candidates that tell most."""
    fall = (-ball(eta)).exp()
    rest = 1 / ball(eta) - fall / (1 - fall)  # 1 − P
    share = ball(eta) * fall / (1 - fall)  # Q/P
    ratio = ball(eta) - (ball(eta) / (1 - fall)).log()  # ln(P/Q)
    return (1 - rest) * ratio + rest * (rest / (1 - (1 - rest) * share)).log()


@witness
def exponential_mechanism_repeated_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int
) -> arb:
    """Enclose δ(ε) of n exponential mechanisms that see no earlier answer (X.SELECTIONS).

    As a race: J is how many releases of the smaller loss come before the (n−J)-th of the larger.
    """
    if epsilon >= releases * selection_epsilon:
        return arb(0)
    return tighten(lambda: _most(epsilon, selection_epsilon, releases)[0], digits)


def _most(epsilon: Fraction, eta: Fraction, n: int) -> tuple[arb, int]:
    """Enclose the largest member, ε < nη, and say which it is, as far as the balls tell."""
    found = [_member(epsilon, eta, n, last)[0] for last in range(n) if (n - last) * eta > epsilon]
    best, value = 0, found[0]
    for last, each in enumerate(found):
        if each.mid() > found[best].mid():
            best = last
        value = value.max(each)
    return value, best


def _member(epsilon: Fraction, eta: Fraction, n: int, last: int) -> tuple[arb, arb]:
    """Enclose what the test "at most J of the smaller loss" gains at its best t, and −d/dε of it.

    With g = η − t = ((n−J)η − ε)/(n+1), m = n−J, it is p^m Σ_i C(m−1+i, i) (1−p)^i
    (1 − e^{−(J+1−i)g}), i = 0, …, J. Each factor is a sum of positive terms.
    """
    m = n - last
    gap = (m * eta - epsilon) / (n + 1)
    whole, short, fall = lack(ball(eta)), lack(ball(gap)), (-ball(gap)).exp()
    p, rest = short / whole, fall * lack(ball(eta - gap)) / whole
    weights = [arb(1)]
    for i in range(last):
        weights.append(weights[-1] * rest * (m + i) / (i + 1))
    gain, slope, runs, power = arb(0), arb(0), arb(0), arb(1)
    for weight in reversed(weights):
        runs, power = 1 + fall * runs, power * fall  # (1 − e^{−kg})/(1 − e^{−g}), and e^{−kg}
        gain += weight * runs
        slope += weight * power
    front = p**m
    return front * short * gain, front * slope


@witness
def exponential_mechanism_repeated_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 at which n such exponential mechanisms are (ε,δ)-DP (X.SELECTIONS).

    Newton's method proposes. Proved is a member above δ on the left, and none on the right.
    """
    most = releases * selection_epsilon
    if not delta:
        return tighten(lambda: ball(most), digits)
    given = (selection_epsilon, releases)
    bits = bits_for(digits) + 64
    while bits <= MAX_BITS:
        with precision(bits):
            gap = _most(Fraction(0), *given)[0] - ball(delta)
            if gap < 0:
                return arb(0)
            found = _bracket(delta, *given, digits) if gap > 0 else None
            if found:
                return ball(found[0]).union(ball(found[1]))
        bits *= 2
    raise ArithmeticError(f"no ball of {digits} digits at {MAX_BITS} bits")


def _bracket(
    delta: Fraction, eta: Fraction, n: int, digits: int
) -> tuple[Fraction, Fraction] | None:
    """Return numbers on both sides of the root, none if the working precision does not prove it."""
    low, high = Fraction(0), n * eta
    # At p = (1 − e^{−g})/D ≥ 1 − e^{−g} the first member alone has δ at least there.
    least = (n + 1) * (-((ball(delta).log() / (n + 1)).exp())).log1p()
    at, last = max(high / 2, _shortened(high + rounding.bounds(least.mid())[0], digits)), 0
    if not at < high:
        at = high * (1 - Fraction(1, 10 ** (digits + 2)))
    for turn in range(_TURNS):
        if turn < _LOOKED or turn % _LOOKED == 0:
            last = _most(at, eta, n)[1]
        value, slope = _member(at, eta, n, last)
        excess = (value / ball(delta)).log()
        low, high = (at, high) if excess > 0 else (low, at)
        step = excess * value / slope
        found = at + rounding.bounds(step.mid())[0] if abs(step) < ball(n * eta) else low
        if not low < found < high:
            found = (low + high) / 2
        close = abs(found - at) * 10 ** (digits + 4) <= found
        at = _shortened(found, digits)
        if close or not 0 < at < n * eta:
            break
    width = at / 10 ** (digits + 1)
    low, high = at - width, min(at + width, n * eta)
    if high < n * eta and not _most(high, eta, n)[0] < ball(delta):
        return None
    return (low, high) if _most(low, eta, n)[0] > ball(delta) else None


def _shortened(value: Fraction, digits: int) -> Fraction:
    """Return a number of few bits that is close to another, so that none grows."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    unit = bits_for(digits) + 32 - size
    return Fraction(math.floor(value * Fraction(2) ** unit)) / Fraction(2) ** unit


_TURNS = 400
_LOOKED = 12  # of the first steps each looks for the best member, then one of so many
