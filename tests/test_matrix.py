"""Matrix mechanisms: sensitivities by brute force, files that are no strategy, ε on both sides."""

import itertools
import json
import math
import os
import random
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from click.testing import CliRunner
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import arguments, claims, enclosures, fast, reference
from dporacle.claims import judge, report
from dporacle.cli import main
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.matrix import sampled, semidefinite, trees
from dporacle.enclosures.matrix.patterns import maximal
from dporacle.enclosures.matrix.sensitivity import Participation, sensitivity
from dporacle.enclosures.matrix.strategies import Dense, Toeplitz, Tree, dense_toeplitz
from dporacle.mechanisms import matrix_files
from dporacle.mechanisms.matrix import named, sampled_figures
from dporacle.vocabulary.matrices import MOST_STEPS, MOST_TREE_STEPS, NAMED
from support.cases import table
from support.witnesses import ask


def dense(rows):
    """Return the strategy of exact rows, without looking at what kind of matrix it is."""
    unit = math.lcm(*(Fraction(each).denominator for row in rows for each in row))
    columns = []
    for column in zip(*rows, strict=True):
        filled = [i for i, each in enumerate(column) if each]
        part = column[filled[0] : filled[-1] + 1]
        columns.append((filled[0], [int(each * unit) for each in part]))
    return Dense(columns, unit)


def patterns(size, asked):
    for count in range(1, asked.most + 1):
        for pattern in itertools.combinations(range(size), count):
            gaps = [b - a for a, b in itertools.pairwise(pattern)]
            if all(g == asked.separation if asked.fixed else g >= asked.separation for g in gaps):
                yield pattern


def brute(rows, asked, *, signs):
    """Return the largest Σ Gᵢⱼsᵢsⱼ over all patterns, and over all signs s if they are wanted."""
    size, best = len(rows[0]), Fraction(0)
    gram = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
    for pattern in patterns(size, asked):
        for tail in itertools.product((1, -1) if signs else (1,), repeat=len(pattern) - 1):
            s = dict(zip(pattern, (1, *tail), strict=True))
            best = max(best, sum(gram[i][j] * s[i] * s[j] for i in pattern for j in pattern))
    return best


@st.composite
def cases(draw, *, least, most_size):
    size = draw(st.integers(1, most_size))
    band = draw(st.integers(1, size))
    asked = Participation(
        draw(st.integers(1, size)), draw(st.integers(1, size + 1)), draw(st.booleans())
    )
    entries = st.one_of(
        st.integers(least, 5).map(Fraction),
        st.sampled_from([0.1, 1 / 3, 1e-9, 2.0**-300, 3.5]).map(Fraction),
        st.fractions(least, 2, max_denominator=7),
    )
    rows = [[Fraction(0)] * size for _ in range(size)]
    for i in range(size):
        rows[i][i] = draw(entries.filter(bool))
        for j in range(max(0, i - band + 1), i):
            rows[i][j] = draw(entries)
    return rows, asked


@given(case=cases(least=0, most_size=9))
def test_nonnegative_sensitivities_are_those_of_brute_force(case):
    rows, asked = case
    found = sensitivity(dense(rows), asked)
    assert found.exact
    assert found.low == found.high == brute(rows, asked, signs=False)
    assert found.pattern in set(patterns(len(rows), asked))
    assert dense(rows).square(found.pattern) == found.low * dense(rows).unit ** 2


@given(case=cases(least=-3, most_size=6))
@example(
    case=(
        [[Fraction(v) for v in row] for row in ([1, 0, 0], [1, 1, 0], [1, -1, 1])],
        Participation(3, 1),
    )
)
def test_signed_sensitivities_contain_those_of_signs_and_vectors(case):
    rows, asked = case
    found = sensitivity(dense(rows), asked)
    assert brute(rows, asked, signs=True) <= found.high
    assert found.low <= found.high <= found.low * (1 + Fraction(1, 10**6))
    draw = random.Random(7)
    for pattern in patterns(len(rows), asked):
        u = {j: np.array([draw.gauss(0, 1) for _ in range(len(pattern))]) for j in pattern}
        moved = sum(
            np.linalg.norm(sum(float(row[j]) * u[j] / np.linalg.norm(u[j]) for j in pattern)) ** 2
            for row in rows
        )
        assert moved <= float(found.high) * (1 + 1e-9)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_listed_patterns_are_those_that_no_other_contains(size, most, separation):
    asked = Participation(most, separation)
    found = {frozenset(each) for each in patterns(size, asked)}
    listed = maximal(size, asked, 1000)
    assert len(listed) == len(set(listed))
    assert set(map(frozenset, listed)) == {a for a in found if not any(a < b for b in found)}


@pytest.mark.parametrize("most", [4, 6, 12])
def test_signs_of_twelve_steps_are_reconciled(most):
    rows = np.tril(np.random.default_rng(3).normal(size=(12, 12)))
    found = sensitivity(matrix_files.strategy(rows), Participation(most, 1))
    assert found.high <= found.low * (1 + Fraction(1, 10**9))


def test_three_columns_that_signs_cannot_reconcile_have_the_value_of_a_triangle():
    """G = I + ½(I − J)·… with all pairs at −½: three vectors at 120° give 3 + 3·½."""
    gram = [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]
    low, high = semidefinite.largest(gram)
    assert low <= 9 <= high
    assert high - low < Fraction(1, 10**6)


@given(case=cases(least=0, most_size=11))
def test_bounds_of_large_matrices_contain_the_exact_value(case):
    from dporacle.enclosures.matrix.sensitivity import _Searched

    rows, asked = case
    asked = Participation(asked.most, asked.separation)
    strategy = dense(rows)
    exact = sensitivity(strategy, asked)
    shift, magnitudes = strategy.magnitudes(strategy.bandwidth)
    found = _Searched(strategy, asked)._bounded(shift, magnitudes)
    assert found.low <= exact.low <= found.high
    assert dense(rows).square(found.pattern) == found.low * strategy.unit**2


def heaviest_of(weights, gap, most):
    """The largest sum of so many weights, a gap apart, one more at a time."""
    best = np.zeros(len(weights) + gap)
    for _ in range(min(most, -(len(weights) // -gap))):
        best[: len(weights)] = np.maximum.accumulate((weights + best[gap:])[::-1])[::-1]
    return best[0]


def heaviest_pairs_of(gram, gap, most):
    """The same of a pattern's products, where only steps that follow each other meet."""
    best, top = np.diag(gram), np.diag(gram).max()
    for _ in range(1, most):
        after = np.full(len(gram), -np.inf)
        for i in range(gap, len(gram)):
            after[i] = gram[i, i] + np.max(best[: i - gap + 1] + 2 * gram[: i - gap + 1, i])
        best, top = after, max(top, after.max())
    return top


@pytest.mark.thorough("large matrices")
def test_large_matrices_have_the_sensitivity_of_a_second_way():
    """Numpy's products and other recurrences, for each way in which it is exact."""
    draw = np.random.default_rng(5)
    dense_, size = np.tril(draw.standard_normal((1500, 1500))), 1024
    narrow = np.tril(draw.standard_normal((2048, 2048)))
    narrow = narrow - np.tril(narrow, -40)
    wide = np.tril(draw.random((size, size)))
    wide = wide - np.tril(wide, -100)
    falling = 1 / np.sqrt(np.arange(1, 4097))
    steps = np.arange(4096)
    falling = np.where(steps[:, None] >= steps, falling[np.abs(steps[:, None] - steps)], 0)
    products = np.abs(np.abs(dense_).T @ np.abs(dense_))
    epochs = [np.arange(start, 1500, 300) for start in range(300)]
    for matrix, asked, second in (
        (dense_, Participation(1, 1), (dense_**2).sum(axis=0).max()),
        (narrow, Participation(10, 64), heaviest_of((narrow**2).sum(axis=0), 64, 10)),
        (wide, Participation(12, 60), heaviest_pairs_of(wide.T @ wide, 60, 12)),
        (
            np.abs(dense_),
            Participation(5, 300, True),
            max(products[np.ix_(each, each)].sum() for each in epochs),
        ),
        (falling, Participation(16, 256), (falling[:, :4096:256].sum(axis=1) ** 2).sum()),
    ):
        found = sensitivity(matrix_files.strategy(matrix), asked)
        assert found.exact
        # Sums of at most 2²⁰ positive products, whose roundings add up to less than this.
        assert abs(Fraction(float(second)) - found.low) <= found.low / 2**32


@given(
    entries=st.lists(st.integers(-(2**120), 2**120), min_size=6, max_size=6),
    scale=st.integers(0, 60),
)
def test_magnitudes_of_cut_entries_are_bounds(entries, scale):
    a, b, c, d, e, f = (each >> scale for each in entries)
    strategy = Dense([(0, [a, b, c]), (1, [d, e]), (2, [f])], 1)
    shift, magnitudes = strategy.magnitudes(3)
    exact = [[a * a + b * b + c * c, b * d + c * e, c * f], [d * d + e * e, e * f], [f * f]]
    for above, products in zip(magnitudes, exact, strict=True):
        for one, product in zip(above, products, strict=True):
            assert abs(product) <= one << shift
            # Two entries lose less than 2^-51 of the largest of all.
            largest = max(map(abs, (a, b, c, d, e, f)))
            assert (one << shift) <= abs(product) + (6 * largest**2 >> 48) + (6 if shift else 0)


@given(
    drops=st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=8),
    most=st.integers(1, 8),
    separation=st.integers(1, 8),
    fixed=st.booleans(),
)
def test_decreasing_toeplitz_matrices_take_the_leftmost_pattern(drops, most, separation, fixed):
    coefficients = [1 + sum(drops[k:], Fraction(0)) for k in range(len(drops))]
    asked = Participation(most, separation, fixed)
    quick = sensitivity(Toeplitz(coefficients, len(drops)), asked)
    slow = sensitivity(dense_toeplitz(coefficients), asked)
    assert quick.low == quick.high == slow.low == slow.high


def tree_rows(size):
    """Return the matrix of a tree, a row for each complete node."""
    return [
        [Fraction(leaf >> level == node) for leaf in range(size)]
        for level in range(size.bit_length())
        for node in range(size >> level)
    ]


def nodes_of(pattern, size):
    """Return Σ c² over the complete nodes, by counting what is in each."""
    return sum(
        sum(leaf >> level == node for leaf in pattern) ** 2
        for level in range(size.bit_length())
        for node in range(size >> level)
    )


@pytest.mark.parametrize("size", range(1, 13))
def test_trees_have_the_worst_of_all_patterns(size):
    """Every subset of the leaves, for every limit of participation."""
    worst = {}
    for chosen in range(1, 1 << size):
        pattern = [leaf for leaf in range(size) if chosen >> leaf & 1]
        gaps = {b - a for a, b in itertools.pairwise(pattern)}
        value = nodes_of(pattern, size)
        for gap in range(1, min(gaps, default=size + 1) + 1):
            for fixed in {False, len(gaps) == 0 or gaps == {gap}}:
                key = len(pattern), gap, fixed
                worst[key] = max(worst.get(key, 0), value)
    for most, gap, fixed in itertools.product(
        range(1, size + 3), range(1, size + 2), (False, True)
    ):
        found = sensitivity(named("tree", size), Participation(most, gap, fixed))
        exact = max(worst.get((count, gap, fixed), 0) for count in range(1, most + 1))
        assert found.low == found.high == exact
        assert found.exact
        assert nodes_of(found.pattern, size) == exact
        steps = [b - a for a, b in itertools.pairwise(found.pattern)]
        assert len(found.pattern) <= most
        assert all(step == gap if fixed else step >= gap for step in steps)
    assert sensitivity(named("tree", size), Participation(1, 1)).low == size.bit_length()


def products_of(size):
    """Return how many complete nodes hold both of two leaves."""
    held = [
        {(level, leaf >> level) for level in range(size.bit_length())
         if ((leaf >> level) + 1) << level <= size}
        for leaf in range(size)
    ]  # fmt: skip
    return [[len(one & other) for other in held] for one in held]


def searched(size, asked):
    """Return the largest Σ of products over every pattern, step by step."""
    products, best = products_of(size), 0
    stack = [((), 0)]
    while stack:
        pattern, value = stack.pop()
        best = max(best, value)
        if len(pattern) < asked.most:
            for leaf in range(pattern[-1] + asked.separation if pattern else 0, size):
                more = products[leaf][leaf] + 2 * sum(products[leaf][one] for one in pattern)
                stack.append(((*pattern, leaf), value + more))
    return best


@settings(max_examples=25)
@given(run=st.integers(13, 60).flatmap(
    lambda size: st.tuples(st.just(size), st.integers(1, 6), st.integers(-(-size // 6), size + 1))
))  # fmt: skip
@example(run=(16, 5, 3))  # the leftmost steps have 55, others 57
@example(run=(60, 5, 11))
def test_trees_have_the_worst_of_few_steps(run):
    """Against a search of its own; what narrow searches find is on both sides of it."""
    size, most, gap = run
    asked = Participation(most, gap)
    exact = searched(size, asked)
    low, high, pattern = trees.tree_square(size, asked)
    assert low == exact == high
    assert nodes_of(pattern, size) == low
    for width in (1, 2):
        search = trees._Search(size, asked)
        below, above = (search.run(0, width, 10**6, hull=hull).best for hull in (False, True))
        assert below.value <= exact <= above.value <= sum(search.caps)
        assert nodes_of(below.steps(0, 0), size) == below.value


@pytest.mark.parametrize(
    ("size", "most", "gap", "square"),
    [
        (101, 15, 7, 264),
        (111, 8, 12, 104),
        (216, 9, 20, 140),
        (224, 9, 24, 118),
        (86, 19, 3, 769),
        (149, 16, 7, 580),
    ],
)
def test_no_choice_is_left_out_that_begins_late(size, most, gap, square):
    """Trees whose worst pattern enters a node late; the leftmost steps have less."""
    asked = Participation(most, gap)
    low, high, pattern = trees.tree_square(size, asked)
    assert (low, high) == (square, square)
    assert nodes_of(pattern, size) == square > trees.leftmost_square(size, asked)
    assert all(b - a >= gap for a, b in itertools.pairwise(pattern))


@given(
    size=st.integers(1, 10**6),
    most=st.integers(1, 10**6),
    gap=st.one_of(st.integers(1, 2000), st.integers(1, 10**6)),
)
@example(size=10**6, most=10**6, gap=1)
@example(size=10**6, most=1000, gap=1000)
def test_a_large_tree_with_a_fixed_period_is_counted_in_closed_form(size, most, gap):
    """Against numpy's counts of the leftmost steps, node by node."""
    steps = np.arange(0, size, gap)[:most]
    total = 0
    for level in range(size.bit_length()):
        inside = steps[steps < size >> level << level] >> level
        total += int((np.bincount(inside).astype(object) ** 2).sum()) if len(inside) else 0
    found = sensitivity(named("tree", size), Participation(most, gap, True))
    assert found.low == found.high == total
    assert list(found.pattern[:3]) == steps[:3].tolist()
    assert len(found.pattern) == len(steps)


@pytest.mark.parametrize(
    ("size", "most", "gap", "least"),
    [(10**4, 100, 100, 14351), (10**6, 1000, 1000, 741170), (10**18, 10**9, 10**9, None)],
)
def test_large_trees_have_two_near_ends(size, most, gap, least):
    before = time.process_time()
    low, high, pattern = trees.tree_square(size, Participation(most, gap))
    assert time.process_time() - before < 5
    assert low <= high <= low * 1.01
    if least is not None:
        assert low >= least
        assert Tree(size).square(pattern) == low


@pytest.mark.parametrize(
    ("name", "coefficient"),
    [
        ("prefix", lambda k: 1.0),
        ("identity", lambda k: float(k == 0)),
        ("sqrt-toeplitz", lambda k: math.comb(2 * k, k) / 4.0**k),
        ("sqrt-toeplitz:3", lambda k: math.comb(2 * k, k) / 4.0**k * (k < 3)),
        ("blt", lambda k: 0.3 * 0.9 ** (k - 1) + 0.25 * 0.5 ** (k - 1) if k else 1.0),
    ],
)
def test_matrices_with_a_name(name, coefficient):
    size = 11
    matrix = np.array(
        [[coefficient(i - j) if i >= j else 0.0 for j in range(size)] for i in range(size)]
    )
    buffers = ((Fraction(9, 10), Fraction(1, 2)), (Fraction(3, 10), Fraction(1, 4)))
    strategy = named(name, size, *(buffers if name == "blt" else ()))
    for most, separation in ((1, 1), (3, 2), (11, 1), (2, 5)):
        total = matrix[:, : most * separation : separation].sum(axis=1)
        found = sensitivity(strategy, Participation(most, separation))
        assert float(found.low) == pytest.approx(total @ total, rel=1e-13)
        assert found.high - found.low <= found.low / 10**60


def test_buffers_that_need_not_decrease_are_written_out():
    strategy = named("blt", 6, (Fraction(9, 10),), (Fraction(3, 2),))
    rows = [
        [
            Fraction(i == j) if i <= j else Fraction(3, 2) * Fraction(9, 10) ** (i - j - 1)
            for j in range(6)
        ]
        for i in range(6)
    ]
    asked = Participation(3, 2)
    assert sensitivity(strategy, asked).low == brute(rows, asked, signs=False)
    with pytest.raises(ValueError, match="size must be at most 512"):
        named("blt", 513, (Fraction(9, 10),), (Fraction(3, 2),))


@pytest.mark.parametrize("name", NAMED)
def test_a_matrix_has_as_many_steps_as_are_worked_with_and_no_more(name):
    most = MOST_TREE_STEPS if name == "tree" else MOST_STEPS
    with pytest.raises(ValueError, match=f"size must be from 1 to {most:,}, "):
        named(name, most + 1)
    if name in ("tree", "prefix"):
        assert sensitivity(named(name, most), Participation(1, 1)).low >= 1


def test_the_norms_of_columns_are_on_either_side_of_their_roots():
    """The squares are known exactly: the ends' squares are below and above them."""
    seen = []
    square = Fraction(2)
    sampled._of_the_worst([[((square, square), 3)]], 10, lambda roots: seen.append(roots) or arb(1))
    ((low, _),), ((high, _),) = seen
    assert low**2 < square < high**2
    assert high - low < Fraction(1, 10**10)


def run(*words):
    return CliRunner().invoke(main, ["matrix", *map(str, words)])


NOISE = ("--participations", "1", "--noise-multiplier", "4", "--delta", "1e-5")


@pytest.mark.parametrize(("words", "epsilon"), table("known_figures"))
def test_known_figures(words, epsilon):
    shown = json.loads(run("--matrix", *words.split(), "--json").output)
    low, high = map(Fraction, shown["epsilon"]["add-remove"])
    assert low <= high <= low * (1 + Fraction(1, 10**11))
    assert abs(low - Fraction(epsilon)) < Fraction(1, 10**12)
    assert Fraction(shown["epsilon"]["replace-one"][0]) > high
    assert shown["exact"] is True
    for word in ("both", "add-remove"):  # the former word, and the relation's name
        alone = run("--matrix", *words.split(), "--neighbours", word, "--json")
        assert json.loads(alone.output)["epsilon"] == {"add-remove": shown["epsilon"]["add-remove"]}


def written(path, matrix):
    if path.suffix == ".npy":
        np.save(path, matrix)
    elif path.name == "sparse.npz":
        scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(matrix))
    elif path.suffix == ".npz":
        np.savez(path, C=matrix)
    elif path.suffix == ".csv":
        path.write_text("\n".join(",".join(map(repr, row)) for row in matrix.tolist()))
    elif path.name == "array.mtx":
        scipy.io.mmwrite(path, matrix.astype(float), precision=17)
    else:
        scipy.io.mmwrite(path, scipy.sparse.coo_matrix(matrix.astype(float)), precision=17)
    return path


@pytest.mark.parametrize(
    "name", ["C.npy", "C.npz", "sparse.npz", "C.csv", "array.mtx", "coordinate.mtx"]
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_files_of_every_kind_say_the_same(tmp_path, name, kind):
    matrix = np.tril(np.random.default_rng(3).integers(1, 9, (7, 7))).astype(kind)
    if kind != np.int64:
        matrix /= 8  # decimals are then exact
    asked = Participation(3, 2)
    rows = [[Fraction(each) for each in row] for row in matrix.tolist()]
    found = sensitivity(matrix_files.read(written(tmp_path / name, matrix)), asked)
    assert found.low == found.high == brute(rows, asked, signs=False)


def test_a_decimal_is_what_is_written_and_a_float_what_it_is(tmp_path):
    (tmp_path / "C.csv").write_text("0.1,0\n1/3,1e-3\n")
    asked = Participation(2, 1)
    rows = [[Fraction(1, 10), Fraction(0)], [Fraction(1, 3), Fraction(1, 1000)]]
    found = sensitivity(matrix_files.read(tmp_path / "C.csv"), asked)
    assert found.low == brute(rows, asked, signs=False)
    np.save(tmp_path / "C.npy", np.array([[0.1, 0.0], [5e-324, 1e300]]))
    rows = [[Fraction(0.1), Fraction(0)], [Fraction(5e-324), Fraction(1e300)]]
    found = sensitivity(matrix_files.read(tmp_path / "C.npy"), asked)
    assert found.low == brute(rows, asked, signs=False)


def bad_header(path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (31623, 31623), }\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)


def sparse(**parts):
    """Return what writes a sparse matrix with one wrong part."""
    right = {"data": [1.0, 1.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 2]}
    return lambda path: np.savez_compressed(path, format=np.array(b"csr"), **right | parts)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *table("what_is_no_strategy_is_refused_by_name_at_once"),
        ("C.npy", np.ones((2, 2)), "not lower triangular: the entry in row 0, column 1"),
        ("C.npy", np.array([[1.0, 0], [np.nan, 1]]), "row 1, column 0 is nan"),
        ("C.npy", np.array([[1.0, 0], [np.inf, 1]]), "row 1, column 0 is inf"),
        ("C.npy", np.array([[1.0, 0], [1, 0]]), "column 1 is zero"),
        ("C.npy", np.ones((2, 3)), "wrong shape, 2 rows and 3 columns"),
        ("C.npy", np.ones(3), "wrong shape, (3,)"),
        ("C.npy", np.ones((0, 0)), "the matrix is empty"),
        ("C.npy", np.eye(2) * 1j, "entries must be real numbers"),
        ("C.npy", np.array([[1, None]], dtype=object), "entries must be real numbers"),
        ("C.npy", np.eye(3)[[0, 2, 1, 0]], "not in the order of release"),
        ("C.npy", bad_header, "1,000,014,129 entries"),
        ("C.npy", lambda path: path.write_bytes(b"PK"), "C.npy: not an array of numpy"),
        ("C.npy", lambda path: path.touch(), "C.npy: not an array of numpy"),
        ("C.npz", lambda path: path.write_bytes(b"PK"), "not a readable archive"),
        ("C.csv", ",".join("1" * 5000), "5000 columns"),
        ("C.npy", os.mkfifo, "C.npy: not a regular file"),
        ("C.npz", sparse(indices=[0, 10**8]), "C.npz: ind"),
        ("C.npz", sparse(indices=[0, -1]), "C.npz: ind"),
        ("C.npz", sparse(indptr=[0, 10**7, 2]), "C.npz: ind"),
        ("C.npz", sparse(shape=[[2, 2], [2, 2]]), "C.npz: only"),
        ("C.npz", sparse(data=np.zeros(10**5)), "more than such a matrix needs"),
    ],
)
def test_what_is_no_strategy_is_refused_by_name_at_once(tmp_path, name, content, message):
    path = tmp_path / name
    if isinstance(content, np.ndarray):
        np.save(path, content, allow_pickle=True)
    elif isinstance(content, str):
        path.write_text(content)
    else:
        content(path)
    before = time.process_time()
    result = run("--matrix", path, *NOISE)
    assert time.process_time() - before < 1
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(("separation", "most"), [(40, 4), (20, 3), (1, 40)])
def test_a_large_matrix_has_two_ends(separation, most):
    rows = np.tril(np.random.default_rng(1).random((80, 80)))
    found = sensitivity(matrix_files.strategy(rows), Participation(most, separation))
    assert found.low <= found.high <= 2 * found.low


def group_by_group(rows, bands, rate, direction):
    """Return ε of each group by its columns' norms, in float64 up to 10⁻⁹ or so."""
    norms = [
        math.sqrt(sum(float(each) ** 2 for each in column)) for column in zip(*rows, strict=True)
    ]
    found = []
    for place in range(min(bands, len(norms))):
        phases = [(2 / norm, rate, 1) for norm in norms[place::bands]]
        found.append(
            float(
                enclosures.subsampled_schedule_epsilon(
                    delta=1e-5, phases=phases, direction=direction, digits=10
                )
            )
        )
    return max(found)


@pytest.mark.parametrize(
    ("direction", "seed"),
    [("both", 1), pytest.param("replace", 2, marks=pytest.mark.thorough("seconds"))],
)
def test_the_worst_group_of_a_banded_matrix_is_the_worst_of_all(direction, seed):
    draw = random.Random(seed)
    bands, size = 2, 4
    rows = [
        [Fraction(draw.randint(-4, 9), 10) if 0 <= i - j < bands else Fraction(0)
         for j in range(size)]
        for i in range(size)
    ]  # fmt: skip
    for j in range(size):
        rows[j][j] = Fraction(1)
    groups, values = sampled_figures(
        dense(rows), bands=bands, rate=Fraction(1, 5), noise_multiplier=Fraction(2),
        epsilon=None, delta=Fraction(1, 10**5), digits=8, adjacencies=(direction,),
    )  # fmt: skip
    assert groups
    expected = group_by_group(rows, bands, Fraction(1, 5), direction)
    assert float(values[direction]) == pytest.approx(expected, rel=1e-8)


def test_a_decreasing_toeplitz_matrix_is_its_first_group():
    strategy = named("sqrt-toeplitz:3", 5)
    terms = [Fraction(1), Fraction(1, 2), Fraction(3, 8), *[Fraction(0)] * 8]
    written_out = dense([[terms[(i - j) % 11] for j in range(5)] for i in range(5)])
    found = [
        sampled_figures(
            each, bands=3, rate=Fraction(1, 10), noise_multiplier=Fraction(1),
            epsilon=None, delta=Fraction(1, 10**5), digits=8, adjacencies=("both",),
        )[1]
        for each in (strategy, written_out)
    ]  # fmt: skip
    assert found[0]["both"].overlaps(found[1]["both"])


def test_the_least_noise_with_sampling_gives_its_epsilon():
    words = ("--sampling-rate", "1/10", "--delta", "1e-5", "--digits", "5", "--json")
    named_one = ("--matrix", "sqrt-toeplitz:2", "--size", "8", "--bands", "2", *words)
    noise = json.loads(run(*named_one, "--epsilon", "1").output)["noise_multiplier"]["add-remove"]
    low, high = (
        json.loads(run(*named_one, "--noise-multiplier", each).output)["epsilon"]["add-remove"]
        for each in reversed(noise)
    )
    assert Fraction(low[0]) <= 1 <= Fraction(high[1])
    assert Fraction(high[1]) - Fraction(low[0]) < Fraction(1, 10**4)


def test_the_identity_with_sampling_is_dp_sgd():
    words = ("--sampling-rate", "1/10", "--noise-multiplier", "2", "--delta", "1e-5", "--json")
    ours = json.loads(run("--matrix", "identity", "--size", "20", "--bands", "1", *words).output)[
        "epsilon"
    ]
    theirs = json.loads(CliRunner().invoke(main, ["dp-sgd", "--steps", "20", *words]).output)
    for relation in ("add-remove", "replace-one"):
        ends = [*map(Fraction, ours[relation]), *map(Fraction, theirs["epsilon"][relation])]
        assert max(ends[0], ends[2]) <= min(ends[1], ends[3])


def test_the_least_noise_gives_its_epsilon():
    words = ("--matrix", "tree", "--size", "9", "--participations", "2", "--separation", "3")
    at = json.loads(run(*words, "--epsilon", "2", "--delta", "1e-6", "--json").output)
    for name in ("add-remove", "replace-one"):
        for end in at["noise_multiplier"][name]:
            back = json.loads(
                run(*words, "--noise-multiplier", end, "--delta", "1e-6", "--json").output
            )
            assert float(back["epsilon"][name][0]) == pytest.approx(2, rel=1e-11)


def claimed(folder, *, asserts=None, **about):
    """Return the verdict on a claim in a file of this folder."""
    said = asserts or private("2")
    mechanism = {"kind": "matrix", "noise_multiplier": "4", "participations": 1} | about
    claim = {"id": "it", "mechanism": mechanism, "asserts": said}
    path = folder / "claims.json"
    path.write_text(json.dumps({"format": "dporacle-claims/1", "claims": [claim]}))
    (found,) = claims.load(path).claims
    return claims.audit(found)


def private(epsilon, neighbours="add-remove"):
    return {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": neighbours}


@pytest.mark.parametrize(
    ("neighbours", "holds", "fails"),
    [("zero-out", "3.34141", "3.34140"), ("replace-one", "7.51128", "7.51127")],
)
def test_claims_about_a_tree_are_decided_on_both_sides(tmp_path, neighbours, holds, fails):
    tree = {"matrix": "tree", "size": 1000}
    good = claimed(tmp_path, asserts=private(holds, neighbours), **tree)
    bad = claimed(tmp_path, asserts=private(fails, neighbours), **tree)
    assert (good.verdict.name, bad.verdict.name) == ("HOLDS", "VIOLATED")
    assert bad.supposes.startswith("a record may take part in step 1 with a contribution")
    assert good.claim.mechanism.count() == 1000
    assert ("opposite" in bad.supposes) == (neighbours == "replace-one")
    assert "every-row-released" in [each.id for each in good.hypotheses]
    assert good.told.startswith("HOLDS if the steps of a record depend neither on the data")
    rho = {"kind": "zcdp", "rho": "10/32", "neighbours": "add-remove"}
    found = claimed(tmp_path, asserts=rho, **tree)
    assert found.verdict.name == "HOLDS"
    found = claimed(tmp_path, asserts=rho | {"rho": "11/32"}, **tree)
    assert "; the noise multiplier could be" in found.margin
    assert found.limit.startswith("a noise multiplier of ")


TRAINED = {"steps": 10000, "noise_multiplier": 10, "neighbours": "zero-out"}


@pytest.mark.parametrize("kind", ["tree-aggregation", "matrix"])
@pytest.mark.parametrize(
    ("taking_part", "holds", "fails", "hypothesis"),
    [
        ({"participations": 1}, "1.444161", "1.44416", "at most one step"),
        (
            {"participations": 100, "separation": 100, "epochs_fixed": True},
            "121.978564",
            "121.978563",
            "at most 100 steps of each {} of 10000 steps, each exactly 100 after the one before",
        ),
        (
            {"participations": 100, "separation": 100},
            "121.9921151",
            "121.992115",
            "at most 100 steps of each {} of 10000 steps, any two of them at least 100 apart",
        ),
        (
            {"participations": 100, "separation": 1},
            "528.41521",
            "528.4152",
            "at most 100 steps of each {} of 10000 steps, any two of them at least 1 apart",
        ),
    ],
)
def test_a_claim_about_a_tree_says_who_takes_part_when(kind, taking_part, holds, fails, hypothesis):
    """100 epochs of 100 steps: what was judged as one participation has ε = 121.98, not 1.44."""
    about = {"kind": kind, **TRAINED, **taking_part}
    if kind == "matrix":
        about |= {"matrix": "tree", "size": about.pop("steps")}
    told = [hypothesis.format(kind.partition("-")[0])]
    for epsilon, verdict in ((holds, "HOLDS"), (fails, "VIOLATED")):
        claim = {"id": "it", "mechanism": about, "asserts": private(epsilon, "zero-out")}
        found = claims.audit(claim)
        assert found.verdict.name == verdict
        shown = report.record(found)
        for each in (shown["hypotheses"][2 if kind == "matrix" else 0]["says"],
                     shown["certificate"]["hypotheses"][2 if kind == "matrix" else 0],
                     judge.table([found])[1][-1]):  # fmt: skip
            assert told[0] in each
        assert ("depend neither on the data" in found.told) == (verdict == "HOLDS")


def test_a_tree_whose_sensitivity_is_between_two_ends_is_open_between_them(monkeypatch):
    monkeypatch.setattr(trees, "_WIDTHS", (1,))
    asked = Participation(20, 20)
    low, high, _ = trees.tree_square(1000, asked)
    assert low < high
    about = {"kind": "tree-aggregation", "steps": 1000, "participations": 20, "separation": 20,
             "sigma": 8, "sensitivity": 2, "neighbours": "add-remove"}  # fmt: skip
    for kind, unit in (("add-remove", 1), ("replace-one", 4)):
        verdicts = []
        for square in (low - Fraction(1, 9), Fraction(low + high, 2), high):
            said = {"kind": "zcdp", "rho": str(unit * square * 4 / 128), "neighbours": kind}
            found = claims.audit({"id": "it", "mechanism": about, "asserts": said})
            verdicts.append(found.verdict.name)
        under = "VIOLATED" if unit == 1 else "UNDECIDED"
        assert verdicts == [under, "UNDECIDED", "HOLDS"]
    said = {"kind": "zcdp", "rho": str(Fraction(low + high) / 64), "neighbours": "add-remove"}
    found = claims.audit({"id": "it", "mechanism": about, "asserts": said})
    assert f"the squared sensitivity is between {low} and {high}" in found.reason


RESTARTED = {"participations": 20, "separation": 100, "epochs_fixed": True,
             "noise_multiplier": "46.3"}  # fmt: skip


@pytest.mark.parametrize("kind", ["matrix", "tree-aggregation"])
@pytest.mark.parametrize(
    ("records", "epsilon", "verdict"),
    [
        ("same", "6.42753", "HOLDS"),
        ("same", "6.42752", "VIOLATED"),
        ("unknown", "6.42752", "UNDECIDED"),
        ("unknown", "6.02", "VIOLATED"),
        ("disjoint", "6.42752", "HOLDS"),
    ],
)
def test_restarts_are_a_composition(kind, records, epsilon, verdict):
    """100 epochs of 100 steps, a new tree after each 20; four are made complete: Δ² = 4129."""
    first, last = (
        {"kind": "matrix", "matrix": "tree", "size": size, **RESTARTED} if kind == "matrix"
        else {"kind": kind, "steps": size, "contribution": {"clipping_norm": 1}, **RESTARTED}
        for size in (2048, 2000)
    )  # fmt: skip
    four = {"kind": "composition", "times": 4, "releases": [first]}
    about = {"kind": "composition", "records": records, "releases": [four, last]}
    claim = {"id": "it", "mechanism": about, "asserts": private(epsilon)}
    found = claims.audit(claim)
    assert found.verdict.name == verdict
    assert found.claim.mechanism.mu_squared("add-remove") == (
        (4 * 926 if records == "disjoint" else 4129) / Fraction("46.3") ** 2
    )
    ids = [each.id for each in found.hypotheses]
    assert ids.count("participations-fixed") == 2  # of trees of 2,048 and of 2,000 steps
    assert "steps-of-a-record" in ids
    if verdict == "VIOLATED" and records == "same":
        assert "in the 20 steps 1, 101, 201, 301, …" in found.supposes.replace("at the", "in the")


def test_a_matrix_between_two_ends_leaves_a_composition_open(tmp_path):
    rows = np.tril(np.random.default_rng(1).normal(size=(30, 30))) + np.eye(30)
    np.save(tmp_path / "C.npy", rows)
    part = {"kind": "matrix", "matrix": "C.npy", "participations": 6, "separation": 2,
            "noise_multiplier": 4}  # fmt: skip
    gaussian = {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
    square = sensitivity(matrix_files.strategy(rows), Participation(6, 2))
    middle = (square.low + square.high) / 32 + 1
    said = {"kind": "zcdp", "rho": str(middle / 2), "neighbours": "add-remove"}
    for records, reason in (("same", "the squared sensitivity is"), ("unknown", "state records")):
        about = {"kind": "composition", "records": records, "releases": [part, gaussian]}
        claim = {"id": "it", "mechanism": about, "asserts": said}
        path = tmp_path / "claims.json"
        path.write_text(json.dumps({"format": "dporacle-claims/1", "claims": [claim]}))
        found = claims.audit(claims.load(path).claims[0])
        assert found.verdict.name == "UNDECIDED"
        assert reason in found.reason


def test_a_matrix_in_a_file_is_read_beside_the_claims_alone(tmp_path):
    np.save(tmp_path / "C.npy", np.tril(np.ones((6, 6))))
    about = {"participations": 2, "separation": 3}
    ours = claimed(tmp_path, matrix="C.npy", **about)
    named_so = claimed(tmp_path, matrix="prefix", size=6, **about)
    assert (ours.verdict, ours.low, ours.high) == (named_so.verdict, named_so.low, named_so.high)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "L.npy").symlink_to(tmp_path / "C.npy")
    (inner / "bad.npy").write_bytes(b"nothing")
    for name, message in (
        ("../C.npy", "the name of a file in the folder"),
        (str(tmp_path / "C.npy"), "the name of a file in the folder"),
        ("L.npy", "there is no file"),
        ("C.npy", "there is no file"),
        ("bush", "matrix must be one of identity"),
        ("bad.npy", "claims.0..mechanism.matrix: matrix must be a strategy matrix: bad.npy"),
    ):
        with pytest.raises(ValueError, match=message):
            claimed(inner, matrix=name)
    mechanism = {"kind": "matrix", "noise_multiplier": 1, "participations": 1, "matrix": "C.npy"}
    with pytest.raises(ValueError, match="only beside a file of claims"):
        claims.audit({"id": "it", "mechanism": mechanism, "asserts": private(1)})


def test_between_the_ends_of_a_sensitivity_a_claim_is_open(tmp_path):
    rows = np.tril(np.random.default_rng(1).normal(size=(30, 30))) + np.eye(30)
    np.save(tmp_path / "C.npy", rows)
    about = {"matrix": "C.npy", "participations": 6, "separation": 2}
    found = sensitivity(matrix_files.strategy(rows), Participation(6, 2))
    assert found.low < found.high
    rhos = [found.low * Fraction(31, 1000), (found.low + found.high) / 64, found.high / 32]
    verdicts = []
    for rho in rhos:
        said = {"kind": "zcdp", "rho": str(rho), "neighbours": "add-remove"}
        verdicts.append(claimed(tmp_path, asserts=said, **about))
    assert [each.verdict.name for each in verdicts] == ["VIOLATED", "UNDECIDED", "HOLDS"]
    assert "the squared sensitivity is between" in verdicts[1].reason


@pytest.mark.statement("X.COMP")
@settings(max_examples=25)
@given(
    run=st.tuples(st.integers(1, 12), st.integers(1, 14), st.integers(1, 12), st.integers(1, 13)),
    decay=st.sampled_from([0.5, 0.9, 1.0, 1 - 2.0**-53, 1e-5]),
)
@example(run=(12, 12, 12, 1), decay=0.9)
def test_toeplitz_quantities_are_those_of_brute_force(run, decay):
    """Three witnesses against the largest over all patterns, whose products are exact."""
    size, bands, most, separation = run
    given_ = dict(
        zip(("length", "bands", "participations", "separation"), run, strict=True), digits=20
    )
    root = [Fraction(math.comb(2 * t, t), 4**t) for t in range(min(bands, size))]
    power = [Fraction(decay) ** t for t in range(min(bands, size))]
    for name, entries, own in (("sqrt", root, {}), ("decaying", power, {"decay": decay})):
        column = [*entries, *[Fraction(0)] * (size - len(entries))]
        rows = [
            [column[i - j] if i >= j else Fraction(0) for j in range(size)] for i in range(size)
        ]
        gram = [[sum(row[i] * row[j] for row in rows) for j in range(size)] for i in range(size)]
        exact = max(
            sum(gram[i][j] for i in pattern for j in pattern)
            for pattern in patterns(size, Participation(most, separation))
        )
        asked = f"{name}_toeplitz_sensitivity_squared"
        low, high = bounds(getattr(enclosures, asked)(**given_, **own))
        assert low <= exact <= high
        ours = arguments.exact("answer", getattr(reference, asked)(**given_, **own))
        assert abs(ours - exact) <= exact / 10**20
        quick = {key: value for key, value in given_.items() if key != "digits"}
        assert (
            exact
            <= Fraction(getattr(fast, asked)(**quick, **own))
            <= exact * (1 + Fraction(1, 2**46))
        )


@settings(max_examples=60)
@given(length=st.integers(1, 11), most=st.integers(1, 11))
@example(length=7, most=1)
@example(length=8, most=1)
def test_a_tree_is_worst_in_its_leftmost_leaves(length, most):
    """Of all patterns of so many leaves none has more, by Gram's matrix and by the witnesses."""
    tree = named("tree", length)
    square = max(
        tree.square(pattern) for pattern in itertools.combinations(range(length), min(most, length))
    )
    for witness in ("reference", "enclosures"):
        low, high = ask(witness, "tree_sensitivity", length=length, participations=most)
        assert low**2 * (1 - Fraction(1, 10**40)) <= square <= high**2 * (1 + Fraction(1, 10**40))
    value = fast.tree_sensitivity(length=length, participations=most)
    assert math.sqrt(square) <= value <= math.sqrt(square) * (1 + 2.0**-50)


def test_a_diagonal_that_dominates_is_proved_and_no_other():
    """diag(y) − G is positive definite: also where its own diagonal is positive and it is not."""
    gram = [[arb(2), arb(2), arb(0)], [arb(2), arb(2), arb(0)], [arb(0), arb(0), arb(1)]]
    for diagonal, proved in (((5, 5, 2), True), ((3, 3, 2), False), ((1, 9, 2), False)):
        assert semidefinite._dominates([*map(Fraction, diagonal)], gram) is proved
    assert not semidefinite._dominates([Fraction(9), Fraction(9), Fraction(1)], gram)  # singular
