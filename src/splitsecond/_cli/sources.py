"""Reading files of tables: CSV and Parquet, by pyarrow, which refuses what is not a table."""

from __future__ import annotations

import io
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from splitsecond._cli.options import Reading
from splitsecond._support.files import is_model
from splitsecond._support.messages import offered
from splitsecond._support.parquet_files import refuse_count_table

UTF8 = "utf-8"
STANDARD_INPUT = Path("-")
PARQUET = b"PAR1"  # how such files begin
COMPRESSED = {  # and those that are compressed, whatever their names
    "gzip": rb"\x1f\x8b",
    "bz2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "lz4": rb"\x04\x22\x4d\x18",
}
START = 10  # bytes that tell these apart
BEGINNING = 64  # bytes of a file that is not text; most have a NUL among them
JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*\"|\[\s*[\[{\"])")  # as no header begins
PICKLE = re.compile(rb"\x80[\x02-\x05]")
MISSING = ("NA", "N/A", "NaN", "nan", "null", "NULL")
MAX_CHARACTERS = 100_000  # of a value; more are mostly a quote that does not end
MAX_BYTES = 2**31 - 2  # of a block that pyarrow guesses the types of
CHUNK = 2**20  # bytes of a pipe that are read at once
MAX_COUNTED = 64 * 2**20  # bytes whose lines are counted for a message


@dataclass(frozen=True)
class Source:
    """A file, and how to read it."""

    path: Path
    separator: str | None = None
    encoding: str = UTF8
    missing: Sequence[str] = ()  # what stands for missing values; none: MISSING
    drop: Sequence[str] = ()
    category: Sequence[str] = ()  # read as text, as are
    texts: Sequence[str] = ()  # those of these that are there

    @classmethod
    def of(cls, path: Path, options: Reading, texts: Sequence[str] = ()) -> Source:
        """Return the file that the options are about."""
        return cls(path, **vars(options), texts=texts)

    def with_text(self, name: str) -> Source:
        """Return the same file, to be read again with a column as text."""
        source = replace(self, texts=[*self.texts, name])
        if "_piped" in vars(self):  # what can be read only once
            vars(source)["_piped"] = self._piped
        return source

    def check(self) -> None:
        """Refuse a file that is not there."""
        if self.path.is_dir():
            raise ValueError(f"{self.path} is a folder: name a file.")
        if self.path != STANDARD_INPUT:
            self.path.stat()

    def read(self) -> pa.Table:
        """Read the table, with the columns asked for; every value is looked at."""
        self.check()
        table = self._table()
        twice = [name for name, times in Counter(table.column_names).items() if times > 1]
        if twice:
            raise ValueError(f"{self.name} has several columns named {twice[0]!r}: rename them.")
        if table.num_rows == 0 or table.num_columns == 0:
            raise ValueError(f"{self.name} has no rows below its header.")
        for name in (*self.drop, *self.category):
            self.check_column(table, name)
        table = table.drop_columns(list(dict.fromkeys(self.drop)))
        for place, name in enumerate(table.column_names):
            column = self._checked(table[name], name)
            if name in self.category or name in self.texts:
                column = _as_text(column)
            if name in self.category and not pa.types.is_dictionary(column.type):
                column = column.dictionary_encode()  # which says that it holds categories
            table = table.set_column(place, name, column)
        return table

    def _table(self) -> pa.Table:
        return self._parquet() if self._start.startswith(PARQUET) else self._csv()

    def check_column(self, table: pa.Table, name: str) -> None:
        """Refuse the name of a column that is not there."""
        if name not in table.column_names:
            raise no_such_column(name, table.column_names, self.name)

    def row(self, position: int, n_rows: int) -> str:
        """Return what users call a row of the file, given its position in the table."""
        # The header and each row have a line at least. With no more than these, every row is one
        # line: none is empty, and no quoted value holds the end of one.
        line = f" (line {position + 2:,} of the file)" if self._last_line == n_rows else ""
        return f"data row {position + 1:,}{line}"

    @property
    def name(self) -> str:
        """What messages call the file."""
        return "standard input" if self.path == STANDARD_INPUT else str(self.path)

    @cached_property
    def _last_line(self) -> int | None:
        """The last line that is not empty, from 0; None if there is none, or if it is far."""
        if self._start.startswith(PARQUET) or "\n".encode(self.encoding) != b"\n":
            return None
        size = last = 0
        with self._stream() as stream:
            text = io.TextIOWrapper(stream, encoding="latin-1")  # each byte a character
            for place, line in enumerate(iter(lambda: text.readline(MAX_COUNTED), "")):
                size += len(line)
                if size >= MAX_COUNTED:
                    return None
                if line != "\n":
                    last = place
        return last

    @cached_property
    def _start(self) -> bytes:
        """The first bytes."""
        if self._piped is not None:
            return bytes(self._piped[:START])
        with self.path.open("rb") as file:
            return file.read(START)

    @cached_property
    def _piped(self) -> pa.Buffer | None:
        """All bytes of what can be read only once; None for a regular file."""
        if self.path == STANDARD_INPUT:
            return _read_all(sys.stdin.buffer)
        if stat.S_ISREG(self.path.stat().st_mode):
            return None
        with self.path.open("rb") as file:  # Ctrl-C ends the wait for a writer, too
            return _read_all(file)

    def _stream(self) -> pa.NativeFile:
        """Open what is in the file, decompressed."""
        source = str(self.path) if self._piped is None else pa.BufferReader(self._piped)
        found = (name for name, start in COMPRESSED.items() if re.match(start, self._start))
        return pa.input_stream(source, compression=next(found, None))

    def _content(self) -> pa.Buffer:
        try:
            with self._stream() as stream:
                self._check_text(stream.read(BEGINNING))
            with self._stream() as stream:
                # Not as bytes: pyarrow's threads may be the last to let go of it, and one that has
                # to wait for the interpreter while the program ends would abort it.
                return stream.read_buffer()
        except OSError as error:
            raise ValueError(f"{self.name} cannot be read: {error}") from error

    def _check_text(self, start: bytes) -> None:
        """Refuse a file that begins as no text does, before all of it is read."""
        is_binary = b"\0" in start or PICKLE.match(start)
        if start[:2] == b"PK" or (is_binary and self.encoding == UTF8):
            raise self._no_table()

    def _no_table(self) -> ValueError:
        return ValueError(f"{self.name} is neither CSV nor Parquet: save the table as CSV.")

    def _csv(self) -> pa.Table:
        content = self._content()
        characters = np.frombuffer(content, dtype=np.uint8)
        if is_model(bytes(content[:100])):
            raise ValueError(
                f"{self.name} is a model file, which show, predict and export read, and explore if "
                "it holds a set: give a table here, as CSV or Parquet."
            )
        if JSON.match(content[: 4 * BEGINNING]):
            raise self._no_table()
        if not (characters > ord(" ")).any():
            raise ValueError(f"{self.name} is empty: a header and rows are needed.")
        separator = self.separator or ("\t" if ".tsv" in self.path.suffixes else ",")
        if len(separator) != 1:
            raise ValueError(f"--separator {separator!r} must be a single character.")
        try:
            table = self._parsed(content, separator, threads=True)
            table.column_names  # noqa: B018 - decoded when asked for
        except LookupError:
            raise ValueError(f"--encoding {self.encoding!r} is not a known encoding.") from None
        except UnicodeDecodeError as error:
            raise self._not_text(error.reason) from error
        except pa.ArrowInvalid as error:
            raise self._not_a_table(content, separator, error) from error
        # Quotes come in pairs; pyarrow takes the end of the file for the second one.
        if np.count_nonzero(characters == ord('"')) % 2 and any(
            "\n" in str(v[-1].as_py()) for v in table.columns if v
        ):
            raise ValueError(f"{self.name} has a quote that is not closed, in its last record.")
        return table

    def _parsed(self, content: pa.Buffer, separator: str, *, threads: bool) -> pa.Table:
        return csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(
                # One block: the types come from all rows, not from the first million bytes.
                block_size=min(len(content) + 1, MAX_BYTES),
                encoding=self.encoding,
                use_threads=threads,
            ),
            csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            csv.ConvertOptions(
                null_values=["", *(self.missing or MISSING)],
                strings_can_be_null=True,
                column_types=dict.fromkeys((*self.category, *self.texts), pa.string()),
            ),
        )

    def _not_a_table(self, content: pa.Buffer, separator: str, error: Exception) -> ValueError:
        try:  # once more, since errors of a single thread say where
            self._parsed(content, separator, threads=False)
        except pa.ArrowInvalid as again:
            error = again
        text = " ".join(str(error).removeprefix("CSV parse error: ").split())
        text = re.sub(r"^Row #(\d+): ", r"record \1, counting the header: ", text)
        quote = " Is a quote not closed there?" if '"' in text else ""
        return ValueError(f"{self.name} is not a table: {text:.200}.{quote}")

    def _parquet(self) -> pa.Table:
        try:
            source = self.path if self._piped is None else pa.BufferReader(self._piped)
            table = parquet.read_table(source, partitioning=None)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{self.name} is a damaged Parquet file: {error!s:.300}") from error
        refuse_count_table(table.schema, self.name)
        return table

    def _checked(self, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
        kind = column.type
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise self._not_text(f"column {name!r}")
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            lengths = pc.utf8_length(column)
            longest = pc.max(lengths).as_py() or 0
            if longest > MAX_CHARACTERS:
                row = self.row(pc.index(lengths, longest).as_py(), len(column))
                raise ValueError(
                    f"Column {name!r} of {self.name} has a value of {longest:,} characters in "
                    f"{row}: if a quote is not closed there, close it; or leave the column out "
                    f"with --drop {name!r}."
                )
        return column

    def _not_text(self, where: str) -> ValueError:
        return ValueError(
            f"{self.name} is not {self.encoding} text ({where}): say what it is with --encoding, "
            "for example latin-1, or convert it."
        )


def no_such_column(name: str, names: Iterable[str], where: object) -> ValueError:
    """Return an error that names the columns there are, the likeliest first."""
    known = list(names)
    columns, hint = offered(name, known)
    between = next((mark for mark in ";\t|" if len(known) == 1 and mark in known[0]), None)
    if between:
        hint = f" Give --separator {between!r}?"
    return ValueError(f"{where} has no column {name!r}.{hint} Its columns are {columns}.")


def _read_all(file: BinaryIO) -> pa.Buffer:
    """Read a stream to its end into memory that is pyarrow's own."""
    sink = pa.BufferOutputStream()
    while part := file.read(CHUNK):
        sink.write(part)
    return sink.getvalue()


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        return column
    return column.cast(pa.string())
