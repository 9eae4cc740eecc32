"""Frozen noise: a program is run on two neighbouring data sets with the same noise, and compared.

Whatever still differs comes from the data alone. A value that changes by more than its call
declares proves that declaration false; other differences are questions. The changes of a pair are a
claim that `dporacle audit` decides exactly. `docs/frozen.md` is the manual, and
proofs_notes/frozen.md says what is proved, of what, and what is not.

Hooks are set for the whole process while a function runs, and always taken back. One check runs at
a time, others wait; noisy calls of other threads are not frozen, and are asked about.
"""

from dporacle.frozen.answer import KINDS, FrozenCheck, FrozenFinding
from dporacle.frozen.calls import Hook, NoisyCall
from dporacle.frozen.check import check
from dporacle.frozen.hooks import FreezableGenerator, diffprivlib, numpy, opendp, pipeline_dp

__all__ = [
    "KINDS",
    "FreezableGenerator",
    "FrozenCheck",
    "FrozenFinding",
    "Hook",
    "NoisyCall",
    "check",
    "diffprivlib",
    "numpy",
    "opendp",
    "pipeline_dp",
]
