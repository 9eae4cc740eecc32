"""Every argument of every witness's function: what is out of its domain is refused by name."""

import math
from decimal import Decimal

import numpy as np
import pytest
from test_every_formula import FORMULAS
from test_nesting import OTHERS

from dporacle import enclosures, fast, reference
from dporacle.vocabulary.functions import rows_of

USUAL = {name: where for name, (where, _) in (FORMULAS | OTHERS).items()}
WRONG = (True, np.True_, "one", b"1", None, 1j, object(), {}, math.nan, math.inf, -math.inf)
WRONG += (np.float64("nan"), Decimal("nan"), Decimal("1e999999999"))
ARRAYS = ([], np.empty((0, 3)), [0.5, math.nan], [[0.5], [0.5, 0.5]], np.array(["1"]), [None])
ARRAYS += (np.array([True]), np.array([1j]), np.ma.masked_array([0.5], [True]))


def beyond(domain):
    """Numbers next to the ends of a domain, on the other side."""
    for end, is_open, way in (
        (domain.least, domain.open_below, -math.inf),
        (domain.most, domain.open_above, math.inf),
    ):
        if end is not None:
            yield end if is_open else end + (1 if way > 0 else -1)
            if not domain.whole:
                yield math.nextafter(end, way)


@pytest.mark.parametrize("witness", [reference, fast, enclosures])
@pytest.mark.parametrize("name", sorted(USUAL))
def test_what_no_argument_may_be_is_refused_by_name(name, witness):
    function = getattr(witness, name, None)
    if function is None:
        assert witness is not enclosures
        return
    where, rows = USUAL[name], rows_of(name)
    for key in where.keys() - {"direction", "phases"}:
        domain = rows[key].domain
        wrong = [*WRONG, *beyond(domain), *([1.5, 2.5] if domain.whole else [])]
        if isinstance(where[key], list):
            wrong = [[*where[key][1:], each] for each in wrong] + [[]]
        elif witness is fast:
            wrong += ["1", 10**400, *ARRAYS]
        for each in wrong:
            with pytest.raises((TypeError, ValueError), match=key):
                function(**where | {key: each})
    with pytest.raises(TypeError, match=r"positional|arguments by name"):
        function(*where.values(), 1)


# Where one argument bounds another.
BOUNDED = [
    ("composed_mu", {"sensitivities": [1.0, 2.0], "sigmas": [1.0]}, "sigmas"),
    ("mvg_loss_bound", {"epsilon": 1.0, "rows": 10**6, "columns": 10**6}, "rows"),
    ("finite_delta", {"epsilon": 1.0, "first": [0.0, 0.0], "second": [1.0, 1.0]}, "first"),
    ("finite_delta", {"epsilon": 1.0, "first": [1.0], "second": [1.0, 1.0]}, "second"),
    ("laplace_calibrate_scale", {"epsilon": 0.0, "delta": 0.0}, "epsilon"),
    ("laplace_repeated_delta", {"epsilon": 1.0, "scale": 1.0, "releases": 257}, "releases"),
    ("lp_ball_rate", {"dimension": 9, "power": 1.0, "strength": 10.0}, "strength"),
    ("sparse_threshold_risk", {"dimension": 9, "nonzero": 10}, "nonzero"),
    ("covariance_loss_kurtosis", {"variances": [0.0]}, "variances"),
    ("projected_sigma", {"sigma": 1.0, "vector": [0.0, 0.0]}, "vector"),
    ("rank_one_loss_bound", {"radius": 1.0, "distance": 2.5, "sigma_star": 1.0}, "distance"),
]


@pytest.mark.parametrize("witness", [reference, fast, enclosures])
@pytest.mark.parametrize(("name", "where", "says"), BOUNDED)
def test_what_another_argument_excludes_is_refused(witness, name, where, says):
    with pytest.raises(ValueError, match=says):
        getattr(witness, name)(**where)


NUMBERS = {
    name: [key for key, value in where.items() if not isinstance(value, list)][:2]
    for name, (where, _) in sorted(FORMULAS.items())
    if hasattr(fast, name)
}


@pytest.mark.parametrize("name", [name for name in NUMBERS if NUMBERS[name]])
def test_arrays_broadcast(name):
    """Two arguments as a column and a row: each place has the answer to its numbers."""
    where, shapes = USUAL[name], [(2, 1), (3,)][: len(NUMBERS[name])]
    arrays = {
        key: np.full(shape, where[key]) for key, shape in zip(NUMBERS[name], shapes, strict=True)
    }
    found = getattr(fast, name)(**where | arrays)
    assert found.shape == np.broadcast_shapes(*shapes)
    assert (found == getattr(fast, name)(**where)).all()
