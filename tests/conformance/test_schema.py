"""The published schema fits every message of a real conversation, and no broken one."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.conformance import protocol
from dporacle.conformance.libraries.pinned import SELF
from dporacle.conformance.protocol_schema import protocol_schema
from dporacle.conformance.run.runner import library_target
from support.cases import table

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "protocol.schema.json").read_text())


def validator(kind: str = "") -> jsonschema.Draft202012Validator:
    part = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]} if kind else SCHEMA
    return jsonschema.Draft202012Validator(part)


def test_the_file_is_what_the_command_prints_and_is_a_schema() -> None:
    result = CliRunner().invoke(main, ["adapter-check", "--schema"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == SCHEMA == json.loads(json.dumps(protocol_schema()))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def conversation(command: list[str]) -> list[tuple[Any, Any]]:
    """Ask an adapter something of each kind; return the messages and its answers."""
    inputs: dict[str, list[protocol.Sent]] = {
        "epsilon": [1.0, 0.5, "nan", "inf"],
        "delta": [1e-5, 1e-9, 0.5, "-inf"],
        "sensitivity": [1.0, 1.0, 1.0, 1.0],
    }
    first = {name: column[0] for name, column in inputs.items()}
    start = protocol.Start(id="a")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        pairs = []

        def say(message: Any) -> Any:
            line = protocol.encode(message)
            child.stdin.write(line)
            child.stdin.flush()
            pairs.append((json.loads(line), json.loads(child.stdout.readline())))
            return pairs[-1][1]

        function = say(start)["functions"][0]
        say(protocol.Run(id="b", function=function["name"], arguments=first))
        say(protocol.Run(id="c", function=function["name"], arguments=first | {"delta": 2.0}))
        if function.get("batch", 1) > 1:
            say(protocol.RunBatch(id="d", function=function["name"], arguments=inputs))
        stop = protocol.encode(protocol.Stop(id="e"))
        child.stdin.write(stop)
        child.stdin.close()
        validator("Stop").validate(json.loads(stop))
    return pairs


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        (f"{sys.executable} {ROOT / 'examples' / 'adapter.py'}", "Capabilities Reply Reply"),
        (shlex.join(library_target(SELF).prepare()), "Capabilities Reply Reply Replies"),
    ],
    ids=["example", "self"],
)
def test_a_conversation_fits(command: str, kinds: str) -> None:
    pairs = conversation(shlex.split(command))
    asked = ("Start", "Run", "Run", "RunBatch")
    for (message, answer), ask, kind in zip(pairs, asked, kinds.split(), strict=False):
        for text, name in ((message, ask), (answer, kind)):
            validator().validate(text)
            validator(name).validate(text)
    assert len(pairs) == len(kinds.split())


@pytest.mark.parametrize(("kind", "text"), table("what_does_not_fit_is_refused_by_both"))
def test_what_does_not_fit_is_refused_by_both(kind: str, text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator(kind).validate(json.loads(text))
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(json.loads(text))
    with pytest.raises(protocol.ProtocolError):
        protocol.decode(text.encode(), getattr(protocol, kind), token="a")


@pytest.mark.parametrize(("change", "fits"), table("capabilities"))
def test_capabilities(change: dict[str, Any], fits: bool) -> None:
    function = {"name": "f", "quantity": "accuracy", "arguments": ["alpha", "sigma"]}
    said = {"id": "a", "protocol": 2, "name": "x", "version": "1", "functions": [function]}
    line = json.dumps(said | change).encode()
    assert validator("Capabilities").is_valid(said | change) is fits
    if fits:
        protocol.decode(line, protocol.Capabilities, token="a")
    else:
        with pytest.raises(protocol.ProtocolError):
            protocol.decode(line, protocol.Capabilities, token="a")
