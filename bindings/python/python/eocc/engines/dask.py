"""Dask: what :mod:`eocc.distributed` has, by the name of the engine."""

from ..distributed import apply, decide, fit

__all__ = ["apply", "decide", "fit"]
