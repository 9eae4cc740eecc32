"""Adapters that misbehave, each in one way: `python misbehaving.py MODE [WORD]`.

Standard library only. Children of theirs bear the WORD on their command line, so that a test can
look for survivors.
"""

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
FUNCTION = {
    "name": "f",
    "quantity": "calibrate_sigma",
    "arguments": ["epsilon", "delta", "sensitivity"],
}
OUT = sys.stdout.buffer
EARLIER: list[str] = []


def say(line: bytes) -> None:
    OUT.write(line + b"\n")
    OUT.flush()


def started(token: str, **changes: object) -> None:
    say(offer(token, **changes))


def offer(token: str, **changes: object) -> bytes:
    reply = {"id": token, "protocol": 1, "name": "bad", "version": "0", "functions": [FUNCTION]}
    return json.dumps(reply | changes).encode()


def misbehave(token: str) -> None:
    value = json.dumps({"id": token, "value": 1.0}).encode()
    match MODE:
        case "hang" | "ignore-sigterm":
            time.sleep(3600)
        case "grandchild" | "detached-grandchild" | "deaf-grandchild":
            bear(detached=MODE != "grandchild")
            time.sleep(3600)
        case "grandchild-then-answer" | "grandchild-then-exit":
            bear(detached=True)
            if MODE.endswith("exit"):
                os._exit(3)
            say(value)
        case "fork-bomb":
            for _ in range(150):  # bounded, should the judge not see to it
                bear(detached=True)
            time.sleep(3600)
        case "doubling-fork-bomb":
            for _ in range(8):  # at most 256, each in a session of its own
                if os.fork() == 0:
                    os.setsid()
            time.sleep(3600)
        case "kill-parent":
            bear(detached=True)
            if os.getppid() > 1:
                os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(3600)
        case "kill-everything":
            # In a process namespace of its own, and nowhere else, everything is what it started.
            first = Path("/proc/1/cmdline").read_bytes()
            apart = Path("/proc/self").readlink() != Path(str(os.getpid()))
            if apart or (
                os.getppid() == 1 and b"-I\0-S\0" in first and b"/supervisor.py\0" in first
            ):
                os.kill(-1, signal.SIGKILL)
            time.sleep(3600)
        case "stop-parent":
            if os.getppid() > 1:
                os.kill(os.getppid(), signal.SIGSTOP)
            time.sleep(3600)
        case "flood-stdout":
            while True:
                OUT.write(b"x" * 65536)
        case "flood-lines":
            while True:
                say(value)
        case "flood-stderr":
            while True:
                os.write(2, b"e" * 65536)
        case "gigabytes-on-stderr-then-answer":
            for _ in range(1024):
                os.write(2, b"e" * 65536)
            say(value)
        case "wrong-id":
            say(b'{"id": "0", "value": 1.0}')
        case "no-id":
            say(b'{"value": 1.0}')
        case "invalid-utf8":
            say(b'{"id": "\xff\xfe", "value": 1.0}')
        case "not-json":
            say(b"sigma is 3")
        case "deep-json":
            say(b"[" * 60000)
        case "array":
            say(b"[1]")
        case "huge-number":
            say(b'{"id": "%s", "value": 1e999999999}' % token.encode())
        case "long-number":
            say(b'{"id": "%s", "value": %s}' % (token.encode(), b"9" * 50000))
        case "huge-number-text":
            say(b'{"id": "%s", "value": "1e999999999"}' % token.encode())
        case "expression":
            say(b'{"id": "%s", "value": "__import__(\'os\').getpid()"}' % token.encode())
        case "boolean":
            say(b'{"id": "%s", "value": true}' % token.encode())
        case "null":
            say(b'{"id": "%s", "value": null}' % token.encode())
        case "value-and-refused":
            say(b'{"id": "%s", "value": 1.0, "refused": "no"}' % token.encode())
        case "unknown-field":
            say(b'{"id": "%s", "value": 1.0, "verdict": "tight"}' % token.encode())
        case "two-lines":
            OUT.write(value + b"\n" + value + b"\n")
            OUT.flush()
        case "speaks-later":
            say(value)
            time.sleep(0.05)
            say(value)
        case "starts-once":
            sys.exit(5)
        case "exit":
            sys.stderr.write("the end\n")
            sys.exit(7)
        case "half-a-line":
            OUT.write(value[:9])
            OUT.flush()
            os._exit(0)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "processes":
            seen = [each.name for each in Path("/proc").iterdir() if each.name.isdigit()]
            say(json.dumps({"id": token, "error": f"{os.getpid()} of {' '.join(seen)}"}).encode())
        case "memory":
            say(json.dumps({"id": token, "error": _reserve()}).encode())
        case "eat-memory":
            kept = []
            while True:
                kept.append(b"x" * (1 << 24))
        case "eat-memory-stubbornly":
            kept = []
            while True:
                try:
                    kept.append(b"x" * (1 << 24))
                except MemoryError:
                    time.sleep(0.01)
        case "eat-memory-in-children":
            for _ in range(4):
                if os.fork() == 0:
                    kept = [b"x" * (1 << 24) for _ in range(8)]
                    time.sleep(3600)
            time.sleep(3600)
        case "close-stdout":
            os.close(1)
            time.sleep(3600)
        case "close-stdin":
            os.close(0)
            time.sleep(3600)
        case "close-everything":
            for stream in range(3):
                os.close(stream)
            time.sleep(3600)
        case "early-id":
            say(value if not EARLIER else json.dumps({"id": EARLIER[0], "value": 1.0}).encode())
            EARLIER.append(token)
        case "answer-and-guess":
            OUT.write(value + b"\n" + b'{"id": "0000000000000000", "value": 1.0}\n')
            OUT.flush()
        case "no-newline":
            OUT.write(value)
            OUT.flush()
            time.sleep(3600)
        case "drip":
            while True:
                OUT.write(b" ")
                OUT.flush()
                time.sleep(0.01)
        case "answers-stop" | "ignores-stop":
            say(value)
        case "control-characters":
            say(json.dumps({"id": token, "error": "\x1b[2J\x07gone\n[bold]"}).encode())
        case _:
            raise ValueError(MODE)


def bear(*, detached: bool) -> None:
    """Start a child that outlives us if it can; a deaf one ignores all that can be ignored."""
    deaf = (
        "import signal\nfor n in range(1, 32):\n try: signal.signal(n, 1)\n except OSError: pass\n"
    )
    code = deaf * (MODE == "deaf-grandchild") + "import time; time.sleep(60)"
    subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code, *sys.argv[2:]],
        start_new_session=detached,
        env={},  # no mark by which it could be known
    )


def _reserve() -> str:
    try:
        blocks = [mmap.mmap(-1, 1 << 30) for _ in range(64)]  # address space, never touched
    except (MemoryError, OSError):
        return "out of memory"
    return f"took {len(blocks)} GiB"


def batch(token: str, arguments: dict[str, list[object]]) -> None:
    """Answer several questions at once, with more noise than anybody needs."""
    answers: list[dict[str, object]] = [{"value": 1e306} for _ in arguments["epsilon"]]
    match MODE:
        case "batch-hang":
            time.sleep(3600)
        case "batch-crash":
            os._exit(9)
        case "batch-short":
            answers.pop()
        case "batch-long":
            answers.append(answers[0])
        case "batch-one-bad":
            answers[1] = {"value": 1.0, "error": "both"}
        case "batch-single-answer":
            say(json.dumps({"id": token, "value": 1e306}).encode())
            return
        case "batch-hang-at-zero" if 0.0 in arguments["epsilon"]:
            time.sleep(3600)
        case "batch-crash-at-zero" if 0.0 in arguments["epsilon"]:
            os._exit(9)
        case "batch-crash-refused" if 0.0 in arguments["sensitivity"]:
            os._exit(9)
        case "batch-zeroes" if 0.0 in arguments["sensitivity"]:
            answers = [{"value": 0.0} for _ in answers]
    say(json.dumps({"id": token, "answers": answers}).encode())


if MODE == "ignore-sigterm":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
if MODE == "starts-once":
    if Path(sys.argv[2]).exists():
        sys.exit(4)
    Path(sys.argv[2]).touch()
    FUNCTIONS = [FUNCTION, FUNCTION | {"name": "g"}]
if MODE == "greeting":
    say(b"Welcome!")
if MODE == "never-starts":
    time.sleep(3600)
for text in sys.stdin:
    message = json.loads(text)
    if message["command"] == "start":
        match MODE:
            case "banner-before-start":
                OUT.write(b"Loading 1.2 ...\nUsing 8 threads.\n")  # it goes out with the answer
                started(message["id"])
            case "banner-after-start":
                say(offer(message["id"]) + b"\nLoaded 1.2.")
            case "starts-once":
                started(message["id"], functions=FUNCTIONS)
            case "other-protocol":
                started(message["id"], protocol=4)
            case "no-functions":
                started(message["id"], functions=[])
            case "unknown-quantity":
                started(message["id"], functions=[FUNCTION | {"quantity": "sigma"}])
            case "twice":
                started(message["id"], functions=[FUNCTION, FUNCTION])
            case "escape-in-name":
                started(message["id"], name="\x1b[2J")
            case "wrong-arguments":
                started(message["id"], functions=[FUNCTION | {"arguments": ["epsilon", "sigma"]}])
            case "batch-in-version-1":
                started(message["id"], functions=[FUNCTION | {"batch": 10}])
            case "batch-too-large":
                started(message["id"], protocol=2, functions=[FUNCTION | {"batch": 10**6}])
            case _ if MODE.startswith("batch"):
                started(message["id"], protocol=2, functions=[FUNCTION | {"batch": 20}])
            case _:
                started(message["id"])
    elif message["command"] == "run":
        if MODE.startswith("batch"):
            if isinstance(message["arguments"]["epsilon"], list):
                batch(message["id"], message["arguments"])
            elif MODE == "batch-hang-at-zero" and message["arguments"]["epsilon"] == 0:
                time.sleep(3600)
            elif MODE == "batch-crash-at-zero" and message["arguments"]["epsilon"] == 0:
                os._exit(9)
            else:
                say(json.dumps({"id": message["id"], "value": 1e306}).encode())
            continue
        if MODE == "skips":
            say(json.dumps({"id": message["id"], "skip": "not today"}).encode())
            continue
        if MODE == "refuses":
            say(json.dumps({"id": message["id"], "refused": "not today"}).encode())
            continue
        if MODE == "json-only":
            if "nan" in message["arguments"].values():
                sys.exit(1)
            say(json.dumps({"id": message["id"], "value": 1.0}).encode())
            continue
        misbehave(message["id"])
    else:
        if MODE == "answers-stop":
            say(json.dumps({"id": message["id"]}).encode())
        if MODE == "ignores-stop":
            time.sleep(3600)
        break
