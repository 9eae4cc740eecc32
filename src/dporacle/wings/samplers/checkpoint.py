"""What an audit of a sampler keeps: the sum of its sketches, and a file from which it goes on."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from dporacle.common import randomness
from dporacle.wings.samplers.laws import Law
from dporacle.wings.samplers.repeats import Repeats, Watch
from dporacle.wings.samplers.sketch import Sketch, take
from dporacle.wings.samplers.sources import Batch

_MAX_BYTES = 1 << 26
"""The size of the largest checkpoint that is read."""
_POINTS = 256
"""Of the history at least so many are kept, and twice as many at most."""


class _OtherAuditError(ValueError):
    """A checkpoint is of another audit."""


class AuditState:
    """The sum of all sketches, what was asked for, and what was found on the way.

    Each batch is in it once, a short one too: what was drawn is never drawn
    again. All of it is of bounded size, however long the audit.
    """

    def __init__(
        self,
        key: dict[str, Any],
        done: int = 0,
        asked: int = 0,
        sketch: Sketch | None = None,
        history: list[tuple[int, float, float]] | None = None,
    ) -> None:
        self._key, self.done, self.asked, self._sketch = key, done, asked, sketch
        self.history = history or []
        self.seconds = 0.0

    @classmethod
    def load(cls, path: Path | None, law: Law, key: dict[str, Any]) -> AuditState:
        """Return what a file holds, or an empty state where there is none.

        Raises:
            ValueError: if the file cannot be read, or is of another audit.
        """
        if path is None or not path.exists():
            return cls(key)
        if not path.is_file():
            raise ValueError(f"checkpoint {path} is not a file")
        try:
            with path.open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
            if len(content) > _MAX_BYTES:
                raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
            kept = json.loads(content)
            if kept["audit"] != key:
                raise _OtherAuditError(f"checkpoint {path} is of another audit: {kept['audit']}")
            sketch = _from_plain(kept["sketch"], law)
            history = [(int(n), float(p), float(c)) for n, p, c in kept["history"]]
            done, asked = int(kept["done"]), int(kept["asked"])
            if not (done > 0 and asked >= sketch.rows):
                raise ValueError("its counts do not agree")
        except _OtherAuditError:
            raise
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise ValueError(f"checkpoint {path} cannot be read: {error!r}") from None
        return cls(key, done, asked, sketch, history)

    @property
    def sketch(self) -> Sketch:
        """The sum of all sketches.

        Raises:
            ValueError: if nothing was drawn.
        """
        if self._sketch is None:
            raise ValueError("source must draw at least one row")
        return self._sketch

    @property
    def rows(self) -> int:
        """Rows drawn so far."""
        return 0 if self._sketch is None else self._sketch.rows

    def add(self, part: Sketch, batch: Batch) -> None:
        """Add the sketch of the next batch."""
        self._sketch = part if self._sketch is None else self._sketch + part
        self.done, self.asked = batch.index + 1, batch.start + batch.rows

    def note(self, privacy: float, conformance: float) -> None:
        """Keep every k-th batch's evidence, with k a power of two that grows with the audit."""
        stride = 1 << max(0, (self.done // _POINTS).bit_length())
        if self.done % stride == 0:
            self.history.append((self.rows, privacy, conformance))
        if len(self.history) > 2 * _POINTS:
            self.history = self.history[1::2]

    def save(self, path: Path | None) -> None:
        """Write the file anew, if there is to be one.

        Raises:
            ValueError: if it cannot be written.
        """
        if path is None:
            return
        kept = {
            "audit": self._key,
            "done": self.done,
            "asked": self.asked,
            "sketch": _plain(self.sketch),
            "history": self.history,
        }
        draft = path.with_name(path.name + ".part")
        try:
            draft.write_text(json.dumps(kept), encoding="utf-8")
            draft.replace(path)
        except OSError as error:
            raise ValueError(f"checkpoint {path} cannot be written: {error}") from None


_KINDS = {"Rows": "<f8", "Counts": "<i8", "Prints": "<u8"}
"""How the arrays of a sketch are kept, by their types."""


def _plain(kept: Sketch | Repeats) -> dict[str, Any]:
    """Return what a checkpoint has of it; the sizes of groups are the law's."""
    found: dict[str, Any] = {}
    for each in fields(kept):
        value = getattr(kept, each.name)
        if isinstance(value, np.ndarray):
            value = b64encode(value.astype(value.dtype.newbyteorder("<")).tobytes()).decode()
        if isinstance(value, tuple):
            value = [_plain(part) for part in value]
        if not isinstance(value, Watch):
            found[each.name] = value
    return found


def _from_plain(plain: dict[str, Any], law: Law) -> Sketch:
    """Return the sketch, which has to look like one of this law.

    Raises:
        KeyError, TypeError, ValueError: if it does not.
    """
    generator = randomness.generator("a sketch to compare with")
    sketch: Sketch = _like(plain, take(np.zeros((1, law.dimension)), law, generator=generator))
    if not sketch.rows > 0:
        raise ValueError("its counts do not agree")
    return sketch


def _like(plain: dict[str, Any], like: Any) -> Any:
    """Return what is kept in a checkpoint, with fields like those of a sketch of the same law."""
    found: dict[str, Any] = {}
    for each in fields(like):
        known = getattr(like, each.name)
        if isinstance(known, Watch):
            found[each.name] = known
            continue
        value = plain[each.name]
        if isinstance(known, tuple):
            found[each.name] = tuple(_like(a, b) for a, b in zip(value, known, strict=True))
            continue
        if isinstance(known, np.ndarray):
            kind = np.dtype(_KINDS[str(each.type)])
            value = np.frombuffer(b64decode(value, validate=True), kind).astype(known.dtype)
            if known.ndim > 1:
                value = value.reshape(known.shape)
        fits = type(value) is type(known) and bool(np.isfinite(value).all())
        if fits and each.type in ("int", "Counts"):
            fits = np.min(value, initial=0) >= 0 and np.max(value, initial=0) < 1 << 63
        if each.name not in ("seen", "copies"):
            fits = fits and np.shape(value) == np.shape(known)
        if each.name in ("gap", "finest"):
            fits = fits and value > 0
        if each.name in ("spread", "linear"):
            fits = fits and value == known
        if not fits:
            raise ValueError(f"{each.name} is not of this audit")
        found[each.name] = value
    if isinstance(like, Repeats):
        seen, copies, most = found["seen"], found["copies"], like.watch.kept
        if not (np.all(seen[1:] > seen[:-1]) and len(seen) == len(copies) <= most):
            raise ValueError("its counts do not agree")
    return type(like)(**found)
