"""One long series by its windows, and data unlike the training data."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eocc
from eocc import DriftWarning, EntropicOneClass


def wave(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    t = np.arange(rows)
    return pd.DataFrame({"time": t, "level": np.sin(t / 24 * 2 * np.pi) + 0.1 * rng.normal(size=rows)})


@pytest.mark.parametrize("shape", ["series", "summary", "lags"])
def test_a_file_is_cut_and_the_model_knows_it(tmp_path, shape: str) -> None:  # type: ignore[no-untyped-def]
    wave(480, 1).to_csv(tmp_path / "learn.csv", index=False)
    new = wave(240, 2)
    new.loc[100:130, "level"] = 0.0
    new.to_csv(tmp_path / "new.csv", index=False)
    data = eocc.read(tmp_path / "learn.csv", window_of=24, step=6, window_as=shape)
    assert len(data) == (480 - 24) // 6 + 1
    assert data.names is not None and data.names[1] == "6"
    model = EntropicOneClass().fit(data.samples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DriftWarning)
        from_file = model.decide(eocc.read(tmp_path / "new.csv", model=model).samples)
        from_frame = model.decide(new)
    assert len(from_file.score) == (240 - 24) // 6 + 1
    assert np.array_equal(from_file.score, from_frame.score)
    assert not from_file.accepted[17]
    with pytest.raises(ValueError, match="window_as is 'shape'"):
        eocc.read(tmp_path / "new.csv", window_of=24, window_as="shape")


def test_drift_is_a_warning() -> None:
    rng = np.random.default_rng(0)
    train = pd.DataFrame({"temp": rng.normal(size=200), "unit": 1.0, "load": rng.normal(size=200)})
    model = EntropicOneClass().fit(train)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DriftWarning)
        model.predict(pd.DataFrame({"temp": rng.normal(size=200), "unit": 1.0, "load": rng.normal(size=200)}))
        # Another rate is expected in the training samples, too.
        other = np.random.default_rng(1)
        like = pd.DataFrame({"temp": other.normal(size=200), "unit": 1.0, "load": other.normal(size=200)})
        model.predict(like, reject=0.3)
        # Nothing is reported for few rows.
        model.predict(pd.DataFrame({"temp": rng.normal(5, 1, size=20), "unit": 2.0, "load": rng.normal(size=20)}))
    moved = pd.DataFrame({"temp": rng.normal(3, 1, size=200), "unit": 2.0, "load": rng.normal(size=200)})
    with pytest.warns(DriftWarning) as caught:
        model.predict(moved)
    texts = [str(warning.message) for warning in caught]
    assert any("200 of 200 samples (100 %) are rejected" in text for text in texts)
    assert any("`unit` was 1 in all training samples" in text for text in texts)
    assert any(text.startswith("`temp` moved up") for text in texts)
    assert not any("load" in text for text in texts)
    # Arrays too.
    model = EntropicOneClass().fit(train.to_numpy())
    with pytest.warns(DriftWarning, match="`x0` moved up"):
        model.predict(moved.to_numpy())
