"""Trees of a set that ask about the same variables in the same shape, thresholds aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from splitsecond._sets.limits import Clock, Limits
from splitsecond._support.checks import check_limit, check_number
from splitsecond._support.frames import frame_of
from splitsecond._support.messages import aligned, counted_trees, shortened, shown_number
from splitsecond._support.names import public
from splitsecond._tables.binary import Table
from splitsecond._tables.bits import pack_bits
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

LEAF = "."  # in the text of a skeleton
MAX_SHOWN = 20  # groups that are printed
MAX_TEXT = 100  # characters of a skeleton that are printed


@public
@dataclass(frozen=True, eq=False, repr=False)
class TreeGroup:
    """Trees that ask about the same variables in the same shape, whatever their thresholds.

    Attributes
    ----------
    trees : TreeSet
        All of them, best first.
    skeleton : str
        The variable at each split, then in brackets what follows on yes and on no; a dot is a leaf:
        ``"age [income [., .], .]"``.
    number : int
        The number of the best of them in the set that was put into groups. Of a filtered set, the
        number in the whole one is ``trees.index(group.best)``.
    n_trees : int
        How many there are, exactly.
    best : Tree
        The best of them.
    min_objective : float
        The objective of the best.
    variables : tuple of str
        What they ask about.
    n_functions : int or None
        How many of them differ in what they predict for the rows that were given; None if none
        were.
    n_functions_exact : bool
        Whether all trees were compared; otherwise there are at least ``n_functions``.
    """

    trees: TreeSet
    skeleton: str
    number: int
    variables: tuple[str, ...]
    n_functions: int | None = None
    n_functions_exact: bool = False

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return self.trees.n_trees

    @cached_property
    def best(self) -> Tree:
        """The best tree."""
        best: Tree = self.trees[0]
        return best

    @property
    def min_objective(self) -> float:
        """The objective of the best tree, as the set counts it."""
        return self.trees.min_objective

    def __repr__(self) -> str:
        n_trees = self.n_trees
        parts = [
            self.skeleton,
            counted_trees(n_trees),
            f"objective from {self.min_objective:.4f}",
        ]
        if self.n_functions is not None:
            functions = "function" if self.n_functions == 1 else "functions"
            parts.append(f"{self.functions_text()} {functions}")
        return f"<TreeGroup: {', '.join(parts)}>"

    def functions_text(self) -> str:
        """Write the number of functions; with >= where there may be more."""
        if self.n_functions is None:
            return ""
        return f"{'' if self.n_functions_exact else '>= '}{self.n_functions:,}"


@public
class TreeGroups(Sequence[TreeGroup]):
    """Groups of trees, those of the best trees first: what `TreeSet.groups` returns.

    Attributes
    ----------
    n_trees : int
        Trees in these groups together, exactly.
    n_trees_of_set : int
        Trees in the whole set.
    is_complete : bool
        Whether every tree of the set is in one of the groups.
    status : str
        "complete"; or what ended the search for groups: "max_groups", "max_trees" or "time_limit".
    """

    def __init__(self, groups: Sequence[TreeGroup], n_trees_of_set: int, status: str) -> None:
        self._groups = list(groups)
        self.n_trees_of_set = n_trees_of_set
        self.status = status

    @property
    def n_trees(self) -> int:
        """Trees in these groups together."""
        return sum(group.n_trees for group in self._groups)

    @property
    def is_complete(self) -> bool:
        """Whether every tree of the set is in one of the groups."""
        return self.n_trees == self.n_trees_of_set

    @overload
    def __getitem__(self, index: int) -> TreeGroup: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeGroup]: ...
    def __getitem__(self, index: int | slice) -> TreeGroup | list[TreeGroup]:
        return self._groups[index]

    def __len__(self) -> int:
        return len(self._groups)

    def __repr__(self) -> str:
        return f"<TreeGroups: {self.about()}>"

    def about(self) -> str:
        """Say how many groups there are, and how many trees are in them."""
        groups = f"{len(self)} {'group' if len(self) == 1 else 'groups'}"
        whole = counted_trees(self.n_trees_of_set)
        if self.is_complete:
            return f"{groups} of {'the only tree' if self.n_trees == 1 else f'all {whole}'}"
        return f"{groups} of {shown_number(self.n_trees)} of {whole} ({self.status})"

    def __str__(self) -> str:
        with_functions = any(group.n_functions is not None for group in self)
        rows = [["trees", "objective", *(["functions"] if with_functions else []), ""]]
        for group in self[:MAX_SHOWN]:
            functions = [group.functions_text()] if with_functions else []
            objective = f"{group.min_objective:.4f}"
            rows.append([shown_number(group.n_trees), objective, *functions])
            rows[-1].append(shortened(group.skeleton, MAX_TEXT))
        lines = aligned(rows, left=(len(rows[0]) - 1,))
        more = len(self) - MAX_SHOWN
        if more > 0:
            lines.append(f"and {more} more {'group' if more == 1 else 'groups'}")
        return "\n".join([self.about(), *lines])

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame ("pandas" or "polars"), a row for each group.

        Columns: ``skeleton``, ``variables``, ``n_leaves``, ``depth``, ``number`` (of the best tree
        in the set), ``n_trees``, ``share`` (of the trees of the set), ``min_objective``, and with
        rows ``n_functions`` and ``n_functions_exact``. Numbers of trees that 64 bits cannot hold
        are rounded.
        """
        columns: dict[str, list[Any]] = {
            "skeleton": [group.skeleton for group in self],
            "variables": [", ".join(group.variables) for group in self],
            "n_leaves": [group.best.n_leaves for group in self],
            "depth": [group.best.depth for group in self],
            "number": _fitting([group.number for group in self]),
            "n_trees": _fitting([group.n_trees for group in self]),
            "share": [group.n_trees / self.n_trees_of_set for group in self],
            "min_objective": [group.min_objective for group in self],
        }
        if any(group.n_functions is not None for group in self):
            columns["n_functions"] = [group.n_functions for group in self]
            columns["n_functions_exact"] = [group.n_functions_exact for group in self]
        return frame_of(columns, library)


def _fitting(numbers: list[int]) -> list[Any]:
    return numbers if max(numbers, default=0) < 2**63 else [float(each) for each in numbers]


@dataclass
class _Search:
    """Looks through trees, best first, for those that are the first of their group."""

    trees: TreeSet
    clock: Clock
    max_trees: int
    max_groups: int
    rows: _Rows | None
    found: list[TreeGroup] = field(default_factory=list)

    def run(self) -> str:
        """Find groups until something ends that, and return what."""
        trees, literals = self.trees, self.trees._reader.literals
        # The last is that of a leaf's -1.
        variable_of = np.array([*(each.column for each in literals), -1], dtype=np.int32)
        seen: set[bytes] = set()
        left = trees.n_trees
        for place, nodes in enumerate(self._best_trees()):
            if self.clock.is_past():
                return "time_limit"
            asked = variable_of[nodes[0]]
            key = asked.tobytes()  # in preorder, with leaves: that is the whole shape
            if key in seen:
                continue
            if len(self.found) == self.max_groups:
                return "max_groups"
            seen.add(key)
            group = self._group(place, asked, nodes, variable_of.tolist())
            if group is None:
                return "time_limit"
            self.found.append(group)
            left -= group.n_trees
            if left == 0:
                break
        return "max_trees" if left else "complete"

    def _best_trees(self) -> Iterator[NDArray[np.int32]]:
        numbering = self.trees._numbering
        return numbering.nodes_in(range(min(numbering.n_trees, self.max_trees)))

    def _group(
        self,
        place: int,
        asked: NDArray[np.int32],
        nodes: NDArray[np.int32],
        variable_of: list[int],
    ) -> TreeGroup | None:
        graph = self.trees._graph.of_shape(
            asked, nodes[1].copy(), nodes[2].copy(), variable_of, run=self.clock.run()
        )
        if graph is None:
            if self.clock.is_past():
                return None
            raise KeyboardInterrupt
        names = [self.trees._reader.column_names[column] if column >= 0 else "" for column in asked]
        skeleton = _skeleton(names, nodes[1], nodes[2])
        part = self.trees._after(f"group {skeleton}", self.trees._of_graph(graph))
        functions: dict[str, Any] = {}
        if self.rows is not None:
            says = None
            if part._source.loss.is_of_numbers:
                _, numbers = np.unique(part._source.means, return_inverse=True)
                says = numbers.reshape(-1).astype(np.uint32)
            n_functions, n_seen = graph.count_functions(
                self.rows.columns,
                self.rows.n_rows,
                max_trees=self.max_trees,
                run=self.clock.run(),
                says=says,
            )
            if n_seen < min(part.n_trees, self.max_trees) and not self.clock.is_past():
                raise KeyboardInterrupt
            functions = {"n_functions": n_functions, "n_functions_exact": n_seen == part.n_trees}
        return TreeGroup(
            part,
            skeleton,
            place,
            tuple(dict.fromkeys(name for name in names if name)),
            **functions,
        )


def find_groups(
    trees: TreeSet, X: Any, max_groups: Any, max_trees: Any, time_limit: Any
) -> TreeGroups:
    """Return the groups of a set's trees."""
    max_groups = check_number("max_groups", max_groups, Integral, "groups to find", minimum=1)
    max_trees = check_number("max_trees", max_trees, Integral, "trees to look at", minimum=1)
    clock = Limits(check_limit("time_limit", time_limit, "seconds")).start()
    rows = None
    if X is not None:
        asked = trees._graph.features()
        rows = _Rows(trees._reader.read(X), asked, len(trees._reader.literals))
    search = _Search(trees, clock, min(max_trees, 2**62), max_groups, rows)
    status = search.run() if trees.n_trees else "complete"
    return TreeGroups(search.found, trees.n_trees, status)


class _Rows:
    """The different rows of a table, as far as some questions tell them apart."""

    def __init__(self, table: Table, asked: list[int], n_features: int) -> None:
        nothing = np.zeros(0, dtype=np.uint64)
        self.columns = [nothing] * n_features
        self.n_rows = min(table.n_rows, 1)
        if not asked or table.n_rows == 0:
            return
        answers = np.stack([table.column(j) == 1 for j in asked], axis=1)
        patterns = np.packbits(answers, axis=1)
        whole = np.dtype((np.void, patterns.shape[1]))
        _, first = np.unique(patterns.view(whole).ravel(), return_index=True)
        self.n_rows = len(first)
        for place, j in enumerate(asked):
            self.columns[j] = pack_bits(answers[first, place])


def _skeleton(names: list[str], left: NDArray[np.int32], right: NDArray[np.int32]) -> str:
    """Write the variables of a tree; children come after their parents."""
    texts = [LEAF] * len(names)
    for node in reversed(range(len(names))):
        if left[node] >= 0:
            texts[node] = f"{names[node]} [{texts[left[node]]}, {texts[right[node]]}]"
    return texts[0]
