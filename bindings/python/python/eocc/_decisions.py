"""What a model says of samples."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """The whole answer, an entry for each sample; what ``eocc score`` prints."""

    score: NDArray[np.float64]
    """Larger is more nominal; never saturates."""
    membership: NDArray[np.float64]
    """Degree of membership in [0, 1]."""
    accepted: NDArray[np.bool_]
    """The hard answer."""
    region: NDArray[np.int64]
    """The region that the sample is closest to."""
    p_value: NDArray[np.float64]
    """Share of nominal samples expected to score no higher."""


@dataclass(frozen=True)
class Explanation:
    """What stands behind the decision on one sample."""

    region: int
    """The region that the sample is closest to."""
    nearest: NDArray[np.int64]
    """Its nearest nominal samples, nearest first: rows of the training data, or of the prototypes if these are fewer."""
    dissimilarity: NDArray[np.float64]
    """The dissimilarities to them."""
    shares: dict[str, float]
    """The mean share of each feature in these dissimilarities, by name; empty for samples without features."""
