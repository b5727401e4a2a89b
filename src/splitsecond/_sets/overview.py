"""What all trees of a set ask first, second and third, with exact counts."""

from __future__ import annotations

from dataclasses import dataclass

from splitsecond import _core
from splitsecond._sets.scale import Scale
from splitsecond._tables.bits import number_of

LEAF, OTHERS = -1, -2  # in place of a question
AT_ROOT = -1  # in place of a parent
# Questions that are listed at each place of a level. The others are summed up.
MAX_LISTED = (30, 12, 8)


@dataclass(frozen=True)
class Step:
    """What some trees ask at one place: the root, or a side of another step."""

    question: int  # a 0/1 column; or LEAF, or OTHERS that are not listed
    parent: int  # a place in the list of steps, or AT_ROOT
    is_no: bool  # on which side of the parent's question
    n_questions: int  # that it stands for
    n_trees: int  # that contain the path from the root to here
    min_objective: float  # among these
    is_followed: bool  # whether the steps after it are in the list


def overview_of(
    graph: _core.Graph,
    scale: Scale,
    max_listed: tuple[int, ...] = MAX_LISTED,
    time_limit: float | None = None,
) -> list[Step]:
    """Count the trees of a set along the paths from the root, level by level.

    Steps of the same parent and side divide the parent's trees; none is missing. A time limit ends
    the list early.
    """
    run = _core.RunOptions() if time_limit is None else _core.RunOptions(time_limit=time_limit)
    found = _core.count_paths(graph, list(max_listed), run)
    if found is None:
        raise KeyboardInterrupt
    return [
        Step(
            question,
            parent,
            is_no,
            n_questions,
            number_of(words),
            float(scale.objective(cost, leaves)),
            is_followed,
        )
        for question, parent, is_no, n_questions, cost, leaves, is_followed, words in found
    ]
