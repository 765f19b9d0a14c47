"""Values from scikit-learn and SciPy for the tests of eocc-baselines and eocc-eval.

Run from the root of the workspace; writes testdata/golden/baselines.json and testdata/golden/statistics.json:

    python -m venv .venv && .venv/bin/pip install scikit-learn scipy
    .venv/bin/python scripts/golden/baselines.py
"""

import json
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy import optimize, stats
from sklearn.cluster import KMeans
from sklearn.covariance import ShrunkCovariance
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor, NearestNeighbors
from sklearn.svm import OneClassSVM

warnings.simplefilter("ignore")
VERSIONS = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
FOLDER = Path("testdata/golden")


def samples():
    random = np.random.RandomState(20)
    blob = random.normal(size=(40, 3)) @ np.array([[2.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.2]])
    other = random.normal(size=(20, 3)) * [0.5, 1.5, 0.4] + [6.0, -2.0, 1.0]
    test = random.uniform(-6, 10, size=(12, 3))
    return np.round(np.vstack([blob, other]), 3), np.round(np.vstack([test, blob[:4] + 0.1]), 3)


def leave_one_out_width(x):
    d2 = ((x[:, None] - x[None]) ** 2).sum(-1)
    np.fill_diagonal(d2, np.inf)
    n, q = x.shape

    def negative(log_h):
        return -(np.log(np.exp(-d2 / (2 * np.exp(2 * log_h))).sum(1)).sum() - n * q * log_h)

    grid = np.linspace(-3, 2, 200)
    start = grid[np.argmin([negative(g) for g in grid])]
    return float(np.exp(optimize.minimize_scalar(negative, bracket=(start - 0.1, start + 0.1), tol=1e-12).x))


def classifiers():
    x, t = samples()
    n, q = x.shape
    golden = {"versions": VERSIONS, "train": x.tolist(), "test": t.tolist()}

    shrunk = ShrunkCovariance(shrinkage=0.01).fit(x)
    golden["gauss"] = (-shrunk.mahalanobis(t) * (n - 1) / n).tolist()

    means = x[[0, 10, 45]]
    added = 0.01 * np.mean(np.var(x, axis=0, ddof=1))
    mixture = GaussianMixture(3, reg_covar=added, max_iter=7, tol=0, means_init=means, weights_init=np.full(3, 1 / 3),
                              precisions_init=np.repeat(np.eye(q)[None] / 4, 3, axis=0)).fit(x)
    golden["mixture"] = {"means": means.tolist(), "variance": 4.0, "iterations": 7,
                         "scores": mixture.score_samples(t).tolist()}

    h = leave_one_out_width(x)
    golden["parzen"] = {"width": h, "scores": KernelDensity(bandwidth=h, rtol=1e-12).fit(x).score_samples(t).tolist()}

    # Each feature on its own, with its own leave-one-out width.
    naive = 0
    for f in range(q):
        column = x[:, [f]]
        density = KernelDensity(bandwidth=leave_one_out_width(column), rtol=1e-12).fit(column)
        naive = naive + density.score_samples(t[:, [f]])
    golden["naive_parzen"] = naive.tolist()

    starts = x[[1, 2, 3, 50]]
    kmeans = KMeans(4, init=starts, n_init=1, tol=0, algorithm="lloyd").fit(x)
    golden["k_means"] = {"starts": starts.tolist(), "scores": (-kmeans.transform(t).min(1)).tolist()}

    pca = PCA(n_components=0.9, svd_solver="full").fit(x)
    rebuilt = pca.inverse_transform(pca.transform(t))
    golden["pca"] = {"components": int(pca.n_components_), "scores": (-((t - rebuilt) ** 2).sum(1)).tolist()}

    svm = OneClassSVM(kernel="rbf", gamma=1 / 25, nu=0.1, tol=1e-12).fit(x)
    # scikit-learn's weights sum to nu n; ours to one.
    golden["svdd"] = ((svm.decision_function(t) + svm.offset_) / (0.1 * n)).tolist()

    golden["lof"] = LocalOutlierFactor(20, novelty=True).fit(x).score_samples(t).tolist()
    distances = NearestNeighbors(n_neighbors=5).fit(x).kneighbors(t)[0]
    golden["k_nn_mean"] = (-distances.mean(1)).tolist()
    golden["dte_np"] = (-(distances**2).mean(1)).tolist()
    forests = [IsolationForest(random_state=seed).fit(x).score_samples(t) for seed in range(40)]
    golden["isolation_forest"] = np.mean(forests, axis=0).tolist()
    return golden


def statistics():
    random = np.random.RandomState(3)
    nominal, others = np.round(random.normal(1, 1, 30), 1), np.round(random.normal(0, 1, 50), 1)
    labels = np.r_[np.ones(30), np.zeros(50)]
    scores = np.r_[nominal, others]
    # DeLong's standard error, from the placements by counting all pairs.
    wins = (nominal[:, None] > others).astype(float) + 0.5 * (nominal[:, None] == others)
    v10, v01 = wins.mean(1), wins.mean(0)
    error = np.sqrt(v10.var(ddof=1) / 30 + v01.var(ddof=1) / 50)
    table = np.round(random.uniform(0.4, 1.0, size=(9, 5)) + np.arange(5) * 0.06, 3)
    ranges = [(q, k, df) for k in (2, 3, 5, 10, 19, 24) for df in (5, 20, 126, 161, np.inf) for q in (1.0, 3.5, 5.0)]
    grand = table.mean()
    n, k = table.shape
    ss_methods = n * ((table.mean(0) - grand) ** 2).sum()
    residual = ((table - table.mean(0) - table.mean(1)[:, None] + grand) ** 2).sum()
    f = (ss_methods / (k - 1)) / (residual / ((n - 1) * (k - 1)))
    # At least 10 differences without ties: the normal approximation does not apply, SciPy counts exactly.
    a, b = table[:, 4], table[:, 0]
    long_a, long_b = np.round(random.normal(0.3, 1, 40), 1), np.round(random.normal(0, 1, 40), 1)
    exact = stats.wilcoxon(a, b, method="exact")
    normal = stats.wilcoxon(long_a, long_b, method="approx", correction=False, zero_method="wilcox")
    friedman = stats.friedmanchisquare(*table.T)
    return {
        "versions": VERSIONS,
        "auc": {"nominal": nominal.tolist(), "others": others.tolist(), "value": roc_auc_score(labels, scores),
                "error": error, "average_precision": average_precision_score(1 - labels, -scores)},
        "table": table.tolist(),
        "anova": {"f": f, "p": stats.f.sf(f, k - 1, (n - 1) * (k - 1)),
                  "mean_square": residual / ((n - 1) * (k - 1))},
        "friedman": {"statistic": friedman.statistic, "p": friedman.pvalue,
                     "mean_ranks": stats.rankdata(-table, axis=1).mean(0).tolist()},
        "studentized_range": [[q, k, None if np.isinf(df) else df, stats.studentized_range.cdf(q, k, df)]
                              for q, k, df in ranges],
        "quantiles": [[0.95, k, None if np.isinf(df) else df, stats.studentized_range.ppf(0.95, k, df)]
                      for k in (2, 5, 19, 24) for df in (126, np.inf)],
        "wilcoxon": {"exact": {"statistic": exact.statistic, "p": exact.pvalue},
                     "a": long_a.tolist(), "b": long_b.tolist(),
                     "normal": {"statistic": normal.statistic, "p": normal.pvalue}},
    }


def write(name, content):
    (FOLDER / name).write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    write("baselines.json", classifiers())
    write("statistics.json", statistics())
