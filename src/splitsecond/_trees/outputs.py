"""What an exported predictor returns for a row: what is predicted, a probability, or the leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from splitsecond._support.checks import check_choice
from splitsecond._support.messages import listed, shown

if TYPE_CHECKING:
    from splitsecond._trees.tree import Tree

OUTPUTS = ("auto", "class", "probability", "value", "leaf")


@dataclass(frozen=True)
class Output:
    """What is returned: its kind, the class that a probability is of, and the value by node."""

    kind: str
    of: Any
    values: list[Any]


def output_of(tree: Tree, kind: Any, of: Any) -> Output:
    """Return what an exported predictor is asked for; see `Tree.to_sql`."""
    check_choice("output", kind, OUTPUTS)
    kind = _known_kind(tree, kind)
    if kind == "probability":
        chosen = _class_number(tree, of)
        return Output(kind, tree.classes[chosen], tree.shares()[:, chosen].tolist())
    if of is not None and tree.loss.is_of_numbers:
        raise ValueError(f"of={shown(of)} is a class, but the tree predicts numbers: leave it out.")
    if of is not None:
        raise ValueError(
            f"of={shown(of)} is the class of a probability: give output='probability' with it."
        )
    if kind == "leaf":
        return Output(kind, None, list(range(len(tree.feature))))
    labels = tree.labels.tolist()
    return Output(kind, None, [labels[chosen] for chosen in tree.prediction])


def _known_kind(tree: Tree, kind: str) -> str:
    """Return the kind of output, which a tree of numbers or of classes may not have."""
    said, other = ("value", "class") if tree.loss.is_of_numbers else ("class", "value")
    if kind == "auto":
        return said
    if kind == other or (said == "value" and kind == "probability"):
        what = "numbers" if said == "value" else "classes"
        raise ValueError(
            f"output={shown(kind)}, but the tree predicts {what}: give output={said!r}, which is "
            "what it predicts, or output='leaf'."
        )
    return kind


def _class_number(tree: Tree, of: Any) -> int:
    classes = tree.classes.tolist()
    if of is None and len(classes) == 2:
        return 1
    known = f"the classes are {listed([shown(label) for label in classes])}"
    if of is None:
        raise ValueError(f"output='probability' needs the class that it is of: of=...; {known}.")
    places = [i for i, label in enumerate(classes) if label == of]
    if not places:
        raise ValueError(f"of={shown(of)} is no class of the tree: {known}.")
    return places[0]
