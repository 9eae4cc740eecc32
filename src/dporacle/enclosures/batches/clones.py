"""Upper bounds of shuffling by hiding among clones (X.BAT.SHUFFLED, theorems V and U).

V, zero-out: a shuffle of T batches hides a record at least like balls and bins with Bin(T−1, p)+1
bins, but for an additive term. U, replace-one, in closed form: clones of the average of the two
records' laws. Adaptive queries; a contribution does not depend on the others in its batch.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import profile
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins
from dporacle.enclosures.batches.curves import BITS, Lattice, Product, chords
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Run

__all__ = ["hidden_epsilon", "labelled_epsilon"]

_BLOCKS = 6  # of the binomial law's left tail
_SHARE = 0.15  # of δ, for the additive term
_CELLS = 16  # of the lattice in a standard deviation


def _float_profile(mu: float, epsilon: float) -> float:
    y, w = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    tail = 0.5 * math.erfc(w / math.sqrt(2))
    return 0.5 * math.erfc(y / math.sqrt(2)) - (math.exp(min(epsilon, 700.0)) * tail)


def _profile(mu: arb, epsilon: arb) -> arb:
    return profile(epsilon / mu - mu / 2, epsilon / mu + mu / 2)[0]


def _share(run: Run, budget: float) -> Fraction:
    """Return about the largest p with E(T−1)·p·δ_{1/σ}(ln 1/p) ≤ budget."""
    mu = 1 / float(run.sigma)
    times = run.epochs * (run.batches - 1)

    def small(log_p: float) -> bool:
        return times * math.exp(log_p) * _float_profile(mu, -log_p) <= budget

    low, high = -60.0, -1e-3
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if small(middle) else (low, middle)
    return Fraction(math.exp(low))


def _missed(run: Run, p: Fraction) -> Fraction:
    """Bound E(T−1)η from above."""
    with precision(BITS):
        share = ball(p)
        eta = share * _profile(1 / ball(run.sigma), -share.log())
        return bounds(eta * (run.epochs * (run.batches - 1)))[1]


def _parts(
    run: Run, p: Fraction, tiny: float
) -> tuple[tuple[tuple[Fraction, int], ...], Fraction, Fraction]:
    """Cut Bin(T−1, p)+1 into blocks at their left ends.

    Returns:
        Weights and bins m ≥ 2, the weight of one bin, and a weight that is left out.
    """
    n = run.batches - 1
    middle, wide = n * float(p), math.sqrt(n * float(p))
    levels = {math.floor(2 * max(1.0, middle / 2) ** (k / _BLOCKS)) for k in range(_BLOCKS)}
    levels |= {math.floor(middle + k * wide) for k in (-4, -3, -2, -1, -0.3, 0.5)}
    cuts = sorted(each for each in levels | {2} if 2 <= each <= n)
    below: list[Fraction] = []
    with precision(256):
        mass, ratio = (1 - ball(p)) ** n, ball(p / (1 - p))
        total = arb(0)
        for k in range(cuts[-1]):  # total = P(C + 1 ≤ k)
            if k + 1 == cuts[len(below)]:
                below.append(min(bounds(total)[1], Fraction(1)))
            total += mass
            mass = mass * ratio * (n - k) / (k + 1)
    first = next((i for i, each in enumerate(below[1:]) if each > Fraction(tiny)), 0)
    lost = below[first] if first else Fraction(0)
    bare = Fraction(0) if first else below[0]
    ends = [*below[first + 1 :], Fraction(1)]
    parts = zip(below[first:], ends, cuts[first:], strict=True)
    return tuple((hi - lo, m) for lo, hi, m in parts if hi > lo), bare, lost


def hidden_epsilon(run: Run, target: Fraction) -> Fraction:
    """Bound the ε of zero-out by theorem V.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    goal = float(target)
    guess = balls_and_bins.pair_epsilon(balls_and_bins.mean(run), run.epochs, target, "remove").high
    epsilon, best = float(guess) * 3 + 0.1, None
    for _ in range(2):
        p = _share(run, _SHARE * goal / (1 + math.exp(min(epsilon, 600.0))))
        if p * (run.batches - 1) < 3:
            raise ArithmeticError("there are too few clones")
        found = _with_clones(run, p, target)
        if best is None or found < best:
            best = found
        if abs(float(found) - epsilon) < 0.02 * epsilon:
            break
        epsilon = float(found)
    assert best is not None
    return best


def _with_clones(run: Run, p: Fraction, target: Fraction) -> Fraction:
    tiny = float(target) * 1e-4 / run.epochs
    parts, bare, lost = _parts(run, p, tiny)
    missed = _missed(run, p)
    whole = sum((weight for weight, _ in parts), Fraction(0))
    law = Mean(1 / run.sigma**2, tuple((weight / whole, m) for weight, m in parts))

    def alone(a: arb) -> arb:
        """Return what a record without clones adds to a height."""
        if not bare:
            return ball(lost)
        mu, epsilon = 1 / ball(run.sigma), a.log()
        gauss = _profile(mu, epsilon) if epsilon > 0 else 1 - a + a * _profile(mu, -epsilon)
        return ball(lost) + ball(bare) * gauss

    curve = balls_and_bins.survey(law, tiny, cells=_CELLS, more=alone if bare else None)
    with precision(BITS):
        step = ball(curve.step)
        heights = {
            j: (ball(whole) * height + alone((step * j).exp())).upper()
            for j, height in curve.heights().items()
        }
    found = Fraction(0)
    for one in chords(curve.step, heights):
        product = Product.of(one).power(run.epochs, tiny * 1e-2)
        found = max(found, _solve(product, missed, target))
    return found


def _solve(product: Product, missed: Fraction, target: Fraction) -> Fraction:
    """Return an ε with δ(ε) + (1+e^ε)·missed ≤ target."""
    epsilon = product.epsilon(target)
    for _ in range(60):
        with precision(BITS):
            rest = target - bounds((1 + ball(epsilon).exp()) * ball(missed))[1]
            if rest <= 0:
                raise ArithmeticError("the clones' additive term is more than delta")
            if bounds(product.delta(ball(epsilon)))[1] <= rest:
                return epsilon
        following = product.epsilon(rest)
        epsilon = max(following, epsilon) + Fraction(1, 10**9)
    raise ArithmeticError("the clones' bound does not settle")


_LAMBDAS = [10 ** (k / 6) for k in range(-6, 31)]


@functools.lru_cache(maxsize=8)
def _moments(ratio: Fraction) -> tuple[dict[float, arb], arb]:
    """Enclose from above M(λ) = E e^{λθ} for many λ, and V = Eθ²; ratio is D/σ."""
    step = min(0.25, float(ratio) ** -1 * 0.2) if ratio > 1 else 0.2
    width = 14.0
    count = math.ceil(width / step)
    with precision(BITS):
        mu, h = ball(ratio), arb(step)
        strip = min(arb.pi() / (2 * mu) * arb(0.999), arb(12))
        nodes = [(h * k, (h * k * mu + mu * mu / 2) / 2) for k in range(-count, count + 1)]
        density = [(-u * u / 2).exp() / (2 * arb.pi()).sqrt() * h for u, _ in nodes]
        theta = [(t).tanh() for _, t in nodes]
        rule = 2 / (2 * arb.pi() * strip / h).expm1() * (strip * strip / 2).exp()
        cut = (-((h * count) ** 2) / 2).exp() * 2
        second = sum((d * t * t for d, t in zip(density, theta, strict=True)), arb(0))
        found = {}
        for value in _LAMBDAS:
            size = arb(value)
            total = sum(
                (d * (size * t).cosh() for d, t in zip(density, theta, strict=True)), arb(0)
            )
            found[value] = (total + (rule + cut) * size.exp()).upper()
        return found, (second + rule + cut).upper()


def _labelled_heights(run: Run, ratio: Fraction, step: Fraction, top: int) -> dict[int, arb]:
    """Bound H(e^{jΔ}) of one epoch for 0 ≤ j ≤ top by theorem U (ratio = D/σ)."""
    moments, _ = _moments(ratio)
    n = run.batches - 1
    shares = [10 ** (-k / 6) for k in range(1, 49)]
    mu, other = 2 / float(run.sigma), float(ratio)
    eta = {
        p: p / 2 * (_float_profile(mu, -math.log(p)) + _float_profile(other, -math.log(p)))
        for p in shares
    }
    logs = {value: float(each.log().mid()) for value, each in moments.items()}
    found = {}
    unit = float(step)
    for j in range(top + 1):
        k, growth = math.tanh(j * unit / 2), 1 + math.exp(j * unit)
        best = (math.inf, 0.1, 1.0)
        for p in shares:
            if growth * n * eta[p] > 1:
                continue
            for value, log_moment in logs.items():
                log_q = log_moment - value * k
                inner = p * math.expm1(min(log_q, 50.0))
                size = run.batches * math.log1p(inner)
                if size > 100:
                    continue
                first = math.exp(size) / (math.e * value * p * run.batches)
                total = growth * (first + n * eta[p])
                best = min(best, (total, p, value))
        if best[0] < 1:
            found[j] = _labelled(run, ratio, step, j, best[1], best[2])
    return found


def _labelled(run: Run, ratio: Fraction, step: Fraction, j: int, p: float, value: float) -> arb:
    with precision(BITS):
        share, size, epsilon = arb(p), arb(value), ball(step) * j
        k = (epsilon / 2).tanh()
        q = _moments(ratio)[0][value] * (-size * k).exp()
        times = run.batches
        first = (1 - share + share * q) ** times - (1 - share) ** times
        first /= arb(1).exp() * size * share * times
        edge = -share.log()
        eta = share / 2 * (_profile(2 / ball(run.sigma), edge) + _profile(ball(ratio), edge))
        return ((1 + epsilon.exp()) * (first + (times - 1) * eta)).upper()


def labelled_epsilon(run: Run, target: Fraction, distance: int) -> Fraction:
    """Bound the ε of replace-one (distance 2) or zero-out (1) by theorem U.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    ratio = distance / run.sigma
    mu = float(ratio)
    tiny = float(target) * 1e-6 / run.epochs
    top = mu * mu / 2 + mu * math.sqrt(-2 * math.log(tiny))
    if top > 100:
        raise ArithmeticError("there is too little noise for clones")
    step = Fraction(max(top / 400, min(0.01, top / 100))).limit_denominator(1 << 30)
    count = math.ceil(top / float(step))
    found = _labelled_heights(run, ratio, step, count)
    heights: dict[int, arb] = {}
    with precision(BITS):
        for j in range(count + 1):
            epsilon = ball(step) * j
            gauss = _profile(ball(ratio), epsilon).upper()
            least = min(found.get(j, gauss), gauss, key=lambda each: float(each.mid()))
            heights[j] = least
            if j:  # H_{1/a}(Q‖P) = 1 − 1/a + H_a/a, the bound being of both orders
                inverse = (-epsilon).exp()
                heights[-j] = (1 - inverse + inverse * least).upper()
    result = Fraction(0)
    one: Lattice
    for one in chords(step, heights):
        result = max(result, Product.of(one).power(run.epochs, tiny).epsilon(target))
    return result
