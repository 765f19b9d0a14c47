"""Dask: the content of :mod:`eocc.distributed` under the name of the engine."""

from ..distributed import apply, decide, fit

__all__ = ["apply", "decide", "fit"]
