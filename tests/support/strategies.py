"""Small problems that are likely to break a tree solver.

Two sources with one vocabulary: `random_problem` is seeded and fast, for comparing thousands of
problems with the oracle; `problems` is a hypothesis strategy, for properties whose failures are
worth shrinking. Both prefer what happens in real tables and rarely in random ones: repeated rows
with different labels, columns that are constant, equal or each other's complement, rows of weight
zero, and prices of a leaf at which a leaf and a split cost exactly the same.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

LOSSES = ("zero_one", "costs", "brier", "log_loss")

# The kinds of column a problem can repeat one of its own columns as.
COPIES = ("equal", "complement", "zeros", "ones")


@dataclass(frozen=True)
class Problem:
    X: npt.NDArray[np.uint8]
    codes: npt.NDArray[np.int64]
    n_classes: int
    weights: npt.NDArray[Any] | None
    regularization: Fraction | float
    max_depth: int
    loss: str = "zero_one"
    costs: Any = None  # [actions][classes], numbers of any type
    min_samples_leaf: int = 1

    @property
    def data(self) -> dict[str, Any]:
        """The arguments the oracle's constructor and `solve` share, besides X and codes."""
        return {
            "n_classes": self.n_classes,
            "weights": self.weights,
            "regularization": self.regularization,
        }

    @property
    def definition(self) -> dict[str, Any]:
        """All arguments of the oracle's constructor, besides X and codes."""
        return {
            **self.data,
            "loss": self.loss,
            "costs": self.costs,
            "min_samples_leaf": self.min_samples_leaf,
        }


def leaf_prices(n_rows: int) -> list[Fraction | float]:
    """Zero, tiny, about one row, not representable, ordinary, and too much for any split.

    A price of exactly one row (or half of one) makes equal objectives common, and 1/3 has neither a
    finite decimal nor a finite binary form.
    """
    return [
        Fraction(0),
        1e-9,
        Fraction(1, n_rows),
        Fraction(1, 2 * n_rows),
        Fraction(3, 2 * n_rows),
        Fraction(1, 3),
        0.01,
        0.1,
        2.0,
    ]


def copied(column: npt.NDArray[np.uint8], kind: str) -> npt.NDArray[np.uint8]:
    if kind == "equal":
        return column.copy()
    if kind == "complement":
        return (1 - column).astype(np.uint8)
    return np.full_like(column, 1 if kind == "ones" else 0)


def random_problem(
    rng: np.random.Generator,
    *,
    max_rows: int = 40,
    max_columns: int = 6,
    max_depth: int = 4,
    max_classes: int = 4,
) -> Problem:
    """Mostly problems hard enough for the algorithms to differ, sometimes degenerate ones."""
    n_rows = _mostly_large(rng, 1, max_rows)
    n_columns = _mostly_large(rng, 1, max_columns)
    n_classes = min(int(rng.choice([1, 2, 3, 4], p=[0.03, 0.57, 0.2, 0.2])), max_classes)
    X = _random_rows(rng, n_rows, n_columns)
    for column in range(1, n_columns):
        if rng.random() < 0.12:
            X[:, column] = copied(X[:, rng.integers(column)], str(rng.choice(COPIES)))
    # The two highest prices leave nothing but a leaf: once in a while is enough.
    prices = leaf_prices(n_rows)
    chances = np.array([1.0 if price < 0.3 else 0.2 for price in prices])
    return Problem(
        X=X,
        codes=_random_codes(rng, X, n_classes),
        n_classes=n_classes,
        weights=_random_weights(rng, n_rows),
        regularization=prices[int(rng.choice(len(prices), p=chances / chances.sum()))],
        max_depth=_mostly_large(rng, 0, max_depth),
    )


def noisy_problem(rng: np.random.Generator) -> Problem:
    """Rows and columns enough for every algorithm to find another tree."""
    n_rows, n_columns = int(rng.integers(20, 61)), int(rng.integers(5, 8))
    n_classes = int(rng.choice([2, 2, 3]))
    X = _random_bits(rng, n_rows, n_columns, 0.5)
    score = X @ rng.normal(size=n_columns) + 2 * (X[:, 0] ^ X[:, 1]) + rng.normal(size=n_rows)
    cuts = np.quantile(score, np.sort(rng.random(n_classes - 1)))
    return Problem(
        X=X,
        codes=np.searchsorted(cuts, score).astype(np.int64),
        n_classes=n_classes,
        weights=_random_weights(rng, n_rows),
        regularization=float(rng.choice([0.002, 0.005, 0.01, 0.02])),
        max_depth=int(rng.integers(3, 5)),
    )


def with_loss(rng: np.random.Generator, problem: Problem, loss: str) -> Problem:
    """The same rows with another loss, costs if it needs some, and at times no small leaves."""
    n_rows = len(problem.X)
    few = 1
    if rng.random() < 0.4:
        few = int(rng.choice([2, 2, 3, 3, max(1, n_rows // 6), max(1, n_rows // 2), n_rows]))
    problem = dataclasses.replace(problem, loss=loss, min_samples_leaf=few)
    if loss == "costs":
        problem = dataclasses.replace(problem, costs=random_costs(rng, problem.n_classes))
    if rng.random() < 0.6:  # most prices are more than a split of few rows can save
        price = float(rng.choice([0.0, 1e-6, 0.001, 0.003, 0.01, 0.02, 0.04]))
        problem = dataclasses.replace(problem, regularization=price)
    return problem


def random_costs(rng: np.random.Generator, n_classes: int) -> Any:
    """Costs [actions][classes]: of mistakes, of a further action, or of anything at all."""
    kind = rng.choice(["mistakes", "refer", "refer", "any", "any", "large", "decimal", "fractions"])
    mistakes = rng.integers(1, 10, (n_classes, n_classes)) * (1 - np.eye(n_classes, dtype=int))
    if kind == "mistakes":
        return mistakes
    if kind == "refer":  # what any row costs that is referred to a person
        return np.vstack([mistakes, np.full(n_classes, rng.integers(1, 5))])
    costs = rng.integers(0, 4, (int(rng.integers(1, 5)), n_classes))
    if kind == "large":
        return costs * rng.integers(1, 1000, costs.shape)
    if kind == "decimal":
        return costs / 10
    if kind == "fractions":
        return [[Fraction(int(cost), 3) for cost in action] for action in costs]
    return costs


def _mostly_large(rng: np.random.Generator, low: int, high: int) -> int:
    return int(max(rng.integers(low, high + 1, size=2)))


def _random_rows(rng: np.random.Generator, n_rows: int, n_columns: int) -> npt.NDArray[np.uint8]:
    density = float(rng.choice([0.15, 0.3, 0.5, 0.5, 0.5, 0.7]))
    if rng.random() < 0.1:
        # A few patterns repeated: duplicate rows that may disagree about the label.
        patterns = _random_bits(rng, int(rng.integers(1, 12)), n_columns, density)
        return patterns[rng.integers(len(patterns), size=n_rows)]
    return _random_bits(rng, n_rows, n_columns, density)


def _random_bits(
    rng: np.random.Generator, n_rows: int, n_columns: int, density: float
) -> npt.NDArray[np.uint8]:
    table: npt.NDArray[np.uint8] = (rng.random((n_rows, n_columns)) < density).astype(np.uint8)
    return table


def _random_codes(
    rng: np.random.Generator, X: npt.NDArray[np.uint8], n_classes: int
) -> npt.NDArray[np.int64]:
    n_rows, n_columns = X.shape
    noise = np.asarray(rng.integers(n_classes, size=n_rows), dtype=np.int64)
    if rng.random() < 0.3:
        return noise
    # Labels a tree can nearly learn, through counts; with two classes these are parities, in which
    # no single column tells greedy anything.
    chosen: npt.NDArray[np.int64] = X[
        :, rng.integers(n_columns, size=int(rng.integers(2, 5)))
    ].astype(np.int64)
    learnable = chosen.sum(axis=1) % n_classes
    flipped: npt.NDArray[np.int64] = np.where(rng.random(n_rows) < 0.15, noise, learnable)
    return flipped


def _random_weights(rng: np.random.Generator, n_rows: int) -> npt.NDArray[Any] | None:
    kind = rng.choice(["none", "none", "small", "zeros", "large", "fractions"])
    if kind == "none":
        return None
    weights: npt.NDArray[Any]
    if kind == "small":
        weights = rng.integers(1, 4, size=n_rows)
    elif kind == "zeros":
        weights = rng.integers(0, 3, size=n_rows)
    elif kind == "large":
        weights = rng.integers(1, 10**6, size=n_rows)
    else:
        weights = rng.integers(0, 13, size=n_rows) / 4
    # Somebody has to count.
    weights[rng.integers(n_rows)] += 1
    return weights


@st.composite
def problems(
    draw: DrawFn,
    *,
    max_rows: int = 30,
    max_columns: int = 6,
    max_depth: int = 4,
    max_classes: int = 4,
) -> Problem:
    """A problem that shrinks towards one row, one column, one class, no weights and no price."""
    n_rows = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, max_columns))
    n_classes = draw(st.integers(1, max_classes))
    rows = draw(_lists(st.integers(0, 2**n_columns - 1), n_rows))
    codes = draw(_lists(st.integers(0, n_classes - 1), n_rows))
    X = np.array([[row >> bit & 1 for bit in range(n_columns)] for row in rows], dtype=np.uint8)
    for column in range(1, n_columns):
        kind = draw(st.sampled_from(("own",) * 6 + COPIES))
        if kind != "own":
            X[:, column] = copied(X[:, draw(st.integers(0, column - 1))], kind)
    return Problem(
        X=X,
        codes=np.array(codes, dtype=np.int64),
        n_classes=n_classes,
        weights=draw(_weights(n_rows)),
        regularization=draw(st.sampled_from(leaf_prices(n_rows))),
        max_depth=draw(st.integers(0, max_depth)),
    )


@st.composite
def problems_with_losses(draw: DrawFn, **sizes: int) -> Problem:
    """A problem of any loss that shrinks towards misclassified rows and leaves of any size."""
    problem = draw(problems(**sizes))
    loss = draw(st.sampled_from(LOSSES))
    costs = None
    if loss == "costs":
        costs = [
            draw(_lists(st.integers(0, 9), problem.n_classes))
            for _ in range(draw(st.integers(1, 4)))
        ]
    few = draw(st.integers(1, max(1, len(problem.X) // 2)))
    return dataclasses.replace(problem, loss=loss, costs=costs, min_samples_leaf=few)


def _lists(elements: SearchStrategy[int], size: int) -> SearchStrategy[list[int]]:
    return st.lists(elements, min_size=size, max_size=size)


def _weights(n_rows: int) -> SearchStrategy[npt.NDArray[Any] | None]:
    counts = _lists(st.one_of(st.integers(0, 4), st.integers(0, 10**6)), n_rows)
    return st.one_of(st.none(), counts.filter(any).map(np.array))


def threshold_table(
    seed: int, n_rows: int, n_columns: int, *, n_classes: int = 2
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """A table like a binarized real one: thresholds on correlated numbers, noisy labels.

    Columns that are thresholds of one number contain each other, which independent bits never do
    and which bounds and caches meet all the time in practice.
    """
    rng = np.random.default_rng(seed)
    n_sources = max(3, -(-n_columns // 3))
    mixing = rng.normal(size=(n_sources, n_sources)) * 0.4 + np.eye(n_sources)
    numbers = rng.normal(size=(n_rows, n_sources)) @ mixing
    thresholds = np.quantile(numbers, [0.25, 0.5, 0.75], axis=0)
    table = np.concatenate([numbers <= cut for cut in thresholds], axis=1)[:, :n_columns]
    score = numbers[:, 0] + numbers[:, 1] * (numbers[:, 2] > 0) + 0.7 * rng.normal(size=n_rows)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return table.astype(np.uint8), np.searchsorted(cuts, score).astype(np.int64)


def noise(
    n_rows: int, n_columns: int, n_classes: int = 2
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """A table that says nothing about the classes, where no bound helps a search."""
    rng = np.random.default_rng(50)
    X = rng.integers(0, 2, size=(n_rows, n_columns)).astype(np.uint8)
    return X, rng.integers(n_classes, size=n_rows)
