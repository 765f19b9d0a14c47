"""Writes testdata/golden/views.json: what scripts/research/views.py, the plain twin of the committee, says of small tables.

    python scripts/research/golden_views.py > testdata/golden/views.json
"""
import json
import sys

import numpy as np
import views
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
    if kind == 'wide':
        return np.round(rng.normal(size=(n, 30)), 3)
    raise ValueError(kind)


def case(rng, n, kind, contamination):
    train, test = table(rng, n, kind), table(rng, 12, kind)
    test[:4] += 5 * rng.normal(size=test[:4].shape).round(2)
    test[4] = train[1]
    model = views.fit(train, contamination)
    score, p = views.score(model, test)
    return dict(kind=kind, contamination=contamination, train=train.tolist(), test=test.tolist(),
                own=model['own'].tolist(), score=score.tolist(), p=p.tolist(),
                trimmed=sorted(set(range(n)) - set(model['kept'].tolist())))


def matrix_case(rng, n, contamination):
    train, test = rng.normal(size=(n, 3)).round(4), rng.normal(size=(10, 3)).round(4)
    test[:3] *= 4
    model = views.fit_matrix(cdist(train, train, 'cityblock'), contamination)
    score, p = views.score_matrix(model, cdist(test, train, 'cityblock'))
    return dict(kind='matrix', contamination=contamination, train=train.tolist(), test=test.tolist(),
                own=model['own'].tolist(), score=score.tolist(), p=p.tolist(),
                trimmed=sorted(set(range(n)) - set(model['kept'].tolist())))


rng = np.random.default_rng(15)
cases = [case(rng, n, kind, c) for n, kind, c in [
    (60, 'normal', None), (60, 'normal', 0.0), (60, 'normal', 0.05), (6, 'normal', None), (80, 'columns', None),
    (80, 'columns', 0.1), (90, 'duplicates', None), (30, 'wide', None), (600, 'normal', 0.02)]]
cases += [matrix_case(rng, 70, None), matrix_case(rng, 70, 0.05)]
json.dump(cases, sys.stdout)
