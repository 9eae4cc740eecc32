"""δ(ε) of independent releases, between two bounds from a grid (C6 of proofs_notes/claims.md).

With u = e^{−L}, δ(ε) = E[G(L)] for a G that rises with L and is convex in the u of each release.
A cell's share of P is split between its ends so that its shares of P and of Q are kept, for an
upper bound; for a lower one it is put where the whole cell's ln(P/Q) is, or below.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce

import flint
from flint import arb, arb_poly

from dporacle.claims.decision import EXACT, FIRST_DIGITS, Decided, decide_probability
from dporacle.claims.losses import LaplaceLoss, LossLaw, PrivacyLoss
from dporacle.claims.quantities import root_bounds
from dporacle.claims.selections import (
    BoundedRangeLoss,
    ChosenPair,
    Game,
    choices,
    chosen,
    game,
    played_below,
)
from dporacle.enclosures.arithmetic import normal, rounding
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision
from dporacle.enclosures.conversions import _best_order as best_order
from dporacle.enclosures.laplace_composition import laplace_gaussian_delta, laplace_repeated_delta
from dporacle.verdicts import Verdict

CONVOLUTION = "convolution of privacy losses"
"""The proof that encloses δ(ε) between two bounds."""

GAME = "game of selections"
"""The proof that encloses δ(ε) where an adversary chooses each selection by earlier answers."""
RHO = "sum of ρ"
"""The proof that converts the sum of the ρ of all releases."""

_GRAVE = (Verdict.VIOLATED, Verdict.UNDECIDED, Verdict.HOLDS)
_GRIDS = (24, 96, 256)  # cells to a standard deviation of the whole loss

_TINY = Fraction(1, 10**12)  # the δ of the rest, where a claim has δ = 0
_LEAKS = "the bound agrees with the probability that a box leaks, to all digits that are tried"
_BETWEEN = "the bound lies between the two bounds that the finest grid proves"
_DIGITS = 10  # of the balls, where they are shown
_BITS = 64  # below those of δ, masses are not followed
_MOST_BITS = 700  # masses of e^-485: far below each δ that is stated
_RHO_BITS = 128  # of one conversion: its upper end is taken, whatever its digits
_MOST_CELLS = 1 << 15
_MOST_LOSS = 2000  # nats: numbers have three bits for each of them
_MOST_ALIGNED = 200  # cells to a standard deviation where a grid is taken for its atoms
_MOST_OF_FEW = 1500  # the same where each law has a few atoms only
_FAR = 1000  # standard deviations, beyond which a tail is bounded, not computed
_ROUGH = 4  # digits of δ on the second grid, or more
_FEW_BITS = 16  # beyond the digits asked for, at first
_MOST_LAPLACE = 100
_NEAR = 8  # a cell's point is near its middle if it is less than a cell/8 below it


@dataclass(frozen=True, slots=True)
class _Masses:
    """Masses on the points start + j·step, j = 0, 1, …."""

    start: Fraction
    step: Fraction
    masses: arb_poly

    def __mul__(self, other: _Masses) -> _Masses:
        return _Masses(self.start + other.start, self.step, self.masses * other.masses)


def decide_losses(losses: Sequence[PrivacyLoss], *, epsilon: Fraction, delta: Fraction) -> Decided:
    """Decide whether releases are (ε,δ)-DP, of which the worst pair has one of these losses.

    Raises:
        ArithmeticError: if that takes too many cells, or a loss is too large to be followed.
    """
    try:
        return _decide_all(losses, epsilon, delta)
    except OverflowError:  # of a float64 that guides the cells
        raise ArithmeticError(_too_large(losses)) from None


def _too_large(losses: Sequence[PrivacyLoss]) -> str:
    """Say that a loss is above what is followed, and how large the largest one is."""
    known = [most for loss in losses for law in loss.others if (most := law.most()) is not None]
    largest = max(known, default=Fraction(0))
    if largest <= _MOST_LOSS:
        return f"a loss is above {_MOST_LOSS}, the largest that is followed"
    shown = rounding.round_decimal(largest, 3, up=False)
    return f"a loss of {shown} is above {_MOST_LOSS}, the largest that is followed"


def _decide_all(losses: Sequence[PrivacyLoss], epsilon: Fraction, delta: Fraction) -> Decided:
    for loss in losses:
        if (refuted := _by_game(loss, epsilon, delta)) is not None:
            return refuted
    losses = [chosen(loss, epsilon) for loss in losses]
    left = [loss for loss in losses if (most := loss.most()) is None or most > epsilon]
    if not left:
        proof = CONVOLUTION if any(loss.others for loss in losses) else EXACT
        nothing = arb(0)
        return Decided(Verdict.HOLDS, "delta", delta, nothing, nothing, FIRST_DIGITS, proof=proof)

    def largest(digits: int) -> arb:
        return _largest(
            [loss.delta_at_epsilon(epsilon=epsilon, digits=digits) for loss in left], digits
        )

    if all(loss.has_formula for loss in left):
        return decide_probability(largest, "delta", delta)
    found = [_decide(loss, epsilon, delta) for loss in left]
    first = min(found, key=lambda one: _GRAVE.index(one.verdict))
    if len(found) == 1:
        return first
    sides = [one.below for one in found], [one.above for one in found]
    below, above = (_largest(values, first.digits) for values in sides)
    return replace(first, below=below, above=above)


def _largest(values: Sequence[arb], digits: int) -> arb:
    with precision(bits_for(digits) + 64):
        return reduce(arb.max, values)


def _decide(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided:
    """Decide whether independent releases together, some loss of which is above ε, are (ε,δ)-DP."""
    if loss.leaks:
        return _decide_leaking(loss, epsilon, delta)
    if loss.rho:
        return _decide_by_rho(loss, epsilon, delta)
    if loss.has_formula:
        return decide_losses([loss], epsilon=epsilon, delta=delta)
    if any(isinstance(law, BoundedRangeLoss) for law in loss.others):
        return _decide_selections(loss, epsilon, delta)
    if delta in {0, 1}:
        verdict = Verdict.HOLDS if delta else Verdict.VIOLATED
        return Decided(verdict, "delta", delta, arb(0), arb(1), FIRST_DIGITS, proof=CONVOLUTION)
    bits = _bits(delta)
    try:
        for cells, times in _tries(loss):
            below, above = bounds(loss, epsilon, cells=cells, bits=times * bits)
            low, high = rounding.side(below, delta), rounding.side(above, delta)
            if high < 0 or low > 0:
                break
    except ArithmeticError:  # so many releases that the sum of ρ is close
        found = _decide_by_rho(loss, epsilon, delta)
        if found.verdict is not Verdict.HOLDS:
            raise
        return found
    verdict = Verdict.HOLDS if high < 0 else Verdict.VIOLATED if low > 0 else Verdict.UNDECIDED
    if verdict is Verdict.UNDECIDED and not _is_exact(loss):
        summed = _decide_by_rho(loss, epsilon, delta)
        if summed.verdict is Verdict.HOLDS:
            return replace(summed, below=below)
    reason = "" if verdict is not Verdict.UNDECIDED else _BETWEEN
    return Decided(verdict, "delta", delta, below, above, _DIGITS, proof=CONVOLUTION, reason=reason)


def _bits(delta: Fraction) -> int:
    """Return how small the masses are that are followed for a δ.

    Raises:
        ArithmeticError: if that is too small.
    """
    bits = _BITS + math.ceil(delta.denominator.bit_length() - delta.numerator.bit_length())
    if bits > _MOST_BITS:
        raise ArithmeticError(f"masses of 2^-{bits} are not tracked")
    return bits


def _decide_leaking(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided:
    """Decide it where δ(ε) = λ + (1 − λ)·δ′(ε), λ the probability of an endless loss (C10)."""
    low, high = loss.leaked()
    rest = replace(loss, leaks={})
    nothing = arb(0)
    found = Decided(Verdict.HOLDS, "delta", delta, nothing, nothing, FIRST_DIGITS, proof=EXACT)
    if delta == 1 or low == 1:  # before 1 − λ is divided by
        verdict = Verdict.HOLDS if delta == 1 else Verdict.VIOLATED
        return replace(found, verdict=verdict, below=ball(low), above=arb(1))
    most = rest.most()
    if most is not None and most <= epsilon:  # δ = λ
        side = 1 if low > delta else -1 if high <= delta else 0
    elif low > delta or low == high == delta:  # δ′(ε) > 0
        side, found = 1, replace(found, above=arb(1))
        with contextlib.suppress(ArithmeticError):
            found = decide_losses([rest], epsilon=epsilon, delta=delta or _TINY)
    elif high >= delta:
        side = 0
    else:
        found = decide_losses([rest], epsilon=epsilon, delta=(delta - high) / (1 - high))
        side = -1 if found.verdict is Verdict.HOLDS else 0
        if side == 0:
            if low != high:
                found = decide_losses([rest], epsilon=epsilon, delta=(delta - low) / (1 - low))
            side = int(found.verdict is Verdict.VIOLATED)
    verdict = (Verdict.UNDECIDED, Verdict.VIOLATED, Verdict.HOLDS)[side]
    with precision(bits_for(found.digits) + 64):
        leak = ball(low).union(ball(high))
        below = leak + (1 - leak) * found.below
        above = leak + (1 - leak) * found.above if found.is_between else below
    reason = (found.reason or _LEAKS) if verdict is Verdict.UNDECIDED else ""
    return replace(found, verdict=verdict, bound=delta, below=below, above=above, reason=reason)


def _decide_selections(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided:
    """Decide from above where some releases are selections; what does not hold is not refuted."""
    nothing = Decided(
        Verdict.HOLDS if delta == 1 else Verdict.VIOLATED,
        "delta", delta, arb(0), arb(1), FIRST_DIGITS, proof=GAME,
    )  # fmt: skip
    if delta in {0, 1}:
        return nothing
    summed = _decide_by_rho(loss, epsilon, delta)
    try:
        _, above = bounds(loss, epsilon, cells=_GRIDS[1], bits=_bits(delta))
    except ArithmeticError:
        return summed
    if rounding.side(above, delta) < 0:
        return replace(nothing, verdict=Verdict.HOLDS, above=above, digits=_DIGITS)
    return (
        summed if summed.verdict is Verdict.HOLDS else replace(nothing, above=above, digits=_DIGITS)
    )


def _by_game(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided | None:
    """Refute it by an adversary who chooses scores by earlier answers; None if that does not."""
    picked = {
        law: n for law, n in loss.others.items() if isinstance(law, ChosenPair) and law.adaptive
    }
    if not picked or loss.leaks or not 0 < delta < 1:
        return None
    others = {law: n for law, n in loss.others.items() if law not in picked}
    rest = chosen(PrivacyLoss(loss.mu_squared, others), epsilon)
    counts = sorted(((law.eta, n) for law, n in picked.items()), reverse=True)
    try:
        cuts = choices(counts)
        profile = (
            None if rest == PrivacyLoss() else _profile_below(rest, counts[0][0] / cuts, delta)
        )
        low = played_below(counts, cuts, epsilon, profile)
    except ArithmeticError:
        return None
    if low <= delta:
        return None
    return Decided(
        Verdict.VIOLATED, "delta", delta, ball(low), arb(1), _DIGITS, proof=GAME
    )  # fmt: skip


def _profile_below(
    loss: PrivacyLoss, step: Fraction, delta: Fraction
) -> Callable[[Sequence[Fraction]], list[Fraction]]:
    """Return a function that bounds the profile of a loss from below, at points a step apart."""
    bits = _bits(delta)

    def of_gaussian(points: Sequence[Fraction]) -> list[arb]:
        gain = _gain(loss.mu_squared)
        return [gain(x) for x in points]

    def ends(points: Sequence[Fraction]) -> list[Fraction]:
        with precision(bits + 96):
            if not loss.others:
                found = of_gaussian(points)
            else:
                law = _together(tuple(loss.others.items()), 2 * step, bits, up=False)
                masses = law.masses.coeffs()
                first, size = points[0] - law.start, len(masses) - 1
                # G at every difference of a point and the place of a mass.
                values = of_gaussian([first + (j - size) * step for j in range(len(points) + size)])
                product = arb_poly(masses) * arb_poly(values)
                found = [product[size + j] for j in range(len(points))]  # 0 beyond its end
            return [
                rounding.bounds(value.max(arb(0)))[0] if value > 0 else Fraction(0)
                for value in found
            ]

    return ends


def _decide_by_rho(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> Decided:
    """Decide it from above by the sum of all ρ: that of some releases is all that is known."""
    rho = loss.zcdp()
    above = arb(1) if rho is None else arb(0)
    if rho:
        with precision(_RHO_BITS):  # X.RDP at the best order 1 + t, or Pinsker's inequality
            best = best_order(ball(epsilon), ball(rho))
            above = (ball(rho) / 2).sqrt()
            if best.is_finite() and 2.0**-60 < float(best) < 2.0**60:
                step = Fraction(float(best))
                t = ball(step)
                exponent = ball(step * ((1 + step) * rho - epsilon))
                above = above.min((exponent - t * (1 / t).log1p() - (1 + t).log()).exp())
    holds = delta == 1 or (delta > 0 and rounding.side(above, delta) < 0)
    verdict = Verdict.HOLDS if holds else Verdict.VIOLATED
    return Decided(verdict, "delta", delta, arb(0), above, FIRST_DIGITS, proof=RHO)


def _tries(loss: PrivacyLoss) -> list[tuple[int, int]]:
    """Return grids and how many times the bits: more bits alone help where all atoms are on one."""
    if _is_exact(loss):
        return [(_GRIDS[0], 1), (_GRIDS[0], 4)]
    return [(cells, 1) for cells in _GRIDS]


def delta_of_largest(losses: Sequence[PrivacyLoss], *, epsilon: Fraction, digits: int) -> arb:
    """Enclose the largest δ(ε) of several losses, to `digits_of` them at least.

    Raises:
        ArithmeticError: if that takes too many cells.
    """
    return _largest([_enclosed(loss, epsilon, digits) for loss in losses], digits)


def digits_of(losses: Sequence[PrivacyLoss], digits: int) -> int:
    """Return to how many digits `delta_of_largest` encloses δ(ε), of so many that are wished."""
    fine = all(loss.has_formula or _closed(loss) or _is_exact(loss) for loss in losses)
    return digits if fine else min(digits, _ROUGH)


def _closed(loss: PrivacyLoss) -> LaplaceLoss | None:
    """Return the Laplace law if there is a formula for it with these others."""
    if len(loss.others) != 1:
        return None
    ((law, times),) = loss.others.items()
    few = times == 1 if loss.mu_squared else times <= _MOST_LAPLACE
    return law if isinstance(law, LaplaceLoss) and few else None


def _enclosed(loss: PrivacyLoss, epsilon: Fraction, digits: int) -> arb:
    if loss.rho or any(isinstance(law, BoundedRangeLoss | ChosenPair) for law in loss.others):
        raise ArithmeticError("there is no exact δ of releases that are known between two ends")
    if loss.leaks:
        leak = loss.leaked()
        rest = _enclosed(replace(loss, leaks={}), epsilon, digits + 2)
        with precision(bits_for(digits) + 64):
            lost = ball(leak[0]).union(ball(leak[1]))
            return lost + (1 - lost) * rest
    most = loss.most()
    if most is not None and most <= epsilon:
        return arb(0)
    if loss.has_formula:
        return loss.delta_at_epsilon(epsilon=epsilon, digits=digits)
    if (law := _closed(loss)) is not None:
        given = {"epsilon": epsilon, "scale": Fraction(1), "sensitivity": law.ratio}
        if not loss.mu_squared:
            times = loss.others[law]
            return laplace_repeated_delta(**given, releases=times, digits=digits)
        ends = root_bounds(loss.mu_squared, digits + 4)  # δ rises in μ
        low, high = (laplace_gaussian_delta(**given, mu=mu, digits=digits + 2) for mu in ends)
        return low.union(high)
    exact = _is_exact(loss)
    bits = bits_for(digits) + _FEW_BITS
    while True:
        sides = bounds(loss, epsilon, cells=_GRIDS[0 if exact else 1], bits=bits)
        with precision(bits_for(digits) + 64):
            found = sides[0].lower().union(sides[1].upper())
        if found.rad() * 10 ** (digits if exact else _ROUGH) <= found.mid():
            return found
        if bits > _MOST_BITS:
            raise ArithmeticError(f"δ of the losses together is not enclosed to {digits} digits")
        bits *= 2


def bounds(loss: PrivacyLoss, epsilon: Fraction, *, cells: int, bits: int) -> tuple[arb, arb]:
    """Enclose a number that δ(ε) is not below, and one that it is not above.

    Args:
        loss: the releases.
        epsilon: in [0, ∞).
        cells: to a standard deviation of all that is not Gaussian.
        bits: masses below 2^-bits are not followed.

    Raises:
        ArithmeticError: if that takes too many cells.
    """
    if any(isinstance(law, BoundedRangeLoss) for law in loss.others):
        return arb(0), _above_selections(loss, epsilon, cells, bits)
    spread = math.sqrt(sum(times * law.spread() ** 2 for law, times in loss.others.items()))
    width = _width(loss, _short(_fine(loss, spread / cells, cells)))
    farthest = max(max(map(abs, law.reach(bits))) for law in loss.others)
    if farthest > _MOST_LOSS:
        raise ArithmeticError(_too_large([loss]))
    with precision(bits + 96 + math.ceil(3 * farthest)):
        laws = tuple(loss.others.items())
        sides = [
            _expected(_together(laws, width, bits, up), loss.mu_squared, epsilon, bits, up=up)
            for up in (False, True)
        ]
    return sides[0], sides[1]


def _above_selections(loss: PrivacyLoss, epsilon: Fraction, cells: int, bits: int) -> arb:
    """Enclose a number that δ(ε) is not above, whatever the order of the releases (X.GAME)."""
    selected = {law: n for law, n in loss.others.items() if isinstance(law, BoundedRangeLoss)}
    laws = tuple((law, n) for law, n in loss.others.items() if law not in selected)
    counts = sorted(((law.eta, n) for law, n in selected.items()), reverse=True)
    farthest = max([max(map(abs, law.reach(bits))) for law, _ in laws], default=0.0)
    if max(farthest, float(sum(eta * n for eta, n in counts))) > _MOST_LOSS:
        raise ArithmeticError(_too_large([loss]))
    values = game(counts, choices(counts))
    with precision(bits + 96 + math.ceil(3 * farthest + 3 * float(values.size * values.step))):
        parts = _split(values)
        start, step = -values.size * values.step, values.step
        if laws:
            spread = math.sqrt(sum(n * law.spread() ** 2 for law, n in laws))
            wished = _fine(PrivacyLoss(others=dict(laws)), spread / cells, cells)
            finer = max(1, math.ceil(step / _short(wished)))
            if len(parts) * finer > 2 * _MOST_CELLS:
                raise ArithmeticError(f"the losses together need more than {2 * _MOST_CELLS} cells")
            others = _together(laws, step / finer, bits, up=True)
            spaced = [arb(0)] * (finer * (len(parts) - 1) + 1)
            spaced[::finer] = parts
            whole = arb_poly(spaced) * others.masses
            parts, start, step = whole.coeffs(), start + others.start, step / finer
        gain, tiny = _gain(loss.mu_squared), arb(2) ** -(bits + 20)
        value = 1 - sum(parts, arb(0))  # what is in no cell is a loss without end
        for j, mass in enumerate(parts):
            if abs(mass) < tiny:  # 0 ≤ G ≤ 1
                value += abs(mass).upper()
            else:
                value += mass * gain(epsilon - start - j * step)
        return value


def _split(values: Game) -> list[arb]:
    """Return the masses of the law whose profile is the chords between the values of a game.

    That is linear in γ between the points, 1 at γ = 0 and 0 from the last one on. Some masses may
    be negative, where rounding has made the chords bend the other way: the mean is linear in them.
    """
    size, step = values.size, values.step
    gammas = [ball(j * step).exp() for j in range(-size, size + 1)]
    heights = [*map(arb, values.values[:-1]), arb(0)]
    slopes = [(heights[0] - 1) / gammas[0]]
    for j in range(2 * size):
        slopes.append((heights[j + 1] - heights[j]) / (gammas[j + 1] - gammas[j]))
    slopes.append(arb(0))
    return [gamma * (slopes[j + 1] - slopes[j]) for j, gamma in enumerate(gammas)]


@lru_cache(maxsize=8)
def _together(
    laws: tuple[tuple[LossLaw, int], ...], width: Fraction, bits: int, up: bool
) -> _Masses:
    """Return the masses of the loss of all releases that are not Gaussian."""
    parts = [
        _power((_upper if up else _lower)(law, width, bits), times, bits, up=up)
        for law, times in laws
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = _trim(whole * part, bits, up=up)
    return whole


def _fine(loss: PrivacyLoss, wished: float, cells: int) -> float:
    """Return a width of a cell that is also fine for one of many small releases."""
    small = [law.spread() * _GRIDS[0] / cells for law in loss.others if law.is_small()]
    return min([wished, *small])


def _is_exact(loss: PrivacyLoss) -> bool:
    """Tell whether every atom is on the grid and nothing is between them, whatever the cells."""
    if any(isinstance(law, BoundedRangeLoss | ChosenPair) for law in loss.others):
        return False
    return all(law.is_discrete() for law in loss.others) and _common(loss) is not None


def _common(loss: PrivacyLoss) -> Fraction | None:
    """Return a width on whose multiples all atoms are; None if that takes too many cells."""
    units = [law.lattice()[1] for law in loss.others if law.has_atoms()]
    if not units:
        return None
    scale = math.lcm(*(unit.denominator for unit in units))
    common = Fraction(math.gcd(*(int(unit * scale) for unit in units)), scale)
    spread = math.sqrt(sum(times * law.spread() ** 2 for law, times in loss.others.items()))
    few = all(law.has_few_atoms() for law in loss.others)
    most = _MOST_OF_FEW if few else _MOST_ALIGNED
    return common if common * most > Fraction(spread) else None


def _width(loss: PrivacyLoss, wished: Fraction) -> Fraction:
    """Return the width of a cell: one on whose multiples all atoms are, if there is one."""
    common = _common(loss)
    if common is None:
        return wished
    discrete = all(law.is_discrete() for law in loss.others)
    return common if discrete else common / max(1, math.ceil(common / wished))


def _short(value: float) -> Fraction:
    """Return a number of few bits close to another."""
    scale = Fraction(2) ** (10 - math.floor(math.log2(value)))
    return math.ceil(Fraction(value) * scale) / scale


def _grid(law: LossLaw, width: Fraction, bits: int) -> list[Fraction]:
    """Return the edges of cells for a law: one is an atom, or between two of many atoms."""
    point, unit = law.lattice()
    if law.is_discrete() and width >= 2 * unit:
        point -= unit / 2
    low, high = (Fraction(end) for end in law.reach(bits))
    first = math.floor((low - point) / width) - 1
    last = math.ceil((high - point) / width) + 2
    if last - first > _MOST_CELLS:
        raise ArithmeticError(f"a loss needs more than {_MOST_CELLS} cells")
    return [point + j * width for j in range(first, last + 1)]


def _upper(law: LossLaw, width: Fraction, bits: int) -> _Masses:
    """Split each cell between its ends; what is below goes to the first, what is above is left out.

    With shares a and b at the ends x and x + h: a + b = P and ae^{−x} + be^{−x−h} = Q.
    """
    if (listed := law.on_lattice(width, bits, up=True)) is not None:
        return _Masses(listed[0] * width, width, arb_poly(listed[1]))
    edges = _grid(law, width, bits)
    cells = law.cells(edges)
    masses = [arb(0)] * len(edges)
    lost = 1 - (-ball(width)).exp()
    for j, (p, q) in enumerate(zip(cells.p, cells.q, strict=True)):
        share = (p - q * ball(edges[j]).exp()) / lost
        masses[j] += p - share
        masses[j + 1] += share
    for j, p in cells.atoms.items():
        masses[j] += p
    masses[0] += cells.below
    return _Masses(edges[0], width, arb_poly(masses))


def _lower(law: LossLaw, width: Fraction, bits: int) -> _Masses:
    """Put each cell on a point of a grid twice as fine, at or below its ln(P/Q)."""
    if (listed := law.on_lattice(width / 2, bits, up=False)) is not None:
        return _Masses(listed[0] * width / 2, width / 2, arb_poly(listed[1]))
    edges = _grid(law, width, bits)
    cells = law.cells(edges)
    masses, shift = [arb(0)] * (2 * len(edges)), Fraction(0)
    tiny = arb(2) ** -bits
    for j, (p, q) in enumerate(zip(cells.p, cells.q, strict=True)):
        if not (p > tiny and q > 0):
            continue  # left out, which lowers the bound
        below = ball(edges[j] + width / 2) - (p / q).log()  # how far below the middle it is
        if below * _NEAR < ball(width):
            shift = max(shift, _above(below, width))
            masses[2 * j + 1] += p
        else:
            masses[2 * j] += p
    for j, p in cells.atoms.items():
        masses[2 * j] += p
    return _Masses(edges[0] - shift, width / 2, arb_poly(masses))


def _above(value: arb, width: Fraction) -> Fraction:
    """Return a number of few bits that is not below a ball, nor below 0."""
    scale = 2**30 / width
    with precision(flint.ctx.prec + 64):
        least = (value * ball(scale)).upper().ceil()
    mantissa, exponent = least.man_exp()
    whole = int(mantissa) << int(exponent) if exponent >= 0 else int(mantissa) >> -int(exponent)
    return max(Fraction(whole + 1) / scale, Fraction(0))


def _power(masses: _Masses, times: int, bits: int, *, up: bool) -> _Masses:
    """Return the masses of so many independent losses together, by squaring."""
    found, square = None, _trim(masses, bits, up=up)
    while True:
        if times & 1:
            found = square if found is None else _trim(found * square, bits, up=up)
        times >>= 1
        if not times:
            assert found is not None
            return found
        square = _trim(square * square, bits, up=up)


def _trim(law: _Masses, bits: int, *, up: bool) -> _Masses:
    """Leave out what is tiny at both ends: for an upper bound by moving it up.

    Raises:
        ArithmeticError: if what is left takes too many cells.
    """
    masses, tiny = law.masses.coeffs(), arb(2) ** -bits
    total, last = arb(0), len(masses)
    while last > 1 and abs(total + masses[last - 1]) < tiny:
        last -= 1
        total += masses[last]
    total, first = arb(0), 0
    while first < last - 1 and abs(total + masses[first]) < tiny:
        total += masses[first]
        first += 1
    if last - first > 2 * _MOST_CELLS:
        raise ArithmeticError(f"the losses together need more than {2 * _MOST_CELLS} cells")
    kept = masses[first:last]
    if up:
        kept[0] += total
    return _Masses(law.start + first * law.step, law.step, arb_poly(kept))


def _expected(law: _Masses, mu_squared: Fraction, epsilon: Fraction, bits: int, *, up: bool) -> arb:
    """Enclose E[G(L)], or a bound of it that is tiny away.

    For an upper bound what is in no cell counts as a loss without end. G rises: what is left below
    a point counts as there, or as nothing.
    """
    masses, gain = law.masses.coeffs(), _gain(mu_squared)
    tiny, value = arb(2) ** -bits, arb(0)
    rest = sum(masses, arb(0))
    if up:
        value += 1 - rest
    for j in range(len(masses) - 1, -1, -1):
        at = gain(epsilon - law.start - j * law.step)
        if rest * at < tiny:
            return value + rest * at if up else value
        value += masses[j] * at
        rest -= masses[j]
    return value


def _gain(mu_squared: Fraction) -> Callable[[Fraction], arb]:
    """Return e ↦ δ(e) of the Gaussian part, for every real e; (1 − e^e)₊ without one."""
    if not mu_squared:
        return lambda e: arb(0) if e >= 0 else -(ball(e)).expm1()
    mu = ball(mu_squared).sqrt()

    def profile(e: Fraction) -> arb:
        if e < 0:  # H_γ(P, Q) = 1 − γ + γ·H_{1/γ}(Q, P)
            power = ball(e)
            return -power.expm1() + power.exp() * profile(-e)
        y, w = ball(e) / mu - mu / 2, ball(e) / mu + mu / 2
        if y > _FAR:  # 0 ≤ δ ≤ Φ(−y) ≤ e^{−y²/2}
            return arb(0).union((-y * y / 2).exp())
        return normal.profile(y, w)[0]

    return profile
