"""One program checks all certificates: it confirms them, and notices what was changed."""

import hashlib
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dporacle import claims
from support.cases import table
from support.dear import dear, dear_if
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools" / "check_any_certificate.py"
tool = module_at(TOOL)

# Without sampling, or of one step, the identity is closed; of many steps it takes seconds.
RUN = {"kind": "dp-sgd", "noise_multiplier": "4", "sampling_rate": 1, "steps": 4}
# A precision that chose the line with the shortest period had a mesh of 80 million points.
MANY = ("1.9", "add-remove", {"noise_multiplier": "1", "sampling_rate": "0.05", "steps": 40})


def certificate(epsilon: str, neighbours: str = "add-remove", **about: Any) -> dict[str, Any]:
    mechanism = {name: value for name, value in (RUN | about).items() if value is not None}
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": neighbours}
    claim = {"id": "it", "mechanism": mechanism, "asserts": asserts}
    return dict(claims.certificate(claims.audit(claim)))


def sealed(record: dict[str, Any]) -> str:
    content = {name: value for name, value in record.items() if name != "sha256"}
    packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return json.dumps({**content, "sha256": hashlib.sha256(packed).hexdigest()})


@pytest.mark.parametrize(
    ("epsilon", "neighbours", "about"), [*table("both_verdicts_are_confirmed"), dear(*MANY)]
)
def test_both_verdicts_are_confirmed(epsilon: str, neighbours: str, about: dict[str, Any]) -> None:
    record = certificate(epsilon, neighbours, **about)
    assert tool.check(json.dumps(record)).startswith(record["verdict"])


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(verdict="VIOLATED"),
        lambda record: record.update(low="0.000001", high="0.0000011"),
        lambda record: record.update(bound="1/10000"),
        lambda record: record["claim"]["mechanism"].update(noise_multiplier="39/10"),
        lambda record: record["claim"]["mechanism"].update(steps=5),
        lambda record: record["claim"]["asserts"].update(epsilon="21/10"),
        lambda record: record["claim"]["asserts"].update(neighbours="replace-one"),
    ],
)
def test_what_was_changed_is_contradicted(change: Any) -> None:
    record = certificate("2.2")
    change(record)
    with pytest.raises(ValueError, match=r"digest|enclosure|bound|verdict"):
        tool.check(json.dumps(record))
    with pytest.raises(ValueError, match=r"enclosure|bound|verdict"):
        tool.check(sealed(record))


@pytest.mark.parametrize(
    ("path", "value"),
    table("what_the_judge_does_not_read_is_not_confirmed"),
)  # fmt: skip
def test_what_the_judge_does_not_read_is_not_confirmed(path: str, value: object) -> None:
    record = json.loads(json.dumps(certificate("2.2")))
    place = record["claim"]
    *parents, name = path.split(".")
    for parent in parents:
        place = place[parent]
    place[name] = value
    with pytest.raises((ValueError, KeyError, TypeError)):
        tool.check(sealed(record))


def test_what_a_violation_supposes_is_checked() -> None:
    for relation, epsilon in (("add-remove", "1.8"), ("replace-one", "3")):
        record = certificate(epsilon, relation)
        assert record["supposes"] == claims.audit(claims.make(record["claim"])).supposes != ""
        assert tool.check(json.dumps(record)).startswith("VIOLATED")
        with pytest.raises(ValueError, match="supposes"):
            tool.check(sealed({**record, "supposes": ""}))


def test_another_format_is_not_judged() -> None:
    record = {**certificate("2.2"), "format": "dporacle-certificate/9"}
    with pytest.raises(tool.UnknownError):
        tool.check(sealed(record))


def test_the_program(tmp_path: Path) -> None:
    good, bad, other = (tmp_path / f"{name}.json" for name in ("good", "bad", "other"))
    record = certificate("1.8")
    good.write_text(json.dumps(record))
    bad.write_text(sealed({**record, "verdict": "HOLDS"}))
    statement = {"kind": "inequality", "statement": "GN.L1", "at": {"error": 1, "sigma": 1}}
    claim = {"id": "it", "asserts": statement}
    other.write_text(json.dumps(claims.certificate(claims.audit(claim))))
    absent = tmp_path / "absent.json"

    def said(*files: Path) -> tuple[int, str]:
        command = [sys.executable, str(TOOL), *map(str, files)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        return found.returncode, found.stdout + found.stderr

    status, text = said(other, good)
    assert status == 3
    assert "not judged: not of GN.L1" in text
    assert "confirmed: VIOLATED" in text
    status, text = said(bad, good)
    assert status == 1
    assert text.endswith("2 files: 1 confirmed, 1 contradicted\n")
    status, text = said(good, absent)
    assert status == 2
    assert text.endswith(f"no such file: {absent}\n")


SELECTED = (
    "not of a black-box",
    "not of a composition",
    "not of composition",
    "not of integer-noise",
    "not of ledger",
    "not of rappor",
    "not of randomised-response",
    "not of exponential",
    "not of permute-and-flip",
    "not of noisy-max",
    "not of above-threshold",
)
"""What selections, boxes and reports end in, of which the program has no identity."""

UNJUDGED = ("not of a range with", "this program c")


def shown_claims() -> dict[str, str]:
    """All files of claims that we show: those to start from, the examples, and those in pages."""
    files = [
        *(ROOT / "src/dporacle/claims/examples").glob("*.toml"),
        *(ROOT / "examples").glob("*.toml"),
        ROOT / "tests/data/claims.toml",
    ]
    found = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(files)}
    for page in sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]):
        blocks = re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)
        for number, block in enumerate(block for block in blocks if "[[claims]]" in block):
            found[f"{page.relative_to(ROOT)}:{number}"] = block
    return found


DEAR = {"src/dporacle/claims/examples/dp-sgd.toml"}


@pytest.mark.parametrize("name", [dear_if(name, DEAR) for name in shown_claims()])
def test_every_certificate_that_we_show_is_checked(name: str, tmp_path: Path) -> None:
    """And none is that has another verdict, or an enclosure beside the true value."""
    path = tmp_path / "claims.toml"
    path.write_text(shown_claims()[name])
    for claim in claims.load(path).claims:
        record = json.loads(json.dumps(claims.certificate(claims.audit(claim))))
        file = tmp_path / "certificate.json"
        file.write_text(json.dumps(record))
        end, told = tool.judge(file)
        if told.startswith(SELECTED):
            assert end == "not judged"
            continue
        assert end in {"confirmed", f"proved {record['verdict']}"}, claim.id
        low, high = Fraction(record["low"]), Fraction(record["high"])
        if record["standalone"] != "yes" and low > 0 and high < low * Fraction("1.001"):
            beside = f"{float(high) * 1.01:.6e}"
            file.write_text(sealed({**record, "low": beside, "high": beside}))
        else:
            other = "HOLDS" if record["verdict"] == "VIOLATED" else "VIOLATED"
            file.write_text(sealed({**record, "verdict": other}))
        end, told = tool.judge(file)
        assert end == "contradicted" or told.startswith(UNJUDGED), (claim.id, told)
