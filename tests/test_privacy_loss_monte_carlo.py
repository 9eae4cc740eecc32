"""The privacy loss of simulated releases against BW18.L3 and BW18.L6.

Every simulation runs once, with a fixed seed. Losses are the logarithm of the quotient of the two
outputs' densities, computed from the released vectors, not from the formula under test.
"""

import math

import numpy as np
import pytest
from scipy import stats

from support.dear import mostly_dear
from support.witnesses import ask

FALSE_ALARM = 1e-6  # per comparison, two-sided and exact (Clopper-Pearson)
MISSED = 1e-3  # the largest probability of not seeing a tail that is 20 % too large
RUNS = 200_000
WITNESSES = ["reference", "enclosures"]
DIMENSIONS = [1, 64]
DISTANCE, SIGMA = 1.5, 1.25


def inputs(dimension):
    rng = np.random.default_rng([7, dimension])
    first = rng.standard_normal(dimension)
    shift = rng.standard_normal(dimension)
    return first, first + DISTANCE * shift / np.linalg.norm(shift)


def losses(y, here, there):
    """ln p(y)/p'(y), from the two densities."""
    return (np.sum((y - there) ** 2, axis=-1) - np.sum((y - here) ** 2, axis=-1)) / (2 * SIGMA**2)


@pytest.fixture(scope="module", params=DIMENSIONS)
def simulated(request):
    """The losses L and L' of RUNS releases of each input."""
    dimension = request.param
    first, second = inputs(dimension)
    rng = np.random.default_rng([20180516, dimension])
    found = []
    for here, there in ((first, second), (second, first)):
        parts = [
            losses(here + SIGMA * rng.standard_normal((RUNS // 10, dimension)), here, there)
            for _ in range(10)
        ]
        found.append(np.concatenate(parts))
    return found


def clopper_pearson(count, runs, level):
    low = stats.beta.ppf(level / 2, count, runs - count + 1) if count else 0.0
    high = stats.beta.isf(level / 2, count + 1, runs - count)
    return low, high


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.parametrize("epsilon", mostly_dear([0.5, 0.0, 1.0, 2.0], 4))
@pytest.mark.parametrize("name", ["loss_upper_tail", "loss_lower_tail"])
@pytest.mark.statement("BW18.L6")
def test_tails(simulated, witness, name, epsilon):
    loss, swapped = simulated
    count = int(
        np.sum(loss >= epsilon) if name == "loss_upper_tail" else np.sum(swapped <= -epsilon)
    )
    stated = float(ask(witness, name, epsilon=epsilon, sigma=SIGMA, sensitivity=DISTANCE)[0])
    low, high = clopper_pearson(count, RUNS, FALSE_ALARM)
    assert low <= stated <= high
    # Power: were the true tail 20 % larger, the limits would hold `stated` this rarely.
    largest = next(
        k
        for k in range(int(RUNS * stated), RUNS)
        if clopper_pearson(k, RUNS, FALSE_ALARM)[0] > stated
    )
    assert stats.binom.cdf(largest - 1, RUNS, 1.2 * stated) < MISSED


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.statement("BW18.L3")
def test_mean_and_variance(simulated, witness):
    """N(η, 2η): the mean within its normal limits, the variance within the χ² ones."""
    eta = float(ask(witness, "loss_mean", sigma=SIGMA, sensitivity=DISTANCE)[0])
    for loss in simulated:
        limit = stats.norm.isf(FALSE_ALARM / 2) * math.sqrt(2 * eta / RUNS)
        assert abs(loss.mean() - eta) < limit
        square = (RUNS - 1) * loss.var(ddof=1) / (2 * eta)
        low, high = stats.chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], RUNS - 1)
        assert low < square < high


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("tail", [1e-9, 1e-12])
@pytest.mark.statement("BW18.L6")
def test_far_tails_by_importance_sampling(witness, dimension, tail):
    """Pr[L ≥ ε] at 1e-9 and 1e-12, to better than 1 %.

    Along the line through the two inputs the noise is drawn from an exponential law that starts
    at the boundary of {L ≥ ε}, across it from its own; the weights are the quotients of densities.
    They are at most 1/y of one another, so that 100,000 of them have a standard error below 0.1 %.
    """
    runs = 100_000
    y = stats.norm.isf(tail)
    mu = DISTANCE / SIGMA
    epsilon = mu * (y + mu / 2)
    first, second = inputs(dimension)
    along = (first - second) / DISTANCE
    rng = np.random.default_rng([64, dimension, round(-math.log10(tail))])
    step = y * (1 - 1e-3) + rng.exponential(1 / y, runs)  # a little before the boundary
    noise = rng.standard_normal((runs, dimension))
    noise += (step - noise @ along)[:, None] * along
    loss = losses(first + SIGMA * noise, first, second)
    weight = stats.norm.pdf(step) / (y * np.exp(-y * (step - y * (1 - 1e-3))))
    estimate = weight * (loss >= epsilon)
    error = estimate.std() / math.sqrt(runs) / estimate.mean()
    stated = float(
        ask(witness, "loss_upper_tail", epsilon=epsilon, sigma=SIGMA, sensitivity=DISTANCE)[0]
    )
    assert stated == pytest.approx(tail, rel=1e-9)
    assert stats.norm.isf(FALSE_ALARM / 2) * error < 0.01
    assert abs(estimate.mean() / stated - 1) < stats.norm.isf(FALSE_ALARM / 2) * error
