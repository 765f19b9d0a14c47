"""The conventions of scikit-learn."""

import joblib
import numpy as np
import pytest
from conftest import block
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from eocc import Dissimilarity, EntropicOneClass


def expected_failures(estimator):
    if estimator.preset == "default":
        return {}
    reason = "the paper's classifier, left to the letter, lets a training sample that comes again vouch for itself"
    return {"check_outliers_fit_predict": reason, "check_outliers_train": reason}


@parametrize_with_checks(
    [EntropicOneClass(), EntropicOneClass(preset="paper"), EntropicOneClass("manhattan")],
    expected_failed_checks=expected_failures,
)
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("reject", [None, 0.01, 0.05, 0.5])
def test_the_sign_of_the_decision_is_the_prediction(preset, reject, nominal, fresh):
    model = EntropicOneClass(preset=preset, reject=reject).fit(nominal)
    both = np.vstack([nominal, fresh])
    decision = model.decision_function(both)
    assert np.array_equal(decision, model.score_samples(both) - model.offset_)
    assert np.array_equal(model.predict(both), np.where(decision < 0, -1, 1))
    differ = (decision >= 0) != model.decide(both).accepted
    # The paper's own rule does not depend on the score alone.
    assert (np.abs(decision[differ]) < 1e-6).all() and (reject is None and preset == "paper" or not differ.any())


def test_the_fraction_of_rejected_nominals_is_as_requested():
    rng = np.random.default_rng(0)
    model = EntropicOneClass(reject=0.1).fit(rng.normal(size=(500, 3)))
    share = np.mean(model.predict(rng.normal(size=(2000, 3))) == -1)
    # Four standard errors, for 500 training samples and 2000 test samples.
    assert 0.04 < share < 0.16
    assert 0.04 < np.mean(model.fit_predict(rng.normal(size=(500, 3))) == -1) < 0.16


def test_too_few_samples_to_reject_any_are_warned_of():
    rows = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.warns(UserWarning, match="with 10 samples no p-value is below"):
        model = EntropicOneClass(reject=0.05).fit(rows)
    assert model.offset_ == -np.inf
    assert (model.predict([[1e6, 1e6]]) == 1).all()


def test_precomputed_is_pairwise_and_gives_the_same_scores(nominal, fresh):
    assert get_tags(EntropicOneClass("precomputed")).input_tags.pairwise
    assert not get_tags(EntropicOneClass()).input_tags.pairwise
    model = EntropicOneClass(Dissimilarity("euclidean", scaling="none")).fit(nominal)
    given = EntropicOneClass("precomputed").fit(model.transform(nominal))
    assert np.array_equal(given.score_samples(model.transform(fresh)), model.score_samples(fresh))
    folds = KFold(4)
    matrix = euclidean_distances(nominal)
    assert cross_val_predict(EntropicOneClass("precomputed"), matrix, cv=folds).shape == (200,)


def test_grid_search_and_pipelines():
    rng = np.random.default_rng(0)
    rows, kind = make_blobs([150, 30], centers=[[0, 0], [6, 6]], random_state=1)
    y = np.where(kind == 0, 1, 0)
    order = rng.permutation(len(rows))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), EntropicOneClass()),
        {"entropiconeclass__metric": ["manhattan", block, Dissimilarity("minkowski", order=3)]},
        # Trained on nominals alone, tested on both.
        cv=[(order[:90][y[order[:90]] == 1], order[90:])],
        scoring=lambda model, X, y: roc_auc_score(y, model.score_samples(X)),
        error_score="raise",
    )
    search.fit(rows, y)
    assert search.best_score_ > 0.99


def test_clones_and_copies_are_the_same(nominal, fresh, tmp_path):
    model = EntropicOneClass(Dissimilarity("minkowski", order=3), reject=0.1, n_jobs=2).fit(nominal)
    again = clone(model)
    assert again.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        again.score_samples(fresh)
    joblib.dump(model, tmp_path / "model.joblib")
    assert np.array_equal(joblib.load(tmp_path / "model.joblib").score_samples(fresh), model.score_samples(fresh))


def test_seeds(nominal, fresh):
    def scores(random_state):
        model = EntropicOneClass(preset="paper", tau=0.0, evaluations=30, random_state=random_state, scoring="fast")
        return model.fit(nominal[:60]).score_samples(fresh)

    assert np.array_equal(scores(3), scores(3))
    assert not np.array_equal(scores(3), scores(4))
    assert np.array_equal(scores(np.random.RandomState(1)), scores(np.random.RandomState(1)))
    np.random.seed(5)
    first = scores(None)
    np.random.seed(5)
    assert np.array_equal(first, scores(None))


def test_the_number_of_threads_does_not_matter(nominal, fresh):
    models = [EntropicOneClass(preset=p, n_jobs=n) for p in ("default", "paper") for n in (None, 1, 2, -1)]
    scores = [m.fit(nominal[:80]).score_samples(fresh) for m in models]
    assert all(np.array_equal(s, scores[0]) for s in scores[:4])
    assert all(np.array_equal(s, scores[4]) for s in scores[4:])
    with joblib.parallel_config(n_jobs=2):
        assert np.array_equal(EntropicOneClass().fit(nominal[:80]).score_samples(fresh), scores[0])


def test_embeddings_go_into_pipelines(nominal, fresh):
    model = EntropicOneClass(preset="paper", search="none", prototypes=30).set_output(transform="pandas")
    embedded = model.fit(nominal).transform(fresh)
    assert embedded.shape == (50, 30)
    assert list(embedded.columns[:2]) == ["entropiconeclass0", "entropiconeclass1"]
