"""Proves the register anew."""

from collections import Counter
from collections.abc import Callable, Sequence
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


def prove(register: Register, doing: Callable[[str], object] = str) -> tuple[Proved, ...]:
    """Return a verdict on every claim of a register, in its order.

    Args:
        register: the claims.
        doing: is told of each claim, before it is proved.
    """
    found, total = [], len(register.claims)
    for place, claim in enumerate(register.claims, 1):
        doing(f"{claim.entry.id}, {place} of {total}")
        found.append(Proved(claim, audit(claim.entry.claim())))
    return tuple(found)


def summary(proved: Sequence[Proved]) -> str:
    """Return how many claims have which verdict, and how many verdicts have changed."""
    counts = Counter(one.verdict.verdict for one in proved)
    found = ", ".join(f"{counts[kind]} {kind}" for kind in Verdict if counts[kind])
    changed = sum(one.changed for one in proved)
    return f"{len(proved)} published claims: {found}; {changed or 'none'} changed"
