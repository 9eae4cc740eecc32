"""Look for an end on the wrong side: random ledgers against all outcomes of small mechanisms.

Each ledger has up to four releases: selections whose scores are drawn at random, randomised
response, and (ε, δ) boxes that are small laws with these parameters. Its lines go through
`dporacle` as a claim; δ of the product of the small laws, by all outcomes, may not be above the
upper end, and where both ends agree it is the largest that the data reach. Of equal selections the
ends of the quantity are taken too.

    python examples/attack_ledgers.py 500
"""

import itertools
import json
import math
import random
import sys
from typing import Any

import dporacle

Pair = list[tuple[float, float]]
SIZES = ("0.1", "0.25", "0.5", "1", "1.5")


def delta(pairs: list[Pair], epsilon: float) -> float:
    """Return δ(ε) of a product of pairs of finite laws."""
    outcomes = itertools.product(*pairs)
    products = (tuple(map(math.prod, zip(*outcome, strict=True))) for outcome in outcomes)
    return math.fsum(max(p - math.exp(epsilon) * q, 0.0) for p, q in products)


def softmax(scores: list[float]) -> list[float]:
    """Return the law of the exponential mechanism of scale 1."""
    weights = [math.exp(each) for each in scores]
    return [each / math.fsum(weights) for each in weights]


def flipped(scores: list[float]) -> list[float]:
    """Return the law of permute-and-flip of scale 1, over all orders."""
    kept = [math.exp(each - max(scores)) for each in scores]
    found = [0.0] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = 1 / math.factorial(len(scores))
        for each in order:
            found[each] += left * kept[each]
            left *= 1 - kept[each]
    return found


def drawn(line: dict[str, Any], source: random.Random) -> Pair:
    """Return a pair of laws of a release, of data that are drawn."""
    size = float(line["epsilon"])
    if line["kind"] == "randomised-response":
        whole = math.exp(size) + line["kinds"] - 1
        pair = [(math.exp(size) / whole, 1 / whole), (1 / whole, math.exp(size) / whole)]
        return pair + [(1 / whole, 1 / whole)] * (line["kinds"] - 2)
    if line["kind"] == "black-box":
        leak, up = float(line["delta"]), math.exp(size)
        if source.random() < 0.5:  # the worst of all
            high, low = (1 - leak) * up / (1 + up), (1 - leak) / (1 + up)
            return [(leak, 0.0), (high, low), (low, high), (0.0, leak)]
        first = source.uniform(0.05, 0.95)
        second = source.uniform(max(first / up, 1 - up * (1 - first)),
                                min(first * up, 1 - (1 - first) / up))  # fmt: skip
        law = [(first * (1 - leak), second * (1 - leak)),
               ((1 - first) * (1 - leak), (1 - second) * (1 - leak))]  # fmt: skip
        return [(leak, 0.0), *law, (0.0, leak)]
    scores = [source.uniform(-2 * size, 2 * size) for _ in range(source.choice([2, 2, 3]))]
    moved = [each + source.choice([-1, 1]) * size / 2 for each in scores]
    wins = softmax if line["kind"] == "exponential" else flipped
    return list(zip(wins(scores), wins(moved), strict=True))


def ledger(source: random.Random) -> list[dict[str, Any]]:
    """Return lines at random."""
    lines: list[dict[str, Any]] = []
    for _ in range(source.randint(1, 4)):
        kinds = ("exponential", "permute-and-flip", "randomised-response", "black-box")
        line: dict[str, Any] = {"kind": source.choice(kinds), "epsilon": source.choice(SIZES),
                                "neighbours": "replace-one"}  # fmt: skip
        if line["kind"] == "randomised-response":
            line["kinds"] = source.choice([2, 3, 4])
        if line["kind"] == "black-box":
            line["delta"] = source.choice(["0", "1e-3", "0.05"])
        lines += [line] * source.choice([1, 1, 2, 4])
    return lines[:4]


QUANTITIES = {
    "exponential": dporacle.enclosures.exponential_mechanism_adaptive_delta,
    "permute-and-flip": dporacle.enclosures.permute_and_flip_repeated_delta,
}


def known(lines: list[dict[str, Any]], epsilon: str) -> tuple[float, float]:
    """Return both ends of the quantity, where all lines are equal selections; else 0 and 1."""
    first = lines[0]
    if first["kind"] not in QUANTITIES or any(each != first for each in lines):
        return 0.0, 1.0
    found = QUANTITIES[first["kind"]](
        epsilon=epsilon, selection_epsilon=first["epsilon"], releases=len(lines)
    )
    return float(found.lower()), float(found.upper())


def ends(lines: list[dict[str, Any]], epsilon: str) -> tuple[float, float]:
    """Return both ends of δ(ε) that an audit proves."""
    mechanism = {"kind": "ledger", "parameters": "fixed", "records": "same",
                 "lines": "\n".join(map(json.dumps, lines))}  # fmt: skip
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": "0.5", "neighbours": "replace-one"}
    found = dporacle.audit({"id": "ledger", "mechanism": mechanism, "asserts": asserts})
    return float(found.low), float(found.high)


def attack(seed: int, draws: int = 40) -> tuple[float, float, float]:
    """Return both ends of a random ledger, and the largest δ of all data that are drawn."""
    source = random.Random(seed)
    lines, epsilon = ledger(source), source.choice(["0", "0.25", "0.5", "1", "2"])
    low, high = ends(lines, epsilon)
    reached = max(
        delta([drawn(line, source) for line in lines], float(epsilon)) for _ in range(draws)
    )
    least, most = known(lines, epsilon)
    below, above = max(reached, low, least), min(high, most)
    if below > above * (1 + 1e-12) + 1e-15:
        raise SystemExit(f"seed {seed}: {below} is above {above}, at ε = {epsilon}, of {lines}")
    return low, high, reached


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    found = [attack(seed) for seed in range(count)]
    near = sum(reached >= 0.9 * high for _, high, reached in found)
    exact = sum(high - low <= 1e-9 for low, high, _ in found)
    told = f"none above its upper end; {near} within a tenth of it; {exact} exact"
    sys.stdout.write(f"{count} ledgers: {told}\n")
