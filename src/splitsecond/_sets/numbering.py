"""Numbers of trees: counted, put into the core's words, drawn at random, and fetched."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splitsecond import _core
from splitsecond._support.checks import check_number, check_random
from splitsecond._tables.bits import number_of

CHUNK = 256  # trees fetched at once
MAX_LISTED = 1_000_000  # trees that a slice, a sample or `predict` will make


class Numbering:
    """The trees of a graph by their number, best first; there may be more than 64 bits hold."""

    def __init__(self, graph: _core.Graph) -> None:
        self._graph = graph

    @cached_property
    def n_trees(self) -> int:
        """The exact number of trees."""
        return number_of(self._graph.n_trees())

    @cached_property
    def _n_words(self) -> int:
        return int(self._graph.digits)

    def numbers(self, places: Iterable[int]) -> NDArray[np.uint64]:
        """Return numbers of any size in the words that the core takes."""
        rows = list(places) if self._n_words == 1 else [self._words(place) for place in places]
        return np.array(rows, dtype=np.uint64).reshape(-1, self._n_words)

    def _words(self, place: int) -> tuple[int, ...]:
        return tuple(place >> 64 * word & 2**64 - 1 for word in range(self._n_words))

    def draw(self, n: int, random_state: Any) -> NDArray[np.uint64]:
        """Draw numbers with replacement, each with the same probability."""
        n_trees = self.n_trees
        if n_trees == 0:
            raise ValueError("There is no tree to draw: the set is empty.")
        n = check_number("n", n, Integral, "trees to draw", minimum=0, maximum=MAX_LISTED)
        random = check_random(random_state)
        end = self.numbers([n_trees])[0]
        top = (n_trees.bit_length() - 1) // 64  # words above it are zero
        unused = np.uint64(64 * (top + 1) - n_trees.bit_length())
        drawn = np.zeros((0, len(end)), dtype=np.uint64)
        while len(drawn) < n:
            more = np.zeros((2 * (n - len(drawn)), len(end)), dtype=np.uint64)
            for word in range(top + 1):
                more[:, word] = random.randint(0, 2**64, size=len(more), dtype=np.uint64)
            more[:, top] >>= unused
            inside = np.zeros(len(more), dtype=bool)
            for word in range(top + 1):  # from the lowest: a higher word decides before it
                inside = (more[:, word] < end[word]) | ((more[:, word] == end[word]) & inside)
            drawn = np.concatenate([drawn, more[inside]])  # rejected, or some would come more often
        return drawn[:n]

    # What the core returns of a tree: rows for feature, left, right, and the node of the graph.

    def nodes_at(self, place: int) -> NDArray[np.int32]:
        """Return the nodes of one tree."""
        return self._graph.tree((place,) if self._n_words == 1 else self._words(place))

    def place_of(self, *arrays: NDArray[np.int32]) -> int | None:
        """Return the number of the tree with these rows, without the last; None: it is not here."""
        words = self._graph.number_of(*arrays)
        return None if words is None else number_of(words)

    def nodes_of(self, numbers: NDArray[np.uint64]) -> Iterator[NDArray[np.int32]]:
        """Yield the nodes of each tree, fetched a chunk at a time."""
        for begin in range(0, len(numbers), CHUNK):
            parts, ends = self._graph.trees(numbers[begin : begin + CHUNK])
            for a, b in itertools.pairwise([0, *ends.tolist()]):
                yield parts[:, a:b]

    def nodes_in(self, places: range) -> Iterator[NDArray[np.int32]]:
        """Yield the nodes of the trees at some places, which may be more than len() can say."""
        begin = 0
        while some := places[begin : begin + CHUNK]:
            yield from self.nodes_of(self.numbers(some))
            begin += CHUNK
