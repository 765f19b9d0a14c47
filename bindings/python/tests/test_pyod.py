"""The adapter passes what PyOD's own tests require of every detector."""

import warnings

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

pytest.importorskip("pyod")
from pyod.utils.data import generate_data  # noqa: E402

from eocc.pyod import EOCC  # noqa: E402


@pytest.fixture(scope="module")
def sets():
    return generate_data(n_train=200, n_test=100, contamination=0.1, random_state=42)


@pytest.fixture(scope="module")
def detector(sets):
    return EOCC(contamination=0.1).fit(sets[0])


def test_what_is_learned(detector, sets):
    train, _, y_train, _ = sets
    assert detector.decision_scores_.shape == (len(train),)
    assert detector.threshold_ == -detector.estimator_.offset_
    assert set(detector.labels_) == {0, 1} and detector.labels_.sum() == 20
    assert detector._mu is not None and detector._sigma is not None
    assert roc_auc_score(y_train, detector.decision_scores_) > 0.9


def test_scores_are_larger_for_anomalies(detector, sets):
    _, test, _, y_test = sets
    scores = detector.decision_function(test)
    assert scores.shape == (100,)
    assert roc_auc_score(y_test, scores) >= 0.8
    assert np.array_equal(scores, -detector.estimator_.score_samples(test))


def test_labels_and_probabilities(detector, sets):
    _, test, _, y_test = sets
    labels = detector.predict(test)
    assert labels.shape == y_test.shape
    assert np.array_equal(labels, (detector.decision_function(test) > detector.threshold_).astype(int))
    for method in ("linear", "unify"):
        probabilities = detector.predict_proba(test, method=method)
        assert probabilities.shape == (100, 2)
        assert probabilities.min() >= 0 and probabilities.max() <= 1
        assert np.allclose(probabilities.sum(axis=1), 1)
    with pytest.raises(ValueError):
        detector.predict_proba(test, method="something")


def test_confidence(detector, sets):
    _, test, _, y_test = sets
    for labels, confidence in (
        detector.predict(test, return_confidence=True),
        detector.predict_proba(test, return_confidence=True),
        (None, detector.predict_confidence(test)),
    ):
        assert confidence.shape == y_test.shape
        assert confidence.min() >= 0 and confidence.max() <= 1
    rejected = detector.predict_with_rejection(test)
    assert rejected.shape == y_test.shape
    _, (expected, bound, cost) = detector.predict_with_rejection(test, return_stats=True)
    assert 0 <= expected <= 1 and 0 <= bound <= 1 and cost >= 0


def test_ranks_keep_the_order(detector, sets):
    train, test, _, _ = sets
    scores = detector.decision_function(test)
    for normalized, largest in ((False, len(train)), (True, 1.0)):
        ranks = detector._predict_rank(test, normalized=normalized)
        assert np.allclose(rankdata(ranks), rankdata(scores), atol=2)
        assert ranks.min() >= 0 and ranks.max() <= largest


@pytest.mark.filterwarnings("ignore")
def test_fitting_and_predicting_at_once(detector, sets):
    train, test, y_train, y_test = sets
    fresh = clone(detector)
    assert fresh.get_params() == detector.get_params()
    assert fresh.fit_predict(train).shape == y_train.shape
    for scoring in ("roc_auc_score", "prc_n_score"):
        assert fresh.fit_predict_score(test, y_test, scoring=scoring) > 0.7
    with pytest.raises(NotImplementedError):
        fresh.fit_predict_score(test, y_test, scoring="something")


def test_training_data_may_hold_no_outliers(sets):
    rows = np.random.default_rng(0).normal(size=(150, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detector = EOCC(contamination=0.0).fit(rows, np.zeros(150, dtype=int))
    assert detector.labels_.sum() == 0
    assert detector.threshold_ == detector.decision_scores_.max()
    assert list(detector.predict(np.array([[0.0, 0.0], [50.0, 50.0]]))) == [0, 1]
    probabilities, confidence = detector.predict_proba(rows, return_confidence=True)
    assert probabilities.shape == (150, 2) and np.isfinite(confidence).all()
    assert clone(detector).contamination == 0.0


def test_what_pyod_refuses_is_refused():
    for bad in (-0.1, 0.6, 1.0):
        with pytest.raises(ValueError, match="contamination"):
            EOCC(contamination=bad)
    with pytest.raises(ValueError, match="infinity"):
        EOCC().fit(np.full((10, 2), np.inf))
    with pytest.raises(ValueError, match="NaN"):
        EOCC(metric="euclidean").fit(np.full((10, 2), np.nan))


def test_all_options_of_the_estimator_are_taken():
    import inspect

    from eocc import EntropicOneClass

    ours, theirs = (set(inspect.signature(c.__init__).parameters) for c in (EOCC, EntropicOneClass))
    assert ours == theirs


def test_frames_and_types_go_through():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"id": range(60), "x": rng.normal(size=60), "town": rng.choice(["Como", "Lugano"], size=60)})
    with pytest.warns(UserWarning, match="one column is not a feature: 'id'"):
        detector = EOCC(contamination=0.1, reject=0.01).fit(frame)
    assert detector.labels_.sum() == 6 and detector.estimator_.reject == 0.01
    assert [c.role for c in EOCC(types={"id": "ignore"}).fit(frame).estimator_.schema_] == ["ignored", "feature", "feature"]
