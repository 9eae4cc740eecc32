"""Typeset the formulas of the notes: from plain text, as it stands there, to MathML.

The notes are read in a terminal as well, so that a formula in them is text: δ(ε) ≤ e^{−t²ρ}/(1+t).
Here it gets its roots, its raised and lowered parts, its italics and, where it stands by itself,
its fractions. What is not surely a formula stays as it is. Browsers set MathML by themselves:
nothing is loaded. Formulas wait behind marks while Markdown is read, which knows nothing of them.
"""

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

_FUNCTION_NAMES = """
ln log log2 exp erf erfc erfcx sin cos cot sinh cosh tanh asinh max min sup inf
Pr Re Im Var Vol arg Tr lim Beta BetaPrime
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_NAMES = frozenset(("KL", "TV"))
_SHORT_WORDS = """
an as at be by do he if in is it its me my no of on or so to up us we
all and any are but for has not one out the two was
"""
_WORDS = frozenset(_SHORT_WORDS.split())
_STARRED = frozenset("σPQRLvT")  # letters that a star belongs to, where it is no emphasis
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵏ", "0123456789+−()k", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼ", "0123456789+−ij", strict=True))
_SIGNS_BETWEEN = "= < > ≤ ≥ ≠ ≈ ± ∓ + − · × / ~ ∝ → ↦ ∈ ∉ ⊂ ∪ ∩ ⊗ ≪ ≫ := : … \\"
_OPERATORS = frozenset(_SIGNS_BETWEEN.split())
_SIGNS = frozenset("−±+")
_CLOSERS = {"(": ")]", "[": ")]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}
_OPENS = frozenset("([_^|‖√")
_FIRST = frozenset("<>≤≥·")  # in brackets, before anything
_BETWEEN = _FIRST | frozenset(",;|‖:=")
_FRACTIONS = "½¼¾"
_BREAK = "\n"
_HIDDEN_BREAK = "\t"  # where nothing is seen unless the line is broken
_TOKEN = re.compile(
    r"""
    (?P<opaque>``?[^`]+``?|!?\[[^\]]*\]\([^)]*\)|\*\*+|\\[^|*_\s]|https?:\S+)
  | (?P<space>\s+)
  | (?P<text>[A-Za-z]*[À-ÖØ-öø-ÿ][A-Za-zÀ-ÖØ-öø-ÿ]*|[A-Za-z]+(?:\.[A-Za-z0-9]+)+
      |[A-Za-z]{2,}['’][A-Za-z]+|(?!log2\b)(?:[A-Z]+|[a-z]{2,})\d[\w.]*
      |[A-Za-z]+-[A-Za-z]{2,}[\w-]*)
  | (?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)
  | (?P<raised>[⁰¹²³⁴-⁹⁺⁻⁽⁾ᵏ]+)
  | (?P<lowered>[₀-₉₊₋ᵢⱼ]+)
  | (?P<latin>log2|(?:[A-Za-z][\u0300-\u036f]?)+)
  | (?P<greek>[α-ωΑ-Ωϕℓ∂∇∞∏∑𝓑][\u0300-\u036f]?|[½¼¾])
  | (?P<prime>(?:[′″]|'(?!s\b))+)
  | (?P<star>\*)
  | (?P<sign>:=|\\[|*_]|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_MARK = re.compile("\ue000(\\d+)\ue001")
_BLOCK = re.compile(r"((?:^```.*?^```[^\n]*\n?)|\n[ \t]*(?=\n))", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"\n*#+ [^\n]*(?:\n|$)")
_STRONG = re.compile(r"[α-ωΑ-Ω=≤≥∫√·₀₁]")


class _NoFormulaError(Exception):
    """What stands here is no formula, or no longer one."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    written: str = ""


class Formulas:
    """The formulas of a site, behind marks until its pages are written."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []

    def marked(self, page: str) -> str:
        """Return a page of Markdown with a mark for each formula."""
        return "".join(self._block(each) for each in _BLOCK.split(page))

    def cell(self, text: str) -> str:
        """Return the text of a cell of a table with a mark for each formula."""
        return self._line(text)

    def placed(self, written: str, *, is_page: bool) -> str:
        """Return a written page with the formulas in it, or a file of data with their texts."""

        def place(found: re.Match[str]) -> str:
            formula, text = self._found[int(found[1])]
            return formula if is_page else json.dumps(text, ensure_ascii=False)[1:-1]

        return _MARK.sub(place, written)

    def _mark(self, formula: str, text: str) -> str:
        self._found.append((formula, text))
        return f"\ue000{len(self._found) - 1}\ue001"

    def _block(self, block: str) -> str:
        if block.startswith("```") or not block.strip():
            return block
        if heading := _HEADING.match(block):
            rest = block[heading.end() :]
            return heading[0] + (self._block(rest) if rest else "")
        rows = block.strip("\n").split("\n")
        if all(row.startswith("    ") for row in rows):
            if not all(_STRONG.search(row) for row in rows):
                return block
            return "\n" + "\n".join(self._display(row.strip()) for row in rows) + "\n"
        if all(row.startswith("|") and row.endswith("|") for row in rows):
            cells = (re.split(r"(?<!\\)\|", row) for row in block.split("\n"))
            return "\n".join("|".join(map(self._line, row)) for row in cells)
        return self._line(block)

    def _line(self, text: str) -> str:
        return _Reader(text).replaced(self._mark)

    def _display(self, row: str) -> str:
        formula = _Reader(row.replace("**", ""), shows_fractions=True).whole()
        shown = f'<math display="block">{formula}</math>'
        return f'<div class="formula">{self._mark(shown, row)}</div>\n'


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str, *, shows_fractions: bool = False) -> None:
        self.tokens = [
            _Token(str(found.lastgroup), found[0].lstrip("\\") or found[0], found[0])
            for found in _TOKEN.finditer(text)
        ]
        self.at = self.depth = 0
        self.shows_fractions = shows_fractions

    def replaced(self, mark: Callable[[str, str], str]) -> str:
        """Return the text with every formula in it given to `mark`."""
        parts = []
        while self.at < len(self.tokens):
            start = self.at
            formula = None if self._is_article() else self._attempt(self._formula)
            source = "".join(token.text for token in self.tokens[start : self.at])
            if formula is None or not self._is_formula(start):
                self.at = start + 1
                token = self.tokens[start]
                parts.append(token.written)
                while token.kind == "latin" and self._next().kind == "latin":
                    parts.append(self._take().written)
            else:
                # Browsers break no line within a formula: it is several where it may be broken.
                shown = formula.replace(_BREAK, "</math> <math>")
                shown = shown.replace(_HIDDEN_BREAK, "</math><wbr><math>")
                parts.append(mark(f"<math>{shown}</math>", " ".join(source.split())))
        return "".join(parts)

    def whole(self) -> str:
        """Return a line that is a formula, with what are words in it."""
        parts = []
        while self.at < len(self.tokens):
            formula = self._attempt(self._formula)
            if formula is not None:
                parts.append(formula)
                continue
            token = self._take()
            if token.kind == "space":
                parts.append(_space(min(len(token.text), 4) * 0.25))
            elif token.text in _OPERATORS or token.text in "(),.;":
                parts.append(_operator(token.text, is_fence=token.text in "()"))
            else:
                parts.append(_tag("mtext", token.text))
        return "".join(parts)

    def _is_article(self) -> bool:
        """Tell whether an `a` is a word."""
        if self._next().text not in {"a", "A", "I"} or self._next(1).kind != "space":
            return False
        return self._next(2).text not in _OPERATORS or self._next(2).text == "…"

    def _is_formula(self, start: int) -> bool:
        """Tell whether what was read is more than a number or a word of prose."""
        taken = self.tokens[start : self.at]
        if all(each.kind in {"number", "space"} or each.text in ",()[]" for each in taken):
            return False
        text = "".join(each.text for each in taken)
        if re.fullmatch(r"\([A-Z]\)|\[[A-Z]\d?\]|\(?[A-Za-z]\d+\)?", text):
            return False  # a label
        if len(taken) > 1 or taken[0].kind != "latin":
            return True
        if len(taken[0].text) > 1:
            return False
        before = self.tokens[start - 1].text if start else " "
        after = self._next()
        if before[-1:] in "-–'’\"." or after.text in {"-", "'", "’"}:
            return False
        # An initial of somebody's name; a word; a language.
        return not (taken[0].text.isupper() and after.text == ".") and taken[0].text not in "aAI"

    def _next(self, ahead: int = 0) -> _Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else _Token("end", "")

    def _take(self) -> _Token:
        token = self._next()
        self.at += 1
        return token

    def _attempt(self, read: Callable[[], str]) -> str | None:
        """Read something, or nothing."""
        start = self.at
        try:
            return read()
        except _NoFormulaError:
            self.at = start
            return None

    def _skip(self) -> bool:
        """Pass over space; tell whether there was any."""
        if self._next().kind == "space":
            self.at += 1
            return True
        return False

    def _formula(self) -> str:
        """Read operands with operators between them, as far as they go."""
        parts = [self._signed()]
        while True:
            start = self.at
            spaced = self._skip()
            operator = self._next().text
            more = None
            ends = operator == ":" and not spaced and self._next(1).kind in {"space", "end"}
            if operator in _OPERATORS and not ends:
                self.at += 1
                after = self._skip()
                if spaced == after or operator in "/·,:":
                    more = self._attempt(self._signed)
                if more is not None and spaced and not self.depth and not self.shows_fractions:
                    parts += [_BREAK, _operator(operator, is_first=True), more]
                elif more is not None:
                    may_break = operator == "·" and not self.depth and not self.shows_fractions
                    parts += [_HIDDEN_BREAK * may_break + _operator(operator), more]
            elif spaced and self._may_follow() and not (len(parts) == 1 and _is_bracket(parts[0])):
                more = self._attempt(self._operand)
                if more is not None:
                    parts += [_space(0.17), more]
            if more is None:
                self.at = start
                return "".join(parts)

    def _may_follow(self) -> bool:
        """Tell whether what stands after a space belongs to the formula before it."""
        token, after = self._next(), self._next(1)
        if token.kind == "latin" and token.text not in _FUNCTIONS:
            if len(token.text) > 1:
                return bool(re.fullmatch("d[a-zA-Z]", token.text)) and token.text not in _WORDS
            if token.text == "d" and after.kind == "greek":
                return True
            return token.text not in "aAI" and (
                after.kind in {"raised", "lowered"}
                or after.text in {"(", "[", "^", "_", "|"}
                or self._next(-3).text == "^"
            )
        if token.kind == "number":
            return after.text == "^"
        if token.text in {"(", "[", "{"}:
            return self.shows_fractions
        return token.kind == "greek" or token.text in _FUNCTIONS or token.text in {"√", "∫"}

    def _signed(self) -> str:
        sign = ""
        if self._next().text in _SIGNS and self._next(1).kind != "space":
            sign = _operator(self._take().text, is_prefix=True)
        return sign + self._operand()

    def _operand(self) -> str:
        """Read what stands together without a space, and a fraction of two such."""
        found = self._product()
        while self.shows_fractions and self._next().text == "/":
            start = self.at
            self.at += 1
            below = self._attempt(self._product)
            if below is None:
                self.at = start
                break
            found = f"<mfrac>{_bare(found)}{_bare(below)}</mfrac>"
        return found

    def _product(self) -> str:
        is_function = self._next().text in _FUNCTIONS | {"∫"}
        parts = [self._scripted()]
        if is_function and self._next().kind == "space" and self._starts(1):
            start = self.at
            self.at += 1
            argument = self._attempt(self._product)
            if argument is None:
                self.at = start
            else:
                parts += [_space(0.17), argument]
        while self._next().kind != "space":
            more = self._attempt(self._scripted) if self._glues() else None
            if more is None:
                break
            parts.append(more)
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def _glues(self) -> bool:
        token = self._next()
        if token.text in {"|", "‖"}:
            return False  # it closes, or stands between two
        return (
            token.kind in {"number", "latin", "greek"}
            or token.text in _CLOSERS
            or (token.text in {"√", "∫"})
        )

    def _scripted(self) -> str:
        """Read an atom with what is raised, lowered and primed at it."""
        atom, name = self._atom()
        below = above = behind = ""  # a prime and a star are raised by themselves
        while True:
            token = self._next()
            if token.kind == "prime" and (token.text != "'" or name):
                behind += _tag("mo", self._take().text.replace("'", "′"), _CLOSE)
            elif token.kind == "star" and name in _STARRED and self._next(1).kind != "star":
                self.at += 1
                behind += _tag("mo", "*", _CLOSE)
            elif token.kind == "raised":
                above += _digits(self._take().text, _RAISED)
            elif token.kind == "lowered":
                below += _digits(self._take().text, _LOWERED)
            elif token.text in {"^", "_"} and self._next(1).kind != "space":
                start = self.at
                self.at += 1
                script = self._attempt(self._script_below if token.text == "_" else self._script)
                if script is None:
                    self.at = start
                    break
                above += script if token.text == "^" else ""
                below += script if token.text == "_" else ""
            elif token.text == "!":
                atom += _tag("mo", self._take().text)
            else:
                break
        if behind:
            atom = _row(atom + behind)
        if above and below:
            return f"<msubsup>{_row(atom)}{_row(below)}{_row(above)}</msubsup>"
        if above:
            return f"<msup>{_row(atom)}{_row(above)}</msup>"
        return f"<msub>{_row(atom)}{_row(below)}</msub>" if below else atom

    def _script(self) -> str:
        """Read what is raised: one atom, or what brackets hold."""
        fractions, self.shows_fractions = self.shows_fractions, False
        try:
            sign = ""
            if self._next().text in {"−", "-", "±"}:
                sign = _operator(self._take().text.replace("-", "−"), is_prefix=True)
            if self._next().text in {"(", "{"} and not sign:
                closer = _CLOSERS[self._take().text][0]
                return self._list(closer, allows_words=True)
            token = self._next()
            if token.kind == "latin":
                self.at += 1
                return sign + "".join(_tag("mi", each) for each in token.text)
            return sign + self._scripted()
        finally:
            self.shows_fractions = fractions

    def _script_below(self) -> str:
        """Read what is lowered: a word is an index."""
        return self._script() if self._next().kind != "number" else _tag("mn", self._take().text)

    def _atom(self) -> tuple[str, str]:
        """Read a number, a letter, a function's name, a root or brackets; and its name."""
        token = self._take()
        if token.kind == "number":
            return _tag("mn", token.text), ""
        if token.kind == "greek":
            if token.text == "ℓ" and self._next().kind == "number":
                return f"<msub><mi>ℓ</mi>{_tag('mn', self._take().text)}</msub>", "ℓ"
            kind = "mn" if token.text in _FRACTIONS else "mi"
            return _tag(kind, token.text), token.text
        if token.kind == "latin":
            return self._letters(token)
        if token.text == "√":
            inside = self._sum() if self._next().text in {"Σ", "∑"} else self._scripted()
            return f"<msqrt>{_bare(inside)}</msqrt>", ""
        if token.text == "∫":
            return _tag("mo", "∫"), ""
        if token.kind == "lowered":  # before a letter, as of a hypergeometric function
            return f"<msub><mrow></mrow>{_row(_digits(token.text, _LOWERED))}</msub>", ""
        if token.text == "…":
            return _tag("mi", "…"), ""
        if token.text == "·" and self._next().text in {"|", ")", ",", "}"}:
            return _tag("mi", "·"), ""
        if token.text in {"|", "‖"}:
            return self._bars(token.text), ""
        if token.text in _CLOSERS:
            return self._brackets(token.text), ""
        raise _NoFormulaError

    def _sum(self) -> str:
        """Read a sum under a root, which is over all of it."""
        found = self._scripted() + (_space(0.17) if self._skip() else "") + self._product()
        while self._next().text == "/":
            self.at += 1
            found += _operator("/") + self._product()
        return found

    def _letters(self, token: _Token) -> tuple[str, str]:
        """Read variables, or the name of a function."""
        text, after = token.text, self._next()
        before = self.tokens[self.at - 2] if self.at > 1 else _Token("space", " ")
        if text in _NAMES:
            return _tag("mi", text), text
        if text == "log2":
            return "<msub><mi>log</mi><mn>2</mn></msub>", text
        if text in _FUNCTIONS:
            glued = after.kind in {"raised", "lowered", "greek"} or after.text in _OPENS
            if glued or (after.kind == "space" and self._starts(1)):
                return _tag("mi", text, 'mathvariant="normal"'), text
            raise _NoFormulaError
        if len(text) > 3 and (after.text in {"·", "‖"} or before.text in {"·", "‖"}):
            return _tag("mi", text), text
        letters = re.findall("[A-Za-z][\u0300-\u036f]?", text)
        if len(letters) > 1 and not self._are_variables(text, before, after):
            raise _NoFormulaError
        return "".join(_tag("mi", each) for each in letters), text[-1]

    def _are_variables(self, text: str, before: _Token, after: _Token) -> bool:
        """Tell whether letters are variables that are multiplied, and no word."""
        if after.text in {"^", "_"} or after.kind == "raised":
            return True
        if before.kind == "greek" and after.text == "/":
            return True
        if text in _WORDS:
            return False
        glued = (
            before.kind in {"number", "greek", "raised", "lowered"}
            or after.kind in {"greek", "lowered"}
            or before.text in {"·", "√", "/"}
            or after.text in {"·", "/"}
        )
        if len(text) <= 3 and (glued or self.depth):
            return True
        is_alone = len(text) == 2 and before.kind == "space" and self._is_beside_operator()
        return is_alone or bool(re.fullmatch("d[a-zA-Z]", text))

    def _is_beside_operator(self) -> bool:
        """Tell whether an operator stands before or after the spaces around a word."""
        after = self._next(self._next().kind == "space").text
        return self.tokens[self.at - 3].text in _OPERATORS or after in _OPERATORS

    def _starts(self, ahead: int) -> bool:
        """Tell whether a formula may start there."""
        token = self._next(ahead)
        return (
            token.kind in {"number", "greek"}
            or (token.kind == "latin" and (len(token.text) == 1 or token.text in _FUNCTIONS))
            or token.text in {"(", "√", "|", "‖"}
        )

    def _bars(self, bar: str) -> str:
        """Read what stands between two bars."""
        self.depth += 1
        try:
            inner = self._formula()
        finally:
            self.depth -= 1
        if self._take().text != bar:
            raise _NoFormulaError
        fence = _operator(bar, is_fence=True)
        return f"<mrow>{fence}{inner}{fence}</mrow>"

    def _brackets(self, opener: str) -> str:
        """Read what stands in brackets; words are allowed in those of a function."""
        before = self.tokens[self.at - 2] if self.at > 1 else _Token("space", " ")
        is_argument = before.kind in {"latin", "greek", "lowered"} and opener in "(["
        inner = self._list(_CLOSERS[opener], allows_words=is_argument)
        closer = self.tokens[self.at - 1].text
        ends = (_operator(each, is_fence=True) for each in (opener, closer))
        return f"<mrow>{next(ends)}{inner}{next(ends)}</mrow>"

    def _list(self, closers: str, *, allows_words: bool = False) -> str:
        """Read formulas with commas between them up to a closing bracket."""
        self.depth += 1
        try:
            return self._listed(closers, allows_words=allows_words)
        finally:
            self.depth -= 1

    def _listed(self, closers: str, *, allows_words: bool) -> str:
        parts: list[str] = []
        while True:
            if self._skip() and parts:
                parts.append(_space(0.17))
            token = self._next()
            if token.text and token.text in closers:
                self.at += 1
                if not parts:
                    raise _NoFormulaError
                return "".join(parts)
            if token.kind in {"end", "opaque"}:
                raise _NoFormulaError
            found = self._attempt(self._formula)
            if found is not None:
                parts.append(found)
            elif token.text in (_BETWEEN if parts else _FIRST):
                parts.append(_operator(self._take().text))
            elif allows_words and token.kind in {"latin", "text"}:
                parts.append(_tag("mtext", self._take().text))
            else:
                raise _NoFormulaError


_CLOSE = 'lspace="0" rspace="0"'


def _tag(name: str, text: str, attributes: str = "") -> str:
    return f"<{name}{' ' * bool(attributes)}{attributes}>{html.escape(text)}</{name}>"


def _row(formula: str) -> str:
    return f"<mrow>{formula}</mrow>"


def _space(width: float) -> str:
    return f'<mspace width="{width:.2f}em"></mspace>'


def _operator(
    text: str, *, is_prefix: bool = False, is_fence: bool = False, is_first: bool = False
) -> str:
    if is_first:
        return _tag("mo", text, 'form="infix" lspace="0" rspace="0.28em" stretchy="false"')
    if is_prefix:
        return _tag("mo", text, 'form="prefix"')
    if is_fence:
        return _tag("mo", text, 'stretchy="false" lspace="0" rspace="0"')
    if text == "/":
        return _tag("mo", text, 'lspace="0" rspace="0" stretchy="false"')
    return _tag("mo", text, 'stretchy="false"')


def _bare(formula: str) -> str:
    """Return a formula as one row, without the round brackets around all of it."""
    fence = _operator("(", is_fence=True), _operator(")", is_fence=True)
    start, end = f"<mrow>{fence[0]}", f"{fence[1]}</mrow>"
    if formula.startswith(start) and formula.endswith(end):
        inner = formula[len(start) : -len(end)]
        depth = 0
        for found in re.finditer(r"<(/?)mrow>", inner):
            depth += -1 if found[1] else 1
            if depth < 0:
                return _row(formula)
        return _row(inner)
    return _row(formula)


def _is_bracket(formula: str) -> bool:
    return formula.startswith(f"<mrow>{_operator('(', is_fence=True)}")


def _digits(text: str, letters: dict[str, str]) -> str:
    found = "".join(letters[each] for each in text)
    return "".join(
        _tag("mn" if part.isdigit() else "mi" if part.isalpha() else "mo", part)
        for part in re.findall(r"\d+|[a-z]|.", found)
    )
