"""splitsecond: small, near-optimal decision trees in milliseconds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splitsecond._binarizers.cuts import FixedBinarizer, MidpointBinarizer, QuantileBinarizer
    from splitsecond._binarizers.guessing import ThresholdGuessBinarizer
    from splitsecond._counts.compressing import compress
    from splitsecond._counts.count_table import CountTable
    from splitsecond._counts.predicting import predict_batches
    from splitsecond._estimators.base import LimitWarning
    from splitsecond._estimators.fixed import FixedTreeClassifier, FixedTreeRegressor
    from splitsecond._estimators.sets import (
        RESPLIT,
        RESPLITRegressor,
        TreeFARMS,
        TreeFARMSRegressor,
    )
    from splitsecond._estimators.trees import (
        GreedyTreeClassifier,
        GreedyTreeRegressor,
        LicketySPLITClassifier,
        LicketySPLITRegressor,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        SPLITClassifier,
        SPLITRegressor,
    )
    from splitsecond._importance.reliance import reliance
    from splitsecond._importance.rid import RashomonImportance
    from splitsecond._paths.path import PathEntry, RegularizationPath
    from splitsecond._paths.search import regularization_path
    from splitsecond._saving import load, save
    from splitsecond._sets.decisions.fingerprint import fingerprint
    from splitsecond._sets.decisions.record import DecisionRecord
    from splitsecond._sets.evaluation import SetEvaluation
    from splitsecond._sets.groups import TreeGroup, TreeGroups
    from splitsecond._sets.tree_set import TreeSet
    from splitsecond._tables.data_checks import DataWarning, SingleLeafWarning
    from splitsecond._tables.errors import TableError
    from splitsecond._tables.literals import Literal
    from splitsecond._tables.table_report import ColumnReport, TableReport, check_table
    from splitsecond._trees.explaining import Explanation
    from splitsecond._trees.tree import Tree

__all__ = [
    "RESPLIT",
    "ColumnReport",
    "CountTable",
    "DataWarning",
    "DecisionRecord",
    "Explanation",
    "FixedBinarizer",
    "FixedTreeClassifier",
    "FixedTreeRegressor",
    "GreedyTreeClassifier",
    "GreedyTreeRegressor",
    "LicketySPLITClassifier",
    "LicketySPLITRegressor",
    "LimitWarning",
    "Literal",
    "MidpointBinarizer",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PathEntry",
    "QuantileBinarizer",
    "RESPLITRegressor",
    "RashomonImportance",
    "RegularizationPath",
    "SPLITClassifier",
    "SPLITRegressor",
    "SetEvaluation",
    "SingleLeafWarning",
    "TableError",
    "TableReport",
    "ThresholdGuessBinarizer",
    "Tree",
    "TreeFARMS",
    "TreeFARMSRegressor",
    "TreeGroup",
    "TreeGroups",
    "TreeSet",
    "check_table",
    "compress",
    "fingerprint",
    "load",
    "predict_batches",
    "regularization_path",
    "reliance",
    "save",
]

__version__ = "0.2.0"

# Where each name comes from. It is imported when it is first asked for: most need scikit-learn,
# which takes more than a second to import.
_MODULES = {
    "_binarizers.cuts": ("FixedBinarizer", "MidpointBinarizer", "QuantileBinarizer"),
    "_estimators.base": ("LimitWarning",),
    "_counts.compressing": ("compress",),
    "_counts.count_table": ("CountTable",),
    "_counts.predicting": ("predict_batches",),
    "_estimators.fixed": ("FixedTreeClassifier", "FixedTreeRegressor"),
    "_estimators.trees": (
        "GreedyTreeClassifier",
        "GreedyTreeRegressor",
        "LicketySPLITClassifier",
        "LicketySPLITRegressor",
        "OptimalTreeClassifier",
        "OptimalTreeRegressor",
        "SPLITClassifier",
        "SPLITRegressor",
    ),
    "_tables.data_checks": ("DataWarning", "SingleLeafWarning"),
    "_binarizers.guessing": ("ThresholdGuessBinarizer",),
    "_importance.rid": ("RashomonImportance",),
    "_tables.literals": ("Literal",),
    "_paths.path": ("PathEntry", "RegularizationPath"),
    "_estimators.sets": ("RESPLIT", "RESPLITRegressor", "TreeFARMS", "TreeFARMSRegressor"),
    "_paths.search": ("regularization_path",),
    "_importance.reliance": ("reliance",),
    "_saving": ("load", "save"),
    "_tables.errors": ("TableError",),
    "_tables.table_report": ("ColumnReport", "TableReport", "check_table"),
    "_trees.explaining": ("Explanation",),
    "_trees.tree": ("Tree",),
    "_sets.decisions.fingerprint": ("fingerprint",),
    "_sets.decisions.record": ("DecisionRecord",),
    "_sets.evaluation": ("SetEvaluation",),
    "_sets.groups": ("TreeGroup", "TreeGroups"),
    "_sets.tree_set": ("TreeSet",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

# What is not public, but named by pickles and errors of other processes. They refer to it by this
# package, so that it may move: a name that was here stays here.
_PICKLED = {
    "Brier": "_solving.losses",
    "CellTypeError": "_tables.errors",
    "Channels": "_solving.units",
    "ColumnWarning": "_tables.data_checks",
    "Costs": "_solving.losses",
    "EntryWeights": "_counts.entry_weights",
    "Finding": "_tables.data_checks",
    "FitRecord": "_sets.record",
    "GraphArrays": "_sets.graph_arrays",
    "InputReader": "_estimators.input_reader",
    "Kind": "_tables.columns",
    "LogLoss": "_solving.losses",
    "NotBinaryError": "_tables.errors",
    "Poisson": "_solving.number_losses",
    "RowSource": "_trees.row_counts",
    "RowsOfGraph": "_trees.row_counts",
    "RowsOfNumbers": "_trees.row_counts",
    "RowsOfTable": "_trees.row_counts",
    "Scale": "_sets.scale",
    "SquaredError": "_solving.number_losses",
    "Suspicion": "_tables.data_checks",
    "TextNumbers": "_tables.text_checks",
    "Units": "_solving.units",
    "Variable": "_tables.columns",
    "ZeroOne": "_solving.losses",
    "_of_arrays": "_sets.tree_set",
}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name) or _PICKLED.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        install = import_module(f"{__name__}._support.install")
        raise ImportError(f"{name} needs pyarrow: {install.install_line('large')}") from error
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
