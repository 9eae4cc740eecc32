"""Which edition of the vectors brought which ids: an id that was published never goes away."""

import importlib.resources
from functools import cache
from typing import Final

import msgspec

EDITION: Final = 2
"""The newest edition; what no earlier one has belongs to it."""

ADDED: Final = (
    "Conversions from and to zCDP, Rényi and Gaussian differential privacy, equal releases "
    "together, many answers at once, the discrete Gaussian, more closed forms, denoising, "
    "Laplace noise, thresholds of counts, the rank-one mechanism, DP-SGD and its groups, batches "
    "of a fixed size, what the counts of an attack prove."
)
"""What the newest edition brings, in a sentence."""


class Edition(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What one edition added.

    Attributes:
        edition: its number.
        added: the same in a sentence.
        ids: group -> the ids of its new vectors and refusals, sorted.
    """

    edition: int
    added: str
    ids: dict[str, tuple[str, ...]]


@cache
def edition(number: int) -> Edition:
    """Return what an edition added.

    Raises:
        FileNotFoundError: if there is none of this number.
    """
    return msgspec.json.decode(_file(number).read_bytes(), type=Edition)


def _file(number: int) -> importlib.resources.abc.Traversable:
    return importlib.resources.files("dporacle.vectors.data") / f"edition-{number}.json"


@cache
def _published(number: int) -> frozenset[tuple[str, str]]:
    return frozenset((group, each) for group, ids in edition(number).ids.items() for each in ids)


def first_edition(group: str, case: str) -> int:
    """Return the edition that brought a case of a group."""
    for number in range(1, EDITION):
        if (group, case) in _published(number):
            return number
    return EDITION


def record(newest: dict[str, tuple[str, ...]]) -> bytes:
    """Return the newest edition's file, from the ids that it brought."""
    ids = {group: tuple(sorted(each)) for group, each in sorted(newest.items()) if each}
    document = Edition(edition=EDITION, added=ADDED, ids=ids)
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
