"""Reports for people from the JSON of a conformance run: a page, a summary, a badge."""

from dporacle.report.comparison import Comparison, compare
from dporacle.report.model import Document, read
from dporacle.report.page import render
from dporacle.report.summary import badge, markdown

__all__ = ["Comparison", "Document", "badge", "compare", "markdown", "read", "render"]
