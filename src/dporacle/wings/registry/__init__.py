"""Descriptions of deployments: what they say of their privacy, and whether it can be true."""

from dporacle.wings.registry.checks import Audited, Finding, audit
from dporacle.wings.registry.page import to_json, to_markdown, to_text
from dporacle.wings.registry.reading import Entry, load, read

__all__ = [
    "Audited",
    "Entry",
    "Finding",
    "audit",
    "load",
    "read",
    "to_json",
    "to_markdown",
    "to_text",
]
