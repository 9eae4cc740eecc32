"""What the counts of an attack prove (X.AUDIT), by incomplete beta functions.

P[W ≥ k] of W ~ Bin(n, p) is the incomplete beta function I_p(k, n − k + 1), by its continued
fraction from the side on which that converges. A limit of Clopper and Pearson is its root in the
odds of p, by Newton's method. The largest mean of the terms below a count is searched for by
halving, and each mean is a difference of two such functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.accuracy import two_sided_quantile
from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.log_odds import log_odds, split
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Formula,
    Real,
    bits_for,
    freeze,
    once,
    real,
    settle,
    working,
)
from dporacle.reference.numerics.roots import positive_root, scaled

__all__ = [
    "audit_delta",
    "audit_epsilon",
    "audit_joint_p_value",
    "audit_mu",
    "audit_p_value",
    "binomial_tail",
    "binomial_upper",
    "monte_carlo_delta",
    "monte_carlo_mean_delta",
    "one_run_epsilon",
    "one_run_p_value",
]

ONE: Real = ZERO + 1
Odds = Callable[[Context], Real]
"""p/(1 − p) in a context."""

Limit = tuple[Real, Real]
"""A limit of a probability, and what it lacks to 1."""

_GUARD_BITS = 64
_FEW = 15  # digits of a limit that is compared
_SPARE_DIGITS = (6, 40, 200, 1000)  # of a limit, beside those of what is computed from it


@witness
def binomial_tail(*, successes: int, trials: int, probability: Fraction, digits: int) -> Real:
    """Return I_p(k, n − k + 1) = P[W ≥ k], W ~ Bin(n, p) (X.AUDIT.LIMIT)."""
    if successes == 0 or probability == 1:
        return ONE
    if probability == 0:
        return ZERO
    odds = probability / (1 - probability)
    return settle(_reached(successes, trials, lambda ctx: real(ctx, odds)), digits)


@witness
def binomial_upper(*, successes: int, trials: int, alpha: Fraction, digits: int) -> Real:
    """Return the p with I_{1−p}(n − k, k + 1) = α, 1 if k = n (X.AUDIT.LIMIT)."""
    return _limit(successes, trials, alpha, digits)[0]


@witness
def monte_carlo_delta(*, successes: int, trials: int, alpha: Fraction, digits: int) -> Real:
    """Return the limit of δ from draws that are each kept or not (X.AUDIT.DRAWS)."""
    return _limit(successes, trials, alpha, digits)[0]


@witness
def monte_carlo_mean_delta(*, mean: Fraction, trials: int, alpha: Fraction, digits: int) -> Real:
    """Return the u ≥ x̄ with x̄ ln(x̄/u) + (1−x̄) ln((1−x̄)/(1−u)) = ln(1/α)/n (X.AUDIT.DRAWS)."""
    if mean == 1:
        return ONE
    rest = 1 - mean

    def newton(odds: Real, digits: int) -> tuple[Real, Real]:
        """Return a residual at u/(1−u), and Newton's next: ln u = ln w − ln(1+w)."""

        def terms(ctx: Context) -> tuple[Real, ...]:
            w = real(ctx, odds)
            known = [ctx.log(real(ctx, each)) * real(ctx, each) for each in (mean, rest) if each]
            return (
                *known,
                -real(ctx, mean) * ctx.log(w),
                ctx.log1p(w),
                ctx.log(real(ctx, alpha)) / trials,
            )

        residual = once(terms, digits)
        with working(bits_for(digits) + 64) as ctx:
            w = real(ctx, odds)
            slope = w / (1 + w) - real(ctx, mean)  # in ln w
            change = -real(ctx, residual) / slope if slope > 0 else ctx.one
            return freeze(residual if slope > 0 else -ctx.one), freeze(scaled(ctx, w, change))

    with working(64) as ctx:
        nats = -ctx.log(real(ctx, alpha)) / trials
        above = real(ctx, mean) + ctx.sqrt(2 * nats * real(ctx, mean * rest)) + nats
        start = min(above, 1 - real(ctx, rest) / 2)
        start = freeze(start / (1 - start))
    odds = positive_root(newton, start=start, digits=digits + 2)
    with working(bits_for(digits) + 64) as ctx:
        return freeze(real(ctx, odds) / (1 + real(ctx, odds)))


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
) -> Real:
    """Return the largest of 0, ln((1 − δ − b)/a) and ln((1 − δ − a)/b) (X.AUDIT.COUNTS)."""

    def gain(ctx: Context, lack: Real, rate: Real) -> tuple[Real, ...]:
        """Return the logarithm, whose sign is that of 1 − b − δ − a, or −1 where it is none."""
        hits = lack - real(ctx, delta)
        return (ctx.log1p((hits - rate) / rate),) if hits > 0 else (-ctx.one,)

    counts = (false_positives, negatives), (false_negatives, positives)
    return _of_limits(gain, *counts, alpha, digits)


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
) -> Real:
    """Return the largest of 0, 1 − b − e^ε a and 1 − a − e^ε b (X.AUDIT.COUNTS)."""

    def gain(ctx: Context, lack: Real, rate: Real) -> tuple[Real, ...]:
        return lack, -exp(ctx, epsilon) * rate

    counts = (false_positives, negatives), (false_negatives, positives)
    return _of_limits(gain, *counts, alpha, digits)


@witness
def audit_mu(
    *,
    false_positives: int,
    negatives: int,
    false_negatives: int,
    positives: int,
    alpha: Fraction,
    digits: int,
) -> Real:
    """Return max(0, Φ⁻¹(1 − a) − Φ⁻¹(b)), by Newton's method on the normal law (X.AUDIT.COUNTS)."""
    if false_positives == negatives or false_negatives == positives:
        return ZERO
    for spare in _SPARE_DIGITS:
        few = digits + spare
        limits = (
            _limit(false_positives, negatives, alpha / 2, few),
            _limit(false_negatives, positives, alpha / 2, few),
        )
        with working(bits_for(few) + 64) as ctx:
            sizes = [_quantile(ctx, *each, few) for each in limits]
            total = sum(sizes)
            if _sure(ctx, sizes, total, spare):
                return freeze(max(total, ctx.zero))
    return ZERO  # a thousand digits cancel: the ends are one number


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
) -> Real:
    """Return the least α at which the limits of both rates refute (ε, δ), at most 1.

    By Newton's method for the point of 1 − b = e^ε a + δ at which both tails are α/2, in either
    order of a and b (X.AUDIT.COUNTS).
    """
    counts = (false_positives, negatives), (false_negatives, positives)
    found = [_common_tail(*each, epsilon, delta, digits) for each in (counts, counts[::-1])]
    return min(*found, ONE)


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
) -> Real:
    """Return u(1 − ln u), u the largest product of both tails that (ε, δ) allows.

    Along either line it is largest between two points at which it is the same: of it values are
    compared, and no slope is computed (X.AUDIT.JOINT).
    """
    counts = (false_positives, negatives), (false_negatives, positives)
    if any(k == n for k, n in counts):
        return ONE
    with working(bits_for(digits) + _GUARD_BITS) as ctx:
        each = [_largest_product(ctx, *order, epsilon, delta) for order in (counts, counts[::-1])]
        product = real(ctx, max(each))
        return freeze(min(product * (1 - ctx.log(product)), ctx.one)) if product < 1 else ONE


@witness
def one_run_p_value(
    *, guesses: int, correct: int, canaries: int, epsilon: Fraction, delta: Fraction, digits: int
) -> Real:
    """Return min(1, P[W ≥ v] + 2mδ·max P[v > W ≥ v − i]/i) (X.AUDIT.ONERUN)."""
    if correct == 0:
        return ONE
    weight = 2 * canaries * delta
    found = settle(_one_run(guesses, correct, weight, _power(epsilon), digits), digits)
    return min(found, ONE)


@witness
def one_run_epsilon(
    *, guesses: int, correct: int, canaries: int, alpha: Fraction, delta: Fraction, digits: int
) -> Real:
    """Return the largest ε ≥ 0 whose p-value is at most α, by Newton's method (X.AUDIT.ONERUN)."""
    weight = 2 * canaries * delta
    if correct == 0:
        return ZERO

    def excess(odds: Odds, digits: int) -> Real:
        """Return ln(p/α), not closer to 0 than its error."""
        terms = _one_run(guesses, correct, weight, odds, digits)
        found = settle(terms, digits)
        with working(bits_for(digits) + 64) as ctx:
            return freeze(ctx.log(real(ctx, found) / real(ctx, alpha)))

    if excess(lambda ctx: ctx.one, digits + 20) >= -(ONE / 10 ** (digits + 10)):
        return ZERO

    def newton(epsilon: Real, digits: int) -> tuple[Real, Real]:
        step = arguments.exact("step", epsilon) / 10 ** (digits // 2 + 2)
        at = arguments.exact("epsilon", epsilon)
        few = 2 * digits + 8
        here, there = excess(_power(at), few), excess(_power(at + step), few)
        with working(bits_for(digits) + 64) as ctx:
            x = real(ctx, epsilon)
            slope = (real(ctx, there) - real(ctx, here)) / real(ctx, step)
            if slope <= 0:  # beyond the root, where the p-value is above 1/2
                return freeze(abs(here) + 1), freeze(x / 2)
            return freeze(here), freeze(scaled(ctx, x, -real(ctx, here) / (slope * x)))

    share = Fraction(2 * correct + 1, 2 * guesses + 2)
    with working(64) as ctx:
        spread = ctx.sqrt(-2 * ctx.log(real(ctx, alpha)) * real(ctx, share * (1 - share)) / guesses)
        least = max(real(ctx, share) - spread, (3 + real(ctx, share)) / 7)
        start = freeze(ctx.log(least / (1 - least)))
    return positive_root(newton, start=start, digits=digits)


def _fixed(odds: Real) -> Odds:
    return lambda ctx: real(ctx, odds)


def _power(epsilon: Fraction) -> Odds:
    return lambda ctx: exp(ctx, epsilon)


def _reached(k: int, n: int, odds: Odds) -> Formula:
    """Return P[W ≥ k], as a term, or as 1 and what it lacks to it."""

    def formula(ctx: Context) -> tuple[Real, ...]:
        if k <= 0:
            return (ctx.one,)
        w = odds(ctx)
        if k * (1 + w) >= (n + 1) * w:
            return (_beta(ctx, k, n - k + 1, w),)
        return ctx.one, -_beta(ctx, n - k + 1, k, 1 / w)

    return formula


def _beta(ctx: Context, a: int, b: int, odds: Real) -> Real:
    """Return I_x(a, b) of whole a and b, x = w/(1 + w), by its continued fraction (Lentz).

    x^a (1−x)^b/(a B(a, b)) times 1/(1 + d₁/(1 + d₂/(1 + …))); where x is below a/(a+b) the fraction
    converges, the sooner the further it is.
    """
    if a == 0:
        return ctx.one
    if b == 0:
        return ctx.zero
    size = 2 * (a + b).bit_length() + 32  # ln(a+b)! is as large, and loses so many bits
    with working(ctx.prec + size) as fine:
        w = real(fine, freeze(odds))
        ways = fine.loggamma(a + b) - fine.loggamma(a + 1) - fine.loggamma(b)
        head = freeze(fine.exp(ways + a * fine.log(w) - (a + b) * fine.log1p(w)))
    with working(ctx.prec + 32) as fine:
        x = real(fine, freeze(odds)) / (1 + real(fine, freeze(odds)))
        c, d = fine.one, 1 / (1 - (a + b) * x / (a + 1))
        value, j = d, 1
        while True:
            for step in (
                j * (b - j) * x / ((a + 2 * j - 1) * (a + 2 * j)),
                -(a + j) * (a + b + j) * x / ((a + 2 * j) * (a + 2 * j + 1)),
            ):
                d = 1 / (1 + step * d)
                c = 1 + step / c
                value *= c * d
            if abs(c * d - 1) < fine.ldexp(1, -ctx.prec - 16) or j > b:
                break
            j += 1
        return real(ctx, head) * real(ctx, freeze(value))


def _mass(ctx: Context, k: int, n: int, odds: Real) -> Real:
    """Return P[W = k]."""
    with working(ctx.prec + 2 * n.bit_length() + 32) as fine:
        w = real(fine, freeze(odds))
        ways = fine.loggamma(n + 1) - fine.loggamma(k + 1) - fine.loggamma(n - k + 1)
        return real(ctx, freeze(fine.exp(ways + k * fine.log(w) - n * fine.log1p(w))))


def _limit(k: int, n: int, alpha: Fraction, digits: int) -> Limit:
    """Return the largest p with P[W ≤ k] ≥ α, W ~ Bin(n, p), and 1 − p."""
    if k == n:
        return ONE, ZERO

    def newton(odds: Real, digits: int) -> tuple[Real, Real]:
        reached, missed = split(
            _reached(k + 1, n, lambda ctx: real(ctx, odds)),
            _reached(n - k, n, lambda ctx: 1 / real(ctx, odds)),
            1 - alpha,
            digits,
        )
        with working(bits_for(digits) + 64) as ctx:
            w = real(ctx, odds)
            slope = (n - k) * w / (1 + w) * _mass(ctx, k, n, w)  # in ln w
            gap, slope = log_odds(ctx, real(ctx, reached), real(ctx, missed), 1 - alpha, slope)
            return freeze(gap), freeze(scaled(ctx, w, -gap / slope))

    with working(64) as ctx:
        start = freeze(real(ctx, Fraction(k + 1, n - k)))
    odds = positive_root(newton, start=start, digits=digits + 2)
    with working(bits_for(digits) + 64) as ctx:
        w = real(ctx, odds)
        return freeze(w / (1 + w)), freeze(1 / (1 + w))


def _common_tail(
    first: tuple[int, int], second: tuple[int, int], epsilon: Fraction, delta: Fraction, digits: int
) -> Real:
    """Return twice P[W ≤ k] of the first at x = t·(1−δ)e^{−ε}, that of the second at (1−δ)(1−t)."""
    if first[0] == first[1] or second[0] == second[1]:
        return ONE
    with working(_GUARD_BITS) as ctx:
        a, b = (real(ctx, _limit(*each, Fraction(1, 2), _FEW)[0]) for each in (first, second))
        if exp(ctx, epsilon) * a + b > real(ctx, 1 - delta) * (1 + ctx.mpf(10) ** -10):
            return ONE  # both tails are above 1/2 where they meet

    def sides(ctx: Context, odds: Real) -> list[tuple[int, int, Real, Real]]:
        """Return each count, and its p and 1 − p."""
        w, d = real(ctx, odds), real(ctx, 1 - delta)
        p = w / (1 + w) * d * exp(ctx, -epsilon)
        return [(*first, p, 1 - p), (*second, d / (1 + w), (real(ctx, delta) + w) / (1 + w))]

    def tail(at: int, odds: Real, digits: int) -> Real:
        def formula(ctx: Context) -> tuple[Real, ...]:
            with working(ctx.prec + 32) as fine:
                k, n, p, q = sides(fine, odds)[at]
                ratio = freeze(q / p)
            terms: tuple[Real, ...] = _reached(n - k, n, lambda c: real(c, ratio))(ctx)
            return terms

        return once(formula, digits)

    def newton(odds: Real, digits: int) -> tuple[Real, Real]:
        tails = [tail(at, odds, digits) for at in (0, 1)]
        with working(bits_for(digits) + 64) as ctx:
            w, slope = real(ctx, odds), ctx.zero
            moved = (1 / (1 + w), w / (1 + w))  # of ln p of either, in ln w
            for (k, n, p, q), each, by in zip(sides(ctx, odds), tails, moved, strict=True):
                slope += by * (n - k) * p / q * _mass(ctx, k, n, p / q) / real(ctx, each)
            one, other = (real(ctx, each) for each in tails)
            gap = ctx.log(other / one)
            return freeze(gap), freeze(scaled(ctx, w, -gap / slope))

    root = positive_root(newton, start=ONE, digits=digits + len(str(first[1] + second[1])))
    found = tail(0, root, digits + 2)
    with working(bits_for(digits) + _GUARD_BITS) as ctx:
        return freeze(2 * real(ctx, found))


def _largest_product(
    ctx: Context,
    first: tuple[int, int],
    second: tuple[int, int],
    epsilon: Fraction,
    delta: Fraction,
) -> Real:
    """Return the largest P[W ≤ k]·P[W ≤ j] at x = t(1−δ)e^{−ε} and y = (1−δ)(1−t), y ≥ x."""
    bits = ctx.prec
    with working(2 * bits) as ctx:
        whole, small = real(ctx, 1 - delta), exp(ctx, -epsilon)
        apart = ctx.ldexp(1, -bits // 2 - 16)  # of the product it is the square
        found = []

        def at(y: Real) -> list[Real]:
            """Return both tails, t having the log-odds y."""
            w = ctx.exp(y)
            p = w / (1 + w) * whole * small
            odds = (1 - p) / p, (real(ctx, delta) + w) / whole
            return [
                ctx.fsum(_reached(n - k, n, _fixed(each))(ctx))
                for (k, n), each in zip((first, second), odds, strict=True)
            ]

        def gap(y: Real) -> Real:
            """Return by how much faster the second tail rises than the first one falls."""
            (one, other), (one_after, other_after) = at(y - apart), at(y + apart)
            found.append(one * other)
            fall, rise = ctx.log(one / one_after), ctx.log(other_after / other)
            if fall > 0 and rise > 0:
                return ctx.log(rise / fall)
            return ctx.mpf(bits) * ((rise > 0) - (fall > 0))

        high = real(ctx, epsilon)
        found.append(ctx.fprod(at(high)))
        last, step = gap(high), ctx.one
        if last < 0:
            low = high - step
            while (first_gap := gap(low)) < 0 and low > -bits:  # t is next to 0 there
                step *= 2
                low = max(low - step, ctx.mpf(-bits))
            turn = 0  # of the method of Illinois, in which each third step halves
            while first_gap > 0 > last and high - low > apart:
                chord = (low * last - high * first_gap) / (last - first_gap)
                middle = chord if turn % 3 and low < chord < high else (low + high) / 2
                value, turn = gap(middle), turn + 1
                if abs(value) < apart:
                    break
                if value > 0:
                    low, first_gap, last = middle, value, last / 2
                else:
                    high, last, first_gap = middle, value, first_gap / 2
        return freeze(max(found))


def _of_limits(
    gain: Callable[[Context, Real, Real], tuple[Real, ...]],
    negatives: tuple[int, int],
    positives: tuple[int, int],
    alpha: Fraction,
    digits: int,
) -> Real:
    """Return the larger of two gains, or 0, from the limits of both error rates at α/2 each."""
    for spare in _SPARE_DIGITS:
        few = digits + spare
        limits = [_limit(*counts, alpha / 2, few) for counts in (negatives, positives)]
        with working(bits_for(few) + 64) as ctx:
            found = []
            for hit, miss in (limits[::-1], limits):
                terms = gain(ctx, real(ctx, hit[1]), real(ctx, miss[0]))
                # A single term is a logarithm: near 0 it has the error of the limits themselves.
                sizes = terms if len(terms) > 1 else (*terms, ctx.one)
                total = ctx.fsum(terms)
                found.append((total, _sure(ctx, sizes, total, spare)))
            best, sure = max(found)
            if sure and (best > 0 or all(each for _, each in found)):
                return freeze(max(best, ctx.zero))
    return ZERO  # a thousand digits cancel: the ends are one number


def _sure(ctx: Context, terms: Sequence[Real], total: Real, spare: int) -> bool:
    """Say whether so few digits are lost to a sum that enough of them are left."""
    size = max(abs(each) for each in terms)
    return bool(abs(total) > size / ctx.mpf(10) ** (spare - 4))


def _quantile(ctx: Context, upper: Real, lack: Real, digits: int) -> Real:
    """Return Φ⁻¹(1 − u)."""
    less = arguments.exact("limit", min(upper, lack))
    size = real(ctx, two_sided_quantile(2 * less, digits)) if 2 * less < 1 else ctx.zero
    return size if upper < lack else -size


def _one_run(r: int, v: int, weight: Fraction, odds: Odds, digits: int) -> Formula:
    """Return P[W ≥ v] and the share of c = 2mδ: the place of the largest mean is found once."""
    place = v
    if weight:
        with working(bits_for(digits) + 128) as ctx:
            w = odds(ctx)

            def rises(i: int) -> bool:
                """Say whether the mean of i + 1 terms below v is above that of i."""
                below, at = (ctx.fsum(_reached(k, r, lambda _: w)(ctx)) for k in (v - i, v))
                return bool(i * _mass(ctx, v - i - 1, r, w) > below - at)

            low, high = 1, v  # the largest mean is of at least low terms, and of at most high
            while low < high:
                middle = (low + high) // 2
                low, high = (middle + 1, high) if rises(middle) else (low, middle)
            place = low

    def formula(ctx: Context) -> tuple[Real, ...]:
        at = _reached(v, r, odds)(ctx)
        if not weight:
            return at
        share = real(ctx, weight / place)
        below = _reached(v - place, r, odds)(ctx)
        return (*at, *(share * each for each in below), *(-share * each for each in at))

    return formula
