"""Deprecated: the statements are `dporacle.vocabulary.statements`."""

from __future__ import annotations

import warnings

from dporacle.vocabulary.statements import STATEMENTS, WITNESSES, Statement, Status, statement

__all__ = ["STATEMENTS", "WITNESSES", "Statement", "Status", "statement"]

warnings.warn(
    "dporacle.catalogue is dporacle.vocabulary.statements; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
