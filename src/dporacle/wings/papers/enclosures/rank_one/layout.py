"""Where the quadrature of the rank-one profile begins, ends and is interrupted.

A stretch ends where c₁ = ±1 exactly, pinned between two proved signs, or is cut off where |c₁| is
so close to 1 that a bound of the rest is small. Nothing else here has to be exact: what is left
out is bounded afterwards, from the cuts as they are (see the note, "The cuts" and "The ends").
"""

from collections.abc import Callable

import flint
from flint import arb

from dporacle.wings.papers.enclosures.rank_one.curve import OUTSIDE, Curve, Form, halve
from dporacle.wings.papers.enclosures.rank_one.stretch import StretchEnd

_DEEP = 2.0**-8  # a cut at which 1 − c₁² is smaller gives way to the exact end


class UndecidedError(Exception):
    """The working precision does not show where the curve ends."""


def _pin(
    before: Callable[[arb], bool], after: Callable[[arb], bool], low: arb, high: arb
) -> tuple[arb, arb]:
    """Return a short interval with `before` proved at its low end and `after` at its high end."""
    low, near = halve(before, low, high, flint.ctx.prec + 64)
    if not before(low):
        raise UndecidedError
    step = (near - low).mid()
    while not after(near):
        near = (near + step).mid()
        step *= 2
        if not near < high:
            raise UndecidedError
    return low, near


class Layout:
    """Where the stretches of one profile begin and end."""

    def __init__(self, curve: Curve, spared: arb) -> None:
        self.curve, self.spared = curve, spared
        low, high = arb(-1), arb(1)
        while not curve.beyond(high) < self.spared:
            high *= 2
        while curve.beyond(low) < self.spared or not curve.cosine(low) > 1:
            low *= 2
        steps = flint.ctx.prec + 64
        self.low = low
        self.end = halve(lambda v: not curve.beyond(v) < self.spared, low, high, steps)[1]
        self.centre = halve(lambda v: bool(curve.at(v).q < 1), low, self.end, steps)[0]
        self.lowest = halve(lambda v: bool(curve.falls(v) > 0), low, self.end, steps)[1]
        # Where the input's neighbourhood is small beside the noise, T is small there and S is not.
        near = bool(curve.at(self.centre).r2 < curve.s)
        self.form = Form(first_inside=near, second_inside=near and bool(curve.s > 0.5))
        self.touches = bool(curve.cosine(self.lowest) < -1)
        self.has_gap = self.touches or self._spares_gap(self.lowest)
        if not self.has_gap:
            self.form = OUTSIDE

    def start_bound(self, v: arb, form: Form) -> arb:
        """Bound what a cut at v leaves out before it."""
        curve = self.curve
        point, cap = curve.at(v), curve.cap(v)
        rho = (point.r2 + point.q).sqrt()
        inside, at_rho = (point.r2.sqrt() / curve.width).erf(), rho / curve.width
        gain = (point.q / (2 * curve.s)).exp()
        if form.second_inside:
            return arb(cap * (inside + gain * at_rho.erf()))
        first = inside if form.first_inside else arb(1)
        growth = (curve.epsilon / curve.power).exp() * inside
        flat = (2 / (arb.pi() * curve.s)).sqrt() * rho
        moved = growth if growth < flat else flat
        return arb(cap * (first + gain * at_rho.erfc() + moved))

    def gap_factor(self, v: arb) -> arb:
        """Bound what a gap that begins at v leaves out, in units of the larger cap of its ends."""
        point = self.curve.at(v)
        gain = (point.q / (2 * self.curve.s)).exp() if self.form.second_inside else arb(0)
        result: arb = 5 + gain + (point.w / 2).exp()
        return result

    def _spares_gap(self, v: arb) -> bool:
        """Tell whether a gap that begins, or ends, with a cut at v leaves out little enough."""
        curve = self.curve
        if not curve.cosine(v) < 0:
            return False
        return bool(curve.cap(v) * self.gap_factor(v) < self.spared)

    def is_deep(self, v: arb) -> bool:
        """Return whether sin² of the angle at v may be too small to cut there."""
        return not 1 - self.curve.cosine(v) ** 2 > _DEEP

    def start(self) -> StretchEnd:
        """Return where the first stretch begins: c₁ falls through 1 once, while q < 1."""
        curve = self.curve
        before, after = _pin(
            lambda v: bool(curve.cosine(v) > 1),
            lambda v: bool(curve.cosine(v) < 1),
            self.low,
            self.centre,
        )
        cut = halve(
            lambda v: bool(self.start_bound(v, self.form) < self.spared), after, self.centre, 64
        )[0]
        if self.is_deep(cut):
            if not curve.at(after).q < 1:
                raise UndecidedError
            return StretchEnd(before.union(after), exact=True)
        if not (curve.at(cut).q < 1 and 0 < curve.cosine(cut) < 1):
            raise UndecidedError
        return StretchEnd(cut, exact=False)

    def _edge(self, inner: arb, exact: Callable[[], tuple[arb, arb]]) -> StretchEnd:
        """Return an end of the gap, seen from a point `inner` of the stretch beside it."""
        low, high = self.lowest, inner

        cut = halve(self._spares_gap, low, high, 64)[0]
        if self.touches and self.is_deep(cut):
            low, high = exact()
            return StretchEnd(low.union(high), exact=True)
        if not (-1 < self.curve.cosine(cut) < 0):
            raise UndecidedError
        return StretchEnd(cut, exact=False)

    def gap_start(self) -> StretchEnd:
        """Return where the first stretch ends."""
        cosine = self.curve.cosine
        return self._edge(
            self.centre,
            lambda: _pin(
                lambda v: bool(cosine(v) > -1),
                lambda v: bool(cosine(v) < -1),
                self.centre,
                self.lowest,
            ),
        )

    def gap_end(self) -> StretchEnd:
        """Return where the second stretch begins; the end, if that is too far out to count."""
        cosine = self.curve.cosine
        if not cosine(self.end) > -1:
            return StretchEnd(self.end, exact=False)
        return self._edge(
            self.end,
            lambda: _pin(
                lambda v: bool(cosine(v) < -1),
                lambda v: bool(cosine(v) > -1),
                self.lowest,
                self.end,
            ),
        )
