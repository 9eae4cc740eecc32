"""Claims about a formula over a rectangle: "F is private for ε in [a, b] and δ in [c, d]".

An end may be open: ε from 0, δ from 0 or to 1, these numbers excluded.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact, decimal
from dporacle.regions._linear import Linear
from dporacle.regions._text import rational, read_rational
from dporacle.regions.calibrations import Calibration, calibration
from dporacle.regions.rectangle import part
from dporacle.regions.theorem import CLOSED, OUTSIDE, Lemma, Part, Theorem

RISE = Lemma("rise", "at fixed δ, δ(ε) rises with ε: a box is decided at one end of its ε")

Range = tuple[Exact, Exact]


def theorem(name: str, *, epsilon: Range, delta: Range, constant: Exact | None = None) -> Theorem:
    """Return the claim as a theorem; arguments and errors as for `formulas.decide_formula`."""
    a = None if constant is None else arguments.exact("constant", constant)
    found = calibration(name, a)
    eps, target = read_rectangle(epsilon, delta)
    parts, lemmas = _plan(found, eps, target)
    spec: dict[str, Any] = {
        "formula": name,
        "epsilon": [rational(end) for end in eps],
        "delta": [rational(end) for end in target],
    }
    return Theorem(
        id=f"formula:{name}",
        statement=f"{found.formula} is (ε,δ)-DP for all {_words('ε', eps)} and "
        f"{_words('δ', target)}",
        spec=spec if a is None else {**spec, "constant": rational(a)},
        parts=parts,
        lemmas=lemmas,
        covering="the lemma speaks of every ε and δ"
        if not parts
        else "the boxes are the whole rectangle"
        if "far" not in {lemma.id for lemma in lemmas}
        else "the rectangle, its open end by the lemma",
    )


def _plan(
    found: Calibration, eps: tuple[Fraction, Fraction], delta: tuple[Fraction, Fraction]
) -> tuple[tuple[Part, ...], tuple[Lemma, ...]]:
    """Choose a theorem that says it all, else (ε, c) if δ has an open end, else (ε, δ)."""
    open_delta = delta[0] == 0 or delta[1] == 1
    if found.private_by:
        says = f"it is private for every ε > 0 and 0 < δ < 1 (theorem {found.private_by})"
        return (), (Lemma("private", says),)
    if open_delta:
        assert found.constant is not None
        plan = Linear.over(found.constant, found.formula, epsilon=eps, delta=delta)
        return (plan.part(),), plan.lemmas()
    ends = (OUTSIDE if eps[0] == 0 else CLOSED, CLOSED)
    whole = part(found, epsilon=eps, delta=delta, ends=ends)
    return (whole,), (RISE,) if found.rises else ()


def _words(name: str, ends: tuple[Fraction, Fraction]) -> str:
    low, high = (decimal(end) for end in ends)
    upper = "<" if name == "δ" and ends[1] == 1 else "≤"
    return f"{low} {'≤' if ends[0] else '<'} {name} {upper} {high}"


def read_rectangle(
    epsilon: Range, delta: Range
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Return the exact ends of a rectangle.

    Raises:
        TypeError, ValueError: naming the argument that is wrong.
    """
    eps = _ends("epsilon", epsilon, arguments.epsilon)
    target = _ends("delta", delta, lambda value: arguments.nonnegative("delta", value))
    if eps[1] == 0:
        raise ValueError("epsilon must reach above 0")
    if not (0 < target[1] <= 1 and target[0] < 1):
        shown = f"{arguments.show(target[0])} and {arguments.show(target[1])}"
        raise ValueError(f"delta must have ends between 0 and 1, got {shown}")
    return eps, target


def _ends(name: str, pair: Range, read: Callable[[Exact], Fraction]) -> tuple[Fraction, Fraction]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name} must have two ends, got {arguments.show(pair)}")
    low, high = read(pair[0]), read(pair[1])
    if low > high:
        shown = f"{arguments.show(pair[0])} and {arguments.show(pair[1])}"
        raise ValueError(f"{name} must not fall from its first end to its second, got {shown}")
    return low, high


def from_spec(spec: dict[str, Any]) -> Theorem:
    """Make the theorem of a spec.

    Raises:
        ValueError: naming what is wrong with it.
    """
    if (
        not {"formula", "epsilon", "delta"}
        <= set(spec)
        <= {"formula", "epsilon", "delta", "constant"}
    ):
        raise ValueError("a claim about a formula has the fields formula, epsilon and delta")
    pairs = [spec["epsilon"], spec["delta"]]
    texts = [spec["formula"], spec.get("constant", "1")]
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError("epsilon and delta must be lists of two numbers")
    texts += [end for pair in pairs for end in pair]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a formula's name and its numbers must be text")
    eps, target = ((read_rational(low), read_rational(high)) for low, high in pairs)
    constant = read_rational(spec["constant"]) if "constant" in spec else None
    return theorem(spec["formula"], epsilon=eps, delta=target, constant=constant)
