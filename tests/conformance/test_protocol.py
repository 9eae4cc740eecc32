"""Messages go over as they are, and nothing else goes over."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle.conformance import protocol
from dporacle.conformance.protocol import Capabilities, ProtocolError, Reply
from dporacle.conformance.protocol_page import with_tables
from dporacle.vocabulary import SERVED
from support.cases import table

FEW = settings(derandomize=True, deadline=None, max_examples=100)


@FEW
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_survive(value: float) -> None:
    message = protocol.Run(id="a", function="f", arguments={"x": protocol.write_number(value)})
    read = json.loads(protocol.encode(message))["arguments"]["x"]
    assert (float(read), math.copysign(1, read)) == (value, math.copysign(1, value))
    for written in (json.dumps(value), json.dumps(value.hex()), json.dumps(repr(value))):
        reply = protocol.decode(f'{{"id":"a","value":{written}}}'.encode(), Reply, token="a")
        assert reply.value is not None
        if isinstance(reply.value, str) and not reply.value.lstrip("-").startswith("0x"):
            assert protocol.read_number(reply.value) == Fraction(repr(value))
        else:
            assert protocol.read_number(reply.value) == Fraction(value)


def test_the_other_floats_are_words() -> None:
    for value in (math.nan, math.inf, -math.inf):
        word = protocol.write_number(value)
        assert word in ("nan", "inf", "-inf")
        assert repr(protocol.read_number(word)) == repr(value)


@FEW
@given(st.binary(max_size=200))
def test_bytes_at_random_are_refused(line: bytes) -> None:
    for kind in (Capabilities, Reply):
        with pytest.raises(ProtocolError):
            protocol.decode(line, kind, token="0123456789abcdef")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e9999", "0x1p99999", "1/0", "", " ", "1_0"])
def test_numbers_that_are_none(text: str) -> None:
    with pytest.raises(ProtocolError):
        protocol.read_number(text)


@pytest.mark.parametrize("reply", table("replies_that_do_not_fit"))
def test_replies_that_do_not_fit(reply: str) -> None:
    with pytest.raises(ProtocolError):
        protocol.decode(reply.encode(), Reply, token="a")


def test_the_page_has_the_tables_of_the_vocabulary() -> None:
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert with_tables(page) == page, (
        "python -m dporacle.conformance.protocol_page docs/protocol.md"
    )
    for row in SERVED.values():
        assert f"| `{row.name}` | {', '.join(row.arguments)} |" in page
    with pytest.raises(ValueError, match="tables of the vocabulary"):
        with_tables("# no tables")


def test_whole_numbers_arrive_as_floats() -> None:
    sent = {"releases": protocol.write_number(10.0)}
    message = protocol.Run(id="a", function="f", arguments=sent)
    assert b'"releases":10.0' in protocol.encode(message)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "a", "value": 1.0, "value": 2.0}',
        b'{"id": "a", "id": "a", "value": 1.0}',
        b'{"id": "a", "value": NaN}',
    ],
)
def test_a_key_stands_once_and_nothing_but_json_is_read(line: bytes) -> None:
    with pytest.raises(ProtocolError, match="unreadable line"):
        protocol.decode(line, Reply, token="a")


@pytest.mark.parametrize("field", ["name", "version", "language"])
def test_a_name_can_be_seen(field: str) -> None:
    """A right-to-left override makes a name look like another."""
    said = {
        "id": "a",
        "protocol": 2,
        "name": "n",
        "version": "1",
        "functions": [{"name": "f", "quantity": "rdp", "arguments": ["order", "mu"]}],
        field: "a\u202eb",
    }
    with pytest.raises(ProtocolError, match="cannot be seen"):
        protocol.decode(json.dumps(said).encode(), Capabilities, token="a")
