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
FIELDS = "format claim quantity bound verdict low high digits witness standalone sha256"
COUNTS = frozenset(
    ("digits", "dimension", "queries", "times", "steps", "trees", "l0", "coordinates")
)  # whole numbers; all others are texts
SAME = "sensitivity sensitivity_squared unit "
LONGEST, MOST_DIGITS = 1_000_000, 2_000  # characters of a certificate, and digits: bounds of work
INFINITE = "Infinity"  # said of what is too large to be written out
NUMBER = re.compile(r"-?\d+(/\d+)?", re.ASCII)
END = re.compile(r"\d+(\.\d+)?(e[+-]?\d{1,9})?", re.ASCII)
RELATIONS = {"add-remove", "replace-one", "zero-out"}
NOISE = {"zcdp": "rho", "gdp": "mu", "rdp": "order epsilon"}
NOISE |= {"matrix-variate": "row_variances column_variances"}


class Interval:
    """All numbers from `lo` to `hi`; results contain every result of numbers in the operands."""

    def __init__(self, lo: Decimal | Fraction | int, hi: Decimal | None = None) -> None:
        if isinstance(lo, Decimal):
            self.lo, self.hi = lo, lo if hi is None else hi
        else:
            parts = Decimal(lo.numerator), Decimal(lo.denominator)
            self.lo, self.hi = DOWN.divide(*parts), UP.divide(*parts)

    def _apply(self, name: str, other: Interval | Fraction | int) -> Interval:
        b = other if isinstance(other, Interval) else Interval(other)
        require(name != "divide" or b.lo > 0, "a positive divisor")
        ends = [(x, y) for x in (self.lo, self.hi) for y in (b.lo, b.hi)]
        down, up = getattr(DOWN, name), getattr(UP, name)
        return Interval(min(down(x, y) for x, y in ends), max(up(x, y) for x, y in ends))

    __add__ = partialmethod(_apply, "add")
    __sub__ = partialmethod(_apply, "subtract")
    __mul__ = partialmethod(_apply, "multiply")
    __truediv__ = partialmethod(_apply, "divide")

    def root(self) -> Interval:
        """√v: the library proposes, squaring decides."""
        lo, hi = max(DOWN.next_minus(DOWN.sqrt(self.lo)), ZERO), UP.next_plus(UP.sqrt(self.hi))
        require(UP.multiply(lo, lo) <= self.lo and DOWN.multiply(hi, hi) >= self.hi, "a root")
        return Interval(lo, hi)

    def exp_minus(self) -> Interval:
        """e^−t for t ≥ 0 [E]."""
        require(self.lo >= 0, "an exponent")
        if self.lo > 10**9:
            return Interval(ZERO, Decimal("1e-400000000"))
        t, halvings, total, term, n = self, 0, Interval(1), Interval(1), 0
        while t.hi > Decimal("0.5"):
            halvings, t = halvings + 1, t / 2
        while term.hi > ONE.scaleb(-UP.prec):
            n += 1
            term = term * t / n
            total += term
        total = Interval(total.lo, UP.add(total.hi, term.hi))
        for _ in range(halvings):
            total = total * total
        return Interval(1) / total

    def log(self) -> Interval:
        """ln z for z ≥ 1: the library proposes, e^−x decides."""
        if self.lo == self.hi == 1:
            return Interval(0)
        lo = max(DOWN.subtract(DOWN.ln(self.lo), ONE.scaleb(9 - UP.prec)), ZERO)
        hi = UP.add(UP.ln(self.hi), ONE.scaleb(9 - UP.prec))
        require((Interval(lo).exp_minus() * self).lo >= 1, "a logarithm")
        require((Interval(hi).exp_minus() * self).hi <= 1, "a logarithm")
        return Interval(lo, hi)

    def series(self) -> Interval:
        """Σ x^(2k+1)/(2k+1)!! [M1]."""
        total, term, k = self, self, 1
        while term.hi > total.hi.scaleb(-UP.prec) or k < 2 * self.hi * self.hi:
            k, term = k + 2, term * self * self / (k + 2)
            total += term
        return Interval(total.lo, UP.add(total.hi, term.hi))

    def fraction(self) -> Interval:
        """m(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) [M2]."""
        terms, r = 8, Interval(ZERO, ONE)
        while r.hi - r.lo > r.hi.scaleb(10 - UP.prec) and terms < 4_000_000:
            terms *= 2
            r = Interval(ZERO, UP.divide(Decimal(terms), self.lo))
            for n in range(terms - 1, 0, -1):
                r = Interval(n) / (self + r)
        return Interval(1) / (self + r)

    def mills(self) -> Interval:
        """m(x) = Φ(−x)/φ(x) for x ≥ 0."""
        if self.hi > math.isqrt(UP.prec):
            return self.fraction()
        return constants(UP.prec)[0] / (self * self / 2).exp_minus() / 2 - self.series()

    def density(self) -> Interval:
        """φ(x), self being x²/2."""
        return self.exp_minus() / constants(UP.prec)[0]


@cache
def constants(precision: int) -> tuple[Interval, Interval]:
    """√(2π), m(x) being known by both expansions at one x [M1], and π."""
    x = Interval(math.isqrt(precision) + 1)
    root = (x.series() + x.fraction()) * 2 * (x * x / 2).exp_minus()
    return root, root * root / 2


def delta(epsilon: Fraction, mu_squared: Fraction) -> Interval:
    """δ(ε) = Φ(−y) − e^ε Φ(−w), y = ε/μ − μ/2, w = ε/μ + μ/2, without cancelling [D]."""
    offset, mu = epsilon - mu_squared / 2, Interval(mu_squared).root()
    y, w = Interval(abs(offset)) / mu, Interval(epsilon + mu_squared / 2) / mu
    phi, near, far = Interval(offset**2 / (2 * mu_squared)).density(), y.mills(), w.mills()
    if offset < 0 and y.hi > math.isqrt(UP.prec):
        return Interval(1) - phi * (near + far)
    gap, fall = Interval(min(2 * epsilon, mu_squared)) / mu, near - far  # gap = w − |y|
    least, most = gap * (Interval(1) - w * far), gap * (Interval(1) - y * near)
    fall = Interval(max(fall.lo, least.lo), min(fall.hi, most.hi))
    return phi * (fall + y.series() * 2 if offset < 0 else fall)


def formula_mu(name: str, epsilon: Fraction, at: Fraction, c: Any) -> Interval:
    """μ = Δ/σ of a formula [F]."""
    e, log, pi = Interval(epsilon), Interval(1 / at).log() * 2, constants(UP.prec)[1]
    if name == "pinsker":
        return Interval(2 * at)
    if name == "zcdp-conversion":
        return e * 2 / (log.root() + (log + e * 2).root())
    if name == "vinterbo-2020":
        z = Interval(1 / (4 * at * (1 - at))).log() * (1 if 2 * at <= 1 else pi / 4)
        both = ((z + e).root() + z.root()) * Interval(2).root()
        return e * 2 / both if 2 * at <= 1 else both
    if name == "dwork-roth":
        return e / (log + Fraction(8, 9) - (pi / 2).log()).root()
    c = {"classical": Fraction(5, 4), "dwork-2006": 2, "linear": c}[name]
    return e / (log + Interval(c).log() * 2).root()


def star(epsilon: Fraction, at: Fraction, m: int) -> Interval:
    """σ*/Δ² = 2/(εψ) of the theorem, ψ = (δ·Γ((m−1)/2)/(√π·Γ(m/2)))^(2/(m−2)) [P]."""
    require(m > 2 and epsilon > 0 and 0 < at < 1, "the theorem's domain")
    pi = constants(UP.prec)[1]
    inverse = pi / 2 if m % 2 else Interval(1)
    for n in range(2 + m % 2, m if m < 10_000 else 0, 2):
        inverse = inverse * n / (n - 1)
    if m >= 10_000:
        inverse = Interval((pi * (m - 2) / 2).root().lo, (pi * (m - 1) / 2).root().hi)
    power = (Interval(1 / at).log() + inverse.log()) * Fraction(2, m - 2)
    return Interval(2 / epsilon) / power.exp_minus()


def rank_one(epsilon: Fraction, s: Interval, m: int, ratio: Fraction) -> Decimal:
    """A number below δ(ε) of rank-one noise, s = σ*/Δ², by the inner-ball lemma with λ [W]."""
    require(m > 1 and ratio > 1, "the lemma's domain")
    share = Interval(1) - (Interval(ratio).log() * (m - 1) - epsilon).exp_minus()
    x = Interval(min(((Interval(1) / s).root() / (1 + ratio)).lo, Decimal(math.isqrt(UP.prec))))
    return (share * (x * x / 2).density() * 2 * x.series()).lo  # erf is all but 1 at the √


def fields(record: Any, kind: str, names: str) -> list[Any]:
    """The fields of a record, which has these and no others, `kind` besides."""
    require(record["kind"] == kind and record.keys() == {"kind", *names.split()}, kind)
    return [record[name] for name in names.split()]


def contributed(bounds: Any, asked: str) -> Fraction:
    """Δ² for a relation of a sum of vectors within bounds [C]."""
    length, count = ("linf", bounds["l0"]) if "l0" in bounds else ("clipping_norm", 1)
    names = {length, "values"} | {"l0", "coordinates"} & bounds.keys()
    most, values, room = bounds[length], bounds["values"], bounds.get("coordinates", math.inf)
    require(bounds.keys() == names and most > 0 and 0 < count <= room, "bounds of a contribution")
    require(values == "any" or (values == "nonnegative" and room < math.inf), "values")
    if asked != "replace-one":
        return count * most**2
    return (4 * count if values == "any" else min(room, 2 * count)) * most**2


def noise(record: Any, asked: str = "") -> tuple[Fraction, Any, Fraction, bool]:
    """Δ², μ² [R] or what rank-one noise states, by what Δ² grows, and whether Δ was doubled."""
    kind, bounds = record["kind"], record.get("contribution")
    scale = "noise_multiplier" if "noise_multiplier" in record else "sigma"
    own_names = NOISE | {"gaussian": scale, "tree-aggregation": f"{scale} steps trees"}
    names = own_names.get(kind, "dimension sigma_star published")
    said = [name for name in ("neighbours", "contribution") if name in record]
    plain, squared, _, *own = fields(record, kind, " ".join([SAME, names, *said]))
    relation = record.get("neighbours", "add-remove")
    doubled = not bounds and asked == "replace-one" != relation
    known = bounds or doubled or asked in {"", relation}
    require(known and said and relation in RELATIONS, "a sensitivity for the relation")
    if plain is squared is None:  # lengths count in Δ, for a noise multiplier alone
        require(bounds or scale != "sigma", "a sensitivity")
        square = contributed(bounds, relation) if bounds else Fraction(1)
    else:
        require(not bounds and (plain is None) != (squared is None), "one sensitivity")
        square = squared if plain is None else plain * abs(plain)
    require(square > 0, "a sensitivity above 0")
    more = contributed(bounds, asked or relation) / square if bounds else Fraction(4**doubled)
    if kind == "rank-one":
        return square, own[:3], more, doubled
    if kind == "matrix-variate":  # the direction of the least noise decides
        require(all(NUMBER.fullmatch(n) for each in own[:2] for n in each), "numbers")
        least = [min(map(Fraction, each)) for each in own[:2]]
        require(min(least) > 0, "positive variances")
        return square, square / (least[0] * least[1]), more, doubled
    a, b = own[0], own[names.count(" ")]
    require(a > (kind == "rdp") and b > 0, "positive parameters, an order above 1")
    one = (square if scale == "sigma" else 1) / a**2
    if kind == "tree-aggregation":  # a step enters ⌊log2 steps⌋ + 1 nodes of each tree
        require(own[1] > 0, "a number of steps")
        return square, b * own[1].bit_length() * one, more, doubled
    one = {"gaussian": one, "zcdp": 2 * a, "gdp": a**2, "rdp": 2 * b / a}[kind]
    return square, one, more, doubled


def releases(record: Any, times: int) -> list[tuple[Any, int]]:
    """The releases of a composition, of compositions perhaps, and how often each is made."""
    if record["kind"] != "composition":
        return [(record, times)]
    parts, more = fields(record, "composition", "releases times")
    require(more > 0, "a number of times")
    return [one for part in parts for one in releases(part, times * more)]


def recompute(claim: Any, witness: Any) -> tuple[Fraction, Any, Any, bool]:
    """Bound, ends of an enclosure, from nothing but the claim, and whether Δ was doubled."""
    said, about, kind = claim["asserts"], claim["mechanism"], claim["asserts"]["kind"]
    if kind == "formula":
        name, epsilon, bound, c, m = fields(said, kind, "name epsilon delta constant dimension")
        require(about is None and (c is None) == (name != "linear"), "a formula by itself")
        require(epsilon >= 0 and 0 < bound < 1, "the formula's domain")
        require((m is None) == (name != "r1smg") == (witness is None), "a dimension and a witness")
        if m is not None:
            return bound, rank_one(epsilon, star(epsilon, bound, m), m, witness), ONE, False
        mu = formula_mu(name, epsilon, bound, c)
        low, high = (delta(epsilon, Fraction(end) ** 2) for end in (mu.lo, mu.hi))
        return bound, low.lo, high.hi, False
    if kind == "privacy":
        epsilon, bound, asked = fields(said, kind, "epsilon delta neighbours")
        parts = releases(about, 1)
        require(asked in RELATIONS, "a relation")
        require(epsilon >= 0 and (about["kind"] == "rank-one") == bool(witness), "a witness")
        if witness:
            distance, (m, own, point), more, doubled = noise(about, asked)
            require((own is None) != (point is None), "one variance")
            require(point is None or point.keys() == {"epsilon", "delta"}, "a published variance")
            s = star(point["epsilon"], point["delta"], m) if point else Interval(own / distance)
            return bound, rank_one(epsilon, s / more, m, witness), ONE, doubled
        found = [(n, *noise(part, asked)[1:]) for part, n in parts]
        value = delta(epsilon, sum((n * mu * more for n, mu, more, _ in found), Fraction(0)))
        return bound, value.lo, value.hi, any(twice for *_, twice in found)
    require(about["kind"] in {"gaussian", "zcdp", "gdp", "rdp"}, "noise of one release")
    distance, mu, *_ = noise(about)
    names = {"loss": "at_most at_most dimension unit", "accuracy": "at_most alpha queries unit"}
    most, bound, k, unit = fields(said, kind, names[kind])
    require(unit == about["unit"] and k > 0 and most >= 0 and witness is None, "its domain")
    if kind == "loss":  # kσ² = kΔ²/μ²
        return bound, k * distance / mu, k * distance / mu, False
    x, value = Interval(most**2 * mu / distance), Interval(0)
    p = x.root().mills() * (x / 2).density() * 2 if most else Interval(1)  # 2Φ(−most/σ)
    for bit in f"{k:b}":  # 1 − (1 − p)^k; doubling k maps it from v to v(2 − v) [A]
        value = value * (Interval(2) - value)
        value = value + p * (Interval(1) - value) if bit == "1" else value
    return bound, value.lo, value.hi, False


def require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"not as it must be: {what}")


def exact(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A record, each field once; texts of numbers are the exact numbers."""
    require(len(dict(pairs)) == len(pairs), "each field once")
    for name, value in pairs:
        kinds = {int} if name in COUNTS else {str, list, dict}
        require(value is None or type(value) in kinds, f"the type of {name}")
    is_number = {k for k, v in pairs if isinstance(v, str) and NUMBER.fullmatch(v)}
    return {k: Fraction(v) if k in is_number else v for k, v in pairs}


def check(text: str) -> str:
    """Return the verdict that a certificate proves; raise ValueError if it proves nothing."""
    try:
        require(len(text) <= LONGEST, "at most a million characters")
        content, found = json.loads(text), "UNDECIDED"
        require(content.keys() == set(FIELDS.split()), "fields")
        digest = content.pop("sha256")
        packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        require(hashlib.sha256(packed).hexdigest() == digest, "sha256")
        require(content["format"] == "dporacle-certificate/2", "format")
        require(content["standalone"] == "yes", f"standalone is {content['standalone']}")
        read, digits = json.loads(text, object_pairs_hook=exact), content["digits"]
        claim = read["claim"]
        require(sorted(claim) == ["asserts", "id", "mechanism", "source"], "claim")
        require(1 <= digits <= MOST_DIGITS, "digits")
        DOWN.prec = UP.prec = 2 * digits + 60
        bound, low, high, doubled = recompute(claim, read["witness"])
        quantity = {"accuracy": "alpha", "loss": "loss"}.get(claim["asserts"]["kind"], "delta")
        if quantity != "loss":
            low, high = max(low, ZERO), min(high, ONE)
        require(quantity == content["quantity"] and 0 <= bound == read["bound"], "quantity, bound")
        top = content["high"]
        require(END.fullmatch(content["low"]) and (END.fullmatch(top) or top == INFINITE), "ends")
        require(Decimal(content["low"]) <= low and high <= Decimal(content["high"]), "low, high")
        if high <= bound:
            found = "HOLDS"
        elif (low > bound or bound == 0) and not doubled:  # no quantity is ever 0
            found = "VIOLATED"
        require(found == content["verdict"], f"verdict: {found} is what is found")
        return found
    except (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError) as e:
        raise ValueError(f"not a certificate: {type(e).__name__} {e}") from None


if __name__ == "__main__":
    try:
        for path in sys.argv[1:]:
            print(path, "proves", check(Path(path).read_text("utf-8")), flush=True)
    except ValueError as error:
        sys.exit(f"{path} proves nothing: {error}")
    except OSError as error:  # not a finding: 2
        sys.exit(print(error, file=sys.stderr) or 2)
    sys.exit(0 if sys.argv[1:] else print(__doc__, file=sys.stderr) or 2)
