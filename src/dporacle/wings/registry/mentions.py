"""Numbers in prose: "ρ = 2.56 (corresponding to ε = 17.14 and δ = 10^-10)", LaTeX or not."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dporacle import arguments

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NAMES = {"ε": r"\\?var ?epsilon|\\?epsilon|\\?eps\b|ϵ", "δ": r"\\?delta", "ρ": r"\\?rho"}
_POWER = r"10 ?\^ ?-? ?\d{1,4}"
_DECIMAL = (
    r"(?:(?:\d{1,3}(?:,\d{3}){1,9}(?![\d,])|\d{1,30})(?:\.\d{1,40})?|\.\d{1,40})(?:e[-+]?\d{1,4})?"
)
# What follows a number that is a part of something longer: "0,5", "1/n", "2 ln 3", "1-2", "5%".
_LONGER = (
    r"(?!\d|[.,]\d|e[-+]?\d| ?\^| ?/ ?[\d(|n]| ?\*| ?(?:ln|log|√|\\(?:ln|log|sqrt))|-\d| to \d| ?%)"
)
_NUMBER = rf"-?(?:{_POWER}|{_DECIMAL}(?: ?\* ?{_POWER})?)"
_FOR_DELTA = rf"(?:10 ?-\d{{1,4}}|{_DECIMAL} ?\* ?10 ?-\d{{1,4}}|{_NUMBER})"
_LINK = r"(?: ?(?:=|:|≈|~|≤|<=|\bof|\bis|\bequals) ?| (?=\d))"
_MENTIONS = re.compile(
    rf"(?P<both>\(ε ?, ?δ\) ?= ?\( ?(?P<e>{_NUMBER}) ?, ?(?P<d>{_FOR_DELTA}) ?\))"
    rf"|\( ?(?P<first>{_NUMBER}) ?, ?(?P<second>{_FOR_DELTA}) ?\)[ -]?(?=DP\b|differential)"
    rf"|δ{_LINK}(?P<delta>{_FOR_DELTA}){_LONGER}|(?P<name>[ερ]){_LINK}(?P<value>{_NUMBER}){_LONGER}",
    re.IGNORECASE,
)
_SUM = re.compile(
    rf"(?<![\d.*+^/√-] )(?<!\b\w )(?<![\w.,*+^/√-])((?:{_DECIMAL} ?[*+] ?)+{_DECIMAL})"
    rf" ?= ?({_DECIMAL})(?! ?[\w*+^/%-])"
)


_CLAUSE_ENDS = re.compile(r"[ \t]*(?:$|[;)]|[.,](?!\d))", re.MULTILINE)


@dataclass(frozen=True)
class Mention:
    """A number that a text gives: of which parameter, how written, and what stands around it.

    Attributes:
        name: of the parameter.
        value: the number as it is printed.
        written: the text.
        before: what stands before it in a sentence.
        after: what follows.
        parsed: whether it is all that was said there: only then does it contradict another.
    """

    name: str
    value: Fraction
    written: str
    before: str = ""
    after: str = ""
    parsed: bool = False

    @property
    def half_unit(self) -> Fraction:
        """Half a unit of the last digit that was written."""
        try:
            exponent = Decimal(self.written.replace(",", "")).as_tuple().exponent
        except ArithmeticError:
            return Fraction(0)
        return Fraction(10) ** int(exponent) / 2 if abs(int(exponent)) < 400 else Fraction(0)

    @property
    def rounding(self) -> Fraction:
        """How far it may be from what it was before it was rounded; a whole number was not."""
        return self.half_unit if re.search(r"[.e]", self.written.lower()) else Fraction(0)


@dataclass(frozen=True)
class Sum:
    """A calculation such as "0.11 * 2 + 0.22 = 0.44".

    Attributes:
        written: the text.
        left: what its left side is.
        right: what it is said to be.
        slack: how far the two differ at most if every decimal in it was rounded.
    """

    written: str
    left: Mention
    right: Mention
    slack: Fraction


@dataclass(frozen=True)
class ListLine:
    """A line of a list: its depth and its text."""

    indent: int
    text: str


def plain(text: str) -> str:
    """Write a text without LaTeX, with one spelling of each parameter."""
    for sign in ("\N{MINUS SIGN}", "\N{EN DASH}", "\N{NON-BREAKING HYPHEN}"):
        text = text.replace(sign, "-")
    text = re.sub(
        r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: "10^" + found[1].translate(_SUPERSCRIPTS), text
    )
    text = re.sub(r"\\{1,2}[()\[\]]|[${}`]", "", text)
    text = re.sub(r"\\times\b|\\cdot\b|[×·]|(?<=\d) x (?=\d)", "*", text)
    for sign, spelt in _NAMES.items():
        text = re.sub(rf"(?<![a-zA-Z])(?:{spelt})(?![a-zA-Z])", sign, text, flags=re.IGNORECASE)
    return re.sub(r"[ \t]+", " ", re.sub(r"(?<=\S) ?\\approx ?", " ≈ ", text))


def number(text: str, *, power: bool = False) -> Fraction | None:
    """Return the number that a text is; None if it is none.

    Args:
        text: such as "2.63", "1,000", "4.08 * 10^-8".
        power: whether 10-5, as copied out of a PDF, is 10^-5.
    """
    text = plain(text).strip().lower().replace(" ", "")
    if "," in text:  # 1,000 is one thousand; whether 0,5 is a half is not for us to say
        if not re.fullmatch(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", text):
            return None
        text = text.replace(",", "")
    if power:
        text = re.sub(r"(?:^|(?<=\*))10-(\d+)$", r"10^-\1", text)
    text = re.sub(
        r"(?:\*|^)10\^(-?\d+)$", lambda found: f"{'' if found.start() else '1'}e{found[1]}", text
    )
    try:
        return arguments.parse("the number", text)
    except (ValueError, ArithmeticError):
        return None


def mentions(text: str) -> list[Mention]:
    """Return the parameters that a text, made plain, gives numbers for."""
    found = []
    ends: dict[str, int] = {}  # what stands before one number of a name belongs to it alone
    for each in _MENTIONS.finditer(text):
        pairs = [("ε", each["e"] or each["first"]), ("δ", each["d"] or each["second"])]
        if pairs[0][1] is None:
            pairs = [(each["name"] or "δ", each["value"] or each["delta"])]
        for name, written in pairs:
            value = number(written, power=name == "δ")
            if value is not None:
                before = text[max(ends.get(name, 0), each.start() - 60) : each.start()]
                after = text[each.end() : each.end() + 60]
                found.append(Mention(name, value, written.strip(), before, after))
            ends[name] = each.end()
    return found


def sentences(text: str) -> list[str]:
    """Split lines at the ends of their sentences."""
    return [each for line in text.splitlines() for each in re.split(r"(?<=[.;]) (?=[A-Z(])", line)]


def lines(text: str) -> list[ListLine]:
    """Return the lines of a list with their depths, as lists are written in Markdown."""
    return [
        ListLine(len(each) - len(each.lstrip()), plain(each.strip()))
        for each in text.splitlines()
        if each.strip()
    ]


def sums(text: str) -> list[Sum]:
    """Return each calculation of a text, parsed where nothing but the calculation is a clause.

    "A third of 3 + 6 = 3" is right, though its end alone is not: words before it may belong to it.
    """
    found = []
    for each in _SUM.finditer(text):
        right = number(each[2])
        terms = [[_factor(factor) for factor in term.split("*")] for term in each[1].split("+")]
        if right is None or any(factor is None for term in terms for factor in term):
            continue
        ends = [
            sum(
                (
                    math.prod((one[place] for one in term if one), start=Fraction(1))
                    for term in terms
                ),
                Fraction(0),
            )
            for place in range(3)
        ]
        line = text[text.rfind("\n", 0, each.start()) + 1 : each.start()].rstrip(" \t")
        begins = not line or line[-1] in ":;=."
        alone = begins and bool(_CLAUSE_ENDS.match(text, each.end()))
        left = Mention("", ends[1], each[1].strip(), parsed=alone)
        said = Mention("", right, each[2], parsed=alone)
        slack = said.half_unit + max(ends[2] - ends[1], ends[1] - ends[0])
        found.append(Sum(each[0], left, said, slack))
    return found


def _factor(text: str) -> tuple[Fraction, Fraction, Fraction] | None:
    """Return a number between the ends that round to it; a whole number is a count, and exact."""
    value = number(text)
    if value is None:
        return None
    half = Mention("", value, text.strip()).rounding
    return value - half, value, value + half
