"""Files of a table: Parquet and CSV, of one schema."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow import csv, fs

from splitsecond._support.column_types import joined, without_views
from splitsecond._support.found_files import PARQUET, find_files, values_of_path
from splitsecond._support.messages import shown
from splitsecond._support.parquet_files import is_parquet, refuse_count_table

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]  # in CSV
WHOLE = re.compile(r"-?[0-9]{1,18}")  # what 64 bits hold


@dataclass(frozen=True)
class _File:
    """A file with its columns, and those that its path tells."""

    path: Path
    own: pa.Schema
    values: Mapping[str, str | None]

    def schema(self, of_paths: Mapping[str, pa.DataType]) -> pa.Schema:
        """Return all columns, given the types of those that paths tell."""
        told = [pa.field(name, of_paths[name]) for name in self.values]
        return pa.schema([*self.own, *told])

    def condition(self, schema: pa.Schema) -> pc.Expression:
        """Return what is true of all rows of the file."""
        conditions = (
            ds.field(name).is_null()
            if value is None
            else ds.field(name) == pa.scalar(value).cast(schema.field(name).type)
            for name, value in self.values.items()
        )
        return reduce(operator.and_, conditions, ds.scalar(True))


def dataset_of(paths: Sequence[Path]) -> ds.Dataset:
    """Open files, folders and patterns of names as one table."""
    found = find_files(paths)
    parquet = [_is_parquet(file) for file in found]
    if len(set(parquet)) > 1:
        one, other = found[parquet.index(True)], found[parquet.index(False)]
        raise ValueError(f"{one} is Parquet and {other} is not: give files of one kind.")
    kind = _csv_format(found[0]) if not parquet[0] else ds.ParquetFileFormat()
    files = [_opened(file, kind) for file in found]
    schema = _common(files)
    if not parquet[0]:
        kind = _csv_format(found[0], schema)
    return ds.FileSystemDataset.from_paths(
        [str(file.path) for file in files],
        schema=schema,
        format=kind,
        filesystem=fs.LocalFileSystem(),
        partitions=[file.condition(schema) for file in files],
    )


def _is_parquet(file: Path) -> bool:
    """Tell Parquet from CSV; refuse files that are neither."""
    if file.is_file() and file.stat().st_size == 0:
        raise ValueError(f"{file} is empty (0 bytes): write it again, or leave it out.")
    if is_parquet(file):
        return True
    if file.name.lower().endswith(PARQUET):
        raise ValueError(
            f"{file} is a damaged Parquet file: it does not begin as one. Write it again, or "
            "leave it out."
        )
    return False


def _csv_format(file: Path, schema: pa.Schema | None = None) -> ds.CsvFileFormat:
    types = None if schema is None else dict(zip(schema.names, schema.types, strict=True))
    return ds.CsvFileFormat(
        parse_options=csv.ParseOptions(delimiter="\t" if ".tsv" in file.suffixes else ","),
        convert_options=csv.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, column_types=types
        ),
    )


def _opened(file: Path, kind: ds.FileFormat) -> _File:
    try:
        if isinstance(kind, ds.CsvFileFormat):
            with csv.open_csv(file, parse_options=kind.parse_options) as reader:
                refuse_same_names(reader.schema, file)  # which `inspect` calls damage
        schema = kind.inspect(str(file), filesystem=fs.LocalFileSystem())
    except (pa.ArrowException, OSError) as error:
        name = "Parquet" if isinstance(kind, ds.ParquetFileFormat) else "CSV"
        reason = f"{error!s:.300}".rstrip(". ")
        raise ValueError(
            f"{file} is a damaged {name} file: {reason}. Write it again, or leave it out."
        ) from error
    refuse_count_table(schema, file)
    refuse_same_names(schema, file)
    told = values_of_path(file)
    values = {name: value for name, value in told.items() if name not in schema.names}
    return _File(file, schema, values)


def refuse_same_names(schema: pa.Schema, where: object) -> None:
    """Refuse columns of one name."""
    names = schema.names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"{where} has several columns named {shown(twice)}, and needs one of each name: rename "
            "them, or leave some out."
        )


def _common(files: Sequence[_File]) -> pa.Schema:
    """Return the columns that all files have, of types that hold the values of all."""
    of_paths = _types_of_paths(files)
    first = files[0].path
    fields: dict[str, pa.Field] = {}
    since: dict[str, Path] = {}  # the first file with values
    for file in files:
        schema = file.schema(of_paths)
        if not fields:
            fields = {each.name: each.with_type(without_views(each.type)) for each in schema}
        for name in sorted({*fields} ^ {*schema.names}):
            lacking, has = (file.path, first) if name in fields else (first, file.path)
            raise ValueError(f"{lacking} has no column {shown(name)}, which {has} has.")
        for name, field in fields.items():
            own, other = field.type, without_views(schema.field(name).type)
            if not pa.types.is_null(other):
                since.setdefault(name, file.path)
            common = joined(own, other)
            if common is None:
                raise ValueError(
                    f"Column {shown(name)} is {other} in {file.path} and {own} in {since[name]}: "
                    "convert it to one type."
                )
            fields[name] = pa.field(name, common)
    return pa.schema(list(fields.values()))


def _types_of_paths(files: Iterable[_File]) -> dict[str, pa.DataType]:
    """Return the types of columns that paths tell: whole numbers if all their values are."""
    types: dict[str, pa.DataType] = {}
    for file in files:
        for name, value in file.values.items():
            kind = pa.int64() if value is None or WHOLE.fullmatch(value) else pa.string()
            types[name] = pa.string() if types.get(name) == pa.string() else kind
    return types
