"""Frozen noise on a program of one's own: each of three counts spends the whole budget.

Run it with  python examples/frozen_noise.py build/pair.json
It needs Hypothesis:  pip install '.[frozen]'
"""

import sys
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from dporacle import frozen

GROUPS = [(0, 30), (30, 60), (60, 120)]


def histogram(ages: list[int]) -> list[float]:
    """Return noisy counts of three groups; the promise is ε = 1 if one age is replaced."""
    counts = [sum(low <= age < high for age in ages) for low, high in GROUPS]
    return [count + np.random.laplace(scale=1.0) for count in counts]  # noqa: NPY002


found = frozen.check(
    histogram,
    make_record=st.integers(0, 119),
    sizes=range(1, 6),
    relation="replace-one",
    hooks=frozen.numpy(sensitivity=1),
    epsilon=1,
    delta=0,
)
sys.stdout.write(f"{found}\n")
for name in sys.argv[1:]:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(found.claims(epsilon=1, delta="1e-5"), encoding="utf-8")
sys.exit(bool(found.proofs))
