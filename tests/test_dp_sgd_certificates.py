"""The second checker of DP-SGD's certificates: it confirms, and notices what was changed."""

import hashlib
import json
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dporacle import claims
from dporacle.claims.mechanisms import MECHANISMS
from support.dear import dear
from support.files import module_at

TOOL = Path(__file__).resolve().parent.parent / "tools" / "check_any_certificate.py"
tool = module_at(TOOL)

# Without sampling, or of one step, the identity is closed; of many steps it takes seconds.
RUN = {"kind": "dp-sgd", "noise_multiplier": "4", "sampling_rate": 1, "steps": 4}
# A precision that chose the line with the shortest period had a mesh of 80 million points.
MANY = [
    ("1.9", "add-remove", {"noise_multiplier": "1", "sampling_rate": "0.05", "steps": 40}),
    (
        "2.4",
        "add-remove",
        {
            "noise_multiplier": "1.1",
            "sampling_rate": None,
            "batch_size": 256,
            "dataset_size": 60000,
            "steps": 14063,
        },
    ),
]


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
    ("epsilon", "neighbours", "about"),
    [
        ("2.2", "add-remove", {}),
        ("1.8", "add-remove", {}),
        ("4.4", "replace-one", {}),
        ("3.9", "replace-one", {"steps": None, "epochs": 4, "rounding": "nearest"}),
        ("2", "add-remove", {"sampling_rate": None, "batch_size": 60, "dataset_size": 60}),
        ("0.5", "add-remove", {"noise_multiplier": "1", "sampling_rate": "0.05", "steps": 1}),
        dear(*MANY[0]),
        *MANY[1:],
    ],
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
    [
        ("source", 1), ("id", ""), ("mechanism.noise_multiplier", 4),
        ("mechanism.sampling_rate", "2"),
        ("mechanism.sampling_rate", "0"), ("mechanism.steps", True), ("mechanism.steps", 4.0),
        ("mechanism.batch_size", "1"), ("mechanism.rounding", "up"), ("mechanism.released", "none"),
        ("mechanism.neighbours", "any"), ("mechanism.clipping_norm", "-1"), ("mechanism.note", "1"),
        ("asserts.epsilon", "22/10"), ("asserts.neighbours", None),
    ],
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
    try:
        claim = claims.make(record["claim"])
    except ValueError:
        return
    assert claims.certificate(claims.audit(claim))["claim"] != record["claim"]


def test_it_reads_the_fields_that_the_judge_reads() -> None:
    marks = {
        field.encode_name: "-" if msgspec.UnsetType in typing.get_args(field.type) else ""
        for field in msgspec.structs.fields(MECHANISMS["dp-sgd"])
    }
    stated = tool.fields.RECORDS["dp-sgd"].split()
    assert stated == [name + mark for name, mark in marks.items()]


def test_what_a_violation_supposes_is_checked() -> None:
    for relation, epsilon in (("add-remove", "1.8"), ("replace-one", "3")):
        record = certificate(epsilon, relation)
        assert record["supposes"] == claims.audit(claims.make(record["claim"])).supposes != ""
        assert tool.check(json.dumps(record)).startswith("VIOLATED")
        with pytest.raises(ValueError, match="supposes"):
            tool.check(sealed({**record, "supposes": ""}))


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(format="dporacle-certificate/9"),
        lambda record: record.update(verdict="UNDECIDED"),
        lambda record: record["claim"]["mechanism"].update(kind="gaussian"),
        lambda record: record["claim"]["mechanism"].update(sampling="shuffled"),
        lambda record: record["claim"]["asserts"].update(kind="rdp"),
    ],
)
def test_what_is_not_for_it_is_not_judged(change: Any) -> None:
    record = certificate("2.2")
    change(record)
    with pytest.raises(tool.UnknownError):
        tool.check(sealed(record))


def test_the_program(tmp_path: Path) -> None:
    good, bad, other = (tmp_path / f"{name}.json" for name in ("good", "bad", "other"))
    record = certificate("1.8")
    good.write_text(json.dumps(record))
    bad.write_text(sealed({**record, "verdict": "HOLDS"}))
    other.write_text(sealed({**record, "verdict": "UNDECIDED"}))

    def said(*files: Path) -> tuple[int, str]:
        command = [sys.executable, str(TOOL), *map(str, files)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        return found.returncode, found.stdout

    assert said(good)[0] == 0
    status, text = said(good, other)
    assert status == 3
    assert "confirmed: VIOLATED" in text
    assert "not judged: nothing is decided" in text
    assert said(good, other, bad)[0] == 1
    # What the stand-alone program proves is proved here too, and its refusals are.
    gaussian = {"kind": "gaussian", "sigma": 4, "sensitivity": 1, "neighbours": "add-remove"}
    asserts = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "add-remove"}
    plain = dict(
        claims.certificate(claims.audit({"id": "it", "mechanism": gaussian, "asserts": asserts}))
    )
    good.write_text(json.dumps(plain))
    bad.write_text(sealed({**plain, "verdict": "VIOLATED"}))
    laplace = {"kind": "laplace", "scale": 4, "sensitivity": 1, "neighbours": "add-remove"}
    other.write_text(
        json.dumps(
            claims.certificate(claims.audit({"id": "it", "mechanism": laplace, "asserts": asserts}))
        )
    )
    assert said(good) == (0, f"{good}: proved HOLDS\n")
    assert "not judged: check_certificate.py has no Laplace noise" in said(other)[1]
    assert said(other)[0] == 3
    assert said(bad)[0] == 1
