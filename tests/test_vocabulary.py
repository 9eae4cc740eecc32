"""The vocabulary is complete, and says what the witnesses do."""

import ast
import dataclasses
import hashlib
import math
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dporacle
from dporacle import enclosures, fast, reference
from dporacle.conformance.ask import fresh
from dporacle.conformance.ask.cases import all_cases
from dporacle.conformance.ask.fresh import random_cases
from dporacle.conformance.protocol import Function
from dporacle.exploration import inputs
from dporacle.vectors import editions
from dporacle.vocabulary import ARGUMENTS, KINDS, MECHANISMS, QUANTITIES, SERVED, Quantity
from dporacle.vocabulary.formulas import FORMULAS, Formula
from dporacle.vocabulary.statements import STATEMENTS
from support.dear import rows

ROWS = pytest.mark.parametrize("row", QUANTITIES.values(), ids=QUANTITIES)
WITNESSES = pytest.mark.parametrize("witness", [reference, fast, enclosures])


@ROWS
def test_a_row_is_complete(row: Quantity) -> None:
    assert row.mechanism in MECHANISMS.values()
    assert row.kind in KINDS.values()
    assert not row.kind.rises & row.kind.falls
    for argument in row.rows.values():
        assert argument.everyday in argument.domain
        assert argument.everyday in argument.reach
        assert not any(math.isfinite(v) and v in argument.domain for v in argument.refused)
    if row.served:
        assert {*row.ordered, *row.unordered} == set(row.arguments)
        for argument in row.rows.values():
            assert argument.edges
            assert argument.usual is not None
            assert argument.extreme is not None
            assert argument.extreme[0] <= argument.usual[0] < argument.usual[1]


def test_every_row_is_used() -> None:
    assert {name for row in QUANTITIES.values() for name in row.arguments} == set(ARGUMENTS)
    assert {row.kind.name for row in QUANTITIES.values()} == set(KINDS)
    assert {row.mechanism.name for row in QUANTITIES.values()} == set(MECHANISMS)


def beside(row: Quantity) -> Iterator[tuple[str, float, bool]]:
    """Numbers at the ends of each argument's domain and next to them, and whether they are in."""
    for name, argument in row.rows.items():
        domain = argument.domain
        for end in (domain.least, domain.most):
            if end is None:
                continue
            around: tuple[float, ...] = (end - 1, end, end + 1)
            if domain.whole and end == domain.most > 1000:  # such a count itself takes long
                around = (end + 1,)
            elif not domain.whole:
                around = (math.nextafter(end, -math.inf), float(end), math.nextafter(end, math.inf))
            for value in around:
                yield name, value, value in domain


@pytest.mark.parametrize("row", rows())
@WITNESSES
def test_the_witnesses_have_these_domains(row: Quantity, witness: ModuleType) -> None:
    function = row.of(witness)
    usual: dict[str, Any] = {name: each.everyday for name, each in row.rows.items()}
    for name, value, inside in beside(row):
        if inside:
            # Nearly at an end, they refuse it or take long.
            if row.gathered or (row.confined and value not in (0, 1)):
                continue
            try:
                function(**{**usual, name: value})
            except ArithmeticError:  # an answer, but no float64, or none to these many digits
                assert witness is not reference
            except ValueError:  # such as a σ that is beyond those of the float64 witness
                assert row.confined, (name, value)
        else:
            with pytest.raises(ValueError, match=name):
                function(**{**usual, name: value})


@pytest.mark.parametrize("row", rows())
def test_answers_rise_and_fall_as_the_kind_says(row: Quantity) -> None:
    """The exact answers at one argument a bit larger and a bit smaller than everyday."""
    function = row.of(enclosures)
    usual: dict[str, Any] = {name: each.everyday for name, each in row.rows.items()}
    for name in row.ordered:
        argument = row.rows[name]
        factors = (1, 2) if argument.counts else (0.75, 1.25)
        if name == "steps":  # two steps take longer to enclose than a hundred
            factors = (1, 100)
        low, high = (function(**{**usual, name: usual[name] * each}) for each in factors)
        assert bool(low <= high if row.rises(name) else low >= high), name


# The others take long away from where people work.
QUICK = {name for name, row in QUANTITIES.items() if not (row.function or row.costly)}
QUICK -= inputs.QUADRATURES | {"discrete_accuracy"}


@pytest.mark.parametrize("name", sorted(QUICK.intersection(inputs.FUNCTIONS)))
@pytest.mark.parametrize("witness", [reference, fast, enclosures])
def test_answers_rise_and_fall_at_drawn_inputs(name: str, witness: ModuleType) -> None:
    """Where one argument is up to twice as large; floats may swap their last bits."""
    row, function = QUANTITIES[name], getattr(witness, name)
    generator = random.Random(name)
    slack = 1 + (1e-6 if witness is fast else 1e-15)
    for _ in range(6):
        where = inputs.draw(generator, name)
        factor = 1 + 2.0 ** -generator.randint(0, 20)
        for changed in row.ordered:
            try:
                more = where[changed] * (2 if row.rows[changed].counts else factor)
                if more not in row.rows[changed].domain:
                    continue
                low, high = (
                    float(function(**where | {changed: each})) for each in (where[changed], more)
                )
            except (ArithmeticError, ValueError):  # out of reach of this witness, or of floats
                continue
            low, high = (low, high) if row.rises(changed) else (high, low)
            assert low <= max(high * slack, high / slack) + 1e-290, (where, changed, more)


@ROWS
def test_answers_scale_as_the_kind_says(row: Quantity) -> None:
    if not row.data_unit:
        return
    function = row.of(enclosures)
    usual: dict[str, Any] = {name: each.everyday for name, each in row.rows.items()}
    scaled = {n: 2 * v if n in row.data_unit else v for n, v in usual.items()}
    assert bool(function(**scaled).overlaps(function(**usual) * 2**row.kind.degree))


# What the fresh inputs of a seed are, with the vectors of the first two editions: a run that
# somebody reports can be repeated. They change when a way to draw is added, and only on purpose:
# the last time when draws began to leave out no decade that is in use.
DRAWN = {
    "calibrate_sigma": "b422fe94761f4273",
    "delta_at_epsilon": "014a4c4cf607d66a",
    "epsilon_at_delta": "f2e8290995f449fe",
    "accuracy": "92b62cc6dd397a83",
    "alpha_at_accuracy": "9bf884aedf7e77af",
    "sigma_at_accuracy": "a3ff01535b104d83",
    "classical_sigma": "f12aec3bd9028259",
    "zcdp_rho": "2309a3bc84baf3cf",
    "zcdp_sigma": "6512cb953ffd7f78",
    "zcdp_delta": "34a2978493a88685",
    "rdp": "951bd00876c27053",
    "rdp_delta": "ab610e171fd4fe54",
    "gdp_tradeoff": "a1c91216cfe34b78",
    "gdp_delta": "d09ff7e3a48f4bc7",
    "gdp_epsilon": "b3e654f8ee48864e",
    "repeated_sigma": "e8c49c5c683a8988",
    "repeated_delta": "d0b2231208c56c04",
    "repeated_epsilon": "1b10e5639ca5fcac",
    "discrete_delta_at_epsilon": "be1f4528ae34d848",
    "discrete_calibrate_sigma": "86e8cb8d9a398a69",
    "discrete_accuracy": "41fad1d433ff0f39",
}


def drawn(quantity: str) -> str:
    """A hash of fresh inputs; the last digits of powers may differ between machines."""
    row = SERVED[quantity]
    function = Function(name="f", quantity=quantity, arguments=list(row.arguments))
    lines = []
    for seed in range(10):
        cases, related = random_cases(function, seed=seed, rounds=4)
        lines += [
            # Repeats and neighbours have their inputs' flags besides; what is asked is the same.
            f"{case.flags[:1] if {'repeat', 'neighbour'} & {*case.flags} else case.flags} "
            f"{[f'{value:.9e}' for value in case.arguments.values()]} {case.valid} "
            f"{[f'{value:.9e}' for value in case.acceptable]}"
            for case in cases
        ]
        lines += [f"{r.rule} {r.first.id} {r.factor} {r.slack}" for r in related]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.mark.parametrize("quantity", DRAWN)
def test_the_fresh_inputs_of_a_seed_stay(quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {number: editions.edition(number).ids.get(quantity, ()) for number in (1, 2)}
    ids = {f"{quantity}/{each}" for number in known for each in known[number]}
    early = tuple(case for case in all_cases() if case.id in ids)
    monkeypatch.setattr(fresh, "all_cases", lambda: early)
    assert drawn(quantity) == DRAWN[quantity], "on purpose? then this is the new one, and say why"


# Where quantities are named, and why.
NAMING = {
    "src/dporacle/vocabulary": "they are named here",
    "src/dporacle/enclosures": "a witness has its functions' names",
    "src/dporacle/identities": "a witness has its functions' names",
    "src/dporacle/exploration": "how each function of a witness is explored",
    "src/dporacle/vectors/by_reference.py": "the reference's way, of those without an identity",
    "src/dporacle/vectors/cases_": "the cases of each",
    "src/dporacle/conformance/adapters": "which function of a library computes which",
    "src/dporacle/specimens/faulty": "what each specimen gets wrong",
    "src/dporacle/specimens/gates.py": "what each planted regression gets wrong",
    "src/dporacle/specimens/correct.py": "calibrators that are written by hand",
    "src/dporacle/specimens/serve.py": "the calibration that stands beside a specimen",
    "src/dporacle/__init__.py": "names at the top, which static tools have to read",
    "src/dporacle/calibration.py": "it defines one of these names",
    "src/dporacle/cli/demo.py": "the vectors by which it judges the classical formula",
}


def test_no_consumer_names_a_quantity() -> None:
    """What reads the vocabulary goes by rows, kinds and mechanisms."""
    root = Path(__file__).parents[1]
    ordinary = {"accuracy", "rdp"}  # words of their own: a command, an argument, an assertion
    for path in sorted((root / "src").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name.startswith(tuple(NAMING)):
            continue
        named = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not (named & set(QUANTITIES)) - ordinary, name


def test_the_package_offers_what_the_rows_call_public() -> None:
    public = {row.name for row in QUANTITIES.values() if row.public}
    of_no_row = {"audit", "dp_sgd_ends", "dp_sgd_epsilon", "dp_sgd_noise_multiplier"}
    assert set(dporacle.__all__) == of_no_row | public
    for name in public:
        assert callable(getattr(dporacle, name))


@pytest.mark.parametrize("row", FORMULAS.values(), ids=FORMULAS)
def test_a_formula_has_its_statement_and_its_quantity(row: Formula) -> None:
    assert row.statement in {each.id for each in STATEMENTS}
    assert not row.quantity or row.statement in QUANTITIES[row.quantity].statements
    assert row.quantity or row.takes or not row.claimed
    assert row.claimed or not row.ranged


def test_a_row_may_fix_what_a_function_takes_besides() -> None:
    row = QUANTITIES["delta_at_epsilon"]
    twice = dataclasses.replace(row, name="twice", function=row.name, fixed={"sensitivity": 2})
    for witness in (reference, fast, enclosures):
        expected = witness.delta_at_epsilon(epsilon=1, sigma=2, sensitivity=2)
        assert str(twice.of(witness)(epsilon=1, sigma=2)) == str(expected)
