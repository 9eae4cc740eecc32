"""What two runs with the same noise show of a pair of neighbours, and what is claimed of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dporacle.frozen.calls import (
    OF_DECLARED,
    NoisyCall,
    change,
    difference,
    is_same,
    rounding,
    size,
)
from dporacle.frozen.tape import Tape

Both = tuple[Tape, Tape]
"""The tapes of two data sets in one history of noise."""
Sighting = tuple[str, int]
"""A kind of finding, and the call that shows it; −1 is the whole run."""

OF_CALLS = ("sensitivity", "no-noise", "scale")
"""What proves a declaration of a call false."""
_NORMS: dict[str, Any] = {"laplace": 1, "geometric": 1, "gaussian": 2}  # that noise is for
_MOST_RELEASES = 100  # of a composition
_DIGITS, _SCALE_DIGITS = 12, 17


def sightings(both: Both) -> dict[Sighting, str]:
    """Return what one history shows, in words."""
    first, second = both
    found: dict[Sighting, str] = {}
    names = [type(each.error).__name__ if each.error else "no error" for each in both]
    if first.error or second.error:
        said = f"{names[0]} on one data set, {names[1]} on the other"
        return {} if names[0] == names[1] else {("error", -1): said}
    for place, (one, other) in enumerate(matched(both)):
        moved = change(one, other)
        if any(map(_are_apart, one.declared, other.declared)) or one.bounds != other.bounds:
            said = f"{_declared(one)} on one data set, {_declared(other)} on the other"
            found["scale", place] = said
        if moved is None:
            found["unseen", place] = "the value is not seen, so no change of it can be judged"
            continue
        if one.value.shape != other.value.shape:
            said = f"a value of shape {one.value.shape}, and of shape {other.value.shape}"
            found["sequence", place] = said
            continue
        spare = size(rounding(one, other), 1)
        limits = [each.sensitivity for each in (one, other) if each.sensitivity is not None]
        if one.scale == other.scale == 0 and moved > spare:
            found["no-noise", place] = f"the value changes by {moved:.6g}, and the scale is 0"
        elif limits and moved > max(limits) * (1 + OF_DECLARED) + spare:
            kind = "sensitivity" if any(limits) else "no-noise"
            said = (
                f"the value changes by {moved:.6g}, the declared sensitivity is {max(limits):.6g}"
            )
            found[kind, place] = said
    if second.parted is not None:
        counts = f"{len(first.calls)} and {len(second.calls)} calls"
        found["sequence", second.parted] = f"{counts}, or other kinds from here on"
    elif first.elsewhere or second.elsewhere:
        found["threads", -1] = "calls of other threads are not frozen"
    elif not any(kind == "unseen" for kind, _ in found):
        same, shown = (
            is_same(first.result, second.result),
            [f"{each.result!r:.60}" for each in both],
        )
        if same is None:
            found["unseen", -1] = f"results of {type(first.result)} cannot be compared"
        elif not same:
            found["result" if first.calls else "no-noise", -1] = " and ".join(shown)
    if is_clean({kind for kind, _ in found}):
        return found
    return {
        ("order" if at >= 0 and kind in OF_CALLS else kind, at): found[kind, at]
        for kind, at in found
    }


def is_clean(kinds: set[str]) -> bool:
    """Tell whether the calls of two runs can be matched: the same calls gave the same result.

    Else the calls may have answered their questions in another order.
    """
    return not kinds & {"sequence", "threads", "unseen", "result", "error"}


def matched(both: Both) -> Iterator[tuple[NoisyCall, NoisyCall]]:
    """Yield the calls that have a counterpart, with it."""
    first, second = both
    return zip(first.calls[: second.parted], second.calls[: second.parted], strict=True)


def _are_apart(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is not second
    return first != second and not abs(first - second) <= OF_DECLARED * max(first, second)


def _declared(call: NoisyCall) -> str:
    told = zip(("sensitivity", "ε", "δ", "scale"), call.declared, strict=True)
    stated = [f"{name} {value:.6g}" for name, value in told if value is not None]
    stated += [f"clamps {call.bounds}"] * (call.bounds is not None)
    return ", ".join(stated)


def is_same_run(both: Both) -> bool:
    """Tell whether two runs, on the same data with the same noise, did the same."""
    first, again = both
    if again.parted != first.parted or type(first.error) is not type(again.error):
        return False
    alike = all(_is_same_call(*calls) for calls in matched(both))
    parted = again.parted is not None  # then noise is fresh
    return alike and (parted or is_same(first.result, again.result) is not False)


def _is_same_call(first: NoisyCall, second: NoisyCall) -> bool:
    stated = (first.kind, *first.declared, first.bounds)
    if stated != (second.kind, *second.declared, second.bounds):
        return False
    if first.value is None or second.value is None:
        return first.value is second.value
    return not difference(first.value, second.value).any()


def exchanged(tape: Tape) -> Tape | None:
    """Return a history with the outputs of alike calls exchanged; None if no two are alike."""
    groups: dict[Any, list[int]] = {}
    for place, call in enumerate(tape.calls):
        groups.setdefault((call.kind, np.shape(call.value)), []).append(place)
    if all(len(group) == 1 for group in groups.values()):
        return None
    calls = list(tape.calls)
    for group in groups.values():
        for place, other in zip(group, group[1:] + group[:1], strict=True):
            calls[place] = replace(calls[place], output=tape.calls[other].output)
    return Tape(calls=calls)


def is_unbounded(one: NoisyCall, other: NoisyCall) -> bool:
    """Tell whether two calls promise pure ε-DP by noise of two scales, whose loss is unbounded."""
    pure = all(each.delta == 0 and each.bounds is None for each in (one, other))
    apart = None not in (one.scale, other.scale) and _are_apart(one.scale, other.scale)
    return pure and apart and one.kind == other.kind and one.kind in ("laplace", "geometric")


def loss(both: Both) -> float:
    """Return the sum over the calls of the change over the scale: the ε of Laplace noise."""
    total = 0.0
    for one, other in matched(both):
        if one.kind in _NORMS and one.scale and change(one, other) is not None:
            apart = size(difference(one.value, other.value), _NORMS[one.kind]) / one.scale
            total += apart if np.isfinite(apart) else 0.0
    return total


def releases(
    seen: Sequence[Both], *, delta: Fraction, relation: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the releases of a pair, with the changes that were seen, and what is left out.

    Fewer releases lose less, and so do smaller changes and larger scales: a claim that fails for
    them fails for the pair. A value that depends on a noisy output is left out: nothing follows
    from one history.

    Raises:
        ValueError: if data sets or histories have other calls or results, or no call is left.
    """
    from dporacle.claims.wording import round_decimal

    if not seen or not all(is_clean({kind for kind, _ in sightings(both)}) for both in seen):
        raise ValueError("no two data sets have the same calls and results in all histories")
    if len({len(first.calls) for first, _ in seen}) > 1:
        raise ValueError("the number of noisy calls depends on the noise: it is no composition")
    counted: Counter[tuple[str, str, str]] = Counter()
    left: list[str] = []
    for place, (one, other) in enumerate(matched(seen[0])):
        kind, reason = one.kind, _reason(seen, place, pure=not delta)
        apart = [] if reason else _lowered(one, other)
        if kind == "geometric" and not reason:  # as Laplace noise it has the same least pure ε
            kind = "response" if delta else "laplace"
            if delta and (relation != "replace-one" or not {0, 1}.issuperset(apart)):
                reason = "with δ > 0 only changes of 1 under replace-one have words in claims"
        if reason:
            left.append(f"call {place + 1} ({one.kind} at {one.where}): {reason}")
            continue
        if kind == "gaussian":
            apart = [sum((each**2 for each in apart), Fraction(0))]
        scale = round_decimal(Fraction(one.scale or 1), _SCALE_DIGITS, up=True)
        shown = [round_decimal(each, _DIGITS, up=False) for each in apart if each]
        counted.update((kind, scale, each) for each in shown)
    if not counted:
        raise ValueError("; ".join(["no call with a change is left to be claimed", *left]))
    most = sorted(counted, key=lambda key: -counted[key] * float(key[2]) / float(key[1]))
    left += [f"{len(most) - _MOST_RELEASES} small ones"] * (len(most) > _MOST_RELEASES)
    return [_release(*key, counted[key], relation) for key in most[:_MOST_RELEASES]], left


def _reason(seen: Sequence[Both], place: int, *, pure: bool) -> str:
    """Say why a call is left out; nothing if it is claimed."""
    one, other = both = [tape.calls[place] for tape in seen[0]]
    if one.kind not in _NORMS or not one.scale or not np.isfinite(one.scale):
        return "noise that claims do not have, or of no known scale"
    if one.value is None or other.value is None or one.value.shape != other.value.shape:
        return "its values are not seen"
    if any(map(_are_apart, one.declared, other.declared)) or one.bounds != other.bounds:
        return "another scale, declaration or clamp on the other data set"
    if not all(np.isfinite(each.value).all() for each in both):
        return "its values are not finite"
    low, high = one.bounds or (-np.inf, np.inf)
    sides = [all(np.all(each.value >= low) for each in both)]
    sides.append(all(np.all(each.value <= high) for each in both))
    if not (all(sides) or (pure and any(sides))):  # one clamp alone has the whole least pure ε
        return "its values lie outside of the clamps"
    tapes = [[each[side] for each in seen] for side in (0, 1)]
    if not all(_is_same_call(side[0].calls[place], t.calls[place]) for side in tapes for t in side):
        return "its value, scale or clamps depend on a noisy output"
    return ""


def _lowered(one: NoisyCall, other: NoisyCall) -> list[Fraction]:
    """Return the change of each coordinate, less what may be rounding."""
    found = []
    values = (one.value, other.value, rounding(one, other))
    for first, second, spare in zip(*(each.ravel().tolist() for each in values), strict=True):
        apart = abs(Fraction(first) - Fraction(second)) - Fraction(spare)
        found.append(max(apart * (1 - Fraction(OF_DECLARED) * (spare > 0)), Fraction(0)))
    return found


def _release(kind: str, scale: str, moved: str, times: int, relation: str) -> dict[str, Any]:
    if kind == "response":  # discrete Laplace noise with a change of 1 has two losses, ±1/b
        epsilon = str(1 / Fraction(scale))
        return {"kind": "randomised-response", "epsilon": epsilon, "kinds": 2, "times": times}
    about = {"kind": kind, "neighbours": relation}
    if kind == "gaussian":
        return about | {"sigma": scale, "sensitivity_squared": moved, "times": times}
    one = about | {"scale": scale, "sensitivity": moved}
    return {"kind": "composition", "records": "same", "releases": [one], "times": times}
