"""The examples in the docstrings work."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["eocc", "eocc._estimator", "eocc._metric", "eocc.pyod"])
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"Dissimilarity": importlib.import_module("eocc").Dissimilarity})
    assert result.attempted > 0 and result.failed == 0
