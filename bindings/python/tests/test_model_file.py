"""Model files, pickles and copies."""

import copy
import pickle

import numpy as np
import pytest
from conftest import block, graphs, lengths, series, words
from sklearn.base import clone

from eocc import Dissimilarity, EntropicOneClass, EoccError


@pytest.mark.parametrize(
    ("model", "samples"),
    [
        (EntropicOneClass(reject=0.2), np.random.default_rng(0).normal(size=(50, 3))),
        (EntropicOneClass(preset="paper", prototypes=9), np.random.default_rng(0).normal(size=(50, 3))),
        (EntropicOneClass(), words()),
        (EntropicOneClass(Dissimilarity("msm", cost=0.5)), series()),
        (EntropicOneClass(), graphs()),
    ],
)
def test_save_load_pickle_and_copy(model, samples, tmp_path):
    scores = model.fit(samples).score_samples(samples)
    model.save(tmp_path / "model.eocc")
    loaded = EntropicOneClass.load(str(tmp_path / "model.eocc"))
    for again in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(again.score_samples(samples), scores)
        assert again._model.to_bytes() == (tmp_path / "model.eocc").read_bytes()
    # The pickle is hardly larger than the file.
    assert len(pickle.dumps(model)) < (tmp_path / "model.eocc").stat().st_size + 3000


def test_a_function_is_given_again(nominal, fresh, tmp_path):
    model = EntropicOneClass(block).fit(nominal)
    model.save(tmp_path / "own.eocc")
    with pytest.raises(EoccError, match="to load it, pass that function"):
        EntropicOneClass.load(tmp_path / "own.eocc")
    again = EntropicOneClass.load(tmp_path / "own.eocc", metric=block)
    assert np.array_equal(again.score_samples(fresh), model.score_samples(fresh))
    EntropicOneClass().fit(nominal).save(tmp_path / "named.eocc")
    with pytest.raises(ValueError, match="metric is given, but must be left out"):
        EntropicOneClass.load(tmp_path / "named.eocc", metric=block)
    texts = EntropicOneClass(lengths).fit(words())
    texts.save(tmp_path / "texts.eocc")
    again = EntropicOneClass.load(tmp_path / "texts.eocc", metric=lengths)
    assert np.array_equal(again.score_samples(["a"]), texts.score_samples(["a"]))
    objects = EntropicOneClass(lambda a, b: abs(a["x"] - b["x"])).fit([{"x": i} for i in range(20)])
    with pytest.raises(TypeError, match="pickle the estimator"):
        objects.save(tmp_path / "objects.eocc")


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(FileNotFoundError):
        EntropicOneClass.load(tmp_path / "nothing.eocc")
    (tmp_path / "text.eocc").write_text("hello, world, this is no model")
    with pytest.raises(EoccError, match="this is not an eocc model file"):
        EntropicOneClass.load(tmp_path / "text.eocc")
    EntropicOneClass().fit(np.eye(5)).save(tmp_path / "model.eocc")
    damaged = bytearray((tmp_path / "model.eocc").read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "model.eocc").write_bytes(damaged)
    with pytest.raises(EoccError, match="damaged"):
        EntropicOneClass.load(tmp_path / "model.eocc")
    assert issubclass(EoccError, ValueError)
    with pytest.raises(OSError):
        EntropicOneClass().fit(np.eye(5)).save(tmp_path / "no" / "folder.eocc")


def test_loaded_names_are_checked(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    EntropicOneClass().fit(frame).save(tmp_path / "model.eocc")
    model = EntropicOneClass.load(tmp_path / "model.eocc")
    assert list(model.feature_names_in_) == ["a", "b"] and model.n_features_in_ == 2
    with pytest.warns(UserWarning, match="left out: 'c'"), pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "c"}))
    # A file does not record which columns were not features: columns unknown to the model are left out, as in the
    # program.
    with pytest.warns(UserWarning, match="not features of the model, left out: 'id'") as caught:
        more = model.score_samples(frame.assign(id=range(40)))
    assert caught[0].filename == __file__ and np.array_equal(more, model.score_samples(frame))


@pytest.mark.parametrize(
    ("metric", "samples"),
    [
        (Dissimilarity("minkowski", order=1.5, scaling="range"), np.random.default_rng(0).normal(size=(50, 3))),
        (Dissimilarity("euclidean", scaling="none"), np.random.default_rng(0).normal(size=(50, 3))),
        (Dissimilarity("mahalanobis", shrinkage=0.4), np.random.default_rng(0).normal(size=(50, 3))),
        (Dissimilarity("cosine", scaling="standard"), np.random.default_rng(0).normal(size=(50, 3))),
        (Dissimilarity("views", only="rank"), np.random.default_rng(0).normal(size=(50, 3))),
        (Dissimilarity("levenshtein", substitution=2, unit="bytes"), words()),
        (Dissimilarity("osa", normalize=False), words()),
        (Dissimilarity("jaro-winkler", prefix=0.2), words()),
        (Dissimilarity("alignment", gap=10), [w.upper() for w in words()]),
        (Dissimilarity("dtw", band=0.1, local="squared"), series()),
        (Dissimilarity("erp", gap=1.5, edge="whole"), series()),
        (Dissimilarity("twe", stiffness=0.01), series()),
        (Dissimilarity("ged", method="bipartite", **{"vertex.charge": "ignore"}), graphs(20)),
    ],
    ids=lambda value: repr(value) if isinstance(value, Dissimilarity) else "",
)
def test_a_loaded_model_remembers_the_settings_of_its_metric(metric, samples, tmp_path):
    model = EntropicOneClass(metric).fit(samples)
    model.save(tmp_path / "model.eocc")
    loaded = EntropicOneClass.load(tmp_path / "model.eocc")
    assert loaded.metric == metric
    for again in (clone(loaded), clone(pickle.loads(pickle.dumps(loaded))), clone(pickle.loads(pickle.dumps(model)))):
        assert np.array_equal(again.fit(samples).score_samples(samples), model.score_samples(samples))
    # Defaults are omitted.
    EntropicOneClass(metric.name).fit(samples).save(tmp_path / "model.eocc")
    assert EntropicOneClass.load(tmp_path / "model.eocc").metric == ("auto" if metric.name == "views" else metric.name)


def test_a_loaded_model_of_records_remembers_the_settings_of_its_parts(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": words(50), "x": np.random.default_rng(0).normal(size=50)})
    model = EntropicOneClass(Dissimilarity("combined", **{"text.dissimilarity": "osa", "text.normalize": False})).fit(frame)
    model.save(tmp_path / "model.eocc")
    again = clone(EntropicOneClass.load(tmp_path / "model.eocc"))
    assert np.array_equal(again.fit(frame).score_samples(frame), model.score_samples(frame))


def test_a_matrix_of_substitutions_goes_with_the_model(tmp_path):
    (tmp_path / "own.txt").write_text("A B C D\n" + "\n".join(f"{x} " + " ".join("5" if x == y else "-3" for y in "ABCD") for x in "ABCD"))
    texts = [w.upper() for w in words()]
    model = EntropicOneClass(Dissimilarity("alignment", matrix=tmp_path / "own.txt")).fit(texts)
    model.save(tmp_path / "model.eocc")
    loaded = EntropicOneClass.load(tmp_path / "model.eocc")
    (tmp_path / "own.txt").unlink()
    assert np.array_equal(clone(loaded).fit(texts).score_samples(texts), model.score_samples(texts))
