"""Calibrators with one known fault each, to test the judge: `python specimens.py NAME`.

Standard library only. Each is a short copy of a mistake that real code has made.
"""

import json
import math
import sys
from pathlib import Path


def _phi(t: float) -> float:
    return math.erfc(-t / math.sqrt(2)) / 2


def _delta(epsilon: float, mu: float) -> float:
    upper = _phi(mu / 2 - epsilon / mu)
    return upper - math.exp(epsilon) * _phi(-mu / 2 - epsilon / mu)


def _check(epsilon: float, delta: float, sensitivity: float) -> None:
    good = 0 <= epsilon < math.inf and 0 < delta < 1 and 0 < sensitivity < math.inf
    if not good:
        raise ValueError(f"out of the domain: {epsilon=}, {delta=}, {sensitivity=}")


def correct(epsilon: float, delta: float, sensitivity: float) -> float:
    """Bisection to 1e-9 above the root, on inputs where the float formula is good enough."""
    _check(epsilon, delta, sensitivity)
    if not (1e-3 <= epsilon <= 50 and 1e-9 <= delta <= 0.1):
        raise NotImplementedError("not covered")
    low, high = 1e-6, 1e6
    for _ in range(200):
        sigma = math.sqrt(low * high)
        low, high = (low, sigma) if _delta(epsilon, 1 / sigma) <= delta else (sigma, high)
    return high * (1 + 1e-6) * sensitivity


def clipped(epsilon: float, delta: float, sensitivity: float) -> float:
    """ε below 0.1 silently taken as 0.1."""
    return correct(max(epsilon, 0.1), delta, sensitivity)


def no_noise(epsilon: float, delta: float, sensitivity: float) -> float:
    """e^ε overflows, and the smallest noise passes every check."""
    _check(epsilon, delta, sensitivity)
    if epsilon > 709.78:
        return 2.2e-308
    return correct(epsilon, delta, sensitivity)


def nan_answer(epsilon: float, delta: float, sensitivity: float) -> float:
    """Everything is computed, nothing is checked."""
    return math.nan


def loops(epsilon: float, delta: float, sensitivity: float) -> float:
    """A doubling search that never ends at ε = 0."""
    while epsilon == 0:
        pass
    return correct(epsilon, delta, sensitivity)


def _vectors() -> dict[tuple[float, float, float], float]:
    root = Path(__file__).parents[2]
    data = root / "vectors" / "calibrate_sigma.json"
    keys = ("epsilon", "delta", "sensitivity")
    known = {}
    for vector in json.loads(data.read_text())["vectors"]:
        epsilon, delta, sensitivity = (vector["inputs"][key] for key in keys)
        known[epsilon, delta, sensitivity] = vector["float64"]
    return known


def _memorised(epsilon: float, delta: float, sensitivity: float) -> float | None:
    _check(epsilon, delta, sensitivity)
    answer = _VECTORS.get((epsilon, delta, sensitivity), -1.0)
    if answer is None:
        raise ValueError("out of the range of floats")
    return None if answer == -1 else answer


def memory_nearest(epsilon: float, delta: float, sensitivity: float) -> float:
    """The vectors by heart; elsewhere the answer to the nearest of them."""
    answer = _memorised(epsilon, delta, sensitivity)
    if answer is None:
        near = [key for key, value in _VECTORS.items() if key[0] and value]
        asked = (epsilon or 1e-300, delta, sensitivity)
        key = min(
            near, key=lambda k: sum(abs(math.log(x / y)) for x, y in zip(k, asked, strict=True))
        )
        return _VECTORS[key]
    return answer


def memory_refusing(epsilon: float, delta: float, sensitivity: float) -> float:
    """The vectors by heart; everything else is refused."""
    answer = _memorised(epsilon, delta, sensitivity)
    if answer is None:
        raise NotImplementedError("not covered")
    return answer


def memory_noisy(epsilon: float, delta: float, sensitivity: float) -> float:
    """The vectors by heart; elsewhere more noise than anybody needs."""
    answer = _memorised(epsilon, delta, sensitivity)
    return 1e306 if answer is None else answer


_VECTORS = _vectors() if sys.argv[1:2] and sys.argv[1].startswith("memory") else {}

NAMES = {
    f.__name__: f
    for f in (
        correct,
        clipped,
        no_noise,
        nan_answer,
        loops,
        memory_nearest,
        memory_refusing,
        memory_noisy,
    )
}


def main(name: str) -> None:
    function = {
        "name": name,
        "quantity": "calibrate_sigma",
        "arguments": ["epsilon", "delta", "sensitivity"],
    }
    for line in sys.stdin:
        message = json.loads(line)
        reply = {"id": message["id"]}
        if message["command"] == "stop":
            break
        if message["command"] == "start":
            reply |= {"protocol": 1, "name": name, "version": "0", "functions": [function]}
        else:
            arguments = {key: float(value) for key, value in message["arguments"].items()}
            try:
                value = NAMES[name](**arguments)
                reply["value"] = value.hex() if math.isfinite(value) else str(value)
            except (ValueError, NotImplementedError) as error:
                reply["refused"] = str(error)
            except ArithmeticError as error:
                reply["error"] = str(error)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
