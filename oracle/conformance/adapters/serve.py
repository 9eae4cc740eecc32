"""Speak the judge's protocol on behalf of an adapter file: `python -I serve.py ADAPTER.py`.

Standard library only: it runs inside the audited library's environment.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import platform
import runpy
import sys
from typing import Any

# Exceptions by which Python code declines an input on purpose …
_REFUSALS = (ValueError, TypeError, AssertionError, NotImplementedError)
# … unless they come from the inside of a computation that was not meant to fail.
_ACCIDENTS = (
    "math domain error",
    "math range error",
    "expected a ",
    "f(a) and f(b) must have different signs",
    "The function value at x=",
    "cannot convert float",
)


def _failure(error: Exception, refusals: tuple[type[Exception], ...]) -> dict[str, str]:
    text = f"{type(error).__name__}: {error}"[:500]
    meant = isinstance(error, refusals) and not str(error).startswith(_ACCIDENTS)
    return {"refused" if meant else "error": text}


def _number(value: Any) -> str:
    if isinstance(value, (bool, str, complex)):
        raise OverflowError(f"answered {type(value).__name__} {str(value)[:80]!r}, no number")
    number = float(value)
    return number.hex() if number - number == 0 else str(number)


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


def main(path: str) -> None:
    """Serve one adapter file until the judge says stop."""
    # Whatever the library prints goes to standard error: standard output is the judge's.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adapter = runpy.run_path(path)
    functions = adapter["FUNCTIONS"]
    refusals = (*_REFUSALS, *adapter.get("REFUSALS", ()))
    skips = adapter.get("SKIPS", ())
    slow = adapter.get("SLOW", ())
    notes = adapter.get("NOTES", {})
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, Any] = {"id": message["id"]}
        if message["command"] == "stop":
            break
        if message["command"] == "start":
            reply |= {
                "protocol": 1,
                "name": adapter["DISTRIBUTION"],
                "version": importlib.metadata.version(adapter["DISTRIBUTION"]),
                "language": f"Python {platform.python_version()}",
                "functions": [
                    {
                        "name": name,
                        "quantity": quantity,
                        "arguments": list(inspect.signature(call).parameters),
                        "slow": name in slow,
                        "note": notes.get(name, ""),
                    }
                    for name, (quantity, call) in functions.items()
                ],
            }
        else:
            reply |= _run(functions[message["function"]][1], message["arguments"], refusals, skips)
        out.write(json.dumps(reply) + "\n")
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
