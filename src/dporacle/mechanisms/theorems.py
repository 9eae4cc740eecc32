"""Which hypotheses the theorem of each end of ε uses.

The theorems: of Poisson sampling in `proofs_notes/subsampled_gaussian.md`, of groups and phases in
`groups.md`, of batches that are shuffled, cyclic or in bins in `batches.md`, of batches that are
drawn anew in `drawn_batches.md`. A lower end is what one algorithm reaches, so that it needs fewer
of them: it remains true where more is released, and where contributions may be any others.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from dporacle.vocabulary.hypotheses import HYPOTHESES, Hypothesis, hypothesis

End = Literal["upper", "lower"]
LastBatch = Literal["whole", "short", "dropped"]
"""What becomes of the last batch of an epoch: the batch size divides the data, or it does not."""

_FIXED: Final = {
    "poisson": "rate-and-steps-fixed",
    "fixed-size": "sizes-and-steps-fixed",
    "with-replacement": "sizes-and-steps-fixed",
    "truncated": "cap-and-steps-fixed",
    "truncated-first-come": "cap-and-steps-fixed",
}
_TRUNCATED: Final = ("truncated", "truncated-first-come")
_PERMUTED: Final = ("shuffled", "shuffled-once")
_CHANGED: Final = {
    "add-remove": "all added or all removed",
    "add": "all added",
    "remove": "all removed",
    "zero-out": "all of them contributing nothing in one of the two data sets",
    "replace-one": "each replaced by another",
}
_ORDER: Final = {name: place for place, name in enumerate(HYPOTHESES)}


def used(
    scheme: str,
    end: End,
    *,
    relation: str,
    last: LastBatch = "whole",
    by_fixed_order: bool = False,
    all_in_each: bool = False,
    kept_seen: bool = False,
) -> frozenset[str]:
    """Return the names of the hypotheses of the theorem of an end.

    Args:
        scheme: one way to draw batches, no word that is said of several.
        end: of ε.
        relation: of the neighbours; a direction of add-remove is no relation.
        last: what becomes of the last batch of an epoch.
        by_fixed_order: whether the upper end is that of a fixed order, where a smaller one may be
            proved under more.
        all_in_each: whether a batch has as many records as there are.
        kept_seen: whether the upper end of truncated batches lets contributions depend on who else
            is kept.
    """
    first = {"poisson": "poisson-sampling"}.get(scheme, scheme)
    if scheme in _PERMUTED and last != "whole":
        first = "shuffled-last-dropped" if last == "dropped" else "shuffled-short-last"
    elif scheme == "cyclic" and last != "whole":
        first = "cyclic-short-last"
    found = {first, _FIXED.get(scheme, "batches-and-epochs-fixed")}
    missing = relation == "add-remove"
    differs = missing and (scheme == "cyclic" or (scheme in _PERMUTED and last != "dropped"))
    if differs or scheme in ("poisson", "balls-and-bins", "random-allocation", *_TRUNCATED):
        found.add("divided-by-public")  # elsewhere a batch has the same size in both data sets
    if missing and scheme == "cyclic":
        found.add("other-batches-stay")
    if end == "lower":
        return frozenset(found | {"every-sum-released"})
    if scheme in _TRUNCATED:
        found |= {"clipped", "kept-records-only" if kept_seen else "own-record-only"}
        place = {"keeps-its-place"} if relation == "zero-out" else set()
        return frozenset(found | {"batches-hidden"} | place)
    if scheme in _PERMUTED and missing:
        if last != "dropped":
            return frozenset()  # nothing is proved from above
        # One that is dropped takes the place of one more or less: its batch has another record, on
        # whose presence the contributions of its companions may not depend either.
        return frozenset(found | {"clipped", "own-record-only"})
    found.add("clipped")
    if scheme in ("fixed-size", "with-replacement"):
        alone = not (all_in_each and scheme == "fixed-size")
    else:
        alone = scheme in _PERMUTED and last != "short" and not by_fixed_order
    found.add("own-record-only" if alone else "others-apart")
    if scheme not in ("cyclic", *_PERMUTED) or alone:
        found.add("batches-hidden")
    return frozenset(found)


def told(
    names: Mapping[str, str],
    *,
    relation: str,
    group: int | None = None,
    released: str,
    **said_of: str,
) -> tuple[Hypothesis, ...]:
    """Return hypotheses by their names, in the order of their rows, with their words.

    Args:
        names: of the hypotheses, and the schemes that they are of, where a word has several.
        relation: of the neighbours.
        group: in how many records neighbours differ; None: in one.
        released: "every-step", every noisy sum, or the "last-iterate" alone.
        said_of: what else their sentences have, by its name.
    """
    found = dict(names)
    if released == "last-iterate" and "every-sum-released" in found:
        found["last-iterate-released"] = found.pop("every-sum-released")
    numbers: dict[str, Any] = {"whom": "the record", **said_of}
    if group is not None:
        found |= {"group-differs": "", "group-drawn-apart": ""}
        numbers |= {"whom": "the group", "records": group, "how": _CHANGED[relation]}
    said = []
    for name in sorted(found, key=_ORDER.__getitem__):
        row = hypothesis(name, **numbers)
        few = f"if they are {found[name]} batches: " if found[name] else ""
        said.append(replace(row, says=few + row.says) if few else row)
    return tuple(said)


def both_ends(schemes: Collection[str], **how: Any) -> dict[str, str]:
    """Return what the theorems of both ends use, of all schemes that a word is said of.

    Returns:
        Name -> the schemes whose theorems use it; empty where they all do.
    """
    ends: tuple[End, ...] = ("upper", "lower")
    found: dict[str, list[str]] = {}
    for each in schemes:
        for name in frozenset[str]().union(*(used(each, end, **how) for end in ends)):
            found.setdefault(name, []).append(each)
    return {name: "" if len(of) == len(schemes) else " and ".join(of) for name, of in found.items()}
