"""One run of a function with its noisy calls recorded, or answered from an earlier run."""

import contextlib
import copy
import functools
import inspect
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dporacle.frozen.calls import Hook, NoisyCall, numbers

_ONE_AT_A_TIME = threading.RLock()
"""Hooks are set for the whole process: runs of other threads wait."""
_HERE = Path(__file__).parent
_GENERATORS = ("random", "numpy.random")


@dataclass
class Tape:
    """What one run did.

    Attributes:
        calls: its noisy calls, in their order.
        result: what the function returned.
        error: what it raised, if it did.
        parted: the first call that the earlier run has no counterpart of; None if each has one.
        elsewhere: how many noisy calls other threads made, which are not frozen.
        used_random: from which of `random` and `numpy.random` it drew, besides the noise, where it
            had not seeded them.
        seeded_noise: whether a noisy call drew from one that it had seeded.
    """

    calls: list[NoisyCall] = field(default_factory=list)
    result: Any = None
    error: Exception | None = None
    parted: int | None = None
    elsewhere: int = 0
    used_random: frozenset[str] = frozenset()
    seeded_noise: bool = False


def run(
    function: Callable[[Any], Any],
    data: Any,
    hooks: Sequence[Hook],
    *,
    seed: int,
    history: Tape | None = None,
) -> Tape:
    """Run a function on a copy of the data; with a history its noisy calls answer as they did."""
    player = _Player(history)
    tape = player.tape
    with _ONE_AT_A_TIME, _seeded(seed, player), _hooked(hooks, player.play):
        try:
            tape.result = function(copy.deepcopy(data))
        except Exception as error:
            tape.error = error
    if history is not None and tape.parted is None and len(tape.calls) < len(history.calls):
        tape.parted = len(tape.calls)
    return tape


class _Player:
    """Records the calls of one run, and answers them from another.

    Noise has a stream of its own in `random` and `numpy.random`, so that other randomness is the
    same whether noise is drawn or not.
    """

    def __init__(self, history: Tape | None) -> None:
        self.tape, self.noise, self.drawn = Tape(), _state(), _Drawn()
        self._history = history
        self._thread, self._busy = threading.get_ident(), False

    def play(self, hook: Hook, real: Callable[..., Any], given: Any, named: Any) -> Any:
        """Answer a call."""
        tape, history = self.tape, self._history
        if threading.get_ident() != self._thread:
            tape.elsewhere += 1
            return real(*given, **named)
        if self._busy:  # a mechanism within a mechanism is its own affair
            return real(*given, **named)
        assert hook.read is not None
        self._busy = True
        try:
            call = hook.read(*given, **named)
            if call is None:
                return real(*given, **named)
            if not isinstance(call, NoisyCall):
                raise ValueError(f"read of the hook {hook.attribute!r} must return a NoisyCall")
            call.where = _where(hook)
            tape.seeded_noise |= call.seeded
            place = len(tape.calls)
            old = history.calls[place] if history and place < len(history.calls) else None
            if history and tape.parted is None and (old is None or old.kind != call.kind):
                tape.parted = place
            if old is None or tape.parted is not None:
                old = None
                other = _state()
                _set(self.noise)
                try:
                    call.output = real(*given, **named)
                finally:
                    begun, self.noise = self.noise, _state()
                    tape.seeded_noise |= self.drawn.decides(begun, self.noise)
                    _set(other)
            tape.calls.append(call)
        finally:
            self._busy = False
        if hook.added:
            return _added(call, old)
        call.output = call.output if old is None else old.output
        return copy.deepcopy(call.output)


class AddedNoise(np.ndarray[Any, np.dtype[np.float64]]):
    """Noise that a call returned alone; what it is first added to is the value of that call."""

    call: NoisyCall | None
    old: NoisyCall | None

    def __array_finalize__(self, source: Any) -> None:
        self.call = self.old = None

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(each) if isinstance(each, AddedNoise) else each for each in inputs]
        if "out" in named:
            named["out"] = tuple(np.asarray(each) for each in named["out"])
        call, old = self.call, self.old
        is_sum = ufunc in (np.add, np.subtract) and method == "__call__" and len(inputs) == 2
        added = [each for each in inputs if not isinstance(each, AddedNoise)]
        value = numbers(added[0]) if is_sum and len(added) == 1 else None
        found = getattr(ufunc, method)(*plain, **named)
        if call is None or value is None:
            return found
        if np.broadcast_shapes(value.shape, self.shape) != self.shape:
            return found  # coordinates share noise
        self.call = None
        call.value = np.broadcast_to(value, self.shape) + (0 if call.value is None else call.value)
        if old is not None and len(old.output) == 2:
            if isinstance(found, np.ndarray):
                found[...] = old.output[1]
            else:
                found = type(found)(old.output[1])
        call.output = (call.output[0], copy.deepcopy(found))
        return found


def _added(call: NoisyCall, old: NoisyCall | None) -> AddedNoise:
    call.output = old.output[:1] if old is not None else (call.output,)
    made = np.array(call.output[0], dtype=np.float64).view(AddedNoise)
    made.call, made.old = call, old
    return made


def _where(hook: Hook) -> str:
    """Return the innermost line that is neither here nor in the file of the mechanism."""
    module = sys.modules.get(hook.owner.__module__) if inspect.isclass(hook.owner) else None
    own, frame = getattr(module, "__file__", None), inspect.currentframe()
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        is_own = str(file) == own or (hook.within and package == hook.within)
        if file.parent != _HERE and not is_own:
            return f"{file.name}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


@contextlib.contextmanager
def _hooked(hooks: Sequence[Hook], play: Callable[..., Any]) -> Iterator[None]:
    """Set the hooks, and put back what was there, whatever happens."""

    def stand_in(hook: Hook, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def made(*given: Any, **named: Any) -> Any:
            return play(hook, real, given, named)

        return made

    with contextlib.ExitStack() as undo:
        for hook in hooks:
            owner, name = hook.owner, hook.attribute
            real, own = getattr(owner, name), getattr(owner, "__dict__", {}).get(name)
            made: Any = hook.instead(real) if hook.instead else stand_in(hook, real)
            if isinstance(inspect.getattr_static(owner, name), staticmethod | classmethod):
                made = staticmethod(made)
            try:
                setattr(owner, name, made)
            except (TypeError, AttributeError) as error:
                said = f"attribute {name!r} of {owner!r} cannot be replaced: hook what calls it"
                raise ValueError(said) from error
            undo.callback(*((setattr, owner, name, own) if own else (delattr, owner, name)))
        yield


@contextlib.contextmanager
def _seeded(seed: int, player: _Player) -> Iterator[None]:
    """Seed the shared generators, and put back what they were; note whether they were used."""
    before = _state()
    for stream in (seed + 1, seed):
        random.seed(stream)
        np.random.seed(stream % 2**32)  # noqa: NPY002
        if stream != seed:
            player.noise = _state()
    player.drawn = drawn = _Drawn()
    try:
        with drawn.watched():
            yield
    finally:
        player.tape.used_random = drawn.at_the_end()
        _set(before)


class _Drawn:
    """Which shared generators numbers were drawn from that no seed of the function decides.

    A function that seeds a generator itself has made what follows a part of it. Without a number
    the seed is the system's, which is as random as noise.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._begun: list[Any] = list(_state())  # None of a generator that the function has seeded

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """See the seeds that the function gives."""
        modules: tuple[Any, ...] = (random, np.random)
        with contextlib.ExitStack() as undo:
            for place, module in enumerate(modules):
                undo.callback(setattr, module, "seed", module.seed)
                module.seed = self._seed(place, module.seed)
            yield

    def decides(self, begun: tuple[Any, Any], now: tuple[Any, Any]) -> bool:
        """Whether a seed of the function decides what was drawn between two states."""
        both = zip(self._begun, begun, now, strict=True)
        return any(first is None and _moved(old, new) for first, old, new in both)

    def at_the_end(self) -> frozenset[str]:
        """Return the names of those that anything was drawn from."""
        self._look()
        return frozenset(self._used)

    def _seed(self, place: int, real: Callable[..., Any]) -> Callable[..., Any]:
        def seed(*given: Any, **named: Any) -> None:
            self._look()
            number = given[0] if given else named.get("a", named.get("seed"))
            if number is None:
                self._used.add(_GENERATORS[place])
            real(*given, **named)
            self._begun[place] = None

        return seed

    def _look(self) -> None:
        each = zip(_GENERATORS, self._begun, _state(), strict=True)
        self._used |= {name for name, begun, now in each if begun and _moved(begun, now)}


def _moved(begun: Any, now: Any) -> bool:
    return any(not np.array_equal(*both) for both in zip(begun[1:], now[1:], strict=True))


def _state() -> tuple[Any, Any]:
    return random.getstate(), np.random.get_state()  # noqa: NPY002


def _set(state: tuple[Any, Any]) -> None:
    random.setstate(state[0])
    np.random.set_state(state[1])  # noqa: NPY002
