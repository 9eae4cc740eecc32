"""A street graph, a wavelet basis on it and trend filtering along it (BW18.F2).

The source's map is on the junctions of Manhattan; that graph is not at hand. This one is a grid
whose streets are missing here and there, fixed beforehand: it must not follow the data.
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from dporacle.common.randomness import generator

Values = npt.NDArray[np.float64]

_MISSING = 0.15
_WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the penalty, in units of σ
_STEPS = 120


def street_graph(
    side: int, *, seed: int = 7
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the cells of a side×side grid that are joined, and the streets between them.

    A street of the grid is missing with probability 0.15, by this seed and nothing else; the cells
    are those of the largest part that hangs together.

    Returns:
        the cells, as indices into the grid row by row; the streets, pairs of places of cells.
    """
    index = np.arange(side * side).reshape(side, side)
    across = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    down = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    streets = np.concatenate([across, down])
    streets = streets[generator("streets", seed).random(len(streets)) > _MISSING]
    graph = sparse.coo_array((np.ones(len(streets)), tuple(streets.T)), shape=(side**2, side**2))
    _, label = csgraph.connected_components(graph, directed=False)
    cells = np.flatnonzero(label == np.bincount(label).argmax())
    place = np.full(side * side, -1)
    place[cells] = np.arange(len(cells))
    streets = place[streets]
    return cells, streets[(streets >= 0).all(axis=1)]


def differences(nodes: int, streets: npt.NDArray[np.int64]) -> sparse.csr_array:
    """Return the matrix whose row e takes the difference along street e."""
    rows = np.repeat(np.arange(len(streets)), 2)
    signs = np.tile([1.0, -1.0], len(streets))
    return sparse.coo_array((signs, (rows, streets.ravel())), shape=(len(streets), nodes)).tocsr()


def haar_basis(nodes: int, streets: npt.NDArray[np.int64]) -> sparse.csr_array:
    """Return an orthonormal basis: the constant, and a difference of means for each split.

    A spanning tree is split where its two parts are most alike in size, and so on, down to single
    nodes: the Haar wavelets of a tree of the graph, as Sharpnack et al. (2013) take them.
    """
    graph = sparse.coo_array((np.ones(len(streets)), tuple(streets.T)), shape=(nodes, nodes))
    order, parent = csgraph.breadth_first_order(graph + graph.T, 0, directed=False)
    rank = np.empty(nodes, dtype=np.int64)
    rank[order] = np.arange(nodes)
    above = np.where(parent >= 0, parent, 0)
    rows: list[npt.NDArray[np.int64]] = [np.arange(nodes)]
    values: list[Values] = [np.full(nodes, nodes**-0.5)]
    cut = np.zeros(nodes, dtype=bool)  # the street to a node's parent is gone
    waiting = [order]
    while waiting:
        part = waiting.pop()
        if len(part) == 1:
            continue
        # Sizes of the subtrees within the part, from the leaves up: it is in the walk's order.
        size = dict.fromkeys(part.tolist(), 1)
        for node in part[:0:-1].tolist():
            if not cut[node]:
                size[int(above[node])] += size[node]
        whole = len(part)
        best = min(part[1:].tolist(), key=lambda node: (abs(2 * size[node] - whole), rank[node]))
        below = {best}
        for node in part[1:].tolist():
            if int(above[node]) in below and not cut[node]:
                below.add(node)
        cut[best] = True
        inside = np.fromiter((node in below for node in part.tolist()), bool, whole)
        near, far = part[inside], part[~inside]
        many, few = len(near), len(far)
        height = (many * few / (many + few)) ** 0.5
        rows.append(np.concatenate([near, far]))
        values.append(np.concatenate([np.full(many, height / many), np.full(few, -height / few)]))
        waiting += [near, far]
    lengths = [len(each) for each in rows]
    heads = np.repeat(np.arange(len(rows)), lengths)
    return sparse.coo_array(
        (np.concatenate(values), (heads, np.concatenate(rows))), shape=(nodes, nodes)
    ).tocsr()


def trend_filter(y: Values, operator: sparse.csr_array, sigma: float, probe: Values) -> Values:
    """Return the u of least ‖u − y‖²/2 + w‖Au‖₁, with w chosen from the release alone.

    A takes differences along streets: order 0 of graph trend filtering (Wang et al. 2016). The
    weight is the one of five multiples of σ with the least unbiased estimate of the risk (Stein
    1981), its divergence by one random probe. The dual problem is solved by accelerated projected
    gradients.

    Args:
        y: the release.
        operator: A.
        sigma: the noise's standard deviation per node.
        probe: standard normal numbers, as many as nodes.
    """
    bound = 2 * float(np.max(abs(operator).T @ (abs(operator) @ np.ones(y.size))))  # ≥ ‖AAᵀ‖

    def smooth(signal: Values, weight: float) -> Values:
        dual = ahead = np.zeros(operator.shape[0])
        momentum = 1.0
        for _ in range(_STEPS):
            step = ahead + operator @ (signal - operator.T @ ahead) * (2 / bound)
            following = np.clip(step, -weight, weight)
            after = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
            ahead = following + (momentum - 1) / after * (following - dual)
            dual, momentum = following, after
        return np.asarray(signal - operator.T @ dual)

    def estimate(weight: float) -> tuple[float, Values]:
        u = smooth(y, weight * sigma)
        step = sigma / 100
        divergence = float(probe @ (smooth(y + step * probe, weight * sigma) - u)) / step
        return float(np.sum((u - y) ** 2)) + 2 * sigma**2 * divergence, u

    return min((estimate(weight) for weight in _WEIGHTS), key=lambda each: each[0])[1]
