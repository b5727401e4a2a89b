"""How a set of trees is shown: as a page of its own, and in notebooks."""

from __future__ import annotations

from html import escape
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

from splitsecond._sets.explorer import PageOptions, explorer_data, explorer_page
from splitsecond._support.checks import check_number
from splitsecond._support.messages import shown

INLINE_TREES = 100
INLINE_LISTED = (12, 8)  # two levels: a notebook must not wait for the third


class SetPage:
    """Adds its page to a set of trees."""

    def to_html(
        self: Any,
        path: str | PathLike[str] | None = None,
        *,
        max_trees: int = 1000,
        X: Any = None,
        y: Any = None,
        groups: Any = None,
        name: str | None = None,
        target: str | None = None,
    ) -> str:
        """Return a page on which to look through the set and choose a tree.

        It shows what all trees of the set ask first, second and third, with exact counts, and the
        best trees one by one: as a table, with rows of your own, compared, for a case that is
        typed in, and as code. It is one file that needs nothing else and loads nothing. It holds
        no training rows, only how many come to each node. Open it in any browser.

        Parameters
        ----------
        path : str or path, optional
            File to write the page to, besides returning it.
        max_trees : int, default=1000
            Trees on the page, the best ones; a thousand take some 200 kB.
        X, y : optional
            Held-out rows and their classes, or numbers: counted at each node beside the training
            rows, and each tree is evaluated on them, as `evaluate` does.
        groups : optional
            What divides these rows into groups, as for `evaluate`.
        name : str, optional
            What the data are called.
        target : str, optional
            What is predicted; by default the name of `y`, if it has one.
        """
        if path is not None and not isinstance(path, (str, PathLike)):
            raise TypeError(f"path={shown(path)} must be the name of a file, or None.")
        page = explorer_page(
            self.to_explorer(max_trees, X=X, y=y, groups=groups, name=name, target=target)
        )
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def to_explorer(
        self: Any,
        max_trees: int = 1000,
        *,
        X: Any = None,
        y: Any = None,
        groups: Any = None,
        name: str | None = None,
        target: str | None = None,
    ) -> dict[str, Any]:
        """Return what the page of `to_html` shows, as plain values for a page of your own.

        Parameters
        ----------
        max_trees : int, default=1000
            Trees to describe, the best ones.
        X, y, groups, name, target : optional
            As for `to_html`.

        Returns
        -------
        dict
            ``about`` (a sentence) and ``facts`` (pairs of text: what the set is of, and how it was
            found); ``n_trees`` (of the set, as text), ``bound``, ``min_objective``; ``variables``
            and ``questions``; ``trees``: ``questions`` and ``facts`` of all nodes of all trees in
            preorder, yes before no, where a question of -1 is a leaf, and the facts are places in
            ``says`` (what the node predicts, a place in ``labels``), ``rows``, ``weights`` and
            ``held_out`` (a number for each class; where trees predict ``numbers``, one number, and
            ``held_out_means``); ``criteria`` (held-out values by tree, and their exact ``range``
            over the set, where there was time for it); ``groups`` (trees of the same variables and
            shape);
            ``overview``: by step, what ``n_trees`` of the whole set ask ``after`` another step:
            twice its place, plus 1 if its answer is no, or -1 at the root. A question of -1 is a
            leaf, and -2 are ``n_others`` that are not listed.
        """
        meaning = "trees to show, such as 1000"
        max_trees = check_number("max_trees", max_trees, Integral, meaning, minimum=1)
        return explorer_data(self, PageOptions(max_trees, X, y, groups, name, target))

    def _repr_html_(self: Any) -> str:
        """Return the page for a notebook, with fewer trees, in a frame of its own."""
        options = PageOptions(INLINE_TREES, max_listed=INLINE_LISTED, with_extras=False)
        page = explorer_page(explorer_data(self, options))
        return (
            '<iframe title="Page of a set of trees" sandbox="allow-scripts allow-downloads '
            'allow-modals" style="width: 100%; height: 720px; border: 1px solid #8888; '
            f'border-radius: 6px" srcdoc="{escape(page)}"></iframe>'
        )
