"""Enclosures for integers with equal noises of several parties (X.PARTIES).

With p the law of the whole noise, whose loss ln(p(y − Δ)/p(y)) does not fall in y, and F̄ its tail,
δ(ε) = F̄(t − Δ) − e^ε F̄(t), t the first integer at which the loss is above ε.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction

import flint
from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
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
    """By e^{−λ}I_y(λ), and downwards by I_{y−1} = I_{y+1} + (2y/λ)I_y."""

    def __init__(self, variance: Fraction) -> None:
        self._variance = variance
        self._v = ball(variance)

    def mass(self, y: int) -> arb:
        """(λ/2)^y/y!·e^{−λ}·₀F₁(y + 1; λ²/4) where the order is large."""
        if y < 4 * self._variance + 64:
            return (-self._v).exp() * self._v.bessel_i(arb(y))
        half = self._v / 2
        series = (half * half).hypgeom_0f1(arb(y + 1))
        return (y * half.log() - arb(y + 1).lgamma() - self._v).exp() * series

    def beyond(self, y: int) -> arb:
        """From where next to nothing is left, which is guessed, downwards; the rest is enclosed."""
        rate, far, spent = float(self._variance), y, 0.0
        while spent < _LN2 * (flint.ctx.prec + 8):
            spent += math.asinh(far / rate)
            far += 1
        upper, term = (self.mass(each) for each in (far + 1, far))
        ratio = upper / term
        total = term + arb(0).union((upper / (1 - ratio)).upper())  # it falls faster (N1)
        for at in range(far, y, -1):
            upper, term = term, upper + 2 * at / self._v * term
            total += term
        return total


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
