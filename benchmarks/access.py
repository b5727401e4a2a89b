"""Times how fast trees of a set too large to list are reached: by number, and by sampling.

    python benchmarks/access.py --out benchmarks/results

The tables that numbers are looked up in fill as they are asked for, so rounds of 100,000 trees
are told one by one, in the order they were run, the first on a set just fitted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lib import arguments, data, report
from lib.report import Table, columns

from splitsecond import TreeFARMS

EACH = 100_000
AT_ONCE = 10_000  # trees of one sample
# Data set, depth, lambda, epsilon: sets with more than 10^9 trees.
PROBLEMS = (
    ("compas_split", 4, 0.002, 0.02),
    ("compas_split", 5, 0.005, 0.03),
    ("compas_split", 5, 0.01, 0.06),
    ("netherlands_split_aggressive", 5, 0.005, 0.04),
)
COLUMNS = columns(
    "data set = data | depth | lambda = regularization | epsilon | trees = trees .3g | nodes",
    "way | round | time of one = seconds s | a second = rate ,.0f",
)


def rounds(
    name: str, depth: int, regularization: float, epsilon: float, n: int
) -> Iterator[dict[str, Any]]:
    X, y = data.load(name)
    model = TreeFARMS(max_depth=depth, regularization=regularization, epsilon=epsilon).fit(X, y)
    trees = model.trees_
    random = np.random.default_rng(0)

    def by_number() -> Callable[[], None]:
        places = [int(share * trees.n_trees) for share in random.random(EACH)]

        def reach() -> None:
            for place in places:
                trees[place]

        return reach

    def by_sampling() -> Callable[[], None]:
        seed = int(random.integers(2**31))

        def reach() -> None:
            for i in range(EACH // AT_ONCE):
                trees.sample(AT_ONCE, random_state=seed + i)

        return reach

    for way, prepare in (("trees_[i]", by_number), ("sample", by_sampling)):
        for number in range(1, n + 1):
            reach = prepare()
            start = time.perf_counter()
            reach()
            seconds = (time.perf_counter() - start) / EACH
            yield {
                "data": name,
                "depth": depth,
                "regularization": regularization,
                "epsilon": epsilon,
                "trees": float(trees.n_trees),
                "nodes": model.statistics_["nodes"],
                "way": way,
                "round": number,
                "seconds": seconds,
                "rate": 1 / seconds,
            }


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for access.csv, access.md")
    parser.add_argument("--rounds", type=int, default=5, help=f"of {EACH:,} trees each")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    table = Table("Trees reached", COLUMNS, rows)
    for problem in PROBLEMS:
        report.progress(", ".join(map(str, problem)))
        rows += rounds(*problem, options.rounds)
        text = report.save(options.out, "access", {}, [table])
    print(text)


if __name__ == "__main__":
    main()
