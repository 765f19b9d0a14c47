"""Metrics: by name, with settings, precomputed, and functions."""

import pickle

import numpy as np
import pytest
from conftest import block, lengths, words

import eocc
from eocc import Dissimilarity, EntropicOneClass


@pytest.mark.parametrize("name", eocc.metrics()["vectors"])
def test_every_metric_of_vectors(name):
    rows = np.abs(np.random.default_rng(0).normal(size=(60, 4)))
    model = EntropicOneClass(name).fit(rows)
    assert np.isfinite(model.score_samples(rows)).all()
    assert sum(model.explain(rows[:1] + 1)[0].shares.values()) == pytest.approx(1)
    assert name in repr(Dissimilarity(name))


def test_settings_reach_the_library(nominal, fresh):
    second = EntropicOneClass(Dissimilarity("minkowski", order=2, scaling="robust")).fit(nominal)
    usual = EntropicOneClass("euclidean").fit(nominal)
    assert np.allclose(second.score_samples(fresh), usual.score_samples(fresh))
    with pytest.raises(ValueError, match="order is `0.5`|order is 0.5"):
        EntropicOneClass(Dissimilarity("minkowski", order=0.5)).fit(nominal)
    with pytest.raises(ValueError, match="setting is `color`, but must be `scaling` for `euclidean`"):
        EntropicOneClass(Dissimilarity("euclidean", color="red")).fit(nominal)


def test_dissimilarities_are_values():
    one, same, other = (Dissimilarity("dtw", band=0.1), Dissimilarity("dtw", band=0.1), Dissimilarity("dtw"))
    assert one == same and hash(one) == hash(same) and one != other
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "Dissimilarity('dtw', band=0.1)"
    with pytest.raises(ValueError, match="metric is `dwt`, but must be one of euclidean"):
        Dissimilarity("dwt")


def test_a_function_is_as_good_as_the_name(nominal, fresh):
    own = EntropicOneClass(block).fit(nominal)
    named = EntropicOneClass(Dissimilarity("manhattan", scaling="none")).fit(nominal)
    assert np.allclose(own.score_samples(fresh), named.score_samples(fresh))
    again = pickle.loads(pickle.dumps(own))
    assert np.array_equal(again.score_samples(fresh), own.score_samples(fresh))
    paper = EntropicOneClass(block, preset="paper", prototypes=20, n_jobs=2).fit(nominal)
    assert paper.transform(fresh).shape == (50, 20)


def test_functions_of_strings_and_of_anything():
    texts = words()
    model = EntropicOneClass(lengths).fit(texts)
    assert model.score_samples(["abcdef"]) > model.score_samples(["a" * 30])

    class Song:
        def __init__(self, seconds):
            self.seconds = seconds

        def __reduce__(self):
            return dict, ()

    songs = [Song(s) for s in np.random.default_rng(0).normal(200, 20, size=60)]
    model = EntropicOneClass(lambda a, b: abs(a.seconds - b.seconds)).fit(songs)
    assert list(model.predict([Song(200), Song(900)])) == [1, -1]
    tuples = [(float(i), "x") for i in range(30)]
    model = EntropicOneClass(first_part).fit(tuples)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.score_samples(tuples), model.score_samples(tuples))


def first_part(a, b):
    return abs(a[0] - b[0])


def test_matrices_by_themselves():
    assert eocc.pairwise_dissimilarities(["ab", "cd"], metric="levenshtein").tolist() == [[0, 1], [1, 0]]
    rows = np.random.default_rng(0).normal(size=(10, 3))
    whole = eocc.pairwise_dissimilarities(rows, metric="euclidean")
    assert np.allclose(whole, np.sqrt(((rows[:, None] - rows) ** 2).sum(-1)))
    assert np.array_equal(eocc.pairwise_dissimilarities(rows, rows[:4], metric="euclidean", n_jobs=2), whole[:, :4])
    assert eocc.pairwise_dissimilarities(rows, rows[:4], metric=block).shape == (10, 4)


def test_names_of_scikit_learn(nominal):
    def scores(metric):
        return EntropicOneClass(metric).fit(nominal).score_samples(nominal)

    for alias, name in {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}.items():
        assert np.array_equal(scores(alias), scores(name))
        assert Dissimilarity(alias).name == name
    for name in ("euclidean", "manhattan", "cosine", "chebyshev", "minkowski", "hamming", "jaccard"):
        assert name in eocc.metrics()["vectors"]
    for metric, hint in {
        "euclidian": "did you mean 'euclidean'",
        "nan_euclidean": "take missing values",
        "canberra": "give the function scipy.spatial.distance.canberra",
    }.items():
        with pytest.raises(ValueError, match=hint):
            scores(metric)
    with pytest.raises(ValueError, match="did you mean 'levenshtein'"):
        Dissimilarity("levenstein")
