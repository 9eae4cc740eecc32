"""Trade-off curves and the figures that are read from them."""

import itertools
import json
import math
import sys
import time
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import optimize, special, stats

from dporacle import claims, enclosures, fast, reference, risk
from dporacle.claims.risks import setting_of
from dporacle.cli import main
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.random_allocation import Allocation, blocks
from dporacle.enclosures.groups import phase_of
from dporacle.enclosures.tradeoff import gaussian, pairs
from dporacle.enclosures.tradeoff.area import area
from dporacle.enclosures.tradeoff.curve import BITS, TradeoffCurve
from dporacle.enclosures.tradeoff.one_sided import mu_above
from dporacle.enclosures.tradeoff.power import rates
from dporacle.mechanisms.training import read_training
from support.cases import rows
from support.strategies import positives
from support.truths.laws import binomial

RATES = [Fraction(each) for each in ("1e-6", "1e-3", "0.1", "0.5", "0.999")]


def inside(ball, value, *, digits=None):
    """Whether a value, known to some digits, is in a ball that is as tight."""
    low, high = (ends := bounds(ball))
    slack = abs(Fraction(value)) / 10**digits if digits else 0
    assert low - slack <= Fraction(value) <= high + slack, (ends, value)


def laplace(scale: Fraction) -> TradeoffCurve:
    return pairs.one_order(
        lambda x, digits: enclosures.laplace_delta_at_epsilon(epsilon=x, scale=scale, digits=digits)
    )


def discrete(sigma: Fraction) -> TradeoffCurve:
    return pairs.one_order(
        lambda x, digits: enclosures.discrete_delta_at_epsilon(
            epsilon=x, sigma=sigma, sensitivity=1, digits=digits
        )
    )


CURVES = st.one_of(
    positives(1e-6, 30.0).map(lambda mu: pairs.gaussian(Fraction(mu) ** 2)),
    positives(0.05, 50.0).map(lambda b: laplace(Fraction(b))),
    positives(0.3, 20.0).map(lambda s: discrete(Fraction(s))),
    st.tuples(
        positives(0.5, 8.0),
        positives(1e-3, 1.0),
        st.integers(1, 500),
        st.sampled_from(pairs.DIRECTIONS),
    ).map(lambda run: pairs.steps([(Fraction(run[0]), Fraction(run[1]), run[2])], run[3])),
    st.tuples(  # groups
        positives(1.5, 30.0),
        positives(1e-3, 0.4),
        st.integers(1, 500),
        st.integers(2, 8),
        st.sampled_from(("remove", "add")),
    ).map(
        lambda run: pairs.steps(
            [phase_of(*map(Fraction, run[:2]), *run[2:4], None, run[4])], run[4]
        )
    ),
    st.tuples(positives(0.6, 10.0), st.integers(2, 1000), st.sampled_from(("remove", "add"))).map(
        lambda run: pairs.balls_and_bins(Fraction(run[0]), *run[1:])
    ),
)


@settings(max_examples=4)
@example(curve=pairs.steps([(Fraction(1), Fraction(1, 100), 1000)], "remove"))
@example(curve=laplace(Fraction(1)))
@example(curve=discrete(Fraction(1)))
@example(curve=pairs.steps([(Fraction("0.8"), Fraction("0.034"), 5000)], "add"))
@example(curve=pairs.steps([(Fraction("4.11"), Fraction("0.00277"), 4)], "remove"))
@example(curve=pairs.steps([phase_of(Fraction(33), Fraction("0.003"), 450, 8, None, "add")], "add"))
@example(curve=pairs.balls_and_bins(Fraction(10), 2, "add"))
@example(curve=pairs.balls_and_bins(Fraction("0.6"), 1000, "remove"))
@given(curve=CURVES)
def test_it_is_a_trade_off_curve(curve):
    """Convex, falling, and under the diagonal; each rate to six digits, within three seconds."""
    known = []
    for fpr in RATES:
        started = time.process_time()
        found = rates(curve, fpr)
        assert time.process_time() - started < 3
        for each in (found.found, found.missed):
            low, high = bounds(each)
            assert 0 <= low <= high <= 1
            assert high - low <= Fraction(21, 10**7) * high
        low, high = bounds(found.missed)
        assert low <= 1 - fpr
        assert bounds(found.found)[1] >= fpr
        known.append((fpr, low, high))
    points = [(Fraction(0), Fraction(0), Fraction(1)), *known, (Fraction(1), *[Fraction(0)] * 2)]
    for (_, _, high), (_, low, _) in itertools.pairwise(points):
        assert low <= high
    for (x, _, left), (y, low, _), (z, _, right) in zip(
        points, points[1:], points[2:], strict=False
    ):
        assert low <= left + (right - left) * (y - x) / (z - x)


@given(mu=positives(1e-3, 20.0), fpr=positives(1e-12, 0.5), other=st.booleans())
@settings(max_examples=40)
@example(mu=1.0, fpr=1e-6, other=False)
def test_gaussian_curves_are_those_of_the_closed_form(mu, fpr, other):
    alpha = 1 - Fraction(fpr) if other else Fraction(fpr)
    curve = pairs.gaussian(Fraction(mu) ** 2)
    found = rates(TradeoffCurve(curve._first, curve._second), alpha)  # by the search
    closed = rates(curve, alpha)
    assert found.missed.overlaps(closed.missed)
    assert found.found.overlaps(closed.found)
    exact = enclosures.gdp_tradeoff(alpha=alpha, mu=mu, digits=20)
    inside(found.missed, bounds(exact)[0], digits=18)


@given(b=positives(0.05, 50.0), fpr=positives(1e-9, 0.999999))
@settings(max_examples=40)
@example(b=1.0, fpr=0.5)
def test_laplace_curves_are_those_of_the_closed_form(b, fpr):
    """With m = D/b, tests are thresholds: the best TPR is one of three branches."""
    with mp.workdps(40):
        m, alpha = 1 / mpf(b), mpf(fpr)
        if alpha < mp.exp(-m) / 2:
            exact = mp.exp(m) * alpha
        elif alpha <= mpf(1) / 2:
            exact = 1 - mp.exp(-m) / (4 * alpha)
        else:
            exact = 1 - mp.exp(-m) * (1 - alpha)
        value = Fraction(*map(int, mp.mpf(exact).as_integer_ratio()))
    inside(rates(laplace(Fraction(b)), Fraction(fpr)).found, value, digits=30)


def test_discrete_curves_are_those_of_the_neyman_pearson_test():
    """Outcomes from the largest ratio on, the last one by a coin."""
    sigma = Fraction(1)
    with mp.workdps(40):
        weights = {k: mp.exp(-(mpf(k) ** 2) / 2) for k in range(-60, 61)}
        total = mp.fsum(weights.values())
        law = {k: weights[k] / total for k in weights}
        for fpr in ("0.3", "0.01", "1e-5"):
            left, exact = mpf(fpr), mpf(0)
            for k in range(60, -60, -1):  # p(k) = law[k − 1] against q(k) = law[k]
                share = min(mpf(1), left / law[k])
                exact += share * law.get(k - 1, mpf(0))
                left -= share * law[k]
            value = Fraction(*map(int, mp.mpf(exact).as_integer_ratio()))
            inside(rates(discrete(sigma), Fraction(fpr)).found, value, digits=30)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_one_sampled_step_is_a_threshold_on_the_output(direction):
    sigma, q, alpha = mpf("1.3"), mpf("0.05"), mpf("1e-4")
    with mp.workdps(40):
        z = -mp.sqrt(2) * mp.erfinv(2 * alpha - 1)

        def with_record(x):
            return (1 - q) * mp.ncdf(-x) + q * mp.ncdf(1 / sigma - x)

        if direction == "remove":
            exact = with_record(z)
        else:  # the record was left out where the output is small
            t = mp.findroot(lambda x: 1 - with_record(x) - alpha, -z)
            exact = mp.ncdf(t)
        value = Fraction(*map(int, mp.mpf(exact).as_integer_ratio()))
    curve = pairs.steps([(Fraction("1.3"), Fraction("0.05"), 1)], direction)
    inside(rates(curve, Fraction("1e-4")).found, value, digits=30)


def test_figures_that_were_found_by_another_inversion():
    curve = pairs.steps([(Fraction(1), Fraction(1, 100), 1000)], "remove")
    for fpr, tpr in (
        ("0.1", "0.1942011316"),
        ("0.01", "0.0291390946"),
        ("1e-3", "0.00406844788"),
        ("1e-6", "9.36750897e-6"),
    ):
        inside(rates(curve, Fraction(fpr)).found, tpr, digits=8)
    inside(curve.advantage(), "0.16101761970", digits=10)
    both = pairs.steps([(Fraction(1), Fraction(1, 100), 1000)], "both")
    for epsilon, mu in ((0, "0.40639"), (2, "0.46901"), (8, "0.75130"), (20, "1.13059")):
        inside(gaussian.mu_at(both, Fraction(epsilon)), mu, digits=4)
    fit = gaussian.best_fit(both)
    assert 0.41096 < float(fit.mu) < 0.41100
    assert 8.92e-4 < float(fit.regret) < 8.98e-4


def on_a_grid(sigma, q, steps, cell, size=1 << 21, *, group=1):
    """P and Q of the loss of all steps on a grid from its floor, by Fourier transforms.

    A value is shared by its two neighbours in proportion, so that the mean stays and the variance
    rises: by the last number, relatively.
    """
    chances = binomial(group, q)
    y, floor = np.linspace(-12, 12 + group / sigma, 2_000_001), group * math.log1p(-q)
    moved = [p * np.exp(j * y / sigma - j**2 / (2 * sigma**2)) for j, p in enumerate(chances)]
    loss, weights = np.log(sum(moved)), np.exp(-(y**2) / 2)
    place = (loss - floor) / cell
    low = np.floor(place)
    share = place - low
    laws = []
    for w in (weights * np.exp(loss), weights):
        w = w / w.sum()
        at = low.astype(int) % size
        mass = np.bincount(at, w * (1 - share), size)
        mass += np.bincount((at + 1) % size, w * share, size)
        whole = np.fft.irfft(np.exp(steps * np.log(np.fft.rfft(mass) + 0j)), size)
        mean, square = np.sum(w * loss), np.sum(w * loss**2)
        start = int((steps * (mean - floor) / cell) - size * 0.3)
        laws.append((whole, start))
    rise = cell**2 * np.sum(w * share * (1 - share)) / (square - mean**2)
    return *(np.roll(whole, -laws[1][1]) for whole, _ in laws), rise


@pytest.mark.thorough("transforms of two million cells")
@pytest.mark.parametrize(
    ("sigma", "q", "steps", "fpr"),
    [
        ("9", "0.05", 400, "1e-5"),  # of a group of four
        ("1", "0.01", 1000, "1e-6"),
        ("0.8", "0.004", 5000, "1e-4"),
        ("0.4", "1e-4", 100000, "1e-3"),
        ("10", "0.5", 1000, "1e-6"),
        ("10", "0.01", 100000, "0.01"),
        ("1.1", "0.00427", 14063, "0.999"),
        ("0.6", "0.001", 3000, "1e-5"),
        ("0.5", "0.01", 10, "1e-6"),
        ("4", "0.9", 50, "0.1"),
    ],
)
def test_rates_are_those_of_losses_on_a_grid(sigma, q, steps, fpr):
    """Relatively 10⁻⁴, and what the grid's larger variance makes of it."""
    group = 4 if sigma == "9" else None
    p, n, rise = on_a_grid(float(sigma), float(q), steps, 2e-5, group=group or 1)
    above, below, alpha = np.cumsum(n[::-1]), np.cumsum(p[::-1]), float(fpr)
    left, under = np.cumsum(n), np.cumsum(p)
    for direction in ("remove", "add"):
        setting = risk.dp_sgd(
            noise_multiplier=Fraction(sigma),
            rate=Fraction(q),
            steps=steps,
            direction=direction,
            group=group,
        )
        if direction == "remove":
            found, missed = np.interp(alpha, above, below), np.interp(1 - alpha, left, under)
        else:
            found, missed = np.interp(alpha, under, left), np.interp(1 - alpha, below, above)
        figures = risk.Figures(setting)
        low, high = figures.tpr(Fraction(fpr)) if alpha < 0.5 else figures.fnr(Fraction(fpr))
        assert high <= low * (1 + 1e-4)
        value = found if alpha < 0.5 else missed
        assert low * (1 - 1e-4 - 2 * rise) <= value <= high * (1 + 1e-4 + 2 * rise)


@pytest.mark.parametrize(
    ("sigma", "q", "steps", "group", "fpr"),
    [(1.57, 0.35, 158, 5, 1e-6), (5.37, 0.364, 349, 8, 1e-6), (1, 0.35, 158, 5, 1e-3)],
)
def test_the_rate_next_to_1_is_that_of_a_tilted_loss_on_a_grid(sigma, q, steps, group, fpr):
    """One tilt by e^{sL} has both tails: E_Q[f(L)] is e^{K(s)T} times the tilted E[f(L)e^{-sL}]."""
    cell, size = 1e-3, 1 << 17
    y = np.linspace(-14, 14 + group / sigma, 100_001)
    parts = enumerate(binomial(group, q))
    moved = [math.log(p) + j * y / sigma - (j / sigma) ** 2 / 2 for j, p in parts]
    loss = np.logaddexp.reduce(moved)
    log = math.log((y[1] - y[0]) / math.sqrt(2 * math.pi)) - y**2 / 2

    def tilt(s):
        total = np.logaddexp.reduce(log + s * loss)
        return total, np.exp(log + s * loss - total)

    def excess(s):  # of ln Q(L > t), about, at the place t = K'(s) where the tilt puts the middle
        total, weights = tilt(s)
        return steps * (total - s * (weights @ loss)) - math.log(fpr)

    s = optimize.brentq(excess, 1e-6, 1)
    total, weights = tilt(s)
    low, share = np.divmod((loss - loss.min()) / cell, 1)
    at = low.astype(int)
    mass = np.bincount(at, weights * (1 - share), size) + np.bincount(at + 1, weights * share, size)
    first = int(steps * (weights @ loss - loss.min()) / cell) - size // 2
    whole = np.roll(np.fft.irfft(np.fft.rfft(mass) ** steps, size), -first)
    place = steps * loss.min() + (first + np.arange(size)) * cell
    without = np.exp(steps * total - s * place) * np.maximum(whole, 0)
    record, above = without * np.exp(place), np.cumsum(without[::-1])[::-1]
    end = int(np.argmax(above <= fpr))
    missed = record[:end].sum() - record[end - 1] * (fpr - above[end]) / without[end - 1]
    setting = risk.dp_sgd(
        noise_multiplier=Fraction(str(sigma)), rate=Fraction(str(q)), steps=steps, group=group
    )
    least, most = risk.Figures(setting).fnr(Fraction(str(fpr)))
    assert most <= least * (1 + 3e-6)
    assert least * (1 - 1e-5) <= missed <= most * (1 + 1e-5)
    assert 1 - most <= risk.Figures(setting).tpr(Fraction(str(fpr)))[1] <= 1


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_the_curve_of_balls_and_bins_is_that_of_drawn_outputs(direction):
    """W is the mean of ten lognormals: thresholds on 400,000 of them, to five deviations."""
    curve = pairs.balls_and_bins(Fraction(1), 10, direction)
    drawn = np.random.default_rng(7).standard_normal((400_000, 10))
    ratio = np.exp(drawn - 0.5).mean(axis=1)
    for a in (0.5, 1.0, 2.0):  # H(a) = E(W − a)₊, or E(1 − aW)₊
        parts = np.maximum(ratio - a if direction == "remove" else 1 - a * ratio, 0)
        with precision(BITS):
            height = float(curve.at(Fraction(math.log(a))).height)
        assert abs(parts.mean() - height) <= 5 * parts.std() / math.sqrt(len(parts)) + 1e-12


def test_epochs_of_bins_have_the_curve_of_drawn_outputs():
    """The likelihood ratio of two epochs is a product: thresholds on 200,000 of them."""
    law = blocks(Allocation(Fraction(1), 6, 1, 2), "remove")
    curve = pairs.epochs(law, "remove")
    drawn = np.random.default_rng(8).standard_normal((200_000, 2, 6))
    ratio = np.exp(drawn - 0.5).mean(axis=2).prod(axis=1)
    for a in (0.5, 1.0, 2.0):
        parts = np.maximum(ratio - a, 0)
        with precision(BITS):
            height = float(curve.at(Fraction(math.log(a))).height)
        assert abs(parts.mean() - height) <= 5 * parts.std() / math.sqrt(len(parts)) + 1e-12


@pytest.mark.parametrize("direction", ["remove", "add", "replace-one"])
def test_random_allocation_finds_no_more_than_its_blocks(direction):
    """Its ratio is a mean over the sets of 2 of 5 batches: a threshold on drawn ones is a test."""
    words = "1 --sampling random-allocation --batches-per-epoch 5 --participations 2 --epochs 1"
    shown = json.loads(
        run(f"--noise-multiplier {words} --direction {direction} --fpr 0.1 --auc --json")
    )
    generator = np.random.default_rng(9)
    still, moved = (generator.standard_normal((200_000, 5)) for _ in range(2))
    moved[:, :2] += 1
    sets = list(itertools.combinations(range(5), 2))

    def ratio(x, sign):
        y = np.exp(sign * x - 0.5)
        return sum(y[:, i] * y[:, j] for i, j in sets) / len(sets)

    if direction == "replace-one":
        still[:, :2] -= 1
        laws = [ratio(x, 1) / ratio(x, -1) for x in (moved, still)]
    else:
        laws = [ratio(x, 1) for x in (moved, still)]
    if direction == "add":
        laws = [1 / x for x in reversed(laws)]
    threshold = np.quantile(laws[1], 0.9)
    tpr, auc = (laws[0] > threshold).mean(), stats.mannwhitneyu(*laws).statistic / 200_000**2
    assert tpr - 0.005 < shown["tpr"]["0.1"][1] < tpr * 1.15
    assert auc - 0.003 < shown["auc"][1] < auc * 1.03


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ({"kind": "risk", "fpr": "0.1", "tpr": "0.55"}, "HOLDS"),
        ({"kind": "risk", "fpr": "0.1", "tpr": "0.2"}, "UNDECIDED"),
        ({"kind": "advantage", "advantage": "0.5"}, "HOLDS"),
        ({"kind": "gdp", "mu": "1.35", "regret": "0.1", "neighbours": "add-remove"}, "UNDECIDED"),
        ({"kind": "gdp", "mu": "1.4", "up_to_epsilon": 1, "neighbours": "add-remove"}, "HOLDS"),
        ({"kind": "gdp", "mu": "0.1", "up_to_epsilon": 1, "neighbours": "add-remove"}, "UNDECIDED"),
    ],
)
def test_a_bound_refutes_no_figure(said, verdict):
    about = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.4", "steps": 5}
    about |= {"sampling": "random-allocation", "participations": 2, "released": "every-step"}
    found = claims.audit({"id": "x", "mechanism": about, "asserts": said})
    assert found.verdict == verdict, found.reason


@pytest.mark.parametrize("fpr", ["0.1", "1e-3", "1e-6"])
def test_two_batches_are_a_threshold_on_both_outputs(fpr):
    """P(W > t) by quadrature over one of two lognormals, W their mean."""
    sigma, alpha = 1.5, float(fpr)
    x = np.linspace(-10, 10, 20_001)
    weights = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) / 1000

    def above(t, shift):  # the record is in the first batch with the shift 1/σ
        first = np.exp((x + shift) / sigma - 1 / (2 * sigma**2))
        rest = np.log(np.maximum(2 * t - first, 1e-300)) + 1 / (2 * sigma**2)
        return float(weights @ special.ndtr(-sigma * rest))

    t = optimize.brentq(lambda t: above(t, 0) - alpha, 1e-3, 1e3, xtol=1e-13, rtol=1e-13)
    low, high = bounds(
        rates(pairs.balls_and_bins(Fraction(sigma), 2, "remove"), Fraction(fpr)).found
    )
    assert low * (1 - 1e-8) <= above(t, 1 / sigma) <= high * (1 + 1e-8)


@pytest.mark.parametrize("cap", [None, 2])
def test_one_step_of_a_group_is_a_threshold_on_the_output(cap):
    sigma, q, alpha = mpf("1.3"), mpf("0.05"), mpf("1e-4")
    with mp.workdps(40):
        z = -mp.sqrt(2) * mp.erfinv(2 * alpha - 1) * sigma
        exact = mp.fsum(
            mp.binomial(3, j) * q**j * (1 - q) ** (3 - j) * mp.ncdf((min(j, cap or 3) - z) / sigma)
            for j in range(4)
        )
        value = Fraction(*map(int, exact.as_integer_ratio()))
    given = {"noise_multiplier": Fraction("1.3"), "rate": Fraction("0.05"), "steps": 1}
    found = risk.Figures(risk.dp_sgd(**given, group=3, cap=cap))
    low, high = found.tpr(Fraction("1e-4"))
    assert low <= value <= high <= low * (1 + 1e-5)
    assert f"{cap or 3}√T/σ" in found.mu_note


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (
            "8 --sampling fixed-size --batch-size 5 --dataset-size 10 --steps 2 --direction add",
            "4 --sampling-rate 0.5 --steps 2 --direction add",
        ),
        ("1 --sampling cyclic --batches-per-epoch 7 --epochs 4", "1/2"),
        ("1 --sampling cyclic --batches-per-epoch 7 --steps 7 --direction replace", "1/2"),
        ("1 --sampling balls-and-bins --batches-per-epoch 1 --epochs 4", "1/2"),
    ],
)
def test_other_batches_have_the_curves_that_are_proved_of_them(words, same):
    found, other = (
        json.loads(run(f"--noise-multiplier {each} --fpr 0.01 --json")) for each in (words, same)
    )
    assert found["tpr"] == other["tpr"]
    assert found["advantage"] == other["advantage"]
    text = run(f"--noise-multiplier {words} --fpr 0.01")
    assert "Poisson" not in text
    assert "the contributions of other records" in text or "a contribution does not" in text


@settings(max_examples=3)
@given(
    sigma=positives(0.6, 6.0),
    rate=positives(1e-3, 0.9),
    steps=st.integers(1, 500),
    fpr=positives(1e-5, 0.9),
)
@example(sigma=1.0, rate=0.01, steps=1000, fpr=1e-3)
def test_the_other_order_is_the_inverse_curve(sigma, rate, steps, fpr):
    """f of (Q, P) is f⁻¹: a test's errors change places."""
    curve = pairs.steps([(Fraction(sigma), Fraction(rate), steps)], "remove")
    missed = Fraction(float(rates(curve, Fraction(fpr)).missed))
    back = rates(curve.swapped, missed).missed
    assert float(back) == pytest.approx(fpr, rel=1e-4)


@settings(max_examples=2)
@given(curve=CURVES.filter(lambda curve: curve.mu is None))
@example(curve=pairs.steps([(Fraction(2), Fraction(1, 2), 3)], "both"))
def test_no_prior_parts_the_nearest_gaussian_curve_by_more_than_the_regret(curve):
    """T-R: Δ is the largest difference of Bayes success; the fit's ends hold it."""
    both = (
        curve
        if curve._first is curve._second
        else pairs.one_order(pairs.larger(curve._first, curve._second))
    )
    fit = gaussian.best_fit(both)
    (mu, _), (least, most) = bounds(fit.mu), bounds(fit.regret)
    assert 0 <= least <= most
    nearest = pairs.gaussian(mu**2)
    gaps = []
    for prior in (Fraction(k, 40) for k in range(1, 40)):
        one, other = (bounds(each.bayes_success(prior)) for each in (both, nearest))
        gaps.append(max(one[0] - other[1], other[0] - one[1]))
    assert max(gaps) <= most * Fraction(101, 100) + Fraction(1, 10**7)


def agree(name, slack, **given):
    """The three witnesses: balls and the reference to ten digits, float64 on the safe side."""
    ball = getattr(enclosures, name)(**given, digits=14)
    low, high = bounds(ball)
    exact = Fraction(*map(int, getattr(reference, name)(**given, digits=12).as_integer_ratio()))
    assert low * (1 - Fraction(1, 10**10)) <= exact <= high * (1 + Fraction(1, 10**10))
    found = Fraction(float(getattr(fast, name)(**given)))
    least = Fraction(1, 1 << 1070)
    if name.endswith(("tradeoff", "risk")):
        assert (low - least) * (1 - Fraction(slack)) - least <= found <= high
    else:
        assert low <= found <= high * (1 + Fraction(slack)) + least
    return low, high


SHARES = st.one_of(
    positives(5e-324, 0.5),
    positives(1e-12, 0.5).map(lambda x: 1 - x),
    st.sampled_from([0.001, 0.01, 0.1, 0.5, 0.9, 0.999]),
)


@pytest.mark.statement("X.RISK.POWER")
@settings(max_examples=10)
@given(share=SHARES, size=positives(1e-12, 100.0))
@example(share=0.5, size=1.0)
@example(share=5e-324, size=1e-300)
@example(share=5e-324, size=6.736966958001856)
@example(share=2.57e-322, size=0.03758861497531552)
@example(share=1.05443e-319, size=0.020582884421627052)
@example(share=1.036131e-317, size=80.0)  # (1−π)/π is no float
@example(share=math.exp(-1) / 2, size=1.0)
def test_the_figures_of_one_release_are_those_of_all_witnesses(share, size):
    """A curve is under the diagonal, and no guess is better than the best test."""
    likelier = max(Fraction(share), 1 - Fraction(share))
    noise = {"scale": 1.0, "sensitivity": size}
    power = agree("gdp_power", 2.0**-38, alpha=share, mu=size)
    assert power[1] >= share
    assert agree("gdp_bayes_success", 2.0**-45, prior=share, mu=size)[1] >= likelier
    wrong = agree("gdp_bayes_risk", 2.0**-38, prior=share, mu=size)
    assert 0 < wrong[1] <= min(Fraction(share), 1 - Fraction(share)) * (1 + Fraction(1, 10**13))
    missed = agree("laplace_tradeoff", 2.0**-40, alpha=share, **noise)
    found = agree("laplace_power", 2.0**-40, alpha=share, **noise)
    assert missed[0] <= 1 - Fraction(share)
    assert found[0] + missed[0] <= 1 <= found[1] + missed[1]
    best = agree("laplace_bayes_success", 2.0**-45, prior=share, **noise)
    assert best[1] >= likelier


@settings(max_examples=8)
@given(
    share=st.one_of(positives(1e-9, 0.5), positives(1e-4, 0.5).map(lambda x: 1 - x)),
    sigma=positives(0.5, 20.0),
    rate=positives(1e-3, 1.0),
    direction=st.sampled_from(["add", "remove", "replace"]),
)
@example(share=0.9, sigma=4.0, rate=0.5, direction="remove")
@example(share=0.01, sigma=4.0, rate=1.0, direction="replace")
def test_the_figures_of_one_step_are_those_of_all_witnesses(share, sigma, rate, direction):
    given = {"sigma": sigma, "rate": rate, "steps": 1, "direction": direction}
    found = agree("subsampled_power", 1e-6, alpha=share, **given)
    assert found[1] >= share
    missed = bounds(enclosures.subsampled_tradeoff(alpha=share, **given))
    assert found[0] + missed[0] <= 1 <= found[1] + missed[1]
    safe = Fraction(float(fast.subsampled_tradeoff(alpha=share, **given)))
    assert missed[0] - Fraction(1, 10**6) <= safe <= missed[1]
    right = agree("subsampled_bayes_success", 1e-6, prior=share, **given)
    wrong = bounds(enclosures.subsampled_bayes_risk(prior=share, **given))
    assert right[0] + wrong[0] <= 1 <= right[1] + wrong[1]
    safe = Fraction(float(fast.subsampled_bayes_risk(prior=share, **given)))
    assert wrong[0] - Fraction(1, 10**6) <= safe <= wrong[1]


SLOW = pytest.mark.thorough("two steps by quadrature in mpmath")


@pytest.mark.parametrize(
    ("name", "share", "run"),
    [
        ("power", 0.01, (4.0, 0.5, 30, "remove")),
        ("tradeoff", 0.9, (4.0, 0.5, 30, "add")),
        ("bayes_success", 0.8, (4.0, 0.5, 30, "remove")),
        ("bayes_risk", 0.8, (4.0, 0.5, 30, "add")),
        ("bayes_risk", 0.5, (4.0, 0.5, 30, "both")),
        ("tradeoff", 0.9, (4.0, 0.5, 30, "both")),
        ("bayes_success", 0.2, (4.0, 0.5, 30, "both")),
        pytest.param("power", 0.001, (1.0, 0.01, 2, "add"), marks=SLOW),
    ],
)
def test_the_figures_of_steps_are_those_of_the_test_itself(name, share, run):
    """By the threshold of the loss, from its moments or by quadrature, and by the convex dual."""
    at = "prior" if "bayes" in name else "alpha"
    given = dict(zip(("sigma", "rate", "steps", "direction"), run, strict=True))
    agree(f"subsampled_{name}", 1e-6, **{at: share}, **given)


@pytest.mark.parametrize("share", [5e-324, 1.036131e-317, 1e-310])
def test_the_bayes_risk_at_a_prior_whose_odds_are_no_float(share):
    run = {"sigma": 4.0, "rate": 0.5, "steps": 1, "direction": "remove"}
    _, high = bounds(enclosures.subsampled_bayes_risk(prior=share, **run))
    found = float(fast.subsampled_bayes_risk(prior=share, **run))
    assert share - 1e-323 <= found <= high
    several = {"sigma": 1.0, "rate": 0.01, "steps": 10, "direction": "remove"}
    assert fast.subsampled_bayes_risk(prior=5e-324, **several) == 0.0  # once a NaN
    assert fast.gdp_bayes_risk(prior=share, mu=3.2e183) == 0.0


def test_a_power_next_to_1_is_rounded_up():
    run = {"sigma": 2.4874446234055543, "rate": 0.2284207609597076, "steps": 939}
    given = {"alpha": 0.99609375, **run, "direction": "both"}
    low, _ = bounds(enclosures.subsampled_power(**given))
    assert low <= Fraction(float(fast.subsampled_power(**given)))


def test_figures_of_steps_refuse_what_is_no_share():
    given = {"sigma": 1, "rate": 0.5, "steps": 1}
    for witness in (enclosures, fast, reference):
        for bad in (0, 1, math.nan):
            with pytest.raises(ValueError, match="alpha"):
                witness.subsampled_power(alpha=bad, **given, direction="add")
        with pytest.raises(ValueError, match="direction must be"):
            witness.subsampled_tradeoff(alpha=0.5, **given, direction="sideways")


@pytest.mark.statement("X.RISK.AUC")
@given(size=positives(1e-300, 40.0))
@settings(max_examples=20)
@example(size=1.0)
@example(size=5e-324)
def test_areas_are_those_of_all_witnesses(size):
    """More than one half, and no more than the advantage allows."""
    for low, high in (
        agree("gdp_auc", 2.0**-45, mu=size),
        agree("laplace_auc", 2.0**-45, scale=1.0, sensitivity=size),
    ):
        assert high >= Fraction(1, 2)
        assert low <= 1


def of_few_digits(name, digits, **run):
    """Balls of one digit, of some and of more that meet, the reference in them."""
    ask = getattr(enclosures, name)
    balls = [bounds(ask(**run, digits=each)) for each in (1, digits - 1, digits)]
    assert max(low for low, _ in balls) <= min(high for _, high in balls)
    low, high = balls[-1]
    assert high - low <= high * Fraction(10) ** (1 - digits)
    exact = Fraction(*map(int, getattr(reference, name)(**run).as_integer_ratio()))
    assert low * (1 - Fraction(1, 10**6)) <= exact <= high * (1 + Fraction(1, 10**6))
    return exact, Fraction(float(getattr(fast, name)(**run)))


OF_STEPS = {"sigma": positives(0.5, 20.0), "rate": positives(1e-2, 1.0)}


@settings(max_examples=6)
@given(**OF_STEPS, steps=st.integers(1, 300))
@example(sigma=1.0, rate=0.01, steps=1000)
@example(sigma=2.0, rate=1.0, steps=3)
@example(sigma=10.0, rate=0.1, steps=100)
def test_areas_of_dp_sgd_are_those_of_all_witnesses(sigma, rate, steps):
    agree("subsampled_auc", 1e-10, sigma=sigma, rate=rate, steps=steps)


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
def test_areas_by_a_transform_lie_between_polygons(direction):
    for phase in ((Fraction(1), Fraction(1, 100), 1000), (Fraction(2), Fraction(1, 5), 10)):
        curve = pairs.steps([phase], direction)
        tight = area(curve)
        curve.area = None
        low, high = bounds(area(curve))
        assert low <= bounds(tight)[0] <= bounds(tight)[1] <= high
        assert bounds(tight)[1] - bounds(tight)[0] < Fraction(1, 10**8)


def test_an_area_out_of_a_transforms_reach_has_few_digits():
    run = {"sigma": 0.3, "rate": 1e-3, "steps": 2}
    gain = bounds(enclosures.subsampled_delta(epsilon=0, direction="remove", **run))
    low, high = bounds(enclosures.subsampled_auc(**run, digits=4))
    assert (1 + gain[0]) / 2 < high
    assert low < Fraction(1, 2) + gain[1]
    assert high - low < Fraction(1, 10**4)
    with pytest.raises(ArithmeticError, match="die out"):
        enclosures.subsampled_auc(**run, digits=12)


@pytest.mark.statement("X.RISK.REGRET")
@settings(max_examples=2)
@given(**OF_STEPS, place=st.one_of(st.just(0.0), positives(1e-3, 8.0)))
@example(sigma=2.0, rate=0.2, place=0.5)
@example(sigma=0.5, rate=0.1, place=1.0)
@example(sigma=2.0, rate=1.0, place=1.0)
def test_the_nearest_curve_is_that_of_all_witnesses(sigma, rate, place):
    """No μ has a smaller regret; that at an ε has its δ, and is at most that without sampling."""
    epsilon = math.log1p(rate * math.expm1(place / sigma))  # the loss at a place in deviations
    run = {"sigma": sigma, "rate": rate, "steps": 1}
    _, most = agree("subsampled_mu", 2.0**-20, epsilon=epsilon, **run)
    assert most <= 1 / Fraction(sigma) * (1 + Fraction(1, 10**13))
    largest, found = of_few_digits("subsampled_mu_up_to", 4, epsilon=epsilon, **run)
    assert most * (1 - Fraction(1, 10**10)) <= largest <= found * (1 + Fraction(1, 10**9))
    assert found <= largest * (1 + Fraction(1, 10**5))
    if rate == 1:
        assert bounds(enclosures.subsampled_regret(**run)) == (0, 0)
        assert fast.subsampled_regret(**run) == reference.subsampled_regret(**run) == 0
        return
    mu, found = of_few_digits("subsampled_nearest_mu", 4, **run)
    assert abs(found - mu) <= mu / 10**4
    least, found = of_few_digits("subsampled_regret", 4, **run)
    assert least <= found <= least * (1 + Fraction(1, 1000)) + Fraction(1, 10**8)
    curve = pairs.steps([(Fraction(sigma), Fraction(rate), 1)], "both")
    for other in (Fraction(9, 10), Fraction(11, 10)):
        assert bounds(gaussian.regret_of(curve, mu * other))[1] > least


@pytest.mark.parametrize("epsilon", [1e307, sys.float_info.max])
def test_a_range_up_to_the_last_floats_has_a_mu(epsilon):
    """At ε = μ²/2 Gaussian noise has a δ of almost 1/2, and these steps none: so μ < √(2ε)."""
    at = {"epsilon": epsilon, "sigma": 1.0, "rate": 0.01, "steps": 10}
    found = fast.subsampled_mu_up_to(**at)
    assert (
        fast.subsampled_mu(**at) <= found <= math.sqrt(2) * math.sqrt(epsilon) * (1 + 2.0**-36)
    )  # rounding


def test_the_nearest_curve_of_many_steps_is_that_of_balls():
    run = {"sigma": 2.0, "rate": 0.1, "steps": 100}
    low, high = bounds(enclosures.subsampled_regret(**run))
    assert low <= Fraction(fast.subsampled_regret(**run)) <= high * (1 + Fraction(1, 1000))
    low, high = bounds(enclosures.subsampled_nearest_mu(**run, digits=6))
    near = Fraction(1, 10**7)
    assert low * (1 - near) <= Fraction(fast.subsampled_nearest_mu(**run)) <= high * (1 + near)


def test_areas_are_those_of_closed_forms():
    for mu in (Fraction(1, 10), Fraction(1), Fraction(3)):
        with mp.workdps(30):  # P(X > Y), X ~ N(μ, 1), Y ~ N(0, 1)
            exact = mp.ncdf(mpf(mu.numerator) / mu.denominator / mp.sqrt(2))
            value = Fraction(*map(int, exact.as_integer_ratio()))
        curve = pairs.gaussian(mu**2)
        inside(area(curve), value, digits=20)
        inside(area(TradeoffCurve(curve._first, curve._second)), value, digits=20)  # by the search
    with mp.workdps(30):  # X = m + Laplace: P(X > Y) = 1 − e^{−m}(2 + m)/4
        exact = 1 - mp.exp(-1) * 3 / 4
        value = Fraction(*map(int, exact.as_integer_ratio()))
    inside(area(laplace(Fraction(1))), value, digits=20)


def test_no_smaller_mu_than_that_of_no_sampling_is_a_bound():
    """μ(ε) rises towards √T/σ = 2, which it does not exceed."""
    curve = pairs.steps([(Fraction(1), Fraction(1, 5), 4)], "both")
    found = [bounds(gaussian.mu_at(curve, Fraction(each))) for each in (0, 5, 20, 60)]
    assert all(high < low for (_, high), (low, _) in itertools.pairwise(found))
    assert found[-1][0] > 1.7
    assert found[-1][1] < 2
    assert risk.strict_mu(Fraction(4))[0] <= 2 <= risk.strict_mu(Fraction(4))[1]


def test_a_mu_over_a_range_is_the_largest_at_an_epsilon():
    for curve in (
        pairs.steps([(Fraction(1), Fraction(1, 100), 1000)], "both"),
        laplace(Fraction(1)),
        discrete(Fraction(1)),
    ):
        low, high = bounds(gaussian.mu_over(curve, Fraction(0), Fraction(2)))
        assert high - low <= low / 10**4
        for k in range(21):
            assert bounds(gaussian.mu_at(curve, Fraction(k, 10)))[0] <= high
    single = gaussian.mu_over(curve, Fraction(1), Fraction(1))
    inside(single, float(gaussian.mu_at(curve, Fraction(1))), digits=4)


@pytest.mark.parametrize("least", ["1e-10", "1e-3", "0.1"])
def test_a_mu_with_a_cut_off_is_the_largest_along_the_curve(least):
    """m = Φ⁻¹(1−α) + Φ⁻¹(1−β): on a grid of the part where both errors are large enough."""
    cut, normal = Fraction(least), NormalDist()
    run_of = [(Fraction(1), Fraction(1, 100), 1000)]
    for curve in (
        pairs.gaussian(Fraction(1)),
        laplace(Fraction(1)),
        pairs.steps(run_of, "remove"),
        pairs.steps(run_of, "add"),
        pairs.steps([(Fraction(2), Fraction(1, 2), 3)], "both"),
    ):
        low, high = bounds(mu_above(curve, cut))
        assert high - low <= low * Fraction(21, 10**5)
        along = []
        for alpha in (cut, *(Fraction(k, 40) for k in range(1, 40))):
            point = rates(curve, alpha)
            if bounds(point.missed)[0] >= cut and alpha >= cut:
                miss, found = float(point.missed), float(point.found)
                beyond = -normal.inv_cdf(miss) if miss < 0.5 else normal.inv_cdf(found)
                along.append(beyond - normal.inv_cdf(float(alpha)))
        other = rates(curve.swapped, cut)
        along.append(normal.inv_cdf(float(other.found)) - normal.inv_cdf(float(cut)))
        assert max(along) <= float(high) * (1 + 1e-6)
        assert max(along) >= float(low) * (1 - 1e-2)  # the grid's


def test_a_mu_that_is_said_to_be_pessimistic_is_below_the_least_one():
    curve = pairs.steps([(Fraction(1), Fraction(1, 100), 1000)], "remove")
    inside(mu_above(curve, Fraction("1e-10")), "0.5222014", digits=6)
    with pytest.raises(ArithmeticError, match="about as small"):
        mu_above(pairs.gaussian(Fraction(25)), Fraction("0.1"))


@pytest.mark.parametrize(
    ("phase", "cut"),
    [
        ((Fraction(1), Fraction(1, 10), 1), Fraction("1e-3")),
        ((Fraction("4.344"), Fraction("0.00171"), 1), Fraction("6.2791e-5")),  # μ is 6e-4
    ],
)
def test_a_mu_of_many_digits_is_that_of_the_rates_at_an_end(phase, cut):
    """It is the larger of both ends' there: the quantiles of the reference's rates."""
    low, high = bounds(mu_above(pairs.steps([phase], "remove", digits=35), cut, digits=25))
    assert high - low < low / 10**24
    given = dict(zip(("sigma", "rate", "steps"), phase, strict=True)) | {"alpha": cut}
    power = reference.subsampled_power(**given, direction="both", digits=20)
    with mp.workdps(40):
        exact = mp.sqrt(2) * (mp.erfinv(1 - 2 * mpf(cut.numerator) / cut.denominator))
        exact += mp.sqrt(2) * mp.erfinv(2 * mpf(power) - 1)
        assert abs(exact / (mpf(low.numerator) / low.denominator) - 1) < mpf(10) ** -14


def test_a_mu_inside_of_the_range_has_many_digits():
    """That of Laplace noise is the same at every small cut: its loss has no tail."""
    curve = pairs.one_order(
        lambda x, digits: enclosures.laplace_delta_at_epsilon(epsilon=x, scale=1, digits=digits),
        digits=34,
    )
    found = [mu_above(curve, Fraction(cut), digits=25) for cut in ("1e-6", "0.2")]
    assert found[0].overlaps(found[1])
    assert bounds(found[0])[1] - bounds(found[0])[0] < Fraction(1, 10**24)


def run(words, status=0):
    found = CliRunner().invoke(main, ["risk", *words.split()])
    assert found.exit_code == status, found.output
    return found.output


SHORT = "--noise-multiplier 1 --sampling-rate 0.01 --steps 100"


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("", {"tpr", "advantage", "bayes_success", "gdp"}),
        (
            "--baseline 1/16 --at-epsilon 1 --up-to-epsilon 1 --least-error 0.01",
            {
                *("tpr", "advantage", "bayes_success", "gdp"),
                *("reconstruction", "mu_at_epsilon", "mu_up_to_epsilon", "mu_at_least_error"),
            },
        ),
    ],
)
def test_the_command_answers_with_intervals(words, keys):
    shown = json.loads(run(f"{SHORT} --fpr 1e-3 --prior 0.5 {words} --json"))
    assert set(shown) == keys | {"hypotheses"}
    for low, high in (
        shown["tpr"]["0.001"],
        shown["advantage"],
        shown["bayes_success"]["0.5"],
        shown["gdp"]["mu"],
        shown["gdp"]["regret"],
    ):
        assert 0 <= low <= high <= low * (1 + 1e-4)
    assert "at any sampling rate" in shown["gdp"]["note"]
    (low, high), (left, right) = shown["advantage"], shown["bayes_success"]["0.5"]
    assert left <= (1 + high) / 2
    assert (1 + low) / 2 <= right
    if "reconstruction" in shown:
        assert shown["reconstruction"]["1/16" if "1/16" in shown["reconstruction"] else "0.0625"]


def test_the_figures_of_a_file_list_what_its_claims_are_proved_under(tmp_path):
    gaussian = 'kind = "gaussian", sigma = 4, sensitivity = 1, neighbours = "add-remove"'
    tree = gaussian.replace("gaussian", "tree-aggregation")
    mechanisms = {
        "tree": f"{tree}, steps = 9, participations = 1",
        "once": f'kind = "composition", releases = [{{{gaussian}}}]',
        "counts": 'kind = "thresholded-histogram", sigma = 4, threshold = 30, l0 = 1',
        "one": gaussian,
    }
    path = tmp_path / "claims.toml"
    path.write_text(
        'format = "dporacle-claims/1"\n'
        + "".join(
            f'[[claims]]\nid = "{name}"\nmechanism = {{{words}}}\n'
            'asserts = {kind = "advantage", advantage = 0.5, neighbours = "add-remove"}\n'
            for name, words in mechanisms.items()
        ),
        encoding="utf-8",
    )
    shown = json.loads(run(f"{path} --fpr 0.1 --json"))
    for verdict in map(claims.audit, claims.load(path).claims):
        said = [each["id"] for each in shown[verdict.claim.id]["hypotheses"]]
        assert said == [each.id for each in verdict.hypotheses]
    assert shown["tree"]["hypotheses"]
    assert "each release is made once" in run(f"{path} --fpr 0.1")


OF_EACH_SCHEME = [
    ("poisson", "sampling rate 0.1, 10 steps", "5/2", "poisson-sampling"),
    ("fixed-size", "batches of a fixed size, sampling rate 0.1, 10 steps", 10, "fixed-size"),
    ("cyclic", "cyclic batches, 10 an epoch, 1 epoch", None, "cyclic"),
    ("balls-and-bins", "balls-and-bins batches, 10 an epoch, 1 epoch", "1/4", "balls-and-bins"),
]


@pytest.mark.parametrize(("sampling", "words", "square", "first"), OF_EACH_SCHEME)
def test_a_training_has_the_curve_of_its_own_batches(sampling, words, square, first):
    """And μ² of what is told if every record took part in all that it may: it is a bound."""
    sizes = {"noise_multiplier": 2, "batch_size": 5, "dataset_size": 50, "steps": 10}
    found = risk.training(read_training(sampling=sampling, divisor="public", **sizes))
    assert found.words == f"DP-SGD: noise multiplier 2, {words}"
    assert found.sampled_mu == (None if square is None else Fraction(square))
    assert found.hypotheses[0].id == first


def test_the_words_name_the_record_and_what_is_proved_under():
    text = run(SHORT)
    assert "TPR at FPR 0.001" in text
    assert "a record that contributes the full clipping norm" in text
    assert "Poisson sampling: each record" in text
    assert "√(ΣTᵢ/σᵢ²) = 10," in text
    assert "of two records" in run(f"{SHORT} --direction replace")
    gauss = run("--sigma 2 --sensitivity 2 --releases 4")
    assert "nearest μ            2, regret 0" in gauss
    assert "not μ-GDP" not in gauss


def test_a_file_of_claims_gives_each_mechanism(tmp_path):
    file = tmp_path / "claims.toml"
    claim = """
[[claims]]
id = "{}"
mechanism = {{kind = "{}", neighbours = "add-remove", sensitivity = 1, {}}}
asserts = {{kind = "privacy", epsilon = 1, delta = 1e-5, neighbours = "add-remove"}}
"""
    content = 'format = "dporacle-claims/1"\n' + "".join(
        claim.format(*each)
        for each in (("one", "laplace", "scale = 1"), ("two", "discrete-gaussian", "sigma = 2"))
    )
    file.write_text(content)
    shown = json.loads(run(f"{file} --json --fpr 0.01"))
    assert list(shown) == ["one", "two"]
    low, high = shown["one"]["tpr"]["0.01"]
    assert low <= 0.01 * math.e <= high
    assert "wants to know which of two neighbouring data sets" in run(str(file))


GAUSS = '{kind = "gaussian", neighbours = "add-remove", sensitivity = 1, sigma = 2}'
LAP = '{kind = "laplace", neighbours = "add-remove", sensitivity = 1, scale = 3}'
LATTICE = '{kind = "discrete-gaussian", neighbours = "add-remove", sensitivity = 1, sigma = 2}'
TRAINED = 'kind = "dp-sgd", noise_multiplier = 1, sampling_rate = 0.1, steps = {}, sampling = "{}"'


def mechanism(text, folder):
    file = folder / "claims.toml"
    file.write_text(
        f'format = "dporacle-claims/1"\n[[claims]]\nid = "x"\nmechanism = {text}\n'
        'asserts = {kind = "privacy", epsilon = 1, delta = 1e-5, neighbours = "add-remove"}\n'
    )
    return claims.load(file).claims[0].mechanism


def laplace_losses(m, count):
    """[(place, p, q)] of the loss of Laplace noise: the atoms at its ends, and midpoints."""
    inner = ((2 * k + 1) * m / count - m for k in range(count))
    step = m / count / 2
    return [
        (m, mpf(1) / 2, mp.exp(-m) / 2),
        (-m, mp.exp(-m) / 2, mpf(1) / 2),
        *((x, mp.exp((x - m) / 2) * step, mp.exp(-(x + m) / 2) * step) for x in inner),
    ]


def losses(mu, parts, t):
    """P and Q of a loss above t, of Gaussian noise with other losses, [(place, p, q)]."""
    z = [(mu / 2 + (x - t) / mu, -mu / 2 + (x - t) / mu, p, q) for x, p, q in parts]
    return (mp.fsum(part[k + 2] * mp.ncdf(part[k]) for part in z) for k in (0, 1))


@pytest.mark.parametrize(
    ("releases", "digits"), [((GAUSS, LAP), 5), ((GAUSS, LATTICE), 5), ((GAUSS, LAP, LAP), 3)]
)
def test_releases_together_have_the_curve_of_their_losses(releases, digits, tmp_path):
    """The threshold is one on the loss: of the lattice a sum, of Laplace noise an integral."""
    text = f'{{kind = "composition", records = "same", releases = [{", ".join(releases)}]}}'
    setting = setting_of(mechanism(text, tmp_path))
    assert setting.reached
    if LATTICE in releases:
        law = {k: mp.exp(-mpf(k * k) / 8) for k in range(-60, 62)}
        total = mp.fsum(law.values())
        parts = [(mpf(2 * k - 1) / 8, law[k - 1] / total, law[k] / total) for k in range(-59, 61)]
    elif releases.count(LAP) == 1:
        parts = laplace_losses(mpf(1) / 3, 400)
    else:
        few = laplace_losses(mpf(1) / 3, 40)
        parts = [(x + y, p * r, q * s) for x, p, q in few for y, r, s in few]
    for t in (-0.5, 0.4, 1.5):
        tpr, fpr = losses(mpf(1) / 2, parts, mpf(t))
        found = rates(setting.curve, Fraction(str(fpr)), digits=digits - 1).found
        inside(found, str(tpr), digits=digits)


def test_where_no_pair_is_known_to_be_the_worst_the_figures_are_bounds(tmp_path):
    text = f'{{kind = "composition", releases = [{GAUSS}, {GAUSS}]}}'
    setting = setting_of(mechanism(text, tmp_path))
    assert not setting.reached
    assert "is not known" in setting.supposes
    last = "{" + TRAINED.format(9, "poisson") + ', released = "last-iterate"}'
    assert not setting_of(mechanism(last, tmp_path)).reached


@pytest.mark.parametrize(
    ("steps", "sampling", "words"),
    [
        (20, "cyclic", "--sampling cyclic --batches-per-epoch 10 --epochs 2"),
        (10, "balls-and-bins", "--sampling balls-and-bins --batches-per-epoch 10 --epochs 1"),
        (20, "balls-and-bins", "--sampling balls-and-bins --batches-per-epoch 10 --epochs 2"),
        (
            20,
            'random-allocation", participations = 2, released = "every-step',
            "--sampling random-allocation --batches-per-epoch 20 --participations 2 --epochs 1",
        ),
        (7, "swor", "--sampling fixed-size --sampling-rate 0.1 --steps 7"),
        (7, "poisson", "--sampling-rate 0.1 --steps 7"),
    ],
)
def test_a_claim_has_the_batches_of_the_options(steps, sampling, words, tmp_path):
    setting = setting_of(mechanism("{" + TRAINED.format(steps, sampling) + "}", tmp_path))
    shown = json.loads(run(f"--noise-multiplier 1 {words} --fpr 0.01 --json"))
    assert tuple(shown["tpr"]["0.01"]) == risk.Figures(setting).tpr(Fraction("0.01"))
    said = [{"id": each.id, "says": each.says} for each in setting.hypotheses]
    assert shown["hypotheses"] == said
    regret = "regret-of-a-bound" if setting.is_bound else "regret-of-every-sum"
    assert {"every-sum-released", regret} <= {each["id"] for each in said}
    assert not any("ε" in each["says"] for each in said)


@pytest.mark.parametrize(
    ("steps", "sampling", "why"),
    [
        (9, "shuffled", "for shuffled batches only bounds are known"),
        (9, "without-replacement", "for without-replacement batches only bounds are known"),
        (15, "cyclic", "steps must make whole epochs"),
    ],
)
def test_a_file_says_of_which_claims_no_curve_is_known(steps, sampling, why, tmp_path):
    mechanism("{" + TRAINED.format(steps, sampling) + "}", tmp_path)
    assert why in run(str(tmp_path / "claims.toml"), status=3)


@pytest.mark.parametrize(
    "words", ["--sigma 1 --releases 2 --fpr 1e-300", "--sigma 1e20", "--sigma 0.01"]
)
def test_gaussian_figures_at_the_ends(words):
    shown = json.loads(run(f"{words} --json"))
    for fpr, (low, high) in shown["tpr"].items():
        assert float(fpr) <= high * (1 + 1e-12)
        assert 0 < low <= high <= min(1, low * (1 + 1e-5))


def test_the_picture_has_both_scales_and_names_every_line(tmp_path):
    file = tmp_path / "curve.svg"
    run(f"--sigma 1 --fpr 1e-3 --plot {file}")
    assert file.stat().st_size > 10_000


DP_SGD = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.01", "steps": 1000}


def test_the_last_iterate_refutes_no_claim_of_risk():
    last = DP_SGD | {"released": "last-iterate"}
    refuted = [
        said
        for about, said, verdict, *_ in rows("verdicts")
        if about == DP_SGD and verdict == "VIOLATED"
    ]
    assert len(refuted) == 6
    for said in refuted:
        of_last = claims.audit({"id": "x", "mechanism": last, "asserts": said})
        assert of_last.verdict == "UNDECIDED"
        assert "last iterate" in of_last.reason
