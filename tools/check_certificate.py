"""Check certificates of verdicts on the Gaussian mechanism. Standard library only.

    python check_certificate.py CERTIFICATE.json ...

Nothing is shared with the program that wrote the certificate. Trusted are: this file, Python's
`decimal` for +, −, ×, ÷ rounded down and up, and exact fractions. Every series and its remainder
is proved in proofs_notes/certificates.md; the letters in brackets name the paragraphs there.
"""

from __future__ import annotations

import decimal
import hashlib
import json
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

DOWN = decimal.Context(50, decimal.ROUND_FLOOR, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
UP = decimal.Context(50, decimal.ROUND_CEILING, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
ZERO, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
CONSTANTS = {"classical": Fraction(5, 4), "dwork-2006": Fraction(2)}
FIELDS = {"format", "claim", "quantity", "bound", "verdict", "low", "high", "digits", "sha256"}


class Interval:
    """All numbers from `lo` to `hi`; results contain every result of numbers in the operands."""

    def __init__(self, lo: Decimal, hi: Decimal) -> None:
        self.lo, self.hi = lo, hi

    def __add__(self, other: Interval) -> Interval:
        return Interval(DOWN.add(self.lo, other.lo), UP.add(self.hi, other.hi))

    def __sub__(self, other: Interval) -> Interval:
        return Interval(DOWN.subtract(self.lo, other.hi), UP.subtract(self.hi, other.lo))

    def __mul__(self, other: Interval) -> Interval:
        return self._span(other, "multiply")

    def __truediv__(self, other: Interval) -> Interval:
        require(other.lo > 0, "a positive divisor")
        return self._span(other, "divide")

    def _span(self, other: Interval, name: str) -> Interval:
        down, up = getattr(DOWN, name), getattr(UP, name)
        pairs = [(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(down(a, b) for a, b in pairs), max(up(a, b) for a, b in pairs))

    def sqrt(self) -> Interval:
        lo, hi = DOWN.next_minus(DOWN.sqrt(self.lo)), UP.next_plus(UP.sqrt(self.hi))
        require(UP.multiply(lo, lo) <= self.lo and DOWN.multiply(hi, hi) >= self.hi, "a root")
        return Interval(lo, hi)


def number(value: Fraction | Decimal | int) -> Interval:
    if isinstance(value, Decimal):
        return Interval(value, value)
    over, under = Decimal(value.numerator), Decimal(value.denominator)
    return Interval(DOWN.divide(over, under), UP.divide(over, under))


def small() -> Decimal:
    return Decimal(f"1e-{UP.prec}")


def exp_minus(t: Decimal) -> Interval:
    """e^−t for t ≥ 0 [E]."""
    if t > 10**9:
        return Interval(ZERO, Decimal("1e-400000000"))
    halvings, u = 0, number(t)
    while u.hi > HALF:
        halvings, u = halvings + 1, u * number(HALF)
    total, term, n = number(1), number(1), 0
    while term.hi > small():
        n += 1
        term = term * u / number(n)
        total += term
    total = Interval(total.lo, UP.add(total.hi, term.hi))
    for _ in range(halvings):
        total = total * total
    return number(1) / total


def odd_series(v: Fraction, sign: int) -> Interval:
    """Σ sign^j v^(2j+1)/(2j+1): artanh v for sign 1, arctan v for sign −1; |v| ≤ 1/3 [S]."""
    square, power, total, k, size = number(sign * v * v), number(v), number(v), 1, ONE
    while size > small():
        k, power = k + 2, power * square
        total += power / number(k)
        size = max(power.lo.copy_abs(), power.hi.copy_abs())
    return Interval(DOWN.subtract(total.lo, size), UP.add(total.hi, size))


def logarithm(z: Fraction) -> Interval:
    """ln z for z > 1 [S]."""
    shift = max(z.numerator.bit_length() - z.denominator.bit_length() - 1, 0)
    rest = z / 2**shift  # below 4
    rests = number(shift + 1) * odd_series(Fraction(1, 3), 1)
    return number(2) * (rests + odd_series((rest - 2) / (rest + 2), 1))


@cache
def root_of_two_pi(_precision: int) -> Interval:
    """√(2π), by Machin's formula [S]."""
    fifth, rest = odd_series(Fraction(1, 5), -1), odd_series(Fraction(1, 239), -1)
    return (number(32) * fifth - number(8) * rest).sqrt()


def gauss(t: Interval) -> Interval:
    """e^−t / √(2π)."""
    return Interval(exp_minus(t.hi).lo, exp_minus(t.lo).hi) / root_of_two_pi(UP.prec)


@cache
def mills_at(x: Decimal, _precision: int) -> tuple[Interval, Interval]:
    """m(x) = Φ(−x)/φ(x) and its fall −m′(x) = 1 − x·m(x), for x > −2.5 [M1, M2, M3]."""
    terms = 8
    while x >= 8:  # m = 1/(x + r), r = 1/(x + 2/(x + 3/(x + …)))
        terms *= 2
        lo, hi = ZERO, UP.divide(Decimal(terms), x)
        for n in range(terms - 1, 0, -1):
            top = Decimal(n)
            lo, hi = DOWN.divide(top, UP.add(x, hi)), UP.divide(top, DOWN.add(x, lo))
        if hi - lo <= hi * Decimal(f"1e{10 - UP.prec}") or terms > 4_000_000:
            m = number(1) / (number(x) + Interval(lo, hi))
            return m, Interval(lo, hi) * m
    require(x > -2.5, "x")
    square, term, k = number(x) * number(x), number(x.copy_abs()), 1
    total = term
    while term.hi > small() or k < 131:
        k, term = k + 2, term * square / number(k + 2)
        total += term
    total = Interval(total.lo, UP.add(total.hi, term.hi))
    half = number(HALF) / gauss(square * number(HALF))
    m = half - total if x >= 0 else half + total
    return m, number(1) - number(x) * m


def mills(x: Interval) -> Interval:
    return Interval(mills_at(x.hi, UP.prec)[0].lo, mills_at(x.lo, UP.prec)[0].hi)


def delta(epsilon: Fraction, mu_squared: Fraction) -> Interval:
    """δ(ε) = Φ(−y) − e^ε Φ(−w), y = ε/μ − μ/2, w = ε/μ + μ/2 [D]."""
    require(epsilon >= 0, "epsilon")
    mu, offset = number(mu_squared).sqrt(), epsilon - mu_squared / 2
    y, w = number(offset) / mu, number(epsilon + mu_squared / 2) / mu
    density = gauss(number(offset * offset / (2 * mu_squared)))
    if offset < 0:
        value = number(1) - density * (
            mills(Interval(y.hi.copy_negate(), y.lo.copy_negate())) + mills(w)
        )
    else:
        value = density * (mills(y) - mills(w))
    if y.lo > -2:  # the mean of the fall lies between its values at the two ends [D]
        falls = Interval(mills_at(w.hi, UP.prec)[1].lo, mills_at(y.lo, UP.prec)[1].hi)
        other = density * mu * falls
        value = Interval(max(value.lo, other.lo), min(value.hi, other.hi))
    return Interval(max(value.lo, ZERO), min(value.hi, ONE))


def exactly(record: Any, kind: str, *fields: str) -> list[Any]:
    """The fields of a record, which has these and no others, `kind` besides."""
    require(record["kind"] == kind and record.keys() == {"kind", *fields}, f"fields of {kind}")
    return [record[field] for field in fields]


def release(record: Any) -> tuple[Fraction, Fraction]:
    """Δ² and μ² of one release [R]."""
    kinds = {"gaussian": ["sigma"], "zcdp": ["rho"], "gdp": ["mu"], "rdp": ["order", "epsilon"]}
    kind = record["kind"]
    fields = ["sensitivity", "sensitivity_squared", "neighbours", "unit", *kinds[kind]]
    plain, squared, _, _, *own = exactly(record, kind, *fields)
    require((plain is None) != (squared is None), "one sensitivity")
    distance = Fraction(plain) ** 2 if squared is None else Fraction(squared)
    a, b = Fraction(own[0]), Fraction(own[-1])
    require(distance > 0 and a > 0 and b > 0, "positive parameters")
    mu = {"gaussian": distance / a**2, "zcdp": 2 * a, "gdp": a**2, "rdp": 2 * b / a}[kind]
    return distance, mu


def recompute(claim: Any) -> tuple[str, Fraction, Interval, str]:
    """Quantity, bound, enclosure and verdict of a claim, from nothing but the claim."""
    said, about, doubled = claim["asserts"], claim["mechanism"], False
    if said["kind"] == "formula":
        name, epsilon, at, c, dimension = exactly(
            said, "formula", "name", "epsilon", "delta", "constant", "dimension"
        )
        require(about is None and c is None and dimension is None, "a formula by itself")
        bound, e = Fraction(at), Fraction(epsilon)
        require(0 < bound < 1 and e > 0, "the formula's domain")
        twice = number(2) * logarithm(CONSTANTS[name] / bound)
        ends = [e * e / Fraction(end) for end in (twice.hi, twice.lo)]
        value = Interval(delta(e, ends[0]).lo, delta(e, ends[1]).hi)
    elif said["kind"] == "privacy":
        epsilon, at, asked = exactly(said, "privacy", "epsilon", "delta", "neighbours")
        parts, times = [about], 1
        if about["kind"] == "composition":
            parts, times = exactly(about, "composition", "releases", "times")
        relations = {part["neighbours"] for part in parts}
        require(len(relations) == 1 and asked in {"add-remove", "replace-one"}, "one relation")
        doubled = relations == {"add-remove"} and asked == "replace-one"
        require(doubled or relations == {asked}, "a sensitivity for the relation")
        require(type(times) is int and times > 0, "times")
        total = times * sum((release(part)[1] for part in parts), Fraction(0))
        bound, value = Fraction(at), delta(Fraction(epsilon), total * (4 if doubled else 1))
    else:
        loses = said["kind"] == "loss"
        own = "dimension" if loses else "alpha"
        fields = ["at_most", own, "unit"] + ([] if loses else ["queries"])
        most, at, unit, *queries = exactly(said, "loss" if loses else "accuracy", *fields)
        require(queries in ([], [1]), "one query")
        distance, mu = release(about)
        require(unit == about["unit"], "one unit")
        if loses:
            bound, loss = Fraction(most), at * distance / mu
            return "loss", bound, number(loss), "HOLDS" if loss <= bound else "VIOLATED"
        bound, square = Fraction(at), Fraction(most) ** 2 * mu / distance  # α = 2Φ(−a/σ) [A]
        x = number(square).sqrt() if square else number(0)
        value = number(2) * gauss(number(square / 2)) * mills(x)
        value = Interval(value.lo, min(value.hi, ONE)) if square else number(1)
    limit = number(bound)
    require(0 <= bound <= 1, "a probability")
    verdict = "UNDECIDED"
    if value.hi <= limit.lo or bound == 1:
        verdict = "HOLDS"
    elif (value.lo > limit.hi or bound == 0) and not doubled:  # a δ and an α are never 0
        verdict = "VIOLATED"
    return "alpha" if said["kind"] == "accuracy" else "delta", bound, value, verdict


def require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"not as it must be: {what}")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len(dict(pairs)) == len(pairs), "each field once")
    return dict(pairs)


def check(text: str) -> str:
    """Return the verdict that a certificate proves; raise ValueError if it proves nothing."""
    try:
        content = json.loads(text, object_pairs_hook=once)
        require(content.keys() == FIELDS, "fields")
        require(content["format"] == "dporacle-certificate/1", "format")
        require(content["claim"].keys() == {"id", "source", "mechanism", "asserts"}, "claim")
        digest = content.pop("sha256")
        packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        require(hashlib.sha256(packed).hexdigest() == digest, "sha256")
        digits = content["digits"]
        require(type(digits) is int and 1 <= digits <= 20_000, "digits")
        DOWN.prec = UP.prec = 2 * digits + 60
        quantity, bound, value, verdict = recompute(content["claim"])
        require(quantity == content["quantity"], "quantity")
        require(bound == Fraction(content["bound"]), "bound")
        require(verdict == content["verdict"], f"verdict: {verdict} is what is found")
        low, high = Decimal(content["low"]), Decimal(content["high"])
        require(low <= value.lo and value.hi <= high, "low and high enclose the exact value")
        sure = {"HOLDS": high <= bound or bound == 1, "VIOLATED": low >= bound or bound == 0}
        require(quantity == "loss" or sure.get(verdict, True), "low and high prove the verdict")
        return verdict
    except (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError) as e:
        raise ValueError(f"not a certificate: {type(e).__name__} {e}") from None


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            print(path, "proves", check(file.read()))
