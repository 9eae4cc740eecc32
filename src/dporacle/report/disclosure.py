"""Which findings are public: `SECURITY.md` has a library's maintainers told before anybody else.

A fault at everyday inputs that could harm somebody, or of a bad event that erases what valid ones
cost, is private until a row here says where it can
be read, or that ninety days have passed. What is private has no row in a record of verdicts, so
that it cannot get onto a page, into a badge or into the feed of changes.
"""

from collections.abc import Collection, Mapping

from dporacle.conformance.ask.fresh import BAD_EVENT
from dporacle.conformance.grade.grades import Grade
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.libraries.pinned import LIBRARIES

PUBLISHED: Mapping[tuple[str, str], str] = {
    ("diffprivlib", "GaussianAnalytic"): "docs/bugs-found.md",
    ("opendp", "then_laplace_threshold.map"): "https://github.com/opendp/opendp/issues/2922",
}
"""Library and function -> a public thread, or a page of this repository that has told it."""


def private(
    library: str, function: str, grade: str, harm: str | None, flags: Collection[str] = ()
) -> bool:
    """Return whether the maintainers are to be told of a finding before anybody else.

    Args:
        library: its name on the package index, or on the command line.
        function: the function's name.
        grade: the function's grade; empty in a record of an earlier version.
        harm: the worst harm at everyday inputs.
        flags: why the inputs were asked that show it. That one bad event erases what others cost
            is nothing that people type, and a fault upstream makes it.
    """
    grave = harm in LEVELS and Level(harm).rank >= Level.NOTICEABLE.rank
    everyday = grade in (Grade.EVERYDAY, "")
    hidden = (grave and everyday) or BAD_EVENT in flags
    return hidden and (library, function) not in PUBLISHED


def known(library: str) -> bool:
    """Return whether a library is somebody else's: one that is known by its name.

    What a maintainer judges by an adapter of their own is theirs to keep and to tell.
    """
    return any(library in (each.name, each.distribution) for each in LIBRARIES.values())
