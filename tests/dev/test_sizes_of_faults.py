"""How far off the specimens are: each fault is as large as it was, where it should convict.

A specimen that is broken by accident is convicted too, of something else than its fault. So what
each answers is recorded; `PYTHONPATH=tests python tests/dev/test_sizes_of_faults.py` does it anew.
Of specimens that one function makes, as for each quantity of a kind, one is recorded.
"""

import json
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.dev.specimens import CORRECT, FAULTY, Specimen
from dporacle.dev.specimens.faulty_table import TABLE
from dporacle.dev.specimens.power import _judged, convicts, try_specimen
from dporacle.vectors import load
from dporacle.vocabulary import QUANTITIES
from support.cases import rows

RECORD = Path(__file__).parents[1] / "data" / "sizes_of_faults.jsonl"
SHARED = ("formulas", "correct")  # modules whose makers do the same with every kind of quantity
SPECIMENS = {each.name: each for each in (*FAULTY, *CORRECT)}
RECORDED = rows(RECORD.stem)


def maker(specimen: Specimen) -> tuple[str, str, str] | None:
    """Where the code is that answers, and of which kind; None: a row, or the witness itself."""
    answers: Any = specimen.make()
    code: CodeType | None = getattr(answers, "__code__", None)
    if specimen in TABLE or code is None or "specimens" not in code.co_filename:
        return None
    module, kind = Path(code.co_filename).stem, QUANTITIES[specimen.function].kind.name
    return module, code.co_qualname, "" if module in SHARED else kind


def judged(specimen: Specimen, flag: str) -> JudgedCase:
    """The first case with a flag that convicts a faulty one; of a correct one the first vector."""
    file = load(specimen.function)
    if specimen.batch:
        return next(each for each in try_specimen(specimen, file).convictions if flag in each.flags)
    calibrator: Any = specimen.make()
    each = None
    for case in (*file.vectors, *file.refusals):
        if not flag or flag in case.flags:
            each = _judged(file, case, lambda given: calibrator(**given))
            if convicts(each) or not flag:
                break
    assert each is not None
    return each


def found(specimen: Specimen) -> dict[str, list[Any]]:
    """What convicts by each of its flags: the outcome, and the error as a share of what is true."""
    return {
        flag: [
            each.outcome.value,
            float(f"{each.excess:.3g}") if convicts(each) and each.excess is not None else None,
        ]
        for flag in specimen.expected or ("",)
        for each in [judged(specimen, flag)]
    }


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row["name"])
def test_a_fault_is_as_large_as_it_was(row: dict[str, Any]) -> None:
    errors = found(SPECIMENS[row["name"]])
    assert errors.keys() == row["found"].keys()
    for flag, (outcome, error) in row["found"].items():
        # What is exact may move by a last place, which is a share of the smallest errors.
        near = None if error is None else pytest.approx(error, rel=0.02)
        assert errors[flag] == [outcome, near], flag


def test_one_of_each_maker_is_recorded() -> None:
    made = {name: maker(each) for name, each in SPECIMENS.items()}
    recorded = [made[row["name"]] for row in RECORDED]
    assert None not in recorded
    assert len({*recorded}) == len(recorded)
    lacking = {*made.values()} - {None, *recorded}
    assert not lacking, "run this file to record them"


def write() -> None:
    """Record one specimen of each maker: the one that is there already, if there is one."""
    before = {row["name"] for row in RECORDED}
    chosen: dict[tuple[str, str, str], Specimen] = {}
    for each in SPECIMENS.values():
        if (made := maker(each)) is not None and (made not in chosen or each.name in before):
            chosen[made] = each
    lines = (
        json.dumps({"name": each.name, "found": found(each)}, ensure_ascii=False)
        for _, each in sorted(chosen.items())
    )
    RECORD.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    write()
