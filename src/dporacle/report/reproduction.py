"""What a library's adapter asks, as a script of a few lines that needs nothing of ours.

The adapter's text is followed on paper: its own functions are put in where they are called, what
is known is computed, and what remains is the calls of the library, with the inputs in them.
"""

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

_PLAIN: Mapping[str, Any] = {
    each.__name__: each
    for each in (int, float, str, bool, len, min, max, abs, sum, tuple, list, set, dict, range, zip)
} | {"enumerate": enumerate, "sorted": sorted, "round": round, "isinstance": isinstance}
_KNOWN: Mapping[str, Any] = {"math": math, "Fraction": Fraction}  # followed, as Python's own
_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_CACHES = frozenset({"cache", "lru_cache"})


class _UnknownError(Exception):
    """The text does something that is not followed."""


@dataclass(frozen=True)
class _Rest:
    """An expression of the library, which remains."""

    node: ast.expr

    @property
    def simple(self) -> bool:
        """Whether it may stand more than once."""
        inner: ast.expr = self.node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        return isinstance(inner, (ast.Name, ast.Constant))


@dataclass(frozen=True)
class _Function:
    """A function of the adapter's own."""

    arguments: ast.arguments
    body: list[ast.stmt]
    scope: dict[str, Any]


@dataclass
class _Script:
    """What was written so far."""

    lines: list[ast.stmt] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def reproduction(source: str, function: str, inputs: Mapping[str, float]) -> str:
    """Return a script that asks a library what its adapter asks it; empty if that is not seen.

    Args:
        source: the adapter's text.
        function: the name of one of its functions.
        inputs: what it is given.
    """
    reader = _Reader(ast.parse(source))
    try:
        return reader.script(function, inputs)
    except (_UnknownError, RecursionError):
        return reader.whole(function, inputs)


def functions(source: str) -> dict[str, tuple[str, ...]]:
    """Return the functions of an adapter that are followed, and the arguments they take."""
    found = _Reader(ast.parse(source)).functions
    return {
        name: tuple(each.arg for each in call.arguments.args)
        for name, (_, call, *_) in found.items()
        if isinstance(call, _Function)
    }


def note(source: str, function: str) -> str:
    """Return what an adapter notes of one of its functions; empty if that is not followed."""
    found = _Reader(ast.parse(source)).notes.get(function, "")
    return found if isinstance(found, str) else ""


class _Reader:
    """Follows an adapter's text."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._given: dict[str, ast.stmt] = {}  # name -> what has to stand before its use
        self._first: list[ast.stmt] = []  # what the adapter does at its start
        self._script = _Script()
        self._module: dict[str, Any] = {}
        for statement in tree.body:
            try:
                self._run([statement], self._module, top=True)
            except _UnknownError:
                for name in _defines(statement):
                    self._module.pop(name, None)

    @property
    def functions(self) -> dict[str, tuple[Any, ...]]:
        """What the adapter says that it offers."""
        known = self._module.get("FUNCTIONS")
        return known if isinstance(known, dict) else {}

    @property
    def notes(self) -> dict[str, Any]:
        """What the adapter notes of its functions."""
        known = self._module.get("NOTES")
        return known if isinstance(known, dict) else {}

    def script(self, function: str, inputs: Mapping[str, float]) -> str:
        """Return the library's calls alone."""
        if function not in self.functions:
            raise _UnknownError
        self._script = _Script()
        answer = _node(self._called(self.functions[function][1], [], dict(inputs)), self)
        last = ast.Expr(ast.Call(ast.Name("print", ast.Load()), [answer], []))
        return _text([*self._needed([*_used(self._script.lines, last), last])])

    def whole(self, function: str, inputs: Mapping[str, float]) -> str:
        """Return all that the adapter has, without its explanations, if it has the function."""
        if self.functions and function not in self.functions:
            return ""
        own = [node for node in self._tree.body if not _explains(node)]
        given = ", ".join(f"{name}={value!r}" for name, value in inputs.items())
        asked = f"print(FUNCTIONS[{function!r}][1]({given}))"
        return _text([*own, *ast.parse(asked).body]) if own else ""

    def _needed(self, lines: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the imports and definitions that lines use, and then the lines."""
        wanted, known = {*_names(lines)}, set[str]()
        while wanted - known:
            for name in wanted - known:
                known.add(name)
                if name in self._given:
                    wanted |= {*_names([self._given[name]])}
        kept = [_imported(each, known) for name, each in self._given.items() if name in known]
        first = [each for each in self._first if known & {*_names([each])}]
        lines = [*kept, *first, *lines]
        imports = [each for each in lines if isinstance(each, (ast.Import, ast.ImportFrom))]
        yield from {ast.unparse(each): each for each in imports}.values()
        yield from (each for each in lines if each not in imports)

    # Statements.

    def _run(self, body: Iterable[ast.stmt], scope: dict[str, Any], *, top: bool = False) -> Any:
        """Follow statements; return what they return, as a tuple of one, or None."""
        for statement in body:
            match statement:
                case ast.Import() | ast.ImportFrom():
                    for name in _defines(statement):
                        self._given[name] = statement
                        scope[name] = _KNOWN.get(name) or _Rest(ast.Name(name, ast.Load()))
                case ast.FunctionDef():
                    if any(_last(each) not in _CACHES for each in statement.decorator_list):
                        raise _UnknownError
                    scope[statement.name] = _Function(statement.args, statement.body, scope)
                case ast.ClassDef():
                    self._given[statement.name] = statement
                    scope[statement.name] = _Rest(ast.Name(statement.name, ast.Load()))
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, self._value(value, scope), scope, top=top)
                case ast.AugAssign(target=ast.Name(id=name), op=how, value=value):
                    old = scope.get(name)
                    scope[name] = _applied(how, old, self._value(value, scope))
                case ast.If(test=test, body=inner, orelse=other):
                    if (done := self._branch(test, inner, other, scope, top=top)) is not None:
                        return done
                case ast.For(target=target, iter=values, body=inner):
                    for value in _listed(self._value(values, scope)):
                        self._assign(target, value, scope, top=top)
                        if (done := self._run(inner, scope, top=top)) is not None:
                            return done
                case ast.Return(value=value):
                    return (None if value is None else self._value(value, scope),)
                case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert():
                    pass
                case ast.Expr(value=value):
                    rest = self._value(value, scope)
                    if isinstance(rest, _Rest):
                        (self._first if top else self._script.lines).append(ast.Expr(rest.node))
                case _:
                    raise _UnknownError
        return None

    def _branch(
        self,
        test: ast.expr,
        inner: list[ast.stmt],
        other: list[ast.stmt],
        scope: dict[str, Any],
        *,
        top: bool,
    ) -> Any:
        found = self._value(test, scope)
        if not isinstance(found, (_Rest, _Function)):
            return self._run(inner if found else other, scope, top=top)
        if other or not all(isinstance(each, ast.Raise) for each in inner):
            raise _UnknownError
        return None  # a check of the adapter's own, which let the answer pass

    def _assign(self, target: ast.expr, value: Any, scope: dict[str, Any], *, top: bool) -> None:
        match target:
            case ast.Name(id=name):
                if isinstance(value, _Rest) and not value.simple and not top:
                    value = self._kept(name, value)
                scope[name] = value
            case ast.Tuple(elts=parts):
                values = [*_listed(value)]
                if len(values) != len(parts):
                    raise _UnknownError
                for part, each in zip(parts, values, strict=True):
                    self._assign(part, each, scope, top=top)
            case ast.Subscript(value=of, slice=key) if isinstance(
                held := self._value(of, scope), dict
            ):
                held[self._value(key, scope)] = value
            case ast.Attribute(value=of, attr=name) if isinstance(
                owner := self._value(of, scope), _Rest
            ):
                place = ast.Attribute(owner.node, name, ast.Store())
                self._script.lines.append(_assignment(place, _node(value, self)))
            case _:
                raise _UnknownError

    def _kept(self, name: str, value: _Rest) -> _Rest:
        """Give what remains a name, on a line of its own."""
        name = name.lstrip("_") or "found"
        while name in self._script.names or name in self._given:
            name += "_"
        self._script.names.add(name)
        self._script.lines.append(_assignment(ast.Name(name, ast.Store()), value.node))
        return _Rest(ast.Name(name, ast.Load()))

    # Expressions.

    def _value(self, node: ast.expr, scope: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                for known in (scope, self._module, _PLAIN):
                    if name in known:
                        return known[name]
                raise _UnknownError
            case ast.Attribute(value=of, attr=name):
                owner = self._value(of, scope)
                if isinstance(owner, _Rest):
                    return _Rest(ast.Attribute(owner.node, name, ast.Load()))
                return _guarded(getattr, owner, name)
            case ast.Lambda(args=arguments, body=body):
                return _Function(arguments, [ast.Return(body)], dict(scope))
            case ast.Call():
                return self._call(node, scope)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                kind = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
                return kind(self._spread(parts, scope))
            case ast.Dict(keys=keys, values=values):
                made: dict[Any, Any] = {}
                for key, value in zip(keys, values, strict=True):
                    each = self._value(value, scope)
                    made |= each if key is None else {self._value(key, scope): each}
                return made
            case ast.JoinedStr(values=parts):
                return "".join(str(self._piece(part, scope)) for part in parts)
            case ast.BinOp(left=left, op=how, right=right):
                return self._operated(how, node, [left, right], scope)
            case ast.UnaryOp(op=how, operand=operand):
                return self._operated(how, node, [operand], scope)
            case ast.Compare():
                return self._compared(node, scope)
            case ast.BoolOp(op=how, values=parts):
                for part in parts:
                    value = self._value(part, scope)
                    if isinstance(value, _Rest):
                        raise _UnknownError
                    if bool(value) is isinstance(how, ast.Or):
                        return value
                return value
            case ast.IfExp(test=test, body=body, orelse=other):
                found = self._value(test, scope)
                if isinstance(found, _Rest):
                    parts = [
                        found.node,
                        *(_node(self._value(p, scope), self) for p in (body, other)),
                    ]
                    return _Rest(ast.IfExp(*parts))
                return self._value(body if found else other, scope)
            case ast.Subscript(value=of, slice=key):
                owner, place = self._value(of, scope), self._value(key, scope)
                if isinstance(owner, _Rest) or isinstance(place, _Rest):
                    parts = [_node(each, self) for each in (owner, place)]
                    return _Rest(ast.Subscript(parts[0], parts[1], ast.Load()))
                return _guarded(operator.getitem, owner, place)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                found = [self._value(node.elt, each) for each in self._each(node.generators, scope)]
                return set(found) if isinstance(node, ast.SetComp) else found
            case ast.DictComp(key=key, value=value):
                each_scope = self._each(node.generators, scope)
                return {self._value(key, s): self._value(value, s) for s in each_scope}
            case _:
                raise _UnknownError

    def _spread(self, parts: Iterable[ast.expr], scope: Mapping[str, Any]) -> Iterator[Any]:
        for part in parts:
            if isinstance(part, ast.Starred):
                yield from _listed(self._value(part.value, scope))
            else:
                yield self._value(part, scope)

    def _piece(self, node: ast.expr, scope: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.FormattedValue):
            if node.conversion != -1 or node.format_spec is not None:
                raise _UnknownError
            node = node.value
        value = self._value(node, scope)
        if isinstance(value, (_Rest, _Function)):
            raise _UnknownError
        return value

    def _each(
        self, generators: list[ast.comprehension], scope: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        if not generators:
            yield dict(scope)
            return
        first, *others = generators
        for value in _listed(self._value(first.iter, scope)):
            inner = dict(scope)
            self._assign(first.target, value, inner, top=False)
            if all(self._value(test, inner) for test in first.ifs):
                yield from self._each(others, inner)

    def _operated(
        self, how: ast.AST, node: ast.expr, parts: list[ast.expr], scope: Mapping[str, Any]
    ) -> Any:
        values = [self._value(part, scope) for part in parts]
        inner = (each for value in values if isinstance(value, (list, tuple)) for each in value)
        if any(isinstance(value, _Rest) for value in (*values, *inner)):
            nodes = [_node(value, self) for value in values]
            if isinstance(node, ast.BinOp):
                return _Rest(ast.BinOp(nodes[0], node.op, nodes[1]))
            assert isinstance(node, ast.UnaryOp)
            return _Rest(ast.UnaryOp(node.op, nodes[0]))
        return _applied(how, *values)

    def _compared(self, node: ast.Compare, scope: Mapping[str, Any]) -> Any:
        values = [self._value(part, scope) for part in (node.left, *node.comparators)]
        if any(isinstance(value, _Rest) for value in values):
            nodes = [_node(value, self) for value in values]
            return _Rest(ast.Compare(nodes[0], node.ops, nodes[1:]))
        pairs = zip(node.ops, itertools.pairwise(values), strict=True)
        return all(_applied(how, one, other) for how, (one, other) in pairs)

    def _call(self, node: ast.Call, scope: Mapping[str, Any]) -> Any:
        called = self._value(node.func, scope)
        given = [*self._spread(node.args, scope)]
        named: dict[str, Any] = {}
        for each in node.keywords:
            value = self._value(each.value, scope)
            named |= value if each.arg is None else {each.arg: value}
        return self._called(called, given, named)

    def _called(self, called: Any, given: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(called, _Function):
            return self._entered(called, given, named)
        rest = [v for v in (*given, *named.values()) if isinstance(v, (_Rest, _Function))]
        if not isinstance(called, _Rest):
            if not rest:
                return _guarded(called, *given, **named)
            name = getattr(called, "__name__", "")
            owner = getattr(called, "__self__", None)
            if called in (_PLAIN.get(name), _KNOWN.get(name)):
                called = _Rest(ast.Name(name, ast.Load()))
            elif owner is math:
                called = _Rest(ast.Attribute(ast.Name("math", ast.Load()), name, ast.Load()))
            else:
                return _guarded(called, *given, **named)
        values = [_node(each, self) for each in given]
        words = [ast.keyword(name, _node(value, self)) for name, value in named.items()]
        return _Rest(ast.Call(called.node, values, words))

    def _entered(self, called: _Function, given: list[Any], named: dict[str, Any]) -> Any:
        scope = dict(self._module) | called.scope
        scope |= self._bound(called, given, named)
        done = self._run(called.body, scope)
        return done[0] if done else None

    def _bound(self, called: _Function, given: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        arguments = called.arguments
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        bound = dict(zip(names, given, strict=False))
        if len(given) > len(names):
            if arguments.vararg is None:
                raise _UnknownError
            bound[arguments.vararg.arg] = tuple(given[len(names) :])
        elif arguments.vararg is not None:
            bound[arguments.vararg.arg] = ()
        known = {*names, *(each.arg for each in arguments.kwonlyargs)}
        bound |= {name: value for name, value in named.items() if name in known}
        others = {name: value for name, value in named.items() if name not in known}
        if arguments.kwarg is not None:
            bound[arguments.kwarg.arg] = others
        elif others:
            raise _UnknownError
        defaults = dict(zip(names[::-1], arguments.defaults[::-1], strict=False))
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                defaults[each.arg] = default
        for name in known - bound.keys():
            if name not in defaults:
                raise _UnknownError
            bound[name] = self._value(defaults[name], called.scope)
        for name, value in bound.items():  # what is used twice is computed once
            uses = sum(each == name for each in _names(called.body))
            if isinstance(value, _Rest) and not value.simple and uses > 1:
                bound[name] = self._kept(name, value)
        return bound

    def written(self, function: _Function) -> ast.expr:
        """Return one of the adapter's functions as what is handed to the library."""
        arguments = function.arguments
        names = [each.arg for each in arguments.args]
        taken = {*names} & (self._script.names | self._given.keys())
        # Only plain parameters are followed, and a rest of them that nothing reads.
        others = (arguments.posonlyargs, arguments.kwonlyargs, arguments.kwarg)
        read = arguments.vararg is not None and arguments.vararg.arg in _names(function.body)
        if taken or any(others) or read or arguments.defaults:
            raise _UnknownError
        before = len(self._script.lines)
        given: dict[str, Any] = {name: _Rest(ast.Name(name, ast.Load())) for name in names}
        body = _node(self._entered(function, [], given), self)
        if len(self._script.lines) > before:
            raise _UnknownError
        return ast.Lambda(arguments, body)


def _node(value: Any, reader: _Reader) -> ast.expr:
    """Return what is known as it is written."""
    match value:
        case _Rest(node):
            return node
        case _Function():
            return reader.written(value)
        case type(__name__=name) if value is _PLAIN.get(name):
            return ast.Name(name, ast.Load())
        case float() if not math.isfinite(value):
            return ast.parse(f"float({str(value)!r})", mode="eval").body
        case bool() | int() | float() | str() | None:
            return ast.parse(repr(value), mode="eval").body
        case list():
            return ast.List([_node(each, reader) for each in value], ast.Load())
        case tuple():
            return ast.Tuple([_node(each, reader) for each in value], ast.Load())
        case dict():
            keys: list[ast.expr | None] = [_node(each, reader) for each in value]
            return ast.Dict(keys, [_node(each, reader) for each in value.values()])
    raise _UnknownError


def _guarded(called: Callable[..., Any], *given: Any, **named: Any) -> Any:
    try:
        return called(*given, **named)
    except Exception as error:
        raise _UnknownError from error


def _applied(how: ast.AST, *values: Any) -> Any:
    if type(how) not in _OPERATORS:
        raise _UnknownError
    return _guarded(_OPERATORS[type(how)], *values)


def _listed(value: Any) -> Iterable[Any]:
    if isinstance(value, (_Rest, _Function)) or not isinstance(value, Iterable):
        raise _UnknownError
    return value


def _assignment(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.fix_missing_locations(ast.Assign([target], value))


def _used(lines: list[ast.stmt], last: ast.stmt) -> list[ast.stmt]:
    """Return lines without names that nothing reads, such as those of a check."""
    kept: list[ast.stmt] = []
    needed = {*_names([last])}
    for line in reversed(lines):
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id not in needed:
            continue
        needed |= {*_names([line])}
        kept.insert(0, line)
    return kept


def _names(statements: Iterable[ast.AST]) -> list[str]:
    nodes = (node for statement in statements for node in ast.walk(statement))
    return [each.id for each in nodes if isinstance(each, ast.Name)]


def _last(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _text(statements: Iterable[ast.stmt]) -> str:
    return "\n".join(ast.unparse(ast.fix_missing_locations(each)) for each in statements)


def _explains(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defines(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {each.asname or each.name.partition(".")[0] for each in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {each.id for each in statement.targets if isinstance(each, ast.Name)}
    return set()


def _imported(statement: ast.stmt, needed: set[str]) -> ast.stmt:
    """Return an import with the names alone that are needed; any other statement as it is."""
    if isinstance(statement, ast.ImportFrom):
        kept = [each for each in statement.names if (each.asname or each.name) in needed]
        return ast.ImportFrom(statement.module, kept, statement.level)
    return statement
