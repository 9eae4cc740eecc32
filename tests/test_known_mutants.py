"""Deliberate errors in enclosures, each of which a comparison notices.

A ball that is right for the wrong reason is still right; a ball whose remainder was forgotten is
wrong by less than the last digits that other tests look at. So each error is made here on
purpose, in a copy of the module, and the true ball and the wrong one go through the same test.
"""

import importlib
import inspect
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from dporacle import enclosures

pytestmark = pytest.mark.thorough("mutants of the enclosures")

FINE = 400


def changed(module, *changes):
    """The names of a module in which pieces of the source are others."""
    found = importlib.import_module(module)
    source = inspect.getsource(found)
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    names = {"__name__": module, "__package__": found.__package__, "__builtins__": __builtins__}
    exec(compile(source, f"<{module}, changed>", "exec"), names)
    return names


def holds(ball, truth):
    """Whether a coarse ball contains what a fine one does, without slack."""
    with ctx.workprec(FINE):
        return bool(ball.contains(truth))


# Coarse balls: at these precisions remainders are not lost among roundings.


def calibrations(names):
    for digits in (1, 2, 3):
        for epsilon, delta in ((0.1, 1e-3), (1.0, 1e-5), (3.0, 0.2), (0.5, 1e-9)):
            where = {"epsilon": epsilon, "delta": delta}
            fine = enclosures.calibrate_sigma(**where, digits=60)
            yield holds(names["calibrate_sigma"](**where, digits=digits), fine)


def sums(function):
    def each(names):
        order = names["_order"]
        for bits in (8, 16, 24, 32):
            for sigma in (0.6, 1.5, 3.0, 7.5, 20.0):
                for first in (1, 2, 5, 20):
                    s = 1 / (2 * Fraction(sigma) ** 2)
                    names["_order"] = order
                    fine = _summed(names, "half_sums", s, first, FINE)
                    # Few terms of the series, so that much is left to the remainder.
                    names["_order"] = lambda s, first, terms=bits // 8: terms
                    coarse = _summed(names, function, s, first, bits)
                    yield all(
                        not c.is_finite() or holds(c, f) for c, f in zip(coarse, fine, strict=True)
                    )

    return each


def _summed(names, function, s, first, bits):
    more = (0, bits + 32) if function == "_directly" else (0,)
    with ctx.workprec(bits):
        return names[function](arb(fmpq(s.numerator, s.denominator)), first, *more)


def loosened(module, name, ways, bits=100):
    """Whether a sum that stops early holds the one that does not, at each of some arguments."""

    def each(names):
        right = getattr(importlib.import_module(module), name)
        for way in ways:
            with ctx.workprec(FINE):
                fine = right(*way())
            with ctx.workprec(bits):
                coarse = names[name](*way())
            pairs = zip(coarse, fine, strict=True) if isinstance(fine, tuple) else [(coarse, fine)]
            yield all(holds(c, f) for c, f in pairs)

    return each


def given(*arguments):
    return lambda: arguments


DENOISING = "dporacle.wings.papers.enclosures.denoising"
CHI_SQUARE = [given(k, c) for c in (1, 4, 9, 18) for k in (c + 1, c + 3, c + 8)]
POISSON = [given(d, Fraction(x)) for d in (12, 20, 35, 60) for x in (2, 4, 7)]
WIDE = [lambda k=k: (arb(k) / 100,) for k in range(30, 50)]

LATTICE = "dporacle.enclosures.discrete.lattice"
GAUSSIAN = "dporacle.enclosures.analytic_gaussian"

MUTANTS = {
    "one end of σ": (
        GAUSSIAN,
        "return next(ends).union(next(ends))",
        "return next(ends)",
        calibrations,
    ),
    "the other end of σ": (
        GAUSSIAN,
        "return next(ends).union(next(ends))",
        "return [*ends][1]",
        calibrations,
    ),
    "the rest of a direct sum": (
        LATTICE,
        "return total + arb(0, left), square + arb(0, rest)",
        "return total, square",
        sums("_directly"),
    ),
    "the remainder of Euler and Maclaurin": (
        LATTICE,
        "return head * (total + arb(0, left)), head * (second + arb(0, rest))",
        "return head * total, head * second",
        sums("_euler_maclaurin"),
    ),
    "what follows in the χ² series": (
        DENOISING,
        "return total + arb(0, (term / (1 - ratio)).upper())",
        "return total",
        loosened(DENOISING, "_chi_square_cdf", CHI_SQUARE),
    ),
    "what the Poisson mixture leaves out": (
        DENOISING,
        "return gain + arb(0, rest.upper())",
        "return gain",
        loosened(DENOISING, "_positive_part_gain", POISSON),
    ),
    "what follows in Poisson's formula": (
        LATTICE,
        "total, weight = total + arb(0, size), weight + arb(0, size)",
        "pass",
        loosened(LATTICE, "normaliser", WIDE, 300),
    ),
}

# Sums stop as soon as what is left is below the last bit, where roundings hide it. In both copies
# these stop early, so that much is left to the remainder.
EARLY = {
    "what follows in the χ² series": ("arb(2) ** flint.ctx.prec", "arb(2) ** 6"),
    "what the Poisson mixture leaves out": ("rest < arb(2) ** -bits", "rest < 1"),
    "what follows in Poisson's formula": ("arb(2) ** -(2 * flint.ctx.prec)", "arb(2) ** -8"),
}


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_ball_without_its_error_is_noticed(name):
    module, old, new, nested = MUTANTS[name]
    early = [EARLY[name]] if name in EARLY else []
    right = list(nested(changed(module, *early)))
    assert len(right) >= 12
    assert all(right)
    assert not all(nested(changed(module, *early, (old, new))))
