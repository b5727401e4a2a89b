"""Times second criteria over sets too large to list: held-out error, and a gap between two groups.

    python benchmarks/criteria.py --out benchmarks/results

A quarter of the rows is held out. Each question is asked of an evaluation just made, so that its
time holds all it needs. Beside it, the same criteria of 100,000 sampled trees: what they take, and
how much of the range over all trees they find.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lib import arguments, report
from lib.report import Table, columns
from sklearn.model_selection import train_test_split

from splitsecond import SetEvaluation, TreeFARMS, TreeSet, datasets

SAMPLED = 100_000
# Data set, column that makes the groups (the trees do not see it), depth, lambda, epsilon.
PROBLEMS = (
    ("compas", "African_American", 5, 0.005, 0.03),
    ("compas", "African_American", 5, 0.01, 0.2),
    ("netherlands", "sex=female", 5, 0.005, 0.03),
    ("adult", "sex", 4, 0.002, 0.012),
)
COLUMNS = columns(
    "data set = data | groups | depth | lambda = regularization | epsilon | trees = trees .3g",
    "nodes ,.0f | held-out rows = rows ,.0f | fit = fit_seconds s",
)
ANSWERS = columns(
    "data set = data | epsilon | criterion | minimum = minimum .4f | mean = mean .4f",
    "maximum = maximum .4f | range = range_seconds s | frontier = frontier_seconds s",
    "points on it = points | sampled minimum = sampled_minimum .4f",
    "sampled maximum = sampled_maximum .4f | sampled = sampled_seconds s",
)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def answers(trees: TreeSet, X: Any, y: Any, groups: Any) -> Iterator[dict[str, Any]]:
    def evaluation() -> SetEvaluation:
        return trees.evaluate(X, y, groups=groups)

    gap = next(
        name
        for name in evaluation().criteria
        if name.startswith("selection_rate") and " - " in name
    )
    for name in ("error", gap):
        found, range_seconds = timed(lambda name=name: evaluation().range(name))
        front, frontier_seconds = timed(lambda name=name: evaluation().frontier(name))
        sampled, sampled_seconds = timed(
            lambda name=name: evaluation().to_frame(trees.sample(SAMPLED, random_state=0), [name])
        )
        values = sampled[name].to_numpy()
        yield {
            "criterion": name,
            "minimum": found.minimum,
            "mean": found.mean,
            "maximum": found.maximum,
            "is_exact": found.is_exact,
            "range_seconds": range_seconds,
            "frontier_seconds": frontier_seconds,
            "points": len(front),
            "sampled_minimum": float(values.min()),
            "sampled_maximum": float(values.max()),
            "sampled_seconds": sampled_seconds,
        }


def measure(
    name: str, column: str, depth: int, regularization: float, epsilon: float
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    table = datasets.load(name)
    X, y = table.X, table.y
    groups = X.pop(column).to_numpy()
    parts = train_test_split(X, y, groups, test_size=0.25, random_state=0, stratify=y)
    X_fit, X_new, y_fit, y_new, _, new_groups = parts
    model = TreeFARMS(max_depth=depth, regularization=regularization, epsilon=epsilon)
    model, fit_seconds = timed(lambda: model.fit(X_fit, y_fit))
    trees = model.trees_
    about = {
        "data": name,
        "groups": column,
        "depth": depth,
        "regularization": regularization,
        "epsilon": epsilon,
    }
    problem = {
        **about,
        "trees": float(trees.n_trees),
        "nodes": model.statistics_["nodes"],
        "rows": len(y_new),
        "fit_seconds": fit_seconds,
    }
    return problem, [{**about, **each} for each in answers(trees, X_new, y_new, new_groups)]


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for criteria.csv, criteria.md"
    )
    options = parser.parse_args()
    problems: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    tables = [Table("Sets", COLUMNS, problems), Table("Criteria over all trees", ANSWERS, rows)]
    for problem in PROBLEMS:
        report.progress(", ".join(map(str, problem)))
        about, found = measure(*problem)
        problems.append(about)
        rows += found
        text = report.save(options.out, "criteria", {}, tables)
    print(text)


if __name__ == "__main__":
    main()
