"""One word, one meaning: no two public classes have the same name."""

import counts


def test_no_name_has_two_meanings() -> None:
    assert counts.names_twice() == {}
