"""The rule of `default` for tables in plain NumPy: the slow twin and golden reference of the port. float64, deterministic.

    model = fit(train, contamination=None, names=None, fields=None, weight=None, base=None, seed=1)
    odd, p = score(model, test)             larger = odder (the library's score is minus that); p = calibrated p-value
    model['own']                            oddity of the training rows, each left out; model['calibration'] is sorted

train    n x d finite numbers, n >= 4. A category is a group of indicator columns (expand in tables.py), each of weight 1/2.
fields   number of the field (column of the user's table) each column belongs to; default: each column is a field.
names    names of the fields; default: their positions as decimal strings. They seed the deals.
base     columns excluded from the relations: for each category, the indicators of its most frequent level and of unseen levels.

    oddity = sqrt( (sum of the squares of the nine tails + 3 P^2 + R^2) / (9 + 3 [P] + [R]) ) + 2/9 T_a

A table of WIDE columns or more has three more tails, of weight DIRECTION each: those of the rows of the rank view, divided by their lengths.
"""
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp, ndtri

RING = 10               # maximum number of neighbors used
CANDIDATES = 32         # neighbors whose distances are recomputed when a row is left out
TRIM = 0.02             # fraction trimmed by default
SUBSET = 512            # rows among which trimming searches for neighbors
FARTHER = 0.1           # rank of the neighbor used for trimming by default, as a fraction of these
CLUMP_RING = 10         # a row is trimmed, too, if in its ring of this size at least ...
CLUMP_SHARE = 0.25      # ... this fraction is trimmed,
CLUMP_LIMIT = 0.1       # unless more than this fraction of all rows would go
LOCALITY = 0.5          # power of the relative scale in the local score
UNIT = 0.25             # unit of the local score, in mean scales
SAME_UNIT = 10.0       # ratio of adjacent deviations up to which columns may share a unit
GROWTH = 3.0            # growth of a tail beyond the largest reference score
CHANGE = 2 / 9          # weight of the tail of constant columns that change
METRICS = ('cityblock', 'euclidean', 'euclidean', 'euclidean')     # robust, rank, half-way, direction
WIDE, DIRECTION = 64, 0.5   # minimum number of columns for the direction view, and its weight
DEALS, HANDS, LARGEST = 1, 4, 3
PART_CANDIDATES = 12    # like CANDIDATES, in a part
PART_ROWS = 8192        # beyond this many kept rows, a part examines
PART_SUBSET = 2048      # this many of them, evenly spaced
PARTS, RELATIONS = 3.0, 1.0                         # weights of P and R
MAX_RELATED = 256      # maximum number of columns in the relations
ROUNDING = 1e-9         # scores that differ by less, relative to their size, are equal
EQUALS = 0.05           # fraction of rows that occur three times or more from which on an equal newcomer is like any other


# ------------------------------------------------------------------ columns
def learn_columns(A, weight):
    n, d = A.shape
    o = np.sort(A, axis=0)
    lo, hi = np.empty((n, d), int), np.empty((n, d), int)
    for f in range(d):
        lo[:, f] = np.searchsorted(o[:, f], A[:, f], side='left')
        hi[:, f] = np.searchsorted(o[:, f], A[:, f], side='right')
    centered = A - A.mean(0)
    distinct, squares = 1 + (np.diff(o, axis=0) > 0).sum(0), (centered ** 2).sum(0)
    return dict(units=shared_units(np.sqrt(squares / n), distinct), n=n, A=A, sorted=o, lo=lo, hi=hi, distinct=distinct, centered=centered,
                squares=squares, weight=np.ones(d) if weight is None else np.asarray(weight, float))


def shared_units(deviation, distinct):
    """Measured columns that may share a unit: sorted by deviation, a new group begins where it rises by more than SAME_UNIT times."""
    measured = np.flatnonzero(distinct > 2)
    if len(measured) == 0:
        return []
    order = measured[np.argsort(deviation[measured], kind='stable')]
    return np.split(order, np.flatnonzero(deviation[order][1:] > SAME_UNIT * deviation[order][:-1]) + 1)


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
        left = c['squares'] - c['centered'] ** 2 * (n / (n - 1))
        for i, f in zip(*np.nonzero((left < 1e-6 * c['squares']) & (distinct > 1))):    # cancellation: recompute
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
    half = np.zeros(deviation.shape)
    for q in c['units']:                                                                # g: deviation shared by a unit
        v, w = np.where(ranked, 0, variance)[..., q], (~ranked)[..., q]
        g = np.sqrt(v.sum(-1) / np.maximum(w.sum(-1), 1))
        half[..., q] = np.sqrt(deviation[..., q] * np.where(g > 0, g, 1.0)[..., None])
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


def coordinates(c, sc, X, table):
    """Coordinates of the three views, and the normal scores (rank view without weights) for the relations."""
    ranked, robust, half, unit = sc
    z = table[half_ranks(c, X)]
    far = z + beyond(X, c['sorted'][0], c['sorted'][-1], unit)
    one, two = c['weight'], np.sqrt(c['weight'])
    views = [np.where(ranked, z, X / robust) * one, far * two, np.where(ranked, z, X / half) * two]
    if (c['distinct'] > 1).sum() >= WIDE:
        views.append(directions(far * two))
    return views, far


def directions(z):
    length = np.linalg.norm(z, axis=-1, keepdims=True)
    return z / np.where(length > 0, length, 1.0)


class LeftOut:
    """What the columns learn without row i, for every i."""

    def __init__(self, c):
        self.c, n, A = c, c['n'], c['A']
        self.ranked, self.robust, self.half, unit = scales(c, True)
        alone = c['hi'] - c['lo'] == 1
        low = np.where(alone & (c['lo'] == 0), c['sorted'][1], c['sorted'][0])
        high = np.where(alone & (c['hi'] == n), c['sorted'][-2], c['sorted'][-1])
        self.ext = beyond(A, low, high, unit)
        self.table = normal_scores(n - 1)
        self.z = self.table[c['lo'] + c['hi'] - 1] + self.ext      # a row's own normal scores

    def distances(self, J, view, cols):
        """Distances of each row i to the rows J[i] over the columns cols."""
        c, A = self.c, self.c['A'][:, cols]
        lo, hi, w = c['lo'][:, cols], c['hi'][:, cols], c['weight'][cols]
        ranked, scale, ext = self.ranked[:, cols], (self.robust, None, self.half, None)[view], self.ext[:, cols]
        out, step = np.empty(J.shape), max(1, int(4e5 / max(J.shape[1] * len(cols), 1)))
        for a in range(0, c['n'], step):
            i = slice(a, a + step)
            x, B = A[i][:, None], A[J[i]]                          # rows x candidates x columns
            dz = self.table[lo[i] + hi[i] - 1][:, None] - self.table[lo[J[i]] + hi[J[i]] - (x < B) - (x <= B)]
            if view == 1:
                out[i] = np.sqrt((dz + ext[i][:, None]) ** 2 @ w)
                continue
            if view == 3:
                other = self.table[lo[J[i]] + hi[J[i]] - (x < B) - (x <= B)] * np.sqrt(w)
                own = self.z[i][:, cols] * np.sqrt(w)
                out[i] = np.linalg.norm(directions(own)[:, None] - directions(other), axis=-1)
                continue
            d = np.where(ranked[i][:, None], dz, (x - B) / scale[i][:, cols][:, None])
            out[i] = np.abs(d) @ w if view == 0 else np.sqrt(d ** 2 @ w)
        return out


# ------------------------------------------------------------------ lists, scores, tails
def nearest(D, k):
    """Sorted lists of the k nearest columns of each row; ties by index."""
    k = min(k, D.shape[1])
    order = np.argsort(D, axis=1, kind='stable')[:, :k]
    return np.take_along_axis(D, order, 1), order


def among(D, rows, k):
    """Lists of row numbers: the k nearest of `rows`; D: n x n with an infinite diagonal."""
    d, j = nearest(D[:, rows], min(k, len(rows) - 1))
    return d, rows[j]


def again(d, idx):
    order = np.lexsort((idx, d), axis=1)
    return np.take_along_axis(d, order, 1), np.take_along_axis(idx, order, 1)


def without(d, idx, twin):
    """The lists without the twin of each row (-1: none)."""
    drop = np.argsort(idx == twin[:, None], axis=1, kind='stable')
    d, idx = np.take_along_axis(d, drop, 1), np.take_along_axis(idx, drop, 1)
    return np.where(idx == twin[:, None], np.inf, d), idx


def learn_scale(d):
    s = d.mean(1)
    mean = s.mean()
    if mean <= 0:
        return np.ones(len(s)), 1.0
    s = np.maximum(s, max(.1 * np.median(s), 1e-9 * mean))
    return s / np.exp(np.log(s).mean()), UNIT * mean


def three_scores(d, idx, rel, unit, ring, few):
    e = np.sort(d[:, :ring] * rel[idx[:, :ring]] ** -LOCALITY, axis=1) * (np.log(2) / unit)
    return np.array([d[:, :few].mean(1), d[:, :ring].mean(1), -logsumexp(-e[:, min(1, ring - 1):], axis=1)])


def tail(r, s, own=None):
    """Tail of each score s among the sorted references r. own: the member of r that is left out for this s.

    At a reference value v: -ln((#{r >= v} + 1/2) / (M + 1)), M the number of references; linear in s between two values;
    below the smallest it falls towards 0, beyond the largest it grows with the logarithm of the excess."""
    s, m = np.asarray(s, float), len(r)
    M = m if own is None else m - 1
    skip = np.full(s.shape, m) if own is None else np.searchsorted(r, own, side='left')

    def at(k):
        k = np.clip(k, 0, M - 1)
        return r[k + (k >= skip)]

    def less(v):
        return np.searchsorted(r, v, side='left') - (0 if own is None else own < v)

    def value(below):
        return -np.log((M - below + .5) / (M + 1))
    L = less(s - ROUNDING * np.abs(s))                                               # a score equal up to rounding gets its tail
    a, b, top = at(L - 1), at(L), at(np.full(s.shape, M - 1))
    middle = r[m // 2]
    unit = np.where(top > middle, top - middle, np.where(top != 0, np.abs(top), 1.0))
    low, high = value(less(a)), value(L)
    with np.errstate(invalid='ignore', over='ignore'):
        between = low + (high - low) * ((s - a) / np.where(b > a, b - a, 1.0))
        under = value(0) * np.exp(-np.maximum(b - s, 0) / unit)
        over = value(M) + GROWTH * np.log1p(np.maximum(s - top, 0) / unit)
    return np.where(L >= M, over, np.where(b <= s, high, np.where(L == 0, under, between)))


def tails(own, less, kept):
    """own: raw scores of the training rows, each left out; less: the same with a twin left out, too. Reference, tails of both."""
    r = np.sort(own[kept])
    out = []
    for s in (own, less):
        t = tail(r, s)
        t[kept] = tail(r, s[kept], own[kept])
        out.append(t)
    return r, *out


def tails_of(own, less, kept):
    q = [tails(o, l, kept) for o, l in zip(own, less)]
    return [x[0] for x in q], np.array([x[1] for x in q]), np.array([x[2] for x in q])


def change_tail(counts, a, own):
    """Evidence of `a` constant columns that change; counts: those of the training rows, each left out; own: a is
    counts."""
    r = np.sort(counts)
    m = len(r)
    above = m - np.searchsorted(r, a, side='left') - own
    top = np.where((a == r[-1]) & bool(own), r[-2], r[-1])
    t = -np.log((above + .5) / (m + 1 - own)) + GROWTH * np.log1p(np.maximum(a - top, 0) / np.maximum(top, 1))
    return np.where(a > 0, t, 0.0)


# ------------------------------------------------------------------ trimming
def by_content(rows, m):
    """m of the rows: those with the smallest content hashes, to single precision; equal rows get distinct hashes."""
    def coarse(v):
        if np.isnan(v):
            return U64
        return (int(np.float64(v + 0.0).view(np.uint64)) + (1 << 28)) >> 29

    hashes = [sum(mix(coarse(v)) for v in row) & U64 for row in rows]
    seen, keys = {}, []
    for i, h in enumerate(hashes):
        keys.append((mix(h ^ mix(seen.get(h, 0))), i))
        seen[h] = seen.get(h, 0) + 1
    return np.sort([i for _, i in sorted(keys)[:m]])


def choose_kept(views, n, contamination, rows=None):
    """views: n x n matrices with infinite diagonals; rows: of the table, if it is one."""
    share = TRIM if contamination is None else min(2 * contamination, .5)
    drop = int(np.floor(share * n + 1e-9))
    if drop == 0 or n - drop < 4:
        return np.arange(n)
    m = min(n, SUBSET)
    subset = np.arange(m) * n // m if rows is None or m == n else by_content(rows, m)
    k = min(max(5, int(1.5 * share * m), int(FARTHER * m) if contamination is None else 0), m - 2)
    far, weights = np.zeros(n), np.array([1.0, 1.0, 1.0, DIRECTION])[:len(views)]
    for D, weight in zip(views, weights):
        kth = np.partition(D[:, subset], k, axis=1)[:, k]
        far -= weight * np.log((n - np.searchsorted(np.sort(kth), kth)) / (n + 1))
    farthest = kept = far <= np.sort(far)[n - drop - 1]                                 # equal rows together
    if contamination is not None:
        return np.flatnonzero(kept)
    rings = [subset[nearest(D[:, subset], min(CLUMP_RING, m - 2))[1]] for D in views]
    while True:                                                                         # a clump is trimmed entirely or not at all
        trimmed = np.average([(~kept)[ring].mean(1) for ring in rings], axis=0, weights=weights)
        more = kept & (trimmed >= CLUMP_SHARE - 1e-9)
        if not more.any():
            return np.flatnonzero(kept)
        kept = kept & ~more
        if (~kept).sum() > CLUMP_LIMIT * n + 1e-9:
            return np.flatnonzero(farthest)


# ------------------------------------------------------------------ parts
U64 = (1 << 64) - 1


def mix(x):
    """One step of splitmix64."""
    x = (x + 0x9E3779B97F4A7C15) & U64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & U64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & U64
    return x ^ (x >> 31)


def fnv1a(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & U64
    return h


def deal(names, seed):
    """DEALS times HANDS lists of positions in `names`; the same for any order of the names."""
    out = []
    for k in range(DEALS):
        salt = mix((mix(seed & U64) + k) & U64)
        order = sorted(range(len(names)), key=lambda f: (mix(fnv1a(names[f]) ^ salt), f))
        out.append([order[h::HANDS] for h in range(HANDS)])
    return out


def parts(c, fields, names, seed):
    """Parts as arrays of columns: pairs of hands, without repeats. Fields that do not vary are not dealt."""
    varying = sorted({int(f) for f, k in zip(fields, c['distinct']) if k > 1})
    if len(varying) < HANDS:
        return []
    out = []
    for hands in deal([names[f] for f in varying], seed):
        for a, b in combinations(hands, 2):
            part = sorted(varying[k] for k in a + b)
            if part not in out:
                out.append(part)
    return [np.flatnonzero(np.isin(fields, p) & (c['distinct'] > 1)) for p in out]


def largest(t):
    return np.sort(t, axis=0)[-LARGEST:].mean(0)


# ------------------------------------------------------------------ relations
def learn_relations(far, kept, use):
    """far: normal scores of the training rows. Sums of squares and products of the kept rows about their mean, p rows of unit variance added."""
    z = far[:, use]
    mean = z[kept].mean(0)
    d = z - mean
    return dict(use=use, mean=mean, inverse=np.linalg.inv(d[kept].T @ d[kept] + len(use) * np.eye(len(use))), count=len(kept)), d


def residuals(rel, far):
    """Standardized residual of each column given the others: p x rows."""
    O = rel['inverse']
    return (np.abs((far[:, rel['use']] - rel['mean']) @ O) * np.sqrt(rel['count'] / np.diag(O))).T


def left_out_residuals(rel, d, z_own, kept):
    """The same for the training rows, each left out of mean and sums (Sherman and Morrison), with its own values as
    learned without it."""
    O, m = rel['inverse'], rel['count']
    inside = np.zeros(len(d))
    inside[kept] = 1
    z = z_own[:, rel['use']] - rel['mean'] + d * (inside / (m - 1))[:, None]
    u, b = (d @ O) * inside[:, None], m / (m - 1)
    rest = np.maximum(1 - b * (u * d).sum(1), 1e-9)
    y = z @ O + u * (b * (u * z).sum(1) / rest)[:, None]
    return (np.abs(y) * np.sqrt((m - inside)[:, None] / (np.diag(O) + b * u ** 2 / rest[:, None]))).T


# ------------------------------------------------------------------ the rule
def combine(nine, P, R, change):
    each = np.where(np.arange(len(nine)) < 9, 1.0, DIRECTION)
    total, weight = (each[:, None] * nine ** 2).sum(0), each.sum()
    for t, w in ((P, PARTS), (R, RELATIONS)):
        if t is not None:
            total, weight = total + w * t ** 2, weight + w
    return np.sqrt(total / weight) + CHANGE * change


def fit(train, contamination=None, names=None, fields=None, weight=None, base=None, seed=1):
    A = np.asarray(train, float) + 0.0                                                  # no negative zeros
    n, d = A.shape
    few = 5 if contamination else 2
    fields = np.arange(d) if fields is None else np.asarray(fields)
    names = [str(f) for f in range(fields.max() + 1)] if names is None else names
    c = learn_columns(A, weight)
    sc, table, left = scales(c), normal_scores(n), LeftOut(c)
    co, far = coordinates(c, sc, A, table)
    views = []
    for z, metric in zip(co, METRICS):
        D = cdist(z, z, metric)
        np.fill_diagonal(D, np.inf)
        views.append(D)
    kept = choose_kept(views, n, contamination, A)
    ring = int(min(RING, np.ceil(np.sqrt(len(kept))), len(kept) - 1))
    number = np.full(n, -1)
    number[kept] = np.arange(len(kept))
    # twins: for each row a kept row that equals it
    rows, equals = [r.tobytes() for r in A], {}
    for i, r in enumerate(rows):
        equals.setdefault(r, []).append(i)
    common = np.mean([len(equals[r]) > 2 for r in rows]) >= EQUALS - 1e-12
    common &= np.gcd.reduce([len(equals[rows[i]]) for i in kept]) < 2                     # not a file that was repeated
    inside = set(kept.tolist())
    twin = np.array([-1 if common else next((j for j in equals[r] if j != i and j in inside), -1) for i, r in enumerate(rows)])
    # nine tails
    learned, own9, less9 = [], [], []
    for v, D in enumerate(views):
        J = among(D, kept, CANDIDATES)[1]
        lists = again(left.distances(J, v, np.arange(d)), J)
        rel, unit = learn_scale(nearest(D[np.ix_(kept, kept)], ring)[0])
        own = three_scores(lists[0], number[lists[1]], rel, unit, ring, few)
        e, j = without(*lists, twin)
        less = np.where(twin >= 0, three_scores(e, number[j], rel, unit, ring, few), own)
        r, t, u = tails_of(own, less, kept)
        learned.append((rel, unit, r))
        own9.extend(t)
        less9.extend(u)
    own9, less9 = np.array(own9), np.array(less9)
    # parts
    chosen = parts(c, fields, names, seed)
    look = kept if len(kept) <= PART_ROWS else kept[np.arange(PART_SUBSET) * len(kept) // PART_SUBSET]
    P = P_less = part_model = None
    if chosen:
        own, less = [], []
        for cols in chosen:
            for v in (0, 1):
                D = cdist(co[v][:, cols], co[v][:, cols], METRICS[v])
                np.fill_diagonal(D, np.inf)
                J = among(D, look, PART_CANDIDATES)[1]
                lists = again(left.distances(J, v, cols), J)
                own.append(lists[0][:, :few].mean(1))
                e = without(*lists, twin)[0]
                less.append(np.where(twin >= 0, e[:, :few].mean(1), own[-1]))
        r, t, u = tails_of(own, less, kept)
        top, P, P_less = tails(largest(t), largest(u), kept)
        part_model = dict(parts=chosen, references=r, top=top, rows=look)
    # relations
    use = np.flatnonzero((c['distinct'] > 1) & (True if base is None else ~np.isin(np.arange(d), base)))
    R = relation_model = None
    if 2 <= len(use) <= MAX_RELATED:
        rel, dev = learn_relations(far, kept, use)
        own = left_out_residuals(rel, dev, left.z, kept)
        r, t, _ = tails_of(own, own, kept)
        top, R, _ = tails(largest(t), largest(t), kept)
        relation_model = dict(rel=rel, references=r, top=top)
    changes = ((c['hi'] - c['lo'] == 1) & (c['distinct'] == 2)).sum(1)
    changed = change_tail(changes, changes, 1)
    own, as_new = combine(own9, P, R, changed), combine(less9, P_less, R, changed)
    return dict(columns=c, scales=sc, table=table, coordinates=co, kept=kept, ring=ring, few=few, views=learned, parts=part_model,
                relations=relation_model, changes=changes, own=own, calibration=np.sort(as_new), as_new=as_new,
                rows={} if common else {r: i for i, r in reversed(list(enumerate(rows)))},
                tails=dict(nine=own9, P=P, R=R, change=changed), twin=twin)


def explain_tails(model, test):
    """nine tails, P, R and T_a of new rows."""
    X = np.asarray(test, float) + 0.0
    c, kept, few, co = model['columns'], model['kept'], model['few'], model['coordinates']
    x, far = coordinates(c, model['scales'], X, model['table'])
    nine, P, R = [], None, None
    for v, (rel, unit, references) in enumerate(model['views']):
        d, j = nearest(cdist(x[v], co[v][kept], METRICS[v]), max(model['ring'], 5))
        nine += [tail(r, s) for r, s in zip(references, three_scores(d, j, rel, unit, model['ring'], few))]
    q = model['parts']
    if q is not None:
        s = [np.sort(cdist(x[v][:, cols], co[v][q['rows']][:, cols], METRICS[v]), axis=1)[:, :few].mean(1) for cols in q['parts'] for v in (0, 1)]
        P = tail(q['top'], largest(np.array([tail(r, s) for r, s in zip(q['references'], s)])))
    q = model['relations']
    if q is not None:
        R = tail(q['top'], largest(np.array([tail(r, s) for r, s in zip(q['references'], residuals(q['rel'], far))])))
    return np.array(nine), P, R, change_tail(model['changes'], ((c['distinct'] == 1) & (X != c['sorted'][0])).sum(1), 0)


def score(model, test):
    X = np.asarray(test, float) + 0.0
    s = combine(*explain_tails(model, X))
    for k, row in enumerate(X):                                                         # equal to a training row: that row's own score
        i = model['rows'].get(row.tobytes())
        if i is not None:
            s[k] = model['own'][i]
    return s, p_values(model, s)


def p_values(model, s):
    c = model['calibration']
    return (1 + len(c) - np.searchsorted(c, s, side='left')) / (len(c) + 1)
