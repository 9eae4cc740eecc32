"""The rank-one Gaussian mechanism R1SMG (JL24.T1, T2, T3, X.R1.*), as published and exact.

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal; σ* is a variance. The published theorem (JL24.T1) says that for M > 2 it is (ε,δ)-DP if

    σ* ≥ 2Δ²/(εψ),   ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)}.

Which is false for every M ≥ 4. The parts, in the order of `proofs_notes/rank_one_gaussian.md`:

- `rank_one.published`: ψ and σ*;
- `rank_one.profile`: the exact δ(ε), by two derivations. Their integrals stand in
  `rank_one.integrals`, the curve {L = ε} in `rank_one.curve`, Beta tails in `rank_one.caps`;
- `rank_one.inverses`: the exact ε(δ) and the smallest private σ*;
- `rank_one.angles`: the published sketch's angle and its bound on the loss;
- `rank_one.bounds`: the inner-ball lemma, the Apollonius ball, the upper bound, the limit.
"""

from __future__ import annotations

from dporacle.reference.papers.rank_one.angles import (
    rank_one_cosecant_tail,
    rank_one_cotangent_tail,
    rank_one_loss,
    rank_one_loss_bound,
)
from dporacle.reference.papers.rank_one.bounds import (
    rank_one_apollonius_delta,
    rank_one_inner_ball_delta,
    rank_one_limit_constant,
    rank_one_total_variation,
)
from dporacle.reference.papers.rank_one.inverses import (
    rank_one_epsilon_at_delta,
    rank_one_private_sigma_star,
)
from dporacle.reference.papers.rank_one.profile import (
    rank_one_delta_at_epsilon,
    rank_one_delta_by_radius,
)
from dporacle.reference.papers.rank_one.published import rank_one_psi, rank_one_sigma_star

__all__ = [
    "rank_one_apollonius_delta",
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_by_radius",
    "rank_one_epsilon_at_delta",
    "rank_one_inner_ball_delta",
    "rank_one_limit_constant",
    "rank_one_loss",
    "rank_one_loss_bound",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_sigma_star",
    "rank_one_total_variation",
]
