"""Realistic tables and samples in Python: the same results as the program, the obvious behavior, or the right error."""

import datetime
import decimal
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import clone

import eocc
from eocc import EntropicOneClass, EoccWarning
from eocc.river import EOCC
from test_program import run


def quietly(call):
    """The result of a call, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EoccWarning)
        return call()


def mixed(count=120, seed=0, gaps=0.0):
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {
            "x": rng.normal(size=count),
            "y": rng.normal(size=count),
            "kind": rng.choice(["a", "b", "none"], size=count),
        }
    )
    if gaps:
        frame.loc[rng.random(count) < gaps, "x"] = np.nan
        frame.loc[rng.random(count) < gaps, "kind"] = None
    return frame


# -- missing values


@pytest.mark.parametrize("missing", ["distance", "impute", "drop", "error"])
def test_missing_values_are_handled_as_by_the_program(program, tmp_path, missing):
    train, new = mixed(gaps=0 if missing == "error" else 0.1), mixed(60, 1)
    if missing in ("distance", "impute"):
        new = mixed(60, 1, 0.2)
    train.to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    run(program, "fit", tmp_path / "train.csv", "--missing", missing, "-o", tmp_path / "m.eocc")
    run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv", "-o", tmp_path / "s.csv")
    theirs = pandas.read_csv(tmp_path / "s.csv", float_precision="round_trip")
    read = {"float_precision": "round_trip"}
    model = quietly(lambda: EntropicOneClass(missing=missing).fit(pandas.read_csv(tmp_path / "train.csv", **read)))
    decisions = quietly(lambda: model.decide(pandas.read_csv(tmp_path / "new.csv", **read)))
    assert np.array_equal(decisions.accepted, theirs["accepted"])
    assert np.array_equal(decisions.score, theirs["score"])
    model.save(tmp_path / "ours.eocc")
    assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "m.eocc").read_bytes()
    again = EntropicOneClass.load(tmp_path / "ours.eocc")
    assert again.missing == {"distance": None, "drop": "error"}.get(missing, missing)


def test_missing_values_in_arrays():
    values = np.random.default_rng(0).normal(size=(80, 3))
    values[3, 1] = np.nan
    filled = EntropicOneClass(missing="impute").fit(values)
    assert len(filled.training_scores_) == 80 and np.isfinite(filled.score_samples(values)).all()
    with pytest.warns(EoccWarning, match="1 of 80 rows have missing values and are left out"):
        assert len(EntropicOneClass(missing="drop").fit(values).training_scores_) == 79
    with pytest.raises(ValueError, match="NaN"):
        EntropicOneClass(missing="error").fit(values)
    with pytest.raises(ValueError, match="missing is 'fill', but must be None or one of"):
        EntropicOneClass(missing="fill").fit(values)
    with pytest.raises(ValueError, match="takes no missing values"):
        EntropicOneClass("euclidean", missing="distance").fit(values)
    with pytest.raises(ValueError, match="must be None where X is not a table"):
        EntropicOneClass(missing="impute").fit(["a", "b", "c", "d"])


def test_rows_that_are_left_out_keep_their_labels():
    frame = mixed(gaps=0.1)
    frame.index = [f"r{i}" for i in range(len(frame))]
    found = quietly(lambda: eocc.find_outliers(frame, missing="drop", top=5))
    assert frame.loc[found.index].notna().all(axis=None)


def test_masks_are_missing_values():
    values = np.random.default_rng(0).normal(size=(80, 3))
    mask = np.zeros(values.shape, dtype=bool)
    mask[5, 2] = True
    masked = np.ma.MaskedArray(values.copy(), mask)
    masked.data[5, 2] = 1e6
    values[5, 2] = np.nan
    assert np.array_equal(EntropicOneClass().fit(masked).training_scores_, EntropicOneClass().fit(values).training_scores_)


# -- one rule for words that mean missing


def test_a_file_and_its_frame_lack_the_same_values(program, tmp_path):
    rng = np.random.default_rng(0)
    words = ["none", "?", "red", "NA", "null", "", "blue"]
    lines = [f"{rng.normal():.4f},{words[rng.integers(7)]},{rng.integers(0, 99999):05d}" for _ in range(150)]
    for name, some in (("train.csv", lines[:100]), ("new.csv", lines[100:])):
        (tmp_path / name).write_text("x,color, zip \n" + "\n".join(some) + "\n")
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc")
    run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv", "-o", tmp_path / "s.csv")
    theirs = pandas.read_csv(tmp_path / "s.csv", float_precision="round_trip")
    read = {"dtype": {" zip ": str}, "float_precision": "round_trip"}
    new = pandas.read_csv(tmp_path / "new.csv", **read)
    for model in (
        EntropicOneClass.load(tmp_path / "m.eocc"),
        quietly(lambda: EntropicOneClass().fit(pandas.read_csv(tmp_path / "train.csv", **read))),
    ):
        decisions = quietly(lambda model=model: model.decide(new))
        assert np.array_equal(decisions.accepted, theirs["accepted"])
        assert np.array_equal(decisions.score, theirs["score"])


# -- invariance


def test_order_and_format_of_a_frame_change_nothing(tmp_path):
    frame = mixed(150)
    frame["salary"] = np.round(30_000 + 9_000 * np.abs(np.random.default_rng(1).normal(size=150)))
    frame.loc[17, "salary"] = 2_500_000
    model = EntropicOneClass().fit(frame)
    expected = pandas.Series(model.training_scores_, index=frame.index)
    assert expected.idxmin() == 17
    accepted = pandas.Series(model.decide(frame).accepted, index=frame.index)
    for other in (
        frame.sample(frac=1, random_state=0),
        frame.sort_values("salary"),
        frame[frame.columns[::-1]],
        polars.from_pandas(frame),
    ):
        again = EntropicOneClass().fit(other)
        index = getattr(other, "index", frame.index)
        scores = pandas.Series(again.training_scores_, index=index).loc[frame.index]
        assert np.allclose(scores, expected, rtol=1e-9)
        assert np.array_equal(pandas.Series(again.decide(other).accepted, index=index).loc[frame.index], accepted)
    # One of the views weighs columns by their spread: other units move scores near the threshold, but no others.
    monthly = frame.assign(salary=frame["salary"] / 12_000)
    again = EntropicOneClass().fit(monthly)
    assert again.training_scores_.argmin() == 17
    assert (again.decide(monthly).accepted != accepted).mean() <= 0.05
    frame.to_csv(tmp_path / "t.csv", index=False)
    back = EntropicOneClass().fit(pandas.read_csv(tmp_path / "t.csv", float_precision="round_trip"))
    assert np.array_equal(back.training_scores_, model.training_scores_)


def test_digits_beyond_what_a_file_or_single_precision_keeps_change_nothing(tmp_path):
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(rng.normal(size=(400, 3)) * [1, 10, 1000], columns=["a", "b", "c"])
    model = EntropicOneClass().fit(frame)
    accepted = model.decide(frame).accepted
    frame.to_csv(tmp_path / "t.csv", index=False)
    # The fast parser of pandas may be off by one in the last digit.
    for other in (pandas.read_csv(tmp_path / "t.csv", float_precision="high"), frame.astype("float32")):
        assert np.array_equal(model.decide(other).accepted, accepted)


def test_the_order_of_many_rows_changes_nothing():
    # Beyond 512 rows, trimming examines some of them.
    frame = mixed(1500)
    model = EntropicOneClass().fit(frame)
    expected = pandas.Series(model.training_scores_, index=frame.index)
    accepted = pandas.Series(model.decide(frame).accepted, index=frame.index)
    for other in (frame.sample(frac=1, random_state=0), frame.sort_values("x"), frame[frame.columns[::-1]]):
        again = EntropicOneClass().fit(other)
        assert np.allclose(pandas.Series(again.training_scores_, index=other.index).loc[frame.index], expected, rtol=1e-9)
        assert (pandas.Series(again.decide(other).accepted, index=other.index).loc[frame.index] == accepted).all()


# -- custom metrics


def test_functions_must_be_dissimilarities():
    words = ["cat", "cart", "care", "core", "cord", "card"]
    with pytest.raises(ValueError, match="the other way round: give a symmetric function"):
        EntropicOneClass(lambda a, b: 0.0 if a == b else float(len(a) > len(b)) + 1).fit(words)
    with pytest.raises(ValueError, match="for sample 0 and itself, but must return 0"):
        EntropicOneClass(lambda a, b: 1.0).fit(words)
    EntropicOneClass(lambda a, b: float(abs(len(a) - len(b)))).fit(words)


# -- input


def test_one_string_and_bytes():
    model = quietly(lambda: EntropicOneClass().fit(["cat", "cart", "care", "core", "cord", "card"] * 4))
    for X in ("cat", b"cat"):
        with pytest.raises(TypeError, match=r"one sample: give a list of samples, such as \[X\]"):
            model.predict(X)
    with pytest.raises(TypeError, match="item.decode"):
        model.predict([b"cat"])


def test_lists_of_dictionaries():
    frame = mixed()
    records = frame.to_dict("records")
    model = EntropicOneClass().fit(records)
    assert np.array_equal(model.training_scores_, EntropicOneClass().fit(frame).training_scores_)
    one = model.decide(records[:1])
    assert one.score == model.decide(frame.iloc[:1]).score
    # Missing keys of a dictionary are missing values.
    with pytest.warns(EoccWarning, match="1 sample had missing values"):
        assert np.isfinite(model.score_samples([{"x": 0.1, "kind": "a"}])).all()


def test_rows_of_different_lengths_are_series():
    rng = np.random.default_rng(0)
    series = [rng.normal(size=10 + i % 3).tolist() for i in range(30)]
    model = EntropicOneClass().fit(series)
    assert model._model.kind == "time series"
    arrays = [np.array(one)[:, np.newaxis] for one in series]
    assert np.array_equal(model.training_scores_, EntropicOneClass().fit(arrays).training_scores_)


def test_axes_in_the_order_of_aeon_are_noted():
    X = np.random.default_rng(0).normal(size=(30, 2, 25))
    with pytest.warns(EoccWarning, match=r"give X.transpose\(0, 2, 1\)"):
        EntropicOneClass().fit(X)


def test_lists_of_words_are_texts():
    frame = mixed(60)
    rng = np.random.default_rng(4)
    tags = [rng.choice(["red", "round", "soft", "sweet"], size=rng.integers(0, 4)).tolist() for _ in range(60)]
    lists = EntropicOneClass().fit(frame.assign(tags=tags))
    texts = EntropicOneClass().fit(frame.assign(tags=[" ".join(words) for words in tags]))
    assert np.array_equal(lists.training_scores_, texts.training_scores_)
    with pytest.raises(ValueError, match=r"give a frame of one row, such as frame.iloc\[\[0\]\]"):
        EntropicOneClass().fit(frame).predict(frame.iloc[0])


def test_columns_that_nothing_can_be_made_of():
    frame = mixed(30)
    with pytest.raises(TypeError, match="column 'd' holds dictionaries"):
        EntropicOneClass().fit(frame.assign(d=[{"a": i} for i in range(30)]))
    with pytest.raises(TypeError, match="column 'c' holds complex numbers"):
        EntropicOneClass().fit(frame.assign(c=np.arange(30) * 1j))


def test_moments_with_and_without_a_zone():
    start = datetime.datetime(2024, 1, 1)
    rng = np.random.default_rng(0)
    moments = [start + datetime.timedelta(days=int(rng.integers(300))) for _ in range(40)]
    moments[3] = moments[3].replace(tzinfo=datetime.UTC)
    frame = pandas.DataFrame({"t": pandas.Series(moments, dtype=object), "x": rng.normal(size=40)})
    with pytest.warns(EoccWarning, match="column 't': some moments have a time zone"):
        EntropicOneClass().fit(frame)


def test_numbers_that_stand_for_nothing_are_noted():
    frame = mixed(60)
    frame.loc[[3, 9], "x"] = -9999.0
    with pytest.warns(EoccWarning, match="column 'x' is -9999 in 2 rows"):
        EntropicOneClass().fit(frame)


def test_top_must_not_be_negative():
    with pytest.raises(ValueError, match="top is -1, but must be at least 0"):
        eocc.find_outliers(mixed(), top=-1)


def test_folders_must_be_there(tmp_path):
    model = EntropicOneClass().fit(mixed())
    with pytest.raises(FileNotFoundError, match="there is no folder.*os.makedirs"):
        model.save(tmp_path / "none" / "m.eocc")


# -- results


def test_notes_of_the_program_are_warnings():
    model = EntropicOneClass().fit(mixed())
    odd = mixed(5, 1).assign(kind=["a", "b", "violet", "a", "violet"])
    with pytest.warns(EoccWarning, match="2 samples had a word in 'kind' that training did not have, such as 'violet'"):
        model.predict(odd)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(mixed(5, 1))


def test_another_share_may_be_rejected_than_the_model_was_fitted_with():
    model = EntropicOneClass().fit(mixed(200))
    new = mixed(300, 1)
    p = model.p_value(new)
    for share in (0.01, 0.3):
        assert np.array_equal(model.predict(new, reject=share), np.where(p > share, 1, -1))
        assert np.array_equal(model.decide(new, reject=share).accepted, p > share)
        assert np.array_equal(model.decide(new, reject=share, as_frame=True)["accepted"], p > share)
    for wrong in (0, 1, -0.1):
        with pytest.raises(ValueError, match="reject is .*, but must be above 0 and below 1"):
            model.predict(new, reject=wrong)


def test_values_that_stand_for_nothing_when_a_file_is_read(program, tmp_path):
    frame = mixed(120)
    frame.loc[[3, 9, 17], "x"] = -9999.0
    frame.loc[5, "kind"] = "unknown"
    frame.to_csv(tmp_path / "t.csv", index=False)
    run(program, "fit", tmp_path / "t.csv", "--na", "-9999,unknown", "-o", tmp_path / "m.eocc")
    model = EntropicOneClass().fit(eocc.read(tmp_path / "t.csv", na=[-9999, "unknown"]).samples)
    model.save(tmp_path / "ours.eocc")
    assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "m.eocc").read_bytes()
    # The model remembers it, for files and for frames.
    again = EntropicOneClass.load(tmp_path / "m.eocc")
    expected = quietly(lambda: again.score_samples(frame.replace({-9999.0: np.nan, "unknown": None})))
    assert np.array_equal(quietly(lambda: again.score_samples(frame)), expected)
    assert np.array_equal(again.score_samples(eocc.read(tmp_path / "t.csv", model=again).samples), expected)


def test_names_are_the_same_after_loading(tmp_path):
    frame = mixed(60)
    frame.insert(0, "customer_no", [f"C{i:03d}" for i in range(60)])
    model = quietly(lambda: EntropicOneClass().fit(frame))
    model.save(tmp_path / "m.eocc")
    again = EntropicOneClass.load(tmp_path / "m.eocc")
    with warnings.catch_warnings():
        # Its own key is not a novelty.
        warnings.simplefilter("error")
        theirs = again.explain(frame.iloc[:3])
    for ours, other in zip(model.explain(frame.iloc[:3]), theirs, strict=True):
        assert ours.nearest.tolist() == other.nearest.tolist()
        assert ours.nearest[0].startswith("C")


def test_words_of_an_index_are_names_after_loading_too(tmp_path):
    frame = mixed(60)
    frame.index = [f"r{i}" for i in range(60)]
    model = EntropicOneClass().fit(frame)
    model.save(tmp_path / "m.eocc")
    again = EntropicOneClass.load(tmp_path / "m.eocc")
    for ours, other in zip(model.explain(frame.iloc[:3]), again.explain(frame.iloc[:3]), strict=True):
        assert ours.nearest.tolist() == other.nearest.tolist()
        assert ours.nearest[0].startswith("r")
    # Numbers stay unchanged.
    frame.index = range(100, 160)
    assert EntropicOneClass().fit(frame).explain(frame.iloc[:1])[0].nearest[0] >= 100


def test_polars_in_polars_out():
    frame = polars.from_pandas(mixed())
    model = EntropicOneClass().fit(frame)
    assert isinstance(model.decide(frame, as_frame=True), polars.DataFrame)
    assert isinstance(model.explain(frame[:3], as_frame=True), polars.DataFrame)
    found = eocc.find_outliers(frame, top=3)
    assert isinstance(found, polars.DataFrame)
    assert found["row"].to_list() == eocc.find_outliers(mixed(), top=3).index.tolist()


def test_similar_outliers_are_in_one_group():
    rng = np.random.default_rng(0)
    values = np.vstack([rng.normal(size=(300, 2)), [[50 + 0.001 * i, 0.1] for i in range(6)], [[0.1, -30.0]]])
    found = eocc.find_outliers(values, top=7)
    assert sorted(found.groupby("group").size()) == [1, 6]


def test_importance_sums_up_shares():
    frame = mixed(100)
    model = EntropicOneClass().fit(frame)
    odd = frame.iloc[:4].assign(y=50.0)
    shares = model.importance(odd)
    assert next(iter(shares)) == "y" and sum(shares.values()) == pytest.approx(1)
    mean = np.mean([e.shares["y"] for e in model.explain(odd, n_nearest=10)])
    assert shares["y"] == pytest.approx(mean)
    assert set(model.importance()) == {"x", "y", "kind"}
    words = EntropicOneClass().fit(["cat", "cart", "care", "core", "cord"] * 5).importance()
    assert "letter sequences" in words and sum(words.values()) == pytest.approx(1)
    matrix = np.abs(np.subtract.outer(np.arange(25.0), np.arange(25.0)))
    assert EntropicOneClass(metric="precomputed").fit(matrix).importance() == {}


def test_fitted_attributes_are_documented():
    for name in dir(EntropicOneClass):
        if name.endswith("_") and not name.startswith("_"):
            assert getattr(EntropicOneClass, name).__doc__, name


# -- PyOD


def test_the_detector_takes_any_samples_and_explains():
    from eocc.pyod import EOCC

    words = ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "carve"] * 4
    detector = EOCC().fit(words)
    assert detector.predict_proba(["cat", "xylophone"]).shape == (2, 2)
    assert detector.threshold_ == -detector.estimator_.offset_
    records = mixed().to_dict("records")
    detector = EOCC(missing="impute").fit(records)
    assert detector.predict_proba(records[:3]).shape == (3, 2)
    assert len(detector.explain(records[:2])) == 2 and detector.why(records[:1])[0]
    assert np.array_equal(detector.predict(records), (detector.estimator_.predict(records) < 0).astype(int))


# -- plots


def test_new_points_and_calibration_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(0)
    model = EntropicOneClass().fit(rng.normal(size=(200, 2)))
    _, ax = plt.subplots()
    model.plot_map([[0.0, 0.1], [9.0, 9.0]], ax=ax)
    labels = ax.get_legend_handles_labels()[1]
    assert sum(label.endswith(", new") for label in labels) == 2
    assert any("rejected, new" in label for label in labels)
    fresh = rng.normal(size=(300, 2))
    _, ax = plt.subplots()
    model.plot_calibration(fresh, ax=ax)
    x, y = ax.get_lines()[-1].get_data()
    at = int(np.argmin(abs(x - 0.05)))
    assert y[at] == np.mean(model.p_value(fresh) <= x[at])
    plt.close("all")


def _told(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = call()
    return result, [str(w.message) for w in told if issubclass(w.category, EoccWarning)]


def test_zeros_that_pandas_loses_are_reported(tmp_path):
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"zip": rng.choice(["01234", "02139", "90210", "10115"], 200), "a": rng.normal(size=200), "b": rng.normal(size=200)})
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    plain = pandas.read_csv(path)
    _, told = _told(lambda: EntropicOneClass().fit(plain))
    assert any("has fewer digits than most" in text and "dtype={'zip': str}" in text for text in told), told
    model, told = _told(lambda: EntropicOneClass().fit(pandas.read_csv(path, dtype={"zip": str})))
    assert not told
    _, told = _told(lambda: model.decide(plain))
    assert any("'zip' that training did not have" in text for text in told), told


def test_words_among_numbers_are_reported(tmp_path):
    rng = np.random.default_rng(2)
    values = [f"{v:.2f}" for v in rng.normal(size=200)]
    values[150] = "nil"
    path = tmp_path / "t.csv"
    pandas.DataFrame({"isig": values, "glucose": rng.normal(size=200)}).to_csv(path, index=False)
    with pytest.raises(ValueError, match="is not a number, but 199 of the 200 values"):
        eocc.read(path)
    # pandas makes texts of the whole column.
    _, told = _told(lambda: EntropicOneClass().fit(pandas.read_csv(path)))
    assert any("'isig' holds words, since 'nil' is not a number" in text and "na_values=['nil']" in text for text in told), told
    model, told = _told(lambda: EntropicOneClass().fit(pandas.read_csv(path, na_values=["nil"])))
    assert not told and {c.type for c in model.schema_} == {"number"}


def test_files_in_other_encodings_and_notations_are_read(tmp_path):
    rng = np.random.default_rng(3)
    lines = [f"{rng.choice(['Köln', 'Bern'])};{v:.2f}".replace(".", ",") for v in rng.normal(size=60)]
    path = tmp_path / "t.csv"
    path.write_bytes("\n".join(["ort;wert", *lines]).encode("latin-1"))
    with pytest.raises(ValueError, match="say which encoding"):
        eocc.read(path)
    read = eocc.read(path, encoding="windows-1252", decimal=",")
    assert [(c.name, c.type) for c in read.schema] == [("ort", "category"), ("wert", "number")]
    with pytest.raises(ValueError, match="encoding is 'klingon': no encoding has this name"):
        eocc.read(path, encoding="klingon")
    with pytest.raises(ValueError, match="decimal must be"):
        eocc.read(path, encoding="windows-1252", decimal="!")


# -- columns of every type, scored as they were read


def columns_of_every_type(n=60):
    """One column of each type that a fit takes, by name."""
    rng = np.random.default_rng(0)
    seconds = rng.integers(1, 86_399, n)
    moments = pandas.to_datetime("2024-01-01") + pandas.to_timedelta(seconds * 300, unit="s")
    truths, whole, floats = rng.random(n) < 0.5, rng.integers(0, 30, n), rng.normal(size=n)
    spans = [datetime.timedelta(seconds=int(s)) for s in seconds]

    def gaps(values):
        return [None if i % 9 == 4 else v for i, v in enumerate(values)]

    def objects(values):
        return pandas.Series(values, dtype=object)

    return {
        **{f"float{bits}": floats.astype(f"float{bits}") for bits in (16, 32, 64)},
        **{f"{kind}{bits}": whole.astype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
        "bool": truths,
        "Int64": pandas.array(whole, dtype="Int64"),
        "Int64 with gaps": pandas.array(gaps(whole.tolist()), dtype="Int64"),
        "Float64": pandas.array(floats, dtype="Float64"),
        "boolean": pandas.array(truths, dtype="boolean"),
        "boolean with gaps": pandas.array(gaps(truths.tolist()), dtype="boolean"),
        "categories": pandas.Categorical(rng.choice(list("abc"), n)),
        "words": rng.choice(["red", "blue"], n),
        "days": [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(s) % 300) for s in seconds],
        "moments": moments,
        "moments in a zone": moments.tz_localize("UTC").tz_convert("Asia/Tokyo"),
        "durations": pandas.to_timedelta(seconds, unit="s"),
        "durations in ms": pandas.to_timedelta(seconds, unit="ms").astype("timedelta64[ms]"),
        "durations as objects": objects(spans),
        "durations with gaps": objects(gaps(spans)),
        "times of day": objects([(datetime.datetime(2024, 1, 1) + span).time() for span in spans]),
        "decimals": objects([decimal.Decimal(f"{v:.3f}") for v in floats]),
        "floats as objects": objects(floats.tolist()),
        "integers as objects": objects(whole.tolist()),
        "booleans as objects": objects(truths.tolist()),
    }


def libraries(frame):
    yield "pandas", frame
    yield "pandas on Arrow", frame.convert_dtypes(dtype_backend="pyarrow")
    yield "polars", polars.from_pandas(frame)
    yield "pyarrow", pyarrow.Table.from_pandas(frame, preserve_index=False)


def rows_of(X, start, stop):
    return X.iloc[start:stop] if hasattr(X, "iloc") else X.slice(start, stop - start)


@pytest.mark.parametrize("name", columns_of_every_type())
@pytest.mark.parametrize("is_mixed", [False, True])
def test_a_column_is_scored_as_it_was_read_at_fit(name, is_mixed):
    column, n = columns_of_every_type()[name], 60
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"a": rng.normal(size=n), "b": column, "c": rng.normal(size=n)})
    if is_mixed:
        frame["d"] = rng.choice(["u", "v"], n)
    for library, X in libraries(frame):
        if library == "polars" and name == "float16":
            X = X.with_columns(polars.col("b").cast(polars.Float32))
        model = quietly(lambda X=X: EntropicOneClass().fit(X))
        scores = quietly(lambda model=model, X=X: model.score_samples(X))
        assert np.allclose(scores, model.training_scores_, rtol=1e-9), library
        for start, stop in [(i, i + 1) for i in range(0, n, 5)] + [(0, 7), (7, n)]:
            part = quietly(lambda model=model, X=X, start=start, stop=stop: model.score_samples(rows_of(X, start, stop)))
            assert np.array_equal(part, scores[start:stop]), (library, start, stop)
        if "pandas" not in library:
            assert np.array_equal(np.asarray(model.score_arrow(X)["score"]), scores), library


# -- long integers


def test_long_integers_are_never_rounded():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.normal(size=60), "b": rng.integers(0, 40, 60)})
    model = EntropicOneClass().fit(frame)
    long = 2**53 + 1
    for column in (
        np.array([1, long]),
        np.array([1, 2**63 + 1], dtype=np.uint64),
        pandas.array([None, long], dtype="Int64"),
        pandas.Series([None, long], dtype=object),
        pandas.Series([1.5, long], dtype=object),
    ):
        new = pandas.DataFrame({"a": [0.0, 1.0], "b": column})
        for library, X in libraries(new) if column.dtype != object else [("pandas", new)]:
            for score in [model.score_samples, *([] if "pandas" in library else [model.score_arrow])]:
                with pytest.raises(ValueError, match=r"column 'b' of X, row 1.*cannot hold exactly"):
                    quietly(lambda score=score, X=X: score(X))
            assert len(quietly(lambda X=X: model.score_samples(rows_of(X, 0, 1)))) == 1, library
        twice = pandas.DataFrame({"a": rng.normal(size=60), "b": pandas.Series(column).repeat(30).reset_index(drop=True)})
        with pytest.raises(ValueError, match=r"column 'b' of X, row .*cannot hold exactly"):
            EntropicOneClass(types={"b": "number"}).fit(twice)


def test_long_integers_with_gaps_are_keys_as_in_a_file(tmp_path):
    rng = np.random.default_rng(0)
    keys = [None if i == 3 else 2**53 + 1 + 2 * int(i) for i in rng.permutation(60)]
    frame = pandas.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "k": pandas.array(keys, dtype="Int64")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    theirs = quietly(lambda: EntropicOneClass().fit(eocc.read(tmp_path / "t.csv").samples))
    for X in (frame, frame.astype({"k": object}), polars.from_pandas(frame)):
        model = quietly(lambda X=X: EntropicOneClass().fit(X))
        assert model.schema_[2].role == "key"
        assert np.array_equal(model.training_scores_, theirs.training_scores_)


def test_integers_of_128_bits():
    rng = np.random.default_rng(0)
    frame = polars.DataFrame({"a": rng.normal(size=60), "b": rng.integers(0, 40, 60)})
    model = EntropicOneClass().fit(frame)
    wide = frame.with_columns(polars.col("b").cast(polars.Int128))
    assert np.array_equal(EntropicOneClass().fit(wide).training_scores_, model.training_scores_)
    assert np.array_equal(model.score_samples(wide), model.score_samples(frame))
    with pytest.raises(ValueError, match="column 'b' of X, row 0.*cannot hold exactly"):
        model.score_samples(wide.with_columns(polars.lit(2**90 + 1, dtype=polars.Int128).alias("b")))


# -- numbers that came as texts


def with_texts(texts, seed=0):
    rng = np.random.default_rng(seed)
    return pandas.DataFrame({"a": rng.normal(size=len(texts)), "b": texts, "c": rng.normal(size=len(texts))})


def test_commas_in_numbers_of_a_frame_are_refused_as_in_a_file():
    values = np.random.default_rng(0).normal(40_000, 9_000, size=60)
    decimals = with_texts([f"{v / 1000:.2f}".replace(".", ",") for v in values])
    thousands = with_texts([f"{int(v):,}" for v in values])
    both = with_texts([f"{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in values])
    gaps = decimals.assign(b=decimals["b"].where(np.arange(60) % 7 != 3))
    for frame, message in ((decimals, "decimal comma"), (thousands, "separates thousands"), (both, "decimal comma"), (gaps, "decimal comma")):
        with pytest.raises(ValueError, match=f"column 'b' of X, row 0: .*{message}.*pandas.read_csv takes decimal=\",\""):
            EntropicOneClass().fit(frame)
        with pytest.raises(ValueError, match=f"column 'b' of X, row 0: .*{message}"):
            EntropicOneClass().fit(polars.from_pandas(frame))
        assert quietly(lambda frame=frame: EntropicOneClass(types={"b": "ignore"}).fit(frame)).schema_[1].role == "ignored"
    with pytest.raises(ValueError, match="polars.read_csv takes decimal_comma=True"):
        EntropicOneClass().fit(polars.from_pandas(decimals))
    # Words that contain commas are words.
    towns = with_texts(["Rome, Italy", "Bern, Switzerland", "Paris, France"] * 20)
    assert EntropicOneClass().fit(towns).schema_[1].type == "category"
    # And when they are scored.
    for model in (EntropicOneClass().fit(decimals.assign(b=values)), EntropicOneClass().fit(decimals.assign(b=values, d=towns["b"]))):
        with pytest.raises(ValueError, match="column 'b' of X, row 0: .*decimal comma"):
            model.score_samples(decimals.assign(d=towns["b"])[list(model.feature_names_in_)])


@pytest.mark.parametrize("is_text", [False, True])
def test_one_bad_cell_does_not_make_a_key_of_numbers(is_text):
    values = np.random.default_rng(0).normal(size=300)
    cells = [f"{v:.4f}" if is_text else v for v in values]
    cells[7] = "unknown"
    frame = with_texts(cells)
    with pytest.raises(ValueError, match=r'row 7: "unknown" is not a number, but 299 of the 300 .*pandas.read_csv takes na_values=\[\'unknown'):
        EntropicOneClass().fit(frame)
    if is_text:
        with pytest.raises(ValueError, match=r"polars.read_csv takes null_values=\['unknown'\]"):
            EntropicOneClass().fit(polars.from_pandas(frame))
        # Without the bad cell they are numbers, too.
        model = EntropicOneClass().fit(frame.drop(index=7))
        assert model.schema_[1] == ("b", "number", "feature", "")
        assert np.allclose(model.score_samples(frame.drop(index=7).astype({"b": float})), model.training_scores_, rtol=1e-9)
    # Numbers that repeat are words with a warning.
    few = with_texts(["high", "3", "4", "5", "3"] * 20)
    with pytest.warns(EoccWarning, match=r"column 'b' holds words, since 'high' .*pandas.read_csv takes na_values"):
        assert EntropicOneClass().fit(few).schema_[1].type == "category"
    with pytest.warns(EoccWarning, match=r"polars.read_csv takes null_values=\['high'\]"):
        EntropicOneClass().fit(polars.from_pandas(few))


@pytest.mark.parametrize("is_mixed", [False, True])
def test_numbers_as_texts_are_scored_as_numbers(is_mixed):
    frame = with_texts(np.random.default_rng(1).integers(0, 40, 60))
    if is_mixed:
        frame["d"] = ["u", "v", "w"] * 20
    model = EntropicOneClass().fit(frame)
    scores = model.score_samples(frame)
    texts = frame.assign(b=frame["b"].astype(str))
    for X in (texts, polars.from_pandas(texts)):
        assert np.array_equal(model.score_samples(X), scores)
        assert np.array_equal(model.score_samples(rows_of(X, 3, 4)), scores[3:4])
    marked = texts.assign(b=texts["b"].where(texts.index != 5, "?"))
    gaps = frame.assign(b=frame["b"].astype(float).where(frame.index != 5))
    assert np.array_equal(quietly(lambda: model.score_samples(marked)), quietly(lambda: model.score_samples(gaps)))
    with pytest.raises(ValueError, match="column 'b' of X, row 5: \"unknown\" is not a number"):
        model.score_samples(texts.assign(b=texts["b"].where(texts.index != 5, "unknown")))


def test_infinity_is_named():
    frame = with_texts(np.random.default_rng(1).normal(size=60))
    odd = frame.assign(b=frame["b"].where(frame.index != 5, np.inf))
    model = EntropicOneClass().fit(frame)
    for X in (odd, polars.from_pandas(odd)):
        with pytest.raises(ValueError, match="row 5, column 'b' is inf"):
            model.score_samples(X)
        with pytest.raises(ValueError, match="column 'b' of X, row 5"):
            EntropicOneClass().fit(X)
    array = EntropicOneClass().fit(frame.to_numpy())
    with pytest.raises(ValueError, match="row 5, column 1 is inf"):
        array.score_samples(odd.to_numpy())
    with pytest.raises(ValueError, match="row 5, column 1 is inf"):
        EntropicOneClass().fit(odd.to_numpy())


# -- time zones


def test_moments_without_the_zone_of_the_training_are_noted():
    rng = np.random.default_rng(0)
    moments = pandas.to_datetime("2024-01-01") + pandas.to_timedelta(rng.integers(0, 10**7, 60), unit="s")
    naive = pandas.DataFrame({"a": rng.normal(size=60), "t": moments})
    aware = naive.assign(t=moments.tz_localize("UTC").tz_convert("Asia/Tokyo"))
    for train, new, words in ((aware, naive, "no time zone and are read as UTC"), (naive, aware, "a time zone and are converted to UTC")):
        for (_, known), (_, other) in zip(libraries(train), libraries(new), strict=True):
            model = EntropicOneClass().fit(known)
            with pytest.warns(EoccWarning, match=f"column 't': these moments have {words}"):
                scores = model.score_samples(other)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert np.array_equal(model.score_samples(known), scores)


# -- names of columns


def test_names_of_several_levels_are_joined():
    rng = np.random.default_rng(0)
    flat = pandas.DataFrame(rng.normal(size=(60, 3)), columns=["a_min", "a_max", "b"])
    deep = flat.set_axis(pandas.MultiIndex.from_tuples([("a", "min"), ("a", "max"), ("b", "")]), axis=1)
    model = EntropicOneClass().fit(deep)
    assert list(model.feature_names_in_) == list(flat.columns)
    assert np.array_equal(model.score_samples(deep), EntropicOneClass().fit(flat).score_samples(flat))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.score_samples(deep[deep.columns[::-1]])


def test_names_that_are_numbers_are_noted():
    values = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(EoccWarning, match="column names are not text and are ignored, so columns are matched by position"):
        EntropicOneClass().fit(pandas.DataFrame(values, columns=[2023, 2024]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EntropicOneClass().fit(pandas.DataFrame(values))


# -- parameters of a loaded model


def test_a_loaded_model_can_be_fitted_again(tmp_path):
    frame = mixed(60)
    model = EntropicOneClass().fit(frame)
    model.save(tmp_path / "m.eocc")
    again = EntropicOneClass.load(tmp_path / "m.eocc")
    assert again.metric == "auto"
    assert np.array_equal(clone(again).fit(frame).training_scores_, model.training_scores_)
    # Even on samples of another kind.
    records = frame.assign(s=[np.arange(5.0) + i for i in range(60)])
    assert quietly(lambda: clone(again).fit(records))._model.kind == "records"


def test_nearest_samples_are_named_by_integers_if_their_keys_are():
    frame = mixed(60).assign(id=np.arange(1000, 1060))
    model = quietly(lambda: EntropicOneClass().fit(frame))
    nearest = model.explain(frame.iloc[:1])[0].nearest
    assert nearest.dtype.kind == "i" and set(nearest) <= set(frame["id"])


# -- what is not a table, and what is empty


def test_containers_that_cannot_be_read_are_refused_with_a_remedy():
    frame = mixed(60)
    for X, error, message in (
        (None, TypeError, "X is None: give a data frame"),
        (frame.to_dict("list"), TypeError, r"X is a dict: give a data frame, such as pandas.DataFrame\(X\)"),
        ([frame, frame], TypeError, r"list of data frames: give one frame, such as pandas.concat\(X\)"),
        (frame.to_records(index=False), TypeError, r"structured array: give a data frame"),
        (frame.to_numpy(), ValueError, r"could not convert string to float.*give a data frame"),
    ):
        with pytest.raises(error, match=message):
            EntropicOneClass().fit(X)
    dask = pytest.importorskip("dask.dataframe")
    for call in (EntropicOneClass().fit, EntropicOneClass().fit(frame).score_samples):
        with pytest.raises(TypeError, match=r"give X.compute\(\)"):
            call(dask.from_pandas(frame, npartitions=2))


def test_a_column_without_values_is_noted():
    frame = mixed(60)
    for X in (frame.assign(e=np.nan), frame.assign(e=None), frame[["x", "y"]].assign(e=np.nan).to_numpy()):
        with pytest.warns(EoccWarning, match="column '(e|x2)' has no values"):
            EntropicOneClass().fit(X)


def test_a_monitor_answers_nothing_with_nothing():
    frame = mixed(60)
    monitor = eocc.Monitor(warm_up=20)
    full = monitor.observe(frame)
    for X in (frame.iloc[:0], polars.from_pandas(frame)[:0]):
        empty = monitor.observe(X)
        assert len(empty) == 0 and list(empty.columns) == list(full.columns)
    assert monitor.seen == 60


def test_a_monitor_checks_its_counts_at_once():
    for make in (eocc.Monitor, EOCC):
        for name in ("warm_up", "window", "settle"):
            with pytest.raises(ValueError, match=f"{name} is -1, but must be at least 1"):
                make(**{name: -1})


def test_copies_of_rows_are_a_warning():
    rows = np.random.default_rng(0).normal(size=(100, 3))
    with pytest.warns(EoccWarning, match="300 of 400 samples are copies of an earlier one"):
        EntropicOneClass().fit(np.concatenate([rows] * 4))
