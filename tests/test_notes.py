"""Each note says at its head what is proved, what is cited and what is measured."""

from pathlib import Path

import pytest

NOTES = sorted((Path(__file__).resolve().parent.parent / "proofs_notes").glob("*.md"))
LINES = 20  # of a note's beginning


@pytest.mark.parametrize("note", NOTES, ids=lambda each: each.stem)
def test_a_note_says_what_is_proved_cited_and_measured(note):
    head = "\n".join(note.read_text(encoding="utf-8").split("\n")[:LINES])
    places = [head.find(word) for word in ("*Proved here*:", "*Cited*:", "*Measured*:")]
    assert -1 not in places
    assert places == sorted(places)
    for start, end in zip(places, (*places[1:], len(head)), strict=True):
        assert len(head[start:end].strip()) > len("*Proved here*:")
