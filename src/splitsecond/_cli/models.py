"""The commands that read a model file: ``show``, ``predict``, ``export`` and ``explore``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.exports import Format, exported
from splitsecond._cli.output import (
    check_out,
    to_csv,
    to_json,
    warnings_said,
    write,
    write_json,
    write_out,
)
from splitsecond._cli.tables import Source, rows_named
from splitsecond._saving import NoModelError, load
from splitsecond._support.messages import listed, shown_number
from splitsecond._tables.columns import Kind

if TYPE_CHECKING:
    from splitsecond import TreeSet

TABLES = (".csv", ".tsv", ".gz", ".parquet")  # how names of their files end

TreeNumber = Annotated[
    int | None,
    typer.Option("--tree", metavar="N", help="The N-th best tree of a set, counted from 0."),
]


def show(
    *,
    model: o.Model,
    tree: TreeNumber = None,
    rules: Annotated[bool, typer.Option("--rules", help="List the leaves as rules.")] = False,
    json: o.Json = False,
) -> None:
    """Print a model: how good it is, and its tree."""
    found = open_model(model)
    chosen = tree_of(model, found, tree)
    if json:
        from splitsecond._cli.estimators import summary

        about = summary(found) if tree is None else {"tree_number": tree}
        if hasattr(found, "trees_"):
            about["n_trees"] = found.trees_.n_trees
        shape = {"rules": _rules(chosen)} if rules else {"tree": chosen.to_dict()}
        write_json({**about, **shape})
        return
    if rules:
        for rule in _rules(chosen):
            conditions = " and ".join(rule["if"]) or "always"
            write(f"{conditions} -> {rule['then']}  ({_said_of(rule, chosen)})")
    elif tree is None:
        write(str(found))
    else:
        write(f"tree {tree} of {found.trees_!r}, objective {chosen.objective:.4f}\n{chosen}")


def predict(
    *,
    model: o.Model,
    file: o.File,
    tree: TreeNumber = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the share of each class in the leaf.")
    ] = False,
    vote: Annotated[
        bool,
        typer.Option("--vote", help="Add the share of all trees of a set that say each class."),
    ] = False,
    keep: Annotated[list[str], o.several("COL", "Copy a column of the table")],
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Predict the class of each row of a table, as CSV.

    Columns are matched by name; those that the model does not know are ignored.
    """
    check_out(writing, model, file)
    Source.of(file, reading).check()  # before the model, which takes longer
    found = open_model(model)
    if vote:
        check_set("--vote", model, found)
    if tree is not None:
        found._take(tree_of(model, found, tree))
    source = Source.of(file, reading, _texts(found))
    table = source.read()
    for name in keep:
        source.check_column(table, name)
    columns: dict[str, Any] = {name: table[name].to_pylist() for name in keep}
    with warnings_said(), rows_named(source, len(table)):
        columns["prediction"] = found.predict(table).tolist()
        shares = [("p", found.predict_proba(table))] if proba else []
        if vote:
            shares.append(("vote", found.trees_.vote(table)))
    for what, each in shares:
        for label, share in zip(found.classes_, each.T, strict=True):
            columns[f"{what}({label})"] = share.tolist()
    if writing.json:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        write_out(writing.out, to_json(rows))
    else:
        write_out(writing.out, to_csv(list(columns), zip(*columns.values(), strict=True)))


def export(
    *,
    model: o.Model,
    to: Annotated[Format, o.choice("What to write the tree as", Format)],
    tree: TreeNumber = None,
    writing: o.Writing,
) -> None:
    """Write a model's tree in another form."""
    check_out(writing, model)
    content = exported(tree_of(model, open_model(model), tree), to)
    if writing.json:
        if isinstance(content, bytes):
            raise ValueError(f"{to} is no text: leave out --json and name a file with --out.")
        content = to_json({"format": str(to), "content": content})
    write_out(writing.out, content)


def explore(
    *,
    trees: o.SetOfTrees,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="Best trees on the page.")] = 200,
    filters: o.Filters,
    writing: o.Writing,
) -> None:
    """Write a page on which to look through the best trees of a set, for any browser.

    The set is one that the command rashomon has saved with --out.
    """
    check_out(writing, trees)
    found = open_model(trees)
    check_set("explore", trees, found)
    good = wanted(found.trees_, filters)
    write_out(writing.out, to_json(good.explorer_data(top)) if writing.json else good.to_html(top))


def open_model(path: Path) -> Any:
    """Load a classifier; the best tree of a set stands for it."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a model file.")
    try:
        found = load(path)
    except NoModelError as error:
        if path.suffix.lower() not in TABLES:
            raise
        reading = "It looks like a table, which doctor, fit, rashomon and importance read."
        raise ValueError(f"{error} {reading}") from None
    from splitsecond import TreeSet  # has been imported now
    from splitsecond._estimators.base import TreeClassifier

    if isinstance(found, TreeSet):
        if not found:
            raise ValueError(f"{path} holds a set without trees.")
        found = best_of(found)
    if not isinstance(found, TreeClassifier):
        raise ValueError(
            f"{path} holds a {type(found).__name__}, which has no tree: it is for splitsecond.load "
            "in Python. Name a model, as fit --out or rashomon --out writes it."
        )
    return found


def best_of(trees: TreeSet) -> Any:
    """Return a model that predicts with the best of some trees, perhaps a part of a fitted set."""
    return trees.to_classifier()


def wanted(trees: TreeSet, filters: o.Filters) -> TreeSet:
    """Return the trees of a set that meet all conditions; there must be some."""
    found = trees.filter(
        uses=filters.uses,
        avoids=filters.avoid,
        max_leaves=filters.max_leaves,
        min_leaf_rows=filters.min_leaf_rows,
    )
    if not found:
        n_trees = trees.n_trees
        which = "The only tree" if n_trees == 1 else f"None of the {shown_number(n_trees)} trees"
        verb = "does not meet" if n_trees == 1 else "meets"
        raise ValueError(
            f"{which} of the set {verb} all of the conditions "
            f"{listed([f'{name} {value}' for name, value in _conditions(filters)])}. Leave one "
            "out, or find a larger set with rashomon --epsilon."
        )
    return found


def _conditions(filters: o.Filters) -> list[tuple[str, Any]]:
    """Return the options that were given, each with its value."""
    given: list[tuple[str, Any]] = [("--uses", repr(name)) for name in filters.uses]
    given += [("--avoid", repr(name)) for name in filters.avoid]
    if filters.max_leaves is not None:
        given.append(("--max-leaves", filters.max_leaves))
    if filters.min_leaf_rows is not None:
        given.append(("--min-leaf-rows", f"{filters.min_leaf_rows:g}"))
    return given


def check_set(what: str, path: Path, model: Any) -> None:
    """Refuse a model of a single tree."""
    if not hasattr(model, "trees_"):
        raise ValueError(
            f"{what} needs a set of trees, as rashomon --out writes it; {path} holds a single tree "
            f"({type(model).__name__}), for show, predict and export."
        )


def tree_of(path: Path, model: Any, number: int | None) -> Any:
    """Return a tree of a model by its number in the set, or the one it predicts with."""
    if number is None:
        return model.tree_
    check_set("--tree", path, model)
    try:
        return model.trees_[number]
    except IndexError as error:
        raise ValueError(str(error)) from None


def _texts(model: Any) -> list[str]:
    """Return the columns that were text in training: values like 007 must not become numbers."""
    if model.binarizer_ is None:
        return []
    return [
        variable.name
        for variable in model.binarizer_.variables_
        if variable.kind in (Kind.CATEGORY, Kind.ORDERED)
        and any(isinstance(value, str) for value in variable.categories)
    ]


def _said_of(rule: dict[str, Any], tree: Any) -> str:
    weighted = f"weighted share {rule['share']:.0%}"
    if rule["counts"] is None:
        return weighted
    share = f"{rule['rows']:,} rows, {rule['counts'][rule['then']] / rule['rows']:.0%}"
    return f"{share}, {weighted}" if tree.is_weighted else share


def _rules(tree: Any) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = tree.rules()
    for rule in rules:
        rule["share"] = rule["shares"][rule["then"]]
    return rules
