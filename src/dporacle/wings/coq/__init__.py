"""Verdicts as theorems of Coq, checked by its kernel.

The development is in `proofs_notes/coq`; Coq is never needed to use the rest of the package.
"""
