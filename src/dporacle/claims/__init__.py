"""Claims: what somebody asserts about a Gaussian mechanism, from a file to a proved verdict."""

from dporacle.claims.certificate import certificate
from dporacle.claims.claim import Claim, ClaimFile
from dporacle.claims.files import load, make, read, schema
from dporacle.claims.judge import AuditVerdict, audit

__all__ = [
    "AuditVerdict",
    "Claim",
    "ClaimFile",
    "audit",
    "certificate",
    "load",
    "make",
    "read",
    "schema",
]
