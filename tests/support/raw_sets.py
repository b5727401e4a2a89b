"""Sets of trees over raw columns, small enough to list, with the 0/1 answers worked out here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rashomon_oracle import RashomonOracle, Shape
from set_questions import random_question
from strategies import Problem, with_loss

from splitsecond import RESPLIT, MidpointBinarizer, TreeFARMS

MAX_TREES = 400  # of a set: more take too long to check one by one
GRADES = ["low", "middle", "high"]


@dataclass(frozen=True)
class RawSet:
    """A fitted set, and all its trees by brute force."""

    trees: Any
    frame: pd.DataFrame
    answers: npt.NDArray[np.uint8]  # of the training rows to all questions
    weights: npt.NDArray[Any]
    expected: set[Shape]

    @property
    def literals(self) -> list[Any]:
        return list(self.trees._reader.literals)


def answers_of(literals: list[Any], frame: pd.DataFrame) -> npt.NDArray[np.uint8]:
    """Answer questions value by value."""
    out = np.zeros((len(frame), len(literals)), dtype=np.uint8)
    for j, literal in enumerate(literals):
        for i, value in enumerate(frame[literal.name]):
            missing = value is None or (isinstance(value, float) and math.isnan(value))
            if literal.operator == "is missing":
                out[i, j] = missing
            elif not missing and literal.operator == "<=":
                order = GRADES.index if isinstance(value, str) else float
                out[i, j] = order(value) <= order(literal.value)  # type: ignore[operator]
            elif not missing:
                out[i, j] = value == (1 if literal.operator == "is 1" else literal.value)
    return out


def raw_columns(rng: np.random.Generator, X: npt.NDArray[np.uint8]) -> pd.DataFrame:
    """The 0/1 columns as they are, or two of them as a number or as an ordered category."""
    columns: dict[str, Any] = {}
    j = 0
    while j < X.shape[1]:
        kind = str(rng.choice(["flag", "number", "number", "grade"]))
        if kind == "flag" or j + 1 == X.shape[1]:
            columns[f"flag{j}"] = X[:, j]
            j += 1
            continue
        sums = X[:, j].astype(int) + X[:, j + 1]
        if kind == "grade":
            graded = [GRADES[each] for each in sums]
            columns[f"grade{j}"] = pd.Categorical(graded, categories=GRADES, ordered=True)
        else:
            missing = rng.random(len(X)) < 0.1 * (rng.random() < 0.4)
            columns[f"number{j}"] = np.where(missing, np.nan, sums * 10.0)
        j += 2
    return pd.DataFrame(columns)


def random_raw_set(
    rng: np.random.Generator, loss: str, lookahead: bool, **sizes: Any
) -> RawSet | None:
    """A set and what brute force says; None if rounding may differ, and for most small sets."""
    sizes = {"max_rows": 24, "max_columns": 4, **sizes}
    problem, options = random_question(rng, **sizes)
    problem = with_loss(rng, problem, loss)
    if rng.random() < 0.8:  # most sets would have a tree or two
        options["epsilon"] = float(rng.choice([0.1, 0.3, 0.6, 25.0]))
        options["epsilon_kind"] = "additive"
        price = float(rng.choice([0.001, 0.01, 0.03]))
        problem = replace(problem, regularization=price, min_samples_leaf=int(rng.integers(1, 3)))
    frame = raw_columns(rng, problem.X)
    model = _model(problem, options)
    levels = None
    if lookahead:
        levels = int(rng.integers(problem.max_depth + 1))
        model = _model(problem, options, lookahead_depth=levels)
    try:
        model.fit(frame, problem.codes, sample_weight=problem.weights)
    except ValueError as error:
        if "Raise epsilon=" not in str(error):  # which says that there is no tree
            raise
        return None
    literals = model.trees_._reader.literals
    if not literals:
        return None
    answers = answers_of(literals, frame)
    brute = RashomonOracle(answers, problem.codes, **problem.definition)
    arguments = (options["epsilon"], options["epsilon_kind"], options["keep_trivial"])
    found = (
        brute.exact_set(problem.max_depth, *arguments)
        if levels is None
        else brute.resplit(problem.max_depth, levels, *arguments)
    )
    if brute.doubtful or len(found) > MAX_TREES or (len(found) < 4 and rng.random() < 0.9):
        return None
    given = np.ones(len(frame)) if problem.weights is None else problem.weights
    return RawSet(model.trees_, frame, answers, given, set(found))


def _model(problem: Problem, options: dict[str, Any], **more: Any) -> Any:
    kind: Any = RESPLIT if more else TreeFARMS
    by_loss: dict[str, Any] = {"loss": problem.loss}
    if problem.costs is not None:
        by_loss = {"costs": problem.costs, "actions": list(range(len(problem.costs)))}
    return kind(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        min_samples_leaf=problem.min_samples_leaf,
        binarizer=MidpointBinarizer(),
        **{**options, **more, **by_loss},
    )


def new_rows(rng: np.random.Generator, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows made of values that occur, in other combinations."""
    n_rows = int(rng.integers(1, 12))
    places = {name: rng.integers(len(frame), size=n_rows) for name in frame}
    return pd.DataFrame(
        {name: frame[name].iloc[places[name]].reset_index(drop=True) for name in frame}
    )
