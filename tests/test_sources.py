"""Records from folders, files and https addresses: who made them is shown, and limits hold."""

import contextlib
import datetime
import http.server
import json
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.conformance.grade import runs as document
from dporacle.report import history, sources
from dporacle.wings.verdict_site import site as verdict_site
from support import reports

TODAY = datetime.date(2026, 11, 20)
BAD, GOOD = reports.judged("violating"), reports.judged("tight")
MADE = history.origin(by="them/mylib", commit="ab" * 20, judge="cd" * 20, run="https://ci.test/7")


def _record(
    day: int, *cases: dict[str, object], made: history.Origin | None = None, name: str = "mylib"
) -> history.Record:
    content = json.dumps(reports.document(name, *cases, version="1.0"))
    return history.record(document.read(content.encode()), datetime.date(2026, 11, day), made)


def _history(*records: history.Record) -> bytes:
    rows = b",".join(history.render(each) for each in records)
    return b'{"format":"dporacle-history/1","records":[' + rows + b"]}"


@pytest.fixture
def addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """An https server on this machine: what stands at each path, and its address."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"]
    words += ["/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    served: dict[str, Any] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = served.get(self.path, 404)
            if isinstance(found, int):
                self.send_error(found)
            elif isinstance(found, list):
                self.send_response(200)
                self.end_headers()
                with contextlib.suppress(OSError):
                    for each in found:
                        self.wfile.write(each)
                        time.sleep(0.05)
            elif isinstance(found, str):
                self.send_response(302)
                self.send_header("Location", found)
                self.end_headers()
            else:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(found)

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that gives up is what a test wants."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        served["address"] = f"https://localhost:{server.server_address[1]}"
        yield served
        server.shutdown()


@contextmanager
def _refused(words: str, *given: str) -> Iterator[None]:
    with pytest.raises(ValueError, match=words) as caught:
        yield
    assert all(each in str(caught.value) for each in given)


def test_what_a_library_publishes_stands_beside_what_we_say(
    addresses: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "a.json").write_bytes(history.render(_record(3, BAD)))
    addresses["/moved"] = addresses["address"] + "/results.json"
    addresses["/results.json"] = _history(_record(4, GOOD, made=MADE), _record(2, BAD, made=MADE))
    address = addresses["address"] + "/moved"
    records = sources.read([str(folder), address], TODAY)
    assert [(each.date.day, each.maker) for each in records] == [
        (2, ("them/mylib", address)),
        (3, ("", "")),
        (4, ("them/mylib", address)),
    ]
    ours, theirs = history.verdicts(records)
    assert (ours.by, len(ours.runs), theirs.by, len(theirs.runs)) == ("", 1, "them/mylib", 2)
    page = history.to_markdown(records)
    assert "| `mylib 1.0`, judged by `them/mylib` | `sigma` |" in page
    assert (
        "| `them/mylib`, commit abababababab, dporacle at cdcdcdcdcdcd, `https://ci.test/7`, "
        f"read at `{address}` |" in page
    )
    assert "- 2026-11-04: `mylib` `sigma`, judged by `them/mylib`: grade" in page
    site = verdict_site.pages(records)
    names = sorted(name for name in site if name.endswith(".html"))
    assert len(names) == 3
    assert names[1].startswith("mylib--them-mylib-https-localhost")
    assert "<strong>them/mylib</strong>" in site[names[1]]
    assert "them/mylib" not in site["mylib.html"]
    assert site["index.html"].count(f"read at <code>{address}</code>") == 1


def test_a_record_is_only_of_who_made_it(addresses: dict[str, Any]) -> None:
    """An address that it names itself does not count; where it was read does."""
    lie = msgspec.structs.replace(MADE, address="https://example.org/other.json")
    addresses["/a.json"] = history.render(_record(4, GOOD, made=lie))
    (record,) = sources.read([addresses["address"] + "/a.json"], TODAY)
    assert record.made == msgspec.structs.replace(MADE, address=addresses["address"] + "/a.json")
    kept = msgspec.structs.replace(MADE, address="https://elsewhere.test/b.json")
    two = [_record(4, GOOD, made=each) for each in (MADE, kept)]
    assert len(history.verdicts(two)) == 2


def test_what_an_address_may_not_do(
    addresses: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def read(path: str) -> None:
        sources.read([addresses["address"] + path], TODAY)

    plain = tmp_path / "plain.json"
    plain.write_bytes(history.render(_record(1, GOOD)))
    addresses["/ours.json"] = plain.read_bytes()
    addresses["/late.json"] = history.render(_record(22, GOOD, made=MADE))
    addresses["/file"] = f"file://{plain}"
    addresses["/down"] = addresses["address"].replace("https", "http") + "/late.json"
    addresses["/page"] = b"<html>"
    addresses["/latin.json"] = b'{"a":"\xff"}'
    addresses["/more.json"] = b'{"format":"dporacle-history/1","records":[],"more":1}'
    with _refused("does not say who made it"):
        read("/ours.json")
    with _refused("of 2026-11-22, and today is 2026-11-20"):
        read("/late.json")
    with _refused("Redirection to url 'file://.* is not allowed"):
        read("/file")
    with _refused("which is not https"):
        read("/down")
    for path in ("/page", "/latin.json", "/more.json"):
        with _refused("not a record of verdicts", path):
            read(path)
    with _refused("/nothing: HTTP Error 404"):
        read("/nothing")
    wrong = ("http://localhost/x.json", "ftp://x/y", "file:///etc/passwd", "https://ä/x")
    for address in (*wrong, "https://[::1/x"):
        with _refused("is not an https address", address):
            sources.read([address], TODAY)
    monkeypatch.setattr(sources, "MAX_BYTES", 100)
    with _refused("at most 100 bytes"):
        read("/ours.json")
    monkeypatch.setattr(sources, "_MOST_ROWS", 0)
    with _refused("at most 0 rows, got 1"):
        sources.read([str(plain)], TODAY)


def test_a_slow_address_is_given_up(
    addresses: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses["/a.json"] = history.render(_record(4, GOOD, made=MADE))
    monkeypatch.setattr(sources, "SECONDS", 1e-9)
    with _refused("timed out|takes more than"):
        sources.read([addresses["address"] + "/a.json"], TODAY)


def test_an_address_that_goes_on_byte_by_byte_is_given_up(
    addresses: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No single wait is too long there; all of them together are."""
    addresses["/a.json"] = [b" "] * 60
    monkeypatch.setattr(sources, "SECONDS", 0.5)
    begun = time.monotonic()
    with _refused("takes more than 1.0 s"):
        sources.read([addresses["address"] + "/a.json"], TODAY)
    assert time.monotonic() - begun < 2.5  # of 3 s


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("by", ""),
        ("by", "a\nb"),
        ("by", "<x> " * 40),
        ("commit", "main"),
        ("judge", "abc"),
        ("run", "javascript:alert(1)"),
    ],
)
def test_an_origin_is_written_strictly(field: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        history.origin(**({"by": "me"} | {field: text}))


def test_the_command_adds_and_assembles(tmp_path: Path) -> None:
    run, folder, other = tmp_path / "run.json", tmp_path / "kept", tmp_path / "other.json"
    run.write_text(json.dumps(reports.document("mylib", BAD)))
    words = ["history", str(folder), "--add", str(run), "--date", "2026-11-05"]
    said = ["--by", "them/mylib", "--commit", "ab" * 20, "--judge-commit", "cd" * 20]
    done = CliRunner().invoke(main, [*words, *said])
    assert done.exit_code == 0, done.output
    (kept,) = history.load(folder)
    assert kept.made == history.origin(by="them/mylib", commit="ab" * 20, judge="cd" * 20)
    other.write_text(CliRunner().invoke(main, ["history", str(folder), "--json"]).stdout)
    done = CliRunner().invoke(main, ["history", str(other), "--site", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    assert "them/mylib" in (tmp_path / "site" / "index.html").read_text("utf-8")
    for bad, words_of in (
        (["--by", "x"], "--by is for --add"),
        (["--commit", "ab" * 20], "are for --by"),
        (["--add", str(run), "--by", "x", "--commit", "main"], "commit: 'main' is not of its form"),
    ):
        done = CliRunner().invoke(main, ["history", str(folder), *bad])
        assert done.exit_code == 2
        assert words_of in " ".join(done.output.replace("│", " ").split())
    done = CliRunner().invoke(main, ["history", "https://x.test/y", "--add", str(run)])
    assert "--add needs a folder" in done.output
