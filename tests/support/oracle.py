"""Brute force: what the algorithms mean, spelled out and slow.

Nothing of the package is imported here. Rows are bits of a Python integer, every cost is a Python
integer, every objective a Fraction: there is nothing to round (beyond what a loss itself rounds,
see `oracle_losses`) and nothing to prune. Each function is the definition itself, written down
once; the only concession to speed is that the value of a (set of rows, depth, lookahead) is
remembered, because the same rows are reached by many paths.

A tree is ``None`` (a leaf) or ``(feature, yes, no)``: *yes* is the subtree of the rows whose
feature is 1. Costs are in units of 1 / (units of loss in the whole * denominator of lambda).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from oracle_losses import exact, leaf_loss, plain

Tree: TypeAlias = "tuple[int, Tree, Tree] | None"


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones of `mask`, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Oracle:
    """One problem: 0/1 rows, class codes, weights, a loss and the price of a leaf.

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
        loss: str = "zero_one",
        costs: Any = None,
        min_samples_leaf: int = 1,
        exact_last_split: bool = False,
        unit_bits: int = 40,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        rows = [[int(value) for value in row] for row in X]
        labels = [int(code) for code in codes]
        # A numpy scalar is not a float or an int for `Fraction(repr(...))`: unpack it first.
        given = [1] * len(rows) if weights is None else [plain(weight) for weight in weights]
        shares = [exact(weight) for weight in given]
        scale = math.lcm(*(share.denominator for share in shares))
        kept = [i for i, share in enumerate(shares) if share > 0]
        self.n_classes = n_classes
        self.n_features = len(rows[0])
        self.weight = [int(shares[i] * scale) for i in kept]
        self.total = sum(self.weight)
        self._code = [labels[i] for i in kept]
        self.everything = (1 << len(kept)) - 1
        self._column = [
            sum(1 << bit for bit, i in enumerate(kept) if rows[i][feature])
            for feature in range(self.n_features)
        ]
        self._counts: dict[int, list[int]] = {}
        self._leaf: dict[int, int] = {}
        self._splits: dict[int, list[tuple[int, int, int]]] = {}
        self._best_gain: dict[int, int | None] = {}
        self._greedy: dict[tuple[int, int], tuple[int, Tree]] = {}
        self._value: dict[tuple[int, int, int], tuple[int, Tree]] = {}
        self._completed: dict[tuple[int, int, int], tuple[int, Tree]] = {}
        root = self.class_weights(self.everything)
        self.loss = leaf_loss(loss, root, costs=costs, unit_bits=unit_bits)
        # A greedy that splits by the loss itself has its last split from that already.
        self.exact_last_split = exact_last_split and not self.loss.says_shares
        self.regularization = exact(regularization)
        self._loss_price = self.regularization.denominator
        self._leaf_price = self.regularization.numerator * self.loss.whole

    @property
    def doubtful(self) -> bool:
        """Whether double arithmetic may have decided otherwise somewhere."""
        return self.loss.doubtful

    # What a node is worth by itself

    def objective(self, cost: int) -> Fraction:
        return Fraction(cost, self.loss.whole * self._loss_price)

    def class_weights(self, mask: int) -> list[int]:
        known = self._counts.get(mask)
        if known is None:
            known = [0] * self.n_classes
            for row in bits(mask):
                known[self._code[row]] += self.weight[row]
            self._counts[mask] = known
        return known

    def leaf(self, mask: int) -> int:
        known = self._leaf.get(mask)
        if known is None:
            known = self.loss.units(self.class_weights(mask)) * self._loss_price + self._leaf_price
            self._leaf[mask] = known
        return known

    def splits(self, mask: int) -> list[tuple[int, int, int]]:
        """Every ``(feature, yes rows, no rows)`` with enough on both sides, features ascending."""
        known = self._splits.get(mask)
        if known is None:
            known = []
            for feature, column in enumerate(self._column):
                yes, no = mask & column, mask & ~column
                if min(yes.bit_count(), no.bit_count()) >= self.min_samples_leaf:
                    known.append((feature, yes, no))
            self._splits[mask] = known
        return known

    # Greedy

    def greedy_feature(self, mask: int) -> int | None:
        """The feature the loss chooses by, or None when nothing divides the rows."""
        if mask not in self._best_gain:
            splits = self.splits(mask)
            after = [
                self.loss.after(self.class_weights(yes), self.class_weights(no))
                for _, yes, no in splits
            ]
            chosen = splits[self.loss.first_of_least(after)][0] if splits else None
            self._best_gain[mask] = chosen
        return self._best_gain[mask]

    def greedy(self, mask: int, depth: int) -> tuple[int, Tree]:
        known = self._greedy.get((mask, depth))
        if known is not None:
            return known
        best: tuple[int, Tree] = (self.leaf(mask), None)
        feature = self.greedy_feature(mask) if depth > 0 else None
        if depth == 1 and self.exact_last_split:
            tree = self.value(mask, 1, 1)[1]  # the split of least loss, if one pays
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

    def lickety(self, mask: int, depth: int, lookahead: int = 1) -> tuple[int, Tree]:
        """LicketySPLIT: the first split of V(rows, depth, lookahead), then the same below it."""
        tree = self.value(mask, depth, lookahead)[1] if depth > 0 else None
        if tree is None:
            return self.leaf(mask), None
        feature = tree[0]
        column = self._column[feature]
        yes_cost, yes = self.lickety(mask & column, depth - 1, lookahead)
        no_cost, no = self.lickety(mask & ~column, depth - 1, lookahead)
        return yes_cost + no_cost, (feature, yes, no)

    def completed_lickety(self, mask: int, depth: int, lookahead: int) -> tuple[int, Tree]:
        """LicketySPLIT that judges splits by its own trees, of one level of lookahead less.

        The first split is the one whose children cost least by such trees; below it, the same with
        the whole lookahead. The best child by less lookahead need not be the best by more, so the
        split must still pay in the end.
        """
        if depth == 0 or lookahead == 0:
            return self.greedy(mask, depth)
        known = self._completed.get((mask, depth, lookahead))
        if known is None:
            least, sides = self.leaf(mask), None
            for split in self.splits(mask):
                judged = [
                    self.completed_lickety(rows, depth - 1, min(lookahead, depth) - 1)[0]
                    for rows in split[1:]
                ]
                if sum(judged) < least:
                    least, sides = sum(judged), split
            known = self.leaf(mask), None
            if sides is not None:
                feature, yes_rows, no_rows = sides
                yes_cost, yes = self.completed_lickety(yes_rows, depth - 1, lookahead)
                no_cost, no = self.completed_lickety(no_rows, depth - 1, lookahead)
                if yes_cost + no_cost < known[0]:
                    known = yes_cost + no_cost, (feature, yes, no)
            self._completed[mask, depth, lookahead] = known
        return known

    def cost(self, tree: Tree, mask: int) -> int:
        """What a given tree costs; its splits must be admissible."""
        if tree is None:
            return self.leaf(mask)
        feature, yes, no = tree
        assert feature in [chosen for chosen, _, _ in self.splits(mask)]
        column = self._column[feature]
        return self.cost(yes, mask & column) + self.cost(no, mask & ~column)


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
        weight = Fraction(1) if weights is None else exact(plain(weights[i]))
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
    loss: str = "zero_one",
    costs: Any = None,
    min_samples_leaf: int = 1,
) -> Fraction:
    """The objective of a flat tree, not rounded, by sending every row down it."""
    counts = node_counts(feature, left, right, X, codes, n_classes=n_classes, weights=weights)
    rows = [0] * len(counts)
    for i, row in enumerate(X):
        for node in route(feature, left, right, row):
            rows[node] += weights is None or weights[i] > 0
    assert len(counts) == 1 or min(rows) >= min_samples_leaf
    unit = math.lcm(*(count.denominator for node in counts for count in node))
    whole = [[int(count * unit) for count in node] for node in counts]
    rule = leaf_loss(loss, whole[0], costs=costs)
    ends = [whole[node] for node, chosen in enumerate(feature) if chosen < 0]
    lost = sum((rule.share(end) for end in ends), Fraction(0))
    return lost + exact(regularization) * len(ends)
