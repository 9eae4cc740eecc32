"""What a command does not need it does not import; where Newton may begin in floats."""

import importlib.util
import math
import subprocess
import sys
from fractions import Fraction

import counts
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle import enclosures, reference
from dporacle.enclosures import analytic_gaussian as balls
from dporacle.enclosures.arithmetic import roots
from dporacle.enclosures.arithmetic.floats import float_root
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.reference.gaussian import inverses as digits
from support.exact import close
from support.strategies import deltas, epsilons


def imported(code: str) -> set[str]:
    """The modules that a program has loaded at its end."""
    ask = "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules));"
    done = subprocess.run([sys.executable, "-c", ask + code], capture_output=True, text=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    return set(line.split())


HELP = ["--help", *(f"{name} --help" for name in ("audit", "sigma", "delta", "conform", "prove"))]


@pytest.mark.parametrize("words", HELP)
def test_help_imports_no_witness(words: str) -> None:
    found = imported(f"from dporacle.cli import main; main({words.split()})")
    assert not found & {"numpy", "scipy", "mpmath", "flint", "rich", "msgspec"}


def test_each_kind_of_mechanism_is_imported_alone() -> None:
    """A claim names one kind, whose module is then the first of its folder."""
    code = """
import importlib, pkgutil, sys
import dporacle.claims.mechanisms as folder
for each in pkgutil.iter_modules(folder.__path__):
    for name in [name for name in sys.modules if name.startswith("dporacle.claims")]:
        del sys.modules[name]
    importlib.import_module(f"{folder.__name__}.{each.name}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_a_first_sigma_imports_numpy_alone() -> None:
    found = imported("import dporacle; dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5)")
    assert "numpy" in found
    assert not found & {"scipy", "mpmath", "flint", "msgspec", "click"}


def test_an_audit_imports_what_it_uses() -> None:
    typed = "audit --epsilon 1 --delta 1e-5 --sigma 3.73"
    found = imported(f"from dporacle.cli import main; main({typed.split()})")
    unused = {"numpy", "scipy", "mpmath", "rich", "filelock", "html", "hashlib", "tomllib"}
    assert "flint" in found
    assert not found & unused
    # Half of the time is that of flint, click and msgspec. Of the kinds that a file may name only
    # the two that the claim has are imported.
    own = {name for name in found if name.partition(".")[0] == "dporacle"}
    assert len(own) <= 60
    folders = ("dporacle.claims.mechanisms.", "dporacle.claims.assertions.")
    kinds = {name for name in own if name.startswith(folders)}
    assert kinds == {
        f"{folders[0]}{each}" for each in ("contribution", "gaussian", "mechanism", "record")
    } | {f"{folders[1]}{each}" for each in ("assertion", "privacy")}
    parts = ("wings.coq", "wings.papers.enclosures", "regions", "claims.register")
    parts += ("enclosures.subsampled", "enclosures.batches.shuffled")
    assert all(importlib.util.find_spec(f"dporacle.{name}") for name in parts)
    assert not own & {f"dporacle.{name}" for name in parts}


def test_a_sigma_goes_through_few_files() -> None:
    """What is asked, and why it is not fewer changes, stands in docs/contributing/counts.md."""
    modules, moves = counts.audited()
    assert modules <= 60
    assert moves <= 42
    assert counts.calls_before_a_formula() <= 6


def test_dp_sgd_imports_no_arrays_and_no_claims() -> None:
    typed = "dp-sgd --noise-multiplier 1 --sampling-rate 1/10 --steps 1 --delta 1e-5"
    found = imported(f"from dporacle.cli import main; main({typed.split()})")
    assert not found & {"numpy", "scipy", "mpmath", "msgspec", "dporacle.claims", "dporacle.fast"}


POINTS = [("1", "1e-5"), ("0.01", "1e-9"), ("300", "0.3"), ("0.001", "0.1"), ("5", "0.85")]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_a_start_in_floats_is_close_and_decides_nothing(
    monkeypatch: pytest.MonkeyPatch, epsilon: str, delta: str
) -> None:
    e, d = Fraction(epsilon), Fraction(delta)
    ball = enclosures.calibrate_sigma(epsilon=e, delta=d, digits=40)
    value = reference.calibrate_sigma(epsilon=e, delta=d, digits=40)
    mu = 1 / float(value)
    y = float_root(e, d)
    assert y is not None
    assert float(y) == pytest.approx(float(e) / mu - mu / 2, abs=1e-6)
    start = digits._mu_in_floats(e, d)
    assert start is not None
    assert math.isclose(start, mu, rel_tol=1e-6)
    for wrong in (None, -3.0, 30.0):
        monkeypatch.setattr(balls, "float_root", lambda *_, y=wrong: y and balls.arb(y))
        monkeypatch.setattr(digits, "_mu_in_floats", lambda *_, y=wrong: y and abs(y))
        again = enclosures.calibrate_sigma(epsilon=e, delta=d, digits=40)
        assert ball.overlaps(again)
        low, high = bounds(again)
        assert high - low < high / 10**39
        assert close(reference.calibrate_sigma(epsilon=e, delta=d, digits=40), value, 39)


@given(epsilons(), deltas(), st.sampled_from([5, 20, 60]))
@example(1000.0, 1e-300, 200)
@example(0.0, 0.1, 50)
@example(1e-300, 1e-300, 20)
@example(0.01, 0.99999, 20)
def test_one_step_on_balls_says_what_two_signs_say(
    epsilon: float, delta: float, asked: int
) -> None:
    swift = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roots, "_swiftly", lambda *_: None)
        signed = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=asked)
    assert swift.overlaps(signed)
    for ball in (swift, signed):
        low, high = bounds(ball)
        assert 0 < high - low <= high / 10**asked


def test_a_step_from_afar_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []
    step = roots._swiftly
    monkeypatch.setattr(roots, "_swiftly", lambda *given: found.append(step(*given)))
    monkeypatch.setattr(balls, "float_root", lambda *_: balls.arb(4.2))
    enclosures.calibrate_sigma(epsilon=1, delta=Fraction("1e-5"), digits=20)
    assert found[0] is None  # 4.2 is off by a few hundredths
    assert found[1] is not None


@pytest.mark.parametrize(("epsilon", "delta"), [("0", "0.1"), ("1e4", "0.1"), ("1", "1e-30")])
def test_there_is_no_start_where_floats_cancel_or_overflow(epsilon: str, delta: str) -> None:
    assert float_root(Fraction(epsilon), Fraction(delta)) is None
    assert digits._mu_in_floats(Fraction(epsilon), Fraction(delta)) is None
