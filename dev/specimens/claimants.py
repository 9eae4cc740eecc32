"""Accountants that claim an ε for runs of which no exact value is known: claims convict them.

Truncated batches, and sums that a record changes the divisor of, have two proved ends. No vector
asks for those. So each accountant says what ε its runs have, and a claim of that is judged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from dporacle.claims import audit
from dporacle.dev.specimens.subsampled import exact
from dporacle.mechanisms.training import read_training
from dporacle.verdicts import Verdict

_DELTA: Final = Fraction("1e-5")
Run = Mapping[str, Any]

# Most batches are cut: they are nearly of one size, and a record takes another one's place.
TRUNCATED: Final[tuple[Run, ...]] = (
    {
        "noise_multiplier": 1,
        "sampling": "truncated",
        "sampling_rate": "0.02",
        "dataset_size": 1000,
        "batch_cap": 10,
        "kept": "uniform",
        "steps": 1000,
        "divisor": "public",
    },
    {
        "noise_multiplier": 2,
        "sampling": "truncated",
        "sampling_rate": "0.02",
        "dataset_size": 1000,
        "batch_cap": 10,
        "kept": "uniform",
        "steps": 1000,
        "divisor": "public",
    },
)
AVERAGED: Final[tuple[Run, ...]] = (
    {  # by the size of the drawn batch
        "noise_multiplier": 4,
        "sampling": "poisson",
        "sampling_rate": "0.1",
        "dataset_size": 50,
        "steps": 20,
        "divisor": "drawn",
        "dimension": 10**6,
    },
    {  # by the private number of records, in full batches
        "noise_multiplier": 4,
        "sampling": "poisson",
        "sampling_rate": 1,
        "dataset_size": 100,
        "steps": 10,
        "divisor": "from-n",
        "dimension": 100,
    },
    {  # by a batch size that is computed from it
        "noise_multiplier": 100,
        "sampling": "poisson",
        "batch_size": 500,
        "dataset_size": 50000,
        "steps": 1000,
        "divisor": "from-n",
        "dimension": 10000,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """An accountant that claims.

    Attributes:
        name: short and unique.
        fault: what is wrong with it; empty for a correct one.
        says: a run -> the ε under add-remove, at δ = 1e-5.
        runs: what it is asked.
        sound: whether its claims are true, and far from the least one.
    """

    name: str
    fault: str
    says: Callable[[Run], float]
    runs: tuple[Run, ...]
    sound: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a claimant.

    Attributes:
        claimant: who.
        verdicts: of its claims.
        excess: its ε over the proved upper end, at the least; 0 where no upper end is proved.
    """

    claimant: Claimant
    verdicts: tuple[Verdict, ...]
    excess: float

    @property
    def as_expected(self) -> bool:
        """Whether every claim of a faulty one is refuted, and none of another one."""
        if self.claimant.sound:
            return set(self.verdicts) == {Verdict.HOLDS} and self.excess > 1.01
        right = Verdict.VIOLATED if self.claimant.fault else Verdict.HOLDS
        return set(self.verdicts) == {right}


def _sum_at(run: Run, rate: float, sigma: float) -> float:
    return exact("epsilon", "both", delta=float(_DELTA), sigma=sigma, rate=rate, steps=run["steps"])


def _rate(run: Run) -> float:
    return float(read_training(**run).sampling_rate)


def _as_poisson(run: Run) -> float:
    return _sum_at(run, _rate(run), run["noise_multiplier"])


def _at_the_cap(run: Run) -> float:
    cap, records = run["batch_cap"], run["dataset_size"]
    return _sum_at(run, cap / records, run["noise_multiplier"])


def _at_distance_two(run: Run) -> float:
    return _sum_at(run, _rate(run), run["noise_multiplier"] / 2)


def _as_proved(run: Run) -> float:
    found = _proved(run)
    assert found is not None
    return float(found) * (1 + 1e-12)


def _proved(run: Run) -> Fraction | None:
    return read_training(**run).ends(_DELTA, "add-remove").high


CLAIMANTS: Final = (
    Claimant(
        name="truncated-as-poisson",
        fault="truncated batches accounted as those of Poisson sampling",
        says=_as_poisson,
        runs=TRUNCATED,
    ),
    Claimant(
        name="truncated-at-the-rate-of-the-cap",
        fault="truncated batches accounted as Poisson sampling at the cap over the records",
        says=_at_the_cap,
        runs=TRUNCATED,
    ),
    Claimant(
        name="averaged-as-a-sum",
        fault="sums whose divisor a record changes accounted as if they were divided by one number",
        says=_as_poisson,
        runs=AVERAGED,
    ),
    Claimant(
        name="truncated-at-distance-two",
        fault="a distance of 2 in every truncated batch, where mostly 1 is right: safe, and dear",
        says=_at_distance_two,
        runs=TRUNCATED,
        sound=True,
    ),
    Claimant(name="the-proved-end", fault="", says=_as_proved, runs=(*TRUNCATED, AVERAGED[0])),
)
"""All of them."""


def judge(claimant: Claimant) -> Judged:
    """Judge what an accountant claims of its runs."""
    verdicts, excess = [], []
    for number, run in enumerate(claimant.runs):
        said = claimant.says(run)
        asserts = {"kind": "privacy", "neighbours": "add-remove", "delta": str(_DELTA)}
        claim = {
            "id": f"{claimant.name} {number}",
            "mechanism": {"kind": "dp-sgd", **run},
            "asserts": asserts | {"epsilon": said},
        }
        verdicts.append(audit(claim).verdict)
        high = _proved(run)
        excess.append(0.0 if high is None else said / float(high))
    return Judged(claimant, tuple(verdicts), min(excess))
