"""Many queries at once: GN.S1, GN.L1, GN.A1, on every witness."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import powers
from support.witnesses import ask

counts = st.one_of(st.integers(1, 1000), st.integers(1, 2**53))
betas = st.one_of(st.floats(1e-6, 1 - 1e-9), powers(-250, -3))
sigmas = st.floats(1e-6, 1e6)


@pytest.mark.statement("GN.S1")
def test_sensitivity_is_attained(witness):
    """Brute force: 3 counting queries, all databases of 4 records over 8 types, one replaced."""
    types = np.array(list(itertools.product([0, 1], repeat=3)))
    worst = 0.0
    for rest in itertools.combinations_with_replacement(range(8), 3):
        base = types[list(rest)].sum(axis=0)
        answers = (base + types) / 4
        distances = np.linalg.norm(answers[:, None] - answers[None], axis=-1)
        worst = max(worst, distances.max())
    stated = float(ask(witness, "workload_sensitivity", queries=3, records=4)[0])
    assert worst == pytest.approx(stated, rel=1e-15)


@given(ratio=st.floats(0, 35), sigma=sigmas)
@pytest.mark.statement("GN.L1")
def test_tail_bound_holds(witness, ratio, sigma):
    """Pr[Z > t] < e^{−t²/2σ²}; even half of it is a bound, with equality at t = 0 only."""
    where = {"error": ratio * sigma, "sigma": sigma}
    tail, bound = (ask(witness, name, **where) for name in ("noise_tail", "noise_tail_bound"))
    assert tail[1] < bound[0]
    assert 2 * tail[0] <= bound[1] * (1 + Fraction(1, 10**12 if witness == "fast" else 10**40))


@given(k=counts, beta=betas, sigma=sigmas)
@pytest.mark.statement("GN.A1")
def test_exact_quantile_below_union_bound(witness, k, beta, sigma):
    where = {"queries": k, "beta": beta, "sigma": sigma}
    exact = ask(witness, "max_error_quantile", **where)
    assert exact[1] < ask(witness, "max_error_bound", **where)[0]
    # The quantile is the quantile of the probability.
    back = (
        ask(witness, "max_error_probability", queries=k, error=exact[0], sigma=sigma)
        if (witness != "fast")
        else ask("enclosures", "max_error_probability", queries=k, error=exact[0], sigma=sigma)
    )
    # A relative error of the quantile is one of the probability, z² + 1 times as large.
    steep = (exact[0] / Fraction(sigma)) ** 2 + 1
    room = Fraction(64, 2**52) * steep if witness == "fast" else Fraction(1, 10**40)
    assert abs(back[0] - Fraction(beta)) < room * Fraction(beta)


@given(k=st.integers(1, 50), beta=st.floats(1e-3, 0.999))
@pytest.mark.statement("GN.A1")
def test_one_query_is_the_accuracy_and_more_are_worse(witness, k, beta):
    quantiles = [
        ask(witness, "max_error_quantile", queries=each, beta=beta, sigma=1)
        for each in (1, k, k + 1)
    ]
    single = ask("enclosures", "accuracy", alpha=beta, sigma=1)[0]
    assert abs(quantiles[0][0] / single - 1) < Fraction(1, 10**13)
    assert quantiles[1][1] < quantiles[2][0]


@given(
    k=st.integers(1, 10**6),
    error=st.floats(1e-4, 0.5),
    beta=st.floats(1e-6, 0.5),
    multiplier=st.floats(0.1, 100),
)
@pytest.mark.statement("GN.A1")
def test_sample_sizes(witness, k, error, beta, multiplier):
    """n is enough, n − 1 is not, and the union bound asks for more."""
    where = {"queries": k, "error": error, "beta": beta, "noise_multiplier": multiplier}
    n = int(ask(witness, "sample_size", **where)[0])
    assert n <= int(ask(witness, "sample_size_bound", **where)[0])
    for size, enough in ((n, True), (n - 1, False)):
        if size < 1:
            continue
        sensitivity = ask("enclosures", "workload_sensitivity", queries=k, records=size)[0]
        error_at = ask(
            "enclosures",
            "max_error_quantile",
            queries=k,
            beta=beta,
            sigma=sensitivity * Fraction(multiplier),
        )[0]
        assert (error_at <= Fraction(error)) is enough
