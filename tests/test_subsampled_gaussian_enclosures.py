"""The enclosures of the subsampled Gaussian: nesting, closed forms, and spoiled designs."""

import dataclasses
import itertools
import math
import random
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import poisson_ends
from dporacle.enclosures.composition import repeated_delta, repeated_epsilon
from dporacle.enclosures.subsampled import design
from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.design import Model
from dporacle.enclosures.subsampled.estimates import Effort
from dporacle.enclosures.subsampled.inversion import Spectrum
from dporacle.enclosures.subsampled.profile import Profile
from dporacle.enclosures.subsampled.transform import Step
from dporacle.enclosures.subsampled_gaussian import (
    subsampled_delta,
    subsampled_epsilon,
    subsampled_schedule_delta,
    subsampled_schedule_epsilon,
    subsampled_sigma,
)
from support.cases import table
from support.dear import dear

steady = settings(derandomize=True, deadline=None, max_examples=8, database=None)
few = settings(steady, max_examples=4)
directions = st.sampled_from(["add", "remove", "replace"])


def meet(first: arb, second: arb) -> bool:
    low, high = bounds(first)
    least, most = bounds(second)
    return max(low, least) <= min(high, most)


def f(text: str) -> Fraction:
    return Fraction(text)


# (σ, q, T, δ): ε of remove and add, proved earlier by another program with another contour
KNOWN = [
    ("1", "0.01", 10**4, "1e-5", "6.1877123899", "5.6115086176"),
    ("1.1", "256/60000", 14063, "1e-5", "2.3816897261", "2.2436508016"),
    ("0.7", "0.004", 11250, "1e-5", "5.4311864871", "4.1581628715"),
    ("10", "0.1", 10**6, "1e-12", "119.987064083", "119.802630994"),
    ("2", "0.05", 100, "1e-9", "1.7368954958", "1.2694721510"),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "delta", "remove", "add"), KNOWN)
@pytest.mark.statement("X.SG.PROFILE")
def test_settings_that_another_program_proved(sigma, rate, steps, delta, remove, add):
    for direction, digits in (("remove", remove), ("add", add)):
        low, high = bounds(
            subsampled_epsilon(
                delta=f(delta), sigma=f(sigma), rate=f(rate), steps=steps, direction=direction
            )
        )
        unit = Fraction(1, 10 ** len(digits.split(".")[1]))
        assert f(digits) <= low <= high <= f(digits) + unit
        assert high - low <= low / 10**11


@steady
@given(
    sigma=st.floats(0.7, 30).map(Fraction),
    log_rate=st.floats(-4, -0.1),
    steps=st.sampled_from([200, 3000, 10**5, 10**7]),
    log_delta=st.floats(-30, -1),
    direction=directions,
)
@example(Fraction(4), -5.0, 100, -9.0, "remove")  # one large jump, no bulk
@example(Fraction(4, 5), -2.0, 10**6, -6.0, "remove")  # ε in the hundreds
@example(Fraction(3), -2.0, 10**7, -100.0, "remove")
def test_a_coarse_ball_meets_a_fine_one(sigma, log_rate, steps, log_delta, direction):
    rate, delta = Fraction(10**log_rate), Fraction(10**log_delta)
    setting = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    try:
        epsilon = subsampled_epsilon(delta=delta, digits=6, **setting)
    except ArithmeticError:
        return  # beyond the bound of work, or of ε
    if epsilon == 0:
        return
    low, high = bounds(epsilon)
    assert high - low <= low / 10**5
    # δ is above the target at the lower end and below it at the upper one, from other contours
    assert bounds(subsampled_delta(epsilon=low, digits=9, **setting))[1] >= delta
    assert bounds(subsampled_delta(epsilon=high, digits=9, **setting))[0] <= delta
    middle = (low + high) / 2
    assert meet(
        subsampled_delta(epsilon=middle, digits=5, **setting),
        subsampled_delta(epsilon=middle, digits=15, **setting),
    )


@steady
@given(
    sigma=st.floats(0.3, 10).map(Fraction),
    steps=st.integers(1, 10**6),
    log_delta=st.floats(-40, -1),
    direction=st.sampled_from(["add", "remove", "both", "replace"]),
)
@pytest.mark.statement("X.SG.PROFILE")
def test_a_rate_of_one_is_the_gaussian_composition(sigma, steps, log_delta, direction):
    delta, reach = Fraction(10**log_delta), 2 if direction == "replace" else 1
    setting = {"sigma": sigma, "rate": 1, "steps": steps, "direction": direction}
    plain = {"sigma": sigma, "releases": steps, "sensitivity": reach}
    epsilon = subsampled_epsilon(delta=delta, digits=30, **setting)
    assert meet(epsilon, repeated_epsilon(delta=delta, digits=40, **plain))
    # by inversion too: a second phase keeps the closed form out
    where = bounds(epsilon)[0]
    if 0 < where < 1000:
        phases = [(sigma, 1, steps), (sigma * 10**9, 1, 1)]
        try:
            joint = subsampled_schedule_delta(
                epsilon=where, phases=phases, direction=direction, digits=8
            )
        except ArithmeticError:
            return
        single = repeated_delta(epsilon=where, digits=30, **plain)
        low, high = bounds(joint)
        least, most = bounds(single)
        assert least * (1 - Fraction(1, 10**7)) <= high
        assert low <= most * (1 + Fraction(1, 10**6))


def once(epsilon, sigma, rate, direction):
    """δ(ε) of one step by quadrature over the output."""
    q, s = mpmath.mpf(rate), mpmath.mpf(sigma)
    normal = lambda x, m: mpmath.npdf(x, m, s)  # noqa: E731
    mixed = lambda x, m: (1 - q) * normal(x, 0) + q * normal(x, m)  # noqa: E731
    upper, lower = {
        "remove": (lambda x: mixed(x, 1), lambda x: normal(x, 0)),
        "add": (lambda x: normal(x, 0), lambda x: mixed(x, 1)),
        "replace": (lambda x: mixed(x, 1), lambda x: mixed(x, -1)),
    }[direction]
    gap = lambda x: upper(x) - mpmath.e**epsilon * lower(x)  # noqa: E731
    ends = [mpmath.mpf(-14) * s - 1, mpmath.mpf(14) * s + 2]
    grid = [ends[0] + (ends[1] - ends[0]) * k / 400 for k in range(401)]
    cuts = [
        mpmath.findroot(gap, (a, b), solver="anderson", tol=1e-40)
        for a, b in itertools.pairwise(grid)
        if gap(a) * gap(b) < 0
    ]
    points = [ends[0], *cuts, ends[1]]
    pieces = [
        mpmath.quad(gap, mpmath.linspace(a, b, 8))
        for a, b in itertools.pairwise(points)
        if gap((a + b) / 2) > 0
    ]
    return sum(pieces, mpmath.mpf(0))


@pytest.mark.parametrize("direction", ["remove", "add", "replace"])
@pytest.mark.parametrize(
    ("sigma", "rate", "epsilon"),
    [("0.5", "0.1", "0.05"), ("1", "0.5", "0.3"), ("2", "0.9", "1"), ("0.8", "0.01", "0.001")],
)
def test_one_step_by_quadrature(sigma, rate, epsilon, direction):
    with mpmath.workdps(30):
        truth = once(mpmath.mpf(epsilon), sigma, rate, direction)
        middle = subsampled_delta(
            epsilon=f(epsilon), sigma=f(sigma), rate=f(rate), steps=1, direction=direction
        ).mid()
        found = mpmath.mpf(str(middle.str(25, radius=False)))
        assert abs(found - truth) <= truth * mpmath.mpf("1e-11")


@pytest.mark.thorough("balls of seconds each")
@few
@given(
    sigma=st.floats(0.6, 3).map(Fraction),
    rate=st.floats(0.2, 0.95).map(Fraction),
    direction=directions,
)
def test_one_step_by_inversion(sigma, rate, direction):
    """The inversion meets the closed form: a phase of one step and one that says almost nothing."""
    epsilon = Fraction(1, 10)
    plain = subsampled_delta(
        epsilon=epsilon, sigma=sigma, rate=rate, steps=1, direction=direction, digits=20
    )
    if plain == 0:
        return
    try:
        joint = subsampled_schedule_delta(
            epsilon=epsilon,
            phases=[(sigma, rate, 1), (10**12, Fraction(1, 2), 1)],
            direction=direction,
            digits=6,
        )
    except ArithmeticError:
        return
    low, high = bounds(joint)
    value = bounds(plain)[0]
    # the second phase has total variation below 10⁻¹², and 10⁻¹¹ of mass above any change of ε
    assert value * (1 - Fraction(1, 10**5)) <= high
    assert low <= value * (1 + Fraction(1, 10**5)) + Fraction(1, 10**10)


@few
@given(direction=directions, split=st.integers(1, 999))
@pytest.mark.statement("X.SG.PROFILE")
def test_a_schedule_of_equal_phases_is_one_phase(direction, split):
    setting = {"sigma": 1, "rate": Fraction(1, 50)}
    whole = subsampled_epsilon(delta=f("1e-6"), steps=1000, direction=direction, **setting)
    phases = [(1, Fraction(1, 50), split), (Fraction(1), f("0.02"), 1000 - split)]
    assert meet(
        whole, subsampled_schedule_epsilon(delta=f("1e-6"), phases=phases, direction=direction)
    )


def test_a_schedule_lies_between_its_phases():
    phases = [(1, f("0.01"), 1000), (f("1.5"), f("0.02"), 1000)]
    both = bounds(subsampled_schedule_epsilon(delta=f("1e-6"), phases=phases, direction="remove"))
    ends = [
        bounds(
            subsampled_epsilon(
                delta=f("1e-6"), sigma=sigma, rate=rate, steps=2000, direction="remove"
            )
        )
        for sigma, rate, _ in phases
    ]
    assert min(ends)[1] < both[0] < both[1] < max(ends)[0]


@pytest.mark.parametrize("direction", ["add", "remove", "both", "replace"])
@pytest.mark.statement("X.SG.INVERSE")
def test_the_noise_multiplier_gives_back_its_epsilon(direction):
    setting = {"rate": f("0.01"), "steps": 1000, "direction": direction}
    sigma = subsampled_sigma(epsilon=2, delta=f("1e-6"), digits=9, **setting)
    low, high = bounds(sigma)
    assert bounds(subsampled_delta(epsilon=2, sigma=low, **setting))[1] >= f("1e-6")
    assert bounds(subsampled_delta(epsilon=2, sigma=high, **setting))[0] <= f("1e-6")
    assert high - low <= low / 10**8


def test_both_is_the_larger_direction():
    setting = {"delta": f("1e-6"), "sigma": 1, "rate": f("0.01"), "steps": 1000}
    both, remove, add = (
        subsampled_epsilon(direction=each, **setting) for each in ("both", "remove", "add")
    )
    assert meet(both, remove)
    assert add < remove


def test_both_is_answered_where_no_contour_reaches_the_smaller_direction():
    """An ε of half the largest loss of adding: its δ is below 10^-4343, removing has 1.5e-127."""
    setting = {
        "epsilon": Fraction(1377, 1000),
        "sigma": Fraction(2),
        "rate": Fraction(185, 10**7),
        "steps": 127229,
    }
    with pytest.raises(ArithmeticError, match="so small a δ"):
        subsampled_delta(**setting, direction="add")
    both, remove = (subsampled_delta(**setting, direction=d) for d in ("both", "remove"))
    assert bounds(both) == bounds(remove)
    assert both > 0


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize("direction", ["add", "remove", "both", "replace"])
@pytest.mark.statement("X.SG.INVERSE")
def test_epsilon_is_zero_where_the_record_is_sampled_less_often_than_delta(direction):
    # δ(0) itself is out of reach for replace-one.
    where = {"sigma": f("0.597"), "rate": f("1.09e-6"), "steps": 2, "direction": direction}
    assert subsampled_epsilon(delta=f("2.18e-6"), **where) == 0
    phases = [(f("0.597"), f("1.09e-6"), 2), (f("2"), f("1e-6"), 3)]
    assert subsampled_schedule_epsilon(delta=f("5.18e-6"), phases=phases, direction=direction) == 0
    more = where | {"sigma": f("0.5"), "rate": f("0.01"), "direction": "remove"}
    assert subsampled_epsilon(delta=f("0.02"), **more) == 0
    assert subsampled_epsilon(delta=f("0.01"), **more) > 0


def test_epsilon_is_zero_exactly_where_delta_at_zero_is_enough():
    setting = {"sigma": 1, "rate": f("0.01"), "steps": 100, "direction": "remove"}
    low, high = bounds(subsampled_delta(epsilon=0, digits=10, **setting))
    assert subsampled_epsilon(delta=high, **setting) == 0
    assert subsampled_epsilon(delta=low * f("0.999"), **setting) > 0


@pytest.mark.parametrize("antipodal", [False, True])
@pytest.mark.parametrize(("sigma", "rate", "steps"), [("0.3", "0.1", 10), ("1", "0.01", 100)])
@pytest.mark.statement("X.SG.INVERSE")
def test_what_one_large_output_says_of_delta_at_zero_is_below_it(sigma, rate, steps, antipodal):
    profile = Profile([Step(f(sigma), f(rate), steps, antipodal)], add=False)
    with precision(200):
        assert 0 < profile.least_at_zero() < profile.delta(arb(0), 4)


@pytest.mark.statement("X.SG.PROFILE")
def test_a_cut_is_not_looked_for_at_the_largest_loss_of_adding():
    """Where δ is so small that a float cannot tell ε from it."""
    about = {"sigma": f("0.15"), "rate": f("1/2"), "steps": 2, "direction": "add"}
    found = subsampled_epsilon(delta=f("1e-12"), **about)
    with precision(200):
        assert abs(found - 2 * arb(2).log()) < arb("1e-10")


@pytest.mark.statement("X.SG.PROFILE")
def test_a_steep_cut_is_designed_once(monkeypatch):
    looks = []
    contour = Model.contour

    def counted(*given):
        looks.append(given)
        return contour(*given)

    monkeypatch.setattr(Model, "contour", counted)
    profile = Profile([Step(f("0.15"), f("0.1"), 10, False)], add=True)
    value = profile.delta(arb("0.947286"), 12)
    assert value.rel_accuracy_bits() > 40
    assert len(looks) == 1


@pytest.mark.parametrize(("steps", "delta"), [(1, "1e-100"), (3, "1e-9"), (1000, "1e-30")])
def test_the_add_direction_is_pure_beyond_its_largest_loss(steps, delta):
    setting = {"sigma": 1, "rate": f("0.01"), "steps": steps, "direction": "add"}
    largest = Fraction(-steps * math.log1p(-0.01))
    assert subsampled_delta(epsilon=largest * f("1.000001"), **setting) == 0
    assert bounds(subsampled_epsilon(delta=f(delta), **setting))[1] < largest


# Spoiled designs: any contour gives a true ball, or an error.


def spoil(value: float, rng: random.Random) -> float:
    if rng.random() < 0.7:
        return value
    return value * rng.choice([-1, 0, 1e-3, 0.1, 0.5, 0.9, 1.1, 2, 10, 100])


def spoiled(contour, rng):
    meshes = tuple(
        tuple(
            dataclasses.replace(
                mesh,
                height=spoil(mesh.height, rng),
                spacing=spoil(mesh.spacing, rng) if rng.random() < 0.5 else mesh.spacing,
                left=int(mesh.left * rng.choice([1, 1, 1, 0, 0.5, 0.1])),
                right=int(mesh.right * rng.choice([1, 1, 1, 0, 0.5, 0.1, -1])),
                strip=spoil(mesh.strip, rng),
            )
            if rng.random() < 0.2
            else mesh
            for mesh in each
        )
        for each in contour.meshes
    )
    return dataclasses.replace(
        contour,
        c=spoil(contour.c, rng),
        right=spoil(contour.right, rng),
        left=spoil(contour.left, rng),
        period=spoil(contour.period, rng),
        nodes=min(int(abs(spoil(contour.nodes, rng))), 300),
        meshes=meshes,
        bits=int(contour.bits * rng.choice([1, 1, 0.3])),
        cuts=tuple(
            Cut(*(spoil(each, rng) for each in (cut.place, cut.steepness, cut.edge)))
            for cut in contour.cuts
        ),
        small=spoil(contour.small, rng),
        windows=tuple(spoil(window, rng) for window in contour.windows),
    )


SPOILED = [
    *itertools.product(
        [("1", "0.01", 1000, "1"), ("0.5", "0.3", 20, "3"), ("3", "1e-3", 10**5, "0.3")],
        [False, True],
    ),
    (("0.6", "0.01", 2, "0.02"), False),
    (("9", "1e-5", 3, "2e-5"), True),
    (("1.89", "1.16e-5", 3, "0.2555"), False),
]


DEAR, QUICK = design._DEAR, design._QUICK
LEFT_OUT = dict(zip([each for each, _ in SPOILED[-3:]], [(1, 0), (0, 1), (1, 1)], strict=True))


@pytest.mark.thorough("balls of several seconds each")
def test_a_weight_that_falls_is_refused(monkeypatch):
    monkeypatch.setattr(design, "_QUICK", 0)
    step = Step(f("0.6"), f("0.01"), 2, False)
    contour = Model([step]).contour(0.02, -25.0, False)
    (cut,) = contour.cuts
    fallen = dataclasses.replace(cut, steepness=-cut.steepness)
    with precision(contour.bits), pytest.raises(ArithmeticError, match="large step falls"):
        Spectrum([step], dataclasses.replace(contour, cuts=(fallen,)))


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize(("setting", "antipodal"), SPOILED)
def test_spoiled_designs_never_prove_a_falsehood(setting, antipodal, monkeypatch):
    sigma, rate, steps, epsilon = setting
    rng = random.Random(f"{sigma} {rate} {antipodal}")
    step = Step(f(sigma), f(rate), steps, antipodal)
    kinds = ["replace", "replace"] if antipodal else ["remove", "add"]
    true, false = 0, 0
    for put, kind in zip((False, True), kinds, strict=True):
        where = f(epsilon)
        exact = subsampled_delta(
            epsilon=where, sigma=f(sigma), rate=f(rate), steps=steps, direction=kind, digits=20
        )
        profile = Profile([step], add=put)
        y = -float(where) if put else float(where)
        shift = y if put else 0.0
        # Where they are tried at any price, the last three have a cut, a window, and both.
        monkeypatch.setattr(design, "_DEAR", DEAR if put else 0)
        monkeypatch.setattr(design, "_QUICK", QUICK if put else 0)
        good = Model([step]).contour(y, profile.log_estimate(float(where)) + shift - 20, put)
        if not put and setting in LEFT_OUT:
            assert (bool(good.cuts), bool(good.windows)) == LEFT_OUT[setting]
        for _ in range(25):
            contour = spoiled(good, rng)
            with precision(max(contour.bits, 20)):
                try:
                    spectrum = Spectrum([step], contour)
                    point = arb(where.numerator) / where.denominator
                    value = spectrum.put(-point) * point.exp() if put else spectrum.call(point)
                except (ArithmeticError, ValueError):
                    continue
            if value.is_finite():
                true += 1
                with precision(400):
                    false += not value.overlaps(exact)
    assert false == 0
    assert true >= 6, "the designs were not spoiled so badly that nothing was tested"


def test_few_steps_and_a_rare_record_are_answered():
    """The losses that count lie within three powers of ten: many digits are too much work."""
    where = {"rate": f("3.86e-6"), "steps": 7, "direction": "replace"}
    at = {"epsilon": f("0.000998344695481"), "sigma": f("0.85"), **where}
    assert abs(subsampled_delta(digits=4, **at).mid() - arb("1e-10")) < arb("1e-13")
    with pytest.raises(ArithmeticError, match=r"inversion at 0\.000998345 needs"):
        subsampled_delta(digits=20, **at)
    # A command says two proved ends of ε instead, around the value.
    ends = poisson_ends.epsilon([(f("0.85"), f("3.86e-6"), 7, ())], f("1e-10"), "replace")
    assert ends.low <= f("0.00099834469548") <= ends.high <= ends.low * f("1.0013")
    # The record is sampled less often than δ: every σ is enough, and none is looked for.
    with pytest.raises(ValueError, match="outside"):
        subsampled_sigma(epsilon=f("0.4"), delta=f("0.02"), **where)


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [*table("bad_input_is_named"), ("rate", f("1.5"), "rate must be positive and at most 1")],
)
def test_bad_input_is_named(name, bad, message):
    good = {"delta": f("1e-5"), "sigma": 1, "rate": f("0.01"), "steps": 10, "direction": "add"}
    with pytest.raises(ValueError, match=message):
        subsampled_epsilon(**good | {name: bad})


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta", "direction"),
    [
        ("0.6", "0.01", 2, "1e-9", "remove"),  # hardly a record is sampled: the quasi-atom is cut
        ("0.6", "0.01", 5, "1e-9", "replace"),
        dear("0.5", "1e-5", 100, "1e-9", "replace"),
        ("0.3", "0.1", 2, "1e-6", "add"),
        ("0.5", "0.01", 3, "1e-100", "remove"),  # several large losses together
        ("54.9", "4.43e-6", 2, "2.19e-39", "add"),  # far out in the small losses
        dear("9.27", "2.62e-6", 2, "2.55e-84", "replace"),  # the far tail has no part: a window
        dear("6.23", "2.32e-6", 297, "8.47e-81", "replace"),
        ("2.1", "0.0122", 2, "6.31e-70", "remove"),  # one step with a heavier tail than e^{−cL}
        dear("1.89", "1.16e-5", 3, "7.59e-86", "remove"),  # a cut within a window
        ("0.405", "1.31e-6", 2, "5.63e-77", "add"),  # no float between the root and the end
        ("0.4", "0.000105", 5, "4.32e-90", "add"),  # an exponent of 10¹⁰ and more
    ],
)
@pytest.mark.statement("X.SG.INVERSE")
def test_rare_and_deep_settings_have_answers(sigma, rate, steps, delta, direction):
    setting = {"sigma": f(sigma), "rate": f(rate), "steps": steps, "direction": direction}
    low, high = bounds(subsampled_epsilon(delta=f(delta), digits=5, **setting))
    assert 0 < low < high <= low * (1 + f("1e-4"))
    # δ at the two ends, from contours of another accuracy, lies on the two sides of the target
    assert bounds(subsampled_delta(epsilon=low, digits=3, **setting))[1] >= f(delta)
    assert bounds(subsampled_delta(epsilon=high, digits=3, **setting))[0] <= f(delta)


@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "delta"),
    [
        # None had an enclosure: a bound took the largest of a weight and of a density apart.
        ("4.043", "7.802e-6", 102, "7.894116432288e-6"),
        ("28.549", "0.000403", 156, "7.0358824791303e-5"),
        ("5.384", "1.6e-6", 2060, "5.4276600299e-6"),
        ("18.176", "0.00119", 71, "2.202470107449e-4"),
        ("11.2", "3.56e-6", 2834, "6.764064038258e-6"),
    ],
)
def test_much_noise_and_rare_records_have_answers(sigma, rate, steps, delta, direction):
    where = {"sigma": f(sigma), "rate": f(rate), "steps": steps, "direction": direction}
    found = subsampled_delta(epsilon=0, digits=10, **where)
    # At ε = 0 both directions are the total variation distance; by the float64 witness.
    assert abs(found / arb(delta) - 1) <= arb("1e-9")
    assert subsampled_epsilon(delta=f("0.007793"), digits=20, **where) == 0


@steady
@given(
    log_sigma=st.floats(-1, 2),
    log_rate=st.floats(-6, -0.01),
    pull=st.one_of(st.floats(-1e5, 1e5), st.floats(-120, 120), st.floats(-2, 2)),
    antipodal=st.booleans(),
)
@example(log_sigma=0.6067, log_rate=-5.1078, pull=94.92, antipodal=False)
def test_no_integrand_is_above_the_peak_of_its_cell(log_sigma, log_rate, pull, antipodal):
    sigma = Fraction(10**log_sigma)
    step = Step(sigma, Fraction(10**log_rate), 1, antipodal)
    c = Fraction(pull) * sigma
    with precision(200):
        raising, falling, cosine = ball(1 + c), ball(-c if antipodal else Fraction(0)), arb("0.9")
        end = ball(9 + (abs(c) + 1) / sigma)
        edges = [end * k / 200 for k in range(-200, 201)]
        peaks = list(step._peaks(edges, raising, falling, cosine))
        assert len(peaks) == len(edges) - 1
        raised, fallen = step._log_sups(raising, cosine), step._log_sups(falling, cosine)
        for low, high, peak in zip(edges, edges[1:], peaks, strict=False):
            for part in range(9):
                t = low + (high - low) * part / 8
                assert not raised(t) + fallen(-t) - t * t / 2 > peak


def test_what_is_beyond_reach_is_refused():
    with pytest.raises(ArithmeticError, match="beyond the search"):
        subsampled_epsilon(
            delta=f("1e-12"), sigma=f("0.5"), rate=f("0.2"), steps=10**6, direction="remove"
        )


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.statement("X.SG.PROFILE")
def test_what_is_far_below_all_floats_is_refused_and_does_not_run_for_minutes():
    phases = [
        (43.49611280848328, 0.1011414600247018, 5),
        (10.100090051850074, 0.004782755163265142, 17),
    ]
    with pytest.raises(ArithmeticError, match="too much work"):
        subsampled_schedule_delta(epsilon=0.7130175619160307, phases=phases, direction="both")


@pytest.mark.statement("X.SG.PROFILE")
@pytest.mark.parametrize("rate", ["1e-6", "1e-3", "1/2", "0.999"])
@pytest.mark.parametrize("antipodal", [False, True])
def test_the_search_for_a_contour_is_short_with_much_noise_too(rate, antipodal):
    # One transform at the largest exponents took 400,000 nodes, and an estimate 20 million.
    for sigma in (1, 100, 10**4, 10**5):
        effort = Effort()
        model = Model([Step(Fraction(sigma), Fraction(rate), 3, antipodal)], effort=effort)
        for put in (False, True):
            assert model.log_divergence(0.0, put) < 0
        assert effort.nodes < 50_000, (sigma, effort.nodes)
