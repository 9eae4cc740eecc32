"""The privacy profile of rank-one spherical noise, by quadrature with proved error bounds.

On the curve of `rank_one.curve`,

    δ(ε) = 1 + ∫ [S(r) f(c₁) dc₁ − e^ε S(ρ) f(c₂) dc₂],   S(t) = erfc(t/√2s),
    f(c) = (1 − c²)^{(K−2)/2}/B,   B = B(1/2, K/2),

over the part where −1 < c₁ < 1, which is one stretch from r = 0 on, or that and a second one
far out, with a gap between them. `proofs_notes/rank_one_gaussian.md` has the proofs.
"""

from flint import arb

from dporacle.enclosures.papers.rank_one.curve import OUTSIDE, Curve
from dporacle.enclosures.papers.rank_one.layout import Layout, UndecidedError
from dporacle.enclosures.papers.rank_one.stretch import End, integral

_STRETCHES = 1 << 12  # the quadrature aims at its tolerance on each of its subintervals


def _slack(value: arb) -> arb:
    """Return a ball around 0 that reaches an upper bound."""
    return arb(0, value.upper())


def _start_slack(layout: Layout, start: End) -> arb:
    """Bound what is left out before the start."""
    return arb(0) if start.exact else _slack(layout.start_bound(start.v, layout.form))


def _gap_slack(layout: Layout, before: End, after: End) -> arb:
    """Bound what the gap leaves out: F(c₁) in it is at most the larger cap of its two ends."""
    caps = [arb(0) if end.exact else layout.curve.cap(end.v) for end in (before, after)]
    cap = max(caps, key=lambda bound: bound.upper())
    return _slack(cap * layout.gap_factor(before.v))


def profile(curve: Curve, tolerance: arb, near: arb | None = None) -> tuple[arb, arb]:
    """Enclose (δ, 1 − δ).

    Args:
        curve: the law, at ε > 0.
        tolerance: the absolute error aimed at; the balls tell what was reached.
        near: what the outputs on this side of the gap contribute, if that is known.
    """
    try:
        return _profile(curve, tolerance, near)
    except UndecidedError:
        return arb.nan(), arb.nan()


def _profile(curve: Curve, tolerance: arb, near: arb | None) -> tuple[arb, arb]:
    accuracy = tolerance * curve.beta / _STRETCHES
    layout = Layout(curve, tolerance / 64)
    end = End(layout.end, exact=False)
    outer = _slack(curve.beyond(end.v))
    if not layout.has_gap:
        if near is not None:
            raise UndecidedError
        if not curve.cosine(end.v) < 1:
            rest = outer + _start_slack(layout, end)
            return 1 - rest, rest
        start = layout.start()
        whole = integral(curve, OUTSIDE, start, end, accuracy) / curve.beta
        rest = outer + _start_slack(layout, start) - whole
        return 1 - rest, rest
    after = layout.gap_end()
    total = integral(curve, OUTSIDE, after, end, accuracy) / curve.beta + outer
    if near is not None:
        total += near + _gap_slack(layout, after, after)
        return total, 1 - total
    start, before = layout.start(), layout.gap_start()
    total += integral(curve, layout.form, start, before, accuracy) / curve.beta
    total += _start_slack(layout, start) + _gap_slack(layout, before, after)
    return (total, 1 - total) if layout.form.first_inside else (1 + total, -total)
