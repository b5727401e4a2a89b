"""A tree as the source of a Python function."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from splitsecond._support.python_literals import literal
from splitsecond._trees.conditions import Condition, conditions, has_labels
from splitsecond._trees.outputs import Output
from splitsecond._trees.sizes import size_text

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

DEEPEST = 90  # Python reads no more than 100 levels of indentation

MISSING = '''\

    def known(value):
        """Return the value, None if it is missing: None, NaN, or NA of pandas."""
        if type(value).__name__ in ("NAType", "NaTType"):
            return None
        return value if value == value else None

    def number(value):
        """Return the value as a 64-bit float, NaN if it is missing."""
        if isinstance(value, str):
            raise TypeError(f"expected a number, got {value!r}")
        value = known(value)
        return float("nan") if value is None else float(value)
'''


def to_python(tree: Tree, name: str, output: Output) -> str:
    """Write a function of nested ifs."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name={name!r:.60} must be a name that a Python function can have.")
    if tree.depth > DEEPEST:
        raise ValueError(
            f"The tree has {tree.depth} levels, more than the {DEEPEST} that Python can nest."
        )
    labelled = has_labels(tree)
    asked = {j: condition_text(each, labelled) for j, each in conditions(tree).items()}
    results = [literal(each) for each in output.values]
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    lines = head_lines(tree, name, output, leaves, labelled=labelled, asks=bool(asked))
    waiting = [(0, "    ")]
    while waiting:
        node, indent = waiting.pop()
        if tree.feature[node] < 0:
            lines.append(f"{indent}return {results[node]}")
            continue
        lines.append(f"{indent}if {asked[int(tree.feature[node])]}:")
        waiting.append((int(tree.right[node]), indent))  # what follows an if that returns
        waiting.append((int(tree.left[node]), indent + "    "))
    return "\n".join(lines) + "\n"


def head_lines(
    tree: Tree, name: str, output: Output, leaves: str, *, labelled: bool, asks: bool
) -> list[str]:
    """Write what comes before the questions; ``leaves`` says how many leaves the tree has."""
    return [
        f"def {name}(row=None, /, **columns):",
        f'    """{_purpose(tree, output)}: a tree of {leaves}, learnt from {size_text(tree, 0)}.',
        "",
        "    The row is a mapping of column to value; columns may be given as keywords instead."
        if labelled
        else "    The row is a sequence of the values of all columns.",
        '    """',
        # Not in the string above, which a label may end.
        *([f"    # The class is {literal(output.of)}."] if output.kind == "probability" else []),
        *(MISSING.splitlines() if asks else []),
        *(["", "    row = columns if row is None else row"] if asks else []),
    ]


def _purpose(tree: Tree, output: Output) -> str:
    if output.kind == "probability":
        return "Predict the probability of a class"
    if output.kind == "leaf":
        return "Return the leaf of a row"
    if output.kind == "value":
        return "Predict the rate of a row" if tree.loss.name == "poisson" else "Predict a number"
    return "Choose an action" if tree.loss.name == "costs" else "Predict the class of a row"


def condition_text(asked: Condition, labelled: bool) -> str:
    """Write a question about ``row``."""
    variable = asked.variable
    key = literal(variable.label) if labelled else repr(int(variable.label))
    cell = f"row[{key}]"
    if asked.missing:
        return f"known({cell}) is None"
    if asked.at_most is not None:
        return f"number({cell}) <= {literal(asked.at_most)}"
    if asked.equals is not None:
        return f"number({cell}) == {literal(asked.equals)}"
    values = [literal(each) for each in asked.among]
    if not values:
        return "False"
    if len(values) == 1:
        return f"known({cell}) == {values[0]}"
    return f"known({cell}) in ({', '.join(values)})"
