"""Claims by the million: one a row, of JSON lines, CSV or Parquet, decided in bounded memory."""

from dporacle.claims.streaming.reading import COLUMNS, FORMATS, Source, StreamError
from dporacle.claims.streaming.running import Counts, Journal, PartVerdicts, audit_stream

__all__ = [
    "COLUMNS",
    "FORMATS",
    "Counts",
    "Journal",
    "PartVerdicts",
    "Source",
    "StreamError",
    "audit_stream",
]
