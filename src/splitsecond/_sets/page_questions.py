"""The questions of a set as its page knows them: words, what a case answers, and source code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from splitsecond._estimators.input_reader import InputReader
from splitsecond._tables.columns import Variable
from splitsecond._trees import python_code, sql
from splitsecond._trees.conditions import Condition, condition_of


class PageQuestions:
    """Numbers the questions that a page speaks of, and describes each once."""

    def __init__(self, reader: InputReader, asked: Iterable[int]) -> None:
        parts = reader.parts_of_tree(asked)
        self._literals = parts["literals"]
        self._variables: dict[int, Variable] = parts["variables"]
        self._with_missing = parts["with_missing"]
        self._place = {column: i for i, column in enumerate(self._variables)}
        self.numbers = {j: i for i, j in enumerate(self._literals)}  # by 0/1 column
        # As `has_labels` of a tree that asks them all.
        self.labelled = all(each.name == str(each.label) for each in self._variables.values())

    def variables(self) -> list[dict[str, Any]]:
        """Describe the variables that the questions are about."""
        return [
            {
                "name": variable.name,
                "kind": str(variable.kind),
                "categories": [str(value) for value in variable.categories],
            }
            for variable in self._variables.values()
        ]

    def questions(self) -> list[dict[str, Any]]:
        """Describe the questions, in the order of their numbers."""
        return [self._described(literal) for literal in self._literals.values()]

    def _described(self, literal: Any) -> dict[str, Any]:
        variable = self._variables[literal.column]
        condition = condition_of(literal, variable)
        return {
            "variable": self._place[literal.column],
            "yes": str(literal),
            "no": literal.negation(literal.name in self._with_missing),
            **_answer(condition),
            "sql": text_or_none(lambda: sql.condition_text(condition, sql.identifier)),
            "python": python_code.condition_text(condition, self.labelled),
        }


def _answer(condition: Condition) -> dict[str, Any]:
    """Say which values answer yes; categories by their place among those of the variable."""
    if condition.missing:
        return {"missing": True}
    if condition.at_most is not None:
        return {"at_most": finite(condition.at_most)}
    if condition.equals is not None:
        return {"equals": finite(condition.equals)}
    categories = condition.variable.categories
    return {"among": [categories.index(value) for value in condition.among]}


def finite(number: float) -> float | str | None:
    """Return a number as JSON can say it; infinity is a text that JavaScript reads as such."""
    if math.isnan(number):
        return None
    return number if math.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")


def text_or_none(write: Callable[[], str]) -> str | None:
    """Return SQL, or None where SQL has no way to write a name or value."""
    try:
        return write()
    except ValueError:
        return None
