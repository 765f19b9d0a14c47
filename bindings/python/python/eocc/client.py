"""Models behind ``eocc serve``, with the methods of the estimator.

>>> from eocc.client import Client
>>> client = Client("http://127.0.0.1:8080")  # doctest: +SKIP
>>> model = client.model("good")  # doctest: +SKIP
>>> model.predict([[0.1, 0.0, -0.2], [9.0, 9.0, 9.0]])  # doctest: +SKIP
array([ 1, -1])

Requests go through :mod:`http.client`, on one open connection per thread. Answers equal those of ``eocc score`` bit
for bit.
"""

import http.client
import json
import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray

from ._decisions import Decisions, frame_of_decisions

__all__ = ["Client", "RemoteModel", "ServerError"]

#: Statuses after which a retry makes sense.
_BUSY = (429, 503)


class ServerError(RuntimeError):
    """An error of the server, or of the connection to it."""

    def __init__(self, message: str, *, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        #: The HTTP status; None if there was no answer.
        self.status = status
        #: The reason as a code, such as ``"rows"``, ``"token"`` or ``"busy"``.
        self.code = code


class Client:
    """A server of models.

    Parameters
    ----------
    url : str
        Its address, such as ``"http://127.0.0.1:8080"``; ``https`` if there is a proxy in front of it.
    token : str, optional
        The content of ``--token-file``.
    timeout : float, default=30
        Seconds to wait for an answer.
    retries : int, default=3
        How often to retry a request that was refused because the server was busy.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30.0, retries: int = 3) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {url!r}, but must be such as 'http://127.0.0.1:8080'")
        self._parts, self._token, self._timeout, self._retries = parts, token, timeout, retries
        self._local = threading.local()

    def live(self) -> bool:
        """Whether the server is running."""
        return self._is_well("/v2/health/live")

    def ready(self) -> bool:
        """Whether all of its models are available."""
        return self._is_well("/v2/health/ready")

    def models(self) -> list[dict[str, Any]]:
        """All models, each with ``name``, ``version``, ``state`` and ``reason``."""
        return list(self._ask("POST", "/v2/repository/index"))

    def model(self, name: str) -> "RemoteModel":
        """The model with this name."""
        return RemoteModel(self, name)

    def load(self, name: str) -> None:
        """Reloads the file of a model."""
        self._ask("POST", f"/v2/repository/models/{quote(name, safe='')}/load")

    def unload(self, name: str) -> None:
        """Unloads a model until it is loaded again."""
        self._ask("POST", f"/v2/repository/models/{quote(name, safe='')}/unload")

    def metrics(self) -> str:
        """The metrics of the server, in the format of Prometheus."""
        return self._send("GET", "/metrics", None).decode()

    def _is_well(self, path: str) -> bool:
        try:
            self._send("GET", path, None, retries=0)
        except ServerError as error:
            if error.status is None or error.status == 503:
                return False
            raise
        return True

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        text = None if body is None else json.dumps(body, allow_nan=False).encode()
        return json.loads(self._send(method, path, text))

    def _send(self, method: str, path: str, body: bytes | None, *, retries: int | None = None) -> bytes:
        left = self._retries if retries is None else retries
        while True:
            status, headers, answer = self._exchange(method, path, body)
            if status < 400:
                return answer
            if status in _BUSY and left > 0:
                left -= 1
                time.sleep(min(float(headers.get("retry-after") or 1), 10.0))
                continue
            raise _error(status, answer)

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, Any, bytes]:
        headers = {"content-type": "application/json"} if body is not None else {}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        while True:
            connection = getattr(self._local, "connection", None)
            is_fresh = connection is None
            if connection is None:
                connection = self._connect()
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, body, headers)
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._local.connection = None
                # An idle connection may have been closed by the other end.
                if is_fresh or isinstance(error, TimeoutError):
                    raise ServerError(f"no answer from {self._parts.netloc}: {error or type(error).__name__}") from error
                continue
            self._local.connection = None if response.will_close else connection
            return response.status, response.headers, answer

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout)


def _error(status: int, answer: bytes) -> ServerError:
    try:
        body = json.loads(answer)
        return ServerError(str(body["error"]), status=status, code=str(body.get("code")))
    except (ValueError, KeyError, TypeError):
        return ServerError(f"status {status}: {answer[:200].decode(errors='replace')}", status=status)


class RemoteModel:
    """A model behind a server, with the methods of :class:`~eocc.EntropicOneClass`.

    X may be an array of numbers, a data frame of pandas or polars, a table of pyarrow, a mapping of columns, or a sequence of rows:
    mappings, strings, series, graphs of networkx. Missing values are None or NaN.
    """

    def __init__(self, client: Client, name: str, *, batch: int = 10_000) -> None:
        self._client, self.name, self._batch = client, name, batch
        self._path = f"/v2/models/{quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"RemoteModel({self.name!r})"

    def metadata(self) -> dict[str, Any]:
        """The inputs and outputs of the model, and its version."""
        return dict(self._client._ask("GET", self._path))

    @property
    def version_(self) -> str:
        """The version that answers now."""
        return str(self.metadata()["versions"][0])

    @property
    def offset_(self) -> float:
        """The smallest accepted score."""
        offset = self.metadata()["parameters"]["offset"]
        return math.nan if offset is None else float(offset)

    def decide(self, X: Any, *, as_frame: bool = False) -> Any:
        """The complete decisions, as :class:`~eocc.Decisions`, or as a data frame."""
        decisions = self._decide(X)
        return frame_of_decisions(decisions, X) if as_frame else decisions

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The score of each sample; larger is more nominal."""
        return self._decide(X).score

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """``score_samples(X) - offset_``: negative for outliers."""
        return self._decide(X).score - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """+1 for samples that are accepted, -1 for outliers."""
        return np.where(self._decide(X).accepted, 1, -1)

    def membership(self, X: Any) -> NDArray[np.float64]:
        """The degree of membership of each sample, in [0, 1]."""
        return self._decide(X).membership

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """The expected fraction of nominal samples that score no higher than each sample."""
        return self._decide(X).p_value

    def region(self, X: Any) -> NDArray[np.int64]:
        """The region that each sample is closest to."""
        return self._decide(X).region

    def explain(self, X: Any, *, n_nearest: int = 5) -> list[dict[str, Any]]:
        """Why each sample is judged as it is, in the form of ``eocc explain --json``."""
        found: list[dict[str, Any]] = []
        for body in _bodies(X, 1000):
            answer = self._client._ask("POST", f"{self._path}/explain?nearest={n_nearest}", body)
            start = len(found)
            found.extend(dict(row, row=row["row"] + start) for row in answer["explanations"])
        return found

    def _decide(self, X: Any) -> Decisions:
        bodies = list(_bodies(X, self._batch))
        for _ in range(3):
            answers = [self._client._ask("POST", f"{self._path}/infer", body) for body in bodies]
            if len({answer["model_version"] for answer in answers}) == 1:
                return _decisions(answers)
            # The model was replaced between two of the requests.
        raise ServerError(f"the model {self.name!r} is replaced faster than it can be asked")


def _decisions(answers: list[dict[str, Any]]) -> Decisions:
    columns: dict[str, list[Any]] = {name: [] for name in Decisions._fields}
    for answer in answers:
        if "rows" in answer:
            for name, values in columns.items():
                values.extend(row[name] for row in answer["rows"])
        else:
            for output in answer["outputs"]:
                if output["name"] in columns:
                    columns[output["name"]].extend(output["data"])
    kinds: dict[str, type] = {"accepted": np.bool_, "region": np.int64}
    # A score that JSON does not support is null.
    arrays: dict[str, Any] = {
        name: np.array([math.nan if value is None else value for value in values], dtype=kinds.get(name, np.float64))
        for name, values in columns.items()
    }
    return Decisions(**arrays)


def _bodies(X: Any, most: int) -> Iterable[dict[str, Any]]:
    """The samples as bodies of requests, with at most `most` samples each."""
    if hasattr(X, "to_pydict"):  # pyarrow
        X = X.to_pydict()
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):  # pandas, polars
        X = {str(name): X[name] for name in X.columns}
    if isinstance(X, Mapping):
        columns = [(str(name), _listed(values)) for name, values in X.items()]
        count = len(columns[0][1]) if columns else 0
        for start in range(0, max(count, 1), most):
            yield {"inputs": [_column(name, values[start : start + most]) for name, values in columns]}
        return
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim >= 2:
        for start in range(0, max(len(X), 1), most):
            yield {"inputs": [_tensor(X[start : start + most])]}
        return
    if isinstance(X, (str, bytes)) or not hasattr(X, "__iter__"):
        raise TypeError("X must be a table, an array or a sequence of rows; a single sample goes into a list")
    rows = [_row(row) for row in X]
    for start in range(0, max(len(rows), 1), most):
        yield {"rows": rows[start : start + most]}


def _listed(values: Any) -> list[Any]:
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _is_missing(value: Any) -> bool:
    # None, NaN, NaT and pandas.NA: the last is neither equal to itself nor true.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _plain(value: Any) -> Any:
    """A value for JSON."""
    if _is_missing(value):
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) or hasattr(value, "__iter__"):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} cannot be sent to a server")


def _column(name: str, values: list[Any]) -> dict[str, Any]:
    data = [_plain(value) for value in values]
    known = [value for value in data if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        kind = "BOOL"
    elif known and all(type(value) is int and abs(value) < 2**63 for value in known):
        kind = "INT64"
    elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        kind = "FP64"
    else:
        # Words, dates, and anything else with a text form; series and graphs as JSON.
        kind = "BYTES"
        data = [value if value is None or isinstance(value, str) else json.dumps(value) for value in data]
    return {"name": name, "datatype": kind, "shape": [len(data)], "data": data}


def _tensor(X: NDArray[Any]) -> dict[str, Any]:
    kinds = {"f": "FP32" if X.dtype.itemsize == 4 else "FP64", "i": "INT64", "u": "UINT64", "b": "BOOL"}
    values = X.astype(np.float64) if X.dtype.kind == "f" else X
    data = values.ravel().tolist()
    if X.dtype.kind == "f" and not np.isfinite(values).all():
        data = [None if math.isnan(value) else value for value in data]
    return {"name": "rows", "datatype": kinds[X.dtype.kind], "shape": list(X.shape), "data": data}


def _row(row: Any) -> Any:
    """A row for JSON; a networkx graph in node-link form."""
    if hasattr(row, "nodes") and hasattr(row, "edges") and hasattr(row, "is_directed"):
        nodes = [{**_plain(data), "id": str(node)} for node, data in row.nodes(data=True)]
        links = [{**_plain(data), "source": str(a), "target": str(b)} for a, b, data in row.edges(data=True)]
        return {"directed": bool(row.is_directed()), "nodes": nodes, "links": links}
    return _plain(row)
