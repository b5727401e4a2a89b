"""Saving models and binarizers as JSON, and loading them again.

A file holds what a model needs to predict and to print itself: parameters, questions, the tree.
No training rows, no code: loading builds objects from plain values, each checked before it is used.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from splitsecond._saving._reader import DamagedError, Reader, is_integer, parse
from splitsecond._support.files import MODEL_ENCODING, MODEL_FORMAT, is_model, write_whole
from splitsecond._support.names import public

# Estimators take long to import, and a file that holds none is refused without them.
if TYPE_CHECKING:
    from splitsecond._saving._models import Estimator
    from splitsecond._sets.tree_set import TreeSet

VERSION = 2


@public
def save(model: Estimator | TreeSet, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier, binarizer or set of trees to a JSON file.

    Parameters
    ----------
    model : fitted estimator or TreeSet
        One of splitsecond's classifiers or binarizers, or the `trees_` of one, filtered or not.
    path : str or path-like
        The file; it is replaced whole or not at all, and keeps its mode. Links are followed; pipes
        and terminals are written to directly.

    Examples
    --------
    >>> import numpy as np, os, splitsecond, tempfile
    >>> model = splitsecond.LicketySPLITClassifier().fit([[1.5], [2.5]] * 9, ["a", "b"] * 9)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> splitsecond.save(model, path)
    >>> splitsecond.load(path).predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """
    from splitsecond._estimators.base import TreeClassifier
    from splitsecond._saving._models import CLASSES
    from splitsecond._saving._writing import estimator_out, set_of_trees_out
    from splitsecond._sets.tree_set import TreeSet

    kind = model._record.estimator if isinstance(model, TreeSet) else type(model)
    if not issubclass(kind, CLASSES.get(kind.__name__, ())):
        raise TypeError(
            "save takes a classifier or binarizer of splitsecond, or a set of trees, got "
            f"{kind.__name__}{_instead(model)}."
        )
    if isinstance(model, TreeSet):
        content = set_of_trees_out(model)
    else:
        check = "tree_" if isinstance(model, TreeClassifier) else "literals_"
        if not hasattr(model, check):
            raise ValueError(f"This {kind.__name__} is not fitted yet: call fit before save.")
        content = {"model": estimator_out(model)}
    text = json.dumps(
        {"format": MODEL_FORMAT, "version": VERSION, **content},
        ensure_ascii=False,
        allow_nan=False,
        indent=1,
    )
    # Half a character, which UTF-8 has no bytes for, becomes JSON's escape for it.
    write_whole(path, (text + "\n").encode("utf-8", "backslashreplace"))


def _instead(given: Any) -> str:
    """Say what to save in place of something that has no file of its own."""
    from splitsecond._trees.tree import Tree

    kind = type(given).__name__
    hints = {
        "RegularizationPath": "save the model of one of its entries, such as path.best_.model",
        "PathEntry": "save its model, entry.model",
        "Pipeline": "save its last step, pipeline[-1], or pickle the whole",
        "RashomonImportance": "pickle it, or write out its to_frame()",
    }
    if isinstance(given, Tree):
        return (
            ", which is only a part of a model: save the classifier whose tree_ it is, or the set "
            "that it is from (trees.filter(...) makes a smaller one); tree.to_dict() gives the "
            "tree alone"
        )
    if isinstance(given, (str, os.PathLike)):
        return ": the model comes first, then the path"
    return f": {hints[kind]}" if kind in hints else ""


@public
def load(path: str | os.PathLike[str]) -> Any:
    """Read what `save` wrote; no code in the file is run.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator or TreeSet
        As it was saved.
    """
    file = Path(path).read_bytes()
    try:
        content = parse(file.decode(MODEL_ENCODING))
    except (ValueError, RecursionError) as error:
        if is_model(file):
            raise ValueError(f"{path} is damaged: {error}.") from error
        content = None
    if not isinstance(content, dict) or content.get("format") != MODEL_FORMAT:
        raise ValueError(
            f"{path} is no model file, as splitsecond.save and `splitsecond fit --out` write them."
        )
    version: Any = content.get("version")
    if not is_integer(version) or version < 1:
        raise ValueError(f"{path} is damaged: its format version is {version!r:.40}.")
    if version > VERSION:
        raise ValueError(
            f"{path} has format version {version}; this splitsecond reads up to {VERSION}. "
            "Install a newer splitsecond to read it."
        )
    from splitsecond._estimators.sets import RashomonClassifier
    from splitsecond._saving._reading import estimator_in
    from splitsecond._saving._sets import set_in

    try:
        reader = Reader(content)
        is_set = reader.has("set")
        model = estimator_in(reader.part("model"), needs_tree=not is_set)
        if not is_set:
            if isinstance(model, RashomonClassifier) and not hasattr(model, "trees_"):
                raise DamagedError("its set of trees is missing")
            return model
        if not isinstance(model, RashomonClassifier):
            raise DamagedError("there is a set of trees, but not its classifier")
        return set_in(model, reader.part("set"))
    except DamagedError as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{path} is damaged: it is nested too deeply.") from error
