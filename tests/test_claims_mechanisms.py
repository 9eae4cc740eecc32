"""What every mechanism of a claim answers, and compositions in compositions: X.COMP."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_audit import Content, judged, privacy, release

from dporacle import claims
from dporacle.claims.assertions import ASSERTIONS
from dporacle.claims.mechanisms import MECHANISMS, Composition
from dporacle.claims.mechanisms.composition import Composable
from dporacle.common import wing_files as wings
from dporacle.verdicts import Verdict


def composition(*releases: Content, times: int = 1) -> Content:
    return {"kind": "composition", "releases": list(releases), "times": times}


def test_no_ladder_over_mechanisms_or_assertions() -> None:
    """A new one is a row: nothing but these tables lists them all."""
    assert set(MECHANISMS) >= {"gaussian", "composition", "discrete-gaussian", "rank-one"}
    assert set(ASSERTIONS) >= {"privacy", "accuracy", "loss", "formula", "conversion"}
    for kinds in (MECHANISMS, ASSERTIONS):
        assert {name: kind.__struct_config__.tag for name, kind in kinds.items()} == {
            k: k for k in kinds
        }
    for name, kind in MECHANISMS.items():
        assert kind.__struct_config__.tag == name
        assert set(kind.refuses) <= set(ASSERTIONS)
    # The core names the files of those alone that have none of their own name.
    core, *_ = wings.offering()
    for name, file in core.mechanisms.items():
        assert MECHANISMS[name].__module__ == f"dporacle.{file}"
        assert file.rpartition(".")[2] != name.replace("-", "_")
    for word in ("record", "gauss", "..x", ""):
        assert word not in MECHANISMS
        assert word not in ASSERTIONS
    for kind in Composable.__args__:  # itself, or with fields that only a composition has
        assert issubclass(kind, MECHANISMS[kind.__struct_config__.tag])


@pytest.mark.parametrize("times", [1, 3])
def test_releases_without_any_loss_have_no_least_noise(times: int) -> None:
    """Reports of ε = 0 are Gaussian noise with μ = 0 to a composition: no σ is to be changed."""
    reports = composition({"kind": "rappor", "epsilon": 0}, times=times)
    for delta in ("1e-5", 0):
        found = judged(reports, privacy(1, delta, "replace-one"))
        assert (found.verdict, found.high, found.limit) == (Verdict.HOLDS, "0", "")
        assert found.margin == "true δ is 0"


@pytest.mark.statement("X.COMP")
@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=4),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_nesting_is_composition(sigmas: list[int], times: list[int]) -> None:
    """A composition of compositions is the composition of all of their releases."""
    nested: Content = composition(*(release(sigma=sigma) for sigma in sigmas))
    count = 1
    for more in times:
        nested, count = composition(nested, times=more), count * more
    flat = composition(*(release(sigma=sigma) for sigma in sigmas), times=count)
    first, second = judged(nested, privacy(1, "0.01")), judged(flat, privacy(1, "0.01"))
    assert (first.verdict, first.low, first.high) == (second.verdict, second.low, second.high)
    about = first.claim.mechanism
    assert isinstance(about, Composition)
    assert about.mu_squared() == count * sum(Fraction(1, sigma**2) for sigma in sigmas)
    assert about.count() == count * len(sigmas)


def test_a_mix_of_releases_and_compositions() -> None:
    whole = composition(
        release(sigma=4), composition(release("zcdp", rho="1/64"), times=2), times=3
    )
    found = judged(whole, privacy(1, "0.1"))
    assert found.claim.mechanism.mu_squared() == 3 * (Fraction(1, 16) + 2 * Fraction(1, 32))


def test_compositions_nested_without_end_are_refused() -> None:
    whole = release(sigma=1)
    for _ in range(100_000):
        whole = composition(whole)
    with pytest.raises(ValueError, match="nested"):
        claims.make({"id": "x", "mechanism": whole, "asserts": privacy(1, "0.1")})
