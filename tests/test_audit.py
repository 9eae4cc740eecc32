"""Verdicts on claims, and the command that prints them."""

import json
import math
import re
import time
from fractions import Fraction

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import dporacle
from dporacle import claims, enclosures
from dporacle.claims import judge, prose, quantities, report, wording
from dporacle.claims.decision import exactly
from dporacle.claims.listing import blocks
from dporacle.claims.mechanisms import EVIDENCES, MECHANISMS
from dporacle.cli import main
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Decision, Verdict
from support.cases import rows
from support.claims import draw
from support.dear import mostly_dear
from support.strategies import deltas, epsilons, positives

OFFICER = """\
format = "dporacle-claims/1"
[[claims]]
id = "privacy"
mechanism = {kind = "gaussian", sigma = 3.73, sensitivity = 1, neighbours = "add-remove"}
asserts = {kind = "privacy", epsilon = 1, delta = 1e-5, neighbours = "add-remove"}
[[claims]]
id = "accuracy"
mechanism = {kind = "gaussian", sigma = 3.73, sensitivity = 1, neighbours = "add-remove"}
asserts = {kind = "accuracy", at_most = 7.4, alpha = 0.05, queries = 1}
"""

Content = dict[str, object]


def release(kind: str = "gaussian", **values: object) -> Content:
    return {"kind": kind, "sensitivity": 1, "neighbours": "add-remove", **values}


def privacy(epsilon: object, delta: object, neighbours: str = "add-remove") -> Content:
    return {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": neighbours}


def formula(name: str, epsilon: object, delta: object) -> Content:
    return {"kind": "formula", "name": name, "epsilon": epsilon, "delta": delta}


def judged(mechanism: Content | None, asserts: Content) -> claims.AuditVerdict:
    return dporacle.audit({"id": "x", "mechanism": mechanism, "asserts": asserts})


@pytest.mark.parametrize(
    ("mechanism", "asserts", "verdict", "margin", "limit", "standalone"),
    mostly_dear(rows("verdicts"), 3),
)
def test_verdicts(
    mechanism: Content | None,
    asserts: Content,
    verdict: str,
    margin: str,
    limit: str,
    standalone: str,
) -> None:
    found = judged(mechanism, asserts)
    assert found.verdict == verdict
    assert margin in found.margin
    assert limit in found.limit
    assert claims.certificate(found)["standalone"].startswith(standalone)
    assert (verdict == "UNDECIDED") == bool(found.reason)
    if verdict == "VIOLATED":  # what is true of one release alone supposes nothing of neighbours
        kind = asserts["kind"]
        assert bool(found.supposes) == (
            kind.startswith("formula")
            or (mechanism is not None and kind not in {"accuracy", "loss"})
        )
    else:
        assert not found.supposes
    low, high = Fraction(found.low), Fraction(found.high)
    assert low <= high
    if found.bound and verdict != "UNDECIDED" and margin != "says nothing":
        assert high <= found.bound if verdict == "HOLDS" else low >= found.bound


@given(positives(), positives(), epsilons(), deltas())
def test_verdicts_agree_with_the_calibration(
    sigma: float, sensitivity: float, epsilon: float, delta: float
) -> None:
    """σ against the least σ instead of δ against the least δ."""
    found = judged(release(sigma=sigma, sensitivity=sensitivity), privacy(epsilon, delta))
    least = enclosures.calibrate_sigma(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, digits=30
    )
    side = rounding.side(least, Fraction(sigma))
    assert side == 0 or found.verdict == (Verdict.HOLDS if side < 0 else Verdict.VIOLATED)


@given(positives(1e-6, 1e6), st.integers(1, 200))
def test_root_bounds(square: float, digits: int) -> None:
    number = Fraction(square)
    low, high = quantities.root_bounds(number, digits)
    assert low**2 <= number <= high**2
    assert high - low <= high / Fraction(10) ** digits
    assert quantities.root_bounds(number**2, digits) == (number, number)


@given(st.fractions(min_value=-(10**9), max_value=10**9), st.integers(1, 30))
def test_round_decimal(number: Fraction, digits: int) -> None:
    low = Fraction(wording.round_decimal(number, digits, up=False))
    high = Fraction(wording.round_decimal(number, digits, up=True))
    assert low <= number <= high
    assert high - low <= abs(number) * Fraction(10) ** (1 - digits)


def test_equality_is_undecided_and_soon() -> None:
    """A bound that is met to 1,500 digits; no file can state one of a δ."""
    start = time.process_time()
    value = enclosures.delta_at_epsilon(epsilon=1, sigma=1)
    decision = Decision(Verdict.UNDECIDED, value, 1500)
    decided = exactly(decision, "delta", Fraction(rounding.bounds(value)[0]))
    low, high = wording.ends(decided)
    assert Fraction(low) <= Fraction(high)
    said = claims.make({"id": "x", "mechanism": release(sigma=1), "asserts": privacy(1, "0.1")})
    assert "equals what is claimed" in judge.describe(said, decided)[0]
    assert decided.reason == "the exact value agrees with the bound to 1500 digits"
    digits = wording.round_decimal(
        rounding.bounds(enclosures.delta_at_epsilon(epsilon=1, sigma=1, digits=400))[0],
        390,
        up=False,
    )
    assert judged(release(sigma=1), privacy(1, digits)).verdict == "VIOLATED"
    assert time.process_time() - start < 5


@pytest.mark.parametrize("above", [True, False])
def test_a_difference_in_the_40th_digit_is_decided_for_an_irrational_mu(above: bool) -> None:
    ball = quantities.delta_of(epsilon=Fraction(1), mu_squared=Fraction(1, 5), digits=60)
    delta = Fraction(math.floor(rounding.bounds(ball)[0] * 10**40) + above, 10**40)
    near = "add-remove"
    claim = {
        "id": "zcdp",
        "mechanism": {"kind": "zcdp", "rho": "1/10", "sensitivity": 1, "neighbours": near},
        "asserts": {"kind": "privacy", "epsilon": 1, "delta": str(delta), "neighbours": near},
    }
    assert dporacle.audit(claim).verdict is (Verdict.HOLDS if above else Verdict.VIOLATED)


@given(epsilon=positives(1e-3, 5.0), delta=positives(1e-12, 0.4))
def test_enclosures_of_formulas_are_as_tight_as_asked(epsilon: float, delta: float) -> None:
    said = claims.make(
        {
            "id": "formula",
            "asserts": {"kind": "formula", "name": "classical", "epsilon": epsilon, "delta": delta},
        }
    )
    decided = judge.decide(said)
    low, high = rounding.bounds(decided.below)
    assert decided.above is decided.below
    assert high - low <= high / 10 ** (decided.digits - 1)


def test_ten_thousand_claims_are_decided_soon() -> None:
    """Decided only, without words; a fraction of them, with room for a busy machine."""
    many = [
        claims.make(
            {"id": "x", "mechanism": release(sigma=1 + k / 512), "asserts": privacy(1, 1e-3)}
        )
        for k in range(1000)
    ]
    start = time.process_time()
    for claim in many:
        judge.decide(claim)
    assert time.process_time() - start < 1


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


@pytest.fixture
def officer(tmp_path: object) -> object:
    path = tmp_path / "officer.toml"
    path.write_text(OFFICER)
    return path


def test_the_list_is_the_same_at_every_width_and_in_a_file(
    officer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    result = run(officer)
    assert result.exit_code == 1
    assert "σ must be 0.0170 % larger" in result.output
    assert result.output.endswith("1 HOLDS, 1 VIOLATED\n")
    for columns in (80, 140, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert run(officer).output == result.output
    monkeypatch.setenv("COLUMNS", "40")
    assert run(officer).output.split() == result.output.split()


@pytest.mark.parametrize("sigma", ["3.73", "3.74"])
def test_what_python_prints_is_what_the_command_prints(officer: object, sigma: str) -> None:
    content = claims.load(officer).claims[0]
    single = OFFICER.partition('[[claims]]\nid = "accuracy')[0].replace("3.73", sigma)
    officer.write_text(single)
    (content,) = claims.load(officer).claims
    assert f"{dporacle.audit(content)}\n" == run(officer).output


def test_a_table_is_printed_on_request(officer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    heading, *_ = run(officer, "--table").output.splitlines()
    assert heading.split()[:2] == ["claim", "verdict"]
    for other in ("--json", "--markdown", "--prose", "--quiet"):
        assert run(officer, "--table", other).exit_code == 2


def test_a_report_says_what_is_claimed_proved_supposed_and_would_do(officer: object) -> None:
    first, second = run(officer, "--prose").output.split("\n\n")
    said = " ".join(first.split())
    for part in (
        "Gaussian noise (add-remove neighbours, sensitivity 1, σ = 3.73) is",
        "(1, 1e-5)-differentially private, where two data sets are neighbours if one has a record",
        "refutes it: it is VIOLATED. Proved: the true δ is between 1.00281e-5 and 1.00282e-5",
        "Conditions, besides what the claim states: two neighbouring data sets exist",
        "σ = 3.7306316348159419 would do; for the noise as it is, ε = 1.00019 at the same δ would.",
    ):
        assert part in said
    assert "it HOLDS" in second
    assert "drawn exactly" in second


def test_every_word_of_a_claim_can_be_said_in_a_report() -> None:
    """A kind, a field or a quantity without words would end in an error in a reader's hands."""
    said, schema = prose.words(), claims.schema()["$defs"]

    def kinds(row: str, name: str) -> set[str]:
        ways = [schema[row]["properties"][name], *schema[row]["properties"][name].get("anyOf", [])]
        return {kind for way in ways for kind in way.get("discriminator", {}).get("mapping", {})}

    assert kinds("Claim", "mechanism") == {*MECHANISMS}
    assert kinds("Claim", "asserts") == set(said["assertions"])
    assert kinds("Claim", "evidence") == {*EVIDENCES}
    assert all(vars(each)["noun"] for each in [*MECHANISMS.values(), *EVIDENCES.values()])
    assert kinds("Conversion", "given") == set(said["given"])
    assert kinds("HasSensitivity", "statistic") == set(said["statistics"])
    own = {name.partition(".")[2] for name in said["fields"] if name.startswith("statistics.")}
    assert own < set(said["fields"])
    within = {
        field for text in said["assertions"].values() for field in re.findall(r"\{(\w+)\}", text)
    }
    fields = {
        field
        for name, row in schema.items()
        if name not in {"ClaimFile", "Claim", "Span"}
        for field in row["properties"]
    }
    own = {name.rpartition(".")[2] for name in said["fields"]}  # some are of one kind alone
    assert fields - {"kind"} == own | within


def test_a_report_has_every_condition_and_what_would_do() -> None:
    asked = [
        claim
        for claim in draw(60)
        if not {"rank-one", "r1smg"} & set(re.findall(r"[\w-]+", str(claim)))
    ]
    assert len(asked) > 40
    for claim in asked:
        found = dporacle.audit(claim)
        text = prose.paragraph(found)
        assert str(found.verdict) in text or found.reason in text
        assert all(each.says in text for each in found.hypotheses)
        assert found.supposes in text
        assert found.limit[1:] in text


def test_a_narrow_terminal_gets_blocks() -> None:
    headings = judge.table([])[0]
    rows = [("one", "VIOLATED", "delta ∈ [1, 2]", "1", "far " * 30 + "off", "")]
    lines = list(blocks(headings, rows, verdict_at=1, width=80))
    assert lines[0] == "one  VIOLATED"
    assert lines[2] == "  claimed at most: 1"
    assert max(map(len, lines)) <= 80
    assert not any("limit" in line for line in lines)


def test_json_and_markdown(officer: object) -> None:
    result = run(officer, "--json")
    assert result.exit_code == 1
    first, second = json.loads(result.output)["verdicts"]
    assert (first["verdict"], second["verdict"]) == ("VIOLATED", "HOLDS")
    assert first["claimed_at_most"] == "1e-5"
    assert Fraction(first["enclosure"][0]) > Fraction("1e-5")
    markdown = run(officer, "--markdown").output
    assert markdown.startswith("| claim | verdict |")
    assert "| privacy | VIOLATED |" in markdown


def test_exit_status(officer: object, tmp_path: object) -> None:
    def status(text: str) -> int:
        path = tmp_path / "claims.toml"
        path.write_text(text)
        return run(path).exit_code

    assert status(OFFICER.replace("3.73", "3.74")) == 0
    about = OFFICER.replace(
        'delta = 1e-5, neighbours = "add-remove"', 'delta = 1e-5, neighbours = "replace-one"'
    )
    assert status(about) == 3
    assert run(officer, tmp_path / "claims.toml").exit_code == 1


def test_usage(officer: object, tmp_path: object) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(OFFICER.replace("3.73", "nan"))
    for arguments, message in (
        ((officer, "--json", "--markdown"), "only one of"),
        ((officer, bad), "bad.toml: line 4: claims[0].mechanism"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert message in result.output


def test_schema_is_printed() -> None:
    assert json.loads(run("--schema").output) == claims.schema()


def test_texts_of_a_file_cannot_move_the_cursor(tmp_path: object) -> None:
    path = tmp_path / "c.toml"
    path.write_text(OFFICER.replace('id = "privacy"', r'id = "\u001b[2J|[red]*x*"'))
    for option in ((), ("--markdown",), ("--json",)):
        output = run(path, *option).output
        assert "\x1b" not in output
    assert r"\|\[red\]\*x\*" in run(path, "--markdown").output


@given(st.fractions(min_value=0))
def test_exact_text(number: Fraction) -> None:
    assert Fraction(report.exact_text(number)) == number


@given(st.floats(min_value=0, allow_infinity=False))
def test_a_float_is_read_as_it_is_written(number: float) -> None:
    assert float(wording.readable(Fraction(number))) == number
    assert wording.readable(Fraction(2, 3)) == "2/3"
