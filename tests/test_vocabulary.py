"""The vocabulary is complete, and says what the witnesses do."""

import ast
import dataclasses
import hashlib
import math
from pathlib import Path

import pytest

import dporacle
from dporacle import enclosures, fast, reference
from dporacle.conformance.ask import fresh
from dporacle.conformance.ask.cases import all_cases, cases_for
from dporacle.conformance.ask.fresh import random_cases
from dporacle.conformance.protocol import Function
from dporacle.vectors import editions
from dporacle.vectors.vector_file import GROUPS
from dporacle.vocabulary import (
    ARGUMENTS,
    CONTRACTS,
    KINDS,
    MECHANISMS,
    QUANTITIES,
    SERVED,
    Quantity,
    kinds,
    mechanisms,
)
from dporacle.vocabulary.formulas import FORMULAS, SigmaFormula
from dporacle.vocabulary.statements import STATEMENTS, WITNESSES
from dporacle.vocabulary.witnesses import homes

ROWS = pytest.mark.parametrize("row", CONTRACTS.values(), ids=CONTRACTS)


@ROWS
def test_a_row_is_complete(row: Quantity) -> None:
    assert row.mechanism in MECHANISMS.values()
    assert row.kind in KINDS.values()
    assert not row.kind.rises & row.kind.falls
    assert set(row.unordered) <= set(row.arguments)
    assert set(row.own) <= set(row.arguments)
    assert not row.vectors or row.harm
    for given in (*row.hard, *row.excluded):
        assert {*given} - {"blamed"} <= set(row.arguments)
    assert all(given["blamed"] in row.arguments for given in row.excluded)
    assert {row.same_as, *row.at.values()} <= {*CONTRACTS, ""}
    for argument in row.rows.values():
        assert argument.everyday in argument.domain
        assert argument.everyday in argument.reach
        assert not argument.several or not row.served
        assert not any(math.isfinite(v) and v in argument.domain for v in argument.refused)
    if row.served:
        assert {*row.ordered, *row.unordered} == set(row.arguments)
        for argument in row.rows.values():
            assert argument.edges
            assert argument.usual is not None
            assert argument.extreme is not None
            assert argument.extreme[0] <= argument.usual[0] < argument.usual[1]


def test_every_row_is_used() -> None:
    assert {name for row in CONTRACTS.values() for name in row.arguments} == set(ARGUMENTS)
    assert {row.kind.name for row in CONTRACTS.values()} == set(KINDS)
    assert {row.mechanism.name for row in CONTRACTS.values()} == set(MECHANISMS)


def test_every_function_has_a_row() -> None:
    functions = {name for witness in WITNESSES for name in homes(witness)}
    assert {row.function or row.name for row in CONTRACTS.values()} == functions


def test_only_quantities_are_asked_of_libraries() -> None:
    assert {*SERVED} <= {*QUANTITIES} == {*GROUPS}


# What the fresh inputs of a seed are, with the vectors of the first two editions: a run that
# somebody reports can be repeated. They change when a way to draw is added, and only on purpose:
# the last times when draws began to leave out no decade that is in use, and, of two quantities with
# whole numbers, when the parts of a range began to end at whole numbers.
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
    "discrete_delta_at_epsilon": "8cfd54bed63c518b",
    "discrete_calibrate_sigma": "d6d020ee6c37e1de",
    "discrete_accuracy": "41fad1d433ff0f39",
}


@pytest.mark.parametrize(
    "row", [row for row in SERVED.values() if row.defaults], ids=lambda row: row.name
)
def test_a_function_that_leaves_out_what_it_may_is_asked(row: Quantity) -> None:
    taken = [name for name in row.arguments if name not in row.defaults]
    function = Function(name="f", quantity=row.name, arguments=taken)
    asked = cases_for(function)
    assert any(case.valid and "core" in case.flags for case in asked), "no vector at the defaults"
    cases, _ = random_cases(function, seed=1, rounds=1)
    for case in (*asked, *cases):
        assert {name: case.arguments[name] for name in row.defaults} == row.defaults


def test_where_no_vector_is_at_the_defaults_nothing_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fresh, "all_cases", tuple)
    function = Function(name="f", quantity="counts_sensitivity", arguments=["l0", "linf"])
    cases, related = random_cases(function, seed=1, rounds=4)
    assert cases
    assert {rule.rule for rule in related} == {"repeat"}


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
    "src/dporacle/wings/papers/enclosures": "a witness has its functions' names",
    "src/dporacle/identities": "a witness has its functions' names",
    "dev/exploration": "how each function of a witness is explored",
    "src/dporacle/vectors/by_reference.py": "the reference's way, of those without an identity",
    "src/dporacle/vectors/cases_": "the cases of each",
    "src/dporacle/conformance/adapters": "which function of a library computes which",
    "dev/specimens/faulty": "what each specimen gets wrong",
    "dev/specimens/gates.py": "what each planted regression gets wrong",
    "dev/specimens/correct.py": "calibrators that are written by hand",
    "dev/specimens/serve.py": "the calibration that stands beside a specimen",
    "src/dporacle/__init__.py": "names at the top, which static tools have to read",
    "src/dporacle/calibration.py": "it defines one of these names",
    "src/dporacle/cli/demo.py": "the vectors by which it judges the classical formula",
}


def test_no_consumer_names_a_quantity() -> None:
    """What reads the vocabulary goes by rows, kinds and mechanisms."""
    root = Path(__file__).parents[1]
    ordinary = {"accuracy", "rdp"}  # words of their own: a command, an argument, an assertion
    for path in sorted([*(root / "src").rglob("*.py"), *(root / "dev").rglob("*.py")]):
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
def test_a_formula_has_its_statement_and_its_quantity(row: SigmaFormula) -> None:
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


@pytest.mark.parametrize(("prior", "smaller"), [(0.25, 0.25), (0.75, 0.25), (0.875, 0.125)])
def test_what_an_attack_reaches_without_gain_follows_the_prior(prior, smaller):
    given = {"prior": prior, "alpha": 0.25}
    found = {name: limit(given) for name, limit in kinds._ATTACKS.items()}
    assert found == {
        "likelier prior": smaller, "larger prior": 1 - smaller, "alpha": 0.25, "1 - alpha": 0.75,
    }  # fmt: skip


def test_a_noise_of_practice_gives_much_privacy_to_a_rare_record_and_not_to_one_in_all_steps():
    """With σ = 100 a thousand steps with the record still have δ(1) = 0.096."""
    assert mechanisms._calibrated(1.0, 1e-5, [(1.0, 0.01, 100)]) == 0
    assert mechanisms._calibrated(1.0, 1e-5, [(1.0, 1.0, 1000)]) == math.inf


FROM_0 = [
    (row.name, name)
    for row in QUANTITIES.values()
    for name, each in row.rows.items()
    if each.domain.whole and each.domain.least == 0
]


@pytest.mark.parametrize(("name", "argument"), FROM_0)
def test_a_count_from_0_on_may_be_0(name, argument):
    """Another argument may forbid it there, as no canary can be guessed of none."""
    row = QUANTITIES[name]
    given = {each: one.everyday for each, one in row.rows.items()} | {argument: 0}
    refused = []
    for witness in (fast, enclosures):
        try:
            getattr(witness, name)(**given)
        except ValueError as error:
            refused.append(str(error))
    assert not any(each.startswith(f"{argument} must be from 1 ") for each in refused)
