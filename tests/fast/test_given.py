"""Exact numbers and arrays with labels, for functions of floats."""

import functools
import inspect
import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

import dporacle
from dporacle import enclosures, fast
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.fast._given import _neighbours
from dporacle.vocabulary import QUANTITIES
from support import strategies as s

INDEX = ["strict", "usual"]


def _fractions(low, high):
    """Numbers as people type them, over so many powers of ten, and thirds of them."""
    digits = st.integers(1, 10**6)
    return st.builds(
        lambda n, k, d: Fraction(n, d) * Fraction(10) ** k,
        digits,
        st.integers(low - 6, high - 6),
        st.sampled_from([1, 3, 7]),
    )


@given(_fractions(-330, 310))
@example(Fraction(1, 2))
@example(Fraction(1, 3))
@example(Fraction(5e-324) * Fraction(3, 2))
@example(-Fraction(1, 10))
def test_the_neighbours_are_next_to_the_number(number):
    if not Fraction(5e-324) <= abs(number) <= Fraction(s.LARGEST):
        with pytest.raises(ValueError, match="x must be 0 or in the range of float64"):
            _neighbours("x", number / 4 if abs(number) < 1 else number * 4)
        return
    low, high = _neighbours("x", number)
    assert low <= number <= high
    assert high in (low, math.nextafter(low, math.inf))
    assert (low == high) == (Fraction(float(low)) == number)


@given(epsilon=_fractions(-3, 3), delta=_fractions(-12, -1), sensitivity=_fractions(-2, 3))
@example(epsilon=Fraction(1), delta=Fraction(1, 10**5), sensitivity=Fraction(1))
@example(epsilon=Fraction(1, 10), delta=Fraction(1, 3), sensitivity=Fraction(1, 10))
def test_sigma_is_on_the_private_side_of_the_exact_number(epsilon, delta, sensitivity):
    where = {"epsilon": epsilon, "delta": delta % 1 or Fraction(1, 2), "sensitivity": sensitivity}
    low, high = bounds(enclosures.calibrate_sigma(**where, digits=40))
    sigma = Fraction(fast.calibrate_sigma(**where))
    # Two units of its own, and an ulp of each argument: sigma moves by less, relatively, than D,
    # than ε and than δ do (its elasticities are 1, and between -1 and 0).
    assert low <= sigma <= high * (1 + Fraction(6, 2**52))
    proved = dporacle.calibrate_sigma(**where, exact=True)
    assert Fraction(proved) >= low
    assert Fraction(math.nextafter(proved, 0)) < high


# At a tenth, a third and so on, which no float equals, of what nobody refuses.
SHARES = [Fraction(9, 10), Fraction(2, 3), Fraction(1, 7)]
ELEMENTWISE = [
    name
    for name, row in QUANTITIES.items()
    if not (row.costly or row.gathered or row.arithmetic == "integer")
    and hasattr(fast, row.function or row.name)
]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_quantity_takes_exact_numbers_on_its_safe_side(name):
    row = QUANTITIES[name]
    for share in SHARES:
        where = {
            key: int(each.everyday) if each.counts else Fraction(each.everyday) * share
            for key, each in row.rows.items()
        }
        try:
            exact = bounds(row.of(enclosures)(**where, digits=25))
        except ValueError:  # outside the domain, which the float64 function says too
            with pytest.raises((ValueError, TypeError)):
                row.of(fast)(**where)
            continue
        found = row.of(fast)(**where)
        down = row.safe == "down"
        below, above = row.float64 or ((2.0**-48, 0.0) if down else (0.0, 2.0**-48))
        unit = Fraction(2) ** -40  # the arguments' ulps, magnified by less than 2^12
        low = exact[0] - abs(exact[0]) * (Fraction(below) + unit * down)
        high = exact[1] + abs(exact[1]) * (Fraction(above) + unit * (not down))
        assert low <= Fraction(found) <= high, (where, found)


def test_what_is_a_float_is_asked_as_that_float():
    plain = fast.calibrate_sigma(epsilon=0.5, delta=0.125)
    for kind in (Fraction, Decimal, mpmath.mpf):
        assert fast.calibrate_sigma(epsilon=kind(0.5), delta=kind(0.125)) == plain
    assert fast.repeated_mu(mu=1, releases=Decimal(4)) == fast.repeated_mu(mu=1, releases=4)


def test_arrays_of_exact_numbers():
    thirds = [Fraction(1, 3), Decimal("0.1"), 0.5, 1]
    expected = [fast.epsilon_at_delta(delta=each, sigma=4.0) for each in thirds]
    for given_as in (thirds, tuple(thirds), np.array(thirds, dtype=object), pd.Series(thirds)):
        found = fast.epsilon_at_delta(delta=given_as, sigma=4.0)
        assert list(found) == expected
    table = np.array([[Fraction(1, 3)], [Decimal("0.1")]], dtype=object)
    assert fast.zcdp_rho(mu=table).shape == (2, 1)


def test_phases_take_the_worst_end_of_each_number():
    where = {"epsilon": 1, "direction": "remove"}
    phases = [(Fraction(11, 10), Fraction(1, 100), 100), (Decimal("0.9"), 0.01, 10)]
    found = fast.subsampled_schedule_delta(**where, phases=phases)
    ball = enclosures.subsampled_schedule_delta(**where, phases=phases, digits=12)
    assert bounds(ball)[0] <= Fraction(found)
    assert float(ball) == pytest.approx(found, rel=1e-8)


@pytest.mark.parametrize("value", ["1", None, True, 1j, {}])
def test_objects_that_are_no_numbers_are_named(value):
    with pytest.raises(TypeError, match=r"delta\[1\] must be a real number"):
        fast.calibrate_sigma(epsilon=1, delta=np.array([Fraction(1, 3), value], dtype=object))


def test_what_float64_cannot_reach_is_refused():
    with pytest.raises(ValueError, match="delta must be 0 or in the range of float64"):
        fast.calibrate_sigma(epsilon=1, delta=Fraction(1, 10**400))
    with pytest.raises(ValueError, match="epsilon must be 0 or in the range of float64"):
        fast.calibrate_sigma(epsilon=Decimal("1e400"), delta=0.1)
    near_one = 1 - Fraction(1, 10**30)  # the float above it is 1, where no noise is enough
    with pytest.raises(ValueError, match="delta must be positive and less than 1") as caught:
        fast.calibrate_sigma(epsilon=1, delta=near_one)
    assert "float64 neighbours" in caught.value.__notes__[0]


@pytest.mark.parametrize("exact", [False, True])
def test_a_series_comes_back_with_its_index(exact):
    plan = pd.DataFrame({"epsilon": [0.1, 1.0], "delta": [1e-6, 1e-5]}, index=INDEX)
    found = dporacle.calibrate_sigma(epsilon=plan["epsilon"], delta=plan["delta"], exact=exact)
    assert isinstance(found, pd.Series)
    assert list(found.index) == INDEX
    assert found.name is None
    assert found["usual"] == dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5, exact=exact)
    plan["sigma"] = found
    assert not plan["sigma"].isna().any()


def test_every_function_keeps_labels():
    series = pd.Series([0.25, 0.5], index=INDEX)
    for name in fast.__all__:
        function = getattr(fast, name)
        wanted = inspect.signature(function).parameters
        asked = next((key for key in ("mu", "sigma", "epsilon", "sigma_star") if key in wanted), "")
        if name.endswith(("sample", "marginal")) or not asked or name.startswith("finite"):
            continue
        given_here = {
            key: series if key == asked else _usual(key)
            for key, each in wanted.items()
            if key == asked or each.default is inspect.Parameter.empty
        }
        if name.startswith("clamped") and "delta" in given_here:
            given_here["delta"] = 0.9  # less may be lost whatever ε is
        found = function(**given_here)
        for each in found if isinstance(found, tuple) else (found,):
            assert isinstance(each, pd.Series), name
            assert list(each.index) == INDEX
            assert each.dtype == np.float64


def _usual(name):
    special = {
        "direction": "remove", "steps": 1,  # labels are the same for many, which take long
        "delta": 1e-5, "box_delta": 1e-5, "alpha": 0.05, "beta": 0.05, "prior": 0.25, "rate": 0.01,
        "phases": [(1.0, 0.01, 10)], "sensitivities": [1.0], "sigmas": [1.0], "means": [1.0],
        "variances": [1.0, 2.0], "power": 1.0, "vector": [1.0, 2.0],
    }  # fmt: skip
    counts = {"dimension", "releases", "queries", "size", "records", "nonzero", "error"}
    counts |= {
        "rows",
        "columns",
        "batches",
        "participations",
        "coordinates",
        "kinds",
        "parties",
        "modulus",
        "bound",
        "cap",
    }
    counts |= {"false_positives", "negatives", "false_negatives", "positives"}
    counts |= {"guesses", "correct", "canaries"}
    return special.get(name, 3 if name in counts else 1.0)


def test_a_frame_and_float32():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=INDEX, dtype=np.float32)
    found = fast.delta_at_epsilon(epsilon=frame, sigma=4.0)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == ["a", "b"]
    assert (found.dtypes == np.float32).all()


def test_labels_that_differ_are_refused():
    first, second = pd.Series([0.1, 1.0], index=INDEX), pd.Series([0.1, 0.2])
    with pytest.raises(ValueError, match="delta must have the labels of epsilon"):
        fast.calibrate_sigma(epsilon=first, delta=second)
    with pytest.raises(ValueError, match=r"epsilon has shape \(2,\), with the others"):
        fast.calibrate_sigma(epsilon=first, delta=np.full((3, 2), 0.1))
    missing = pd.Series([0.1, None], index=INDEX, dtype="Float64")
    with pytest.raises((TypeError, ValueError), match=r"delta.* must be .*(NAType|at index 1)"):
        fast.calibrate_sigma(epsilon=1, delta=missing)


def test_xarray_labels_both_ends_of_an_interval():
    epsilon = xr.DataArray([0.1, 1.0], dims="eps", coords={"eps": INDEX}, name="epsilon")
    sigma_star = xr.DataArray([4.0, 9.0, 16.0], dims="s")
    ask = functools.partial(fast.rank_one_delta_interval, dimension=3)
    both = ask(epsilon=epsilon, sigma_star=sigma_star)
    assert type(both) is tuple
    for place, found in enumerate(both):
        assert (found.dims, found.name) == (("eps", "s"), None)
        for name, value in zip(INDEX, (0.1, 1.0), strict=True):
            exact = ask(epsilon=value, sigma_star=9.0)[place]
            assert float(found.sel(eps=name)[1]) == exact
    table = xr.Dataset({"a": epsilon, "b": 2 * epsilon})
    low, high = ask(epsilon=table, sigma_star=4.0)
    assert list(low) == list(high) == ["a", "b"]
    for name in low:
        for place, found in enumerate((low, high)):
            plain = ask(epsilon=table[name].to_numpy(), sigma_star=4.0)[place]
            np.testing.assert_array_equal(found[name].to_numpy(), plain)


def test_every_variable_of_a_table_has_its_own_answer():
    epsilon = xr.DataArray([0.1, 1.0], dims="eps", coords={"eps": INDEX})
    table = xr.Dataset({"a": epsilon, "b": 2 * epsilon, "c": 3 * epsilon})
    found = fast.calibrate_sigma(epsilon=table, delta=1e-5)
    assert list(found) == ["a", "b", "c"]
    for name in found:
        plain = fast.calibrate_sigma(epsilon=table[name].to_numpy(), delta=1e-5)
        np.testing.assert_array_equal(found[name].to_numpy(), plain)


def test_xarray_broadcasts_by_the_names_of_dimensions():
    epsilon = xr.DataArray([0.1, 1.0], dims="eps", coords={"eps": INDEX}, name="epsilon")
    delta = xr.DataArray([1e-9, 1e-6, 1e-5], dims="delta")
    found = dporacle.calibrate_sigma(epsilon=epsilon, delta=delta)
    assert isinstance(found, xr.DataArray)
    assert found.dims == ("eps", "delta")
    assert found.name is None
    assert found.sel(eps="usual")[2] == dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5)
    assert dporacle.delta_at_epsilon(epsilon=epsilon[1], sigma=4.0).shape == ()
    other = xr.DataArray([0.1, 0.2], dims="eps", coords={"eps": ["a", "b"]})
    with pytest.raises(ValueError, match="eps"):
        fast.calibrate_sigma(epsilon=epsilon, delta=other)
