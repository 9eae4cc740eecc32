"""Settings that were published: where people work, as far as that is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dporacle.vocabulary.reading import rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSetting:
    """Values of arguments that somebody published for a training run.

    Attributes:
        what: what was trained, or asked.
        source: where it is stated.
        values: argument -> the values that are stated there.
    """

    what: str
    source: str
    values: Mapping[str, Sequence[float]]


SETTINGS = tuple(PublishedSetting(**row) for row in rows_of("in_use"))
"""The published settings, of which the rows in `in_use.json` are read."""


def published(name: str) -> tuple[float, float] | None:
    """Return the least and the largest published value of an argument, if there is one."""
    values = [value for each in SETTINGS for value in each.values.get(name, ())]
    return (min(values), max(values)) if values else None
