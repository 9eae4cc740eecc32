"""One thing, one type; one word, one meaning: what `make counts` asks for, and is met."""

import ast

import counts


def test_no_name_has_two_meanings() -> None:
    assert counts.names_twice() == {}


def test_one_place_reads_a_run_one_judge_judges_and_one_document_has_what_was_found() -> None:
    for found, module in (
        (counts.readers_of_a_run(), "mechanisms/training.py"),
        (counts.judges(), "conformance/judge/outcomes.py"),
        (counts.documents_of_a_run(), "conformance/grade/runs.py"),
    ):
        (place,) = found
        assert place.startswith(f"src/dporacle/{module}:")


def test_who_only_hands_two_sizes_on_does_not_read_them() -> None:
    def reads(text: str) -> bool:
        (node,) = ast.parse(f"def f(batch_size, dataset_size): {text}").body
        return counts.looks_at(node, {"batch_size", "dataset_size"})

    assert reads("return batch_size / dataset_size")
    assert reads("return g(rate=batch_size / dataset_size)")
    assert reads("return g(rate=batch_size, size=dataset_size)")
    assert not reads("return g(batch_size=batch_size, dataset_size=dataset_size)")
    assert not reads("return {'batch_size': batch_size, 'dataset_size': f.dataset_size}")
    assert not reads("return any(each for each in (batch_size, dataset_size))")


def test_every_function_of_a_witness_has_a_row() -> None:
    assert counts.without_rows() == []
