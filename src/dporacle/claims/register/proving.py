"""Proves the register anew."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dporacle.claims.judge import AuditVerdict, audit
from dporacle.claims.register.reading import Published, Register
from dporacle.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Proved:
    """A published claim and what was proved about it now.

    Attributes:
        published: the claim.
        verdict: the verdict.
    """

    published: Published
    verdict: AuditVerdict

    @property
    def changed(self) -> bool:
        """Whether the verdict is another one than the recorded one."""
        return self.verdict.verdict != self.published.entry.verdict


def prove(register: Register) -> tuple[Proved, ...]:
    """Return a verdict on every claim of a register, in its order."""
    return tuple(Proved(claim, audit(claim.entry.claim())) for claim in register.claims)


def summary(proved: Sequence[Proved]) -> str:
    """Return how many claims have which verdict, and how many verdicts have changed."""
    counts = Counter(one.verdict.verdict for one in proved)
    found = ", ".join(f"{counts[kind]} {kind}" for kind in Verdict if counts[kind])
    changed = sum(one.changed for one in proved)
    return f"{len(proved)} published claims: {found}; {changed or 'none'} changed"
