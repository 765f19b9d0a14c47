"""What a fit may take, and its plan."""

import numpy as np
import pytest

from eocc import EntropicOneClass

X = np.random.default_rng(3).normal(size=(3000, 4))


def test_memory_is_a_number_of_bytes_and_a_limit():
    with pytest.raises(MemoryError, match="fitting 3000 samples would need about"):
        EntropicOneClass(memory=1_000_000).fit(X)
    assert EntropicOneClass(memory=4e9).fit(X).plan_["neighbors"] == "exact"
    for bad in ("50 MB", -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="memory is .*, but must be a number of bytes"):
            EntropicOneClass(memory=bad).fit(X)


def test_visits_are_kept_in_the_plan():
    plan = EntropicOneClass(visits=300).fit(X).plan_
    assert plan["neighbors"] == {"visits": 300}
    assert 0.5 < plan["recall"] <= 1
    assert EntropicOneClass(visits="all").fit(X).plan_["neighbors"] == "exact"
    with pytest.raises(ValueError, match="visits is `some`, but must be a number of samples, at least 64, or all"):
        EntropicOneClass(visits="some").fit(X)


@pytest.mark.parametrize(("name", "value"), [("alpha", float("nan")), ("alpha", True), ("evaluations", 2.5), ("search", "cma")])
def test_values_that_a_parameter_cannot_have_are_refused_by_name(name, value):
    with pytest.raises((ValueError, TypeError), match=f"{name} is .*, but must be"):
        EntropicOneClass(preset="paper", **{name: value}).fit(X)
