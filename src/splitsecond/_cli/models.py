"""The commands that read a model file: ``show``, ``predict``, ``choose``, ``export`` and others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import splitsecond
from splitsecond._cli import options as o
from splitsecond._cli.counted import is_large
from splitsecond._cli.exports import Format, Output, exported
from splitsecond._cli.filters import SetFilters, meeting
from splitsecond._cli.output import (
    check_out,
    say,
    to_csv,
    to_json,
    warnings_as_notes,
    write,
    write_json,
    write_out,
)
from splitsecond._cli.predicting import Asked, predict_files
from splitsecond._cli.row_places import rows_of_file
from splitsecond._cli.rows import refuse_per_file
from splitsecond._cli.sources import Source
from splitsecond._cli.targets import refuse_for_numbers
from splitsecond._support.files import is_model
from splitsecond._support.messages import shown_number

if TYPE_CHECKING:  # they take long to import
    from splitsecond import Tree, TreeSet

TABLES = (".csv", ".tsv", ".gz", ".parquet")  # how names of their files end

TreeNumber = Annotated[
    int | None,
    typer.Option("--tree", metavar="N", help="The N-th best tree of a set, counted from 0."),
]


@dataclass(frozen=True)
class Opened:
    """What a model file holds: an estimator, which may have a set of trees; a set; or a tree."""

    path: Path
    model: Any | None  # None: only a set, or only a tree
    trees: TreeSet | None  # None: a single tree
    alone: Tree | None = None  # a tree without any of the others

    def set_for(self, what: str) -> TreeSet:
        """Return the set of trees; refuse a model of a single one."""
        if self.trees is None:
            raise ValueError(
                f"{what} needs a set of trees, as rashomon --out writes it; {self.path} holds a "
                f"single tree ({self._kind}), for show, predict and export."
            )
        return self.trees

    @property
    def _kind(self) -> str:
        return type(self.model or self.alone).__name__

    def tree(self, number: int | None = None) -> Tree:
        """Return a tree by its number in the set, or the one to predict with: the best."""
        if number is None and self.alone is not None:
            return self.alone
        if number is None and self.model is not None:
            best: Tree = self.model.tree_
            return best
        return numbered(self.set_for("--tree"), number or 0)


def numbered(trees: TreeSet, number: int) -> Tree:
    """Return a tree by its number in a set."""
    try:
        chosen: Tree = trees[number]
    except IndexError as error:
        last = shown_number(trees.n_trees - 1)
        raise ValueError(f"{error} --tree counts them from 0, the best, to {last}.") from None
    return chosen


def show(
    *,
    model: o.Model,
    tree: TreeNumber = None,
    rules: Annotated[bool, o.flag("--rules", "List the leaves as rules.")] = False,
    level: o.Level = None,
    json: o.Json = False,
) -> None:
    """Print a model: how good it is, and its tree."""
    found = open_model(model)
    chosen = found.tree(tree)
    options = level or {}
    drawn = chosen.to_text(**options)
    if json:
        form = _rules(chosen, options) if rules else chosen.to_dict(**options)
        write_json({**_summary(found, tree), "rules" if rules else "tree": form})
    elif rules:
        _write_rules(chosen, options)
    elif tree is not None:
        write(f"tree {tree} of {found.trees!r}, objective {chosen.objective:.4f}\n{drawn}")
    elif found.alone is not None:
        write(f"{_about(chosen)}\n{drawn}")
    elif found.model is None:
        write(f"{found.trees!r}\nthe best of them:\n{_about(chosen)}\n{drawn}")
    else:
        write(str(found.model).removesuffix(chosen.to_text()) + drawn)


def _summary(found: Opened, number: int | None) -> dict[str, Any]:
    from splitsecond._cli.estimators import summary, summary_of_tree

    about: dict[str, Any] = {"tree_number": number}
    if number is None:
        has_fit = found.model is not None
        about = summary(found.model) if has_fit else summary_of_tree(found.tree())
    return about if found.trees is None else {**about, "n_trees": found.trees.n_trees}


def _about(tree: Tree) -> str:
    from splitsecond._cli.estimators import fit_text

    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
    size = f"{leaves}, depth {tree.depth}, {tree.n_rows[0]:,} rows"
    return f"{size}\n{fit_text(tree)} · objective {tree.objective:.4f}"


def predict(
    *,
    model: o.Model,
    files: o.Files,
    tree: TreeNumber = None,
    proba: Annotated[bool, o.flag("--proba", "Add the probability of each class.")] = False,
    leaf: Annotated[
        bool, o.flag("--leaf", "Add the number of the leaf: its node in the tree.")
    ] = False,
    vote: Annotated[
        bool,
        o.flag(
            "--vote",
            "Add the share of all trees of a set that predict each class or action; of numbers, "
            "the mean, minimum and maximum of what all trees predict.",
        ),
    ] = False,
    keep: Annotated[list[str], o.several("COL", "Copy a column of the table")],
    reading: o.Reading,
    writing: o.Writing,
) -> None:
    """Predict the class or number of each row of a table, as CSV; with costs, choose its action.

    Columns are matched by name; extra columns are ignored. Several files, folders and patterns are
    read in batches, and --out may be a Parquet file.
    """
    check_out(writing, model, *files)
    large = is_large(files)
    if not large:
        Source.of(files[0], reading).check()  # before the model, which takes longer
    found = open_model(model)
    voters = found.set_for("--vote") if vote else None
    chosen = found.tree(tree)
    if chosen.loss.is_of_numbers:
        refuse_for_numbers({"--proba": proba})
    if large:
        refuse_per_file(reading)
        asked = Asked(chosen, files, keep, proba=proba, leaf=leaf)
        predict_files(asked, writing, {"--vote": vote, "--json": writing.json})
        return
    predictor = chosen if tree is not None or found.model is None else found.model
    source = Source.of(files[0], reading, text_columns(found))
    table = source.read()
    for name in keep:
        source.check_column(table, name)
    columns: dict[str, Any] = {name: table[name].to_pylist() for name in keep}
    with warnings_as_notes(), rows_of_file(source, len(table)):
        leaves = predictor.apply(table)
        votes = {} if voters is None else _votes(voters, table)
    columns["prediction"] = chosen.labels[chosen.prediction[leaves]].tolist()
    if leaf:
        columns["leaf"] = leaves.tolist()
    if proba:
        for label, share in zip(chosen.classes, chosen.shares()[leaves].T, strict=True):
            columns[f"p({label})"] = share.tolist()
    columns |= votes
    if writing.json:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        write_out(writing.out, to_json(rows))
    else:
        write_out(writing.out, to_csv(list(columns), zip(*columns.values(), strict=True)))


def _votes(trees: TreeSet, table: Any) -> dict[str, list[float]]:
    """Return what all trees of a set predict for rows, as columns."""
    best, votes = trees[0], trees.vote(table)
    if best.loss.is_of_numbers:
        low, high = trees.prediction_range(table).T.tolist()
        return {"vote(mean)": votes.tolist(), "vote(minimum)": low, "vote(maximum)": high}
    return {
        f"vote({label})": share.tolist() for label, share in zip(best.labels, votes.T, strict=True)
    }


def choose(
    *,
    trees: o.SetOfTrees,
    tree: TreeNumber = None,
    filters: SetFilters,
    writing: o.Writing,
) -> None:
    """Choose one tree of a set, and save it as a model of its own.

    The set is one that the command rashomon has saved with --out. With conditions on the trees,
    such as --avoid, --tree counts those that meet them. show, predict and export read the model.
    """
    check_out(writing, trees)
    found = open_model(trees).set_for("choose")
    good = meeting(found, filters)
    number = tree or 0
    chosen = numbered(good, number)
    if writing.json:
        from splitsecond._cli.estimators import summary_of_tree

        about = {"tree_number": number, "n_trees": good.n_trees, **summary_of_tree(chosen)}
        write_json({**about, "n_trees_before_filter": found.n_trees, "tree": chosen.to_dict()})
    else:
        write(f"tree {number} of {good!r}\n{_about(chosen)}\n{chosen}")
    if writing.out is not None:
        splitsecond.save(chosen, writing.out)
        say(f"wrote {writing.out}")


def export(
    *,
    model: o.Model,
    to: Annotated[Format, o.choice("What to write the tree as", Format)],
    tree: TreeNumber = None,
    output: Annotated[
        Output | None,
        o.choice(
            "What sql and python return for a row, by default what the tree predicts: the class "
            "or action, a probability, the value of a tree of numbers, or the number of the leaf",
            Output,
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS", help="Class of the probability; by default the second of two."
        ),
    ] = None,
    level: o.Level = None,
    writing: o.Writing,
) -> None:
    """Write a model's tree in another form."""
    check_out(writing, model)
    content = exported(open_model(model).tree(tree), to, output, of, level)
    if writing.json:
        if isinstance(content, bytes):
            raise ValueError(f"{to} is not text: leave out --json and name a file with --out.")
        content = to_json({"format": str(to), "content": content})
    write_out(writing.out, content)


def open_model(path: Path) -> Opened:
    """Load an estimator, a set of trees or a tree."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a model file.")
    try:
        found = splitsecond.load(path)
    except ValueError as error:
        if path.suffix.lower() not in TABLES or is_model(path.read_bytes()[:100]):
            raise
        reading = "It looks like a table, which doctor, fit, rashomon and importance read."
        raise ValueError(f"{error} {reading}") from None
    if isinstance(found, splitsecond.TreeSet):
        if not found:
            raise ValueError(f"{path} holds a set without trees.")
        return Opened(path, None, found)
    if isinstance(found, (splitsecond.FixedTreeClassifier, splitsecond.FixedTreeRegressor)):
        found = found.tree_  # which is all that there is
    if isinstance(found, splitsecond.Tree):
        return Opened(path, None, None, found)
    if not hasattr(found, "tree_"):
        raise ValueError(
            f"{path} holds a {type(found).__name__}, which has no tree: it is for splitsecond.load "
            "in Python. Name a model, as fit --out or rashomon --out writes it."
        )
    return Opened(path, found, getattr(found, "trees_", None))


def text_columns(found: Opened, target: str | None = None) -> list[str]:
    """Return the columns that were text in training: values like 007 must not become numbers.

    The target is one of them if the classes are text.
    """
    variables: Any
    if found.alone is not None:
        variables = found.alone.variables.values()
    else:  # knows more than one tree asks
        model = found.model or found.set_for("predict").to_classifier()
        variables = () if model.binarizer_ is None else model.binarizer_.variables_
    texts = [
        variable.name
        for variable in variables
        if any(isinstance(value, str) for value in variable.categories)
    ]
    if target is not None:
        classes = found.tree().classes.tolist()
        if classes and all(isinstance(label, str) for label in classes):
            texts.append(target)
    return texts


def _write_rules(tree: Tree, options: dict[str, Any]) -> None:
    """Write rules line by line."""
    for rule in _rules(tree, options):
        if tree.loss.is_of_numbers:
            then, said = f"{rule['mean']:.4g}", _said_of_number(rule, tree)
        else:
            then, said = rule["then"], _said_of(rule, tree, bool(options))
        write(f"{' and '.join(rule['if']) or 'always'} -> {then}  ({said})")


def _said_of_number(rule: dict[str, Any], tree: Tree) -> str:
    """Say the interval of the mean or rate of a rule, and of how many rows it is."""
    said = f"{rule['rows']:,} rows"
    if tree.is_weighted:
        word = "exposure" if tree.loss.name == "poisson" else "weight"
        said += f", {word} {rule['weight']:,.6g}"
    if rule["interval"] is None or None in rule["interval"]:  # of a single row
        return said
    low, high = rule["interval"]
    return f"{said} [{low:.4g}, {high:.4g}]"


def _said_of(rule: dict[str, Any], tree: Tree, with_level: bool) -> str:
    """Say the share of what a rule predicts, or a probability by its class, as trees show it."""
    is_decision = tree.loss.name == "zero_one"
    label = rule["then"] if is_decision else _subject(rule)
    name = "" if is_decision else f"p({label}) "
    form = ".0%" if is_decision else ".3f"
    weighted = f"weighted {name or 'share '}{rule['shares'][label]:{form}}"
    if rule["counts"] is None:
        return weighted
    share = f"{rule['rows']:,} rows, {name}{rule['counts'][label] / rule['rows']:{form}}"
    if rule["intervals"] is not None and (with_level or not is_decision):
        low, high = rule["intervals"][label]
        share += f" [{low:{form}}, {high:{form}}]"
    return f"{share}, {weighted}" if tree.is_weighted else share


def _subject(rule: dict[str, Any]) -> Any:
    """Return the class whose probability is told: the second of two, or the likeliest."""
    classes = list(rule["shares"])
    return classes[1] if len(classes) == 2 else max(classes, key=rule["shares"].__getitem__)


def _rules(tree: Tree, options: dict[str, Any]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = tree.rules(**options)
    for rule in rules if not tree.loss.is_of_numbers else []:
        rule["share"] = rule["shares"].get(rule["then"])  # an action may be no class
    return rules
