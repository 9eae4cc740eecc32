"""Formulas of the notes as MathML: nothing of them is lost, and what is prose stays prose."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.cases import table
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent
NOTES = sorted((ROOT / "proofs_notes").glob("*.md"))
MARK = re.compile("\ue000(\\d+)\ue001")


typeset = module_at(ROOT / "tools" / "typeset.py")


def found(text: str) -> list[tuple[str, str]]:
    """The formulas of a text, each as MathML and as it was written."""
    formulas = typeset.Formulas()
    page = formulas.marked(text)
    return [formulas._found[int(place)] for place in MARK.findall(page)]


def written(text: str) -> list[str]:
    return [source for _, source in found(text)]


def one(text: str) -> str:
    ((formula, source),) = found(text)
    assert source == text.strip()
    return formula


def signs(text: str) -> str:
    """What is left of a formula without brackets, scripts and spaces."""
    plain = unicodedata.normalize("NFKC", text.replace("ℓ", "l")).replace("'", "′")
    return "".join(c for c in plain if c.isalnum() or c in "=<>≤≥+−∈")


@pytest.mark.parametrize("note", NOTES, ids=lambda each: each.stem)
def test_nothing_of_a_note_s_formulas_is_lost(note: Path) -> None:
    formulas = found(note.read_text("utf-8"))
    for formula, source in formulas:
        shown = "".join(ET.fromstring(f"<all>{formula.replace('<wbr>', '')}</all>").itertext())
        assert sorted(signs(shown)) == sorted(signs(source)), source
    assert len(formulas) > 10 or note.stem in {"trusted_base", "certificates", "errata"}


def test_what_is_no_formula_stays_as_it_is() -> None:
    for text in (
        "A record of 3 is in one leaf, and I know a theorem of BW18.T5 in C3 (see L2).",
        "`x_1 = σ` and [σ](https://a.example/b_c) are not read; nor 1e-5, 1,500 or (A).",
        "```\nσ = 3\n```\n\nword\n",
        "# σ = D/ε is a heading\n",
        "    python tools/try_wheel.py dist\n",
    ):
        assert typeset.Formulas().marked(text) == text


@pytest.mark.parametrize(("text", "formulas"), table("a_formula_ends_where_prose_begins"))
def test_a_formula_ends_where_prose_begins(text: str, formulas: list[str]) -> None:
    assert written(text) == formulas


def test_roots_scripts_and_fractions() -> None:
    assert "<msqrt><mrow><mn>2</mn><mi>π</mi></mrow></msqrt>" in one("μ/√(2π)").replace(
        "<mrow><mrow><mn>2</mn><mi>π</mi></mrow></mrow>", "<mrow><mn>2</mn><mi>π</mi></mrow>"
    )
    assert one("μ = √Σ(Dᵢ/σᵢ)²").endswith("</msqrt></math>")
    assert one("√Σ Fᵢⱼ²/(λᵢψⱼ) ≤ 1").count("</msqrt></math> <math>") == 1
    assert re.search(r"<msubsup>.*∫.*</msubsup>", one("∫₀^μ φ(t) dt"))
    assert "<mfrac>" not in one("x = a/b")
    assert one("    x = a/(b + c)").count("<mfrac>") == 1  # by itself, and without the brackets
    assert ")" not in one("    x = a/(b + c)")
    assert re.search("<mrow><mi>σ</mi><mo [^>]*>\\*</mo></mrow>", one("√σ*·z = 1"))


def test_a_long_formula_may_be_broken_before_an_operator() -> None:
    assert one("δ(ε) = Φ(−y) − e^ε Φ(−w)").count("</math> <math>") == 2
    assert one("σ*·E(z·z)").count("</math><wbr><math>") == 1


def test_marks_become_formulas_in_pages_and_texts_in_data() -> None:
    formulas = typeset.Formulas()
    marked = formulas.cell('δ < "1"')
    assert formulas.placed(marked, is_page=True).startswith("<math>")
    data = formulas.placed(
        json.dumps({"text": formulas.cell("δ ≤ 1")}, ensure_ascii=False), is_page=False
    )
    assert json.loads(data) == {"text": "δ ≤ 1"}


@given(st.text("aδσ*_^{}()[]|‖√∫Σ/·−+=≤ ,.1₂²′'\\`#\n", max_size=60))
@example("\\ H")
@example("|")
@example("e^")
@example("√")
def test_any_text_is_read_to_its_end(text: str) -> None:
    formulas = typeset.Formulas()
    page = formulas.placed(formulas.marked(text), is_page=True)
    for formula, _ in formulas._found:
        ET.fromstring(f"<all>{formula.replace('<wbr>', '')}</all>")
    assert page is not None
