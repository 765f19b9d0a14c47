"""Bad input: the exception that scikit-learn users expect, with name and value."""

import numpy as np
import pandas
import pytest
from conftest import words
from sklearn.exceptions import NotFittedError

from eocc import Dissimilarity, EntropicOneClass, pairwise_dissimilarities

ROWS = np.random.default_rng(0).normal(size=(40, 3))


def fit(X=ROWS, **parameters):
    return EntropicOneClass(**parameters).fit(X)


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_numbers_that_are_not_finite(bad):
    rows = ROWS.copy()
    rows[5, 1] = bad
    with pytest.raises(ValueError, match="infinity"):
        fit(rows)
    with pytest.raises(ValueError, match="column 'b' of X, row 5: \"-?inf\" is infinite"):
        fit(pandas.DataFrame(rows, columns=["a", "b", "c"]))
    model = fit()
    with pytest.raises(ValueError, match="infinity"):
        model.predict(rows)
    with pytest.raises(ValueError, match="row 0, column 1: the value is"):
        model.predict(rows[5:6])


def test_words_in_numeric_tables():
    rows = ROWS.astype(object)
    rows[3, 0] = "four"
    with pytest.raises(ValueError, match="four"):
        fit(rows)
    with pytest.raises(ValueError, match="four"):
        fit(pandas.DataFrame(rows), metric="euclidean")
    with pytest.raises(ValueError, match="four"):
        fit().predict(rows)


def test_wrong_numbers_of_features():
    model = fit()
    for columns in (1, 2, 4):
        with pytest.raises(ValueError, match=f"X has {columns} features, but EntropicOneClass is expecting 3"):
            model.predict(np.zeros((1, columns)))
    with pytest.raises(ValueError, match="Expected 2D array|Reshape your data"):
        model.predict(np.zeros(3))


def test_unfitted_use():
    for name in ("predict", "score_samples", "decision_function", "membership", "p_value", "region", "transform"):
        with pytest.raises(NotFittedError):
            getattr(EntropicOneClass(), name)(ROWS)
    for use in (lambda m: m.explain(ROWS), lambda m: m.save("x.eocc"), lambda m: m.to_networkx(), lambda m: m.offset_):
        with pytest.raises(NotFittedError):
            use(EntropicOneClass())


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"metric": "euclidian"}, ValueError, "metric is `euclidian`, but must be"),
        ({"metric": 3}, TypeError, "metric is 3, but must be"),
        ({"preset": "best"}, ValueError, "preset is `best`, but must be default or paper"),
        ({"reject": 1.5}, ValueError, r"reject is 1.5, but must be a fraction in \(0, 1\)"),
        ({"reject": np.nan}, ValueError, "reject is `NaN`, but must be a fraction in"),
        ({"reject": "many"}, ValueError, "reject is `many`, but must be a fraction in"),
        ({"alpha": 2.0}, ValueError, r"alpha is 2, but must be in \(0, 1\)"),
        ({"percentile": 101}, ValueError, "percentile is 101, but must be"),
        ({"contamination": -1}, ValueError, "contamination is -1, but must be"),
        ({"contamination": 0.6}, ValueError, "contamination is 0.6, but must be a fraction in"),
        ({"prototypes": 5}, ValueError, "prototypes is given, but must be left out with the preset `default`"),
        ({"tau": -1}, ValueError, "tau is -1, but must be"),
        ({"evaluations": 0}, ValueError, "evaluations is 0, but must be at least 1"),
        ({"evaluations": -1}, (ValueError, OverflowError, TypeError), "evaluations"),
        ({"search": "blind"}, ValueError, "search is `blind`, but must be none or genetic"),
        ({"prototypes": 0}, ValueError, "prototypes is 0, but must be"),
        ({"prototypes": "some"}, ValueError, "prototypes is `some`, but must be"),
        ({"scoring": "slow"}, ValueError, "scoring is `slow`, but must be exact or fast"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"random_state": "seed"}, ValueError, "seed"),
        ({"n_jobs": 0}, ValueError, "n_jobs == 0"),
        ({"metric": Dissimilarity("minkowski", order="many")}, ValueError, "order is `many`, but must be a number"),
    ],
)
def test_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        fit(**parameters)


def raises(a, b):
    raise KeyError("broken")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("metric", "error", "message"),
    [
        (raises, KeyError, "broken"),
        (lambda a, b: np.nan, ValueError, "metric returned NaN, but must return a finite number of at least 0"),
        (lambda a, b: np.inf, ValueError, "metric returned inf"),
        (lambda a, b: -1.0, ValueError, "metric returned -1"),
        (lambda a, b: "far", TypeError, "metric returned 'far', but must return a number"),
        (lambda a, b: None, TypeError, "metric returned None"),
        (lambda a: 0.0, TypeError, "positional argument"),
    ],
)
def test_functions_that_fail(metric, error, message, n_jobs):
    with pytest.raises(error, match=message):
        fit(metric=metric, n_jobs=n_jobs)
    with pytest.raises(error, match=message):
        fit(words(), metric=metric, n_jobs=n_jobs)
    with pytest.raises(error, match=message):
        fit(metric=metric, preset="paper", prototypes="farthest:3", n_jobs=n_jobs)
    with pytest.raises(error, match=message):
        pairwise_dissimilarities(ROWS, metric=metric)


def test_a_function_that_fails_later(fresh):
    def metric(a, b):
        if a[0] > 90:
            raise OSError("no line")
        return float(np.abs(a - b).sum())

    model = fit(metric=metric)
    before = model.score_samples(ROWS)
    with pytest.raises(OSError, match="no line"):
        model.score_samples(ROWS + 100)
    with pytest.raises(OSError, match="no line"):
        model.explain(ROWS[:1] + 100)
    # A failure leaves nothing behind.
    assert np.array_equal(model.score_samples(ROWS), before)


def test_samples_of_the_wrong_kind():
    with pytest.raises(ValueError, match="X must be a sequence of strings for metric='levenshtein'"):
        fit(metric="levenshtein")
    with pytest.raises(ValueError, match=r"X must hold strings only.*X\[1\] is 3"):
        fit(["a", 3, "b"], metric="osa")
    with pytest.raises(ValueError, match="X must hold NetworkX graphs only"):
        fit([1, 2, 3], metric="ged")
    with pytest.raises(ValueError, match=r"X\[0\] must be a time series"):
        fit(["a", "b", "c"], metric="dtw")
    with pytest.raises(ValueError, match="the value is NaN|NaN, but must be finite"):
        fit([np.array([[1.0], [np.nan]])] * 5)
    with pytest.raises(ValueError, match="channels"):
        fit([np.zeros((4, 2)), np.zeros((4, 3)), np.zeros((4, 2))])
    model = fit(words())
    with pytest.raises(ValueError, match="sequence of strings"):
        model.predict(ROWS)
    with pytest.raises(ValueError, match="strings only"):
        model.predict([1, 2])
    with pytest.raises(ValueError, match="3 are needed|minimum of 3"):
        fit(["a", "b"])
    with pytest.raises((TypeError, ValueError)):
        fit("abc")


def test_matrices_of_dissimilarities():
    good = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    for change, message in [
        (lambda m: m[:4], "must be square"),
        (lambda m: m + np.triu(np.ones((5, 5)), 1), "not symmetric"),
        (lambda m: m + np.eye(5), "dissimilarity to itself must be 0"),
        (lambda m: -m, "Negative values in data"),
    ]:
        with pytest.raises(ValueError, match=message):
            fit(change(good), metric="precomputed")
    model = fit(good, metric="precomputed")
    with pytest.raises(ValueError, match="X has 4 features"):
        model.predict(good[:, :4])


def test_directed_costs_need_the_embedding_of_the_paper():
    uneven = Dissimilarity("levenshtein", insertion=1, deletion=2)
    with pytest.raises(ValueError, match="metric is levenshtein, but must be symmetric"):
        fit(words(), metric=uneven)
    assert np.isfinite(fit(words(), metric=uneven, preset="paper", search="none").score_samples(["abc"])).all()


def test_graphs_with_odd_attributes():
    networkx = pytest.importorskip("networkx")
    g = networkx.path_graph(3)
    g.nodes[0]["x"] = object()
    with pytest.raises(TypeError, match="the attribute `x` is"):
        fit([g] * 4)
    g.nodes[0]["x"] = float("nan")
    with pytest.raises(ValueError, match="must be finite"):
        fit([g] * 4)
    m = networkx.MultiGraph([(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="parallel edges"):
        fit([m] * 4)
