"""The mechanisms that the case study compares with: MVG, hierarchical trees, Laplace (JL24.F1)."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mvg:
    """The matrix-variate noise N(0, Σ⊗Ψ) that the published sufficient condition asks for.

    Chanyaswad et al. (2018): ‖σ(Σ⁻¹)‖₂·‖σ(Ψ⁻¹)‖₂ ≤ (−β + √(β²+8αε))²/(4α²), with
    α = (H_r + H_{r,1/2})γ² + 2H_rγD, β = 2(MN)^{1/4}H_rDζ, ζ = 2√(−MN ln δ) − 2 ln δ + MN,
    r = min(M, N) and γ the largest ‖f‖_F that any data have.

    Attributes:
        rows: M.
        columns: N.
        epsilon: in (0, ∞).
        delta: in (0, 1).
        largest: γ, public.
        sensitivity: D.
        directions: the share of precision of each row direction, positive; equal ones if empty.
    """

    rows: int
    columns: int
    epsilon: float
    delta: float
    largest: float
    sensitivity: float = 1.0
    directions: tuple[float, ...] = ()

    @property
    def allowed(self) -> float:
        """The right side of the condition, (2ε/(…))² in the form that does not cancel."""
        m, n = self.rows, self.columns
        i = np.arange(1, min(m, n) + 1)
        h, half = float(np.sum(1 / i)), float(np.sum(i**-0.5))
        zeta = 2 * math.sqrt(-m * n * math.log(self.delta)) - 2 * math.log(self.delta) + m * n
        alpha = (h + half) * self.largest**2 + 2 * h * self.largest * self.sensitivity
        beta = 2 * (m * n) ** 0.25 * h * self.sensitivity * zeta
        root = math.sqrt(beta**2 + 8 * alpha * self.epsilon)
        return float((4 * self.epsilon / (beta + root)) ** 2)

    def row_variances(self) -> Values:
        """Return the eigenvalues of Σ, with Ψ = I: as little noise as the condition allows.

        The precision of direction i is its share: ‖σ(Σ⁻¹)‖₂·√N = the right side.
        """
        shares = np.array(self.directions or (1.0,) * self.rows)
        precision = shares / np.linalg.norm(shares) * self.allowed / math.sqrt(self.columns)
        return np.asarray(1 / precision)

    def expected_loss(self) -> float:
        """Return E‖noise‖² = Tr Σ·Tr Ψ."""
        return float(np.sum(self.row_variances())) * self.columns


def mvg_release(mvg: Mvg, rng: np.random.Generator) -> Values:
    """Draw the noise, its directions the rows themselves."""
    scale = np.sqrt(mvg.row_variances())[:, None]
    return np.asarray(scale * rng.standard_normal((mvg.rows, mvg.columns)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTree:
    """Noisy counts of every node of a tree over a square, the root left out (H_b, Qardaji 2013).

    A node of the square has branching² children. A record is counted once in each level, so that
    Laplace noise of scale height·D/ε on each node is ε-DP.

    Attributes:
        branching: b of each side.
        height: levels of noisy nodes; the square has branching^height cells to a side.
        scale: of the Laplace noise of each node.
    """

    branching: int
    height: int
    scale: float

    @property
    def side(self) -> int:
        """Cells to a side."""
        return int(self.branching**self.height)


def hierarchical_variance(tree: CountTree) -> float:
    """Return the variance of each cell's estimate by least squares, in closed form.

    With f children a node and the variance v of its own count, the best estimate from below has
    1/V_i = 1/v + 1/(f·V_{i−1}), V_1 = v; from above U = V_i(1 − 1/f) + U_parent/f², since a child's
    deviation from its siblings' mean and their sum are uncorrelated. The nodes of the highest level
    stand alone: U = V there.
    """
    f, v = tree.branching**2, 2 * tree.scale**2
    below = [v]
    for _ in range(tree.height - 1):
        below.append(1 / (1 / v + 1 / (f * below[-1])))
    found = below[-1]
    for each in below[-2::-1]:
        found = each * (1 - 1 / f) + found / f**2
    return found


def hierarchical_release(counts: Values, tree: CountTree, rng: np.random.Generator) -> Values:
    """Release a square of counts by a tree, and return the least-squares estimate of each cell.

    The square is filled up with zeros, which are released too and cut off again.
    """
    side, b = tree.side, tree.branching
    full = np.zeros((side, side))
    full[: counts.shape[0], : counts.shape[1]] = counts
    levels = [full]
    for _ in range(tree.height - 1):
        levels.append(_summed(levels[-1], b))
    noisy = [each + rng.laplace(scale=tree.scale, size=each.shape) for each in levels]
    f, v = b * b, 2 * tree.scale**2
    best, variance = [noisy[0]], v
    for own in noisy[1:]:
        total = _summed(best[-1], b)
        share = f * variance / (v + f * variance)  # of the node's own count
        best.append(share * own + (1 - share) * total)
        variance = 1 / (1 / v + 1 / (f * variance))
    found = best[-1]
    for below in best[-2::-1]:
        found = below + np.kron((found - _summed(below, b)) / f, np.ones((b, b)))
    return np.asarray(found[: counts.shape[0], : counts.shape[1]])


def _summed(values: Values, b: int) -> Values:
    side = values.shape[0] // b
    return np.asarray(values.reshape(side, b, side, b).sum(axis=(1, 3)))
