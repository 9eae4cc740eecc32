"""Numbers as people write them: what to write instead of one that is not read.

`arguments.parse` reads decimals, quotients of whole numbers and hexadecimal floats, and nothing
else: what a text means beyond that would have to be guessed. Here it is guessed, for the hint in
the error message only; no verdict rests on it.
"""

import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

_LONGEST = 100  # characters of a text that gets a hint
_DEEPEST = 20  # brackets in brackets
_BITS = 4096  # of a numerator or denominator of what is worked out exactly
_POWER = 400  # the largest exponent of an exact power
_DIGITS = 7  # of a number that is no fraction
_ERROR = 1e-12  # relative, far above that of float64 after a few operations
_FLOATS = 1e-290, 1e290
_PLAIN = -4, 6  # powers of ten between which a decimal is written without one

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_OTHERS = str.maketrans("−–×·∙⋅÷⁄∕{}", "--****///()")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[,_  ]\d{3})+(?![\d,])", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d*(?:[eE][+-]?\d{1,9})?", re.ASCII)
_DECIMAL = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
_NUMBER = re.compile(rf"[+-]?{_DECIMAL}", re.ASCII)
_TOKEN = re.compile(rf"\s*({_DECIMAL}|[a-zA-Z]+\d*|√|[-+*/^()])", re.ASCII)
_QUOTIENT = re.compile(r"[+-]?\d+/\d+", re.ASCII)
_ROOT = re.compile(r"(?:sqrt|√)\s*\(?\s*(\d+(?:\.\d+)?)\s*\)?", re.ASCII)
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "√": math.sqrt,
}


class _NoFormulaError(ValueError):
    """A text that is no formula of numbers."""


def instead(text: str) -> str:
    """Say how a number is written that people write in another way; empty if that is not known.

    Args:
        text: what is refused.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or not re.search(r"\d|[⁰¹²³⁴⁵⁶⁷⁸⁹]", text, re.ASCII):
        return ""
    if _COMMA.fullmatch(text):
        plain = text.replace(",", "")
        point = text.replace(",", ".")
        if _THOUSANDS.fullmatch(text.lstrip("+-")):
            return f"; write no comma: {plain}, or {point}"
        return f"; write a point: {point}"
    if _THOUSANDS.fullmatch(text.lstrip("+-")):
        return f"; write no comma: {re.sub('[,_  ]', '', text)}"
    if text.endswith("%") and _NUMBER.fullmatch(text[:-1].strip()):
        return f"; write it without %: {Decimal(text[:-1].strip()).scaleb(-2)}".lower()
    try:
        value = _Reader(_plain(text)).value()
    except _NoFormulaError:
        return ""
    except (ValueError, ArithmeticError):  # of this formula, such as 9^9^9
        return "; write its decimals"
    if isinstance(value, Fraction):
        plain = _plain(text).replace(" ", "")
        return f"; write {plain if _QUOTIENT.fullmatch(plain) else shortest(value)}"
    around = _around(value)
    if around is None:
        return "; write its decimals"
    below, above = around
    return f"; write its decimals, {below} (below it) or {above} (above it)"


def squared(text: str) -> str:
    """Return the square of what is written as a root, as it stands there; empty of other texts."""
    match = _ROOT.fullmatch(text.strip())
    return match[1] if match else ""


def shortest(value: Fraction) -> str:
    """Write a fraction exactly: as a decimal of few digits, or as a quotient."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return str(value)
    number = Decimal(value.numerator * (10**places // value.denominator)).scaleb(-places)
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    if Fraction(number) != value or len(digits) > len(str(value)):
        return str(value)
    size = number.adjusted()
    if _PLAIN[0] <= size < _PLAIN[1]:
        return f"{number.normalize():f}"
    rest_of = f".{digits[1:]}" if digits[1:] else ""
    return f"{'-' * (value < 0)}{digits[0]}{rest_of}e{size}"


def _plain(text: str) -> str:
    """Return a text in ASCII: with ^ for what is raised, and without commas in numbers."""
    raised = _SUPERSCRIPT.sub(lambda match: f"^({match[0].translate(_RAISED)})", text)
    plain = raised.translate(_OTHERS).replace("**", "^")
    plain = re.sub(r"(?<=\d)\s*x\s*(?=\d)", "*", plain)
    return _THOUSANDS.sub(lambda match: re.sub("[,_  ]", "", match[0]), plain)


def _around(value: float) -> tuple[str, str] | None:
    """Return decimals of a few digits below and above a number that a float is close to."""
    size, (least, most) = abs(value), _FLOATS
    if not least < size < most:
        return None
    unit = Fraction(10) ** (math.floor(math.log10(size)) + 1 - _DIGITS)
    error = Fraction(size) * Fraction(_ERROR)
    below = math.floor((Fraction(value) - error) / unit) * unit
    above = math.ceil((Fraction(value) + error) / unit) * unit
    return shortest(below), shortest(above)


class _Reader:
    """Works out sums, products, powers and a few functions: exactly, where it can."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._depth = 0

    def value(self) -> Fraction | float:
        """Return the value of the whole text.

        Raises:
            _NoFormulaError: if it is none.
            ValueError: if it is not defined.
            ArithmeticError: nor, or if it is too large.
        """
        found = self._sum()
        if self._tokens:
            raise _NoFormulaError("more than a number")
        return found

    def _next(self, *among: str) -> str:
        if self._tokens and self._tokens[0] in among:
            return self._tokens.pop(0)
        return ""

    def _sum(self) -> Fraction | float:
        found = self._product()
        while sign := self._next("+", "-"):
            other = self._product()
            found = _bounded(found + other if sign == "+" else found - other)
        return found

    def _product(self) -> Fraction | float:
        found = self._signed()
        while sign := self._next("*", "/"):
            other = self._signed()
            found = _bounded(found * other if sign == "*" else found / other)
        return found

    def _signed(self) -> Fraction | float:
        sign = self._next("+", "-")
        found = self._power()
        return -found if sign == "-" else found

    def _power(self) -> Fraction | float:
        base = self._single()
        if not self._next("^"):
            return base
        exponent = self._signed()
        whole = int(exponent) if isinstance(exponent, Fraction) and exponent % 1 == 0 else None
        if isinstance(base, Fraction) and whole is not None and abs(whole) <= _POWER:
            power: Fraction = base**whole
            return _bounded(power)
        if base < 0:
            raise ValueError("no real number")
        return math.pow(base, exponent)

    def _single(self) -> Fraction | float:
        if not self._tokens:
            raise _NoFormulaError("something is missing")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NoFormulaError("too many brackets")
        word = self._tokens.pop(0)
        if word == "(":
            found = self._sum()
            if not self._next(")"):
                raise _NoFormulaError("a bracket is open")
        elif word in _FUNCTIONS:
            found = _FUNCTIONS[word](float(self._single()))
        elif word == "e":
            found = math.e
        elif word in {"pi", "π"}:
            found = math.pi
        else:
            try:
                found = Fraction(word)
            except ValueError:
                raise _NoFormulaError("no number") from None
        self._depth -= 1
        return found


def _tokens(text: str) -> Iterator[str]:
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _NoFormulaError("not a formula")
        yield match[1]
        place = match.end()


def _bounded(value: Fraction | float) -> Fraction | float:
    if isinstance(value, Fraction):
        size = max(value.numerator.bit_length(), value.denominator.bit_length())
        if size > _BITS:
            raise ArithmeticError("too large")
    return value
