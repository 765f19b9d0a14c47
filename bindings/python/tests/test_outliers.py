"""Finding unusual samples without labels."""

import numpy as np
import pandas
import pytest

import eocc


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"amount": rng.lognormal(3, 0.3, 300), "age": rng.normal(40, 8, 300)})
    frame.loc[7, "amount"], frame.loc[80, "age"] = 4000.0, 190.0
    frame.index = [f"p{i}" for i in range(300)]
    return frame


def test_the_odd_ones_come_first_with_index_and_reason(people):
    found = eocc.find_outliers(people, top=2)
    assert set(found.index) == {"p7", "p80"}
    assert found.loc["p7", "feature_1"] == "amount" and found.loc["p80", "feature_1"] == "age"
    assert found["rejected"].all() and found["score"].is_monotonic_increasing
    assert ((found["share_1"] >= found["share_2"]) & (found["share_1"] <= 1)).all()


def test_as_many_as_are_rejected(people):
    assert len(eocc.find_outliers(people)) == pytest.approx(15, abs=1)
    assert len(eocc.find_outliers(people.to_numpy(), contamination=0.02)) == 6
    assert len(eocc.find_outliers(people, reject=0.01)) <= 3
    assert eocc.find_outliers(people, top=0).empty


def test_strings_have_reasons_too():
    words = ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "carve"] * 4
    found = eocc.find_outliers([*words, "xylophone"], top=1)
    reasons = ["feature_1", "share_1", "feature_2", "share_2"]
    assert found.index.tolist() == [40]
    assert list(found.columns) == ["score", "p_value", "rejected", *reasons, "group"]
