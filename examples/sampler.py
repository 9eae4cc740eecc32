"""A complete adapter with a sampler: Gaussian noise by Python's own generator, to be audited.

Audit it with  dporacle sample --adapter 'python examples/sampler.py' --sigma 3
"""

import array
import json
import random
import sys

CHANCE = random.SystemRandom()
SAMPLER = {"name": "gauss", "law": "gaussian", "parameters": ["sigma"]}


def release(sigma: float, value: float, count: int) -> bytes:
    """Return a value with fresh noise, as often as it is asked for, as little-endian float64."""
    if not sigma > 0:
        raise ValueError(f"sigma must be positive, got {sigma}")
    numbers = array.array("d", (value + CHANCE.gauss(0, sigma) for _ in range(count)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


for line in sys.stdin:
    message = json.loads(line)
    reply = {"id": message["id"]}
    drawn = b""
    if message["command"] == "stop":
        break
    if message["command"] == "start":
        reply |= {"protocol": 2, "name": "sampler", "version": "1.0", "functions": []}
        if message.get("samplers"):
            reply["samplers"] = [SAMPLER]
    elif message["command"] == "draw":
        count = message["rows"] * message["dimension"]
        try:
            drawn = release(float(message["parameters"]["sigma"]), float(message["value"]), count)
            reply["draws"] = count
        except ValueError as error:
            reply["refused"] = str(error)
    else:
        reply["error"] = "there are no functions here"
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n" + drawn)
    sys.stdout.buffer.flush()
