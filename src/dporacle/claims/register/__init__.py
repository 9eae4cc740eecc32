"""A register of published claims about Gaussian noise, each with its source and its verdict."""

from dporacle.claims.register.entries import Absent, PublishedClaim, Source
from dporacle.claims.register.proving import Proved, prove, summary
from dporacle.claims.register.reading import Published, Register, load, read

__all__ = [
    "Absent",
    "Proved",
    "Published",
    "PublishedClaim",
    "Register",
    "Source",
    "load",
    "prove",
    "read",
    "summary",
]
