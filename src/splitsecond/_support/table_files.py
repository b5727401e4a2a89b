"""Files of a table: Parquet and CSV, of one schema."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import csv, fs

from splitsecond._support.messages import shown
from splitsecond._support.parquet_files import is_parquet

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]  # in CSV
PARQUET = (".parquet", ".pq")
CSV = (".csv", ".csv.gz", ".tsv")


def dataset_of(paths: Sequence[Path]) -> ds.Dataset:
    """Open files, folders and patterns of names as one table."""
    files = [file for path in paths for file in _files(path)]
    parquet = [is_parquet(file) for file in files]
    if len(set(parquet)) > 1:
        one, other = files[parquet.index(True)], files[parquet.index(False)]
        raise ValueError(f"{one} is Parquet and {other} is not: give files of one kind.")
    kind = _csv_format(files[0]) if not parquet[0] else ds.ParquetFileFormat()
    schemas = {file: _schema(file, kind) for file in files}
    schema = _common(schemas)
    if not parquet[0]:
        kind = _csv_format(files[0], schema)
    return ds.dataset([str(file) for file in files], schema=schema, format=kind)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(
            file for file in path.rglob("*") if file.name.lower().endswith((*PARQUET, *CSV))
        )
        if not found:
            raise ValueError(f"{path} is a folder without Parquet or CSV files.")
        return found
    if path.exists():
        return [path]
    matches = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
    if not matches:
        what = "No file matches" if glob.has_magic(str(path)) else "There is no file"
        raise FileNotFoundError(f"{what} {path}.")
    return [file for match in matches for file in _files(match)]


def _csv_format(file: Path, schema: pa.Schema | None = None) -> ds.CsvFileFormat:
    types = None if schema is None else dict(zip(schema.names, schema.types, strict=True))
    return ds.CsvFileFormat(
        parse_options=csv.ParseOptions(delimiter="\t" if ".tsv" in file.suffixes else ","),
        convert_options=csv.ConvertOptions(
            null_values=MISSING, strings_can_be_null=True, column_types=types
        ),
    )


def _schema(file: Path, kind: ds.FileFormat) -> pa.Schema:
    try:
        return kind.inspect(str(file), filesystem=fs.LocalFileSystem())
    except (pa.ArrowException, OSError) as error:
        name = "Parquet" if isinstance(kind, ds.ParquetFileFormat) else "CSV"
        raise ValueError(f"{file} is a damaged {name} file: {error!s:.300}") from error


def _common(schemas: dict[Path, pa.Schema]) -> pa.Schema:
    """Return the schema that all files have; whole numbers and others together are floats."""
    (first, common), *others = schemas.items()
    fields = {field.name: field.remove_metadata() for field in common}
    if len(fields) < len(common):
        twice = next(name for name in common.names if common.names.count(name) > 1)
        raise ValueError(f"{first} has several columns named {shown(twice)}: rename them.")
    for file, schema in others:
        for name in {*fields} ^ {*schema.names}:
            lacking, has = (file, first) if name in fields else (first, file)
            raise ValueError(f"{lacking} has no column {shown(name)}, which {has} has.")
        for name, field in fields.items():
            own, other = field.type, schema.field(name).type
            joined = _joined(own, other)
            if joined is None:
                raise ValueError(
                    f"Column {shown(name)} is {other} in {file} and {own} in {first}: convert it "
                    "to one type."
                )
            fields[name] = field.with_type(joined).with_nullable(True)
    return pa.schema(list(fields.values()))


def _joined(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type that holds what two hold, as numbers of a table are read."""
    if one == other:
        return one
    for a, b in ((one, other), (other, one)):
        is_text = pa.types.is_dictionary(a) and a.value_type == b
        if pa.types.is_null(a) or is_text:
            return b
    is_number = [pa.types.is_integer(each) or pa.types.is_floating(each) for each in (one, other)]
    if not all(is_number):
        return None
    is_whole = all(pa.types.is_integer(each) for each in (one, other))
    return pa.int64() if is_whole else pa.float64()
