"""The grades of earlier versions beside those of today, from recorded runs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dporacle.common import marked
from dporacle.conformance.grade.grades import GRADES
from dporacle.report.history import Record, Row, verdicts
from dporacle.report.summary import code

_START, _END = "<!-- earlier and present grades -->\n", "<!-- end of the grades -->\n"
_NOT_TOLD = "not told by the record: an invalid input gets a number, and nothing worse was kept"


def within(page: str, records: Sequence[Record]) -> str:
    """Return a page with its tables of grades made anew.

    Raises:
        ValueError: if the page does not say where they stand, or there is no earlier grade.
    """
    return marked.between(page, _START, _END, _tables(records))


def _tables(records: Sequence[Record]) -> Iterator[str]:
    pairs = _pairs(records)
    if not pairs:
        raise ValueError("no record has grades of an earlier version")
    worst = [*map(str, GRADES), _NOT_TOLD]
    counts = Counter((old, _now(row)) for old, row in pairs)
    yield f"{len(pairs)} functions have a grade of both kinds."
    yield ""
    yield "| earlier grade | grade now | functions |"
    yield "|---|---|--:|"
    order = list(dict.fromkeys(old for old, _ in pairs))
    for (old, now), number in sorted(
        counts.items(), key=lambda pair: (order.index(pair[0][0]), worst.index(pair[0][1]))
    ):
        yield f"| {old} | {now} | {number} |"
    yield ""
    yield "| library | function | earlier grade | grade now |"
    yield "|---|---|---|---|"
    for old, row in pairs:
        now = row.graded.text if row.graded else _NOT_TOLD.partition(":")[0]
        library = code(f"{row.library} {row.version}".strip())
        yield f"| {library} | {code(row.function)} | {old} | {now} |"


def _pairs(records: Sequence[Record]) -> list[tuple[str, Row]]:
    """Return the last earlier grade of each function, the worst first, and its newest row."""
    found = []
    for verdict in verdicts(records):
        earlier = [row.earlier for _, row in verdict.runs if row.earlier]
        if earlier:
            found.append((earlier[-1], verdict.row))
    return sorted(found, key=lambda pair: (_EARLIER.index(pair[0]), pair[1].library))


_EARLIER = (
    "broken in everyday use",
    "broken at extremes",
    "fails or hangs",
    "rounds to the wrong side",
    "rounded to nearest",
    "not judged",
    "sound but loose",
    "sound and tight",
)
"""The grades of earlier versions, the worst first."""


def _now(row: Row) -> str:
    return str(row.grade) if row.grade else _NOT_TOLD
