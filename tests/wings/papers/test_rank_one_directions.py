"""Both directions of a pair of neighbours have one rank-one profile: X.R1.PROFILE."""

import math
from itertools import pairwise

import pytest
from scipy.integrate import quad
from scipy.special import exp1, lambertw

from dporacle import enclosures


def from_the_other_side(epsilon, s):
    """Return E_P[(q/p − e^ε)₊] in three dimensions, polar around the centre of P.

    With u = |y − x′|², q/p = e^{(r² − u)/2s}·r²/u, and u is uniform between (1−r)² and (1+r)².
    """

    def at(r):
        nearest, farthest = (1 - r) ** 2, (1 + r) ** 2
        # q/p = e^ε there: Lambert's W
        edge = 2 * s * lambertw(r * r / (2 * s) * math.exp(r * r / (2 * s) - epsilon)).real
        edge = min(edge, farthest)
        if edge <= nearest:
            return 0.0
        density = 2 / math.sqrt(2 * math.pi * s)  # of r, less e^{−r²/2s}
        gained = r * r * (exp1(nearest / (2 * s)) - exp1(edge / (2 * s)))
        lost = math.exp(epsilon - r * r / (2 * s)) * (edge - nearest)
        return float(density * (gained - lost) / (4 * r))

    def part(low, high):
        return quad(at, low, high, limit=400, epsabs=1e-11, epsrel=1e-10)[0]

    ends = [1e-9, 0.5, 1.0, 2.0, 4.0]
    ends += [x for x in (math.sqrt(s) * n for n in (1, 3, 6, 12)) if x > 4]
    return sum(part(low, high) for low, high in pairwise(ends))


@pytest.mark.statement("X.R1.PROFILE")
@pytest.mark.parametrize("s", [0.3, 1.0, 8.0, 50.0])
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 3.0])
def test_the_other_direction_has_the_same_profile(epsilon, s):
    exact = enclosures.rank_one_delta_at_epsilon(
        epsilon=epsilon, sigma_star=s, dimension=3, digits=12
    )
    assert from_the_other_side(epsilon, s) == pytest.approx(float(exact), rel=1e-7)
