"""Files, read as the program reads them."""

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
    """What a file holds."""

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
    """Reads a file as the program does: CSV, Parquet, NPY, NPZ, JSON Lines, FASTA, TS, GXL with CXL lists, GraphML, lines of text.

    Parameters
    ----------
    path : file, or folder or archive of graphs.
    model : EntropicOneClass, default=None
        A fitted model: the file is read in the form of its samples and as these were read, rather than by its look. What the
        program's ``--missing``, ``--decimal``, ``--thousands``, ``--id`` and ``--input`` said when it was fitted holds here, too.
    label : str, default=None
        The column of the classes.
    labels : path, default=None
        A CSV file with the class of each sample by name.
    columns, drop : list of str, default=None
        Columns to use, and to leave out.
    types : dict of str to str, default=None
        As for :class:`eocc.EntropicOneClass`.
    format : {"csv", "npy", "npz", "jsonl", "parquet", "arrow", "fasta", "ts", "lines", "series-wide", \
"series-long"}, default=None
        The format of the file, or how time series are laid out in a table: a row per series, or a row per value.
        None: by extension, then by content.
    header : bool, default=None
        Whether the first row of a CSV file holds names. None: by its look.
    delimiter : str, default=None
        The delimiter of a CSV file. None: by its look.
    encoding : str, default=None
        The encoding of text, such as ``"windows-1252"``. None: UTF-8, or UTF-16 by its mark.
    decimal, thousands : str, default=None
        The decimal mark, and what stands between thousands, such as ``decimal=",", thousands="."``. None: a point, and nothing.
    na : list of str or numbers, default=None
        Values that stand for a missing one in any column, such as ``[-9999, "unknown"]``; a model that is fitted on the samples keeps them.
    window_of, step : int, default=None
        The file is one long series, a row for each time: every window of so many rows is a sample, and the next starts `step` rows later, half a
        window unless given. `names` are then the times at which windows start. A model keeps it.
    window_as : {"series", "summary", "lags"}, default="series"
        What a window is as a sample: a time series, a row of numbers that sum it up, or a row of all its values.
    time : str, default=None
        The column of the times. None: by its name, or because it holds dates.

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
