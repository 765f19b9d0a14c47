"""Measures `eocc serve`: latency at fixed rates next to a FastAPI program, memory over many requests, and faults.

    python scripts/serve.py PROGRAM LOAD docs/results/serve.md [--requests 1000000] [--seconds 8] [--only NAME]

PROGRAM is `eocc` built with the feature `serve`, LOAD the example `load` of `eocc-serve`, both in release mode. The interpreter
needs the Python package of this repository, numpy, fastapi, uvicorn, uvloop and httptools; schemathesis is found next to it.
Everything listens on the loopback interface. Results are written as each part ends.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np

ROWS, WIDTH = 1000, 8

FASTAPI = '''
import numpy as np
from fastapi import FastAPI, Request
from eocc import EntropicOneClass
app = FastAPI()
model = EntropicOneClass.load("good.eocc")
model.decide(np.zeros((1, {width})))

@app.post("/predict")
async def predict(request: Request):
    rows = np.array((await request.json())["rows"], dtype=np.float64)
    d = model.decide(rows)
    return {{"score": d.score.tolist(), "membership": d.membership.tolist(), "accepted": d.accepted.tolist(),
             "region": d.region.tolist(), "p_value": d.p_value.tolist()}}
'''


class Eocc:
    """One of our servers."""

    def __init__(self, program, folder, *arguments, log=None):
        self.log = Path(folder) / "serve.log" if log is None else Path(log)
        self.port = free_port()
        command = [program, "serve", *map(str, arguments), "--listen", f"127.0.0.1:{self.port}"]
        # A device such as /dev/full can be written to, but not truncated first.
        with open(self.log, "a" if log else "w") as out:
            self.process = subprocess.Popen(command, cwd=folder, stderr=out)
        self.url = f"http://127.0.0.1:{self.port}"
        wait_for(self.url + "/v2/health/ready")

    def resident(self):
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def metric(self, series):
        text = urllib.request.urlopen(self.url + "/metrics").read().decode()
        return float(next(line.rsplit(" ", 1)[1] for line in text.splitlines() if line.startswith(series + " ")))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return urllib.request.urlopen(url, timeout=5).status
        except (OSError, urllib.error.HTTPError):
            time.sleep(0.02)
    raise SystemExit(f"{url} does not answer")


def load(tool, port, path, bodies, **options):
    words = [f"--{name}={value}".split("=") for name, value in options.items() if value is not None]
    command = [tool, f"127.0.0.1:{port}", path, str(bodies), *[part for pair in words for part in pair]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def bodies(folder, name, rows, make):
    path = Path(folder) / name
    path.write_text("".join(json.dumps(make(some)) + "\n" for some in rows))
    return path


def tensor(rows):
    return {"inputs": [{"name": "rows", "datatype": "FP64", "shape": list(rows.shape), "data": rows.ravel().tolist()}]}


def answers(url, path, bodies):
    """The response to each body on an idle server."""
    found = []
    for body in Path(bodies).read_text().splitlines():
        request = urllib.request.Request(url + path, body.encode(), {"content-type": "application/json"})
        found.append(urllib.request.urlopen(request).read().decode().strip())
    return found


def post(url, path, body=b"", headers=None):
    request = urllib.request.Request(url + path, body, headers or {"content-type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


class Study:
    def __init__(self, args):
        self.args, self.parts = args, {}
        self.folder = tempfile.mkdtemp(prefix="eocc-serve-")
        rng = np.random.default_rng(0)
        self.rng = rng
        self.models = []
        for number in range(3):
            # Without column names: with them, scikit-learn warns about every array that the FastAPI program makes.
            data = Path(self.folder) / f"good{number}.npy"
            np.save(data, rng.normal(size=(ROWS, WIDTH)) @ rng.normal(size=(WIDTH, WIDTH)) + number)
            model = Path(self.folder) / f"good{number}.eocc"
            subprocess.run([args.program, "fit", data, "-o", model, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            self.models.append(model)
        shutil.copy(self.models[0], Path(self.folder) / "good.eocc")
        single = [rng.normal(size=(1, WIDTH)) * 3 for _ in range(500)]
        hundred = [rng.normal(size=(100, WIDTH)) * 3 for _ in range(50)]
        self.sizes = {"1 row": single, "100 rows": hundred}

    def write(self):
        head = [
            "# Serving",
            "",
            "`scripts/serve.py` measures `eocc serve` and its clients on one machine, over the loopback interface. Smaller versions of "
            "these tests are in `crates/eocc-serve/tests` and `crates/eocc-cli/tests/all/serve.rs`.",
            f"The model has {ROWS} rows of {WIDTH} numbers. The machine has {os.cpu_count()} cores and was busy with other work, "
            "so compare only figures on this page.",
        ]
        order = ["latency", "memory", "replaced", "kill", "damaged", "full disk", "slow clients", "raw bytes", "schemathesis", "token and limits"]
        text = "\n".join(head) + "\n" + "".join(self.parts[name] for name in order if name in self.parts)
        Path(self.args.output).write_text(text)

    def run(self):
        cache = Path(self.args.output).with_suffix(".parts.json")
        if cache.exists():
            self.parts = json.loads(cache.read_text())
        for name in ["latency", "memory", "replaced", "kill", "damaged", "full disk", "slow clients", "raw bytes", "schemathesis", "token and limits"]:
            if self.args.only and name not in self.args.only:
                continue
            print(name, flush=True)
            self.parts[name] = getattr(self, name.replace(" ", "_"))()
            print(self.parts[name], flush=True)
            cache.write_text(json.dumps(self.parts))
            self.write()

    def latency(self):
        args, folder = self.args, self.folder
        ours = Eocc(args.program, folder, "good.eocc")
        script = Path(folder) / "app.py"
        script.write_text(FASTAPI.format(width=WIDTH))
        port = free_port()
        command = [sys.executable, "-m", "uvicorn", "app:app", "--port", port, "--workers", 2, "--log-level", "warning"]
        theirs = subprocess.Popen(list(map(str, command)), cwd=folder)
        wait_for(f"http://127.0.0.1:{port}/openapi.json")
        found = {}
        try:
            for _ in range(args.rounds):
                for size, rows in self.sizes.items():
                    mine = bodies(folder, "mine.txt", rows, tensor)
                    other = bodies(folder, "other.txt", rows, lambda some: {"rows": some.tolist()})
                    expect = Path(folder) / "expect.txt"
                    expect.write_text("\n".join(answers(ours.url, "/v2/models/good/infer", mine)))
                    sides = {
                        "eocc serve": (ours.port, "/v2/models/good/infer", mine, expect),
                        "FastAPI": (port, "/predict", other, None),
                    }
                    for side, (at, path, file, right) in sides.items():
                        load(args.load, at, path, file, seconds=2, connections=16)
                        peak = load(args.load, at, path, file, seconds=args.seconds, connections=16, expect=right)
                        found.setdefault((size, side, "peak"), []).append(peak)
                        for share in (0.5, 0.9):
                            rate = max(1, peak["per_second"] * share)
                            result = load(args.load, at, path, file, seconds=args.seconds, connections=64, rate=rate, expect=right)
                            found.setdefault((size, side, share), []).append(result)
                    # Ours at their rate, too: the same work, not the same fraction of each capacity.
                    rate = max(1, found[(size, "FastAPI", "peak")][-1]["per_second"] * 0.9)
                    result = load(args.load, ours.port, "/v2/models/good/infer", mine, seconds=args.seconds, connections=64, rate=rate, expect=expect)
                    found.setdefault((size, "eocc serve", "theirs"), []).append(result)
        finally:
            theirs.terminate()
            theirs.wait()
            ours.stop()
        middle = lambda key, name: float(np.median([one[name] for one in found[key]]))
        lines = ["\n## Latency at a fixed rate\n",
                 "The load is open-loop: requests are due at fixed times, and latency counts from the time when each was due. The peak is the "
                 "closed-loop rate with 16 connections. FastAPI runs in uvicorn with two workers, uvloop and httptools, and calls the Python package. "
                 f"Each of our answers is compared with the one given when idle. Figures are medians of {args.rounds} rounds of {args.seconds} s.\n",
                 "| request | server | load | requests/s | p50 ms | p99 ms | p99.9 ms | refused | wrong |", "|---|---|---|---:|---:|---:|---:|---:|---:|"]
        names = {"peak": "peak, closed loop", 0.5: "50 % of its peak", 0.9: "90 % of its peak", "theirs": "90 % of FastAPI's peak"}
        for (size, side, share), runs in found.items():
            key = (size, side, share)
            wrong = str(sum(one["wrong"] for one in runs)) if side == "eocc serve" else ""
            refused = sum(one["refused"] + one["failed"] + one["lost"] for one in runs)
            lines.append(f"| {size} | {side} | {names[share]} | {middle(key, 'per_second'):.0f} | {middle(key, 'p50_ms'):.2f} | {middle(key, 'p99_ms'):.2f} | {middle(key, 'p999_ms'):.2f} | {refused} | {wrong} |")
        lines += ["", "The next table has ratios: FastAPI / ours for latency, and ours / FastAPI for the peak rate.", "", "| request | peak rate, ours / FastAPI | load | p50 | p99 | p99.9 |", "|---|---:|---|---:|---:|---:|"]
        for size in self.sizes:
            rate = middle((size, "eocc serve", "peak"), "per_second") / middle((size, "FastAPI", "peak"), "per_second")
            for share, other in ((0.5, 0.5), (0.9, 0.9), ("theirs", 0.9)):
                ratios = [middle((size, "FastAPI", other), name) / max(middle((size, "eocc serve", share), name), 1e-3) for name in ("p50_ms", "p99_ms", "p999_ms")]
                label = "same rate, 90 % of FastAPI's peak" if share == "theirs" else names[share].replace("its", "each one's")
                lines.append(f"| {size} | {rate:.1f} | {label} | " + " | ".join(f"{ratio:.1f}" for ratio in ratios) + " |")
        return "\n".join(lines) + "\n"

    def memory(self):
        server = Eocc(self.args.program, self.folder, "good.eocc")
        file = bodies(self.folder, "memory.txt", self.sizes["1 row"], tensor)
        expect = Path(self.folder) / "memory-expect.txt"
        expect.write_text("\n".join(answers(server.url, "/v2/models/good/infer", file)))
        sizes, total, wrong, lost = [(0, server.resident())], 0, 0, 0
        steps = [self.args.requests // 10] * 10
        start = time.monotonic()
        for step in steps:
            result = load(self.args.load, server.port, "/v2/models/good/infer", file, seconds=36000, count=step, connections=32, expect=expect)
            total += result["answers"]
            wrong += result["wrong"]
            lost += result["lost"] + result["failed"] + result["refused"]
            sizes.append((total, server.resident()))
        took = time.monotonic() - start
        server.stop()
        lines = [f"\n## {total:,} requests\n", f"Each request has one row; there were 32 connections, and it took {took:.0f} s. Wrong answers: {wrong}; refused, failed or lost: {lost}. Resident memory:\n",
                 "| answered | MiB |", "|---:|---:|", *[f"| {count:,} | {size:.1f} |" for count, size in sizes]]
        return "\n".join(lines) + "\n"

    def replaced(self):
        live = Path(self.folder) / "live.eocc"
        shutil.copy(self.models[2], live)
        server = Eocc(self.args.program, self.folder, "live.eocc", "--poll", "2ms", "--log", "errors")
        path = "/v2/models/live/infer"
        file = bodies(self.folder, "replaced.txt", self.sizes["1 row"][:50], tensor)
        every = []
        for model in self.models:
            put(model, live)
            post(server.url, "/v2/repository/models/live/load")
            every.append(answers(server.url, path, file))
        expect = Path(self.folder) / "replaced-expect.txt"
        expect.write_text("\n".join("\t".join(same) for same in zip(*every)))
        result = {}
        stop = time.monotonic() + 3600
        asking = threading.Thread(target=lambda: result.update(load(self.args.load, server.port, path, file, seconds=self.args.replace_seconds, connections=8, expect=expect)))
        asking.start()
        done = 0
        while asking.is_alive() and done < 1000 and time.monotonic() < stop:
            before = server.metric('eocc_model_loads_total{model="live"}')
            put(self.models[done % 3], live)
            done += 1
            while server.metric('eocc_model_loads_total{model="live"}') <= before and asking.is_alive():
                time.sleep(0.002)
        asking.join()
        loads = server.metric('eocc_model_loads_total{model="live"}')
        server.stop()
        return (f"\n## A model replaced under load\n\nThe file was replaced {done:,} times, and {loads:,.0f} versions were loaded, while 8 connections sent requests as fast as they could. "
                f"There were {result['answers']:,} answers: {result['wrong']} were from none of the three models, {result['lost'] + result['failed'] + result['refused']} lost, failed or refused; "
                f"p50 {result['p50_ms']:.2f} ms, p99.9 {result['p999_ms']:.2f} ms.\n")

    def kill(self):
        file = bodies(self.folder, "kill.txt", self.sizes["1 row"], tensor)
        times = []
        for _ in range(10):
            server = Eocc(self.args.program, self.folder, "good.eocc")
            asking = threading.Thread(target=load, args=(self.args.load, server.port, "/v2/models/good/infer", file), kwargs={"seconds": 1, "connections": 8})
            asking.start()
            time.sleep(0.3)
            server.process.kill()
            server.process.wait()
            start = time.monotonic()
            again = Eocc(self.args.program, self.folder, "good.eocc")
            times.append(time.monotonic() - start)
            status = post(again.url, "/v2/models/good/infer", file.read_bytes().splitlines()[0])[0]
            assert status == 200, status
            assert again.stop() == 0
            asking.join()
        return f"\n## Killed and restarted\n\nAfter KILL under load, ten times, the next process answered within {np.median(times):.2f} s (median; at most {max(times):.2f} s). The server leaves nothing on disk. TERM ends with exit code 0.\n"

    def damaged(self):
        live = Path(self.folder) / "damaged.eocc"
        shutil.copy(self.models[0], live)
        server = Eocc(self.args.program, self.folder, "damaged.eocc", "--poll", "5ms")
        right = self.models[0].read_bytes()
        random.seed(0)
        refused, answered, tried = 0, 0, 200
        file = bodies(self.folder, "damaged.txt", self.sizes["1 row"][:1], tensor)
        expected = answers(server.url, "/v2/models/damaged/infer", file)
        for turn in range(tried):
            bytes_ = bytearray(right)
            if turn % 2:
                bytes_ = bytes_[: random.randrange(len(bytes_))]
            else:
                bytes_[random.randrange(len(bytes_))] ^= 1 << random.randrange(8)
            (Path(self.folder) / "broken").write_bytes(bytes_)
            put(Path(self.folder) / "broken", live)
            status = post(server.url, "/v2/repository/models/damaged/load")[0]
            refused += status == 422
            answered += answers(server.url, "/v2/models/damaged/infer", file) == expected
        server.stop()
        return f"\n## Damaged model files\n\nOf {tried} files that were cut off or had one bit flipped, {refused} were refused with 422, and after {answered} of them, the old model answered as before.\n"

    def full_disk(self):
        server = Eocc(self.args.program, self.folder, "good.eocc", log="/dev/full")
        file = bodies(self.folder, "full.txt", self.sizes["1 row"], tensor)
        result = load(self.args.load, server.port, "/v2/models/good/infer", file, seconds=3, connections=8)
        dropped = server.metric("eocc_log_lines_dropped_total")
        code = server.stop()
        return f"\n## A full disk\n\nWith the log on a full device, there were {result['answers']:,} answers, and {result['lost'] + result['failed'] + result['refused']} were lost, failed or refused; `eocc_log_lines_dropped_total` was {dropped:,.0f}. Exit code {code}. The server writes nothing else.\n"

    def slow_clients(self):
        server = Eocc(self.args.program, self.folder, "good.eocc", "--client-timeout", "10s")
        file = bodies(self.folder, "slow.txt", self.sizes["1 row"], tensor)
        ask = lambda: load(self.args.load, server.port, "/v2/models/good/infer", file, seconds=4, rate=300, connections=16)
        before = ask()
        heads = [b"", b"POST /v2/models/good/infer HTT", b"POST /v2/models/good/infer HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{\"rows\": [["]
        slow = []
        for number in range(1000):
            s = socket.create_connection(("127.0.0.1", server.port))
            s.sendall(heads[number % 3])
            slow.append(s)
        opened = server.metric("eocc_connections")
        during = ask()
        time.sleep(12)
        left = server.metric("eocc_connections")
        time.sleep(22)
        later = server.metric("eocc_connections")
        memory = server.resident()
        server.stop()
        row = lambda name, r: f"| {name} | {r['answers']:,} | {r['lost'] + r['failed'] + r['refused']} | {r['p50_ms']:.2f} | {r['p99_ms']:.2f} |"
        return "\n".join(["\n## 1,000 slow and half-open clients\n", "A third of these clients send nothing, a third send half a head, and a third half a body; then all wait. Meanwhile, other clients send 300 requests per second.\n",
            "| | answers | lost, failed, refused | p50 ms | p99 ms |", "|---|---:|---:|---:|---:|", row("before", before), row("meanwhile", during), "",
            f"Open connections: {opened:.0f} with these clients, {left:.0f} after 12 s (those without a complete head are closed after 10 s), {later:.0f} after 34 s (a late body gets 408 after 30 s). Resident memory: {memory:.0f} MiB."]) + "\n"

    def raw_bytes(self):
        server = Eocc(self.args.program, self.folder, "good.eocc", "--client-timeout", "300ms", "--log", "errors")
        random.seed(1)
        good = json.dumps(tensor(self.sizes["1 row"][0])).encode()
        statuses = {}
        for turn in range(self.args.fuzz):
            body = bytearray(good if turn % 3 else random.randbytes(random.randrange(300)))
            for _ in range(random.randrange(1, 6)):
                if body:
                    body[random.randrange(len(body))] = random.randrange(256)
            kinds = ["application/json", "text/csv", "application/x-ndjson", "application/vnd.apache.arrow.stream"]
            kind = "application/json" if turn % 3 else random.choice(kinds)
            status = post(server.url, "/v2/models/good/" + random.choice(["infer", "explain"]), bytes(body), {"content-type": kind})[0]
            statuses[status] = statuses.get(status, 0) + 1
        for _ in range(500):
            with socket.create_connection(("127.0.0.1", server.port)) as s:
                s.sendall(random.randbytes(random.randrange(1, 400)))
        wait_for(server.url + "/v2/health/ready")
        panics = server.metric("eocc_panics_total")
        server.stop()
        told = ", ".join(f"{count:,} × {status}" for status, count in sorted(statuses.items()))
        return f"\n## Random bytes\n\n{self.args.fuzz:,} bodies, random or with some bytes changed, in every content type, got {told}. Then, 500 connections sent random bytes instead of HTTP. Panics: {panics:.0f}; the server continued to answer.\n"

    def schemathesis(self):
        tool = Path(sys.executable).with_name("schemathesis")
        if not tool.exists():
            return "\n## Schemathesis\n\nNot run: it is not installed.\n"
        # The description must name an existing model, or there would only be 404.
        server = Eocc(self.args.program, self.folder, "good.eocc", "--log", "errors")
        document = json.loads(urllib.request.urlopen(server.url + "/openapi.json").read())
        version = json.loads(urllib.request.urlopen(server.url + "/v2/models/good").read())["versions"][0]
        right = {"model": "good", "version": version}
        for path in document["paths"].values():
            for operation in path.values():
                for parameter in operation.get("parameters", []):
                    if parameter["name"] in right:
                        parameter["schema"] = {"type": "string", "enum": [right[parameter["name"]]]}
        file = Path(self.folder) / "openapi.json"
        file.write_text(json.dumps(document))
        # Unloading the model would make everything after it 503; that has its own tests.
        checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        command = [tool, "run", file, "--url", server.url, "--checks", checks, "--max-examples", str(self.args.examples),
                   "--exclude-path-regex", "unload", "--seed", "1", "--no-color"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=self.folder)
        panics = server.metric("eocc_panics_total")
        server.stop()
        Path(self.folder, "schemathesis.txt").write_text(done.stdout + done.stderr)
        found = re.findall(r"\d+ generated, .*", done.stdout)
        cases = found[0] if found else "no summary"
        return (f"\n## Schemathesis\n\n`schemathesis run` on `/openapi.json`, {self.args.examples} examples of each operation except `unload`, and the coverage and stateful phases; "
                f"checks {checks.replace(',', ', ')}. Cases: {cases}. Exit code {done.returncode}, panics: {panics:.0f}.\n")

    def token_and_limits(self):
        token = Path(self.folder) / "token.txt"
        token.write_text("a-token-of-some-length\n")
        server = Eocc(self.args.program, self.folder, "good.eocc", "--token-file", token, "--max-body", "100kB", "--max-rows", 100, "--max-queue", 1, "--batch-size", 1, "--threads", 1)
        right = {"authorization": "Bearer a-token-of-some-length", "content-type": "application/json"}
        path, rows = "/v2/models/good/infer", lambda count: json.dumps({"rows": [[0.5] * WIDTH] * count}).encode()
        told = {
            "no token": post(server.url, path, rows(1))[0],
            "a wrong token": post(server.url, path, rows(1), {**right, "authorization": "Bearer x"})[0],
            "the right token": post(server.url, path, rows(1), right)[0],
            "101 rows of 100": post(server.url, path, rows(101), right)[0],
            "a body of 200 kB": post(server.url, path, b" " * 200_000, right)[0],
            "an unknown model": post(server.url, "/v2/models/x/infer", rows(1), right)[0],
            "an unknown content type": post(server.url, path, rows(1), {**right, "content-type": "image/png"})[0],
        }
        busy, threads = [], []
        for _ in range(32):
            threads.append(threading.Thread(target=lambda: busy.append(post(server.url, path, rows(100), right))))
            threads[-1].start()
        for thread in threads:
            thread.join()
        told["32 at once, where one may wait"] = ", ".join(sorted({str(status) for status, _, _ in busy}))
        retry = {headers.get("retry-after") for status, _, headers in busy if status == 429}
        told["… the 429 say Retry-After"] = ", ".join(sorted(map(str, retry))) or "none came"
        server.stop()
        lines = ["\n## Tokens and limits\n", "| request | status |", "|---|---|", *[f"| {name} | {status} |" for name, status in told.items()]]
        return "\n".join(lines) + "\n"


def put(model, live):
    """Replaces a file atomically."""
    beside = live.with_suffix(".new")
    shutil.copy(model, beside)
    os.replace(beside, live)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("load")
    parser.add_argument("output")
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--replace-seconds", type=float, default=120)
    parser.add_argument("--fuzz", type=int, default=10_000)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    args.program, args.load = os.path.abspath(args.program), os.path.abspath(args.load)
    Study(args).run()


if __name__ == "__main__":
    main()
