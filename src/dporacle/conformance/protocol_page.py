"""The tables of the protocol's page, from the vocabulary.

`python -m dporacle.conformance.protocol_page docs/protocol.md` writes them anew.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from dporacle.common import files, marked
from dporacle.vocabulary import ARGUMENTS, SERVED, Argument, Quantity
from dporacle.vocabulary.in_use import SETTINGS, published

_START, _END = "<!-- tables of the vocabulary -->\n", "<!-- end of the tables -->\n"


def with_tables(page: str) -> str:
    """Return the page with its tables made anew.

    Raises:
        ValueError: if the page does not say where they stand.
    """
    return marked.between(page, _START, _END, _tables())


def _tables() -> Iterator[str]:
    yield "| quantity | arguments | the exact value | an unsafe answer is |"
    yield "|---|---|---|---|"
    for row in SERVED.values():
        facts = (f"`{row.name}`", ", ".join(row.arguments), row.exact, row.harm)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in facts)} |"
    yield ""
    yield (
        "An argument with an entry in the last column may be left out: a function that does not "
        "take it is asked what others are asked at that value."
    )
    yield ""
    yield "| argument | what it is | domain | for example | left out, it is |"
    yield "|---|---|---|---|---|"
    for name in {name: None for row in SERVED.values() for name in row.arguments}:
        usual = ARGUMENTS[name]
        example = float(usual.everyday)
        cells = (f"`{name}`", _meaning(usual), _domains(usual), f"`{example!r}`", _defaults(usual))
        yield f"| {' | '.join(cells)} |"
    yield ""
    above = [f"`{row.name}`" for row in SERVED.values() if row.safe == "down"]
    yield (
        "The value has to be on the safe side: not below the exact one. For these it must not be "
        f"above it: {', '.join(above)}."
    )
    yield ""
    yield (
        "Where people work, and how far published settings reach (`in_use.json` has them). Inputs "
        "that are drawn as `random` or `random-typed` meet each part of each range in every run; "
        "of other arguments, each quarter of the usual range."
    )
    yield ""
    yield "| argument | the ends of the parts | published, from … to |"
    yield "|---|---|---|"
    for name, parts in _parts().items():
        found = published(name.removeprefix("later_"))
        told = " … ".join(f"{each:g}" for each in found) if found else "–"
        yield f"| `{name}` | {parts} | {told} |"
    yield ""
    yield "| setting | stated | where |"
    yield "|---|---|---|"
    for each in SETTINGS:
        values = "; ".join(
            f"{name} {', '.join(f'{value:.6g}' for value in values)}"
            for name, values in each.values.items()
        )
        yield f"| {each.what} | {values} | {each.source} |"


def _parts() -> dict[str, str]:
    """Return where the parts of each range end, of arguments that are asked beyond the usual."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in SERVED.values():
        for name, argument in row.rows.items():
            if argument.decades:
                ends = ", ".join(f"{end:.6g}" for end in argument.decades)
                found.setdefault(name, {}).setdefault(ends, []).append(f"`{row.name}`")
    return {
        name: "; ".join(
            ends
            if ends == max(own, key=lambda each: len(own[each]))
            else f"{ends} in {', '.join(of)}"
            for ends, of in sorted(own.items(), key=lambda pair: -len(pair[1]))
        )
        for name, own in found.items()
    }


def _domains(usual: Argument) -> str:
    """Return an argument's domain, and those of the quantities for which it is another."""
    own: dict[str, list[Quantity]] = {}
    for row in SERVED.values():
        if usual.name in row.arguments:
            own.setdefault(str(row.rows[usual.name].domain), []).append(row)
    most = str(usual.domain)
    others = [
        f"{domain} in {', '.join(f'`{row.name}`' for row in rows)}"
        for domain, rows in own.items()
        if domain != most
    ]
    return "; ".join([most, *others])


def _meaning(usual: Argument) -> str:
    """Return what an argument is to all quantities that take it, or else what it usually is."""
    told = {row.rows[usual.name].meaning for row in SERVED.values() if usual.name in row.arguments}
    return told.pop() if len(told) == 1 else usual.meaning


def _defaults(usual: Argument) -> str:
    """Return what an argument is for a function that does not take it, and of which quantities."""
    takers = [row for row in SERVED.values() if usual.name in row.arguments]
    found: dict[float, list[Quantity]] = {}
    for row in takers:
        if usual.name in row.defaults:
            found.setdefault(row.defaults[usual.name], []).append(row)
    return "; ".join(
        f"`{value!r}`"
        if len(rows) == len(takers)
        else f"`{value!r}` in {', '.join(f'`{row.name}`' for row in rows)}"
        for value, rows in found.items()
    )


if __name__ == "__main__":
    path = Path(sys.argv[1])
    files.write(path, with_tables(path.read_text(encoding="utf-8")))
