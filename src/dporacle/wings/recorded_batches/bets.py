"""Bets against uniformly random batches, given their sizes.

Each bet is the logarithm of an *e-value*: whatever the sizes are, its mean is at most 1 if each
batch is a uniformly random set of the records that are left (`RecordedDraws`). So a mean of
e-values with weights that do not depend on the batches is one too (proofs_notes/drawn_batches.md,
W1 to W5).
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dporacle.wings.recorded_batches.draws import NEVER, Reals, RecordedDraws
from dporacle.wings.recorded_batches.recording import Ids
from dporacle.wings.recorded_batches.sums import log_choose, log_mean

Whole = NDArray[np.int64]

FIRMNESS: Final = tuple(4.0**k for k in range(-2, 8))
"""Draws after which a bet trusts what it saw: few for large differences, many for small ones."""
_FEW: Final = (1.0, 16.0, 256.0)
PERIODS: Final = tuple(range(1, 17))
"""Of groups of records that are drawn in turn."""
_GAPS: Final = 64  # that are told apart one by one
_CELLS: Final = 1_000_000  # of a table of batches × classes
_BLOCKS: Final = ((2, 1), (4, 1), (16, 1), (2, 2), (4, 4), (16, 16))
"""Blocks of records, and of time: in how many equal parts each is cut."""
_CLUMPS: Final = (1 / 16, 1 / 4, 1.0, 4.0)
"""By how much the variance of the number of draws from a group exceeds that of chance."""
_GROUPS: Final = (1, 2, 3, 5, 8, 12, 16)  # binary logarithms of the sizes of neighbouring records
_PARTS: Final = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64)  # of the data set
_POOLS: Final = (1.0, 2.0)
"""How many records a batch is drawn from, against its size, if each group has its share."""
_QUOTAS: Final = (1.01, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0)
"""How often a record can be drawn at most, against how often it is in the mean."""
_ODDS: Final = tuple(2.0**k for k in (-10, -5, -3, -2, -1, 1, 2, 3, 4, 6, 10, 15))
"""Of one record against those of the others."""
_SHARES: Final = (1 / 8, 1 / 2, 7 / 8)  # of the batches
_COMPARED: Final = 40_000_000  # places of records in two epochs that are compared at most


def weighted(draws: RecordedDraws) -> float:
    """Bet on records that were drawn more often than others (W2), also at every p-th step only."""
    if draws.length is not None:
        return 0.0  # each record once in each epoch
    return log_mean([_urn(draws, period) for period in PERIODS])


def _urn(draws: RecordedDraws, period: int) -> float:
    count = len(draws)
    key = draws.record * period + draws.batch % period
    if draws.records * period > 4 * len(key):
        key = np.unique(key, return_inverse=True)[1]
    # How many pairs of record and phase were drawn so often.
    values, pairs = np.unique(np.bincount(key, weights=draws.times), return_counts=True)
    phases = [draws.sizes[each::period] for each in range(min(period, count))]
    logs = []
    for firm in FIRMNESS:
        gain = float((pairs * (gammaln(values + firm) - gammaln(firm))).sum())
        gain += float(draws.sizes.sum()) * math.log(draws.records)
        whole = draws.records * firm
        for sizes in phases:
            if draws.replaced:  # draw by draw
                gain -= float(gammaln(whole + sizes.sum()) - gammaln(whole))
            else:
                before = np.cumsum(sizes) - sizes
                gain -= float((sizes * np.log(whole + before)).sum())
        logs.append(gain)
    return log_mean(logs)


def single(draws: RecordedDraws) -> float:
    """Bet on one record, whichever: that it is drawn more often, or comes to its own place."""
    if draws.length is not None:
        return _one_place(draws)
    often = np.bincount(draws.record, weights=draws.times, minlength=draws.records)
    values, records = np.unique(often, return_counts=True)
    logs = []
    for odds in _ODDS:
        most = values * math.log(odds)
        if draws.replaced:
            cost = float(draws.sizes.sum()) * math.log1p((odds - 1) / draws.records)
        else:
            cost = float(np.log1p((odds - 1) * draws.sizes / draws.records).sum())
        mean = np.logaddexp.reduce(most + np.log(records)) - math.log(draws.records)
        logs.append(float(mean) - cost)
    return log_mean(logs)


def _one_place(draws: RecordedDraws) -> float:
    """Bet that one record comes to the places where it was in earlier epochs."""
    length = draws.length
    assert length is not None
    places = _places(draws)
    if len(places) < 2:
        return 0.0
    some = np.zeros((len(places), length + 1))
    some.ravel()[np.arange(len(draws)) + np.arange(len(draws)) // length] = draws.sizes
    some[:, length] = draws.records - some[:, :length].sum(axis=1)
    logs = np.zeros(draws.records)
    for epoch in range(1, len(places)):
        again = (places[:epoch] == places[epoch]).sum(axis=0)
        share = some[epoch][places[epoch]] / draws.records
        logs += np.log((again / share + 1) / (epoch + 1))
    return float(np.logaddexp.reduce(logs)) - math.log(draws.records)


def _places(draws: RecordedDraws) -> Whole:
    """Return each record's place in each epoch, that of no batch last; nothing if it is too long.

    Rows are epochs.
    """
    length = draws.length
    assert length is not None
    epochs = -(-len(draws) // length)
    if draws.records * epochs * epochs > _COMPARED:
        return np.zeros((0, 0), dtype=np.int64)
    places = np.full((epochs, draws.records), length)
    places[draws.batch // length, draws.record] = draws.batch % length
    return places


def distinct(draws: RecordedDraws) -> float:
    """Bet that some batches are drawn without replacement, where all should be with it."""
    if not draws.replaced:
        return 0.0
    size = draws.sizes.astype(float)
    chance = log_choose(draws.records, size) + gammaln(size + 1) - size * math.log(draws.records)
    held = np.bincount(draws.batch, minlength=len(draws)) == draws.sizes
    won = np.where(held & np.isfinite(chance), -chance, -np.inf)
    logs = [
        float(np.logaddexp(math.log1p(-share), math.log(share) + won).sum()) for share in _SHARES
    ]
    return log_mean(logs)


def evenly(draws: RecordedDraws) -> float:
    """Bet that records are drawn more evenly than by chance, as with a quota each has (W2)."""
    if draws.length is not None or not len(draws.record):
        return 0.0
    often = np.bincount(draws.record, weights=draws.times).astype(float)
    mean = float(draws.sizes.sum()) / draws.records
    most = float(often.max())
    # The largest number may be the quota: then this is one of infinitely many quotas.
    logs = [_quota(draws, often, most) - math.log(most * (most + 1))]
    logs.append(_capped(draws, often, most) - math.log(most * (most + 1)))
    logs += [_quota(draws, often, math.ceil(mean * factor)) for factor in _QUOTAS]
    return log_mean(logs)


def _capped(draws: RecordedDraws, often: Reals, most: float) -> float:
    """Bet that no record is drawn more often, and that all others are drawn alike."""
    full = often[draws.record] == most
    last = np.bincount(draws.batch[full & (draws.after == len(draws))], minlength=len(draws))
    open_ = draws.records - (np.cumsum(last) - last)
    return float((draws.sizes * np.log(draws.records / np.maximum(open_, 1))).sum())


def _quota(draws: RecordedDraws, often: Reals, quota: float) -> float:
    if (often > quota).any():
        return -math.inf
    values, records = np.unique(often, return_counts=True)
    gain = float((records * (gammaln(quota + 1) - gammaln(quota - values + 1))).sum())
    gain += float(draws.sizes.sum()) * math.log(draws.records)
    whole = draws.records * quota
    if draws.replaced:  # draw by draw
        taken = float(draws.sizes.sum())
        return gain - float(gammaln(whole + 1) - gammaln(whole - taken + 1))
    left = whole - (np.cumsum(draws.sizes) - draws.sizes)
    return gain - float((draws.sizes * np.log(np.maximum(left, 1e-300))).sum())


def tilted(
    population: Reals, drawn: Reals, draws: RecordedDraws, phases: Whole | None = None
) -> float:
    """Bet that classes are drawn as often, against their share, as they were so far (W1).

    Args:
        population: for each batch, how many of the records that are left each class has.
        drawn: for each batch, how many of its records each class has.
        draws: the batches.
        phases: for each batch, which of several memories it belongs to; None: there is one.
    """
    left = np.maximum(draws.left, 1)[:, None]
    share = population / left
    due = draws.sizes[:, None] * share
    # The bound for a set needs a batch that is small against what is left.
    open_ = draws.replaced | (2 * draws.sizes <= draws.left)
    seen, hoped = np.empty_like(due), np.empty_like(due)
    for phase in [...] if phases is None else [phases == each for each in np.unique(phases)]:
        seen[phase] = np.cumsum(drawn[phase], axis=0) - drawn[phase]
        hoped[phase] = np.cumsum(due[phase], axis=0) - due[phase]
    logs = []
    for firm in _FEW:
        odds = (seen + firm) / (hoped + firm)
        whole = (odds * share).sum(axis=1)
        gain = (drawn * np.log(odds)).sum(axis=1) - draws.sizes * np.log(np.maximum(whole, 1e-300))
        logs.append(float(gain[open_].sum()))
    return log_mean(logs)


def recent(draws: RecordedDraws) -> float:
    """Bet that it matters for a record when it was drawn last."""
    if draws.length is not None or len(draws) < 2:
        return 0.0
    return log_mean([_each_gap(draws), _doubled_gaps(draws)])


def _each_gap(draws: RecordedDraws) -> float:
    count = len(draws)
    most = max(1, min(_GAPS, count - 1, _CELLS // count))
    known = draws.before != NEVER
    gaps = np.where(known, draws.batch - draws.before, 0)
    ahead = np.minimum(draws.after - draws.batch, most + 1)
    returns = np.bincount(draws.batch * (most + 2) + ahead, minlength=count * (most + 2)).reshape(
        count, most + 2
    )
    unique = returns.sum(axis=1)
    population = np.zeros((count, most + 2))
    waiting = unique.astype(float)
    for gap in range(1, most + 1):
        population[gap:, gap - 1] = waiting[: count - gap]
        waiting = waiting - returns[:, gap]
    seen = draws.seen()
    population[:, most] = seen - population[:, :most].sum(axis=1)
    population[:, most + 1] = draws.records - seen
    labels = np.where(known, np.minimum(gaps, most + 1) - 1, most + 1)
    return tilted(population, draws.counts(labels, most + 2).astype(float), draws)


def _doubled_gaps(draws: RecordedDraws) -> float:
    """Classes of gaps: 1, 2 and 3, 4 to 7, 8 to 15, and so on."""
    count = len(draws)
    many = max(1, (count - 1).bit_length())
    if count * (many + 1) > _CELLS * 8:
        return 0.0
    known = draws.before != NEVER
    population = np.zeros((count, many + 1))
    for each in range(many):
        start = draws.batch + 2**each
        stop = np.minimum(draws.batch + 2 ** (each + 1), draws.after + 1)
        some = (start < stop) & (start < count)
        change = np.bincount(start[some], minlength=count + 1).astype(float)
        change -= np.bincount(np.minimum(stop[some], count), minlength=count + 1)
        population[:, each] = np.cumsum(change)[:count]
    population[:, many] = draws.records - draws.seen()
    gaps = np.where(known, draws.batch - draws.before, 1)
    labels = np.where(known, np.log2(gaps).astype(np.int64), many)
    return tilted(population, draws.counts(labels, many + 1).astype(float), draws)


def in_blocks(draws: RecordedDraws) -> float:
    """Bet on neighbouring records that are drawn more often: always, or at a time of the run."""
    logs = []
    for many, times in _BLOCKS:
        labels = draws.record * many // draws.records
        edges = -(-np.arange(many + 1) * draws.records // many)
        totals = np.broadcast_to(np.diff(edges), (len(draws), many)).astype(float)
        logs.append(_over_time(draws, labels, totals, many, times))
    return log_mean(logs)


def _over_time(draws: RecordedDraws, labels: Whole, totals: Reals, many: int, times: int) -> float:
    if len(draws) * many > _CELLS * 8:
        return 0.0
    drawn = draws.counts(labels, many).astype(float)
    population = totals
    every = np.arange(len(draws))
    if draws.length is not None:
        gone = np.cumsum(drawn, axis=0) - drawn
        population = totals - (gone - gone[draws.starts()])
    spans = min(draws.length or len(draws), len(draws))
    phases = None if times == 1 else every % spans * times // spans
    return tilted(population, drawn, draws, phases)


def same_place(draws: RecordedDraws) -> float:
    """Bet that a record's place in an epoch depends on its place in the epoch before."""
    if draws.length is None or len(draws) <= draws.length:
        return 0.0
    logs = []
    starts = draws.starts()
    for many in (2, 4, 16):
        place = draws.before - (starts[draws.batch] - draws.length)
        fresh = (draws.before == NEVER) | (place < 0)
        labels = np.where(fresh, many, place * many // draws.length)
        drawn_at = np.arange(len(draws)) % draws.length * many // draws.length
        held = np.zeros((len(draws) // draws.length + 2, many + 1))
        epochs = np.arange(len(draws)) // draws.length
        np.add.at(held, (epochs + 1, drawn_at), draws.sizes)
        held[:, many] = draws.records - held[:, :many].sum(axis=1)
        logs.append(_over_time(draws, labels, held[epochs], many + 1, many))
    return log_mean(logs)


def own_place(draws: RecordedDraws) -> float:
    """Bet that some records come to the same places of epochs again and again (W2)."""
    length = draws.length
    if length is None or len(draws) <= length:
        return 0.0
    places = _places(draws)
    logs = np.zeros(len(FIRMNESS))
    for epoch in range(1, len(places)):
        own = places[epoch]
        again = (places[:epoch] == own).sum(axis=0)
        before = [np.bincount(each[each <= own], minlength=length + 1) for each in places[:epoch]]
        found = np.sum(before, axis=0)[:length]  # of the records that are left
        span = slice(epoch * length, min((epoch + 1) * length, len(draws)))
        sizes, left = draws.sizes[span], draws.left[span]
        bets = np.flatnonzero((2 * sizes <= left) & (left > 0))
        times = np.bincount(again[np.isin(own, bets)], minlength=1)
        for index, firm in enumerate(FIRMNESS):
            whole = np.log(firm + found[bets] / left[bets])
            logs[index] += times @ np.log(firm + np.arange(len(times))) - sizes[bets] @ whole
    return log_mean(logs.tolist())


def copies(draws: RecordedDraws, batches: Sequence[Ids]) -> float:
    """Bet that a batch is an earlier one again (W3)."""
    chance = log_batch(draws, batches)
    last: dict[bytes, int] = {}
    gain, copied, seen, lag = 0.0, 0.5, 1.0, 0
    for index, each in enumerate(batches):
        if not len(each):
            continue
        key = each.tobytes()
        where = last.get(key)
        last[key] = index
        share = copied / seen
        seen += 1.0
        if where is None:
            gain += math.log1p(-share)
            continue
        gap = index - where
        law = 0.5 * (gap == lag) + 0.5 / (gap * (gap + 1))
        gain += float(np.logaddexp(math.log1p(-share), math.log(share * law) - chance[index]))
        copied, lag = copied + 1.0, gap
    return gain


def log_batch(draws: RecordedDraws, batches: Sequence[Ids]) -> Reals:
    """Return the log probability of each batch, given its size and what is left."""
    if not draws.replaced:
        return -log_choose(draws.left, draws.sizes)
    ways: Reals = gammaln(draws.sizes + 1.0) - np.bincount(
        draws.batch, weights=gammaln(draws.times + 1.0), minlength=len(batches)
    )
    return ways - draws.sizes * math.log(draws.records)


def together(draws: RecordedDraws) -> float:
    """Bet that records that were in one batch come together again (W4).

    The groups are the records whose last batch was the same.
    """
    known = draws.before != NEVER
    if draws.length is not None:
        known &= draws.before < draws.starts()[draws.batch]
    if not known.any():
        return 0.0
    count = len(draws)
    where = draws.batch[known] * count + draws.before[known]
    pairs, index = np.unique(where, return_inverse=True)
    drawn = np.bincount(index, weights=draws.times[known]).astype(float)
    batch, group = pairs // count, pairs % count
    # Of a group those are left that were not drawn again before.
    leaves = np.sort(draws.batch * (count + 1) + draws.after)
    gone = np.searchsorted(leaves, group * (count + 1) + batch) - np.searchsorted(
        leaves, group * (count + 1)
    )
    held = (np.bincount(draws.batch, minlength=count)[group] - gone).astype(float)
    total = np.bincount(batch, weights=drawn, minlength=count).astype(np.int64)
    whole = draws.seen()
    return _clumped(draws, total, whole, drawn, held, held / whole[batch], np.ones(len(drawn)))


def groups_together(draws: RecordedDraws) -> float:
    """Bet that records of a group come together, or that batches hold some of each group.

    Groups are neighbouring records, parts of the data set, and every k-th record.
    """
    ids, each = draws.record, np.arange(draws.records)
    logs = [_grouped(draws, ids >> k, np.bincount(each >> k)) for k in _GROUPS]
    for many in _PARTS:
        parts = ids * many // draws.records, np.bincount(each * many // draws.records)
        logs += [_grouped(draws, *parts), _grouped(draws, ids % many, np.bincount(each % many))]
    return log_mean(logs)


def _grouped(draws: RecordedDraws, labels: Whole, members: Whole) -> float:
    """Bet on the groups' numbers of draws: the label of each draw, and each label's records."""
    many = len(members)
    if many < 2:
        return 0.0
    if len(draws) * many <= len(labels):
        table = draws.counts(labels, many)
        batch, group = np.nonzero(table)
        drawn = table[batch, group].astype(float)
    else:
        keys, times = draws.batch * many + labels, draws.times
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")
            keys, times = keys[order], times[order]
        begin = _begins(keys)
        drawn = np.add.reduceat(times, begin).astype(float) if len(keys) else np.zeros(0)
        batch, group = keys[begin] // many, keys[begin] % many
    held = members[group].astype(float)
    if draws.length is not None:
        key = batch // draws.length * many + group
        order = np.argsort(key, kind="stable")
        past = np.cumsum(drawn[order]) - drawn[order]
        first = _begins(key[order])
        past -= np.repeat(past[first], np.diff(np.append(first, len(order))))
        held[order] -= past
    spread = _spread(draws, batch, group, drawn, held, members)
    share, many_times = held / draws.left[batch], np.ones(len(drawn))
    if draws.length is None:  # the same few kinds of groups again and again
        kinds, kind = np.unique(members, return_inverse=True)
        found = np.bincount(drawn.astype(np.int64) * len(kinds) + kind[group])
        codes = np.flatnonzero(found)
        drawn, held = (codes // len(kinds)).astype(float), kinds[codes % len(kinds)].astype(float)
        share, many_times = held / draws.records, found[codes].astype(float)
    clumped = _clumped(draws, draws.sizes, draws.left, drawn, held, share, many_times)
    return log_mean([clumped, spread])


def _begins(keys: Whole) -> Whole:
    """Return where runs of equal keys begin."""
    changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    return np.append(0, changes) if len(keys) else changes


def _by_chance(draws: RecordedDraws, drawn: Reals, held: Reals) -> Reals:
    if draws.replaced:
        return drawn * np.log(held) - gammaln(drawn + 1)
    return log_choose(held, drawn)


def _clumped(
    draws: RecordedDraws,
    totals: Whole,
    wholes: Whole,
    drawn: Reals,
    held: Reals,
    share: Reals,
    times: Reals,
) -> float:
    """Bet on a Dirichlet-multinomial law of the draws from groups.

    Args:
        draws: the batches.
        totals: for each batch, the draws from all groups.
        wholes: for each batch, the records of all groups that are left.
        drawn: for groups of a batch with draws, how many.
        held: their records that are left.
        share: what these are of all groups' records.
        times: how many groups, of any batches, are like that.
    """
    some = totals > 0
    if not some.any():
        return 0.0
    total, whole = totals[some].astype(float), wholes[some].astype(float)
    chance = float(times @ _by_chance(draws, drawn, held)) - float(
        _by_chance(draws, total, whole).sum()
    )
    typical = max(1.0, float(draws.sizes.mean()))
    several = drawn > 1
    logs = []
    for excess in _CLUMPS:
        firm = typical / excess
        prior = firm * share
        law = np.log(prior)
        law[several] = gammaln(prior[several] + drawn[several]) - gammaln(prior[several])
        law[several] -= gammaln(drawn[several] + 1)
        rest = gammaln(firm + total) - gammaln(firm) - gammaln(total + 1)
        logs.append(float(times @ law) - float(rest.sum()) - chance)
    return log_mean(logs)


def _spread(
    draws: RecordedDraws, batch: Whole, group: Whole, drawn: Reals, held: Reals, members: Whole
) -> float:
    """Bet on draws from a smaller pool, of which each group has its share (W5)."""
    some = draws.sizes > 0
    logs = []
    kinds, kind, many = np.unique(members, return_inverse=True, return_counts=True)
    for factor in _POOLS:
        rate = np.minimum(factor * draws.sizes / draws.records, 1.0)
        pools = np.ceil(rate[:, None] * kinds - 1e-9)
        pool, total = pools[batch, kind[group]], pools @ many
        if (drawn > pool).any() or (draws.sizes > total).any():
            logs.append(-math.inf)
            continue
        sizes, left = draws.sizes[some].astype(float), draws.left[some].astype(float)
        law = float((log_choose(pool, drawn) - _by_chance(draws, drawn, held)).sum())
        whole = float((log_choose(total[some], sizes) - _by_chance(draws, sizes, left)).sum())
        logs.append(law - whole)
    return log_mean(logs)
