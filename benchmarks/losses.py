"""Times log-loss and Brier score against 0-1 loss, and proves optimal trees for both.

    python benchmarks/losses.py --out benchmarks/results

LicketySPLIT has depth 5 and, for each loss, a lambda that gives as many leaves (or as nearly as
can be) as 0-1 loss has at lambda 0.001. Optimal trees have depth 4; pystreed's regression trees
have the same objective as the Brier score and stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lib import arguments, data, environments, report, resumable
from lib.loss_packages import LOSSES
from lib.report import TIMES, Column, Table, columns
from lib.timing import Task, interleave, over, write_ratio
from lib.tree_packages import Problem

DATA_SETS = ("compas_split", "bike_praxis", "heloc", "covertype")
OPTIMAL_SETS = ("compas_split", "bike_praxis")
DEPTH, OPTIMAL_DEPTH = 5, 4
REGULARIZATION = 0.001  # of 0-1 loss
OPTIMAL_REGULARIZATIONS = (0.001, 0.005, 0.01)
PYSTREED = "pystreed, squared error"
STEPS = 14  # of the search for a lambda

COLUMNS = columns(
    "data set = data | depth | lambda = regularization .4g | method",
    *TIMES,
    Column("time / first", write_ratio),
    "objective = objective .5f | leaves | status",
)


def matching_penalty(source: str, loss: str, leaves: int, depth: int = DEPTH) -> float:
    """Return a lambda for which LicketySPLIT's number of leaves is nearest to a given one."""
    from splitsecond import LicketySPLITClassifier

    X, y = data.load(source)
    low, high = 1e-6, 0.5
    best: tuple[int, float] | None = None
    for _ in range(STEPS):
        penalty = float(f"{(low * high) ** 0.5:.4g}")
        model = LicketySPLITClassifier(loss=loss, regularization=penalty, max_depth=depth)
        found = model.fit(X, y).n_leaves_
        if best is None or abs(found - leaves) < best[0]:
            best = abs(found - leaves), penalty
        if found == leaves:
            break
        low, high = (penalty, high) if found > leaves else (low, penalty)
    assert best is not None
    return best[1]


def compare(tasks: Sequence[Task], budget: float) -> list[dict[str, Any]]:
    """Let tasks take turns, and return a row for each."""
    measurements = interleave(tasks, budget=budget)
    first = measurements[0].median if measurements[0].finished else None
    return [{**each.to_row(), "time_over_ours": over(each.median, first)} for each in measurements]


def licketysplit(source: str, budget: float, time_limit: float) -> list[dict[str, Any]]:
    """Time LicketySPLIT by each loss at lambdas that give as many leaves."""
    from splitsecond import LicketySPLITClassifier

    X, y = data.load(source)
    model = LicketySPLITClassifier(regularization=REGULARIZATION, max_depth=DEPTH).fit(X, y)
    penalties = {"zero_one": REGULARIZATION} | {
        loss: matching_penalty(source, loss, model.n_leaves_) for loss in LOSSES[1:]
    }
    return compare(
        [
            Task(f"splitsecond LicketySPLIT, {loss}", source, Problem(DEPTH, penalty, time_limit))
            for loss, penalty in penalties.items()
        ],
        budget,
    )


def optimal(
    source: str, penalty: float, budget: float, time_limit: float, *, pystreed: bool
) -> list[dict[str, Any]]:
    """Time optimal trees by each loss, and pystreed's beside the Brier score's."""
    problem = Problem(OPTIMAL_DEPTH, penalty, time_limit)
    methods = [f"splitsecond optimal, {loss}" for loss in reversed(LOSSES)]
    methods[1:1] = [PYSTREED] if pystreed else []
    return compare([Task(method, source, problem) for method in methods], budget)


def main() -> None:
    parser = arguments.parser(__doc__)
    arguments.add_choice(parser, "--data-set", DATA_SETS)
    arguments.add_limits(parser, budget=10.0, time_limit=300.0)
    arguments.add_output(parser)
    options = parser.parse_args()
    limits = {"budget": options.budget, "time_limit": options.time_limit}
    absent = environments.absent([PYSTREED])
    facts = data.describe(options.data_set) | report.not_run(absent)
    proved = [name for name in options.data_set if name in OPTIMAL_SETS]
    heuristic: list[dict[str, Any]] = []
    exact: list[dict[str, Any]] = []
    tables = [
        Table("LicketySPLIT by each loss, as many leaves", COLUMNS, heuristic),
        Table("Optimal trees by each loss", COLUMNS, exact),
    ]
    total = len(options.data_set) + len(proved) * len(OPTIMAL_REGULARIZATIONS)
    with resumable.Run("losses", total, options, limits) as run:
        for name in options.data_set:
            heuristic += run.rows(f"LicketySPLIT: {name}", partial(licketysplit, name, **limits))
            text = report.save(options.out, "losses", facts, tables)
        for name in proved:
            for penalty in OPTIMAL_REGULARIZATIONS:
                exact += run.rows(
                    f"optimal: {name}, lambda {penalty}",
                    partial(optimal, name, penalty, **limits, pystreed=not absent),
                )
                text = report.save(options.out, "losses", facts, tables)
    print(text)


if __name__ == "__main__":
    main()
