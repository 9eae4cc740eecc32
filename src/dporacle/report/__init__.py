"""Conformance runs, told: on a terminal (`terminal`), and from the JSON of one.

A page, a summary in Markdown and a badge are made of a JSON document that was read anew.
"""

from dporacle.conformance.grade.runs import MAX_BYTES, Document, read
from dporacle.report.page import render
from dporacle.report.summary import badge, markdown

__all__ = ["MAX_BYTES", "Document", "badge", "markdown", "read", "render"]
