"""What answers are proved under, as commands print it: the answers' own hypotheses, no other."""

from collections.abc import Iterable, Mapping
from typing import Any

from dporacle.cli.headed_lines import listed
from dporacle.vocabulary.hypotheses import Hypothesis

OfRelations = Mapping[str, Iterable[Hypothesis]]
"""Relation, or direction of one -> what its answer is proved under."""


def _merged(under: OfRelations) -> dict[Hypothesis, list[str]]:
    """Return each hypothesis with the relations whose answers need it."""
    found: dict[Hypothesis, list[str]] = {}
    for relation, hypotheses in under.items():
        for each in hypotheses:
            found.setdefault(each, []).append(relation)
    return found


def as_data(under: OfRelations) -> list[dict[str, Any]]:
    """Return what stands in JSON: id, sentence, and the relations, where these are not all."""
    return [
        {"id": each.id, "says": each.says}
        | ({} if len(relations) == len(under) else {"of": relations})
        for each, relations in _merged(under).items()
    ]


def listed_under(under: OfRelations, width: int) -> None:
    """Print every hypothesis under one heading, with its relations, where these are not all."""
    texts = []
    for each, relations in _merged(under).items():
        few = "" if len(relations) == len(under) else f"for {', '.join(relations)}: "
        texts.append(few + each.says)
    listed("proved under", texts, width)
