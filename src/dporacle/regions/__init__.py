"""Region proofs: statements over a whole continuum, proved or refuted by balls.

    >>> from dporacle import regions
    >>> regions.prove("BW18.T1").status
    <ProofStatus.PROVED: 'proved'>

`prove` runs a theorem of the list, `verify` checks the file that it leaves without searching, and
`decide_formula` decides a claim such as "this formula is private for ε in [a, b] and δ in [c, d]".
The theorems and their lemmas: `proofs_notes/region_proofs.md`; how to run them: `docs/proofs.md`.
"""

import warnings

from dporacle.regions.api import prove
from dporacle.regions.artefact import FORMAT, ArtefactError
from dporacle.regions.calibrations import CALIBRATIONS
from dporacle.regions.engine import Limits, ProofRun
from dporacle.regions.formulas import FormulaVerdict, decide_formula
from dporacle.regions.theorem import Counterexample, ProofStatus, Theorem
from dporacle.regions.theorems import catalogue
from dporacle.regions.verify import Verification, verify

__all__ = [
    "CALIBRATIONS",
    "FORMAT",
    "ArtefactError",
    "Counterexample",
    "FormulaVerdict",
    "Limits",
    "ProofRun",
    "ProofStatus",
    "Theorem",
    "Verification",
    "catalogue",
    "decide_formula",
    "prove",
    "verify",
]


_RENAMED = {"Run": ProofRun, "Status": ProofStatus}


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        now = _RENAMED[name]
        words = f"regions.{name} is regions.{now.__name__}; the old name goes with the next release"
        warnings.warn(words, DeprecationWarning, stacklevel=2)
        return now
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
