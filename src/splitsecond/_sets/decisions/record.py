"""The record of a decision, and how it is written."""

from __future__ import annotations

import os
import warnings
from html import escape
from numbers import Integral
from pathlib import Path
from typing import Any

from splitsecond._estimators.base import LimitWarning
from splitsecond._sets.decisions import measures, sections
from splitsecond._sets.decisions.choice import Choice, Words, check_columns, find_tree
from splitsecond._sets.decisions.document import Document, Picture
from splitsecond._sets.decisions.markdown import to_markdown
from splitsecond._sets.decisions.page import to_html
from splitsecond._sets.tree_set import TreeSet
from splitsecond._support.checks import check_number
from splitsecond._support.files import write_whole
from splitsecond._support.messages import counted_trees, shown
from splitsecond._support.names import public
from splitsecond._trees.tree import Tree

MARKDOWN, HTML = (".md", ".markdown"), (".html", ".htm")


@public
class DecisionRecord:
    """Which tree of a set was chosen, from what, by whom and why: a document.

    Made by `TreeSet.record`. ``print`` shows it as Markdown, a notebook as a page.

    Attributes
    ----------
    tree : Tree
        The chosen tree.
    number : int
        Its number in the set.
    n_trees : int
        How many trees the set has.
    title, date : str
        Of the document.
    """

    def __init__(self, choice: Choice) -> None:
        words = choice.words
        self.tree: Tree = choice.tree
        self.number = choice.number
        self.n_trees = choice.trees.n_trees
        self.date = words.date
        about = "" if words.data_name is None else f": {words.data_name}"
        self.title = words.title or f"Decision record{about}"
        blocks = [
            *sections.decision(choice),
            *sections.search(choice),
            *sections.narrowing(choice),
            *sections.picture(choice),
            *measures.leaves(choice),
            *measures.criteria(choice),
            *measures.disputed(choice),
            *sections.reproduction(choice),
        ]
        self._document = Document(self.title, blocks)

    def to_markdown(self, picture: str | None = None) -> str:
        """Return the record as Markdown.

        Parameters
        ----------
        picture : str, optional
            Address of the picture of the tree, which Markdown cannot hold; without it, the tree is
            drawn in letters only. `save` writes one beside the file.
        """
        return to_markdown(self._document, picture)

    def to_html(self) -> str:
        """Return the record as an HTML page that needs nothing else, and prints on A4."""
        return to_html(self._document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a file.

        Parameters
        ----------
        path : str or path-like
            A file whose name ends with .html or .md. Beside a Markdown file, the picture of the
            tree is written to one that ends with .svg.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in HTML:
            write_whole(path, self.to_html().encode())
        elif suffix in MARKDOWN:
            drawn = path.with_suffix(".svg")
            picture = next(block for block in self._document.blocks if isinstance(block, Picture))
            write_whole(drawn, f"{picture.svg}\n".encode())
            write_whole(path, self.to_markdown(drawn.name).encode())
        else:
            raise ValueError(
                f"{shown(str(path))} must end with .html or .md, which says what is written."
            )

    def __str__(self) -> str:
        return self.to_markdown()

    def __repr__(self) -> str:
        trees = counted_trees(self.n_trees)
        return f"<DecisionRecord: tree {self.number} of {trees}, {self.date}>"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its style does not meet that of the notebook.
        return (
            f'<iframe srcdoc="{escape(self.to_html())}" title="{escape(self.title)}" '
            'style="width: 100%; height: 40rem; border: 1px solid #999"></iframe>'
        )


def record_of(
    trees: TreeSet,
    tree: Any,
    X: Any,
    y: Any,
    *,
    X_train: Any,
    y_train: Any,
    words: Words,
    max_disputed: int,
    columns: Any,
    **evaluating: Any,
) -> DecisionRecord:
    """Make the record of a chosen tree; see `TreeSet.record`."""
    if not trees:
        raise ValueError("There is no tree to choose: the set is empty.")
    if y is not None and X is None:
        raise ValueError("y was given without X: give the rows that it belongs to.")
    if y is None and evaluating["groups"] is not None:
        raise ValueError("groups needs X and y: criteria are of rows whose classes are known.")
    if (X_train is None) is not (y_train is None):
        raise ValueError("X_train and y_train belong together: give both or none of them.")
    meaning = "disputed rows to list, such as 10"
    max_disputed = check_number("max_disputed", max_disputed, Integral, meaning, minimum=0)
    number = find_tree(trees, tree)
    columns = check_columns(columns, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)  # the record itself says it
        evaluation = None if y is None else trees.evaluate(X, y, **evaluating)
        choice = Choice(
            trees,
            number,
            trees[number],
            words,
            X,
            y,
            evaluating["groups"],
            evaluating["sample_weight"],
            evaluation,
            X_train,
            y_train,
            max_disputed,
            columns,
        )
        return DecisionRecord(choice)
