"""A quantity is asked under a relation, in a unit: the same exact answer stands behind each."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle.conformance import protocol
from dporacle.conformance.ask.cases import all_cases
from dporacle.conformance.judge import compare
from dporacle.conformance.judge.outcomes import Answer, End, Outcome, judge
from dporacle.conformance.protocol import Capabilities, ProtocolError
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.vocabulary import SERVED
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.questions import QUESTIONS, asked
from dporacle.vocabulary.relations import NORMS, RELATIONS
from support.cases import table

FEW = settings(derandomize=True, deadline=None, max_examples=40)
CHEAP = [name for name, each in QUESTIONS.items() if each.row.rounds is None]


def said(**own: Any) -> Capabilities:
    """Return the capabilities of an adapter with one function."""
    function = {"name": "f", "quantity": "epsilon_at_delta", "arguments": ["delta", "sigma"], **own}
    message = {"id": "a", "protocol": 3, "name": "n", "version": "1", "functions": [function]}
    return protocol.decode(json.dumps(message).encode(), Capabilities, token="a")


@pytest.mark.parametrize("relation", NORMS)
@pytest.mark.parametrize("unit", ["clipping norm", "sensitivity"])
def test_the_unit_counts_where_a_record_replaces_another(relation: str, unit: str) -> None:
    """4 clipping norms of noise are 2 sensitivities there, and 4 anywhere else."""
    row = asked("epsilon_at_delta", relation, unit)
    doubled = relation == "replace-one" and unit == "clipping norm"
    plain = SERVED["epsilon_at_delta"]
    truth = enclose(row, {"delta": 1e-5, "sigma": 4.0}, digits=20)
    same = enclose(plain, {"delta": 1e-5, "sigma": 2.0 if doubled else 4.0}, digits=20)
    assert truth.overlaps(same)
    assert ("sensitivity" in row.arguments) is not doubled


def test_every_relation_of_a_claim_can_be_asked() -> None:
    assert set(RELATIONS) <= set(NORMS)


@FEW
@given(data=st.data())
def test_a_vector_of_a_question_has_its_exact_answer(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(CHEAP))
    cases = [case for case in all_cases() if case.quantity == name and case.proved is not None]
    case = data.draw(st.sampled_from(cases))
    assert case.proved is not None
    ball = enclose(QUANTITIES[name], case.arguments, digits=25)
    assert compare.around(*case.proved).overlaps(ball)


def test_questions_about_dp_sgd_are_asked_in_their_direction() -> None:
    """σ over Δ is half of σ over C; of two phases the second may be none."""
    run = {"sigma": 1.0, "rate": 0.5, "steps": 1}
    over_norm = enclose(SERVED["subsampled_delta_replace"], {"epsilon": 0.5, **run}, digits=8)
    row = asked("subsampled_delta", "replace-one", "sensitivity")
    over_sensitivity = enclose(row, {"epsilon": 0.5, **run, "sigma": 0.5}, digits=8)
    assert over_norm.overlaps(over_sensitivity)
    needed = asked("subsampled_sigma", "replace-one", "sensitivity")
    given = {"epsilon": 1.0, "delta": 1e-6, "rate": 0.01, "steps": 1}
    twice = enclose(SERVED["subsampled_sigma_replace"], given, digits=8) / 2
    assert enclose(needed, given, digits=8).overlaps(twice)
    for relation in ("add", "remove"):
        assert asked("subsampled_epsilon", relation, "").name == f"subsampled_epsilon_{relation}"
        phases = asked("subsampled_phases_delta", relation, "")
        later = {f"later_{name}": value for name, value in run.items()}
        both = enclose(phases, {"epsilon": 0.5, **run, **later}, digits=8)
        one = SERVED[f"subsampled_delta_{relation}"]
        assert both.overlaps(enclose(one, {"epsilon": 0.5, **run, "steps": 2}, digits=8))


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_stands_apart_from_its_source(name: str) -> None:
    """What an answer does to its promise is told by the partner under the same relation."""
    row = QUESTIONS[name].row
    assert name not in SERVED
    assert row.mechanism is not QUESTIONS[name].source.mechanism
    assert not row.data_unit
    assert row.kind in (DELTA, EPSILON, NOISE_NEEDED)


def test_a_calibration_for_one_norm_breaks_the_promise_of_a_replaced_record() -> None:
    """Half the noise is told as the δ that it gives under the relation, not as some other."""
    row = asked("calibrate_sigma", "replace-one", "clipping norm")
    case = next(each for each in all_cases() if each.id == f"{row.name}/epsilon=1;delta=1e-05")
    half = SERVED["calibrate_sigma"]
    sigma = compare.middle(enclose(half, {"epsilon": 1.0, "delta": 1e-5}, digits=20))
    judged = judge(case, Answer(end=End.VALUE, value=float(sigma).hex()))
    assert judged.outcome is Outcome.VIOLATING
    delta = enclose(SERVED["delta_at_epsilon"], {"epsilon": 1.0, "sigma": sigma / 2}, digits=10)
    assert judged.true_delta is not None
    assert float(judged.true_delta) == pytest.approx(float(compare.middle(delta)), rel=1e-9)


def test_an_open_unit_is_two_readings_of_one_function() -> None:
    found = said(relation="replace-one", unit="open").functions
    assert [(each.name, each.wire, each.quantity) for each in found] == [
        ("f, as σ/C", "f", "epsilon_at_delta, replace-one"),
        ("f, as σ/Δ", "f", "epsilon_at_delta"),
    ]


@pytest.mark.parametrize(("own", "words"), table("a_relation_that_cannot_be_asked_is_refused"))
def test_a_relation_that_cannot_be_asked_is_refused(own: dict[str, str], words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        said(**own)


def test_a_relation_needs_the_version_that_has_it() -> None:
    message = {
        "id": "a",
        "protocol": 2,
        "name": "n",
        "version": "1",
        "functions": [
            {
                "name": "f",
                "quantity": "epsilon_at_delta",
                "arguments": ["delta", "sigma"],
                "relation": "add",
            }
        ],
    }
    with pytest.raises(ProtocolError, match="speaks protocol 2, which has no relations"):
        protocol.decode(json.dumps(message).encode(), Capabilities, token="a")
