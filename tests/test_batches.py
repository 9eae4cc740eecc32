"""Batches as they are drawn: the enclosures, by other identities, by order, and by simulation."""

import json
import math
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from flint import acb, arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from dporacle import enclosures, fast, reference
from dporacle.cli.dp_sgd import dp_sgd
from dporacle.enclosures.analytic_gaussian import delta_at_epsilon
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import (
    SCHEMES,
    Epochs,
    Interval,
    antipodal,
    balls_and_bins,
    batches_delta,
    batches_epsilon,
    clones,
    dropped,
    fixed_size,
    half_spaces,
    scheme_of,
    shuffled,
    shuffled_once,
)
from dporacle.enclosures.batches.curves import Lattice, Product, path, polygon
from dporacle.enclosures.batches.lognormal import transform
from dporacle.mechanisms.training import TrainingRun
from dporacle.plots import dp_sgd as dp_sgd_plot
from support.dear import mostly_dear
from support.truths.divergences import divergence, excess
from support.truths.laws import binomial


def _contains(ball: arb, value: mpmath.mpf, slack: float = 1e-17) -> bool:
    with precision(400):
        gap = abs(ball - arb(mpmath.nstr(value, 40)))
        return bool(gap <= arb(slack) + 2 * ball.rad())


@pytest.mark.parametrize("variance", [Fraction(1, 400), Fraction(100, 9)])
def test_the_transform_against_quadrature(variance: Fraction) -> None:
    with mpmath.workdps(35):
        s, square = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator), variance
        v = mpmath.mpf(square.numerator) / square.denominator
        points = [acb(2, 5)]
        for z, found in zip(points, transform(points, variance, 45.0), strict=True):
            c = mpmath.mpc(float(z.real.mid()), float(z.imag.mid()))
            value = mpmath.quad(
                lambda u, c=c: mpmath.npdf(u) * mpmath.exp(-c * mpmath.exp(s * u - v / 2)),
                list(range(-14, 15)),
            )
            assert _contains(found.real, value.real)
            assert _contains(found.imag, value.imag)
            assert float(found.real.rad()) < 1e-18


def _two_batches(sigma: float, epsilon: float, remove: bool) -> mpmath.mpf:
    """δ of two batches, one epoch: Black & Scholes in one lognormal, quadrature in the other."""
    s, a = 1 / mpmath.mpf(sigma), mpmath.exp(epsilon if remove else -epsilon)

    def call(k: mpmath.mpf) -> mpmath.mpf:
        if k <= 0:
            return 1 - k
        d = -mpmath.log(k) / s + s / 2
        return mpmath.ncdf(d) - k * mpmath.ncdf(d - s)

    def over(u: mpmath.mpf) -> mpmath.mpf:
        return mpmath.npdf(u) * call(2 * a - mpmath.exp(s * u - s * s / 2))

    kink = (mpmath.log(2 * a) + s * s / 2) / s
    price = mpmath.quad(over, sorted([*range(-13, 14), kink])) / 2
    return price if remove else (price - 1 + a) / a


@pytest.mark.parametrize(("sigma", "epsilon"), [(1.0, 0.5)])
@pytest.mark.parametrize("way", ["remove", "add"])
def test_two_batches_against_black_and_scholes(sigma: float, epsilon: float, way: str) -> None:
    with mpmath.workdps(30):
        value = _two_batches(sigma, epsilon, way == "remove")
        found = batches_delta(
            epsilon=epsilon,
            sigma=sigma,
            batches=2,
            epochs=1,
            sampling="balls-and-bins",
            adjacency=way,
        )
        assert _contains(found, value)


@pytest.mark.parametrize(("sigma", "epsilon"), [("0.3", 3), ("0.5", 6)])
def test_two_batches_with_little_noise(sigma: str, epsilon: int) -> None:
    """P and Q of {W ≤ a} by an integral over one of the two outputs, in the remove direction."""
    with mpmath.workdps(20):
        s, a = 1 / mpmath.mpf(sigma), mpmath.exp(epsilon)

        def most(z: mpmath.mpf) -> mpmath.mpf:
            """The largest second output with W ≤ a, given the first."""
            rest = 2 * a - mpmath.exp(s * z - s * s / 2)
            return mpmath.log(rest) / s + s / 2 if rest > 0 else mpmath.mpf(-(10**6))

        end = mpmath.log(2 * a) / s + s / 2
        parts = [-12, -4, 0, end - 0.5, end]
        below = [
            mpmath.quad(lambda z, m=m: mpmath.npdf(z) * mpmath.ncdf(most(z) - m), parts)
            for m in (s, 0)
        ]
        value = (1 - below[0]) - a * (1 - below[1])
    common = {"epsilon": epsilon, "sigma": Fraction(sigma), "batches": 2, "epochs": 1}
    found = batches_delta(**common, sampling="balls-and-bins", adjacency="remove")
    assert float(found.mid()) == pytest.approx(float(value), rel=1e-12)


FIGURES = [
    ("0.4", 10000, 1, "1e-6", "5.245722"),
    ("1", 10000, 1, "1e-6", "0.0458222"),
    ("2", 1000, 1, "1e-5", "0.0486697"),
    ("1.1", 234, 60, "1e-5", "2.340"),
    ("3", 1000, 100, "1e-5", "0.3719"),
]


@pytest.mark.parametrize(("sigma", "batches", "epochs", "delta", "digits"), FIGURES)
def test_figures_of_balls_and_bins(
    sigma: str, batches: int, epochs: int, delta: str, digits: str
) -> None:
    low, high = bounds(
        batches_epsilon(
            delta=Fraction(delta),
            sigma=Fraction(sigma),
            batches=batches,
            epochs=epochs,
            sampling="balls-and-bins",
            adjacency="both",
        )
    )
    assert high - low < high * (Fraction(1, 10**6) if epochs == 1 else Fraction(1, 10**4))
    unit = Fraction(1, 10 ** len(digits.split(".")[1]))
    assert Fraction(digits) - unit < low <= high < Fraction(digits) + 2 * unit


def test_figures_of_shuffled_batches() -> None:
    """Method figures: the best lower bounds were 7.3090 in the first."""
    for sigma, batches, epochs, delta, least in (("0.7", 1000, 1, "1e-6", "7.30"),):
        run = Epochs(Fraction(sigma), batches, epochs)
        low = shuffled.lower(run, "zero-out", delta=Fraction(delta), epsilon=None)
        high = scheme_of("cyclic").epsilon(run, Fraction(delta), "zero-out").high
        assert Fraction(least) < low <= high


def _two_steps(
    sigma: float,
    a: float,
    record: float,
    others: np.ndarray,
    other: float,
    second: float = 0.0,
    *,
    swapped: bool = False,
) -> float:
    """H_a of two shuffled batches of one record each, by a sum over a grid of both outputs.

    Args:
        sigma: of the noise.
        a: the factor.
        record: what the record contributes, at both steps.
        others: what the other one contributes at the second step, by the first output.
        other: what it contributes at the first.
        second: what the record in its place contributes.
        swapped: take the laws in the other order.
    """
    x = np.linspace(-12 * sigma, 12 * sigma, others.size)

    def at(mean: np.ndarray | float) -> np.ndarray:
        return np.exp(-(((x - np.asarray(mean)[..., None]) / sigma) ** 2) / 2)

    def law(mine: float) -> np.ndarray:
        found = at(mine)[:, None] * at(others) + np.outer(at(other), at(mine))
        return found / found.sum()

    p, q = law(record), law(second)
    return float(divergence(*((q, p) if swapped else (p, q)), a))


def test_the_pair_that_is_conjectured_does_not_dominate() -> None:
    """Who sees the first output does better than S1's pair: T = 2, b = 1, σ = 2, ε = 1."""
    fixed = np.full(2001, -1.0)
    x = np.linspace(-24, 24, 2001)
    adaptive = np.where(x < 4.5, -1.0, 1.0)
    assert _two_steps(2.0, math.e, 1.0, fixed, -1.0) == pytest.approx(0.0036316, abs=1e-6)
    # The step's place is one of the grid's, which moves the value by a few 1e-6.
    assert _two_steps(2.0, math.e, 1.0, adaptive, -1.0) == pytest.approx(0.0038279, abs=5e-6)
    replaced = np.where(x < 2.0, -1.0, 1.0)
    assert _two_steps(2.0, math.e, 1.0, fixed, -1.0, -1.0) == pytest.approx(0.0592064, abs=1e-6)
    assert _two_steps(2.0, math.e, 1.0, replaced, -1.0, -1.0) > 0.071


_GRID = 1e-4
"""What a sum over steps h = 0.06σ may miss: (h/σ)²/8 of a density's slope along the kink."""


@pytest.mark.statement("X.BAT.HALF")
@settings(max_examples=15)
@given(st.floats(0, 1), st.floats(0, 4), st.booleans())
def test_a_replaced_record_costs_bins_with_half_the_noise(
    log_sigma: float, distance: float, swapped: bool
) -> None:
    """Two batches of one record each by quadrature, for the data set of S2, in both orders."""
    sigma = float(f"{10**log_sigma:.3g}")
    epsilon = float(f"{distance / sigma:.3g}")
    found = _two_steps(
        sigma, math.exp(epsilon), 1.0, np.full(401, -1.0), -1.0, -1.0, swapped=swapped
    )
    way = "add" if swapped else "remove"
    given = {"batches": 2, "direction": way}
    exact = enclosures.balls_and_bins_delta(epsilon=epsilon, sigma=sigma / 2, **given, digits=8)
    assert abs(float(exact) - found) <= _GRID
    value = fast.balls_and_bins_delta(epsilon=epsilon, sigma=sigma / 2, **given)
    assert value >= float(exact.lower())  # float64 is on the safe side


@pytest.mark.statement("X.BAT.CLONES")
@pytest.mark.statement("X.BAT.LABELS")
@settings(max_examples=15)
@given(
    st.floats(-0.2, 1),
    st.floats(0, 4),
    st.floats(0.01, 0.9),
    st.floats(-3, 3),
    st.tuples(*[st.sampled_from([-1.0, -0.5, 0.0, 1.0])] * 3),
    st.booleans(),
)
def test_two_batches_are_below_the_clones(
    log_sigma: float,
    distance: float,
    share: float,
    cut: float,
    others: tuple[float, float, float],
    swapped: bool,
) -> None:
    """Theorems U and V at any p and λ; the other record contributes by what it sees."""
    sigma = float(f"{10**log_sigma:.3g}")
    epsilon = float(f"{distance / sigma:.3g}")
    a, x = math.exp(epsilon), np.linspace(-12 * sigma, 12 * sigma, 401)
    later = np.where(x < cut * sigma, others[1], others[2])
    run = Epochs(Fraction(sigma), 2, 1)
    for second, apart in ((0.0, 1), (-1.0, 2)):
        found = _two_steps(sigma, a, 1.0, later, others[0], second, swapped=swapped) - _GRID
        labels = clones._Labelled(run, apart / run.sigma)
        assert all(found <= labels.bound(arb(epsilon), share, size) for size in (1.0, 10.0))
        if apart == 1:
            assert found <= _theorem_v(run, epsilon, share)


def test_no_small_data_set_is_worse_than_the_upper_end() -> None:
    """Records that contribute −1, 0 or 1, the other one by what it sees; a grid errs by 1e-5."""
    delta, sigma = 0.01, 2.0
    run = Epochs(Fraction(2), 2, 1)
    ends = scheme_of("shuffled").epsilon(run, Fraction(delta), "zero-out")
    assert ends.low <= ends.high
    x = np.linspace(-12 * sigma, 12 * sigma, 401)
    seen = [np.full(x.size, each) for each in (-1.0, 0.0, 1.0)]
    seen += [np.where(x < at, -1.0, 1.0) for at in (-2.0, 0.0, 1.0, 4.5)]
    worst = max(
        _two_steps(sigma, math.exp(ends.high), record, others, other)
        for record in (-1.0, 1.0)
        for others in seen
        for other in (-1.0, 0.0, 1.0)
    )
    assert worst <= delta + 1e-5


@pytest.mark.parametrize(
    ("epochs", "size", "records", "adjacency"),
    [(1, 100, 299, "both"), (1, 3, 7, "replace"), (2, 100, 299, "zero-out")],
)
def test_a_record_that_may_be_dropped(epochs: int, size: int, records: int, adjacency: str) -> None:
    """Two batches: an integral of the densities over two sums is above the bound."""
    sigma, batches = 0.8, records // size
    kept = Fraction(size * batches, records)
    x = np.linspace(-5, 7, 401)
    far = 1 if adjacency == "zero-out" else 2
    still, moved = (np.exp(-(((x - m) / sigma) ** 2) / 2) for m in (0, far))
    q = np.outer(still, still)
    p = float(kept) * (np.outer(still, moved) + np.outer(moved, still)) / 2 + float(1 - kept) * q
    p, q = (each.ravel() / (each.sum()) for each in (p, q))
    if epochs == 2:  # the loss of an epoch on a fine grid, twice
        low, width = -3.0, 0.002
        cells = np.floor((np.log(p / q) - low) / width).astype(int)
        p, q = (np.bincount(cells, each) for each in (p, q))
        p, q = np.convolve(p, p), np.convolve(q, q)
    delta = 1e-2
    run = Epochs(Fraction("0.8"), batches, epochs)
    bound = dropped.lower_epsilon(run, kept, Fraction(delta), adjacency)
    exact = divergence(p, q, math.exp(bound))
    assert exact > delta * 0.999  # a grid's error
    assert bound > 0


def _losses(sigma: float, batches: int, epochs: int, draws: int) -> np.ndarray:
    """Losses of balls-and-bins runs with the record."""
    rng = np.random.default_rng(20)
    total = np.zeros(draws)
    for _ in range(epochs):
        z = rng.standard_normal((draws, batches))
        z[:, 0] += 1 / sigma  # the bins are exchangeable
        total += np.log(np.exp(z / sigma - 0.5 / sigma**2).mean(axis=1))
    return total


@pytest.mark.parametrize(("sigma", "batches", "epochs", "epsilon"), [(1.0, 10, 5, 2.0)])
def test_several_epochs_against_simulation(
    sigma: float, batches: int, epochs: int, epsilon: float
) -> None:
    """A false alarm is six standard errors off: 2e-9."""
    losses = _losses(sigma, batches, epochs, 100_000)
    values = excess(losses, epsilon)
    error = values.std() / math.sqrt(len(values))
    low, high = bounds(
        batches_delta(
            epsilon=epsilon,
            sigma=sigma,
            batches=batches,
            epochs=epochs,
            sampling="balls-and-bins",
            adjacency="remove",
        )
    )
    assert values.mean() - 6 * error < high
    assert low < values.mean() + 6 * error
    assert high - low < high / 1000


def test_a_mass_that_no_fraction_holds_has_its_place_among_tests() -> None:
    """With a noise multiplier of 10⁻⁶ there are such: 1 over it is no integer of any memory."""
    small = arb(2) ** -(10**18)
    (_, steep), (mass, loss), _ = polygon([(arb("0.25"), arb("0.75")), (small, arb("0.5"))])
    assert steep.overlaps(-(2 * small).log())
    assert mass == arb("0.25")
    assert loss.overlaps(arb(0))


def test_a_path_and_chords_hold_the_gaussian_curve() -> None:
    """Of a Gaussian pair both lattice bounds are known: its own δ lies between them."""
    mu, step = 0.7, Fraction(1, 50)
    with precision(320):
        tests = []
        for k in range(-300, 301):
            c = arb(k) / 40
            tail, other = ((x / arb(2).sqrt()).erfc() / 2 for x in (c, c - arb(mu)))
            tests.append((tail.upper(), other.lower()))
        low = Product.of(path(step, tests)).power(4, 1e-20)
        exact = delta_at_epsilon(epsilon=Fraction(1, 2), sigma=1 / (2 * Fraction(mu)))
        found = low.delta(arb(0.5))
        assert found < exact
        assert found > exact * arb(0.998)


def test_a_mass_is_rounded_to_its_side() -> None:
    third = arb(1) / 3
    for upper in (False, True):
        law = Lattice(Fraction(1, 10), {0: third, 1: 1 - third}, arb(0), upper)
        cells = Product.of(law).power(3, 0.0).cells
        assert (sum(cells) > 2**136) == upper


def _said(*words: str) -> str:
    result = CliRunner().invoke(dp_sgd, words)
    assert result.exit_code == 0, result.output
    return result.output


RUN = ["--noise-multiplier", "1", "--delta", "1e-5"]


def test_the_command_answers_in_json() -> None:
    words = ["--sampling", "balls-and-bins", "--batches-per-epoch", "100", "--epochs", "1"]
    words += ["--json", "--adjacency", "both"]  # the former word
    one = json.loads(_said(*RUN, *words))
    assert one["exact"] is True
    assert list(one["epsilon"]) == ["add-remove"]
    shown = json.loads(_said(*RUN, *words, "--adjacency", "replace"))
    assert list(shown["epsilon"]) == ["add-remove", "replace-one"]
    assert shown["exact"] is True
    assert shown["exact_for"] == ["add-remove", "replace-one"]
    assert shown["epsilon"]["add-remove"] == one["epsilon"]["add-remove"]
    assert shown["note"].startswith("both ends enclose one number")
    words[-1] = "add-remove"
    assert json.loads(_said(*RUN, *words, "--neighbours", "replace-one")) == shown


def test_sizes_and_steps_say_the_same_run() -> None:
    words = ["--sampling", "cyclic", "--json"]
    first = _said(*RUN, *words, "--batches-per-epoch", "50", "--epochs", "3")
    assert first == _said(
        *RUN, *words, "--batch-size", "20", "--dataset-size", "1000", "--steps", "150"
    )
    assert json.loads(first)["exact"] is True


@pytest.mark.parametrize(
    ("batches", "epochs", "delta", "said"),
    [
        (10**12, 1, "1e-5", "batches an epoch"),
        (10, 10**11, "1e-5", "epochs are not"),
        (10, 1, "1e-400", "a delta below"),
    ],
)
def test_what_would_take_hours_is_refused_at_once(
    batches: int, epochs: int, delta: str, said: str
) -> None:
    run = Epochs(Fraction(1), batches, epochs)
    with pytest.raises(ArithmeticError, match=said):
        scheme_of("balls-and-bins").epsilon(run, Fraction(delta), "both")
    for sampling in ("shuffled", "shuffled-once"):
        found = scheme_of(sampling).epsilon(run, Fraction(delta), "zero-out")
        assert found.low <= found.high


@pytest.mark.parametrize(
    ("sigma", "batches", "delta", "high"),
    [("1.2", 1000, "1e-6", "2.65"), ("3", 1000, "1e-5", "0.0839")],
)
def test_clones_bound_one_epoch(sigma: str, batches: int, delta: str, high: str) -> None:
    """Theorem V at one ε; the method's figures are 3.4168 and 0.0834."""
    run = Epochs(Fraction(sigma), batches, 1)
    binned = scheme_of("balls-and-bins").epsilon(run, Fraction(delta), "zero-out")
    assert binned.high < clones.hidden_epsilon(run, Fraction(delta)) < Fraction(high)


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs", "delta", "high"),
    [("17.3", 10_000, 1, "1e-8", "0.0028"), ("3", 76_715, 10, "1e-9", "0.07")],
)
def test_clones_bound_many_batches(
    sigma: str, batches: int, epochs: int, delta: str, high: str
) -> None:
    """The chance of few clones is below 2^-8000 here, and counts as 2^-1000."""
    run = Epochs(Fraction(sigma), batches, epochs)
    assert clones.hidden_epsilon(run, Fraction(delta)) < Fraction(high)


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs", "delta", "high"),
    mostly_dear([("1.5", 14_000, 1, "1.7e-6", "0.42"), ("4", 1000, 10, "1e-5", "0.39")], 2),
)
def test_two_zero_outs_bound_one_replacement(
    sigma: str, batches: int, epochs: int, delta: str, high: str
) -> None:
    """Theorem U proves 6.293 and 0.740 here."""
    run = Epochs(Fraction(sigma), batches, epochs)
    found = scheme_of("shuffled").epsilon(run, Fraction(delta), "replace")
    once = shuffled.upper_epsilon(run, Fraction(delta), "zero-out")
    assert found.low <= found.high < Fraction(high)
    assert once < found.high < 3 * once


@pytest.mark.parametrize(
    ("sigma", "batches", "delta"), [("5", 116, "6.1e-11"), ("20", 2, "1e-8"), ("2", 500, "1e-12")]
)
def test_two_epochs_have_four_digits_in_the_tail(sigma: str, batches: int, delta: str) -> None:
    """Their δ comes from losses of one epoch that are far out, where the lattice was too wide."""
    found = balls_and_bins.epsilon(Epochs(Fraction(sigma), batches, 2), Fraction(delta), "both")
    assert found.high - found.low < Fraction(5, 10**5) * found.high


@pytest.mark.thorough("5 s")
def test_clones_are_tried_at_larger_epsilons_where_the_first_proves_nothing() -> None:
    high = shuffled.upper_epsilon(Epochs(Fraction(3, 2), 1000, 10), DELTA, "zero-out")
    assert Fraction("2.3") < high < Fraction("2.33")


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs", "high"), [("1.1", 234, 60, "52.68"), ("1", 1000, 10, "16.53")]
)
def test_labels_bound_several_epochs(sigma: str, batches: int, epochs: int, high: str) -> None:
    """Theorem U helps a little even with few clones; deterministic batches have 54.05 and 17.86."""
    run = Epochs(Fraction(sigma), batches, epochs)
    assert clones.labelled_epsilon(run, DELTA, 1) < Fraction(high)


def test_the_table_compares_all_schemes() -> None:
    words = ["--noise-multiplier", "2", "--delta", "1e-5", "--compare"]
    shown = json.loads(_said(*words, "--batches-per-epoch", "1", "--epochs", "1", "--json"))
    assert list(shown["schemes"]) == ["poisson", *SCHEMES, "fixed-size"]
    table = _said(*words, "--batches-per-epoch", "1", "--epochs", "1")
    assert all(f"\n{name} " in table for name in shown["schemes"])


@pytest.mark.parametrize("sampling", SCHEMES)
def test_one_batch_an_epoch_is_a_gaussian_mechanism(sampling: str) -> None:
    found = batches_epsilon(
        delta=1e-5, sigma=2, batches=1, epochs=3, sampling=sampling, adjacency="zero-out"
    )
    fixed = batches_epsilon(
        delta=1e-5, sigma=2, batches=1, epochs=3, sampling="cyclic", adjacency="both"
    )
    assert bounds(found) == bounds(fixed)


DELTA = Fraction(1, 10**5)


def test_the_picture_has_every_scheme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_sgd_plot, "_NOISES", 2)
    monkeypatch.setattr(shuffled, "_powers", lambda _: ())  # the maximum alone is quick
    run = TrainingRun(Fraction(2), Fraction(1, 10), 20)
    axes = dp_sgd_plot.epsilon_over_noise(run, DELTA, ax=Figure().subplots())
    shown = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    assert [*dict.fromkeys(each.split(",")[0] for each in shown)] == [
        "shuffled-once",
        "cyclic",
        "shuffled",
        "fixed-size",
        "balls-and-bins",
        "Poisson",
    ]
    assert not any(each.startswith("_") for each in shown)  # every curve has a name
    assert all(shown["balls-and-bins"] < shown["shuffled, at least"])
    assert all(shown["shuffled, at least"] < shown["cyclic"])
    markers = {line.get_marker() for line in axes.get_lines()}
    assert len(markers) == 6
    words = ["--batches-per-epoch", "1", "--epochs", "1", "--plot"]
    _said(*RUN, "--compare", *words, str(tmp_path / "all.png"))
    assert (tmp_path / "all.png").stat().st_size > 10_000


def test_each_line_of_the_picture_says_what_it_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends that are apart have a line each; batches of a fixed size have another relation."""

    def proved(run: TrainingRun, delta: Fraction) -> tuple[float, float]:
        return 1.0, 2.0 if run.sampling == "shuffled" else 1.0

    monkeypatch.setattr(dp_sgd_plot, "_NOISES", 2)
    monkeypatch.setattr(dp_sgd_plot, "_proved", proved)
    run = TrainingRun(Fraction(2), Fraction(1, 10), 20)
    axes = dp_sgd_plot.epsilon_over_noise(run, DELTA, ax=Figure().subplots())
    assert [line.get_label() for line in axes.get_lines()] == [
        "shuffled-once",
        "cyclic",
        "shuffled, at least",
        "shuffled, at most",
        "fixed-size, add or remove",
        "balls-and-bins",
        "Poisson, as accountants quote it",
    ]


@pytest.mark.parametrize(("adjacency", "near"), [("zero-out", 0.98), ("replace", 0.6)])
def test_two_epochs_in_one_order_have_near_ends(adjacency: str, near: float) -> None:
    """Of one record, and of two that differ: the lower end is of the distance of its relation."""
    run = Epochs(Fraction(1), 4, 2)
    found = shuffled_once.epsilon(run, Fraction(1, 10**5), adjacency)
    assert near * float(found.high) < float(found.low) <= float(found.high)
    found = shuffled_once.delta(run, Fraction(3), adjacency)
    assert near * float(found.high) < float(found.low) <= float(found.high)


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs"),
    [("1.1", 234, 24), ("1.1", 234, 60), ("1.1", 234, 200), ("0.3", 10**5, 5), ("0.3", 100, 200)],
)
def test_shuffling_once_for_many_epochs_is_nearly_a_fixed_order(
    sigma: str, batches: int, epochs: int
) -> None:
    """The mean over epochs has so little noise that no sum of exponentials can be inverted."""
    run = Epochs(Fraction(sigma), batches, epochs)
    found = shuffled_once.epsilon(run, DELTA, "zero-out")
    assert found.high * Fraction(999, 1000) < found.low <= found.high
    replaced = shuffled_once.epsilon(run, DELTA, "replace")
    assert found.low < replaced.low <= replaced.high


@pytest.mark.parametrize("sigma", ["32", "60", "1000", "1e100"])
def test_much_noise_is_answered_at_once(sigma: str) -> None:
    """Where nothing is inverted balls-and-bins lies between 0 and deterministic batches."""
    run = Epochs(Fraction(sigma), 100, 2)
    fixed = scheme_of("cyclic").epsilon(run, DELTA, "both")
    found = balls_and_bins.epsilon(run, DELTA, "both")
    assert found.low <= found.high <= fixed.high
    assert found.exact == (Fraction(sigma) < 50 or fixed.high == 0)


@pytest.mark.parametrize("sigma", ["32", "1e100"])
def test_a_replaced_record_has_a_delta_with_much_noise(sigma: str) -> None:
    delta = balls_and_bins.delta(Epochs(Fraction(sigma), 10, 2), Fraction(1, 10), "replace")
    assert 0 <= delta.low <= delta.high <= 1


@pytest.mark.parametrize("way", ["remove", "add"])
def test_an_epoch_is_enclosed_to_the_digits_asked(way: str) -> None:
    """80 nats once took minutes here; δ has four of its own."""
    law = balls_and_bins.mean(Epochs(Fraction(20), 2, 1))
    with precision(200):
        found = balls_and_bins.one_epoch_delta(law, arb(0.1), way, 12)
        assert found.rad() < found * arb(10) ** -12
        for digits in (8, 15):
            root = balls_and_bins.one_epoch_epsilon(law, DELTA, way, digits)
            assert root.rad() < root * arb(10) ** -digits
            below, above = (
                balls_and_bins.one_epoch_delta(law, end.mid(), way, 18) * 10**5
                for end in (root.lower(), root.upper())
            )
            assert above <= 1 <= below


@pytest.mark.parametrize(
    ("sigma", "epochs", "delta"),
    mostly_dear([("0.4", 1, "1e-6"), ("1.46", 2, "1.2e-12"), ("0.5", 3, "1e-5")], 3),
)
def test_a_few_batches_take_no_longer_than_many(sigma: str, epochs: int, delta: str) -> None:
    """A mean of more exchangeable terms is smaller in convex order; here 5 batches once hung."""
    ends = [
        balls_and_bins.epsilon(Epochs(Fraction(sigma), batches, epochs), Fraction(delta), "both")
        for batches in (2, 5, 8)
    ]
    for more, less in pairwise(ends):
        assert less.low <= less.high < more.low <= more.high < less.high + epochs * 3
        assert more.high - more.low < Fraction(1, 1000) * more.high


@pytest.mark.parametrize("epochs", [1, 5])
def test_replacing_a_record_is_bounded_from_below_with_little_noise(epochs: int) -> None:
    run = Epochs(Fraction(3, 10), 100, epochs)
    found = shuffled.epsilon(run, DELTA, "replace")
    assert 2 * shuffled.epsilon(run, DELTA, "zero-out").low < found.low <= found.high


@pytest.mark.parametrize(("sigma", "batches"), [(1, 10), (2, 100), ("0.8", 1000)])
def test_the_maximum_says_less_than_the_pair_that_it_tests(sigma: int | str, batches: int) -> None:
    """S2's pair is balls-and-bins at half the noise, whose value is enclosed."""
    run = Epochs(Fraction(sigma), batches, 1)
    tests = shuffled.tests(run.sigma**2, batches, 1e-9, "replace")
    for way, found in zip(("remove", "add"), tests, strict=True):
        exact = balls_and_bins.pair_epsilon(balls_and_bins.mean(run, 2), 1, DELTA, way)
        assert exact.high / 5 < half_spaces.at_delta(found, DELTA) <= exact.high


@st.composite
def epochs_of_bins(draw: st.DrawFn) -> tuple[Fraction, int, Fraction]:
    """σ, T and an ε within six standard deviations of the loss, as they are typed."""
    sigma = Fraction(f"{10 ** draw(st.floats(-0.3, 1)):.2g}")
    batches = round(10 ** draw(st.floats(0, 4)))
    mu = math.sqrt(math.log1p(math.expm1(float(sigma) ** -2) / batches))
    return sigma, batches, Fraction(f"{mu * draw(st.floats(0, 6)):.3g}")


@pytest.mark.statement("X.BAT.BINS")
@settings(max_examples=12)
@given(epochs_of_bins(), st.sampled_from(["add", "remove", "both"]))
@example((Fraction(1, 2), 2, Fraction(3)), "add")
@example((Fraction("0.317"), 17229, Fraction("1.16")), "remove")
def test_an_epoch_of_bins_in_two_witnesses(
    epoch: tuple[Fraction, int, Fraction], direction: str
) -> None:
    """Balls are nested and no float64 is below them; the order in T, σ and ε is the mechanism's."""
    sigma, batches, epsilon = epoch
    common = {"sigma": sigma, "batches": batches, "direction": direction}
    exact = enclosures.balls_and_bins_delta(epsilon=epsilon, **common, digits=14)
    assert exact.overlaps(enclosures.balls_and_bins_delta(epsilon=epsilon, **common, digits=8))
    value = fast.balls_and_bins_delta(
        epsilon=float(epsilon), sigma=float(sigma), batches=batches, direction=direction
    )
    assert arb(value) >= exact.lower() * (1 - arb(2) ** -40)  # ε and σ are rounded to floats
    more = enclosures.balls_and_bins_delta(
        epsilon=epsilon, sigma=sigma, batches=batches + 1, direction=direction
    )
    assert more <= exact
    target = Fraction(float(exact.mid()))
    if 1e-15 < target < Fraction(1, 2) and epsilon > Fraction(1, 1000):
        root = enclosures.balls_and_bins_epsilon(delta=target, **common, digits=8)
        assert abs(root - arb(float(epsilon))) < arb(float(epsilon)) * arb("1e-6")


@pytest.mark.parametrize(("sigma", "epsilon"), [(5.0, 0.3), (3.0, 0.5)])
def test_two_batches_have_more_than_the_figure_of_one(sigma: float, epsilon: float) -> None:
    """Their transform is rounded to 0 far out, where its logarithm was infinite."""
    given = {"epsilon": epsilon, "sigma": sigma, "batches": 2, "direction": "add"}
    low, high = bounds(enclosures.balls_and_bins_delta(**given, digits=15))
    assert low <= Fraction(fast.balls_and_bins_delta(**given)) <= high * (1 + Fraction(1, 10**6))


@pytest.mark.statement("X.BAT.BINS")
@pytest.mark.parametrize(
    ("sigma", "batches", "epsilon"),
    [("0.5", 2, "3"), pytest.param("2", 300, "0.1", marks=pytest.mark.thorough("3 s"))],
)
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_an_epoch_of_bins_in_the_reference(
    sigma: str, batches: int, epsilon: str, direction: str
) -> None:
    """Two distribution functions by Mellin's integral, against the price that balls invert."""
    given = {"epsilon": Fraction(epsilon), "sigma": Fraction(sigma), "batches": batches}
    exact = enclosures.balls_and_bins_delta(**given, direction=direction, digits=20)
    value = reference.balls_and_bins_delta(**given, direction=direction, digits=15)
    assert _contains(exact, value, float(exact.mid()) * 1e-15)


@pytest.mark.statement("X.BAT.ALLOC")
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_what_drawn_outputs_reach_lies_between_both_ends(direction: str) -> None:
    """The likelihood ratio of 2 of 6 batches is a mean over all pairs, and no function of a sum."""
    given = {"epsilon": 0.5, "sigma": 1.0, "batches": 6, "participations": 2}
    low, high = map(float, bounds(enclosures.random_allocation_delta(**given, direction=direction)))
    top = float(reference.random_allocation_delta(**given, direction=direction, digits=10))
    assert low < 0.99 * high
    assert top == pytest.approx(high, rel=1e-8)
    assert high * (1 - 1e-12) <= fast.random_allocation_delta(**given, direction=direction)
    drawn = np.random.default_rng(11).standard_normal((400_000, 6))
    y = np.exp(drawn - 0.5)
    ratio = (y.sum(axis=1) ** 2 - (y**2).sum(axis=1)) / 30
    parts = ratio - math.exp(0.5) if direction == "remove" else 1 - math.exp(0.5) * ratio
    parts = np.maximum(parts, 0)
    error = SPREAD * parts.std() / math.sqrt(len(parts))
    assert low - error < parts.mean() < high + error


def test_more_participations_than_batches_are_refused_by_name() -> None:
    given = {"epsilon": 0.5, "sigma": 1.0, "batches": 4, "participations": 5, "direction": "both"}
    for witness in (enclosures, reference, fast):
        with pytest.raises(ValueError, match="participations must be at most batches"):
            witness.random_allocation_delta(**given)


SPREAD = 6  # standard errors of a false alarm: 2e-9


def _bins_loss(x: np.ndarray, mean: float, sigma: float) -> np.ndarray:
    """ln of the mean over t of N(mean·e_t)'s density, over that of N(0)."""
    exponents = mean * x / sigma**2 - mean**2 / (2 * sigma**2)
    top = exponents.max(axis=1)
    return np.asarray(top + np.log(np.exp(exponents - top[:, None]).mean(axis=1)))


def _importance(
    sigma: float, batches: int, epochs: int, means: tuple[float, float], far: float, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """Losses of epochs of one moved coordinate, and weights of at most 2 for each epoch.

    Half of all epochs are drawn from the law itself, the others with the coordinate at `far`.
    """
    rng = np.random.default_rng(31)
    loss, log_weight = np.zeros(draws), np.zeros(draws)
    with_record, without = means
    for _ in range(epochs):
        x = sigma * rng.standard_normal((draws, batches))
        x[:, 0] += np.where(rng.random(draws) < 0.5, with_record, far)  # coordinates are alike
        first, other = (_bins_loss(x, m, sigma) for m in (with_record, far))
        loss += first - (_bins_loss(x, without, sigma) if without else 0.0)
        log_weight += first - np.logaddexp(first, other) + math.log(2)
    return loss, np.exp(log_weight)


def _between(values: np.ndarray, low: float, high: float) -> bool:
    """Whether a mean is not proved outside; a fifth of it is seen, with a power of 1 − 2e-9."""
    error = values.std() / math.sqrt(len(values))
    assert 2 * SPREAD * error < 0.2 * values.mean()
    return bool(low - SPREAD * error < values.mean() < high + SPREAD * error)


TINY = Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs"), mostly_dear([(1.0, 20, 1), (1.0, 20, 2), (0.7, 10, 2)], 3)
)
def test_bins_at_a_tiny_delta_against_simulation(sigma: float, batches: int, epochs: int) -> None:
    run = Epochs(Fraction(sigma), batches, epochs)
    found = balls_and_bins.epsilon(run, TINY, "remove")
    each = float(found.high) / epochs
    far = sigma**2 * (each + math.log(batches)) + 0.5
    loss, weight = _importance(sigma, batches, epochs, (1.0, 0.0), far, 500_000)
    values = weight * excess(loss, float(found.low))
    assert _between(values, 0.998e-9, 1.002e-9)


@pytest.mark.parametrize(("sigma", "batches"), [(1.0, 20), (2.0, 5)])
def test_shuffled_at_a_tiny_delta_against_simulation(sigma: float, batches: int) -> None:
    """The lower end of one epoch is below the δ of S1's pair, and within a third of it."""
    low = float(
        shuffled.lower(Epochs(Fraction(sigma), batches, 1), "zero-out", delta=TINY, epsilon=None)
    )
    far = 2 + 4 * sigma
    loss, weight = _importance(sigma, batches, 1, (2.0, 1.0), far, 400_000)
    values = weight * excess(loss, low)
    assert _between(values, 1e-9, 1.5e-9)


def test_replaced_records_at_a_tiny_delta_against_simulation() -> None:
    """Ten batches of a tenth of the records each; the record is drawn oftener, and farther out."""
    sigma, rate, steps = 2.0, 0.1, 10
    often, far = 0.4, 6.0
    found = scheme_of_fixed_size(Fraction(sigma), Fraction(1, 10), steps)
    rng = np.random.default_rng(32)
    drawn = 400_000
    loss, log_weight = np.zeros(drawn), np.zeros(drawn)
    for _ in range(steps):
        y = sigma * rng.standard_normal(drawn) - 1 + far * (rng.random(drawn) < often)
        step = np.log1p(rate * np.expm1(2 * y / sigma**2))
        loss += step
        log_weight += step - np.log1p(often * np.expm1((far * (y + 1) - far**2 / 2) / sigma**2))
    values = np.exp(log_weight) * excess(loss, float(found.low))
    assert _between(values, 0.999e-9, 1.001e-9)


def scheme_of_fixed_size(sigma: Fraction, rate: Fraction, steps: int) -> Interval:
    return fixed_size.epsilon(fixed_size.Steps(sigma, rate, steps), TINY, "remove")


def _orders(x: np.ndarray, contributions: np.ndarray, sigma: float) -> np.ndarray:
    """The density of T sums in a random order over that of N(0): a mean over all orders."""
    size = len(contributions)
    terms = np.exp((2 * x[:, :, None] * contributions - contributions**2) / (2 * sigma**2))
    places = range(size)
    total = sum(
        np.prod([terms[:, t, j] for t, j in zip(places, order, strict=True)], axis=0)
        for order in permutations(places)
    )
    return np.asarray(total / math.factorial(size))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("adjacency", ["zero-out", "replace"])
def test_no_order_of_five_records_is_above_the_clones(seed: int, adjacency: str) -> None:
    """Theorems U and V at any p, against all 120 orders of random contributions."""
    rng = np.random.default_rng(seed)
    sigma, size, draws, epsilon = 1.5, 5, 20_000, 0.3
    others = rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1, 1)], size - 1)
    second = 0.0 if adjacency == "zero-out" else -1.0
    x = sigma * rng.standard_normal((draws, size))
    p, q = (_orders(x, np.append(others, mine), sigma) for mine in (1.0, second))
    a = math.exp(epsilon)
    run = Epochs(Fraction(3, 2), size, 1)
    labels = clones._Labelled(run, (1 if adjacency == "zero-out" else 2) / run.sigma)
    for first, other in ((p, q), (q, p)):
        values = np.maximum(first - a * other, 0)
        error = values.std() / math.sqrt(draws)
        reached = values.mean() - SPREAD * error
        for share in (0.1, 0.5):
            for size_of in (1.0, 10.0):
                assert reached <= float(labels.bound(arb(epsilon), share, size_of))
        if adjacency == "zero-out":
            assert all(reached <= _theorem_v(run, epsilon, share) for share in (0.1, 0.4, 0.8))


def _theorem_v(run: Epochs, epsilon: float, p: float) -> float:
    """E_C H_a(P_{C+1} ‖ Q_{C+1}) + (1 + a)(T − 1)η, the larger order, C ~ Bin(T−1, p)."""
    sigma, n, a = float(run.sigma), run.batches - 1, math.exp(epsilon)
    total = 0.0
    for c, weight in enumerate(binomial(n, p)):
        found = balls_and_bins.delta(Epochs(run.sigma, c + 1, 1), Fraction(epsilon), "both")
        total += weight * float(found.high)
    return total + (1 + a) * n * p * balls_and_bins.gaussian_profile(1 / sigma, -math.log(p))


@st.composite
def runs(draw: st.DrawFn) -> tuple[Epochs, Fraction]:
    sigma = Fraction(f"{10 ** draw(st.floats(-0.4, 1.3)):.2g}")
    batches = round(10 ** draw(st.floats(0, 4)))
    epochs = draw(st.sampled_from([1, 1, 2, 10]))
    delta = Fraction(draw(st.sampled_from(["0.1", "1e-3", "1e-5", "1e-6", "1/60000", "1e-9"])))
    return Epochs(sigma, batches, epochs), delta


@pytest.mark.thorough("10 s")
@settings(max_examples=3)
@given(runs(), st.sampled_from(["zero-out", "replace"]))
def test_the_ends_of_shuffling_are_in_order(run: tuple[Epochs, Fraction], adjacency: str) -> None:
    """Below a fixed order, above balls-and-bins; one epoch once or anew; one batch is exact."""
    (setting, delta) = run
    found = scheme_of("shuffled").epsilon(setting, delta, adjacency)
    fixed = scheme_of("cyclic").epsilon(setting, delta, adjacency)
    assert 0 <= found.low <= found.high <= fixed.high
    once = scheme_of("shuffled-once").epsilon(setting, delta, adjacency)
    if setting.epochs == 1:
        assert (once.low, once.high) == (found.low, found.high)
    if setting.batches == 1:
        assert (found.low, found.high) == (fixed.low, fixed.high)
    if adjacency == "zero-out":
        assert balls_and_bins.epsilon(setting, delta, "both").low <= found.low
    less = Epochs(setting.sigma * Fraction(11, 10), setting.batches, setting.epochs)
    assert scheme_of("shuffled").epsilon(less, delta, adjacency).low <= found.high


def test_few_batches_far_in_the_tail_take_no_time() -> None:
    """A line whose nodes want millions of digits is not the cheap one of 30 nodes."""
    epsilon, sigma = Fraction(28.441006500532172), Fraction(0.8693762690136229)
    law = balls_and_bins.mean(Epochs(sigma, 3, 1))
    with precision(400):
        found = balls_and_bins.one_epoch_delta(law, ball(epsilon), "add")
    assert found.abs_upper() < arb(10) ** -80
    with pytest.raises(ArithmeticError, match="no 12 digits"):
        enclosures.balls_and_bins_delta(epsilon=epsilon, sigma=sigma, batches=3, direction="both")


@pytest.mark.parametrize(
    ("sigma", "batches", "epochs", "delta", "least"),
    mostly_dear([("2", 10, 1, "1e-5", "2.188"), ("0.5", 18, 1, "1.6e-7", "24.9")], 2),
)
def test_replacing_a_record_costs_no_less_than_zeroing_it(
    sigma: str, batches: int, epochs: int, delta: str, least: str
) -> None:
    """Where one order of the pair is not inverted the largest sum still tests it."""
    run = Epochs(Fraction(sigma), batches, epochs)
    both = [shuffled.epsilon(run, Fraction(delta), each) for each in ("zero-out", "replace")]
    assert both[0].low <= both[1].low <= both[1].high
    assert both[1].low > Fraction(least)


@pytest.mark.parametrize("way", ["remove", "add"])
@pytest.mark.parametrize(
    ("sigma", "batches", "epochs"), [("0.3", 100, 1), ("2", 10, 2), ("20", 100, 1)]
)
def test_what_stands_in_for_an_inversion_holds_the_value(
    way: str, sigma: str, batches: int, epochs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest sum tests the removed record alone: for the added one it would say too much."""
    run, epsilon = Epochs(Fraction(sigma), batches, epochs), Fraction(1, 10)
    values = [balls_and_bins.epsilon(run, DELTA, way), balls_and_bins.delta(run, epsilon, way)]

    def refuse(*_: object) -> Interval:
        raise ArithmeticError

    monkeypatch.setattr(balls_and_bins, "pair_epsilon", refuse)
    monkeypatch.setattr(balls_and_bins, "pair_delta", refuse)
    others = [balls_and_bins.epsilon(run, DELTA, way), balls_and_bins.delta(run, epsilon, way)]
    for exact, found in zip(values, others, strict=True):
        assert found.low <= exact.high
        assert exact.low <= found.high
        assert found.low > 0


@pytest.mark.parametrize("sigma", ["0.1", "1"])
@pytest.mark.parametrize("sampling", SCHEMES)
def test_the_ends_of_a_replaced_record_are_in_order(sampling: str, sigma: str) -> None:
    """In balls and bins one is 1 or −1 among outputs at 0: their largest sum moves by 1, not 2."""
    run = Epochs(Fraction(sigma), 10, 1)
    found = scheme_of(sampling).epsilon(run, DELTA, "replace")
    assert 0 < found.low <= found.high
    at = scheme_of(sampling).delta(run, found.low / 2, "replace")
    assert 0 < at.low <= at.high


def test_much_noise_needs_no_more_frequencies() -> None:
    """The line of z is turned by about s: none was so small, and σ 1000 took 44 times as many."""
    counts = []
    for sigma in (20, 1000):
        with precision(300):
            tails = antipodal._Tails(antipodal.Antipodal(Fraction(sigma), 100), 50.0)
            v = arb(0.5) / sigma
            end, _ = tails.beyond(v, 50.0, shifted=True)
            counts.append(antipodal._frequencies(tails, v, 50.0, arb(end), arb(2 * end))[0])
    assert counts[0] == counts[1] < 40


def test_a_delta_far_below_all_others_is_not_sought() -> None:
    """One Gaussian release bounds it: it took eight seconds to say as much."""
    found = balls_and_bins.delta(Epochs(Fraction(1000), 10, 1), Fraction(1, 10), "replace")
    assert found.low == 0
    assert found.high < Fraction(1, 10**39)


def test_a_tiny_delta_with_little_noise_is_told() -> None:
    """The slope is e^43 times a tail: without the digits of both no Newton step ended."""
    run = Epochs(Fraction("0.29"), 10, 1)
    low, high = bounds(
        balls_and_bins.one_epoch_epsilon(balls_and_bins.mean(run), Fraction(1, 10**30), "remove")
    )
    assert Fraction("42.733741") < low <= high < Fraction("42.733742")
