"""`python -m dporacle.dev.exploration`: explore, and print counts and findings."""

import multiprocessing
import os
import secrets
import sys
import time
from collections import Counter, defaultdict
from multiprocessing.connection import Connection
from typing import Any

import click

from dporacle.common.exit_status import ExitStatus, true_status
from dporacle.common.randomness import chance
from dporacle.conformance.process.clock import TICK, clock_of
from dporacle.dev.exploration.checks import WAITING, Checked, check
from dporacle.dev.exploration.claims import KINDS, check_claim, draw_claim
from dporacle.dev.exploration.inputs import FUNCTIONS, draw

_PATIENCE = 60.0  # seconds of processor time or idleness for one input
# The reference says that it takes minutes for some of these: by then the others have been compared.
_MINUTES, _MINUTES_PATIENCE = ("subsampled_", "fixed_size_", "balls_and_bins_"), 10.0
_THIN = 4.0  # how much more time what few tests reach is given
THIN = {
    *KINDS,
    "gdp_tradeoff",
    "plrv_tail_sigma",
    "positive_part_risk",
    "vinterbo_sigma",
    *(name for name in FUNCTIONS if name.startswith(("discrete_", "laplace_", "sample_size"))),
    *(name for name in FUNCTIONS if name.startswith(_MINUTES)),
}


ALL = (*FUNCTIONS, *KINDS)


class _Worker:
    """A process that checks one input at a time, and can be given up."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._clock = clock_of(os.getpid())

    def check(self, name: str, where: dict[str, Any]) -> Checked:
        """Return what became of an input."""
        self._ours.send((name, where))
        self._clock.begin()
        stage = ""
        try:
            while True:
                late = stage == WAITING and name.startswith(_MINUTES)
                patience = _MINUTES_PATIENCE if late else _PATIENCE
                if late:
                    self._clock.begin()
                while not self._ours.poll(TICK):
                    if self._clock.spent() > patience:
                        self.stop()
                        self._start()
                        why = f"no answer in {patience:g} s of processor time {stage}"
                        return "no answer" if late else "hang", why
                found: str | Checked = self._ours.recv()
                if not isinstance(found, str):
                    return found
                stage = found
        except EOFError:
            self.stop()
            self._start()
            return "finding", "the process died"

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _serve(connection: Connection) -> None:
    while True:
        try:
            name, where = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            found = check_claim(where) if name in KINDS else check(name, where, connection.send)
        except Exception as error:
            found = "finding", f"{type(error).__name__}: {error}"
        connection.send(found)


def _explore(minutes: float, seed: int, names: tuple[str, ...]) -> int:
    generator, worker, end = chance("exploration", seed), _Worker(), time.monotonic() + 60 * minutes
    spent: dict[str, float] = defaultdict(float)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    try:
        while (start := time.monotonic()) < end or len(counts) < len(names):
            name = min(names, key=lambda each: spent[each] / (_THIN if each in THIN else 1))
            where = (draw_claim if name in KINDS else draw)(generator, name)
            found = worker.check(name, where)
            counts[name][found[0]] += 1
            spent[name] += time.monotonic() - start + 1e-4
            if found[0] in ("finding", "hang"):
                inputs = ", ".join(f"{key}={value!r}" for key, value in where.items())
                click.echo(f"{found[0]}  {name}({inputs})\n    {found[1][:400]}")
                sys.stdout.flush()
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
    finally:
        worker.stop()
    return _show(counts, seed)


def _show(counts: dict[str, Counter[str]], seed: int) -> int:
    kinds = ("checked", "refused", "no answer", "hang", "finding")
    click.echo(f"{'quantity':<34}" + "".join(f"{kind:>11}" for kind in kinds))
    for name in sorted(counts):
        click.echo(f"{name:<34}" + "".join(f"{counts[name][kind]:>11}" for kind in kinds))
    total: Counter[str] = sum(counts.values(), Counter())
    click.echo(f"{f'all, seed {seed}':<34}" + "".join(f"{total[kind]:>11}" for kind in kinds))
    return ExitStatus.FINDING if total["finding"] or total["hang"] else ExitStatus.FINE


@click.command()
@click.option("--minutes", type=click.FloatRange(0), default=1.0, show_default=True)
@click.option("--seed", type=int, help="Of the inputs; by default another one each time.")
@click.option("--only", multiple=True, type=click.Choice(ALL), metavar="NAME")
def main(minutes: float, seed: int | None, only: tuple[str, ...]) -> None:
    """Check all witnesses against each other at random inputs; status 1: something was found.

    Each quantity is checked once at least.
    """
    chosen = secrets.randbelow(10**9) if seed is None else seed
    sys.exit(_explore(minutes, chosen, only or ALL))


if __name__ == "__main__":
    sys.exit(true_status(lambda: main(standalone_mode=False)))
