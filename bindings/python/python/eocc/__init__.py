"""One-class classification for any data that has a dissimilarity.

>>> import numpy as np
>>> from eocc import EntropicOneClass
>>> nominal = np.random.default_rng(0).normal(size=(200, 3))
>>> model = EntropicOneClass().fit(nominal)
>>> model.predict([[0.1, 0.0, -0.2], [9.0, 9.0, 9.0]])
array([ 1, -1])
"""

from importlib.metadata import version

from ._decisions import Decisions, Explanation
from ._eocc import EoccError
from ._estimator import EntropicOneClass
from ._metric import Dissimilarity, metrics, pairwise_dissimilarities
from ._monitor import Monitor, Observations
from ._outliers import find_outliers
from ._read import Data, read
from ._reading import ColumnInfo
from ._warn import DriftWarning, EoccWarning

__all__ = [
    "ColumnInfo",
    "Data",
    "Decisions",
    "Dissimilarity",
    "EntropicOneClass",
    "EoccError",
    "DriftWarning",
    "EoccWarning",
    "Explanation",
    "Monitor",
    "Observations",
    "find_outliers",
    "metrics",
    "pairwise_dissimilarities",
    "read",
]

__version__ = version("eocc")
