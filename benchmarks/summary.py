"""Tables of results in README.md and docs/, made from the committed measurements.

    python benchmarks/summary.py            # print them
    python benchmarks/summary.py --write    # put them between their marks

A mark is a pair of comments, `<!-- results: NAME -->` and `<!-- end of results -->`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from statistics import fmean

from lib import arguments
from lib.report import ROOT, ratio, seconds

RESULTS = ROOT / "benchmarks" / "results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REGION = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- end of results -->)", re.DOTALL)

PEERS_DATA = {
    "compas_split": "COMPAS, 6,172 x 38",
    "bike_praxis": "Bike, 17,379 x 43",
    "heloc": "HELOC, 10,459 x 60",
    "adult": "Adult, 30,162 x 64",
    "covertype": "Covertype, 581,012 x 41",
}
# Heading, table of the measurements, depth, our method, the other package.
PEERS_COLUMNS = [
    ("LicketySPLIT, depth 5", "LicketySPLIT", "5", "splitsecond LicketySPLIT", ""),
    ("tree-praxis, lookahead 1", "LicketySPLIT", "5", "splitsecond LicketySPLIT", "tree-praxis"),
    ("CART", "LicketySPLIT", "5", "splitsecond LicketySPLIT", "CART"),
    ("SPLIT, depth 5", "SPLIT", "5", "splitsecond SPLIT", ""),
    ("tree-praxis, lookahead 2", "SPLIT", "5", "splitsecond SPLIT", "tree-praxis"),
    ("optimal, depth 4", "optimal", "4", "splitsecond optimal", ""),
    ("pystreed", "optimal", "4", "splitsecond optimal", "pystreed"),
]
REGRESSION_PAIRS, REGRESSION_MEANS = "Ours against other packages", "Over all tables"
RAW_DATA = {
    "compas": "COMPAS",
    "heloc": "HELOC",
    "adult": "Adult",
    "bike": "Bike",
    "covertype": "Covertype",
}

# Method of the measurements, and what heads its column.
HELDOUT_COLUMNS = {
    "splitsecond, loss by CV, CART's size": "ours, log-loss or Brier",
    "splitsecond zero_one": "ours, 0-1 loss",
    "CART": "CART",
    "imodels FIGS": "FIGS",
    "logistic regression": "logistic regression",
    "interpret EBM": "EBM",
    "HistGradientBoosting": "boosting",
}
HELDOUT_SIZES = ("splitsecond, loss by CV, CART's size", "CART", "imodels FIGS")


def heldout() -> str:
    """Compare predictions on new rows: the AUC on each table, and the size of small models."""
    rows = [row for row in read("heldout") if row["table"] == "Mean over seeds"]
    cells = {(row["data"], row["method"]): row for row in rows}
    methods = [name for name in HELDOUT_COLUMNS if any(row["method"] == name for row in rows)]
    sizes = [name for name in HELDOUT_SIZES if name in methods]
    wanted = [(name, "auc", ".3f") for name in methods] + [
        (name, "leaves", ".0f") for name in sizes
    ]
    lines, complete = [], []
    for data in dict.fromkeys(row["data"] for row in rows):
        values = [cells.get((data, method), {}).get(key, "") for method, key, _ in wanted]
        complete.append([float(value) if value else None for value in values])
        lines.append([data, *_written(complete[-1], wanted)])
    columns = list(zip(*complete, strict=True))
    means = [None if None in column else fmean(column) for column in columns]
    lines.append(["mean", *_written(means, wanted)])
    heads = [f"AUC: {HELDOUT_COLUMNS[name]}" for name in methods]
    heads += [f"leaves: {HELDOUT_COLUMNS[name].split(',')[0]}" for name in sizes]
    return table(["data", *heads], lines)


def _written(values: Sequence[float | None], wanted: Sequence[tuple[str, str, str]]) -> list[str]:
    """Write the cells of a line, the highest AUC of the small models in bold."""
    small = [
        round(value, 3)
        for value, (method, key, _) in zip(values, wanted, strict=True)
        if key == "auc" and value is not None and method in (*HELDOUT_SIZES, "splitsecond zero_one")
    ]
    written = []
    for value, (method, key, code) in zip(values, wanted, strict=True):
        text = "-" if value is None else format(value, code)
        is_small = key == "auc" and method in (*HELDOUT_SIZES, "splitsecond zero_one")
        best = is_small and value is not None and round(value, 3) == max(small)
        written.append(f"**{text}**" if best else text)
    return written


def peers() -> str:
    """Compare single trees with other packages: a table of times, and one of objectives."""
    rows = read("peers")
    found = {
        title: [peers_row(rows, data, column) for column in PEERS_COLUMNS]
        for data, title in PEERS_DATA.items()
    }
    names = [column[0] for column in PEERS_COLUMNS]
    times = [f"{name} (x)" if peer else f"{name} (ms)" for name, *_, peer in PEERS_COLUMNS]
    return "\n".join(
        [
            table(
                ["data", *times],
                [[title, *map(peers_time, cells)] for title, cells in found.items()],
            ),
            "Training objectives of the same fits:\n",
            table(
                ["data", *names],
                [[title, *map(peers_objective, cells)] for title, cells in found.items()],
            ),
        ]
    )


def peers_row(
    rows: list[dict[str, str]], data: str, column: tuple[str, str, str, str, str]
) -> dict[str, str]:
    """Find the measurement of a column for a data set; an empty one if there is none."""
    _, name, depth, ours, peer = column
    for row in rows:
        if (
            row["table"].lower().startswith(name.lower())
            and (row["data"], row["depth"], row["regularization"]) == (data, depth, "0.001")
            and row["method"].startswith(peer or ours)
        ):
            return {**row, "peer": peer}
    return {}


def peers_time(row: dict[str, str]) -> str:
    if not row or not row["median"]:
        return row.get("status", "-")
    if row["peer"]:
        return ratio(float(row["time_over_ours"])).removesuffix("x")
    return f"**{1000 * float(row['median']):.3g}**"


def peers_objective(row: dict[str, str]) -> str:
    return _four(row["objective"]) if row and row["median"] else "-"


def raw() -> str:
    """Time the way from a raw frame to a tree, beside the paper's and gosdt's binarizer."""
    rows = read("raw")
    lines = []
    for data, title in RAW_DATA.items():
        ours, gosdt, paper = (row for row in rows if row["data"] == data)
        longer = gosdt["binarize_over_ours"]
        lines.append(
            [
                f"{title}, {ours['shape']}",
                f"**{seconds(float(ours['total']))}**",
                seconds(float(paper["total"])),
                ratio(float(longer)) if longer else gosdt["status"],
                *(_four(row["objective_0.001"]) for row in (ours, gosdt)),
            ]
        )
    headings = [
        "data",
        "time",
        "paper's time, on its machine",
        "gosdt's binarizer / ours (time)",
        "objective, lambda .001",
        "objective with gosdt's columns",
    ]
    maximum = max(float(row["memory_over_frame"]) for row in rows if row["memory_over_frame"])
    return table(headings, lines) + (
        f"\nThe whole fit needs at most {maximum:.1f} times the memory of the frame.\n"
    )


def regression() -> str:
    """Compare regression trees with other packages, and predictions on new rows."""
    if not all((RESULTS / f"{name}.csv").exists() for name in ("regression", "regression_heldout")):
        return "Not measured yet: `python benchmarks/regression.py` does.\n"
    pairs = [row for row in read("regression") if row["table"] == REGRESSION_PAIRS]
    headings = ["against", "depth", "problems", "mean ratio of objectives", "least ratio of times"]
    compared = [
        [
            row["against"],
            row["depth"],
            row["cells"],
            f"{float(row['objectives']):.4f}",
            ratio(float(row["least"])),
            ratio(float(row["median"])),
        ]
        for row in pairs
    ]
    means = [row for row in read("regression_heldout") if row["table"] == REGRESSION_MEANS]
    predicted = [
        [
            row["method"],
            row["tables"],
            f"{float(row['r2']):.3f}",
            f"{float(row['leaves']):.1f}" if row["leaves"] else "-",
        ]
        for row in means
    ]
    return "\n".join(
        [
            table([*headings, "median"], compared),
            "Means over tables and splits, on new rows:\n",
            table(["method", "tables", "R^2", "leaves"], predicted),
        ]
    )


# What a mark names.
SUMMARIES: dict[str, Callable[[], str]] = {
    "heldout": heldout,
    "peers": peers,
    "raw": raw,
    "regression": regression,
}


def read(name: str) -> list[dict[str, str]]:
    """Read the measurements of a benchmark."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    rows = [headings, ["---"] * len(headings), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def filled(text: str) -> str:
    """Return a text with what belongs between its marks."""
    return REGION.sub(lambda mark: f"{mark[1]}\n{SUMMARIES[mark[2]]()}\n{mark[3]}", text)


def _four(value: str) -> str:
    return f"{float(value):.4f}" if value else "-"


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--write", action="store_true", help="replace the tables in the pages")
    if parser.parse_args().write:
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            if filled(text) != text:
                page.write_text(filled(text), encoding="utf-8")
        return
    for name, summary in SUMMARIES.items():
        print(f"{name}:\n\n{summary()}")


if __name__ == "__main__":
    main()
