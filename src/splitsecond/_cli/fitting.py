"""The command ``fit``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.data import Data
from splitsecond._cli.output import (
    check_out,
    columns_told_elsewhere,
    progress,
    warnings_as_notes,
    write,
    write_json,
)
from splitsecond._cli.rows import Rows
from splitsecond._cli.values import ONE_STANDARD_ERROR, regularization_or_rule


def fit(
    *,
    files: o.Files,
    target: o.Target,
    regularization: Annotated[
        Any,
        typer.Option(
            metavar="LAMBDA",
            help=f"{o.PENALTY}. auto chooses it by cross-validation, 1se the largest within one "
            "standard error of that.",
            parser=regularization_or_rule,
        ),
    ] = "0.01",
    scoring: o.Scoring = None,
    search: o.SingleTree,
    time_limit: o.TimeLimit = None,
    jobs: o.Jobs = 1,
    test_size: o.TestSize = None,
    cv: Annotated[
        int | None,
        typer.Option(metavar="N", help="Also score by cross-validation with N folds."),
    ] = None,
    seed: o.Seed = 0,
    weight: o.Weight = None,
    columns: o.Columns,
    writing: o.Writing,
) -> None:
    """Fit a tree to a table, print it, and save it with --out.

    With --test-size, the tree is fitted without the held-out rows that score it. With --cv, it is
    fitted on all rows, and the scores are those of trees fitted in the same way.
    """
    check_out(writing, *files)
    reading = Rows(files, target, weight, columns, seed, jobs)
    data = reading.read(search, {"--test-size": test_size, "--cv": cv, "--scoring": scoring})
    from splitsecond._cli.estimators import finish, fit_with_bar, make_tree, summary
    from splitsecond._cli.scoring import baseline_of, hold_out, scores, write_scores

    rule = _rule(regularization, scoring)
    given = 0 if rule else regularization
    model = make_tree(search, data, jobs, regularization=given, time_limit=time_limit)
    held_out = None
    if test_size is not None:
        data, held_out = hold_out(data, test_size, seed)
    found: dict[str, Any] = {}
    with warnings_as_notes(data):
        if rule is not None:
            model, found["choice"] = _choose(model, data, seed, rule)
        if cv is not None:
            found["cross_validation"] = _cross_validate(model, data, cv, seed, rule)
        if rule is None:
            fit_with_bar(model, data)
    if held_out is not None:
        found["held_out"] = {
            "rows": len(held_out),
            **scores(model, held_out, baseline_of(data)),
        }
    if writing.json:
        write_json({**summary(model), **found, "tree": model.tree_.to_dict()})
    else:
        write(str(model))
        if "choice" in found:
            write(_choice_text(found["choice"]))
        if cv is not None:
            write_scores(f"{cv}-fold cross-validation", found["cross_validation"])
        if held_out is not None:
            write_scores(f"on {len(held_out):,} held-out rows", found["held_out"])
    finish(model, writing, found.get("choice", {}).get("status", "complete"))


@dataclass(frozen=True)
class Rule:
    """How lambda is chosen: auto or 1se, and by which score; None: by loss."""

    word: str
    scoring: str | None


def _rule(regularization: Any, scoring: str | None) -> Rule | None:
    if isinstance(regularization, str):
        return Rule(regularization, scoring)
    if scoring is not None:
        raise ValueError(
            f"--scoring {scoring} is for choosing lambda: give --regularization auto or 1se with "
            "it, or leave it out."
        )
    return None


def _choose(model: Any, data: Data, seed: int, rule: Rule) -> tuple[Any, dict[str, Any]]:
    """Return the model chosen from a path, whose tree a fit may not find, and how it was chosen."""
    from splitsecond._cli.scoring import best_of, choose_regularization

    with progress("choosing lambda"):
        chosen, path = choose_regularization(model, data, seed, rule.word, rule.scoring)
    by = "cv_loss" if rule.scoring is None else "cv_score"
    columns = ("regularization", "n_leaves", "loss", by, "cv_standard_error")
    return chosen.model, {
        "rule": rule.word,
        **({} if rule.scoring is None else {"scoring": rule.scoring}),
        "regularization": chosen.regularization,
        **best_of(path),
        "status": path.status_,
        "path": [{name: getattr(entry, name) for name in columns} for entry in path],
    }


def _cross_validate(model: Any, data: Data, n: int, seed: int, rule: Rule | None) -> dict[str, Any]:
    from sklearn.base import clone

    from splitsecond._cli.estimators import fit_or_interrupt
    from splitsecond._cli.scoring import choose_regularization, cross_validated

    def fitted(part: Data) -> Any:
        own = clone(model)
        with columns_told_elsewhere():
            if rule is not None:  # chosen without the fold that is scored, too
                return choose_regularization(own, part, seed, rule.word, rule.scoring)[0].model
            return fit_or_interrupt(own, part)

    with progress("cross-validating", n) as listener:
        return cross_validated(fitted, data, n, seed, listener)


def _choice_text(choice: dict[str, Any]) -> str:
    scoring = choice.get("scoring")
    chosen = choice["regularization"]
    best = choice["least_cv_loss" if scoring is None else "highest_cv_score"]
    text = (
        f"regularization {chosen:.4g} chosen by cross-validation among the {len(choice['path'])} "
        "trees of a path"
    )
    simpler = choice["within_one_standard_error"]
    if choice["rule"] == ONE_STANDARD_ERROR:
        extreme = "minimum loss" if scoring is None else f"maximum {scoring}"
        text += f": the smallest tree within one standard error of the {extreme}"
        return text if chosen == best else f"{text}, which is at {best:.4g}"
    if scoring is not None:
        text += f" for the maximum {scoring}"
    if simpler != chosen:
        text += (
            f"; {simpler:.4g} is for the smallest tree of the path within one standard error "
            f"of its {scoring or 'loss'}"
        )
    return text
