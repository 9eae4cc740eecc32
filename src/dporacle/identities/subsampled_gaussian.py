"""DP-SGD: amplification by sampling for one step; for more, inversions in fixed-point integers.

H_a(P‖Q) = 1 − a + a·H_{1/a}(Q‖P) gives the direction remove from the transform E w^{−s} of add, of
which the loss is bounded. Replace-one is inverted on the line Re s = −1/2, where its transform is
real. The moments are sums over real t, of powers that are multiplied up in integers; each precision
chooses its own line, period and mesh, so that two which agree have little in common.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dporacle.identities.arithmetic import Context, Given, Identity, Real, real
from dporacle.identities.release import tails_of_the_loss
from dporacle.identities.subsampled_design import (
    CS,
    ExactPhase,
    added,
    estimate,
    exchanged,
    moment,
    removed,
    work,
)
from dporacle.identities.subsampled_sums import Sums

_LONG = 10.0  # times the shortest period: longer ones are not tried


def phases_of(given: Given) -> list[ExactPhase]:
    """Return the phases that the inputs name."""
    if "size" in given:
        return [_group(given)]
    return [
        ExactPhase(given[f"{when}sigma"], given[f"{when}rate"], int(given[f"{when}steps"]))
        for when in ("", "later_")
        if f"{when}sigma" in given
    ]


def _group(given: Given) -> ExactPhase:
    """Return the steps of a group: as many members are there as of k coins fall."""
    size, q = int(given["size"]), given["rate"]
    sigma, steps = given["sigma"] / size, int(given["steps"])
    if q == 1:
        return ExactPhase(sigma, Fraction(1), steps)
    parts = tuple(
        (Fraction(j, size), math.comb(size, j) * q**j * (1 - q) ** (size - j))
        for j in range(1, size + 1)
    )
    return ExactPhase(sigma, 1 - (1 - q) ** size, steps, parts)


def _both(ctx: Context, given: Given) -> Real:
    """δ(ε) of add or remove: each from the transform of the loss under add, by fixed-point sums."""
    phases, epsilon = phases_of(given), given["epsilon"]
    size = estimate(phases, float(epsilon), removed)
    return max(_remove(ctx, given), of_add(ctx, phases, epsilon, size))


def _add(ctx: Context, given: Given) -> Real:
    """δ(ε) of add, from the transform of its bounded loss, by fixed-point sums."""
    return of_add(ctx, phases_of(given), given["epsilon"], None)


def _remove(ctx: Context, given: Given) -> Real:
    """1 − e^ε + e^ε·δ(−ε) of add, by fixed-point sums."""
    phases, epsilon = phases_of(given), given["epsilon"]
    a = ctx.exp(real(ctx, epsilon))
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 1)
    if len(phases) == phases[0].steps == 1:
        return _amplified(ctx, phases[0], a)
    size = estimate(phases, float(epsilon), removed)
    extra = int(max(0.0, float(epsilon) - size) / math.log(2)) + 8
    ctx.prec += extra
    try:
        a = ctx.exp(real(ctx, epsilon))
        return 1 - a + a * of_add(ctx, phases, -epsilon, size - float(epsilon))
    finally:
        ctx.prec -= extra


def of_add(
    ctx: Context, phases: Sequence[ExactPhase], epsilon: Fraction, size: float | None
) -> Real:
    """Return δ(ε) of add at any real ε; `size` is ln of what its error is measured against."""
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 1)
    a = ctx.exp(real(ctx, epsilon))
    if len(phases) == phases[0].steps == 1:
        if 1 / a <= 1 - real(ctx, phases[0].rate):
            return ctx.zero
        return 1 - a + a * _amplified(ctx, phases[0], 1 / a)
    if size is None:
        size = estimate(phases, float(epsilon), added)
    return _inverted(ctx, phases, epsilon, size)


def _replaced(ctx: Context, given: Given) -> Real:
    """δ(ε) of replace-one, from its transform on Re s = −1/2, by fixed-point sums."""
    phases, epsilon = phases_of(given), given["epsilon"]
    if all(each.rate == 1 for each in phases):
        return _plain(ctx, phases, epsilon, 2)
    if len(phases) == phases[0].steps == 1:
        return _antipodal(ctx, phases[0], ctx.exp(real(ctx, epsilon)))
    return _central(ctx, phases, epsilon, estimate(phases, float(epsilon), exchanged))


def _plain(ctx: Context, phases: Sequence[ExactPhase], epsilon: Fraction, distance: int) -> Real:
    eta = sum(distance**2 * each.steps / each.sigma**2 for each in phases) / 2
    return tails_of_the_loss(ctx, real(ctx, epsilon), real(ctx, Fraction(eta)))


def _amplified(ctx: Context, phase: ExactPhase, a: Real) -> Real:
    """Return q·δ(ε′) of the release without sampling, e^ε′ = 1 + (a − 1)/q (Balle et al., 2018).

    Of a group, the area between both densities where the mixture's is the higher one.
    """
    if phase.parts:
        return _area(ctx, phase, a, mirrored=False)
    inside = 1 + (a - 1) / real(ctx, phase.rate)
    eta = real(ctx, 1 / (2 * phase.sigma**2))
    return real(ctx, phase.rate) * tails_of_the_loss(ctx, ctx.log(inside), eta)


def _area(ctx: Context, phase: ExactPhase, a: Real, *, mirrored: bool) -> Real:
    """Return ∫(p − aq)₊ by quadrature from the point on where p exceeds aq."""
    rest = real(ctx, 1 - phase.rate)
    lines = [(real(ctx, p), real(ctx, f / phase.sigma)) for f, p in phase.parts]

    def ratio(t: Real) -> Real:
        return rest + ctx.fsum(p * ctx.exp(m * t - m * m / 2) for p, m in lines)

    def excess(t: Real) -> Real:
        return ratio(t) - a * (ratio(-t) if mirrored else 1)

    low, high = -ctx.one, ctx.one
    while excess(high) < 0:
        low, high = high, 2 * high
    while excess(low) > 0:
        low, high = 2 * low, low
    start = ctx.findroot(excess, (low, high), solver="anderson", tol=ctx.eps**2, verify=False)
    top = lines[-1][1]
    end = max(start, top) + ctx.sqrt(2 * ctx.prec * ctx.ln2)
    count = int(end - start) + 8
    places = [start + (end - start) * k / count for k in range(count + 1)]
    return ctx.quad(lambda t: excess(t) * ctx.npdf(t), places)


def _antipodal(ctx: Context, phase: ExactPhase, a: Real) -> Real:
    """Return it beyond the root of the quadratic in e^{x/σ²}."""
    if phase.parts:
        return _area(ctx, phase, a, mirrored=True)
    sigma, q = real(ctx, phase.sigma), real(ctx, phase.rate)
    e = ctx.exp(-1 / (2 * sigma**2))
    half = (a - 1) * (1 - q) / (2 * q * e)
    x = sigma**2 * ctx.log(half + ctx.sqrt(half**2 + a))
    above = [ctx.erfc((x - mean) / (sigma * ctx.sqrt(2))) / 2 for mean in (-1, 0, 1)]
    return q * above[2] - (a - 1) * (1 - q) * above[1] - a * q * above[0]


def _inverted(ctx: Context, phases: Sequence[ExactPhase], epsilon: Fraction, size: float) -> Real:
    """Return δ(ε) of add, which is 0 beyond its largest loss."""
    y, error = float(epsilon), size - ctx.prec * math.log(2)
    most = -sum(each.steps * math.log1p(-float(each.rate)) for each in phases if each.rate < 1)
    if any(each.rate == 1 for each in phases):
        most = math.inf
    # Aliases from below are 1 at most, times e^{−cW}; those from above end at the largest loss.
    moments, lines = [moment(phases, c, added) for c in CS], []
    for place, c in enumerate(CS):
        above = most - y + 1e-6 * abs(most)
        for other in range(place + 1, len(CS)):
            gap = CS[other] - c
            above = min(above, (moments[other] - CS[other] * y - error) / gap)
        lines.append((max((2 - error) / c, above), c, moments[place] - c * y))
    longest = _LONG * min(lines)[0]
    least, best = math.inf, lines[0]
    for line in lines:
        period, c, amplitude = line
        if amplitude < error:
            return ctx.zero
        if period > longest:
            continue
        # A period may be short, and the mesh endless; so it is then for larger c.
        terms = work(phases, c, period, amplitude - error, added)
        if terms < least:
            least, best = terms, line
        elif terms > 4 * least:
            break
    period, c, amplitude = best
    sums = Sums(ctx, phases, c, period, amplitude - error, added)
    return sums.total(epsilon)


def _central(ctx: Context, phases: Sequence[ExactPhase], epsilon: Fraction, size: float) -> Real:
    """Return δ(ε) of replace-one, with the geometric series of what is known of its aliases."""
    y, error = float(epsilon), size - ctx.prec * math.log(2)
    period = math.inf
    for c in CS[:25]:
        # Above: e^{−W/2}δ(y+W); below, by symmetry, e^{W/2}π(y−W) = e^{y−W/2}δ(W−y).
        bound = moment(phases, c, exchanged)
        here = max((bound - c * y - error) / (c + 0.5), (bound + (c + 1) * y - error) / (c + 0.5))
        period = min(period, here + abs(y))
    amplitude = moment(phases, -0.5, exchanged) + y / 2
    sums = Sums(ctx, phases, -0.5, period, amplitude - error, exchanged)
    shrink = ctx.exp(-sums.period / 2)
    series = shrink / (1 - shrink)
    return 1 + sums.total(epsilon) + series * (1 + ctx.exp(real(ctx, epsilon)))


def _halved(ctx: Context, given: Given) -> Real:
    """δ(ε) of Poisson sampling at σ/2, by fixed-point sums."""
    return _both(ctx, {**given, "sigma": given["sigma"] / 2})


_PROFILES_OF: Mapping[str, Identity] = {
    "": _both,
    "_add": _add,
    "_remove": _remove,
    "_replace": _replaced,
}
IDENTITIES: Mapping[str, Identity] = {
    **{f"subsampled_delta{name}": found for name, found in _PROFILES_OF.items()},
    **{f"subsampled_group_delta{name}": found for name, found in _PROFILES_OF.items()},
    "subsampled_phases_delta": _both,
    "fixed_size_delta": _halved,
}
PROFILES: Mapping[str, Identity] = {
    **{f"subsampled_epsilon{name}": found for name, found in _PROFILES_OF.items()},
    **{f"subsampled_group_epsilon{name}": found for name, found in _PROFILES_OF.items()},
    "subsampled_group_sigma": _both,
    "subsampled_group_sigma_replace": _replaced,
    "subsampled_sigma": _both,
    "subsampled_sigma_replace": _replaced,
    "subsampled_phases_epsilon": _both,
    "fixed_size_epsilon": _halved,
    "fixed_size_sigma": _halved,
}
"""An ε or a σ -> the falling δ, which must pass the δ asked for between an enclosure's two ends."""
