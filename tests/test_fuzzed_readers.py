"""Every reader on damaged input: it reads, or refuses with its own error; it never falls over.

Vectors, artefacts, documents of runs, protocol messages and the command line. Claims and
certificates are damaged in tests of their own.
"""

import contextlib
import io
import json
from importlib import resources

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dporacle import regions, report
from dporacle.cli import COMMANDS, main
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance import protocol
from dporacle.regions import artefact
from dporacle.vectors import vector_file
from support.reports import document, judged

steady = settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
PIECES = [b"", b"0", b"-1", b"1e999", b"null", b"[" * 50, b"{}", b'"x"', b"\xff", b"9" * 5000]
REPLY = b'{"id":"7","outcome":"ok","value":1.5}'
CAPABILITIES = {
    "id": "7",
    "protocol": protocol.VERSIONS[-1],
    "library": "x",
    "version": "1",
    "functions": [{"name": "sigma", "quantity": "calibrate_sigma", "arguments": ["epsilon"]}],
}


@st.composite
def damaged(draw, whole):
    """A text with some bytes changed, cut out, doubled, or put in."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=3) | st.just(bytes(data[at:end])))
        data[at:end] = piece
    return bytes(data)


def vectors():
    data = (resources.files("dporacle.vectors.data") / "pinsker_sigma.json").read_bytes()
    content = json.loads(data)
    content["vectors"] = content["vectors"][:2]
    return json.dumps(content).encode()


@steady
@given(damaged(vectors()))
def test_vectors(data):
    with contextlib.suppress(ValueError):
        vector_file.read(data)


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """An artefact without a box."""
    path = tmp_path_factory.mktemp("artefacts") / "x.jsonl"
    artefact.write(path, regions.ProofRun(theorem=regions.catalogue()["BW18.T1"]))
    artefact.read(path)
    return path.read_bytes()


@steady
@given(data=st.data())
def test_artefacts(data, lines, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data.draw(damaged(lines)))
    with contextlib.suppress(artefact.ArtefactError):
        artefact.read(path)


@steady
@given(damaged(json.dumps(document("x", judged("conformant"))).encode()))
def test_documents_of_runs(data):
    with contextlib.suppress(ValueError):
        report.read(data)


@steady
@given(damaged(REPLY), damaged(json.dumps(CAPABILITIES).encode()))
def test_messages(reply, said):
    for line, kind in ((reply, protocol.Reply), (said, protocol.Capabilities)):
        with contextlib.suppress(protocol.ProtocolError):
            protocol.decode(line, kind, token="7")


WORDS = st.sampled_from(
    [
        *COMMANDS,
        *("--epsilon", "--delta", "--sigma", "--alpha", "--error", "--json", "--digits", "--help"),
        *("--dimension", "--formula", "--verify", "--list", "verdict", "private", "classical"),
        *(
            "1",
            "0",
            "-1",
            "1e-5",
            "1e99999",
            "nan",
            "inf",
            "1/0",
            "0x1p-3",
            "1_0",
            "٣",
            "",
            "-",
            "3",
        ),
    ]
)
# These may run long, write files or start other programs when their words are right.
LONG = {"conform", "specimens", "vectors", "experiment", "map", "prove", "rank-one", "report"}


@steady
@given(command=st.sampled_from(sorted(set(COMMANDS) - LONG)), words=st.lists(WORDS, max_size=6))
def test_command_lines(command, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    out, err = io.StringIO(), io.StringIO()
    where = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with where[0], where[1], pytest.raises(SystemExit) as stop:
        main([command, *words])
    assert stop.value.code in (0, 1, 2, 3), err.getvalue()
    assert "Traceback" not in err.getvalue()
    if stop.value.code == ExitStatus.FINDING:
        assert command in ("statements", "adapter-check", "audit")


@steady
@given(command=st.sampled_from(sorted(COMMANDS)), words=st.lists(WORDS, min_size=1, max_size=4))
def test_every_command_refuses_an_option_it_does_not_have(command, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    where = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with where[0], where[1], pytest.raises(SystemExit) as stop:
        main([command, "--no-such-option", *words])
    assert stop.value.code in (ExitStatus.USAGE, ExitStatus.FINE)  # --help comes first
