"""Groups of rows, such as those of a protected attribute, read from whatever users have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond._support.messages import offered, shown
from splitsecond._tables.opening import open_frame

UNNAMED = "group"  # the attribute of values that have no name
MISSING = "(missing)"  # the group of rows whose value is missing
REST = "rest"  # all rows but those of a group, in the names of differences
MAX_GROUPS = 50  # of an attribute


@dataclass(frozen=True)
class Attribute:
    """What divides the rows into groups."""

    name: str
    groups: tuple[str, ...]  # in order
    codes: NDArray[np.int64]  # the group of each row


@dataclass(frozen=True)
class Cells:
    """The rows by all attributes at once: rows of a cell are in the same groups."""

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int64]  # the cell of each row
    groups: NDArray[np.int64]  # [cells, attributes]: the groups that a cell is in

    @property
    def n_cells(self) -> int:
        """How many cells have rows."""
        return len(self.groups)

    @classmethod
    def of(cls, attributes: tuple[Attribute, ...], n_rows: int) -> Cells:
        """Find the cells that occur; without attributes there is one."""
        if not attributes:
            one = np.zeros((1, 0), dtype=np.int64)
            return cls((), np.zeros(n_rows, dtype=np.int64), one)
        by_row = np.column_stack([attribute.codes for attribute in attributes])
        groups, codes = np.unique(by_row, axis=0, return_inverse=True)
        return cls(attributes, codes.reshape(-1).astype(np.int64), groups)

    def of_group(self, attribute: int, group: int) -> NDArray[np.bool_]:
        """Mark the cells of a group."""
        marked: NDArray[np.bool_] = self.groups[:, attribute] == group
        return marked


def read_groups(groups: Any, X: Any, n_rows: int) -> Cells:
    """Read a parameter `groups`; see `TreeSet.evaluate`."""
    if groups is None:
        return Cells.of((), n_rows)
    columns = _columns(groups, X, n_rows)
    if not columns:
        raise ValueError("groups is empty: name a column of X, give values, or leave it out.")
    found = tuple(_attribute(name, values, n_rows) for name, values in columns.items())
    _check_names(found)
    return Cells.of(found, n_rows)


def _columns(groups: Any, X: Any, n_rows: int) -> dict[str, Any]:
    """Return the values of each attribute by its name."""
    if isinstance(groups, str):
        return {groups: _column(groups, X)}
    if isinstance(groups, Mapping):
        return {str(name): values for name, values in groups.items()}
    if isinstance(groups, (list, tuple)) and len(groups) != n_rows and _are_names(groups):
        return {name: _column(name, X) for name in groups}
    frame = open_frame(groups)
    if frame is not None:
        return {str(name): frame.get_column(name).to_list() for name in frame.columns}
    name = getattr(groups, "name", None)
    array = np.asarray(groups, dtype=object)
    if array.ndim == 2 and array.shape[1] > 1:
        return {f"{UNNAMED}{j}": array[:, j] for j in range(array.shape[1])}
    if array.ndim == 2:
        array = array[:, 0]
    return {UNNAMED if name is None else str(name): array}


def _are_names(groups: Any) -> bool:
    return len(groups) > 0 and all(isinstance(name, str) for name in groups)


def _column(name: str, X: Any) -> list[Any]:
    frame = open_frame(X)
    if frame is None:
        raise ValueError(
            f"groups={shown(name)} names a column, but X has no column names: give the values of "
            "the groups, one for each row."
        )
    if name not in frame.columns:
        names, hint = offered(name, list(frame.columns))
        raise ValueError(
            f"groups={shown(name)} is not a column of X, which has {names}.{hint} An attribute "
            "that is not in X is given by its values, one for each row."
        )
    return frame.get_column(name).to_list()


def _attribute(name: str, values: Any, n_rows: int) -> Attribute:
    if hasattr(values, "to_list"):  # a column of pandas or polars
        values = values.to_list()
    array = np.asarray(values, dtype=object)
    if array.shape != (n_rows,):
        raise ValueError(
            f"groups has shape {array.shape} for {shown(name)}, but X has {n_rows} rows: give each "
            "row a group."
        )
    texts = [_text(value) for value in array.tolist()]
    known = dict(zip(texts, array.tolist(), strict=True))
    for text, value in zip(texts, array.tolist(), strict=True):
        if isinstance(value, str) != isinstance(known[text], str):
            raise ValueError(
                f"groups has the values {shown(value)} and {shown(known[text])} for {shown(name)}, "
                f"which would both be called {text}: give one of them another name."
            )
    if len(known) > MAX_GROUPS:
        raise ValueError(
            f"groups has {len(known)} different values for {shown(name)}, more than {MAX_GROUPS}: "
            "put them into a few groups first, for example with pd.cut."
        )
    ordered = sorted(known, key=lambda text: _order(text, known[text]))
    number = {text: place for place, text in enumerate(ordered)}
    return Attribute(name, tuple(ordered), np.array([number[text] for text in texts], np.int64))


def _check_names(attributes: tuple[Attribute, ...]) -> None:
    """Refuse groups for which a name would mean two things, such as one that is called "rest"."""
    seen: set[str] = set()
    for attribute in attributes:
        groups = attribute.groups
        names = [*groups, *(f"{a} - {b}" for a, b in permutations(groups, 2))]
        if len(groups) > 2:  # of two groups, the other one is the rest
            names += [f"{group} - {REST}" for group in groups]
        for name in names:
            whole = f"{attribute.name}={name}"
            if whole in seen:
                raise ValueError(
                    f"[{whole}] would mean two things, with the groups of {shown(attribute.name)} "
                    f"as they are called; [... - {REST}] is the difference to all other rows. "
                    "Rename a group."
                )
            seen.add(whole)


def _text(value: Any) -> str:
    """Return how a group is written in the names of criteria."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return MISSING
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return MISSING if math.isnan(value) else f"{value:.15g}"
    return str(value)


def _order(text: str, value: Any) -> tuple[int, float, str]:
    """Order numbers by size, then text, then what is missing."""
    if text == MISSING:
        return 2, 0.0, ""
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return 0, float(value), ""
    return 1, 0.0, text
