"""The transform of one step's privacy loss, M(s) = E e^{sL} under the first law, as balls.

With w(t) = 1 − q + q·e^{t/σ − 1/2σ²} and t a standard normal, or for a group of records
w(t) = 1 − q + Σ pⱼ e^{rⱼt/σ − rⱼ²/2σ²} with 0 < rⱼ ≤ 1 and Σpⱼ = q,

    add/remove:   M(s) = E w(t)^{1+s}                 (L = ln w)
    replace-one:  M(s) = E w(t)^{1+s} w(−t)^{−s}      (L = ln w(t) − ln w(−t)).

M is computed by the trapezoid rule on the line Im t = b, where arg w(t) ≥ 0 ≥ arg w(−t): nothing
grows with Im s there, so that one mesh serves every Im s ≥ 0. The error terms are lemmas 4 to 6 of
`proofs_notes/subsampled_gaussian.md`; a mesh that breaks a hypothesis raises, it is never believed.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, acb_mat, arb

from dporacle.enclosures.arithmetic.balls import ball
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.cut import Most, Weight

_CELL, _CELLS = 0.1, 400  # how long the cells of a bound are, and how many at most


@dataclass(frozen=True)
class Mesh:
    """Nodes j·spacing for −left ≤ j ≤ right, on the line Im t = height.

    Attributes:
        height: b, in units of t.
        spacing: η, the distance of the nodes.
        left: how many nodes below 0.
        right: how many nodes above 0.
        strip: half the width of the strip of analyticity that the error bound uses; the height
            itself for the transform.
    """

    height: float
    spacing: float
    left: int
    right: int
    strip: float

    def step(self, window: arb | None) -> arb:
        """Return η; with a window, of which the ends lie half a step beyond the last nodes."""
        if window is None:
            return arb(self.spacing)
        if self.left != self.right or self.left < 0:
            raise ArithmeticError("the nodes do not fill the window")
        return 2 * window / (2 * self.right + 1)

    def reach(self, window: arb | None) -> tuple[arb, arb]:
        """Return how far the mesh, or the window, reaches to the left and to the right of 0."""
        if window is not None:
            return window, window
        return arb(self.spacing) * self.left, arb(self.spacing) * self.right


@dataclass(frozen=True)
class Step:
    """One kind of step, taken `times` times.

    Attributes:
        sigma: noise multiplier, in units of the largest shift.
        rate: Poisson sampling rate; of a group, that of any of its records to be there.
        times: how many such steps.
        antipodal: replace-one's pair instead of add/remove's.
        parts: shifts, in units of the largest, and their weights, which sum to the rate.
    """

    sigma: Fraction
    rate: Fraction
    times: int
    antipodal: bool
    parts: tuple[tuple[Fraction, Fraction], ...] = ()

    def __post_init__(self) -> None:
        """Give a single record its one shift.

        Raises:
            ArithmeticError: if shifts or weights are not what every bound supposes.
        """
        if not self.parts:
            object.__setattr__(self, "parts", ((Fraction(1), self.rate),))
        whole = sum(weight for _, weight in self.parts) == self.rate
        if not (whole and all(0 < r <= 1 and weight >= 0 for r, weight in self.parts)):
            raise ArithmeticError("the parts of a step are no mixture")
        if self.rate == 1 and len(self.parts) > 1:
            raise ArithmeticError("a mixture has no weight at 0")

    def moved(self, function: Callable[[arb], arb]) -> arb:
        """Return Σ pⱼ·f(rⱼ/σ)."""
        sigma = ball(self.sigma)
        terms = (ball(weight) * function(ball(r) / sigma) for r, weight in self.parts)
        return sum(terms, arb(0))

    def _terms(self) -> list[tuple[arb, arb, arb]]:
        """Return pⱼ, rⱼ/σ and (rⱼ/σ)²/2."""
        slopes = [ball(r) / ball(self.sigma) for r, _ in self.parts]
        weights = [ball(weight) for _, weight in self.parts]
        return [(p, g, g * g / 2) for p, g in zip(weights, slopes, strict=True)]

    def transform(
        self,
        mesh: Mesh,
        c: arb,
        spacing: arb,
        count: int,
        weights: Sequence[Weight | None] = (None,),
        window: arb | None = None,
    ) -> list[list[acb]]:
        """Enclose M(c + i·n·spacing) for n = 0, …, count − 1, with each of some weights.

        Args:
            mesh: any mesh; a bad one gives wide balls or an error.
            c: the real part.
            spacing: of the imaginary parts, not negative.
            count: how many.
            weights: of t in the expectation, such as χ₀ of a cut; None for 1.
            window: only runs with |t| below it are counted.

        Raises:
            ArithmeticError: if the mesh breaks a hypothesis of the error bound.
        """
        if self.rate == 1:
            if weights != (None,) or window is not None:
                raise ArithmeticError("a record that is in every batch has no quasi-atom")
            factor = 2 if self.antipodal else 1
            variance = ball(factor * factor / self.sigma**2)
            points = [acb(c, spacing * n) for n in range(count)]
            return [[(s * (s + 1) * variance / 2).exp() for s in points]]
        b, eta = arb(mesh.height), mesh.step(window)
        if not (b > 0 and eta > 0 and 2 * b < arb.pi() * ball(self.sigma)):
            raise ArithmeticError(f"no error bound for the mesh {mesh} at sigma {self.sigma}")
        log_ratio = self._log_ratios()
        starts, losses = [], []
        for j in range(-mesh.left, mesh.right + 1):
            t = acb(eta * j, b)
            loss = log_ratio(t)
            start = -t * t / 2 + (1 + c) * loss
            if self.antipodal:
                other = log_ratio(-t)
                start -= c * other
                loss -= other
            starts.append(start)
            losses.append(loss * acb(0, spacing))
        scale = eta / (2 * arb.pi()).sqrt()
        columns = math.isqrt(count - 1) + 1
        rows = -(-count // columns)
        blurs = [self._error(mesh, c, weight, window) for weight in weights]
        turns = [_powers(loss.exp(), columns + 1) for loss in losses]
        strides = [_powers(turn[columns], rows) for turn in turns]
        heads = [start.exp() for start in starts]
        first = [
            [head * stride[r] for head, stride in zip(heads, strides, strict=True)]
            for r in range(rows)
        ]
        second = [turn[:columns] for turn in turns]
        # From the narrowest weight to the widest: each adds what it has beyond the last.
        found: list[list[acb]] = []
        total, last = acb_mat(rows, columns), [acb(0)] * len(starts)
        sizes, left_out = [abs(head) for head in heads], arb(0)
        for weight, blur in zip(reversed(weights), reversed(blurs), strict=True):
            values = _weights(weight, mesh, eta, b) or [acb(1)] * len(starts)
            shares = [value - less for value, less in zip(values, last, strict=True)]
            few = blur / (16 * len(starts) * scale)
            kept = []
            for j, share in enumerate(shares):  # no term grows with n: arg w(t) ≥ 0 ≥ arg w(−t)
                most = (abs(share) * sizes[j]).upper()
                if most < few:
                    left_out += most
                else:
                    kept.append(j)
            if kept:
                left = acb_mat([[row[j] * shares[j] for j in kept] for row in first])
                total += left * acb_mat([second[j] for j in kept])
            last = values
            radius = arb(0, (blur + scale * left_out).abs_upper())
            around = acb(radius, radius)
            found.append([value * scale + around for value in total.entries()[:count]])
        return found[::-1]

    def _error(self, mesh: Mesh, c: arb, weight: Weight | None, window: arb | None) -> arb:
        """Bound the trapezoid rule's error and the omitted nodes (lemmas 4, 6 and 7)."""
        b, eta = arb(mesh.height), mesh.step(window)
        cosine = (2 * b / ball(self.sigma)).cos()
        most = None if weight is None else weight.most(2 * b)
        within, ends = self._mass(c, *mesh.reach(window), cosine, most, window)
        decay = (2 * arb.pi() * b / eta).exp() - 1
        if not decay > 0:
            raise ArithmeticError(f"the mesh {mesh} is too coarse for an error bound")
        wide = (2 * b * b).exp()
        if window is not None:
            return (wide * (2 * within / decay + 4 * b * ends)).abs_upper()
        line = (b * b / 2).exp()
        return (2 * wide * (within + ends) / decay + line * ends).abs_upper()

    def tail(
        self,
        mesh: Mesh,
        c: arb,
        u: arb,
        weight: Weight | None = None,
        window: arb | None = None,
        growth: Callable[[arb], arb] | None = None,
    ) -> arb:
        """Bound |M(c + iv)|, with a weight in its expectation, for every v ≥ u (lemma 3).

        Args:
            mesh: of the real line; its `height` is the line that the bound is taken on.
            c: the real part.
            u: not negative.
            weight: of t in the expectation; None for 1.
            window: the transform is that of runs with |t| below it.
            growth: height -> a bound of the weight's growth off the real line.

        Raises:
            ArithmeticError: if the mesh breaks a hypothesis of the bound.
        """
        if not u >= 0:
            raise ArithmeticError("the tail begins at a negative frequency")
        if self.rate == 1:
            factor = 2 if self.antipodal else 1
            variance = ball(factor * factor / self.sigma**2)
            return (((c * (1 + c)) - u * u) * variance / 2).exp()
        b, a, eta, sigma = (arb(mesh.height), arb(mesh.strip), mesh.step(window), ball(self.sigma))
        if not (b >= 0 and a > 0 and eta > 0 and 2 * (a + b) < arb.pi() * sigma):
            raise ArithmeticError(f"no tail bound on the mesh {mesh} at sigma {self.sigma}")
        log_ratio, total = self._log_ratios(), arb(0)
        factors = _weights(weight, mesh, eta, arb(0))
        for k, j in enumerate(range(-mesh.left, mesh.right + 1)):
            t = acb(eta * j, b)
            loss = log_ratio(t)
            exponent = (1 + c) * loss.real
            turn = loss.imag
            if self.antipodal:
                other = log_ratio(-t)
                exponent -= c * other.real
                turn -= other.imag
            term = (exponent - u * turn - (eta * j) ** 2 / 2).exp()
            total += term if factors is None else term * factors[k].real
        cosine = ((a + b) / sigma).cos()
        most = None if weight is None else weight.most(a)
        within, ends = self._mass(c, *mesh.reach(window), cosine, most, window)
        decay = (2 * arb.pi() * a / eta).exp() - 1
        if not decay > 0:
            raise ArithmeticError(f"the mesh {mesh} is too coarse for an error bound")
        total *= eta / (2 * arb.pi()).sqrt()
        wide = (a * a / 2).exp()
        if window is None:
            total += 2 * wide * (within + ends) / decay + ends
        else:
            total += wide * (2 * within / decay + 2 * (a + b) * ends)
        bound = (b * b / 2).exp() * total
        return (bound if growth is None else bound * growth(b)).abs_upper()

    def log_ratio(self, t: acb, analytic: bool = False) -> acb:
        """Return ln w(t); not finite where `analytic` is asked for and the branch is left."""
        return self._log_ratios(analytic)(t)

    def _log_ratios(self, analytic: bool = False) -> Callable[[acb], acb]:
        """Return t -> ln w(t), with what does not depend on t computed once."""
        rest, terms = ball(1 - self.rate), self._terms()

        def log(t: acb) -> acb:
            total = acb(rest)
            for weight, slope, shift in terms:
                total += weight * (t * slope - shift).exp()
            return total.log(analytic=analytic)

        return log

    def _log_sups(self, power: arb, cosine: arb) -> Callable[[arb], arb]:
        """Return t -> a bound on the logarithm of |w(t)|^power in the strip."""
        rest, terms = ball(1 - self.rate), self._terms()
        factor = arb(1) if power >= 0 else cosine

        def log(t: arb) -> arb:
            total = arb(0)
            for weight, slope, shift in terms:
                total += weight * (t * slope - shift).exp()
            return power * (rest + factor * total).log()

        return log

    def _mass(
        self, c: arb, left: arb, right: arb, cosine: arb, most: Most | None, window: arb | None
    ) -> tuple[arb, arb]:
        """Bound ∫ φ·sup|integrand/φ| over [−left, right], and beyond it.

        With a window the second is the sum of the values at its two ends. `most` bounds a weight
        between two t, None for no end.

        The supremum is over the strip in which cos(Im t/σ) ≥ cosine: there w(t)
        and 1 − q + cosine·(the rest of w) bound |w| from above and below. Each is monotone in t.
        """
        raising, falling = 1 + c, (-c if self.antipodal else arb(0))
        if not (raising >= 0 and falling >= 0) and not cosine > 0:
            raise ArithmeticError("|w| has no lower bound in so wide a strip")
        if not (left >= 0 and right >= 0):
            raise ArithmeticError("the nodes do not reach both sides of 0")
        cells = int(min(max(float(left + right) / _CELL, 1), _CELLS))
        edges = [-left + (left + right) * k / cells for k in range(cells + 1)]
        raised, fallen = self._log_sups(raising, cosine), self._log_sups(falling, cosine)
        within = arb(0)
        for k, peak in enumerate(self._peaks(edges, raising, falling, cosine)):
            term = peak.exp()
            within += term if most is None else term * most(edges[k], edges[k + 1])
        within *= (left + right) / cells / (2 * arb.pi()).sqrt()
        if window is not None:
            density = (-window * window / 2).exp() / (2 * arb.pi()).sqrt()
            last = density * (raised(right) + fallen(-right)).exp()
            first = density * (raised(-left) + fallen(left)).exp()
            if most is not None:
                last, first = last * most(right, right), first * most(-left, -left)
            return within, last + first
        above = self._beyond(right, raising, falling, cosine)
        below = self._beyond(left, falling, raising, cosine)
        if most is not None:
            above, below = above * most(right, None), below * most(None, -left)
        return within, above + below

    def _peaks(
        self, edges: Sequence[arb], raising: arb, falling: arb, cosine: arb
    ) -> Iterator[arb]:
        """Bound the logarithm of what `_mass` integrates, times √2π, in each of some cells."""
        raised, fallen = self._log_sups(raising, cosine), self._log_sups(falling, cosine)
        up = [raised(t) for t in edges]
        down = [fallen(-t) for t in edges] if self.antipodal else [arb(0)] * len(edges)
        for k in range(len(edges) - 1):
            low, high = edges[k], edges[k + 1]
            # A power of |w| that is convex in t lies below its chord, another below an end. Larger
            # ends of each factor alone gave σ = 4.043, q = 7.802·10⁻⁶, T = 102 no enclosure.
            grow = (up[k + 1] - up[k]) if raising >= 0 else arb(0)
            shrink = (down[k + 1] - down[k]) if falling >= 0 else arb(0)
            base = up[k] + (down[k] if falling >= 0 else down[k + 1])
            slope = (grow + shrink) / (high - low)
            at = slope.max(low).min(high)  # where base + slope·(t − low) − t²/2 is largest
            yield base + slope * (at - low) - at * at / 2

    def _beyond(self, end: arb, own: arb, other: arb, cosine: arb) -> arb:
        """Bound ∫_end^∞ φ(t)·sup|w(t)|^own·sup|w(−t)|^other dt by a falling integrand (lemma 6)."""
        sigma = ball(self.sigma)
        log = self._log_sups(own, cosine)(end)
        if other >= 0:
            log += self._log_sups(other, cosine)(-end)
        else:
            log += other * ball(1 - self.rate).log()
        if not own > 0:
            return log.exp() * normal_tail(end)
        shift = own / sigma
        if not end >= shift:
            raise ArithmeticError("the nodes end before the integrand falls")
        return (log - shift * end + shift * shift / 2).exp() * normal_tail(end - shift)


def _powers(base: acb, count: int) -> list[acb]:
    """Return base^k for k < count, by halves: else a product's ball would swell at each step."""
    found = [acb(1), base]
    for k in range(2, count):
        found.append(found[k // 2] * found[k - k // 2])
    return found[:count]


def _weights(weight: Weight | None, mesh: Mesh, eta: arb, b: arb) -> list[acb] | None:
    """Return a weight at the nodes of a line."""
    if weight is None:
        return None
    return [weight.at(acb(eta * j, b)) for j in range(-mesh.left, mesh.right + 1)]
