"""Quantities of DP-SGD: Poisson-subsampled Gaussian steps."""

from collections.abc import Iterator
from typing import Any

from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import GROUPS, SUBSAMPLED, TWO_PHASES
from dporacle.vocabulary.quantities.row import Quantity

_PROVED_IN_TIME: dict[str, Any] = {
    "served": True,
    "costly": True,
    "rounds": 7,
    # At the vectors; the module states what it is elsewhere.
    "float64": (0, 1e-9),
    "judged": (16, 26, 50),
    "certified": 30,
    "confined": "σ in [0.3, 100], rates from 10^-6, up to 10^7 steps, δ from 10^-100",
}
_NEIGHBOURS = {
    "both": "a record more or less",
    "add": "a record less in the first data set",
    "remove": "a record more in the first data set",
    "replace": "another record",
}


def _subsampled() -> Iterator[Quantity]:
    """Yield δ, ε and the noise multiplier of DP-SGD for each direction, and of two phases."""
    for direction, mechanism in SUBSAMPLED.items():
        suffix = "" if direction == "both" else f"_{direction}"
        common = {"mechanism": mechanism, "fixed": {"direction": direction}, **_PROVED_IN_TIME}
        who = _NEIGHBOURS[direction]
        yield Quantity(
            name=f"subsampled_delta{suffix}",
            kind=DELTA,
            arguments=("epsilon", "sigma", "rate", "steps"),
            exact=f"the least δ of T Poisson-subsampled Gaussian steps; {who}",
            harm="a smaller δ than the steps give together",
            statements=("X.SG.PROFILE",),
            function="subsampled_delta",
            **common,
        )
        yield Quantity(
            name=f"subsampled_epsilon{suffix}",
            kind=EPSILON,
            arguments=("delta", "sigma", "rate", "steps"),
            exact=f"the least ε ≥ 0 of T Poisson-subsampled Gaussian steps; {who}",
            harm="a smaller ε than the steps give together",
            statements=("X.SG.PROFILE",),
            function="subsampled_epsilon",
            # At δ = 10^-18 its bound is wider.
            **{**common, "float64": (0, 1e-6)},
        )
        if direction in ("add", "remove"):
            continue  # nobody calibrates for one of them, and each exact value takes seconds
        yield Quantity(
            name=f"subsampled_sigma{suffix}",
            kind=NOISE_NEEDED,
            arguments=("epsilon", "delta", "rate", "steps"),
            exact=f"the least noise multiplier of T Poisson-subsampled steps; {who}",
            harm="less noise than the promise of all steps together needs",
            statements=("X.SG.INVERSE",),
            function="subsampled_sigma",
            **{**common, "rounds": 12},  # a proof takes six times that of an ε
        )
    phases = ("sigma", "rate", "steps"), ("later_sigma", "later_rate", "later_steps")
    for kind, given, symbol in ((DELTA, "epsilon", "δ"), (EPSILON, "delta", "ε ≥ 0")):
        yield Quantity(
            name=f"subsampled_phases_{kind.name}",
            mechanism=TWO_PHASES,
            kind=kind,
            arguments=(given, *phases[0], *phases[1]),
            exact=f"the least {symbol} of two phases of such steps; {_NEIGHBOURS['both']}",
            harm=f"a smaller {symbol[0]} than the phases give together",
            statements=("X.SG.PROFILE",),
            function=f"subsampled_schedule_{kind.name}",
            fixed={"direction": "both"},
            gathered={"phases": phases},
            **{**_PROVED_IN_TIME, "rounds": 12},
        )


def _groups() -> Iterator[Quantity]:
    """Yield δ, ε and the noise multiplier of a group of records for each direction."""
    words = {"both": "k records more or less", "add": "k records less in the first data set"}
    words |= {"remove": "k records more in the first data set", "replace": "k other records"}
    of = "T Poisson-subsampled steps"
    facts = {
        "delta": (DELTA, "epsilon", f"the least δ of {of}", "a smaller δ than a group has"),
        "epsilon": (EPSILON, "delta", f"the least ε ≥ 0 of {of}", "a smaller ε than a group has"),
        "sigma": (
            NOISE_NEEDED,
            "",
            f"the least noise multiplier of {of}",
            "less noise than a group needs",
        ),
    }
    for direction, mechanism in GROUPS.items():
        for symbol, (kind, given, exact, harm) in facts.items():
            if symbol == "sigma" and direction in ("add", "remove"):
                continue
            named = (given, "sigma") if given else ("epsilon", "delta")
            row = {**_PROVED_IN_TIME, "rounds": 12, "float64": (0, 1e-6), "confined": _CONFINED}
            if symbol == "sigma":  # no library calibrates for groups, and an answer takes seconds
                row["served"] = False
            yield Quantity(
                name=f"subsampled_group_{symbol}" + f"_{direction}" * (direction != "both"),
                mechanism=mechanism,
                kind=kind,
                arguments=(*named, "rate", "steps", "size"),
                exact=f"{exact}; {words[direction]}",
                harm=harm,
                statements=("X.SG.GROUP",),
                function=f"group_{symbol}",
                fixed={"direction": direction},
                **row,
            )


_CONFINED = "σ/k in [0.3, 100], rates from 10^-6, up to 10^7 steps, δ from 10^-100, k up to 64"

ROWS = (*_subsampled(), *_groups())
