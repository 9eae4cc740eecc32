"""Specimens: small calibrators with one known fault each, and correct ones, to test the tester.

A suite of vectors is as good as the mistakes that it notices. `power()` runs the certified
vectors against every specimen and says which flags convict which fault, and which flags convict
nothing; `dporacle specimens` prints it.
"""

from dporacle.dev.specimens.correct import CORRECT
from dporacle.dev.specimens.faulty import FAULTY, NARROW
from dporacle.dev.specimens.power import Report, Trial, power, report_of, try_specimen
from dporacle.dev.specimens.specimen import EndlessLoopError, Specimen, steps

__all__ = [
    "CORRECT",
    "FAULTY",
    "NARROW",
    "EndlessLoopError",
    "Report",
    "Specimen",
    "Trial",
    "power",
    "report_of",
    "steps",
    "try_specimen",
]
