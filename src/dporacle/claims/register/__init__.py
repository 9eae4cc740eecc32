"""A register of published claims about Gaussian noise, each with its source and its verdict."""

from dporacle.claims.register.entries import Absent, Publication, PublishedClaim
from dporacle.claims.register.proving import Proved, prove, summary
from dporacle.claims.register.reading import Published, Register, load, read

__all__ = [
    "Absent",
    "Proved",
    "Publication",
    "Published",
    "PublishedClaim",
    "Register",
    "load",
    "prove",
    "read",
    "summary",
]
