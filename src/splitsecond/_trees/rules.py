"""Paths of a tree as rules: what its answers come to, variable by variable.

Of the answers on a path, those that follow from others are left out, and bounds of a variable are
joined. Nothing is left out that some value would tell: what follows from what is found by asking
all questions of every value that they can tell apart, a missing one and an unknown category too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splitsecond._tables.cells import MISSING, UNKNOWN
from splitsecond._tables.columns import Kind, Variable
from splitsecond._tables.literals import Literal, value_text
from splitsecond._trees.intervals import Limits
from splitsecond._trees.number_data import number_parts

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree


# What a value has to be, by the question and whether the answer is yes.
_REQUIRED = {
    ("<=", True): "at most",
    ("<=", False): "above",
    ("==", True): "",
    ("==", False): "other than",
}


class Answer(NamedTuple):
    """A question of a path, and how it was answered."""

    literal: Literal
    is_yes: bool


@dataclass(frozen=True)
class Condition:
    """What a path requires of one variable."""

    name: str
    kept: list[Answer]  # those that others do not imply
    takes_missing: bool  # whether a missing value meets it
    is_possible: bool  # whether any value does

    def texts(self, says_missing: bool) -> list[str]:
        """Write it; ``says_missing``: whether to say that missing values meet it."""
        low, high = self._bounds()
        or_missing = says_missing and self.takes_missing
        texts: list[str] = []
        for literal, is_yes in self.kept:
            if literal.operator == "<=" and low is not None and high is not None:
                if not is_yes:
                    low_text, high_text = value_text(low.value), value_text(high.value)
                    texts.append(f"{low_text} < {self.name} <= {high_text}")
            elif literal.operator != "is missing" or is_yes or not self._says_more():
                texts.append(str(literal) if is_yes else literal.negation(or_missing))
        return texts

    def required(self, says_missing: bool) -> str:
        """Write what a value has to be, without the name of the variable."""
        said: dict[str, list[str]] = {}
        for literal, is_yes in self.kept:
            if literal.operator == "is missing":
                if is_yes or not self._says_more():
                    said["missing" if is_yes else "not missing"] = []
            elif literal.operator == "is 1":
                said["1" if is_yes else "0"] = []
            else:
                said.setdefault(_REQUIRED[literal.operator, is_yes], []).append(
                    value_text(literal.value)
                )
        words = sorted(said, key=lambda word: word == "at most")  # the lower bound comes first
        text = " and ".join(f"{word} {' or '.join(said[word])}".strip() for word in words)
        others_do = not any(is_yes for _, is_yes in self.kept)
        return f"{text} or missing" if says_missing and self.takes_missing and others_do else text

    def parts(self) -> dict[str, Any]:
        """Return it as plain values: see `Tree.rules`."""
        parts: dict[str, Any] = {"variable": self.name, "missing": self.takes_missing}
        if not self.is_possible:
            return {**parts, "never": True}
        for literal, is_yes in self.kept:
            value = 1 if literal.operator == "is 1" else literal.value
            if literal.operator == "<=":
                parts["at_most" if is_yes else "above"] = value
            elif literal.operator == "is missing":
                parts |= {"only_missing": True} if is_yes else {}
            elif is_yes:
                parts["equals"] = value
            else:
                parts.setdefault("not_equals", []).append(value)
        return parts

    def _bounds(self) -> tuple[Literal | None, Literal | None]:
        cuts = {is_yes: literal for literal, is_yes in self.kept if literal.operator == "<="}
        return cuts.get(False), cuts.get(True)

    def _says_more(self) -> bool:
        """Whether other conditions say that no value is missing, by not saying "or missing"."""
        return self.is_possible and len(self.kept) > 1


def conditions_of(answers: list[Answer], variables: dict[int, Variable]) -> list[Condition]:
    """Return what the answers of a path come to, in the order of its variables."""
    found = [condition_on(own, variables[column]) for column, own in by_column(answers).items()]
    return [each for each in found if each.kept]


def by_column(answers: list[Answer]) -> dict[int, list[Answer]]:
    """Return the answers about each column."""
    of_column: dict[int, list[Answer]] = {}
    for each in answers:
        of_column.setdefault(each.literal.column, []).append(each)
    return of_column


def condition_on(answers: list[Answer], variable: Variable) -> Condition:
    """Return what answers about one variable come to."""
    values = _told_apart(variable, [each.literal for each in answers])
    met = [each.literal.answers(variable, values) == each.is_yes for each in answers]
    all_met = np.logical_and.reduce(met)
    kept = set(range(len(answers)))
    for i in sorted(kept, key=lambda i: _rank(answers[i])):
        others = np.ones(len(values), dtype=bool)
        for j in kept - {i}:
            others &= met[j]
        if met[i][others].all():
            kept.discard(i)
    return Condition(
        answers[0].literal.name,
        [answers[i] for i in sorted(kept)],
        bool(all_met[-1]),
        bool(all_met.any()),
    )


def _rank(answer: Answer) -> int:
    """Return what is left out first, where either would do: what says least."""
    operator, is_yes = answer.literal.operator, answer.is_yes
    if operator == "<=":
        return 2
    return 3 if is_yes else 1 if operator == "is missing" else 0


def _told_apart(variable: Variable, literals: list[Literal]) -> NDArray[Any]:
    """Return a value for each way to answer the questions; the last is the missing one."""
    if variable.kind not in (Kind.BINARY, Kind.NUMBER):
        return np.array([*range(len(variable.categories)), UNKNOWN, MISSING])
    compared = [1.0 if each.operator == "is 1" else each.value for each in literals]
    numbers = np.array([float(v) for v in compared if v is not None and not isinstance(v, str)])
    above = np.nextafter(numbers, np.inf)  # all up to the next number are alike
    return np.concatenate([[-np.inf], numbers, above, [np.nan]])


def paths_of(tree: Tree) -> Iterator[tuple[int, list[Answer]]]:
    """Return the leaves as the tree is drawn, yes before no, each with the answers that lead there.

    A leaf is its node.
    """
    waiting: list[tuple[int, list[Answer]]] = [(0, [])]
    while waiting:
        node, answers = waiting.pop()
        if tree.feature[node] < 0:
            yield node, answers
            continue
        literal = tree.literals[int(tree.feature[node])]
        waiting.append((int(tree.right[node]), [*answers, Answer(literal, False)]))
        waiting.append((int(tree.left[node]), [*answers, Answer(literal, True)]))


def may_be_missing(tree: Tree) -> frozenset[str]:
    """Return the variables of which it is said that missing values meet a condition."""
    asks_missing = (lit.name for lit in tree.literals.values() if lit.operator == "is missing")
    return tree.with_missing | set(asks_missing)


def rules_of(tree: Tree, limits: Limits | None) -> list[dict[str, Any]]:
    """Return the leaves of a tree as rules; see `Tree.rules`."""
    rules = []
    says_missing = may_be_missing(tree)
    known = (_of_numbers if tree.loss.is_of_numbers else _of_classes)(tree, limits)
    for node, answers in paths_of(tree):
        conditions = conditions_of(answers, tree.variables)
        rules.append(
            {
                "if": [
                    text for each in conditions for text in each.texts(each.name in says_missing)
                ],
                "conditions": [each.parts() for each in conditions],
                "then": plain_label(tree.labels[tree.prediction[node]]),
                "rows": int(tree.n_rows[node]),
                **known[node],
                "leaf": node,
            }
        )
    return rules


def _of_classes(tree: Tree, limits: Limits | None) -> list[dict[str, Any]]:
    """Return what rules say of each node."""
    shares = tree.shares()
    classes = [plain_label(label) for label in tree.classes]
    return [
        {
            "counts": None
            if tree.row_counts is None
            else dict(zip(classes, tree.row_counts[node].tolist(), strict=True)),
            "shares": dict(zip(classes, shares[node].tolist(), strict=True)),
            "intervals": None
            if limits is None
            else dict(zip(classes, map(tuple, limits[node].tolist()), strict=True)),
        }
        for node in range(len(tree.feature))
    ]


def _of_numbers(tree: Tree, limits: Limits | None) -> list[dict[str, Any]]:
    return [{"interval": None, **parts} for parts in number_parts(tree, limits)]


def plain_label(label: Any) -> Any:
    """Return a class label as a plain Python value."""
    return label.item() if isinstance(label, np.generic) else label
