"""What a tree can be written as."""

from __future__ import annotations

import io
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from splitsecond._cli.classes import class_named
from splitsecond._cli.targets import refuse_for_numbers
from splitsecond._support.install import install_line
from splitsecond._support.python_literals import literal

if TYPE_CHECKING:
    from splitsecond import Tree


class Format(StrEnum):
    """Forms of a tree."""

    JSON = "json"
    TEXT = "text"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    SQL = "sql"
    PYTHON = "python"
    SKLEARN = "sklearn"


class Output(StrEnum):
    """What an exported predictor returns."""

    CLASS = "class"
    PROBABILITY = "probability"
    VALUE = "value"
    LEAF = "leaf"


PREDICTORS = (Format.SQL, Format.PYTHON)  # what is run to predict, and may return anything
DRAWN = (Format.TEXT, Format.DOT, Format.SVG, Format.PNG, Format.JSON)  # what shows shares


def exported(
    tree: Tree, to: Format, output: Output | None, of: str | None, level: dict[str, Any] | None
) -> str | bytes:
    """Write a tree in one of the forms; options that have no meaning for it are refused."""
    for option, value, forms in (
        ("--output", output, PREDICTORS),
        ("--of", of, PREDICTORS),
        ("--level", level, DRAWN),
    ):
        if value is not None and to not in forms:
            raise ValueError(
                f"{option} has no meaning for {to}, only for {', '.join(forms)}: leave it out."
            )
    options: dict[str, Any] = level or {}
    if to in PREDICTORS:
        _check_output(tree, output, of)
        label = None if of is None else class_named(of, tree.classes.tolist(), "--of", "tree")
        options = {"output": str(output or "auto"), "of": label}
    if to is Format.JSON:
        return tree.to_json(indent=1, **options)
    if to is Format.PNG:
        return _png(tree, options)
    if to is Format.SKLEARN:
        return sklearn_source(tree)
    text: str = getattr(tree, f"to_{to}")(**options)
    return text


def _check_output(tree: Tree, output: Output | None, of: str | None) -> None:
    """Refuse what a tree of numbers does not predict, or one of classes."""
    if tree.loss.is_of_numbers:
        is_of_classes = output in (Output.CLASS, Output.PROBABILITY)
        refuse_for_numbers({f"--output {output}": is_of_classes, "--of": of})
    elif output is Output.VALUE:
        raise ValueError("--output value is for numbers, and the model predicts classes.")


def _png(tree: Tree, options: dict[str, Any]) -> bytes:
    try:
        import matplotlib as mpl
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(f"PNG needs matplotlib: {install_line('plot')}.") from error
    mpl.use("agg")  # no window is opened
    figure = tree.plot(**options).figure
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=200)
    pyplot.close(figure)
    return content.getvalue()


def sklearn_source(tree: Tree) -> str:
    """Return Python source that rebuilds the tree as a scikit-learn classifier or regressor.

    Source can be read before it is run, which a pickle cannot.
    """
    model: Any = tree.to_sklearn()
    nodes = model.tree_
    kind = type(model).__name__
    what, made = "classifier", f"{kind}()"
    is_of_numbers = tree.loss.is_of_numbers
    if is_of_numbers:
        what, made = "regressor", f"{kind}(criterion={literal(model.criterion)})"
    if hasattr(model, "feature_names_in_"):
        names = [f'model.feature_names_in_ = np.array({_list(model.feature_names_in_)}, dtype="O")']
        about = ["It reads these columns: X[model.feature_names_in_]."]
    elif _asks_words(tree):
        names = []
        about = ["It reads the answers (1 is yes) to these questions, a column for each:"]
        about += [f"  {_one_line(question)}" for question in tree.questions]
    else:
        names = []
        about = ["It reads the columns that the tree was fitted on, by position."]
    fields = {
        "left_child": nodes.children_left,
        "right_child": nodes.children_right,
        "feature": nodes.feature,
        "threshold": nodes.threshold,
        "impurity": nodes.impurity,
        "n_node_samples": nodes.n_node_samples,
        "weighted_n_node_samples": nodes.weighted_n_node_samples,
        "missing_go_to_left": nodes.missing_go_to_left,
    }
    return "\n".join(
        [
            *(f"# {line}" for line in (f"A fitted scikit-learn {what}: `model`.", *about)),
            "import numpy as np",
            f"from sklearn.tree import {kind}",
            "",
            "inf = np.inf",
            f"model = {made}",
            "# A fitted tree tells what nodes are made of, which differs between versions.",
            f"template = model.fit([[0]], [{int(is_of_numbers)}]).tree_",
            "state = template.__getstate__()",
            f'nodes = np.zeros({nodes.node_count}, dtype=state["nodes"].dtype)',
            *(f'nodes["{name}"] = {_list(values)}' for name, values in fields.items()),
            f"values = np.array({nodes.value.tolist()})",
            *([] if is_of_numbers else _classes(tree)),
            f"model.n_features_in_ = model.max_features_ = {model.n_features_in_}",
            *names,
            "model.tree_ = type(template)(",
            f"    model.n_features_in_, np.array([{max(len(tree.classes), 1)}], dtype=np.intp), 1",
            ")",
            "state.update(",
            f"    max_depth={tree.depth}, node_count=len(nodes), nodes=nodes, values=values",
            ")",
            "model.tree_.__setstate__(state)",
            "",
        ]
    )


def _classes(tree: Tree) -> list[str]:
    of_dtype = ', dtype="O"' if tree.classes.dtype.kind == "O" else ""
    return [
        f"model.classes_ = np.array({_list(tree.classes)}{of_dtype})",
        f"model.n_classes_ = {len(tree.classes)}",
    ]


def _asks_words(tree: Tree) -> bool:
    """Whether scikit-learn's tree reads answers: some question does not compare numbers."""
    try:
        tree.to_sklearn(questions=False)
    except ValueError:
        return True
    return False


def _list(values: Any) -> str:
    return f"[{', '.join(map(literal, values.tolist()))}]"


def _one_line(text: str) -> str:
    """Keep a name with line breaks within its comment."""
    return text if text.isprintable() else repr(text)
