"""What scoring costs in each data engine, and what fitting on a cluster gains: writes docs/results/engines.md.

    python scripts/engines.py PROGRAM [--rows N] [--strings N] [--only PART ...] [--tables TABLE ...] [--engines WORD ...]

Needs the package installed from a wheel in release profile, and the engines (bindings/python/requirements-engines.txt); engines that
are missing are left out and named. Parts: overhead, pieces, engines, fit. Each engine runs in a process of its own, so that memory is its
own.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
#: Training samples of the models that score.
TRAINING = 500
#: And of those whose calls are measured: what a call costs besides does not depend on it, and little else is seen better.
SMALL = 50
#: Rows of a call: one, what DuckDB hands over, and what Polars may.
CALLS = (1, 2048, 300_000)


def numbers(rows, seed):
    rng = np.random.default_rng(seed)
    return pa.table({f"x{i}": rng.normal(size=rows) for i in range(10)})


def mixed(rows, seed):
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.normal(size=rows) for i in range(6)}
    columns["color"] = rng.choice(["red", "green", "blue", "black"], size=rows)
    columns["shop"] = rng.choice([f"s{i}" for i in range(40)], size=rows)
    columns["is_new"] = rng.random(rows) < 0.3
    columns["day"] = np.datetime64("2024-01-01", "us") + rng.integers(0, 300, size=rows) * np.timedelta64(86_400_000_000, "us")
    return pa.table(columns)


TABLES = {"numbers": numbers, "mixed": mixed}


def strings(count):
    """Strings in families, as sequences come."""
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


def best(repeats, *runs):
    """The least processor time of this thread for each, turn by turn: it does not depend on what else the machine does as much as other
    time."""
    least = [float("inf")] * len(runs)
    for _ in range(repeats):
        for i, run in enumerate(runs):
            start = time.thread_time()
            run()
            least[i] = min(least[i], time.thread_time() - start)
    return least


# -- overhead for each call


def overhead():
    """Milliseconds of calls, by the rows of a call: the model alone on rows as it wants them, and the ways to it."""
    from eocc import EntropicOneClass

    for name, make in TABLES.items():
        model = EntropicOneClass().fit(make(SMALL, 0))
        for rows in CALLS:
            table = make(rows, 1)
            batch = table.combine_chunks().to_batches()[0]
            frame = table.to_pandas()
            repeats = {1: 1000, 2048: 40}.get(rows, 4)
            model.score_arrow(batch)
            if name == "numbers":
                samples = np.ascontiguousarray(frame.to_numpy())
            else:
                from eocc import _tables

                samples = model._model.samples_of_columns(_tables.columns(frame))
            alone, arrow, pandas = best(
                repeats, lambda: model._model.decide(samples), lambda: model.score_arrow(batch), lambda: model.score_samples(frame)
            )
            yield {"table": name, "rows": rows, "alone": alone, "arrow": arrow, "pandas": pandas}
        # What is left of a call when the scoring itself is taken away: a batch without rows.
        empty = make(1, 1).combine_chunks().to_batches()[0].slice(0, 0)
        yield {"table": name, "rows": 0, "alone": 0.0, "arrow": best(1000, lambda: model.score_arrow(empty))[0], "pandas": None}


# -- what engines hand over


class Spy:
    """Notes how many rows each call of a model gets, and how many calls are under way at a time."""

    def __init__(self, model):
        self.sizes, self.most, self._under_way, self._lock = [], 0, 0, threading.Lock()
        self._score, model.score_arrow = model.score_arrow, self

    def __call__(self, data, **options):
        with self._lock:
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        try:
            return self._score(data, **options)
        finally:
            with self._lock:
                self._under_way -= 1
                self.sizes.append(data.num_rows if hasattr(data, "num_rows") else data.height)


def polars_in_memory(path, model):
    import polars as pl

    from eocc.engines import polars as engine

    pl.read_parquet(path).select(engine.score(model))


def polars_streaming(path, model):
    import polars as pl

    from eocc.engines import polars as engine

    pl.scan_parquet(path).select(engine.score(model)).collect(engine="streaming")


HANDING_OVER = {
    "Polars, in memory": (polars_in_memory, "polars"),
    "Polars, streaming": (polars_streaming, "polars"),
    "DuckDB, function": (lambda path, model: by_duckdb_function(model, path, f"{path}.out"), "duckdb"),
    "DataFusion": (lambda path, model: by_datafusion(model, path, f"{path}.out"), "datafusion"),
}


def pieces():
    """How many rows the calls of an engine get that decides so itself, and how many are under way at a time."""
    from eocc import EntropicOneClass

    rows = CALLS[-1]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/numbers.parquet"
        pyarrow.parquet.write_table(numbers(rows, 1), path, row_group_size=100_000)
        for name, (run, module) in HANDING_OVER.items():
            line = {"engine": name, "rows": rows}
            try:
                __import__(module)
            except ImportError:
                yield line | {"missing": f"{module} is not installed"}
                continue
            model = EntropicOneClass().fit(numbers(TRAINING, 0))
            spy = Spy(model)
            run(path, model)
            line |= {"calls": len(spy.sizes), "fewest": min(spy.sizes), "most": max(spy.sizes), "together": spy.most}
            line["median"] = int(np.median(spy.sizes))
            if sum(spy.sizes) != rows:
                raise RuntimeError(f"{name} handed over {sum(spy.sizes)} of {rows} rows")
            yield line


# -- engines, each in a process of its own


def by_pyarrow(model, path, out):
    reader = pyarrow.parquet.ParquetFile(path)
    with pyarrow.parquet.ParquetWriter(out, pa.schema(model._model.arrow_schema())) as writer:
        for batch in reader.iter_batches(65_536):
            writer.write_batch(model.score_arrow(batch))


def by_pandas(model, path, out):
    import pandas

    frame = pandas.read_parquet(path)
    model.decide(frame, as_frame=True).to_parquet(out)


def by_polars(model, path, out):
    import polars as pl

    from eocc.engines import polars as engine

    pl.scan_parquet(path).select(engine.score(model)).unnest("eocc").sink_parquet(out)


def by_polars_in_memory(model, path, out):
    import polars as pl

    from eocc.engines import polars as engine

    pl.read_parquet(path).select(engine.score(model)).unnest("eocc").write_parquet(out)


def by_duckdb_function(model, path, out):
    import duckdb

    from eocc.engines import duckdb as engine

    con = duckdb.connect()
    engine.register(con, "eocc", model)
    columns = ", ".join(model.feature_names_in_)
    con.execute(f"copy (select unnest(eocc({columns})) from '{path}') to '{out}' (format parquet)")


def by_duckdb_stream(model, path, out):
    import duckdb

    from eocc.engines import duckdb as engine

    con = duckdb.connect()
    scored = engine.score(con.sql(f"from '{path}'"), model, keep=[])  # noqa: F841
    con.cursor().execute(f"copy (from scored) to '{out}' (format parquet)")


def by_datafusion(model, path, out):
    from datafusion import SessionContext

    from eocc.engines import datafusion as engine

    context = SessionContext()
    context.register_parquet("t", path)
    engine.register(context, "eocc", model)
    columns = ", ".join(model.feature_names_in_)
    # Each `e['score']` would call the function again.
    answers = ", ".join(f'"e.{name}" as {name}' for name in ("score", "p_value", "accepted", "region"))
    context.sql(f"select {answers} from (select unnest(e) from (select eocc({columns}) as e from t))").write_parquet(out)


def spark_session():
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.driver.maxResultSize": "3g",
    }
    # A task may fail some times: a worker may be killed.
    builder = SparkSession.builder.master(f"local[{os.environ.get('EOCC_WORKERS', '2')},8]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def by_spark(model, path, out):
    from eocc.engines import spark as engine

    engine.score(spark_session().read.parquet(path), model, keep=[]).write.mode("overwrite").parquet(out)


def ray_start():
    import ray

    workers = int(os.environ.get("EOCC_WORKERS", "2"))
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30, _node_ip_address="127.0.0.1")
    return ray


def by_ray(model, path, out):
    ray = ray_start()
    from eocc.engines import ray as engine

    ray.data.DataContext.get_current().enable_progress_bars = False
    # One processor is left for reading.
    engine.score(ray.data.read_parquet(path), model, actors=1, keep=[]).write_parquet(out)


def by_dask(model, path, out):
    import dask.dataframe
    from distributed import Client

    from eocc.engines import dask as engine

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        frame = dask.dataframe.read_parquet(path, split_row_groups=1)
        engine.decide(model, frame).to_parquet(out)


ENGINES = {
    "pyarrow, `score_arrow`": (by_pyarrow, "pyarrow"),
    "pandas, `decide`": (by_pandas, "pandas"),
    "Polars, streaming": (by_polars, "polars"),
    "Polars, in memory": (by_polars_in_memory, "polars"),
    "DuckDB, function": (by_duckdb_function, "duckdb"),
    "DuckDB, stream": (by_duckdb_stream, "duckdb"),
    "DataFusion": (by_datafusion, "datafusion"),
    "Dask, two workers": (by_dask, "distributed"),
    "Spark, two cores": (by_spark, "pyspark"),
    "Ray Data, one actor": (by_ray, "ray"),
}


def child(name, folder, table):
    """Runs one engine, once: its start, and the scoring of all rows from file to file."""
    from eocc import EntropicOneClass

    run, _ = ENGINES[name]
    folder = Path(folder)
    model = EntropicOneClass.load(folder / f"{table}.eocc")
    # Engines with several processes or several threads have the cores; the others get them from us.
    if name.startswith(("pyarrow", "pandas", "DuckDB, stream", "Polars", "DuckDB, function")):
        model.n_jobs = -1
    out = str(folder / "out")
    start = time.perf_counter()
    run(model, str(folder / f"{table}.parquet"), out)
    print(json.dumps({"seconds": time.perf_counter() - start}))


def peak_memory(process):
    """The most memory that a process and those below it had together, in bytes, looked at all the time."""
    import psutil

    most, top = 0, psutil.Process(process.pid)
    while process.poll() is None:
        total = 0
        for one in [top, *_children(top)]:
            try:
                total += one.memory_full_info().pss
            except psutil.Error:
                continue
        most = max(most, total)
        time.sleep(0.2)
    return most


def _children(process):
    import psutil

    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def timed(command, **options):
    """Output, seconds and the most memory of a command."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors, text=True, **options)
        memory = peak_memory(process)
        seconds = time.perf_counter() - start
        output.seek(0)
        errors.seek(0)
        text = output.read()
        if process.returncode != 0:
            raise RuntimeError(errors.read()[-2000:])
    return text, seconds, memory


def read_answers(path):
    """The answers that an engine wrote: a file, or a folder of them in the order of their names."""
    path = Path(path)
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    names = ["score", "p_value", "accepted", "region"]
    return pa.concat_tables([pyarrow.parquet.read_table(file, columns=names) for file in files])


def engines(program, rows, names, chosen):
    """Rows for a second, memory, and whether answers are those of the program."""
    from eocc import EntropicOneClass

    with tempfile.TemporaryDirectory() as folder:
        for table, make in ((name, TABLES[name]) for name in chosen):
            EntropicOneClass().fit(make(TRAINING, 0)).save(f"{folder}/{table}.eocc")
            pyarrow.parquet.write_table(make(rows, 1), f"{folder}/{table}.parquet", row_group_size=100_000)
            command = [program, "score", f"{table}.eocc", f"{table}.parquet", "-o", "expected.parquet", "--quiet"]
            _, seconds, memory = timed(command, cwd=folder)
            expected = read_answers(f"{folder}/expected.parquet")
            yield {"engine": "`eocc score`", "table": table, "seconds": seconds, "memory": memory, "same": True}
            for name, (_, module) in ENGINES.items():
                if names and not any(word in name for word in names):
                    continue
                line = {"engine": name, "table": table}
                try:
                    __import__(module)
                except ImportError:
                    yield line | {"missing": f"{module} is not installed"}
                    continue
                subprocess.run(["rm", "-rf", f"{folder}/out"], check=True)
                try:
                    text, _, memory = timed([sys.executable, __file__, program, "--child", name, folder, table])
                except RuntimeError as error:
                    yield line | {"missing": str(error).strip().splitlines()[-1]}
                    continue
                line |= json.loads(text.splitlines()[-1]) | {"memory": memory}
                found = read_answers(f"{folder}/out")
                # Engines with several workers may write rows in another order.
                keys = [(name, "ascending") for name in ("score", "p_value", "region")]
                is_same = found.combine_chunks().equals(expected.combine_chunks())
                line["same"] = is_same or found.sort_by(keys).combine_chunks().equals(expected.sort_by(keys).combine_chunks())
                line["in_order"] = is_same
                yield line


# -- fitting on a cluster


def fit_child(engine, count, kill):
    """Fits on a cluster, one of whose workers is killed while it computes, if that is asked for."""
    import hashlib

    from eocc import EntropicOneClass

    workers, samples = int(os.environ["EOCC_WORKERS"]), strings(count)
    killer = None
    if engine == "local":
        start = time.perf_counter()
        model = EntropicOneClass(n_jobs=workers).fit(samples)
    elif engine == "Dask":
        from distributed import Client

        from eocc.engines import dask

        with Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
            pids = list(client.run(os.getpid).values())
            killer = Killer(lambda: pids) if kill else None
            start = time.perf_counter()
            model = dask.fit(EntropicOneClass(), samples, client=client)
    elif engine == "Spark":
        from eocc.engines import spark

        session = spark_session()
        session.sparkContext.parallelize(range(workers), workers).map(lambda i: i).collect()
        killer = Killer(lambda: leaves("pyspark")) if kill else None
        start = time.perf_counter()
        model = spark.fit(EntropicOneClass(), samples, session=session)
    else:
        from eocc.engines import ray

        ray_start()
        killer = Killer(lambda: leaves("ray::")) if kill else None
        start = time.perf_counter()
        model = ray.fit(EntropicOneClass(), samples)
    seconds = time.perf_counter() - start
    digest = hashlib.sha256(model._model.to_bytes()).hexdigest()
    result = {"seconds": seconds, "digest": digest, "neighbors": model.plan_.get("neighbors")}
    if kill:
        # A fit that nothing happened to is no fit with a worker killed.
        if killer is None or killer.killed_after is None:
            raise RuntimeError("the fit ended before a worker was killed")
        result["killed_after"] = killer.killed_after
    print(json.dumps(result))


class Killer:
    """Kills one worker, while it computes: the first that has used `COMPUTED` seconds of processor time since the call, and is still using more."""

    #: Processor time that a worker must have had, and the time between two looks, in seconds.
    COMPUTED, LOOK = 2.0, 0.1

    def __init__(self, find):
        self.killed_after = None
        self._find, self._start = find, time.perf_counter()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        first, last = {}, {}
        while self.killed_after is None:
            for pid in self._find():
                used = processor_time(pid)
                if used is None:
                    continue
                is_busy = used - last.get(pid, used) > self.LOOK / 4
                if is_busy and used - first[pid] > self.COMPUTED:
                    os.kill(pid, signal.SIGKILL)
                    self.killed_after = time.perf_counter() - self._start
                    return
                first.setdefault(pid, used)
                last[pid] = used
            time.sleep(self.LOOK)


def processor_time(pid):
    """The seconds that a process has computed, or nothing if it is gone."""
    import psutil

    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return None
    return times.user + times.system


def leaves(word):
    """The processes below this one with this word in their command and none below them."""
    import psutil

    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if word in " ".join(process.cmdline()) and not process.children():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


#: Workers of a fit, and whether one of them is killed.
FITS = {"one": (1, False), "two": (2, False), "killed": (2, True)}


def fits(program, count, kinds, runs):
    for engine in kinds:
        for workers, kill in (FITS[run] for run in runs):
            if engine == "local" and kill:
                continue
            line = {"engine": engine, "workers": workers, "kill": kill, "samples": count}
            command = [sys.executable, __file__, program, "--fit-child", engine, str(count), str(int(kill))]
            try:
                text, _, memory = timed(command, env=os.environ | {"EOCC_WORKERS": str(workers)})
                line |= json.loads(text.splitlines()[-1]) | {"memory": memory}
            except RuntimeError as error:
                line["missing"] = str(error).strip().splitlines()[-1]
            yield line


def known(line):
    """What a result is of."""
    return tuple(line.get(key) for key in ("engine", "table", "rows", "workers", "kill", "samples"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--strings", type=int, default=20_000)
    parser.add_argument("--only", nargs="*", default=["overhead", "pieces", "engines", "fit"])
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--engines", nargs="*", default=[], help="words in the names of the engines to run")
    parser.add_argument("--fits", nargs="*", default=["local", "Dask", "Spark", "Ray"])
    parser.add_argument("--runs", nargs="*", default=list(FITS), choices=list(FITS), help="workers of the fits")
    parser.add_argument("--out", default=str(ROOT / "target" / "engines.json"))
    parser.add_argument("--page", default=str(ROOT / "docs" / "results" / "engines.md"))
    parser.add_argument("--child", nargs=3)
    parser.add_argument("--fit-child", nargs=3)
    args = parser.parse_args()
    if args.child:
        return child(*args.child)
    if args.fit_child:
        engine, count, kill = args.fit_child
        return fit_child(engine, int(count), kill == "1")
    args.program = os.path.abspath(args.program)
    out = Path(args.out)
    results = json.loads(out.read_text()) if out.exists() else {}
    results["machine"] = f"{os.cpu_count()} cores, {platform.processor() or platform.machine()}, Python {platform.python_version()}"
    parts = {
        "overhead": overhead,
        "pieces": pieces,
        "engines": lambda: engines(args.program, args.rows, args.engines, args.tables),
        "fit": lambda: fits(args.program, args.strings, args.fits, args.runs),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    for part in args.only:
        for line in parts[part]():
            line["load"] = os.getloadavg()[1]
            print(line, file=sys.stderr, flush=True)
            # Results of another run stay, unless they are measured again.
            results[part] = [other for other in results.get(part, []) if known(other) != known(line)] + [line]
            out.write_text(json.dumps(results, indent=1))
    Path(args.page).write_text(page(results, args.rows, args.strings), encoding="utf-8")
    return None


#: Samples that a search may look at, landmarks among them, and samples looked at for trimming and for recall.
VISITS, LANDMARKS, TRIMMING, RECALL = 2304, 576, 512, 64
#: The machines that the page speaks of.
MANY = 100


def page(results, rows, count):
    """The results as a page."""
    text = [
        "# Data engines in figures",
        "",
        f"Written by `python scripts/engines.py target/release/eocc` on {time.strftime('%Y-%m-%d')}: {results['machine']}.",
        f"{busy(results)} Unless a section says otherwise, models have {TRAINING:,} training samples.",
        "",
    ]
    if "overhead" in results:
        text += [*overhead_lines(results["overhead"]), ""]
    if "pieces" in results:
        text += [*piece_lines(results["pieces"]), ""]
    if "engines" in results:
        text += [*engine_lines(results["engines"], rows), ""]
    if "fit" in results:
        text += [*fit_lines(results["fit"], count), ""]
    return "\n".join(text).rstrip() + "\n"


PARTS = {"overhead": "the cost of a call", "pieces": "the rows of a call", "engines": "rows per second", "fit": "fits on a cluster"}


def busy(results):
    """What else the machine did meanwhile."""
    loads = {name: max((line["load"] for line in part if "load" in line), default=0) for name, part in results.items() if isinstance(part, list)}
    high = {PARTS.get(name, name): load for name, load in loads.items() if load >= 1.5 * os.cpu_count()}
    if not high:
        return "The machine was otherwise idle."
    during = " and ".join(high)
    return (
        f"While it measured {during}, the machine also did other work at low priority (load average up to {max(high.values()):.0f} on\n"
        f"{os.cpu_count()} cores), so these times are longer than on an idle machine. Otherwise, it was idle."
    )


def overhead_lines(lines):
    text = [
        "## Cost of a call",
        "",
        f"Figures are the CPU time of one thread, the minimum over several calls, for models with {SMALL} training samples. *Model only* is for",
        "samples that are already in the model's form. *Overhead* is what `score_arrow` adds: it finds the columns, copies numbers once from",
        "columns to rows (Arrow has columns, but a model compares rows), and returns the answers as a batch. It is the difference of two times,",
        "and as uncertain as they are. A batch without rows costs only the call. Rows of numbers are copied and scored about ten thousand at a",
        "time, which may be faster than scoring all of them at once.",
        "",
        "| columns | rows | model only | `score_arrow` | overhead | per row | pandas, `score_samples` |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in sorted(lines, key=lambda line: (list(TABLES).index(line["table"]), line["rows"])):
        besides = (line["arrow"] - line["alone"]) * 1e6
        each = f"{1e3 * besides / line['rows']:.0f} ns" if line["rows"] > 1 else ""
        pandas = "" if line["pandas"] is None else f"{line['pandas'] * 1e6:,.0f} us"
        text.append(
            f"| {line['table']} | {line['rows']:,} | {line['alone'] * 1e6:,.0f} us | {line['arrow'] * 1e6:,.0f} us | {besides:+,.0f} us "
            f"| {each} | {pandas} |"
        )
    return text


def piece_lines(lines):
    text = [
        "## Rows per call",
        "",
        f"These engines decide how many of {CALLS[-1]:,} rows they pass at a time; the Parquet file has row groups of 100,000.",
        "",
        "| engine | calls | rows per call: minimum | median | maximum | concurrent calls |",
        "|---|---|---|---|---|---|",
    ]
    for line in lines:
        if "missing" in line:
            text.append(f"| {line['engine']} | {line['missing']} | | | | |")
            continue
        text.append(
            f"| {line['engine']} | {line['calls']:,} | {line['fewest']:,} | {line['median']:,} | {line['most']:,} | {line['together']} |"
        )
    return text


def engine_lines(lines, rows):
    text = [
        "## Rows per second",
        "",
        f"Each engine scores {rows:,} rows from a Parquet file into another. Tables have ten columns: all numbers, or (*mixed*) six of numbers, two",
        "of categories, one of booleans and one of dates. Times include starting the engine but, except for the program, not starting Python and",
        "loading the model. Memory is that of all processes, with shared pages divided among them. Each engine ran once.",
        "",
        "| engine | columns | rows/s | seconds | memory | answers |",
        "|---|---|---|---|---|---|",
    ]
    order = ["`eocc score`", *ENGINES]
    measured = {(line["engine"], line["table"]) for line in lines}
    gaps = [{"engine": e, "table": t, "missing": "not measured"} for t in TABLES for e in order if (e, t) not in measured]
    lines = [*lines, *gaps]
    for line in sorted(lines, key=lambda line: (list(TABLES).index(line["table"]), order.index(line["engine"]))):
        if "missing" in line:
            text.append(f"| {line['engine']} | {line['table']} | | | | {line['missing']} |")
            continue
        same = "same bits as `eocc score`" if line["same"] else "DIFFERENT"
        text.append(
            f"| {line['engine']} | {line['table']} | {rows / line['seconds']:,.0f} | {line['seconds']:.1f} "
            f"| {line['memory'] / 2**20:,.0f} MiB | {same} |"
        )
    return text


def fit_lines(lines, count):
    text = [
        "## Fitting on a cluster",
        "",
        f"The data is {count:,} strings, with `preset=\"default\"`. In some runs, one worker is killed with SIGKILL while it computes.",
        "",
        "| engine | processes | killed | seconds | memory | same bytes as a local fit | SHA-256 of the model |",
        "|---|---|---|---|---|---|---|",
    ]
    local = next((line["digest"] for line in lines if line["engine"] == "local" and "digest" in line), None)
    order = ["local", "Dask", "Spark", "Ray"]
    measured = {(line["engine"], line["workers"], line["kill"]) for line in lines}
    runs = [(engine, *run) for engine in order for run in FITS.values() if engine != "local" or not run[1]]
    gaps = [{"engine": e, "workers": w, "kill": k, "missing": "not measured"} for e, w, k in runs if (e, w, k) not in measured]
    lines = [*lines, *gaps]
    for line in sorted(lines, key=lambda line: (order.index(line["engine"]), line["workers"], line["kill"])):
        if "missing" in line:
            gone = "one" if line["kill"] else ""
            text.append(f"| {line['engine']} | {line['workers']} | {gone} | | | {line['missing']} | |")
            continue
        same = "no local fit" if local is None else "yes" if line["digest"] == local else "NO"
        gone = f"one, after {line['killed_after']:.0f} s" if line["kill"] else ""
        text.append(
            f"| {line['engine']} | {line['workers']} | {gone} | {line['seconds']:.1f} | {line['memory'] / 2**20:,.0f} MiB | {same} "
            f"| {line['digest'][:12]} |"
        )
    return [*text, "", *forecast(lines, count)]


def forecast(lines, count):
    """What many machines would give, from the comparisons that each has to make and the times of one and two."""
    each = {"trimming": TRIMMING, "landmarks": LANDMARKS, "candidates": VISITS - LANDMARKS}
    total = sum(each.values()) * count + RECALL * count
    serial = LANDMARKS // 2 * count
    text = [
        f"A fit of {count:,} strings compares {total / 1e6:.1f} million pairs: {TRIMMING} of each sample for trimming, {LANDMARKS} with the",
        f"landmarks, {VISITS - LANDMARKS} candidates, and {RECALL} whole rows to estimate the recall. Half of the landmarks are chosen one by one;",
        f"their {serial / 1e6:.1f} million pairs ({100 * serial / total:.0f} %) stay on the machine that fits if a column of them takes less than a",
        "quarter of a second, as with strings. If it takes longer, as with graphs, each column is a round on the cluster.",
    ]
    times = {(line["engine"], line["workers"]): line["seconds"] for line in lines if "seconds" in line and not line["kill"]}
    for engine in ("Dask", "Spark", "Ray"):
        one, two = times.get((engine, 1)), times.get((engine, 2))
        if one is None or two is None:
            continue
        if two >= one:
            text += [
                "",
                f"{engine}: {one:.1f} s with one process and {two:.1f} s with two. Two were not faster, so nothing follows for more machines;"
                " were these runs measured alone?",
            ]
            continue
        shared = min(one, 2 * (one - two))
        rest = one - shared
        text += [
            "",
            f"{engine}: {one:.1f} s with one process and {two:.1f} s with two, {one / two:.2f} times as fast. If one part of the work is divided"
            f" and the rest is not, {shared:.1f} s are divided and {rest:.1f} s are not, so {MANY} machines would need {rest + shared / MANY:.1f} s:"
            f" {one / (rest + shared / MANY):.1f} times as fast as one.",
        ]
    text += [
        "",
        f"If pairs are slow, their number decides. At 1 ms per pair, {total / 1e6:.1f} million pairs take {total / 1e3 / 3600:.1f} hours on one core, and"
        f" {total / 1e3 / MANY / 60:.0f} minutes on {MANY}. The {LANDMARKS // 2} rounds of the landmarks add {LANDMARKS // 2} waits for the slowest machine,"
        " about a minute. Everything else takes as long as with strings.",
    ]
    return text


if __name__ == "__main__":
    main()
