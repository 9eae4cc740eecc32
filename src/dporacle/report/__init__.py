"""Reports for people from the JSON of a conformance run: a page, a summary, a badge."""

from dporacle.report.document import MAX_BYTES, Document, read
from dporacle.report.page import render
from dporacle.report.summary import badge, markdown

__all__ = ["MAX_BYTES", "Document", "badge", "markdown", "read", "render"]
