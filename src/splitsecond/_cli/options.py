"""Options that several commands share, alone and in groups."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_type_hints

import typer

from splitsecond._cli.values import (
    bytes_of,
    class_weight_of,
    costs_of,
    level_of,
    regularization_of,
    rows_or_share,
)

FOLDS = 5  # by which lambda is chosen
PENALTY = (
    "Penalty per leaf (lambda), as a share of the rows; with costs, a cost per row; with log_loss, "
    "brier and for numbers, of the loss of a single leaf"
)


class Algorithm(StrEnum):
    """How a tree is found."""

    LICKETY = "lickety"
    SPLIT = "split"
    OPTIMAL = "optimal"
    GREEDY = "greedy"


class Method(StrEnum):
    """How a set of trees is found."""

    RESPLIT = "resplit"
    TREEFARMS = "treefarms"


class Task(StrEnum):
    """What is predicted: classes, or numbers."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Loss(StrEnum):
    """What trees are fitted for, unless there are costs; the last two are for numbers."""

    ZERO_ONE = "zero_one"
    LOG_LOSS = "log_loss"
    BRIER = "brier"
    SQUARED_ERROR = "squared_error"
    POISSON = "poisson"


class Completion(StrEnum):
    """What splits are judged by below the levels that are compared."""

    GREEDY = "greedy"
    LICKETY = "lickety"


class Device(StrEnum):
    """Where rows are counted."""

    CPU = "cpu"
    GPU = "gpu"
    AUTO = "auto"


class EpsilonKind(StrEnum):
    """What epsilon is measured by."""

    ADDITIVE = "additive"
    MULTIPLICATIVE = "multiplicative"
    ABSOLUTE = "absolute"


class Binarizer(StrEnum):
    """How columns become questions."""

    AUTO = "auto"
    GUESS = "guess"
    QUANTILE = "quantile"
    MIDPOINT = "midpoint"
    NONE = "none"


def choice(text: str, of: type[StrEnum], **options: Any) -> Any:
    """Return an option that takes one of some words, which its help names so that lines can end."""
    *words, last = of
    named = f"{text}: {', '.join(words)} or {last}."
    return typer.Option(metavar="WORD", help=named, **options)


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Table: CSV (also .tsv, .gz) or Parquet; - for standard input.",
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Table: CSV (also .tsv, .gz) or Parquet; - for standard input. Several files, folders "
        "and patterns such as 'data/*.parquet' are read in two passes and counted, as compress "
        "does; a count table is used as it is.",
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="Model file, as fit, rashomon and choose write it with --out."
    ),
]
SetOfTrees = Annotated[
    Path, typer.Argument(metavar="SET", help="File of a set, as rashomon --out writes it.")
]
Target = Annotated[str, typer.Option(metavar="COL", help="Column to predict: classes, or numbers.")]
TaskOption = Annotated[
    Task | None,
    choice("Whether the target is classes or numbers, by default guessed from it", Task),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="Column with the weights of the rows; with poisson, their exposures."
    ),
]
Regularization = Annotated[
    Any,
    typer.Option(
        metavar="LAMBDA",
        help=f"{PENALTY}.",
        parser=regularization_of,
    ),
]
MaxDepth = Annotated[int, typer.Option(metavar="N", help="Maximum depth of a tree.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Time limit of each fit; the best result so far is kept."),
]
Level = Annotated[
    Any,  # an argument, or None
    typer.Option(
        metavar="LEVEL",
        help="Confidence level of intervals beside shares and means, such as 0.95, or none; by "
        "default 0.95 where trees show probabilities or means.",
        parser=level_of,
    ),
]
Scoring = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Compare trees on held-out rows by a scorer of scikit-learn, such as roc_auc, "
        "neg_log_loss, f1 or r2, not by their loss.",
    ),
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 for all processors.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed for splits and samples.")]


def flag(name: str, text: str) -> Any:
    """Return an option that takes no value, and whose help names none."""
    return typer.Option(name, metavar="", help=text)


Json = Annotated[bool, flag("--json", "Print the result as JSON.")]


def several(metavar: str, text: str, **options: Any) -> Any:
    """Return an option that may be repeated."""
    return typer.Option(
        default_factory=list,
        show_default=False,
        metavar=metavar,
        help=f"{text}; may be repeated.",
        **options,
    )


TestSize = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Hold out a share of the rows, fit on the others, and score on the held-out rows.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a CSV file is read."""

    PANEL: ClassVar[str] = "Table"  # of the help

    missing: Annotated[
        list[str],
        several(
            "TEXT",
            "Text that stands for a missing value in a CSV file, as an empty field does; replaces "
            "NA, N/A, NaN, nan, null and NULL",
        ),
    ]
    separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR", help="Separator of a CSV file: a comma, or a tab in .tsv files."
        ),
    ] = None
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of a CSV file, such as latin-1.")
    ] = "utf-8"


@dataclass(frozen=True, kw_only=True)
class Columns(Reading):
    """Which columns there are, and what they are."""

    drop: Annotated[list[str], several("COL", "Leave out a column")]
    category: Annotated[
        list[str],
        several("COL", "Treat the numbers of a column as categories"),
    ]


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How trees and sets of trees are learned."""

    PANEL: ClassVar[str] = "Search"  # of the help

    task: TaskOption = None
    loss: Annotated[
        Loss | None,
        choice(
            "What trees are fitted for, by default zero_one (errors) for classes, squared_error "
            "for numbers",
            Loss,
        ),
    ] = None
    costs: Annotated[
        Any,  # a mapping or None
        typer.Option(
            metavar="JSON",
            help="Fit for the costs of actions by class, as JSON or in a file: "
            '{"approve": {"bad": 5, "good": 0}, "reject": {"bad": 0, "good": 1}}.',
            parser=costs_of,
        ),
    ] = None
    max_depth: MaxDepth = 5
    min_samples_leaf: Annotated[
        Any,  # an integer, or a share
        typer.Option(
            metavar="N",
            help="Minimum training rows in a leaf, or a share of all rows, such as 0.01.",
            parser=rows_or_share,
        ),
    ] = "1"
    lookahead_depth: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Levels of splits compared by their greedy completions (not with optimal, greedy "
            "and treefarms).",
        ),
    ] = None
    exact_last_split: Annotated[
        bool | None,
        typer.Option(
            "--exact-last-split/--entropy-last-split",
            help="Choose the last split of greedy completions by errors or costs, or by entropy as "
            "the paper does (not with optimal and treefarms).",
            show_default=False,
        ),
    ] = None
    class_weight: Annotated[
        list[Any],  # words, or pairs of a class and its weight
        several(
            "CLASS=N",
            "Weight of a class, such as bad=5; or balanced, for equal total weights; or none",
            parser=class_weight_of,
        ),
    ]
    binarizer: Annotated[Binarizer, choice("How columns become yes/no questions", Binarizer)] = (
        Binarizer.AUTO
    )
    memory_limit: Annotated[
        Any,  # a number or None
        typer.Option(
            metavar="BYTES",
            help="Memory limit of the search of each fit, such as 2GB.",
            parser=bytes_of,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SingleTree(Learning):
    """How a single tree is found."""

    algorithm: Annotated[Algorithm, choice("How the tree is found", Algorithm)] = Algorithm.LICKETY
    no_postprocess: Annotated[
        bool,
        flag("--no-postprocess", "Keep the greedy subtrees below the lookahead (split only)."),
    ] = False
    completion: Annotated[
        Completion | None,
        choice(
            "Trees that splits are judged by, with a lookahead above 1 (lickety only)", Completion
        ),
    ] = None
    device: Annotated[
        Device | None,
        choice("Where rows are counted, by default cpu (lickety and greedy only)", Device),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Sets(Learning):
    """What a set of trees is."""

    method: Annotated[
        Method, choice("How the set is found, by lookahead or completely", Method)
    ] = Method.RESPLIT
    regularization: Regularization = "0.01"
    epsilon: Annotated[
        float,
        typer.Option(metavar="NUMBER", help="How much worse than the best tree a tree may be."),
    ] = 0.01
    epsilon_kind: Annotated[
        EpsilonKind,
        choice("Whether epsilon is added, relative to the best, or the bound itself", EpsilonKind),
    ] = EpsilonKind.ADDITIVE
    keep_trivial: Annotated[
        bool,
        flag("--keep-trivial", "Keep splits between two leaves that predict the same."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Writing:
    """Where the result goes."""

    PANEL: ClassVar[str] = "Output"  # of the help

    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to write the result to.")
    ] = None
    force: Annotated[bool, flag("--force", "Replace the file of --out if it exists.")] = False
    json: Json = False


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: each field is an option of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
    }
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name not in groups:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
            continue
        group = groups[parameter.name]
        of_fields = get_type_hints(group, include_extras=True)
        for field in dataclasses.fields(group):
            of_fields[field.name].__metadata__[0].rich_help_panel = group.PANEL
            default = (
                inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
            )
            parameters.append(
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=of_fields[field.name],
                )
            )

    @functools.wraps(command)
    def run(**options: Any) -> None:
        for name, group in groups.items():
            own = {field.name: options.pop(field.name) for field in dataclasses.fields(group)}
            options[name] = group(**own)
        command(**options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
