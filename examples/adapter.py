"""A complete adapter: the classical Gaussian mechanism behind the conformance protocol.

Judge it with  dporacle conform --adapter 'python examples/adapter.py'
"""

import json
import math
import sys

FUNCTION = {
    "name": "classical_sigma",
    "quantity": "calibrate_sigma",
    "arguments": ["epsilon", "delta", "sensitivity"],
}


def classical_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return Δ·√(2 ln(1.25/δ))/ε, which is known to be enough noise for 0 < ε ≤ 1."""
    if not (0 < epsilon <= 1 and 0 < delta < 1 and 0 < sensitivity < math.inf):
        raise ValueError(f"out of the domain: {epsilon=}, {delta=}, {sensitivity=}")
    # Two logarithms, since 1.25/δ overflows for the smallest δ.
    sigma = sensitivity * math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon
    if math.isinf(sigma):
        raise ValueError(f"σ is out of the range of floats: {epsilon=}, {delta=}, {sensitivity=}")
    return sigma


for line in sys.stdin:
    message = json.loads(line)
    reply = {"id": message["id"]}
    if message["command"] == "stop":
        break
    if message["command"] == "start":
        reply |= {"protocol": 1, "name": "classical", "version": "1.0", "functions": [FUNCTION]}
    else:
        arguments = {name: float(value) for name, value in message["arguments"].items()}
        try:
            reply["value"] = classical_sigma(**arguments).hex()
        except ValueError as refusal:
            reply["refused"] = str(refusal)
        except ArithmeticError as failure:
            reply["error"] = str(failure)
    print(json.dumps(reply), flush=True)  # noqa: T201 - standard output is the channel
