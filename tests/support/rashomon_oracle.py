"""Brute force for Rashomon sets: all trees are listed, and those that belong are kept.

Nothing of the package is imported here. A tree is its label where it is a leaf, and otherwise
``(feature, yes, no)``; unlike in `oracle`, labels count, because two leaves of one label below a
split make it trivial (where leaves say shares: two leaves that lose as much as one). Costs are the
integers of `Oracle`, objectives are Fractions. Losses that are rounded are rounded to 2**-16 of the
root's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from oracle import Oracle
from oracle_losses import exact

Shape: TypeAlias = "int | tuple[int, Shape, Shape]"


def shape_of(tree: Any, node: int = 0) -> Shape:
    """The shape of a tree of the package."""
    if tree.feature[node] < 0:
        return int(tree.prediction[node])
    yes, no = int(tree.left[node]), int(tree.right[node])
    return int(tree.feature[node]), shape_of(tree, yes), shape_of(tree, no)


def is_trivial(shape: Shape) -> bool:
    """Whether some split of it is between two leaves of the same label."""
    if isinstance(shape, int):
        return False
    _, yes, no = shape
    return (isinstance(yes, int) and yes == no) or is_trivial(yes) or is_trivial(no)


def leaves_of(shape: Shape) -> int:
    return 1 if isinstance(shape, int) else leaves_of(shape[1]) + leaves_of(shape[2])


def depth_of(shape: Shape) -> int:
    return 0 if isinstance(shape, int) else 1 + max(depth_of(shape[1]), depth_of(shape[2]))


def features_of(shape: Shape) -> set[int]:
    if isinstance(shape, int):
        return set()
    return {shape[0]} | features_of(shape[1]) | features_of(shape[2])


def label_for(shape: Shape, row: Any) -> int:
    """What a tree predicts for one row of 0/1 answers."""
    while not isinstance(shape, int):
        shape = shape[1] if row[shape[0]] else shape[2]
    return shape


class RashomonOracle(Oracle):
    """All trees of one problem, and the sets that are made of them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"unit_bits": 16, **options})
        self._trees: dict[tuple[int, int, bool], list[tuple[Shape, int]]] = {}

    def label(self, mask: int) -> int:
        return self.loss.label(self.class_weights(mask))

    def is_trivial_split(self, yes: Shape, no: Shape, yes_rows: int, no_rows: int) -> bool:
        """Whether a split into these two says nothing that a leaf would not say."""
        if not isinstance(yes, int) or not isinstance(no, int):
            return False
        if not self.loss.says_shares:
            return yes == no
        # Strictly concave losses add up to that of one leaf just where both say the same shares.
        shares = [
            [Fraction(weight, sum(weights)) for weight in weights]
            for weights in (self.class_weights(yes_rows), self.class_weights(no_rows))
        ]
        return shares[0] == shares[1]

    def has_trivial_split(self, shape: Shape, mask: int) -> bool:
        """Whether some split of a tree is trivial."""
        if isinstance(shape, int):
            return False
        feature, yes, no = shape
        yes_rows, no_rows = mask & self._column[feature], mask & ~self._column[feature]
        return (
            self.is_trivial_split(yes, no, yes_rows, no_rows)
            or self.has_trivial_split(yes, yes_rows)
            or self.has_trivial_split(no, no_rows)
        )

    def trees(self, mask: int, depth: int, keep_trivial: bool) -> list[tuple[Shape, int]]:
        """Every tree of that depth on some rows, with its cost."""
        key = (mask, depth, keep_trivial)
        if key not in self._trees:
            found: list[tuple[Shape, int]] = [(self.label(mask), self.leaf(mask))]
            for feature, yes_rows, no_rows in self.splits(mask) if depth > 0 else []:
                for (yes, yes_cost), (no, no_cost) in itertools.product(
                    self.trees(yes_rows, depth - 1, keep_trivial),
                    self.trees(no_rows, depth - 1, keep_trivial),
                ):
                    if keep_trivial or not self.is_trivial_split(yes, no, yes_rows, no_rows):
                        found.append(((feature, yes, no), yes_cost + no_cost))
            self._trees[key] = found
        return self._trees[key]

    def bound(self, reference: int, epsilon: Any, kind: str) -> Fraction:
        """The highest objective of a set, from the cost of its reference."""
        best, amount = self.objective(reference), exact(epsilon)
        if kind == "multiplicative":
            return best + amount * max(best, Fraction(0))  # rounded, it may be below 0
        return amount if kind == "absolute" else best + amount

    def exact_set(
        self, depth: int, epsilon: Any, kind: str = "additive", keep_trivial: bool = False
    ) -> dict[Shape, Fraction]:
        """TreeFARMS's problem: every tree within the bound, with its objective."""
        bound = self.bound(self.optimal(self.everything, depth)[0], epsilon, kind)
        return {
            shape: self.objective(cost)
            for shape, cost in self.trees(self.everything, depth, keep_trivial)
            if self.objective(cost) <= bound
        }

    # RESPLIT, step by step

    def resplit(
        self,
        depth: int,
        lookahead: int,
        epsilon: Any,
        kind: str = "additive",
        keep_trivial: bool = False,
    ) -> dict[Shape, Fraction]:
        """The union over good prefixes of all ways to fill their leaves."""
        bound = self.bound(self.value(self.everything, depth, lookahead)[0], epsilon, kind)
        found: dict[Shape, Fraction] = {}
        for prefix, cost, ends in self._prefixes(self.everything, depth, lookahead):
            if self.objective(cost) > bound:
                continue
            choices = [self._fills(mask, left, keep_trivial) for mask, left in ends]
            for chosen in itertools.product(*choices):
                shape = _filled(prefix, iter([shape for shape, _ in chosen]))
                if keep_trivial or not self.has_trivial_split(shape, self.everything):
                    found[shape] = self.objective(sum(cost for _, cost in chosen))
        return found

    def _prefixes(
        self, mask: int, depth: int, lookahead: int
    ) -> list[tuple[Any, int, list[tuple[int, int]]]]:
        """Every prefix, with None at its leaves; its cost; its leaves' rows and levels left."""
        if lookahead == 0 or depth == 0:
            return [(None, self.greedy(mask, depth)[0], [(mask, depth)])]
        found: list[tuple[Any, int, list[tuple[int, int]]]]
        found = [(None, self.leaf(mask), [(mask, depth)])]
        for feature, yes_rows, no_rows in self.splits(mask):
            for (yes, yes_cost, yes_ends), (no, no_cost, no_ends) in itertools.product(
                self._prefixes(yes_rows, depth - 1, lookahead - 1),
                self._prefixes(no_rows, depth - 1, lookahead - 1),
            ):
                found.append(((feature, yes, no), yes_cost + no_cost, yes_ends + no_ends))
        return found

    def _fills(self, mask: int, depth: int, keep_trivial: bool) -> list[tuple[Shape, int]]:
        """Every tree no worse than greedy. A trivial split in it would be one in the whole too."""
        most = self.greedy(mask, depth)[0]
        return [tree for tree in self.trees(mask, depth, keep_trivial) if tree[1] <= most]


def _filled(prefix: Any, fills: Iterator[Shape]) -> Shape:
    if prefix is None:
        return next(fills)
    yes = _filled(prefix[1], fills)
    return prefix[0], yes, _filled(prefix[2], fills)
