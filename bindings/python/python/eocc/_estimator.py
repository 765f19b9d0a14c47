"""The estimator."""

import os
import warnings
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, OutlierMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, check_non_negative, validate_data

from . import _eocc, _samples, _tables
from ._decisions import Decisions, Explanation
from ._metric import MIXED, PRECOMPUTED, RECORDS, TABLE, VECTORS, Metric, MetricFunction, for_library, kind_of
from ._progress import Bar

#: Fewest samples to learn from.
FEWEST = 3
#: The largest seed that is drawn.
SEEDS = np.iinfo(np.int32).max


class EntropicOneClass(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """One-class classifier based on entropic spanning graphs (EOCC-MI of Livi and Alippi, 2017).

    Learns from nominal samples alone. Larger scores are more nominal, as in scikit-learn.

    Parameters
    ----------
    metric : {"auto", "precomputed"}, name, Dissimilarity or callable, default="auto"
        What samples are compared by. "auto" goes by their type: vectors and mixed tables "views"
        ("euclidean" and "gower" with preset="paper"), strings "levenshtein", time series "dtw", graphs "ged". :func:`eocc.metrics` lists the
        names, a :class:`~eocc.Dissimilarity` has settings too. A function is called with two samples and must return
        a finite number of at least 0, the same both ways.
    preset : {"default", "paper"}, default="default"
        "default" is the best classifier we know how to build from the paper's ideas; "paper" is the paper to the letter.
    reject : float in (0, 1), default=None
        The share of nominal samples that may be rejected. None: 0.05, or the paper's own rule with preset="paper".
    contamination : float in [0, 0.5], default=None
        The share of outliers expected among the training samples. As many of them are predicted to be outliers, as in
        scikit-learn, unless `reject` is given; and twice as many, those that lie farthest out, count as nobody's neighbour
        (`trimmed_`), so that outliers do not vouch for each other. 0 trusts all; None leaves out 2 %. With preset="paper" none
        are left out.
    prototypes : {"all", "direct"}, int or "farthest:N", default=None
        With preset="paper", the samples that everything is compared with: all, so many at random, so many far from each
        other, or none: "direct" builds the graph on the dissimilarity itself, as preset="default" does.
    search : {"none", "genetic", "differential", "cma"}, default=None
        The search over the parameters of the metric. None: what the preset has.
    evaluations : int, default=None
        Most evaluations of the search.
    tau : float, default=None
        The objective at which the search stops.
    alpha : float in (0, 1), default=None
        The order of the entropy.
    percentile : float in [0, 100], default=None
        The percentile of the differences of closeness (preset="default": of the scores) at which membership is exp(-1/2).
    scoring : {"fast", "exact"}, default=None
        Whether new samples are joined to the graph ("exact") or it stays as trained. None: what the preset has.
    random_state : int, RandomState instance or None, default=0
        Seed of the search and of random prototypes. The same integer gives the same model, as the program's ``--seed``.
    n_jobs : int, default=None
        Number of threads; None is 1 unless in a ``joblib.parallel_config`` context, -1 is all processors. The model does
        not depend on it.
    verbose : bool, default=False
        Whether to show a tqdm bar.

    Attributes
    ----------
    offset_ : float
        ``decision_function = score_samples - offset_``. Minus infinity if the training samples are too few for any
        to be rejected at `reject`.
    graph_ : scipy.sparse.csr_array of shape (n_samples, n_samples)
        The graph: row i holds the lengths to the `k_` nearest neighbours of training sample i, none of them trimmed.
    weights_ : dict of str to float
        Parameters of the metric by name: the weight of each feature, for vectors.
    k_ : int
        Number of neighbours in the graph.
    regions_ : list of ndarray of int
        The training samples of each region, largest region first.
    trimmed_ : ndarray of int
        The training samples that count as nobody's neighbour, since they lie far out; none with preset="paper".
    views_ : dict of str to float
        The views of the data whose scores are added, and their weights; none with preset="paper".
    eta_ : float
        The objective, 1 / (1 + Jensen difference) of the regions.
    training_scores_ : ndarray of shape (n_samples,)
        The score of each training sample as if it were new.
    n_features_in_ : int
        Number of features, where samples have a fixed number.
    feature_names_in_ : ndarray of str
        Their names, where they have any.

    See Also
    --------
    eocc.pyod.EOCC : the same with the conventions of PyOD.

    References
    ----------
    L. Livi, C. Alippi, "One-Class Classifiers Based on Entropic Spanning Graphs", IEEE TNNLS 28(12), 2017.

    Examples
    --------
    >>> import keyword
    >>> from eocc import EntropicOneClass
    >>> model = EntropicOneClass().fit(keyword.kwlist)
    >>> model.predict(["whilst", "x = [1, 2, 3, 4]"])
    array([ 1, -1])
    """

    _model: _eocc.Model

    def __init__(
        self,
        metric: Metric = "auto",
        *,
        preset: str = "default",
        reject: float | None = None,
        contamination: float | None = None,
        prototypes: str | int | None = None,
        search: str | None = None,
        evaluations: int | None = None,
        tau: float | None = None,
        alpha: float | None = None,
        percentile: float | None = None,
        scoring: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.metric = metric
        self.preset = preset
        self.reject = reject
        self.contamination = contamination
        self.prototypes = prototypes
        self.search = search
        self.evaluations = evaluations
        self.tau = tau
        self.alpha = alpha
        self.percentile = percentile
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- fitting

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from nominal samples.

        Parameters
        ----------
        X : array-like, data frame or sequence of samples
            Rows of numbers; strings; time series (arrays of time x channels); NetworkX graphs; rows of a mixed table;
            a square matrix if metric="precomputed"; anything, if metric is a function.
        y : ignored

        Returns
        -------
        self
        """
        return self._fit(X, None)

    def _fit(self, X: Any, external: Any) -> Self:
        """`external` is given the samples and returns what computes matrices of dissimilarities."""
        samples = self._samples(X, reset=True)
        metric, settings = for_library(self.metric)
        with Bar(self.verbose) as bar:
            model = _eocc.Model.fit(
                samples,
                metric,
                settings,
                self._library_params(),
                threads=self._threads(),
                progress=bar.callback,
                external=external and external(samples),
            )
        for warning in model.warnings:
            warnings.warn(warning, UserWarning, stacklevel=3)
        self._model = model
        return self

    def _library_params(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "reject": self.reject,
            "contamination": self.contamination,
            "search": self.search,
            "evaluations": self.evaluations,
            "tau": self.tau,
            "alpha": self.alpha,
            "percentile": self.percentile,
            "prototypes": None if self.prototypes is None else str(self.prototypes),
            "scoring": self.scoring,
            "seed": self._seed(),
        }

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ValueError(f"random_state is {self.random_state}, but must not be negative")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(SEEDS))

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _samples(self, X: Any, *, reset: bool) -> Any:
        """X as the library takes it, checked by scikit-learn where it is a table of numbers."""
        X = _tables.whole(X)
        if reset and _tables.is_table(X):
            self._warn_of_keys(_tables.keys(X))
        kind = _samples.look(X, self.metric) if reset else self._model.kind
        if kind == TABLE:
            samples = _eocc.Samples.of_columns(_tables.columns(X), False)
            if samples.kind != VECTORS:
                self._check_columns(X, reset=True, is_table=samples.kind in (MIXED, RECORDS))
                return samples
            kind = VECTORS
        if kind in (VECTORS, PRECOMPUTED):
            values, names = self._numbers(X, reset=reset)
            if kind == PRECOMPUTED:
                check_non_negative(values, f"{type(self).__name__} with metric='precomputed'")
                return _eocc.Samples.precomputed(values, reset)
            return _eocc.Samples.vectors(values, names) if reset else values
        if kind in (MIXED, RECORDS):
            self._check_columns(X, reset=reset)
            columns = _tables.columns(X)
            if reset:
                return _eocc.Samples.of_columns(columns, kind == MIXED)
            return self._model.samples_of_columns(columns)
        if reset:
            self._check_columns(X, reset=True, is_table=False)
        return _samples.special(X, self.metric, kind)

    @staticmethod
    def _warn_of_keys(names: list[str]) -> None:
        for name in names:
            text = (
                f"the values of column {name!r} only rise, as running numbers and times do, and it is used as a feature: "
                "new samples lie beyond all of it; drop the column if it names the samples"
            )
            warnings.warn(text, UserWarning, stacklevel=5)

    def _numbers(self, X: Any, *, reset: bool) -> tuple[NDArray[np.float64], list[str]]:
        least = FEWEST if reset else 1
        if _tables.is_table(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            X, names = _tables.numbers(X)
            # The names are checked: what is left are the numbers.
            values = check_array(
                X, dtype=np.float64, order="C", ensure_min_samples=least, estimator=self, input_name="X"
            )
            return _samples.aligned(values), names
        values = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_min_samples=least)
        return _samples.aligned(values), []

    def _check_columns(self, X: Any, *, reset: bool, is_table: bool = True) -> None:
        """Names and number of the columns; samples that are not rows of a table have none."""
        if not is_table:
            for name in ("n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            return
        if _tables.is_table(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = _tables.names(X)
        if reset:
            self.n_features_in_ = len(names)
        elif len(names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )

    # -- answers

    def _answer(self, X: Any) -> Decisions:
        # Rows that are as the library wants them go straight through: one row costs microseconds.
        model = self.__dict__.get("_model")
        if (
            model is not None
            and type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.flags.c_contiguous
            and X.flags.aligned
            and X.shape[0] == 1
            and X.shape[1] == self.__dict__.get("n_features_in_")
            and "feature_names_in_" not in self.__dict__
            and model.kind == VECTORS
        ):
            return Decisions(*model.decide(X))
        check_is_fitted(self)
        samples = self._samples(X, reset=False)
        with Bar(self.verbose) as bar:
            return Decisions(*self._model.decide(samples, threads=self._threads(), progress=bar.callback))

    def decide(self, X: Any) -> Decisions:
        """Everything at once: score, membership, accepted, region and p-value of each sample."""
        return self._answer(X)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The score of each sample; larger is more nominal."""
        return self._answer(X).score

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """``score_samples(X) - offset_``: negative for outliers."""
        return self._answer(X).score - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """+1 for samples that are accepted, -1 for outliers: the sign of the decision function.

        With preset="paper" and no `reject`, the paper's rule does not go by the score alone: samples within some 1e-8 of
        the boundary may be judged otherwise by ``decide(X).accepted``, which is the rule to the letter.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def membership(self, X: Any) -> NDArray[np.float64]:
        """The degree of membership of each sample, in [0, 1]."""
        return self._answer(X).membership

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """The p-value of each sample: the share of nominal samples expected to score no higher.

        For samples exchangeable with the training samples, ``P(p <= a) <= a``.
        """
        return self._answer(X).p_value

    def region(self, X: Any) -> NDArray[np.int64]:
        """The region that each sample is closest to; its training samples are ``regions_[region]``."""
        return self._answer(X).region

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The dissimilarity embedding: of each sample to the prototypes, or to all training samples."""
        check_is_fitted(self)
        return self._model.embed(self._as_samples(X), threads=self._threads())

    def explain(self, X: Any, *, n_nearest: int = 5) -> list[Explanation]:
        """Why each sample is judged as it is: its region, its nearest nominal samples, the shares of the features.

        The share of a feature says how much of what sets the sample apart from the nearest nominal samples is due to it.
        """
        check_is_fitted(self)
        if n_nearest < 1:
            raise ValueError(f"n_nearest is {n_nearest}, but must be at least 1")
        all_parts = self._model.explain(self._as_samples(X), n_nearest, threads=self._threads())
        names = self._model.share_names
        return [
            Explanation(int(region), nearest, dissimilarity, dict(zip(names, shares.tolist(), strict=False)))
            for region, nearest, dissimilarity, shares in zip(*all_parts, strict=True)
        ]

    def _as_samples(self, X: Any) -> _eocc.Samples:
        samples = self._samples(X, reset=False)
        return samples if isinstance(samples, _eocc.Samples) else _eocc.Samples.vectors(samples, self._model.shape)

    # -- what was learned

    def _fitted(self) -> _eocc.Model:
        check_is_fitted(self)
        return self._model

    @property
    def offset_(self) -> float:
        return self._fitted().boundary

    @property
    def k_(self) -> int:
        return self._fitted().k

    @property
    def eta_(self) -> float:
        return self._fitted().eta

    @property
    def regions_(self) -> list[NDArray[np.int64]]:
        return self._fitted().regions

    @property
    def trimmed_(self) -> NDArray[np.int64]:
        return self._fitted().trimmed

    @property
    def views_(self) -> dict[str, float]:
        return dict(self._fitted().views)

    @property
    def weights_(self) -> dict[str, float]:
        return dict(self._fitted().weights)

    @property
    def training_scores_(self) -> NDArray[np.float64]:
        return self._fitted().training_scores

    @property
    def graph_(self) -> Any:
        from scipy.sparse import csr_array

        neighbors, lengths = self._fitted().lists
        n, k = neighbors.shape
        return csr_array((lengths.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))

    def to_networkx(self) -> Any:
        """The undirected graph as NetworkX has it: edges with `length`, vertices with `region` and `membership`.

        Training samples that were trimmed have no edges; their region is that of their nearest.
        """
        import networkx

        model = self._fitted()
        graph = networkx.Graph()
        regions, degrees = model.training_regions.tolist(), model.training_memberships.tolist()
        for v, (region, degree) in enumerate(zip(regions, degrees, strict=True)):
            graph.add_node(v, region=region, membership=degree)
        neighbors, lengths = model.lists
        trimmed = set(model.trimmed.tolist())
        for v, (own, far) in enumerate(zip(neighbors.tolist(), lengths.tolist(), strict=True)):
            if v in trimmed:
                continue
            graph.add_weighted_edges_from(((v, w, d) for w, d in zip(own, far, strict=True)), weight="length")
        return graph

    # -- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the program reads, and the same bytes as it would write.

        A function as metric is not part of the file: give it to :meth:`load` again. Pickle keeps all.
        """
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, metric: MetricFunction | None = None) -> Self:
        """Reads a model file, whoever wrote it.

        Parameters
        ----------
        path : path of the file.
        metric : the function the model was fitted with, if it was one.
        """
        model = _eocc.Model.load(os.fspath(path), metric)
        self = cls(metric if metric is not None else model.metric, **model.params)
        self._model = model
        shape = model.shape
        if model.kind in (VECTORS, PRECOMPUTED):
            self.n_features_in_ = model.features
            if shape:
                self.feature_names_in_ = np.array(shape, dtype=object)
        elif model.kind == MIXED:
            self.n_features_in_ = len(shape)
            self.feature_names_in_ = np.array([name for name, _, _ in shape], dtype=object)
        return self

    # -- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    @property
    def _n_features_out(self) -> int:
        return self._fitted().prototypes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kind = kind_of(self.metric) if isinstance(self.metric, str) and self.metric in _ALL else None
        tags.input_tags.pairwise = kind == PRECOMPUTED
        tags.input_tags.positive_only = kind == PRECOMPUTED
        tags.input_tags.allow_nan = kind == MIXED
        tags.input_tags.two_d_array = kind in (None, VECTORS, PRECOMPUTED, MIXED, RECORDS)
        return tags


_ALL = {name for _, names in _eocc.measures() for name in names}
