"""Writes testdata/golden/views.json: the results of parts_and_relations.py, the slow twin of the committee, for small
tables.

    python scripts/research/golden_views.py > testdata/golden/views.json
"""
import json
import sys

import numpy as np
import parts_and_relations as twin
from scipy.spatial.distance import cdist


def table(rng, n, kind):
    if kind == 'normal':
        return np.round(rng.normal(size=(n, 4)), 4)
    if kind == 'columns':                               # two values, constant, counts, heavy tail, large unit, ties
        x = [rng.integers(0, 2, n), np.full(n, 7.0), rng.poisson(2, n), np.round(rng.standard_t(1.5, n), 3),
             np.round(1e6 * rng.normal(size=n)), rng.integers(0, 4, n) / 4]
        return np.array(x, float).T
    if kind == 'duplicates':
        return np.round(rng.normal(size=(n, 2)), 0)
    if kind == 'clump':                                 # one in twenty far out
        far = np.where(np.arange(n) % 20 == 7, 6.0, 0.0)[:, None]
        return np.round(rng.normal(size=(n, 5)) + far, 4)
    if kind == 'wide':
        return np.round(rng.normal(size=(n, 30)), 3)
    if kind == 'wider':                                 # enough for directions; a common factor, constant and binary columns
        x = rng.normal(size=(n, 72)) * np.exp(rng.normal(size=(n, 1)) / 2)
        x[:, 3], x[:, 4] = 2.0, rng.integers(0, 2, n)
        return np.round(x, 2)
    raise ValueError(kind)


def case(rng, n, kind, contamination):
    train, test = table(rng, n, kind), table(rng, 12, kind)
    test[:4] += 5 * rng.normal(size=test[:4].shape).round(2)
    test[4] = train[1]
    model = twin.fit(train, contamination, names=[f'x{f}' for f in range(train.shape[1])])
    score, p = twin.score(model, test)
    return dict(kind=kind, contamination=contamination, train=train.tolist(), test=test.tolist(),
                own=model['own'].tolist(), score=score.tolist(), p=p.tolist(),
                trimmed=sorted(set(range(n)) - set(model['kept'].tolist())))


def fit_matrix(D, contamination):
    """The committee of one view, which learns nothing."""
    D, n = D.copy(), len(D)
    np.fill_diagonal(D, np.inf)
    kept = twin.choose_kept([D], n, contamination)
    ring, few = int(min(twin.RING, np.ceil(np.sqrt(len(kept))), len(kept) - 1)), 5 if contamination else 2
    number = np.full(n, -1)
    number[kept] = np.arange(len(kept))
    scale, unit = twin.learn_scale(twin.nearest(D[np.ix_(kept, kept)], ring)[0])
    d, j = twin.among(D, kept, max(ring, few) + 1)
    own = twin.three_scores(d, number[j], scale, unit, ring, few)
    references, tails, _ = twin.tails_of(own, own, kept)
    odd = np.sqrt((tails ** 2).mean(0))
    return dict(kept=kept, ring=ring, few=few, scale=scale, unit=unit, references=references, own=odd, calibration=np.sort(odd))


def score_matrix(model, D):
    d, j = twin.nearest(D[:, model['kept']], max(model['ring'], model['few']))
    scores = twin.three_scores(d, j, model['scale'], model['unit'], model['ring'], model['few'])
    tails = np.array([twin.tail(r, s) for r, s in zip(model['references'], scores)])
    odd = np.sqrt((tails ** 2).mean(0))
    return odd, twin.p_values(model, odd)


def matrix_case(rng, n, contamination):
    train, test = rng.normal(size=(n, 3)).round(4), rng.normal(size=(10, 3)).round(4)
    test[:3] *= 4
    model = fit_matrix(cdist(train, train, 'cityblock'), contamination)
    score, p = score_matrix(model, cdist(test, train, 'cityblock'))
    return dict(kind='matrix', contamination=contamination, train=train.tolist(), test=test.tolist(),
                own=model['own'].tolist(), score=score.tolist(), p=p.tolist(),
                trimmed=sorted(set(range(n)) - set(model['kept'].tolist())))


rng = np.random.default_rng(15)
cases = [case(rng, n, kind, c) for n, kind, c in [
    (60, 'normal', None), (60, 'normal', 0.0), (60, 'normal', 0.05), (6, 'normal', None), (80, 'columns', None),
    (80, 'columns', 0.1), (90, 'duplicates', None), (30, 'wide', None), (600, 'normal', 0.02),
    (300, 'clump', None), (90, 'wider', None), (40, 'wider', 0.05)]]
cases += [matrix_case(rng, 70, None), matrix_case(rng, 70, 0.05)]
json.dump(cases, sys.stdout)
