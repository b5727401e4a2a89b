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
    from splitsecond._trees.tree import Tree

VERSION = 3  # of files that hold numbers,
VERSION_OF_CLASSES = 2  # and of all others, which older versions read as well


@public
def save(model: Estimator | TreeSet | Tree, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier, regressor, binarizer, set of trees or single tree to a JSON file.

    Parameters
    ----------
    model : fitted estimator, TreeSet or Tree
        One of splitsecond's classifiers, regressors or binarizers; the `trees_` of one, filtered or
        not; or any tree, such as one that was chosen from a set.
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
    write_whole(path, file_of(model))


def file_of(model: Estimator | TreeSet | Tree) -> bytes:
    """Return what `save` writes."""
    from splitsecond._saving._writing import content_out, is_of_numbers

    content = content_out(model)
    version = VERSION if is_of_numbers(model) else VERSION_OF_CLASSES
    text = json.dumps(
        {"format": MODEL_FORMAT, "version": version, **content},
        ensure_ascii=False,
        allow_nan=False,
        indent=1,
    )
    # Half a character, which UTF-8 has no bytes for, becomes JSON's escape for it.
    return (text + "\n").encode("utf-8", "backslashreplace")


@public
def load(path: str | os.PathLike[str]) -> Any:
    """Read what `save` wrote; no code in the file is run.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator, TreeSet or Tree
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
    from splitsecond._estimators.sets import RashomonEstimator
    from splitsecond._saving._reading import estimator_in
    from splitsecond._saving._sets import set_in
    from splitsecond._saving._trees import tree_in

    try:
        reader = Reader(content)
        if reader.has("tree"):
            return tree_in(reader.part("tree"))
        is_set = reader.has("set")
        model = estimator_in(reader.part("model"), needs_tree=not is_set)
        if not is_set:
            if isinstance(model, RashomonEstimator) and not hasattr(model, "trees_"):
                raise DamagedError("its set of trees is missing")
            return model
        if not isinstance(model, RashomonEstimator):
            raise DamagedError("there is a set of trees, but not its estimator")
        return set_in(model, reader.part("set"))
    except DamagedError as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    except RecursionError as error:
        raise ValueError(f"{path} is damaged: it is nested too deeply.") from error
