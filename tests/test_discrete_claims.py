"""What claims say of discrete Gaussian noise at every σ that they may state."""

from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.claims.mechanisms import DiscreteGaussianMechanism
from dporacle.enclosures.arithmetic import rounding
from support.strategies import positives


@settings(max_examples=20)
@given(
    sigma=positives(1e-3, 1e15),
    alpha=positives(1e-300, 0.99),
    queries=st.sampled_from([1, 10, 10**9]),
)
@example(sigma=1e15, alpha=0.05, queries=1)
def test_the_least_error_of_discrete_noise(sigma: float, alpha: float, queries: int) -> None:
    """It is not exceeded too often, and the integer before it is."""
    about = DiscreteGaussianMechanism(neighbours="add-remove", sensitivity=1, sigma=Fraction(sigma))
    level = Fraction(alpha)
    error = int(about.least_error(alpha=level, queries=queries))
    if queries == 1:
        assert error == enclosures.discrete_accuracy(alpha=level, sigma=sigma)
    for accuracy, side in ((error, -1), (error - 1, 1)):
        if accuracy >= 0:
            found = about.error_tail(error=Fraction(accuracy), queries=queries, digits=40)
            assert rounding.side(found, level) == side
