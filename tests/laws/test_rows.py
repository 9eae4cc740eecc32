"""The laws of every function of the witnesses, from its row alone: no law knows a quantity by name.

Agreement, nesting, identity, unit, round trip, limits, refusals and arrays; what rises and falls
stands in `test_order`.
"""

import math
from collections import Counter
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb

from dporacle import enclosures, fast, reference
from dporacle.arguments import exact
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.identities import IDENTITIES
from dporacle.vocabulary import CONTRACTS, KINDS, Quantity
from dporacle.vocabulary.witnesses import homes
from support.dear import dear, dear_if, one_of_each_cost
from support.drawing import Inputs, begun, changed, ends, hard, inputs, parts

WITNESSES = {"reference": reference, "fast": fast, "enclosures": enclosures}
HOMES = {witness: homes(witness) for witness in WITNESSES}
DIGITS, COARSE, DEAR_DIGITS = 50, (1, 5), 12
MOST_COUNTED = 100  # of a count itself, at an end of its domain
LEAST = Fraction(1, 10**290)  # below it float64 has fewer bits
SPARE = Fraction(1, 2**51)  # two roundings of an answer to the nearest float64
LEFT_OUT: dict[str, dict[str, int]] = {
    "loss_lower_tail": {"enclosures": 1},
    "composed_mu": {"fast": 2},
    "max_error_probability": {"enclosures": 2},
    "laplace_max_error_probability": {"enclosures": 1, "reference": 1},
    "binomial_tail": {"reference": 1},
    "lp_ball_rate": {"enclosures": 1},
    "sparse_threshold_risk": {"enclosures": 2},
    # Just below the largest loss of four parties δ is about 10^(−10^16), which is not told.
    "discrete_laplace_sum_delta": {"enclosures": 1},
    # Clamped noise that loses more than the δ that is drawn has no ε.
    "clamped_gaussian_sum_epsilon": {"enclosures": 1},
    "clamped_laplace_sum_epsilon": {"enclosures": 2},
    "clamped_skellam_epsilon": {"enclosures": 1},
}
"""Row -> witness -> the usual inputs of `test_the_witnesses_agree` to which it has no answer.

Elsewhere it answers all of them, but for one of a dear row: what a law leaves out it says.
"""
_DEAR = {name for name, row in CONTRACTS.items() if row.certified < 45}
NAMES = [dear_if(name, _DEAR) for name in CONTRACTS]
SLACK = {
    "reference": Fraction(1, 10**13),
    "enclosures": Fraction(0),  # the balls' own ends are compared
    "fast": Fraction(1, 10**6),  # on the safe side; the rows' errors are at usual inputs only
}


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    if isinstance(value, arb):
        return bounds(value)
    number = exact("value", value)
    return number, number


def _ask(row: Quantity, witness: str, where: Inputs, digits: int) -> tuple[Fraction, Fraction]:
    function = row.of(WITNESSES[witness])
    if witness == "fast" or row.whole:
        return _ends(function(**where))
    few = row.certified < DEAR_DIGITS  # it has no more
    if row.ends and witness == "enclosures":  # the others have the end on the safe side
        low, high = _ends(function(**where))
        assert low <= high, where
        return (high, high) if row.safe == "up" else (low, low)
    return _ends(function(**where, digits=min(digits, row.certified) if few else digits))


def _has(row: Quantity, witness: str) -> bool:
    """Whether a witness has the function; where it has not, the statement says why."""
    return (row.function or row.name) in HOMES[witness]


def _answer(
    row: Quantity, witness: str, where: Inputs, digits: int = 15
) -> tuple[Fraction, Fraction] | None:
    """Return what a witness says; None where it has no answer, or no such function."""
    if not _has(row, witness):
        return None
    try:
        return _ask(row, witness, where, digits)
    except ZeroDivisionError:  # nobody has said so
        raise
    except (ArithmeticError, ValueError):
        return None


def _usual(row: Quantity, where: Inputs) -> bool:
    """Whether all inputs are usual: there the row's float64 error is promised."""
    ranges = ((row.rows[name].usual, each) for name, it in where.items() for each in parts(it))
    return all(
        usual is None or 10 ** usual[0] * 0.99 <= value <= 10 ** usual[1] * 1.01
        for usual, value in ranges
    )


def _few(row: Quantity, cheap: int) -> int:
    return 2 if row.name in _DEAR else 4 if row.costly else cheap


@pytest.mark.parametrize(
    "name", [dear_if(name, _DEAR) for name in CONTRACTS if _has(CONTRACTS[name], "enclosures")]
)
def test_the_witnesses_agree(name: str) -> None:
    """Fine and coarse balls meet, the reference is in them, float64 is as its row says."""
    row, met, left = CONTRACTS[name], 0, Counter[str]()
    below, above = map(Fraction, row.float64_error)
    digits = min(row.certified, DEAR_DIGITS) if name in _DEAR else DIGITS
    for where in (*hard(row), *inputs(row, _few(row, 12), "agree")):
        ball = _answer(row, "enclosures", where, digits)
        if ball is None:
            if where in hard(row):  # one that is refused would ask nothing
                with suppress(ArithmeticError):
                    _ask(row, "enclosures", where, digits)
            left["enclosures"] += _usual(row, where)
            continue
        low, high = ball
        assert high - low <= Fraction(2, 10**digits) * abs(high), where
        for few in COARSE:
            coarse = _answer(row, "enclosures", where, few)
            assert coarse is not None, where
            assert coarse[0] <= high, where
            assert low <= coarse[1], where
        # The reference confirms the vectors of dear rows elsewhere, each of which takes it seconds.
        confirmed = name in _DEAR and row.vectors
        value = None if confirmed else _answer(row, "reference", where, digits)
        if value is not None:
            assert abs(value[0] - low) <= Fraction(4, 10**digits) * abs(high), where
        elif not confirmed and _has(row, "reference"):
            left["reference"] += _usual(row, where)
        if not _has(row, "fast"):
            met += 1
            continue
        if (single := _answer(row, "fast", where)) is None:
            left["fast"] += _usual(row, where)
            assert row.confined or not LEAST < abs(high) < 1 / LEAST or not _usual(row, where), (
                where
            )
            continue
        met, found = met + 1, single[0]
        top = row.kind.ceiling
        size = row.error_unit(where, high)
        # Where an error on the harmful side is allowed, so is the rounding to the least float.
        if row.safe == "up":
            room = Fraction(5e-324) if below else Fraction(0)
            assert found >= (min(low, top) if top else low) - below * size - room, where
        else:
            room = Fraction(5e-324) if above else Fraction(0)
            assert found <= high + above * size + room, where
        if abs(high) > LEAST and _usual(row, where):
            lost = row.cancels * math.exp(where.get("epsilon", 0.0)) if row.cancels else 0
            cancelled = Fraction(lost)
            assert found >= low - (below + SPARE) * size, where
            assert found <= high + (above + SPARE) * size + cancelled, where
    assert met
    few = dict.fromkeys(WITNESSES, int(name in _DEAR)) | LEFT_OUT.get(name, {})
    assert all(left[witness] <= few[witness] for witness in WITNESSES), left


@pytest.mark.parametrize("name", [dear_if(n, _DEAR) for n, row in CONTRACTS.items() if row.same_as])
@pytest.mark.parametrize("witness", WITNESSES)
def test_what_is_another_functions_value_is_that_one(name: str, witness: str) -> None:
    row, other = CONTRACTS[name], CONTRACTS[CONTRACTS[name].same_as]
    if not _has(row, witness):
        return
    met = 0
    for where in inputs(row, _few(row, 4), "same"):
        there = {**other.defaults, **where}
        for argument, function in row.at.items():
            said = CONTRACTS[function]
            given = {**said.defaults, **where}
            ball = _answer(said, witness, {key: given[key] for key in said.arguments}, 50)
            assert ball is not None
            there[argument] = sum(ball) / 2
        one = _answer(row, witness, where)
        two = _answer(other, witness, {key: there[key] for key in other.arguments})
        if one and two:
            met += 1
            assert abs(one[0] - two[0]) <= Fraction(1, 10**12) * abs(two[1]), where
    assert met


# Those of dear rows verify the vectors of their functions: `test_vectors`, and `vectors --verify`.
@pytest.mark.parametrize("name", [name for name in IDENTITIES if name in set(CONTRACTS) - _DEAR])
def test_the_fourth_witness_says_the_same(name: str) -> None:
    row, met = CONTRACTS[name], 0
    for where in inputs(row, 4 * _few(row, 3), "identity"):
        if met == _few(row, 3):
            break
        ball = _answer(row, "enclosures", where) if _usual(row, where) else None
        if ball is None:
            continue
        met += 1
        context = mpmath.MPContext()
        # An integral is good to so many digits behind the point, whatever its size.
        context.dps = 60 + max(0, math.ceil(-math.log10(max(ball[1], LEAST))))
        given = {key: Fraction(value) for key, value in where.items()}
        truth = exact("truth", IDENTITIES[name](context, given))
        assert abs(truth - ball[0]) <= Fraction(1, 10**13) * abs(ball[1]), where
    assert met


@pytest.mark.parametrize("name", [name for name in CONTRACTS if CONTRACTS[name].data_unit])
def test_it_scales_with_the_unit_of_the_data(name: str) -> None:
    row = CONTRACTS[name]
    met: set[str] = set()
    factor = Fraction(4) ** row.kind.degree
    for where in inputs(row, _few(row, 3), "unit"):
        scaled = {
            k: changed(v, lambda x: 4 * x) if k in row.data_unit else v for k, v in where.items()
        }
        if any(v not in row.rows[k].reach for k, each in scaled.items() for v in parts(each)):
            continue
        for witness, slack in SLACK.items():
            one, other = (_answer(row, witness, given) for given in (where, scaled))
            if one and other and abs(other[1]) > LEAST:
                met.add(witness)
                room = slack * abs(other[1])
                assert one[0] * factor - room <= other[1], (witness, where)
                assert other[0] - room <= one[1] * factor, (witness, where)
    assert met == {witness for witness in WITNESSES if _has(row, witness)}


def _told(row: Quantity) -> tuple[Quantity, str] | None:
    """Return the quantity that says what an answer does to the promise, and what it takes it as."""
    if not row.kind.told_by:
        return None
    kind = KINDS[row.kind.told_by]
    for other in CONTRACTS.values():
        if other.mechanism is not row.mechanism or other.kind is not kind:
            continue
        missing = set(other.arguments) - set(row.arguments)
        rest = set(row.arguments) - {row.kind.promise}
        if other.fixed == row.fixed and len(missing) == 1 and rest <= set(other.arguments):
            return other, missing.pop()
    return None


@pytest.mark.parametrize(
    ("name", "witness"),
    [
        pytest.param(name, witness, marks=dear(name).marks if name in _DEAR else ())
        for name, row in CONTRACTS.items()
        for witness in WITNESSES
        # Dear vectors are verified so: a falling δ passes the one asked for between two ends.
        if _told(row)
        and _has(row, witness)
        and not row.whole
        and not (name in _DEAR and (row.vectors or witness == "reference"))
    ],
)
def test_what_an_answer_is_told_by_says_it(name: str, witness: str) -> None:
    """On either side of the answer the promise is kept and broken."""
    row = CONTRACTS[name]
    told = _told(row)
    assert told is not None
    other, missing = told
    met = 0
    step = Fraction(1, 10**6)
    for where in inputs(row, 4 * _few(row, 3), "told"):
        if met == _few(row, 3):
            break
        found = _answer(row, witness, where) if _usual(row, where) else None
        if found is None or not found[0] or other.rows[missing].counts:
            continue
        rest = {k: v for k, v in where.items() if k != row.kind.promise}
        sides = [
            _answer(other, "enclosures", rest | {missing: found[0] * (1 + sign * step)})
            for sign in (-1, 1)
        ]
        if sides[0] and sides[1]:
            met += 1
            low, high = sorted(side for side in sides if side)
            assert low[0] <= Fraction(where[row.kind.promise]) <= high[1], where
    assert met or other.rows[missing].counts


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, row in CONTRACTS.items()
        if row.kind is KINDS["epsilon"] and name not in _DEAR and _told(row)
    ],
)
def test_a_pure_mechanism_has_an_epsilon_at_delta_zero(name: str) -> None:
    """Boxes, reports and selections were refused: "no finite amount of Gaussian noise gives 0"."""
    row, told = CONTRACTS[name], _told(CONTRACTS[name])
    assert told is not None
    other, missing = told
    least = {
        key: 0.0 for key, value in other.defaults.items() if key in row.arguments and not value
    }
    where = row.everyday | least | {"delta": 0.0}
    rest = {key: value for key, value in where.items() if key != "delta"}
    most = other.rows[missing].domain.most or 1000.0
    far = _answer(other, "enclosures", rest | {missing: most})
    for witness in [each for each in WITNESSES if _has(row, each)]:
        if far != (0, 0):
            said = "at least" if 0 in row.rows["delta"].domain else "positive.*Gaussian noise"
            with pytest.raises(ValueError, match=f"delta must be {said}"):
                _ask(row, witness, where, 15)
            continue
        found = _ask(row, witness, where, 15)[1]
        assert _answer(other, "enclosures", rest | {missing: found}) == (0, 0)
        before = _answer(other, "enclosures", rest | {missing: found * (1 - SLACK["fast"])})
        assert before is not None
        assert before[0] > 0


def test_why_delta_is_not_zero_is_true_of_the_mechanism() -> None:
    """Of a count with Laplace noise above a threshold Gaussian noise was blamed."""
    for name, row in CONTRACTS.items():
        if "delta" not in row.arguments or 0 in row.rows["delta"].domain:
            continue
        for witness in [each for each in WITNESSES if _has(row, each)]:
            with pytest.raises(ValueError, match="delta must be positive") as error:
                row.of(WITNESSES[witness])(**row.everyday | {"delta": 0})
            said = str(error.value)
            noise = row.mechanism.law in {"gaussian", "discrete", "subsampled", "rank-one"}
            assert ("Gaussian" in said) == noise, (name, witness, said)
            assert ("threshold" in said) == (row.mechanism.law == "thresholded"), (name, witness)


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_at_zero_gives_its_limit(name: str) -> None:
    row = CONTRACTS[name]
    for argument in row.arguments:
        where = row.everyday | {argument: 0}
        limit = row.limit(argument, where) if 0 in row.rows[argument].domain else None
        if limit is None or not math.isfinite(limit):
            continue
        for witness in WITNESSES:
            if found := _answer(row, witness, where):
                assert float(found[0]) == pytest.approx(limit, abs=1e-9), (witness, argument)


WRONG = (True, np.True_, "one", b"1", None, 1j, object(), {}, math.nan, math.inf, -math.inf)
WRONG += (np.float64("nan"), Decimal("nan"), Decimal("1e999999999"))
ARRAYS: list[Any] = ["1", 10**400, [], np.empty((0, 3)), [0.5, math.nan], [[0.5], [0.5, 0.5]]]
ARRAYS += [np.array(["1"]), [None], np.array([True]), np.array([1j])]
ARRAYS += [np.ma.masked_array([0.5], [True])]


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.parametrize("name", CONTRACTS)
def test_what_is_outside_its_domain_is_refused_by_name(name: str, witness: str) -> None:
    row = CONTRACTS[name]
    if not _has(row, witness):
        return
    function, everyday = row.of(WITNESSES[witness]), row.everyday
    with pytest.raises(TypeError, match=r"positional|arguments by name"):
        function(*everyday.values(), 1)
    for given in row.excluded:
        where = {key: value for key, value in given.items() if key != "blamed"}
        with pytest.raises(ValueError, match=given["blamed"]):
            function(**everyday | where)
    gathered = {each for lists in row.gathered.values() for part in lists for each in part}
    for argument, each in row.rows.items():
        if argument in gathered:
            continue
        domain = each.domain
        wrong: list[Any] = [*each.refused, *WRONG]
        for end, way in ((domain.least, -1), (domain.most, 1)):
            if end is not None:
                beside = end + way if domain.whole else math.nextafter(end, way * math.inf)
                wrong += [value for value in (beside, end) if value not in domain]
        if domain.whole:
            wrong.append(1.5)
        placed = [begun(everyday[argument], value) for value in wrong]
        placed += [[]] if each.several else ARRAYS if witness == "fast" else []
        for value in placed:
            with pytest.raises((TypeError, ValueError), match=argument):
                function(**everyday | {argument: value})


@pytest.mark.parametrize("witness", WITNESSES)
@pytest.mark.parametrize("name", NAMES)
def test_what_stands_at_an_end_of_its_domain_is_answered(name: str, witness: str) -> None:
    """With everyday values beside it. It may need too much work for a ball, or be no float64."""
    row = CONTRACTS[name]
    if row.gathered or not _has(row, witness):
        return
    for argument, each in row.rows.items():
        for value in ends(each):
            if (each.counts and value > MOST_COUNTED) or (row.confined and value not in (0, 1)):
                continue
            end = begun(row.everyday[argument], int(value) if each.counts else value)
            try:
                row.of(WITNESSES[witness])(**row.everyday | {argument: end})
            except ArithmeticError:
                assert witness != "reference", (argument, value)
            except ValueError:
                # Where `excluded` says that arguments bound each other, the others would move too.
                assert row.confined or row.excluded, (argument, value)


def _is_array_function(name: str) -> bool:
    row = CONTRACTS[name]
    return bool(row.arguments) and not row.gathered and _has(row, "fast")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in one_of_each_cost(CONTRACTS, CONTRACTS)
        if _is_array_function(name if isinstance(name, str) else name.values[0])
    ],
)
def test_arrays_have_the_answers_of_their_numbers(name: str) -> None:
    """A column is one answer after the other; a column and a row broadcast.

    One wrapper does it for all functions: a dear one of each cost is enough.
    """
    row = CONTRACTS[name]
    function = row.of(fast)
    asked = inputs(row, 2 if row.costly or name in _DEAR else 6, "arrays")
    where = [each for each in asked if _answer(row, "fast", each)]
    if not where:
        return
    columns = {key: np.array([each[key] for each in where]) for key in row.arguments}
    single = np.array([function(**each) for each in where])
    assert np.array_equal(function(**columns), single)
    numbers = [n for n, each in row.rows.items() if not each.several]
    if len(numbers) > 1:
        one, other = numbers[:2]
        shaped = where[0] | {
            one: np.full((2, 1), where[0][one]),
            other: np.full(3, where[0][other]),
        }
        assert np.shape(function(**shaped)) == (2, 3)
