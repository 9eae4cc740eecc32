"""What is left out of the transform: the quasi-atom, or what lies outside a window.

Where a record is seldom sampled most runs tell hardly anything: their loss is almost an atom, and
the transform does not decay before frequencies of 1/q. A smooth cut χ₀ = 1 − χ₁ in the normal
variable t of each step parts them from the others,

    δ(y) = E_P[(1 − ∏χ₀(t_i))(1 − e^{y−L})₊] + E_P[∏χ₀(t_i)(1 − e^{y−L})₊],

where the first has the transform K − ∏M₀^T, which decays early, and the second is bounded: of runs
without a step beyond an edge by Chernoff, of the others by their probability. A window leaves out
the runs with any |t| beyond it. See "The quasi-atom" in `proofs_notes/subsampled_gaussian.md`.
"""

from flint import acb, arb

from dporacle.enclosures.arithmetic.balls import ball
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.transform import Step

_PLACES = 64  # at which the size of the integral is looked for
_REACH = 16  # of the integral below, in standard deviations; what lies beyond is bounded


def small_at_poles(step: Step, cut: Cut, window: arb | None) -> tuple[arb, arb]:
    """Enclose M₀(0) = E[χ₀w(t)] and M₀(−1) = E[χ₀w(∓t)⁰], in closed form.

    What lies outside a window is not counted: at most what `outside` says.
    """
    first, second = _small_at_poles(step, cut)
    if window is None:
        return first, second
    out = outside(step, window)
    return first - arb(0).union(out[0]), second - arb(0).union(out[1])


def _small_at_poles(step: Step, cut: Cut) -> tuple[arb, arb]:
    k, place = arb(cut.steepness), arb(cut.place)
    rest = ball(1 - step.rate)

    def mean(centre: arb) -> arb:
        """E χ₀(t + centre) = Φ(k(place − centre)/√(1+k²))."""
        return normal_tail(k / (1 + k * k).sqrt() * (centre - place))

    first = rest * mean(arb(0)) + step.moved(mean)
    if step.antipodal:
        return first, rest * mean(arb(0)) + step.moved(lambda shift: mean(-shift))
    return first, mean(arb(0))


def small_within_edge(step: Step, cut: Cut, c: arb) -> arb:
    """Bound E[χ₀·1(t ≤ edge)·e^{cL}] under the first law, c > 0."""
    edge = arb(cut.edge)
    if not c > 0:
        raise ArithmeticError("the Chernoff bound of the quasi-atom needs a positive exponent")

    def power(t: acb, analytic: bool = False) -> acb:
        exponent = (1 + c) * step.log_ratio(t, analytic)
        return exponent - c * step.log_ratio(-t, analytic) if step.antipodal else exponent

    left = -arb(_REACH) if edge > -_REACH / 2 else edge - _REACH

    def integrand(t: acb, analytic: bool = False) -> acb:
        return (power(t, analytic) - t * t / 2).exp() * cut.small(t)

    # The tolerance is as small as what is looked for: a place among these is not far from its top.
    places = (acb(left + (edge - left) * k / _PLACES) for k in range(_PLACES + 1))
    most = max(abs(integrand(t)).mid() for t in places)
    fine = arb(2) ** -40
    found = acb.integral(integrand, left, edge, rel_tol=fine, abs_tol=most * fine).real
    within = found / (2 * arb.pi()).sqrt()
    return within + power(acb(left)).real.exp() * normal_tail(-left)


def beyond_edge(step: Step, cut: Cut) -> arb:
    """Bound E[χ₀·1(t > edge)] under the first law."""
    edge = arb(cut.edge)
    if not edge >= cut.place:
        raise ArithmeticError("the edge of the quasi-atom lies before its cut")
    moved = step.moved(lambda shift: normal_tail(edge - shift))
    mass = ball(1 - step.rate) * normal_tail(edge) + moved
    return mass * cut.small(acb(edge)).real


def outside(step: Step, window: arb) -> tuple[arb, arb]:
    """Enclose the mass of |t| > window under the first law and under the second."""
    plain = 2 * normal_tail(window)
    moved = step.moved(lambda shift: normal_tail(window - shift) + normal_tail(window + shift))
    first = ball(1 - step.rate) * plain + moved
    return first, first if step.antipodal else plain
