"""The command ``fit``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from splitsecond._cli import options as o
from splitsecond._cli.output import check_out, progress, warnings_said, write, write_json
from splitsecond._cli.tables import Data, Source, read_data


def _price(text: str) -> Any:
    return text if text == o.AUTO else o.regularization_of(text)


def fit(
    *,
    file: o.File,
    target: o.Target,
    algorithm: Annotated[
        o.Algorithm, o.choice("How the tree is found", o.Algorithm)
    ] = o.Algorithm.LICKETY,
    regularization: Annotated[
        Any,
        typer.Option(
            metavar="LAMBDA",
            help="Price of a leaf as a share of the rows; auto chooses it by cross-validation.",
            parser=_price,
        ),
    ] = "0.01",
    learning: o.Learning,
    no_postprocess: Annotated[
        bool,
        typer.Option(
            "--no-postprocess", help="Leave what is below the lookahead greedy (split only)."
        ),
    ] = False,
    time_limit: o.TimeLimit = None,
    jobs: o.Jobs = 1,
    test_size: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Set a share of the rows aside, fit on the others, and score the tree on these.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(metavar="N", help="Score by cross-validation with so many folds, too."),
    ] = None,
    seed: o.Seed = 0,
    weight: o.Weight = None,
    columns: o.Columns,
    writing: o.Writing,
) -> None:
    """Fit a tree to a table, print it, and save it with --out.

    With --test-size, the tree printed and saved is the one scored, which has not seen the rows set
    aside. With --cv, it has seen all rows, and the score is that of fitting as such.
    """
    check_out(writing, file)
    data = read_data(Source.of(file, columns), target, weight, learning.binarizer)
    from splitsecond._cli.estimators import finish, fit_on, make, summary
    from splitsecond._cli.scoring import commonest, scores, split

    auto = regularization == o.AUTO
    model = make(
        algorithm,
        learning,
        jobs,
        regularization=0 if auto else regularization,
        postprocess=False if no_postprocess else None,
        time_limit=time_limit,
    )
    held_out = None
    if test_size is not None:
        data, held_out = split(data, test_size, seed)
    found: dict[str, Any] = {}
    with warnings_said():
        if auto:
            model, found["choice"] = _choose(model, data, seed)
        if cv is not None:
            found["cross_validation"] = _cross_validate(model, data, cv, seed, auto)
        if not auto:
            fit_on(model, data)
    if held_out is not None:
        found["held_out"] = {
            "rows": len(held_out),
            **scores(model, held_out, commonest(data)),
        }
    if writing.json:
        write_json({**summary(model), **found, "tree": model.tree_.to_dict()})
    else:
        write(str(model))
        for line in _lines(found):
            write(line)
    finish(model, writing, found.get("choice", {}).get("status", "complete"))


def _choose(model: Any, data: Data, seed: int) -> tuple[Any, dict[str, Any]]:
    """Return the best model of a path, whose tree a fit by itself might not find, and the path."""
    from splitsecond._cli.scoring import choose_regularization

    with progress("choosing the price of a leaf"):
        path = choose_regularization(model, data, seed)
    columns = ("regularization", "n_leaves", "loss", "cv_loss", "cv_standard_error")
    return path.best_.model, {
        "regularization": path.best_.regularization,
        "within_one_standard_error": path.one_standard_error_.regularization,
        "status": path.status_,
        "path": [{name: getattr(entry, name) for name in columns} for entry in path],
    }


def _cross_validate(model: Any, data: Data, n: int, seed: int, auto: bool) -> dict[str, Any]:
    from sklearn.base import clone

    from splitsecond._cli.estimators import quietly
    from splitsecond._cli.scoring import choose_regularization, cross_validated

    def fitted(part: Data) -> Any:
        own = clone(model)
        if auto:  # chosen without the fold that is scored, too
            return choose_regularization(own, part, seed).best_.model
        return quietly(own, part)

    with progress("cross-validating", n) as listener:
        return cross_validated(fitted, data, n, seed, listener)


def _lines(found: dict[str, Any]) -> list[str]:
    lines = []
    if "choice" in found:
        choice = found["choice"]
        lines.append(
            f"regularization {choice['regularization']:.4g} chosen by cross-validation among the "
            f"{len(choice['path'])} trees of a path"
        )
        simpler = choice["within_one_standard_error"]
        if simpler != choice["regularization"]:
            lines[-1] += (
                f"; {simpler:.4g} is for the smallest tree of the path within one standard error "
                "of its loss"
            )
    if "cross_validation" in found:
        each = found["cross_validation"]
        lines.append(
            f"{each['folds']}-fold cross-validation: {_score_text(each)}, standard deviation of "
            f"the accuracy {each['accuracy_standard_deviation']:.3f}"
        )
    if "held_out" in found:
        each = found["held_out"]
        lines.append(f"on {each['rows']:,} held-out rows: {_score_text(each)}")
    return lines


def _score_text(each: dict[str, float]) -> str:
    return (
        f"accuracy {each['accuracy']:.3f} (the commonest class alone: {each['baseline']:.3f}), "
        f"balanced accuracy {each['balanced_accuracy']:.3f}"
    )
