"""The committee of views in plain NumPy: the reference for a port. float64, deterministic, no randomness.

    model = fit(train, contamination=None, weight=None)   train: n x d finite numbers, n >= 4
    score, p = score(model, test)                         larger score = odder; p = calibrated p-value
    fit_matrix(D, contamination), score_matrix(model, D)  the same on one given dissimilarity
    expand(categories, training categories)               indicator columns of a mixed table, weight 1/2 each

Whole distance matrices are kept here for brevity; docs/research/2026-11-16-views.md says what a real implementation needs.
"""
import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp, ndtri

RING = 10               # most neighbours that count
CANDIDATES = 32         # neighbours whose distances are computed anew when a row is left out
TRIM = 0.02             # share trimmed when nothing is said
SUBSET = 512            # rows among which the trimming statistic looks for neighbours
LOCALITY = 0.5          # power of the relative scale in the local score
UNIT = 0.25             # unit of the local score, in mean scales
GROWTH = 3.0            # growth of a tail beyond the largest reference score
CHANGE = 2.0            # weight of the tail of constant columns that change
SCORES = ('m2', 'mr', 'l1')
TOLD_SCORES = ('m5', 'mr', 'l1')    # when a contamination > 0 was told
METRICS = ('cityblock', 'euclidean', 'euclidean')   # robust, rank, half-way


# ------------------------------------------------------------------ columns
def learn_columns(A, weight=None):
    n, d = A.shape
    o = np.sort(A, axis=0)
    lo, hi = np.empty((n, d), int), np.empty((n, d), int)
    for f in range(d):
        lo[:, f] = np.searchsorted(o[:, f], A[:, f], side='left')
        hi[:, f] = np.searchsorted(o[:, f], A[:, f], side='right')
    centred = A - A.mean(0)
    return dict(n=n, A=A, sorted=o, lo=lo, hi=hi, distinct=1 + (np.diff(o, axis=0) > 0).sum(0), centred=centred,
                squares=(centred ** 2).sum(0), weight=np.ones(d) if weight is None else np.asarray(weight, float))


def quantile(o, q, m, skip=None):
    """Quantile (linear interpolation) of m sorted values; skip: position left out of m + 1 values."""
    h = (m - 1) * q
    k = int(np.floor(h))

    def at(k):
        k = min(k, m - 1)
        return o[k] if skip is None else np.where(k < skip, o[k], o[k + 1])
    return at(k) + (h - k) * (at(k + 1) - at(k))


def scales(c, leave_out=False):
    """ranked?, robust scale, half-way scale, unit beyond the range: per column; leave_out: per row, learned without that row."""
    n = c['n']
    if leave_out:
        m, skip = n - 1, c['lo']
        distinct = c['distinct'] - (c['hi'] - c['lo'] == 1)
        left = c['squares'] - c['centred'] ** 2 * (n / (n - 1))
        for i, f in zip(*np.nonzero((left < 1e-6 * c['squares']) & (distinct > 1))):    # cancellation: compute anew
            v = np.delete(c['A'][:, f], i)
            left[i, f] = ((v - v.mean()) ** 2).sum()
        variance = np.maximum(left, 0) / m
    else:
        m, skip, distinct, variance = n, None, c['distinct'], c['squares'] / n
    ranked = distinct <= 2
    variance = np.where(distinct > 1, variance, 0)
    deviation = np.sqrt(variance)
    iqr = (quantile(c['sorted'], .75, m, skip) - quantile(c['sorted'], .25, m, skip)) / 1.349
    unit = np.maximum(np.where(iqr > 0, iqr, deviation), deviation / 2)                  # 0 if constant
    g = np.sqrt(np.where(ranked, 0, variance).sum(-1) / np.maximum((~ranked).sum(-1), 1))
    half = np.sqrt(deviation * np.where(g > 0, g, 1.0)[..., None])
    return ranked, np.where(ranked | (unit <= 0), 1.0, unit), np.where(ranked | (half <= 0), 1.0, half), unit


def half_ranks(c, X):
    """Twice the mid-rank of each value among the training rows: number below + number below or equal."""
    h = np.empty(X.shape, int)
    for f in range(X.shape[1]):
        o = c['sorted'][:, f]
        h[:, f] = np.searchsorted(o, X[:, f], side='left') + np.searchsorted(o, X[:, f], side='right')
    return h


def normal_scores(n):
    return ndtri((np.arange(2 * n + 1) / 2 + .5) / (n + 1))


def beyond(x, low, high, unit):
    """Signed logarithm of the excess over the range, in units of the column; 0 for a constant column."""
    u = np.where(unit > 0, unit, 1.0)
    return np.where(unit > 0, np.log1p(np.maximum(x - high, 0) / u) - np.log1p(np.maximum(low - x, 0) / u), 0.0)


def coordinates(c, sc, X, h, table):
    ranked, robust, half, unit = sc
    z = table[h]
    one, two = c['weight'], np.sqrt(c['weight'])
    return [np.where(ranked, z, X / robust) * one,
            (z + beyond(X, c['sorted'][0], c['sorted'][-1], unit)) * two,
            np.where(ranked, z, X / half) * two]


def left_out_distances(c, candidates):
    """candidates[v]: n x k rows; distances of each row to them in view v, with all that columns learn learned without the row."""
    n, A, w = c['n'], c['A'], c['weight']
    ranked, robust, half, unit = scales(c, True)
    alone = c['hi'] - c['lo'] == 1
    low = np.where(alone & (c['lo'] == 0), c['sorted'][1], c['sorted'][0])
    high = np.where(alone & (c['hi'] == n), c['sorted'][-2], c['sorted'][-1])
    ext = beyond(A, low, high, unit)
    table = normal_scores(n - 1)
    out = [np.empty(k.shape) for k in candidates]
    step = max(1, int(4e5 / (candidates[0].shape[1] * A.shape[1])))
    for a in range(0, n, step):
        i = slice(a, a + step)
        x, zi = A[i][:, None], table[c['lo'][i] + c['hi'][i] - 1][:, None]
        for v, k in enumerate(candidates):
            J = k[i]
            B = A[J]                                                                    # rows x candidates x columns
            dz = zi - table[c['lo'][J] + c['hi'][J] - (x < B) - (x <= B)]
            if v == 0:
                out[0][i] = np.abs(np.where(ranked[i][:, None], dz, (x - B) / robust[i][:, None])) @ w
            elif v == 1:
                out[1][i] = np.sqrt((dz + ext[i][:, None]) ** 2 @ w)
            else:
                out[2][i] = np.sqrt(np.where(ranked[i][:, None], dz, (x - B) / half[i][:, None]) ** 2 @ w)
    return out


# ------------------------------------------------------------------ lists, scores, tails
def nearest(D, k):
    """Sorted lists of the k nearest columns of each row; ties by index."""
    k = min(k, D.shape[1])
    order = np.argsort(D, axis=1, kind='stable')[:, :k]
    return np.take_along_axis(D, order, 1), order


def learn_scale(d_in):
    s = d_in.mean(1)
    mean = s.mean()
    if mean <= 0:
        return np.ones(len(s)), 1.0
    s = np.maximum(s, max(.1 * np.median(s), 1e-9 * mean))
    return s / np.exp(np.log(s).mean()), UNIT * mean


def raw_scores(d, idx, rel, unit, ring, names):
    out = []
    for name in names:
        if name == 'l1':
            e = np.sort(d[:, :ring] * rel[idx[:, :ring]] ** -LOCALITY, axis=1) * (np.log(2) / unit)
            out.append(-logsumexp(-e[:, min(1, ring - 1):], axis=1))
        else:
            out.append(d[:, :ring if name == 'mr' else int(name[1:])].mean(1))
    return out


def grow(s, top, middle):
    unit = np.where(top > middle, top - middle, np.where(top != 0, np.abs(top), 1.0))
    return GROWTH * np.log1p(np.maximum(s - top, 0) / unit)


def tail_new(r, s):
    m = len(r)
    return -np.log((m - np.searchsorted(r, s, side='left') + .5) / (m + 1)) + grow(s, r[-1], r[m // 2])


def tail_own(r, s):
    """s are members of r: each is compared with the others."""
    m = len(r)
    top = np.where(s == r[-1], r[-2], r[-1])
    return -np.log((m - np.searchsorted(r, s, side='left') - .5) / m) + grow(s, top, r[m // 2])


def change_tail(counts, a, own):
    """Evidence of `a` constant columns that change; counts: those of the training rows, each left out; own: a is counts."""
    r = np.sort(counts)
    m = len(r)
    above = m - np.searchsorted(r, a, side='left') - own
    top = np.where((a == r[-1]) & bool(own), r[-2], r[-1])
    t = -np.log((above + .5) / (m + 1 - own)) + GROWTH * np.log1p(np.maximum(a - top, 0) / np.maximum(top, 1))
    return np.where(a > 0, t, 0.0)


# ------------------------------------------------------------------ trimming
def plan(contamination):
    if contamination is None:
        return TRIM, SCORES
    if contamination == 0:
        return 0.0, SCORES
    return min(2 * contamination, .5), TOLD_SCORES


def choose_kept(views, n, share):
    """views: n x n matrices with infinite diagonals."""
    drop = int(np.floor(share * n + 1e-9))
    if drop == 0 or n - drop < 4:
        return np.arange(n)
    m = min(n, SUBSET)
    subset = np.arange(m) * n // m
    k = min(max(5, int(1.5 * share * m)), m - 2)
    far = np.zeros(n)
    for D in views:
        kth = np.partition(D[:, subset], k, axis=1)[:, k]
        far -= np.log((n - np.searchsorted(np.sort(kth), kth)) / (n + 1))
    return np.flatnonzero(far <= np.sort(far)[n - drop - 1])                            # equal rows together


# ------------------------------------------------------------------ the committee
def committee(views, left_out, kept, names):
    """views: n x n, infinite diagonals, scales of all rows; left_out: (d, idx), lists of every row among the kept rows without itself."""
    n = len(views[0])
    ring = int(min(RING, np.ceil(np.sqrt(len(kept))), len(kept) - 1))
    number = np.full(n, -1)
    number[kept] = np.arange(len(kept))
    learned, total = [], np.zeros(n)
    for D, (d, idx) in zip(views, left_out):
        rel, unit = learn_scale(nearest(D[np.ix_(kept, kept)], ring)[0])
        references = []
        for s in raw_scores(d, number[idx], rel, unit, ring, names):
            r = np.sort(s[kept])
            t = tail_new(r, s)
            t[kept] = tail_own(r, s[kept])
            references.append(r)
            total += t
        learned.append((rel, unit, references))
    return dict(views=learned, ring=ring, kept=kept, names=names, own=total, calibration=np.sort(total))


def lists_among(D, kept, k):
    E = np.full(D.shape, np.inf)
    E[:, kept] = D[:, kept]
    return nearest(E, min(k, len(kept) - 1))


def judge(model, lists):
    total = 0.0
    for (rel, unit, references), (d, idx) in zip(model['views'], lists):
        for r, s in zip(references, raw_scores(d, idx, rel, unit, model['ring'], model['names'])):
            total = total + tail_new(r, s)
    return total


def p_values(model, s):
    c = model['calibration']
    return (1 + len(c) - np.searchsorted(c, s, side='left')) / (len(c) + 1)


def fit(train, contamination=None, weight=None):
    A = np.asarray(train, float) + 0.0                                                  # no negative zeros
    n = len(A)
    share, names = plan(contamination)
    c = learn_columns(A, weight)
    sc, table = scales(c), normal_scores(n)
    co = coordinates(c, sc, A, c['lo'] + c['hi'], table)
    views = []
    for z, metric in zip(co, METRICS):
        D = cdist(z, z, metric)
        np.fill_diagonal(D, np.inf)
        views.append(D)
    kept = choose_kept(views, n, share)
    candidates = [lists_among(D, kept, CANDIDATES)[1] for D in views]
    left_out = []
    for d, idx in zip(left_out_distances(c, candidates), candidates):
        order = np.lexsort((idx, d), axis=1)
        left_out.append((np.take_along_axis(d, order, 1), np.take_along_axis(idx, order, 1)))
    model = committee(views, left_out, kept, names)
    changes = ((c['hi'] - c['lo'] == 1) & (c['distinct'] == 2)).sum(1)
    own = model['own'] + CHANGE * change_tail(changes, changes, 1)
    model.update(own=own, calibration=np.sort(own), changes=changes, columns=c, scales=sc, table=table,
                 coordinates=[z[kept] for z in co], rows={r.tobytes(): i for i, r in enumerate(A)})
    return model


def score(model, test):
    T = np.asarray(test, float) + 0.0
    c = model['columns']
    co = coordinates(c, model['scales'], T, half_ranks(c, T), model['table'])
    lists = [nearest(cdist(t, a, metric), max(model['ring'], 5)) for t, a, metric in zip(co, model['coordinates'], METRICS)]
    s = judge(model, lists)
    s = s + CHANGE * change_tail(model['changes'], ((c['distinct'] == 1) & (T != c['sorted'][0])).sum(1), 0)
    for k, row in enumerate(T):                                                         # equal to a training row: that row's own score
        i = model['rows'].get(row.tobytes())
        if i is not None:
            s[k] = model['own'][i]
    return s, p_values(model, s)


def fit_matrix(D, contamination=None):
    D = np.array(D, float)
    np.fill_diagonal(D, np.inf)
    share, names = plan(contamination)
    kept = choose_kept([D], len(D), share)
    return committee([D], [lists_among(D, kept, max(RING, 5))], kept, names)


def score_matrix(model, D):
    """D: rows to all training samples."""
    s = judge(model, [nearest(np.asarray(D, float)[:, model['kept']], max(model['ring'], 5))])
    return s, p_values(model, s)


def expand(categories, seen):
    """Indicator columns: one for each level seen in training, one for a level not seen."""
    columns = []
    for f in range(categories.shape[1]):
        levels = np.unique(seen[:, f])
        columns += [(categories[:, f] == level) for level in levels] + [~np.isin(categories[:, f], levels)]
    return np.array(columns, float).T
