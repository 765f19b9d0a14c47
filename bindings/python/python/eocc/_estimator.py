"""The estimator."""

import json
import os
from typing import Any, Literal, Self, overload

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, OutlierMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _eocc, _inputs, _tables
from ._arrow import ArrowMixin
from ._decisions import Decisions, Explanation, frame_of_decisions, frame_of_explanations
from ._metric import (
    MIXED,
    PRECOMPUTED,
    RECORDS,
    TRIED,
    VECTORS,
    Dissimilarity,
    Metric,
    MetricFunction,
    check_function,
    for_library,
    is_function,
    kind_of,
    takes_missing,
)
from ._plots import PlottingMixin
from ._progress import Bar
from ._reading import FEATURE, ColumnInfo, ReadingMixin
from ._warn import DriftWarning, warn

#: The metrics that "auto" stands for with preset="default", depending on the samples.
CHOSEN = ("views", "combined")
#: The largest seed that is drawn.
SEEDS = np.iinfo(np.int32).max


class EntropicOneClass(
    ArrowMixin, PlottingMixin, ReadingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, OutlierMixin, BaseEstimator  # type: ignore[misc]
):
    """One-class classifier based on entropic spanning graphs (EOCC-MI of Livi and Alippi, 2017).

    Learns from nominal samples alone. Larger scores are more nominal, as in scikit-learn. There is no `sample_weight`: a training
    sample is a neighbor or it is not.

    Parameters
    ----------
    metric : {"auto", "precomputed"}, name, Dissimilarity or callable, default="auto"
        How samples are compared. "auto" depends on their type: vectors and mixed tables "views" ("euclidean" and
        "gower" with preset="paper"), strings "levenshtein", time series "dtw", graphs "ged". :func:`eocc.metrics`
        lists the names; "l1", "l2" and "cityblock" are those of scikit-learn. A :class:`~eocc.Dissimilarity` also has
        settings. A function is called with two samples and must return a finite number of at least 0, and be
        symmetric.
    preset : {"default", "paper"}, default="default"
        "default" is the most accurate; "paper" follows Livi and Alippi (2017).
    reject : float in (0, 1), default=None
        The fraction of nominal samples you are willing to reject. None: 0.05, or the paper's own rule with preset="paper".
    contamination : float in [0, 0.5], default=None
        The expected fraction of outliers among the training samples. It sets the threshold, as in scikit-learn, unless `reject`
        is given; and twice this fraction, the samples farthest out, is excluded as neighbors (`trimmed_`). 0 trusts all
        samples; None excludes 2 %. With preset="paper" none are excluded.
    prototypes : {"all", "direct"}, int or "farthest:N", default=None
        With preset="paper", the samples that everything is compared with: all, N at random, or N far from each other
        ("farthest:N"). "direct" builds the graph on the dissimilarity itself, as preset="default" does.
    search : {"none", "genetic"}, default=None
        The search over the parameters of the metric. None: the preset decides.
    evaluations : int, default=None
        Maximum number of evaluations of the search.
    tau : float, default=None
        The objective at which the search stops.
    alpha : float in (0, 1), default=None
        The order of the entropy.
    percentile : float in [0, 100], default=None
        Membership is exp(-1/2) where closeness (preset="default": the score) falls short of the best in the region by this
        percentile of the training samples' differences.
    scoring : {"fast", "exact"}, default=None
        Whether new samples are joined to the graph ("exact") or it stays as trained. None: the preset decides.
    visits : int or "all", default=None
        Number of training samples that a neighbor search may visit. None: all of them if there are at most 8192 table rows or
        10 000 samples of other kinds, else only some; see `plan_`.
    memory : int, default=None
        Memory limit in bytes: a fit that would need more raises a MemoryError before it starts. None: three quarters of the free
        memory.
    missing : {"distance", "impute", "drop", "error"}, default=None
        What to do with missing values in tables, like the program's ``--missing``: let the metric handle them, fill in typical values,
        drop their rows (missing values are then an error when samples are scored), or raise. The model remembers it. None:
        "distance" if the metric supports missing values, else "error".
    types : dict of str to str, default=None
        Types of columns by name, like the program's ``--types``, instead of the detected ones: "number", "date", "boolean",
        "category", "ordered:low<mid<high", "text", "series" or "graph"; "id" names the samples, "ignore" drops a column.
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
        ``decision_function = score_samples - offset_``. Minus infinity if there are too few training samples for any
        to be rejected at `reject`.
    graph_ : scipy.sparse.csr_array of shape (n_samples, n_samples)
        The graph: row i holds the lengths to the `k_` nearest neighbors of training sample i, none of them trimmed.
    weights_ : dict of str to float
        Parameters of the metric by name: the weight of each feature, for vectors.
    k_ : int
        Number of neighbors in the graph.
    regions_ : list of ndarray of int
        The training samples of each region, largest region first.
    trimmed_ : ndarray of int
        The training samples excluded as neighbors because they lie far out; none with preset="paper".
    views_ : dict of str to float
        The views of the data, and their weights; none with preset="paper".
    plan_ : dict
        How neighbors were found: "neighbors" is "exact", or {"visits": samples visited per search}, and then "recall" is the
        fraction of true neighbors found, measured on some training samples.
    eta_ : float
        The objective, 1 / (1 + Jensen difference) of the regions.
    training_scores_ : ndarray of shape (n_samples,)
        The score of each training sample as if it were new.
    schema_ : list of ColumnInfo
        How each column was read: `name`, `type`, `role` ("feature", "key", "classes" or "ignored") and `why`. Keys
        and classes are not features, as on the command line; ``pandas.DataFrame(model.schema_)`` shows it as a table.
        Only if X has columns.
    n_features_in_ : int
        Number of features, if it is fixed.
    feature_names_in_ : ndarray of str
        Their names, if any. New samples may include columns that are not features.

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
        visits: str | int | None = None,
        memory: int | None = None,
        missing: str | None = None,
        types: dict[str, str] | None = None,
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
        self.visits = visits
        self.memory = memory
        self.missing = missing
        self.types = types
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- fitting

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from nominal samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or sequence of samples
            Rows of numbers; strings; time series (arrays of time x channels); NetworkX graphs; rows of a mixed table;
            a square matrix if metric="precomputed"; anything, if metric is a function, which gets rows of a table
            that are not all numbers as dictionaries. Sparse matrices are made dense.
        y : ignored

        Returns
        -------
        self
        """
        return self._fit(X, None)

    def _fit(self, X: Any, external: Any) -> Self:
        """`external` gets the samples and returns a function for matrices of dissimilarities, and one for work on
        rows if there are too many samples for a matrix."""
        samples = self._named(self._samples(X, reset=True))
        if is_function(self.metric):
            check_function(self.metric, _first_items(X, samples.kind))  # type: ignore[arg-type]
        metric, settings = for_library(self.metric)
        matrix, rows = external(samples) if external else (None, None)
        with Bar(self.verbose) as bar:
            model = _eocc.Model.fit(
                samples,
                metric,
                settings,
                self._library_params(),
                threads=self._threads(),
                progress=bar.callback,
                external=matrix,
                external_rows=rows,
            )
        for warning in model.warnings:
            warn(warning)
        self._model = model
        return self

    def _named(self, samples: _eocc.Samples) -> _eocc.Samples:
        """The samples, named by the words of the index unless they have other names: the model file then has them,
        too."""
        index = self.__dict__.get("_index")
        if samples.names is not None or index is None or len(index) != len(samples) or not len(index):
            return samples
        return samples.with_names(list(index)) if all(isinstance(label, str) for label in index) else samples

    def _library_params(self) -> dict[str, Any]:
        # By the names of the library, which ignores the others.
        return {**self.get_params(deep=False), "memory": self._memory(), "seed": self._seed()}

    def _memory(self) -> int | None:
        if self.memory is None:
            return None
        if isinstance(self.memory, (int, float, np.integer)) and 0 <= self.memory < 2**63:
            return int(self.memory)
        raise ValueError(f"memory is {self.memory!r}, but must be a number of bytes, such as 4_000_000_000")

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ValueError(f"random_state is {self.random_state}, but must not be negative")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(SEEDS))

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    # -- answers

    def _answer(self, X: Any, reject: float | None = None) -> Decisions:
        # Rows that already suit the library are passed on directly: one row costs microseconds.
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
            answers = Decisions(*model.decide(X))
            return answers if reject is None else answers._replace(accepted=answers.p_value > reject)
        samples = None if model is None else self._plain(X)
        if samples is None:
            check_is_fitted(self)
            samples = self._samples(X, reset=False)
        if isinstance(samples, _eocc.Samples):
            for novelty in self._model.novelties(samples):
                warn(novelty)
        with Bar(self.verbose) as bar:
            answers = Decisions(*self._model.decide(samples, threads=self._threads(), progress=bar.callback))
        if reject is not None:
            answers = answers._replace(accepted=answers.p_value > reject)
        for drift in self._model.drift(samples, answers.p_value, answers.accepted, reject=reject):
            warn(drift, DriftWarning)
        return answers

    @overload
    def decide(self, X: Any, *, reject: float | None = None, as_frame: Literal[False] = False) -> Decisions: ...

    @overload
    def decide(self, X: Any, *, reject: float | None = None, as_frame: Literal[True]) -> Any: ...

    def decide(self, X: Any, *, reject: float | None = None, as_frame: bool = False) -> Any:
        """All results: score, membership, accepted, region and p-value of each sample.

        Parameters
        ----------
        X : samples, as for :meth:`fit`.
        reject : float in (0, 1), default=None
            Reject samples with a p-value of at most this. None: the model's own threshold.
        as_frame : bool, default=False
            Whether to return a data frame instead of :class:`~eocc.Decisions`: polars if X is, else pandas with the
            index of X.
        """
        answers = self._answer(X, None if reject is None else _checked_share(reject))
        return frame_of_decisions(answers, X) if as_frame else answers

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The score of each sample; larger is more nominal."""
        return self._answer(X).score

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """``score_samples(X) - offset_``: negative for outliers."""
        return self._answer(X).score - self.offset_

    def predict(self, X: Any, *, reject: float | None = None) -> NDArray[np.int64]:
        """+1 for samples that are accepted, -1 for outliers: the sign of the decision function.

        With `reject`, samples with a p-value of at most `reject` are outliers, whatever the model was fitted with.

        With preset="paper" and no `reject`, the paper's rule does not depend on the score alone: samples within about
        1e-8 of the boundary may be judged differently by ``decide(X).accepted``, which follows the paper's rule
        exactly.
        """
        if reject is not None:
            return np.where(self._answer(X, _checked_share(reject)).accepted, 1, -1)
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def membership(self, X: Any) -> NDArray[np.float64]:
        """The degree of membership of each sample, in [0, 1]."""
        return self._answer(X).membership

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """The p-value of each sample: the expected fraction of nominal samples that score no higher.

        For samples exchangeable with the training samples, ``P(p <= a) <= a``.
        """
        return self._answer(X).p_value

    def region(self, X: Any) -> NDArray[np.int64]:
        """The region that each sample is closest to; its training samples are ``regions_[region]``."""
        return self._answer(X).region

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The dissimilarities of each sample to the prototypes, or to all training samples."""
        check_is_fitted(self)
        return self._model.embed(self._as_samples(X), threads=self._threads())

    @overload
    def explain(self, X: Any, *, n_nearest: int = 5, as_frame: Literal[False] = False) -> list[Explanation]: ...

    @overload
    def explain(self, X: Any, *, n_nearest: int = 5, as_frame: Literal[True]) -> Any: ...

    def explain(self, X: Any, *, n_nearest: int = 5, as_frame: bool = False) -> Any:
        """Why each sample is judged as it is: its region, its nearest nominal samples, the shares of the features.

        The share of a feature is its part in the difference between the sample and its nearest nominal samples. A
        training sample is not among its own neighbors.

        Parameters
        ----------
        X : samples, as for :meth:`fit`.
        n_nearest : int, default=5
            How many neighbors to name: by the index of the pandas frame that the model was fitted on, by the names of
            the samples if they have any, else by position.
        as_frame : bool, default=False
            Whether to return a data frame with one row per sample (polars if X is, else pandas with the index of X)
            instead of a list of :class:`~eocc.Explanation`: `region`, `nearest_1`, `dissimilarity_1`, ..., and
            `share_` and the name of each feature.
        """
        check_is_fitted(self)
        if n_nearest < 1:
            raise ValueError(f"n_nearest is {n_nearest}, but must be at least 1")
        all_parts = self._model.explain(self._as_samples(X), n_nearest, threads=self._threads())
        names = self._model.share_names
        labels = self._labels()
        found = [
            Explanation(
                int(region),
                nearest if labels is None else labels[nearest],
                dissimilarity,
                dict(zip(names, shares.tolist(), strict=False)),
            )
            for region, nearest, dissimilarity, shares in zip(*all_parts, strict=True)
        ]
        return frame_of_explanations(found, X) if as_frame else found

    def importance(self, X: Any = None, *, n_nearest: int = 10) -> dict[str, float]:
        """Which features contribute to rejection: the mean share of each in the explanations of the rejected samples,
        by name, largest first.

        Parameters
        ----------
        X : samples, as for :meth:`fit`, default=None
            Only rejected samples are used, or all if none is rejected. None: the training samples.
        n_nearest : int, default=10
            The number of neighbors used, as for :meth:`explain`.

        Returns
        -------
        dict of str to float
            Shares that sum to 1; empty for samples without features.

        Examples
        --------
        >>> import numpy as np
        >>> from eocc import EntropicOneClass
        >>> model = EntropicOneClass().fit(np.random.default_rng(0).normal(size=(100, 3)))
        >>> next(iter(model.importance([[0.0, 0.0, 30.0]])))
        'x2'
        """
        check_is_fitted(self)
        if n_nearest < 1:
            raise ValueError(f"n_nearest is {n_nearest}, but must be at least 1")
        samples = None if X is None else self._as_samples(X)
        return dict(self._model.importance(samples, n_nearest, threads=self._threads()))

    def why(self, X: Any, *, n_nearest: int = 5) -> list[str]:
        """Why each sample is judged as it is, in words, as printed by ``eocc explain``.

        The features with the largest shares, their values in the sample and the usual ones in training; the nearest
        training samples; and how strings, series and graphs differ from the nearest.

        Parameters
        ----------
        X : samples, as for :meth:`fit`.
        n_nearest : int, default=5
            How many neighbors to name.

        Examples
        --------
        >>> from eocc import EntropicOneClass
        >>> words = ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "carve"] * 3
        >>> print(EntropicOneClass().fit(words).why(["cars"], n_nearest=1)[0])
         60 %  whole string
         40 %  letter sequences
        nearest nominals: "cart" (0.25)
        compared with "cart":
          cars
          |||
          cart
        """
        check_is_fitted(self)
        if n_nearest < 1:
            raise ValueError(f"n_nearest is {n_nearest}, but must be at least 1")
        return self._model.why(self._as_samples(X), n_nearest, threads=self._threads())

    def _labels(self) -> NDArray[Any] | None:
        """The names of the samples that new ones are compared with: from the index of the frame, or their own."""
        index, names = self.__dict__.get("_index"), self._model.names
        # A column of keys takes precedence over the index, since the model file has it, too.
        keys = self.__dict__.get("_keys")
        found = index if names is None else names if keys is None else keys
        # It is not known which samples the prototypes are.
        return None if found is None or len(found) != self._model.prototypes else np.array(found)

    def _as_samples(self, X: Any) -> _eocc.Samples:
        samples = self._samples(X, reset=False)
        return samples if isinstance(samples, _eocc.Samples) else _eocc.Samples.vectors(samples, self._model.shape)

    # -- what was learned

    def _fitted(self) -> _eocc.Model:
        check_is_fitted(self)
        return self._model

    @property
    def offset_(self) -> float:
        """The smallest accepted score, which :meth:`decision_function` subtracts from a score."""
        return self._fitted().boundary

    @property
    def k_(self) -> int:
        """Number of neighbors in the graph."""
        return self._fitted().k

    @property
    def plan_(self) -> dict[str, Any]:
        """How neighbors were found."""
        plan: dict[str, Any] = json.loads(self._fitted().plan)
        return plan

    @property
    def eta_(self) -> float:
        """The objective, 1 / (1 + Jensen difference) of the regions."""
        return self._fitted().eta

    @property
    def regions_(self) -> list[NDArray[np.int64]]:
        """The training samples of each region, largest region first."""
        return self._fitted().regions

    @property
    def trimmed_(self) -> NDArray[np.int64]:
        """The training samples that are excluded as neighbors because they lie far out."""
        return self._fitted().trimmed

    @property
    def views_(self) -> dict[str, float]:
        """The views of the data and their weights."""
        return dict(self._fitted().views)

    @property
    def weights_(self) -> dict[str, float]:
        """Parameters of the metric by name."""
        return dict(self._fitted().weights)

    @property
    def training_scores_(self) -> NDArray[np.float64]:
        """The score of each training sample as if it were new."""
        return self._fitted().training_scores

    @property
    def graph_(self) -> Any:
        """The lengths to the nearest neighbors of each training sample, as a sparse array."""
        from scipy.sparse import csr_array

        neighbors, lengths = self._fitted().lists
        n, k = neighbors.shape
        return csr_array((lengths.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))

    def to_networkx(self) -> Any:
        """The undirected graph in NetworkX: edges with `length`, vertices with `region` and `membership`.

        Trimmed training samples have no edges; their region is that of their nearest neighbor.
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
        """Writes a model file, identical to the one that the command line would write.

        A function as metric is not part of the file: pass it to :meth:`load` again. Pickle stores everything.
        """
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"{os.fspath(path)!r} cannot be written: there is no folder {folder!r}; make it with os.makedirs")
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, metric: MetricFunction | None = None) -> Self:
        """Reads a model file, from Python or the command line.

        The file holds what the model learned and most parameters, but not `types`: give them again to fit the same columns with
        the parameters of a loaded model, as in ``clone(model).set_params(types=...)``.

        Parameters
        ----------
        path : path of the file.
        metric : the function the model was fitted with, if it was one.
        """
        model = _eocc.Model.load(os.fspath(path), metric)
        self = cls(metric if metric is not None else _as_given(model), missing=model.missing_word, **model.params)
        self._model = model
        names = [name for name, _ in model.columns]
        self.schema_ = [ColumnInfo(name, kind, FEATURE, "") for name, kind in model.columns]
        if model.kind in (VECTORS, PRECOMPUTED, MIXED):
            # A date is one column but several features of the model.
            self.n_features_in_ = len(names) or model.features
            if names:
                self.feature_names_in_ = np.array(names, dtype=object)
        return self

    # -- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    @property
    def _n_features_out(self) -> int:
        return self._fitted().prototypes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            kind = kind_of(self.metric)
            allow_nan = self.missing != "error" and (self.missing is not None or takes_missing(self.metric, self.preset))
        except ValueError:
            # `fit` reports the error.
            kind, allow_nan = None, False
        tags.input_tags.pairwise = kind == PRECOMPUTED
        tags.input_tags.positive_only = kind == PRECOMPUTED
        tags.input_tags.allow_nan = allow_nan
        tags.input_tags.sparse = kind in (None, VECTORS, MIXED)
        tags.input_tags.two_d_array = kind in (None, VECTORS, PRECOMPUTED, MIXED, RECORDS)
        return tags



def _checked_share(reject: float) -> float:
    if not 0 < reject < 1:
        raise ValueError(f"reject is {reject!r}, but must be above 0 and below 1")
    return float(reject)


def _first_items(X: Any, kind: str) -> list[Any]:
    """Some samples as passed to a function."""
    X = _inputs.taken(X)
    if _tables.is_table(X):
        return list(_tables.numbers(X)[0][:TRIED]) if kind == VECTORS else _tables.rows(X)[:TRIED]
    if kind == VECTORS:
        return list(np.asarray(X[:TRIED], dtype=np.float64))
    return list(X)[:TRIED]


def _as_given(model: _eocc.Model) -> str | Dissimilarity:
    """The metric of a model as a user would give it; "auto" where that chooses it."""
    if model.metric in CHOSEN and not model.settings:
        return "auto"
    settings = {name: _value(text) for name, text in model.settings}
    return Dissimilarity(model.metric, **settings) if settings else model.metric


def _value(text: str) -> Any:
    """A setting as it was given: a boolean, a number or a word."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
