"""What a piece is: a table or figure of the paper, what it is measured by, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from jobs import Job, Settings
from lib.report import Column, Row, Table, column, columns

Rows: TypeAlias = list[dict[str, Any]]

VERDICT = (
    "Verdict: our mean is below the paper's interval (better), inside it, or above it (worse; "
    "overlaps, if our own 95 % interval reaches into it)."
)


@dataclass(frozen=True)
class Shown:
    """What is made of the rows: tables, notes (paragraphs), figures and what is drawn in them."""

    tables: Sequence[Table]
    notes: Sequence[str] = ()
    figures: dict[str, Any] = field(default_factory=dict)  # by the end of their name
    points: Sequence[Row] = ()


@dataclass(frozen=True)
class Piece:
    """A table or figure of the paper, or several that are one measurement."""

    name: str
    paper: str  # what it is in the paper
    jobs: Callable[[Settings], list[Job]]
    show: Callable[[Rows], Shown]


def half(values: Sequence[float]) -> float:
    """Return the half width of the 95 % interval of a mean."""
    return float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def verdict(values: Sequence[float], low: float, high: float) -> str:
    """Compare our mean, and its 95 % interval, with the paper's interval."""
    mean = float(np.mean(values))
    if mean < low:
        return "better"
    if mean <= high:
        return "inside"
    return "overlaps" if mean - half(values) <= high else "worse"


def against(values: Sequence[float], low: float, high: float) -> dict[str, Any]:
    """Return the cells of a comparison with an interval of the paper."""
    return {
        "mean": float(np.mean(values)),
        "half": half(values),
        "paper_low": low,
        "paper_high": high,
        "verdict": verdict(values, low, high),
    }


def ours(places: int = 4) -> Column:
    """Make the column of our mean and its 95 % interval."""
    return Column("ours", lambda row: f"{row['mean']:.{places}f} ± {row['half']:.{places}f}")


def paper_interval(places: int = 3) -> Column:
    return Column(
        "paper", lambda row: f"[{row['paper_low']:.{places}f}, {row['paper_high']:.{places}f}]"
    )


TIMES = columns(
    "our time = seconds s",
    column("paper's time", "paper_seconds", "{:.2f} s".format),
    "paper / ours = times x",
)


def times(mine: Sequence[float], theirs: float) -> dict[str, Any]:
    """Return the cells of `TIMES`; a time printed as 0.00 tells no ratio."""
    mean = float(np.mean(mine))
    return {
        "seconds": mean,
        "paper_seconds": theirs,
        "times": theirs / mean if theirs > 0.005 else None,
    }


def tell(rows: Sequence[Row], why: dict[str, str]) -> list[str]:
    """Say where we are worse or better than the paper's interval, and why."""
    notes = [VERDICT]
    for what in ("worse", "better"):
        of = [row for row in rows if row["verdict"] == what]
        if not of:
            notes.append(f"We are {what} in none of {len(rows)} cells.")
            continue
        named = ", ".join(sorted({str(row["data"]) for row in of}))
        notes.append(f"We are {what} in {len(of)} of {len(rows)} cells ({named}).")
    differing = {row["data"] for row in rows if row["verdict"] != "inside"}
    return notes + [text for name, text in why.items() if name in differing]


def pick(rows: Iterable[Row], **wanted: Any) -> Rows:
    """Return the rows whose cells are as wanted."""
    return [dict(row) for row in rows if all(row[key] == value for key, value in wanted.items())]


def values(rows: Iterable[Row], key: str) -> list[Any]:
    return [row[key] for row in rows]


def mean(rows: Iterable[Row], key: str) -> float:
    return float(np.mean(values(rows, key)))


def data_sets(rows: Iterable[Row]) -> list[str]:
    """Return the data sets of the rows, in their order."""
    return list(dict.fromkeys(values(rows, "data")))


def stopped(fits: Iterable[Row]) -> int:
    """Count the fits that the time limit ended."""
    return sum(fit["status"] == "time_limit" for fit in fits)


def without_details(row: Row) -> dict[str, Any]:
    """Return the cells of a row that hold one value."""
    return {key: value for key, value in row.items() if not isinstance(value, dict)}


def listed(names: Sequence[str], some: str, none: str) -> str:
    """Return a sentence that ends with names, or the one for no names."""
    return f"{some} {', '.join(names)}." if names else none
