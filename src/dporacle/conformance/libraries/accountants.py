"""What public accountants of DP-SGD answer: asked to stand beside the exact ε, not judged."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dporacle.conformance import protocol
from dporacle.conformance.libraries.pinned import LIBRARIES, Library
from dporacle.conformance.libraries.targets import library_environment, python_command
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import ProtocolError, Reply

ACCOUNTANTS: Mapping[str, tuple[Library, str]] = {
    "dp-accounting": (LIBRARIES["dp-accounting"], "PLDAccountant.get_epsilon, sampled"),
    "opacus": (LIBRARIES["opacus"], "get_epsilon(prv), sampled"),
    "prv-accountant": (LIBRARIES["prv-accountant"], "PRVAccountant.compute_epsilon, sampled"),
}
"""Name -> the library and its function that bounds ε of DP-SGD from above as well as it can."""

_START = 60.0  # seconds
_HUNG = "none in time"
_GIVEN_UP = 2  # hangs after which no more is asked


@dataclass(frozen=True)
class AccountantAnswer:
    """What was answered to one question.

    Attributes:
        value: the number; NaN where there is none.
        words: why there is none, else empty.
        seconds: how long it took, in processor time.
    """

    value: float
    words: str
    seconds: float


def answers(
    name: str, inputs: Sequence[Mapping[str, float]], *, python: Path, timeout: float
) -> tuple[str, list[AccountantAnswer]]:
    """Return an accountant's version, and what it says of several runs of DP-SGD: ε at δ.

    Args:
        name: one of `ACCOUNTANTS`.
        inputs: for each its delta, sigma, rate and steps.
        python: an interpreter that has the library.
        timeout: seconds of processor time for one answer.
    """
    library, function = ACCOUNTANTS[name]
    version, found = library.version, list[AccountantAnswer]()
    with AdapterProcess(
        python_command(python, library),
        environment=library_environment(),
        memory_limit=library.memory << 30,
    ) as child:
        for given in inputs:
            if sum(each.words == _HUNG for each in found) == _GIVEN_UP:
                found.append(AccountantAnswer(math.nan, "not asked", 0.0))
                continue
            try:
                if not child.running:
                    version = child.start(timeout=_START).version
                found.append(_said(child.run(function, given, timeout=timeout), child.spent))
            except AdapterHungError:
                found.append(AccountantAnswer(math.nan, _HUNG, timeout))
            except (AdapterDiedError, ProtocolError) as error:
                found.append(AccountantAnswer(math.nan, str(error), child.spent))
    return version, found


def _said(reply: Reply, seconds: float) -> AccountantAnswer:
    for words in (reply.refused, reply.error, reply.skip):
        if isinstance(words, str):
            return AccountantAnswer(math.nan, words, seconds)
    assert isinstance(reply.value, (float, str))
    return AccountantAnswer(float(protocol.read_number(reply.value)), "", seconds)
