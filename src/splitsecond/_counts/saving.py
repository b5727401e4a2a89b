"""Count tables as Parquet files: a row for each entry, and what it is about as JSON."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from splitsecond._binarizers.base import Binarizer
from splitsecond._counts.count_table import CountTable
from splitsecond._counts.entry_weights import EntryWeights
from splitsecond._counts.folds import plain_labels
from splitsecond._saving._reader import DamagedError, Json, Reader, parse
from splitsecond._saving._reading import estimator_in
from splitsecond._saving._trees import classes_in, classes_out
from splitsecond._saving._values import value_out
from splitsecond._saving._writing import estimator_out
from splitsecond._support.files import write_whole
from splitsecond._support.parquet_files import COUNTS, COUNTS_KEY
from splitsecond._tables.bits import pack_bits

VERSION = 1
MAX_ROWS = 2**62


def save_counts(counts: CountTable, path: str | os.PathLike[str]) -> None:
    """Write a count table, whole or not at all."""
    answers = counts.answers()
    columns: dict[str, Any] = {
        f"q{j}": pa.array(answers.column(j).astype(bool)) for j in range(len(counts.words))
    }
    columns["rows"] = counts.rows
    columns["code"] = counts.codes
    if counts.folds is not None:
        columns["fold"] = counts.folds
    weights = counts.weights
    if weights is not None:
        columns["weight" if weights.units is None else "units"] = (
            weights.each if weights.units is None else weights.units
        )
    table = pa.table(columns)
    about = json.dumps(_about(counts), ensure_ascii=False, allow_nan=False)
    text = about.encode("utf-8", "backslashreplace")
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({COUNTS_KEY: text}), sink, compression="zstd")
    write_whole(path, sink.getvalue().to_pybytes())


def _about(counts: CountTable) -> Json:
    numbers, weights = counts.numbers, counts.weights
    return {
        "format": COUNTS,
        "version": VERSION,
        "target": counts.target,
        "n_rows": counts.n_rows,
        "n_dropped": counts.n_dropped,
        **(
            {}
            if counts.fold_labels is None
            else {"fold_labels": [value_out(label) for label in counts.fold_labels]}
        ),
        "labels": classes_out(counts.classes if numbers is None else numbers),
        "is_of_numbers": numbers is not None,
        "unit": 1.0 if weights is None else weights.unit,
        "is_whole": weights is not None and weights.is_whole,
        "binarizer": estimator_out(counts.binarizer),
    }


def load_counts(path: str | os.PathLike[str]) -> CountTable:
    """Read what `save_counts` wrote; no code in the file is run."""
    try:
        table = pq.read_table(path, partitioning=None)
        about = (table.schema.metadata or {}).get(COUNTS_KEY)
        content = None if about is None else parse(about.decode())
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no count table: {error!s:.300}") from error
    if not isinstance(content, dict) or content.get("format") != COUNTS:
        raise ValueError(f"{path} is no count table, as CountTable.save writes them.")
    if content.get("version") != VERSION:
        raise ValueError(
            f"{path} has format version {content.get('version')!r:.20}; this splitsecond reads "
            f"{VERSION}. Install a newer splitsecond to read it."
        )
    try:
        return _table_in(table, Reader(content))
    except DamagedError as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    except (RecursionError, KeyError, pa.ArrowException) as error:
        raise ValueError(f"{path} is damaged: {error!s:.200}.") from error


def _table_in(table: pa.Table, reader: Reader) -> CountTable:
    binarizer = estimator_in(reader.part("binarizer"))
    if not isinstance(binarizer, Binarizer):
        raise DamagedError("its binarizer is none")
    labels = classes_in(reader.part("labels"))
    is_of_numbers = reader.flag("is_of_numbers")
    words = [
        pack_bits(_column(table, f"q{j}", "b").astype(np.uint8))
        for j in range(len(binarizer.literals_))
    ]
    rows, codes = _column(table, "rows", "i"), _column(table, "code", "i")
    if len(rows) and (rows.min() < 1 or codes.min() < 0 or codes.max() >= len(labels)):
        raise DamagedError("its rows or classes are out of range")
    counts = CountTable(
        binarizer=binarizer,
        target=reader.text("target"),
        classes=labels[:0] if is_of_numbers else labels,
        numbers=labels if is_of_numbers else None,
        words=words,
        rows=rows.astype(np.int64),
        codes=codes.astype(np.int32),
        n_rows=reader.integer("n_rows", int(rows.sum()), MAX_ROWS),
        n_dropped=reader.integer("n_dropped", 0, MAX_ROWS),
    )
    if "fold" in table.column_names:
        folds = _column(table, "fold", "i").astype(np.int32)
        if len(folds) and folds.min() < 0:
            raise DamagedError("its folds are out of range")
        labels = tuple(reader.values("fold_labels")) if reader.has("fold_labels") else None
        counts = replace(counts, folds=folds, fold_labels=labels)
        if labels is not None and (
            len(labels) < counts.n_folds
            or plain_labels(labels) != labels
            or len(set(labels)) < len(labels)
        ):
            raise DamagedError("its folds do not fit their labels")
    return replace(counts, weights=_weights_in(table, reader))


def _weights_in(table: pa.Table, reader: Reader) -> EntryWeights | None:
    if "weight" in table.column_names:
        each = _column(table, "weight", "f").astype(np.float64)
        if not (np.isfinite(each) & (each > 0)).all():
            raise DamagedError("its weights are out of range")
        return EntryWeights(each=each)
    if "units" in table.column_names:
        units = _column(table, "units", "i").astype(np.int64)
        unit = reader.number("unit")
        if not unit > 0 or (len(units) and units.min() < 1):
            raise DamagedError("its weights are out of range")
        return EntryWeights(units=units, unit=unit, is_whole=reader.flag("is_whole"))
    return None


def _column(table: pa.Table, name: str, kind: str) -> np.ndarray[Any, Any]:
    if name not in table.column_names or table[name].null_count:
        raise DamagedError(f"column {name!r} is missing or has missing values")
    values = table[name].combine_chunks()
    array = np.asarray(values.to_numpy(zero_copy_only=False))
    if array.dtype.kind != kind:
        raise DamagedError(f"column {name!r} is of another type")
    return array
