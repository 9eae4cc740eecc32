"""Check certificates of verdicts on noise for differential privacy. Standard library only.

    python check_certificate.py CERTIFICATE.json ...

Letters in brackets name the paragraphs of proofs_notes/certificates.md that prove a step.
"""

from __future__ import annotations

import decimal
import hashlib
import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache, partialmethod
from pathlib import Path
from typing import Any

DOWN = decimal.Context(50, decimal.ROUND_FLOOR, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
UP = decimal.Context(50, decimal.ROUND_CEILING, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
ZERO, ONE = Decimal(0), Decimal(1)
MANY, REACH = 10**18, 1100  # counts go up to this, numbers to 2^±this
FIELDS = "format claim quantity bound verdict supposes hypotheses low high digits witness \
standalone sha256"
LONGEST, MOST_DIGITS = 1_000_000, 2_000  # characters of a certificate, and digits: bounds of work
INFINITE = "Infinity"  # said of what is too large to be written out
NUMBER = re.compile(r"-?\d+(/\d+)?", re.ASCII)
END = re.compile(r"\d+(\.\d+)?(e[+-]?\d{1,9})?", re.ASCII)

# What a claim may say, as the judge reads it: `?` may be null, `-` may be absent.
RELEASE = "neighbours- sensitivity? sensitivity_squared? contribution- unit "
RECORDS = {
    "claim": "id asserts mechanism? source",
    "contribution": "clipping_norm- l0- linf- values coordinates-",
    "published": "epsilon delta",
    "gaussian": RELEASE + "sigma- noise_multiplier-",
    "tree-aggregation": RELEASE
    + "sigma- noise_multiplier- steps trees participations separation- epochs_fixed",
    "zcdp": RELEASE + "rho",
    "gdp": RELEASE + "mu",
    "rdp": RELEASE + "order epsilon",
    "matrix-variate": RELEASE + "row_variances column_variances",
    "rank-one": RELEASE + "dimension sigma_star? published?",
    "composition": "releases records times",
    "privacy": "epsilon delta neighbours",
    "accuracy": "at_most alpha queries unit",
    "loss": "at_most dimension unit",
    "formula": "name epsilon delta constant? dimension?",
}
KINDS = {"mechanism": [*RECORDS][3:-4], "asserts": [*RECORDS][-4:]}
WORDS = {
    "neighbours": ("add-remove", "replace-one", "zero-out"),
    "values": ("any", "nonnegative"),
    "records": ("same", "disjoint", "unknown"),
    "name": (
        "classical",
        "dwork-2006",
        "dwork-roth",
        "linear",
        "pinsker",
        "vinterbo-2020",
        "zcdp-conversion",
        "r1smg",
    ),
}
LENGTHS = {"id": range(1, 201), "source": range(2001), "unit": range(101)}
LISTS = {"releases": 100, "row_variances": 100_000, "column_variances": 100_000}
COUNTS = dict.fromkeys(("times", "trees", "l0", "coordinates", "queries"), (1, 10**9))
COUNTS |= dict.fromkeys(("steps", "dimension", "participations", "separation"), (1, MANY))
COUNTS |= {"rank-one.dimension": (2, 10**9), "formula.dimension": (3, 10**9)}
POSITIVE = "sensitivity sensitivity_squared sigma noise_multiplier rho mu sigma_star order \
row_variances column_variances clipping_norm linf witness rdp.epsilon published.epsilon"

# What a verdict on the privacy of a tree is proved under, in the judge's words.
UNDER = {
    "one": "each record takes part in at most one step of each tree of {2} steps",
    True: "each record takes part in at most {0} steps of each tree of {2} steps, each exactly {1} "
    "after the one before",
    False: "each record takes part in at most {0} steps of each tree of {2} steps, any two of them "
    "at least {1} apart",
    "": "the steps in which a record takes part depend neither on the data nor on anything "
    "released",
}

# What a violation supposes, in the judge's words.
ATTAINED = {
    "": "two neighbouring data sets exist whose answers differ by the full sensitivity, or nearly",
    "times": "some pair of neighbours has the full sensitivity, or nearly, in the same query each "
    "time",
    "same": "one pair of neighbours has the full sensitivities of all releases at once, or nearly",
    "disjoint": "in each part, whatever the others hold, some pair of neighbours has the full "
    "sensitivity, or nearly",
    "unknown": "for each release some pair of neighbours has the full sensitivity, or nearly",
}
WITHIN = {
    "same": "of a composition within it, in all its releases at once",
    "disjoint": "of a composition within it, in one of its disjoint parts",
    "unknown": "of a composition within it, in one of its releases",
}
DETAILS = {
    "step": "of a tree, at its first step",
    "steps": "of a tree, at the {} steps {} of it, in the same direction each time",
    "matrix-variate": "of a matrix, in the direction of the least noise",
    "contribution": "of a contribution, up to its bounds",
}


class DecimalInterval:
    """All numbers from `lo` to `hi`; results contain every result of numbers in the operands."""

    def __init__(self, lo: Decimal | Fraction | int, hi: Decimal | None = None) -> None:
        if isinstance(lo, Decimal):
            self.lo, self.hi = lo, lo if hi is None else hi
        else:
            parts = Decimal(lo.numerator), Decimal(lo.denominator)
            self.lo, self.hi = DOWN.divide(*parts), UP.divide(*parts)

    def _apply(self, name: str, other: DecimalInterval | Fraction | int) -> DecimalInterval:
        b = other if isinstance(other, DecimalInterval) else DecimalInterval(other)
        require(name != "divide" or b.lo > 0, "a positive divisor")
        ends = [(x, y) for x in (self.lo, self.hi) for y in (b.lo, b.hi)]
        down, up = getattr(DOWN, name), getattr(UP, name)
        return DecimalInterval(min(down(x, y) for x, y in ends), max(up(x, y) for x, y in ends))

    __add__ = partialmethod(_apply, "add")
    __sub__ = partialmethod(_apply, "subtract")
    __mul__ = partialmethod(_apply, "multiply")
    __truediv__ = partialmethod(_apply, "divide")

    def root(self) -> DecimalInterval:
        """√v: the library proposes, squaring decides."""
        lo, hi = max(DOWN.next_minus(DOWN.sqrt(self.lo)), ZERO), UP.next_plus(UP.sqrt(self.hi))
        require(UP.multiply(lo, lo) <= self.lo and DOWN.multiply(hi, hi) >= self.hi, "a root")
        return DecimalInterval(lo, hi)

    def exp_minus(self) -> DecimalInterval:
        """e^−t for t ≥ 0 [E]."""
        require(self.lo >= 0, "an exponent")
        if self.lo > 10**9:
            return DecimalInterval(ZERO, Decimal("1e-400000000"))
        t, halvings, total, term, n = self, 0, DecimalInterval(1), DecimalInterval(1), 0
        while t.hi > Decimal("0.5"):
            halvings, t = halvings + 1, t / 2
        while term.hi > ONE.scaleb(-UP.prec):
            n += 1
            term = term * t / n
            total += term
        total = DecimalInterval(total.lo, UP.add(total.hi, term.hi))
        for _ in range(halvings):
            total = total * total
        return DecimalInterval(1) / total

    def log(self) -> DecimalInterval:
        """ln z for z ≥ 1: the library proposes, e^−x decides."""
        if self.lo == self.hi == 1:
            return DecimalInterval(0)
        lo = max(DOWN.subtract(DOWN.ln(self.lo), ONE.scaleb(9 - UP.prec)), ZERO)
        hi = UP.add(UP.ln(self.hi), ONE.scaleb(9 - UP.prec))
        require((DecimalInterval(lo).exp_minus() * self).lo >= 1, "a logarithm")
        require((DecimalInterval(hi).exp_minus() * self).hi <= 1, "a logarithm")
        return DecimalInterval(lo, hi)

    def series(self) -> DecimalInterval:
        """Σ x^(2k+1)/(2k+1)!! [M1]."""
        total, term, k = self, self, 1
        while term.hi > total.hi.scaleb(-UP.prec) or k < 2 * self.hi * self.hi:
            k, term = k + 2, term * self * self / (k + 2)
            total += term
        return DecimalInterval(total.lo, UP.add(total.hi, term.hi))

    def fraction(self) -> DecimalInterval:
        """m(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) [M2]."""
        terms, r = 8, DecimalInterval(ZERO, ONE)
        while r.hi - r.lo > r.hi.scaleb(10 - UP.prec) and terms < 4_000_000:
            terms *= 2
            r = DecimalInterval(ZERO, UP.divide(Decimal(terms), self.lo))
            for n in range(terms - 1, 0, -1):
                r = DecimalInterval(n) / (self + r)
        return DecimalInterval(1) / (self + r)

    def mills(self) -> DecimalInterval:
        """m(x) = Φ(−x)/φ(x) for x ≥ 0."""
        if self.hi > math.isqrt(UP.prec):
            return self.fraction()
        return constants(UP.prec)[0] / (self * self / 2).exp_minus() / 2 - self.series()

    def density(self) -> DecimalInterval:
        """φ(x), self being x²/2."""
        return self.exp_minus() / constants(UP.prec)[0]


@cache
def constants(precision: int) -> tuple[DecimalInterval, DecimalInterval]:
    """√(2π), m(x) being known by both expansions at one x [M1], and π."""
    x = DecimalInterval(math.isqrt(precision) + 1)
    root = (x.series() + x.fraction()) * 2 * (x * x / 2).exp_minus()
    return root, root * root / 2


def delta(epsilon: Fraction, mu_squared: Fraction) -> DecimalInterval:
    """δ(ε) = Φ(−y) − e^ε Φ(−w), y = ε/μ − μ/2, w = ε/μ + μ/2, without cancelling [D]."""
    offset, mu = epsilon - mu_squared / 2, DecimalInterval(mu_squared).root()
    y, w = DecimalInterval(abs(offset)) / mu, DecimalInterval(epsilon + mu_squared / 2) / mu
    phi, near, far = DecimalInterval(offset**2 / (2 * mu_squared)).density(), y.mills(), w.mills()
    if offset < 0 and y.hi > math.isqrt(UP.prec):
        return DecimalInterval(1) - phi * (near + far)
    gap, fall = DecimalInterval(min(2 * epsilon, mu_squared)) / mu, near - far  # gap = w − |y|
    least, most = gap * (DecimalInterval(1) - w * far), gap * (DecimalInterval(1) - y * near)
    fall = DecimalInterval(max(fall.lo, least.lo), min(fall.hi, most.hi))
    return phi * (fall + y.series() * 2 if offset < 0 else fall)


def formula_mu(name: str, epsilon: Fraction, at: Fraction, c: Any) -> DecimalInterval:
    """μ = Δ/σ of a formula [F]."""
    e, log, pi = DecimalInterval(epsilon), DecimalInterval(1 / at).log() * 2, constants(UP.prec)[1]
    if name == "pinsker":
        return DecimalInterval(2 * at)
    if name == "zcdp-conversion":
        return e * 2 / (log.root() + (log + e * 2).root())
    if name == "vinterbo-2020":
        z = DecimalInterval(1 / (4 * at * (1 - at))).log() * (1 if 2 * at <= 1 else pi / 4)
        both = ((z + e).root() + z.root()) * DecimalInterval(2).root()
        return e * 2 / both if 2 * at <= 1 else both
    if name == "dwork-roth":
        return e / (log + Fraction(8, 9) - (pi / 2).log()).root()
    c = {"classical": Fraction(5, 4), "dwork-2006": 2, "linear": c}[name]
    return e / (log + DecimalInterval(c).log() * 2).root()


def star(epsilon: Fraction, at: Fraction, m: int) -> DecimalInterval:
    """σ*/Δ² = 2/(εψ) of the theorem, ψ = (δ·Γ((m−1)/2)/(√π·Γ(m/2)))^(2/(m−2)) [P]."""
    require(m > 2 and epsilon > 0 and 0 < at < 1, "the theorem's domain")
    pi = constants(UP.prec)[1]
    inverse = pi / 2 if m % 2 else DecimalInterval(1)
    for n in range(2 + m % 2, m if m < 10_000 else 0, 2):
        inverse = inverse * n / (n - 1)
    if m >= 10_000:
        inverse = DecimalInterval((pi * (m - 2) / 2).root().lo, (pi * (m - 1) / 2).root().hi)
    power = (DecimalInterval(1 / at).log() + inverse.log()) * Fraction(2, m - 2)
    return DecimalInterval(2 / epsilon) / power.exp_minus()


def rank_one(epsilon: Fraction, s: DecimalInterval, m: int, ratio: Fraction) -> Decimal:
    """A number below δ(ε) of rank-one noise, s = σ*/Δ², by the inner-ball lemma with λ [W]."""
    require(m > 1 and ratio > 1, "the lemma's domain")
    share = DecimalInterval(1) - (DecimalInterval(ratio).log() * (m - 1) - epsilon).exp_minus()
    least = ((DecimalInterval(1) / s).root() / (1 + ratio)).lo
    x = DecimalInterval(min(least, Decimal(math.isqrt(UP.prec))))
    return (share * (x * x / 2).density() * 2 * x.series()).lo  # erf is all but 1 at the √


def count(value: Any, least: int, most: int = MANY) -> bool:
    return type(value) is int and least <= value <= most


def read(name: str, value: Any, kind: str = "") -> Any:
    """What stands in a field: a record by its kind, a list, a text, a count or an exact number."""
    if name in LENGTHS:
        require(isinstance(value, str) and len(value) in LENGTHS[name], f"a text as {name}")
        return value
    if name in WORDS:
        require(value in WORDS[name], f"a word that is known as {name}")
        return value
    if name == "epochs_fixed":
        require(type(value) is bool, f"true or false as {name}")
        return value
    if name in COUNTS:
        require(count(value, *COUNTS.get(f"{kind}.{name}", COUNTS[name])), f"a count as {name}")
        return value
    if name in LISTS:
        require(isinstance(value, list) and 0 < len(value) <= LISTS[name], f"a list as {name}")
        return [read("mechanism" if name == "releases" else "sigma", one) for one in value]
    if name in KINDS or name in RECORDS:
        told = name in KINDS
        kind = value["kind"] if told else name
        require(kind in KINDS.get(name, RECORDS), f"a kind that is known as {name}")
        names = ["kind"] * told + RECORDS[kind].split()
        must, may = ({n.rstrip("?-") for n in names if n[-1] != mark} for mark in ("-", ""))
        require(must <= value.keys() <= may, f"the fields of {kind}")
        return {
            n: one if n == "kind" or (one is None and f"{n}?" in names) else read(n, one, kind)
            for n, one in value.items()
        }
    require(isinstance(value, str) and NUMBER.fullmatch(value), f"a number as {name}")
    number = Fraction(value)
    sides = number.numerator.bit_length(), number.denominator.bit_length()
    require(str(number) == value and max(sides) <= 4 * REACH, f"a number in lowest terms: {name}")
    require(not number or abs(sides[0] - sides[1]) <= REACH, f"a magnitude that is read: {name}")
    positive = {name, f"{kind}.{name}"} & set(POSITIVE.split())
    require(number > (name == "order") if positive else number >= 0, f"{name} in its domain")
    return number


def contributed(bounds: Any, asked: str) -> Fraction:
    """Δ² for a relation of a sum of vectors within bounds [C]."""
    few, most, room = (bounds.get(n) for n in ("l0", "linf", "coordinates"))
    clipped, signed = bounds.get("clipping_norm"), bounds["values"] == "any"
    lengths = [clipped is None, most is None, few is None]
    require(lengths in ([False, True, True], [True, False, False]), "one bound of a contribution")
    require((signed or room is not None) and (few or 1) <= (room or MANY), "enough coordinates")
    square, entries = (clipped**2, 1) if most is None else (most**2, few)
    if asked != "replace-one":
        return entries * square
    return (4 * entries if signed else min(room, 2 * entries)) * square


def knows(record: Any, asked: str) -> bool:
    """Whether the sensitivity for a relation is stated."""
    if record["kind"] == "composition":
        return all(knows(part, asked) for part in record["releases"])
    return "contribution" in record or record.get("neighbours") == asked


def noise(record: Any, asked: str = "") -> tuple[Fraction, Any, Fraction]:
    """Δ², μ² [R] or what rank-one noise states, and by what Δ² grows for a relation."""
    kind, bounds, stated = record["kind"], record.get("contribution"), record.get("neighbours")
    z, sigma = record.get("noise_multiplier"), record.get("sigma")
    one_way = kind in ("gaussian", "tree-aggregation")
    require(stated or (bounds and kind not in ("zcdp", "gdp", "rdp")), "a relation")
    require(not (one_way and stated and bounds), "a relation or a contribution")
    require(not one_way or (z is None) != (sigma is None), "one parameter")
    plain, square = record["sensitivity"], record["sensitivity_squared"]
    given = [one for one in (plain, square, bounds) if one is not None]
    require(len(given) == 1, "one sensitivity")
    relation, square = stated or "add-remove", square or (plain or Fraction(1)) ** 2
    if bounds:
        square = contributed(bounds, relation)
        more = contributed(bounds, asked or relation) / square
    else:
        require(asked in ("", relation, "replace-one"), "a sensitivity for the relation")
        more = Fraction(1 if asked in ("", relation) else 4)
    if kind == "rank-one":
        return square, (record["dimension"], record["sigma_star"], record["published"]), more
    if kind == "matrix-variate":  # the direction of the least noise decides
        return (
            square,
            square / (min(record["row_variances"]) * min(record["column_variances"])),
            more,
        )
    if kind in ("zcdp", "gdp", "rdp"):
        rho, mu, ratio = (record.get(n) for n in ("rho", "mu", "epsilon"))
        return square, 2 * rho if rho else mu**2 if mu else 2 * ratio / record["order"], more
    one = square / sigma**2 if z is None else 1 / z**2
    if kind == "tree-aggregation":
        one *= record["trees"] * tree(*taking_part(record))
    return square, one, more


def taking_part(record: Any) -> tuple[int, int, int, bool]:
    """Steps of a tree, in how many of them a record is at most, how far apart, and if exactly."""
    most, apart, fixed = record["participations"], record.get("separation"), record["epochs_fixed"]
    require(apart is not None or (most == 1 and not fixed), "a separation")
    return record["steps"], most, apart or 1, fixed


def tree(steps: int, most: int, apart: int, fixed: bool) -> int:
    """Σ c² of the steps 0, b, 2b, … over the nodes of a tree, where these are the worst [T]."""
    total = above = 0
    for level in range(steps.bit_length()):
        node = 1 << level
        inside = min(most, -(-(steps >> level << level) // apart))
        least, full = node // apart, min(inside * apart, steps) // node
        held = min(inside, -(-full * node // apart))  # in the nodes that are full
        if node <= apart:
            held, least, full = inside, 0, 0
        total += (2 * least + 1) * held - least * (least + 1) * full + (inside - held) ** 2
        room = -(-node // apart)
        above += inside // room * room**2 + (inside % room) ** 2
    require(fixed or total == above, "a tree whose first steps are the worst")
    return total


def extent(record: Any, asked: str) -> tuple[Fraction, Fraction]:
    """The μ² that no pair of neighbours exceeds, and one that some pair has [J]."""
    if record["kind"] != "composition":
        _, mu, more = noise(record, asked)
        return mu * more, mu * more * knows(record, asked)
    parts, mode = record["releases"], record["records"]
    most, least = zip(*(extent(part, asked) for part in parts), strict=True)
    if mode == "disjoint":
        high, low = max(most), max(least)
        if asked == "replace-one" and len(parts) > 1:  # from one part into another
            ends = zip(*map(leaving, parts), strict=True)
            moved = [sum(sorted(each)[-2:], Fraction(0)) for each in ends]
            high, low = max(high, moved[0]), max(low, moved[1])
    else:
        high, low = sum(most, Fraction(0)), sum(least, Fraction(0))
        low = max(least) if mode == "unknown" else low
    return record["times"] * high, record["times"] * low


def leaving(record: Any) -> tuple[Fraction, Fraction]:
    """The same of a record that is in this part of one data set only."""
    for relation in ("add-remove", "zero-out"):
        if knows(record, relation):
            return extent(record, relation)
    return extent(record, "replace-one")[0], Fraction(0)


def releases(record: Any) -> int:
    """How many releases a composition has; all have sensitivities for one relation."""
    if record["kind"] != "composition":
        return record.get("trees", 1) * record.get("steps", 1).bit_length()
    require(any(knows(record, one) for one in WORDS["neighbours"]), "one relation")
    number = record["times"] * sum(map(releases, record["releases"]))
    require(number <= MANY, "at most 10^18 releases")
    return number


def details(record: Any) -> set[str]:
    """What a full sensitivity is of some kinds of noise."""
    found = {DETAILS[n] for n in ("contribution",) if n in record}
    found |= {DETAILS[n] for n in (record["kind"],) if n in DETAILS}
    if record["kind"] == "tree-aggregation":
        steps, most, apart, _ = taking_part(record)
        many = min(most, -(-steps // apart))
        listed = [str(1 + n * apart) for n in range(min(many, 4))] + ["…"] * (many > 4)
        found.add(DETAILS["steps"].format(many, ", ".join(listed)) if many > 1 else DETAILS["step"])
    parts = record.get("releases", [])
    if len(parts) > 1:
        found.add(WITHIN[record["records"]])
    return found.union(*map(details, parts))


def supposed(record: Any) -> str:
    """What a violation supposes to exist."""
    parts, text = record.get("releases", []), ATTAINED[""]
    found = details(record)
    if len(parts) > 1:
        text, found = ATTAINED[record["records"]], set().union(*map(details, parts))
    elif record.get("times", 1) > 1:
        text = ATTAINED["times"]
    return f"{text} ({'; '.join(sorted(found))})" if found else text


def assumed(record: Any) -> list[str]:
    """What a mechanism's privacy is proved under, beside what the claim says."""
    if record["kind"] == "tree-aggregation":
        steps, most, apart, fixed = taking_part(record)
        return [UNDER[fixed if most > 1 else "one"].format(most, apart, steps), UNDER[""]]
    parts = map(assumed, record.get("releases", []))
    return list(dict.fromkeys(each for part in parts for each in part))


def recompute(claim: Any, witness: Any) -> tuple[Fraction, Any, Any, str]:
    """Bound and ends of an enclosure, from nothing but the claim, and what a violation supposes."""
    said, about, kind = claim["asserts"], claim["mechanism"], claim["asserts"]["kind"]
    require((about is None) == (kind == "formula"), "a mechanism, but for a formula")
    if kind == "formula":
        name, epsilon, bound = said["name"], said["epsilon"], said["delta"]
        c, m = said["constant"], said["dimension"]
        require((c is None) == (name != "linear") and (c is None or c >= 1), "a constant")
        require((epsilon > 0 or name == "pinsker") and 0 < bound < 1, "the formula's domain")
        require((m is None) == (name != "r1smg") == (witness is None), "a dimension and a witness")
        if m is not None:
            least = rank_one(epsilon, star(epsilon, bound, m), m, witness)
            return bound, least, ONE, ATTAINED[""]
        mu = formula_mu(name, epsilon, bound, c)
        low, high = (delta(epsilon, Fraction(end) ** 2) for end in (mu.lo, mu.hi))
        return bound, low.lo, high.hi, ATTAINED[""]
    if kind == "privacy":
        epsilon, bound, asked = said["epsilon"], said["delta"], said["neighbours"]
        require(bound <= 1 and (about["kind"] == "rank-one") == bool(witness), "δ and a witness")
        if witness:
            distance, (m, own, point), more = noise(about, asked)
            require((own is None) != (point is None), "one variance")
            require(
                point is None or (m > 2 and 0 < point["delta"] < 1 and point["epsilon"] > 0),
                "its domain",
            )
            s = (
                star(point["epsilon"], point["delta"], m)
                if point
                else DecimalInterval(own / distance)
            )
            least = rank_one(epsilon, s / more, m, witness)
            return bound, least if knows(about, asked) else ZERO, ONE, supposed(about)
        releases(about)
        high, low = extent(about, asked)
        least = delta(epsilon, low).lo if low else ZERO
        return bound, least, delta(epsilon, high).hi, supposed(about)
    require(about["kind"] in {"gaussian", "zcdp", "gdp", "rdp"}, "noise of one release")
    distance, mu, _ = noise(about)
    bound = most = said["at_most"]
    require(said["unit"] == about["unit"] and witness is None, "one unit")
    if kind == "loss":  # kσ² = kΔ²/μ²
        k = said["dimension"]
        return bound, k * distance / mu, k * distance / mu, ""
    bound, k = said["alpha"], said["queries"]
    require(0 < bound <= 1, "a probability")
    x, value = DecimalInterval(most**2 * mu / distance), DecimalInterval(0)
    p = x.root().mills() * (x / 2).density() * 2 if most else DecimalInterval(1)  # 2Φ(−most/σ)
    for bit in f"{k:b}":  # 1 − (1 − p)^k; doubling k maps it from v to v(2 − v) [A]
        value = value * (DecimalInterval(2) - value)
        value = value + p * (DecimalInterval(1) - value) if bit == "1" else value
    return bound, value.lo, value.hi, ""


def require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"not as it must be: {what}")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A record, each field once."""
    require(len(dict(pairs)) == len(pairs), "each field once")
    return dict(pairs)


def check(text: str) -> str:
    """Return the verdict that a certificate proves; raise ValueError if it proves nothing."""
    try:
        require(len(text) <= LONGEST, "at most a million characters")
        content, found = json.loads(text, object_pairs_hook=unique), "UNDECIDED"
        require(content.keys() == set(FIELDS.split()), "fields")
        digest, top = content.pop("sha256"), content["high"]
        packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        require(hashlib.sha256(packed).hexdigest() == digest, "sha256")
        require(content["format"] == "dporacle-certificate/4", "format")
        if (own := content["standalone"]) != "yes":
            raise ValueError(f"not for this program, but check_any_certificate.py: {own}")
        claim, digits = read("claim", content["claim"]), content["digits"]
        require(count(digits, 1, MOST_DIGITS), "digits")
        witness = content["witness"]
        witness = None if witness is None else read("witness", witness)
        DOWN.prec = UP.prec = 2 * digits + 60
        bound, low, high, supposes = recompute(claim, witness)
        quantity = {"accuracy": "alpha", "loss": "loss"}.get(claim["asserts"]["kind"], "delta")
        if quantity != "loss":
            low, high = max(low, ZERO), min(high, ONE)
        require(quantity == content["quantity"] and str(bound) == content["bound"], "bound")
        require(END.fullmatch(content["low"]) and (END.fullmatch(top) or top == INFINITE), "ends")
        require(Decimal(content["low"]) <= low and high <= Decimal(content["high"]), "low, high")
        if high <= bound:
            found = "HOLDS"
        elif low > bound or (bound == 0 and low > 0):  # no quantity is ever 0
            found = "VIOLATED"
        require(found == content["verdict"], f"verdict: {found} is what is found")
        told = supposes if found == "VIOLATED" else ""
        require(told == content["supposes"], f"supposes: {told}")
        under = assumed(claim["mechanism"]) if claim["asserts"]["kind"] == "privacy" else []
        require(under == content["hypotheses"], f"hypotheses: {under}")
        return found
    except (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError) as e:
        raise ValueError(f"not a certificate: {type(e).__name__} {e}") from None


def main(paths: list[str]) -> int:
    """Check files one by one; return 1 if one proves nothing, else 2 if one cannot be read."""
    ends = []
    for path in paths:
        try:
            ends.append(check(Path(path).read_text("utf-8")))
            print(path, "proves", ends[-1], flush=True)
        except (ValueError, OSError) as error:
            ends.append("prove nothing" if isinstance(error, ValueError) else "cannot be read")
            print(f"{path} proves nothing: {error}", file=sys.stderr)
    if len(ends) > 1:
        print(len(ends), "files:", ", ".join(f"{ends.count(e)} {e}" for e in sorted(set(ends))))
    return 1 if "prove nothing" in ends else 2 * ("cannot be read" in ends)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else print(__doc__, file=sys.stderr) or 2)
