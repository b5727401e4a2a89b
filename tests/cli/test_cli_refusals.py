"""What the commands refuse: one clear message, an exit code, no traceback, nothing written."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cli_files import columns, run, write_csv, write_parquet
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from seeds import examples

import splitsecond
from splitsecond._cli import output, sources
from splitsecond._cli.row_places import rows_of_file
from splitsecond._tables.errors import CellTypeError

# Content of a file, and what the message about it must say.
BAD_TABLES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "is empty"),
    "header only": (b"a,y\n", "no rows"),
    "one row": (b"a,y\n1,x\n", "in every row (1)"),
    "one class": (b"a,y\n1,x\n2,x\n", "'y' is 'x' in every row"),
    "no such column": (b"a,Y\n1,x\n2,z\n", "Did you mean 'Y'?"),
    "another separator": (b"a;y\n1;x\n2;z\n", "Give --separator ';'?"),
    "not UTF-8": ("a,y\n1,é\n2,x\n".encode("latin-1"), "--encoding"),
    "header not UTF-8": ("é,y\n1,z\n2,x\n".encode("latin-1"), "--encoding"),
    "row too short": (b"a,y\n1,x\n2\n", "record 3"),
    "row too long": (b"a,y\n1,x\n2,z,3\n", "Expected 2 columns, got 3"),
    "open quote": (b'a,y\n1,x\n"2,z\n3,x\n', "quote"),
    "open quote at the end": (b'a,y\n1,x\n2,"z\n3,x\n', "quote that is not closed"),
    "huge field": (
        b"a,y\n1,x\n" + b"z" * 300_000 + b",z\n",
        "300,000 characters in data row 2 (line 3 of the file)",
    ),
    "duplicate names": (b"a,a,y\n1,2,x\n2,3,z\n", "several columns named 'a'"),
    "all missing": (b"a,b,y\n,,x\n,,z\n", "all are constant or missing"),
    "all constant": (b"a,b,y\n1,2,x\n1,2,z\n", "all are constant or missing"),
    "target missing": (b"a,y\n1,\n2,\n", "'y' is missing in every row"),
    "target with missing values": (
        b"a,y\n1,x\n2,NA\n3,z\n",
        "missing in 1 of 3 rows, the first of them data row 2 (line 3 of the file): remove",
    ),
    "target only": (b"y\nx\nz\n", "no column besides the target"),
    "target infinite": (b"a,y\n1,0.5\n2,inf\n", "data row 2 (line 3 of the file) is inf"),
    "target a date": (b"a,y\n1,2020-01-01\n2,2020-01-02\n", "targets are text or numbers"),
    "a date": (b"d,y\n2020-01-01,x\n2020-01-02,z\n", "--drop 'd'"),
    "infinity": (
        b"a,y\n1,x\ninf,z\n",
        "contains infinity: 1 value, the first in data row 2 (line 3 of the file)",
    ),
    "binary": (b"\0\1\2\3\0\1", "neither CSV nor Parquet"),
    "a spreadsheet": (b"PK\3\4 and so on", "neither CSV nor Parquet"),
    "a pickle": (pickle.dumps({"a": [1], "y": ["x"]}), "neither CSV nor Parquet"),
    "an older pickle": (pickle.dumps({"a": [1], "y": ["x"]}, 2), "neither CSV nor Parquet"),
    "a JSON list": (b' [\n {"a": 1, "y": "x"}]', "neither CSV nor Parquet: save the table as CSV"),
    "a JSON object": (b'\xef\xbb\xbf{"a": [1, 2],\n"y": ["x", "z"]}\n', "neither CSV nor Parquet"),
    "JSON lines": (b'{"a": 1, "y": "x"}\n{"a": 2, "y": "z"}\n', "neither CSV nor Parquet"),
    "JSON rows": (b'[["a", "y"], [1, "x"], [2, "z"]]', "neither CSV nor Parquet"),
    "damaged Parquet": (b"PAR1 and so on PAR1", "damaged Parquet"),
}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file that must stay as it is."""
    path = tmp_path / "kept.json"
    path.write_text("kept")
    return path


def refused(*args: Any, code: int = 1) -> str:
    """Run a command that must fail, and return what it says."""
    done = run(*args)
    assert done.exit_code == code, done.output
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    if code == 1:
        assert done.stderr.startswith("splitsecond: error: ")
        assert done.stderr.count("\n") == 1
    return str(done.stderr)


# All commands read their tables in one place.
@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("fit", name) for name in BAD_TABLES),
        *((command, next(iter(BAD_TABLES))) for command in ("rashomon", "importance")),
    ],
)
def test_bad_tables(tmp_path: Path, kept: Path, command: str, name: str) -> None:
    content, expected = BAD_TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    before = sorted(tmp_path.iterdir())
    assert expected in refused(command, path, "--target", "y", "--out", kept, "--force")
    assert kept.read_text() == "kept"
    assert path.read_bytes() == content
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_for_doctor_and_predict(tmp_path: Path, people_model: Path, name: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(BAD_TABLES[name][0])
    done = run("doctor", path, "--target", "y")
    assert done.exit_code == 1
    assert BAD_TABLES[name][1] in done.stdout + done.stderr
    refused("predict", people_model, path)  # none of them has the columns


LINES = "data row 3 (line 4 of the file)"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,y\n1,x\n2,z\n3,\n", LINES),
        (b"a,y\r\n1,x\r\n2,z\r\n3,", LINES),
        (b"a,y\r1,x\r2,z\r3,\r", LINES),
        (b'a,y\n"1,\t",x\n2,z\n3,\n\n\n', LINES),
        (b'a,y\n"1\n",x\n2,z\n3,\n', "data row 3:"),  # a line ends within a value
        (b'"a\n",y\n1,x\n2,z\n3,\n', "data row 3:"),
        (b"a,y\n1,x\n\n2,z\n3,\n", "data row 3:"),  # an empty line
        (b"\na,y\n1,x\n2,z\n3,\n", "data row 3:"),
    ],
)
def test_rows_are_counted_as_users_do(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert f"them {expected}" in refused("fit", path, "--target", "y")
    path.write_text(content.decode(), encoding="utf-16", newline="")
    message = refused("fit", path, "--target", "y", "--encoding", "utf-16")
    assert "them data row 3:" in message


def test_rows_of_parquet_and_of_new_tables(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "table", {"a": [1, 2], "y": ["x", None]})
    assert "them data row 2: " in refused("fit", path, "--target", "y")
    path = write_csv(tmp_path / "table.csv", {"a": [0.5, 1.5] * 9, "y": ["x", "z"] * 9})
    model = tmp_path / "model.json"
    assert run("fit", path, "--target", "y", "--out", model).exit_code == 0
    path.write_text("a\n1\ninf\n")
    assert "in data row 2 (line 3 of the file)" in refused("predict", model, path)
    path.write_text("a\n1\n2\nthirty\n")
    message = refused("predict", model, path)
    assert "'thirty' is not a number in data row 3 (line 4 of the file). Correct it" in message
    pairs = pa.array([b"ab", b"cd"], pa.binary(2))
    parquet.write_table(pa.table({"a": pairs}), path)
    message = refused("predict", model, path)
    assert "has a value of type bytes in data row 1: b'ab'." in message


@pytest.mark.parametrize("options", [[], ["--test-size", 0.5], ["--cv", 2]])
def test_rows_that_are_not_binary(tmp_path: Path, options: list[Any]) -> None:
    table = {"a": [0, 1] * 9 + [7], "y": ["x", "z"] * 9 + ["x"]}
    path = write_csv(tmp_path / "table.csv", table)
    message = refused("fit", path, "--target", "y", "--binarizer", "none", *options)
    assert "not 0 or 1: 7 in data row 19 (line 20 of the file). Every" in message
    for command in ("rashomon", "importance"):
        message = refused(command, path, "--target", "y", "--binarizer", "none")
        assert "in data row 19 (line 20 of the file)" in message


def test_rows_of_a_part_are_named_by_their_place_in_the_file(tmp_path: Path) -> None:
    lines = [f"{i % 2},{'ab'[i // 2 % 2]}" for i in range(40)]
    lines[18] = "7,a"
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["x,y", *lines]) + "\n")
    fit = ("fit", path, "--target", "y", "--binarizer", "none")
    for options in (
        ["--test-size", 0.1, "--seed", 1],
        ["--cv", 3],
        ["--regularization", "auto"],
        ["--test-size", 0.1, "--seed", 1, "--cv", 3, "--regularization", "auto"],
    ):
        assert "in data row 19 (line 20 of the file)" in refused(*fit, *options)


@given(name=st.text(), value=st.text(), row=st.integers(0, 99))
@example(name="it's \" in row 7", value="in row 3", row=0)
def test_only_the_row_is_renamed(name: str, value: str, row: int) -> None:
    source = sources.Source(Path("no.csv"))
    vars(source)["_last_line"] = None
    before, after = f"Column {name!r} has text now: {value!r}", f". Such as {value!r:.9}"
    error = CellTypeError(before, after, row=row, column=name)
    assert str(error) == f"{before} in row {row}{after}"
    with pytest.raises(ValueError) as caught, rows_of_file(source, 100):  # noqa: PT011
        raise error
    assert str(caught.value) == f"no.csv as X: {before} in data row {row + 1}{after}"


def test_lines_are_counted_once_and_not_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"a,y\r\n1,x\r\n2,\r\n"
    for path in (tmp_path / "table.csv", tmp_path / "table.csv.gz"):
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        source = sources.Source(path)
        assert source.row(1, 2) == "data row 2 (line 3 of the file)"
        with monkeypatch.context() as patch:
            patch.setattr(sources, "MAX_COUNTED", len(content) // 2)
            assert sources.Source(path).row(1, 2) == "data row 2"
        path.unlink()
        assert source.row(0, 2) == "data row 1 (line 2 of the file)"


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(st.binary(max_size=300) | st.text(alphabet='a,y\n"1x\r;.é', max_size=120).map(str.encode))
def test_any_bytes_are_a_table_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "table.csv"
    path.write_bytes(content)
    for command in (("doctor", path), ("fit", path, "--target", "y")):
        done = run(*command)  # raises what is not turned into a message
        assert done.exit_code in (0, 1)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("empty", b"", "is no model file, as"),
        ("a table", b"a,y\n1,x\n", "is no model file, as"),
        ("other JSON", b'{"a": 1}', "is no model file, as"),
        ("other text", b"# Title\n", "`splitsecond fit --out` write them.\n"),
        ("not UTF-8", b"\xff\xfe{}", "is no model file, as"),
        ("cut short", b'{"format": "splitsecond model", "version"', "is damaged: Expecting"),
        ("a newer version", b'{"format": "splitsecond model", "version": 99}', "newer splitsecond"),
        ("no model", b'{"format": "splitsecond model", "version": 1}', "damaged"),
    ],
)
def test_broken_models(
    tmp_path: Path, people: Path, kept: Path, name: str, content: bytes, expected: str
) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    out = ("--out", kept, "--force")
    assert expected in refused("show", path)
    assert expected in refused("predict", path, people, *out)
    assert expected in refused("export", path, "--to", "dot", *out)
    assert kept.read_text() == "kept"


def test_a_model_cut_short(tmp_path: Path, people_model: Path) -> None:
    content = people_model.read_bytes()
    path = tmp_path / "model.json"
    for part in range(0, len(content) - 2, len(content) // 10):  # the last two end it
        path.write_bytes(content[:part])
        refused("show", path)


def test_a_model_without_a_tree(tmp_path: Path) -> None:
    path = tmp_path / "binarizer.json"
    splitsecond.save(splitsecond.QuantileBinarizer().fit([[1.5], [2.5], [3.5]]), path)
    for command in (("show", path), ("export", path, "--to", "dot"), ("explore", path)):
        message = refused(*command)
        assert "holds a QuantileBinarizer, which has no tree" in message
        assert "Name a model, as fit --out or rashomon --out writes it." in message


def test_a_table_in_place_of_a_model(people: Path, people_model: Path) -> None:
    for command in (("show", people), ("predict", people, people_model), ("explore", people)):
        message = refused(*command)
        assert f"{people} is no model file" in message
        assert "looks like a table, which doctor, fit," in message


def test_a_model_that_is_named_like_a_table(tmp_path: Path, people_model: Path) -> None:
    path = tmp_path / "model.csv"
    path.write_bytes(people_model.read_bytes()[:-5])
    message = refused("show", path)
    assert "is damaged: " in message
    assert "looks like a table" not in message


def test_a_model_in_place_of_a_table(people_model: Path) -> None:
    target = ("--target", "outcome")
    for command in ("fit", "importance", "rashomon", "doctor"):
        assert "is a model file, which show," in refused(command, people_model, *target)
    assert "give a table here" in refused("predict", people_model, people_model)


def test_a_tree_in_place_of_a_set(people: Path, people_model: Path) -> None:
    for command in (
        ("explore", people_model),
        ("predict", people_model, people, "--vote"),
        ("show", people_model, "--tree", 1),
    ):
        message = refused(*command)
        assert "needs a set of trees, as rashomon --out writes it; " in message
        assert f"{people_model} holds a single tree (LicketySPLITClassifier), for show" in message


def test_paths_that_are_no_files(tmp_path: Path, people: Path, people_model: Path) -> None:
    for path, expected in (
        (tmp_path, "is a folder"),
        (tmp_path / "none.csv", "No such file"),
        (people / "inside.csv", "Not a directory"),
    ):
        for command in (
            ("fit", path, "--target", "y"),
            ("doctor", path),
            ("predict", people_model, path),
            ("predict", path, people),
            ("show", path),
            ("export", path, "--to", "text"),
        ):
            assert os.name == "nt" or expected in refused(*command)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "table.csv", columns())
    path.chmod(0)
    assert "Permission denied" in refused("fit", path, "--target", "outcome")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--drop", "incom"], "Did you mean 'income'?"),
        (["--category", "jobb"], "Did you mean 'job'?"),
        (["--weight", "nothing"], "without missing values"),
        (["--weight", "job"], "not numbers"),
        (["--weight", "outcome"], "is the target"),
        (["--algorithm", "greedy", "--lookahead-depth", 2], "no meaning for greedy"),
        (["--algorithm", "optimal", "--exact-last-split"], "no meaning for optimal"),
        (["--algorithm", "greedy", "--no-postprocess"], "no meaning for greedy"),
        (["--algorithm", "split", "--lookahead-depth", 7], "must not exceed max_depth=5"),
        (["--regularization", -1], "at least 0"),
        (["--max-depth", -1], "at least 0"),
        (["--time-limit", 0], "positive number of seconds"),
        (["--time-limit", 1e-6, "--regularization", "auto"], "is too short to choose lambda"),
        (["--jobs", 0], "n_jobs=0"),
        (["--class-weight", "ja=2"], "which the target does not have: its classes are 'no', 'yes'"),
        (["--class-weight", "no=2", "--class-weight", "no=3"], "two weights for the class 'no'"),
        (["--test-size", 1.5], "between 0 and 1"),
        (["--cv", 1], "from 2 to the number of rows"),
        (["--separator", "::"], "single character"),
        (["--encoding", "klingon"], "is not a known encoding"),
        (["--binarizer", "none"], "must be 0, 1"),
        (["--out", "no/such/folder/model.json"], "there is no folder"),
    ],
)
def test_arguments_that_cannot_be_used(people: Path, args: list[Any], expected: str) -> None:
    assert expected in refused("fit", people, "--target", "outcome", *args)


@pytest.mark.parametrize(
    "args",
    [
        ["--regularization", "cheap"],
        ["--regularization", "1/0"],
        ["--memory-limit", "lots"],
        ["--class-weight", "bad"],
        ["--class-weight", "=5"],
        ["--class-weight", "yes=many"],
        ["--class-weight", "yes=-1"],
        ["--class-weight", "yes=nan"],
        ["--class-weight", "balanced", "--class-weight", "yes=2"],
        ["--class-weight", "balanced", "--class-weight", "none"],
        ["--algorithm", "magic"],
        ["--max-depth", "deep"],
        ["--colour", "red"],
    ],
)
def test_wrong_usage_is_exit_code_2(people: Path, args: list[str]) -> None:
    assert args[0] in refused("fit", people, "--target", "outcome", *args, code=2)


def test_what_a_command_needs(people: Path, people_model: Path) -> None:
    assert "--target" in refused("fit", people, code=2)
    assert "--vote needs a set" in refused("predict", people_model, people, "--vote")
    assert "--tree needs a set" in refused("show", people_model, "--tree", 0)
    assert "--tree needs a set" in refused("predict", people_model, people, "--tree", 0)
    path = ("path", people, "--target", "outcome")
    assert "smallest=0.0 must be a number" in refused(*path, "--smallest", 0)
    assert "--cv 1 must be from 2" in refused(*path, "--cv", 1)
    assert "no column 'q'" in refused("predict", people_model, people, "--keep", "q")
    treefarms = ("rashomon", people, "--target", "outcome", "--method", "treefarms")
    assert "no meaning for treefarms" in refused(*treefarms, "--lookahead-depth", 2)
    assert "Raise epsilon" in refused(*treefarms, "--epsilon", 0, "--epsilon-kind", "absolute")
    importance = ("importance", people, "--target", "outcome")
    assert "n_bootstraps=0" in refused(*importance, "--bootstraps", 0)
    assert "No bootstrap was done" in refused(*importance, "--time-limit", 1e-6)


def test_a_table_without_the_columns_of_the_model(tmp_path: Path, people_model: Path) -> None:
    path = write_csv(tmp_path / "table.csv", {"age": [1, 2], "job": ["cook", "smith"]})
    message = refused("predict", people_model, path)
    assert str(path) in message
    assert "'income'" in message
    assert "Did you mean" not in message
    others = {" Age" if name == "age" else name: values for name, values in columns().items()}
    message = refused("predict", people_model, write_csv(path, others))
    assert "X lacks column 'age' that" in message
    assert "Did you mean ' Age' for 'age'?" in message
    both = tmp_path / "model.json"
    table = {"a": [0.5, 1.5] * 9, "A": [1.5, 0.5] * 9, "y": ["x", "z"] * 9}
    assert run("fit", write_csv(path, table), "--target", "y", "--out", both).exit_code == 0
    message = refused("predict", both, write_csv(path, {"a": [0.5]}))
    assert "X lacks column 'A' that" in message
    assert "Did you mean" not in message  # 'a' is there, and is another


# ---- files that are there ------------------------------------------------------------------------


def outputs(people: Path, people_model: Path) -> list[list[Any]]:
    fast = ["--max-depth", 2, "--target", "outcome"]
    return [
        ["fit", people, *fast],
        ["rashomon", people, *fast],
        ["importance", people, *fast, "--bootstraps", 1],
        ["predict", people_model, people],
        ["export", people_model, "--to", "dot"],
    ]


def test_no_file_is_replaced_without_force(people: Path, people_model: Path, kept: Path) -> None:
    for command in outputs(people, people_model):
        assert "give --force to replace it" in refused(*command, "--out", kept)
        assert kept.read_text() == "kept"
        assert "is a folder" in refused(*command, "--out", kept.parent, "--force")
        assert run(*command, "--out", kept, "--force").exit_code == 0
        assert kept.read_text() != "kept"
        kept.write_text("kept")


def test_the_file_that_is_read_is_never_replaced(people: Path, people_model: Path) -> None:
    before = people.read_bytes(), people_model.read_bytes()
    for command in outputs(people, people_model):
        assert "is the file that is read" in refused(*command, "--out", command[1], "--force")
    refused("predict", people_model, people, "--out", people, "--force")
    assert (people.read_bytes(), people_model.read_bytes()) == before


@pytest.mark.skipif(os.name == "nt", reason="other devices")
def test_devices_are_written_to_without_force(people: Path, people_model: Path) -> None:
    for command in outputs(people, people_model):
        assert run(*command, "--out", "/dev/null").exit_code == 0
        assert run(*command, "--out", "/dev/null", "--force").exit_code == 0
    assert Path("/dev/null").is_char_device()


def test_ctrl_c_while_writing_leaves_nothing(
    people: Path, people_model: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    for command in outputs(people, people_model):
        done = run(*command, "--out", kept, "--force")
        assert done.exit_code == 130
        assert "interrupted" in done.stderr
        assert kept.read_text() == "kept"
        assert list(kept.parent.iterdir()) == [kept]


def test_json_has_no_numbers_that_are_none() -> None:
    text = output.to_json({"a": float("nan"), "b": [float("inf"), 1.5], 3: (True, None)})
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "3": [True, None]}
