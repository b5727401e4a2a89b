"""Print the README's table from the committed measurements: python benchmarks/summary.py"""

from __future__ import annotations

import csv
from pathlib import Path

from report import ratio, seconds

RESULTS = Path(__file__).parent / "results" / "peers.csv"
DATA = {
    "compas_split": "COMPAS, 6,172 x 38",
    "bike_praxis": "Bike, 17,379 x 43",
    "heloc": "HELOC, 10,459 x 60",
    "adult": "Adult, 30,162 x 64",
    "covertype": "Covertype, 581,012 x 41",
}
# Heading, table of the measurements, depth, our method, the peer.
COLUMNS = [
    ("LicketySPLIT, depth 5", "LicketySPLIT", "5", "splitsecond LicketySPLIT", ""),
    ("tree-praxis", "LicketySPLIT", "5", "splitsecond LicketySPLIT", "tree-praxis"),
    ("CART", "LicketySPLIT", "5", "splitsecond LicketySPLIT", "CART"),
    ("SPLIT, depth 5", "SPLIT", "5", "splitsecond SPLIT", ""),
    ("tree-praxis", "SPLIT", "5", "splitsecond SPLIT", "tree-praxis"),
    ("optimal, depth 4", "optimal", "4", "splitsecond optimal", ""),
    ("pystreed", "optimal", "4", "splitsecond optimal", "pystreed"),
]


def cell(rows: list[dict[str, str]], data: str, column: tuple[str, str, str, str, str]) -> str:
    _, table, depth, ours, peer = column
    for row in rows:
        if (
            row["table"].lower().startswith(table.lower())
            and (row["data"], row["depth"], row["regularization"]) == (data, depth, "0.001")
            and row["method"].startswith(peer or ours)
        ):
            if not row["median"]:
                return row["status"]
            time = seconds(float(row["median"]))
            objective = f"{float(row['objective']):.4f}"
            if not peer:
                return f"**{time}** ({objective})"
            return f"{ratio(float(row['time_over_ours']))} ({objective})"
    return "-"


def main() -> None:
    with RESULTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    print("| data | " + " | ".join(column[0] for column in COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for data, title in DATA.items():
        print(f"| {title} | " + " | ".join(cell(rows, data, c) for c in COLUMNS) + " |")


if __name__ == "__main__":
    main()
