"""Enclosures of what the counts of an attack prove (X.AUDIT).

Tails of binomial laws are summed outwards, away from their mean: the terms fall from the first on,
each by a smaller factor than the one before, so that a geometric series bounds what is left out.
Limits are roots in the log-odds of a probability, proved by the signs of two balls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb, ctx, fmpz

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.roots import Profile, decreasing_root
from dporacle.interface import witness

Limit = tuple[arb, arb]
"""A limit of a probability, and what it lacks to 1."""

_SPARE_DIGITS = (8, 40, 200, 1000)  # of a limit, beside those of what is computed from it
_FEW = 15  # digits of a limit that is compared
_WHOLE = 1000  # bits up to which a probability is a fraction
_GUARD_BITS = 64  # so that a few operations are rounded far below the digits asked for
_FAR = 1000  # log-odds from which on a probability is as good as its odds
_STEPS = 60  # of the Illinois method: a dozen are in use


@witness
def binomial_tail(*, successes: int, trials: int, probability: Fraction, digits: int) -> arb:
    """Enclose P[W ≥ k], W ~ Bin(n, p), by its terms (X.AUDIT.LIMIT)."""
    if not 0 < probability < 1:
        return arb(1 if successes == 0 or probability == 1 else 0)

    if trials * probability.denominator.bit_length() <= _WHOLE:
        exact = _exact_tail(successes, trials, probability)  # which may be a float64
        return tighten(lambda: ball(exact), digits)

    def formula() -> arb:
        return _tail(successes, trials, ball(probability), ball(1 - probability))

    return tighten(formula, digits)


@witness
def binomial_upper(*, successes: int, trials: int, alpha: Fraction, digits: int) -> arb:
    """Enclose the largest p with P[W ≤ k] ≥ α, W ~ Bin(n, p) (X.AUDIT.LIMIT)."""
    return _limit(successes, trials, alpha, digits)[0]


@witness
def monte_carlo_delta(*, successes: int, trials: int, alpha: Fraction, digits: int) -> arb:
    """Enclose the limit of δ from draws that are each kept or not (X.AUDIT.DRAWS)."""
    return _limit(successes, trials, alpha, digits)[0]


@witness
def monte_carlo_mean_delta(*, mean: Fraction, trials: int, alpha: Fraction, digits: int) -> arb:
    """Enclose the u ≥ x̄ with n·kl(x̄, u) = ln 1/α (X.AUDIT.DRAWS)."""
    if mean == 1:
        return arb(1)
    if mean == 0:
        return tighten(lambda: -(ball(alpha).log() / trials).expm1(), digits)

    def profile(y: arb) -> tuple[arb, arb, arb]:
        """Return e^{−n·kl}, what it lacks to 1, and its slope."""
        u, v = _shares(y)
        lost = (ball(mean) / u).log() * ball(mean) + (ball(1 - mean) / v).log() * ball(1 - mean)
        kept = (-trials * lost).exp()
        return kept, -(-trials * lost).expm1(), trials * (ball(mean) - u) * kept

    nats = -float((ball(alpha)).log())
    spread = math.sqrt(2 * nats * float(mean * (1 - mean)) / trials) + nats / trials
    above = min(float(mean) + spread, 1 - float(1 - mean) / 2)
    return _root(profile, alpha, above, digits)[0]


@witness
def audit_epsilon(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    alpha: Fraction,
    delta: Fraction,
    digits: int,
) -> arb:
    """Enclose the larger logarithm of (1 − δ − b)/a, a and b in either order (X.AUDIT.COUNTS)."""

    def formula(a: Limit, b: Limit) -> arb:
        gains = ((hits - ball(delta)) / rate for hits, rate in ((b[1], a[0]), (a[1], b[0])))
        return _largest(gains, arb(1)).log()

    counts = (false_positives, negatives), (false_negatives, positives)
    return _of_limits(formula, *counts, alpha, digits)


@witness
def audit_delta(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    alpha: Fraction,
    epsilon: Fraction,
    digits: int,
) -> arb:
    """Enclose the larger 1 − b − e^ε a, a and b in either order (X.AUDIT.COUNTS)."""

    def formula(a: Limit, b: Limit) -> arb:
        factor = ball(epsilon).exp()
        return _largest((b[1] - factor * a[0], a[1] - factor * b[0]), arb(0))

    counts = (false_positives, negatives), (false_negatives, positives)
    return _of_limits(formula, *counts, alpha, digits)


@witness
def audit_mu(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    alpha: Fraction,
    digits: int,
) -> arb:
    """Enclose max(0, Φ⁻¹(1 − a) − Φ⁻¹(b)), by the inverse of erfc (X.AUDIT.COUNTS)."""
    if false_positives == negatives or false_negatives == positives:
        return arb(0)

    def quantile(limit: Limit) -> arb:
        """Return Φ⁻¹(1 − u), from the end of (0, 1) at which u loses nothing."""
        upper, lack = limit
        if upper.mid() < lack.mid():
            return (2 * upper).erfcinv()
        return -(2 * lack).erfcinv()

    def formula(a: Limit, b: Limit) -> arb:
        return _largest((arb(2).sqrt() * (quantile(a) + quantile(b)),), arb(0))

    counts = (false_positives, negatives), (false_negatives, positives)
    return _of_limits(formula, *counts, alpha, digits)


@witness
def audit_p_value(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    epsilon: Fraction,
    delta: Fraction,
    digits: int,
) -> arb:
    """Enclose twice the tail that both rates have in common where 1 − b = e^ε a + δ, at most 1.

    The lesser of both orders of a and b (X.AUDIT.COUNTS).
    """
    counts = (false_positives, negatives), (false_negatives, positives)
    each = [_common_tail(*order, epsilon, delta, digits) for order in (counts, counts[::-1])]
    with precision(bits_for(digits) + _GUARD_BITS):
        return each[0].min(each[1]).min(arb(1))


@witness
def audit_joint_p_value(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    epsilon: Fraction,
    delta: Fraction,
    digits: int,
) -> arb:
    """Enclose u(1 − ln u), u the largest product of both tails that (ε, δ) allows.

    On either line at the edge of the region its logarithm is concave, so below each of its tangents
    (X.AUDIT.JOINT).
    """
    counts = (false_positives, negatives), (false_negatives, positives)
    if any(k == n for k, n in counts):
        return arb(1)

    def formula() -> arb:
        each = [_largest_product(*order, epsilon, delta) for order in (counts, counts[::-1])]
        product = each[0].max(each[1]).min(arb(1))
        return (product * (1 - product.log())).min(arb(1))

    return tighten(formula, digits)


@witness
def one_run_p_value(
    *, guesses: int, correct: int, canaries: int, epsilon: Fraction, delta: Fraction, digits: int
) -> arb:
    """Enclose the p-value of v right guesses of r, by the terms below v (X.AUDIT.ONERUN)."""
    if correct == 0:
        return arb(1)
    if epsilon == 0 and guesses <= _WHOLE:
        exact = min(_at_zero(guesses, correct, 2 * canaries * delta), Fraction(1))
        return tighten(lambda: ball(exact), digits)

    def formula() -> arb:
        found, _ = _one_run(guesses, correct, ball(2 * canaries * delta), ball(epsilon))
        return found.min(arb(1))

    return tighten(formula, digits)


@witness
def one_run_epsilon(
    *, guesses: int, correct: int, canaries: int, alpha: Fraction, delta: Fraction, digits: int
) -> arb:
    """Enclose the largest ε ≥ 0 whose p-value is at most α (X.AUDIT.ONERUN)."""
    weight = 2 * canaries * delta
    if correct == 0 or not _refutes_zero(guesses, correct, weight, alpha):
        return arb(0)

    def profile(y: arb) -> tuple[arb, arb, arb]:
        """Return p/(1 + p) at ε = −y, whose log-odds are ln p, its lack to 1, and its slope."""
        p, slope = _one_run(guesses, correct, ball(weight), -y)
        return p / (1 + p), 1 / (1 + p), -slope / (1 + p) ** 2

    share = (correct + 1) / (guesses + 2)
    spread = math.sqrt(-2 * float(ball(alpha).log()) * share * (1 - share) / guesses)
    least = max(share - spread, 0.5 + (share - 0.5) / 8, 0.5 + 0.01 / guesses)
    low, high = decreasing_root(
        profile,
        target=alpha / (1 + alpha),
        start=arb(math.log((1 - least) / least)),
        scale=lambda _: arb(1) / (1 + math.isqrt(guesses)),
        tolerance=lambda y: abs(y) / 10 ** (digits + 1),
    )
    with precision(bits_for(digits) + _GUARD_BITS):
        return (-low).union(-high)


def _largest(gains: Iterable[arb], least: arb) -> arb:
    """Return the largest of several numbers and a least one, which is exact where it is that."""
    for gain in gains:
        least = least.max(gain)
    return least


def _of_limits(
    formula: Callable[[Limit, Limit], arb],
    negatives: tuple[int, int],
    positives: tuple[int, int],
    alpha: Fraction,
    digits: int,
) -> arb:
    """Return what a formula says of the limits of both error rates, at half of α each."""
    for spare in _SPARE_DIGITS:
        a, b = (_limit(*counts, alpha / 2, digits + spare) for counts in (negatives, positives))
        with precision(bits_for(digits + spare) + _GUARD_BITS):
            found = formula(a, b)
        if found.is_zero() or found.rel_accuracy_bits() >= bits_for(digits) + 2:
            return found
    raise ArithmeticError(f"no ball of {digits} digits: the limits all but cancel")


def _limit(k: int, n: int, alpha: Fraction, digits: int) -> Limit:
    """Return the largest p with P[W ≤ k] ≥ α, W ~ Bin(n, p), and 1 − p."""
    if k == n:
        return arb(1), arb(0)
    if k == 0:
        with precision(bits_for(digits) + _GUARD_BITS + n.bit_length()):
            if (root := _rational_root(alpha, n)) is not None:
                return ball(1 - root), ball(root)
            power = ball(alpha).log() / n
            return -power.expm1(), power.exp()

    def profile(y: arb) -> tuple[arb, arb, arb]:
        """Return P[W ≤ k], P[W > k] and the slope of the first in the log-odds of p."""
        p, q = _shares(y)
        below, above, at = _both_tails(k, n, p, q)
        return below, above, -(n - k) * p * at

    share = (k + 1) / (n + 1)
    return _root(profile, alpha, share, digits)


def _common_tail(
    first: tuple[int, int], second: tuple[int, int], epsilon: Fraction, delta: Fraction, digits: int
) -> arb:
    """Return 2·P[W ≤ k] of the first at x and of the second at 1 − δ − e^ε x, where they are one.

    The one falls in x, and the other rises: x is a share t of the largest, in the log-odds of t.
    """
    if first[0] == first[1] or second[0] == second[1]:
        return arb(1)
    a, b = (_limit(*each, Fraction(1, 2), _FEW)[0] for each in (first, second))
    with precision(_GUARD_BITS):
        rest = ball(1 - delta) - b
        # By logarithms: of e^ε for a large ε a ball has no digit.
        if rest < 0 or ball(epsilon) + a.log() > rest.log():
            return arb(1)  # both tails are above 1/2 where they meet

    def tails(t: arb, rest: arb) -> tuple[arb, arb, arb]:
        """Return both, and how fast the difference of their logarithms falls in t."""
        found, slope = [], arb(0)
        scales = (ball(1 - delta) * (-ball(epsilon)).exp(), ball(1 - delta))
        for (k, n), share, scale in zip((first, second), (t, rest), scales, strict=True):
            p = scale * share
            q = 1 - p if p.mid() < 0.5 else (1 - scale) + scale * (1 - share)
            below, _, at = _both_tails(k, n, p, q)
            found.append(below)
            slope += scale * (n - k) * at / (q * below)
        return found[0], found[1], slope

    def profile(y: arb) -> tuple[arb, arb, arb]:
        t, rest = _shares(y)
        one, other, slope = tails(t, rest)
        share, lack = one / (one + other), other / (one + other)
        return share, lack, -share * lack * slope * t * rest

    few = digits + 2 + len(str(first[1] + second[1]))
    low, high = decreasing_root(
        profile,
        target=Fraction(1, 2),
        start=arb(0),
        scale=lambda _: arb(1),
        tolerance=lambda _: arb(10) ** -(few + 1),
    )
    with precision(bits_for(few) + _GUARD_BITS):
        most, least = (tails(*_shares(end))[0] for end in (low, high))
        return 2 * least.union(most)


def _largest_product(
    first: tuple[int, int], second: tuple[int, int], epsilon: Fraction, delta: Fraction
) -> arb:
    """Return the largest product of P[W ≤ k] of the first at x and of the second at y.

    x = t(1−δ)e^{−ε}, y = (1−t)(1−δ), and ln(t/(1−t)) is at most ε: there x = y.
    """
    scales = ball(1 - delta) * (-ball(epsilon)).exp(), ball(1 - delta)

    def at(y: arb) -> tuple[arb, arb, arb]:
        """Return the logarithm of the product, and by how much t makes either factor fall."""
        found, falls = arb(0), []
        for (k, n), parts, scale in zip((first, second), (1, -1), scales, strict=True):
            share, lack = _shares(parts * y)
            p = scale * share
            q = 1 - p if p.mid() < 0.5 else (1 - scale) + scale * lack
            below, _, mass = _both_tails(k, n, p, q)
            found += below.log()
            falls.append(scale * (n - k) * mass / (q * below))
        return found, falls[0], falls[1]

    def gap(y: arb) -> arb:
        """Return a number that falls in t, and is 0 where the product is largest."""
        _, one, other = at(y)
        return (other / one).log()

    place = _where_zero(gap, ball(epsilon))
    if place is None:  # t = 0: the first rate is 0
        (k, n), (j, m) = first, second
        below, _, mass = _both_tails(j, m, ball(1 - delta), ball(delta))
        product, one = below.log(), scales[0] * (n if k == 0 else 0)
        other, t, rest = scales[1] * (m - j) * mass / (ball(delta) * below), arb(0), arb(1)
    else:
        product, one, other = at(place)
        t, rest = _shares(place)
    slope = other - one
    corner = _shares(ball(epsilon))[0]
    up = (slope * (corner - t)).max(-slope * t).max(arb(0)) if rest > 0 else arb(0)
    return (product + up.union(arb(0))).exp()


def _where_zero(falling: Callable[[arb], arb], most: arb) -> arb | None:
    """Return about where a falling function is 0, up to an end; None if it is below all along."""
    most = most.mid()
    last = falling(most).mid()
    if not last < 0:
        return most
    low, step = most - 1, arb(1)
    while not (first := falling(low).mid()) > 0:
        if low < -4 * ctx.prec:  # as near to 0 as the precision tells
            return None
        step *= 2
        low -= step
    high, kept = most, 0
    for _ in range(_STEPS):
        middle = ((low * last - high * first) / (last - first)).mid()
        value = falling(middle)
        if value.contains(0) or abs(high - low) < arb(2) ** (8 - ctx.prec):
            return middle
        if value > 0:
            low, first = middle, value.mid()
            last, kept = (last / 2 if kept > 0 else last), 1
        else:
            high, last = middle, value.mid()
            first, kept = (first / 2 if kept < 0 else first), -1
    return ((low + high) / 2).mid()


def _both_tails(k: int, n: int, p: arb, q: arb) -> tuple[arb, arb, arb]:
    """Return P[W ≤ k], P[W > k] and P[W = k], W ~ Bin(n, p), p + q = 1, k < n."""
    if k <= n * float(p.mid()):
        below, at = _outwards(k, n, p, q)
        return below, 1 - below, at
    above, first = _outwards(n - k - 1, n, q, p)
    return 1 - above, above, first * (q / p) * (k + 1) / (n - k)


def _rational_root(value: Fraction, n: int) -> Fraction | None:
    """Return the n-th root of a fraction if it is one."""
    ends = [fmpz(each).root(n) for each in (value.numerator, value.denominator)]
    found = Fraction(int(ends[0]), int(ends[1])) if ends[0] else Fraction(0)
    small = max(ends) <= 1 or n <= max(value.numerator, value.denominator).bit_length()
    return found if small and found**n == value else None


def _root(profile: Profile, target: Fraction, start: float, digits: int) -> Limit:
    """Return the probability, and 1 minus it, at whose log-odds a falling profile is a target."""
    start = min(max(start, 1e-300), 1 - 2.0**-53)
    low, high = decreasing_root(
        profile,
        target=target,
        start=arb(math.log(start / (1 - start))),
        scale=lambda _: arb(1),
        tolerance=lambda _: arb(10) ** -(digits + 1),
    )
    with precision(bits_for(digits) + _GUARD_BITS):
        return _shares(low.union(high))


def _shares(y: arb) -> Limit:
    """Return the probability of log-odds y, and 1 minus it."""
    if y < 0:
        return _shares(-y)[::-1]
    fall = (-y).exp()
    # With y once a ball is the narrower one; of a large y, e^y would be a ball without a digit.
    return 1 / (1 + fall), 1 / (1 + y.exp()) if y < _FAR else fall / (1 + fall)


def _tail(k: int, n: int, p: arb, q: arb) -> arb:
    """Return P[W ≥ k], W ~ Bin(n, p), p + q = 1."""
    if k == 0:
        return arb(1)
    if k > n * float(p.mid()):
        return _outwards(n - k, n, q, p)[0]
    return 1 - _outwards(k - 1, n, p, q)[0]


def _outwards(k: int, n: int, p: arb, q: arb) -> tuple[arb, arb]:
    """Return P[W ≤ k] and P[W = k], W ~ Bin(n, p), p + q = 1, summed from k downwards.

    Where the factor from one term to the next is below 1, all later ones are smaller still.
    """
    first = _term(k, n, p, q)
    term, total, odds = first, first, q / p
    small = arb(2) ** -ctx.prec
    while k > 0:
        factor = odds * k / (n - k + 1)
        if factor < 1 and term < total * small * (1 - factor):
            return total + (term * factor / (1 - factor)).union(arb(0)), first
        term *= factor
        total += term
        k -= 1
    return total, first


def _term(k: int, n: int, p: arb, q: arb) -> arb:
    """Return P[W = k]; logarithms of factorials lose the bits that they have before the point."""
    with precision(ctx.prec + 2 * n.bit_length() + 32):
        ways = (arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()).exp()
        return ways * p ** fmpz(k) * q ** fmpz(n - k)


def _one_run(r: int, v: int, weight: arb, epsilon: arb) -> tuple[arb, arb]:
    """Return P[W ≥ v] + c·max P[v > W ≥ v − i]/i, c = 2mδ, and about its slope in ε.

    The means of the first i terms below v rise until a term is below their mean, and then fall:
    past the largest term all are smaller.
    """
    q, p = _shares(epsilon)  # q is that of a right guess
    reached = _tail(v, r, q, p)
    term = _term(v, r, q, p)
    slope = v * p * term  # of P[W ≥ v]
    if not weight.is_zero():
        odds, total, best, place = p / q, arb(0), arb(0), v
        for k in range(v, 0, -1):
            factor = odds * k / (r - k + 1)
            term *= factor
            total += term
            mean = total / (v - k + 1)
            if k == v or mean.mid() > best.mid():
                place, lowest = k - 1, term
            best = best.max(mean)
            if factor < 1 and term < mean:
                break
        reached += weight * best
        moved = place * p * lowest - slope
        rise = slope + weight * moved / (v - place)
        slope = rise if rise > 0 else slope
    return reached, slope


def _exact_tail(k: int, n: int, p: Fraction) -> Fraction:
    """Return P[W ≥ k] as a fraction."""
    hit, miss = p.numerator, p.denominator - p.numerator
    ways = (math.comb(n, j) * hit**j * miss ** (n - j) for j in range(k, n + 1))
    return Fraction(sum(ways), p.denominator**n)


def _at_zero(r: int, v: int, weight: Fraction) -> Fraction:
    """Return the p-value at ε = 0 as a fraction."""
    ways = [math.comb(r, k) for k in range(r + 1)]
    total, best = 0, Fraction(0)
    for i in range(1, v + 1):
        total += ways[v - i]
        best = max(best, Fraction(total, i))
    return (sum(ways[v:]) + weight * best) * Fraction(1, 2**r)


def _refutes_zero(r: int, v: int, weight: Fraction, alpha: Fraction) -> bool:
    """Say whether the p-value at ε = 0 is below α."""
    if r <= _WHOLE:
        return _at_zero(r, v, weight) < alpha
    for bits in (64, 256, 1024, 4096):
        with precision(bits):
            found, _ = _one_run(r, v, ball(weight), arb(0))
            if found < ball(alpha) or found > ball(alpha):
                return bool(found < ball(alpha))
    raise ArithmeticError("the p-value at epsilon = 0 is all but alpha")
