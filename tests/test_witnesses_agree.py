"""The three witnesses of what is a formula, at drawn arguments.

The reference lies next to the ball, and float64 as near, on the side, as is said here.
"""

import inspect
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import fast
from dporacle.vocabulary.statements import STATEMENTS
from support.strategies import powers
from support.witnesses import agree

MANY = st.integers(1, 1000) | st.integers(1, 2**53)
POSITIVE = st.floats(1e-3, 1e3)
WIDE = st.floats(1e-6, 1e6)
MEANS = st.lists(st.floats(-12, 12).map(lambda x: round(x, 3)), min_size=1, max_size=12)
NUMBERS = st.floats(-1e3, 1e3).map(lambda x: x if abs(x) > 1e-100 else 1.0)
USUAL = {  # what is drawn for an argument of this name
    "alpha": st.floats(1e-3, 1 - 1e-6) | powers(-200, -3),
    "beta": st.floats(1e-6, 1 - 1e-9) | powers(-250, -3),
    "columns": st.integers(1, 10**9),
    "delta": st.floats(1e-3, 1, exclude_max=True) | powers(-280, -3),
    "dimension": st.integers(3, 10**7),
    "epsilon": st.floats(1e-6, 200),
    "factor": st.floats(0, 12),
    "means": MEANS,
    "mu": st.floats(1e-2, 20),
    "norm": st.floats(0, 30) | st.floats(0, 3000),
    "order": st.floats(0.1, 1e6),
    "prior_sigma": POSITIVE,
    "queries": MANY,
    "records": MANY,
    "releases": st.integers(1, 2**53),
    "rows": st.integers(1, 300),
    "sensitivity": POSITIVE,
    "sigma": WIDE,
    "size": st.integers(1, 2**53),
    "vector": st.lists(NUMBERS, min_size=1, max_size=20).filter(any),
}
OWN = {  # and for this function alone
    "repeated_mu": {"mu": POSITIVE},
    "group_mu": {"mu": POSITIVE},
    "repeated_rho": {"mu": POSITIVE, "releases": st.integers(1, 10**6)},
    "repeated_zcdp_epsilon": {"mu": POSITIVE, "releases": st.integers(1, 10**6)},
    "group_delta_bound": {
        "epsilon": st.just(0.0) | st.floats(1e-9, 30),
        "delta": st.floats(1e-12, 0.5),
        "size": st.integers(1, 20),
    },
    "loss_tail": {"dimension": st.integers(1, 650)},  # beyond, balls are not written out
    "name_and_shame_exposure": {"records": st.integers(1, 10**9), "delta": powers(-300, -1e-3)},
    "variance_third_boundary": {"epsilon": st.floats(1e-8, 1)},
    "variance_half_boundary": {"epsilon": st.floats(1e-8, 1)},
    "james_stein_risk": {"dimension": st.integers(3, 10**6), "sigma": st.floats(0.5, 2)},
    "positive_part_risk": {"dimension": st.integers(3, 300), "sigma": st.floats(0.5, 2)},
    "universal_threshold": {"dimension": st.integers(1, 2**53)},
}
# Ratios of an argument to another.
PARTS = {
    "zcdp_delta": ("epsilon", "mu", st.floats(0, 30)),
    "rdp_delta": ("epsilon", "mu", st.floats(0, 30)),
    "noise_tail": ("error", "sigma", st.floats(0, 36)),
    "noise_tail_bound": ("error", "sigma", st.floats(0, 36)),
    "max_error_probability": ("error", "sigma", st.floats(1e-3, 35)),
}
LARGE = 1.55234275152956e154  # its square is beyond the floats, half of that is not
EXAMPLES = {"rdp": {"order": 1.0, "mu": LARGE}, "zcdp_rho": {"mu": LARGE}}

# The side of the truth on which float64 is, how many bits of the answer are right, and of what.
TABLE = """
up      48 classical_sigma dwork_roth_sigma dwork_2006_sigma vinterbo_sigma plrv_tail_sigma
up      48 rho_sigma rdp zcdp_rho name_and_shame_exposure workload_sensitivity max_error_bound
up      47 projected_sigma
up      46 repeated_mu repeated_rho repeated_zcdp_epsilon group_mu max_error_quantile
up      40 group_delta_bound noise_tail noise_tail_bound max_error_probability
up      38 zcdp_delta rdp_delta
down    43 classical_epsilon_max dwork_roth_epsilon_max dwork_2006_epsilon_max
down    38 gdp_tradeoff
nearest 48 classical_expected_loss analytic_loss_bound expected_loss loss_kurtosis loss_skewness
nearest 48 mvg_loss_bound bayes_risk james_stein_prior_risk james_stein_risk universal_threshold
nearest 48 soft_threshold_oracle_bound
nearest 44 soft_threshold_risk
nearest 40 r1smg_expected_loss loss_tail variance_third_boundary variance_half_boundary
nearest 33 positive_part_risk
"""
ROWS = {
    name: (side, int(bits))
    for side, bits, *names in map(str.split, TABLE.strip().splitlines())
    for name in names
}
SHARES = {*PARTS, "name_and_shame_exposure"}  # of no more than 1


def drawn(name):
    usual = USUAL | OWN.get(name, {})
    part, whole, ratio = PARTS.get(name, ("", "", None))
    wanted = [each for each in inspect.signature(getattr(fast, name)).parameters if each != "out"]
    where = st.fixed_dictionaries({each: usual[each] for each in wanted if each != part})
    if not part:
        return where
    return st.tuples(where, ratio).map(lambda both: both[0] | {part: both[1] * both[0][whole]})


def statements(name):
    return [pytest.mark.statement(row.id) for row in STATEMENTS if name in row.functions]


@pytest.mark.parametrize("name", [pytest.param(name, marks=statements(name)) for name in ROWS])
def test_witnesses_agree(name):
    side, bits = ROWS[name]
    how = {"safe": side, "ceiling": 1 if name in SHARES else None}
    if name == "loss_tail":
        how["least"] = Fraction(1, 10**290)

    def at(where):
        if name in ("james_stein_risk", "positive_part_risk"):
            how["unit"] = where["dimension"] * Fraction(where["sigma"]) ** 2
        agree(name, 2.0**-bits, **how, **where)

    found = given(drawn(name))(at)
    if name in EXAMPLES:
        found = example(EXAMPLES[name])(found)
    settings(max_examples=25)(found)() if bits < 35 else found()
