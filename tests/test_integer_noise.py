"""Integer sums with noise of many parties: the note's figures, small cases by brute force."""

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb
from test_audit import Content, judged, privacy

from dporacle import claims, enclosures, fast, reference
from dporacle.claims import examples, prose
from dporacle.claims.mechanisms.integer_noise import longest_vectors
from dporacle.enclosures import integer_noise as in_balls
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.discrete.sums import Addends, NoiseBound, closeness, integer_noise_delta
from dporacle.enclosures.integer_noise import _Skellam
from dporacle.reference import integer_noise as by_recurrence
from dporacle.reference.numerics.precision import working
from dporacle.verdicts import Verdict
from support.truths.divergences import divergence, product

NAMES = {"discrete-gaussian": "sigma_squared", "discrete-laplace": "scale", "skellam": "variance"}
FIGURES: list[tuple[str, str, int, int, str, dict[str, Any], str]] = [
    ("discrete-gaussian", "1/4", 2, 1, "1", {}, "0.3332324021984471"),
    ("discrete-gaussian", "1/10", 100, 1, "1", {}, "0.07257648998316186"),
    ("discrete-gaussian", "1/10", 100, 1, "1", {"modulus": 1 << 32}, "0.07257648998316186"),
    ("discrete-gaussian", "1", 2, 1, "1", {}, "0.04282728128896805"),
    ("discrete-laplace", "1", 2, 1, "1/2", {}, "0.06618882825420169"),
    ("discrete-laplace", "1/2", 5, 2, "1", {}, "0.3745815057355251"),
    ("skellam", "1", 1, 1, "1", {}, "0.1061713248421464"),
    ("skellam", "100", 1, 2, "1/2", {}, "0.0004825821180656438"),
    ("skellam", "20", 5, 2, "1/2", {}, "0.0004825821180656438"),
    ("discrete-laplace", "1", 1, 1, "1/2", {"modulus": 8}, "0.2674225427831651"),
    ("discrete-laplace", "2", 1, 3, "1/4", {"modulus": 7}, "0.2132765509098941"),
    ("discrete-gaussian", "4", 1, 1, "1", {"bound": (6, "redrawn")}, "0.00813695388287"),
    ("discrete-gaussian", "4", 1, 1, "4", {"bound": (6, "clamped")}, "0.002727972921596258"),
    ("discrete-gaussian", "4", 1, 1, "1", {"bound": (6, "clamped")}, "0.007248776845952578"),
    ("discrete-gaussian", "4", 1, 1, "1", {"bound": (4, "clamped")}, "0.03848760642497455"),
]


NAMED = {
    "discrete-gaussian": "discrete_gaussian_sum_delta",
    "discrete-laplace": "discrete_laplace_sum_delta",
}


@pytest.mark.statement("X.PARTIES")
@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_quantities_are_the_figures_of_claims(witness: Any) -> None:
    """Lists, and masses that reach as far as one likes, are two ways to one number."""
    asked = 0
    for law, parameter, parties, sensitivity, epsilon, more, delta in FIGURES:
        value = Fraction(parameter)
        given = {"epsilon": Fraction(epsilon), "sensitivity": sensitivity}
        if more or parties > 64:
            continue
        if law == "skellam":
            found = witness.skellam_delta(**given, variance=value * parties)
        else:
            own = {"scale": value}
            if law == "discrete-gaussian":
                own = {
                    "sigma": Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
                }
            found = getattr(witness, NAMED[law])(**given, **own, parties=parties)
        asked += 1
        assert math.isclose(float(found), float(delta), rel_tol=1e-9)
    assert asked == 7


@pytest.mark.statement("X.BOUNDED")
@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_remainders_and_clamped_noise_are_the_figures_of_claims(witness: Any) -> None:
    """Those that claims list; modulo m the largest change need not be the worst."""
    functions = {"discrete-gaussian": "gaussian_sum", "discrete-laplace": "laplace_sum",
                 "skellam": "skellam"}  # fmt: skip
    compared = 0
    for law, parameter, parties, sensitivity, epsilon, more, delta in FIGURES:
        kind = "wrapped" if "modulus" in more else "clamped"
        if more.get("modulus", 999) > 256 and more.get("bound", (0, ""))[1] != "clamped":
            continue
        noise = {"discrete-gaussian": "sigma", "discrete-laplace": "scale", "skellam": "variance"}
        size = Fraction(parameter)
        given = {
            noise[law]: Fraction(math.isqrt(int(size))) if law == "discrete-gaussian" else size
        }
        given |= {} if law == "skellam" else {"parties": parties}
        given |= {"modulus": more["modulus"]} if "modulus" in more else {"bound": more["bound"][0]}
        ask = getattr(witness, f"{kind}_{functions[law]}_delta")
        value = ask(epsilon=Fraction(epsilon), sensitivity=sensitivity, **given)
        assert math.isclose(float(value), float(delta), rel_tol=1e-9)
        compared += 1
    assert compared == 5, "the others are of no quantity"
    told = {"scale": 1, "parties": 1, "modulus": 8}
    near, far = (
        witness.wrapped_laplace_sum_epsilon(delta=0, sensitivity=d, **told) for d in (4, 7)
    )
    assert float(near) == float(far) > 3


@pytest.mark.statement("X.BOUNDED")
@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_clamped_noise_has_no_epsilon_below_what_it_always_loses(witness: Any) -> None:
    """Neither at δ = 0, though what is lost is below all floats, nor next to what is lost."""
    ask, laplace = witness.clamped_laplace_sum_epsilon, {"parties": 1, "sensitivity": 1}
    least = float(enclosures.clamped_laplace_sum_delta(epsilon=9, scale=1, bound=4, **laplace))
    for scale, bound, delta in ((0.1, 256, 0), (1, 4, 0), (1, 4, math.nextafter(least, 0))):
        with pytest.raises(ValueError, match="delta must be at least what clamped noise loses"):
            ask(delta=delta, scale=scale, bound=bound, **laplace)
    with pytest.raises(ValueError, match="delta must be at least what clamped noise loses"):
        witness.clamped_gaussian_sum_epsilon(delta=0, sigma=0.5, bound=200, **laplace)
    assert float(ask(delta=least * (1 + 1e-9), scale=1, bound=4, **laplace)) < 1 + 1e-9
    apart = {"scale": 1, "parties": 1, "sensitivity": 5, "bound": 1}  # no output in common
    assert ask(delta=1, **apart) == 0


@pytest.mark.statement("X.PARTIES")
def test_losses_far_beyond_all_lists_are_answered() -> None:
    """Lists end at 2^-16000; near the largest loss of Laplace noise t is about n/(Δ/b − ε)."""
    near = enclosures.discrete_laplace_sum_delta(
        epsilon=Fraction(10**10 - 1, 10**10), scale=1, parties=64, sensitivity=1
    )
    assert arb("1e-273605522969") < near < arb("1e-273605522967")
    far = {"epsilon": 700, "sigma": 2, "parties": 5, "sensitivity": 1}
    gaussian = enclosures.discrete_gaussian_sum_delta(**far)
    assert 0 < gaussian < arb("1e-2128045")
    assert fast.discrete_gaussian_sum_delta(**far) == math.ulp(0)


@pytest.mark.statement("X.PARTIES")
@pytest.mark.parametrize(
    ("epsilon", "variance"),
    [
        (8, 10**4),  # ₀F₁ of so large an order once had no correct digit, at any precision
        (Fraction(1, 20), 4000),  # the sum over steps begins late, and is far out
        (0, 4000),
        (5, Fraction(1, 50)),
    ],
)
def test_skellam_noise_far_out_or_wide_is_that_of_the_reference(
    epsilon: Fraction, variance: Fraction
) -> None:
    given = {"epsilon": epsilon, "variance": variance, "sensitivity": 1}
    enclosed = enclosures.skellam_delta(**given, digits=40)
    assert enclosed.rel_accuracy_bits() > 130
    with precision(200):
        found = arb(str(reference.skellam_delta(**given, digits=50)))
        assert enclosed.overlaps(found * arb(1, 1e-45))


@pytest.mark.statement("X.PARTIES")
@pytest.mark.parametrize("variance", [Fraction(1, 100), 3, 400, 10**4])
def test_a_tail_of_skellam_noise_is_what_its_masses_leave(variance: Fraction) -> None:
    """Both come of other sums: what is left out of either is enclosed, and little."""
    with precision(160):
        law = _Skellam(Fraction(variance))
        middle = law.mass(0) + 2 * law.beyond(1)
        assert middle.overlaps(arb(1))
        assert middle.rel_accuracy_bits() > 100
        for y in (1, 2, 40, 300, 5000):
            upper = law.beyond(y + 1)
            assert upper.rel_accuracy_bits() > 100
            step = law.beyond(y) - upper
            assert step.overlaps(law.mass(y))


@pytest.mark.statement("X.PARTIES")
@pytest.mark.parametrize("scale", [Fraction(1, 50), Fraction(1), Fraction(100)])
def test_a_recurrence_over_noises_has_the_masses_of_partial_fractions(scale: Fraction) -> None:
    """Also where it takes away, below as many as there are noises, to all bits of a precision."""
    for parties in (1, 2, 3, 40):
        with working(80) as ctx, precision(400):
            noise, balls = (
                by_recurrence._LaplaceSum(ctx, scale, parties),
                in_balls._LaplaceSum(scale, parties),
            )
            for y in (0, 1, 2, parties - 1, parties, 10 * parties):
                found, expected = [noise.mass(y)], [balls.mass(y)]
                if y:
                    found, expected = [*found, noise.beyond(y)], [*expected, balls.beyond(y)]
                for one, other in zip(found, expected, strict=True):
                    share = arb(mpmath.nstr(one, 60)) / other
                    assert abs(share - 1) < arb(2) ** -80


def test_wide_sums_are_told_from_one_gaussian_at_any_precision() -> None:
    """τ was once a logarithm of a number near 1, and never below what a list left out."""
    with precision(300):
        assert closeness(Fraction(100), 64) < arb(2) ** -1300


def noise(law: str, parameter: object, parties: int, sensitivity: int = 1, **more: Any) -> Content:
    part = {"law": law, NAMES[law]: parameter, "parties": parties}
    kept = {"neighbours": "add-remove", "sensitivity": sensitivity}
    part |= {name: more.pop(name) for name in ("dropouts", "colluders") if name in more}
    return {"kind": "integer-noise", "parts": [part], **kept, **more}


@pytest.mark.statement("X.SUM")
@pytest.mark.parametrize(
    ("law", "parameter", "parties", "sensitivity", "epsilon", "more", "delta"), FIGURES
)
def test_figures(
    law: str, parameter: str, parties: int, sensitivity: int, epsilon: str,
    more: dict[str, Any], delta: str,
) -> None:  # fmt: skip
    given = dict(more)
    if "bound" in given:
        given["bound"] = dict(zip(("at", "by"), given["bound"], strict=True))
    step = Fraction(delta) / 10**11
    for bound, verdict in ((Fraction(delta) + step, "HOLDS"), (Fraction(delta) - step, "VIOLATED")):
        about = noise(law, parameter, parties, sensitivity, **given)
        assert judged(about, privacy(epsilon, str(bound))).verdict == verdict


def masses(name: str, parameter: Fraction, far: int) -> dict[int, mpmath.mpf]:
    """The law by its formula, within −far, …, far."""
    x = mpmath.mpf(parameter.numerator) / parameter.denominator
    formula = {
        "discrete-gaussian": lambda y: mpmath.exp(-y * y / (2 * x)),
        "discrete-laplace": lambda y: mpmath.exp(-abs(y) / x),
        "skellam": lambda y: mpmath.besseli(abs(y), x),
    }[name]
    found = {y: formula(y) for y in range(-far, far + 1)}
    total = mpmath.fsum(found.values())
    return {y: mass / total for y, mass in found.items()}


def brute(
    epsilon: Fraction, addends: tuple[Addends, ...], sensitivity: int,
    modulus: int | None, bound: NoiseBound | None,
) -> mpmath.mpf:  # fmt: skip
    """δ(ε) from its definition: all shifts, both ways, every noise added by itself."""
    law = {0: mpmath.mpf(1)}
    for name, parameter, count in addends:
        one = masses(name, parameter, 60)
        for _ in range(count):
            sums: dict[int, mpmath.mpf] = {}
            for (y, p), (z, q) in itertools.product(law.items(), one.items()):
                sums[y + z] = sums.get(y + z, mpmath.mpf(0)) + p * q
            law = sums
    if bound is not None and bound.by == "redrawn":
        law = {y: p for y, p in law.items() if abs(y) <= bound.at}
        whole = mpmath.fsum(law.values())
        law = {y: p / whole for y, p in law.items()}
    power = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)

    def seen(shift: int) -> dict[int, mpmath.mpf]:
        found: dict[int, mpmath.mpf] = {}
        for y, p in law.items():
            kept = max(-bound.at, min(bound.at, y)) if bound is not None else y
            at = (kept + shift) % modulus if modulus else kept + shift
            found[at] = found.get(at, mpmath.mpf(0)) + p
        return found

    still, largest = seen(0), mpmath.mpf(0)
    for shift in range(-sensitivity, sensitivity + 1):
        moved = seen(shift)
        largest = max(largest, divergence(moved, still, power))
    return largest


@pytest.mark.statement("X.SUM")
def test_small_cases_by_brute_force() -> None:
    drawn = random.Random(58)
    with mpmath.workdps(30):
        for case in range(24):
            kinds = drawn.sample(sorted(NAMES), drawn.choice((1, 1, 2)))
            addends = tuple(
                Addends(kind, Fraction(drawn.randint(1, 6), 4), drawn.randint(0, 2))  # type: ignore[arg-type]
                for kind in kinds
            )
            modulus = (None, drawn.randint(2, 12), 10**9)[case % 3]
            by = (None, "redrawn", "clamped")[case // 3 % 3]
            bound = None if by is None else NoiseBound(drawn.randint(0, 5), by)  # type: ignore[arg-type]
            epsilon, sensitivity = Fraction(drawn.randint(0, 8), 4), drawn.randint(1, 4)
            asked = (epsilon, addends, sensitivity, modulus, bound)
            low, high = rounding.bounds(
                integer_noise_delta(
                    epsilon=epsilon, addends=addends, sensitivity=sensitivity, modulus=modulus,
                    bound=bound, digits=20,
                )
            )  # fmt: skip
            truth = Fraction(str(brute(*asked)))
            assert low - Fraction(1, 10**15) <= truth <= high + Fraction(1, 10**15), asked
            assert high - low <= Fraction(1, 10**18)


def test_sums_of_wide_discrete_gaussians_are_listed_as_one() -> None:
    """τ decides: beyond it the list of one law and the convolution agree."""
    for variance in (Fraction(4), Fraction(12), Fraction(200)):
        sums = [
            integer_noise_delta(
                epsilon=Fraction(1, 8), sensitivity=3, digits=digits,
                addends=(Addends("discrete-gaussian", variance, 3),),
            )
            for digits in (8, 60)
        ]  # fmt: skip
        assert sums[0].overlaps(sums[1])


@pytest.mark.parametrize(
    ("about", "epsilon", "delta", "verdict"),
    [
        (noise("discrete-laplace", 1, 1), 1, 0, "HOLDS"),
        (noise("discrete-laplace", 1, 9), 1, 0, "HOLDS"),
        (noise("discrete-laplace", 1, 1), "0.999", 0, "VIOLATED"),
        (noise("discrete-laplace", 1, 1, modulus=8), "0.998", 0, "HOLDS"),
        (noise("discrete-laplace", 1, 1, modulus=8), "0.997", 0, "VIOLATED"),
        (noise("discrete-gaussian", 9, 1), 30, 0, "VIOLATED"),
        (noise("discrete-gaussian", 9, 1), 0, 1, "HOLDS"),
        (noise("discrete-gaussian", 9, 1, bound={"at": 2, "by": "redrawn"}), 9, "0.1", "VIOLATED"),
        (noise("discrete-laplace", 1, 1, bound={"at": 9, "by": "redrawn"}), 1, 0, "VIOLATED"),
        (noise("skellam", 9, 3, dropouts=1, colluders=2), 9, "0.999", "VIOLATED"),
        (noise("skellam", 9, 3, 5, modulus=2, dropouts=3), 9, "0.999", "VIOLATED"),
        (noise("skellam", "1/10", 1, 2, modulus=2), 2, "0.999", "HOLDS"),
        (noise("discrete-gaussian", 1, 1, 5, bound={"at": 2, "by": "clamped"}), 3, "0.99",
         "VIOLATED"),
        # δ = 0 needs no masses: what is lost is above 0 however far out it is.
        (noise("discrete-gaussian", "1/4", 10), 10**6, 0, "VIOLATED"),
        (noise("skellam", 4, 10), 1000, 0, "VIOLATED"),
        (noise("skellam", 4, 1, dropouts=1), 1000, 0, "VIOLATED"),
        (noise("discrete-laplace", "1/4", 10), "3.9999999999999", 0, "VIOLATED"),
        (noise("discrete-laplace", "1/4", 10), 4, 0, "HOLDS"),
        (noise("discrete-laplace", "1/4", 1, dropouts=1), 4, 0, "VIOLATED"),
        (noise("discrete-gaussian", 4, 1, bound={"at": 6, "by": "clamped"}), 10**6, 0, "VIOLATED"),
        (noise("discrete-gaussian", 4, 1, modulus=14, bound={"at": 6, "by": "redrawn"}), 10**6, 0,
         "VIOLATED"),
        (noise("discrete-gaussian", 4, 1, modulus=13, bound={"at": 6, "by": "redrawn"}), 5, 0,
         "HOLDS"),
    ],
)  # fmt: skip
def test_corners(about: Content, epsilon: Any, delta: Any, verdict: str) -> None:
    assert judged(about, privacy(epsilon, delta)).verdict == verdict


def composed(*releases: Content) -> Content:
    return {"kind": "composition", "records": "same", "times": 1, "releases": list(releases)}


FULL = {"dropouts": 0, "colluders": 0}


@pytest.mark.statement("X.SUM")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("skellam", "5/4", 2, 1), ("discrete-laplace", "2", 3, 2)),
        (("discrete-gaussian", "1/4", 3, 2), ("skellam", "3", 1, 1)),
        (("discrete-laplace", "3/2", 1, 2), ("discrete-laplace", "1/2", 2, 1)),
        (("discrete-gaussian", "4", 1, 1), ("discrete-laplace", "2", 1, 1)),
    ],
)
@pytest.mark.parametrize("modulus", [None, 10**9])
def test_two_releases_are_between_their_ends(one: Any, other: Any, modulus: int | None) -> None:
    """Against the sum over both outputs, by the laws' formulas."""
    epsilon = Fraction(1)
    with mpmath.workdps(25):
        laws = []
        for name, parameter, count, sensitivity in (one, other):
            law = {0: mpmath.mpf(1)}
            for _ in range(count):
                added = masses(name, Fraction(parameter), 70)
                law = {
                    z: mpmath.fsum(p * added.get(z - y, 0) for y, p in law.items())
                    for z in range(-70, 71)
                }
            laws.append(
                tuple([law.get(y - moved, 0) for y in range(-70, 80)] for moved in (sensitivity, 0))
            )
        delta = divergence(*product(*laws), mpmath.exp(1))
    more = {} if modulus is None else {"modulus": modulus}
    about = composed(*(noise(*each, **FULL, **more) for each in (one, other)))
    truth = Fraction(str(delta))
    above = judged(about, privacy(epsilon, str(truth * Fraction(101, 100))))
    below = judged(about, privacy(epsilon, str(truth * Fraction(98, 100))))
    assert (above.verdict, below.verdict) == ("HOLDS", "VIOLATED")
    for found in (above, below):
        assert Fraction(found.low) <= truth * (1 + Fraction(1, 10**12))
        assert Fraction(found.high) >= truth * (1 - Fraction(1, 10**12))


def test_single_noises_have_their_atoms_on_a_lattice() -> None:
    replaced = {"neighbours": "replace-one"}
    ours = composed(
        noise("discrete-gaussian", 4, 1) | replaced, noise("discrete-laplace", 2, 1) | replaced
    )
    theirs = composed(
        {"kind": "discrete-gaussian", "sigma_squared": 4, "sensitivity": 1, **replaced},
        {"kind": "randomised-response", "epsilon": "1/2", "kinds": 2},
    )
    found = [judged(one, privacy(1, "0.03", "replace-one")) for one in (ours, theirs)]
    assert found[0].low == found[1].low
    assert found[0].high == found[1].high


def vector(variance: object, square: int, dimension: int, parties: int = 1, **more: Any) -> Content:
    about = noise("discrete-gaussian", variance, parties, **FULL, **more)
    del about["sensitivity"]
    return about | {"sensitivity_squared": square, "dimension": dimension}


@pytest.mark.statement("X.SUM")
@pytest.mark.parametrize(
    ("variance", "square", "dimension", "epsilon", "delta"),
    [
        (1, 4, 4, 1, "0.540293617672468"),  # (2)
        (1, 4, 4, 2, "0.315348240753259"),  # (1, 1, 1, 1)
        (1, 4, 1, 2, "0.266781775046988"),  # (2) alone is left
        ("1/4", 4, 3, "1/2", "0.924258614218509"),  # (1, 1, 1), of a smaller norm
    ],
)
def test_vectors_have_their_worst_change(
    variance: object, square: int, dimension: int, epsilon: object, delta: str
) -> None:
    step = Fraction(delta) / 10**6
    about = vector(variance, square, dimension)
    for bound, verdict in ((Fraction(delta) + step, "HOLDS"), (Fraction(delta) - step, "VIOLATED")):
        assert judged(about, privacy(epsilon, str(bound))).verdict == verdict


def test_the_longest_vectors_are_all_that_matter() -> None:
    for square, dimension in itertools.product(range(1, 14), range(1, 6)):
        every = [
            each
            for each in itertools.product(range(4), repeat=dimension)
            if sum(x * x for x in each) <= square and list(each) == sorted(each, reverse=True)
        ]
        longest = {
            tuple(x for x in one if x)
            for one in every
            if not any(
                other != one and all(x <= y for x, y in zip(one, other, strict=True))
                for other in every
            )
        }
        found = longest_vectors(square, dimension, 10**6)
        assert len(found) == len(set(found))
        assert set(found) == longest


def test_vectors_of_too_many_changes_are_between_ends() -> None:
    about = vector(100, 60, 1000)
    found = [judged(about, privacy(2, delta)).verdict for delta in ("0.1", "0.005", "0.001")]
    assert found == ["HOLDS", "UNDECIDED", "VIOLATED"]


def test_compositions_of_which_little_is_known() -> None:
    silent = noise("skellam", 1, 2, dropouts=1, colluders=1)
    assert judged(composed(silent, silent), privacy(5, "0.999")).verdict is Verdict.VIOLATED
    for kept in ({"bound": {"at": 4, "by": "clamped"}}, {"modulus": 9}):
        one = noise("skellam", 4, 1, **kept)
        assert judged(composed(one), privacy(1, "1e-9")).verdict is Verdict.UNDECIDED


def test_dropouts_and_colluders_are_noise_that_is_missing() -> None:
    few = judged(noise("skellam", 1, 10, dropouts=2, colluders=3), privacy(1, "1e-3"))
    five = judged(noise("skellam", 1, 5), privacy(1, "1e-3"))
    assert (few.low, few.high) == (five.low, five.high)
    assert "drop out or collude" in few.supposes
    assert any("of 10 parties at least 5" in each.says for each in few.hypotheses)


def test_what_is_not_stated_is_a_condition() -> None:
    found = judged(noise("skellam", 1, 10), privacy(1, "0.1"))
    assert found.verdict is Verdict.HOLDS
    said = [each.condition for each in found.hypotheses if each.condition]
    assert said == ["every party adds its noise", "no party tells its noise"]
    alone = judged(noise("skellam", 1, 1), privacy(1, "0.2"))
    assert not any(each.condition for each in alone.hypotheses)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        (noise("skellam", 1, 2, dropouts=2, colluders=1), "dropouts and colluders must be 2"),
        (noise("skellam", -1, 2), "variance must be positive"),
        (noise("skellam", 1, 2, modulus=1), "modulus"),
        (noise("skellam", 1, 2, dropouts=1, bound={"at": 1, "by": "clamped"}), "bound must be"),
        (noise("skellam", 1, 2, bound={"at": 1, "by": "cut"}), "by"),
        (noise("skellam", 1, 2, dimension=3), "dimension must be absent beside sensitivity"),
        (vector(1, 4, 3, bound={"at": 1, "by": "clamped"}), "bound must be absent beside dim"),
        ({"kind": "integer-noise", "sensitivity": 1, "neighbours": "add-remove",
          "parts": [{"law": "skellam", "scale": 1, "parties": 1}]}, "scale must be absent"),
    ],
)  # fmt: skip
def test_what_is_refused(about: Content, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        claims.make({"id": "x", "mechanism": about, "asserts": privacy(1, "0.1")})


def test_a_report_says_all_fields() -> None:
    about = noise("skellam", 4, 3, **FULL, modulus=64, bound={"at": 9, "by": "redrawn"})
    said = prose.paragraph(judged(about, privacy(1, "0.3")))
    for words in ("parties: 3", "variance 4", "modulo 64", "kept within bounds, at 9, redrawn"):
        assert words in said
    verdicts = []
    for claim in claims.read(examples.read("integer-noise").encode()).claims:
        verdicts.append(claims.audit(claim))
        assert prose.paragraph(verdicts[-1])
    found = [each.verdict for each in verdicts]
    assert found == ["VIOLATED", "HOLDS", "HOLDS", "HOLDS", "VIOLATED"]


@pytest.mark.parametrize("word", ["skellam", "geometric", "ddgauss"])
def test_other_words_name_it(word: str) -> None:
    with pytest.raises(ValueError, match="is it 'integer-noise'"):
        claims.make({"id": "x", "mechanism": {"kind": word}, "asserts": privacy(1, "0.1")})


def test_too_many_points_are_undecided() -> None:
    assert judged(noise("skellam", 10**14, 1), privacy(1, "0.1")).verdict is Verdict.UNDECIDED
    wide = noise("discrete-laplace", 1000, 1, 1000, modulus=5000)
    assert judged(wide, privacy("0.5", "0.1")).verdict is Verdict.UNDECIDED


def test_twice_the_sensitivity_has_no_lower_end() -> None:
    doubled = judged(noise("skellam", 9, 1), privacy(9, "1e-3", "replace-one"))
    full = judged(noise("skellam", 9, 1, 2), privacy(9, "1e-3"))
    assert (doubled.verdict, full.verdict) == ("HOLDS", "HOLDS")
    assert doubled.epsilon is not None
    assert full.epsilon is not None
    assert (doubled.epsilon.low, doubled.epsilon.high) == (0, full.epsilon.high)


def test_the_least_epsilon_is_between_its_ends() -> None:
    found = judged(noise("discrete-laplace", 2, 3), privacy(1, "1e-3"))
    assert found.epsilon is not None
    assert found.epsilon.high is not None
    low, high = found.epsilon.low, found.epsilon.high
    assert high - low < Fraction(1, 10**6)
    addends = (Addends("discrete-laplace", Fraction(2), 3),)
    values = [
        integer_noise_delta(epsilon=epsilon, addends=addends, sensitivity=1, digits=12)
        for epsilon in (low, high)
    ]
    assert math.isclose(float(values[0]), 1e-3, rel_tol=1e-5)
    assert float(values[1]) <= 1e-3 * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [20, 100, 10**308])
def test_a_loss_far_beyond_all_masses_is_enough(epsilon: int) -> None:
    """δ(20) is below 2^-19655, which is not listed; that of a smaller ε is enough."""
    parts = [{"law": "discrete-gaussian", "sigma_squared": 9, "parties": 9}]
    mechanism = {"kind": "integer-noise", "parts": parts, "sensitivity": 1,
                 "neighbours": "add-remove"}  # fmt: skip
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-9", "neighbours": "add-remove"}
    found = claims.audit({"id": "x", "mechanism": mechanism, "asserts": asserts})
    assert found.verdict is Verdict.HOLDS
    assert found.hypotheses
