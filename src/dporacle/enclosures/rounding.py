"""Deprecated: this stands in `dporacle.enclosures.arithmetic.rounding` now."""

import warnings

from dporacle.enclosures.arithmetic.rounding import *  # noqa: F403

warnings.warn(
    "dporacle.enclosures.rounding is now dporacle.enclosures.arithmetic.rounding",
    DeprecationWarning,
    stacklevel=2,
)
