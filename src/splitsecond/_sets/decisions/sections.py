"""The sections of a record: who chose what, what was searched, and how to make it again."""

from __future__ import annotations

import hashlib
import platform

import numpy as np

import splitsecond
from splitsecond._estimators.sets import TreeFARMS, TreeFARMSRegressor
from splitsecond._saving import file_of
from splitsecond._sets.decisions.choice import Choice
from splitsecond._sets.decisions.document import (
    Block,
    Code,
    Grid,
    Heading,
    Pairs,
    Paragraph,
    Picture,
    Quote,
)
from splitsecond._sets.decisions.fingerprint import fingerprint
from splitsecond._sets.record import REASONS
from splitsecond._support.messages import counted_trees, shown, shown_number
from splitsecond._tables.labels import codes_of
from splitsecond._trees.number_texts import NumberTexts
from splitsecond._trees.pictures.layout import picture_of
from splitsecond._trees.pictures.overlay import overlay_of
from splitsecond._trees.pictures.svg import to_svg
from splitsecond._trees.sizes import size_text

PAGE = 900.0  # width of the picture
IN_SENTENCES = ("regularization", "epsilon", "epsilon_kind", "max_depth", "loss")


def decision(choice: Choice) -> list[Block]:
    """Say who chose which tree, and why."""
    words, n_trees = choice.words, choice.trees.n_trees
    rows = [
        (
            "Chosen",
            f"tree {choice.number} of {counted_trees(n_trees)}, counted from 0, the best first",
        ),
        ("Chosen by", words.chosen_by or "not stated"),
        ("Date", words.date),
        ("Data", words.data_name or "not stated"),
    ]
    if words.reason is None or not words.reason.strip():
        return [Pairs([*rows, ("Reason", "not stated")])]
    return [Pairs(rows), Paragraph("The reason that was given:"), Quote(words.reason)]


def search(choice: Choice) -> list[Block]:
    """Say what was searched, and what is proved."""
    trees, tree = choice.trees, choice.tree
    fit, scale = trees._record, trees._scale
    loss, reader = scale.units.loss, trees._reader
    relative = "" if loss.is_exact else ", as a share of that of a single leaf,"
    n_questions = len(reader.literals)
    asked = len({literal.column for literal in reader.literals})
    rows = [
        ("Objective", f"{loss.title} in training{relative} + lambda x leaves"),
        ("Lambda", f"{float(scale.price):.6g}"),
        ("Maximum depth", str(fit.parameters["max_depth"])),
        ("Epsilon", f"{fit.parameters['epsilon']} ({scale.epsilon_kind})"),
        (
            "Questions considered",
            f"{n_questions:,}, about {asked:,} of {reader.n_columns:,} columns",
        ),
        ("Training rows", f"{size_text(tree, 0)} ({_target(choice)})"),
        ("Weights", "rows or classes had weights" if fit.weighted else "none"),
        ("Minimum objective", _reference(choice)),
        ("Bound of the set", f"{float(scale.bound(fit.parameters['epsilon'])):.6f}"),
        ("Search", trees.status),
        ("Other parameters", _parameters(choice)),
    ]
    return [
        Heading("What was searched, and what is proved"),
        Paragraph(_proved(choice)),
        Pairs([("Estimator", fit.estimator.__name__), *rows]),
    ]


def _target(choice: Choice) -> str:
    """Say what training rows are of each class, or which numbers they have."""
    tree, said = choice.tree, choice.said
    if isinstance(said, NumberTexts):
        assert tree.bins is not None
        low, high = (said.value(float(tree.bins[end])) for end in (0, -1))
        return f"{said.word} {said.label(0)}, from {low} to {high}"
    by_class = tree.counts[0] if tree.row_counts is None else tree.row_counts[0]
    return ", ".join(f"{label}: {n:,.15g}" for label, n in zip(tree.classes, by_class, strict=True))


def _is_exhaustive(choice: Choice) -> bool:
    return issubclass(choice.trees._record.estimator, (TreeFARMS, TreeFARMSRegressor))


def _reference(choice: Choice) -> str:
    objective = f"{float(choice.trees._scale.reference):.6f}"
    if not _is_exhaustive(choice):
        return f"{objective}, of the best tree that is greedy below the lookahead; not proved"
    is_proved = choice.trees._record.stopped != "unproved"
    return f"{objective}, {'proved' if is_proved else 'the best found; not proved'}"


def _proved(choice: Choice) -> str:
    """Say what is known of trees that are not in the set."""
    trees = choice.trees
    fit, scale = trees._record, trees._scale
    bound = f"{float(scale.bound(fit.parameters['epsilon'])):.6f}"
    if fit.stopped is not None:
        return f"The set is partial: {REASONS[fit.stopped]}. Nothing is proved of other trees."
    if _is_exhaustive(choice):
        text = (
            "The set that was found holds every tree over these questions and within this depth "
            f"whose objective is at most {bound}. This is proved."
        )
    else:
        text = (
            f"The trees were found by lookahead: their objective is at most {bound}, but other "
            "trees may have such an objective, too."
        )
    least = fit.parameters["min_samples_leaf"]
    if least != 1:
        text += f" Leaves have at least {least} training rows (min_samples_leaf)."
    if not scale.units.loss.is_exact:
        text += " Losses of leaves are rounded to 2^-16 of that of a single leaf for it."
    if fit.status not in ("complete", "optimal"):
        text += f" The search for questions was stopped ({fit.status}): others were not considered."
    if not fit.parameters["keep_trivial"]:
        text += " Left out are trees with a split between two leaves that say no more than one."
    return text


def _parameters(choice: Choice) -> str:
    parameters = choice.trees._record.parameters
    others = [
        f"{name}={shown(value)}" for name, value in parameters.items() if name not in IN_SENTENCES
    ]
    return ", ".join(others)


def narrowing(choice: Choice) -> list[Block]:
    """List the filters, and how many trees each left."""
    steps = [[step, shown_number(n_trees)] for step, n_trees in choice.trees.history]
    comes = "comes" if choice.number == 1 else "come"
    before = f"{counted_trees(choice.number)} {comes}" if choice.number else "No tree comes"
    return [
        Heading("From all trees to one"),
        Grid(["step", "trees left"], steps, frozenset([1])),
        Paragraph(f"{before} before the chosen tree in the order of objectives."),
    ]


def picture(choice: Choice) -> list[Block]:
    """Show the tree, and say how large and how good it is in training."""
    tree = choice.tree
    above = max(tree.objective - float(choice.trees._scale.reference), 0.0)
    names = dict.fromkeys(literal.name for literal in tree.literals.values())
    drawn = picture_of(choice.said, choice.held_out, [], page=PAGE)
    return [
        Heading("The chosen tree"),
        Pairs(
            [
                ("Objective", f"{tree.objective:.6f}, {above:.6f} above the minimum"),
                (f"Training {tree.loss.title}", _loss_text(choice)),
                ("Leaves", f"{tree.n_leaves:,}"),
                ("Depth", f"{tree.depth:,}"),
                ("Asks about", ", ".join(names) or "nothing"),
            ]
        ),
        Picture(to_svg(drawn), drawn.title),
        Code(tree.to_text(level=None if tree.row_counts is None else choice.said.level)),
    ]


def _loss_text(choice: Choice) -> str:
    """Write the mean training loss; that of numbers may be of any size."""
    loss = choice.tree.training_loss
    return f"{loss:.6g}" if choice.tree.loss.is_of_numbers else f"{loss:.6f}"


def reproduction(choice: Choice) -> list[Block]:
    """Say which data and which versions the record was made with."""
    rows = [(name, f"SHA-256 {fingerprint(table)}") for name, table in choice.tables()]
    rows.append(("File of the tree", f"SHA-256 {hashlib.sha256(file_of(choice.tree)).hexdigest()}"))
    rows += [
        ("splitsecond", splitsecond.__version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
    ]
    text = (
        "Fingerprints of tables are those of splitsecond.fingerprint, which defines them; that of "
        "the tree is of the file that splitsecond.save writes. With the saved set, the same tables "
        "and the same date, the record is made again, letter by letter, by this call, with what "
        "else was given:"
    )
    given = "".join(f", {name}" for name, X in (("X", choice.X), ("y", choice.y)) if X is not None)
    call = f"trees.record({choice.number}{given}, date={choice.words.date!r})"
    return [
        Heading("Data and versions"),
        Pairs(rows),
        *([] if choice.X_train is None else [Paragraph(_training(choice))]),
        Paragraph(text),
        Code(call),
    ]


def _training(choice: Choice) -> str:
    """Say whether the training rows that were given are those that the tree was made of."""
    tree = choice.tree
    if tree.loss.is_of_numbers:
        return _training_numbers(choice)
    leaves = tree.apply(choice.X_train)
    codes = codes_of(choice.y_train, tree.classes, len(leaves))
    counts = np.zeros((len(tree.feature), len(tree.classes)), dtype=np.int64)
    np.add.at(counts, (leaves, codes), 1)
    is_leaf = tree.feature < 0
    if tree.row_counts is not None and (counts[is_leaf] == tree.row_counts[is_leaf]).all():
        return "The training rows give the numbers of rows of each class in every leaf."
    return (
        "The training rows that were given do not give the numbers of rows in the leaves: they are "
        "not those of the fit, or some had no weight."
    )


def _training_numbers(choice: Choice) -> str:
    """Say whether the training rows that were given have the numbers that the tree was made of."""
    tree = choice.tree
    given = overlay_of(tree, choice.X_train, choice.y_train)
    is_leaf = tree.feature < 0
    assert given is not None
    assert given.counts is not None
    assert tree.row_counts is not None
    if (given.counts[is_leaf] == tree.row_counts[is_leaf]).all():
        return "The training rows give the histogram of numbers in every leaf."
    return (
        "The training rows that were given do not give the histograms of numbers in the leaves: "
        "they are not those of the fit, or some had no weight."
    )
