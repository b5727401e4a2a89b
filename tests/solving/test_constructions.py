"""The constructions behind the paper's proofs that lookahead can beat greedy by any margin.

A label follows a rule that greedy cannot see with probability 1 - eps, and the majority of a block
of decoy columns otherwise; greedy only ever sees the decoys. The proofs are asymptotic. Here every
row of the distribution is listed with its exact integer weight, nothing is sampled, and two things
are arranged so that the claims hold at sizes one can search:

* The decoys are the first columns, and there are as many as a path has levels. Once the majority is
  settled on a path every gain is zero, and greedy, by the rule for ties, asks another decoy; were
  the decoys last it would turn to the columns of the rule, which the paper's limit excludes.
* Under the uniform distribution the correlation of Tribes with each of its columns vanishes only
  for more columns than any lookahead could search. Weighting its inputs makes it zero at six.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import oracle
import pytest
from oracle import Tree

from splitsecond import (
    GreedyTreeClassifier,
    LicketySPLITClassifier,
    OptimalTreeClassifier,
    SPLITClassifier,
)
from splitsecond._solving.solve import solve

Row = tuple[int, ...]
Table = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]

# One label in ten comes from the decoys.
EPSILON = Fraction(1, 10)
# At price 0 greedy keeps every split that helps at all: its best chance.
PRICES = [Fraction(0), Fraction(1, 1000)]


def cube(n_columns: int) -> list[Row]:
    return list(itertools.product([0, 1], repeat=n_columns))


def majority(bits: Sequence[int]) -> int:
    return int(2 * sum(bits) >= len(bits))


def tribes(bits: Sequence[int]) -> int:
    """The paper's Tribes of six columns: three tribes of two, true when all of some tribe are."""
    return int(any(all(bits[i : i + 2]) for i in (0, 2, 4)))


def hidden_tribes_weight(bits: Row) -> int:
    """Makes the classes equal in weight, and each column 1 in two fifths of either class.

    False: independent tribes with 00, 01, 10 as 1 : 2 : 2, total 125. True: one complete tribe
    beside two empty ones counts 42 against 1 for the rest, total 160. Times 32 and 25 they match.
    """
    if not tribes(bits):
        return int(32 * 2 ** sum(bits))
    return 25 * (42 if sum(bits) == 2 else 1)


def parity_of_majority(bits: Row) -> int:
    return bits[0] ^ majority(bits[1:])


def mixture(
    rule: Callable[[Row], int],
    n_columns: int,
    n_decoys: int,
    weight: Callable[[Row], int] = lambda bits: 1,
) -> Table:
    """Every setting of decoys and rule columns; its label as two rows, weighted 9 to 1."""
    rows, codes, weights = [], [], []
    for decoys, block in itertools.product(cube(n_decoys), cube(n_columns)):
        for label, tenths in ((rule(block), 9), (majority(decoys), 1)):
            rows.append(decoys + block)
            codes.append(label)
            weights.append(tenths * weight(block))
    return np.array(rows, dtype=np.uint8), np.array(codes), np.array(weights)


def accuracy(table: Table, algorithm: str, **options: Any) -> tuple[Fraction, Tree]:
    X, codes, weights = table
    solution = solve(X, codes, n_classes=2, weights=weights, algorithm=algorithm, **options)
    tree = oracle.nested(solution.feature, solution.left, solution.right)
    return 1 - Fraction(int(solution.errors), int(weights.sum())), tree


def features_of(tree: Tree) -> set[int]:
    return set() if tree is None else {tree[0]} | features_of(tree[1]) | features_of(tree[2])


def assert_greedy_guesses(table: Table, n_decoys: int, **options: Any) -> None:
    """Half of the hidden labels and at most all of the decoys' can be right."""
    blind, tree = accuracy(table, "greedy", **options)
    assert Fraction(1, 2) <= blind <= Fraction(1, 2) + EPSILON / 2
    assert features_of(tree) <= set(range(n_decoys))


@pytest.mark.parametrize("column", range(6))
def test_tribes_hides_from_every_single_column(column: int) -> None:
    """The premise of the construction, checked exactly."""
    for side in (0, 1):
        inputs = [bits for bits in cube(6) if tribes(bits) == side]
        weight = sum(hidden_tribes_weight(bits) for bits in inputs)
        ones = sum(hidden_tribes_weight(bits) for bits in inputs if bits[column])
        assert (weight, Fraction(ones, weight)) == (4000, Fraction(2, 5))


@pytest.mark.parametrize("regularization", PRICES, ids=str)
def test_split_finds_tribes_where_greedy_guesses(regularization: Fraction) -> None:
    table = mixture(tribes, 6, 7, hidden_tribes_weight)
    options: dict[str, Any] = {"max_depth": 7, "regularization": regularization}
    assert_greedy_guesses(table, 7, **options)
    for postprocess in (False, True):
        sighted, _ = accuracy(table, "split", lookahead_depth=6, postprocess=postprocess, **options)
        assert sighted >= 1 - EPSILON


@pytest.mark.parametrize("regularization", PRICES, ids=str)
def test_split_finds_tribes_under_the_uniform_distribution(regularization: Fraction) -> None:
    """The paper's own distribution: what it promises of lookahead holds at any size."""
    table = mixture(tribes, 6, 5)
    options: dict[str, Any] = {"max_depth": 7, "regularization": regularization}
    for postprocess in (False, True):
        sighted, _ = accuracy(table, "split", lookahead_depth=6, postprocess=postprocess, **options)
        assert sighted >= 1 - EPSILON


@pytest.mark.parametrize("regularization", PRICES, ids=str)
@pytest.mark.parametrize("depth", [4, 6])
def test_lickety_finds_a_parity_where_greedy_guesses(depth: int, regularization: Fraction) -> None:
    """The depth is even: a majority of an odd number is fair, and so x1 alone tells nothing."""
    table = mixture(parity_of_majority, depth, depth + 1)
    options: dict[str, Any] = {"max_depth": depth, "regularization": regularization}
    assert_greedy_guesses(table, depth + 1, **options)
    sighted, tree = accuracy(table, "lickety", **options)
    assert sighted >= 1 - EPSILON
    # The paper's argument in full: x1 is the first split, though it alone tells nothing.
    assert tree is not None
    assert tree[0] == depth + 1


def test_the_classifiers_show_the_same() -> None:
    X, codes, weights = mixture(parity_of_majority, 4, 5)

    def score(model: Any) -> float:
        return float(model.fit(X, codes, sample_weight=weights).score(X, codes, weights))

    options: dict[str, Any] = {"max_depth": 4, "regularization": 0.001}
    assert score(GreedyTreeClassifier(**options)) <= 0.55
    assert score(LicketySPLITClassifier(**options)) >= 0.9
    assert score(SPLITClassifier(**options)) >= 0.9
    assert score(OptimalTreeClassifier(**options)) >= 0.9


def test_an_optimal_tree_that_is_greedy_below_the_horizon_is_found() -> None:
    """The paper's condition for SPLIT to be optimal, without its post-processing to help."""
    table = mixture(parity_of_majority, 4, 5)
    options: dict[str, Any] = {"max_depth": 4, "regularization": Fraction(1, 1000)}
    optimal, _ = accuracy(table, "optimal", **options)
    split, _ = accuracy(table, "split", lookahead_depth=1, postprocess=False, **options)
    assert split == optimal
