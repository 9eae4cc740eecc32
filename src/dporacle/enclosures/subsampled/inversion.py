"""From the transform to the hockey-stick divergence: Poisson summation on one vertical line.

For real c other than 0 and −1, W > 0 and s_n = c + 2πin/W,

    e^{−cy}/W · Σ_n K(s_n)/(s_n(s_n+1)) e^{−2πiny/W} = Σ_k e^{ckW} g(y + kW),

where δ(y) = E(1 − e^{y−L})₊ and g is δ(y) for c > 0, δ(y) − 1 for −1 < c < 0, and
π(y) = δ(y) − 1 + e^y = E(e^{y−L} − 1)₊ for c < −1. All terms but k = 0 are geometric series and
positive terms with Chernoff bounds (lemma 2 of `proofs_notes/subsampled_gaussian.md`). The line
c < −1 is what makes rarely sampled records cheap: there the heavy right tail of L does not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import acb, acb_mat, arb

from dporacle.enclosures.arithmetic.balls import ball
from dporacle.enclosures.subsampled.cut import Cut, Large, Small, Weight
from dporacle.enclosures.subsampled.quasi_atom import (
    beyond_edge,
    outside,
    small_at_poles,
    small_within_edge,
)
from dporacle.enclosures.subsampled.transform import Mesh, Step


@dataclass(frozen=True)
class Contour:
    """What float64 has chosen; none of it is believed.

    Attributes:
        c: real part of the line, not 0 and not −1.
        right: exponent of the Chernoff bound of the aliases above, more than max(c, 0).
        left: exponent of that of the aliases below, less than min(c, −1).
        period: W, the distance of the aliases.
        nodes: N, the frequencies 2πn/W with |n| ≤ N are summed.
        meshes: for each kind of step those of the line, of `right`, of `left` and of the tail.
        bits: working precision.
        work: what it will cost, about, in products of balls within a matrix.
        cuts: for each kind of step where its quasi-atom is cut off; empty to leave it in.
        small: exponent of the Chernoff bound of the runs without a large step, positive.
        windows: for each kind of step the |t| beyond which runs are left out; empty for none.
    """

    c: float
    right: float
    left: float
    period: float
    nodes: int
    meshes: tuple[tuple[Mesh, Mesh, Mesh, Mesh], ...]
    bits: int
    work: float = 0.0
    cuts: tuple[Cut, ...] = ()
    small: float = 1.0
    windows: tuple[float, ...] = ()


class Spectrum:
    """The transform on a line, and δ(y) and π(y) from it at any y.

    Args:
        steps: the kinds of steps.
        contour: the line, the mesh and the precision, which the caller has set.

    Raises:
        ArithmeticError: if the contour breaks a hypothesis of an error bound.
    """

    def __init__(self, steps: Sequence[Step], contour: Contour) -> None:
        self._c = c = arb(contour.c)
        self._period = arb(contour.period)
        self._right, self._left = arb(contour.right), arb(contour.left)
        if not (self._period > 0 and contour.nodes >= 1):
            raise ArithmeticError("the contour has no period or no nodes")
        if c.contains(0) or c.contains(-1):
            raise ArithmeticError("the contour meets a pole")
        if not (self._right > 0 and self._right > c and self._left < -1 and self._left < c):
            raise ArithmeticError("the Chernoff bounds do not embrace the contour")
        self._spacing = spacing = 2 * arb.pi() / self._period
        count = contour.nodes + 1
        if not all(cut.steepness >= 0 for cut in contour.cuts):
            raise ArithmeticError("the weight of a large step falls")
        cuts: Sequence[Cut | None] = contour.cuts or [None] * len(steps)
        windows: Sequence[arb | None] = [None] * len(steps)
        if contour.windows:
            windows = [arb(each) for each in contour.windows]
        values, quasi = [acb(1)] * count, [acb(1 if contour.cuts else 0)] * count
        tails, sizes = [], []
        above_all, below_all = arb(1), arb(1)
        lowest = arb(0)
        last = spacing * contour.nodes
        for step, (line, above, below, far), cut, window in zip(
            steps, contour.meshes, cuts, windows, strict=True
        ):
            weights: tuple[Weight | None, ...] = (None,) if cut is None else (None, Small(cut))
            powers, *less = step.transform(line, c, spacing, count, weights, window)
            values = [v * p**step.times for v, p in zip(values, powers, strict=True)]
            if less:
                quasi = [v * p**step.times for v, p in zip(quasi, less[0], strict=True)]
            above_all *= step.tail(above, self._right, arb(0), None, window) ** step.times
            below_all *= step.tail(below, self._left, arb(0), None, window) ** step.times
            large = None if cut is None else Large(cut)
            growth = None if cut is None else cut.growth
            tails.append(step.tail(far, c, last, large, window, growth))
            sizes.append(powers[0].real)
            if step.antipodal or step.rate == 1:
                lowest = arb.neg_inf()
            else:
                lowest += step.times * ball(1 - step.rate).log()
        self._lowest = lowest
        self._above = kappa(self._right) * above_all.abs_upper()
        self._below = kappa(-1 - self._left) * below_all.abs_upper()
        tail = _tail(steps, tails, sizes, cut=bool(contour.cuts))
        self._tail = tail.abs_upper() / (arb.pi() * last)
        self._left_out(steps, contour)
        points = [acb(c, spacing * n) for n in range(count)]
        terms = [(v - v0) / (s * (s + 1)) for v, v0, s in zip(values, quasi, points, strict=True)]
        terms[0] /= 2
        columns = int(count**0.5) + 1
        terms += [acb(0)] * (-count % columns)
        self._columns, self._rows = columns, len(terms) // columns
        self._terms = acb_mat(self._rows, columns, terms)

    def _left_out(self, steps: Sequence[Step], contour: Contour) -> None:
        """Set the residues at 0 and −1, and the bounds of what is left out of the transform."""
        self._small, self._chernoff, self._far = arb(contour.small), arb(0), arb(0)
        windows: Sequence[arb | None] = [None] * len(steps)
        if contour.windows:
            windows = [arb(each) for each in contour.windows]
        zero, minus_one = arb(1), arb(1)
        for step, window in zip(steps, windows, strict=True):
            if window is not None:
                first, second = outside(step, window)
                zero *= (1 - first) ** step.times
                minus_one *= (1 - second) ** step.times
                self._far += step.times * first
        if contour.cuts:
            small_zero, small_minus_one, chernoff = arb(1), arb(1), kappa(self._small)
            for step, cut, window in zip(steps, contour.cuts, windows, strict=True):
                first, second = small_at_poles(step, cut, window)
                small_zero *= first**step.times
                small_minus_one *= second**step.times
                chernoff *= small_within_edge(step, cut, self._small) ** step.times
                self._far += step.times * beyond_edge(step, cut)
            zero, minus_one = zero - small_zero, minus_one - small_minus_one
            self._chernoff = chernoff.abs_upper()
        self._at_zero, self._at_minus_one = zero, minus_one

    def call(self, y: arb) -> arb:
        """Enclose δ(y) = E(1 − e^{y−L})₊."""
        c = self._c
        value = self._sum(y) + arb(c < 0) * self._at_zero
        return value - arb(c < -1) * self._at_minus_one * y.exp() + self._rest(y)

    def put(self, y: arb) -> arb:
        """Enclose π(y) = E(e^{y−L} − 1)₊."""
        c = self._c
        value = self._sum(y) + (arb(c < 0) * self._at_zero - 1)
        return value + (1 - arb(c < -1) * self._at_minus_one) * y.exp() + self._rest(y)

    def _rest(self, y: arb) -> arb:
        """Enclose E[(1 − e^{y−L})₊] of the runs that are left out of the transform."""
        return arb(0).union((self._chernoff * (-self._small * y).exp() + self._far).abs_upper())

    def _sum(self, y: arb) -> arb:
        """Enclose g(y), the term k = 0."""
        c, period, turn = self._c, self._period, acb(0, -self._spacing) * y
        inner = acb_mat([[(turn * k).exp()] for k in range(self._columns)])
        partial = (self._terms * inner).entries()
        total = sum(
            ((turn * (self._columns * r)).exp() * each for r, each in enumerate(partial)), acb(0)
        ).real
        scale = (-c * y).exp()
        value = scale * (2 * total / period + arb(0, self._tail))
        zero, minus_one = self._at_zero, self._at_minus_one * y.exp()
        if c < 0:
            value += zero * series(c * period)
        if c < -1:
            value -= minus_one * series((c + 1) * period)
        if c > 0:
            value -= zero * series(-c * period)
        if c > -1:
            value += minus_one * series(-(c + 1) * period)
        above = (
            self._above * (-self._right * y).exp() * series((c - self._right) * period)
        ).abs_upper()
        value -= above.union(arb(0))
        if not y - period <= self._lowest:  # below the least loss π is 0
            below = self._below * (-self._left * y).exp() * series((self._left - c) * period)
            value -= below.abs_upper().union(arb(0))
        return value


def _tail(steps: Sequence[Step], tails: Sequence[arb], sizes: Sequence[arb], *, cut: bool) -> arb:
    """Bound |K|, or |K − ∏M₀^T| ≤ Σ T·|M − M₀|·|M|^{T−1}·(the others' |M|^T), beyond the nodes.

    Args:
        steps: the kinds of steps.
        tails: bounds of |M|, or of |M − M₀|.
        sizes: M at the real point, which bounds |M| and |M₀| on the line.
        cut: which of the two is asked.
    """
    total = arb(1)
    for step, each in zip(steps, sizes if cut else tails, strict=True):
        total *= each**step.times
    if cut:
        shares = zip(steps, tails, sizes, strict=True)
        total *= sum((step.times * tail / size for step, tail, size in shares), arb(0))
    return total


def series(exponent: arb) -> arb:
    """Return Σ_{k≥1} e^{k·exponent} for a negative exponent."""
    if not exponent < 0:
        raise ArithmeticError("a series of aliases diverges")
    return 1 / (-exponent).expm1()


def kappa(p: arb) -> arb:
    """Return sup (1 − e^{−v})e^{−pv} = p^p/(1+p)^{1+p}, for p > 0."""
    return (p * p.log() - (1 + p) * (1 + p).log()).exp()
