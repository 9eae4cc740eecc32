"""Reads statements of Coq back: a parser that shares nothing with what writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from mpmath import mp, mpf

from support.truths.laws import gaussian_profile

_TOKEN = re.compile(r"\s*(<=|[A-Za-z_]\w*|\d+|[()+\-*/~])")


@dataclass(frozen=True)
class Call:
    """A name or an operator with its arguments."""

    name: str
    parts: tuple[Call | int, ...] = ()


Tree = Call | int


def parse(text: str) -> Tree:
    """Return the tree of a statement."""
    tokens = _TOKEN.findall(text)
    assert "".join(tokens) == re.sub(r"\s", "", text), text
    tree, left = _comparison(tokens)
    assert not left, left
    return tree


def _comparison(tokens: list[str]) -> tuple[Tree, list[str]]:
    if tokens[0] == "~":
        inner, left = _comparison(tokens[1:])
        return Call("~", (inner,)), left
    return _operators(tokens, (("<=",), ("+", "-"), ("*", "/")))


def _operators(tokens: list[str], levels: tuple[tuple[str, ...], ...]) -> tuple[Tree, list[str]]:
    if not levels:
        return _application(tokens)
    tree, left = _operators(tokens, levels[1:])
    while left and left[0] in levels[0]:
        operator = left[0]
        right, left = _operators(left[1:], levels[1:])
        tree = Call(operator, (tree, right))
    return tree, left


def _application(tokens: list[str]) -> tuple[Tree, list[str]]:
    head, left = tokens[0], tokens[1:]
    if not re.match(r"[A-Za-z_]", head):
        return _atom(tokens)
    parts = []
    while left and (left[0] == "(" or re.match(r"\w", left[0])):
        part, left = _atom(left)
        parts.append(part)
    return Call(head, tuple(parts)), left


def _atom(tokens: list[str]) -> tuple[Tree, list[str]]:
    head, left = tokens[0], tokens[1:]
    if head == "(":
        tree, left = _comparison(left)
        assert left[0] == ")"
        return tree, left[1:]
    return (int(head), left) if head.isdigit() else (Call(head), left)


def exact(tree: Tree) -> Fraction:
    """Return the value of a rational number."""
    if isinstance(tree, int):
        return Fraction(tree)
    left, right = map(exact, tree.parts)
    return {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
    }[tree.name]()


def value(tree: Tree) -> mpf:
    """Return the value of a number at mpmath's precision."""
    if isinstance(tree, int):
        return mpf(tree)
    if tree.name == "powerRZ":
        return value(tree.parts[0]) ** tree.parts[1]
    parts = [value(part) for part in tree.parts]
    match tree.name, parts:
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [a, b]:
            return a / b
        case "PI", []:
            return +mp.pi
        case "sqrt", [a]:
            return mp.sqrt(a)
        case "ln", [a]:
            return mp.log(a)
        case "exp", [a]:
            return mp.exp(a)
        case "Phi", [a]:
            return mp.ncdf(a)
        case "profile", [e, m]:
            return gaussian_profile(e, m)
    raise AssertionError(tree)
