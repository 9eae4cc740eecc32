"""`dporacle demo`: the questions of the README, answered by real computations."""

import contextlib
import math
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import click

from dporacle.cli import resting
from dporacle.common.exit_status import ExitStatus

_NOISE = "noise.csv"
_FORMULA = ""

STEPS: Final = (
    (
        "Is a published statement true?",
        "A report says that noise with σ = 3.73 on a count is (1, 10⁻⁵)-differentially private.",
        "audit --epsilon 1 --delta 1e-5 --sigma 3.73",
    ),
    (
        "What ε does a training have?",
        "DP-SGD in ten batches, first with those that accountants assume: Poisson samples.",
        "dp-sgd --noise-multiplier 2 --sampling-rate 1/10 --steps 10 --delta 1e-5",
    ),
    (
        "And with the batches that loaders draw?",
        "The same noise on shuffled batches is another mechanism, with another ε.",
        "dp-sgd --sampling shuffled --noise-multiplier 2 --batches-per-epoch 10 --epochs 1 "
        "--delta 1e-5",
    ),
    (
        "How much noise is enough?",
        "The least σ in twenty digits, a proved interval, and the float64 for a program.",
        "sigma --epsilon 1 --delta 1e-5",
    ),
    (
        "Does a library answer right?",
        "The textbook formula σ = √(2 ln(1.25/δ))/ε is asked each certified vector of σ.\n"
        "   A violating answer is less than the promise needs, a loose one over 1 % more.",
        _FORMULA,
    ),
    (
        "Is the noise right?",
        "20,000 draws of noise with σ = 3 stand in a file. The claim is that they have σ = 3.3.",
        f"sample --file {_NOISE} --sigma 3.3",
    ),
)
"""Of each step: the question, what it is about, and the command; none for the formula."""

_ANSWERS = {ExitStatus.FINE, ExitStatus.FINDING}


@click.command()
def demo() -> None:
    """Show the questions that dporacle answers, with real computations.

    In a terminal the demo waits for a key before each question. In a pipe it does not wait. The
    exit status is 0 if each command gave an answer, else 3.
    """
    waits = sys.stdin.isatty() and sys.stdout.isatty()
    with tempfile.TemporaryDirectory() as folder:
        for number, (question, about, command) in enumerate(STEPS, 1):
            click.echo(f"\n{number}. {question}\n   {about}\n")
            if waits:
                with resting():
                    click.pause("   Press a key to compute it.")
            if command == _FORMULA:
                _ask_the_formula()
                continue
            if _NOISE in command:
                _write_noise(Path(folder) / _NOISE)
            click.echo(f"$ dporacle {command}")
            sys.stdout.flush()
            words = [sys.executable, "-m", "dporacle", *shlex.split(command)]
            with resting():  # the command has its own progress
                done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, check=False)
            if done.returncode not in _ANSWERS:
                raise click.ClickException(f"the command ended with status {done.returncode}")
    click.echo("\nMore: dporacle --help, or dporacle COMMAND --help.")


def _classical(epsilon: float, delta: float, sensitivity: float) -> float:
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _ask_the_formula() -> None:
    from dporacle import vectors
    from dporacle.conformance.grade.asked_vector import AskedVector

    file = vectors.load("calibrate_sigma")
    found: Counter[str] = Counter()
    for vector in file.vectors:
        asked = AskedVector(file=file, vector=vector, fixed={})
        with contextlib.suppress(Exception):  # a wrong answer raises too, once it is judged
            asked.call(_classical)
        found[str(asked.found[-1].outcome)] += 1
    click.echo(f"{len(file.vectors)} vectors: " + ", ".join(f"{n} {w}" for w, n in found.items()))


def _write_noise(path: Path) -> None:
    import numpy as np

    from dporacle.common import randomness

    noise = randomness.generator("the noise that the demo audits")
    np.savetxt(path, noise.normal(scale=3.0, size=20_000))
