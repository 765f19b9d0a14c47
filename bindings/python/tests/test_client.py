"""Models behind `eocc serve`: the same results as the estimator, bit for bit."""

import json
import subprocess
import threading

import numpy as np
import pandas
import pytest

from eocc import EntropicOneClass
from eocc.client import Client, ServerError


class Server:
    """A server that runs until it is stopped."""

    def __init__(self, program, *arguments):
        command = [program, "serve", "--listen", "127.0.0.1:0", *map(str, arguments)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if line.startswith("{") and json.loads(line)["event"] == "listening":
                self.url = "http://" + json.loads(line)["address"]
                break
        else:
            raise AssertionError("the server did not start")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=60)


@pytest.fixture
def serve(program):
    running = []

    def start(*arguments):
        running.append(Server(program, *arguments))
        return running[-1]

    yield start
    for server in running:
        server.process.kill()
        server.process.wait()


def assert_same(remote, local):
    for name in local._fields:
        assert np.array_equal(getattr(remote, name), getattr(local, name)), name


def test_arrays_and_frames(serve, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 4))
    EntropicOneClass().fit(rows).save(tmp_path / "array.eocc")
    frame = pandas.DataFrame({"size": rows[:, 0], "kind": rng.choice(["a", "b"], 120), "is_new": rows[:, 1] > 0})
    EntropicOneClass().fit(frame).save(tmp_path / "frame.eocc")
    client = Client(serve(tmp_path / "array.eocc", tmp_path / "frame.eocc").url)
    assert client.live() and client.ready()
    assert [model["name"] for model in client.models()] == ["array", "frame"]
    local, remote = EntropicOneClass.load(tmp_path / "array.eocc"), client.model("array")
    new = rng.normal(size=(50, 4)) * 3
    assert_same(remote.decide(new), local.decide(new))
    assert np.array_equal(remote.score_samples(new), local.score_samples(new))
    assert np.array_equal(remote.decision_function(new), local.decision_function(new))
    assert np.array_equal(remote.predict(new), local.predict(new))
    assert np.array_equal(remote.p_value(new.tolist()), local.p_value(new))
    assert_same(remote.decide(new.astype(np.float32)), local.decide(new.astype(np.float32).astype(float)))
    remote._batch = 7
    assert_same(remote.decide(new), local.decide(new))
    local, remote = EntropicOneClass.load(tmp_path / "frame.eocc"), client.model("frame")
    new = pandas.DataFrame({"size": [0.1, np.nan, 9.0], "kind": ["a", "z", None], "is_new": [True, False, True]})
    assert_same(remote.decide(new), local.decide(new))
    assert_same(remote.decide(new.to_dict("records")), local.decide(new))
    assert list(remote.decide(new, as_frame=True).columns) == list(local.decide(new)._fields)
    explained = remote.explain(new, n_nearest=2)
    assert [row["row"] for row in explained] == [0, 1, 2] and len(explained[0]["nearest"]) == 2


def test_strings_and_series(serve, tmp_path):
    words = [f"order {i % 7} of {'abc'[i % 3]}" for i in range(60)]
    EntropicOneClass().fit(words).save(tmp_path / "words.eocc")
    waves = [np.sin(np.arange(20 + i % 3) / 3 + i) for i in range(40)]
    EntropicOneClass("dtw").fit(waves).save(tmp_path / "waves.eocc")
    client = Client(serve(tmp_path / "words.eocc", tmp_path / "waves.eocc").url)
    new = ["order 3 of a", "drop everything"]
    assert_same(client.model("words").decide(new), EntropicOneClass.load(tmp_path / "words.eocc").decide(new))
    new = [waves[3] * 1.1, np.full(20, 5.0)]
    assert_same(client.model("waves").decide(new), EntropicOneClass.load(tmp_path / "waves.eocc").decide(new))


def test_errors_are_reported(serve, tmp_path):
    EntropicOneClass().fit(np.random.default_rng(0).normal(size=(60, 2))).save(tmp_path / "m.eocc")
    (tmp_path / "token").write_text("a-token-of-some-length\n")
    server = serve(tmp_path / "m.eocc", "--token-file", tmp_path / "token")
    for token, code in [(None, "token"), ("wrong", "token")]:
        with pytest.raises(ServerError) as told:
            Client(server.url, token=token).models()
        assert (told.value.status, told.value.code) == (401, code)
    client = Client(server.url, token="a-token-of-some-length", retries=0)
    with pytest.raises(ServerError, match="there is no model `n`"):
        client.model("n").predict([[1, 2]])
    with pytest.raises(ServerError, match="row 0, column"):
        client.model("m").predict([["x", 2]])
    with pytest.raises(TypeError, match="a single sample goes into a list"):
        client.model("m").predict("x")
    client.unload("m")
    assert [model["state"] for model in client.models()] == ["UNAVAILABLE"]
    with pytest.raises(ServerError, match="it was unloaded"):
        client.model("m").predict([[1, 2]])
    client.load("m")
    assert client.model("m").predict([[0, 0]]) == [1]
    assert "eocc_rows_total" in client.metrics()
    assert server.stop() == 0
    assert not client.live()
    with pytest.raises(ValueError, match="http://127.0.0.1:8080"):
        Client("localhost:8080")
