"""What a notebook shows of a fitted model: its tree."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr


class ShowsItsTree:
    """Adds the picture of the tree to scikit-learn's own view, which stays for unfitted models."""

    def _repr_html_inner(self) -> str:
        """Return what the property `_repr_html_` of scikit-learn gives to notebooks."""
        tree = getattr(self, "tree_", None)
        diagram: str = estimator_html_repr(self)
        if tree is None:
            return diagram
        head = str(self).removesuffix(tree.to_text()).rstrip()
        return (
            f'<div><pre style="white-space: pre-wrap">{escape(head)}</pre>{tree._repr_html_()}'
            f"<details><summary>parameters</summary>{diagram}</details></div>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the same for notebooks that ask for all forms at once."""
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._repr_html_inner()
        return shown
