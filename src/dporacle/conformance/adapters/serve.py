"""Speak the judge's protocol on behalf of an adapter file: `python -P -s serve.py ADAPTER.py`.

An adapter names its library's DISTRIBUTION and its FUNCTIONS, each with a quantity, a callable and,
where the library offers several, the relation between neighbours and the unit of its noise. It may
name exceptions that are REFUSALS or SKIPS, which functions are SLOW, NOTES on the mapping, and
BATCHES: the callables that take a list for each argument and return as many numbers.

It may have SAMPLERS as well, each with the law of its noise and a callable that takes the law's
parameters and returns another: of a value, a number of rows and a dimension, which returns that
many releases of the value, row by row.

When a second argument says on which socket, the library is imported once, and each start is
answered by a worker that is forked from there.

Standard library only: it runs inside the audited library's environment.
"""

from __future__ import annotations

import array
import importlib.metadata
import inspect
import json
import os
import platform
import runpy
import socket
import sys
from typing import Any

_PROTOCOL = 3
_BATCH = 200
_SHORT = 200  # characters of a message, so that a batch of them fits in a line

# Exceptions by which Python code declines an input on purpose …
REFUSALS = (ValueError, TypeError, AssertionError, NotImplementedError)
# … unless they come from the inside of a computation that was not meant to fail.
ACCIDENTS = (
    "math domain error",
    "math range error",
    "expected a ",
    "f(a) and f(b) must have different signs",
    "The function value at x=",
    "cannot convert float",
)


def _failure(error: Exception, refusals: tuple[type[Exception], ...]) -> dict[str, str]:
    text = f"{type(error).__name__}: {error}"[:500]
    meant = isinstance(error, refusals) and not str(error).startswith(ACCIDENTS)
    return {"refused" if meant else "error": text}


def _number(value: Any) -> str:
    if isinstance(value, (bool, str, complex)):
        raise OverflowError(f"answered {type(value).__name__} {str(value)[:80]!r}, no number")
    number = float(value)
    return number.hex() if number - number == 0 else str(number)


def _run_batch(
    together: Any,
    call: Any,
    columns: dict[str, list[Any]],
    refusals: tuple[type[Exception], ...],
    skips: tuple[type[Exception], ...],
) -> list[Any]:
    """Ask for several values at once; by halves where the library declines them together."""
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    if len(rows) > 1:
        try:
            given = {name: [float(value) for value in columns[name]] for name in names}
            answers = list(together(**given))
            if len(answers) == len(rows):
                return [{"value": _number(answer)} for answer in answers]
        except Exception as error:  # each half says what it was
            del error
        middle = len(rows) // 2
        halves = (
            {name: columns[name][part] for name in names}
            for part in (slice(middle), slice(middle, None))
        )
        return [
            reply for half in halves for reply in _run_batch(together, call, half, refusals, skips)
        ]
    reply = _run(call, dict(zip(names, rows[0], strict=True)), refusals, skips)
    return [{key: text[:_SHORT] for key, text in reply.items()}]


def _run(
    call: Any,
    arguments: dict[str, Any],
    refusals: tuple[type[Exception], ...],
    skips: tuple[type[Exception], ...],
) -> Any:
    try:
        answer = call(**{name: float(value) for name, value in arguments.items()})
    except skips as error:
        return {"skip": str(error)[:500]}
    except Exception as error:
        return _failure(error, refusals)
    try:
        return {"value": _number(answer)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}


class _Samplers:
    """The samplers of an adapter; each is made once for its parameters, and keeps its state."""

    def __init__(self, offered: dict[str, Any], refusals: tuple[type[Exception], ...]) -> None:
        self._offered = offered
        self._refusals = refusals
        self._made: dict[Any, Any] = {}

    def described(self, notes: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "law": law,
                "parameters": list(inspect.signature(make).parameters),
                "note": notes.get(name, ""),
            }
            for name, (law, make) in self._offered.items()
        ]

    def draw(self, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return how it ended, and the numbers that follow."""
        given = {name: float(value) for name, value in message["parameters"].items()}
        rows, dimension = message["rows"], message["dimension"]
        try:
            key = (message["sampler"], *sorted(given.items()))
            if key not in self._made:
                self._made[key] = self._offered[message["sampler"]][1](**given)
            numbers = array.array("d", self._made[key](float(message["value"]), rows, dimension))
        except Exception as error:
            return _failure(error, self._refusals), b""
        if len(numbers) != rows * dimension:
            return {"error": f"drew {len(numbers)} numbers, not {rows * dimension}"}, b""
        if sys.byteorder == "big":
            numbers.byteswap()
        return {"draws": len(numbers)}, numbers.tobytes()


def _fork_workers(number: int) -> None:
    """Fork a worker, and another whenever the judge sends streams for one; return in workers."""
    control = socket.socket(fileno=number)
    control.send(b"t")  # with which the system tells the judge who we are
    streams: list[int] = []
    while True:
        pid = os.fork()
        if pid == 0:
            control.close()
            os.setsid()
            for place, stream in enumerate(streams):
                os.dup2(stream, place)
                os.close(stream)
            return
        if not streams:  # the first worker alone holds what we were started with
            nothing = os.open(os.devnull, os.O_RDWR)
            for place in range(3):
                os.dup2(nothing, place)
            os.close(nothing)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(pid, 0)
        control.send(status.to_bytes(4, "little"))
        asked, streams, _, _ = socket.recv_fds(control, 1, 3)
        if not asked:
            os._exit(0)


def main(path: str, control: str = "") -> None:
    """Serve one adapter file until the judge says stop; fork workers where there is a socket."""
    # Whatever the library prints goes to standard error: standard output is the judge's.
    printed = os.dup(1)
    os.dup2(2, 1)
    adapter = runpy.run_path(path)
    version = importlib.metadata.version(adapter["DISTRIBUTION"])
    if control:
        os.dup2(printed, 1)
        os.close(printed)
        _fork_workers(int(control))
        printed = os.dup(1)
        os.dup2(2, 1)
    out = os.fdopen(printed, "wb")
    functions = adapter.get("FUNCTIONS", {})
    refusals = (*REFUSALS, *adapter.get("REFUSALS", ()))
    skips = adapter.get("SKIPS", ())
    slow = adapter.get("SLOW", ())
    notes = adapter.get("NOTES", {})
    batches = adapter.get("BATCHES", {})
    samplers = _Samplers(adapter.get("SAMPLERS", {}), refusals)
    protocol = 1
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, Any] = {"id": message["id"]}
        following = b""
        if message["command"] == "stop":
            break
        if message["command"] == "start":
            protocol = min(message["protocol"], _PROTOCOL)
            reply |= {
                "protocol": protocol,
                "name": adapter["DISTRIBUTION"],
                "version": version,
                "language": f"Python {platform.python_version()}",
                "functions": [
                    {
                        "name": name,
                        "quantity": quantity,
                        "arguments": list(inspect.signature(call).parameters),
                        "slow": name in slow,
                        "note": notes.get(name, ""),
                    }
                    | ({"batch": _BATCH} if name in batches and protocol > 1 else {})
                    | (asked[0] if asked and protocol > 2 else {})
                    for name, (quantity, call, *asked) in functions.items()
                    if protocol > 2 or not asked
                ],
            }
            if message.get("samplers"):
                reply["samplers"] = samplers.described(notes)
        elif message["command"] == "draw":
            ending, following = samplers.draw(message)
            reply |= ending
        else:
            name, arguments = message["function"], message["arguments"]
            call = functions[name][1]
            if any(isinstance(value, list) for value in arguments.values()):
                together = batches[name]
                reply["answers"] = _run_batch(together, call, arguments, refusals, skips)
            else:
                reply |= _run(call, arguments, refusals, skips)
        out.write(json.dumps(reply).encode() + b"\n" + following)
        out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3])
