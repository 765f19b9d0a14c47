"""What a fitted model offers beyond scikit-learn."""

import networkx
import numpy as np
import pytest
from conftest import words

import eocc
from eocc import Decisions, EntropicOneClass


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_all_answers_belong_together(preset, nominal, fresh):
    model = EntropicOneClass(preset=preset, search="none").fit(nominal)
    answer = model.decide(fresh)
    assert isinstance(answer, Decisions)
    assert np.array_equal(answer.score, model.score_samples(fresh))
    assert np.array_equal(answer.membership, model.membership(fresh))
    assert np.array_equal(answer.p_value, model.p_value(fresh))
    assert np.array_equal(answer.region, model.region(fresh))
    assert ((answer.membership >= 0) & (answer.membership <= 1)).all()
    assert ((answer.p_value > 0) & (answer.p_value <= 1)).all()
    assert (answer.region < len(model.regions_)).all()
    # A single row, which takes a faster path.
    for i in range(5):
        assert model.score_samples(fresh[i : i + 1])[0] == answer.score[i]


def test_regions_cover_all_samples_and_two_clouds_are_two():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + [20, 0]])
    model = EntropicOneClass(preset="paper").fit(rows)
    assert [len(r) for r in model.regions_] == [60, 40]
    assert np.array_equal(np.sort(np.concatenate(model.regions_)), np.arange(100))
    assert list(model.region([[0.0, 0.0], [20.0, 0.0]])) == [0, 1]
    assert 0 < model.eta_ <= 1 and model.k_ >= 1


def test_the_graph(nominal):
    model = EntropicOneClass().fit(nominal)
    graph = model.graph_
    assert graph.shape == (200, 200) and graph.nnz == 200 * model.k_
    assert (np.diff(graph.indptr) == model.k_).all()
    as_networkx = model.to_networkx()
    assert as_networkx.number_of_nodes() == 200
    # Trimmed samples have no edges.
    assert len(model.trimmed_) == 4 and list(networkx.isolates(as_networkx)) == list(model.trimmed_)
    assert networkx.number_connected_components(as_networkx) == len(model.regions_) + 4
    views = {"robust": 1.0, "rank": 1.0, "half-way": 1.0, "subsets of columns": 1.0, "relations": 1 / 3}
    assert model.views_ == pytest.approx(views)
    a, b, own = next(iter(as_networkx.edges(data=True)))
    assert own["length"] in (graph[a, b], graph[b, a])
    assert {"region", "membership"} <= set(as_networkx.nodes[0])


def test_explanations(nominal):
    model = EntropicOneClass().fit(nominal)
    odd = nominal[7].copy()
    odd[2] += 50.0
    near, far = model.explain([nominal[7], odd], n_nearest=3)
    assert 7 not in near.nearest and near.dissimilarity[0] > 0  # a training sample is not its own neighbor
    assert len(near.nearest) == 3 and (np.diff(near.dissimilarity) >= 0).all()
    assert list(far.shares) == ["x0", "x1", "x2", "x3"]
    assert far.shares["x2"] > 0.9 and sum(far.shares.values()) == pytest.approx(1)
    assert model.explain([odd])[0].region == model.region([odd])[0]
    texts = EntropicOneClass().fit(words()).explain(["abcd"])[0]
    assert list(texts.shares)[:3] == ["whole string", "letter sequences", "length"] and len(texts.nearest) == 5
    assert sum(texts.shares.values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="n_nearest is 0"):
        model.explain([odd], n_nearest=0)


def test_the_embedding_is_the_dissimilarity_to_the_prototypes(nominal, fresh):
    model = EntropicOneClass(eocc.Dissimilarity("manhattan", scaling="none")).fit(nominal)
    embedded = model.transform(fresh)
    expected = eocc.pairwise_dissimilarities(fresh, nominal, metric="manhattan")
    assert np.allclose(embedded, expected, rtol=1e-14)
    assert np.allclose(expected[0, 0], np.abs(fresh[0] - nominal[0]).sum())


def test_weights_are_searched(nominal):
    model = EntropicOneClass(preset="paper", tau=0.0, evaluations=25).fit(nominal[:50])
    assert list(model.weights_) == ["x0", "x1", "x2", "x3"]
    assert any(w < 1 for w in model.weights_.values())


def test_what_is_not_fitted_says_so():
    model = EntropicOneClass()
    for name in ("offset_", "graph_", "weights_", "k_", "regions_", "eta_", "training_scores_"):
        assert not hasattr(model, name)


def test_contamination_sets_the_threshold_and_trims(nominal):
    outliers = np.random.default_rng(1).uniform(8, 12, size=(10, nominal.shape[1]))
    mixed = np.vstack([nominal, outliers])
    told = EntropicOneClass(contamination=10 / 210).fit(mixed)
    assert set(range(200, 210)) <= set(told.trimmed_.tolist()) and len(told.trimmed_) == 20
    assert np.flatnonzero(told.predict(mixed) == -1).tolist() == list(range(200, 210))
    assert (told.decide(mixed).accepted == (told.predict(mixed) == 1)).all()
    # Another threshold, and trust in all samples.
    assert (EntropicOneClass(contamination=0.05, reject=0.2).fit(mixed).predict(mixed) == -1).sum() > 30
    assert len(EntropicOneClass(contamination=0).fit(mixed).trimmed_) == 0


def test_frames_keep_their_index():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"], index=[f"r{i}" for i in range(60)])
    model = EntropicOneClass().fit(frame)
    decided = model.decide(frame.iloc[5:9], as_frame=True)
    assert list(decided.index) == ["r5", "r6", "r7", "r8"] and list(decided.columns) == list(Decisions._fields)
    assert np.array_equal(decided["score"], model.score_samples(frame.iloc[5:9]))
    explained = model.explain(frame.iloc[5:7], n_nearest=2, as_frame=True)
    assert list(explained.index) == ["r5", "r6"]
    assert list(explained.columns) == [
        *("region", "nearest_1", "dissimilarity_1", "nearest_2", "dissimilarity_2", "share_a", "share_b")
    ]
    # By label, and never the sample itself.
    assert set(explained.filter(like="nearest").to_numpy().ravel()) <= set(frame.index)
    for label, row in explained.iterrows():
        assert label not in (row["nearest_1"], row["nearest_2"])
    assert model.explain(frame.iloc[:1])[0].nearest[0] in frame.index
    plain = EntropicOneClass().fit(frame.to_numpy())
    assert list(plain.decide(frame.to_numpy()[:3], as_frame=True).index) == [0, 1, 2]
    assert plain.explain(frame.to_numpy()[:1])[0].nearest.dtype.kind == "i"


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_training_sample_does_not_explain_itself(preset, nominal):
    model = EntropicOneClass(preset=preset, search="none").fit(nominal)
    for i, found in enumerate(model.explain(nominal[:20], n_nearest=3)):
        assert i not in found.nearest and len(found.nearest) == 3
