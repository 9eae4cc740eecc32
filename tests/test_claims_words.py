"""Claims in the words of the field: contributions, multipliers, trees, thresholds, parameters."""

import itertools
import json
import math
import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import Content, judged, privacy, release
from test_audit_kinds import discrete_noise

from dporacle import claims, enclosures
from dporacle.claims import audit, examples, files, judge, quantities
from dporacle.claims.assertions import ASSERTIONS
from dporacle.claims.claim import Claim
from dporacle.claims.content_errors import faults
from dporacle.claims.mechanisms import MECHANISMS, Contribution, Neighbours, ThresholdedHistogram
from dporacle.claims.wording import scale
from dporacle.cli import main, run_audit
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import conditions, hypothesis
from dporacle.vocabulary.relations import RELATIONS
from support.cases import table

SMALL = st.integers(1, 4)


def gaussian(**fields: object) -> Content:
    return {"kind": "gaussian", **fields}


def made(mechanism: Content, asserts: Content | None = None) -> claims.Claim:
    said = privacy(1, "0.1") if asserts is None else asserts
    return claims.make({"id": "x", "mechanism": mechanism, "asserts": said})


def test_the_relations_are_those_of_the_vocabulary() -> None:
    assert set(Neighbours.__args__) == set(RELATIONS)
    for relation in RELATIONS.values():
        assert set(relation.reaches) < set(RELATIONS)


@pytest.mark.statement("X.C1")
@given(SMALL, SMALL, st.integers(0, 3), st.sampled_from(["any", "nonnegative"]))
def test_sensitivities_of_contributions_are_reached_and_not_exceeded(
    l0: int, linf: int, more: int, values: str
) -> None:
    """The extreme vectors are those whose coordinates are 0 or ±linf."""
    size = min(l0 + more, 4)
    l0 = min(l0, size)
    sides = (-linf, 0, linf) if values == "any" else (0, linf)
    bounds = Contribution(l0=l0, linf=Fraction(linf), values=values, coordinates=size)
    vectors = [v for v in itertools.product(sides, repeat=size) if sum(map(bool, v)) <= l0]
    pairs = itertools.product(vectors, vectors)
    farthest = max(sum((a - b) ** 2 for a, b in zip(v, w, strict=True)) for v, w in pairs)
    assert bounds.distance_squared("replace-one") == farthest
    assert bounds.distance_squared("add-remove") == max(sum(a * a for a in v) for v in vectors)
    assert bounds.distance_squared("zero-out") == bounds.distance_squared("add-remove")


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=5), st.lists(st.floats(-1, 1), min_size=2))
@example(v=[1.0, 0.0], w=[0.0, 1.0])
def test_clipped_vectors_stay_within_their_sensitivity(v: list[float], w: list[float]) -> None:
    size = min(len(v), len(w))
    for values in ("any", "nonnegative"):
        both = [v[:size], w[:size]]
        if values == "nonnegative":
            both = [[abs(a) for a in u] for u in both]
        clipped = [[Fraction(a) / max(1, math.ceil(math.hypot(*u))) for a in u] for u in both]
        bounds = Contribution(clipping_norm=Fraction(1), values=values, coordinates=size)
        square = sum((a - b) ** 2 for a, b in zip(*clipped, strict=True))
        assert square <= bounds.distance_squared("replace-one")


def test_one_nonnegative_coordinate_moves_by_its_bound_only() -> None:
    for fields in ({"clipping_norm": Fraction(3)}, {"l0": 1, "linf": Fraction(3)}):
        bounds = Contribution(values="nonnegative", coordinates=1, **fields)
        assert bounds.distance_squared("replace-one") == 9


def test_a_contribution_is_for_every_relation() -> None:
    clipped = gaussian(sigma=4, contribution={"clipping_norm": 1})
    for relation, distance in (("add-remove", 1), ("zero-out", 1), ("replace-one", 2)):
        ours = judged(clipped, privacy(1, "1e-5", relation))
        stated = gaussian(sigma=4, sensitivity=distance, neighbours=relation)
        theirs = judged(stated, privacy(1, "1e-5", relation))
        assert (ours.verdict, ours.low, ours.margin) == (theirs.verdict, theirs.low, theirs.margin)
        assert ours.decided.doubled is False


@given(st.integers(1, 400), st.integers(1, 5))
def test_noise_multipliers(percent: int, sensitivity: int) -> None:
    multiplier = Fraction(percent, 100)
    plain = made(gaussian(noise_multiplier=str(multiplier), neighbours="add-remove")).mechanism
    stated = made(
        gaussian(noise_multiplier=str(multiplier), sensitivity=sensitivity, neighbours="zero-out"),
        privacy(1, "0.1", "zero-out"),
    ).mechanism
    assert plain.mu_squared() == stated.mu_squared() == 1 / multiplier**2
    assert stated.variance() == (multiplier * sensitivity) ** 2
    clipped = made(
        gaussian(noise_multiplier=str(multiplier), contribution={"clipping_norm": sensitivity})
    ).mechanism
    assert clipped.mu_squared("add-remove") == 1 / multiplier**2
    assert clipped.mu_squared("replace-one") == 4 / multiplier**2


@pytest.mark.statement("X.C2")
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 100])
def test_a_step_enters_as_many_nodes_as_the_tree_is_said_to_have(steps: int) -> None:
    """By counting the dyadic intervals that are done after some step."""
    entered = [0] * (steps + 1)
    for length in (1 << level for level in range(steps.bit_length() + 1)):
        for end in range(length, steps + 1, length):
            for step in range(end - length + 1, end + 1):
                entered[step] += 1
    tree = {"kind": "tree-aggregation", "steps": steps, "trees": 3, "participations": 1}
    about = made({**release(sigma=2), **tree}).mechanism
    assert about.count() == 3 * max(entered) == 3 * entered[1]
    assert about.mu_squared() == Fraction(3 * max(entered), 4)


def test_a_tree_is_a_gaussian_release_and_can_be_composed() -> None:
    tree = {
        **release(sigma=2),
        "kind": "tree-aggregation",
        "steps": 7,
        "participations": 1,
        "unit": "m",
    }
    several = {"kind": "composition", "times": 2, "releases": [tree, release(sigma=1)]}
    assert made(several).mechanism.mu_squared() == 2 * (Fraction(3, 4) + 1)
    found = judged(tree, privacy(1, "0.05"))
    plain = judged(release(sigma=2, sensitivity=None, sensitivity_squared=3, unit="m"),
                   privacy(1, "0.05"))  # fmt: skip
    assert (found.low, found.margin, found.limit) == (plain.low, plain.margin, plain.limit)


def hockey_stick(epsilon: Fraction, noise: ThresholdedHistogram) -> mpmath.mpf:
    """δ(ε) by integrating the densities, without the continued profile."""
    with mpmath.workdps(30):
        sigma, linf = (mpmath.mpf(float(x)) for x in (noise.sigma, noise.most()))
        shown = mpmath.ncdf((linf - mpmath.mpf(float(noise.threshold))) / sigma)
        grown = mpmath.exp(mpmath.mpf(float(epsilon)))
        found = []
        for shared in range(noise.l0 + 1):
            q, mu = (1 - shown) ** (noise.l0 - shared), mpmath.sqrt(shared) * linf / sigma

            def sup(one: mpmath.mpf, other: mpmath.mpf, mu: mpmath.mpf = mu) -> mpmath.mpf:
                """sup_S of one·N(μ,1)(S) − other·N(0,1)(S): S is a half-line."""
                if not mu:
                    return max(one - other, mpmath.mpf(0))
                cut = mpmath.log(other / one) / mu + mu / 2
                return one * mpmath.ncdf(mu - cut) - other * mpmath.ncdf(-cut)

            found += [1 - q + sup(q, grown), sup(mpmath.mpf(1), grown * q)]
        return max(found)


@settings(max_examples=40)
@given(
    st.fractions(0, 8, max_denominator=50),
    st.fractions("0.3", 20, max_denominator=20),
    st.fractions("0.1", 60, max_denominator=20),
    st.integers(1, 6),
    st.fractions("0.5", 3, max_denominator=8),
)
@example(Fraction(0), Fraction(1), Fraction(1), 1, Fraction(1))
@example(Fraction(0), Fraction(1), Fraction(1, 2), 3, Fraction(2))
def test_thresholds(
    epsilon: Fraction, sigma: Fraction, threshold: Fraction, l0: int, linf: Fraction
) -> None:
    noise = ThresholdedHistogram(sigma=sigma, threshold=threshold, l0=l0, linf=linf)
    found = noise.delta_at_epsilon(epsilon=epsilon, neighbours="add-remove", digits=20)
    expected = hockey_stick(epsilon, noise)
    low, high = (float(end) for end in rounding.bounds(found))
    # The reference cancels against 1 and has 30 digits; inputs are rounded to float64.
    assert low - 1e-12 <= expected <= high + 1e-12
    known = quantities.delta_of(epsilon=epsilon, mu_squared=l0 * (linf / sigma) ** 2, digits=20)
    assert not found < known


@pytest.mark.statement("X.C3")
def test_the_threshold_that_would_do_is_enough_and_nearly_the_least() -> None:
    counts = {"kind": "thresholded-histogram", "sigma": 10, "threshold": 60, "l0": 4}
    found = judged(counts, privacy(1, "1e-6"))
    assert found.limit == "every τ from 51.2632 on would do"
    for threshold, verdict in (("51.2632", "HOLDS"), ("51.262", "VIOLATED")):
        assert judged(counts | {"threshold": threshold}, privacy(1, "1e-6")).verdict == verdict
    none = judged(counts | {"sigma": 1}, privacy(1, "1e-6"))
    assert (none.verdict, none.limit) == ("VIOLATED", "no threshold would do with this σ")
    assert claims.certificate(found)["standalone"] == "no: the checker has no thresholds"


@pytest.mark.statement("X.C4")
@settings(max_examples=30)
@given(st.integers(2, 12), st.integers(1, 5), st.fractions("0.3", 9, max_denominator=10))
def test_divergences_of_discrete_noise(order: int, distance: int, sigma: Fraction) -> None:
    """Summed term by term; a whole order has the value that is stated, another has less."""
    noise = discrete_noise(sigma=str(sigma)) | {"sensitivity": distance}
    stated = made(noise).mechanism.privacy_loss("add-remove").renyi(Fraction(order))
    with mpmath.workdps(60):
        square = 2 * mpmath.mpf(sigma.numerator) ** 2 / sigma.denominator**2
        for alpha in (mpmath.mpf(order), order + mpmath.mpf("0.5")):
            reach = range(-int(40 * sigma + 14 * distance) - 40, int(40 * sigma) + 60)
            total = sum(mpmath.exp(-(y**2) / square) for y in reach)
            powers = sum(
                mpmath.exp(-(alpha * y**2 + (1 - alpha) * (y - distance) ** 2) / square)
                for y in reach
            )
            divergence = mpmath.log(powers / total) / (alpha - 1)
            bound = mpmath.mpf(stated.numerator) / stated.denominator * alpha / order
            if alpha == order:
                assert abs(divergence - bound) < bound * mpmath.mpf(10) ** -30
            else:
                assert divergence < bound * (1 + mpmath.mpf(10) ** -30)


def curve(*points: tuple[object, object]) -> Content:
    listed = [{"order": order, "epsilon": epsilon} for order, epsilon in points]
    return {"kind": "rdp-curve", "points": listed}


def conversion(given: Content, epsilon: object, delta: object) -> Content:
    return {"kind": "conversion", "given": given, "epsilon": epsilon, "delta": delta}


def test_a_curve_of_one_order_is_that_order() -> None:
    one = judged(None, conversion(curve((32, 1)), "1.4", "1e-5"))
    other = judged(None, conversion({"kind": "rdp", "order": 32, "epsilon": 1}, "1.4", "1e-5"))
    assert (one.verdict, one.low, one.high, one.limit) == (
        other.verdict,
        other.low,
        other.high,
        other.limit,
    )


@pytest.mark.statement("X.C5")
@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(2, 64), st.integers(1, 40)), min_size=1, max_size=6),
    st.integers(0, 9),
)
def test_a_curve_is_as_good_as_each_of_its_orders(
    points: list[tuple[int, int]], epsilon: int
) -> None:
    """An order alone never proves less, and the Gaussian mechanism that meets all is no worse."""

    def decided(given: Content) -> claims.AuditVerdict:
        return judged(None, conversion(given, epsilon, "1e-6"))

    listed = [(order, Fraction(tenths, 10)) for order, tenths in points]
    whole = decided(curve(*((order, str(size)) for order, size in listed))).decided
    for order, size in listed:
        alone = decided({"kind": "rdp", "order": order, "epsilon": str(size)}).decided
        assert not whole.above > alone.above
        assert not whole.below > alone.below
    mu_squared = min(2 * size / order for order, size in listed)
    gaussian = quantities.delta_of(epsilon=Fraction(epsilon), mu_squared=mu_squared, digits=20)
    assert not whole.below > gaussian
    assert not whole.above < gaussian


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


def test_one_claim_without_a_file() -> None:
    typed = ("--epsilon", "1", "--delta", "1e-5", "--sigma", "3.73")
    result = run(*typed)
    assert result.exit_code == 1
    assert "σ = 3.7306316348159419 would do" in result.output
    assert run(*typed[:-1], "3.74").exit_code == 0
    assert run(*typed[:-1], "37.4", "--releases", "100").exit_code == 0
    assert run(*typed[:-1], "37.3", "--releases", "100", "--json").exit_code == 1
    assert (
        run(*typed[:-1], "37.3", "--sensitivity", "10", "--neighbours", "zero-out").exit_code == 1
    )
    multiplier = run(*typed[:4], "--noise-multiplier", "3.74", "--sensitivity", 7, "--json")
    assert multiplier.exit_code == 0
    certificate = json.loads(multiplier.output)["verdicts"][0]["certificate"]
    assert certificate["claim"]["mechanism"]["noise_multiplier"] == "187/50"
    in_sensitivities = run(*typed[:4], "--noise-multiplier", "3.7", "--json")
    limit = json.loads(in_sensitivities.output)["verdicts"][0]["limit"]
    assert limit == "σ = 3.7306316348159419 Δ would do"


def test_several_conditions_are_a_list() -> None:
    said = [hypothesis(each) for each in ("sensitivity-one", "made-once", "every-party-adds")]
    two = "the sensitivity is 1 and each release is made once"
    assert conditions(said[:2]) == f"if {two}"
    listed = "the sensitivity is 1, each release is made once, and every party adds its noise"
    assert conditions(said) == f"if {listed}"


def test_a_claim_about_each_mechanism_needs_no_file() -> None:
    """The fields that a command asks for are those of a file; its example is one that is read."""
    said = ("--epsilon", "0.5", "--delta", "1e-9", "--neighbours", "replace-one")
    for kind, each in MECHANISMS.items():
        asked = run("--mechanism", kind)
        assert asked.exit_code == 2
        _, _, words = asked.output.partition("its fields, such as ")
        fields = dict(word.split("=", 1) for word in shlex.split(words) if word != "--field")
        assert {*fields} == {*each.example}
        options = {"mechanism": kind, "fields": [*map("=".join, fields.items())]}
        options |= dict.fromkeys(("sigma", "noise_multiplier", "sensitivity", "releases"))
        relation = "replace-one" if kind in {"randomised-response", "rappor"} else "add-remove"
        privacy = {"epsilon": "0.5", "delta": "1e-9", "neighbours": relation}
        found, assumed = run_audit._typed({**options, **privacy})
        about = {"kind": kind, **each.example}
        asserts = {"kind": "privacy", **privacy}
        assert found == claims.make({"id": "the claim", "mechanism": about, "asserts": asserts})
        assert bool(assumed) == ("times" not in each.__struct_fields__)
    named = ("--mechanism", "laplace", *said)
    scale = ("--field", "scale=1e-1000000")
    for words, told in (
        ((*named, "--field", "scale"), "--field must be NAME=VALUE, got 'scale'"),
        ((*named, "--field", "=2"), "--field must be NAME=VALUE, got '=2'"),
        ((*named, *scale), "scale"),
        ((*named, *scale, *scale), "--field names 'scale' twice"),
        ((*named, "--field", "kind=gaussian"), "--field names 'kind' twice, or it is --mechanism"),
        ((*named, "--field", "scale=NaN"), "--field scale: NaN is not a number"),
        ((*named, "--sigma", "1"), "--sigma is of a claim about Gaussian noise"),
        ((*said, "--field", "scale=1"), "--field is for a --mechanism"),
        (("--mechanism", ""), "mechanism.kind: unknown word '' (one of above-threshold"),
        (("--mechanism", "laplac"), "is it 'laplace'?"),
        (("--mechanism", "record", *said), "mechanism.kind: unknown word 'record'"),
        (("--mechanism", "claims.x", *said), "mechanism.kind: unknown word 'claims.x'"),
    ):
        done = run(*words)
        assert done.exit_code == 2
        assert told in " ".join(done.output.split())


@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_examples_are_written_and_proved(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--example", name)
    assert result.exit_code == 0, result.output
    assert run("--example", name).exit_code == 2
    text = Path(f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"`dporacle audit {name}.toml`" in text
    assert run(f"{name}.toml").exit_code in {0, 1}


FAULTY = """\
format = "dporacle-claims/1"
[[claims]]
id = "one"
mechanism = {kind = "staircase", scale = 1, sensitivity = 1, neighbours = "add-remove"}
asserts = {kind = "privcy", epsilon = 1, delta = 0.1, neighbours = "add-remove"}
[[claims]]
id = "two"
mechanism = {kind = "gaussian", sgima = 1, neighbours = "unbounded", confidence = 0.9, l0 = 1}
asserts = {kind = "formula", name = "classical", epsilon = 1, delta = 7}
[[claims]]
id = 3
"""


@pytest.mark.parametrize("word", ["uniform", "binomial"])
def test_a_word_of_a_field_is_no_mechanism(word: str) -> None:
    """As noise they are out of scope; batches that are drawn uniformly are no noise."""
    about = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.1", "steps": 9}
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    with pytest.raises(ValueError, match=f"unknown word '{word}'") as refused:
        audit({"id": "x", "mechanism": about | {"sampling": word}, "asserts": said})
    assert "out of scope" not in str(refused.value)
    with pytest.raises(ValueError, match="out of scope: noise of that distribution"):
        audit({"id": "x", "mechanism": {"kind": word}, "asserts": said})


def test_all_that_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(FAULTY, encoding="utf-8")
    result = run(path, tmp_path / "none.toml")
    assert result.exit_code == 2
    for line in (
        "line 4: claims[0].mechanism.kind: unknown word 'staircase' (one of above-threshold, ",
        "out of scope: staircase noise; the nearest claim that can be decided is a `conv",
        "line 5: claims[0].asserts.kind: unknown word 'privcy' (one of accuracy, ",
        "is it 'privacy'?",
        "line 8: claims[1].mechanism.sgima: unknown field `sgima`; is it `sigma`?",
        "line 8: claims[1].mechanism.neighbours: unknown word 'unbounded' (one of",
        "is it 'add-remove'?",
        "line 8: claims[1].mechanism.confidence: unknown field `confidence`; "
        "`alpha` belongs in `asserts` of kind 'accuracy'",
        "unknown field `l0`; `l0` is a field of kind 'thresholded-histogram', not of 'gaussian'",
        "line 9: claims[1].asserts.delta: ",
        "line 11: claims[2].id: must be text, got 3",
        "claims[2]: missing field `asserts` (a kind of accuracy, ",
        "none.toml: No such file",
    ):
        assert line in result.output, line


@pytest.mark.parametrize(("about", "field", "told"), table("hints_for_unknown_fields"))
def test_hints_for_unknown_fields(about: dict[str, Any], field: str, told: str) -> None:
    """A hint never points where the field already stands."""
    asserts = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    with pytest.raises(ValueError, match="unknown field") as refused:
        claims.make({"id": "x", "mechanism": {**about, field: 1}, "asserts": asserts})
    (fault,) = str(refused.value).splitlines()
    assert fault == f"mechanism.{field}: unknown field `{field}`{told}"


def test_every_hint_names_a_field_that_would_be_new() -> None:
    """For each field of each record in each other one."""
    records = [
        (part, tag, record)
        for part, kinds in (("mechanism", MECHANISMS), ("asserts", ASSERTIONS))
        for tag, record in kinds.items()
    ]
    every = {field.encode_name for *_, each in records for field in msgspec.structs.fields(each)}
    for part, tag, record in records:
        known = {field.encode_name for field in msgspec.structs.fields(record)}
        unknown = sorted(every - known - {"epsilon"})
        about = {"kind": tag, "epsilon": 1, **dict.fromkeys(unknown, 1)}
        found = faults(Claim, {"id": "x", part: about}, files._number)
        for field in unknown:
            told = [fault.message for fault in found if fault.path == f"$.{part}.{field}"]
            assert len(told) == 1, (tag, field)
            assert f"`{field}` belongs in `{part}`" not in told[0]
            for word in re.findall("is it `([a-z_]+)`", told[0]):
                assert word in known - {"epsilon"}


def test_a_root_may_be_stated_by_its_square() -> None:
    asserts = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    about = {"kind": "gaussian", "sigma": 1, "sensitivity": "sqrt(5)", "neighbours": "add-remove"}
    with pytest.raises(ValueError, match=r"2\.236067 .* or state sensitivity_squared = 5$"):
        claims.make({"id": "x", "mechanism": about, "asserts": asserts})
    whole = {"kind": "discrete-gaussian", "sigma": "√(7.5)", "sensitivity": 1}
    with pytest.raises(ValueError, match=r"or state sigma_squared = 7\.5$"):
        claims.make(
            {"id": "x", "mechanism": {**whole, "neighbours": "add-remove"}, "asserts": asserts}
        )


@pytest.mark.parametrize(("content", "told"), table("what_is_no_file_of_claims"))
def test_what_is_no_file_of_claims(content: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        claims.read(content.encode())


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    plain = examples.read("dp-report")
    for name, text in (("a.toml", plain), ("a.json", json.dumps(tomllib.loads(plain)))):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8-sig")
        assert len(claims.load(path).claims) == plain.count("[[claims]]") > 0


def test_equality_is_said_without_a_percentage_of_zero() -> None:
    same = {"kind": "zcdp", "rho": "0.5", "neighbours": "add-remove"}
    found = audit({"id": "one", "mechanism": {**same, "sensitivity": 1}, "asserts": same})
    shown = " ".join(judge.table([found])[1])
    assert "rho = 0.5" in shown
    assert "equals what is claimed" in shown
    assert "∈ 0" not in shown
    assert " 0 %" not in shown
    assert scale(Fraction(1), verdict=Verdict.UNDECIDED) == "σ could hardly be smaller"


@given(st.sampled_from(["kind", "neighbours"]), st.text(max_size=12))
def test_any_word_is_refused_in_words(field: str, word: str) -> None:
    if word not in {"gaussian", "add-remove"}:
        with pytest.raises(ValueError, match=f"mechanism.{field}"):
            made({**release(sigma=1), field: word})


@given(st.fractions(Fraction(1, 10), 10), st.fractions(Fraction(1, 10), 10))
@example(Fraction(3), Fraction(1, 3))
def test_a_claim_that_holds_never_asks_for_more_noise(scale: Fraction, epsilon: Fraction) -> None:
    """The least noise is rounded up: at equality it may be above the noise that is enough."""
    noise = {"kind": "laplace", "scale": str(scale), "sensitivity": str(scale * epsilon)}
    claim = made({**noise, "neighbours": "add-remove"}, privacy(str(epsilon), 0))
    verdict = claims.audit(claim)
    assert verdict.verdict.name == "HOLDS"
    assert "must be" not in verdict.margin
    assert verdict.margin.endswith("the scale could hardly be smaller")


def test_gaussian_noise_that_is_just_enough_could_hardly_be_smaller() -> None:
    least = enclosures.calibrate_sigma(epsilon=1, delta=Fraction("1e-5"), digits=60)
    just = rounding.decimal_bounds(least, 60)[1]
    claim = made(release(sigma=just), privacy(1, "1e-5"))
    assert claims.audit(claim).margin.endswith("σ could hardly be smaller")
