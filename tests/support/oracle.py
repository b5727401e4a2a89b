"""Brute force: what the algorithms mean, spelled out and slow.

Nothing of the package is imported here. Rows are bits of a Python integer, every cost is a Python
integer, every objective a Fraction: there is nothing to round and nothing to prune. Each function
is the definition itself, written down once; the only concession to speed is that the value of a
(set of rows, depth, lookahead) is remembered, because the same rows are reached by many paths.

A tree is ``None`` (a leaf) or ``(feature, yes, no)``: *yes* is the subtree of the rows whose
feature is 1. Costs are in units of 1 / (total weight * denominator of lambda).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

Tree: TypeAlias = "tuple[int, Tree, Tree] | None"

# Entropies this close (in bits) are a tie, which the lower feature index wins.
ENTROPY_TIE = 1e-9


def exact(value: float | int | Fraction) -> Fraction:
    """The number a person means: a float is the decimal it prints as, so 0.1 is 1/10."""
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones of `mask`, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Oracle:
    """One problem: 0/1 rows, class codes, weights and the price of a leaf.

    Methods named after a value return ``(cost, tree)``; `objective` turns a cost into the exact
    objective. Rows of weight zero are left out at the start, as if they had never been given.
    """

    def __init__(
        self,
        X: Any,
        codes: Any,
        *,
        n_classes: int,
        weights: Any = None,
        regularization: float | int | Fraction,
        exact_last_split: bool = False,
    ) -> None:
        self.exact_last_split = exact_last_split
        rows = [[int(value) for value in row] for row in X]
        labels = [int(code) for code in codes]
        # A numpy scalar is not a float or an int for `Fraction(repr(...))`: unpack it first.
        given = [1] * len(rows) if weights is None else [_plain(weight) for weight in weights]
        shares = [exact(weight) for weight in given]
        scale = math.lcm(*(share.denominator for share in shares))
        kept = [i for i, share in enumerate(shares) if share > 0]
        self.n_classes = n_classes
        self.n_features = len(rows[0])
        self.weight = [int(shares[i] * scale) for i in kept]
        self.total = sum(self.weight)
        self.regularization = exact(regularization)
        self._error_price = self.regularization.denominator
        self._leaf_price = self.regularization.numerator * self.total
        self._code = [labels[i] for i in kept]
        self.everything = (1 << len(kept)) - 1
        self._column = [
            sum(1 << bit for bit, i in enumerate(kept) if rows[i][feature])
            for feature in range(self.n_features)
        ]
        self._counts: dict[int, list[int]] = {}
        self._splits: dict[int, list[tuple[int, int, int]]] = {}
        self._best_gain: dict[int, int | None] = {}
        self._greedy: dict[tuple[int, int], tuple[int, Tree]] = {}
        self._value: dict[tuple[int, int, int], tuple[int, Tree]] = {}

    # What a node is worth by itself

    def objective(self, cost: int) -> Fraction:
        return Fraction(cost, self.total * self._error_price)

    def class_weights(self, mask: int) -> list[int]:
        known = self._counts.get(mask)
        if known is None:
            known = [0] * self.n_classes
            for row in bits(mask):
                known[self._code[row]] += self.weight[row]
            self._counts[mask] = known
        return known

    def leaf(self, mask: int) -> int:
        counts = self.class_weights(mask)
        return (sum(counts) - max(counts)) * self._error_price + self._leaf_price

    def splits(self, mask: int) -> list[tuple[int, int, int]]:
        """Every ``(feature, yes rows, no rows)`` with rows on both sides, features ascending."""
        known = self._splits.get(mask)
        if known is None:
            known = []
            for feature, column in enumerate(self._column):
                yes, no = mask & column, mask & ~column
                if yes and no:
                    known.append((feature, yes, no))
            self._splits[mask] = known
        return known

    # Greedy

    def greedy_feature(self, mask: int) -> int | None:
        """The feature of highest information gain, or None when nothing divides the rows.

        The gain is highest where the entropy left after the split is lowest.
        """
        if mask not in self._best_gain:
            left = [
                (feature, self._entropy_after(yes, no)) for feature, yes, no in self.splits(mask)
            ]
            least = min((entropy for _, entropy in left), default=math.inf)
            self._best_gain[mask] = next(
                (feature for feature, entropy in left if entropy <= least + ENTROPY_TIE), None
            )
        return self._best_gain[mask]

    def _entropy_after(self, yes: int, no: int) -> float:
        sides = [self.class_weights(yes), self.class_weights(no)]
        whole = sum(map(sum, sides))
        return sum(sum(side) / whole * entropy(side) for side in sides)

    def greedy(self, mask: int, depth: int) -> tuple[int, Tree]:
        known = self._greedy.get((mask, depth))
        if known is not None:
            return known
        best: tuple[int, Tree] = (self.leaf(mask), None)
        feature = self.greedy_feature(mask) if depth > 0 else None
        if depth == 1 and self.exact_last_split:
            tree = self.value(mask, 1, 1)[1]  # the split of least errors, if one pays
            feature = None if tree is None else tree[0]
        if feature is not None:
            column = self._column[feature]
            yes_cost, yes = self.greedy(mask & column, depth - 1)
            no_cost, no = self.greedy(mask & ~column, depth - 1)
            # Pruned bottom up: a split must be strictly better than the leaf it replaces.
            if yes_cost + no_cost < best[0]:
                best = (yes_cost + no_cost, (feature, yes, no))
        self._greedy[mask, depth] = best
        return best

    # V(rows, depth, lookahead) and what is made of it

    def value(self, mask: int, depth: int, lookahead: int) -> tuple[int, Tree]:
        """The best cost with `depth` levels left, `lookahead` of them searched exhaustively."""
        if depth == 0:
            return self.leaf(mask), None
        if lookahead == 0:
            return self.greedy(mask, depth)
        known = self._value.get((mask, depth, lookahead))
        if known is None:
            # Strictly better replaces: the leaf wins ties, then the lowest feature.
            known = (self.leaf(mask), None)
            for feature, yes_rows, no_rows in self.splits(mask):
                yes_cost, yes = self.value(yes_rows, depth - 1, lookahead - 1)
                no_cost, no = self.value(no_rows, depth - 1, lookahead - 1)
                if yes_cost + no_cost < known[0]:
                    known = (yes_cost + no_cost, (feature, yes, no))
            self._value[mask, depth, lookahead] = known
        return known

    def optimal(self, mask: int, depth: int) -> tuple[int, Tree]:
        return self.value(mask, depth, depth)

    def split(self, mask: int, depth: int, lookahead: int) -> tuple[int, Tree]:
        """SPLIT: the prefix that attains V, every leaf of it replaced by an optimal tree.

        The greedy completion is not part of the prefix: a node at the horizon is one of its leaves.
        """
        tree = self.value(mask, depth, lookahead)[1]
        if depth == 0 or lookahead == 0 or tree is None:
            # Optimal trees prefer the leaf on a tie, so "if that is better" needs no test.
            return self.optimal(mask, depth)
        feature = tree[0]
        column = self._column[feature]
        yes_cost, yes = self.split(mask & column, depth - 1, lookahead - 1)
        no_cost, no = self.split(mask & ~column, depth - 1, lookahead - 1)
        return yes_cost + no_cost, (feature, yes, no)

    def lickety(self, mask: int, depth: int) -> tuple[int, Tree]:
        """LicketySPLIT: the first split of V(rows, depth, 1), then the same on both sides."""
        tree = self.value(mask, depth, 1)[1] if depth > 0 else None
        if tree is None:
            return self.leaf(mask), None
        feature = tree[0]
        column = self._column[feature]
        yes_cost, yes = self.lickety(mask & column, depth - 1)
        no_cost, no = self.lickety(mask & ~column, depth - 1)
        return yes_cost + no_cost, (feature, yes, no)


def entropy(counts: Sequence[int]) -> float:
    """Bits needed to name the class of a row drawn by weight."""
    whole = sum(counts)
    return -sum(count / whole * math.log2(count / whole) for count in counts if count)


# Trees as the package returns them: three parallel arrays, the root first


def nested(feature: Any, left: Any, right: Any, node: int = 0) -> Tree:
    """The tree below `node`; `left` is the child of the rows whose feature is 1."""
    if feature[node] < 0:
        return None
    yes = nested(feature, left, right, int(left[node]))
    no = nested(feature, left, right, int(right[node]))
    return int(feature[node]), yes, no


def depth_of(tree: Tree) -> int:
    return 0 if tree is None else 1 + max(depth_of(tree[1]), depth_of(tree[2]))


def leaves_of(tree: Tree) -> int:
    return 1 if tree is None else leaves_of(tree[1]) + leaves_of(tree[2])


def route(feature: Any, left: Any, right: Any, row: Sequence[int]) -> list[int]:
    """The nodes one row passes, from the root to its leaf."""
    path = [0]
    while feature[path[-1]] >= 0:
        node = path[-1]
        path.append(int(left[node] if row[feature[node]] else right[node]))
    return path


def node_counts(
    feature: Any,
    left: Any,
    right: Any,
    X: Any,
    codes: Any,
    *,
    n_classes: int,
    weights: Any = None,
) -> list[list[Fraction]]:
    """For every node the training weight of every class that passes it."""
    counts = [[Fraction(0)] * n_classes for _ in feature]
    for i, row in enumerate(X):
        weight = Fraction(1) if weights is None else exact(_plain(weights[i]))
        for node in route(feature, left, right, row):
            counts[node][int(codes[i])] += weight
    return counts


def tree_objective(
    feature: Any,
    left: Any,
    right: Any,
    X: Any,
    codes: Any,
    *,
    n_classes: int,
    weights: Any = None,
    regularization: float | int | Fraction,
) -> Fraction:
    """The exact objective of a flat tree, by sending every row down it."""
    counts = node_counts(feature, left, right, X, codes, n_classes=n_classes, weights=weights)
    ends = [node for node, chosen in enumerate(feature) if chosen < 0]
    errors = sum((sum(counts[node]) - max(counts[node]) for node in ends), Fraction(0))
    return errors / sum(counts[0]) + exact(regularization) * len(ends)


def _plain(number: Any) -> float | int | Fraction:
    """A numpy scalar as the Python number it holds."""
    plain: float | int | Fraction = number.item() if hasattr(number, "item") else number
    return plain
