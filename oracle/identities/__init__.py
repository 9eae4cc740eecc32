"""The fourth witness: the quantities by identities that no other witness uses.

The enclosures make the certified vectors, the reference and the float64 functions answer users;
this witness answers nobody. It computes in mpmath what the vectors say, by another identity than
the enclosures' and the reference's, so that `dporacle vectors --verify` does not ask whoever made
them. Each function takes an mpmath context and the exact inputs and returns the value at the
context's precision; who asks raises the precision until two of them agree.
"""

from __future__ import annotations

from collections.abc import Mapping

from dporacle.identities import (
    closed_forms,
    conversions,
    denoising,
    discrete_gaussian,
    laplace,
    release,
    simultaneous_accuracy,
    thresholded_count,
)
from dporacle.identities.arithmetic import Identity
from dporacle.identities.release import FAR, far_epsilon, mu_of

__all__ = ["FAR", "IDENTITIES", "PROFILES", "Identity", "far_epsilon", "mu_of"]

IDENTITIES: Mapping[str, Identity] = {
    **release.IDENTITIES,
    **conversions.IDENTITIES,
    **simultaneous_accuracy.IDENTITIES,
    **discrete_gaussian.IDENTITIES,
    **closed_forms.IDENTITIES,
    **denoising.IDENTITIES,
    **laplace.IDENTITIES,
    **thresholded_count.IDENTITIES,
}
"""Quantity -> it, by another identity."""

PROFILES: Mapping[str, Identity] = {**release.PROFILES, **conversions.PROFILES}
"""An ε -> the falling δ(ε), which must pass the δ asked for between an enclosure's two ends."""
