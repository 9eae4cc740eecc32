"""Rigorous quadrature over a stretch of the curve, up to its ends where c₁ = ±1.

The integrand carries the factor y^{(K−2)/2}, y = 1 − c₁², which for even M has a branch point
where the curve ends. There v = e + (m − e)·t² makes it analytic: y/t² is (m − e) times a mean
value of y′ between e and v, which holds on a whole ball around t = 0 (see the note, "The ends").
"""

from collections.abc import Callable
from dataclasses import dataclass

import flint
from flint import acb, arb

from dporacle.wings.papers.enclosures.rank_one.curve import Curve, Form
from dporacle.wings.papers.enclosures.rank_one.work_limit import TooMuchWorkError, Work

Integrand = Callable[[acb, bool], acb]


@dataclass(frozen=True, slots=True)
class StretchEnd:
    """An end of a stretch.

    Attributes:
        v: where it is.
        exact: whether |c₁| is 1 at a number inside the ball v, and 1 nowhere else nearby;
            otherwise v is a number at which the integral is cut off.
    """

    v: arb
    exact: bool


def integrate(function: Integrand, low: arb, high: arb, tolerance: arb, work: Work) -> arb:
    """Enclose the integral of a real function between two exact numbers.

    Raises:
        TooMuchWorkError: if the function spends all of the work.
    """
    stopped: list[TooMuchWorkError] = []

    def bounded(v: acb, analytic: bool) -> acb:
        # The quadrature is C code, through which no exception passes.
        if not stopped:
            try:
                return function(v, analytic)
            except TooMuchWorkError as error:
                stopped.append(error)
        return acb(arb.nan())

    limit = min(work.left + 1, 100 * flint.ctx.prec + 100_000)
    result = acb.integral(
        bounded, low, high, rel_tol=tolerance, abs_tol=tolerance, eval_limit=limit
    )
    if stopped:
        raise stopped[0]
    return result.real


def _height(curve: Curve, v: acb, c1: acb, analytic: bool) -> acb:
    """Return y = 1 − c₁² on a ball, narrow enough for its square root.

    Where c₁ turns near −1, its ball is as wide as v's, though it hardly varies there. On v it is
    c₁(m) + (v − m)·(a mean value of c₁′), which varies with the square of the width.
    """
    y: acb = 1 - c1 * c1
    if analytic and not (y.real > 0 or abs(y.imag) > 0):
        middle = acb(v.real.mid(), v.imag.mid())
        near, _ = curve.slope_c1(middle, analytic)
        _, slope = curve.slope_c1(v, analytic)
        c1 = near + slope * (v - middle)
        y = 1 - c1 * c1
    return y


def _plain(curve: Curve, form: Form) -> Integrand:
    power = curve.power

    def function(v: acb, analytic: bool) -> acb:
        part = curve.slope(v, form, analytic)
        if power % 2:
            square = _height(curve, v, part.c1, analytic)
            weight = square.sqrt(analytic=analytic) ** (power - 2)
        else:
            weight = (1 - part.c1 * part.c1) ** ((power - 2) // 2)
        result: acb = weight * part.total
        return result

    return function


def _towards(curve: Curve, form: Form, end: arb, start: arb) -> Integrand:
    """Return the integrand over t, v = e + (m − e)t², for an e in the ball `end`, m = start."""
    power, reach = curve.power, start - end

    def steepness(v: acb, t: acb, c1: acb, analytic: bool) -> acb:
        """y/t²."""
        if 4 * t.rad() < abs(t.mid()):
            result: acb = _height(curve, v, c1, analytic and power % 2 == 1) / (t * t)
        else:
            c1, slope = curve.slope_c1(v.union(acb(end)), analytic)
            result = -2 * reach * c1 * slope
        return result

    def function(t: acb, analytic: bool) -> acb:
        v = end + reach * t * t
        part = curve.slope(v, form, analytic)
        steep = steepness(v, t, part.c1, analytic)
        if power % 2:
            weight = steep.sqrt(analytic=analytic) ** (power - 2)
        else:
            weight = steep ** ((power - 2) // 2)
        result: acb = 2 * reach * t ** (power - 1) * weight * part.total
        return result

    return function


def integral(curve: Curve, form: Form, low: StretchEnd, high: StretchEnd, tolerance: arb) -> arb:
    """Enclose B times what a stretch of the curve contributes to δ."""
    if not low.v < high.v:
        return arb(0)
    if not (low.exact or high.exact):
        return integrate(_plain(curve, form), low.v, high.v, tolerance, curve.work)
    middle = ((low.v + high.v) / 2).mid()
    if not high.exact:
        middle = high.v
    if not low.exact:
        middle = low.v
    total = arb(0)
    zero, one = arb(0), arb(1)
    if low.exact:
        total += integrate(_towards(curve, form, low.v, middle), zero, one, tolerance, curve.work)
    if high.exact:
        total -= integrate(_towards(curve, form, high.v, middle), zero, one, tolerance, curve.work)
    return total
