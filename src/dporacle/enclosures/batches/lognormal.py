"""The Laplace transform of a lognormal variable of mean one, in balls (X.BAT.SUM, lemma L1).

With Y = e^{sZ − s²/2}, Z a standard normal, and ω = ln z,

    ℓ(z) = E e^{−zY} = (1/s)∫φ((v − ω + s²/2)/s)·exp(−e^v)dv,

entire in ω. The trapezoid rule with real nodes v_j = v₀ + jη serves a band of Re ω: the Gaussian
factor is A(ω)·B(ω)^j·C_j with real C_j, so ℓ is a real polynomial in B(ω). Floats choose the
nodes; the error terms are balls, and a mesh that breaks a hypothesis raises.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from flint import acb, acb_mat, arb

from dporacle.enclosures.arithmetic.balls import ball, precision

_BAND = 0.5  # of Re ω, as a share of how far the nodes reach
_SPARE = 64  # bits: the exponents' size, and the swelling of the balls in the powers
_HALF_TURN = 1.5707  # below π/2


_GRAIN = 8  # nodes in a unit of ln x


def log_transform(x: float, variance: float) -> float:
    """Estimate ln ℓ(x), x > 0, in float64: for choices, never for a bound."""
    if x < 1e-300:
        return -x
    place = math.log(x) * _GRAIN
    node = math.floor(place)
    # ln(−ln ℓ) is nearly linear in ln x.
    low, high = (_node(k, variance) for k in (node, node + 1))
    return -math.exp(low + (place - node) * (high - low))


@functools.lru_cache(maxsize=1 << 14)
def _node(k: int, variance: float) -> float:
    """Return ln(−ln ℓ(e^{k/8})) by the trapezoid rule."""
    s, x = math.sqrt(variance), math.exp(k / _GRAIN)
    logs = [
        -u * u / 2 - math.exp(min(s * u - variance / 2 + k / _GRAIN, 700.0))
        for u in map(_unit, range(121))
    ]
    top = max(logs)
    value = top + math.log(0.2 / math.sqrt(2 * math.pi) * _total(logs, top))
    return math.log(-value if value < -1e-9 else x)  # near 0 the mean tells it


def _unit(k: int) -> float:
    return (k - 60) / 5


def _total(logs: Sequence[float], top: float) -> float:
    return math.fsum(math.exp(each - top) for each in logs)


def powers(base: acb, count: int) -> list[acb]:
    """Return base^0, …, base^(count−1) by halving: the balls swell by ln(count) steps only."""
    found = [acb(1), base][:count]
    while len(found) < count:
        half = len(found) // 2
        found.append(found[half] * found[len(found) - half])
    return found


def evaluate(coefficients: Sequence[arb | acb], bases: Sequence[acb]) -> list[acb]:
    """Return Σ_j c_j·B^j for every B, in blocks: Horner's balls swell by √2 a step."""
    if not bases:
        return []
    width = max(1, math.isqrt(len(coefficients)))
    blocks = -(-len(coefficients) // width)
    padded = [*coefficients, *[arb(0)] * (blocks * width - len(coefficients))]
    columns = acb_mat(
        width, blocks, [padded[k * width + j] for j in range(width) for k in range(blocks)]
    )
    ladders = [powers(each, width + 1) for each in bases]
    inner = acb_mat(len(bases), width, [each for row in ladders for each in row[:width]]) * columns
    outer = [powers(row[width], blocks) for row in ladders]
    return [
        sum((inner[i, k] * row[k] for k in range(1, blocks)), inner[i, 0])
        for i, row in enumerate(outer)
    ]


def transform(points: Sequence[acb], variance: Fraction, nats: float) -> list[acb]:
    """Enclose ℓ at points, with an absolute error of about e^−nats.

    Args:
        points: z, none of them 0 or on the negative axis.
        variance: s².
        nats: how small the error should be; any choice gives a true ball.

    Raises:
        ArithmeticError: if the mesh breaks a hypothesis of the error bound.
    """
    if not points:
        return []
    square = float(variance)
    s = math.sqrt(square)
    with precision(64):
        logs = [each.log() for each in points]
    turn = max(abs(float(each.imag.mid())) for each in logs) * (1 + 1e-9) + 1e-12
    reals = [float(each.real.mid()) for each in logs]
    needed = nats + turn * turn / (2 * square)
    wide = _BAND * math.sqrt(2 * needed) * s
    bands: dict[int, list[int]] = {}
    for index, real in enumerate(reals):
        bands.setdefault(math.floor(real / wide), []).append(index)
    bits = math.ceil((needed + nats) / math.log(2)) + _SPARE
    found: list[acb] = [acb(0)] * len(points)
    with precision(bits):
        for members in bands.values():
            ends = min(reals[i] for i in members), max(reals[i] for i in members)
            mesh = _Band(variance, turn, needed, nats, ends)
            for i, value in zip(members, mesh.values([points[i] for i in members]), strict=True):
                found[i] = value
    return found


class _Band:
    def __init__(
        self, variance: Fraction, turn: float, needed: float, nats: float, ends: tuple[float, float]
    ) -> None:
        square = float(variance)
        s, reach = math.sqrt(square), math.sqrt(2 * needed)
        self.variance, self.s = ball(variance), ball(variance).sqrt()
        strip = min(math.sqrt(turn * turn + 2 * square * nats), _HALF_TURN)
        step = 2 * math.pi * strip / ((strip + turn) ** 2 / (2 * square) + nats + 1)
        first = ends[0] - square / 2 - reach * s
        last = min(ends[1] - square / 2 + reach * s, math.log(needed + 1))
        self.count = max(2, math.ceil((last - first) / step) + 1)
        self.strip, self.step, self.first = arb(strip), arb(step), arb(first)
        self.turn = arb(turn)
        gap = self.step / self.s
        ratio = (-gap * gap / 2).exp()  # C_j = ratio^(j²): a product of two ladders
        self.coefficients = []
        square_power, odd = arb(1), ratio
        growth = self.step.exp()
        value = self.first.exp()
        for _ in range(self.count):
            self.coefficients.append(square_power * (-value).exp())
            square_power, odd, value = square_power * odd, odd * ratio * ratio, value * growth
        self.last = self.first + self.step * (self.count - 1)
        self.scale = gap / (2 * arb.pi()).sqrt()
        if not (0 < self.strip < arb.pi() / 2):
            raise ArithmeticError("the strip of the transform is too wide")

    def values(self, points: Sequence[acb]) -> list[acb]:
        centres = [each.log() - self.variance / 2 for each in points]
        bases = [((each - self.first) * self.step / self.variance).exp() for each in centres]
        sums = evaluate(self.coefficients, bases)
        found = []
        for centre, total in zip(centres, sums, strict=True):
            if not abs(centre.imag) <= self.turn:
                raise ArithmeticError("a point of the transform is turned too far")
            offset = centre - self.first
            front = (-offset * offset / (2 * self.variance)).exp() * self.scale
            value = front * total
            error = self._error(centre)
            found.append(value + acb(arb(0, error), arb(0, error)))
        return found

    def _error(self, centre: acb) -> arb:
        turned = (self.turn * self.turn / (2 * self.variance)).exp()
        rule = (
            2
            * ((self.strip + self.turn) ** 2 / (2 * self.variance)).exp()
            / (2 * arb.pi() * self.strip / self.step).expm1()
        )
        left = (centre.real - self.first) / self.s
        right = (self.last - centre.real) / self.s
        if not left > 0:
            raise ArithmeticError("the nodes of the transform begin too late")
        cut = (1 + self.step / self.s) * (-(self.last.exp())).exp()
        if right > 0:
            other = (1 + self.step / self.s) * (-right * right / 2).exp()
            cut = other if other < cut else cut
        return (rule + turned * ((-left * left / 2).exp() / 2 + cut)).upper()
