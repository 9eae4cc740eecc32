"""What is asked again is answered from what was proved, and nothing else is."""

from typing import Any

import mpmath
import pytest
from flint import ctx

from dporacle.enclosures.analytic_gaussian import delta_at_epsilon
from support import proved_once
from support.proved_once import ProvedOnce

WHERE: dict[str, Any] = {"epsilon": 1, "sigma": 2, "digits": 12}


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> ProvedOnce:
    """Keeps answers that take no time, too."""
    monkeypatch.setattr(proved_once, "DEAR", -1.0)
    return ProvedOnce()


def test_only_the_same_question_is_answered_again(once: ProvedOnce) -> None:
    asked = once.wrapped(delta_at_epsilon)
    first = asked(**WHERE)
    assert asked(**dict(reversed(WHERE.items()))) is first
    assert str(first) == str(delta_at_epsilon(**WHERE))
    for changed in ({"epsilon": 2}, {"digits": 13}, {"sensitivity": 2}, {"epsilon": 1.0}):
        assert asked(**WHERE | changed) is not first
    with ctx.workprec(77):  # the digits of an answer may follow from those around it
        assert asked(**WHERE) is not first


def test_what_has_no_spelling_or_can_be_changed_is_not_kept(once: ProvedOnce) -> None:
    def anything(*, given: Any) -> Any:
        return given

    ball = delta_at_epsilon(**WHERE)
    for given in (object(), ball, mpmath.mpf(1) / 3, [ball], {"it": ball}, len, [1], "word"):
        once.wrapped(anything)(given=given)  # an address, or the digits that are printed
    assert not once.known


def test_a_test_that_changes_what_it_tries_is_answered_anew(once: ProvedOnce) -> None:
    once.is_open = False
    once.wrapped(delta_at_epsilon)(**WHERE)
    assert not once.known


def test_an_error_is_raised_again(once: ProvedOnce) -> None:
    asked = once.wrapped(delta_at_epsilon)
    for _ in range(2):
        with pytest.raises(ValueError, match="sigma"):
            asked(**WHERE | {"sigma": -1})
