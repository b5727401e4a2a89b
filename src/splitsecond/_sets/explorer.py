"""The page of a set: all that it knows, as plain values, and the page itself."""

from __future__ import annotations

import datetime
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

import splitsecond
from splitsecond._sets.groups import find_groups
from splitsecond._sets.overview import AT_ROOT, MAX_LISTED, OTHERS, Step, overview_of
from splitsecond._sets.page_numbers import (
    HeldOutNumbers,
    number_labels,
    number_text,
    number_trees_data,
)
from splitsecond._sets.page_questions import PageQuestions, text_or_none
from splitsecond._sets.page_trees import HeldOutRows, trees_data
from splitsecond._solving.losses import ZERO_ONE
from splitsecond._solving.number_losses import OfNumbers
from splitsecond._support.messages import shown_number
from splitsecond._support.python_literals import literal
from splitsecond._trees import sql
from splitsecond._trees.outputs import output_of
from splitsecond._trees.python_code import head_lines
from splitsecond._trees.tree import Tree

if TYPE_CHECKING:
    from splitsecond._sets.tree_set import TreeSet

# Seconds for what the page can do without: overviews of the largest sets, groups, usage.
OVERVIEW_SECONDS = 12.0
EXTRA_SECONDS = 2.0
LEAVES_HERE = "{leaves}"  # in the first lines of Python code


@dataclass(frozen=True)
class PageOptions:
    """What a page is asked to show besides the trees; see `TreeSet.to_html`."""

    max_trees: int
    X: Any = None
    y: Any = None
    groups: Any = None
    name: str | None = None
    target: str | None = None
    max_listed: tuple[int, ...] = MAX_LISTED
    with_extras: bool = True  # counts over the whole set that take another few seconds


def explorer_data(trees: TreeSet, options: PageOptions) -> dict[str, Any]:
    """Return what the page has to know."""
    if options.X is None and (options.y is not None or options.groups is not None):
        raise ValueError("y and groups are of held-out rows: give these as X.")
    if options.groups is not None and options.y is None:
        what = "numbers" if trees._source.loss.is_of_numbers else "classes"
        raise ValueError(f"groups compare errors, for which the {what} of the rows are needed: y.")
    shown: list[Tree] = trees[: options.max_trees]
    graph, reader = trees._graph, trees._reader
    questions = PageQuestions(reader, graph.features())
    held_out = _held_out(trees, options)
    steps = overview_of(graph, trees._scale, options.max_listed, OVERVIEW_SECONDS)
    variables = questions.variables()
    decides, of_numbers = trees._source.loss == ZERO_ONE, trees._source.loss.is_of_numbers
    labels = number_labels(shown) if of_numbers else trees._source.labels.tolist()
    if of_numbers:
        facts = number_trees_data(shown, questions.numbers, held_out, labels)
    else:
        facts = trees_data(shown, questions.numbers, held_out)
    return {
        "name": options.name,
        "about": about(trees, len(shown)),
        "facts": _facts(trees, options, held_out),
        "n_trees": str(trees.n_trees),
        "bound": trees.bound,
        "min_objective": None if not shown else trees.min_objective,
        "measure": _measure(trees, shown),
        "classes": [str(label) for label in trees._classes.tolist()],
        "labels": [number_text(label) if of_numbers else str(label) for label in labels],
        "numbers": labels if of_numbers else None,
        "word": "rate" if trees._source.loss.name == "poisson" else "mean",
        "is_probability": not decides,
        "variables": variables,
        "questions": questions.questions(),
        "usage": _usage(trees, [each["name"] for each in variables], options),
        "trees": {
            "objective": [tree.objective for tree in shown],
            "measured": [
                tree.training_accuracy if decides else _known(tree.training_loss) for tree in shown
            ],
            **facts,
        },
        "held_out_by_class": isinstance(held_out, HeldOutRows) and held_out.by_class,
        "criteria": _criteria(trees, shown, options),
        "groups": _groups(trees, shown, options),
        "overview": _overview(steps, questions.numbers),
        "code": _code(shown, labels, questions.labelled),
    }


def _held_out(trees: TreeSet, options: PageOptions) -> HeldOutRows | HeldOutNumbers | None:
    if options.X is None:
        return None
    table, loss = trees._reader.read(options.X), trees._source.loss
    if isinstance(loss, OfNumbers):
        return HeldOutNumbers(table, options.y, loss)
    return HeldOutRows(table, options.y, trees._classes)


def explorer_page(data: dict[str, Any]) -> str:
    """Write the page, which needs nothing else."""
    page = (
        resources.files("splitsecond._sets").joinpath("explorer.html").read_text(encoding="utf-8")
    )
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Within a script element, nothing but its end tag has a meaning; names may hold one. Lone
    # surrogates, which names may hold too, cannot be written in UTF-8.
    safe = "".join(c if not "\ud800" <= c <= "\udfff" else f"\\u{ord(c):04x}" for c in text)
    return page.replace("@DATA@", safe.replace("<", "\\u003c"), 1)


def about(trees: TreeSet, n_shown: int) -> str:
    """Say in a sentence which trees the page holds."""
    n_trees = trees.n_trees
    counted = f"{shown_number(n_trees)} {'tree' if n_trees == 1 else 'trees'}"
    some = "All" if n_shown == n_trees else f"The best {n_shown:,} of"
    sentence = f"{some} {counted} with an objective of at most {trees.bound:.4f}"
    return "; ".join([sentence, *trees._notes()])


def _facts(
    trees: TreeSet, options: PageOptions, held_out: HeldOutRows | HeldOutNumbers | None
) -> list[tuple[str, str]]:
    """Say what the set is of, and how it was found."""
    record, scale = trees._record, trees._scale
    parameters = record.parameters
    target = options.target if options.target is not None else getattr(options.y, "name", None)
    found: list[tuple[str, str | None]] = [
        ("Data", options.name),
        ("Target", None if target is None else str(target)),
        ("Classes", ", ".join(str(label) for label in trees._classes.tolist()) or None),
        ("Training rows", f"{trees[0].n_rows[0]:,}" if trees else None),
        ("Weighted", "yes" if record.weighted else "no"),
        ("Held-out rows", None if held_out is None else f"{held_out.n_rows:,}"),
        ("Search", record.estimator.__name__),
        ("Loss", trees._source.loss.title),
        ("Penalty per leaf (lambda)", f"{float(scale.price):.6g}"),
        ("Epsilon", f"{parameters.get('epsilon')} ({scale.epsilon_kind})"),
        ("Maximum depth", str(parameters.get("max_depth"))),
        ("Objective at most", f"{trees.bound:.6g}"),
        *((f"Trees after {step}", f"{n:,}") for step, n in trees.history[:-1]),
        ("Trees in the set", f"{trees.n_trees:,}"),
        ("Status", trees.status),
        ("Made by", f"splitsecond {splitsecond.__version__}"),
        ("Date", datetime.datetime.now(tz=datetime.UTC).date().isoformat()),
    ]
    return [(name, value) for name, value in found if value is not None]


def _measure(trees: TreeSet, shown: list[Tree]) -> str:
    loss = trees._source.loss
    weighted = "weighted " if any(tree.is_weighted for tree in shown[:1]) else ""
    return f"{weighted}training {'accuracy' if loss == ZERO_ONE else loss.title}"


def _usage(trees: TreeSet, names: list[str], options: PageOptions) -> list[str | None]:
    """Count, of all trees, those that ask about each variable; None where that takes too long."""
    usage: list[str | None] = [None] * len(names)
    end = time.monotonic() + EXTRA_SECONDS
    for i, name in enumerate(names if options.with_extras else ()):
        if time.monotonic() >= end:
            break
        usage[i] = str(trees.n_trees - trees.filter(avoids=name).n_trees)
    return usage


def _criteria(trees: TreeSet, shown: list[Tree], options: PageOptions) -> list[dict[str, Any]]:
    """Return all criteria on held-out rows: for each tree, and if there is time, over the set."""
    if options.y is None or not shown:
        return []
    limit = EXTRA_SECONDS if options.with_extras else 0.0
    evaluation = trees.evaluate(options.X, options.y, groups=options.groups, time_limit=limit)
    ends = evaluation._exact_ends()
    return [
        {
            "name": name,
            "values": [_rounded(value) for value in values],
            "range": [_rounded(end) for end in ends[name]] if name in ends else None,
        }
        for name, values in evaluation._values_of(shown).items()
    ]


def _groups(trees: TreeSet, shown: list[Tree], options: PageOptions) -> list[dict[str, Any]]:
    """Count, of all trees, those of the same variables and shape as the best on the page."""
    if not options.with_extras or not shown:
        return []
    found = find_groups(trees, None, len(shown), len(shown), EXTRA_SECONDS)
    return [{"first": group.number, "n_trees": str(group.n_trees)} for group in found]


def _overview(steps: list[Step], numbers: dict[int, int]) -> dict[str, Any]:
    """Return the steps column by column; ``after`` is twice the parent, plus 1 on its no-side."""
    return {
        "question": [numbers.get(step.question, step.question) for step in steps],
        "after": [
            -1 if step.parent == AT_ROOT else 2 * step.parent + int(step.is_no) for step in steps
        ],
        "n_trees": [_exact(step.n_trees) for step in steps],
        "min_objective": [_rounded(step.min_objective) for step in steps],
        "n_others": {
            str(i): step.n_questions for i, step in enumerate(steps) if step.question == OTHERS
        },
    }


def _exact(count: int) -> int | str:
    """Return a number, as text where JavaScript would round it."""
    return count if count < 2**53 else str(count)


def _code(shown: list[Tree], labels: list[Any], labelled: bool) -> dict[str, Any]:
    """Return what exports of trees are put together from, besides the questions."""
    heads = {"asking": "", "leaf": ""}
    write: Callable[[Any], str] = sql.value
    if shown:
        output = output_of(shown[0], "auto", None)
        if output.kind == "value":
            write = sql.as_double
        for kind in heads:
            asks = kind == "asking"
            lines = head_lines(
                shown[0], "predict", output, LEAVES_HERE, labelled=labelled or not asks, asks=asks
            )
            heads[kind] = "\n".join(lines)
    return {
        "sql": [text_or_none(partial(write, label)) for label in labels],
        "python": [literal(label) for label in labels],
        "head": heads,
    }


def _rounded(value: float) -> float | None:
    return _known(float(f"{value:.7g}"))


def _known(value: float) -> float | None:
    """Return a value; None if it is beyond floats, as the squares of huge numbers are."""
    return value if math.isfinite(value) else None
