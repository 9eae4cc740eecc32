"""Integers with equal noises of several parties (X.PARTIES, X.BOUNDED).

The loss of the shift Δ does not fall in the output, so that δ(ε) = F̄(t − Δ) − e^ε F̄(t), F̄ the tail
of the whole noise and t the first output at which the loss is above ε.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.discrete_gaussian import half_sums, normaliser
from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.precision import (
    ZERO,
    Context,
    Real,
    bits_for,
    freeze,
    once,
    real,
    settle,
    working,
)


class _Law(ABC):
    """A law on the integers, symmetric about 0, in a context."""

    @abstractmethod
    def mass(self, y: int) -> Real:
        """Return the mass of y ≥ 0."""

    @abstractmethod
    def beyond(self, y: int) -> Real:
        """Return the mass from y ≥ 1 on."""

    def terms(self, ctx: Context, epsilon: Fraction, distance: int, guess: int) -> tuple[Real, ...]:
        """Return the terms of δ(ε), from about where the loss is ε."""
        power = exp(ctx, epsilon)

        def gains(y: int) -> bool:
            return bool(self.mass(abs(y - distance)) > power * self.mass(y))

        below, above, step = max(guess, distance // 2 + 1), 0, 1
        if gains(below):
            above, below = below, distance // 2
            while above - below > step and gains(above - step):
                above, step = above - step, 2 * step
            below = max(below, above - step)
        else:
            while not gains(below + step):
                below, step = below + step, 2 * step
            above = below + step
        while above - below > 1:
            middle = (below + above) // 2
            below, above = (below, middle) if gains(middle) else (middle, above)
        far = -power * self.beyond(above)
        if above > distance:
            return self.beyond(above - distance), far
        return ctx.one, -self.beyond(1 + distance - above), far


class _LaplaceSum(_Law):
    """By recurrences over the number of noises, from one on (N7).

    With κ = tanh(1/2b) the masses at y are p₁ = κe^{−y/b}, p₂ = (κy + (1+κ²)/2)·p₁ and

        p_{k+2} = (2k+1)(1+κ²)/(2(k+1))·p_{k+1} + (y²−k²)κ²/(k(k+1))·p_k.
    """

    def __init__(self, ctx: Context, scale: Fraction, parties: int) -> None:
        self._ctx, self._scale, self._n = ctx, scale, parties
        # A mass loses 16n² roundings at most, a tail 16n³(b + 1) (N7).
        self._spare = 3 * parties.bit_length() + math.ceil(scale + 1).bit_length() + 8

    def _masses(self, y: int) -> list[Real]:
        """Return the masses at y of one noise, of two, …, of all."""
        kappa = self._ctx.tanh(real(self._ctx, 1 / (2 * self._scale)))
        square, half = kappa**2, (1 + kappa**2) / 2
        found = [kappa * exp(self._ctx, -y / self._scale)]
        found.append((kappa * y + half) * found[0])
        for k in range(1, self._n - 1):
            less, last = found[-2:]
            rise = (y * y - k * k) * square * less / k
            found.append(((2 * k + 1) * half * last + rise) / (k + 1))
        return found[: self._n]

    def mass(self, y: int) -> Real:
        """Return that of all."""
        with self._ctx.extraprec(self._spare):
            return self._masses(y)[-1]

    def beyond(self, y: int) -> Real:
        """Return it: a noise more adds (p(y−1) − p(y))/4 sinh²(1/2b), with the masses p then."""
        ctx = self._ctx
        with ctx.extraprec(self._spare):
            before, here = self._masses(y - 1), self._masses(y)
            width = 4 * ctx.sinh(real(ctx, 1 / (2 * self._scale))) ** 2
            first = exp(ctx, -y / self._scale) / (1 + exp(ctx, -1 / self._scale))
            added = (p - q for p, q in zip(before[1:], here[1:], strict=True))
            return first + ctx.fsum(added) / width


@witness
def discrete_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, digits: int
) -> Real:
    """Return δ(ε) of an integer with discrete Laplace noise of n parties (X.PARTIES).

    It is 0 from ε = Δ/b on.
    """
    gap = sensitivity - epsilon * scale
    if gap <= 0:
        return ZERO
    guess = min(int(parties * scale * sensitivity / gap), 1 << 60) if parties > 1 else sensitivity

    def terms(ctx: Context) -> tuple[Real, ...]:
        return _LaplaceSum(ctx, scale, parties).terms(ctx, epsilon, sensitivity, guess)

    return settle(terms, digits)


class _GaussianSum(_Law):
    """By p(y) = w(y mod n)·e^{−y²/2nv}/Zⁿ, Z the sum of e^{−x²/2v}.

    The w of k + m noises is Σ_x w(x)w(y−x)e^{−(x − yk/(k+m))²/2s} over those of k and of m, with
    s = vkm/(k+m). Where Poisson's formula says that every such sum is the same to the precision, w
    is the constant that makes the sum of all masses 1.
    """

    def __init__(self, ctx: Context, variance: Fraction, parties: int) -> None:
        self._ctx, self._n, self._whole = ctx, parties, variance * parties
        self._even = variance * 14 > ctx.prec + 24  # e^{−π²v} is below 2^−14v (N2)
        if self._even:
            self._weights = [1 / normaliser(ctx, self._whole)[0]]
            return
        weights, k = [ctx.one], 1  # of k noises; the binary digits of n say what is joined
        for digit in f"{parties:b}"[1:]:
            weights, k = self._joined(weights, k, weights, k, variance), 2 * k
            if digit == "1":
                weights, k = self._joined(weights, k, [ctx.one], 1, variance), k + 1
        whole = normaliser(ctx, variance)[0] ** parties
        self._weights = [each / whole for each in weights]

    def _joined(
        self, first: list[Real], k: int, second: list[Real], m: int, variance: Fraction
    ) -> list[Real]:
        """Return the w of k + m noises, from those of k and of m."""
        ctx, s = self._ctx, variance * Fraction(k * m, k + m)
        spread = Fraction(7, 10) * ctx.prec + (k + m) / (4 * variance) + 8
        reach = math.isqrt(math.ceil(2 * s * spread)) + 2
        ratio, found = exp(ctx, -1 / s), []
        left, right = (
            [each[min(r, n - r)] for r in range(n)] for each, n in ((first, k), (second, m))
        )
        for y in range((k + m) // 2 + 1):
            centre = Fraction(y * k, k + m)
            start = math.floor(centre) - reach
            term = exp(ctx, -((start - centre) ** 2) / (2 * s))
            step, total = exp(ctx, (2 * (centre - start) - 1) / (2 * s)), ctx.zero
            for x in range(start, math.ceil(centre) + reach + 1):
                total += left[x % k] * right[(y - x) % m] * term
                term, step = term * step, step * ratio
            found.append(total)
        return found

    def _weight(self, y: int) -> Real:
        at = 0 if self._even else y % self._n
        return self._weights[min(at, self._n - at)]

    def mass(self, y: int) -> Real:
        """Return it."""
        return self._weight(y) * exp(self._ctx, Fraction(-y * y) / (2 * self._whole))

    def beyond(self, y: int) -> Real:
        """Return it, term by term where w is no constant."""
        if self._even:
            return self._weights[0] * half_sums(self._ctx, self._whole, y)[0]
        s = 1 / (2 * self._whole)
        step, ratio = (exp(self._ctx, -count * s) for count in (2 * y + 1, 2))
        total, term = self._ctx.zero, self._ctx.one
        bits = self._ctx.prec + 16 + math.ceil(self._n**2 * s)
        far = math.isqrt(y * y + math.ceil(bits / s)) + self._n
        for at in range(y, far + 1):
            total += self._weight(at) * term
            term, step = term * step, step * ratio
        return total * exp(self._ctx, -y * y * s)


@witness
def discrete_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, digits: int
) -> Real:
    """Return δ(ε) of an integer with discrete Gaussian noise of n parties (X.PARTIES)."""
    variance = sigma**2
    guess = math.floor(epsilon * variance * parties / sensitivity + Fraction(sensitivity, 2))

    def terms(ctx: Context) -> tuple[Real, ...]:
        return _GaussianSum(ctx, variance, parties).terms(ctx, epsilon, sensitivity, guess)

    return settle(terms, digits)


class _Skellam(_Law):
    """By the two Poisson variables of mean h = λ/2: Σ_k π(k)π(y+k) and Σ_k π(k)Pr[X ≥ y+k]."""

    def __init__(self, ctx: Context, variance: Fraction) -> None:
        self._ctx, self._half = ctx, variance / 2

    def _likeliest(self, y: int) -> int:
        """Return about the k at which π(k)π(y+k) is largest."""
        h = float(self._half)
        return int(2 * h * h / (y + math.hypot(y, 2 * h)))

    def _poisson(self, k: int) -> Real:
        spare = 2 * max(k, 1).bit_length() + 16
        with self._ctx.extraprec(spare):
            h = real(self._ctx, self._half)
            return +self._ctx.exp(k * self._ctx.log(h) - h - self._ctx.loggamma(k + 1))

    def mass(self, y: int) -> Real:
        """Return it, from the largest term both ways."""
        ctx, k = self._ctx, self._likeliest(y)
        first = self._poisson(k) * self._poisson(y + k)
        square, tiny = real(ctx, self._half) ** 2, ctx.ldexp(first, -ctx.prec - 16)
        total, term, at = first, first, k
        while term > tiny:
            at += 1
            term = term * square / (at * (at + y))
            total += term
        term, at = first, k
        while at and term > tiny:
            term = term * (at * (at + y)) / square
            at -= 1
            total += term
        return total

    def beyond(self, y: int) -> Real:
        """Return it, from far above downwards, where all terms are positive."""
        ctx, start = self._ctx, self._likeliest(y)
        h, square, far, shrunk = float(self._half), float(self._half) ** 2, start, 0.0
        while shrunk < ctx.prec + 16 or far + y < h:
            far += 1
            shrunk += math.log2(far) + math.log2(far + y) - math.log2(square)
        h = real(ctx, self._half)
        one, other = self._poisson(far), self._poisson(y + far)
        tail, term, at = other, other, far + y
        while term > ctx.ldexp(tail, -ctx.prec - 16):
            at += 1
            term = term * h / at
            tail += term
        total = one * tail
        for k in range(far, 0, -1):
            one, other = one * k / h, other * (y + k) / h
            tail += other
            total += one * tail
            if k < start and one * tail < ctx.ldexp(total, -ctx.prec - 16):
                break
        return total


@witness
def skellam_delta(*, epsilon: Fraction, variance: Fraction, sensitivity: int, digits: int) -> Real:
    """Return δ(ε) of an integer with Skellam noise, of however many parties (X.PARTIES)."""
    guess = int(float(variance) * math.sinh(float(epsilon / sensitivity))) + sensitivity // 2

    def terms(ctx: Context) -> tuple[Real, ...]:
        return _Skellam(ctx, variance).terms(ctx, epsilon, sensitivity, guess)

    return settle(terms, digits)


_Change = tuple[list[Real], list[Real]]
"""What two neighbours' laws have at each output."""

_Changes = Callable[[Context], list[_Change]]
"""All changes of the integer that may be the worst, in a context."""


_Remainders = Callable[[Context], list[Real]]
"""The masses of the remainders 0, …, m − 1 of the whole noise, in a context."""


def _around(one: _Remainders, distance: int, modulus: int) -> _Changes:
    """Return the changes of a remainder, by the masses of the remainders of the whole noise."""

    def changes(ctx: Context) -> list[_Change]:
        whole = one(ctx)
        return [
            ([whole[r - d] for r in range(modulus)], whole)
            for d in range(1, min(distance, modulus // 2) + 1)
        ]

    return changes


def _convolved(ctx: Context, one: list[Real], parties: int) -> list[Real]:
    """Return the law of the sum of so many independent remainders; every term is positive."""

    def plus(first: list[Real], second: list[Real]) -> list[Real]:
        turned = second[::-1] * 2
        size = len(second)
        return [ctx.fdot(first, turned[size - 1 - r : 2 * size - 1 - r]) for r in range(size)]

    found = one
    for digit in f"{parties:b}"[1:]:
        found = plus(found, found)
        if digit == "1":
            found = plus(found, one)
    return found


def _laplace_remainders(scale: Fraction, parties: int, modulus: int) -> _Remainders:
    """Of one noise (1−a)(a^r + a^{m−r})/((1+a)(1−a^m)), a = e^{−1/b}."""

    def masses(ctx: Context) -> list[Real]:
        whole = -ctx.expm1(-real(ctx, modulus / scale))
        factor = ctx.tanh(real(ctx, 1 / (2 * scale))) / whole
        powers = [exp(ctx, -r / scale) for r in range(modulus + 1)]
        one = [factor * (powers[r] + powers[modulus - r]) for r in range(modulus)]
        return _convolved(ctx, one, parties)

    return masses


def _gaussian_remainders(variance: Fraction, parties: int, modulus: int) -> _Remainders:
    """Of one noise, the sum of e^{−x²/2v} over all x with the remainder."""

    def masses(ctx: Context) -> list[Real]:
        far = math.isqrt(math.ceil(2 * variance * (Fraction(7, 10) * ctx.prec + 16))) + 1
        whole = normaliser(ctx, variance)[0]
        half = []
        for r in range(modulus // 2 + 1):
            # Relatively to e^{−r²/2v}, which is the largest.
            rounds = (far + r) // modulus + 1
            exponents = ((r * r - (r + k * modulus) ** 2) for k in range(-rounds, rounds + 1))
            total = ctx.fsum(exp(ctx, each / (2 * variance)) for each in exponents)
            half.append(total * exp(ctx, -r * r / (2 * variance)) / whole)
        one = [half[min(r, modulus - r)] for r in range(modulus)]
        return _convolved(ctx, one, parties)

    return masses


def _skellam_remainders(variance: Fraction, modulus: int) -> _Remainders:
    """By the remainders of two Poisson variables of mean λ/2."""

    def masses(ctx: Context) -> list[Real]:
        h = real(ctx, variance / 2)
        poisson = [ctx.zero] * modulus
        term, k = ctx.exp(-h), 0
        least = [False] * modulus
        while not all(least):
            r = k % modulus
            poisson[r] += term
            least[r] = k > variance and term < ctx.ldexp(poisson[r], -ctx.prec - 16)
            k += 1
            term = term * h / k
        doubled = poisson * 2
        return [ctx.fdot(poisson, doubled[r : r + modulus]) for r in range(modulus)]

    return masses


def _within(law: Callable[[Context], _Law], distance: int, at: int) -> _Changes:
    """Return the changes of noise that is clamped to −at, …, at."""

    def changes(ctx: Context) -> list[_Change]:
        noise = law(ctx)
        half = [*(noise.mass(y) for y in range(at)), noise.beyond(at)]
        whole = [*half[:0:-1], *half]
        return [([ctx.zero] * d + whole, whole + [ctx.zero] * d) for d in range(1, distance + 1)]

    return changes


_Test = tuple[int, tuple[int, ...]]
"""A change, and the outputs that are told from the other law's."""


def _best(ctx: Context, changes: Sequence[_Change], power: Real) -> tuple[Real, _Test]:
    """Return the largest P(S) − e^ε Q(S), and where it is reached."""
    most = ctx.zero
    found: _Test = (0, ())
    for at, (moved, still) in enumerate(changes):
        outputs = tuple(y for y, p in enumerate(moved) if p > power * still[y])
        value = ctx.fsum(moved[y] - power * still[y] for y in outputs)
        if value > most:
            most, found = value, (at, outputs)
    return most, found


def _sums(ctx: Context, changes: Sequence[_Change], test: _Test) -> tuple[Real, Real]:
    """Return P(S) and Q(S)."""
    (moved, still), outputs = changes[test[0]], test[1]
    return ctx.fsum(moved[y] for y in outputs), ctx.fsum(still[y] for y in outputs)


def _endless(ctx: Context, change: _Change) -> Real:
    """Return what the first law has where the second has nothing."""
    return ctx.fsum(p for p, q in zip(*change, strict=True) if not q)


def _is_lost(changes: _Changes, epsilon: Fraction) -> bool:
    """Tell whether some loss is above ε; none is ε, as e^ε is transcendental for ε ≠ 0.

    Raises:
        ArithmeticError: if the outputs' probabilities are alike to 2^12 bits.
    """
    bits = 64
    while bits <= _MOST_BITS:
        with working(bits) as ctx:
            power = exp(ctx, epsilon)
            found = [
                p / (power * q) - 1 if q else ctx.one
                for moved, still in changes(ctx)
                for p, q in zip(moved, still, strict=True)
                if p
            ]
            gap = max(found)
            if abs(gap) > ctx.ldexp(1, 24 - bits):
                return bool(gap > 0)
        bits *= 2
    raise ArithmeticError(_ALIKE)


_MOST_BITS = 1 << 12
_ALIKE = f"the outputs' probabilities are alike to {_MOST_BITS} bits, or nearly"


def _bounded_delta(changes: _Changes, epsilon: Fraction, digits: int) -> Real:
    """Return the largest Σ(p − e^ε q)₊ of all changes."""
    if not _is_lost(changes, epsilon):
        return ZERO

    def terms(ctx: Context) -> tuple[Real, ...]:
        known, power = changes(ctx), exp(ctx, epsilon)
        p, q = _sums(ctx, known, _best(ctx, known, power)[1])
        return p, -power * q

    return settle(terms, digits)


def _bounded_epsilon(changes: _Changes, delta: Fraction, digits: int) -> Real:
    """Return the least ε ≥ 0 with δ(ε) ≤ δ.

    By Dinkelbach's method in x = e^ε: where P(S) − x·Q(S) is the largest and above δ, the next x is
    (P(S) − δ)/Q(S). It rises to the root, which it meets after finitely many S.

    Raises:
        ValueError: if more than δ is lost whatever ε is.
        ArithmeticError: if the outputs' probabilities are alike to 2^12 bits.
    """
    bits = bits_for(digits) + 64
    while True:
        with working(bits) as ctx:
            value, _ = _best(ctx, changes(ctx), ctx.one)
            if max(value, real(ctx, delta)) > ctx.ldexp(1, bits_for(digits) + 24 - bits):
                break
        bits *= 2
        if bits > _MOST_BITS + 8 * bits_for(digits):
            raise ArithmeticError(_ALIKE)
    with working(bits) as ctx:
        known, target, x = changes(ctx), real(ctx, delta), ctx.one
        value, test = _best(ctx, known, x)
        if value <= target:
            return ZERO
        if max(_endless(ctx, each) for each in known) > target:
            raise ValueError(
                "delta must be at least what clamped noise loses at every epsilon, got "
                f"{arguments.show(delta)}"
            )
        while True:
            p, q = _sums(ctx, known, test)
            after = (p - target) / q
            if after <= x * (1 + ctx.ldexp(1, 16 - bits)):
                break
            x = after
            value, found = _best(ctx, known, x)
            if value <= target or found == test:
                break
            test = found

    def excess(ctx: Context) -> tuple[Real, ...]:
        """Return the terms of P(S) − Q(S) − δ, which is (e^ε − 1)·Q(S)."""
        p, q = _sums(ctx, changes(ctx), test)
        return p, -q, -real(ctx, delta)

    gain = once(excess, digits + 4)
    with working(bits) as ctx:
        return freeze(ctx.log1p(real(ctx, gain) / _sums(ctx, changes(ctx), test)[1]))


@witness
def wrapped_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return δ(ε) modulo m with discrete Laplace noise of n parties (X.BOUNDED)."""
    changes = _around(_laplace_remainders(scale, parties, modulus), sensitivity, modulus)
    return _bounded_delta(changes, epsilon, digits)


@witness
def wrapped_laplace_sum_epsilon(
    *, delta: Fraction, scale: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 modulo m with discrete Laplace noise of n parties (X.BOUNDED)."""
    changes = _around(_laplace_remainders(scale, parties, modulus), sensitivity, modulus)
    return _bounded_epsilon(changes, delta, digits)


@witness
def wrapped_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return δ(ε) modulo m with discrete Gaussian noise of n parties (X.BOUNDED)."""
    changes = _around(_gaussian_remainders(sigma**2, parties, modulus), sensitivity, modulus)
    return _bounded_delta(changes, epsilon, digits)


@witness
def wrapped_gaussian_sum_epsilon(
    *, delta: Fraction, sigma: Fraction, parties: int, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 modulo m with discrete Gaussian noise of n parties (X.BOUNDED)."""
    changes = _around(_gaussian_remainders(sigma**2, parties, modulus), sensitivity, modulus)
    return _bounded_epsilon(changes, delta, digits)


@witness
def wrapped_skellam_delta(
    *, epsilon: Fraction, variance: Fraction, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return δ(ε) modulo m with Skellam noise (X.BOUNDED)."""
    changes = _around(_skellam_remainders(variance, modulus), sensitivity, modulus)
    return _bounded_delta(changes, epsilon, digits)


@witness
def wrapped_skellam_epsilon(
    *, delta: Fraction, variance: Fraction, sensitivity: int, modulus: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 modulo m with Skellam noise (X.BOUNDED)."""
    changes = _around(_skellam_remainders(variance, modulus), sensitivity, modulus)
    return _bounded_epsilon(changes, delta, digits)


@witness
def clamped_laplace_sum_delta(
    *, epsilon: Fraction, scale: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return δ(ε) with clamped discrete Laplace noise of n parties (X.BOUNDED)."""
    changes = _within(lambda ctx: _LaplaceSum(ctx, scale, parties), sensitivity, bound)
    return _bounded_delta(changes, epsilon, digits)


@witness
def clamped_laplace_sum_epsilon(
    *, delta: Fraction, scale: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 with clamped discrete Laplace noise of n parties (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    changes = _within(lambda ctx: _LaplaceSum(ctx, scale, parties), sensitivity, bound)
    return _bounded_epsilon(changes, delta, digits)


@witness
def clamped_gaussian_sum_delta(
    *, epsilon: Fraction, sigma: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return δ(ε) with clamped discrete Gaussian noise of n parties (X.BOUNDED)."""
    changes = _within(lambda ctx: _GaussianSum(ctx, sigma**2, parties), sensitivity, bound)
    return _bounded_delta(changes, epsilon, digits)


@witness
def clamped_gaussian_sum_epsilon(
    *, delta: Fraction, sigma: Fraction, parties: int, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 with clamped discrete Gaussian noise of n parties (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    changes = _within(lambda ctx: _GaussianSum(ctx, sigma**2, parties), sensitivity, bound)
    return _bounded_epsilon(changes, delta, digits)


@witness
def clamped_skellam_delta(
    *, epsilon: Fraction, variance: Fraction, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return δ(ε) with clamped Skellam noise (X.BOUNDED)."""
    changes = _within(lambda ctx: _Skellam(ctx, variance), sensitivity, bound)
    return _bounded_delta(changes, epsilon, digits)


@witness
def clamped_skellam_epsilon(
    *, delta: Fraction, variance: Fraction, sensitivity: int, bound: int, digits: int
) -> Real:
    """Return the least ε ≥ 0 with clamped Skellam noise (X.BOUNDED).

    Raises:
        ValueError: if more than δ is lost whatever ε is.
    """
    changes = _within(lambda ctx: _Skellam(ctx, variance), sensitivity, bound)
    return _bounded_epsilon(changes, delta, digits)
