"""Ask both accountants of dp-accounting 0.6.0 the same, without dporacle.

`GaussianDpEvent` says that its noise multiplier is over the norm C that bounds one record. Where
one record replaces another, a sum moves by 2C.
"""

import math
import sys
from statistics import NormalDist

from dp_accounting import (
    GaussianDpEvent,
    NeighboringRelation,
    PoissonSampledDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
)
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

DELTA = 1e-5
REPLACED = NeighboringRelation.REPLACE_ONE


def exact(mu: float) -> float:
    """Return the least ε of Gaussian noise of deviation 1 on what moves by μ (Balle and Wang)."""
    phi, low, high = NormalDist().cdf, 0.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        delta = phi(mu / 2 - middle / mu) - math.exp(middle) * phi(-mu / 2 - middle / mu)
        low, high = (middle, high) if delta > DELTA else (low, middle)
    return high


def said(accountant, event, relation=REPLACED) -> float:
    """Return the ε that an accountant says."""
    return accountant(neighboring_relation=relation).compose(event).get_epsilon(DELTA)


records, batch, steps, sigma = 60_000, 256, 14_063, 1.1
fixed = SampledWithoutReplacementDpEvent(records, batch, GaussianDpEvent(sigma))
# All others contribute −C, and the record C: where it is drawn it takes the place of a −C. A step
# is then N(−C) against (1 − q)N(−C) + qN(C): Poisson sampling's pair, 2C apart.
turned = PoissonSampledDpEvent(batch / records, GaussianDpEvent(sigma / 2))
pair = SelfComposedDpEvent(turned, steps)
attained = said(PLDAccountant, pair, NeighboringRelation.ADD_OR_REMOVE_ONE)
event = GaussianDpEvent(4.0)

sys.stdout.write(
    f"""one release, σ = 4C, a record replaced, δ = {DELTA}
  RdpAccountant says  {said(RdpAccountant, event):.5f}
  PLDAccountant says  {said(PLDAccountant, event):.5f}
  exact, as σ/C       {exact(2 / 4):.5f}
  exact, as σ/Δ       {exact(1 / 4):.5f}

batches of {batch} of {records}, {steps} steps, σ = {sigma}C, a record replaced
  RdpAccountant says  {said(RdpAccountant, SelfComposedDpEvent(fixed, steps)):.4f}
  attained            {attained:.4f}
"""
)
