"""The calibrations σ = D·c/ε, c = √(2 ln(a/δ)), in the coordinates (ε, c).

δ → 0 is c → ∞. With μ = ε/c, y = c − ε/2c, w = c + ε/2c and G = m(y) − m(w), the mechanism is
private exactly where

    R(ε, c) = ln(δ(ε)/δ) = ε/2 − ε²/8c² + ln G − ln(a√(2π)) ≤ 0,

R rises with ε, and with q = μ/G, dR/dc = c − q/c and d²R/dc² = 1 + ((2 + yw)q − q²)/c².
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures import delta_at_epsilon
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten
from dporacle.regions._forms import gap, hull, lost_bits
from dporacle.regions.theorem import (
    CLOSED,
    OUTSIDE,
    UNCOVERED,
    Axis,
    Box,
    BoxOutcome,
    Check,
    Counterexample,
    Lemma,
    Parameters,
    Part,
    Point,
    proved,
    refuted,
    unknown,
)

_EPS, _C = 0, 1
_BITS = 128
_FINE_BITS = 320  # where a proof ends within 1e-30 of equality
_FAR = Fraction(5)  # c beyond which the lemma takes over
_DIGITS = 30
_GRID = 1 << 40
_LAST = 1 << 64  # beyond it no lemma is looked for
_LEAST_DELTA = Fraction(1, 1 << arguments.LIMIT_BITS)  # of a counterexample, so that it can be used


@dataclass(frozen=True)
class Linear:
    """One such calibration on ε ≤ top.

    Attributes:
        constant: a, at the working precision.
        formula: σ in words.
        least: where c begins: just below its value at the largest δ.
        top: the largest ε of the region.
        peak: a c near the maximum of R at ε = top, if R comes close to 0 there.
        whole: whether the domain ends at `top`.
        last: where c ends: just above its value at the least δ, or where the lemma takes over.
        bottom: the least δ; 0 for all δ > 0.
        ceiling: the largest δ; 1 for all δ < 1.
        floor: the least ε; 0 for all ε > 0.
    """

    constant: Callable[[], arb]
    formula: str
    least: Fraction
    top: Fraction
    peak: Fraction | None = None
    whole: bool = True
    last: Fraction = _FAR
    bottom: Fraction = Fraction(0)
    ceiling: Fraction = Fraction(1)
    floor: Fraction = Fraction(0)

    @classmethod
    def over(
        cls,
        constant: Callable[[], arb],
        formula: str,
        *,
        epsilon: tuple[Fraction, Fraction],
        delta: tuple[Fraction, Fraction],
    ) -> Linear:
        """Return the calibration between two ends of ε and of δ, ε = 0 and δ = 0 and 1 excluded."""
        floor, top = epsilon
        least = cls._c_near(constant, delta[1], -1)
        if delta[0]:
            last = cls._c_near(constant, delta[0], 1)
        else:
            last = max(_FAR, Fraction(math.ceil(2 * top)), Fraction(math.ceil(least) + 1))
            while last <= _LAST and not all(
                check.run().holds
                for check in cls(constant, "", least, top, last=last)._far_checks()
            ):
                last *= 2
            if last > _LAST:  # ε is so large that the claim is false, at a small c too
                last = max(_FAR, Fraction(math.ceil(least) + 1))
        bottom, ceiling = delta
        return cls(
            constant, formula, least, top, last=last, bottom=bottom, ceiling=ceiling, floor=floor
        )

    @staticmethod
    def _c_near(constant: Callable[[], arb], delta: Fraction, side: int) -> Fraction:
        """Return a short number just below or above √(2 ln(a/δ))."""
        with precision(_BITS):
            c = (2 * (constant() / ball(delta)).log()).sqrt() * _GRID
            low, high = rounding.bounds(c)
        return Fraction(math.floor(low) if side < 0 else math.ceil(high), _GRID)

    def excess(self, epsilon: arb, c: arb) -> arb:
        """Return R at a point."""
        half = epsilon / (2 * c)
        level = epsilon / 2 - half * half / 2 - (self.constant() * (2 * arb.pi()).sqrt()).log()
        return gap(c - half, 2 * half).log() + level

    def slope(self, epsilon: arb, c: arb) -> arb:
        """Return dR/dc over a ball of c."""
        return c - self._quotient(epsilon, c) / c

    def bend(self, epsilon: arb, c: arb) -> arb:
        """Return d²R/dc² over a ball of c."""
        q, half = self._quotient(epsilon, c), epsilon / (2 * c)
        return 1 + q * (2 + c * c - half * half - q) / (c * c)

    @staticmethod
    def _quotient(epsilon: arb, c: arb) -> arb:
        half = epsilon / (2 * c)
        return 2 * half / gap(c - half, 2 * half)

    def decide(self, box: Box) -> BoxOutcome:
        """Decide R < 0 over a box: at its largest ε, over all its c."""
        top, (low, high) = box[_EPS][1], box[_C]
        near = self.peak if self.peak is not None and low <= self.peak <= high else None
        with precision((_BITS if self.peak is None else _FINE_BITS) + lost_bits(top)):
            eps, c = ball(top), hull(low, high)
            slope = self.slope(eps, c)
            if slope > 0 or slope < 0:
                where = high if slope > 0 else low
                value = self.excess(eps, ball(where))
                return proved() if value < 0 else self._failed(top, where, value)
            where = near if near is not None else (low + high) / 2
            value = self.excess(eps, ball(where))
            bend = self.bend(eps, c)
            if bend < 0:  # R ≤ R(c₀) + R′(c₀)(c − c₀) − |bend|(c − c₀)²/2, at most this:
                slope = self.slope(eps, ball(where))
                bound = value + slope * slope / (2 * -bend)
            else:
                bound = value + abs(slope) * ball((high - low) / 2)
            return proved() if bound < 0 else self._failed(top, where, value)

    def _failed(self, top: Fraction, c: Fraction, value: arb) -> BoxOutcome:
        inside = ball(c) ** 2 > 2 * self.constant().log()
        return refuted((top, c), _C) if value > 0 and inside else unknown(axis=_C)

    def candidates(self, point: Point) -> Iterator[Parameters]:
        """Yield (ε, δ) near (ε, c), the δ with few digits first."""
        eps, c = point
        for digits in (3, 8, _DIGITS):
            with precision(_FINE_BITS):
                delta = self.constant() * (-(ball(c) ** 2) / 2).exp()
                if not delta > ball(_LEAST_DELTA):  # nor could it be written out
                    return
                text = delta.str(digits, radius=False)
            yield {"epsilon": eps, "delta": Fraction(text)}

    def certify(self, at: Parameters) -> Counterexample | None:
        """Certify by the exact profile that the calibration is not (ε,δ)-DP, if it is not."""
        epsilon, delta = at["epsilon"], at["delta"]
        inside = _LEAST_DELTA <= delta < 1 and self.bottom <= delta <= self.ceiling
        if not (inside and 0 < epsilon >= self.floor and (epsilon <= self.top or not self.whole)):
            return None
        sigma = tighten(
            lambda: (2 * (self.constant() / ball(delta)).log()).sqrt() / ball(epsilon), _DIGITS + 20
        )
        above = rounding.bounds(sigma)[1]  # δ(ε) falls with σ, so that this is a lower bound of it
        exact = delta_at_epsilon(epsilon=epsilon, sigma=above, digits=_DIGITS + 10)
        if rounding.side(exact, delta) <= 0:
            return None
        low, _ = rounding.decimal_bounds(exact, _DIGITS + 10)
        return Counterexample(
            at={"epsilon": epsilon, "delta": delta},
            says=f"{self.formula} is not (ε,δ)-DP: δ(ε) ≥ {low}",
        )

    def part(self) -> Part:
        """Return the compact part: all ε of the region, c up to where the lemma takes over."""
        return Part(
            name="ε and c = √(2 ln(a/δ))",
            axes=(
                Axis(
                    "epsilon",
                    Fraction(0),
                    self.top,
                    below=OUTSIDE,
                    above=CLOSED if self.whole else UNCOVERED,
                ),
                Axis(
                    "c",
                    self.least,
                    self.last,
                    below=OUTSIDE,
                    above=UNCOVERED if not self.whole else OUTSIDE if self.bottom else "far",
                ),
            ),
            decide=self.decide,
            candidates=self.candidates,
            certify=self.certify,
        )

    def lemmas(self) -> tuple[Lemma, ...]:
        """Return what covers the rest, with its numbers."""

        def corner() -> arb:
            return 2 * (self.constant() / ball(self.ceiling)).log() - ball(self.least) ** 2

        def end() -> arb:
            return ball(self.last) ** 2 - 2 * (self.constant() / ball(self.bottom)).log()

        if not self.whole:
            return ()
        inside = [Check(f"2 ln(a/{self.ceiling}) − ({self.least})²", corner)]
        if self.bottom:
            inside.append(Check(f"({self.last})² − 2 ln(a/{self.bottom})", end))
        found = (
            Lemma("rise", "at fixed c, R rises with ε: a box is decided at its largest ε"),
            Lemma("domain", "c falls with δ: the boxes reach beyond its values", tuple(inside)),
        )
        if self.bottom:
            return found
        far = Lemma(
            "far",
            f"for c ≥ {self.last}, R ≤ ε/2 + ln(μ/(1+y²)) − ln(a√(2π)), which falls with c",
            self._far_checks(),
        )
        return (*found, far)

    def _far_checks(self) -> tuple[Check, Check]:
        def root() -> arb:
            return ball(self.last - self.top / (2 * self.last))

        def bound() -> arb:
            y = root()
            factor = ball(self.top / self.last) / (1 + y * y) / self.constant()
            return ball(self.top) / 2 + (factor / (2 * arb.pi()).sqrt()).log()

        return (
            Check(f"y at c = {self.last}", root),
            Check(f"that bound at c = {self.last} and the largest ε", bound, -1),
        )
