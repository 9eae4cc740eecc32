"""Examples of each command, for the end of its `--help`."""

import textwrap
from typing import Final

import click

EXAMPLES: Final = {
    "accuracy": ("accuracy --alpha 0.05 --sigma 4",),
    "adapter-check": ("adapter-check 'python examples/adapter.py'",),
    "audit": (
        "audit --epsilon 1 --delta 1e-5 --sigma 3.73",
        "audit --example dp-report",
        "audit dp-report.toml --certificates proofs",
        "audit dp-report.toml --profile sp800-226",
    ),
    "baseline": ("baseline run.json --output known.toml",),
    "batches": (
        "batches batches.jsonl --claimed poisson",
        "batches batches.jsonl --dataset-size 60000 --json",
    ),
    "conform": ("conform opendp autodp --output run.json", "conform --adapter 'python mine.py'"),
    "delta": ("delta --epsilon 1 --sigma 4 --digits 50",),
    "demo": ("demo",),
    "dp-sgd": (
        "dp-sgd --noise-multiplier 1.1 --sampling-rate 256/60000 --steps 14063 --delta 1e-5",
        "dp-sgd --noise-multiplier 4 --sampling-rate 0.01 --steps 1000 --delta 1e-5 --group 8",
        "dp-sgd --epsilon 2 --sampling-rate 0.01 --steps 1000 --delta 1e-5",
    ),
    "epsilon": ("epsilon --delta 1e-5 --sigma 4 --json",),
    "events": (
        "events --epsilon 1 --delta 1e-5 --callable mylib:release --values 0 1",
        "events --epsilon 1 --delta 1e-5 --file of_one.npy of_the_other.npy",
    ),
    "experiment": ("experiment calibration", "experiment all --into pictures"),
    "history": ("history verdicts --add run.json", "history verdicts --site site"),
    "map": ("map classical --output map.png",),
    "matrix": (
        "matrix --matrix tree --size 1000 --noise-multiplier 4 --delta 1e-5",
        "matrix --matrix sqrt-toeplitz:60 --size 300 --participations 5 --min-separation 60 "
        "--noise-multiplier 4 --delta 1e-6",
        "matrix --matrix C.npy --participations 3 --min-separation 100 --epochs-fixed "
        "--noise-multiplier 8 --delta 1e-6 --json",
        "matrix --matrix sqrt-toeplitz:10 --size 200 --sampling-rate 0.05 --bands 10 "
        "--noise-multiplier 2 --delta 1e-5",
    ),
    "prove": ("prove BW18.T1", "prove --all"),
    "rank-one": ("rank-one verdict --dimension 10 --epsilon 1 --delta 1e-5",),
    "rank-one plot": ("rank-one plot --output rank-one.png",),
    "rank-one private": ("rank-one private --dimension 10 --epsilon 1 --delta 1e-5",),
    "rank-one simulate": ("rank-one simulate --dimension 10 --samples 1000000",),
    "rank-one table": ("rank-one table --output cells.jsonl --workers 2",),
    "rank-one verdict": ("rank-one verdict --dimension 10 --epsilon 1 --delta 1e-5",),
    "recipe": ("recipe opendp", "recipe opendp --output checkout"),
    "registry": (
        "registry deployments --output deployments.md",
        "registry deployment.yaml --claims formal",
    ),
    "report": ("report run.json --output report.html", "report new.json --against old.json"),
    "risk": (
        "risk --noise-multiplier 1 --sampling-rate 0.01 --steps 1000 --fpr 1e-3",
        "risk --sigma 4 --fpr 0.01 --prior 0.1 --plot curve.svg",
        "risk dp-report.toml --json",
    ),
    "sample": (
        "sample numpy --sigma 3",
        "sample --file noise.npy --epsilon 1 --delta 1e-5",
        "sample opendp --sigma 3 --leak",
    ),
    "sigma": ("sigma --epsilon 1 --delta 1e-5", "sigma --epsilon 1 --delta 1e-5 --digits 50"),
    "specimens": ("specimens --faults",),
    "statements": ("statements", "statements --figures"),
    "vectors": ("vectors", "vectors --export folder"),
}
"""Command -> what it may be called with."""

_FIRST = "\b\n"  # click leaves such a paragraph as it is
_WIDTH = 56


def with_examples(name: str, command: click.Command) -> click.Command:
    """Return a command whose help ends with its examples."""
    if not (command.epilog or "").startswith(_FIRST):
        lines = [" \\\n      ".join(_wrapped(example)) for example in EXAMPLES[name]]
        text = "\n  dporacle ".join([f"{_FIRST}Examples:", *lines])
        command.epilog = f"{text}\n\n{command.epilog}" if command.epilog else text
    if isinstance(command, click.Group):
        for each, below in command.commands.items():
            with_examples(f"{name} {each}", below)
    return command


def _wrapped(example: str) -> list[str]:
    return textwrap.wrap(example, _WIDTH - 12, break_long_words=False, break_on_hyphens=False)
