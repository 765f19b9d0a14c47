"""Plain versions of the measures in `golden.py`: the formula and nothing else.

`golden.py` compares every peer value to these before it writes a file, so the peers are known to compute the formulas
below. Two values have no peer and come only from here: textbook ERP and the Gower distance with missing values.

A series is a list of time steps, a step is a list of channel values.
"""

import math


# --- strings -----------------------------------------------------------------


def levenshtein(a, b, weights=(1, 1, 1)):
    """Least cost to turn `a` into `b`; weights are (insert, delete, substitute)."""
    insert, delete, substitute = weights
    row = [j * insert for j in range(len(b) + 1)]
    for i, s in enumerate(a, 1):
        above, row = row, [i * delete]
        for j, t in enumerate(b, 1):
            same = above[j - 1] + (0 if s == t else substitute)
            row.append(min(same, above[j] + delete, row[j - 1] + insert))
    return row[-1]


def osa(a, b):
    """Levenshtein plus swaps of neighbors, no part edited twice."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            best = min(
                rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                rows[i - 1][j] + 1,
                row[j - 1] + 1,
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, rows[i - 2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def jaro_similarity(a, b):
    """(m/|a| + m/|b| + (m - t)/m) / 3, with t = (matched out of order) // 2.

    Two characters match when equal and at most max(|a|, |b|) // 2 - 1 apart;
    each character of `a`, from the left, takes the first free one of `b`.
    """
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    reach = max(0, max(len(a), len(b)) // 2 - 1)
    free = [True] * len(b)
    matched = []
    for i, s in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if free[j] and b[j] == s:
                free[j] = False
                matched.append(s)
                break
    m = len(matched)
    if m == 0:
        return 0.0
    other = [t for t, is_free in zip(b, free) if not is_free]
    swaps = sum(s != t for s, t in zip(matched, other)) // 2
    return (m / len(a) + m / len(b) + (m - swaps) / m) / 3.0


def jaro_winkler_similarity(a, b):
    """Jaro; above 0.7 it gains 0.1 * (common prefix, at most 4) * (1 - Jaro)."""
    similarity = jaro_similarity(a, b)
    if similarity <= 0.7:
        return similarity
    prefix = 0
    while prefix < min(4, len(a), len(b)) and a[prefix] == b[prefix]:
        prefix += 1
    return similarity + 0.1 * prefix * (1.0 - similarity)


def global_alignment(a, b, score, gap):
    """Needleman-Wunsch score; each gap position costs `gap`, ends included."""
    row = [-gap * j for j in range(len(b) + 1)]
    for i, s in enumerate(a, 1):
        above, row = row, [-gap * i]
        for j, t in enumerate(b, 1):
            row.append(max(above[j - 1] + score(s, t), above[j] - gap, row[j - 1] - gap))
    return row[-1]


# --- series ------------------------------------------------------------------


def squared(p, q):
    return sum((u - v) ** 2 for u, v in zip(p, q))


def euclidean(p, q):
    return math.sqrt(squared(p, q))


def _grid(rows, columns):
    return [[math.inf] * columns for _ in range(rows)]


def dtw(x, y, allowed=lambda i, j: True):
    """Least sum of squared Euclidean step costs; no root. `allowed` takes i, j from 0."""
    d = _grid(len(x) + 1, len(y) + 1)
    d[0][0] = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            if allowed(i, j):
                d[i + 1][j + 1] = squared(x[i], y[j]) + min(d[i][j], d[i][j + 1], d[i + 1][j])
    return d[-1][-1]


def band(radius, rows, columns):
    """|i - j| <= radius, widened by the surplus length on the longer side."""
    below, above = max(0, rows - columns), max(0, columns - rows)
    return lambda i, j: i - below - radius <= j <= i + above + radius


def erp(x, y, g, border="prefix"):
    """Edit distance with real penalty; Euclidean costs, gap value g in each channel.

    border="prefix" is the textbook: D[i][0] = sum of |x_k - g| for k <= i.
    border="total" is aeon: D[i][0] = the sum over the whole of x, for every i >= 1.
    """
    gap_x = [euclidean(p, [g] * len(p)) for p in x]
    gap_y = [euclidean(q, [g] * len(q)) for q in y]
    d = _grid(len(x) + 1, len(y) + 1)
    d[0][0] = 0.0
    for i in range(1, len(x) + 1):
        d[i][0] = sum(gap_x) if border == "total" else sum(gap_x[:i])
    for j in range(1, len(y) + 1):
        d[0][j] = sum(gap_y) if border == "total" else sum(gap_y[:j])
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            d[i][j] = min(
                d[i - 1][j - 1] + euclidean(x[i - 1], y[j - 1]),
                d[i - 1][j] + gap_x[i - 1],
                d[i][j - 1] + gap_y[j - 1],
            )
    return d[-1][-1]


def msm(x, y, c):
    """Move-split-merge; each channel separately, then the sum over channels."""

    def cost(new, p, q):
        return c if min(p, q) <= new <= max(p, q) else c + min(abs(new - p), abs(new - q))

    def channel(u, v):
        d = _grid(len(u), len(v))
        for i in range(len(u)):
            for j in range(len(v)):
                if i == 0 and j == 0:
                    d[0][0] = abs(u[0] - v[0])
                    continue
                if i > 0 and j > 0:
                    d[i][j] = d[i - 1][j - 1] + abs(u[i] - v[j])
                if i > 0:
                    d[i][j] = min(d[i][j], d[i - 1][j] + cost(u[i], u[i - 1], v[j]))
                if j > 0:
                    d[i][j] = min(d[i][j], d[i][j - 1] + cost(v[j], u[i], v[j - 1]))
        return d[-1][-1]

    return sum(channel(u, v) for u, v in zip(zip(*x), zip(*y)))


def twe(x, y, nu, penalty):
    """Time warp edit distance; Euclidean costs; a step of zeros precedes each series."""
    zero = [0.0] * len(x[0])
    x, y = [zero, *x], [zero, *y]
    d = _grid(len(x), len(y))
    d[0][0] = 0.0
    for i in range(1, len(x)):
        for j in range(1, len(y)):
            d[i][j] = min(
                d[i - 1][j] + euclidean(x[i - 1], x[i]) + nu + penalty,
                d[i][j - 1] + euclidean(y[j - 1], y[j]) + nu + penalty,
                d[i - 1][j - 1]
                + euclidean(x[i], y[j])
                + euclidean(x[i - 1], y[j - 1])
                + 2 * nu * abs(i - j),
            )
    return d[-1][-1]


def soft_dtw(x, y, gamma):
    """DTW with min replaced by -gamma * log(sum(exp(-v / gamma))); may be negative."""
    d = _grid(len(x) + 1, len(y) + 1)
    d[0][0] = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            options = (d[i][j], d[i][j + 1], d[i + 1][j])
            least = min(options)
            total = sum(math.exp((least - v) / gamma) for v in options)
            d[i + 1][j + 1] = squared(x[i], y[j]) + least - gamma * math.log(total)
    return d[-1][-1]


# --- tables and histograms ---------------------------------------------------


def gower(rows, is_number, weights):
    """Upper triangle, row by row, of the Gower distances between rows.

    A number differs by |u - v| / (max - min) of its column (0 for a constant
    column), anything else by 0 or 1. A column where either value is None is excluded from both the weighted sum and
    the sum of weights; the range is taken over the values present. None when no column is left.
    """
    ranges = []
    for column, number in zip(zip(*rows), is_number):
        present = [v for v in column if v is not None]
        ranges.append(max(present) - min(present) if number else None)
    out = []
    for i, p in enumerate(rows):
        for q in rows[i + 1 :]:
            total = weight = 0.0
            for u, v, width, w in zip(p, q, ranges, weights):
                if u is None or v is None:
                    continue
                weight += w
                if width is None:
                    total += w * (u != v)
                elif width > 0:
                    total += w * abs(u - v) / width
            out.append(total / weight if weight > 0 else None)
    return out


def filled(rows, is_number):
    """The rows with typical values in place of None: the lower median of numbers, otherwise the most frequent value,
    ties going to the first."""
    usual = []
    for column, number in zip(zip(*rows), is_number):
        present = sorted(v for v in column if v is not None)
        if number:
            usual.append(present[(len(present) - 1) // 2])
        else:
            usual.append(max(sorted(set(present)), key=present.count))
    return [[u if v is None else v for v, u in zip(row, usual)] for row in rows]


def chi2(u, v):
    """Sum of (u - v)^2 / (u + v) over positions where u + v > 0; no factor 1/2."""
    return sum((p - q) ** 2 / (p + q) for p, q in zip(u, v) if p + q > 0)


def wasserstein(u, v):
    """Histograms scaled to sum 1 over positions 0..n-1: sum of |difference of cumulative sums|."""
    total = running = 0.0
    for p, q in zip(u, v):
        running += p / sum(u) - q / sum(v)
        total += abs(running)
    return total


def hamming(u, v):
    """Fraction of positions that differ."""
    return sum(p != q for p, q in zip(u, v)) / len(u)


def jaccard(u, v):
    """Positions that differ / positions where either is true; 0 if both are all false."""
    either = sum(p or q for p, q in zip(u, v))
    return sum(p != q for p, q in zip(u, v)) / either if either else 0.0
