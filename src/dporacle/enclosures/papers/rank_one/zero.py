"""The rank-one profile at ε = 0, where the boundary of the event is a plane."""

from flint import acb, arb

from dporacle.enclosures.papers.rank_one.curve import beta
from dporacle.enclosures.papers.rank_one.stretch import integrate
from dporacle.enclosures.papers.rank_one.work_limit import Work

_PIECES = 1 << 12


def _cut(power: int, spared: arb) -> arb:
    """Return a u in (0, 1] beyond which the integral of cos^{K−1}(πu/2) is at most `spared`."""
    if power == 1:
        return arb(1)
    cosine = (spared.log() / (power - 1)).exp()
    if not cosine < 1:
        return arb(1)
    return (2 * cosine.acos() / arb.pi()).mid()


def profile_at_zero(power: int, s: arb, tolerance: arb, work: Work) -> tuple[arb, arb]:
    """Enclose (δ(0), 1 − δ(0)); the error is aimed at.

    δ(0) = (π/B)∫ erf(a/sin θ) cos^{K−1}θ du, θ = πu/2, over 0 < u < 1, a = 1/(2√2s), and 1 − δ(0)
    is the same with erfc. Where a/sin θ is large, erf is 1; from there on the variable is ln u.
    """
    norm, a = beta(power) / arb.pi(), 1 / (8 * s).sqrt()
    spared = tolerance * norm / 64
    accuracy = tolerance * norm / _PIECES
    is_large = bool(a < 1)  # then δ(0) is integrated, else 1 − δ(0)

    def weight(u: acb) -> acb:
        work.spend()
        result: acb = (u / 2).cos_pi() ** (power - 1)
        return result

    def function(t: acb, analytic: bool) -> acb:
        u = t.exp()
        at = a / (u / 2).sin_pi()
        result: acb = u * (at.erf() if is_large else at.erfc()) * weight(u)
        return result

    end = _cut(power, spared)
    left_out = arb(0) if end == 1 else arb(0, ((end / 2).cos_pi() ** (power - 1)).upper())
    # erfc(x) ≤ e^{−x²}, and sin θ ≤ θ.
    change = (2 * a / arb.pi() / (1 - spared.log()).sqrt()).mid()
    faded = arb(0, (-((2 * a / (arb.pi() * change)) ** 2)).exp().upper())
    total = left_out
    if change < end:
        total += faded + integrate(function, change.log().mid(), end.log().mid(), accuracy, work)
        # The ends are moved by a rounding, over which the integrand is at most 1.
        total += arb(0, (end.log().rad() + change.log().rad() * change).upper())
        if is_large:
            total += integrate(lambda u, _: weight(u), arb(0), change, accuracy, work)
    elif is_large:
        total += faded + integrate(lambda u, _: weight(u), arb(0), end, accuracy, work)
    else:
        total += arb(0, (-((2 * a / arb.pi() / end) ** 2)).exp().upper())
    total /= norm
    return (total, 1 - total) if is_large else (1 - total, total)
