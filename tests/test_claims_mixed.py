"""Compositions of Gaussian, discrete Gaussian and Laplace noise: two bounds from a grid."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import Content, judged, privacy, release
from test_audit_kinds import discrete_noise

from dporacle import claims
from dporacle.claims import convolution
from dporacle.claims.losses import DiscreteGaussianLoss, LaplaceLoss, LossLaw, PrivacyLoss
from dporacle.enclosures import discrete_gaussian
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from support.truths.divergences import mean_excess

FEW = 24
BITS = 90


def bounds(loss: PrivacyLoss, epsilon: Fraction, cells: int = FEW) -> tuple[Fraction, Fraction]:
    below, above = convolution.bounds(loss, epsilon, cells=cells, bits=BITS)
    return rounding.bounds(below)[0], rounding.bounds(above)[1]


def laws(*several: tuple[LossLaw, int], mu_squared: Fraction = Fraction(0)) -> PrivacyLoss:
    loss = PrivacyLoss(mu_squared)
    for law, times in several:
        loss += PrivacyLoss(others={law: 1}).times(times)
    return loss


variances = st.fractions(Fraction(1, 4), 60, max_denominator=12)
epsilons = st.fractions(0, 6, max_denominator=40)


@settings(max_examples=15)
@given(variances, st.integers(1, 6), epsilons)
@example(Fraction(4), 1, Fraction(1))
def test_one_discrete_release_is_its_exact_profile(
    variance: Fraction, distance: int, epsilon: Fraction
) -> None:
    low, high = bounds(laws((DiscreteGaussianLoss(variance, distance), 1)), epsilon)
    exact = discrete_gaussian.profile_of_variance(epsilon, variance, distance, 40)
    least, most = rounding.bounds(exact)
    assert low <= most
    assert high >= least
    assert high - low < Fraction(1, 2**70)


@settings(max_examples=15)
@given(st.fractions(Fraction(1, 50), 6, max_denominator=60), epsilons)
@example(Fraction(1), Fraction(1, 2))
def test_one_laplace_release_is_its_exact_profile(ratio: Fraction, epsilon: Fraction) -> None:
    low, high = bounds(laws((LaplaceLoss(ratio), 1)), epsilon)
    with mpmath.workdps(30):
        gap = mpmath.mpf((ratio - epsilon).numerator) / (ratio - epsilon).denominator
        exact = max(mpmath.mpf(0), -mpmath.expm1(-gap / 2))
        assert float(low) <= exact + mpmath.mpf(2) ** -80
        assert float(high) >= exact - mpmath.mpf(2) ** -50
    assert high - low < Fraction(1, 200)


@pytest.mark.statement("X.C6")
@pytest.mark.parametrize(
    ("one", "other", "epsilon", "mu"),
    [
        (Fraction(4), Fraction(8), Fraction(1), Fraction(0)),
        (Fraction(4), Fraction(8), Fraction(1), Fraction(1, 2)),
        (Fraction(7, 3), Fraction(30), Fraction(0), Fraction(1)),
        (Fraction(7, 3), Fraction(55, 12), Fraction(5, 2), Fraction(0)),
    ],
)
def test_two_discrete_releases_and_a_gaussian_one(
    one: Fraction, other: Fraction, epsilon: Fraction, mu: Fraction
) -> None:
    """By summing over every pair of outputs in float64."""
    loss = laws(
        (DiscreteGaussianLoss(one, 1), 1), (DiscreteGaussianLoss(other, 2), 1), mu_squared=mu**2
    )
    low, high = bounds(loss, epsilon)
    value = 0.0
    points = []
    for variance, distance in ((one, 1), (other, 2)):
        y = np.arange(-130, 131)
        mass = np.exp(-(y**2) / (2 * float(variance)))
        shift = (2 * (y + distance) * distance - distance**2) / (2 * float(variance))
        points.append((mass / mass.sum(), shift))
    mass = np.outer(points[0][0], points[1][0]).ravel()
    total = np.add.outer(points[0][1], points[1][1]).ravel()
    if mu:
        # H_{e^e} of N(μ, 1) against N(0, 1) for every real e.
        from scipy.stats import norm

        y = (float(epsilon) - total) / float(mu) - float(mu) / 2
        shift = float(epsilon) - total
        with np.errstate(over="ignore", invalid="ignore"):
            second = np.exp(shift + norm.logsf(y + float(mu)))
        value = float(np.sum(mass * (norm.sf(y) - second)))
    else:
        value = mean_excess(total, float(epsilon), mass)
    assert float(low) <= value + 1e-12
    assert float(high) >= value - 1e-12
    assert high - low <= Fraction(1, 20) * max(high, Fraction(1, 10**4))


@pytest.mark.parametrize(
    ("ratios", "epsilon"),
    [
        ([Fraction(1), Fraction(1)], Fraction(1)),
        ([Fraction(1, 2), Fraction(3, 4), Fraction(1)], Fraction(1, 2)),
        ([Fraction(1, 3), Fraction(1, 7)], Fraction(0)),
    ],
)
def test_laplace_releases_by_drawing_none(ratios: list[Fraction], epsilon: Fraction) -> None:
    """By summing over cells of outputs, whose losses are between those of their ends."""
    loss = PrivacyLoss()
    for ratio in ratios:
        loss += laws((LaplaceLoss(ratio), 1))
    low, high = bounds(loss, epsilon, cells=48)
    pairs = []
    for ratio in ratios:
        m = float(ratio)
        x = np.linspace(-m, m, 161)
        upper = np.append(1 - np.exp(-(m - x) / 2) / 2, 0.0)
        upper[0] = 1.0
        mass = np.concatenate([-np.diff(upper[:-1]), [0.5]])
        mass[0] += 0.0
        pairs.append((mass, np.concatenate([x[:-1], [m]]), np.concatenate([x[1:], [m]])))
    sides = []
    for end in (1, 2):
        mass, total = np.ones(1), np.zeros(1)
        for pair in pairs:
            mass = np.outer(mass, pair[0]).ravel()
            total = np.add.outer(total, pair[end]).ravel()
        sides.append(mean_excess(total, float(epsilon), mass))
    assert float(low) <= sides[1] + 1e-9
    assert float(high) >= sides[0] - 1e-9
    assert float(high - low) <= 0.02 * max(sides[1], 1e-3)


@pytest.mark.parametrize(
    ("times", "variance", "epsilon"),
    [
        (1, Fraction(4), Fraction(1)),
        (37, Fraction(25), Fraction(3)),
        (300, Fraction(60), Fraction(2)),
    ],
)
def test_many_releases_are_between_the_gaussian_and_its_bounds(
    times: int, variance: Fraction, epsilon: Fraction
) -> None:
    """Finer grids lie within coarser ones, and zCDP bounds both (C4)."""
    loss = laws((DiscreteGaussianLoss(variance, 1), times), (LaplaceLoss(Fraction(1, 8)), 3))
    coarse, fine = bounds(loss, epsilon, 8), bounds(loss, epsilon, 32)
    assert coarse[0] <= fine[1]
    assert fine[0] <= coarse[1]
    # ε²/2-zCDP of pure ε-DP, and Δ²/2σ² of discrete noise (C4), by the best Rényi conversion.
    rho = times / (2 * variance) + 3 * Fraction(1, 128)
    given_ = {"kind": "conversion", "given": {"kind": "zcdp", "rho": str(rho)},
              "epsilon": str(epsilon), "delta": "1/2"}  # fmt: skip
    proved = claims.audit({"id": "x", "asserts": given_}).decided.above
    assert fine[0] <= rounding.bounds(proved)[1]


@pytest.mark.parametrize("up", [True, False])
@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 100), min_size=3, max_size=30),
    st.fractions(Fraction(1, 20), 1, max_denominator=20),
)
def test_bounds_of_any_law_on_cells(up: bool, shares: list[int], width: Fraction) -> None:
    """The upper one is above every law with these cells, the lower one below: at atoms inside."""

    class Inside(LaplaceLoss):
        def reach(self, bits: int) -> tuple[float, float]:
            return 0.0, float(len(shares) * width)

        def lattice(self) -> tuple[Fraction, Fraction]:
            return Fraction(0), width

    atoms = {
        (j + Fraction(share, 101)) * width: Fraction(share, sum(shares))
        for j, share in enumerate(shares)
    }

    def cells(self: LossLaw, edges: list[Fraction]) -> object:
        from flint import arb

        from dporacle.claims.losses import PairOnGrid
        from dporacle.enclosures.arithmetic.balls import ball

        p, q = [], []
        for low, high in itertools.pairwise(edges):
            inside = [(x, mass) for x, mass in atoms.items() if low <= x < high]
            p.append(sum((ball(mass) for _, mass in inside), arb(0)))
            q.append(sum((ball(mass) * (-ball(x)).exp() for x, mass in inside), arb(0)))
        return PairOnGrid(p, q, arb(0))

    Inside.cells = cells
    law = Inside(Fraction(1))
    with precision(200):
        made = (convolution._upper if up else convolution._lower)(law, width, 90)
        for epsilon in (Fraction(0), width, 5 * width):
            ours = convolution._expected(made, Fraction(0), epsilon, 90, up=up)
            with mpmath.workdps(40):
                theirs = sum(
                    mpmath.mpf(mass.numerator)
                    / mass.denominator
                    * max(
                        0,
                        -mpmath.expm1(
                            mpmath.mpf((epsilon - x).numerator) / (epsilon - x).denominator
                        ),
                    )
                    for x, mass in atoms.items()
                )
            low, high = rounding.bounds(ours)
            assert (
                float(high) >= float(theirs) - 1e-15 if up else float(low) <= float(theirs) + 1e-15
            )


def laplace(**values: object) -> Content:
    return {"kind": "laplace", "sensitivity": 1, "neighbours": "add-remove", **values}


def several(*releases: Content, times: int = 1) -> Content:
    return {"kind": "composition", "releases": list(releases), "times": times, "records": "same"}


@pytest.mark.parametrize("leaks", [{"0.01": 1}, {"0.25": 2, "1e-6": 3}, {"1": 1, "0.5": 1}])
@pytest.mark.parametrize(
    "rest",
    [PrivacyLoss(Fraction(1)), laws((LaplaceLoss(Fraction(1)), 2))],
    ids=["normal", "laplace"],
)
def test_what_leaks_is_lost_and_the_rest_has_its_profile(
    rest: PrivacyLoss, leaks: dict[str, int]
) -> None:
    """Nothing is kept with the chance of 1 − Π(1 − δ₀); else δ(ε) is that of the other releases."""
    leaking = rest + PrivacyLoss(leaks={Fraction(each): times for each, times in leaks.items()})
    kept = Fraction(1)
    for each, times in leaks.items():
        kept *= (1 - Fraction(each)) ** times
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(9)):
        found, alone = (
            convolution.delta_of_largest([each], epsilon=epsilon, digits=12)
            for each in (leaking, rest)
        )
        with precision(200):
            assert found.overlaps(1 - ball(kept) * (1 - alone))
            assert found.rad() < 1e-12


def test_the_total_of_a_mixed_composition() -> None:
    mixed = several(release(sigma=4), discrete_noise(sigma=2), times=2)
    said = {"kind": "zcdp", "rho": "0.3125", "neighbours": "add-remove"}
    assert judged(mixed, said).margin == "true ρ equals what is claimed"
    with pytest.raises(ValueError, match="out of scope: the exact μ of composition"):
        judged(mixed, said | {"kind": "gdp", "mu": 1} if said.pop("rho") else said)


def test_trees_of_counts_and_matrices_in_compositions() -> None:
    tree = laplace(scale=6) | {"kind": "hierarchical-tree", "children": 2, "height": 3}
    matrix = release("matrix-variate", row_variances=[9, 4], column_variances=[4])
    plain = several(*[laplace(scale=6)] * 3, release(sigma=4), times=2)
    same = several(tree, matrix, times=2)
    for delta in ("0.03", "0.1"):
        ours, theirs = (judged(each, privacy(1, delta)) for each in (same, plain))
        assert (ours.verdict, ours.low, ours.high) == (theirs.verdict, theirs.low, theirs.high)


def test_more_releases_than_a_grid_holds_are_decided_by_their_rho_or_not_at_all() -> None:
    """ρ is a little above 1/2: enough at a large ε, and at a small one no verdict is given."""
    releases = 10**12
    loss = laws((DiscreteGaussianLoss(Fraction(releases), 1), releases))
    loss += laws((LaplaceLoss(Fraction(1, 100)), 1))
    delta = Fraction(1, 10**5)
    assert convolution.decide_losses([loss], epsilon=Fraction(30), delta=delta).verdict == "HOLDS"
    with pytest.raises(ArithmeticError, match="cells"):
        convolution.decide_losses([loss], epsilon=Fraction(1), delta=delta)
