"""Data sets come from a folder, a cache or their homes, and are what they were when measured."""

from __future__ import annotations

import io
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from hypothesis import given
from hypothesis import strategies as st

from splitsecond import datasets
from splitsecond.datasets import _homes, _load
from splitsecond.datasets._content import fingerprint

TABLE = pd.DataFrame(
    {
        "age": [31, 40, 52, 23],
        "height": [1.71, 1.8, np.nan, 1.65],
        "job": ["cook", None, "nurse", "cook"],
        "label": ["yes", "no", "no", "yes"],
    }
)


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "title": "Four people",
        "rows": 4,
        "columns": list(TABLE.columns),
        "positive": "yes",
        "meaning": "yes = agreed",
        "licence": "free",
        "citation": "Nobody: Nothing. 2000.",
        "source": "https://example.org",
        "home": {"kind": "openml", "id": 7},
        "sha256": fingerprint(TABLE),
        **changes,
    }


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Make a manifest of one data set, and its home; no folder is set, and the cache is empty."""
    monkeypatch.delenv(_load.FOLDER, raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))

    def make(frame: Any, **changes: Any) -> list[int]:
        calls: list[int] = []

        def fetch(*, data_id: int, **_: Any) -> Any:
            calls.append(data_id)
            if isinstance(frame, Exception):
                raise frame
            return sklearn.utils.Bunch(frame=frame)

        monkeypatch.setattr(_load, "_manifest", lambda: {"people": entry(**changes)})
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        return calls

    return make


def test_a_download_is_checked_kept_and_not_repeated(offer: Any) -> None:
    calls = offer(TABLE.astype({"job": "category", "label": "category"}))
    first, second = datasets.load("people"), datasets.load("people", download=False)
    assert calls == [7]
    assert list(first.X.columns) == ["age", "height", "job"]
    assert first.y.tolist() == ["yes", "no", "no", "yes"]
    assert first.y_binary.tolist() == [1, 0, 0, 1]
    pd.testing.assert_frame_equal(first.X, second.X)
    assert second.description.licence == "free"
    assert repr(first) == "<Dataset people: 4 rows x 3>"


def test_other_names_in_the_same_order_are_ours(offer: Any) -> None:
    offer(TABLE.set_axis(["V1", "V2", "V3", "Class"], axis=1))
    assert list(datasets.load("people").X.columns) == ["age", "height", "job"]


def test_columns_in_another_order_are_put_right(offer: Any) -> None:
    offer(TABLE[["label", "job", "age", "height"]].assign(extra=0))
    assert datasets.load("people").X["age"].tolist() == [31, 40, 52, 23]


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        (TABLE.replace(31, 32), "other values"),
        (TABLE.iloc[::-1], "another order of rows"),
        (TABLE.head(3), "3 rows in place of 4"),
        (TABLE.iloc[:, 1:], "3 columns came, 4 were expected"),
    ],
)
def test_what_is_not_the_same_is_refused_and_not_kept(
    offer: Any, tmp_path: Path, frame: Any, what: str
) -> None:
    offer(frame)
    with pytest.raises(ValueError, match=what):
        datasets.load("people")
    assert not list((tmp_path / "cache").rglob("*.csv.gz"))


def test_it_may_be_taken_all_the_same(offer: Any, tmp_path: Path) -> None:
    offer(TABLE.head(3))
    assert len(datasets.load("people", verify=False).X) == 3
    assert not list((tmp_path / "cache").rglob("*.csv.gz"))


def test_without_a_network_the_error_says_what_to_do(offer: Any) -> None:
    offer(urllib.error.URLError("no route"))
    with pytest.raises(ConnectionError, match=r"OpenML, data set 7.*SPLITSECOND_DATA"):
        datasets.load("people")


def test_downloads_can_be_forbidden(offer: Any) -> None:
    calls = offer(TABLE)
    with pytest.raises(FileNotFoundError, match=r"download=False.*raw/people\.csv\.gz"):
        datasets.load("people", download=False)
    assert calls == []


def test_a_set_without_a_public_home_says_where_to_get_it(offer: Any) -> None:
    offer(TABLE, home={"kind": "manual", "why": "its owner asks for a signature"})
    with pytest.raises(FileNotFoundError, match=r"signature.*example\.org.*'label' last"):
        datasets.load("people")


@pytest.mark.parametrize("file", ["raw/people.csv.gz", "people.csv", "binary/people.parquet"])
def test_the_folder_comes_first(
    offer: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str
) -> None:
    calls = offer(TABLE)
    path = tmp_path / "data" / file
    path.parent.mkdir(parents=True)
    TABLE.to_parquet(path) if path.suffix == ".parquet" else TABLE.to_csv(path, index=False)
    monkeypatch.setenv(_load.FOLDER, str(tmp_path / "data"))
    assert datasets.load("people").y_binary.sum() == 2
    assert calls == []


def test_a_changed_file_in_the_folder_is_named(
    offer: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer(TABLE)
    TABLE.rename(columns={"age": "years"}).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.setenv(_load.FOLDER, str(tmp_path))
    with pytest.raises(ValueError, match=r"people\.csv is not the data set.*'years'"):
        datasets.load("people")


def test_an_archive_within_an_archive(offer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def packed(name: str, content: bytes) -> bytes:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as writer:
            writer.writestr(name, content)
        return archive.getvalue()

    text = TABLE.to_csv(index=False, sep=";").encode()
    sent = [packed("inner.zip", packed("people.csv", text)), b"<html>busy</html>"]
    monkeypatch.setattr(urllib.request, "urlopen", lambda url, timeout: io.BytesIO(sent.pop(0)))
    home = {
        "kind": "zip",
        "url": "https://example.org/a.zip",
        "members": ["inner.zip", "people.csv"],
        "separator": ";",
    }
    offer(TABLE, home=home)
    assert datasets.load("people").y_binary.sum() == 2
    with pytest.raises(ValueError, match=r"example\.org/a\.zip sent something else"):
        _load._from_home("people", entry(home=home), Path("x"), download=True, verify=True)


def test_names_are_checked() -> None:
    with pytest.raises(ValueError, match=r"no data set 'iris'.*compas"):
        datasets.load("iris")


def test_pandas_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"\[datasets\]"):
        datasets.load("compas")


@pytest.mark.parametrize("name", datasets.names())
def test_the_manifest_is_whole(name: str) -> None:
    known = datasets.describe(name)
    assert all((known.title, known.meaning, known.licence, known.citation, known.source))
    assert len({*known.columns, known.target}) == len(known.columns) + 1
    assert len(known.sha256) == 64
    assert known.n_rows > 1000
    home = _load._entry(name)["home"]
    assert home["kind"] in {*_homes._FETCHERS, "manual"}
    assert home.get("url", "https://").startswith("https://")


columns = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), min_size=3, max_size=3),
    st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 4)), min_size=3, max_size=3),
    st.lists(st.sampled_from(["a", "b", "two words"]), min_size=3, max_size=3),
)


@pytest.mark.slow
@given(st.lists(columns, min_size=1, max_size=4), st.integers(0, 2))
def test_the_fingerprint_is_of_the_content(given: list[list[Any]], row: int) -> None:
    table = pd.DataFrame({f"c{j}": values for j, values in enumerate(given)})
    again = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    assert fingerprint(again) == fingerprint(table)
    text = dict.fromkeys(table.select_dtypes(exclude="number"), "category")
    assert fingerprint(table.astype(text)) == fingerprint(table)
    blank = table.astype(object)
    blank.iloc[row, 0] = None
    changed = blank.infer_objects()
    assert fingerprint(changed) != fingerprint(table)
    assert fingerprint(table.rename(columns={"c0": "d"})) != fingerprint(table)
