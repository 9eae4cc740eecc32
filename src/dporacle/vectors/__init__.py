"""Certified vectors: exact inputs, proved answers, and why each case exists.

`load(group)` reads the vectors that ship with the package; `GROUPS` names the groups. The files
are plain JSON (`vectors/<group>.json`), described in `vectors/README.md`; this package reads,
makes and verifies them.
"""

from dporacle.vectors.vector_file import GROUPS, Refusal, Vector, VectorFile, load, read

__all__ = ["GROUPS", "Refusal", "Vector", "VectorFile", "load", "read"]
