"""The engines: each starts its engine, scores a table and gives the results of `eocc score` on the same file, bit for
bit.

Engines that are not installed are skipped; `cargo xtask engines` installs all of them.
"""

import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from conftest import graphs, words

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402
from test_arrow import mixed, numbers  # noqa: E402

from eocc import EntropicOneClass  # noqa: E402

ANSWERS = ["score", "p_value", "accepted", "region"]
TABLES = {"numbers": numbers, "mixed": mixed}


@pytest.fixture(scope="module", params=TABLES)
def case(request, program, tmp_path_factory):
    """A model, new rows in a file, and the program's results for them."""
    folder = tmp_path_factory.mktemp(request.param)
    make = TABLES[request.param]
    model = EntropicOneClass().fit(make(800))
    new = make(3000, 1)
    new = new.append_column("key", pa.array(range(3000)))
    path = folder / "new.parquet"
    pyarrow.parquet.write_table(new, path, row_group_size=700)
    model.save(folder / "m.eocc")
    command = [program, "score", "m.eocc", "new.parquet", "-o", "scores.parquet", "--quiet", "--drop", "key"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return model, str(path), pyarrow.parquet.read_table(folder / "scores.parquet")


def require_same(found, expected):
    """The results in the order of the keys equal those of the program."""
    found = found.sort_by("key") if "key" in found.schema.names else found
    for name in ANSWERS:
        ours, theirs = found[name].combine_chunks(), expected[name].combine_chunks()
        assert ours.cast(theirs.type).equals(theirs), name


def names_of(model):
    return list(model.feature_names_in_)


# -- Polars


def test_polars(case):
    pl = pytest.importorskip("polars")
    from eocc.engines import polars as engine

    model, path, expected = case
    lazy = pl.scan_parquet(path).with_columns(engine.score(model)).unnest("eocc")
    for kind in ("in-memory", "streaming"):
        require_same(lazy.collect(engine=kind).to_arrow(), expected)
    eager = pl.read_parquet(path).select("key", engine.score(model, membership=True, reasons=True)).unnest("eocc")
    assert eager.columns == ["key", *ANSWERS, "membership", "reasons"]
    assert pl.scan_parquet(path).filter(engine.score(model).struct["accepted"]).collect().height == sum(
        expected["accepted"].to_pylist()
    )


# -- DuckDB


def test_duckdb(case):
    duckdb = pytest.importorskip("duckdb")
    from eocc.engines import duckdb as engine

    model, path, expected = case
    con = duckdb.connect()
    engine.register(con, "eocc", model)
    columns = ", ".join(names_of(model))
    query = f"select key, unnest(eocc({columns})) from '{path}' order by key"
    require_same(con.sql(query).to_arrow_table(), expected)
    streamed = engine.score(con.sql(f"from '{path}'"), model, batch_size=500)
    require_same(streamed.read_all(), expected)
    streamed = engine.score(con.sql(f"from '{path}'"), model, keep=["key"])  # noqa: F841
    # A connection has only one open result, which is the query being scored.
    found = con.cursor().sql("select count(*), sum(accepted::int) from streamed").fetchall()
    assert found == [(3000, sum(expected["accepted"].to_pylist()))]


def test_duckdb_hands_over_what_is_missing():
    duckdb = pytest.importorskip("duckdb")
    from eocc.engines import duckdb as engine

    model = EntropicOneClass(missing="error").fit(numbers())
    con = duckdb.connect()
    engine.register(con, "strict", model)
    with pytest.raises(duckdb.Error, match="the value is missing"):
        con.sql("select strict(1.0, null, 0.5)").fetchall()
    engine.register(con, "lenient", model, bad_rows="null")
    assert con.sql("select lenient(1.0, null, 0.5).score").fetchall() == [(None,)]


# -- DataFusion


def test_datafusion(case, monkeypatch):
    datafusion = pytest.importorskip("datafusion")
    from eocc.engines import datafusion as engine

    model, path, expected = case
    context = datafusion.SessionContext()
    context.register_parquet("t", path)
    engine.register(context, "eocc", model)
    columns = ", ".join(names_of(model))
    calls = []
    score = model.score_arrow
    monkeypatch.setattr(model, "score_arrow", lambda batch, **options: calls.append(batch.num_rows) or score(batch, **options))
    answers = ", ".join(f'"e.{name}" as {name}' for name in ANSWERS)
    spread = f"select key, unnest(e) from (select key, eocc({columns}) as e from t)"
    require_same(context.sql(f"select key, {answers} from ({spread})").to_arrow_table(), expected)
    # Taken one by one, the fields of the struct cost a call each.
    assert sum(calls) == 3000
    fields = ", ".join(f"e['{name}'] as {name}" for name in ANSWERS)
    query = f"select key, {fields} from (select key, eocc({columns}) as e from t)"
    require_same(context.sql(query).to_arrow_table(), expected)


# -- Dask


def test_dask(case):
    pytest.importorskip("dask.dataframe")
    import dask.dataframe

    from eocc.engines import dask as engine

    model, path, expected = case
    frame = pyarrow.parquet.read_table(path).to_pandas().set_index("key")
    found = engine.decide(model, dask.dataframe.from_pandas(frame, npartitions=4))
    assert found.npartitions == 4
    table = pa.Table.from_pandas(found.compute(scheduler="threads").reset_index())
    require_same(table, expected)


# -- Spark


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    try:
        session = (
            # Workers are processes, and one of them may die: local mode retries a task only if configured to.
            SparkSession.builder.master("local[2,6]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
            .config("spark.driver.memory", "2g")
            .getOrCreate()
        )
    except Exception as error:
        pytest.skip(f"Spark cannot be started: {error}")
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark(case, spark):
    from eocc.engines import spark as engine

    model, path, expected = case
    frame = spark.read.parquet(path).repartition(4)
    scored = engine.score(frame, model)
    assert scored.columns == [*frame.columns, *ANSWERS]
    require_same(scored.toArrow(), expected)
    function = engine.udf(model, session=spark)
    require_same(frame.select("key", function(*names_of(model)).alias("e")).select("key", "e.*").toArrow(), expected)
    spark.udf.register("eocc", function)
    frame.createOrReplaceTempView("t")
    columns = ", ".join(names_of(model))
    require_same(spark.sql(f"select key, e.* from (select key, eocc({columns}) as e from t)").toArrow(), expected)


COUNTED = """
import os
from eocc import EntropicOneClass

class Counted(EntropicOneClass):
    def __setstate__(self, state):
        super().__setstate__(state)
        with open(self.loads, "a") as file:
            file.write(f"{os.getpid()}\\n")
"""


def test_spark_loads_the_model_once_in_each_worker(spark, tmp_path, monkeypatch):
    from eocc.engines import spark as engine

    (tmp_path / "counted.py").write_text(COUNTED)
    monkeypatch.syspath_prepend(tmp_path)
    spark.sparkContext.addPyFile(str(tmp_path / "counted.py"))
    from counted import Counted

    model = Counted().fit(numbers())
    model.loads = str(tmp_path / "loads")
    frame = spark.createDataFrame(numbers(3000, 1).to_pandas()).repartition(12)
    function = engine.udf(model, session=spark)
    assert engine.score(frame, model).filter("accepted").count() == frame.filter(function(*names_of(model)).accepted).count() > 0
    processes = (tmp_path / "loads").read_text().split()
    # Two queries of twelve tasks each, and several batches in a task.
    assert 1 <= len(processes) <= 4 and len(set(processes)) == len(processes)


# -- Ray


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    try:
        ray.init(
            # Two for actors, the others for readers.
            num_cpus=4,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=400 << 20,
            _node_ip_address="127.0.0.1",
        )
    except Exception as error:
        pytest.skip(f"Ray cannot be started: {error}")
    yield ray
    ray.shutdown()


def test_ray(case, ray):
    import ray.data as data

    from eocc.engines import ray as engine

    data.DataContext.get_current().enable_progress_bars = False
    model, path, expected = case
    scored = engine.score(data.read_parquet(path), model, actors=2, batch_size=400, keep=["key"])
    table = pa.concat_tables(ray.get(scored.to_arrow_refs()))
    assert table.schema.names == ["key", *ANSWERS]
    require_same(table, expected)


# -- fitting on a cluster


def strings(count):
    """Strings in families, more than a fit examines: neighbors are found by landmarks."""
    rng = np.random.default_rng(0)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    found = []
    while len(found) < count:
        parent = rng.choice(letters, size=rng.integers(30, 60))
        for _ in range(min(20, count - len(found))):
            child = parent.copy()
            at = rng.integers(0, len(child), size=rng.integers(1, 8))
            child[at] = rng.choice(letters, size=len(at))
            found.append("".join(child))
    return found


#: Samples, few enough for a test, and a limit that makes a fit examine only some of them.
COUNT, VISITS = 1500, 256


@pytest.fixture(scope="module")
def local():
    return EntropicOneClass(visits=VISITS).fit(strings(COUNT))._model.to_bytes()


def killed(find, after):
    """Kills the first process that `find` finds, a little after it appears."""
    gone = []

    def kill():
        end = time.monotonic() + 60
        while time.monotonic() < end and not gone:
            found = find()
            if found:
                time.sleep(after)
                os.kill(found[0], signal.SIGKILL)
                gone.append(found[0])
            time.sleep(0.01)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread, gone


def children(name):
    """Processes under this one that do the work: leaves of the process tree with this word in their command."""
    import psutil

    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if name in " ".join(process.cmdline()) and not process.children():
                found.append((process.cpu_times().user, process.pid))
        except psutil.Error:
            continue
    return found


@pytest.mark.filterwarnings("ignore")
def test_dask_fits_with_a_worker_killed(local):
    distributed = pytest.importorskip("distributed")
    from eocc.engines import dask as engine

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        pid = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
        timer.start()
        model = engine.fit(EntropicOneClass(visits=VISITS), strings(COUNT), client=client)
        timer.join()
        assert pid not in client.run(os.getpid).values()
    assert model._model.to_bytes() == local


def test_spark_fits_with_a_worker_killed(spark, local):
    from eocc.engines import spark as engine

    # Of the Python workers forked by the daemon, one that is computing.
    busy = lambda: [pid for time, pid in children("pyspark") if time > 0.05]  # noqa: E731
    thread, gone = killed(busy, 0.05)
    model = engine.fit(EntropicOneClass(visits=VISITS), strings(COUNT), session=spark)
    thread.join()
    assert gone
    assert model._model.to_bytes() == local


def test_ray_fits_with_a_worker_killed(ray, local):
    from eocc.engines import ray as engine

    busy = lambda: [pid for _, pid in children("ray::call")]  # noqa: E731
    thread, gone = killed(busy, 0.05)
    model = engine.fit(EntropicOneClass(visits=VISITS), strings(COUNT))
    thread.join()
    assert gone
    assert model._model.to_bytes() == local


@pytest.mark.parametrize("visits", [None, 64], ids=["matrix", "landmarks"])
@pytest.mark.parametrize("engine", ["spark", "ray"])
def test_graphs_are_compared_on_a_cluster(engine, visits, request):
    cluster = request.getfixturevalue(engine)
    samples = graphs(100)
    here = EntropicOneClass(visits=visits).fit(samples)._model.to_bytes()
    if engine == "spark":
        from eocc.engines import spark

        model = spark.fit(EntropicOneClass(visits=visits), samples, session=cluster)
    else:
        from eocc.engines import ray

        model = ray.fit(EntropicOneClass(visits=visits), samples)
    assert model._model.to_bytes() == here


def test_a_frame_of_spark_may_be_fitted(spark):
    from eocc.engines import spark as engine

    table = pa.table({"word": words(60)})
    frame = spark.createDataFrame(table.to_pandas())
    model = engine.fit(EntropicOneClass(), frame, session=spark)
    assert model._model.to_bytes() == EntropicOneClass().fit(table)._model.to_bytes()
