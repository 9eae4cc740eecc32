"""Files of claims to start from, with comments."""

from importlib import resources
from typing import Final

__all__ = ["EXAMPLES", "read"]

EXAMPLES: Final = {
    "dp-report": "one release: its privacy and its accuracy",
    "dp-sgd": "private training: Poisson-sampled and shuffled batches, all records of a user",
    "laplace": "Laplace noise: pure ε and the error",
    "composition": "several releases together: their δ, and their total ρ",
    "ledger": "selections, black boxes, reports, counts and training together",
    "ledger-lines": "the lines that a run has recorded, and the cap of a filter",
    "integer-noise": "integer sums with noise of many parties: dropouts, remainders, clamping",
    "training": "private training by tree aggregation (DP-FTRL), a noise multiplier",
    "matrix": "noise that is correlated by a matrix: trees, banded matrices, files",
    "histogram": "bounds of contributions, and a histogram whose small counts are left out",
    "sensitivity": "a mean, a variance, a regression and a median: how far one record moves them",
    "conversion": "from zCDP, Rényi or Gaussian differential privacy to (ε,δ)",
    "evidence": "what an audit counted: error rates, one run with canaries, draws of the loss",
    "formula": "a published formula for σ, at a point and over ranges",
}
"""Name -> what it shows."""


def read(name: str) -> str:
    """Return the text of an example.

    Args:
        name: a key of `EXAMPLES`.
    """
    return (resources.files(__package__) / f"{name}.toml").read_text(encoding="utf-8")
