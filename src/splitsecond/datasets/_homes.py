"""Downloads: each data set from its public home, brought to the form that the manifest names."""

from __future__ import annotations

import io
import urllib.request
import zipfile
from typing import Any

TIMEOUT = 60.0  # seconds without an answer


def download(name: str, home: dict[str, Any], columns: list[str]) -> Any:
    """Return a data set as a pandas table with the given columns, the target last.

    Raises OSError (urllib's errors among them) where the home cannot be reached, and ValueError
    where what it sends cannot be brought to these columns.
    """
    table = _FETCHERS[home["kind"]](home)
    adapt = _ADAPTERS.get(name)
    if adapt is not None:
        table = adapt(table)
    if set(columns) <= set(table.columns):
        return table[columns]
    if table.shape[1] != len(columns):
        raise ValueError(f"{table.shape[1]} columns came, {len(columns)} were expected")
    return table.set_axis(columns, axis=1)  # the same columns under other names


def _openml(home: dict[str, Any]) -> Any:
    from sklearn.datasets import fetch_openml

    # No cache: what is kept is our own form of it. The parser is the one that needs pandas alone.
    return fetch_openml(data_id=home["id"], as_frame=True, parser="pandas", cache=False).frame


def _covtype(home: dict[str, Any]) -> Any:
    from sklearn.datasets import fetch_covtype

    return fetch_covtype(as_frame=True).frame


def _csv(home: dict[str, Any]) -> Any:
    import pandas as pd

    return pd.read_csv(io.BytesIO(_bytes(home["url"])))


def _zip(home: dict[str, Any]) -> Any:
    """Read a CSV file from an archive, or from an archive within it."""
    import pandas as pd

    content = _bytes(home["url"])
    for member in home["members"]:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = archive.read(member)
    return pd.read_csv(io.BytesIO(content), sep=home.get("separator", ","))


def _bytes(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        content: bytes = answer.read()
    return content


def _adult(table: Any) -> Any:
    """Keep UCI's training part: OpenML has its test part first."""
    return table.tail(32_561)


def _bike(table: Any) -> Any:
    """Replace the counts, which the label follows from, by the label."""
    label = (table["cnt"] > 142).astype(int)
    return table.drop(columns=["dteday", "casual", "registered", "cnt"]).assign(cnt_binary=label)


def _hypothyroid(table: Any) -> Any:
    """Drop the empty column, then the rows with missing values."""
    return table.drop(columns="TBG").dropna()


_FETCHERS = {"openml": _openml, "covtype": _covtype, "csv": _csv, "zip": _zip}
_ADAPTERS = {"adult": _adult, "bike": _bike, "hypothyroid": _hypothyroid}
