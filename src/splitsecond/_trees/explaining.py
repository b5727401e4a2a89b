"""Why a tree predicts what it does for one row, and what would have to change for another answer.

Another leaf asks its own questions, so the answers that lead to it never contradict each other:
what would have to change is what that path requires of the variables whose answers differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from splitsecond._binarizers.base import LiteralTable
from splitsecond._support.names import public
from splitsecond._tables.literals import Literal, value_text
from splitsecond._trees.conditions import asked_table, table_of_row
from splitsecond._trees.intervals import known_intervals
from splitsecond._trees.number_data import number_parts
from splitsecond._trees.number_texts import texts_of
from splitsecond._trees.rules import (
    Answer,
    by_column,
    condition_on,
    may_be_missing,
    paths_of,
    plain_label,
    rules_of,
)
from splitsecond._trees.sizes import TreeTexts, size_text

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

_YES_NO = {True: "yes", False: "no"}


@public
@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a tree predicts what it does for one row, in words where it is shown or printed.

    Attributes
    ----------
    prediction : label
        What is predicted: a class, an action or a number.
    steps : list of dict
        The way to the leaf, a question each: "question", "answer" ("yes" or "no"), "variable" and
        "value" (that of the row; None: missing), and what is known of the training rows that are
        asked it: "rows", "counts" (by class) and "shares" (of their weight, by class); of numbers,
        "rows", "weight", "mean", "loss" and "histogram".
    leaf : dict
        Where the row ends, as `Tree.rules` describes it: "if", "conditions", "then", "rows",
        "counts", "shares", "intervals" and "leaf"; of numbers, with what steps have, and
        "interval".
    nearest : dict or None
        The nearest leaf that predicts otherwise, described likewise, with "changes": a dictionary
        for each variable that would have to change: "variable", "value" (that of the row),
        "required" (in words) and "questions" (those that would have to be answered otherwise, with
        the answer: "yes" or "no"). None if no leaf predicts otherwise.
    """

    prediction: Any
    steps: list[dict[str, Any]]
    leaf: dict[str, Any]
    nearest: dict[str, Any] | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain Python values."""
        return {
            "prediction": self.prediction,
            "steps": self.steps,
            "leaf": self.leaf,
            "nearest": self.nearest,
        }

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(self.text)}</pre>'


def explanation_of(tree: Tree, row: Any, level: Any, method: str) -> Explanation:
    """Explain what a tree predicts for one row; see `Tree.explain`."""
    limits = known_intervals(tree, level, method)
    asked = asked_table(tree, table_of_row(tree, row, "row"))
    explained = _Row(tree, *_read(tree, asked))
    rules = {rule["leaf"]: rule for rule in rules_of(tree, limits)}
    path = explained.path()
    steps = [explained.step(node) for node in path[:-1]]
    found = explained.nearest(path[-1])
    nearest = None
    if found is not None:
        leaf, columns = found
        nearest = {**rules[leaf], "changes": explained.changes(columns)}
    own = rules[path[-1]]
    said = texts_of(tree, None if limits is None else level, method)
    text = "\n".join([*_path_lines(said, path, steps), *_nearest_lines(said, nearest)])
    return Explanation(own["then"], steps, own, nearest, text)


def _read(tree: Tree, asked: LiteralTable) -> tuple[dict[Literal, bool], dict[int, Any]]:
    """Return how the only row answers each question, and its values by column; None: missing."""
    answers: dict[Literal, bool] = {}
    values: dict[int, Any] = {}
    for i, (_, literal) in enumerate(sorted(tree.literals.items())):
        answers[literal] = bool(asked.column(i)[0])
        values[literal.column] = asked.raw.cells(asked.literals[i].column).value(0)
    return answers, values


@dataclass(frozen=True)
class _Row:
    """A row in a tree: how it answers the questions, and its values by column."""

    tree: Tree
    answers: dict[Literal, bool]
    values: dict[int, Any]  # None: missing

    def path(self) -> list[int]:
        """Return the nodes that it goes through."""
        tree, path = self.tree, [0]
        while tree.feature[path[-1]] >= 0:
            node = path[-1]
            is_yes = self.answers[tree.literals[int(tree.feature[node])]]
            path.append(int((tree.left if is_yes else tree.right)[node]))
        return path

    def step(self, node: int) -> dict[str, Any]:
        """Describe the question at a node, its answer, and the training rows that are asked it."""
        tree = self.tree
        literal = tree.literals[int(tree.feature[node])]
        step = {
            "question": str(literal),
            "answer": _YES_NO[self.answers[literal]],
            "variable": literal.name,
            "value": self.values[literal.column],
            "rows": int(tree.n_rows[node]),
        }
        if tree.loss.is_of_numbers:
            return {**step, **number_parts(tree)[node]}
        classes = [plain_label(label) for label in tree.classes]
        weights = tree.counts[node]
        return {
            **step,
            "counts": None
            if tree.row_counts is None
            else dict(zip(classes, tree.row_counts[node].tolist(), strict=True)),
            "shares": dict(zip(classes, (weights / weights.sum()).tolist(), strict=True)),
        }

    def nearest(self, own: int) -> tuple[int, dict[int, list[Answer]]] | None:
        """Return the nearest leaf that predicts otherwise.

        With it come the answers that lead there, by column: of those columns that would have to
        change.
        """
        tree = self.tree
        found: list[tuple[int, int, int, dict[int, list[Answer]]]] = []
        for leaf, path in paths_of(tree):
            if tree.labels[tree.prediction[leaf]] == tree.labels[tree.prediction[own]]:
                continue
            columns = by_column(path)
            conditions = [condition_on(each, tree.variables[j]) for j, each in columns.items()]
            if not all(each.is_possible for each in conditions):
                continue  # nothing gets there; a file may hold such a tree
            other = {answer for answer in path if self._differs(answer)}
            changed = {j: each for j, each in columns.items() if other & set(each)}
            found.append((len(changed), len(other), leaf, changed))
        if not found:
            return None
        _, _, leaf, changed = min(found, key=lambda each: each[:2])  # among equals the first
        return leaf, changed

    def changes(self, columns: dict[int, list[Answer]]) -> list[dict[str, Any]]:
        """Describe what would have to change for the answers about some columns."""
        says_missing = may_be_missing(self.tree)
        found = []
        for column, answers in columns.items():
            condition = condition_on(answers, self.tree.variables[column])
            found.append(
                {
                    "variable": condition.name,
                    "value": self.values[column],
                    "required": condition.required(condition.name in says_missing),
                    "questions": {
                        str(each.literal): _YES_NO[each.is_yes]
                        for each in answers
                        if self._differs(each)
                    },
                }
            )
        return found

    def _differs(self, answer: Answer) -> bool:
        return self.answers[answer.literal] != answer.is_yes


def _path_lines(said: TreeTexts, path: list[int], steps: list[dict[str, Any]]) -> list[str]:
    """Write the questions with their answers, and what the leaf says, in columns."""
    tree, leaf = said.tree, path[-1]
    plain = texts_of(tree, None)  # intervals are for the leaf
    questions = [f"{step['question']} ?" for step in steps]
    columns = [
        [*questions, f"-> {said.label(leaf)}"],
        [*(f"{step['answer']} ({_value(step['value'])})" for step in steps), ""],
        [size_text(tree, node) for node in path],
        [*(plain.about(node, leaf) for node in path[:-1]), said.about(leaf, leaf)],
    ]
    widths = [max(map(len, column)) for column in columns]
    return [
        f"{asked:<{widths[0]}}  {answer:<{widths[1]}}  {size:>{widths[2]}}  {share}"
        for asked, answer, size, share in zip(*columns, strict=True)
    ]


def _nearest_lines(said: TreeTexts, nearest: dict[str, Any] | None) -> list[str]:
    """Write what would have to change for the nearest other answer."""
    note = said.note()
    notes = [] if note is None else [note]
    if nearest is None:
        return ["No leaf predicts otherwise.", *notes]
    tree, leaf = said.tree, nearest["leaf"]
    return [
        f"The nearest leaf that predicts otherwise says {said.label(leaf)} "
        f"({size_text(tree, leaf)}, {said.about(leaf, leaf)}):",
        *(
            f"- {each['variable']} would have to be {each['required']} (is {_value(each['value'])})"
            for each in nearest["changes"]
        ),
        *notes,
    ]


def _value(value: Any) -> str:
    return "missing" if value is None else value_text(value)
