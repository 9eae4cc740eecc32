"""Enclosures for integers with equal noises of several parties (X.PARTIES, X.BOUNDED).

With p the law of the whole noise, whose loss ln(p(y − Δ)/p(y)) does not fall in y, and F̄ its tail,
δ(ε) = F̄(t − Δ) − e^ε F̄(t), t the first integer at which the loss is above ε.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import flint
from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.discrete.lattice import half_sums, normaliser
from dporacle.enclosures.discrete.sums import Addends, closeness, law_of_sum
from dporacle.interface import witness

_LN2 = math.log(2)
_MOST_DOUBLINGS = 1200
_MOST_UNTOLD = 16  # integers at which a precision may leave open on which side the loss is


class _Law(ABC):
    """A law on the integers, symmetric about 0, at the working precision."""

    @abstractmethod
    def mass(self, y: int) -> arb:
        """Enclose the mass of y ≥ 0, relatively."""

    @abstractmethod
    def beyond(self, y: int) -> arb:
        """Enclose the mass from y ≥ 1 on, relatively."""

    def tail(self, y: int) -> arb:
        """Enclose the mass from any y on."""
        return self.beyond(y) if y >= 1 else 1 - self.beyond(1 - y)

    def folded(self, remainder: int, modulus: int) -> arb:
        """Enclose the mass of all integers with a remainder from 0 to m/2.

        By log-concavity masses at distances of m fall faster than a geometric series (N1).
        """
        total, tiny = self.mass(remainder), arb(2) ** -(flint.ctx.prec + 8)
        for y in (remainder + modulus, modulus - remainder):
            term = self.mass(y)
            while True:
                y, after = y + modulus, self.mass(y + modulus)
                if after < term:
                    rest = term / (1 - after / term)
                    if not rest > total * tiny:
                        total += arb(0).union(rest.upper())
                        break
                total, term = total + term, after
        return total


def _profile(law: _Law, epsilon: Fraction, distance: int) -> arb:
    """Enclose δ(ε) of a shift, ε being below the largest loss.

    The loss is at most 0 up to the middle of the shift. Where a precision does not tell it from ε,
    the gain there is enclosed by itself.
    """
    power = ball(epsilon).exp()
    # What is far too wide is computed anew, more precisely: any true ball will do.
    unknown = arb(0).union(arb(1))

    def gain(y: int) -> arb:
        return law.mass(abs(y - distance)) - power * law.mass(y)

    below, step = distance // 2, 1
    above = below + step
    for _ in range(_MOST_DOUBLINGS):
        if gain(above) > 0:
            break
        step *= 2
        above = below + step
    else:
        return unknown
    last = _first(lambda y: bool(gain(y) > 0), below, above)
    first = _first(lambda y: not gain(y) < 0, below, last)
    if last - first > _MOST_UNTOLD:
        return unknown
    untold = (gain(y) for y in range(first, last))
    more = sum((each.union(arb(0)).max(arb(0)) for each in untold), arb(0))
    return law.tail(last - distance) - power * law.tail(last) + more


def _first(holds: Callable[[int], bool], below: int, above: int) -> int:
    """Return the first integer after `below` at which something holds, as it does at `above`."""
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above


class _LaplaceSum(_Law):
    """By the partial fractions of (1−a)^{2n}(1−az)^{−n}(1−a/z)^{−n}, a = e^{−1/b}.

    Of its part with powers of 1/(1 − az) the mass at y ≥ 0 is a^y Σ_m c_m C(m+y, m), m < n: with
    u = 1 − az the other factor is (1−a²)^{−n}(1 + a²w/(1−w))^n, w = u/(1−a²). All are positive.
    """

    def __init__(self, scale: Fraction, parties: int) -> None:
        self._rate = ball(1 / scale)
        self._n = parties
        self._ratio = (-self._rate).exp()
        rest = -(-2 * self._rate).expm1()  # 1 − a²
        square = (-2 * self._rate).exp()
        powers = [square**j * math.comb(parties, j) for j in range(parties)]
        power = [arb(1)]  # the coefficients of w^k
        for k in range(1, parties):
            terms = (powers[j] * math.comb(k - 1, j - 1) for j in range(1, k + 1))
            power.append(sum(terms, arb(0)))
        # ((1 − a)²/(1 − a²))^n, (1 − a)² over 1 − a² being tanh(1/2b)
        whole = (self._rate / 2).tanh() ** parties
        # the coefficient of w^{n−1−m}, and of u^{n−1−m}
        self._parts = [
            whole * power[parties - 1 - m] * rest ** -(parties - 1 - m) for m in range(parties)
        ]

    def mass(self, y: int) -> arb:
        """By the sum over m."""
        total, count = arb(0), arb(1)
        for m, part in enumerate(self._parts):
            total += part * count
            count = count * (m + 1 + y) / (m + 1)
        return total * (-self._rate * y).exp()

    def beyond(self, y: int) -> arb:
        """By T_m = (T_{m−1} + C(m−1+y, m))/(1 − a), a^y T_m = Σ_{j≥y} C(m+j, m)a^j."""
        step = -(-self._rate).expm1()
        total, tail, count = arb(0), 1 / step, arb(1)
        for m, part in enumerate(self._parts):
            if m:
                count = count * (m - 1 + y) / m
                tail = (tail + count) / step
            total += part * tail
        return total * (-self._rate * y).exp()


class _GaussianSum(_Law):
    """By p(y) = w(y mod n)·e^{−y²/2nv}: where every noise moves by 1, y moves by n (N7)."""

    def __init__(self, variance: Fraction, parties: int) -> None:
        self._variance, self._n = variance * parties, parties
        middle = parties // 2
        self._folded = [min(at, parties - at) for at in range(parties)]
        tau = closeness(variance, parties)
        self._even = tau is not None and bool(tau < arb(2) ** -(flint.ctx.prec + 8))
        if self._even:  # N2
            assert tau is not None
            total = normaliser(ball(1 / (2 * self._variance)))[0]
            self._weights = [arb(0, tau.upper()).exp() / total] * (middle + 1)
        else:
            self._weights = self._listed(variance, middle)
        self._largest = self._weights[0].union(arb(0)).upper()
        for each in self._weights:
            self._largest = self._largest.max(each).upper()

    def _listed(self, variance: Fraction, middle: int) -> list[arb]:
        spare = math.ceil(middle**2 / self._variance) + 16
        law = law_of_sum((Addends("discrete-gaussian", variance, self._n),), flint.ctx.prec + spare)
        weights = []
        for y in range(middle + 1):
            listed = law.masses[y - law.low] if y - law.low < len(law.masses) else arb(0)
            height = ball(y * y / (2 * self._variance)).exp()
            weights.append(listed.union(listed + law.lost) * height)
        return weights

    def mass(self, y: int) -> arb:
        """As it is."""
        return self._weights[self._folded[y % self._n]] * ball(-y * y / (2 * self._variance)).exp()

    def beyond(self, y: int) -> arb:
        """Term by term, e^{−(j²−y²)/2nv} by two products, until a geometric series is small."""
        s = 1 / (2 * self._variance)
        if self._even:
            return self._weights[0] * half_sums(ball(s), y)[0]
        step, ratio = ball(-(2 * y + 1) * s).exp(), ball(-2 * s).exp()
        total, term = arb(0), arb(1)
        far = 2 * self._variance * math.ceil(_LN2 * (flint.ctx.prec + 8))
        for at in range(y, math.isqrt(y * y + math.ceil(far)) + 1):
            total += self._weights[self._folded[at % self._n]] * term
            term, step = term * step, step * ratio
        rest = (self._largest * term / (1 - step)).upper()
        return (total + arb(0).union(rest)) * ball(-y * y * s).exp()


class _Skellam(_Law):
    """By e^{−λ}I_y(λ), by steps of ±1 of which a Poisson number is taken, and by roots of unity."""

    def __init__(self, variance: Fraction) -> None:
        self._variance = variance
        self._v = ball(variance)
        self._remainders: tuple[int, list[arb]] = 0, []

    def mass(self, y: int) -> arb:
        """(λ/2)^y/y!·e^{−λ}·Σ_k (λ²/4)^k/(k!(y + 1) … (y + k)) where the order is large."""
        if y < 4 * self._variance + 64:
            return (-self._v).exp() * self._v.bessel_i(arb(y))
        square, tiny = self._v * self._v / 4, arb(2) ** -(flint.ctx.prec + 8)
        k, term, total = 0, arb(1), arb(0)
        while True:
            total += term
            k += 1
            ratio = square / (k * (y + k))  # it falls
            term *= ratio
            if ratio < 1 and (rest := term / (1 - ratio)) < tiny:
                head = y * (self._v / 2).log() - arb(y + 1).lgamma() - self._v
                return (total + arb(0).union(rest.upper())) * head.exp()

    def beyond(self, y: int) -> arb:
        """By how likely so many steps are, and that y is reached with them (N7).

        Two counts of steps at a time; of the y + 2k steps k are downwards at most.
        """
        square, tiny = self._v * self._v, arb(2) ** -(flint.ctx.prec + 8)
        k = self._first(y)
        n, total = y + 2 * k, arb(0)
        count = (n * self._v.log() - arb(n + 1).lgamma() - self._v).exp()
        at, reached = _steps(n, k)
        while True:
            after = reached - at / 2  # of n + 1 steps
            found = count * (reached + self._v / (n + 1) * after)
            if n == y + 2 * k and k:  # of fewer steps
                ratio = arb(n + 1) * ((n + 1) ** 2 - (y + 1) ** 2) / (square * (n + 2))
                total += arb(0).union((found * ratio / (1 - ratio)).upper())
            total += found
            if not (n - y) % 32:
                grows = 1 + arb(n + y + 2) / (4 * (n - y + 2))
                ratio = grows * square / ((n + 1) * (n + 2))
                if ratio < 1 and (rest := found * ratio / (1 - ratio)) < total * tiny:
                    return total + arb(0).union(rest.upper())
            reached = after + at * (n + 1) / (2 * (n - y + 2))
            both = (n + 1) * (n + 2)
            at, count = at * both / ((n + y + 2) * (n - y + 2)), count * square / both
            n += 2

    def _first(self, y: int) -> int:
        """Return a k from which on y + 2k steps count: a guess, what is before it is enclosed."""
        rate = float(self._variance)
        likeliest = (math.hypot(rate, y) - y) / 2
        width = math.sqrt(2 * _LN2 * (flint.ctx.prec + 32) * likeliest)
        first = max(0, math.floor(likeliest - width))
        # Where what is before it is not bounded (N7) nothing is left out.
        n = y + 2 * first
        falls = (n + 1) * ((n + 1) ** 2 - (y + 1) ** 2) < self._variance**2 * (n + 2)
        return first if falls else 0

    def folded(self, remainder: int, modulus: int) -> arb:
        """Σ_j e^{−2λ sin²(πj/m)} cos(2πjr/m)/m, with so many bits that the least is told."""
        if self._remainders[0] != modulus:
            least = self.mass(modulus // 2).log().lower()
            depth = max(0, math.ceil(-float(least) / _LN2)) + 16
            with precision(flint.ctx.prec + depth):
                rate = -2 * ball(self._variance)
                half = range(modulus // 2 + 1)
                sines = (arb.sin_pi_fmpq(flint.fmpq(j, modulus)) for j in half)
                # j and m − j are alike.
                heights = [
                    (rate * each * each).exp() * (1 if 2 * j in (0, modulus) else 2) / modulus
                    for j, each in enumerate(sines)
                ]
                turns = [arb.cos_pi_fmpq(flint.fmpq(2 * j, modulus)) for j in range(modulus)]
                masses = [
                    sum((h * turns[j * r % modulus] for j, h in enumerate(heights)), arb(0))
                    for r in half
                ]
            self._remainders = modulus, masses
        return self._remainders[1][remainder]


def _steps(n: int, k: int) -> tuple[arb, arb]:
    """Enclose how likely k of n fair steps are downwards, and at most k ≤ n/2 of them."""
    logs = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
    chance = (logs - n * arb(2).log()).exp()
    total, term, tiny = arb(0), arb(1), arb(2) ** -(flint.ctx.prec + 8)
    for j in range(k, -1, -1):
        total += term
        ratio = arb(j) / (n - j + 1)  # it falls
        term *= ratio
        if not j % 16 and (rest := term / (1 - ratio)) < tiny:
            return chance, chance * (total + arb(0).union(rest.upper()))
    return chance, chance * total


@witness
def discrete_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, digits: int
) -> arb:
    """Enclose δ(ε) of an integer with discrete Laplace noise of n parties (X.PARTIES)."""
    if epsilon * scale >= sensitivity:
        return arb(0)
    return tighten(lambda: _profile(_LaplaceSum(scale, parties), epsilon, sensitivity), digits)


@witness
def discrete_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, digits: int
) -> arb:
    """Enclose δ(ε) of an integer with discrete Gaussian noise of n parties (X.PARTIES)."""
    variance = sigma**2
    # Its exponents are about ε²nv/2Δ², and lose so many bits.
    size = epsilon**2 * variance * parties / sensitivity**2 + epsilon + 1
    spare = 2 * max(0, size.numerator.bit_length() - size.denominator.bit_length())
    return tighten(
        lambda: _profile(_GaussianSum(variance, parties), epsilon, sensitivity), digits, spare=spare
    )


@witness
def skellam_delta(*, epsilon: Fraction, variance: Fraction, sensitivity: int, digits: int) -> arb:
    """Enclose δ(ε) of an integer with Skellam noise, of however many parties (X.PARTIES)."""
    # The order is about λ·sinh(ε/Δ), and the mass an exponential of that and of its logarithm.
    spare = 2 * math.ceil(epsilon / sensitivity / Fraction(_LN2)) + 32
    return tighten(lambda: _profile(_Skellam(variance), epsilon, sensitivity), digits, spare=spare)


class _ListedSum(_Law):
    """A sum of discrete Gaussians by its list, which has every mass to the precision (N2)."""

    def __init__(self, variance: Fraction, parties: int, reach: int) -> None:
        # Of integers with a sum y the squares add up to y²/n + n/4 at most, where they are alike.
        exponent = Fraction(reach * reach, 2 * parties) / variance + parties / (8 * variance)
        depth = math.ceil(exponent / Fraction(_LN2))
        addends = (Addends("discrete-gaussian", variance, parties),)
        self._law = law_of_sum(addends, flint.ctx.prec + depth + 16)
        self._more = arb(0).union(self._law.lost)
        self._sums = list(itertools.accumulate(reversed(self._law.masses)))

    def mass(self, y: int) -> arb:
        """As it is listed."""
        at = y - self._law.low
        return (self._law.masses[at] if at < len(self._law.masses) else arb(0)) + self._more

    def folded(self, remainder: int, modulus: int) -> arb:
        """By the sum of what is listed."""
        first = (remainder - self._law.low) % modulus
        return sum(self._law.masses[first::modulus], self._more)

    def beyond(self, y: int) -> arb:
        """By the sum of the list from its end."""
        count = len(self._law.masses) - (y - self._law.low)
        return (self._sums[count - 1] if count > 0 else arb(0)) + self._more


_Change = tuple[list[arb], list[arb]]
"""What two neighbours' laws have at each output."""

_Changes = Callable[[], Iterable[_Change]]
"""All changes of the integer that may be the worst, at the working precision."""


def _around(law: Callable[[], _Law], distance: int, modulus: int) -> _Changes:
    """Return the changes of a remainder; by d and by m − d are the same (N4)."""

    def changes() -> Iterator[_Change]:
        noise = law()
        half = [noise.folded(r, modulus) for r in range(modulus // 2 + 1)]
        whole = [half[min(r, modulus - r)] for r in range(modulus)]
        for d in range(1, min(distance, modulus // 2) + 1):
            yield [whole[r - d] for r in range(modulus)], whole

    return changes


def _within(law: Callable[[], _Law], distance: int, at: int) -> _Changes:
    """Return the changes of noise that is clamped to −at, …, at (N3)."""

    def changes() -> Iterator[_Change]:
        noise = law()
        half = [*(noise.mass(y) for y in range(at)), noise.beyond(at)]
        whole = [*half[:0:-1], *half]
        for d in range(1, distance + 1):
            yield [arb(0)] * d + whole, whole + [arb(0)] * d

    return changes


def _lost(changes: Iterable[_Change], power: arb) -> arb:
    """Enclose the largest Σ(p − e^ε q)₊."""
    largest = arb(0)
    for moved, still in changes:
        total = arb(0)
        for p, q in zip(moved, still, strict=True):
            gain = p - power * q
            if gain > 0:
                total += gain
            elif not gain <= 0:
                total += gain.union(arb(0)).max(arb(0))
        largest = largest.max(total)
    return largest


_MOST_BITS = 1 << 12  # remainders that are alike to so many bits are not told apart in good time
_ALIKE = f"the outputs' probabilities are alike to {_MOST_BITS} bits, or nearly"


def _bounded_delta(changes: _Changes, epsilon: Fraction, digits: int) -> arb:
    """Enclose the largest Σ(p − e^ε q)₊ of all changes.

    Raises:
        ArithmeticError: if it is not told from 0.
    """

    def formula() -> arb:
        if flint.ctx.prec > _MOST_BITS + 8 * bits_for(digits):
            raise ArithmeticError(_ALIKE)
        return _lost(changes(), ball(epsilon).exp())

    return tighten(formula, digits)


def _bounded_epsilon(changes: _Changes, delta: Fraction, digits: int) -> arb:
    """Enclose the least ε ≥ 0 with δ(ε) ≤ δ (N8).

    From below by every sum over a set of outputs, of which those with the largest losses are tried;
    from above by δ(ε) at a number next to it.

    Raises:
        ValueError: if more than δ is lost whatever ε is.
        ArithmeticError: if it is not told from 0.
    """
    if delta == 1:  # of laws with no output in common no ball tells that they lose no more
        return arb(0)
    bits = 2 * bits_for(digits) + 64
    while bits <= _MOST_BITS + 8 * bits_for(digits):
        with precision(bits):
            all_changes, target = list(changes()), ball(delta)
            never = _max_of(_endless(each) for each in all_changes)
            if never > target:
                raise ValueError(_NEVER.format(arguments.show(delta)))
            if _lost(all_changes, arb(1)) <= target:
                return arb(0)
            found = _max_of(_told(each, target) for each in all_changes)
            apart = never.is_zero() or never < target
            if found.is_finite() and found > 0 and apart:
                low, high = rounding.bounds(found)
                high *= 1 + Fraction(1, 10 ** (digits + 3))
                close = (high - low) * 10**digits <= low
                if close and _lost(all_changes, ball(high).exp()) <= target:
                    return ball(low).union(ball(high))
        bits *= 2
    raise ArithmeticError(_ALIKE)


_NEVER = "delta must be at least what clamped noise loses at every epsilon, got {}"


def _max_of(values: Iterable[arb]) -> arb:
    """Enclose the largest of numbers that are not negative."""
    largest = arb(0)
    for value in values:
        largest = largest.max(value)
    return largest


def _endless(change: _Change) -> arb:
    """Enclose what the first law has where the second has nothing."""
    return sum((p for p, q in zip(*change, strict=True) if q.is_zero()), arb(0))


def _told(change: _Change, target: arb) -> arb:
    """Enclose the largest ln((P(S) − δ)/Q(S)) of sets of outputs with the largest losses."""
    sure = _endless(change)
    known = [(p, q) for p, q in zip(*change, strict=True) if not q.is_zero() and p > 0]
    known.sort(key=lambda pair: float((pair[0] / pair[1]).log().mid()), reverse=True)
    gained, other, best = sure - target, arb(0), arb(0)
    for p, q in known:
        if p < q:
            break
        gained, other = gained + p, other + q
        if not gained <= 0:
            best = best.max((gained.max(arb(0)) / other).log() if gained > 0 else arb("nan"))
    return best


def _laplace_law(scale: Fraction, parties: int) -> Callable[[], _Law]:
    return lambda: _LaplaceSum(scale, parties)


def _gaussian_law(sigma: Fraction, parties: int, reach: int) -> Callable[[], _Law]:
    """By a list where it reaches; else by what repeats in it."""

    def law() -> _Law:
        try:
            return _ListedSum(sigma**2, parties, reach)
        except ArithmeticError:
            return _GaussianSum(sigma**2, parties)

    return law


def _skellam_law(variance: Fraction) -> Callable[[], _Law]:
    return lambda: _Skellam(variance)


@witness
def wrapped_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose δ(ε) of a remainder with discrete Laplace noise of n parties (X.BOUNDED)."""
    law = _laplace_law(scale, parties)
    return _bounded_delta(_around(law, sensitivity, modulus), epsilon, digits)


@witness
def wrapped_laplace_sum_epsilon(
    *, delta: Fraction, scale: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of a remainder with discrete Laplace noise (X.BOUNDED)."""
    law = _laplace_law(scale, parties)
    return _bounded_epsilon(_around(law, sensitivity, modulus), delta, digits)


@witness
def wrapped_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose δ(ε) of a remainder with discrete Gaussian noise of n parties (X.BOUNDED)."""
    law = _gaussian_law(sigma, parties, modulus // 2)
    return _bounded_delta(_around(law, sensitivity, modulus), epsilon, digits)


@witness
def wrapped_gaussian_sum_epsilon(
    *, delta: Fraction, sigma: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of a remainder with discrete Gaussian noise (X.BOUNDED)."""
    law = _gaussian_law(sigma, parties, modulus // 2)
    return _bounded_epsilon(_around(law, sensitivity, modulus), delta, digits)


@witness
def wrapped_skellam_delta(
    *, epsilon: Fraction, variance: Fraction, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose δ(ε) of a remainder with Skellam noise (X.BOUNDED)."""
    return _bounded_delta(_around(_skellam_law(variance), sensitivity, modulus), epsilon, digits)


@witness
def wrapped_skellam_epsilon(
    *, delta: Fraction, variance: Fraction, sensitivity: int, modulus: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of a remainder with Skellam noise (X.BOUNDED)."""
    return _bounded_epsilon(_around(_skellam_law(variance), sensitivity, modulus), delta, digits)


@witness
def clamped_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose δ(ε) of an integer with discrete Laplace noise that is clamped (X.BOUNDED)."""
    law = _laplace_law(scale, parties)
    return _bounded_delta(_within(law, sensitivity, bound), epsilon, digits)


@witness
def clamped_laplace_sum_epsilon(
    *, delta: Fraction, scale: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of an integer with clamped discrete Laplace noise (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    law = _laplace_law(scale, parties)
    return _bounded_epsilon(_within(law, sensitivity, bound), delta, digits)


@witness
def clamped_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose δ(ε) of an integer with discrete Gaussian noise that is clamped (X.BOUNDED)."""
    law = _gaussian_law(sigma, parties, bound)
    return _bounded_delta(_within(law, sensitivity, bound), epsilon, digits)


@witness
def clamped_gaussian_sum_epsilon(
    *, delta: Fraction, sigma: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of an integer with clamped discrete Gaussian noise (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    law = _gaussian_law(sigma, parties, bound)
    return _bounded_epsilon(_within(law, sensitivity, bound), delta, digits)


@witness
def clamped_skellam_delta(
    *, epsilon: Fraction, variance: Fraction, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose δ(ε) of an integer with Skellam noise that is clamped (X.BOUNDED)."""
    return _bounded_delta(_within(_skellam_law(variance), sensitivity, bound), epsilon, digits)


@witness
def clamped_skellam_epsilon(
    *, delta: Fraction, variance: Fraction, sensitivity: int, bound: int, digits: int
) -> arb:
    """Enclose the least ε ≥ 0 of an integer with clamped Skellam noise (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    return _bounded_epsilon(_within(_skellam_law(variance), sensitivity, bound), delta, digits)
