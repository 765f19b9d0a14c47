"""Scoring where the data lives: one module for each data engine.

All of them call :meth:`eocc.EntropicOneClass.score_arrow`, so their answers equal those of ``eocc score`` bit for
bit.

========================= ==========================================================================
`eocc.engines.polars`     an expression for eager, lazy and streaming frames
`eocc.engines.duckdb`     a function for SQL, and a stream for whole tables
`eocc.engines.spark`      data frames in and out, a function for SQL, and fitting on the cluster
`eocc.engines.ray`        datasets in and out by a pool of actors, and fitting on the cluster
`eocc.engines.dask`       data frames, arrays and bags, and fitting on the cluster
`eocc.engines.datafusion` a function for SQL
========================= ==========================================================================

A module needs its engine and pyarrow; importing it fails with a message if they are missing.
"""
