"""The formal appendix: every statement with its formula, its code and its verdict."""

import re
from pathlib import Path

import pytest

from dporacle.vocabulary.statements import STATEMENTS
from support.files import module_at

TOOL = Path(__file__).resolve().parent.parent / "tools" / "formal_appendix.py"


@pytest.fixture(scope="module")
def sections():
    tool = module_at(TOOL)
    parts = re.split(r"^### (\S+)\n", tool.page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("row", STATEMENTS, ids=lambda each: each.id)
def test_a_statement_has_its_formula_its_code_and_its_verdict(sections, row):
    text = sections[row.id]
    assert row.status in text
    assert f"proofs_notes/{row.group}.md" in text
    if row.experiments:
        assert all(f"dporacle experiment {name}" in text for name in row.experiments)
        return
    for name in () if "reference" in row.holes else row.functions:
        assert f"**Formula.** `{name}`: " in text
        assert f"    def {name}(" in text
    assert "    Args:" not in text


def test_verdicts_name_their_proofs_and_their_counterexamples(sections):
    assert "`dporacle prove BW18.T1`" in sections["BW18.T1"]
    assert "Counterexample: (1, 1e-5)" in sections["JL24.L2"]
    assert "Wrong:" not in sections["BW18.T8"]
