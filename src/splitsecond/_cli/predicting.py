"""Predictions for many files, which are read and written in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
from pyarrow import csv, parquet

from splitsecond._cli.options import Writing
from splitsecond._cli.output import progress, say
from splitsecond._support.files import write_whole_by

if TYPE_CHECKING:
    from splitsecond import Tree


@dataclass(frozen=True)
class Asked:
    """What is to be predicted of which rows."""

    tree: Tree
    files: Sequence[Path]
    keep: Sequence[str]
    proba: bool
    leaf: bool

    def batches(self) -> pa.RecordBatchReader:
        """Return the predictions."""
        from splitsecond import predict_batches

        methods = ["predict"]
        if self.leaf:
            methods.append("apply")
        if self.proba:
            methods.append("predict_proba")
        return predict_batches(self.tree, list(self.files), method=methods, keep=self.keep)


def predict_files(asked: Asked, writing: Writing, of_one: Mapping[str, bool]) -> None:
    """Write the predictions to --out, as Parquet or CSV; options `of_one` are for one file."""
    for option, value in of_one.items():
        if value:
            raise ValueError(f"{option} is for a table in one file: leave it out.")
    reader = asked.batches()
    if writing.out is None:
        raise ValueError("The predictions of many files are written to a file: give --out.")
    is_parquet = writing.out.suffix.lower() in (".parquet", ".pq")

    def write(file: BinaryIO) -> None:
        n_rows = 0
        with _writer(file, reader.schema, is_parquet=is_parquet) as out, progress("rows") as bar:
            for batch in reader:
                out.write_batch(batch)
                n_rows += len(batch)
                bar(n_rows)

    write_whole_by(writing.out, write)
    say(f"wrote {writing.out}")


def _writer(file: BinaryIO, schema: pa.Schema, *, is_parquet: bool) -> pa.ipc.RecordBatchWriter:
    if is_parquet:
        return parquet.ParquetWriter(file, schema)
    return csv.CSVWriter(file, schema, write_options=csv.WriteOptions(quoting_style="needed"))
