"""One word, one meaning: no two public classes have the same name, but for those still listed."""

from pathlib import Path

import counts

ROOT = Path(__file__).parents[1]
LISTED = set((ROOT / "tests" / "data" / "names_twice.txt").read_text(encoding="utf-8").split())


def test_no_new_name_has_two_meanings() -> None:
    found = counts.names_twice()
    assert {name: found[name] for name in found.keys() - LISTED} == {}


def test_the_list_only_shrinks() -> None:
    """A name that has one meaning again leaves the list."""
    assert LISTED - counts.names_twice().keys() == set()
