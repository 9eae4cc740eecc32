"""What a specimen is, and how one that loops for ever is stopped."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Calibrator = Callable[..., float]
"""Takes the vector's inputs by name, returns a number or raises."""

Batch = Callable[[Sequence[Mapping[str, float]]], Sequence[float]]
"""Takes several inputs at once, returns as many numbers or raises."""

STEPS = 20_000
"""Turns of a loop after which it counts as endless; a search in float64 needs about 2,000."""


class EndlessLoopError(Exception):
    """A loop that would not have ended."""


def steps() -> Iterator[int]:
    """Count the turns of a `while True`, and raise where it would hang.

    Raises:
        EndlessLoopError: after `STEPS` turns.
    """
    yield from range(STEPS)
    raise EndlessLoopError(f"no end after {STEPS} steps")


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """One calibrator.

    Attributes:
        name: short and unique.
        function: the group of vectors that it is asked.
        fault: what is wrong with it; empty for a correct one.
        make: returns it anew, so that what it remembers ends with a trial.
        source: where the fault was seen, as `owner/project#number`; empty for our own.
        expected: flags of which each one alone convicts it.
        batch: takes several inputs at once instead of one.
        limit: what is wrong with it is true as a limit: its own tests should notice, but the judge
            of libraries lets it pass.
        every: it is asked one in so many vectors, because it is slow.
        power: for one that no vector meets: the share of runs in which fresh inputs convict it.
        remembers: what it answers depends on what it was asked before.
    """

    name: str
    function: str
    fault: str
    make: Callable[[], Calibrator | Batch]
    source: str = ""
    expected: tuple[str, ...] = ()
    batch: bool = False
    limit: bool = False
    every: int = 1
    power: float = 0.0
    remembers: bool = False


class Collection(list[Specimen]):
    """Specimens that are collected by decorating them."""

    def add(
        self,
        function: str,
        *expected: str,
        source: str = "",
        batch: bool = False,
        remembers: bool = False,
        limit: bool = False,
        power: float = 0.0,
        name: str = "",
    ) -> Callable[[Callable[..., object]], Callable[..., object]]:
        """Return a decorator for a faulty calibrator; its docstring's first line is the fault.

        Args:
            function: the group of vectors that it is asked.
            expected: flags of which each one alone convicts it.
            source: where the fault was seen.
            batch: the calibrator takes several inputs at once.
            remembers: what is decorated takes nothing and returns the calibrator.
            limit: the wrong answers are true as limits.
            power: no vector meets it, and fresh inputs do in this share of the runs.
            name: what it is called; as what is decorated, if it is left out.
        """

        def register(faulty: Callable[..., object]) -> Callable[..., object]:
            assert faulty.__doc__
            self.append(
                Specimen(
                    name=(name or faulty.__name__).replace("_", "-"),
                    function=function,
                    fault=faulty.__doc__.splitlines()[0],
                    make=faulty if remembers else lambda: faulty,  # type: ignore[arg-type, return-value]
                    source=source,
                    expected=expected,
                    batch=batch,
                    limit=limit,
                    power=power,
                    remembers=remembers,
                )
            )
            return faulty

        return register
