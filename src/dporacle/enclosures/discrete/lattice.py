"""Half-line sums of a Gaussian over the integers, for every width of it.

A_n = Σ_{x≥n} e^{o−sx²} and B_n = Σ_{x≥n} x²e^{o−sx²}, n ≥ 1: term by term where few terms matter,
else by Euler and Maclaurin's formula, its remainder bounded as proofs_notes/discrete_gaussian.md
proves. The s may be a wide ball.
"""

import math

import flint
from flint import arb

_LEAST_TERMS = 32  # this many terms are added whatever the precision


def half_sums(s: arb, first: int, offset: arb | int = 0) -> tuple[arb, arb]:
    """Enclose A_n and B_n for n = first ≥ 1."""
    bits = flint.ctx.prec
    low = s.mid()
    # Terms after the first N are below 2^-bits of it: s(N² + 2nN) > (bits + 32) ln 2.
    far = arb(bits + 32) / low
    count = far / (arb(first) + (far + arb(first) ** 2).sqrt())
    if count < max(_LEAST_TERMS, bits):
        return _directly(s, first, offset, bits + _LEAST_TERMS)
    return _euler_maclaurin(s, first, offset)


def _directly(s: arb, first: int, offset: arb | int, most: int) -> tuple[arb, arb]:
    """After the term at X come less than term·r^j, r = e^{−s(2X+1)}, j ≥ 1.

    Hence less than term·r/(1−r) for the first sum, and term·r(X+2)²·2/(1−r)³ for the second.
    """
    term, step = (offset - s * first**2).exp(), (-2 * s).exp()
    ratio = (-s * (2 * first + 1)).exp()
    total, square, tiny = arb(0), arb(0), arb(2) ** -flint.ctx.prec
    x = first
    while True:
        total += term
        square += x * x * term
        if ratio < 1:
            rest = (term * ratio * 2 * (x + 2) ** 2 / (1 - ratio) ** 3).upper()
            # A term that is 0 at this precision is no bigger than its radius says.
            if rest <= total.upper() * tiny or x - first > most:
                left = (term * ratio / (1 - ratio)).upper()
                return total + arb(0, left), square + arb(0, rest)
        elif x - first > most:
            return arb("nan"), arb("nan")  # the ball of s is too wide
        term *= ratio
        ratio *= step
        x += 1


def _euler_maclaurin(s: arb, first: int, offset: arb | int) -> tuple[arb, arb]:
    """Σ f = ∫f + f(n)/2 − Σ_{k≤m} B_{2k}/(2k)·c_{2k−1} + R, c the Taylor coefficients of f at n.

    By Cauchy's estimate on circles of radius r, |R| ≤ |B_{2m}|·r^{−2m}·∫ of the largest |f|.
    """
    terms = _order(s, first)
    if terms is None:
        return arb("nan"), arb("nan")
    head = (offset - s * first**2).exp()
    taylor = _taylor(s, first, 2 * terms)
    mass, square = _integrals(s, arb(first))
    total, second = mass + arb(1) / 2, square + arb(first) ** 2 / 2
    for k in range(1, terms + 1):
        factor = arb.bernoulli(2 * k) / (2 * k)
        total -= factor * taylor[2 * k - 1]
        second -= factor * _weighted(taylor, first, 2 * k - 1)
    # The largest |f| about x is at most e^{−s(x−r)²+2sr²}, and |x + re^{iθ}|² ≤ 2(x−r)² + 8r².
    radius = _radius(s, first, terms)
    most = abs(arb.bernoulli(2 * terms)) / radius ** (2 * terms)
    # e^{−s(n−r)²+2sr²} = e^{−sn²}·e^{sr²+2snr}
    most *= (s * radius * (radius + 2 * first)).exp()
    outer, outer_square = _integrals(s, first - radius)
    left = (most * outer).upper()
    rest = (most * (2 * outer_square + 8 * radius * radius * outer)).upper()
    return head * (total + arb(0, left)), head * (second + arb(0, rest))


def _taylor(s: arb, first: int, count: int) -> list[arb]:
    """Return the Taylor coefficients of e^{−s(x²−n²)} at n, from f′ = −2sxf."""
    found = [arb(1), -2 * s * first]
    for j in range(1, count - 1):
        found.append(-2 * s * (first * found[j] + found[j - 1]) / (j + 1))
    return found


def _weighted(taylor: list[arb], first: int, j: int) -> arb:
    """Return the Taylor coefficient of order j of x²·f at n."""
    value = first**2 * taylor[j] + 2 * first * taylor[j - 1]
    return value + taylor[j - 2] if j > 1 else value


def _radius(s: arb, first: int, terms: int) -> arb:
    """Return about the r at which r^{−2m}·e^{sr²+2snr} is least."""
    area = 4 * terms / s.mid()
    return (area / ((arb(first) ** 2 + area).sqrt() + first) / 2).mid()


def _order(s: arb, first: int) -> int | None:
    """Return how many terms of Euler and Maclaurin's formula reach the working precision."""
    terms = 4
    while terms <= 2 * flint.ctx.prec:
        radius = _radius(s, first, terms)
        rise = float((s.mid() * radius * (radius + 2 * first)).mid())
        fall = math.lgamma(2 * terms + 1) - 2 * terms * (math.log(2 * math.pi) + _log(radius))
        if rise + fall < -math.log(2) * flint.ctx.prec:
            return terms
        terms += terms // 2
    return None


def _log(value: arb) -> float:
    return float(value.log().mid())


def _integrals(s: arb, low: arb) -> tuple[arb, arb]:
    """Enclose e^{sc²}∫_c^∞ e^{−sx²}dx and e^{sc²}∫_c^∞ x²e^{−sx²}dx, c = low."""
    root = s.sqrt()
    z = root * low
    mass = _scaled_tail(z) / root
    return mass, (low + mass) / (2 * s)


def _scaled_tail(z: arb) -> arb:
    """Return e^{z²}∫_z^∞ e^{−x²}dx; where z is large by Tricomi's U, which meets no overflow."""
    if z.mid() > 16:
        half = arb(1) / 2
        return arb.hypgeom_u(z * z, half, half) / 2
    return arb.pi().sqrt() / 2 * (z * z).exp() * z.erfc()


def normaliser(s: arb) -> tuple[arb, arb]:
    """Enclose Σ e^{−sx²} and Σ x²e^{−sx²} over all integers, wide Gaussians by Poisson's formula.

    √(π/s)·Σ e^{−π²k²/s}, and minus its derivative in s. What follows the term at k > 0 is below it
    by the factor e^{−π²(2k+1)/s}·(k+2)²·2/(1−e^{−π²/s})³, less than 1/1000 for s ≤ 1/2.
    """
    if not s < 0.5:
        total, square = half_sums(s, 1)
        return 1 + 2 * total, 2 * square
    power = arb.pi() ** 2 / s
    total, weight, tiny = arb(1), arb(1) / 2, arb(2) ** -(2 * flint.ctx.prec)
    k = 1
    while True:
        term = 2 * (-power * k * k).exp()
        total += term
        weight += term * (arb(1) / 2 - power * k * k)
        size = (term * (1 + power * k * k)).upper()
        if size < tiny:
            break
        k += 1
    total, weight = total + arb(0, size), weight + arb(0, size)
    scale = (arb.pi() / s).sqrt()
    return scale * total, scale * weight / s
