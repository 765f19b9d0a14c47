"""Plots on matplotlib axes, and the display in a notebook."""

import builtins
import json

import numpy as np
import pytest
from conftest import words

from eocc import EntropicOneClass

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def axes():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_map_has_every_training_sample(preset, nominal, axes):
    model = EntropicOneClass(preset=preset, search="none").fit(nominal)
    assert model.plot_map(ax=axes) is axes
    places = np.vstack([drawn.get_offsets() for drawn in axes.collections])
    assert len(places) == len(nominal)
    assert np.isfinite(np.asarray(places)).all()
    axes.figure.canvas.draw()


def test_densities_are_those_of_the_regions(nominal, axes):
    model = EntropicOneClass().fit(nominal)
    assert model.plot_density(ax=axes) is axes
    assert "score" in axes.get_xlabel()
    curves = [line for line in axes.lines if len(line.get_xdata()) > 2]
    assert len(curves) == len(model.regions_)
    for curve in curves:
        area = np.trapezoid(curve.get_ydata(), curve.get_xdata())
        assert 0.8 < area < 1.05


def test_weights_are_bars(nominal, axes):
    model = EntropicOneClass().fit(nominal)
    model.plot_weights(ax=axes)
    assert len(axes.patches) == len(model.weights_)


def test_strings_have_a_map_but_no_weights(axes):
    model = EntropicOneClass().fit(words(40))
    model.plot_map(ax=axes)
    with pytest.raises(ValueError, match="no weights"):
        model.plot_weights(ax=axes)


def test_a_notebook_shows_a_map_once_fitted(nominal):
    model = EntropicOneClass()
    assert "<circle" not in model._repr_html_()
    shown = model.fit(nominal)._repr_html_()
    assert "<svg" in shown and shown.count("<circle") > len(nominal) / 2
    assert len(shown) < 500_000


def test_without_matplotlib_the_error_says_what_to_install(nominal, monkeypatch):
    model = EntropicOneClass().fit(nominal)
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"eocc\[plots\]"):
        model.plot_map()


def test_the_data_of_a_report_is_that_of_the_model(nominal):
    model = EntropicOneClass().fit(nominal)
    data = json.loads(model._model.report("a title"))
    assert data["title"] == "a title" and data["training"] == len(nominal)
    assert data["neighbors"] == model.k_
    assert [region["size"] for region in data["regions"]] == [len(region) for region in model.regions_]
