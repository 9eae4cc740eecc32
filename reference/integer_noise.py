"""Integers with equal noises of several parties (X.PARTIES).

The loss of the shift Δ does not fall in the output, so that δ(ε) = F̄(t − Δ) − e^ε F̄(t), F̄ the tail
of the whole noise and t the first output at which the loss is above ε.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.discrete_gaussian import half_sums, normaliser
from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle


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
    """By Pfaff's form of 2F1(n, n+y; y+1; a²), a = e^{−1/b}.

    The mass at y ≥ 0 is tanh(1/2b)^n a^y Σ_i C(n−1+i, i) C(n−1+y, n−1−i) (a²/(1−a²))^i, i < n.
    """

    def __init__(self, ctx: Context, scale: Fraction, parties: int) -> None:
        self._ctx, self._scale, self._n = ctx, scale, parties
        rate = real(ctx, 1 / scale)
        self._ratio, self._rest = exp(ctx, -1 / scale), -ctx.expm1(-rate)
        share = exp(ctx, -2 / scale) / -ctx.expm1(-2 * rate)
        whole = (self._rest / (1 + self._ratio)) ** parties
        self._parts = [
            whole * math.comb(parties - 1 + i, i) * share**i for i in range(parties - 1, -1, -1)
        ]

    def mass(self, y: int) -> Real:
        """Return it, by the falling powers of i."""
        total, count = self._ctx.zero, self._ctx.one
        for m, part in enumerate(self._parts):  # C(n−1+y, m)
            total += part * count
            count = count * (self._n - 1 + y - m) / (m + 1)
        return total * exp(self._ctx, -y / self._scale)

    def beyond(self, y: int) -> Real:
        """Return it: of C(n−1+y, m)a^y the tail is (C(n−1+y, m)a^y + a·(that of m − 1))/(1 − a)."""
        total, count, tail = self._ctx.zero, self._ctx.one, self._ctx.zero
        for m, part in enumerate(self._parts):
            tail = (count + self._ratio * tail) / self._rest
            total += part * tail
            count = count * (self._n - 1 + y - m) / (m + 1)
        return total * exp(self._ctx, -y / self._scale)


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
