"""The fourth witness: the quantities by identities that no other witness uses.

The enclosures make the certified vectors, the reference and the float64 functions answer users;
this witness answers nobody. It computes in mpmath what the vectors say, by another identity than
the enclosures' and the reference's, so that `dporacle vectors --verify` does not ask whoever made
them. Each function takes an mpmath context and the exact inputs and returns the value at the
context's precision; who asks raises the precision until two of them agree.
"""

from __future__ import annotations

from collections.abc import Mapping

from dporacle.identities.arithmetic import Identity
from dporacle.identities.release import FAR, far_epsilon, mu_of
from dporacle.vocabulary.discovery import modules

__all__ = ["FAR", "IDENTITIES", "PROFILES", "Identity", "far_epsilon", "mu_of"]

_MODULES = tuple(modules(__name__))

IDENTITIES: Mapping[str, Identity] = {
    name: identity
    for each in _MODULES
    for name, identity in getattr(each, "IDENTITIES", {}).items()
}
"""Quantity -> it, by another identity; each module of this folder has its own."""

PROFILES: Mapping[str, Identity] = {
    name: profile for each in _MODULES for name, profile in getattr(each, "PROFILES", {}).items()
}
"""An ε or a σ -> the falling δ, which must pass the δ asked for between an enclosure's two ends."""
