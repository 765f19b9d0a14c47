"""Files, read like on the command line."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _eocc
from ._estimator import EntropicOneClass
from ._reading import ColumnInfo
from ._warn import warn


@dataclass(frozen=True)
class Data:
    """The content of a file."""

    samples: _eocc.Samples
    """The samples, to be given as X; a mask, indices or a slice pick some of them."""
    names: NDArray[Any] | None
    """Their names, where the file has some: of FASTA records, graphs, or from a column of keys."""
    labels: NDArray[Any] | None
    """Their classes, where these are known: from the column `label`, a file of labels, a TS file or a CXL list."""
    schema: list[ColumnInfo]
    """What became of the columns, where the file has columns."""

    def __len__(self) -> int:
        return len(self.samples)


def read(
    path: str | os.PathLike[str],
    *,
    model: EntropicOneClass | None = None,
    label: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    columns: list[str] | None = None,
    drop: list[str] | None = None,
    types: dict[str, str] | None = None,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    na: list[str | float] | None = None,
    window_of: int | None = None,
    step: int | None = None,
    window_as: str = "series",
    time: str | None = None,
) -> Data:
    """Reads a file like the command line: CSV, Parquet, NPY, NPZ, JSON Lines, FASTA, TS, GXL with CXL lists, GraphML,
    lines of text.

    Parameters
    ----------
    path : file, or folder or archive of graphs.
    model : EntropicOneClass, default=None
        A fitted model: the file is read in the form of its samples and like these, without detection. The options
        ``--missing``, ``--decimal``, ``--thousands``, ``--id`` and ``--input`` given when it was fitted apply here,
        too.
    label : str, default=None
        The column of the classes.
    labels : path, default=None
        A CSV file with the class of each sample by name.
    columns, drop : list of str, default=None
        Columns to use, and to leave out.
    types : dict of str to str, default=None
        As for :class:`eocc.EntropicOneClass`.
    format : {"csv", "npy", "npz", "jsonl", "parquet", "arrow", "fasta", "fastq", "ts", "lines", "series-wide", \
"series-long"}, default=None
        The format of the file, or how time series are laid out in a table: a row per series, or a row per value.
        None: by extension, then by content.
    header : bool, default=None
        Whether the first row of a CSV file holds names. None: detected.
    delimiter : str, default=None
        The delimiter of a CSV file. None: detected.
    encoding : str, default=None
        The encoding of text, such as ``"windows-1252"``. None: UTF-8, or UTF-16 by its mark.
    decimal, thousands : str, default=None
        The decimal mark and the thousands separator, such as ``decimal=",", thousands="."``. None: a point, and no separator.
    na : list of str or numbers, default=None
        Values that mean missing in any column, such as ``[-9999, "unknown"]``; a model fitted on the samples
        remembers them.
    window_of, step : int, default=None
        The file is one long series with a row per time: each window of `window_of` rows is a sample, and the next one starts `step`
        rows later, by default half a window. `names` are then the start times. The model remembers it.
    window_as : {"series", "summary", "lags"}, default="series"
        The form of a window as a sample: a time series, a row of summary statistics, or a row of all its values.
    time : str, default=None
        The column of the times. None: detected by its name, or because it holds dates.

    Returns
    -------
    Data
        With `samples`, `names`, `labels` and `schema`.

    Examples
    --------
    >>> import pathlib, tempfile, eocc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "peptides.fasta"
    >>> _ = path.write_text("".join(f">p{i}\\nMKTAYIAKQR{'AGL'[i % 3] * (i % 5)}\\n" for i in range(30)))
    >>> data = eocc.read(path)
    >>> model = eocc.EntropicOneClass().fit(data.samples)
    >>> data.names[model.predict(data.samples) == -1].tolist()
    []
    """
    request = {
        "format": format,
        "header": header,
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "thousands": thousands,
        "columns": list(columns or []),
        "drop": list(drop or []),
        "types": [(str(name), str(kind)) for name, kind in (types or {}).items()],
        "na": [str(value) for value in (na or [])],
        "label": label,
        "labels": None if labels is None else os.fspath(labels),
        "window_of": window_of,
        "step": step,
        "window_as": window_as,
        "time": time,
    }
    samples, names, classes, schema, doubts = _eocc.read(os.fspath(path), request, None if model is None else model._fitted())
    for doubt in doubts:
        warn(doubt)
    as_array = [None if found is None else np.array(found, dtype=object) for found in (names, classes)]
    return Data(samples, as_array[0], as_array[1], [ColumnInfo(*column) for column in schema])
