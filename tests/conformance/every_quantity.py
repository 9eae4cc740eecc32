"""An adapter that offers every quantity of the vocabulary, by exact values of no use to anyone."""

import json
import math
import sys

from dporacle.vocabulary import SERVED

FUNCTIONS = [
    {"name": row.name, "quantity": row.name, "arguments": list(row.arguments), "batch": 5}
    for row in SERVED.values()
]


def ending(quantity: str, arguments: dict[str, float]) -> dict[str, object]:
    rows = SERVED[quantity].rows
    for name, value in arguments.items():
        if not math.isfinite(float(value)) or float(value) not in rows[name].domain:
            return {"refused": f"{name} must be {rows[name].domain.words}, got {value}"}
    return {"value": 1.0}


for line in sys.stdin:
    message = json.loads(line)
    if message["command"] == "stop":
        break
    reply: dict[str, object] = {"id": message["id"]}
    if message["command"] == "start":
        reply |= {"protocol": 2, "name": "all", "version": "1", "functions": FUNCTIONS}
    elif any(isinstance(value, list) for value in message["arguments"].values()):
        names, columns = message["arguments"].keys(), message["arguments"].values()
        inputs = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        reply["answers"] = [ending(message["function"], each) for each in inputs]
    else:
        reply |= ending(message["function"], message["arguments"])
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
