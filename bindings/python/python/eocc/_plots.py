"""Plots of a fitted model on matplotlib axes."""

import base64
import html
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _eocc

#: The palette of Okabe and Ito, as in ``eocc report``.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#d9ca1b"]
#: Maximum number of bars.
BARS = 24


class PlottingMixin:
    """Plots; all of them show what ``eocc report`` shows."""

    def _fitted(self) -> _eocc.Model:
        raise NotImplementedError

    def _threads(self) -> int:
        raise NotImplementedError

    def _as_samples(self, X: Any) -> _eocc.Samples:
        raise NotImplementedError

    def p_value(self, X: Any) -> NDArray[np.float64]:
        raise NotImplementedError

    def _report(self, X: Any = None) -> dict[str, Any]:
        samples = None if X is None else self._as_samples(X)
        data: dict[str, Any] = json.loads(self._fitted().report("model", samples, threads=self._threads()))
        return data

    def plot_map(self, X: Any = None, *, ax: Any = None) -> Any:
        """Draws the training samples in two dimensions, joined to their nearest neighbors; and new samples among them.

        Color is the region, size the membership; rejected samples are triangles. With more than a few thousand
        samples, some of every region are drawn, and the most suspicious ones.

        Parameters
        ----------
        X : samples, as for `fit`, default=None
            New samples to draw, with black edges.
        ax : matplotlib axes, default=None
            Where to draw; the current axes by default.

        Returns
        -------
        ax : the axes.
        """
        ax = _axes(ax)
        data = self._report(X)
        samples, drawn = data["samples"], data["map"]
        which, x, y = _indices(drawn["sample"]), _numbers(drawn["x"]), _numbers(drawn["y"])
        edges = _indices(drawn["edges"]).reshape(-1, 2)
        if not len(x):
            msg = "there is no map: a loaded model of a matrix does not keep the dissimilarities between training samples"
            raise ValueError(msg)
        if len(edges):
            gap = np.full(len(edges), np.nan)
            lines = [np.column_stack([of[edges[:, 0]], of[edges[:, 1]], gap]).ravel() for of in (x, y)]
            ax.plot(*lines, color="#555555", linewidth=0.4, alpha=0.25, zorder=1)
        region, membership = _indices(samples["region"])[which], _numbers(samples["membership"])[which]
        accepted = np.array([samples["accepted"][i] == "1" for i in which], dtype=bool)
        is_new = which >= data["training"]
        for one in np.unique(region):
            for is_accepted, marker in ((True, "o"), (False, "^")):
                for new in (False, True):
                    own = (region == one) & (accepted == is_accepted) & (is_new == new)
                    if own.any():
                        label = f"region {one}" + ("" if is_accepted else ", rejected") + (", new" if new else "")
                        sizes = 6 + 30 * np.clip(membership[own], 0, 1) if is_accepted else 24
                        edges_of = {"linewidths": 1.0, "edgecolors": "black"} if new else {"linewidths": 0.3, "edgecolors": "white"}
                        color = COLORS[one % len(COLORS)]
                        ax.scatter(x[own], y[own], s=sizes, c=color, marker=marker, label=label, zorder=3 if new else 2, **edges_of)
        ax.set_xlabel(drawn["axes"][0])
        ax.set_ylabel(drawn["axes"][1])
        ax.legend(fontsize="small")
        return ax

    def plot_density(self, *, ax: Any = None) -> Any:
        """Draws how far the training samples of each region fall short of its most central one, with a dashed line
        where acceptance ends.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; the current axes by default.

        Returns
        -------
        ax : the axes.
        """
        ax = _axes(ax)
        data = self._report()
        boundaries = data["slider"]["boundaries"][data["slider"]["own"]]
        for curve in data["density"]:
            region = curve["region"]
            color = COLORS[region % len(COLORS)]
            ax.plot(curve["x"], curve["y"], color=color, label=f"region {region}")
            if boundaries[region] is not None:
                ax.axvline(boundaries[region], color=color, linestyle="--")
        what = "largest closeness" if data["is_closeness"] else "highest score"
        ax.set_xlabel(f"difference to the {what}")
        ax.set_ylabel("density")
        ax.legend(fontsize="small")
        return ax

    def plot_calibration(self, X: Any, *, ax: Any = None) -> Any:
        """Draws the fraction of nominal samples rejected at each threshold, against the promised fraction.

        P-values are calibrated if the curve is on or below the diagonal. At each threshold, the band contains nine in
        ten curves of the same number of samples from the training distribution.

        Parameters
        ----------
        X : nominal samples, as for `fit`
            Fresh ones: the model must not have seen them.
        ax : matplotlib axes, default=None
            Where to draw; the current axes by default.

        Returns
        -------
        ax : the axes.
        """
        ax = _axes(ax)
        p_values = np.sort(self.p_value(X))
        count = len(p_values)
        levels = np.linspace(0, 1, 201)
        rejected = np.searchsorted(p_values, levels, side="right") / count
        width = 1.645 * np.sqrt(levels * (1 - levels) / count)
        ax.fill_between(levels, np.clip(levels - width, 0, 1), np.clip(levels + width, 0, 1), color="#cccccc", alpha=0.5, linewidth=0)
        ax.plot([0, 1], [0, 1], color="#555555", linestyle="--", linewidth=1)
        ax.plot(levels, rejected, color=COLORS[0], drawstyle="steps-post", label=f"{count} fresh samples")
        ax.set_xlabel("threshold: promised false-alarm rate")
        ax.set_ylabel("share of the samples rejected")
        ax.legend(fontsize="small")
        return ax

    def plot_weights(self, *, ax: Any = None) -> Any:
        """Draws the weights of the features, the largest first.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; the current axes by default.

        Returns
        -------
        ax : the axes.
        """
        ax = _axes(ax)
        weights = sorted(self._fitted().weights, key=lambda one: -abs(one[1]))[:BARS]
        if not weights:
            raise ValueError("the metric has no weights to draw")
        names, values = zip(*weights, strict=True)
        ax.barh(range(len(values)), values, color=COLORS[0])
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel("weight")
        return ax

    def _repr_html_(self) -> str:
        """The display in a notebook: the estimator and, once it is fitted, a small map of its training samples."""
        # A representation must not fail, whatever the estimator is.
        shown = getattr(super(), "_repr_html_", None)
        try:
            inner = shown() if callable(shown) else None
        except AttributeError:
            inner = None
        text = inner if isinstance(inner, str) else f"<pre>{html.escape(repr(self))}</pre>"
        if "_model" not in self.__dict__:
            return text
        return f"<div>{text}{self._fitted().small_map('model', threads=self._threads())}</div>"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("pictures need matplotlib; install it with `pip install eocc[plots]`") from e
    return plt.gca()


def _numbers(packed: str) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(packed), dtype="<f8")


def _indices(packed: str) -> NDArray[np.uint32]:
    return np.frombuffer(base64.b64decode(packed), dtype="<u4")
