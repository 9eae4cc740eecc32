"""The pytest plugin: certified vectors as parametrised tests of a library's own code.

pytest imports this module in every run of every project that has dporacle installed, so nothing
heavy is imported before a test asks for a vector. `docs/pytest.md` is the manual.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from dporacle.conformance.grade.asked_vector import AskedVector
    from dporacle.frozen import FrozenCheck
    from dporacle.vectors.vector_file import Refusal, Vector, VectorFile

_FIXTURE = "dporacle_vector"
_MARKERS = (
    "dporacle(function, flags=(), fixed={}, refusals=False, fail_on='slight', unsafe_ulp=0, "
    "excess=None, "
    "known_failures={}, skip={}): run the test on the certified vectors of a function; it takes "
    "the fixture dporacle_vector",
    "dporacle_group(name): set on each vector's test: its group",
    "dporacle_flag(name): set on each vector's test, once per flag: why the vector exists",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose among the vectors."""
    group = parser.getgroup("dporacle", "certified vectors of the Gaussian mechanism")
    for name, what in (("group", "of this group (function)"), ("flag", "with this flag")):
        group.addoption(
            f"--dporacle-{name}",
            action="append",
            default=[],
            metavar=name.upper(),
            help=f"of the tests on vectors, run only those {what}; may be repeated",
        )
    group.addoption(
        "--dporacle-all",
        action="store_true",
        help="print every failure on vectors in full, not one of each cause",
    )
    group.addoption(
        "--dporacle-known-failures",
        metavar="FILE",
        help="what is expected to fail, in the format of `dporacle baseline`",
    )
    group.addoption("--dporacle-baseline", metavar="FILE", help="write what fails as such a file")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and refuse names that no vector bears."""
    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    if groups := config.getoption("--dporacle-group"):
        from dporacle.vectors.vector_file import GROUPS

        _known("--dporacle-group", groups, GROUPS)
    if flags := config.getoption("--dporacle-flag"):
        from dporacle.vectors.notes import NOTES

        _known("--dporacle-flag", flags, NOTES)
    from dporacle.pytest_plugin.summary import VectorSummary

    summary = VectorSummary(config)
    config.pluginmanager.register(summary, "dporacle-summary")


def _known(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise pytest.UsageError(f"{what}: no {name!r}; there are {', '.join(known)}")


@pytest.fixture
def dporacle_vector() -> AskedVector:
    """A certified vector: `.inputs`, `.check(answer)`, `.call(function)`, `.flags`, `.notes`."""
    raise pytest.UsageError(f"{_FIXTURE} stands in a test with the mark `dporacle(function=...)`")


@pytest.fixture
def frozen_noise() -> Callable[..., FrozenCheck]:
    """`frozen.check`, which fails the test unless nothing is found or what is asked is accepted.

    `accept={kind: reason}` names the questions that are answered; proofs always fail.
    """

    def asked(
        function: Callable[[Any], Any], *, accept: Mapping[str, str] | None = None, **given: Any
    ) -> FrozenCheck:
        from dporacle import frozen

        found = frozen.check(function, **given)
        try:
            return found.require(accept)
        except AssertionError:
            pass  # pytest shows what was found, and neither traceback nor this error
        return pytest.fail(str(found), pytrace=False)

    return asked


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Turn a marked test into one per vector."""
    if _FIXTURE not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("dporacle")
    if mark is None:
        return  # the fixture says what is missing
    try:
        parameters = list(_parameters(*mark.args, **mark.kwargs))
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: mark dporacle: {error}") from None
    metafunc.parametrize(_FIXTURE, parameters)


def _parameters(
    function: str,
    *,
    flags: Iterable[str] = (),
    fixed: Mapping[str, float] | None = None,
    refusals: bool = False,
    fail_on: str = "slight",
    unsafe_ulp: float = 0,
    excess: float | Literal["declared"] | None = None,
    known_failures: Mapping[str, str] | None = None,
    skip: Mapping[str, str] | None = None,
) -> Iterable[Any]:
    """Yield the parameters of one marked test.

    Raises:
        TypeError, ValueError: if the mark says something that cannot be.
    """
    from dporacle.conformance.grade.asked_vector import AskedVector
    from dporacle.conformance.grade.functions import Gate
    from dporacle.conformance.judge.harm_levels import least_harm
    from dporacle.vectors.vector_file import load

    if isinstance(flags, str):
        raise TypeError(f"flags must be a list of names, got the text {flags!r}")
    file, fixed = load(function), dict(fixed or {})
    wanted = set(flags)
    if unknown := wanted - set(file.notes):
        known = ", ".join(file.notes)
        raise ValueError(f"{function} has no flag {', '.join(sorted(unknown))}; it has {known}")
    cases = [each for each in _cases(file, fixed, refusals) if not wanted or wanted & {*each.flags}]
    if not cases:
        raise ValueError(f"no vector is left: none of {', '.join(wanted)} with {dict(fixed)}")
    gate = Gate(fail_on=least_harm(fail_on), unsafe_ulp=unsafe_ulp)
    failures, skips = _Declared("known_failures", known_failures), _Declared("skip", skip)
    for case in cases:
        marks = [pytest.mark.dporacle_group(name=function)]
        marks += [pytest.mark.dporacle_flag(name=flag) for flag in case.flags]
        if reason := skips.reason(case):
            marks.append(pytest.mark.skip(reason=reason))
        if reason := failures.reason(case):
            marks.append(pytest.mark.xfail(reason=reason, strict=True))
        asked = AskedVector(
            file=file, vector=case, fixed=fixed, gate=gate, excess=excess, declined=pytest.skip
        )
        yield pytest.param(asked, id=case.id, marks=marks)
    failures.complain_about_unused()
    skips.complain_about_unused()


def _cases(file: VectorFile, fixed: Mapping[str, float], refusals: bool) -> list[Vector | Refusal]:
    """Return the cases in which the fixed inputs are what they are fixed at."""
    cases: list[Vector | Refusal] = [*file.vectors, *(file.refusals if refusals else ())]
    for name in fixed:
        if name not in cases[0].inputs:
            raise ValueError(f"{file.function} has no input {name!r} to be fixed")
    return [each for each in cases if all(each.inputs[name] == fixed[name] for name in fixed)]


class _Declared:
    """Patterns of ids, or `flag:NAME`, each with a reason."""

    def __init__(self, what: str, reasons: Mapping[str, str] | None) -> None:
        self._what = what
        self._reasons = dict(reasons or {})
        self._unused = set(self._reasons)
        for pattern, reason in self._reasons.items():
            if not isinstance(reason, str) or not reason.strip():
                raise ValueError(f"{what}: {pattern!r} needs a reason")

    def reason(self, case: Vector | Refusal) -> str:
        """Return why this case is declared, or nothing."""
        found = ""
        for pattern, reason in self._reasons.items():
            flag = pattern.removeprefix("flag:")
            by_flag = flag != pattern and flag in case.flags
            if by_flag or fnmatch.fnmatchcase(case.id, pattern):
                self._unused.discard(pattern)
                found = found or reason
        return found

    def complain_about_unused(self) -> None:
        """A declaration that fits no vector is misspelt or outlived."""
        if self._unused:
            patterns = ", ".join(map(repr, sorted(self._unused)))
            raise ValueError(f"{self._what}: no vector fits {patterns}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Apply the options, and note group and flags for the JUnit report."""
    chosen = {
        "dporacle_group": set(config.getoption("--dporacle-group")),
        "dporacle_flag": set(config.getoption("--dporacle-flag")),
    }
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("dporacle_group") is None:
            kept.append(item)  # not ours
            continue
        names = {mark: [m.kwargs["name"] for m in item.iter_markers(mark)] for mark in chosen}
        for mark, values in names.items():
            item.user_properties.append((mark, ", ".join(values)))
        fits = all(not want or want & set(names[mark]) for mark, want in chosen.items())
        (kept if fits else dropped).append(item)
    if dropped:
        items[:] = kept
        config.hook.pytest_deselected(items=dropped)
