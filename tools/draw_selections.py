"""Draw ε over the number of selections: fixed scores, an adversary, the sum of ρ, the sum of ε.

    python tools/draw_selections.py docs/selections.png

The ends are proved: each is the ε at which an audit turns, to a thousandth.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import dporacle
from dporacle.verdicts import Verdict

ETA = "1"
DELTA = "1e-5"
COUNTS = (2, 3, 5, 8, 12, 20, 30, 50, 80)
_STEPS = 12  # by halves


def _turns(mechanism: dict[str, Any], most: float, wanted: Verdict) -> float:
    """Return the least ε that HOLDS, or the largest that is VIOLATED, to a part in 4096."""
    low, high = 0.0, most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        asserts = {"kind": "privacy", "epsilon": f"{middle:.12f}", "delta": DELTA,
                   "neighbours": "replace-one"}  # fmt: skip
        found = dporacle.audit({"id": "x", "mechanism": mechanism, "asserts": asserts}).verdict
        if found is Verdict.HOLDS or (wanted is Verdict.VIOLATED and found is not wanted):
            high = middle
        else:
            low = middle
    return high if wanted is Verdict.HOLDS else low


def _selections(times: int, *, adaptive: bool) -> dict[str, Any]:
    return {"kind": "exponential", "epsilon": ETA, "times": times, "adaptive": adaptive,
            "neighbours": "replace-one"}  # fmt: skip


def curves(counts: Sequence[int]) -> dict[str, list[float]]:
    """Return the name of each curve, from the largest to the least, and its ε at these counts."""
    eta = float(ETA)
    rho = dporacle.reference.exponential_mechanism_zcdp_rho(scale=2, sensitivity=ETA)
    drawn: dict[str, list[float]] = {}
    for n in counts:
        most = n * eta
        box = {"kind": "black-box", "rho": str(n * rho), "neighbours": "replace-one", "times": 1}
        adaptive, fixed = (_selections(n, adaptive=each) for each in (True, False))
        found = {
            "sum of ε": most,
            "sum of ρ, converted": min(most, _turns(box, 2 * most, Verdict.HOLDS)),
            "an adversary chooses the scores: at most": _turns(adaptive, most, Verdict.HOLDS),
            "the same: at least": _turns(adaptive, most, Verdict.VIOLATED),
            "scores are fixed: at least": _turns(fixed, most, Verdict.VIOLATED),
        }
        for name, value in found.items():
            drawn.setdefault(name, []).append(value)
    return drawn


def draw(output: Path) -> None:
    """Write the picture to a file, in the format of its suffix."""
    figure = Figure(figsize=(8, 5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    # Okabe and Ito's colours, and lines that differ without any.
    styles = (("#555555", ":"), ("#D55E00", "--"), ("#0072B2", "-"), ("#0072B2", "-."),
              ("#009E73", (0, (1, 1))))  # fmt: skip
    for (name, values), (colour, line) in zip(curves(COUNTS).items(), styles, strict=True):
        axes.plot(COUNTS, values, color=colour, linestyle=line, marker=".", label=name)
    axes.set(xscale="log", yscale="log", xlabel="selections by the exponential mechanism",
             ylabel=f"ε at δ = {DELTA}", title=f"What {ETA}-DP selections add up to")  # fmt: skip
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.set_yticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(output, dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
